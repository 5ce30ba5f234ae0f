/* bits_leaves.h - the look-up of leaves, in each instruction set: from the bits of the leaves' numbers to bytes, and
 * from these to values that are added to the rows' sums. */
#ifndef HB_KERNEL_BITS_LEAVES_H
#define HB_KERNEL_BITS_LEAVES_H

#include <string.h>

#include "kernel/bits_order.h"
#include "kernel/bits_tables.h"

/* Bit b of the number of row r's leaf is bit r % 64 of [b][r / 64]. */
typedef uint64_t hb_leaf_bits[HB_BITS_INDEX][HB_BITS_WORDS] __attribute__((aligned(64)));

/* The numbers of a tree's leaves, those of 64 rows together: their lowest 8 bits, and of large trees the others. Which
 * rows these are: bits_order.h. */
typedef struct hb_leaf_numbers {
    uint8_t low[HB_BITS_WORDS][64] __attribute__((aligned(64)));
    uint8_t high[HB_BITS_WORDS][64] __attribute__((aligned(64)));
} hb_leaf_numbers;

/* ---- bits of 64 rows to a number each, of up to 8 bits: plane[b][word] has bit b */

#if HB_ISA_AVX512

HB_INLINE __m512i hb_word_numbers(const uint64_t *const *plane, size_t n, size_t word)
{
    __m512i number = n ? _mm512_maskz_set1_epi8(plane[0][word], 1) : _mm512_setzero_si512();

#pragma GCC unroll 8
    for (size_t b = 1; b < n; b++)
        number = _mm512_mask_add_epi8(number, plane[b][word], number, _mm512_set1_epi8((char)(1 << b)));
    return number;
}

HB_INLINE void hb_number_word(const uint64_t *const *plane, size_t n, size_t word, uint8_t *to)
{
    _mm512_storeu_si512(to, hb_word_numbers(plane, n, word));
}

#elif HB_ISA_AVX2

HB_INLINE void hb_number_word(const uint64_t *const *plane, size_t n, size_t word, uint8_t *to)
{
    const __m256i spread = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i one_of_8 = _mm256_set1_epi64x((long long)0x8040201008040201);

    for (size_t half = 0; half < 2; half++) {
        __m256i number = _mm256_setzero_si256();

        for (size_t b = 0; b < n; b++) {
            __m256i rows = _mm256_set1_epi32((int)(uint32_t)(plane[b][word] >> 32 * half));
            __m256i mine = _mm256_and_si256(_mm256_shuffle_epi8(rows, spread), one_of_8);
            __m256i is = _mm256_cmpeq_epi8(mine, one_of_8);

            number = _mm256_or_si256(number, _mm256_and_si256(is, _mm256_set1_epi8((char)(1 << b))));
        }
        _mm256_storeu_si256((__m256i *)(void *)(to + 32 * half), number);
    }
}

#else

/* Eight rows at a time: a bit to each byte. */
HB_INLINE void hb_number_word(const uint64_t *const *plane, size_t n, size_t word, uint8_t *to)
{
    const uint64_t ones = 0x0101010101010101, one_of_8 = 0x8040201008040201;

    for (size_t g = 0; g < 8; g++) {
        uint64_t number = 0;

        for (size_t b = 0; b < n; b++) {
            uint64_t mine = (plane[b][word] >> 8 * g & 0xff) * ones & one_of_8;

            number |= ((mine + 0x7f7f7f7f7f7f7f7f) >> 7 & ones) << b;
        }
        for (size_t k = 0; k < 8; k++)
            to[8 * g + k] = (uint8_t)(number >> 8 * k);
    }
}

#endif

#if HB_HAS_TABLES

/* All 512 rows: a matrix of bits, of eight rows and eight planes, is a word of bytes, planes last to first. */
HB_INLINE void hb_number_block(const uint64_t *const *plane, size_t n, uint8_t to[HB_BITS_WORDS][64])
{
    const __m512i one_of_8 = _mm512_set1_epi64((long long)0x8040201008040201);
    __m512i b[8], w[8], d[8];

#pragma GCC unroll 8
    for (size_t k = 0; k < 8; k++)
        b[k] = 7 - k < n ? _mm512_loadu_si512(plane[7 - k]) : _mm512_setzero_si512();
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) {
        w[k] = _mm512_unpacklo_epi8(b[2 * k], b[2 * k + 1]);
        w[4 + k] = _mm512_unpackhi_epi8(b[2 * k], b[2 * k + 1]);
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) { /* k = half * 2 + low or high words */
        d[k / 2 * 4 + k % 2] = _mm512_unpacklo_epi16(w[2 * k], w[2 * k + 1]);
        d[k / 2 * 4 + k % 2 + 2] = _mm512_unpackhi_epi16(w[2 * k], w[2 * k + 1]);
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++) {
        __m512i low = _mm512_unpacklo_epi32(d[2 * k], d[2 * k + 1]);
        __m512i high = _mm512_unpackhi_epi32(d[2 * k], d[2 * k + 1]);

        _mm512_storeu_si512(to[2 * k], _mm512_gf2p8affine_epi64_epi8(one_of_8, low, 0));
        _mm512_storeu_si512(to[2 * k + 1], _mm512_gf2p8affine_epi64_epi8(one_of_8, high, 0));
    }
}

#else

