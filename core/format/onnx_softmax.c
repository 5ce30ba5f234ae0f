/* onnx_softmax.c - Softmax, LogSoftmax and LpNormalization: numbers along an axis, beside others of the same axis. */
#include "format/onnx_groups.h"

/* ---- softmax */

/* Before version 13 all axes from `axis` on are one. */
static hbs_status softmax_axes(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_reduction *r)
{
    bool flat = file->opset > 0 && file->opset < 13;
    int64_t axis;
    size_t place;

    HB_TRY(hb_onnx_each(file, node, 0, &r->value));
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
    hb_onnx_groups g = {.r = *r};
    size_t x, rest, sum;

    if (r->value.form != HB_ONNX_NUMBERS || (r->value.type != HB_ONNX_FLOAT && r->value.type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers");
    HB_TRY(hb_onnx_group(file, &g));
    x = hb_onnx_wide(file, &g.r.value);
    rest = hb_onnx_combined(file, &g, HB_COMBINE_SUBTRACT, HB_ROUND_NONE, x,
                            hb_onnx_reduced(file, &g, HB_REDUCE_MAXIMUM, x));
    x = hb_onnx_mapped(file, HB_MAP_EXP, rest);
    sum = hb_onnx_reduced(file, &g, HB_REDUCE_SUM, x);
    return hb_onnx_give_groups(
        file, node, &g, &r->value,
        is_log ? hb_onnx_combined(file, &g, HB_COMBINE_SUBTRACT, rounding, rest, hb_onnx_mapped(file, HB_MAP_LOG, sum))
               : hb_onnx_combined(file, &g, HB_COMBINE_DIVIDE, rounding, x, sum));
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
    hb_onnx_groups g = {.n_terms = 0};
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
    HB_TRY(hb_onnx_group(file, &g));
    x = hb_onnx_wide(file, &g.r.value);
    norm = hb_onnx_reduced(file, &g, p == 1 ? HB_REDUCE_SUM_OF_MAGNITUDES : HB_REDUCE_LENGTH, x);
    is_zero = hb_onnx_mapped(file, HB_MAP_NOT, norm);
    norm =
        hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, (const uint32_t[2]){(uint32_t)norm, (uint32_t)is_zero},
                           2, &(hb_fit_combine){.function = HB_COMBINE_ADD, .n_outputs = shape.width / g.n_terms});
    return hb_onnx_give_groups(file, node, &g, &shape,
                               hb_onnx_combined(file, &g, HB_COMBINE_DIVIDE, hb_onnx_rounding(shape.type), x, norm));
}
