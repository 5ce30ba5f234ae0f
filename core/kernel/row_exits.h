/* row_exits.h - see row_kernel.h: leaves by all tests of many trees. Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_EXITS_H
#define HB_KERNEL_ROW_EXITS_H

#include "kernel/gather.h"
#include "kernel/row_kernel.h"

/* Those of one group. */
typedef struct some_tests {
    const hb_row_test *tests;
    size_t n;
    const uint64_t *sets[HB_ROW_FEATURES]; /* of each feature of sets: the words of the row's category */
} some_tests;

static void take_group(const hb_row_forest *forest, const hb_row *row, size_t g, some_tests *group)
{
    size_t first = forest->groups[g];

    group->tests = forest->tests + first;
    group->n = forest->groups[g + 1] - first;
    for (size_t s = 0; s < forest->n_features; s++)
        group->sets[s] = forest->set_words + forest->features[s].words + row->category[s] * forest->n_tests + first;
}

/* The trees that test i sends to the right by their sets. */
static inline uint64_t by_sets(const some_tests *group, size_t n_features, size_t i)
{
    uint64_t right = 0;

    for (size_t s = 0; s < n_features; s++)
        right |= group->sets[s][i];
    return right;
}

#ifdef __AVX512VBMI__

#define EXITS_INLINE static inline __attribute__((always_inline))

enum { ONE_TABLE, TWO_TABLES, FOUR_TABLES };

EXITS_INLINE __m512i ranks_of(const __m512i *table, int tables, __m512i entry)
{
    __m512i low;

    if (tables == ONE_TABLE)
        return _mm512_permutexvar_epi8(entry, table[0]);
    low = _mm512_permutex2var_epi8(table[0], entry, table[1]);
    if (tables == TWO_TABLES)
        return low;
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(entry),
                                _mm512_permutex2var_epi8(table[2], entry, table[3]));
}

/* The exits so far, with test i of the group. */
EXITS_INLINE __m512i take_test(__m512i exit, const some_tests *group, size_t i, const __m512i *table, int tables,
                               size_t n_features)
{
    const hb_row_test *test = &group->tests[i];
    __m512i rank = ranks_of(table, tables, _mm512_loadu_si512(test->entry));
    __mmask64 right = _mm512_cmpgt_epu8_mask(rank, _mm512_loadu_si512(test->cut));

    if (n_features)
        right |= by_sets(group, n_features, i);
    right = _mm512_mask_cmple_epu8_mask(right, _mm512_loadu_si512(test->first), exit);
    return _mm512_mask_mov_epi8(exit, right, _mm512_set1_epi8((char)(i + 1)));
}

/* Two groups abreast, as one would wait for its last test. */
EXITS_INLINE void find_exits(const some_tests groups[2], const uint8_t *ranks, int tables, size_t n_features,
                             uint8_t exits[HB_ROW_TREES])
{
    const __m512i table[4] = {_mm512_loadu_si512(ranks), _mm512_loadu_si512(ranks + 64),
                              _mm512_loadu_si512(ranks + 128), _mm512_loadu_si512(ranks + 192)};
    size_t both = groups[0].n < groups[1].n ? groups[0].n : groups[1].n;
    __m512i a = _mm512_setzero_si512(), b = a;

    for (size_t i = 0; i < both; i++) {
        a = take_test(a, &groups[0], i, table, tables, n_features);
        b = take_test(b, &groups[1], i, table, tables, n_features);
    }
    for (size_t i = both; i < groups[0].n; i++)
        a = take_test(a, &groups[0], i, table, tables, n_features);
    for (size_t i = both; i < groups[1].n; i++)
        b = take_test(b, &groups[1], i, table, tables, n_features);
    _mm512_storeu_si512(exits, a);
    _mm512_storeu_si512(exits + HB_ROW_LANES, b);
}

static void find_groups(const hb_row_forest *forest, const hb_row *row, const some_tests groups[2],
                        uint8_t exits[HB_ROW_TREES])
{
    if (forest->n_entries > 128)
        find_exits(groups, row->ranks, FOUR_TABLES, forest->n_features, exits);
    else if (forest->n_entries > 64)
        find_exits(groups, row->ranks, TWO_TABLES, forest->n_features, exits);
    else if (forest->n_features)
        find_exits(groups, row->ranks, ONE_TABLE, forest->n_features, exits);
    else
        find_exits(groups, row->ranks, ONE_TABLE, 0, exits);
}

#else

static void find_exits(const hb_row_forest *forest, const hb_row *row, const some_tests *group,
                       uint8_t exits[HB_ROW_LANES])
{
    memset(exits, 0, HB_ROW_LANES);
    for (size_t i = 0; i < group->n; i++) {
        const hb_row_test *test = &group->tests[i];
        uint64_t sets = by_sets(group, forest->n_features, i);

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
    some_tests groups[2];
    uint8_t exits[HB_ROW_TREES];

    groups[0].n = groups[1].n = 0;
    for (size_t g = 0; g * HB_ROW_LANES < n; g++)
        take_group(forest, row, first / HB_ROW_LANES + g, &groups[g]);
    find_groups(forest, row, groups, exits);
    for (size_t t = 0; t < n; t++)
        leaf[t] = forest->first_leaves[first + t] + exits[t];
}

#endif
