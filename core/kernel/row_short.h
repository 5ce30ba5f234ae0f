/* row_short.h - see row_kernel.h: tests of 32 trees side by side, half of those of a test, and what sets send right.
 * Private to row_walk.c. */
#ifndef HB_KERNEL_ROW_SHORT_H
#define HB_KERNEL_ROW_SHORT_H

#include "kernel/row_tables.h"

enum { HALF = HB_ROW_LANES / 2, FOUR = 4 };

/* Four words of the tables of sets, of all features together. */
HB_INLINE void take_set_words(const hb_row *row, size_t n_features, size_t first, uint64_t words[FOUR])
{
    __m256i right = _mm256_loadu_si256((const __m256i *)(const void *)(row->sets[0] + first));

    for (size_t s = 1; s < n_features; s++)
        right = _mm256_or_si256(right, _mm256_loadu_si256((const __m256i *)(const void *)(row->sets[s] + first)));
    _mm256_storeu_si256((__m256i *)(void *)words, right);
}

HB_INLINE __m256i take_half(const uint8_t *bytes, size_t half)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(bytes + half * HALF));
}

/* -1 where a set's test, of the trees in `word`, does not send the row right. */
HB_INLINE __m256i left_by_sets(uint32_t word)
{
    const __m256i byte = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
    __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((int32_t)word), byte);

    return _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), _mm256_setzero_si256());
}

#endif
