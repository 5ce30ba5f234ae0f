/* barycentre64.c - see barycentre64.h. */
#include "kernel/barycentre64.h"

#include <math.h>

static double *factor_row(const hb_barycentre *b, size_t i)
{
    return b->factor + i * (i + 1) / 2;
}

static const double *point_of(const hb_barycentre *b, size_t i)
{
    return b->points + (size_t)b->places[i * b->stride] * b->width;
}

void hb_barycentre_begin(hb_barycentre *b, double *room)
{
    b->weights = room;
    b->factor = room + b->k;
}

void hb_barycentre_multiply(hb_barycentre *b, size_t i, size_t j)
{
    const double *first = point_of(b, i), *second = point_of(b, j);
    double sum = 0;

    for (size_t c = 0; c < b->width; c++)
        sum += (first[c] - b->row[c * b->stride]) * (second[c] - b->row[c * b->stride]);
    factor_row(b, i)[j] = sum;
}

/* Adds a part of the trace to each number of the diagonal. */
static void regularize(hb_barycentre *b)
{
    double trace = 0;

    for (size_t i = 0; i < b->k; i++)
        trace += factor_row(b, i)[i];
    for (size_t i = 0; i < b->k; i++)
        factor_row(b, i)[i] += trace > 0 ? b->part * trace : b->part;
}

void hb_barycentre_factor(hb_barycentre *b, size_t i)
{
    double *row = factor_row(b, i);

    if (i == 0)
        regularize(b);
    for (size_t j = 0; j <= i; j++) {
        const double *other = factor_row(b, j);
        double sum = row[j];

        for (size_t t = 0; t < j; t++)
            sum -= row[t] * other[t];
        row[j] = j < i ? sum / other[j] : sqrt(sum);
    }
}

void hb_barycentre_solve(hb_barycentre *b)
{
    double *x = b->weights, sum = 0;

    for (size_t i = 0; i < b->k; i++) {
        x[i] = 1;
        for (size_t j = 0; j < i; j++)
            x[i] -= factor_row(b, i)[j] * x[j];
        x[i] /= factor_row(b, i)[i];
    }
    for (size_t i = b->k; i-- > 0;) {
        for (size_t j = i + 1; j < b->k; j++)
            x[i] -= factor_row(b, j)[i] * x[j];
        x[i] /= factor_row(b, i)[i];
        sum += x[i];
    }
    for (size_t i = 0; i < b->k; i++)
        x[i] = x[i] / sum;
}
