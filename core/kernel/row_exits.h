/* row_exits.h - see row_kernel.h: leaves by all tests of many trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_EXITS_H
#define HB_KERNEL_ROW_EXITS_H

#include "kernel/row_tables.h"

/* Those of one group. */
typedef struct some_tests {
    const hb_row_test *tests;
    size_t first, n; /* of all */
} some_tests;

static some_tests take_group(const hb_row_forest *forest, size_t g)
{
    size_t first = forest->groups[g];

    return (some_tests){forest->tests + first, first, forest->groups[g + 1] - first};
}

#ifdef __AVX512VBMI__

enum { SET_WORDS = 8 }; /* that are taken together */

/* Some trees: their first leaves that are still open, and those that the next tests send right by their sets. */
typedef struct open_leaves {
    __m512i exit;
    __mmask64 by_sets[SET_WORDS];
} open_leaves;

/* From test i of the group on. */
ROW_INLINE void take_set_words(const hb_row *row, const some_tests *group, size_t n_features, size_t i,
                               open_leaves *open)
{
    __m512i right = _mm512_loadu_si512(row->sets[0] + group->first + i);

    for (size_t s = 1; s < n_features; s++)
        right = _mm512_or_si512(right, _mm512_loadu_si512(row->sets[s] + group->first + i));
    _mm512_storeu_si512(open->by_sets, right);
}

/* With test i of the group; `next` is i + 1 for each tree. */
ROW_INLINE void take_test(const hb_row *row, const some_tests *group, size_t i, __m512i next, const rank_tables *table,
                          int tables, size_t n_features, open_leaves *open)
{
    const hb_row_test *test = &group->tests[i];
    __mmask64 right = right_of(table, tables, test->entry, test->cut);

    if (n_features && i % SET_WORDS == 0)
        take_set_words(row, group, n_features, i, open);
    if (n_features)
        right = _kor_mask64(right, _load_mask64(&open->by_sets[i % SET_WORDS]));
    right = _mm512_mask_cmple_epu8_mask(right, _mm512_loadu_si512(test->first), open->exit);
    open->exit = _mm512_mask_mov_epi8(open->exit, right, next);
}

/* Two groups abreast, as one would wait for its last test. */
ROW_INLINE void find_exits(const hb_row *row, const some_tests groups[2], int tables, size_t n_features,
                           uint8_t exits[HB_ROW_TREES])
{
    const rank_tables table = take_tables(row->ranks);
    const __m512i one = _mm512_set1_epi8(1);
    size_t both = groups[0].n < groups[1].n ? groups[0].n : groups[1].n, i = 0;
    open_leaves open[2] = {{_mm512_setzero_si512(), {0}}, {_mm512_setzero_si512(), {0}}};
    __m512i next = one;

    for (; i < both; i++, next = _mm512_add_epi8(next, one)) {
        take_test(row, &groups[0], i, next, &table, tables, n_features, &open[0]);
        take_test(row, &groups[1], i, next, &table, tables, n_features, &open[1]);
    }
#pragma GCC unroll 2
    for (size_t g = 0; g < 2; g++)
        for (; i < groups[g].n; i++, next = _mm512_add_epi8(next, one))
            take_test(row, &groups[g], i, next, &table, tables, n_features, &open[g]);
    _mm512_storeu_si512(exits, open[0].exit);
    _mm512_storeu_si512(exits + HB_ROW_LANES, open[1].exit);
}

static void find_groups(const hb_row_forest *forest, const hb_row *row, const some_tests groups[2],
                        uint8_t exits[HB_ROW_TREES])
{
    size_t n_features = forest->n_features;

    switch (tables_of(forest)) {
    case ONE_TABLE:
        if (n_features)
            find_exits(row, groups, ONE_TABLE, n_features, exits);
        else
            find_exits(row, groups, ONE_TABLE, 0, exits);
        break;
    case TWO_TABLES:
        find_exits(row, groups, TWO_TABLES, n_features, exits);
        break;
    default:
        find_exits(row, groups, FOUR_TABLES, n_features, exits);
    }
}

#else

static void find_exits(const hb_row_forest *forest, const hb_row *row, const some_tests *group,
                       uint8_t exits[HB_ROW_LANES])
{
    memset(exits, 0, HB_ROW_LANES);
    for (size_t i = 0; i < group->n; i++) {
        const hb_row_test *test = &group->tests[i];
        uint64_t sets = 0;

        for (size_t s = 0; s < forest->n_features; s++)
            sets |= row->sets[s][group->first + i];
        for (size_t t = 0; t < HB_ROW_LANES; t++) {
            bool right = row->ranks[test->entry[t]] > test->cut[t] || (sets >> t & 1);

            if (right && test->first[t] <= exits[t])
                exits[t] = (uint8_t)(i + 1);
        }
    }
}

static void find_groups(const hb_row_forest *forest, const hb_row *row, const some_tests groups[2],
                        uint8_t exits[HB_ROW_TREES])
{
    for (size_t g = 0; g < 2; g++)
        find_exits(forest, row, &groups[g], exits + g * HB_ROW_LANES);
}

#endif

static void find_in_tests(const hb_row_forest *forest, const hb_row *row, size_t first, size_t n, uint32_t *leaf)
{
    some_tests groups[2] = {{0}};
    uint8_t exits[HB_ROW_TREES];

    for (size_t g = 0; g * HB_ROW_LANES < n; g++)
        groups[g] = take_group(forest, first / HB_ROW_LANES + g);
    find_groups(forest, row, groups, exits);
    HB_INDEPENDENT
    for (size_t t = 0; t < n; t++)
        leaf[t] = forest->first_leaves[first + t] + exits[t];
}

#endif
