/* onnx_products.c - MatMul and Gemm: of each row's numbers with weights of the file by the operators for these, of
 * other tensors by onnx_matmul.c. Float32 sums take one accumulator, the columns in their order and fused products;
 * float64 sums of a row are hbscore's dense ones. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"

typedef struct product {
    hb_onnx_value x, weights;
    bool transposed; /* weights are [outputs][columns] */
    size_t n_columns, n_outputs;
    double alpha, beta;
    const double *bias; /* [n_outputs], or NULL */
    hb_onnx_value rows; /* a bias of each row; form HB_ONNX_NOTHING: none */
} product;

static double weight_at(const product *p, size_t o, size_t c)
{
    size_t place = p->transposed ? o * p->n_columns + c : c * p->n_outputs + o;

    return p->alpha * hb_onnx_item(&p->weights, place);
}

/* One row of numbers times a matrix of the file, for which there are faster operators than for any two matrices. */
static bool is_of_a_row(const product *p)
{
    size_t rank = p->weights.n_dims, last = p->x.n_dims - 1;

    return p->x.form == HB_ONNX_NUMBERS && p->weights.form == HB_ONNX_CONSTANT && rank >= 1 && rank <= 2 &&
           p->x.n_dims >= 1 && (size_t)p->x.dims[last] == p->x.width && p->x.row != (int)last &&
           p->x.type == p->weights.type && (p->x.type == HB_ONNX_FLOAT || p->x.type == HB_ONNX_DOUBLE);
}

static hbs_status check_product(hb_onnx_file *file, const hb_onnx_node *node, product *p)
{
    size_t rank = p->weights.n_dims;

    p->n_columns = (size_t)p->weights.dims[p->transposed ? 1 : 0];
    p->n_outputs = rank == 1 ? 1 : (size_t)p->weights.dims[p->transposed ? 0 : 1];
    if (p->n_columns != p->x.width)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it multiplies %zu columns by %zu weights", p->x.width,
                              p->n_columns);
    if (p->n_outputs > HB_MAX_OUTPUTS || p->n_outputs == 0)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it makes %zu columns, hbscore reads 1 to %d", p->n_outputs,
                              HB_MAX_OUTPUTS);
    return hb_worked(file->bytes.work, p->weights.width, file->error);
}

/* The operator leaves out weights of 0, so rows with a missing or an infinite number have no result. */
static hbs_status add_dense(hb_onnx_file *file, const product *p, size_t *value)
{
    size_t guarded;
    hb_arena *arena = &file->pipeline->arena;
    double *weights = hb_arena_array(arena, p->n_outputs * p->n_columns, sizeof(*weights));
    double *bias = hb_arena_array(arena, p->n_outputs, sizeof(*bias));

    if (!weights || !bias)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t o = 0; o < p->n_outputs; o++) {
        for (size_t c = 0; c < p->n_columns; c++)
            weights[o * p->n_columns + c] = weight_at(p, o, c);
        bias[o] = p->bias ? p->bias[o] : -0.0;
        HB_TRY(hb_worked(file->bytes.work, 2 * p->n_columns, file->error));
    }
    guarded = hb_pipeline_add(file->pipeline, HB_OPERATOR_GUARD, hb_onnx_wide(file, &p->x),
                              &(hb_fit_guard){.takes_missing = false});
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_DENSE, guarded,
                             &(hb_fit_dense){p->n_outputs, p->n_columns, weights, bias, false});
    return HBS_OK;
}

static hbs_status add_product32(hb_onnx_file *file, const product *p, size_t *value)
{
    hb_arena *arena = &file->pipeline->arena;
    float *weights = hb_arena_array(arena, p->n_outputs * p->n_columns, sizeof(*weights));
    float *bias = hb_arena_array(arena, p->n_outputs, sizeof(*bias));

    if (!weights || !bias)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t o = 0; o < p->n_outputs; o++) {
        for (size_t c = 0; c < p->n_columns; c++)
            weights[o * p->n_columns + c] = (float)weight_at(p, o, c);
        bias[o] = p->bias ? (float)p->bias[o] : -0.0f;
        HB_TRY(hb_worked(file->bytes.work, 2 * p->n_columns, file->error));
    }
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_PRODUCT32, hb_onnx_narrowed(file, &p->x),
                             &(hb_fit_product32){p->n_outputs, p->n_columns, weights, bias});
    return HBS_OK;
}

static hbs_status give_product(hb_onnx_file *file, const hb_onnx_node *node, product *p, size_t n_dims)
{
    int64_t dims[HB_ONNX_MAX_RANK];
    hb_onnx_value made = p->x, *given;
    size_t value = 0;

    HB_TRY(p->x.type == HB_ONNX_FLOAT ? add_product32(file, p, &value) : add_dense(file, p, &value));
    memcpy(dims, p->x.dims, sizeof(dims));
    dims[p->x.n_dims - 1] = (int64_t)p->n_outputs;
    HB_TRY(hb_onnx_reshape_value(file, node, &made, dims, n_dims));
    HB_TRY(hb_onnx_give_numbers(file, node, &made, value));
    given = hb_onnx_named(file, node->outputs[0]);
    if (given)
        given->is_float32 = p->x.type == HB_ONNX_FLOAT;
    return HBS_OK;
}

hbs_status hb_onnx_matmul(hb_onnx_file *file, const hb_onnx_node *node)
{
    product p = {.alpha = 1, .beta = 1};

    HB_TRY(hb_onnx_each(file, node, 0, &p.x));
    HB_TRY(hb_onnx_each(file, node, 1, &p.weights));
    if (!is_of_a_row(&p))
        return hb_onnx_multiply(file, node, &p.x, &p.weights);
    HB_TRY(check_product(file, node, &p));
    return give_product(file, node, &p, p.weights.n_dims == 1 ? p.x.n_dims - 1 : p.x.n_dims);
}

