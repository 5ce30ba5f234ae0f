/* ptt_kernel.h - perfect trees: the strategy "ptt" (PerfectTreeTraversal, Hummingbird, section 4.1, algorithm 3).
 *
 * Each tree is padded to a perfect one of its depth, its root at place 1 and the children of place i at 2 i and
 * 2 i + 1: where a walk goes is computed, not read. A padded place lets all rows go left, and below a leaf stands the
 * same leaf. Rows walk side by side in the lanes of registers where the CPU has gathers, and the top levels of a tree
 * are then held in registers too. Tests, leaves and the order of sums are those of TreeTraversal. */
#ifndef HB_KERNEL_PTT_KERNEL_H
#define HB_KERNEL_PTT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum {
    HB_PTT_TOPS = 5,                        /* levels that a kernel may hold in registers.. */
    HB_PTT_READ_BEHIND = (1 << HB_PTT_TOPS) /* ..so that many nodes may be read from the first of any tree */
};

/* Flags and feature as TreeTraversal's; without HB_TEST_INNER: padding. */
typedef struct hb_ptt_node {
    float threshold;
    uint32_t test;
} hb_ptt_node;

typedef struct hb_ptt_tree {
    uint32_t nodes;  /* place 0, which is not used */
    uint32_t leaves; /* of tables [leaf_width][2^depth] */
    uint32_t depth;
    uint32_t output;
} hb_ptt_tree;

typedef struct hb_ptt_forest {
    const hb_ptt_tree *trees;
    const hb_ptt_node *nodes; /* of a forest in float32 */
    const double *thresholds; /* of one in float64: both by the number of a node */
    const uint32_t *tests;
    const void *leaves; /* float or double */
    size_t n_features, n_outputs, leaf_width;
} hb_ptt_forest;

/* The kernels (kernels.def), for each instruction set:
 *
 * hb_ptt_add32, hb_ptt_add64: adds the leaves of trees [first, end) in their order to sums[output][stride]; sums of
 * rows up to the next multiple of 64 are written too. Feature f of row r is x[f * stride + r]. */

#endif
