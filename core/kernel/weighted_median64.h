/* weighted_median64.h - of the answers of several models the one in the middle of their weights. */
#ifndef HB_KERNEL_WEIGHTED_MEDIAN64_H
#define HB_KERNEL_WEIGHTED_MEDIAN64_H

#include <stddef.h>
#include <stdint.h>

/* A row's numbers, and their columns, which a heap sorts step by step: it needs no recursion. */
typedef struct hb_median {
    const double *x; /* number c of the row is x[c * stride] */
    size_t width, stride;
    const double *weights; /* [width] 0 or more, also infinite */
    uint16_t *order;       /* [width] room for the columns in their order; width is 1 to 65,536 */
} hb_median;

/* AdaBoostRegressor._get_median_predict (scikit-learn 1.2.1, 1.9.1): the row's numbers in rising order,
 * equal ones in that of their columns, NaN last; their weights added up in this order; the first number at
 * which the sum is half of the last sum or more. */
void hb_median_begin(hb_median *m);
/* Then each of these steps in this order, [0, hb_median_steps), each of some log2(width). */
size_t hb_median_steps(const hb_median *m);
void hb_median_step(hb_median *m, size_t i);
/* Then the answer, in 2 * width. */
double hb_median_end(const hb_median *m);

#endif
