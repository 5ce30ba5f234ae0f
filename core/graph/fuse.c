/* fuse.c - a weighted sum of one-hot columns adds, for each category, the weight that it picks. The columns of 0 and 1
 * are not made.
 *
 *     dense(guard(concat(numbers, onehot(categories))))  ->  dense_segments(guard(numbers), recode(categories))
 *     product32(narrow(concat(numbers, onehot(categories))))  ->  narrow(dense_segments(numbers, recode(categories)))
 *
 * A sum starts at +0 and is never -0. So the products of 0 and a finite weight, which are left out, change no bit. In
 * float32 fused products can round to -0; then the bias, which is added last and is not -0, makes it the same +0.
 * A recode stands where its one-hot stood: a row with several categories that are refused is refused for the same one.
 */
#include <math.h>
#include <string.h>

#include "graph/pass.h"
#include "graph/rebuild.h"

/* A weighted sum and what it reads: fusing.parts, whose columns stand side by side. */
typedef struct sum {
    const hb_node *node;           /* dense, or product32 of what a narrow makes of the columns */
    const hb_fit_dense *fit;       /* its weights.. */
    const hb_fit_product32 *fit32; /* ..or these; NULL: the others */
    size_t n_outputs, n_features;
    const hb_node *guard; /* between the sum and its columns; NULL: there is none */
    size_t n_parts;       /* 0: the node is no sum that can be fused */
    uint32_t asked;       /* HBS_OUT_...: all outputs of those who ask for it */
} sum;

typedef struct fusing {
    hb_graph *old;
    hb_graph made;
    uint32_t *number;               /* [nodes]: of the old node in the new graph */
    uint32_t *readers[HB_N_ASKERS]; /* [nodes]: how many nodes and outputs read it for this asker */
    uint32_t *picked;               /* [nodes]: HBS_OUT_...: of a one-hot, for which a sum picks weights instead */
    uint32_t *recode;               /* [nodes]: of such a one-hot, the new node whose numbers pick */
    uint32_t *stack, *parts;        /* [nodes + 1]: room for the parts of a sum */
    size_t most_added;              /* so many new nodes at most */
    hb_work *work;
    hbs_error *error;
} fusing;

/* The segments of a sum, as far as they are known. */
typedef struct segment_list {
    hb_segment *items;
    size_t count, n_weights;
} segment_list;

static hbs_status no_memory(const fusing *f)
{
    return hb_no_memory(f->old->arena->memory, f->error);
}

/* The one-hot's columns that belong to column c of its input. */
static uint32_t columns_of(const hb_encoder *encoder, size_t c)
{
    size_t end = c + 1 < encoder->n_columns ? encoder->columns[c + 1].base : encoder->width;

    return (uint32_t)(end - encoder->columns[c].base);
}

static const hb_encoder *onehot_of(const fusing *f, size_t node)
{
    return &((const hb_fit_onehot *)hb_node_at(f->old, node)->fit)->model;
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
        for (size_t a = 0; f->old->outputs[o] != HB_NO_NODE && a < HB_N_ASKERS; a++)
            f->readers[a][f->old->outputs[o]] += outputs_of[a] >> o & 1;
    return HBS_OK;
}

/* For each of those who ask for the sum, only one node reads this one. */
static bool is_read_once(const fusing *f, const sum *s, size_t node)
{
    for (size_t a = 0; a < HB_N_ASKERS; a++)
        if (s->asked & outputs_of[a] && f->readers[a][node] != 1)
            return false;
    return true;
}

/* ---- sums that can be fused */

/* Sets the sum's parts: the inputs of the concats behind it, from the left. There are none if one is the same for every
 * row: such a value is one row of numbers, however many rows a tile has. */
static hbs_status find_parts(fusing *f, sum *s, uint32_t from)
{
    size_t n = 0;
    bool constant = false;

    f->stack[n++] = from;
    while (n > 0) {
        uint32_t i = f->stack[--n];
        const hb_node *node = hb_node_at(f->old, i);

        if (node->kind == HB_OPERATOR_CONCAT && is_read_once(f, s, i)) {
            for (size_t k = node->n_inputs; k-- > 0;)
                f->stack[n++] = node->inputs[k];
        } else {
            f->parts[s->n_parts++] = i;
            constant = constant || node->value.constant;
        }
        HB_TRY(hb_graph_worked(f->old, 1, f->error));
    }
    s->n_parts = constant ? 0 : s->n_parts;
    return HBS_OK;
}

