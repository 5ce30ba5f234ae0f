/* bits_oblivious.h - many oblivious trees of one output in float64 (CatBoost's): the bits of their leaves' numbers are
 * those of predicates already. */
#ifndef HB_KERNEL_BITS_OBLIVIOUS_H
#define HB_KERNEL_BITS_OBLIVIOUS_H

#include "kernel/bits_leaves.h"

/* The predicates that are the bits of the number, the lowest first. */
HB_INLINE void hb_oblivious_planes(const uint64_t *bits, size_t stride, const uint32_t *node, size_t levels,
                                   const uint64_t **plane)
{
#pragma GCC unroll 8
    for (size_t b = 0; b < levels; b++)
        plane[b] = bits + (size_t)node[levels - 1 - b] * stride;
}

#if HB_HAS_TABLES

enum { HB_OBLIVIOUS_LEAST = 4, HB_OBLIVIOUS_MOST = 6 /* levels */ };

/* The leaf values of n trees to the sums of 64 rows, which stay in registers. */
HB_INLINE void hb_oblivious_word(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t levels,
                                 const uint64_t *bits, size_t bits_stride, double *sums)
{
    const uint64_t *plane[HB_OBLIVIOUS_MOST];
    __m512d sum[8];

#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++)
        sum[i] = _mm512_loadu_pd(sums + 8 * i);
    for (size_t t = 0; t < n; t++) {
        const uint32_t *halves = (const uint32_t *)(const void *)((const double *)forest->leaves + tree[t].leaves);
        __m512i low[4], high[4], at[4];

        hb_oblivious_planes(bits, bits_stride, forest->nodes + tree[t].first, levels, plane);
        hb_load_table(halves, levels, low);
        hb_load_table(halves + ((size_t)1 << levels), levels, high);
        hb_lane_numbers(hb_word_numbers(plane, levels, 0), levels, at);
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; j++) {
            __m512d leaf[2];

            hb_look_up_doubles(low, high, levels, at[j], leaf);
            sum[2 * j] = _mm512_add_pd(sum[2 * j], leaf[0]);
            sum[2 * j + 1] = _mm512_add_pd(sum[2 * j + 1], leaf[1]);
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++)
        _mm512_storeu_pd(sums + 8 * i, sum[i]);
}

/* Adds the first of n trees, which is oblivious, and those like it; how many they are. Of full blocks none: these gain
 * little. */
static size_t hb_add_oblivious64(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t stride,
                                 size_t words, const uint64_t *bits, double *sums)
{
    size_t same = tree->n < n ? tree->n : n, levels = tree->bits, bits_stride = hb_bits_stride(words);

    if (words == HB_BITS_WORDS || forest->leaf_width > 1 || levels < HB_OBLIVIOUS_LEAST || levels > HB_OBLIVIOUS_MOST)
        return 0;
    sums += tree->output * stride;
    for (size_t w = 0; w < words; w++)
        if (levels == 6)
            hb_oblivious_word(forest, tree, same, 6, bits + w, bits_stride, sums + 64 * w);
        else if (levels == 5)
            hb_oblivious_word(forest, tree, same, 5, bits + w, bits_stride, sums + 64 * w);
        else
            hb_oblivious_word(forest, tree, same, 4, bits + w, bits_stride, sums + 64 * w);
    return same;
}

#else

enum {
    HB_OBLIVIOUS_TREES = 8, /* whose leaves are added to a sum between its load and its store.. */
    HB_OBLIVIOUS_WORDS = 4  /* ..of so many words of rows at once */
};

typedef uint8_t hb_oblivious_numbers[HB_OBLIVIOUS_WORDS * 64];

/* The leaves of n trees, one after the other. A row by itself takes as long as some that gather them, or less, as it
 * adds them on the way. */
HB_INLINE void hb_add_oblivious(const double *leaves, size_t levels, const hb_oblivious_numbers *number, size_t n,
                                size_t rows, double *sums)
{
    for (size_t r = 0; r < rows; r++) {
        double sum = sums[r];

#pragma GCC unroll 8
        for (size_t t = 0; t < n; t++)
            sum += leaves[(t << levels) + number[t][r]];
        sums[r] = sum;
    }
}

/* Of n trees at most HB_OBLIVIOUS_TREES. */
HB_INLINE void hb_oblivious_some(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t levels,
                                 const uint64_t *bits, size_t words, double *sums)
{
    const double *leaves = (const double *)forest->leaves + tree->leaves; /* of all of them side by side */
    const uint64_t *plane[HB_BITS_MUX_DEPTH] = {NULL};
    hb_oblivious_numbers number[HB_OBLIVIOUS_TREES];

    for (size_t first = 0; first < words; first += HB_OBLIVIOUS_WORDS) {
        size_t some = words - first < HB_OBLIVIOUS_WORDS ? words - first : HB_OBLIVIOUS_WORDS;

        for (size_t t = 0; t < n; t++) {
            hb_oblivious_planes(bits, hb_bits_stride(words), forest->nodes + tree[t].first, levels, plane);
            for (size_t w = 0; w < some; w++)
                hb_number_word(plane, levels, first + w, number[t] + 64 * w);
        }
        if (n == HB_OBLIVIOUS_TREES)
            hb_add_oblivious(leaves, levels, number, HB_OBLIVIOUS_TREES, 64 * some, sums + 64 * first);
        else
            hb_add_oblivious(leaves, levels, number, n, 64 * some, sums + 64 * first);
    }
}

HB_INLINE void hb_oblivious_rows(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t levels,
                                 const uint64_t *bits, size_t words, double *sums)
{
    for (size_t t = 0; t < n; t += HB_OBLIVIOUS_TREES)
        hb_oblivious_some(forest, tree + t, n - t < HB_OBLIVIOUS_TREES ? n - t : HB_OBLIVIOUS_TREES, levels, bits,
                          words, sums);
}

/* Adds the first of n trees, which is oblivious, and those like it; how many they are. */
static size_t hb_add_oblivious64(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t stride,
                                 size_t words, const uint64_t *bits, double *sums)
{
    size_t same = tree->n < n ? tree->n : n, levels = tree->bits;

    if (forest->leaf_width > 1)
        return 0;
    sums += tree->output * stride;
    if (levels == 6)
        hb_oblivious_rows(forest, tree, same, 6, bits, words, sums);
    else
        hb_oblivious_rows(forest, tree, same, levels, bits, words, sums);
    return same;
}

#endif

#endif
