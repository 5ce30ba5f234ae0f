/* onnx_elements.h - a place of a tensor's axis for each item of another one: what GatherElements and ScatterElements
 * share. */
#ifndef HB_FORMAT_ONNX_ELEMENTS_H
#define HB_FORMAT_ONNX_ELEMENTS_H

#include "format/onnx.h"

typedef struct hb_onnx_elements {
    hb_onnx_value data, places;
    size_t axis;
} hb_onnx_elements;

/* onnx_gather.c: the inputs 0 and 1. */
hbs_status hb_onnx_elements_read(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_elements *e);
/* The item of the data that the i-th place names: that of the place's own indices, but on the axis, where a place that
 * is not known counts as 0. */
hbs_status hb_onnx_element_of(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_elements *e, size_t i,
                              uint32_t *item);

#endif
