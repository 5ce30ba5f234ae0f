/* row_sums.h - see row_kernel.h: the leaves of one row, added in the order of their trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_SUMS_H
#define HB_KERNEL_ROW_SUMS_H

#include "kernel/row_tables.h"

/* A row's sums. Where all trees add to the same output the sum stays in a register: stored and taken back it would wait
 * each time. is_wide and is_single are constants wherever this is inlined. */
typedef struct row_sum {
    const hb_row_forest *forest;
    bool is_wide, is_single;
    double wide;
    float narrow;
    double *wides; /* [outputs * stride] */
    float *narrows;
    size_t stride;
} row_sum;

HB_INLINE row_sum begin_sum64(const hb_row_forest *forest, bool is_single, size_t stride, double *sums)
{
    return (row_sum){
        .forest = forest, .is_wide = true, .is_single = is_single, .wide = sums[0], .wides = sums, .stride = stride};
}

HB_INLINE row_sum begin_sum32(const hb_row_forest *forest, bool is_single, size_t stride, float *sums)
{
    return (row_sum){.forest = forest, .is_single = is_single, .narrow = sums[0], .narrows = sums, .stride = stride};
}

HB_INLINE void end_sum(const row_sum *sum)
{
    if (sum->is_single && sum->is_wide)
        sum->wides[0] = sum->wide;
    else if (sum->is_single)
        sum->narrows[0] = sum->narrow;
}

HB_INLINE void add_leaf(row_sum *sum, size_t tree, size_t leaf)
{
    const double *wides = sum->forest->values;
    const float *narrows = sum->forest->values;

    if (sum->is_single && sum->is_wide)
        sum->wide += wides[leaf];
    else if (sum->is_single)
        sum->narrow += narrows[leaf];
    else if (sum->is_wide)
        sum->wides[sum->forest->trees[tree].output * sum->stride] += wides[leaf];
    else
        sum->narrows[sum->forest->trees[tree].output * sum->stride] += narrows[leaf];
}

HB_INLINE void add_leaves(row_sum *sum, size_t first, size_t n, const uint32_t *leaf)
{
#pragma GCC unroll 16
    for (size_t t = 0; t < n; t++)
        add_leaf(sum, first + t, leaf[t]);
}

#endif
