/* quantile64.h - the quantile of the normal distribution, with the same bits on every CPU: by the rational functions of
 * Moshier's Cephes, which scipy.special.ndtri computes too. Within 1e-15 of scipy's, relative to it, but near a half,
 * where the number is small: within 1e-16. */
#ifndef HB_BASE_QUANTILE64_H
#define HB_BASE_QUANTILE64_H

/* The x below which a standard normal number is with probability p. Of 0 and 1: -infinity, infinity; others
 * outside, and NaN: NaN. */
double hb_normal_quantile64(double p);

#endif
