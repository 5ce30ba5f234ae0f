/* arithmetic.c - functions of numbers (base/arithmetic.h), of which graphs from other libraries are made. */
#include "base/arithmetic64.h"
#include "ir/meaning.h"

static hbs_status validate_map(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_map *fit = node->fit;

    (void)pipeline;
    HB_CHECK((unsigned)fit->function < HB_N_MAP_FUNCTIONS, error);
    HB_CHECK((unsigned)fit->rounding < HB_N_ROUNDINGS, error);
    HB_CHECK(!hb_wraps(fit->rounding) || hb_has_wrapped(fit->function), error);
    return HBS_OK;
}

static void widen_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.dtype = HB_DTYPE_FLOAT64;
}

static void widen_facts(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.float32 = HB_FLOAT32_ALWAYS; /* but sums of them are the graph's own, in float64 */
}

/* Operands get no demand of the result: a guard looks at computed numbers. */
static uint8_t only_live(uint8_t own)
{
    return own & HB_LIVE;
}

static void map_demands(const hb_asking *a)
{
    for (size_t c = 0; c < a->node->value.width; c++)
        hb_asking_input(a)[c] |= only_live(a->own[c]);
}

/* ---- two numbers */

static hbs_status check_columns(const hb_pipeline *pipeline, const hb_node *node, size_t k, const uint32_t *columns,
                                size_t n, hbs_error *error)
{
    size_t width = hb_pipeline_width(pipeline, node->inputs[k]);

    HB_CHECK(node->inputs[k] > 0 && hb_pipeline_is_wide(pipeline, node->inputs[k]), error);
    HB_CHECK(columns || width == n, error);
    for (size_t i = 0; columns && i < n; i++)
        HB_CHECK(columns[i] < width, error);
    return HBS_OK;
}

static hbs_status validate_combine(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_combine *fit = node->fit;

    HB_CHECK((unsigned)fit->function < HB_N_COMBINE_FUNCTIONS, error);
    HB_CHECK((unsigned)fit->rounding < HB_N_ROUNDINGS && !hb_wraps(fit->rounding), error);
    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_OUTPUTS, error);
    HB_CHECK((node->n_inputs == 1) == (fit->numbers != NULL), error);
    HB_CHECK(node->n_inputs == 2 || !fit->second, error);
    HB_TRY(check_columns(pipeline, node, 0, fit->first, fit->n_outputs, error));
    return node->n_inputs == 1 ? HBS_OK : check_columns(pipeline, node, 1, fit->second, fit->n_outputs, error);
}

static void combine_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_combine *)node->fit)->n_outputs;
}

static void ask_columns(const hb_asking *a, size_t k, const uint32_t *columns)
{
    uint8_t *of = a->of[a->node->inputs[k]];

    for (size_t c = 0; c < a->node->value.width; c++)
        of[columns ? columns[c] : c] |= only_live(a->own[c]);
}

static void combine_demands(const hb_asking *a)
{
    const hb_fit_combine *fit = a->node->fit;

    ask_columns(a, 0, fit->first);
    if (a->node->n_inputs > 1)
        ask_columns(a, 1, fit->second);
}

/* ---- one of two */

static hbs_status validate_choose(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_choose *fit = node->fit;

    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_OUTPUTS, error);
    HB_CHECK(node->n_inputs == 1u + !fit->yes + !fit->no, error);
    for (size_t k = 0; k < node->n_inputs; k++)
        HB_TRY(check_columns(pipeline, node, k, NULL, fit->n_outputs, error));
    return HBS_OK;
}

static void choose_demands(const hb_asking *a)
{
    for (size_t k = 0; k < a->node->n_inputs; k++)
        ask_columns(a, k, NULL);
}

/* ---- several numbers */

static hbs_status validate_reduce(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_reduce *fit = node->fit;

    HB_CHECK((unsigned)fit->function < HB_N_REDUCE_FUNCTIONS, error);
    HB_CHECK((unsigned)fit->rounding < HB_N_ROUNDINGS && !hb_wraps(fit->rounding), error);
    HB_CHECK(fit->n_terms > 0 && hb_input_width(&pipeline->graph, node) % fit->n_terms == 0, error);
    return HBS_OK;
}

static void reduce_shape(const hb_graph *graph, hb_node *node)
{
    node->value.width = hb_input_width(graph, node) / ((const hb_fit_reduce *)node->fit)->n_terms;
}

static void reduce_demands(const hb_asking *a)
{
    size_t n = ((const hb_fit_reduce *)a->node->fit)->n_terms;

    for (size_t c = 0; c < a->node->value.width * n; c++)
        hb_asking_input(a)[c] |= only_live(a->own[c / n]);
}

const hb_meaning hb_meaning_widen = {
    .shape = widen_shape, .facts = widen_facts, .needs = hb_needs_columns, .demands = hb_ask_same};
const hb_meaning hb_meaning_map = {.validate = validate_map, .needs = hb_needs_columns, .demands = map_demands};
const hb_meaning hb_meaning_combine = {
    .validate = validate_combine, .shape = combine_shape, .demands = combine_demands};
const hb_meaning hb_meaning_choose = {.validate = validate_choose, .demands = choose_demands};
const hb_meaning hb_meaning_reduce = {.validate = validate_reduce, .shape = reduce_shape, .demands = reduce_demands};
