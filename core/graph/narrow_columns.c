/* narrow_columns.c - columns that no output needs are not made (Hummingbird, section 5.2).
 *
 * From each output back to the table, every operator says which columns of its inputs can matter (hb_meaning.needs).
 * Then the graph is built anew: each operator makes the live columns only, and drops the parameters of the others
 * (narrow). So a selection moves up to the table ("feature selection push-down"), and a model that ignores columns
 * begins one ("feature selection injection"). The transform is asked for alone and mostly needs more columns than the
 * predictions: it gets nodes of its own, and nodes that are equal become one again later. */
#include <string.h>

#include "graph/pass.h"
#include "graph/rebuild.h"
#include "ir/meaning.h"

/* A node of the old graph, for the outputs at hand. */
typedef struct narrowed {
    uint8_t *live;   /* [width]; NULL: no output at hand needs the node */
    size_t n_dead;   /* its columns that are not live; 0 where live is NULL */
    uint32_t *kept;  /* the columns that the new node has, rising.. */
    size_t n_kept;   /* ..so many */
    uint32_t number; /* of the new node */
} narrowed;

typedef struct narrowing {
    hb_graph *old;
    hb_graph made;
    bool (*pushes)(hb_operator_kind kind); /* whether an operator of this kind may leave columns of its input out */
    narrowed *nodes;
    hb_work *work;
    hbs_error *error;
    uint32_t asked; /* HBS_OUT_...: of the outputs at hand */
    size_t dropped; /* columns */
} narrowing;

static hbs_status no_memory(const narrowing *w)
{
    return hb_no_memory(w->old->arena->memory, w->error);
}

static bool is_source(const hb_node *node)
{
    return node->n_inputs == 0 || node->kind == HB_OPERATOR_ENCODE;
}

/* ---- which columns are live */

static hbs_status begin_node(narrowing *w, size_t i)
{
    if (w->nodes[i].live)
        return HBS_OK;
    w->nodes[i].live = hb_arena_array(w->old->arena, hb_node_at(w->old, i)->value.width, 1);
    return w->nodes[i].live ? HBS_OK : no_memory(w);
}

static bool has_live(const narrowing *w, size_t i)
{
    return w->nodes[i].live && memchr(w->nodes[i].live, 1, hb_node_at(w->old, i)->value.width);
}

/* A value has a column at least, unless it is a side of a concat: that goes as a whole. */
static void keep_one(uint8_t *live, size_t width)
{
    if (!memchr(live, 1, width))
        live[0] = 1;
}

/* True if the operator can work, and is allowed to, with fewer columns of its input. */
static bool takes_some(const narrowing *w, const hb_node *node)
{
    return hb_meanings[node->kind]->needs && w->pushes(node->kind);
}

static hbs_status need_inputs(narrowing *w, size_t i)
{
    const hb_node *node = hb_node_at(w->old, i);
    uint8_t **of = hb_arena_array(w->old->arena, node->n_inputs, sizeof(*of));
    bool some = takes_some(w, node);

    if (!of)
        return no_memory(w);
    for (size_t k = 0; k < node->n_inputs; k++) {
        HB_TRY(begin_node(w, node->inputs[k]));
        of[k] = w->nodes[node->inputs[k]].live;
        HB_TRY(hb_worked(w->work, 4 * hb_input(w->old, node, k)->value.width, w->error));
        if (!some)
            memset(of[k], 1, hb_input(w->old, node, k)->value.width);
    }
    if (some)
        hb_meanings[node->kind]->needs(
            &(hb_needing){.graph = w->old, .node = node, .live = w->nodes[i].live, .of = of, .work = w->work});
    for (size_t k = 0; k < node->n_inputs && node->kind != HB_OPERATOR_CONCAT; k++)
        keep_one(of[k], hb_input(w->old, node, k)->value.width);
    return hb_worked(w->work, node->value.width, w->error);
}

