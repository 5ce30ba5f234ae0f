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

#if !HB_ISA_AVX512VBMI

/* Tests of any entries, one tree after the other. */
static void pass_any_group(const hb_row_forest *forest, const hb_row *row, size_t tree, row_sum *sum,
                           some_exits *before, uint8_t exits[HB_ROW_LANES])
{
    const some_tests group = take_group(forest, tree);

    if (sum)
        add_exits(sum, before, before->end - before->tree);
    memset(exits, 0, HB_ROW_LANES);
    for (size_t i = 0; i < group.n; i++) {
        const hb_row_test *test = &group.tests[i];
        uint64_t sets = 0;

        for (size_t s = 0; s < forest->n_features; s++)
            sets |= row->sets[s][group.first + i];
        for (size_t t = 0; t < HB_ROW_LANES; t++) {
            bool right = row->ranks[test->entry[t]] > test->cut[t] || (sets >> t & 1);

            if (right && test->first[t] <= exits[t])
                exits[t] = (uint8_t)(i + 1);
        }
    }
}

#endif

#endif
