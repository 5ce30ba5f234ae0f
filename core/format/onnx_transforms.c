/* onnx_transforms.c - post_transform: what classifiers and regressors of ai.onnx.ml make of their numbers, in float32
 * as ONNX Runtime computes it. */
#include "format/onnx_transforms.h"

static const char *const names[HB_ONNX_TRANSFORMS] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

hbs_status hb_onnx_transform_read(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_transform *transform)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text word;

    HB_TRY(hb_onnx_word(file, node, "post_transform", "NONE", &word));
    for (size_t i = 0; i < HB_ONNX_TRANSFORMS; i++)
        if (hb_text_is(word, names[i])) {
            *transform = (hb_onnx_transform)i;
            return HBS_OK;
        }
    return hb_onnx_refuse(file, node, HBS_E_FORMAT, "post_transform is \"%s\"", HB_SHOW(word, shown));
}

/* ---- float32 operations on float64 values: each result rounds once */

static size_t map(hb_onnx_file *file, size_t value, hb_map_function function, double a, double b)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, value,
                           &(hb_fit_map){.function = function, .rounding = HB_ROUND_FLOAT32, .numbers = {a, b}});
}

static size_t combine(hb_onnx_file *file, size_t n, hb_combine_function function, size_t left, size_t right)
{
    return hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, (const uint32_t[2]){(uint32_t)left, (uint32_t)right},
                              2, &(hb_fit_combine){.function = function, .rounding = HB_ROUND_FLOAT32, .n_outputs = n});
}

/* ---- the transforms that have no operator of their own */

/* sqrt(2) erfinv(2 p - 1): with y = log(1 - x^2), erfinv(x) is near to sign(x) sqrt(sqrt(v^2 - y / a) - v), where
 * v = 2 / (pi a) + y / 2 and a = 0.147. */
static size_t add_probit(hb_onnx_file *file, size_t n, size_t p)
{
    const float a = 0.147f, pi = 3.14159274f, root = 1.41421356f;
    size_t x = map(file, p, HB_MAP_LINEAR, 2, -1);
    size_t y =
        combine(file, n, HB_COMBINE_MULTIPLY, map(file, x, HB_MAP_LINEAR, -1, 1), map(file, x, HB_MAP_LINEAR, 1, 1));
    size_t v, w;

    y = map(file, y, HB_MAP_LOG, 0, 0);
    v = map(file, y, HB_MAP_LINEAR, 0.5, (double)(2 / (pi * a)));
    w = combine(file, n, HB_COMBINE_SUBTRACT, combine(file, n, HB_COMBINE_MULTIPLY, v, v),
                map(file, y, HB_MAP_LINEAR, (double)(1 / a), 0));
    w = combine(file, n, HB_COMBINE_SUBTRACT, map(file, w, HB_MAP_SQUARE_ROOT, 0, 0), v);
    w = combine(file, n, HB_COMBINE_MULTIPLY, map(file, x, HB_MAP_SIGN, 0, 0), map(file, w, HB_MAP_SQUARE_ROOT, 0, 0));
    return map(file, w, HB_MAP_LINEAR, (double)root, -0.0);
}

/* The list of n times this number; NULL without memory. */
static double *repeated(hb_onnx_file *file, size_t n, double number)
{
    double *list = hb_arena_array(&file->pipeline->arena, n, sizeof(*list));

    for (size_t i = 0; list && i < n; i++)
        list[i] = number;
    return list;
}

/* Where a number is at most 1e-7 from 0 (or NaN), x exp(-largest) instead of exp(x - largest), and it does not count in
 * the sum that all are divided by. */
