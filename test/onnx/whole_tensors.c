/* whole_tensors.c - see whole_tensors.h. */
#include "whole_tensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

/* ---- tensors */

static void *room(size_t count, size_t size)
{
    void *made = calloc(count ? count : 1, size);

    if (!made)
        abort();
    return made;
}

static void copy_items(const hb_onnx_tensor *t, whole_tensor *tensor)
{
    hb_onnx_items items = hb_onnx_items_of_tensor(t);

    if (t->type == HB_ONNX_STRING) {
        tensor->texts = room(t->count, sizeof(*tensor->texts));
        for (size_t i = 0; i < t->count; i++)
            hb_repeated_text(&items.fields, &tensor->texts[i]);
        return;
    }
    tensor->numbers = room(t->count, sizeof(*tensor->numbers));
    for (size_t i = 0; i < t->count; i++)
        tensor->numbers[i] = hb_onnx_next_number(&items);
}

hbs_status whole_tensor_parse(const void *bytes, size_t size, whole_tensor *tensor, hbs_error *error)
{
    hb_work work = {0};
    hb_protobuf file;
    hb_message message;
    hb_onnx_tensor t;

    memset(tensor, 0, sizeof(*tensor));
    hb_protobuf_open(&file, bytes, size, &work, error, "tensor", 0, &message);
    if (!hb_onnx_tensor_read(&message, 0, &t))
        return file.status;
    tensor->type = t.type;
    tensor->n_dims = t.n_dims;
    tensor->count = t.count;
    memcpy(tensor->dims, t.dims, sizeof(t.dims));
    copy_items(&t, tensor);
    return file.status;
}

void whole_tensor_free(whole_tensor *tensor)
{
    free(tensor->numbers);
    free(tensor->texts);
    memset(tensor, 0, sizeof(*tensor));
}

void whole_tensors_free(whole_tensors *tensors)
{
    for (size_t i = 0; i < tensors->n; i++)
        whole_tensor_free(&tensors->items[i]);
    tensors->n = 0;
}

/* ---- the ends of the graph */

typedef struct ends {
    const whole_tensors *inputs;
    whole_tensors *outputs;
    double *row;                 /* [features] */
    hbs_value *values;           /* [features] */
    size_t n_features;           /* at least one */
    bool is_known[MOST_TENSORS]; /* an output that no input decides */
} ends;

static void count_features(ends *e)
{
    size_t n = 0;

    for (size_t i = 0; i < e->inputs->n; i++)
        n += e->inputs->items[i].count;
    e->n_features = n ? n : 1;
    e->row = room(e->n_features, sizeof(*e->row));
    e->values = room(e->n_features, sizeof(*e->values));
    e->values[0] = (hbs_value){.type = HBS_FLOAT64};
    n = 0;
    for (size_t i = 0; i < e->inputs->n; i++)
        for (size_t k = 0; k < e->inputs->items[i].count; k++, n++) {
            const whole_tensor *t = &e->inputs->items[i];

            e->row[n] = t->numbers ? t->numbers[k] : 0;
            e->values[n] = t->texts ? (hbs_value){.type = HBS_TEXT, .as.text = t->texts[k]}
                                    : (hbs_value){.type = HBS_FLOAT64, .as.f64 = t->numbers[k]};
        }
}

/* The columns from `first` on; their numbers are known, so they can be places, axes and shapes. */
static void give_input(hb_onnx_file *file, const ends *e, const hb_onnx_port *port, const whole_tensor *t, size_t table,
                       uint32_t *columns)
{
    hb_onnx_value made = {.form = t->count ? HB_ONNX_NUMBERS : HB_ONNX_CONSTANT,
                          .type = t->type,
                          .n_dims = t->n_dims,
                          .row = -1,
                          .value = table,
                          .width = t->count,
                          .columns = columns,
                          .numbers = t->texts ? NULL : e->row};

    memcpy(made.dims, t->dims, sizeof(made.dims));
    *hb_onnx_named(file, port->name) = made;
}

