/* evaluate.c - the table from tensor operator and dtype to kernel. */
#include "graph/evaluate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/elementwise.h"
#include "kernel/statistics_kernel.h"
#include "kernel/weighted_median64.h"

static hb_tile narrow(const hb_call *call)
{
    return (hb_tile){call->input, call->output, call->input_width, call->stride, call->rows};
}

static hb_tile64 wide(const hb_call *call)
{
    return (hb_tile64){call->input, call->output, call->input_width, call->stride, call->rows};
}

static bool is_wide(const hb_call *call)
{
    return call->dtype == HB_DTYPE_FLOAT64;
}

enum {
    STEPS_AT_ONCE = 1 << 18, /* products of numbers: well below a millisecond */
    CELLS_AT_ONCE = 1 << 14, /* of one operator that sorts, looks up or takes exponentials */
    FEW_CELLS = 64, /* of a single row: not counted, which would cost a small model's row one per cent of its time */
    STEPS_A_UNIT = 4,
    UNITS_A_CELL = 4
};

/* ---- sources hold their data already; encode belongs to plan/bind.c */

static bool evaluate_table(const hb_call *call)
{
    (void)call;
    return true;
}

#define evaluate_constant evaluate_table
#define evaluate_encode   evaluate_table

/* ---- models */

#define evaluate_tree_ensemble hb_evaluate_trees

/* Some inputs of an output at a time; the sums go on where they were. */
static bool evaluate_linear(const hb_call *call)
{
    size_t n = call->input_width, at_once = HB_WORK_A_POLL / 4 / call->rows;
    hb_tile tile = narrow(call);

    for (size_t o = 0; o < call->width; o++) {
        hb_linear_begin(&tile, o, call->bias, call->base);
        for (size_t first = 0, end; first < n; first = end) {
            end = n - first < at_once ? n : first + at_once;
            hb_linear_add(&tile, first, end, o, call->width, call->weights);
            if (!hb_call_goes_on(call, (end - first) * call->rows))
                return false;
        }
    }
    return true;
}

/* A few rows at a time: each statistic of each row is a look-up. */
static bool evaluate_category_columns(const hb_call *call)
{
    enum { ROWS = 8 };

    for (size_t r = 0; r < call->rows; r += ROWS) {
        size_t n = call->rows - r < ROWS ? call->rows - r : ROWS;

        if (!hb_category_columns(call->statistics, (const double *)call->input + r, call->input_width, call->stride, n,
                                 call->polls, (double *)call->output + r))
            return false;
    }
    return true;
}

/* Some outputs at a time; where they are clipped too, as many as stay in the nearest cache. */
static bool evaluate_dense(const hb_call *call)
{
    enum { CLIPPED = 16 };
    const hb_dense_model *dense = call->dense;
    size_t steps = call->input_width * call->rows, at_once = STEPS_AT_ONCE / (steps ? steps : 1) / 4 * 4 + 4;
    hb_tile64 tile = wide(call);

    if (hb_blas_begin(call))
        return hb_blas_dense(call);
    if (call->limits && call->rows > 1 && at_once > CLIPPED)
        at_once = CLIPPED;
    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        tile.out = (double *)call->output + o * call->stride;
        call->kernels->hb_dense64(&tile, dense->weights + o * call->input_width, dense->bias + o, n);
        hb_clip_made(call, o, n);
        if (!hb_call_goes_on(call, n * steps / STEPS_A_UNIT))
            return false;
    }
    return true;
}

/* The same; a division takes longer than a product. */
static bool evaluate_gaussian_nb(const hb_call *call)
{
    const hb_gaussian_model *gaussian = call->gaussian;
    size_t steps = 2 * call->input_width * call->rows;
    size_t at_once = STEPS_AT_ONCE / (steps ? steps : 1) / 4 * 4 + 4;
    hb_tile64 tile = wide(call);

    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        tile.out = (double *)call->output + o * call->stride;
        call->kernels->hb_gaussian64(&tile, gaussian->parameters + o * call->input_width * 2, gaussian->constants + o,
                                     n);
        if (!hb_call_goes_on(call, n * steps / STEPS_A_UNIT))
            return false;
    }
    return true;
}

/* ---- encoders */

static void add_refusal(const hb_call *call, size_t c, uint64_t rows)
{
    const double *x = (const double *)call->input + c * call->stride;
    uint64_t more = rows & ~call->refusal->rows;

    for (size_t r = 0; more; r++, more >>= 1)
        if (more & 1) {
            call->refusal->features[r] = call->encoder->columns[c].feature;
            call->refusal->values[r] = x[r];
        }
    call->refusal->rows |= rows;
}

