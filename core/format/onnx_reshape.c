/* onnx_reshape.c - operators that change a tensor's shape: the items keep their order, so their columns stay the same.
 * The axis of the rows may move only where each row keeps its own items. */
#include <string.h>

#include "format/onnx.h"

enum { NOT_OPEN = -1, ANY_ONE = -2 };

/* The axis on which the rows lie after a change of shape: the one before which as many items lie as before; -1: of a
 * value without rows; -2: none. `open` is the axis whose size the file leaves open, or NOT_OPEN. Of rows whose items
 * stand side by side on one axis only this can take the rows, since else all items of the table stay on one; or
 * (ANY_ONE) the 1 of a shape that the graph computes, which is the number of rows then. */
static int place_of_rows(const hb_onnx_value *value, const int64_t *dims, size_t n_dims, int open)
{
    int64_t before = 1, passed = 1;
    int found = -2;

    if (value->row < 0)
        return -1;
    for (int i = 0; i < value->row; i++)
        before *= value->dims[i];
    before *= value->blocks ? (int64_t)value->blocks : 1;
    for (size_t i = 0; i < n_dims; i++) {
        if (passed == before && dims[i] == 1 && ((found == -2 && (!value->lanes || open == ANY_ONE)) || (int)i == open))
            found = (int)i;
        passed *= dims[i];
    }
    return found;
}

static hbs_status give_in_shape(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, const int64_t *dims,
                                size_t n_dims, int open)
{
    int row = place_of_rows(&value, dims, n_dims, open);
    size_t width = value.width;

    if (row == -2)
        return hb_onnx_mixes_rows(file, node);
    HB_TRY(hb_onnx_reshape_value(file, node, &value, dims, n_dims));
    if (value.width != width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it makes %zu items of %zu", value.width, width);
    value.row = row;
    value.blocks = value.lanes = 0;
    return hb_onnx_give(file, node, 0, &value);
}

/* 0 keeps a dimension (unless allowzero), -1 takes what is left. */
static hbs_status fill_dims(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value, int64_t *dims,
                            size_t n, bool zero_is_zero, int *open)
{
    int64_t known = 1;

    *open = NOT_OPEN;
    for (size_t i = 0; i < n; i++) {
        if (dims[i] == 0 && i < value->n_dims && !zero_is_zero)
            dims[i] = value->dims[i];
        if (dims[i] == -1 && *open < 0)
            *open = (int)i;
        else if (dims[i] < 0 || dims[i] > HB_MAX_OUTPUTS || known > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "dimension %zu of its shape is %lld", i,
                                  (long long)dims[i]);
        else
            known *= dims[i];
    }
    if (*open >= 0)
        dims[*open] = known ? (int64_t)value->width / known : 0;
    return HBS_OK;
}

/* True of a shape that the graph computes: its 1 may be the number of rows, as Shape gives it. */
static bool is_computed(const hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *shape = node->n_inputs > 1 ? hb_onnx_named(file, node->inputs[1]) : NULL;

    return shape && !shape->constant;
}

static bool is_label(const hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    return value && value->form == HB_ONNX_LABEL;
}

/* A label of each row stays one: a tensor of one item, with as many dimensions. */
static hbs_status give_label(hb_onnx_file *file, const hb_onnx_node *node, size_t n_dims)
{
    hb_onnx_value label = *hb_onnx_named(file, node->inputs[0]);

    if (n_dims > HB_ONNX_MAX_RANK)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads shapes of up to %d dimensions",
                              HB_ONNX_MAX_RANK);
    for (size_t i = 0; i < n_dims; i++)
        label.dims[i] = 1;
    label.n_dims = n_dims;
    label.row = n_dims ? 0 : -1;
    return hb_onnx_give(file, node, 0, &label);
}

