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

/* Beyond float32 a number becomes infinite. */
static void pass_rounded(const hb_asking *a, uint8_t more)
{
    for (size_t c = 0; c < a->node->value.width; c++) {
        uint8_t own = hb_asked_of_computed(a->own[c]) | more;

        hb_asking_input(a)[c] |= (uint8_t)(own | (own & HB_DEMAND_FINITE) / HB_DEMAND_FINITE * HB_DEMAND_FLOAT32);
    }
}

static void round_demands(const hb_asking *a)
{
    pass_rounded(a, 0);
}

static void narrow_demands(const hb_asking *a)
{
    const hb_fit_narrow *fit = a->node->fit;

    pass_rounded(a, fit->needs_finite ? HB_DEMAND_FINITE : 0);
}

const hb_meaning hb_meaning_flush_tiny = {.needs = hb_needs_columns, .demands = hb_ask_same};
const hb_meaning hb_meaning_round = {.facts = round_facts, .needs = hb_needs_columns, .demands = round_demands};
const hb_meaning hb_meaning_code = {.needs = hb_needs_columns, .demands = hb_ask_same};
const hb_meaning hb_meaning_narrow = {.shape = narrow_shape, .needs = hb_needs_columns, .demands = narrow_demands};
