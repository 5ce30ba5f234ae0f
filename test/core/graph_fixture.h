/* graph_fixture.h - a pipeline that a test makes, lowered, and passes run on its graph. */
#ifndef HB_TEST_GRAPH_FIXTURE_H
#define HB_TEST_GRAPH_FIXTURE_H

#include "models.h"

#include "graph/passes.h"

typedef struct graph_fixture {
    test_host host;
    test_pipeline p;
    hb_arena arena;
    hb_graph graph;
    hbs_error error;
} graph_fixture;

/* An empty pipeline of so many features, to which the test adds operators. Nothing may be left at the end. */
test_pipeline *graph_begin(graph_fixture *f, size_t n_features);
void graph_end(graph_fixture *f);
/* Seals it and lowers it. */
void graph_lower(graph_fixture *f);
/* All passes but these run; these alone; both in their order. */
void graph_optimize(graph_fixture *f, uint32_t passes_off);
void graph_run(graph_fixture *f, uint32_t passes);

/* Adds a node to the lowered graph; `other` 0: it has one input. */
uint32_t graph_add(graph_fixture *f, hb_operator_kind kind, uint32_t input, uint32_t other, const void *fit);
uint32_t graph_constant(graph_fixture *f, const double *numbers, size_t n);

const hb_node *graph_node(const graph_fixture *f, size_t i);
/* The node that is an output, by its bit; HB_NO_NODE. */
size_t graph_output(const graph_fixture *f, uint32_t bit);
/* Node i's parameters. */
#define GRAPH_FIT(f, i, name) ((const hb_fit_##name *)graph_node(f, i)->fit)

void graph_is(const graph_fixture *f, size_t i, hb_operator_kind kind, size_t width, bool constant);
/* The nodes from an output back to the table, by their first inputs, must be these: "subtract:2 select:2 encode:5
 * table:5".
 */
void graph_chain_is(const graph_fixture *f, uint32_t bit, const char *chain);
/* Report i. */
void graph_report_is(const graph_fixture *f, size_t i, const char *name, uint32_t rewrites, uint32_t before,
                     uint32_t after);
/* The first node of the kind that some output needs. */
size_t graph_find(const graph_fixture *f, hb_operator_kind kind);
/* How many nodes some output needs. */
size_t graph_count(const graph_fixture *f);
/* How many of them are of the kind. */
size_t graph_count_kind(const graph_fixture *f, hb_operator_kind kind);

#endif
