/* execute.c - the steps of a plan over one tile of rows, on the CPU. */
#include "forest/forest_plan.h"
#include "graph/evaluate.h"
#include "plan/run.h"

static void *scratch_at(const hbs_run *run, hb_place place, size_t stride)
{
    return run->scratch + place.at * stride;
}

static const void *input_at(const hbs_run *run, hb_place place, size_t stride)
{
    return place.in_plan ? hb_plan_at(run->plan, place.at) : scratch_at(run, place, stride);
}

/* The clip of what a product makes, where it lies, is done with the product. */
static const hb_step *clip_behind(const hbs_run *run, const hb_step *step)
{
    const hb_step *steps = hb_plan_at(run->plan, run->plan->steps), *next = step + 1;

    return step->kind == HB_TENSOR_DENSE && next < steps + run->plan->n_steps &&
                   next->kind == HB_TENSOR_CLIP && next->outputs == step->outputs &&
                   next->input.at == step->output.at && next->output.at == step->output.at
               ? next
               : NULL;
}

/* Rounding the caller's float32 columns where they lie changes nothing. */
static bool is_idle(const hbs_run *run, const hb_step *step)
{
    const hb_step *steps = hb_plan_at(run->plan, run->plan->steps);

    if (step->kind == HB_TENSOR_CLIP && step > steps && clip_behind(run, step - 1))
        return true;
    return step->kind == HB_TENSOR_ROUND && run->is_float32 && !step->input.in_plan &&
           step->reads_input && step->output.at == step->input.at;
}

/* The column's numbers from row `first` of the tile on. */
static const void *from_row(const void *column, hb_place place, size_t first, size_t size)
{
    return (const char *)column + (place.constant ? 0 : first * size);
}

/* Whether float32 holds every number of the step's input. */
static bool is_float32(const hbs_run *run, const hb_step *step)
{
    return step->float32 == HB_FLOAT32_ALWAYS ||
           (step->float32 == HB_FLOAT32_IF_TABLE && run->is_float32);
}

/* The programs of strategies, where a call finds the one that it takes. */
typedef struct programs {
    hb_bits_forest bits;
    hb_row_forest row;
    hb_gemm_forest gemm;
    hb_ptt_forest ptt;
} programs;

/* Of a forest that has bits: by these if the rows are many enough, else row by row. */
static void choose_bits(hbs_run *run, const hb_step *step, const hb_forest_plan *plan, programs *programs,
                        hb_call *call)
{
    if (call->rows < plan->min_rows || !run->work) {
        if (hb_row_view(run->plan, plan->program, hb_plan_at(run->plan, plan->trees), &programs->row))
            call->row = &programs->row;
        return;
    }
    programs->bits = hb_bits_view(run->plan, plan->program);
    if (programs->bits.planes != run->kernels->planes)
        return; /* compiled for other kernels */
    call->bits = &programs->bits;
    call->work = run->work;
    call->is_float32 = is_float32(run, step);
}

/* By the forest's strategy, if it has another than walks. */
static void choose_strategy(hbs_run *run, const hb_step *step, programs *programs, hb_call *call)
{
    const hb_forest_plan *plan = hb_plan_at(run->plan, step->model);

    if (plan->strategy == HBS_STRATEGY_BITS) {
        choose_bits(run, step, plan, programs, call);
    } else if (plan->strategy == HBS_STRATEGY_GEMM && run->work && call->rows >= plan->min_rows) {
        programs->gemm = hb_gemm_view(run->plan, plan->program);
        call->gemm = &programs->gemm;
        call->work = run->work;
        call->blas = run->room ? &run->blas : NULL;
    } else if (plan->strategy == HBS_STRATEGY_PTT && run->stride > 1 && call->rows >= plan->min_rows) {
        programs->ptt = hb_ptt_view(run->plan, plan->program);
        call->ptt = &programs->ptt;
    }
}

