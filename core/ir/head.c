/* head.c - the class, by the library's own rule. */
#include <math.h>

#include "base/elementary64.h"
#include "ir/meaning.h"

static hbs_status validate_head(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_head *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);
    bool is_label = pipeline->label && node == hb_node_at(&pipeline->graph, pipeline->label);

    HB_CHECK(!fit->logit || (fit->threshold >= 0 && fit->threshold <= 1), error);
    HB_CHECK(fit->rule != HB_HEAD_GREATER || width == 1, error);
    if (!is_label) /* that of a part, which other operators read */
        return HBS_OK;
    HB_CHECK(fit->rule != HB_HEAD_GREATER || pipeline->n_classes == 2, error);
    HB_CHECK(fit->rule != HB_HEAD_ARGMAX || width == pipeline->n_classes || (width == 1 && pipeline->n_classes == 2),
             error);
    return HBS_OK;
}

static void head_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    if (((const hb_fit_head *)node->fit)->rule != HB_HEAD_FLAGS)
        node->value.width = 1;
}

/* CatBoost's GetBinClassLogitThreshold: the raw value of a probability. */
static double raw_threshold(const hb_fit_head *fit)
{
    if (!fit->logit)
        return fit->threshold;
    return fit->threshold >= 1 ? INFINITY : -hb_log64(1 / fit->threshold - 1); /* 0: -infinity */
}

static uint32_t lower_head(hb_lowering *l)
{
    const hb_fit_head *fit = l->node->fit;
    uint32_t input = l->inputs[0];

    if (fit->rule != HB_HEAD_ARGMAX)
        return hb_lower_one(l, HB_OPERATOR_GREATER, input, &(hb_fit_greater){raw_threshold(fit)});
    if (hb_input_width(&l->pipeline->graph, l->node) == 1 && l->pipeline->n_classes != 1)
        input = hb_lower_one(l, HB_OPERATOR_COMPLEMENT, input, NULL);
    return hb_lower_one(l, HB_OPERATOR_ARGMAX, input, NULL);
}

static void argmax_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = 1;
}

const hb_meaning hb_meaning_head = {.validate = validate_head, .shape = head_shape, .lower = lower_head};
const hb_meaning hb_meaning_greater = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_argmax = {.shape = argmax_shape};
const hb_meaning hb_meaning_argmax_softmax = {.shape = argmax_shape};