static hbs_status add_softmax_zero(hb_onnx_file *file, size_t n, size_t x, size_t *made)
{
    const double *limits = repeated(file, n, (double)1e-7f), *zeros = repeated(file, n, 0);
    uint32_t *same = hb_arena_array(&file->pipeline->arena, n, sizeof(*same)); /* column 0 for each */
    hb_fit_combine above = {.function = HB_COMBINE_GREATER, .n_outputs = n, .numbers = limits};
    hb_fit_combine of_all = {.rounding = HB_ROUND_FLOAT32, .n_outputs = n, .second = same};
    hb_fit_reduce reduce = {HB_REDUCE_LARGEST_NUMBER, HB_ROUND_FLOAT32, n};
    size_t largest, is_far, far, near, sum;

    if (!limits || !zeros || !same)
        return hb_no_memory(file->arena.memory, file->error);
    largest = hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, x, &reduce);
    is_far = hb_pipeline_add(file->pipeline, HB_OPERATOR_COMBINE, map(file, x, HB_MAP_ABSOLUTE, 0, 0), &above);
    of_all.function = HB_COMBINE_SUBTRACT;
    far = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, (const uint32_t[2]){(uint32_t)x, (uint32_t)largest},
                             2, &of_all);
    far = map(file, far, HB_MAP_EXP, 0, 0);
    of_all.function = HB_COMBINE_MULTIPLY;
    near = map(file, map(file, largest, HB_MAP_NEGATIVE, 0, 0), HB_MAP_EXP, 0, 0);
    near = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, (const uint32_t[2]){(uint32_t)x, (uint32_t)near}, 2,
                              &of_all);
    reduce.function = HB_REDUCE_SUM;
    sum = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE, (const uint32_t[2]){(uint32_t)is_far, (uint32_t)far},
                             2, &(hb_fit_choose){.n_outputs = n, .no = zeros});
    sum = hb_pipeline_add(file->pipeline, HB_OPERATOR_REDUCE, sum, &reduce);
    *made = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_CHOOSE,
                               (const uint32_t[3]){(uint32_t)is_far, (uint32_t)far, (uint32_t)near}, 3,
                               &(hb_fit_choose){.n_outputs = n});
    of_all.function = HB_COMBINE_DIVIDE;
    *made = hb_pipeline_add_of(file->pipeline, HB_OPERATOR_COMBINE, (const uint32_t[2]){(uint32_t)*made, (uint32_t)sum},
                               2, &of_all);
    return hb_worked(file->bytes.work, 4 * n, file->error);
}

/* ---- all of them */

hbs_status hb_onnx_transform_add(hb_onnx_file *file, hb_onnx_transform transform, size_t n, size_t *value)
{
    hb_pipeline *pipeline = file->pipeline;

    if (transform == HB_ONNX_TRANSFORM_NONE)
        return HBS_OK;
    if (transform == HB_ONNX_LOGISTIC || transform == HB_ONNX_SOFTMAX) {
        *value = hb_pipeline_add(
            pipeline, transform == HB_ONNX_LOGISTIC ? HB_OPERATOR_LOGISTIC32 : HB_OPERATOR_SOFTMAX32, *value, NULL);
        return HBS_OK;
    }
    hb_onnx_sums(file, HB_ONNX_FLOAT);
    *value = hb_pipeline_add(pipeline, HB_OPERATOR_WIDEN, *value, NULL);
    if (transform == HB_ONNX_PROBIT)
        *value = add_probit(file, n, *value);
    else
        HB_TRY(add_softmax_zero(file, n, *value, value));
    *value = hb_pipeline_add(pipeline, HB_OPERATOR_NARROW, *value, &(hb_fit_narrow){false});
    return HBS_OK;
}

bool hb_onnx_transforms_targets(hb_onnx_transform transform, size_t n)
{
    return transform != HB_ONNX_TRANSFORM_NONE && (n > 1 || transform == HB_ONNX_PROBIT);
}

hbs_status hb_onnx_transform_targets(hb_onnx_file *file, hb_onnx_transform transform, size_t n, size_t *value)
{
    return hb_onnx_transforms_targets(transform, n) ? hb_onnx_transform_add(file, transform, n, value) : HBS_OK;
}
