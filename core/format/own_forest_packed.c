/* own_forest_packed.c - trees in preorder: a node is followed by its left subtree, and this by its right one, so one
 * number a node tells the shape. Tests and leaves have columns of their own, in the smallest dtype that holds them, and
 * leaves may share a row of `value`. A node of a random forest takes 6 bytes of the document; in columns it takes 49. A
 * node takes at least 5.4 bytes, so NODE_ROOM lets reading take at most 16 times the file and 1 MiB. */
#include "format/own_forest.h"

#include <math.h>

enum {
    INTEGERS = 1u << HB_OWN_U1 | 1u << HB_OWN_U2 | 1u << HB_OWN_I4,
    /* Bytes that a node takes while it is read and sealed, beyond HB_LOAD_FACTOR times its bytes in the file. */
    NODE_ROOM = 64
};

static double real_at(const hb_own_column *column, size_t i)
{
    return column->dtype == HB_OWN_F4 ? (double)((const float *)column->array.items)[i]
                                      : ((const double *)column->array.items)[i];
}

static int32_t integer_at(const hb_own_column *column, size_t i)
{
    switch (column->dtype) {
    case HB_OWN_U1:
        return ((const uint8_t *)column->array.items)[i];
    case HB_OWN_U2:
        return ((const uint16_t *)column->array.items)[i];
    default:
        return ((const int32_t *)column->array.items)[i];
    }
}

/* For each item that is looked at. */
static bool go_on(const hb_own_trees *trees)
{
    return hb_document_goes_on(trees->file->d, 3);
}

static bool bit_at(const hb_own_column *column, size_t i)
{
    return ((const uint8_t *)column->array.items)[i / 8] >> i % 8 & 1;
}

/* In the file's order; the value of `node` is due. */
bool hb_own_packed_members(hb_own_trees *trees)
{
    hb_own_file *file = trees->file;
    const uint32_t reals = 1u << HB_OWN_F4 | 1u << HB_OWN_F8;
    bool leaf;

    if (!hb_own_array_value(file, INTEGERS, 1, &trees->node.dtype, &trees->node.array) ||
        !hb_own_column_read(file, "threshold", reals, 1, &trees->threshold) ||
        !hb_own_sets_read(file, "missing_left", &trees->sets) ||
        !hb_own_array_value(file, 1u << HB_OWN_BIT, 1, &trees->missing_left.dtype, &trees->missing_left.array) ||
        !hb_own_column_read(file, "cover", INTEGERS | 1u << HB_OWN_F4, 1, &trees->cover) ||
        !hb_own_either(file, "leaf", "value", &leaf))
        return false;
    if (leaf && !(hb_own_array_value(file, INTEGERS, 1, &trees->leaf.dtype, &trees->leaf.array) &&
                  hb_own_member(file, "value")))
        return false;
    return hb_own_array_value(file, 1u << HB_OWN_F8, 2, &(hb_own_dtype){HB_OWN_F8}, &trees->value);
}

/* Counts leaves and trees. A tree ends with the leaf behind which no node waits for a child. */
static bool check_shape(hb_own_trees *trees)
{
    size_t due = 0; /* nodes that are to come before the tree ends */

    for (size_t i = 0; i < trees->n_nodes; i++) {
        int32_t node = integer_at(&trees->node, i);

        if (!go_on(trees))
            return false;
        if (node < 0)
            return hb_own_forest_fail(trees->file, "node has a negative number");
        trees->n_trees += due == 0;
        trees->n_leaves += node == 0;
        due = due == 0 ? 1 : due;
        due = node == 0 ? due - 1 : due + 1;
    }
    return due == 0 || hb_own_forest_fail(trees->file, "node ends within a tree");
}

static bool check_leaves(const hb_own_trees *trees)
{
    size_t rows = trees->value.shape[0];

    if (!trees->leaf.array.items)
        return rows == trees->n_leaves || hb_own_forest_fail(trees->file, "value has not one row for each leaf");
    if (trees->leaf.array.count != trees->n_leaves)
        return hb_own_forest_fail(trees->file, "leaf is not one number for each leaf");
    for (size_t k = 0; k < trees->n_leaves; k++) {
        int32_t row = integer_at(&trees->leaf, k);

        if (!go_on(trees))
            return false;
        if (row < 0 || (size_t)row >= rows)
            return hb_own_forest_fail(trees->file, "leaf names no row of value");
    }
    return true;
}

static double cover_at(const hb_own_trees *trees, size_t k)
{
    return trees->cover.dtype == HB_OWN_F4 ? real_at(&trees->cover, k) : integer_at(&trees->cover, k);
}

static bool check_covers(const hb_own_trees *trees)
{
    for (size_t k = 0; k < trees->n_leaves; k++) {
        if (!go_on(trees))
            return false;
        if (!(cover_at(trees, k) >= 0) || isinf(cover_at(trees, k)))
            return hb_own_forest_fail(trees->file, "a cover is negative or not finite");
    }
    return true;
}

