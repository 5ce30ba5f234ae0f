/* bits_tables.h - leaves by tables in registers (AVX-512 VBMI), added in the order of bits_order.h.
 *
 * Numbers of up to 6 bits look up 32 bits at once: four registers are a table of 64, of which a permute takes two, and
 * the number's bit 5 chooses. A double is two such look-ups. The lane has the numbers of four rows: what stands above
 * the bits that a permute reads does not matter, so that the next row's is a rotation away. Of 7 and 8 bits bytes are
 * looked up, and put together. */
#ifndef HB_KERNEL_BITS_TABLES_H
#define HB_KERNEL_BITS_TABLES_H

#include "kernel/bits_order.h"

#if HB_HAS_TABLES

HB_INLINE void hb_add_floats(float *sums, __m512i x)
{
    _mm512_storeu_ps(sums, _mm512_add_ps(_mm512_loadu_ps(sums), _mm512_castsi512_ps(x)));
}

HB_INLINE void hb_add_doubles(double *sums, __m512d x)
{
    _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), x));
}

/* ---- by 32 bits */

/* 16, 32 or 64 entries. */
HB_INLINE void hb_load_table(const uint32_t *from, size_t bits, __m512i table[4])
{
    size_t n = bits < 5 ? 1 : bits == 5 ? 2 : 4;

#pragma GCC unroll 4
    for (size_t k = 0; k < n; k++)
        table[k] = _mm512_loadu_si512(from + 16 * k);
}

HB_INLINE __m512i hb_look_up(const __m512i table[4], size_t bits, __m512i number, __mmask16 upper)
{
    if (bits < 5)
        return _mm512_permutexvar_epi32(number, table[0]);
    if (bits == 5)
        return _mm512_permutex2var_epi32(table[0], number, table[1]);
    return _mm512_mask_blend_epi32(upper, _mm512_permutex2var_epi32(table[0], number, table[1]),
                                   _mm512_permutex2var_epi32(table[2], number, table[3]));
}

/* Those of a lane's four rows, each in its turn the lowest. Of 6 bits the highest moves to bit 7 of the byte below,
 * which is the lane's sign then. */
HB_INLINE void hb_lane_numbers(__m512i x, size_t bits, __m512i at[4])
{
    const __m512i top = _mm512_set1_epi8((char)0x80);

    if (bits == 6)
        x = _mm512_ternarylogic_epi32(top, _mm512_ror_epi32(x, 6), x, 0xca);
    at[0] = x;
    at[1] = _mm512_ror_epi32(x, 8);
    at[2] = _mm512_ror_epi32(x, 16);
    at[3] = _mm512_ror_epi32(x, 24);
}

HB_INLINE void hb_add_words32(const __m512i table[4], size_t bits, const uint8_t *number, float *sums, size_t step)
{
    __m512i at[4];

    hb_lane_numbers(_mm512_loadu_si512(number), bits, at);
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; j++)
        hb_add_floats(sums + j * step, hb_look_up(table, bits, at[j], _mm512_movepi32_mask(at[j])));
}

HB_INLINE void hb_look_up_doubles(const __m512i low[4], const __m512i high[4], size_t bits, __m512i at, __m512d to[2])
{
    __mmask16 upper = _mm512_movepi32_mask(at);
    __m512i a = hb_look_up(low, bits, at, upper), b = hb_look_up(high, bits, at, upper);

    to[0] = _mm512_castsi512_pd(_mm512_unpacklo_epi32(a, b));
    to[1] = _mm512_castsi512_pd(_mm512_unpackhi_epi32(a, b));
}

HB_INLINE void hb_add_words64(const __m512i low[4], const __m512i high[4], size_t bits, const uint8_t *number,
                              double *sums, size_t step)
{
    __m512i at[4];

    hb_lane_numbers(_mm512_loadu_si512(number), bits, at);
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; j++) {
        __m512d two[2];

        hb_look_up_doubles(low, high, bits, at[j], two);
        hb_add_doubles(sums + j * step, two[0]);
        hb_add_doubles(sums + j * step + 8, two[1]);
    }
}

/* ---- by bytes */

/* 64 numbers looked up in a table of 128 or 256 bytes; `top` is their bit 7. */
HB_INLINE __m512i hb_look_up_bytes(const uint8_t *t, size_t bits, __m512i number, __mmask64 top)
{
    __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(t), number, _mm512_loadu_si512(t + 64));

    if (bits == 7)
        return low;
    return _mm512_mask_blend_epi8(
        top, low, _mm512_permutex2var_epi8(_mm512_loadu_si512(t + 128), number, _mm512_loadu_si512(t + 192)));
}

