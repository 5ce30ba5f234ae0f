/* forest_plan.c - picks the form that a forest is compiled to. */
#include "forest/forest_plan.h"

#include <stdio.h>

#include "forest/forest_cost.h"
#include "forest/forest_parts.h"

static uint64_t count_steps(const hb_forest_model *forest)
{
    uint64_t steps = 0;

    for (size_t t = 0; t < forest->n_trees; t++)
        steps += (uint64_t)((const uint32_t *)forest->depths.items)[t] + 1;
    return steps;
}

enum { NODES_A_POLL = 1 << 13 };

hbs_status hb_forest_write_trees(const hb_forest_model *forest, const hb_tree_writer *writers, size_t n,
                                 const hbs_host *host, hbs_error *error)
{
    const uint32_t *starts = forest->starts.items;
    uint32_t polled = 0;

    for (size_t t = 0; t < forest->n_trees; t++) {
        if (starts[t + 1] - polled > NODES_A_POLL) {
            HB_TRY(hb_poll(host, error));
            polled = starts[t];
        }
        for (size_t i = 0; i < n; i++)
            writers[i].write(writers[i].context, t);
    }
    return HBS_OK;
}

hb_flat_tree hb_forest_tree(const hb_forest_model *forest, size_t tree)
{
    return (hb_flat_tree){((const uint32_t *)forest->starts.items)[tree],
                          ((const uint32_t *)forest->depths.items)[tree],
                          (uint32_t)((const int32_t *)forest->groups.items)[tree]};
}

double hb_forest_leaf(const hb_forest_model *forest, size_t tree, const hb_tree_node *leaf, size_t o)
{
    const float *weights = forest->weights.items;
    float weight = forest->weights.count ? weights[tree] : 1.0f;
    size_t width = forest->leaf_width, at = (size_t)leaf->right * width + o;

    if (forest->wide)
        return width > 1 ? ((const double *)forest->leaf_vectors.items)[at] : leaf->as.leaf;
    return (double)((width > 1 ? ((const float *)forest->leaf_vectors.items)[at] : (float)leaf->as.leaf) * weight);
}

enum { FEW_ROWS = 64 };

/* Walks of many rows take less than blocks in bits. */
static bool walks_pay(const hb_forest_cost *cost)
{
    return cost->bits_row + cost->bits_block / HB_BITS_ROWS > cost->walk;
}

/* From how many rows on a block in bits takes less than these one by one; 0: walks of many take less still. */
static size_t rows_that_pay(const hb_forest_cost *cost)
{
    double saved = cost->single - cost->bits_row, rows = cost->bits_block / saved, few = cost->bits_few / saved;

    if (walks_pay(cost))
        return 0;
    if (saved > 0 && few < FEW_ROWS)
        return (size_t)few + 2;
    return saved > 0 && rows < HB_BITS_ROWS ? (size_t)rows + 2 : 0;
}

/* In bits where it can be; unless it was asked for, trees whose shapes alone cost more than walks are not compiled. */
static hbs_status compile_bits(const hb_forest_model *forest, hb_arena *arena, const hbs_host *host,
                               hb_forest_choice *choice, hb_bits_program **bits, hbs_error *error)
{
    hb_forest_cost cost;

    HB_TRY(hb_bits_shape(forest, arena, bits, &choice->why, error));
    if (!*bits)
        return HBS_OK;
    cost = hb_forest_estimate(forest, *bits);
    if (choice->asked == HBS_STRATEGY_BITS || !walks_pay(&cost))
        HB_TRY(hb_bits_compile(forest, arena, host, *bits, &choice->why, error));
    else
        *bits = NULL;
    if (choice->why)
        *bits = NULL;
    return HBS_OK;
}

