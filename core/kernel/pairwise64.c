/* pairwise64.c - see pairwise64.h: rows are the lanes, and some vectors at a time keep the adders busy; of a single row
 * some groups of vectors are the lanes. */
#include "kernel/pairwise64.h"

#include <math.h>

#include "base/arithmetic64.h"
#include "kernel/lanes.h"

enum {
    GROUP = HB_VECTOR_GROUP,
    PARTS = GROUP / HB_LANES, /* of a group */
    MOST_ROWS = 2 * HB_LANES  /* side by side */
};

/* As many doubles as the isa takes at once, anywhere in memory. */
typedef double lanes __attribute__((vector_size(8 * HB_LANES), aligned(8), may_alias));

HB_INLINE hb_lanes load(const double *from)
{
    return (hb_lanes) * (const lanes *)from;
}

HB_INLINE void store(double *to, hb_lanes sum)
{
    *(lanes *)to = (lanes)hb_select(sum == sum, sum, hb_all(NAN));
}

/* The sum after x and v, of the metrics that are done in lanes. `metric` is a constant of the caller; so below. */
HB_INLINE hb_lanes next_lanes(hb_metric metric, hb_lanes sum, hb_lanes x, hb_lanes v)
{
    hb_lanes apart = x - v;

    if (metric == HB_METRIC_DOT)
        return sum + x * v;
    if (metric == HB_METRIC_SQUARED_EUCLIDEAN)
        return sum + apart * apart;
    return sum + (hb_lanes)((hb_int_lanes)apart & INT64_MAX);
}

/* ---- rows side by side */

/* `row_lanes` * HB_LANES rows from `in` on, and vectors [first, first + n) of a group. */
HB_INLINE void rows_of(hb_metric metric, const double *in, size_t width, size_t stride, const double *group, size_t n,
                       size_t row_lanes, double *out)
{
    hb_lanes sums[4][2] = {{{0}}};

    for (size_t c = 0; c < width; c++) {
        hb_lanes x[2];

        for (size_t r = 0; r < row_lanes; r++)
            x[r] = load(in + c * stride + r * HB_LANES);
        for (size_t i = 0; i < n; i++)
            for (size_t r = 0; r < row_lanes; r++)
                sums[i][r] = next_lanes(metric, sums[i][r], x[r], hb_all(group[c * GROUP + i]));
    }
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < row_lanes; r++)
            store(out + i * stride + r * HB_LANES, sums[i][r]);
}

/* `row_lanes` * HB_LANES rows and all vectors. */
HB_INLINE void all_vectors(hb_metric metric, const hb_tile64 *tile, size_t r, const double *vectors, size_t n,
                           size_t row_lanes)
{
    enum { AT_ONCE = 4 };

    for (size_t i = 0; i < n; i += AT_ONCE) {
        const double *group = vectors + i / GROUP * GROUP * tile->width + i % GROUP;
        double *out = tile->out + i * tile->stride + r;

        if (n - i >= AT_ONCE)
            rows_of(metric, tile->in + r, tile->width, tile->stride, group, AT_ONCE, row_lanes, out);
        else
            for (size_t k = 0; k < n - i; k++)
                rows_of(metric, tile->in + r, tile->width, tile->stride, group + k, 1, row_lanes,
                        out + k * tile->stride);
    }
}

/* ---- a row by itself */

/* `count` groups of vectors; their sums to `sums`. */
HB_INLINE void groups_of(hb_metric metric, const double *in, size_t width, size_t stride, const double *group,
                         size_t count, double *sums)
{
    hb_lanes part[4][PARTS] = {{{0}}};

    for (size_t c = 0; c < width; c++) {
        hb_lanes x = hb_all(in[c * stride]);

        for (size_t b = 0; b < count; b++)
            for (size_t k = 0; k < PARTS; k++)
                part[b][k] = next_lanes(metric, part[b][k], x, load(group + (b * width + c) * GROUP + k * HB_LANES));
    }
    for (size_t b = 0; b < count; b++)
        for (size_t k = 0; k < PARTS; k++)
            store(sums + b * GROUP + k * HB_LANES, part[b][k]);
}

HB_INLINE void row_of(hb_metric metric, const hb_tile64 *tile, size_t r, const double *vectors, size_t n)
{
    enum { AT_ONCE = HB_LANES == 8 ? 4 : HB_LANES == 4 ? 2 : 1 };
    double sums[AT_ONCE * GROUP];

    for (size_t i = 0; i < n; i += AT_ONCE * GROUP) {
        const double *group = vectors + i * tile->width;
        size_t count = n - i < AT_ONCE * GROUP ? n - i : AT_ONCE * GROUP;

        if (n - i > (AT_ONCE - 1) * GROUP)
            groups_of(metric, tile->in + r, tile->width, tile->stride, group, AT_ONCE, sums);
        else
            for (size_t b = 0; b * GROUP < count; b++)
                groups_of(metric, tile->in + r, tile->width, tile->stride, group + b * GROUP * tile->width, 1,
                          sums + b * GROUP);
        for (size_t k = 0; k < count; k++)
            tile->out[(i + k) * tile->stride + r] = sums[k];
    }
}

