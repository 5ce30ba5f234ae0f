/* forest_model.c - sealing: from the file's node numbers to trees that can be walked without a check.
 *
 * A tree is walked once from its root, breadth first. Each node may be reached once only, and all that
 * are not marked as deleted must be reached: cycles, shared children and orphans are found in O(n). */
#include "ir/forest_model.h"

#include <math.h>
#include <string.h>

void hb_forest_model_init(hb_forest_model *forest, hb_memory *memory)
{
    *forest = (hb_forest_model){.leaf_width = 1};
    hb_vector_init(&forest->nodes, memory, sizeof(hb_tree_node));
    hb_vector_init(&forest->starts, memory, sizeof(uint32_t));
    hb_vector_init(&forest->groups, memory, sizeof(int32_t));
    hb_vector_init(&forest->depths, memory, sizeof(uint32_t));
    hb_vector_init(&forest->seen, memory, sizeof(int32_t));
    hb_vector_init(&forest->leaf_vectors, memory, sizeof(float));
    hb_vector_init(&forest->categories, memory, sizeof(int32_t));
    hb_vector_init(&forest->weights, memory, sizeof(float));
    hb_vector_init(&forest->linear_leaves, memory, sizeof(hb_linear_leaf));
    hb_vector_init(&forest->linear_features, memory, sizeof(int32_t));
    hb_vector_init(&forest->linear_coefficients, memory, sizeof(double));
}

void hb_forest_model_release(hb_forest_model *forest)
{
    hb_vector_release(&forest->nodes);
    hb_vector_release(&forest->starts);
    hb_vector_release(&forest->groups);
    hb_vector_release(&forest->depths);
    hb_vector_release(&forest->seen);
    hb_vector_release(&forest->leaf_vectors);
    hb_vector_release(&forest->categories);
    hb_vector_release(&forest->weights);
    hb_vector_release(&forest->linear_leaves);
    hb_vector_release(&forest->linear_features);
    hb_vector_release(&forest->linear_coefficients);
}

void hb_forest_model_truncate(hb_forest_model *forest, size_t n)
{
    if (n >= forest->starts.count)
        return;
    forest->nodes.count = ((const uint32_t *)forest->starts.items)[n];
    forest->starts.count = n;
    forest->groups.count = n;
    if (forest->seen.count > n)
        forest->seen.count = n;
    if (forest->weights.count > n)
        forest->weights.count = n;
}

/* The state while a forest is sealed. Trees are sealed in place. If a tree's nodes are not in order already, its new
 * nodes are written to `sealed`, then over the old ones, which are at least as many. */
typedef struct sealing {
    hb_forest_model *forest;
    const hbs_limits *limits;
    hbs_error *error;
    hb_vector sealed; /* hb_tree_node: the new nodes of this tree */
    hb_vector order;  /* int32_t: the old number of each new node */
    hb_vector seen;   /* uint8_t: old nodes that have been reached */
    size_t tree;
    const hb_tree_node *old;
    int32_t n_old, n_new;
    uint64_t in_sets; /* categories in the sets so far */
    hb_work *work;
} sealing;

static hbs_status bad_node(const sealing *s, int32_t node, const char *what)
{
    return hb_fail(s->error, HBS_E_FORMAT, "tree %zu, node %d: %s", s->tree, (int)node, what);
}

/* Sets that overlap would make work and memory of nodes times categories: they must not. */
static hbs_status check_set(sealing *s, int32_t number, const hb_tree_node *node)
{
    const int32_t *categories = s->forest->categories.items;
    uint32_t first = node->as.set.first, count = node->as.set.count;

    HB_CHECK((uint64_t)first + count <= s->forest->categories.count, s->error);
    if (count == 0)
        return bad_node(s, number, "its set of categories is empty");
    s->in_sets += count;
    if (s->in_sets > s->forest->categories.count)
        return bad_node(s, number, "it shares its categories with another node");
    for (uint32_t i = 0; !s->forest->sets_are_bits && i < count; i++) {
        HB_TRY(hb_worked(s->work, 1, s->error));
        if (categories[first + i] < 0)
            return bad_node(s, number, "a category is negative");
        if (i > 0 && categories[first + i] <= categories[first + i - 1])
            return bad_node(s, number, "its categories do not rise");
    }
    return HBS_OK;
}

