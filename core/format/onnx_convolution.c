/* onnx_convolution.c - Conv of a row's images with weights of the file, in float32: each sum takes one accumulator, the
 * channels in their order and within each the items of the window, fused products, and the bias last. A
 * BatchNormalization behind it becomes other weights, as in ONNX Runtime, and a Relu or Clip limits of the sums. */
#include <float.h>
#include <math.h>

#include "format/onnx_windows.h"

static hbs_status read_weights(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_convolution *c)
{
    HB_TRY(hb_onnx_operand(file, node, 1, &c->weights));
    HB_TRY(hb_onnx_operand(file, node, 2, &c->bias));
    if (!c->weights.numbers || (c->bias.form != HB_ONNX_NOTHING && !c->bias.numbers))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it with weights of the file");
    if (c->weights.n_dims < 3 || c->weights.n_dims > 5)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its weights have %zu dimensions", c->weights.n_dims);
    HB_TRY(hb_onnx_windows_read(file, node, c->weights.dims + 2, &c->w));
    if (c->weights.n_dims != c->w.x.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its weights have %zu dimensions, its input %zu",
                              c->weights.n_dims, c->w.x.n_dims);
    if (c->w.x.type != HB_ONNX_FLOAT || c->weights.type != HB_ONNX_FLOAT ||
        (c->bias.form != HB_ONNX_NOTHING && c->bias.type != HB_ONNX_FLOAT))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads convolutions of float32");
    return HBS_OK;
}

static hbs_status check_groups(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_convolution *c)
{
    int64_t groups;

    HB_TRY(hb_onnx_integer(file, node, "group", 1, &groups));
    c->n_outputs = (size_t)c->weights.dims[0];
    if (groups < 1 || (uint64_t)groups > c->w.n_channels || c->w.n_channels % (uint64_t)groups ||
        c->n_outputs % (uint64_t)groups || c->n_outputs == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has %lld groups for %zu channels and %zu outputs",
                              (long long)groups, c->w.n_channels, c->n_outputs);
    c->n_groups = (size_t)groups;
    if ((size_t)c->weights.dims[1] != c->w.n_channels / c->n_groups)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its weights are for %lld channels of %zu, in %zu groups",
                              (long long)c->weights.dims[1], c->w.n_channels, c->n_groups);
    if (c->bias.form != HB_ONNX_NOTHING && c->bias.width != c->n_outputs)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it has a bias of %zu numbers for %zu outputs", c->bias.width,
                              c->n_outputs);
    return HBS_OK;
}

/* From [outputs][terms] of a group to [terms][outputs]. */
static hbs_status turn_weights(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_convolution *c,
                               float *weights, float *bias)
{
    size_t outputs = c->n_outputs / c->n_groups, terms = c->weights.width / c->n_outputs;

    for (size_t o = 0; o < c->n_outputs; o++) {
        float *to = weights + o / outputs * outputs * terms + o % outputs;

        bias[o] = c->bias.form == HB_ONNX_NOTHING ? 0 : (float)hb_onnx_item(&c->bias, o) + 0.0f; /* which -0 becomes */
        for (size_t t = 0; t < terms; t++) {
            to[t * outputs] = (float)hb_onnx_item(&c->weights, o * terms + t);
            if (!isfinite(to[t * outputs]))
                return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                                      "a weight is infinite or missing, and hbscore reads finite ones");
        }
        HB_TRY(hb_worked(file->bytes.work, 2 * terms, file->error));
    }
    return HBS_OK;
}

static hbs_status add_convolution(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_convolution *c,
                                  size_t *value)
{
    hb_fit_convolution fit = {.n_images = c->w.n_images,
                              .n_groups = c->n_groups,
                              .n_channels = c->w.n_channels / c->n_groups,
                              .n_outputs = c->n_outputs / c->n_groups,
                              .windows = c->w.windows,
                              .limits = {-INFINITY, INFINITY},
                              .n_weights = c->weights.width + HB_CONVOLUTION_TAIL};
    float *weights = hb_arena_array(&file->pipeline->arena, fit.n_weights, sizeof(*weights));
    float *bias = hb_arena_array(&file->pipeline->arena, c->n_outputs, sizeof(*bias));

    if (!weights || !bias)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(turn_weights(file, node, c, weights, bias));
    fit.weights = weights;
    fit.bias = bias;
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_CONVOLUTION, hb_onnx_narrowed(file, &c->w.x), &fit);
    return HBS_OK;
}

