/* own_forest_columns.c - trees as columns, an item a node: the layout that is easy to write by hand. */
#include "format/own_forest.h"

static const int32_t *integers_of(const hb_own_array *array)
{
    return array->items;
}

static const double *doubles_of(const hb_own_array *array)
{
    return array->items;
}

static const uint8_t *bytes_of(const hb_own_array *array)
{
    return array->items;
}

/* In the file's order; the value of `start` is due. */
bool hb_own_columns_members(hb_own_trees *trees)
{
    hb_own_file *file = trees->file;
    hb_own_dtype dtype;

    return hb_own_array_value(file, 1u << HB_OWN_I4, 1, &dtype, &trees->start) &&
           hb_own_array_read(file, "left", HB_OWN_I4, 1, &trees->left) &&
           hb_own_array_read(file, "right", HB_OWN_I4, 1, &trees->right) &&
           hb_own_array_read(file, "feature", HB_OWN_I4, 1, &trees->feature) &&
           hb_own_array_read(file, "threshold", HB_OWN_F8, 1, &trees->threshold.array) &&
           hb_own_sets_read(file, "missing_left", &trees->sets) &&
           hb_own_array_value(file, 1u << HB_OWN_U1, 1, &dtype, &trees->missing_left.array) &&
           hb_own_array_read(file, "cover", HB_OWN_F8, 1, &trees->cover.array) &&
           hb_own_array_read(file, "value", HB_OWN_F8, 2, &trees->value);
}

static bool check_starts(const hb_own_trees *trees)
{
    const int32_t *start = integers_of(&trees->start);
    size_t n = trees->start.count;

    if (n < 1 || start[0] != 0 || (size_t)start[n - 1] != trees->left.count)
        return hb_own_forest_fail(trees->file, "start does not go from 0 to the number of nodes");
    for (size_t t = 1; t < n && hb_document_goes_on(trees->file->d, 1); t++)
        if (start[t] <= start[t - 1])
            return hb_own_forest_fail(trees->file, "start does not rise");
    return hb_document_ok(trees->file->d);
}

static bool check_nodes(hb_own_trees *trees)
{
    const int32_t *left = integers_of(&trees->left), *right = integers_of(&trees->right);

    for (size_t i = 0; i < trees->n_nodes && hb_document_goes_on(trees->file->d, 2); i++) {
        if (!(doubles_of(&trees->cover.array)[i] >= 0))
            return hb_own_forest_fail(trees->file, "a cover is negative or NaN");
        if (left[i] == HB_NO_CHILD && right[i] != HB_NO_CHILD)
            return hb_own_forest_fail(trees->file, "a leaf has a right child");
        if (bytes_of(&trees->missing_left.array)[i] > 1)
            return hb_own_forest_fail(trees->file, "missing_left is neither 0 nor 1");
        trees->n_leaves += left[i] == HB_NO_CHILD;
    }
    return hb_document_ok(trees->file->d);
}

bool hb_own_columns_check(hb_own_trees *trees)
{
    size_t n = trees->left.count;

    if (!check_starts(trees))
        return false;
    if (trees->right.count != n || trees->feature.count != n || trees->threshold.array.count != n ||
        trees->missing_left.array.count != n || trees->cover.array.count != n)
        return hb_own_forest_fail(trees->file, "the arrays of nodes are not of one length");
    if (!hb_own_forest_count(trees->file, n))
        return false;
    trees->n_nodes = n;
    trees->n_trees = trees->start.count - 1;
    return check_nodes(trees);
}

static void add_node(const hb_own_trees *trees, size_t i, size_t *leaf, hb_tree_node *node)
{
    int32_t left = integers_of(&trees->left)[i];

    *node = (hb_tree_node){
        .left = left, .right = integers_of(&trees->right)[i], .cover = doubles_of(&trees->cover.array)[i]};
    if (left == HB_NO_CHILD) {
        node->right = trees->vectors ? (int32_t)*leaf : -1;
        if (!trees->vectors)
            node->as.leaf = doubles_of(&trees->value)[*leaf];
        ++*leaf;
        return;
    }
    node->feature = integers_of(&trees->feature)[i];
    node->as.threshold = doubles_of(&trees->threshold.array)[i];
    node->flags = HB_NODE_NAN_MISSING;
    if (bytes_of(&trees->missing_left.array)[i])
        node->flags |= HB_NODE_DEFAULT_LEFT;
}

bool hb_own_columns_add(const hb_own_trees *trees, hb_forest_model *forest)
{
    const int32_t *start = integers_of(&trees->start);
    hb_document *d = trees->file->d;
    size_t leaf = 0, set = 0;

    if (trees->n_leaves != trees->value.shape[0])
        return hb_own_forest_fail(trees->file, "value has not one row for each leaf");
    if (!hb_vector_reserve(&forest->nodes, trees->n_nodes))
        return hb_document_no_memory(d);
    for (size_t t = 0; t < trees->n_trees; t++) {
        hb_tree_node *nodes = hb_vector_append(&forest->nodes, NULL, (size_t)(start[t + 1] - start[t]));

        if (!nodes)
            return hb_document_no_memory(d);
        if (!hb_own_forest_begin_tree(trees, forest, t, (size_t)start[t]))
            return false;
        for (int32_t i = start[t]; i < start[t + 1]; i++) {
            if (!hb_document_goes_on(d, 4))
                return false;
            add_node(trees, (size_t)i, &leaf, &nodes[i - start[t]]);
            hb_own_sets_mark(&trees->sets, &set, (size_t)i, &nodes[i - start[t]]);
        }
    }
    return true;
}
