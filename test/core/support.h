/* support.h - what the tests of the core share: a host whose memory is counted and fails on demand,
 * and the loop that fails each allocation of an action in turn.
 *
 *     test_host host;
 *     test_host_init(&host);
 *     ... use &host.host ...
 *     test_host_end(&host);          nothing may be left
 *
 * Blocks are aligned to 8 bytes and not to 16, as SQLite's and PostgreSQL's may be; new bytes are
 * 0xA5 and so are those of a freed block, so that what was never set shows. A block that grows
 * always moves. Includes cmocka.h, and the four headers that it needs before it. */
#ifndef HB_TEST_SUPPORT_H
#define HB_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hbscore.h"

/* A long sweep takes all its steps in one build, gcc's. The sanitizers' is ten times as slow and clang's is there for
 * what a compiler does differently: these take every EVERY-th, of sweeps in turn from another first one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
enum { EVERY = 3 };
#else
enum { EVERY = 1 };
#endif

typedef struct test_host {
    hbs_host host;
    size_t asked;     /* allocations and resizes asked for */
    size_t fail_at;   /* the one that fails, counted from 1; 0: none */
    bool fail_on;     /* and all that follow it */
    size_t failed;    /* how many did */
    size_t blocks;    /* held now */
    size_t bytes;     /* held now */
    size_t peak;      /* most bytes held at once */
    size_t polls;     /* times that cancelled() was asked */
    size_t cancel_at; /* the poll that says yes, counted from 1; 0: none */
} test_host;

void test_host_init(test_host *host);
/* Fails the test where a block is left. */
void test_host_end(test_host *host);
/* Allocation number `n` from now on fails; with `on` all after it, too. 0: none. */
void test_host_fail_at(test_host *host, size_t n, bool on);

/* Runs `action` again and again, failing its first, second, ... allocation, and from there on all;
 * ends when one run needs no more. Each must end in HBS_OK or HBS_E_NOMEM (with a text), give back
 * all memory, and the last one be HBS_OK. Returns how many allocations that was. */
typedef hbs_status test_action(const hbs_host *host, void *context, hbs_error *error);
size_t test_each_allocation_fails(test_action *action, void *context);

/* The same bytes in a block of just their size, so that the sanitizer sees a read behind them. */
char *test_exact_copy(const void *bytes, size_t size);

/* Pseudo-random numbers, the same on every machine. */
uint64_t test_random(uint64_t *state);

/* assert_int_equal on statuses, naming both and the error's text. */
void test_status_is(hbs_status found, hbs_status expected, const hbs_error *error, const char *file, int line);
#define assert_status(found, expected, error) test_status_is((found), (expected), (error), __FILE__, __LINE__)

#endif
