/* pairwise64.h - distances and products in float64, in one fixed order: the same bits for a row and a block. */
#ifndef HB_KERNEL_PAIRWISE64_H
#define HB_KERNEL_PAIRWISE64_H

#include "base/metric.h"
#include "kernel/elementwise64.h"

/* Each row's nearness to each of n vectors, to tile->out [n][stride], which is not tile->in: the terms are added in
 * the order of the columns, each rounded. The vectors stand in groups (base/metric.h). `power` is p of
 * HB_METRIC_MINKOWSKI. NaN is always the same one. */
void hb_pairwise64(const hb_tile64 *tile, hb_metric metric, double power, const double *vectors, size_t n);

#endif
