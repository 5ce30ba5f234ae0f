/* compile.c - from a sealed pipeline to a plan: lower, optimize, place, write (twice: count, then fill). */
#include <string.h>

#include "forest/forest_plan.h"
#include "graph/passes.h"
#include "hbs_backend.h"
#include "op/product.h"
#include "plan/plan.h"

static const char magic[8] = "hbsplan1";

/* The state while one plan is written. */
typedef struct writing {
    const hb_pipeline *pipeline;
    const hb_graph *graph;
    const hbs_host *host;
    hb_work *work;
    const hb_kernels *kernels; /* that the plan is for */
    hbs_compile_options options;
    hbs_error *error;
    hb_flat flat;
    hb_place *places;           /* of each node's value */
    hb_forest_choice **choices; /* of each node that is a forest */
    hb_plan_header header;
} writing;

static void write_names(writing *w)
{
    const hb_pipeline *p = w->pipeline;
    size_t n = p->n_features;

    w->header.named = p->name_bytes != NULL;
    if (!p->name_bytes)
        return;
    w->header.name_ends = hb_flat_put(&w->flat, p->name_ends, n * sizeof(uint32_t));
    w->header.name_bytes = hb_flat_put(&w->flat, p->name_bytes, p->name_ends[n - 1]);
    hb_flat_reserve(&w->flat, n, sizeof(uint32_t), &w->header.name_order); /* filled at the end */
}

static hbs_status write_dictionaries(writing *w)
{
    const hb_pipeline *p = w->pipeline;
    uint64_t *offsets, offset;

    if (!p->categories)
        return HBS_OK;
    offsets = hb_flat_reserve(&w->flat, p->n_features, sizeof(*offsets), &w->header.dictionaries);
    for (size_t i = 0; i < p->n_features; i++) {
        const hb_categories *categories = hb_pipeline_categories(p, i);

        HB_TRY(hb_worked(w->work, 2, w->error));
        if (offsets)
            offsets[i] = 0;
        if (!categories)
            continue;
        HB_TRY(hb_dictionary_write(&w->flat, categories, &offset, w->work, w->error));
        if (offsets)
            offsets[i] = offset;
    }
    return HBS_OK;
}

static void number_texts(writing *w)
{
    uint32_t *numbers = hb_flat_reserve(&w->flat, w->pipeline->n_features, sizeof(*numbers), &w->header.texts);

    w->header.n_texts = 0;
    for (size_t f = 0; f < w->pipeline->n_features; f++)
        if (w->pipeline->texts[f]) {
            w->header.n_texts++;
            if (numbers)
                numbers[f] = (uint32_t)w->header.n_texts;
        }
}

/* Which features are categories without a dictionary. */
static void write_kinds(writing *w)
{
    if (w->pipeline->codes)
        w->header.codes = hb_flat_put(&w->flat, w->pipeline->codes, w->pipeline->n_features);
    for (size_t a = 0; a < HB_N_ASKERS; a++)
        if (w->pipeline->demands[a])
            w->header.demands[a] = hb_flat_put(&w->flat, w->pipeline->demands[a], w->pipeline->n_features);
    if (w->pipeline->texts)
        number_texts(w);
    if (w->pipeline->json)
        w->header.json = hb_flat_put(&w->flat, w->pipeline->json, w->pipeline->n_features);
    if (w->pipeline->hashed)
        w->header.hashed = hb_flat_put(&w->flat, w->pipeline->hashed, w->pipeline->n_features);
}

static bool has_outputs(const hb_graph *graph, hb_asker asker)
{
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE && hb_asker_of(1u << i) == asker)
            return true;
    return false;
}

static bool is_live(const writing *w, size_t feature)
{
    for (size_t a = 0; a < HB_N_ASKERS; a++)
        if (has_outputs(w->graph, (hb_asker)a) && hb_pipeline_is_live(w->pipeline, (hb_asker)a, feature))
            return true;
    return false;
}

static hbs_status count_live_features(writing *w)
{
    for (size_t f = 0; f < w->pipeline->n_features; f++) {
        w->header.n_live += is_live(w, f);
        HB_TRY(hb_worked(w->work, 16, w->error));
    }
    return HBS_OK;
}

/* Mostly the same features matter to the predictions and to the transform. */
static void write_live(writing *w)
{
    const uint8_t *const *live = w->pipeline->live;
    size_t bytes = (w->pipeline->n_features + 7) / 8;

    for (size_t a = 0; a < HB_N_ASKERS; a++)
        if (live[a] && has_outputs(w->graph, (hb_asker)a)) {
            bool same = a > 0 && w->header.live[0] && memcmp(live[a], live[0], bytes) == 0;

            w->header.live[a] = same ? w->header.live[0] : hb_flat_put(&w->flat, live[a], bytes);
        }
}

