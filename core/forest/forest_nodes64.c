/* forest_nodes64.c - a forest in float64 as nodes for interleaved traversal. */
#include <string.h>

#include "forest/forest_parts.h"

enum { PLAIN_NODES = 4096, UNITS_A_NODE = 4 };

static void write_vector(hb_node_writer64 *out, const hb_tree_node *node, hb_node64 *flat)
{
    size_t width = out->forest->leaf_width;
    const double *from = out->forest->leaf_vectors.items;

    flat->as.leaf = 0;
    if (out->rows->row_of) {
        flat->as.index = out->rows->row_of[node->right];
        return;
    }
    memcpy(out->vectors + (size_t)out->n_leaves * width, from + (size_t)node->right * width, width * sizeof(*from));
    flat->as.index = out->n_leaves++;
}

/* Those that are different. */
static hbs_status write_vectors(const hb_node_writer64 *out, hb_work *work, hbs_error *error)
{
    size_t width = out->forest->leaf_width;
    const double *from = out->forest->leaf_vectors.items;

    for (size_t k = 0; out->vectors && out->rows->row_of && k < out->rows->n; k++) {
        HB_TRY(hb_worked(work, UNITS_A_NODE, error));
        memcpy(out->vectors + k * width, from + out->rows->first[k] * width, width * sizeof(*from));
    }
    return HBS_OK;
}

static void write_leaf(hb_node_writer64 *out, const hb_tree_node *node, uint32_t self)
{
    const hb_linear_leaf *linear = out->forest->linear_leaves.items;
    hb_node64 *flat = &out->nodes[self];

    flat->left = self;
    flat->test = 0;
    flat->as.leaf = node->as.leaf;
    if (out->forest->leaf_width > 1) {
        write_vector(out, node, flat);
        return;
    }
    if (node->right == HB_NO_CHILD)
        return;
    linear += node->right;
    out->linear[out->n_linear] = (hb_linear64){
        .constant = linear->constant, .fallback = node->as.leaf, .first = linear->first, .count = linear->count};
    flat->test = HB_LEAF_LINEAR;
    flat->as.leaf = 0;
    flat->as.index = out->n_linear++;
}

static void write_test(hb_node_writer64 *out, const hb_tree_node *node, uint32_t self, uint32_t root, hb_work *work)
{
    hb_node64 *flat = &out->nodes[self];

    flat->left = root + (uint32_t)node->left;
    flat->test = HB_TEST_INNER | (uint32_t)node->feature;
    flat->as.threshold = 0;
    if (!(node->flags & HB_NODE_DEFAULT_LEFT))
        flat->test |= HB_TEST_DEFAULT_RIGHT;
    if (node->flags & HB_NODE_CATEGORIES) {
        flat->test |= hb_category_set_write(out->forest, node, &out->sets, work, &flat->as.index);
        return;
    }
    if (node->flags & HB_NODE_NAN_MISSING)
        flat->test |= HB_TEST_NAN_MISSING;
    if (node->flags & HB_NODE_ZERO_MISSING)
        flat->test |= HB_TEST_ZERO_MISSING;
    flat->as.threshold = node->as.threshold;
}

/* A tree of numbers and leaves of one value. Without a branch: no CPU guesses which nodes are leaves. */
static void write_plain_nodes(hb_node_writer64 *out, uint32_t root, uint32_t first, uint32_t end)
{
    const hb_tree_node *nodes = hb_forest_nodes(out->forest);

    for (uint32_t i = first; i < end; i++) {
        const hb_tree_node *node = &nodes[i];
        uint32_t inner = node->left == HB_NO_CHILD ? 0 : UINT32_MAX;
        uint32_t test = HB_TEST_INNER | (uint32_t)node->feature;

        test |= node->flags & HB_NODE_DEFAULT_LEFT ? 0 : HB_TEST_DEFAULT_RIGHT;
        test |= node->flags & HB_NODE_NAN_MISSING ? HB_TEST_NAN_MISSING : 0;
        test |= node->flags & HB_NODE_ZERO_MISSING ? HB_TEST_ZERO_MISSING : 0;
        out->nodes[i] = (hb_node64){.as.leaf = node->as.leaf, /* or the threshold */
                                    .left = ((root + (uint32_t)node->left) & inner) | (i & ~inner),
                                    .test = test & inner};
    }
}

bool hb_nodes_write64(void *writer, size_t t, hb_work *work)
{
    hb_node_writer64 *out = writer;
    const hb_forest_model *forest = out->forest;
    const uint32_t *starts = forest->starts.items;
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    bool plain = !forest->has_categories && forest->leaf_width == 1 && !forest->linear_leaves.count;
    uint32_t n;

    for (uint32_t i = starts[t]; i < starts[t + 1]; i += n) {
        n = plain ? starts[t + 1] - i : 1;
        n = n < PLAIN_NODES ? n : PLAIN_NODES;
        if (!hb_goes_on(work, plain ? UNITS_A_NODE * n : UNITS_A_NODE + forest->leaf_width))
            return false;
        if (plain)
            write_plain_nodes(out, starts[t], i, i + n);
        else if (nodes[i].left == HB_NO_CHILD)
            write_leaf(out, &nodes[i], i);
        else
            write_test(out, &nodes[i], i, starts[t], work);
    }
    return !work->stopped;
}

hbs_status hb_nodes_reserve64(const hb_forest_model *forest, const hb_leaf_rows *rows, hb_flat *flat, hb_work *work,
                              hb_forest_plan *plan, hb_node_writer64 *out, hbs_error *error)
{
    const hb_vector *features = &forest->linear_features;
    const hb_vector *coefficients = &forest->linear_coefficients;
    size_t n_vectors = forest->leaf_width == 1 ? 0 : rows->row_of ? rows->n : forest->n_leaves;

    plan->n_vectors = n_vectors;
    *out = (hb_node_writer64){.forest = forest, .rows = rows};
    out->nodes = hb_flat_room(flat, forest->nodes.count, sizeof(*out->nodes), &plan->nodes);
    HB_TRY(hb_category_sets_reserve(forest, flat, work, &out->sets, &plan->sets, &plan->words, error));
    plan->n_sets = out->sets.all_sets;
    out->linear = hb_flat_reserve(flat, forest->linear_leaves.count, sizeof(*out->linear), &plan->linear);
    out->vectors = hb_flat_room(flat, n_vectors, forest->leaf_width * sizeof(double), &plan->leaf_vectors);
    plan->linear_features = hb_flat_put(flat, features->items, features->count * sizeof(int32_t));
    plan->linear_coefficients = hb_flat_put(flat, coefficients->items, coefficients->count * sizeof(double));
    return write_vectors(out, work, error);
}

hb_forest64 hb_forest_view64(const void *base, uint64_t offset)
{
    const hb_forest_plan *plan = hb_flat_at(base, offset);

    return (hb_forest64){
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
        .linear = hb_flat_at(base, plan->linear),
        .linear_features = hb_flat_at(base, plan->linear_features),
        .linear_coefficients = hb_flat_at(base, plan->linear_coefficients),
        .has_category_sets = plan->has_category_sets,
    };
}
