/* naive_bayes_portable.c - see naive_bayes_kernel.h: blocks of rows whose sums stay in registers.
 *
 * It divides, as the library does: a product with 1 / variance would overflow elsewhere. */
#include "kernel/naive_bayes_kernel.h"

#include "kernel/kernels.h"

/* As many doubles as the isa takes at once, anywhere in memory. */
typedef double lanes __attribute__((vector_size(8 * HB_LANES), aligned(8), may_alias));

enum { VECTORS = 4, ROWS = VECTORS * HB_LANES, OUTPUTS = 4 };

/* One output of ROWS rows. */
HB_INLINE void likelihood_block(const double *x, size_t n_features, size_t stride, const double *parameters,
                                double constant, double *out)
{
    lanes sum[VECTORS];

    for (size_t v = 0; v < VECTORS; v++)
        sum[v] = (lanes){0};
    for (size_t f = 0; f < n_features; f++)
        for (size_t v = 0; v < VECTORS; v++) {
            lanes apart = *(const lanes *)(x + f * stride + v * HB_LANES) - parameters[2 * f];

            sum[v] += apart * apart / parameters[2 * f + 1];
        }
    for (size_t v = 0; v < VECTORS; v++)
        *(lanes *)(out + v * HB_LANES) = constant - 0.5 * sum[v];
}

/* `n` outputs (a constant of the caller) of one row: their sums do not wait for each other. */
HB_INLINE void likelihood_row(const double *x, size_t n_features, size_t stride, const double *parameters,
                              const double *constants, size_t n, double *out)
{
    double sum[OUTPUTS] = {0};

    for (size_t f = 0; f < n_features; f++)
        for (size_t o = 0; o < n; o++) {
            const double *p = parameters + 2 * (o * n_features + f);
            double apart = x[f * stride] - p[0];

            sum[o] += apart * apart / p[1];
        }
    for (size_t o = 0; o < n; o++)
        out[o * stride] = constants[o] - 0.5 * sum[o];
}

HB_INLINE void likelihood_outputs(const hb_tile64 *tile, size_t r, const double *parameters, const double *constants,
                                  size_t outputs)
{
    size_t o = 0, n = tile->width;

    for (; o + OUTPUTS <= outputs; o += OUTPUTS)
        likelihood_row(tile->in + r, n, tile->stride, parameters + 2 * o * n, constants + o, OUTPUTS,
                       tile->out + o * tile->stride + r);
    for (; o < outputs; o++)
        likelihood_row(tile->in + r, n, tile->stride, parameters + 2 * o * n, constants + o, 1,
                       tile->out + o * tile->stride + r);
}

void HB_KERNEL(hb_gaussian64)(const hb_tile64 *tile, const double *parameters, const double *constants, size_t outputs)
{
    size_t r = 0;

    for (; r + ROWS <= tile->rows; r += ROWS)
        for (size_t o = 0; o < outputs; o++)
            likelihood_block(tile->in + r, tile->width, tile->stride, parameters + 2 * o * tile->width, constants[o],
                             tile->out + o * tile->stride + r);
    for (; r < tile->rows; r++)
        likelihood_outputs(tile, r, parameters, constants, outputs);
}
