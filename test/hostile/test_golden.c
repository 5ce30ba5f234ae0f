/* test_golden.c - the option `golden` as hostile text: cut, bent and broken at every byte, too deep,
 * too long; and verifying while memory runs out or the host cancels. W1, W5, W6, W7, W9, W10, W12, R1
 * and R2 of reliability.md. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, TEXT = 2048 };

static const char *const JSON_ROWS[ROWS] = {"[1,2,null]", "[-0.5,\"2\",true]", "[null,1e3,7]"};

/* The golden text of a model with features a, b, c: what it gives for the rows. */
static void write_golden(ht_opened *o, char text[TEXT])
{
    char *at = text + sprintf(text, "{\"rows\":[%s,%s,%s]", JSON_ROWS[0], JSON_ROWS[1], JSON_ROWS[2]);
    char *parts[3], buffers[3][512];
    hbs_result result;
    hbs_error error;

    for (int k = 0; k < 3; k++)
        parts[k] = buffers[k];
    for (int i = 0; i < ROWS; i++) {
        char numbers[256];
        hbs_value label;

        if (hbs_score_json(o->run, JSON_ROWS[i], strlen(JSON_ROWS[i]),
                           HBS_OUT_LABEL | HBS_OUT_PROBABILITIES | HBS_OUT_RAW, &result, &error) != HBS_OK) {
            ht_fail("a row does not score: %s", error.text);
            break;
        }
        hbs_plan_class(o->plan, (size_t)result.label[0], &label);
        parts[0] += sprintf(parts[0], "%s%lld", i ? "," : "", (long long)label.as.i64);
        hbs_format_doubles(result.probabilities, o->info.probabilities_width, numbers, sizeof(numbers));
        parts[1] += sprintf(parts[1], "%s%s", i ? "," : "", numbers);
        hbs_format_doubles(result.raw, o->info.raw_width, numbers, sizeof(numbers));
        parts[2] += sprintf(parts[2], "%s%s", i ? "," : "", numbers);
    }
    sprintf(at, ",\"prediction\":[%s],\"probabilities\":[%s],\"decision\":[%s]}", buffers[0], buffers[1], buffers[2]);
}

/* Verifies text in memory of just its size; what must hold of any text is checked. */
static hbs_status verify(ht_opened *o, const char *text, size_t size, hbs_verification *found, hbs_error *error)
{
    size_t blocks = o->host.blocks;
    char *copy = malloc(size ? size : 1);
    hbs_status status;

    if (!copy)
        exit(2);
    memcpy(copy, text, size);
    memset(found, 0xa5, sizeof(*found));
    status = hbs_verify(o->plan, &o->host.host, "churn", copy, size, found, error);
    free(copy);
    ht_check(o->host.blocks == blocks, "memory was not given back");
    if (status != HBS_OK) {
        ht_check_error(error, status, size);
        ht_check(!found->ok, "an error, but ok");
        ht_check(status == HBS_E_ARGS || status == HBS_E_TYPE || status == HBS_E_LIMIT || status == HBS_E_NOMEM ||
                     status == HBS_E_CANCEL,
                 "got %s", hbs_status_name(status));
    } else {
        ht_check(found->ok == !found->text[0], "ok is %d: %s", found->ok, found->text);
        ht_check(ht_is_utf8(found->text, strlen(found->text)), "the difference is no UTF-8");
    }
    return status;
}

/* ------------------------------------------------------------------ every byte */

static void test_truncated(ht_opened *o, const char *text)
{
    hbs_verification found;
    hbs_error error = {0};

    for (size_t size = 0; size < strlen(text); size++) {
        ht_case("W1", "golden rows of %zu bytes", size);
        ht_check(verify(o, text, size, &found, &error) == HBS_E_ARGS, "not an argument error");
        ht_check(ht_has_words(error.text, "model \"churn\": option golden: "), "%s", error.text);
    }
}

static void test_options_truncated(const char *text)
{
    char options[TEXT + 64];
    int n = sprintf(options, "{\"rounds\":1,\"golden\":%s,\"missing\":0}", text);

    for (int size = 1; size <= n; size++) {
        ht_host host;
        hbs_options_info info;
        hbs_error error = {0};
        hbs_status status;

        ht_case("W1", "options with golden rows, %d bytes", size);
        ht_host_init(&host);
        status = hbs_options_read(&host.host, options, (size_t)size, &info, &error);
        ht_check((status == HBS_OK) == (size == n), "%s", hbs_status_name(status));
        if (status != HBS_OK)
            ht_check_error(&error, status, (size_t)size);
        else
            ht_check(info.golden.size == strlen(text) && memcmp(info.golden.bytes, text, info.golden.size) == 0,
                     "golden is %.*s", (int)info.golden.size, info.golden.bytes);
        hbs_options_free(&host.host, &info);
        ht_check(host.blocks == 0, "%zu bytes were never given back", host.held);
    }
}

