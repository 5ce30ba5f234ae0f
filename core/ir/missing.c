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

const hb_meaning hb_meaning_mark_missing = {.validate = validate_mark_missing, .facts = mark_missing_facts};
const hb_meaning hb_meaning_impute = {.validate = validate_impute};
const hb_meaning hb_meaning_indicator = {.validate = validate_indicator, .shape = indicator_shape};
