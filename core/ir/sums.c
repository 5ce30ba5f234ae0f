/* sums.c - models that add up all columns: weighted sums, and likelihoods of normal distributions. */
#include <string.h>

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

/* ---- columns without weight */

/* live[c] becomes whether column c has a weight that is not 0, in an output of `outputs` (NULL: all). */
static void mark_weighted(const hb_fit_dense *fit, const uint8_t *outputs, hb_work *work, uint8_t *live)
{
    for (size_t o = 0; o < fit->n_outputs && hb_goes_on(work, fit->n_features); o++)
        for (size_t c = 0; (!outputs || outputs[o]) && c < fit->n_features; c++)
            live[c] |= fit->weights[o * fit->n_features + c] != 0;
}

/* Writes the weights of the columns to `to`, for the outputs of `outputs` (NULL: all). */
static void gather_weights(const hb_fit_dense *fit, const uint8_t *outputs, const uint32_t *columns, size_t n,
                           hb_work *work, double *to)
{
    for (size_t o = 0; o < fit->n_outputs && hb_goes_on(work, n); o++)
        for (size_t i = 0; (!outputs || outputs[o]) && i < n; i++)
            *to++ = fit->weights[o * fit->n_features + columns[i]];
}

/* The columns with weight in their order, or the first one if there is none; NULL: no memory. */
static uint32_t *weighted_columns(hb_lowering *l, const hb_fit_dense *fit, size_t *n)
{
    uint8_t *live = hb_arena_array(l->graph->arena, fit->n_features, 1);
    uint32_t *columns = hb_arena_array(l->graph->arena, fit->n_features, sizeof(*columns));

    *n = 0;
    if (!live || !columns)
        return NULL;
    mark_weighted(fit, NULL, &l->graph->arena->memory->work, live);
    for (uint32_t c = 0; c < fit->n_features; c++)
        if (live[c])
            columns[(*n)++] = c;
    *n = *n ? *n : 1;
    return columns;
}

/* Columns without weight do not take part. They change no bit of a sum that starts at +0, where they are finite; and
 * the libraries refuse rows where they are not, of which a dead column must not know. */
static uint32_t select_weighted(hb_lowering *l, hb_fit_dense *fit)
{
    size_t n;
    uint32_t *columns = weighted_columns(l, fit, &n);
    double *weights;

    if (columns && n == fit->n_features)
        return l->inputs[0];
    weights = columns ? hb_arena_array(l->graph->arena, fit->n_outputs * n, sizeof(*weights)) : NULL;
    if (!weights) {
        l->graph->status = HBS_E_NOMEM;
        return 0;
    }
    gather_weights(fit, NULL, columns, n, &l->graph->arena->memory->work, weights);
    fit->weights = weights;
    fit->n_features = n;
    return hb_lower_one(l, HB_OPERATOR_SELECT, l->inputs[0], &(hb_fit_select){n, columns});
}

/* The library sums in float32 where it has its input so, and all weights. */
static bool sums_in_float32(const hb_graph *graph, uint32_t input, const hb_fit_dense *fit)
{
    return graph->status == HBS_OK && hb_node_at(graph, input)->value.library32 &&
           hb_all_float32(fit->weights, fit->n_features * fit->n_outputs) && hb_all_float32(fit->bias, fit->n_outputs);
}

static uint32_t lower_dense(hb_lowering *l)
{
    hb_fit_dense fit = *(const hb_fit_dense *)l->node->fit;
    uint32_t input;

    fit.in_float32 = sums_in_float32(l->graph, l->inputs[0], &fit);
    input = select_weighted(l, &fit);
    return hb_lower_one(l, HB_OPERATOR_DENSE, input, &fit);
}

/* 0 times infinity is no number: a weight of 0 lets a column go only where all numbers are finite. */
static void dense_needs(const hb_needing *n)
{
    const hb_value *input = &hb_input(n->graph, n->node, 0)->value;

    if (input->finite)
        mark_weighted(n->node->fit, n->live, n->work, n->of[0]);
    else
        memset(n->of[0], 1, input->width);
}

static uint32_t narrow_dense(hb_narrowing *n)
{
    const hb_fit_dense *old = n->node->fit;
    hb_arena *arena = n->graph->arena;
    double *weights = hb_arena_array(arena, old->n_outputs * n->n_in[0], sizeof(*weights));
    double *bias = hb_arena_array(arena, old->n_outputs, sizeof(*bias));
    hb_fit_dense fit = *old;

    if (!weights || !bias) {
        n->graph->status = HBS_E_NOMEM;
        return 0;
    }
    gather_weights(old, n->live, n->in[0], n->n_in[0], &arena->memory->work, weights);
    for (uint32_t o = 0; o < old->n_outputs; o++)
        if (n->live[o]) {
            bias[n->n_out] = old->bias[o];
            n->out[n->n_out++] = o;
        }
    fit.n_features = n->n_in[0];
    fit.n_outputs = n->n_out;
    fit.weights = weights;
    fit.bias = bias;
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 1, &fit);
}

static void sparse_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_sparse *)node->fit)->n_outputs;
}

static void dense_segments_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_dense_segments *)node->fit)->n_outputs;
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

/* The library looks at all columns. One whose weights are all 0 changes no sum: lowering leaves it out. */
static void dense_demands(const hb_asking *a)
{
    const hb_fit_dense *fit = a->node->fit;
    uint8_t all = hb_asked_of_computed(hb_asked_any(a, 0, a->node->value.width)), live = all & HB_LIVE;
    bool none = true;

    hb_ask_each(a, (uint8_t)((all & ~HB_LIVE) | HB_DEMAND_KNOWN | HB_DEMAND_FINITE));
    for (size_t o = 0; live && o < fit->n_outputs && hb_goes_on(a->work, fit->n_features); o++)
        for (size_t c = 0; c < fit->n_features; c++) {
            hb_asking_input(a)[c] |= fit->weights[o * fit->n_features + c] != 0 ? live : 0;
            none = none && fit->weights[o * fit->n_features + c] == 0;
        }
    if (none)
        hb_asking_input(a)[0] |= live; /* a value has a column at least */
}

static void gaussian_nb_demands(const hb_asking *a)
{
    hb_ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

const hb_meaning hb_meaning_dense = {.validate = validate_dense,
                                     .shape = dense_shape,
                                     .facts = dense_facts,
                                     .lower = lower_dense,
                                     .needs = dense_needs,
                                     .narrow = narrow_dense,
                                     .demands = dense_demands};
const hb_meaning hb_meaning_sparse = {.shape = sparse_shape};
const hb_meaning hb_meaning_dense_segments = {.shape = dense_segments_shape};
const hb_meaning hb_meaning_gaussian_nb = {
    .validate = validate_gaussian_nb, .shape = gaussian_nb_shape, .demands = gaussian_nb_demands};
