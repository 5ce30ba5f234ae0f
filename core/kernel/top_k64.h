/* top_k64.h - the largest or smallest of a row's numbers. */
#ifndef HB_KERNEL_TOP_K64_H
#define HB_KERNEL_TOP_K64_H

#include <stdbool.h>
#include <stddef.h>

/* The k largest (or smallest) of n numbers, `stride` apart, in their order, and their places, which are written
 * likewise. Of equal numbers the first comes first; NaN comes last. 0 < k <= n. */
void hb_top_k64(const double *x, size_t n, size_t stride, size_t k, bool largest, double *numbers, double *places);

/* In between the k are a heap, whose first number is that of the worst: takes out that one, and puts in another that
 * comes before it. */
void hb_top_k_replace(double *numbers, double *places, size_t stride, size_t k, double number, double place);
/* Puts a heap of the k smallest in their order. */
void hb_top_k_sort(double *numbers, double *places, size_t stride, size_t k);

#endif
