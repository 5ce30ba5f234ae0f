/* fuse.c - a weighted sum of one-hot columns adds, for each category, the weight that it picks; its columns of 0 and 1
 * are not made.
 *
 *     dense(guard(concat(numbers, onehot(codes))))  ->  dense_segments(guard(numbers), recode(codes))
 *
 * A sum starts at +0 and is never -0. So the products with 0, which are left out, change no bit if weights are finite.
 */
#include <math.h>
#include <string.h>

#include "graph/pass.h"
#include "graph/rebuild.h"

/* A weighted sum that is fused, and what it reads. */
typedef struct sum {
    const hb_node *node; /* dense */
    const hb_fit_dense *fit;
    const hb_node *guard;  /* between the sum and its columns; NULL: there is none */
    const uint32_t *parts; /* nodes whose columns stand side by side.. */
    size_t n_parts;        /* ..so many */
    uint32_t asked;        /* HBS_OUT_...: all outputs of those who ask for it */
} sum;

typedef struct fusing {
    hb_graph *old;
    hb_graph made;
    uint32_t *number;               /* [nodes]: of the old node in the new graph */
    uint32_t *readers[HB_N_ASKERS]; /* [nodes]: how many nodes and outputs read it for this asker */
    uint32_t *stack, *parts;        /* [nodes]: room for the parts of a sum */
    hb_work *work;
    hbs_error *error;
} fusing;

static hbs_status no_memory(const fusing *f)
{
    return hb_no_memory(f->old->arena->memory, f->error);
}

/* ---- who reads what */

static const uint32_t outputs_of[HB_N_ASKERS] = {
    [HB_FOR_PREDICTIONS] = ~(uint32_t)HBS_OUT_TRANSFORM, [HB_FOR_TRANSFORM] = HBS_OUT_TRANSFORM};

static hbs_status count_readers(fusing *f)
{
    for (size_t i = 0; i < f->old->nodes.count; i++) {
        const hb_node *node = hb_node_at(f->old, i);

        for (size_t a = 0; a < HB_N_ASKERS; a++)
            for (size_t k = 0; node->outputs & outputs_of[a] && k < node->n_inputs; k++)
                f->readers[a][node->inputs[k]]++;
        HB_TRY(hb_graph_worked(f->old, 1 + node->n_inputs, f->error));
    }
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        if (f->old->outputs[o] != HB_NO_NODE)
            f->readers[1u << o == HBS_OUT_TRANSFORM ? HB_FOR_TRANSFORM : HB_FOR_PREDICTIONS][f->old->outputs[o]]++;
    return HBS_OK;
}

/* For those who ask for the sum, only one node reads this one. */
static bool is_read_once(const fusing *f, const sum *s, size_t node)
{
    for (size_t a = 0; a < HB_N_ASKERS; a++)
        if (s->asked & outputs_of[a] && f->readers[a][node] != 1)
            return false;
    return true;
}

/* ---- sums that can be fused */

/* Every value has its column, or none: no value of its own refuses a row. */
static bool has_columns_only(fusing *f, const hb_encoder *encoder)
{
    for (size_t v = 0; v < encoder->n_values; v++)
        if (encoder->outputs[v] == HB_OUTPUT_REFUSE)
            return false;
    return hb_goes_on(f->work, encoder->n_values / 8);
}

static bool are_finite(const hb_fit_dense *fit, size_t first, size_t n)
{
    for (size_t o = 0; o < fit->n_outputs; o++)
        for (size_t c = first; c < first + n; c++)
            if (!isfinite(fit->weights[o * fit->n_features + c]))
                return false;
    return true;
}

/* To look up a category and its weight takes as long as five columns (with AVX2; with AVX-512 three). Of many outputs a
 * BLAS may take the product. */
static bool pays(const hb_encoder *encoder, size_t n_outputs)
{
    enum { MOST_OUTPUTS = 16, COLUMNS = 5 };

    return n_outputs <= MOST_OUTPUTS && encoder->width >= COLUMNS * encoder->n_columns;
}

