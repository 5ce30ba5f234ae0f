/* lower.c - the first pass: from the nodes of a sealed pipeline to primitive ones (hb_meaning.lower), with the outputs
 * and how far each may be from the training library's numbers. */
#include "graph/passes.h"
#include "ir/meaning.h"

/* ---- nodes */

/* The new ids of the inputs of the pipeline's node. */
static hbs_status lower_inputs(hb_lowering *l, const uint32_t *node_of, hbs_error *error)
{
    uint32_t *inputs = hb_arena_array(l->graph->arena, l->node->n_inputs, sizeof(*inputs));

    if (!inputs)
        return hb_no_memory(l->graph->arena->memory, error);
    for (size_t k = 0; k < l->node->n_inputs; k++)
        inputs[k] = node_of[l->node->inputs[k]];
    l->inputs = inputs;
    return HBS_OK;
}

/* Gives the node that pipeline node i becomes; all that are made for it name it as their source. */
static hbs_status lower_node(hb_lowering *l, uint32_t *node_of, size_t i, hbs_error *error)
{
    enum { UNITS_A_COLUMN = 4, NODES_A_NODE = 4 }; /* to make one is as much as to look at some */
    size_t first = l->graph->nodes.count;

    l->node = hb_node_at(&l->pipeline->graph, i);
    HB_TRY(hb_worked(&l->graph->arena->memory->work, UNITS_A_COLUMN * l->node->value.width, error));
    HB_TRY(lower_inputs(l, node_of, error));
    if (hb_meanings[l->node->kind]->lower)
        node_of[i] = hb_meanings[l->node->kind]->lower(l);
    else
        node_of[i] = hb_graph_add(l->graph, l->node->kind, l->inputs, l->node->n_inputs, l->node->fit);
    for (size_t k = first; k < l->graph->nodes.count; k++)
        hb_node_at(l->graph, k)->source = (uint32_t)i;
    HB_TRY(hb_graph_check(l->graph, error));
    return hb_graph_worked(l->graph, NODES_A_NODE * (l->graph->nodes.count - first), error);
}

static void lower_table(const hb_lowering *l)
{
    hb_graph_append(l->graph, HB_OPERATOR_TABLE, NULL, 0, NULL);
    if (l->graph->status == HBS_OK)
        hb_node_at(l->graph, 0)->value = hb_node_at(&l->pipeline->graph, 0)->value;
}

/* ---- outputs */

static hbs_status name_outputs(hb_lowering *l, const uint32_t *node_of, hbs_error *error)
{
    const hb_pipeline *p = l->pipeline;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++) {
        size_t value = hb_pipeline_output(p, (hb_output)i);

        l->graph->outputs[i] = value ? node_of[value] : HB_NO_NODE;
    }
    /* one probability stands for two classes */
    if (p->probabilities && p->n_classes == 2 && hb_pipeline_width(p, p->probabilities) == 1) {
        uint32_t made = hb_lower_one(l, HB_OPERATOR_COMPLEMENT, node_of[p->probabilities], NULL);

        HB_TRY(hb_graph_check(l->graph, error));
        hb_node_at(l->graph, made)->source = (uint32_t)p->probabilities;
        l->graph->outputs[HB_OUT_PROBABILITIES] = made;
    }
    return HBS_OK;
}

/* ---- guards */

/* HBS_OUT_...: for whom the guard looks at a column. */
static uint32_t guarded_outputs(const hb_node *guard)
{
    const uint8_t *asked = ((const hb_fit_guard *)guard->fit)->asked;
    uint32_t outputs = 0;
    uint8_t any = 0;

    for (size_t c = 0; c < guard->value.width; c++)
        any |= asked[c];
    for (int a = 0; a < HB_N_ASKERS; a++)
        outputs |= hb_asked(any, (hb_asker)a) ? hb_outputs_of((hb_asker)a) : 0;
    return outputs;
}

