/* logarithms64.h - logarithms to the bases 2 and 10, and the cubic root, with the same bits on every CPU, within 1.7
 * units in the last place. Those of whole powers and cubes are whole. */
#ifndef HB_BASE_LOGARITHMS64_H
#define HB_BASE_LOGARITHMS64_H

/* As hb_log64 of 0, infinity, NaN and negative numbers. */
double hb_log2_64(double x);
double hb_log10_64(double x);
double hb_cbrt64(double x);

#endif
