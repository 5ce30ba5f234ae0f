/* onnx_pools.c - the largest number, the mean or the length of each window of a row's images. Sums are in float64 and
 * round once. */
#include <math.h>

#include "format/onnx_windows.h"

/* Each window has an item in the image, along each axis; all have not too many: a file of some kilobytes would take
 * minutes. */
static hbs_status check_items(hb_onnx_file *file, const hb_onnx_node *node, const hb_windows *w)
{
    enum { MOST = 1 << 26 };
    size_t items = hb_windows_count(w->out) * hb_windows_most(w);

    if (items > MOST)
        return hb_onnx_refuse(file, node, HBS_E_LIMIT, "its windows have %zu items in a channel, the limit is %d",
                              items, MOST);
    for (size_t a = 0; a < 3; a++) {
        for (size_t o = 0; o < w->out[a]; o++) {
            hb_window_span span = hb_windows_span(w, a, o);

            if (span.first == span.end)
                return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "a window has no item of the image");
        }
        HB_TRY(hb_worked(file->bytes.work, 8 * (size_t)w->out[a], file->error));
    }
    return HBS_OK;
}

/* Items of a window along an axis; with padding, those that lie within it count, too. */
static size_t count_along(const hb_onnx_windows *w, size_t axis, size_t o, bool with_pads)
{
    const hb_windows *v = &w->windows;
    hb_window_span span = hb_windows_span(v, axis, o);
    size_t begin = o * v->stride[axis], end = (size_t)v->before[axis] + v->in[axis] + w->after[axis], n;

    if (!with_pads)
        return span.end - span.first;
    n = end <= begin ? 0 : (end - begin + v->dilation[axis] - 1) / v->dilation[axis];
    return n < v->kernel[axis] ? n : v->kernel[axis];
}

/* The count of numbers in each window's mean; NULL without memory. */
static const double *count_items(hb_onnx_file *file, const hb_onnx_windows *w, bool with_pads)
{
    const uint32_t *out = w->windows.out;
    double *counts = hb_arena_array(&file->pipeline->arena, hb_windows_count(out), sizeof(*counts));

    for (size_t p = 0; counts && p < hb_windows_count(out); p++)
        counts[p] = (double)count_along(w, 2, p % out[2], with_pads) *
                    (double)count_along(w, 1, p / out[2] % out[1], with_pads) *
                    (double)count_along(w, 0, p / out[2] / out[1], with_pads);
    return counts;
}

/* The pool of a value of the pipeline with the columns of w->x. */
static size_t add_pool(hb_onnx_file *file, const hb_onnx_windows *w, size_t value, bool largest, const double *divisors)
{
    return hb_pipeline_add(file->pipeline, HB_OPERATOR_POOL, value,
                           &(hb_fit_pool){.n_channels = w->n_images * w->n_channels,
                                          .windows = w->windows,
                                          .largest = largest,
                                          .n_places = hb_windows_count(w->windows.out),
                                          .divisors = divisors});
}

static hbs_status give_pool(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_windows *w, bool largest,
                            const double *divisors)
{
    bool narrow = w->x.type == HB_ONNX_FLOAT;
    hb_onnx_value made;

    HB_TRY(hb_onnx_windows_shape(file, node, w, w->n_channels, &made));
    HB_TRY(check_items(file, node, &w->windows));
    hb_onnx_become(&made, add_pool(file, w, narrow ? hb_onnx_narrowed(file, &w->x) : hb_onnx_wide(file, &w->x), largest,
                                   divisors));
    if (!largest)
        hb_onnx_sums(file, made.type);
    made.is_float32 = narrow;
    return hb_onnx_give(file, node, 0, &made);
}

hbs_status hb_onnx_max_pool(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_windows w;

    if (node->n_outputs > 1 && node->outputs[1].size > 0)
        return hb_onnx_refuse(file, node, HBS_E_UNSUPPORTED, "hbscore reads it without the places of the numbers");
    HB_TRY(hb_onnx_windows_read(file, node, NULL, &w));
    return give_pool(file, node, &w, true, NULL);
}

