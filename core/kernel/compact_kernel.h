/* compact_kernel.h - walks down trees of many levels, on nodes of eight bytes: half of what the others take of the
 * caches, which is what such walks wait for.
 *
 * Nodes stand in an order of their own, in slots: the two children of a node side by side, and below them, in the same
 * 64 bytes where they can, those children's own children that most of the training rows came to. A walk then takes two
 * levels or three from each line of a cache. The rows are float32, row by row, so that one is in one or two lines.
 *
 * Walks are items: a row in a tree. Where the CPU has gathers some of them go side by side in the lanes of registers,
 * and when one has come to its leaf, the next item takes its place: it does not matter whether there are many rows or
 * many trees. */
#ifndef HB_KERNEL_COMPACT_KERNEL_H
#define HB_KERNEL_COMPACT_KERNEL_H

#include "kernel/forest_kernel.h"

/* A node of 8 bytes: numbers from the threshold on go right. `test` has HB_TEST_INNER, HB_TEST_DEFAULT_RIGHT, the
 * feature, and the slot of the left child, counted from the tree's root; a leaf's is its own. */
typedef struct hb_compact_node {
    union {
        float threshold;
        uint32_t leaf; /* its row in `leaves` */
    } as;
    uint32_t test;
} hb_compact_node;

enum {
    HB_COMPACT_SHIFT = 20,
    HB_COMPACT_SLOTS = 1 << HB_COMPACT_SHIFT, /* of a tree, at most */
    HB_COMPACT_ALL_SLOTS = 1 << 30,           /* fewer */
    HB_COMPACT_FEATURES = 1 << 10,            /* at most */
    HB_COMPACT_LINE = 8,                      /* slots */
    HB_COMPACT_ITEMS = 4096,                  /* at once, at most */
    HB_COMPACT_BEHIND = 128                   /* items that kernels may read and write behind the last */
};

typedef struct hb_compact_forest {
    const hb_compact_node *nodes;
    const uint32_t *roots; /* [trees + 1]: slots */
    const hb_tree *trees;  /* their outputs */
    const void *leaves;    /* float, or double of a forest in float64: [..][leaf_width] */
    size_t n_slots, n_features, n_trees, n_outputs, leaf_width;
} hb_compact_forest;

/* The items of some trees, tree after tree: where each begins, the first number of its row, and then its leaf. */
typedef struct hb_compact_items {
    size_t ahead, ahead_end; /* slots of the trees that come next, to be fetched into the caches meanwhile.. */
    bool each;               /* ..or each node as soon as it is known that a walk comes there; for trees that are far */
    uint32_t root[HB_COMPACT_ITEMS + HB_COMPACT_BEHIND];
    uint32_t row[HB_COMPACT_ITEMS + HB_COMPACT_BEHIND];
    uint32_t leaf[HB_COMPACT_ITEMS + HB_COMPACT_BEHIND];
} hb_compact_items;

/* The kernels (kernels.def), for each isa:
 *
 * hb_compact_rows32, hb_compact_rows64: feature f of row r, x[f * stride + r], to to[r * n_features + f], as float32.
 *
 * hb_compact_leaves: sets the leaves of n items, of which all else is set.
 *
 * hb_compact_add32, hb_compact_add64: adds the leaves of `rows` rows in trees [first, end) in their order to
 * sums[output][stride]. */

#endif
