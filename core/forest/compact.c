/* compact.c - nodes of eight bytes for walks of rows that float32 holds: half of what the others take of the caches. */
#include <math.h>
#include <string.h>

#include "forest/forest_parts.h"

bool hb_compact_fits(const hb_forest_model *forest)
{
    const hb_tree_node *nodes = hb_forest_nodes(forest);
    const uint32_t *starts = forest->starts.items;
    uint32_t flags = 0;

    if (forest->has_categories || forest->linear_leaves.count ||
        forest->n_features > HB_COMPACT_FEATURES)
        return false;
    for (size_t t = 0; t < forest->n_trees; t++)
        if (starts[t + 1] - starts[t] > HB_COMPACT_NODES)
            return false;
    for (size_t i = 0; forest->wide && i < forest->nodes.count; i++)
        flags |= nodes[i].left == HB_NO_CHILD ? 0 : nodes[i].flags;
    return !(flags & HB_NODE_ZERO_MISSING);
}

/* The float32 from which on numbers go right: from t on, or (float64) those above t; NaN where none does. Whether the
 * nearest float32 is above t cannot be guessed, so that there is no branch on it. */
static uint32_t first_right(const hb_forest_model *forest, double t)
{
    float nearest = (float)t;
    uint32_t bits, above = nearest > t;

    if (forest->wide && isinf(t) && t > 0)
        nearest = NAN;
    memcpy(&bits, &nearest, sizeof(bits));
    if (!forest->wide || isnan(nearest))
        return bits;
    if (nearest == 0)
        return above ? bits : 1;
    return bits + (1 - above) * (1 - 2 * (bits >> 31));
}

static bool nan_goes_right(const hb_forest_model *forest, const hb_tree_node *node)
{
    bool missing = !forest->wide || node->flags & HB_NODE_NAN_MISSING;
    bool right = !(node->flags & HB_NODE_DEFAULT_LEFT), below = 0 > node->as.threshold;

    return (missing & right) | (!missing & below); /* else NaN counts as 0 */
}

hb_compact_writer hb_compact_reserve(const hb_forest_model *forest, hb_flat *flat, uint64_t *offset)
{
    return (hb_compact_writer){forest, hb_flat_room(flat, forest->nodes.count, sizeof(hb_compact_node), offset)};
}

void hb_compact_write(void *writer, size_t t)
{
    const hb_compact_writer *out = writer;
    const uint32_t *starts = out->forest->starts.items;

    for (uint32_t i = starts[t]; i < starts[t + 1]; i++) {
        const hb_tree_node *node = hb_forest_nodes(out->forest) + i;
        uint32_t inner = node->left == HB_NO_CHILD ? 0 : UINT32_MAX;
        uint32_t bits = first_right(out->forest, node->as.threshold) & inner;
        uint32_t right = nan_goes_right(out->forest, node) ? HB_TEST_DEFAULT_RIGHT : 0;
        uint32_t test = HB_TEST_INNER | right | (uint32_t)node->feature << HB_COMPACT_SHIFT | (uint32_t)node->left;

        memcpy(&out->nodes[i].threshold, &bits, sizeof(bits));
        out->nodes[i].test = (test & inner) | ((i - starts[t]) & ~inner); /* a leaf leads to itself */
    }
}
