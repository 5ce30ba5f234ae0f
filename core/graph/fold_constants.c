/* fold_constants.c - operators of constants become constants, by the function that a plan would call. */
#include "graph/pass.h"
#include "ir/meaning.h"
#include "op/execution.h"

/* Operators that can refuse a row stay, and so do forests, which have no program yet. */
static bool is_foldable(hb_operator_kind kind)
{
    return kind != HB_OPERATOR_CONSTANT && kind != HB_OPERATOR_TREE_ENSEMBLE && !hb_meanings[kind]->keeps;
}

static bool can_fold(const hb_graph *graph, const hb_node *node)
{
    if (!node->value.constant || !is_foldable(node->kind))
        return false;
    for (size_t k = 0; k < node->n_inputs; k++)
        if (hb_input(graph, node, k)->kind != HB_OPERATOR_CONSTANT)
            return false;
    return true;
}

static hbs_status fold(hb_graph *graph, hb_node *node, hbs_error *error)
{
    hb_work *work = &graph->arena->memory->work;
    void *data = hb_arena_array(graph->arena, node->value.width, hb_dtype_size(node->value.dtype));
    const void **inputs = hb_arena_array(graph->arena, node->n_inputs, sizeof(*inputs));

    if (!data || !inputs)
        return hb_no_memory(graph->arena->memory, error);
    for (size_t k = 0; k < node->n_inputs; k++)
        inputs[k] = hb_input(graph, node, k)->value.data;
    if (!hb_evaluate(&(hb_call){.evaluate = hb_evaluators[node->kind],
                                .kernels = hb_kernels_at(0),
                                .fit = node->fit,
                                .dtype = node->value.dtype,
                                .stride = 1,
                                .rows = 1,
                                .input_width = hb_input_width(graph, node),
                                .width = node->value.width,
                                .input = inputs[0],
                                .inputs = inputs,
                                .output = data,
                                .polls = work}))
        return hb_work_status(work, error);
    node->kind = HB_OPERATOR_CONSTANT;
    node->n_inputs = 0;
    node->fit = NULL;
    node->value.data = data;
    graph->n_rewrites++;
    return HBS_OK;
}

hbs_status hb_fold_constants(hb_graph *graph, hbs_error *error)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        hb_node *node = hb_node_at(graph, i);

        if (can_fold(graph, node))
            HB_TRY(fold(graph, node, error));
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    return HBS_OK;
}
