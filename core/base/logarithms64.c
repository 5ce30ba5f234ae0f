/* logarithms64.c - see logarithms64.h: x = 2^e m with m near 1, whose logarithm is small beside e where e is not 0. */
#include "base/logarithms64.h"

#include <math.h>
#include <stdbool.h>

#include "base/elementary64.h"

/* m of x = 2^*e m, from sqrt(1/2) to sqrt(2), for a finite x above 0. */
static double split(double x, int *e)
{
    double m = frexp(x, e);

    if (m >= 0.7071067811865476)
        return m;
    *e -= 1;
    return 2 * m;
}

static bool is_ordinary(double x)
{
    return x > 0 && x < INFINITY;
}

double hb_log2_64(double x)
{
    double m;
    int e;

    if (!is_ordinary(x))
        return hb_log64(x);
    m = split(x, &e);
    return (double)e + hb_log64(m) * 1.4426950408889634; /* 1 / ln 2 */
}

/* lg 2 in two parts, the first of 33 bits, so that its product with e is exact. */
double hb_log10_64(double x)
{
    static const double high = 0x1.34413509p-2, low = 0x1.ef3fde623e256p-35;
    double m;
    int e;

    if (!is_ordinary(x))
        return hb_log64(x);
    m = split(x, &e);
    return (double)e * high + ((double)e * low + hb_log64(m) * 0.4342944819032518); /* 1 / ln 10 */
}

/* One step of Newton's from what the logarithm says. */
double hb_cbrt64(double x)
{
    double size = fabs(x), scale = 1, y;

    if (x == 0 || !(size < INFINITY))
        return x;
    if (size < 0x1p-900) { /* its cubes below lose no bits */
        size *= 0x1p300;
        scale = 0x1p-100;
    }
    y = hb_exp64(hb_log64(size) / 3);
    y -= (y * y * y - size) / (3 * y * y);
    y *= scale;
    return x < 0 ? -y : y;
}
