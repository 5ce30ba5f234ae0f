/* test_values.c - values as SQL hands them in: wrong counts and types, missing, extreme and unseen ones,
 * JSON rows. Classes S1 to S5 and S7 of reliability.md, for the core. */
#include "hostile.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ a model to ask */

static uint32_t best_output(const ht_opened *o)
{
    return o->info.value_width ? HBS_OUT_VALUE : o->info.values_width ? HBS_OUT_VALUES : HBS_OUT_PROBABILITIES;
}

static hbs_value number(double x)
{
    hbs_value v = {.type = HBS_FLOAT64};

    v.as.f64 = x;
    return v;
}

static hbs_value integer(int64_t i)
{
    hbs_value v = {.type = HBS_INT64};

    v.as.i64 = i;
    return v;
}

static hbs_value text_of(const char *bytes, size_t size)
{
    hbs_value v = {.type = HBS_TEXT};

    v.as.text.bytes = bytes;
    v.as.text.size = size;
    return v;
}

static hbs_value text(const char *bytes)
{
    return text_of(bytes, strlen(bytes));
}

static const hbs_value NOTHING = {.type = HBS_NULL};

/* One row of three values; the same as a block of one: status, text and bits must agree. */
static hbs_status score3(ht_opened *o, const hbs_value *row, double *out, bool *valid, hbs_error *error)
{
    hbs_result result;
    hbs_status status = hbs_score_row(o->run, row, 3, best_output(o) | HBS_OUT_RAW, &result, error);

    if (status != HBS_OK) {
        ht_check_error(error, status, SIZE_MAX);
        ht_check(result.rows == 0, "a bad row, but rows = %zu", result.rows);
        return status;
    }
    ht_check(result.rows == 1, "rows = %zu", result.rows);
    *valid = !result.valid || (result.valid[0] & 1);
    if (*valid)
        *out = result.raw[0];
    return status;
}

static void column_of(const hbs_value *value, hbs_column *column, double *f64, int64_t *i64, float *f32,
                      uint8_t *boolean, hbs_text *words)
{
    column->type = value->type;
    column->valid = NULL;
    switch (value->type) {
    case HBS_FLOAT64:
        *f64 = value->as.f64;
        column->values = f64;
        break;
    case HBS_FLOAT32:
        *f32 = value->as.f32;
        column->values = f32;
        break;
    case HBS_INT64:
        *i64 = value->as.i64;
        column->values = i64;
        break;
    case HBS_BOOL:
        *boolean = value->as.boolean;
        column->values = boolean;
        break;
    case HBS_TEXT:
        *words = value->as.text;
        column->values = words;
        break;
    default:
        column->values = NULL;
        break;
    }
}

static void same_as_block(ht_opened *o, const hbs_value *row, hbs_status wanted, double want, bool want_valid)
{
    hbs_column columns[3];
    double f64[3];
    int64_t i64[3];
    float f32[3];
    uint8_t boolean[3];
    hbs_text words[3];
    hbs_result result;
    hbs_error error = {0};
    hbs_status status;

    for (int c = 0; c < 3; c++)
        column_of(&row[c], &columns[c], &f64[c], &i64[c], &f32[c], &boolean[c], &words[c]);
    status = hbs_score(o->run, columns, 3, 1, HBS_OUT_RAW, &result, &error);
    if (!ht_check(status == wanted, "a block of one row: %s, the row: %s: %s", hbs_status_name(status),
                  hbs_status_name(wanted), error.text))
        return;
    if (status != HBS_OK) {
        ht_check_error(&error, status, SIZE_MAX);
        ht_check(result.rows == 0, "a block of one bad row: rows = %zu", result.rows);
        return;
    }
    ht_check((!result.valid || (result.valid[0] & 1)) == want_valid, "a block: other validity");
    if (want_valid)
        ht_check(memcmp(&result.raw[0], &want, sizeof(want)) == 0, "a block gives %a, the row %a", result.raw[0], want);
}

/* Scores both ways; the raw score, or NaN where the row is NULL or bad. */
static hbs_status ask(ht_opened *o, const hbs_value *row, double *raw, hbs_error *error)
{
    bool valid = false;
    hbs_status status;

    *raw = (double)NAN;
    status = score3(o, row, raw, &valid, error);
    same_as_block(o, row, status, *raw, valid);
    return status;
}

