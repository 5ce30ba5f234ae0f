/* seal.c - every invariant that graph/, forest/ and plan/ rely on, checked once; then the seal.
 *
 * An operator's meaning checks its fitted parameters against the values that it reads. That value's numbers are of the
 * type of its first input, which the operator has kernels for; narrow alone changes it. */
#include "ir/distinct.h"
#include "ir/meaning.h"

/* ---- names */

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    const hb_pipeline *pipeline = context;

    return hb_compare_texts(hb_pipeline_feature_name(pipeline, a), hb_pipeline_feature_name(pipeline, b),
                            &pipeline->arena.memory->work);
}

static hbs_status check_names(const hb_pipeline *pipeline, hbs_error *error)
{
    char name[HB_EXCERPT_BUFFER];
    uint32_t same;

    if (!pipeline->name_bytes)
        return HBS_OK;
    HB_TRY(hb_find_equal(pipeline->arena.memory, pipeline->n_features, compare_names, pipeline, &same, error));
    if (same == pipeline->n_features)
        return HBS_OK;
    return hb_fail(error, pipeline->names_are_given ? HBS_E_ARGS : HBS_E_FORMAT,
                   "two features have the name \"%s\" (option features gives them new names)",
                   HB_SHOW(hb_pipeline_feature_name(pipeline, same), name));
}

/* ---- outputs */

/* Labels are class numbers, so that they can be looked up without a check. */
static bool gives_class(const hb_pipeline *pipeline, size_t value)
{
    const hb_node *node = hb_node_at(&pipeline->graph, value);

    return node->kind == HB_OPERATOR_HEAD && ((const hb_fit_head *)node->fit)->rule != HB_HEAD_FLAGS;
}

/* One for each class; one alone is that of the second of two. */
static bool gives_probabilities(const hb_pipeline *pipeline, size_t value)
{
    size_t width = hb_pipeline_width(pipeline, value), n = pipeline->n_classes;

    return n == 0 || width == n || (width == 1 && n == 2);
}

static hbs_status check_outputs(const hb_pipeline *pipeline, hbs_error *error)
{
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        HB_CHECK(hb_pipeline_output(pipeline, (hb_output)i) < pipeline->graph.nodes.count, error);
    HB_CHECK(pipeline->raw || pipeline->value || pipeline->values || pipeline->label || pipeline->transform, error);
    HB_CHECK(!pipeline->value || hb_pipeline_width(pipeline, pipeline->value) == 1, error);
    HB_CHECK(!pipeline->label || gives_class(pipeline, pipeline->label), error);
    HB_CHECK(!pipeline->probabilities || gives_probabilities(pipeline, pipeline->probabilities), error);
    return HBS_OK;
}

/* ---- nodes */

/* Later stages read each input that an operator has, and no other. */
static hbs_status check_input_count(const hb_node *node, hbs_error *error)
{
    const hb_operator_row *row = &hb_operator_rows[node->kind];
    bool too_few = node->n_inputs < row->inputs.least;
    uint32_t bound = too_few ? row->inputs.least : row->inputs.most;

    if (!too_few && node->n_inputs <= row->inputs.most)
        return HBS_OK;
    return hb_fail(error, HBS_E_INTERNAL,
                   "internal error: the operator %s has %u input%s, it takes at %s %u, please report it", row->name,
                   (unsigned)node->n_inputs, node->n_inputs == 1 ? "" : "s", too_few ? "least" : "most",
                   (unsigned)bound);
}

/* An operator without a kernel for its input's dtype would read the bytes as the other dtype. */
static hbs_status check_inputs(const hb_pipeline *pipeline, size_t i, hbs_error *error)
{
    const hb_node *node = hb_node_at(&pipeline->graph, i);
    bool wide;

    HB_CHECK(node->kind < HB_N_OPERATORS, error);
    HB_TRY(check_input_count(node, error));
    HB_CHECK(node->n_inputs > 0, error); /* node 0 alone is a source */
    for (size_t k = 0; k < node->n_inputs; k++)
        HB_CHECK(node->inputs[k] < i, error);
    HB_CHECK((node->inputs[0] == 0) == (node->kind == HB_OPERATOR_ORDINAL), error);
    wide = hb_pipeline_is_wide(pipeline, node->inputs[0]);
    HB_CHECK(hb_operator_rows[node->kind].reads & (wide ? HB_READS_FLOAT64 : HB_READS_FLOAT32), error);
    return HBS_OK;
}

static hbs_status seal_node(hb_pipeline *pipeline, size_t i, hbs_error *error)
{
    enum { UNITS_A_COLUMN = 4 };
    hb_node *node = hb_node_at(&pipeline->graph, i);
    hb_work *work = &pipeline->arena.memory->work;

    HB_TRY(check_inputs(pipeline, i, error));
    HB_TRY(hb_worked(work, UNITS_A_COLUMN * hb_input_width(&pipeline->graph, node), error));
    if (hb_meanings[node->kind]->validate)
        HB_TRY(hb_meanings[node->kind]->validate(pipeline, node, error));
    hb_node_complete(&pipeline->graph, node);
    return hb_worked(work, UNITS_A_COLUMN * node->value.width, error);
}

/* Node 0. */
static void seal_table(hb_pipeline *pipeline)
{
    hb_value *table = &hb_node_at(&pipeline->graph, 0)->value;

    table->width = pipeline->n_features;
    table->dtype = pipeline->wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32;
}

hbs_status hb_pipeline_seal(hb_pipeline *pipeline, hbs_error *error)
{
    HB_CHECK(!pipeline->sealed, error);
    HB_TRY(hb_graph_check(&pipeline->graph, error));
    HB_CHECK(pipeline->n_features > 0 && pipeline->n_features <= HB_MAX_FEATURES, error);
    HB_TRY(check_names(pipeline, error));
    seal_table(pipeline);
    for (size_t i = 1; i < pipeline->graph.nodes.count; i++)
        HB_TRY(seal_node(pipeline, i, error));
    HB_TRY(check_outputs(pipeline, error));
    HB_TRY(hb_pipeline_demand(pipeline, error));
    pipeline->sealed = true;
    return HBS_OK;
}
