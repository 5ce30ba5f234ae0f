/* in_bits.h - a sealed forest compiled for the strategy "bits", as each instruction set of this CPU takes it. */
#ifndef HB_TEST_IN_BITS_H
#define HB_TEST_IN_BITS_H

#include "support.h"

#include "forest/forest_plan.h"
#include "graph/evaluate.h"

typedef struct in_bits {
    hb_memory memory;
    hb_arena arena;
    hb_forest_choice choice;
    void *block[2]; /* leaves as numbers, and in planes */
    hb_bits_forest bits[2];
    hb_row_forest row;
    bool has_row; /* single rows have a way of their own */
    hb_flat_forest narrow;
    hb_wide_forest wide;
    bool is_wide;
    void *work; /* no larger than it must be: a sanitizer sees what is beyond */
} in_bits;

/* Fails the test where the forest cannot be held. */
void in_bits_begin(in_bits *b, const hb_forest_model *sealed, const hbs_host *host);
void in_bits_end(in_bits *b);

/* The sums of rows <= HB_BITS_ROWS by kernels of the i-th instruction set; stride and room for sums as
 * bits_kernel.h says. */
void in_bits_score(const in_bits *b, size_t i, const void *base, const void *x, bool is_float32,
                   size_t stride, size_t rows, void *sums);
/* The same row by row, with any stride. */
void in_bits_score_rows(const in_bits *b, size_t i, const void *base, const void *x, size_t stride,
                        size_t rows, void *sums);

#endif
