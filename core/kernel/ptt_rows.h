/* ptt_rows.h - walks down perfect trees, many rows side by side. Private to ptt_walk.c and ptt_wide_walk.c, which say
 * before what `number` is, how step_plainly goes, and with gathers what step_on_top, step_below and add_leaves do. */
#ifndef HB_KERNEL_PTT_ROWS_H
#define HB_KERNEL_PTT_ROWS_H

/* ---- by gathers */

#if HB_GATHERS

/* `groups` is a constant of each call. */
HB_INLINE void walk_groups(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const tops *top, const number *x,
                           uint32_t stride_bits, const hb_walks *row, size_t groups, size_t stride, number *sums)
{
    hb_walks at[HB_GROUPS];
    uint32_t level = 0;

    for (size_t g = 0; g < groups; g++)
        at[g] = hb_walks_all(1);
    for (; level < tree->depth && level < TOPS; level++)
#pragma GCC unroll 4
        for (size_t g = 0; g < groups; g++)
            at[g] = step_on_top(forest, tree, top, x, stride_bits, row[g], at[g]);
    for (; level < tree->depth; level++)
#pragma GCC unroll 4
        for (size_t g = 0; g < groups; g++)
            at[g] = step_below(forest, tree, x, stride_bits, row[g], at[g]);
    for (size_t g = 0; g < groups; g++)
        add_leaves(forest, tree, at[g], stride, sums + g * HB_WALKS);
}

static void walk_some(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const tops *top, const number *x,
                      uint32_t stride_bits, const hb_walks *row, size_t n, size_t stride, number *sums)
{
    if (n > 2 * HB_WALKS)
        walk_groups(forest, tree, top, x, stride_bits, row, HB_GROUPS, stride, sums);
    else if (n > HB_WALKS)
        walk_groups(forest, tree, top, x, stride_bits, row, 2, stride, sums);
    else
        walk_groups(forest, tree, top, x, stride_bits, row, 1, stride, sums);
}

/* False where it is left to plain C. */
static bool gather(const hb_ptt_forest *forest, size_t first, size_t end, const number *x, size_t stride, size_t rows,
                   number *sums)
{
    uint32_t bits;

    if (!hb_walks_fit(0, 1, forest->n_features, stride, &bits))
        return false;
    for (size_t r = 0; r < rows; r += HB_ABREAST) {
        size_t n = rows - r < HB_ABREAST ? rows - r : HB_ABREAST;
        hb_walks row[HB_GROUPS];

        hb_walks_rows(n, row);
        for (size_t t = first; t < end; t++) {
            const hb_ptt_tree *tree = &forest->trees[t];
            const tops top = load_tops(forest, tree);
            size_t output = forest->leaf_width > 1 ? 0 : tree->output;

            walk_some(forest, tree, &top, x + r, bits, row, n, stride, sums + output * stride + r);
        }
    }
    return true;
}

#else

static bool gather(const hb_ptt_forest *forest, size_t first, size_t end, const number *x, size_t stride, size_t rows,
                   number *sums)
{
    (void)forest, (void)first, (void)end, (void)x, (void)stride, (void)rows, (void)sums;
    return false;
}

#endif

/* ---- in plain C */

enum { LANES = 8 }; /* walks in flight */

/* Rows [0, n) of x; the last one goes down in the lanes behind them too. */
HB_INLINE void walk_lanes(const hb_ptt_forest *forest, const hb_ptt_tree *tree, const number *x, size_t stride,
                          size_t n, number *sums)
{
    const number *leaves = (const number *)forest->leaves + tree->leaves;
    size_t size = (size_t)1 << tree->depth;
    uint32_t at[LANES];

    for (size_t k = 0; k < LANES; k++)
        at[k] = 1;
    for (uint32_t level = 0; level < tree->depth; level++)
        for (size_t k = 0; k < LANES; k++)
            at[k] = step_plainly(forest, tree, at[k], x + (k < n ? k : n - 1), stride);
    for (size_t o = 0; o < forest->leaf_width; o++, leaves += size)
        for (size_t k = 0; k < n; k++)
            sums[o * stride + k] += leaves[at[k] - size];
}

static void walk_rows(const hb_ptt_forest *forest, size_t first, size_t end, const number *x, size_t stride,
                      size_t rows, number *sums)
{
    for (size_t t = first; t < end; t++) {
        const hb_ptt_tree *tree = &forest->trees[t];
        number *to = sums + (forest->leaf_width > 1 ? 0 : tree->output * stride);

        for (size_t r = 0; r < rows; r += LANES)
            walk_lanes(forest, tree, x + r, stride, rows - r < LANES ? rows - r : LANES, to + r);
    }
}

#endif
