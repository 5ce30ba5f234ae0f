/* shapes.c - grows forests at random, the same ones each time. */
#include "shapes.h"

#include <stdlib.h>

#include "../common/driven.h"

enum { MOST_NODES = 1 << 14, SET = 12 };

typedef struct growing {
    const shape *shape;
    hb_forest_model *forest;
    uint64_t state;
    hb_tree_node nodes[MOST_NODES];
    uint32_t n;
} growing;

uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 32) * n >> 32);
}

float shape_cell(const shape *s, uint32_t feature, uint64_t *state)
{
    return s->categories && feature % 2 ? (float)random_below(state, s->categories)
                                        : (float)random_below(state, 1 << 24) / (1 << 24);
}

static void append(hb_vector *vector, const void *items, size_t count)
{
    if (!hb_vector_append(vector, items, count))
        driven_stop("out of memory", NULL);
}

static hb_tree_node leaf(growing *g)
{
    return (hb_tree_node){
        .left = HB_NO_CHILD, .right = HB_NO_CHILD, .as.leaf = (double)(1 + random_below(&g->state, 1000)) / 1024};
}

/* A rising list. */
static void draw_set(growing *g, hb_tree_node *node)
{
    int32_t category = 0;

    node->flags = HB_NODE_CATEGORIES;
    node->as.set.first = (uint32_t)g->forest->categories.count;
    for (uint32_t i = 0; i < SET; i++) {
        category += 1 + (int32_t)random_below(&g->state, 2 * g->shape->categories / SET - 1);
        append(&g->forest->categories, &category, 1);
    }
    node->as.set.count = SET;
}

static hb_tree_node test(growing *g)
{
    uint32_t feature = random_below(&g->state, g->shape->features);
    hb_tree_node node = {.feature = (int32_t)feature};

    if (g->shape->categories && feature % 2) {
        draw_set(g, &node);
        return node;
    }
    node.as.threshold = (double)(float)((random_below(&g->state, g->shape->cuts) + 0.5) / g->shape->cuts);
    return node;
}

/* A leaf becomes an inner node. */
static void split(growing *g, uint32_t at, hb_tree_node node)
{
    g->nodes[at] = node;
    g->nodes[at].left = (int32_t)g->n;
    g->nodes[at].right = (int32_t)g->n + 1;
    g->nodes[g->n] = leaf(g);
    g->nodes[g->n + 1] = leaf(g);
    g->n += 2;
}

static void grow_levels(growing *g)
{
    uint32_t inner = (1u << g->shape->size) - 1;
    hb_tree_node of_level = {.feature = 0};

    for (uint32_t i = 0; i < inner; i++) {
        if (g->shape->growth == PERFECT || (i & (i + 1)) == 0) /* the first of its level */
            of_level = test(g);
        split(g, i, of_level);
    }
}

/* Splits leaves at random. */
static void grow_leaves(growing *g)
{
    while (g->n / 2 + 1 < g->shape->size) {
        uint32_t at = random_below(&g->state, g->n);

        if (g->nodes[at].left == HB_NO_CHILD)
            split(g, at, test(g));
    }
}

static void add_tree(growing *g)
{
    uint32_t start = (uint32_t)g->forest->nodes.count;
    int32_t group = 0;

    g->nodes[0] = leaf(g);
    g->n = 1;
    if (g->shape->growth == IRREGULAR)
        grow_leaves(g);
    else
        grow_levels(g);
    append(&g->forest->starts, &start, 1);
    append(&g->forest->groups, &group, 1);
    append(&g->forest->nodes, g->nodes, g->n);
}

static hb_forest_model *begin(const shape *s, bool wide, hb_memory *memory, hb_pipeline *pipeline)
{
    const hbs_limits limits = {.max_nodes = 1 << 24, .max_depth = 1024, .max_model_bytes = 1 << 30};
    const hb_operator numbers = {.kind = HB_OPERATOR_ORDINAL};
    hb_operator op = {.kind = HB_OPERATOR_FOREST};

    hb_pipeline_init(pipeline, memory, &limits);
    pipeline->format = "drawn";
    pipeline->wide = wide;
    pipeline->n_features = s->features;
    op.input = hb_pipeline_add(pipeline, &numbers);
    op.forest = hb_arena_array(&pipeline->arena, 1, sizeof(*op.forest));
    if (!op.forest)
        driven_stop("out of memory", NULL);
    hb_forest_model_init(op.forest, memory);
    op.forest->wide = wide;
    op.forest->n_features = s->features;
    op.forest->n_outputs = 1;
    pipeline->raw = hb_pipeline_add(pipeline, &op);
    return op.forest;
}

void shape_make(const shape *s, bool wide, hb_memory *memory, hb_pipeline *pipeline)
{
    growing *g = driven_room(sizeof(*g));
    hbs_error error;

    *g = (growing){.shape = s, .forest = begin(s, wide, memory, pipeline), .state = 7};
    for (uint32_t t = 0; t < s->trees; t++)
        add_tree(g);
    if (hb_pipeline_seal(pipeline, &error) != HBS_OK)
        driven_stop("a drawn forest", error.text);
    free(g);
}
