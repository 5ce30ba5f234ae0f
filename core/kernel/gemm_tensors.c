/* gemm_tensors.c - see gemm_kernel.h: a tree's tensors and their products. */
#include <string.h>

#include "hbscore.h"
#include "kernel/forest_kernel.h"
#include "kernel/gemm_kernel.h"
#include "kernel/kernels.h"

enum {
    OUTPUTS = HB_ISA_AVX512 ? 4 : 2, /* side by side: with VECTORS of each they fill the registers */
    VECTORS = 4
};

/* ---- in float32: `defaulted` is 1 where the value is missing, and the value then 0 */

HB_INLINE float leaf_value32(const hb_forest32 *forest, uint32_t at, size_t output)
{
    const hb_node32 *leaf = &forest->nodes[at];

    return forest->leaf_width == 1 ? leaf->as.leaf
                                   : forest->leaf_vectors[(size_t)leaf->as.index * forest->leaf_width + output];
}

HB_INLINE float goes_left32(const hb_node32 *node, float v, float defaulted)
{
    float by_default = node->test & HB_TEST_DEFAULT_RIGHT ? 0.0f : 1.0f;
    float left = v < node->as.threshold ? 1.0f : 0.0f;

    return defaulted != 0 ? by_default : left;
}

/* ---- in float64 */

HB_INLINE double leaf_value64(const hb_forest64 *forest, uint32_t at, size_t output)
{
    const hb_node64 *leaf = &forest->nodes[at];

    return forest->leaf_width == 1 ? leaf->as.leaf
                                   : forest->leaf_vectors[(size_t)leaf->as.index * forest->leaf_width + output];
}

/* A NaN that is not missing counts as 0. */
HB_INLINE double goes_left64(const hb_node64 *node, double v, double defaulted)
{
    double by_default = node->test & HB_TEST_DEFAULT_RIGHT ? 0.0 : 1.0;
    double left = v <= node->as.threshold ? 1.0 : 0.0;

    left = node->test & HB_TEST_NAN_MISSING && defaulted != 0 ? by_default : left;
    return node->test & HB_TEST_ZERO_MISSING && v == 0 ? by_default : left;
}

/* ---- both */

#define number      float
#define forest_type hb_forest32
#define FEATURE     HB_TEST_FEATURE
#define TYPED(name) name##32
#define leaf_value  leaf_value32
#define goes_left   goes_left32
#include "kernel/gemm_steps.inc"
#undef number
#undef forest_type
#undef FEATURE
#undef TYPED
#undef leaf_value
#undef goes_left

#define number        double
#define forest_type   hb_forest64
#define FEATURE       HB_TEST_FEATURE64
#define TYPED(name)   name##64
#define leaf_value    leaf_value64
#define goes_left     goes_left64
#define add_product64 add_product
#include "kernel/gemm_steps.inc"

/* ---- the kernels */

uint32_t HB_KERNEL(hb_gemm_take32)(const hb_gemm_forest *gemm, const float *x, size_t stride, size_t rows, void *work)
{
    return take32(gemm, x, stride, rows, work);
}

uint32_t HB_KERNEL(hb_gemm_take64)(const hb_gemm_forest *gemm, const double *x, size_t stride, size_t rows, void *work)
{
    return take64(gemm, x, stride, rows, work);
}

void HB_KERNEL(hb_gemm_add32)(const hb_gemm_forest *gemm, const hb_forest32 *forest, size_t first, size_t end,
                              size_t stride, size_t rows, bool missing, const hbs_blas *blas, void *work, float *sums)
{
    add32(gemm, forest, first, end, stride, rows, missing, blas, work, sums);
}

void HB_KERNEL(hb_gemm_add64)(const hb_gemm_forest *gemm, const hb_forest64 *forest, size_t first, size_t end,
                              size_t stride, size_t rows, bool missing, const hbs_blas *blas, void *work, double *sums)
{
    add64(gemm, forest, first, end, stride, rows, missing, blas, work, sums);
}