/* No output depends on a dead column: its values refuse no row. */
static bool is_looked_at(const hb_call *call, size_t c)
{
    return !call->asked || hb_asked(call->asked[c], call->asker);
}

static bool encode_columns(const hb_call *call,
                           uint64_t (*kernel)(const hb_encoder *encoder, size_t c, const double *in, size_t stride,
                                              size_t rows, double *out))
{
    size_t cells = 0;

    for (size_t c = 0; c < call->input_width; c++) {
        uint64_t refused = kernel(call->encoder, c, call->input, call->stride, call->rows, call->output);

        if (refused && is_looked_at(call, c))
            add_refusal(call, c, refused);
        cells += call->rows;
        if (cells < CELLS_AT_ONCE)
            continue;
        if (!hb_call_goes_on(call, UNITS_A_CELL * cells))
            return false;
        cells = 0;
    }
    return cells <= FEW_CELLS || hb_call_goes_on(call, UNITS_A_CELL * cells);
}

static bool evaluate_onehot(const hb_call *call)
{
    return encode_columns(call, call->kernels->hb_onehot64);
}

static bool evaluate_recode(const hb_call *call)
{
    return encode_columns(call, call->kernels->hb_recode64);
}

_Static_assert((size_t)HB_MAX_MEDIAN <= (size_t)HB_MEDIAN_ROOM, "the kernel has room for all numbers of a row");

/* Row after row: each is sorted. */
static bool evaluate_weighted_median(const hb_call *call)
{
    for (size_t r = 0; r < call->rows; r++) {
        ((double *)call->output)[r] =
            hb_weighted_median64((const double *)call->input + r, call->input_width, call->stride, call->base);
        if (!hb_call_goes_on(call, 4 * UNITS_A_CELL * call->input_width))
            return false;
    }
    return true;
}

/* ---- movement of columns */

static void copy_column(const hb_call *call, const void *from, size_t column, size_t to)
{
    memcpy((double *)call->output + to * call->stride, (const double *)from + column * call->stride,
           call->rows * sizeof(double));
}

/* After so many columns. */
static bool go_on_at(const hb_call *call, size_t column)
{
    enum { COLUMNS = 4096 };

    return column % COLUMNS != COLUMNS - 1 || hb_call_goes_on(call, COLUMNS * (call->rows / STEPS_A_UNIT + 1));
}

/* Columns [first, first + n) to column `to` on; the planner of memory has mostly put them there already. */
static bool copy_columns(const hb_call *call, const void *from, size_t first, size_t n, size_t to)
{
    if ((const double *)from + first * call->stride == (double *)call->output + to * call->stride)
        return true;
    for (size_t c = 0; c < n; c++) {
        copy_column(call, from, first + c, to + c);
        if (!go_on_at(call, to + c))
            return false;
    }
    return true;
}

/* By runs of columns that follow each other. */
static bool evaluate_select(const hb_call *call)
{
    const uint32_t *columns = call->columns;

    for (size_t c = 0, n; c < call->width; c += n) {
        for (n = 1; c + n < call->width && columns[c + n] == columns[c] + n;)
            n++;
        if (!copy_columns(call, call->input, columns[c], n, c))
            return false;
    }
    return true;
}

static bool evaluate_concat(const hb_call *call)
{
    size_t left = call->input_width;

    return copy_columns(call, call->input, 0, left, 0) && copy_columns(call, call->base, 0, call->width - left, left);
}

static bool evaluate_narrow(const hb_call *call)
{
    const double *in = call->input;
    float *out = call->output;

    if (call->stride == 1) { /* a row by itself is one run of numbers */
        call->kernels->hb_narrow64(in, call->width, out);
        return true;
    }
    for (size_t c = 0; c < call->width; c++) {
        call->kernels->hb_narrow64(in + c * call->stride, call->rows, out + c * call->stride);
        if (!go_on_at(call, c))
            return false;
    }
    return true;
}

/* ---- guards */

static uint64_t rows_beyond(const double *x, size_t rows, unsigned asked)
{
    uint64_t beyond = 0;

    for (size_t r = 0; r < rows; r++) {
        bool nan = x[r] != x[r], infinite = !nan && !(fabs(x[r]) <= DBL_MAX);

        beyond |= (uint64_t)((nan && asked & HB_DEMAND_KNOWN) || (infinite && asked & HB_DEMAND_FINITE)) << r;
    }
    return beyond;
}

