/* plain_blas.h - a BLAS in plain C for tests: it counts what it is given, checks that it may be, and refuses on demand.
 */
#ifndef HB_TEST_PLAIN_BLAS_H
#define HB_TEST_PLAIN_BLAS_H

#include <stdbool.h>
#include <stddef.h>

#include "hbscore.h"

enum { PLAIN_BLAS_TURNS = 4 };

typedef struct plain_blas {
    bool refuses;
    size_t refused, asked; /* bit k of refused: of each PLAIN_BLAS_TURNS entries that it is asked for number k */
    bool entered;
    size_t entries, products;
    size_t rows, sums; /* of all products in float64; sums: rows x outputs x inputs */
    size_t most;       /* sums of one call */
    size_t narrow;     /* products in float32 */
} plain_blas;

/* `plain` must live as long as the BLAS is used. Sums are in the order of hbscore's own kernel, so products in float64
 * have its bits; those in float32 have them where all sums are whole numbers below 2^24. */
hbs_blas plain_blas_of(plain_blas *plain);

#endif
