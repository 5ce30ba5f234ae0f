/* passes.h - from the nodes of a sealed pipeline to the graph that a plan runs: lowering, then rewrites, none of which
 * changes a bit of any output. */
#ifndef HB_GRAPH_PASSES_H
#define HB_GRAPH_PASSES_H

#include "ir/pipeline.h"

/* Lowers every operator of a sealed pipeline and names the outputs. `graph` is not used before; hb_graph_release frees
 * it, also after an error. HBS_E_NOMEM, HBS_E_LIMIT, HBS_E_CANCEL. */
hbs_status hb_graph_lower(hb_graph *graph, const hb_pipeline *pipeline, hb_arena *arena, hbs_error *error);

/* Runs the passes that are not in `passes_off` (HBS_PASS_...), then marks which node each output needs. */
hbs_status hb_graph_optimize(hb_graph *graph, uint32_t passes_off, hbs_error *error);

/* The same one by one: the name and bit of pass i (NULL: there are no more), what its report counts, whether it is
 * switched off, the pass. */
const char *hb_pass_name(size_t i, uint32_t *bit);
const char *hb_pass_unit(size_t i);
bool hb_pass_is_off(size_t i, uint32_t passes_off);
hbs_status hb_pass_run(hb_graph *graph, size_t i, hbs_error *error);

#endif
