/* ptt_kernel.h - perfect trees: the strategy "ptt" (PerfectTreeTraversal, Hummingbird, section 4.1, algorithm 3).
 *
 * Each tree is padded to a perfect one of its depth, its root at place 1 and the children of place i at 2 i and
 * 2 i + 1: where a walk goes is computed, not read. A padded place lets all rows go left, and below a leaf stands the
 * same leaf. Tests, leaves and the order of sums are those of TreeTraversal.
 *
 * It is in plain C for every CPU, one row and tree after the other: to compare the paper's algorithms, and as an oracle
 * for the others. hbscore takes it only where it is asked for. */
#ifndef HB_KERNEL_PTT_KERNEL_H
#define HB_KERNEL_PTT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    bool is_float64;
    size_t leaf_width;
} hb_ptt_forest;

/* Adds the leaves of trees [first, end) in their order to sums[output][stride]. Feature f of row r is
 * x[f * stride + r]. Numbers are those of the forest's dtype. */
void hb_ptt_add(const hb_ptt_forest *forest, size_t first, size_t end, const void *x, size_t stride, size_t rows,
                void *sums);

#endif
