/* missing.c - numbers that count as missing, what they become, and where they were. */
#include <math.h>

#include "ir/meaning.h"

static hbs_status validate_mark_missing(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_mark_missing *fit = node->fit;

    (void)pipeline;
    HB_CHECK(!isnan(fit->number), error);
    return HBS_OK;
}

static void mark_missing_facts(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.finite = false;
}

static hbs_status validate_impute(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_impute *fit = node->fit;

    (void)pipeline;
    HB_CHECK(fit->fill, error);
    return HBS_OK;
}

static uint32_t narrow_impute(hb_narrowing *n)
{
    const hb_fit_impute *fit = n->node->fit;

    return hb_narrow_columns(
        n, &(hb_fit_impute){fit->missing, hb_narrow_items(n, fit->fill, sizeof(*fit->fill)), fit->takes_infinite});
}

static hbs_status validate_indicator(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_indicator *fit = node->fit;

    HB_CHECK(fit->known, error);
    HB_CHECK(fit->n_columns > 0 && fit->n_columns <= HB_MAX_OUTPUTS, error);
    for (size_t i = 0; i < fit->n_columns; i++)
        HB_CHECK(fit->columns[i] < hb_input_width(&pipeline->graph, node), error);
    return HBS_OK;
}

static void indicator_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_indicator *)node->fit)->n_columns;
}

static void indicator_needs(const hb_needing *n)
{
    const hb_fit_indicator *fit = n->node->fit;

    for (size_t i = 0; i < fit->n_columns; i++)
        n->of[0][fit->columns[i]] |= n->live[i];
}

static uint32_t narrow_indicator(hb_narrowing *n)
{
    const hb_fit_indicator *fit = n->node->fit;
    hb_fit_indicator made = {.missing = fit->missing};
    uint32_t *columns = hb_graph_array(n->graph, fit->n_columns, sizeof(*columns));

    for (uint32_t i = 0; columns && i < fit->n_columns; i++)
        if (n->live[i]) {
            columns[n->n_out] = hb_narrow_place(n, fit->columns[i]);
            n->out[n->n_out++] = i;
        }
    made.n_columns = n->n_out;
    made.columns = columns;
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 1, &made);
}

/* A number that stands for a missing one leaves no room for NaN. */
static void impute_demands(const hb_asking *a)
{
    const hb_fit_impute *fit = a->node->fit;
    bool takes_nan = fit->missing != fit->missing;
    uint8_t more = (uint8_t)((fit->takes_infinite ? 0 : HB_DEMAND_FINITE) | (takes_nan ? 0 : HB_DEMAND_KNOWN));

    for (size_t c = 0; c < a->node->value.width; c++)
        hb_asking_input(a)[c] |= (uint8_t)((a->own[c] & ~HB_DEMAND_KNOWN) | more);
}

/* That a known column is not missing is a part of what the marks say, though it has none. */
static void indicator_demands(const hb_asking *a)
{
    const hb_fit_indicator *fit = a->node->fit;
    bool takes_nan = fit->missing != fit->missing;
    uint8_t live = hb_asked_any(a, 0, a->node->value.width) & HB_LIVE;
    size_t width = hb_input_width(&a->pipeline->graph, a->node);

    hb_ask_each(a, takes_nan ? HB_DEMAND_FINITE : HB_DEMAND_FINITE | HB_DEMAND_KNOWN);
    for (size_t c = 0; c < width; c++)
        hb_asking_input(a)[c] |= (uint8_t)(fit->known[c] * (HB_DEMAND_KNOWN | live));
    for (size_t i = 0; i < fit->n_columns; i++)
        hb_asking_input(a)[fit->columns[i]] |= a->own[i] & HB_LIVE;
}

const hb_meaning hb_meaning_mark_missing = {
    .validate = validate_mark_missing, .facts = mark_missing_facts, .needs = hb_needs_columns, .demands = hb_ask_same};
const hb_meaning hb_meaning_impute = {
    .validate = validate_impute, .needs = hb_needs_columns, .narrow = narrow_impute, .demands = impute_demands};
const hb_meaning hb_meaning_indicator = {.validate = validate_indicator,
                                         .shape = indicator_shape,
                                         .needs = indicator_needs,
                                         .narrow = narrow_indicator,
                                         .demands = indicator_demands};
