/* eliminate_redundant.c - a number that float32 holds is not rounded to it again. Readers of the second rounding read
 * the first. */
#include "graph/pass.h"

static bool is_redundant(const hb_graph *graph, const hb_node *node)
{
    return node->kind == HB_OPERATOR_ROUND && hb_input(graph, node, 0)->value.float32 == HB_FLOAT32_ALWAYS;
}

hbs_status hb_eliminate_redundant(hb_graph *graph, hbs_error *error)
{
    uint32_t *instead = hb_arena_array(graph->arena, graph->nodes.count, sizeof(*instead));

    if (!instead)
        return hb_no_memory(graph->arena->memory, error);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(graph, i);
        uint32_t *inputs = (uint32_t *)(uintptr_t)node->inputs; /* the graph's own */

        for (size_t k = 0; k < node->n_inputs; k++)
            inputs[k] = instead[inputs[k]];
        instead[i] = (uint32_t)i;
        if (is_redundant(graph, node)) {
            instead[i] = node->inputs[0];
            graph->n_rewrites++;
        }
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE)
            graph->outputs[i] = instead[graph->outputs[i]];
    return HBS_OK;
}
