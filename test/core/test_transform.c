/* test_transform.c - the transform: an output by itself, with rows of its own that have none. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_writer.h"
#include "scored_model.h"

enum { ROWS = 70, FEATURES = 2, MOST_WIDTH = 8 };

static scored_model m;
static struct {
    double numbers[ROWS][MOST_WIDTH];
    bool valid[ROWS];
} got;

static void begin(const char *json, const char *options)
{
    scored_model_begin(&m, json, options, ROWS);
}

static void end(void)
{
    scored_model_end(&m);
}

static size_t width_of(uint32_t output)
{
    return output == HBS_OUT_TRANSFORM ? m.info.transform_width : m.info.value_width;
}

static const double *numbers_of(const hbs_result *result, uint32_t output)
{
    assert_true((result->transform != NULL) == (output == HBS_OUT_TRANSFORM));
    return output == HBS_OUT_TRANSFORM ? result->transform : result->value;
}

/* Scores in a block, and each row by itself, which must give the same bits; the answers are in m. */
static void score(uint32_t output, size_t n, double (*rows)[FEATURES])
{
    double cells[FEATURES][ROWS];
    hbs_column columns[FEATURES];
    size_t width = width_of(output);
    hbs_result result;

    assert_true(width > 0 && width <= MOST_WIDTH && n <= ROWS);
    for (size_t f = 0; f < FEATURES; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < n; r++)
            cells[f][r] = rows[r][f];
    }
    assert_status(hbs_score(m.block, columns, FEATURES, n, output, &result, &m.error), HBS_OK, &m.error);
    for (size_t r = 0; r < n; r++) {
        got.valid[r] = result.valid[r / 64] >> (r % 64) & 1;
        memcpy(got.numbers[r], numbers_of(&result, output) + r * width, width * sizeof(double));
    }
    for (size_t r = 0; r < n; r++) {
        hbs_value row[FEATURES];

        for (size_t f = 0; f < FEATURES; f++)
            row[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = rows[r][f]};
        assert_status(hbs_score_row(m.one, row, FEATURES, output, &result, &m.error), HBS_OK, &m.error);
        assert_int_equal(result.valid[0] & 1, got.valid[r]);
        if (got.valid[r])
            assert_memory_equal(numbers_of(&result, output), got.numbers[r], width * sizeof(double));
    }
}

static void fill(double (*rows)[FEATURES])
{
    for (size_t r = 0; r < ROWS; r++) {
        rows[r][0] = (double)r / 4 - 8;
        rows[r][1] = 3 - (double)r;
    }
}

/* ------------------------------------------------------------------ what it is */

/* x, y become y - 1, x - 2; their sum is the prediction. */
static const char *shifted_sum(void)
{
    return own_with_transform(own_regressor(2, own_text(SELECT("0", "1,0") ",{\"op\":\"affine\",\"in\":[1],\"kind\":"
                                                                           "\"sub\",\"dtype\":\"f8\",\"a\":%s},%s",
                                                        F8(1, 2), own_linear("2"))),
                              2);
}

static void it_is_what_the_last_step_gets(void **state)
{
    double rows[ROWS][FEATURES];

    fill(rows);
    begin(shifted_sum(), NULL);
    assert_int_equal(m.info.task, HBS_REGRESSOR);
    assert_int_equal(m.info.transform_width, 2);
    assert_true(m.info.transform_tolerance == 0 && m.info.value_tolerance > 0);
    score(HBS_OUT_TRANSFORM, ROWS, rows);
    for (size_t r = 0; r < ROWS; r++) {
        assert_true(got.valid[r] && got.numbers[r][0] == rows[r][1] - 1);
        assert_true(got.numbers[r][1] == rows[r][0] - 2);
    }
    score(HBS_OUT_VALUE, ROWS, rows);
    for (size_t r = 0; r < ROWS; r++)
        assert_true(got.valid[r] && got.numbers[r][0] == rows[r][1] - 1 + (rows[r][0] - 2));
    end();
}

/* Its numbers may be overwritten by steps that only the prediction needs, and the other way round. */
static void its_place_is_free_for_the_prediction(void **state)
{
    double rows[ROWS][FEATURES];
    const char *steps = own_text("%s,%s,%s", own_affine("0", 2), own_affine("1", 2),
                                 own_text("{\"op\":\"affine\",\"in\":[2],\"kind\":\"div\",\"dtype\":"
                                          "\"f8\",\"b\":%s},%s",
                                          F8(2, 4), own_linear("3")));

    fill(rows);
    for (size_t value = 0; value < 4; value++) {
        begin(own_with_transform(own_regressor(2, steps), value), NULL);
        for (int again = 0; again < 2; again++) {
            score(HBS_OUT_TRANSFORM, ROWS, rows);
            for (size_t r = 0; r < ROWS; r++)
                for (size_t f = 0; f < FEATURES; f++)
                    assert_true(got.numbers[r][f] == rows[r][f] / (value < 3 ? 1 : f ? 4 : 2));
            score(HBS_OUT_VALUE, ROWS, rows);
            for (size_t r = 0; r < ROWS; r++)
                assert_true(got.numbers[r][0] == rows[r][0] / 2 + rows[r][1] / 4);
        }
        end();
    }
}

