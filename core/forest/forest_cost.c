/* forest_cost.c - the cost model. Its constants are those of a Xeon of 2023 at 2.9 GHz; only their ratios matter. */
#include "forest/forest_cost.h"

#include <math.h>
#include <string.h>

#include "kernel/kernels.h"

/* Nanoseconds, of each instruction set. */
typedef struct constants {
    const char *name;
    double rank;      /* a level of a search, a row */
    double predicate; /* a row */
    double mux;       /* a node, 512 rows */
    double reach;     /* an operation, 512 rows.. */
    double exit;      /* ..or the same test, up to 64 rows */
    double leaf;      /* a look-up, a row: by up to 6 bits of a number.. */
    double leaf_more; /* ..and each bit more */
    double set;       /* a set of categories, a row.. */
    double small_set; /* ..and one of those below 64 */
    double walk;      /* a step of a walk, the nodes in the first caches */
    double row;       /* a step of a single row by ranks.. */
    double test;      /* ..or one test of 64 trees */
    double product;   /* of numbers in a product of matrices, a row */
    double level;     /* of a perfect tree, a row */
} constants;

static const constants known[] = {
    {"portable", 0.7, 0.020, 6.0, 24.0, 24.0, 1.6, 0.1, 4.0, 1.0, 2.0, 1.2, 64.0, 0.14, 1.0},
    {"avx2", 0.16, 0.010, 2.0, 9.0, 9.0, 0.5, 0.1, 3.0, 0.04, 1.3, 0.7, 64.0, 0.07, 0.7},
    {"avx512", 0.08, 0.005, 0.7, 4.0, 2.0, 0.25, 0.02, 3.0, 0.01, 0.9, 0.5, 64.0, 0.035, 0.4},
    {"avx512vbmi", 0.08, 0.005, 0.7, 4.0, 2.0, 0.1, 0.05, 3.0, 0.01, 0.9, 0.5, 1.6, 0.035, 0.4},
};

static const constants *constants_here(void)
{
    const char *name = hb_kernels_here()->name;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].name, name) == 0)
            return &known[i];
    return &known[0];
}

double hb_forest_steps(const hb_forest_model *forest)
{
    const uint32_t *depths = forest->depths.items;
    double steps = 0;

    for (size_t t = 0; t < forest->n_trees; t++)
        steps += depths[t] > 10 ? 0.7 * depths[t] : depths[t];
    return steps;
}

/* By what the nodes take of the caches. */
static double walk_of(const hb_forest_model *forest, const constants *k)
{
    double bytes = (double)forest->nodes.count * (forest->wide ? 16 : 12);
    double far = bytes < 1 << 20 ? 1.0 : bytes < 32 << 20 ? 1.4 : 2.3;

    return far * k->walk * hb_forest_steps(forest) + (double)forest->n_trees * (double)forest->leaf_width;
}

/* Ranks, steps and the sum in order. */
static double single_of(const hb_forest_model *forest, const hb_bits_program *program,
                        const constants *k)
{
    double sum = (double)forest->n_trees * (double)forest->leaf_width;

    double bytes = (double)program->n_row_tests * sizeof(hb_row_test), far = bytes > 1 << 17 ? 1.8 : 1.0;
    double trees = program->row_form == HB_ROW_EXITS ? far * k->test * (double)program->n_row_tests
                                                     : k->row * hb_forest_steps(forest);

    return 1.2 * (double)program->n_chunks + trees + 0.8 * sum;
}

static void add_trees(const hb_bits_program *program, const hb_forest_model *forest,
                      const constants *k, hb_forest_cost *cost)
{
    double size = forest->wide ? 2 : 1;

    for (size_t t = 0; t < forest->n_trees; t++) {
        const hb_bits_tree *tree = &program->trees[t];
        double more = tree->bits > 6 ? tree->bits - 6 : 0;

        cost->bits_row += (double)forest->leaf_width * size * (k->leaf + more * k->leaf_more);
        if (tree->form == HB_BITS_MUX) {
            cost->bits_block += (double)(1u << tree->bits) * k->mux;
            cost->bits_few += (double)(1u << tree->bits) * k->mux;
        } else {
            cost->bits_block += tree->n * k->reach;
            cost->bits_few += tree->n * k->exit;
        }
    }
}

hb_forest_cost hb_forest_estimate(const hb_forest_model *forest, const hb_bits_program *program)
{
    const constants *k = constants_here();
    hb_forest_cost cost = {.walk = walk_of(forest, k), .bits_row = INFINITY};

    cost.single = cost.walk;
    if (!program)
        return cost;
    if (program->row_form != HB_ROW_NONE)
        cost.single = single_of(forest, program, k);
    cost.bits_row = (double)program->n_predicates * k->predicate;
    for (size_t s = 0; s < program->n_sets; s++)
        cost.bits_row += program->sets[s].is_small ? k->small_set : k->set;
    for (size_t c = 0; c < program->n_chunks; c++)
        cost.bits_row += (forest->wide ? 1.3 : 1.0) * program->chunks[c].levels * k->rank;
    add_trees(program, forest, k, &cost);
    return cost;
}

double hb_forest_gemm_estimate(const hb_forest_model *forest, const hb_gemm_program *program)
{
    return program->products * constants_here()->product * (forest->wide ? 2 : 1);
}

double hb_forest_ptt_estimate(const hb_forest_model *forest)
{
    const uint32_t *depths = forest->depths.items;
    double levels = 0;

    for (size_t t = 0; t < forest->n_trees; t++)
        levels += depths[t] + (double)forest->leaf_width;
    return levels * constants_here()->level * (forest->wide ? 1.5 : 1);
}
