/* onnx_inputs.c - the inputs of an ONNX file, which are the features: one matrix of n columns, or n columns with a name
 * each. */
#include <string.h>

#include "format/apply_options.h"
#include "format/onnx.h"

__attribute__((format(printf, 4, 5))) static hbs_status refuse(hb_onnx_file *file, const hb_onnx_port *input,
                                                               hbs_status status, const char *format, ...)
{
    char name[HB_EXCERPT_BUFFER];
    va_list arguments;

    va_start(arguments, format);
    hb_fail_list(file->error, status, input->at, format, arguments);
    va_end(arguments);
    hb_error_prefix(file->error, "input \"%s\": ", HB_SHOW(input->name, name));
    return status;
}

/* A constant of the same name is its value then. */
static bool is_feature(const hb_onnx_file *file, const hb_onnx_port *input)
{
    return hb_onnx_named(file, input->name)->form != HB_ONNX_CONSTANT;
}

static hbs_status check_type(hb_onnx_file *file, const hb_onnx_port *input)
{
    char buffer[32];

    if (!input->is_tensor)
        return refuse(file, input, HBS_E_UNSUPPORTED, "hbscore reads inputs that are tensors");
    if (input->type != HB_ONNX_FLOAT)
        return refuse(file, input, HBS_E_UNSUPPORTED,
                      "it is of %s, and hbscore reads inputs of float32 so far: convert the model with "
                      "initial_types=[(\"X\", FloatTensorType([None, n]))]",
                      hb_onnx_type_name(input->type, buffer));
    return HBS_OK;
}

/* [N, columns]: the first dimension counts the rows. */
static hbs_status check_shape(hb_onnx_file *file, const hb_onnx_port *input, size_t *width)
{
    if (!input->has_shape || input->n_dims != 2 || input->dims[1] <= 0)
        return refuse(
            file, input, HBS_E_UNSUPPORTED,
            "hbscore reads inputs of two dimensions, the second of which has a number: convert the model with "
            "initial_types=[(\"X\", FloatTensorType([None, n]))]");
    if (input->dims[0] != -1 && input->dims[0] != 1)
        return refuse(file, input, HBS_E_UNSUPPORTED,
                      "it takes %lld rows at once: convert the model so that the first dimension is free (skl2onnx: "
                      "None; PyTorch: dynamic_shapes)",
                      (long long)input->dims[0]);
    if (input->dims[1] > HB_MAX_FEATURES)
        return refuse(file, input, HBS_E_LIMIT, "it has %lld columns, the limit is %d", (long long)input->dims[1],
                      HB_MAX_FEATURES);
    *width = (size_t)input->dims[1];
    return HBS_OK;
}

static hbs_status check_inputs(hb_onnx_file *file, size_t *n_inputs, size_t *n_columns)
{
    const hb_onnx_port *wide = NULL;

    *n_inputs = *n_columns = 0;
    for (size_t i = 0; i < file->n_inputs; i++) {
        size_t width = 0;

        HB_TRY(hb_worked(file->bytes.work, 16, file->error));
        if (!is_feature(file, &file->inputs[i]))
            continue;
        HB_TRY(check_type(file, &file->inputs[i]));
        HB_TRY(check_shape(file, &file->inputs[i], &width));
        if (width > 1)
            wide = &file->inputs[i];
        ++*n_inputs;
        *n_columns += width;
    }
    if (*n_inputs == 0)
        return hb_fail(file->error, HBS_E_UNSUPPORTED, "the graph has no input");
    if (*n_inputs > 1 && wide)
        return refuse(file, wide, HBS_E_UNSUPPORTED,
                      "it has %lld columns beside other inputs: hbscore reads one input, or inputs of one column",
                      (long long)wide->dims[1]);
    if (*n_columns > HB_MAX_FEATURES)
        return hb_fail(file->error, HBS_E_LIMIT, "the graph has %zu inputs, the limit is %d", *n_columns,
                       HB_MAX_FEATURES);
    return HBS_OK;
}

/* Inputs of one column have the features' names. */
static hbs_status name_features(hb_onnx_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    size_t size = 0, n = 0;
    uint32_t *ends;
    char *bytes;

    for (size_t i = 0; i < file->n_inputs; i++)
        size += file->inputs[i].name.size;
    ends = hb_arena_array(&pipeline->arena, pipeline->n_features, sizeof(*ends));
    bytes = hb_arena_array(&pipeline->arena, size, 1);
    if (!ends || !bytes)
        return hb_no_memory(pipeline->arena.memory, file->error);
    size = 0;
    for (size_t i = 0; i < file->n_inputs; i++) {
        hbs_text name = file->inputs[i].name;

        if (!is_feature(file, &file->inputs[i]))
            continue;
        if (!hb_utf8_valid(name.bytes, name.size))
            return refuse(file, &file->inputs[i], HBS_E_FORMAT, "its name is no UTF-8");
        memcpy(bytes + size, name.bytes, name.size);
        size += name.size;
        ends[n++] = (uint32_t)size;
        HB_TRY(hb_worked(file->bytes.work, 4 + name.size / 8, file->error));
    }
    pipeline->name_ends = ends;
    pipeline->name_bytes = bytes;
    return HBS_OK;
}

/* Every input is some columns of the table, or all of them. */
static hbs_status give_columns(hb_onnx_file *file, size_t table, size_t n_inputs)
{
    uint32_t *columns = hb_arena_array(&file->pipeline->arena, n_inputs, sizeof(*columns));
    uint32_t n = 0;

    if (!columns)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < file->n_inputs; i++) {
        hb_onnx_value made = {.form = HB_ONNX_NUMBERS, .value = table, .is_float32 = !file->is_wide};

        HB_TRY(hb_worked(file->bytes.work, 4, file->error));
        if (!is_feature(file, &file->inputs[i]))
            continue;
        columns[n] = n;
        made.width = (size_t)file->inputs[i].dims[1];
        made.columns = n_inputs > 1 ? &columns[n] : NULL;
        *hb_onnx_named(file, file->inputs[i].name) = made;
        n++;
    }
    return HBS_OK;
}

hbs_status hb_onnx_inputs_read(hb_onnx_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    const hb_options *options = file->options;
    size_t n_inputs, table;

    HB_TRY(check_inputs(file, &n_inputs, &pipeline->n_features));
    pipeline->wide = pipeline->rounded = file->is_wide;
    pipeline->missing_is_error = options->missing_is_error;
    if (n_inputs > 1)
        HB_TRY(name_features(file));
    HB_TRY(hb_apply_names(pipeline, options, file->error));
    table = hb_pipeline_add(pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    if (options->has_missing)
        table = hb_pipeline_add(pipeline, HB_OPERATOR_MARK_MISSING, table, &(hb_fit_mark_missing){options->missing});
    return give_columns(file, table, n_inputs);
}
