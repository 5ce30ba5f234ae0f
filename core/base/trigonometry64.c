/* trigonometry64.c - see trigonometry64.h: an angle is brought to at most a quarter of pi, as the sum of two doubles,
 * and there Taylor's polynomial is as good as any. */
#include "base/trigonometry64.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/elementary64.h"

/* x = quadrant pi / 2 + high + low, where high + low is at most pi / 4 and a little. */
typedef struct angle {
    double high, low;
    unsigned quadrant;
} angle;

/* pi / 2 in two parts */
static const double half_pi = 0x1.921fb54442d18p+0, half_pi_low = 0x1.1a62633145c07p-54;

/* ---- small arguments */

/* pi / 2 in four parts, the first three of 33 bits, so that their products with an integer of 20 bits are exact. */
static angle reduce_small(double x)
{
    static const double parts[4] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                    0x1.b839a252049c1p-104};
    double n = rint(x * 0x1.45f306dc9c883p-1), high = x - n * parts[0], low = 0;

    for (int i = 1; i < 4; i++) { /* high + low - n * part, where high may be next to nothing */
        double product = n * parts[i], next = high - product, taken = next - high;

        low += (high - (next - taken)) - (product + taken);
        high = next;
    }
    return (angle){high + low, low - ((high + low) - high), (unsigned)(int64_t)n};
}

/* ---- large ones: the bits of 2 / pi that matter for the exponent (Payne and Hanek) */

static const uint64_t two_over_pi[19] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/* 64 bits of 2 / pi from bit `first` on; bit 1 is the one that is worth 1/2. */
static uint64_t bits_from(int first)
{
    int at = first - 1, word, shift;

    if (at < 0)
        return at <= -64 ? 0 : two_over_pi[0] >> -at;
    word = at / 64;
    shift = at % 64;
    return two_over_pi[word] << shift | (shift ? two_over_pi[word + 1] >> (64 - shift) : 0);
}

/* The upper half of a product. */
static uint64_t high_product(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xffffffff);

    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static double from_bits(uint64_t bits, int exponent)
{
    return ldexp((double)(bits >> 11), exponent + 11); /* 53 bits: exact */
}

/* f / 2^128 of pi / 2, f as two words, below 2^127. */
static void times_half_pi(uint64_t f1, uint64_t f0, angle *a)
{
    int zeros = 0;
    double high, low, product, a1, a0, b1, b0;

    while (zeros < 127 && !(f1 >> 63)) {
        f1 = f1 << 1 | f0 >> 63;
        f0 <<= 1;
        zeros++;
    }
    high = from_bits(f1, -64 - zeros);
    low = from_bits(f1 << 53 | f0 >> 11, -64 - 53 - zeros);
    product = high * half_pi;
    a1 = (double)(float)high; /* halves whose products are exact */
    a0 = high - a1;
    b1 = (double)(float)half_pi;
    b0 = half_pi - b1;
    low = low * half_pi + high * half_pi_low + (((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0);
    a->high = product + low;
    a->low = low - (a->high - product);
}

/* x = m 2^e. Of m 2^e 2 / pi modulo 4 two bits are the quadrant, and the next 128 the part of it. */
static angle reduce_large(double x)
{
    angle a;
    uint64_t m, p2, p1, p0, c;
    int e;

    m = (uint64_t)ldexp(frexp(fabs(x), &e), 53);
    e -= 53;
    p0 = m * bits_from(e - 1 + 128);
    c = high_product(m, bits_from(e - 1 + 128));
    p1 = m * bits_from(e - 1 + 64);
    p2 = m * bits_from(e - 1) + high_product(m, bits_from(e - 1 + 64));
    p1 += c;
    p2 += p1 < c;
    a.quadrant = (unsigned)(p2 >> 62);
    p2 = p2 << 2 | p1 >> 62;
    p1 = p1 << 2 | p0 >> 62;
    if (p2 >> 63) { /* nearer to the next quadrant */
        p2 = ~p2;
        p1 = ~p1; /* less than a last bit off */
        times_half_pi(p2, p1, &a);
        a = (angle){-a.high, -a.low, a.quadrant + 1};
    } else
        times_half_pi(p2, p1, &a);
    if (x < 0)
        a = (angle){-a.high, -a.low, 4 - a.quadrant % 4};
    return a;
}

static angle reduce(double x)
{
    if (fabs(x) <= 0.7853981633974483)
        return (angle){x, 0, 0};
    return fabs(x) < 0x1p20 ? reduce_small(x) : reduce_large(x);
}

/* ---- up to pi / 4 */

static double sine_near(double x, double low)
{
    double z = x * x;
    double p =
        -1.0 / 6 +
        z * (1.0 / 120 +
             z * (-1.0 / 5040 +
                  z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800 +
                                                                  z * (-1.0 / 1307674368000 + z / 355687428096000))))));

    return x + (x * z * p + low * (1 - 0.5 * z));
}

