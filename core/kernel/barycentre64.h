/* barycentre64.h - weights of points, which add up to 1, whose weighted mean is nearest to a row (Roweis and Saul,
 * 2000), with a part of the trace on the diagonal, as scikit-learn has it. */
#ifndef HB_KERNEL_BARYCENTRE64_H
#define HB_KERNEL_BARYCENTRE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/solver.h"

typedef struct hb_barycentre {
    size_t k, width;
    double part;          /* of the trace; of a trace of 0 the number itself */
    const double *points; /* [..][width] */
    const double *row;    /* [width], `stride` apart */
    const double *places; /* [k] of the points, `stride` apart; all of them are there */
    size_t stride;
    double *weights; /* [k] */
    double *factor;  /* [k (k + 1) / 2] products of what lies between the row and the points, then Cholesky's factor */
} hb_barycentre;

/* room: of hb_barycentre_room(k) doubles. */
void hb_barycentre_begin(hb_barycentre *b, double *room);
/* The product of points i and j <= i, in `width` steps. */
void hb_barycentre_multiply(hb_barycentre *b, size_t i, size_t j);
/* Row i of the factor, rising, in i^2 steps; i = 0 comes behind all products. */
void hb_barycentre_factor(hb_barycentre *b, size_t i);
/* The weights, in k^2 steps. NaN: the equations have no solution. */
void hb_barycentre_solve(hb_barycentre *b);

#endif
