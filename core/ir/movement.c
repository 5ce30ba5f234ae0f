/* movement.c - columns that are moved, and no number changes. */
#include "ir/meaning.h"

static hbs_status validate_select(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    const hb_fit_select *fit = node->fit;
    size_t width = hb_input_width(&pipeline->graph, node);

    if (fit->n_columns == 0 || fit->n_columns > HB_MAX_OUTPUTS)
        return hb_fail(error, HBS_E_FORMAT, "select: %zu columns", fit->n_columns);
    for (size_t i = 0; i < fit->n_columns; i++)
        if (fit->columns[i] >= width)
            return hb_fail(error, HBS_E_FORMAT, "select: column %u of %zu", (unsigned)fit->columns[i], width);
    return HBS_OK;
}

static void select_shape(const hb_graph *graph, hb_node *node)
{
    (void)graph;
    node->value.width = ((const hb_fit_select *)node->fit)->n_columns;
}

static void select_needs(const hb_needing *n)
{
    const hb_fit_select *fit = n->node->fit;

    for (size_t i = 0; i < fit->n_columns; i++)
        n->of[0][fit->columns[i]] |= n->live[i];
}

/* True if columns[i] is i for all n. */
static bool is_identity(const uint32_t *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (columns[i] != i)
            return false;
    return true;
}

/* A selection of all that has been left of its input is no step. */
static uint32_t narrow_select(hb_narrowing *n)
{
    const hb_fit_select *fit = n->node->fit;
    uint32_t *columns = hb_graph_array(n->graph, fit->n_columns, sizeof(*columns));

    for (uint32_t i = 0; columns && i < fit->n_columns; i++)
        if (n->live[i]) {
            columns[n->n_out] = hb_narrow_place(n, fit->columns[i]);
            n->out[n->n_out++] = i;
        }
    if (columns && n->n_out == n->n_in[0] && is_identity(columns, n->n_out))
        return n->inputs[0];
    return hb_graph_add(n->graph, n->node->kind, n->inputs, 1, &(hb_fit_select){n->n_out, columns});
}

static hbs_status validate_concat(hb_pipeline *pipeline, hb_node *node, hbs_error *error)
{
    size_t width = 0;

    for (size_t i = 0; i < node->n_inputs; i++) {
        HB_CHECK(node->inputs[i] > 0, error);
        HB_CHECK(hb_pipeline_is_wide(pipeline, node->inputs[i]), error);
        width += hb_pipeline_width(pipeline, node->inputs[i]);
        if (width > HB_MAX_OUTPUTS)
            return hb_fail(error, HBS_E_LIMIT, "concat: more than %d columns", HB_MAX_OUTPUTS);
    }
    return HBS_OK;
}

static void concat_shape(const hb_graph *graph, hb_node *node)
{
    node->value.width = 0;
    for (size_t i = 0; i < node->n_inputs; i++)
        node->value.width += hb_input(graph, node, i)->value.width;
}

static void concat_facts(const hb_graph *graph, hb_node *node)
{
    node->value.finite = true;
    for (size_t i = 0; i < node->n_inputs; i++)
        node->value.finite &= hb_input(graph, node, i)->value.finite;
}

/* Two inputs at a time, from the left. */
static uint32_t lower_concat(hb_lowering *l)
{
    uint32_t left = l->inputs[0];

    for (size_t i = 1; i < l->node->n_inputs; i++)
        left = hb_graph_add(l->graph, HB_OPERATOR_CONCAT, (const uint32_t[]){left, l->inputs[i]}, 2, NULL);
    return left;
}

static void concat_needs(const hb_needing *n)
{
    const uint8_t *live = n->live;

    for (size_t k = 0; k < n->node->n_inputs; k++) {
        size_t width = hb_input(n->graph, n->node, k)->value.width;

        for (size_t c = 0; c < width; c++)
            n->of[k][c] |= live[c];
        live += width;
    }
}

/* An input of which nothing is left is none. */
static uint32_t narrow_concat(hb_narrowing *n)
{
    uint32_t first = 0, some[2] = {0, 0};
    size_t n_some = 0;

    for (size_t k = 0; k < n->node->n_inputs; k++) {
        for (size_t i = 0; i < n->n_in[k]; i++)
            n->out[n->n_out++] = first + n->in[k][i];
        if (n->n_in[k] > 0)
            some[n_some++] = n->inputs[k];
        first += (uint32_t)hb_input(n->old, n->node, k)->value.width;
    }
    return n_some == 1 ? some[0] : hb_graph_add(n->graph, n->node->kind, some, n_some, NULL);
}

static void select_demands(const hb_asking *a)
{
    const hb_fit_select *fit = a->node->fit;

    for (size_t i = 0; i < fit->n_columns; i++)
        hb_asking_input(a)[fit->columns[i]] |= a->own[i];
}

static void concat_demands(const hb_asking *a)
{
    size_t at = 0;

    for (size_t i = 0; i < a->node->n_inputs; i++) {
        size_t width = hb_pipeline_width(a->pipeline, a->node->inputs[i]);

        for (size_t c = 0; c < width; c++)
            a->of[a->node->inputs[i]][c] |= a->own[at + c];
        at += width;
    }
}

const hb_meaning hb_meaning_select = {.validate = validate_select,
                                      .shape = select_shape,
                                      .needs = select_needs,
                                      .narrow = narrow_select,
                                      .demands = select_demands};
const hb_meaning hb_meaning_concat = {.validate = validate_concat,
                                      .shape = concat_shape,
                                      .facts = concat_facts,
                                      .lower = lower_concat,
                                      .needs = concat_needs,
                                      .narrow = narrow_concat,
                                      .demands = concat_demands};
