/* nearest64.c - see nearest64.h: rows side by side for some vectors at once, or of a single row a group of vectors side
 * by side. Few vectors are nearer than those so far: a branch for all lanes together finds out whether any is. */
#include "kernel/nearest64.h"

#include <math.h>

#include "base/arithmetic64.h"
#include "kernel/lanes.h"
#include "kernel/top_k64.h"

enum { GROUP = HB_VECTOR_GROUP, POINTS = 4, VECTORS = 2, ROWS = VECTORS * HB_LANES, PARTS = GROUP / HB_LANES };

/* ---- distances: sums of terms, or the quotient of two such sums */

HB_INLINE hb_lanes size_of(hb_lanes x)
{
    return hb_select(x < 0, -x, x);
}

HB_INLINE hb_lanes one_if(hb_int_lanes mask)
{
    return hb_select(mask, hb_all(1), hb_all(0));
}

static hb_lanes powers_of(hb_lanes x, double power)
{
    double numbers[HB_LANES];

    hb_put(numbers, HB_LANES, x);
    for (size_t i = 0; i < HB_LANES; i++)
        numbers[i] = hb_power_of(numbers[i], power);
    return hb_get(numbers, HB_LANES);
}

HB_INLINE hb_lanes next(hb_metric metric, double power, hb_lanes sum, hb_lanes x, hb_lanes v)
{
    hb_lanes apart = x - v, size;

    switch (metric) {
    case HB_METRIC_MANHATTAN:
    case HB_METRIC_BRAY_CURTIS:
        return sum + size_of(apart);
    case HB_METRIC_CHEBYSHEV:
        apart = size_of(apart);
        return hb_select(apart > sum, apart, sum);
    case HB_METRIC_MINKOWSKI:
        return sum + powers_of(size_of(apart), power);
    case HB_METRIC_CANBERRA:
        size = size_of(x) + size_of(v);
        return sum + hb_select(size == 0, hb_all(0), size_of(apart) / size);
    case HB_METRIC_COSINE:
        return sum + x * v;
    case HB_METRIC_HAMMING:
        return sum + one_if(x != v);
    case HB_METRIC_JACCARD:
        return sum + one_if((x != 0) ^ (v != 0));
    case HB_METRIC_CHI2:
        size = x + v;
        return sum + hb_select(size == 0, hb_all(0), apart * apart / size);
    case HB_METRIC_KNOWN:
        return sum + hb_select(apart == apart, apart * apart, hb_all(0));
    default:
        return sum + apart * apart;
    }
}

HB_INLINE hb_lanes next_below(hb_metric metric, hb_lanes sum, hb_lanes x, hb_lanes v)
{
    return metric == HB_METRIC_BRAY_CURTIS ? sum + (size_of(x) + size_of(v))
           : metric == HB_METRIC_JACCARD   ? sum + one_if((x != 0) | (v != 0))
           : metric == HB_METRIC_KNOWN     ? sum + one_if(x - v == x - v)
                                           : sum;
}

HB_INLINE hb_lanes distance(hb_metric metric, hb_lanes sum, hb_lanes below, size_t width)
{
    switch (metric) {
    case HB_METRIC_COSINE:
        return hb_limited(1 - sum, hb_all(0), hb_all(2));
    case HB_METRIC_KNOWN:
        return sum / below * hb_all((double)width);
    case HB_METRIC_BRAY_CURTIS:
    case HB_METRIC_JACCARD:
        return hb_select(below == 0, hb_all(0), sum / below);
    default:
        return sum;
    }
}

/* ---- the nearest so far */

/* True if a lane of the mask is set. */
HB_INLINE bool is_any(hb_int_lanes mask)
{
    int64_t lanes[HB_LANES], any = 0;

    memcpy(lanes, &mask, sizeof(lanes));
    for (size_t i = 0; i < HB_LANES; i++)
        any |= lanes[i];
    return any != 0;
}

/* A heap's first is the worst of its row. */
static void take(const hb_tile64 *tile, const hb_nearest *n, size_t r, double found, size_t place)
{
    double *numbers = tile->out + r;

    if (found < numbers[0] && place < n->n_vectors)
        hb_top_k_replace(numbers, numbers + n->k * tile->stride, tile->stride, n->k, found, (double)place);
}

/* ---- ROWS rows from r on, and POINTS vectors of a group from `place` on */

HB_INLINE void points_of_rows(hb_metric metric, const hb_tile64 *tile, const hb_nearest *n, size_t r,
                              const double *vectors, size_t place)
{
    hb_lanes sum[POINTS][VECTORS], below[POINTS][VECTORS];
    hb_int_lanes nearer = {0};
    double found[HB_LANES];

    for (size_t p = 0; p < POINTS; p++)
        for (size_t v = 0; v < VECTORS; v++)
            sum[p][v] = below[p][v] = hb_all(0);
    for (size_t c = 0; c < tile->width; c++)
        for (size_t v = 0; v < VECTORS; v++) {
            hb_lanes x = hb_get(tile->in + c * tile->stride + r + v * HB_LANES, HB_LANES);

            for (size_t p = 0; p < POINTS; p++) {
                hb_lanes y = hb_all(vectors[c * GROUP + p]);

                sum[p][v] = next(metric, n->power, sum[p][v], x, y);
                below[p][v] = next_below(metric, below[p][v], x, y);
            }
        }
    for (size_t v = 0; v < VECTORS; v++) {
        hb_lanes worst = hb_get(tile->out + r + v * HB_LANES, HB_LANES);

        for (size_t p = 0; p < POINTS; p++) {
            sum[p][v] = distance(metric, sum[p][v], below[p][v], tile->width);
            nearer |= sum[p][v] < worst;
        }
    }
    if (!is_any(nearer))
        return;
    for (size_t p = 0; p < POINTS; p++)
        for (size_t v = 0; v < VECTORS; v++) {
            hb_put(found, HB_LANES, sum[p][v]);
            for (size_t i = 0; i < HB_LANES; i++)
                take(tile, n, r + v * HB_LANES + i, found[i], place + p);
        }
}

