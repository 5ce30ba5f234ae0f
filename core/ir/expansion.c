/* expansion.c - new columns that are made of numbers: flags, bins, products. */
#include <math.h>

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

const hb_meaning hb_meaning_binarize = {.validate = validate_binarize, .lower = lower_binarize};
const hb_meaning hb_meaning_bins = {.validate = validate_bins};
const hb_meaning hb_meaning_products = {.validate = validate_products, .shape = products_shape};