static double cosine_near(double x, double low)
{
    double z = x * x, half = 0.5 * z, rest = 1 - half;
    double p = 1.0 / 24 +
               z * (-1.0 / 720 +
                    z * (1.0 / 40320 +
                         z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 + z / 20922789888000)))));

    return rest + (((1 - rest) - half) + (z * z * p - x * low));
}

/* The sine of the angle and some quadrants more. */
static double sine_of(const angle *a, unsigned more)
{
    unsigned quadrant = (a->quadrant + more) % 4;
    double y = quadrant % 2 ? cosine_near(a->high, a->low) : sine_near(a->high, a->low);

    return quadrant >= 2 ? -y : y;
}

double hb_sin64(double x)
{
    angle a;

    if (x == 0 || !(fabs(x) < INFINITY))
        return x == 0 ? x : NAN;
    a = reduce(x);
    return sine_of(&a, 0);
}

double hb_cos64(double x)
{
    angle a;

    if (!(fabs(x) < INFINITY))
        return NAN;
    a = reduce(x);
    return sine_of(&a, 1);
}

double hb_tan64(double x)
{
    angle a;

    if (x == 0 || !(fabs(x) < INFINITY))
        return x == 0 ? x : NAN;
    a = reduce(x);
    return sine_of(&a, 0) / sine_of(&a, 1);
}

/* ---- inverses */

/* The angle of tangent y / x, both at least 0: that of c = i / 8, and that of the small rest. */
static double arctan_of(double y, double x)
{
    static const double angles[9][2] = {
        {0x0.0p+0, 0x0.0p+0},
        {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
        {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
        {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
        {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    };
    bool swapped = y > x;
    double small = swapped ? x : y, large = swapped ? y : x;
    int i = (int)(small / large * 8 + 0.5);
    double c = (double)i / 8, t = (small - c * large) / (large + c * small), z = t * t;
    double p =
        t * z * (-1.0 / 3 + z * (0.2 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13 - z / 15))))));
    double near = angles[i][0] + (angles[i][1] + p + t);

    if (!swapped)
        return i ? near : t + p;
    return (half_pi - angles[i][0]) + (half_pi_low - angles[i][1] - p - t);
}

double hb_arctan64(double x)
{
    double y;

    if (x == 0 || x != x)
        return x;
    y = fabs(x) > 0x1p60 ? half_pi : arctan_of(fabs(x), 1);
    return x < 0 ? -y : y;
}

/* sqrt(1 - x^2) without what the square would lose near 1 */
static double other_side(double x)
{
    return sqrt((1 - x) * (1 + x));
}

double hb_arcsin64(double x)
{
    double size = fabs(x), y;

    if (!(size <= 1))
        return NAN;
    if (size < 0x1p-27)
        return x;
    y = arctan_of(size, other_side(size));
    return x < 0 ? -y : y;
}

double hb_arccos64(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    if (x == 1)
        return 0;
    return x >= 0 ? arctan_of(other_side(x), x) : 2 * half_pi - (arctan_of(other_side(-x), -x) - 2 * half_pi_low);
}

/* ---- hyperbolic ones */

double hb_sinh64(double x)
{
    double size = fabs(x), e, y;

    if (x == 0 || !(size < INFINITY))
        return x;
    if (size > 700) {
        e = hb_exp64(0.5 * size);
        y = 0.5 * e * e;
    } else {
        e = hb_expm1_64(size);
        y = 0.5 * (e + e / (e + 1));
    }
    return x < 0 ? -y : y;
}

double hb_cosh64(double x)
{
    double size = fabs(x), e;

    if (!(size < INFINITY))
        return size;
    e = hb_exp64(size > 700 ? 0.5 * size : size);
    return size > 700 ? 0.5 * e * e : 0.5 * (e + 1 / e);
}

double hb_arcsinh64(double x)
{
    double size = fabs(x), square, y;

    if (x == 0 || !(size < INFINITY))
        return x;
    square = size * size;
    y = size > 0x1p30 ? hb_log64(size) + 0.6931471805599453 : hb_log1p64(size + square / (1 + sqrt(1 + square)));
    return x < 0 ? -y : y;
}

double hb_arccosh64(double x)
{
    double t = x - 1;

    if (!(x >= 1))
        return NAN;
    return x > 0x1p30 ? hb_log64(x) + 0.6931471805599453 : hb_log1p64(t + sqrt(2 * t + t * t));
}

double hb_arctanh64(double x)
{
    double size = fabs(x), y;

    if (x == 0 || !(size <= 1))
        return x == 0 ? x : NAN;
    y = 0.5 * hb_log1p64(2 * size / (1 - size));
    return x < 0 ? -y : y;
}