/* The weights of a dense node, or of a product32. */
static bool take_weights(const hb_node *node, sum *s)
{
    *s = (sum){.node = node};
    if (node->kind == HB_OPERATOR_DENSE) {
        s->fit = node->fit;
        s->n_outputs = s->fit->n_outputs;
        s->n_features = s->fit->n_features;
    } else if (node->kind == HB_OPERATOR_PRODUCT32) {
        s->fit32 = node->fit;
        s->n_outputs = s->fit32->n_outputs;
        s->n_features = s->fit32->n_features;
    }
    return s->fit || s->fit32;
}

static double weight_of(const sum *s, size_t i)
{
    return s->fit ? s->fit->weights[i] : (double)s->fit32->weights[i];
}

/* Float32 sums read what a narrow has made, which the fused one does by itself. */
static bool is_narrowed(const fusing *f, const sum *s, uint32_t from)
{
    const hb_node *node = hb_node_at(f->old, from);

    for (size_t o = 0; o < s->n_outputs; o++)
        if (s->fit32->bias[o] == 0 && signbit(s->fit32->bias[o]))
            return false;
    return node->kind == HB_OPERATOR_NARROW && !((const hb_fit_narrow *)node->fit)->needs_finite && !node->refuses &&
           is_read_once(f, s, from);
}

static hbs_status find_sum(fusing *f, size_t i, sum *s)
{
    const hb_node *node = hb_node_at(f->old, i);
    uint32_t from;

    if (!take_weights(node, s) || !node->outputs)
        return HBS_OK;
    for (size_t a = 0; a < HB_N_ASKERS; a++)
        s->asked |= node->outputs & outputs_of[a] ? outputs_of[a] : 0;
    from = node->inputs[0];
    if (s->fit32 && !is_narrowed(f, s, from))
        return HBS_OK;
    if (s->fit32)
        from = hb_node_at(f->old, from)->inputs[0];
    else if (hb_node_at(f->old, from)->kind == HB_OPERATOR_GUARD && is_read_once(f, s, from)) {
        s->guard = hb_node_at(f->old, from);
        from = s->guard->inputs[0];
    }
    return find_parts(f, s, from);
}

/* To look up a category and its weight takes as long as five columns (with AVX2; with AVX-512 three). Of many outputs a
 * BLAS may take the product. */
static bool pays(const hb_encoder *encoder, size_t n_outputs)
{
    enum { MOST_OUTPUTS = 16, COLUMNS = 5 };

    return n_outputs <= MOST_OUTPUTS && encoder->width >= COLUMNS * encoder->n_columns;
}

/* A recode refuses what is missing or unknown, but none of its values. False also where the host wants to stop. */
static bool takes_all_values(fusing *f, const hb_encoder *encoder)
{
    for (size_t v = 0; v < encoder->n_values; v++)
        if (encoder->outputs[v] == HB_OUTPUT_REFUSE || !hb_goes_on(f->work, 1))
            return false;
    return true;
}

/* The weights of the columns [first, first + n). False also where the host wants to stop. */
static bool are_finite(fusing *f, const sum *s, size_t first, size_t n)
{
    for (size_t o = 0; o < s->n_outputs; o++) {
        for (size_t c = first; c < first + n; c++)
            if (!isfinite(weight_of(s, o * s->n_features + c)))
                return false;
        if (!hb_goes_on(f->work, n))
            return false;
    }
    return true;
}

/* A sum whose columns [first, first + width of the part) are the part's can do without them. */
static bool can_pick(fusing *f, const sum *s, size_t part, size_t first)
{
    const hb_encoder *encoder = hb_node_at(f->old, part)->kind == HB_OPERATOR_ONEHOT ? onehot_of(f, part) : NULL;

    return encoder && is_read_once(f, s, part) && pays(encoder, s->n_outputs) && takes_all_values(f, encoder) &&
           are_finite(f, s, first, encoder->width);
}

