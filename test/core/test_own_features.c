/* test_own_features.c - hbscore's own format: norms, bins, lines, products, thresholds and marks of missing values:
 * against plain C bit by bit, a row by itself as in a block, what is refused and with which words. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernels.h"
#include "own_writer.h"
#include "scored_model.h"

enum { FEATURES = 3, MOST_ROWS = 100, MOST_WIDTH = 17 };

static scored_model m;

static void begin_with(const char *json)
{
    scored_model_begin(&m, json, NULL, MOST_ROWS);
}

static void begin(const char *ops)
{
    begin_with(own_regressor(FEATURES, ops));
}

static void end(void)
{
    scored_model_end(&m);
    own_reset();
}

/* One row by itself, and as row 70 of a block of others like it; false where it has no result. */
static bool ask(const double row[FEATURES], double *values)
{
    double cells[FEATURES][71];
    hbs_value one[FEATURES];
    hbs_column columns[FEATURES];
    hbs_result result, block;

    for (size_t f = 0; f < FEATURES; f++) {
        one[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = row[f]};
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < 71; r++)
            cells[f][r] = row[f];
    }
    assert_status(hbs_score_row(m.one, one, FEATURES, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    assert_status(hbs_score(m.block, columns, FEATURES, 71, HBS_OUT_VALUES, &block, &m.error), HBS_OK, &m.error);
    assert_int_equal(result.valid[0] & 1, block.valid[1] >> 6 & 1);
    for (size_t i = 0; result.valid[0] & 1 && i < m.info.values_width; i++) {
        values[i] = result.values[i];
        assert_true(same_bits(block.values[70 * m.info.values_width + i], values[i]));
    }
    return result.valid[0] & 1;
}

/* The result of a row as a text: "1 0 0" or "NULL". */
static void gives(double a, double b, double c, const char *expected)
{
    const double row[FEATURES] = {a, b, c};
    double values[MOST_WIDTH];
    char got[400] = "NULL";
    bool valid = ask(row, values);

    assert_true(m.info.values_width <= MOST_WIDTH);
    for (size_t i = 0; valid && i < m.info.values_width; i++)
        snprintf(i ? got + strlen(got) : got, i ? sizeof got - strlen(got) : sizeof got, "%s%.9g", i ? " " : "",
                 values[i]);
    assert_string_equal(got, expected);
}

/* ------------------------------------------------------------------ thresholds */

static const char *binarize(const char *threshold)
{
    return own_text("{\"op\":\"binarize\",\"in\":[0],\"threshold\":%s}", threshold);
}

static void above_a_threshold_is_one(void **state)
{
    begin(binarize(F8(0.25)));
    gives(0.25, nextafter(0.25, 1), -1e300, "0 1 0");
    gives(-0.0, 5e-324, 1, "0 0 1");
    gives(NAN, 1, 1, "NULL");
    gives(1, INFINITY, 1, "NULL");
    gives(1, 1, -INFINITY, "NULL");
    end();
    begin(binarize(F8(0)));
    gives(0, -0.0, 5e-324, "0 0 1");
    end();
}

/* ------------------------------------------------------------------ norms */

static const char *norm(const char *kind, const char *dtype)
{
    return own_text("%s{\"op\":\"normalize\",\"in\":[%s],\"norm\":\"%s\",\"dtype\":\"%s\"}",
                    strcmp(dtype, "f4") ? "" : CAST("0") ",", strcmp(dtype, "f4") ? "0" : "1", kind, dtype);
}

static void rows_are_divided_by_their_norm(void **state)
{
    begin(norm("l1", "f8"));
    gives(1, -2, 5, "0.125 -0.25 0.625");
    gives(0, -0.0, 0, "0 -0 0");
    gives(1e-15, 1e-15, 2e-16, "1e-15 1e-15 2e-16"); /* less than 10 epsilons */
    gives(2e-15, 1e-15, 1e-15, "0.5 0.25 0.25");
    gives(1e308, 1e308, 0, "0 0 0"); /* the sum is infinite */
    gives(1, NAN, 0, "NULL");
    gives(1, -INFINITY, 0, "NULL");
    end();
    begin(norm("l2", "f8"));
    gives(3, 0, -4, "0.6 0 -0.8");
    gives(1e200, 0, 0, "0 0 0");
    gives(1e-200, 0, 0, "1e-200 0 0");
    end();
    begin(norm("max", "f8"));
    gives(3, 0, -4, "0.75 0 -1");
    gives(1e-16, 0, 0, "1e-16 0 0");
    end();
}

static void norms_in_float32_round_each_step(void **state)
{
    const float x[3] = {0.1f, 16777217.0f, 0.7f};
    float sum = x[0] + x[1] + x[2], squares = (x[0] * x[0] + x[2] * 0.0f) + x[1] * x[1];
    const double row[3] = {0.1, 16777217, 0.7};
    double values[3];

    begin(norm("l1", "f4"));
    assert_true(ask(row, values));
    for (int i = 0; i < 3; i++)
        assert_true(same_bits(values[i], (double)(float)(x[i] / sum)));
    gives(1e-6, 1e-7, 0, "9.99999997e-07 1.00000001e-07 0"); /* less than 10 epsilons of float32 */
    gives(1e39, 0, 0, "NULL");
    end();
    begin(norm("l2", "f4"));
    squares += x[2] * x[2];
    assert_true(ask(row, values));
    for (int i = 0; i < 3; i++)
        assert_true(same_bits(values[i], (double)(float)(x[i] / sqrtf(squares))));
    end();
}

/* numpy's pairwise sum as its source has it, by recursion. */
static double pairwise(const double *x, size_t n)
{
    double part[8], sum = 0;
    size_t i;

    if (n > 128) {
        size_t half = n / 2 - n / 2 % 8;

        return pairwise(x, half) + pairwise(x + half, n - half);
    }
    if (n < 8) {
        for (i = 0; i < n; i++)
            sum += fabs(x[i]);
        return sum;
    }
    for (i = 0; i < 8; i++)
        part[i] = fabs(x[i]);
    for (; i < n - n % 8; i += 8)
        for (size_t k = 0; k < 8; k++)
            part[k] += fabs(x[i + k]);
    sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* numpy.einsum's sum of squares by vectors of two. */
static double by_vectors(const double *x, size_t n)
{
    double sum[2] = {0, 0};
    size_t i = 0;

    for (; n - i >= 8; i += 8)
        for (size_t v = 4; v-- > 0;)
            for (size_t l = 0; l < 2; l++)
                sum[l] += x[i + 2 * v + l] * x[i + 2 * v + l];
    for (; i < n; i++)
        sum[i % 2] += x[i] * x[i];
    return sum[0] + sum[1];
}

/* The same in float32, by vectors of four. */
static double by_vectors32(const double *x, size_t n)
{
    float sum[4] = {0, 0, 0, 0};
    size_t i = 0;

    for (; n - i >= 16; i += 16)
        for (size_t v = 4; v-- > 0;)
            for (size_t l = 0; l < 4; l++)
                sum[l] += (float)x[i + 4 * v + l] * (float)x[i + 4 * v + l];
    for (; i < n; i++)
        sum[i % 4] += (float)x[i] * (float)x[i];
    return (double)((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static double quotient32(double x, double y)
{
    return (double)((float)x / (float)y);
}

/* Of many columns: rows of all counts, in every instruction set. */
static void check_width(const hb_kernels *kernels, size_t width, size_t rows, uint64_t *random)
{
    double *in = malloc(width * rows * sizeof *in), *out = malloc(width * rows * sizeof *out);
    double *row = malloc(width * sizeof *row);
    hb_tile64 tile = {in, out, width, rows, rows};

    for (size_t i = 0; i < width * rows; i++)
        in[i] = (double)(int64_t)test_random(random) / (test_random(random) % 3 ? 1e15 : 1e17);
    for (int kind = 0; kind < 3; kind++) { /* L1, L2, L2 in float32 */
        (kind ? kernels->hb_norm_l2_64 : kernels->hb_norm_l1_64)(&tile, kind == 2);
        for (size_t r = 0; r < rows; r++) {
            double norm_of;

            for (size_t c = 0; c < width; c++)
                row[c] = in[c * rows + r];
            norm_of = kind == 2   ? (double)sqrtf((float)by_vectors32(row, width))
                      : kind == 1 ? sqrt(by_vectors(row, width))
                                  : pairwise(row, width);
            for (size_t c = 0; c < width; c++)
                assert_true(same_bits(out[c * rows + r], kind == 2 ? quotient32(row[c], norm_of) : row[c] / norm_of));
        }
    }
    free(in);
    free(out);
    free(row);
}

static void norms_add_as_numpy_does(void **state)
{
    static const size_t widths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 127, 128, 129, 136, 137, 300, 1000, 5003};
    static const size_t counts[] = {1, 2, 4, 7, 15, 16, 17, 40, 63, 64, 65, 130};
    uint64_t random = 7;

    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
                check_width(hb_kernels_at(s), widths[i], counts[k], &random);
    check_width(hb_kernels_here(), 262144, 3, &random);
}

/* ------------------------------------------------------------------ bins */

static const char *bins(const char *ends, const char *edges)
{
    return own_text("{\"op\":\"bins\",\"in\":[0],\"ends\":%s,\"edges\":%s}", ends, edges);
}

/* An edge begins a bin; a column without edges has one bin. */
static void numbers_fall_into_bins(void **state)
{
    begin(bins(I4(2, 2, 5), F8(-1, 1, 0, 0, 1e300)));
    gives(-2, 5, -5e-324, "0 0 0");
    gives(-1, 5, 0, "1 0 2");
    gives(1, -1e300, -0.0, "2 0 2");
    gives(nextafter(1, 0), 0, 1e300, "1 0 3");
    gives(1e308, 0, nextafter(1e300, 0), "2 0 2");
    gives(NAN, 0, 0, "NULL");
    gives(0, NAN, 0, "NULL");
    gives(0, 0, INFINITY, "NULL");
    end();
}

static void many_edges_are_searched(void **state)
{
    double edges[1000];
    const int32_t ends[FEATURES] = {1000, 1000, 1000};
    double values[FEATURES];

    for (size_t i = 0; i < 1000; i++)
        edges[i] = (double)(i / 2) / 4; /* each twice */
    begin(bins(own_array("i4", 4, FEATURES, ends), own_array("f8", 8, 1000, edges)));
    for (int i = -3; i < 2010; i++) {
        const double row[FEATURES] = {(double)i / 16, 1, 2};
        size_t expected = 0;

        while (expected < 1000 && edges[expected] <= row[0])
            expected++;
        assert_true(ask(row, values));
        assert_true(values[0] == (double)expected);
    }
    end();
}

/* ------------------------------------------------------------------ interpolate */

static const char *interpolate(const char *outside, const char *kind, const char *ends, const char *x, const char *y)
{
    return own_text(
        "{\"op\":\"interpolate\",\"in\":[0],\"outside\":\"%s\",\"kind\":\"%s\",\"ends\":%s,\"x\":%s,\"y\":%s}", outside,
        kind, ends, x, y);
}

#define POINTS I4(3, 4, 7), F8(-1, 1, 3, 5, 0, 0, 2), F8(10, 20, -20, 7, 1, 2, 4)

/* A column of one point is one number everywhere; of two points at one place the last one counts there. */
static void numbers_lie_on_lines(void **state)
{
    begin(interpolate("ends", "slope", POINTS));
    gives(-1, 5, 0, "10 7 2");
    gives(-0.5, 4, 1, "12.5 7 3");
    gives(1, 6, -5e-324, "20 7 1");
    gives(2.5, -1e300, 2, "-10 7 4");
    gives(-7, INFINITY, -INFINITY, "10 7 1");
    gives(INFINITY, 5, 1e300, "-20 7 4");
    gives(NAN, 5, 0, "nan 7 2");
    end();
}

static void beside_the_points_is_nothing(void **state)
{
    begin(interpolate("nan", "slope", POINTS));
    gives(-1, 5, 0, "10 7 2");
    gives(3, 5, 2, "-20 7 4");
    gives(nextafter(-1, -2), nextafter(5, 6), nextafter(0, -1), "nan nan nan");
    gives(nextafter(3, 4), 4, INFINITY, "nan nan nan");
    end();
}

/* As np.interp: a line whose slope overflows is tried from both of its ends. */
static void slopes_may_overflow(void **state)
{
    begin(interpolate("ends", "slope", I4(2, 4, 6), F8(0, 5e-324, -1e308, 1e308, 0, 1e-300),
                      F8(0, 1e300, 3, 3, 0, 1e300)));
    gives(0, 0, 0, "0 3 0");
    gives(5e-324, 1e307, 5e-301, "1e+300 3 inf");
    gives(1, -1e308, 1e-300, "1e+300 3 1e+300");
    end();
}

/* As scipy's interp1d of float32: each step is rounded, and a point's own number is that of the line before it. */
static void check_line32(const char *kind, const float x[3], const float y[3], float at)
{
    int k = at <= x[1] ? 0 : 1;
    volatile float all = x[k + 1] - x[k], before = at - x[k], after = x[k + 1] - at, part, rest = y[k];
    double values[FEATURES];

    if (strcmp(kind, "slope32") == 0) {
        part = (y[k + 1] - y[k]) / all;
        part = part * before;
    } else {
        part = before / all;
        part = part * y[k + 1];
        rest = after / all;
        rest = rest * y[k];
    }
    part = part + rest;
    assert_true(ask((const double[]){(double)at, 0, 1}, values));
    assert_true(same_bits(values[0], (double)part));
    assert_true(values[1] == 5 && values[2] == 6);
}

static void lines_in_float32_round_each_step(void **state)
{
    static const char *const kinds[] = {"slope32", "weights32"};
    const float x[3] = {0.1f, 0.7f, 0.9f}, y[3] = {0.2f, 0.3f, 1.7f};

    for (size_t k = 0; k < 2; k++) {
        begin(interpolate("ends", kinds[k], I4(3, 4, 5), F8((double)x[0], (double)x[1], (double)x[2], 0, 1),
                          F8((double)y[0], (double)y[1], (double)y[2], 5, 6)));
        for (int i = 0; i < 100; i++)
            check_line32(kinds[k], x, y, 0.1f + 0.008f * (float)i);
        check_line32(kinds[k], x, y, x[1]);
        end();
    }
}

/* ------------------------------------------------------------------ products */

static const char *poly(const char *in, const char *dtype, const char *of, const char *column)
{
    return own_text("{\"op\":\"poly\",\"in\":[%s],\"dtype\":\"%s\",\"of\":%s,\"column\":%s}", in, dtype, of, column);
}

static void products_are_made_one_after_the_other(void **state)
{
    double values[MOST_WIDTH], row[3] = {0.1, 0.7, 1.0 / 3};

    begin(poly("0", "f8", I4(-2, -1, -1, 2, 3, 1), I4(0, 1, 0, 1, 2, 1)));
    gives(2, 3, 5, "1 3 2 6 30 9");
    gives(0, -3, 5, "1 -3 0 -0 -0 9");
    gives(1e200, 1e200, 1, "1 1e+200 1e+200 inf inf inf");
    gives(NAN, 1, 1, "NULL");
    gives(1, 1, INFINITY, "NULL");
    assert_true(ask(row, values));
    assert_true(same_bits(values[4], (row[0] * row[1]) * row[2]));
    end();
    begin(own_text("%s,%s", CAST("0"), poly("1", "f4", I4(-1, 0, 1), I4(0, 1, 2))));
    assert_true(ask(row, values));
    assert_true(same_bits(values[2], (double)(((float)row[0] * (float)row[1]) * (float)row[2])));
    gives(1e39, 1, 1, "NULL");
    end();
}

/* A column among the products must be what a later operator asks for; x0 * x1 says nothing of x0. */
static void demands_go_through_columns_only(void **state)
{
    begin(own_text("%s,%s,%s,{\"op\":\"concat\",\"in\":[3,3]}", poly("0", "f8", I4(-1, 0), I4(0, 1)), CAST("1"),
                   own_linear("2")));
    gives(1, 2, 3, "3 3");
    gives(1e39, 1, 3, "NULL");
    gives(0x1p-140, 0x1p140, 3, "1 1");
    end();
}

/* ------------------------------------------------------------------ marks */

#define INDICATOR(missing, cols, known) \
    own_text("{\"op\":\"indicator\",\"in\":[0],\"missing\":%s,\"cols\":[" cols "],\"known\":[" known "]}", missing)

static void missing_values_are_marked(void **state)
{
    begin(INDICATOR("\"nan\"", "2,0,2", "1"));
    gives(1, 2, 3, "0 0 0");
    gives(NAN, 2, 3, "0 1 0");
    gives(NAN, 2, NAN, "1 1 1");
    gives(1, NAN, 3, "NULL");
    gives(1, INFINITY, 3, "NULL");
    gives(-INFINITY, 1, 3, "NULL");
    end();
    begin(INDICATOR("\"nan\"", "0,1", ""));
    gives(1, NAN, NAN, "0 1");
    end();
    begin(INDICATOR(F8(0), "0,1,2", ""));
    gives(0, -0.0, 5e-324, "1 1 0");
    gives(1, NAN, 3, "NULL");
    end();
}

static void texts_may_be_missing_too(void **state)
{
    const hbs_value rows[3][1] = {
        {{.type = HBS_TEXT, .as.text = {"a", 1}}}, {{.type = HBS_NULL}}, {{.type = HBS_INT64, .as.i64 = -1}}};
    const double expected[] = {0, 1, 0};
    hbs_result result;

    begin_with(own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"type\":\"str\"}],"
                        "\"ops\":[%s]}",
                        INDICATOR("\"nan\"", "0", "")));
    for (int r = 0; r < 3; r++) {
        assert_status(hbs_score_row(m.one, rows[r], 1, HBS_OUT_VALUE, &result, &m.error), HBS_OK, &m.error);
        assert_true(result.value[0] == expected[r]);
    }
    end();
}

/* ------------------------------------------------------------------ errors */

static hbs_status load(const hbs_host *host, void *context, hbs_error *error)
{
    const char *json = context;
    hbs_source source = {.name = "m", .bytes = json, .size = strlen(json)};
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_plan_free(plan);
    hbs_model_free(model);
    return status;
}

/* Each is wrong in one place. */
static void operators_are_strict(void **state)
{
    const struct {
        const char *ops;
        hbs_status status;
        const char *text;
    } cases[] = {
        {binarize(F8(1, 2)), HBS_E_FORMAT, "ops[0].threshold: threshold has 2 numbers, expected 1"},
        {binarize(F8(NAN)), HBS_E_FORMAT, "threshold: number 0 is not finite"},
        {"{\"op\":\"binarize\",\"in\":[0]}", HBS_E_FORMAT, "ops[0]: no member \"threshold\""},
        {norm("l3", "f8"), HBS_E_UNSUPPORTED, "norm \"l3\" is unknown to this version of hbscore"},
        {norm("l1", "f2"), HBS_E_UNSUPPORTED, "dtype \"f2\" is unknown to this version of hbscore"},
        {bins(I4(1, 2), F8(0, 1)), HBS_E_FORMAT, "ops[0].ends: ends has not one number for each column"},
        {bins(I4(2, 1, 2), F8(0, 1)), HBS_E_FORMAT, "ops[0].ends: ends does not rise"},
        {bins(I4(-1, 1, 2), F8(0, 1)), HBS_E_FORMAT, "ops[0].ends: ends does not rise"},
        {bins(I4(0, 1, 3), F8(0, 1)), HBS_E_FORMAT, "ops[0].edges: edges has 2 numbers, expected 3"},
        {bins(I4(0, 1, 2147483647), F8(0, 1)), HBS_E_FORMAT, "edges has 2 numbers, expected 2147483647"},
        {bins(I4(0, 2, 2), F8(1, 0)), HBS_E_FORMAT, "bins: the edges of column 1 do not rise"},
        {bins(I4(0, 1, 2), F8(1, NAN)), HBS_E_FORMAT, "edges: number 1 is not finite"},
        {interpolate("zero", "slope", POINTS), HBS_E_UNSUPPORTED,
         "outside \"zero\" is unknown to this version of hbscore"},
        {interpolate("ends", "f2", POINTS), HBS_E_UNSUPPORTED, "kind \"f2\" is unknown to this version of hbscore"},
        {interpolate("ends", "slope", I4(1, 2), F8(0, 1), F8(0, 1)), HBS_E_FORMAT,
         "ends has not one number for each column"},
        {interpolate("ends", "slope", I4(1, 1, 2), F8(0, 1), F8(0, 1)), HBS_E_FORMAT,
         "ops[0].ends: ends does not rise"},
        {interpolate("ends", "slope", I4(0, 1, 2), F8(0, 1), F8(0, 1)), HBS_E_FORMAT,
         "ops[0].ends: ends does not rise"},
        {interpolate("ends", "slope", I4(-2147483647 - 1, 1, 2), F8(0, 1), F8(0, 1)), HBS_E_FORMAT,
         "ends does not rise"},
        {interpolate("ends", "slope", I4(1, 2, 2147483647), F8(0, 1, 2), F8(0, 1, 2)), HBS_E_FORMAT,
         "x has 3 numbers, expected 2147483647"},
        {interpolate("ends", "slope", I4(1, 2, 3), F8(0, 1, 2), F8(0, 1)), HBS_E_FORMAT, "y has 2 numbers, expected 3"},
        {interpolate("ends", "slope", I4(1, 3, 4), F8(0, 2, 1, 0), F8(0, 1, 2, 3)), HBS_E_FORMAT,
         "interpolate: the points of column 1 do not rise"},
        {interpolate("ends", "slope", I4(1, 2, 3), F8(0, 1, NAN), F8(0, 1, 2)), HBS_E_FORMAT,
         "x: number 2 is not finite"},
        {interpolate("ends", "slope", I4(1, 2, 3), F8(0, 1, 2), F8(INFINITY, 1, 2)), HBS_E_FORMAT,
         "y: number 0 is not finite"},
        {poly("0", "f8", I4(0), I4(0)), HBS_E_FORMAT,
         "ops[0].column: poly: a product of one that does not come before it"},
        {poly("0", "f8", I4(-1, 2, -1), I4(0, 0, 0)), HBS_E_FORMAT, "does not come before it"},
        {poly("0", "f8", I4(-3), I4(0)), HBS_E_FORMAT, "does not come before it"},
        {poly("0", "f8", I4(-1), I4(3)), HBS_E_FORMAT, "poly: a column that is not there"},
        {poly("0", "f8", I4(-2), I4(-1)), HBS_E_FORMAT, "poly: a column that is not there"},
        {poly("0", "f8", I4(-1, -1), I4(0)), HBS_E_FORMAT, "poly: no products, or not one column for each"},
        {poly("0", "f8", own_array("i4", 4, 0, ""), own_array("i4", 4, 0, "")), HBS_E_FORMAT,
         "poly: no products, or not one column for each"},
        {INDICATOR("\"nan\"", "", ""), HBS_E_FORMAT, "ops[0].cols: no columns"},
        {INDICATOR("\"nan\"", "3", ""), HBS_E_FORMAT, "ops[0].cols: a column that is not there"},
        {INDICATOR("\"nan\"", "0", "-1"), HBS_E_FORMAT, "ops[0].known: a column that is not there"},
        {INDICATOR("\"none\"", "0", ""), HBS_E_UNSUPPORTED, "missing \"none\" is unknown"},
        {INDICATOR(F8(NAN), "0", ""), HBS_E_FORMAT, "missing is no number"},
        {"{\"op\":\"indicator\",\"in\":[0],\"missing\":\"nan\",\"cols\":[0]}", HBS_E_FORMAT,
         "ops[0]: no member \"known\""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_host host;
        hbs_error error = {.status = HBS_OK};

        test_host_init(&host);
        assert_int_equal(load(&host.host, (void *)own_regressor(FEATURES, cases[i].ops), &error), cases[i].status);
        if (!strstr(error.text, cases[i].text))
            fail_msg("%s\n  expected %s", error.text, cases[i].text);
        test_host_end(&host);
    }
    own_reset();
}

/* 65,537 products, of one column. */
static void products_are_limited(void **state)
{
    enum { MANY = 65537 };
    int32_t *of = calloc(MANY, sizeof *of), *column = calloc(MANY, sizeof *column);
    test_host host;
    hbs_error error = {.status = HBS_OK};

    for (int i = 0; i < MANY; i++)
        of[i] = i - 1;
    test_host_init(&host);
    assert_int_equal(
        load(&host.host,
             (void *)own_regressor(1, poly("0", "f8", own_array("i4", 4, MANY, of), own_array("i4", 4, MANY, column))),
             &error),
        HBS_E_LIMIT);
    assert_non_null(strstr(error.text, "too many columns"));
    test_host_end(&host);
    free(of);
    free(column);
    own_reset();
}

static const char *everything(void)
{
    return own_regressor(FEATURES, own_text("%s,%s,%s,%s,%s,%s,{\"op\":\"concat\",\"in\":[1,2,3,4,5,6]}",
                                            INDICATOR("\"nan\"", "0,1", "2"), binarize(F8(0.5)), norm("l1", "f8"),
                                            bins(I4(1, 2, 3), F8(0, 0, 1)), poly("0", "f8", I4(-2, -1, 1), I4(0, 1, 2)),
                                            interpolate("ends", "slope", POINTS)));
}

static void every_allocation_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(load, (void *)everything()) > 10);
    own_reset();
}

static void all_at_once(void **state)
{
    begin_with(everything());
    gives(0.25, 4, 2, "0 0 0 1 1 0.04 0.64 0.32 1 1 1 1 4 8 16.25 7 4");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(above_a_threshold_is_one),
        cmocka_unit_test(rows_are_divided_by_their_norm),
        cmocka_unit_test(norms_in_float32_round_each_step),
        cmocka_unit_test(norms_add_as_numpy_does),
        cmocka_unit_test(numbers_fall_into_bins),
        cmocka_unit_test(many_edges_are_searched),
        cmocka_unit_test(numbers_lie_on_lines),
        cmocka_unit_test(beside_the_points_is_nothing),
        cmocka_unit_test(slopes_may_overflow),
        cmocka_unit_test(lines_in_float32_round_each_step),
        cmocka_unit_test(products_are_made_one_after_the_other),
        cmocka_unit_test(demands_go_through_columns_only),
        cmocka_unit_test(missing_values_are_marked),
        cmocka_unit_test(texts_may_be_missing_too),
        cmocka_unit_test(operators_are_strict),
        cmocka_unit_test(products_are_limited),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(all_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