/* Columns [first, first + n); all at once, as mostly nothing is found. */
static void look_for_beyond(const hb_call *call, size_t first, size_t n)
{
    const hb_kernels *k = call->kernels;
    const double *x = (const double *)call->input + first * call->stride;

    if (call->rows == call->stride && !(k->hb_look_at64(x, n * call->rows) & (HB_SAW_NAN | HB_SAW_INFINITE)))
        return;
    for (size_t c = 0; c < n; c++, x += call->stride)
        if (k->hb_look_at64(x, call->rows) & (HB_SAW_NAN | HB_SAW_INFINITE))
            call->refusal->beyond |= rows_beyond(x, call->rows, hb_asked(call->asked[first + c], call->asker));
}

/* Mostly in place, and then it only looks. */
static bool evaluate_guard(const hb_call *call)
{
    enum { AT_ONCE = 4096 };
    size_t columns = 0; /* since the host was asked */

    for (size_t c = 0, n; c < call->width; c += n) {
        bool asks = hb_asked(call->asked[c], call->asker) != 0;

        for (n = 1; c + n < call->width && n < AT_ONCE && (hb_asked(call->asked[c + n], call->asker) != 0) == asks;)
            n++;
        if (asks)
            look_for_beyond(call, c, n);
        columns += n;
        if (columns < AT_ONCE)
            continue;
        if (!hb_call_goes_on(call, columns * (call->rows / STEPS_A_UNIT + 1)))
            return false;
        columns = 0;
    }
    return copy_columns(call, call->input, 0, call->width, 0);
}

/* ---- new columns */

static bool evaluate_indicator(const hb_call *call)
{
    enum { COLUMNS = 4096 };
    hb_tile64 tile = wide(call);

    for (size_t c = 0; c < call->width; c += COLUMNS) {
        size_t n = call->width - c < COLUMNS ? call->width - c : COLUMNS;

        tile.out = (double *)call->output + c * call->stride;
        call->kernels->hb_indicator64(&tile, call->columns + c, n, call->number);
        if (!hb_call_goes_on(call, n * (call->rows / STEPS_A_UNIT + 1)))
            return false;
    }
    return true;
}

static bool is_narrow(const hb_call *call)
{
    return call->number == HB_FLOAT32_BITS;
}

static bool evaluate_products(const hb_call *call)
{
    size_t at_once = HB_WORK_A_POLL / call->rows;
    hb_tile64 tile = wide(call);

    for (size_t i = 0, end; i < call->width; i = end) {
        end = call->width - i < at_once ? call->width : i + at_once;
        call->kernels->hb_products64(&tile, call->products, i, end, is_narrow(call));
        if (!hb_call_goes_on(call, (end - i) * call->rows))
            return false;
    }
    return true;
}

/* ---- elementwise: in float32 only, in float64 only, or in either */

/* A few rows at a time, if they are wide. */
static __attribute__((noinline)) bool by_some_rows(const hb_call *call, void (*kernel)(const hb_call *part))
{
    size_t at_once = call->input_width < CELLS_AT_ONCE ? CELLS_AT_ONCE / call->input_width : 1;
    size_t size = hb_dtype_size(call->dtype);
    hb_call part = *call;

    for (size_t left = call->rows; left > 0; left -= part.rows) {
        part.rows = left < at_once ? left : at_once;
        kernel(&part);
        if (!hb_call_goes_on(call, UNITS_A_CELL * part.rows * call->input_width))
            return false;
        part.input = (const char *)part.input + part.rows * size;
        part.output = (char *)part.output + part.rows * size;
    }
    return true;
}

static __attribute__((noinline)) bool by_counted_rows(const hb_call *call, void (*kernel)(const hb_call *part))
{
    size_t cells = call->input_width * call->rows;

    if (cells > CELLS_AT_ONCE)
        return by_some_rows(call, kernel);
    kernel(call);
    return hb_call_goes_on(call, UNITS_A_CELL * cells);
}

/* Gives the operator's rows to `kernel`. */
static bool by_rows(const hb_call *call, void (*kernel)(const hb_call *part))
{
    if (call->input_width * call->rows > FEW_CELLS)
        return by_counted_rows(call, kernel);
    kernel(call);
    return true;
}

