/* memory_plan.c - scratch for values: those whose lives do not overlap share it. Places are counted in
 * bytes a row, and are multiples of 8.
 *
 * Values are made in the order of their numbers. A value lives from its own number to that of its last
 * reader, and an output to the end. The transform is the exception: it is asked for alone, and no step runs behind it
 * then, so later values of the predictions may take its place. Each value takes the first gap that is wide enough.
 * Thousands of values may live at a time: only the search for a gap looks at all of them.
 *
 * Columns of float64 are rarely copied. The inputs of a concat are computed in the concat's place, and a selection of
 * neighbouring columns is a view of its input. Both operators skip columns that are in place already. */
#include <string.h>

#include "plan/plan.h"

typedef struct life {
    size_t last; /* the last node that reads it or a view of it */
    bool placed; /* has a place */
    uint64_t begin, end;
    size_t room;     /* the concat in whose place this one is made; else itself */
    uint64_t offset; /* from the begin of that */
    uint32_t ending; /* the first value with a place that this node is the last to read; 0: none.. */
    uint32_t next;   /* ..and the next one of the same last reader as this value */
} life;

typedef struct planning {
    const hb_graph *graph;
    life *lives;    /* of every node's value */
    uint32_t *live; /* those whose place is taken now, by where it begins.. */
    size_t n_live;  /* ..so many */
    size_t looked;  /* values looked at, which the host has not been asked after yet */
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

/* Columns of float64 may be made where they are needed, or read where they lie, instead of copied. */
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

/* True if value x is `of`, or a view of it, through any number of views. */
static bool lies_in(const hb_graph *graph, size_t x, size_t of)
{
    while (x != of && is_view(graph, x))
        x = hb_node_at(graph, x)->inputs[0];
    return x == of;
}

/* True if another input of the node lies where its first one does. */
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

/* How many of p->live begin before `begin`, or there too. */
static size_t count_up_to(const planning *p, uint64_t begin)
{
    size_t low = 0, high = p->n_live;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (p->lives[p->live[middle]].begin <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Moves all of p->live from place `from` on to place `to`. */
static void move_live(planning *p, size_t from, size_t to)
{
    enum { AS_ONE = 64 }; /* as much work as to look at one */

    memmove(p->live + to, p->live + from, (p->n_live - from) * sizeof(*p->live));
    p->looked += (p->n_live - from) / AS_ONE + 1;
    p->n_live = p->n_live - from + to;
}

/* Forgets the values that node i was the last to read. */
static void end_lives(planning *p, size_t i)
{
    for (uint32_t value = p->lives[i].ending; value; value = p->lives[value].next) {
        size_t k = count_up_to(p, p->lives[value].begin);

        do
            p->looked++;
        while (p->live[--k] != value);
        move_live(p, k + 1, k);
    }
}

/* The first place where `size` bytes are free. */
static uint64_t first_fit(planning *p, uint64_t size)
{
    uint64_t begin = 0;

    for (size_t k = 0; k < p->n_live; k++) {
        const life *other = &p->lives[p->live[k]];

        p->looked++;
        if (other->begin >= begin + size)
            break;
        begin = other->end > begin ? other->end : begin;
    }
    return begin;
}

static void put_at(planning *p, size_t i, uint64_t begin)
{
    p->lives[i].begin = begin;
    p->lives[i].end = begin + size_of(hb_node_at(p->graph, i));
    p->lives[i].placed = true;
}

/* From here on no other value gets the place of value i. */
static void begin_life(planning *p, size_t i)
{
    life *made = &p->lives[i];
    size_t k = count_up_to(p, made->begin);

    move_live(p, k, k + 1);
    p->live[k] = (uint32_t)i;
    if (made->last < p->graph->nodes.count) { /* else it lives to the end */
        made->next = p->lives[made->last].ending;
        p->lives[made->last].ending = (uint32_t)i;
    }
}

/* A concat gets its place together with the first of its inputs that is computed there. Its life covers theirs, and
 * that of a value covers its views'. */
static void place_value(planning *p, size_t i)
{
    const hb_node *node = hb_node_at(p->graph, i);
    size_t room = p->lives[i].room;

    if (is_view(p->graph, i)) {
        put_at(p, i, p->lives[node->inputs[0]].begin + selected(node)[0] * sizeof(double));
    } else if (may_overwrite(p->graph, p->lives, i)) {
        put_at(p, i, p->lives[node->inputs[0]].begin);
        if (room == i)
            begin_life(p, i);
    } else {
        if (!p->lives[room].placed) {
            put_at(p, room, first_fit(p, size_of(hb_node_at(p->graph, room))));
            begin_life(p, room);
        }
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
        if (i > 0)
            end_lives(p, i - 1);
        HB_TRY(hb_graph_worked(p->graph, p->looked + 1, error));
        p->looked = 0;
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
