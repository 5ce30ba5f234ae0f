/* onnx_reshape.c - operators that change a tensor's shape: the items keep their order, so their columns stay the same.
 * The axis of the rows may move only where each row keeps its own items. */
#include <string.h>

#include "format/onnx.h"

enum { NOT_OPEN = -1, ANY_ONE = -2 };

/* A new shape's axes. */
typedef struct shape {
    int64_t dims[HB_ONNX_MAX_RANK];
    size_t n_dims;
    int open; /* the axis whose size the file leaves open, or NOT_OPEN; ANY_ONE: place_of_rows */
    int left; /* the axis that takes what is left of the items, or NOT_OPEN */
    int rows; /* the axis that the number of rows was multiplied into, or NOT_OPEN */
} shape;

/* The items of a table before its rows, as many as its axes and blocks say. */
static int64_t items_before_rows(const hb_onnx_value *value)
{
    int64_t before = value->blocks ? (int64_t)value->blocks : 1;

    for (int i = 0; i < value->row; i++)
        before *= value->dims[i];
    return before;
}

/* True if the rows can lie on this axis, with others of their items before and behind them; as many blocks as *blocks.
 */
static bool can_hold_rows(const hb_onnx_value *value, const shape *to, int axis, size_t *blocks)
{
    int64_t before = items_before_rows(value), passed = 1;

    for (int i = 0; i < axis; i++)
        passed *= to->dims[i];
    if (passed == 0 || before == 0 || before % passed != 0 || to->dims[axis] % (before / passed) != 0)
        return false;
    *blocks = (size_t)(before / passed);
    return true;
}

/* The axis on which the rows lie by themselves after a change of shape: the one before which as many items lie as
 * before; -2: none. Of rows whose items stand side by side on one axis only the open axis can take the rows, since else
 * all items of the table stay on one; or (ANY_ONE) the 1 of a shape that the graph computes, which is the number of
 * rows then. */
static int place_of_rows(const hb_onnx_value *value, const shape *to)
{
    int64_t before = items_before_rows(value), passed = 1;
    int found = -2;

    for (size_t i = 0; i < to->n_dims; i++) {
        if (passed == before && to->dims[i] == 1 &&
            ((found == -2 && (!value->lanes || to->open == ANY_ONE)) || (int)i == to->open))
            found = (int)i;
        passed *= to->dims[i];
    }
    return found;
}

/* Finds the axis of the rows: where the shape counts them, or where they lie by themselves, or the axis that takes what
 * is left, on which other items may stand with them. */
static bool find_rows(const hb_onnx_value *value, const shape *to, int *row, size_t *blocks)
{
    *blocks = 1;
    *row = value->row < 0 ? -1 : to->rows == NOT_OPEN ? place_of_rows(value, to) : -2;
    if (*row != -2)
        return true;
    *row = to->rows != NOT_OPEN ? to->rows : to->left;
    return *row >= 0 && can_hold_rows(value, to, *row, blocks);
}

static hbs_status give_in_shape(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, const shape *to)
{
    size_t width = value.width, blocks, lanes;
    int row;

    if (!find_rows(&value, to, &row, &blocks))
        return hb_onnx_mixes_rows(file, node);
    HB_TRY(hb_onnx_reshape_value(file, node, &value, to->dims, to->n_dims));
    if (value.width != width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it makes %zu items of %zu", value.width, width);
    lanes = row < 0 ? 1 : (size_t)to->dims[row] / blocks;
    value.row = row;
    value.blocks = blocks == 1 ? 0 : blocks;
    value.lanes = lanes == 1 ? 0 : lanes;
    return hb_onnx_give(file, node, 0, &value);
}

/* 0 keeps a dimension (unless allowzero), -1 takes what is left. */
static hbs_status fill_dims(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value, bool zero_is_zero,
                            shape *to)
{
    int64_t known = 1, *dims = to->dims;

    to->left = NOT_OPEN;
    for (size_t i = 0; i < to->n_dims; i++) {
        if (dims[i] == 0 && i < value->n_dims && !zero_is_zero)
            dims[i] = value->dims[i];
        if (dims[i] == -1 && to->left < 0)
            to->left = (int)i;
        else if (dims[i] < 0 || dims[i] > HB_MAX_OUTPUTS || known > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "dimension %zu of its shape is %lld", i,
                                  (long long)dims[i]);
        else
            known *= dims[i];
    }
    if (to->left >= 0)
        dims[to->left] = known ? (int64_t)value->width / known : 0;
    return HBS_OK;
}

/* The axis whose size grows with the rows, in a shape that the graph computes; NOT_OPEN: none, or it is not known. */
static int growing_axis(const hb_onnx_value *shape)
{
    for (size_t i = 0; shape && shape->of_many && i < shape->width; i++) {
        size_t place = shape->columns ? shape->columns[i] : i;

        if (shape->of_many[place] != shape->numbers[place])
            return (int)i;
    }
    return NOT_OPEN;
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
    const int64_t *dims;
    shape to = {.rows = NOT_OPEN};
    int64_t allow_zero;

    HB_TRY(hb_onnx_integers(file, node, 1, "shape", &dims, &to.n_dims));
    if (is_label(file, node))
        return give_label(file, node, to.n_dims);
    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
    HB_TRY(hb_onnx_integer(file, node, "allowzero", 0, &allow_zero));
    if (!dims || to.n_dims > HB_ONNX_MAX_RANK)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads shapes of up to %d dimensions",
                              HB_ONNX_MAX_RANK);
    memcpy(to.dims, dims, to.n_dims * sizeof(*dims));
    HB_TRY(fill_dims(file, node, &value, allow_zero != 0, &to));
    to.open = to.left;
    if (is_computed(file, node)) {
        to.rows = growing_axis(hb_onnx_named(file, node->inputs[1]));
        to.open = !value.lanes ? NOT_OPEN : to.open == NOT_OPEN ? ANY_ONE : to.open;
    }
    return give_in_shape(file, node, value, &to);
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
    return give_in_shape(file, node, value,
                         &(shape){.dims = {dims[0], dims[1]}, .n_dims = 2, .left = 0, .rows = NOT_OPEN});
}

hbs_status hb_onnx_squeeze(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    const int64_t *axes;
    hb_onnx_value value;
    size_t n, n_dims = 0;
    unsigned marks = 0;
    int row = -1;

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, "axes", &axes, &n));
    HB_TRY(hb_onnx_axes(file, node, axes, n, value.n_dims, &marks));
    for (size_t i = 0; i < value.n_dims; i++) {
        bool goes = axes ? marks >> i & 1 : value.dims[i] == 1 && (int)i != value.row;

        if (goes && value.dims[i] != 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "axis %zu has %lld items", i, (long long)value.dims[i]);
        if (goes && (int)i == value.row)
            return hb_onnx_mixes_rows(file, node);
        row = (int)i == value.row ? (int)n_dims : row;
        if (!goes)
            dims[n_dims++] = value.dims[i];
    }
    HB_TRY(hb_onnx_reshape_value(file, node, &value, dims, n_dims));
    value.row = row;
    return hb_onnx_give(file, node, 0, &value);
}

hbs_status hb_onnx_unsqueeze(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    const int64_t *axes;
    hb_onnx_value value;
    int row = -1;
    size_t n, at = 0;
    unsigned marks;

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
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
