/* forest_cost.c - the cost model. */
#include "forest/forest_cost.h"

#include <math.h>
#include <string.h>

#include "kernel/kernels.h"

/* ---- what is done */

static double numbers_added(const hb_forest_model *forest)
{
    return (double)forest->n_trees * (double)forest->leaf_width;
}

/* By what the nodes take of the caches. */
static hb_forest_terms count_walk(const hb_forest_model *forest)
{
    double bytes = (double)forest->nodes.count * (forest->wide ? 16 : 12), steps = forest->expected_levels;
    hb_forest_terms n = {.add = numbers_added(forest)};

    if (forest->has_categories)
        n.walk_set = steps;
    else if (bytes < 1 << 20)
        n.walk = steps;
    else if (bytes < 32 << 20)
        n.walk_far = steps;
    else
        n.walk_farther = steps;
    return n;
}

static hb_forest_terms count_walk_one(const hb_forest_model *forest)
{
    hb_forest_terms n = count_walk(forest);

    n.walk_one = n.walk;
    n.walk_one_far = n.walk_far + n.walk_farther;
    n.walk = n.walk_far = n.walk_farther = 0;
    return n;
}

/* Ranks, steps or tests, and the sum in order. */
static hb_forest_terms count_single(const hb_forest_model *forest, const hb_bits_program *program)
{
    double tests = (double)program->n_row_tests, steps = forest->expected_levels;
    hb_forest_terms n = {.chunk = (double)program->n_chunks, .sum = numbers_added(forest)};

    if (program->row_form == HB_ROW_PERFECT || program->row_form == HB_ROW_SUBTREES) {
        n.word = (double)forest->n_trees;
        return n;
    }
    if (program->row_form == HB_ROW_EXITS)
        n.test_set = tests * (double)program->n_row_features;
    if (program->row_form == HB_ROW_EXITS && program->n_row_tests * sizeof(hb_row_test) > 1 << 17)
        n.test_far = tests;
    else if (program->row_form == HB_ROW_EXITS)
        n.test = tests;
    else if (forest->nodes.count * sizeof(uint32_t) > 1 << 18)
        n.row_far = steps;
    else
        n.row = steps;
    return n;
}

static void count_trees(const hb_bits_program *program, const hb_forest_model *forest, hb_forest_counts *n)
{
    double width = (double)forest->leaf_width;

    n->bits_block.tree = n->bits_few.tree = (double)forest->n_trees;
    n->bits_block.mux = n->bits_few.mux_few = (double)program->n_mux;
    n->bits_block.reach = (double)(program->n_reach + program->n_reach_large);
    n->bits_few.exit = (double)program->n_reach;
    n->bits_few.exit_large = (double)program->n_reach_large;
    n->bits_row.leaf = width * (double)forest->n_trees;
    n->bits_row.leaf_more = width * (double)program->n_more_bits;
}

static void count_tests(const hb_bits_program *program, hb_forest_counts *counts)
{
    hb_forest_terms *n = &counts->bits_row;

    counts->bits_block.column = counts->bits_few.column = (double)program->n_chunks;
    n->predicate = (double)program->n_predicates;
    for (size_t s = 0; s < program->n_sets; s++)
        *(program->sets[s].is_small ? &n->small_set : &n->set) += 1;
    for (size_t c = 0; c < program->n_chunks; c++)
        n->rank += program->chunks[c].levels;
}

hb_forest_counts hb_forest_count(const hb_forest_model *forest, const hb_bits_program *program)
{
    hb_forest_counts n = {.walk = count_walk(forest), .walk_one = count_walk_one(forest)};

    n.single = n.walk_one;
    if (!program)
        return n;
    if (program->row_form != HB_ROW_NONE)
        n.single = count_single(forest, program);
    count_tests(program, &n);
    count_trees(program, forest, &n);
    return n;
}

hb_forest_terms hb_forest_gemm_count(const hb_gemm_program *program)
{
    return (hb_forest_terms){.product = program->products};
}

hb_forest_terms hb_forest_ptt_count(const hb_forest_model *forest)
{
    hb_forest_terms n = {.place = numbers_added(forest)};

    *(forest->perfect_leaves * (forest->wide ? 20 : 12) < 1 << 20 ? &n.level : &n.level_far) = (double)forest->levels;
    return n;
}

/* ---- how long that takes */

typedef struct constants {
    const char *set;
    const char *maker; /* of the CPU: hb_cpu_maker, or "any" */
    bool wide;         /* forests in float64 */
    hb_forest_terms nanoseconds;
} constants;

static const constants known[] = {
#include "forest/forest_constants.def"
};

static const hb_forest_terms *nanoseconds_of(const char *set, const char *maker, bool wide)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].wide == wide && strcmp(known[i].set, set) == 0 && strcmp(known[i].maker, maker) == 0)
            return &known[i].nanoseconds;
    return NULL;
}

static const hb_forest_terms *nanoseconds_here(const hb_forest_model *forest)
{
    const char *set = hb_kernels_here()->name;
    const hb_forest_terms *of_maker = nanoseconds_of(set, hb_cpu_maker(), forest->wide);

    return of_maker ? of_maker : nanoseconds_of(set, "any", forest->wide);
}

static double time_of(const hb_forest_terms *n, const hb_forest_terms *once)
{
    double ns = 0;

#define HB_TERM(name, what) ns += n->name * once->name;
#include "forest/forest_terms.def"
#undef HB_TERM
    return ns;
}

hb_forest_cost hb_forest_estimate(const hb_forest_model *forest, const hb_bits_program *program)
{
    const hb_forest_terms *once = nanoseconds_here(forest);
    hb_forest_counts n = hb_forest_count(forest, program);

    return (hb_forest_cost){.walk = time_of(&n.walk, once),
                            .walk_one = time_of(&n.walk_one, once),
                            .single = time_of(&n.single, once),
                            .bits_row = program ? time_of(&n.bits_row, once) : INFINITY,
                            .bits_block = time_of(&n.bits_block, once),
                            .bits_few = time_of(&n.bits_few, once)};
}

double hb_forest_gemm_estimate(const hb_forest_model *forest, const hb_gemm_program *program)
{
    hb_forest_terms n = hb_forest_gemm_count(program);

    return time_of(&n, nanoseconds_here(forest));
}

double hb_forest_ptt_estimate(const hb_forest_model *forest)
{
    hb_forest_terms n = hb_forest_ptt_count(forest);

    return time_of(&n, nanoseconds_here(forest));
}