/* So that what is unpacked comes out in the order of the sums. */
HB_INLINE __m512i hb_unpacked_numbers(const uint8_t *number)
{
    const __m512i order = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));

    return _mm512_shuffle_epi8(_mm512_loadu_si512(number), order);
}

HB_INLINE void hb_add_bytes32(const uint8_t *table, size_t bits, const uint8_t *numbers, float *sums, size_t step)
{
    __m512i number = hb_unpacked_numbers(numbers), b[4], w[4];
    __mmask64 top = _mm512_movepi8_mask(number);

#pragma GCC unroll 4
    for (size_t k = 0; k < 4; k++)
        b[k] = hb_look_up_bytes(table + (k << bits), bits, number, top);
#pragma GCC unroll 2
    for (size_t k = 0; k < 2; k++) {
        w[k] = _mm512_unpacklo_epi8(b[2 * k], b[2 * k + 1]);
        w[2 + k] = _mm512_unpackhi_epi8(b[2 * k], b[2 * k + 1]);
    }
#pragma GCC unroll 2
    for (size_t h = 0; h < 4; h += 2) {
        hb_add_floats(sums + h * step, _mm512_unpacklo_epi16(w[h], w[h + 1]));
        hb_add_floats(sums + (h + 1) * step, _mm512_unpackhi_epi16(w[h], w[h + 1]));
    }
}

HB_INLINE void hb_add_bytes64(const uint8_t *table, size_t bits, const uint8_t *numbers, double *sums, size_t step)
{
    __m512i number = hb_unpacked_numbers(numbers), b[8], w[8], d[8];
    __mmask64 top = _mm512_movepi8_mask(number);

#pragma GCC unroll 8
    for (size_t k = 0; k < 8; k++)
        b[k] = hb_look_up_bytes(table + (k << bits), bits, number, top);
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
        hb_add_doubles(sums + k * step, _mm512_castsi512_pd(_mm512_unpacklo_epi32(d[2 * k], d[2 * k + 1])));
        hb_add_doubles(sums + k * step + 8, _mm512_castsi512_pd(_mm512_unpackhi_epi32(d[2 * k], d[2 * k + 1])));
    }
}

/* ---- a tree's leaves to the sums of all rows; `bits` is a constant in each of the calls */

HB_INLINE void hb_add_table32(const float *leaves, size_t bits, const uint8_t (*number)[64], size_t words, float *sums)
{
    size_t step = hb_set_step(words);
    __m512i table[4];

    if (bits <= 6)
        hb_load_table((const uint32_t *)(const void *)leaves, bits, table);
    for (size_t s = 0; s < words; s++) {
        float *at = sums + hb_set_first(s, words);

        if (bits <= 6)
            hb_add_words32(table, bits, number[s], at, step);
        else
            hb_add_bytes32((const uint8_t *)leaves, bits, number[s], at, step);
    }
}

HB_INLINE void hb_add_table64(const double *leaves, size_t bits, const uint8_t (*number)[64], size_t words,
                              double *sums)
{
    const uint32_t *halves = (const uint32_t *)(const void *)leaves;
    size_t step = hb_set_step(words);
    __m512i low[4], high[4];

    if (bits <= 6) {
        hb_load_table(halves, bits, low);
        hb_load_table(halves + ((size_t)1 << bits), bits, high);
    }
    for (size_t s = 0; s < words; s++) {
        double *at = sums + hb_set_first(s, words);

        if (bits <= 6)
            hb_add_words64(low, high, bits, number[s], at, step);
        else
            hb_add_bytes64((const uint8_t *)leaves, bits, number[s], at, step);
    }
}

#define HB_ADD_TABLE(size)                                  \
    if (bits == 8)                                          \
        hb_add_table##size(leaves, 8, number, words, sums); \
    else if (bits == 7)                                     \
        hb_add_table##size(leaves, 7, number, words, sums); \
    else if (bits == 6)                                     \
        hb_add_table##size(leaves, 6, number, words, sums); \
    else if (bits == 5)                                     \
        hb_add_table##size(leaves, 5, number, words, sums); \
    else                                                    \
        hb_add_table##size(leaves, bits, number, words, sums);

#else
#define HB_ADD_TABLE(size) (void)number;
#endif

#endif
