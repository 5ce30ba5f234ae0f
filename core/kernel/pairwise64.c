/* pairwise64.c - see pairwise64.h: rows side by side for one vector, or of a single row some vectors side by side. */
#include "kernel/pairwise64.h"

#include <math.h>

#include "base/arithmetic64.h"
#include "kernel/kernels.h"

enum { ROWS = 64, VECTORS = 8 };

static inline double canberra(double x, double v)
{
    double size = fabs(x) + fabs(v);

    return size == 0 ? 0 : fabs(x - v) / size;
}

/* X(metric, the sum after x and v) */
#define METRICS(X)                                                \
    X(HB_METRIC_DOT, sum + x * v)                                 \
    X(HB_METRIC_SQUARED_EUCLIDEAN, sum + (x - v) * (x - v))       \
    X(HB_METRIC_MANHATTAN, sum + fabs(x - v))                     \
    X(HB_METRIC_CHEBYSHEV, hb_maximum_of(sum, fabs(x - v)))       \
    X(HB_METRIC_MINKOWSKI, sum + hb_power_of(fabs(x - v), power)) \
    X(HB_METRIC_CANBERRA, sum + canberra(x, v))                   \
    X(HB_METRIC_HAMMING, sum + (double)(x != v))

/* Up to ROWS rows and one vector. */
#define EACH_ROW(metric, next)                                \
    case metric:                                              \
        for (size_t c = 0; c < width; c++) {                  \
            double v = vector[c];                             \
                                                              \
            HB_INDEPENDENT                                    \
            for (size_t r = 0; r < rows; r++) {               \
                double x = in[c * stride + r], sum = sums[r]; \
                sums[r] = next;                               \
            }                                                 \
        }                                                     \
        break;

static void rows_of(const double *in, size_t width, size_t stride, size_t rows, hb_metric metric, double power,
                    const double *vector, double *out)
{
    double sums[ROWS] = {0};

    switch (metric) {
        METRICS(EACH_ROW)
    default:
        break;
    }
    for (size_t r = 0; r < rows; r++)
        out[r] = sums[r] == sums[r] ? sums[r] : NAN;
}

/* One row and up to VECTORS vectors, whose sums do not wait for each other. */
#define EACH_VECTOR(metric, next)                                 \
    case metric:                                                  \
        for (size_t c = 0; c < width; c++) {                      \
            double x = in[c * stride];                            \
                                                                  \
            for (size_t i = 0; i < n; i++) {                      \
                double v = vectors[i * width + c], sum = sums[i]; \
                sums[i] = next;                                   \
            }                                                     \
        }                                                         \
        break;

static void vectors_of(const double *in, size_t width, size_t stride, hb_metric metric, double power,
                       const double *vectors, size_t n, double *out)
{
    double sums[VECTORS] = {0};

    switch (metric) {
        METRICS(EACH_VECTOR)
    default:
        break;
    }
    for (size_t i = 0; i < n; i++)
        out[i * stride] = sums[i] == sums[i] ? sums[i] : NAN;
}

void HB_KERNEL(hb_pairwise64)(const hb_tile64 *tile, hb_metric metric, double power, const double *vectors, size_t n)
{
    enum { FEW = 3 };

    if (tile->rows > FEW) {
        for (size_t i = 0; i < n; i++)
            for (size_t first = 0; first < tile->rows; first += ROWS)
                rows_of(tile->in + first, tile->width, tile->stride,
                        tile->rows - first < ROWS ? tile->rows - first : ROWS, metric, power, vectors + i * tile->width,
                        tile->out + i * tile->stride + first);
        return;
    }
    for (size_t r = 0; r < tile->rows; r++)
        for (size_t i = 0; i < n; i += VECTORS)
            vectors_of(tile->in + r, tile->width, tile->stride, metric, power, vectors + i * tile->width,
                       n - i < VECTORS ? n - i : VECTORS, tile->out + i * tile->stride + r);
}
