/* graph.c - building a graph. */
#include "ir/graph.h"

#include <math.h>
#include <string.h>

#include "ir/meaning.h"

void hb_graph_init(hb_graph *graph, hb_arena *arena)
{
    *graph = (hb_graph){.arena = arena};
    hb_vector_init(&graph->nodes, arena->memory, sizeof(hb_node));
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        graph->outputs[i] = HB_NO_NODE;
}

void hb_graph_release(hb_graph *graph)
{
    hb_vector_release(&graph->nodes);
}

void *hb_graph_array(hb_graph *graph, size_t count, size_t size)
{
    void *items = hb_arena_array(graph->arena, count, size);

    if (!items)
        graph->status = HBS_E_NOMEM;
    return items;
}

/* A copy of `size` bytes that lasts as long as the graph; NULL for none, or where there is no memory. */
static void *keep(hb_graph *graph, const void *bytes, size_t size)
{
    void *kept = size ? hb_graph_array(graph, 1, size) : NULL;

    if (kept && bytes)
        memcpy(kept, bytes, size);
    return kept;
}

uint32_t hb_graph_append(hb_graph *graph, hb_operator_kind kind, const uint32_t *inputs, size_t n_inputs,
                         const void *fit)
{
    hb_node node = {.kind = kind, .n_inputs = (uint32_t)n_inputs};

    if (graph->status == HBS_OK && graph->nodes.count >= HB_MAX_NODES)
        graph->status = HBS_E_LIMIT;
    if (graph->status != HBS_OK)
        return 0;
    node.inputs = keep(graph, inputs, n_inputs * sizeof(*inputs));
    node.fit = keep(graph, fit, hb_operator_rows[kind].fit_size);
    if (graph->status == HBS_OK && !hb_vector_append(&graph->nodes, &node, 1))
        graph->status = HBS_E_NOMEM;
    return graph->status == HBS_OK ? (uint32_t)(graph->nodes.count - 1) : 0;
}

hbs_status hb_graph_check(const hb_graph *graph, hbs_error *error)
{
    if (graph->status == HBS_E_NOMEM)
        return hb_no_memory(graph->arena->memory, error);
    if (graph->status == HBS_E_LIMIT)
        return hb_fail(error, HBS_E_LIMIT, "the pipeline has more than %d operators", HB_MAX_NODES);
    return HBS_OK;
}

/* ---- values */

/* Constant: a constant, or an operator all of whose inputs are. */
static bool is_constant(const hb_graph *graph, const hb_node *node)
{
    for (size_t i = 0; i < node->n_inputs; i++)
        if (!hb_input(graph, node, i)->value.constant)
            return false;
    return node->n_inputs > 0 || node->kind == HB_OPERATOR_CONSTANT;
}

/* As operators.def says what the operator makes. */
static void state_facts(const hb_graph *graph, hb_node *node)
{
    hb_makes makes = hb_operator_rows[node->kind].makes;

    if (makes == HB_MAKES_INPUTS) {
        node->value.float32 = hb_input(graph, node, 0)->value.float32;
        node->value.finite = hb_input(graph, node, 0)->value.finite;
    }
    if (makes == HB_MAKES_FINITE)
        node->value.finite = true;
}

void hb_node_complete(const hb_graph *graph, hb_node *node)
{
    const hb_meaning *meaning = hb_meanings[node->kind];

    node->value.constant = is_constant(graph, node);
    if (node->n_inputs > 0) {
        node->value.dtype = hb_input(graph, node, 0)->value.dtype;
        node->value.width = hb_input_width(graph, node);
    }
    if (meaning->shape)
        meaning->shape(graph, node);
    state_facts(graph, node);
    if (meaning->facts)
        meaning->facts(graph, node);
}

uint32_t hb_graph_add(hb_graph *graph, hb_operator_kind kind, const uint32_t *inputs, size_t n_inputs, const void *fit)
{
    uint32_t added = hb_graph_append(graph, kind, inputs, n_inputs, fit);

    if (graph->status == HBS_OK)
        hb_node_complete(graph, hb_node_at(graph, added));
    return added;
}

uint32_t hb_graph_add_constant(hb_graph *graph, hb_dtype dtype, size_t width, const void *data)
{
    uint32_t added = hb_graph_append(graph, HB_OPERATOR_CONSTANT, NULL, 0, NULL);

    if (graph->status == HBS_OK)
        hb_node_at(graph, added)->value = (hb_value){.dtype = dtype, .constant = true, .width = width, .data = data};
    return added;
}

hbs_status hb_graph_mark_needs(hb_graph *graph, hbs_error *error)
{
    uint32_t there = 0;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        there |= graph->outputs[i] != HB_NO_NODE ? 1u << i : 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        hb_node_at(graph, i)->outputs = hb_node_at(graph, i)->refuses & there;
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE)
            hb_node_at(graph, graph->outputs[i])->outputs |= 1u << i;
    for (size_t i = graph->nodes.count; i-- > 0;) {
        const hb_node *node = hb_node_at(graph, i);

        for (size_t k = 0; k < node->n_inputs; k++)
            hb_node_at(graph, node->inputs[k])->outputs |= node->outputs;
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    return HBS_OK;
}

bool hb_all_float32(const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(numbers[i]) && (double)(float)numbers[i] != numbers[i])
            return false;
    return true;
}
