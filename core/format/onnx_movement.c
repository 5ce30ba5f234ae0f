/* onnx_movement.c - operators that move items of a tensor: each makes another list of columns, and no number. The axis
 * of the rows may move only where each row keeps its own items. */
#include <string.h>

#include "format/onnx.h"

/* ---- Reshape and its kin: the items keep their order */

/* The axis on which the rows lie after a change of shape: the one before which as many items lie as before; -1: of a
 * value without rows; -2: none. `free` is the axis whose size the file leaves open, or -1. */
static int place_of_rows(const hb_onnx_value *value, const int64_t *dims, size_t n_dims, int open)
{
    int64_t before = 1, passed = 1;
    int found = -2;

    if (value->row < 0)
        return -1;
    for (int i = 0; i < value->row; i++)
        before *= value->dims[i];
    for (size_t i = 0; i < n_dims; i++) {
        if (passed == before && dims[i] == 1 && (found == -2 || (int)i == open))
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
    return hb_onnx_give(file, node, 0, &value);
}

/* 0 keeps a dimension (unless allowzero), -1 takes what is left. */
static hbs_status fill_dims(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value, int64_t *dims,
                            size_t n, int *open)
{
    int64_t known = 1;

    *open = -1;
    for (size_t i = 0; i < n; i++) {
        if (dims[i] == 0 && i < value->n_dims)
            dims[i] = value->dims[i];
        if (dims[i] == -1 && *open < 0)
            *open = (int)i;
        else if (dims[i] <= 0 || dims[i] > HB_MAX_OUTPUTS || known > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "dimension %zu of its shape is %lld", i,
                                  (long long)dims[i]);
        else
            known *= dims[i];
    }
    if (*open >= 0)
        dims[*open] = (int64_t)value->width / known;
    return HBS_OK;
}

/* A label of each row stays one, in whatever shape. */
static bool is_label(const hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_value *value = hb_onnx_named(file, node->inputs[0]);

    return value && value->form == HB_ONNX_LABEL;
}

hbs_status hb_onnx_reshape(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value value;
    const int64_t *shape;
    int64_t dims[HB_ONNX_MAX_RANK], allow_zero;
    size_t n;
    int open;

    if (is_label(file, node))
        return hb_onnx_identity(file, node);
    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, "shape", &shape, &n));
    HB_TRY(hb_onnx_integer(file, node, "allowzero", 0, &allow_zero));
    if (!shape || n > HB_ONNX_MAX_RANK || allow_zero)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads shapes of up to %d dimensions, without "
                              "allowzero",
                              HB_ONNX_MAX_RANK);
    memcpy(dims, shape, n * sizeof(*dims));
    HB_TRY(fill_dims(file, node, &value, dims, n, &open));
    return give_in_shape(file, node, value, dims, n, open);
}

hbs_status hb_onnx_flatten(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t axis, dims[2] = {1, 1};
    hb_onnx_value value;

    if (is_label(file, node))
        return hb_onnx_identity(file, node);
    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integer(file, node, "axis", 1, &axis));
    axis = axis < 0 ? axis + (int64_t)value.n_dims : axis;
    if (axis < 0 || axis > (int64_t)value.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its axis is out of range");
    for (int64_t i = 0; i < (int64_t)value.n_dims; i++)
        dims[i >= axis] *= value.dims[i];
    return give_in_shape(file, node, value, dims, 2, 0);
}

/* Sets a bit of *marks for each axis that the list names. */
static hbs_status mark_axes(hb_onnx_file *file, const hb_onnx_node *node, const int64_t *axes, size_t n, size_t rank,
                            unsigned *marks)
{
    *marks = 0;
    for (size_t i = 0; i < n; i++) {
        size_t axis;

        HB_TRY(hb_onnx_axis(file, node, axes[i], rank, &axis));
        if (*marks >> axis & 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "axis %zu stands twice", axis);
        *marks |= 1u << axis;
    }
    return HBS_OK;
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
    HB_TRY(mark_axes(file, node, axes, n, value.n_dims, &marks));
    for (size_t i = 0; i < value.n_dims; i++) {
        bool goes = axes ? marks >> i & 1 : value.dims[i] == 1 && (int)i != value.row;

        if (goes && value.dims[i] != 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "axis %zu has %lld items", i, (long long)value.dims[i]);
        if (goes && (int)i == value.row)
            return hb_onnx_mixes_rows(file, node);
        if (!goes)
            dims[n_dims++] = value.dims[i];
    }
    return give_in_shape(file, node, value, dims, n_dims, -1);
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
    HB_TRY(mark_axes(file, node, axes, n, value.n_dims + n, &marks));
    for (size_t i = 0; i < value.n_dims + n; i++) {
        if (!(marks >> i & 1) && (int)at == value.row)
            row = (int)i;
        dims[i] = marks >> i & 1 ? 1 : value.dims[at++];
    }
    HB_TRY(hb_onnx_reshape_value(file, node, &value, dims, value.n_dims + n));
    value.row = row;
    return hb_onnx_give(file, node, 0, &value);
}

