/* forest_wide_kernel.h - the sum of trees in float64, with LightGBM's tests: the hot loop of its models.
 *
 * The same traversal as forest_kernel.h. A number test is x <= threshold (left); a node says whether NaN and
 * whether 0 are missing, and a NaN that is not counts as 0 (Tree::NumericalDecision, LightGBM
 * include/LightGBM/tree.h). Of a set of categories the members go to one side, all else and a missing value to
 * the other: HB_TEST_DEFAULT_RIGHT says which. LightGBM's members go left (Tree::CategoricalDecision). */
#ifndef HB_KERNEL_FOREST_WIDE_KERNEL_H
#define HB_KERNEL_FOREST_WIDE_KERNEL_H

#include "kernel/forest_kernel.h"

/* A node of 16 bytes; flags of forest_kernel.h and those below. */
typedef struct hb_wide_node {
    union {
        double threshold;
        double leaf;
        uint32_t members; /* small set test */
        uint32_t index;   /* set test: of the set; linear leaf: of the hb_wide_linear; leaf of a vector:
                           * its row */
    } as;
    uint32_t left;
    uint32_t test;
} hb_wide_node;

#define HB_WIDE_NAN_MISSING  0x08000000u
#define HB_WIDE_ZERO_MISSING 0x04000000u
#define HB_WIDE_LINEAR       0x02000000u /* of a leaf */
#define HB_WIDE_FEATURE      0x01ffffffu

/* A linear leaf: constant + the sum of coefficient * x in order; `fallback` where one x is missing. */
typedef struct hb_wide_linear {
    double constant, fallback;
    uint32_t first, count;
} hb_wide_linear;

typedef struct hb_wide_forest {
    const hb_wide_node *nodes;
    const hb_flat_tree *trees;
    size_t n_nodes, n_features;
    size_t n_trees;
    size_t steps, leaf_steps, most_steps;
    size_t n_outputs;
    size_t leaf_width; /* 1, or n_outputs: leaves are rows of leaf_vectors */
    const double *leaf_vectors;
    const hb_flat_set *sets;
    const uint32_t *words;
    const hb_wide_linear *linear;
    const uint32_t *linear_features;
    const double *linear_coefficients;
    bool has_sets;
} hb_wide_forest;

/* As hb_forest_begin32, hb_forest_add32, hb_forest_add_leaves32 (no linear ones) and hb_forest_set32. */
void hb_forest_begin64(const hb_wide_forest *forest, const double *base, size_t stride, size_t rows, double *sums);
void hb_forest_add64(const hb_wide_forest *forest, size_t first, size_t end, const double *x, size_t stride,
                     size_t rows, double *sums);

void hb_forest_add_leaves64(const hb_wide_forest *forest, size_t first, size_t n, const uint32_t *leaf, size_t stride,
                            double *sums);
void hb_forest_set64(const hb_wide_forest *forest, uint32_t node, const double *x, size_t rows, uint64_t *bits);

#endif
