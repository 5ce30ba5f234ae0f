/* forest_choice.c - picks the form that a forest is compiled to. */
#include <math.h>
#include <stdio.h>

#include "forest/forest_cost.h"
#include "forest/forest_parts.h"

enum { FEW_ROWS = 64 };

/* A row in bits, in a full block. */
static double in_blocks(const hb_forest_cost *cost)
{
    return cost->bits_row + cost->bits_block / HB_BITS_ROWS;
}

/* Walks of many rows take less than blocks in bits. */
static bool walks_pay(const hb_forest_cost *cost)
{
    return in_blocks(cost) > cost->walk;
}

/* From how many rows on a block in bits takes less than these by something else, which takes so long a row; 0: not even
 * a full one. */
static size_t rows_that_pay(const hb_forest_cost *cost, double other)
{
    double saved = other - cost->bits_row, rows = cost->bits_block / saved, few = cost->bits_few / saved;

    if (saved > 0 && few < FEW_ROWS)
        return (size_t)few + 2;
    return saved > 0 && rows < HB_BITS_ROWS ? (size_t)rows + 2 : 0;
}

/* ---- bits */

/* In bits where it can be; unless it was asked for, trees whose shapes alone cost more than walks are not compiled. */
static hbs_status compile_bits(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                               hb_forest_choice *choice, hb_bits_program **bits, hbs_error *error)
{
    hb_forest_cost cost;

    HB_TRY(hb_bits_shape(forest, kernels, arena, bits, &choice->why, error));
    if (!*bits)
        return HBS_OK;
    cost = hb_forest_estimate(forest, *bits);
    if (choice->asked == HBS_STRATEGY_BITS || !walks_pay(&cost))
        HB_TRY(hb_bits_compile(forest, arena, *bits, &choice->why, error));
    else
        *bits = NULL;
    if (choice->why)
        *bits = NULL;
    return HBS_OK;
}

static void take_bits(const hb_forest_model *forest, const hb_forest_cost *cost, hb_bits_program *bits, size_t min_rows,
                      hb_forest_choice *choice)
{
    choice->strategy = HBS_STRATEGY_BITS;
    choice->min_rows = min_rows;
    choice->bits = bits;
    choice->n_predicates = bits->n_predicates;
    choice->n_tests = forest->nodes.count - forest->n_leaves;
    choice->nanoseconds = in_blocks(cost);
}

static hbs_status choose_bits(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                              hb_forest_choice *choice, hbs_error *error)
{
    hb_bits_program *bits;
    hb_forest_cost cost;

    HB_TRY(compile_bits(forest, kernels, arena, choice, &bits, error));
    cost = hb_forest_estimate(forest, bits);
    choice->nanoseconds = cost.walk;
    if (bits)
        take_bits(forest, &cost, bits, 2, choice);
    return HBS_OK;
}

/* ---- auto */

/* What takes less in blocks: bits, or walks. Products of matrices and perfect trees never take the least. */
static hbs_status choose_least(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                               hb_forest_choice *choice, hbs_error *error)
{
    hb_bits_program *bits;
    hb_forest_cost cost;
    size_t min_rows;

    HB_TRY(compile_bits(forest, kernels, arena, choice, &bits, error));
    choice->why = NULL;
    cost = hb_forest_estimate(forest, bits);
    min_rows = rows_that_pay(&cost, cost.single);
    choice->nanoseconds = cost.walk;
    if (bits && !walks_pay(&cost)) /* where single rows take no longer than a block's, only full ones are blocks */
        take_bits(forest, &cost, bits, min_rows ? min_rows : HB_BITS_ROWS, choice);
    return HBS_OK;
}

/* ---- the others */

static hbs_status choose_gemm(const hb_forest_model *forest, hb_work *work, hb_forest_choice *choice, hbs_error *error)
{
    HB_TRY(hb_gemm_compile(forest, work, &choice->gemm, &choice->why, error));
    choice->nanoseconds =
        choice->why ? hb_forest_estimate(forest, NULL).walk : hb_forest_gemm_estimate(forest, &choice->gemm);
    if (choice->why)
        return HBS_OK;
    choice->strategy = HBS_STRATEGY_GEMM;
    choice->min_rows = 2;
    return HBS_OK;
}

static hbs_status choose_ptt(const hb_forest_model *forest, hb_arena *arena, hb_forest_choice *choice, hbs_error *error)
{
    HB_TRY(hb_ptt_compile(forest, arena, &choice->ptt, &choice->why, error));
    choice->nanoseconds = choice->why ? hb_forest_estimate(forest, NULL).walk : hb_forest_ptt_estimate(forest);
    if (choice->why)
        return HBS_OK;
    choice->strategy = HBS_STRATEGY_PTT;
    choice->min_rows = 2;
    return HBS_OK;
}

static hbs_status choose(const hb_forest_model *forest, hbs_strategy asked, const hb_kernels *kernels, hb_arena *arena,
                         hb_forest_choice *choice, hbs_error *error)
{
    if (asked == HBS_STRATEGY_GEMM)
        return choose_gemm(forest, &arena->memory->work, choice, error);
    if (asked == HBS_STRATEGY_PTT)
        return choose_ptt(forest, arena, choice, error);
    if (asked == HBS_STRATEGY_BITS)
        return choose_bits(forest, kernels, arena, choice, error);
    if (asked == HBS_STRATEGY_AUTO)
        return choose_least(forest, kernels, arena, choice, error);
    choice->nanoseconds = hb_forest_estimate(forest, NULL).walk;
    return HBS_OK;
}

hbs_status hb_forest_choose(const hb_forest_model *forest, hbs_strategy asked, const hb_kernels *kernels,
                            hb_arena *arena, hb_forest_choice *choice, hbs_error *error)
{
    *choice = (hb_forest_choice){.asked = asked, .strategy = HBS_STRATEGY_TT};
    HB_TRY(choose(forest, asked, kernels, arena, choice, error));
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
    size_t used = 0;

    if (choice->why)
        used = (size_t)snprintf(note, size, "not in %s: %s; ", hb_strategy_name(choice->asked), choice->why);
    else if (choice->strategy == HBS_STRATEGY_BITS)
        used = (size_t)snprintf(note, size, "%zu predicates of %zu tests, blocks of %d rows, from %zu on; ",
                                choice->n_predicates, choice->n_tests, HB_BITS_ROWS, choice->min_rows);
    else if (choice->strategy == HBS_STRATEGY_GEMM)
        used = (size_t)snprintf(note, size, "tensors of up to %zu tests by %zu leaves, blocks of %d rows; ",
                                choice->gemm.most_tests, choice->gemm.most_leaves, HB_GEMM_ROWS);
    else if (choice->strategy == HBS_STRATEGY_PTT)
        used = (size_t)snprintf(note, size, "perfect trees of %zu places; ", choice->ptt.n_places);
    snprintf(note + used, size - used, "about %.0f ns a row", choice->nanoseconds);
}

double hb_forest_row_nanoseconds(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    hb_forest_cost cost = hb_forest_estimate(forest, choice->bits);

    return choice->bits ? cost.single : cost.walk_one;
}
