/* test_liveness.c - features that do not matter to an output: by brute force over every operator and all pairs, nothing
 * that such a feature holds changes an answer or refuses a row, and it is never looked at. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "every_operator.h"
#include "own_writer.h"

enum { WIDTH = 5, ROWS = 7, MOST_WIDTH = 2 * WIDTH + 1, GARBAGE = 99 };

static double cells[WIDTH][ROWS];

/* Numbers of which each operator does something else; none is missing. */
static int draw_cells(void **state)
{
    static const double numbers[] = {-1, 2, 0, 1, 3.25, -2.5, 0.1, 0.5, 4, -0.75, 1.5};
    uint64_t random = 11;

    (void)state;
    for (size_t f = 0; f < WIDTH; f++)
        for (size_t r = 0; r < ROWS; r++)
            cells[f][r] = numbers[test_random(&random) % (sizeof(numbers) / sizeof(numbers[0]))];
    return 0;
}

typedef struct scored {
    test_host host;
    test_pipeline p;
    hbs_plan *plan;
    hbs_run *one, *block;
    hbs_error error;
    size_t features, width; /* width: of the values */
    uint32_t output;
} scored;

static scored m;

static void begin(size_t features)
{
    memset(&m, 0, sizeof(m));
    test_host_init(&m.host);
    test_pipeline_begin(&m.p, &m.host.host, features);
    m.p.pipeline.wide = true;
    m.features = features;
    m.output = HBS_OUT_VALUES;
}

static void compile(void)
{
    m.plan = test_pipeline_compile(&m.p, 0);
    m.width = hb_pipeline_width(&m.p.pipeline, m.p.pipeline.values);
    m.one = test_run(&m.host.host, m.plan, 1);
    m.block = test_run(&m.host.host, m.plan, ROWS);
}

static void end(void)
{
    hbs_run_free(m.one);
    hbs_run_free(m.block);
    hbs_plan_free(m.plan);
    test_pipeline_end(&m.p);
    test_host_end(&m.host);
}

static size_t add(hb_operator_kind kind, size_t input, const void *fit)
{
    return hb_pipeline_add(&m.p.pipeline, kind, input, fit);
}

static size_t pick(size_t input, const uint32_t *columns, size_t n)
{
    return add(HB_OPERATOR_SELECT, input, &(hb_fit_select){n, columns});
}

static bool uses(size_t f)
{
    return hbs_plan_uses(m.plan, f, m.output);
}

/* ---- answers */

typedef struct answer {
    bool valid;
    double values[MOST_WIDTH];
} answer;

static answer take(const hbs_result *result, size_t row)
{
    answer a = {.valid = result->valid[row / 64] >> row % 64 & 1};

    if (a.valid)
        memcpy(a.values, result->values + row * m.width, m.width * sizeof(*a.values));
    return a;
}

static bool is_same(const answer *a, const answer *b)
{
    if (a->valid != b->valid)
        return false;
    for (size_t i = 0; i < m.width; i++)
        if (a->values[i] != b->values[i] && !(isnan(a->values[i]) && isnan(b->values[i])))
            return false;
    return true;
}

static hbs_value number(double x)
{
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = x};
}

static void row_of(size_t r, hbs_value *row)
{
    for (size_t f = 0; f < m.features; f++)
        row[f] = number(cells[f][r]);
}

static answer ask_row(const hbs_value *row)
{
    hbs_result result;

    assert_status(hbs_score_row(m.one, row, m.features, m.output, &result, &m.error), HBS_OK, &m.error);
    return take(&result, 0);
}

static answer ask_changed(size_t r, size_t f, hbs_value value)
{
    hbs_value row[WIDTH];

    row_of(r, row);
    row[f] = value;
    return ask_row(row);
}

/* ---- what a feature that does not matter may hold */

/* What no operator takes, and what one or another does something with. */
static const hbs_value anything[] = {
    {.type = HBS_NULL},
    {.type = HBS_FLOAT64, .as.f64 = NAN},
    {.type = HBS_FLOAT64, .as.f64 = INFINITY},
    {.type = HBS_FLOAT64, .as.f64 = -1e300},
    {.type = HBS_FLOAT32, .as.f32 = 7},
    {.type = HBS_INT64, .as.i64 = INT64_MAX},
    {.type = HBS_TEXT, .as.text = {"x", 1}},
    {.type = (hbs_type)GARBAGE},
};

