/* xgboost_tree.c - one tree object of a model: arrays of one item a node, into the forest's nodes.
 *
 * A leaf has left_children -1 and its value in split_conditions. Leaves of several outputs: up to 3.1
 * the vector is base_weights[node], from 3.2 on it is row right_children[leaf] of leaf_weights. A node
 * that pruning has removed stays in the arrays with the feature number 2147483647. */
#include <string.h>

#include "format/xgboost.h"
#include "ir/forest_columns.h"

enum { DELETED_FEATURE = 2147483647 };

/* ---- the members of a tree */

enum member_kind { FLOATS, INT32S, INT64S, UINT8S, ID, PARAM, NO_EFFECT };

#define MEMBER_ARRAY(field) offsetof(hb_xgboost_tree, field)

static const struct {
    const char *name;
    enum member_kind kind;
    size_t field; /* of the vector in hb_xgboost_tree */
    bool required;
} members[] = {
    {"base_weights", FLOATS, MEMBER_ARRAY(base_weights), false},
    {"categories", INT32S, MEMBER_ARRAY(categories), false},
    {"categories_nodes", INT32S, MEMBER_ARRAY(category_nodes), false},
    {"categories_segments", INT64S, MEMBER_ARRAY(category_segments), false},
    {"categories_sizes", INT64S, MEMBER_ARRAY(category_sizes), false},
    {"default_left", UINT8S, MEMBER_ARRAY(default_left), true},
    {"id", ID, 0, false},
    {"leaf_child_counts", NO_EFFECT, 0, false},
    {"leaf_weights", FLOATS, MEMBER_ARRAY(leaf_weights), false},
    {"left_children", INT32S, MEMBER_ARRAY(left), true},
    {"loss_changes", NO_EFFECT, 0, false},
    {"parents", INT32S, MEMBER_ARRAY(parents), true},
    {"right_children", INT32S, MEMBER_ARRAY(right), true},
    {"split_conditions", FLOATS, MEMBER_ARRAY(condition), true},
    {"split_indices", INT64S, MEMBER_ARRAY(feature), true},
    {"split_type", UINT8S, MEMBER_ARRAY(split_type), false},
    {"sum_hessian", FLOATS, MEMBER_ARRAY(cover), true}, /* not in vector leaves of 2.0 to 3.1 */
    {"tree_param", PARAM, 0, true},
};

enum { N_MEMBERS = sizeof(members) / sizeof(members[0]) };

static hb_vector *vector_of(hb_xgboost_tree *tree, size_t member)
{
    return (hb_vector *)(void *)((char *)tree + members[member].field);
}

static size_t item_size(enum member_kind kind)
{
    return kind == INT64S ? sizeof(int64_t) : kind == UINT8S ? 1 : sizeof(int32_t);
}

static bool is_array(size_t member)
{
    return members[member].kind <= UINT8S;
}

void hb_xgboost_tree_init(hb_xgboost_tree *tree, hb_memory *memory)
{
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (is_array(i))
            hb_vector_init(vector_of(tree, i), memory, item_size(members[i].kind));
}

void hb_xgboost_tree_release(hb_xgboost_tree *tree)
{
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (is_array(i))
            hb_vector_release(vector_of(tree, i));
}

/* ---- reading */

static void read_param(hb_xgboost_tree *tree, hb_document *d)
{
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "num_nodes"))
            tree->n_nodes = hb_xgboost_integer(d, 1, INT32_MAX);
        else if (hb_text_is(key, "num_deleted"))
            tree->n_deleted = hb_xgboost_integer(d, 0, INT32_MAX);
        else if (hb_text_is(key, "num_feature"))
            tree->n_features = hb_xgboost_integer(d, 0, INT64_MAX);
        else if (hb_text_is(key, "size_leaf_vector"))
            tree->leaf_vector = hb_xgboost_integer(d, 0, HB_MAX_OUTPUTS);
        else if (hb_text_is(key, "num_roots")) /* before 1.2; the library never wrote another */
            hb_xgboost_integer(d, 1, 1);
        else
            hb_document_unknown(d);
    }
}

