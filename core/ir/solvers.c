/* solvers.c - operators that solve a problem of its own for each row. They need room, which are columns of their value
 * behind the answers: a plan has no other. */
#include <float.h>

#include "base/solver.h"
#include "ir/meaning.h"

/* Selects the answers: the first `n` of the columns that are made. */
static uint32_t without_room(hb_lowering *l, uint32_t made, size_t n)
{
    uint32_t *columns = hb_graph_array(l->graph, n, sizeof(*columns));

    for (uint32_t c = 0; columns && c < n; c++)
        columns[c] = c;
    return columns ? hb_lower_one(l, HB_OPERATOR_SELECT, made, &(hb_fit_select){n, columns}) : 0;
}

static void demands_of_all(const hb_asking *a)
{
    hb_ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

/* ---- topics */

static hbs_status validate_topics(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_topics *fit = node->fit;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1 && fit->n_room == 0, error);
    HB_CHECK(fit->n_columns > 0 && fit->n_columns <= HB_MAX_LIST_COLUMNS, error);
    HB_CHECK(fit->n_topics > 0 && fit->n_topics <= HB_MAX_TOPICS && fit->weights, error);
    HB_CHECK(fit->prior >= 0 && fit->prior <= DBL_MAX, error);
    return HBS_OK;
}

static void topics_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_topics *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_topics + fit->n_room;
}

static uint32_t lower_topics(hb_lowering *l)
{
    hb_fit_topics fit = *(const hb_fit_topics *)l->node->fit;

    fit.n_room = hb_topics_room(fit.n_topics);
    return without_room(l, hb_lower_one(l, HB_OPERATOR_TOPICS, l->inputs[0], &fit), fit.n_topics);
}

/* ---- factors */

static hbs_status validate_factors(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_factors *fit = node->fit;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1 && fit->n_room == 0, error);
    HB_CHECK(fit->n_columns > 0 && fit->n_columns <= HB_MAX_LIST_COLUMNS && fit->n_rounds > 0, error);
    HB_CHECK(fit->n_components > 0 && fit->n_components <= HB_MAX_ATOMS && fit->weights, error);
    HB_CHECK((unsigned)fit->rule < HB_N_FACTORS_RULES && fit->beta >= -DBL_MAX && fit->beta <= DBL_MAX, error);
    return HBS_OK;
}

static void factors_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_factors *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_components + fit->n_room;
}

static uint32_t lower_factors(hb_lowering *l)
{
    hb_fit_factors fit = *(const hb_fit_factors *)l->node->fit;

    fit.n_room = hb_factors_room(fit.n_components);
    return without_room(l, hb_lower_one(l, HB_OPERATOR_FACTORS, l->inputs[0], &fit), fit.n_components);
}

/* ---- pursuit */

static hbs_status validate_pursuit(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_pursuit *fit = node->fit;

    HB_CHECK(fit->n_vectors == hb_input_width(&pipeline->graph, node) && fit->n_room == 0 && fit->gram, error);
    HB_CHECK(fit->n_vectors > 0 && fit->n_vectors <= HB_MAX_ATOMS, error);
    HB_CHECK(fit->k > 0 && fit->k <= HB_MAX_PURSUED && fit->k <= fit->n_vectors, error);
    return HBS_OK;
}

static void pursuit_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_pursuit *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_vectors + fit->n_room;
}

static uint32_t lower_pursuit(hb_lowering *l)
{
    hb_fit_pursuit fit = *(const hb_fit_pursuit *)l->node->fit;

    fit.n_room = hb_pursuit_room(fit.n_vectors, fit.k);
    return without_room(l, hb_lower_one(l, HB_OPERATOR_PURSUIT, l->inputs[0], &fit), fit.n_vectors);
}

/* ---- descent */

static hbs_status validate_descent(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_descent *fit = node->fit;
    bool has_square = hb_descent_has_square(fit->rule);

    HB_CHECK((unsigned)fit->rule < HB_N_DESCENT_RULES && node->n_inputs == 1 + (size_t)has_square, error);
    HB_CHECK(fit->n_vectors == hb_input_width(&pipeline->graph, node) && fit->n_room == 0 && fit->gram, error);
    HB_CHECK(!has_square || hb_input(&pipeline->graph, node, 1)->value.width == 1, error);
    HB_CHECK(!has_square || hb_pipeline_is_wide(pipeline, node->inputs[1]), error);
    HB_CHECK(fit->n_vectors > 0 && fit->n_vectors <= HB_MAX_ATOMS && fit->n_rounds > 0, error);
    return HBS_OK;
}