static hbs_status check_test(sealing *s, int32_t number, const hb_tree_node *node)
{
    if (node->feature < 0 || (size_t)node->feature >= s->forest->n_features)
        return hb_fail(s->error, HBS_E_FORMAT, "tree %zu, node %d tests feature %d, the model has %zu (0 to %zu)",
                       s->tree, (int)number, (int)node->feature, s->forest->n_features, s->forest->n_features - 1);
    if (node->flags & HB_NODE_CATEGORIES)
        return check_set(s, number, node);
    return isnan(node->as.threshold) ? bad_node(s, number, "its threshold is NaN") : HBS_OK;
}

static hbs_status check_linear_leaf(sealing *s, int32_t number, const hb_tree_node *node)
{
    const hb_forest_model *forest = s->forest;
    const hb_linear_leaf *leaf = forest->linear_leaves.items;
    const int32_t *features = forest->linear_features.items;
    const double *coefficients = forest->linear_coefficients.items;

    HB_CHECK(node->right >= 0 && (size_t)node->right < forest->linear_leaves.count, s->error);
    leaf += node->right;
    HB_CHECK((uint64_t)leaf->first + leaf->count <= forest->linear_features.count, s->error);
    if (leaf->count > forest->most_terms)
        s->forest->most_terms = leaf->count;
    if (isnan(leaf->constant))
        return bad_node(s, number, "the constant of its linear model is NaN");
    for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
        HB_TRY(hb_worked(s->work, 1, s->error));
        if (features[i] < 0 || (size_t)features[i] >= forest->n_features)
            return bad_node(s, number, "a feature of its linear model is out of range");
        if (isnan(coefficients[i]))
            return bad_node(s, number, "a coefficient of its linear model is NaN");
    }
    return HBS_OK;
}

static bool vector_has_nan(const hb_forest_model *forest, size_t row)
{
    size_t first = row * forest->leaf_width;

    for (size_t i = first; i < first + forest->leaf_width; i++)
        if (forest->wide ? isnan(((const double *)forest->leaf_vectors.items)[i])
                         : isnan(((const float *)forest->leaf_vectors.items)[i]))
            return true;
    return false;
}

/* Two leaves with one vector are a fault of the file, unless its format lets leaves share vectors. */
static hbs_status check_leaf(sealing *s, int32_t number, const hb_tree_node *node)
{
    const hb_forest_model *forest = s->forest;
    size_t n_vectors = forest->leaf_vectors.count / forest->leaf_width;

    if (node->flags & HB_NODE_CATEGORIES)
        return bad_node(s, number, "a leaf is marked as a test of categories");
    if (forest->leaf_width == 1 && forest->wide && node->right != HB_NO_CHILD)
        HB_TRY(check_linear_leaf(s, number, node));
    if (forest->leaf_width == 1)
        return isnan(node->as.leaf) ? bad_node(s, number, "its leaf value is NaN") : HBS_OK;
    if (node->right < 0 || (size_t)node->right >= n_vectors)
        return bad_node(s, number, "its leaf vector is out of range");
    if (forest->shares_vectors)
        return HBS_OK;
    if (forest->n_leaves >= n_vectors)
        return bad_node(s, number, "it shares its leaf vector with another leaf");
    HB_TRY(hb_worked(s->work, forest->leaf_width, s->error));
    return vector_has_nan(forest, (size_t)node->right) ? bad_node(s, number, "its leaf value is NaN") : HBS_OK;
}

static hbs_status check_node(sealing *s, int32_t number, const hb_tree_node *node)
{
    if (!(node->cover >= 0) || isinf(node->cover))
        return bad_node(s, number, "its cover (the weight of its training rows) is not a finite number from 0 on");
    if (node->flags & HB_NODE_DELETED)
        return bad_node(s, number, "a deleted node is still reached");
    if (node->left == HB_NO_CHILD)
        return check_leaf(s, number, node);
    return check_test(s, number, node);
}

