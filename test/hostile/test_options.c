/* test_options.c - the registration options: good and bad values of each, and options text that is
 * hostile itself. Counted as W6, W9, W10 and W13 of reliability.md, by what is wrong with it. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct option {
    const char *class_name;
    const char *text;
    mb_sample sample;
    int status;
    const char *words;
} option;

static const option OPTIONS[] = {
    /* texts that are no JSON object */
    {"W13", "", MB_BINARY, HBS_OK, NULL},
    {"W13", "{}", MB_BINARY, HBS_OK, NULL},
    {"W13", " {\n} ", MB_BINARY, HBS_OK, NULL},
    {"W13", "[]", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "null", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "1", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "\"rounds\"", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{\"rounds\"}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{\"rounds\":}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{\"rounds\":1,}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{\"rounds\":1}}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{\"rounds\":1} x", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{\"rounds\":1}{\"rounds\":1}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{rounds:1}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{'rounds':1}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "/* x */{}", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{} // x", MB_BINARY, HBS_E_ARGS, "options"},
    {"W13", "{\"rounds\":NaN}", MB_BINARY, HBS_E_ARGS, NULL},
    /* names of options */
    {"W14", "{\"round\":1}", MB_BINARY, HBS_E_ARGS, "\"round\"|rounds"},
    {"W14", "{\"\":1}", MB_BINARY, HBS_E_ARGS, "\"\""},
    {"W14", "{\"ROUNDS\":1}", MB_BINARY, HBS_E_ARGS, "\"ROUNDS\""},
    {"W14", "{\"strategy\":\"gemm\"}", MB_BINARY, HBS_E_ARGS, "\"strategy\""},
    {"W14", "{\"rounds\":1,\"x\":{\"rounds\":1}}", MB_BINARY, HBS_E_ARGS, "\"x\""},
    {"W6", "{\"rounds\":1,\"rounds\":1}", MB_BINARY, HBS_E_ARGS, "rounds|duplicate"},
    {"W6", "{\"rounds\":1,\"ro\\u0075nds\":2}", MB_BINARY, HBS_E_ARGS, "duplicate"},
    {"W6", "{\"rounds\":1,\"rounds\\u0000\":2}", MB_BINARY, HBS_E_ARGS, "rounds\\x00"},
    {"W9", "{\"rounds\\u0000x\":1}", MB_BINARY, HBS_E_ARGS, "rounds\\x00"},
    {"W9", "{\"\xff\":1}", MB_BINARY, HBS_E_ARGS, "UTF-8"},
    {"W9", "{\"\\u0001\\u001b[31m\":1}", MB_BINARY, HBS_E_ARGS, "\\x01"},
    {"W9", "{\"description\":\"\xff\"}", MB_BINARY, HBS_E_ARGS, "UTF-8"},
    {"W9", "{\"description\":\"a\tb\"}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W9", "{\"description\":\"\\ud800\"}", MB_BINARY, HBS_E_ARGS, NULL},
    /* features */
    {"W7", "{\"features\":[\"x\",\"y\",\"z\"]}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"features\":[\"x\",\"y\",\"z\"]}", MB_REGRESSION, HBS_OK, NULL},
    {"W7", "{\"features\":[\"x\",\"y\"]}", MB_REGRESSION, HBS_E_ARGS, "features|3|2"},
    {"W7", "{\"features\":[\"x\",\"y\",\"z\",\"w\"]}", MB_REGRESSION, HBS_E_ARGS, "features|3|4"},
    {"W7", "{\"features\":[]}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W7", "{\"features\":{}}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W7", "{\"features\":\"x\"}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W7", "{\"features\":null}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W7", "{\"features\":[1,2,3]}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W7", "{\"features\":[\"x\",null,\"z\"]}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W7", "{\"features\":[\"x\",[\"y\"],\"z\"]}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W7", "{\"features\":[\"x\",\"\",\"z\"]}", MB_REGRESSION, HBS_E_ARGS, "features"},
    {"W6", "{\"features\":[\"x\",\"x\",\"z\"]}", MB_REGRESSION, HBS_E_ARGS, "\"x\""},
    {"W7", "{\"features\":[\"x\",\"X\",\"z\"]}", MB_REGRESSION, HBS_OK, NULL},
    {"W9", "{\"features\":[\"x\\u0000\",\"x\",\"z\"]}", MB_REGRESSION, HT_ANY, NULL},
    /* classes */
    {"W7", "{\"classes\":[\"no\",\"yes\"]}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"classes\":[0,1]}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"classes\":[false,true]}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"classes\":[0.5,1.5]}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"classes\":[\"\",\"yes\"]}", MB_BINARY, HT_ANY, NULL},
    {"W7", "{\"classes\":[\"a\",\"b\",\"c\"]}", MB_MULTI, HBS_OK, NULL},
    {"W7", "{\"classes\":[\"a\",\"b\",\"c\"]}", MB_BINARY, HBS_E_ARGS, "classes|2|3"},
    {"W7", "{\"classes\":[\"a\",\"b\"]}", MB_MULTI, HBS_E_ARGS, "classes|3|2"},
    {"W7", "{\"classes\":[\"a\"]}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W7", "{\"classes\":[]}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W7", "{\"classes\":\"ab\"}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W7", "{\"classes\":{\"a\":0}}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W7", "{\"classes\":[null,\"b\"]}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W7", "{\"classes\":[[\"a\"],\"b\"]}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W7", "{\"classes\":[\"a\",\"b\"]}", MB_REGRESSION, HBS_E_ARGS, "classes"},
    {"W6", "{\"classes\":[\"a\",\"a\"]}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W6", "{\"classes\":[1,1]}", MB_BINARY, HBS_E_ARGS, "classes"},
    {"W6", "{\"classes\":[1,\"1\"]}", MB_BINARY, HT_ANY, NULL},
    {"W6", "{\"classes\":[1,1.0]}", MB_BINARY, HT_ANY, NULL},
    {"W10", "{\"classes\":[1e999,0]}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W10", "{\"classes\":[9223372036854775808,0]}", MB_BINARY, HT_ANY, NULL},
    {"W10", "{\"classes\":[18446744073709551616,0]}", MB_BINARY, HT_ANY, NULL},
    {"W10", "{\"classes\":[-9223372036854775808,9223372036854775807]}", MB_BINARY, HBS_OK, NULL},
    /* rounds */
    {"W7", "{\"rounds\":1}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"rounds\":2}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"rounds\":3}", MB_BINARY, HT_ANY, "rounds"},
    {"W7", "{\"rounds\":9223372036854775807}", MB_BINARY, HT_ANY, "rounds"},
    {"W10", "{\"rounds\":9223372036854775808}", MB_BINARY, HT_ANY, NULL},
    {"W7", "{\"rounds\":0}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W7", "{\"rounds\":-1}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W7", "{\"rounds\":1.5}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W7", "{\"rounds\":1.0}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W7", "{\"rounds\":\"1\"}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W7", "{\"rounds\":null}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W7", "{\"rounds\":true}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W7", "{\"rounds\":[1]}", MB_BINARY, HBS_E_ARGS, "rounds"},
    {"W10", "{\"rounds\":01}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W10", "{\"rounds\":0x1}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W7", "{\"rounds\":1}", MB_LINEAR, HT_ANY, NULL},
    /* missing */
    {"W7", "{\"missing\":-999}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"missing\":0}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"missing\":0.1}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"missing\":null}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"missing\":1e300}", MB_BINARY, HT_ANY, NULL},
    {"W7", "{\"missing\":\"NaN\"}", MB_BINARY, HT_ANY, "missing"},
    {"W7", "{\"missing\":\"x\"}", MB_BINARY, HBS_E_ARGS, "missing"},
    {"W7", "{\"missing\":true}", MB_BINARY, HBS_E_ARGS, "missing"},
    {"W7", "{\"missing\":[]}", MB_BINARY, HBS_E_ARGS, "missing"},
    {"W10", "{\"missing\":1e999}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W10", "{\"missing\":1,5}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W10", "{\"missing\":0x1}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W10", "{\"missing\":Infinity}", MB_BINARY, HBS_E_ARGS, NULL},
    /* on_missing, on_unseen */
    {"W7", "{\"on_missing\":\"null\"}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"on_missing\":\"error\"}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"on_missing\":\"missing\"}", MB_BINARY, HBS_E_ARGS, "on_missing"},
    {"W7", "{\"on_missing\":null}", MB_BINARY, HBS_E_ARGS, "on_missing"},
    {"W7", "{\"on_missing\":\"\"}", MB_BINARY, HBS_E_ARGS, "on_missing"},
    {"W7", "{\"on_missing\":\"NULL\"}", MB_BINARY, HBS_E_ARGS, "on_missing"},
    {"W9", "{\"on_missing\":\"null\\u0000\"}", MB_BINARY, HBS_E_ARGS, "on_missing"},
    {"W7", "{\"on_unseen\":\"error\"}", MB_CATEGORIES, HBS_OK, NULL},
    {"W7", "{\"on_unseen\":\"missing\"}", MB_CATEGORIES, HBS_OK, NULL},
    {"W7", "{\"on_unseen\":\"null\"}", MB_CATEGORIES, HBS_OK, NULL},
    {"W7", "{\"on_unseen\":\"ignore\"}", MB_CATEGORIES, HBS_E_ARGS, "on_unseen"},
    {"W7", "{\"on_unseen\":1}", MB_CATEGORIES, HBS_E_ARGS, "on_unseen"},
    {"W7", "{\"on_unseen\":[\"error\"]}", MB_CATEGORIES, HBS_E_ARGS, "on_unseen"},
    /* format, description */
    {"W7", "{\"format\":1}", MB_BINARY, HBS_E_ARGS, "format"},
    {"W7", "{\"format\":null}", MB_BINARY, HBS_E_ARGS, "format"},
    {"W9", "{\"format\":\"auto\\u0000\"}", MB_BINARY, HBS_E_ARGS, NULL},
    {"W7", "{\"description\":\"who pays late\"}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"description\":\"\"}", MB_BINARY, HBS_OK, NULL},
    {"W7", "{\"description\":7}", MB_BINARY, HBS_E_ARGS, "description"},
    {"W7", "{\"description\":{}}", MB_BINARY, HBS_E_ARGS, "description"},
};

static void check(const option *o)
{
    mb_bytes b = mb_edited(o->sample, NULL, MB_JSON);
    hbs_error error = {0};
    hbs_status status;

    ht_case(o->class_name, "options %s (%s)", o->text, mb_sample_name(o->sample));
    status = ht_try(b.data, b.size, o->text, &error);
    if (o->status == HT_ANY)
        ht_check(status == HBS_OK || status == HBS_E_ARGS, "got %s: %s", hbs_status_name(status), error.text);
    else
        ht_check((int)status == o->status, "wanted %s, got %s: %s", hbs_status_name((hbs_status)o->status),
                 hbs_status_name(status), status == HBS_OK ? "" : error.text);
    if (status != HBS_OK)
        ht_check(ht_has_words(error.text, o->words), "wanted %s, got: %s", o->words, error.text);
    free(b.data);
}

/* ------------------------------------------------------------------ hbs_options_read by itself */

static hbs_status read_alone(const char *text, size_t size, hbs_options_info *info, hbs_error *error, ht_host *host)
{
    char *copy = malloc(size ? size : 1);
    hbs_status status;

    if (!copy)
        exit(2);
    memcpy(copy, text, size);
    ht_host_init(host);
    memset(info, 0, sizeof(*info));
    status = hbs_options_read(&host->host, copy, size, info, error);
    free(copy); /* the answer must not point into the text */
    if (status != HBS_OK) {
        ht_check_error(error, status, size);
        ht_check(host->blocks == 0, "%zu bytes were never given back", host->held);
    }
    return status;
}

static void check_alone(const option *o)
{
    ht_host host;
    hbs_options_info info;
    hbs_error error = {0};
    hbs_status status;

    if (o->status == HT_ANY || (o->words && strpbrk(o->words, "0123456789")))
        return; /* about the model */
    ht_case(o->class_name, "options alone %s", o->text);
    status = read_alone(o->text, strlen(o->text), &info, &error, &host);
    ht_check((int)status == o->status || status == HBS_OK, "wanted %s, got %s: %s",
             hbs_status_name((hbs_status)o->status), hbs_status_name(status), error.text);
    if (status == HBS_OK) {
        hbs_options_free(&host.host, &info);
        ht_check(host.blocks == 0, "%zu bytes were never given back", host.held);
    }
}

static void expect_info(const char *text, const char *format, const char *description)
{
    ht_host host;
    hbs_options_info info;
    hbs_error error = {0};

    ht_case("W7", "what options say: %s", text);
    if (!ht_check(read_alone(text, strlen(text), &info, &error, &host) == HBS_OK, "%s", error.text))
        return;
    ht_check(info.format.size == strlen(format) && memcmp(info.format.bytes, format, info.format.size) == 0,
             "format \"%.*s\"", (int)info.format.size, info.format.bytes);
    if (description)
        ht_check(info.description.bytes && info.description.size == strlen(description) &&
                     memcmp(info.description.bytes, description, info.description.size) == 0,
                 "description \"%.*s\"", (int)info.description.size, info.description.bytes);
    else
        ht_check(!info.description.bytes, "a description");
    hbs_options_free(&host.host, &info);
    ht_check(host.blocks == 0, "%zu bytes were never given back", host.held);
}

static void test_sizes(void)
{
    enum { CAP = 256 * 1024 };
    static const struct {
        const char *name, *head, *piece, *tail;
        size_t size;
        int status;
    } CASES[] = {
        {"just 256 KiB", "{\"rounds\":1", " ", "}", CAP, HBS_OK},
        {"one byte above 256 KiB", "{\"rounds\":1", " ", "}", CAP + 1, HBS_E_LIMIT},
        {"ten megabytes", "{\"rounds\":1", " ", "}", 10000000, HBS_E_LIMIT},
        {"a description of 200 kB", "{\"description\":\"", "d", "\"}", 200000, HBS_OK},
        {"200 kB of brackets", "{\"classes\":", "[", "}", 200000, HBS_E_LIMIT},
        {"200 kB of objects", "{\"classes\":", "{\"a\":", "}", 200000, HBS_E_LIMIT},
        {"200 kB of empty objects", "{\"classes\":[{}", ",{}", "]}", 200000, HBS_E_ARGS},
        {"200 kB of zeros", "{\"classes\":[0", ",0", "]}", 200000, HBS_E_ARGS},
        {"200 kB of names", "{\"features\":[\"a\"", ",\"a\"", "]}", 200000, HT_ANY},
    };

    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        size_t head = strlen(CASES[i].head), piece = strlen(CASES[i].piece), tail = strlen(CASES[i].tail), n = head;
        char *text = malloc(CASES[i].size + 64);
        ht_host host;
        hbs_options_info info;
        hbs_error error = {0};
        hbs_status status;

        ht_case("W5", "options: %s", CASES[i].name);
        if (!text)
            exit(2);
        memcpy(text, CASES[i].head, head);
        for (; n + piece + tail <= CASES[i].size; n += piece)
            memcpy(text + n, CASES[i].piece, piece);
        memcpy(text + n, CASES[i].tail, tail);
        status = read_alone(text, n + tail, &info, &error, &host);
        ht_check(CASES[i].status == HT_ANY || (int)status == CASES[i].status, "got %s: %s", hbs_status_name(status),
                 error.text);
        if (status == HBS_OK)
            hbs_options_free(&host.host, &info);
        ht_check(host.peak <= 8 * (CASES[i].size + 65536), "took %zu bytes", host.peak);
        free(text);
    }
}

