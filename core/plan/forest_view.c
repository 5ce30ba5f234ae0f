/* forest_view.c - the forest of a plan as a device gets it: from the nodes of TreeTraversal, whose format stays the
 * core's own. */
#include "plan/device.h"

static hb_forest32 narrow_of(const hbs_forest_view *view)
{
    return hb_forest_view32(view->plan, (uint64_t)((const char *)view->forest - (const char *)view->plan));
}

static hb_forest64 wide_of(const hbs_forest_view *view)
{
    return hb_forest_view64(view->plan, (uint64_t)((const char *)view->forest - (const char *)view->plan));
}

static const hb_tree *trees_of(const hbs_forest_view *view)
{
    return hb_flat_at(view->plan, ((const hb_forest_plan *)view->forest)->trees);
}

static size_t count_nodes(const hbs_forest_view *view, size_t t, uint32_t *output)
{
    const hb_tree *trees = trees_of(view);
    size_t end = t + 1 < view->n_trees ? trees[t + 1].root : view->n_nodes;

    *output = trees[t].output;
    return end - trees[t].root;
}

static uint32_t flags_of(uint32_t test)
{
    uint32_t flags = 0;

    if (test & HB_TEST_INNER)
        flags |= HBS_FOREST_INNER;
    if (test & HB_TEST_DEFAULT_RIGHT)
        flags |= HBS_FOREST_DEFAULT_RIGHT;
    if (test & HB_TEST_SET)
        flags |= HBS_FOREST_SET;
    if (test & HB_TEST_SMALL_SET)
        flags |= HBS_FOREST_SMALL_SET;
    return flags;
}

static uint32_t flags_of_wide(uint32_t test)
{
    uint32_t flags = flags_of(test);

    if (!(test & HB_TEST_INNER))
        return test & HB_LEAF_LINEAR ? HBS_FOREST_LINEAR : 0;
    if (test & HB_TEST_NAN_MISSING)
        flags |= HBS_FOREST_NAN_MISSING;
    if (test & HB_TEST_ZERO_MISSING)
        flags |= HBS_FOREST_ZERO_MISSING;
    return flags;
}

static void write_narrow(const hbs_forest_view *view, size_t t, hbs_forest_node *to)
{
    const hb_forest32 forest = narrow_of(view);
    uint32_t root = forest.trees[t].root, output;
    size_t n = count_nodes(view, t, &output);

    for (size_t i = 0; i < n; i++) {
        const hb_node32 *node = &forest.nodes[root + i];
        uint32_t flags = flags_of(node->test);
        bool number =
            !(flags & (HBS_FOREST_SET | HBS_FOREST_SMALL_SET)) && (flags & HBS_FOREST_INNER || forest.leaf_width == 1);

        to[i] = (hbs_forest_node){.threshold = number ? (double)node->as.threshold : 0,
                                  .left = node->left - root,
                                  .feature = node->test & HB_TEST_FEATURE,
                                  .flags = flags,
                                  .index = number ? 0 : node->as.index};
    }
}

static void write_wide(const hbs_forest_view *view, size_t t, hbs_forest_node *to)
{
    const hb_forest64 forest = wide_of(view);
    uint32_t root = forest.trees[t].root, output;
    size_t n = count_nodes(view, t, &output);

    for (size_t i = 0; i < n; i++) {
        const hb_node64 *node = &forest.nodes[root + i];
        uint32_t flags = flags_of_wide(node->test);
        bool number = !(flags & (HBS_FOREST_SET | HBS_FOREST_SMALL_SET | HBS_FOREST_LINEAR)) &&
                      (flags & HBS_FOREST_INNER || forest.leaf_width == 1);

        to[i] = (hbs_forest_node){.threshold = number ? node->as.threshold : 0,
                                  .left = node->left - root,
                                  .feature = node->test & HB_TEST_FEATURE64,
                                  .flags = flags,
                                  .index = number ? 0 : node->as.index};
    }
}

static void give_set(const hbs_forest_view *view, uint32_t index, hbs_forest_set *set)
{
    const hb_forest_plan *forest = view->forest;
    const hb_category_set *from = (const hb_category_set *)hb_flat_at(view->plan, forest->sets) + index;
    const uint32_t *words = hb_flat_at(view->plan, forest->words);

    *set = (hbs_forest_set){words + from->first, from->count, from->is_list};
}

const hb_step *hb_plan_forest_step(const hb_plan_header *plan)
{
    const hb_step *steps = hb_plan_at(plan, plan->steps), *found = NULL;

    for (size_t i = 0; i < plan->n_steps; i++) {
        if (steps[i].kind != HB_OPERATOR_TREE_ENSEMBLE)
            continue;
        if (found)
            return NULL;
        found = &steps[i];
    }
    return found;
}

hbs_status hb_plan_forest(const hbs_plan *plan, hbs_forest_view *view, hbs_error *error)
{
    const hb_step *step = hb_plan_forest_step(plan->header);
    const hb_forest_plan *forest;
    bool wide;

    if (!step)
        return hb_fail(error, HBS_E_UNSUPPORTED, "the plan has no tree ensemble, or several");
    forest = hb_plan_at(plan->header, step->fit);
    wide = step->dtype == HB_DTYPE_FLOAT64;
    if (!forest->has_nodes)
        return hb_fail(error, HBS_E_UNSUPPORTED, "the plan was compiled without the nodes of its trees");
    *view = (hbs_forest_view){.wide = wide,
                              .n_trees = forest->n_trees,
                              .n_nodes = forest->n_nodes,
                              .n_features = forest->n_features,
                              .n_outputs = forest->n_outputs,
                              .leaf_width = forest->leaf_width,
                              .vectors = hb_plan_at(plan->header, forest->leaf_vectors),
                              .n_vectors = forest->n_vectors,
                              .n_sets = forest->n_sets,
                              .count = count_nodes,
                              .tree = wide ? write_wide : write_narrow,
                              .set = give_set,
                              .plan = plan->header,
                              .forest = forest};
    return HBS_OK;
}
