/* onnx_scan.c - Scan: a graph that is computed for each slice of some tensors, one after the other, with a state. The
 * slices are counted when the file is read, so their graphs stand one behind the other in the pipeline; the graph of
 * distances from training rows becomes one operator. */
#include <string.h>

#include "format/onnx.h"

enum { MOST_SLICES = 4096, MOST_PARTS = 16, MOST_NODES = 1 << 18 };

typedef struct scan {
    size_t n_states, n_slices, n_outputs; /* n_outputs: stacked ones */
    size_t count;                         /* of slices */
    hb_onnx_value states[MOST_PARTS], from[MOST_PARTS];
    size_t axes[MOST_PARTS];
    bool backward[MOST_PARTS];
    hb_onnx_value *parts[MOST_PARTS]; /* [count] of each stacked output */
    bool is_batched;                  /* version 8: a first axis for batches, of one here */
} scan;

/* ---- inputs */

/* An attribute's list of integers, or zeros. */
static hbs_status read_list(hb_onnx_file *file, const hb_onnx_node *node, const char *name, size_t n, int64_t *to)
{
    const int64_t *list;
    size_t count;

    memset(to, 0, n * sizeof(*to));
    HB_TRY(hb_onnx_integers(file, node, node->n_inputs, name, &list, &count));
    if (count != 0 && count != n)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "%s has %zu items for %zu", name, count, n);
    if (count)
        memcpy(to, list, n * sizeof(*to));
    return HBS_OK;
}

/* A batch of one is the tensor itself. */
static hbs_status unbatch(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *value)
{
    if (value->n_dims == 0 || value->dims[0] != 1)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads Scan of version 8 of one batch");
    value->n_dims--;
    memmove(value->dims, value->dims + 1, value->n_dims * sizeof(*value->dims));
    value->row -= value->row >= 0;
    return HBS_OK;
}

static hbs_status read_inputs(hb_onnx_file *file, const hb_onnx_node *node, scan *s)
{
    size_t first = s->is_batched ? 1 : 0;

    for (size_t k = 0; k < s->n_states + s->n_slices; k++) {
        hb_onnx_value *to = k < s->n_states ? &s->states[k] : &s->from[k - s->n_states];

        HB_TRY(hb_onnx_moved(file, node, first + k, to));
        if (to->form == HB_ONNX_NOTHING)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "input %zu is left out", first + k);
        if (s->is_batched)
            HB_TRY(unbatch(file, node, to));
    }
    return HBS_OK;
}

static hbs_status count_slices(hb_onnx_file *file, const hb_onnx_node *node, scan *s)
{
    int64_t axes[MOST_PARTS], backward[MOST_PARTS];

    HB_TRY(read_list(file, node, "scan_input_axes", s->n_slices, axes));
    HB_TRY(read_list(file, node, s->is_batched ? "directions" : "scan_input_directions", s->n_slices, backward));
    for (size_t k = 0; k < s->n_slices; k++) {
        HB_TRY(hb_onnx_axis(file, node, axes[k], s->from[k].n_dims, &s->axes[k]));
        if ((int)s->axes[k] == s->from[k].row)
            return hb_onnx_mixes_rows(file, node);
        if (k > 0 && (size_t)s->from[k].dims[s->axes[k]] != s->count)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its inputs have different numbers of slices");
        s->count = (size_t)s->from[k].dims[s->axes[k]];
        s->backward[k] = backward[k] != 0;
    }
    return HBS_OK;
}

/* Version 8 has lengths of sequences first, which are left out. */
static hbs_status begin(hb_onnx_file *file, const hb_onnx_node *node, scan *s)
{
    int64_t n;
    size_t n_inputs;

    s->is_batched = file->opset == 8;
    n_inputs = node->n_inputs - s->is_batched;
    HB_TRY(hb_onnx_integer(file, node, "num_scan_inputs", 0, &n));
    if (n < 1 || (uint64_t)n > n_inputs || n_inputs > MOST_PARTS || node->n_outputs > MOST_PARTS ||
        node->n_outputs < n_inputs - (size_t)n)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "it has %zu inputs, %lld of them in slices, and %zu outputs", n_inputs, (long long)n,
                              node->n_outputs);
    if (s->is_batched && node->inputs[0].size > 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads no lengths of sequences");
    s->n_slices = (size_t)n;
    s->n_states = n_inputs - (size_t)n;
    s->n_outputs = node->n_outputs - s->n_states;
    HB_TRY(read_inputs(file, node, s));
    return count_slices(file, node, s);
}