/* As only one node reads a picked one-hot for an asker, no other sum of this asker has marked it. */
static bool is_picked(const fusing *f, const sum *s, size_t p)
{
    return f->picked[f->parts[p]] & s->asked;
}

static bool has_picked(const fusing *f, const sum *s)
{
    for (size_t p = 0; p < s->n_parts; p++)
        if (is_picked(f, s, p))
            return true;
    return false;
}

/* Marks the one-hots whose columns need not be made. */
static hbs_status mark_picked(fusing *f)
{
    for (size_t i = 0; i < f->old->nodes.count; i++) {
        size_t first = 0;
        sum s;

        HB_TRY(find_sum(f, i, &s));
        for (size_t p = 0; p < s.n_parts; p++) {
            if (can_pick(f, &s, f->parts[p], first))
                f->picked[f->parts[p]] |= s.asked;
            first += hb_node_at(f->old, f->parts[p])->value.width;
        }
        HB_TRY(hb_work_status(f->work, f->error));
        HB_TRY(hb_graph_worked(f->old, 1 + s.n_parts, f->error));
        if (has_picked(f, &s))
            f->most_added += s.n_parts + (s.fit32 ? 1 : 0); /* a recode or a guard of each, a narrow of the sums */
    }
    return HBS_OK;
}

/* ---- the new nodes */

/* The place of a category's weight: behind that of 0, which all pick that have no column. */
static double place_of(int32_t output)
{
    return output >= 0 ? output + 1 : 0;
}

static hbs_status make_places(fusing *f, hb_encoder *encoder)
{
    hb_encoder_column *columns = hb_arena_array(f->old->arena, encoder->n_columns, sizeof(*columns));
    double *numbers = hb_arena_array(f->old->arena, encoder->n_values, sizeof(*numbers));

    if (!columns || !numbers)
        return no_memory(f);
    for (size_t c = 0; c < encoder->n_columns; c++) {
        columns[c] = encoder->columns[c];
        columns[c].missing_number = place_of(columns[c].missing);
        columns[c].unknown_number = place_of(columns[c].unknown);
        columns[c].missing = columns[c].missing == HB_OUTPUT_REFUSE ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE;
        columns[c].unknown = columns[c].unknown == HB_OUTPUT_REFUSE ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE;
    }
    for (size_t v = 0; v < encoder->n_values; v++) {
        numbers[v] = place_of(encoder->outputs[v]);
        HB_TRY(hb_worked(f->work, 1, f->error));
    }
    encoder->columns = columns;
    encoder->numbers = numbers;
    encoder->outputs = NULL;
    encoder->width = encoder->n_columns;
    return HBS_OK;
}

/* Of a one-hot, for those who pick. */
static hbs_status add_recode(fusing *f, size_t i)
{
    const hb_node *onehot = hb_node_at(f->old, i);
    const hb_fit_onehot *from = onehot->fit;
    hb_fit_recode fit = {.model = from->model, .asked = from->asked, .failure = from->failure};
    hb_node *recode;

    HB_TRY(make_places(f, &fit.model));
    f->recode[i] = hb_graph_add(&f->made, HB_OPERATOR_RECODE, &f->number[onehot->inputs[0]], 1, &fit);
    HB_TRY(hb_graph_check(&f->made, f->error));
    recode = hb_node_at(&f->made, f->recode[i]);
    recode->source = onehot->source;
    recode->refuses = onehot->refuses & f->picked[i];
    hb_node_at(&f->made, f->number[i])->refuses &= ~f->picked[i];
    return HBS_OK;
}

