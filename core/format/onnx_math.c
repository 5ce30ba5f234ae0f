/* onnx_math.c - operators that compute each item by itself, of one, two or three tensors that are broadcast to one
 * shape. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic64.h"
#include "format/onnx_windows.h"

/* ---- one tensor */

static hbs_status map_constant(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, int64_t type,
                               const hb_fit_map *map)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, value.width, sizeof(*numbers));
    double *many = hb_arena_array(&file->pipeline->arena, value.width, sizeof(*many));

    if (!numbers || !many)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < value.width; i++) {
        size_t place = value.columns ? value.columns[i] : i;

        numbers[i] = hb_map_number(map->function, map->rounding, map->numbers, value.numbers[place]);
        HB_TRY(hb_onnx_check_integer(file, node, type, numbers[i]));
        if (value.of_many)
            many[i] = hb_map_number(map->function, map->rounding, map->numbers, value.of_many[place]);
    }
    value.type = type;
    value.numbers = numbers;
    value.of_many = value.of_many ? many : NULL;
    value.columns = NULL;
    value.constant = NULL;
    HB_TRY(hb_worked(file->bytes.work, 4 * value.width, file->error));
    return hb_onnx_give(file, node, 0, &value);
}

static hbs_status give_mapped(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, int64_t type,
                              hb_map_function function, double a, double b)
{
    const hb_fit_map map = {.function = function, .rounding = hb_onnx_exact_rounding(type), .numbers = {a, b}};

    if (value.form == HB_ONNX_CONSTANT)
        return map_constant(file, node, value, type, &map);
    value.type = type;
    return hb_onnx_give_numbers(file, node, &value,
                                hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, hb_onnx_wide(file, &value), &map));
}

/* A function of numbers that keeps their type. */
static hbs_status map_input(hb_onnx_file *file, const hb_onnx_node *node, hb_map_function function, bool of_integers)
{
    hb_onnx_value value;

    HB_TRY(hb_onnx_each(file, node, 0, &value));
    if (!of_integers && value.type != HB_ONNX_FLOAT && value.type != HB_ONNX_DOUBLE)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it reads float32 or float64");
    return give_mapped(file, node, value, value.type, function, 0, 0);
}

#define MAPPED(name, function, of_integers)                                 \
    hbs_status hb_onnx_##name(hb_onnx_file *file, const hb_onnx_node *node) \
    {                                                                       \
        return map_input(file, node, function, of_integers);                \
    }

MAPPED(abs, HB_MAP_ABSOLUTE, true)
MAPPED(neg, HB_MAP_NEGATIVE, true)
MAPPED(sqrt, HB_MAP_SQUARE_ROOT, false)
MAPPED(exp, HB_MAP_EXP, false)
MAPPED(log, HB_MAP_LOG, false)
MAPPED(reciprocal, HB_MAP_RECIPROCAL, false)
MAPPED(floor, HB_MAP_FLOOR, false)
MAPPED(ceil, HB_MAP_CEIL, false)
MAPPED(round, HB_MAP_NEAREST, false)
MAPPED(sign, HB_MAP_SIGN, true)
MAPPED(sigmoid, HB_MAP_LOGISTIC, false)
MAPPED(tanh, HB_MAP_TANH, false)
MAPPED(softplus, HB_MAP_SOFTPLUS, false)
MAPPED(erf, HB_MAP_ERF, false)

static hbs_status map_truth(hb_onnx_file *file, const hb_onnx_node *node, hb_map_function function)
{
    hb_onnx_value value;

    HB_TRY(hb_onnx_each(file, node, 0, &value));
    return give_mapped(file, node, value, HB_ONNX_BOOL, function, 0, 0);
}

hbs_status hb_onnx_not(hb_onnx_file *file, const hb_onnx_node *node)
{
    return map_truth(file, node, HB_MAP_NOT);
}

hbs_status hb_onnx_is_nan(hb_onnx_file *file, const hb_onnx_node *node)
{
    return map_truth(file, node, HB_MAP_IS_NAN);
}

/* The numbers that Clip leaves as they are: of floats all but the infinite ones, which ONNX limits too. */
static double largest_of(int64_t type)
{
    return type == HB_ONNX_DOUBLE ? DBL_MAX : type == HB_ONNX_FLOAT ? (double)FLT_MAX : INFINITY;
}

