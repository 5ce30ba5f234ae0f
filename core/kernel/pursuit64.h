/* pursuit64.h - orthogonal matching pursuit: a few weights of vectors whose sum is nearest to a row, found one by one.
 * Rubinstein, Zibulevsky, Elad (2008), "Efficient implementation of the K-SVD algorithm using batch orthogonal matching
 * pursuit", without its tolerance; ties, and what counts as 0, are scikit-learn's. */
#ifndef HB_KERNEL_PURSUIT64_H
#define HB_KERNEL_PURSUIT64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/solver.h"

typedef struct hb_pursuit {
    size_t n, k;            /* vectors; weights, at most */
    double least;           /* squares that count as 0 */
    const double *gram;     /* [n][n] */
    const double *products; /* [n], `stride` apart: of the row with each vector */
    size_t stride;
    size_t found;    /* weights so far */
    double *order;   /* [n] the vectors, those with a weight first */
    double *left;    /* [n] what is left of the products, in this order */
    double *weights; /* [k] */
    double *factor;  /* [k (k + 1) / 2] Cholesky's, of the vectors found */
} hb_pursuit;

/* room: of hb_pursuit_room(n, k) doubles. */
void hb_pursuit_begin(hb_pursuit *p, double *room);
/* Finds one more, in about n + 2 found^2 steps. False: there is no more to do. */
bool hb_pursuit_next(hb_pursuit *p);
/* The rest of the products, then, at places [first, end), in `found` steps each. */
void hb_pursuit_look(const hb_pursuit *p, size_t first, size_t end);

#endif
