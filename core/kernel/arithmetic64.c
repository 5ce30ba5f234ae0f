/* arithmetic64.c - see arithmetic64.h. A function is picked once for a run; then the run is rounded. */
#include "kernel/arithmetic64.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary64.h"
#include "kernel/loops.h"
#include "kernel/tanh64.h"

/* ---- rounding */

#define LARGEST_INTEGER 9007199254740992.0 /* 2^53 */

/* Modulo 2^32, as a signed number; what no integer of 53 bits is becomes infinite. */
static inline double to_int32(double x)
{
    return fabs(x) < LARGEST_INTEGER ? (double)(int32_t)(uint32_t)(uint64_t)(int64_t)x : INFINITY;
}

static void round_run(hb_rounding rounding, double *y, size_t n)
{
    switch (rounding) {
    case HB_ROUND_NONE:
        HB_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] == y[i] ? y[i] : NAN;
        break;
    case HB_ROUND_FLOAT32:
        HB_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] == y[i] ? (double)(float)y[i] : NAN;
        break;
    case HB_ROUND_INT32:
        for (size_t i = 0; i < n; i++)
            y[i] = to_int32(y[i]);
        break;
    case HB_ROUND_INT64:
        HB_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            y[i] = fabs(y[i]) < LARGEST_INTEGER ? y[i] : INFINITY;
        break;
    }
}

/* ---- map */

#define MAP(expression)                  \
    {                                    \
        HB_INDEPENDENT                   \
        for (size_t i = 0; i < n; i++) { \
            double v = x[i];             \
            y[i] = (expression);         \
        }                                \
    }                                    \
    break

