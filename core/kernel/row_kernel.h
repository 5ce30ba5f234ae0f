/* row_kernel.h - one row through a forest, by ranks.
 *
 * The row's numbers become ranks among the thresholds first, as in bits_kernel.h. Then there are three ways:
 *
 *  - Where ranks are looked up in registers (hb_kernels.row_entries), all tests of 64 trees at once, whether the row
 *    needs them or not, as no tree has more than 256 leaves. The tests of a tree come in the order in which they stand
 *    between its leaves, from left to right: test k, where it sends the row to the right, shuts the leaves from the
 *    first below it to leaf k. The first leaf that stays open is the row's (QuickScorer, SIGIR 2015), and as k rises it
 *    is enough to keep that: a byte a tree.
 *  - There too, trees of up to 6 levels, padded to perfect ones, by subtrees of three levels, which are one look-up.
 *    If the isa permutes all bytes (hb_kernels.leaf_tables), all tests of a tree become bits of a word: first the 7
 * of the upper three levels, and then 7 by 7 those of the 8 subtrees below. Eight trees go down side by side in their
 *    words. Else the upper levels of 32 trees are compared side by side, and of four trees the subtrees that are met.
 *    In both ways category sets are tests too, whose answers were made for each category when the forest was
 *    compiled.
 *  - Walks. A node is four bytes: many trees fit into the first cache, and a level takes one look-up of the node and
 *    one of a rank.
 *
 * The kernels give a leaf's place. It is the number of TreeTraversal's node in walks. Numbers at leaves are added by
 * the kernels; where leaves are vectors, that is left to TreeTraversal's nodes. */
#ifndef HB_KERNEL_ROW_KERNEL_H
#define HB_KERNEL_ROW_KERNEL_H

#include "kernel/bits_kernel.h"
#include "kernel/forest_kernel.h"

enum {
    HB_ROW_RANKS = 256,   /* entries at most */
    HB_ROW_SHORT = 64,    /* entries that can be looked up 16 by 16 */
    HB_ROW_PAD = 4,       /* bytes that may be read behind them.. */
    HB_ROW_PAD_WORDS = 7, /* ..and words behind those of sets */
    HB_ROW_TREES = 128,   /* whose leaves are asked for at once, at most */
    HB_ROW_LANES = 64,    /* HB_ROW_EXITS: trees side by side, a group */
    HB_ROW_LEAVES = 256,  /* HB_ROW_EXITS: of a tree, at most */
    HB_ROW_LEVELS = 6,    /* HB_ROW_PERFECT: of a tree.. */
    HB_ROW_PLACES = 64,   /* ..which are so many leaves, and places of tests */
    HB_ROW_TOPS = 7,      /* tests of the upper three levels */
    HB_ROW_FEATURES = 32, /* of sets, at most */
    HB_ROW_FEW = 64,      /* chunks and columns of a row whose ranks stay in registers */
    HB_ROW_ABREAST = 8    /* chunks of any row that are searched side by side */
};

typedef enum hb_row_form {
    HB_ROW_NONE, /* such rows go as others do */
    HB_ROW_WALK,
    HB_ROW_EXITS,   /* all tests, of many trees at once.. */
    HB_ROW_PERFECT, /* ..or of one tree after the other.. */
    HB_ROW_SUBTREES /* ..or of their upper levels, and then of what is met */
} hb_row_form;

/* One (chunk, missing rule) pair. */
typedef struct hb_row_entry {
    uint16_t chunk;
    uint16_t rules; /* HB_BITS_... */
} hb_row_entry;

/* One test of each tree of a group: the row goes right where the entry's rank is above the cut. Trees that have no such
 * test have cuts of 255. */
typedef struct hb_row_test {
    uint8_t entry[HB_ROW_LANES], cut[HB_ROW_LANES];
    uint8_t first[HB_ROW_LANES]; /* leaf below it */
} hb_row_test;

/* All tests of a tree, as above. */
typedef struct hb_row_tree {
    uint8_t entry[HB_ROW_PLACES], cut[HB_ROW_PLACES]; /* 255 where there is none */
} hb_row_tree;

/* One test of the upper three levels of 64 trees, and the 7 tests of a subtree below; there are 8 of these. */
typedef struct hb_row_top {
    uint8_t entry[HB_ROW_LANES], cut[HB_ROW_LANES]; /* 255 where there is none */
} hb_row_top;

