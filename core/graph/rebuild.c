/* rebuild.c - see rebuild.h. */
#include "graph/rebuild.h"

#include <string.h>

void hb_graph_begin_again(hb_graph *made, const hb_graph *old)
{
    hb_graph_init(made, old->arena);
    made->pipeline = old->pipeline;
    memcpy(made->tolerances, old->tolerances, sizeof(old->tolerances));
    made->n_rewrites = old->n_rewrites;
    memcpy(made->reports, old->reports, sizeof(old->reports));
    made->n_reports = old->n_reports;
}

uint32_t hb_graph_copy_node(hb_graph *made, const hb_graph *old, size_t i, const uint32_t *number)
{
    const hb_node *node = hb_node_at(old, i);
    uint32_t added = hb_graph_append(made, node->kind, node->inputs, node->n_inputs, node->fit);
    uint32_t *inputs;

    if (made->status != HBS_OK)
        return 0;
    inputs = (uint32_t *)(uintptr_t)hb_node_at(made, added)->inputs; /* the graph's own */
    *hb_node_at(made, added) = *node;
    hb_node_at(made, added)->inputs = inputs;
    for (size_t k = 0; k < node->n_inputs; k++)
        inputs[k] = number[node->inputs[k]];
    return added;
}