/* The encoder refuses rows for the transform too, as the transform depends on its feature; nobody reads its columns. It
 * comes behind the transform. */
static void what_refuses_rows_behind_it_leaves_it_as_it_is(void **state)
{
    static const uint32_t passes_off[] = {0, HBS_PASS_COMMON_SUBEXPRESSIONS, UINT32_MAX};
    const char *column =
        own_text("{\"values\":%s,\"missing\":2,\"map\":%s,\"width\":2,\"unknown\":\"error\"}", F8(0, 1), I4(0, 1));
    const char *ops = own_text("%s," SELECT("0", "0") ",{\"op\":\"onehot\",\"in\":[2],\"columns\":[%s]},"
                                                      "{\"op\":\"concat\",\"in\":[3,0]}," SELECT("4", "3"),
                               own_affine("0", 2), column);
    double rows[ROWS][FEATURES];

    fill(rows);
    for (size_t r = 0; r < ROWS; r++)
        rows[r][0] = (double)(r % 2);
    for (size_t i = 0; i < 3; i++) {
        scored_model_begin_without(&m, own_with_transform(own_regressor(2, ops), 1), passes_off[i], ROWS);
        score(HBS_OUT_TRANSFORM, ROWS, rows);
        for (size_t r = 0; r < ROWS; r++)
            assert_true(got.valid[r] && memcmp(got.numbers[r], rows[r], sizeof rows[r]) == 0);
        end();
    }
}

static void a_transformer_has_nothing_else(void **state)
{
    double rows[ROWS][FEATURES];
    hbs_result result;
    hbs_value row[FEATURES] = {{.type = HBS_NULL}, {.type = HBS_NULL}};

    fill(rows);
    begin(own_transformer(2, 1, own_text("%s,%s", own_affine("0", 2), own_linear("1"))), NULL);
    assert_int_equal(m.info.task, HBS_TRANSFORMER);
    assert_int_equal(
        m.info.value_width + m.info.values_width + m.info.raw_width + m.info.probabilities_width + m.info.classes, 0);
    score(HBS_OUT_TRANSFORM, ROWS, rows);
    for (size_t r = 0; r < ROWS; r++)
        assert_true(got.valid[r] && memcmp(got.numbers[r], rows[r], sizeof rows[r]) == 0);
    assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_VALUE, &result, &m.error), HBS_E_ARGS, &m.error);
    end();
}

/* A weighted sum as the transform is as exact as one that predicts. */
static void its_tolerance_is_that_of_its_own_steps(void **state)
{
    begin(own_transformer(2, 1, own_linear("0")), NULL);
    assert_int_equal(m.info.transform_width, 1);
    assert_true(m.info.transform_tolerance == 1e-9);
    end();
    begin(own_with_transform(own_regressor(2, own_text("%s,%s", own_affine("0", 2), own_linear("1"))), 1), NULL);
    assert_true(m.info.transform_tolerance == 0 && m.info.value_tolerance == 1e-9);
    end();
}

static void it_is_asked_for_alone(void **state)
{
    hbs_value row[FEATURES] = {{.type = HBS_INT64}, {.type = HBS_INT64}};
    double cells[ROWS] = {0};
    hbs_column columns[] = {{HBS_FLOAT64, cells, NULL}, {HBS_FLOAT64, cells, NULL}};
    hbs_result result;

    begin(shifted_sum(), NULL);
    assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_TRANSFORM | HBS_OUT_VALUE, &result, &m.error), HBS_E_ARGS,
                  &m.error);
    assert_string_equal(m.error.text, "model \"m\": transform is asked for alone");
    assert_status(hbs_score(m.block, columns, 2, 1, HBS_OUT_TRANSFORM | HBS_OUT_VALUE, &result, &m.error), HBS_E_ARGS,
                  &m.error);
    end();
}

/* ------------------------------------------------------------------ rows that have none */

typedef struct refusals {
    const char *name, *ops;
    size_t transform;
    const char *predicted, *transformed; /* of {x, 1}: 'v' a result, else NULL */
} refusals;

static const double bad_numbers[] = {NAN, INFINITY, -INFINITY, 1e300};

static void check_refusals(const refusals *t, uint32_t output, const char *answers)
{
    double rows[ROWS][FEATURES];

    for (size_t r = 0; r < ROWS; r++) {
        rows[r][0] = r >= 64 && r < 68 ? bad_numbers[r - 64] : 0.25;
        rows[r][1] = 1;
    }
    score(output, ROWS, rows);
    for (size_t r = 0; r < ROWS; r++) {
        bool valid = r < 64 || r >= 68 || answers[r - 64] == 'v';

        if (got.valid[r] != valid)
            fail_msg("%s: %s of %g %s", t->name, output == HBS_OUT_TRANSFORM ? "transform" : "predict", rows[r][0],
                     valid ? "is NULL" : "is not NULL");
    }
}