enum { N_ANYTHING = sizeof(anything) / sizeof(anything[0]) };

static void change_rows(const char *name, const answer *answers)
{
    for (size_t f = 0; f < m.features; f++)
        for (size_t i = 0; i < N_ANYTHING && !uses(f); i++) {
            answer changed = ask_changed(i % ROWS, f, anything[i]);

            if (!is_same(&changed, &answers[i % ROWS]))
                fail_msg("%s: feature %zu does not matter, and value %zu of it changes an answer", name, f, i);
        }
}

/* All of them at once, in a block and as numbers. Their columns have no data. */
static void change_all(const char *name, const answer *answers)
{
    hbs_column columns[WIDTH];
    double numbers[WIDTH];
    hbs_result result;

    for (size_t f = 0; f < m.features; f++)
        columns[f] = uses(f) ? (hbs_column){HBS_FLOAT64, cells[f], NULL} : (hbs_column){(hbs_type)GARBAGE, NULL, NULL};
    assert_status(hbs_score(m.block, columns, m.features, ROWS, m.output, &result, &m.error), HBS_OK, &m.error);
    for (size_t r = 0; r < ROWS; r++) {
        answer found = take(&result, r);

        if (!is_same(&found, &answers[r]))
            fail_msg("%s: row %zu of a block has another answer", name, r);
    }
    for (size_t r = 0; r < ROWS; r++) {
        answer found;

        for (size_t f = 0; f < m.features; f++)
            numbers[f] = uses(f) ? cells[f][r] : r % 2 ? INFINITY : (double)NAN;
        assert_status(hbs_score_numbers(m.one, numbers, m.features, m.output, &result, &m.error), HBS_OK, &m.error);
        found = take(&result, 0);
        if (!is_same(&found, &answers[r]))
            fail_msg("%s: row %zu of numbers has another answer", name, r);
    }
}

static void answers_of_rows(answer *answers)
{
    hbs_value row[WIDTH];

    for (size_t r = 0; r < ROWS; r++) {
        row_of(r, row);
        answers[r] = ask_row(row);
    }
}

/* ---- what an operator needs, by what it makes of its input in plain C */

/* One operator, or one behind another. */
typedef struct chain {
    size_t first, second;
    bool both;
} chain;

static void make(size_t i, const double *x, size_t width, double *y)
{
    if (every_operator_at(i)->expect)
        every_operator_at(i)->expect(x, width, y);
    else
        memcpy(y, x, width * sizeof(*y));
}

static double number_of(const chain *ops, const double *x, size_t c)
{
    double y[MOST_WIDTH], z[2 * MOST_WIDTH + 1];

    make(ops->first, x, m.features, y);
    if (!ops->both)
        return y[c];
    make(ops->second, y, every_operator_width(ops->first, m.features), z);
    return z[c];
}

/* Whether some number in feature f makes another number of column c in some row. */
static bool matters(const chain *ops, size_t f, size_t c)
{
    static const double numbers[] = {-1, 0, 2, 0.8, 5, -7, 1e3, -1e3};
    double x[WIDTH];

    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            double before, after;

            for (size_t k = 0; k < m.features; k++)
                x[k] = cells[k][r];
            before = number_of(ops, x, c);
            x[f] = numbers[i];
            after = number_of(ops, x, c);
            if (before != after && !(isnan(before) && isnan(after)))
                return true;
        }
    return false;
}

/* These count all that they read: weights may be 0, some links take each column by itself, of a forest each output has
 * trees of its own, and none of the numbers here is missing, or the place of a text or a list. */
static bool counts_all(hb_operator_kind kind)
{
    return kind == HB_OPERATOR_DENSE || kind == HB_OPERATOR_LINEAR || kind == HB_OPERATOR_LINK ||
           kind == HB_OPERATOR_HEAD || kind == HB_OPERATOR_FOREST || kind == HB_OPERATOR_TEXT_COUNTS ||
           kind == HB_OPERATOR_TERM_LISTS || kind == HB_OPERATOR_JSON_LISTS || kind == HB_OPERATOR_IMPUTE_NEAREST ||
           kind == HB_OPERATOR_PURSUIT || kind == HB_OPERATOR_DESCENT || kind == HB_OPERATOR_LEAST_ANGLE ||
           kind == HB_OPERATOR_BARYCENTRE || (kind >= HB_OPERATOR_LIST_WEIGHTS && kind <= HB_OPERATOR_FACTORS) ||
           kind == HB_OPERATOR_TEXT_HASH || kind == HB_OPERATOR_TEXT_EQUAL || kind == HB_OPERATOR_TEXT_CODE ||
           kind == HB_OPERATOR_CODE_TEXTS || kind == HB_OPERATOR_TEXT_NUMBER;
}