/* A bound of Clip: an input, or the attribute of the older versions. *of: numbers of the row, else NOTHING. */
static hbs_status read_bound(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const char *name, double *bound,
                             hb_onnx_value *of)
{
    const hb_onnx_attribute *a;

    HB_TRY(hb_onnx_operand(file, node, k, of));
    HB_TRY(hb_onnx_attribute_find(file, node, name, HB_ONNX_KIND_FLOAT, &a));
    if (a)
        *bound = (double)a->number;
    if (of->form == HB_ONNX_NOTHING)
        return HBS_OK;
    if (of->width != 1)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "a bound has %zu items", of->width);
    if (of->form == HB_ONNX_CONSTANT) {
        *bound = hb_onnx_item(of, 0);
        of->form = HB_ONNX_NOTHING;
    }
    return HBS_OK;
}

/* A bound that the row has is the same for all items: Max or Min with it. */
static hbs_status limit(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function, double bound,
                        const hb_onnx_value *of, hb_onnx_value *value)
{
    hb_onnx_value constant = {.form = HB_ONNX_CONSTANT, .type = value->type, .row = -1, .width = 1, .numbers = &bound};
    hb_onnx_value *made = hb_onnx_named(file, node->outputs[0]);

    if (of->form == HB_ONNX_NOTHING && isinf(bound))
        return hb_onnx_give(file, node, 0, value);
    HB_TRY(hb_onnx_combine(file, node, function, value, of->form == HB_ONNX_NOTHING ? &constant : of));
    if (!made)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its output has no name");
    *value = *made;
    return HBS_OK;
}

/* A convolution clips its sums itself. */
static hbs_status give_clipped(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, double low,
                               double high)
{
    size_t made;

    HB_TRY(hb_onnx_convolution_clipped(file, &value, low, high, &made));
    if (!made)
        return give_mapped(file, node, value, value.type, HB_MAP_CLIP, low, high);
    hb_onnx_make_numbers(file, &value, made);
    value.is_float32 = true;
    return hb_onnx_give(file, node, 0, &value);
}

hbs_status hb_onnx_clip(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value value, low_of, high_of;
    double low, high;

    HB_TRY(hb_onnx_each(file, node, 0, &value));
    high = largest_of(value.type);
    low = -high;
    HB_TRY(read_bound(file, node, 1, "min", &low, &low_of));
    HB_TRY(read_bound(file, node, 2, "max", &high, &high_of));
    if (low_of.form == HB_ONNX_NOTHING && high_of.form == HB_ONNX_NOTHING)
        return give_clipped(file, node, value, low, high);
    HB_TRY(limit(file, node, HB_COMBINE_MAXIMUM, low, &low_of, &value));
    return limit(file, node, HB_COMBINE_MINIMUM, high, &high_of, &value);
}

hbs_status hb_onnx_relu(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value value;

    HB_TRY(hb_onnx_each(file, node, 0, &value));
    return give_clipped(file, node, value, 0, INFINITY);
}

/* ---- two tensors */

typedef struct operands {
    hb_onnx_value of[2], made;
} operands;

bool hb_onnx_has_its_rows(const hb_onnx_value *value, bool has_rows, int64_t size, const hb_onnx_value *made)
{
    if (made->lanes == 0 && made->blocks == 0)
        return size == 1;
    return has_rows ? value->lanes == made->lanes && value->blocks == made->blocks : size == 1;
}

/* The rows of both must lie on one axis, on which nothing else is broadcast. */
hbs_status hb_onnx_broadcast(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *a,
                             const hb_onnx_value *b, hb_onnx_value *made)
{
    size_t rank = a->n_dims > b->n_dims ? a->n_dims : b->n_dims;
    int rows[2] = {a->row < 0 ? -1 : a->row + (int)(rank - a->n_dims),
                   b->row < 0 ? -1 : b->row + (int)(rank - b->n_dims)};
    int64_t dims[HB_ONNX_MAX_RANK];
    int row = rows[0] >= 0 ? rows[0] : rows[1];

    made->lanes = a->lanes ? a->lanes : b->lanes;
    made->blocks = a->blocks ? a->blocks : b->blocks;
    for (size_t i = 0; i < rank; i++) {
        int64_t x = i < rank - a->n_dims ? 1 : a->dims[i - (rank - a->n_dims)];
        int64_t y = i < rank - b->n_dims ? 1 : b->dims[i - (rank - b->n_dims)];

        if (x != y && x != 1 && y != 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "dimension %zu of its inputs is %lld and %lld", i,
                                  (long long)x, (long long)y);
        dims[i] = x == 1 ? y : x;
        if ((int)i == row &&
            (!hb_onnx_has_its_rows(a, rows[0] == row, x, made) || !hb_onnx_has_its_rows(b, rows[1] == row, y, made)))
            return hb_onnx_mixes_rows(file, node);
    }
    if (rows[0] >= 0 && rows[1] >= 0 && rows[0] != rows[1])
        return hb_onnx_mixes_rows(file, node);
    HB_TRY(hb_onnx_reshape_value(file, node, made, dims, rank));
    made->row = row;
    return HBS_OK;
}

