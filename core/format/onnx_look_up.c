/* onnx_look_up.c - items at places that depend on the row, of a constant or of the row's own numbers; and TopK, which
 * makes such places. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"

/* The numbers of a constant, in its order. Those of a vocabulary are not copied: they may be most of the file. */
static hbs_status table_of(hb_onnx_file *file, const hb_onnx_value *from, const double **numbers)
{
    double *to;

    *numbers = from->numbers;
    if (!from->columns)
        return HBS_OK;
    to = hb_arena_array(&file->pipeline->arena, from->width, sizeof(*to));
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < from->width; i++)
        to[i] = from->numbers[from->columns[i]];
    *numbers = to;
    return hb_worked(file->bytes.work, from->width, file->error);
}

/* True of places that an operator has found among items: they are there. */
static bool are_found(const hb_onnx_file *file, const hb_onnx_value *places)
{
    const hb_node *node = hb_node_at(&file->pipeline->graph, places->value);
    const hb_fit_reduce *reduce = node->fit;

    return node->kind == HB_OPERATOR_TOP_K ||
           (node->kind == HB_OPERATOR_REDUCE && reduce->function >= HB_REDUCE_ARGMAX);
}

/* True of items that are numbers in every row: then a missing number behind them is of a place that is none. */
static bool are_known(const hb_onnx_value *from)
{
    if (from->type == HB_ONNX_INT64 || from->type == HB_ONNX_INT32)
        return true;
    for (size_t i = 0; from->form == HB_ONNX_CONSTANT && i < from->width; i++)
        if (isnan(hb_onnx_item(from, i)))
            return false;
    return from->form == HB_ONNX_CONSTANT;
}

/* Refuses a row with a place that is none, by looking each place up among all: for items of which some may be missing.
 */
static hbs_status check_places(hb_onnx_file *file, const hb_onnx_node *node, size_t n_places, hb_onnx_value *places)
{
    double *all = hb_arena_array(&file->pipeline->arena, n_places, sizeof(*all));
    hb_fit_look_up fit = {
        .n_outputs = places->width, .n_places = n_places, .step = 1, .numbers = all, .n_numbers = n_places};
    hbs_status status;
    uint32_t *first;
    size_t value;

    first = hb_onnx_columns(file, places->width, &status);
    HB_TRY(status);
    if (!all)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < n_places; i++)
        all[i] = (double)i;
    memset(first, 0, places->width * sizeof(*first));
    fit.first = first;
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_LOOK_UP, hb_onnx_wide(file, places), &fit);
    HB_TRY(hb_onnx_guarded(file, node, "looks up a place that is none", places->width, &value));
    hb_onnx_become(places, value);
    return hb_worked(file->bytes.work, n_places, file->error);
}

hbs_status hb_onnx_look_up(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_places *p, hb_onnx_value *made)
{
    hb_fit_look_up fit = {
        .n_outputs = made->width, .n_places = p->n_places, .step = p->step, .first = p->first, .n_numbers = 0};
    hb_onnx_value places = *p->places;
    uint32_t inputs[2];
    bool found, known = are_known(p->from);
    size_t value;

    if (p->places->type != HB_ONNX_INT64 && p->places->type != HB_ONNX_INT32)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its places are no integers");
    if (made->type == HB_ONNX_STRING)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not look up texts at places of the row");
    if (p->n_places == 0 || made->width == 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it looks up items where there are none");
    HB_TRY(hb_graph_check(&file->pipeline->graph, file->error)); /* nodes are looked at */
    found = are_found(file, &places);
    if (!found && !known)
        HB_TRY(check_places(file, node, p->n_places, &places));
    places.width = made->width;
    hb_onnx_take(&places, p->map);
    inputs[1] = (uint32_t)hb_onnx_wide(file, &places);
    if (p->from->form == HB_ONNX_CONSTANT) {
        HB_TRY(table_of(file, p->from, &fit.numbers));
        fit.n_numbers = p->from->width;
        value = hb_pipeline_add(file->pipeline, HB_OPERATOR_LOOK_UP, inputs[1], &fit);
    } else {
        inputs[0] = (uint32_t)hb_onnx_wide(file, p->from);
        value = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_LOOK_UP, inputs, 2, &fit);
    }
    if (!found && known)
        HB_TRY(hb_onnx_guarded(file, node, "looks up a place that is none", made->width, &value));
    return hb_onnx_give_numbers(file, node, made, value);
}

