/* bits_leaves.h - the look-up of leaves, in each instruction set: from the bits of the leaves' numbers to values
 * that are added to the rows' sums. */
#ifndef HB_KERNEL_BITS_LEAVES_H
#define HB_KERNEL_BITS_LEAVES_H

#include <string.h>

#include "kernel/bits_search.h"

/* Bit b of the number of row r's leaf is bit r % 64 of [b][r / 64]. */
typedef uint64_t hb_leaf_bits[HB_BITS_INDEX][HB_BITS_WORDS] __attribute__((aligned(64)));

/* ---- bits of 64 rows to a number each, of up to 8 bits */

#if HB_LANES == 8

HB_INLINE __m512i hb_leaf_bytes(const uint64_t (*bit)[HB_BITS_WORDS], size_t n)
{
    __m512i number = n ? _mm512_maskz_set1_epi8(bit[0][0], 1) : _mm512_setzero_si512();

#pragma GCC unroll 8
    for (size_t b = 1; b < n; b++)
        number = _mm512_mask_add_epi8(number, bit[b][0], number, _mm512_set1_epi8((char)(1 << b)));
    return number;
}

HB_INLINE void hb_leaf_numbers(const uint64_t (*bit)[HB_BITS_WORDS], size_t n, uint8_t *to)
{
    _mm512_storeu_si512(to, hb_leaf_bytes(bit, n));
}

#elif HB_LANES == 4

HB_INLINE void hb_leaf_numbers(const uint64_t (*bit)[HB_BITS_WORDS], size_t n, uint8_t *to)
{
    const __m256i spread = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202,
                                              0x0303030303030303);
    const __m256i one_of_8 = _mm256_set1_epi64x((long long)0x8040201008040201);

    for (size_t half = 0; half < 2; half++) {
        __m256i number = _mm256_setzero_si256();

        for (size_t b = 0; b < n; b++) {
            __m256i rows = _mm256_set1_epi32((int)(uint32_t)(bit[b][0] >> 32 * half));
            __m256i mine = _mm256_and_si256(_mm256_shuffle_epi8(rows, spread), one_of_8);
            __m256i is = _mm256_cmpeq_epi8(mine, one_of_8);

            number = _mm256_or_si256(number,
                                     _mm256_and_si256(is, _mm256_set1_epi8((char)(1 << b))));
        }
        _mm256_storeu_si256((__m256i *)(void *)(to + 32 * half), number);
    }
}

#else

/* Eight rows at a time: a bit to each byte. */
HB_INLINE void hb_leaf_numbers(const uint64_t (*bit)[HB_BITS_WORDS], size_t n, uint8_t *to)
{
    const uint64_t ones = 0x0101010101010101, one_of_8 = 0x8040201008040201;

    for (size_t g = 0; g < 8; g++) {
        uint64_t number = 0;

        for (size_t b = 0; b < n; b++) {
            uint64_t mine = (bit[b][0] >> 8 * g & 0xff) * ones & one_of_8;

            number |= ((mine + 0x7f7f7f7f7f7f7f7f) >> 7 & ones) << b;
        }
        for (size_t k = 0; k < 8; k++)
            to[8 * g + k] = (uint8_t)(number >> 8 * k);
    }
}

#endif

/* ---- values by their numbers, where bytes cannot be looked up in registers, or there are more than 256 */

#if HB_LANES == 8
#define HB_SUM_LANES32 16
#define HB_TAKE32(table, at) _mm512_i32gather_ps(at, table, 4)
#define HB_NUMBERS32(low, high)                                                             \
    _mm512_or_si512(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(low))), \
                    _mm512_slli_epi32(_mm512_cvtepu8_epi32(_mm_loadu_si128(                 \
                                          (const __m128i *)(const void *)(high))),          \
                                      8))
#define HB_ADD32(sums, taken) _mm512_storeu_ps(sums, _mm512_add_ps(_mm512_loadu_ps(sums), taken))
#define HB_SUM_LANES64 8
#define HB_TAKE64(table, at) _mm512_i32gather_pd(at, table, 8)
#define HB_NUMBERS64(low, high)                                                             \
    _mm256_or_si256(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(low))), \
                    _mm256_slli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64(                 \
                                          (const __m128i *)(const void *)(high))),          \
                                      8))
#define HB_ADD64(sums, taken) _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), taken))
#elif HB_LANES == 4
#define HB_SUM_LANES32 8
#define HB_TAKE32(table, at) _mm256_i32gather_ps(table, at, 4)
#define HB_NUMBERS32(low, high)                                                             \
    _mm256_or_si256(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(low))), \
                    _mm256_slli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64(                 \
                                          (const __m128i *)(const void *)(high))),          \
                                      8))