hbs_status hb_onnx_broadcast_columns(hb_onnx_file *file, const hb_onnx_value *value, const hb_onnx_value *made,
                                     const uint32_t **columns)
{
    hbs_status status;
    uint32_t *map;

    *columns = NULL;
    if (value->width == made->width && !value->columns)
        return HBS_OK;
    map = hb_onnx_columns(file, made->width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < made->width; i++) {
        size_t place = hb_onnx_broadcast_place(value, made->dims, made->n_dims, i);

        map[i] = value->columns ? value->columns[place] : (uint32_t)place;
    }
    *columns = map;
    return HBS_OK;
}

/* A constant's number for each item of the result. */
static hbs_status numbers_of(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value,
                             const hb_onnx_value *made, const double **numbers)
{
    const uint32_t *columns;
    double *to = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*to));

    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(hb_onnx_broadcast_columns(file, value, made, &columns));
    for (size_t i = 0; i < made->width; i++) {
        to[i] = value->numbers[columns ? columns[i] : i];
        if (value->type == HB_ONNX_INT64 && fabs(to[i]) >= 9007199254740992.0)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it has an integer beyond 2^53");
    }
    *numbers = to;
    return HBS_OK;
}

static hbs_status combine_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function,
                                  const operands *o, const double **made)
{
    double *to = hb_arena_array(&file->pipeline->arena, o->made.width, sizeof(*to));
    const double *x, *y;

    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(numbers_of(file, node, &o->of[0], &o->made, &x));
    HB_TRY(numbers_of(file, node, &o->of[1], &o->made, &y));
    for (size_t i = 0; i < o->made.width; i++) {
        to[i] = hb_combine_numbers(function, hb_onnx_rounding(o->made.type), x[i], y[i]);
        HB_TRY(hb_onnx_check_integer(file, node, o->made.type, to[i]));
    }
    *made = to;
    return HBS_OK;
}

static hbs_status combine_constants(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function,
                                    operands *o)
{
    operands many = *o;

    HB_TRY(combine_numbers(file, node, function, o, &o->made.numbers));
    for (size_t k = 0; k < 2; k++)
        many.of[k].numbers = o->of[k].of_many ? o->of[k].of_many : o->of[k].numbers;
    if (o->of[0].of_many || o->of[1].of_many)
        HB_TRY(combine_numbers(file, node, function, &many, &o->made.of_many));
    o->made.form = HB_ONNX_CONSTANT;
    return hb_onnx_give(file, node, 0, &o->made);
}

static hbs_status combine_rows(hb_onnx_file *file, const hb_onnx_node *node, hb_fit_combine *fit, operands *o,
                               size_t *value)
{
    const hb_onnx_value *a = &o->of[0], *b = &o->of[1];
    uint32_t inputs[2];

    fit->n_outputs = o->made.width;
    if (a->form == HB_ONNX_CONSTANT || b->form == HB_ONNX_CONSTANT) {
        const hb_onnx_value *constant = a->form == HB_ONNX_CONSTANT ? a : b, *rows = constant == a ? b : a;

        HB_TRY(numbers_of(file, node, constant, &o->made, &fit->numbers));
        HB_TRY(hb_onnx_broadcast_columns(file, rows, &o->made, &fit->first));
        fit->numbers_first = constant == a;
        *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, hb_onnx_wide_source(file, rows), fit);
        return HBS_OK;
    }
    HB_TRY(hb_onnx_broadcast_columns(file, a, &o->made, &fit->first));
    HB_TRY(hb_onnx_broadcast_columns(file, b, &o->made, &fit->second));
    inputs[0] = (uint32_t)hb_onnx_wide_source(file, a);
    inputs[1] = (uint32_t)hb_onnx_wide_source(file, b);
    *value = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, inputs, 2, fit);
    return HBS_OK;
}

/* True of functions that make no integer larger than both of theirs. */
static bool is_exact(hb_combine_function function)
{
    return function != HB_COMBINE_ADD && function != HB_COMBINE_SUBTRACT && function != HB_COMBINE_MULTIPLY &&
           function != HB_COMBINE_POWER;
}

