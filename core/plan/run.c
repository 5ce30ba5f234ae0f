/* run.c - making a run, and scoring blocks and rows with it. */
#include "plan/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

hbs_status hb_run_fail(const hbs_run *run, hbs_error *error, hbs_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    hb_fail_list(error, status, HBS_NO_OFFSET, format, arguments);
    va_end(arguments);
    if (run->name[0])
        hb_error_prefix(error, "model \"%s\": ", run->name);
    return status;
}

/* ---- creating */

static void *zeroed_array(hbs_run *run, size_t count, size_t size)
{
    size_t bytes;
    void *block = hb_multiply(count, size, &bytes) ? hb_allocate(&run->memory, bytes) : NULL;

    if (block)
        memset(block, 0, bytes);
    return block;
}

static void release_array(hbs_run *run, void *block, size_t count, size_t size)
{
    hb_release(&run->memory, block, count * size);
}

static size_t valid_words(const hbs_run *run)
{
    return run->max_rows / 64 + 1;
}

static size_t parts_of(const hbs_run *run)
{
    return (run->stride + HB_TILE - 1) / HB_TILE;
}

size_t hb_plan_block_rows(const hb_plan_header *header)
{
    enum { NUMBER_NANOSECONDS = 4 }; /* a number in or out takes no longer than this; mostly less than one */
    size_t numbers = header->n_features, width = 0, rows = HB_TILE;
    size_t scratch = header->row_bytes + header->work_row_bytes;

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        width = header->results[i].width > width ? header->results[i].width : width;
    numbers += width;
    bool forests_count = header->forest_nanoseconds > NUMBER_NANOSECONDS * (double)numbers;
    size_t most =
        forests_count ? HB_FOREST_BYTES / (scratch + 1) : HB_BLOCK_BYTES / (scratch + numbers * sizeof(double) + 1);
    while (rows < header->block_rows && 2 * rows <= most)
        rows *= 2;
    return rows;
}

/* Rows of a tile: as many as suit the plan; a power of two. */
static size_t choose_stride(const hb_plan_header *plan, size_t max_rows)
{
    size_t rows = hb_plan_block_rows(plan), stride = HB_TILE;

    if (max_rows == 1)
        return 1;
    while (stride < rows && stride < max_rows)
        stride *= 2;
    return stride;
}

/* Of vectors, so that none lies in two lines of the cache. */
enum { ALIGNMENT = 64 };

static char *aligned(char *block)
{
    return block ? block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT) : NULL;
}

static size_t scratch_bytes(const hbs_run *run)
{
    return run->plan->row_bytes * run->stride + ALIGNMENT;
}

/* For forests. */
static size_t work_bytes(const hbs_run *run)
{
    const hb_plan_header *plan = run->plan;

    return (run->stride > 1 ? plan->work_bytes : 0) + plan->work_run_bytes + plan->work_row_bytes * run->stride;
}

static bool make_work(hbs_run *run)
{
    if (!work_bytes(run))
        return true;
    run->work_block = zeroed_array(run, work_bytes(run) + ALIGNMENT, 1);
    run->work = aligned(run->work_block);
    return run->work;
}

static hbs_status make_scratch(hbs_run *run, const char *model_name, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text name = {model_name ? model_name : "", model_name ? strlen(model_name) : 0};

    HB_SHOW(name, shown);
    run->name = zeroed_array(run, strlen(shown) + 1, 1);
    run->scratch_block = zeroed_array(run, scratch_bytes(run), 1);
    run->scratch = aligned(run->scratch_block);
    run->valid = zeroed_array(run, valid_words(run), sizeof(*run->valid));
    run->refusals = zeroed_array(run, parts_of(run), sizeof(*run->refusals));
    if (!run->name || !run->scratch || !run->valid || !run->refusals || !hb_prepared_create(run) || !make_work(run) ||
        !hb_bind_texts_create(run))
        return hb_no_memory(&run->memory, error);
    memcpy(run->name, shown, strlen(shown));
    return HBS_OK;
}