/* ---- TopK */

typedef struct top {
    hb_onnx_reduction r;
    size_t axis, n_terms, k;
    uint32_t *order;
    int64_t largest;
} top;

/* The number of items is an attribute before version 10, else the second input. */
static hbs_status read_top(hb_onnx_file *file, const hb_onnx_node *node, top *t)
{
    const int64_t *k;
    int64_t axis, old;
    size_t n;

    HB_TRY(hb_onnx_operand(file, node, 0, &t->r.value));
    HB_TRY(hb_onnx_integers(file, node, 1, NULL, &k, &n));
    HB_TRY(hb_onnx_integer(file, node, "k", 0, &old));
    HB_TRY(hb_onnx_integer(file, node, "axis", -1, &axis));
    HB_TRY(hb_onnx_integer(file, node, "largest", 1, &t->largest));
    HB_TRY(hb_onnx_axis(file, node, axis, t->r.value.n_dims, &t->axis));
    old = k && n == 1 ? k[0] : old;
    if (old < 1 || old > t->r.value.dims[t->axis])
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it takes %lld of %lld items", (long long)old,
                              (long long)t->r.value.dims[t->axis]);
    t->k = (size_t)old;
    t->r.axes = 1u << t->axis;
    if (t->r.value.form != HB_ONNX_NUMBERS)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of the row's numbers");
    return hb_onnx_check_reduction(file, node, &t->r);
}

/* The columns of output k of the operator, in the order of the tensor: those of groups follow each other there. */
static hbs_status give_top(hb_onnx_file *file, const hb_onnx_node *node, const top *t, const hb_onnx_value *shape,
                           size_t value, size_t output)
{
    hb_onnx_value made = *shape;
    size_t inner = 1, first = output * made.width, before;
    hbs_status status;
    uint32_t *map = hb_onnx_columns(file, made.width, &status);

    HB_TRY(status);
    for (size_t i = t->axis + 1; i < made.n_dims; i++)
        inner *= (size_t)made.dims[i];
    for (size_t i = 0; i < made.width; i++) {
        before = i / (t->k * inner);
        map[i] = (uint32_t)(first + (before * inner + i % inner) * t->k + i / inner % t->k);
    }
    made.form = HB_ONNX_NUMBERS;
    made.type = output == 1 ? HB_ONNX_INT64 : made.type;
    made.value = value;
    made.is_float32 = false;
    made.numbers = NULL;
    made.columns = NULL;
    hb_onnx_take(&made, map);
    return hb_onnx_give(file, node, output, &made);
}

hbs_status hb_onnx_top_k(hb_onnx_file *file, const hb_onnx_node *node)
{
    top t = {.k = 0};
    int64_t dims[HB_ONNX_MAX_RANK];
    hb_onnx_value made;
    size_t value;

    HB_TRY(read_top(file, node, &t));
    made = t.r.value;
    made.place_of = NULL;
    made.model = NULL;
    made.meaning = HB_ONNX_PLAIN;
    HB_TRY(hb_onnx_group_items(file, &t.r, &t.n_terms, &t.order));
    memcpy(dims, made.dims, sizeof(dims));
    dims[t.axis] = (int64_t)t.k;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, made.n_dims));
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_TOP_K, hb_onnx_wide(file, &t.r.value),
                            &(hb_fit_top_k){t.n_terms, t.k, t.largest != 0});
    HB_TRY(give_top(file, node, &t, &made, value, 0));
    return give_top(file, node, &t, &made, value, 1);
}
