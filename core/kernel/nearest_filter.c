/* nearest_filter.c - hb_nearest_filtered64 (nearest64.h): distances in float32 first, of a group of vectors side by
 * side and some rows, which share what is loaded. Only vectors that may be near enough by these are measured in
 * float64.
 *
 * The filter may not leave out a vector that is nearer than the worst so far, w. A number rounded to float32 is off by
 * at most u = 2^-24 of itself, so the root of the sum of squares moves by at most u * sqrt(n) * (X + V), where X and V
 * are the largest magnitudes of the row and of the vectors; each of the n + 3 roundings on the way moves it by a part
 * of u. So what is above ((sqrt(w) + error)^2) * (1 + (n + 8) u) is farther than w. Infinite numbers and NaN are let
 * through. */
#include <float.h>
#include <math.h>

#include "kernel/kernels.h"
#include "kernel/top_k64.h"

enum {
    GROUP = HB_NARROW_GROUP,
    LANES = 2 * HB_LANES, /* floats that the isa takes at once */
    PARTS = GROUP / LANES,
    ROWS = HB_LANES >= 4 ? HB_LANES / 2 : 1
};

typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

/* A row's numbers in float32, and what is farther than its worst neighbour so far. */
typedef struct narrow_row {
    float x[HB_MOST_FILTERED];
    double error;
    float limit;
} narrow_row;

#if HB_ISA_AVX512

HB_INLINE lanes fused(lanes x, lanes sum)
{
    return (lanes)_mm512_fmadd_ps((__m512)x, (__m512)x, (__m512)sum);
}

HB_INLINE uint32_t not_above(lanes x, float limit)
{
    return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(limit), _CMP_NGT_UQ);
}

#elif HB_ISA_AVX2

HB_INLINE lanes fused(lanes x, lanes sum)
{
    return (lanes)_mm256_fmadd_ps((__m256)x, (__m256)x, (__m256)sum);
}

HB_INLINE uint32_t not_above(lanes x, float limit)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)x, _mm256_set1_ps(limit), _CMP_NGT_UQ));
}

#else

HB_INLINE lanes fused(lanes x, lanes sum)
{
    return x * x + sum;
}

HB_INLINE uint32_t not_above(lanes x, float limit)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < LANES; i++)
        bits |= (uint32_t) !(x[i] > limit) << i;
    return bits;
}

#endif

static float limit_of(double worst, double error, size_t width)
{
    double root = sqrt(worst * (1 + 1e-12)) + error;
    double limit = root * root * (1 + (double)(width + 8) * 0x1p-24) * (1 + 0x1p-22) + 1e-37;

    return limit < FLT_MAX ? (float)limit : INFINITY; /* NaN too */
}

static void begin_row(const hb_tile64 *tile, const hb_nearest *n, size_t r, narrow_row *row)
{
    double most = 0;

    for (size_t c = 0; c < tile->width; c++) {
        double x = tile->in[c * tile->stride + r];

        row->x[c] = (float)x;
        most = fabs(x) > most ? fabs(x) : most;
    }
    row->error = sqrt((double)tile->width) * 0x1p-24 * 1.01 * (most + n->most);
    row->limit = limit_of(tile->out[r], row->error, tile->width);
}

/* The distance in float64, as hb_nearest64 has it. */
static double exact(const hb_tile64 *tile, const hb_nearest *n, size_t r, size_t place)
{
    const double *v = n->vectors + place / HB_VECTOR_GROUP * HB_VECTOR_GROUP * tile->width + place % HB_VECTOR_GROUP;
    double sum = 0;

    for (size_t c = 0; c < tile->width; c++) {
        double apart = tile->in[c * tile->stride + r] - v[c * HB_VECTOR_GROUP];

        sum = sum + apart * apart;
    }
    return sum;
}

/* Bit i: vector first + i may be near enough. */
static void measure(const hb_tile64 *tile, const hb_nearest *n, size_t r, narrow_row *row, size_t first, uint32_t bits)
{
    double *numbers = tile->out + r;

    for (; bits; bits &= bits - 1) {
        size_t place = first + (size_t)__builtin_ctz(bits);
        double found = place < n->n_vectors ? exact(tile, n, r, place) : INFINITY;

        if (!(found < numbers[0]))
            continue;
        hb_top_k_replace(numbers, numbers + n->k * tile->stride, tile->stride, n->k, found, (double)place);
        row->limit = limit_of(numbers[0], row->error, tile->width);
    }
}

/* `rows` (a constant of the caller) rows from r on. */
HB_INLINE void filter_rows(const hb_tile64 *tile, const hb_nearest *n, size_t r, size_t rows, size_t first, size_t end)
{
    narrow_row row[ROWS];
    lanes sum[ROWS][PARTS];

    for (size_t i = 0; i < rows; i++)
        begin_row(tile, n, r + i, &row[i]);
    for (; first < end; first += GROUP) {
        const float *vectors = n->narrow + first * tile->width;

        for (size_t i = 0; i < rows; i++)
            for (size_t p = 0; p < PARTS; p++)
                sum[i][p] = (lanes){0};
        for (size_t c = 0; c < tile->width; c++)
            for (size_t p = 0; p < PARTS; p++) {
                lanes v = *(const lanes *)(vectors + c * GROUP + p * LANES);

                for (size_t i = 0; i < rows; i++)
                    sum[i][p] = fused(row[i].x[c] - v, sum[i][p]);
            }
        for (size_t i = 0; i < rows; i++) {
            uint32_t bits = 0;

            for (size_t p = 0; p < PARTS; p++)
                bits |= not_above(sum[i][p], row[i].limit) << (p * LANES % 32);
            if (bits)
                measure(tile, n, r + i, &row[i], first, bits);
        }
    }
}

void HB_KERNEL(hb_nearest_filtered64)(const hb_tile64 *tile, const hb_nearest *nearest, size_t first, size_t end)
{
    size_t r = 0;

    for (; r + ROWS <= tile->rows; r += ROWS)
        filter_rows(tile, nearest, r, ROWS, first, end);
    for (; r < tile->rows; r++)
        filter_rows(tile, nearest, r, 1, first, end);
}
