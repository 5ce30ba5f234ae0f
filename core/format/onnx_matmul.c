/* onnx_matmul.c - products of matrices as numpy.matmul has them: of tensors of any rank, whose first axes count
 * matrices and are broadcast. Of a row's numbers with numbers of the file, or of the row. Float32 sums take one
 * accumulator, the terms in their order and fused products. */
#include <math.h>
#include <string.h>

#include "format/onnx.h"

/* a [.., m, k] times b [.., k, n]; `made` is [.., m, n], with axes that go of a vector. */
typedef struct matrices {
    hb_onnx_value a, b, made;
    size_t m, k, n, count;
    int64_t dims[HB_ONNX_MAX_RANK]; /* of the axes that count.. */
    size_t n_dims;                  /* ..so many */
    bool a_is_vector, b_is_vector;
} matrices;

/* ---- shapes */

/* A vector is one row, or one column. */
static hbs_status to_matrix(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *value, bool is_left,
                            bool *is_vector)
{
    *is_vector = value->n_dims == 1;
    if (value->n_dims == 0)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it multiplies a tensor without dimensions");
    if (!*is_vector)
        return HBS_OK;
    value->dims[is_left ? 1 : 0] = value->dims[0];
    value->dims[is_left ? 0 : 1] = 1;
    value->n_dims = 2;
    value->row += value->row >= 0 && is_left;
    return HBS_OK;
}

/* The axis of a value's rows in the product, which has `rank` axes; -1: it has none; -2: the sums go over it. */
static int row_of(const hb_onnx_value *value, size_t rank, bool is_left)
{
    int from_end = (int)value->n_dims - value->row; /* 1: the last */

    if (value->row < 0)
        return -1;
    return from_end == (is_left ? 1 : 2) ? -2 : (int)rank - from_end;
}

/* The items of a value on an axis of the product, of which it may have none. */
static int64_t size_at(const hb_onnx_value *value, size_t rank, int axis, bool is_left)
{
    int from_end = (int)rank - axis, place = (int)value->n_dims - from_end;

    return place < 0 || from_end == (is_left ? 1 : 2) ? 1 : value->dims[place];
}

static hbs_status find_row(hb_onnx_file *file, const hb_onnx_node *node, matrices *x)
{
    size_t rank = x->n_dims + 2;
    int a = row_of(&x->a, rank, true), b = row_of(&x->b, rank, false), row = a >= 0 ? a : b;

    if (a == -2 || b == -2 || (a >= 0 && b >= 0 && a != b))
        return hb_onnx_mixes_rows(file, node);
    x->made.row = row;
    x->made.blocks = x->a.blocks ? x->a.blocks : x->b.blocks;
    x->made.lanes = x->a.lanes ? x->a.lanes : x->b.lanes;
    if (row >= 0 && (!hb_onnx_has_its_rows(&x->a, a == row, size_at(&x->a, rank, row, true), &x->made) ||
                     !hb_onnx_has_its_rows(&x->b, b == row, size_at(&x->b, rank, row, false), &x->made)))
        return hb_onnx_mixes_rows(file, node);
    return HBS_OK;
}

static hbs_status count_matrices(hb_onnx_file *file, const hb_onnx_node *node, matrices *x)
{
    size_t of_a = x->a.n_dims - 2, of_b = x->b.n_dims - 2;

    x->n_dims = of_a > of_b ? of_a : of_b;
    x->count = 1;
    for (size_t i = 0; i < x->n_dims; i++) {
        int64_t p = i < x->n_dims - of_a ? 1 : x->a.dims[i - (x->n_dims - of_a)];
        int64_t q = i < x->n_dims - of_b ? 1 : x->b.dims[i - (x->n_dims - of_b)];

        if (p != q && p != 1 && q != 1)
            return hb_onnx_refuse(file, node, HBS_E_FORMAT, "dimension %zu of its inputs is %lld and %lld", i,
                                  (long long)p, (long long)q);
        x->dims[i] = p == 1 ? q : p;
        if (!hb_multiply(x->count, (size_t)x->dims[i], &x->count) || x->count > HB_MAX_OUTPUTS)
            return hb_onnx_refuse(file, node, HBS_E_LIMIT, "it multiplies more than %d matrices", HB_MAX_OUTPUTS);
    }
    return HBS_OK;
}

