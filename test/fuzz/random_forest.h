/* random_forest.h - trees of all shapes that formats can hand in, drawn from choices. Included behind choices.h, once.
 */
#include "ir/pipeline.h"

enum { TREE_NODES = 1023, POOL = 256, SET = 20 };

enum { IRREGULAR, PERFECT, OBLIVIOUS, CHAIN, N_SHAPES };

typedef struct test {
    hb_tree_node node;
    int32_t set[SET];
} test;

typedef struct growing {
    choices *c;
    hb_forest_model *forest;
    uint32_t shape;     /* N_SHAPES: each tree its own */
    uint32_t depth;     /* at most */
    uint32_t set_share; /* of 4 tests; 0: no sets */
    bool wild, linear, weights;
    double pool[POOL]; /* thresholds so far */
    uint32_t pooled;
    hb_tree_node nodes[TREE_NODES];
    uint32_t levels[TREE_NODES];
    uint32_t n;
} growing;

static double leaf_number(growing *g)
{
    double number = some_number(g->c);

    if (!g->wild && fabs(number) > 1e6)
        number = 0.125;
    if (!g->wild && number == 0)
        number = 0; /* no -0.0 */
    return g->forest->wide ? number / 3 : (double)(float)(number / 3);
}

static int32_t leaf_vector(growing *g)
{
    hb_vector *vectors = &g->forest->leaf_vectors;
    size_t width = g->forest->leaf_width;

    for (size_t i = 0; i < width; i++) {
        double number = leaf_number(g);
        float narrow = (float)number;

        append(vectors, g->forest->wide ? (const void *)&number : &narrow, 1);
    }
    return (int32_t)(vectors->count / width - 1);
}

static int32_t linear_leaf(growing *g)
{
    hb_forest_model *forest = g->forest;
    hb_linear_leaf leaf = {leaf_number(g), (uint32_t)forest->linear_features.count, below(g->c, 4)};

    for (uint32_t i = 0; i < leaf.count; i++) {
        int32_t feature = (int32_t)below(g->c, (uint32_t)forest->n_features);
        double coefficient = (double)((int)below(g->c, 41) - 20) / 16;

        append(&forest->linear_features, &feature, 1);
        append(&forest->linear_coefficients, &coefficient, 1);
    }
    append(&forest->linear_leaves, &leaf, 1);
    return (int32_t)forest->linear_leaves.count - 1;
}

static hb_tree_node make_leaf(growing *g)
{
    hb_tree_node node = {.left = HB_NO_CHILD, .right = HB_NO_CHILD};

    if (g->forest->leaf_width > 1) {
        node.right = leaf_vector(g);
        return node;
    }
    node.as.leaf = leaf_number(g);
    if (g->linear && below(g->c, 2))
        node.right = linear_leaf(g);
    return node;
}

static double threshold(growing *g)
{
    uint32_t kind = g->pooled ? below(g->c, 6) : 5;
    double number = kind < 3 ? g->pool[below(g->c, g->pooled)] : some_number(g->c);

    if (kind == 2)
        number = neighbour(g->c, number);
    if (!g->forest->wide)
        number = (double)(float)number;
    if (g->pooled < POOL)
        g->pool[g->pooled++] = number;
    return number;
}

/* Lists that rise: categories below 32, close ones, far apart. Words of bits. */
static void draw_set(growing *g, test *t)
{
    static const uint32_t gaps[] = {3, 30, 300};
    uint32_t kind = below(g->c, 3);
    int32_t category = (int32_t)below(g->c, 3);

    t->node.flags |= HB_NODE_CATEGORIES;
    t->node.as.set.count = 1 + below(g->c, kind ? SET : 9);
    for (uint32_t i = 0; i < t->node.as.set.count; i++) {
        t->set[i] = g->forest->sets_are_bits ? (int32_t)(uint32_t)bits_of(g->c, 4) : category;
        category += 1 + (int32_t)below(g->c, gaps[kind]);
    }
}

static void draw_test(growing *g, test *t)
{
    static const uint32_t missing[] = {0, HB_NODE_NAN_MISSING, HB_NODE_ZERO_MISSING,
                                       HB_NODE_NAN_MISSING | HB_NODE_ZERO_MISSING};

    t->node = (hb_tree_node){.feature = (int32_t)below(g->c, (uint32_t)g->forest->n_features)};
    t->node.flags = below(g->c, 2) ? HB_NODE_DEFAULT_LEFT : 0;
    if (below(g->c, 4) < g->set_share) {
        draw_set(g, t);
        return;
    }
    t->node.as.threshold = threshold(g);
    if (g->forest->wide)
        t->node.flags |= missing[below(g->c, 4)];
}

/* The test becomes node `at`; each node has a set of its own. */
static void place_test(growing *g, uint32_t at, const test *t)
{
    uint32_t turned = below(g->c, 2);

    g->nodes[at] = t->node;
    if (t->node.flags & HB_NODE_CATEGORIES) {
        g->nodes[at].as.set.first = (uint32_t)g->forest->categories.count;
        append(&g->forest->categories, t->set, t->node.as.set.count);
    }
    g->nodes[at].left = (int32_t)(g->n + turned); /* the right child may have the smaller number */
    g->nodes[at].right = (int32_t)(g->n + 1 - turned);
    g->levels[g->n] = g->levels[g->n + 1] = g->levels[at] + 1;
    g->n += 2;
}

static void grow(growing *g)
{
    uint32_t shape = g->shape == N_SHAPES ? below(g->c, N_SHAPES) : g->shape;
    uint32_t most = shape == CHAIN ? g->depth * 12 : g->depth, depth = below(g->c, most + 1), spine = 0;
    test of_level = {.node = {.feature = 0}};

    g->n = 1;
    g->levels[0] = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        bool is_new = i == 0 || g->levels[i] != g->levels[i - 1];

        if (g->levels[i] == depth || g->n + 2 > TREE_NODES || (shape == CHAIN && i != spine) ||
            (shape == IRREGULAR && i > 0 && below(g->c, 4) == 0)) {
            g->nodes[i] = make_leaf(g);
            continue;
        }
        if (shape != OBLIVIOUS || is_new)
            draw_test(g, &of_level);
        spine = g->n + below(g->c, 2);
        place_test(g, i, &of_level);
    }
}

static void add_tree(growing *g)
{
    hb_forest_model *forest = g->forest;
    uint32_t start = (uint32_t)forest->nodes.count;
    int32_t group = forest->leaf_width > 1 ? 0 : (int32_t)below(g->c, (uint32_t)forest->n_outputs);
    float weight = (float)(1 + below(g->c, 8)) / 7;

    grow(g);
    append(&forest->starts, &start, 1);
    append(&forest->groups, &group, 1);
    append(&forest->nodes, g->nodes, g->n);
    if (g->weights)
        append(&forest->weights, &weight, 1);
}