hbs_status hb_onnx_reshape(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value value;
    const int64_t *shape;
    int64_t dims[HB_ONNX_MAX_RANK], allow_zero;
    size_t n;
    int open;

    HB_TRY(hb_onnx_integers(file, node, 1, "shape", &shape, &n));
    if (is_label(file, node))
        return give_label(file, node, n);
    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
    HB_TRY(hb_onnx_integer(file, node, "allowzero", 0, &allow_zero));
    if (!shape || n > HB_ONNX_MAX_RANK)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads shapes of up to %d dimensions",
                              HB_ONNX_MAX_RANK);
    memcpy(dims, shape, n * sizeof(*dims));
    HB_TRY(fill_dims(file, node, &value, dims, n, allow_zero != 0, &open));
    if (is_computed(file, node))
        open = !value.lanes ? NOT_OPEN : open == NOT_OPEN ? ANY_ONE : open;
    return give_in_shape(file, node, value, dims, n, open);
}

/* Words of one text lie side by side already. */
static hbs_status flatten_words(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t axis;

    HB_TRY(hb_onnx_integer(file, node, "axis", 1, &axis));
    if (axis != 1)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of words only along axis 1");
    return hb_onnx_identity(file, node);
}

/* The axes from this one on become one, on which the rows lie; the items of each row stay side by side. */
static hbs_status give_side_by_side(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, int axis,
                                    const int64_t dims[2])
{
    size_t lanes = 1;

    for (int i = axis; i < (int)value.n_dims; i++)
        if (i < value.row && value.dims[i] != 1)
            return hb_onnx_mixes_rows(file, node);
        else
            lanes *= (size_t)value.dims[i];
    HB_TRY(hb_onnx_reshape_value(file, node, &value, dims, 2));
    value.row = 1;
    value.lanes = lanes == 1 ? 0 : lanes;
    return hb_onnx_give(file, node, 0, &value);
}

hbs_status hb_onnx_flatten(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t axis, dims[2] = {1, 1};
    hb_onnx_value value;

    if (is_label(file, node))
        return give_label(file, node, 2);
    if (hb_onnx_is_words(file, node))
        return flatten_words(file, node);
    HB_TRY(hb_onnx_in_lanes(file, node, 0, &value));
    HB_TRY(hb_onnx_integer(file, node, "axis", 1, &axis));
    axis = axis < 0 ? axis + (int64_t)value.n_dims : axis;
    if (axis < 0 || axis > (int64_t)value.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its axis is out of range");
    for (int64_t i = 0; i < (int64_t)value.n_dims; i++)
        dims[i >= axis] *= value.dims[i];
    if (value.row >= (int)axis)
        return give_side_by_side(file, node, value, (int)axis, dims);
    return give_in_shape(file, node, value, dims, 2, 0);
}

hbs_status hb_onnx_squeeze(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    const int64_t *axes;
    hb_onnx_value value;
    size_t n, n_dims = 0;
    unsigned marks = 0;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, "axes", &axes, &n));
    HB_TRY(hb_onnx_axes(file, node, axes, n, value.n_dims, &marks));
    for (size_t i = 0; i < value.n_dims; i++) {
        bool goes = axes ? marks >> i & 1 : value.dims[i] == 1 && (int)i != value.row;

        if (goes && value.dims[i] != 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "axis %zu has %lld items", i, (long long)value.dims[i]);
        if (goes && (int)i == value.row)
            return hb_onnx_mixes_rows(file, node);
        if (!goes)
            dims[n_dims++] = value.dims[i];
    }
    return give_in_shape(file, node, value, dims, n_dims, NOT_OPEN);
}

hbs_status hb_onnx_unsqueeze(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    const int64_t *axes;
    hb_onnx_value value;
    int row = -1;
    size_t n, at = 0;
    unsigned marks;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, "axes", &axes, &n));
    if (!axes || n > HB_ONNX_MAX_RANK - value.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads tensors of up to %d dimensions",
                              HB_ONNX_MAX_RANK);
    HB_TRY(hb_onnx_axes(file, node, axes, n, value.n_dims + n, &marks));
    for (size_t i = 0; i < value.n_dims + n; i++) {
        if (!(marks >> i & 1) && (int)at == value.row)
            row = (int)i;
        dims[i] = marks >> i & 1 ? 1 : value.dims[at++];
    }
    HB_TRY(hb_onnx_reshape_value(file, node, &value, dims, value.n_dims + n));
    value.row = row;
    return hb_onnx_give(file, node, 0, &value);
}
