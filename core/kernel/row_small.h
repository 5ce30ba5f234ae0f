/* row_small.h - see row_kernel.h: the ranks of a row of up to 64 numbers in up to 64 chunks, where the CPU has AVX2.
 * Private to row_ranks.c.
 *
 * A rank is found in two steps: among the last of each 16 thresholds, and then among the 16 that end there. */
#ifndef HB_KERNEL_ROW_SMALL_H
#define HB_KERNEL_ROW_SMALL_H

#include "kernel/row_search.h"
#include "kernel/row_tables.h"

enum { FEW = HB_ROW_FEW };

static inline bool is_small(const hb_row_forest *forest)
{
    return forest->n_chunks <= FEW && forest->n_columns <= FEW && forest->n_entries <= LOOKED_UP;
}

/* The row's numbers side by side, where they are or in `room`. */
#define SIDE_BY_SIDE(room)                         \
    if (stride == 1)                               \
        return x;                                  \
    for (size_t c = 0; c < forest->n_columns; c++) \
        (room)[c] = x[c * stride];                 \
    return room;

static inline const float *side_by_side32(const hb_row_forest *forest, const float *x, size_t stride, float room[FEW])
{
    SIDE_BY_SIDE(room)
}

static inline const double *side_by_side64(const hb_row_forest *forest, const double *x, size_t stride,
                                           double room[FEW])
{
    SIDE_BY_SIDE(room)
}

/* The row's numbers in float32, rounded down. */
typedef struct few_numbers {
    const float *number; /* by columns */
    bool missing;        /* some are */
    bool rounded;        /* some were */
} few_numbers;

/* ---- the numbers: what is left behind the last register is taken with some of the numbers before it */

static inline few_numbers take_few32(const float *x, size_t n)
{
    __m256 missing = _mm256_setzero_ps();
    size_t c = 0;

    for (; n >= 8 && c < n; c += 8) {
        __m256 some = _mm256_loadu_ps(x + (c + 8 <= n ? c : n - 8));

        missing = _mm256_or_ps(missing, _mm256_cmp_ps(some, some, _CMP_UNORD_Q));
    }
    for (; c < n; c++)
        missing = _mm256_or_ps(missing, _mm256_cmp_ps(_mm256_set1_ps(x[c]), _mm256_set1_ps(x[c]), _CMP_UNORD_Q));
    return (few_numbers){x, !_mm256_testz_ps(missing, missing), false};
}

/* Whether some are missing, or were rounded, by the signs of their lanes. */
typedef struct seen {
    __m256d missing, rounded;
} seen;

/* As hb_round_down. */
static inline __m128 round_four(__m256d exact, seen *seen)
{
    __m128 nearest = _mm256_cvtpd_ps(exact);
    __m256d wide = _mm256_cvtps_pd(nearest), above = _mm256_cmp_pd(wide, exact, _CMP_GT_OQ);
    __m128 beyond = _mm_shuffle_ps(_mm_castpd_ps(_mm256_castpd256_pd128(above)),
                                   _mm_castpd_ps(_mm256_extractf128_pd(above, 1)), 0x88);
    __m128i bits = _mm_castps_si128(nearest);
    __m128i one = _mm_or_si128(_mm_srai_epi32(bits, 31), _mm_set1_epi32(1)); /* towards zero, or away from it */

    seen->missing = _mm256_or_pd(seen->missing, _mm256_cmp_pd(exact, exact, _CMP_UNORD_Q));
    seen->rounded = _mm256_or_pd(seen->rounded, _mm256_cmp_pd(wide, exact, _CMP_NEQ_OQ));
    return _mm_castsi128_ps(_mm_sub_epi32(bits, _mm_and_si128(one, _mm_castps_si128(beyond))));
}

static inline few_numbers take_few64(const double *x, size_t n, float number[FEW])
{
    seen seen = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    size_t c = 0;

    for (; n >= 4 && c < n; c += 4) {
        size_t at = c + 4 <= n ? c : n - 4;

        _mm_storeu_ps(number + at, round_four(_mm256_loadu_pd(x + at), &seen));
    }
    for (; c < n; c++)
        _mm_store_ss(number + c, round_four(_mm256_set1_pd(x[c]), &seen));
    return (few_numbers){number, _mm256_movemask_pd(seen.missing) != 0, _mm256_movemask_pd(seen.rounded) != 0};
}

/* ---- the ranks */

/* -1 in 16 bits for each of 16 numbers that x is above or, for NOT_BELOW, not below. */
HB_INLINE __m256i compare_sixteen(__m256 x, const float *numbers, search_how how)
{
    __m256 low = _mm256_loadu_ps(numbers), high = _mm256_loadu_ps(numbers + 8);

    if (how == NOT_BELOW)
        return _mm256_packs_epi32(_mm256_castps_si256(_mm256_cmp_ps(x, low, _CMP_GE_OQ)),
                                  _mm256_castps_si256(_mm256_cmp_ps(x, high, _CMP_GE_OQ)));
    return _mm256_packs_epi32(_mm256_castps_si256(_mm256_cmp_ps(x, low, _CMP_GT_OQ)),
                              _mm256_castps_si256(_mm256_cmp_ps(x, high, _CMP_GT_OQ)));
}