static hbs_status write_labels(writing *w, const hbs_value *labels, size_t n, uint64_t *offset)
{
    hb_class *classes = hb_flat_reserve(&w->flat, n, sizeof(*classes), offset);

    for (size_t i = 0; i < n; i++) {
        const hbs_value *label = &labels[i];
        hb_class c = {.type = (uint32_t)label->type};

        if (label->type == HBS_TEXT) {
            c.text = hb_flat_put(&w->flat, label->as.text.bytes, label->as.text.size);
            c.size = (uint32_t)label->as.text.size;
        } else if (label->type == HBS_FLOAT64) {
            c.f64 = label->as.f64;
        } else {
            c.i64 = label->type == HBS_BOOL ? label->as.boolean : label->as.i64;
        }
        if (classes)
            classes[i] = c;
        HB_TRY(hb_worked(w->work, 2, w->error));
    }
    return HBS_OK;
}

static hbs_status write_classes(writing *w)
{
    const hb_pipeline *p = w->pipeline;

    HB_TRY(write_labels(w, p->classes, p->n_classes, &w->header.classes));
    if (p->n_targets == 0)
        return HBS_OK;
    w->header.target_ends = hb_flat_put(&w->flat, p->target_ends, p->n_targets * sizeof(*p->target_ends));
    return write_labels(w, p->target_labels, p->target_ends[p->n_targets - 1], &w->header.target_labels);
}

/* The parameters of node i. */
static hbs_status write_fit(writing *w, size_t i, hb_step *step)
{
    const hb_node *node = hb_node_at(w->graph, i);

    if (node->kind == HB_OPERATOR_TREE_ENSEMBLE)
        return hb_forest_compile(((const hb_fit_tree_ensemble *)node->fit)->forest, w->choices[i], &w->flat, w->work,
                                 &step->fit, w->error);
    step->fit = hb_fit_write(&w->flat, node->kind, node->fit, step->input_width, step->width);
    return HBS_OK;
}

static uint64_t write_inputs(writing *w, const hb_node *node)
{
    uint64_t offset;
    hb_step_input *inputs = hb_flat_reserve(&w->flat, node->n_inputs, sizeof(*inputs), &offset);

    for (size_t k = 0; inputs && k < node->n_inputs; k++) {
        const hb_value *value = &hb_input(w->graph, node, k)->value;

        inputs[k] = (hb_step_input){w->places[node->inputs[k]], (uint32_t)value->width, (uint32_t)value->dtype};
    }
    return offset;
}

/* The name of the step of the user's pipeline that the operator is from, else its own. */
static uint64_t write_source(writing *w, size_t value)
{
    const hb_node *node = value ? hb_node_at(&w->pipeline->graph, value) : NULL;
    const char *name = node ? hb_operator_name(node->kind) : "";
    hbs_text source = node && node->step.size ? node->step : (hbs_text){name, strlen(name)};
    uint64_t at;
    char *to = hb_flat_reserve(&w->flat, source.size + 1, 1, &at); /* zeroed: its NUL is there */

    if (to)
        memcpy(to, source.bytes, source.size);
    return at;
}

static hbs_status write_step(writing *w, size_t i, uint64_t source, hb_step *at)
{
    const hb_node *node = hb_node_at(w->graph, i), *input = hb_input(w->graph, node, 0);
    hb_step step = {.kind = (uint32_t)node->kind,
                    .outputs = node->outputs,
                    .dtype = (uint32_t)node->value.dtype,
                    .reads_input = input->kind == HB_OPERATOR_ENCODE,
                    .float32 = (uint32_t)input->value.float32,
                    .feeds_product = hb_blas_feeds(w->graph, i),
                    .n_inputs = node->n_inputs,
                    .position = (uint32_t)i,
                    .source_value = node->source,
                    .source = source,
                    .input_width = input->value.width,
                    .width = node->value.width,
                    .inputs = write_inputs(w, node),
                    .output = w->places[i]};

    hb_flat_reserve(&w->flat, 0, 1, &step.bytes); /* where its parameters begin */
    HB_TRY(write_fit(w, i, &step));
    step.bytes = w->flat.size - step.bytes;
    if (at)
        *at = step;
    return HBS_OK;
}

