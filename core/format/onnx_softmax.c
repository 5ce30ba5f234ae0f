/* onnx_softmax.c - Softmax, LogSoftmax and LpNormalization: numbers along an axis, beside others of the same axis. */
#include <string.h>

#include "format/onnx.h"

/* ---- numbers of a group with one number of the group */

typedef struct groups {
    hb_onnx_reduction r;
    size_t n_terms;
    uint32_t *order, *of; /* of: [items] the group of each; NULL: see hb_onnx_group_items */
} groups;

static hbs_status group(hb_onnx_file *file, groups *g)
{
    hbs_status status;

    HB_TRY(hb_onnx_group_items(file, &g->r, &g->n_terms, &g->order));
    g->of = hb_onnx_columns(file, g->r.value.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < g->r.value.width; i++)
        g->of[i] = (uint32_t)(i / g->n_terms);
    return HBS_OK;
}

static size_t reduced(hb_onnx_file *file, const groups *g, hb_reduce_function function, size_t value)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, value,
                           &(hb_fit_reduce){function, HB_ROUND_NONE, g->n_terms});
}

static size_t combined(hb_onnx_file *file, const groups *g, hb_combine_function function, hb_rounding rounding,
                       size_t items, size_t of_group)
{
    const uint32_t inputs[2] = {(uint32_t)items, (uint32_t)of_group};

    return hb_pipeline_add_of(
        file->pipeline, HB_OPERATOR_COMBINE, inputs, 2,
        &(hb_fit_combine){.function = function, .rounding = rounding, .n_outputs = g->r.value.width, .second = g->of});
}

static size_t mapped(hb_onnx_file *file, hb_map_function function, size_t value)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value, &(hb_fit_map){.function = function});
}

/* Gives the numbers, which are in the order of the groups. */
static hbs_status give(hb_onnx_file *file, const hb_onnx_node *node, const groups *g, const hb_onnx_value *shape,
                       size_t value)
{
    hb_onnx_value made = *shape, *given;
    hbs_status status;
    uint32_t *back;

    HB_TRY(hb_onnx_give_numbers(file, node, &made, value));
    given = node->n_outputs > 0 ? hb_onnx_named(file, node->outputs[0]) : NULL;
    if (!given || !g->order)
        return HBS_OK;
    back = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < made.width; i++)
        back[g->order[i]] = (uint32_t)i;
    given->columns = back;
    return HBS_OK;
}

/* ---- softmax */

/* Before version 13 all axes from `axis` on are one. */
static hbs_status softmax_axes(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_reduction *r)
{
    bool flat = file->opset > 0 && file->opset < 13;
    int64_t axis;
    size_t place;

    HB_TRY(hb_onnx_operand(file, node, 0, &r->value));
    HB_TRY(hb_onnx_integer(file, node, "axis", flat ? 1 : -1, &axis));
    HB_TRY(hb_onnx_axis(file, node, axis, r->value.n_dims, &place));
    r->axes = flat ? ~((1u << place) - 1) & ((1u << r->value.n_dims) - 1) : 1u << place;
    r->keep = 1;
    return hb_onnx_check_reduction(file, node, r);
}

/* In float64, of which each result rounds once. */
static hbs_status softmax_of_any(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_reduction *r, bool is_log)
{
    hb_rounding rounding = hb_onnx_rounding(r->value.type);
    groups g = {.r = *r};
    size_t x, rest, sum;

    if (r->value.form != HB_ONNX_NUMBERS || (r->value.type != HB_ONNX_FLOAT && r->value.type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers");
    HB_TRY(group(file, &g));
    x = hb_onnx_wide(file, &g.r.value);
    rest = combined(file, &g, HB_COMBINE_SUBTRACT, HB_ROUND_NONE, x, reduced(file, &g, HB_REDUCE_MAXIMUM, x));
    x = mapped(file, HB_MAP_EXP, rest);
    sum = reduced(file, &g, HB_REDUCE_SUM, x);
    return give(file, node, &g, &r->value,
                is_log ? combined(file, &g, HB_COMBINE_SUBTRACT, rounding, rest, mapped(file, HB_MAP_LOG, sum))
                       : combined(file, &g, HB_COMBINE_DIVIDE, rounding, x, sum));
}

/* exp(x - largest) / sum of these; of all columns of a matrix by the operator of classifiers. */
hbs_status hb_onnx_softmax(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made;
    hb_onnx_reduction r;

    HB_TRY(softmax_axes(file, node, &r));
    if (!hb_onnx_is_of_all(&r) || r.value.form != HB_ONNX_NUMBERS ||
        (r.value.type != HB_ONNX_FLOAT && r.value.type != HB_ONNX_DOUBLE))
        return softmax_of_any(file, node, &r, false);
    made = r.value;
    HB_TRY(hb_onnx_give_numbers(
        file, node, &made,
        r.value.type == HB_ONNX_FLOAT
            ? hb_pipeline_add(file->pipeline, HB_OPERATOR_SOFTMAX32, hb_onnx_narrowed(file, &r.value), NULL)
            : hb_pipeline_add(file->pipeline, HB_OPERATOR_SOFTMAX, hb_onnx_wide(file, &r.value), NULL)));
    if (node->n_outputs > 0 && hb_onnx_named(file, node->outputs[0])) {
        hb_onnx_named(file, node->outputs[0])->is_float32 = r.value.type == HB_ONNX_FLOAT;
        hb_onnx_named(file, node->outputs[0])->meaning = HB_ONNX_PROBABILITIES;
    }
    return HBS_OK;
}

hbs_status hb_onnx_log_softmax(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_reduction r;

    HB_TRY(softmax_axes(file, node, &r));
    return softmax_of_any(file, node, &r, true);
}

/* ---- LpNormalization */

/* Divided by the sum of magnitudes or by the length; numbers that are all 0 stay. */
hbs_status hb_onnx_lp_normalization(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t axis, p;
    size_t place, x, norm, is_zero;
    groups g = {.n_terms = 0};
    hb_onnx_value shape;

    HB_TRY(hb_onnx_operand(file, node, 0, &shape));
    HB_TRY(hb_onnx_integer(file, node, "axis", -1, &axis));
    HB_TRY(hb_onnx_integer(file, node, "p", 2, &p));
    HB_TRY(hb_onnx_axis(file, node, axis, shape.n_dims, &place));
    if ((p != 1 && p != 2) || shape.form != HB_ONNX_NUMBERS ||
        (shape.type != HB_ONNX_FLOAT && shape.type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers, with p 1 or 2");
    g.r = (hb_onnx_reduction){.value = shape, .axes = 1u << place, .keep = 1};
    HB_TRY(hb_onnx_check_reduction(file, node, &g.r));
    HB_TRY(group(file, &g));
    x = hb_onnx_wide(file, &g.r.value);
    norm = reduced(file, &g, p == 1 ? HB_REDUCE_SUM_OF_MAGNITUDES : HB_REDUCE_LENGTH, x);
    is_zero = mapped(file, HB_MAP_NOT, norm);
    norm =
        hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, (const uint32_t[2]){(uint32_t)norm, (uint32_t)is_zero},
                           2, &(hb_fit_combine){.function = HB_COMBINE_ADD, .n_outputs = shape.width / g.n_terms});
    return give(file, node, &g, &shape, combined(file, &g, HB_COMBINE_DIVIDE, hb_onnx_rounding(shape.type), x, norm));
}