/* `scalar`: the trees before had leaves of one number, so base_weights is not looked at. */
static void read_member(hb_xgboost_tree *tree, hb_document *d, size_t member, bool scalar)
{
    hb_vector *vector = is_array(member) ? vector_of(tree, member) : NULL;

    switch (members[member].kind) {
    case FLOATS:
        if (scalar && vector == &tree->base_weights)
            hb_skip(d, false);
        else
            hb_read_floats(d, vector, false);
        break;
    case INT32S:
        hb_read_int32s(d, vector);
        break;
    case INT64S:
        hb_read_int64s(d, vector);
        break;
    case UINT8S:
        hb_read_uint8s(d, vector);
        break;
    case ID:
        tree->id = hb_read_integer(d, 0, INT32_MAX);
        break;
    case PARAM:
        read_param(tree, d);
        break;
    case NO_EFFECT:
        hb_skip(d, false);
        break;
    }
}

/* N_MEMBERS: not known. Files mostly have them in this order, so that it is `next`. */
static size_t find_member(hbs_text key, size_t next)
{
    for (size_t n = 0; n < N_MEMBERS; n++, next++) {
        if (next >= N_MEMBERS)
            next = 0;
        if (hb_text_is(key, members[next].name))
            return next;
    }
    return N_MEMBERS;
}

static void read_members(hb_xgboost_tree *tree, hb_document *d, bool scalar)
{
    size_t next = 0;
    hbs_text key;

    for (size_t i = 0; i < N_MEMBERS; i++)
        if (is_array(i))
            vector_of(tree, i)->count = 0;
    tree->members = 0;
    tree->id = tree->n_nodes = tree->n_features = -1;
    tree->n_deleted = -1;
    tree->leaf_vector = 0;
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        size_t member = find_member(key, next);

        if (member == N_MEMBERS) {
            hb_document_unknown(d);
            return;
        }
        tree->members |= 1u << member;
        read_member(tree, d, member, scalar);
        next = member + 1;
    }
}

/* ---- checking: the arrays have one item a node */

static bool has_member(const hb_xgboost_tree *tree, const char *name)
{
    for (size_t i = 0; i < N_MEMBERS; i++)
        if (strcmp(members[i].name, name) == 0)
            return tree->members >> i & 1;
    return false;
}

/* The vectors of leaves of several outputs, as rows; 0 where the file has them by node. */
static size_t leaf_rows(const hb_xgboost_tree *tree)
{
    return tree->leaf_weights.count / (size_t)tree->leaf_vector;
}

static void check_vectors(hb_xgboost_tree *tree, hb_document *d)
{
    size_t width = (size_t)tree->leaf_vector;

    if (has_member(tree, "leaf_weights")) {
        if (tree->leaf_weights.count % width != 0)
            hb_document_fail(d, HBS_E_FORMAT, "leaf_weights has %zu numbers, not rows of %zu", tree->leaf_weights.count,
                             width);
    } else if (tree->base_weights.count != (size_t)tree->n_nodes * width) {
        hb_document_fail(d, HBS_E_FORMAT, "base_weights has %zu numbers, %lld nodes of %zu outputs need %zu",
                         tree->base_weights.count, (long long)tree->n_nodes, width, (size_t)tree->n_nodes * width);
    }
}

static bool may_lack(const hb_xgboost_tree *tree, size_t member)
{
    return !members[member].required || (tree->leaf_vector > 1 && members[member].field == MEMBER_ARRAY(cover));
}

