/* sums.c - models that add up all columns: weighted sums, and likelihoods of normal distributions. */
#include "ir/meaning.h"

static hbs_status check_width(const hb_pipeline *pipeline, const hb_node *node, size_t n_features, size_t n_outputs,
                              hbs_error *error)
{
    HB_CHECK(n_features == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(n_outputs > 0 && n_outputs <= HB_MAX_OUTPUTS, error);
    return HBS_OK;
}

static hbs_status validate_dense(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_dense *fit = node->fit;

    return check_width(pipeline, node, fit->n_features, fit->n_outputs, error);
}

static void dense_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_dense *)node->fit)->n_outputs;
}

static void dense_facts(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.library32 = ((const hb_fit_dense *)node->fit)->in_float32;
}

/* The library sums in float32 where it has its input so, and all weights. */
static uint32_t lower_dense(hb_lowering *l)
{
    hb_fit_dense fit = *(const hb_fit_dense *)l->node->fit;

    fit.in_float32 = l->graph->status == HBS_OK && hb_node_at(l->graph, l->inputs[0])->value.library32 &&
                     hb_all_float32(fit.weights, fit.n_features * fit.n_outputs) &&
                     hb_all_float32(fit.bias, fit.n_outputs);
    return hb_lower_one(l, HB_OPERATOR_DENSE, l->inputs[0], &fit);
}

static hbs_status validate_gaussian_nb(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_gaussian_nb *fit = node->fit;

    return check_width(pipeline, node, fit->n_features, fit->n_outputs, error);
}

static void gaussian_nb_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_gaussian_nb *)node->fit)->n_outputs;
}

const hb_meaning hb_meaning_dense = {
    .validate = validate_dense, .shape = dense_shape, .facts = dense_facts, .lower = lower_dense};
const hb_meaning hb_meaning_gaussian_nb = {.validate = validate_gaussian_nb, .shape = gaussian_nb_shape};
