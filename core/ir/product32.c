/* product32.c - weighted sums in float32, as models in ONNX have them. */
#include "ir/meaning.h"

static hbs_status validate_product32(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_product32 *fit = node->fit;

    HB_CHECK(fit->weights && fit->bias, error);
    HB_CHECK(fit->n_features == hb_input_width(&pipeline->graph, node), error);
    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_OUTPUTS, error);
    return HBS_OK;
}

static void product32_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_product32 *)node->fit)->n_outputs;
}

/* Columns without weight take part: of an infinite number ONNX Runtime makes NaN there. */
const hb_meaning hb_meaning_product32 = {.validate = validate_product32, .shape = product32_shape};
