/* dense_kernel.h - weighted sums in float64, in one fixed order: the same bits for a row and a block. */
#ifndef HB_KERNEL_DENSE_KERNEL_H
#define HB_KERNEL_DENSE_KERNEL_H

#include <stddef.h>

/* out[r] = ((0 + x_0 w_0) + x_1 w_1) + .. + bias, for `rows` rows of columns `stride` apart. Rows are the
 * lanes, so that the compiler may use any width of vector. */
void hb_dense64(const double *x, size_t n_features, size_t stride, size_t rows,
                const double *weights, double bias, double *out);

#endif
