/* top_k64.h - the largest or smallest of a row's numbers. */
#ifndef HB_KERNEL_TOP_K64_H
#define HB_KERNEL_TOP_K64_H

#include <stdbool.h>
#include <stddef.h>

/* The k largest (or smallest) of n numbers, `stride` apart, in their order, and their places, which are written
 * likewise. Of equal numbers the first comes first; NaN comes last. 0 < k <= n. */
void hb_top_k64(const double *x, size_t n, size_t stride, size_t k, bool largest, double *numbers, double *places);

#endif