/* ---- slices */

static hbs_status slice_of(hb_onnx_file *file, const hb_onnx_node *node, const scan *s, size_t k, size_t i,
                           hb_onnx_value *slice)
{
    const hb_onnx_value *from = &s->from[k];
    size_t axis = s->axes[k], inner = 1, place = s->backward[k] ? s->count - 1 - i : i, n = 0;
    int64_t dims[HB_ONNX_MAX_RANK];
    hbs_status status;
    uint32_t *map;

    *slice = *from;
    for (size_t d = 0; d < from->n_dims; d++) {
        if (d != axis)
            dims[n++] = from->dims[d];
        inner *= d > axis ? (size_t)from->dims[d] : 1;
    }
    HB_TRY(hb_onnx_reshape_value(file, node, slice, dims, n));
    slice->row -= slice->row > (int)axis;
    map = hb_onnx_columns(file, slice->width, &status);
    HB_TRY(status);
    for (size_t c = 0; c < slice->width; c++)
        map[c] = (uint32_t)((c / inner * s->count + place) * inner + c % inner);
    hb_onnx_take(slice, map);
    slice->constant = NULL; /* its shape is another */
    return HBS_OK;
}

/* Value k of the inner graph's outputs. */
static hbs_status take_output(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *to)
{
    const hb_onnx_node reader = {.inputs = &file->outputs[k].name,
                                 .n_inputs = 1,
                                 .name = node->name,
                                 .op = node->op,
                                 .place = node->place,
                                 .at = node->at};

    HB_TRY(hb_onnx_moved(file, &reader, 0, to));
    return to->form == HB_ONNX_NOTHING
               ? hb_onnx_refuse(file, node, HBS_E_FORMAT, "output %zu of its graph has no name", k)
               : HBS_OK;
}

static hbs_status run_slice(hb_onnx_file *file, const hb_onnx_node *node, scan *s, size_t i)
{
    hb_onnx_inner_again(file);
    for (size_t k = 0; k < s->n_states; k++)
        *hb_onnx_named(file, file->inputs[k].name) = s->states[k];
    for (size_t k = 0; k < s->n_slices; k++)
        HB_TRY(slice_of(file, node, s, k, i, hb_onnx_named(file, file->inputs[s->n_states + k].name)));
    HB_TRY(hb_onnx_inner_run(file));
    for (size_t k = 0; k < s->n_states; k++)
        HB_TRY(take_output(file, node, k, &s->states[k]));
    for (size_t k = 0; k < s->n_outputs; k++)
        HB_TRY(take_output(file, node, s->n_states + k, &s->parts[k][i]));
    return HBS_OK;
}

static hbs_status run_all(hb_onnx_file *file, const hb_onnx_node *node, scan *s)
{
    if (s->count == 0 || s->count > MOST_SLICES)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it has %zu slices, hbscore reads 1 to %d", s->count,
                              MOST_SLICES);
    if (file->n_nodes > MOST_NODES / s->count)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "its graph has %zu nodes for each of %zu slices", file->n_nodes,
                              s->count);
    for (size_t k = 0; k < s->n_outputs; k++) {
        s->parts[k] = hb_arena_array(&file->arena, s->count, sizeof(*s->parts[k]));
        if (!s->parts[k])
            return hb_no_memory(file->arena.memory, file->error);
    }
    for (size_t i = 0; i < s->count; i++)
        HB_TRY(run_slice(file, node, s, i));
    return HBS_OK;
}

/* ---- outputs */