static hbs_status count_dead(narrowing *w)
{
    for (size_t i = 0; i < w->old->nodes.count; i++) {
        size_t width = w->nodes[i].live ? hb_node_at(w->old, i)->value.width : 0;

        for (size_t c = 0; c < width; c++)
            w->nodes[i].n_dead += !w->nodes[i].live[c];
        HB_TRY(hb_worked(w->work, 8 * width + 4, w->error));
    }
    return HBS_OK;
}

/* Columns that node i needs to refuse the rows that it may refuse: one at least. */
static hbs_status keep_refusing(narrowing *w, size_t i, uint32_t asked)
{
    const hb_node *node = hb_node_at(w->old, i);

    if (!(node->refuses & asked))
        return HBS_OK;
    HB_TRY(begin_node(w, i));
    hb_meanings[node->kind]->keeps(node, hb_asker_of(asked), w->nodes[i].live);
    keep_one(w->nodes[i].live, node->value.width);
    return hb_worked(w->work, 4 * node->value.width, w->error);
}

/* All that reads node i has said which columns it needs. A node of which nobody needs any goes. */
static hbs_status find_live_inputs(narrowing *w, size_t i, uint32_t asked)
{
    if (is_source(hb_node_at(w->old, i)))
        return HBS_OK;
    HB_TRY(keep_refusing(w, i, asked));
    if (has_live(w, i))
        return need_inputs(w, i);
    w->nodes[i].live = NULL;
    return HBS_OK;
}

/* For the outputs of `asked` (HBS_OUT_...). */
static hbs_status find_live(narrowing *w, uint32_t asked)
{
    w->nodes = hb_arena_array(w->old->arena, w->old->nodes.count, sizeof(*w->nodes));
    if (!w->nodes)
        return no_memory(w);
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        if (asked >> o & 1 && w->old->outputs[o] != HB_NO_NODE) {
            HB_TRY(begin_node(w, w->old->outputs[o]));
            memset(w->nodes[w->old->outputs[o]].live, 1, hb_node_at(w->old, w->old->outputs[o])->value.width);
        }
    for (size_t i = w->old->nodes.count; i-- > 1;)
        HB_TRY(find_live_inputs(w, i, asked));
    return count_dead(w);
}

/* ---- the new graph */

static hbs_status keep_all(narrowing *w, size_t i)
{
    size_t width = hb_node_at(w->old, i)->value.width;
    narrowed *node = &w->nodes[i];

    node->kept = hb_arena_array(w->old->arena, width, sizeof(*node->kept));
    if (!node->kept)
        return no_memory(w);
    for (uint32_t c = 0; c < width; c++)
        node->kept[c] = c;
    node->n_kept = width;
    return hb_worked(w->work, 8 * width, w->error);
}

/* The table, its numbers and constants: all columns. */
static hbs_status copy_source(narrowing *w, size_t i)
{
    const hb_node *node = hb_node_at(w->old, i);

    if (node->kind == HB_OPERATOR_CONSTANT)
        w->nodes[i].number = hb_graph_add_constant(&w->made, node->value.dtype, node->value.width, node->value.data);
    else
        w->nodes[i].number = (uint32_t)i; /* they come first, in both graphs */
    return keep_all(w, i);
}

/* Adds a select that copies only the live columns of `input`, a node that makes them all. */
static hbs_status select_before(narrowing *w, size_t input, uint32_t *number, const uint32_t **in, size_t *n_in)
{
    size_t width = hb_node_at(w->old, input)->value.width;
    uint32_t *columns = hb_arena_array(w->old->arena, width, sizeof(*columns));
    hb_fit_select fit = {.columns = columns};

    if (!columns)
        return no_memory(w);
    for (uint32_t c = 0; c < width; c++)
        if (w->nodes[input].live[c])
            columns[fit.n_columns++] = c;
    *number = hb_graph_add(&w->made, HB_OPERATOR_SELECT, (const uint32_t[]){w->nodes[input].number}, 1, &fit);
    *in = columns;
    *n_in = fit.n_columns;
    return hb_worked(w->work, 8 * width, w->error);
}

