/* evaluate.c - the table from tensor operator to kernel. */
#include "graph/evaluate.h"

#include "kernel/elementwise.h"

static hb_tile tile_of(const hb_call *call)
{
    return (hb_tile){call->input, call->output, call->input_width, call->stride, call->rows};
}

enum { STEPS_A_POLL = 1 << 18 }; /* steps of walks or products: well below a millisecond */

static bool go_on(const hb_call *call)
{
    return !call->host || hb_poll(call->host, NULL) == HBS_OK;
}

/* Sources hold their data already; encode belongs to plan/bind.c. */
static bool evaluate_table(const hb_call *call)
{
    (void)call;
    return true;
}

#define evaluate_constant evaluate_table
#define evaluate_encode   evaluate_table

/* The trees in groups that take less than a millisecond each; mostly one group. */
static bool evaluate_tree_ensemble(const hb_call *call)
{
    const hb_flat_forest *forest = call->forest;
    bool one_group = forest->steps * call->rows < STEPS_A_POLL;
    size_t first = 0, steps = 0;

    hb_forest_begin(forest, call->base, call->stride, call->rows, call->output);
    for (size_t t = 0; !one_group && t < forest->n_trees; t++) {
        steps += (forest->trees[t].depth + 1) * call->rows;
        if (steps < STEPS_A_POLL)
            continue;
        hb_forest_add(forest, first, t + 1, call->input, call->stride, call->rows, call->output);
        first = t + 1;
        steps = 0;
        if (!go_on(call))
            return false;
    }
    hb_forest_add(forest, first, forest->n_trees, call->input, call->stride, call->rows,
                  call->output);
    return true;
}

static bool evaluate_linear(const hb_call *call)
{
    hb_tile tile = tile_of(call);
    size_t steps = 0;

    for (size_t o = 0; o < call->width; o++) {
        hb_linear(&tile, o, call->width, call->weights, call->bias, call->base);
        steps += call->input_width * call->rows;
        if (steps < STEPS_A_POLL)
            continue;
        steps = 0;
        if (!go_on(call))
            return false;
    }
    return true;
}

enum { CELLS_A_POLL = 1 << 14 }; /* of one operator that sorts or takes exponentials */

/* Gives the operator's rows to `kernel`; of wide tensors a few at a time. */
static bool by_rows(const hb_call *call, void (*kernel)(const hb_tile *tile, float number))
{
    size_t width = call->input_width < CELLS_A_POLL ? call->input_width : CELLS_A_POLL;
    size_t at_once = CELLS_A_POLL / width;
    hb_tile tile = tile_of(call);

    for (size_t left = call->rows; left > 0; left -= tile.rows) {
        if (left < call->rows && !go_on(call))
            return false;
        tile.rows = left < at_once ? left : at_once;
        kernel(&tile, call->number);
        tile.in += tile.rows;
        tile.out += tile.rows;
    }
    return true;
}

#define ELEMENTWISE(name, kernel)                              \
    static void name##_rows(const hb_tile *tile, float number) \
    {                                                          \
        (void)number;                                          \
        kernel(tile);                                          \
    }                                                          \
                                                               \
    static bool evaluate_##name(const hb_call *call)           \
    {                                                          \
        return by_rows(call, name##_rows);                     \
    }

static bool evaluate_mark_missing(const hb_call *call)
{
    return by_rows(call, hb_mark_missing);
}

static bool evaluate_greater(const hb_call *call)
{
    return by_rows(call, hb_greater);
}

ELEMENTWISE(logit, hb_logit)
ELEMENTWISE(log, hb_log)
ELEMENTWISE(expectile_base, hb_expectile_base)
ELEMENTWISE(sigmoid, hb_sigmoid)
ELEMENTWISE(softmax, hb_softmax)
ELEMENTWISE(exp, hb_exp)
ELEMENTWISE(sort, hb_sort_columns)
ELEMENTWISE(expectile, hb_expectile)
ELEMENTWISE(complement, hb_complement)
ELEMENTWISE(argmax, hb_argmax)

typedef bool (*evaluator)(const hb_call *call);

static const evaluator evaluators[] = {
#define HB_TENSOR(kind, name, type) evaluate_##name,
#include "graph/tensors.def"
#undef HB_TENSOR
};

bool hb_evaluate(const hb_call *call)
{
    return evaluators[call->kind](call);
}
