/* row_exits_groups.h - see row_exits.h: groups of trees, whatever finds their leaves. */
#ifndef HB_KERNEL_ROW_EXITS_GROUPS_H
#define HB_KERNEL_ROW_EXITS_GROUPS_H

#include "kernel/row_tables.h"

/* The tests of one group. */
typedef struct some_tests {
    const hb_row_test *tests;
    size_t first, n; /* of all */
} some_tests;

static inline some_tests take_group(const hb_row_forest *forest, size_t tree)
{
    size_t g = tree / HB_ROW_LANES, first = forest->groups[g];

    return (some_tests){forest->tests + first, first, forest->groups[g + 1] - first};
}

#endif
