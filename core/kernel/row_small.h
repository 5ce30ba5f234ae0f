/* row_small.h - see row_kernel.h: the ranks of a row of up to 64 numbers in up to 64 chunks. Private to row_ranks.c.
 *
 * A rank is found in two steps: among the last of each 16 thresholds, and then among the 16 that end there. */
#ifndef HB_KERNEL_ROW_SMALL_H
#define HB_KERNEL_ROW_SMALL_H

#include "kernel/row_search.h"
#include "kernel/row_tables.h"

enum { FEW = HB_ROW_FEW };

static inline bool is_small(const hb_row_forest *forest)
{
    return forest->n_chunks <= FEW && forest->n_columns <= FEW && forest->n_entries <= LOOKED_UP;
}

/* The row's numbers side by side, where they are or in `room`. */
#define SIDE_BY_SIDE(room)                         \
    if (stride == 1)                               \
        return x;                                  \
    for (size_t c = 0; c < forest->n_columns; c++) \
        (room)[c] = x[c * stride];                 \
    return room;

static inline const float *side_by_side32(const hb_row_forest *forest, const float *x, size_t stride, float room[FEW])
{
    SIDE_BY_SIDE(room)
}

static inline const double *side_by_side64(const hb_row_forest *forest, const double *x, size_t stride,
                                           double room[FEW])
{
    SIDE_BY_SIDE(room)
}

#endif
