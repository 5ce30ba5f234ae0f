/* onnx_columns.c - operators that make columns of columns. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"

/* ---- movement */

hbs_status hb_onnx_identity(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    if (!value || value->form == HB_ONNX_NOTHING)
        return hb_onnx_numbers(file, node, 0, true, &value); /* which says why not */
    return hb_onnx_give(file, node, 0, value);
}

/* A label that is a number may become one of any type on the way; a classifier's numbers are of float32 already. */
static bool keeps_type(const hb_onnx_value *value, int64_t to)
{
    return to == HB_ONNX_FLOAT ||
           (value->form == HB_ONNX_LABEL && (to == HB_ONNX_INT64 || to == HB_ONNX_INT32 || to == HB_ONNX_DOUBLE));
}

static bool holds(int64_t to, int64_t label)
{
    double number = (double)label;

    return to == HB_ONNX_INT64   ? true
           : to == HB_ONNX_INT32 ? label == (int32_t)label
           : to == HB_ONNX_FLOAT ? fabs(number) <= 0x1p53 && (double)(float)number == number
                                 : fabs(number) <= 0x1p53;
}

/* Labels stay what they are, so they must be numbers of the new type. */
static hbs_status check_labels(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value, int64_t to)
{
    char buffer[32];

    if (value->form != HB_ONNX_LABEL)
        return HBS_OK;
    for (size_t i = 0; i < value->n_classes; i++)
        if (value->classes[i].type == HBS_INT64 && !holds(to, value->classes[i].as.i64))
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "the label %lld is no %s",
                                  (long long)value->classes[i].as.i64, hb_onnx_type_name(to, buffer));
    return HBS_OK;
}

hbs_status hb_onnx_cast(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);
    const hb_onnx_attribute *to;
    hb_onnx_value made;
    char buffer[32];

    HB_TRY(hb_onnx_attribute_find(file, node, "to", HB_ONNX_KIND_INT, &to));
    if (!to)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no attribute to");
    if (to->integer == HB_ONNX_STRING || hb_onnx_is_text(file, node, 0))
        return hb_onnx_cast_text(file, node, to->integer);
    if (!value || (value->form != HB_ONNX_LABEL && !(value->is_pair && to->integer == HB_ONNX_FLOAT)))
        return hb_onnx_cast_numbers(file, node, to->integer);
    if (!keeps_type(value, to->integer))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read casts to %s here yet",
                              hb_onnx_type_name(to->integer, buffer));
    HB_TRY(check_labels(file, node, value, to->integer));
    made = *value;
    made.type = to->integer;
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
    made.dims[1] = 1;
    made.is_pair = false;
    return hb_onnx_give(file, node, 0, &made);
}

/* True of a label: the item of a constant at the place of the largest of some numbers. */
static bool is_label(const hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *table = hb_onnx_named(file, node->inputs[0]), *place = hb_onnx_named(file, node->inputs[1]);

    return table && place && table->form == HB_ONNX_CONSTANT && table->constant && place->form == HB_ONNX_NUMBERS &&
           place->place_of && table->constant->count == place->place_of->width;
}

static hbs_status extract_label(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_tensor *table;
    const hb_onnx_value *place;

    HB_TRY(hb_onnx_constant(file, node, 0, &table));
    HB_TRY(hb_onnx_numbers(file, node, 1, true, &place));
    return hb_onnx_label_of_place(file, node, table, place);
}

hbs_status hb_onnx_array_feature_extractor(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *in = hb_onnx_named(file, node->inputs[0]);
    const hb_onnx_tensor *index;

    if (is_label(file, node))
        return extract_label(file, node);
    if (!in || !in->is_pair)
        return hb_onnx_extract(file, node);
    HB_TRY(hb_onnx_constant(file, node, 1, &index));
    if (index->type != HB_ONNX_INT64)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its second input is not a list of places of int64");
    return extract_of_pair(file, node, index, *in);
}

/* ---- a number for each column */

hbs_status hb_onnx_to_float32(hb_onnx_file *file, hb_onnx_value *value)
{
    const hb_fit_map rounded = {.function = HB_MAP_SAME, .rounding = HB_ROUND_FLOAT32};
    double *numbers;

    if (value->type == HB_ONNX_FLOAT)
        return HBS_OK;
    value->type = HB_ONNX_FLOAT;
    if (value->form == HB_ONNX_NUMBERS) {
        hb_onnx_become(value, hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, hb_onnx_wide(file, value), &rounded));
        return HBS_OK;
    }
    numbers = hb_arena_array(&file->pipeline->arena, value->width, sizeof(*numbers));
    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < value->width; i++)
        numbers[i] = (double)(float)hb_onnx_item(value, i);
    value->numbers = numbers;
    value->constant = NULL;
    value->columns = NULL;
    return hb_worked(file->bytes.work, value->width, file->error);
}

