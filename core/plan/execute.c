/* execute.c - the steps of a plan over one tile of rows, on the CPU. */
#include "plan/run.h"

/* ---- forests */

/* True if float32 holds every number of the step's input. */
static bool is_float32(const hbs_run *run, const hb_prepared *step)
{
    return step->float32 == HB_FLOAT32_ALWAYS || (step->float32 == HB_FLOAT32_IF_TABLE && run->is_float32);
}

hb_tree_means hb_run_tree_means(const hbs_run *run)
{
    return (hb_tree_means){.work = run->work, .blas = run->room ? &run->blas : NULL, .single_rows = run->stride == 1};
}

static void choose_strategy(hbs_run *run, hb_prepared *step)
{
    const hb_tree_means means = hb_run_tree_means(run);

    step->forest->trees.is_float32 = is_float32(run, step);
    hb_trees_choose(&step->forest->view, &means, step->call.rows, &step->forest->trees);
}

/* ---- steps */

/* The step's call, at rows [first, first + rows) of the tile. */
static void aim_call(hbs_run *run, hb_prepared *step, size_t first, size_t rows, hb_refusal *refusal)
{
    hb_call *call = &step->call;

    call->rows = step->output_row ? rows : 1;
    for (size_t k = 0; k < step->n_inputs; k++)
        step->addresses[k] = step->inputs[k].at + first * step->inputs[k].row;
    call->input = step->addresses[0];
    call->output = step->output + first * step->output_row;
    call->refusal = refusal;
    if (step->forest)
        choose_strategy(run, step);
}

size_t hb_rows_at_once(const hb_prepared *step, size_t rows)
{
    if (!step->forest)
        return step->output_row ? HB_TILE : rows;
    return hb_trees_at_once(&step->forest->view, rows);
}

static bool execute_step(hbs_run *run, hb_prepared *step, size_t rows)
{
    size_t part = hb_rows_at_once(step, rows);

    for (size_t first = 0; first < rows; first += part) {
        aim_call(run, step, first, rows - first < part ? rows - first : part, &run->refusals[first / HB_TILE]);
        if (!hb_evaluate(&step->call))
            return false;
    }
    return true;
}

static bool is_idle(const hbs_run *run, const hb_prepared *step)
{
    return step->idle == HB_IDLE_ALWAYS || (step->idle == HB_IDLE_IF_FLOAT32 && run->is_float32);
}

enum { UNITS_A_STEP = 8 }; /* beside those that it counts itself */

/* For a run of single rows. Since the last row only the contents of the row have changed, not the steps' calls. The
 * steps of most models are few and not counted. */
static bool execute_single(hbs_run *run, uint32_t outputs)
{
    enum { AT_ONCE = 1024 };
    const hb_prepared *step = run->prepared, *last = step + run->plan->n_steps, *end;

    do {
        end = last - step > AT_ONCE ? step + AT_ONCE : last;
        for (; step < end; step++)
            if (step->outputs & outputs && !is_idle(run, step) && !hb_evaluate(&step->call))
                return false;
    } while (end < last && hb_goes_on(&run->memory.work, UNITS_A_STEP * AT_ONCE));
    return end == last;
}

/* For tiles of that stride; where that is one row, the steps' calls too. False where the host wants to stop. */
static bool prepare_block(hbs_run *run, size_t stride)
{
    if (run->prepared_for == stride)
        return true;
    if (!hb_prepare(run, stride))
        return false;
    for (size_t i = 0; stride == 1 && i < run->plan->n_steps; i++)
        aim_call(run, &run->prepared[i], 0, 1, &run->refusals[0]);
    return true;
}

/* *since goes on where the run is measured: each step begins when the one before it ends. */
static bool execute_steps(hbs_run *run, uint32_t outputs, hb_prepared *step, const hb_prepared *end, size_t rows,
                          uint64_t *since)
{
    for (; step < end; step++) {
        if (!(step->outputs & outputs) || is_idle(run, step))
            continue;
        if (!execute_step(run, step, rows))
            return false;
        if (run->counts)
            *since = hb_count_step(run, step, rows, *since);
        if (!hb_goes_on(&run->memory.work, UNITS_A_STEP))
            return false;
    }
    return true;
}

