/* onnx_columns.c - operators that make columns of columns. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"

/* ---- movement */

hbs_status hb_onnx_identity(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    if (!value || value->form == HB_ONNX_NOTHING || value->form == HB_ONNX_CONSTANT)
        return hb_onnx_numbers(file, node, 0, true, &value); /* which says why not */
    return hb_onnx_give(file, node, 0, value);
}

/* A label may become a text or an integer if it is one; numbers are of float32 already. */
static bool keeps_type(const hb_onnx_value *value, int64_t to)
{
    hbs_type type = value->n_classes ? value->classes[0].type : HBS_NULL;

    if (value->form == HB_ONNX_NUMBERS)
        return to == HB_ONNX_FLOAT;
    return type == HBS_TEXT ? to == HB_ONNX_STRING : to == HB_ONNX_INT64 || to == HB_ONNX_INT32;
}

hbs_status hb_onnx_cast(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);
    const hb_onnx_attribute *to;
    char buffer[32];

    if (!value || value->form != HB_ONNX_LABEL)
        HB_TRY(hb_onnx_numbers(file, node, 0, true, &value));
    HB_TRY(hb_onnx_attribute_find(file, node, "to", HB_ONNX_KIND_INT, &to));
    if (!to)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no attribute to");
    if (!keeps_type(value, to->integer))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read casts to %s here yet",
                              hb_onnx_type_name(to->integer, buffer));
    return hb_onnx_give(file, node, 0, value);
}

/* Columns of several inputs of the pipeline's own value are a selection of it. */
static hbs_status join_columns(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *made)
{
    uint32_t *columns = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*columns));
    size_t n = 0;

    if (!columns)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t k = 0; k < node->n_inputs; k++) {
        const hb_onnx_value *in = hb_onnx_named(file, node->inputs[k]);

        for (uint32_t c = 0; c < in->width; c++)
            columns[n++] = in->columns ? in->columns[c] : c;
        HB_TRY(hb_worked(file->bytes.work, in->width, file->error));
    }
    made->columns = columns;
    return HBS_OK;
}

static hbs_status concat_values(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *made)
{
    uint32_t *inputs = hb_arena_array(&file->arena, node->n_inputs, sizeof(*inputs));

    if (!inputs)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t k = 0; k < node->n_inputs; k++)
        inputs[k] = (uint32_t)hb_onnx_selected(file, hb_onnx_named(file, node->inputs[k]));
    made->columns = NULL;
    made->value = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CONCAT, inputs, node->n_inputs, NULL);
    return HBS_OK;
}

hbs_status hb_onnx_concat(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *in;
    const hb_onnx_attribute *axis;
    hb_onnx_value made = {.form = HB_ONNX_NUMBERS};
    bool is_one = true;

    HB_TRY(hb_onnx_attribute_find(file, node, "axis", HB_ONNX_KIND_INT, &axis));
    if (!axis || (axis->integer != 1 && axis->integer != -1))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore joins columns (axis 1), not rows");
    for (size_t k = 0; k < node->n_inputs; k++) {
        HB_TRY(hb_onnx_numbers(file, node, k, false, &in));
        made.width += in->width;
        if (made.width > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has more than %d columns", HB_MAX_OUTPUTS);
        is_one &= k == 0 || in->value == made.value;
        made.value = in->value;
    }
    HB_TRY(is_one ? join_columns(file, node, &made) : concat_values(file, node, &made));
    return hb_onnx_give(file, node, 0, &made);
}

/* The second score of a pair is the one that the pipeline has. */
static hbs_status extract_of_pair(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_tensor *index,
                                  hb_onnx_value made)
{
    hb_onnx_items items = hb_onnx_items_of_tensor(index);

    if (index->count != 1 || hb_onnx_next_integer(&items) != 1)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "of two classes hbscore gives the second one's numbers");
    made.width = 1;
    made.is_pair = false;
    return hb_onnx_give(file, node, 0, &made);
}

