/* onnx_movement.c - operators that put items of a tensor in another order, or take some of them: each makes another
 * list of columns, and no number. */
#include <string.h>

#include "format/onnx.h"

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

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, "perm", &order, &n));
    if (order && n != value.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "perm has %zu axes of %zu", n, value.n_dims);
    HB_TRY(hb_onnx_axes(file, node, order, n, value.n_dims, &marks));
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
typedef struct slice {
    int64_t start, step, count;
} slice;

static slice slice_of(int64_t start, int64_t end, int64_t step, int64_t size)
{
    slice s = {.step = step};

    if (size == 0)
        return s;
    if (step > 0) {
        s.start = hb_onnx_limited(start, size, 0, size);
        end = hb_onnx_limited(end, size, 0, size);
        s.count = end > s.start ? (end - s.start - 1) / step + 1 : 0;
    } else {
        s.start = hb_onnx_limited(start, size, 0, size - 1);
        end = end < -size ? -1 : hb_onnx_limited(end, size, -1, size - 1);
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
        if ((int)axis == value->row &&
            (slices[axis].count != 1 || starts[i] != 0 || step != 1 || ends[i] < INT32_MAX)) /* not all, however many */
            return hb_onnx_mixes_rows(file, node);
    }
    return HBS_OK;
}

hbs_status hb_onnx_slice(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t steps[HB_ONNX_MAX_RANK], dims[HB_ONNX_MAX_RANK], start = 0;
    slice slices[HB_ONNX_MAX_RANK];
    hb_onnx_value value;

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
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

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
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
        if (dims[place] < 0 || dims[place] > value.dims[place] - at)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "part %zu has %lld of %lld items", k,
                                  (long long)dims[place], (long long)value.dims[place]);
        HB_TRY(take_steps(file, node, value, dims, value.n_dims, at * steps[place], steps, k));
    }
    if (at != value.dims[place])
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its parts have %lld of %lld items", (long long)at,
                              (long long)value.dims[place]);
    return HBS_OK;
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

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &value));
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
        if (value.row >= 0 && (int)i == value.row + (int)(rank - value.n_dims) && dims[i] != own)
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

/* numpy.tile, with a number for each axis. */
hbs_status hb_onnx_tile(hb_onnx_file *file, const hb_onnx_node *node)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    const int64_t *repeats;
    hb_onnx_value value, made;
    hbs_status status;
    uint32_t *map;
    size_t n;

    HB_TRY(hb_onnx_moved(file, node, 0, &value));
    HB_TRY(hb_onnx_integers(file, node, 1, NULL, &repeats, &n));
    if (!repeats || n != value.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %zu repeats for %zu dimensions", n, value.n_dims);
    for (size_t i = 0; i < n; i++) {
        if (repeats[i] < 0 || repeats[i] > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it repeats %lld times", (long long)repeats[i]);
        if ((int)i == value.row && repeats[i] != 1)
            return hb_onnx_mixes_rows(file, node);
        dims[i] = value.dims[i] * repeats[i];
    }
    made = value;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, n));
    map = hb_onnx_columns(file, made.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < made.width; i++) {
        size_t rest = i, step = 1, place = 0;

        for (size_t axis = n; axis-- > 0; rest /= (size_t)dims[axis]) {
            place += rest % (size_t)dims[axis] % (size_t)value.dims[axis] * step;
            step *= (size_t)value.dims[axis];
        }
        map[i] = (uint32_t)place;
    }
    hb_onnx_take(&made, map);
    return hb_onnx_give(file, node, 0, &made);
}
