/* forest_kernel.h - the sum of trees over a tile of rows: the hot loop.
 *
 * TreeTraversal (Hummingbird, section 4.1, algorithm 2) without a data-dependent branch: several rows
 * walk down a tree side by side, so that their loads overlap; a leaf leads to itself. Decisions and sums
 * are exact: float32, the trees added in their order, as XGBoost's CPU predictor does on one thread. */
#ifndef HB_KERNEL_FOREST_KERNEL_H
#define HB_KERNEL_FOREST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A node of 12 bytes. The right child of an inner node stands beside its left one. */
typedef struct hb_flat_node {
    union {
        float threshold; /* x < threshold goes left */
        float leaf;
        uint32_t members; /* small set test: bit c is set where category c (< 32) goes right */
        uint32_t index;   /* set test: of the set; leaf of a vector: its row */
    } as;
    uint32_t left; /* of the whole forest's nodes; a leaf: itself */
    uint32_t test; /* the feature and the flags below */
} hb_flat_node;

#define HB_TEST_INNER         0x80000000u
#define HB_TEST_DEFAULT_RIGHT 0x40000000u /* where a missing value goes */
#define HB_TEST_SET           0x20000000u
#define HB_TEST_SMALL_SET     0x10000000u
#define HB_TEST_FEATURE       0x0fffffffu

/* A set of categories: bits (word 0 has categories 0 to 31), or a rising list where bits would be many. */
typedef struct hb_flat_set {
    uint32_t first; /* into `words` */
    uint32_t count; /* words */
    uint32_t is_list;
} hb_flat_set;

typedef struct hb_flat_tree {
    uint32_t root;
    uint32_t depth;
    uint32_t output; /* which sum its leaf is added to (leaf_width 1) */
} hb_flat_tree;

typedef struct hb_flat_forest {
    const hb_flat_node *nodes;
    const hb_flat_tree *trees;
    size_t n_nodes, n_features;
    size_t n_trees;
    size_t steps;                  /* of a row through all trees, at most: of walks, and at leaves.. */
    size_t leaf_steps, most_steps; /* ..those of a leaf, and of a row through one tree */
    size_t n_outputs;
    size_t leaf_width; /* 1, or n_outputs: leaves are rows of leaf_vectors */
    const float *leaf_vectors;
    const hb_flat_set *sets;
    const uint32_t *words;
    bool has_sets; /* of either kind */
} hb_flat_forest;

/* sums[o * stride + r] = base[o], for r < rows <= stride. */
void hb_forest_begin32(const hb_flat_forest *forest, const float *base, size_t stride, size_t rows, float *sums);

/* Adds the leaves of trees [first, end) in their order. Feature f of row r is x[f * stride + r]; NaN is
 * missing. */
void hb_forest_add32(const hb_flat_forest *forest, size_t first, size_t end, const float *x, size_t stride, size_t rows,
                     float *sums);

/* Adds the leaves that a row has reached: leaf[t] is a node of tree first + t, for n trees. */
void hb_forest_add_leaves32(const hb_flat_forest *forest, size_t first, size_t n, const uint32_t *leaf, size_t stride,
                            float *sums);

/* The set that node `node` tests, for rows <= 512 of the column x: bit r % 64 of bits[r / 64] is set where row r
 * goes right. */
void hb_forest_set32(const hb_flat_forest *forest, uint32_t node, const float *x, size_t rows, uint64_t *bits);

#endif
