/* compact.c - nodes of eight bytes for walks of rows that float32 holds: half of what the others take of the caches. */
#include <math.h>
#include <string.h>

#include "forest/forest_parts.h"

bool hb_compact_fits(const hb_forest_model *forest)
{
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    const uint32_t *starts = forest->starts.items;

    if (forest->has_categories || forest->linear_leaves.count ||
        forest->n_features > HB_COMPACT_FEATURES)
        return false;
    for (size_t t = 0; t < forest->n_trees; t++)
        if (starts[t + 1] - starts[t] > HB_COMPACT_NODES)
            return false;
    for (size_t i = 0; forest->wide && i < forest->nodes.count; i++)
        if (nodes[i].left != HB_NO_CHILD && nodes[i].flags & HB_NODE_ZERO_MISSING)
            return false;
    return true;
}

/* The float32 from which on numbers go right: from t on, or (float64) those above t; NaN where none does. */
static float first_right(const hb_forest_model *forest, double t)
{
    float down = forest->wide ? hb_round_down(t) : (float)t;
    uint32_t bits;

    if (!forest->wide)
        return down;
    if (isinf(down) && down > 0)
        return NAN;
    memcpy(&bits, &down, sizeof(bits));
    bits = down == 0 ? 1 : down > 0 ? bits + 1 : bits - 1;
    memcpy(&down, &bits, sizeof(bits));
    return down;
}

static bool nan_goes_right(const hb_forest_model *forest, const hb_tree_node *node)
{
    if (forest->wide && !(node->flags & HB_NODE_NAN_MISSING))
        return 0 > node->as.threshold; /* NaN counts as 0 */
    return !(node->flags & HB_NODE_DEFAULT_LEFT);
}

uint64_t hb_compact_write(const hb_forest_model *forest, hb_flat *flat)
{
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    const uint32_t *starts = forest->starts.items;
    uint64_t offset;
    hb_compact_node *to = hb_flat_reserve(flat, forest->nodes.count, sizeof(*to), &offset);

    for (size_t t = 0; to && t < forest->n_trees; t++)
        for (uint32_t i = starts[t]; i < starts[t + 1]; i++) {
            const hb_tree_node *node = &nodes[i];

            to[i] = (hb_compact_node){0, i - starts[t]}; /* a leaf leads to itself */
            if (node->left == HB_NO_CHILD)
                continue;
            to[i].threshold = first_right(forest, node->as.threshold);
            to[i].test = HB_TEST_INNER | (nan_goes_right(forest, node) ? HB_TEST_DEFAULT_RIGHT : 0) |
                         (uint32_t)node->feature << HB_COMPACT_SHIFT | (uint32_t)node->left;
        }
    return offset;
}
