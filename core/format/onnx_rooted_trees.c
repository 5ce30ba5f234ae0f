/* onnx_rooted_trees.c - see onnx_trees.h: the trees of TreeEnsemble, version 5. The file has one table of tests and one
 * of leaves for all trees, and the place of each tree's root. A tree is gone through from its root, level by level, and
 * its nodes are made in that order. A test belongs to one node; several nodes may lead to the same leaf, and each gets
 * a leaf of its own. */
#include <math.h>

#include "format/onnx_trees.h"

/* The branch of a test: the place of a test or of a leaf. */
typedef struct branch {
    uint32_t place;
    bool is_leaf;
} branch;

typedef struct split {
    hb_onnx_test test;
    branch yes, no;
    uint32_t members; /* of HB_ONNX_MEMBER: place of the first one */
    bool is_made;
} split;

typedef struct leaf {
    uint32_t output;
    double weight;
} leaf;

typedef struct tables {
    hb_onnx_trees *t;
    split *splits;
    size_t n_splits;
    leaf *leaves;
    size_t n_leaves;
    double *members; /* NaN behind each set */
    size_t n_members;
    hb_vector queue; /* branch: the nodes of the tree at hand, in their order */
} tables;

/* ---- lists and tensors */

static hbs_status begin_integers(const tables *x, const char *name, size_t n, hb_onnx_items *items)
{
    const hb_onnx_attribute *list;

    HB_TRY(hb_onnx_list(x->t->file, x->t->node, name, HB_ONNX_KIND_INTS, n, &list));
    *items = hb_onnx_items_of(list);
    return HBS_OK;
}

/* *tensor NULL: there is none. */
static hbs_status find_tensor(const tables *x, const char *name, hb_onnx_type type, const hb_onnx_tensor **tensor)
{
    const hb_onnx_attribute *a;
    char buffer[32], other[32];

    HB_TRY(hb_onnx_attribute_find(x->t->file, x->t->node, name, HB_ONNX_KIND_TENSOR, &a));
    *tensor = a ? a->tensor : NULL;
    if (a && a->tensor->type != (int64_t)type)
        return hb_onnx_refuse(x->t->file, x->t->node, HBS_E_UNSUPPORTED, "%s is of %s, hbscore reads %s so far", name,
                              hb_onnx_type_name(a->tensor->type, buffer), hb_onnx_type_name(type, other));
    return HBS_OK;
}

static hbs_status begin_tensor(const tables *x, const char *name, hb_onnx_type type, size_t n, hb_onnx_items *items)
{
    const hb_onnx_tensor *tensor;

    HB_TRY(find_tensor(x, name, type, &tensor));
    if (!tensor)
        return hb_onnx_refuse(x->t->file, x->t->node, HBS_E_UNSUPPORTED, "it has no attribute %s", name);
    if (tensor->count != n)
        return hb_onnx_refuse(x->t->file, x->t->node, HBS_E_FORMAT, "%s has %zu items, expected %zu", name,
                              tensor->count, n);
    *items = hb_onnx_items_of_tensor(tensor);
    return HBS_OK;
}

/* How many items a list has that is there. */
static hbs_status count_list(const tables *x, const char *name, size_t *n)
{
    const hb_onnx_attribute *list;

    HB_TRY(hb_onnx_attribute_find(x->t->file, x->t->node, name, HB_ONNX_KIND_INTS, &list));
    *n = list ? list->count : 0;
    if (*n == 0)
        return hb_onnx_refuse(x->t->file, x->t->node, HBS_E_FORMAT, "%s has no items", name);
    return *n <= INT32_MAX ? HBS_OK : hb_onnx_refuse(x->t->file, x->t->node, HBS_E_LIMIT, "%s has %zu items", name, *n);
}

/* ---- leaves and members */

/* Thresholds and weights are of the input's type. */
static hb_onnx_type number_type(const tables *x)
{
    return x->t->forest->wide ? HB_ONNX_DOUBLE : HB_ONNX_FLOAT;
}

