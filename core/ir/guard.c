/* guard.c - numbers that the library refuses: of features (check), and of what earlier operators have computed (guard).
 */
#include <string.h>

#include "ir/meaning.h"

/* Rows that it refuses have no result by the features' demands already. */
static uint32_t lower_check(hb_lowering *l)
{
    return l->inputs[0];
}

static hbs_status validate_guard(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    hb_fit_guard *fit = node->fit;

    fit->demands = hb_arena_array(&pipeline->arena, hb_input_width(&pipeline->graph, node), sizeof(*fit->demands));
    return fit->demands ? HBS_OK : hb_no_memory(pipeline->arena.memory, error);
}

static void guard_facts(const hb_graph *graph, hb_node *node)
{
    node->value.library32 = hb_input(graph, node, 0)->value.library32;
}

/* Nobody need look at the columns of encoders that node i has been put together from. */
static void forget_finite(const hb_graph *graph, size_t i, uint8_t *asked)
{
    const hb_node *node = hb_node_at(graph, i);

    for (; node->kind == HB_OPERATOR_CONCAT; node = hb_input(graph, node, 0)) {
        const hb_value *right = &hb_input(graph, node, 1)->value;

        if (right->finite)
            memset(asked + node->value.width - right->width, 0, right->width);
    }
    if (node->value.finite)
        memset(asked, 0, node->value.width);
}

/* Nothing where nothing behind it asks. */
static uint32_t lower_guard(hb_lowering *l)
{
    const hb_fit_guard *fit = l->node->fit;
    size_t width = l->node->value.width;
    uint8_t *asked = hb_arena_array(l->graph->arena, width, 1);
    hb_fit_guard lowered = {.takes_missing = fit->takes_missing, .asked = asked, .failure = fit->failure};
    bool any = false;

    if (!asked) {
        l->graph->status = HBS_E_NOMEM;
        return 0;
    }
    memcpy(asked, fit->demands, width);
    forget_finite(l->graph, l->inputs[0], asked);
    for (size_t c = 0; c < width; c++)
        any |= asked[c] != 0;
    return any ? hb_lower_one(l, HB_OPERATOR_GUARD, l->inputs[0], &lowered) : l->inputs[0];
}

/* The columns that it looks at. */
static void keep_guard(const hb_node *node, hb_asker asker, uint8_t *live)
{
    const hb_fit_guard *fit = node->fit;

    for (size_t c = 0; c < node->value.width; c++)
        live[c] |= hb_asked(fit->asked[c], asker) != 0;
}

static uint32_t narrow_guard(hb_narrowing *n)
{
    const hb_fit_guard *fit = n->node->fit;

    return hb_narrow_columns(n, &(hb_fit_guard){.takes_missing = fit->takes_missing,
                                                .asked = hb_narrow_items(n, fit->asked, 1),
                                                .failure = hb_narrow_failure(n, &fit->failure)});
}

static void check_demands(const hb_asking *a)
{
    const hb_fit_check *fit = a->node->fit;

    hb_ask_same(a);
    hb_ask_each(a, (uint8_t)((fit->takes_missing ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN) | fit->also));
}

/* Asks no feature; what is computed is looked at where it is live and something behind it asks. */
static void guard_demands(const hb_asking *a)
{
    const hb_fit_guard *fit = a->node->fit;
    uint8_t looks_for = fit->takes_missing ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN;

    for (size_t c = 0; c < a->node->value.width; c++)
        fit->demands[c] |= hb_asked_by(a->asker, (a->own[c] >> HB_LIVE_BIT) * (a->own[c] & looks_for));
    hb_ask_same(a);
}

const hb_meaning hb_meaning_check = {.lower = lower_check, .needs = hb_needs_columns, .demands = check_demands};
const hb_meaning hb_meaning_guard = {.validate = validate_guard,
                                     .facts = guard_facts,
                                     .lower = lower_guard,
                                     .needs = hb_needs_columns,
                                     .keeps = keep_guard,
                                     .narrow = narrow_guard,
                                     .demands = guard_demands};