hbs_status hb_fail_step(const hbs_run *run, hbs_error *error)
{
    return run->lists.failed ? hb_no_memory(run->lists.memory, error) : hb_fail(error, HBS_E_CANCEL, "cancelled");
}

bool hb_execute_begin(hbs_run *run, size_t rows, size_t stride)
{
    if (!prepare_block(run, stride))
        return false;
    if (run->room)
        run->room->fed = NULL;
    for (size_t p = 0; p < (rows + HB_TILE - 1) / HB_TILE; p++)
        run->refusals[p].rows = run->refusals[p].beyond = 0;
    hb_lists_begin(&run->lists);
    return true;
}

bool hb_execute_steps(hbs_run *run, uint32_t outputs, size_t first, size_t end, size_t rows)
{
    uint64_t since = hb_run_clock(run);

    return execute_steps(run, outputs, run->prepared + first, run->prepared + end, rows, &since);
}

/* ---- results */

static double number_at(const hb_result_place *result, const void *from, size_t i)
{
    return result->dtype == HB_DTYPE_FLOAT64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

/* For a run of single rows. */
static void store_single(const hbs_run *run, uint32_t outputs)
{
    for (uint32_t left = outputs; left; left &= left - 1) {
        size_t output = (size_t)__builtin_ctz(left);
        const hb_result_place *result = &run->plan->results[output];
        const void *from = hb_run_at(run, result->place, 1);

        if (1u << output == HBS_OUT_LABEL)
            run->labels[0] = (int32_t)number_at(result, from, 0);
        else
            for (size_t c = 0; c < result->width; c++)
                run->results[output][c] = number_at(result, from, c);
    }
}

/* Some columns at once: a line of the cache of each row's results is written as a whole. */
static void widen_rows(const float *from, size_t width, size_t stride, size_t rows, double *to)
{
    enum { LINE = 64 / sizeof(double) };

    for (size_t first = 0, end; first < width; first = end) {
        end = width - first < LINE ? width : first + LINE;
        for (size_t r = 0; r < rows; r++)
            for (size_t c = first; c < end; c++)
                to[r * width + c] = (double)from[c * stride + r];
    }
}

/* From columns to rows of float64 (exact). */
static hbs_status store_results(hbs_run *run, size_t output, size_t first, size_t rows, size_t stride, hbs_error *error)
{
    enum { NUMBERS_AT_ONCE = 1 << 16 };

    const hb_result_place *result = &run->plan->results[output];
    const void *from = hb_run_at(run, result->place, stride);
    double *to = run->results[output] + first * result->width;
    size_t width = result->width;

    for (size_t r = 0, n; r < rows; r += n) {
        n = NUMBERS_AT_ONCE / width + 1;
        n = n < rows - r ? n : rows - r;
        if (result->dtype == HB_DTYPE_FLOAT64)
            run->kernels->hb_rows64((const double *)from + r, width, stride, n, to + r * width);
        else
            widen_rows((const float *)from + r, width, stride, n, to + r * width);
        HB_TRY(hb_worked(&run->memory.work, n * width, error));
    }
    return HBS_OK;
}

static void store_labels(const hbs_run *run, size_t output, size_t first, size_t rows, size_t stride)
{
    const hb_result_place *result = &run->plan->results[output];
    const void *from = hb_run_at(run, result->place, stride);

    for (size_t r = 0; r < rows; r++)
        run->labels[first + r] = (int32_t)number_at(result, from, r);
}

/* The feature that has text number t of the tile's rows. */
static size_t feature_of_text(const hbs_run *run, size_t t)
{
    size_t f = 0;

    while (f + 1 < run->plan->n_features && hb_plan_text(run->plan, f) != t + 1)
        f++;
    return f;
}

#define MAY_BE_NULL "option on_missing can make the result NULL"

/* The error of a row that is refused for a number. */
static hbs_status fail_number(const hbs_run *run, const hb_reason *reason, hbs_error *error)
{
    char feature[HB_FEATURE_BUFFER], shown[HB_EXCERPT_BUFFER];
    size_t place = reason->text == reason->text ? (size_t)reason->text : SIZE_MAX;

    if (!reason->words)
        return hb_run_fail(run, error, HBS_E_ARGS,
                           "a step of the pipeline makes a number that is missing or infinite, and the next cannot "
                           "take that (option on_missing)");
    if (place < run->texts.n)
        return hb_run_fail(run, error, HBS_E_ARGS, "%s has the text \"%s\": %s (" MAY_BE_NULL ")",
                           hb_plan_show_feature(run->plan, feature_of_text(run, place / run->stride), feature),
                           HB_SHOW(run->texts.at[place], shown), reason->words);
    if (reason->feature < run->plan->n_features)
        return hb_run_fail(run, error, HBS_E_ARGS, "%s: %s (" MAY_BE_NULL ")",
                           hb_plan_show_feature(run->plan, reason->feature, feature), reason->words);
    return hb_run_fail(run, error, HBS_E_ARGS, "%s (" MAY_BE_NULL ")", reason->words);
}

/* Rows that a step refused, of part `part` of the tile: without a result, or the first of them is an error and *rows
 * is how many come before it. Rows that have none already do not count. */
static hbs_status refuse_part(hbs_run *run, size_t part, size_t first, size_t *rows, hbs_error *error)
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
            return fail_number(run, &refusal->reasons[r], error);
        }
        run->valid[row / 64] &= ~(1ull << (row % 64));
    }
    return HBS_OK;
}

