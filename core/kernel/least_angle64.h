/* least_angle64.h - least angle regression of a row: weights grow together for the vectors that say most of what is
 * left. Efron, Hastie, Johnstone, Tibshirani (2004), "Least Angle Regression", Annals of Statistics 32. Steps, ties,
 * and where it ends are those of scikit-learn's lars_path (1.2.1, 1.9.1), with its choices for vectors that depend on
 * others. */
#ifndef HB_KERNEL_LEAST_ANGLE64_H
#define HB_KERNEL_LEAST_ANGLE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/solver.h"

typedef struct hb_least_angle {
    size_t n, k;     /* vectors; weights, at most */
    size_t n_rounds; /* steps, at most */
    bool lasso;      /* a vector whose weight becomes 0 leaves.. */
    bool positive;   /* ..and no weight is negative */
    double penalty,
        n_terms;        /* ends where the largest product that is left, divided by n_terms, is at most the penalty */
    double power;       /* of ten: products of the direction are rounded to so many decimals */
    const double *gram; /* [n][n] */
    const double *products; /* [n], `stride` apart: of the row with each vector */
    size_t stride;
    size_t found, rounds;   /* weights, steps so far */
    bool dropped;           /* a weight became 0 in the last step */
    double alpha, before;   /* the largest product that was left, of this step and of the one before */
    double largest, scale;  /* of the step: the product, and the direction's own product with each vector found */
    double *order;          /* [n] the vectors, those with a weight first */
    double *left;           /* [n] what is left of the products of the others, in this order from `found` on */
    double *weights, *last; /* [n] by vector; those before the last step */
    double *direction;      /* [n] its products with the others, as `left` */
    double *steps, *signs;  /* [k] of the vectors found */
    double *factor;         /* [k (k + 3) / 2] Cholesky's, of the vectors found: row i has room for i + 2 */
} hb_least_angle;

typedef enum hb_least_angle_next {
    HB_LEAST_ANGLE_END,   /* the weights are there, or NaN */
    HB_LEAST_ANGLE_AGAIN, /* a vector that depends on others was left out: choose again */
    HB_LEAST_ANGLE_STEP   /* the direction's products are due, then a step */
} hb_least_angle_next;

/* room: of hb_least_angle_room(n, k) doubles. False: a product is not finite, and all weights are NaN. */
bool hb_least_angle_begin(hb_least_angle *a, double *room);
/* In some n + 2 found^2 steps. */
hb_least_angle_next hb_least_angle_choose(hb_least_angle *a);
/* The direction's products with the vectors at places [first, end), from `found` on, in `found` steps each. */
void hb_least_angle_look(const hb_least_angle *a, size_t first, size_t end);
/* In some 4 n + found^2 steps. False: scikit-learn fails, and all weights are NaN. */
bool hb_least_angle_step(hb_least_angle *a);

#endif
