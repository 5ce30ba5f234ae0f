/* row_perfect_avx2.h - see row_perfect.h: where bytes can be permuted among 16 only. Four subtrees of three levels are
 * a register. */
#ifndef HB_KERNEL_ROW_PERFECT_AVX2_H
#define HB_KERNEL_ROW_PERFECT_AVX2_H

#include "kernel/row_perfect_ways.h"

enum { FOUR = 4 };

/* Eight bytes from each of four places. */
ROW_INLINE __m256i take_eights(const uint8_t *a, const uint8_t *b, const uint8_t *c, const uint8_t *d)
{
    __m128d low = _mm_loadh_pd(_mm_load_sd((const double *)(const void *)a), (const double *)(const void *)b);
    __m128d high = _mm_loadh_pd(_mm_load_sd((const double *)(const void *)c), (const double *)(const void *)d);

    return _mm256_castpd_si256(_mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1));
}

/* The tests of the subtrees at those places that send the row right: 7 bits of each 8. */
ROW_INLINE uint32_t compare_subtrees(const rank_tables *table, int tables, const hb_row_tree *trees,
                                     const size_t at[FOUR])
{
    const __m256i tests = _mm256_set1_epi64x((int64_t)0x00ffffffffffffff);
    __m256i entry = take_eights(trees[0].entry + at[0], trees[1].entry + at[1], trees[2].entry + at[2],
                                trees[3].entry + at[3]);
    __m256i cut = take_eights(trees[0].cut + at[0], trees[1].cut + at[1], trees[2].cut + at[2], trees[3].cut + at[3]);

    return (uint32_t)_mm256_movemask_epi8(_mm256_andnot_si256(left_of(table, tables, entry, cut), tests));
}

/* The leaves of four trees. `sets`: whether there are any. */
ROW_INLINE void find_four(const hb_row_forest *forest, const hb_row *row, const rank_tables *table, int tables,
                          bool sets, size_t first, size_t leaf[FOUR])
{
    const hb_row_tree *trees = forest->perfect + first;
    uint64_t by_sets[FOUR] = {0};
    size_t at[FOUR] = {0};
    uint32_t right;

    for (size_t s = 0; sets && s < forest->n_features; s++)
        for (size_t t = 0; t < FOUR; t++)
            by_sets[t] |= row->sets[s][first + t];
    right = compare_subtrees(table, tables, trees, at);
#pragma GCC unroll 4
    for (size_t t = 0; t < FOUR; t++) {
        size_t tests = (right >> 8 * t & 255) | (by_sets[t] & 127);

        leaf[t] = (first + t) * HB_ROW_PLACES + first_leaf[tests];
        at[t] = next_tests[tests];
    }
    right = compare_subtrees(table, tables, trees, at);
#pragma GCC unroll 4
    for (size_t t = 0; t < FOUR; t++)
        leaf[t] += way_taken[(right >> 8 * t & 255) | (by_sets[t] >> at[t] & 127)];
}

/* Adds the leaves, or else gives them. */
ROW_INLINE void pass_perfect(const hb_row_forest *forest, const hb_row *row, int tables, bool sets, size_t first,
                             size_t n, row_sum *to, uint32_t *leaf)
{
    const rank_tables table = take_tables(row->ranks);
    row_sum sum = to ? *to : (row_sum){0};
    size_t found[FOUR], t = 0;

    for (; to && t + FOUR <= n; t += FOUR) {
        find_four(forest, row, &table, tables, sets, first + t, found);
#pragma GCC unroll 4
        for (size_t k = 0; k < FOUR; k++)
            add_leaf(&sum, first + t + k, found[k]);
    }
    for (; t < n; t++) {
        if (t % FOUR == 0)
            find_four(forest, row, &table, tables, sets, first + t, found);
        if (to)
            add_leaf(&sum, first + t, found[t % FOUR]);
        else
            leaf[t] = (uint32_t)found[t % FOUR];
    }
    if (to)
        *to = sum;
}

ROW_INLINE void pass_by_tables(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, row_sum *sum,
                               uint32_t *leaf)
{
    int tables = tables_of(forest);

    if (forest->n_features)
        pass_perfect(forest, row, FOUR_TABLES, true, first, n, sum, leaf);
    else if (tables == TWO_TABLES)
        pass_perfect(forest, row, TWO_TABLES, false, first, n, sum, leaf);
    else if (tables == THREE_TABLES)
        pass_perfect(forest, row, THREE_TABLES, false, first, n, sum, leaf);
    else
        pass_perfect(forest, row, FOUR_TABLES, false, first, n, sum, leaf);
}

static void find_in_perfect(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    if (forest->n_entries > LOOKED_UP)
        find_in_any(forest, row, first, n, leaf);
    else
        pass_by_tables(forest, row, first, n, NULL, leaf);
}

ROW_INLINE void add_in_perfect(const hb_row *row, size_t first, size_t n, row_sum *sum)
{
    if (sum->forest->n_entries > LOOKED_UP)
        add_in_any(row, first, n, sum);
    else
        pass_by_tables(sum->forest, row, first, n, sum, NULL);
}

#endif
