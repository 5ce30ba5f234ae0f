/* test_arithmetic.c - the functions of base/arithmetic.h: what they are worth, and the same bits of each instruction
 * set, of a run and of its numbers one by one. */
#include <float.h>
#include <math.h>

#include "support.h"

#include "base/arithmetic64.h"
#include "kernel/kernels_isas.h"

enum { NUMBERS = 77 };

static const double odd[] = {0.0,  -0.0,        INFINITY, -INFINITY, NAN, 1,      -1,       2.5,
                             -2.5, 0.5,         1e30,     -1e-30,    3,   5e-324, 16777217, 9007199254740992.0,
                             -7,   2147483648.0};

static void fill(double *to, uint64_t seed)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        uint64_t r = test_random(&seed);

        to[i] = r % 3 ? odd[r / 3 % (sizeof(odd) / sizeof(*odd))] : (double)(int64_t)(r >> 20) / (double)(1LL << 38);
    }
}

static void same_bits(const double *a, const double *b, size_t n, const char *what, int function, int rounding)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof(double)) != 0)
            fail_msg("%s %d, rounding %d: number %zu is %a and %a", what, function, rounding, i, a[i], b[i]);
}

/* ---- each instruction set, runs and single numbers, as single numbers outside kernels */

static void map_is_the_same_everywhere(void **state)
{
    static const double numbers[2] = {-1.5, 2};
    double x[NUMBERS], first[NUMBERS], y[NUMBERS];

    fill(x, 3);
    for (int f = 0; f < HB_N_MAP_FUNCTIONS; f++)
        for (int rounding = 0; rounding < HB_N_ROUNDINGS; rounding++) {
            for (size_t i = 0; i < NUMBERS; i++)
                first[i] = hb_map_number((hb_map_function)f, (hb_rounding)rounding, numbers, x[i]);
            for (size_t isa = 0; hb_kernels_at(isa); isa++) {
                hb_kernels_at(isa)->hb_map64((hb_map_function)f, (hb_rounding)rounding, numbers, x, NUMBERS, y);
                same_bits(first, y, NUMBERS, "map", f, rounding);
                for (size_t i = 0; i < NUMBERS; i++)
                    hb_kernels_at(isa)->hb_map64((hb_map_function)f, (hb_rounding)rounding, numbers, x + i, 1, y + i);
                same_bits(first, y, NUMBERS, "map", f, rounding);
            }
        }
}

static void combine_is_the_same_everywhere(void **state)
{
    double l[NUMBERS], r[NUMBERS], first[NUMBERS], y[NUMBERS];

    fill(l, 5);
    fill(r, 7);
    for (int f = 0; f < HB_N_COMBINE_FUNCTIONS; f++)
        for (int rounding = 0; rounding < HB_N_ROUNDINGS; rounding++)
            for (size_t isa = 0; hb_kernels_at(isa); isa++) {
                const hb_kernels *k = hb_kernels_at(isa);

                for (size_t i = 0; i < NUMBERS; i++)
                    first[i] = hb_combine_numbers((hb_combine_function)f, (hb_rounding)rounding, l[i], r[i]);
                k->hb_combine64((hb_combine_function)f, (hb_rounding)rounding, &(hb_operands){l, r, false, false},
                                NUMBERS, y);
                same_bits(first, y, NUMBERS, "combine", f, rounding);
                for (size_t i = 0; i < NUMBERS; i++)
                    k->hb_combine64((hb_combine_function)f, (hb_rounding)rounding,
                                    &(hb_operands){l + i, r + i, i % 2 == 0, i % 2 == 1}, 1, y + i);
                same_bits(first, y, NUMBERS, "combine", f, rounding);
            }
}

static void reduce_is_the_same_everywhere(void **state)
{
    enum { WIDTH = 7, ROWS = NUMBERS / WIDTH };
    double x[NUMBERS], first[ROWS], y[ROWS];

    fill(x, 11);
    for (int f = 0; f < HB_N_REDUCE_FUNCTIONS; f++)
        for (size_t isa = 0; hb_kernels_at(isa); isa++) {
            hb_tile64 tile = {x, y, WIDTH, ROWS, ROWS};

            for (size_t r = 0; r < ROWS; r++) {
                double row[WIDTH];

                for (size_t c = 0; c < WIDTH; c++)
                    row[c] = x[c * ROWS + r];
                first[r] = hb_reduce_numbers((hb_reduce_function)f, HB_ROUND_FLOAT32, row, WIDTH);
            }
            hb_kernels_at(isa)->hb_reduce64((hb_reduce_function)f, HB_ROUND_FLOAT32, &tile);
            same_bits(first, y, ROWS, "reduce", f, HB_ROUND_FLOAT32);
            for (size_t r = 0; r < ROWS; r++) {
                tile = (hb_tile64){x + r, y + r, WIDTH, ROWS, 1};
                hb_kernels_at(isa)->hb_reduce64((hb_reduce_function)f, HB_ROUND_FLOAT32, &tile);
            }
            same_bits(first, y, ROWS, "reduce", f, HB_ROUND_FLOAT32);
        }
}

