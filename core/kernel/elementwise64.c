/* elementwise64.c - see elementwise64.h. The order of every operation is the library's own. */
#include "kernel/elementwise64.h"

#include <math.h>

#include "kernel/elementary64.h"
#include "kernel/kernels.h"

/* Each number by itself. A tile that is full is one run of numbers; so is a tile of one row. */
#define FOR_EACH(tile, x, y, statement)                                                            \
    for (size_t c_ = 0, n_ = run_of(tile); c_ < columns_of(tile); c_++) {                          \
        HB_INDEPENDENT                                                                             \
        for (size_t r_ = 0; r_ < n_; r_++) {                                                       \
            double x = (tile)->in[c_ * (tile)->stride + r_];                                       \
            double *y = &(tile)->out[c_ * (tile)->stride + r_];                                    \
            statement;                                                                             \
        }                                                                                          \
    }

static inline size_t run_of(const hb_tile64 *tile)
{
    return tile->rows == tile->stride ? tile->width * tile->rows : tile->rows;
}

static inline size_t columns_of(const hb_tile64 *tile)
{
    return tile->rows == tile->stride ? 1 : tile->width;
}

/* Each number x of column c with p = numbers[c]; of one row, numbers stand beside numbers. */
#define FOR_EACH_WITH(tile, x, y, numbers, p, statement)                                           \
    if ((tile)->stride == 1) {                                                                     \
        HB_INDEPENDENT                                                                             \
        for (size_t c_ = 0; c_ < (tile)->width; c_++) {                                            \
            double x = (tile)->in[c_], p = (numbers)[c_];                                          \
            double *y = &(tile)->out[c_];                                                          \
            statement;                                                                             \
        }                                                                                          \
    } else {                                                                                       \
        for (size_t c_ = 0; c_ < (tile)->width; c_++) {                                            \
            double p = (numbers)[c_];                                                              \
            HB_INDEPENDENT                                                                         \
            for (size_t r_ = 0; r_ < (tile)->rows; r_++) {                                         \
                double x = (tile)->in[c_ * (tile)->stride + r_];                                   \
                double *y = &(tile)->out[c_ * (tile)->stride + r_];                                \
                statement;                                                                         \
            }                                                                                      \
        }                                                                                          \
    }

#define ZERO_THRESHOLD 1.0000000180025095e-35 /* 1e-35f as a double */

void HB_KERNEL(hb_flush_tiny64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = x >= -ZERO_THRESHOLD && x <= ZERO_THRESHOLD ? 0 : x)
}

void HB_KERNEL(hb_mark_missing64)(const hb_tile64 *tile, double number)
{
    FOR_EACH(tile, x, y, *y = x == number ? NAN : x)
}

void HB_KERNEL(hb_affine64)(const hb_tile64 *tile, double factor, const double *bias)
{
    FOR_EACH_WITH(tile, x, y, bias, b, *y = factor * x + b)
}

void HB_KERNEL(hb_subtract64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = x - p)
}

void HB_KERNEL(hb_quotient64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = x / p)
}

void HB_KERNEL(hb_multiply64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = x * p)
}

void HB_KERNEL(hb_add64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = x + p)
}

void HB_KERNEL(hb_round64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = (double)(float)x)
}

void HB_KERNEL(hb_clip64)(const hb_tile64 *tile, const double limits[2])
{
    FOR_EACH(tile, x, y, *y = x < limits[0] ? limits[0] : x > limits[1] ? limits[1] : x)
}

void HB_KERNEL(hb_impute64)(const hb_tile64 *tile, const double *fill, double missing)
{
    FOR_EACH_WITH(tile, x, y, fill, p, *y = x != x || x == missing ? p : x)
}

void HB_KERNEL(hb_plus_minus64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        tile->out[r] = -tile->in[r];
        tile->out[tile->stride + r] = tile->in[r];
    }
}

void HB_KERNEL(hb_normalize64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        double sum = 0;

        for (size_t c = 0; c < tile->width; c++)
            sum += tile->in[c * tile->stride + r];
        for (size_t c = 0; c < tile->width; c++)
            tile->out[c * tile->stride + r] =
                sum == 0 ? 1.0 / (double)tile->width : tile->in[c * tile->stride + r] / sum;
    }
}

void HB_KERNEL(hb_variance64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        tile->out[r] = tile->in[r];
        tile->out[tile->stride + r] = hb_exp64(2 * tile->in[tile->stride + r]);
    }
}

void HB_KERNEL(hb_divide64)(const hb_tile64 *tile, double divisor)
{
    FOR_EACH(tile, x, y, *y = x / divisor)
}

void HB_KERNEL(hb_sigmoid64)(const hb_tile64 *tile, double factor)
{
    FOR_EACH(tile, x, y, *y = 1.0 / (1.0 + hb_exp64(-factor * x)))
}

void HB_KERNEL(hb_softmax64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        const double *in = tile->in + r;
        double *out = tile->out + r, most = in[0], sum = 0;

        for (size_t c = 1; c < tile->width; c++)
            most = in[c * tile->stride] > most ? in[c * tile->stride] : most;
        for (size_t c = 0; c < tile->width; c++) {
            double term = hb_exp64(in[c * tile->stride] - most);

            out[c * tile->stride] = term;
            sum += term;
        }
        for (size_t c = 0; c < tile->width; c++)
            out[c * tile->stride] /= sum;
    }
}

void HB_KERNEL(hb_logsumexp64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        const double *in = tile->in + r;
        double most = in[0], sum = 0, log;

        for (size_t c = 1; c < tile->width; c++)
            most = in[c * tile->stride] > most ? in[c * tile->stride] : most;
        for (size_t c = 0; c < tile->width; c++)
            sum += hb_exp64(in[c * tile->stride] - most);
        log = hb_log64(sum) + most;
        for (size_t c = 0; c < tile->width; c++)
            tile->out[c * tile->stride + r] = hb_exp64(in[c * tile->stride] - log);
    }
}

void HB_KERNEL(hb_exp_tile64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = hb_exp64(x))
}

void HB_KERNEL(hb_square64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = (double)((x > 0) - (x < 0)) * x * x)
}

void HB_KERNEL(hb_softplus64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = hb_log1p64(hb_exp64(x)))
}

void HB_KERNEL(hb_complement64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        tile->out[r] = 1.0 - tile->in[r];
        tile->out[tile->stride + r] = tile->in[r];
    }
}

void HB_KERNEL(hb_greater64)(const hb_tile64 *tile, double threshold)
{
    FOR_EACH(tile, x, y, *y = x > threshold)
}

void HB_KERNEL(hb_argmax64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++) {
        double most = tile->in[r];
        size_t best = 0;

        for (size_t c = 1; c < tile->width; c++) {
            double x = tile->in[c * tile->stride + r];

            if (x > most) {
                most = x;
                best = c;
            }
        }
        tile->out[r] = (double)best;
    }
}