static void expect_error(ht_opened *o, const hbs_value *row, hbs_status wanted, const char *words)
{
    hbs_error error = {0};
    double raw;
    hbs_status status = ask(o, row, &raw, &error);

    if (ht_check(status == wanted, "wanted %s, got %s: %s", hbs_status_name(wanted), hbs_status_name(status),
                 status == HBS_OK ? "" : error.text))
        ht_check(ht_has_words(error.text, words), "wanted the words %s, got: %s", words, error.text);
}

static void expect_same(ht_opened *o, const hbs_value *row, const hbs_value *other)
{
    hbs_error error = {0};
    double a, b;

    if (!ht_check(ask(o, row, &a, &error) == HBS_OK, "the first: %s", error.text) ||
        !ht_check(ask(o, other, &b, &error) == HBS_OK, "the second: %s", error.text))
        return;
    ht_check(memcmp(&a, &b, sizeof(a)) == 0, "%a and %a", a, b);
}

static void expect_null(ht_opened *o, const hbs_value *row)
{
    hbs_error error = {0};
    double raw;
    hbs_status status = ask(o, row, &raw, &error);

    ht_check(status == HBS_OK && isnan(raw), "not NULL: %s", hbs_status_name(status));
}

/* ------------------------------------------------------------------ S1 */

static void test_counts(void)
{
    static const size_t COUNTS[] = {0, 1, 2, 4, 127, 1000000};
    ht_opened o;

    for (size_t i = 0; i < HT_COUNT(COUNTS); i++) {
        hbs_value *row = calloc(COUNTS[i] + 1, sizeof(*row));
        hbs_column *columns = calloc(COUNTS[i] + 1, sizeof(*columns));
        hbs_result result;
        hbs_error error = {0};
        char want[32];

        ht_case("S1", "%zu values for 3 features", COUNTS[i]);
        snprintf(want, sizeof(want), "churn|3|a|b|c|%zu", COUNTS[i]);
        if (row && columns && ht_open(&o, MB_BINARY, NULL, NULL)) {
            ht_check(hbs_score_row(o.run, row, COUNTS[i], HBS_OUT_RAW, &result, &error) == HBS_E_ARGS,
                     "a row is taken");
            ht_check_error(&error, HBS_E_ARGS, 0);
            ht_check(ht_has_words(error.text, want), "wanted %s: %s", want, error.text);
            ht_check(hbs_score(o.run, columns, COUNTS[i], 1, HBS_OUT_RAW, &result, &error) == HBS_E_ARGS,
                     "a block is taken");
            ht_check(hbs_run_check_count(o.run, COUNTS[i], &error) == HBS_E_ARGS, "the check takes it");
            ht_check(ht_has_words(error.text, want), "wanted %s: %s", want, error.text);
        }
        ht_close(&o);
        free(row);
        free(columns);
    }
    ht_case("S1", "the right count");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        hbs_error error = {0};

        ht_check(hbs_run_check_count(o.run, 3, &error) == HBS_OK, "%s", error.text);
    }
    ht_close(&o);
}

/* A model of 2,000 features: the message cannot list them all. */
static void test_many_features(void)
{
    mb_model *m = mb_make(MB_REGRESSION);
    ht_host host;
    ht_load load = {.keep = true};
    hbs_run *run = NULL;
    hbs_error error = {0};
    mb_bytes b;

    ht_case("S1", "a wrong count for 2,000 named features");
    mb_edit(m, "P.num_feature = \"2000\"");
    for (int i = 0; i < 2000; i++) {
        char edit[64];

        snprintf(edit, sizeof(edit), "&L.feature_names = \"feature number %d\"", i);
        mb_edit(m, edit);
    }
    b = mb_write(m, MB_JSON);
    ht_host_init(&host);
    ht_load_bytes(&host, b.data, b.size, &load);
    if (ht_check(load.status == HBS_OK, "%s", load.error.text) &&
        hbs_run_create(load.plan, &host.host, NULL, 1, &run, &error) == HBS_OK) {
        ht_check(hbs_run_check_count(run, 5, &error) == HBS_E_ARGS, "taken");
        ht_check_error(&error, HBS_E_ARGS, 0);
        ht_check(ht_has_words(error.text, "2000|5"), "%s", error.text);
    }
    hbs_run_free(run);
    hbs_plan_free(load.plan);
    free(b.data);
    mb_free(m);
}