static bool divides(hb_combine_function function)
{
    return function == HB_COMBINE_DIVIDE_WHOLE || function == HB_COMBINE_MODULO || function == HB_COMBINE_REMAINDER;
}

/* True of numbers to the power of 2, which is the product that ONNX Runtime computes too. */
static bool is_square(hb_combine_function function, const operands *o)
{
    const hb_onnx_value *power = &o->of[1];

    return function == HB_COMBINE_POWER && power->form == HB_ONNX_CONSTANT && power->width == 1 && power->n_dims <= 1 &&
           hb_onnx_item(power, 0) == 2 && (o->made.type == HB_ONNX_FLOAT || o->made.type == HB_ONNX_DOUBLE);
}

/* `type` 0: that of the inputs. */
static hbs_status combine(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function, int64_t type,
                          operands *o)
{
    hb_fit_combine fit = {.function = function};
    size_t value;

    if (o->of[0].type != o->of[1].type && function != HB_COMBINE_POWER)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its inputs are of two types");
    o->made = (hb_onnx_value){.type = type ? type : o->of[0].type};
    HB_TRY(hb_onnx_broadcast(file, node, &o->of[0], &o->of[1], &o->made));
    if (o->of[0].form == HB_ONNX_CONSTANT && o->of[1].form == HB_ONNX_CONSTANT)
        return combine_constants(file, node, function, o);
    if (is_square(function, o))
        return give_mapped(file, node, o->of[0], o->made.type, HB_MAP_SQUARE, 0, 0);
    fit.rounding = is_exact(function) ? hb_onnx_exact_rounding(o->made.type) : hb_onnx_rounding(o->made.type);
    HB_TRY(combine_rows(file, node, &fit, o, &value));
    if (!type && o->made.type != HB_ONNX_FLOAT && o->made.type != HB_ONNX_DOUBLE)
        HB_TRY(hb_onnx_guarded(file, node, divides(function) ? "divides an integer by 0" : HB_ONNX_TOO_LARGE,
                               o->made.width, &value));
    return hb_onnx_give_numbers(file, node, &o->made, value);
}

hbs_status hb_onnx_combine(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function,
                           const hb_onnx_value *a, const hb_onnx_value *b)
{
    operands o = {.of = {*a, *b}};

    return combine(file, node, function, 0, &o);
}

/* Comparisons and remainders stay within the range of any type of integers. */
static hbs_status read_operand(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_combine_function function,
                               int64_t type, hb_onnx_value *operand)
{
    bool stays = type == HB_ONNX_BOOL || function == HB_COMBINE_REMAINDER || function == HB_COMBINE_MODULO;

    if (stays && !hb_onnx_is_text(file, node, k))
        return hb_onnx_in_blocks(file, node, k, operand);
    return hb_onnx_each(file, node, k, operand);
}

static hbs_status combine_inputs(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function,
                                 int64_t type)
{
    operands o;

    HB_TRY(read_operand(file, node, 0, function, type, &o.of[0]));
    HB_TRY(read_operand(file, node, 1, function, type, &o.of[1]));
    if (function == HB_COMBINE_DIVIDE && (o.of[0].type == HB_ONNX_INT64 || o.of[0].type == HB_ONNX_INT32))
        function = HB_COMBINE_DIVIDE_WHOLE;
    return combine(file, node, function, type, &o);
}

#define COMBINED(name, function, type)                                      \
    hbs_status hb_onnx_##name(hb_onnx_file *file, const hb_onnx_node *node) \
    {                                                                       \
        return combine_inputs(file, node, function, type);                  \
    }

COMBINED(add, HB_COMBINE_ADD, 0)
COMBINED(sub, HB_COMBINE_SUBTRACT, 0)
COMBINED(div, HB_COMBINE_DIVIDE, 0)
COMBINED(pow, HB_COMBINE_POWER, 0)
COMBINED(less, HB_COMBINE_LESS, HB_ONNX_BOOL)
COMBINED(less_or_equal, HB_COMBINE_LESS_OR_EQUAL, HB_ONNX_BOOL)
COMBINED(greater, HB_COMBINE_GREATER, HB_ONNX_BOOL)
COMBINED(greater_or_equal, HB_COMBINE_GREATER_OR_EQUAL, HB_ONNX_BOOL)
COMBINED(and, HB_COMBINE_AND, HB_ONNX_BOOL)
COMBINED(or, HB_COMBINE_OR, HB_ONNX_BOOL)
COMBINED(xor, HB_COMBINE_XOR, HB_ONNX_BOOL)

