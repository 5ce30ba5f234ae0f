/* graph.c - building, and the facts of tensors.def. */
#include "graph/graph.h"

static const struct {
    const char *name;
    hb_tensor_type type;
    hb_accuracy accuracy;
    bool in_place;
} kinds[] = {
#define IN_PLACE true
#define APART false
#define HB_TENSOR(kind, name, type, accuracy, place)                                               \
    {#name, HB_TYPE_##type, HB_ACCURACY_##accuracy, place},
#include "graph/tensors.def"
#undef HB_TENSOR
};

const char *hb_tensor_name(hb_tensor_kind kind)
{
    return kinds[kind].name;
}

hb_tensor_type hb_tensor_type_of(hb_tensor_kind kind)
{
    return kinds[kind].type;
}

hb_accuracy hb_tensor_accuracy(hb_tensor_kind kind)
{
    return kinds[kind].accuracy;
}

bool hb_tensor_in_place(hb_tensor_kind kind)
{
    return kinds[kind].in_place;
}

size_t hb_dtype_size(hb_dtype dtype)
{
    return dtype == HB_DTYPE_FLOAT64 ? sizeof(double) : sizeof(float);
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
    return graph->n_tensors++;
}
