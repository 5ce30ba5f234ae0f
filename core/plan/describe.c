/* describe.c - see describe.h.
 *
 * A node keeps its number through all stages, so that a reader sees where it went; number 0 is the
 * table of features. Names are those of operators.def. */
#include "plan/describe.h"

#include <stdio.h>
#include <string.h>

#include "forest/forest_plan.h"
#include "graph/passes.h"
#include "op/product.h"

typedef struct describing {
    hbs_description *d;
    const hb_pipeline *pipeline;
    hb_graph *graph;
    const hbs_compile_options *options; /* NULL: none */
    hb_vector choices;                  /* hb_forest_choice, of the forests in the order of their steps */
    size_t n_forests;                   /* of them described so far */
    const char *stage;
    hbs_error *error;
} describing;

enum { TEXT = 240 };

static const char *dtype_name(hb_dtype dtype)
{
    return dtype == HB_DTYPE_FLOAT64 ? "float64" : "float32";
}

/* "label, probabilities": as hbs_result names them. */
static const char *list_outputs(uint32_t outputs, char list[TEXT])
{
    static const char *const names[HB_N_OUTPUTS] = {
        [HB_OUT_VALUE] = "value",   [HB_OUT_LABEL] = "label", [HB_OUT_PROBABILITIES] = "probabilities",
        [HB_OUT_VALUES] = "values", [HB_OUT_RAW] = "raw",     [HB_OUT_TRANSFORM] = "transform",
    };
    size_t used = 0;

    list[0] = 0;
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (outputs >> i & 1)
            used += (size_t)snprintf(list + used, TEXT - used, "%s%s", used ? ", " : "", names[i]);
    return list;
}

/* "2, 3"; NULL: no memory. */
static const char *list_inputs(describing *g, const hb_node *node)
{
    enum { MOST_BYTES = 12 };
    size_t used = 0, size = node->n_inputs * MOST_BYTES + 1;
    char *list = hb_arena_array(&g->d->arena, size, 1);

    for (size_t k = 0; list && k < node->n_inputs; k++)
        used += (size_t)snprintf(list + used, size - used, "%s%u", k ? ", " : "", (unsigned)node->inputs[k]);
    return list;
}

/* Appends the line, whose texts that are made here are copied. */
static hbs_status add_line(describing *g, hbs_plan_line line)
{
    enum { UNITS_A_LINE = 512 };
    hb_arena *arena = &g->d->arena;

    HB_TRY(hb_worked(&g->d->memory.work, UNITS_A_LINE, g->error));
    line.stage = g->stage;
    line.outputs = hb_arena_text(arena, line.outputs, strlen(line.outputs));
    line.output = hb_arena_text(arena, line.output, strlen(line.output));
    line.note = hb_arena_text(arena, line.note, strlen(line.note));
    if (!line.inputs || !line.outputs || !line.output || !line.note || !hb_vector_append(&g->d->lines, &line, 1))
        return hb_no_memory(&g->d->memory, g->error);
    return HBS_OK;
}

/* ------------------------------------------------------------------ the pipeline */

/* The outputs that a value of the pipeline is. */
static uint32_t outputs_of_value(const hb_pipeline *p, size_t value)
{
    uint32_t outputs = 0;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (hb_pipeline_output(p, (hb_output)i) == value)
            outputs |= 1u << i;
    return outputs;
}

static hbs_status describe_pipeline(describing *g)
{
    const hb_pipeline *p = g->pipeline;
    char outputs[TEXT];

    g->stage = "pipeline";
    for (size_t i = 1; i < p->graph.nodes.count; i++) {
        const hb_node *node = hb_node_at(&p->graph, i);
        hbs_plan_line line = {.position = (int)i,
                              .name = hb_operator_name(node->kind),
                              .inputs = list_inputs(g, node),
                              .dtype = dtype_name(node->value.dtype),
                              .width = node->value.width,
                              .outputs = list_outputs(outputs_of_value(p, i), outputs),
                              .output = outputs,
                              .strategy = "",
                              .note = hb_operator_rows[node->kind].summary};

        HB_TRY(add_line(g, line));
    }
    return HBS_OK;
}

/* ------------------------------------------------------------------ the graph */

/* Describes a node's parameters; its inputs have a column of their own. */
static void note_node(const hb_node *node, char note[TEXT])
{
    const hb_fit_tree_ensemble *trees = node->kind == HB_OPERATOR_TREE_ENSEMBLE ? node->fit : NULL;

    note[0] = 0;
    if (trees)
        snprintf(note, TEXT, "%zu trees, %zu nodes", trees->forest->n_trees, trees->forest->nodes.count);
    else if (node->kind == HB_OPERATOR_SPARSE)
        snprintf(note, TEXT, "%zu weights", ((const hb_fit_sparse *)node->fit)->csr.n_weights);
    else if (node->value.constant && node->kind != HB_OPERATOR_CONSTANT)
        snprintf(note, TEXT, "the same for every row");
}