static void check_tree(hb_xgboost_tree *tree, hb_document *d, size_t number)
{
    for (size_t i = 0; i < N_MEMBERS && hb_document_ok(d); i++)
        if (!may_lack(tree, i) && !(tree->members >> i & 1))
            hb_document_fail(d, HBS_E_FORMAT, "the tree has no %s", members[i].name);
    if (hb_document_ok(d) && tree->n_nodes < 0)
        hb_document_fail(d, HBS_E_FORMAT, "tree_param has no num_nodes");
    if (hb_document_ok(d) && tree->id >= 0 && tree->id != (int64_t)number)
        hb_document_fail(d, HBS_E_FORMAT, "the tree's id is %lld, its place is %zu", (long long)tree->id, number);
    for (size_t i = 0; i < N_MEMBERS && hb_document_ok(d); i++) {
        bool per_node = is_array(i) && (members[i].required || vector_of(tree, i) == &tree->split_type);

        if (per_node && (tree->members >> i & 1) && vector_of(tree, i)->count != (size_t)tree->n_nodes)
            hb_document_fail(d, HBS_E_FORMAT, "%s has %zu items, num_nodes says %lld", members[i].name,
                             vector_of(tree, i)->count, (long long)tree->n_nodes);
    }
    if (hb_document_ok(d) && tree->leaf_vector > 1)
        check_vectors(tree, d);
}

/* ---- appending to the forest */

/* The set of one node, checked; what pruning left behind at leaves is without effect. */
static void append_set(hb_xgboost_file *file, hb_tree_node *node, int32_t number, int64_t first, int64_t count)
{
    int64_t all = (int64_t)file->tree.categories.count;

    if (first < 0 || count < 0 || first > all || count > all - first) {
        hb_document_fail(file->d, HBS_E_FORMAT,
                         "the categories of node %d (from %lld on, %lld of them) are not among the "
                         "tree's %lld",
                         (int)number, (long long)first, (long long)count, (long long)all);
    } else if (node->flags & HB_NODE_CATEGORIES) {
        node->as.set.first = (uint32_t)(file->forest->categories.count + (size_t)first);
        node->as.set.count = (uint32_t)count;
    } else if (node->left != HB_NO_CHILD) {
        hb_document_fail(file->d, HBS_E_FORMAT, "node %d has categories, split_type says that it has none",
                         (int)number);
    }
}

/* The categories of the tree's set tests: node category_nodes[i] has those from segments[i] on. */
static void append_sets(hb_xgboost_file *file, hb_tree_node *nodes)
{
    hb_xgboost_tree *tree = &file->tree;
    const int32_t *numbers = tree->category_nodes.items;
    const int64_t *segments = tree->category_segments.items, *sizes = tree->category_sizes.items;
    size_t n = tree->category_nodes.count;

    if (tree->category_segments.count != n || tree->category_sizes.count != n) {
        hb_document_fail(file->d, HBS_E_FORMAT,
                         "categories_nodes, categories_segments and categories_sizes have %zu, %zu "
                         "and %zu items",
                         n, tree->category_segments.count, tree->category_sizes.count);
        return;
    }
    for (size_t i = 0; i < n && hb_document_ok(file->d) && hb_document_goes_on(file->d, 4); i++) {
        if (numbers[i] < 0 || numbers[i] >= tree->n_nodes || (i && numbers[i] <= numbers[i - 1]))
            hb_document_fail(file->d, HBS_E_FORMAT, "categories_nodes does not rise within the tree's nodes");
        else
            append_set(file, &nodes[numbers[i]], numbers[i], segments[i], sizes[i]);
    }
    if (!hb_vector_append(&file->forest->categories, tree->categories.items, tree->categories.count))
        hb_document_no_memory(file->d);
}

/* The leaf vectors, appended as they stand: rows by node or by leaf. */
static bool append_vectors(hb_xgboost_file *file, size_t *first_row)
{
    hb_xgboost_tree *tree = &file->tree;
    hb_forest_model *forest = file->forest;
    const hb_vector *rows = has_member(tree, "leaf_weights") ? &tree->leaf_weights : &tree->base_weights;

    *first_row = forest->leaf_vectors.count / (size_t)tree->leaf_vector;
    if (hb_vector_append(&forest->leaf_vectors, rows->items, rows->count))
        return true;
    hb_document_no_memory(file->d);
    return false;
}

