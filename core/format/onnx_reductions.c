/* onnx_reductions.c - operators that make one number of several: sums, extremes and their places. Never over the rows.
 */
#include <string.h>

#include "base/arithmetic64.h"
#include "format/onnx.h"

/* ---- axes */

static hbs_status read_axes(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_reduction *r)
{
    const int64_t *axes;
    int64_t none;
    size_t n, axis;

    HB_TRY(hb_onnx_each(file, node, 0, &r->value));
    HB_TRY(hb_onnx_integers(file, node, 1, "axes", &axes, &n));
    HB_TRY(hb_onnx_integer(file, node, "keepdims", 1, &r->keep));
    HB_TRY(hb_onnx_integer(file, node, "noop_with_empty_axes", 0, &none));
    r->axes = 0;
    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_onnx_axis(file, node, axes[i], r->value.n_dims, &axis));
        r->axes |= 1u << axis;
    }
    if (n == 0 && !none)
        r->axes = (1u << r->value.n_dims) - 1;
    return HBS_OK;
}

hbs_status hb_onnx_check_reduction(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_reduction *r)
{
    if (r->value.row >= 0 && r->axes >> r->value.row & 1)
        return hb_onnx_mixes_rows(file, node);
    return HBS_OK;
}

hbs_status hb_onnx_group_items(hb_onnx_file *file, hb_onnx_reduction *r, size_t *n_terms, uint32_t **order)
{
    int64_t dims[HB_ONNX_MAX_RANK], steps[HB_ONNX_MAX_RANK], step = 1, from[HB_ONNX_MAX_RANK];
    hb_onnx_value grouped = r->value;
    hbs_status status;
    size_t n = 0, moved = 0;
    uint32_t *map;

    *n_terms = 1;
    for (size_t i = r->value.n_dims; i-- > 0; step *= r->value.dims[i])
        steps[i] = step;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->value.n_dims; i++)
            if ((int)(r->axes >> i & 1) == pass) {
                dims[n] = r->value.dims[i];
                from[n++] = steps[i];
                *n_terms *= pass ? (size_t)r->value.dims[i] : 1;
            }
    map = hb_onnx_columns(file, grouped.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < grouped.width; i++) {
        size_t rest = i, place = 0;

        for (size_t axis = n; axis-- > 0; rest /= (size_t)dims[axis])
            place += rest % (size_t)dims[axis] * (size_t)from[axis];
        map[i] = (uint32_t)place;
        moved += place != i;
    }
    *order = NULL;
    if (!moved) {
        r->value = grouped;
        return HBS_OK;
    }
    *order = hb_onnx_columns(file, grouped.width, &status);
    HB_TRY(status);
    memcpy(*order, map, grouped.width * sizeof(*map));
    hb_onnx_take(&grouped, map);
    r->value = grouped;
    return HBS_OK;
}

static hbs_status reduced_shape(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_reduction *r,
                                hb_onnx_value *made)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    int row = -1;
    size_t n = 0;

    for (size_t i = 0; i < r->value.n_dims; i++) {
        bool goes = r->axes >> i & 1;

        row = (int)i == r->value.row ? (int)n : row;
        if (!goes || r->keep)
            dims[n++] = goes ? 1 : r->value.dims[i];
    }
    HB_TRY(hb_onnx_reshape_value(file, node, made, dims, n));
    made->row = row;
    made->blocks = r->value.blocks;
    made->lanes = r->value.lanes;
    return HBS_OK;
}

static hbs_status reduce_constant(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_reduction *r,
                                  const hb_fit_reduce *fit, hb_onnx_value *made)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*numbers));
    double *terms = hb_arena_array(&file->arena, fit->n_terms, sizeof(*terms));
    const hb_onnx_value *from = &r->value;

    if (!numbers || !terms)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t o = 0; o < made->width; o++) {
        for (size_t i = 0; i < fit->n_terms; i++) {
            size_t place = o * fit->n_terms + i;

            terms[i] = hb_onnx_item(from, place);
        }
        numbers[o] = hb_reduce_numbers(fit->function, fit->rounding, terms, fit->n_terms);
        HB_TRY(hb_onnx_check_integer(file, node, made->type, numbers[o]));
    }
    made->form = HB_ONNX_CONSTANT;
    made->numbers = numbers;
    return hb_worked(file->bytes.work, 4 * from->width + made->width, file->error);
}

