/* prepare.c - the steps of a plan made ready for a run: of their calls all that no tile changes. */
#include <string.h>

#include "forest/forest_plan.h"
#include "plan/run.h"

static const hb_step *steps_of(const hbs_run *run)
{
    return hb_plan_at(run->plan, run->plan->steps);
}

static bool is_forest(const hb_step *step)
{
    return step->kind == HB_TENSOR_TREE_ENSEMBLE;
}

static size_t count_forests(const hbs_run *run)
{
    const hb_step *steps = steps_of(run);
    size_t n = 0;

    for (size_t i = 0; i < run->plan->n_steps; i++)
        n += is_forest(&steps[i]);
    return n;
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
    run->n_forests = count_forests(run);
    run->prepared = zeroed_array(run, run->plan->n_steps, sizeof(*run->prepared));
    run->forests = zeroed_array(run, run->n_forests, sizeof(*run->forests));
    return run->prepared && run->forests;
}

void hb_prepared_free(hbs_run *run)
{
    hb_release(&run->memory, run->prepared, run->plan->n_steps * sizeof(*run->prepared));
    hb_release(&run->memory, run->forests, run->n_forests * sizeof(*run->forests));
}

/* ---- where the columns lie */

static const char *place_of(const hbs_run *run, hb_place place, size_t stride)
{
    return place.in_plan ? hb_plan_at(run->plan, place.at) : run->scratch + place.at * stride;
}

static hb_columns columns_of(const hbs_run *run, hb_place place, size_t size, size_t stride)
{
    return (hb_columns){place_of(run, place, stride), place.constant ? 0 : size};
}

/* The clip of what a product makes, where it lies, is done with the product. */
static const hb_step *clip_behind(const hbs_run *run, const hb_step *step)
{
    const hb_step *next = step + 1;

    return step->kind == HB_TENSOR_DENSE && next < steps_of(run) + run->plan->n_steps && next->kind == HB_TENSOR_CLIP &&
                   next->outputs == step->outputs && next->input.at == step->output.at &&
                   next->output.at == step->output.at
               ? next
               : NULL;
}

/* When a step changes nothing. */
static hb_idle idle_of(const hbs_run *run, const hb_step *step)
{
    if (step->kind == HB_TENSOR_CLIP && step > steps_of(run) && clip_behind(run, step - 1))
        return HB_IDLE_ALWAYS;
    return step->kind == HB_TENSOR_ROUND && !step->input.in_plan && step->reads_input &&
                   step->output.at == step->input.at
               ? HB_IDLE_IF_FLOAT32
               : HB_IDLE_NEVER;
}

/* ---- what the steps compute with */

/* The strategy's program; that of bits has another of single rows. */
static void view_program(const hbs_run *run, const hb_forest_plan *plan, hb_prepared_forest *forest)
{
    const hb_tree *trees = forest->narrow.trees ? forest->narrow.trees : forest->wide.trees;

    forest->strategy = (hbs_strategy)plan->strategy;
    forest->min_rows = plan->min_rows;
    if (forest->strategy == HBS_STRATEGY_BITS) {
        forest->bits = hb_bits_view(run->plan, plan->program);
        forest->has_row = hb_row_view(run->plan, plan->program, trees, &forest->row);
    } else if (forest->strategy == HBS_STRATEGY_GEMM) {
        forest->gemm = hb_gemm_view(run->plan, plan->program);
    } else if (forest->strategy == HBS_STRATEGY_PTT) {
        forest->ptt = hb_ptt_view(run->plan, plan->program);
    }
}

static void view_forest(const hbs_run *run, const hb_step *step, hb_prepared_forest *forest, hb_call *call)
{
    const hb_forest_plan *plan = hb_plan_at(run->plan, step->model);

    if (step->dtype == HB_DTYPE_FLOAT64) {
        forest->wide = hb_forest_view64(run->plan, step->model);
        call->wide = &forest->wide;
    } else {
        forest->narrow = hb_forest_view32(run->plan, step->model);
        call->forest = &forest->narrow;
    }
    forest->has_compact = plan->compact != 0;
    if (forest->has_compact)
        forest->compact = hb_compact_view(run->plan, step->model);
    view_program(run, plan, forest);
}

