/* forest_kernel.h - the sum of trees over a tile of rows: the hot loop.
 *
 * TreeTraversal (Hummingbird, section 4.1, algorithm 2) without a data-dependent branch: several rows
 * walk down a tree side by side, so that their loads overlap; a leaf leads to itself. Decisions and sums
 * are exact: the trees added in their order; in float32 as XGBoost's CPU predictor does on one thread. */
#ifndef HB_KERNEL_FOREST_KERNEL_H
#define HB_KERNEL_FOREST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- float32 */

/* A node of 12 bytes. The right child of an inner node stands beside its left one. */
typedef struct hb_node32 {
    union {
        float threshold; /* x < threshold goes left */
        float leaf;
        uint32_t members; /* small set test: bit c is set where category c (< 32) goes right */
        uint32_t index;   /* set test: of the set; leaf of a vector: its row */
    } as;
    uint32_t left; /* of the whole forest's nodes; a leaf: itself */
    uint32_t test; /* the feature and the flags below */
} hb_node32;

#define HB_TEST_INNER         0x80000000u
#define HB_TEST_DEFAULT_RIGHT 0x40000000u /* where a missing value goes */
#define HB_TEST_SET           0x20000000u
#define HB_TEST_SMALL_SET     0x10000000u
#define HB_TEST_FEATURE       0x0fffffffu

/* A category set: bits (word 0 has categories 0 to 31), or a rising list where bits would be many. */
typedef struct hb_category_set {
    uint32_t first; /* into `words` */
    uint32_t count; /* words */
    uint32_t is_list;
} hb_category_set;

typedef struct hb_tree {
    uint32_t root;
    uint32_t depth;
    uint32_t output; /* which sum its leaf is added to (leaf_width 1) */
} hb_tree;

typedef struct hb_forest32 {
    const hb_node32 *nodes;
    const hb_tree *trees;
    size_t n_nodes, n_features;
    size_t n_trees;
    size_t units;                  /* of work for a row in all trees, at most.. */
    size_t leaf_units, most_units; /* ..at a leaf, and for a row in one tree */
    size_t n_outputs;
    size_t leaf_width; /* 1, or n_outputs: leaves are rows of leaf_vectors */
    const float *leaf_vectors;
    const hb_category_set *sets;
    const uint32_t *words;
    bool has_category_sets; /* of either kind */
} hb_forest32;

/* sums[o * stride + r] = base[o], for r < rows <= stride. */
void hb_forest_begin32(const hb_forest32 *forest, const float *base, size_t stride, size_t rows, float *sums);

/* Adds the leaves of trees [first, end) in their order. Feature f of row r is x[f * stride + r]; NaN is
 * missing. */
void hb_forest_add32(const hb_forest32 *forest, size_t first, size_t end, const float *x, size_t stride, size_t rows,
                     float *sums);

/* Adds the leaves that a row has reached: leaf[t] is a node of tree first + t, for n trees. */
void hb_forest_add_leaves32(const hb_forest32 *forest, size_t first, size_t n, const uint32_t *leaf, size_t stride,
                            float *sums);

/* The set that node `node` tests, for rows <= 512 of the column x: bit r % 64 of bits[r / 64] is set where row r
 * goes right. */
void hb_forest_set32(const hb_forest32 *forest, uint32_t node, const float *x, size_t rows, uint64_t *bits);

/* ---- float64, with LightGBM's tests
 *
 * A number test is x <= threshold (left); a node says whether NaN and whether 0 are missing, and a NaN that is not
 * counts as 0 (Tree::NumericalDecision, LightGBM include/LightGBM/tree.h). Of a category set the members go to
 * one side, all else and a missing value to the other: HB_TEST_DEFAULT_RIGHT says which. LightGBM's members go left
 * (Tree::CategoricalDecision). */

/* A node of 16 bytes; flags as above and those below. */
typedef struct hb_node64 {
    union {
        double threshold;
        double leaf;
        uint32_t members; /* small set test */
        uint32_t index;   /* set test: of the set; linear leaf: of the hb_linear64; leaf of a vector:
                           * its row */
    } as;
    uint32_t left;
    uint32_t test;
} hb_node64;

#define HB_TEST_NAN_MISSING  0x08000000u
#define HB_TEST_ZERO_MISSING 0x04000000u
#define HB_LEAF_LINEAR       0x02000000u /* of a leaf */
#define HB_TEST_FEATURE64    0x01ffffffu

/* A linear leaf: constant + the sum of coefficient * x in order; `fallback` where one x is missing. */
typedef struct hb_linear64 {
    double constant, fallback;
    uint32_t first, count;
} hb_linear64;

typedef struct hb_forest64 {
    const hb_node64 *nodes;
    const hb_tree *trees;
    size_t n_nodes, n_features;
    size_t n_trees;
    size_t units, leaf_units, most_units;
    size_t n_outputs;
    size_t leaf_width; /* 1, or n_outputs: leaves are rows of leaf_vectors */
    const double *leaf_vectors;
    const hb_category_set *sets;
    const uint32_t *words;
    const hb_linear64 *linear;
    const uint32_t *linear_features;
    const double *linear_coefficients;
    bool has_category_sets;
} hb_forest64;

/* As hb_forest_begin32, hb_forest_add32, hb_forest_add_leaves32 (no linear ones) and hb_forest_set32. */
void hb_forest_begin64(const hb_forest64 *forest, const double *base, size_t stride, size_t rows, double *sums);
void hb_forest_add64(const hb_forest64 *forest, size_t first, size_t end, const double *x, size_t stride, size_t rows,
                     double *sums);

void hb_forest_add_leaves64(const hb_forest64 *forest, size_t first, size_t n, const uint32_t *leaf, size_t stride,
                            double *sums);
void hb_forest_set64(const hb_forest64 *forest, uint32_t node, const double *x, size_t rows, uint64_t *bits);

#endif