static inline double logistic(double x)
{
    double e = hb_exp64(-fabs(x));

    return x != x ? NAN : x < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* log(1 + exp(x)) without an overflow. */
static inline double softplus(double x)
{
    return x != x ? NAN : (x > 0 ? x : 0) + hb_log1p64(hb_exp64(-fabs(x)));
}

static inline double clipped(double x, double low, double high)
{
    double least = x < low ? low : x;

    return least > high ? high : least;
}

static void linear_run(hb_rounding rounding, const double numbers[2], const double *x, size_t n, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * numbers[0];
    round_run(rounding, y, n);
    for (size_t i = 0; i < n; i++)
        y[i] = y[i] + numbers[1];
}

void HB_KERNEL(hb_map64)(hb_map_function function, hb_rounding rounding, const double numbers[2], const double *x,
                         size_t n, double *y)
{
    /* clang-format off */
    switch (function) {
    case HB_MAP_ABSOLUTE:    MAP(fabs(v));
    case HB_MAP_NEGATIVE:    MAP(-v);
    case HB_MAP_SQUARE_ROOT: MAP(v >= 0 ? sqrt(v) : NAN);
    case HB_MAP_EXP:         MAP(v == v ? hb_exp64(v) : NAN);
    case HB_MAP_LOG:         MAP(v == v ? hb_log64(v) : NAN);
    case HB_MAP_RECIPROCAL:  MAP(1 / v);
    case HB_MAP_FLOOR:       MAP(floor(v));
    case HB_MAP_CEIL:        MAP(ceil(v));
    case HB_MAP_NEAREST:     MAP(rint(v));
    case HB_MAP_TRUNCATE:    MAP(trunc(v));
    case HB_MAP_SIGN:        MAP(v == v ? (double)((v > 0) - (v < 0)) : NAN);
    case HB_MAP_LOGISTIC:    MAP(logistic(v));
    case HB_MAP_TANH:        MAP(hb_tanh64(v));
    case HB_MAP_SOFTPLUS:    MAP(softplus(v));
    case HB_MAP_CLIP:        MAP(clipped(v, numbers[0], numbers[1]));
    case HB_MAP_LINEAR:      linear_run(rounding, numbers, x, n, y); break;
    case HB_MAP_NOT:         MAP((double)(v == 0));
    case HB_MAP_TRUTH:       MAP((double)(v != 0));
    case HB_MAP_IS_NAN:      MAP((double)(v != v));
    default:                 MAP(v);
    }
    /* clang-format on */
    round_run(rounding, y, n);
}

/* ---- combine */

#define PAIRS(expression)                           \
    if (o->left_is_one) {                           \
        double l = *o->left;                        \
        HB_INDEPENDENT                              \
        for (size_t i = 0; i < n; i++) {            \
            double r = o->right[i];                 \
            y[i] = (expression);                    \
        }                                           \
    } else if (o->right_is_one) {                   \
        double r = *o->right;                       \
        HB_INDEPENDENT                              \
        for (size_t i = 0; i < n; i++) {            \
            double l = o->left[i];                  \
            y[i] = (expression);                    \
        }                                           \
    } else {                                        \
        HB_INDEPENDENT                              \
        for (size_t i = 0; i < n; i++) {            \
            double l = o->left[i], r = o->right[i]; \
            y[i] = (expression);                    \
        }                                           \
    }                                               \
    break

/* By squaring; the exponent is whole and below 2^31. */
static double whole_power(double x, double exponent)
{
    double result = 1;

    for (uint32_t e = (uint32_t)fabs(exponent); e; e >>= 1) {
        if (e & 1)
            result *= x;
        x *= x;
    }
    return exponent < 0 ? 1 / result : result;
}

/* Takes the logarithm, for any exponent: the C library's pow has other bits on other CPUs. */
static double power_of_any(double x, double exponent)
{
    bool whole = exponent == trunc(exponent), odd = fabs(exponent) < LARGEST_INTEGER && fmod(exponent, 2) != 0;
    double result = hb_exp64(exponent * hb_log64(fabs(x)));

    if (x != x || exponent != exponent || (x < 0 && !whole && fabs(x) <= DBL_MAX))
        return NAN;
    return x < 0 && odd ? -result : result;
}

static double power(double x, double exponent)
{
    enum { MOST = 64 };

    if (exponent == 0 || x == 1)
        return 1;
    if (fabs(exponent) <= MOST && exponent == trunc(exponent))
        return whole_power(x, exponent);
    if (exponent == 0.5)
        return x == -INFINITY ? INFINITY : sqrt(x) + 0.0;
    return power_of_any(x, exponent);
}

static double modulo(double x, double divisor)
{
    double rest = divisor == 0 ? NAN : fmod(x, divisor);

    return rest != 0 && (rest < 0) != (divisor < 0) ? rest + divisor : rest;
}

static inline double maximum(double l, double r)
{
    return l != l || r != r ? NAN : l > r ? l : r;
}

static inline double minimum(double l, double r)
{
    return l != l || r != r ? NAN : l < r ? l : r;
}

void HB_KERNEL(hb_combine64)(hb_combine_function function, hb_rounding rounding, const hb_operands *o, size_t n,
                             double *y)
{
    /* clang-format off */
    switch (function) {
    case HB_COMBINE_ADD:              PAIRS(l + r);
    case HB_COMBINE_SUBTRACT:         PAIRS(l - r);
    case HB_COMBINE_MULTIPLY:         PAIRS(l * r);
    case HB_COMBINE_DIVIDE:           PAIRS(l / r);
    case HB_COMBINE_DIVIDE_WHOLE:     PAIRS(trunc(l / r));
    case HB_COMBINE_POWER:            PAIRS(power(l, r));
    case HB_COMBINE_MODULO:           PAIRS(modulo(l, r));
    case HB_COMBINE_REMAINDER:        PAIRS(fmod(l, r));
    case HB_COMBINE_MAXIMUM:          PAIRS(maximum(l, r));
    case HB_COMBINE_MINIMUM:          PAIRS(minimum(l, r));
    case HB_COMBINE_EQUAL:            PAIRS((double)(l == r));
    case HB_COMBINE_LESS:             PAIRS((double)(l < r));
    case HB_COMBINE_LESS_OR_EQUAL:    PAIRS((double)(l <= r));
    case HB_COMBINE_GREATER:          PAIRS((double)(l > r));
    case HB_COMBINE_GREATER_OR_EQUAL: PAIRS((double)(l >= r));
    case HB_COMBINE_AND:              PAIRS((double)(l != 0 && r != 0));
    case HB_COMBINE_OR:               PAIRS((double)(l != 0 || r != 0));
    default:                          PAIRS((double)((l != 0) != (r != 0)));
    }
    /* clang-format on */
    round_run(rounding, y, n);
}

void HB_KERNEL(hb_choose64)(const double *condition, const double *x, const double *y, size_t n, double *to)
{
    HB_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        to[i] = condition[i] != 0 ? x[i] : y[i];
}

/* ---- reduce */

#define EACH_COLUMN(first, statement)                                      \
    for (size_t c = (first); c < tile->width; c++)                         \
        for (size_t r = 0; r < tile->rows; r++) {                          \
            double x = tile->in[c * tile->stride + r], *y = &tile->out[r]; \
            statement;                                                     \
        }                                                                  \
    break

static void start(const hb_tile64 *tile, double number)
{
    for (size_t r = 0; r < tile->rows; r++)
        tile->out[r] = number;
}

/* The place of the extreme; `sign` -1: of the least. */
static void find_place(const hb_tile64 *tile, double sign, bool last)
{
    double most[HB_ROWS];

    for (size_t r = 0; r < tile->rows; r++) {
        most[r] = sign * tile->in[r];
        tile->out[r] = 0;
    }
    for (size_t c = 1; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++) {
            double x = sign * tile->in[c * tile->stride + r];

            if (x > most[r] || (last && x == most[r])) {
                most[r] = x;
                tile->out[r] = (double)c;
            }
        }
}

/* An infinite largest number is the result. */
static void log_sum_exp(const hb_tile64 *tile)
{
    double most[HB_ROWS];

    for (size_t r = 0; r < tile->rows; r++) {
        most[r] = -INFINITY;
        tile->out[r] = 0;
    }
    for (size_t c = 0; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++)
            most[r] = maximum(most[r], tile->in[c * tile->stride + r]);
    for (size_t c = 0; c < tile->width; c++)
        for (size_t r = 0; r < tile->rows; r++)
            tile->out[r] += fabs(most[r]) <= DBL_MAX ? hb_exp64(tile->in[c * tile->stride + r] - most[r]) : 0;
    for (size_t r = 0; r < tile->rows; r++)
        tile->out[r] = fabs(most[r]) <= DBL_MAX ? hb_log64(tile->out[r]) + most[r] : most[r];
}

static void reduce_columns(hb_reduce_function function, const hb_tile64 *tile)
{
    /* clang-format off */
    switch (function) {
    case HB_REDUCE_PRODUCT:           start(tile, 1); EACH_COLUMN(0, *y *= x);
    case HB_REDUCE_MAXIMUM:           start(tile, -INFINITY); EACH_COLUMN(0, *y = maximum(*y, x));
    case HB_REDUCE_MINIMUM:           start(tile, INFINITY); EACH_COLUMN(0, *y = minimum(*y, x));
    case HB_REDUCE_LARGEST_NUMBER:    start(tile, -INFINITY); EACH_COLUMN(0, *y = x > *y ? x : *y);
    case HB_REDUCE_SUM_OF_MAGNITUDES: start(tile, 0); EACH_COLUMN(0, *y += fabs(x));
    case HB_REDUCE_SUM_OF_SQUARES:
    case HB_REDUCE_LENGTH:            start(tile, 0); EACH_COLUMN(0, *y += x * x);
    case HB_REDUCE_LOG_SUM_EXP:       log_sum_exp(tile); break;
    case HB_REDUCE_ARGMAX:            find_place(tile, 1, false); break;
    case HB_REDUCE_ARGMIN:            find_place(tile, -1, false); break;
    case HB_REDUCE_ARGMAX_LAST:       find_place(tile, 1, true); break;
    case HB_REDUCE_ARGMIN_LAST:       find_place(tile, -1, true); break;
    default:                          start(tile, 0); EACH_COLUMN(0, *y += x);
    }
    /* clang-format on */
}

static void reduce_rows(hb_reduce_function function, hb_rounding rounding, const hb_tile64 *tile)
{
    double *y = tile->out, n = (double)tile->width;

    reduce_columns(function, tile);
    for (size_t r = 0; r < tile->rows; r++)
        y[r] = function == HB_REDUCE_MEAN      ? y[r] / n
               : function == HB_REDUCE_LENGTH  ? sqrt(y[r])
               : function == HB_REDUCE_LOG_SUM ? hb_log64(y[r])
                                               : y[r];
    round_run(rounding, y, tile->rows);
}

void HB_KERNEL(hb_reduce64)(hb_reduce_function function, hb_rounding rounding, const hb_tile64 *tile)
{
    for (size_t first = 0; first < tile->rows; first += HB_ROWS) {
        hb_tile64 part = hb_rows_from(tile, first);

        reduce_rows(function, rounding, &part);
    }
}