/* ---- items in another order, or some of them */

/* For each item of `dims`, the place that `start` and `steps` give: start + sum of index x step. */
static hbs_status take_steps(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value value, const int64_t *dims,
                             size_t n_dims, int64_t start, const int64_t *steps, size_t k)
{
    hbs_status status;
    uint32_t *map;

    HB_TRY(hb_onnx_reshape_value(file, node, &value, dims, n_dims));
    map = hb_onnx_columns(file, value.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < value.width; i++) {
        size_t rest = i;
        int64_t place = start;

        for (size_t axis = n_dims; axis-- > 0; rest /= (size_t)value.dims[axis])
            place += (int64_t)(rest % (size_t)value.dims[axis]) * steps[axis];
        map[i] = (uint32_t)place;
    }
    hb_onnx_take(&value, map);
    return hb_onnx_give(file, node, k, &value);
}

/* How far apart neighbours of each axis lie. */
static void steps_of(const hb_onnx_value *value, int64_t *steps)
{
    int64_t step = 1;

    for (size_t i = value->n_dims; i-- > 0; step *= value->dims[i])
        steps[i] = step;
}

hbs_status hb_onnx_transpose(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t steps[HB_ONNX_MAX_RANK], dims[HB_ONNX_MAX_RANK], to[HB_ONNX_MAX_RANK];
    const int64_t *order;
    hb_onnx_value value;
    size_t n;
    unsigned marks;
    int row = -1;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, "perm", &order, &n));
    if (order && n != value.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "perm has %zu axes of %zu", n, value.n_dims);
    HB_TRY(mark_axes(file, node, order, n, value.n_dims, &marks));
    steps_of(&value, steps);
    for (size_t i = 0; i < value.n_dims; i++) {
        size_t from = order ? (size_t)(order[i] < 0 ? order[i] + (int64_t)n : order[i]) : value.n_dims - 1 - i;

        dims[i] = value.dims[from];
        to[i] = steps[from];
        row = (int)from == value.row ? (int)i : row;
    }
    value.row = row;
    return take_steps(file, node, value, dims, value.n_dims, 0, to, 0);
}

/* The first place of a slice and how many there are, as numpy counts. */
static int64_t limited(int64_t place, int64_t size, int64_t least, int64_t most)
{
    place = place < 0 && place >= INT64_MIN + size ? place + size : place;
    return place < least ? least : place > most ? most : place;
}

typedef struct slice {
    int64_t start, step, count;
} slice;

static slice slice_of(int64_t start, int64_t end, int64_t step, int64_t size)
{
    slice s = {.step = step};

    if (step > 0) {
        s.start = limited(start, size, 0, size);
        end = limited(end, size, 0, size);
        s.count = end > s.start ? (end - s.start - 1) / step + 1 : 0;
    } else {
        s.start = limited(start, size, 0, size - 1);
        end = end < -size ? -1 : limited(end, size, -1, size - 1);
        s.count = s.start > end ? (s.start - end - 1) / -step + 1 : 0;
    }
    return s;
}

static hbs_status read_slices(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *value, slice *slices)
{
    const int64_t *starts, *ends, *axes, *steps;
    size_t n, n_ends, n_axes, n_steps, axis;

    HB_TRY(hb_onnx_integers(file, node, 1, "starts", &starts, &n));
    HB_TRY(hb_onnx_integers(file, node, 2, "ends", &ends, &n_ends));
    HB_TRY(hb_onnx_integers(file, node, 3, "axes", &axes, &n_axes));
    HB_TRY(hb_onnx_integers(file, node, 4, NULL, &steps, &n_steps));
    if (!starts || !ends || n != n_ends || (axes && n_axes != n) || (steps && n_steps != n) || n > value->n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its starts, ends, axes and steps are not of one length");
    for (size_t i = 0; i < n; i++) {
        int64_t step = steps ? steps[i] : 1;

        HB_TRY(hb_onnx_axis(file, node, axes ? axes[i] : (int64_t)i, value->n_dims, &axis));
        if (step == 0 || step < -HB_MAX_OUTPUTS || step > HB_MAX_OUTPUTS)
            step = step == 0 ? 0 : step < 0 ? -HB_MAX_OUTPUTS : HB_MAX_OUTPUTS;
        if (step == 0)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "a step is 0");
        slices[axis] = slice_of(starts[i], ends[i], step, value->dims[axis]);
        if ((int)axis == value->row && (slices[axis].count != 1 || starts[i] != 0 || step != 1))
            return hb_onnx_mixes_rows(file, node);
    }
    return HBS_OK;
}

