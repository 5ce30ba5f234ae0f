/* fuzz_document.c - any bytes as a JSON or UBJSON document. The first byte chooses: bit 0 the
 * encoding, bits 1 to 3 how little memory there is (0: as much as the rule allows).
 *
 * What must hold: skipping and reading value by value agree on whether the document is good, and on
 * the status where it is not; an array of numbers gives the same bits whole and one by one; memory
 * stays below 4 x the input + 1 MiB and is all given back; errors name a byte of it. */
#include <stddef.h>
#include <stdint.h>

#include "core/document_walk.h"

#define FUZZ_NAME "fuzz_document"
#include "fuzz_host.h"

typedef struct input {
    const char *bytes;
    size_t size;
    hb_encoding encoding;
    size_t limit; /* of memory */
    bool enough;  /* and it must do */
} input;

static void must(bool holds)
{
    if (!holds)
        give_up("a check failed", NULL);
}

/* One way to read the whole document; what it gathers goes to `out`. */
typedef void reading(hb_document *d, hb_vector *out);

static void read_by_skipping(hb_document *d, hb_vector *out)
{
    (void)out;
    hb_skip(d, true);
}

static void read_by_skipping_loosely(hb_document *d, hb_vector *out)
{
    (void)out;
    hb_skip(d, false);
}

static void read_by_walking(hb_document *d, hb_vector *out)
{
    walk_text none = {NULL, 0, 0};

    (void)out;
    walk_value(d, &none);
}

/* An array of numbers one by one; anything else fails. */
static void read_numbers_one_by_one(hb_document *d, hb_vector *out)
{
    if (hb_array_begin(d))
        while (hb_array_next(d)) {
            double number = hb_read_double(d);

            must(hb_vector_append(out, &number, 1) != NULL);
        }
}

static void read_numbers_whole(hb_document *d, hb_vector *out)
{
    (void)hb_read_doubles(d, out, true);
}

static void read_floats_whole(hb_document *d, hb_vector *out)
{
    out->item_size = sizeof(float);
    (void)hb_read_floats(d, out, false);
}

static void read_int32s_whole(hb_document *d, hb_vector *out)
{
    out->item_size = sizeof(int32_t);
    (void)hb_read_int32s(d, out);
}

static void read_uint8s_whole(hb_document *d, hb_vector *out)
{
    out->item_size = sizeof(uint8_t);
    (void)hb_read_uint8s(d, out);
}

/* Runs one reading on a fresh document. `kept` (may be NULL) gets what was gathered; free it. */
static hbs_status run(const input *in, reading *read, double **kept, size_t *n_kept)
{
    hb_memory memory;
    hbs_error error = {.status = HBS_OK, .offset = HBS_NO_OFFSET};
    hb_document *d;
    hb_vector out;

    hb_memory_init(&memory, &HOST, in->limit);
    hb_vector_init(&out, &memory, sizeof(double));
    hbs_status status = hb_document_open(&memory, in->bytes, in->size, in->encoding, &error, &d);

    if (status == HBS_OK) {
        read(d, &out);
        status = hb_document_end(d);
    }
    must(status == HBS_OK || status == HBS_E_FORMAT || status == HBS_E_LIMIT);
    must(status == error.status);
    must(!in->enough || !memory.over_limit);
    must(status == HBS_OK || (*error.text && memchr(error.text, 0, sizeof error.text)));
    must(error.offset == HBS_NO_OFFSET || error.offset <= in->size);
    must(hb_utf8_valid(error.text, strlen(error.text)));
    if (kept) {
        *n_kept = status == HBS_OK ? out.count : 0;
        *kept = malloc(*n_kept * sizeof(double) + 1);
        if (*n_kept)
            memcpy(*kept, out.items, *n_kept * sizeof(double));
    }
    hb_vector_release(&out);
    hb_document_close(d);
    must(memory.used == 0);
    return status;
}

/* A number that is a double one by one is so in the whole array, too. */
static void compare_numbers(const input *in)
{
    double *one_by_one, *whole;
    size_t n, m;

    if (run(in, read_numbers_one_by_one, &one_by_one, &n) == HBS_OK) {
        must(run(in, read_numbers_whole, &whole, &m) == HBS_OK);
        must(n == m && memcmp(one_by_one, whole, n * sizeof(double)) == 0);
        free(whole);
    }
    free(one_by_one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    unsigned tight = data[0] >> 1 & 7;
    input in = {.bytes = (const char *)data + 1,
                .size = size - 1,
                .encoding = data[0] & 1 ? HB_UBJSON : HB_JSON,
                .limit = 4 * (size - 1) + (1 << 20),
                .enough = tight == 0};

    if (tight > 0) { /* only that nothing breaks */
        in.limit = (size_t)1 << (9 + tight);
        (void)run(&in, read_by_skipping, NULL, NULL);
        (void)run(&in, read_by_walking, NULL, NULL);
        (void)run(&in, read_floats_whole, NULL, NULL);
        return 0;
    }
    hbs_status skipped = run(&in, read_by_skipping, NULL, NULL);

    must(run(&in, read_by_walking, NULL, NULL) == skipped);
    must(skipped != HBS_OK || run(&in, read_by_skipping_loosely, NULL, NULL) == HBS_OK);
    (void)run(&in, read_floats_whole, NULL, NULL);
    (void)run(&in, read_int32s_whole, NULL, NULL);
    (void)run(&in, read_uint8s_whole, NULL, NULL);
    in.limit = 0; /* doubles from single bytes take 8 times the input */
    compare_numbers(&in);
    return 0;
}
