/* passes.c - the passes in their order. Each stands in a file of its own, and each has a switch. */
#include "graph/passes.h"

#include "graph/pass.h"

/* Nodes that some output needs. */
static size_t count_nodes(const hb_graph *graph)
{
    size_t n = 0;

    for (size_t i = 0; i < graph->nodes.count; i++)
        n += hb_node_at(graph, i)->outputs != 0;
    return n;
}

/* All columns that such nodes make. */
static size_t count_columns(const hb_graph *graph)
{
    size_t n = 0;

    for (size_t i = 0; i < graph->nodes.count; i++)
        n += hb_node_at(graph, i)->outputs ? hb_node_at(graph, i)->value.width : 0;
    return n;
}

/* All weights that such nodes keep, of weighted sums of all columns. */
static size_t count_weights(const hb_graph *graph)
{
    size_t n = 0;

    for (size_t i = 0; i < graph->nodes.count; i++) {
        const hb_node *node = hb_node_at(graph, i);

        if (node->outputs && node->kind == HB_OPERATOR_DENSE)
            n += node->value.width * hb_input_width(graph, node);
        if (node->outputs && node->kind == HB_OPERATOR_SPARSE)
            n += ((const hb_fit_sparse *)node->fit)->csr.n_weights;
    }
    return n;
}

#define PASS(bit, function, unit)                                     \
    {                                                                 \
        HBS_PASS_##bit, #function, hb_##function, #unit, count_##unit \
    }

/* A pass counts its rewrites in graph->n_rewrites, whose needs are marked before it. Its unit is what its report counts
 * before and after it. */
static const struct {
    uint32_t bit;
    const char *name;
    hbs_status (*run)(hb_graph *graph, hbs_error *error);
    const char *unit;
    size_t (*count)(const hb_graph *graph);
} passes[] = {
    /* clang-format off */
    PASS(PUSH_SELECTION, push_selection, columns),
    PASS(INJECT_SELECTION, inject_selection, columns),
    PASS(FOLD_CONSTANTS, fold_constants, nodes),
    PASS(COMMON_SUBEXPRESSIONS, common_subexpressions, nodes),
    PASS(ELIMINATE_REDUNDANT, eliminate_redundant, nodes),
    PASS(REWRITE_DTYPES, rewrite_dtypes, nodes),
    PASS(FUSE, fuse, columns),
    PASS(REPLACE_SPARSE, replace_sparse, weights),
    /* clang-format on */
};

enum { N_PASSES = sizeof(passes) / sizeof(passes[0]) };

_Static_assert((int)N_PASSES <= (int)HB_MAX_PASSES, "a graph has room for all reports");

const char *hb_pass_name(size_t i, uint32_t *bit)
{
    if (i >= N_PASSES)
        return NULL;
    *bit = passes[i].bit;
    return passes[i].name;
}

const char *hb_pass_unit(size_t i)
{
    return passes[i].unit;
}

bool hb_pass_is_off(size_t i, uint32_t passes_off)
{
    return passes_off & passes[i].bit;
}

hbs_status hb_pass_run(hb_graph *graph, size_t i, hbs_error *error)
{
    hb_pass_report report = {.pass = (uint32_t)i};
    size_t rewrites = graph->n_rewrites;

    HB_TRY(hb_graph_mark_needs(graph, error));
    report.before = (uint32_t)passes[i].count(graph);
    HB_TRY(passes[i].run(graph, error));
    HB_TRY(hb_graph_mark_needs(graph, error));
    report.rewrites = (uint32_t)(graph->n_rewrites - rewrites);
    report.after = (uint32_t)passes[i].count(graph);
    if (report.rewrites > 0)
        graph->reports[graph->n_reports++] = report;
    return HBS_OK;
}

hbs_status hb_graph_optimize(hb_graph *graph, uint32_t passes_off, hbs_error *error)
{
    for (size_t i = 0; i < N_PASSES; i++)
        if (!hb_pass_is_off(i, passes_off))
            HB_TRY(hb_pass_run(graph, i, error));
    return hb_graph_mark_needs(graph, error);
}
