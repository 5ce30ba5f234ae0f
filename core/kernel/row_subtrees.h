/* row_subtrees.h - see row_kernel.h: leaves of perfect trees by subtrees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_SUBTREES_H
#define HB_KERNEL_ROW_SUBTREES_H

#include "kernel/row_sums.h"

/* ---- any entries, one test after the other */

/* Words of the tables of sets: whether they send the row right. */
ROW_INLINE bool is_right_by_sets(const hb_row_forest *forest, const hb_row *row, size_t word, size_t bit)
{
    uint64_t right = 0;

    for (size_t s = 0; s < forest->n_features; s++)
        right |= row->sets[s][word];
    return right >> bit & 1;
}

ROW_INLINE uint32_t leaf_by_subtrees(const hb_row_forest *forest, const hb_row *row, size_t tree)
{
    size_t first_top = tree / HB_ROW_LANES * HB_ROW_TOPS, lane = tree % HB_ROW_LANES, node = 1, way;

    for (size_t level = 0; level < 3; level++) {
        const hb_row_top *top = &forest->tops[first_top + node - 1];
        size_t word = hb_row_subtree_trees(forest->n_trees) + first_top + node - 1;

        node = 2 * node + (row->ranks[top->entry[lane]] > top->cut[lane] || is_right_by_sets(forest, row, word, lane));
    }
    way = node - 8;
    node = 1;
    for (size_t level = 0; level < 3; level++) {
        const hb_row_subtree *subtree = &forest->subtrees[8 * tree + way];

        node = 2 * node + (row->ranks[subtree->entry[node - 1]] > subtree->cut[node - 1] ||
                           is_right_by_sets(forest, row, tree, 8 * way + node - 1));
    }
    return (uint32_t)(tree * HB_ROW_PLACES + 8 * way + node - 8);
}

static void find_by_any_subtrees(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    for (size_t t = 0; t < n; t++)
        leaf[t] = leaf_by_subtrees(forest, row, first + t);
}

ROW_INLINE void add_by_any_subtrees(const hb_row *row, size_t first, size_t n, row_sum *sum)
{
    for (size_t t = first; t < first + n; t++)
        add_leaf(sum, t, leaf_by_subtrees(sum->forest, row, t));
}

/* find_by_subtrees, add_by_subtrees: the leaves of trees [first, first + n). */
#if HB_GATHERS && !HB_ISA_AVX512VBMI
#include "kernel/row_subtrees_avx2.h"
#else
#define find_by_subtrees find_by_any_subtrees
#define add_by_subtrees  add_by_any_subtrees
#endif

#endif
