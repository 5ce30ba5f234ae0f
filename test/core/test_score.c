/* test_score.c - rows and blocks of rows: the same bits, the caller's types, NULL, bad rows. */
#include "score_fixture.h"

#include <math.h>
#include <stdio.h>

#include "plan/run.h"

/* ------------------------------------------------------------------ rows and blocks */

enum { MOST_ROWS = 200, FEATURES = 5, OUTPUTS = 3 };

typedef struct table {
    float cell[FEATURES][MOST_ROWS];
    float expected[MOST_ROWS][OUTPUTS];
} table;

static void random_table(table *t, const hb_forest_model *forest, uint64_t *random)
{
    const float base[OUTPUTS] = {0.5f, 0.5f, 0.5f};

    for (size_t r = 0; r < MOST_ROWS; r++) {
        float row[FEATURES];

        for (size_t f = 0; f < FEATURES; f++)
            t->cell[f][r] = row[f] = test_random_cell(random);
        test_reference(forest, base, row, t->expected[r]);
    }
}

static void check_block(hbs_run *run, const table *t, size_t first, size_t rows)
{
    hbs_column columns[FEATURES];
    hbs_result result;
    hbs_error error;

    for (size_t f = 0; f < FEATURES; f++)
        columns[f] = (hbs_column){HBS_FLOAT32, &t->cell[f][first], NULL};
    assert_status(hbs_score(run, columns, FEATURES, rows, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    assert_int_equal(result.rows, rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < OUTPUTS; o++) {
            assert_true(result.valid[r / 64] >> (r % 64) & 1);
            assert_true(result.raw[r * OUTPUTS + o] == (double)t->expected[first + r][o]);
        }
}

static void check_row(hbs_run *run, const table *t, size_t r)
{
    hbs_value values[FEATURES];
    hbs_result result;
    hbs_error error;

    for (size_t f = 0; f < FEATURES; f++)
        values[f] = (hbs_value){.type = HBS_FLOAT32, .as.f32 = t->cell[f][r]};
    assert_status(hbs_score_row(run, values, FEATURES, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    assert_int_equal(result.rows, 1);
    assert_int_equal(result.valid[0] & 1, 1);
    for (size_t o = 0; o < OUTPUTS; o++)
        assert_true(result.raw[o] == (double)t->expected[r][o]);
}

static void blocks_rows_and_the_reference_agree(void **state)
{
    static const test_shape shape = {
        .n_features = FEATURES, .n_outputs = OUTPUTS, .leaf_width = 1, .n_trees = 25, .depth = 7, .sets = true};
    static table t;
    uint64_t random = 77, same = 77;
    fixture f;
    test_pipeline *p = begin(&f, FEATURES);
    hb_forest_model before;

    hb_forest_model_init(&before, &p->memory);
    test_random_forest(&before, &shape, &same);
    p->pipeline.raw = test_pipeline_forest(p, 1, OUTPUTS, HB_BASE_IDENTITY, 0.5f);
    hb_forest_model *forest = test_pipeline_trees(p, 2);

    forest->nodes.count = forest->starts.count = forest->groups.count = 0;
    test_random_forest(forest, &shape, &random);
    random_table(&t, &before, &random);
    hb_forest_model_release(&before);
    compile(&f);

    hbs_run *block = test_run(&f.host.host, f.plan, MOST_ROWS);
    hbs_run *row = test_run(&f.host.host, f.plan, 1);

    for (size_t n = 1; n <= MOST_ROWS; n++)
        check_block(block, &t, MOST_ROWS - n, n);
    for (size_t r = 0; r < MOST_ROWS; r++) {
        check_row(row, &t, r);
        check_row(block, &t, r); /* a run of blocks takes rows, too */
        check_block(row, &t, r, 1);
    }
    hbs_run_free(block);
    hbs_run_free(row);
    end(&f);
}

static void only_what_is_asked_for_is_given(void **state)
{
    static const double numbers[2] = {-9, 9};
    const hbs_column column = {HBS_FLOAT64, numbers, NULL};
    hbs_result result;
    fixture f;
    test_pipeline *p = begin(&f, 1);

    p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    p->pipeline.probabilities = test_pipeline_link(p, 2, HB_LINK_SIGMOID);
    test_pipeline_classes(p, 2);
    p->pipeline.label = test_pipeline_head(p, 3, HB_HEAD_GREATER, 0.5f);
    compile(&f);
    hbs_run *run = test_run(&f.host.host, f.plan, 2);

    assert_status(hbs_score(run, &column, 1, 2, HBS_OUT_LABEL, &result, &f.error), HBS_OK, &f.error);
    assert_true(result.label && !result.raw && !result.probabilities && !result.value && !result.values);
    assert_int_equal(result.label[0], 0);
    assert_int_equal(result.label[1], 1);
    assert_status(hbs_score(run, &column, 1, 2, HBS_OUT_RAW | HBS_OUT_PROBABILITIES, &result, &f.error), HBS_OK,
                  &f.error);
    assert_true(!result.label && result.raw[0] == -8.5 && result.raw[1] == 9.5);
    assert_true(result.probabilities[0] == (double)(1.0f - (float)result.probabilities[1]));
    assert_true(result.probabilities[3] > 0.999 && result.probabilities[1] < 0.001);
    assert_status(hbs_score(run, &column, 1, 2, 0, &result, &f.error), HBS_OK, &f.error);
    assert_int_equal(result.rows, 2);
    assert_status(hbs_score(run, &column, 1, 2, HBS_OUT_RAW | HBS_OUT_VALUE, &result, &f.error), HBS_E_ARGS, &f.error);
    assert_string_equal(f.error.text, "model \"m\": it has no output of the kind asked for");
    hbs_run_free(run);
    end(&f);
}

/* ------------------------------------------------------------------ types */

/* The row as doubles, a missing value as a NaN, is the same row. */
static void check_numbers(hbs_run *run, const hbs_value row[3], hbs_status expected, const hbs_error *wanted)
{
    double numbers[3];
    float before[3], *bound = (float *)(void *)(run->scratch + run->plan->input.at);
    hbs_result result;
    hbs_error error;

    for (size_t f = 0; f < 3; f++)
        numbers[f] = row[f].type == HBS_FLOAT64 ? row[f].as.f64 : NAN;
    memcpy(before, bound, sizeof(before));
    assert_int_equal(hbs_score_numbers(run, numbers, 3, HBS_OUT_RAW, &result, &error), expected);
    assert_int_equal(result.rows, expected == HBS_OK);
    if (expected != HBS_OK)
        assert_string_equal(error.text, wanted->text);
    for (size_t f = 0; expected == HBS_OK && f < 3; f++)
        assert_true(test_same_bits(bound[f], before[f]) || (isnan(bound[f]) && isnan(before[f])));
}

/* What `value` becomes for feature `at`: by row, and in the middle of a block, as a column of its type and
 * as one of mixed types. False: the error is set. */
static bool bound(fixture *f, size_t at, hbs_value value, float *to)
{
    hbs_value row[3] = {null_value, null_value, null_value};
    hbs_run *run = test_run(&f->host.host, f->plan, 100);
    hbs_column columns[3] = {{HBS_NULL, NULL, NULL}, {HBS_NULL, NULL, NULL}, {HBS_NULL, NULL, NULL}};
    const uint64_t valid[2] = {~0ull, ~0ull};
    hbs_result result;
    hbs_error error;
    hbs_status status;

    row[at] = value;
    status = hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f->error);
    *to = ((const float *)(const void *)(run->scratch + run->plan->input.at))[at];
    assert_int_equal(result.rows, status == HBS_OK);
    if (value.type == HBS_FLOAT64 || value.type == HBS_NULL)
        check_numbers(run, row, status, &f->error);

    union {
        float f32[70];
        double f64[70];
        int64_t i64[70];
        uint8_t boolean[70];
        hbs_text text[70];
    } cells;
    for (size_t i = 0; i < 70; i++)
        if (value.type == HBS_FLOAT32)
            cells.f32[i] = value.as.f32;
        else if (value.type == HBS_FLOAT64)
            cells.f64[i] = value.as.f64;
        else if (value.type == HBS_INT64)
            cells.i64[i] = value.as.i64;
        else if (value.type == HBS_BOOL)
            cells.boolean[i] = value.as.boolean;
        else if (value.type == HBS_TEXT)
            cells.text[i] = value.as.text;
    hbs_value mixed[70];
    for (size_t i = 0; i < 70; i++)
        mixed[i] = value;
    const hbs_column forms[] = {
        {value.type, &cells, NULL}, {value.type, &cells, valid}, {HBS_MIXED, mixed, NULL}, {HBS_MIXED, mixed, valid}};

    for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
        columns[at] = forms[form];
        assert_int_equal(hbs_score(run, columns, 3, 70, HBS_OUT_RAW, &result, &error), status);
        if (status != HBS_OK) {
            assert_int_equal(result.rows, 0);
            assert_string_equal(error.text, f->error.text);
        } else { /* rows 64 to 69 are the last tile */
            const void *tile = run->scratch + run->plan->input.at * run->stride;
            float cell = ((const float *)tile)[at * run->stride + 5];

            assert_true(test_same_bits(cell, *to) || (isnan(cell) && isnan(*to)));
        }
    }
    hbs_run_free(run);
    return status == HBS_OK;
}

static void becomes(fixture *f, size_t at, hbs_value value, float expected)
{
    float to;

    if (!bound(f, at, value, &to))
        fail_msg("feature %zu: %s", at, f->error.text);
    if (!test_same_bits(to, expected) && !(isnan(to) && isnan(expected)))
        fail_msg("feature %zu: %a, expected %a", at, (double)to, (double)expected);
}

static void refuses(fixture *f, size_t at, hbs_value value, hbs_status status, const char *text)
{
    float to;

    assert_false(bound(f, at, value, &to));
    assert_int_equal(f->error.status, status);
    assert_string_equal(f->error.text, text);
}

static hbs_value float_value(float number)
{
    return (hbs_value){.type = HBS_FLOAT32, .as.f32 = number};
}

static hbs_value bool_value(bool boolean)
{
    return (hbs_value){.type = HBS_BOOL, .as.boolean = boolean};
}

static void numbers_are_rounded_once_to_float32(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    becomes(&f, 0, float_value(0.1f), 0.1f);
    becomes(&f, 0, float_value(-0.0f), -0.0f);
    becomes(&f, 0, number_value(0.1), 0.1f);
    becomes(&f, 0, number_value(1e300), INFINITY);
    becomes(&f, 0, number_value(0x1.000001p0), 1.0f); /* the middle: to even */
    becomes(&f, 0, number_value(0x1.0000010000001p0), 0x1.000002p0f);
    becomes(&f, 0, number_value(1e-46), 0.0f);
    becomes(&f, 0, number_value(-INFINITY), -INFINITY);
    becomes(&f, 0, integer_value(16777217), 16777216.0f);
    becomes(&f, 0, integer_value(0x1000001000000001), 0x1.000002p60f); /* not through a double */
    becomes(&f, 0, integer_value(INT64_MIN), -0x1p63f);
    becomes(&f, 0, integer_value(INT64_MAX), 0x1p63f);
    becomes(&f, 0, bool_value(true), 1.0f);
    becomes(&f, 0, bool_value(false), 0.0f);
    becomes(&f, 0, text_value(" +1.5 "), 1.5f);
    becomes(&f, 0, text_value("16777217"), 16777216.0f);
    becomes(&f, 0, text_value("-inf"), -INFINITY);
    end(&f);
}

static void missing_numbers_become_nan(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    becomes(&f, 0, null_value, NAN);
    becomes(&f, 0, float_value(NAN), NAN);
    becomes(&f, 0, number_value(NAN), NAN);
    becomes(&f, 0, text_value("nan"), NAN);
    end(&f);
}

static void a_text_that_is_no_number_is_refused(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    refuses(&f, 0, text_value("1,5"), HBS_E_TYPE, "model \"m\": feature \"num\" takes a number, got the text \"1,5\"");
    refuses(&f, 0, text_value(""), HBS_E_TYPE, "model \"m\": feature \"num\" takes a number, got the text \"\"");
    refuses(&f, 0, text_value("0x10"), HBS_E_TYPE,
            "model \"m\": feature \"num\" takes a number, got the text \"0x10\"");
    refuses(&f, 0, text_value("1e999"), HBS_E_TYPE,
            "model \"m\": feature \"num\" takes a number, got the text \"1e999\"");
    refuses(&f, 0, text_value("\xff\n"), HBS_E_TYPE,
            "model \"m\": feature \"num\" takes a number, got the text \"\\xff\\x0a\"");
    end(&f);
}

static void text_categories_take_texts_and_whole_numbers(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    becomes(&f, 1, text_value("gold"), 0);
    becomes(&f, 1, text_value("7"), 1);
    becomes(&f, 1, integer_value(7), 1);
    becomes(&f, 1, text_value(""), 2); /* a category, not missing */
    becomes(&f, 1, null_value, NAN);
    becomes(&f, 1, number_value(NAN), NAN);
    becomes(&f, 1, float_value(NAN), NAN);
    refuses(&f, 1, number_value(7), HBS_E_TYPE, "model \"m\": feature \"plan\" takes a text, got the number 7.0");
    refuses(&f, 1, float_value(0.5f), HBS_E_TYPE, "model \"m\": feature \"plan\" takes a text, got the number 0.5");
    refuses(&f, 1, bool_value(true), HBS_E_TYPE, "model \"m\": feature \"plan\" takes a text, got the boolean true");
    refuses(&f, 1, text_value("Gold"), HBS_E_ARGS,
            "model \"m\": feature \"plan\" has the value \"Gold\", which training has not seen "
            "(option on_unseen can make it missing or the result NULL)");
    refuses(&f, 1, text_value("7 "), HBS_E_ARGS,
            "model \"m\": feature \"plan\" has the value \"7 \", which training has not seen "
            "(option on_unseen can make it missing or the result NULL)");
    refuses(&f, 1, text_value("nan"), HBS_E_ARGS, /* a text like any other */
            "model \"m\": feature \"plan\" has the value \"nan\", which training has not seen "
            "(option on_unseen can make it missing or the result NULL)");
    refuses(&f, 1, integer_value(8), HBS_E_ARGS,
            "model \"m\": feature \"plan\" has the value \"8\", which training has not seen "
            "(option on_unseen can make it missing or the result NULL)");
    end(&f);
}

static void integer_categories_take_whole_numbers_of_any_type(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    becomes(&f, 2, integer_value(-7), 0);
    becomes(&f, 2, integer_value(9007199254740993), 1); /* no double is that number */
    becomes(&f, 2, text_value("9007199254740993"), 1);
    becomes(&f, 2, text_value(" -7.0 "), 0);
    becomes(&f, 2, number_value(-7), 0);
    becomes(&f, 2, float_value(-7), 0);
    becomes(&f, 2, number_value(-0.0), 2);
    becomes(&f, 2, number_value(-0x1p63), 3);
    becomes(&f, 2, float_value(-0x1p63f), 3);
    becomes(&f, 2, bool_value(false), 2);
    becomes(&f, 2, null_value, NAN);
    becomes(&f, 2, number_value(NAN), NAN);
    becomes(&f, 2, float_value(NAN), NAN);
    becomes(&f, 2, text_value("NaN"), NAN);
    refuses(&f, 2, text_value("west"), HBS_E_TYPE,
            "model \"m\": feature \"zone\" takes a whole number, got the text \"west\"");
    end(&f);
}

static void numbers_that_are_no_category_are_unseen(void **state)
{
    static const double unseen[] = {9007199254740992.0,    -7.5,  1, INFINITY, -INFINITY, 1e300, 0x1p63,
                                    -0x1.0000000000001p63, 0x1p64};
    fixture f;

    begin_types(&f, HB_UNSEEN_MISSING);
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        becomes(&f, 2, number_value(unseen[i]), NAN);
        if (i != 7) /* rounded, it is one */
            becomes(&f, 2, float_value((float)unseen[i]), NAN);
    }
    becomes(&f, 2, bool_value(true), NAN);
    becomes(&f, 1, text_value("new"), NAN);
    end(&f);
    begin_types(&f, HB_UNSEEN_ERROR);
    refuses(&f, 2, number_value(-7.5), HBS_E_ARGS,
            "model \"m\": feature \"zone\" has the value \"-7.5\", which training has not seen "
            "(option on_unseen can make it missing or the result NULL)");
    end(&f);
}

static void features_without_names_are_counted_from_1(void **state)
{
    const hbs_value row[] = {number_value(1), text_value("x")};
    hbs_result result;
    fixture f;

    begin_sum(&f, 2);
    hbs_run *run = test_run(&f.host.host, f.plan, 1);

    assert_status(hbs_score_row(run, row, 2, HBS_OUT_RAW, &result, &f.error), HBS_E_TYPE, &f.error);
    assert_string_equal(f.error.text, "model \"m\": feature 2 takes a number, got the text \"x\"");
    hbs_run_free(run);
    end(&f);
}

static void a_value_of_no_type_is_refused(void **state)
{
    hbs_value row[3] = {null_value, null_value, null_value};
    hbs_result result;
    fixture f;

    begin_types(&f, HB_UNSEEN_MISSING);
    hbs_run *run = test_run(&f.host.host, f.plan, 1);

    for (size_t at = 0; at < 3; at++) {
        hbs_value strange = {.type = (hbs_type)77, .as.i64 = 0x0101010101010102};

        row[at] = strange;
        assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f.error), HBS_E_ARGS, &f.error);
        assert_string_equal(f.error.text, "model \"m\": a value of the unknown type 77");
        row[at] = (hbs_value){.type = HBS_MIXED}; /* only a column has it */
        assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f.error), HBS_E_ARGS, &f.error);
        row[at] = null_value;
    }
    hbs_run_free(run);
    end(&f);
}