HB_INLINE void in_lanes(hb_metric metric, const hb_tile64 *tile, const double *vectors, size_t n)
{
    enum { FEW = HB_LANES / 4 };
    size_t r = 0;

    /* The last ones may be rows that nobody asked for, where the columns have room for them. */
    for (; r + HB_LANES < tile->rows && r + MOST_ROWS <= tile->stride; r += MOST_ROWS)
        all_vectors(metric, tile, r, vectors, n, 2);
    for (; r + FEW < tile->rows && r + HB_LANES <= tile->stride; r += HB_LANES)
        all_vectors(metric, tile, r, vectors, n, 1);
    for (; r < tile->rows; r++)
        row_of(metric, tile, r, vectors, n);
}

/* ---- metrics whose terms are not for lanes */

static double canberra(double x, double v)
{
    double size = fabs(x) + fabs(v);

    return size == 0 ? 0 : fabs(x - v) / size;
}

static double chi2(double x, double v)
{
    return x + v == 0 ? 0 : (x - v) * (x - v) / (x + v);
}

HB_INLINE double next(hb_metric metric, double power, double sum, double x, double v)
{
    double apart = x - v;

    switch (metric) {
    case HB_METRIC_CHEBYSHEV:
        return hb_maximum_of(sum, fabs(apart));
    case HB_METRIC_MINKOWSKI:
        return sum + hb_power_of(fabs(apart), power);
    case HB_METRIC_CANBERRA:
        return sum + canberra(x, v);
    case HB_METRIC_BRAY_CURTIS:
        return sum + fabs(apart);
    case HB_METRIC_COSINE:
        return sum + x * v;
    case HB_METRIC_JACCARD:
        return sum + (double)((x != 0) != (v != 0));
    case HB_METRIC_CHI2:
        return sum + chi2(x, v);
    case HB_METRIC_KNOWN:
        return apart == apart ? sum + apart * apart : sum;
    default:
        return sum + (double)(x != v);
    }
}

/* ---- and what the sum of the terms is divided by, or taken from */

HB_INLINE double next_below(hb_metric metric, double sum, double x, double v)
{
    return metric == HB_METRIC_BRAY_CURTIS ? sum + (fabs(x) + fabs(v))
           : metric == HB_METRIC_JACCARD   ? sum + (double)(x != 0 || v != 0)
                                           : sum + (double)(x - v == x - v);
}

HB_INLINE double finished(hb_metric metric, const hb_tile64 *tile, size_t r, const double *vector, double sum)
{
    double below = 0;

    if (metric == HB_METRIC_COSINE)
        return hb_clip_of(1 - sum, 0, 2);
    for (size_t c = 0; c < tile->width; c++)
        below = next_below(metric, below, tile->in[c * tile->stride + r], vector[c * GROUP]);
    if (metric == HB_METRIC_KNOWN)
        return sum / below * (double)tile->width;
    return below == 0 ? 0 : sum / below;
}

HB_INLINE bool is_finished(hb_metric metric)
{
    return metric != HB_METRIC_BRAY_CURTIS && metric != HB_METRIC_COSINE && metric != HB_METRIC_JACCARD &&
           metric != HB_METRIC_KNOWN;
}

/* `metric` is a constant of the caller. */
HB_INLINE void one_by_one(hb_metric metric, double power, const hb_tile64 *tile, const double *vectors, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double *vector = vectors + i / GROUP * GROUP * tile->width + i % GROUP;
        double *sums = tile->out + i * tile->stride;

        for (size_t r = 0; r < tile->rows; r++)
            sums[r] = 0;
        for (size_t c = 0; c < tile->width; c++)
            for (size_t r = 0; r < tile->rows; r++)
                sums[r] = next(metric, power, sums[r], tile->in[c * tile->stride + r], vector[c * GROUP]);
        for (size_t r = 0; r < tile->rows && !is_finished(metric); r++)
            sums[r] = finished(metric, tile, r, vector, sums[r]);
        for (size_t r = 0; r < tile->rows; r++)
            sums[r] = sums[r] == sums[r] ? sums[r] : NAN;
    }
}

#define IN_LANES(metric)                    \
    case metric:                            \
        in_lanes(metric, tile, vectors, n); \
        break;
#define ONE_BY_ONE(metric)                           \
    case metric:                                     \
        one_by_one(metric, power, tile, vectors, n); \
        break;

void HB_KERNEL(hb_pairwise64)(const hb_tile64 *tile, hb_metric metric, double power, const double *vectors, size_t n)
{
    switch (metric) {
        IN_LANES(HB_METRIC_DOT)
        IN_LANES(HB_METRIC_SQUARED_EUCLIDEAN)
        IN_LANES(HB_METRIC_MANHATTAN)
        ONE_BY_ONE(HB_METRIC_CHEBYSHEV)
        ONE_BY_ONE(HB_METRIC_MINKOWSKI)
        ONE_BY_ONE(HB_METRIC_CANBERRA)
        ONE_BY_ONE(HB_METRIC_HAMMING)
        ONE_BY_ONE(HB_METRIC_BRAY_CURTIS)
        ONE_BY_ONE(HB_METRIC_COSINE)
        ONE_BY_ONE(HB_METRIC_JACCARD)
        ONE_BY_ONE(HB_METRIC_CHI2)
        ONE_BY_ONE(HB_METRIC_KNOWN)
    case HB_N_METRICS:
        break;
    }
}