#define ELEMENTWISE(name, kernel)                    \
    static void name##_part(const hb_call *call)     \
    {                                                \
        const hb_kernels *k = call->kernels;         \
        hb_tile tile = narrow(call);                 \
        hb_tile64 tile64 = wide(call);               \
                                                     \
        (void)k, (void)tile, (void)tile64;           \
        kernel;                                      \
    }                                                \
                                                     \
    static bool evaluate_##name(const hb_call *call) \
    {                                                \
        return by_rows(call, name##_part);           \
    }

static bool evaluate_sort(const hb_call *call)
{
    hb_tile tile = narrow(call);

    return hb_sort_columns(&tile, call->polls);
}

#define EITHER(name, kernel, kernel64) ELEMENTWISE(name, is_wide(call) ? kernel64 : kernel)

ELEMENTWISE(subtract, k->hb_subtract64(&tile64, call->base))
ELEMENTWISE(quotient, k->hb_quotient64(&tile64, call->base))
ELEMENTWISE(multiply, k->hb_multiply64(&tile64, call->base))
ELEMENTWISE(add, k->hb_add64(&tile64, call->base))
ELEMENTWISE(subtract32, k->hb_subtract32_64(&tile64, call->base))
ELEMENTWISE(quotient32, k->hb_quotient32_64(&tile64, call->base))
ELEMENTWISE(multiply32, k->hb_multiply32_64(&tile64, call->base))
ELEMENTWISE(add32, k->hb_add32_64(&tile64, call->base))
ELEMENTWISE(affine, k->hb_affine64(&tile64, call->number, call->base))
ELEMENTWISE(round, k->hb_round64(&tile64))
ELEMENTWISE(code, k->hb_code64(&tile64))
ELEMENTWISE(difference, k->hb_difference64(&tile64))
ELEMENTWISE(isolation, k->hb_isolation64(&tile64, call->base))
ELEMENTWISE(clip, k->hb_clip64(&tile64, call->base))
ELEMENTWISE(impute, k->hb_impute64(&tile64, call->base, call->number))
ELEMENTWISE(plus_minus, k->hb_plus_minus64(&tile64))
ELEMENTWISE(bins, k->hb_bins64(&tile64, call->bins))
ELEMENTWISE(norm_l1, k->hb_norm_l1_64(&tile64, is_narrow(call)))
ELEMENTWISE(norm_l2, k->hb_norm_l2_64(&tile64, is_narrow(call)))
ELEMENTWISE(norm_max, k->hb_norm_max64(&tile64, is_narrow(call)))
ELEMENTWISE(normalize, k->hb_normalize64(&tile64))
ELEMENTWISE(logsumexp, k->hb_logsumexp64(&tile64))
ELEMENTWISE(tanh, k->hb_tanh_tile64(&tile64))
ELEMENTWISE(logit, hb_logit(&tile))
ELEMENTWISE(log, hb_log(&tile))
ELEMENTWISE(expectile_base, hb_expectile_base(&tile))
ELEMENTWISE(expectile, hb_expectile(&tile))
ELEMENTWISE(flush_tiny, k->hb_flush_tiny64(&tile64))
ELEMENTWISE(divide, k->hb_divide64(&tile64, call->number))
ELEMENTWISE(square, k->hb_square64(&tile64))
ELEMENTWISE(variance, k->hb_variance64(&tile64))
ELEMENTWISE(softplus, k->hb_softplus64(&tile64))
EITHER(mark_missing, hb_mark_missing(&tile, (float)call->number), k->hb_mark_missing64(&tile64, call->number))
EITHER(sigmoid, hb_sigmoid(&tile), k->hb_sigmoid64(&tile64, call->number))
EITHER(softmax, hb_softmax(&tile), k->hb_softmax64(&tile64))
EITHER(exp, hb_exp(&tile), k->hb_exp_tile64(&tile64))
EITHER(complement, hb_complement(&tile), k->hb_complement64(&tile64))
EITHER(greater, hb_greater(&tile, (float)call->number), k->hb_greater64(&tile64, call->number))
EITHER(argmax, hb_argmax(&tile), k->hb_argmax64(&tile64))

typedef bool (*evaluator)(const hb_call *call);

static const evaluator evaluators[] = {
#define HB_TENSOR(kind, name, accuracy, place) evaluate_##name,
#include "graph/tensors.def"
#undef HB_TENSOR
};

bool hb_evaluate(const hb_call *call)
{
    return evaluators[call->kind](call);
}
