/* ptt_walk.c - see ptt_kernel.h: perfect trees in float32. */
#include "kernel/forest_step.h"
#include "kernel/gather.h"
#include "kernel/ptt_kernel.h"

typedef float number;

HB_INLINE uint32_t step_plainly(const hb_ptt_forest *forest, const hb_ptt_tree *tree, uint32_t at, const float *x,
                                size_t stride)
{
    const hb_ptt_node *node = &forest->nodes[tree->nodes + at];
    const hb_flat_node test = {.as.threshold = node->threshold, .left = 2 * at, .test = node->test};

    return step_in(NULL, &test, x[(size_t)(node->test & HB_TEST_FEATURE) * stride], false);
}

#if HB_GATHERS

/* The first levels' nodes in registers. */
typedef struct tops {
    hb_walks_table threshold, test;
} tops;

enum { TOPS = HB_ISA_AVX512 ? 5 : 3 };

HB_INLINE tops load_tops(const hb_ptt_forest *forest, const hb_ptt_tree *tree)
{
    tops top;

    hb_walks_tables(forest->nodes + tree->nodes, &top.threshold, &top.test);
    return top;
}

HB_INLINE hb_walks step_from(const float *x, uint32_t stride_bits, hb_walks row, hb_walks at, hb_walks threshold,
                             hb_walks test)
{
    hb_walks column = hb_walks_shift(hb_walks_and(test, hb_walks_all(HB_TEST_FEATURE)), stride_bits);

    return hb_walks_next(hb_walks_floats(x, hb_walks_add(column, row)), threshold, hb_walks_add(at, at), test);
}

HB_INLINE hb_walks step_on_top(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const tops *top, const float *x,
                               uint32_t stride_bits, hb_walks row, hb_walks at)
{
    (void)forest, (void)tree;
    return step_from(x, stride_bits, row, at, hb_walks_look_up(&top->threshold, at), hb_walks_look_up(&top->test, at));
}

HB_INLINE hb_walks step_below(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const float *x,
                              uint32_t stride_bits, hb_walks row, hb_walks at)
{
    hb_walks threshold, test;

    hb_walks_pairs(forest->nodes + tree->nodes, hb_walks_add(at, at), &threshold, &test);
    return step_from(x, stride_bits, row, at, threshold, test);
}

HB_INLINE void add_leaves(const hb_ptt_forest *forest, const hb_ptt_tree *tree, hb_walks at, size_t stride, float *sums)
{
    const float *leaves = (const float *)forest->leaves + tree->leaves;
    hb_walks index = hb_walks_add(at, hb_walks_all(0u - (1u << tree->depth)));

    for (size_t o = 0; o < forest->leaf_width; o++)
        hb_walks_add_floats(sums + o * stride, hb_walks_floats(leaves + (o << tree->depth), index));
}

#endif

#include "kernel/ptt_rows.h"

void HB_KERNEL(hb_ptt_add32)(const hb_ptt_forest *forest, size_t first, size_t end, const float *x, size_t stride,
                             size_t rows, float *sums)
{
    if (!gather(forest, first, end, x, stride, rows, sums))
        walk_rows(forest, first, end, x, stride, rows, sums);
}