static void descent_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_descent *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_vectors + fit->n_room;
}

static uint32_t lower_descent(hb_lowering *l)
{
    hb_fit_descent fit = *(const hb_fit_descent *)l->node->fit;

    fit.n_room = hb_descent_room(fit.n_vectors);
    return without_room(l, hb_graph_add(l->graph, HB_OPERATOR_DESCENT, l->inputs, l->node->n_inputs, &fit),
                        fit.n_vectors);
}

/* ---- least_angle */

static size_t most_weights(const hb_fit_least_angle *fit)
{
    return fit->n_rounds < fit->n_vectors ? fit->n_rounds : fit->n_vectors;
}

static hbs_status validate_least_angle(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_least_angle *fit = node->fit;

    HB_CHECK(fit->n_vectors == hb_input_width(&pipeline->graph, node) && fit->n_room == 0 && fit->gram, error);
    HB_CHECK(fit->n_vectors > 0 && fit->n_vectors <= HB_MAX_ATOMS && fit->n_rounds > 0, error);
    HB_CHECK(most_weights(fit) <= HB_MAX_PURSUED && fit->n_terms > 0 && fit->penalty >= 0, error);
    return HBS_OK;
}

static void least_angle_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_least_angle *fit = node->fit;

    (void)graph;
    node->value.width = fit->n_vectors + fit->n_room;
}

static uint32_t lower_least_angle(hb_lowering *l)
{
    hb_fit_least_angle fit = *(const hb_fit_least_angle *)l->node->fit;

    fit.n_room = hb_least_angle_room(fit.n_vectors, most_weights(&fit));
    return without_room(l, hb_lower_one(l, HB_OPERATOR_LEAST_ANGLE, l->inputs[0], &fit), fit.n_vectors);
}

/* ---- barycentre */

static hbs_status validate_barycentre(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_barycentre *fit = node->fit;

    HB_CHECK(fit->vectors && fit->n_features == hb_input_width(&pipeline->graph, node) && fit->n_room == 0, error);
    HB_CHECK(fit->k > 0 && fit->k <= HB_MAX_BARYCENTRE, error);
    HB_CHECK(hb_input(&pipeline->graph, node, 1)->value.width == fit->k, error);
    HB_CHECK(hb_pipeline_is_wide(pipeline, node->inputs[1]), error);
    return HBS_OK;
}

static void barycentre_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_barycentre *fit = node->fit;

    (void)graph;
    node->value.width = fit->k + fit->n_room;
}

static void barycentre_demands(const hb_asking *a)
{
    hb_ask_all_inputs(a);
    hb_ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

static uint32_t lower_barycentre(hb_lowering *l)
{
    hb_fit_barycentre fit = *(const hb_fit_barycentre *)l->node->fit;

    fit.n_room = hb_barycentre_room(fit.k);
    return without_room(l, hb_graph_add(l->graph, HB_OPERATOR_BARYCENTRE, l->inputs, 2, &fit), fit.k);
}

const hb_meaning hb_meaning_topics = {
    .validate = validate_topics, .shape = topics_shape, .demands = demands_of_all, .lower = lower_topics};
const hb_meaning hb_meaning_factors = {
    .validate = validate_factors, .shape = factors_shape, .demands = demands_of_all, .lower = lower_factors};
const hb_meaning hb_meaning_pursuit = {.validate = validate_pursuit, .shape = pursuit_shape, .lower = lower_pursuit};
const hb_meaning hb_meaning_descent = {.validate = validate_descent, .shape = descent_shape, .lower = lower_descent};
const hb_meaning hb_meaning_least_angle = {
    .validate = validate_least_angle, .shape = least_angle_shape, .lower = lower_least_angle};
const hb_meaning hb_meaning_barycentre = {.validate = validate_barycentre,
                                          .shape = barycentre_shape,
                                          .demands = barycentre_demands,
                                          .lower = lower_barycentre};
