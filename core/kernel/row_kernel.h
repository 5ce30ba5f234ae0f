/* row_kernel.h - one row through a forest, by ranks.
 *
 * The row's numbers become ranks among the thresholds first, as in bits_kernel.h, and a node is then four bytes:
 * many trees fit into the first cache, and a step takes one look-up of the node and one of a rank, which stays in
 * registers where these are wide enough. Leaves have the numbers of TreeTraversal's nodes. */
#ifndef HB_KERNEL_ROW_KERNEL_H
#define HB_KERNEL_ROW_KERNEL_H

#include "kernel/bits_kernel.h"
#include "kernel/forest_kernel.h"

enum {
    HB_ROW_RANKS = 256, /* entries at most */
    HB_ROW_PAD = 4,     /* bytes that may be read behind them */
    HB_ROW_TREES = 64   /* that go down together */
};

/* A chunk's thresholds in their order, padded to a multiple of 16 with NaN, which nothing is above; where they are
 * more than 16, the last of each 16 stands before them, 16 such in all, and 16 more NaN behind. */
typedef struct hb_row_chunk {
    uint32_t feature;
    uint32_t cuts; /* into `cuts`: of the first of these numbers */
    uint32_t n;
} hb_row_chunk;

/* A rank as some nodes compare it: with the rules of their predicates for missing values. */
typedef struct hb_row_entry {
    uint16_t chunk;
    uint16_t rules; /* HB_BITS_... */
} hb_row_entry;

/* Of a node: the entry it compares in bits 0 to 7, the cut in 8 to 15, and from 16 on its left child, counted from
 * the tree's root. The row goes right where the entry's rank is above the cut; a leaf's cut is 255, and its left
 * child is itself. */
typedef struct hb_row_forest {
    const hb_bits_chunk *chunks;
    const hb_row_chunk *row_chunks;
    size_t n_chunks;
    const float *heaps, *cuts;
    const double *thresholds;
    const hb_row_entry *entries;
    size_t n_entries;
    const uint32_t *nodes;
    const hb_flat_tree *trees;
} hb_row_forest;

/* The kernels (kernels.def), for each instruction set:
 *
 * hb_row_ranks32, hb_row_ranks64: ranks[e] of each entry; feature f is x[f * stride].
 *
 * hb_row_leaves: leaf[t] becomes the leaf's node in tree first + t, for n <= HB_ROW_TREES trees. */

#endif
