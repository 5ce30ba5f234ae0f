/* metric.h - how near a row is to a fixed vector v of as many numbers: the operators pairwise and neighbours. */
#ifndef HB_BASE_METRIC_H
#define HB_BASE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

typedef enum hb_metric {
    HB_METRIC_DOT,               /* sum of x v */
    HB_METRIC_SQUARED_EUCLIDEAN, /* sum of (x - v)^2 */
    HB_METRIC_MANHATTAN,         /* sum of |x - v| */
    HB_METRIC_CHEBYSHEV,         /* the largest |x - v| */
    HB_METRIC_MINKOWSKI,         /* sum of |x - v|^p, without the root */
    HB_METRIC_CANBERRA,          /* sum of |x - v| / (|x| + |v|), where 0 / 0 is 0 */
    HB_METRIC_HAMMING,           /* how many numbers differ */
    HB_METRIC_BRAY_CURTIS,       /* sum of |x - v|, divided by the sum of |x| + |v|, where 0 / 0 is 0 */
    HB_METRIC_COSINE,            /* 1 less the sum of x v, from 0 to 2: of rows and vectors of length 1 */
    HB_METRIC_JACCARD, /* in how many columns one of x and v is 0, divided by those where not both are; 0 / 0 is 0 */
    HB_METRIC_CHI2,    /* sum of (x - v)^2 / (x + v), 0 where x + v is 0 */
    HB_METRIC_KNOWN,   /* mean of (x - v)^2 over the columns in which both are known, times all columns */
    HB_N_METRICS
} hb_metric;

/* Vectors of this metric may have NaN, and so may rows: what is missing. */
static inline bool hb_metric_takes_missing(hb_metric metric)
{
    return metric == HB_METRIC_KNOWN;
}

/* Many vectors stand in groups of so many, the last of which is padded: column by column, [columns][HB_VECTOR_GROUP].
 */
enum { HB_VECTOR_GROUP = 8, HB_NARROW_GROUP = 32 /* of vectors in float32 */ };

static inline size_t hb_in_groups(size_t n_vectors)
{
    return (n_vectors + HB_VECTOR_GROUP - 1) / HB_VECTOR_GROUP * HB_VECTOR_GROUP;
}

static inline size_t hb_in_narrow_groups(size_t n_vectors)
{
    return (n_vectors + HB_NARROW_GROUP - 1) / HB_NARROW_GROUP * HB_NARROW_GROUP;
}

#endif