/* The parts one behind the other along a new axis. */
static hbs_status stack(hb_onnx_file *file, const hb_onnx_node *node, const scan *s, size_t k, size_t axis,
                        bool backward, hb_onnx_value *made)
{
    const hb_onnx_value *parts = s->parts[k];
    size_t inner = 1, n = 0, width = parts[0].width;
    int64_t dims[HB_ONNX_MAX_RANK + 1];
    hbs_status status;
    uint32_t *map;

    for (size_t i = 1; i < s->count; i++)
        if (parts[i].n_dims != parts[0].n_dims || parts[i].type != parts[0].type || parts[i].row != parts[0].row ||
            memcmp(parts[i].dims, parts[0].dims, parts[0].n_dims * sizeof(parts[0].dims[0])) != 0)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its slices make tensors of different shapes");
    for (size_t d = 0; d <= parts[0].n_dims; d++) {
        dims[d] = d == axis ? (int64_t)s->count : parts[0].dims[n];
        n += d != axis;
        inner *= d > axis ? (size_t)dims[d] : 1;
    }
    *made = parts[0];
    HB_TRY(hb_onnx_reshape_value(file, node, made, dims, parts[0].n_dims + 1));
    made->row += made->row >= (int)axis;
    map = hb_onnx_columns(file, made->width, &status);
    HB_TRY(status);
    for (size_t c = 0; c < made->width; c++) {
        size_t place = c / inner % s->count;

        map[c] =
            (uint32_t)((backward ? s->count - 1 - place : place) * width + c / inner / s->count * inner + c % inner);
    }
    return hb_onnx_pick(file, node, parts, s->count, map, made);
}

static hbs_status batch(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *value)
{
    int64_t dims[HB_ONNX_MAX_RANK + 1];

    dims[0] = 1;
    memcpy(dims + 1, value->dims, value->n_dims * sizeof(*dims));
    HB_TRY(hb_onnx_reshape_value(file, node, value, dims, value->n_dims + 1));
    value->row += value->row >= 0;
    return HBS_OK;
}

/* Outputs of the outer graph, which is the file's again. */
static hbs_status give_all(hb_onnx_file *file, const hb_onnx_node *node, scan *s)
{
    int64_t axes[MOST_PARTS], backward[MOST_PARTS];
    hb_onnx_value made;
    size_t axis = 0;

    HB_TRY(read_list(file, node, "scan_output_axes", s->n_outputs, axes));
    HB_TRY(read_list(file, node, "scan_output_directions", s->n_outputs, backward));
    for (size_t k = 0; k < s->n_states + s->n_outputs; k++) {
        size_t output = k - s->n_states;

        made = k < s->n_states ? s->states[k] : s->parts[output][0];
        if (k >= s->n_states) {
            HB_TRY(hb_onnx_axis(file, node, axes[output], made.n_dims + 1, &axis));
            HB_TRY(stack(file, node, s, output, axis, backward[output] != 0, &made));
        }
        if (s->is_batched)
            HB_TRY(batch(file, node, &made));
        HB_TRY(hb_onnx_give(file, node, k, &made));
    }
    return HBS_OK;
}

/* The distances, or all slices one after the other; *is: these were distances, in *made. */
static hbs_status run_inner(hb_onnx_file *file, const hb_onnx_node *node, scan *s, bool *is, hb_onnx_value *made)
{
    *is = false;
    if (file->n_inputs != s->n_states + s->n_slices || file->n_outputs != s->n_states + s->n_outputs)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its graph has %zu inputs and %zu outputs", file->n_inputs,
                              file->n_outputs);
    for (size_t k = 0; k < file->n_inputs; k++)
        if (hb_onnx_named(file, file->inputs[k].name)->form == HB_ONNX_CONSTANT)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "an input of its graph is a constant too");
    if (s->n_states == 1 && s->n_slices == 1 && s->axes[0] == 0 && !s->backward[0] && !s->is_batched)
        HB_TRY(hb_onnx_scan_distances(file, node, &s->states[0], &s->from[0], is, made));
    return *is ? HBS_OK : run_all(file, node, s);
}

hbs_status hb_onnx_scan(hb_onnx_file *file, const hb_onnx_node *node)
{
    scan *s = hb_arena_array(&file->arena, 1, sizeof(*s));
    hb_onnx_file outer;
    hb_onnx_value made;
    hbs_status status;
    bool is;

    if (!s)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(begin(file, node, s));
    HB_TRY(hb_onnx_inner_begin(file, node, &outer));
    status = run_inner(file, node, s, &is, &made);
    hb_onnx_inner_end(file, &outer);
    HB_TRY(status);
    if (!is)
        return give_all(file, node, s);
    HB_TRY(hb_onnx_give(file, node, 0, &s->states[0]));
    return hb_onnx_give(file, node, 1, &made);
}
