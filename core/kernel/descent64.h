/* descent64.h - weights of vectors whose sum is near a row, by coordinate descent: each weight in turn becomes the best
 * one beside the others. With a penalty on magnitudes (the lasso), or of weights that are not negative, as scikit-learn
 * computes both, round for round. */
#ifndef HB_KERNEL_DESCENT64_H
#define HB_KERNEL_DESCENT64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/solver.h"

typedef struct hb_descent {
    hb_descent_rule rule;
    size_t n;
    double penalty, tolerance;
    bool positive;          /* no weight is negative; of HB_DESCENT_SLOPE none ever is */
    const double *gram;     /* [n][n], of which the diagonal is not negative */
    const double *products; /* [n], `stride` apart */
    size_t stride;
    double square;               /* of the row, if the rule has it; else 0 */
    double *weights;             /* [n] */
    double *made;                /* [n] gram times the weights; not of HB_DESCENT_SLOPE */
    double *is_out;              /* [n] 1: screened out */
    double slopes, first_slopes; /* of the round, of the first one */
    double most, most_changed;   /* of the round: magnitudes of a weight, of a change */
} hb_descent;

/* room: of hb_descent_room(n) doubles. False: there is nothing to do, all weights are 0, or NaN
 * of a row whose products or square are not finite. */
bool hb_descent_begin(hb_descent *d, double *room);
/* A round: it begins, improves each weight, in n steps each, and ends. False: it was the last one. */
void hb_descent_begin_round(hb_descent *d);
void hb_descent_improve(hb_descent *d, size_t j);
/* is_first, is_last: of as many as may be. */
bool hb_descent_end_round(hb_descent *d, bool is_first, bool is_last);

#endif
