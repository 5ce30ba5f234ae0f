/* convolution32.h - weighted sums over windows of images in float32, in one fixed order of fused products: the same
 * bits for a row and a block. */
#ifndef HB_KERNEL_CONVOLUTION32_H
#define HB_KERNEL_CONVOLUTION32_H

#include "base/windows.h"
#include "kernel/elementwise.h"

/* One group of channels of one image. */
typedef struct hb_convolution {
    hb_windows windows;
    size_t channels, outputs;
    const float *weights; /* [channels][items of the window][outputs], finite.. */
    const float *bias;    /* [outputs], not -0 */
    float limits[2];      /* what sums are clipped to; NaN stays */
} hb_convolution;

/* Up to so many rows, kernels take places of the window side by side instead of rows, so many at once. */
enum { HB_CONVOLUTION_FEW = 4, HB_CONVOLUTION_PLACES = 32 };

/* Output o at place p of a row, column o * places + p of tile->out, is the sum s from 0 of s = x w + s, rounded once,
 * over the channels and within each over the items of the window, both rising; then s + bias[o], clipped. Places from
 * `first` to before `end`, outputs from `from` to before `to`. tile->in has the columns of the image,
 * [channels][items]; tile->width is not used. What stands in the output behind the rows may be written over.
 *
 * Items beside the image are left out, or count as 0: since weights are finite and no bias is -0, both give the same
 * bits. */
void hb_convolution32(const hb_tile *tile, const hb_convolution *c, size_t first, size_t end, size_t from, size_t to);

#endif
