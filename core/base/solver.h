/* solver.h - how much room an operator needs that solves a problem of its own for each row: columns of its value behind
 * the answers, of which any row's solver takes so many doubles, side by side. */
#ifndef HB_BASE_SOLVER_H
#define HB_BASE_SOLVER_H

#include <stdbool.h>
#include <stddef.h>

/* When the rounds of coordinate descent end. The gap needs the row's square. */
typedef enum hb_descent_rule {
    HB_DESCENT_GAP, /* weights hardly change, and the duality gap is at most the tolerance times the row's square */
    HB_DESCENT_SCREENED, /* the same, without vectors that the gap says to have no weight (Ndiaye et al., 2017) */
    HB_DESCENT_STILL,    /* weights hardly change */
    HB_DESCENT_SLOPE,    /* the sum of slopes is at most the tolerance times that of the first round */
    HB_N_DESCENT_RULES
} hb_descent_rule;

static inline bool hb_descent_has_square(hb_descent_rule rule)
{
    return rule == HB_DESCENT_GAP || rule == HB_DESCENT_SCREENED;
}

/* When the rounds of multiplicative updates end. */
typedef enum hb_factors_rule {
    HB_FACTORS_ERROR,  /* in ten rounds the error fell by less than the tolerance times that before the first one */
    HB_FACTORS_CHANGE, /* the amounts changed by at most the tolerance times their length */
    HB_N_FACTORS_RULES
} hb_factors_rule;

static inline size_t hb_factors_room(size_t n_components)
{
    return 5 * n_components;
}

static inline size_t hb_topics_room(size_t n_topics)
{
    return 2 * n_topics;
}

static inline size_t hb_pursuit_room(size_t n_vectors, size_t k)
{
    return 2 * n_vectors + k + k * (k + 1) / 2;
}

static inline size_t hb_descent_room(size_t n_vectors)
{
    return 3 * n_vectors;
}

static inline size_t hb_least_angle_room(size_t n_vectors, size_t k)
{
    return 5 * n_vectors + 2 * k + k * (k + 3) / 2;
}

static inline size_t hb_barycentre_room(size_t k)
{
    return k + k * (k + 1) / 2;
}

/* A number of 16 bits each; the stack has room for few of them. */
static inline size_t hb_median_room(size_t width, size_t few)
{
    return width <= few ? 0 : (width + 3) / 4;
}

#endif