static hbs_status read_leaves(tables *x)
{
    hb_onnx_trees *t = x->t;
    hb_onnx_items outputs, weights;

    HB_TRY(count_list(x, "leaf_targetids", &x->n_leaves));
    HB_TRY(begin_integers(x, "leaf_targetids", x->n_leaves, &outputs));
    HB_TRY(begin_tensor(x, "leaf_weights", number_type(x), x->n_leaves, &weights));
    x->leaves = hb_arena_room(&t->file->arena, x->n_leaves, sizeof(*x->leaves));
    if (!x->leaves)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    for (size_t i = 0; i < x->n_leaves; i++) {
        int64_t output = hb_onnx_next_integer(&outputs);

        x->leaves[i] = (leaf){(uint32_t)output, hb_onnx_next_number(&weights)};
        HB_TRY(t->file->bytes.status);
        if (output < 0 || (uint64_t)output >= hb_onnx_targets(t))
            return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "leaf %zu is for output %lld of %zu", i,
                                  (long long)output, hb_onnx_targets(t));
        if (isnan(x->leaves[i].weight))
            return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "the weight of leaf %zu is NaN", i);
        HB_TRY(hb_worked(t->file->bytes.work, 4, t->file->error));
    }
    return HBS_OK;
}

static hbs_status read_members(tables *x)
{
    hb_onnx_trees *t = x->t;
    const hb_onnx_tensor *tensor;
    hb_onnx_items items;

    HB_TRY(find_tensor(x, "membership_values", t->forest->wide ? HB_ONNX_DOUBLE : HB_ONNX_FLOAT, &tensor));
    if (!tensor)
        return HBS_OK;
    if (tensor->count >= INT32_MAX)
        return hb_onnx_refuse(t->file, t->node, HBS_E_LIMIT, "it has %zu membership_values", tensor->count);
    x->members = hb_arena_room(&t->file->arena, tensor->count, sizeof(*x->members));
    if (!x->members)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    items = hb_onnx_items_of_tensor(tensor);
    for (; x->n_members < tensor->count; x->n_members++) {
        x->members[x->n_members] = hb_onnx_next_number(&items);
        HB_TRY(hb_worked(t->file->bytes.work, 1, t->file->error));
    }
    return t->file->bytes.status;
}

/* ---- tests */

/* The columns of the table. */
typedef struct columns {
    hb_onnx_items features, modes, numbers, yes, no, yes_leaves, no_leaves, tracks;
    bool has_tracks;
} columns;

static hbs_status begin_columns(const tables *x, columns *c)
{
    const hb_onnx_attribute *tracks;
    size_t n = x->n_splits;

    HB_TRY(begin_integers(x, "nodes_featureids", n, &c->features));
    HB_TRY(begin_tensor(x, "nodes_modes", HB_ONNX_UINT8, n, &c->modes));
    HB_TRY(begin_tensor(x, "nodes_splits", number_type(x), n, &c->numbers));
    HB_TRY(begin_integers(x, "nodes_truenodeids", n, &c->yes));
    HB_TRY(begin_integers(x, "nodes_falsenodeids", n, &c->no));
    HB_TRY(begin_integers(x, "nodes_trueleafs", n, &c->yes_leaves));
    HB_TRY(begin_integers(x, "nodes_falseleafs", n, &c->no_leaves));
    HB_TRY(
        hb_onnx_attribute_find(x->t->file, x->t->node, "nodes_missing_value_tracks_true", HB_ONNX_KIND_INTS, &tracks));
    c->has_tracks = tracks && tracks->count > 0;
    return c->has_tracks ? begin_integers(x, "nodes_missing_value_tracks_true", n, &c->tracks) : HBS_OK;
}

static hbs_status read_branch(const tables *x, size_t node, int64_t place, int64_t is_leaf, branch *to)
{
    *to = (branch){(uint32_t)place, is_leaf != 0};
    if (place >= 0 && (uint64_t)place < (is_leaf ? x->n_leaves : x->n_splits))
        return HBS_OK;
    return hb_onnx_refuse(x->t->file, x->t->node, HBS_E_FORMAT, "node %zu: its child %s %lld is not there", node,
                          is_leaf ? "leaf" : "node", (long long)place);
}

/* Sets stand in the order of their tests. */
static void take_members(tables *x, split *s, size_t *next)
{
    s->members = (uint32_t)*next;
    while (*next < x->n_members && !isnan(x->members[*next]) && hb_goes_on(x->t->file->bytes.work, 1))
        ++*next;
    *next += *next < x->n_members;
}

