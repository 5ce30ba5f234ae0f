/* onnx_windows.h - a window over the last axes of a tensor, as Conv and the pools have it (onnx_windows.c). */
#ifndef HB_FORMAT_ONNX_WINDOWS_H
#define HB_FORMAT_ONNX_WINDOWS_H

#include "format/onnx.h"

typedef struct hb_onnx_windows {
    hb_onnx_value x;             /* [images, channels, ..], float32 or float64 numbers of the row */
    size_t n_images, n_channels; /* channels of an image */
    hb_windows windows;
    uint32_t after[3]; /* items that are missing behind the image */
} hb_onnx_windows;

/* Input 0, and where the window goes. `kernel` has its sizes, one for each axis behind the second; NULL: the attribute
 * kernel_shape has them. */
hbs_status hb_onnx_windows_read(hb_onnx_file *file, const hb_onnx_node *node, const int64_t *kernel,
                                hb_onnx_windows *w);
/* The same for one window of the whole image. */
hbs_status hb_onnx_windows_of_all(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_windows *w);
/* Sets type and shape of [images, channels, places of the window]. */
hbs_status hb_onnx_windows_shape(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_windows *w,
                                 size_t channels, hb_onnx_value *made);

/* Weights are numbers of the file, [outputs][channels of a group][items of the window]. */
typedef struct hb_onnx_convolution {
    hb_onnx_windows w;
    hb_onnx_value weights, bias; /* bias: one number for each output; form HB_ONNX_NOTHING: none */
    size_t n_groups, n_outputs;  /* outputs of all groups */
} hb_onnx_convolution;

/* onnx_convolution.c: gives the sums. */
hbs_status hb_onnx_convolve(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_convolution *c);
/* onnx_convolution.c: of a Conv's sums, which `value` is, makes those times a factor of their channel plus a shift;
 * *made 0: it is not such sums, or numbers would not stay finite. */
hbs_status hb_onnx_convolution_scaled(hb_onnx_file *file, const hb_onnx_value *value, const double *factors,
                                      const double *shifts, size_t *made);
/* The same sums, clipped. */
hbs_status hb_onnx_convolution_clipped(hb_onnx_file *file, const hb_onnx_value *value, double low, double high,
                                       size_t *made);

#endif
