/* rounding.c - numbers that lose digits. */
#include "ir/meaning.h"

static void round_facts(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.float32 = HB_FLOAT32_ALWAYS;
    node->value.library32 = true;
}

static void narrow_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.dtype = HB_DTYPE_FLOAT32;
}

const hb_meaning hb_meaning_flush_tiny = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_round = {.facts = round_facts, .needs = hb_needs_columns};
const hb_meaning hb_meaning_code = {.needs = hb_needs_columns};
const hb_meaning hb_meaning_narrow = {.shape = narrow_shape, .needs = hb_needs_columns};
