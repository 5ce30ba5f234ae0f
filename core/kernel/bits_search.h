/* bits_search.h - the ranks of 64 numbers among the thresholds of a chunk, in each instruction set.
 *
 * A branch-free search down a tree in heap order: hb_search64(heap, levels, or_equal, x, rank) counts the
 * thresholds that are below x, or (or_equal) not above it. Gives the rows whose number equals some threshold,
 * as bits, where `equal` asks for them; of others it may give any. NaN has rank 0. */
#ifndef HB_KERNEL_BITS_SEARCH_H
#define HB_KERNEL_BITS_SEARCH_H

#include "kernel/bits_kernel.h"
#include "kernel/kernels.h"

#if HB_ISA_AVX512

/* The node of 16 rows at one level: a look-up in 16 to 128 entries of the heap, which stay in registers. */
HB_INLINE __m512 hb_search_node(const __m512 *t, size_t level, __m512i at)
{
    __mmask16 b5 = _mm512_test_epi32_mask(at, _mm512_set1_epi32(32));
    __mmask16 b6 = _mm512_test_epi32_mask(at, _mm512_set1_epi32(64));
#define HB_PAIR(i) _mm512_permutex2var_ps(t[i], at, t[(i) + 1])

    if (level < 4)
        return _mm512_permutexvar_ps(at, t[0]);
    if (level == 4)
        return _mm512_permutexvar_ps(at, t[1]);
    if (level == 5)
        return HB_PAIR(2);
    if (level == 6)
        return _mm512_mask_blend_ps(b5, HB_PAIR(4), HB_PAIR(6));
    return _mm512_mask_blend_ps(b6, _mm512_mask_blend_ps(b5, HB_PAIR(8), HB_PAIR(10)),
                                _mm512_mask_blend_ps(b5, HB_PAIR(12), HB_PAIR(14)));
#undef HB_PAIR
}

HB_INLINE uint64_t hb_search_levels(const float *heap, size_t levels, bool or_equal, bool equal, const float *x,
                                    size_t rows, uint8_t *rank, uint64_t *equals)
{
    const __m512i one = _mm512_set1_epi32(1), bias = _mm512_set1_epi32(1 << levels);
    __m512 t[16];
    uint64_t any = 0;

    for (size_t i = 0; i < (levels < 4 ? 1 : (size_t)1 << (levels - 4)); i++)
        t[i] = levels < 4 ? _mm512_maskz_loadu_ps((__mmask16)((1u << (1u << levels)) - 1), heap)
                          : _mm512_loadu_ps(heap + 16 * i);
    for (size_t r = 0; r < rows; r += 64) {
        __m512i at[4] = {one, one, one, one};
        uint64_t same = 0;

#pragma GCC unroll 8
        for (size_t level = 0; level < levels; level++)
#pragma GCC unroll 4
            for (size_t k = 0; k < 4; k++) {
                __m512 v = _mm512_loadu_ps(x + r + 16 * k);
                __m512 node = hb_search_node(t, level, at[k]);
                __mmask16 right =
                    or_equal ? _mm512_cmp_ps_mask(v, node, _CMP_GE_OQ) : _mm512_cmp_ps_mask(v, node, _CMP_GT_OQ);

                if (equal)
                    same |= (uint64_t)_mm512_cmp_ps_mask(v, node, _CMP_EQ_OQ) << 16 * k;
                at[k] = _mm512_add_epi32(at[k], at[k]);
                at[k] = _mm512_mask_add_epi32(at[k], right, at[k], one);
            }
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; k++)
            _mm_storeu_si128((__m128i *)(void *)(rank + r + 16 * k),
                             _mm512_cvtepi32_epi8(_mm512_sub_epi32(at[k], bias)));
        if (equal) {
            equals[r / 64] = same;
            any |= same;
        }
    }
    return any;
}

#elif HB_ISA_AVX2

HB_INLINE __m256 hb_search_node(const float *heap, const __m256 t[4], size_t level, __m256i at)
{
    if (level < 3)
        return _mm256_permutevar8x32_ps(t[0], at);
    if (level == 3)
        return _mm256_permutevar8x32_ps(t[1], at);
    if (level == 4)
        return _mm256_blendv_ps(_mm256_permutevar8x32_ps(t[2], at), _mm256_permutevar8x32_ps(t[3], at),
                                _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)));
    return _mm256_i32gather_ps(heap, at, 4);
}

