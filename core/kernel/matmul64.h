/* matmul64.h - products of matrices of columns, in one fixed order: the same bits for a row and a block. */
#ifndef HB_KERNEL_MATMUL64_H
#define HB_KERNEL_MATMUL64_H

#include <stdbool.h>

#include "kernel/elementwise64.h"

/* Some columns of the right matrix, [terms][columns]: each item is a column of numbers, `step` apart, or a weight, the
 * same for all rows of the tile. */
typedef struct hb_right_matrix {
    const double *items;
    size_t columns, pitch, step; /* items from one row of the matrix to the next: `pitch` */
    bool is_constant;
} hb_right_matrix;

/* One row of the left matrix, tile->in [tile->width][stride], times the right one: tile->out [columns][stride]. Output
 * j is the sum from 0 over rising t of left t times right t, j: each product and each sum is rounded; in_float32, where
 * all numbers are float32, s = l r + s is rounded once, to float32. NaN is always the same one. */
void hb_matmul64(const hb_tile64 *tile, const hb_right_matrix *right, bool in_float32);

/* The same in float32 of several rows of the left matrix, which stand one behind the other, and of weights; out_pitch:
 * the columns from one row of the result to the next. */
void hb_matmul_weights32(const hb_tile64 *tile, size_t left_rows, const hb_right_matrix *right, size_t out_pitch);

#endif
