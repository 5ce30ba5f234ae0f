/* test_elementwise.c - the small operators in float32 against their formulas, for every number of rows round the lanes
 * and tiles, bit by bit, and the elementary functions that they are made of. */
#include "models.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/elementary.h"
#include "kernel/elementwise.h"

static const float untouched = 12345.0f;

typedef void operator(const hb_tile *tile);

enum { WIDE = 8, LONG = 70 };

static void sort_columns(const hb_tile *tile)
{
    assert_true(hb_sort_columns(tile, NULL));
}

/* x as columns of a tile, through the operator, into y[width][rows]; also in place where `same`. */
static void apply(operator* op, size_t width, size_t out_width, size_t rows, const float *x, float *y, bool same)
{
    size_t stride = rows + rows % 5;
    float *in = malloc((width + 1) * stride * sizeof *in);
    float *out = malloc((out_width + 1) * stride * sizeof *out);

    assert_true(in && out);
    for (size_t i = 0; i < width * stride; i++)
        in[i] = i % stride < rows ? x[i / stride * rows + i % stride] : untouched;
    for (size_t i = 0; i < (out_width + 1) * stride; i++)
        out[i] = untouched;
    op(&(hb_tile){in, out, width, stride, rows});
    for (size_t i = 0; i < (out_width + 1) * stride; i++)
        if (i < out_width * stride && i % stride < rows)
            y[i / stride * rows + i % stride] = out[i];
        else
            assert_true(out[i] == untouched);
    if (same && width >= out_width) {
        op(&(hb_tile){in, in, width, stride, rows});
        for (size_t i = 0; i < out_width * stride; i++)
            assert_true(test_same_bits(in[i], out[i]) || i % stride >= rows || (isnan(in[i]) && isnan(out[i])));
    }
    free(in);
    free(out);
}

/* One number through an operator of one column. */
static float one(operator* op, float x)
{
    float y;

    apply(op, 1, 1, 1, &x, &y, true);
    return y;
}

static bool same(float a, float b)
{
    return test_same_bits(a, b) || (isnan(a) && isnan(b));
}

static bool near(float a, double b, double relative)
{
    return fabs((double)a - b) <= relative * fabs(b);
}

/* Each number alone gives what it gives in any place of a tile. */
static void check_places(operator* op)
{
    uint64_t random = 7;

    for (size_t rows = 1; rows <= LONG; rows += rows < 9 ? 1 : 13) {
        float x[WIDE * LONG], y[WIDE * LONG];

        for (size_t i = 0; i < WIDE * rows; i++)
            x[i] = test_random_cell(&random);
        apply(op, WIDE, WIDE, rows, x, y, true);
        for (size_t i = 0; i < WIDE * rows; i++)
            assert_true(same(y[i], one(op, x[i])));
    }
}

static void sigmoid_is_the_librarys_with_its_bound(void **state)
{
    for (int i = -900; i <= 900; i++) {
        float x = (float)i / 10;

        assert_true(same(one(hb_sigmoid, x), 1.0f / (hb_expf(-x < 88.7f ? -x : 88.7f) + 1.0f + 1e-16f)));
        if (i > -880)
            assert_true(near(one(hb_sigmoid, x), 1 / (1 + exp(-(double)x)), 3e-7));
    }
    assert_true(one(hb_sigmoid, 0) == 0.5f);
    assert_true(one(hb_sigmoid, INFINITY) == 1);
    assert_true(near(one(hb_sigmoid, -INFINITY), exp(-(double)88.7f), 1e-6)); /* not 0 */
    assert_true(one(hb_sigmoid, -1000) == one(hb_sigmoid, -INFINITY));
    assert_true(isnan(one(hb_sigmoid, NAN)));
    check_places(hb_sigmoid);
}

static void exp_and_log_have_their_limits(void **state)
{
    assert_true(one(hb_exp, 0) == 1);
    assert_true(one(hb_exp, -INFINITY) == 0);
    assert_true(one(hb_exp, INFINITY) == INFINITY);
    assert_true(one(hb_exp, 89) == INFINITY);
    assert_true(near(one(hb_exp, 1), exp(1), 1e-7));
    assert_true(isnan(one(hb_exp, NAN)));
    assert_true(one(hb_log, 1) == 0);
    assert_true(one(hb_log, 0) == -INFINITY);
    assert_true(one(hb_log, INFINITY) == INFINITY);
    assert_true(near(one(hb_log, 10), log(10), 1e-7));
    assert_true(isnan(one(hb_log, -1)));
    assert_true(isnan(one(hb_log, NAN)));
    check_places(hb_exp);
    check_places(hb_log);
}

