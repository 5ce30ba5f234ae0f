/* factors64.h - how much of each component a row has: nonnegative matrix factorization of one row by multiplicative
 * updates (Fevotte, Idier (2011), "Algorithms for nonnegative matrix factorization with the beta-divergence"), step by
 * step as scikit-learn's. */
#ifndef HB_KERNEL_FACTORS64_H
#define HB_KERNEL_FACTORS64_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hb_factors {
    size_t n;
    double beta;           /* of the divergence: 2 squares, 1 Kullback-Leibler, 0 Itakura-Saito */
    double penalty[2];     /* of an amount, of its square */
    double least;          /* a sum of components of 0, or below this, counts as epsilon where it divides */
    bool is_kept;          /* scikit-learn's NMF: a penalty adds up over the rounds where beta is 1.. */
    bool in_float32;       /* amounts are rounded */
    double *amounts;       /* [n] */
    double *sums;          /* [n] of the weights of each component, where beta is 1 */
    double *kept;          /* [n] ..here */
    double *above, *below; /* [n] of the round: an amount is multiplied by their quotient */
    double error, powers;  /* sums of the error's parts */
} hb_factors;

/* A column of the row, or of its error, which has the number x. weights: [n] of the column. */
typedef void hb_factors_add(hb_factors *f, const double *weights, double x);

/* room: of hb_factors_room(n) doubles. Each amount begins alike, by the mean of the row. The sums of weights are 0;
 * where beta is 1, all columns are added to them once, in the place of adding all to each round. */
void hb_factors_begin(hb_factors *f, double mean, double *room);
void hb_factors_add_weights(hb_factors *f, const double *weights, double x);
/* A round begins, gets each column (where beta is 1: that is not 0), and ends. It gives how much the amounts have
 * changed, relative to them. */
void hb_factors_begin_round(hb_factors *f);
void hb_factors_add_column(hb_factors *f, const double *weights, double x);
double hb_factors_end_round(hb_factors *f);
/* The same of the divergence of the row from what the amounts make. */
void hb_factors_begin_error(hb_factors *f);
void hb_factors_add_error(hb_factors *f, const double *weights, double x);
double hb_factors_end_error(const hb_factors *f, size_t n_columns);

#endif
