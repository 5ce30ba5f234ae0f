/* elementary64.c - see elementary64.h. Table-driven reduction to a small remainder, then a short Taylor
 * polynomial whose next term is far below the last bit. */
#include "base/elementary64.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary64_tables.h"

static double from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* 2^e for -1022 <= e <= 1023. */
static double power_of_two(int e)
{
    return from_bits((uint64_t)(e + 1023) << 52);
}

/* exp(k ln2 / 128 + r) for |r| <= ln2 / 256. */
static double exp_of(int k, double r)
{
    int e = (k - (k & 127)) / 128;
    double scale = exp_table[k & 127][0], tail = exp_table[k & 127][1] + r, result;

    tail += r * r * (0.5 + r * (0.16666666666666666 + r * (0.041666666666666664 + r * 0.008333333333333333)));
    result = scale + scale * tail;
    if (e >= -1021 && e <= 1023)
        return result * power_of_two(e);
    if (e > 1023)
        return result * power_of_two(1023) * 2.0;
    return result * power_of_two(e + 64) * power_of_two(-64); /* denormal: rounded once, at the end */
}

/* x = (128 e + i) ln2 / 128 + r with |r| <= ln2 / 256, so exp(x) = 2^e 2^(i / 128) exp(r). */
double hb_exp64(double x)
{
    double n, r;
    int k;

    if (x != x)
        return x;
    if (x > 709.782712893384)
        return INFINITY;
    if (x < -745.1332191019412)
        return 0;
    n = x * 184.6649652337873; /* 128 / ln2: only picks the interval */
    k = (int)(n < 0 ? n - 0.5 : n + 0.5);
    r = (x - (double)k * ln2_128_high) - (double)k * ln2_128_low;
    return exp_of(k, r);
}

/* x = k / 128 + r exactly, so 2^x = 2^(k / 128) exp(r ln2). */
double hb_exp2_64(double x)
{
    int k;

    if (x != x)
        return x;
    if (x >= 1024)
        return INFINITY;
    if (x < -1075)
        return 0;
    k = (int)(x < 0 ? x * 128.0 - 0.5 : x * 128.0 + 0.5);
    return exp_of(k, (x - (double)k / 128.0) * 0.6931471805599453);
}

/* a + b = *sum + what is returned, exactly (Knuth's two-sum). */
static double two_sum(double a, double b, double *sum)
{
    double s = a + b, of_b = s - a;

    *sum = s;
    return (a - (s - of_b)) + (b - of_b);
}

/* x = 2^e m with 1 <= m < 2, and c = 1 + i / 128 nearest to m: ln x = e ln2 + ln c + ln(1 + (m - c) / c).
 * m - c is exact, and so is e times the first part of ln2. */
static double log_normal(double x)
{
    uint64_t bits = to_bits(x);
    int e = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & 0xfffffffffffff) | 0x3ff0000000000000);
    int i = (int)((m - 1.0) * 128.0 + 0.5);
    double c = 1.0 + (double)i / 128.0, r = (m - c) / c, high, low;

    if (i == 128) { /* c is 2: one more e, so that nothing has to cancel just below 1 */
        e++;
        i = 0;
    }
    low = (double)e * ln2_low + log_table[i][1];
    low += two_sum((double)e * ln2_high, log_table[i][0], &high);
    low += two_sum(high, r, &high);
    low += r * r *
           (-0.5 +
            r * (0.3333333333333333 + r * (-0.25 + r * (0.2 + r * (-0.16666666666666666 + r * 0.14285714285714285)))));
    return high + low;
}

double hb_log64(double x)
{
    if (x != x || x == INFINITY)
        return x;
    if (x <= 0)
        return x == 0 ? -INFINITY : NAN;
    if (x < 2.2250738585072014e-308)
        return log_normal(x * 18014398509481984.0) - 37.42994775023705; /* 2^54 */
    return log_normal(x);
}

/* ln(1 + x) = ln y + (x - (y - 1)) / y for the rounded y = 1 + x. */
double hb_log1p64(double x)
{
    double y = 1.0 + x;

    if (x < 1e-5 && x > -1e-5)
        return x - x * x * (0.5 - x * (0.3333333333333333 - x * 0.25));
    if (!(y > 0 && y < INFINITY))
        return hb_log64(y);
    return hb_log64(y) + (x - (y - 1.0)) / y;
}

/* exp(x) - 1 for |x| <= 0.7, where the 1 takes bits away: it is taken from the power of two before the rest is added.
 */
static double expm1_near(double x)
{
    double n = x * 184.6649652337873, r, scale, tail;
    int k = (int)(n < 0 ? n - 0.5 : n + 0.5);

    r = (x - (double)k * ln2_128_high) - (double)k * ln2_128_low;
    tail = r * r *
           (0.5 + r * (0.16666666666666666 +
                       r * (0.041666666666666664 + r * (0.008333333333333333 + r * 0.001388888888888889))));
    tail += exp_table[k & 127][1];
    tail += r;
    scale = exp_table[k & 127][0] * power_of_two((k - (k & 127)) / 128);
    return (scale - 1.0) + scale * tail;
}

double hb_expm1_64(double x)
{
    if (x == 0)
        return x;
    return x >= -0.7 && x <= 0.7 ? expm1_near(x) : hb_exp64(x) - 1.0;
}

/* By the powers of what the nearest 16th leaves; from 6 on it is 1. */
double hb_erf64(double x)
{
    enum { POWERS = sizeof(erf_table[0]) / sizeof(erf_table[0][0]) };
    double size = x < 0 ? -x : x, rest, y;
    const double *factors;
    int nearest;

    if (x != x || x == 0)
        return x;
    if (size >= 6)
        return x < 0 ? -1 : 1;
    nearest = (int)(size * 16 + 0.5);
    factors = erf_table[nearest];
    rest = size - nearest * 0.0625;
    y = factors[POWERS - 1];
    for (int i = POWERS - 2; i >= 0; i--)
        y = y * rest + factors[i];
    return x < 0 ? -y : y;
}