/* ------------------------------------------------------------------ S2 */

static void test_texts_as_numbers(void)
{
    static const char *const BAD[] = {
        "",      " ",       "abc",  "1,5",      "1.5.2",        "0x10", "1e999", "-1e999",
        "1_000", "1 2",     "true", "false",    "1f",           "--1",  "+-1",   "e5",
        ".",     "-",       "+",    "1e",       "nul",          "null", "NULL",  "nan(1)",
        "in",    "infinit", "1e5x", "\xd9\xa1", "\xef\xbc\x91",
    };
    static const struct {
        const char *text;
        double number;
    } GOOD[] = {
        {"1.5", 1.5},
        {" 1.5 ", 1.5},
        {"+1.5", 1.5},
        {"-0", -0.0},
        {"007", 7},
        {"1.", 1},
        {".5", 0.5},
        {"1e3", 1000},
        {"1E-2", 0.01},
        {"\t2\n", 2},
        {"1e-400", 0},
        {"16777217", 16777217},
        {"0.1", 0.1},
        {"9223372036854775807", 9223372036854775807.0},
        {"123456789012345678901234567890", 1.2345678901234568e29},
    };
    ht_opened o;

    for (size_t i = 0; i < HT_COUNT(BAD); i++) {
        hbs_value row[3] = {number(1), text(BAD[i]), number(2)};

        ht_case("S2", "the text \"%s\" for a number", BAD[i]);
        if (ht_open(&o, MB_BINARY, NULL, NULL))
            expect_error(&o, row, HBS_E_TYPE, "churn|\"b\"|number");
        ht_close(&o);
    }
    for (size_t i = 0; i < HT_COUNT(GOOD); i++) {
        hbs_value row[3] = {number(1), text(GOOD[i].text), number(2)};
        hbs_value other[3] = {number(1), number(GOOD[i].number), number(2)};

        ht_case("S2", "the text \"%s\" as a number", GOOD[i].text);
        if (ht_open(&o, MB_LINEAR, NULL, NULL))
            expect_same(&o, row, other);
        ht_close(&o);
    }
}

static void test_odd_texts(void)
{
    static const struct {
        const char *name, *bytes, *words;
        size_t size;
    } TEXTS[] = {
        {"bad UTF-8", "\xff\xfe", "\"b\"|\\xff", 2},        {"an embedded NUL", "1\0002", "\"b\"", 3},
        {"control bytes", "\x1b[31m", "\"b\"", 5},          {"a quote", "a\"b", "\"b\"", 3},
        {"cut inside a character", "\xe2\x82", "\"b\"", 2}, {"no bytes, no pointer", NULL, "\"b\"", 0},
    };
    ht_opened o;
    char *large = malloc(10000000);

    for (size_t i = 0; i < HT_COUNT(TEXTS); i++) {
        hbs_value row[3] = {number(1), text_of(TEXTS[i].bytes, TEXTS[i].size), number(2)};

        ht_case("S2", "a text for a number: %s", TEXTS[i].name);
        if (ht_open(&o, MB_BINARY, NULL, NULL))
            expect_error(&o, row, HBS_E_TYPE, TEXTS[i].words);
        ht_close(&o);
    }
    for (int digits = 0; digits < 2 && large; digits++) {
        hbs_value row[3] = {number(1), text_of(large, 10000000), number(2)};
        hbs_error error = {0};
        double raw;
        hbs_status status;

        memset(large, digits ? '9' : 'a', 10000000);
        ht_case("S2", "ten megabytes of %s for a number", digits ? "digits" : "letters");
        if (ht_open(&o, MB_BINARY, NULL, NULL)) {
            status = ask(&o, row, &raw, &error);
            ht_check(status == HBS_E_TYPE, "got %s", hbs_status_name(status));
        }
        ht_close(&o);
    }
    free(large);
}

