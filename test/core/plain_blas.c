/* plain_blas.c - see plain_blas.h. */
#include "plain_blas.h"

#include "support.h"

static bool enter(void *context)
{
    plain_blas *blas = context;

    assert_false(blas->entered);
    blas->entered = !blas->refuses && !(blas->refused >> blas->asked++ % PLAIN_BLAS_TURNS & 1);
    blas->entries += blas->entered;
    return blas->entered;
}

static void leave(void *context)
{
    plain_blas *blas = context;

    assert_true(blas->entered);
    blas->entered = false;
}

static void add_product(void *context, size_t rows, size_t outputs, size_t inputs, const double *in, size_t in_stride,
                        const double *weights, size_t weights_stride, double *out, size_t out_stride)
{
    plain_blas *blas = context;
    size_t sums = rows * outputs * inputs;

    assert_true(blas->entered && rows >= 4 && outputs && inputs);
    assert_true(rows <= in_stride && rows <= out_stride && inputs <= weights_stride);
    blas->products++;
    blas->rows += rows;
    blas->sums += sums;
    blas->most = sums > blas->most ? sums : blas->most;
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < outputs; o++)
            for (size_t i = 0; i < inputs; i++)
                out[o * out_stride + r] += in[i * in_stride + r] * weights[o * weights_stride + i];
}

static void add_product32(void *context, size_t rows, size_t outputs, size_t inputs, const float *in, size_t in_stride,
                          const float *w, size_t w_stride, float *out, size_t out_stride)
{
    plain_blas *blas = context;

    assert_true(blas->entered && rows >= 4 && rows <= in_stride && rows <= out_stride && inputs <= w_stride);
    blas->narrow++;
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < outputs; o++)
            for (size_t i = 0; i < inputs; i++)
                out[o * out_stride + r] += in[i * in_stride + r] * w[o * w_stride + i];
}

hbs_blas plain_blas_of(plain_blas *plain)
{
    return (hbs_blas){plain, enter, add_product, add_product32, leave};
}
