/* forest_plan.h - a sealed forest compiled for a kernel, as a part of the flat plan.
 *
 * Strategy today: TreeTraversal (Hummingbird, section 4.1), eight walks in flight, in float32
 * (forest_traversal.c) or float64 (forest_wide.c). Another strategy is a file beside them with a compile
 * and a view function, and a choice in forest_plan.c. */
#ifndef HB_FOREST_FOREST_PLAN_H
#define HB_FOREST_FOREST_PLAN_H

#include "base/flat.h"
#include "kernel/forest_wide_kernel.h"
#include "pipeline/forest_model.h"

/* What is stored in the plan; offsets count from the beginning of the plan. */
typedef struct hb_forest_plan {
    uint64_t nodes, trees, leaf_vectors, sets, words, covers;
    uint64_t linear, linear_features, linear_coefficients; /* float64 only */
    uint64_t n_nodes, n_trees, n_outputs, leaf_width;
    uint64_t steps; /* of a row's walks through all trees, at most */
    uint32_t has_sets;
    uint32_t unused;
} hb_forest_plan;

/* Writes the forest and everything that belongs to it; gives the offset of its hb_forest_plan. Polls
 * the host. The covers (one number a node, beside the nodes) are kept for explanations. */
hbs_status hb_forest_compile(const hb_forest_model *forest, hb_flat *flat, const hbs_host *host,
                             uint64_t *offset, hbs_error *error);

/* The strategy's name, for people. */
const char *hb_forest_strategy(void);

/* The kernel's view of the forest at `offset` of the plan that begins at `base`: of one in float32, and
 * of one in float64. */
hb_flat_forest hb_forest_view(const void *base, uint64_t offset);
hb_wide_forest hb_wide_forest_view(const void *base, uint64_t offset);

#endif