/* Value `output`, or its column c, where it is float64. */
static void ask_for(size_t output, size_t c, bool wide)
{
    static uint32_t column;

    column = (uint32_t)c;
    m.p.pipeline.values = wide ? pick(output, &column, 1) : output;
    compile();
}

static void what_one_operator_does_not_need_does_not_matter(void **state)
{
    (void)state;
    for (size_t i = 0; i < every_operator_count(); i++) {
        const every_operator *op = every_operator_at(i);
        size_t width = op->takes ? op->takes : WIDTH;
        bool wide = op->dtypes & EVERY_FLOAT64, picks = wide && op->kind != HB_OPERATOR_NARROW;

        for (size_t c = 0; c < (picks ? every_operator_width(i, width) : 1); c++) {
            answer answers[ROWS];

            begin(width);
            m.p.pipeline.wide = wide;
            ask_for(every_operator_add(&m.p, i, 1, width, wide), c, picks);
            answers_of_rows(answers);
            change_rows(op->name, answers);
            change_all(op->name, answers);
            for (size_t f = 0; f < width && picks; f++)
                if (uses(f) != matters(&(chain){.first = i}, f, c) && !(uses(f) && counts_all(op->kind)))
                    fail_msg("%s: column %zu %s feature %zu", op->name, c, uses(f) ? "needs not" : "needs", f);
            end();
        }
    }
}

/* Operator k behind operator i: its first, last and middle column. */
static void check_pair(size_t i, size_t k, size_t width)
{
    size_t between = every_operator_width(i, width), last;
    bool picks = every_operator_at(k)->kind != HB_OPERATOR_NARROW;
    char name[200];

    snprintf(name, sizeof(name), "%s, %s", every_operator_at(i)->name, every_operator_at(k)->name);
    last = picks ? every_operator_width(k, between) - 1 : 0;
    for (size_t c = 0; c <= last; c += last > 1 ? last / 2 : 1) {
        answer answers[ROWS];
        size_t made;

        begin(width);
        made = every_operator_add(&m.p, i, 1, width, true);
        ask_for(every_operator_add(&m.p, k, made, between, true), c, picks);
        answers_of_rows(answers);
        change_rows(name, answers);
        change_all(name, answers);
        for (size_t f = 0; f < width && picks; f++)
            if (!uses(f) && matters(&(chain){i, k, true}, f, c))
                fail_msg("%s: column %zu needs feature %zu", name, c, f);
        end();
    }
}

static void nor_does_what_two_do_not_need(void **state)
{
    static size_t turn;

    (void)state;
    for (size_t i = 0; i < every_operator_count(); i++)
        for (size_t k = 0; k < every_operator_count(); k++) {
            const every_operator *first = every_operator_at(i), *second = every_operator_at(k);
            size_t width = first->takes ? first->takes : WIDTH - 2;

            if (!(first->dtypes & second->dtypes & EVERY_FLOAT64) || first->kind == HB_OPERATOR_NARROW ||
                first->kind == HB_OPERATOR_HEAD || (second->takes && second->takes != every_operator_width(i, width)) ||
                turn++ % EVERY != 0)
                continue;
            check_pair(i, k, width);
        }
}

/* ---- outputs and their features */

static const double ones[] = {1, 1, 1};

/* Of three shifted features the transform takes the first and the last, the values the first. */
static void begin_outputs(void)
{
    static const uint32_t first[] = {0}, both[] = {0, 2};
    size_t shifted;

    begin(3);
    shifted = add(HB_OPERATOR_SCALE, 1, &(hb_fit_scale){.shift = ones});
    m.p.pipeline.transform = pick(shifted, both, 2);
    m.p.pipeline.values = pick(shifted, first, 1);
    compile();
}

