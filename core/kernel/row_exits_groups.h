/* row_exits_groups.h - see row_exits.h: groups of trees, whatever finds their leaves. */
#ifndef HB_KERNEL_ROW_EXITS_GROUPS_H
#define HB_KERNEL_ROW_EXITS_GROUPS_H

#include "kernel/row_sums.h"

/* The tests of one group, and the leaves of the group before that are still to be added. */
typedef struct some_tests {
    const hb_row_test *tests;
    size_t first, n; /* of all */
} some_tests;

typedef struct some_exits {
    size_t tree, end; /* those whose leaves are not added yet */
    uint8_t exits[HB_ROW_LANES];
} some_exits;

static inline some_tests take_group(const hb_row_forest *forest, size_t tree)
{
    size_t g = tree / HB_ROW_LANES, first = forest->groups[g];

    return (some_tests){forest->tests + first, first, forest->groups[g + 1] - first};
}

static inline uint32_t leaf_of(const hb_row_forest *forest, const some_exits *before, size_t tree)
{
    return forest->first_leaves[tree] + before->exits[tree % HB_ROW_LANES];
}

ROW_INLINE void add_exits(row_sum *sum, some_exits *before, size_t n)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++, before->tree++)
        add_leaf(sum, before->tree, leaf_of(sum->forest, before, before->tree));
}

#endif
