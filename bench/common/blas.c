/* blas.c - OpenBLAS, opened by its path. */
#include "blas.h"

#include "driven.h"

#include <dlfcn.h>
#include <string.h>

static void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                     const double *b, int ldb, double beta, double *c, int ldc);

static void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                     const float *b, int ldb, float beta, float *c, int ldc);

enum { COLUMN_MAJOR = 102, AS_IT_IS = 111 };

/* This program has one thread and is the library's only user. */
static bool enter(void *context)
{
    (void)context;
    return true;
}

static void leave(void *context)
{
    (void)context;
}

static void add_product(void *context, size_t rows, size_t outputs, size_t inputs, const double *in, size_t in_stride,
                        const double *weights, size_t weights_stride, double *out, size_t out_stride)
{
    (void)context;
    dgemm(COLUMN_MAJOR, AS_IT_IS, AS_IT_IS, (int)rows, (int)outputs, (int)inputs, 1.0, in, (int)in_stride, weights,
          (int)weights_stride, 1.0, out, (int)out_stride);
}

static void add_product32(void *context, size_t rows, size_t outputs, size_t inputs, const float *in, size_t in_stride,
                          const float *weights, size_t weights_stride, float *out, size_t out_stride)
{
    (void)context;
    sgemm(COLUMN_MAJOR, AS_IT_IS, AS_IT_IS, (int)rows, (int)outputs, (int)inputs, 1.0f, in, (int)in_stride, weights,
          (int)weights_stride, 1.0f, out, (int)out_stride);
}

void blas_use(hbs_run *run, const char *path)
{
    const hbs_blas blas = {.enter = enter, .add_product = add_product, .add_product32 = add_product32, .leave = leave};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, "cblas_dgemm") : NULL;
    void *address32 = library ? dlsym(library, "cblas_sgemm") : NULL;
    hbs_error error = {.text = "no BLAS"};

    memcpy(&dgemm, &address, sizeof(dgemm));
    memcpy(&sgemm, &address32, sizeof(sgemm));
    if (!address || !address32 || hbs_run_use_blas(run, &blas, &error) != HBS_OK)
        driven_stop(path, error.text);
}