/* Columns of the table are not made, so leaving some out means to copy the others. That pays where most are dead. */
static bool is_table_of_few(const narrowing *w, const hb_node *node, size_t input)
{
    const hb_node *table = hb_node_at(w->old, input);

    return node->kind != HB_OPERATOR_SELECT && table->kind == HB_OPERATOR_ENCODE &&
           table->value.dtype == HB_DTYPE_FLOAT64 && 2 * w->nodes[input].n_dead > table->value.width;
}

/* Finds the new ids of the node's inputs; *all is true if they still have all their columns. */
static hbs_status take_inputs(narrowing *w, hb_narrowing *n, bool *all)
{
    const hb_node *node = n->node;
    hb_arena *arena = w->old->arena;
    uint32_t *inputs = hb_arena_array(arena, node->n_inputs, sizeof(*inputs));
    const uint32_t **in = hb_arena_array(arena, node->n_inputs, sizeof(*in));
    size_t *n_in = hb_arena_array(arena, node->n_inputs, sizeof(*n_in));

    if (!inputs || !in || !n_in)
        return no_memory(w);
    *all = true;
    for (size_t k = 0; k < node->n_inputs; k++) {
        size_t input = node->inputs[k];

        inputs[k] = w->nodes[input].number;
        in[k] = w->nodes[input].kept;
        n_in[k] = has_live(w, input) ? w->nodes[input].n_kept : 0;
        if (n_in[k] > 0 && is_table_of_few(w, node, input))
            HB_TRY(select_before(w, input, &inputs[k], &in[k], &n_in[k]));
        *all = *all && n_in[k] == hb_node_at(w->old, input)->value.width;
        HB_TRY(hb_worked(w->work, n_in[k] + node->value.width, w->error));
    }
    n->inputs = inputs;
    n->in = in;
    n->n_in = n_in;
    return HBS_OK;
}

static hbs_status narrow_node(narrowing *w, size_t i)
{
    const hb_node *node = hb_node_at(w->old, i);
    const hb_meaning *meaning = hb_meanings[node->kind];
    size_t first = w->made.nodes.count;
    hb_narrowing n = {.graph = &w->made, .old = w->old, .node = node, .live = w->nodes[i].live};
    bool all = false;

    HB_TRY(take_inputs(w, &n, &all));
    n.out = hb_arena_array(w->old->arena, node->value.width, sizeof(*n.out));
    if (!n.out)
        return no_memory(w);
    if (!takes_some(w, node) || (all && w->nodes[i].n_dead == 0)) {
        HB_TRY(keep_all(w, i));
        w->nodes[i].number = hb_graph_add(&w->made, node->kind, n.inputs, node->n_inputs, node->fit);
    } else {
        w->nodes[i].number = meaning->narrow ? meaning->narrow(&n) : hb_narrow_columns(&n, node->fit);
        w->nodes[i].kept = n.out;
        w->nodes[i].n_kept = n.n_out;
        w->dropped += node->value.width - n.n_out;
    }
    for (size_t k = first; k < w->made.nodes.count; k++) {
        hb_node *made = hb_node_at(&w->made, k);

        made->source = node->source;
        made->refuses = made->kind == node->kind ? node->refuses & w->asked : 0;
    }
    HB_TRY(hb_work_status(w->work, w->error));
    return hb_graph_check(&w->made, w->error);
}

static hbs_status build(narrowing *w, uint32_t asked)
{
    for (size_t i = 0; i < w->old->nodes.count; i++) {
        if (!w->nodes[i].live && i > 1)
            continue;
        if (is_source(hb_node_at(w->old, i)))
            HB_TRY(copy_source(w, i));
        else
            HB_TRY(narrow_node(w, i));
    }
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        if (asked >> o & 1 && w->old->outputs[o] != HB_NO_NODE)
            w->made.outputs[o] = w->nodes[w->old->outputs[o]].number;
    return HBS_OK;
}

/* ---- the pass */

/* HBS_OUT_...: an asker's that the graph has. Nothing is built for others, also no node that may refuse rows. */
static uint32_t asked_by(const hb_graph *graph, size_t asker)
{
    uint32_t there = 0;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        there |= graph->outputs[i] != HB_NO_NODE ? 1u << i : 0;
    return there & hb_outputs_of((hb_asker)asker);
}

