/* onnx_shape.c - tensors of any shape, as a graph has them for one row (N = 1): their items are columns, so an operator
 * that only moves items costs nothing: it makes another list of columns. */
#include "format/onnx.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT_INTEGER 9007199254740992.0 /* 2^53 */

/* ---- constants */

/* Integers beyond 2^53 stay larger than any place; none is used as a number. */
static hbs_status read_numbers(hb_onnx_file *file, hb_onnx_value *value)
{
    const hb_onnx_tensor *t = value->constant;
    double *numbers = hb_arena_array(&file->pipeline->arena, t->count, sizeof(*numbers));
    hb_onnx_items items = hb_onnx_items_of_tensor(t);

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < t->count; i++) {
        numbers[i] = hb_onnx_next_number(&items);
        HB_TRY(hb_worked(file->bytes.work, 2, file->error));
    }
    value->numbers = numbers;
    return file->bytes.status;
}

static hbs_status complete_constant(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *value)
{
    const hb_onnx_tensor *t = value->constant;

    if (value->numbers || !t || value->type == HB_ONNX_STRING)
        return HBS_OK;
    value->type = t->type;
    value->row = -1;
    if (t->count > HB_MAX_OUTPUTS * 64)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has a constant of %zu numbers", t->count);
    value->n_dims = t->n_dims;
    memcpy(value->dims, t->dims, sizeof(value->dims));
    value->width = t->count;
    return t->type == HB_ONNX_STRING ? HBS_OK : read_numbers(file, value);
}

/* ---- inputs of a node */

/* One score d becomes -d, d; one probability p, or a score of a single sum, becomes 1 - p, p. */
static size_t add_pair(hb_onnx_file *file, const hb_onnx_value *pair)
{
    static const double signs[2] = {-1, 1}, one[1] = {1};
    static const uint32_t same[2] = {0, 0};
    hb_fit_combine fit = {.function = HB_COMBINE_MULTIPLY, .n_outputs = 2, .first = same, .numbers = signs};
    uint32_t both[2];

    both[1] = (uint32_t)hb_onnx_wide_source(file, pair);
    if (pair->meaning != HB_ONNX_PROBABILITIES && !pair->is_complement)
        return hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, both[1], &fit);
    fit = (hb_fit_combine){.function = HB_COMBINE_SUBTRACT,
                           .rounding = HB_ROUND_FLOAT32,
                           .n_outputs = 1,
                           .numbers = one,
                           .numbers_first = true};
    both[0] = (uint32_t)hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, both[1], &fit);
    return hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CONCAT, both, 2, NULL);
}

/* The operand becomes the two columns that the pair stands for. */
static hbs_status write_out_pair(hb_onnx_file *file, hb_onnx_value *pair, hb_onnx_value *operand)
{
    if (!pair->written)
        pair->written = add_pair(file, pair);
    operand->value = pair->written;
    operand->is_pair = operand->is_float32 = false;
    operand->model = NULL;
    return HBS_OK;
}

/* The place of the class, as the label's own rule decides. */
static hbs_status place_of_label(hb_onnx_file *file, const hb_onnx_value *label, size_t *place)
{
    size_t scores =
        label->is_float32 ? hb_pipeline_add(file->pipeline, HB_OPERATOR_WIDEN, label->value, NULL) : label->value;
    double *threshold = hb_arena_array(&file->pipeline->arena, 1, sizeof(*threshold));

    if (!threshold)
        return hb_no_memory(file->arena.memory, file->error);
    *threshold = label->head.threshold;
    if (label->head.rule == HB_HEAD_GREATER)
        *place =
            hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, scores,
                            &(hb_fit_combine){.function = HB_COMBINE_GREATER, .n_outputs = 1, .numbers = threshold});
    else
        *place = hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, scores,
                                 &(hb_fit_reduce){HB_REDUCE_ARGMAX, HB_ROUND_NONE, label->n_classes});
    return HBS_OK;
}