/* Eight rows' counters to bytes. */
HB_INLINE void hb_search_store(__m256i at, uint8_t *rank)
{
    __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(at), _mm256_extracti128_si256(at, 1));

    _mm_storel_epi64((__m128i *)(void *)rank, _mm_packus_epi16(words, words));
}

HB_INLINE uint64_t hb_search_levels(const float *heap, size_t levels, bool or_equal, bool equal, const float *x,
                                    size_t rows, uint8_t *rank, uint64_t *equals)
{
    const __m256i bias = _mm256_set1_epi32(1 << levels);
    __m256 t[4];
    uint64_t any = 0;

    for (size_t i = 0; i < 4; i++) {
        float part[8] = {0};

        for (size_t k = 0; k < 8 && 8 * i + k < (size_t)1 << levels; k++)
            part[k] = heap[8 * i + k];
        t[i] = _mm256_loadu_ps(part);
    }
    for (size_t r = 0; r < rows; r += 64) {
        uint64_t same = 0;

        for (size_t part = 0; part < 64; part += 32) {
            __m256i at[4] = {_mm256_set1_epi32(1), _mm256_set1_epi32(1), _mm256_set1_epi32(1), _mm256_set1_epi32(1)};

#pragma GCC unroll 8
            for (size_t level = 0; level < levels; level++)
#pragma GCC unroll 4
                for (size_t k = 0; k < 4; k++) {
                    __m256 v = _mm256_loadu_ps(x + r + part + 8 * k);
                    __m256 node = hb_search_node(heap, t, level, at[k]);
                    __m256 right = or_equal ? _mm256_cmp_ps(v, node, _CMP_GE_OQ) : _mm256_cmp_ps(v, node, _CMP_GT_OQ);

                    if (equal)
                        same |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(v, node, _CMP_EQ_OQ))
                                << (part + 8 * k);
                    at[k] = _mm256_sub_epi32(_mm256_add_epi32(at[k], at[k]), _mm256_castps_si256(right));
                }
#pragma GCC unroll 4
            for (size_t k = 0; k < 4; k++)
                hb_search_store(_mm256_sub_epi32(at[k], bias), rank + r + part + 8 * k);
        }
        if (equal) {
            equals[r / 64] = same;
            any |= same;
        }
    }
    return any;
}

#else

HB_INLINE uint64_t hb_search_levels(const float *heap, size_t levels, bool or_equal, bool equal, const float *x,
                                    size_t rows, uint8_t *rank, uint64_t *equals)
{
    enum { SIDE_BY_SIDE = 8 };
    uint64_t any = 0;

    for (size_t r = 0; r < rows; r += SIDE_BY_SIDE) {
        uint32_t at[SIDE_BY_SIDE] = {1, 1, 1, 1, 1, 1, 1, 1}, same = 0;

        for (size_t level = 0; level < levels; level++)
            for (size_t k = 0; k < SIDE_BY_SIDE; k++) {
                float node = heap[at[k]];

                if (equal)
                    same |= (uint32_t)(x[r + k] == node) << k;
                at[k] = 2 * at[k] + (or_equal ? x[r + k] >= node : x[r + k] > node);
            }
        for (size_t k = 0; k < SIDE_BY_SIDE; k++)
            rank[r + k] = (uint8_t)(at[k] - (1u << levels));
        if (equal) {
            if (r % 64 == 0)
                equals[r / 64] = 0;
            equals[r / 64] |= (uint64_t)same << r % 64;
            any |= same;
        }
    }
    return any;
}

#endif

/* `rows` is a multiple of 64. `equals` ([rows / 64]) is written only if `equal`; then gives whether any bit of
 * it is set. */
HB_INLINE uint64_t hb_search(const float *heap, size_t levels, bool or_equal, bool equal, const float *x, size_t rows,
                             uint8_t *rank, uint64_t *equals)
{
    switch (levels) {
    case 8:
        return hb_search_levels(heap, 8, or_equal, equal, x, rows, rank, equals);
    case 7:
        return hb_search_levels(heap, 7, or_equal, equal, x, rows, rank, equals);
    case 6:
        return hb_search_levels(heap, 6, or_equal, equal, x, rows, rank, equals);
    case 5:
        return hb_search_levels(heap, 5, or_equal, equal, x, rows, rank, equals);
    case 4:
        return hb_search_levels(heap, 4, or_equal, equal, x, rows, rank, equals);
    default:
        return hb_search_levels(heap, levels, or_equal, equal, x, rows, rank, equals);
    }
}

#endif