static void test_types(void)
{
    ht_opened o;

    ht_case("S2", "a number for a text category");
    if (ht_open(&o, MB_CATEGORIES, NULL, NULL)) {
        hbs_value row[3] = {number(1), number(1), number(10)};

        expect_error(&o, row, HBS_E_TYPE, "churn|\"plan\"|text");
    }
    ht_close(&o);
    ht_case("S2", "a boolean for a text category");
    if (ht_open(&o, MB_CATEGORIES, NULL, NULL)) {
        hbs_value row[3] = {{.type = HBS_BOOL, .as.boolean = true}, number(1), number(10)};

        expect_error(&o, row, HBS_E_TYPE, "churn|\"plan\"|text");
    }
    ht_close(&o);
    ht_case("S2", "integers, booleans and float32 for a number");
    if (ht_open(&o, MB_LINEAR, NULL, NULL)) {
        hbs_value row[3] = {{.type = HBS_BOOL, .as.boolean = true}, integer(-3), {.type = HBS_FLOAT32, .as.f32 = 0.1f}};
        hbs_value other[3] = {number(1), number(-3), number((double)0.1f)};

        expect_same(&o, row, other);
    }
    ht_close(&o);
    ht_case("S2", "a number as text for a numeric category");
    if (ht_open(&o, MB_CATEGORIES, NULL, NULL)) {
        hbs_value row[3] = {text("gold"), number(1), text("20")};
        hbs_value other[3] = {text("gold"), number(1), integer(20)};

        expect_same(&o, row, other);
    }
    ht_close(&o);
    ht_case("S2", "a value of no known type");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        hbs_value row[3] = {number(1), {.type = (hbs_type)77}, number(2)};
        hbs_result result;
        hbs_error error = {0};
        hbs_status status = hbs_score_row(o.run, row, 3, HBS_OUT_RAW, &result, &error);

        ht_check(status == HBS_E_TYPE || status == HBS_E_ARGS, "got %s", hbs_status_name(status));
    }
    ht_close(&o);
    ht_case("S2", "a column of no known type");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        hbs_column columns[3] = {{.type = (hbs_type)77}, {.type = HBS_NULL}, {.type = HBS_NULL}};
        hbs_result result;
        hbs_error error = {0};
        hbs_status status = hbs_score(o.run, columns, 3, 1, HBS_OUT_RAW, &result, &error);

        ht_check(status == HBS_E_TYPE || status == HBS_E_ARGS, "got %s", hbs_status_name(status));
    }
    ht_close(&o);
}

/* Too many rows, no rows, no outputs, outputs that the model has not. */
static void test_calls(void)
{
    hbs_column columns[3] = {{.type = HBS_NULL}, {.type = HBS_NULL}, {.type = HBS_NULL}};
    hbs_value row[3] = {NOTHING, NOTHING, NOTHING};
    hbs_result result;
    hbs_error error = {0};
    hbs_run *run = NULL;
    ht_opened o;

    ht_case("S1", "more rows than the run was made for");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        ht_check(hbs_score(o.run, columns, 3, 257, HBS_OUT_RAW, &result, &error) == HBS_E_ARGS, "taken");
        ht_check(hbs_score(o.run, columns, 3, SIZE_MAX, HBS_OUT_RAW, &result, &error) == HBS_E_ARGS, "taken");
        ht_check(hbs_score(o.run, columns, 3, 256, HBS_OUT_RAW, &result, &error) == HBS_OK, "%s", error.text);
    }
    ht_close(&o);
    ht_case("S1", "no rows");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        hbs_status status = hbs_score(o.run, columns, 3, 0, HBS_OUT_RAW, &result, &error);

        ht_check(status == HBS_OK && result.rows == 0, "got %s", hbs_status_name(status));
    }
    ht_close(&o);
    ht_case("S1", "outputs that the model has not, and none at all");
    if (ht_open(&o, MB_REGRESSION, NULL, NULL)) {
        uint32_t outputs;

        ht_check(hbs_score_row(o.run, row, 3, HBS_OUT_PROBABILITIES, &result, &error) != HBS_OK ||
                     result.probabilities == NULL,
                 "probabilities of a regressor");
        ht_check(hbs_score_row(o.run, row, 3, 0xffffffffu, &result, &error) != HBS_OK || result.probabilities == NULL,
                 "all outputs");
        (void)hbs_score_row(o.run, row, 3, 0, &result, &error);
        ht_check(hbs_run_outputs(o.run, HBS_PREDICT_PROBA, &outputs, &error) == HBS_E_TYPE ||
                     error.status == HBS_E_ARGS,
                 "predict_proba of a regressor is taken");
        ht_check_error(&error, error.status, SIZE_MAX);
        ht_check(hbs_run_outputs(o.run, (hbs_function)77, &outputs, &error) != HBS_OK, "an unknown function is taken");
    }
    ht_close(&o);
    ht_case("S1", "runs of no rows and of too many");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        ht_check(hbs_run_create(o.plan, &o.host.host, NULL, 0, &run, &error) == HBS_E_ARGS, "0");
        ht_check(hbs_run_create(o.plan, &o.host.host, NULL, SIZE_MAX, &run, &error) != HBS_OK, "SIZE_MAX");
        ht_check_error(&error, error.status, SIZE_MAX);
        ht_check(hbs_run_create(o.plan, &o.host.host, NULL, SIZE_MAX / 8 + 1, &run, &error) != HBS_OK,
                 "SIZE_MAX / 8 + 1");
    }
    ht_close(&o);
}

