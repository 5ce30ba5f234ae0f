/* forest_wide_walk.c - interleaved tree traversal in float64: in plain C, and by gathers where the CPU has them. */
#include "kernel/forest_wide_step.h"
#include "kernel/gather.h"

enum { LANES = 8 }; /* walks in flight */
enum { DEEP = 10 }; /* from here on it pays to look whether all lanes have arrived */

static double linear_leaf(const hb_wide_forest *forest, const hb_wide_node *node, const double *x, size_t stride)
{
    const hb_wide_linear *leaf = &forest->linear[node->as.index];
    double sum = leaf->constant;

    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        double v = x[(size_t)forest->linear_features[i] * stride];

        if (v != v)
            return leaf->fallback;
        sum += forest->linear_coefficients[i] * v;
    }
    return sum;
}

HB_INLINE void add_leaf(const hb_wide_forest *forest, uint32_t output, uint32_t at, const double *x, size_t stride,
                        double *sums)
{
    const hb_wide_node *leaf = &forest->nodes[at];
    const double *vector;

    if (forest->leaf_width > 1) {
        vector = forest->leaf_vectors + (size_t)leaf->as.index * forest->leaf_width;
        for (size_t o = 0; o < forest->leaf_width; o++)
            sums[o * stride] += vector[o];
        return;
    }
    sums[(size_t)output * stride] += leaf->test & HB_WIDE_LINEAR ? linear_leaf(forest, leaf, x, stride) : leaf->as.leaf;
}

/* ---- by gathers */

typedef hb_wide_forest forest_type;
typedef double number;

#if HB_GATHERS

enum { NODE_INTS = sizeof(hb_wide_node) / 4 };

HB_INLINE hb_walks walks_step(const hb_wide_forest *forest, const double *x, uint32_t stride_bits, hb_walks row,
                              hb_walks at)
{
    const uint32_t *ints = (const uint32_t *)(const void *)forest->nodes;
    const double *thresholds = (const double *)(const void *)forest->nodes;
    hb_walks left, test, index = hb_walks_shift(at, 1);
    hb_walk_doubles threshold = hb_walks_doubles(thresholds, index);

    hb_walks_pairs(ints + 2, hb_walks_shift(index, 1), &left, &test);
    index = hb_walks_shift(hb_walks_and(test, hb_walks_all(HB_WIDE_FEATURE)), stride_bits);
    return hb_walks_next_wide(hb_walks_doubles(x, hb_walks_add(index, row)), threshold, left, test);
}

#endif

#include "kernel/forest_gather.h"

/* ---- in plain C */

HB_INLINE uint32_t step(const hb_wide_forest *forest, uint32_t i, const double *x, size_t stride, bool sets)
{
    const hb_wide_node *node = &forest->nodes[i];

    return step_in(forest, node, x[(size_t)(node->test & HB_WIDE_FEATURE) * stride], sets);
}

HB_INLINE void walk(const hb_wide_forest *forest, uint32_t depth, const double *x, const size_t offset[LANES],
                    size_t stride, bool sets, uint32_t at[LANES])
{
    for (uint32_t level = 0; level < depth; level++) {
        uint32_t moved = 0;

        for (int k = 0; k < LANES; k++) {
            uint32_t next = step(forest, at[k], x + offset[k], stride, sets);

            moved |= next ^ at[k];
            at[k] = next;
        }
        if (depth > DEEP && !moved)
            return;
    }
}

HB_INLINE void add_rows(const hb_wide_forest *forest, size_t first, size_t end, const double *x, size_t stride,
                        size_t rows, bool sets, double *sums)
{
    for (size_t t = first; t < end; t++) {
        const hb_flat_tree *tree = &forest->trees[t];

        for (size_t r = 0; r < rows; r += LANES) {
            size_t offset[LANES], n = rows - r < LANES ? rows - r : LANES;
            uint32_t at[LANES];

            for (size_t k = 0; k < LANES; k++) {
                offset[k] = r + (k < n ? k : n - 1);
                at[k] = tree->root;
            }
            walk(forest, tree->depth, x, offset, stride, sets, at);
            for (size_t k = 0; k < n; k++)
                add_leaf(forest, tree->output, at[k], x + r + k, stride, sums + r + k);
        }
    }
}

HB_INLINE void add_row(const hb_wide_forest *forest, size_t first, size_t end, const double *x, size_t stride,
                       bool sets, double *sums)
{
    static const size_t same_row[LANES];

    for (size_t t = first; t < end; t += LANES) {
        size_t n = end - t < LANES ? end - t : LANES;
        uint32_t at[LANES], depth = 0;

        for (size_t k = 0; k < LANES; k++) {
            const hb_flat_tree *tree = &forest->trees[t + (k < n ? k : n - 1)];

            at[k] = tree->root;
            depth = tree->depth > depth ? tree->depth : depth;
        }
        walk(forest, depth, x, same_row, stride, sets, at);
        for (size_t k = 0; k < n; k++)
            add_leaf(forest, forest->trees[t + k].output, at[k], x, stride, sums);
    }
}

void HB_KERNEL(hb_wide_forest_add)(const hb_wide_forest *forest, size_t first, size_t end, const double *x,
                                   size_t stride, size_t rows, double *sums)
{
    if (gather(forest, first, end, x, stride, rows, sums))
        return;
    if (rows == 1 && forest->has_sets)
        add_row(forest, first, end, x, stride, true, sums);
    else if (rows == 1)
        add_row(forest, first, end, x, stride, false, sums);
    else if (forest->has_sets)
        add_rows(forest, first, end, x, stride, rows, true, sums);
    else
        add_rows(forest, first, end, x, stride, rows, false, sums);
}