hbs_status hb_onnx_slice(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t steps[HB_ONNX_MAX_RANK], dims[HB_ONNX_MAX_RANK], start = 0;
    slice slices[HB_ONNX_MAX_RANK];
    hb_onnx_value value;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    for (size_t i = 0; i < value.n_dims; i++)
        slices[i] = (slice){0, 1, value.dims[i]};
    HB_TRY(read_slices(file, node, &value, slices));
    steps_of(&value, steps);
    for (size_t i = 0; i < value.n_dims; i++) {
        start += slices[i].start * steps[i];
        steps[i] *= slices[i].step;
        dims[i] = slices[i].count;
    }
    return take_steps(file, node, value, dims, value.n_dims, start, steps, 0);
}

/* Into parts of the sizes that are listed, or into equal ones. */
hbs_status hb_onnx_split(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t steps[HB_ONNX_MAX_RANK], dims[HB_ONNX_MAX_RANK], axis, at = 0, equal;
    const int64_t *sizes;
    hb_onnx_value value;
    size_t n, place;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integer(file, node, "axis", 0, &axis));
    HB_TRY(hb_onnx_axis(file, node, axis, value.n_dims, &place));
    HB_TRY(hb_onnx_integers(file, node, 1, "split", &sizes, &n));
    if ((int)place == value.row)
        return hb_onnx_mixes_rows(file, node);
    if (node->n_outputs == 0 || (sizes && n != node->n_outputs))
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu sizes for %zu outputs", n, node->n_outputs);
    equal = (value.dims[place] + (int64_t)node->n_outputs - 1) / (int64_t)node->n_outputs;
    steps_of(&value, steps);
    memcpy(dims, value.dims, sizeof(dims));
    for (size_t k = 0; k < node->n_outputs; k++, at += dims[place]) {
        dims[place] = sizes ? sizes[k] : value.dims[place] - at < equal ? value.dims[place] - at : equal;
        if (dims[place] <= 0 || dims[place] > value.dims[place] - at)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "part %zu has %lld of %lld items", k,
                                  (long long)dims[place], (long long)value.dims[place]);
        HB_TRY(take_steps(file, node, value, dims, value.n_dims, at * steps[place], steps, k));
    }
    if (at != value.dims[place])
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its parts have %lld of %lld items", (long long)at,
                              (long long)value.dims[place]);
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
            double number = g->places.numbers[g->places.columns ? g->places.columns[p] : p];
            int64_t place = (int64_t)(number < 0 ? number + (double)size : number);

            if (!(number >= (double)-size && number < (double)size))
                return hb_onnx_refuse(file, node, HBS_E_FORMAT, "place %.17g of %lld", number, (long long)size);
            for (int64_t i = 0; i < g->inner; i++)
                map[n++] = (uint32_t)((o * size + place) * g->inner + i);
        }
    return HBS_OK;
}

