/* memory_plan.c - scratch for values: those whose lives do not overlap share it. Places are counted in
 * bytes a row, and are multiples of 8.
 *
 * Values are made in the order of their numbers. A value lives from its own number to that of its last
 * reader, and an output to the end. The transform is the exception: it is asked for alone, and no step runs behind it
 * then, so later values of the predictions may take its place. Each value takes the first gap that is wide enough.
 *
 * Columns of float64 are rarely copied. The inputs of a concat are computed in the concat's place, and a selection of
 * neighbouring columns is a view of its input. Both operators skip columns that are in place already. */
#include "plan/plan.h"

typedef struct life {
    size_t last; /* the last node that reads it or a view of it */
    bool placed; /* has a place */
    uint64_t begin, end;
    size_t room;     /* the concat in whose place this one is made; else itself */
    uint64_t offset; /* from the begin of that */
} life;

typedef struct planning {
    const hb_graph *graph;
    life *lives;    /* of every node's value */
    uint32_t *live; /* those that have a place now, by where it begins.. */
    size_t n_live;  /* ..so many */
} planning;

/* A value that no output needs gets no place; the caller's rows are always written. */
static bool lives_at_all(const hb_node *node)
{
    return node->outputs || node->kind == HB_OPERATOR_ENCODE;
}

static bool in_scratch(const hb_node *node)
{
    return lives_at_all(node) && node->kind != HB_OPERATOR_CONSTANT && node->kind != HB_OPERATOR_TABLE;
}

/* Rows of float64, which can be moved by not moving them. */
static bool is_movable(const hb_node *node)
{
    return in_scratch(node) && !node->value.constant && node->value.dtype == HB_DTYPE_FLOAT64;
}

static const uint32_t *selected(const hb_node *node)
{
    return ((const hb_fit_select *)node->fit)->columns;
}

static bool is_view(const hb_graph *graph, size_t i)
{
    const hb_node *node = hb_node_at(graph, i);

    if (node->kind != HB_OPERATOR_SELECT || !is_movable(node) || !is_movable(hb_input(graph, node, 0)))
        return false;
    for (size_t c = 1; c < node->value.width; c++)
        if (selected(node)[c] != selected(node)[0] + c)
            return false;
    return true;
}

/* The last node that runs where the transform is asked for, which it is alone: mostly the transform's own. But what may
 * refuse a row runs for it too, wherever it stands. */
static size_t last_for_transform(const hb_graph *graph)
{
    size_t i = graph->nodes.count;

    while (i > 0 && !(hb_node_at(graph, --i)->outputs & HBS_OUT_TRANSFORM))
        ;
    return i;
}

static hbs_status find_lives(const hb_graph *graph, life *lives, hbs_error *error)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(graph, i);

        lives[i].last = lives[i].room = i;
        for (size_t k = 0; lives_at_all(node) && k < node->n_inputs; k++)
            lives[node->inputs[k]].last = i;
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++) {
        life *output = graph->outputs[i] != HB_NO_NODE ? &lives[graph->outputs[i]] : NULL;
        size_t last = 1u << i != HBS_OUT_TRANSFORM ? graph->nodes.count : last_for_transform(graph);

        if (output && output->last < last)
            output->last = last;
    }
    for (size_t i = graph->nodes.count; i-- > 0;) {
        HB_TRY(hb_graph_worked(graph, 1, error));
        if (!is_view(graph, i))
            continue;
        life *input = &lives[hb_node_at(graph, i)->inputs[0]];

        if (input->last < lives[i].last)
            input->last = lives[i].last;
    }
    return HBS_OK;
}

/* Whether value x is `of`, or a view of it, through any number of views. */
static bool lies_in(const hb_graph *graph, size_t x, size_t of)
{
    while (x != of && is_view(graph, x))
        x = hb_node_at(graph, x)->inputs[0];
    return x == of;
}

/* Whether another input of the node lies where its first one does. */
static bool reads_twice(const hb_graph *graph, const hb_node *node)
{
    for (size_t k = 1; k < node->n_inputs; k++)
        if (lies_in(graph, node->inputs[k], node->inputs[0]))
            return true;
    return false;
}

/* Over an input that lies in the row, that no other node reads, and that this node reads once. */
static bool may_overwrite(const hb_graph *graph, const life *lives, size_t i)
{
    const hb_node *node = hb_node_at(graph, i);
    const hb_node *input;

    if (node->n_inputs == 0 || !hb_operator_rows[node->kind].in_place)
        return false;
    input = hb_input(graph, node, 0);
    return node->value.constant == input->value.constant && node->value.width == input->value.width &&
           node->value.dtype == input->value.dtype && in_scratch(input) && !is_view(graph, node->inputs[0]) &&
           lives[node->inputs[0]].last == i && !reads_twice(graph, node);
}