static hbs_status read_split(tables *x, columns *c, size_t i, size_t *next_member)
{
    hb_onnx_trees *t = x->t;
    split *s = &x->splits[i];
    int64_t mode = hb_onnx_next_integer(&c->modes), yes = hb_onnx_next_integer(&c->yes);
    int64_t no = hb_onnx_next_integer(&c->no), yes_is_leaf = hb_onnx_next_integer(&c->yes_leaves);
    int64_t no_is_leaf = hb_onnx_next_integer(&c->no_leaves);

    s->test = (hb_onnx_test){.mode = (hb_onnx_mode)mode,
                             .feature = hb_onnx_next_integer(&c->features),
                             .number = hb_onnx_next_number(&c->numbers),
                             .tracks = c->has_tracks && hb_onnx_next_integer(&c->tracks) != 0};
    s->is_made = false;
    HB_TRY(t->file->bytes.status);
    HB_TRY(read_branch(x, i, yes, yes_is_leaf, &s->yes));
    HB_TRY(read_branch(x, i, no, no_is_leaf, &s->no));
    if (mode < 0 || mode >= HB_ONNX_N_MODES)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "node %zu: its mode is %lld (0 to 6)", i,
                              (long long)mode);
    if (s->test.mode == HB_ONNX_MEMBER)
        take_members(x, s, next_member);
    return hb_worked(t->file->bytes.work, 32, t->file->error);
}

static hbs_status read_splits(tables *x)
{
    hb_onnx_trees *t = x->t;
    columns c;
    size_t next_member = 0;

    HB_TRY(count_list(x, "nodes_featureids", &x->n_splits));
    if (!hb_forest_model_may_grow(t->forest, &t->file->pipeline->limits, x->n_splits))
        return hb_onnx_refuse(t->file, t->node, HBS_E_LIMIT, HB_TOO_MANY_NODES, t->file->pipeline->limits.max_nodes);
    HB_TRY(begin_columns(x, &c));
    x->splits = hb_arena_room(&t->file->arena, x->n_splits, sizeof(*x->splits));
    if (!x->splits)
        return hb_no_memory(t->file->arena.memory, t->file->error);
    for (size_t i = 0; i < x->n_splits; i++)
        HB_TRY(read_split(x, &c, i, &next_member));
    if (next_member < x->n_members)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "it has more membership_values than nodes test");
    return HBS_OK;
}

/* ---- trees */

static hbs_status push(tables *x, branch to)
{
    return hb_vector_append(&x->queue, &to, 1) ? HBS_OK : hb_no_memory(x->queue.memory, x->t->file->error);
}

static hbs_status make_leaf(tables *x, const branch *b, uint32_t tree)
{
    hb_onnx_trees *t = x->t;
    const hb_tree_node node = {.left = HB_NO_CHILD, .right = HB_NO_CHILD};
    const hb_onnx_weight weight = {(uint32_t)t->forest->nodes.count, tree, x->leaves[b->place].output,
                                   x->leaves[b->place].weight};

    if (!hb_vector_append(&t->forest->nodes, &node, 1))
        return hb_no_memory(t->forest->nodes.memory, t->file->error);
    return hb_onnx_weight_add(t, weight);
}

static hbs_status add_members(tables *x, const split *s, hb_tree_node *node)
{
    for (size_t i = s->members; i < x->n_members && !isnan(x->members[i]); i++) {
        HB_TRY(hb_onnx_equality_add(x->t, node, x->members[i]));
        HB_TRY(hb_worked(x->t->file->bytes.work, 4, x->t->file->error));
    }
    if (node->flags & HB_NODE_CATEGORIES)
        return HBS_OK;
    return hb_onnx_refuse(x->t->file, x->t->node, HBS_E_UNSUPPORTED, "node %zu: its set has no members",
                          (size_t)(s - x->splits));
}

static hbs_status check_split(const tables *x, const split *s)
{
    hb_onnx_trees *t = x->t;
    size_t place = (size_t)(s - x->splits);

    if (s->is_made)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "node %zu is a root or has another parent already",
                              place);
    if (s->test.feature < 0 || (uint64_t)s->test.feature >= t->in->width)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "node %zu: it tests feature %lld of %zu", place,
                              (long long)s->test.feature, t->in->width);
    if (isnan(s->test.number) && s->test.mode != HB_ONNX_MEMBER)
        return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "node %zu: its threshold is NaN", place);
    return HBS_OK;
}