/* A single 1 that adds no dimension. */
static bool is_one(const hb_onnx_value *factor, const hb_onnx_value *value)
{
    return factor->numbers && factor->width == 1 && factor->type == value->type && factor->n_dims <= value->n_dims &&
           hb_onnx_item(factor, 0) == 1;
}

/* onnxmltools multiplies LightGBM's probabilities by 1. They stay the model's own, which trees answer at once. */
hbs_status hb_onnx_mul(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);
    const hb_onnx_value *constant = hb_onnx_named(file, node->inputs[1]);
    hb_onnx_value factor;

    if (value && value->form == HB_ONNX_NUMBERS && (value->type == HB_ONNX_FLOAT || value->type == HB_ONNX_DOUBLE) &&
        constant && constant->form == HB_ONNX_CONSTANT) {
        HB_TRY(hb_onnx_each(file, node, 1, &factor));
        if (is_one(&factor, value))
            return hb_onnx_give(file, node, 0, value);
    }
    return combine_inputs(file, node, HB_COMBINE_MULTIPLY, 0);
}

hbs_status hb_onnx_equal(hb_onnx_file *file, const hb_onnx_node *node)
{
    if (hb_onnx_is_text(file, node, 0) && hb_onnx_is_text(file, node, 1))
        return hb_onnx_equal_texts(file, node);
    return combine_inputs(file, node, HB_COMBINE_EQUAL, HB_ONNX_BOOL);
}

hbs_status hb_onnx_mod(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t as_c;

    HB_TRY(hb_onnx_integer(file, node, "fmod", 0, &as_c));
    return combine_inputs(file, node, as_c ? HB_COMBINE_REMAINDER : HB_COMBINE_MODULO, 0);
}

/* ---- Binarizer */

/* 1 where x > threshold, else 0. */
hbs_status hb_onnx_binarizer(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_attribute *threshold;
    double number;
    operands o;

    HB_TRY(hb_onnx_operand(file, node, 0, &o.of[0]));
    HB_TRY(hb_onnx_attribute_find(file, node, "threshold", HB_ONNX_KIND_FLOAT, &threshold));
    number = threshold ? (double)threshold->number : 0;
    o.of[1] =
        (hb_onnx_value){.form = HB_ONNX_CONSTANT, .type = o.of[0].type, .row = -1, .width = 1, .numbers = &number};
    return combine(file, node, HB_COMBINE_GREATER, o.of[0].type, &o);
}

/* ---- any number of tensors, from the left */

static hbs_status combine_all(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function)
{
    operands o;
    hb_onnx_value *made = hb_onnx_named(file, node->outputs[0]);

    HB_TRY(hb_onnx_operand(file, node, 0, &o.of[0]));
    if (node->n_inputs == 1)
        return hb_onnx_give(file, node, 0, &o.of[0]);
    if (!made)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its output has no name");
    for (size_t k = 1; k < node->n_inputs; k++) {
        HB_TRY(hb_onnx_operand(file, node, k, &o.of[1]));
        HB_TRY(combine(file, node, function, 0, &o));
        o.of[0] = *made;
    }
    return HBS_OK;
}

hbs_status hb_onnx_sum(hb_onnx_file *file, const hb_onnx_node *node)
{
    return combine_all(file, node, HB_COMBINE_ADD);
}

hbs_status hb_onnx_max(hb_onnx_file *file, const hb_onnx_node *node)
{
    return combine_all(file, node, HB_COMBINE_MAXIMUM);
}

hbs_status hb_onnx_min(hb_onnx_file *file, const hb_onnx_node *node)
{
    return combine_all(file, node, HB_COMBINE_MINIMUM);
}

/* ---- one of two */

/* Operand k of a Where: numbers of the file, or one more input of just these columns. */
static hbs_status choose_operand(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value,
                                 const hb_onnx_value *made, const double **numbers, uint32_t *inputs, size_t *n)
{
    hb_onnx_value all = *value;

    if (value->form == HB_ONNX_CONSTANT)
        return numbers_of(file, node, value, made, numbers);
    HB_TRY(hb_onnx_broadcast_columns(file, value, made, &all.columns));
    all.width = made->width;
    inputs[(*n)++] = (uint32_t)hb_onnx_wide(file, &all);
    return HBS_OK;
}

