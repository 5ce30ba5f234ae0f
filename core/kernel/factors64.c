/* factors64.c - see factors64.h. Sums are added in the order of the components and of the columns. */
#include "kernel/factors64.h"

#include <float.h>
#include <math.h>

#include "base/arithmetic64.h"
#include "base/elementary64.h"

/* scikit-learn's, of float32, whatever the type of the row. */
#define EPSILON ((double)FLT_EPSILON)

static double rounded(const hb_factors *f, double x)
{
    return f->in_float32 ? (double)(float)x : x;
}

void hb_factors_begin(hb_factors *f, double mean, double *room)
{
    f->amounts = room;
    f->sums = f->amounts + f->n;
    f->kept = f->sums + f->n;
    f->above = f->kept + f->n;
    f->below = f->above + f->n;
    for (size_t k = 0; k < f->n; k++) {
        f->amounts[k] = rounded(f, sqrt(mean / (double)f->n));
        f->sums[k] = f->kept[k] = 0;
    }
}

void hb_factors_add_weights(hb_factors *f, const double *weights, double x)
{
    (void)x;
    for (size_t k = 0; k < f->n; k++)
        f->kept[k] = f->sums[k] += weights[k];
}

void hb_factors_begin_round(hb_factors *f)
{
    for (size_t k = 0; k < f->n; k++)
        f->above[k] = f->below[k] = 0;
}

static double made_of(const hb_factors *f, const double *weights)
{
    double sum = 0;

    for (size_t k = 0; k < f->n; k++)
        sum += f->amounts[k] * weights[k];
    return sum;
}

static double divisor_of(const hb_factors *f, double made)
{
    return made == 0 || made < f->least ? EPSILON : made;
}

static double part_above(const hb_factors *f, double made, double x)
{
    double inverse;

    if (f->beta == 2 || x == 0)
        return x;
    if (f->beta > 2)
        return x * hb_power_of(made, f->beta - 2);
    made = divisor_of(f, made);
    if (f->beta == 1)
        return x / made;
    if (f->beta != 0)
        return x * hb_power_of(made, f->beta - 2);
    inverse = 1 / made;
    return x * (inverse * inverse);
}

void hb_factors_add_column(hb_factors *f, const double *weights, double x)
{
    double made = made_of(f, weights), above = part_above(f, made, x), below = 0;

    if (f->beta != 1)
        below = f->beta == 2 ? made : hb_power_of(f->beta < 1 ? divisor_of(f, made) : made, f->beta - 1);
    for (size_t k = 0; k < f->n; k++) {
        f->above[k] += above * weights[k];
        f->below[k] += below * weights[k];
    }
}

/* What the amount is divided by. scikit-learn's NMF adds the penalty of Kullback-Leibler to sums that it keeps. */
static double whole_below(hb_factors *f, size_t k)
{
    double below = f->penalty[0] + (f->beta == 1 ? f->kept[k] : f->below[k]);

    if (f->is_kept)
        f->kept[k] = below;
    below += f->penalty[1] * f->amounts[k];
    return below == 0 ? EPSILON : below;
}

double hb_factors_end_round(hb_factors *f)
{
    double gamma = f->beta < 1 ? 1 / (2 - f->beta) : f->beta > 2 ? 1 / (f->beta - 1) : 1, changed = 0, size = 0;

    for (size_t k = 0; k < f->n; k++) {
        double before = f->amounts[k], factor = f->above[k] / whole_below(f, k), after;

        after = rounded(f, before * (gamma == 1 ? factor : hb_power_of(factor, gamma)));
        if (f->is_kept && f->beta < 1 && after < DBL_EPSILON)
            after = 0;
        f->amounts[k] = after;
        changed += (after - before) * (after - before);
        size += after * after;
    }
    return sqrt(changed) / sqrt(size);
}

void hb_factors_begin_error(hb_factors *f)
{
    f->error = f->powers = 0;
}

void hb_factors_add_error(hb_factors *f, const double *weights, double x)
{
    double made = made_of(f, weights), divisor = divisor_of(f, made);

    if (f->beta == 2)
        f->error += (x - made) * (x - made);
    else if (f->beta != 0 && f->beta != 1)
        f->powers += hb_power_of(made, f->beta);
    if (f->beta == 2 || !(x > EPSILON))
        return;
    if (f->beta == 1)
        f->error += x * hb_log64(x / divisor) - x;
    else if (f->beta == 0)
        f->error += x / divisor - hb_log64(x / divisor);
    else
        f->error += hb_power_of(x, f->beta) - f->beta * (x * hb_power_of(divisor, f->beta - 1));
}

double hb_factors_end_error(const hb_factors *f, size_t n_columns)
{
    double error = f->error;

    if (f->beta == 2)
        return sqrt(error);
    if (f->beta == 1)
        error += made_of(f, f->sums);
    else if (f->beta == 0)
        error -= (double)n_columns;
    else
        error = (error + f->powers * (f->beta - 1)) / (f->beta * (f->beta - 1));
    return sqrt(2 * (error < 0 ? 0 : error));
}
