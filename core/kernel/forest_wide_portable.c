/* forest_wide_portable.c - the sums of a forest in float64 begin, and its sets. */
#include "kernel/forest_wide_step.h"

void hb_wide_forest_begin(const hb_wide_forest *forest, const double *base, size_t stride, size_t rows, double *sums)
{
    for (size_t o = 0; o < forest->n_outputs; o++)
        for (size_t r = 0; r < rows; r++)
            sums[o * stride + r] = base[o];
}

void hb_wide_forest_set(const hb_wide_forest *forest, uint32_t node, const double *x, size_t rows, uint64_t *bits)
{
    uint32_t left = forest->nodes[node].left;

    for (size_t r = 0; r < rows; r++) {
        if (r % 64 == 0)
            bits[r / 64] = 0;
        bits[r / 64] |= (uint64_t)(step_in(forest, &forest->nodes[node], x[r], true) - left) << r % 64;
    }
}

/* The sum stays in a register while trees add to the same output: stored and taken back it would wait each time. */
static void add_numbers(const hb_wide_forest *forest, size_t first, size_t n, const uint32_t *leaf, size_t stride,
                        double *sums)
{
    const hb_flat_tree *trees = forest->trees + first;

    for (size_t i = 0; i < n;) {
        uint32_t output = trees[i].output;
        double sum = sums[output * stride];

        for (; i < n && trees[i].output == output; i++)
            sum += forest->nodes[leaf[i]].as.leaf;
        sums[output * stride] = sum;
    }
}

void hb_wide_forest_add_leaves(const hb_wide_forest *forest, size_t first, size_t n, const uint32_t *leaf,
                               size_t stride, double *sums)
{
    size_t width = forest->leaf_width;

    if (width == 1)
        add_numbers(forest, first, n, leaf, stride, sums);
    for (size_t t = 0; width > 1 && t < n; t++) {
        const double *vector = forest->leaf_vectors + forest->nodes[leaf[t]].as.index * width;

        for (size_t o = 0; o < width; o++)
            sums[o * stride] += vector[o];
    }
}
