/* product32.h - weighted sums in float32, in one fixed order of fused products: the same bits for a row and a block. */
#ifndef HB_KERNEL_PRODUCT32_H
#define HB_KERNEL_PRODUCT32_H

#include "kernel/elementwise.h"

/* Output o of a row x is the sum s from 0 of s = x_f w_of + s, rounded once, for rising f; then s + bias[o]. NaN is
 * always the same one. The weights are [outputs][tile->width], tile->out is [outputs][stride] and not tile->in. What
 * stands there behind the rows may be written over. Rows are the lanes, and some outputs share what is loaded. */
void hb_product32(const hb_tile *tile, const float *weights, const float *bias, size_t outputs);

#endif
