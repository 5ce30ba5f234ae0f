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

/* The numbers of a full block's leaves, and the tables that they are looked up in. */
typedef struct hb_oblivious_tree {
    uint8_t number[HB_BITS_WORDS][64] __attribute__((aligned(64)));
    __m512i low[4], high[4];
} hb_oblivious_tree;

HB_INLINE void hb_take_oblivious(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t levels,
                                 const uint64_t *bits, hb_oblivious_tree *to)
{
    const uint32_t *table = (const uint32_t *)(const void *)((const double *)forest->leaves + tree->leaves);
    const uint64_t *plane[HB_OBLIVIOUS_MOST];

    hb_oblivious_planes(bits, HB_BITS_WORDS, forest->nodes + tree->first, levels, plane);
    hb_number_block(plane, levels, to->number);
    hb_load_table(table, levels, to->low);
    hb_load_table(table + ((size_t)1 << levels), levels, to->high);
}

/* The leaves of two trees, one after the other, to sums that are loaded and stored once. */
HB_INLINE void hb_add_two_oblivious(const hb_oblivious_tree *a, const hb_oblivious_tree *b, size_t levels, double *sums)
{
    size_t step = hb_set_step(HB_BITS_WORDS);

    for (size_t s = 0; s < HB_BITS_WORDS; s++) {
        double *to = sums + hb_set_first(s, HB_BITS_WORDS);
        __m512i at_a[4], at_b[4];

        hb_lane_numbers(_mm512_load_si512(a->number[s]), levels, at_a);
        hb_lane_numbers(_mm512_load_si512(b->number[s]), levels, at_b);
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; j++, to += step) {
            __m512d two_a[2], two_b[2];

            hb_look_up_doubles(a->low, a->high, levels, at_a[j], two_a);
            hb_look_up_doubles(b->low, b->high, levels, at_b[j], two_b);
            for (size_t half = 0; half < 2; half++) {
                __m512d sum = _mm512_add_pd(_mm512_loadu_pd(to + 8 * half), two_a[half]);

                _mm512_storeu_pd(to + 8 * half, _mm512_add_pd(sum, two_b[half]));
            }
        }
    }
}

HB_INLINE void hb_oblivious_block(const hb_bits_forest *forest, const hb_bits_tree *tree, size_t n, size_t levels,
                                  const uint64_t *bits, double *sums)
{
    hb_oblivious_tree a, b;
    size_t t = 0;

    for (; t + 2 <= n; t += 2) {
        hb_take_oblivious(forest, &tree[t], levels, bits, &a);
        hb_take_oblivious(forest, &tree[t + 1], levels, bits, &b);
        hb_add_two_oblivious(&a, &b, levels, sums);
    }
    if (t < n) {
        hb_take_oblivious(forest, &tree[t], levels, bits, &a);
        hb_add_table64((const double *)forest->leaves + tree[t].leaves, levels, (const uint8_t(*)[64])a.number,
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