hbs_status hb_onnx_array_feature_extractor(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *in;
    const hb_onnx_tensor *index;
    hb_onnx_items items;
    hb_onnx_value made;
    uint32_t *columns;

    HB_TRY(hb_onnx_numbers(file, node, 0, true, &in));
    HB_TRY(hb_onnx_constant(file, node, 1, &index));
    if (index->type != HB_ONNX_INT64 || index->count == 0 || index->count > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its second input is not a list of places of int64");
    if (in->is_pair)
        return extract_of_pair(file, node, index, *in);
    HB_TRY(hb_onnx_numbers(file, node, 0, false, &in));
    columns = hb_arena_array(&file->pipeline->arena, index->count, sizeof(*columns));
    if (!columns)
        return hb_no_memory(file->arena.memory, file->error);
    items = hb_onnx_items_of_tensor(index);
    for (size_t i = 0; i < index->count; i++) {
        int64_t place = hb_onnx_next_integer(&items);

        if (place < 0 || (uint64_t)place >= in->width)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "column %lld of %zu", (long long)place, in->width);
        columns[i] = in->columns ? in->columns[place] : (uint32_t)place;
    }
    made = *in;
    made.columns = columns;
    made.width = index->count;
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- a number for each column */

/* A list of `width` numbers, or of one for all of them, as float64. */
static hbs_status read_columns(hb_onnx_file *file, const hb_onnx_node *node, const char *name, size_t width,
                               const double **numbers)
{
    double *to = hb_arena_array(&file->pipeline->arena, width, sizeof(*to));
    float *from;
    size_t n;

    HB_TRY(hb_onnx_floats(file, node, name, &from, &n));
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    if (n != 1 && n != width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has %zu numbers for %zu columns", name, n, width);
    for (size_t c = 0; c < width; c++)
        to[c] = (double)from[n == 1 ? 0 : c];
    *numbers = to;
    return hb_worked(file->bytes.work, width, file->error);
}

static hbs_status give_columns(hb_onnx_file *file, const hb_onnx_node *node, size_t value, size_t width)
{
    return hb_onnx_give(file, node, 0, &(hb_onnx_value){.form = HB_ONNX_NUMBERS, .value = value, .width = width});
}

/* (x - offset) * scale, rounded to float32 after each step. */
hbs_status hb_onnx_scaler(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_fit_scale scale = {.scaling = HB_SCALE_SHIFT_MULTIPLY, .in_float32 = true, .takes_infinite = true};
    const hb_onnx_value *in;

    HB_TRY(hb_onnx_numbers(file, node, 0, false, &in));
    HB_TRY(read_columns(file, node, "offset", in->width, &scale.shift));
    HB_TRY(read_columns(file, node, "scale", in->width, &scale.factor));
    return give_columns(
        file, node, hb_pipeline_add(file->pipeline, HB_OPERATOR_SCALE, hb_onnx_selected(file, in), &scale), in->width);
}

hbs_status hb_onnx_imputer(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_fit_impute impute = {.missing = NAN, .takes_infinite = true};
    const hb_onnx_attribute *replaced;
    const hb_onnx_value *in;

    HB_TRY(hb_onnx_numbers(file, node, 0, false, &in));
    HB_TRY(hb_onnx_attribute_find(file, node, "replaced_value_float", HB_ONNX_KIND_FLOAT, &replaced));
    if (!replaced || !isnan(replaced->number))
        return hb_onnx_refuse(
            file, node, HBS_E_UNSUPPORTED,
            "hbscore reads imputers of NaN so far, not of a number (missing_values of SimpleImputer)");
    HB_TRY(read_columns(file, node, "imputed_value_floats", in->width, &impute.fill));
    return give_columns(file, node,
                        hb_pipeline_add(file->pipeline, HB_OPERATOR_IMPUTE, hb_onnx_selected(file, in), &impute),
                        in->width);
}

/* Each row divided by the sum of its magnitudes, in float32. */
hbs_status hb_onnx_normalizer(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *in;
    hb_onnx_value made;
    hbs_text norm;
    char shown[HB_EXCERPT_BUFFER];

    HB_TRY(hb_onnx_numbers(file, node, 0, true, &in));
    HB_TRY(hb_onnx_word(file, node, "norm", "MAX", &norm));
    if (!hb_text_is(norm, "L1") || in->is_pair)
        return hb_onnx_refuse(
            file, node, HBS_E_UNSUPPORTED,
            "hbscore reads normalizers of L1 so far, and not of two classes: this one's norm is \"%s\"",
            HB_SHOW(norm, shown));
    made = *in;
    made.value = hb_pipeline_add(file->pipeline, HB_OPERATOR_NORM_L1, hb_onnx_narrowed(file, in),
                                 &(hb_fit_norm_l1){.in_float32 = true});
    made.columns = NULL;
    made.is_float32 = true;
    return hb_onnx_give(file, node, 0, &made);
}
