/* topics64.c - see topics64.h. Sums are added in the order of the topics and of the words. */
#include "kernel/topics64.h"

#include <float.h>
#include <math.h>

#include "base/elementary64.h"

static inline double rounded(bool in_float32, double x)
{
    return in_float32 ? (double)(float)x : x;
}

double hb_digamma64(double x, bool in_float32)
{
    const double euler = 0.577215664901532860606512090082402431;
    double sum = 0, r;

    if (x <= 1e-6)
        return rounded(in_float32, -euler - 1 / x);
    for (; x < 6; x = rounded(in_float32, x + 1))
        sum = rounded(in_float32, sum - 1 / x);
    r = rounded(in_float32, 1 / x);
    sum = rounded(in_float32, sum + (hb_log64(x) - 0.5 * r));
    r = rounded(in_float32, r * r);
    return rounded(in_float32, sum - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252))));
}

static double share_of(const hb_topics *t, double amount, double of_total)
{
    return rounded(t->in_float32, hb_exp64(rounded(t->in_float32, hb_digamma64(amount, t->in_float32) - of_total)));
}

void hb_topics_begin(hb_topics *t)
{
    double share = share_of(t, 1, hb_digamma64((double)t->n, t->in_float32));

    for (size_t k = 0; k < t->n; k++) {
        t->amounts[k * t->stride] = 1;
        t->shares[k] = share;
    }
}

void hb_topics_begin_round(hb_topics *t)
{
    for (size_t k = 0; k < t->n; k++)
        t->sums[k] = 0;
}

void hb_topics_add(hb_topics *t, const double *weights, double count)
{
    double sum = 0, part;

    for (size_t k = 0; k < t->n; k++)
        sum += t->shares[k] * weights[k];
    sum = rounded(t->in_float32, rounded(t->in_float32, sum) + (t->in_float32 ? (double)FLT_EPSILON : DBL_EPSILON));
    part = rounded(t->in_float32, count / sum);
    for (size_t k = 0; k < t->n; k++)
        t->sums[k] += part * weights[k];
}

double hb_topics_end_round(hb_topics *t)
{
    double total = 0, changed = 0, of_total;

    for (size_t k = 0; k < t->n; k++) {
        double before = t->amounts[k * t->stride];
        double after = rounded(t->in_float32, t->shares[k] * rounded(t->in_float32, t->sums[k]));

        after = rounded(t->in_float32, after + t->prior);
        total = rounded(t->in_float32, total + after);
        changed += fabs(rounded(t->in_float32, before - after));
        t->amounts[k * t->stride] = after;
    }
    of_total = hb_digamma64(total, t->in_float32);
    for (size_t k = 0; k < t->n; k++)
        t->shares[k] = share_of(t, t->amounts[k * t->stride], of_total);
    return changed / (double)t->n;
}

void hb_topics_end(hb_topics *t)
{
    double total = 0;

    for (size_t k = 0; k < t->n; k++)
        total += t->amounts[k * t->stride];
    total = rounded(t->in_float32, total);
    for (size_t k = 0; k < t->n; k++)
        t->amounts[k * t->stride] = rounded(t->in_float32, t->amounts[k * t->stride] / total);
}
