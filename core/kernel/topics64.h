/* topics64.h - how much of each topic a document has: the updates of latent Dirichlet allocation for one document
 * (Hoffman, Blei, Bach (2010), "Online learning for latent Dirichlet allocation", algorithm 2), step by step as
 * scikit-learn's. */
#ifndef HB_KERNEL_TOPICS64_H
#define HB_KERNEL_TOPICS64_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hb_topics {
    size_t n;
    double prior;
    bool in_float32; /* each step is rounded */
    double *shares;  /* [n] exp of the expected logarithm of each topic's part */
    double *sums;    /* [n] of the round */
    double *amounts; /* [n], `stride` apart: how much of each topic there is */
    size_t stride;
} hb_topics;

/* Bernardo's digamma (1976, AS 103) for numbers above 0, in scikit-learn's steps. */
double hb_digamma64(double x, bool in_float32);

/* Each topic begins with 1. */
void hb_topics_begin(hb_topics *t);
/* A round is begun, gets each word of the document and how often it comes, and ends. weights: [n] of the word. */
void hb_topics_begin_round(hb_topics *t);
void hb_topics_add(hb_topics *t, const double *weights, double count);
/* Gives by how much the amounts have changed, on average. */
double hb_topics_end_round(hb_topics *t);
/* Divides the amounts by their sum. */
void hb_topics_end(hb_topics *t);

#endif
