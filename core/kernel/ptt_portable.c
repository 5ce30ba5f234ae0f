/* ptt_portable.c - see ptt_kernel.h. */
#include "kernel/ptt_kernel.h"

#include "kernel/forest_next.h"

static uint32_t next_place32(const hb_ptt_forest *forest, uint32_t at, uint32_t place, const float *x, size_t stride)
{
    const hb_ptt_node *node = &forest->nodes[at];
    const hb_node32 test = {.as.threshold = node->threshold, .left = 2 * place, .test = node->test};

    return hb_next_node32(NULL, &test, x[(size_t)(node->test & HB_TEST_FEATURE) * stride], false);
}

static uint32_t next_place64(const hb_ptt_forest *forest, uint32_t at, uint32_t place, const double *x, size_t stride)
{
    const hb_node64 test = {.as.threshold = forest->thresholds[at], .left = 2 * place, .test = forest->tests[at]};

    return hb_next_node64(NULL, &test, x[(size_t)(test.test & HB_TEST_FEATURE64) * stride], false);
}

/* Adds the leaf of row r. */
static void add_leaf(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const void *x, size_t r, size_t stride,
                     void *sums)
{
    size_t size = (size_t)1 << tree->depth, output = forest->leaf_width > 1 ? 0 : tree->output;
    uint32_t place = 1;

    for (uint32_t level = 0; level < tree->depth; level++)
        place = forest->is_float64 ? next_place64(forest, tree->nodes + place, place, (const double *)x + r, stride)
                                   : next_place32(forest, tree->nodes + place, place, (const float *)x + r, stride);
    for (size_t o = 0; o < forest->leaf_width; o++) {
        size_t leaf = tree->leaves + o * size + place - size, to = (output + o) * stride + r;

        if (forest->is_float64)
            ((double *)sums)[to] += ((const double *)forest->leaves)[leaf];
        else
            ((float *)sums)[to] += ((const float *)forest->leaves)[leaf];
    }
}

void hb_ptt_add(const hb_ptt_forest *forest, size_t first, size_t end, const void *x, size_t stride, size_t rows,
                void *sums)
{
    for (size_t t = first; t < end; t++)
        for (size_t r = 0; r < rows; r++)
            add_leaf(forest, &forest->trees[t], x, r, stride, sums);
}