static hbs_status find_shapes(hb_onnx_file *file, const hb_onnx_node *node, matrices *x)
{
    int64_t dims[HB_ONNX_MAX_RANK + 2];
    size_t n = 0;

    HB_TRY(to_matrix(file, node, &x->a, true, &x->a_is_vector));
    HB_TRY(to_matrix(file, node, &x->b, false, &x->b_is_vector));
    x->m = (size_t)x->a.dims[x->a.n_dims - 2];
    x->k = (size_t)x->a.dims[x->a.n_dims - 1];
    x->n = (size_t)x->b.dims[x->b.n_dims - 1];
    if ((size_t)x->b.dims[x->b.n_dims - 2] != x->k)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "it multiplies %zu columns by %lld weights", x->k,
                              (long long)x->b.dims[x->b.n_dims - 2]);
    HB_TRY(count_matrices(file, node, x));
    HB_TRY(find_row(file, node, x));
    for (; n < x->n_dims; n++)
        dims[n] = x->dims[n];
    if (!x->a_is_vector)
        dims[n++] = (int64_t)x->m;
    if (!x->b_is_vector)
        dims[n++] = (int64_t)x->n;
    x->made.row -= x->a_is_vector && x->made.row > (int)x->n_dims;
    return hb_onnx_reshape_value(file, node, &x->made, dims, n);
}

/* ---- operands, each as [count][rows][columns] */

/* Which matrix of a value the q-th of the product takes. */
static size_t matrix_of(const matrices *x, const hb_onnx_value *value, size_t q)
{
    hb_onnx_value counted = *value;

    counted.n_dims -= 2;
    return hb_onnx_broadcast_place(&counted, x->dims, x->n_dims, q);
}

/* The value's matrices, once for each of `count` products, turned over if `turned`. */
static hbs_status arrange(hb_onnx_file *file, const matrices *x, const hb_onnx_value *value, size_t count, bool turned,
                          hb_onnx_value *to)
{
    size_t rows = (size_t)value->dims[value->n_dims - 2], columns = (size_t)value->dims[value->n_dims - 1];
    size_t size = rows * columns, width, n = 0;
    hbs_status status;
    uint32_t *map;

    *to = *value;
    if (!hb_multiply(count, size, &width) || width > (size_t)HB_MAX_OUTPUTS * 16)
        return hb_fail(file->error, HBS_E_LIMIT, "products of matrices take too many numbers");
    map = hb_onnx_columns(file, width, &status);
    HB_TRY(status);
    for (size_t q = 0; q < count; q++) {
        size_t first = (count == 1 ? 0 : matrix_of(x, value, q)) * size;

        for (size_t i = 0; i < size; i++)
            map[n++] = (uint32_t)(first + (turned ? i % rows * columns + i / rows : i));
    }
    for (size_t i = 0; value->columns && i < width; i++)
        map[i] = value->columns[map[i]];
    to->columns = map;
    to->width = width;
    return HBS_OK;
}

static bool is_in_order(const hb_onnx_value *value)
{
    for (size_t i = 0; i < value->width; i++)
        if (value->columns[i] != i)
            return false;
    return true;
}

/* The pipeline's value of an arranged operand. `other` has rows. */
static hbs_status value_of(hb_onnx_file *file, const hb_onnx_value *given, hb_onnx_value *arranged,
                           const hb_onnx_value *other, size_t *value)
{
    if (given->form == HB_ONNX_CONSTANT) {
        *value = hb_onnx_lifted(file, arranged, other);
        return HBS_OK;
    }
    if (arranged->width == given->width && !given->columns && is_in_order(arranged))
        arranged->columns = NULL;
    *value = hb_onnx_wide(file, arranged);
    return HBS_OK;
}

static hbs_status numbers_of(hb_onnx_file *file, const hb_onnx_value *arranged, const double **numbers)
{
    double *to = hb_arena_array(&file->pipeline->arena, arranged->width, sizeof(*to));

    if (!to)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < arranged->width; i++)
        to[i] = arranged->numbers[arranged->columns[i]];
    *numbers = to;
    return hb_worked(file->bytes.work, arranged->width, file->error);
}

/* ---- products */

static bool is_one(const hb_onnx_value *value)
{
    size_t width = (size_t)(value->dims[value->n_dims - 1] * value->dims[value->n_dims - 2]);

    return value->width == width;
}

/* All rows of a's matrices times one matrix of the file. */
static hbs_status by_weights(hb_onnx_file *file, matrices *x, hb_fit_matmul *fit, size_t *value)
{
    hb_onnx_value left, right;
    size_t in = 0;

    HB_TRY(arrange(file, x, &x->a, x->count, false, &left));
    HB_TRY(arrange(file, x, &x->b, 1, false, &right));
    HB_TRY(numbers_of(file, &right, &fit->weights));
    HB_TRY(value_of(file, &x->a, &left, NULL, &in));
    fit->n_matrices = 1;
    fit->n_rows = x->count * x->m;
    fit->n_columns = x->n;
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MATMUL, in, fit);
    return HBS_OK;
}