/* By walks, or in bits where that is faster or asked for. */
static hbs_status choose_bits(const hb_forest_model *forest, hb_arena *arena, const hbs_host *host,
                              hb_forest_choice *choice, hbs_error *error)
{
    hb_bits_program *bits = NULL;
    hb_forest_cost cost;

    if (choice->asked != HBS_STRATEGY_TT)
        HB_TRY(compile_bits(forest, arena, host, choice, &bits, error));
    cost = hb_forest_estimate(forest, bits);
    choice->nanoseconds = cost.walk;
    if (choice->asked == HBS_STRATEGY_AUTO)
        choice->why = NULL;
    if (!bits)
        return HBS_OK;
    choice->min_rows = choice->asked == HBS_STRATEGY_BITS ? 2 : rows_that_pay(&cost);
    if (!choice->min_rows)
        return HBS_OK;
    choice->strategy = HBS_STRATEGY_BITS;
    choice->bits = bits;
    choice->n_predicates = bits->n_predicates;
    choice->n_tests = forest->nodes.count - forest->n_leaves;
    choice->nanoseconds = cost.bits_row + cost.bits_block / HB_BITS_ROWS;
    return HBS_OK;
}

static hbs_status choose_gemm(const hb_forest_model *forest, const hbs_host *host, hb_forest_choice *choice,
                              hbs_error *error)
{
    HB_TRY(hb_gemm_compile(forest, host, &choice->gemm, &choice->why, error));
    choice->nanoseconds = choice->why ? hb_forest_estimate(forest, NULL).walk
                                      : hb_forest_gemm_estimate(forest, &choice->gemm);
    if (choice->why)
        return HBS_OK;
    choice->strategy = HBS_STRATEGY_GEMM;
    choice->min_rows = 2;
    return HBS_OK;
}

static hbs_status choose_ptt(const hb_forest_model *forest, hb_arena *arena, hb_forest_choice *choice,
                             hbs_error *error)
{
    HB_TRY(hb_ptt_compile(forest, arena, &choice->ptt, &choice->why, error));
    choice->nanoseconds = choice->why ? hb_forest_estimate(forest, NULL).walk : hb_forest_ptt_estimate(forest);
    if (choice->why)
        return HBS_OK;
    choice->strategy = HBS_STRATEGY_PTT;
    choice->min_rows = 2;
    return HBS_OK;
}

static hbs_status choose(const hb_forest_model *forest, hbs_strategy asked, hb_arena *arena, const hbs_host *host,
                         hb_forest_choice *choice, hbs_error *error)
{
    if (asked == HBS_STRATEGY_GEMM)
        return choose_gemm(forest, host, choice, error);
    if (asked == HBS_STRATEGY_PTT)
        return choose_ptt(forest, arena, choice, error);
    return choose_bits(forest, arena, host, choice, error);
}

hbs_status hb_forest_choose(const hb_forest_model *forest, hbs_strategy asked, hb_arena *arena,
                            const hbs_host *host, hb_forest_choice *choice, hbs_error *error)
{
    *choice = (hb_forest_choice){.asked = asked, .strategy = HBS_STRATEGY_TT};
    HB_TRY(choose(forest, asked, arena, host, choice, error));
    choice->compact = choice->strategy == HBS_STRATEGY_TT && hb_compact_fits(forest);
    return HBS_OK;
}

/* The nodes of TreeTraversal, and beside them the strategy's trees. */
static hbs_status compile_trees(const hb_forest_model *forest, const hb_forest_choice *choice, hb_flat *flat,
                                const hbs_host *host, hb_forest_plan *plan, hbs_error *error)
{
    hb_narrow_writer narrow;
    hb_wide_writer wide;
    hb_compact_writer compact;
    hb_bits_writer bits;
    hb_tree_writer writers[3];
    size_t n = 0;

    if (forest->wide) {
        wide = hb_wide_reserve(forest, flat, plan);
        writers[n++] = (hb_tree_writer){hb_wide_write, &wide};
    } else {
        narrow = hb_narrow_reserve(forest, flat, plan);
        writers[n++] = (hb_tree_writer){hb_narrow_write, &narrow};
    }
    if (choice->compact) {
        compact = hb_compact_reserve(forest, flat, &plan->compact);
        writers[n++] = (hb_tree_writer){hb_compact_write, &compact};
    }
    if (choice->strategy == HBS_STRATEGY_BITS) {
        bits = hb_bits_reserve(forest, choice->bits, flat, &plan->program);
        writers[n++] = (hb_tree_writer){hb_bits_write_tree, &bits};
    }
    return flat->base ? hb_forest_write_trees(forest, writers, n, host, error) : HBS_OK;
}

