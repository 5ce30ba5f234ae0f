/* gather.h - walks in the lanes of registers: HB_WALKS numbers of 32 bits, taken from anywhere in memory. Private to
 * the kernels that walk trees; isas without gathers have none of it.
 *
 * Indices are signed and count ints (4 bytes) or doubles: what is indexed must be below 2^31 of them. */
#ifndef HB_KERNEL_GATHER_H
#define HB_KERNEL_GATHER_H

#include <string.h>

#include "kernel/forest_kernel.h"
#include "kernel/kernels.h"

#if HB_ISA_AVX2
#define HB_GATHERS 1

#if HB_ISA_AVX512

enum { HB_WALKS = 16 };
typedef __m512i hb_walks;
typedef __m512 hb_walk_floats;
typedef struct hb_walk_doubles {
    __m512d low, high;
} hb_walk_doubles;

static inline hb_walks hb_walks_load(const uint32_t from[HB_WALKS])
{
    return _mm512_loadu_si512(from);
}

static inline void hb_walks_store(uint32_t to[HB_WALKS], hb_walks walks)
{
    _mm512_storeu_si512(to, walks);
}

static inline bool hb_walks_differ(hb_walks a, hb_walks b)
{
    return _mm512_cmpneq_epi32_mask(a, b) != 0;
}

static inline hb_walks hb_walks_shift(hb_walks walks, uint32_t bits)
{
    return _mm512_sll_epi32(walks, _mm_cvtsi32_si128((int)bits));
}

static inline hb_walks hb_walks_take(const void *ints, hb_walks index)
{
    return _mm512_i32gather_epi32(index, ints, 4);
}

static inline hb_walk_floats hb_walks_floats(const float *from, hb_walks index)
{
    return _mm512_i32gather_ps(index, from, 4);
}

static inline hb_walk_doubles hb_walks_doubles(const double *from, hb_walks index)
{
    return (hb_walk_doubles){_mm512_i32gather_pd(_mm512_castsi512_si256(index), from, 8),
                             _mm512_i32gather_pd(_mm512_extracti64x4_epi64(index, 1), from, 8)};
}

static inline hb_walks hb_walks_all(uint32_t number)
{
    return _mm512_set1_epi32((int)number);
}

static inline hb_walks hb_walks_add(hb_walks a, hb_walks b)
{
    return _mm512_add_epi32(a, b);
}

static inline hb_walks hb_walks_and(hb_walks a, hb_walks b)
{
    return _mm512_and_si512(a, b);
}

/* Two ints that stand side by side. */
static inline void hb_walks_pairs(const void *ints, hb_walks index, hb_walks *first, hb_walks *second)
{
    const hb_walks even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const hb_walks odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    __m512i low = _mm512_i32gather_epi64(_mm512_castsi512_si256(index), ints, 4);
    __m512i high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(index, 1), ints, 4);

    *first = _mm512_permutex2var_epi32(low, even, high);
    *second = _mm512_permutex2var_epi32(low, odd, high);
}

/* The next node of each walk, as hb_next_node32 finds it without category sets. */
static inline hb_walks hb_walks_next32(hb_walk_floats v, hb_walks threshold, hb_walks left, hb_walks test)
{
    __mmask16 right = _mm512_cmp_ps_mask(v, _mm512_castsi512_ps(threshold), _CMP_GE_OQ);
    __mmask16 missing = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);

    right |= missing & _mm512_test_epi32_mask(test, _mm512_set1_epi32(HB_TEST_DEFAULT_RIGHT));
    right &= _mm512_movepi32_mask(test);
    return _mm512_mask_add_epi32(left, right, left, _mm512_set1_epi32(1));
}

static inline __mmask16 hb_two_masks(__mmask8 low, __mmask8 high)
{
    return (__mmask16)(low | high << 8);
}

