/* interpolate64.h - numbers on the straight lines between points, over a tile of rows. */
#ifndef HB_KERNEL_INTERPOLATE64_H
#define HB_KERNEL_INTERPOLATE64_H

#include <stdbool.h>

#include "base/expansion.h"
#include "kernel/elementwise64.h"

/* Slopes are the arithmetic of numpy's interp (1.24 to 2.5); those in float32 that of interp1d of scipy 1.10, weights
 * that of scipy 1.18. NaN stays. May write over its input. */
void hb_interpolate64(const hb_tile64 *tile, const hb_lines *lines, bool misses_outside, hb_line_kind kind);

#endif
