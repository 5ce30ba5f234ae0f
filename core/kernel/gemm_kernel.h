/* gemm_kernel.h - a forest as products of matrices: the strategy "gemm" (Hummingbird, section 4.1, algorithm 1).
 *
 * A tree is five tensors: A [features][tests] selects what each test reads, B [tests] has the thresholds, C [tests]
 * [leaves] is 1 where the leaf is on the test's left, -1 on its right and else 0, D [leaves] counts the left turns on
 * the way to the leaf, E [leaves][outputs] has the leaf values. For a block of rows X [rows][features]:
 *
 *     T = X A;  T = T < B;  T = T C;  T = (T == D);  R = T E
 *
 * A product is a selection or a sum of small whole numbers, so it has the same bits in any order and by any BLAS.
 * That needs numbers: NaN and infinity times 0 are NaN. So a missing value is 0 in X, and a second matrix that has 1
 * for it, times A, says which tests take their default; a block with an infinity is left to walks; and a forest
 * with infinities or -0.0 among its leaves is not held. R is added to the sums tree by tree, in their order.
 *
 * The tensors of most trees are much larger than their nodes. So only the nodes are kept, and each tree's tensors are
 * made anew for a block: that is a small part of their products. */
#ifndef HB_KERNEL_GEMM_KERNEL_H
#define HB_KERNEL_GEMM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HB_GEMM_ROWS = 64 }; /* of a block */

#define HB_GEMM_ROOT UINT32_MAX

/* A test or a leaf of a tree, parents before their children. */
typedef struct hb_gemm_node {
    uint32_t node; /* that of TreeTraversal */
    uint32_t up;   /* twice the number of the test above it in its tree, and 1 on its right; or HB_GEMM_ROOT */
} hb_gemm_node;

typedef struct hb_gemm_tree {
    uint32_t tests, leaves; /* into `nodes` */
    uint32_t n_tests, n_leaves;
    uint32_t output;
} hb_gemm_tree;

typedef struct hb_gemm_forest {
    const hb_gemm_tree *trees;
    const hb_gemm_node *nodes;
    size_t n_features, n_outputs, leaf_width;
    size_t most_tests, most_leaves; /* of a tree */
} hb_gemm_forest;

/* Where the matrices of a block lie in its work, in numbers of the forest's type; columns are of HB_GEMM_ROWS. Weights
 * lie as BLAS has them: what one output takes of all inputs side by side. */
typedef struct hb_gemm_room {
    size_t x, missing;   /* [features] columns */
    size_t a;            /* [tests][features] */
    size_t t, defaulted; /* [tests] columns */
    size_t c;            /* [leaves][tests] */
    size_t d;            /* [leaves] */
    size_t here;         /* [leaves] columns: T == D */
    size_t e;            /* [outputs][leaves] */
    size_t r;            /* [outputs] columns */
    size_t end;
} hb_gemm_room;

static inline hb_gemm_room hb_gemm_room_of(const hb_gemm_forest *f)
{
    const size_t rows = HB_GEMM_ROWS, tests = f->most_tests, leaves = f->most_leaves;
    hb_gemm_room room = {.missing = f->n_features * rows};

    room.a = 2 * room.missing;
    room.t = room.a + tests * f->n_features;
    room.defaulted = room.t + tests * rows;
    room.c = room.defaulted + tests * rows;
    room.d = room.c + leaves * tests;
    room.here = room.d + leaves;
    room.e = room.here + leaves * rows;
    room.r = room.e + f->leaf_width * leaves;
    room.end = room.r + f->leaf_width * rows;
    return room;
}

/* What a block's numbers are. */
enum { HB_GEMM_MISSING = 1u << 0, HB_GEMM_INFINITE = 1u << 1 };

/* The kernels (kernels.def), for each isa:
 *
 * hb_gemm_take32, hb_gemm_take64: X and the matrix of missing values of a block, into `work`; gives what it has.
 * Feature f of row r is x[f * stride + r], for rows <= HB_GEMM_ROWS.
 *
 * hb_gemm_add32, hb_gemm_add64: adds the leaves of trees [first, end) in their order to sums[output][stride], for the
 * rows in `work`, which has no infinities. Products are the BLAS's, which has been entered, or (NULL) our own. */

#endif
