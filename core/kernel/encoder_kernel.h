/* encoder_kernel.h - one-hot and ordinal encoding of a tile in float64. */
#ifndef HB_KERNEL_ENCODER_KERNEL_H
#define HB_KERNEL_ENCODER_KERNEL_H

#include "base/encoder.h"

/* Column c of the input, `rows` <= 64 of them, into its place of the output. Bit r of the result is set
 * where row r has a value that is refused; its numbers are then 0. */
uint64_t hb_onehot64(const hb_encoder *encoder, size_t c, const double *in, size_t stride, size_t rows, double *out);
uint64_t hb_recode64(const hb_encoder *encoder, size_t c, const double *in, size_t stride, size_t rows, double *out);

#endif