/* The guard of a part alone, whose columns are those from `first` on, if it asks something of them; else the part. */
static uint32_t add_guard(fusing *f, const sum *s, uint32_t part, size_t first)
{
    const hb_node *node = hb_node_at(f->old, part);
    const hb_fit_guard *fit = s->guard ? s->guard->fit : NULL;
    bool asks = false;
    uint32_t added;

    for (size_t c = 0; fit && !node->value.finite && c < node->value.width; c++)
        asks = asks || fit->asked[first + c];
    if (!asks)
        return f->number[part];
    added = hb_graph_add(&f->made, HB_OPERATOR_GUARD, &f->number[part], 1,
                         &(hb_fit_guard){.takes_missing = fit->takes_missing,
                                         .asked = fit->asked + first,
                                         .failure = hb_failure_from(&fit->failure, first)});
    if (f->made.status == HBS_OK) {
        hb_node_at(&f->made, added)->source = s->guard->source;
        hb_node_at(&f->made, added)->refuses = s->guard->refuses & s->asked;
    }
    return added;
}

/* The guards of the parts refuse rows for those who ask for the sum, so that of all columns need not. */
static void relieve_guard(fusing *f, const sum *s)
{
    if (s->guard)
        hb_node_at(&f->made, f->number[s->node->inputs[0]])->refuses &= ~s->asked;
}

static void put_segment(segment_list *list, hb_segment segment)
{
    list->items[list->count++] = segment;
    list->n_weights += segment.n_weights;
}

/* Adds what part p becomes, which is input p of the sum, and its segments. */
static hbs_status add_part(fusing *f, const sum *s, size_t p, size_t first, uint32_t *inputs, segment_list *list)
{
    uint32_t part = f->parts[p], width = (uint32_t)hb_node_at(f->old, part)->value.width;
    const hb_encoder *encoder = is_picked(f, s, p) ? onehot_of(f, part) : NULL;

    for (uint32_t c = 0; encoder && c < encoder->n_columns; c++)
        put_segment(
            list,
            (hb_segment){
                .input = (uint32_t)p, .first = c, .n_columns = 1, .n_weights = columns_of(encoder, c) + 1, .picks = 1});
    if (!encoder)
        put_segment(list, (hb_segment){.input = (uint32_t)p, .n_columns = width, .n_weights = width});
    inputs[p] = encoder ? f->recode[part] : add_guard(f, s, part, first);
    HB_TRY(hb_graph_check(&f->made, f->error));
    return hb_worked(f->work, width, f->error);
}

/* Weights of output o, from column c on. */
static void copy_weights(const sum *s, size_t o, size_t c, size_t n, double *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = weight_of(s, o * s->n_features + c + i);
}

/* Of one output, segment by segment. Before the weights of a category's columns stays a 0. */
static void put_weights(const fusing *f, const sum *s, const hb_segment *segment, size_t o, double *to)
{
    size_t first = 0;

    for (size_t p = 0; p < s->n_parts; p++) {
        size_t width = hb_node_at(f->old, f->parts[p])->value.width;
        const hb_encoder *encoder = is_picked(f, s, p) ? onehot_of(f, f->parts[p]) : NULL;

        for (size_t c = 0; encoder && c < encoder->n_columns; c++) {
            copy_weights(s, o, first + encoder->columns[c].base, columns_of(encoder, c), to + 1);
            to += segment++->n_weights;
        }
        if (!encoder) {
            copy_weights(s, o, first, width, to);
            to += segment++->n_weights;
        }
        first += width;
    }
}

static size_t count_segments(const fusing *f, const sum *s)
{
    size_t n = 0;

    for (size_t p = 0; p < s->n_parts; p++)
        n += is_picked(f, s, p) ? onehot_of(f, f->parts[p])->n_columns : 1;
    return n;
}

static hbs_status make_weights(fusing *f, const sum *s, hb_fit_dense_segments *made)
{
    double *weights = hb_arena_array(f->old->arena, made->n_outputs * made->n_weights, sizeof(*weights));

    if (!weights)
        return no_memory(f);
    for (size_t o = 0; o < made->n_outputs; o++) {
        put_weights(f, s, made->segments, o, weights + o * made->n_weights);
        HB_TRY(hb_worked(f->work, made->n_weights, f->error));
    }
    made->weights = weights;
    return HBS_OK;
}

static hbs_status make_bias(fusing *f, const sum *s, hb_fit_dense_segments *made)
{
    double *bias;

    made->bias = s->fit ? s->fit->bias : NULL;
    if (s->fit)
        return HBS_OK;
    bias = hb_arena_array(f->old->arena, s->n_outputs, sizeof(*bias));
    if (!bias)
        return no_memory(f);
    for (size_t o = 0; o < s->n_outputs; o++)
        bias[o] = (double)s->fit32->bias[o];
    made->bias = bias;
    return HBS_OK;
}

