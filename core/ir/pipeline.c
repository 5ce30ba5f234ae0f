/* pipeline.c - building a pipeline, and its names. */
#include "ir/pipeline.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hb_pipeline_init(hb_pipeline *pipeline, hb_memory *memory, const hbs_limits *limits)
{
    memset(pipeline, 0, sizeof(*pipeline));
    hb_arena_init(&pipeline->arena, memory);
    hb_graph_init(&pipeline->graph, &pipeline->arena);
    hb_graph_append(&pipeline->graph, HB_OPERATOR_TABLE, NULL, 0, NULL);
    pipeline->limits = *limits;
}

hb_forest_model *hb_node_forest(const hb_node *node)
{
    return node->kind == HB_OPERATOR_FOREST ? ((const hb_fit_forest *)node->fit)->forest : NULL;
}

void hb_pipeline_release(hb_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->graph.nodes.count; i++) {
        hb_forest_model *forest = hb_node_forest(hb_node_at(&pipeline->graph, i));

        if (forest)
            hb_forest_model_release(forest);
    }
    hb_graph_release(&pipeline->graph);
    hb_arena_release(&pipeline->arena);
}

size_t hb_pipeline_add_of(hb_pipeline *pipeline, hb_operator_kind kind, const uint32_t *inputs, size_t n_inputs,
                          const void *fit)
{
    size_t added = hb_graph_append(&pipeline->graph, kind, inputs, n_inputs, fit);

    if (pipeline->graph.status != HBS_OK && kind == HB_OPERATOR_FOREST) /* it is the pipeline's, which cannot hold it */
        hb_forest_model_release(((const hb_fit_forest *)fit)->forest);
    return added;
}

size_t hb_pipeline_add(hb_pipeline *pipeline, hb_operator_kind kind, size_t input, const void *fit)
{
    return hb_pipeline_add_of(pipeline, kind, (const uint32_t[]){(uint32_t)input}, 1, fit);
}

size_t hb_pipeline_graft(hb_pipeline *pipeline, const hb_pipeline *inner, size_t input)
{
    size_t before = pipeline->graph.nodes.count;

    if (pipeline->graph.status == HBS_OK)
        pipeline->graph.status = inner->graph.status;
    for (size_t i = 2; i < inner->graph.nodes.count; i++) {
        const hb_node *node = hb_node_at(&inner->graph, i);
        size_t added = hb_pipeline_add_of(pipeline, node->kind, node->inputs, node->n_inputs, node->fit);

        if (pipeline->graph.status != HBS_OK)
            continue; /* forests are released all the same */
        for (size_t k = 0; k < node->n_inputs; k++)
            hb_node_at(&pipeline->graph, added)->inputs[k] =
                (uint32_t)hb_pipeline_grafted(node->inputs[k], input, before);
    }
    return before;
}

static size_t behind(size_t of, size_t value, size_t input)
{
    return of < value ? of : of == value ? input : of - 1;
}

hbs_status hb_pipeline_leave_out(hb_pipeline *pipeline, size_t value, hbs_error *error)
{
    size_t *const named[] = {&pipeline->raw,   &pipeline->value,     &pipeline->values,  &pipeline->probabilities,
                             &pipeline->label, &pipeline->transform, &pipeline->embedded};
    hb_vector *nodes = &pipeline->graph.nodes;
    size_t input = hb_node_at(&pipeline->graph, value)->inputs[0];

    for (size_t i = value + 1; i < nodes->count; i++) {
        hb_node *node = hb_node_at(&pipeline->graph, i);

        for (size_t k = 0; k < node->n_inputs; k++)
            node->inputs[k] = (uint32_t)behind(node->inputs[k], value, input);
        node[-1] = *node;
        HB_TRY(hb_worked(&pipeline->arena.memory->work, 8 + node->n_inputs, error));
    }
    nodes->count--;
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
        *named[i] = behind(*named[i], value, input);
    return HBS_OK;
}

hbs_status hb_pipeline_fact(hb_pipeline *pipeline, const char *name, const char *format, ...)
{
    char text[HBS_ERROR_TEXT];
    hb_fact *fact = &pipeline->facts[pipeline->n_facts];
    va_list arguments;

    if (pipeline->n_facts == HB_MAX_FACTS)
        return HBS_OK;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    fact->name = name;
    fact->value = hb_arena_text(&pipeline->arena, text, strlen(text));
    if (!fact->value)
        return HBS_E_NOMEM;
    pipeline->n_facts++;
    return HBS_OK;
}

hbs_text hb_pipeline_feature_name(const hb_pipeline *pipeline, size_t i)
{
    uint32_t begin;

    if (!pipeline->name_bytes)
        return (hbs_text){"", 0};
    begin = i ? pipeline->name_ends[i - 1] : 0;
    return (hbs_text){pipeline->name_bytes + begin, pipeline->name_ends[i] - begin};
}

const hb_categories *hb_pipeline_categories(const hb_pipeline *pipeline, size_t i)
{
    if (!pipeline->categories || pipeline->categories[i].count == 0)
        return NULL;
    return &pipeline->categories[i];
}
