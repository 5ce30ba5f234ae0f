/* plain_forest.h - what a forest means, by plain walks from node to node. Included behind fuzz_host.h, once. */
#include <math.h>

#include "ir/forest_model.h"

static bool in_set(const hb_forest_model *forest, const hb_tree_node *node, double x)
{
    const int32_t *set = (const int32_t *)forest->categories.items + node->as.set.first;
    uint32_t n = node->as.set.count;
    int64_t code;

    if (isnan(x) || (forest->wide ? x <= -1 || x >= 0x1p31 : x < 0 || x >= 0x1p24))
        return false;
    code = (int64_t)x;
    if (forest->sets_are_bits)
        return code / 32 < n && ((uint32_t)set[code / 32] >> (code % 32) & 1);
    for (uint32_t i = 0; i < n; i++)
        if (set[i] == code)
            return true;
    return false;
}

static bool goes_left(const hb_forest_model *forest, const hb_tree_node *node, double x)
{
    bool default_left = node->flags & HB_NODE_DEFAULT_LEFT;

    if (node->flags & HB_NODE_CATEGORIES)
        return isnan(x) ? default_left : in_set(forest, node, x) != (forest->wide ? default_left : true);
    if (!forest->wide)
        return isnan(x) ? default_left : (float)x < (float)node->as.threshold;
    if (isnan(x) && !(node->flags & HB_NODE_NAN_MISSING))
        x = 0;
    if (isnan(x) || (x == 0 && node->flags & HB_NODE_ZERO_MISSING))
        return default_left;
    return x <= node->as.threshold;
}

static double linear_sum(const hb_forest_model *forest, const hb_tree_node *node, const double *row)
{
    const hb_linear_leaf *leaf = (const hb_linear_leaf *)forest->linear_leaves.items + node->right;
    const int32_t *features = forest->linear_features.items;
    const double *coefficients = forest->linear_coefficients.items;
    double sum = leaf->constant;

    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        if (isnan(row[features[i]]))
            return node->as.leaf;
        sum += coefficients[i] * row[features[i]];
    }
    return sum;
}

/* One sum, in the forest's type. */
static void add(const hb_forest_model *forest, double *sum, double number, float weight)
{
    *sum = forest->wide ? *sum + number : (double)((float)*sum + (float)number * weight);
}

static void walk(const hb_forest_model *forest, size_t t, const double *row, double *sums)
{
    const hb_tree_node *tree = (const hb_tree_node *)forest->nodes.items + ((const uint32_t *)forest->starts.items)[t];
    float weight = forest->weights.count ? ((const float *)forest->weights.items)[t] : 1;
    const hb_tree_node *node = tree;
    size_t width = forest->leaf_width, at;

    while (node->left != HB_NO_CHILD)
        node = tree + (goes_left(forest, node, row[node->feature]) ? node->left : node->right);
    at = (size_t)node->right * width;
    if (width == 1)
        add(forest, &sums[((const int32_t *)forest->groups.items)[t]],
            node->right == HB_NO_CHILD ? node->as.leaf : linear_sum(forest, node, row), weight);
    for (size_t o = 0; o < width && width > 1; o++)
        add(forest, &sums[o],
            forest->wide ? ((const double *)forest->leaf_vectors.items)[at + o]
                         : (double)((const float *)forest->leaf_vectors.items)[at + o],
            weight);
}