/* Rows [first, first + rows) of the tile. */
static bool execute_part(hbs_run *run, const hb_step *step, size_t first, size_t rows,
                         size_t stride, hb_refusal *refusal)
{
    size_t size = hb_dtype_size((hb_dtype)step->dtype);
    size_t input_size = step->kind == HB_TENSOR_NARROW ? sizeof(double) : size;
    hb_flat_forest forest;
    hb_wide_forest wide;
    programs programs;
    hb_category_statistics statistics;
    hb_dense_model dense;
    hb_bins bins;
    hb_gaussian_model gaussian;
    hb_encoder encoder;
    const hb_step *clip;
    hb_call call = {
        .kernels = run->kernels,
        .kind = (hb_tensor_kind)step->kind,
        .dtype = (hb_dtype)step->dtype,
        .number = step->number,
        .stride = step->output.constant ? 1 : stride,
        .rows = step->output.constant ? 1 : rows,
        .input_width = step->input_width,
        .width = step->width,
        .input = from_row(input_at(run, step->input, stride), step->input, first, input_size),
        .base = from_row(input_at(run, step->base, stride), step->base, first, size),
        .base_is_rows = !step->base.constant,
        .output = (char *)scratch_at(run, step->output, stride) +
                  (step->output.constant ? 0 : first * size),
        .host = &run->memory.host,
        .refusal = refusal,
    };

    if (step->kind == HB_TENSOR_TREE_ENSEMBLE && step->dtype == HB_DTYPE_FLOAT64) {
        wide = hb_wide_forest_view(run->plan, step->model);
        wide.compact = is_float32(run, step) ? wide.compact : NULL;
        call.wide = &wide;
    } else if (step->kind == HB_TENSOR_TREE_ENSEMBLE) {
        forest = hb_forest_view(run->plan, step->model);
        call.forest = &forest;
    } else if (step->kind == HB_TENSOR_CATEGORY_COLUMNS) {
        statistics = hb_statistics_view(run->plan, step->model);
        call.statistics = &statistics;
    } else if (step->kind == HB_TENSOR_SELECT || step->kind == HB_TENSOR_INDICATOR) {
        call.columns = hb_plan_at(run->plan, step->model);
    } else if (step->kind == HB_TENSOR_GUARD) {
        call.asked = hb_plan_at(run->plan, step->model);
    } else if (step->kind == HB_TENSOR_PRODUCTS) {
        call.products = hb_plan_at(run->plan, step->model);
    } else if (step->kind == HB_TENSOR_BINS) {
        bins = (hb_bins){step->width, hb_plan_at(run->plan, step->model),
                         hb_plan_at(run->plan, step->bias)};
        call.bins = &bins;
    } else if (step->kind == HB_TENSOR_ONEHOT || step->kind == HB_TENSOR_RECODE) {
        encoder = hb_encoder_view(run->plan, step->model);
        call.encoder = &encoder;
    } else if (step->kind == HB_TENSOR_DENSE) {
        dense = (hb_dense_model){step->input_width, step->width,
                                 hb_plan_at(run->plan, step->model),
                                 hb_plan_at(run->plan, step->bias)};
        call.dense = &dense;
        clip = clip_behind(run, step);
        call.limits = clip ? input_at(run, clip->base, stride) : NULL;
        call.blas = run->room ? &run->blas : NULL;
        call.room = run->room;
        call.feeds_product = step->feeds_product && stride <= HB_TILE && (clip || step[1].kind == HB_TENSOR_DENSE);
    } else if (step->kind == HB_TENSOR_GAUSSIAN_NB) {
        gaussian = (hb_gaussian_model){step->input_width, step->width,
                                       hb_plan_at(run->plan, step->model),
                                       hb_plan_at(run->plan, step->bias)};
        call.gaussian = &gaussian;
    } else if (step->kind == HB_TENSOR_LINEAR) {
        call.weights = hb_plan_at(run->plan, step->model);
        call.bias = hb_plan_at(run->plan, step->bias);
    }
    if (step->kind == HB_TENSOR_TREE_ENSEMBLE)
        choose_strategy(run, step, &programs, &call);
    return hb_evaluate(&call);
}

/* Rows that a step takes at once: forests many, all else those of HB_TILE. */
static size_t rows_at_once(const hbs_run *run, const hb_step *step, size_t rows)
{
    const hb_forest_plan *forest;

    if (step->kind != HB_TENSOR_TREE_ENSEMBLE)
        return step->output.constant ? rows : HB_TILE;
    forest = hb_plan_at(run->plan, step->model);
    return forest->strategy == HBS_STRATEGY_BITS ? HB_BITS_ROWS : rows;
}

