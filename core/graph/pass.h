/* pass.h - the rewrites of the graph: each counts in graph->n_rewrites what it has changed. HBS_E_NOMEM, HBS_E_CANCEL.
 */
#ifndef HB_GRAPH_PASS_H
#define HB_GRAPH_PASS_H

#include "ir/graph.h"

/* Columns that no output needs are not made: selections move towards the table; models that ignore columns begin one
 * (Hummingbird, section 5.2). */
hbs_status hb_push_selection(hb_graph *graph, hbs_error *error);
hbs_status hb_inject_selection(hb_graph *graph, hbs_error *error);

/* Nodes of the same operator, parameters and inputs become one. */
hbs_status hb_common_subexpressions(hb_graph *graph, hbs_error *error);

/* Constant folding: an operator whose inputs are constants becomes one (CMLCompiler section 4.3 calls it
 * a part of redundant elimination). */
hbs_status hb_fold_constants(hb_graph *graph, hbs_error *error);

/* Redundant elimination (CMLCompiler section 4.3): what is rounded twice is rounded once. */
hbs_status hb_eliminate_redundant(hb_graph *graph, hbs_error *error);

/* Dtype rewriting (CMLCompiler section 4.3): operations in float64 that are rounded to float32 are done in float32. */
hbs_status hb_rewrite_dtypes(hb_graph *graph, hbs_error *error);

/* Weighted sums of one-hot columns add the weights that categories pick. */
hbs_status hb_fuse(hb_graph *graph, hbs_error *error);

/* Sparse operator replacing (CMLCompiler section 4.3): weighted sums most of whose weights are 0 keep the others only.
 */
hbs_status hb_replace_sparse(hb_graph *graph, hbs_error *error);

#endif