hbs_status hb_onnx_convolve(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_convolution *c)
{
    hb_onnx_value made;
    size_t value = 0;

    HB_TRY(hb_onnx_windows_shape(file, node, &c->w, c->n_outputs, &made));
    HB_TRY(add_convolution(file, node, c, &value));
    hb_onnx_make_numbers(file, &made, value);
    made.is_float32 = true;
    return hb_onnx_give(file, node, 0, &made);
}

hbs_status hb_onnx_conv(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_convolution c;

    HB_TRY(read_weights(file, node, &c));
    HB_TRY(check_groups(file, node, &c));
    return hb_onnx_convolve(file, node, &c);
}

/* ---- what stands behind it */

/* The node whose sums the value is, as they are; NULL: it is others. */
static const hb_node *sums_of(const hb_onnx_file *file, const hb_onnx_value *value)
{
    const hb_fit_convolution *fit;
    const hb_node *node;

    if (value->form != HB_ONNX_NUMBERS || !value->is_float32 || value->columns || value->is_pair)
        return NULL;
    node = hb_node_at(&file->pipeline->graph, value->value);
    if (node->kind != HB_OPERATOR_CONVOLUTION)
        return NULL;
    fit = node->fit;
    return fit->limits[0] == -INFINITY && fit->limits[1] == INFINITY ? node : NULL;
}

/* True of [images, channels, ..] as the convolution makes them. */
static bool has_channels(const hb_onnx_value *value, const hb_fit_convolution *fit)
{
    return value->n_dims > 2 && (size_t)value->dims[0] == fit->n_images &&
           (size_t)value->dims[1] == fit->n_groups * fit->n_outputs;
}

static hbs_status scale(hb_onnx_file *file, const hb_fit_convolution *from, const double *factors, const double *shifts,
                        float *weights, float *bias, bool *finite)
{
    size_t outputs = from->n_outputs, terms = (from->n_weights - HB_CONVOLUTION_TAIL) / from->n_groups / outputs;

    *finite = true;
    for (size_t i = 0; i < from->n_groups * terms; i++) {
        const double *of_group = factors + i / terms * outputs;

        for (size_t o = 0; o < outputs; o++) {
            weights[i * outputs + o] = (float)((double)from->weights[i * outputs + o] * of_group[o]);
            *finite &= isfinite(weights[i * outputs + o]) != 0;
        }
        HB_TRY(hb_worked(file->bytes.work, 2 * outputs, file->error));
    }
    for (size_t o = 0; o < from->n_groups * outputs; o++) {
        bias[o] = (float)((double)from->bias[o] * factors[o] + shifts[o]) + 0.0f;
        *finite &= isfinite(bias[o]) != 0;
    }
    return HBS_OK;
}

hbs_status hb_onnx_convolution_scaled(hb_onnx_file *file, const hb_onnx_value *value, const double *factors,
                                      const double *shifts, size_t *made)
{
    const hb_node *node;
    hb_fit_convolution fit;
    float *weights, *bias;
    bool finite;

    *made = 0;
    HB_TRY(hb_graph_check(&file->pipeline->graph, file->error)); /* nodes are looked at */
    node = sums_of(file, value);
    if (!node || !has_channels(value, node->fit))
        return HBS_OK;
    fit = *(const hb_fit_convolution *)node->fit;
    weights = hb_arena_array(&file->pipeline->arena, fit.n_weights, sizeof(*weights));
    bias = hb_arena_array(&file->pipeline->arena, fit.n_groups * fit.n_outputs, sizeof(*bias));
    if (!weights || !bias)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(scale(file, &fit, factors, shifts, weights, bias, &finite));
    if (!finite)
        return HBS_OK;
    fit.weights = weights;
    fit.bias = bias;
    *made = hb_pipeline_add(file->pipeline, HB_OPERATOR_CONVOLUTION, node->inputs[0], &fit);
    return HBS_OK;
}

hbs_status hb_onnx_convolution_clipped(hb_onnx_file *file, const hb_onnx_value *value, double low, double high,
                                       size_t *made)
{
    const hb_node *node;
    hb_fit_convolution fit;

    *made = 0;
    HB_TRY(hb_graph_check(&file->pipeline->graph, file->error)); /* nodes are looked at */
    node = sums_of(file, value);
    if (!node || !(low <= high) || (double)(float)low != low || (double)(float)high != high)
        return HBS_OK;
    fit = *(const hb_fit_convolution *)node->fit;
    fit.limits[0] = (float)low;
    fit.limits[1] = (float)high;
    *made = hb_pipeline_add(file->pipeline, HB_OPERATOR_CONVOLUTION, node->inputs[0], &fit);
    return HBS_OK;
}
