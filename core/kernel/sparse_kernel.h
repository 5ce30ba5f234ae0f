/* sparse_kernel.h - weighted sums whose weights are mostly 0, in float64: the bits of the dense kernel. */
#ifndef HB_KERNEL_SPARSE_KERNEL_H
#define HB_KERNEL_SPARSE_KERNEL_H

#include "base/csr.h"
#include "kernel/elementwise64.h"

/* Outputs [first, end): each is (0 + x_a w_a) + x_b w_b + .. + bias, over its stored weights in the order of their
 * columns. These are the bits of hb_dense64 for a row of finite numbers: there the other products are zeros, which
 * change no sum that starts at +0. tile->out is [end - first][stride] and not tile->in; what stands there behind the
 * rows may be written over. */
void hb_sparse64(const hb_tile64 *tile, const hb_csr *csr, const double *bias, size_t first, size_t end);

/* The same over all columns, for rows that have an infinity or NaN, whose product with 0 is NaN: the order of
 * hb_dense64. */
void hb_sparse_all64(const hb_tile64 *tile, const hb_csr *csr, const double *bias, size_t first, size_t end);

#endif