/* A label that is a number, where the graph computes with it: those of several classifiers that vote, for example. */
static hbs_status number_of_label(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *label)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, label->n_classes, sizeof(*numbers));
    size_t place = 0;

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < label->n_classes; i++) {
        if (label->classes[i].type != HBS_INT64)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not compute with labels that are texts");
        numbers[i] = (double)label->classes[i].as.i64;
        HB_TRY(hb_onnx_check_integer(file, node, HB_ONNX_INT64, numbers[i]));
    }
    HB_TRY(place_of_label(file, label, &place));
    label->value = hb_pipeline_add(file->pipeline, HB_OPERATOR_LOOK_UP, place,
                                   &(hb_fit_look_up){.n_outputs = 1,
                                                     .n_places = label->n_classes,
                                                     .step = 1,
                                                     .n_numbers = label->n_classes,
                                                     .numbers = numbers});
    if (label->type == HB_ONNX_FLOAT)
        label->value =
            hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, label->value,
                            &(hb_fit_map){.function = HB_MAP_SAME, .rounding = hb_onnx_rounding(HB_ONNX_FLOAT)});
    label->form = HB_ONNX_NUMBERS;
    label->width = 1; /* its shape is that of a label for each row */
    label->is_float32 = label->is_pair = false;
    label->model = NULL;
    label->place_of = NULL;
    label->n_classes = 0;
    label->columns = NULL;
    return HBS_OK;
}

/* A constant of texts has no numbers, so it is none here. */
hbs_status hb_onnx_in_blocks(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand)
{
    hb_onnx_value *value = k < node->n_inputs ? hb_onnx_named(file, node->inputs[k]) : NULL;
    const hb_onnx_value *there;

    *operand = (hb_onnx_value){.form = HB_ONNX_NOTHING, .row = -1};
    if (k >= node->n_inputs || node->inputs[k].size == 0)
        return HBS_OK;
    if (value && value->form == HB_ONNX_CONSTANT)
        HB_TRY(complete_constant(file, node, value));
    else if (!value || (value->form != HB_ONNX_NUMBERS && value->form != HB_ONNX_LABEL))
        HB_TRY(hb_onnx_numbers(file, node, k, true, &there)); /* which says why not */
    if (value->form == HB_ONNX_CONSTANT && value->type == HB_ONNX_STRING)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read it of constant texts yet");
    *operand = *value;
    if (value->form == HB_ONNX_LABEL)
        return number_of_label(file, node, operand);
    return value->is_pair ? write_out_pair(file, value, operand) : HBS_OK;
}

hbs_status hb_onnx_moved(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand)
{
    HB_TRY(hb_onnx_in_blocks(file, node, k, operand));
    return operand->blocks || operand->lanes ? hb_onnx_mixes_rows(file, node) : HBS_OK;
}

hbs_status hb_onnx_in_lanes(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand)
{
    HB_TRY(hb_onnx_in_blocks(file, node, k, operand));
    return operand->blocks ? hb_onnx_mixes_rows(file, node) : HBS_OK;
}

/* Computing with the codes of texts would mean nothing; moving them does. */
static hbs_status check_computed(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value)
{
    char buffer[32];

    if (value->type == HB_ONNX_STRING)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read it of texts yet");
    if (value->type == HB_ONNX_UINT8 || value->type == HB_ONNX_INT16 || value->type == HB_ONNX_UINT32)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not compute with %s",
                              hb_onnx_type_name(value->type, buffer));
    return HBS_OK;
}

hbs_status hb_onnx_each(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand)
{
    HB_TRY(hb_onnx_in_blocks(file, node, k, operand));
    return check_computed(file, node, operand);
}

hbs_status hb_onnx_operand(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand)
{
    HB_TRY(hb_onnx_moved(file, node, k, operand));
    return check_computed(file, node, operand);
}

static hbs_status no_integers(hb_onnx_file *file, const hb_onnx_node *node, size_t k)
{
    return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                          "hbscore reads it only if the file states the integers of input %zu", k);
}

