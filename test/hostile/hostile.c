/* hostile.c - the host that fails, the counting of cases, the tables. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "hostile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------ host */

/* Before each block: its size; behind it: a mark that must stay. */
enum { HEAD = 16, TAIL = 8 };
static const char MARK[TAIL] = {0x5a, 0x11, 0x7f, 0x33, 0x0c, 0x6e, 0x21, 0x4d};

static void *host_allocate(void *context, size_t bytes)
{
    ht_host *host = context;
    char *block;

    host->calls++;
    if (host->fail_at && (host->calls == host->fail_at || (host->fail_on && host->calls > host->fail_at)))
        return NULL;
    block = bytes > SIZE_MAX - HEAD - TAIL ? NULL : malloc(bytes + HEAD + TAIL);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof(bytes));
    memcpy(block + HEAD + bytes, MARK, TAIL);
    host->blocks++;
    host->held += bytes;
    if (host->held > host->peak)
        host->peak = host->held;
    return block + HEAD;
}

static void host_release(void *context, void *block)
{
    ht_host *host = context;
    char *start = (char *)block - HEAD;
    size_t bytes;

    if (!block)
        return;
    memcpy(&bytes, start, sizeof(bytes));
    if (memcmp(start + HEAD + bytes, MARK, TAIL) != 0)
        ht_fail("something was written behind a block of %zu bytes", bytes);
    host->blocks--;
    host->held -= bytes;
    memset(start, 0xDD, bytes + HEAD + TAIL);
    free(start);
}

static void *host_resize(void *context, void *block, size_t bytes)
{
    void *other = host_allocate(context, bytes);
    size_t old = 0;

    if (!other || !block)
        return other;
    memcpy(&old, (char *)block - HEAD, sizeof(old));
    memcpy(other, block, old < bytes ? old : bytes);
    host_release(context, block);
    return other;
}

void ht_step_clock(ht_host *host)
{
    struct timespec t;
    double now;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
    if (host->last_poll > 0 && now - host->last_poll > host->longest_gap)
        host->longest_gap = now - host->last_poll;
    host->last_poll = now;
}

static bool host_cancelled(void *context)
{
    ht_host *host = context;

    ht_step_clock(host);
    host->polls++;
    return host->cancel_at && host->polls >= host->cancel_at;
}

void ht_host_init(ht_host *host)
{
    memset(host, 0, sizeof(*host));
    host->host.context = host;
    host->host.allocate = host_allocate;
    host->host.resize = host_resize;
    host->host.release = host_release;
    host->host.cancelled = host_cancelled;
}

/* ------------------------------------------------------------------ cases */

enum { MAX_CLASSES = 64, MAX_PRINTED = 60 };

typedef struct class_count {
    char name[16];
    size_t cases, failures;
} class_count;

static class_count classes[MAX_CLASSES];
static size_t n_classes;
static class_count *running;
static char case_name[256];
static bool case_failed;
static size_t n_printed;

static class_count *class_of(const char *name)
{
    for (size_t i = 0; i < n_classes; i++)
        if (strcmp(classes[i].name, name) == 0)
            return &classes[i];
    snprintf(classes[n_classes].name, sizeof(classes[0].name), "%s", name);
    return &classes[n_classes++];
}

void ht_case(const char *class_name, const char *format, ...)
{
    va_list args;

    running = class_of(class_name);
    running->cases++;
    case_failed = false;
    va_start(args, format);
    vsnprintf(case_name, sizeof(case_name), format, args);
    va_end(args);
}

static void fail_with(const char *format, va_list args)
{
    if (case_failed || !running)
        return;
    case_failed = true;
    running->failures++;
    if (n_printed++ >= MAX_PRINTED)
        return;
    printf("FAILED %s, %s: ", running->name, case_name);
    vprintf(format, args);
    printf("\n");
}

void ht_fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail_with(format, args);
    va_end(args);
}

bool ht_check(bool holds, const char *format, ...)
{
    va_list args;

    if (holds)
        return true;
    va_start(args, format);
    fail_with(format, args);
    va_end(args);
    return false;
}

bool ht_ok(void)
{
    return !case_failed;
}

static int by_class(const void *a, const void *b)
{
    const class_count *x = a, *y = b;
    int order = x->name[0] - y->name[0];

    return order ? order : atoi(x->name + 1) - atoi(y->name + 1);
}

int ht_report(void)
{
    size_t cases = 0, failures = 0;

    running = NULL;
    qsort(classes, n_classes, sizeof(classes[0]), by_class);
    if (n_printed > MAX_PRINTED)
        printf("(%zu more failures are not shown)\n", n_printed - MAX_PRINTED);
    for (size_t i = 0; i < n_classes; i++) {
        printf("class %s: %zu cases, %zu failures\n", classes[i].name, classes[i].cases, classes[i].failures);
        cases += classes[i].cases;
        failures += classes[i].failures;
    }
    printf("%zu passed, %zu failed\n", cases - failures, failures);
    return failures != 0;
}