/* Puts a child in the queue of nodes to number. */
static hbs_status reach_node(sealing *s, int32_t parent, int32_t child)
{
    uint8_t *seen = s->seen.items;

    if (child < 0 || child >= s->n_old)
        return hb_fail(s->error, HBS_E_FORMAT, "tree %zu, node %d: child %d is out of range (0 to %d)", s->tree,
                       (int)parent, (int)child, (int)s->n_old - 1);
    if (seen[child])
        return hb_fail(s->error, HBS_E_FORMAT, "tree %zu, node %d: child %d is the root or has another parent already",
                       s->tree, (int)parent, (int)child);
    seen[child] = 1;
    ((int32_t *)s->order.items)[s->n_new++] = child;
    return HBS_OK;
}

/* Copies node `k` of the new order, and queues its children. */
static hbs_status seal_node(sealing *s, int32_t k)
{
    int32_t number = ((const int32_t *)s->order.items)[k];
    hb_tree_node *node = (hb_tree_node *)s->sealed.items + k;

    *node = s->old[number];
    HB_TRY(check_node(s, number, node));
    if (node->left != HB_NO_CHILD) {
        int32_t left = node->left, right = node->right;

        node->left = s->n_new;
        node->right = s->n_new + 1;
        HB_TRY(reach_node(s, number, left));
        HB_TRY(reach_node(s, number, right));
        s->forest->has_categories |= (node->flags & HB_NODE_CATEGORIES) != 0;
    } else {
        s->forest->n_leaves++;
    }
    return HBS_OK;
}

/* All nodes that were not reached must be deleted ones. */
static hbs_status check_unreached(const sealing *s)
{
    const uint8_t *seen = s->seen.items;

    for (int32_t i = 0; i < s->n_old; i++) {
        HB_TRY(hb_worked(s->work, 1, s->error));
        if (!seen[i] && !(s->old[i].flags & HB_NODE_DELETED))
            return bad_node(s, i, "no path leads to it from the root");
    }
    return HBS_OK;
}

/* Room for the tree's nodes, none of them seen yet. */
static bool make_room(sealing *s)
{
    size_t n = (size_t)s->n_old;

    s->sealed.count = s->order.count = s->seen.count = 0;
    return hb_vector_reserve(&s->sealed, n) && hb_vector_reserve(&s->order, n) && hb_vector_append(&s->seen, NULL, n);
}

/* ---- trees that are in the order of sealing already, as XGBoost's mostly are */

hbs_status hb_forest_model_saw(hb_forest_model *forest, int32_t depth, size_t most_feature, hbs_error *error)
{
    if (depth != HB_NOT_SEEN && most_feature > forest->most_feature)
        forest->most_feature = most_feature;
    return hb_vector_append(&forest->seen, &depth, 1) ? HBS_OK : hb_no_memory(forest->seen.memory, error);
}

/* True: the reader has seen that the tree is in order, so it can stay as it is. False: a walk finds what is wrong, if
 * anything is. */
static bool is_in_order(const sealing *s, uint32_t *depth)
{
    const hb_forest_model *forest = s->forest;
    const int32_t *seen = forest->seen.items;

    if (forest->seen.count != forest->n_trees || forest->leaf_width != 1 || seen[s->tree] == HB_NOT_SEEN)
        return false;
    *depth = (uint32_t)seen[s->tree];
    return *depth <= s->limits->max_depth && forest->most_feature < forest->n_features;
}

/* ---- a tree */

enum { UNITS_A_NODE = 8 };

/* Breadth first from the root. */
static hbs_status walk_tree(sealing *s, uint32_t *depth)
{
    int32_t level_end = 1;

    if (!make_room(s))
        return hb_no_memory(s->order.memory, s->error);
    s->n_new = 0;
    *depth = 0;
    HB_TRY(reach_node(s, 0, 0));
    for (int32_t k = 0; k < s->n_new; k++) {
        HB_TRY(hb_worked(s->work, UNITS_A_NODE, s->error));
        if (k == level_end) { /* here the next level begins */
            level_end = s->n_new;
            if (++*depth > s->limits->max_depth)
                return hb_fail(s->error, HBS_E_LIMIT, "tree %zu is deeper than the limit of %zu", s->tree,
                               s->limits->max_depth);
        }
        HB_TRY(seal_node(s, k));
    }
    return check_unreached(s);
}