static void logit_is_clamped(void **state)
{
    const float low = 1e-6f, high = 1.0f - 1e-6f;

    assert_true(one(hb_logit, 0.5f) == 0);
    assert_true(near(one(hb_logit, 0.25f), -log(3), 1e-6));
    assert_true(near(one(hb_logit, 0.75f), log(3), 1e-6));
    assert_true(same(one(hb_logit, 0), -logf(1.0f / low - 1.0f)));
    assert_true(same(one(hb_logit, 1), -logf(1.0f / high - 1.0f)));
    assert_true(same(one(hb_logit, -5), one(hb_logit, low)));
    assert_true(same(one(hb_logit, INFINITY), one(hb_logit, high)));
    assert_true(near(one(hb_logit, 0), log(1e-6), 1e-5));
    check_places(hb_logit);
}

static float marked;
static void mark(const hb_tile *tile)
{
    hb_mark_missing(tile, marked);
}

static void one_number_becomes_missing(void **state)
{
    marked = 5;
    assert_true(isnan(one(mark, 5)));
    assert_true(one(mark, 0x1.400002p+2f) == 0x1.400002p+2f);
    assert_true(one(mark, -5) == -5);
    assert_true(one(mark, INFINITY) == INFINITY);
    assert_true(isnan(one(mark, NAN)));
    check_places(mark);
    marked = 0;
    assert_true(isnan(one(mark, 0)));
    assert_true(isnan(one(mark, -0.0f))); /* equal, as XGBoost compares */
    assert_true(one(mark, 0x1p-149f) == 0x1p-149f);
    marked = -INFINITY;
    assert_true(isnan(one(mark, -INFINITY)));
    assert_true(one(mark, INFINITY) == INFINITY);
}

static float threshold;
static void greater(const hb_tile *tile)
{
    hb_greater(tile, threshold);
}

static void only_above_the_threshold_is_1(void **state)
{
    threshold = 0.5f;
    assert_true(same(one(greater, 0.5f), 0));
    assert_true(same(one(greater, 0x1.000002p-1f), 1));
    assert_true(same(one(greater, INFINITY), 1));
    assert_true(same(one(greater, -INFINITY), 0));
    assert_true(same(one(greater, NAN), 0));
    check_places(greater);
    threshold = 0;
    assert_true(same(one(greater, -0.0f), 0));
    assert_true(same(one(greater, 0x1p-149f), 1));
}

static void complement_gives_both_classes(void **state)
{
    const float p[] = {0, 0.25f, 1, 0x1p-30f, NAN};
    float y[10];

    apply(hb_complement, 1, 2, 5, p, y, false);
    for (size_t r = 0; r < 5; r++) {
        assert_true(same(y[r], 1.0f - p[r]));
        assert_true(same(y[5 + r], p[r]));
    }
    assert_true(y[0] == 1 && y[1] == 0.75f && y[2] == 0 && y[3] == 1);
}

/* ---- operators that see the whole row */

static void softmax_of(const float *x, size_t width, float *y)
{
    float most = x[0];
    double sum = 0;

    for (size_t c = 1; c < width; c++)
        most = fmaxf(x[c], most);
    for (size_t c = 0; c < width; c++)
        sum += (double)(y[c] = hb_expf(x[c] - most));
    for (size_t c = 0; c < width; c++)
        y[c] /= (float)sum;
}

static void softmax_sums_in_float64(void **state)
{
    enum { W = 3000 };
    static float x[W], y[W], expected[W];
    uint64_t random = 3;
    float sum32 = 0;
    double exact = 0;

    for (size_t c = 0; c < W; c++)
        x[c] = (float)(test_random(&random) % 1000) / 250;
    apply(hb_softmax, W, W, 1, x, y, true);
    softmax_of(x, W, expected);
    for (size_t c = 0; c < W; c++) {
        assert_true(same(y[c], expected[c]));
        exact += exp((double)x[c]);
        sum32 += expf(x[c] - 3.996f);
    }
    for (size_t c = 0; c < W; c++)
        assert_true(near(y[c], exp((double)x[c]) / exact, 3e-7));
    assert_false(same(expf(x[0] - 3.996f) / sum32, y[0])); /* float32 sums would show */
}

