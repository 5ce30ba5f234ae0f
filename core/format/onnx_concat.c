/* onnx_concat.c - items of several tensors. Columns of one value of the pipeline are only put in another order;
 * constants beside numbers of the row become columns. */
#include <string.h>

#include "format/onnx.h"

/* ---- items of several tensors */

/* True if all parts are columns of one value of the pipeline: then the result is its columns in another order. */
static bool are_of_one(const hb_onnx_value *parts, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (parts[k].form != HB_ONNX_NUMBERS || parts[k].value != parts[0].value)
            return false;
    return true;
}

size_t hb_onnx_lifted(hb_onnx_file *file, const hb_onnx_value *part, const hb_onnx_value *rows)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, part->width, sizeof(*numbers));
    uint32_t *zeros = hb_arena_array(&file->pipeline->arena, part->width, sizeof(*zeros));
    size_t some;

    if (!numbers || !zeros) {
        file->pipeline->graph.status = HBS_E_NOMEM;
        return 0;
    }
    for (size_t i = 0; i < part->width; i++)
        numbers[i] = hb_onnx_item(part, i);
    some = hb_pipeline_add(file->pipeline, HB_OPERATOR_SELECT, hb_onnx_wide_source(file, rows),
                           &(hb_fit_select){part->width, zeros});
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_CHOOSE, some, &(hb_fit_choose){part->width, numbers, numbers});
}

/* A value of the pipeline whose columns are those of all parts, one behind the other. */
static hbs_status join_values(hb_onnx_file *file, const hb_onnx_value *parts, size_t n, size_t *value)
{
    uint32_t *inputs = hb_arena_array(&file->arena, n, sizeof(*inputs));
    const hb_onnx_value *rows = NULL;
    size_t used = 0;

    if (!inputs)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t k = 0; k < n && !rows; k++)
        rows = parts[k].form == HB_ONNX_NUMBERS ? &parts[k] : NULL;
    for (size_t k = 0; k < n; k++)
        if (parts[k].width > 0)
            inputs[used++] = (uint32_t)(parts[k].form == HB_ONNX_NUMBERS ? hb_onnx_wide(file, &parts[k])
                                                                         : hb_onnx_lifted(file, &parts[k], rows));
    HB_TRY(hb_onnx_merge(file, inputs, &used));
    *value = used == 1 ? inputs[0] : hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CONCAT, inputs, used, NULL);
    return hb_graph_check(&file->pipeline->graph, file->error);
}

static hbs_status pick_constants(hb_onnx_file *file, const hb_onnx_value *parts, size_t n, const uint32_t *map,
                                 hb_onnx_value *made)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*numbers)), *all;
    double *of_many = hb_arena_array(&file->pipeline->arena, made->width, sizeof(*of_many)), *all_of_many;
    size_t total = 0, at = 0;
    bool grows = false;

    for (size_t k = 0; k < n; k++) {
        total += parts[k].width;
        grows = grows || parts[k].of_many;
    }
    all = hb_arena_array(&file->arena, total, sizeof(*all));
    all_of_many = hb_arena_array(&file->arena, total, sizeof(*all));
    if (!numbers || !of_many || !all || !all_of_many)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < parts[k].width; i++) {
            size_t place = parts[k].columns ? parts[k].columns[i] : i;

            all_of_many[at] = (parts[k].of_many ? parts[k].of_many : parts[k].numbers)[place];
            all[at++] = parts[k].numbers[place];
        }
    for (size_t i = 0; i < made->width; i++) {
        numbers[i] = all[map[i]];
        of_many[i] = all_of_many[map[i]];
    }
    made->form = HB_ONNX_CONSTANT;
    made->numbers = numbers;
    made->of_many = grows ? of_many : NULL;
    made->constant = NULL;
    made->columns = NULL;
    return hb_worked(file->bytes.work, 2 * (total + made->width), file->error);
}

/* Turns the map into columns of the one value that all parts are of, so that no column is copied. */
static hbs_status pick_columns(hb_onnx_file *file, const hb_onnx_value *parts, size_t n, uint32_t *map,
                               hb_onnx_value *made)
{
    size_t total = 0, at = 0;
    hbs_status status;
    uint32_t *all;

    for (size_t k = 0; k < n; k++)
        total += parts[k].width;
    all = hb_onnx_columns(file, total, &status);
    HB_TRY(status);
    for (size_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < parts[k].width; i++)
            all[at++] = parts[k].columns ? parts[k].columns[i] : i;
    for (size_t i = 0; i < made->width; i++)
        map[i] = all[map[i]];
    made->form = HB_ONNX_NUMBERS;
    made->value = parts[0].value;
    made->is_float32 = parts[0].is_float32;
    made->dictionaries = parts[0].dictionaries;
    made->columns = NULL;
    hb_onnx_take(made, map);
    return HBS_OK;
}