static hbs_status integers_of_input(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const int64_t **list,
                                    size_t *n)
{
    hb_onnx_value value;
    int64_t *to;

    HB_TRY(hb_onnx_operand(file, node, k, &value));
    if (value.form == HB_ONNX_NOTHING)
        return HBS_OK;
    if (!value.numbers || (value.type != HB_ONNX_INT64 && value.type != HB_ONNX_INT32))
        return no_integers(file, node, k);
    to = hb_arena_array(&file->arena, value.width, sizeof(*to));
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < value.width; i++) {
        double number = hb_onnx_item(&value, i);

        to[i] = number >= 9.2e18 ? INT64_MAX : number <= -9.2e18 ? INT64_MIN : (int64_t)number;
    }
    *list = to;
    *n = value.width;
    return HBS_OK;
}

static hbs_status integers_of_attribute(hb_onnx_file *file, const hb_onnx_node *node, const char *name,
                                        const int64_t **list, size_t *n)
{
    const hb_onnx_attribute *a;
    hb_onnx_items items;
    int64_t *to;

    HB_TRY(hb_onnx_attribute_find(file, node, name, HB_ONNX_KIND_INTS, &a));
    if (!a)
        return HBS_OK;
    to = hb_arena_array(&file->arena, a->count, sizeof(*to));
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    items = hb_onnx_items_of(a);
    for (size_t i = 0; i < a->count; i++)
        to[i] = hb_onnx_next_integer(&items);
    *list = to;
    *n = a->count;
    return file->bytes.status;
}

hbs_status hb_onnx_integers(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const char *name,
                            const int64_t **list, size_t *n)
{
    *list = NULL;
    *n = 0;
    HB_TRY(integers_of_input(file, node, k, list, n));
    return *list || !name ? HBS_OK : integers_of_attribute(file, node, name, list, n);
}

hbs_status hb_onnx_integer(hb_onnx_file *file, const hb_onnx_node *node, const char *name, int64_t usual,
                           int64_t *integer)
{
    const hb_onnx_attribute *a;

    HB_TRY(hb_onnx_attribute_find(file, node, name, HB_ONNX_KIND_INT, &a));
    *integer = a ? a->integer : usual;
    return HBS_OK;
}

hbs_status hb_onnx_axis(hb_onnx_file *file, const hb_onnx_node *node, int64_t axis, size_t rank, size_t *place)
{
    int64_t from_start = axis < 0 ? axis + (int64_t)rank : axis;

    if (axis < -(int64_t)rank || from_start >= (int64_t)rank)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "axis %lld of a tensor of %zu dimensions", (long long)axis,
                              rank);
    *place = (size_t)from_start;
    return HBS_OK;
}

hbs_status hb_onnx_axes(hb_onnx_file *file, const hb_onnx_node *node, const int64_t *axes, size_t n, size_t rank,
                        unsigned *marks)
{
    *marks = 0;
    for (size_t i = 0; i < n; i++) {
        size_t axis = 0;

        HB_TRY(hb_onnx_axis(file, node, axes[i], rank, &axis));
        if (*marks >> axis & 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "axis %zu stands twice", axis);
        *marks |= 1u << axis;
    }
    return HBS_OK;
}

int64_t hb_onnx_limited(int64_t place, int64_t size, int64_t least, int64_t most)
{
    place = place < 0 && place >= INT64_MIN + size ? place + size : place;
    return place < least ? least : place > most ? most : place;
}

hbs_status hb_onnx_mixes_rows(hb_onnx_file *file, const hb_onnx_node *node)
{
    return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                          "it computes over the rows, and hbscore scores each row by itself");
}

/* ---- shapes */

