/* metric.h - how near a row is to a fixed vector v of as many numbers: the operator pairwise. */
#ifndef HB_BASE_METRIC_H
#define HB_BASE_METRIC_H

typedef enum hb_metric {
    HB_METRIC_DOT,               /* sum of x v */
    HB_METRIC_SQUARED_EUCLIDEAN, /* sum of (x - v)^2 */
    HB_METRIC_MANHATTAN,         /* sum of |x - v| */
    HB_METRIC_CHEBYSHEV,         /* the largest |x - v| */
    HB_METRIC_MINKOWSKI,         /* sum of |x - v|^p, without the root */
    HB_METRIC_CANBERRA,          /* sum of |x - v| / (|x| + |v|), where 0 / 0 is 0 */
    HB_METRIC_HAMMING,           /* how many numbers differ */
    HB_N_METRICS
} hb_metric;

#endif