static bool is_in_order(const uint32_t *map, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (map[i] != i)
            return false;
    return true;
}

/* The parts become one value of the pipeline. */
static hbs_status pick_joined(hb_onnx_file *file, const hb_onnx_value *parts, size_t n, uint32_t *map,
                              hb_onnx_value *made)
{
    size_t value = 0, total = 0;

    HB_TRY(join_values(file, parts, n, &value));
    for (size_t k = 0; k < n; k++)
        total += parts[k].width;
    made->form = HB_ONNX_NUMBERS;
    made->value = value;
    made->constant = NULL;
    made->numbers = made->of_many = NULL;
    made->columns = NULL;
    made->is_float32 = false;
    made->model = NULL;
    made->place_of = NULL;
    made->n_classes = 0;
    made->meaning = HB_ONNX_PLAIN;
    if (total != made->width || !is_in_order(map, made->width))
        hb_onnx_take(made, map);
    return HBS_OK;
}

/* Texts of the row, and of the file, become codes. */
static hbs_status lift_parts(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *parts, size_t n)
{
    const hb_onnx_value *rows = NULL;

    for (size_t k = 0; k < n; k++)
        rows = parts[k].form == HB_ONNX_NUMBERS ? &parts[k] : rows;
    if (!rows)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore joins texts of the row only");
    for (size_t k = 0; k < n; k++) {
        if (parts[k].form == HB_ONNX_CONSTANT)
            HB_TRY(hb_onnx_lift_texts(file, &parts[k], rows));
        HB_TRY(hb_onnx_to_codes(file, &parts[k]));
    }
    return HBS_OK;
}

/* The same of texts, each of which stays of its dictionary. */
static hbs_status pick_texts(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *given, size_t n,
                             uint32_t *map, hb_onnx_value *made)
{
    size_t total = 0, at = 0;
    hb_onnx_value *parts;
    hbs_status status;
    uint32_t *of;

    parts = hb_arena_array(&file->arena, n, sizeof(*parts));
    if (!parts)
        return hb_no_memory(file->arena.memory, file->error);
    memcpy(parts, given, n * sizeof(*parts));
    HB_TRY(lift_parts(file, node, parts, n));
    for (size_t k = 0; k < n; k++)
        total += parts[k].width;
    of = hb_onnx_columns(file, total, &status);
    HB_TRY(status);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < parts[k].width; i++)
            of[at++] = hb_onnx_dictionary(&parts[k], i);
    HB_TRY(pick_joined(file, parts, n, map, made));
    made->dictionaries = of;
    return HBS_OK;
}

hbs_status hb_onnx_pick(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *parts, size_t n,
                        uint32_t *map, hb_onnx_value *made)
{
    bool all_constant = true;

    for (size_t k = 0; k < n; k++)
        all_constant = all_constant && parts[k].form == HB_ONNX_CONSTANT;
    if (are_of_one(parts, n))
        return pick_columns(file, parts, n, map, made);
    if (made->type == HB_ONNX_STRING)
        return pick_texts(file, node, parts, n, map, made);
    if (all_constant)
        return pick_constants(file, parts, n, map, made);
    return pick_joined(file, parts, n, map, made);
}

/* ---- Concat */

typedef struct joined {
    hb_onnx_value *parts; /* [n_inputs] */
    size_t axis, inner;   /* items behind the axis */
} joined;

/* Parts are equal in all dimensions but that of the axis. */
static hbs_status join_shapes(hb_onnx_file *file, const hb_onnx_node *node, joined *j, hb_onnx_value *made)
{
    int64_t dims[HB_ONNX_MAX_RANK], size = 0;
    size_t n_blocks = 0;

    *made = j->parts[0];
    memcpy(dims, made->dims, sizeof(dims));
    for (size_t k = 0; k < node->n_inputs; k++) {
        const hb_onnx_value *part = &j->parts[k];

        if (part->n_dims != made->n_dims || part->type != made->type)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "input %zu is of another type or rank than the first", k);
        for (size_t i = 0; i < part->n_dims; i++)
            if (i != j->axis && part->dims[i] != dims[i])
                return hb_onnx_refuse(file, node, HBS_E_FORMAT, "input %zu has another shape than the first", k);
        if (part->row >= 0 && made->row >= 0 && part->row != made->row)
            return hb_onnx_mixes_rows(file, node);
        n_blocks += part->row == (int)j->axis;
        made->row = part->row >= 0 ? part->row : made->row;
        size += part->dims[j->axis];
    }
    if (n_blocks > 0 && n_blocks != node->n_inputs)
        return hb_onnx_mixes_rows(file, node);
    made->blocks = n_blocks;
    j->inner = 1;
    for (size_t i = j->axis + 1; i < made->n_dims; i++)
        j->inner *= (size_t)dims[i];
    dims[j->axis] = size;
    return hb_onnx_reshape_value(file, node, made, dims, made->n_dims);
}

