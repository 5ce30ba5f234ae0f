/* boosters.c - models whose sums start from a margin: tree ensembles, and XGBoost's gblinear. */
#include <math.h>
#include <string.h>

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
        data = hb_graph_array(l->graph, value->width, sizeof(double));
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

    HB_CHECK(fit->forest->wide && node->inputs[1] > 0, error);
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
    uint32_t start = l->node->n_inputs > 1                      ? l->inputs[1]
                     : l->node->value.dtype == HB_DTYPE_FLOAT64 ? add_start(l, fit->base)
                                                                : add_base_score(l, fit->base_score, fit->base_link);

    return hb_graph_add(l->graph, HB_OPERATOR_TREE_ENSEMBLE, (const uint32_t[]){l->inputs[0], start}, 2, &lowered);
}

static void tree_ensemble_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_tree_ensemble *)node->fit)->forest->n_outputs;
}

/* ---- features that no node tests */

/* A copy of the nodes of larger forests would take too much memory. */
enum { MOST_COPIED_NODES = 1 << 20 };

/* Kernels read no column that no node tests, so dropping columns of the caller's table would save nothing. */
static bool may_narrow(const hb_graph *graph, const hb_node *node)
{
    const hb_fit_tree_ensemble *fit = node->fit;

    return hb_input(graph, node, 0)->kind != HB_OPERATOR_ENCODE && fit->forest->nodes.count <= MOST_COPIED_NODES;
}

static void tree_ensemble_needs(const hb_needing *n)
{
    const hb_forest_model *forest = ((const hb_fit_tree_ensemble *)n->node->fit)->forest;
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    const int32_t *linear = forest->linear_features.items;

    memset(n->of[1], 1, hb_input(n->graph, n->node, 1)->value.width);
    if (!may_narrow(n->graph, n->node)) {
        memset(n->of[0], 1, forest->n_features);
        return;
    }
    for (size_t i = 0; i < forest->nodes.count && hb_goes_on(n->work, 1); i++)
        if (nodes[i].left != HB_NO_CHILD)
            n->of[0][nodes[i].feature] = 1;
    for (size_t i = 0; i < forest->linear_features.count && hb_goes_on(n->work, 1); i++)
        if ((size_t)linear[i] < forest->n_features) /* as in ask_tested */
            n->of[0][linear[i]] = 1;
}

/* The forest with other numbers of its features; it shares all else with the old one. */
static bool renumber_features(hb_narrowing *n, const hb_forest_model *old, hb_forest_model *forest)
{
    hb_arena *arena = n->graph->arena;
    hb_tree_node *nodes = hb_arena_room(arena, old->nodes.count, sizeof(*nodes));
    int32_t *linear = hb_arena_room(arena, old->linear_features.count, sizeof(*linear));

    if (!nodes || !linear) {
        n->graph->status = HBS_E_NOMEM;
        return false;
    }
    *forest = *old;
    forest->n_features = n->n_in[0];
    forest->nodes.items = nodes;
    forest->linear_features.items = linear;
    for (size_t i = 0; i < old->nodes.count && hb_goes_on(&arena->memory->work, 2); i++) {
        nodes[i] = hb_forest_nodes(old)[i];
        if (nodes[i].left != HB_NO_CHILD)
            nodes[i].feature = (int32_t)hb_narrow_place(n, (uint32_t)nodes[i].feature);
    }
    for (size_t i = 0; i < old->linear_features.count; i++)
        linear[i] = (int32_t)hb_narrow_place(n, ((const uint32_t *)old->linear_features.items)[i]);
    return true;
}

static uint32_t narrow_tree_ensemble(hb_narrowing *n)
{
    const hb_fit_tree_ensemble *fit = n->node->fit;
    hb_forest_model *forest = hb_graph_array(n->graph, 1, sizeof(*forest));

    if (!forest || !renumber_features(n, fit->forest, forest))
        return 0;
    for (uint32_t o = 0; o < forest->n_outputs; o++)
        n->out[n->n_out++] = o;
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 2, &(hb_fit_tree_ensemble){forest});
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

/* Adds to what is asked of a column; whether it was not all asked before. */
static bool ask_more(uint8_t *of, uint8_t all)
{
    bool is_new = (*of & all) != all;

    *of |= all;
    return is_new;
}

/* The features that its nodes test, and those that its linear leaves take, of which nothing is demanded. Most forests
 * test every feature in their first trees: then there is nothing more to look for. */
static void ask_tested(const hb_asking *a, uint8_t live)
{
    const hb_forest_model *forest = hb_node_forest(a->node);
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    const int32_t *linear = forest->linear_features.items;
    uint8_t *of = hb_asking_input(a), all = live | forest->demand;
    size_t left = 0;

    for (size_t c = 0; c < forest->n_features; c++)
        left += (of[c] & all) != all;
    for (size_t i = 0; left > 0 && i < forest->nodes.count && hb_goes_on(a->work, 1); i++)
        if (nodes[i].left != HB_NO_CHILD)
            left -= ask_more(&of[nodes[i].feature], all);
    for (size_t i = 0; left > 0 && i < forest->linear_features.count && hb_goes_on(a->work, 1); i++)
        if ((size_t)linear[i] < forest->n_features) /* sealing looks at those of leaves only */
            of[linear[i]] |= live;
}

/* The start of the sums goes into the sums, so it has their demands. */
static void forest_demands(const hb_asking *a)
{
    for (size_t c = 0; a->node->n_inputs > 1 && c < a->node->value.width; c++)
        a->of[a->node->inputs[1]][c] |= a->own[c];
    ask_tested(a, hb_asked_any(a, 0, a->node->value.width) & HB_LIVE);
}

const hb_meaning hb_meaning_forest = {
    .validate = validate_forest, .shape = forest_shape, .lower = lower_forest, .demands = forest_demands};
const hb_meaning hb_meaning_tree_ensemble = {
    .shape = tree_ensemble_shape, .needs = tree_ensemble_needs, .narrow = narrow_tree_ensemble};
const hb_meaning hb_meaning_linear = {.validate = validate_linear, .shape = linear_shape, .lower = lower_linear};