/* How many, twice. */
HB_INLINE size_t count_twice(__m256i sixteen)
{
    return (size_t)_mm_popcnt_u32((uint32_t)_mm256_movemask_epi8(sixteen));
}

HB_INLINE __m256 equal_eight(__m256 x, const float *numbers)
{
    return _mm256_cmp_ps(x, _mm256_loadu_ps(numbers), _CMP_EQ_OQ);
}

/* The rank of a number in each chunk; true where one is among the thresholds, if that is asked. */
HB_INLINE bool search_few(const hb_row_forest *forest, const float *number, search_how how, uint8_t rank[FEW])
{
    __m256 equal = _mm256_setzero_ps();

    for (size_t c = 0; c < forest->n_chunks; c++) {
        const float *cuts = forest->cuts + forest->row_chunks[c];
        __m256 x = _mm256_broadcast_ss(number + forest->chunk_features[c]);
        size_t sixteens = count_twice(compare_sixteen(x, cuts, how));

        cuts += SIXTEEN + sixteens * SIXTEEN / 2;
        rank[c] = (uint8_t)((sixteens * SIXTEEN + count_twice(compare_sixteen(x, cuts, how))) / 2);
        if (how == ABOVE_OR_EQUAL)
            equal = _mm256_or_ps(equal, _mm256_or_ps(equal_eight(x, cuts), equal_eight(x, cuts + 8)));
    }
    return _mm256_movemask_ps(equal) != 0;
}

/* Where a number that was rounded down is then a threshold, the rank is by what it was before. */
HB_NOINLINE void search_equal(const hb_row_forest *forest, const double *exact, const float *number, uint8_t rank[FEW])
{
    for (size_t c = 0; c < forest->n_chunks; c++) {
        size_t column = forest->chunk_features[c];

        if ((double)number[column] != exact[column])
            rank[c] = search_again(forest, &forest->chunks[c], exact[column]);
    }
}

/* ---- the row */

/* A number of each entry, by its chunk's; of 32 entries. */
#if HB_ISA_AVX512VBMI

HB_INLINE __m256i look_up(const uint8_t of_chunk[FEW], const uint8_t *chunks)
{
    __m512i entries = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)chunks));

    return _mm512_castsi512_si256(_mm512_permutexvar_epi8(entries, _mm512_loadu_si512(of_chunk)));
}

#else

HB_INLINE __m256i look_up(const uint8_t of_chunk[FEW], const uint8_t *chunks)
{
    const rank_tables table = take_tables(of_chunk);

    return ranks_of(&table, FOUR_TABLES, _mm256_loadu_si256((const __m256i *)(const void *)chunks));
}

#endif

HB_NOINLINE void spread_missing(const hb_row_forest *forest, const float *number, uint8_t *ranks)
{
    uint8_t missing[FEW];

    for (size_t c = 0; c < forest->n_chunks; c++) {
        float x = number[forest->chunk_features[c]];

        missing[c] = x != x ? 255 : 0;
    }
    for (size_t e = 0; e < forest->n_entries; e += 32) {
        __m256i *to = (__m256i *)(void *)(ranks + e);
        __m256i right = _mm256_loadu_si256((const __m256i *)(const void *)(forest->entry_rights + e));

        right = _mm256_and_si256(right, look_up(missing, forest->entry_chunks + e));
        _mm256_storeu_si256(to, _mm256_or_si256(_mm256_loadu_si256(to), right));
    }
}

static void spread_few(const hb_row_forest *forest, const few_numbers *numbers, const uint8_t rank[FEW], uint8_t *ranks)
{
    for (size_t e = 0; e < forest->n_entries; e += 32)
        _mm256_storeu_si256((__m256i *)(void *)(ranks + e), look_up(rank, forest->entry_chunks + e));
    if (numbers->missing)
        spread_missing(forest, numbers->number, ranks);
}

static void take_small32(const hb_row_forest *forest, const float *x, size_t stride, hb_row *row)
{
    float room[FEW];
    uint8_t rank[FEW];
    few_numbers numbers = take_few32(side_by_side32(forest, x, stride, room), forest->n_columns);

    search_few(forest, numbers.number, NOT_BELOW, rank);
    spread_few(forest, &numbers, rank, row->ranks);
}

/* x is above a threshold if it is above what that is rounded down to. */
static void take_small64(const hb_row_forest *forest, const double *x, size_t stride, hb_row *row)
{
    double room[FEW];
    float down[FEW];
    uint8_t rank[FEW];
    few_numbers numbers;

    x = side_by_side64(forest, x, stride, room);
    numbers = take_few64(x, forest->n_columns, down);
    if (!numbers.rounded)
        search_few(forest, numbers.number, ABOVE, rank);
    else if (search_few(forest, numbers.number, ABOVE_OR_EQUAL, rank))
        search_equal(forest, x, numbers.number, rank);
    spread_few(forest, &numbers, rank, row->ranks);
}

#endif
