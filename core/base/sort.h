/* sort.h - heap sort of positions: in place, no recursion, O(n log n) also on hostile input, and n - 1 compares where
 * they are in order already, as files mostly have them. (The C library's qsort may allocate, and gives its compare
 * function no context.) */
#ifndef HB_BASE_SORT_H
#define HB_BASE_SORT_H

#include "base/work.h"

/* Below, at or above 0 as item a stands before, with or behind item b. */
typedef int (*hb_compare)(const void *context, uint32_t a, uint32_t b);

/* False where the host wants to stop: the items are then in any order. A compare that takes long counts that as work
 * too. */
bool hb_sort(uint32_t *items, size_t n, hb_compare compare, const void *context, hb_work *work);

/* The same for the first `n` alone of positions 0 to `count` - 1 (n <= count), for which `items` has room: O(count log
 * n). */
bool hb_sort_first(uint32_t *items, size_t n, size_t count, hb_compare compare, const void *context, hb_work *work);

/* By the bytes, then by the size: what compares of texts give. */
int hb_compare_texts(hbs_text a, hbs_text b, hb_work *work);

/* By value, for hb_sort; the context is an array of int64_t, or of double without NaN. */
int hb_compare_integers(const void *integers, uint32_t a, uint32_t b);
int hb_compare_reals(const void *reals, uint32_t a, uint32_t b);

#endif
