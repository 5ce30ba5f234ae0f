/* row_perfect.h - see row_kernel.h: leaves of perfect trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_PERFECT_H
#define HB_KERNEL_ROW_PERFECT_H

#include "kernel/row_tables.h"

#ifdef __AVX512VBMI__

enum { SIDE_BY_SIDE = 8, PAIR = 2 * SIDE_BY_SIDE };

/* A row, and the words of the trees that go down together: their tests that send it right. */
typedef struct perfect_row {
    const hb_row_forest *forest;
    rank_tables table;
    int tables;
    set_words sets;
    uint64_t words[HB_ROW_TREES + PAIR];
} perfect_row;

static inline void take_perfect(const hb_row_forest *forest, const hb_row *row, perfect_row *to)
{
    to->forest = forest;
    to->table = take_tables(row->ranks);
    to->tables = tables_of(forest);
    to->sets = take_sets(forest, row);
}

ROW_INLINE void compare_trees(const hb_row_tree *trees, size_t n, const rank_tables *table, int tables, uint64_t *words)
{
    for (size_t t = 0; t < n; t++)
        words[t] = right_of(table, tables, trees[t].entry, trees[t].cut);
    _mm512_storeu_si512(words + n, _mm512_setzero_si512()); /* up to the next PAIR of them */
    _mm512_storeu_si512(words + n + SIDE_BY_SIDE, _mm512_setzero_si512());
}

/* Of trees [first, first + n). */
static inline void compare_perfect(perfect_row *row, size_t first, size_t n)
{
    const hb_row_tree *trees = row->forest->perfect + first;
    uint64_t *words = row->words + first % HB_ROW_TREES;

    if (row->tables == ONE_TABLE)
        compare_trees(trees, n, &row->table, ONE_TABLE, words);
    else if (row->tables == TWO_TABLES)
        compare_trees(trees, n, &row->table, TWO_TABLES, words);
    else
        compare_trees(trees, n, &row->table, FOUR_TABLES, words);
}

/* The same with the sets' answers, of SIDE_BY_SIDE trees from `tree` on. */
static inline __m512i with_sets(const set_words *sets, size_t tree, const uint64_t *words)
{
    __m512i right = _mm512_loadu_si512(words);

    for (size_t s = 0; s < sets->n; s++)
        right = _mm512_or_si512(right, _mm512_loadu_si512(sets->of[s] + tree));
    return right;
}

/* From the root, at 1, to the leaves, from HB_ROW_PLACES on. */
ROW_INLINE __m512i go_to_leaves(__m512i right)
{
    const __m512i one = _mm512_set1_epi64(1);
    __m512i at = one;

#pragma GCC unroll 6
    for (size_t level = 0; level < HB_ROW_LEVELS; level++)
        at = _mm512_ternarylogic_epi64(_mm512_add_epi64(at, at), _mm512_srlv_epi64(right, at), one, 0xf8);
    return at;
}

/* Of trees that were compared. */
static inline void take_perfect_leaves(const perfect_row *row, size_t first, size_t n, uint32_t *leaf)
{
    const uint64_t *words = row->words + first % HB_ROW_TREES;
    const set_words *sets = &row->sets;
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    __m512i tree = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

    tree = _mm512_add_epi32(tree, _mm512_set1_epi32((int)first - 1)); /* the leaves' places begin behind one tree's */
    for (size_t t = 0; t < n; t += PAIR) {
        __m512i low = go_to_leaves(with_sets(sets, first + t, words + t));
        __m512i high = go_to_leaves(with_sets(sets, first + t + SIDE_BY_SIDE, words + t + SIDE_BY_SIDE));
        __m512i both = _mm512_permutex2var_epi32(low, even, high);

        _mm512_storeu_si512(leaf + t, _mm512_add_epi32(both, _mm512_slli_epi32(tree, HB_ROW_LEVELS)));
        tree = _mm512_add_epi32(tree, _mm512_set1_epi32(PAIR));
    }
}

#else

typedef struct perfect_row {
    const hb_row_forest *forest;
    const hb_row *row;
    set_words sets;
} perfect_row;

static inline void take_perfect(const hb_row_forest *forest, const hb_row *row, perfect_row *to)
{
    *to = (perfect_row){forest, row, take_sets(forest, row)};
}

static inline void compare_perfect(perfect_row *row, size_t first, size_t n)
{
    (void)row, (void)first, (void)n;
}

/* Only the tests that are met. */
static inline void take_perfect_leaves(const perfect_row *row, size_t first, size_t n, uint32_t *leaf)
{
    for (size_t t = first; t < first + n; t++) {
        const hb_row_tree *tree = &row->forest->perfect[t];
        uint64_t by_sets = 0;
        uint32_t at = 1;

        for (size_t s = 0; s < row->sets.n; s++)
            by_sets |= row->sets.of[s][t];
        for (size_t level = 0; level < HB_ROW_LEVELS; level++)
            at = 2 * at + (row->row->ranks[tree->entry[at]] > tree->cut[at] || (by_sets >> at & 1));
        leaf[t - first] = (uint32_t)(t - 1) * HB_ROW_PLACES + at;
    }
}

#endif

static void find_in_perfect(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n,
                            uint32_t leaf[HB_ROW_TREES])
{
    perfect_row all;

    take_perfect(forest, row, &all);
    compare_perfect(&all, first, n);
    take_perfect_leaves(&all, first, n, leaf);
}

#endif