hbs_status hb_onnx_reshape_value(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *value,
                                 const int64_t *dims, size_t n_dims)
{
    size_t width = 1;

    if (n_dims > HB_ONNX_MAX_RANK)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it makes a tensor of %zu dimensions, hbscore reads %d",
                              n_dims, HB_ONNX_MAX_RANK);
    for (size_t i = 0; i < n_dims; i++)
        if (dims[i] < 0 || !hb_multiply(width, (size_t)dims[i], &width))
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "dimension %zu of what it makes is %lld", i,
                                  (long long)dims[i]);
    if (width > HB_MAX_OUTPUTS)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it makes %zu columns, hbscore reads up to %d", width,
                              HB_MAX_OUTPUTS);
    memmove(value->dims, dims, n_dims * sizeof(*dims));
    value->n_dims = n_dims;
    value->width = width;
    return hb_worked(file->bytes.work, 8, file->error);
}

uint32_t *hb_onnx_columns(hb_onnx_file *file, size_t n, hbs_status *status)
{
    uint32_t *columns = hb_arena_array(&file->pipeline->arena, n, sizeof(*columns));

    *status = columns ? hb_worked(file->bytes.work, 4 * n, file->error) : hb_no_memory(file->arena.memory, file->error);
    return columns;
}

void hb_onnx_take(hb_onnx_value *value, uint32_t *map)
{
    for (size_t i = 0; value->columns && i < value->width; i++)
        map[i] = value->columns[map[i]];
    value->columns = map;
    value->place_of = NULL;
    value->model = NULL;
    value->n_classes = 0;
}

size_t hb_onnx_broadcast_place(const hb_onnx_value *value, const int64_t *dims, size_t n_dims, size_t place)
{
    size_t step = 1, at = 0;

    for (size_t i = 0; i < n_dims; i++) {
        size_t axis = n_dims - 1 - i, index = place % (size_t)dims[axis];

        place /= (size_t)dims[axis];
        if (i >= value->n_dims)
            break;
        if (value->dims[value->n_dims - 1 - i] != 1)
            at += index * step;
        step *= (size_t)value->dims[value->n_dims - 1 - i];
    }
    return at;
}

/* ---- numbers of the pipeline */

size_t hb_onnx_wide_source(hb_onnx_file *file, const hb_onnx_value *numbers)
{
    return numbers->is_float32 ? hb_pipeline_add(file->pipeline, HB_OPERATOR_WIDEN, numbers->value, NULL)
                               : numbers->value;
}

size_t hb_onnx_wide(hb_onnx_file *file, const hb_onnx_value *numbers)
{
    size_t source = hb_onnx_wide_source(file, numbers);

    if (!numbers->columns)
        return source;
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, source,
                           &(hb_fit_select){numbers->width, numbers->columns});
}

void hb_onnx_sums(hb_onnx_file *file, int64_t type)
{
    double tolerance = type == HB_ONNX_DOUBLE ? 1e-9 : 1e-5;

    if (file->pipeline->tolerance < tolerance)
        file->pipeline->tolerance = tolerance;
    file->pipeline->adds_in_own_order = true;
}

hb_rounding hb_onnx_rounding(int64_t type)
{
    return type == HB_ONNX_FLOAT   ? HB_ROUND_FLOAT32
           : type == HB_ONNX_INT32 ? HB_ROUND_INT32
           : type == HB_ONNX_INT64 ? HB_ROUND_INT64
                                   : HB_ROUND_NONE;
}

hb_rounding hb_onnx_exact_rounding(int64_t type)
{
    return type == HB_ONNX_INT64 ? HB_ROUND_WHOLE : hb_onnx_rounding(type);
}

hbs_status hb_onnx_check_integer(hb_onnx_file *file, const hb_onnx_node *node, int64_t type, double number)
{
    if ((type != HB_ONNX_INT64 && type != HB_ONNX_INT32) || fabs(number) < EXACT_INTEGER)
        return HBS_OK;
    return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it computes an integer beyond 2^53 of constants");
}