static void test_bytes(ht_opened *o, const char *text)
{
    static const char bytes[] = "[]{}\",:-0n \xff";
    hbs_verification found;
    hbs_error error = {0};
    char copy[TEXT];
    size_t n = strlen(text);

    for (size_t at = 0; at < n; at++) {
        ht_case("W7", "golden rows, byte %zu changed", at);
        for (size_t b = 0; b < sizeof(bytes); b++) { /* a NUL too */
            memcpy(copy, text, n);
            copy[at] = bytes[b];
            verify(o, copy, n, &found, &error);
        }
    }
}

/* ------------------------------------------------------------------ texts of people */

typedef struct golden_text {
    const char *class_name, *text;
    int status;
    const char *words;
} golden_text;

#define ROW "{\"rows\":[[1,2,3]],\"prediction\":"

static const golden_text TEXTS[] = {
    {"W6", "{\"rows\":[[1,2,3]],\"row\\u0073\":[[1,2,3]],\"prediction\":[0]}", HBS_E_ARGS, "duplicate"},
    {"W6", ROW "[0],\"prediction\":[0]}", HBS_E_ARGS, "duplicate"},
    {"W7", ROW "{\"0\":0}}", HBS_E_ARGS, "prediction"},
    {"W7", ROW "\"0\"}", HBS_E_ARGS, "prediction"},
    {"W7", ROW "null}", HBS_E_ARGS, "prediction"},
    {"W7", ROW "true}", HBS_E_ARGS, "prediction"},
    {"W7", ROW "[[0]]}", HBS_E_ARGS, "prediction[0]"},
    {"W7", ROW "[{}]}", HBS_E_ARGS, "prediction[0]"},
    {"W7", ROW "[null]}", HBS_OK, NULL},
    {"W7", "{\"rows\":[[1,2,3]],\"probabilities\":[[0.5]]}", HBS_E_ARGS, "probabilities[0]|1|2"},
    {"W7", "{\"rows\":[[1,2,3]],\"probabilities\":[[0.5,{}]]}", HBS_E_ARGS, "probabilities[0][1]"},
    {"W7", "{\"rows\":[[1,2,3]],\"probabilities\":[{\"no\":0.5,\"yes\":0.5}]}", HBS_E_ARGS, "probabilities[0]"},
    {"W7", "{\"rows\":{\"a\":[1,2,3]},\"prediction\":[0]}", HBS_E_ARGS, "rows"},
    {"W7", "{\"rows\":[{\"a\":1,\"b\":2,\"c\":3}],\"prediction\":[0]}", HBS_E_ARGS, "rows[0]"},
    {"W7", "{\"rows\":[1,2,3],\"prediction\":[0,0,0]}", HBS_E_ARGS, "rows[0]"},
    {"W7", "{\"rows\":[[1,2,[3]]],\"prediction\":[0]}", HBS_E_TYPE, "rows[0][2]"},
    {"W7", "{\"rows\":[[]],\"prediction\":[0]}", HBS_E_ARGS, "rows[0]|0|3"},
    {"W9", ROW "[\"\xff\"]}", HBS_E_ARGS, "UTF-8"},
    {"W9", ROW "[\"\\ud800\"]}", HBS_E_ARGS, NULL},
    {"W9", ROW "[\"a\\u0000\\u001b[31m\"]}", HBS_OK, NULL},
    {"W9", "{\"rows\":[[1,2,\"\\u0000\"]],\"prediction\":[0]}", HBS_E_TYPE, "row 1"},
    {"W9", "{\"rows\\u0000\":[[1,2,3]],\"prediction\":[0]}", HBS_E_ARGS, "rows\\u0000"},
    {"W10", ROW "[1e999]}", HBS_E_ARGS, NULL},
    {"W10", ROW "[01]}", HBS_E_ARGS, NULL},
    {"W10", ROW "[0x1]}", HBS_E_ARGS, NULL},
    {"W10", ROW "[9223372036854775808]}", HBS_E_ARGS, "prediction[0]"},
    {"W10", ROW "[-0]}", HBS_OK, NULL},
    {"W10", "{\"rows\":[[1,2,3]],\"decision\":[[1e999]]}", HBS_E_ARGS, NULL},
    {"W10", "{\"rows\":[[1,2,3]],\"decision\":[[1e300]]}", HBS_OK, NULL},
    {"W10", "{\"rows\":[[1,2,3]],\"decision\":[[-1e-400]]}", HBS_OK, NULL},
    {"W10", "{\"rows\":[[1,2,3]],\"decision\":[[Infinity]]}", HBS_E_ARGS, NULL},
    {"W10", "{\"rows\":[[1,2,3]],\"decision\":[[\"+Infinity\"]]}", HBS_E_ARGS, NULL},
};

static void test_texts(ht_opened *o)
{
    hbs_verification found;
    hbs_error error = {0};

    for (size_t i = 0; i < HT_COUNT(TEXTS); i++) {
        hbs_status status;

        ht_case(TEXTS[i].class_name, "golden %s", TEXTS[i].text);
        status = verify(o, TEXTS[i].text, strlen(TEXTS[i].text), &found, &error);
        ht_check((int)status == TEXTS[i].status, "wanted %s, got %s", hbs_status_name((hbs_status)TEXTS[i].status),
                 hbs_status_name(status));
        if (status != HBS_OK)
            ht_check(ht_has_words(error.text, TEXTS[i].words), "wanted %s: %s", TEXTS[i].words, error.text);
        else
            ht_check(!found.ok, "ok");
    }
}

