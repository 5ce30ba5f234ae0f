/* bessel64.c - see bessel64.h. */
#include "base/bessel64.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "base/elementary64.h"
#include "base/trigonometry64.h"

static const double pi = 3.14159265358979323846;

/* K of two orders that follow each other, each times exp(x) where the argument x is above 2. */
typedef struct bessel_pair {
    double first, second;
} bessel_pair;

/* 1 / gamma(1 + z), by the powers of z. */
static const double reciprocal_gamma[] = {1.0,
                                          0.5772156649015328606065,
                                          -0.655878071520253881077,
                                          -0.042002635034095235529,
                                          0.1665386113822914895017,
                                          -0.04219773455554433674821,
                                          -0.009621971527876973562115,
                                          0.007218943246663099542395,
                                          -0.001165167591859065112114,
                                          -0.0002152416741149509728157,
                                          0.0001280502823881161861532,
                                          -0.00002013485478078823865569,
                                          -0.000001250493482142670657345,
                                          0.000001133027231981695882374,
                                          -2.05633841697760710345e-7,
                                          6.116095104481415817862e-9,
                                          5.002007644469222930056e-9,
                                          -1.181274570487020144588e-9,
                                          1.043426711691100510492e-10,
                                          7.78226343990507125405e-12,
                                          -3.696805618642205708188e-12,
                                          5.100370287454475979015e-13,
                                          -2.058326053566506783222e-14,
                                          -5.34812253942301798237e-15};

/* The sum of every other coefficient from `first` on, by the powers of z^2. */
static double every_other(size_t first, double z)
{
    double sum = 0;

    for (size_t i = sizeof(reciprocal_gamma) / sizeof(reciprocal_gamma[0]) - 2 + first; i > first; i -= 2)
        sum = (sum + reciprocal_gamma[i]) * (z * z);
    return sum + reciprocal_gamma[first];
}

/* Temme's series: x up to 2, |order| at most a half. */
static bessel_pair series(double x, double order)
{
    enum { MOST = 200 };
    double odd = -every_other(1, order), even = every_other(0, order);
    double turn = pi * order, size = -hb_log64(0.5 * x), grown = order * size;
    double ratio = fabs(turn) < DBL_EPSILON ? 1 : turn / hb_sin64(turn);
    double f =
        ratio * (odd * hb_cosh64(grown) + even * (fabs(grown) < DBL_EPSILON ? 1 : hb_sinh64(grown) / grown) * size);
    double p = 0.5 * hb_exp64(grown) / (even - order * odd), q = 0.5 / (hb_exp64(grown) * (even + order * odd));
    double c = 1, step = 0.25 * x * x;
    bessel_pair sum = {f, p};

    for (int i = 1; i < MOST; i++) {
        double term;

        f = (i * f + p + q) / (i * i - order * order);
        c *= step / i;
        p /= i - order;
        q /= i + order;
        term = c * f;
        sum.first += term;
        sum.second += c * (p - i * f);
        if (!(fabs(term) > fabs(sum.first) * (0.25 * DBL_EPSILON)))
            break;
    }
    sum.second *= 2 / x;
    return sum;
}

/* Steed's way through the continued fraction: x above 2, |order| at most a half. */
static bessel_pair fraction(double x, double order)
{
    enum { MOST = 400 };
    double start = 0.25 - order * order, a = -start, b = 2 * (1 + x), d = 1 / b, h = d, delta = d;
    double q1 = 0, q2 = 1, c = start, q = start, s = 1 + q * delta;
    bessel_pair made;

    for (int i = 2; i < MOST; i++) {
        double next, term;

        a -= 2 * (i - 1);
        c = -a * c / i;
        next = (q1 - b * q2) / a;
        q1 = q2;
        q2 = next;
        q += c * next;
        b += 2;
        d = 1 / (b + a * d);
        delta = (b * d - 1) * delta;
        h += delta;
        term = q * delta;
        s += term;
        if (!(fabs(term) > fabs(s) * (0.25 * DBL_EPSILON)))
            break;
    }
    made.first = sqrt(pi / (2 * x)) / s;
    made.second = made.first * (order + x + 0.5 - start * h) / x;
    return made;
}

/* times exp(-x), in two steps: the factor may be 0 where the product is not. */
static double unscaled(double number, double x)
{
    double half = hb_exp64(-0.5 * x);

    return number * half * half;
}

double hb_bessel_k64(double x, double order)
{
    const double least = 2.2250738585072014e-305, tiny = 0x1.b8af60443b747p-1012, huge = 0x1.296d85fbf6e47p+1011;
    double whole = trunc(fabs(order) + 0.5), rest = fabs(order) - whole, k;
    bessel_pair pair;

    if (!(x >= 0 && fabs(order) <= HB_MAX_BESSEL_ORDER))
        return NAN;
    if (x < least || x == INFINITY)
        return x == INFINITY ? 0 : INFINITY;
    pair = x <= 2 ? series(x, rest) : fraction(x, rest);
    for (double i = 1; i <= whole; i++) {
        double next = pair.first + 2 * (rest + i) / x * pair.second;

        pair.first = pair.second;
        pair.second = next;
    }
    k = x <= 2 ? pair.first : unscaled(pair.first, x);
    return k > huge ? INFINITY : k < tiny ? 0 : k;
}
