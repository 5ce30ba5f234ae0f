/* onnx_pad.c - Pad: items in front of a tensor's axes and behind them, each a constant or one of its own; pads below 0
 * take items away. */
#include <string.h>

#include "format/onnx.h"

typedef enum pad_mode { CONSTANT, EDGE, REFLECT, WRAP } pad_mode;

typedef struct padding {
    hb_onnx_value x, other; /* what stands beside the items */
    int64_t before[HB_ONNX_MAX_RANK], dims[HB_ONNX_MAX_RANK];
    pad_mode mode;
} padding;

enum { MOST = 1 << 20 /* items on one side */ };

static hbs_status read_mode(hb_onnx_file *file, const hb_onnx_node *node, padding *p)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text word;

    HB_TRY(hb_onnx_word(file, node, "mode", "constant", &word));
    p->mode = hb_text_is(word, "edge")      ? EDGE
              : hb_text_is(word, "reflect") ? REFLECT
              : hb_text_is(word, "wrap")    ? WRAP
                                            : CONSTANT;
    if (p->mode == CONSTANT && !hb_text_is(word, "constant"))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its mode is \"%s\"", HB_SHOW(word, shown));
    return HBS_OK;
}

static hbs_status pad_axis(hb_onnx_file *file, const hb_onnx_node *node, padding *p, size_t axis, int64_t before,
                           int64_t behind)
{
    if (before < -MOST || before > MOST || behind < -MOST || behind > MOST)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it pads an axis by %lld and %lld items", (long long)before,
                              (long long)behind);
    if ((before || behind) && (int)axis == p->x.row)
        return hb_onnx_mixes_rows(file, node);
    if (p->x.dims[axis] + before < 0 || p->x.dims[axis] + before + behind < 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it takes more items away than axis %zu has", axis);
    if (p->mode != CONSTANT && p->x.dims[axis] == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "axis %zu has no items to pad it by", axis);
    if (p->mode == WRAP && (before < 0 || behind < 0))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its mode is wrap, and it takes items away");
    p->before[axis] = before;
    p->dims[axis] = p->x.dims[axis] + before + behind;
    return HBS_OK;
}

/* For all axes, or for those that input 3 lists. */
static hbs_status read_pads(hb_onnx_file *file, const hb_onnx_node *node, padding *p)
{
    const int64_t *pads, *axes;
    size_t n, n_axes, axis;
    unsigned marks;

    HB_TRY(hb_onnx_integers(file, node, 1, "pads", &pads, &n));
    HB_TRY(hb_onnx_integers(file, node, 3, NULL, &axes, &n_axes));
    if (axes)
        HB_TRY(hb_onnx_axes(file, node, axes, n_axes, p->x.n_dims, &marks));
    else
        n_axes = p->x.n_dims;
    if (!pads || n != 2 * n_axes)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu pads for %zu axes", n, n_axes);
    memcpy(p->dims, p->x.dims, sizeof(p->dims));
    for (size_t i = 0; i < n_axes; i++) {
        HB_TRY(hb_onnx_axis(file, node, axes ? axes[i] : (int64_t)i, p->x.n_dims, &axis));
        HB_TRY(pad_axis(file, node, p, axis, pads[i], pads[n_axes + i]));
    }
    return HBS_OK;
}

/* The constant: input 2, an attribute of old versions, or 0. */
static hbs_status read_other(hb_onnx_file *file, const hb_onnx_node *node, padding *p)
{
    const hb_onnx_attribute *a;
    double *number = hb_arena_array(&file->pipeline->arena, 1, sizeof(*number));

    if (!number)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(hb_onnx_operand(file, node, 2, &p->other));
    if (p->other.form != HB_ONNX_NOTHING) {
        if (p->other.width != 1 || p->other.type != p->x.type)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it pads by %zu items of another tensor", p->other.width);
        return HBS_OK;
    }
    HB_TRY(hb_onnx_attribute_find(file, node, "value", HB_ONNX_KIND_FLOAT, &a));
    *number = a ? (double)a->number : 0;
    p->other = (hb_onnx_value){.form = HB_ONNX_CONSTANT, .type = p->x.type, .row = -1, .width = 1, .numbers = number};
    return HBS_OK;
}

/* The item of an axis of n that the padded axis has at `place`; -1: the constant. */
static int64_t item_at(const padding *p, size_t axis, int64_t place)
{
    int64_t n = p->x.dims[axis], at = place - p->before[axis], turn = 2 * (n - 1);

    if (at >= 0 && at < n)
        return at;
    if (p->mode == CONSTANT)
        return -1;
    if (p->mode == EDGE || n == 1)
        return at < 0 ? 0 : n - 1;
    if (p->mode == WRAP)
        return (at % n + n) % n;
    at = (at % turn + turn) % turn;
    return at < n ? at : turn - at;
}

/* The items in their new order; behind all of them stands the constant. */
static void find_items(const padding *p, const hb_onnx_value *made, uint32_t *map)
{
    for (size_t i = 0; i < made->width; i++) {
        size_t rest = i, step = 1, place = 0;
        bool other = false;

        for (size_t axis = made->n_dims; axis-- > 0; rest /= (size_t)made->dims[axis]) {
            int64_t at = item_at(p, axis, (int64_t)(rest % (size_t)made->dims[axis]));

            other |= at < 0;
            place += step * (size_t)(at < 0 ? 0 : at);
            step *= (size_t)p->x.dims[axis];
        }
        map[i] = (uint32_t)(other ? p->x.width : place);
    }
}

hbs_status hb_onnx_pad(hb_onnx_file *file, const hb_onnx_node *node)
{
    padding p = {.mode = CONSTANT};
    hb_onnx_value made;
    hbs_status status;
    uint32_t *map;

    HB_TRY(hb_onnx_operand(file, node, 0, &p.x));
    HB_TRY(read_mode(file, node, &p));
    HB_TRY(read_pads(file, node, &p));
    HB_TRY(read_other(file, node, &p));
    made = p.x;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, p.dims, p.x.n_dims));
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    find_items(&p, &made, map);
    HB_TRY(hb_onnx_pick(file, node, (hb_onnx_value[]){p.x, p.other}, p.mode == CONSTANT ? 2 : 1, map, &made));
    return hb_onnx_give(file, node, 0, &made);
}