HB_INLINE void hb_number_block(const uint64_t *const *plane, size_t n, uint8_t to[HB_BITS_WORDS][64])
{
    for (size_t w = 0; w < HB_BITS_WORDS; w++)
        hb_number_word(plane, n, w, to[w]);
}

#endif

/* `n` is a constant in most of the calls. */
HB_INLINE void hb_number_leaves(const uint64_t *const *plane, size_t n, size_t words, uint8_t to[HB_BITS_WORDS][64])
{
    if (words == HB_BITS_WORDS) {
        hb_number_block(plane, n, to);
        return;
    }
    for (size_t w = 0; w < words; w++)
        hb_number_word(plane, n, w, to[w]);
}

#if HB_ISA_AVX2
/* As _mm_loadu_si32, which GCC has from 11 on and translates wrongly before 11.3 (its bug 99754). */
HB_INLINE __m128i hb_load_4_bytes(const uint8_t *from)
{
    int32_t bytes;

    memcpy(&bytes, from, sizeof(bytes));
    return _mm_cvtsi32_si128(bytes);
}
#endif

/* ---- values by their numbers, where they cannot be looked up in registers, or there are more than 256 */

#if HB_ISA_AVX512
#define HB_SUM_LANES32       16
#define HB_TAKE32(table, at) _mm512_i32gather_ps(at, table, 4)
#define HB_NUMBERS32(low, high)                                                      \
    _mm512_or_si512(                                                                 \
        _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(low))), \
        _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(high))), 8))
#define HB_ADD32(sums, taken) _mm512_storeu_ps(sums, _mm512_add_ps(_mm512_loadu_ps(sums), taken))
#define HB_SUM_LANES64        8
#define HB_TAKE64(table, at)  _mm512_i32gather_pd(at, table, 8)
#define HB_NUMBERS64(low, high)                                                      \
    _mm256_or_si256(                                                                 \
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(low))), \
        _mm256_slli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(high))), 8))
#define HB_ADD64(sums, taken) _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), taken))
#elif HB_ISA_AVX2
#define HB_SUM_LANES32       8
#define HB_TAKE32(table, at) _mm256_i32gather_ps(table, at, 4)
#define HB_NUMBERS32(low, high)                                                      \
    _mm256_or_si256(                                                                 \
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(low))), \
        _mm256_slli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(high))), 8))
#define HB_ADD32(sums, taken) _mm256_storeu_ps(sums, _mm256_add_ps(_mm256_loadu_ps(sums), taken))
#define HB_SUM_LANES64        4
#define HB_TAKE64(table, at)  _mm256_i32gather_pd(table, at, 8)
#define HB_NUMBERS64(low, high) \
    _mm_or_si128(_mm_cvtepu8_epi32(hb_load_4_bytes(low)), _mm_slli_epi32(_mm_cvtepu8_epi32(hb_load_4_bytes(high)), 8))
#define HB_ADD64(sums, taken) _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), taken))
#else
#define HB_SUM_LANES32          1
#define HB_TAKE32(table, at)    (table)[at]
#define HB_NUMBERS32(low, high) ((size_t) * (low) | (size_t) * (high) << 8)
#define HB_ADD32(sums, taken)   (*(sums) += (taken))
#define HB_SUM_LANES64          1
#define HB_TAKE64(table, at)    (table)[at]
#define HB_NUMBERS64(low, high) HB_NUMBERS32(low, high)
#define HB_ADD64(sums, taken)   (*(sums) += (taken))
#endif

/* Lanes are of one piece. */
#define HB_BY_NUMBER(size, type)                                                      \
    static const uint8_t none[64];                                                    \
                                                                                      \
    for (size_t s = 0; s < words; s++) {                                              \
        const uint8_t *low = number[s], *high = bits > 8 ? upper[s] : none;           \
        type *at = sums + hb_set_first(s, words);                                     \
                                                                                      \
        for (size_t r = 0; r < 64; r += HB_SUM_LANES##size)                           \
            HB_ADD##size(at + r / 16 * hb_set_step(words) + r % 16,                   \
                         HB_TAKE##size(leaves, HB_NUMBERS##size(low + r, high + r))); \
    }

HB_INLINE void hb_add_numbers32(const float *leaves, size_t bits, const uint8_t (*number)[64],
                                const uint8_t (*upper)[64], size_t words, float *sums){HB_BY_NUMBER(32, float)}

HB_INLINE void hb_add_numbers64(const double *leaves, size_t bits, const uint8_t (*number)[64],
                                const uint8_t (*upper)[64], size_t words, double *sums)
{
    HB_BY_NUMBER(64, double)
}

/* ---- a tree's leaves to the sums of 64 * words rows; `upper` are the numbers' bits from the eighth on */

#define HB_ADD_LEAVES(size)                                             \
    if (!HB_HAS_TABLES || bits > 8)                                     \
        hb_add_numbers##size(leaves, bits, number, upper, words, sums); \
    else                                                                \
        HB_ADD_TABLE(size)

static void hb_add_leaves32(const float *leaves, size_t bits, const uint8_t (*number)[64], const uint8_t (*upper)[64],
                            size_t words, float *sums)
{
    HB_ADD_LEAVES(32)
}

static void hb_add_leaves64(const double *leaves, size_t bits, const uint8_t (*number)[64], const uint8_t (*upper)[64],
                            size_t words, double *sums)
{
    HB_ADD_LEAVES(64)
}

#endif