static void set_leaf(hb_xgboost_file *file, hb_tree_node *node, size_t i, size_t first_row)
{
    hb_xgboost_tree *tree = &file->tree;
    int32_t row = node->right;

    node->as.leaf = (double)((const float *)tree->condition.items)[i];
    if (tree->leaf_vector > 1) {
        if (has_member(tree, "leaf_weights")) {
            if (row < 0 || (size_t)row >= leaf_rows(tree))
                hb_document_fail(file->d, HBS_E_FORMAT,
                                 "leaf %zu has its values in row %d of leaf_weights, which has %zu", i, (int)row,
                                 leaf_rows(tree));
        } else {
            row = (int32_t)i;
        }
        if (first_row + (size_t)row > INT32_MAX)
            hb_document_fail(file->d, HBS_E_LIMIT, "too many leaves");
        else
            node->right = (int32_t)(first_row + (size_t)row);
    } else if (row != HB_NO_CHILD) {
        hb_document_fail(file->d, HBS_E_FORMAT, "node %zu has a right child %d but no left one", i, (int)row);
    }
}

/* The children must name this node as their parent, as the library's own loader relies on. */
static void check_parent(hb_xgboost_file *file, const hb_tree_node *node, size_t i)
{
    const int32_t *parents = file->tree.parents.items;
    const int32_t children[] = {node->left, node->right};

    for (size_t c = 0; c < 2; c++)
        if (children[c] >= 0 && children[c] < file->tree.n_nodes && parents[children[c]] != (int32_t)i)
            hb_document_fail(file->d, HBS_E_FORMAT, "node %zu has the child %d, whose parent is said to be %d", i,
                             (int)children[c], (int)parents[children[c]]);
}

static void set_node(hb_xgboost_file *file, hb_tree_node *node, size_t i, size_t first_row)
{
    const hb_xgboost_tree *tree = &file->tree;
    const uint8_t *split_type = tree->split_type.items, *default_left = tree->default_left.items;
    int64_t feature = ((const int64_t *)tree->feature.items)[i];

    if (feature < 0 || feature > INT32_MAX)
        hb_document_fail(file->d, HBS_E_FORMAT, "node %zu tests feature %lld", i, (long long)feature);
    node->left = ((const int32_t *)tree->left.items)[i];
    node->right = ((const int32_t *)tree->right.items)[i];
    node->feature = (int32_t)feature;
    node->cover = tree->cover.count ? (double)((const float *)tree->cover.items)[i] : 0;
    if (default_left[i] > 1) /* the library takes 1 alone as true: nobody writes another */
        hb_document_fail(file->d, HBS_E_FORMAT, "node %zu has default_left %d, not 0 or 1", i, (int)default_left[i]);
    node->flags = default_left[i] ? HB_NODE_DEFAULT_LEFT : 0;
    if (node->feature == DELETED_FEATURE) {
        node->flags |= HB_NODE_DELETED;
        node->cover = 0;
        return;
    }
    if (node->left == HB_NO_CHILD) {
        set_leaf(file, node, i, first_row);
        return;
    }
    check_parent(file, node, i);
    node->as.threshold = (double)((const float *)tree->condition.items)[i];
    if (tree->split_type.count && split_type[i] > 1)
        hb_document_fail(file->d, HBS_E_UNSUPPORTED, "node %zu has split_type %d", i, (int)split_type[i]);
    else if (tree->split_type.count && split_type[i] == 1) {
        node->flags |= HB_NODE_CATEGORIES;
        node->as.set.first = node->as.set.count = 0;
    }
}

/* Node by node. */
static void set_nodes(hb_xgboost_file *file, hb_tree_node *nodes, size_t first_row)
{
    enum { UNITS_A_NODE = 8 };
    const hb_xgboost_tree *tree = &file->tree;
    int64_t deleted = 0;

    for (size_t i = 0;
         i < (size_t)tree->n_nodes && hb_document_ok(file->d) && hb_document_goes_on(file->d, UNITS_A_NODE); i++) {
        set_node(file, &nodes[i], i, first_row);
        deleted += (nodes[i].flags & HB_NODE_DELETED) != 0;
    }
    /* 1.0 does not say how many it has deleted */
    if (hb_document_ok(file->d) && tree->n_deleted >= 0 && deleted != tree->n_deleted)
        hb_document_fail(file->d, HBS_E_FORMAT, "%lld nodes are marked as deleted, not %lld", (long long)deleted,
                         (long long)tree->n_deleted);
    if (hb_document_ok(file->d))
        (void)hb_document_latch(file->d, hb_forest_model_saw(file->forest, HB_NOT_SEEN, 0, file->error));
}

