/* dense_portable.c - see dense_kernel.h: blocks of rows and outputs whose sums stay in registers. */
#include "kernel/dense_kernel.h"

#include "kernel/lanes.h"

/* As many doubles as the isa takes at once, anywhere in memory. */
typedef double lanes __attribute__((vector_size(8 * HB_LANES), aligned(8), may_alias));

enum {
    OUTPUTS = HB_ISA_AVX512 ? 4 : 2, /* side by side: with VECTORS of each they fill the registers */
    VECTORS = 4,
    ROWS = VECTORS * HB_LANES,
    FEW = ROWS / 8 /* rows that are faster one by one than as a block */
};

/* `n` outputs (a constant of the caller) of ROWS rows. */
HB_INLINE void sum_block(const double *x, size_t n_features, size_t stride, const double *weights, const double *bias,
                         size_t n, double *out)
{
    lanes sum[OUTPUTS][VECTORS];

    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            sum[o][v] = (lanes){0};
    for (size_t f = 0; f < n_features; f++)
        for (size_t v = 0; v < VECTORS; v++) {
            lanes in = *(const lanes *)(x + f * stride + v * HB_LANES);

            for (size_t o = 0; o < n; o++)
                sum[o][v] += in * weights[o * n_features + f];
        }
    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            *(lanes *)(out + o * stride + v * HB_LANES) = sum[o][v] + bias[o];
}

/* `n` outputs of one row, whose features are `stride` apart. */
HB_INLINE void sum_row(const double *x, size_t n_features, size_t stride, const double *weights, const double *bias,
                       size_t n, double *out)
{
    double sum[OUTPUTS] = {0};

    for (size_t f = 0; f < n_features; f++)
        for (size_t o = 0; o < n; o++)
            sum[o] += x[f * stride] * weights[o * n_features + f];
    for (size_t o = 0; o < n; o++)
        out[o * stride] = sum[o] + bias[o];
}

HB_INLINE void sum_rows(const hb_tile64 *tile, const double *weights, const double *bias, size_t n, double *out)
{
    size_t r = 0;

    /* The last block may have rows that nobody asked for, where the columns have room for them. */
    for (; r + FEW < tile->rows && r + ROWS <= tile->stride; r += ROWS)
        sum_block(tile->in + r, tile->width, tile->stride, weights, bias, n, out + r);
    for (; r < tile->rows; r++)
        sum_row(tile->in + r, tile->width, tile->stride, weights, bias, n, out + r);
}

HB_INLINE hb_lanes widened(const float *from, size_t n)
{
    float x __attribute__((vector_size(4 * HB_LANES))) = {0};

    memcpy(&x, from, n * sizeof(float));
    return __builtin_convertvector(x, hb_lanes);
}

void HB_KERNEL(hb_widen64)(const float *from, size_t from_stride, size_t rows, const double *bias, size_t outputs,
                           const double limits[2], double *to, size_t stride)
{
    hb_lanes low = hb_all(limits[0]), high = hb_all(limits[1]);

    for (size_t o = 0; o < outputs; o++) {
        hb_lanes b = hb_all(bias[o]);

        FOR_LANES(rows, r, n, {
            hb_lanes x = widened(from + o * from_stride + r, n);

            hb_put(to + o * stride + r, n, hb_limited(x + b, low, high));
        })
    }
}

void HB_KERNEL(hb_finish32)(float *sums, size_t stride, size_t rows, const double *bias, size_t outputs,
                            const double limits[2])
{
    float low = (float)limits[0], high = (float)limits[1];

    for (size_t o = 0; o < outputs; o++) {
        float *column = sums + o * stride, b = (float)bias[o];

        HB_INDEPENDENT
        for (size_t r = 0; r < rows; r++) {
            float x = column[r] + b;

            x = x < low ? low : x;
            column[r] = x > high ? high : x;
        }
    }
}

void HB_KERNEL(hb_dense64)(const hb_tile64 *tile, const double *weights, const double *bias, size_t outputs)
{
    size_t o = 0;

    for (; o + OUTPUTS <= outputs; o += OUTPUTS)
        sum_rows(tile, weights + o * tile->width, bias + o, OUTPUTS, tile->out + o * tile->stride);
    /* Together, as numbers are loaded once for all outputs: those of many columns are not near any more. */
    if (OUTPUTS > 2 && outputs - o == 3)
        sum_rows(tile, weights + o * tile->width, bias + o, 3, tile->out + o * tile->stride);
    else if (OUTPUTS > 2 && outputs - o == 2)
        sum_rows(tile, weights + o * tile->width, bias + o, 2, tile->out + o * tile->stride);
    else if (o < outputs)
        sum_rows(tile, weights + o * tile->width, bias + o, 1, tile->out + o * tile->stride);
}