static hbs_status reduce(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_reduction *r,
                         hb_reduce_function function, int64_t type, hb_onnx_value *made)
{
    bool exact = function == HB_REDUCE_MAXIMUM || function == HB_REDUCE_MINIMUM;
    hb_fit_reduce fit = {.function = function,
                         .rounding = exact ? hb_onnx_exact_rounding(type) : hb_onnx_rounding(type)};
    uint32_t *order;

    HB_TRY(hb_onnx_check_reduction(file, node, r));
    *made = (hb_onnx_value){.type = type};
    HB_TRY(reduced_shape(file, node, r, made));
    HB_TRY(hb_onnx_group_items(file, r, &fit.n_terms, &order));
    if (r->value.form == HB_ONNX_CONSTANT)
        return reduce_constant(file, node, r, &fit, made);
    made->value = hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, hb_onnx_wide(file, &r->value), &fit);
    return HBS_OK;
}

/* ---- the operators */

/* True of a function that gives a number by itself as it is. */
static bool keeps_one(hb_reduce_function function)
{
    return function == HB_REDUCE_SUM || function == HB_REDUCE_MEAN || function == HB_REDUCE_PRODUCT ||
           function == HB_REDUCE_MAXIMUM || function == HB_REDUCE_MINIMUM || function == HB_REDUCE_LOG_SUM_EXP;
}

/* A mean of integers is cut to one: their sum, divided. */
static hbs_status give_whole_mean(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_reduction *r)
{
    hb_onnx_value made, count = {.form = HB_ONNX_CONSTANT, .type = r->value.type, .row = -1, .width = 1};
    size_t width = r->value.width;
    double n;

    HB_TRY(reduce(file, node, r, HB_REDUCE_SUM, r->value.type, &made));
    if (made.width == 0)
        return hb_onnx_give(file, node, 0, &made);
    n = (double)(width / made.width);
    count.numbers = &n;
    if (made.form != HB_ONNX_CONSTANT) {
        HB_TRY(hb_onnx_guarded(file, node, HB_ONNX_TOO_LARGE, made.width, &made.value));
        hb_onnx_become(&made, made.value);
    }
    return hb_onnx_combine(file, node, HB_COMBINE_DIVIDE_WHOLE, &made, &count);
}

static hbs_status give_cut_constant(hb_onnx_file *file, const hb_onnx_node *node, const hb_fit_map *cut,
                                    hb_onnx_value *made)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*numbers));

    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < made->width; i++) {
        HB_TRY(hb_onnx_check_integer(file, node, made->type, made->numbers[i]));
        numbers[i] = hb_map_number(cut->function, cut->rounding, cut->numbers, made->numbers[i]);
    }
    made->numbers = numbers;
    HB_TRY(hb_worked(file->bytes.work, made->width, file->error));
    return hb_onnx_give(file, node, 0, made);
}

/* A length or a logarithm of integers is computed in float64 and cut to an integer, as in ONNX Runtime but for
 * ReduceLogSumExp, whose exponentials are cut one by one there. The logarithm
 * of 0 or less is none, and the row has no result. */
static hbs_status give_cut(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_reduction *r,
                           hb_reduce_function function)
{
    const hb_fit_map cut = {.function = HB_MAP_TRUNCATE, .rounding = hb_onnx_rounding(r->value.type)};
    int64_t type = r->value.type;
    hb_onnx_value made;

    HB_TRY(reduce(file, node, r, function, HB_ONNX_DOUBLE, &made));
    made.type = type;
    if (made.form == HB_ONNX_CONSTANT)
        return give_cut_constant(file, node, &cut, &made);
    made.value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, made.value, &cut);
    HB_TRY(hb_onnx_guarded(file, node, "makes no integer of a logarithm of 0 or less, or one of 2^53 or beyond",
                           made.width, &made.value));
    return hb_onnx_give_numbers(file, node, &made, made.value);
}