hbs_status hb_onnx_choose_known(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value of[3],
                                hb_onnx_value *made)
{
    hbs_status status;
    uint32_t *map = hb_onnx_columns(file, made->width, &status);

    HB_TRY(status);
    for (size_t i = 0; i < made->width; i++) {
        size_t place = hb_onnx_broadcast_place(&of[0], made->dims, made->n_dims, i);
        bool yes = of[0].numbers[of[0].columns ? of[0].columns[place] : place] != 0;
        size_t item = hb_onnx_broadcast_place(&of[yes ? 1 : 2], made->dims, made->n_dims, i);

        map[i] = (uint32_t)(yes ? item : of[1].width + item);
    }
    HB_TRY(hb_onnx_pick(file, node, of + 1, 2, map, made));
    return hb_onnx_give(file, node, 0, made);
}

hbs_status hb_onnx_where(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value of[3], both = {0}, made = {0};
    hb_fit_choose fit = {0};
    const double *unused = NULL;
    uint32_t inputs[3];
    size_t n = 0;

    if (hb_onnx_is_text(file, node, 1) && hb_onnx_is_text(file, node, 2))
        return hb_onnx_choose_texts(file, node);
    for (size_t k = 0; k < 3; k++)
        HB_TRY(hb_onnx_each(file, node, k, &of[k]));
    if (of[1].type != of[2].type)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its operands are of two types");
    both.type = made.type = of[1].type;
    HB_TRY(hb_onnx_broadcast(file, node, &of[1], &of[2], &both));
    HB_TRY(hb_onnx_broadcast(file, node, &of[0], &both, &made));
    if (of[0].form == HB_ONNX_CONSTANT)
        return hb_onnx_choose_known(file, node, of, &made);
    HB_TRY(choose_operand(file, node, &of[0], &made, &unused, inputs, &n));
    HB_TRY(choose_operand(file, node, &of[1], &made, &fit.yes, inputs, &n));
    HB_TRY(choose_operand(file, node, &of[2], &made, &fit.no, inputs, &n));
    fit.n_outputs = made.width;
    return hb_onnx_give_numbers(file, node, &made,
                                hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE, inputs, n, &fit));
}

/* ---- Cast of numbers */

/* A classifier's numbers stay what they are. */
static hbs_status cast_floats(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, int64_t to)
{
    hb_onnx_value *given;

    HB_TRY(give_mapped(file, node, value, to, HB_MAP_SAME, 0, 0));
    given = node->n_outputs > 0 ? hb_onnx_named(file, node->outputs[0]) : NULL;
    if (given) {
        given->meaning = value.meaning;
        given->model = value.model;
        given->classes = value.classes;
        given->n_classes = value.n_classes;
    }
    return HBS_OK;
}

/* To an integer towards 0; what is none becomes infinite, and the row has no result. */
hbs_status hb_onnx_cast_numbers(hb_onnx_file *file, const hb_onnx_node *node, int64_t to)
{
    bool whole = to == HB_ONNX_INT64 || to == HB_ONNX_INT32;
    hb_onnx_value value;
    char buffer[32];
    size_t made;

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
    if (value.type == to)
        return hb_onnx_give(file, node, 0, &value);
    if (!whole && to != HB_ONNX_BOOL && to != HB_ONNX_FLOAT && to != HB_ONNX_DOUBLE)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads no casts of numbers to %s yet",
                              hb_onnx_type_name(to, buffer));
    if (!whole && to != HB_ONNX_BOOL && value.form == HB_ONNX_NUMBERS &&
        (value.type == HB_ONNX_FLOAT || value.type == HB_ONNX_DOUBLE))
        return cast_floats(file, node, value, to);
    if (to == HB_ONNX_BOOL || !whole || value.type == HB_ONNX_BOOL)
        return give_mapped(file, node, value, to, to == HB_ONNX_BOOL ? HB_MAP_TRUTH : HB_MAP_SAME, 0, 0);
    if (value.form == HB_ONNX_CONSTANT)
        return give_mapped(file, node, value, to, HB_MAP_TRUNCATE, 0, 0);
    made = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, hb_onnx_wide(file, &value),
                           &(hb_fit_map){.function = HB_MAP_TRUNCATE, .rounding = hb_onnx_exact_rounding(to)});
    value.type = to;
    HB_TRY(hb_onnx_guarded(file, node, "makes no integer of a number that is missing, infinite or beyond 2^53",
                           value.width, &made));
    return hb_onnx_give_numbers(file, node, &value, made);
}