typedef struct hb_row_subtree {
    uint8_t entry[8], cut[8]; /* the last one is none */
} hb_row_subtree;

/* The place of a perfect tree's node; the root is node 1, and the children of node k are 2 k and 2 k + 1. */
static inline size_t hb_row_place(uint32_t node)
{
    uint32_t root = node, below = 1; /* the node in its subtree of three levels, counted the same way */

    if (node < 8)
        return node - 1;
    for (; root >= 16; root /= 2)
        below = 2 * below;
    return 7 * (root - 7) + (below | (node & (below - 1))) - 1;
}

/* Trees that have subtrees: four are taken at a time, and behind the last one all tests send left. */
static inline size_t hb_row_subtree_trees(size_t n_trees)
{
    return (n_trees + 3) / 4 * 4;
}

/* A feature of sets: its categories are below n. It has a table of n + 2 rows: of each category, of what is none of
 * them, and of a missing value. A row has a word for each test: the trees that the test sends right (perfect: for each
 * tree its tests that do; subtrees: for each of hb_row_subtree_trees the tests of subtree k from bit 8 k on that do,
 * and then for each top the trees). */
typedef struct hb_row_feature {
    uint32_t feature;
    uint32_t n;
    uint64_t words; /* into `set_words`: of the first row */
} hb_row_feature;

/* One row, as its tests look at it. */
typedef struct hb_row {
    uint8_t ranks[HB_ROW_RANKS + HB_ROW_PAD]; /* of each entry */
    const uint64_t *sets[HB_ROW_FEATURES];    /* of each feature of sets: its category's row of the table */
} hb_row;

/* Of a node: the entry it compares in bits 0 to 7, the cut in 8 to 15, and from 16 on its left child, counted from
 * the tree's root. The row goes right where the entry's rank is above the cut; a leaf's cut is 255, and its left
 * child is itself. */
typedef struct hb_row_forest {
    const hb_bits_chunk *chunks;
    const uint32_t *row_chunks;     /* [chunks, and up to the next 8]: where their `cuts` begin */
    const uint32_t *chunk_features; /* [chunks, and up to the next 8] */
    size_t n_chunks;
    const float *heaps;
    const float *cuts; /* of each chunk the last of each 16 thresholds, 16 such in all, then the thresholds, padded to
                        * the next multiple of 16, and 16 more: what is padded is NaN, which nothing is above */
    const double *thresholds;
    const hb_row_entry *entries;
    const uint8_t *entry_chunks; /* [entries, and up to the next 64].. */
    const uint8_t *entry_rights; /* ..255 where a missing number goes right */
    size_t n_columns;            /* 1 + the last feature of a chunk */
    size_t n_entries;
    bool has_zero_rules; /* zero is missing somewhere */
    const hb_tree *trees;
    size_t n_trees, n_outputs;
    hb_row_form form;
    const uint32_t *nodes; /* walks */
    const hb_row_tree *perfect;
    const hb_row_top *tops;         /* subtrees: HB_ROW_TOPS of each HB_ROW_LANES trees.. */
    const hb_row_subtree *subtrees; /* ..and 8 of each of hb_row_subtree_trees */
    const hb_row_test *tests;       /* exits.. */
    const uint32_t *groups;         /* ..of each group the first test, of an even number; and how many there are */
    size_t n_tests;                 /* exits; perfect: trees, up to the next 16; else words of a table of sets */
    const uint32_t *first_leaves;   /* exits: of each tree, into.. */
    const void *values;             /* ..these, by a leaf's place: float or double; where leaves are vectors NULL.. */
    const uint32_t *leaves;         /* ..and, but for walks, their nodes instead */
    const hb_row_feature *features;
    size_t n_features;
    const uint64_t *set_words;
} hb_row_forest;

/* The kernels (kernels.def), for each isa:
 *
 * hb_row_ranks32, hb_row_ranks64: fill `row`; feature f is x[f * stride].
 *
 * hb_row_leaves: leaf[t] becomes the place of the leaf in tree first + t, for n <= HB_ROW_TREES trees; `first` is a
 * multiple of these, and what is behind the n-th may be overwritten.
 *
 * hb_row_add32, hb_row_add64: adds the leaves of n trees, as many as there are, in their order to sums[output *
 * stride], where the forest has `values`; `first` is a multiple of HB_ROW_TREES. */

#endif
