/* forest_nodes32.c - a forest in float32 as compact nodes for interleaved traversal. */
#include <string.h>

#include "forest/forest_parts.h"

enum { PLAIN_NODES = 4096, UNITS_A_NODE = 4 };

/* dart: a float32 product, then the sum. */
static void write_leaf(hb_node_writer32 *out, const hb_tree_node *node, uint32_t self, float weight)
{
    hb_node32 *flat = &out->nodes[self];
    size_t width = out->forest->leaf_width;
    const float *from = out->forest->leaf_vectors.items;

    flat->left = self;
    flat->test = 0;
    if (width == 1) {
        flat->as.leaf = (float)node->as.leaf * weight;
        return;
    }
    if (out->rows->row_of) {
        flat->as.index = out->rows->row_of[node->right];
        return;
    }
    from += (size_t)node->right * width;
    for (size_t o = 0; o < width; o++)
        out->vectors[(size_t)out->n_leaves * width + o] = from[o] * weight;
    flat->as.index = out->n_leaves++;
}

static void write_test(hb_node_writer32 *out, const hb_tree_node *node, uint32_t self, uint32_t root, hb_work *work)
{
    hb_node32 *flat = &out->nodes[self];

    flat->left = root + (uint32_t)node->left;
    flat->test = HB_TEST_INNER | (uint32_t)node->feature;
    if (!(node->flags & HB_NODE_DEFAULT_LEFT))
        flat->test |= HB_TEST_DEFAULT_RIGHT;
    if (node->flags & HB_NODE_CATEGORIES)
        flat->test |= hb_category_set_write(out->forest, node, &out->sets, work, &flat->as.index);
    else
        flat->as.threshold = (float)node->as.threshold;
}

/* A tree of numbers and leaves of one value. Without a branch: no CPU guesses which nodes are leaves. */
static void write_plain_nodes(hb_node_writer32 *out, uint32_t root, uint32_t first, uint32_t end, float weight)
{
    const hb_tree_node *nodes = hb_forest_nodes(out->forest);

    for (uint32_t i = first; i < end; i++) {
        const hb_tree_node *node = &nodes[i];
        uint32_t inner = node->left == HB_NO_CHILD ? 0 : UINT32_MAX;
        uint32_t right = node->flags & HB_NODE_DEFAULT_LEFT ? 0 : HB_TEST_DEFAULT_RIGHT;
        float number = (float)node->as.leaf; /* or the threshold */

        out->nodes[i] = (hb_node32){.as.leaf = inner ? number : number * weight,
                                    .left = ((root + (uint32_t)node->left) & inner) | (i & ~inner),
                                    .test = (HB_TEST_INNER | right | (uint32_t)node->feature) & inner};
    }
}

bool hb_nodes_write32(void *writer, size_t t, hb_work *work)
{
    hb_node_writer32 *out = writer;
    const uint32_t *starts = out->forest->starts.items;
    const hb_tree_node *nodes = hb_forest_nodes(out->forest);
    const float *weights = out->forest->weights.items;
    float weight = out->forest->weights.count ? weights[t] : 1.0f;
    bool plain = !out->forest->has_categories && out->forest->leaf_width == 1;
    uint32_t n;

    for (uint32_t i = starts[t]; i < starts[t + 1]; i += n) {
        n = plain ? starts[t + 1] - i : 1;
        n = n < PLAIN_NODES ? n : PLAIN_NODES;
        if (!hb_goes_on(work, plain ? UNITS_A_NODE * n : UNITS_A_NODE + out->forest->leaf_width))
            return false;
        if (plain)
            write_plain_nodes(out, starts[t], i, i + n, weight);
        else if (nodes[i].left == HB_NO_CHILD)
            write_leaf(out, &nodes[i], i, weight);
        else
            write_test(out, &nodes[i], i, starts[t], work);
    }
    return !work->stopped;
}

/* Those that are different; there are no weights then. */
static hbs_status write_vectors(const hb_node_writer32 *out, hb_work *work, hbs_error *error)
{
    size_t width = out->forest->leaf_width;
    const float *from = out->forest->leaf_vectors.items;

    for (size_t k = 0; out->vectors && out->rows->row_of && k < out->rows->n; k++) {
        HB_TRY(hb_worked(work, UNITS_A_NODE, error));
        memcpy(out->vectors + k * width, from + out->rows->first[k] * width, width * sizeof(*from));
    }
    return HBS_OK;
}

hbs_status hb_nodes_reserve32(const hb_forest_model *forest, const hb_leaf_rows *rows, hb_flat *flat, hb_work *work,
                              hb_forest_plan *plan, hb_node_writer32 *out, hbs_error *error)
{
    size_t n_vectors = forest->leaf_width == 1 ? 0 : rows->row_of ? rows->n : forest->n_leaves;

    plan->n_vectors = n_vectors;
    *out = (hb_node_writer32){.forest = forest, .rows = rows};
    out->nodes = hb_flat_room(flat, forest->nodes.count, sizeof(*out->nodes), &plan->nodes);
    HB_TRY(hb_category_sets_reserve(forest, flat, work, &out->sets, &plan->sets, &plan->words, error));
    plan->n_sets = out->sets.all_sets;
    out->vectors = hb_flat_room(flat, n_vectors, forest->leaf_width * sizeof(float), &plan->leaf_vectors);
    return write_vectors(out, work, error);
}

hb_forest32 hb_forest_view32(const void *base, uint64_t offset)
{
    const hb_forest_plan *plan = hb_flat_at(base, offset);

    return (hb_forest32){
        .nodes = hb_flat_at(base, plan->nodes),
        .trees = hb_flat_at(base, plan->trees),
        .n_nodes = plan->n_nodes,
        .n_features = plan->n_features,
        .n_trees = plan->n_trees,
        .units = plan->units,
        .leaf_units = plan->leaf_units,
        .most_units = plan->most_units,
        .n_outputs = plan->n_outputs,
        .leaf_width = plan->leaf_width,
        .leaf_vectors = hb_flat_at(base, plan->leaf_vectors),
        .sets = hb_flat_at(base, plan->sets),
        .words = hb_flat_at(base, plan->words),
        .has_category_sets = plan->has_category_sets,
    };
}
