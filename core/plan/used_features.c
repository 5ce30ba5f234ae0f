/* used_features.c - which features a plan looks at: no other can change a result or be an error.
 *
 * A forest uses the features that its nodes test and its linear leaves take; another step uses all of its input.
 * Features whose values binding looks up or refuses count too. */
#include <string.h>

#include "plan/plan.h"

enum { NODES_A_PART = 1 << 12 };

static void mark_nodes(const hb_tree_node *nodes, size_t n, uint8_t *used)
{
    for (size_t i = 0; i < n; i++)
        if (nodes[i].left != HB_NO_CHILD)
            used[nodes[i].feature] = 1;
}

/* Most forests test every feature in their first trees: then there is nothing more to look for. */
static hbs_status mark_forest(const hb_forest_model *forest, hb_work *work, uint8_t *used, hbs_error *error)
{
    const hb_tree_node *nodes = forest->nodes.items;
    const int32_t *linear = forest->linear_features.items;

    for (size_t i = 0, part; i < forest->nodes.count; i += part) {
        part = forest->nodes.count - i < NODES_A_PART ? forest->nodes.count - i : NODES_A_PART;
        HB_TRY(hb_worked(work, part, error));
        mark_nodes(nodes + i, part, used);
        if (!memchr(used, 0, forest->n_features))
            return HBS_OK;
    }
    for (size_t i = 0; i < forest->linear_features.count; i++) {
        HB_TRY(hb_worked(work, 1, error));
        used[linear[i]] = 1;
    }
    return HBS_OK;
}

static bool is_encoded_table(const hb_graph *graph, size_t node)
{
    return hb_node_at(graph, node)->kind == HB_OPERATOR_ENCODE;
}

static hbs_status mark_step(const hb_graph *graph, const hb_node *step, hb_work *work, uint8_t *used, hbs_error *error)
{
    size_t n = graph->pipeline->n_features;

    if (step->kind == HB_OPERATOR_TREE_ENSEMBLE && is_encoded_table(graph, step->inputs[0]))
        return mark_forest(((const hb_fit_tree_ensemble *)step->fit)->forest, work, used, error);
    for (size_t i = 0; i < step->n_inputs; i++) {
        if (!is_encoded_table(graph, step->inputs[i]))
            continue;
        if (step->kind != HB_OPERATOR_SELECT)
            memset(used, 1, n);
        else
            for (size_t c = 0; c < step->value.width; c++)
                used[((const hb_fit_select *)step->fit)->columns[c]] = 1;
    }
    return HBS_OK;
}

static void mark_where(const uint8_t *asked, size_t n, uint8_t *used)
{
    for (size_t f = 0; asked && f < n; f++)
        used[f] |= asked[f] != 0;
}

static void mark_inputs(const hb_pipeline *pipeline, uint8_t *used)
{
    size_t n = pipeline->n_features;

    mark_where(pipeline->hashed, n, used);
    for (size_t a = 0; a < HB_N_ASKERS; a++)
        mark_where(pipeline->demands[a], n, used);
    for (size_t f = 0; pipeline->categories && f < n; f++)
        used[f] |= hb_pipeline_categories(pipeline, f) != NULL;
}

hbs_status hb_mark_used_features(const hb_graph *graph, hb_work *work, uint8_t *used, hbs_error *error)
{
    mark_inputs(graph->pipeline, used);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        if (hb_is_step(hb_node_at(graph, i)))
            HB_TRY(mark_step(graph, hb_node_at(graph, i), work, used, error));
        HB_TRY(hb_graph_worked(graph, 1, error));
    }
    /* The encoded table itself can be an output. */
    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (graph->outputs[i] != HB_NO_NODE && is_encoded_table(graph, graph->outputs[i]))
            memset(used, 1, graph->pipeline->n_features);
    return HBS_OK;
}