hbs_status hb_forest_compile(const hb_forest_model *forest, const hb_forest_choice *choice,
                             hb_flat *flat, const hbs_host *host, uint64_t *offset,
                             hbs_error *error)
{
    hb_forest_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset);
    hb_forest_plan made = {.n_nodes = forest->nodes.count,
                           .n_features = forest->n_features,
                           .n_trees = forest->n_trees,
                           .n_outputs = forest->n_outputs,
                           .leaf_width = forest->leaf_width,
                           .steps = count_steps(forest),
                           .min_rows = choice->min_rows,
                           .strategy = choice->strategy,
                           .has_sets = forest->has_categories};

    HB_TRY(compile_trees(forest, choice, flat, host, &made, error));
    if (choice->strategy == HBS_STRATEGY_GEMM)
        HB_TRY(hb_gemm_write(forest, &choice->gemm, flat, host, &made.program, error));
    if (choice->strategy == HBS_STRATEGY_PTT)
        HB_TRY(hb_ptt_write(forest, &choice->ptt, flat, host, &made.program, error));
    if (plan)
        *plan = made;
    return HBS_OK;
}

enum { NEAR_BYTES = 128 << 10, NEAR_ROWS = 512, FAR_BYTES = 2 << 20, FAR_ROWS = 4096 };

/* For walks: the larger the forest, the more rows should go down a tree before the next tree takes its place in
 * the caches. */
size_t hb_forest_block(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    size_t bytes = forest->nodes.count * (forest->wide ? sizeof(hb_wide_node) : sizeof(hb_flat_node));

    switch (choice->strategy) {
    case HBS_STRATEGY_BITS:
        return HB_BITS_ROWS;
    case HBS_STRATEGY_GEMM:
        return HB_GEMM_ROWS;
    default:
        return bytes > FAR_BYTES ? FAR_ROWS : bytes > NEAR_BYTES ? NEAR_ROWS : 0;
    }
}

static size_t bits_work(const hb_bits_program *program)
{
    const hb_bits_forest forest = {.n_predicates = program->n_predicates, .n_slots = program->n_slots};

    return hb_bits_work(&forest);
}

static size_t gemm_work(const hb_forest_model *model, const hb_gemm_program *program)
{
    const hb_gemm_forest forest = {.n_features = model->n_features,
                                   .leaf_width = model->leaf_width,
                                   .most_tests = program->most_tests,
                                   .most_leaves = program->most_leaves};

    return hb_gemm_room_of(&forest).end * (model->wide ? sizeof(double) : sizeof(float));
}

size_t hb_forest_work(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    switch (choice->strategy) {
    case HBS_STRATEGY_BITS:
        return bits_work(choice->bits);
    case HBS_STRATEGY_GEMM:
        return gemm_work(forest, &choice->gemm);
    default:
        return 0;
    }
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
                                choice->n_predicates, choice->n_tests, HB_BITS_ROWS,
                                choice->min_rows);
    else if (choice->strategy == HBS_STRATEGY_GEMM)
        used = (size_t)snprintf(note, size, "tensors of up to %zu tests by %zu leaves, blocks of %d rows; ",
                                choice->gemm.most_tests, choice->gemm.most_leaves, HB_GEMM_ROWS);
    else if (choice->strategy == HBS_STRATEGY_PTT)
        used = (size_t)snprintf(note, size, "perfect trees of %zu places; ", choice->ptt.n_places);
    snprintf(note + used, size - used, "about %.0f ns a row", choice->nanoseconds);
}
