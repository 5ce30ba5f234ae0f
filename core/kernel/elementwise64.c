/* elementwise64.c - see elementwise64.h: the operators without an exponential. The order of every
 * operation is the library's own. */
#include "kernel/elementwise64.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel/lanes.h"
#include "kernel/loops.h"

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

void HB_KERNEL(hb_multiply64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = x * p)
}

void HB_KERNEL(hb_add64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = x + p)
}

void HB_KERNEL(hb_subtract32_64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = (double)((float)x - (float)p))
}

void HB_KERNEL(hb_quotient32_64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = (double)((float)x / (float)p))
}

void HB_KERNEL(hb_multiply32_64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = (double)((float)x * (float)p))
}

void HB_KERNEL(hb_add32_64)(const hb_tile64 *tile, const double *numbers)
{
    FOR_EACH_WITH(tile, x, y, numbers, p, *y = (double)((float)x + (float)p))
}

void HB_KERNEL(hb_round64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = (double)(float)x)
}

static double code(double x)
{
    if (!(x >= 0))
        return NAN;
    return x < 2147483648.0 ? (double)(uint8_t)(int32_t)x : 0;
}

void HB_KERNEL(hb_code64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = code(x))
}

void HB_KERNEL(hb_difference64)(const hb_tile64 *tile)
{
    for (size_t r = 0; r < tile->rows; r++)
        tile->out[r] = tile->in[tile->stride + r] - tile->in[r];
}

void HB_KERNEL(hb_narrow64)(const double *in, size_t n, float *out)
{
    HB_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        out[i] = (float)in[i];
}

void HB_KERNEL(hb_clip64)(const hb_tile64 *tile, const double limits[2])
{
    hb_lanes low = hb_all(limits[0]), high = hb_all(limits[1]);

    for (size_t c = 0, n = hb_run_of(tile); c < hb_columns_of(tile); c++) {
        const double *in = tile->in + c * tile->stride;
        double *out = tile->out + c * tile->stride;

        FOR_LANES(n, i, m, hb_put(out + i, m, hb_limited(hb_get(in + i, m), low, high)))
    }
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

void HB_KERNEL(hb_square64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = (double)((x > 0) - (x < 0)) * x * x)
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

static inline void normalize_rows(const hb_tile64 *tile)
{
    double sum[HB_ROWS] = {0}, same = 1.0 / (double)tile->width;

    for (size_t c = 0; c < tile->width; c++)
        FOR_ROWS(tile, c, x, y, sum[r] += x)
    for (size_t c = 0; c < tile->width; c++)
        FOR_ROWS(tile, c, x, y, *y = sum[r] == 0 ? same : x / sum[r])
}

void HB_KERNEL(hb_normalize64)(const hb_tile64 *tile)
{
    BY_ROWS(tile, normalize_rows)
}

/* Some rows; all columns are read before the output, which may be the first. */
static inline void argmax_lanes(const hb_tile64 *tile, size_t r, size_t n)
{
    hb_lanes most = hb_get(tile->in + r, n), best = {0};

    for (size_t c = 1; c < tile->width; c++) {
        hb_lanes x = hb_get(tile->in + c * tile->stride + r, n);
        hb_int_lanes more = x > most;

        best = hb_select(more, hb_all((double)c), best);
        most = hb_select(more, x, most);
    }
    hb_put(tile->out + r, n, best);
}

void HB_KERNEL(hb_argmax64)(const hb_tile64 *tile)
{
    FOR_LANES(tile->rows, r, n, argmax_lanes(tile, r, n))
}
