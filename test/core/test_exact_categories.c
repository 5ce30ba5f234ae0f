/* test_exact_categories.c - numbers that are categories: one that no double holds is not its neighbour, in whatever
 * type and form it comes. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "own_writer.h"
#include "plan/run.h"

#define EXACT  9007199254740992 /* 2^53 */
#define BEYOND 9007199254740993

static hbs_value integer(int64_t number)
{
    return (hbs_value){.type = HBS_INT64, .as.i64 = number};
}

static hbs_value real(double number)
{
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = number};
}

static hbs_value written(hbs_type type, const char *digits)
{
    return (hbs_value){.type = type, .as.text = {digits, strlen(digits)}};
}

/* ------------------------------------------------------------------ digits */

static void reads(const char *digits, hbs_value expected)
{
    hbs_value number;
    bool exact = false;

    assert_true(hb_text_exact_number((hbs_text){digits, strlen(digits)}, &number, &exact));
    assert_true(exact);
    assert_int_equal(number.type, expected.type);
    assert_memory_equal(&number.as, &expected.as, sizeof(int64_t));
}

static void is_inexact(const char *digits)
{
    hbs_value number;
    bool exact = true;

    assert_true(hb_text_exact_number((hbs_text){digits, strlen(digits)}, &number, &exact));
    assert_false(exact);
}

static void whole_numbers_are_read_as_such_however_they_are_written(void **state)
{
    hbs_value number;
    bool exact;

    (void)state;
    reads("9007199254740993", integer(BEYOND));
    reads("9007199254740993.0", integer(BEYOND));
    reads(" +9007199254740993.000000000000000000000 ", integer(BEYOND));
    reads("9.007199254740993e15", integer(BEYOND));
    reads("-90071992547409930E-1", integer(-BEYOND));
    reads("0.000009007199254740993e21", integer(BEYOND));
    reads("9223372036854775807.0", integer(INT64_MAX));
    reads("-9.223372036854775808e18", integer(INT64_MIN));
    reads("9223372036854775808", real(0x1p63)); /* beyond int64 */
    reads("1e300", real(1e300));
    reads("-1e19", real(-1e19));
    reads("1.152921504606847e+18", real(0x1p60)); /* as doubles are written */
    reads("-9.223372036854776E18", real(-0x1p63));
    reads("1152921504606847000.0", integer(1152921504606847000));
    reads("1152921504606847000", integer(1152921504606847000));
    reads("inf", real(INFINITY));
    reads("7.0", real(7)); /* a double is a whole number */
    reads("0.1", real(0.1));
    reads("4503599627370495.5", real(4503599627370495.5));
    is_inexact("4503599627370496.3"); /* 2^52 has no fractions */
    is_inexact("9007199254740992.5");
    is_inexact("9007199254740992.00000000000000000000000001");
    is_inexact("-9223372036854775808.5");
    assert_false(hb_text_exact_number((hbs_text){"1e999", 5}, &number, &exact));
    assert_false(hb_text_exact_number((hbs_text){"x", 1}, &number, &exact));
}

/* ------------------------------------------------------------------ categories of a model */

enum { FEATURES = 2, REALS = 0, WHOLES = 1, ROWS = 70, UNSEEN = -1 };

typedef struct fixture {
    test_host host;
    hbs_plan *plan;
    hbs_run *run;
} fixture;

/* Feature 0 has categories that are doubles, feature 1 whole numbers; what is unseen is missing. */
static void begin(fixture *f)
{
    static const double reals[] = {0.5, (double)EXACT, 1e300, -0x1p63};
    static const int64_t wholes[] = {7, EXACT, BEYOND, INT64_MAX, INT64_MIN};
    static const hb_categories categories[FEATURES] = {{.type = HBS_FLOAT64, .count = 4, .reals = reals},
                                                       {.type = HBS_INT64, .count = 5, .numbers = wholes}};
    test_pipeline p;

    test_host_init(&f->host);
    test_pipeline_begin(&p, &f->host.host, FEATURES);
    p.pipeline.categories = categories;
    p.pipeline.on_unseen = HB_UNSEEN_MISSING;
    test_pipeline_names(&p, "real,whole");
    p.pipeline.value = p.pipeline.raw = test_pipeline_linear(&p, 1, 1, NULL, NULL);
    f->plan = test_pipeline_compile(&p, 0);
    test_pipeline_end(&p);
    f->run = test_run(&f->host.host, f->plan, ROWS);
}

