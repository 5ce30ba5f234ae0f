/* device.c - see device.h. */
#include "plan/device.h"

#include <string.h>

enum { MOST_STEPS = 1024 }; /* each looks at all others */

static const hb_step *steps_of(const hb_plan_header *plan)
{
    return hb_plan_at(plan, plan->steps);
}

static size_t number_size(const hb_run_device *d)
{
    return hb_dtype_size((hb_dtype)d->step->dtype);
}

static const hb_step_input *input_of(const hbs_run *run, size_t k)
{
    return (const hb_step_input *)hb_plan_at(run->plan, run->device->step->inputs) + k;
}

static bool base_is_rows(const hbs_run *run)
{
    return !input_of(run, 1)->place.constant;
}

/* ---- which plans and outputs */

/* The forest of a plan for devices; NULL: it has none. */
static const hb_step *device_step(const hb_plan_header *plan)
{
    const hb_step *step = hb_plan_forest_step(plan);

    return step && plan->n_steps <= MOST_STEPS &&
                   !((const hb_step_input *)hb_plan_at(plan, step->inputs))[0].place.in_plan
               ? step
               : NULL;
}

static hbs_status fail_no_forest(hbs_error *error)
{
    return hb_fail(error, HBS_E_UNSUPPORTED, "the plan has no tree ensemble of rows, or several, or too many steps");
}

/* True if a step from `first` on, before step `end`, made the value at `place`. */
static bool is_made(const hb_plan_header *plan, hb_place place, size_t first, size_t end, uint32_t outputs)
{
    const hb_step *steps = steps_of(plan);

    if (place.in_plan)
        return true;
    for (size_t i = first; i < end; i++)
        if (steps[i].outputs & outputs && !steps[i].output.in_plan && steps[i].output.at == place.at)
            return true;
    return false;
}

/* The steps behind the forest, and the results, must follow from its sums: the rest of a tile is gone by then. */
static bool follows_from_sums(const hb_plan_header *plan, const hb_step *forest, uint32_t outputs)
{
    const hb_step *steps = steps_of(plan);
    size_t first = (size_t)(forest - steps);

    for (size_t i = first + 1; i < plan->n_steps; i++) {
        const hb_step_input *inputs = hb_plan_at(plan, steps[i].inputs);

        for (size_t k = 0; steps[i].outputs & outputs && k < steps[i].n_inputs; k++)
            if (!is_made(plan, inputs[k].place, first, i, outputs))
                return false;
    }
    for (uint32_t left = outputs; left; left &= left - 1)
        if (!is_made(plan, plan->results[__builtin_ctz(left)].place, first, plan->n_steps, outputs))
            return false;
    return true;
}

hbs_status hb_plan_device(const hbs_plan *plan, uint32_t outputs, hbs_error *error)
{
    const hb_step *step = device_step(plan->header);

    if (!step)
        return fail_no_forest(error);
    if (!(step->outputs & outputs) || !follows_from_sums(plan->header, step, outputs))
        return hb_fail(error, HBS_E_UNSUPPORTED, "what is asked for needs more than the sums of the trees");
    return HBS_OK;
}

bool hb_device_takes(hbs_run *run, uint32_t outputs)
{
    hb_run_device *d = run->device;

    if (!d || !d->use.ready || d->rests || !(d->step->outputs & outputs))
        return false;
    if (d->looked_at != outputs)
        d->follows = follows_from_sums(run->plan, d->step, outputs);
    d->looked_at = outputs;
    return d->follows;
}

/* ---- using one */

static size_t valid_bytes(const hbs_run *run)
{
    return (run->max_rows / 64 + 1) * sizeof(uint64_t);
}

static size_t base_bytes(const hbs_run *run)
{
    return run->device->step->width * (base_is_rows(run) ? run->max_rows : 1) * number_size(run->device);
}

static hbs_status make_flights(hbs_run *run, hbs_error *error)
{
    hb_run_device *d = run->device;

    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++) {
        d->flights[i].valid = hb_allocate(&run->memory, valid_bytes(run));
        d->flights[i].base = hb_allocate(&run->memory, base_bytes(run));
        if (!d->flights[i].valid || !d->flights[i].base)
            return hb_no_memory(&run->memory, error);
    }
    return HBS_OK;
}