/* For each item of the result its place, where the parts stand one behind the other. */
static hbs_status join_columns(hb_onnx_file *file, const hb_onnx_node *node, const joined *j, size_t width,
                               uint32_t **map)
{
    size_t n = 0, begin = 0;
    hbs_status status;

    *map = hb_onnx_columns(file, width, &status);
    HB_TRY(status);
    while (n < width) {
        size_t at = 0;

        for (size_t k = 0; k < node->n_inputs; k++) {
            size_t run = (size_t)j->parts[k].dims[j->axis] * j->inner;

            for (size_t i = 0; i < run; i++)
                (*map)[n++] = (uint32_t)(at + begin * run + i);
            at += j->parts[k].width;
        }
        begin++;
    }
    return HBS_OK;
}

static hbs_status give_joined(hb_onnx_file *file, const hb_onnx_node *node, joined *j, int64_t axis)
{
    hb_onnx_value made;
    uint32_t *map;

    HB_TRY(hb_onnx_axis(file, node, axis, j->parts[0].n_dims, &j->axis));
    HB_TRY(join_shapes(file, node, j, &made));
    HB_TRY(join_columns(file, node, j, made.width, &map));
    HB_TRY(hb_onnx_pick(file, node, j->parts, node->n_inputs, map, &made));
    return hb_onnx_give(file, node, 0, &made);
}

static hbs_status read_parts(hb_onnx_file *file, const hb_onnx_node *node, joined *j)
{
    j->parts = hb_arena_array(&file->arena, node->n_inputs, sizeof(*j->parts));
    if (!j->parts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t k = 0; k < node->n_inputs; k++)
        HB_TRY(hb_onnx_is_text(file, node, k) ? hb_onnx_text_operand(file, node, k, &j->parts[k])
                                              : hb_onnx_moved(file, node, k, &j->parts[k]));
    return HBS_OK;
}

hbs_status hb_onnx_concat(hb_onnx_file *file, const hb_onnx_node *node)
{
    joined j;
    int64_t axis;

    HB_TRY(read_parts(file, node, &j));
    HB_TRY(hb_onnx_integer(file, node, "axis", file->opset && file->opset < 4 ? 1 : INT64_MAX, &axis));
    if (axis == INT64_MAX)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no axis");
    return give_joined(file, node, &j, axis);
}

/* ---- FeatureVectorizer */

/* Input k becomes a matrix of `size` columns: all its items behind the rows. */
static hbs_status make_matrix(hb_onnx_file *file, const hb_onnx_node *node, size_t k, int64_t size, hb_onnx_value *part)
{
    int64_t dims[2] = {part->n_dims > 1 ? part->dims[0] : 1, size};

    if (part->form == HB_ONNX_NOTHING || part->type == HB_ONNX_STRING)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "input %zu is not numbers", k);
    if (part->row > 0 || (part->row == 0 && part->n_dims == 1))
        return hb_onnx_mixes_rows(file, node);
    if (size < 1 || (size_t)(dims[0] * size) != part->width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "inputdimensions has %lld columns of input %zu, which has %zu",
                              (long long)size, k, dims[0] > 0 ? part->width / (size_t)dims[0] : 0);
    HB_TRY(hb_onnx_reshape_value(file, node, part, dims, 2));
    return hb_onnx_to_float32(file, part);
}

/* Matrices of any type side by side, in float32. */
hbs_status hb_onnx_feature_vectorizer(hb_onnx_file *file, const hb_onnx_node *node)
{
    const int64_t *sizes;
    size_t n;
    joined j;

    HB_TRY(read_parts(file, node, &j));
    HB_TRY(hb_onnx_integers(file, node, node->n_inputs, "inputdimensions", &sizes, &n));
    if (n != node->n_inputs)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "inputdimensions has %zu sizes for %zu inputs", n,
                              node->n_inputs);
    for (size_t k = 0; k < n; k++)
        HB_TRY(make_matrix(file, node, k, sizes[k], &j.parts[k]));
    return give_joined(file, node, &j, 1);
}
