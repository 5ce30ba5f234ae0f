/* times.c - what each step of a run did and how long it took, for those who ask before it runs.
 *
 * Steps go over tiles, so the clock is read once for each step and 64 rows or more. Single rows are not measured. No
 * loop counts: how many bytes a step moved follows from its widths and how often it ran. */
#include <stdio.h>
#include <string.h>

#include "plan/run.h"

static size_t n_counts(const hbs_run *run)
{
    return run->plan->n_steps + 2;
}

hbs_status hb_run_measure(hbs_run *run, hbs_error *error)
{
    size_t n = n_counts(run);

    if (run->counts || !run->memory.host.nanoseconds)
        return HBS_OK;
    run->counts = hb_allocate(&run->memory, n * sizeof(*run->counts));
    if (!run->counts)
        return hb_no_memory(&run->memory, error);
    memset(run->counts, 0, n * sizeof(*run->counts));
    if (run->room)
        run->room->gave = run->room->kept_back = false;
    return HBS_OK;
}

/* ---- while it runs */

static uint64_t count(hbs_run *run, size_t index, size_t calls, size_t rows, uint64_t start)
{
    hb_step_count *to = &run->counts[index];
    uint64_t now = hb_run_clock(run);

    to->nanoseconds += now - start;
    to->calls += calls;
    to->rows += rows;
    return now;
}

/* Bytes of a row of the column, without those of texts. */
static size_t cell_bytes(hbs_type type)
{
    static const size_t bytes[] = {[HBS_NULL] = 0,
                                   [HBS_FLOAT32] = sizeof(float),
                                   [HBS_FLOAT64] = sizeof(double),
                                   [HBS_INT64] = sizeof(int64_t),
                                   [HBS_BOOL] = sizeof(uint8_t),
                                   [HBS_TEXT] = sizeof(hbs_text),
                                   [HBS_MIXED] = sizeof(hbs_value)};

    return bytes[type];
}

/* Of features that do not matter no cell is read; zeros are written for them where a step computes with them too. */
void hb_count_binding(hbs_run *run, const hbs_column *columns, size_t rows, uint64_t start)
{
    size_t number = hb_dtype_size(run->plan->wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32), row = 0;

    count(run, 0, 1, rows, start);
    for (size_t f = 0; f < run->plan->n_features; f++) {
        bool live = hb_plan_is_live(run->plan, run->asker, f);

        row += live || run->clears ? number : 0;
        row += live ? cell_bytes(columns[f].type) : 0;
    }
    run->counts[0].bytes += rows * row;
    run->counts[0].kernels |= 1u << HB_RAN_PLAIN;
}

static uint32_t forest_ran(const hbs_run *run, const hb_prepared_forest *forest, size_t rows)
{
    const hb_tree_means means = hb_run_tree_means(run);

    switch (hb_trees_strategy(&forest->view, &means, rows)) {
    case HBS_STRATEGY_BITS:
        return 1u << HB_RAN_BITS;
    case HBS_STRATEGY_GEMM:
        return 1u << (run->work ? HB_RAN_GEMM : HB_RAN_TT);
    case HBS_STRATEGY_PTT:
        return 1u << HB_RAN_PTT;
    case HBS_STRATEGY_AUTO:
        return 1u << (forest->view.has_row ? HB_RAN_ROW : HB_RAN_TT);
    default:
        return 1u << HB_RAN_TT;
    }
}

/* The kernels of the products since this was asked last. */
static uint32_t product_ran(hbs_run *run)
{
    hb_product_room *room = run->room;
    uint32_t ran;

    if (!room)
        return 1u << HB_RAN_EXACT;
    ran = (uint32_t)room->gave << HB_RAN_BLAS | (uint32_t)room->kept_back << HB_RAN_EXACT;
    room->gave = room->kept_back = false;
    return ran;
}