/* Columns [first, first + width of the part) of the sum's are not made, but picked. */
static bool is_picked(fusing *f, const sum *s, size_t part, size_t first)
{
    const hb_node *node = hb_node_at(f->old, part);
    const hb_encoder *encoder = node->kind == HB_OPERATOR_ONEHOT ? &((const hb_fit_onehot *)node->fit)->model : NULL;

    return encoder && is_read_once(f, s, part) && pays(encoder, s->fit->n_outputs) && has_columns_only(f, encoder) &&
           are_finite(s->fit, first, encoder->width);
}

/* Sets the sum's parts: the inputs of the concats behind it, from the left. */
static hbs_status find_parts(fusing *f, sum *s, uint32_t from)
{
    size_t n = 0;

    f->stack[n++] = from;
    while (n > 0) {
        uint32_t i = f->stack[--n];
        const hb_node *node = hb_node_at(f->old, i);

        if (node->kind == HB_OPERATOR_CONCAT && is_read_once(f, s, i)) {
            for (size_t k = node->n_inputs; k-- > 0;)
                f->stack[n++] = node->inputs[k];
        } else {
            f->parts[s->n_parts++] = i;
        }
        HB_TRY(hb_graph_worked(f->old, 1, f->error));
    }
    s->parts = f->parts;
    return HBS_OK;
}

/* *found becomes true if node i is a sum that is fused. */
static hbs_status find_sum(fusing *f, size_t i, sum *s, bool *found)
{
    const hb_node *node = hb_node_at(f->old, i);
    uint32_t from;
    size_t first = 0;

    *s = (sum){.node = node, .fit = node->fit};
    *found = false;
    if (node->kind != HB_OPERATOR_DENSE || !node->outputs)
        return HBS_OK;
    for (size_t a = 0; a < HB_N_ASKERS; a++)
        s->asked |= node->outputs & outputs_of[a] ? outputs_of[a] : 0;
    from = node->inputs[0];
    if (hb_node_at(f->old, from)->kind == HB_OPERATOR_GUARD && is_read_once(f, s, from)) {
        s->guard = hb_node_at(f->old, from);
        from = s->guard->inputs[0];
    }
    HB_TRY(find_parts(f, s, from));
    for (size_t p = 0; p < s->n_parts; p++) {
        *found = *found || is_picked(f, s, s->parts[p], first);
        first += hb_node_at(f->old, s->parts[p])->value.width;
        if (hb_node_at(f->old, s->parts[p])->value.constant) {
            *found = false;
            return HBS_OK;
        }
    }
    return hb_work_status(f->work, f->error);
}

/* ---- the new nodes */

/* A number for each category: its place among the column's values; behind these, missing ones and unknown ones. */
static uint32_t add_recode(fusing *f, const sum *s, const hb_node *onehot)
{
    const hb_fit_onehot *fit = onehot->fit;
    hb_encoder encoder = fit->model;
    hb_encoder_column *columns = hb_arena_array(f->old->arena, encoder.n_columns, sizeof(*columns));
    double *numbers = hb_arena_array(f->old->arena, encoder.n_values, sizeof(*numbers));
    uint32_t added;

    if (!columns || !numbers) {
        f->made.status = HBS_E_NOMEM;
        return 0;
    }
    for (size_t c = 0; c < encoder.n_columns; c++) {
        columns[c] = encoder.columns[c];
        columns[c].missing_number = columns[c].count;
        columns[c].unknown_number = columns[c].count + 1.0;
        for (uint32_t v = 0; v < columns[c].count; v++)
            numbers[columns[c].first + v] = v;
    }
    encoder.columns = columns;
    encoder.numbers = numbers;
    encoder.outputs = NULL;
    encoder.width = encoder.n_columns;
    added = hb_graph_add(&f->made, HB_OPERATOR_RECODE, (const uint32_t[]){f->number[onehot->inputs[0]]}, 1,
                         &(hb_fit_recode){.model = encoder, .asked = fit->asked});
    if (f->made.status == HBS_OK)
        hb_node_at(&f->made, added)->refuses = onehot->refuses & s->asked;
    return added;
}