static void uses_are(uint32_t outputs, bool a, bool b, bool c)
{
    assert_int_equal(hbs_plan_uses(m.plan, 0, outputs), a);
    assert_int_equal(hbs_plan_uses(m.plan, 1, outputs), b);
    assert_int_equal(hbs_plan_uses(m.plan, 2, outputs), c);
}

static void each_output_has_its_features(void **state)
{
    hbs_plan_info info;

    (void)state;
    begin_outputs();
    uses_are(HBS_OUT_VALUES, true, false, false);
    uses_are(HBS_OUT_TRANSFORM, true, false, true);
    uses_are(0, true, false, true);
    uses_are(HBS_OUT_VALUES | HBS_OUT_TRANSFORM, true, false, true);
    uses_are(HBS_OUT_LABEL, false, false, false); /* there is none */
    hbs_plan_get_info(m.plan, &info);
    assert_int_equal(info.features_used, 2);
    end();
}

/* By turns, so that a run looks at other features each time. */
static void one_run_serves_all_outputs(void **state)
{
    const hbs_value bad = {.type = HBS_TEXT, .as.text = {"bad", 3}};
    hbs_value row[] = {number(4), bad, bad};
    hbs_column columns[] = {{HBS_FLOAT64, cells[0], NULL}, {0}, {0}};
    hbs_result result;

    (void)state;
    begin_outputs();
    for (size_t turn = 0; turn < 3; turn++) {
        row[2] = bad;
        columns[2] = (hbs_column){(hbs_type)GARBAGE, NULL, NULL};
        assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
        assert_true(result.values[0] == 3);
        assert_status(hbs_score(m.block, columns, 3, ROWS, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
        assert_true(result.values[1] == cells[0][1] - 1);
        assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_TRANSFORM, &result, &m.error), HBS_E_TYPE, &m.error);
        assert_status(hbs_score(m.block, columns, 3, ROWS, HBS_OUT_TRANSFORM, &result, &m.error), HBS_E_ARGS, &m.error);
        row[2] = number(INFINITY); /* the scaler refuses it, for the transform */
        columns[2] = (hbs_column){HBS_FLOAT64, cells[2], NULL};
        assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
        assert_int_equal(result.valid[0] & 1, 0);
        assert_status(hbs_score(m.block, columns, 3, ROWS, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
        assert_true(result.transform[2 * 6] == cells[0][6] - 1 && result.transform[2 * 6 + 1] == cells[2][6] - 1);
    }
    end();
}

/* A first call for other outputs that fails leaves the run as it was. */
static void a_run_goes_on_after_a_failed_change(void **state)
{
    hbs_value row[] = {number(4), {.type = HBS_NULL}, number(5)};
    hbs_result result;

    (void)state;
    begin_outputs();
    assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    for (size_t n = 1; n < 3; n++) { /* results, then spans */
        test_host_fail_at(&m.host, n, false);
        assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_TRANSFORM, &result, &m.error), HBS_E_NOMEM, &m.error);
        test_host_fail_at(&m.host, 0, false);
        assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
        assert_true(result.values[0] == 3);
    }
    assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
    assert_true(result.transform[0] == 3 && result.transform[1] == 4);
    end();
}

