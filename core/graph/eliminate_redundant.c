/* eliminate_redundant.c - what changes no output is left out:
 *
 * - A number that float32 holds is not rounded to it again. Readers of the second rounding read the first.
 * - The argmax of a softmax is told from the raw scores, if the outputs that read the argmax need the softmax for
 *   nothing else. An output that needs the probabilities has them from the softmax as before. */
#include "graph/pass.h"

typedef struct elimination {
    hb_graph *graph;
    uint32_t *instead; /* [nodes before]: what the readers of each old node read.. */
    uint32_t *needed;  /* ..and, by the new number, which outputs need it otherwise than for the argmax of a softmax */
} elimination;

static bool rounds_again(const hb_graph *graph, const hb_node *node)
{
    return node->kind == HB_OPERATOR_ROUND && hb_input(graph, node, 0)->value.float32 == HB_FLOAT32_ALWAYS;
}

static bool is_argmax_of_softmax(const hb_graph *graph, const hb_node *node)
{
    return node->kind == HB_OPERATOR_ARGMAX && hb_input(graph, node, 0)->kind == HB_OPERATOR_SOFTMAX;
}

static hbs_status find_needs(const elimination *e, hbs_error *error)
{
    const hb_graph *graph = e->graph;

    for (size_t i = 0; i < graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(graph, i);

        for (size_t k = 0; k < node->n_inputs && !is_argmax_of_softmax(graph, node); k++)
            e->needed[node->inputs[k]] |= node->outputs;
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE)
            e->needed[graph->outputs[i]] |= 1u << i;
    return HBS_OK;
}

/* Node i and the softmax before it change places: the scores are read while they are near, and the softmax, which is
 * then their last reader, may lie over them. */
static void read_scores_first(elimination *e, size_t i)
{
    hb_node *softmax = hb_node_at(e->graph, i - 1), *argmax = softmax + 1, kept = *argmax;
    uint32_t needed = e->needed[i];

    *argmax = *softmax;
    *softmax = kept;
    e->needed[i] = e->needed[i - 1];
    e->needed[i - 1] = needed;
    e->instead[i] = (uint32_t)i - 1;
    e->instead[i - 1] = (uint32_t)i;
}

/* Node i, whose inputs are as they will be. */
static void eliminate(elimination *e, size_t i)
{
    hb_node *node = hb_node_at(e->graph, i);
    uint32_t *inputs = (uint32_t *)(uintptr_t)node->inputs; /* the graph's own */

    if (rounds_again(e->graph, node)) {
        e->instead[i] = inputs[0];
        e->graph->n_rewrites++;
    } else if (is_argmax_of_softmax(e->graph, node) && node->outputs & ~e->needed[inputs[0]]) {
        size_t softmax = inputs[0];

        node->kind = HB_OPERATOR_ARGMAX_SOFTMAX;
        inputs[0] = hb_node_at(e->graph, softmax)->inputs[0];
        e->graph->n_rewrites++;
        if (softmax == i - 1)
            read_scores_first(e, i);
    }
}

hbs_status hb_eliminate_redundant(hb_graph *graph, hbs_error *error)
{
    elimination e = {.graph = graph,
                     .instead = hb_arena_array(graph->arena, graph->nodes.count, sizeof(*e.instead)),
                     .needed = hb_arena_array(graph->arena, graph->nodes.count, sizeof(*e.needed))};

    if (!e.instead || !e.needed)
        return hb_no_memory(graph->arena->memory, error);
    HB_TRY(find_needs(&e, error));
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(graph, i);
        uint32_t *inputs = (uint32_t *)(uintptr_t)node->inputs;

        for (size_t k = 0; k < node->n_inputs; k++)
            inputs[k] = e.instead[inputs[k]];
        e.instead[i] = (uint32_t)i;
        eliminate(&e, i);
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE)
            graph->outputs[i] = e.instead[graph->outputs[i]];
    return HBS_OK;
}