void hb_run_device_free(hbs_run *run)
{
    hb_run_device *d = run->device;

    if (!d)
        return;
    if (d->queue)
        d->backend->queue_free(d->queue);
    for (size_t i = 0; i < HBS_DEVICE_BLOCKS; i++) {
        hb_release(&run->memory, d->flights[i].valid, valid_bytes(run));
        hb_release(&run->memory, d->flights[i].base, base_bytes(run));
    }
    hb_release(&run->memory, d, sizeof(*d));
    run->device = NULL;
}

hbs_status hb_run_use_device(hbs_run *run, const hbs_backend *backend, hbs_device *device, hbs_device_program *program,
                             hbs_error *error)
{
    const hb_step *step = device_step(run->plan);
    hbs_status status;

    hb_run_device_free(run);
    if (!backend)
        return HBS_OK;
    if (!step || run->stride == 1)
        return fail_no_forest(error);
    run->device = hb_allocate(&run->memory, sizeof(*run->device));
    if (!run->device)
        return hb_no_memory(&run->memory, error);
    *run->device = (hb_run_device){
        .backend = backend, .step = step, .index = (size_t)(step - steps_of(run->plan)), .use = {.ready = true}};
    status = make_flights(run, error);
    if (status == HBS_OK)
        status = backend->queue_create(device, program, &run->memory.host, run->max_rows, &run->device->queue, error);
    if (status != HBS_OK)
        hb_run_device_free(run);
    return status;
}

void hb_run_device_use(const hbs_run *run, hbs_device_use *use)
{
    *use = run->device ? run->device->use : (hbs_device_use){.ready = false};
}

/* ---- columns of a tile and of a block */

static char *in_scratch(const hbs_run *run, hb_place place)
{
    return run->scratch + place.at * run->stride;
}

/* Rows [first, first + rows) of the block's column `to` from a tile's `from`, or the other way round. */
static void copy_rows(const hbs_run *run, char *tile, size_t column, char *block, size_t block_column, size_t stride,
                      size_t first, size_t rows, bool to_block)
{
    size_t size = number_size(run->device);
    char *in_tile = tile + column * run->stride * size, *in_block = block + (block_column * stride + first) * size;

    memcpy(to_block ? in_block : in_tile, to_block ? in_tile : in_block, rows * size);
}

static bool copy_columns(hbs_run *run, hb_flight *flight, size_t first, size_t rows, bool to_block)
{
    const hbs_device_block *block = &flight->block;
    char *tile = in_scratch(run, input_of(run, 0)->place);

    for (size_t c = 0; c < block->n_features; c++) {
        copy_rows(run, tile, block->features[c], block->columns, c, block->stride, first, rows, to_block);
        if (!hb_goes_on(&run->memory.work, rows / 8 + 1))
            return false;
    }
    return true;
}

/* A base of rows, between the flight and a tile. */
static bool copy_base(hbs_run *run, hb_flight *flight, size_t first, size_t rows, bool to_flight)
{
    char *tile = in_scratch(run, input_of(run, 1)->place);

    for (size_t o = 0; o < run->device->step->width; o++) {
        copy_rows(run, tile, o, flight->base, o, run->max_rows, first, rows, to_flight);
        if (!hb_goes_on(&run->memory.work, rows / 8 + 1))
            return false;
    }
    return true;
}

/* Sums begin as the base. */
static bool begin_sums(hbs_run *run, hb_flight *flight)
{
    size_t size = number_size(run->device), stride = flight->block.stride;

    for (size_t o = 0; o < run->device->step->width; o++) {
        char *sums = (char *)flight->block.sums + o * stride * size;

        if (base_is_rows(run))
            memcpy(sums, flight->base + o * run->max_rows * size, flight->rows * size);
        else
            for (size_t r = 0; r < flight->rows; r++)
                memcpy(sums + r * size, flight->base + o * size, size);
        if (!hb_goes_on(&run->memory.work, flight->rows + 1))
            return false;
    }
    return true;
}

/* ---- submit */

static hbs_status cancelled(hbs_error *error)
{
    return hb_fail(error, HBS_E_CANCEL, "cancelled");
}

