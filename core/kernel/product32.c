/* product32.c - see product32.h: blocks of rows and outputs whose sums stay in registers. */
#include "kernel/product32.h"

#include <math.h>

#include "kernel/float_lanes.h"

enum {
    OUTPUTS = HB_ISA_AVX512 ? 4 : 2,
    OF_A_ROW = 8, /* outputs of one row, at once: as many sums as wait for each other */
    VECTORS = 2,
    ROWS = VECTORS * LANES
};

/* `n` outputs (a constant of the caller) of ROWS rows. */
HB_INLINE void sum_block(const float *x, size_t n_features, size_t stride, const float *weights, const float *bias,
                         size_t n, float *out)
{
    lanes sum[OUTPUTS][VECTORS];

    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            sum[o][v] = (lanes){0};
    for (size_t f = 0; f < n_features; f++)
        for (size_t v = 0; v < VECTORS; v++) {
            lanes in = *(const lanes *)(x + f * stride + v * LANES);

            for (size_t o = 0; o < n; o++)
                sum[o][v] = fused(in, weights[o * n_features + f], sum[o][v]);
        }
    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            *(lanes *)(out + o * stride + v * LANES) = same_nan(sum[o][v] + bias[o]);
}

/* `n` outputs of one row, whose features are `stride` apart. */
HB_INLINE void sum_row(const float *x, size_t n_features, size_t stride, const float *weights, const float *bias,
                       size_t n, float *out)
{
    float sum[OF_A_ROW] = {0};

    for (size_t f = 0; f < n_features; f++)
        for (size_t o = 0; o < n; o++)
            sum[o] = __builtin_fmaf(x[f * stride], weights[o * n_features + f], sum[o]);
    for (size_t o = 0; o < n; o++) {
        float x = sum[o] + bias[o];

        out[o * stride] = x == x ? x : NAN;
    }
}

/* The rows that are taken in blocks. The last block may have rows that nobody asked for, where the columns have room
 * for them. */
static size_t rows_of_blocks(const hb_tile *tile)
{
    enum { FEW = ROWS / 8 /* rows that are faster one by one than as a block */ };
    size_t r = 0;

    while (r + FEW < tile->rows && r + ROWS <= tile->stride)
        r += ROWS;
    return r;
}

HB_INLINE void sum_rows(const hb_tile *tile, size_t end, const float *weights, const float *bias, size_t n, float *out)
{
    for (size_t r = 0; r < end; r += ROWS)
        sum_block(tile->in + r, tile->width, tile->stride, weights, bias, n, out + r);
}

static void sum_blocks(const hb_tile *tile, size_t end, const float *weights, const float *bias, size_t outputs)
{
    size_t o = 0;

    for (; o + OUTPUTS <= outputs; o += OUTPUTS)
        sum_rows(tile, end, weights + o * tile->width, bias + o, OUTPUTS, tile->out + o * tile->stride);
    for (; o < outputs; o++)
        sum_rows(tile, end, weights + o * tile->width, bias + o, 1, tile->out + o * tile->stride);
}

static void sum_single(const hb_tile *tile, size_t r, const float *weights, const float *bias, size_t outputs)
{
    const float *x = tile->in + r;
    float *out = tile->out + r;
    size_t o = 0;

    for (; o + OF_A_ROW <= outputs; o += OF_A_ROW)
        sum_row(x, tile->width, tile->stride, weights + o * tile->width, bias + o, OF_A_ROW, out + o * tile->stride);
    for (; o + 2 <= outputs; o += 2)
        sum_row(x, tile->width, tile->stride, weights + o * tile->width, bias + o, 2, out + o * tile->stride);
    for (; o < outputs; o++)
        sum_row(x, tile->width, tile->stride, weights + o * tile->width, bias + o, 1, out + o * tile->stride);
}

void HB_KERNEL(hb_product32)(const hb_tile *tile, const float *weights, const float *bias, size_t outputs)
{
    size_t blocks = rows_of_blocks(tile);

    if (blocks)
        sum_blocks(tile, blocks, weights, bias, outputs);
    for (size_t r = blocks; r < tile->rows; r++)
        sum_single(tile, r, weights, bias, outputs);
}
