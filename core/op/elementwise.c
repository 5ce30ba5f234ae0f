/* elementwise.c - operators of a row's numbers that are one call of a kernel: in float32 only, in float64 only, or in
 * either. */
#include "base/solver.h"
#include "kernel/elementwise.h"

#include "kernel/interpolate64.h"
#include "kernel/weighted_median64.h"
#include "op/columns.h"

static hb_tile narrow(const hb_call *call)
{
    return (hb_tile){call->input, call->output, call->input_width, call->stride, call->rows};
}

static bool is_wide(const hb_call *call)
{
    return call->dtype == HB_DTYPE_FLOAT64;
}

#define FIT(name) ((const hb_fit_##name *)call->fit)

/* A few rows at a time, if they are wide. */
static __attribute__((noinline)) bool by_some_rows(const hb_call *call, bool (*kernel)(const hb_call *part))
{
    size_t at_once = call->input_width < HB_CELLS_AT_ONCE ? HB_CELLS_AT_ONCE / call->input_width : 1;
    size_t size = hb_dtype_size(call->dtype);
    hb_call part = *call;

    for (size_t left = call->rows; left > 0; left -= part.rows) {
        part.rows = left < at_once ? left : at_once;
        if (!kernel(&part) || !hb_call_goes_on(call, HB_UNITS_A_CELL * part.rows * call->input_width))
            return false;
        part.input = (const char *)part.input + part.rows * size;
        part.output = (char *)part.output + part.rows * size;
    }
    return true;
}

static __attribute__((noinline)) bool by_counted_rows(const hb_call *call, bool (*kernel)(const hb_call *part))
{
    size_t cells = call->input_width * call->rows;

    if (cells > HB_CELLS_AT_ONCE)
        return by_some_rows(call, kernel);
    return kernel(call) && hb_call_goes_on(call, HB_UNITS_A_CELL * cells);
}

/* Gives the operator's rows to `kernel`, which says false where the host wants to stop. */
static bool by_rows(const hb_call *call, bool (*kernel)(const hb_call *part))
{
    if (call->input_width * call->rows > HB_FEW_CELLS)
        return by_counted_rows(call, kernel);
    return kernel(call);
}