static bool tests_sets(const hb_xgboost_tree *tree)
{
    const uint8_t *split_type = tree->split_type.items;
    size_t n = tree->split_type.count;

    return n && (split_type[0] || memcmp(split_type, split_type + 1, n - 1) != 0);
}

/* As most trees are: tests of numbers, leaves of one value, none deleted. False: some are not, or any is wrong. */
static bool set_plain_nodes(hb_xgboost_file *file, hb_tree_node *nodes)
{
    const hb_xgboost_tree *tree = &file->tree;
    const hb_tree_columns columns = {.n = (uint32_t)tree->n_nodes,
                                     .left = tree->left.items,
                                     .right = tree->right.items,
                                     .parents = tree->parents.items,
                                     .features = tree->feature.items,
                                     .thresholds = tree->condition.items,
                                     .covers = tree->cover.items,
                                     .default_left = tree->default_left.items};
    bool made = false;

    if (tree->leaf_vector > 1 || tree->n_deleted > 0 || tests_sets(tree))
        return false;
    (void)hb_document_latch(file->d, hb_forest_make_nodes(file->forest, &columns, nodes, &made, file->error));
    return made;
}

/* Reserves n more nodes. A vector that grows gets the size expected for all trees, by the trees so far: nodes are most
 * of a model's memory, and each growth may move them. */
static bool reserve_nodes(hb_xgboost_file *file, size_t n)
{
    hb_vector *nodes = &file->forest->nodes;
    uint64_t read = hb_document_offset(file->d) - file->trees_at, left = hb_document_left(file->d);
    uint64_t expected = (nodes->count + n) * left / (read + 1); /* nodes and bytes are within limits: below 2^64 */

    return hb_vector_expect(nodes, n, n + (size_t)(expected + expected / 16));
}

static void append_tree(hb_xgboost_file *file)
{
    hb_xgboost_tree *tree = &file->tree;
    hb_forest_model *forest = file->forest;
    size_t n = (size_t)tree->n_nodes, first_row = 0;
    uint32_t start = (uint32_t)forest->nodes.count;
    hb_tree_node *nodes;

    if (!hb_forest_model_may_grow(forest, &file->pipeline->limits, n)) {
        hb_document_fail(file->d, HBS_E_LIMIT, HB_TOO_MANY_NODES, file->pipeline->limits.max_nodes);
        return;
    }
    if (tree->leaf_vector > 1 && !append_vectors(file, &first_row))
        return;
    if (!reserve_nodes(file, n) || !hb_vector_append(&forest->starts, &start, 1)) {
        hb_document_no_memory(file->d);
        return;
    }
    nodes = (hb_tree_node *)forest->nodes.items + forest->nodes.count;
    forest->nodes.count += n;
    if (!set_plain_nodes(file, nodes) && hb_document_ok(file->d))
        set_nodes(file, nodes, first_row);
    if (hb_document_ok(file->d) && tree->category_nodes.count)
        append_sets(file, nodes);
}

void hb_xgboost_tree_read(hb_xgboost_file *file, size_t number)
{
    hb_xgboost_tree *tree = &file->tree;
    hb_forest_model *forest = file->forest;

    read_members(tree, file->d, number > 0 && forest->leaf_width == 1);
    if (hb_document_ok(file->d))
        check_tree(tree, file->d, number);
    if (!hb_document_ok(file->d))
        return;
    if (number == 0) {
        forest->leaf_width = tree->leaf_vector > 1 ? (size_t)tree->leaf_vector : 1;
    } else if (forest->leaf_width != (tree->leaf_vector > 1 ? (size_t)tree->leaf_vector : 1)) {
        hb_document_fail(file->d, HBS_E_UNSUPPORTED, "trees with leaves of %zu and of %lld values in one model",
                         forest->leaf_width, (long long)tree->leaf_vector);
        return;
    }
    append_tree(file);
}