/* ------------------------------------------------------------------ much of something */

static void test_repeated(ht_opened *o)
{
    static const struct {
        const char *class_name, *name, *head, *piece, *tail;
        size_t count;
        int status;
    } CASES[] = {
        {"W5", "rows of brackets", "{\"rows\":", "[", "", 100000, HBS_E_LIMIT},
        {"W5", "rows of objects", "{\"rows\":[", "{\"a\":", "", 100000, HBS_E_LIMIT},
        {"W5", "a deep cell", "{\"rows\":[[1,2,", "[", "", 100000, HBS_E_LIMIT},
        {"W12", "very many rows", "{\"rows\":[[1,2,3]", ",[1,2,3]", "],\"prediction\":[0]}", 1000000, HBS_E_LIMIT},
        {"W12", "very many predictions", ROW "[0", ",0", "]}", 1000000, HBS_E_LIMIT},
        {"W12", "a row of very many cells", "{\"rows\":[[1", ",1", "]],\"prediction\":[0]}", 1000000, HBS_E_ARGS},
        {"W12", "a list of very many numbers", "{\"rows\":[[1,2,3]],\"decision\":[[1", ",1", "]]}", 1000000,
         HBS_E_ARGS},
        {"W12", "a long text", "{\"rows\":[[1,2,\"", "x", "\"]],\"prediction\":[0]}", 4000000, HBS_E_TYPE},
        {"W12", "a long label", ROW "[\"", "y", "\"]}", 4000000, HBS_OK},
        {"W12", "a long name", "{\"", "z", "\":[]}", 4000000, HBS_E_ARGS},
        {"W12", "white space", "{\"rows\":[[1,2,3]],", " ", "\"prediction\":[7]}", 4000000, HBS_OK},
        {"W12", "seventeen megabytes", "{\"rows\":[[1,2,3]],", " ", "\"prediction\":[7]}", 17 << 20, HBS_E_LIMIT},
    };

    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        size_t head = strlen(CASES[i].head), piece = strlen(CASES[i].piece);
        size_t tail = strlen(CASES[i].tail), size = head + CASES[i].count * piece + tail;
        char *text = malloc(size);
        hbs_verification found;
        hbs_error error = {0};
        hbs_status status;

        if (!text)
            exit(2);
        memcpy(text, CASES[i].head, head);
        for (size_t k = 0; k < CASES[i].count; k++)
            memcpy(text + head + k * piece, CASES[i].piece, piece);
        memcpy(text + size - tail, CASES[i].tail, tail);
        ht_case(CASES[i].class_name, "golden: %s", CASES[i].name);
        status = verify(o, text, size, &found, &error);
        ht_check((int)status == CASES[i].status, "wanted %s, got %s: %s", hbs_status_name((hbs_status)CASES[i].status),
                 hbs_status_name(status), status ? error.text : "");
        free(text);
    }
}

/* ------------------------------------------------------------------ memory and cancel */

static void test_allocation(ht_opened *o, const char *text)
{
    for (int on = 0; on <= 1; on++)
        for (size_t n = 1; n < 1000; n++) {
            hbs_verification found;
            hbs_error error = {0};
            hbs_status status;

            ht_case("R1", "verify: allocation %zu fails%s", n, on ? ", and all behind it" : "");
            o->host.calls = 0;
            o->host.fail_at = n;
            o->host.fail_on = on;
            status = verify(o, text, strlen(text), &found, &error);
            o->host.fail_at = 0;
            ht_check(status == HBS_OK ? found.ok : status == HBS_E_NOMEM, "%s", hbs_status_name(status));
            if (o->host.calls < n)
                break;
        }
}

static void test_cancel(ht_opened *o, const char *text)
{
    for (size_t n = 1; n < 1000; n++) {
        hbs_verification found;
        hbs_error error = {0};
        hbs_status status;

        ht_case("R2", "verify: poll %zu cancels", n);
        o->host.polls = 0;
        o->host.cancel_at = n;
        status = verify(o, text, strlen(text), &found, &error);
        o->host.cancel_at = 0;
        ht_check(o->host.polls < n ? status == HBS_OK : status == HBS_E_CANCEL, "%s", hbs_status_name(status));
        if (o->host.polls < n)
            break;
    }
}

int main(void)
{
    char text[TEXT];
    hbs_verification found;
    hbs_error error = {0};
    ht_opened o;

    ht_case("W1", "golden rows as they are");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        write_golden(&o, text);
        ht_check(verify(&o, text, strlen(text), &found, &error) == HBS_OK && found.ok && found.rows == ROWS, "%s %s",
                 error.text, found.text);
        test_truncated(&o, text);
        test_options_truncated(text);
        test_bytes(&o, text);
        test_texts(&o);
        test_repeated(&o);
        test_allocation(&o, text);
        test_cancel(&o, text);
        ht_close(&o);
    }
    return ht_report();
}
