/* row_small_vbmi.h - see row_small.h: where bytes can be permuted among all ranks. 16 chunks go through the first step
 * side by side. */
#ifndef HB_KERNEL_ROW_SMALL_VBMI_H
#define HB_KERNEL_ROW_SMALL_VBMI_H

#include "kernel/row_small.h"

enum { IN_A_REGISTER = HB_ROW_ABREAST, MOST_REGISTERS = FEW / IN_A_REGISTER };

/* The row's numbers in float32, rounded down. */
typedef struct few_numbers {
    __m512 part[MOST_REGISTERS]; /* by columns */
    uint64_t missing;            /* a bit a column */
    bool rounded;                /* some were */
} few_numbers;

/* What is searched in each chunk; `sixteen` are the thresholds that are left. */
typedef struct few_searches {
    float number[FEW];
    uint32_t sixteen[FEW]; /* into the forest's cuts */
    uint8_t rank[FEW];     /* of the first of them */
} few_searches;

/* Bits of those of a register's lanes from column c on that are columns. */
static inline uint32_t lanes_from(size_t c, size_t n_columns)
{
    size_t n = n_columns > c ? n_columns - c : 0;

    return (1u << (n < IN_A_REGISTER ? n : IN_A_REGISTER)) - 1;
}

ROW_INLINE void take_few32(const float *x, size_t n_columns, size_t registers, few_numbers *to)
{
    to->missing = 0;
    to->rounded = false;
#pragma GCC unroll 4
    for (size_t p = 0; p < registers; p++) {
        size_t c = p * IN_A_REGISTER;

        to->part[p] = _mm512_maskz_loadu_ps((__mmask16)lanes_from(c, n_columns), x + c);
        to->missing |= (uint64_t)_mm512_cmp_ps_mask(to->part[p], to->part[p], _CMP_UNORD_Q) << c;
    }
}

/* Eight of them; true where one was rounded. */
ROW_INLINE bool round_eight(const double *x, uint32_t lanes, __m256 *to)
{
    __m512d exact = _mm512_maskz_loadu_pd((__mmask8)lanes, x);

    *to = _mm512_cvt_roundpd_ps(exact, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    return _mm512_cmp_pd_mask(_mm512_cvtps_pd(*to), exact, _CMP_NEQ_OQ) != 0;
}

ROW_INLINE void take_few64(const double *x, size_t n_columns, size_t registers, few_numbers *to)
{
    to->missing = 0;
    to->rounded = false;
#pragma GCC unroll 4
    for (size_t p = 0; p < registers; p++) {
        size_t c = p * IN_A_REGISTER;
        uint32_t lanes = lanes_from(c, n_columns);
        __m256 low, high;

        to->rounded |= round_eight(x + c, lanes, &low);
        to->rounded |= round_eight(x + c + 8, lanes >> 8, &high);
        to->part[p] = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
        to->missing |= (uint64_t)_mm512_cmp_ps_mask(to->part[p], to->part[p], _CMP_UNORD_Q) << c;
    }
}

/* Those of 16 columns. */
ROW_INLINE __m512 numbers_at(const few_numbers *x, size_t registers, __m512i column)
{
    __m512 low = _mm512_permutex2var_ps(x->part[0], column, x->part[1]), high;

    if (registers == 2)
        return low;
    high = _mm512_permutex2var_ps(x->part[2], column, x->part[3]);
    return _mm512_mask_mov_ps(low, _mm512_test_epi32_mask(column, _mm512_set1_epi32(2 * IN_A_REGISTER)), high);
}

/* ---- the ranks */

/* Bits of the numbers, of 16, that x is above or, for NOT_BELOW, not below. */
ROW_INLINE __mmask16 above(__m512 x, __m512 numbers, search_how how)
{
    return how == NOT_BELOW ? _mm512_cmp_ps_mask(x, numbers, _CMP_GE_OQ) : _mm512_cmp_ps_mask(x, numbers, _CMP_GT_OQ);
}

/* Of chunks c to c + 15. */
ROW_INLINE void find_sixteens(const hb_row_forest *forest, const few_numbers *x, size_t registers, size_t c,
                              search_how how, few_searches *to)
{
    const float *lasts = forest->lasts + c * forest->n_lasts;
    __m512 number = numbers_at(x, registers, _mm512_loadu_si512(forest->chunk_features + c));
    __m512i rank = _mm512_setzero_si512();

    for (size_t k = 0; k < forest->n_lasts; k++) {
        __mmask16 beyond = above(number, _mm512_loadu_ps(lasts + k * IN_A_REGISTER), how);

        rank = _mm512_mask_add_epi32(rank, beyond, rank, _mm512_set1_epi32(SIXTEEN));
    }
    _mm512_storeu_ps(to->number + c, number);
    _mm_storeu_si128((__m128i *)(void *)(to->rank + c), _mm512_cvtepi32_epi8(rank));
    rank = _mm512_add_epi32(rank, _mm512_set1_epi32(SIXTEEN)); /* behind the last ones */
    _mm512_storeu_si512(to->sixteen + c, _mm512_add_epi32(rank, _mm512_loadu_si512(forest->row_chunks + c)));
}

/* How many bits are set in each 16. */
ROW_INLINE __m512i count_bits(__m512i words)
{
    const __m512i low = _mm512_set1_epi8(15);
    const __m512i counts = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m512i of_low = _mm512_shuffle_epi8(counts, _mm512_and_si512(words, low));
    __m512i of_high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi16(words, 4), low));

    return _mm512_maddubs_epi16(_mm512_add_epi8(of_low, of_high), _mm512_set1_epi8(1));
}

