/* statistics_kernel.h - CatBoost's one-hot and ctr columns of a tile, in the library's own arithmetic. */
#ifndef HB_KERNEL_STATISTICS_KERNEL_H
#define HB_KERNEL_STATISTICS_KERNEL_H

#include "base/statistics.h"
#include "base/work.h"

/* out has the `width` columns of `in`, then the equalities, then the statistics; [..][stride]. False where the host,
 * which `polls` (NULL: nobody) asks, wants to stop. */
bool hb_category_columns(const hb_category_statistics *statistics, const double *in, size_t width, size_t stride,
                         size_t rows, hb_work *polls, double *out);

#endif
