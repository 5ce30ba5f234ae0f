/* float_lanes.h - as many floats as the isa takes at once, and fused products of them. CPUs without such products have
 * fmaf of the C library, which is slow and has the same bits. Private to kernels. */
#ifndef HB_KERNEL_FLOAT_LANES_H
#define HB_KERNEL_FLOAT_LANES_H

#include <stdint.h>

#include "kernel/kernels.h"

enum { LANES = 2 * HB_LANES };

/* Anywhere in memory. */
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

#if HB_ISA_AVX512

HB_INLINE lanes fused(lanes x, float weight, lanes sum)
{
    return (lanes)_mm512_fmadd_ps((__m512)x, _mm512_set1_ps(weight), (__m512)sum);
}

#elif HB_ISA_AVX2

HB_INLINE lanes fused(lanes x, float weight, lanes sum)
{
    return (lanes)_mm256_fmadd_ps((__m256)x, _mm256_set1_ps(weight), (__m256)sum);
}

#else

HB_INLINE lanes fused(lanes x, float weight, lanes sum)
{
    for (size_t i = 0; i < LANES; i++)
        sum[i] = __builtin_fmaf(x[i], weight, sum[i]);
    return sum;
}

#endif

/* One NaN for all: which of its operands' bits an operation keeps depends on their order, which compilers pick. */
HB_INLINE lanes same_nan(lanes x)
{
    typedef int32_t bits __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
    const bits nan = (bits){0} + 0x7fc00000;
    bits is_number = x == x;

    return (lanes)((is_number & (bits)x) | (~is_number & nan));
}

#endif
