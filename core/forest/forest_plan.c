/* forest_plan.c - a forest in the form that was chosen, as a part of the flat plan. */
#include "forest/forest_plan.h"

#include "forest/forest_parts.h"

hbs_status hb_forest_write_trees(const hb_forest_model *forest, const hb_tree_writer *writers, size_t n, hb_work *work,
                                 hbs_error *error)
{
    for (size_t t = 0; t < forest->n_trees; t++)
        for (size_t i = 0; i < n; i++)
            if (!writers[i].write(writers[i].context, t, work))
                return hb_work_status(work, error);
    return HBS_OK;
}

double hb_forest_leaf(const hb_forest_model *forest, size_t tree, const hb_tree_node *leaf, size_t o)
{
    const float *weights = forest->weights.items;
    float weight = forest->weights.count ? weights[tree] : 1.0f;
    size_t width = forest->leaf_width, at = (size_t)leaf->right * width + o;

    if (forest->wide)
        return width > 1 ? ((const double *)forest->leaf_vectors.items)[at] : leaf->as.leaf;
    return (double)((width > 1 ? ((const float *)forest->leaf_vectors.items)[at] : (float)leaf->as.leaf) * weight);
}

typedef struct tree_list {
    const hb_forest_model *forest;
    hb_tree *trees;
} tree_list;

static bool list_tree(void *context, size_t t, hb_work *work)
{
    const tree_list *list = context;
    const hb_forest_model *forest = list->forest;

    list->trees[t] = (hb_tree){((const uint32_t *)forest->starts.items)[t], ((const uint32_t *)forest->depths.items)[t],
                               (uint32_t)((const int32_t *)forest->groups.items)[t]};
    return hb_goes_on(work, 1);
}

/* True if a path of this plan reads TreeTraversal nodes, or a device may. In bits none does if single rows, which
 * also take the place of blocks that cannot be, have the leaf values themselves: half of such a plan would be nodes,
 * and more. */
static bool needs_nodes(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    const hb_bits_program *bits = choice->bits;

    if (choice->keep_nodes || !bits || forest->leaf_width > 1 || bits->row_form == HB_ROW_NONE)
        return true;
    for (size_t s = 0; s < bits->n_sets; s++)
        if (!bits->sets[s].is_small)
            return true;
    return false;
}

/* The nodes of TreeTraversal where they are needed, and beside them the strategy's trees. */
static hbs_status compile_trees(const hb_forest_model *forest, const hb_forest_choice *choice, hb_flat *flat,
                                hb_work *work, hb_forest_plan *plan, hbs_error *error)
{
    tree_list list = {forest, hb_flat_room(flat, forest->n_trees, sizeof(*list.trees), &plan->trees)};
    hb_node_writer32 nodes32;
    hb_node_writer64 nodes64;
    hb_compact_writer compact;
    hb_bits_writer bits;
    hb_tree_writer writers[4] = {{list_tree, &list}};
    bool nodes = needs_nodes(forest, choice);
    size_t n = 1;

    plan->has_nodes = nodes;
    if (forest->wide && nodes) {
        HB_TRY(hb_nodes_reserve64(forest, &choice->rows, flat, work, plan, &nodes64, error));
        writers[n++] = (hb_tree_writer){hb_nodes_write64, &nodes64};
    } else if (nodes) {
        HB_TRY(hb_nodes_reserve32(forest, &choice->rows, flat, work, plan, &nodes32, error));
        writers[n++] = (hb_tree_writer){hb_nodes_write32, &nodes32};
    }
    if (choice->compact.fits) {
        compact = hb_compact_reserve(forest, choice, plan->leaf_vectors, flat, &plan->compact);
        writers[n++] = (hb_tree_writer){hb_compact_write, &compact};
    }
    if (choice->bits) {
        bits = hb_bits_reserve(forest, choice->bits, flat, &plan->program);
        writers[n++] = (hb_tree_writer){hb_bits_write_tree, &bits};
    }
    return flat->base ? hb_forest_write_trees(forest, writers, n, work, error) : HBS_OK;
}

hbs_status hb_forest_compile(const hb_forest_model *forest, const hb_forest_choice *choice, hb_flat *flat,
                             hb_work *work, uint64_t *offset, hbs_error *error)
{
    size_t leaf_units = forest->leaf_width > 1 ? forest->leaf_width : 1 + (size_t)forest->most_terms;
    hb_forest_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset);
    hb_forest_plan made = {.n_nodes = forest->nodes.count,
                           .n_features = forest->n_features,
                           .n_trees = forest->n_trees,
                           .n_outputs = forest->n_outputs,
                           .leaf_width = forest->leaf_width,
                           .units = forest->levels + forest->n_trees * leaf_units,
                           .leaf_units = leaf_units,
                           .most_units = forest->deepest + leaf_units,
                           .min_rows = choice->min_rows,
                           .strategy = choice->strategy,
                           .has_category_sets = forest->has_categories};

    HB_TRY(compile_trees(forest, choice, flat, work, &made, error));
    if (choice->strategy == HBS_STRATEGY_GEMM)
        HB_TRY(hb_gemm_write(forest, &choice->gemm, flat, work, &made.program, error));
    if (choice->strategy == HBS_STRATEGY_PTT)
        HB_TRY(hb_ptt_write(forest, &choice->ptt, flat, work, &made.program, error));
    if (plan)
        *plan = made;
    return HBS_OK;
}

enum { NEAR_BYTES = 128 << 10, NEAR_ROWS = 512, FAR_BYTES = 2 << 20, FAR_ROWS = 4096 };

/* For walks: the larger the forest, the more rows should go down a tree before the next tree takes its place in
 * the caches. */
size_t hb_forest_block(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    size_t bytes = forest->nodes.count * (forest->wide ? sizeof(hb_node64) : sizeof(hb_node32));

    switch (choice->strategy) {
    case HBS_STRATEGY_BITS:
        return HB_BITS_ROWS;
    case HBS_STRATEGY_GEMM:
        return HB_GEMM_ROWS;
    default:
        return bytes > FAR_BYTES ? FAR_ROWS : bytes > NEAR_BYTES ? NEAR_ROWS : 0;
    }
}

static size_t bits_work(const hb_bits_program *program)
{
    const hb_bits_forest forest = {.n_predicates = program->n_predicates, .n_slots = program->n_slots};

    return hb_bits_work(&forest);
}

static size_t gemm_work(const hb_forest_model *model, const hb_gemm_program *program)
{
    const hb_gemm_forest forest = {.n_features = model->n_features,
                                   .leaf_width = model->leaf_width,
                                   .most_tests = program->most_tests,
                                   .most_leaves = program->most_leaves};

    return hb_gemm_room_of(&forest).end * (model->wide ? sizeof(double) : sizeof(float));
}

hb_forest_room hb_forest_work(const hb_forest_model *forest, const hb_forest_choice *choice)
{
    switch (choice->strategy) {
    case HBS_STRATEGY_BITS:
        return (hb_forest_room){.tile = bits_work(choice->bits)};
    case HBS_STRATEGY_GEMM:
        return (hb_forest_room){.tile = gemm_work(forest, &choice->gemm)};
    default:
        return choice->compact.fits
                   ? (hb_forest_room){.run = sizeof(hb_compact_items), .row = forest->n_features * sizeof(float)}
                   : (hb_forest_room){.tile = 0};
    }
}