/* Passes drop columns that no output needs, and a guard may look at some of these: all that demands found live. So it
 * stays for the outputs that lead to it now, and the same rows are refused with and without passes. */
static hbs_status keep_guards(hb_graph *graph, hbs_error *error)
{
    HB_TRY(hb_graph_mark_needs(graph, error));
    for (size_t i = 0; i < graph->nodes.count; i++) {
        hb_node *node = hb_node_at(graph, i);

        if (node->kind == HB_OPERATOR_GUARD)
            node->refuses = node->outputs & guarded_outputs(node);
        HB_TRY(hb_worked(&graph->arena->memory->work, node->kind == HB_OPERATOR_GUARD ? node->value.width : 1, error));
    }
    return HBS_OK;
}

/* ---- tolerances */

/* A number one last bit of float64 beside the library's can round to the float32 beside the library's. After exact
 * operators they are at most four last bits of float32 apart. */
#define ROUNDED_TOLERANCE 5e-7

/* Why a node's numbers need not have the library's bits. */
enum { CLOSE = 1, CLOSE_EMBEDDED = 2, CLOSE_AND_ROUNDED = 4 };

static uint8_t close_because(const hb_graph *graph, const hb_node *node, const uint8_t *close)
{
    size_t embedded = graph->pipeline->embedded;
    hb_accuracy accuracy = hb_operator_rows[node->kind].accuracy;
    uint8_t why = 0;

    if (accuracy == HB_ACCURACY_DECISION)
        return 0;
    if (accuracy == HB_ACCURACY_CLOSE)
        why = embedded && node->source >= embedded ? CLOSE_EMBEDDED : CLOSE;
    for (size_t k = 0; k < node->n_inputs; k++)
        why |= close[node->inputs[k]];
    if (why && (node->kind == HB_OPERATOR_ROUND || node->kind == HB_OPERATOR_NARROW))
        why |= CLOSE_AND_ROUNDED;
    return why;
}

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

/* A file inside the file has its own tolerance; what is close by both is within the wider one. */
static double tolerance_because(const hb_pipeline *pipeline, uint8_t why)
{
    double tolerance =
        larger_of(why & CLOSE ? pipeline->tolerance : 0, why & CLOSE_EMBEDDED ? pipeline->embedded_tolerance : 0);

    return tolerance > 0 && why & CLOSE_AND_ROUNDED ? larger_of(tolerance, ROUNDED_TOLERANCE) : tolerance;
}

/* How far each output may be from the library's: passes change no bit, so it is said once, here. */
static hbs_status state_tolerances(hb_graph *graph, hbs_error *error)
{
    uint8_t *close = hb_arena_array(graph->arena, graph->nodes.count, sizeof(*close));

    if (!close)
        return hb_no_memory(graph->arena->memory, error);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        close[i] = close_because(graph, hb_node_at(graph, i), close);
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE)
            graph->tolerances[i] = tolerance_because(graph->pipeline, close[graph->outputs[i]]);
    return HBS_OK;
}

/* ---- the whole */

hbs_status hb_graph_lower(hb_graph *graph, const hb_pipeline *pipeline, hb_arena *arena, hbs_error *error)
{
    hb_lowering l = {.graph = graph, .pipeline = pipeline};
    uint32_t *node_of;

    hb_graph_init(graph, arena);
    graph->pipeline = pipeline;
    HB_CHECK(pipeline->sealed, error);
    node_of = hb_arena_array(arena, pipeline->graph.nodes.count, sizeof(*node_of));
    if (!node_of)
        return hb_no_memory(arena->memory, error);
    lower_table(&l);
    HB_TRY(hb_graph_check(graph, error));
    for (size_t i = 1; i < pipeline->graph.nodes.count; i++)
        HB_TRY(lower_node(&l, node_of, i, error));
    HB_TRY(name_outputs(&l, node_of, error));
    HB_TRY(keep_guards(graph, error));
    return state_tolerances(graph, error);
}