/* Input 0: one row of numbers, or several, of `stride` columns each. */
static hbs_status read_rows(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *in, size_t *stride)
{
    HB_TRY(hb_onnx_operand(file, node, 0, in));
    if (in->form != HB_ONNX_NUMBERS)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of the row's numbers");
    if (in->n_dims != 1 && in->n_dims != 2)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of a matrix or a list of numbers");
    if (in->row == (int)in->n_dims - 1)
        return hb_onnx_mixes_rows(file, node);
    *stride = (size_t)in->dims[in->n_dims - 1];
    return HBS_OK;
}

/* The same for one row only. */
static hbs_status read_row(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *in)
{
    size_t stride = 0;

    HB_TRY(read_rows(file, node, in, &stride));
    if (in->width != stride)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of a matrix with a row for each row");
    return HBS_OK;
}

/* For each column of `in` one of `n` numbers: that of its place in a row of `stride` columns, or the only one. */
static hbs_status check_count(hb_onnx_file *file, const hb_onnx_node *node, const char *name, size_t n, size_t stride)
{
    if (n == 1 || n == stride)
        return HBS_OK;
    return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has %zu numbers for %zu columns", name, n, stride);
}

static hbs_status read_floats(hb_onnx_file *file, const hb_onnx_node *node, const char *name, const hb_onnx_value *in,
                              size_t stride, const double **numbers)
{
    double *to = hb_arena_array(&file->pipeline->arena, in->width, sizeof(*to));
    float *from;
    size_t n;

    HB_TRY(hb_onnx_floats(file, node, name, &from, &n));
    HB_TRY(check_count(file, node, name, n, stride));
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t c = 0; c < in->width; c++)
        to[c] = (double)from[n == 1 ? 0 : c % stride];
    *numbers = to;
    return hb_worked(file->bytes.work, in->width, file->error);
}

static hbs_status read_integers(hb_onnx_file *file, const hb_onnx_node *node, const char *name, const hb_onnx_value *in,
                                size_t stride, const double **numbers)
{
    double *to = hb_arena_array(&file->pipeline->arena, in->width, sizeof(*to));
    const int64_t *from;
    size_t n;

    HB_TRY(hb_onnx_integers(file, node, node->n_inputs, name, &from, &n));
    HB_TRY(check_count(file, node, name, n, stride));
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t c = 0; c < in->width; c++) {
        to[c] = (double)from[n == 1 ? 0 : c % stride];
        HB_TRY(hb_onnx_check_integer(file, node, HB_ONNX_INT64, to[c]));
    }
    *numbers = to;
    return hb_worked(file->bytes.work, in->width, file->error);
}

/* Gives this value of the pipeline in the shape and the type of `in`, without a word about its accuracy. */
static hbs_status give_exact(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *in, size_t value)
{
    hb_onnx_become(in, value);
    return hb_onnx_give(file, node, 0, in);
}

/* (x - offset) * scale, as ONNX Runtime: of float64 numbers rounded to float32 at the end, of others after each step.
 */
hbs_status hb_onnx_scaler(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_fit_scale scale = {.scaling = HB_SCALE_SHIFT_MULTIPLY, .takes_infinite = true};
    hb_onnx_value in;
    size_t stride = 0, value;

    HB_TRY(read_rows(file, node, &in, &stride));
    HB_TRY(read_floats(file, node, "offset", &in, stride, &scale.shift));
    HB_TRY(read_floats(file, node, "scale", &in, stride, &scale.factor));
    scale.in_float32 = in.type != HB_ONNX_DOUBLE;
    if (scale.in_float32)
        HB_TRY(hb_onnx_to_float32(file, &in));
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_SCALE, hb_onnx_wide(file, &in), &scale);
    if (scale.in_float32)
        return give_exact(file, node, &in, value);
    hb_onnx_become(&in, value);
    HB_TRY(hb_onnx_to_float32(file, &in));
    return hb_onnx_give(file, node, 0, &in);
}

/* NaN stays, and only this number is replaced. */
static hbs_status replace_number(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *in, double number,
                                 const double *imputed)
{
    hb_fit_combine equal = {.function = HB_COMBINE_EQUAL, .n_outputs = in->width};
    hb_fit_choose fit = {.n_outputs = in->width, .yes = imputed};
    double *numbers = hb_arena_array(&file->pipeline->arena, in->width, sizeof(*numbers));
    uint32_t inputs[2];

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t c = 0; c < in->width; c++)
        numbers[c] = number;
    equal.numbers = numbers;
    inputs[1] = (uint32_t)hb_onnx_wide(file, in);
    inputs[0] = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, inputs[1], &equal);
    return give_exact(file, node, in, hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE, inputs, 2, &fit));
}

