/* onnx_transforms.h - post_transform of classifiers and regressors (onnx_transforms.c). */
#ifndef HB_FORMAT_ONNX_TRANSFORMS_H
#define HB_FORMAT_ONNX_TRANSFORMS_H

#include "format/onnx.h"

/* In the order of the numbers that version 5 of TreeEnsemble has for them. */
typedef enum hb_onnx_transform {
    HB_ONNX_TRANSFORM_NONE,
    HB_ONNX_SOFTMAX,
    HB_ONNX_LOGISTIC,
    HB_ONNX_SOFTMAX_ZERO,
    HB_ONNX_PROBIT,
    HB_ONNX_TRANSFORMS /* how many */
} hb_onnx_transform;

/* The node's post_transform, a word. */
hbs_status hb_onnx_transform_read(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_transform *transform);
/* *value, a float32 value of the pipeline of n columns, becomes the transformed one. */
hbs_status hb_onnx_transform_add(hb_onnx_file *file, hb_onnx_transform transform, size_t n, size_t *value);
/* True if it changes a regressor's targets. */
bool hb_onnx_transforms_targets(hb_onnx_transform transform, size_t n);
/* The same of a regressor's targets: one by itself is transformed by PROBIT alone. */
hbs_status hb_onnx_transform_targets(hb_onnx_file *file, hb_onnx_transform transform, size_t n, size_t *value);

#endif