/* The guard of the columns [first, first + width of the part) alone, if it asks something of them; else the part. */
static uint32_t add_guard(fusing *f, const sum *s, uint32_t part, size_t first)
{
    const hb_node *node = hb_node_at(f->old, part);
    const hb_fit_guard *fit = s->guard ? s->guard->fit : NULL;
    hb_fit_guard made = {0};
    bool asks = false;
    uint32_t added;

    for (size_t c = 0; fit && !node->value.finite && c < node->value.width; c++)
        asks = asks || fit->asked[first + c];
    if (!asks)
        return f->number[part];
    made = *fit;
    made.asked = fit->asked + first;
    made.demands = NULL; /* of sealing, which is over */
    added = hb_graph_add(&f->made, HB_OPERATOR_GUARD, &f->number[part], 1, &made);
    if (f->made.status == HBS_OK) {
        hb_node_at(&f->made, added)->refuses = s->guard->refuses & s->asked;
        hb_node_at(&f->made, added)->source = s->guard->source;
    }
    return added;
}

static hb_segment *put_picks(hb_segment *to, uint32_t input, const hb_encoder *encoder)
{
    for (uint32_t c = 0; c < encoder->n_columns; c++)
        *to++ = (hb_segment){
            .input = input, .first = c, .n_columns = 1, .n_weights = encoder->columns[c].count + 2, .picks = 1};
    return to;
}

/* Of one output, for the categories of a column: what each adds. */
static double *put_picked_weights(double *to, const double *weights, const hb_encoder *encoder, size_t c)
{
    const hb_encoder_column *column = &encoder->columns[c];
    const double *of = weights + column->base;

    for (uint32_t v = 0; v < column->count; v++) {
        int32_t output = encoder->outputs[column->first + v];

        *to++ = output >= 0 ? of[output] : 0;
    }
    *to++ = column->missing >= 0 ? of[column->missing] : 0;
    *to++ = column->unknown >= 0 ? of[column->unknown] : 0;
    return to;
}

/* The weights of one output, part by part. */
static void put_weights(const fusing *f, const sum *s, const bool *picked, const double *from, double *to)
{
    for (size_t p = 0; p < s->n_parts; p++) {
        const hb_node *part = hb_node_at(f->old, s->parts[p]);
        const hb_encoder *encoder = picked[p] ? &((const hb_fit_onehot *)part->fit)->model : NULL;

        for (size_t c = 0; encoder && c < encoder->n_columns; c++)
            to = put_picked_weights(to, from, encoder, c);
        if (!encoder) {
            memcpy(to, from, part->value.width * sizeof(*to));
            to += part->value.width;
        }
        from += part->value.width;
    }
}

/* A new node refuses rows for those who ask for the sum, so the old one need not. */
static void relieve(fusing *f, const sum *s, uint32_t node)
{
    hb_node_at(&f->made, f->number[node])->refuses &= ~s->asked;
}

/* Adds the nodes of the parts, and the segments; `picked` becomes which parts are. */
static hbs_status add_parts(fusing *f, const sum *s, bool *picked, uint32_t *inputs, hb_segment *segments)
{
    size_t first = 0;

    for (size_t p = 0; p < s->n_parts; p++) {
        const hb_node *part = hb_node_at(f->old, s->parts[p]);
        uint32_t width = (uint32_t)part->value.width;

        picked[p] = is_picked(f, s, s->parts[p], first);
        inputs[p] = picked[p] ? add_recode(f, s, part) : add_guard(f, s, s->parts[p], first);
        HB_TRY(hb_graph_check(&f->made, f->error));
        if (picked[p]) {
            relieve(f, s, s->parts[p]);
            hb_node_at(&f->made, inputs[p])->source = part->source;
            segments = put_picks(segments, (uint32_t)p, &((const hb_fit_onehot *)part->fit)->model);
        } else {
            *segments++ = (hb_segment){.input = (uint32_t)p, .n_columns = width, .n_weights = width};
        }
        first += width;
        HB_TRY(hb_worked(f->work, width, f->error));
    }
    return HBS_OK;
}