static bool execute_step(hbs_run *run, const hb_step *step, size_t rows, size_t stride)
{
    size_t part = rows_at_once(run, step, rows);

    for (size_t first = 0; first < rows; first += part)
        if (!execute_part(run, step, first, rows - first < part ? rows - first : part, stride,
                          &run->refusals[first / HB_TILE]))
            return false;
    return true;
}

static double number_at(const hb_result_place *result, const void *from, size_t i)
{
    return result->dtype == HB_DTYPE_FLOAT64 ? ((const double *)from)[i]
                                             : (double)((const float *)from)[i];
}

/* From columns to rows of float64 (exact). */
static void store(const hbs_run *run, size_t output, size_t first, size_t rows, size_t stride)
{
    const hb_result_place *result = &run->plan->results[output];
    const void *from = input_at(run, result->place, stride);
    double *to = run->results[output] + first * result->width;
    size_t width = result->width;

    if (result->dtype == HB_DTYPE_FLOAT64) {
        run->kernels->hb_rows64(from, width, stride, rows, to);
        return;
    }
    for (size_t c = 0; c < width; c++)
        for (size_t r = 0; r < rows; r++)
            to[r * width + c] = (double)((const float *)from)[c * stride + r];
}

static void store_labels(const hbs_run *run, size_t output, size_t first, size_t rows,
                         size_t stride)
{
    const hb_result_place *result = &run->plan->results[output];
    const void *from = input_at(run, result->place, stride);

    for (size_t r = 0; r < rows; r++)
        run->labels[first + r] = (int32_t)number_at(result, from, r);
}

/* Rows that a step refused, of part `part` of the tile: without a result, or the first of them is an error and *rows
 * is how many come before it. Rows that have none already do not count. */
static hbs_status refuse(hbs_run *run, size_t part, size_t first, size_t *rows, hbs_error *error)
{
    const hb_refusal *refusal = &run->refusals[part];

    for (size_t t = part * HB_TILE; t < *rows && t < (part + 1) * HB_TILE; t++) {
        size_t row = first + t, r = t - part * HB_TILE;
        bool unknown = refusal->rows >> r & 1, beyond = refusal->beyond >> r & 1;

        if ((!unknown && !beyond) || !(run->valid[row / 64] >> (row % 64) & 1))
            continue;
        if (unknown && run->plan->on_unseen == HB_UNSEEN_ERROR) {
            *rows = t;
            return hb_unseen_fail(run, refusal->features[r], refusal->values[r], error);
        }
        if (beyond && run->plan->missing_is_error) {
            *rows = t;
            return hb_run_fail(run, error, HBS_E_ARGS,
                               "a step of the pipeline makes a number that is missing or infinite, "
                               "and the next cannot take that (option on_missing)");
        }
        run->valid[row / 64] &= ~(1ull << (row % 64));
    }
    return HBS_OK;
}

hbs_status hb_execute(hbs_run *run, uint32_t outputs, size_t first, size_t *rows, size_t stride,
                      hbs_error *error)
{
    const hb_step *steps = hb_plan_at(run->plan, run->plan->steps);
    size_t parts = (*rows + HB_TILE - 1) / HB_TILE;
    hbs_status status = HBS_OK;

    if (run->room)
        run->room->fed = NULL;
    for (size_t p = 0; p < parts; p++)
        run->refusals[p].rows = run->refusals[p].beyond = 0;
    for (size_t i = 0; i < run->plan->n_steps; i++)
        if (steps[i].outputs & outputs && !is_idle(run, &steps[i]) &&
            !execute_step(run, &steps[i], *rows, stride))
            return hb_fail(error, HBS_E_CANCEL, "cancelled");
    for (size_t p = 0; p < parts && status == HBS_OK; p++)
        if (run->refusals[p].rows | run->refusals[p].beyond)
            status = refuse(run, p, first, rows, error);
    for (size_t i = 0; i < HB_N_OUTPUTS; i++) {
        if (!(outputs >> i & 1))
            continue;
        if (1u << i == HBS_OUT_LABEL)
            store_labels(run, i, first, *rows, stride);
        else
            store(run, i, first, *rows, stride);
    }
    return status;
}