/* The steps before the forest, and what it reads, into the block. *rows becomes how many have no error. */
static hbs_status fill_tile(hbs_run *run, hb_flight *flight, size_t first, size_t *rows, hbs_error *error)
{
    hbs_status status;

    if (!hb_execute_begin(run, *rows, run->stride))
        return cancelled(error);
    if (!hb_execute_steps(run, flight->outputs, 0, run->device->index, *rows))
        return hb_fail_step(run, error);
    status = hb_refuse_rows(run, first, rows, error);
    if (!copy_columns(run, flight, first, *rows, true))
        return cancelled(error);
    if (base_is_rows(run) && !copy_base(run, flight, first, *rows, true))
        return cancelled(error);
    if (!base_is_rows(run))
        memcpy(flight->base, hb_run_at(run, input_of(run, 1)->place, run->stride), base_bytes(run));
    return status;
}

/* Until the first row that is an error, which the flight keeps. Else HBS_E_CANCEL, HBS_E_NOMEM. */
static hbs_status fill_block(hbs_run *run, hb_flight *flight, const hbs_column *columns, size_t rows, hbs_error *error)
{
    hbs_status status = HBS_OK;

    while (flight->rows < rows && status == HBS_OK) {
        size_t n = rows - flight->rows < run->stride ? rows - flight->rows : run->stride, good = 0;

        if (!hb_work_ask(&run->memory.work))
            return cancelled(error);
        status = hb_bind_columns(run, columns, flight->rows, n, run->stride, &good, &flight->error);
        if (good && status != HBS_E_CANCEL) {
            hbs_status filled = fill_tile(run, flight, flight->rows, &good, &flight->error);

            if (filled == HBS_E_CANCEL || run->lists.failed) {
                *error = flight->error;
                return filled;
            }
            status = filled != HBS_OK ? filled : status;
            flight->rows += good;
        }
        if (status == HBS_E_CANCEL)
            return cancelled(error);
    }
    flight->status = status;
    memcpy(flight->valid, run->valid, valid_bytes(run));
    return begin_sums(run, flight) ? HBS_OK : cancelled(error);
}

/* The device has failed, and is not asked again. */
static void give_up(hb_run_device *d, const hbs_error *error)
{
    d->use.ready = false;
    d->use.error = *error;
}

hbs_status hb_score_submit(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                           hbs_error *error)
{
    hb_run_device *d = run->device;
    hbs_error why = {.status = HBS_OK};
    hb_flight *flight;
    hbs_status status = HBS_OK;

    if (!hb_device_takes(run, outputs))
        return hb_run_fail(run, error, HBS_E_UNSUPPORTED, "no device takes the block");
    if (d->n == HBS_DEVICE_BLOCKS)
        return hb_run_fail(run, error, HBS_E_ARGS, "%d blocks are on their way already", HBS_DEVICE_BLOCKS);
    HB_TRY(hb_run_begin(run, columns, n_columns, rows, outputs, error));
    flight = &d->flights[(d->oldest + d->n) % HBS_DEVICE_BLOCKS];
    flight->rows = 0;
    flight->outputs = outputs;
    d->backend->next(d->queue, &flight->block);
    HB_TRY(fill_block(run, flight, columns, rows, error));
    if (flight->rows > 0)
        status = d->backend->submit(d->queue, flight->rows, &why);
    if (status == HBS_E_CANCEL)
        return cancelled(error);
    flight->sent = status == HBS_OK && flight->rows > 0;
    if (status != HBS_OK)
        give_up(d, &why);
    d->n++;
    return HBS_OK;
}

/* ---- collect */

static uint64_t now(const hbs_run *run)
{
    const hbs_host *host = &run->memory.host;

    return host->nanoseconds ? host->nanoseconds(host->context) : 0;
}

/* Waits for the oldest block; *redo: the CPU has to walk its trees. */
static hbs_status take_flight(hbs_run *run, hb_flight *flight, bool *redo, hbs_error *error)
{
    hb_run_device *d = run->device;
    uint64_t start = now(run);
    hbs_error why;
    hbs_status status = HBS_OK;

    *redo = !flight->sent && flight->rows > 0;
    if (flight->sent)
        status = d->backend->collect(d->queue, &flight->block, &why);
    d->use.waited += now(run) - start;
    d->oldest = (d->oldest + 1) % HBS_DEVICE_BLOCKS;
    d->n--;
    if (status == HBS_E_CANCEL)
        return cancelled(error);
    if (status != HBS_OK) {
        give_up(d, &why);
        *redo = true;
    }
    d->use.blocks += flight->sent && !*redo;
    d->use.rows += flight->sent && !*redo ? flight->rows : 0;
    d->use.redone += *redo;
    return HBS_OK;
}

