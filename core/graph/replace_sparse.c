/* replace_sparse.c - weighted sums most of whose weights are 0 keep the others only, in CSR form (CMLCompiler, section
 * 4.3.2).
 *
 * A weight of 0 changes no bit of a sum, unless its number is infinite or NaN: then the product is NaN. The operator
 * `sparse` finds such a row by its sums, because each column has a stored weight in some output. Lowering has dropped
 * the columns whose weights are all 0; one that is there nevertheless has its 0 stored for the first output. */
#include "graph/pass.h"

#include <math.h>

/* Units of time: a weight of the dense operator takes 1. A stored weight takes longer, since its column is looked up
 * and its number is loaded for one output alone; and each output has a loop of its own. For no isa, one row or many, is
 * this less than it takes (docs/performance.md). */
enum { UNITS_A_STORED = 2, UNITS_AN_OUTPUT = 5 };

typedef struct replacing {
    hb_graph *graph;
    const hb_fit_dense *dense;
    uint8_t *weighted; /* [n_features] 1: some output has a weight that is not 0 */
    bool finite;       /* all weights and the bias */
    hbs_error *error;
} replacing;

static double weight_of(const replacing *r, size_t output, size_t column)
{
    return r->dense->weights[output * r->dense->n_features + column];
}

static bool is_stored(const replacing *r, size_t output, size_t column)
{
    return weight_of(r, output, column) != 0 || (output == 0 && !r->weighted[column]);
}

static hbs_status look_at_weights(replacing *r)
{
    size_t n = r->dense->n_features;

    r->weighted = hb_arena_array(r->graph->arena, n, sizeof(*r->weighted));
    if (!r->weighted)
        return hb_no_memory(r->graph->arena->memory, r->error);
    r->finite = true;
    for (size_t o = 0; o < r->dense->n_outputs; o++) {
        r->finite &= isfinite(r->dense->bias[o]);
        for (size_t c = 0; c < n; c++) {
            r->weighted[c] |= weight_of(r, o, c) != 0;
            r->finite &= isfinite(weight_of(r, o, c));
        }
        HB_TRY(hb_worked(&r->graph->arena->memory->work, n, r->error));
    }
    return HBS_OK;
}

static hbs_status count_stored(const replacing *r, size_t *count)
{
    *count = 0;
    for (size_t o = 0; o < r->dense->n_outputs; o++) {
        for (size_t c = 0; c < r->dense->n_features; c++)
            *count += is_stored(r, o, c);
        HB_TRY(hb_worked(&r->graph->arena->memory->work, r->dense->n_features, r->error));
    }
    return HBS_OK;
}

static hbs_status store_weights(const replacing *r, size_t count, hb_csr *csr)
{
    hb_arena *arena = r->graph->arena;
    uint32_t *ends = hb_arena_array(arena, r->dense->n_outputs, sizeof(*ends));
    uint32_t *columns = hb_arena_array(arena, count, sizeof(*columns)), n = 0;
    double *weights = hb_arena_array(arena, count, sizeof(*weights));

    if (!ends || !columns || !weights)
        return hb_no_memory(arena->memory, r->error);
    for (size_t o = 0; o < r->dense->n_outputs; o++) {
        for (uint32_t c = 0; c < r->dense->n_features; c++)
            if (is_stored(r, o, c)) {
                columns[n] = c;
                weights[n++] = weight_of(r, o, c);
            }
        ends[o] = n;
        HB_TRY(hb_worked(&arena->memory->work, 4 * r->dense->n_features, r->error));
    }
    *csr = (hb_csr){count, ends, columns, weights};
    return HBS_OK;
}

/* With an infinite weight or bias no sum would be finite, and each tile would be summed twice. */
static bool pays(const replacing *r, size_t stored)
{
    const hb_fit_dense *dense = r->dense;

    return r->finite && stored <= UINT32_MAX &&
           UNITS_A_STORED * stored + UNITS_AN_OUTPUT * dense->n_outputs <= dense->n_outputs * dense->n_features;
}

static hbs_status replace(replacing *r, hb_node *node)
{
    hb_fit_sparse *sparse;
    size_t count;

    HB_TRY(look_at_weights(r));
    HB_TRY(count_stored(r, &count));
    if (!pays(r, count))
        return HBS_OK;
    sparse = hb_arena_array(r->graph->arena, 1, sizeof(*sparse));
    if (!sparse)
        return hb_no_memory(r->graph->arena->memory, r->error);
    *sparse = (hb_fit_sparse){.n_outputs = r->dense->n_outputs, .bias = r->dense->bias};
    HB_TRY(store_weights(r, count, &sparse->csr));
    node->kind = HB_OPERATOR_SPARSE;
    node->fit = sparse;
    r->graph->n_rewrites++;
    return HBS_OK;
}

hbs_status hb_replace_sparse(hb_graph *graph, hbs_error *error)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        hb_node *node = hb_node_at(graph, i);

        HB_TRY(hb_graph_worked(graph, 1, error));
        if (node->outputs && node->kind == HB_OPERATOR_DENSE)
            HB_TRY(replace(&(replacing){.graph = graph, .dense = node->fit, .error = error}, node));
    }
    return HBS_OK;
}
