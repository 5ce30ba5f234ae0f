/* loops.h - how kernels in float64 go over a tile. */
#ifndef HB_KERNEL_LOOPS_H
#define HB_KERNEL_LOOPS_H

#include "kernel/kernels.h"

/* Each number by itself. A tile that is full is one run of numbers; so is a tile of one row. */
#define FOR_EACH(tile, x, y, statement)                                         \
    for (size_t c_ = 0, n_ = hb_run_of(tile); c_ < hb_columns_of(tile); c_++) { \
        HB_INDEPENDENT                                                          \
        for (size_t r_ = 0; r_ < n_; r_++) {                                    \
            double x = (tile)->in[c_ * (tile)->stride + r_];                    \
            double *y = &(tile)->out[c_ * (tile)->stride + r_];                 \
            statement;                                                          \
        }                                                                       \
    }

static inline size_t hb_run_of(const hb_tile64 *tile)
{
    return tile->rows == tile->stride ? tile->width * tile->rows : tile->rows;
}

static inline size_t hb_columns_of(const hb_tile64 *tile)
{
    return tile->rows == tile->stride ? 1 : tile->width;
}

/* Each number x of column c with p = numbers[c]; of one row, numbers stand beside numbers. */
#define FOR_EACH_WITH(tile, x, y, numbers, p, statement)            \
    if ((tile)->stride == 1) {                                      \
        HB_INDEPENDENT                                              \
        for (size_t c_ = 0; c_ < (tile)->width; c_++) {             \
            double x = (tile)->in[c_], p = (numbers)[c_];           \
            double *y = &(tile)->out[c_];                           \
            statement;                                              \
        }                                                           \
    } else {                                                        \
        for (size_t c_ = 0; c_ < (tile)->width; c_++) {             \
            double p = (numbers)[c_];                               \
            HB_INDEPENDENT                                          \
            for (size_t r_ = 0; r_ < (tile)->rows; r_++) {          \
                double x = (tile)->in[c_ * (tile)->stride + r_];    \
                double *y = &(tile)->out[c_ * (tile)->stride + r_]; \
                statement;                                          \
            }                                                       \
        }                                                           \
    }

/* ---- over the columns of a row, for HB_ROWS rows side by side: sums are in the order of the columns */

enum { HB_ROWS = 64 };

/* Rows [first, first + n) of a tile. */
static inline hb_tile64 hb_rows_from(const hb_tile64 *tile, size_t first)
{
    hb_tile64 part = *tile;

    part.in += first;
    part.out += first;
    part.rows = tile->rows - first < HB_ROWS ? tile->rows - first : HB_ROWS;
    return part;
}

#define BY_ROWS(tile, function)                                         \
    for (size_t first_ = 0; first_ < (tile)->rows; first_ += HB_ROWS) { \
        hb_tile64 part_ = hb_rows_from(tile, first_);                   \
        function(&part_);                                               \
    }

#define FOR_ROWS(tile, c, x, y, statement)                      \
    {                                                           \
        HB_INDEPENDENT                                          \
        for (size_t r = 0; r < (tile)->rows; r++) {             \
            double x = (tile)->in[(c) * (tile)->stride + r];    \
            double *y = &(tile)->out[(c) * (tile)->stride + r]; \
            (void)x, (void)y;                                   \
            statement;                                          \
        }                                                       \
    }

#endif
