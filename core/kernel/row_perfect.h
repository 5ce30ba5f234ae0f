/* row_perfect.h - see row_kernel.h: leaves of perfect trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_PERFECT_H
#define HB_KERNEL_ROW_PERFECT_H

/* find_in_perfect, add_in_perfect: the leaves of trees [first, first + n). */
#if HB_ISA_AVX512VBMI
#include "kernel/row_perfect_vbmi.h"
#else
#include "kernel/row_sums.h"

/* Only the tests that are met. */
ROW_INLINE uint32_t leaf_by_any(const hb_row_forest *forest, const hb_row *row, size_t tree)
{
    const hb_row_tree *tests = &forest->perfect[tree];
    uint64_t by_sets = 0;
    uint32_t node = 1;

    for (size_t s = 0; s < forest->n_features; s++)
        by_sets |= row->sets[s][tree];
    for (size_t level = 0; level < HB_ROW_LEVELS; level++) {
        size_t at = hb_row_place(node);

        node = 2 * node + (row->ranks[tests->entry[at]] > tests->cut[at] || (by_sets >> at & 1));
    }
    return (uint32_t)(tree - 1) * HB_ROW_PLACES + node;
}

static void find_in_perfect(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    for (size_t t = 0; t < n; t++)
        leaf[t] = leaf_by_any(forest, row, first + t);
}

ROW_INLINE void add_in_perfect(const hb_row *row, size_t first, size_t n, row_sum *sum)
{
    for (size_t t = first; t < first + n; t++)
        add_leaf(sum, t, leaf_by_any(sum->forest, row, t));
}

#endif

#endif
