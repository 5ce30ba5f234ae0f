/* gemm_program.c - which forests can be products of matrices, exactly. */
#include <math.h>

#include "forest/forest_parts.h"

/* A number that is not itself when it is multiplied by 1 and zeros are added, or makes other products NaN. */
static bool is_odd(double leaf)
{
    return isinf(leaf) || isnan(leaf) || (leaf == 0 && signbit(leaf));
}

static bool has_odd_leaf(const hb_forest_model *forest, size_t tree, hb_work *work)
{
    const uint32_t *starts = forest->starts.items;

    for (uint32_t i = starts[tree]; i < starts[tree + 1]; i++) {
        const hb_tree_node *node = hb_forest_nodes(forest) + i;

        for (size_t o = 0; node->left == HB_NO_CHILD && o < forest->leaf_width && hb_goes_on(work, 1); o++)
            if (is_odd(hb_forest_leaf(forest, tree, node, o)))
                return true;
    }
    return false;
}

static const char *obstacle(const hb_forest_model *forest)
{
    if (forest->linear_leaves.count)
        return "linear leaves";
    if (forest->has_categories)
        return "sets of categories";
    if (forest->leaf_width > HB_GEMM_WIDTH)
        return "leaves of many outputs";
    return forest->n_features > HB_GEMM_FEATURES ? "many features" : NULL;
}

static const char *tree_obstacle(const hb_forest_model *forest, size_t tree, size_t n_leaves, hb_work *work)
{
    if (n_leaves > HB_GEMM_LEAVES)
        return "trees of many leaves";
    if (hb_gemm_products(forest, n_leaves) > HB_GEMM_WEIGHTS)
        return "large trees of many features";
    return has_odd_leaf(forest, tree, work) ? "an infinity or -0.0 among the leaves" : NULL;
}

hbs_status hb_gemm_compile(const hb_forest_model *forest, hb_work *work, hb_gemm_program *program, const char **why,
                           hbs_error *error)
{
    const uint32_t *starts = forest->starts.items;

    *program = (hb_gemm_program){.most_tests = 0};
    *why = obstacle(forest);
    for (size_t t = 0; !*why && t < forest->n_trees; t++) {
        size_t n_leaves = (starts[t + 1] - starts[t] + 1) / 2; /* every test has two children */

        HB_TRY(hb_worked(work, 4 + n_leaves, error));
        program->most_leaves = n_leaves > program->most_leaves ? n_leaves : program->most_leaves;
        program->products += (double)hb_gemm_products(forest, n_leaves);
        *why = tree_obstacle(forest, t, n_leaves, work);
        HB_TRY(hb_work_status(work, error));
    }
    program->most_tests = program->most_leaves ? program->most_leaves - 1 : 0;
    return HBS_OK;
}