/* Every prefix of options that use everything. */
static void test_prefixes(void)
{
    static const char ALL[] =
        "{\"features\":[\"x\",\"y\",\"z\"],\"classes\":[\"no\",\"y\\u0065s\"],\"rounds\":1,\"missing\":-9.5e2,"
        "\"on_missing\":\"error\",\"on_unseen\":\"null\",\"format\":\"auto\",\"description\":\"d\"}";
    ht_host host;
    hbs_options_info info;
    hbs_error error = {0};

    for (size_t n = 1; n < sizeof(ALL) - 1; n++) {
        ht_case("W1", "the first %zu bytes of options", n);
        ht_check(read_alone(ALL, n, &info, &error, &host) == HBS_E_ARGS, "taken");
    }
    ht_case("W1", "all bytes of options");
    ht_check(read_alone(ALL, sizeof(ALL) - 1, &info, &error, &host) == HBS_OK, "%s", error.text);
    hbs_options_free(&host.host, &info);
    ht_check(host.blocks == 0, "%zu bytes were never given back", host.held);
}

/* Every byte changed to every other value: an error in words or options. */
static void test_changes(void)
{
    char text[] = "{\"classes\":[\"no\",1],\"rounds\":1,\"missing\":-9.5e2,\"on_unseen\":\"null\"}";

    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        char kept = text[i];

        ht_case("W7", "byte %zu of options changed", i);
        for (int c = 0; c < 256 && ht_ok(); c++) {
            ht_host host;
            hbs_options_info info;
            hbs_error error = {0};
            hbs_status status;

            text[i] = (char)c;
            status = read_alone(text, sizeof(text) - 1, &info, &error, &host);
            ht_check(status == HBS_OK || status == HBS_E_ARGS, "byte %d: %s", c, hbs_status_name(status));
            if (status == HBS_OK)
                hbs_options_free(&host.host, &info);
            ht_check(host.blocks == 0, "byte %d: a leak", c);
        }
        text[i] = kept;
    }
}

int main(void)
{
    for (size_t i = 0; i < HT_COUNT(OPTIONS); i++) {
        check(&OPTIONS[i]);
        check_alone(&OPTIONS[i]);
    }
    expect_info("{}", "auto", NULL);
    expect_info("", "auto", NULL);
    expect_info("{\"format\":\"xgboost-json\"}", "xgboost-json", NULL);
    expect_info("{\"description\":\"a \\u00e4\",\"rounds\":1}", "auto", "a \xc3\xa4");
    expect_info("{\"description\":\"\"}", "auto", "");
    test_sizes();
    test_prefixes();
    test_changes();
    return ht_report();
}