static hbs_status read_inputs(hb_onnx_file *file)
{
    ends *e = file->context;
    uint32_t *columns = hb_arena_array(&file->pipeline->arena, e->n_features, sizeof(*columns)), n = 0;
    size_t table, k = 0;

    if (!columns)
        return hb_no_memory(file->arena.memory, file->error);
    file->pipeline->n_features = e->n_features;
    file->pipeline->wide = file->is_wide = true;
    file->is_text = hb_arena_array(&file->arena, e->n_features, 1);
    file->pipeline->unseen_is_code = true;
    table = hb_pipeline_add(file->pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    for (size_t i = 0; i < file->n_inputs; i++) {
        if (hb_onnx_named(file, file->inputs[i].name)->form == HB_ONNX_CONSTANT)
            continue;
        if (!file->inputs[i].is_tensor)
            return hb_fail(file->error, HBS_E_UNSUPPORTED, "an input is no tensor");
        if (k == e->inputs->n)
            return hb_fail(file->error, HBS_E_ARGS, "the graph has more inputs than there are tensors");
        give_input(file, e, &file->inputs[i], &e->inputs->items[k], table, columns + n);
        for (size_t c = 0; c < e->inputs->items[k].count; c++, n++) {
            columns[n] = n;
            file->is_text[n] = e->inputs->items[k].texts != NULL;
        }
        k++;
    }
    return HBS_OK;
}

/* An output is known, or columns of the pipeline's values side by side. */
static hbs_status add_output(hb_onnx_file *file, size_t k, uint32_t *parts, size_t *n_parts)
{
    ends *e = file->context;
    const hb_onnx_value *value = hb_onnx_named(file, file->outputs[k].name);
    hb_onnx_value now;
    hb_onnx_node reader = {.inputs = &file->outputs[k].name, .n_inputs = 1};
    whole_tensor *t = &e->outputs->items[k];

    if (!value || value->form == HB_ONNX_NOTHING)
        return hb_fail(file->error, HBS_E_FORMAT, "nothing makes output %zu", k);
    if (value->form == HB_ONNX_LABEL)
        return hb_fail(file->error, HBS_E_UNSUPPORTED, "an output is a label");
    HB_TRY(hb_onnx_moved(file, &reader, 0, &now));
    if (now.type == HB_ONNX_STRING)
        return hb_fail(file->error, HBS_E_UNSUPPORTED, "an output is of texts");
    t->type = now.type;
    t->n_dims = now.n_dims;
    t->count = now.width;
    memcpy(t->dims, now.dims, sizeof(t->dims));
    t->numbers = room(t->count, sizeof(*t->numbers));
    e->is_known[k] = now.form == HB_ONNX_CONSTANT;
    for (size_t i = 0; e->is_known[k] && i < now.width; i++)
        t->numbers[i] = now.numbers[now.columns ? now.columns[i] : i];
    if (!e->is_known[k])
        parts[(*n_parts)++] = (uint32_t)hb_onnx_wide(file, &now);
    return HBS_OK;
}

static hbs_status build_outputs(hb_onnx_file *file)
{
    static const uint32_t first[1] = {0};
    ends *e = file->context;
    uint32_t parts[MOST_TENSORS + 1];
    size_t n = 0;

    if (file->n_outputs > MOST_TENSORS)
        return hb_fail(file->error, HBS_E_LIMIT, "the graph has too many outputs");
    for (size_t k = 0; k < file->n_outputs; k++) {
        e->outputs->n = k + 1;
        HB_TRY(add_output(file, k, parts, &n));
    }
    /* A model has a number of each row, and several are `values`. */
    parts[n++] = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, 1, &(hb_fit_select){1, first});
    parts[n++] = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, 1, &(hb_fit_select){1, first});
    file->pipeline->values = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CONCAT, parts, n, NULL);
    file->pipeline->task = HBS_REGRESSOR;
    return HBS_OK;
}

/* ---- the row */

static hbs_status score(const hbs_host *host, const hbs_plan *plan, ends *e, hbs_error *error)
{
    hbs_run *run = NULL;
    hbs_result result;
    hbs_status status = hbs_run_create(plan, host, "model", 1, &run, error);
    size_t n = 0;

    if (status == HBS_OK)
        status = hbs_score_row(run, e->values, e->n_features, HBS_OUT_VALUES, &result, error);
    if (status == HBS_OK && !(result.valid[0] & 1))
        status = hb_fail(error, HBS_E_ARGS, "the row has no result");
    for (size_t k = 0; status == HBS_OK && k < e->outputs->n; k++)
        for (size_t i = 0; !e->is_known[k] && i < e->outputs->items[k].count; i++)
            e->outputs->items[k].numbers[i] = result.values[n++];
    hbs_run_free(run);
    return status;
}

static hbs_status compile_and_score(const hbs_host *host, hb_pipeline *pipeline, uint32_t passes_off, ends *e,
                                    hbs_error *error)
{
    const hbs_compile_options options = {.passes_off = passes_off};
    const uint8_t key[32] = {0};
    hbs_plan *plan = NULL;
    hbs_status status;

    HB_TRY(hb_pipeline_seal(pipeline, error));
    HB_TRY(hb_plan_compile(pipeline, host, &options, key, &plan, error));
    status = score(host, plan, e, error);
    hbs_plan_free(plan);
    return status;
}

hbs_status whole_tensors_compute(const hbs_host *host, const void *model, size_t size, const whole_tensors *inputs,
                                 uint32_t passes_off, whole_tensors *outputs, hbs_error *error)
{
    const hbs_limits limits = {HBS_DEFAULT_MAX_MODEL_BYTES, 10000000, 1024};
    const hb_options options = {0};
    ends e = {.inputs = inputs, .outputs = outputs};
    const hb_onnx_ends functions = {read_inputs, build_outputs, &e};
    hb_pipeline pipeline;
    hb_memory memory;
    hbs_status status;

    outputs->n = 0;
    count_features(&e);
    hb_memory_init(&memory, host, 0);
    hb_pipeline_init(&pipeline, &memory, &limits);
    status = hb_onnx_read_between(model, size, &functions, &options, &pipeline, error);
    if (status == HBS_OK)
        status = compile_and_score(host, &pipeline, passes_off, &e, error);
    hb_pipeline_release(&pipeline);
    free(e.row);
    free(e.values);
    return status;
}
