/* passes.c - rewrites of the graph. No pass changes a bit of any output; each has a switch. */
#include "graph/evaluate.h"

/* Constant folding: an operator whose inputs are constants becomes one (CMLCompiler section 4.3 calls it
 * a part of redundant elimination). */
static hbs_status fold_constants(hb_graph *graph, hbs_error *error)
{
    for (size_t i = 0; i < graph->n_tensors; i++) {
        hb_tensor *tensor = &graph->tensors[i];
        const hb_tensor *input = &graph->tensors[tensor->inputs[0]];
        void *data;

        if (!tensor->constant || tensor->kind == HB_TENSOR_CONSTANT)
            continue;
        HB_CHECK(tensor->n_inputs == 1 && input->kind == HB_TENSOR_CONSTANT, error);
        data = hb_arena_array(graph->arena, tensor->width, hb_dtype_size(tensor->dtype));
        if (!data)
            return hb_no_memory(graph->arena->memory, error);
        hb_evaluate(&(hb_call){.kernels = hb_kernels_at(0), .kind = tensor->kind, .dtype = tensor->dtype, .number = tensor->number, .stride = 1,
                               .rows = 1, .input_width = input->width, .width = tensor->width,
                               .input = input->data, .output = data});
        *tensor = (hb_tensor){.kind = HB_TENSOR_CONSTANT, .constant = true,
                              .dtype = tensor->dtype, .width = tensor->width, .data = data};
    }
    return HBS_OK;
}

#define PASS(bit, function) {HBS_PASS_##bit, #function, function}

static const struct {
    uint32_t bit;
    const char *name;
    hbs_status (*run)(hb_graph *graph, hbs_error *error);
} passes[] = {
    PASS(FOLD_CONSTANTS, fold_constants),
};

enum { N_PASSES = sizeof(passes) / sizeof(passes[0]) };

const char *hb_pass_name(size_t i)
{
    return i < N_PASSES ? passes[i].name : NULL;
}

bool hb_pass_is_off(size_t i, uint32_t passes_off)
{
    return passes_off & passes[i].bit;
}

hbs_status hb_pass_run(hb_graph *graph, size_t i, hbs_error *error)
{
    return passes[i].run(graph, error);
}

/* From each output back to all that it needs. */
void hb_graph_mark_needs(hb_graph *graph)
{
    for (size_t i = 0; i < graph->n_tensors; i++)
        graph->tensors[i].outputs = 0;
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_TENSOR)
            graph->tensors[graph->outputs[i]].outputs |= 1u << i;
    for (size_t i = graph->n_tensors; i-- > 0;)
        for (size_t k = 0; k < graph->tensors[i].n_inputs; k++)
            graph->tensors[graph->tensors[i].inputs[k]].outputs |= graph->tensors[i].outputs;
}

hbs_status hb_graph_optimize(hb_graph *graph, uint32_t passes_off, hbs_error *error)
{
    for (size_t i = 0; i < N_PASSES; i++)
        if (!hb_pass_is_off(i, passes_off))
            HB_TRY(hb_pass_run(graph, i, error));
    hb_graph_mark_needs(graph);
    return HBS_OK;
}
