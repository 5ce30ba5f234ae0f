/* row_exits.h - see row_kernel.h: leaves by all tests of many trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_EXITS_H
#define HB_KERNEL_ROW_EXITS_H

/* pass_group: the exits of the group that begins with a tree; where there is a sum, the leaves of the group before are
 * added to it. */
#if HB_ISA_AVX512VBMI
#include "kernel/row_exits_vbmi.h"
#else
#include "kernel/row_exits_avx2.h"
#endif

static void find_in_tests(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    some_exits group;

    for (size_t t = 0; t < n; t++) {
        if (t % HB_ROW_LANES == 0)
            pass_group(forest, row, first + t, NULL, NULL, group.exits);
        leaf[t] = leaf_of(forest, &group, first + t);
    }
}

ROW_INLINE void add_in_tests(const hb_row *row, size_t first, size_t n, row_sum *sum)
{
    some_exits before = {first, first, {0}};
    size_t end = first + n;

    for (size_t t = first; t < end; t += HB_ROW_LANES) {
        pass_group(sum->forest, row, t, sum, &before, before.exits);
        before.end = end - t < HB_ROW_LANES ? end : t + HB_ROW_LANES;
    }
    add_exits(sum, &before, before.end - before.tree);
}

#endif
