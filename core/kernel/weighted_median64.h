/* weighted_median64.h - of the answers of several models the one in the middle of their weights. */
#ifndef HB_KERNEL_WEIGHTED_MEDIAN64_H
#define HB_KERNEL_WEIGHTED_MEDIAN64_H

#include <stddef.h>

enum { HB_MEDIAN_ROOM = 1024 }; /* numbers of a row: their order is on the stack */

/* AdaBoostRegressor._get_median_predict (scikit-learn 1.2.1, 1.9.1): the row's numbers in rising order,
 * equal ones in that of their columns, NaN last; their weights added up in this order; the first number at
 * which the sum is half of the last sum or more. Number c of the row is x[c * stride], and
 * 1 <= width <= HB_MEDIAN_ROOM; the weights are 0 or more, also infinite. */
double hb_weighted_median64(const double *x, size_t width, size_t stride, const double *weights);

#endif