/* HBS_E_ARGS where the plan is for other kernels than those of this process. */
static hbs_status check_plan(const hbs_plan *plan, const hb_kernels *kernels, const char *model_name, hbs_error *error)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_status status;

    HB_TRY(hb_kernels_check(error));
    status = hb_plan_check(plan->header, kernels, error);
    if (status != HBS_OK && model_name)
        hb_error_prefix(error, "model \"%s\": ", HB_SHOW(((hbs_text){model_name, strlen(model_name)}), shown));
    return status;
}

enum { MAX_ROWS = 1 << 20 };

hbs_status hb_run_create(const hbs_plan *plan, const hbs_host *host, const char *model_name, size_t max_rows,
                         hbs_run **run, hbs_error *error)
{
    const hb_kernels *kernels = hb_kernels_here();
    hbs_run *made;
    hbs_status status;

    *run = NULL;
    if (max_rows < 1 || max_rows > MAX_ROWS)
        return hb_fail(error, HBS_E_ARGS, "a run of %zu rows (1 to %d)", max_rows, MAX_ROWS);
    HB_TRY(check_plan(plan, kernels, model_name, error));
    made = host->allocate(host->context, sizeof(*made));
    if (!made)
        return hb_fail(error, HBS_E_NOMEM, "out of memory");
    memset(made, 0, sizeof(*made));
    hb_memory_init(&made->memory, host, 0);
    hb_vector_init(&made->text, &made->memory, 1);
    hb_memory_init(&made->of_lists, host, HB_LIST_BYTES);
    hb_lists_init(&made->lists, &made->of_lists);
    made->plan = plan->header;
    made->kernels = kernels;
    made->max_rows = max_rows;
    made->stride = choose_stride(made->plan, max_rows);
    status = make_scratch(made, model_name, error);
    if (status != HBS_OK) {
        hb_run_free(made);
        return status;
    }
    *run = made;
    return HBS_OK;
}

void hb_run_free(hbs_run *run)
{
    if (!run)
        return;
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        release_array(run, run->results[i], run->max_rows * run->plan->results[i].width, sizeof(double));
    hb_run_device_free(run);
    release_array(run, run->room, 1, sizeof(*run->room));
    release_array(run, run->counts, run->plan->n_steps + 2, sizeof(*run->counts));
    release_array(run, run->labels, run->max_rows, sizeof(*run->labels));
    release_array(run, run->values, run->plan->n_features, sizeof(*run->values));
    hb_vector_release(&run->text);
    hb_lists_release(&run->lists);
    hb_bind_free(run);
    hb_bind_texts_free(run);
    release_array(run, run->valid, valid_words(run), sizeof(*run->valid));
    release_array(run, run->scratch_block, scratch_bytes(run), 1);
    release_array(run, run->refusals, parts_of(run), sizeof(*run->refusals));
    release_array(run, run->work_block, work_bytes(run) + ALIGNMENT, 1);
    hb_prepared_free(run);
    if (run->name)
        release_array(run, run->name, strlen(run->name) + 1, 1);
    run->memory.host.release(run->memory.host.context, run);
}

hbs_status hb_run_use_blas(hbs_run *run, const hbs_blas *blas, hbs_error *error)
{
    run->prepared_for = 0;
    if (!blas) {
        release_array(run, run->room, 1, sizeof(*run->room));
        run->room = NULL;
        return HBS_OK;
    }
    if (!run->room)
        run->room = zeroed_array(run, 1, sizeof(*run->room));
    if (!run->room)
        return hb_no_memory(&run->memory, error);
    run->blas = *blas;
    run->room->blas = &run->blas;
    return HBS_OK;
}

hbs_value *hb_run_row(hbs_run *run)
{
    if (!run->values)
        run->values = zeroed_array(run, run->plan->n_features, sizeof(*run->values));
    return run->values;
}

/* ---- checks before scoring */

