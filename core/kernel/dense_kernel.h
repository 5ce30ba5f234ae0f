/* dense_kernel.h - weighted sums in float64, in one fixed order: the same bits for a row and a block. */
#ifndef HB_KERNEL_DENSE_KERNEL_H
#define HB_KERNEL_DENSE_KERNEL_H

#include "kernel/elementwise64.h"

/* Output o of a row x is ((0 + x_0 w_o0) + x_1 w_o1) + .. + bias[o], with weights[outputs][tile->width];
 * tile->out is [outputs][stride] and not tile->in; what stands there behind the rows may be written over.
 * Rows are the lanes, and some outputs share what is loaded. */
void hb_dense64(const hb_tile64 *tile, const double *weights, const double *bias, size_t outputs);

/* Sums in float32, [outputs][from_stride], to float64, [outputs][stride]: to = from + bias within the limits; NaN
 * stays.
 */
void hb_widen64(const float *from, size_t from_stride, size_t rows, const double *bias, size_t outputs,
                const double limits[2], double *to, size_t stride);

/* The same in float32, in place. */
void hb_finish32(float *sums, size_t stride, size_t rows, const double *bias, size_t outputs, const double limits[2]);

#endif
