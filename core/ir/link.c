/* link.c - raw scores to the output's scale. */
#include <math.h>

#include "ir/meaning.h"

/* ---- link */

/* The dtypes that each kind has kernels for. */
static const uint8_t reads[] = {
    [HB_LINK_IDENTITY] = HB_READS_EITHER,      [HB_LINK_SIGMOID] = HB_READS_EITHER,
    [HB_LINK_SOFTMAX] = HB_READS_EITHER,       [HB_LINK_EXP] = HB_READS_EITHER,
    [HB_LINK_HINGE] = HB_READS_EITHER,         [HB_LINK_SORT] = HB_READS_FLOAT32,
    [HB_LINK_EXPECTILE] = HB_READS_FLOAT32,    [HB_LINK_SQUARE] = HB_READS_FLOAT64,
    [HB_LINK_SOFTPLUS] = HB_READS_FLOAT64,     [HB_LINK_VARIANCE] = HB_READS_FLOAT64,
    [HB_LINK_SOFTMAX_PAIR] = HB_READS_FLOAT64, [HB_LINK_ONE_VS_REST] = HB_READS_FLOAT64,
    [HB_LINK_LOGSUMEXP] = HB_READS_FLOAT64,    [HB_LINK_MODIFIED_HUBER] = HB_READS_FLOAT64,
    [HB_LINK_RELU] = HB_READS_FLOAT64,         [HB_LINK_TANH] = HB_READS_FLOAT64,
    [HB_LINK_DIFFERENCE] = HB_READS_FLOAT64,
};

static hbs_status validate_link(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_link *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);
    bool wide = hb_pipeline_is_wide(pipeline, node->inputs[0]);

    HB_CHECK(fit->link < sizeof(reads), error);
    HB_CHECK(reads[fit->link] & (wide ? HB_READS_FLOAT64 : HB_READS_FLOAT32), error);
    HB_CHECK(!wide || fit->link != HB_LINK_SIGMOID || fit->factor > 0, error);
    if (fit->link == HB_LINK_SOFTMAX_PAIR && width != 1)
        return hb_fail(error, HBS_E_FORMAT, "link: the softmax of -d, d needs one score, not %zu", width);
    HB_CHECK(fit->link != HB_LINK_VARIANCE || width == 2, error);
    if (fit->link == HB_LINK_DIFFERENCE && width != 2)
        return hb_fail(error, HBS_E_FORMAT, "link: the difference needs two scores, not %zu", width);
    return HBS_OK;
}

static void link_shape(const hb_graph *graph, hb_node *node)
{
    const hb_fit_link *fit = node->fit;

    (void)graph;
    if (fit->link == HB_LINK_SOFTMAX_PAIR)
        node->value.width = 2;
    if (fit->link == HB_LINK_DIFFERENCE)
        node->value.width = 1;
}

/* Probabilities of a loss that has none of its own: (clip(x, -1, 1) + 1) / 2. */
static uint32_t lower_modified_huber(hb_lowering *l, uint32_t input)
{
    size_t width = l->node->value.width;
    double *ones = hb_graph_array(l->graph, width, sizeof(*ones));

    for (size_t c = 0; ones && c < width; c++)
        ones[c] = 1;
    input = hb_lower_one(l, HB_OPERATOR_CLIP, input, &(hb_fit_clip){{-1, 1}});
    input = hb_lower_with(l, HB_OPERATOR_ADD, input, ones);
    input = hb_lower_one(l, HB_OPERATOR_DIVIDE, input, &(hb_fit_divide){2});
    return width > 1 ? hb_lower_one(l, HB_OPERATOR_NORMALIZE, input, NULL) : input;
}

