/* row_sums.h - see row_kernel.h: the leaves of one row, added in the order of their trees. Private to row_walk.c.
 *
 * An addition waits for the one before, for several cycles, and nothing may change that order; but the CPU adds the
 * leaves of some trees while it looks for those of the next, if these come soon enough. So trees are taken in small
 * groups, and perfect ones are compared a group ahead: what has just been stored by words cannot be loaded by more. */
#ifndef HB_KERNEL_ROW_SUMS_H
#define HB_KERNEL_ROW_SUMS_H

#include "kernel/row_exits.h"
#include "kernel/row_perfect.h"

/* The sum stays in a register while trees add to the same output: stored and taken back it would wait each time. */
#define ADD_LEAVES(number)                                      \
    const number *values = forest->values;                      \
    const hb_flat_tree *trees = forest->trees + first;          \
                                                                \
    if (forest->n_outputs == 1) {                               \
        number sum = sums[0];                                   \
                                                                \
        _Pragma("GCC unroll 16") for (size_t t = 0; t < n; t++) \
            sum += values[leaf[t]];                             \
        sums[0] = sum;                                          \
        return;                                                 \
    }                                                           \
    for (size_t t = 0; t < n;) {                                \
        uint32_t output = trees[t].output;                      \
        number sum = sums[output * stride];                     \
                                                                \
        for (; t < n && trees[t].output == output; t++)         \
            sum += values[leaf[t]];                             \
        sums[output * stride] = sum;                            \
    }

static inline void add_leaves32(const hb_row_forest *forest, size_t first, size_t n, const uint32_t *leaf,
                                size_t stride, float *sums)
{
    ADD_LEAVES(float)
}

static inline void add_leaves64(const hb_row_forest *forest, size_t first, size_t n, const uint32_t *leaf,
                                size_t stride, double *sums)
{
    ADD_LEAVES(double)
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The next trees are compared before the leaves of these are taken. */
#define ADD_PERFECT(add_leaves)                                             \
    uint32_t leaf[PAIR];                                                    \
    perfect_row all;                                                        \
    size_t t = 0;                                                           \
                                                                            \
    take_perfect(forest, row, &all);                                        \
    compare_perfect(&all, first, least(n, PAIR));                           \
    for (; t + PAIR < n; t += PAIR) {                                       \
        compare_perfect(&all, first + t + PAIR, least(n - t - PAIR, PAIR)); \
        take_perfect_leaves(&all, first + t, leaf);                         \
        add_leaves(forest, first + t, PAIR, leaf, stride, sums);            \
    }                                                                       \
    take_perfect_leaves(&all, first + t, leaf);                             \
    add_leaves(forest, first + t, n - t, leaf, stride, sums);

static void add_perfect32(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, size_t stride,
                          float *sums)
{
    ADD_PERFECT(add_leaves32)
}

static void add_perfect64(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, size_t stride,
                          double *sums)
{
    ADD_PERFECT(add_leaves64)
}

#endif
