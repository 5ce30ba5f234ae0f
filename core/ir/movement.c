/* movement.c - columns that are moved, and no number changes. */
#include "ir/meaning.h"

static hbs_status validate_select(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_select *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);

    if (fit->n_columns == 0 || fit->n_columns > HB_MAX_OUTPUTS)
        return hb_fail(error, HBS_E_FORMAT, "select: %zu columns", fit->n_columns);
    for (size_t i = 0; i < fit->n_columns; i++)
        if (fit->columns[i] >= width)
            return hb_fail(error, HBS_E_FORMAT, "select: column %u of %zu", (unsigned)fit->columns[i], width);
    return HBS_OK;
}

static void select_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_select *)node->fit)->n_columns;
}

static hbs_status validate_concat(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    size_t width = 0;

    for (size_t i = 0; i < node->n_inputs; i++) {
        HB_CHECK(node->inputs[i] > 0, error);
        HB_CHECK(hb_pipeline_is_wide(pipeline, node->inputs[i]), error);
        width += hb_pipeline_width(pipeline, node->inputs[i]);
        if (width > HB_MAX_OUTPUTS)
            return hb_fail(error, HBS_E_LIMIT, "concat: more than %d columns", HB_MAX_OUTPUTS);
    }
    return HBS_OK;
}

static void concat_shape(const hb_graph *graph, hb_node *node)
{
    node->value.width = 0;
    for (size_t i = 0; i < node->n_inputs; i++)
        node->value.width += hb_input(graph, node, i)->value.width;
}

static void concat_facts(const hb_graph *graph, hb_node *node)
{
    node->value.finite = true;
    for (size_t i = 0; i < node->n_inputs; i++)
        node->value.finite &= hb_input(graph, node, i)->value.finite;
}

/* Two inputs at a time, from the left. */
static uint32_t lower_concat(hb_lowering *l)
{
    uint32_t left = l->inputs[0];

    for (size_t i = 1; i < l->node->n_inputs; i++)
        left = hb_graph_add(l->graph, HB_OPERATOR_CONCAT, (const uint32_t[]){left, l->inputs[i]}, 2, NULL);
    return left;
}

const hb_meaning hb_meaning_select = {.validate = validate_select, .shape = select_shape};
const hb_meaning hb_meaning_concat = {
    .validate = validate_concat, .shape = concat_shape, .facts = concat_facts, .lower = lower_concat};
