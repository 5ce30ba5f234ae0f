/* boosters.c - models whose sums start from a margin: tree ensembles, and XGBoost's gblinear. */
#include <math.h>

#include "ir/meaning.h"

/* ---- where sums start */

static hbs_status check_base_score(const float *base_score, hb_base_link link, size_t n_outputs, hbs_error *error)
{
    for (size_t i = 0; base_score && i < n_outputs; i++) {
        float base = base_score[i];

        if (isnan(base))
            return hb_fail(error, HBS_E_FORMAT, "base_score %zu is NaN", i);
        if (link == HB_BASE_LOGIT && !(base >= 0 && base <= 1))
            return hb_fail(error, HBS_E_FORMAT, "base_score is %g, the objective needs a probability", (double)base);
    }
    return HBS_OK;
}

/* The numbers at `data`, or zeros of either type. */
static uint32_t add_start(hb_lowering *l, const void *data)
{
    const hb_value *value = &l->node->value;

    if (!data)
        data = hb_arena_array(l->graph->arena, value->width, sizeof(double));
    if (!data)
        l->graph->status = HBS_E_NOMEM;
    return hb_graph_add_constant(l->graph, value->dtype, value->width, data);
}

/* The file has base_score in output space, so its link turns it into a margin. Folding makes one constant of it. */
static uint32_t add_base_score(hb_lowering *l, const float *base_score, hb_base_link link)
{
    uint32_t base = add_start(l, base_score);

    switch (link) {
    case HB_BASE_LOGIT:
        return hb_lower_one(l, HB_OPERATOR_LOGIT, base, NULL);
    case HB_BASE_LOG:
        return hb_lower_one(l, HB_OPERATOR_LOG, base, NULL);
    case HB_BASE_EXPECTILE:
        return hb_lower_one(l, HB_OPERATOR_EXPECTILE_BASE, base, NULL);
    case HB_BASE_IDENTITY:
        break;
    }
    return base;
}

/* ---- trees */

static hbs_status check_second_input(const hb_pipeline *pipeline, const hb_node *node, hbs_error *error)
{
    const hb_fit_forest *fit = node->fit;

    HB_CHECK(node->n_inputs == 2 && fit->forest->wide && node->inputs[1] > 0, error);
    HB_CHECK(hb_pipeline_is_wide(pipeline, node->inputs[1]), error);
    HB_CHECK(hb_pipeline_width(pipeline, node->inputs[1]) == fit->forest->n_outputs, error);
    return HBS_OK;
}

static hbs_status validate_forest(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_forest *fit = node->fit;
    bool wide = hb_pipeline_is_wide(pipeline, node->inputs[0]);

    HB_CHECK(fit->forest && fit->forest->wide == wide, error);
    HB_CHECK(wide ? !fit->base_score && fit->base_link == HB_BASE_IDENTITY : !fit->base, error);
    HB_CHECK(fit->forest->n_features == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(fit->forest->n_outputs > 0 && fit->forest->n_outputs <= HB_MAX_OUTPUTS, error);
    HB_TRY(check_base_score(fit->base_score, fit->base_link, fit->forest->n_outputs, error));
    if (node->n_inputs > 1)
        HB_TRY(check_second_input(pipeline, node, error));
    return hb_forest_model_seal(fit->forest, &pipeline->limits, error);
}

static void forest_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_forest *)node->fit)->forest->n_outputs;
}

static uint32_t lower_forest(hb_lowering *l)
{
    const hb_fit_forest *fit = l->node->fit;
    hb_fit_tree_ensemble lowered = {fit->forest};
    uint32_t start = l->node->n_inputs > 1                       ? l->inputs[1]
                     : l->node->value.dtype == HB_DTYPE_FLOAT64 ? add_start(l, fit->base)
                                                                 : add_base_score(l, fit->base_score, fit->base_link);

    return hb_graph_add(l->graph, HB_OPERATOR_TREE_ENSEMBLE, (const uint32_t[]){l->inputs[0], start}, 2, &lowered);
}

static void tree_ensemble_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_tree_ensemble *)node->fit)->forest->n_outputs;
}

/* ---- gblinear */

static hbs_status validate_linear(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_linear *fit = node->fit;

    HB_CHECK(node->n_inputs == 1, error);
    HB_CHECK(fit->n_features == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_OUTPUTS, error);
    for (size_t i = 0; i < fit->n_features * fit->n_outputs; i++) {
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 1, error));
        if (isnan(fit->weights[i]))
            return hb_fail(error, HBS_E_FORMAT, "weight %zu is NaN", i);
    }
    for (size_t i = 0; i < fit->n_outputs; i++)
        if (isnan(fit->bias[i]))
            return hb_fail(error, HBS_E_FORMAT, "bias %zu is NaN", i);
    return check_base_score(fit->base_score, fit->base_link, fit->n_outputs, error);
}

static void linear_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_linear *)node->fit)->n_outputs;
}

static uint32_t lower_linear(hb_lowering *l)
{
    const hb_fit_linear *fit = l->node->fit;
    uint32_t start = add_base_score(l, fit->base_score, fit->base_link);

    return hb_graph_add(l->graph, HB_OPERATOR_LINEAR, (const uint32_t[]){l->inputs[0], start}, 2, fit);
}

const hb_meaning hb_meaning_forest = {.validate = validate_forest, .shape = forest_shape, .lower = lower_forest};
const hb_meaning hb_meaning_tree_ensemble = {.shape = tree_ensemble_shape};
const hb_meaning hb_meaning_linear = {.validate = validate_linear, .shape = linear_shape, .lower = lower_linear};
