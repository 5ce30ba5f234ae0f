/* forest_gather.h - walks down a forest in the lanes of registers: rows of one tree side by side, or trees of one
 * row. Private to forest_walk.c and forest_wide_walk.c, which say before what `forest_type` and `number` are, how
 * add_leaf adds, and with gathers walks_step and NODE_INTS. Sets of categories are left to plain C. */
#ifndef HB_KERNEL_FOREST_GATHER_H
#define HB_KERNEL_FOREST_GATHER_H

#include "kernel/gather.h"

#if HB_GATHERS

/* `groups` is a constant of each call. Walks of deep trees mostly end before: from there on it pays to look. */
HB_INLINE void walks_go(const forest_type *forest, uint32_t depth, const number *x, uint32_t stride_bits,
                        const hb_walks *row, size_t groups, hb_walks *at)
{
    for (uint32_t level = 0; level < depth; level++) {
        bool moved = depth <= DEEP;

#pragma GCC unroll 4
        for (size_t g = 0; g < groups; g++) {
            hb_walks next = walks_step(forest, x, stride_bits, row[g], at[g]);

            moved |= depth > DEEP && hb_walks_differ(next, at[g]);
            at[g] = next;
        }
        if (!moved)
            return;
    }
}

HB_INLINE void walks_some(const forest_type *forest, uint32_t depth, const number *x, uint32_t stride_bits,
                          const hb_walks *row, size_t n, hb_walks *at)
{
    if (n > 2 * HB_WALKS)
        walks_go(forest, depth, x, stride_bits, row, HB_GROUPS, at);
    else if (n > HB_WALKS)
        walks_go(forest, depth, x, stride_bits, row, 2, at);
    else
        walks_go(forest, depth, x, stride_bits, row, 1, at);
}

static void add_leaves(const forest_type *forest, uint32_t output, const hb_walks *at, size_t n, const number *x,
                       size_t stride, number *sums)
{
    uint32_t leaf[HB_ABREAST];

    for (size_t g = 0; g * HB_WALKS < n; g++)
        hb_walks_store(leaf + g * HB_WALKS, at[g]);
    for (size_t k = 0; k < n; k++)
        add_leaf(forest, output, leaf[k], x + k, stride, sums + k);
}

/* A tree that is not deep: HB_ABREAST rows go down it together. */
HB_INLINE void gather_tree(const forest_type *forest, const hb_flat_tree *tree, const number *x, size_t stride,
                           uint32_t stride_bits, size_t rows, number *sums)
{
    for (size_t r = 0; r < rows; r += HB_ABREAST) {
        size_t n = rows - r < HB_ABREAST ? rows - r : HB_ABREAST;
        hb_walks row[HB_GROUPS], at[HB_GROUPS];

        hb_walks_rows(n, row);
        for (size_t g = 0; g < HB_GROUPS; g++)
            at[g] = hb_walks_all(tree->root);
        walks_some(forest, tree->depth, x + r, stride_bits, row, n, at);
        add_leaves(forest, tree->output, at, n, x + r, stride, sums + r);
    }
}

/* Some rows that go down a deep tree. */
typedef struct descent {
    size_t first, n; /* n 0: none */
    hb_walks row, at;
} descent;

static descent next_rows(const hb_flat_tree *tree, size_t *from, size_t rows)
{
    descent d = {.first = *from, .n = rows - *from < HB_WALKS ? rows - *from : HB_WALKS};

    *from += d.n;
    if (d.n)
        hb_walks_rows_of(d.n, &d.row, 1);
    d.at = hb_walks_all(tree->root);
    return d;
}

/* Each register of rows goes down by itself: where all of one have arrived, the next rows take their place. */
HB_INLINE void gather_deep_tree(const forest_type *forest, const hb_flat_tree *tree, const number *x, size_t stride,
                                uint32_t stride_bits, size_t rows, number *sums)
{
    descent on_way[HB_GROUPS];
    size_t from = 0, active = 0;

    for (size_t g = 0; g < HB_GROUPS; g++) {
        on_way[g] = next_rows(tree, &from, rows);
        active += on_way[g].n > 0;
    }
    while (active)
        for (size_t g = 0; g < HB_GROUPS; g++) {
            descent *d = &on_way[g];
            hb_walks next;

            if (!d->n)
                continue;
            next = walks_step(forest, x + d->first, stride_bits, d->row, d->at);
            if (hb_walks_differ(next, d->at)) {
                d->at = next;
                continue;
            }
            add_leaves(forest, tree->output, &d->at, d->n, x + d->first, stride, sums + d->first);
            *d = next_rows(tree, &from, rows);
            active -= !d->n;
        }
}

/* The tree outside: of a large forest it stays in the caches while all rows go down. */
HB_INLINE void gather_rows(const forest_type *forest, size_t first, size_t end, const number *x, size_t stride,
                           uint32_t stride_bits, size_t rows, number *sums)
{
    for (size_t t = first; t < end; t++) {
        const hb_flat_tree *tree = &forest->trees[t];

        if (tree->depth > DEEP)
            gather_deep_tree(forest, tree, x, stride, stride_bits, rows, sums);
        else
            gather_tree(forest, tree, x, stride, stride_bits, rows, sums);
    }
}

/* HB_ABREAST trees at a time; their leaves are added in the trees' order. */
HB_INLINE void gather_row(const forest_type *forest, size_t first, size_t end, const number *x, size_t stride,
                          uint32_t stride_bits, number *sums)
{
    for (size_t t = first; t < end; t += HB_ABREAST) {
        size_t n = end - t < HB_ABREAST ? end - t : HB_ABREAST;
        uint32_t leaf[HB_ABREAST], depth = 0;
        hb_walks row[HB_GROUPS], at[HB_GROUPS];

        for (size_t k = 0; k < HB_ABREAST; k++) {
            const hb_flat_tree *tree = &forest->trees[t + (k < n ? k : n - 1)];

            leaf[k] = tree->root;
            depth = tree->depth > depth ? tree->depth : depth;
        }
        for (size_t g = 0; g < HB_GROUPS; g++) {
            row[g] = hb_walks_all(0);
            at[g] = hb_walks_load(leaf + g * HB_WALKS);
        }
        walks_some(forest, depth, x, stride_bits, row, n, at);
        for (size_t g = 0; g < HB_GROUPS; g++)
            hb_walks_store(leaf + g * HB_WALKS, at[g]);
        for (size_t k = 0; k < n; k++)
            add_leaf(forest, forest->trees[t + k].output, leaf[k], x, stride, sums);
    }
}

HB_INLINE void gather_any(const forest_type *forest, size_t first, size_t end, const number *x, size_t stride,
                          uint32_t stride_bits, size_t rows, number *sums)
{
    if (rows == 1)
        gather_row(forest, first, end, x, stride, stride_bits, sums);
    else
        gather_rows(forest, first, end, x, stride, stride_bits, rows, sums);
}

/* False where it is left to plain C. */
static bool gather(const forest_type *forest, size_t first, size_t end, const number *x, size_t stride, size_t rows,
                   number *sums)
{
    uint32_t bits;

    if (forest->has_sets || !hb_walks_fit(forest->n_nodes, NODE_INTS, forest->n_features, stride, &bits))
        return false;
    gather_any(forest, first, end, x, stride, bits, rows, sums);
    return true;
}

#else

static bool gather(const forest_type *forest, size_t first, size_t end, const number *x, size_t stride, size_t rows,
                   number *sums)
{
    (void)forest, (void)first, (void)end, (void)x, (void)stride, (void)rows, (void)sums;
    return false;
}

#endif

#endif
