/* expansion.c - new columns that are made of numbers: flags, bins, products. */
#include <math.h>
#include <string.h>

#include "ir/meaning.h"

static hbs_status validate_binarize(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_binarize *fit = node->fit;

    (void)pipeline;
    HB_CHECK(!isnan(fit->threshold), error);
    return HBS_OK;
}

static uint32_t lower_binarize(hb_lowering *l)
{
    const hb_fit_binarize *fit = l->node->fit;

    return hb_lower_one(l, HB_OPERATOR_GREATER, l->inputs[0], &(hb_fit_greater){fit->threshold});
}

static hbs_status validate_bins(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_bins *bins = &((const hb_fit_bins *)node->fit)->model;
    uint32_t at = 0;

    HB_CHECK(bins->n_columns == hb_input_width(&pipeline->graph, node), error);
    for (size_t c = 0; c < bins->n_columns; c++) {
        HB_CHECK(bins->ends[c] >= at, error);
        for (uint32_t i = at; i < bins->ends[c]; i++) {
            if (isnan(bins->edges[i]) || (i > at && bins->edges[i] < bins->edges[i - 1]))
                return hb_fail(error, HBS_E_FORMAT, "bins: the edges of column %zu do not rise", c);
            HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
        }
        at = bins->ends[c];
    }
    return HBS_OK;
}

static uint32_t narrow_bins(hb_narrowing *n)
{
    const hb_bins *bins = &((const hb_fit_bins *)n->node->fit)->model;
    uint32_t *ends = hb_graph_array(n->graph, n->n_in[0], sizeof(*ends));
    double *edges = hb_graph_array(n->graph, bins->ends[bins->n_columns - 1], sizeof(*edges));
    uint32_t at = 0;

    for (size_t i = 0; ends && edges && i < n->n_in[0]; i++) {
        uint32_t c = n->in[0][i], first = c ? bins->ends[c - 1] : 0, count = bins->ends[c] - first;

        memcpy(edges + at, bins->edges + first, count * sizeof(*edges));
        ends[i] = at += count;
    }
    return hb_narrow_columns(n, &(hb_fit_bins){{n->n_in[0], ends, edges}});
}

/* A product is of one that comes before it, so they are made one after the other. */
static hbs_status validate_products(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_products *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);

    HB_CHECK(fit->products, error);
    HB_CHECK(fit->n_products > 0 && fit->n_products <= HB_MAX_OUTPUTS, error);
    for (size_t i = 0; i < fit->n_products; i++) {
        const hb_product *product = &fit->products[i];

        HB_CHECK(product->column < width, error);
        HB_CHECK(product->of < i || product->of >= HB_PRODUCT_ONE, error);
    }
    return HBS_OK;
}

static void products_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_products *)node->fit)->n_products;
}

/* From the last product back to those that it is made of. */
static void live_products(const hb_fit_products *fit, uint8_t *live)
{
    for (size_t i = fit->n_products; i-- > 0;)
        if (live[i] && fit->products[i].of < HB_PRODUCT_ONE)
            live[fit->products[i].of] = 1;
}

static void products_needs(const hb_needing *n)
{
    const hb_fit_products *fit = n->node->fit;

    live_products(fit, n->live);
    for (size_t i = 0; i < fit->n_products; i++)
        if (n->live[i] && fit->products[i].of != HB_PRODUCT_ONE)
            n->of[0][fit->products[i].column] = 1;
}

static uint32_t narrow_products(hb_narrowing *n)
{
    const hb_fit_products *fit = n->node->fit;
    hb_product *products = hb_graph_array(n->graph, fit->n_products, sizeof(*products));
    uint32_t *place = hb_graph_array(n->graph, fit->n_products, sizeof(*place));

    for (uint32_t i = 0; products && place && i < fit->n_products; i++) {
        const hb_product *old = &fit->products[i];

        if (!n->live[i])
            continue;
        place[i] = (uint32_t)n->n_out;
        products[n->n_out] = (hb_product){old->of < HB_PRODUCT_ONE ? place[old->of] : old->of,
                                          old->of == HB_PRODUCT_ONE ? 0 : hb_narrow_place(n, old->column)};
        n->out[n->n_out++] = i;
    }
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 1, &(hb_fit_products){n->n_out, products, fit->in_float32});
}

static void binarize_demands(const hb_asking *a)
{
    hb_ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    hb_ask_live(a);
}

static void bins_demands(const hb_asking *a)
{
    hb_ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    hb_ask_live(a);
}

/* From the last product back to those that it is made of. A column among the products is asked for what comes after it;
 * a product of several says nothing of what it is made of. */
static void products_demands(const hb_asking *a)
{
    const hb_fit_products *fit = a->node->fit;

    hb_ask_each(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
    for (size_t i = fit->n_products; i-- > 0;) {
        const hb_product *product = &fit->products[i];
        uint8_t live = a->own[i] & HB_LIVE;

        if (product->of == HB_PRODUCT_COLUMN)
            hb_asking_input(a)[product->column] |= a->own[i];
        if (product->of >= HB_PRODUCT_ONE)
            continue;
        a->own[product->of] |= live;
        hb_asking_input(a)[product->column] |= live;
    }
}

const hb_meaning hb_meaning_binarize = {
    .validate = validate_binarize, .lower = lower_binarize, .needs = hb_needs_columns, .demands = binarize_demands};
const hb_meaning hb_meaning_bins = {
    .validate = validate_bins, .needs = hb_needs_columns, .narrow = narrow_bins, .demands = bins_demands};
const hb_meaning hb_meaning_products = {.validate = validate_products,
                                        .shape = products_shape,
                                        .needs = products_needs,
                                        .narrow = narrow_products,
                                        .demands = products_demands};
