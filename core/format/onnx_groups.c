/* onnx_groups.c - see onnx_groups.h. */
#include "format/onnx_groups.h"

hbs_status hb_onnx_group(hb_onnx_file *file, hb_onnx_groups *g)
{
    hbs_status status;

    HB_TRY(hb_onnx_group_items(file, &g->r, &g->n_terms, &g->order));
    g->of = hb_onnx_columns(file, g->r.value.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < g->r.value.width; i++)
        g->of[i] = (uint32_t)(i / g->n_terms);
    return HBS_OK;
}

size_t hb_onnx_reduced(hb_onnx_file *file, const hb_onnx_groups *g, hb_reduce_function function, size_t items)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, items,
                           &(hb_fit_reduce){function, HB_ROUND_NONE, g->n_terms});
}

size_t hb_onnx_combined(hb_onnx_file *file, const hb_onnx_groups *g, hb_combine_function function, hb_rounding rounding,
                        size_t items, size_t of_group)
{
    const uint32_t inputs[2] = {(uint32_t)items, (uint32_t)of_group};

    return hb_pipeline_add_of(
        file->pipeline, HB_OPERATOR_COMBINE, inputs, 2,
        &(hb_fit_combine){.function = function, .rounding = rounding, .n_outputs = g->r.value.width, .second = g->of});
}

size_t hb_onnx_mapped(hb_onnx_file *file, hb_map_function function, size_t value)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value, &(hb_fit_map){.function = function});
}

size_t hb_onnx_standardized(hb_onnx_file *file, const hb_onnx_groups *g, double epsilon, size_t *mean,
                            size_t *deviation)
{
    size_t x = hb_onnx_wide(file, &g->r.value), rest, square, variance;

    *mean = hb_onnx_reduced(file, g, HB_REDUCE_MEAN, x);
    rest = hb_onnx_combined(file, g, HB_COMBINE_SUBTRACT, HB_ROUND_NONE, x, *mean);
    square =
        hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, (const uint32_t[2]){(uint32_t)rest, (uint32_t)rest}, 2,
                           &(hb_fit_combine){.function = HB_COMBINE_MULTIPLY, .n_outputs = g->r.value.width});
    variance = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, hb_onnx_reduced(file, g, HB_REDUCE_MEAN, square),
                               &(hb_fit_map){.function = HB_MAP_LINEAR, .numbers = {1, epsilon}});
    *deviation = hb_onnx_mapped(file, HB_MAP_SQUARE_ROOT, variance);
    return hb_onnx_combined(file, g, HB_COMBINE_DIVIDE, HB_ROUND_NONE, rest, *deviation);
}

hbs_status hb_onnx_give_groups(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_groups *g,
                               const hb_onnx_value *shape, size_t items)
{
    hb_onnx_value made = *shape, *given;
    hbs_status status;
    uint32_t *back;

    HB_TRY(hb_onnx_give_numbers(file, node, &made, items));
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