/* Sealing would look at a shared row once for each leaf, so NaN is looked for here. */
static bool check_value(const hb_own_trees *trees)
{
    for (size_t i = 0; i < trees->value.count; i++) {
        if (!go_on(trees))
            return false;
        if (isnan(((const double *)trees->value.items)[i]))
            return hb_own_forest_fail(trees->file, "value has a NaN");
    }
    return true;
}

bool hb_own_packed_check(hb_own_trees *trees)
{
    hb_own_file *file = trees->file;
    size_t n_tests;

    trees->n_nodes = trees->node.array.count;
    if (!hb_own_forest_count(file, trees->n_nodes) || !check_shape(trees))
        return false;
    n_tests = trees->n_nodes - trees->n_leaves;
    if (trees->threshold.array.count != n_tests || trees->missing_left.array.count != n_tests)
        return hb_own_forest_fail(file, "threshold or missing_left is not one number for each node that tests");
    if (trees->cover.array.count != trees->n_leaves)
        return hb_own_forest_fail(file, "cover is not one number for each leaf");
    return check_leaves(trees) && check_covers(trees) && check_value(trees);
}

/* How far the trees have been made. */
typedef struct making {
    const hb_own_trees *trees;
    hb_tree_node *nodes; /* of the tree: numbers in it count from here */
    /* The innermost node without its right child, or HB_NO_CHILD. Its `right` is the next node that waits. */
    int32_t waiting;
    size_t test, leaf, set;
} making;

static void make_test(making *m, int32_t i, int32_t node)
{
    m->nodes[i] = (hb_tree_node){.as.threshold = real_at(&m->trees->threshold, m->test),
                                 .left = i + 1,
                                 .right = m->waiting,
                                 .feature = node - 1,
                                 .flags = HB_NODE_NAN_MISSING};
    if (bit_at(&m->trees->missing_left, m->test))
        m->nodes[i].flags |= HB_NODE_DEFAULT_LEFT;
    m->waiting = i;
    m->test++;
}

/* True if the tree goes on behind this leaf, with the right child of the waiting node. */
static bool make_leaf(making *m, int32_t i)
{
    const hb_own_trees *trees = m->trees;
    int32_t row = trees->leaf.array.items ? integer_at(&trees->leaf, m->leaf) : (int32_t)m->leaf, parent = m->waiting;

    m->nodes[i] = (hb_tree_node){.cover = cover_at(trees, m->leaf), .left = HB_NO_CHILD, .right = HB_NO_CHILD};
    if (trees->vectors)
        m->nodes[i].right = row;
    else
        m->nodes[i].as.leaf = ((const double *)trees->value.items)[row];
    m->leaf++;
    if (parent == HB_NO_CHILD)
        return false;
    m->waiting = m->nodes[parent].right;
    m->nodes[parent].right = i + 1;
    return true;
}

/* Makes the tree that begins with node `first` of the forest; *n becomes its number of nodes. */
static bool make_tree(making *m, size_t first, int32_t *n)
{
    bool more = true;
    int32_t i = 0;

    for (m->waiting = HB_NO_CHILD; more; i++) {
        int32_t node = integer_at(&m->trees->node, first + (size_t)i);

        if (!go_on(m->trees))
            return false;
        if (node > 0)
            make_test(m, i, node);
        else
            more = make_leaf(m, i);
        hb_own_sets_mark(&m->trees->sets, &m->set, first + (size_t)i, &m->nodes[i]);
    }
    *n = i;
    return true;
}

/* The cover of a node that tests is the sum of its children's covers; children stand behind their parent. */
static bool sum_covers(making *m, int32_t n)
{
    for (int32_t i = n - 1; i >= 0; i--) {
        hb_tree_node *node = &m->nodes[i];

        if (!go_on(m->trees))
            return false;
        if (node->left != HB_NO_CHILD)
            node->cover = m->nodes[node->left].cover + m->nodes[node->right].cover;
    }
    return true;
}

bool hb_own_packed_add(const hb_own_trees *trees, hb_forest_model *forest)
{
    making m = {.trees = trees};
    int32_t n = 0;

    hb_memory_allow(forest->nodes.memory, NODE_ROOM * trees->n_nodes);
    m.nodes = hb_vector_append(&forest->nodes, NULL, trees->n_nodes);
    if (!m.nodes)
        return hb_document_no_memory(trees->file->d);
    forest->shares_vectors = true;
    for (size_t t = 0, first = 0; t < trees->n_trees; t++, first += (size_t)n, m.nodes += n) {
        if (!hb_own_forest_begin_tree(trees, forest, t, first) || !make_tree(&m, first, &n) || !sum_covers(&m, n))
            return false;
    }
    return true;
}
