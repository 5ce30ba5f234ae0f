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
    HB_TRY(hb_onnx_each(file, node, 0, &a->x));
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

static size_t map_exactly(hb_onnx_file *file, size_t value, hb_map_function function, double p, double q)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value,
                           &(hb_fit_map){.function = function, .numbers = {p, q}});
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

/* alpha (exp(x / alpha) - 1) below 0. */
hbs_status hb_onnx_celu(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;
    double alpha;
    size_t below;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(read_number(file, node, "alpha", 1, &alpha));
    if (alpha == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its alpha is 0");
    below = map_exactly(file, map_exactly(file, a.value, HB_MAP_LINEAR, 1 / alpha, 0), HB_MAP_EXP, 0, 0);
    return give_pieces(file, node, &a, a.value, map(file, &a, below, HB_MAP_LINEAR, alpha, -alpha));
}

/* x times its own number of the file, the slope, below 0. */
hbs_status hb_onnx_prelu(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;
    hb_onnx_value slope;
    double *slopes;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(hb_onnx_operand(file, node, 1, &slope));
    slopes = hb_arena_array(&file->pipeline->arena, a.x.width, sizeof(*slopes));
    if (!slopes)
        return hb_no_memory(file->arena.memory, file->error);
    if (a.x.blocks || a.x.lanes)
        return hb_onnx_mixes_rows(file, node);
    if (!slope.numbers || slope.n_dims > a.x.n_dims)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it with slopes of the file");
    for (size_t d = 0; d < slope.n_dims; d++)
        if (slope.dims[d] != 1 && slope.dims[d] != a.x.dims[a.x.n_dims - slope.n_dims + d])
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its slopes are not broadcast to its numbers");
    for (size_t i = 0; i < a.x.width; i++) {
        size_t place = hb_onnx_broadcast_place(&slope, a.x.dims, a.x.n_dims, i);

        slopes[i] = hb_onnx_item(&slope, place);
    }
    HB_TRY(hb_worked(file->bytes.work, a.x.width, file->error));
    return give_pieces(file, node, &a, a.value,
                       hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, a.value,
                                       &(hb_fit_combine){.function = HB_COMBINE_MULTIPLY,
                                                         .rounding = a.rounding,
                                                         .n_outputs = a.x.width,
                                                         .numbers = slopes}));
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

/* ---- x times a function of it */

static size_t multiply(hb_onnx_file *file, const activation *a, size_t left, size_t right)
{
    const uint32_t inputs[2] = {(uint32_t)left, (uint32_t)right};

    return hb_pipeline_add_of(
        file->pipeline, HB_OPERATOR_COMBINE, inputs, 2,
        &(hb_fit_combine){.function = HB_COMBINE_MULTIPLY, .rounding = a->rounding, .n_outputs = a->x.width});
}

/* Gives x times the factor, which is not rounded before. */
static hbs_status give_times(hb_onnx_file *file, const hb_onnx_node *node, activation *a, size_t factor)
{
    return hb_onnx_give_numbers(file, node, &a->x, multiply(file, a, a->value, factor));
}

/* sqrt(2 / pi) (x + 0.044715 x^3), whose tanh is near to the error function of x / sqrt(2). */
static size_t add_near_erf(hb_onnx_file *file, const activation *a)
{
    const double root = 0.79788456080286535588;
    activation exact = *a;
    size_t square;

    exact.rounding = HB_ROUND_NONE;
    square = multiply(file, &exact, a->value, a->value);
    square = map_exactly(file, square, HB_MAP_LINEAR, 0.044715 * root, root);
    return map_exactly(file, multiply(file, &exact, a->value, square), HB_MAP_TANH, 0, 0);
}

/* x (1 + erf(x / sqrt(2))) / 2 */
hbs_status hb_onnx_gelu(hb_onnx_file *file, const hb_onnx_node *node)
{
    const double root = 0.70710678118654752440;
    hbs_text approximate;
    activation a;
    size_t erf;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(hb_onnx_word(file, node, "approximate", "none", &approximate));
    if (hb_text_is(approximate, "tanh"))
        erf = add_near_erf(file, &a);
    else if (hb_text_is(approximate, "none"))
        erf = map_exactly(file, map_exactly(file, a.value, HB_MAP_LINEAR, root, 0), HB_MAP_ERF, 0, 0);
    else
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its approximate is neither none nor tanh");
    return give_times(file, node, &a, map_exactly(file, erf, HB_MAP_LINEAR, 0.5, 0.5));
}

/* x clip(x / 6 + 1 / 2, 0, 1) */
hbs_status hb_onnx_hard_swish(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;

    HB_TRY(read_input(file, node, &a));
    return give_times(file, node, &a,
                      map_exactly(file, map_exactly(file, a.value, HB_MAP_LINEAR, 1 / 6., 0.5), HB_MAP_CLIP, 0, 1));
}

/* x tanh(log(1 + exp(x))) */
hbs_status hb_onnx_mish(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;

    HB_TRY(read_input(file, node, &a));
    return give_times(file, node, &a,
                      map_exactly(file, map_exactly(file, a.value, HB_MAP_SOFTPLUS, 0, 0), HB_MAP_TANH, 0, 0));
}

/* x / (1 + exp(-alpha x)) */
hbs_status hb_onnx_swish(hb_onnx_file *file, const hb_onnx_node *node)
{
    activation a;
    double alpha;

    HB_TRY(read_input(file, node, &a));
    HB_TRY(read_number(file, node, "alpha", 1, &alpha));
    return give_times(file, node, &a,
                      map_exactly(file, map_exactly(file, a.value, HB_MAP_LINEAR, alpha, 0), HB_MAP_LOGISTIC, 0, 0));
}

/* A network that predicts drops nothing. In training mode, which a constant third input states, it would. */
hbs_status hb_onnx_dropout(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_value x, mode;

    HB_TRY(hb_onnx_in_blocks(file, node, 0, &x));
    HB_TRY(hb_onnx_operand(file, node, 2, &mode));
    if (mode.form != HB_ONNX_NOTHING && (!mode.numbers || hb_onnx_item(&mode, 0) != 0))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it is in training mode: export the model after eval()");
    if (node->n_outputs > 1 && node->outputs[1].size > 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it without its mask");
    return hb_onnx_give(file, node, 0, &x);
}