/* Sets *found to true if at least one column of the graph can be left out. */
static hbs_status has_dead(narrowing *w, narrowed *nodes[HB_N_ASKERS], bool *found)
{
    *found = false;
    for (size_t a = 0; a < HB_N_ASKERS; a++) {
        HB_TRY(find_live(w, asked_by(w->old, a)));
        nodes[a] = w->nodes;
        for (size_t i = 0; i < w->old->nodes.count; i++)
            *found |= !is_source(hb_node_at(w->old, i)) && nodes[a][i].n_dead > 0;
    }
    return HBS_OK;
}

/* A byte is kept for each column of each value, then a number. Some few files with very many columns, each of them in
 * many values, are not worth that much memory. */
static bool is_too_wide(const hb_graph *graph)
{
    enum { MOST_COLUMNS = 1 << 22 };
    size_t n = 0;

    for (size_t i = 0; i < graph->nodes.count && n <= MOST_COLUMNS; i++)
        n += hb_node_at(graph, i)->value.width;
    return n > MOST_COLUMNS;
}

/* The table and its numbers are nodes 0 and 1 of any lowered graph. */
static void begin_made(narrowing *w)
{
    const hb_graph *old = w->old;

    hb_graph_begin_again(&w->made, old);
    hb_graph_append(&w->made, HB_OPERATOR_TABLE, NULL, 0, NULL);
    if (w->made.status == HBS_OK)
        hb_node_at(&w->made, 0)->value = hb_node_at(old, 0)->value;
    hb_graph_add(&w->made, HB_OPERATOR_ENCODE, (const uint32_t[]){0}, 1, NULL);
    if (w->made.status == HBS_OK)
        hb_node_at(&w->made, 1)->source = hb_node_at(old, 1)->source;
}

static hbs_status build_all(narrowing *w, narrowed *nodes[HB_N_ASKERS])
{
    begin_made(w);
    HB_TRY(hb_graph_check(&w->made, w->error));
    for (size_t a = 0; a < HB_N_ASKERS; a++) {
        w->nodes = nodes[a];
        w->asked = asked_by(w->old, a);
        HB_TRY(build(w, w->asked));
    }
    w->made.n_rewrites += w->dropped;
    return hb_graph_check(&w->made, w->error);
}

static hbs_status narrow(hb_graph *graph, bool (*pushes)(hb_operator_kind kind), hbs_error *error)
{
    narrowing w = {.old = graph, .pushes = pushes, .work = &graph->arena->memory->work, .error = error};
    narrowed *nodes[HB_N_ASKERS];
    hbs_status status;
    bool found;

    HB_CHECK(graph->nodes.count > 1 && hb_node_at(graph, 1)->kind == HB_OPERATOR_ENCODE, error);
    if (is_too_wide(graph))
        return HBS_OK;
    HB_TRY(has_dead(&w, nodes, &found));
    if (!found)
        return HBS_OK;
    status = build_all(&w, nodes);
    hb_graph_release(status == HBS_OK ? graph : &w.made);
    if (status == HBS_OK)
        *graph = w.made;
    return status == HBS_E_LIMIT ? HBS_OK : status; /* nodes for both askers are too many: it stays as it is */
}

/* Operators that ignore columns by what they have learned, not by what they are. */
static bool is_model(hb_operator_kind kind)
{
    return kind == HB_OPERATOR_DENSE || kind == HB_OPERATOR_TREE_ENSEMBLE;
}

static bool all_but_models(hb_operator_kind kind)
{
    return !is_model(kind);
}

static bool all(hb_operator_kind kind)
{
    (void)kind;
    return true;
}

hbs_status hb_push_selection(hb_graph *graph, hbs_error *error)
{
    return narrow(graph, all_but_models, error);
}

hbs_status hb_inject_selection(hb_graph *graph, hbs_error *error)
{
    return narrow(graph, all, error);
}
