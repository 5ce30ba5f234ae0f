/* quotient64.c - see elementwise64.h: numbers divided by one that is the same for a whole column. A division takes
 * several times as long as a product, so the quotient is found by products, with the bits of the division.
 *
 * Let z be 1 / d, rounded. q = x z is at most 1.5 last bits from x / d, and q - (q d - x) z less than one. From a
 * quotient that near, and z, the same correction once more gives x / d as a division rounds it (P. Markstein,
 * "Computation of elementary functions on the IBM RISC System/6000 processor", IBM Journal of Research and Development
 * 34, 1990). That holds where nothing underflows or overflows: other numbers are divided. */
#include "kernel/elementwise64.h"
#include "kernel/lanes.h"
#include "kernel/loops.h"

#if HB_ISA_AVX2

/* Divisors and numbers of these magnitudes have normal quotients and exact remainders. */
#define LEAST_DIVISOR 0x1p-100
#define MOST_DIVISOR  0x1p100
#define LEAST_NUMBER  0x1p-900
#define MOST_NUMBER   0x1p900

/* less: a b - c, rounded once; less_product: c - a b, likewise. unusual: lanes whose number is to be divided. */
#if HB_ISA_AVX512

static inline hb_lanes less(hb_lanes a, hb_lanes b, hb_lanes c)
{
    return (hb_lanes)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline hb_lanes less_product(hb_lanes c, hb_lanes a, hb_lanes b)
{
    return (hb_lanes)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}

static inline unsigned unusual(hb_lanes x)
{
    __m512i least = _mm512_slli_epi64((__m512i)hb_all(LEAST_NUMBER), 1); /* without the sign */
    __m512i range = _mm512_sub_epi64(_mm512_slli_epi64((__m512i)hb_all(MOST_NUMBER), 1), least);
    __m512i beyond = _mm512_sub_epi64(_mm512_slli_epi64((__m512i)x, 1), least);

    return _mm512_mask_cmpgt_epu64_mask(_mm512_cmpneq_pd_mask((__m512d)x, _mm512_setzero_pd()), beyond, range);
}

#else

static inline hb_lanes less(hb_lanes a, hb_lanes b, hb_lanes c)
{
    return (hb_lanes)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static inline hb_lanes less_product(hb_lanes c, hb_lanes a, hb_lanes b)
{
    return (hb_lanes)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}

static inline unsigned unusual(hb_lanes x)
{
    hb_lanes magnitude = (hb_lanes)((hb_int_lanes)x & INT64_MAX);
    hb_int_lanes usual = (magnitude >= hb_all(LEAST_NUMBER)) & (magnitude <= hb_all(MOST_NUMBER));

    return (unsigned)_mm256_movemask_pd((__m256d) ~(usual | (x == hb_all(0))));
}

#endif

/* The sign of a remainder that is 0 is such that zeros keep theirs, where the divisor is above 0. */
static inline hb_lanes quotient_lanes(hb_lanes x, hb_lanes d, hb_lanes z)
{
    hb_lanes q = x * z;

    if (__builtin_expect(unusual(x) != 0, 0))
        return x / d;
    q = less_product(q, less(q, d, x), z);
    return less_product(q, less(q, d, x), z);
}

static void divide_by_products(const double *in, size_t n, double divisor, double *out)
{
    hb_lanes d = hb_all(divisor), z = hb_all(1 / divisor);

    FOR_LANES(n, i, m, hb_put(out + i, m, quotient_lanes(hb_get(in + i, m), d, z)))
}

#endif

static void divide(const double *in, size_t n, double divisor, double *out)
{
#if HB_ISA_AVX2
    if (n > HB_LANES && divisor >= LEAST_DIVISOR && divisor <= MOST_DIVISOR) {
        divide_by_products(in, n, divisor, out);
        return;
    }
#endif
    HB_INDEPENDENT
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] / divisor;
}

void HB_KERNEL(hb_quotient64)(const hb_tile64 *tile, const double *numbers)
{
    if (tile->stride == 1) {
        HB_INDEPENDENT
        for (size_t c = 0; c < tile->width; c++)
            tile->out[c] = tile->in[c] / numbers[c];
        return;
    }
    for (size_t c = 0; c < tile->width; c++)
        divide(tile->in + c * tile->stride, tile->rows, numbers[c], tile->out + c * tile->stride);
}

void HB_KERNEL(hb_divide64)(const hb_tile64 *tile, double divisor)
{
    for (size_t c = 0, n = hb_run_of(tile); c < hb_columns_of(tile); c++)
        divide(tile->in + c * tile->stride, n, divisor, tile->out + c * tile->stride);
}