static void a_model_may_need_no_feature(void **state)
{
    hbs_value row[3] = {{.type = (hbs_type)GARBAGE}, {.type = (hbs_type)GARBAGE}, {.type = (hbs_type)GARBAGE}};
    hbs_column columns[3] = {{(hbs_type)GARBAGE, NULL, NULL}};
    hbs_plan_info info;
    hbs_result result;

    (void)state;
    begin(3);
    m.p.pipeline.wide = false;
    m.p.pipeline.values = test_pipeline_forest(&m.p, 1, 1, HB_BASE_IDENTITY, 2);
    compile();
    hbs_plan_get_info(m.plan, &info);
    assert_int_equal(info.features_used, 0);
    assert_status(hbs_score_row(m.one, row, 3, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    assert_true(result.values[0] == 3);
    assert_status(hbs_score(m.block, columns, 3, ROWS, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    assert_true(result.values[ROWS - 1] == 3);
    end();
}

/* ---- wide tables, of which every second feature matters */

enum { WIDE = 40000 };

static void begin_wide(void)
{
    uint32_t *columns;

    begin(WIDE);
    columns = hb_arena_array(&m.p.pipeline.arena, WIDE / 2, sizeof(*columns));
    assert_non_null(columns);
    for (size_t i = 0; i < WIDE / 2; i++)
        columns[i] = (uint32_t)(2 * i + 1);
    m.p.pipeline.values = pick(add(HB_OPERATOR_CHECK, 1, &(hb_fit_check){.takes_missing = false}), columns, WIDE / 2);
    compile();
}

static void is_wide_answer(const hbs_result *result, size_t row)
{
    assert_true(result->valid[0] >> row & 1);
    for (size_t i = 0; i < WIDE / 2; i++)
        assert_true(result->values[row * m.width + i] == (double)i);
}

static void very_many_features_may_alternate(void **state)
{
    static hbs_value row[WIDE];
    static double numbers[WIDE];
    static hbs_column columns[WIDE];
    static double column[WIDE / 2][2];
    hbs_result result;

    (void)state;
    begin_wide();
    for (size_t f = 0; f < WIDE; f++) {
        row[f] = f % 2 ? number((double)(f / 2)) : (hbs_value){.type = (hbs_type)GARBAGE};
        numbers[f] = f % 2 ? (double)(f / 2) : (double)NAN;
        column[f / 2][0] = column[f / 2][1] = (double)(f / 2);
        columns[f] = f % 2 ? (hbs_column){HBS_FLOAT64, column[f / 2], NULL} : (hbs_column){.type = (hbs_type)GARBAGE};
    }
    assert_status(hbs_score_row(m.one, row, WIDE, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    is_wide_answer(&result, 0);
    assert_status(hbs_score_numbers(m.one, numbers, WIDE, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    is_wide_answer(&result, 0);
    assert_status(hbs_score(m.block, columns, WIDE, 2, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    is_wide_answer(&result, 1);
    numbers[1] = NAN; /* one that matters */
    assert_status(hbs_score_numbers(m.one, numbers, WIDE, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    assert_int_equal(result.valid[0] & 1, 0);
    end();
}

/* ---- categories that are dropped */

/* Of the features "plan" (a text), "zone" and "fee" the codes of plan and zone, of which `columns` are taken beside the
 * fee; training knows the plans "free" and "gold" and the zones 1 and 2, and refuses others. */
static void begin_encoded(const char *columns)
{
    const char *plan =
                   own_text("{\"values\":{\"dtype\":\"str\",\"shape\":[2],\"data\":[\"free\",\"gold\"]},\"missing\":2,"
                            "\"map\":%s,\"width\":2,\"unknown\":\"error\"}",
                            I4(0, 1)),
               *zone = own_text("{\"values\":%s,\"missing\":2,\"map\":%s,\"width\":2,\"unknown\":\"error\"}", F8(1, 2),
                                I4(0, 1));

    memset(&m, 0, sizeof(m));
    test_host_init(&m.host);
    test_pipeline_begin(&m.p, &m.host.host, 1); /* not of use here */
    m.plan = test_compile(
        &m.host.host,
        own_text(
            "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"name\":\"plan\",\"type\":\"str\"},"
            "{\"name\":\"zone\",\"type\":\"f8\"},{\"name\":\"fee\",\"type\":\"f8\"}],\"ops\":[" SELECT(
                "0",
                "0,1") ",{\"op\":\"onehot\",\"in\":[1],\"columns\":[%s,%s]}," SELECT("0",
                                                                                     "2") ",{\"op\":\"concat\",\"in\":[2,3]},{\"op\":\"select\",\"in\":[4],\"cols\":[%s]}]}",
            plan, zone, columns),
        "{\"on_missing\":\"error\"}");
    m.one = test_run(&m.host.host, m.plan, 1);
    m.block = test_run(&m.host.host, m.plan, ROWS);
    m.features = 3;
    m.output = HBS_OUT_VALUES;
}

/* The status of a row by itself and in a block, which are the same. */
static hbs_status ask_encoded(hbs_value plan, hbs_value zone, double *first)
{
    const hbs_value row[] = {plan, zone, number(9)};
    hbs_column columns[3];
    hbs_value block[3][ROWS];
    hbs_result result;
    hbs_status status;

    for (size_t f = 0; f < 3; f++) {
        for (size_t r = 0; r < ROWS; r++)
            block[f][r] = row[f];
        columns[f] = (hbs_column){HBS_MIXED, block[f], NULL};
    }
    status = hbs_score(m.block, columns, 3, ROWS, HBS_OUT_VALUES, &result, &m.error);
    assert_int_equal(result.rows, status == HBS_OK ? ROWS : 0);
    assert_int_equal(hbs_score_row(m.one, row, 3, HBS_OUT_VALUES, &result, &m.error), status);
    *first = status == HBS_OK ? result.values[0] : (double)NAN;
    return status;
}

static void a_dropped_category_is_not_looked_up(void **state)
{
    static const struct {
        const char *columns;
        bool plan, zone; /* matter */
    } cases[] = {{"4,0", true, false}, {"4,2", false, true}, {"4,1,3", true, true}, {"4,4", false, false}};
    const hbs_value gold = {.type = HBS_TEXT, .as.text = {"gold", 4}},
                    lead = {.type = HBS_TEXT, .as.text = {"lead", 4}}, null = {.type = HBS_NULL};
    double fee;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const hbs_status plan = cases[i].plan ? HBS_E_ARGS : HBS_OK, zone = cases[i].zone ? HBS_E_ARGS : HBS_OK;

        begin_encoded(cases[i].columns);
        assert_int_equal(uses(0), cases[i].plan);
        assert_int_equal(uses(1), cases[i].zone);
        assert_true(uses(2));
        assert_status(ask_encoded(gold, number(1), &fee), HBS_OK, &m.error);
        assert_true(fee == 9);
        assert_status(ask_encoded(lead, number(1), &fee), plan, &m.error);
        assert_status(ask_encoded(null, number(1), &fee), plan, &m.error);
        assert_status(ask_encoded(gold, number(3), &fee), zone, &m.error);
        assert_status(ask_encoded(gold, null, &fee), zone, &m.error);
        assert_status(ask_encoded(gold, number(INFINITY), &fee), zone, &m.error);
        end();
        own_reset();
    }
}

/* Features a and b: the codes of a, which are dropped, and a itself or b. The library looks at what it encodes, so a
 * row is refused if its answer depends on a. */
static void a_feature_that_matters_is_refused_by_every_reader(void **state)
{
    static const uint32_t last[] = {4};
    static const uint32_t features[] = {0, 1};

    (void)state;
    for (size_t kept = 0; kept < 2; kept++) {
        size_t codes = 0;
        uint32_t inputs[2];
        hbs_result result;
        hbs_value row[] = {number(7), number(1)}; /* 7 is no category */

        begin(2);
        for (size_t i = 0; i < every_operator_count(); i++)
            if (every_operator_at(i)->kind == HB_OPERATOR_ONEHOT)
                codes = every_operator_add(&m.p, i, 1, 2, true);
        for (size_t c = 0; c < 2; c++)
            ((hb_encoder_column *)(uintptr_t)((hb_fit_onehot *)hb_node_at(&m.p.pipeline.graph, codes)->fit)
                 ->model.columns)[c]
                .unknown = c == 0 ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE;
        inputs[0] = (uint32_t)codes;
        inputs[1] = (uint32_t)pick(1, &features[kept], 1);
        m.p.pipeline.values = pick(hb_pipeline_add_of(&m.p.pipeline, HB_OPERATOR_CONCAT, inputs, 2, NULL), last, 1);
        compile();
        assert_int_equal(uses(0), kept == 0);
        assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_VALUES, &result, &m.error), kept == 0 ? HBS_E_ARGS : HBS_OK,
                      &m.error);
        row[0] = number(2);
        assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
        end();
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_operator_does_not_need_does_not_matter),
        cmocka_unit_test(nor_does_what_two_do_not_need),
        cmocka_unit_test(each_output_has_its_features),
        cmocka_unit_test(one_run_serves_all_outputs),
        cmocka_unit_test(a_run_goes_on_after_a_failed_change),
        cmocka_unit_test(a_model_may_need_no_feature),
        cmocka_unit_test(very_many_features_may_alternate),
        cmocka_unit_test(a_dropped_category_is_not_looked_up),
        cmocka_unit_test(a_feature_that_matters_is_refused_by_every_reader),
    };

    return cmocka_run_group_tests(tests, draw_cells, NULL);
}
