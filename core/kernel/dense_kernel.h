/* dense_kernel.h - weighted sums in float64, in one fixed order: the same bits for a row and a block. */
#ifndef HB_KERNEL_DENSE_KERNEL_H
#define HB_KERNEL_DENSE_KERNEL_H

#include "base/segment.h"
#include "kernel/elementwise64.h"

/* Output o of a row x is ((0 + x_0 w_o0) + x_1 w_o1) + .. + bias[o], with weights[outputs][tile->width];
 * tile->out is [outputs][stride] and not tile->in; what stands there behind the rows may be written over.
 * Rows are the lanes, and some outputs share what is loaded. */
void hb_dense64(const hb_tile64 *tile, const double *weights, const double *bias, size_t outputs);

/* A tile of several inputs: inputs[i] is double [width of input i][stride]. */
typedef struct hb_segments_tile {
    const void *const *inputs;
    const hb_segment *segments;
    size_t n_segments;
    size_t n_weights; /* of all segments */
    size_t stride, rows;
} hb_segments_tile;

/* The sums of hb_dense64 over the columns of all segments in their order, to out[outputs][stride], with
 * weights[outputs][n_weights]. A column that picks adds the weight of its number, which must be whole, from 0 and below
 * the segment's n_weights: all that the columns of a one-hot add, of which one is 1 and the others are 0. As of
 * hb_dense64, out may be written behind the rows, within the stride. */
void hb_dense_segments64(const hb_segments_tile *tile, const double *weights, const double *bias, size_t outputs,
                         double *out);

/* The same in float32, with the bits of hb_product32 (product32.h): numbers, weights and bias are rounded to it, s = x
 * w + s is rounded once, and results are float32 numbers kept as float64. NaN is always the same one. */
void hb_dense_segments32(const hb_segments_tile *tile, const double *weights, const double *bias, size_t outputs,
                         double *out);

/* Sums in float32, [outputs][from_stride], to float64, [outputs][stride]: to = from + bias within the limits; NaN
 * stays.
 */
void hb_widen64(const float *from, size_t from_stride, size_t rows, const double *bias, size_t outputs,
                const double limits[2], double *to, size_t stride);

/* The same in float32, in place. */
void hb_finish32(float *sums, size_t stride, size_t rows, const double *bias, size_t outputs, const double limits[2]);

#endif
