/* whole_texts.c - a number of a row's text as a whole: its hash, or whether it equals another one. */
#include "ir/meaning.h"

/* A missing text is refused, unless the parameters say what it counts as. */
static void ask_texts(const hb_asking *a, const char *missing)
{
    for (size_t k = 0; k < a->node->n_inputs; k++) {
        uint8_t *texts = a->of[a->node->inputs[k]];

        for (size_t c = 0; c < a->node->value.width && hb_goes_on(a->work, 1); c++)
            if (a->own[c] & HB_LIVE)
                texts[c] |= (uint8_t)(HB_LIVE | (missing ? 0 : HB_DEMAND_KNOWN));
    }
}

static void text_hash_demands(const hb_asking *a)
{
    ask_texts(a, ((const hb_fit_text_hash *)a->node->fit)->missing);
}

static void text_equal_demands(const hb_asking *a)
{
    ask_texts(a, ((const hb_fit_text_equal *)a->node->fit)->missing);
}

static hbs_status validate_text_equal(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_graph *graph = &pipeline->graph;

    HB_CHECK(hb_node_at(graph, node->inputs[0])->value.width == hb_node_at(graph, node->inputs[1])->value.width, error);
    return HBS_OK;
}

static uint32_t narrow_text_hash(hb_narrowing *n)
{
    return hb_narrow_columns(n, n->node->fit);
}

const hb_meaning hb_meaning_text_hash = {
    .needs = hb_needs_columns, .narrow = narrow_text_hash, .demands = text_hash_demands};
const hb_meaning hb_meaning_text_equal = {.validate = validate_text_equal, .demands = text_equal_demands};
