/* row_exits_avx2.h - see row_exits.h: where bytes can be permuted among 16 only. A group is two registers. */
#ifndef HB_KERNEL_ROW_EXITS_AVX2_H
#define HB_KERNEL_ROW_EXITS_AVX2_H

#include "kernel/row_exits_groups.h"
#include "kernel/row_short.h"

/* As in row_exits_vbmi.h, for `left` those that the tests do not send right; `next` is k + 2. */
HB_INLINE __m256i pass_tests(const hb_row_test tests[2], size_t half, const __m256i left[2], __m256i next, __m256i exit)
{
    __m256i first = _mm256_or_si256(left[0], take_half(tests[0].first, half));
    __m256i least = _mm256_min_epu8(first, _mm256_or_si256(left[1], take_half(tests[1].first, half)));
    __m256i moves = _mm256_cmpeq_epi8(_mm256_min_epu8(least, exit), least);

    return _mm256_blendv_epi8(exit, _mm256_add_epi8(next, left[1]), moves);
}

HB_INLINE void find_exits(const hb_row *row, const some_tests *group, int tables, size_t n_features, __m256i exit[2])
{
    const rank_tables table = take_tables(row->ranks);
    const __m256i two = _mm256_set1_epi8(2);
    uint64_t by_sets[FOUR] = {0};
    __m256i next = two;

    exit[0] = exit[1] = _mm256_setzero_si256();
    for (size_t i = 0; i < group->n; i += 2, next = _mm256_add_epi8(next, two)) {
        const hb_row_test *tests = &group->tests[i];

        if (n_features && i % FOUR == 0)
            take_set_words(row, n_features, group->first + i, by_sets);
#pragma GCC unroll 2
        for (size_t half = 0; half < 2; half++) {
            __m256i left[2];

#pragma GCC unroll 2
            for (size_t k = 0; k < 2; k++) {
                left[k] = left_of(&table, tables, take_half(tests[k].entry, half), take_half(tests[k].cut, half));
                if (n_features)
                    left[k] = _mm256_and_si256(left[k], left_by_sets((uint32_t)(by_sets[i % FOUR + k] >> half * HALF)));
            }
            exit[half] = pass_tests(tests, half, left, next, exit[half]);
        }
    }
}

static void pass_group(const hb_row_forest *forest, const hb_row *row, size_t tree, uint8_t exits[HB_ROW_LANES])
{
    const some_tests group = take_group(forest, tree);
    int tables = tables_of(forest);
    __m256i found[2];

    if (forest->n_features && tables == FOUR_TABLES)
        find_exits(row, &group, FOUR_TABLES, forest->n_features, found);
    else if (forest->n_features)
        find_exits(row, &group, THREE_TABLES, forest->n_features, found);
    else if (tables == TWO_TABLES)
        find_exits(row, &group, TWO_TABLES, 0, found);
    else if (tables == THREE_TABLES)
        find_exits(row, &group, THREE_TABLES, 0, found);
    else
        find_exits(row, &group, FOUR_TABLES, 0, found);
    _mm256_storeu_si256((__m256i *)(void *)exits, found[0]);
    _mm256_storeu_si256((__m256i *)(void *)(exits + HALF), found[1]);
}

#endif