static void count_tree(hb_forest_model *forest, uint32_t depth, uint32_t n)
{
    enum { SURELY_TAKEN = 10 };

    forest->largest_tree = n > forest->largest_tree ? n : forest->largest_tree;
    forest->deepest = depth > forest->deepest ? depth : forest->deepest;
    forest->levels += depth;
    forest->expected_levels += depth > SURELY_TAKEN ? 0.7 * depth : depth;
    forest->perfect_leaves += ldexp(1, (int)depth);
}

/* Its new nodes are at *nodes then, s->n_new of them. */
static hbs_status seal_tree(sealing *s, const hb_tree_node **nodes)
{
    uint32_t depth;

    if (is_in_order(s, &depth)) {
        HB_TRY(hb_worked(s->work, UNITS_A_NODE, s->error));
        *nodes = s->old;
        s->n_new = s->n_old;
        s->forest->n_leaves += ((size_t)s->n_old + 1) / 2;
    } else {
        HB_TRY(walk_tree(s, &depth));
        *nodes = s->sealed.items;
    }
    if (!hb_vector_append(&s->forest->depths, &depth, 1))
        return hb_no_memory(s->order.memory, s->error);
    count_tree(s->forest, depth, (uint32_t)s->n_new);
    return HBS_OK;
}

static hbs_status check_shape(const hb_forest_model *forest, hbs_error *error)
{
    hb_work *work = &forest->nodes.memory->work;
    const int32_t *groups = forest->groups.items;

    HB_CHECK(forest->leaf_width == 1 || forest->leaf_width == forest->n_outputs, error);
    HB_CHECK(forest->groups.count == forest->starts.count, error);
    HB_CHECK(forest->weights.count == 0 || forest->weights.count == forest->starts.count, error);
    for (size_t t = 0; t < forest->groups.count; t++) {
        HB_TRY(hb_worked(work, 1, error));
        if (groups[t] < 0 || (size_t)groups[t] >= forest->n_outputs)
            return hb_fail(error, HBS_E_FORMAT, "tree %zu adds to output %d, the model has %zu", t, (int)groups[t],
                           forest->n_outputs);
    }
    for (size_t t = 0; t < forest->weights.count; t++) {
        HB_TRY(hb_worked(work, 1, error));
        if (isnan(((const float *)forest->weights.items)[t]))
            return hb_fail(error, HBS_E_FORMAT, "the weight of tree %zu is NaN", t);
    }
    return HBS_OK;
}

/* Seals tree after tree; deleted nodes go, so the trees move together. */
static hbs_status seal_trees(sealing *s)
{
    hb_tree_node *nodes = s->forest->nodes.items;
    uint32_t *starts = s->forest->starts.items, to = 0;
    size_t n_trees = s->forest->n_trees;
    const hb_tree_node *sealed;

    for (s->tree = 0; s->tree < n_trees; s->tree++) {
        uint32_t begin = starts[s->tree];
        uint32_t end = s->tree + 1 < n_trees ? starts[s->tree + 1] : (uint32_t)s->forest->nodes.count;

        s->old = nodes + begin;
        s->n_old = (int32_t)(end - begin);
        if (s->n_old == 0)
            return hb_fail(s->error, HBS_E_FORMAT, "tree %zu has no nodes", s->tree);
        HB_TRY(seal_tree(s, &sealed));
        if (sealed != nodes + to)
            memmove(nodes + to, sealed, (size_t)s->n_new * sizeof(*nodes));
        starts[s->tree] = to;
        to += (uint32_t)s->n_new;
    }
    s->forest->nodes.count = to;
    if (!hb_vector_append(&s->forest->starts, &to, 1))
        return hb_no_memory(s->sealed.memory, s->error);
    return HBS_OK;
}

hbs_status hb_forest_model_seal(hb_forest_model *forest, const hbs_limits *limits, hbs_error *error)
{
    hb_memory *memory = forest->nodes.memory;
    sealing s = {.forest = forest, .limits = limits, .error = error, .work = &memory->work};
    hbs_status status;

    HB_TRY(check_shape(forest, error));
    hb_vector_init(&s.sealed, memory, sizeof(hb_tree_node));
    hb_vector_init(&s.order, memory, sizeof(int32_t));
    hb_vector_init(&s.seen, memory, sizeof(uint8_t));
    forest->n_trees = forest->starts.count;
    status = seal_trees(&s);
    hb_vector_release(&s.sealed);
    hb_vector_release(&s.order);
    hb_vector_release(&s.seen);
    return status;
}
