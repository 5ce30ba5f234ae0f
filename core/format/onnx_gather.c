/* onnx_gather.c - operators that take items of a tensor by their places. */
#include <math.h>
#include <string.h>

#include "format/onnx_elements.h"

/* Item i of the places, which are known, on an axis of this size; negative ones count from the end. */
static hbs_status place_at(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *places, size_t i,
                           int64_t size, int64_t *place)
{
    double number = hb_onnx_item(places, i);

    if (!(number >= (double)-size && number < (double)size))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "place %.17g of %lld", number, (long long)size);
    *place = (int64_t)(number < 0 ? number + (double)size : number);
    return HBS_OK;
}

/* ---- Gather */

typedef struct gather {
    hb_onnx_value from, places;
    size_t axis;
    int64_t outer, inner; /* items before the axis, behind it */
} gather;

static hbs_status gather_shape(hb_onnx_file *file, const hb_onnx_node *node, const gather *g, hb_onnx_value *made)
{
    int64_t dims[2 * HB_ONNX_MAX_RANK];
    size_t n = 0;

    for (size_t i = 0; i < g->axis; i++)
        dims[n++] = g->from.dims[i];
    for (size_t i = 0; i < g->places.n_dims; i++)
        dims[n++] = g->places.dims[i];
    for (size_t i = g->axis + 1; i < g->from.n_dims; i++)
        dims[n++] = g->from.dims[i];
    if (made->row > (int)g->axis)
        made->row += (int)g->places.n_dims - 1;
    return hb_onnx_reshape_value(file, node, made, dims, n);
}

static hbs_status gather_columns(hb_onnx_file *file, const hb_onnx_node *node, const gather *g, uint32_t *map)
{
    int64_t size = g->from.dims[g->axis];
    size_t n = 0;

    for (int64_t o = 0; o < g->outer; o++)
        for (size_t p = 0; p < g->places.width; p++) {
            int64_t place = 0;

            HB_TRY(place_at(file, node, &g->places, p, size, &place));
            for (int64_t i = 0; i < g->inner; i++)
                map[n++] = (uint32_t)((o * size + place) * g->inner + i);
        }
    return HBS_OK;
}

/* Places that the row has: each is looked up for all items before and behind the axis. */
static hbs_status gather_looked_up(hb_onnx_file *file, const hb_onnx_node *node, const gather *g, hb_onnx_value *made)
{
    size_t size = (size_t)g->from.dims[g->axis], inner = (size_t)g->inner, n = 0;
    hb_onnx_places p = {.from = &g->from, .places = &g->places, .n_places = size, .step = inner};
    hbs_status status;
    uint32_t *first;

    p.map = hb_onnx_columns(file, made->width, &status);
    HB_TRY(status);
    first = hb_onnx_columns(file, made->width, &status);
    HB_TRY(status);
    for (size_t o = 0; o < (size_t)g->outer; o++)
        for (size_t i = 0; i < g->places.width; i++)
            for (size_t k = 0; k < inner; k++) {
                p.map[n] = (uint32_t)i;
                first[n++] = (uint32_t)(o * size * inner + k);
            }
    p.first = first;
    if (g->from.row < 0)
        made->row = g->places.row < 0 ? -1 : g->places.row + (int)g->axis;
    made->lanes = g->places.lanes;
    made->blocks = g->places.blocks;
    return hb_onnx_look_up(file, node, &p, made);
}

/* The items of `from` at these places of an axis. */
static hbs_status give_gathered(hb_onnx_file *file, const hb_onnx_node *node, gather *g)
{
    hb_onnx_value made = g->from;
    hbs_status status;
    uint32_t *map;

    g->outer = g->inner = 1;
    for (size_t i = 0; i < g->from.n_dims; i++)
        *(i < g->axis ? &g->outer : &g->inner) *= i == g->axis ? 1 : g->from.dims[i];
    if ((int)g->axis == g->from.row)
        return hb_onnx_mixes_rows(file, node);
    HB_TRY(gather_shape(file, node, g, &made));
    if (!g->places.numbers)
        return gather_looked_up(file, node, g, &made);
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    HB_TRY(gather_columns(file, node, g, map));
    hb_onnx_take(&made, map);
    return hb_onnx_give(file, node, 0, &made);
}

/* Items of a constant at places that the row has: those of all rows follow each other on the last axis. If each row has
 * several, a Reshape takes them apart. `before`: places before those of a row. */
static hbs_status extract_for_rows(hb_onnx_file *file, const hb_onnx_node *node, gather *g, int64_t before)
{
    hb_onnx_value *given;

    if (before != 1)
        return hb_onnx_mixes_rows(file, node);
    HB_TRY(give_gathered(file, node, g));
    given = hb_onnx_named(file, node->outputs[0]);
    if (!given || given->width == 0)
        return HBS_OK;
    given->row = (int)given->n_dims - 1;
    given->lanes = g->places.width == 1 ? 0 : g->places.width;
    return HBS_OK;
}

