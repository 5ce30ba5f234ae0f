/* row_exits_vbmi.h - see row_exits.h: where bytes can be permuted among all ranks. A group is one register. */
#ifndef HB_KERNEL_ROW_EXITS_VBMI_H
#define HB_KERNEL_ROW_EXITS_VBMI_H

#include "kernel/row_exits_groups.h"

enum { SET_WORDS = 8 }; /* that are taken together */

/* From test i of the group on: those that the next tests send right by their sets. */
HB_INLINE void take_set_words(const hb_row *row, const some_tests *group, size_t n_features, size_t i,
                              __mmask64 by_sets[SET_WORDS])
{
    __m512i right = _mm512_loadu_si512(row->sets[0] + group->first + i);

    for (size_t s = 1; s < n_features; s++)
        right = _mm512_or_si512(right, _mm512_loadu_si512(row->sets[s] + group->first + i));
    _mm512_storeu_si512(by_sets, right);
}

/* The first leaves that are open behind tests k and k + 1, for `exit` those behind k - 1, where `right` are those that
 * they send right, and `next` is k + 1. The tests move the open leaf if it is not before the first leaf of one that
 * sends the row right, behind the second if that does, else behind the first: the second's first leaf is at k + 1 or
 * before it, so that what the first moves the second moves on. All but the last comparison waits for no test before. */
HB_INLINE __m512i pass_tests(const hb_row_test tests[2], const __mmask64 right[2], __m512i next, __m512i exit)
{
    const __m512i none = _mm512_set1_epi8(-1);
    __m512i first = _mm512_mask_mov_epi8(none, right[0], _mm512_loadu_si512(tests[0].first));
    __m512i least = _mm512_mask_min_epu8(first, right[1], first, _mm512_loadu_si512(tests[1].first));
    __m512i behind = _mm512_mask_add_epi8(next, right[1], next, _mm512_set1_epi8(1));

    return _mm512_mask_mov_epi8(exit, _mm512_cmple_epu8_mask(least, exit), behind);
}

HB_INLINE __m512i find_exits(const hb_row *row, const some_tests *group, int tables, size_t n_features)
{
    const rank_tables table = take_tables(row->ranks);
    const __m512i two = _mm512_set1_epi8(2);
    __m512i exit = _mm512_setzero_si512(), next = _mm512_set1_epi8(1);
    __mmask64 by_sets[SET_WORDS];

    for (size_t i = 0; i < group->n; i += 2, next = _mm512_add_epi8(next, two)) {
        const hb_row_test *tests = &group->tests[i];
        __mmask64 right[2] = {right_of(&table, tables, tests[0].entry, tests[0].cut),
                              right_of(&table, tables, tests[1].entry, tests[1].cut)};

        if (n_features && i % SET_WORDS == 0)
            take_set_words(row, group, n_features, i, by_sets);
        for (size_t k = 0; n_features && k < 2; k++)
            right[k] = _kor_mask64(right[k], _load_mask64(&by_sets[i % SET_WORDS + k]));
        exit = pass_tests(tests, right, next, exit);
    }
    return exit;
}

static void pass_group(const hb_row_forest *forest, const hb_row *row, size_t tree, uint8_t exits[HB_ROW_LANES])
{
    const some_tests group = take_group(forest, tree);
    size_t n_features = forest->n_features;
    int tables = tables_of(forest);
    __m512i found;

    if (tables == ONE_TABLE && !n_features)
        found = find_exits(row, &group, ONE_TABLE, 0);
    else if (tables == ONE_TABLE)
        found = find_exits(row, &group, ONE_TABLE, n_features);
    else if (tables == TWO_TABLES)
        found = find_exits(row, &group, TWO_TABLES, n_features);
    else
        found = find_exits(row, &group, FOUR_TABLES, n_features);
    _mm512_storeu_si512(exits, found);
}

#endif
