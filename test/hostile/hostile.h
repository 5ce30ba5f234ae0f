/* hostile.h - what the programs of this folder share: counted memory that can fail, a host that can
 * cancel, cases counted by the classes of reliability.md, and what must hold whatever the bytes say. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "hbscore.h"
#include "model_builder.h"

/* 1 where the address sanitizer is built in: all is slower, and malloc is its own. */
#if defined(__SANITIZE_ADDRESS__)
#define HT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HT_SANITIZED 1
#endif
#endif
#ifndef HT_SANITIZED
#define HT_SANITIZED 0
#endif

/* ------------------------------------------------------------------ a host that fails on demand */

typedef struct ht_host {
    hbs_host host;
    size_t held, peak, blocks;     /* now, at most, how many */
    size_t calls;                  /* of the allocators, also those that failed */
    size_t fail_at;                /* this call fails (from 1); 0: none */
    bool fail_on;                  /* and all behind it */
    size_t polls, cancel_at;       /* cancelled() is true from this call on; 0: never */
    double last_poll, longest_gap; /* milliseconds, between polls: to be printed, never tested */
} ht_host;

void ht_host_init(ht_host *host);
/* As a poll does: counts the time since the last one. */
void ht_step_clock(ht_host *host);

/* ------------------------------------------------------------------ cases */

/* Starts a case of a class ("W1"); `name` is shown where it fails. */
void ht_case(const char *class_name, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The case fails, with words; only the first failure of a case is shown. */
void ht_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool ht_check(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* True while the running case has not failed. */
bool ht_ok(void);
/* Prints the classes and `N passed, N failed`; the exit status. */
int ht_report(void);

/* ------------------------------------------------------------------ what must always hold */

/* Status and text agree, the text is one line of valid UTF-8 below 512 bytes, the status is not
 * INTERNAL, the offset is inside the file. */
void ht_check_error(const hbs_error *error, hbs_status status, size_t file_size);
/* The bytes of a file below test/, to be freed; a file that is not there ends the program. */
mb_bytes ht_read_file(const char *path);
bool ht_has_words(const char *text, const char *words); /* all of "a|b" must be in it */
bool ht_is_utf8(const char *bytes, size_t size);

typedef struct ht_load {
    const char *options; /* NULL: none */
    const hbs_limits *limits;
    bool keep;        /* leaves the plan in `plan`; else it is freed */
    size_t most_plan; /* bytes of the plan; 0: as hbscore.h promises */
    /* answers */
    hbs_status status; /* of loading or compiling */
    hbs_error error;
    hbs_plan *plan;
    char format[32];
} ht_load;

/* Loads, inspects, compiles; then scores rows in a block and row by row and compares their bits. Checks
 * everything that must hold of any bytes: errors, memory, leaks. Fails the running case else. */
void ht_load_bytes(ht_host *host, const void *bytes, size_t size, ht_load *load);
/* The same with a host of its own; gives the status. `error` may be NULL. */
hbs_status ht_try(const void *bytes, size_t size, const char *options, hbs_error *error);
/* As a case: a large document of hbscore's own format, which is freed; the status and, of an error, words. */
void ht_check_large(const char *class_name, const char *name, mb_bytes b, hbs_status wanted, const char *words);

/* Everything that a plan of this kind gives. */
uint32_t ht_all_outputs(const hbs_plan_info *info);
/* A digest of the scores of a few standard rows: equal models have equal digests. */
uint64_t ht_fingerprint(const hbs_plan *plan);
/* The same of a file that must load; 0 where it does not (the case has then failed). */
uint64_t ht_fingerprint_of(mb_bytes bytes, const char *options);

/* ------------------------------------------------------------------ one life of a model */

/* Loads, inspects, compiles and frees the model, scores a block and a row and frees all, again and again,
 * each time with another failure; checks the errors, and that nothing is left. At most 16 features.
 * `name` is that of the case; `options` may be NULL. */

/* The n-th allocation fails, or all from the n-th on, for every n (R1). How many did. */
size_t ht_life_failures(const char *name, mb_bytes bytes, const char *options, bool from_there_on);
/* The host says stop at the n-th poll, for every n (R2). How many did, which are `least` at least. */
size_t ht_life_cancel(const char *name, mb_bytes bytes, const char *options, size_t least);
/* Prints the longest time between two polls, the best of three runs; tests their number (R2). The status
 * of the last run. */
hbs_status ht_life_gap(const char *name, mb_bytes bytes);

/* ------------------------------------------------------------------ a model to ask */

typedef struct ht_opened {
    ht_host host;
    hbs_plan *plan;
    hbs_run *run; /* of the model "churn", for 256 rows */
    hbs_plan_info info;
} ht_opened;

/* The sample after the edits and with the options (both may be NULL), ready to score. False, and the case
 * has failed, where it does not load. ht_close is right after both; it looks for leaks. */
bool ht_open(ht_opened *opened, mb_sample sample, const char *edits, const char *options);
bool ht_open_bytes(ht_opened *opened, mb_bytes bytes, const char *options);
void ht_close(ht_opened *opened);

/* ------------------------------------------------------------------ tables of cases */

enum { HT_JSON = 1, HT_UBJSON = 2, HT_BOTH = 3, HT_ANY = -1 };

/* One broken model: a sample, its edits, and what loading must say. */
typedef struct ht_edit {
    const char *name;
    mb_sample sample;
    const char *edits;
    int status;        /* HT_ANY: loads, or FORMAT, LIMIT, UNSUPPORTED */
    const char *words; /* that the message must have, "a|b": both; NULL: any */
    int encodings;     /* 0: both */
} ht_edit;

void ht_run_edits(const char *class_name, const ht_edit *edits, size_t count);

/* One file given as bytes. */
typedef struct ht_file {
    const char *name;
    const char *bytes;
    size_t size; /* 0: strlen(bytes) */
    int status;
    const char *words;
} ht_file;

void ht_run_files(const char *class_name, const ht_file *files, size_t count);

#define HT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
