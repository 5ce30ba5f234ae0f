/* quantile64.c - see quantile64.h. */
#include "base/quantile64.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/elementary64.h"

/* Coefficients of a numerator and a denominator, the highest power first; those of denominators begin with x^8. */
enum { N_MIDDLE = 5, N_TAIL = 9, N_BELOW = 8 };

/* |p - 0.5| <= 3/8, of its square */
static const double middle_above[N_MIDDLE] = {-5.99633501014107895267e1, 9.80010754185999661536e1,
                                              -5.66762857469070293439e1, 1.39312609387279679503e1,
                                              -1.23916583867381258016e0};
static const double middle_below[N_BELOW] = {
    1.95448858338141759834e0, 4.67627912898881538453e0,  8.63602421390890590575e1, -2.25462687854119370527e2,
    2.00260212380060660359e2, -8.20372256168333339912e1, 1.59056225126211695515e1, -1.18331621121330003142e0};

/* 1 / sqrt(-2 log p) from 1/8 on, and below: p under exp(-32) */
static const double near_above[N_TAIL] = {
    4.05544892305962419923e0,   3.15251094599893866154e1,   5.71628192246421288162e1,
    4.40805073893200834700e1,   1.46849561928858024014e1,   2.18663306850790267539e0,
    -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4};
static const double near_below[N_BELOW] = {
    1.57799883256466749731e1, 4.53907635128879210584e1,   4.13172038254672030440e1,   1.50425385692907503408e1,
    2.50464946208309415979e0, -1.42182922854787788574e-1, -3.80806407691578277194e-2, -9.33259480895457427372e-4};
static const double far_above[N_TAIL] = {
    3.23774891776946035970e0,  6.91522889068984211695e0,  3.93881025292474443415e0,
    1.33303460815807542389e0,  2.01485389549179081538e-1, 1.23716634817820021358e-2,
    3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9};
static const double far_below[N_BELOW] = {
    6.02427039364742014255e0,  3.67983563856160859403e0,  1.37702099489081330271e0,  2.16236993594496635890e-1,
    1.34204006088543189037e-2, 3.28014464682127739104e-4, 2.89247864745380683936e-6, 6.79019408009981274425e-9};

static double polynomial(double x, double first, const double *c, size_t n)
{
    double y = first;

    for (size_t i = 0; i < n; i++)
        y = y * x + c[i];
    return y;
}

static double quotient(double x, const double *above, size_t n, const double *below)
{
    return polynomial(x, above[0], above + 1, n - 1) / polynomial(x, 1, below, N_BELOW);
}

/* A probability of at most exp(-2): the quantile follows from the tail's own logarithm. */
static double tail(double p)
{
    double x = sqrt(-2.0 * hb_log64(p)), z = 1.0 / x;
    double ratio = x < 8.0 ? quotient(z, near_above, N_TAIL, near_below) : quotient(z, far_above, N_TAIL, far_below);

    return (x - hb_log64(x) / x) - z * ratio;
}

double hb_normal_quantile64(double p)
{
    static const double root_of_2_pi = 2.50662827463100050242, least = 0.13533528323661269189 /* exp(-2) */;
    double y, y2;

    if (!(p >= 0 && p <= 1))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? -INFINITY : INFINITY;
    if (p <= least)
        return -tail(p);
    if (p > 1.0 - least && 1.0 - p <= least)
        return tail(1.0 - p);
    y = (p > 1.0 - least ? 1.0 - p : p) - 0.5;
    y2 = y * y;
    y = (y + y * (y2 * quotient(y2, middle_above, N_MIDDLE, middle_below))) * root_of_2_pi;
    return p > 1.0 - least ? -y : y;
}
