/* describe.c - see describe.h.
 *
 * A tensor keeps its number through all stages, so that a reader sees where it went; number 0 is the
 * table of features. Names are those of operators.def and tensors.def. */
#include "plan/describe.h"

#include <stdio.h>
#include <string.h>

#include "forest/forest_plan.h"
#include "graph/evaluate.h"

typedef struct describing {
    hbs_description *d;
    const hb_pipeline *pipeline;
    hb_graph *graph;
    const hbs_compile_options *options; /* NULL: none */
    hb_forest_choice *choices;          /* [HB_MAX_TENSORS]: of those that are forests */
    const char *stage;
    hbs_error *error;
} describing;

enum { TEXT = 240, INPUTS = 6 * HB_MAX_OPERATORS };

static const char *dtype_name(hb_dtype dtype)
{
    return dtype == HB_DTYPE_FLOAT64 ? "float64" : "float32";
}

/* "label, probabilities": as hbs_result names them. */
static const char *list_outputs(uint32_t outputs, char list[TEXT])
{
    static const char *const names[HB_N_OUTPUTS] = {"value", "label", "probabilities", "values", "raw", "transform"};
    size_t used = 0;

    list[0] = 0;
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (outputs >> i & 1)
            used += (size_t)snprintf(list + used, TEXT - used, "%s%s", used ? ", " : "", names[i]);
    return list;
}

/* Appends the line, whose texts that are made here are copied. */
static hbs_status add_line(describing *g, hbs_plan_line line)
{
    hb_arena *arena = &g->d->arena;

    line.stage = g->stage;
    line.inputs = hb_arena_text(arena, line.inputs, strlen(line.inputs));
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
    const size_t values[HB_N_OUTPUTS] = {p->value, p->label, p->probabilities, p->values, p->raw, p->transform};
    uint32_t outputs = 0;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (values[i] == value)
            outputs |= 1u << i;
    return outputs;
}

/* "2, 3": all values that it reads. */
static void list_inputs(const hb_operator *op, char list[INPUTS])
{
    size_t used = (size_t)snprintf(list, INPUTS, "%zu", op->input);

    for (size_t i = 0; i < op->n_inputs; i++)
        if (op->inputs[i] != op->input && used < INPUTS)
            used += (size_t)snprintf(list + used, INPUTS - used, ", %zu", op->inputs[i]);
}

static hbs_status describe_pipeline(describing *g)
{
    const hb_pipeline *p = g->pipeline;
    char inputs[INPUTS], outputs[TEXT];

    g->stage = "pipeline";
    for (size_t k = 0; k < p->n_operators; k++) {
        const hb_operator *op = &p->operators[k];
        hbs_plan_line line = {.position = (int)k + 1,
                              .name = hb_operator_name(op->kind),
                              .inputs = inputs,
                              .dtype = dtype_name(op->wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32),
                              .width = op->width,
                              .outputs = list_outputs(outputs_of_value(p, k + 1), outputs),
                              .output = outputs,
                              .strategy = "",
                              .note = hb_operator_summary(op->kind)};

        list_inputs(op, inputs);
        HB_TRY(add_line(g, line));
    }
    return HBS_OK;
}

/* ------------------------------------------------------------------ the graph */

/* Describes a tensor's parameters; its inputs have a column of their own. */
static void note_tensor(const hb_tensor *t, char note[TEXT])
{
    note[0] = 0;
    if (t->forest)
        snprintf(note, TEXT, "%zu trees, %zu nodes", t->forest->n_trees, t->forest->nodes.count);
    else if (t->constant && t->kind != HB_TENSOR_CONSTANT)
        snprintf(note, TEXT, "the same for every row");
}