/* Some NaNs and infinities, and equal numbers. */
static float any_number(uint64_t *random)
{
    uint64_t kind = test_random(random) % 4096;

    return kind == 0   ? NAN
           : kind == 1 ? INFINITY
           : kind == 2 ? -INFINITY
                       : (float)(test_random(random) % 100000) / 9973 - (float)(test_random(random) % 5);
}

static void wide_rows_are_each_scored_as_if_alone(void **state)
{
    enum { MOST = 4096, ROWS = 130 };
    static const size_t widths[] = {2, 100, 1000, MOST}, counts[] = {1, 63, 64, 65, ROWS};
    float *x = malloc(MOST * ROWS * sizeof *x), *y = malloc(MOST * ROWS * sizeof *y);
    float row[MOST], expected[MOST], best[ROWS];
    uint64_t random = 31;

    assert_true(x && y);
    for (size_t i = 0; i < sizeof widths / sizeof *widths * (sizeof counts / sizeof *counts); i++) {
        size_t width = widths[i / 5], rows = counts[i % 5];

        for (size_t k = 0; k < width * rows; k++)
            x[k] = any_number(&random);
        apply(hb_softmax, width, width, rows, x, y, true);
        apply(hb_argmax, width, 1, rows, x, best, true);
        for (size_t r = 0; r < rows; r++) {
            size_t most = 0;

            for (size_t c = 0; c < width; c++)
                row[c] = x[c * rows + r];
            softmax_of(row, width, expected);
            for (size_t c = 0; c < width; c++) {
                assert_true(same(y[c * rows + r], expected[c]));
                most = row[c] > row[most] ? c : most;
            }
            assert_true(best[r] == (float)most);
        }
    }
    free(x);
    free(y);
}

