/* pick.h - a number of a table for each lane: a small table is in a register or two, others are gathered. Private to
 * kernels. */
#ifndef HB_KERNEL_PICK_H
#define HB_KERNEL_PICK_H

#include "kernel/lanes.h"

#if HB_ISA_AVX512

typedef __m512i hb_places;

/* HB_PICKS_ANY: lanes may have any number, which picks one of no meaning. Elsewhere each must pick one. */
#define HB_PICKS_ANY 1

/* Of whole numbers. */
HB_INLINE hb_places hb_places_of(hb_lanes x)
{
    return _mm512_cvttpd_epi64((__m512d)x);
}

/* table[at] of n > 0 numbers */
HB_INLINE hb_lanes hb_pick(const double *table, size_t n, hb_places at)
{
    if (n <= 8)
        return (hb_lanes)_mm512_permutexvar_pd(at, _mm512_maskz_loadu_pd((__mmask8)(0xff >> (8 - n)), table));
    if (n <= 16)
        return (hb_lanes)_mm512_permutex2var_pd(_mm512_loadu_pd(table), at,
                                                _mm512_maskz_loadu_pd((__mmask8)(0xff >> (16 - n)), table + 8));
    return (hb_lanes)_mm512_i64gather_pd(_mm512_min_epu64(at, _mm512_set1_epi64((int64_t)n - 1)), table, 8);
}

/* Bit i: lane i of the mask is set. */
HB_INLINE unsigned hb_bits_of(hb_int_lanes mask)
{
    return _mm512_movepi64_mask((__m512i)mask);
}

#elif HB_ISA_AVX2

#define HB_PICKS_ANY 1

typedef __m128i hb_places;

HB_INLINE hb_places hb_places_of(hb_lanes x)
{
    return _mm256_cvttpd_epi32((__m256d)x);
}

HB_INLINE hb_lanes hb_pick(const double *table, size_t n, hb_places at)
{
    return (hb_lanes)_mm256_i32gather_pd(table, _mm_min_epu32(at, _mm_set1_epi32((int32_t)n - 1)), 8);
}

HB_INLINE unsigned hb_bits_of(hb_int_lanes mask)
{
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
}

#else

#define HB_PICKS_ANY 0

typedef struct hb_places {
    uint32_t of[HB_LANES];
} hb_places;

HB_INLINE hb_places hb_places_of(hb_lanes x)
{
    hb_places at;

    for (size_t i = 0; i < HB_LANES; i++)
        at.of[i] = (uint32_t)x[i];
    return at;
}

HB_INLINE hb_lanes hb_pick(const double *table, size_t n, hb_places at)
{
    hb_lanes x;

    (void)n;
    for (size_t i = 0; i < HB_LANES; i++)
        x[i] = table[at.of[i]];
    return x;
}

HB_INLINE unsigned hb_bits_of(hb_int_lanes mask)
{
    unsigned bits = 0;

    for (size_t i = 0; i < HB_LANES; i++)
        bits |= (unsigned)(mask[i] & 1) << i;
    return bits;
}

#endif

#endif