#define HB_ADD32(sums, taken) _mm256_storeu_ps(sums, _mm256_add_ps(_mm256_loadu_ps(sums), taken))
#define HB_SUM_LANES64 4
#define HB_TAKE64(table, at) _mm256_i32gather_pd(table, at, 8)
#define HB_NUMBERS64(low, high)                                                             \
    _mm_or_si128(_mm_cvtepu8_epi32(_mm_loadu_si32(low)),                                    \
                 _mm_slli_epi32(_mm_cvtepu8_epi32(_mm_loadu_si32(high)), 8))
#define HB_ADD64(sums, taken) _mm256_storeu_pd(sums, _mm256_add_pd(_mm256_loadu_pd(sums), taken))
#else
#define HB_SUM_LANES32 1
#define HB_TAKE32(table, at) (table)[at]
#define HB_NUMBERS32(low, high) ((size_t)*(low) | (size_t)*(high) << 8)
#define HB_ADD32(sums, taken) (*(sums) += (taken))
#define HB_SUM_LANES64 1
#define HB_TAKE64(table, at) (table)[at]
#define HB_NUMBERS64(low, high) HB_NUMBERS32(low, high)
#define HB_ADD64(sums, taken) (*(sums) += (taken))
#endif

/* ---- values by their bytes, looked up in registers; sums are in the order in which these come out */

#ifdef __AVX512VBMI__

