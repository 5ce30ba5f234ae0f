/* memory_plan.c - scratch for tensors: those whose lives do not overlap share it. Places are counted in
 * bytes a row, and are multiples of 8.
 *
 * Tensors are computed in the order of their numbers. A tensor lives from its own number to that of its last
 * reader, and an output to the end. The transform is the exception: it is asked for alone, and no step runs behind it
 * then, so later tensors of the predictions may take its place. Each tensor takes the first gap that is wide enough.
 *
 * Columns of float64 are rarely copied. The inputs of a concat are computed in the concat's place, and a selection of
 * neighbouring columns is a view of its input. Both operators skip columns that are in place already. */
#include "plan/plan.h"

typedef struct life {
    size_t last; /* the last tensor that reads it or a view of it */
    bool placed; /* has a place */
    uint64_t begin, end;
    size_t room;     /* the concat in whose place this one is made; else itself */
    uint64_t offset; /* from the begin of that */
} life;

/* A tensor that no output needs gets no place; the caller's rows are always written. */
static bool lives_at_all(const hb_tensor *tensor)
{
    return tensor->outputs || tensor->kind == HB_TENSOR_ENCODE;
}

static bool in_scratch(const hb_tensor *tensor)
{
    return lives_at_all(tensor) && tensor->kind != HB_TENSOR_CONSTANT && tensor->kind != HB_TENSOR_TABLE;
}

/* Rows of float64, which can be moved by not moving them. */
static bool is_movable(const hb_tensor *tensor)
{
    return in_scratch(tensor) && !tensor->constant && tensor->dtype == HB_DTYPE_FLOAT64;
}

static bool is_view(const hb_graph *graph, size_t i)
{
    const hb_tensor *tensor = &graph->tensors[i];

    if (tensor->kind != HB_TENSOR_SELECT || !is_movable(tensor) || !is_movable(&graph->tensors[tensor->inputs[0]]))
        return false;
    for (size_t c = 1; c < tensor->width; c++)
        if (tensor->columns[c] != tensor->columns[0] + c)
            return false;
    return true;
}

static void find_lives(const hb_graph *graph, life *lives)
{
    for (size_t i = 0; i < graph->n_tensors; i++) {
        lives[i].last = lives[i].room = i;
        for (size_t k = 0; lives_at_all(&graph->tensors[i]) && k < graph->tensors[i].n_inputs; k++)
            lives[graph->tensors[i].inputs[k]].last = i;
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_TENSOR && 1u << i != HBS_OUT_TRANSFORM)
            lives[graph->outputs[i]].last = graph->n_tensors;
    for (size_t i = graph->n_tensors; i-- > 0;) {
        life *input = &lives[graph->tensors[i].inputs[0]];

        if (is_view(graph, i) && input->last < lives[i].last)
            input->last = lives[i].last;
    }
}

/* Whether tensor x is `of`, or a view of it, through any number of views. */
static bool lies_in(const hb_graph *graph, size_t x, size_t of)
{
    while (x != of && is_view(graph, x))
        x = graph->tensors[x].inputs[0];
    return x == of;
}

/* Whether another input of the tensor lies where its first one does. */
static bool reads_twice(const hb_graph *graph, const hb_tensor *tensor)
{
    for (size_t k = 1; k < tensor->n_inputs; k++)
        if (lies_in(graph, tensor->inputs[k], tensor->inputs[0]))
            return true;
    return false;
}

/* Over an input that lies in the row, that no other tensor reads, and that this tensor reads once. */
static bool may_overwrite(const hb_graph *graph, const life *lives, size_t i)
{
    const hb_tensor *tensor = &graph->tensors[i];
    const hb_tensor *input = &graph->tensors[tensor->inputs[0]];

    return hb_tensor_in_place(tensor->kind) && tensor->constant == input->constant && tensor->width == input->width &&
           tensor->dtype == input->dtype && in_scratch(input) && !is_view(graph, tensor->inputs[0]) &&
           lives[tensor->inputs[0]].last == i && !reads_twice(graph, tensor);
}