/* ------------------------------------------------------------------ messages */

static int sequence_length(unsigned char c)
{
    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c < 0xE0)
        return 2;
    if (c >= 0xE0 && c < 0xF0)
        return 3;
    return c >= 0xF0 && c < 0xF5 ? 4 : 0;
}

bool ht_is_utf8(const char *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes;

    for (size_t i = 0; i < size;) {
        int n = sequence_length(p[i]);

        if (n == 0 || (size_t)n > size - i)
            return false;
        for (int k = 1; k < n; k++)
            if ((p[i + (size_t)k] & 0xC0) != 0x80)
                return false;
        if ((p[i] == 0xE0 && p[i + 1] < 0xA0) || (p[i] == 0xED && p[i + 1] > 0x9F) ||
            (p[i] == 0xF0 && p[i + 1] < 0x90) || (p[i] == 0xF4 && p[i + 1] > 0x8F))
            return false;
        i += (size_t)n;
    }
    return true;
}

mb_bytes ht_read_file(const char *path)
{
    mb_bytes b = {0};
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;

    if (size > 0) {
        rewind(file);
        b.data = malloc((size_t)size);
        b.size = b.data ? fread(b.data, 1, (size_t)size, file) : 0;
    }
    if (b.size == 0 || b.size != (size_t)size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    return b;
}

bool ht_has_words(const char *text, const char *words)
{
    char word[128];

    while (words && *words) {
        size_t n = strcspn(words, "|");

        snprintf(word, sizeof(word), "%.*s", (int)n, words);
        if (!strstr(text, word))
            return false;
        words += n + (words[n] == '|');
    }
    return true;
}

void ht_check_error(const hbs_error *error, hbs_status status, size_t file_size)
{
    size_t n = 0;

    while (n < HBS_ERROR_TEXT && error->text[n])
        n++;
    if (!ht_check(n < HBS_ERROR_TEXT, "the message has no end"))
        return;
    ht_check(status != HBS_E_INTERNAL, "internal: %s", error->text);
    ht_check(error->status == status, "returned %s, the error says %s", hbs_status_name(status),
             hbs_status_name(error->status));
    ht_check(n > 0, "no message");
    ht_check(ht_is_utf8(error->text, n), "the message is not UTF-8: %s", error->text);
    for (size_t i = 0; i < n; i++)
        ht_check((unsigned char)error->text[i] >= 0x20 && error->text[i] != 0x7F,
                 "a control character in the message: %s", error->text);
    ht_check(n < 2 || error->text[n - 1] != '.' || error->text[n - 2] == '.', "a final dot: %s", error->text);
    ht_check(error->offset == HBS_NO_OFFSET || error->offset <= file_size, "offset %zu of a file of %zu bytes: %s",
             error->offset, file_size, error->text);
}

/* ------------------------------------------------------------------ tables */

static void expect(const void *bytes, size_t size, int wanted, const char *words)
{
    hbs_error error = {0};
    hbs_status status = ht_try(bytes, size, NULL, &error);

    if (wanted == HT_ANY) {
        ht_check(status == HBS_OK || status == HBS_E_FORMAT || status == HBS_E_LIMIT || status == HBS_E_UNSUPPORTED,
                 "got %s: %s", hbs_status_name(status), error.text);
        return;
    }
    if (!ht_check((int)status == wanted, "wanted %s, got %s: %s", hbs_status_name((hbs_status)wanted),
                  hbs_status_name(status), status == HBS_OK ? "" : error.text))
        return;
    if (status != HBS_OK)
        ht_check(ht_has_words(error.text, words), "wanted the words %s, got: %s", words, error.text);
}

void ht_run_edits(const char *class_name, const ht_edit *edits, size_t count)
{
    static const char *const NAMES[] = {"JSON", "UBJSON"};

    for (size_t i = 0; i < count; i++)
        for (int e = 0; e < MB_ENCODINGS; e++) {
            int wanted = edits[i].encodings ? edits[i].encodings : HT_BOTH;
            mb_bytes bytes;

            if (!(wanted & (e == MB_JSON ? HT_JSON : HT_UBJSON)))
                continue;
            ht_case(class_name, "%s (%s, %s)", edits[i].name, mb_sample_name(edits[i].sample), NAMES[e]);
            bytes = mb_edited(edits[i].sample, edits[i].edits, (mb_encoding)e);
            expect(bytes.data, bytes.size, edits[i].status, edits[i].words);
            free(bytes.data);
        }
}

void ht_run_files(const char *class_name, const ht_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = files[i].size ? files[i].size : strlen(files[i].bytes);
        char *copy = malloc(size ? size : 1); /* so that a sanitizer sees a step too far */

        ht_case(class_name, "%s", files[i].name);
        if (!copy)
            continue;
        memcpy(copy, files[i].bytes, size);
        expect(copy, size, files[i].status, files[i].words);
        free(copy);
    }
}
