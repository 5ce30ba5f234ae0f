/* graph.c - building, and the facts of tensors.def. */
#include "graph/graph.h"

#include <math.h>

static const struct {
    const char *name;
    hb_accuracy accuracy;
    bool in_place;
} kinds[] = {
#define IN_PLACE                               true
#define APART                                  false
#define HB_TENSOR(kind, name, accuracy, place) {#name, HB_ACCURACY_##accuracy, place},
#include "graph/tensors.def"
#undef HB_TENSOR
};

const char *hb_tensor_name(hb_tensor_kind kind)
{
    return kinds[kind].name;
}

hb_accuracy hb_tensor_accuracy(hb_tensor_kind kind)
{
    return kinds[kind].accuracy;
}

bool hb_tensor_in_place(hb_tensor_kind kind)
{
    return kinds[kind].in_place;
}

/* Constant: a constant, or an operator all of whose inputs are. */
static bool is_constant(const hb_graph *graph, const hb_tensor *tensor)
{
    for (size_t i = 0; i < tensor->n_inputs; i++)
        if (!graph->tensors[tensor->inputs[i]].constant)
            return false;
    return tensor->n_inputs > 0 || tensor->kind == HB_TENSOR_CONSTANT;
}

size_t hb_graph_add(hb_graph *graph, const hb_tensor *tensor)
{
    hb_tensor *added = &graph->tensors[graph->n_tensors];

    *added = *tensor;
    added->constant = is_constant(graph, tensor);
    added->source = graph->source;
    return graph->n_tensors++;
}

bool hb_all_float32(const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isfinite(numbers[i]) && (double)(float)numbers[i] != numbers[i])
            return false;
    return true;
}

hb_float32 hb_graph_float32(const hb_graph *graph, size_t i)
{
    const hb_tensor *tensor = &graph->tensors[i];

    for (;; tensor = &graph->tensors[tensor->inputs[0]])
        switch (tensor->kind) {
        case HB_TENSOR_ROUND:
        case HB_TENSOR_SUBTRACT32:
        case HB_TENSOR_QUOTIENT32:
        case HB_TENSOR_MULTIPLY32:
        case HB_TENSOR_ADD32:
            return HB_FLOAT32_ALWAYS;
        case HB_TENSOR_ENCODE:
            return graph->pipeline->rounded || !graph->pipeline->wide ? HB_FLOAT32_ALWAYS : HB_FLOAT32_IF_TABLE;
        case HB_TENSOR_SELECT:
        case HB_TENSOR_GUARD:
        case HB_TENSOR_MARK_MISSING:
        case HB_TENSOR_FLUSH_TINY:
            break; /* as its input */
        default:
            return HB_FLOAT32_NO;
        }
}
