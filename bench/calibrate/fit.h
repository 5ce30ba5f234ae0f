/* fit.h - constants that make sums of counts times constants come near to measured times. */
#ifndef BENCH_FIT_H
#define BENCH_FIT_H

#include <stddef.h>

/* Finds x[j] >= 0 for which the sum over i of (sum over j of counts[i][j] x[j] / times[i] - 1)^2 is the least: relative
 * errors count, so that a cheap forest matters as much as a dear one. x[j] is 0 where no counts[i][j] is above 0. */
void fit(const double *counts, const double *times, size_t rows, size_t n, double *x);

#endif
