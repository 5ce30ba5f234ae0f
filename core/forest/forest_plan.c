/* forest_plan.c - picks the form that a forest is compiled to. */
#include "forest/forest_plan.h"

#include "forest/forest_parts.h"

static uint64_t count_steps(const hb_forest_model *forest)
{
    uint64_t steps = 0;

    for (size_t t = 0; t < forest->n_trees; t++)
        steps += (uint64_t)((const uint32_t *)forest->depths.items)[t] + 1;
    return steps;
}

enum { NODES_A_POLL = 1 << 14 };

hbs_status hb_forest_write_trees(const hb_forest_model *forest, hb_flat_tree *trees,
                                 const hbs_host *host, void (*write)(void *context, size_t tree),
                                 void *context, hbs_error *error)
{
    const uint32_t *starts = forest->starts.items, *depths = forest->depths.items;
    uint32_t polled = 0;

    for (size_t t = 0; t < forest->n_trees; t++) {
        if (starts[t + 1] - polled > NODES_A_POLL) {
            HB_TRY(hb_poll(host, error));
            polled = starts[t];
        }
        trees[t] = (hb_flat_tree){starts[t], depths[t],
                                  (uint32_t)((const int32_t *)forest->groups.items)[t]};
        write(context, t);
    }
    return HBS_OK;
}

hbs_status hb_forest_compile(const hb_forest_model *forest, hb_flat *flat, const hbs_host *host,
                             uint64_t *offset, hbs_error *error)
{
    hb_forest_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset);
    hb_forest_plan made = {.n_nodes = forest->nodes.count,
                           .n_trees = forest->n_trees,
                           .n_outputs = forest->n_outputs,
                           .leaf_width = forest->leaf_width,
                           .steps = count_steps(forest),
                           .has_sets = forest->has_categories};

    HB_TRY(forest->wide ? hb_forest_compile_wide(forest, flat, host, &made, error)
                        : hb_forest_compile_narrow(forest, flat, host, &made, error));
    if (plan)
        *plan = made;
    return HBS_OK;
}

const char *hb_forest_strategy(void)
{
    return "tree_traversal";
}
