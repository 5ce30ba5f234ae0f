/* neighbours.c - distances from fixed vectors, the nearest of them, numbers at places, and pairs of classes: what
 * nearest neighbours and support vector machines are made of. */
#include "ir/meaning.h"

/* ---- pairwise */

static hbs_status validate_pairwise(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_pairwise *fit = node->fit;

    HB_CHECK((unsigned)fit->metric < HB_N_METRICS && fit->vectors, error);
    HB_CHECK(fit->metric != HB_METRIC_MINKOWSKI || fit->power > 0, error);
    HB_CHECK(fit->n_features == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(fit->n_vectors > 0 && fit->n_vectors <= HB_MAX_OUTPUTS, error);
    return HBS_OK;
}

static void pairwise_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_pairwise *)node->fit)->n_vectors;
}

/* Plans have the vectors in groups, side by side: pairwise64.h. */
static const double *in_groups(hb_graph *graph, const hb_fit_pairwise *fit)
{
    size_t length = hb_in_groups(fit->n_vectors) * fit->n_features;
    double *to = hb_graph_array(graph, length, sizeof(*to));

    for (size_t i = 0; to && i < fit->n_vectors && hb_goes_on(&graph->arena->memory->work, fit->n_features); i++) {
        size_t first = i / HB_VECTOR_GROUP * HB_VECTOR_GROUP * fit->n_features + i % HB_VECTOR_GROUP;

        for (size_t c = 0; c < fit->n_features; c++)
            to[first + c * HB_VECTOR_GROUP] = fit->vectors[i * fit->n_features + c];
    }
    return to;
}

static uint32_t lower_pairwise(hb_lowering *l)
{
    hb_fit_pairwise fit = *(const hb_fit_pairwise *)l->node->fit;

    fit.vectors = in_groups(l->graph, &fit);
    return fit.vectors ? hb_lower_one(l, HB_OPERATOR_PAIRWISE, l->inputs[0], &fit) : 0;
}

/* ---- top_k */

static hbs_status validate_top_k(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_top_k *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);

    HB_CHECK(fit->n_terms > 0 && width % fit->n_terms == 0 && fit->k > 0 && fit->k <= fit->n_terms, error);
    HB_CHECK(2 * (width / fit->n_terms) * fit->k <= HB_MAX_OUTPUTS, error);
    return HBS_OK;
}

static void top_k_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_top_k *fit = node->fit;

    node->value.width = 2 * (hb_input_width(graph, node) / fit->n_terms) * fit->k;
}

/* Numbers and places of a group depend on the group's columns. */
static void top_k_demands(const hb_asking *a)
{
    const hb_fit_top_k *fit = a->node->fit;
    size_t n_groups = a->node->value.width / 2 / fit->k;

    for (size_t g = 0; g < n_groups; g++) {
        uint8_t any = hb_asked_any(a, g * fit->k, (g + 1) * fit->k) |
                      hb_asked_any(a, (n_groups + g) * fit->k, (n_groups + g + 1) * fit->k);

        for (size_t c = g * fit->n_terms; c < (g + 1) * fit->n_terms; c++)
            hb_asking_input(a)[c] |= any & HB_LIVE;
    }
}

/* ---- neighbours */

static hbs_status validate_neighbours(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_neighbours *fit = node->fit;

    HB_CHECK((unsigned)fit->metric < HB_N_METRICS && fit->metric != HB_METRIC_DOT, error);
    HB_CHECK(fit->metric != HB_METRIC_MINKOWSKI || fit->power > 0, error);
    HB_CHECK(fit->vectors && fit->n_features == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(fit->k > 0 && fit->k <= fit->n_vectors && fit->k <= HB_MAX_NEIGHBOURS, error);
    return HBS_OK;
}

static void neighbours_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = 2 * ((const hb_fit_neighbours *)node->fit)->k;
}

