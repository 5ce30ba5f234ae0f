/* elementwise64.h - the small tensor operators over a tile of rows, in float64 (elementwise.h: float32). */
#ifndef HB_KERNEL_ELEMENTWISE64_H
#define HB_KERNEL_ELEMENTWISE64_H

#include "base/work.h"
#include <stddef.h>

/* One call: `rows` <= `stride` rows of `width` columns from `in` to `out`, which may be the same. */
typedef struct hb_tile64 {
    const double *in;
    double *out;
    size_t width, stride, rows;
} hb_tile64;

/* Magnitudes up to kZeroThreshold (1e-35f) become 0: what LightGBM's row buffers drop. */
void hb_flush_tiny64(const hb_tile64 *tile);
void hb_mark_missing64(const hb_tile64 *tile, double number);               /* x == number becomes NaN */
void hb_affine64(const hb_tile64 *tile, double factor, const double *bias); /* factor * x + bias[c] */
/* Column c with numbers[c], in this order of operands. */
void hb_subtract64(const hb_tile64 *tile, const double *numbers);
void hb_quotient64(const hb_tile64 *tile, const double *numbers);
void hb_multiply64(const hb_tile64 *tile, const double *numbers);
void hb_add64(const hb_tile64 *tile, const double *numbers);
/* The same of numbers that float32 holds: computed in it. */
void hb_subtract32_64(const hb_tile64 *tile, const double *numbers);
void hb_quotient32_64(const hb_tile64 *tile, const double *numbers);
void hb_multiply32_64(const hb_tile64 *tile, const double *numbers);
void hb_add32_64(const hb_tile64 *tile, const double *numbers);
void hb_round64(const hb_tile64 *tile); /* to float32 */
/* What a C compiler for x86-64 makes of (uint8_t)x: cut to an integer, its lowest byte; of numbers
 * from 2^31 on 0. NaN and what is below 0 become NaN. */
void hb_code64(const hb_tile64 *tile);
void hb_difference64(const hb_tile64 *tile); /* width 2 to 1: y - x */
/* -(2^-x) - offset; no less than 0 from x = border on, less than 0 before: { offset, border }. */
void hb_isolation64(const hb_tile64 *tile, const double numbers[2]);
void hb_narrow64(const double *in, size_t n, float *out);                    /* to float32, kept as such */
void hb_clip64(const hb_tile64 *tile, const double limits[2]);               /* NaN stays */
void hb_impute64(const hb_tile64 *tile, const double *fill, double missing); /* NaN, and `missing` */
void hb_plus_minus64(const hb_tile64 *tile);                                 /* width 1 to 2: -x, x; in != out */
void hb_normalize64(const hb_tile64 *tile); /* each row divided by its sum; of a sum of 0: 1 / width */
void hb_variance64(const hb_tile64 *tile);  /* width 2: x stays, y becomes exp(2 y) */
void hb_divide64(const hb_tile64 *tile, double divisor);
void hb_sigmoid64(const hb_tile64 *tile, double factor); /* 1 / (1 + exp(-factor * x)) */
void hb_softmax64(const hb_tile64 *tile);                /* exp(x - max) / sum (Common::Softmax of LightGBM) */
void hb_logsumexp64(const hb_tile64 *tile);              /* exp(x - (log(sum of exp(x - max)) + max)) */
void hb_exp_tile64(const hb_tile64 *tile);
void hb_tanh_tile64(const hb_tile64 *tile);
void hb_square64(const hb_tile64 *tile);                    /* sign(x) * x * x */
void hb_softplus64(const hb_tile64 *tile);                  /* log1p(exp(x)) */
void hb_complement64(const hb_tile64 *tile);                /* width 1 to 2: 1 - x, x; in != out */
void hb_greater64(const hb_tile64 *tile, double threshold); /* 1 where x > threshold, else 0 */
void hb_argmax64(const hb_tile64 *tile);                    /* width w to 1: the column of the first maximum */
/* The same of one row's hb_softmax64, which it needs no room for; false where the host wants to stop. */
bool hb_argmax_of_softmax64(const hb_tile64 *row, hb_work *polls);
/* hb_argmax64 of at most 64 rows; in != out. Bit r of what it gives: of row r hb_argmax_of_softmax64 may be another. */
uint64_t hb_argmax_apart64(const hb_tile64 *tile);

#endif
