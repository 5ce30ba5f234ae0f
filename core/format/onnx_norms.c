/* onnx_norms.c - BatchNormalization of a network that predicts: each channel, which is axis 1, shifted and scaled by
 * numbers of the file. LayerNormalization: the numbers of some axes less their mean, over their deviation. In float64;
 * the result rounds once. */
#include <math.h>
#include <string.h>

#include "format/onnx_groups.h"
#include "format/onnx_windows.h"

enum { SCALE = 1, BIAS, MEAN, VARIANCE, INPUTS };

typedef struct normalization {
    hb_onnx_value x, of[INPUTS]; /* of[0] is not used */
    double epsilon;
} normalization;

static hbs_status read_channels(hb_onnx_file *file, const hb_onnx_node *node, normalization *n)
{
    size_t channels = n->x.n_dims > 1 ? (size_t)n->x.dims[1] : 1;

    for (size_t k = SCALE; k < INPUTS; k++) {
        HB_TRY(hb_onnx_operand(file, node, k, &n->of[k]));
        if (!n->of[k].numbers || n->of[k].width != channels)
            return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                                  "hbscore reads it with a number of the file for each of %zu channels", channels);
    }
    if (n->x.row == 1)
        return hb_onnx_mixes_rows(file, node);
    return HBS_OK;
}

/* Each channel becomes x * factor + shift. */
typedef struct channels {
    double *factors, *shifts;
} channels;

static hbs_status find_channels(hb_onnx_file *file, const normalization *n, channels *c)
{
    size_t count = n->of[SCALE].width;

    c->factors = hb_arena_array(&file->arena, count, sizeof(*c->factors));
    c->shifts = hb_arena_array(&file->arena, count, sizeof(*c->shifts));
    if (!c->factors || !c->shifts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < count; i++) {
        c->factors[i] = hb_onnx_item(&n->of[SCALE], i) / sqrt(hb_onnx_item(&n->of[VARIANCE], i) + n->epsilon);
        c->shifts[i] = hb_onnx_item(&n->of[BIAS], i) - hb_onnx_item(&n->of[MEAN], i) * c->factors[i];
    }
    return hb_worked(file->bytes.work, 16 * count, file->error);
}

static hbs_status add_scaled(hb_onnx_file *file, const normalization *n, const channels *c, size_t *value)
{
    double *factors = hb_arena_array(&file->pipeline->arena, n->x.width, sizeof(*factors));
    double *shifts = hb_arena_array(&file->pipeline->arena, n->x.width, sizeof(*shifts));
    size_t inner = 1;

    if (!factors || !shifts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 2; i < n->x.n_dims; i++)
        inner *= (size_t)n->x.dims[i];
    for (size_t i = 0; i < n->x.width; i++) {
        factors[i] = c->factors[i / inner % n->of[SCALE].width];
        shifts[i] = c->shifts[i / inner % n->of[SCALE].width];
    }
    *value = hb_pipeline_add(
        file->pipeline, HB_OPERATOR_COMBINE, hb_onnx_wide(file, &n->x),
        &(hb_fit_combine){.function = HB_COMBINE_MULTIPLY, .n_outputs = n->x.width, .numbers = factors});
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, *value,
                             &(hb_fit_combine){.function = HB_COMBINE_ADD,
                                               .rounding = hb_onnx_rounding(n->x.type),
                                               .n_outputs = n->x.width,
                                               .numbers = shifts});
    return hb_worked(file->bytes.work, n->x.width, file->error);
}

/* A convolution takes factors into its weights. */
static hbs_status give_channels(hb_onnx_file *file, const hb_onnx_node *node, normalization *n)
{
    size_t value = 0;
    channels c;

    HB_TRY(find_channels(file, n, &c));
    HB_TRY(hb_onnx_convolution_scaled(file, &n->x, c.factors, c.shifts, &value));
    if (!value) {
        HB_TRY(add_scaled(file, n, &c, &value));
        return hb_onnx_give_numbers(file, node, &n->x, value);
    }
    hb_onnx_make_numbers(file, &n->x, value);
    n->x.is_float32 = true;
    return hb_onnx_give(file, node, 0, &n->x);
}

