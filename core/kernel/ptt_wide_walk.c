/* ptt_wide_walk.c - see ptt_kernel.h: perfect trees in float64. */
#include "kernel/forest_wide_step.h"
#include "kernel/gather.h"
#include "kernel/ptt_kernel.h"

typedef double number;

HB_INLINE uint32_t step_plainly(const hb_ptt_forest *forest, const hb_ptt_tree *tree, uint32_t at, const double *x,
                                size_t stride)
{
    const hb_wide_node test = {
        .as.threshold = forest->thresholds[tree->nodes + at], .left = 2 * at, .test = forest->tests[tree->nodes + at]};

    return step_in(NULL, &test, x[(size_t)(test.test & HB_WIDE_FEATURE) * stride], false);
}

#if HB_GATHERS

/* The first levels' nodes in registers. */
typedef struct tops {
    hb_walks_wide_table threshold;
    hb_walks_short_table test;
} tops;

enum { TOPS = HB_ISA_AVX512 ? 4 : 3 };

HB_INLINE tops load_tops(const hb_ptt_forest *forest, const hb_ptt_tree *tree)
{
    return (tops){hb_walks_wide_table_of(forest->thresholds + tree->nodes), hb_walks_load(forest->tests + tree->nodes)};
}

HB_INLINE hb_walks step_from(const double *x, uint32_t stride_bits, hb_walks row, hb_walks at,
                             hb_walk_doubles threshold, hb_walks test)
{
    hb_walks column = hb_walks_shift(hb_walks_and(test, hb_walks_all(HB_WIDE_FEATURE)), stride_bits);

    return hb_walks_next_wide(hb_walks_doubles(x, hb_walks_add(column, row)), threshold, hb_walks_add(at, at), test);
}

HB_INLINE hb_walks step_on_top(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const tops *top, const double *x,
                               uint32_t stride_bits, hb_walks row, hb_walks at)
{
    return step_from(x, stride_bits, row, at,
                     hb_walks_look_up_wide(&top->threshold, forest->thresholds + tree->nodes, at),
                     hb_walks_look_up_short(top->test, at));
}

HB_INLINE hb_walks step_below(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const double *x,
                              uint32_t stride_bits, hb_walks row, hb_walks at)
{
    return step_from(x, stride_bits, row, at, hb_walks_doubles(forest->thresholds + tree->nodes, at),
                     hb_walks_take(forest->tests + tree->nodes, at));
}

HB_INLINE void add_leaves(const hb_ptt_forest *forest, const hb_ptt_tree *tree, hb_walks at, size_t stride,
                          double *sums)
{
    const double *leaves = (const double *)forest->leaves + tree->leaves;
    hb_walks index = hb_walks_add(at, hb_walks_all(0u - (1u << tree->depth)));

    for (size_t o = 0; o < forest->leaf_width; o++)
        hb_walks_add_doubles(sums + o * stride, hb_walks_doubles(leaves + (o << tree->depth), index));
}

#endif

#include "kernel/ptt_rows.h"

void HB_KERNEL(hb_ptt_add64)(const hb_ptt_forest *forest, size_t first, size_t end, const double *x, size_t stride,
                             size_t rows, double *sums)
{
    if (!gather(forest, first, end, x, stride, rows, sums))
        walk_rows(forest, first, end, x, stride, rows, sums);
}