static void choose_takes_what_the_condition_says(void **state)
{
    static const double condition[5] = {0, 1, -0.0, NAN, 5}, x[5] = {1, 2, 3, 4, NAN}, y[5] = {-1, -2, NAN, -4, -5};

    for (size_t isa = 0; hb_kernels_at(isa); isa++) {
        double to[5];

        hb_kernels_at(isa)->hb_choose64(condition, x, y, 5, to);
        assert_true(to[0] == -1 && to[1] == 2 && isnan(to[2]) && to[3] == 4 && isnan(to[4]));
    }
}

/* ---- what they are worth */

static double mapped(hb_map_function function, hb_rounding rounding, double x)
{
    static const double numbers[2] = {-1, 2};
    double y;

    hb_kernels_at(0)->hb_map64(function, rounding, numbers, &x, 1, &y);
    return y;
}

static double combined(hb_combine_function function, hb_rounding rounding, double l, double r)
{
    double y;

    hb_kernels_at(0)->hb_combine64(function, rounding, &(hb_operands){&l, &r, false, false}, 1, &y);
    return y;
}

static void results_are_rounded_to_their_type(void **state)
{
    assert_true(combined(HB_COMBINE_ADD, HB_ROUND_FLOAT32, 16777216, 1) == 16777216);
    assert_true(combined(HB_COMBINE_ADD, HB_ROUND_NONE, 16777216, 1) == 16777217);
    assert_true(combined(HB_COMBINE_ADD, HB_ROUND_INT32, 2147483647, 1) == -2147483648.0);
    assert_true(combined(HB_COMBINE_MULTIPLY, HB_ROUND_INT32, 65536, 65536) == 0);
    assert_true(combined(HB_COMBINE_ADD, HB_ROUND_INT64, 9007199254740990.0, 1) == 9007199254740991.0);
    assert_true(isinf(combined(HB_COMBINE_ADD, HB_ROUND_INT64, 9007199254740991.0, 1)));
    assert_true(isinf(combined(HB_COMBINE_DIVIDE_WHOLE, HB_ROUND_INT64, 7, 0)));
    assert_true(isinf(mapped(HB_MAP_TRUNCATE, HB_ROUND_INT64, NAN)));
    assert_true(mapped(HB_MAP_NEGATIVE, HB_ROUND_WHOLE, 0x1p53) == -0x1p53);
    assert_true(isinf(mapped(HB_MAP_TRUNCATE, HB_ROUND_WHOLE, 0x1p53 + 2)));
    assert_true(isinf(mapped(HB_MAP_TRUNCATE, HB_ROUND_INT32, 1e300)));
}