/* Of all parts, as if each encoder's columns were picked: room enough. */
static size_t most_segments(const fusing *f, const sum *s)
{
    size_t n = 0;

    for (size_t p = 0; p < s->n_parts; p++) {
        const hb_node *part = hb_node_at(f->old, s->parts[p]);

        n += part->kind == HB_OPERATOR_ONEHOT ? ((const hb_fit_onehot *)part->fit)->model.n_columns + 1 : 1;
    }
    return n;
}

static hbs_status add_sum(fusing *f, const sum *s, uint32_t *number)
{
    hb_arena *arena = f->old->arena;
    size_t most = most_segments(f, s);
    bool *picked = hb_arena_array(arena, s->n_parts, sizeof(*picked));
    uint32_t *inputs = hb_arena_array(arena, s->n_parts, sizeof(*inputs));
    hb_segment *segments = hb_arena_array(arena, most, sizeof(*segments));
    hb_fit_dense_segments made = {.n_outputs = s->fit->n_outputs, .segments = segments, .bias = s->fit->bias};
    double *weights;

    if (!picked || !inputs || !segments)
        return no_memory(f);
    HB_TRY(add_parts(f, s, picked, inputs, segments));
    while (made.n_segments < most && segments[made.n_segments].n_weights > 0)
        made.n_weights += segments[made.n_segments++].n_weights;
    weights = hb_arena_array(arena, made.n_outputs * made.n_weights, sizeof(*weights));
    if (!weights)
        return no_memory(f);
    for (size_t o = 0; o < made.n_outputs; o++) {
        put_weights(f, s, picked, s->fit->weights + o * s->fit->n_features, weights + o * made.n_weights);
        HB_TRY(hb_worked(f->work, made.n_weights, f->error));
    }
    if (s->guard)
        relieve(f, s, s->node->inputs[0]);
    made.weights = weights;
    *number = hb_graph_add(&f->made, HB_OPERATOR_DENSE_SEGMENTS, inputs, s->n_parts, &made);
    HB_TRY(hb_graph_check(&f->made, f->error));
    hb_node_at(&f->made, *number)->source = s->node->source;
    f->made.n_rewrites++;
    return HBS_OK;
}

/* ---- the pass */

static hbs_status begin(fusing *f)
{
    hb_arena *arena = f->old->arena;
    size_t n = f->old->nodes.count;
    bool there = true;

    for (size_t a = 0; a < HB_N_ASKERS; a++) {
        f->readers[a] = hb_arena_array(arena, n, sizeof(*f->readers[a]));
        there = there && f->readers[a];
    }
    f->number = hb_arena_array(arena, n, sizeof(*f->number));
    f->stack = hb_arena_array(arena, n + 1, sizeof(*f->stack));
    f->parts = hb_arena_array(arena, n + 1, sizeof(*f->parts));
    if (!there || !f->number || !f->stack || !f->parts)
        return no_memory(f);
    return count_readers(f);
}

static hbs_status has_sums(fusing *f, bool *found)
{
    sum s;

    *found = false;
    for (size_t i = 0; i < f->old->nodes.count && !*found; i++)
        HB_TRY(find_sum(f, i, &s, found));
    return HBS_OK;
}

static hbs_status build(fusing *f)
{
    bool found;
    sum s;

    hb_graph_begin_again(&f->made, f->old);
    for (size_t i = 0; i < f->old->nodes.count; i++) {
        HB_TRY(find_sum(f, i, &s, &found));
        if (found)
            HB_TRY(add_sum(f, &s, &f->number[i]));
        else
            f->number[i] = hb_graph_copy_node(&f->made, f->old, i, f->number);
        HB_TRY(hb_graph_check(&f->made, f->error));
    }
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        if (f->old->outputs[o] != HB_NO_NODE)
            f->made.outputs[o] = f->number[f->old->outputs[o]];
    return HBS_OK;
}

hbs_status hb_fuse(hb_graph *graph, hbs_error *error)
{
    fusing f = {.old = graph, .work = &graph->arena->memory->work, .error = error};
    hbs_status status;
    bool found;

    HB_TRY(begin(&f));
    HB_TRY(has_sums(&f, &found));
    if (!found)
        return HBS_OK;
    status = build(&f);
    hb_graph_release(status == HBS_OK ? graph : &f.made);
    if (status == HBS_OK)
        *graph = f.made;
    return status;
}
