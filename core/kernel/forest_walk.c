/* forest_walk.c - see forest_kernel.h: the walks of both dtypes (forest_walk.inc). */
#include "kernel/forest_next.h"
#include "kernel/gather.h"

enum {
    LANES = 8, /* walks in flight in plain C: enough to hide the latency of a load from L2 */
    DEEP = 10  /* levels from which on it pays to look whether all lanes have arrived */
};

/* ---- float32 */

HB_INLINE float leaf_value32(const hb_forest32 *forest, const hb_node32 *leaf, const float *x, size_t stride)
{
    (void)forest, (void)x, (void)stride;
    return leaf->as.leaf;
}

#if HB_GATHERS

HB_INLINE hb_walks walks_next32(const hb_forest32 *forest, const float *x, uint32_t stride_bits, hb_walks row,
                                hb_walks at)
{
    hb_walks threshold, left, test, index = hb_walks_add(at, hb_walks_add(at, at));

    hb_walks_pairs(forest->nodes, index, &threshold, &left);
    test = hb_walks_take((const uint32_t *)(const void *)forest->nodes + 2, index);
    index = hb_walks_shift(hb_walks_and(test, hb_walks_all(HB_TEST_FEATURE)), stride_bits);
    return hb_walks_next32(hb_walks_floats(x, hb_walks_add(index, row)), threshold, left, test);
}

#endif

#define number      float
#define forest_type hb_forest32
#define node_type   hb_node32
#define FEATURE     HB_TEST_FEATURE
#define TYPED(name) name##32
#include "kernel/forest_walk.inc"
#undef number
#undef forest_type
#undef node_type
#undef FEATURE
#undef TYPED

/* ---- float64 */

static double linear_leaf(const hb_forest64 *forest, const hb_node64 *node, const double *x, size_t stride)
{
    const hb_linear64 *leaf = &forest->linear[node->as.index];
    double sum = leaf->constant;

    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        double v = x[(size_t)forest->linear_features[i] * stride];

        if (v != v)
            return leaf->fallback;
        sum += forest->linear_coefficients[i] * v;
    }
    return sum;
}

HB_INLINE double leaf_value64(const hb_forest64 *forest, const hb_node64 *leaf, const double *x, size_t stride)
{
    return leaf->test & HB_LEAF_LINEAR ? linear_leaf(forest, leaf, x, stride) : leaf->as.leaf;
}

#if HB_GATHERS

HB_INLINE hb_walks walks_next64(const hb_forest64 *forest, const double *x, uint32_t stride_bits, hb_walks row,
                                hb_walks at)
{
    const uint32_t *ints = (const uint32_t *)(const void *)forest->nodes;
    const double *thresholds = (const double *)(const void *)forest->nodes;
    hb_walks left, test, index = hb_walks_shift(at, 1);
    hb_walk_doubles threshold = hb_walks_doubles(thresholds, index);

    hb_walks_pairs(ints + 2, hb_walks_shift(index, 1), &left, &test);
    index = hb_walks_shift(hb_walks_and(test, hb_walks_all(HB_TEST_FEATURE64)), stride_bits);
    return hb_walks_next64(hb_walks_doubles(x, hb_walks_add(index, row)), threshold, left, test);
}

#endif

#define number      double
#define forest_type hb_forest64
#define node_type   hb_node64
#define FEATURE     HB_TEST_FEATURE64
#define TYPED(name) name##64
#include "kernel/forest_walk.inc"
