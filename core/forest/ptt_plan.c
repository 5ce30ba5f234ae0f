/* ptt_plan.c - the perfect trees of the strategy "ptt" as a part of the flat plan. */
#include "forest/forest_parts.h"

/* Offsets count from the beginning of the plan. */
typedef struct hb_ptt_plan {
    uint64_t trees, nodes, thresholds, tests, leaves;
    uint64_t is_float64, leaf_width;
} hb_ptt_plan;

/* Where the arrays are being written. */
typedef struct output {
    const hb_forest_model *forest;
    uint32_t *node_at; /* of the tree being written: the node at each place, the root at 1; below a leaf the same */
    hb_ptt_tree *trees;
    hb_ptt_node *nodes;
    double *thresholds;
    uint32_t *tests;
    void *leaves;
    size_t n_places;
} output;

static void place_nodes(const hb_tree_node *nodes, uint32_t depth, uint32_t *node_at)
{
    node_at[0] = node_at[1] = 0;
    for (size_t i = 1; i < (size_t)1 << depth; i++) {
        const hb_tree_node *node = &nodes[node_at[i]];
        bool leaf = node->left == HB_NO_CHILD;

        node_at[2 * i] = leaf ? node_at[i] : (uint32_t)node->left;
        node_at[2 * i + 1] = leaf ? node_at[i] : (uint32_t)node->left + 1;
    }
}

static uint32_t test_of(const hb_tree_node *node)
{
    uint32_t test = HB_TEST_INNER | (uint32_t)node->feature;

    if (!(node->flags & HB_NODE_DEFAULT_LEFT))
        test |= HB_TEST_DEFAULT_RIGHT;
    if (node->flags & HB_NODE_NAN_MISSING)
        test |= HB_TEST_NAN_MISSING;
    if (node->flags & HB_NODE_ZERO_MISSING)
        test |= HB_TEST_ZERO_MISSING;
    return test;
}

/* Place `i` of the tree; 0 is padding too. */
static void write_node(const output *out, const hb_tree_node *node, size_t i)
{
    bool inner = i > 0 && node->left != HB_NO_CHILD;
    uint32_t test = inner ? test_of(node) : 0;
    double threshold = inner ? node->as.threshold : 0;

    if (out->forest->wide) {
        out->thresholds[out->n_places + i] = threshold;
        out->tests[out->n_places + i] = test;
    } else {
        out->nodes[out->n_places + i] = (hb_ptt_node){(float)threshold, test};
    }
}

static void write_leaf(const output *out, size_t tree, const hb_tree_node *leaf, size_t i, size_t size)
{
    size_t width = out->forest->leaf_width;

    for (size_t o = 0; o < width; o++) {
        size_t at = out->n_places * width + o * size + i;
        double number = hb_forest_leaf(out->forest, tree, leaf, o);

        if (out->forest->wide)
            ((double *)out->leaves)[at] = number;
        else
            ((float *)out->leaves)[at] = (float)number;
    }
}

/* False where the host wants to stop. */
static bool write_tree(output *out, size_t t, hb_work *work)
{
    enum { UNITS_A_PLACE = 4 };
    const hb_forest_model *forest = out->forest;
    const hb_tree_node *nodes = hb_forest_nodes(forest) + ((const uint32_t *)forest->starts.items)[t];
    uint32_t depth = ((const uint32_t *)forest->depths.items)[t];
    size_t size = (size_t)1 << depth;

    place_nodes(nodes, depth, out->node_at);
    out->trees[t] = (hb_ptt_tree){.nodes = (uint32_t)out->n_places,
                                  .leaves = (uint32_t)(out->n_places * forest->leaf_width),
                                  .depth = depth,
                                  .output = (uint32_t)((const int32_t *)forest->groups.items)[t]};
    for (size_t i = 0; i < size; i++) {
        if (!hb_goes_on(work, UNITS_A_PLACE + 2 * forest->leaf_width))
            return false;
        write_node(out, &nodes[out->node_at[i]], i);
        write_leaf(out, t, &nodes[out->node_at[size + i]], i, size);
    }
    out->n_places += size;
    return true;
}

hbs_status hb_ptt_write(const hb_forest_model *forest, const hb_ptt_program *program, hb_flat *flat, hb_work *work,
                        uint64_t *offset, hbs_error *error)
{
    size_t n = program->n_places, n_nodes32 = forest->wide ? 0 : n, n_nodes64 = n - n_nodes32;
    hb_ptt_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset);
    hb_ptt_plan made = {.is_float64 = forest->wide, .leaf_width = forest->leaf_width};
    output out = {.forest = forest, .node_at = program->node_at};

    out.trees = hb_flat_reserve(flat, forest->n_trees, sizeof(*out.trees), &made.trees);
    out.nodes = hb_flat_reserve(flat, n_nodes32, sizeof(*out.nodes), &made.nodes);
    out.thresholds = hb_flat_reserve(flat, n_nodes64, sizeof(double), &made.thresholds);
    out.tests = hb_flat_reserve(flat, n_nodes64, sizeof(uint32_t), &made.tests);
    out.leaves = hb_flat_reserve(flat, program->n_places * forest->leaf_width,
                                 forest->wide ? sizeof(double) : sizeof(float), &made.leaves);
    if (!plan)
        return HBS_OK;
    *plan = made;
    for (size_t t = 0; t < forest->n_trees; t++)
        if (!write_tree(&out, t, work))
            return hb_work_status(work, error);
    return HBS_OK;
}

hb_ptt_forest hb_ptt_view(const void *base, uint64_t offset)
{
    const hb_ptt_plan *plan = hb_flat_at(base, offset);

    return (hb_ptt_forest){
        .trees = hb_flat_at(base, plan->trees),
        .nodes = hb_flat_at(base, plan->nodes),
        .thresholds = hb_flat_at(base, plan->thresholds),
        .tests = hb_flat_at(base, plan->tests),
        .leaves = hb_flat_at(base, plan->leaves),
        .is_float64 = plan->is_float64,
        .leaf_width = plan->leaf_width,
    };
}