/* Places as a list, on the last axis; a vector becomes a row. */
hbs_status hb_onnx_extract(hb_onnx_file *file, const hb_onnx_node *node)
{
    gather g = {.axis = 0};
    int64_t before = 1;
    bool has_rows;

    HB_TRY(hb_onnx_moved(file, node, 0, &g.from));
    HB_TRY(hb_onnx_operand(file, node, 1, &g.places));
    has_rows = g.places.row >= 0;
    if (g.from.n_dims == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it takes items of a tensor without dimensions");
    if (g.from.n_dims == 1) {
        g.from.dims[1] = g.from.dims[0];
        g.from.dims[0] = 1;
        g.from.n_dims = 2;
        g.from.row += g.from.row >= 0;
    }
    for (int i = 0; i < g.places.row; i++)
        before *= g.places.dims[i];
    g.places.dims[0] = (int64_t)g.places.width;
    g.places.n_dims = 1;
    g.places.row = -1;
    g.axis = g.from.n_dims - 1;
    if (has_rows && !g.places.numbers && g.from.row >= 0)
        return hb_onnx_mixes_rows(file, node);
    if (g.from.form != HB_ONNX_CONSTANT || g.places.numbers || !has_rows)
        return give_gathered(file, node, &g);
    return extract_for_rows(file, node, &g, before);
}

hbs_status hb_onnx_gather(hb_onnx_file *file, const hb_onnx_node *node)
{
    gather g = {.outer = 1, .inner = 1};
    int64_t axis;

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &g.from));
    HB_TRY(hb_onnx_each(file, node, 1, &g.places));
    HB_TRY(hb_onnx_integer(file, node, "axis", 0, &axis));
    HB_TRY(hb_onnx_axis(file, node, axis, g.from.n_dims, &g.axis));
    if (g.from.row >= 0 && (g.places.lanes || g.places.blocks ||
                            (!g.places.numbers && g.places.row >= 0))) /* each row's places of each row */
        return hb_onnx_mixes_rows(file, node);
    return give_gathered(file, node, &g);
}

/* With one place for each item it is Gather along the first axis. Before version 12 it has no batch_dims. */
hbs_status hb_onnx_gather_nd(hb_onnx_file *file, const hb_onnx_node *node)
{
    gather g = {.outer = 1, .inner = 1};
    int64_t batch;

    HB_TRY(hb_onnx_moved(file, node, 0, &g.from));
    HB_TRY(hb_onnx_each(file, node, 1, &g.places));
    HB_TRY(hb_onnx_integer(file, node, "batch_dims", 0, &batch));
    if (batch != 0 || g.places.n_dims == 0 || g.places.dims[g.places.n_dims - 1] != 1 || g.from.n_dims == 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it with one place for each item, along the first axis");
    g.places.n_dims--;
    if (g.from.row >= 0 && (g.places.lanes || g.places.blocks || (!g.places.numbers && g.places.row >= 0)))
        return hb_onnx_mixes_rows(file, node);
    return give_gathered(file, node, &g);
}

/* ---- one place for each item */

hbs_status hb_onnx_elements_read(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_elements *e)
{
    int64_t axis;

    HB_TRY(hb_onnx_moved(file, node, 0, &e->data));
    HB_TRY(hb_onnx_operand(file, node, 1, &e->places));
    HB_TRY(hb_onnx_integer(file, node, "axis", 0, &axis));
    HB_TRY(hb_onnx_axis(file, node, axis, e->data.n_dims, &e->axis));
    if (e->places.n_dims != e->data.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its places have %zu dimensions of %zu", e->places.n_dims,
                              e->data.n_dims);
    for (size_t i = 0; i < e->data.n_dims; i++)
        if (i != e->axis && e->places.dims[i] > e->data.dims[i])
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its places are wider than its data in dimension %zu", i);
    if ((int)e->axis == e->data.row)
        return hb_onnx_mixes_rows(file, node);
    return HBS_OK;
}

hbs_status hb_onnx_element_of(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_elements *e, size_t i,
                              uint32_t *item)
{
    size_t rest = i, step = 1, at = 0;

    for (size_t axis = e->data.n_dims; axis-- > 0; rest /= (size_t)e->places.dims[axis]) {
        int64_t index = (int64_t)(rest % (size_t)e->places.dims[axis]);

        if (axis == e->axis && !e->places.numbers)
            index = 0;
        else if (axis == e->axis)
            HB_TRY(place_at(file, node, &e->places, i, e->data.dims[axis], &index));
        at += (size_t)index * step;
        step *= (size_t)e->data.dims[axis];
    }
    *item = (uint32_t)at;
    return HBS_OK;
}

/* `first`: the item at place 0 of each. */
static hbs_status elements_looked_up(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_elements *e,
                                     const uint32_t *first, hb_onnx_value *made)
{
    hb_onnx_places p = {.from = &e->data, .places = &e->places, .step = 1, .first = first};
    hbs_status status;

    p.n_places = (size_t)e->data.dims[e->axis];
    for (size_t i = e->axis + 1; i < e->data.n_dims; i++)
        p.step *= (size_t)e->data.dims[i];
    p.map = hb_onnx_columns(file, made->width, &status);
    HB_TRY(status);
    for (uint32_t i = 0; i < made->width; i++)
        p.map[i] = i;
    made->row = made->row < 0 ? e->places.row : made->row;
    return hb_onnx_look_up(file, node, &p, made);
}

hbs_status hb_onnx_gather_elements(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made;
    hbs_status status;
    uint32_t *map;
    hb_onnx_elements e;

    HB_TRY(hb_onnx_elements_read(file, node, &e));
    made = e.data;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, e.places.dims, e.places.n_dims));
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < made.width; i++)
        HB_TRY(hb_onnx_element_of(file, node, &e, i, &map[i]));
    if (!e.places.numbers)
        return elements_looked_up(file, node, &e, map, &made);
    hb_onnx_take(&made, map);
    return hb_onnx_give(file, node, 0, &made);
}