/* ------------------------------------------------------------------ S3 */

static void test_missing(void)
{
    static const mb_sample ALL[] = {MB_REGRESSION, MB_BINARY, MB_MULTI, MB_CODES, MB_VECTOR, MB_DART, MB_LINEAR};
    static const char *const OPTIONS[] = {NULL, "{\"on_missing\":\"error\"}", "{\"on_missing\":\"null\"}"};
    ht_opened o;

    for (size_t i = 0; i < HT_COUNT(ALL); i++)
        for (size_t k = 0; k < HT_COUNT(OPTIONS); k++) {
            hbs_value row[3] = {NOTHING, number((double)NAN), number(2)};
            hbs_value other[3] = {number((double)NAN), NOTHING, number(2)};

            ht_case("S3", "%s, %s: NULL and NaN are the same", mb_sample_name(ALL[i]), OPTIONS[k] ? OPTIONS[k] : "");
            if (ht_open(&o, ALL[i], NULL, OPTIONS[k]))
                expect_same(&o, row, other);
            ht_close(&o);
        }
    ht_case("S3", "a missing category");
    if (ht_open(&o, MB_CATEGORIES, NULL, NULL)) {
        hbs_value row[3] = {NOTHING, number(1), NOTHING};
        hbs_value other[3] = {NOTHING, number(1), number((double)NAN)};

        expect_same(&o, row, other);
    }
    ht_close(&o);
    ht_case("S3", "the option missing: that value is NULL");
    if (ht_open(&o, MB_REGRESSION, NULL, "{\"missing\": -999}")) {
        hbs_value row[3] = {number(-999), integer(-999), text("-999")};
        hbs_value other[3] = {NOTHING, NOTHING, NOTHING};

        expect_same(&o, row, other);
    }
    ht_close(&o);
    ht_case("S3", "the option missing: a value that rounds to it is NULL");
    if (ht_open(&o, MB_REGRESSION, NULL, "{\"missing\": 0.1}")) {
        hbs_value row[3] = {number(0.1), number((double)0.1f), number(1)};
        hbs_value other[3] = {NOTHING, NOTHING, number(1)};

        expect_same(&o, row, other);
    }
    ht_close(&o);
    ht_case("S3", "a class that is missing");
    if (ht_open(&o, MB_BINARY, NULL, NULL)) {
        hbs_error error = {0};
        size_t index;

        ht_check(hbs_run_class(o.run, &NOTHING, &index, &error) == HBS_E_ARGS, "taken");
        ht_check_error(&error, HBS_E_ARGS, 0);
    }
    ht_close(&o);
}

/* ------------------------------------------------------------------ S4 */

