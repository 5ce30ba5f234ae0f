/* row_perfect.h - see row_kernel.h: leaves of perfect trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_PERFECT_H
#define HB_KERNEL_ROW_PERFECT_H

#include "kernel/row_perfect_ways.h"

/* find_in_perfect, add_in_perfect: the leaves of trees [first, first + n). */
#if defined(__AVX512VBMI__)
#include "kernel/row_perfect_vbmi.h"
#elif HB_GATHERS
#include "kernel/row_perfect_avx2.h"
#else

static void find_in_perfect(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    find_in_any(forest, row, first, n, leaf);
}

static void add_in_perfect(const hb_row *row, size_t first, size_t n, row_sum *sum)
{
    add_in_any(row, first, n, sum);
}

#endif

#endif
