/* gemm_program.h - a forest for the strategy "gemm" (kernel/gemm_kernel.h), before it is written. */
#ifndef HB_FOREST_GEMM_PROGRAM_H
#define HB_FOREST_GEMM_PROGRAM_H

#include "kernel/gemm_kernel.h"
#include "ir/forest_model.h"

enum {
    HB_GEMM_LEAVES = 256,     /* of a tree, at most */
    HB_GEMM_FEATURES = 4096,  /* at most */
    HB_GEMM_WIDTH = 64,       /* of a leaf's vector, at most */
    HB_GEMM_WEIGHTS = 1 << 17 /* of a tree's products, at most: a block takes less than a millisecond then */
};

typedef struct hb_gemm_program {
    size_t most_tests, most_leaves; /* of a tree */
    double products;                /* of numbers: a row's, through all trees */
} hb_gemm_program;

/* Whether the forest can be held; *why is NULL, or says what it has that this strategy cannot hold. HBS_E_CANCEL. */
hbs_status hb_gemm_compile(const hb_forest_model *forest, hb_work *work, hb_gemm_program *program, const char **why,
                           hbs_error *error);

/* The products of numbers that a tree of so many leaves takes a row. */
static inline size_t hb_gemm_products(const hb_forest_model *forest, size_t n_leaves)
{
    return (n_leaves - 1) * (2 * forest->n_features + n_leaves) + n_leaves * forest->leaf_width;
}

#endif
