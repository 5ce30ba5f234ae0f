/* onnx_groups.h - numbers of a tensor in groups along some axes, and what is made of each beside the others of its
 * group: softmax, normalizations. Values are the pipeline's, in float64, in the order of the groups. */
#ifndef HB_FORMAT_ONNX_GROUPS_H
#define HB_FORMAT_ONNX_GROUPS_H

#include "format/onnx.h"

typedef struct hb_onnx_groups {
    hb_onnx_reduction r;
    size_t n_terms;       /* of a group */
    uint32_t *order, *of; /* of: [items] the group of each; order: see hb_onnx_group_items */
} hb_onnx_groups;

/* Puts the items of g->r, which has been checked, in the order of the groups. */
hbs_status hb_onnx_group(hb_onnx_file *file, hb_onnx_groups *g);
/* A number of each group. */
size_t hb_onnx_reduced(hb_onnx_file *file, const hb_onnx_groups *g, hb_reduce_function function, size_t items);
/* A function of each item and its group's number. */
size_t hb_onnx_combined(hb_onnx_file *file, const hb_onnx_groups *g, hb_combine_function function, hb_rounding rounding,
                        size_t items, size_t of_group);
size_t hb_onnx_mapped(hb_onnx_file *file, hb_map_function function, size_t value);
/* Each item less its group's mean, over the group's deviation: the root of the mean of squares of that and epsilon. */
size_t hb_onnx_standardized(hb_onnx_file *file, const hb_onnx_groups *g, double epsilon, size_t *mean,
                            size_t *deviation);
/* Gives the items in the order that `shape` had before. */
hbs_status hb_onnx_give_groups(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_groups *g,
                               const hb_onnx_value *shape, size_t items);

#endif