static void each_has_rows_of_its_own(void **state)
{
    const refusals cases[] = {
        {"what only the sum refuses", own_text("%s,%s", own_affine("0", 2), own_linear("1")), 1, "---v", "v--v"},
        {"the features", own_text("%s,%s", own_affine("0", 2), own_linear("1")), 0, "---v", "vvvv"},
        {"a feature that only the transform has",
         own_text("%s," SELECT("0", "1,1") ",%s", own_affine("0", 2), own_linear("2")), 1, "vvvv", "v--v"},
        {"a feature that only the prediction has", own_text(SELECT("0", "1") ",%s", own_linear("0")), 1, "---v",
         "vvvv"},
        {"a check", own_text(SELECT("0", "0,1") ",%s,%s", own_check("1", false), own_linear("1")), 2, "---v", "---v"},
        {"a check that takes missing numbers",
         own_text(SELECT("0", "0,1") ",%s,%s", own_check("1", true), own_linear("1")), 2, "---v", "v--v"},
        {"a check behind a cast", own_text(CAST("0") ",%s," SELECT("0", "1"), own_check("1", true)), 2, "vvvv", "v---"},
        {"a check before the prediction too", own_text("%s," SELECT("1", "0"), own_check("0", false)), 1, "---v",
         "---v"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(own_with_transform(own_regressor(2, cases[i].ops), cases[i].transform), NULL);
        for (int again = 0; again < 2; again++) { /* the same run for both */
            check_refusals(&cases[i], HBS_OUT_VALUE, cases[i].predicted);
            check_refusals(&cases[i], HBS_OUT_TRANSFORM, cases[i].transformed);
        }
        end();
    }
}

static void a_refusal_may_be_an_error(void **state)
{
    hbs_value row[FEATURES] = {{.type = HBS_NULL}, {.type = HBS_FLOAT64, .as.f64 = INFINITY}};
    hbs_result result;

    begin(shifted_sum(), "{\"on_missing\":\"error\",\"features\":[\"a\",\"b\"]}");
    assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_VALUE, &result, &m.error), HBS_E_ARGS, &m.error);
    assert_string_equal(m.error.text, "model \"m\": feature \"a\" is missing, and the model cannot "
                                      "take that (option on_missing)");
    assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_TRANSFORM, &result, &m.error), HBS_E_ARGS, &m.error);
    assert_string_equal(m.error.text, "model \"m\": feature \"b\" is infinite, and the model cannot "
                                      "take that (option on_missing)");
    row[1].as.f64 = 5;
    assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
    assert_true(result.transform[0] == 4 && isnan(result.transform[1]));
    end();
}

/* ------------------------------------------------------------------ golden rows */

static void verify(const char *golden, const char *words)
{
    hbs_verification found;

    assert_status(hbs_verify(m.plan, &m.host.host, "m", golden, strlen(golden), &found, &m.error), HBS_OK, &m.error);
    assert_string_equal(found.text, words);
    assert_int_equal(found.ok, words[0] == 0);
    assert_int_equal(found.rows, 3);
}

static void golden_rows_compare_both(void **state)
{
    begin(shifted_sum(), NULL);
    verify("{\"rows\":[[1,2],[null,3],[3,4]],\"prediction\":[0,null,4],"
           "\"transform\":[[1,-1],[2,\"NaN\"],[3,1]]}",
           "");
    verify("{\"rows\":[[1,2],[null,3],[3,4]],\"transform\":[[1,-1],[2,\"NaN\"],[3,1]]}", "");
    verify("{\"rows\":[[1,2],[null,3],[3,4]],\"transform\":[[1,-1],[2,\"NaN\"],[3,1.5]]}",
           "row 3: number 2 of transform is 1.0, golden has 1.5");
    verify("{\"rows\":[[1,2],[null,3],[3,4]],\"transform\":[[1,-1],null,[3,1]]}",
           "row 2: transform is not NULL, golden has null");
    verify("{\"rows\":[[1,2],[null,3],[3,4]],\"prediction\":[0,1,4],"
           "\"transform\":[[1,-1],[2,\"NaN\"],[3,1]]}",
           "row 2: prediction is NULL, golden has an answer");
    end();
}

static int fresh(void **state)
{
    own_reset();
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(it_is_what_the_last_step_gets),
        TEST(its_place_is_free_for_the_prediction),
        TEST(what_refuses_rows_behind_it_leaves_it_as_it_is),
        TEST(a_transformer_has_nothing_else),
        TEST(its_tolerance_is_that_of_its_own_steps),
        TEST(it_is_asked_for_alone),
        TEST(each_has_rows_of_its_own),
        TEST(a_refusal_may_be_an_error),
        TEST(golden_rows_compare_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
