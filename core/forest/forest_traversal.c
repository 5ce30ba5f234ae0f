/* forest_traversal.c - the forest as compact nodes for interleaved traversal. */
#include <string.h>

#include "forest/forest_plan.h"

/* ---- sets of categories: as bits where these are no larger than about the list */

static bool as_bits(const int32_t *categories, uint32_t n, uint32_t *words)
{
    *words = (uint32_t)categories[n - 1] / 32 + 1;
    return *words <= n + 2;
}

/* Writes one set; `words` NULL: only counts. Returns how many words it takes. */
static uint32_t write_set(const int32_t *categories, uint32_t n, uint32_t *words, hb_flat_set *set)
{
    uint32_t n_words;
    bool bits = as_bits(categories, n, &n_words);

    if (!bits)
        n_words = n;
    if (!words)
        return n_words;
    set->count = n_words;
    set->is_list = !bits;
    if (bits)
        memset(words, 0, n_words * sizeof(*words));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = (uint32_t)categories[i];

        if (bits)
            words[code / 32] |= 1u << (code % 32);
        else
            words[i] = code;
    }
    return n_words;
}

/* Categories below 32 fit into the node itself. */
static bool is_small(const int32_t *categories, uint32_t n)
{
    return categories[n - 1] < 32;
}

/* Counts the sets that do not fit into their node. */
static void count_sets(const hb_forest_model *forest, size_t *n_sets, size_t *n_words)
{
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    const int32_t *categories = forest->categories.items;

    *n_sets = *n_words = 0;
    if (!forest->has_categories)
        return;
    for (size_t i = 0; i < forest->nodes.count; i++) {
        const int32_t *set = categories + nodes[i].as.set.first;

        if (nodes[i].left == HB_NO_CHILD || !(nodes[i].flags & HB_NODE_CATEGORIES) ||
            is_small(set, nodes[i].as.set.count))
            continue;
        *n_words += write_set(set, nodes[i].as.set.count, NULL, NULL);
        (*n_sets)++;
    }
}

/* ---- nodes */

/* Where the compiled arrays are being written. */
typedef struct output {
    const hb_forest_model *forest;
    hb_flat_node *nodes;
    float *covers;
    hb_flat_set *sets;
    uint32_t *words;
    float *vectors; /* a row for each leaf, in the order of the nodes */
    uint32_t n_sets, n_words, n_leaves;
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

static void write_set_test(output *out, const hb_tree_node *node, hb_flat_node *flat)
{
    const int32_t *categories = (const int32_t *)out->forest->categories.items + node->as.set.first;
    uint32_t n = node->as.set.count;

    if (is_small(categories, n)) {
        flat->test |= HB_TEST_SMALL_SET;
        flat->as.members = 0;
        for (uint32_t i = 0; i < n; i++)
            flat->as.members |= 1u << categories[i];
        return;
    }
    flat->test |= HB_TEST_SET;
    flat->as.index = out->n_sets;
    out->sets[out->n_sets].first = out->n_words;
    out->n_words += write_set(categories, n, out->words + out->n_words, &out->sets[out->n_sets]);
    out->n_sets++;
}

static void write_test(output *out, const hb_tree_node *node, uint32_t self, uint32_t root)
{
    hb_flat_node *flat = &out->nodes[self];

    flat->left = root + (uint32_t)node->left;
    flat->test = HB_TEST_INNER | (uint32_t)node->feature;
    if (!(node->flags & HB_NODE_DEFAULT_LEFT))
        flat->test |= HB_TEST_DEFAULT_RIGHT;
    if (node->flags & HB_NODE_CATEGORIES)
        write_set_test(out, node, flat);
    else
        flat->as.threshold = (float)node->as.threshold;
}

static void write_tree(output *out, size_t t)
{
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

static hbs_status write_trees(output *out, hb_flat_tree *trees, const hbs_host *host,
                              hbs_error *error)
{
    const hb_forest_model *forest = out->forest;
    const uint32_t *starts = forest->starts.items, *depths = forest->depths.items;

    for (size_t t = 0; t < forest->n_trees; t++) {
        if (t % 64 == 0)
            HB_TRY(hb_poll(host, error));
        trees[t] = (hb_flat_tree){starts[t], depths[t],
                                  (uint32_t)((const int32_t *)forest->groups.items)[t]};
        write_tree(out, t);
    }
    return HBS_OK;
}

static uint64_t count_steps(const hb_forest_model *forest)
{
    uint64_t steps = 0;

    for (size_t t = 0; t < forest->n_trees; t++)
        steps += (uint64_t)((const uint32_t *)forest->depths.items)[t] + 1;
    return steps;
}

hbs_status hb_forest_compile(const hb_forest_model *forest, hb_flat *flat, const hbs_host *host,
                             uint64_t *offset, hbs_error *error)
{
    size_t n_nodes = forest->nodes.count, n_sets, n_words;
    output out = {.forest = forest};
    hb_flat_tree *trees;
    hb_forest_plan *plan, sizes;
    size_t n_vectors = forest->leaf_width > 1 ? forest->n_leaves : 0;

    count_sets(forest, &n_sets, &n_words);
    plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset);
    trees = hb_flat_reserve(flat, forest->n_trees, sizeof(*trees), &sizes.trees);
    out.nodes = hb_flat_reserve(flat, n_nodes, sizeof(*out.nodes), &sizes.nodes);
    out.covers = hb_flat_reserve(flat, n_nodes, sizeof(float), &sizes.covers);
    out.sets = hb_flat_reserve(flat, n_sets, sizeof(*out.sets), &sizes.sets);
    out.words = hb_flat_reserve(flat, n_words, sizeof(*out.words), &sizes.words);
    out.vectors = hb_flat_reserve(flat, n_vectors, forest->leaf_width * sizeof(float),
                                  &sizes.leaf_vectors);
    if (!plan)
        return HBS_OK; /* counting */
    sizes.n_nodes = n_nodes;
    sizes.n_trees = forest->n_trees;
    sizes.n_outputs = forest->n_outputs;
    sizes.leaf_width = forest->leaf_width;
    sizes.steps = count_steps(forest);
    sizes.has_sets = forest->has_categories;
    sizes.unused = 0;
    *plan = sizes;
    return write_trees(&out, trees, host, error);
}

hb_flat_forest hb_forest_view(const void *base, uint64_t offset)
{
    const hb_forest_plan *plan = hb_flat_at(base, offset);

    return (hb_flat_forest){
        .nodes = hb_flat_at(base, plan->nodes),
        .trees = hb_flat_at(base, plan->trees),
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