/* How many nodes are looked at for it: of some products all, for who reads them. */
static size_t nodes_of_step(const hb_graph *graph, size_t i)
{
    enum { NODES_A_STEP = 4 };

    return hb_node_at(graph, i)->kind == HB_OPERATOR_DENSE ? NODES_A_STEP + 2 * graph->nodes.count : NODES_A_STEP;
}

static hbs_status write_steps(writing *w)
{
    const hb_graph *graph = w->graph;
    uint64_t source = 0;
    hb_step *steps;
    size_t n = 0;

    w->header.n_positions = (uint32_t)graph->nodes.count;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(graph, i);

        if (node->kind == HB_OPERATOR_CONSTANT && node->outputs)
            w->places[i].at =
                hb_flat_put(&w->flat, node->value.data, node->value.width * hb_dtype_size(node->value.dtype));
        if (node->kind == HB_OPERATOR_ENCODE) {
            w->header.input = w->places[i];
            w->header.input_position = (uint32_t)i;
        }
        n += hb_is_step(node);
        HB_TRY(hb_graph_worked(graph, 1, w->error));
    }
    w->header.n_steps = n;
    steps = hb_flat_reserve(&w->flat, n, sizeof(*steps), &w->header.steps);
    for (size_t i = 0, k = 0, named = SIZE_MAX; i < graph->nodes.count; i++)
        if (hb_is_step(hb_node_at(graph, i))) {
            if (hb_node_at(graph, i)->source != named)
                source = write_source(w, named = hb_node_at(graph, i)->source);
            HB_TRY(write_step(w, i, source, steps ? &steps[k] : NULL));
            HB_TRY(hb_graph_worked(graph, nodes_of_step(graph, i), w->error));
            k++;
        }
    return HBS_OK;
}

static void name_results(writing *w)
{
    for (size_t i = 0; i < HB_N_OUTPUTS; i++) {
        size_t node = w->graph->outputs[i];
        const hb_value *value;

        if (node == HB_NO_NODE)
            continue;
        value = &hb_node_at(w->graph, node)->value;
        w->header.results[i].width = value->width;
        w->header.results[i].dtype = (uint64_t)value->dtype;
        w->header.results[i].tolerance = w->graph->tolerances[i];
        w->header.results[i].place = w->places[node];
    }
}

/* Writes all into `base`, or counts where it is NULL. */
static hbs_status write_plan(writing *w, void *base)
{
    uint64_t at;

    w->flat = (hb_flat){.base = base};
    hb_flat_reserve(&w->flat, 1, sizeof(hb_plan_header), &at);
    write_names(w);
    HB_TRY(write_dictionaries(w));
    write_kinds(w);
    write_live(w);
    HB_TRY(write_classes(w));
    HB_TRY(write_steps(w));
    w->header.n_passes = w->graph->n_reports;
    if (w->header.n_passes > 0)
        w->header.passes = hb_flat_put(&w->flat, w->graph->reports, w->graph->n_reports * sizeof(hb_pass_report));
    name_results(w);
    w->header.bytes = w->flat.size;
    if (!base)
        return HBS_OK;
    memcpy(base, &w->header, sizeof(w->header));
    if (w->header.named)
        return hb_plan_sort_names(base, (uint32_t *)(void *)((uint8_t *)base + w->header.name_order), w->work,
                                  w->error);
    return HBS_OK;
}

enum { PLAN_PREFIX = 128 }; /* hbs_plan stands before its header.. */

_Static_assert(sizeof(hbs_plan) <= PLAN_PREFIX, "the prefix holds an hbs_plan");

/* A plan that fills a large page begins at the start of one. If the host has large pages, the plan lies in as few as it
 * can. The bytes before it are never touched, so they take no memory. */
static size_t alignment_of(size_t bytes)
{
    return bytes >= HB_LARGE_PAGE ? HB_LARGE_PAGE : HB_FLAT_ALIGNMENT;
}

/* An hbs_plan at `made`, in `block`; its header behind it, aligned. */
static hbs_plan *place_plan(const writing *w, void *made, void *block, size_t alignment)
{
    uintptr_t at = ((uintptr_t)made + PLAN_PREFIX + alignment - 1) / alignment * alignment;
    hbs_plan *plan = made;

    memset(plan, 0, PLAN_PREFIX); /* of the plan all is written, its gaps too: equal models, equal plans */
    plan->host = *w->host;
    plan->header = (hb_plan_header *)(void *)((uint8_t *)made + (at - (uintptr_t)made));
    plan->block = block;
    return plan;
}

/* NULL: it does not fit. */
static hbs_plan *plan_in_room(const writing *w, const hbs_room *room, hb_memory *memory)
{
    void *made = hb_take_lent(memory, PLAN_PREFIX + w->header.bytes);

    return made ? place_plan(w, made, room->block, HB_FLAT_ALIGNMENT) : NULL;
}

