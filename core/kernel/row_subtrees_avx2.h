/* row_subtrees_avx2.h - see row_kernel.h: leaves of perfect trees by subtrees, where bytes can be permuted among 16
 * only. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_SUBTREES_AVX2_H
#define HB_KERNEL_ROW_SUBTREES_AVX2_H

#include "kernel/row_short.h"
#include "kernel/row_ways.h"

/* `tables` and `sets`, whether there are any, are constants wherever these are inlined. */
typedef struct subtree_row {
    const hb_row_forest *forest;
    const hb_row *row;
    rank_tables table;
} subtree_row;

/* ---- the upper three levels of 64 trees */

/* -1 where one of their tests does not send the row right; `half` of the trees. `right`: those that sets send there. */
HB_INLINE __m256i left_at_top(const subtree_row *r, int tables, bool sets, const hb_row_top *top, uint64_t right,
                              size_t half)
{
    __m256i left = left_of(&r->table, tables, take_half(top->entry, half), take_half(top->cut, half));

    return sets ? _mm256_and_si256(left, left_by_sets((uint32_t)(right >> half * HALF))) : left;
}

/* Eight times the way that each of n trees takes, whose first top is `number`. */
HB_INLINE void pass_tops(const subtree_row *r, int tables, bool sets, size_t number, size_t n,
                         uint8_t eights[HB_ROW_LANES])
{
    size_t words = hb_row_subtree_trees(r->forest->n_trees) + number;
    uint64_t right[2 * FOUR] = {0}; /* the last one is none */

    if (sets) {
        take_set_words(r->row, r->forest->n_features, words, right);
        take_set_words(r->row, r->forest->n_features, words + FOUR, right + FOUR);
    }
    for (size_t half = 0; half * HALF < n; half++) {
        __m256i left[HB_ROW_TOPS], first, second, third; /* of each test; of those that are met */

#pragma GCC unroll 7
        for (size_t k = 0; k < HB_ROW_TOPS; k++)
            left[k] = left_at_top(r, tables, sets, &r->forest->tops[number + k], right[k], half);
        first = left[0];
        second = _mm256_blendv_epi8(left[2], left[1], first);
        third = _mm256_blendv_epi8(_mm256_blendv_epi8(left[6], left[5], left[2]),
                                   _mm256_blendv_epi8(left[4], left[3], left[1]), first);
        first = _mm256_andnot_si256(first, _mm256_set1_epi8(32));
        second = _mm256_andnot_si256(second, _mm256_set1_epi8(16));
        third = _mm256_andnot_si256(third, _mm256_set1_epi8(8));
        _mm256_storeu_si256((__m256i *)(void *)(eights + half * HALF),
                            _mm256_or_si256(_mm256_or_si256(first, second), third));
    }
}

/* ---- of four trees the subtrees that are met */

/* The subtree that a tree's way leads to; `eight` is eight times the way, and a subtree has 16 bytes. */
HB_INLINE __m128i take_subtree(const hb_row_subtree *subtrees, uint8_t eight)
{
    return _mm_loadu_si128((const __m128i *)(const void *)((const uint8_t *)subtrees + 2 * (size_t)eight));
}

/* Of four trees. 7 bits of each 8: the tests that send the row right. */
HB_INLINE uint32_t compare_subtrees(const subtree_row *r, int tables, const hb_row_subtree *subtrees,
                                    const uint8_t eights[FOUR])
{
    __m256i even = _mm256_set_m128i(take_subtree(subtrees + 16, eights[2]), take_subtree(subtrees, eights[0]));
    __m256i odd = _mm256_set_m128i(take_subtree(subtrees + 24, eights[3]), take_subtree(subtrees + 8, eights[1]));
    __m256i entry = _mm256_unpacklo_epi64(even, odd), cut = _mm256_unpackhi_epi64(even, odd);

    return ~(uint32_t)_mm256_movemask_epi8(left_of(&r->table, tables, entry, cut));
}

HB_INLINE void find_four(const subtree_row *r, int tables, bool sets, size_t first, const uint8_t eights[FOUR],
                         size_t leaf[FOUR])
{
    uint64_t by_sets[FOUR] = {0};
    uint32_t right = compare_subtrees(r, tables, r->forest->subtrees + 8 * first, eights);

    if (sets)
        take_set_words(r->row, r->forest->n_features, first, by_sets);
#pragma GCC unroll 4
    for (size_t t = 0; t < FOUR; t++)
        leaf[t] = (first + t) * HB_ROW_PLACES + eights[t] +
                  way_taken[(right >> 8 * t & 255) | (by_sets[t] >> eights[t] & 127)];
}

/* ---- all of them: adds the leaves, or else gives them */

/* Of up to 64 trees. */
HB_INLINE void pass_some(const subtree_row *r, int tables, bool sets, size_t first, size_t n, row_sum *sum,
                         uint32_t *leaf)
{
    uint8_t eights[HB_ROW_LANES];
    size_t found[FOUR], t = 0;

    pass_tops(r, tables, sets, first / HB_ROW_LANES * HB_ROW_TOPS, n, eights);
    for (; sum && t + FOUR <= n; t += FOUR) {
        find_four(r, tables, sets, first + t, eights + t, found);
#pragma GCC unroll 4
        for (size_t k = 0; k < FOUR; k++)
            add_leaf(sum, first + t + k, found[k]);
    }
    for (; t < n; t++) {
        if (t % FOUR == 0)
            find_four(r, tables, sets, first + t, eights + t, found);
        if (sum)
            add_leaf(sum, first + t, found[t % FOUR]);
        else
            leaf[t] = (uint32_t)found[t % FOUR];
    }
}

HB_INLINE void pass_subtrees(const hb_row_forest *forest, const hb_row *row, int tables, bool sets, size_t first,
                             size_t n, row_sum *to, uint32_t *leaf)
{
    const subtree_row r = {forest, row, take_tables(row->ranks)};
    row_sum sum = to ? *to : (row_sum){0};

    for (size_t t = 0; t < n; t += HB_ROW_LANES)
        pass_some(&r, tables, sets, first + t, n - t < HB_ROW_LANES ? n - t : HB_ROW_LANES, to ? &sum : NULL,
                  to ? NULL : leaf + t);
    if (to)
        *to = sum;
}

HB_INLINE void pass_by_tables(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, row_sum *sum,
                              uint32_t *leaf)
{
    int tables = tables_of(forest);

    if (forest->n_features && tables == TWO_TABLES)
        pass_subtrees(forest, row, TWO_TABLES, true, first, n, sum, leaf);
    else if (forest->n_features)
        pass_subtrees(forest, row, FOUR_TABLES, true, first, n, sum, leaf);
    else if (tables == TWO_TABLES)
        pass_subtrees(forest, row, TWO_TABLES, false, first, n, sum, leaf);
    else if (tables == THREE_TABLES)
        pass_subtrees(forest, row, THREE_TABLES, false, first, n, sum, leaf);
    else
        pass_subtrees(forest, row, FOUR_TABLES, false, first, n, sum, leaf);
}

static void find_in_perfect(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    pass_by_tables(forest, row, first, n, NULL, leaf);
}

HB_INLINE void add_in_perfect(const hb_row *row, size_t first, size_t n, row_sum *sum)
{
    pass_by_tables(sum->forest, row, first, n, sum, NULL);
}

#endif
