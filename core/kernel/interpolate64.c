/* interpolate64.c - see interpolate64.h. */
#include <math.h>

#include "kernel/interpolate64.h"

/* The points of one column. */
typedef struct points {
    const double *x, *y;
    size_t n;
} points;

/* How many points are not above the number; `or_equal` false: are below it. */
static size_t count_below(const points *p, double x, bool or_equal)
{
    size_t low = 0, high = p->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (p->x[middle] < x || (or_equal && p->x[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A slope may overflow: then the line is tried from its other end. */
static double on_line(const points *p, double x)
{
    size_t below = count_below(p, x, true), i = below == 0 ? 0 : below - 1;
    double steep, y;

    if (below == 0 || below == p->n || p->x[i] == x)
        return p->y[i];
    steep = (p->y[i + 1] - p->y[i]) / (p->x[i + 1] - p->x[i]);
    y = steep * (x - p->x[i]) + p->y[i];
    if (!isnan(y))
        return y;
    y = steep * (x - p->x[i + 1]) + p->y[i + 1];
    return isnan(y) && p->y[i] == p->y[i + 1] ? p->y[i] : y;
}

static double by_slope32(double x, double x0, double y0, double x1, double y1)
{
    float steep = (float)(y1 - y0) / (float)(x1 - x0);

    return (double)((float)(x - x0) * steep + (float)y0);
}

static double by_weights32(double x, double x0, double y0, double x1, double y1)
{
    float all = (float)(x1 - x0);

    return (double)((float)(x - x0) / all * (float)y1 + (float)(x1 - x) / all * (float)y0);
}

static double on_line32(const points *p, double x, hb_line_kind kind)
{
    double least = p->x[0], most = p->x[p->n - 1];
    size_t after = count_below(p, x, false), i = after == 0 ? 0 : after < p->n ? after - 1 : p->n - 2;

    if (p->n == 1)
        return p->y[0];
    x = x < least ? least : x > most ? most : x;
    return (kind == HB_LINE_SLOPE32 ? by_slope32 : by_weights32)(x, p->x[i], p->y[i], p->x[i + 1], p->y[i + 1]);
}

static double interpolated(const points *p, double x, bool misses_outside, hb_line_kind kind)
{
    double least = p->x[0], most = p->x[p->n - 1];

    if (isnan(x) || (misses_outside && (x < least || x > most)))
        return NAN;
    return kind == HB_LINE_SLOPE ? on_line(p, x) : on_line32(p, x, kind);
}

void hb_interpolate64(const hb_tile64 *tile, const hb_lines *lines, bool misses_outside, hb_line_kind kind)
{
    for (size_t c = 0; c < tile->width; c++) {
        size_t first = c ? lines->ends[c - 1] : 0;
        const points p = {lines->x + first, lines->y + first, lines->ends[c] - first};
        const double *x = tile->in + c * tile->stride;
        double *out = tile->out + c * tile->stride;

        for (size_t r = 0; r < tile->rows; r++)
            out[r] = interpolated(&p, x[r], misses_outside, kind);
    }
}
