/* ensembles.c - one answer of those of many trees or rounds. */
#include <math.h>

#include "base/solver.h"
#include "ir/meaning.h"

static hbs_status validate_isolation(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_isolation *fit = node->fit;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1, error);
    HB_CHECK(!isnan(fit->limits[0]) && !isnan(fit->limits[1]), error);
    return HBS_OK;
}

static hbs_status validate_weighted_median(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_weighted_median *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);

    HB_CHECK(fit->weights, error);
    if (width == 0 || width > HB_MAX_OUTPUTS)
        return hb_fail(error, HBS_E_LIMIT, "weighted_median: of %zu numbers (1 to %d)", width, HB_MAX_OUTPUTS);
    return HBS_OK;
}

static void weighted_median_shape(const hb_graph *graph, hb_node *node)
{
    node->value.width = 1 + hb_median_room(hb_input_width(graph, node), HB_FEW_MEDIAN);
}

static hbs_status validate_average(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_average *fit = node->fit;

    (void)pipeline;
    HB_CHECK(fit->divisor > 0, error);
    return HBS_OK;
}

static uint32_t lower_average(hb_lowering *l)
{
    const hb_fit_average *fit = l->node->fit;

    return hb_lower_one(l, HB_OPERATOR_DIVIDE, l->inputs[0], &(hb_fit_divide){fit->divisor});
}

static hbs_status validate_affine(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_affine *fit = node->fit;

    (void)pipeline;
    HB_CHECK(fit->bias, error);
    return HBS_OK;
}

static uint32_t narrow_affine(hb_narrowing *n)
{
    const hb_fit_affine *fit = n->node->fit;

    return hb_narrow_columns(n, &(hb_fit_affine){fit->factor, hb_narrow_items(n, fit->bias, sizeof(*fit->bias))});
}

static void computed_demands(const hb_asking *a)
{
    hb_ask_computed(a, 0);
}

const hb_meaning hb_meaning_isolation = {.validate = validate_isolation, .demands = computed_demands};
const hb_meaning hb_meaning_weighted_median = {.validate = validate_weighted_median, .shape = weighted_median_shape};
const hb_meaning hb_meaning_average = {
    .validate = validate_average, .lower = lower_average, .needs = hb_needs_columns, .demands = computed_demands};
const hb_meaning hb_meaning_divide = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_affine = {
    .validate = validate_affine, .needs = hb_needs_columns, .narrow = narrow_affine, .demands = computed_demands};