static void test_extremes(void)
{
    static const double INFINITE = (double)INFINITY;
    static const double DENORMAL = 4.9406564584124654e-324;
    static const double EXTREMES[] = {
        INFINITE, -INFINITE, 1.7976931348623157e308, -1.7976931348623157e308, DENORMAL, -DENORMAL,
        1e-40,    -0.0,      3.4028235677973366e38,  9007199254740993.0};
    static const int64_t INTEGERS[] = {
        INT64_MIN, INT64_MAX, INT64_MIN + 1, 9007199254740993, -9007199254740993, 18014399583223809, 16777217, 0, -1};
    ht_opened o;

    for (int s = 0; s < MB_SAMPLES; s++) {
        if (s == MB_CATEGORIES)
            continue;
        for (size_t i = 0; i < HT_COUNT(EXTREMES); i++) {
            hbs_value row[3] = {number(EXTREMES[i]), number(EXTREMES[i]), number(EXTREMES[i])};
            hbs_value other[3];

            for (int c = 0; c < 3; c++) {
                other[c].type = HBS_FLOAT32;
                other[c].as.f32 = (float)EXTREMES[i];
            }
            ht_case("S4", "%s: %g, also as float32", mb_sample_name((mb_sample)s), EXTREMES[i]);
            if (ht_open(&o, (mb_sample)s, NULL, NULL))
                expect_same(&o, row, other);
            ht_close(&o);
        }
        for (size_t i = 0; i < HT_COUNT(INTEGERS); i++) {
            hbs_value row[3] = {integer(INTEGERS[i]), integer(INTEGERS[i]), integer(INTEGERS[i])};
            hbs_value other[3];

            for (int c = 0; c < 3; c++) {
                other[c].type = HBS_FLOAT32;
                other[c].as.f32 = (float)INTEGERS[i]; /* rounded once */
            }
            ht_case("S4", "%s: the integer %lld", mb_sample_name((mb_sample)s), (long long)INTEGERS[i]);
            if (ht_open(&o, (mb_sample)s, NULL, NULL))
                expect_same(&o, row, other);
            ht_close(&o);
        }
    }
}

/* Codes: truncated towards zero; outside of the set, or no code at all: left. */
static void test_codes(void)
{
    /* f0{0,2,33}!(f1<0.5(1,2),-3) and f1<1(f0{4}(0.5,0.25),8), base 0.5; f1 = 0. */
    static const struct {
        double code, want;
    } CASES[] = {
        {0, 0.5 - 3 + 0.5},     {2, 0.5 - 3 + 0.5},     {33, 0.5 - 3 + 0.5},           {1, 0.5 + 1 + 0.5},
        {4, 0.5 + 1 + 0.25},    {2.9, 0.5 - 3 + 0.5},   {-0.0, 0.5 - 3 + 0.5},         {-0.5, 0.5 + 1 + 0.5},
        {-1, 0.5 + 1 + 0.5},    {32, 0.5 + 1 + 0.5},    {34, 0.5 + 1 + 0.5},           {64, 0.5 + 1 + 0.5},
        {65, 0.5 + 1 + 0.5},    {1e9, 0.5 + 1 + 0.5},   {4294967296.0, 0.5 + 1 + 0.5}, {1e30, 0.5 + 1 + 0.5},
        {-1e30, 0.5 + 1 + 0.5}, {1e300, 0.5 + 1 + 0.5}, {16777216, 0.5 + 1 + 0.5},     {16777215, 0.5 + 1 + 0.5},
    };
    ht_opened o;

    for (size_t i = 0; i < HT_COUNT(CASES); i++) {
        hbs_value row[3] = {number(CASES[i].code), number(0), number(0)};
        hbs_error error = {0};
        double raw;

        ht_case("S5", "the code %g", CASES[i].code);
        if (ht_open(&o, MB_CODES, NULL, NULL) && ht_check(ask(&o, row, &raw, &error) == HBS_OK, "%s", error.text))
            ht_check(raw == CASES[i].want, "gives %g, not %g", raw, CASES[i].want);
        ht_close(&o);
    }
}

/* ------------------------------------------------------------------ S5 */

static void test_unseen_text(const char *name, const char *bytes, size_t size, const char *words)
{
    static const char *const OPTIONS[] = {NULL, "{\"on_unseen\":\"error\"}", "{\"on_unseen\":\"missing\"}",
                                          "{\"on_unseen\":\"null\"}"};
    hbs_value row[3] = {text_of(bytes, size), number(1), number(10)};
    hbs_value missing[3] = {NOTHING, number(1), number(10)};
    ht_opened o;

    for (size_t k = 0; k < HT_COUNT(OPTIONS); k++) {
        ht_case("S5", "an unseen text, %s, %s", name, OPTIONS[k] ? OPTIONS[k] : "default");
        if (ht_open(&o, MB_CATEGORIES, NULL, OPTIONS[k])) {
            if (k < 2)
                expect_error(&o, row, HBS_E_ARGS, words);
            else if (k == 2)
                expect_same(&o, row, missing);
            else
                expect_null(&o, row);
        }
        ht_close(&o);
    }
}

