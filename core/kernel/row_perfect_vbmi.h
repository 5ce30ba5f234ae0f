/* row_perfect_vbmi.h - see row_kernel.h: leaves of perfect trees, where bytes can be permuted among all ranks. A tree
 * is a register. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_PERFECT_VBMI_H
#define HB_KERNEL_ROW_PERFECT_VBMI_H

#include "kernel/row_ways.h"

enum {
    PAIR = 16, /* trees that are taken together */
    SIDE_BY_SIDE = PAIR / 2
};

/* A row, and the words of the trees that go down together: their tests that send it right. */
typedef struct perfect_row {
    const hb_row_forest *forest;
    const hb_row *row;
    int tables;
    uint64_t words[HB_ROW_TREES];
} perfect_row;

static inline void take_perfect(const hb_row_forest *forest, const hb_row *row, perfect_row *to)
{
    to->forest = forest;
    to->row = row;
    to->tables = tables_of(forest);
}

HB_INLINE void compare_trees(const hb_row_tree *trees, size_t n, const hb_row *row, int tables, uint64_t *words)
{
    const rank_tables table = take_tables(row->ranks);

#pragma GCC unroll 16
    for (size_t t = 0; t < n; t++)
        words[t] = right_of(&table, tables, trees[t].entry, trees[t].cut);
}

/* Of trees [first, first + n), for n <= PAIR; `first` is a multiple of it. */
HB_INLINE void compare_perfect(perfect_row *row, size_t first, size_t n)
{
    const hb_row_tree *trees = row->forest->perfect + first;
    uint64_t *words = row->words + first % HB_ROW_TREES;

    if (n < PAIR) {
        _mm512_storeu_si512(words, _mm512_setzero_si512());
        _mm512_storeu_si512(words + SIDE_BY_SIDE, _mm512_setzero_si512());
    }
    if (row->tables == ONE_TABLE && n == PAIR)
        compare_trees(trees, PAIR, row->row, ONE_TABLE, words);
    else if (row->tables == ONE_TABLE)
        compare_trees(trees, n, row->row, ONE_TABLE, words);
    else if (row->tables == TWO_TABLES)
        compare_trees(trees, n, row->row, TWO_TABLES, words);
    else
        compare_trees(trees, n, row->row, FOUR_TABLES, words);
}

/* The same with the sets' answers, of SIDE_BY_SIDE trees from `tree` on. */
static inline __m512i with_sets(const perfect_row *row, size_t tree)
{
    __m512i right = _mm512_loadu_si512(row->words + tree % HB_ROW_TREES);

    for (size_t s = 0; s < row->forest->n_features; s++)
        right = _mm512_or_si512(right, _mm512_loadu_si512(row->row->sets[s] + tree));
    return right;
}

static const ways_table first_leaf = OF_ALL(8, 0); /* below it.. */
static const ways_table next_tests = OF_ALL(7, 7); /* ..and the place of its subtree's tests */

HB_INLINE __m512i look_up_ways(const ways_table table, __m512i tests)
{
    return _mm512_permutex2var_epi8(_mm512_load_si512(table), tests, _mm512_load_si512(table + 64));
}

/* The lowest 6 bits of each word are the leaf's number. */
HB_INLINE __m512i go_to_leaves(__m512i right)
{
    __m512i below = _mm512_multishift_epi64_epi8(look_up_ways(next_tests, right), right);

    return _mm512_or_si512(look_up_ways(first_leaf, right), look_up_ways(way_taken, below));
}

/* Of PAIR trees that were compared. */
HB_INLINE void take_perfect_leaves(const perfect_row *row, size_t first, uint32_t leaf[PAIR])
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i each = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i low = go_to_leaves(with_sets(row, first));
    __m512i high = go_to_leaves(with_sets(row, first + SIDE_BY_SIDE));
    __m512i tree = _mm512_slli_epi32(_mm512_add_epi32(each, _mm512_set1_epi32((int)first)), HB_ROW_LEVELS);

    /* tree | (number & 63) */
    _mm512_storeu_si512(leaf, _mm512_ternarylogic_epi32(tree, _mm512_permutex2var_epi32(low, even, high),
                                                        _mm512_set1_epi32(HB_ROW_PLACES - 1), 0xf8));
}

static void find_in_perfect(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n,
                            uint32_t leaf[HB_ROW_TREES])
{
    perfect_row all;

    take_perfect(forest, row, &all);
    for (size_t t = 0; t < n; t += PAIR)
        compare_perfect(&all, first + t, n - t < PAIR ? n - t : PAIR);
    for (size_t t = 0; t < n; t += PAIR)
        take_perfect_leaves(&all, first + t, leaf + t);
}

#endif
