/* onnx_inputs.c - the inputs of an ONNX file, which are the features: one matrix of n columns, or n columns with a name
 * each. */
#include <stdio.h>
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
    if (input->type != HB_ONNX_FLOAT && input->type != HB_ONNX_DOUBLE && input->type != HB_ONNX_INT64 &&
        input->type != HB_ONNX_INT32 && input->type != HB_ONNX_BOOL && input->type != HB_ONNX_STRING)
        return refuse(file, input, HBS_E_UNSUPPORTED,
                      "it is of %s, and hbscore reads inputs of float32, float64, int64, int32, bool and text so far: "
                      "register the fitted object with Python's hbscore.register(connection, name, estimator)",
                      hb_onnx_type_name(input->type, buffer));
    return HBS_OK;
}

/* [N, ..]: the first dimension counts the rows, the others are the columns. */
static hbs_status check_shape(hb_onnx_file *file, const hb_onnx_port *input, size_t *width)
{
    bool known = input->has_shape && input->n_dims > 0;

    *width = 1;
    for (size_t i = 1; known && i < input->n_dims; i++)
        known = input->dims[i] > 0 && hb_multiply(*width, (size_t)input->dims[i], width);
    if (!known)
        return refuse(file, input, HBS_E_UNSUPPORTED,
                      "hbscore reads inputs whose dimensions behind the first have a number: convert the model with "
                      "initial_types=[(\"X\", FloatTensorType([None, n]))]");
    if (input->dims[0] != -1 && input->dims[0] != 1)
        return refuse(file, input, HBS_E_UNSUPPORTED,
                      "it takes %lld rows at once: convert the model so that the first dimension is free (skl2onnx: "
                      "None; PyTorch: dynamic_shapes)",
                      (long long)input->dims[0]);
    if (*width > HB_MAX_FEATURES)
        return refuse(file, input, HBS_E_LIMIT, "it has %zu columns, the limit is %d", *width, HB_MAX_FEATURES);
    return HBS_OK;
}

static size_t width_of(const hb_onnx_port *input)
{
    size_t width = 1;

    for (size_t i = 1; i < input->n_dims; i++)
        width *= (size_t)input->dims[i];
    return width;
}

static hbs_status check_inputs(hb_onnx_file *file, size_t *n_inputs, size_t *n_columns)
{
    *n_inputs = *n_columns = 0;
    for (size_t i = 0; i < file->n_inputs; i++) {
        size_t width = 0;

        HB_TRY(hb_worked(file->bytes.work, 16, file->error));
        if (!is_feature(file, &file->inputs[i]))
            continue;
        HB_TRY(check_type(file, &file->inputs[i]));
        HB_TRY(check_shape(file, &file->inputs[i], &width));
        ++*n_inputs;
        *n_columns += width;
        if (*n_columns > HB_MAX_FEATURES)
            return hb_fail(file->error, HBS_E_LIMIT, "the graph has more than %d columns of inputs", HB_MAX_FEATURES);
    }
    if (*n_inputs == 0)
        return hb_fail(file->error, HBS_E_UNSUPPORTED, "the graph has no input");
    return HBS_OK;
}

/* ---- names */

/* The name of a column: its input's, and of several columns the place in brackets. */
static size_t write_name(const hb_onnx_port *input, size_t width, size_t c, char *to)
{
    char place[32];
    size_t n = width > 1 ? (size_t)snprintf(place, sizeof(place), "[%zu]", c) : 0;

    memcpy(to, input->name.bytes, input->name.size);
    memcpy(to + input->name.size, place, n);
    return input->name.size + n;
}

static hbs_status count_bytes(hb_onnx_file *file, size_t *size)
{
    enum { MOST_DIGITS = 16 };

    *size = 0;
    for (size_t i = 0; i < file->n_inputs; i++) {
        const hb_onnx_port *input = &file->inputs[i];
        size_t more;

        if (!is_feature(file, input))
            continue;
        if (!hb_utf8_valid(input->name.bytes, input->name.size))
            return refuse(file, input, HBS_E_FORMAT, "its name is no UTF-8");
        if (!hb_multiply(width_of(input), input->name.size + MOST_DIGITS, &more) || more > (1u << 30) - *size)
            return refuse(file, input, HBS_E_LIMIT, "the names of its columns are too long");
        *size += more;
    }
    return HBS_OK;
}

/* Inputs of one column have the features' names. */
static hbs_status name_features(hb_onnx_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    size_t size, n = 0;
    uint32_t *ends;
    char *bytes;

    HB_TRY(count_bytes(file, &size));
    ends = hb_arena_array(&pipeline->arena, pipeline->n_features, sizeof(*ends));
    bytes = hb_arena_array(&pipeline->arena, size, 1);
    if (!ends || !bytes)
        return hb_no_memory(pipeline->arena.memory, file->error);
    size = 0;
    for (size_t i = 0; i < file->n_inputs; i++) {
        const hb_onnx_port *input = &file->inputs[i];

        for (size_t c = 0; is_feature(file, input) && c < width_of(input); c++) {
            size += write_name(input, width_of(input), c, bytes + size);
            ends[n++] = (uint32_t)size;
            HB_TRY(hb_worked(file->bytes.work, 4 + input->name.size / 8, file->error));
        }
    }
    pipeline->name_ends = ends;
    pipeline->name_bytes = bytes;
    return HBS_OK;
}

