/* coupling64.h - probabilities of classes from those of pairs of classes. */
#ifndef HB_KERNEL_COUPLING64_H
#define HB_KERNEL_COUPLING64_H

#include <stdbool.h>
#include <stddef.h>

enum { HB_COUPLING_ROOM = 128 /* classes, at most */ };

/* Of n classes: pairs[.] is how likely class i is, if it is i or j, for the pairs (0, 1), (0, 2), .. (1, 2), ..,
 * `stride` apart. The second method of Wu, Lin, Weng (2004), "Probability estimates for multi-class classification by
 * pairwise coupling", algorithm 2, with libsvm's start, tolerance 0.005 / n and at most max(100, n) rounds. */
typedef struct hb_coupling {
    const double *pairs;
    size_t n, stride;
    size_t rounds;              /* so far */
    double p[HB_COUPLING_ROOM]; /* the probabilities */
    double product[HB_COUPLING_ROOM], diagonal[HB_COUPLING_ROOM];
    double whole; /* p Q p */
} hb_coupling;

void hb_coupling_begin(hb_coupling *c, const double *pairs, size_t n, size_t stride);
/* One round, of about 4 n^2 steps. False: there is no more to do. */
bool hb_coupling_next(hb_coupling *c);

#endif
