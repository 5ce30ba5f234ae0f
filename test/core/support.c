/* support.c - see support.h. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* In front of each block; 8 bytes, so that blocks are not aligned to 16. */
typedef struct block_head {
    uint32_t size;
    uint32_t mark;
} block_head;

enum { MARK = 0x68627363, FILL = 0xA5 };

static bool refuses(test_host *host)
{
    host->asked++;
    if (host->fail_at == 0)
        return false;
    bool fails = host->asked == host->fail_at || (host->fail_on && host->asked > host->fail_at);

    host->failed += fails;
    return fails;
}

static void *get_block(test_host *host, size_t size)
{
    assert_true(size <= UINT32_MAX);
    block_head *head = malloc(sizeof *head + size);

    assert_non_null(head);
    *head = (block_head){(uint32_t)size, MARK};
    memset(head + 1, FILL, size);
    host->blocks++;
    host->bytes += size;
    if (host->bytes > host->peak)
        host->peak = host->bytes;
    return head + 1;
}

static void free_block(test_host *host, void *block)
{
    block_head *head = (block_head *)block - 1;

    assert_int_equal(head->mark, MARK); /* else: freed before, or never ours */
    host->blocks--;
    host->bytes -= head->size;
    memset(head, FILL, sizeof *head + head->size);
    free(head);
}

static void *allocate(void *context, size_t size)
{
    test_host *host = context;

    return refuses(host) ? NULL : get_block(host, size);
}

static void *resize(void *context, void *block, size_t size)
{
    test_host *host = context;

    if (refuses(host))
        return NULL;
    void *moved = get_block(host, size);

    if (block) {
        size_t old = ((block_head *)block - 1)->size;

        memcpy(moved, block, old < size ? old : size);
        free_block(host, block);
    }
    return moved;
}

static void release(void *context, void *block)
{
    if (block)
        free_block(context, block);
}

static bool cancelled(void *context)
{
    test_host *host = context;

    host->polls++;
    return host->cancel_at != 0 && host->polls >= host->cancel_at;
}

void test_host_init(test_host *host)
{
    *host = (test_host){.host = {.allocate = allocate, .resize = resize, .release = release, .cancelled = cancelled}};
    host->host.context = host;
}

void test_host_end(test_host *host)
{
    if (host->blocks != 0)
        fail_msg("%zu blocks of %zu bytes were not given back", host->blocks, host->bytes);
}

void test_host_fail_at(test_host *host, size_t n, bool on)
{
    host->asked = 0;
    host->failed = 0;
    host->fail_at = n;
    host->fail_on = on;
}

void test_status_is(hbs_status found, hbs_status expected, const hbs_error *error, const char *file, int line)
{
    if (found == expected)
        return;
    print_error("status %s, expected %s: %s\n", hbs_status_name(found), hbs_status_name(expected),
                found != HBS_OK && error ? error->text : "");
    _fail(file, line);
}

/* False where the run needed fewer than `n` allocations. */
static bool run_failing_at(test_action *action, void *context, size_t n, bool on, size_t *asked)
{
    test_host host;
    hbs_error error = {.status = HBS_OK};

    test_host_init(&host);
    test_host_fail_at(&host, n, on);
    hbs_status status = action(&host.host, context, &error);

    if (status != HBS_OK) {
        assert_status(status, HBS_E_NOMEM, &error);
        assert_int_equal(error.status, HBS_E_NOMEM);
        assert_true(*error.text != '\0');
        assert_true(host.failed > 0);
    }
    test_host_end(&host);
    *asked = host.asked;
    return host.failed > 0;
}

size_t test_each_allocation_fails(test_action *action, void *context)
{
    for (int on = 0; on <= 1; on++) {
        size_t n = 1, asked;

        while (run_failing_at(action, context, n, on == 1, &asked))
            n++;
        if (on == 1)
            return asked;
    }
    return 0;
}

char *test_exact_copy(const void *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);

    assert_non_null(copy);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u; /* splitmix64 */

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
