/* arithmetic.c - see arithmetic64.h: single numbers, as readers compute a file's constants. The kernels have the same
 * bits. */
#include "base/arithmetic64.h"

double hb_round_number(hb_rounding rounding, double x)
{
    if (rounding == HB_ROUND_INT32)
        return hb_int32_of(x);
    if (rounding == HB_ROUND_INT64)
        return fabs(x) < HB_LARGEST_INTEGER ? x : INFINITY;
    if (rounding == HB_ROUND_WHOLE)
        return fabs(x) <= HB_LARGEST_INTEGER ? x : INFINITY;
    if (x != x)
        return NAN;
    return rounding == HB_ROUND_FLOAT32 ? (double)(float)x : x;
}

static double map(hb_map_function function, hb_rounding rounding, const double numbers[2], double v)
{
#define CASE(function, expression) \
    case function:                 \
        return expression;
    switch (function) {
        HB_MAPPED(CASE)
    case HB_MAP_LINEAR:
        return hb_round_number(rounding, v * numbers[0]) + numbers[1];
    default:
        return v;
    }
#undef CASE
}

static double combine(hb_combine_function function, double l, double r)
{
#define CASE(function, expression) \
    case function:                 \
        return expression;
    switch (function) {
        HB_COMBINED(CASE)
    default:
        return NAN;
    }
#undef CASE
}

double hb_map_number(hb_map_function function, hb_rounding rounding, const double numbers[2], double x)
{
    return hb_wraps(rounding) ? hb_map_wrapped(function, rounding, x)
                              : hb_round_number(rounding, map(function, rounding, numbers, x));
}

double hb_combine_numbers(hb_combine_function function, hb_rounding rounding, double l, double r)
{
    return hb_round_number(rounding, combine(function, l, r));
}

/* ---- several numbers */

/* The place of the extreme; `sign` -1: of the least. */
static double find_place(const double *x, size_t n, double sign, bool last)
{
    size_t place = 0;

    for (size_t i = 1; i < n; i++)
        if (sign * x[i] > sign * x[place] || (last && x[i] == x[place]))
            place = i;
    return (double)place;
}

static double log_sum_exp(const double *x, size_t n)
{
    double most = -INFINITY, sum = 0;

    for (size_t i = 0; i < n; i++)
        most = hb_maximum_of(most, x[i]);
    if (!(fabs(most) <= DBL_MAX))
        return most;
    for (size_t i = 0; i < n; i++)
        sum += hb_exp64(x[i] - most);
    return hb_log64(sum) + most;
}

static double start_of(hb_reduce_function function)
{
    if (function == HB_REDUCE_MAXIMUM || function == HB_REDUCE_LARGEST_NUMBER)
        return -INFINITY;
    return function == HB_REDUCE_MINIMUM ? INFINITY : function == HB_REDUCE_PRODUCT ? 1 : 0;
}

static double with_next(hb_reduce_function function, double y, double x)
{
    switch (function) {
    case HB_REDUCE_PRODUCT:
        return y * x;
    case HB_REDUCE_MAXIMUM:
        return hb_maximum_of(y, x);
    case HB_REDUCE_MINIMUM:
        return hb_minimum_of(y, x);
    case HB_REDUCE_LARGEST_NUMBER:
        return x > y ? x : y;
    case HB_REDUCE_SUM_OF_MAGNITUDES:
        return y + fabs(x);
    case HB_REDUCE_SUM_OF_SQUARES:
    case HB_REDUCE_LENGTH:
        return y + x * x;
    default:
        return y + x;
    }
}

static double reduce(hb_reduce_function function, const double *x, size_t n)
{
    double y = start_of(function);

    if (function >= HB_REDUCE_ARGMAX)
        return find_place(x, n, function == HB_REDUCE_ARGMAX || function == HB_REDUCE_ARGMAX_LAST ? 1 : -1,
                          function >= HB_REDUCE_ARGMAX_LAST);
    if (function == HB_REDUCE_LOG_SUM_EXP)
        return log_sum_exp(x, n);
    for (size_t i = 0; i < n; i++)
        y = with_next(function, y, x[i]);
    if (function == HB_REDUCE_MEAN)
        return y / (double)n;
    return function == HB_REDUCE_LENGTH ? sqrt(y) : function == HB_REDUCE_LOG_SUM ? hb_log64(y) : y;
}

double hb_reduce_numbers(hb_reduce_function function, hb_rounding rounding, const double *x, size_t n)
{
    return hb_round_number(rounding, reduce(function, x, n));
}