/* Four blocks of 128 bits of each of four: rows to columns; the same once more undoes it. */
HB_INLINE void hb_transpose(__m512i v[4])
{
    __m512i a = _mm512_shuffle_i32x4(v[0], v[1], 0x44), b = _mm512_shuffle_i32x4(v[0], v[1], 0xee);
    __m512i c = _mm512_shuffle_i32x4(v[2], v[3], 0x44), d = _mm512_shuffle_i32x4(v[2], v[3], 0xee);

    v[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    v[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
    v[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    v[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
}

/* The sums of each 64 rows into the order in which unpacked bytes come out, or back. */
HB_INLINE void hb_reorder(void *sums, size_t size, size_t outputs, size_t stride, size_t words)
{
    for (size_t o = 0; o < outputs; o++)
        for (size_t w = 0; w < words; w++) {
            char *at = (char *)sums + (o * stride + 64 * w) * size;
            size_t step = size == 8 ? 2 : 1; /* of 8 registers, every second one */

            for (size_t half = 0; half < step; half++) {
                __m512i v[4];

                for (size_t k = 0; k < 4; k++)
                    v[k] = _mm512_loadu_si512(at + (k * step + half) * 64);
                hb_transpose(v);
                for (size_t k = 0; k < 4; k++)
                    _mm512_storeu_si512(at + (k * step + half) * 64, v[k]);
            }
        }
}

/* 64 numbers looked up in a table of 64, 128 or 256 bytes; `top` is their bit 7. */
HB_INLINE __m512i hb_leaf_plane(const uint8_t *t, size_t bits, __m512i number, __mmask64 top)
{
    __m512i low = _mm512_loadu_si512(t), next;

    if (bits <= 6)
        return _mm512_permutexvar_epi8(number, low);
    next = _mm512_permutex2var_epi8(low, number, _mm512_loadu_si512(t + 64));
    if (bits == 7)
        return next;
    return _mm512_mask_blend_epi8(top, next,
                                  _mm512_permutex2var_epi8(_mm512_loadu_si512(t + 128), number,
                                                           _mm512_loadu_si512(t + 192)));
}

HB_INLINE void hb_add_planes32(const uint8_t *planes, size_t bits, const uint64_t (*bit)[HB_BITS_WORDS],
                               float *sums)
{
    __m512i number = hb_leaf_bytes(bit, bits), b[4], w[4];
    __mmask64 top = bits == 8 ? bit[7][0] : 0;

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++)
        b[k] = hb_leaf_plane(planes + (k << bits), bits, number, top);
#pragma GCC unroll 2
    for (size_t k = 0; k < 2; k++) {
        w[k] = _mm512_unpacklo_epi8(b[2 * k], b[2 * k + 1]);
        w[2 + k] = _mm512_unpackhi_epi8(b[2 * k], b[2 * k + 1]);
    }
#pragma GCC unroll 2
    for (size_t h = 0; h < 4; h += 2) {
        __m512 low = _mm512_castsi512_ps(_mm512_unpacklo_epi16(w[h], w[h + 1]));
        __m512 high = _mm512_castsi512_ps(_mm512_unpackhi_epi16(w[h], w[h + 1]));

        HB_ADD32(sums + 16 * h, low);
        HB_ADD32(sums + 16 * h + 16, high);
    }
}

/* Where the i-th eight doubles that come out are added: so that reordering twice changes nothing. */
HB_INLINE size_t hb_place64(size_t i)
{
    return 8 * (2 * (i % 4) + i / 4);
}

HB_INLINE void hb_add_planes64(const uint8_t *planes, size_t bits, const uint64_t (*bit)[HB_BITS_WORDS],
                               double *sums)
{
    __m512i number = hb_leaf_bytes(bit, bits), b[8], w[8], d[8];
    __mmask64 top = bits == 8 ? bit[7][0] : 0;

#pragma GCC unroll 8
    for (size_t k = 0; k < 8; k++)
        b[k] = hb_leaf_plane(planes + (k << bits), bits, number, top);
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
        __m512d low = _mm512_castsi512_pd(_mm512_unpacklo_epi32(d[2 * k], d[2 * k + 1]));
        __m512d high = _mm512_castsi512_pd(_mm512_unpackhi_epi32(d[2 * k], d[2 * k + 1]));

        HB_ADD64(sums + hb_place64(2 * k), low);
        HB_ADD64(sums + hb_place64(2 * k + 1), high);
    }
}

#define HB_HAS_PLANES 1

/* Row numbers into the order of the sums: byte i is that of the row whose sum is the i-th. */
HB_INLINE void hb_reorder_numbers(uint8_t *number, size_t size)
{
    uint8_t order[64];

    for (size_t i = 0; i < 64; i++)
        order[size == 8 ? hb_place64(i / 8) + i % 8 : i] =
            (uint8_t)(size == 8 ? i % 8 / 2 * 16 + i / 8 * 2 + i % 2
                                : i % 16 / 4 * 16 + i / 16 * 4 + i % 4);
    _mm512_storeu_si512(number, _mm512_permutexvar_epi8(_mm512_loadu_si512(order),
                                                        _mm512_loadu_si512(number)));
}

#else

#define HB_HAS_PLANES 0

HB_INLINE void hb_reorder(void *sums, size_t size, size_t outputs, size_t stride, size_t words)
{
    (void)sums, (void)size, (void)outputs, (void)stride, (void)words;
}

HB_INLINE void hb_reorder_numbers(uint8_t *number, size_t size)
{
    (void)number, (void)size;
}

#define hb_add_planes32(planes, bits, bit, sums) (void)(planes)
#define hb_add_planes64(planes, bits, bit, sums) (void)(planes)

#endif

/* ---- a tree's leaves to the sums of 64 * words rows */

#define HB_BY_NUMBER(size, type)                                                                   \
    uint8_t low[64], high[64] = {0};                                                               \
                                                                                                   \
    hb_leaf_numbers(bit, bits < 8 ? bits : 8, low);                                                \
    hb_reorder_numbers(low, sizeof(type));                                                         \
    if (bits > 8) {                                                                                \
        hb_leaf_numbers(bit + 8, bits - 8, high);                                                  \
        hb_reorder_numbers(high, sizeof(type));                                                    \
    }                                                                                              \
    for (size_t r = 0; r < 64; r += HB_SUM_LANES##size)                                            \
        HB_ADD##size(sums + r, HB_TAKE##size(table, HB_NUMBERS##size(low + r, high + r)));

HB_INLINE void hb_add_numbers32(const float *table, size_t bits, const uint64_t (*bit)[HB_BITS_WORDS],
                                float *sums)
{
    HB_BY_NUMBER(32, float)
}

HB_INLINE void hb_add_numbers64(const double *table, size_t bits, const uint64_t (*bit)[HB_BITS_WORDS],
                                double *sums)
{
    HB_BY_NUMBER(64, double)
}

/* `bits` is a constant in each of the calls by planes. */
#define HB_ADD_LEAVES(size)                                                                        \
    const uint8_t *planes = (const uint8_t *)table;                                                \
                                                                                                   \
    for (size_t w = 0; w < words; w++) {                                                           \
        const uint64_t(*bit)[HB_BITS_WORDS] =                                                      \
            (const uint64_t(*)[HB_BITS_WORDS])(const void *)&leaf[0][w];                           \
        if (!HB_HAS_PLANES || bits > 8)                                                            \
            hb_add_numbers##size(table, bits, bit, sums + 64 * w);                                 \
        else if (bits == 8)                                                                        \
            hb_add_planes##size(planes, 8, bit, sums + 64 * w);                                    \
        else if (bits == 7)                                                                        \
            hb_add_planes##size(planes, 7, bit, sums + 64 * w);                                    \
        else if (bits == 6)                                                                        \
            hb_add_planes##size(planes, 6, bit, sums + 64 * w);                                    \
        else if (bits == 5)                                                                        \
            hb_add_planes##size(planes, 5, bit, sums + 64 * w);                                    \
        else                                                                                       \
            hb_add_planes##size(planes, bits, bit, sums + 64 * w);                                 \
    }

static void hb_add_leaves32(const float *table, size_t bits, hb_leaf_bits leaf, size_t words,
                            float *sums)
{
    HB_ADD_LEAVES(32)
}

static void hb_add_leaves64(const double *table, size_t bits, hb_leaf_bits leaf, size_t words,
                            double *sums)
{
    HB_ADD_LEAVES(64)
}

#endif
