/* compact.c - nodes of eight bytes for walks of rows that float32 holds (kernel/compact_kernel.h). */
#include <math.h>
#include <string.h>

#include "forest/forest_parts.h"

/* Small trees of few levels are in the first caches anyway, and walks that know how many levels there are need not look
 * whether they have arrived. */
bool hb_compact_pays(const hb_forest_model *forest)
{
    enum { LEVELS = 10, NODES = 1 << 15 };

    return forest->deepest > LEVELS || forest->nodes.count > NODES;
}

bool hb_compact_fits(const hb_forest_model *forest)
{
    return !forest->has_categories && !forest->linear_leaves.count && forest->n_features <= HB_COMPACT_FEATURES;
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

/* Offsets count from the beginning of the plan. */
typedef struct hb_compact_plan {
    uint64_t nodes, roots, leaves;
    uint64_t n_slots;
} hb_compact_plan;

/* The numbers of the leaves; vectors are there already. */
static void reserve_leaves(const hb_forest_model *forest, uint64_t vectors, hb_flat *flat, hb_compact_writer *out,
                           uint64_t *offset)
{
    *offset = vectors;
    if (forest->leaf_width == 1)
        out->leaves = hb_flat_room(flat, forest->n_leaves, forest->wide ? sizeof(double) : sizeof(float), offset);
}

hb_compact_writer hb_compact_reserve(const hb_forest_model *forest, const hb_forest_choice *choice, uint64_t vectors,
                                     hb_flat *flat, uint64_t *offset)
{
    const hb_compact_program *program = &choice->compact;
    hb_compact_writer out = {.forest = forest, .program = program, .rows = &choice->rows};
    hb_compact_plan *plan = hb_flat_reserve(flat, 1, sizeof(*plan), offset),
                    made = {.n_slots = program->roots[forest->n_trees]};

    out.nodes = hb_flat_room(flat, made.n_slots, sizeof(*out.nodes), &made.nodes);
    made.roots = hb_flat_put(flat, program->roots, (forest->n_trees + 1) * sizeof(*program->roots));
    reserve_leaves(forest, vectors, flat, &out, &made.leaves);
    if (plan)
        *plan = made;
    return out;
}

/* The row of a leaf among the leaves. */
static uint32_t put_leaf(hb_compact_writer *out, size_t tree, const hb_tree_node *leaf)
{
    uint32_t n = out->n_leaves++;

    if (out->forest->leaf_width > 1)
        return out->rows->row_of ? out->rows->row_of[leaf->right] : n;
    if (out->forest->wide)
        ((double *)out->leaves)[n] = leaf->as.leaf;
    else
        ((float *)out->leaves)[n] = (float)hb_forest_leaf(out->forest, tree, leaf, 0);
    return n;
}

static hb_compact_node node_of(const hb_compact_writer *out, const hb_tree_node *node, uint32_t left)
{
    uint32_t bits = first_right(out->forest, node->as.threshold);
    uint32_t right = nan_goes_right(out->forest, node) ? HB_TEST_DEFAULT_RIGHT : 0;
    hb_compact_node made = {.test = HB_TEST_INNER | right | (uint32_t)node->feature << HB_COMPACT_SHIFT | left};

    memcpy(&made.as.threshold, &bits, sizeof(bits));
    return made;
}

bool hb_compact_write(void *writer, size_t t, hb_work *work)
{
    enum { UNITS_A_NODE = 4 };
    hb_compact_writer *out = writer;
    const uint32_t *starts = out->forest->starts.items, *slot = out->program->slots + starts[t];
    const uint32_t *roots = out->program->roots;
    const hb_tree_node *nodes = hb_forest_nodes(out->forest) + starts[t];
    hb_compact_node *to = out->nodes + roots[t];

    memset(to, 0, (roots[t + 1] - roots[t]) * sizeof(*to));
    for (uint32_t i = 0; i < starts[t + 1] - starts[t]; i++) {
        if (!hb_goes_on(work, UNITS_A_NODE))
            return false;
        if (nodes[i].left == HB_NO_CHILD)
            to[slot[i]] = (hb_compact_node){.as.leaf = put_leaf(out, t, &nodes[i]), .test = slot[i]};
        else
            to[slot[i]] = node_of(out, &nodes[i], slot[nodes[i].left]);
    }
    return true;
}

hb_compact_forest hb_compact_view(const void *base, uint64_t offset)
{
    const hb_forest_plan *forest = hb_flat_at(base, offset);
    const hb_compact_plan *plan = hb_flat_at(base, forest->compact);

    return (hb_compact_forest){
        .nodes = hb_flat_at(base, plan->nodes),
        .roots = hb_flat_at(base, plan->roots),
        .trees = hb_flat_at(base, forest->trees),
        .leaves = hb_flat_at(base, plan->leaves),
        .n_slots = plan->n_slots,
        .n_features = forest->n_features,
        .n_trees = forest->n_trees,
        .n_outputs = forest->n_outputs,
        .leaf_width = forest->leaf_width,
    };
}