static hbs_status impute_integers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *in, size_t stride)
{
    const double *imputed = NULL;
    int64_t replaced;

    HB_TRY(hb_onnx_integer(file, node, "replaced_value_int64", 0, &replaced));
    HB_TRY(hb_onnx_check_integer(file, node, HB_ONNX_INT64, (double)replaced));
    HB_TRY(read_integers(file, node, "imputed_value_int64s", in, stride, &imputed));
    return replace_number(file, node, in, (double)replaced, imputed);
}

hbs_status hb_onnx_imputer(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_fit_impute impute = {.missing = NAN, .takes_infinite = true};
    const hb_onnx_attribute *replaced;
    hb_onnx_value in;
    size_t stride = 0;
    double number;

    HB_TRY(read_rows(file, node, &in, &stride));
    if (in.type == HB_ONNX_INT64 || in.type == HB_ONNX_INT32)
        return impute_integers(file, node, &in, stride);
    if (in.type != HB_ONNX_FLOAT && in.type != HB_ONNX_DOUBLE)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it reads float32, float64 or int64");
    HB_TRY(hb_onnx_attribute_find(file, node, "replaced_value_float", HB_ONNX_KIND_FLOAT, &replaced));
    HB_TRY(read_floats(file, node, "imputed_value_floats", &in, stride, &impute.fill));
    number = replaced ? (double)replaced->number : 0;
    if (!isnan(number))
        return replace_number(file, node, &in, number, impute.fill);
    return give_exact(file, node, &in,
                      hb_pipeline_add(file->pipeline, HB_OPERATOR_IMPUTE, hb_onnx_wide(file, &in), &impute));
}

/* ---- Normalizer: each row divided by the sum of its magnitudes, by its length or by its largest number */

static hbs_status normalized(hb_onnx_file *file, const hb_onnx_value *in, size_t value, hb_onnx_value *made)
{
    *made = *in;
    made->value = value;
    made->columns = NULL;
    made->place_of = NULL;
    made->is_float32 = false;
    return hb_graph_check(&file->pipeline->graph, file->error);
}

/* As ONNX: the largest number, not the largest magnitude; a row whose norm is 0 stays. */
static hbs_status divide_by_largest(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *in)
{
    const hb_fit_reduce largest = {HB_REDUCE_LARGEST_NUMBER, HB_ROUND_FLOAT32, in->width};
    uint32_t *zeros = hb_arena_array(&file->pipeline->arena, in->width, sizeof(*zeros));
    double *ones = hb_arena_array(&file->pipeline->arena, in->width, sizeof(*ones));
    const hb_fit_combine divide = {.function = HB_COMBINE_DIVIDE, .rounding = HB_ROUND_FLOAT32, .n_outputs = in->width};
    const hb_fit_select copies = {in->width, zeros};
    uint32_t numbers = (uint32_t)hb_onnx_wide(file, in), norm, inputs[2];
    hb_onnx_value made;

    if (!zeros || !ones)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t c = 0; c < in->width; c++)
        ones[c] = 1;
    norm = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, numbers, &largest);
    norm = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, norm, &copies);
    inputs[0] = inputs[1] = norm;
    norm = (uint32_t)hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE, inputs, 2,
                                        &(hb_fit_choose){.n_outputs = in->width, .no = ones});
    inputs[0] = numbers;
    inputs[1] = norm;
    HB_TRY(normalized(file, in, hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, inputs, 2, &divide), &made));
    return hb_onnx_give(file, node, 0, &made);
}

hbs_status hb_onnx_normalizer(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value row, made, *in = &row;
    hbs_text norm;
    char shown[HB_EXCERPT_BUFFER];

    HB_TRY(read_row(file, node, in));
    HB_TRY(hb_onnx_to_float32(file, in));
    HB_TRY(hb_onnx_word(file, node, "norm", "MAX", &norm));
    if (hb_text_is(norm, "MAX"))
        return divide_by_largest(file, node, in);
    if (!hb_text_is(norm, "L1") && !hb_text_is(norm, "L2"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its norm is \"%s\"", HB_SHOW(norm, shown));
    hb_onnx_sums(file, HB_ONNX_FLOAT);
    if (hb_text_is(norm, "L2")) {
        HB_TRY(normalized(file, in,
                          hb_pipeline_add(file->pipeline, HB_OPERATOR_NORM_L2, hb_onnx_wide(file, in),
                                          &(hb_fit_norm_l2){.in_float32 = true}),
                          &made));
    } else {
        HB_TRY(normalized(file, in,
                          hb_pipeline_add(file->pipeline, HB_OPERATOR_NORM_L1, hb_onnx_narrowed(file, in),
                                          &(hb_fit_norm_l1){.in_float32 = true}),
                          &made));
        made.is_float32 = true;
    }
    return hb_onnx_give(file, node, 0, &made);
}
