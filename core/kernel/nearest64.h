/* nearest64.h - which of many fixed vectors are nearest to a row, in float64: the same bits for a row and a block. */
#ifndef HB_KERNEL_NEAREST64_H
#define HB_KERNEL_NEAREST64_H

#include "base/metric.h"
#include "kernel/elementwise64.h"

typedef struct hb_nearest {
    hb_metric metric; /* not HB_METRIC_DOT */
    double power;     /* p of HB_METRIC_MINKOWSKI */
    size_t n_vectors, k;
    const double *vectors; /* in groups */
    const float *narrow;   /* of hb_nearest_filtered64: rounded, in groups of HB_NARROW_GROUP, padded with infinity.. */
    double most;           /* ..the largest magnitude among them */
} hb_nearest;

/* Takes the vectors [first, end) into the k nearest so far of each row; `first` is that of a group, and all before it
 * have been taken. tile->out is [2 k][stride]: distances, a heap as top_k64.h has it, and behind all of them places.
 * Terms are added in the order of the columns, each rounded. A distance that is NaN or infinite is never taken. */
void hb_nearest64(const hb_tile64 *tile, const hb_nearest *nearest, size_t first, size_t end);

/* The same with the same bits, of squared Euclidean distances and at most HB_MOST_FILTERED columns; `first` is that of
 * a group of HB_NARROW_GROUP. */
enum { HB_MOST_FILTERED = 192 };
void hb_nearest_filtered64(const hb_tile64 *tile, const hb_nearest *nearest, size_t first, size_t end);

/* One row of which some numbers are missing (NaN), and vectors of which some are: takes those of [first, end) that have
 * column c into the k nearest so far, k distances and k places that stand side by side. The squares are of the columns
 * that both have, as if all columns were as far apart; without such a column a vector is never taken. */
void hb_nearest_known64(const hb_tile64 *row, const hb_nearest *nearest, size_t c, size_t first, size_t end,
                        double *numbers, double *places);

#endif
