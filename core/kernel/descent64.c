/* descent64.c - see descent64.h. */
#include "kernel/descent64.h"

#include <math.h>

/* ---- the duality gap */

static double left_of(const hb_descent *d, size_t j)
{
    return d->products[j * d->stride] - d->made[j];
}

/* The largest product that is left. */
static double largest_left(const hb_descent *d)
{
    double largest = d->positive ? -INFINITY : 0;

    for (size_t j = 0; j < d->n; j++) {
        double left = d->positive ? left_of(d, j) : fabs(left_of(d, j));

        largest = left > largest ? left : largest;
    }
    return largest;
}

/* *scale: what makes the products that are left a point of the dual problem. */
static double gap_of(const hb_descent *d, double *largest)
{
    double with_row = 0, with_made = 0, magnitudes = 0, rest, scale;

    for (size_t j = 0; j < d->n; j++) {
        with_row += d->weights[j] * d->products[j * d->stride];
        with_made += d->weights[j] * d->made[j];
        magnitudes += fabs(d->weights[j]);
    }
    rest = d->square + with_made - 2 * with_row;
    *largest = largest_left(d);
    scale = *largest > d->penalty ? d->penalty / *largest : 1;
    return 0.5 * rest + d->penalty * magnitudes - (-0.5 * (scale * scale) * rest + scale * (d->square - with_row));
}

static void take_out(hb_descent *d, size_t j)
{
    for (size_t i = 0; d->weights[j] != 0 && i < d->n; i++)
        d->made[i] -= d->weights[j] * d->gram[j * d->n + i];
    d->weights[j] = 0;
    d->is_out[j] = 1;
}

/* Vectors that cannot have a weight go out, in n steps each if they have one. */
static void screen(hb_descent *d, double gap, double largest)
{
    double radius = sqrt(2 * fabs(gap)) / d->penalty;

    for (size_t j = 0; j < d->n; j++) {
        double square = d->gram[j * d->n + j];

        if (d->is_out[j] == 0 &&
            (square == 0 || !((1 - fabs(left_of(d, j) / fmax(d->penalty, largest))) / sqrt(square) <= radius)))
            take_out(d, j);
    }
}

/* ---- rounds */

static bool is_finite(const hb_descent *d)
{
    for (size_t j = 0; j < d->n; j++)
        if (!isfinite(d->products[j * d->stride]))
            return false;
    return isfinite(d->square);
}

bool hb_descent_begin(hb_descent *d, double *room)
{
    bool has_answer = is_finite(d);
    double gap, largest;

    d->weights = room;
    d->made = d->weights + d->n;
    d->is_out = d->made + d->n;
    for (size_t j = 0; j < 3 * d->n; j++)
        room[j] = has_answer ? 0 : (double)NAN;
    if (!has_answer || d->rule != HB_DESCENT_SCREENED)
        return has_answer;
    gap = gap_of(d, &largest);
    if (gap >= 0 && gap <= d->tolerance * d->square)
        return false;
    screen(d, gap, largest);
    return true;
}

void hb_descent_begin_round(hb_descent *d)
{
    d->slopes = d->most = d->most_changed = 0;
}

static double shrunk(const hb_descent *d, double best, double square)
{
    if (d->positive && best < 0)
        return 0;
    return copysign(fmax(fabs(best) - d->penalty, 0), best) / square;
}

static void improve_penalized(hb_descent *d, size_t j)
{
    const double *gram = d->gram + j * d->n;
    double before = d->weights[j], after;

    if (gram[j] == 0 || d->is_out[j] != 0)
        return;
    after = shrunk(d, left_of(d, j) + before * gram[j], gram[j]);
    for (size_t i = 0; after != before && i < d->n; i++)
        d->made[i] += (after - before) * gram[i];
    d->weights[j] = after;
    d->most_changed = fmax(d->most_changed, fabs(after - before));
    d->most = fmax(d->most, fabs(after));
}

static void improve_positive(hb_descent *d, size_t j)
{
    const double *gram = d->gram + j * d->n;
    double slope = d->penalty - d->products[j * d->stride];

    for (size_t i = 0; i < d->n; i++)
        slope += gram[i] * d->weights[i];
    d->slopes += fabs(d->weights[j] == 0 ? fmin(slope, 0) : slope);
    if (gram[j] != 0)
        d->weights[j] = fmax(d->weights[j] - slope / gram[j], 0);
}

void hb_descent_improve(hb_descent *d, size_t j)
{
    if (d->rule == HB_DESCENT_SLOPE)
        improve_positive(d, j);
    else
        improve_penalized(d, j);
}

bool hb_descent_end_round(hb_descent *d, bool is_first, bool is_last)
{
    double gap, largest;

    if (d->rule == HB_DESCENT_SLOPE) {
        d->first_slopes = is_first ? d->slopes : d->first_slopes;
        return !is_last && d->first_slopes != 0 && !(d->slopes / d->first_slopes <= d->tolerance);
    }
    if (d->most != 0 && !(d->most_changed / d->most <= d->tolerance) && !is_last)
        return true;
    if (d->rule == HB_DESCENT_STILL)
        return false;
    gap = gap_of(d, &largest);
    if (is_last || gap <= d->tolerance * d->square)
        return false;
    if (d->rule == HB_DESCENT_SCREENED)
        screen(d, gap, largest);
    return true;
}
