/* forest_choice.c - picks the form that a forest is compiled to. */
#include <stdio.h>

#include "forest/forest_parts.h"

/* ---- bits or walks: docs/strategies.md has the rules and says how to check the constants */

/* How long each takes for a row of a full block, about, in tests of irregular trees. Walks of a forest with category
 * sets take four times as long: they do not go side by side in registers. A large set has categories above 63. */
enum { A_PREDICATE = 4, A_LARGE_SET = 1000, A_LEVEL = 190, A_LEVEL_WITH_SETS = 4 * A_LEVEL };

static size_t count_large_sets(const hb_bits_program *program)
{
    size_t n = 0;

    for (size_t s = 0; s < program->n_sets; s++)
        n += !program->sets[s].is_small;
    return n;
}

/* Whether bits take less than walks. Near-perfect and oblivious trees count nothing: bits always take less for them.
 * Before the program is compiled, predicates and sets are not known and count as none, so that a refusal is final. */
static bool bits_pay(const hb_forest_model *forest, const hb_bits_program *program)
{
    double tests = (double)(program->n_reach + program->n_reach_large) + A_PREDICATE * (double)program->n_predicates +
                   A_LARGE_SET * (double)count_large_sets(program);

    return tests <= (forest->has_categories ? A_LEVEL_WITH_SETS : A_LEVEL) * forest->expected_levels;
}

/* The number of rows from which on a block takes less than the rows one by one. A block of two rows takes about as long
 * as one of 64. The least number depends on how single rows go: by walks, or by many tests at once. A single row passes
 * few tests of a large irregular tree, and a block takes all of them; those of more than 256 leaves take twice as long.
 */
static size_t rows_that_pay(const hb_forest_model *forest, const hb_bits_program *program)
{
    size_t least = program->row_form == HB_ROW_NONE || program->row_form == HB_ROW_WALK ? 12 : 24;
    double rows = 2 * ((double)program->n_reach + 2 * (double)program->n_reach_large) / (forest->expected_levels + 1);

    return rows <= (double)least ? least : rows < HB_BITS_ROWS ? (size_t)rows : HB_BITS_ROWS;
}

/* Takes bits where they can hold the forest and were asked for, or pay. */
static hbs_status choose_bits(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                              hb_forest_choice *choice, hbs_error *error)
{
    bool asked = choice->asked == HBS_STRATEGY_BITS;
    hb_bits_program *bits;

    HB_TRY(hb_bits_shape(forest, kernels, arena, &bits, &choice->why, error));
    if (!bits || !(asked || bits_pay(forest, bits)))
        return HBS_OK;
    HB_TRY(hb_bits_compile(forest, arena, bits, &choice->why, error));
    if (choice->why || !(asked || bits_pay(forest, bits)))
        return HBS_OK;
    choice->strategy = HBS_STRATEGY_BITS;
    choice->min_rows = asked ? 2 : rows_that_pay(forest, bits);
    choice->bits = bits;
    choice->n_predicates = bits->n_predicates;
    choice->n_tests = forest->nodes.count - forest->n_leaves;
    return HBS_OK;
}

/* ---- any of them */

static hbs_status choose(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                         hb_forest_choice *choice, hbs_error *error)
{
    if (choice->asked == HBS_STRATEGY_BITS)
        return choose_bits(forest, kernels, arena, choice, error);
    if (choice->asked == HBS_STRATEGY_AUTO) {
        HB_TRY(choose_bits(forest, kernels, arena, choice, error));
        choice->why = NULL;
        return HBS_OK;
    }
    if (choice->asked == HBS_STRATEGY_GEMM)
        HB_TRY(hb_gemm_compile(forest, &arena->memory->work, &choice->gemm, &choice->why, error));
    else if (choice->asked == HBS_STRATEGY_PTT)
        HB_TRY(hb_ptt_compile(forest, arena, &choice->ptt, &choice->why, error));
    if (!choice->why)
        choice->strategy = choice->asked;
    choice->min_rows = 2;
    return HBS_OK;
}

hbs_status hb_forest_choose(const hb_forest_model *forest, hbs_strategy asked, const hb_kernels *kernels,
                            hb_arena *arena, hb_forest_choice *choice, hbs_error *error)
{
    *choice = (hb_forest_choice){.asked = asked, .strategy = HBS_STRATEGY_TT};
    HB_TRY(choose(forest, kernels, arena, choice, error));
    HB_TRY(hb_leaf_rows_find(forest, arena, &choice->rows, error));
    return choice->strategy == HBS_STRATEGY_TT ? hb_compact_compile(forest, arena, &choice->compact, error) : HBS_OK;
}

/* ---- for people */

const char *hb_strategy_name(hbs_strategy strategy)
{
    static const char *const names[HBS_N_STRATEGIES] = {[HBS_STRATEGY_AUTO] = "auto",
                                                        [HBS_STRATEGY_TT] = "tt",
                                                        [HBS_STRATEGY_BITS] = "bits",
                                                        [HBS_STRATEGY_GEMM] = "gemm",
                                                        [HBS_STRATEGY_PTT] = "ptt"};

    return names[strategy];
}

void hb_forest_note(const hb_forest_choice *choice, char *note, size_t size)
{
    note[0] = 0;
    if (choice->why)
        snprintf(note, size, "not in %s: %s", hb_strategy_name(choice->asked), choice->why);
    else if (choice->strategy == HBS_STRATEGY_BITS)
        snprintf(note, size, "%zu predicates of %zu tests, blocks of %d rows, from %zu on", choice->n_predicates,
                 choice->n_tests, HB_BITS_ROWS, choice->min_rows);
    else if (choice->strategy == HBS_STRATEGY_GEMM)
        snprintf(note, size, "tensors of up to %zu tests by %zu leaves, blocks of %d rows", choice->gemm.most_tests,
                 choice->gemm.most_leaves, HB_GEMM_ROWS);
    else if (choice->strategy == HBS_STRATEGY_PTT)
        snprintf(note, size, "perfect trees of %zu places", choice->ptt.n_places);
}

/* ---- for planners */

double hb_forest_row_nanoseconds(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    const double ranked_level = 0.7, level = 4, number = 0.5; /* of the slowest and the fastest isa the middle */

    return (choice->strategy == HBS_STRATEGY_BITS ? ranked_level : level) * forest->expected_levels +
           number * (double)forest->n_trees * (double)forest->leaf_width;
}

double hb_forest_block_nanoseconds(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    /* Measured with AVX-512: trees of depth 6 and 8, of 255 leaves, of 25,000 nodes, and thousands of small ones. */
    const double test = 0.0027, test_of_reach = 0.0062, number = 0.1, level = 1.2, level_with_sets = 4 * level;
    const hb_bits_program *bits = choice->bits;

    if (choice->strategy == HBS_STRATEGY_BITS)
        return test * ((double)choice->n_tests + A_PREDICATE * (double)choice->n_predicates) +
               (test_of_reach - test) * (double)(bits->n_reach + bits->n_reach_large) +
               test * A_LARGE_SET * (double)count_large_sets(bits) +
               number * (double)forest->n_trees * (double)forest->leaf_width;
    return (forest->has_categories ? level_with_sets : level) * forest->expected_levels;
}