hbs_status hb_onnx_batch_normalization(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_attribute *epsilon;
    normalization n = {.epsilon = (double)1e-5f};
    int64_t training;

    HB_TRY(hb_onnx_operand(file, node, 0, &n.x));
    HB_TRY(hb_onnx_integer(file, node, "training_mode", 0, &training));
    HB_TRY(hb_onnx_attribute_find(file, node, "epsilon", HB_ONNX_KIND_FLOAT, &epsilon));
    n.epsilon = epsilon ? (double)epsilon->number : n.epsilon;
    if (training || node->n_outputs > 1)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it is in training mode: export the model after eval()");
    if (n.x.form != HB_ONNX_NUMBERS || (n.x.type != HB_ONNX_FLOAT && n.x.type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers");
    HB_TRY(read_channels(file, node, &n));
    return give_channels(file, node, &n);
}

/* ---- LayerNormalization */

/* The file's number for each item, in the order of the groups; it is broadcast to x. */
static hbs_status spread(hb_onnx_file *file, const hb_onnx_node *node, size_t input, const hb_onnx_groups *g,
                         const hb_onnx_value *x, double *to)
{
    hb_onnx_value value;

    HB_TRY(hb_onnx_operand(file, node, input, &value));
    if (value.form == HB_ONNX_NOTHING) {
        memset(to, 0, x->width * sizeof(*to));
        return HBS_OK;
    }
    if (!value.numbers || value.n_dims > x->n_dims)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it with numbers of the file");
    for (size_t d = 0; d < value.n_dims; d++)
        if (value.dims[d] != 1 && value.dims[d] != x->dims[x->n_dims - value.n_dims + d])
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "input %zu does not have the shape of the axes", input);
    for (size_t i = 0; i < x->width; i++) {
        size_t place = hb_onnx_broadcast_place(&value, x->dims, x->n_dims, g->order ? g->order[i] : i);

        to[i] = hb_onnx_item(&value, place);
    }
    return hb_worked(file->bytes.work, x->width, file->error);
}

typedef struct layers {
    hb_onnx_groups groups;
    hb_onnx_value x;
    size_t first; /* of the axes of a group, which are the last ones */
    double epsilon;
    size_t mean, deviation; /* of the pipeline: a number of each group */
} layers;

/* Output k: a function of a number of each group. */
static hbs_status give_of_groups(hb_onnx_file *file, const hb_onnx_node *node, const layers *l, size_t k, size_t value,
                                 hb_map_function function)
{
    hb_onnx_value made = l->x;

    if (k >= node->n_outputs)
        return HBS_OK;
    for (size_t d = l->first; d < made.n_dims; d++)
        made.dims[d] = 1;
    made.width /= l->groups.n_terms;
    hb_onnx_make_numbers(file, &made,
                         hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value,
                                         &(hb_fit_map){.function = function, .rounding = hb_onnx_rounding(made.type)}));
    return hb_onnx_give(file, node, k, &made);
}

static hbs_status give_layers(hb_onnx_file *file, const hb_onnx_node *node, layers *l)
{
    double *scale = hb_arena_array(&file->pipeline->arena, l->x.width, sizeof(*scale));
    double *bias = hb_arena_array(&file->pipeline->arena, l->x.width, sizeof(*bias));
    hb_fit_combine scaled = {.function = HB_COMBINE_MULTIPLY, .n_outputs = l->x.width, .numbers = scale};
    hb_fit_combine shifted = {
        .function = HB_COMBINE_ADD, .rounding = hb_onnx_rounding(l->x.type), .n_outputs = l->x.width, .numbers = bias};
    size_t value;

    if (!scale || !bias)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(spread(file, node, 1, &l->groups, &l->x, scale));
    HB_TRY(spread(file, node, 2, &l->groups, &l->x, bias));
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE,
                            hb_onnx_standardized(file, &l->groups, l->epsilon, &l->mean, &l->deviation), &scaled);
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, value, &shifted);
    HB_TRY(give_of_groups(file, node, l, 1, l->mean, HB_MAP_SAME));
    HB_TRY(give_of_groups(file, node, l, 2, l->deviation, HB_MAP_RECIPROCAL));
    return hb_onnx_give_groups(file, node, &l->groups, &l->x, value);
}

/* Its axes are the last ones, so the groups are in the order of x. */
hbs_status hb_onnx_layer_normalization(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_attribute *epsilon;
    layers l = {.epsilon = (double)1e-5f};
    hb_onnx_value *x = &l.x;
    int64_t axis;

    HB_TRY(hb_onnx_each(file, node, 0, x));
    HB_TRY(hb_onnx_integer(file, node, "axis", -1, &axis));
    HB_TRY(hb_onnx_axis(file, node, axis, x->n_dims, &l.first));
    HB_TRY(hb_onnx_attribute_find(file, node, "epsilon", HB_ONNX_KIND_FLOAT, &epsilon));
    if (epsilon)
        l.epsilon = (double)epsilon->number;
    if (x->form != HB_ONNX_NUMBERS || (x->type != HB_ONNX_FLOAT && x->type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers");
    l.groups.r = (hb_onnx_reduction){.value = *x, .axes = ((1u << x->n_dims) - 1) & ~((1u << l.first) - 1), .keep = 1};
    HB_TRY(hb_onnx_check_reduction(file, node, &l.groups.r));
    HB_TRY(hb_onnx_group(file, &l.groups));
    return give_layers(file, node, &l);
}