/* One matrix of the file times b's: turned over, that is b's times weights. */
static hbs_status of_weights(hb_onnx_file *file, matrices *x, hb_fit_matmul *fit, size_t *value)
{
    hb_onnx_value left, right;
    hbs_status status;
    size_t in = 0;
    uint32_t *map;

    HB_TRY(arrange(file, x, &x->b, x->count, true, &left));
    HB_TRY(arrange(file, x, &x->a, 1, true, &right));
    HB_TRY(numbers_of(file, &right, &fit->weights));
    HB_TRY(value_of(file, &x->b, &left, NULL, &in));
    fit->n_matrices = 1;
    fit->n_rows = x->count * x->n;
    fit->n_columns = x->m;
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MATMUL, in, fit);
    map = hb_onnx_columns(file, x->made.width, &status);
    HB_TRY(status);
    for (size_t i = 0; i < x->made.width; i++) {
        size_t q = i / (x->m * x->n), r = i / x->n % x->m, c = i % x->n;

        map[i] = (uint32_t)((q * x->n + c) * x->m + r);
    }
    x->made.columns = map;
    return HBS_OK;
}

static hbs_status of_rows(hb_onnx_file *file, matrices *x, hb_fit_matmul *fit, size_t *value)
{
    hb_onnx_value left, right;
    uint32_t inputs[2];
    size_t a = 0, b = 0;

    HB_TRY(arrange(file, x, &x->a, x->count, false, &left));
    HB_TRY(arrange(file, x, &x->b, x->count, false, &right));
    HB_TRY(value_of(file, &x->a, &left, &x->b, &a));
    HB_TRY(value_of(file, &x->b, &right, &x->a, &b));
    fit->n_matrices = x->count;
    fit->n_rows = x->m;
    fit->n_columns = x->n;
    inputs[0] = (uint32_t)a;
    inputs[1] = (uint32_t)b;
    *value = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_MATMUL, inputs, 2, fit);
    return HBS_OK;
}

static hbs_status of_constants(hb_onnx_file *file, const hb_onnx_node *node, matrices *x)
{
    double *numbers = hb_arena_array(&file->pipeline->arena, x->made.width, sizeof(*numbers));
    hb_onnx_value left, right;

    HB_TRY(arrange(file, x, &x->a, x->count, false, &left));
    HB_TRY(arrange(file, x, &x->b, x->count, false, &right));
    if (!numbers)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < x->made.width; i++) {
        size_t q = i / (x->m * x->n), r = i / x->n % x->m, c = i % x->n;
        double sum = 0;

        for (size_t t = 0; t < x->k; t++) {
            double l = left.numbers[left.columns[(q * x->m + r) * x->k + t]];
            double g = right.numbers[right.columns[(q * x->k + t) * x->n + c]];

            sum = x->a.type == HB_ONNX_FLOAT ? (double)fmaf((float)l, (float)g, (float)sum) : sum + l * g;
        }
        numbers[i] = sum;
        HB_TRY(hb_worked(file->bytes.work, x->k, file->error));
    }
    x->made.form = HB_ONNX_CONSTANT;
    x->made.numbers = numbers;
    return hb_onnx_give(file, node, 0, &x->made);
}

hbs_status hb_onnx_multiply(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *a,
                            const hb_onnx_value *b)
{
    matrices x = {.a = *a, .b = *b, .made = {.type = a->type, .form = HB_ONNX_NUMBERS}};
    hb_fit_matmul fit = {.in_float32 = a->type == HB_ONNX_FLOAT};
    size_t value = 0;

    if (a->type != b->type || (a->type != HB_ONNX_FLOAT && a->type != HB_ONNX_DOUBLE))
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads products of float32 or of float64");
    HB_TRY(find_shapes(file, node, &x));
    if (x.made.width == 0 || x.k == 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "it multiplies matrices without items");
    fit.n_terms = x.k;
    if (a->form == HB_ONNX_CONSTANT && b->form == HB_ONNX_CONSTANT)
        return of_constants(file, node, &x);
    if (b->form == HB_ONNX_CONSTANT && is_one(&x.b))
        HB_TRY(by_weights(file, &x, &fit, &value));
    else if (a->form == HB_ONNX_CONSTANT && is_one(&x.a))
        HB_TRY(of_weights(file, &x, &fit, &value));
    else
        HB_TRY(of_rows(file, &x, &fit, &value));
    x.made.value = value;
    hb_onnx_sums(file, a->type);
    return hb_onnx_give(file, node, 0, &x.made);
}