hbs_status hb_onnx_gather(hb_onnx_file *file, const hb_onnx_node *node)
{
    gather g = {.outer = 1, .inner = 1};
    hb_onnx_value made;
    hbs_status status;
    int64_t axis;
    uint32_t *map;

    HB_TRY(hb_onnx_moved(file, node, 0, &g.from));
    HB_TRY(hb_onnx_operand(file, node, 1, &g.places));
    HB_TRY(hb_onnx_integer(file, node, "axis", 0, &axis));
    HB_TRY(hb_onnx_axis(file, node, axis, g.from.n_dims, &g.axis));
    if (g.places.form != HB_ONNX_CONSTANT)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it only if its places are a constant");
    if ((int)g.axis == g.from.row)
        return hb_onnx_mixes_rows(file, node);
    for (size_t i = 0; i < g.from.n_dims; i++)
        *(i < g.axis ? &g.outer : &g.inner) *= i == g.axis ? 1 : g.from.dims[i];
    made = g.from;
    HB_TRY(gather_shape(file, node, &g, &made));
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    HB_TRY(gather_columns(file, node, &g, map));
    hb_onnx_take(&made, map);
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- the same items several times */

hbs_status hb_onnx_expand(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    const int64_t *shape;
    hb_onnx_value value, made;
    hbs_status status;
    uint32_t *map;
    size_t n, rank;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, NULL, &shape, &n));
    if (!shape || n > HB_ONNX_MAX_RANK)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "its shape has %zu dimensions", n);
    rank = n > value.n_dims ? n : value.n_dims;
    for (size_t i = 0; i < rank; i++) {
        int64_t own = i < rank - value.n_dims ? 1 : value.dims[i - (rank - value.n_dims)];
        int64_t wanted = i < rank - n ? 1 : shape[i - (rank - n)];

        if (own != wanted && own != 1 && wanted != 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "dimension %zu is %lld, not %lld", i, (long long)own,
                                  (long long)wanted);
        dims[i] = own == 1 ? wanted : own;
        if (value.row >= 0 && (int)i == value.row + (int)(rank - value.n_dims) && dims[i] != 1)
            return hb_onnx_mixes_rows(file, node);
    }
    made = value;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, rank));
    made.row = value.row < 0 ? -1 : value.row + (int)(rank - value.n_dims);
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < made.width; i++)
        map[i] = (uint32_t)hb_onnx_broadcast_place(&value, made.dims, rank, i);
    hb_onnx_take(&made, map);
    return hb_onnx_give(file, node, 0, &made);
}

/* ---- constants */

static hbs_status give_constant(hb_onnx_file *file, const hb_onnx_node *node, int64_t type, const int64_t *dims,
                                size_t n_dims, const double *numbers)
{
    hb_onnx_value made = {.form = HB_ONNX_CONSTANT, .type = type, .row = -1, .numbers = numbers};

    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, n_dims));
    return hb_onnx_give(file, node, 0, &made);
}

/* Gives the dimensions for one row: the axis of the rows counts 1. */
hbs_status hb_onnx_shape(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t start, end;
    hb_onnx_value value;
    double *numbers;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integer(file, node, "start", 0, &start));
    HB_TRY(hb_onnx_integer(file, node, "end", (int64_t)value.n_dims, &end));
    start = limited(start, (int64_t)value.n_dims, 0, (int64_t)value.n_dims);
    end = limited(end, (int64_t)value.n_dims, 0, (int64_t)value.n_dims);
    numbers = hb_arena_array(&file->pipeline->arena, value.n_dims + 1, sizeof(*numbers));
    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (int64_t i = start; i < end; i++)
        numbers[i - start] = (double)value.dims[i];
    return give_constant(file, node, HB_ONNX_INT64, &(int64_t){end - start}, 1, numbers);
}

hbs_status hb_onnx_constant_node(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made = {.form = HB_ONNX_CONSTANT, .row = -1};
    const hb_onnx_attribute *a = node->n_attributes == 1 ? &node->attributes[0] : NULL;

    if (!a || !a->tensor)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads constants that are one tensor");
    made.constant = a->tensor;
    return hb_onnx_give(file, node, 0, &made);
}

hbs_status hb_onnx_constant_of_shape(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value made = {.form = HB_ONNX_CONSTANT, .type = HB_ONNX_FLOAT, .row = -1};
    const hb_onnx_attribute *a;
    const int64_t *shape;
    hb_onnx_items items;
    double *numbers, number = 0;
    size_t n;

    HB_TRY(hb_onnx_integers(file, node, 0, NULL, &shape, &n));
    HB_TRY(hb_onnx_attribute_find(file, node, "value", HB_ONNX_KIND_TENSOR, &a));
    if (!shape || (a && (a->tensor->count != 1 || a->tensor->type == HB_ONNX_STRING)))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it of one number and a stated shape");
    HB_TRY(hb_onnx_reshape_value(file, node, &made, shape, n));
    if (a && a->tensor->type == HB_ONNX_DOUBLE)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore does not read it of float64 yet");
    if (a) {
        items = hb_onnx_items_of_tensor(a->tensor);
        made.type = a->tensor->type;
        number = made.type == HB_ONNX_FLOAT ? (double)hb_onnx_next_float(&items) : (double)hb_onnx_next_integer(&items);
    }
    numbers = hb_arena_array(&file->pipeline->arena, made.width, sizeof(*numbers));
    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < made.width; i++)
        numbers[i] = number;
    made.numbers = numbers;
    HB_TRY(hb_worked(file->bytes.work, made.width, file->error));
    return hb_onnx_give(file, node, 0, &made);
}
