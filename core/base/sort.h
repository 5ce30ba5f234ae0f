/* sort.h - heap sort of positions: in place, no recursion, O(n log n) also on hostile input. (The C
 * library's qsort may allocate, and gives its compare function no context.) */
#ifndef HB_BASE_SORT_H
#define HB_BASE_SORT_H

#include "base/memory.h"

/* Below, at or above 0 as item a stands before, with or behind item b. */
typedef int (*hb_compare)(const void *context, uint32_t a, uint32_t b);

/* False where the host wants to stop (asked every millisecond or so; NULL: never): the items are then in
 * any order. */
bool hb_sort(uint32_t *items, size_t n, hb_compare compare, const void *context, const hbs_host *host);

#endif
