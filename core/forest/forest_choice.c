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

enum { PTT_LANES = 16 }; /* rows that go down perfect trees as one, about */

/* Perfect trees take their bytes again, beside what is compiled anyway (100 trees of 10 levels: 1.2 MB beside 3), and
 * half a millisecond to compile. That they have to save. */
static const double saving = 1.25;

/* From how many rows on they take less than these one by one. A row by itself is for other kernels. */
static size_t ptt_rows(double ptt, double single)
{
    size_t rows = (size_t)(PTT_LANES * ptt / single) + 1;

    return rows > 2 ? rows : 2;
}

/* Perfect trees too, for rows that are too few for a block in bits. Only where these are many: XGBoost's 100 trees of
 * 10 levels take 390 rows, and 64 of them two thirds longer by themselves than in perfect trees. */
static void take_ptt_beside(const hb_forest_cost *cost, double ptt, hb_forest_choice *choice)
{
    size_t min_rows = rows_that_pay(cost, ptt);

    if (choice->min_rows <= FEW_ROWS || !(saving * ptt < cost->single))
        return;
    choice->few = HBS_STRATEGY_PTT;
    choice->few_rows = ptt_rows(ptt, cost->single);
    choice->min_rows = min_rows ? min_rows : HB_BITS_ROWS;
}

/* Perfect trees; of the program in bits, if there is one, only what single rows take. */
static void take_ptt(const hb_forest_cost *cost, double ptt, hb_bits_program *bits, hb_forest_choice *choice)
{
    bool ranks = bits && bits->row_form != HB_ROW_NONE && saving * cost->single < cost->walk_one;

    choice->strategy = HBS_STRATEGY_PTT;
    choice->nanoseconds = ptt;
    choice->min_rows = ptt_rows(ptt, ranks ? cost->single : cost->walk_one);
    if (!ranks)
        return;
    choice->bits = bits;
    choice->few = HBS_STRATEGY_BITS;
    choice->few_rows = choice->min_rows;
}

/* Each perfect tree begins a line of the cache: those of fewer than two levels would be mostly empty room. */
static bool ptt_has_room(const hb_forest_model *forest)
{
    return forest->nodes.count >= 7 * forest->n_trees;
}

/* What takes the least in blocks. Products of matrices never do. */
static hbs_status choose_least(const hb_forest_model *forest, const hb_kernels *kernels, hb_arena *arena,
                               hb_forest_choice *choice, hbs_error *error)
{
    hb_bits_program *bits;
    hb_forest_cost cost;
    const char *no_ptt;
    size_t min_rows;
    double ptt;

    HB_TRY(compile_bits(forest, kernels, arena, choice, &bits, error));
    HB_TRY(hb_ptt_compile(forest, arena, &choice->ptt, &no_ptt, error));
    choice->why = NULL;
    cost = hb_forest_estimate(forest, bits);
    ptt = no_ptt || !ptt_has_room(forest) ? INFINITY : hb_forest_ptt_estimate(forest);
    min_rows = rows_that_pay(&cost, cost.single);
    choice->nanoseconds = cost.walk;
    if (bits && !walks_pay(&cost) && in_blocks(&cost) < saving * ptt) {
        /* Single rows are of the same program: where they take no longer than a block's, only full ones are blocks. */
        take_bits(forest, &cost, bits, min_rows ? min_rows : HB_BITS_ROWS, choice);
        take_ptt_beside(&cost, ptt, choice);
    } else if (saving * ptt < cost.walk) {
        take_ptt(&cost, ptt, bits, choice);
    }
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

static size_t note_bits(const hb_forest_choice *choice, char *note, size_t size)
{
    size_t used = (size_t)snprintf(note, size, "%zu predicates of %zu tests, blocks of %d rows, from %zu on; ",
                                   choice->n_predicates, choice->n_tests, HB_BITS_ROWS, choice->min_rows);

    if (choice->few == HBS_STRATEGY_PTT)
        used += (size_t)snprintf(note + used, size - used, "perfect trees from %zu on; ", choice->few_rows);
    return used;
}

static size_t note_ptt(const hb_forest_choice *choice, char *note, size_t size)
{
    size_t used = (size_t)snprintf(note, size, "perfect trees of %zu places", choice->ptt.n_places);

    if (choice->asked == HBS_STRATEGY_AUTO)
        used += (size_t)snprintf(note + used, size - used, ", from %zu rows on", choice->min_rows);
    return used + (size_t)snprintf(note + used, size - used, "; ");
}

void hb_forest_note(const hb_forest_choice *choice, char *note, size_t size)
{
    size_t used = 0;

    if (choice->why)
        used = (size_t)snprintf(note, size, "not in %s: %s; ", hb_strategy_name(choice->asked), choice->why);
    else if (choice->strategy == HBS_STRATEGY_BITS)
        used = note_bits(choice, note, size);
    else if (choice->strategy == HBS_STRATEGY_GEMM)
        used = (size_t)snprintf(note, size, "tensors of up to %zu tests by %zu leaves, blocks of %d rows; ",
                                choice->gemm.most_tests, choice->gemm.most_leaves, HB_GEMM_ROWS);
    else if (choice->strategy == HBS_STRATEGY_PTT)
        used = note_ptt(choice, note, size);
    snprintf(note + used, size - used, "about %.0f ns a row", choice->nanoseconds);
}

double hb_forest_row_nanoseconds(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    hb_forest_cost cost = hb_forest_estimate(forest, choice->bits);

    return choice->bits ? cost.single : cost.walk_one;
}