static void neighbours_demands(const hb_asking *a)
{
    const hb_fit_neighbours *fit = a->node->fit;

    hb_ask_all(a, (uint8_t)((hb_metric_takes_missing(fit->metric) ? 0 : HB_DEMAND_KNOWN) | HB_DEMAND_FINITE));
}

/* ---- impute_nearest */

static hbs_status validate_impute_nearest(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_impute_nearest *fit = node->fit;

    HB_CHECK(fit->vectors && fit->fill && fit->n_features == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(fit->n_vectors > 0 && fit->k > 0 && fit->k <= HB_MAX_IMPUTING, error);
    return HBS_OK;
}

/* Each number may be made of all others, and none is missing afterwards. */
static void impute_nearest_demands(const hb_asking *a)
{
    uint8_t any = hb_asked_of_computed(hb_asked_any(a, 0, a->node->value.width));

    hb_ask_each(a, (uint8_t)((any & ~HB_DEMAND_KNOWN) | HB_DEMAND_FINITE));
}

/* ---- look_up */

/* All places of each output are numbers that are there. */
static bool has_all_places(const hb_fit_look_up *fit, size_t n_numbers)
{
    size_t last;

    if (fit->n_places == 0 || !hb_multiply(fit->n_places - 1, fit->step, &last) || last >= n_numbers)
        return false;
    for (size_t o = 0; fit->first && o < fit->n_outputs; o++)
        if (fit->first[o] >= n_numbers - last)
            return false;
    return true;
}

static hbs_status validate_look_up(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_look_up *fit = node->fit;
    uint32_t places = node->inputs[node->n_inputs - 1];

    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_OUTPUTS, error);
    HB_CHECK((node->n_inputs == 1) == (fit->numbers != NULL), error);
    HB_CHECK(places > 0 && hb_pipeline_is_wide(pipeline, places), error);
    HB_CHECK(hb_pipeline_width(pipeline, places) == fit->n_outputs, error);
    HB_CHECK(has_all_places(fit, fit->numbers ? fit->n_numbers : hb_input_width(&pipeline->graph, node)), error);
    return HBS_OK;
}

static void look_up_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_look_up *)node->fit)->n_outputs;
}

static void look_up_demands(const hb_asking *a)
{
    const hb_fit_look_up *fit = a->node->fit;
    uint8_t *places = a->of[a->node->inputs[a->node->n_inputs - 1]], any = 0;

    for (size_t o = 0; o < fit->n_outputs; o++) {
        places[o] |= a->own[o] & HB_LIVE;
        any |= a->own[o];
    }
    if (!fit->numbers)
        hb_ask_each(a, any & HB_LIVE);
}

/* ---- coupling */

static hbs_status validate_coupling(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_coupling *fit = node->fit;

    HB_CHECK(fit->n_classes >= 2 && fit->n_classes <= HB_MAX_COUPLED, error);
    HB_CHECK(hb_input_width(&pipeline->graph, node) == fit->n_classes * (fit->n_classes - 1) / 2, error);
    return HBS_OK;
}

static void coupling_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_coupling *)node->fit)->n_classes;
}

const hb_meaning hb_meaning_pairwise = {
    .validate = validate_pairwise, .shape = pairwise_shape, .lower = lower_pairwise};
const hb_meaning hb_meaning_top_k = {.validate = validate_top_k, .shape = top_k_shape, .demands = top_k_demands};
const hb_meaning hb_meaning_neighbours = {
    .validate = validate_neighbours, .shape = neighbours_shape, .demands = neighbours_demands};
const hb_meaning hb_meaning_impute_nearest = {.validate = validate_impute_nearest, .demands = impute_nearest_demands};
const hb_meaning hb_meaning_look_up = {
    .validate = validate_look_up, .shape = look_up_shape, .demands = look_up_demands};
const hb_meaning hb_meaning_coupling = {.validate = validate_coupling, .shape = coupling_shape};
