/* dense_segments.c - see dense_kernel.h: weighted sums whose blocks of rows and outputs stay in registers from segment
 * to segment. */
#include "kernel/dense_kernel.h"

#include "kernel/pick.h"

typedef double lanes __attribute__((vector_size(8 * HB_LANES), aligned(8), may_alias));

enum {
    OUTPUTS = HB_ISA_AVX512 ? 4 : 2,
    VECTORS = 4,
    ROWS = VECTORS * HB_LANES,
    FEW = ROWS / 8 /* rows that take less time one by one than as a block */
};

/* ---- blocks */

/* The sums of `n` outputs (a constant of the caller) of ROWS rows. `weights` are the first output's, of the segment at
 * hand. */
typedef struct block {
    lanes sum[OUTPUTS][VECTORS];
} block;

HB_INLINE void add_columns(block *b, const double *x, size_t n_columns, size_t stride, const double *weights,
                           size_t n_weights, size_t n)
{
    for (size_t c = 0; c < n_columns; c++)
        for (size_t v = 0; v < VECTORS; v++) {
            lanes in = *(const lanes *)(x + c * stride + v * HB_LANES);

            for (size_t o = 0; o < n; o++)
                b->sum[o][v] += in * weights[o * n_weights + c];
        }
}

HB_INLINE void add_picked(block *b, const double *x, size_t n_picked, const double *weights, size_t n_weights, size_t n)
{
    for (size_t v = 0; v < VECTORS; v++) {
        hb_places at = hb_places_of(hb_get(x + v * HB_LANES, HB_LANES));

        for (size_t o = 0; o < n; o++)
            b->sum[o][v] += hb_pick(weights + o * n_weights, n_picked, at);
    }
}

HB_INLINE void sum_block(const hb_segments_tile *tile, size_t r, const double *weights, const double *bias, size_t n,
                         double *out)
{
    block b;

    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            b.sum[o][v] = (lanes){0};
    for (size_t s = 0; s < tile->n_segments; s++) {
        const hb_segment *segment = &tile->segments[s];
        const double *x = (const double *)tile->inputs[segment->input] + segment->first * tile->stride + r;

        if (segment->picks)
            add_picked(&b, x, segment->n_weights, weights, tile->n_weights, n);
        else
            add_columns(&b, x, segment->n_columns, tile->stride, weights, tile->n_weights, n);
        weights += segment->n_weights;
    }
    for (size_t o = 0; o < n; o++)
        for (size_t v = 0; v < VECTORS; v++)
            *(lanes *)(out + o * tile->stride + v * HB_LANES) = b.sum[o][v] + bias[o];
}

/* `n` outputs of one row. */
HB_INLINE void sum_row(const hb_segments_tile *tile, size_t r, const double *weights, const double *bias, size_t n,
                       double *out)
{
    double sum[OUTPUTS] = {0};

    for (size_t s = 0; s < tile->n_segments; s++) {
        const hb_segment *segment = &tile->segments[s];
        const double *x = (const double *)tile->inputs[segment->input] + segment->first * tile->stride + r;

        for (size_t o = 0; segment->picks && o < n; o++)
            sum[o] += weights[o * tile->n_weights + (size_t)*x];
        for (size_t c = 0; !segment->picks && c < segment->n_columns; c++)
            for (size_t o = 0; o < n; o++)
                sum[o] += x[c * tile->stride] * weights[o * tile->n_weights + c];
        weights += segment->n_weights;
    }
    for (size_t o = 0; o < n; o++)
        out[o * tile->stride] = sum[o] + bias[o];
}

HB_INLINE void sum_rows(const hb_segments_tile *tile, const double *weights, const double *bias, size_t n, double *out)
{
    /* A block may have rows behind the tile's, where columns have room for them, unless their numbers must pick. */
    size_t r = 0, least = HB_PICKS_ANY ? FEW + 1 : ROWS;

    for (; r + least <= tile->rows && r + ROWS <= tile->stride; r += ROWS)
        sum_block(tile, r, weights, bias, n, out + r);
    for (; r < tile->rows; r++)
        sum_row(tile, r, weights, bias, n, out + r);
}

void HB_KERNEL(hb_dense_segments64)(const hb_segments_tile *tile, const double *weights, const double *bias,
                                    size_t outputs, double *out)
{
    size_t o = 0;

    for (; o + OUTPUTS <= outputs; o += OUTPUTS)
        sum_rows(tile, weights + o * tile->n_weights, bias + o, OUTPUTS, out + o * tile->stride);
    if (OUTPUTS > 2 && outputs - o == 3)
        sum_rows(tile, weights + o * tile->n_weights, bias + o, 3, out + o * tile->stride);
    else if (OUTPUTS > 2 && outputs - o == 2)
        sum_rows(tile, weights + o * tile->n_weights, bias + o, 2, out + o * tile->stride);
    else if (o < outputs)
        sum_rows(tile, weights + o * tile->n_weights, bias + o, 1, out + o * tile->stride);
}