/* The outputs that a tensor is. */
static uint32_t outputs_of_tensor(const hb_graph *graph, size_t tensor)
{
    uint32_t outputs = 0;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        outputs |= (graph->outputs[i] == tensor) * (1u << i);
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

/* `step`: what it is in the plan; NULL: it is described as a node of the graph. */
static hbs_status describe_tensor(describing *g, size_t i, const hb_step *step)
{
    const hb_tensor *t = &g->graph->tensors[i];
    const char *strategy = step && t->kind == HB_TENSOR_DENSE ? "exact" : "";
    char inputs[48] = "", outputs[TEXT], output[TEXT], note[TEXT];
    hbs_plan_line line = {.position = (int)i,
                          .name = hb_tensor_name(t->kind),
                          .inputs = inputs,
                          .dtype = t->kind == HB_TENSOR_TABLE ? "" : dtype_name(t->dtype),
                          .width = t->width,
                          .outputs = list_outputs(t->outputs, outputs),
                          .output = list_outputs(outputs_of_tensor(g->graph, i), output),
                          .source = (int)t->source,
                          .strategy = strategy,
                          .bytes = step ? (size_t)step->bytes : 0,
                          .blas = step && t->kind == HB_TENSOR_DENSE &&
                                  hb_blas_takes(step->input_width, step->width, step->number),
                          .note = note};

    for (size_t k = 0, used = 0; k < t->n_inputs; k++)
        used += (size_t)snprintf(inputs + used, sizeof(inputs) - used, "%s%zu", k ? ", " : "", t->inputs[k]);
    note_tensor(t, note);
    if (step && t->forest)
        line.strategy = note_forest(&g->choices[i], note);
    return add_line(g, line);
}

/* The tensors that some output needs. */
static hbs_status describe_graph(describing *g, const char *stage)
{
    g->stage = stage;
    hb_graph_mark_needs(g->graph);
    for (size_t i = 0; i < g->graph->n_tensors; i++)
        if (g->graph->tensors[i].outputs)
            HB_TRY(describe_tensor(g, i, NULL));
    return HBS_OK;
}

/* "2 rewrites: 14 -> 12 tensors" */
static hbs_status describe_report(describing *g, const hb_pass_report *report)
{
    char note[TEXT];
    hbs_plan_line line = {.position = (int)g->graph->n_tensors,
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

/* Steps stand in the order of their tensors. */
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
    hb_graph_mark_needs(g->graph);
    for (size_t i = 0; i < g->graph->n_tensors; i++) {
        const hb_tensor *tensor = &g->graph->tensors[i];

        if (!hb_is_step(tensor))
            continue;
        HB_CHECK(k < header->n_steps && steps[k].kind == (uint32_t)tensor->kind, g->error);
        HB_TRY(describe_tensor(g, i, &steps[k]));
        k++;
    }
    HB_CHECK(k == header->n_steps, g->error);
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        given |= (header->results[i].width > 0) * (1u << i);
    list_outputs(given, outputs);
    snprintf(note, sizeof(note), "%llu bytes of scratch a row", (unsigned long long)header->row_bytes);
    all.position = (int)g->graph->n_tensors;
    return add_line(g, all);
}

static hbs_status describe_plan(describing *g)
{
    const uint8_t key[32] = {0}; /* the plan is looked at and thrown away */
    hbs_plan *plan;
    hbs_status status;

    g->choices = hb_arena_array(g->graph->arena, HB_MAX_TENSORS, sizeof(*g->choices));
    if (!g->choices)
        return hb_no_memory(g->graph->arena->memory, g->error);
    HB_TRY(hb_plan_compile_telling(g->pipeline, &g->d->memory.host, g->options, key, g->choices, &plan, g->error));
    status = describe_steps(g, plan->header);
    hbs_plan_free(plan);
    return status;
}

/* ------------------------------------------------------------------ all of it */

static hbs_status describe_stages(describing *g, hb_arena *arena)
{
    g->graph = hb_arena_array(arena, 1, sizeof(*g->graph));
    if (!g->graph)
        return hb_no_memory(arena->memory, g->error);
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
    hbs_status status;

    *description = NULL;
    g.d = host->allocate(host->context, sizeof(*g.d));
    if (!g.d)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    hb_memory_init(&g.d->memory, host, 0);
    hb_arena_init(&g.d->arena, &g.d->memory);
    hb_vector_init(&g.d->lines, &g.d->memory, sizeof(hbs_plan_line));
    hb_arena_init(&arena, &g.d->memory);
    status = describe_stages(&g, &arena);
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