/* The features' names for the message, as far as they fit. */
static void list_names(const hbs_run *run, char *buffer, size_t size)
{
    size_t used = 0, n = run->plan->named ? run->plan->n_features : 0, i;

    buffer[0] = 0;
    for (i = 0; i < n && used + 120 < size; i++) { /* a name takes at most 100 bytes */
        char name[HB_EXCERPT_BUFFER];

        hb_escape(hb_plan_feature_name(run->plan, i), 24, name, sizeof(name));
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : " (", name);
    }
    if (used)
        snprintf(buffer + used, size - used, i == n ? ")" : ", ..)");
}

hbs_status hb_run_check_count(const hbs_run *run, size_t count, hbs_error *error)
{
    size_t n = run->plan->n_features;
    char names[320];

    if (count == n)
        return HBS_OK;
    list_names(run, names, sizeof(names));
    hb_fail(error, HBS_E_ARGS, "model%s%s%s takes %zu feature%s%s, got %zu", run->name[0] ? " \"" : "", run->name,
            run->name[0] ? "\"" : "", n, n == 1 ? "" : "s", names, count);
    return HBS_E_ARGS;
}

static hbs_status make_results(hbs_run *run, uint32_t outputs, hbs_error *error)
{
    if (outputs & HBS_OUT_TRANSFORM && outputs != HBS_OUT_TRANSFORM)
        return hb_run_fail(run, error, HBS_E_ARGS, "transform is asked for alone");
    for (size_t i = 0; i < HB_N_OUTPUTS; i++) {
        size_t width = run->plan->results[i].width;
        bool made;

        if (!(outputs >> i & 1))
            continue;
        if (width == 0)
            return hb_run_fail(run, error, HBS_E_ARGS, "it has no output of the kind asked for");
        if (1u << i == HBS_OUT_LABEL) {
            if (!run->labels)
                run->labels = zeroed_array(run, run->max_rows, sizeof(*run->labels));
            made = run->labels != NULL;
        } else {
            if (!run->results[i])
                run->results[i] = zeroed_array(run, run->max_rows * width, sizeof(double));
            made = run->results[i] != NULL;
        }
        if (!made)
            return hb_no_memory(&run->memory, error);
    }
    return HBS_OK;
}

/* ---- scoring */

static const double *result_of(const hbs_run *run, uint32_t outputs, uint32_t bit, size_t i)
{
    return outputs & bit ? run->results[i] : NULL;
}

/* Some steps look at other columns for another asker. */
static hbs_status prepare_asker(hbs_run *run, hb_asker asker, hbs_error *error)
{
    uint64_t at = run->plan->demands[asker];

    if (run->live && run->asker == asker)
        return HBS_OK;
    run->live = NULL;
    run->result.valid = NULL; /* should the host stop this, the next call begins again */
    run->asker = asker;
    run->prepared_for = 0;
    run->demands = at ? hb_plan_at(run->plan, at) : NULL;
    return hb_bind_prepare(run, error);
}

/* Makes the run ready for these outputs, if those of the last call were others. The transform and the predictions have
 * demands of their own. */
hbs_status hb_run_prepare_outputs(hbs_run *run, uint32_t outputs, hbs_error *error)
{
    if (run->result.valid && outputs == run->outputs)
        return HBS_OK;
    HB_TRY(make_results(run, outputs, error));
    HB_TRY(prepare_asker(run, hb_asker_of(outputs), error));
    run->result = (hbs_result){
        .valid = run->valid,
        .value = result_of(run, outputs, HBS_OUT_VALUE, 0),
        .label = outputs & HBS_OUT_LABEL ? run->labels : NULL,
        .probabilities = result_of(run, outputs, HBS_OUT_PROBABILITIES, 2),
        .values = result_of(run, outputs, HBS_OUT_VALUES, 3),
        .raw = result_of(run, outputs, HBS_OUT_RAW, 4),
        .transform = result_of(run, outputs, HBS_OUT_TRANSFORM, 5),
    };
    run->outputs = outputs;
    return HBS_OK;
}

void hb_run_give(const hbs_run *run, size_t rows, hbs_result *result)
{
    *result = run->result;
    result->rows = rows;
}

