/* forest_traversal.c - a forest in float32 as compact nodes for interleaved traversal. */
#include "forest/category_sets.h"
#include "forest/forest_parts.h"

/* Where the compiled arrays are being written. */
typedef struct output {
    const hb_forest_model *forest;
    hb_flat_node *nodes;
    float *covers;
    float *vectors; /* a row for each leaf, in the order of the nodes */
    hb_set_writer sets;
    uint32_t n_leaves;
} output;

/* dart: a float32 product, then the sum. */
static void write_leaf(output *out, const hb_tree_node *node, uint32_t self, float weight)
{
    hb_flat_node *flat = &out->nodes[self];
    size_t width = out->forest->leaf_width;
    const float *from = out->forest->leaf_vectors.items;

    flat->left = self;
    flat->test = 0;
    if (width == 1) {
        flat->as.leaf = (float)node->as.leaf * weight;
        return;
    }
    from += (size_t)node->right * width;
    for (size_t o = 0; o < width; o++)
        out->vectors[(size_t)out->n_leaves * width + o] = from[o] * weight;
    flat->as.index = out->n_leaves++;
}

static void write_test(output *out, const hb_tree_node *node, uint32_t self, uint32_t root)
{
    hb_flat_node *flat = &out->nodes[self];

    flat->left = root + (uint32_t)node->left;
    flat->test = HB_TEST_INNER | (uint32_t)node->feature;
    if (!(node->flags & HB_NODE_DEFAULT_LEFT))
        flat->test |= HB_TEST_DEFAULT_RIGHT;
    if (node->flags & HB_NODE_CATEGORIES)
        flat->test |= hb_set_write(out->forest, node, &out->sets, &flat->as.index);
    else
        flat->as.threshold = (float)node->as.threshold;
}

static void write_tree(void *context, size_t t)
{
    output *out = context;
    const uint32_t *starts = out->forest->starts.items;
    const hb_tree_node *nodes = hb_forest_nodes(out->forest);
    const float *weights = out->forest->weights.items;
    float weight = out->forest->weights.count ? weights[t] : 1.0f;

    for (uint32_t i = starts[t]; i < starts[t + 1]; i++) {
        out->covers[i] = (float)nodes[i].cover;
        if (nodes[i].left == HB_NO_CHILD)
            write_leaf(out, &nodes[i], i, weight);
        else
            write_test(out, &nodes[i], i, starts[t]);
    }
}

hbs_status hb_forest_compile_narrow(const hb_forest_model *forest, hb_flat *flat,
                                    const hbs_host *host, hb_forest_plan *plan, hbs_error *error)
{
    output out = {.forest = forest};
    hb_flat_tree *trees;
    size_t n_vectors = forest->leaf_width > 1 ? forest->n_leaves : 0;

    trees = hb_flat_reserve(flat, forest->n_trees, sizeof(*trees), &plan->trees);
    out.nodes = hb_flat_reserve(flat, forest->nodes.count, sizeof(*out.nodes), &plan->nodes);
    out.covers = hb_flat_reserve(flat, forest->nodes.count, sizeof(float), &plan->covers);
    hb_sets_reserve(forest, flat, &out.sets, &plan->sets, &plan->words);
    out.vectors = hb_flat_reserve(flat, n_vectors, forest->leaf_width * sizeof(float),
                                  &plan->leaf_vectors);
    return trees ? hb_forest_write_trees(forest, trees, host, write_tree, &out, error) : HBS_OK;
}

hb_flat_forest hb_forest_view(const void *base, uint64_t offset)
{
    const hb_forest_plan *plan = hb_flat_at(base, offset);

    return (hb_flat_forest){
        .nodes = hb_flat_at(base, plan->nodes),
        .compact = plan->compact ? hb_flat_at(base, plan->compact) : NULL,
        .trees = hb_flat_at(base, plan->trees),
        .n_nodes = plan->n_nodes,
        .n_features = plan->n_features,
        .n_trees = plan->n_trees,
        .steps = plan->steps,
        .n_outputs = plan->n_outputs,
        .leaf_width = plan->leaf_width,
        .leaf_vectors = hb_flat_at(base, plan->leaf_vectors),
        .sets = hb_flat_at(base, plan->sets),
        .words = hb_flat_at(base, plan->words),
        .has_sets = plan->has_sets,
    };
}
