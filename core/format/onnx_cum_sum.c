/* onnx_cum_sum.c - CumSum: sums of the items up to each, along an axis. */
#include <string.h>

#include "format/onnx.h"

typedef struct running {
    hb_onnx_value value;
    size_t axis, before, behind; /* items before the axis, behind it */
    int64_t exclusive, reverse;
} running;

static hbs_status read_running(hb_onnx_file *file, const hb_onnx_node *node, running *r)
{
    const int64_t *axis;
    size_t n;

    HB_TRY(hb_onnx_operand(file, node, 0, &r->value));
    HB_TRY(hb_onnx_integers(file, node, 1, NULL, &axis, &n));
    HB_TRY(hb_onnx_integer(file, node, "exclusive", 0, &r->exclusive));
    HB_TRY(hb_onnx_integer(file, node, "reverse", 0, &r->reverse));
    if (!axis || n != 1)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has no axis");
    HB_TRY(hb_onnx_axis(file, node, axis[0], r->value.n_dims, &r->axis));
    if ((int)r->axis == r->value.row)
        return hb_onnx_mixes_rows(file, node);
    r->before = r->behind = 1;
    for (size_t i = 0; i < r->value.n_dims; i++)
        *(i < r->axis ? &r->before : &r->behind) *= i == r->axis ? 1 : (size_t)r->value.dims[i];
    return HBS_OK;
}

/* The items at one place of the axis. */
static hbs_status items_at(hb_onnx_file *file, const running *r, size_t place, hb_onnx_value *to)
{
    size_t size = (size_t)r->value.dims[r->axis], n = 0;
    hbs_status status;
    uint32_t *map = hb_onnx_columns(file, r->before * r->behind, &status);

    HB_TRY(status);
    for (size_t b = 0; b < r->before; b++)
        for (size_t i = 0; i < r->behind; i++)
            map[n++] = (uint32_t)((b * size + place) * r->behind + i);
    *to = r->value;
    to->dims[r->axis] = 1;
    to->width = n;
    hb_onnx_take(to, map);
    return HBS_OK;
}

/* parts[place]: the sums there; each is the one before it plus the next items. */
static hbs_status add_up(hb_onnx_file *file, const hb_onnx_node *node, const running *r, hb_onnx_value *parts)
{
    size_t size = (size_t)r->value.dims[r->axis];
    size_t width = r->before * r->behind;
    hb_onnx_value now = {.form = HB_ONNX_CONSTANT, .type = r->value.type, .row = -1, .width = width};

    now.numbers = hb_arena_array(&file->arena, width, sizeof(*now.numbers));
    if (!now.numbers)
        return hb_no_memory(file->arena.memory, file->error);
    now.n_dims = r->value.n_dims;
    memcpy(now.dims, r->value.dims, sizeof(now.dims));
    now.dims[r->axis] = 1;
    for (size_t i = 0; i < size; i++) {
        size_t place = r->reverse ? size - 1 - i : i;
        hb_onnx_value next;

        HB_TRY(items_at(file, r, place, &next));
        if (r->exclusive)
            parts[place] = now;
        if (i == 0 && !r->exclusive) {
            now = next;
        } else {
            HB_TRY(hb_onnx_combine(file, node, HB_COMBINE_ADD, &now, &next));
            now = *hb_onnx_named(file, node->outputs[0]);
        }
        if (!r->exclusive)
            parts[place] = now;
    }
    return HBS_OK;
}

hbs_status hb_onnx_cum_sum(hb_onnx_file *file, const hb_onnx_node *node)
{
    enum { MOST = 4096 };
    hb_onnx_value *parts, made;
    running r = {.axis = 0};
    hbs_status status;
    size_t size, n = 0;
    uint32_t *map;

    HB_TRY(read_running(file, node, &r));
    size = (size_t)r.value.dims[r.axis];
    if (size > MOST)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it adds up more than %d items", MOST);
    if (!hb_onnx_named(file, node->outputs[0]) || size == 0)
        return hb_onnx_give(file, node, 0, &r.value);
    parts = hb_arena_array(&file->arena, size, sizeof(*parts));
    map = hb_onnx_columns(file, r.value.width, &status);
    HB_TRY(status);
    if (!parts)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(add_up(file, node, &r, parts));
    for (size_t b = 0; b < r.before; b++)
        for (size_t place = 0; place < size; place++)
            for (size_t i = 0; i < r.behind; i++)
                map[n++] = (uint32_t)((place * r.before + b) * r.behind + i);
    made = r.value;
    HB_TRY(hb_onnx_pick(file, node, parts, size, map, &made));
    return hb_onnx_give(file, node, 0, &made);
}
