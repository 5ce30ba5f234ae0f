/* elementwise.h - the small tensor operators over a tile of rows, in float32.
 *
 * A value of width w over a tile is an array [w][stride]: column c of row r is at c * stride + r. */
#ifndef HB_KERNEL_ELEMENTWISE_H
#define HB_KERNEL_ELEMENTWISE_H

#include "base/work.h"
#include <stddef.h>

/* One call: `rows` <= `stride` rows of `width` columns from `in` to `out`, which may be the same. */
typedef struct hb_tile {
    const float *in;
    float *out;
    size_t width, stride, rows;
} hb_tile;

void hb_mark_missing(const hb_tile *tile, float number); /* x == number becomes NaN */
void hb_sigmoid(const hb_tile *tile);                    /* common::Sigmoid of XGBoost */
void hb_softmax(const hb_tile *tile);                    /* common::Softmax of XGBoost: float64 sum */
void hb_softmax32(const hb_tile *tile);                  /* ComputeSoftmax of ONNX Runtime: float32 sum */
void hb_logistic32(const hb_tile *tile);                 /* its ComputeLogistic */
void hb_norm_l1_32(const hb_tile *tile);                 /* x / sum |x|; of a sum of 0: x */
void hb_affine32(const hb_tile *tile, double factor, const double *bias); /* factor * x + bias[c], in float32 */
void hb_divide32(const hb_tile *tile, float divisor);
void hb_exp(const hb_tile *tile);
void hb_log(const hb_tile *tile);
void hb_logit(const hb_tile *tile);                        /* clamped to [1e-6, 1 - 1e-6], then -logf(1 / x - 1) */
bool hb_sort_columns(const hb_tile *tile, hb_work *polls); /* each row ascending; false where the host wants to stop */
void hb_expectile(const hb_tile *tile);                    /* p_0 = x_0, p_j = p_(j-1) + 1e-6 + softplus(x_j) */
void hb_expectile_base(const hb_tile *tile);               /* its inverse, for base scores */
void hb_complement(const hb_tile *tile);                   /* width 1 to 2: 1 - x, x; in != out */
void hb_greater(const hb_tile *tile, float threshold);     /* 1 where x > threshold, else 0 */
void hb_argmax(const hb_tile *tile);                       /* width w to 1: the column of the first maximum */
/* The same of one row's hb_softmax, which it needs no room for; false where the host wants to stop. */
bool hb_argmax_of_softmax(const hb_tile *row, hb_work *polls);
/* hb_argmax of at most 64 rows; in != out. Bit r of what it gives: of row r hb_argmax_of_softmax may be another. */
uint64_t hb_argmax_apart32(const hb_tile *tile);

/* Output `o` of `outputs`: bias[o] + base[o]; then += x[f] * weights[f * outputs + o] for the features f from `first`
 * to before `end`, in order, that are not missing (GBLinear::PredictBatchInternal). */
void hb_linear_begin(const hb_tile *tile, size_t o, const float *bias, const float *base);
void hb_linear_add(const hb_tile *tile, size_t first, size_t end, size_t o, size_t outputs, const float *weights);

#endif
