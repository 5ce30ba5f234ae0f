/* dense_portable.c - see dense_kernel.h; in plain C, for every CPU. */
#include "kernel/dense_kernel.h"

void hb_dense64(const double *x, size_t n_features, size_t stride, size_t rows,
                const double *weights, double bias, double *out)
{
    for (size_t r = 0; r < rows; r++)
        out[r] = 0;
    for (size_t f = 0; f < n_features; f++)
        for (size_t r = 0; r < rows; r++)
            out[r] += x[f * stride + r] * weights[f];
    for (size_t r = 0; r < rows; r++)
        out[r] += bias;
}