/* True if the operator makes each of its columns of one column of its first input; *column becomes that one. */
static bool is_of_one(const hb_node *node, uint32_t *column)
{
    const hb_fit_combine *combine;

    switch (node->kind) {
    case HB_OPERATOR_SELECT:
        *column = ((const hb_fit_select *)node->fit)->columns[*column];
        return true;
    case HB_OPERATOR_COMBINE:
        combine = node->fit;
        *column = combine->first ? combine->first[*column] : *column;
        return node->n_inputs == 1;
    case HB_OPERATOR_ORDINAL:
    case HB_OPERATOR_MARK_MISSING:
    case HB_OPERATOR_CHECK:
    case HB_OPERATOR_GUARD:
    case HB_OPERATOR_WIDEN:
    case HB_OPERATOR_NARROW:
    case HB_OPERATOR_MAP:
    case HB_OPERATOR_RECODE:
    case HB_OPERATOR_TEXT_CODE:
    case HB_OPERATOR_TEXT_NUMBER:
        return true;
    default:
        return false;
    }
}

/* The feature that a column of the pipeline's value is made of alone; UINT32_MAX: there is none, or it is far. */
static uint32_t feature_of(const hb_graph *graph, size_t value, uint32_t column)
{
    enum { MOST_STEPS = 32 };

    for (int i = 0; i < MOST_STEPS && value > 0; i++) {
        const hb_node *node = hb_node_at(graph, value);

        if (!is_of_one(node, &column))
            return UINT32_MAX;
        value = node->inputs[0];
    }
    return value == 0 ? column : UINT32_MAX;
}

hbs_status hb_onnx_failure(hb_onnx_file *file, const hb_onnx_node *node, const char *words, size_t value, size_t width,
                           hb_failure *failure)
{
    enum { UNITS_A_COLUMN = 32 };
    char name[HB_EXCERPT_BUFFER], op[HB_EXCERPT_BUFFER], all[4 * HB_EXCERPT_BUFFER];
    uint32_t *features = hb_arena_array(&file->pipeline->arena, width, sizeof(*features));

    (void)snprintf(all, sizeof(all), "node %zu (\"%s\", %s) %s", node->place, HB_SHOW(node->name, name),
                   HB_SHOW(node->op, op), words);
    *failure = (hb_failure){strlen(all), hb_arena_text(&file->pipeline->arena, all, strlen(all)), features};
    if (!features || !failure->words)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(hb_graph_check(&file->pipeline->graph, file->error)); /* nodes are looked at */
    for (uint32_t c = 0; c < width; c++) {
        features[c] = feature_of(&file->pipeline->graph, value, c);
        HB_TRY(hb_worked(file->bytes.work, UNITS_A_COLUMN, file->error));
    }
    return HBS_OK;
}

size_t hb_onnx_guard(hb_onnx_file *file, size_t value, const hb_failure *failure)
{
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_GUARD, value,
                            &(hb_fit_guard){.takes_missing = false, .failure = *failure});
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_CHECK, value, &(hb_fit_check){.takes_missing = false});
}

hbs_status hb_onnx_guarded(hb_onnx_file *file, const hb_onnx_node *node, const char *words, size_t width, size_t *value)
{
    hb_failure failure;

    HB_TRY(hb_onnx_failure(file, node, words, *value, width, &failure));
    *value = hb_onnx_guard(file, *value, &failure);
    return HBS_OK;
}

void hb_onnx_become(hb_onnx_value *made, size_t value)
{
    made->form = HB_ONNX_NUMBERS;
    made->value = value;
    made->place_of = NULL;
    made->columns = NULL;
    made->numbers = made->of_many = NULL;
    made->constant = NULL;
    made->is_float32 = false;
    made->is_pair = false;
    made->model = NULL;
    made->n_classes = 0;
    made->meaning = HB_ONNX_PLAIN;
}

void hb_onnx_make_numbers(hb_onnx_file *file, hb_onnx_value *made, size_t value)
{
    hb_onnx_become(made, value);
    if (made->type == HB_ONNX_FLOAT || made->type == HB_ONNX_DOUBLE)
        hb_onnx_sums(file, made->type);
}

hbs_status hb_onnx_give_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *made, size_t value)
{
    hb_onnx_make_numbers(file, made, value);
    return hb_onnx_give(file, node, 0, made);
}
