/* scale.c - columns shifted, scaled, limited and divided by a row's norm. */
#include "ir/meaning.h"

/* ---- scale */

static hbs_status validate_scale(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_scale *fit = node->fit;

    (void)pipeline;
    HB_CHECK(fit->shift || fit->scaling == HB_SCALE_DIVIDE, error);
    HB_CHECK(fit->factor || fit->scaling == HB_SCALE_SHIFT, error);
    return HBS_OK;
}

/* One step of a scaler; where it computes in float32 it does so in float64 and rounds. */
static uint32_t add_step(hb_lowering *l, hb_operator_kind kind, uint32_t input, const double *numbers)
{
    const hb_fit_scale *fit = l->node->fit;
    uint32_t made = hb_lower_with(l, kind, input, numbers);

    return fit->in_float32 ? hb_lower_one(l, HB_OPERATOR_ROUND, made, NULL) : made;
}

static uint32_t lower_scale(hb_lowering *l)
{
    const hb_fit_scale *fit = l->node->fit;
    uint32_t input = l->inputs[0];

    switch (fit->scaling) {
    case HB_SCALE_SHIFT:
        return add_step(l, HB_OPERATOR_SUBTRACT, input, fit->shift);
    case HB_SCALE_DIVIDE:
        return add_step(l, HB_OPERATOR_QUOTIENT, input, fit->factor);
    case HB_SCALE_SHIFT_DIVIDE:
        input = add_step(l, HB_OPERATOR_SUBTRACT, input, fit->shift);
        return add_step(l, HB_OPERATOR_QUOTIENT, input, fit->factor);
    case HB_SCALE_SHIFT_MULTIPLY:
        input = add_step(l, HB_OPERATOR_SUBTRACT, input, fit->shift);
        return add_step(l, HB_OPERATOR_MULTIPLY, input, fit->factor);
    case HB_SCALE_MULTIPLY_ADD:
        break;
    }
    input = add_step(l, HB_OPERATOR_MULTIPLY, input, fit->factor);
    return add_step(l, HB_OPERATOR_ADD, input, fit->shift);
}

static void in_float32(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.float32 = HB_FLOAT32_ALWAYS;
}

/* ---- clip, norm */

static hbs_status validate_clip(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_clip *fit = node->fit;

    (void)pipeline;
    if (!(fit->limits[0] <= fit->limits[1]))
        return hb_fail(error, HBS_E_FORMAT, "clip: from %g to %g", fit->limits[0], fit->limits[1]);
    return HBS_OK;
}

static void keeps_library32(const hb_graph *graph, hb_node *node)
{
    node->value.library32 = hb_input(graph, node, 0)->value.library32;
}

static hbs_status validate_norm(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_norm *fit = node->fit;

    (void)pipeline;
    HB_CHECK(fit->norm <= HB_NORM_MAX, error);
    return HBS_OK;
}

static uint32_t lower_norm(hb_lowering *l)
{
    const hb_fit_norm *fit = l->node->fit;

    switch (fit->norm) {
    case HB_NORM_L1:
        return hb_lower_one(l, HB_OPERATOR_NORM_L1, l->inputs[0], &(hb_fit_norm_l1){fit->in_float32});
    case HB_NORM_L2:
        return hb_lower_one(l, HB_OPERATOR_NORM_L2, l->inputs[0], &(hb_fit_norm_l2){fit->in_float32});
    case HB_NORM_MAX:
        break;
    }
    return hb_lower_one(l, HB_OPERATOR_NORM_MAX, l->inputs[0], &(hb_fit_norm_max){fit->in_float32});
}

static void finite_demands(const hb_asking *a)
{
    hb_ask_computed(a, HB_DEMAND_FINITE);
}

static void scale_demands(const hb_asking *a)
{
    hb_ask_computed(a, ((const hb_fit_scale *)a->node->fit)->takes_infinite ? 0 : HB_DEMAND_FINITE);
}

/* The norm is of the whole row. */
static void norm_demands(const hb_asking *a)
{
    hb_ask_each(a, (hb_asked_any(a, 0, a->node->value.width) & HB_LIVE) | HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

const hb_meaning hb_meaning_scale = {
    .validate = validate_scale, .lower = lower_scale, .needs = hb_needs_columns, .demands = scale_demands};
const hb_meaning hb_meaning_subtract = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_quotient = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_multiply = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_add = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_subtract32 = {.facts = in_float32, .needs = hb_needs_columns};
const hb_meaning hb_meaning_quotient32 = {.facts = in_float32, .needs = hb_needs_columns};
const hb_meaning hb_meaning_multiply32 = {.facts = in_float32, .needs = hb_needs_columns};
const hb_meaning hb_meaning_add32 = {.facts = in_float32, .needs = hb_needs_columns};
const hb_meaning hb_meaning_clip = {
    .validate = validate_clip, .facts = keeps_library32, .needs = hb_needs_columns, .demands = finite_demands};
const hb_meaning hb_meaning_norm = {.validate = validate_norm, .lower = lower_norm, .demands = norm_demands};
const hb_meaning hb_meaning_norm_l1 = {.validate = NULL};
const hb_meaning hb_meaning_norm_l2 = {.validate = NULL};
const hb_meaning hb_meaning_norm_max = {.validate = NULL};