/* Those that were found, and how many more thresholds each number is beyond: a bit of 16 is one. */
ROW_INLINE __m512i add_ranks(const few_searches *found, const uint16_t beyond[FEW], size_t n_chunks)
{
    __m512i more = _mm512_castsi256_si512(_mm512_cvtepi16_epi8(count_bits(_mm512_loadu_si512(beyond))));

    if (n_chunks > FEW / 2)
        more = _mm512_inserti64x4(more, _mm512_cvtepi16_epi8(count_bits(_mm512_loadu_si512(beyond + FEW / 2))), 1);
    return _mm512_add_epi8(_mm512_loadu_si512(found->rank), more);
}

/* Where a number that was rounded down is then a threshold, the rank is by what it was before. */
static __attribute__((noinline)) __m512i search_equal(const hb_row_forest *forest, const double *exact,
                                                      const few_searches *found, __m512i ranks)
{
    uint8_t rank[FEW];

    _mm512_storeu_si512(rank, ranks);
    for (size_t c = 0; c < forest->n_chunks; c++)
        if (COMPARE(found->number[c], forest->cuts + found->sixteen[c], _CMP_EQ_OQ))
            rank[c] = search_again(forest, &forest->chunks[c], exact[forest->chunk_features[c]]);
    return _mm512_loadu_si512(rank);
}

/* `exact`: the numbers before they were rounded, for ABOVE_OR_EQUAL. */
ROW_INLINE __m512i search_few(const hb_row_forest *forest, const few_numbers *x, size_t registers, search_how how,
                              const double *exact)
{
    uint16_t beyond[FEW];
    few_searches found;
    uint32_t equal = 0;
    __m512i ranks;

    for (size_t c = 0; c < forest->n_chunks; c += IN_A_REGISTER)
        find_sixteens(forest, x, registers, c, how, &found);
#pragma GCC unroll 8
    for (size_t c = 0; c < forest->n_chunks; c++) {
        __m512 number = _mm512_set1_ps(found.number[c]), cuts = _mm512_loadu_ps(forest->cuts + found.sixteen[c]);

        beyond[c] = above(number, cuts, how);
        if (how == ABOVE_OR_EQUAL)
            equal |= _mm512_cmp_ps_mask(number, cuts, _CMP_EQ_OQ);
    }
    ranks = add_ranks(&found, beyond, forest->n_chunks);
    return equal ? search_equal(forest, exact, &found, ranks) : ranks;
}

/* ---- the row */

static void spread_few(const hb_row_forest *forest, __m512i rank, uint64_t missing, uint8_t *ranks)
{
    __m512i none = _mm512_movm_epi8(missing);

    for (size_t e = 0; e < forest->n_entries; e += 64) {
        __m512i chunk = _mm512_loadu_si512(forest->entry_chunks + e);
        __m512i is = _mm512_permutexvar_epi8(_mm512_loadu_si512(forest->entry_columns + e), none);
        __m512i right = _mm512_and_si512(is, _mm512_loadu_si512(forest->entry_rights + e));

        _mm512_storeu_si512(ranks + e, _mm512_or_si512(_mm512_permutexvar_epi8(chunk, rank), right));
    }
}

ROW_INLINE void take_registers32(const hb_row_forest *forest, const float *x, size_t registers, hb_row *row)
{
    few_numbers numbers;

    take_few32(x, forest->n_columns, registers, &numbers);
    spread_few(forest, search_few(forest, &numbers, registers, NOT_BELOW, NULL), numbers.missing, row->ranks);
}

/* x is above a threshold if it is above what that is rounded down to. */
ROW_INLINE void take_registers64(const hb_row_forest *forest, const double *x, size_t registers, hb_row *row)
{
    few_numbers numbers;
    __m512i ranks;

    take_few64(x, forest->n_columns, registers, &numbers);
    ranks = numbers.rounded ? search_few(forest, &numbers, registers, ABOVE_OR_EQUAL, x)
                            : search_few(forest, &numbers, registers, ABOVE, NULL);
    spread_few(forest, ranks, numbers.missing, row->ranks);
}

static void take_small32(const hb_row_forest *forest, const float *x, size_t stride, hb_row *row)
{
    float room[FEW];

    x = side_by_side32(forest, x, stride, room);
    if (forest->n_columns <= FEW / 2)
        take_registers32(forest, x, 2, row);
    else
        take_registers32(forest, x, 4, row);
}

static void take_small64(const hb_row_forest *forest, const double *x, size_t stride, hb_row *row)
{
    double room[FEW];

    x = side_by_side64(forest, x, stride, room);
    if (forest->n_columns <= FEW / 2)
        take_registers64(forest, x, 2, row);
    else
        take_registers64(forest, x, 4, row);
}

#endif
