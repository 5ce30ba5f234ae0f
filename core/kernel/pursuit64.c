/* pursuit64.c - see pursuit64.h. */
#include "kernel/pursuit64.h"

#include <math.h>

void hb_pursuit_begin(hb_pursuit *p, double *room)
{
    p->found = 0;
    p->order = room;
    p->left = p->order + p->n;
    p->weights = p->left + p->n;
    p->factor = p->weights + p->k;
    for (size_t i = 0; i < p->n; i++) {
        p->order[i] = (double)i;
        p->left[i] = p->products[i * p->stride];
    }
}

static size_t vector_at(const hb_pursuit *p, size_t place)
{
    return (size_t)p->order[place];
}

/* Row i of the factor. */
static double *factor_of(const hb_pursuit *p, size_t i)
{
    return p->factor + i * (i + 1) / 2;
}

/* The place of the largest magnitude that is left, the first of equal ones; NaN is the largest, as in numpy. */
static size_t next_place(const hb_pursuit *p)
{
    size_t place = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (isnan(p->left[i]))
            return i;
        if (fabs(p->left[i]) > fabs(p->left[place]))
            place = i;
    }
    return place;
}

/* A new row of the factor for the vector at `place`. False: it depends on those before it. */
static bool extend(const hb_pursuit *p, size_t place)
{
    const double *gram = p->gram + vector_at(p, place) * p->n;
    double *row = factor_of(p, p->found), squares = 0, rest;

    for (size_t i = 0; i < p->found; i++) {
        const double *before = factor_of(p, i);
        double sum = gram[vector_at(p, i)];

        for (size_t j = 0; j < i; j++)
            sum -= before[j] * row[j];
        row[i] = sum / before[i];
        squares += row[i] * row[i];
    }
    rest = gram[vector_at(p, place)] - squares;
    if (p->found > 0 && rest <= p->least)
        return false;
    row[p->found] = sqrt(rest);
    return true;
}

/* Weights whose products with the vectors found are those of the row. */
static void solve(const hb_pursuit *p)
{
    double *x = p->weights;

    for (size_t i = 0; i < p->found; i++) {
        const double *row = factor_of(p, i);

        x[i] = p->products[vector_at(p, i) * p->stride];
        for (size_t j = 0; j < i; j++)
            x[i] -= row[j] * x[j];
        x[i] /= row[i];
    }
    for (size_t i = p->found; i-- > 0;) {
        for (size_t j = i + 1; j < p->found; j++)
            x[i] -= factor_of(p, j)[i] * x[j];
        x[i] /= factor_of(p, i)[i];
    }
}

void hb_pursuit_look(const hb_pursuit *p, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const double *gram = p->gram + vector_at(p, i) * p->n;
        double sum = 0;

        for (size_t j = 0; j < p->found; j++)
            sum += gram[vector_at(p, j)] * p->weights[j];
        p->left[i] = p->products[vector_at(p, i) * p->stride] - sum;
    }
}

bool hb_pursuit_next(hb_pursuit *p)
{
    size_t place;
    double swapped;

    if (p->found == p->k)
        return false;
    place = next_place(p);
    if (place < p->found || p->left[place] * p->left[place] < p->least || !extend(p, place))
        return false;
    swapped = p->order[p->found];
    p->order[p->found++] = p->order[place];
    p->order[place] = swapped;
    solve(p);
    return true;
}