/* The oldest block, which nobody wants any more. What stops the host is still there for its next call. */
static void drop_flight(hb_run_device *d)
{
    hb_flight *flight = &d->flights[d->oldest];
    hbs_error why;
    hbs_status status = flight->sent ? d->backend->collect(d->queue, &flight->block, &why) : HBS_OK;

    d->oldest = (d->oldest + 1) % HBS_DEVICE_BLOCKS;
    d->n--;
    if (status != HBS_OK && status != HBS_E_CANCEL)
        give_up(d, &why);
}

void hb_run_rest_device(hbs_run *run, bool rests)
{
    hb_run_device *d = run->device;

    if (!d)
        return;
    while (d->n > 0)
        drop_flight(d);
    d->rests = rests;
}

static bool take_sums(hbs_run *run, hb_flight *flight, size_t first, size_t rows)
{
    char *tile = in_scratch(run, run->device->step->output);

    for (size_t o = 0; o < run->device->step->width; o++) {
        copy_rows(run, tile, o, flight->block.sums, o, flight->block.stride, first, rows, false);
        if (!hb_goes_on(&run->memory.work, rows / 8 + 1))
            return false;
    }
    return true;
}

/* The CPU's walks, of what the device was given. */
static bool redo_sums(hbs_run *run, hb_flight *flight, size_t first, size_t rows)
{
    hb_place base = input_of(run, 1)->place;

    run->is_float32 = false; /* nobody knows */
    if (!copy_columns(run, flight, first, rows, false))
        return false;
    if (base_is_rows(run) && !copy_base(run, flight, first, rows, false))
        return false;
    if (!base_is_rows(run) && !base.in_plan)
        memcpy(in_scratch(run, base), flight->base, base_bytes(run));
    return hb_execute_steps(run, flight->outputs, run->device->index, run->device->index + 1, rows);
}

static hbs_status finish_tile(hbs_run *run, hb_flight *flight, bool redo, size_t first, size_t *rows, hbs_error *error)
{
    hbs_status status;

    if (!hb_execute_begin(run, *rows, run->stride) ||
        !(redo ? redo_sums(run, flight, first, *rows) : take_sums(run, flight, first, *rows)) ||
        !hb_execute_steps(run, flight->outputs, run->device->index + 1, run->plan->n_steps, *rows))
        return hb_fail_step(run, error);
    status = hb_refuse_rows(run, first, rows, error);
    HB_TRY(hb_store_rows(run, flight->outputs, first, *rows, run->stride, error));
    return status;
}

hbs_status hb_score_collect(hbs_run *run, hbs_result *result, hbs_error *error)
{
    hb_run_device *d = run->device;
    hbs_status status = HBS_OK;
    size_t done = 0;
    hb_flight *flight;
    bool redo;

    *result = (hbs_result){.rows = 0};
    if (!d || d->n == 0)
        return hb_run_fail(run, error, HBS_E_ARGS, "no block is on its way");
    flight = &d->flights[d->oldest];
    HB_TRY(take_flight(run, flight, &redo, error));
    HB_TRY(hb_run_prepare_outputs(run, flight->outputs, error));
    memcpy(run->valid, flight->valid, valid_bytes(run));
    while (done < flight->rows && status == HBS_OK) {
        size_t n = flight->rows - done < run->stride ? flight->rows - done : run->stride;

        if (!hb_work_ask(&run->memory.work))
            return cancelled(error);
        status = finish_tile(run, flight, redo, done, &n, error);
        if (status == HBS_E_CANCEL || run->lists.failed)
            return status;
        done += n;
    }
    if (status == HBS_OK && flight->status != HBS_OK) {
        status = flight->status;
        *error = flight->error;
    }
    hb_run_give(run, done, result);
    return status;
}