static void softmax_of_special_rows(void **state)
{
    /* rows: equal, one far above, an infinity, a minus infinity, a NaN */
    const float x[15] = {1, 500, INFINITY, -INFINITY, 0, 1, 0, 0, 0, NAN, 1, 0, 0, 0, 0};
    float y[15];

    apply(hb_softmax, 3, 3, 5, x, y, true);
    for (size_t c = 0; c < 3; c++) {
        assert_true(same(y[c * 5], 1.0f / 3.0f));
        assert_true(y[c * 5 + 1] == (c == 0 ? 1 : 0));
        assert_true(isnan(y[c * 5 + 2])); /* inf - inf */
        assert_true(y[c * 5 + 3] == (c == 0 ? 0 : 0.5f));
        assert_true(isnan(y[c * 5 + 4]));
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void sorting_is_qsorts_for_every_width(void **state)
{
    enum { MAX = 300, R = 3 };
    static float x[MAX * R], y[MAX * R];
    uint64_t random = 5;

    for (size_t width = 1; width <= MAX; width++) {
        for (size_t i = 0; i < width * R; i++) /* row 0: many equal; row 1: falling; row 2: any */
            x[i] = i % R == 0   ? (float)(test_random(&random) % 7)
                   : i % R == 1 ? -(float)i
                                : (float)(int32_t)test_random(&random);
        x[(width - 1) * R + 2] = -INFINITY;
        apply(sort_columns, width, width, R, x, y, true);
        for (size_t r = 0; r < R; r++) {
            float row[MAX];

            for (size_t c = 0; c < width; c++)
                row[c] = x[c * R + r];
            qsort(row, width, sizeof *row, compare_floats);
            for (size_t c = 0; c < width; c++)
                assert_true(y[c * R + r] == row[c]);
        }
    }
}

static void sorting_with_nan_loses_nothing(void **state)
{
    const float x[] = {3, NAN, 1, NAN, 2};
    size_t nans = 0;
    float y[5], sum = 0;

    apply(sort_columns, 5, 5, 1, x, y, true);
    for (size_t c = 0; c < 5; c++)
        if (isnan(y[c]))
            nans++;
        else
            sum += y[c];
    assert_int_equal(nans, 2);
    assert_true(sum == 6);
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static void expectiles_rise_by_softplus(void **state)
{
    const float x[] = {-3, 0, 5, -40, 200, -INFINITY, -1};
    double sum = -3;
    float y[7];

    apply(hb_expectile, 7, 7, 1, x, y, true);
    assert_true(y[0] == -3);
    for (size_t c = 1; c < 7; c++) {
        sum += 1e-6 + softplus((double)x[c]);
        assert_true(near(y[c], sum, 1e-6) && y[c] >= y[c - 1]);
    }
}

static void a_nan_expectile_spoils_those_above_it_only(void **state)
{
    const float x[] = {1, NAN, 1};
    float y[3];

    apply(hb_expectile, 3, 3, 1, x, y, true);
    assert_true(y[0] == 1 && isnan(y[1]) && isnan(y[2]));
}

static void the_expectile_base_is_the_inverse(void **state)
{
    const float x[] = {-2, -1.5f, 0, 0.125f, 30};
    float margins[5], y[5];

    apply(hb_expectile_base, 5, 5, 1, x, margins, true);
    assert_true(margins[0] == -2);
    for (size_t c = 1; c < 5; c++) /* log(e^d - 1) */
        assert_true(fabs((double)margins[c] - log(expm1((double)x[c] - (double)x[c - 1] - 1e-6))) < 1e-5);
    apply(hb_expectile, 5, 5, 1, margins, y, true);
    for (size_t c = 0; c < 5; c++)
        assert_true(fabsf(y[c] - x[c]) < 1e-5f);
}

static void base_expectiles_that_do_not_rise_are_kept_apart(void **state)
{
    const float x[] = {1, 1, 0};
    float margins[3];

    apply(hb_expectile_base, 3, 3, 1, x, margins, true);
    for (size_t c = 1; c < 3; c++)
        assert_true(fabs((double)margins[c] - log(expm1(1e-6))) < 1e-4);
}

static float argmax_of(size_t width, const float *x)
{
    float y;

    apply(hb_argmax, width, 1, 1, x, &y, true);
    return y;
}

static void the_first_of_equal_maxima_wins(void **state)
{
    assert_true(argmax_of(4, (const float[]){1, 3, 3, 2}) == 1);
    assert_true(argmax_of(4, (const float[]){0, 0, 0, 0}) == 0);
    assert_true(argmax_of(4, (const float[]){-0.0f, 0, -1, 0}) == 0);
    assert_true(argmax_of(4, (const float[]){1, 2, 3, 4}) == 3);
    assert_true(argmax_of(3, (const float[]){-INFINITY, -INFINITY, -INFINITY}) == 0);
    assert_true(argmax_of(3, (const float[]){1, INFINITY, INFINITY}) == 1);
    assert_true(argmax_of(1, (const float[]){-7}) == 0);
}

static void argmax_passes_over_nan(void **state)
{
    assert_true(argmax_of(3, (const float[]){1, NAN, 2}) == 2);
    assert_true(argmax_of(3, (const float[]){NAN, 1, 2}) == 0); /* nothing is above a NaN */
    assert_true(argmax_of(3, (const float[]){NAN, NAN, NAN}) == 0);
}

static void argmax_of_each_row_is_its_own(void **state)
{
    float x[4 * LONG], y[LONG];

    for (size_t rows = 1; rows <= LONG; rows++) {
        for (size_t c = 0; c < 4; c++)
            for (size_t r = 0; r < rows; r++)
                x[c * rows + r] = c == r % 4 ? 9 : (float)c;
        apply(hb_argmax, 4, 1, rows, x, y, true);
        for (size_t r = 0; r < rows; r++)
            assert_true(y[r] == (float)(r % 4));
    }
}

static void a_linear_sum_skips_what_is_missing(void **state)
{
    enum { F = 5, O = 2 };
    static const float weights[F * O] = {1, -1, 0.1f, 10, 3, 0, 0x1p24f, 1, -0.5f, 2};
    static const float bias[O] = {0.25f, -3}, start[O] = {0.5f, 1};
    uint64_t random = 9;

    for (size_t rows = 1; rows <= LONG; rows += rows < 9 ? 1 : 13) {
        float x[F * LONG], y[O * LONG];

        for (size_t i = 0; i < F * rows; i++)
            x[i] = test_random_cell(&random);
        for (size_t o = 0; o < O; o++) {
            hb_tile tile = {x, y, F, rows, rows};

            hb_linear_begin(&tile, o, bias, start);
            hb_linear_add(&tile, 0, F / 2, o, O, weights);
            hb_linear_add(&tile, F / 2, F, o, O, weights);
        }
        for (size_t r = 0; r < rows; r++)
            for (size_t o = 0; o < O; o++) {
                float sum = bias[o] + start[o];

                for (size_t f = 0; f < F; f++)
                    if (!isnan(x[f * rows + r]))
                        sum += x[f * rows + r] * weights[f * O + o];
                assert_true(same(y[o * rows + r], sum));
            }
    }
}

static void a_row_of_missing_values_gives_bias_and_base(void **state)
{
    const float x[] = {NAN, NAN};
    float y = 0;

    hb_linear_begin(&(hb_tile){x, &y, 2, 1, 1}, 0, (const float[]){2}, (const float[]){0.5f});
    hb_linear_add(&(hb_tile){x, &y, 2, 1, 1}, 0, 2, 0, 1, (const float[]){INFINITY, 1});
    assert_true(y == 2.5f);
}

/* ------------------------------------------------------------------ elementary functions */

/* The answers of CPUs with fused multiply-add, on all CPUs; each is next to the exact value. */
static void two_inputs_of_expf_have_one_answer(void **state)
{
    static const float in[] = {0x1.04845ep+5f, -0x1.f8cbb2p+5f};
    static const float out[] = {0x1.f93e38p+46f, 0x1.f45326p-92f};

    for (size_t i = 0; i < 2; i++) {
        double exact = exp((double)in[i]);

        assert_true(same(hb_expf(in[i]), out[i]));
        assert_true((double)nextafterf(out[i], 0) < exact);
        assert_true((double)nextafterf(out[i], INFINITY) > exact);
        assert_true(same(hb_expf(nextafterf(in[i], 0)), expf(nextafterf(in[i], 0))));
    }
}

static void elementary_functions_are_within_an_ulp(void **state)
{
    for (int i = 1; i < 2000; i++) {
        float x = (float)i / 37;

        assert_true(near(hb_expf(-x), exp(-(double)x), 1.2e-7));
        assert_true(i == 37 || near(hb_logf(x), log((double)x), 1.2e-7));
        assert_true(near(hb_log1pf(x), log1p((double)x), 1.2e-7));
        assert_true(near(hb_expm1f(-x), expm1(-(double)x), 1.2e-7));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigmoid_is_the_librarys_with_its_bound),
        cmocka_unit_test(exp_and_log_have_their_limits),
        cmocka_unit_test(logit_is_clamped),
        cmocka_unit_test(one_number_becomes_missing),
        cmocka_unit_test(only_above_the_threshold_is_1),
        cmocka_unit_test(complement_gives_both_classes),
        cmocka_unit_test(softmax_sums_in_float64),
        cmocka_unit_test(wide_rows_are_each_scored_as_if_alone),
        cmocka_unit_test(softmax_of_special_rows),
        cmocka_unit_test(sorting_is_qsorts_for_every_width),
        cmocka_unit_test(sorting_with_nan_loses_nothing),
        cmocka_unit_test(expectiles_rise_by_softplus),
        cmocka_unit_test(a_nan_expectile_spoils_those_above_it_only),
        cmocka_unit_test(the_expectile_base_is_the_inverse),
        cmocka_unit_test(base_expectiles_that_do_not_rise_are_kept_apart),
        cmocka_unit_test(the_first_of_equal_maxima_wins),
        cmocka_unit_test(argmax_passes_over_nan),
        cmocka_unit_test(argmax_of_each_row_is_its_own),
        cmocka_unit_test(a_linear_sum_skips_what_is_missing),
        cmocka_unit_test(a_row_of_missing_values_gives_bias_and_base),
        cmocka_unit_test(two_inputs_of_expf_have_one_answer),
        cmocka_unit_test(elementary_functions_are_within_an_ulp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