hbs_status hb_onnx_global_max_pool(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_windows w;

    HB_TRY(hb_onnx_windows_of_all(file, node, &w));
    return give_pool(file, node, &w, true, NULL);
}

static hbs_status give_mean(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_windows *w, bool with_pads)
{
    const double *counts;
    hb_onnx_value shape;

    HB_TRY(hb_onnx_windows_shape(file, node, w, w->n_channels, &shape)); /* so many places are not too many */
    counts = count_items(file, w, with_pads);
    if (!counts)
        return hb_no_memory(file->arena.memory, file->error);
    HB_TRY(hb_worked(file->bytes.work, 32 * hb_windows_count(w->windows.out), file->error));
    return give_pool(file, node, w, false, counts);
}

hbs_status hb_onnx_average_pool(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_windows w;
    int64_t with_pads;

    HB_TRY(hb_onnx_windows_read(file, node, NULL, &w));
    HB_TRY(hb_onnx_integer(file, node, "count_include_pad", 0, &with_pads));
    return give_mean(file, node, &w, with_pads != 0);
}

hbs_status hb_onnx_global_average_pool(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_windows w;

    HB_TRY(hb_onnx_windows_of_all(file, node, &w));
    return give_mean(file, node, &w, false);
}

/* ---- LpPool: the p-th root of a sum of p-th powers of magnitudes */

/* Each magnitude to a power, which is rounded as said. */
static hbs_status add_power(hb_onnx_file *file, size_t width, double exponent, hb_rounding rounding, size_t *value)
{
    double *exponents;

    if (exponent == 1) {
        *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, *value,
                                 &(hb_fit_map){.function = HB_MAP_ABSOLUTE, .rounding = rounding});
        return HBS_OK;
    }
    if (exponent == 0.5) {
        *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, *value,
                                 &(hb_fit_map){.function = HB_MAP_SQUARE_ROOT, .rounding = rounding});
        return HBS_OK;
    }
    exponents = hb_arena_array(&file->pipeline->arena, width, sizeof(*exponents));
    if (!exponents)
        return hb_no_memory(file->arena.memory, file->error);
    for (size_t i = 0; i < width; i++)
        exponents[i] = exponent;
    *value = hb_pipeline_add(file->pipeline, HB_OPERATOR_MAP, *value, &(hb_fit_map){.function = HB_MAP_ABSOLUTE});
    *value = hb_pipeline_add(
        file->pipeline, HB_OPERATOR_COMBINE, *value,
        &(hb_fit_combine){
            .function = HB_COMBINE_POWER, .rounding = rounding, .n_outputs = width, .numbers = exponents});
    return hb_worked(file->bytes.work, width, file->error);
}

static hbs_status give_length(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_windows *w)
{
    hb_onnx_value made;
    size_t value;
    int64_t p;

    HB_TRY(hb_onnx_integer(file, node, "p", 2, &p));
    if (p < 1 || p > INT32_MAX)
        return hb_onnx_refuse(file, node, HBS_E_FORMAT, "its p is %lld", (long long)p);
    HB_TRY(hb_onnx_windows_shape(file, node, w, w->n_channels, &made));
    HB_TRY(check_items(file, node, &w->windows));
    value = hb_onnx_wide(file, &w->x);
    HB_TRY(add_power(file, w->x.width, (double)p, HB_ROUND_NONE, &value));
    value = add_pool(file, w, value, false, NULL);
    HB_TRY(add_power(file, made.width, 1 / (double)p, hb_onnx_rounding(made.type), &value));
    return hb_onnx_give_numbers(file, node, &made, value);
}

hbs_status hb_onnx_lp_pool(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_windows w;

    HB_TRY(hb_onnx_windows_read(file, node, NULL, &w));
    return give_length(file, node, &w);
}

hbs_status hb_onnx_global_lp_pool(hb_onnx_file *file, const hb_onnx_node *node)
{
    hb_onnx_windows w;

    HB_TRY(hb_onnx_windows_of_all(file, node, &w));
    return give_length(file, node, &w);
}