static void test_unseen_number(hbs_value zone, const char *name)
{
    hbs_value row[3] = {text("gold"), number(1), zone};
    hbs_value missing[3] = {text("gold"), number(1), NOTHING};
    ht_opened o;

    ht_case("S5", "an unseen number: %s", name);
    if (ht_open(&o, MB_CATEGORIES, NULL, NULL))
        expect_error(&o, row, HBS_E_ARGS, "churn|\"zone\"");
    ht_close(&o);
    ht_case("S5", "an unseen number as missing: %s", name);
    if (ht_open(&o, MB_CATEGORIES, NULL, "{\"on_unseen\":\"missing\"}"))
        expect_same(&o, row, missing);
    ht_close(&o);
}

static void test_unseen(void)
{
    char *large = malloc(1 << 20);
    ht_opened o;

    test_unseen_text("between the others", "green", 5, "churn|\"plan\"|green");
    test_unseen_text("before the others", "a", 1, "\"plan\"|\"a\"");
    test_unseen_text("behind the others", "zzz", 3, "\"plan\"|zzz");
    test_unseen_text("empty", "", 0, "\"plan\"|\"\"");
    test_unseen_text("empty without a pointer", NULL, 0, "\"plan\"|\"\"");
    test_unseen_text("in capitals", "Gold", 4, "Gold");
    test_unseen_text("with a blank", "gold ", 5, "gold ");
    test_unseen_text("a part of one", "gol", 3, "gol");
    test_unseen_text("with a NUL", "gold\0", 5, "gold\\x00");
    test_unseen_text("bad UTF-8", "\xff", 1, "\\xff");
    test_unseen_text("with control bytes", "\x1b[m", 3, "\\x1b");
    if (large) {
        memset(large, 'q', 1 << 20);
        test_unseen_text("a megabyte", large, 1 << 20, "qqqqqqqq|..");
    }
    free(large);
    test_unseen_number(integer(11), "11");
    test_unseen_number(integer(-10), "-10");
    test_unseen_number(integer(INT64_MIN), "INT64_MIN");
    test_unseen_number(integer(4294967306), "2^32 + 10");
    test_unseen_number(number(10.5), "10.5");
    test_unseen_number(number(1e300), "1e300");
    test_unseen_number(number((double)INFINITY), "infinity");
    test_unseen_number(number(-(double)INFINITY), "-infinity");
    test_unseen_number(number(1.8446744073709552e19), "2^64");
    test_unseen_number(text("30.000001"), "the text 30.000001");
    ht_case("S5", "a number as boolean or double is the category");
    if (ht_open(&o, MB_CATEGORIES, "M.cats.enc[2].values = [1,20,30]", NULL)) {
        hbs_value row[3] = {text("gold"), number(1), {.type = HBS_BOOL, .as.boolean = true}};
        hbs_value other[3] = {text("gold"), number(1), number(1.0)};

        expect_same(&o, row, other);
    }
    ht_close(&o);
}

/* In a block the rows before the unseen one are scored, wherever it stands. */
static void test_unseen_in_blocks(void)
{
    static const size_t PLACES[] = {0, 1, 5, 63, 64, 65, 127, 128, 200, 255};
    ht_opened o;

    for (size_t i = 0; i < HT_COUNT(PLACES); i++) {
        double fee[256], zone[256];
        hbs_text plan[256];
        hbs_column columns[3] = {{HBS_TEXT, plan, NULL}, {HBS_FLOAT64, fee, NULL}, {HBS_FLOAT64, zone, NULL}};
        hbs_result result;
        hbs_error error = {0};
        hbs_status status;

        for (size_t r = 0; r < 256; r++) {
            plan[r] = (hbs_text){"gold", 4};
            fee[r] = (double)r;
            zone[r] = 10 + 10 * (double)(r % 3);
        }
        plan[PLACES[i]] = (hbs_text){"tin", 3};
        if (PLACES[i] + 7 < 256)
            zone[PLACES[i] + 7] = 11; /* a second bad row, in another column */
        ht_case("S5", "an unseen text in row %zu of 256", PLACES[i]);
        if (ht_open(&o, MB_CATEGORIES, NULL, NULL)) {
            status = hbs_score(o.run, columns, 3, 256, HBS_OUT_RAW | HBS_OUT_LABEL, &result, &error);
            ht_check(status == HBS_E_ARGS, "got %s", hbs_status_name(status));
            ht_check(result.rows == PLACES[i], "%zu rows", result.rows);
            ht_check(ht_has_words(error.text, "\"plan\"|tin"), "%s", error.text);
            for (size_t r = 0; r < result.rows && ht_ok(); r++) {
                hbs_value row[3] = {text("gold"), number(fee[r]), number(zone[r])};
                double got = result.raw[r], raw;
                bool valid;
                hbs_run *other = NULL;

                if (hbs_run_create(o.plan, &o.host.host, "churn", 1, &other, &error) == HBS_OK) {
                    ht_opened one = o;

                    one.run = other;
                    if (score3(&one, row, &raw, &valid, &error) == HBS_OK)
                        ht_check(raw == got, "row %zu: %g, by itself %g", r, got, raw);
                }
                hbs_run_free(other);
            }
        }
        ht_close(&o);
    }
}

