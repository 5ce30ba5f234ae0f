/* naive_bayes_kernel.h - log likelihoods in float64, in one fixed order: the same bits for a row and a block. */
#ifndef HB_KERNEL_NAIVE_BAYES_KERNEL_H
#define HB_KERNEL_NAIVE_BAYES_KERNEL_H

#include "kernel/elementwise64.h"

/* Of each row and output o: constants[o] - 0.5 * (((0 + d_0) + d_1) + ..), d_f = (x_f - mean_f)^2 / variance_f,
 * from tile->width columns to `outputs`. `parameters` are mean_0, variance_0, mean_1, .. of output 0, then of
 * output 1, .. in != out. (scikit-learn's GaussianNB._joint_log_likelihood, whose sums are in numpy's order.) */
void hb_gaussian64(const hb_tile64 *tile, const double *parameters, const double *constants, size_t outputs);

#endif
