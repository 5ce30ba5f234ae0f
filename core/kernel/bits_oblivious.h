/* bits_oblivious.h - many oblivious trees of one output in float64 (CatBoost's), by tables in registers: the bits of
 * their leaves' numbers are those of predicates already. */
#ifndef HB_KERNEL_BITS_OBLIVIOUS_H
#define HB_KERNEL_BITS_OBLIVIOUS_H

#include "kernel/bits_leaves.h"

#if HB_HAS_TABLES

enum { HB_OBLIVIOUS_LEAST = 4, HB_OBLIVIOUS_MOST = 6 }; /* levels */

/* The predicates that are the bits of the number, the lowest first. */
HB_INLINE void hb_oblivious_planes(const uint64_t *bits, size_t stride, const uint32_t *node, size_t levels,
                                   const uint64_t **plane)
{
#pragma GCC unroll 8
    for (size_t b = 0; b < levels; b++)
        plane[b] = bits + (size_t)node[levels - 1 - b] * stride;
}

/* Of 64 rows, whose sums stay in registers. */
HB_INLINE void hb_oblivious_word(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t levels,
                                 const uint64_t *bits, size_t bits_stride, bool bytes, double *sums)
{
    const uint64_t *plane[HB_OBLIVIOUS_MOST];
    __m512d sum[8];

#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++)
        sum[i] = _mm512_loadu_pd(sums + 8 * i);
    for (size_t t = 0; t < n; t++) {
        const uint32_t *table = (const uint32_t *)((const double *)forest->leaves + tree[t].leaves);
        __m512i low[4], high[4], at[4];

        hb_oblivious_planes(bits, bits_stride, forest->nodes + tree[t].first, levels, plane);
        hb_lane_numbers(bytes ? hb_byte_numbers(plane, levels) : hb_word_numbers(plane, levels, 0), levels, at);
        hb_load_table(table, levels, low);
        hb_load_table(table + ((size_t)1 << levels), levels, high);
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; j++) {
            __m512d two[2];

            hb_look_up_doubles(low, high, levels, at[j], two);
            sum[2 * j] = _mm512_add_pd(sum[2 * j], two[0]);
            sum[2 * j + 1] = _mm512_add_pd(sum[2 * j + 1], two[1]);
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < 8; i++)
        _mm512_storeu_pd(sums + 8 * i, sum[i]);
}

HB_INLINE void hb_oblivious_block(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t levels,
                                  const uint64_t *bits, double *sums)
{
    const uint64_t *plane[HB_OBLIVIOUS_MOST];
    uint8_t number[HB_BITS_WORDS][64] __attribute__((aligned(64)));

    for (size_t t = 0; t < n; t++) {
        hb_oblivious_planes(bits, HB_BITS_WORDS, forest->nodes + tree[t].first, levels, plane);
        hb_number_block(plane, levels, number);
        hb_add_table64((const double *)forest->leaves + tree[t].leaves, levels, (const uint8_t(*)[64])number,
                       HB_BITS_WORDS, sums);
    }
}

HB_INLINE void hb_oblivious_rows(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t levels,
                                 const uint64_t *bits, size_t words, double *sums)
{
    if (words == HB_BITS_WORDS) {
        hb_oblivious_block(forest, tree, n, levels, bits, sums);
        return;
    }
    if (hb_in_bytes(forest, words)) {
        hb_oblivious_word(forest, tree, n, levels, bits, HB_BITS_WORDS, true, sums);
        return;
    }
    for (size_t w = 0; w < words; w++)
        hb_oblivious_word(forest, tree, n, levels, bits + w, hb_bits_stride(forest, words), false, sums + 64 * w);
}

/* Adds the first of n trees, which is oblivious, and those like it; how many they are. */
static size_t hb_add_oblivious64(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t stride,
                                 size_t words, const uint64_t *bits, double *sums)
{
    size_t same = tree->n < n ? tree->n : n, levels = tree->bits;

    if (forest->leaf_width > 1 || levels < HB_OBLIVIOUS_LEAST || levels > HB_OBLIVIOUS_MOST)
        return 0;
    sums += tree->output * stride;
    if (levels == 6)
        hb_oblivious_rows(forest, tree, same, 6, bits, words, sums);
    else if (levels == 5)
        hb_oblivious_rows(forest, tree, same, 5, bits, words, sums);
    else
        hb_oblivious_rows(forest, tree, same, 4, bits, words, sums);
    return same;
}

#else

static size_t hb_add_oblivious64(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t stride,
                                 size_t words, const uint64_t *bits, double *sums)
{
    (void)forest, (void)tree, (void)n, (void)stride, (void)words, (void)bits, (void)sums;
    return 0;
}

#endif

#endif