static uint64_t size_of(const hb_tensor *tensor)
{
    return (tensor->width * hb_dtype_size(tensor->dtype) + 7) / 8 * 8;
}

/* Tensor i is the last to read x, which is then made where i will be, `offset` from its begin. */
static void share_room(const hb_graph *graph, life *lives, size_t i, size_t x, uint64_t offset)
{
    if (lives[x].last != i || !is_movable(&graph->tensors[x]) || !is_movable(&graph->tensors[i]))
        return;
    lives[x].room = lives[i].room;
    lives[x].offset = lives[i].offset + offset;
}

/* From the last concat back to what is made for it. */
static void share_rooms(const hb_graph *graph, life *lives)
{
    for (size_t i = graph->n_tensors; i-- > 0;) {
        const hb_tensor *tensor = &graph->tensors[i];
        size_t left = graph->tensors[tensor->inputs[0]].width;

        if (!lives_at_all(tensor))
            continue;
        if (tensor->kind == HB_TENSOR_CONCAT) {
            share_room(graph, lives, i, tensor->inputs[0], 0);
            share_room(graph, lives, i, tensor->inputs[1], left * sizeof(double));
        } else if (lives[i].room != i && may_overwrite(graph, lives, i)) {
            share_room(graph, lives, i, tensor->inputs[0], 0);
        }
    }
}

/* The first place from which `size` bytes are free from tensor i on. */
static uint64_t first_fit(const life *lives, size_t n, size_t i, uint64_t size)
{
    uint64_t begin = 0;

    for (size_t k = 0; k < n; k++)
        if (lives[k].placed && lives[k].last >= i && lives[k].begin < begin + size && begin < lives[k].end) {
            begin = lives[k].end;
            k = (size_t)-1; /* look at all again from the new begin */
        }
    return begin;
}

static void put_at(const hb_graph *graph, life *lives, size_t i, uint64_t begin)
{
    lives[i].begin = begin;
    lives[i].end = begin + size_of(&graph->tensors[i]);
    lives[i].placed = true;
}

/* A concat gets its place together with the first of its inputs that is computed there. */
static void place_tensor(const hb_graph *graph, life *lives, size_t i)
{
    const hb_tensor *tensor = &graph->tensors[i];
    const life *input = &lives[tensor->inputs[0]];
    size_t room = lives[i].room;

    if (is_view(graph, i)) {
        put_at(graph, lives, i, input->begin + tensor->columns[0] * sizeof(double));
    } else if (may_overwrite(graph, lives, i)) {
        put_at(graph, lives, i, input->begin);
    } else {
        if (!lives[room].placed)
            put_at(graph, lives, room, first_fit(lives, graph->n_tensors, i, size_of(&graph->tensors[room])));
        put_at(graph, lives, i, lives[room].begin + lives[i].offset);
    }
}

hbs_status hb_plan_memory(const hb_graph *graph, hb_place places[HB_MAX_TENSORS], uint64_t *row_bytes, hbs_error *error)
{
    life *lives = hb_arena_array(graph->arena, graph->n_tensors, sizeof(*lives));

    if (!lives)
        return hb_no_memory(graph->arena->memory, error);
    find_lives(graph, lives);
    share_rooms(graph, lives);
    *row_bytes = 0;
    for (size_t i = 0; i < graph->n_tensors; i++) {
        const hb_tensor *tensor = &graph->tensors[i];

        places[i] = (hb_place){.constant = tensor->constant};
        places[i].in_plan = tensor->kind == HB_TENSOR_CONSTANT;
        if (!in_scratch(tensor))
            continue;
        place_tensor(graph, lives, i);
        places[i].at = lives[i].begin;
        *row_bytes = lives[i].end > *row_bytes ? lives[i].end : *row_bytes;
    }
    return HBS_OK;
}
