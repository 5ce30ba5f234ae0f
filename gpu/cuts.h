/* cuts.h - thresholds of a column: sorted, each once, found again. None is NaN; 0 and -0 are one. */
#ifndef HBG_CUTS_H
#define HBG_CUTS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n numbers, with room for as many. */
void hbg_sort_cuts(double *cuts, size_t n, double *scratch);

/* Drops equal ones of sorted numbers; how many are left. */
uint32_t hbg_distinct_cuts(double *cuts, uint32_t n);

/* Where a number stands among those that are left. */
uint32_t hbg_find_cut(const double *cuts, uint32_t n, double cut);

#endif