static uint32_t lower_link(hb_lowering *l)
{
    const hb_fit_link *fit = l->node->fit;
    uint32_t input = l->inputs[0];

    switch (fit->link) {
    case HB_LINK_SIGMOID:
        return hb_lower_one(l, HB_OPERATOR_SIGMOID, input, &(hb_fit_sigmoid){fit->factor});
    case HB_LINK_SOFTMAX:
        return hb_lower_one(l, HB_OPERATOR_SOFTMAX, input, NULL);
    case HB_LINK_EXP:
        return hb_lower_one(l, HB_OPERATOR_EXP, input, NULL);
    case HB_LINK_SQUARE:
        return hb_lower_one(l, HB_OPERATOR_SQUARE, input, NULL);
    case HB_LINK_SOFTPLUS:
        return hb_lower_one(l, HB_OPERATOR_SOFTPLUS, input, NULL);
    case HB_LINK_VARIANCE:
        return hb_lower_one(l, HB_OPERATOR_VARIANCE, input, NULL);
    case HB_LINK_HINGE:
        return hb_lower_one(l, HB_OPERATOR_GREATER, input, &(hb_fit_greater){0});
    case HB_LINK_SORT:
        return hb_lower_one(l, HB_OPERATOR_SORT, input, NULL);
    case HB_LINK_EXPECTILE:
        return hb_lower_one(l, HB_OPERATOR_EXPECTILE, input, NULL);
    case HB_LINK_SOFTMAX_PAIR:
        input = hb_lower_one(l, HB_OPERATOR_PLUS_MINUS, input, NULL);
        return hb_lower_one(l, HB_OPERATOR_SOFTMAX, input, NULL);
    case HB_LINK_ONE_VS_REST:
        input = hb_lower_one(l, HB_OPERATOR_SIGMOID, input, &(hb_fit_sigmoid){1});
        return hb_lower_one(l, HB_OPERATOR_NORMALIZE, input, NULL);
    case HB_LINK_LOGSUMEXP:
        return hb_lower_one(l, HB_OPERATOR_LOGSUMEXP, input, NULL);
    case HB_LINK_MODIFIED_HUBER:
        return lower_modified_huber(l, input);
    case HB_LINK_RELU:
        return hb_lower_one(l, HB_OPERATOR_CLIP, input, &(hb_fit_clip){{0, INFINITY}});
    case HB_LINK_TANH:
        return hb_lower_one(l, HB_OPERATOR_TANH, input, NULL);
    case HB_LINK_DIFFERENCE:
        return hb_lower_one(l, HB_OPERATOR_DIFFERENCE, input, NULL);
    case HB_LINK_IDENTITY:
        break;
    }
    return input;
}

/* ---- what it becomes */

static void keeps_library32(const hb_graph *graph, hb_node *node)
{
    node->value.library32 = hb_input(graph, node, 0)->value.library32;
}

static void two_columns(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = 2;
}

static void one_column(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = 1;
}

const hb_meaning hb_meaning_link = {.validate = validate_link, .shape = link_shape, .lower = lower_link};
const hb_meaning hb_meaning_logit = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_log = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_expectile_base = {.validate = NULL};
const hb_meaning hb_meaning_sigmoid = {.facts = keeps_library32, .needs = hb_needs_columns};
const hb_meaning hb_meaning_softmax = {.validate = NULL};
const hb_meaning hb_meaning_logistic32 = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_softmax32 = {.validate = NULL};
const hb_meaning hb_meaning_logsumexp = {.validate = NULL};
const hb_meaning hb_meaning_tanh = {.facts = keeps_library32, .needs = hb_needs_columns};
const hb_meaning hb_meaning_exp = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_square = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_softplus = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_variance = {.validate = NULL};
const hb_meaning hb_meaning_sort = {.validate = NULL};
const hb_meaning hb_meaning_expectile = {.validate = NULL};
const hb_meaning hb_meaning_normalize = {.validate = NULL};
const hb_meaning hb_meaning_plus_minus = {.shape = two_columns};
const hb_meaning hb_meaning_difference = {.shape = one_column};
const hb_meaning hb_meaning_complement = {.shape = two_columns};
