/* row_perfect_ways.h - see row_perfect.h: three levels down by one look-up. */
#ifndef HB_KERNEL_ROW_PERFECT_WAYS_H
#define HB_KERNEL_ROW_PERFECT_WAYS_H

#include "kernel/row_sums.h"

/* Which of the 8 ways down three levels is taken by their 7 tests, which are the bits of t; and what is made of that, for
 * each t. */
#define WAY2(t, next) ((t) & 1 ? 2 + ((next) >> 1 & 1) : ((next) & 1))
#define WAY3(t) ((t) & 1 ? 4 + WAY2((t) >> 2, (t) >> 5) : WAY2((t) >> 1, (t) >> 3))
#define OF_WAY(t, times, plus) ((times) * WAY3(t) + (plus))
#define OF_4(t, times, plus) \
    OF_WAY(t, times, plus), OF_WAY((t) + 1, times, plus), OF_WAY((t) + 2, times, plus), OF_WAY((t) + 3, times, plus)
#define OF_16(t, times, plus) \
    OF_4(t, times, plus), OF_4((t) + 4, times, plus), OF_4((t) + 8, times, plus), OF_4((t) + 12, times, plus)
#define OF_64(t, times, plus) \
    OF_16(t, times, plus), OF_16((t) + 16, times, plus), OF_16((t) + 32, times, plus), OF_16((t) + 48, times, plus)
#define OF_ALL(times, plus) {OF_64(0, times, plus), OF_64(64, times, plus)}

typedef uint8_t ways_table[128] __attribute__((aligned(64)));

static const ways_table way_taken = OF_ALL(1, 0);
static const ways_table first_leaf = OF_ALL(8, 0); /* below it.. */
static const ways_table next_tests = OF_ALL(7, 7); /* ..and the place of its subtree's tests */

#ifndef __AVX512VBMI__

/* Of any entries: only the tests that are met. */
ROW_INLINE uint32_t leaf_in_any(const hb_row_forest *forest, const hb_row *row, size_t tree)
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

static void find_in_any(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    for (size_t t = 0; t < n; t++)
        leaf[t] = leaf_in_any(forest, row, first + t);
}

ROW_INLINE void add_in_any(const hb_row *row, size_t first, size_t n, row_sum *sum)
{
    for (size_t t = first; t < first + n; t++)
        add_leaf(sum, t, leaf_in_any(sum->forest, row, t));
}

#endif

#endif