/* As hb_next_node64 without sets. */
static inline hb_walks hb_walks_next64(hb_walk_doubles v, hb_walk_doubles threshold, hb_walks left, hb_walks test)
{
    const __m512d zero = _mm512_setzero_pd();
    __mmask8 low_nan = _mm512_cmp_pd_mask(v.low, v.low, _CMP_UNORD_Q);
    __mmask8 high_nan = _mm512_cmp_pd_mask(v.high, v.high, _CMP_UNORD_Q);
    __m512d low = _mm512_mask_mov_pd(v.low, low_nan, zero);
    __m512d high = _mm512_mask_mov_pd(v.high, high_nan, zero);
    __mmask16 right = hb_two_masks(_mm512_cmp_pd_mask(low, threshold.low, _CMP_GT_OQ),
                                   _mm512_cmp_pd_mask(high, threshold.high, _CMP_GT_OQ));
    __mmask16 is_zero =
        hb_two_masks(_mm512_cmp_pd_mask(low, zero, _CMP_EQ_OQ), _mm512_cmp_pd_mask(high, zero, _CMP_EQ_OQ));
    __mmask16 missing =
        (hb_two_masks(low_nan, high_nan) & _mm512_test_epi32_mask(test, _mm512_set1_epi32(HB_TEST_NAN_MISSING))) |
        (is_zero & _mm512_test_epi32_mask(test, _mm512_set1_epi32(HB_TEST_ZERO_MISSING)));
    __mmask16 by_default = _mm512_test_epi32_mask(test, _mm512_set1_epi32(HB_TEST_DEFAULT_RIGHT));

    right = (right & ~missing) | (missing & by_default);
    right &= _mm512_movepi32_mask(test);
    return _mm512_mask_add_epi32(left, right, left, _mm512_set1_epi32(1));
}

#else

enum { HB_WALKS = 8 };
typedef __m256i hb_walks;
typedef __m256 hb_walk_floats;
typedef struct hb_walk_doubles {
    __m256d low, high;
} hb_walk_doubles;

static inline hb_walks hb_walks_load(const uint32_t from[HB_WALKS])
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

static inline void hb_walks_store(uint32_t to[HB_WALKS], hb_walks walks)
{
    _mm256_storeu_si256((__m256i *)(void *)to, walks);
}

static inline bool hb_walks_differ(hb_walks a, hb_walks b)
{
    __m256i difference = _mm256_xor_si256(a, b);

    return !_mm256_testz_si256(difference, difference);
}

static inline hb_walks hb_walks_shift(hb_walks walks, uint32_t bits)
{
    return _mm256_sll_epi32(walks, _mm_cvtsi32_si128((int)bits));
}

static inline hb_walks hb_walks_take(const void *ints, hb_walks index)
{
    return _mm256_i32gather_epi32(ints, index, 4);
}

static inline hb_walk_floats hb_walks_floats(const float *from, hb_walks index)
{
    return _mm256_i32gather_ps(from, index, 4);
}

static inline hb_walk_doubles hb_walks_doubles(const double *from, hb_walks index)
{
    return (hb_walk_doubles){_mm256_i32gather_pd(from, _mm256_castsi256_si128(index), 8),
                             _mm256_i32gather_pd(from, _mm256_extracti128_si256(index, 1), 8)};
}

static inline hb_walks hb_walks_all(uint32_t number)
{
    return _mm256_set1_epi32((int)number);
}

static inline hb_walks hb_walks_add(hb_walks a, hb_walks b)
{
    return _mm256_add_epi32(a, b);
}

static inline hb_walks hb_walks_and(hb_walks a, hb_walks b)
{
    return _mm256_and_si256(a, b);
}

/* The even or the odd ints of both, in their order. */
static inline __m256i hb_evens(__m256i low, __m256i high)
{
    __m256 mixed = _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88);

    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

static inline __m256i hb_odds(__m256i low, __m256i high)
{
    __m256 mixed = _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0xdd);

    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

static inline void hb_walks_pairs(const void *ints, hb_walks index, hb_walks *first, hb_walks *second)
{
    __m256i low = _mm256_i32gather_epi64(ints, _mm256_castsi256_si128(index), 4);
    __m256i high = _mm256_i32gather_epi64(ints, _mm256_extracti128_si256(index, 1), 4);

    *first = hb_evens(low, high);
    *second = hb_odds(low, high);
}