static void view_dense(const hbs_run *run, const hb_step *step, size_t stride, hb_prepared *prepared)
{
    const hb_step *clip = clip_behind(run, step);
    hb_call *call = &prepared->call;

    prepared->model.dense = (hb_dense_model){step->input_width, step->width, hb_plan_at(run->plan, step->model),
                                             hb_plan_at(run->plan, step->bias)};
    call->dense = &prepared->model.dense;
    call->limits = clip ? (const double *)(const void *)place_of(run, clip->base, stride) : NULL;
    call->blas = run->room ? &run->blas : NULL;
    call->room = run->room;
    call->feeds_product = step->feeds_product && stride <= HB_TILE && (clip || step[1].kind == HB_TENSOR_DENSE);
}

static void view_model(const hbs_run *run, const hb_step *step, hb_prepared *prepared)
{
    const void *model = hb_plan_at(run->plan, step->model), *bias = hb_plan_at(run->plan, step->bias);
    hb_call *call = &prepared->call;

    switch ((hb_tensor_kind)step->kind) {
    case HB_TENSOR_CATEGORY_COLUMNS:
        prepared->model.statistics = hb_statistics_view(run->plan, step->model);
        call->statistics = &prepared->model.statistics;
        break;
    case HB_TENSOR_SELECT:
    case HB_TENSOR_INDICATOR:
        call->columns = model;
        break;
    case HB_TENSOR_GUARD:
        call->asked = model;
        call->asker = run->asker;
        break;
    case HB_TENSOR_PRODUCTS:
        call->products = model;
        break;
    case HB_TENSOR_BINS:
        prepared->model.bins = (hb_bins){step->width, model, bias};
        call->bins = &prepared->model.bins;
        break;
    case HB_TENSOR_ONEHOT:
    case HB_TENSOR_RECODE:
        prepared->model.encoder = hb_encoder_view(run->plan, step->model);
        call->encoder = &prepared->model.encoder;
        call->asked = step->bias ? bias : NULL;
        call->asker = run->asker;
        break;
    case HB_TENSOR_GAUSSIAN_NB:
        prepared->model.gaussian = (hb_gaussian_model){step->input_width, step->width, model, bias};
        call->gaussian = &prepared->model.gaussian;
        break;
    case HB_TENSOR_LINEAR:
        call->weights = model;
        call->bias = bias;
        break;
    default:
        break;
    }
}

/* ---- a step */

static void prepare_step(hbs_run *run, const hb_step *step, size_t stride, hb_prepared *prepared)
{
    size_t size = hb_dtype_size((hb_dtype)step->dtype);
    size_t input_size = step->kind == HB_TENSOR_NARROW ? sizeof(double) : size;

    *prepared = (hb_prepared){
        .outputs = step->outputs,
        .idle = idle_of(run, step),
        .float32 = (hb_float32)step->float32,
        .input = columns_of(run, step->input, input_size, stride),
        .base = columns_of(run, step->base, size, stride),
        .output = run->scratch + step->output.at * stride,
        .output_row = step->output.constant ? 0 : size,
        .call =
            {
                .kernels = run->kernels,
                .kind = (hb_tensor_kind)step->kind,
                .dtype = (hb_dtype)step->dtype,
                .number = step->number,
                .stride = step->output.constant ? 1 : stride,
                .input_width = step->input_width,
                .width = step->width,
                .base_is_rows = !step->base.constant,
                .polls = &run->memory.work,
            },
    };
    if (step->kind == HB_TENSOR_DENSE)
        view_dense(run, step, stride, prepared);
    else if (!is_forest(step))
        view_model(run, step, prepared);
}

void hb_prepare(hbs_run *run, size_t stride)
{
    const hb_step *steps = steps_of(run);
    hb_prepared_forest *forest = run->forests;

    for (size_t i = 0; i < run->plan->n_steps; i++) {
        prepare_step(run, &steps[i], stride, &run->prepared[i]);
        if (!is_forest(&steps[i]))
            continue;
        run->prepared[i].forest = forest;
        view_forest(run, &steps[i], forest++, &run->prepared[i].call);
    }
    run->prepared_for = stride;
}
