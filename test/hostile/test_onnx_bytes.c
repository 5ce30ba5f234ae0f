/* test_onnx_bytes.c - ONNX files cut at every byte, with every byte changed, made of many small messages, out of memory
 * and cancelled at every point. Classes W1, W7, W12, R1 and R2 of reliability.md.
 *
 * A cut file is an error with its place, unless the cut is between two fields of the model: protobuf has no end mark,
 * so what is left is a whole file. It scores as the whole one then, or lacks its graph. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sanitizers make each load some ten times slower. */
#if HT_SANITIZED
enum { BYTE_STEP = 11, LARGE = 20000 };
#else
enum { BYTE_STEP = 1, LARGE = 200000 };
#endif

static const char *const GOLDENS[] = {"logistic_two",
                                      "logistic_three_texts",
                                      "scaled_logistic",
                                      "named_columns",
                                      "linear_svc",
                                      "tree_two",
                                      "ridge_targets",
                                      "all_modes",
                                      "graph_svc_probability_f",
                                      "graph_kneighborsclassifier_distance_f",
                                      "graph_onevsoneclassifier_f",
                                      "graph_quadraticdiscriminantanalysis_d",
                                      "graph_kernelpca_rbf_f",
                                      "graph_randomforestclassifier_d"};
/* Trees whose leaves have a number each, trees whose leaves have several, chains of equality. */
static const char *const LARGER[] = {"boosting_three", "tree_three", "xgboost_codes_three"};

static mb_bytes golden(const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "test/golden/onnx/%s_120.onnx", name);
    return ht_read_file(path);
}

/* ------------------------------------------------------------------ every prefix */

/* Where the fields of the model end: tags are of a byte, or two from field 16 on. */
static bool is_between_fields(const mb_bytes *b, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)b->data;

    for (size_t at = 0; at < n;) {
        size_t size = 0, shift = 0;
        unsigned tag = bytes[at++];

        if (tag & 0x80)
            at++;
        do
            size |= (size_t)(bytes[at] & 0x7f) << shift;
        while (shift += 7, bytes[at++] & 0x80);
        at += (tag & 7) == 2 ? size : 0;
        if (at == n)
            return true;
    }
    return n == 0;
}

static void test_prefixes(const char *name)
{
    mb_bytes b = golden(name);
    uint64_t whole = 0;

    ht_case("W1", "%s, whole", name);
    whole = ht_fingerprint_of(b, NULL);
    for (size_t n = 0; n<b.size; n += n> 3000 ? 7 * BYTE_STEP : BYTE_STEP) {
        char *prefix = malloc(n + 1);
        hbs_error error = {0};
        hbs_status status;

        memcpy(prefix, b.data, n);
        ht_case("W1", "%s, the first %zu of %zu bytes", name, n, b.size);
        status = ht_try(prefix, n, NULL, &error);
        ht_check(status == HBS_E_FORMAT || (status == HBS_OK && is_between_fields(&b, n)), "got %s: %s",
                 hbs_status_name(status), error.text);
        if (status == HBS_OK)
            ht_check(ht_fingerprint_of((mb_bytes){prefix, n}, NULL) == whole, "scores otherwise");
        else
            ht_check(error.offset <= n, "offset %zu of %zu bytes: %s", error.offset, n, error.text);
        free(prefix);
    }
    free(b.data);
}

/* ------------------------------------------------------------------ every byte changed */

/* An error in words, or a model that scores; ht_try checks all that. */
static void test_changes(const char *name, int change)
{
    mb_bytes b = golden(name);
    size_t loaded = 0;

    ht_case("W7", "%s, every byte, %s %d", name, change < 8 ? "flipped bit" : "set to",
            change < 8    ? change
            : change == 8 ? 0
                          : 255);
    for (size_t i = (size_t)change % BYTE_STEP; i < b.size && ht_ok(); i += BYTE_STEP) {
        char kept = b.data[i];
        hbs_error error = {0};
        hbs_status status;

        b.data[i] = change < 8 ? (char)(kept ^ (1 << change)) : change == 8 ? '\0' : (char)0xff;
        status = ht_try(b.data, b.size, NULL, &error);
        if (!ht_ok())
            printf("  at byte %zu\n", i);
        ht_check(status != HBS_E_NOMEM && status != HBS_E_CANCEL, "byte %zu: %s", i, error.text);
        loaded += status == HBS_OK;
        b.data[i] = kept;
    }
    ht_check(loaded < b.size, "every change loads");
    free(b.data);
}

/* ------------------------------------------------------------------ many small messages */

static size_t put_varint(char *to, size_t number)
{
    size_t n = 0;

    for (; number > 0x7f; number >>= 7)
        to[n++] = (char)(number | 0x80);
    to[n++] = (char)number;
    return n;
}

/* A model of IR 8 whose graph is `n` times the same field. */
static void test_bomb(const char *name, const char *field, size_t size, size_t n)
{
    char *bytes = malloc(n * size + 32);
    size_t at = 2;
    hbs_error error = {0};
    hbs_status status;

    memcpy(bytes, "\x08\x08", 2);
    bytes[at++] = 0x3a;
    at += put_varint(bytes + at, n * size);
    for (size_t i = 0; i < n; i++, at += size)
        memcpy(bytes + at, field, size);
    ht_case("W12", "%zu times %s", n, name);
    status = ht_try(bytes, at, NULL, &error);
    ht_check(status == HBS_E_FORMAT || status == HBS_E_LIMIT || status == HBS_E_UNSUPPORTED, "got %s: %s",
             hbs_status_name(status), error.text);
    free(bytes);
}

#define BOMB(name, bytes, n) test_bomb(name, bytes, sizeof(bytes) - 1, n)

static void test_bombs(void)
{
    BOMB("a node without anything", "\x0a\0", LARGE);
    BOMB("a node without anything, as many as may be", "\x0a\0", HT_SANITIZED ? 4096 : 65536);
    BOMB("a constant without anything", "\x2a\0", LARGE);
    BOMB("a constant with a name", "\x2a\x07\x08\0\x10\x01\x42\x01x", LARGE);
    BOMB("an input without anything", "\x5a\0", LARGE);
    BOMB("an output without anything", "\x62\0", LARGE);
    BOMB("a node of one empty attribute", "\x0a\x02\x2a\0", 60000);
    BOMB("a node of one empty input", "\x0a\x02\x0a\0", 60000);
    BOMB("a field that nobody knows", "\xf8\x07\x01", LARGE);
}

/* ------------------------------------------------------------------ R1, R2: one life of a model */

static void test_life(const char *name)
{
    mb_bytes b = golden(name);

    ht_life_failures(name, b, NULL, false);
    ht_life_failures(name, b, NULL, true);
    ht_life_cancel(name, b, NULL, 1);
    free(b.data);
}

int main(void)
{
    for (size_t i = 0; i < HT_COUNT(GOLDENS); i++)
        test_prefixes(GOLDENS[i]);
    for (size_t i = 0; i < HT_COUNT(LARGER); i++)
        test_prefixes(LARGER[i]);
    for (int change = 0; change < 10; change++) {
        test_changes("logistic_two", change);
        test_changes("scaled_logistic", change);
        test_changes("tree_two", change);
    }
    test_bombs();
    for (size_t i = 0; i < HT_COUNT(GOLDENS); i++)
        test_life(GOLDENS[i]);
    for (size_t i = 0; i < HT_COUNT(LARGER); i++)
        test_life(LARGER[i]);
    return ht_report();
}
