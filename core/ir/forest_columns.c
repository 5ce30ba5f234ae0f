/* forest_columns.c - from columns to nodes, without a branch on what a node is, as no CPU guesses which ones are
 * leaves. */
#include "ir/forest_columns.h"

#include <string.h>

enum { PART = 8192, UNITS_A_NODE = 4 };

/* ---- numbers */

/* The bits of two floats. */
static uint64_t two(const float *numbers)
{
    uint64_t bits;

    memcpy(&bits, numbers, sizeof(bits));
    return bits;
}

static uint64_t one(const float *number)
{
    uint32_t bits;

    memcpy(&bits, number, sizeof(bits));
    return bits;
}

static const uint64_t both_signs = 0x8000000080000000, both_infinite = 0x7f8000007f800000,
                      each_one = 0x0000000100000001;

/* A sign is set in what they give where a number is not as it should be. Without signs the bits of floats rise as they
 * do; none of these sums is carried from one number to the other. */
static uint64_t bad_thresholds(uint64_t bits)
{
    return (bits & ~both_signs) + (both_signs - both_infinite - each_one); /* NaN: above infinity */
}

static uint64_t bad_covers(uint64_t bits)
{
    return bits | ((bits & ~both_signs) + (both_signs - both_infinite)); /* less than 0, or from infinity on */
}

static bool numbers_are_good(const hb_tree_columns *c, uint32_t k, uint32_t end)
{
    uint64_t bad = 0;

    for (; end - k >= 2; k += 2)
        bad |= bad_thresholds(two(c->thresholds + k)) | bad_covers(two(c->covers + k));
    if (k < end)
        bad |= bad_thresholds(one(c->thresholds + k)) | bad_covers(one(c->covers + k));
    return !(bad & both_signs);
}

static bool are_bits(const uint8_t *bytes, uint32_t n)
{
    uint64_t all = 0, eight;

    for (; n >= sizeof(eight); bytes += sizeof(eight), n -= (uint32_t)sizeof(eight)) {
        memcpy(&eight, bytes, sizeof(eight));
        all |= eight;
    }
    while (n--)
        all |= *bytes++;
    return !(all & ~(uint64_t)0x0101010101010101);
}

/* ---- who is whose child */

/* How far level order holds: nodes 0 to k are pairs of children, from those of the root on. */
typedef struct level_order {
    uint32_t next; /* the child that is due */
    uint32_t level_end;
    int32_t depth; /* of node k; HB_NOT_SEEN: the order does not hold */
} level_order;

_Static_assert(HB_NO_CHILD == -1, "of a leaf all bits of left and right are set");

/* Nodes k to end, all of one level; true where the order still holds, and each child names its parent. */
static bool keep_order(const hb_tree_columns *c, uint32_t k, uint32_t end, uint32_t *child)
{
    const int32_t *left = c->left, *right = c->right, *parents = c->parents;
    uint32_t next = *child, last_pair = c->n - 2, bad = 0;
    uint64_t strange = 0, named;

    if (c->n == 1)
        return left[0] == HB_NO_CHILD && right[0] == HB_NO_CHILD;
    for (; k < end; k++) {
        uint32_t leaf = 0 - ((uint32_t)left[k] >> 31);
        uint32_t pair = next <= last_pair ? next : 0; /* one that is there */

        bad |=
            ((uint32_t)left[k] ^ (next | leaf)) | ((uint32_t)right[k] ^ ((next + 1) | leaf)) | (~leaf & (next ^ pair));
        memcpy(&named, parents + pair, sizeof(named));
        strange |= ~(uint64_t)(int32_t)leaf & (named ^ k * each_one);
        next += 2 & ~leaf;
    }
    *child = next;
    return !bad && !strange;
}

static void follow_order(const hb_tree_columns *c, uint32_t k, uint32_t end, level_order *order)
{
    while (k < end && order->depth != HB_NOT_SEEN) {
        uint32_t part;

        if (k == order->level_end) {
            order->level_end = order->next;
            order->depth++;
        }
        part = order->level_end < end ? order->level_end : end;
        if (part <= k || !keep_order(c, k, part, &order->next)) /* a level of no nodes: none leads to k */
            order->depth = HB_NOT_SEEN;
        k = part;
    }
}

/* In any order: whether children and parents agree. */
static bool links_agree(const hb_tree_columns *c, uint32_t k, uint32_t end)
{
    uint32_t bad = 0;

    for (; k < end; k++) {
        uint32_t left = (uint32_t)c->left[k], right = (uint32_t)c->right[k];
        uint32_t inner = left == (uint32_t)HB_NO_CHILD ? 0 : UINT32_MAX;
        uint32_t a = left < c->n ? left : 0, b = right < c->n ? right : 0;
        uint32_t strange = ((uint32_t)c->parents[a] ^ k) | ((uint32_t)c->parents[b] ^ k);

        bad |= inner & ((left ^ a) | (right ^ b) | strange);
        bad |= ~inner & ~right;
    }
    return !bad;
}

/* ---- nodes */

/* Gives the highest number of a feature, as an unsigned one. */
static uint64_t make_nodes(const hb_tree_columns *c, uint32_t k, uint32_t end, hb_tree_node *nodes)
{
    uint64_t most = 0;

    for (; k < end; k++) {
        uint64_t feature = (uint64_t)c->features[k];

        nodes[k] = (hb_tree_node){.as.threshold = (double)c->thresholds[k], /* or the leaf */
                                  .cover = (double)c->covers[k],
                                  .left = c->left[k],
                                  .right = c->right[k],
                                  .feature = (int32_t)feature,
                                  .flags = c->default_left[k] * (uint32_t)HB_NODE_DEFAULT_LEFT};
        most = feature > most ? feature : most;
    }
    return most;
}

hbs_status hb_forest_make_nodes(hb_forest_model *forest, const hb_tree_columns *c, hb_tree_node *nodes, bool *made,
                                hbs_error *error)
{
    level_order order = {.next = 1, .level_end = 1};
    uint64_t most = 0;

    *made = false;
    for (uint32_t k = 0, end; k < c->n; k = end) {
        end = c->n - k < PART ? c->n : k + PART;
        HB_TRY(hb_worked(&forest->nodes.memory->work, UNITS_A_NODE * (end - k), error));
        if (!numbers_are_good(c, k, end) || !are_bits(c->default_left + k, end - k))
            return HBS_OK;
        follow_order(c, k, end, &order);
        if (order.depth == HB_NOT_SEEN && !links_agree(c, k, end))
            return HBS_OK;
        uint64_t part = make_nodes(c, k, end, nodes);

        most = part > most ? part : most;
    }
    if (most >= INT32_MAX)
        return HBS_OK;
    *made = true;
    return hb_forest_model_saw(forest, order.depth, (size_t)most, error);
}
