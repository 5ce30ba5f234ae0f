/* memory_plan.c - scratch for tensors: those whose lives do not overlap share it. Places are counted in
 * bytes a row, and are multiples of 8.
 *
 * Tensors are made in the order of their numbers. A tensor lives from its own number to that of its last
 * reader, outputs to the end; but for the transform, which is asked for alone: nothing is computed behind
 * it then, so its room is free for what the predictions need later. Each takes the first gap that is wide
 * enough. */
#include "plan/plan.h"

typedef struct life {
    size_t last; /* the last tensor that reads it */
    bool placed; /* has a place */
    uint64_t begin, end;
} life;

/* What no output needs has no life; the caller's rows are always written. */
static bool lives_at_all(const hb_tensor *tensor)
{
    return tensor->outputs || tensor->kind == HB_TENSOR_ENCODE;
}

static void find_lives(const hb_graph *graph, life *lives)
{
    for (size_t i = 0; i < graph->n_tensors; i++) {
        lives[i].last = i;
        for (size_t k = 0; lives_at_all(&graph->tensors[i]) && k < graph->tensors[i].n_inputs; k++)
            lives[graph->tensors[i].inputs[k]].last = i;
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_TENSOR && 1u << i != HBS_OUT_TRANSFORM)
            lives[graph->outputs[i]].last = graph->n_tensors;
}

/* Over an input of the row that nobody else reads. */
static bool may_overwrite(const hb_graph *graph, const life *lives, size_t i)
{
    const hb_tensor *tensor = &graph->tensors[i];
    const hb_tensor *input = &graph->tensors[tensor->inputs[0]];

    return hb_tensor_in_place(tensor->kind) && tensor->constant == input->constant &&
           tensor->width == input->width && tensor->dtype == input->dtype &&
           lives[tensor->inputs[0]].placed && lives[tensor->inputs[0]].last == i;
}

static uint64_t size_of(const hb_tensor *tensor)
{
    return (tensor->width * hb_dtype_size(tensor->dtype) + 7) / 8 * 8;
}

/* The first place from which `size` bytes are free while tensor i lives. */
static uint64_t first_fit(const life *lives, size_t i, uint64_t size)
{
    uint64_t begin = 0;

    for (size_t k = 0; k < i; k++)
        if (lives[k].placed && lives[k].last >= i && lives[k].begin < begin + size &&
            begin < lives[k].end) {
            begin = lives[k].end;
            k = (size_t)-1; /* look at all again from the new begin */
        }
    return begin;
}

hbs_status hb_plan_memory(const hb_graph *graph, hb_place places[HB_MAX_TENSORS],
                          uint64_t *row_bytes, hbs_error *error)
{
    life *lives = hb_arena_array(graph->arena, graph->n_tensors, sizeof(*lives));

    if (!lives)
        return hb_no_memory(graph->arena->memory, error);
    find_lives(graph, lives);
    *row_bytes = 0;
    for (size_t i = 0; i < graph->n_tensors; i++) {
        const hb_tensor *tensor = &graph->tensors[i];

        places[i] = (hb_place){.constant = tensor->constant};
        places[i].in_plan = tensor->kind == HB_TENSOR_CONSTANT;
        if (tensor->kind == HB_TENSOR_CONSTANT || tensor->kind == HB_TENSOR_TABLE || !lives_at_all(tensor))
            continue;
        lives[i].begin = may_overwrite(graph, lives, i) ? lives[tensor->inputs[0]].begin
                                                        : first_fit(lives, i, size_of(tensor));
        lives[i].end = lives[i].begin + size_of(tensor);
        lives[i].placed = true;
        places[i].at = lives[i].begin;
        *row_bytes = lives[i].end > *row_bytes ? lives[i].end : *row_bytes;
    }
    return HBS_OK;
}