/* ---- one row, and a group of vectors from `place` on */

HB_INLINE void group_of_row(hb_metric metric, const hb_tile64 *tile, const hb_nearest *n, size_t r,
                            const double *vectors, size_t place)
{
    hb_lanes sum[PARTS], below[PARTS], worst = hb_all(tile->out[r]);
    hb_int_lanes nearer = {0};
    double found[GROUP];

    for (size_t i = 0; i < PARTS; i++)
        sum[i] = below[i] = hb_all(0);
    for (size_t c = 0; c < tile->width; c++)
        for (size_t i = 0; i < PARTS; i++) {
            hb_lanes x = hb_all(tile->in[c * tile->stride + r]);
            hb_lanes y = hb_get(vectors + c * GROUP + i * HB_LANES, HB_LANES);

            sum[i] = next(metric, n->power, sum[i], x, y);
            below[i] = next_below(metric, below[i], x, y);
        }
    for (size_t i = 0; i < PARTS; i++) {
        sum[i] = distance(metric, sum[i], below[i], tile->width);
        nearer |= sum[i] < worst;
        hb_put(found + i * HB_LANES, HB_LANES, sum[i]);
    }
    for (size_t i = 0; is_any(nearer) && i < GROUP; i++)
        take(tile, n, r, found[i], place + i);
}

HB_INLINE void all_rows(hb_metric metric, const hb_tile64 *tile, const hb_nearest *n, const double *vectors,
                        size_t place)
{
    size_t r = 0;

    for (; r + ROWS <= tile->rows; r += ROWS)
        for (size_t p = 0; p < GROUP; p += POINTS)
            points_of_rows(metric, tile, n, r, vectors + p, place + p);
    for (; r < tile->rows; r++)
        group_of_row(metric, tile, n, r, vectors, place);
}

#define CASE(metric)                                                                        \
    case metric:                                                                            \
        for (; first < end; first += GROUP)                                                 \
            all_rows(metric, tile, nearest, nearest->vectors + first * tile->width, first); \
        break;

void HB_KERNEL(hb_nearest64)(const hb_tile64 *tile, const hb_nearest *nearest, size_t first, size_t end)
{
    switch (nearest->metric) {
        CASE(HB_METRIC_SQUARED_EUCLIDEAN)
        CASE(HB_METRIC_MANHATTAN)
        CASE(HB_METRIC_CHEBYSHEV)
        CASE(HB_METRIC_MINKOWSKI)
        CASE(HB_METRIC_CANBERRA)
        CASE(HB_METRIC_HAMMING)
        CASE(HB_METRIC_BRAY_CURTIS)
        CASE(HB_METRIC_COSINE)
        CASE(HB_METRIC_JACCARD)
        CASE(HB_METRIC_CHI2)
        CASE(HB_METRIC_KNOWN)
    default:
        break;
    }
}

/* ---- of a row and vectors whose numbers are missing here and there */

/* Mean squares of the columns that both have, times all columns; infinite where there are none. */
HB_INLINE void known_distances(const hb_tile64 *row, const double *vectors, hb_lanes distance[PARTS])
{
    hb_lanes sum[PARTS], count[PARTS];

    for (size_t i = 0; i < PARTS; i++)
        sum[i] = count[i] = hb_all(0);
    for (size_t c = 0; c < row->width; c++) {
        double x = row->in[c * row->stride];

        for (size_t i = 0; x == x && i < PARTS; i++) {
            hb_lanes v = hb_get(vectors + c * GROUP + i * HB_LANES, HB_LANES), apart = x - v;

            sum[i] += hb_select(v == v, apart * apart, hb_all(0));
            count[i] += one_if(v == v);
        }
    }
    for (size_t i = 0; i < PARTS; i++)
        distance[i] = hb_select(count[i] > 0, sum[i] / count[i] * hb_all((double)row->width), hb_all(INFINITY));
}

void HB_KERNEL(hb_nearest_known64)(const hb_tile64 *row, const hb_nearest *nearest, size_t c, size_t first, size_t end,
                                   double *numbers, double *places)
{
    for (; first < end; first += GROUP) {
        const double *vectors = nearest->vectors + first * row->width;
        hb_lanes distance[PARTS];
        double found[GROUP];

        known_distances(row, vectors, distance);
        for (size_t i = 0; i < PARTS; i++)
            hb_put(found + i * HB_LANES, HB_LANES, distance[i]);
        for (size_t i = 0; i < GROUP; i++) {
            double own = vectors[c * GROUP + i];

            if (found[i] < numbers[0] && own == own && first + i < nearest->n_vectors)
                hb_top_k_replace(numbers, places, 1, nearest->k, found[i], (double)(first + i));
        }
    }
}