static uint64_t size_of(const hb_node *node)
{
    return (node->value.width * hb_dtype_size(node->value.dtype) + 7) / 8 * 8;
}

/* Node i is the last to read value x, which is then made where i's will be, `offset` from its begin. */
static void share_room(const hb_graph *graph, life *lives, size_t i, size_t x, uint64_t offset)
{
    if (lives[x].last != i || !is_movable(hb_node_at(graph, x)) || !is_movable(hb_node_at(graph, i)))
        return;
    lives[x].room = lives[i].room;
    lives[x].offset = lives[i].offset + offset;
}

/* From the last concat back to what is made for it. */
static hbs_status share_rooms(const hb_graph *graph, life *lives, hbs_error *error)
{
    for (size_t i = graph->nodes.count; i-- > 0;) {
        const hb_node *node = hb_node_at(graph, i);

        HB_TRY(hb_graph_worked(graph, 1, error));
        if (!lives_at_all(node))
            continue;
        if (node->kind == HB_OPERATOR_CONCAT) {
            share_room(graph, lives, i, node->inputs[0], 0);
            share_room(graph, lives, i, node->inputs[1], hb_input_width(graph, node) * sizeof(double));
        } else if (lives[i].room != i && may_overwrite(graph, lives, i)) {
            share_room(graph, lives, i, node->inputs[0], 0);
        }
    }
    return HBS_OK;
}

/* ---- places */

/* Forgets those that no node from i on reads. */
static void end_lives(planning *p, size_t i)
{
    size_t n = 0;

    for (size_t k = 0; k < p->n_live; k++)
        if (p->lives[p->live[k]].last >= i)
            p->live[n++] = p->live[k];
    p->n_live = n;
}

/* The first place where `size` bytes are free. */
static uint64_t first_fit(const planning *p, uint64_t size)
{
    uint64_t begin = 0;

    for (size_t k = 0; k < p->n_live; k++) {
        const life *other = &p->lives[p->live[k]];

        if (other->begin >= begin + size)
            break;
        begin = other->end > begin ? other->end : begin;
    }
    return begin;
}

static void put_at(planning *p, size_t i, uint64_t begin)
{
    size_t k = p->n_live++;

    p->lives[i].begin = begin;
    p->lives[i].end = begin + size_of(hb_node_at(p->graph, i));
    p->lives[i].placed = true;
    for (; k > 0 && p->lives[p->live[k - 1]].begin > begin; k--)
        p->live[k] = p->live[k - 1];
    p->live[k] = (uint32_t)i;
}

/* A concat gets its place together with the first of its inputs that is computed there. */
static void place_value(planning *p, size_t i)
{
    const hb_node *node = hb_node_at(p->graph, i);
    size_t room = p->lives[i].room;

    end_lives(p, i);
    if (is_view(p->graph, i)) {
        put_at(p, i, p->lives[node->inputs[0]].begin + selected(node)[0] * sizeof(double));
    } else if (may_overwrite(p->graph, p->lives, i)) {
        put_at(p, i, p->lives[node->inputs[0]].begin);
    } else {
        if (!p->lives[room].placed)
            put_at(p, room, first_fit(p, size_of(hb_node_at(p->graph, room))));
        if (room != i)
            put_at(p, i, p->lives[room].begin + p->lives[i].offset);
    }
}

static hbs_status place_all(planning *p, hb_place *places, uint64_t *row_bytes, hbs_error *error)
{
    *row_bytes = 0;
    for (size_t i = 0; i < p->graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(p->graph, i);

        places[i] = (hb_place){.constant = node->value.constant};
        places[i].in_plan = node->kind == HB_OPERATOR_CONSTANT;
        HB_TRY(hb_graph_worked(p->graph, p->n_live + 1, error));
        if (!in_scratch(node))
            continue;
        place_value(p, i);
        places[i].at = p->lives[i].begin;
        *row_bytes = p->lives[i].end > *row_bytes ? p->lives[i].end : *row_bytes;
    }
    return HBS_OK;
}

hbs_status hb_plan_memory(const hb_graph *graph, hb_place *places, uint64_t *row_bytes, hbs_error *error)
{
    size_t n = graph->nodes.count;
    planning p = {.graph = graph,
                  .lives = hb_arena_array(graph->arena, n, sizeof(*p.lives)),
                  .live = hb_arena_array(graph->arena, n, sizeof(*p.live))};

    if (!p.lives || !p.live)
        return hb_no_memory(graph->arena->memory, error);
    HB_TRY(find_lives(graph, p.lives, error));
    HB_TRY(share_rooms(graph, p.lives, error));
    return place_all(&p, places, row_bytes, error);
}
