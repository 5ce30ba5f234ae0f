/* arithmetic64.c - see arithmetic64.h. A function is picked once for a run; then the run is rounded. */
#include "kernel/arithmetic64.h"

#include "base/arithmetic64.h"
#include "kernel/exp64.h"
#include "kernel/loops.h"

/* ---- rounding */

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
            y[i] = hb_int32_of(y[i]);
        break;
    case HB_ROUND_INT64:
        HB_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            y[i] = fabs(y[i]) < HB_LARGEST_INTEGER ? y[i] : INFINITY;
        break;
    case HB_ROUND_WHOLE:
        HB_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            y[i] = fabs(y[i]) <= HB_LARGEST_INTEGER ? y[i] : INFINITY;
        break;
    default: /* map alone computes with them */
        HB_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] == y[i] ? y[i] : NAN;
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
    break;
#define MAP_CASE(function, expression) \
    case function:                     \
        MAP(expression)

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
    if (hb_wraps(rounding)) {
        for (size_t i = 0; i < n; i++)
            y[i] = hb_map_wrapped(function, rounding, x[i]);
        return;
    }
    if (function == HB_MAP_EXP) {
        hb_exp_run(x, y, n);
        round_run(rounding, y, n);
        return;
    }
    switch (function) {
        HB_MAPPED(MAP_CASE)
    case HB_MAP_LINEAR:
        linear_run(rounding, numbers, x, n, y);
        break;
    default:
        break;
    }
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
    break;
#define PAIRS_CASE(function, expression) \
    case function:                       \
        PAIRS(expression)

void HB_KERNEL(hb_combine64)(hb_combine_function function, hb_rounding rounding, const hb_operands *o, size_t n,
                             double *y)
{
    switch (function) {
        HB_COMBINED(PAIRS_CASE)
    default:
        break;
    }
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
            most[r] = hb_maximum_of(most[r], tile->in[c * tile->stride + r]);
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
    case HB_REDUCE_MAXIMUM:           start(tile, -INFINITY); EACH_COLUMN(0, *y = hb_maximum_of(*y, x));
    case HB_REDUCE_MINIMUM:           start(tile, INFINITY); EACH_COLUMN(0, *y = hb_minimum_of(*y, x));
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
