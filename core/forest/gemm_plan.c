/* gemm_plan.c - the trees of the strategy "gemm" as a part of the flat plan. */
#include "forest/forest_parts.h"

/* Offsets count from the beginning of the plan. */
typedef struct hb_gemm_plan {
    uint64_t trees, nodes;
    uint64_t n_features, n_outputs, leaf_width, most_tests, most_leaves;
} hb_gemm_plan;

enum { UNITS_A_NODE = 2 };

/* Tests first, then leaves. */
static void write_tree(const hb_forest_model *forest, size_t t, hb_gemm_tree *tree, hb_gemm_node *to)
{
    const uint32_t *starts = forest->starts.items;
    const hb_tree_node *nodes = hb_forest_nodes(forest) + starts[t];
    uint32_t ups[2 * HB_GEMM_LEAVES] = {HB_GEMM_ROOT}, n = starts[t + 1] - starts[t], tests = 0, leaves = 0;

    *tree = (hb_gemm_tree){.tests = starts[t],
                           .leaves = starts[t] + n / 2,
                           .n_tests = n / 2,
                           .n_leaves = n - n / 2,
                           .output = (uint32_t)((const int32_t *)forest->groups.items)[t]};
    for (uint32_t i = 0; i < n; i++) {
        const hb_gemm_node node = {starts[t] + i, ups[i]};

        if (nodes[i].left == HB_NO_CHILD) {
            to[tree->leaves + leaves++] = node;
            continue;
        }
        ups[nodes[i].left] = 2 * tests;
        ups[nodes[i].left + 1] = 2 * tests + 1;
        to[tree->tests + tests++] = node;
    }
}

hbs_status hb_gemm_write(const hb_forest_model *forest, const hb_gemm_program *program, hb_flat *flat, hb_work *work,
                         uint64_t *offset, hbs_error *error)
{
    const uint32_t *starts = forest->starts.items;
    hb_gemm_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset);
    hb_gemm_plan made = {.n_features = forest->n_features,
                         .n_outputs = forest->n_outputs,
                         .leaf_width = forest->leaf_width,
                         .most_tests = program->most_tests,
                         .most_leaves = program->most_leaves};
    hb_gemm_tree *trees = hb_flat_reserve(flat, forest->n_trees, sizeof(*trees), &made.trees);
    hb_gemm_node *nodes = hb_flat_reserve(flat, forest->nodes.count, sizeof(*nodes), &made.nodes);

    if (!plan)
        return HBS_OK;
    *plan = made;
    for (size_t t = 0; t < forest->n_trees; t++) {
        HB_TRY(hb_worked(work, UNITS_A_NODE * (starts[t + 1] - starts[t]), error));
        write_tree(forest, t, &trees[t], nodes);
    }
    return HBS_OK;
}

hb_gemm_forest hb_gemm_view(const void *base, uint64_t offset)
{
    const hb_gemm_plan *plan = hb_flat_at(base, offset);

    return (hb_gemm_forest){
        .trees = hb_flat_at(base, plan->trees),
        .nodes = hb_flat_at(base, plan->nodes),
        .n_features = plan->n_features,
        .n_outputs = plan->n_outputs,
        .leaf_width = plan->leaf_width,
        .most_tests = plan->most_tests,
        .most_leaves = plan->most_leaves,
    };
}
