/* coupling64.c - see coupling64.h. The matrix Q of the paper has -r_ti r_it beside its diagonal, which is computed
 * again where it is needed: it would not fit beside a row. */
#include "kernel/coupling64.h"

#include <math.h>

/* How likely class t is if it is t or j. */
static double pair_of(const hb_coupling *c, size_t t, size_t j)
{
    size_t first = t < j ? t : j, second = t < j ? j : t;
    size_t place = first * (2 * c->n - first - 1) / 2 + second - first - 1;
    double p = c->pairs[place * c->stride];

    return t < j ? p : 1 - p;
}

static double q_of(const hb_coupling *c, size_t t, size_t j)
{
    return t == j ? c->diagonal[t] : -pair_of(c, j, t) * pair_of(c, t, j);
}

void hb_coupling_begin(hb_coupling *c, const double *pairs, size_t n, size_t stride)
{
    c->pairs = pairs;
    c->n = n;
    c->stride = stride;
    c->rounds = 0;
    for (size_t t = 0; t < n; t++) {
        c->p[t] = 1.0 / (double)n;
        c->diagonal[t] = 0;
        for (size_t j = 0; j < n; j++)
            if (j != t)
                c->diagonal[t] += pair_of(c, j, t) * pair_of(c, j, t);
    }
}

/* Q p and p Q p; gives how far the largest part is from where all are equal. */
static double multiply(hb_coupling *c)
{
    double most = 0;

    c->whole = 0;
    for (size_t t = 0; t < c->n; t++) {
        c->product[t] = 0;
        for (size_t j = 0; j < c->n; j++)
            c->product[t] += q_of(c, t, j) * c->p[j];
        c->whole += c->p[t] * c->product[t];
    }
    for (size_t t = 0; t < c->n; t++)
        most = fabs(c->product[t] - c->whole) <= most ? most : fabs(c->product[t] - c->whole);
    return most;
}

/* Changes the probability of one class so that its part is right, and all so that they add up to 1. */
static void improve(hb_coupling *c, size_t t)
{
    double step = (c->whole - c->product[t]) / c->diagonal[t], scale = 1 + step;

    c->p[t] += step;
    c->whole = (c->whole + step * (step * c->diagonal[t] + 2 * c->product[t])) / scale / scale;
    for (size_t j = 0; j < c->n; j++) {
        c->product[j] = (c->product[j] + step * q_of(c, t, j)) / scale;
        c->p[j] /= scale;
    }
}

bool hb_coupling_next(hb_coupling *c)
{
    size_t most = c->n > 100 ? c->n : 100;

    if (c->rounds++ == most || multiply(c) < 0.005 / (double)c->n)
        return false;
    for (size_t t = 0; t < c->n; t++)
        improve(c, t);
    return true;
}
