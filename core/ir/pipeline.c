/* pipeline.c - building a pipeline, and its names. */
#include "ir/pipeline.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const operator_names[] = {
#define HB_OPERATOR(kind, name, reads, demand, summary) #name,
#include "ir/operators.def"
#undef HB_OPERATOR
};

static const char *const operator_summaries[] = {
#define HB_OPERATOR(kind, name, reads, demand, summary) summary,
#include "ir/operators.def"
#undef HB_OPERATOR
};

const char *hb_operator_name(hb_operator_kind kind)
{
    return operator_names[kind];
}

const char *hb_operator_summary(hb_operator_kind kind)
{
    return operator_summaries[kind];
}

void hb_pipeline_init(hb_pipeline *pipeline, hb_memory *memory, const hbs_limits *limits)
{
    memset(pipeline, 0, sizeof(*pipeline));
    hb_arena_init(&pipeline->arena, memory);
    pipeline->limits = *limits;
}

void hb_pipeline_release(hb_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->n_operators; i++)
        if (pipeline->operators[i].forest)
            hb_forest_model_release(pipeline->operators[i].forest);
    hb_arena_release(&pipeline->arena);
}

size_t hb_pipeline_add(hb_pipeline *pipeline, const hb_operator *op)
{
    if (pipeline->n_operators < HB_MAX_OPERATORS)
        pipeline->operators[pipeline->n_operators++] = *op;
    else
        pipeline->too_many = true; /* sealing says so */
    return pipeline->n_operators;
}

/* All other inputs than the first, of all operators, one behind the other. */
static size_t *graft_inputs(hb_pipeline *pipeline, const hb_pipeline *inner, size_t input)
{
    size_t before = pipeline->n_operators, n = 0, *moved;

    for (size_t k = 1; k < inner->n_operators; k++)
        n += inner->operators[k].n_inputs;
    moved = hb_arena_array(&pipeline->arena, n, sizeof(*moved));
    n = 0;
    for (size_t k = 1; moved && k < inner->n_operators; k++)
        for (size_t i = 0; i < inner->operators[k].n_inputs; i++)
            moved[n++] = hb_pipeline_grafted(inner->operators[k].inputs[i], input, before);
    return moved;
}

hbs_status hb_pipeline_graft(hb_pipeline *pipeline, const hb_pipeline *inner, size_t input, size_t *before,
                             hbs_error *error)
{
    size_t *inputs = graft_inputs(pipeline, inner, input);

    if (!inputs)
        return hb_no_memory(pipeline->arena.memory, error);
    *before = pipeline->n_operators;
    for (size_t k = 1; k < inner->n_operators; k++) {
        hb_operator op = inner->operators[k];

        op.input = hb_pipeline_grafted(op.input, input, *before);
        op.inputs = op.n_inputs ? inputs : NULL;
        inputs += op.n_inputs;
        hb_pipeline_add(pipeline, &op);
    }
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

size_t hb_pipeline_width(const hb_pipeline *pipeline, size_t v)
{
    return v == 0 ? pipeline->n_features : pipeline->operators[v - 1].width;
}

bool hb_pipeline_is_wide(const hb_pipeline *pipeline, size_t v)
{
    return v == 0 ? pipeline->wide : pipeline->operators[v - 1].wide;
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
