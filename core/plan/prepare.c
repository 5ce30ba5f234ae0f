/* prepare.c - the steps of a plan made ready for a run: of their calls all that no tile changes. */
#include <string.h>

#include "plan/run.h"

static const hb_step *steps_of(const hbs_run *run)
{
    return hb_plan_at(run->plan, run->plan->steps);
}

static bool is_forest(const hb_step *step)
{
    return step->kind == HB_OPERATOR_TREE_ENSEMBLE;
}

/* ---- memory */

/* Parameters of a step begin at a multiple of 16. */
static size_t fit_bytes(const hb_step *step)
{
    return (hb_operator_rows[step->kind].fit_size + 15) / 16 * 16;
}

static void count_steps(hbs_run *run)
{
    const hb_step *steps = steps_of(run);

    for (size_t i = 0; i < run->plan->n_steps; i++) {
        run->n_forests += is_forest(&steps[i]);
        run->n_inputs += steps[i].n_inputs;
        run->fit_bytes += fit_bytes(&steps[i]);
    }
}

static void *zeroed_array(hbs_run *run, size_t count, size_t size)
{
    void *block = hb_allocate(&run->memory, count * size);

    if (block)
        memset(block, 0, count * size);
    return block;
}

bool hb_prepared_create(hbs_run *run)
{
    count_steps(run);
    run->prepared = zeroed_array(run, run->plan->n_steps, sizeof(*run->prepared));
    run->forests = zeroed_array(run, run->n_forests, sizeof(*run->forests));
    run->inputs = zeroed_array(run, run->n_inputs, sizeof(*run->inputs));
    run->addresses = zeroed_array(run, run->n_inputs, sizeof(*run->addresses));
    run->fits = zeroed_array(run, run->fit_bytes, 1);
    return run->prepared && run->forests && run->inputs && run->addresses && run->fits;
}

void hb_prepared_free(hbs_run *run)
{
    hb_release(&run->memory, run->prepared, run->plan->n_steps * sizeof(*run->prepared));
    hb_release(&run->memory, run->forests, run->n_forests * sizeof(*run->forests));
    hb_release(&run->memory, run->inputs, run->n_inputs * sizeof(*run->inputs));
    hb_release(&run->memory, run->addresses, run->n_inputs * sizeof(*run->addresses));
    hb_release(&run->memory, run->fits, run->fit_bytes);
}

/* ---- where the columns lie */

static hb_columns columns_of(const hbs_run *run, const hb_step_input *input, size_t stride)
{
    return (hb_columns){hb_run_at(run, input->place, stride),
                        input->place.constant ? 0 : hb_dtype_size((hb_dtype)input->dtype)};
}

static const hb_step_input *inputs_of(const hbs_run *run, const hb_step *step)
{
    return hb_plan_at(run->plan, step->inputs);
}

static bool is_product(const hb_step *step)
{
    return step->kind == HB_OPERATOR_DENSE || step->kind == HB_OPERATOR_SPARSE;
}

/* The clip of what a product makes, where it lies, is done with the product. */
static const hb_step *clip_behind(const hbs_run *run, const hb_step *step)
{
    const hb_step *next = step + 1;

    return is_product(step) && next < steps_of(run) + run->plan->n_steps && next->kind == HB_OPERATOR_CLIP &&
                   next->outputs == step->outputs && inputs_of(run, next)->place.at == step->output.at &&
                   next->output.at == step->output.at
               ? next
               : NULL;
}

/* When a step changes nothing. */
static hb_idle idle_of(const hbs_run *run, const hb_step *step)
{
    const hb_place *input = &inputs_of(run, step)->place;

    if (step->kind == HB_OPERATOR_CLIP && step > steps_of(run) && clip_behind(run, step - 1))
        return HB_IDLE_ALWAYS;
    return step->kind == HB_OPERATOR_ROUND && !input->in_plan && step->reads_input && step->output.at == input->at
               ? HB_IDLE_IF_FLOAT32
               : HB_IDLE_NEVER;
}

/* ---- a step */

/* Sets all that only a product needs. It reads the parameters of the clip behind it in the plan: they have no pointers.
 */
static void prepare_product(const hbs_run *run, const hb_step *step, size_t stride, hb_call *call)
{
    const hb_step *clip = clip_behind(run, step);
    const hb_fit_clip *fit = clip ? hb_plan_at(run->plan, clip->fit) : NULL;

    call->limits = fit ? fit->limits : NULL;
    call->room = run->room;
    call->feeds_product = step->feeds_product && stride <= HB_TILE && (clip || step[1].kind == HB_OPERATOR_DENSE);
}

static void prepare_forest(const hbs_run *run, const hb_step *step, hb_prepared_forest *forest)
{
    hb_forest_view_make(run->plan, step->fit, step->dtype == HB_DTYPE_FLOAT64, &forest->view);
    forest->trees.base_is_rows = !inputs_of(run, step)[1].place.constant;
}

/* Room for what a step needs beside its hb_prepared. */
typedef struct room {
    hb_columns *inputs;
    const void **addresses;
    char *fit;
    hb_prepared_forest *forest;
} room;

static void prepare_step(hbs_run *run, const hb_step *step, size_t stride, const room *at, hb_prepared *prepared)
{
    for (size_t k = 0; k < step->n_inputs; k++)
        at->inputs[k] = columns_of(run, &inputs_of(run, step)[k], stride);
    *prepared = (hb_prepared){
        .outputs = step->outputs,
        .idle = idle_of(run, step),
        .float32 = (hb_float32)step->float32,
        .n_inputs = step->n_inputs,
        .inputs = at->inputs,
        .addresses = at->addresses,
        .output = run->scratch + step->output.at * stride,
        .output_row = step->output.constant ? 0 : hb_dtype_size((hb_dtype)step->dtype),
        .call =
            {
                .evaluate = hb_evaluators[step->kind],
                .kernels = run->kernels,
                .fit = at->fit,
                .asker = run->asker,
                .dtype = (hb_dtype)step->dtype,
                .stride = step->output.constant ? 1 : stride,
                .input_width = step->input_width,
                .width = step->width,
                .inputs = at->addresses,
                .texts = run->texts.at ? &run->texts : NULL,
                .lists = &run->lists,
                .polls = &run->memory.work,
            },
    };
    if (is_forest(step)) {
        prepared->forest = at->forest;
        prepared->call.trees = &at->forest->trees;
        prepare_forest(run, step, at->forest);
        return;
    }
    hb_fit_view(run->plan, step->fit, (hb_operator_kind)step->kind, at->fit);
    if (is_product(step))
        prepare_product(run, step, stride, &prepared->call);
}

bool hb_prepare(hbs_run *run, size_t stride)
{
    enum { UNITS_A_STEP = 16 };
    const hb_step *steps = steps_of(run);
    room at = {run->inputs, run->addresses, run->fits, run->forests};

    run->prepared_for = 0;
    for (size_t i = 0; i < run->plan->n_steps; i++) {
        prepare_step(run, &steps[i], stride, &at, &run->prepared[i]);
        at.inputs += steps[i].n_inputs;
        at.addresses += steps[i].n_inputs;
        at.fit += fit_bytes(&steps[i]);
        at.forest += is_forest(&steps[i]);
        if (!hb_goes_on(&run->memory.work, UNITS_A_STEP))
            return false;
    }
    run->prepared_for = stride;
    return true;
}
