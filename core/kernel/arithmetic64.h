/* arithmetic64.h - the functions of base/arithmetic.h over runs of numbers. Every NaN that is made is the same one. */
#ifndef HB_KERNEL_ARITHMETIC64_H
#define HB_KERNEL_ARITHMETIC64_H

#include <stddef.h>

#include "base/arithmetic.h"
#include "kernel/elementwise64.h"

/* n numbers of x; `numbers` are a and b; y may be x. */
void hb_map64(hb_map_function function, hb_rounding rounding, const double numbers[2], const double *x, size_t n,
              double *y);

/* n times two operands, of which one may be the same for all; y may be one of the runs. */
typedef struct hb_operands {
    const double *left, *right;
    bool left_is_one, right_is_one; /* not both */
} hb_operands;
void hb_combine64(hb_combine_function function, hb_rounding rounding, const hb_operands *operands, size_t n, double *y);

/* n times x where the condition is not 0, else y. */
void hb_choose64(const double *condition, const double *x, const double *y, size_t n, double *to);

/* Columns [0, tile->width) of each row become one number, at tile->out, which is not tile->in. */
void hb_reduce64(hb_reduce_function function, hb_rounding rounding, const hb_tile64 *tile);

#endif