/* The bias, broadcast to a row of outputs. */
static hbs_status read_bias(hb_onnx_file *file, const hb_onnx_node *node, product *p)
{
    hb_onnx_value bias;
    double *to;

    HB_TRY(hb_onnx_operand(file, node, 2, &bias));
    if (bias.form == HB_ONNX_NOTHING)
        return HBS_OK;
    if (bias.form == HB_ONNX_NUMBERS && p->beta == 1) {
        p->rows = bias;
        return HBS_OK;
    }
    if (bias.form != HB_ONNX_CONSTANT || bias.type != p->x.type || (bias.width != 1 && bias.width != p->n_outputs))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads a bias of one constant for each output");
    to = hb_arena_array(&file->pipeline->arena, p->n_outputs, sizeof(*to));
    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t o = 0; o < p->n_outputs; o++) {
        size_t place = bias.width == 1 ? 0 : o;

        to[o] = p->beta * hb_onnx_item(&bias, place);
    }
    p->bias = to;
    return HBS_OK;
}

/* Plus or minus a power of two: weights times it lose no bit, and so do sums. */
static bool is_power(double factor)
{
    int exponent;

    return fabs(frexp(factor, &exponent)) == 0.5 && exponent > -16 && exponent < 16;
}

/* Swaps the two axes of a matrix. */
static hbs_status turn_over(hb_onnx_file *file, hb_onnx_value *matrix)
{
    size_t rows = (size_t)matrix->dims[0], columns = (size_t)matrix->dims[1];
    hbs_status status;
    uint32_t *map = hb_onnx_columns(file, matrix->width, &status);

    HB_TRY(status);
    for (size_t i = 0; i < matrix->width; i++)
        map[i] = (uint32_t)(i % rows * columns + i / rows);
    matrix->dims[0] = (int64_t)columns;
    matrix->dims[1] = (int64_t)rows;
    matrix->row = matrix->row < 0 ? -1 : 1 - matrix->row;
    hb_onnx_take(matrix, map);
    return HBS_OK;
}

static hbs_status multiply_all(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *x, double factor,
                               hb_onnx_value *made)
{
    const hb_onnx_value number = {.form = HB_ONNX_CONSTANT, .type = x->type, .row = -1, .width = 1, .numbers = &factor};

    *made = *x;
    if (factor == 1)
        return HBS_OK;
    HB_TRY(hb_onnx_combine(file, node, HB_COMBINE_MULTIPLY, x, &number));
    *made = *hb_onnx_named(file, node->outputs[0]);
    return HBS_OK;
}

/* alpha A B + beta C, step by step. */
static hbs_status gemm_of_any(hb_onnx_file *file, const hb_onnx_node *node, product *p, bool turned)
{
    hb_onnx_value a = p->x, b = p->weights, c, made;

    if (a.n_dims != 2 || b.n_dims != 2)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it multiplies tensors that are no matrices");
    if (turned)
        HB_TRY(turn_over(file, &a));
    if (p->transposed)
        HB_TRY(turn_over(file, &b));
    HB_TRY(hb_onnx_each(file, node, 2, &c));
    HB_TRY(hb_onnx_multiply(file, node, &a, &b));
    HB_TRY(multiply_all(file, node, hb_onnx_named(file, node->outputs[0]), p->alpha, &made));
    if (c.form == HB_ONNX_NOTHING)
        return hb_onnx_give(file, node, 0, &made);
    HB_TRY(multiply_all(file, node, &c, p->beta, &c));
    return hb_onnx_combine(file, node, HB_COMBINE_ADD, &made, &c);
}

hbs_status hb_onnx_gemm(hb_onnx_file *file, const hb_onnx_node *node)
{
    const hb_onnx_attribute *alpha, *beta;
    const hb_onnx_value *made;
    int64_t first, second;
    product p = {.alpha = 1, .beta = 1};

    HB_TRY(hb_onnx_each(file, node, 0, &p.x));
    HB_TRY(hb_onnx_each(file, node, 1, &p.weights));
    HB_TRY(hb_onnx_integer(file, node, "transA", 0, &first));
    HB_TRY(hb_onnx_integer(file, node, "transB", 0, &second));
    HB_TRY(hb_onnx_attribute_find(file, node, "alpha", HB_ONNX_KIND_FLOAT, &alpha));
    HB_TRY(hb_onnx_attribute_find(file, node, "beta", HB_ONNX_KIND_FLOAT, &beta));
    p.alpha = alpha ? (double)alpha->number : 1;
    p.beta = beta ? (double)beta->number : 1;
    p.transposed = second != 0;
    if (!hb_onnx_named(file, node->outputs[0]))
        return HBS_OK;
    if (first || !is_power(p.alpha) || !is_power(p.beta) || p.weights.n_dims != 2 || !is_of_a_row(&p))
        return gemm_of_any(file, node, &p, first != 0);
    HB_TRY(check_product(file, node, &p));
    HB_TRY(read_bias(file, node, &p));
    HB_TRY(give_product(file, node, &p, p.x.n_dims));
    made = hb_onnx_named(file, node->outputs[0]);
    return p.rows.form == HB_ONNX_NOTHING || !made ? HBS_OK
                                                   : hb_onnx_combine(file, node, HB_COMBINE_ADD, made, &p.rows);
}