/* Names as hostile as they may be, in the message about a wrong count. */
static void test_odd_names(void)
{
    static const size_t LENGTHS[] = {1, 12, 23, 24, 25, 26, 64, 65, 300};

    for (size_t a = 0; a < HT_COUNT(LENGTHS); a++)
        for (size_t b = 0; b < HT_COUNT(LENGTHS); b++) {
            mb_model *m = mb_make(MB_REGRESSION);
            ht_host host;
            ht_load load = {.keep = true};
            hbs_run *run = NULL;
            hbs_error error = {0};
            mb_bytes bytes;

            ht_case("S1", "a wrong count for odd names of %zu and %zu bytes", LENGTHS[a], LENGTHS[b]);
            for (int i = 0; i < 3; i++) {
                char edit[512], *to = edit + sprintf(edit, "&L.feature_names = \"");
                size_t length = i == 1 ? LENGTHS[b] : LENGTHS[a];

                memset(to, i == 1 ? 'x' : 1, length);
                to[0] = (char)(2 + i); /* all different */
                strcpy(to + length, "\"");
                mb_edit(m, edit);
            }
            bytes = mb_write(m, MB_UBJSON);
            ht_host_init(&host);
            ht_load_bytes(&host, bytes.data, bytes.size, &load);
            if (ht_check(load.status == HBS_OK, "%s", load.error.text) &&
                hbs_run_create(load.plan, &host.host, NULL, 1, &run, &error) == HBS_OK) {
                ht_check(hbs_run_check_count(run, 7, &error) == HBS_E_ARGS, "taken");
                ht_check_error(&error, HBS_E_ARGS, 0);
            }
            hbs_run_free(run);
            hbs_plan_free(load.plan);
            free(bytes.data);
            mb_free(m);
        }
}

/* The host's rounding mode changes nothing: not a score, not a number read from text, not a class. */
static void test_rounding(void)
{
    static const int MODES[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const char OPTIONS[] = "{\"classes\":[0.1,0.3],\"missing\":0.3}";
    hbs_value row[3] = {text("0.3"), text("1.1"), number(0.3)}, label = text("0.3");
    hbs_error error = {0};
    double want, got;
    size_t index = 9;
    ht_opened o;

    for (size_t i = 0; i < HT_COUNT(MODES); i++) {
        ht_case("R8", "rounding mode %d", MODES[i]);
        if (ht_open(&o, MB_BINARY, NULL, OPTIONS)) {
            ht_check(ask(&o, row, &want, &error) == HBS_OK, "%s", error.text);
            fesetround(MODES[i]);
            ht_check(ask(&o, row, &got, &error) == HBS_OK, "%s", error.text);
            ht_check(hbs_run_class(o.run, &label, &index, &error) == HBS_OK && index == 1, "class 0.3 is not found");
            ht_check(fegetround() == MODES[i], "the mode is another one after it");
            fesetround(FE_TONEAREST);
            ht_check(memcmp(&got, &want, sizeof(got)) == 0, "%a, not %a", got, want);
        }
        ht_close(&o);
    }
}

int main(void)
{
    test_rounding();
    test_odd_names();
    test_counts();
    test_many_features();
    test_calls();
    test_texts_as_numbers();
    test_odd_texts();
    test_types();
    test_missing();
    test_extremes();
    test_codes();
    test_unseen();
    test_unseen_in_blocks();
    return ht_report();
}
