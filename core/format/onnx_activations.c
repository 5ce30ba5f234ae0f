/* onnx_activations.c - functions of each number that deep networks have between their products, and what is nothing
 * when a network predicts: two pieces below and above 0, or a clipped line. */
#include <math.h>

#include "format/onnx.h"

typedef struct activation {
    hb_onnx_value x;
    size_t value; /* of the pipeline: x in float64, width columns.. */
    hb_rounding rounding;
} activation;

static hbs_status read_input(hb_onnx_file *file, const hb_onnx_node *node, activation *a)
{
    HB_TRY(hb_onnx_operand(file, node, 0, &a->x));
    if (a->x.form != HB_ONNX_NUMBERS || (a->x.type != HB_ONNX_FLOAT && a->x.type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED,
                              "hbscore reads it of the row's float32 or float64 numbers");
    a->value = hb_onnx_wide(file, &a->x);
    a->rounding = hb_onnx_rounding(a->x.type);
    return HBS_OK;
}

static hbs_status read_number(hb_onnx_file *file, const hb_onnx_node *node, const char *name, double usual,
                              double *number)
{
    const hb_onnx_attribute *a;

    HB_TRY(hb_onnx_attribute_find(file, node, name, HB_ONNX_KIND_FLOAT, &a));
    *number = a ? (double)a->number : (double)(float)usual;
    return HBS_OK;
}

static size_t map(hb_onnx_file *file, const activation *a, size_t value, hb_map_function function, double p, double q)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value,
                           &(hb_fit_map){.function = function, .rounding = a->rounding, .numbers = {p, q}});
}

/* Gives `above` where x is above 0, else `below`. */
static hbs_status give_pieces(hb_onnx_file *file, const hb_onnx_node *node, activation *a, size_t above, size_t below)
{
    double *zeros = hb_arena_array(&file->pipeline->arena, a->x.width, sizeof(*zeros));
    uint32_t inputs[3] = {0, (uint32_t)above, (uint32_t)below};

    if (!zeros)
        return hb_no_memory(file->arena.memory, file->error);
    inputs[0] = (uint32_t)hb_pipeline_add(
        file->pipeline, HB_OPERATOR_COMBINE, a->value,
        &(hb_fit_combine){.function = HB_COMBINE_GREATER, .n_outputs = a->x.width, .numbers = zeros});
    return hb_onnx_give_numbers(
        file, node, &a->x,
        hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE, inputs, 3, &(hb_fit_choose){.n_outputs = a->x.width}));
}

/* alpha x below 0. */
hbs_status hb_onnx_leaky_relu(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;
    double alpha;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(read_number(file, node, "alpha", 0.01, &alpha));
    return give_pieces(file, node, &a, a.value, map(file, &a, a.value, HB_MAP_LINEAR, alpha, 0));
}

/* gamma x above 0, gamma alpha (exp(x) - 1) below. */
static hbs_status give_elu(hb_onnx_file *file, const hb_onnx_node *node, activation *a, double alpha, double gamma)
{
    activation exact = *a;
    size_t below;

    exact.rounding = HB_ROUND_NONE;
    below = map(file, &exact, map(file, &exact, a->value, HB_MAP_EXP, 0, 0), HB_MAP_LINEAR, 1, -1);
    below = map(file, a, below, HB_MAP_LINEAR, gamma * alpha, 0);
    return give_pieces(file, node, a, gamma == 1 ? a->value : map(file, a, a->value, HB_MAP_LINEAR, gamma, 0), below);
}

hbs_status hb_onnx_elu(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;
    double alpha;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(read_number(file, node, "alpha", 1, &alpha));
    return give_elu(file, node, &a, alpha, 1);
}

hbs_status hb_onnx_selu(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;
    double alpha, gamma;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(read_number(file, node, "alpha", 1.67326319217681884765625, &alpha));
    HB_TRY(read_number(file, node, "gamma", 1.05070102214813232421875, &gamma));
    return give_elu(file, node, &a, alpha, gamma);
}

/* A line, clipped to [0, 1]. */
hbs_status hb_onnx_hard_sigmoid(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;
    double alpha, beta;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(read_number(file, node, "alpha", 0.2, &alpha));
    HB_TRY(read_number(file, node, "beta", 0.5, &beta));
    return hb_onnx_give_numbers(file, node, &a.x,
                                map(file, &a, map(file, &a, a.value, HB_MAP_LINEAR, alpha, beta), HB_MAP_CLIP, 0, 1));
}

/* A network that predicts drops nothing. In training mode, which a constant third input states, it would. */
hbs_status hb_onnx_dropout(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value x, mode;

    HB_TRY(hb_onnx_moved(file, node, 0, &x));
    HB_TRY(hb_onnx_operand(file, node, 2, &mode));
    if (mode.form != HB_ONNX_NOTHING && (!mode.numbers || mode.numbers[mode.columns ? mode.columns[0] : 0] != 0))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it is in training mode: export the model after eval()");
    if (node->n_outputs > 1 && node->outputs[1].size > 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it without its mask");
    return hb_onnx_give(file, node, 0, &x);
}
