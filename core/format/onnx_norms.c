/* onnx_norms.c - BatchNormalization of a network that predicts: each channel, which is axis 1, shifted and scaled by
 * numbers of the file. In float64; the result rounds once. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"

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

static double number_of(const hb_onnx_value *value, size_t channel)
{
    return value->numbers[value->columns ? value->columns[channel] : channel];
}

/* x * factor + shift for each item. */
static hbs_status add_scaled(hb_onnx_file *file, const normalization *n, size_t *value)
{
    double *factors = hb_arena_array(&file->pipeline->arena, n->x.width, sizeof(*factors));
    double *shifts = hb_arena_array(&file->pipeline->arena, n->x.width, sizeof(*shifts));
    size_t inner = 1;

    if (!factors || !shifts)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 2; i < n->x.n_dims; i++)
        inner *= (size_t)n->x.dims[i];
    for (size_t i = 0; i < n->x.width; i++) {
        size_t channel = i / inner % n->of[SCALE].width;

        factors[i] = number_of(&n->of[SCALE], channel) / sqrt(number_of(&n->of[VARIANCE], channel) + n->epsilon);
        shifts[i] = number_of(&n->of[BIAS], channel) - number_of(&n->of[MEAN], channel) * factors[i];
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

hbs_status hb_onnx_batch_normalization(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_attribute *epsilon;
    normalization n = {.epsilon = (double)1e-5f};
    int64_t training;
    size_t value = 0;

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
    HB_TRY(add_scaled(file, &n, &value));
    return hb_onnx_give_numbers(file, node, &n.x, value);
}