static hbs_status check_size(hbs_run *run, size_t n_columns, size_t rows, hbs_error *error)
{
    HB_TRY(hb_run_check_count(run, n_columns, error));
    if (rows > run->max_rows)
        return hb_run_fail(run, error, HBS_E_ARGS, "%zu rows in a run of at most %zu", rows, run->max_rows);
    return HBS_OK;
}

/* Those of features that matter. */
static hbs_status check_columns(hbs_run *run, const hbs_column *columns, size_t rows, hbs_error *error)
{
    for (size_t i = 0; i < run->n_live; i++)
        for (size_t f = run->live[i].first; f < run->live[i].end; f++) {
            HB_TRY(hb_worked(&run->memory.work, 1, error));
            if (columns[f].type > HBS_MIXED || (columns[f].type != HBS_NULL && !columns[f].values && rows))
                return hb_run_fail(run, error, HBS_E_ARGS, "column %zu has no values", f + 1);
        }
    return HBS_OK;
}

hbs_status hb_run_begin(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                        hbs_error *error)
{
    HB_TRY(check_size(run, n_columns, rows, error));
    HB_TRY(hb_run_prepare_outputs(run, outputs, error));
    HB_TRY(check_columns(run, columns, rows, error));
    memset(run->valid, 0xff, (rows / 64 + 1) * sizeof(*run->valid));
    return HBS_OK;
}

hbs_status hb_run_score(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                        hbs_result *result, hbs_error *error)
{
    size_t stride = run->stride, done = 0;
    hbs_status status = HBS_OK;

    *result = (hbs_result){.rows = 0};
    if (hb_device_takes(run, outputs) && run->device->n == 0) {
        HB_TRY(hb_score_submit(run, columns, n_columns, rows, outputs, error));
        return hb_score_collect(run, result, error);
    }
    HB_TRY(hb_run_begin(run, columns, n_columns, rows, outputs, error));
    while (done < rows && status == HBS_OK) {
        size_t n = hb_rows_of_texts(run, columns, done, rows - done < stride ? rows - done : stride), good = 0;

        status = hb_work_ask(&run->memory.work) ? HBS_OK : hb_work_status(&run->memory.work, error);
        if (status == HBS_OK) {
            uint64_t start = hb_run_clock(run);

            status = hb_bind_columns(run, columns, done, n, stride, &good, error);
            if (run->counts)
                hb_count_binding(run, columns, good, start);
        }
        if (good && status != HBS_E_CANCEL) {
            hbs_status executed = hb_execute(run, outputs, done, &good, stride, error);

            if (executed == HBS_E_CANCEL || run->lists.failed)
                return executed;
            done += good;
            if (executed != HBS_OK)
                status = executed; /* of an earlier row than one that could not be bound */
        }
    }
    hb_run_give(run, done, result);
    return status;
}

/* The row that is bound. */
static hbs_status execute_row(hbs_run *run, uint32_t outputs, hbs_result *result, hbs_error *error)
{
    HB_TRY(hb_execute_row(run, outputs, error));
    hb_run_give(run, 1, result);
    return HBS_OK;
}

hbs_status hb_run_score_row(hbs_run *run, const hbs_value *values, size_t n_values, uint32_t outputs,
                            hbs_result *result, hbs_error *error)
{
    *result = (hbs_result){.rows = 0};
    if (n_values != run->plan->n_features)
        return hb_run_check_count(run, n_values, error);
    HB_TRY(hb_run_prepare_outputs(run, outputs, error));
    HB_TRY(hb_bind_row(run, values, error));
    return execute_row(run, outputs, result, error);
}

hbs_status hb_run_score_numbers(hbs_run *run, const double *numbers, size_t n_numbers, uint32_t outputs,
                                hbs_result *result, hbs_error *error)
{
    *result = (hbs_result){.rows = 0};
    if (n_numbers != run->plan->n_features)
        return hb_run_check_count(run, n_numbers, error);
    HB_TRY(hb_run_prepare_outputs(run, outputs, error));
    HB_TRY(hb_bind_numbers(run, numbers, error));
    return execute_row(run, outputs, result, error);
}