/* Each row by its own type, NULLs and clear bits among them. */
static void a_mixed_column_is_read_row_by_row(void **state)
{
    const hbs_value cells[] = {{.type = HBS_INT64, .as.i64 = 3},
                               {.type = HBS_FLOAT64, .as.f64 = 0.5},
                               {.type = HBS_NULL},
                               {.type = HBS_TEXT, .as.text = {"2.5", 3}},
                               {.type = HBS_BOOL, .as.boolean = true},
                               {.type = HBS_INT64, .as.i64 = 9}};
    const float expected[] = {3, 0.5f, NAN, 2.5f, 1, NAN};
    const uint64_t valid = 0x1f;
    const hbs_column columns[3] = {{HBS_MIXED, cells, &valid}, {HBS_NULL, NULL, NULL}, {HBS_NULL, NULL, NULL}};
    hbs_result result;
    fixture f;

    begin_types(&f, HB_UNSEEN_MISSING);
    hbs_run *run = test_run(&f.host.host, f.plan, 6);

    assert_status(hbs_score(run, columns, 3, 6, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    for (size_t r = 0; r < 6; r++) {
        const void *tile = run->scratch + run->plan->input.at * run->stride;
        float got = ((const float *)tile)[r];

        assert_true(test_same_bits(got, expected[r]) || (isnan(got) && isnan(expected[r])));
    }
    hbs_run_free(run);
    end(&f);
}

/* ------------------------------------------------------------------ NULL */

static void clear_bits_are_missing_values_of_any_type(void **state)
{
    enum { N = 130 };
    static double f64[N];
    static float f32[N];
    static int64_t i64[N];
    static uint8_t boolean[N];
    static hbs_text text[N];
    static const hbs_type types[] = {HBS_FLOAT64, HBS_FLOAT32, HBS_INT64, HBS_BOOL, HBS_TEXT};
    const void *const values[] = {f64, f32, i64, boolean, text};
    uint64_t valid[3] = {0, 0, 0};
    hbs_result result;
    fixture f;

    begin_sum(&f, 1);
    hbs_run *run = test_run(&f.host.host, f.plan, N);

    for (size_t r = 0; r < N; r++) {
        valid[r / 64] |= (uint64_t)(r % 3 != 0) << (r % 64);
        f64[r] = f32[r] = i64[r] = boolean[r] = 1;
        text[r] = r % 3 ? (hbs_text){"1", 1} : (hbs_text){NULL, 0}; /* not looked at */
    }
    for (size_t t = 0; t < 5; t++) {
        assert_status(hbs_score(run, &(hbs_column){types[t], values[t], valid}, 1, N, HBS_OUT_RAW, &result, &f.error),
                      HBS_OK, &f.error);
        for (size_t r = 0; r < N; r++)
            assert_true(result.raw[r] == (r % 3 ? 1.5 : 0.5));
    }
    assert_status(hbs_score(run, &(hbs_column){HBS_NULL, NULL, NULL}, 1, N, HBS_OUT_RAW, &result, &f.error), HBS_OK,
                  &f.error);
    for (size_t r = 0; r < N; r++)
        assert_true(result.raw[r] == 0.5);
    hbs_run_free(run);
    end(&f);
}

static void an_unseen_category_can_make_the_result_null(void **state)
{
    enum { N = 130 };
    static int64_t zones[N];
    const hbs_column columns[3] = {{HBS_NULL, NULL, NULL}, {HBS_NULL, NULL, NULL}, {HBS_INT64, zones, NULL}};
    hbs_result result;
    fixture f;

    begin_types(&f, HB_UNSEEN_NULL);
    hbs_run *run = test_run(&f.host.host, f.plan, N);

    for (size_t r = 0; r < N; r++)
        zones[r] = r % 5 == 2 ? 12345 : -7;
    assert_status(hbs_score(run, columns, 3, N, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_int_equal(result.rows, N);
    for (size_t r = 0; r < N; r++)
        assert_int_equal(result.valid[r / 64] >> (r % 64) & 1, r % 5 != 2);
    zones[2] = -7; /* bits are set again by the next call */
    assert_status(hbs_score(run, columns, 3, 5, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_int_equal(result.valid[0] & 31, 31);

    hbs_value row[3] = {null_value, text_value("new"), null_value};

    assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_int_equal(result.rows, 1);
    assert_int_equal(result.valid[0] & 1, 0);
    row[1] = null_value; /* a missing value is no unseen one */
    assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_int_equal(result.valid[0] & 1, 1);
    hbs_run_free(run);
    end(&f);
}

/* ------------------------------------------------------------------ bad rows */

static void the_rows_before_a_bad_one_are_scored(void **state)
{
    enum { N = 150 };
    static const size_t bad[] = {0, 1, 63, 64, 65, 127, 128, 149};
    static hbs_text texts[N];
    static double numbers[N];
    const hbs_column columns[2] = {{HBS_FLOAT64, numbers, NULL}, {HBS_TEXT, texts, NULL}};
    hbs_result result;
    fixture f;

    begin_sum(&f, 2);
    hbs_run *run = test_run(&f.host.host, f.plan, N);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (size_t r = 0; r < N; r++) {
            numbers[r] = (double)r;
            texts[r] = r >= bad[i] ? (hbs_text){"bad", 3} : (hbs_text){"2", 1};
        }
        assert_status(hbs_score(run, columns, 2, N, HBS_OUT_RAW, &result, &f.error), HBS_E_TYPE, &f.error);
        assert_int_equal(result.rows, bad[i]);
        assert_string_equal(f.error.text, "model \"m\": feature 2 takes a number, got the text \"bad\"");
        for (size_t r = 0; r < bad[i]; r++) {
            assert_true(result.valid[r / 64] >> (r % 64) & 1);
            assert_true(result.raw[r] == (double)r + 2.5);
        }
    }
    hbs_run_free(run);
    end(&f);
}

/* As row by row: the first bad row's error, and in it that of the first feature. */
static void the_first_bad_row_is_the_one_named(void **state)
{
    static hbs_text columns_of[3][20];
    hbs_column columns[3];
    uint64_t random = 13;
    fixture f;

    begin_sum(&f, 3);
    hbs_run *run = test_run(&f.host.host, f.plan, 20);

    for (int round = 0; round < 300; round++) {
        char expected[100] = "";
        size_t first = 20;
        hbs_result result;

        for (size_t r = 0; r < 20; r++)
            for (size_t c = 0; c < 3; c++) {
                bool bad = test_random(&random) % 25 == 0;

                columns[c] = (hbs_column){HBS_TEXT, columns_of[c], NULL};
                columns_of[c][r] = bad ? (hbs_text){&"abc"[c], 1} : (hbs_text){"1", 1};
                if (!bad || first < 20)
                    continue;
                first = r;
                snprintf(expected, sizeof expected, "model \"m\": feature %zu takes a number, got the text \"%c\"",
                         c + 1, "abc"[c]);
            }
        assert_status(hbs_score(run, columns, 3, 20, HBS_OUT_RAW, &result, &f.error), first < 20 ? HBS_E_TYPE : HBS_OK,
                      &f.error);
        assert_int_equal(result.rows, first);
        if (first < 20)
            assert_string_equal(f.error.text, expected);
    }
    hbs_run_free(run);
    end(&f);
}

static void an_error_buffer_may_be_absent(void **state)
{
    hbs_value row = text_value("x");
    hbs_text text = {"x", 1};
    hbs_result result;
    fixture f;

    begin_sum(&f, 1);
    hbs_run *run = test_run(&f.host.host, f.plan, 2);

    assert_int_equal(hbs_score_row(run, &row, 1, HBS_OUT_RAW, &result, NULL), HBS_E_TYPE);
    assert_int_equal(hbs_score_row(run, &row, 2, HBS_OUT_RAW, &result, NULL), HBS_E_ARGS);
    assert_int_equal(hbs_score(run, &(hbs_column){HBS_TEXT, &text, NULL}, 1, 1, HBS_OUT_RAW, &result, NULL),
                     HBS_E_TYPE);
    hbs_run_free(run);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_rows_and_the_reference_agree),
        cmocka_unit_test(only_what_is_asked_for_is_given),
        cmocka_unit_test(numbers_are_rounded_once_to_float32),
        cmocka_unit_test(missing_numbers_become_nan),
        cmocka_unit_test(a_text_that_is_no_number_is_refused),
        cmocka_unit_test(text_categories_take_texts_and_whole_numbers),
        cmocka_unit_test(integer_categories_take_whole_numbers_of_any_type),
        cmocka_unit_test(numbers_that_are_no_category_are_unseen),
        cmocka_unit_test(features_without_names_are_counted_from_1),
        cmocka_unit_test(a_value_of_no_type_is_refused),
        cmocka_unit_test(a_mixed_column_is_read_row_by_row),
        cmocka_unit_test(clear_bits_are_missing_values_of_any_type),
        cmocka_unit_test(an_unseen_category_can_make_the_result_null),
        cmocka_unit_test(the_rows_before_a_bad_one_are_scored),
        cmocka_unit_test(the_first_bad_row_is_the_one_named),
        cmocka_unit_test(an_error_buffer_may_be_absent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
