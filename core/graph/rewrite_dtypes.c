/* rewrite_dtypes.c - one operation on two numbers of float32, done in float64 and rounded to float32, is that operation
 * in float32, bit by bit, since float64 has more than twice the digits (S. Figueroa, "When is double rounding
 * innocuous?", 1995). */
#include "graph/pass.h"

static const struct {
    hb_operator_kind in64, in32;
} in_float32[] = {{HB_OPERATOR_SUBTRACT, HB_OPERATOR_SUBTRACT32},
                  {HB_OPERATOR_QUOTIENT, HB_OPERATOR_QUOTIENT32},
                  {HB_OPERATOR_MULTIPLY, HB_OPERATOR_MULTIPLY32},
                  {HB_OPERATOR_ADD, HB_OPERATOR_ADD32}};

/* The operation in float32 of one in float64; itself where there is none. */
static hb_operator_kind kind_in_float32(hb_operator_kind kind)
{
    for (size_t k = 0; k < sizeof(in_float32) / sizeof(in_float32[0]); k++)
        if (in_float32[k].in64 == kind)
            return in_float32[k].in32;
    return kind;
}

static bool reads_float32(const hb_graph *graph, const hb_node *step)
{
    const hb_value *numbers = &hb_input(graph, step, 1)->value;

    return hb_input(graph, step, 0)->value.float32 == HB_FLOAT32_ALWAYS && numbers->data &&
           hb_all_float32(numbers->data, numbers->width);
}

hbs_status hb_rewrite_dtypes(hb_graph *graph, hbs_error *error)
{
    for (size_t i = 1; i < graph->nodes.count; i++) {
        hb_node *round = hb_node_at(graph, i);
        const hb_node *step = round->kind == HB_OPERATOR_ROUND ? hb_input(graph, round, 0) : NULL;
        hb_operator_kind kind = step ? kind_in_float32(step->kind) : HB_OPERATOR_ROUND;

        HB_TRY(hb_graph_worked(graph, 1, error));
        if (!step || kind == step->kind || !reads_float32(graph, step))
            continue;
        round->kind = kind;
        round->inputs = step->inputs;
        round->n_inputs = step->n_inputs;
        round->source = step->source;
        graph->n_rewrites++;
    }
    return HBS_OK;
}