#define ELEMENTWISE(name, kernel)                \
    static bool name##_part(const hb_call *call) \
    {                                            \
        const hb_kernels *k = call->kernels;     \
        hb_tile tile = narrow(call);             \
        hb_tile64 tile64 = hb_call_tile64(call); \
                                                 \
        (void)k, (void)tile, (void)tile64;       \
        kernel;                                  \
        return true;                             \
    }                                            \
                                                 \
    bool hb_evaluate_##name(const hb_call *call) \
    {                                            \
        return by_rows(call, name##_part);       \
    }

#define EITHER(name, kernel, kernel64) ELEMENTWISE(name, is_wide(call) ? kernel64 : kernel)

/* ---- columns that do not meet: some columns of all rows at a time, which lie together in memory */

/* A part's columns begin with column `first` of the call's. */
typedef bool part_of_columns(const hb_call *part, size_t first);

static __attribute__((noinline)) bool by_some_columns(const hb_call *call, part_of_columns *kernel)
{
    size_t at_once = HB_CELLS_AT_ONCE / call->rows + 1, bytes = call->stride * hb_dtype_size(call->dtype);
    hb_call part = *call;

    for (size_t first = 0; first < call->width; first += part.width) {
        part.width = part.input_width = call->width - first < at_once ? call->width - first : at_once;
        part.input = (const char *)call->input + first * bytes;
        part.output = (char *)call->output + first * bytes;
        if (!kernel(&part, first) || !hb_call_goes_on(call, HB_UNITS_A_CELL * part.rows * part.width))
            return false;
    }
    return true;
}

static __attribute__((noinline)) bool by_counted_columns(const hb_call *call, part_of_columns *kernel)
{
    size_t cells = call->width * call->rows;

    if (cells > HB_CELLS_AT_ONCE)
        return by_some_columns(call, kernel);
    return kernel(call, 0) && hb_call_goes_on(call, HB_UNITS_A_CELL * cells);
}

static bool by_columns(const hb_call *call, part_of_columns *kernel)
{
    if (call->width * call->rows > HB_FEW_CELLS)
        return by_counted_columns(call, kernel);
    return kernel(call, 0);
}

/* NUMBERS: those of the part's columns, one each. */
#define NUMBERS (&((const double *)call->inputs[1])[first])
#define COLUMNWISE(name, kernel)                               \
    static bool name##_part(const hb_call *call, size_t first) \
    {                                                          \
        const hb_kernels *k = call->kernels;                   \
        hb_tile tile = narrow(call);                           \
        hb_tile64 tile64 = hb_call_tile64(call);               \
                                                               \
        (void)k, (void)tile, (void)tile64, (void)first;        \
        kernel;                                                \
        return true;                                           \
    }                                                          \
                                                               \
    bool hb_evaluate_##name(const hb_call *call)               \
    {                                                          \
        return by_columns(call, name##_part);                  \
    }

COLUMNWISE(subtract, k->hb_subtract64(&tile64, NUMBERS))
COLUMNWISE(quotient, k->hb_quotient64(&tile64, NUMBERS))
COLUMNWISE(multiply, k->hb_multiply64(&tile64, NUMBERS))
COLUMNWISE(add, k->hb_add64(&tile64, NUMBERS))
COLUMNWISE(subtract32, k->hb_subtract32_64(&tile64, NUMBERS))
COLUMNWISE(quotient32, k->hb_quotient32_64(&tile64, NUMBERS))
COLUMNWISE(multiply32, k->hb_multiply32_64(&tile64, NUMBERS))
COLUMNWISE(add32, k->hb_add32_64(&tile64, NUMBERS))
COLUMNWISE(round, k->hb_round64(&tile64))
COLUMNWISE(clip, k->hb_clip64(&tile64, FIT(clip)->limits))
COLUMNWISE(impute, k->hb_impute64(&tile64, FIT(impute)->fill + first, FIT(impute)->missing))
COLUMNWISE(flush_tiny, k->hb_flush_tiny64(&tile64))
COLUMNWISE(mark_missing, is_wide(call) ? k->hb_mark_missing64(&tile64, FIT(mark_missing)->number)
                                       : hb_mark_missing(&tile, (float)FIT(mark_missing)->number))
COLUMNWISE(divide, is_wide(call) ? k->hb_divide64(&tile64, FIT(divide)->divisor)
                                 : hb_divide32(&tile, (float)FIT(divide)->divisor))

/* ---- of several columns, or whose rows are few at a time */

ELEMENTWISE(code, k->hb_code64(&tile64))
ELEMENTWISE(difference, k->hb_difference64(&tile64))
ELEMENTWISE(isolation, k->hb_isolation64(&tile64, FIT(isolation)->limits))
ELEMENTWISE(plus_minus, k->hb_plus_minus64(&tile64))
ELEMENTWISE(bins, k->hb_bins64(&tile64, &FIT(bins)->model))
ELEMENTWISE(interpolate, hb_interpolate64(&tile64, &FIT(interpolate)->model, FIT(interpolate)->misses_outside,
                                          FIT(interpolate)->kind))
ELEMENTWISE(norm_l2, k->hb_norm_l2_64(&tile64, FIT(norm_l2)->in_float32))
ELEMENTWISE(norm_max, k->hb_norm_max64(&tile64, FIT(norm_max)->in_float32))
ELEMENTWISE(normalize, k->hb_normalize64(&tile64))
ELEMENTWISE(logsumexp, k->hb_logsumexp64(&tile64))
ELEMENTWISE(tanh, k->hb_tanh_tile64(&tile64))
ELEMENTWISE(logit, hb_logit(&tile))
ELEMENTWISE(log, hb_log(&tile))
ELEMENTWISE(expectile_base, hb_expectile_base(&tile))
ELEMENTWISE(expectile, hb_expectile(&tile))
ELEMENTWISE(logistic32, hb_logistic32(&tile))
ELEMENTWISE(softmax32, hb_softmax32(&tile))
ELEMENTWISE(square, k->hb_square64(&tile64))
ELEMENTWISE(variance, k->hb_variance64(&tile64))
ELEMENTWISE(softplus, k->hb_softplus64(&tile64))
EITHER(affine, hb_affine32(&tile, FIT(affine)->factor, FIT(affine)->bias),
       k->hb_affine64(&tile64, FIT(affine)->factor, FIT(affine)->bias))
EITHER(norm_l1, hb_norm_l1_32(&tile), k->hb_norm_l1_64(&tile64, FIT(norm_l1)->in_float32))
EITHER(sigmoid, hb_sigmoid(&tile), k->hb_sigmoid64(&tile64, FIT(sigmoid)->factor))
EITHER(softmax, hb_softmax(&tile), k->hb_softmax64(&tile64))
EITHER(exp, hb_exp(&tile), k->hb_exp_tile64(&tile64))
EITHER(complement, hb_complement(&tile), k->hb_complement64(&tile64))
EITHER(greater, hb_greater(&tile, (float)FIT(greater)->threshold), k->hb_greater64(&tile64, FIT(greater)->threshold))
EITHER(argmax, hb_argmax(&tile), k->hb_argmax64(&tile64))

/* ---- the argmax of a softmax: mostly that of the scores */

static bool argmax_softmax32(const hb_kernels *k, hb_tile tile, hb_work *polls)
{
    for (uint64_t near = k->hb_argmax_apart32(&tile); near; near &= near - 1) {
        size_t r = (size_t)__builtin_ctzll(near);

        if (!hb_argmax_of_softmax(&(hb_tile){tile.in + r, tile.out + r, tile.width, tile.stride, 1}, polls))
            return false;
    }
    return true;
}

static bool argmax_softmax64(const hb_kernels *k, hb_tile64 tile, hb_work *polls)
{
    for (uint64_t near = k->hb_argmax_apart64(&tile); near; near &= near - 1) {
        size_t r = (size_t)__builtin_ctzll(near);

        if (!k->hb_argmax_of_softmax64(&(hb_tile64){tile.in + r, tile.out + r, tile.width, tile.stride, 1}, polls))
            return false;
    }
    return true;
}

static bool argmax_softmax_part(const hb_call *call)
{
    return is_wide(call) ? argmax_softmax64(call->kernels, hb_call_tile64(call), call->polls)
                         : argmax_softmax32(call->kernels, narrow(call), call->polls);
}

bool hb_evaluate_argmax_softmax(const hb_call *call)
{
    return by_rows(call, argmax_softmax_part);
}

/* ---- with loops of their own */

bool hb_evaluate_sort(const hb_call *call)
{
    hb_tile tile = narrow(call);

    return hb_sort_columns(&tile, call->polls);
}

/* False where the host wants to stop. */
static bool sort_for_median(const hb_call *call, hb_median *m)
{
    enum { AT_ONCE = 1024 };
    size_t steps = hb_median_steps(m);

    hb_median_begin(m);
    for (size_t i = 0; i < steps; i++) {
        hb_median_step(m, i);
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_call_goes_on(call, 4 * HB_UNITS_A_CELL * AT_ONCE))
            return false;
    }
    return hb_call_goes_on(call, 4 * HB_UNITS_A_CELL * (m->width < AT_ONCE ? m->width : AT_ONCE) + m->width);
}

/* Row after row: each is sorted. Behind the answers stands room for the columns of a long one. */
bool hb_evaluate_weighted_median(const hb_call *call)
{
    uint16_t few[HB_FEW_MEDIAN];
    bool has_room = hb_median_room(call->input_width, HB_FEW_MEDIAN) > 0;
    hb_median m = {.width = call->input_width,
                   .stride = call->stride,
                   .weights = FIT(weighted_median)->weights,
                   .order = has_room ? (uint16_t *)((double *)call->output + call->stride) : few};

    for (size_t r = 0; r < call->rows; r++) {
        m.x = (const double *)call->input + r;
        if (!sort_for_median(call, &m))
            return false;
        ((double *)call->output)[r] = hb_median_end(&m);
    }
    return true;
}

bool hb_evaluate_narrow(const hb_call *call)
{
    const double *in = call->input;
    float *out = call->output;

    if (call->stride == 1) { /* a row by itself is one run of numbers */
        call->kernels->hb_narrow64(in, call->width, out);
        return true;
    }
    for (size_t c = 0; c < call->width; c++) {
        call->kernels->hb_narrow64(in + c * call->stride, call->rows, out + c * call->stride);
        if (!hb_columns_go_on(call, c))
            return false;
    }
    return true;
}
