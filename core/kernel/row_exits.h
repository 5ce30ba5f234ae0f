/* row_exits.h - see row_kernel.h: leaves by all tests of many trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_EXITS_H
#define HB_KERNEL_ROW_EXITS_H

/* pass_group: the exits of the group that begins with a tree. */
#if HB_ISA_AVX512VBMI
#include "kernel/row_exits_vbmi.h"
#else
#include "kernel/row_exits_avx2.h"
#endif

static void find_in_tests(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    uint8_t exits[HB_ROW_LANES];

    for (size_t t = 0; t < n; t++) {
        if (t % HB_ROW_LANES == 0)
            pass_group(forest, row, first + t, exits);
        leaf[t] = forest->first_leaves[first + t] + exits[t % HB_ROW_LANES];
    }
}

#endif