/* Its children come to the end of the queue. */
static hbs_status make_test(tables *x, const branch *b)
{
    hb_onnx_trees *t = x->t;
    split *s = &x->splits[b->place];
    bool left = hb_onnx_holds_left(t, &s->test);
    hb_tree_node node = {.cover = 0};

    HB_TRY(check_split(x, s));
    s->is_made = true;
    HB_TRY(hb_onnx_test_build(t, &s->test, &node));
    if (s->test.mode == HB_ONNX_MEMBER)
        HB_TRY(add_members(x, s, &node));
    node.left = (int32_t)x->queue.count;
    node.right = node.left + 1;
    if (!hb_vector_append(&t->forest->nodes, &node, 1))
        return hb_no_memory(t->forest->nodes.memory, t->file->error);
    HB_TRY(push(x, left ? s->yes : s->no));
    return push(x, left ? s->no : s->yes);
}

/* A root whose branches are the same leaf stands for a tree of just this leaf. */
static branch begin_tree(tables *x, uint32_t root)
{
    split *s = &x->splits[root];

    if (!s->yes.is_leaf || !s->no.is_leaf || s->yes.place != s->no.place || s->is_made)
        return (branch){root, false};
    s->is_made = true;
    return s->yes;
}

static hbs_status make_tree(tables *x, uint32_t root)
{
    hb_onnx_trees *t = x->t;
    uint32_t first = (uint32_t)t->forest->nodes.count, number = (uint32_t)t->trees.count;
    const int32_t group = 0;

    x->queue.count = 0;
    HB_TRY(push(x, begin_tree(x, root)));
    for (size_t k = 0; k < x->queue.count; k++) {
        branch b = ((const branch *)x->queue.items)[k];

        if (!hb_forest_model_may_grow(t->forest, &t->file->pipeline->limits, 1) || t->forest->nodes.count >= INT32_MAX)
            return hb_onnx_refuse(t->file, t->node, HBS_E_LIMIT, HB_TOO_MANY_NODES,
                                  t->file->pipeline->limits.max_nodes);
        HB_TRY(b.is_leaf ? make_leaf(x, &b, number) : make_test(x, &b));
        HB_TRY(hb_worked(t->file->bytes.work, 16, t->file->error));
    }
    if (!hb_vector_append(&t->trees, &(hb_onnx_tree){number, first, (uint32_t)x->queue.count, true}, 1) ||
        !hb_vector_append(&t->forest->starts, &first, 1) || !hb_vector_append(&t->forest->groups, &group, 1))
        return hb_no_memory(t->trees.memory, t->file->error);
    return HBS_OK;
}

static hbs_status make_trees(tables *x)
{
    hb_onnx_trees *t = x->t;
    hb_onnx_items roots;
    size_t n;

    HB_TRY(count_list(x, "tree_roots", &n));
    HB_TRY(begin_integers(x, "tree_roots", n, &roots));
    for (size_t i = 0; i < n; i++) {
        int64_t root = hb_onnx_next_integer(&roots);

        HB_TRY(t->file->bytes.status);
        if (root < 0 || (uint64_t)root >= x->n_splits)
            return hb_onnx_refuse(t->file, t->node, HBS_E_FORMAT, "the root of tree %zu is node %lld of %zu", i,
                                  (long long)root, x->n_splits);
        HB_TRY(make_tree(x, (uint32_t)root));
    }
    return HBS_OK;
}

static hbs_status check_all_made(const tables *x)
{
    for (size_t i = 0; i < x->n_splits; i++) {
        HB_TRY(hb_worked(x->t->file->bytes.work, 1, x->t->file->error));
        if (!x->splits[i].is_made)
            return hb_onnx_refuse(x->t->file, x->t->node, HBS_E_FORMAT, "node %zu: no path leads to it from a root", i);
    }
    return HBS_OK;
}

/* ---- the tables */

hbs_status hb_onnx_rooted_trees_read(hb_onnx_trees *t)
{
    tables x = {.t = t};
    hbs_status status;

    HB_TRY(read_leaves(&x));
    HB_TRY(read_members(&x));
    HB_TRY(read_splits(&x));
    hb_vector_init(&x.queue, t->file->arena.memory, sizeof(branch));
    status = make_trees(&x);
    hb_vector_release(&x.queue);
    t->n_nodes = t->forest->nodes.count;
    return status == HBS_OK ? check_all_made(&x) : status;
}