static hbs_status allocate_plan(const writing *w, const hbs_room *room, hb_memory *memory, hbs_plan **plan)
{
    size_t alignment = alignment_of(w->header.bytes), bytes = PLAN_PREFIX + alignment + w->header.bytes;
    void *block;

    if (room && (*plan = plan_in_room(w, room, memory)))
        return HBS_OK;
    block = w->host->allocate(w->host->context, bytes);
    if (!block)
        return hb_fail(w->error, HBS_E_NOMEM, "out of memory");
    *plan = place_plan(w, block, block, alignment);
    return HBS_OK;
}

/* The plan is complete, in the caller's block. The plan owns the block from here on, and the block is cut to its end.
 */
static hbs_plan *keep_room(hbs_plan *plan, hbs_room *room)
{
    size_t before = (size_t)((char *)plan - (char *)room->block);
    size_t to_header = (size_t)((char *)plan->header - (char *)plan);
    char *cut = plan->host.resize(plan->host.context, room->block, before + to_header + plan->header->bytes);

    *room = (hbs_room){.block = NULL};
    if (!cut) /* it stays as it is, which is no harm */
        return plan;
    plan = (hbs_plan *)(void *)(cut + before);
    plan->block = cut;
    plan->header = (hb_plan_header *)(void *)(cut + before + to_header);
    return plan;
}

static uint64_t larger_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Forests are evaluated one after the other. */
static void take_work(hb_plan_header *header, hb_forest_room room)
{
    header->work_bytes = larger_of(header->work_bytes, room.tile);
    header->work_run_bytes = larger_of(header->work_run_bytes, room.run);
    header->work_row_bytes = larger_of(header->work_row_bytes, room.row);
}

static hbs_status choose_strategy(writing *w, hb_arena *arena, const hb_node *node, hb_forest_choice **chosen)
{
    const hb_forest_model *forest = ((const hb_fit_tree_ensemble *)node->fit)->forest;
    hb_forest_choice *choice = hb_arena_array(arena, 1, sizeof(*choice));

    *chosen = choice;
    if (!choice)
        return hb_no_memory(arena->memory, w->error);
    HB_TRY(hb_forest_choose(forest, w->options.strategy, w->kernels, arena, choice, w->error));
    choice->keep_nodes = (w->options.passes_off & HBS_KEEP_NODES) != 0;
    if (hb_forest_block(forest, choice) > w->header.block_rows)
        w->header.block_rows = hb_forest_block(forest, choice);
    take_work(&w->header, hb_forest_work(forest, choice));
    w->header.forest_nanoseconds += hb_forest_row_nanoseconds(forest, choice);
    w->header.forest_block_nanoseconds += (float)hb_forest_block_nanoseconds(forest, choice);
    if (w->header.forest_strategy == HBS_STRATEGY_AUTO)
        w->header.forest_strategy = choice->strategy;
    return HBS_OK;
}

/* How each forest is evaluated. */
static hbs_status choose_strategies(writing *w, hb_arena *arena)
{
    w->choices = hb_arena_array(arena, w->graph->nodes.count, sizeof(*w->choices));
    if (!w->choices)
        return hb_no_memory(arena->memory, w->error);
    for (size_t i = 0; i < w->graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(w->graph, i);

        if (node->kind == HB_OPERATOR_TREE_ENSEMBLE && hb_is_step(node))
            HB_TRY(choose_strategy(w, arena, node, &w->choices[i]));
        HB_TRY(hb_graph_worked(w->graph, 1, w->error));
    }
    return HBS_OK;
}

/* Appends them to `choices`, if somebody wants to know. */
static hbs_status tell_choices(const writing *w, hb_vector *choices)
{
    for (size_t i = 0; choices && i < w->graph->nodes.count; i++)
        if (w->choices[i] && !hb_vector_append(choices, w->choices[i], 1))
            return hb_no_memory(choices->memory, w->error);
    return HBS_OK;
}

static hbs_status compile_plan(writing *w, hb_graph *graph, hb_arena *arena, const hbs_room *room, hb_vector *choices,
                               hbs_plan **plan)
{
    HB_TRY(hb_worked(w->work, HB_WORK_A_POLL, w->error)); /* small ones ask once */
    HB_TRY(hb_graph_lower(graph, w->pipeline, arena, w->error));
    HB_TRY(hb_graph_optimize(graph, w->options.passes_off, w->error));
    w->places = hb_arena_array(arena, graph->nodes.count, sizeof(*w->places));
    if (!w->places)
        return hb_no_memory(arena->memory, w->error);
    HB_TRY(hb_plan_memory(graph, w->places, &w->header.row_bytes, w->error));
    w->graph = graph;
    HB_TRY(choose_strategies(w, arena));
    HB_TRY(tell_choices(w, choices));
    HB_TRY(count_live_features(w));
    HB_TRY(write_plan(w, NULL));
    HB_TRY(allocate_plan(w, room, arena->memory, plan));
    return write_plan(w, (*plan)->header);
}