/* The outputs that a node's value is. */
static uint32_t outputs_of_node(const hb_graph *graph, size_t node)
{
    uint32_t outputs = 0;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        outputs |= (graph->outputs[i] == node) * (1u << i);
    return outputs;
}

/* How a forest is evaluated, behind what its note says already. */
static const char *note_forest(const hb_forest_choice *choice, char note[TEXT])
{
    size_t end = strlen(note), used = end + (size_t)snprintf(note + end, TEXT - end, "; ");

    hb_forest_note(choice, note + used, TEXT - used);
    if (!note[used])
        note[end] = 0;
    return hb_strategy_name(choice->strategy);
}

/* True if a run gives the step to a BLAS, when it has one. */
static bool is_for_blas(const hb_node *node, const hb_step *step)
{
    return step && node->kind == HB_OPERATOR_DENSE &&
           hb_blas_takes(step->input_width, step->width, ((const hb_fit_dense *)node->fit)->in_float32);
}

/* `step`: what it is in the plan; NULL: it is described as a node of the graph. */
static hbs_status describe_node(describing *g, size_t i, const hb_step *step)
{
    const hb_node *node = hb_node_at(g->graph, i);
    char outputs[TEXT], output[TEXT], note[TEXT];
    hbs_plan_line line = {.position = (int)i,
                          .name = hb_operator_name(node->kind),
                          .inputs = list_inputs(g, node),
                          .dtype = node->kind == HB_OPERATOR_TABLE ? "" : dtype_name(node->value.dtype),
                          .width = node->value.width,
                          .outputs = list_outputs(node->outputs, outputs),
                          .output = list_outputs(outputs_of_node(g->graph, i), output),
                          .source = (int)node->source,
                          .strategy = step && node->kind == HB_OPERATOR_DENSE ? "exact" : "",
                          .bytes = step ? (size_t)step->bytes : 0,
                          .blas = is_for_blas(node, step),
                          .note = note};

    note_node(node, note);
    if (step && node->kind == HB_OPERATOR_TREE_ENSEMBLE) {
        HB_CHECK(g->n_forests < g->choices.count, g->error);
        line.strategy = note_forest((const hb_forest_choice *)g->choices.items + g->n_forests++, note);
    }
    return add_line(g, line);
}

/* The nodes that some output needs. */
static hbs_status describe_graph(describing *g, const char *stage)
{
    g->stage = stage;
    HB_TRY(hb_graph_mark_needs(g->graph, g->error));
    for (size_t i = 0; i < g->graph->nodes.count; i++)
        if (hb_node_at(g->graph, i)->outputs)
            HB_TRY(describe_node(g, i, NULL));
    return HBS_OK;
}

/* "2 rewrites: 14 -> 12 nodes" */
static hbs_status describe_report(describing *g, const hb_pass_report *report)
{
    char note[TEXT];
    hbs_plan_line line = {.position = (int)g->graph->nodes.count,
                          .name = "pass",
                          .inputs = "",
                          .dtype = "",
                          .outputs = "",
                          .output = "",
                          .strategy = "",
                          .note = note};

    snprintf(note, sizeof(note), "%u rewrite%s: %u -> %u %s", report->rewrites, report->rewrites == 1 ? "" : "s",
             report->before, report->after, hb_pass_unit(report->pass));
    return add_line(g, line);
}

/* Those that change something. */
static hbs_status describe_passes(describing *g, uint32_t passes_off)
{
    const char *name;
    uint32_t bit;

    for (size_t i = 0; (name = hb_pass_name(i, &bit)) != NULL; i++) {
        size_t reports = g->graph->n_reports;

        if (hb_pass_is_off(i, passes_off))
            continue;
        HB_TRY(hb_pass_run(g->graph, i, g->error));
        if (g->graph->n_reports == reports)
            continue;
        HB_TRY(describe_graph(g, name));
        HB_TRY(describe_report(g, &g->graph->reports[reports]));
    }
    return HBS_OK;
}

/* ------------------------------------------------------------------ the plan */

/* How many features the outputs of an asker need; all of them where it has no outputs. */
static size_t count_live(const hb_pipeline *pipeline, hb_asker asker)
{
    size_t n = 0;

    for (size_t i = 0; i < pipeline->n_features; i++)
        n += hb_pipeline_is_live(pipeline, asker, i);
    return n;
}

