/* bits_order.h - which rows go through the look-up of leaves together, and in which order their sums stand meanwhile.
 *
 * Where leaves are looked up in registers, a lane has the numbers of four rows, and all sums are in the order in which
 * their leaves come out while trees are added. 64 rows are four pieces of 16, a set: side by side, or of a full block
 * (whose numbers are made all at once) 128 rows apart. Sum 16 j + i of a set, in float32, is that of its number
 * 4 i + j; in float64 that is sum 16 j + 8 h + 2 l + e, where i = 4 l + 2 h + e. */
#ifndef HB_KERNEL_BITS_ORDER_H
#define HB_KERNEL_BITS_ORDER_H

#include "kernel/bits_search.h"

#if HB_ISA_AVX512VBMI
#define HB_HAS_TABLES 1
#else
#define HB_HAS_TABLES 0
#endif

/* The first row of a set, and how far its pieces are apart. */
HB_INLINE size_t hb_set_first(size_t set, size_t words)
{
    return HB_HAS_TABLES && words == HB_BITS_WORDS ? 16 * set : 64 * set;
}

HB_INLINE size_t hb_set_step(size_t words)
{
    return HB_HAS_TABLES && words == HB_BITS_WORDS ? HB_BITS_ROWS / 4 : 16;
}

#if HB_HAS_TABLES

/* Blocks of 256 bits: the even ones of two registers' pair, and the odd ones. */
#define HB_HALVES(a, b, which) _mm512_shuffle_i64x2(a, b, which)

/* Four pieces of 16 floats to the order of the sums; rows[n][m][j] -> sums[j][n][m]. */
HB_INLINE void hb_order32(float *at, size_t step)
{
    const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(2));
    __m512i v[4], two[4];

    for (size_t n = 0; n < 4; n++)
        v[n] = _mm512_loadu_si512(at + n * step);
    for (size_t n = 0; n < 4; n += 2) {
        two[n] = _mm512_permutex2var_epi32(v[n], first, v[n + 1]);
        two[n + 1] = _mm512_permutex2var_epi32(v[n], second, v[n + 1]);
    }
    for (size_t j = 0; j < 4; j++)
        _mm512_storeu_si512(at + j * step, j % 2 ? HB_HALVES(two[j / 2], two[j / 2 + 2], 0xee)
                                                 : HB_HALVES(two[j / 2], two[j / 2 + 2], 0x44));
}

HB_INLINE void hb_order_back32(float *at, size_t step)
{
    const __m512i first = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(4));
    __m512i v[4], two[4];

    for (size_t j = 0; j < 4; j++)
        v[j] = _mm512_loadu_si512(at + j * step);
    for (size_t j = 0; j < 4; j += 2) {
        two[j / 2] = HB_HALVES(v[j], v[j + 1], 0x44);
        two[j / 2 + 2] = HB_HALVES(v[j], v[j + 1], 0xee);
    }
    for (size_t n = 0; n < 4; n++)
        _mm512_storeu_si512(at + n * step,
                            _mm512_permutex2var_epi32(two[n / 2 * 2], n % 2 ? second : first, two[n / 2 * 2 + 1]));
}

/* The same of doubles, a half of each piece. */
HB_INLINE void hb_order64(double *at, size_t step)
{
    const __m512i first = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i second = _mm512_add_epi64(first, _mm512_set1_epi64(2));
    __m512i v[4], two[4];

    for (size_t n = 0; n < 4; n++)
        v[n] = _mm512_loadu_si512(at + n * step);
    for (size_t n = 0; n < 4; n += 2) {
        two[n] = _mm512_permutex2var_epi64(v[n], first, v[n + 1]);
        two[n + 1] = _mm512_permutex2var_epi64(v[n], second, v[n + 1]);
    }
    for (size_t j = 0; j < 4; j++)
        _mm512_storeu_si512(at + j * step, j % 2 ? HB_HALVES(two[j / 2], two[j / 2 + 2], 0xee)
                                                 : HB_HALVES(two[j / 2], two[j / 2 + 2], 0x44));
}

HB_INLINE void hb_order_back64(double *at, size_t step)
{
    const __m512i first = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i second = _mm512_add_epi64(first, _mm512_set1_epi64(2));
    __m512i v[4], two[4];

    for (size_t j = 0; j < 4; j++)
        v[j] = _mm512_loadu_si512(at + j * step);
    for (size_t j = 0; j < 4; j += 2) {
        two[j / 2] = HB_HALVES(v[j], v[j + 1], 0x44);
        two[j / 2 + 2] = HB_HALVES(v[j], v[j + 1], 0xee);
    }
    for (size_t n = 0; n < 4; n++)
        _mm512_storeu_si512(at + n * step,
                            _mm512_permutex2var_epi64(two[n / 2 * 2], n % 2 ? second : first, two[n / 2 * 2 + 1]));
}

/* The sums of all rows into that order, or back. */
HB_INLINE void hb_order_sums(void *sums, size_t size, size_t outputs, size_t stride, size_t words, bool back)
{
    size_t step = hb_set_step(words);

    for (size_t o = 0; o < outputs; o++)
        for (size_t s = 0; s < words; s++) {
            float *at = (float *)sums + o * stride + hb_set_first(s, words);
            double *at64 = (double *)sums + o * stride + hb_set_first(s, words);

            for (size_t half = 0; size == sizeof(double) && half < 16; half += 8)
                if (back)
                    hb_order_back64(at64 + half, step);
                else
                    hb_order64(at64 + half, step);
            if (size == sizeof(float) && back)
                hb_order_back32(at, step);
            else if (size == sizeof(float))
                hb_order32(at, step);
        }
}

/* The numbers of a set into the order of the sums. */
HB_INLINE void hb_order_numbers(uint8_t *number, size_t size)
{
    uint8_t from[64];

    for (size_t at = 0; at < 64; at++) {
        size_t j = at / 16, i = at % 16;

        if (size == sizeof(double))
            i = i / 2 % 4 * 4 + i / 8 * 2 + i % 2;
        from[at] = (uint8_t)(4 * i + j);
    }
    _mm512_storeu_si512(number, _mm512_permutexvar_epi8(_mm512_loadu_si512(from), _mm512_loadu_si512(number)));
}

#else

HB_INLINE void hb_order_sums(void *sums, size_t size, size_t outputs, size_t stride, size_t words, bool back)
{
    (void)sums, (void)size, (void)outputs, (void)stride, (void)words, (void)back;
}

HB_INLINE void hb_order_numbers(uint8_t *number, size_t size)
{
    (void)number, (void)size;
}

#endif

#endif
