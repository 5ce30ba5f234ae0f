/* dense_segments32.c - see dense_kernel.h: the lanes of a sum are rows. */
#include "kernel/dense_kernel.h"

#include <math.h>

#include "kernel/kernels.h"

enum { ROWS = 64 };

/* Columns c of up to ROWS rows, with one weight each. */
HB_INLINE void add_columns(float *sums, size_t rows, const double *x, size_t n_columns, size_t stride,
                           const double *weights)
{
    for (size_t c = 0; c < n_columns; c++) {
        const double *column = x + c * stride;
        float weight = (float)weights[c];

        HB_INDEPENDENT
        for (size_t r = 0; r < rows; r++)
            sums[r] = __builtin_fmaf((float)column[r], weight, sums[r]);
    }
}

HB_INLINE void add_picked(float *sums, size_t rows, const double *x, const double *weights)
{
    for (size_t r = 0; r < rows; r++)
        sums[r] += (float)weights[(size_t)x[r]];
}

static void sum_rows(const hb_segments_tile *tile, size_t first, size_t rows, const double *weights, double bias,
                     double *out)
{
    float sums[ROWS] = {0};

    for (size_t s = 0; s < tile->n_segments; s++) {
        const hb_segment *segment = &tile->segments[s];
        const double *x = (const double *)tile->inputs[segment->input] + segment->first * tile->stride + first;

        if (segment->picks)
            add_picked(sums, rows, x, weights);
        else
            add_columns(sums, rows, x, segment->n_columns, tile->stride, weights);
        weights += segment->n_weights;
    }
    for (size_t r = 0; r < rows; r++) {
        float sum = sums[r] + (float)bias;

        out[r] = sum == sum ? (double)sum : NAN;
    }
}

void HB_KERNEL(hb_dense_segments32)(const hb_segments_tile *tile, const double *weights, const double *bias,
                                    size_t outputs, double *out)
{
    for (size_t o = 0; o < outputs; o++)
        for (size_t first = 0; first < tile->rows; first += ROWS)
            sum_rows(tile, first, tile->rows - first < ROWS ? tile->rows - first : ROWS, weights + o * tile->n_weights,
                     bias[o], out + o * tile->stride + first);
}