/* "16 of 119 features, 40 bytes of scratch a row". A transform mostly needs more features than the predictions. */
static void note_plan(const describing *g, const hb_plan_header *header, uint32_t given, char note[TEXT])
{
    size_t all = g->pipeline->n_features;
    size_t transform = given & HBS_OUT_TRANSFORM ? count_live(g->pipeline, HB_FOR_TRANSFORM) : 0;
    size_t used = given & ~(uint32_t)HBS_OUT_TRANSFORM ? count_live(g->pipeline, HB_FOR_PREDICTIONS) : transform;
    int n = snprintf(note, TEXT, "%zu of %zu features", used, all);

    if (transform && transform != used)
        n += snprintf(note + n, TEXT - (size_t)n, " (%zu for the transform)", transform);
    snprintf(note + n, TEXT - (size_t)n, ", %llu bytes of scratch a row", (unsigned long long)header->row_bytes);
}

/* Steps stand in the order of their nodes. */
static hbs_status describe_steps(describing *g, const hb_plan_header *header)
{
    const hb_step *steps = hb_plan_at(header, header->steps);
    char outputs[TEXT], note[TEXT];
    hbs_plan_line all = {.name = "all",
                         .inputs = "",
                         .dtype = "",
                         .outputs = outputs,
                         .output = "",
                         .strategy = "",
                         .bytes = (size_t)header->bytes,
                         .note = note};
    uint32_t given = 0;
    size_t k = 0;

    g->stage = "plan";
    HB_TRY(hb_graph_mark_needs(g->graph, g->error));
    for (size_t i = 0; i < g->graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(g->graph, i);

        if (!hb_is_step(node))
            continue;
        HB_CHECK(k < header->n_steps && steps[k].kind == (uint32_t)node->kind, g->error);
        HB_TRY(describe_node(g, i, &steps[k]));
        k++;
    }
    HB_CHECK(k == header->n_steps, g->error);
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        given |= (header->results[i].width > 0) * (1u << i);
    list_outputs(given, outputs);
    note_plan(g, header, given, note);
    HB_TRY(hb_worked(&g->d->memory.work, 2 * g->pipeline->n_features, g->error));
    all.position = (int)g->graph->nodes.count;
    return add_line(g, all);
}

static hbs_status describe_plan(describing *g)
{
    const uint8_t key[32] = {0}; /* the plan is looked at and thrown away */
    hbs_plan *plan;
    hbs_status status;

    HB_TRY(hb_plan_compile_telling(g->pipeline, &g->d->memory.host, g->options, key, &g->choices, &plan, g->error));
    status = describe_steps(g, plan->header);
    hbs_plan_free(plan);
    return status;
}

/* ------------------------------------------------------------------ all of it */

static hbs_status describe_stages(describing *g, hb_arena *arena)
{
    g->d->features = hb_draw_features(g->pipeline, &g->d->arena);
    if (!g->d->features)
        return hb_no_memory(&g->d->memory, g->error);
    HB_TRY(describe_pipeline(g));
    HB_TRY(hb_graph_lower(g->graph, g->pipeline, arena, g->error));
    HB_TRY(describe_graph(g, "lowered"));
    HB_TRY(describe_passes(g, g->options ? g->options->passes_off : 0));
    return describe_plan(g);
}

hbs_status hb_describe(const hb_pipeline *pipeline, const hbs_host *host, const hbs_compile_options *options,
                       hbs_description **description, hbs_error *error)
{
    describing g = {.pipeline = pipeline, .options = options, .error = error};
    hb_arena arena; /* of the graph */
    hb_graph graph;
    hbs_status status;

    *description = NULL;
    g.d = host->allocate(host->context, sizeof(*g.d));
    if (!g.d)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    hb_memory_init(&g.d->memory, host, 0);
    hb_arena_init(&g.d->arena, &g.d->memory);
    hb_vector_init(&g.d->lines, &g.d->memory, sizeof(hbs_plan_line));
    hb_arena_init(&arena, &g.d->memory);
    hb_graph_init(&graph, &arena);
    hb_vector_init(&g.choices, &g.d->memory, sizeof(hb_forest_choice));
    g.graph = &graph;
    status = describe_stages(&g, &arena);
    hb_vector_release(&g.choices);
    hb_graph_release(&graph);
    hb_arena_release(&arena);
    if (status == HBS_OK)
        *description = g.d;
    else
        hb_description_free(g.d);
    return status;
}

void hb_description_free(hbs_description *description)
{
    hbs_host host;

    if (!description)
        return;
    host = description->memory.host;
    hb_vector_release(&description->lines);
    hb_arena_release(&description->arena);
    host.release(host.context, description);
}
