/* onnx_channel_norms.c - InstanceNormalization and GroupNormalization: the numbers of a channel, or of some channels,
 * of each image less their mean, over their deviation; then scaled and shifted by numbers of the file. In float64; the
 * result rounds once. */
#include "format/onnx_groups.h"

typedef struct channels {
    hb_onnx_value x, scale, bias;
    size_t n_channels, n_groups;
    size_t per_number; /* channels that share a number of the file */
    double epsilon;
} channels;

static hbs_status read_channels(hb_onnx_file *file, const hb_onnx_node *node, channels *c)
{
    const hb_onnx_attribute *epsilon;

    HB_TRY(hb_onnx_operand(file, node, 0, &c->x));
    HB_TRY(hb_onnx_operand(file, node, 1, &c->scale));
    HB_TRY(hb_onnx_operand(file, node, 2, &c->bias));
    HB_TRY(hb_onnx_attribute_find(file, node, "epsilon", HB_ONNX_KIND_FLOAT, &epsilon));
    c->epsilon = epsilon ? (double)epsilon->number : (double)1e-5f;
    if (c->x.form != HB_ONNX_NUMBERS || (c->x.type != HB_ONNX_FLOAT && c->x.type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers");
    if (c->x.n_dims < 3)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it is of a tensor of %zu dimensions", c->x.n_dims);
    if (c->x.row > 0)
        return hb_onnx_mixes_rows(file, node);
    c->n_channels = (size_t)c->x.dims[1];
    return HBS_OK;
}

/* The numbers of a group follow each other. */
static hbs_status group(hb_onnx_file *file, const hb_onnx_node *node, const channels *c, hb_onnx_groups *g)
{
    const int64_t images = c->x.dims[0], groups = (int64_t)c->n_groups;
    const int64_t dims[3] = {images, groups, (int64_t)c->x.width / (images * groups)};

    *g = (hb_onnx_groups){.r = {.value = c->x, .axes = 1u << 2, .keep = 1}};
    HB_TRY(hb_onnx_reshape_value(file, node, &g->r.value, dims, 3));
    return hb_onnx_group(file, g);
}

static hbs_status give(hb_onnx_file *file, const hb_onnx_node *node, const channels *c)
{
    double *scale = hb_arena_array(&file->pipeline->arena, c->x.width, sizeof(*scale));
    double *bias = hb_arena_array(&file->pipeline->arena, c->x.width, sizeof(*bias));
    hb_fit_combine scaled = {.function = HB_COMBINE_MULTIPLY, .n_outputs = c->x.width, .numbers = scale};
    hb_fit_combine shifted = {
        .function = HB_COMBINE_ADD, .rounding = hb_onnx_rounding(c->x.type), .n_outputs = c->x.width, .numbers = bias};
    size_t inner = c->x.width / ((size_t)c->x.dims[0] * c->n_channels), value, mean, deviation;
    hb_onnx_groups g;

    if (!scale || !bias)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < c->x.width; i++) {
        size_t of = i / inner % c->n_channels / c->per_number;

        scale[i] = hb_onnx_item(&c->scale, of);
        bias[i] = hb_onnx_item(&c->bias, of);
    }
    HB_TRY(hb_worked(file->bytes.work, 4 * c->x.width, file->error));
    HB_TRY(group(file, node, c, &g));
    value = hb_onnx_standardized(file, &g, c->epsilon, &mean, &deviation);
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, value, &scaled);
    value = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, value, &shifted);
    return hb_onnx_give_groups(file, node, &g, &c->x, value);
}

static hbs_status check_numbers(hb_onnx_file *file, const hb_onnx_node *node, const channels *c)
{
    size_t n = c->n_channels / c->per_number;

    if (!c->scale.numbers || !c->bias.numbers || c->scale.width != n || c->bias.width != n)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it with %zu numbers of the file for each",
                              n);
    return HBS_OK;
}

hbs_status hb_onnx_instance_normalization(hb_onnx_file *file, const hb_onnx_node *node)
{
    channels c = {.per_number = 1};

    HB_TRY(read_channels(file, node, &c));
    c.n_groups = c.n_channels;
    HB_TRY(check_numbers(file, node, &c));
    return give(file, node, &c);
}

/* Until opset 20 the numbers are of groups. */
hbs_status hb_onnx_group_normalization(hb_onnx_file *file, const hb_onnx_node *node)
{
    channels c = {.per_number = 1};
    int64_t groups;

    HB_TRY(read_channels(file, node, &c));
    HB_TRY(hb_onnx_integer(file, node, "num_groups", 0, &groups));
    if (groups < 1 || (uint64_t)groups > c.n_channels || c.n_channels % (uint64_t)groups)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %lld groups of %zu channels", (long long)groups,
                              c.n_channels);
    c.n_groups = (size_t)groups;
    c.per_number = file->opset < 21 ? c.n_channels / c.n_groups : 1;
    HB_TRY(check_numbers(file, node, &c));
    return give(file, node, &c);
}