static hbs_status give_reduced(hb_onnx_file *file, const hb_onnx_node *node, hb_reduce_function function)
{
    hb_onnx_value made;
    hb_onnx_reduction r;
    int64_t type;
    bool whole;

    HB_TRY(read_axes(file, node, &r));
    type = r.value.type;
    whole = type == HB_ONNX_INT64 || type == HB_ONNX_INT32;
    if (r.axes == 0 && keeps_one(function))
        return hb_onnx_give(file, node, 0, &r.value);
    if (whole && function == HB_REDUCE_MEAN)
        return give_whole_mean(file, node, &r);
    if (whole && (function == HB_REDUCE_LENGTH || function == HB_REDUCE_LOG_SUM || function == HB_REDUCE_LOG_SUM_EXP))
        return give_cut(file, node, &r, function);
    HB_TRY(reduce(file, node, &r, function, type, &made));
    if (made.form == HB_ONNX_CONSTANT)
        return hb_onnx_give(file, node, 0, &made);
    if (whole)
        HB_TRY(hb_onnx_guarded(file, node, HB_ONNX_TOO_LARGE, made.width, &made.value));
    return hb_onnx_give_numbers(file, node, &made, made.value);
}

#define REDUCED(name, function)                                             \
    hbs_status hb_onnx_##name(hb_onnx_file *file, const hb_onnx_node *node) \
    {                                                                       \
        return give_reduced(file, node, function);                          \
    }

REDUCED(reduce_sum, HB_REDUCE_SUM)
REDUCED(reduce_mean, HB_REDUCE_MEAN)
REDUCED(reduce_prod, HB_REDUCE_PRODUCT)
REDUCED(reduce_max, HB_REDUCE_MAXIMUM)
REDUCED(reduce_min, HB_REDUCE_MINIMUM)
REDUCED(reduce_l1, HB_REDUCE_SUM_OF_MAGNITUDES)
REDUCED(reduce_l2, HB_REDUCE_LENGTH)
REDUCED(reduce_log_sum, HB_REDUCE_LOG_SUM)
REDUCED(reduce_log_sum_exp, HB_REDUCE_LOG_SUM_EXP)
REDUCED(reduce_sum_square, HB_REDUCE_SUM_OF_SQUARES)

bool hb_onnx_is_of_all(const hb_onnx_reduction *r)
{
    return r->value.row <= 0 && r->value.n_dims == 2 && r->value.dims[0] == 1 && r->axes == 2;
}

static hbs_status give_place(hb_onnx_file *file, const hb_onnx_node *node, bool most)
{
    hb_onnx_value made;
    int64_t axis, last;
    hb_onnx_value *of = NULL, *given;
    size_t place;
    hb_onnx_reduction r;

    HB_TRY(hb_onnx_operand(file, node, 0, &r.value));
    HB_TRY(hb_onnx_integer(file, node, "axis", 0, &axis));
    HB_TRY(hb_onnx_integer(file, node, "keepdims", 1, &r.keep));
    HB_TRY(hb_onnx_integer(file, node, "select_last_index", 0, &last));
    HB_TRY(hb_onnx_axis(file, node, axis, r.value.n_dims, &place));
    r.axes = 1u << place;
    if (most && !last && hb_onnx_is_of_all(&r)) {
        of = hb_arena_array(&file->arena, 1, sizeof(*of));
        if (!of)
            return hb_no_memory(file->arena.memory, file->error);
        *of = r.value;
    }
    HB_TRY(reduce(file, node, &r,
                  most   ? last ? HB_REDUCE_ARGMAX_LAST : HB_REDUCE_ARGMAX
                  : last ? HB_REDUCE_ARGMIN_LAST
                         : HB_REDUCE_ARGMIN,
                  HB_ONNX_INT64, &made));
    HB_TRY(hb_onnx_give_numbers(file, node, &made, made.value)); /* a constant has been refused */
    given = node->n_outputs > 0 ? hb_onnx_named(file, node->outputs[0]) : NULL;
    if (given)
        given->place_of = of;
    return HBS_OK;
}

hbs_status hb_onnx_argmax(hb_onnx_file *file, const hb_onnx_node *node)
{
    return give_place(file, node, true);
}

hbs_status hb_onnx_argmin(hb_onnx_file *file, const hb_onnx_node *node)
{
    return give_place(file, node, false);
}
