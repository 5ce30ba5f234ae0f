/* lists.c - texts to lists, and what is made of lists. A list is one column, whatever it holds: op/lists.h. */
#include "ir/meaning.h"

static void list_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = 1;
}

static void list_demands(const hb_asking *a)
{
    for (size_t k = 0; k < a->node->n_inputs; k++)
        for (size_t c = 0; c < hb_input(&a->pipeline->graph, a->node, k)->value.width; c++)
            a->of[a->node->inputs[k]][c] |= hb_asked_of_computed(hb_asked_any(a, 0, a->node->value.width));
}

/* ---- terms of texts */

static bool fills_are_valid(const hb_fit_term_lists *fit, hb_work *work)
{
    for (size_t i = 0; i < fit->marks.n && hb_goes_on(work, 1); i++)
        if (fit->fill_ends[i] < (i ? fit->fill_ends[i - 1] : 0) || fit->fill_ends[i] > fit->n_fill_bytes)
            return false;
    return hb_words_valid(&fit->marks, work);
}

static hbs_status validate_term_lists(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_term_lists *fit = node->fit;
    hb_work *work = &pipeline->arena.memory->work;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1, error);
    HB_CHECK(fit->n_columns > 0 && fit->n_columns <= HB_MAX_LIST_COLUMNS, error);
    HB_CHECK(
        (hb_term_rule_valid(&fit->rule, work) && hb_words_valid(&fit->words, work) && fills_are_valid(fit, work)) ||
            work->stopped,
        error);
    for (size_t i = 0; i < fit->words.n && hb_goes_on(work, 1); i++)
        HB_CHECK(fit->columns[i] < fit->n_columns, error);
    return hb_work_status(work, error);
}

static void term_lists_demands(const hb_asking *a)
{
    if (a->own[0] & HB_LIVE)
        hb_ask_each(a, HB_LIVE | (((const hb_fit_term_lists *)a->node->fit)->missing ? 0 : HB_DEMAND_KNOWN));
}

static void json_lists_demands(const hb_asking *a)
{
    if (a->own[0] & HB_LIVE)
        hb_ask_each(a, HB_LIVE | HB_DEMAND_KNOWN);
}

static hbs_status validate_json_lists(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_json_lists *fit = node->fit;
    hb_work *work = &pipeline->arena.memory->work;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1 && fit->form < HB_N_JSON_FORMS, error);
    HB_CHECK(fit->n_columns > 0 && fit->n_columns <= HB_MAX_LIST_COLUMNS && fit->hashes == (fit->words.n == 0), error);
    HB_CHECK(fit->dtype < HB_N_LIST_DTYPES, error);
    HB_CHECK(hb_words_valid(&fit->words, work) || work->stopped, error);
    for (size_t i = 0; i < fit->words.n && hb_goes_on(work, 1); i++)
        HB_CHECK(fit->columns[i] < fit->n_columns, error);
    return hb_work_status(work, error);
}

/* ---- lists */

static hbs_status validate_list_weights(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_list_weights *fit = node->fit;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1, error);
    HB_CHECK(fit->function <= HB_LIST_UINT16 && fit->norm <= HB_LIST_MAX, error);
    HB_CHECK(!fit->factors || (fit->n_columns > 0 && fit->n_columns <= HB_MAX_LIST_COLUMNS), error);
    return HBS_OK;
}

/* A comparison hides what is missing or infinite, which the library refuses. */
static void list_weights_demands(const hb_asking *a)
{
    const hb_fit_list_weights *fit = a->node->fit;

    hb_ask_all(a, fit->function == HB_LIST_ABOVE_0 ? HB_DEMAND_KNOWN | HB_DEMAND_FINITE : 0);
}

static hbs_status validate_list_join(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_list_join *fit = node->fit;

    HB_CHECK(fit->n_parts == node->n_inputs, error);
    for (size_t k = 0; k < fit->n_parts; k++) {
        size_t width = hb_input(&pipeline->graph, node, k)->value.width;

        HB_CHECK(hb_pipeline_is_wide(pipeline, node->inputs[k]), error);
        HB_CHECK(fit->widths[k] == (fit->widths[k] ? width : 0) && (fit->widths[k] || width == 1), error);
        HB_CHECK(fit->firsts[k] < HB_MAX_LIST_COLUMNS && (k == 0 || fit->firsts[k] >= fit->firsts[k - 1]), error);
    }
    return HBS_OK;
}

static hbs_status validate_list_columns(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_list_columns *fit = node->fit;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1, error);
    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_FEATURES, error);
    for (size_t c = 1; c < fit->n_outputs; c++)
        HB_CHECK(fit->columns[c] > fit->columns[c - 1], error);
    return HBS_OK;
}

static void list_columns_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_list_columns *)node->fit)->n_outputs;
}

static void list_columns_needs(const hb_needing *n)
{
    n->of[0][0] = 1;
}

static uint32_t narrow_list_columns(hb_narrowing *n)
{
    const hb_fit_list_columns *fit = n->node->fit;
    uint32_t *columns = hb_graph_array(n->graph, fit->n_outputs, sizeof(*columns));

    for (uint32_t c = 0; columns && c < fit->n_outputs; c++)
        if (n->live[c]) {
            columns[n->n_out] = fit->columns[c];
            n->out[n->n_out++] = c;
        }
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 1, &(hb_fit_list_columns){n->n_out, columns});
}

static hbs_status validate_list_sums(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_list_sums *fit = node->fit;

    HB_CHECK(hb_input_width(&pipeline->graph, node) == 1, error);
    HB_CHECK(fit->n_columns > 0 && fit->n_columns <= HB_MAX_LIST_COLUMNS, error);
    HB_CHECK(fit->n_outputs > 0 && fit->n_outputs <= HB_MAX_OUTPUTS, error);
    return HBS_OK;
}

static void list_sums_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_list_sums *)node->fit)->n_outputs;
}

/* The library looks at all columns; those of numbers may be missing or infinite. */
static void list_sums_demands(const hb_asking *a)
{
    hb_ask_all(a, HB_DEMAND_KNOWN | HB_DEMAND_FINITE);
}

const hb_meaning hb_meaning_json_lists = {
    .validate = validate_json_lists, .shape = list_shape, .demands = json_lists_demands};
const hb_meaning hb_meaning_term_lists = {
    .validate = validate_term_lists, .shape = list_shape, .demands = term_lists_demands};
const hb_meaning hb_meaning_list_weights = {
    .validate = validate_list_weights, .shape = list_shape, .demands = list_weights_demands};
const hb_meaning hb_meaning_list_join = {.validate = validate_list_join, .shape = list_shape, .demands = list_demands};
const hb_meaning hb_meaning_list_columns = {.validate = validate_list_columns,
                                            .shape = list_columns_shape,
                                            .needs = list_columns_needs,
                                            .narrow = narrow_list_columns,
                                            .demands = list_demands};
const hb_meaning hb_meaning_list_sums = {
    .validate = validate_list_sums, .shape = list_sums_shape, .demands = list_sums_demands};