hbs_status hb_refuse_rows(hbs_run *run, size_t first, size_t *rows, hbs_error *error)
{
    size_t parts = (*rows + HB_TILE - 1) / HB_TILE;
    hbs_status status = HBS_OK;

    for (size_t p = 0; p < parts && status == HBS_OK; p++)
        if (run->refusals[p].rows | run->refusals[p].beyond)
            status = refuse_part(run, p, first, rows, error);
    return status;
}

hbs_status hb_store_rows(hbs_run *run, uint32_t outputs, size_t first, size_t rows, size_t stride, hbs_error *error)
{
    for (uint32_t left = outputs; left; left &= left - 1) {
        size_t output = (size_t)__builtin_ctz(left);

        if (1u << output == HBS_OUT_LABEL)
            store_labels(run, output, first, rows, stride);
        else
            HB_TRY(store_results(run, output, first, rows, stride, error));
    }
    return HBS_OK;
}

hbs_status hb_execute_row(hbs_run *run, uint32_t outputs, hbs_error *error)
{
    hb_refusal *refusal = &run->refusals[0];
    size_t rows = 1;

    if (run->stride != 1)
        return hb_execute(run, outputs, 0, &rows, 1, error);
    if (!prepare_block(run, 1))
        return hb_fail(error, HBS_E_CANCEL, "cancelled");
    if (run->room)
        run->room->fed = NULL;
    refusal->rows = refusal->beyond = 0;
    hb_lists_begin(&run->lists);
    if (!execute_single(run, outputs))
        return hb_fail_step(run, error);
    store_single(run, outputs);
    return refusal->rows | refusal->beyond ? refuse_part(run, 0, 0, &rows, error) : HBS_OK;
}

hbs_status hb_execute(hbs_run *run, uint32_t outputs, size_t first, size_t *rows, size_t stride, hbs_error *error)
{
    uint64_t since = hb_run_clock(run);
    hbs_status status;

    if (!hb_execute_begin(run, *rows, stride))
        return hb_fail(error, HBS_E_CANCEL, "cancelled");
    if (!execute_steps(run, outputs, run->prepared, run->prepared + run->plan->n_steps, *rows, &since))
        return hb_fail_step(run, error);
    status = hb_refuse_rows(run, first, rows, error);
    HB_TRY(hb_store_rows(run, outputs, first, *rows, stride, error));
    if (run->counts)
        hb_count_storing(run, outputs, *rows, since);
    return status;
}