static hbs_status add_sum(fusing *f, const sum *s, uint32_t *number)
{
    hb_arena *arena = f->old->arena;
    uint32_t *inputs = hb_arena_array(arena, s->n_parts, sizeof(*inputs));
    segment_list list = {.items = hb_arena_array(arena, count_segments(f, s), sizeof(*list.items))};
    hb_fit_dense_segments made = {.n_outputs = s->n_outputs, .in_float32 = s->fit32 != NULL};
    size_t first = 0;

    if (!inputs || !list.items)
        return no_memory(f);
    for (size_t p = 0; p < s->n_parts; p++) {
        HB_TRY(add_part(f, s, p, first, inputs, &list));
        first += hb_node_at(f->old, f->parts[p])->value.width;
    }
    relieve_guard(f, s);
    made.segments = list.items;
    made.n_segments = list.count;
    made.n_weights = list.n_weights;
    HB_TRY(make_weights(f, s, &made));
    HB_TRY(make_bias(f, s, &made));
    *number = hb_graph_add(&f->made, HB_OPERATOR_DENSE_SEGMENTS, inputs, s->n_parts, &made);
    HB_TRY(hb_graph_check(&f->made, f->error));
    hb_node_at(&f->made, *number)->source = s->node->source;
    if (s->fit32) {
        *number = hb_graph_add(&f->made, HB_OPERATOR_NARROW, number, 1, &(hb_fit_narrow){false});
        HB_TRY(hb_graph_check(&f->made, f->error));
        hb_node_at(&f->made, *number)->source = s->node->source;
    }
    f->made.n_rewrites++;
    return HBS_OK;
}

/* ---- the pass */

static hbs_status begin(fusing *f)
{
    hb_arena *arena = f->old->arena;
    size_t n = f->old->nodes.count + 1;
    uint32_t **arrays[] = {&f->number, &f->picked, &f->recode, &f->stack, &f->parts, &f->readers[0], &f->readers[1]};

    _Static_assert(HB_N_ASKERS == 2, "each asker has its readers");
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        *arrays[i] = hb_arena_array(arena, n, sizeof(**arrays[i]));
        if (!*arrays[i])
            return no_memory(f);
    }
    return count_readers(f);
}

static hbs_status build_node(fusing *f, size_t i)
{
    enum { NODES_A_NODE = 4 }; /* to make one is as much as to look at some */
    sum s;

    HB_TRY(find_sum(f, i, &s));
    HB_TRY(hb_graph_worked(f->old, NODES_A_NODE + s.n_parts, f->error));
    if (has_picked(f, &s))
        return add_sum(f, &s, &f->number[i]);
    f->number[i] = hb_graph_copy_node(&f->made, f->old, i, f->number);
    HB_TRY(hb_graph_check(&f->made, f->error));
    return f->picked[i] ? add_recode(f, i) : HBS_OK;
}

static hbs_status build(fusing *f)
{
    hb_graph_begin_again(&f->made, f->old);
    for (size_t i = 0; i < f->old->nodes.count; i++)
        HB_TRY(build_node(f, i));
    for (size_t o = 0; o < HB_N_OUTPUTS; o++)
        if (f->old->outputs[o] != HB_NO_NODE)
            f->made.outputs[o] = f->number[f->old->outputs[o]];
    return HBS_OK;
}

hbs_status hb_fuse(hb_graph *graph, hbs_error *error)
{
    fusing f = {.old = graph, .work = &graph->arena->memory->work, .error = error};
    hbs_status status;

    HB_TRY(begin(&f));
    HB_TRY(mark_picked(&f));
    if (f.most_added == 0 || graph->nodes.count + f.most_added > HB_MAX_NODES)
        return HBS_OK;
    status = build(&f);
    hb_graph_release(status == HBS_OK ? graph : &f.made);
    if (status == HBS_OK)
        *graph = f.made;
    return status;
}
