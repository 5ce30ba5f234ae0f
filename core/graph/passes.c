/* passes.c - rewrites of the graph. No pass changes a bit of any output; each has a switch. */
#include <math.h>
#include <string.h>

#include "graph/evaluate.h"

/* An operator with parameters of its own stays: it is evaluated once for each block. */
static bool has_parameters(const hb_tensor *tensor)
{
    return tensor->forest || tensor->linear || tensor->statistics || tensor->dense || tensor->gaussian ||
           tensor->encoder || tensor->asked || tensor->columns || tensor->bins || tensor->products;
}

static bool can_fold(const hb_graph *graph, const hb_tensor *tensor)
{
    if (!tensor->constant || tensor->kind == HB_TENSOR_CONSTANT || has_parameters(tensor))
        return false;
    for (size_t i = 0; i < tensor->n_inputs; i++)
        if (graph->tensors[tensor->inputs[i]].kind != HB_TENSOR_CONSTANT)
            return false;
    return true;
}

/* Constant folding: an operator whose inputs are constants becomes one (CMLCompiler section 4.3 calls it
 * a part of redundant elimination). */
static hbs_status fold_constants(hb_graph *graph, hbs_error *error)
{
    for (size_t i = 0; i < graph->n_tensors; i++) {
        hb_tensor *tensor = &graph->tensors[i];
        const hb_tensor *input = &graph->tensors[tensor->inputs[0]];
        void *data;

        if (!can_fold(graph, tensor))
            continue;
        data = hb_arena_array(graph->arena, tensor->width, hb_dtype_size(tensor->dtype));
        if (!data)
            return hb_no_memory(graph->arena->memory, error);
        hb_evaluate(&(hb_call){.kernels = hb_kernels_at(0),
                               .kind = tensor->kind,
                               .dtype = tensor->dtype,
                               .number = tensor->number,
                               .stride = 1,
                               .rows = 1,
                               .input_width = input->width,
                               .width = tensor->width,
                               .input = input->data,
                               .output = data,
                               .base = tensor->n_inputs > 1 ? graph->tensors[tensor->inputs[1]].data : NULL});
        *tensor = (hb_tensor){.kind = HB_TENSOR_CONSTANT,
                              .constant = true,
                              .dtype = tensor->dtype,
                              .width = tensor->width,
                              .source = tensor->source,
                              .data = data};
        graph->n_rewrites++;
    }
    return HBS_OK;
}

/* ---- float64 numbers that float32 holds */

/* Redundant elimination (CMLCompiler section 4.3): what is rounded twice is rounded once. Readers of the
 * second rounding read the first. */
static hbs_status eliminate_redundant(hb_graph *graph, hbs_error *error)
{
    uint32_t instead[HB_MAX_TENSORS]; /* tensors by their numbers */

    (void)error;
    for (size_t i = 0; i < graph->n_tensors; i++) {
        hb_tensor *tensor = &graph->tensors[i];

        for (size_t k = 0; k < tensor->n_inputs; k++)
            tensor->inputs[k] = instead[tensor->inputs[k]];
        instead[i] = (uint32_t)i;
        if (tensor->kind == HB_TENSOR_ROUND && hb_graph_float32(graph, tensor->inputs[0]) == HB_FLOAT32_ALWAYS) {
            instead[i] = (uint32_t)tensor->inputs[0];
            graph->n_rewrites++;
        }
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_TENSOR)
            graph->outputs[i] = instead[graph->outputs[i]];
    return HBS_OK;
}

static const struct {
    hb_tensor_kind in64, in32;
} narrow_kinds[] = {{HB_TENSOR_SUBTRACT, HB_TENSOR_SUBTRACT32},
                    {HB_TENSOR_QUOTIENT, HB_TENSOR_QUOTIENT32},
                    {HB_TENSOR_MULTIPLY, HB_TENSOR_MULTIPLY32},
                    {HB_TENSOR_ADD, HB_TENSOR_ADD32}};

/* Dtype rewriting (CMLCompiler section 4.3): one operation on two numbers of float32, done in float64 and
 * rounded to float32, is that operation in float32, bit by bit, since float64 has more than twice the
 * digits (S. Figueroa, "When is double rounding innocuous?", 1995). */
static hbs_status rewrite_dtypes(hb_graph *graph, hbs_error *error)
{
    (void)error;
    for (size_t i = 0; i < graph->n_tensors; i++) {
        hb_tensor *round = &graph->tensors[i];
        const hb_tensor *step = &graph->tensors[round->inputs[0]];

        for (size_t k = 0; round->kind == HB_TENSOR_ROUND && k < sizeof(narrow_kinds) / sizeof(narrow_kinds[0]); k++)
            if (step->kind == narrow_kinds[k].in64 && hb_graph_float32(graph, step->inputs[0]) == HB_FLOAT32_ALWAYS &&
                hb_all_float32(graph->tensors[step->inputs[1]].data, step->width)) {
                round->kind = narrow_kinds[k].in32;
                memcpy(round->inputs, step->inputs, sizeof(step->inputs));
                round->n_inputs = step->n_inputs;
                graph->n_rewrites++;
            }
    }
    return HBS_OK;
}

/* ---- all passes, in their order */

/* That some output needs. */
static size_t count_tensors(hb_graph *graph)
{
    size_t n = 0;

    hb_graph_mark_needs(graph);
    for (size_t i = 0; i < graph->n_tensors; i++)
        n += graph->tensors[i].outputs != 0;
    return n;
}

#define PASS(bit, function, unit)                                \
    {                                                            \
        HBS_PASS_##bit, #function, function, #unit, count_##unit \
    }

/* A pass counts its rewrites in graph->n_rewrites. Its unit is what its report counts before and after it. */
static const struct {
    uint32_t bit;
    const char *name;
    hbs_status (*run)(hb_graph *graph, hbs_error *error);
    const char *unit;
    size_t (*count)(hb_graph *graph);
} passes[] = {
    PASS(FOLD_CONSTANTS, fold_constants, tensors),
    PASS(ELIMINATE_REDUNDANT, eliminate_redundant, tensors),
    PASS(REWRITE_DTYPES, rewrite_dtypes, tensors),
};

enum { N_PASSES = sizeof(passes) / sizeof(passes[0]) };

_Static_assert((int)N_PASSES <= (int)HB_MAX_PASSES, "a graph has room for all reports");

const char *hb_pass_name(size_t i, uint32_t *bit)
{
    if (i >= N_PASSES)
        return NULL;
    *bit = passes[i].bit;
    return passes[i].name;
}

const char *hb_pass_unit(size_t i)
{
    return passes[i].unit;
}

bool hb_pass_is_off(size_t i, uint32_t passes_off)
{
    return passes_off & passes[i].bit;
}

hbs_status hb_pass_run(hb_graph *graph, size_t i, hbs_error *error)
{
    hb_pass_report report = {.pass = (uint32_t)i, .before = (uint32_t)passes[i].count(graph)};
    size_t rewrites = graph->n_rewrites;

    HB_TRY(passes[i].run(graph, error));
    report.rewrites = (uint32_t)(graph->n_rewrites - rewrites);
    report.after = (uint32_t)passes[i].count(graph);
    if (report.rewrites > 0)
        graph->reports[graph->n_reports++] = report;
    return HBS_OK;
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