uint64_t hb_count_step(hbs_run *run, const hb_prepared *step, size_t rows, uint64_t start)
{
    size_t index = (size_t)(step - run->prepared) + 1, n = step->output_row ? rows : 1;
    size_t part = hb_rows_at_once(step, rows), calls = (rows + part - 1) / part;
    uint64_t now = count(run, index, calls, n, start);
    uint32_t ran = 1u << HB_RAN_PLAIN;

    if (step->forest) {
        ran = forest_ran(run, step->forest, rows < part ? rows : part);
        if (rows % part)
            ran |= forest_ran(run, step->forest, rows % part);
    } else if (step->call.evaluate == hb_evaluate_dense) {
        ran = product_ran(run);
    }
    run->counts[index].kernels |= ran;
    return now;
}

void hb_count_storing(hbs_run *run, uint32_t outputs, size_t rows, uint64_t start)
{
    size_t index = run->plan->n_steps + 1, row = 0;

    count(run, index, 1, rows, start);
    for (size_t i = 0; i < HB_N_OUTPUTS; i++) {
        const hb_result_place *result = &run->plan->results[i];
        size_t to = 1u << i == HBS_OUT_LABEL ? sizeof(int32_t) : sizeof(double);

        if (outputs >> i & 1)
            row += result->width * (hb_dtype_size((hb_dtype)result->dtype) + to);
    }
    run->counts[index].bytes += rows * row;
    run->counts[index].kernels |= 1u << HB_RAN_PLAIN;
}

/* ---- what is told */

/* "avx2", "avx2 bits", "avx2 bits + tt", "blas"; "" where nothing ran. */
static void name_kernel(const hbs_run *run, uint32_t ran, char *name, size_t size)
{
    static const char *const words[HB_N_RAN] = {
        [HB_RAN_TT] = "tt",   [HB_RAN_BITS] = "bits",   [HB_RAN_GEMM] = "gemm", [HB_RAN_PTT] = "ptt",
        [HB_RAN_ROW] = "row", [HB_RAN_EXACT] = "exact", [HB_RAN_BLAS] = "blas"};
    size_t used = 0;

    name[0] = 0;
    if (ran & ~(1u << HB_RAN_BLAS))
        used = (size_t)snprintf(name, size, "%s", run->kernels->name);
    for (uint32_t i = 0, n = 0; i < HB_N_RAN; i++)
        if (ran >> i & 1 && words[i])
            used += (size_t)snprintf(name + used, size - used, "%s%s", n++ ? " + " : used ? " " : "", words[i]);
}

/* Bytes that the step's calls read and wrote. Numbers that are the same for each row are read once a call. */
static uint64_t step_bytes(const hbs_run *run, const hb_step *step, const hb_step_count *count)
{
    const hb_step_input *inputs = hb_plan_at(run->plan, step->inputs);
    uint64_t call = step->bytes, row = step->width * hb_dtype_size((hb_dtype)step->dtype);

    for (size_t k = 0; k < step->n_inputs; k++)
        *(inputs[k].place.constant ? &call : &row) += inputs[k].width * hb_dtype_size((hb_dtype)inputs[k].dtype);
    return count->calls * call + count->rows * row;
}

bool hb_run_time(const hbs_run *run, size_t index, hbs_operator_time *time)
{
    const hb_plan_header *plan = run->plan;
    const hb_step *steps = hb_plan_at(plan, plan->steps);
    const hb_step *step = index > 0 && index <= plan->n_steps ? &steps[index - 1] : NULL;
    const hb_step_count *done;

    if (!run->counts || index >= n_counts(run))
        return false;
    done = &run->counts[index];
    *time = (hbs_operator_time){
        .position = (int)(step    ? step->position
                          : index ? plan->n_positions
                                  : plan->input_position),
        .name = step    ? hb_operator_name((hb_operator_kind)step->kind)
                : index ? "store"
                        : hb_operator_name(HB_OPERATOR_ENCODE),
        .source = step ? hb_plan_at(plan, step->source) : "",
        .calls = done->calls,
        .rows = done->rows,
        .nanoseconds = done->nanoseconds,
        .bytes = step ? step_bytes(run, step, done) : done->bytes,
    };
    name_kernel(run, done->kernels, time->kernel, sizeof(time->kernel));
    return true;
}
