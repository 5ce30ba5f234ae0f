/* forest_plan.h - a sealed forest compiled for a kernel, as a part of the flat plan.
 *
 * Strategy today: TreeTraversal (Hummingbird, section 4.1) on nodes of 12 bytes, eight walks in flight.
 * Another strategy is a file beside forest_traversal.c with the same two functions, and a choice here. */
#ifndef HB_FOREST_FOREST_PLAN_H
#define HB_FOREST_FOREST_PLAN_H

#include "base/flat.h"
#include "kernel/forest_kernel.h"
#include "pipeline/forest_model.h"

/* What is stored in the plan; offsets count from the beginning of the plan. */
typedef struct hb_forest_plan {
    uint64_t nodes, trees, leaf_vectors, sets, words, covers;
    uint64_t n_nodes, n_trees, n_outputs, leaf_width;
    uint64_t steps; /* of a row's walks through all trees, at most */
    uint32_t has_sets;
    uint32_t unused;
} hb_forest_plan;

/* Writes the forest and everything that belongs to it; gives the offset of its hb_forest_plan. Polls
 * the host. The covers (one float a node, beside the nodes) are kept for explanations. */
hbs_status hb_forest_compile(const hb_forest_model *forest, hb_flat *flat, const hbs_host *host,
                             uint64_t *offset, hbs_error *error);

/* The kernel's view of the forest at `offset` of the plan that begins at `base`. */
hb_flat_forest hb_forest_view(const void *base, uint64_t offset);

#endif