/* Fills the members of the header that follow from the pipeline alone. */
static void begin_header(hb_plan_header *header, const hb_kernels *kernels, const hb_pipeline *pipeline,
                         const uint8_t key[32])
{
    memcpy(header->magic, magic, sizeof(magic));
    memcpy(header->isa, kernels->name, strlen(kernels->name));
    memcpy(header->key, key, sizeof(header->key));
    header->task = (uint32_t)pipeline->task;
    header->missing_is_error = pipeline->missing_is_error;
    header->on_unseen = (uint32_t)pipeline->on_unseen;
    header->unseen_is_code = pipeline->unseen_is_code;
    header->adds_in_own_order = pipeline->adds_in_own_order;
    header->wide = pipeline->wide;
    header->rounded = pipeline->rounded;
    header->n_features = pipeline->n_features;
    header->n_classes = pipeline->n_classes;
    header->n_targets = pipeline->n_targets;
    header->targets_are_places = pipeline->targets_are_places;
}

hbs_status hb_plan_check(const hb_plan_header *header, const hb_kernels *kernels, hbs_error *error)
{
    if (memcmp(header->magic, magic, sizeof(magic)) != 0)
        return hb_fail(error, HBS_E_ARGS, "this is no plan of hbscore " HBS_VERSION ": compile the model again");
    if (strcmp(header->isa, kernels->name) != 0)
        return hb_fail(error, HBS_E_ARGS,
                       "the plan was compiled for the instruction set %s, and this process uses %s: compile the model "
                       "again",
                       header->isa, kernels->name);
    return HBS_OK;
}

static hbs_status compile_all(const hb_pipeline *pipeline, const hbs_host *host, const hbs_compile_options *options,
                              const uint8_t key[32], hbs_room *room, hb_vector *choices, hbs_plan **plan,
                              hbs_error *error)
{
    hb_memory memory;
    hb_arena arena;
    writing *w;
    hb_graph graph;
    hbs_status status;

    *plan = NULL;
    HB_TRY(hb_kernels_check(error)); /* what a forest costs depends on it */
    hb_memory_init(&memory, host, 0);
    if (room)
        hb_memory_lend(&memory, room->begin, room->bytes);
    hb_arena_init(&arena, &memory);
    hb_graph_init(&graph, &arena);
    w = hb_arena_array(&arena, 1, sizeof(*w));
    if (!w) {
        status = hb_no_memory(&memory, error);
    } else {
        w->pipeline = pipeline;
        w->host = host;
        w->work = &memory.work;
        if (options)
            w->options = *options;
        w->error = error;
        w->kernels = hb_kernels_here();
        begin_header(&w->header, w->kernels, pipeline, key);
        status = compile_plan(w, &graph, &arena, room, choices, plan);
    }
    hb_graph_release(&graph);
    hb_arena_release(&arena);
    if (status != HBS_OK && *plan) {
        if (!room || (*plan)->block != room->block)
            hbs_plan_free(*plan);
        *plan = NULL;
    }
    if (room && *plan && (*plan)->block == room->block)
        *plan = keep_room(*plan, room);
    return status;
}

hbs_status hb_plan_compile_telling(const hb_pipeline *pipeline, const hbs_host *host,
                                   const hbs_compile_options *options, const uint8_t key[32], hb_vector *choices,
                                   hbs_plan **plan, hbs_error *error)
{
    return compile_all(pipeline, host, options, key, NULL, choices, plan, error);
}

hbs_status hb_plan_compile(const hb_pipeline *pipeline, const hbs_host *host, const hbs_compile_options *options,
                           const uint8_t key[32], hbs_plan **plan, hbs_error *error)
{
    return compile_all(pipeline, host, options, key, NULL, NULL, plan, error);
}

hbs_status hb_plan_compile_in(const hb_pipeline *pipeline, const hbs_host *host, const hbs_compile_options *options,
                              const uint8_t key[32], hbs_room *room, hbs_plan **plan, hbs_error *error)
{
    return compile_all(pipeline, host, options, key, room, NULL, plan, error);
}