static void functions_are_those_of_onnx(void **state)
{
    assert_true(combined(HB_COMBINE_DIVIDE_WHOLE, HB_ROUND_INT64, -7, 2) == -3);
    assert_true(combined(HB_COMBINE_MODULO, HB_ROUND_INT64, -7, 3) == 2);
    assert_true(combined(HB_COMBINE_MODULO, HB_ROUND_INT64, 7, -3) == -2);
    assert_true(combined(HB_COMBINE_REMAINDER, HB_ROUND_NONE, -7, 3) == -1);
    assert_true(combined(HB_COMBINE_POWER, HB_ROUND_NONE, -2, 3) == -8);
    assert_true(combined(HB_COMBINE_POWER, HB_ROUND_NONE, 2, -2) == 0.25);
    assert_true(isnan(combined(HB_COMBINE_POWER, HB_ROUND_NONE, -2, 0.3)));
    assert_true(fabs(combined(HB_COMBINE_POWER, HB_ROUND_NONE, 3, 1.7) / pow(3, 1.7) - 1) < 1e-14);
    assert_true(combined(HB_COMBINE_POWER, HB_ROUND_NONE, 0, 0.3) == 0);
    assert_true(combined(HB_COMBINE_POWER, HB_ROUND_NONE, -2, INFINITY) == INFINITY);
    assert_true(fabs(combined(HB_COMBINE_POWER, HB_ROUND_NONE, -2, 65) / -0x1p65 - 1) < 1e-13);
    assert_true(isnan(combined(HB_COMBINE_MAXIMUM, HB_ROUND_NONE, 1, NAN)));
    assert_true(combined(HB_COMBINE_LESS, HB_ROUND_NONE, NAN, 1) == 0);
    assert_true(combined(HB_COMBINE_XOR, HB_ROUND_NONE, 1, 1) == 0);
    assert_true(mapped(HB_MAP_NEAREST, HB_ROUND_NONE, 2.5) == 2 && mapped(HB_MAP_NEAREST, HB_ROUND_NONE, -1.5) == -2);
    assert_true(mapped(HB_MAP_CLIP, HB_ROUND_NONE, 5) == 2 && isnan(mapped(HB_MAP_CLIP, HB_ROUND_NONE, NAN)));
    assert_true(mapped(HB_MAP_LINEAR, HB_ROUND_NONE, 5) == -3);
    assert_true(mapped(HB_MAP_LOGISTIC, HB_ROUND_NONE, 0) == 0.5);
    assert_true(mapped(HB_MAP_LOGISTIC, HB_ROUND_NONE, -800) >= 0 && mapped(HB_MAP_LOGISTIC, HB_ROUND_NONE, 800) == 1);
    assert_true(mapped(HB_MAP_TRUTH, HB_ROUND_NONE, NAN) == 1 && mapped(HB_MAP_NOT, HB_ROUND_NONE, -0.0) == 1);
    assert_true(mapped(HB_MAP_SOFTPLUS, HB_ROUND_NONE, 900) == 900);
}

static double reduced(hb_reduce_function function, const double *x, size_t n)
{
    double y;

    hb_kernels_at(0)->hb_reduce64(function, HB_ROUND_NONE, &(hb_tile64){x, &y, n, 1, 1});
    return y;
}

static void reductions_are_those_of_onnx(void **state)
{
    static const double x[4] = {3, -4, 3, -4}, wide[2] = {1000, 1000}, none[2] = {-INFINITY, -INFINITY};

    assert_true(reduced(HB_REDUCE_SUM, x, 4) == -2 && reduced(HB_REDUCE_MEAN, x, 4) == -0.5);
    assert_true(reduced(HB_REDUCE_PRODUCT, x, 4) == 144 && reduced(HB_REDUCE_LENGTH, x, 2) == 5);
    assert_true(reduced(HB_REDUCE_SUM_OF_MAGNITUDES, x, 4) == 14 && reduced(HB_REDUCE_SUM_OF_SQUARES, x, 4) == 50);
    assert_true(reduced(HB_REDUCE_MAXIMUM, x, 4) == 3 && reduced(HB_REDUCE_MINIMUM, x, 4) == -4);
    assert_true(reduced(HB_REDUCE_ARGMAX, x, 4) == 0 && reduced(HB_REDUCE_ARGMAX_LAST, x, 4) == 2);
    assert_true(reduced(HB_REDUCE_ARGMIN, x, 4) == 1 && reduced(HB_REDUCE_ARGMIN_LAST, x, 4) == 3);
    assert_true(reduced(HB_REDUCE_LARGEST_NUMBER, (const double[]){NAN, 2}, 2) == 2);
    assert_true(isnan(reduced(HB_REDUCE_MAXIMUM, (const double[]){NAN, 2}, 2)));
    assert_true(fabs(reduced(HB_REDUCE_LOG_SUM_EXP, wide, 2) - (1000 + log(2))) < 1e-12);
    assert_true(reduced(HB_REDUCE_LOG_SUM_EXP, none, 2) == -INFINITY);
    assert_true(reduced(HB_REDUCE_LOG_SUM, wide, 1) == log(1000) ||
                fabs(reduced(HB_REDUCE_LOG_SUM, wide, 1) - log(1000)) < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_is_the_same_everywhere),        cmocka_unit_test(combine_is_the_same_everywhere),
        cmocka_unit_test(reduce_is_the_same_everywhere),     cmocka_unit_test(choose_takes_what_the_condition_says),
        cmocka_unit_test(results_are_rounded_to_their_type), cmocka_unit_test(functions_are_those_of_onnx),
        cmocka_unit_test(reductions_are_those_of_onnx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