/* ---- values */

/* Integers and truth values have nothing for a missing one: the row has no result then. Binding finds missing ones, and
 * integers that are none of the type; the option missing marks others behind it. */
static size_t whole_columns(hb_onnx_file *file, const hb_onnx_value *made)
{
    const uint8_t within = made->type == HB_ONNX_INT32   ? HB_DEMAND_INT32
                           : made->type == HB_ONNX_INT64 ? HB_DEMAND_INT53
                                                         : 0;
    size_t value = hb_pipeline_add(file->pipeline, HB_OPERATOR_CHECK, hb_onnx_wide(file, made),
                                   &(hb_fit_check){.takes_missing = false, .also = within});

    if (file->options->has_missing)
        value = hb_onnx_guard(file, value, &(hb_failure){.words = NULL});
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value,
                           &(hb_fit_map){.function = made->type == HB_ONNX_BOOL ? HB_MAP_TRUTH : HB_MAP_TRUNCATE});
}

/* Numbers of the input's type, of its columns of the table. */
static void make_typed(hb_onnx_file *file, hb_onnx_value *made)
{
    if (made->type == HB_ONNX_STRING || made->type == HB_ONNX_DOUBLE ||
        (made->type == HB_ONNX_FLOAT && (made->is_float32 || file->pipeline->rounded)))
        return;
    if (made->type == HB_ONNX_FLOAT)
        made->value =
            hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, hb_onnx_wide(file, made),
                            &(hb_fit_map){.function = HB_MAP_SAME, .rounding = hb_onnx_rounding(HB_ONNX_FLOAT)});
    else
        made->value = whole_columns(file, made);
    made->columns = NULL;
}

/* Every input is some columns of the table, or all of them. */
static hbs_status give_columns(hb_onnx_file *file, size_t table, size_t n_inputs)
{
    uint32_t *columns = hb_arena_array(&file->pipeline->arena, file->pipeline->n_features, sizeof(*columns));
    uint32_t n = 0;

    if (!columns)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < file->n_inputs; i++) {
        const hb_onnx_port *input = &file->inputs[i];
        hb_onnx_value made = {.form = HB_ONNX_NUMBERS, .value = table, .is_float32 = !file->is_wide};

        HB_TRY(hb_worked(file->bytes.work, 4, file->error));
        if (!is_feature(file, input))
            continue;
        made.type = input->type;
        made.n_dims = input->n_dims;
        memcpy(made.dims, input->dims, sizeof(made.dims));
        made.row = input->dims[0] == 1 ? -1 : 0;
        made.dims[0] = 1;
        made.width = width_of(input);
        made.columns = n_inputs > 1 ? &columns[n] : NULL;
        for (size_t c = 0; c < made.width; c++, n++) {
            columns[n] = n;
            if (file->is_text)
                file->is_text[n] = made.type == HB_ONNX_STRING;
        }
        make_typed(file, &made);
        *hb_onnx_named(file, input->name) = made;
    }
    return HBS_OK;
}

/* Texts get codes, of each feature's own dictionary. */
static hbs_status begin_texts(hb_onnx_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    bool any = false;

    for (size_t i = 0; i < file->n_inputs; i++)
        any |= is_feature(file, &file->inputs[i]) && file->inputs[i].type == HB_ONNX_STRING;
    if (!any && file->options->missing_text.bytes)
        return hb_fail(file->error, HBS_E_ARGS, "option missing_text: the graph has no input of texts");
    if (!any)
        return HBS_OK;
    if (file->options->has_missing)
        return hb_fail(file->error, HBS_E_ARGS, "option missing: the graph has inputs of texts (option missing_text)");
    file->is_text = hb_arena_array(&file->arena, pipeline->n_features, 1);
    pipeline->unseen_is_code = true;
    pipeline->on_unseen = file->options->on_unseen;
    file->is_wide = true;
    return file->is_text ? HBS_OK : hb_no_memory(file->arena.memory, file->error);
}

/* True if each input is of float32 numbers or of texts. */
static bool all_are_float32(const hb_onnx_file *file)
{
    for (size_t i = 0; i < file->n_inputs; i++)
        if (is_feature(file, &file->inputs[i]) && file->inputs[i].type != HB_ONNX_FLOAT &&
            file->inputs[i].type != HB_ONNX_STRING)
            return false;
    return true;
}

hbs_status hb_onnx_inputs_read(hb_onnx_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    const hb_options *options = file->options;
    bool narrow = all_are_float32(file);
    size_t n_inputs, table;

    HB_TRY(check_inputs(file, &n_inputs, &pipeline->n_features));
    HB_TRY(begin_texts(file));
    file->is_wide |= !narrow;
    pipeline->wide = file->is_wide;
    pipeline->rounded = file->is_wide && narrow;
    pipeline->missing_is_error = options->missing_is_error;
    if (n_inputs > 1)
        HB_TRY(name_features(file));
    HB_TRY(hb_apply_names(pipeline, options, file->error));
    table = hb_pipeline_add(pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    if (options->has_missing)
        table = hb_pipeline_add(pipeline, HB_OPERATOR_MARK_MISSING, table, &(hb_fit_mark_missing){options->missing});
    return give_columns(file, table, n_inputs);
}