static void end(fixture *f)
{
    hbs_run_free(f->run);
    hbs_plan_free(f->plan);
    test_host_end(&f->host);
}

/* The code that feature `at` of the last row has got; the run's tile has `stride` rows, of which that is `row`. */
static int code(const fixture *f, size_t at, size_t stride, size_t row)
{
    const float *tile = (const float *)(const void *)(f->run->scratch + f->run->plan->input.at * stride);
    float cell = tile[at * stride + row];

    return isnan(cell) ? UNSEEN : (int)cell;
}

/* What a value becomes: as a row, and in the middle of a block of its own and of mixed types. */
static void becomes(fixture *f, size_t at, hbs_value value, int expected)
{
    hbs_value row[FEATURES] = {{.type = HBS_NULL}, {.type = HBS_NULL}}, mixed[ROWS];
    hbs_column columns[FEATURES] = {{HBS_NULL, NULL, NULL}, {HBS_NULL, NULL, NULL}};
    int64_t wholes[ROWS];
    hbs_result result;
    hbs_error error;

    row[at] = value;
    assert_status(hbs_score_row(f->run, row, FEATURES, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    assert_int_equal(code(f, at, 1, 0), expected);
    for (size_t i = 0; i < ROWS; i++) {
        mixed[i] = value;
        wholes[i] = value.as.i64;
    }
    columns[at] = (hbs_column){HBS_MIXED, mixed, NULL};
    assert_status(hbs_score(f->run, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    assert_int_equal(code(f, at, f->run->stride, 5), expected);
    if (value.type != HBS_INT64)
        return;
    columns[at] = (hbs_column){HBS_INT64, wholes, NULL};
    assert_status(hbs_score(f->run, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    assert_int_equal(code(f, at, f->run->stride, 5), expected);
}

/* The same of a JSON row. */
static void json_becomes(fixture *f, size_t at, const char *number, int expected)
{
    char json[80];
    hbs_result result;
    hbs_error error;

    snprintf(json, sizeof json, at == 0 ? "[%s,null]" : "[null,%s]", number);
    assert_status(hbs_score_json(f->run, json, strlen(json), HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    assert_int_equal(code(f, at, 1, 0), expected);
}

static void whole_categories_are_found_exactly(void **state)
{
    fixture f;

    begin(&f);
    becomes(&f, WHOLES, integer(EXACT), 1);
    becomes(&f, WHOLES, integer(BEYOND), 2);
    becomes(&f, WHOLES, integer(BEYOND + 1), UNSEEN);
    becomes(&f, WHOLES, integer(INT64_MAX), 3);
    becomes(&f, WHOLES, integer(INT64_MIN), 4);
    becomes(&f, WHOLES, real(EXACT), 1); /* exactly that one */
    becomes(&f, WHOLES, real(0x1p63), UNSEEN);
    for (hbs_type type = HBS_TEXT; type <= HBS_DECIMAL; type += HBS_DECIMAL - HBS_TEXT) {
        becomes(&f, WHOLES, written(type, "9007199254740992.00"), 1);
        becomes(&f, WHOLES, written(type, "9007199254740993"), 2);
        becomes(&f, WHOLES, written(type, "9007199254740993.00"), 2);
        becomes(&f, WHOLES, written(type, "9007199254740992.5"), UNSEEN);
        becomes(&f, WHOLES, written(type, "9223372036854775807.0"), 3);
        becomes(&f, WHOLES, written(type, "9223372036854775808"), UNSEEN);
        becomes(&f, WHOLES, written(type, "7.0"), 0);
    }
    json_becomes(&f, WHOLES, "9007199254740993", 2);
    json_becomes(&f, WHOLES, "9007199254740993.0", 2);
    json_becomes(&f, WHOLES, "9.007199254740993e15", 2);
    json_becomes(&f, WHOLES, "9007199254740992.5", UNSEEN);
    json_becomes(&f, WHOLES, "9223372036854775808", UNSEEN);
    json_becomes(&f, WHOLES, "7.0", 0);
    end(&f);
}

static void real_categories_are_no_whole_numbers_beside_them(void **state)
{
    fixture f;

    begin(&f);
    becomes(&f, REALS, integer(EXACT), 1);
    becomes(&f, REALS, integer(BEYOND), UNSEEN);
    becomes(&f, REALS, integer(EXACT - 1), UNSEEN);
    becomes(&f, REALS, integer(INT64_MIN), 3);
    becomes(&f, REALS, integer(INT64_MIN + 1), UNSEEN);
    becomes(&f, REALS, real(0.5), 0);
    becomes(&f, REALS, real(1e300), 2);
    for (hbs_type type = HBS_TEXT; type <= HBS_DECIMAL; type += HBS_DECIMAL - HBS_TEXT) {
        becomes(&f, REALS, written(type, "9007199254740992"), 1);
        becomes(&f, REALS, written(type, "9007199254740993"), UNSEEN);
        becomes(&f, REALS, written(type, "9007199254740993.0"), UNSEEN);
        becomes(&f, REALS, written(type, "9007199254740992.5"), UNSEEN);
        becomes(&f, REALS, written(type, "1e300"), 2);
        becomes(&f, REALS, written(type, "0.5"), 0);
    }
    json_becomes(&f, REALS, "9007199254740992.0", 1);
    json_becomes(&f, REALS, "9007199254740993.0", UNSEEN);
    json_becomes(&f, REALS, "1e300", 2);
    assert_true(hbs_plan_looks_up(f.plan, REALS));
    assert_true(hbs_plan_looks_up(f.plan, WHOLES));
    end(&f);
}

/* ------------------------------------------------------------------ encoders */

enum { MODEL_FEATURES = 3 };

/* hbscore's own format: feature 0 is encoded, 1 is computed with and then encoded, 2 is a number; out comes their sum.
 */
static hbs_plan *encoder_plan(const hbs_host *host, double category)
{
    return test_compile(
        host,
        own_regressor(MODEL_FEATURES,
                      own_text("{\"op\":\"select\",\"in\":[0],\"cols\":[0]},"
                               "{\"op\":\"ordinal\",\"in\":[1],\"columns\":[{\"values\":%s,\"missing\":0,"
                               "\"map\":%s,\"unknown\":%s}]},"
                               "{\"op\":\"select\",\"in\":[0],\"cols\":[1,2]},"
                               "{\"op\":\"concat\",\"in\":[2,3]}",
                               F8(7, category), F8(1, 2), "{\"dtype\":\"f8\",\"shape\":[],\"data\":\"AAAAAAAA8L8=\"}")),
        NULL);
}

typedef struct encoder {
    test_host host;
    hbs_plan *plan;
    hbs_run *run;
} encoder;

static void encoder_begin(encoder *e, double category)
{
    test_host_init(&e->host);
    e->plan = encoder_plan(&e->host.host, category);
    e->run = test_run(&e->host.host, e->plan, ROWS);
}

static void encoder_end(encoder *e)
{
    hbs_run_free(e->run);
    hbs_plan_free(e->plan);
    test_host_end(&e->host);
    own_reset();
}

static const char *const refusal =
    "model \"m\": feature 1 has the value %s, which double precision rounds; the model's categories are double "
    "precision (texts have no such limit)";

/* The three numbers of a row, or the error: by itself, in a block of mixed types, and in one of its own type. */
static void encodes(encoder *e, hbs_value value, double expected, const char *refused)
{
    const hbs_value beside = integer(BEYOND); /* a number is rounded as ever */
    hbs_value row[MODEL_FEATURES] = {value, beside, beside}, mixed[2][ROWS];
    int64_t wholes[ROWS];
    hbs_column columns[MODEL_FEATURES] = {
        {HBS_MIXED, mixed[0], NULL}, {HBS_MIXED, mixed[1], NULL}, {HBS_MIXED, mixed[1], NULL}};
    char text[HBS_ERROR_TEXT] = "";
    hbs_result result;
    hbs_error error;
    hbs_status status = refused ? HBS_E_ARGS : HBS_OK;

    if (refused)
        snprintf(text, sizeof text, refusal, refused);
    for (size_t i = 0; i < ROWS; i++) {
        mixed[0][i] = value;
        mixed[1][i] = beside;
        wholes[i] = value.as.i64;
    }
    for (int form = 0; form < (value.type == HBS_INT64 ? 3 : 2); form++) {
        size_t row_at = form == 0 ? 0 : 66;

        if (form == 2)
            columns[0] = (hbs_column){HBS_INT64, wholes, NULL};
        assert_status(form == 0 ? hbs_score_row(e->run, row, MODEL_FEATURES, HBS_OUT_VALUES, &result, &error)
                                : hbs_score(e->run, columns, MODEL_FEATURES, ROWS, HBS_OUT_VALUES, &result, &error),
                      status, &error);
        if (refused) {
            assert_string_equal(error.text, text);
            continue;
        }
        assert_true(result.values[row_at * 3] == expected);
        assert_true(result.values[row_at * 3 + 1] == (double)BEYOND);
    }
}

static void encoders_take_no_whole_number_for_another(void **state)
{
    encoder e;

    (void)state;
    encoder_begin(&e, (double)EXACT);
    encodes(&e, integer(7), 1, NULL);
    encodes(&e, integer(EXACT), 2, NULL);
    encodes(&e, integer(8), -1, NULL);
    encodes(&e, integer(INT64_MIN), -1, NULL); /* a double holds it */
    encodes(&e, integer(BEYOND), 0, "9007199254740993");
    encodes(&e, integer(INT64_MAX), 0, "9223372036854775807");
    encodes(&e, real((double)EXACT), 2, NULL);
    encodes(&e, real(1e300), -1, NULL);
    encodes(&e, written(HBS_TEXT, "9007199254740992.0"), 2, NULL);
    encodes(&e, written(HBS_TEXT, "9007199254740993"), 0, "9007199254740993");
    encodes(&e, written(HBS_TEXT, "9007199254740993.0"), 0, "9007199254740993.0");
    encodes(&e, written(HBS_DECIMAL, "9007199254740992.5"), 0, "9007199254740992.5");
    encodes(&e, written(HBS_DECIMAL, "1e300"), -1, NULL);
    assert_true(hbs_plan_looks_up(e.plan, 0));
    assert_false(hbs_plan_looks_up(e.plan, 1));
    encoder_end(&e);
}

/* Where all categories are small, what is rounded is unseen like any other large number. */
static void encoders_of_small_categories_take_every_number(void **state)
{
    encoder e;

    (void)state;
    encoder_begin(&e, 9);
    encodes(&e, integer(9), 2, NULL);
    encodes(&e, integer(BEYOND), -1, NULL);
    encodes(&e, written(HBS_TEXT, "9007199254740993.0"), -1, NULL);
    assert_false(hbs_plan_looks_up(e.plan, 0));
    encoder_end(&e);
}

static void encoders_take_no_whole_number_for_another_from_json(void **state)
{
    static const char *const rows[][2] = {{"[9007199254740993,0,0]", "9007199254740993"},
                                          {"[9007199254740993.0,0,0]", "9007199254740993.0"},
                                          {"[9.007199254740993e15,0,0]", "9.007199254740993e15"}};
    char text[HBS_ERROR_TEXT];
    hbs_result result;
    hbs_error error;
    encoder e;

    (void)state;
    encoder_begin(&e, (double)EXACT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(text, sizeof text, refusal, rows[i][1]);
        assert_status(hbs_score_json(e.run, rows[i][0], strlen(rows[i][0]), HBS_OUT_VALUES, &result, &error),
                      HBS_E_ARGS, &error);
        assert_string_equal(error.text, text);
    }
    assert_status(
        hbs_score_json(e.run, "[9007199254740992.0,9007199254740993.0,0]", 41, HBS_OUT_VALUES, &result, &error), HBS_OK,
        &error);
    assert_true(result.values[0] == 2 && result.values[1] == (double)EXACT);
    encoder_end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_read_as_such_however_they_are_written),
        cmocka_unit_test(whole_categories_are_found_exactly),
        cmocka_unit_test(real_categories_are_no_whole_numbers_beside_them),
        cmocka_unit_test(encoders_take_no_whole_number_for_another),
        cmocka_unit_test(encoders_of_small_categories_take_every_number),
        cmocka_unit_test(encoders_take_no_whole_number_for_another_from_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