/* -1 in the lanes where `flag` is set. */
static inline __m256i hb_has(hb_walks test, uint32_t flag)
{
    __m256i bit = _mm256_set1_epi32((int)flag);

    return _mm256_cmpeq_epi32(_mm256_and_si256(test, bit), bit);
}

static inline hb_walks hb_walks_next32(hb_walk_floats v, hb_walks threshold, hb_walks left, hb_walks test)
{
    __m256i right = _mm256_castps_si256(_mm256_cmp_ps(v, _mm256_castsi256_ps(threshold), _CMP_GE_OQ));
    __m256i missing = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));

    right = _mm256_or_si256(right, _mm256_and_si256(missing, hb_has(test, HB_TEST_DEFAULT_RIGHT)));
    return _mm256_sub_epi32(left, _mm256_and_si256(right, hb_has(test, HB_TEST_INNER)));
}

/* Masks of doubles as masks of ints. */
static inline __m256i hb_two_masks(__m256d low, __m256d high)
{
    return hb_evens(_mm256_castpd_si256(low), _mm256_castpd_si256(high));
}

static inline hb_walks hb_walks_next64(hb_walk_doubles v, hb_walk_doubles threshold, hb_walks left, hb_walks test)
{
    const __m256d zero = _mm256_setzero_pd();
    __m256d low_nan = _mm256_cmp_pd(v.low, v.low, _CMP_UNORD_Q);
    __m256d high_nan = _mm256_cmp_pd(v.high, v.high, _CMP_UNORD_Q);
    __m256d low = _mm256_andnot_pd(low_nan, v.low), high = _mm256_andnot_pd(high_nan, v.high);
    __m256i right =
        hb_two_masks(_mm256_cmp_pd(low, threshold.low, _CMP_GT_OQ), _mm256_cmp_pd(high, threshold.high, _CMP_GT_OQ));
    __m256i is_zero = hb_two_masks(_mm256_cmp_pd(low, zero, _CMP_EQ_OQ), _mm256_cmp_pd(high, zero, _CMP_EQ_OQ));
    __m256i missing =
        _mm256_or_si256(_mm256_and_si256(hb_two_masks(low_nan, high_nan), hb_has(test, HB_TEST_NAN_MISSING)),
                        _mm256_and_si256(is_zero, hb_has(test, HB_TEST_ZERO_MISSING)));

    right = _mm256_blendv_epi8(right, hb_has(test, HB_TEST_DEFAULT_RIGHT), missing);
    return _mm256_sub_epi32(left, _mm256_and_si256(right, hb_has(test, HB_TEST_INNER)));
}

#endif

static inline hb_walks hb_walks_shift_right(hb_walks walks, int bits)
{
#if HB_ISA_AVX512
    return _mm512_srli_epi32(walks, (unsigned)bits);
#else
    return _mm256_srli_epi32(walks, bits);
#endif
}

/* ---- rows in lanes */

enum { HB_GROUPS = 4, HB_ABREAST = HB_GROUPS * HB_WALKS }; /* registers of walks in flight */

/* Rows [0, n) of a tile in some registers, the last one in the lanes behind them. */
static inline void hb_walks_rows_of(size_t n, hb_walks *row, size_t registers)
{
    uint32_t rows[HB_ABREAST];

    for (uint32_t k = 0; k < registers * HB_WALKS; k++)
        rows[k] = k < n ? k : (uint32_t)n - 1;
    for (size_t g = 0; g < registers; g++)
        row[g] = hb_walks_load(rows + g * HB_WALKS);
}

static inline void hb_walks_rows(size_t n, hb_walks row[HB_GROUPS])
{
    hb_walks_rows_of(n, row, HB_GROUPS);
}

/* Whether indices fit: of nodes of `ints` each, and of columns. The stride is a power of two; *bits is its logarithm.
 */
static inline bool hb_walks_fit(size_t n_nodes, size_t ints, size_t n_features, size_t stride, uint32_t *bits)
{
    const size_t most = (size_t)1 << 31;

    *bits = 0;
    while ((size_t)1 << *bits < stride)
        ++*bits;
    return (size_t)1 << *bits == stride && n_nodes < most / ints && n_features < most / stride;
}

#else
#define HB_GATHERS 0
#endif

#endif
