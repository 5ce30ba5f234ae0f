/* catboost_trees.c - oblivious_trees and trees, as nodes that test a split_index.
 *
 * An oblivious tree asks the same question on all nodes of a level: bit i of the leaf's number is the
 * answer to its split i. So the root asks the last one, and "yes" goes right. */
#include "format/catboost.h"

/* ---- leaves */

/* All leaves of a model have as many values as it has outputs. */
static bool check_leaf_width(hb_catboost_file *file, size_t width)
{
    if (!hb_document_ok(file->d))
        return false;
    if (file->leaf_width == 0 && width >= 1 && width <= HB_MAX_OUTPUTS)
        file->leaf_width = width;
    if (file->leaf_width == width && width > 0)
        return true;
    hb_document_fail(file->d, HBS_E_FORMAT, "a leaf of %zu values, others have %zu", width, file->leaf_width);
    return false;
}

static void set_leaf(hb_catboost_file *file, hb_tree_node *node, const double *values)
{
    hb_vector *vectors = &file->forest->leaf_vectors;

    node->left = HB_NO_CHILD;
    node->right = HB_NO_CHILD;
    if (file->leaf_width == 1) {
        node->as.leaf = values[0];
        return;
    }
    node->right = (int32_t)(vectors->count / file->leaf_width);
    if (!hb_vector_append(vectors, values, file->leaf_width))
        hb_document_no_memory(file->d);
}

static bool begin_tree(hb_catboost_file *file)
{
    hb_forest_model *forest = file->forest;
    uint32_t start = (uint32_t)forest->nodes.count;
    int32_t group = 0;

    return hb_catboost_append(file, &forest->starts, &start) && hb_catboost_append(file, &forest->groups, &group);
}

/* Asked before room is made for n more nodes. */
static bool check_nodes(hb_catboost_file *file, size_t n)
{
    const hbs_limits *limits = &file->pipeline->limits;

    if (hb_document_ok(file->d) && !hb_forest_model_may_grow(file->forest, limits, n))
        hb_document_fail(file->d, HBS_E_LIMIT, HB_TOO_MANY_NODES, limits->max_nodes);
    return hb_document_ok(file->d);
}

/* ---- splits */

static void check_split_type(hb_document *d)
{
    static const char *const known[] = {"FloatFeature", "OneHotFeature", "OnlineCtr"};
    hbs_text type = hb_read_string(d);
    char shown[HB_EXCERPT_BUFFER];

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (hb_text_is(type, known[i]))
            return;
    if (hb_text_is(type, "EstimatedFeature"))
        hb_document_fail(d, HBS_E_UNSUPPORTED,
                         "text and embedding features: hbscore scores float and categorical ones");
    else
        hb_document_fail(d, HBS_E_UNSUPPORTED, "unknown split_type \"%s\"", HB_SHOW(type, shown));
}

/* Its split_index says all; what else stands there is for people. */
static int32_t read_split(hb_document *d)
{
    int64_t index = -1;
    hbs_text key;

    if (!hb_object_begin(d))
        return 0;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "split_index"))
            index = hb_read_integer(d, 0, INT32_MAX);
        else if (hb_text_is(key, "split_type"))
            check_split_type(d);
        else if (hb_text_is(key, "border") || hb_text_is(key, "value") || hb_text_is(key, "float_feature_index") ||
                 hb_text_is(key, "cat_feature_index") || hb_text_is(key, "ctr_target_border_idx"))
            hb_skip(d, true);
        else
            hb_document_unknown(d);
    }
    if (hb_document_ok(d) && index < 0)
        hb_document_fail(d, HBS_E_FORMAT, "needs split_index");
    return (int32_t)index;
}

/* ---- oblivious trees */

static void read_tests(hb_catboost_file *file)
{
    if (hb_peek(file->d) == HB_KIND_NULL) { /* one leaf */
        hb_skip(file->d, true);
        return;
    }
    if (hb_array_begin(file->d))
        while (hb_array_next(file->d)) {
            int32_t index = read_split(file->d);

            hb_catboost_append(file, &file->tests, &index);
        }
}

/* Reserves n more nodes. Nodes take up to three times the bytes of their text, and a vector that grows holds
 * them twice: beyond 4 x the file. So once a ninth of the trees is read, memory is reserved for all nodes that the
 * rest of the file brings if it is like its beginning. */
static bool reserve_nodes(hb_catboost_file *file, size_t n)
{
    hb_vector *nodes = &file->forest->nodes;
    size_t at = hb_document_offset(file->d), read = at - file->trees_at, left = file->size - at;
    double all = (double)(nodes->count + n) * (1 + (double)left / (double)read) * 17 / 16;

    if (n > nodes->capacity - nodes->count && read >= left / 8 && all < INT32_MAX &&
        hb_vector_reserve(nodes, (size_t)all - nodes->count))
        return true;
    return hb_vector_reserve(nodes, n);
}

/* The tree as a heap: the children of node i are 2 i + 1 and 2 i + 2. */
static void expand_tree(hb_catboost_file *file, size_t depth)
{
    const double *values = file->numbers.items, *weights = file->weights.items;
    const int32_t *tests = file->tests.items;
    size_t n_leaves = (size_t)1 << depth, n = 2 * n_leaves - 1;
    hb_tree_node *nodes;

    if (!check_nodes(file, n))
        return;
    nodes = begin_tree(file) && reserve_nodes(file, n) ? hb_vector_append(&file->forest->nodes, NULL, n) : NULL;
    if (!nodes) {
        hb_document_no_memory(file->d);
        return;
    }
    for (size_t level = 0, i = 0; level < depth; level++)
        for (size_t end = 2 * i + 1; i < end && hb_document_goes_on(file->d, 2); i++)
            nodes[i] = (hb_tree_node){
                .left = (int32_t)(2 * i + 1), .right = (int32_t)(2 * i + 2), .feature = tests[depth - 1 - level]};
    for (size_t k = 0; k < n_leaves && hb_document_goes_on(file->d, 4 + file->leaf_width / 4); k++) {
        hb_tree_node *leaf = &nodes[n_leaves - 1 + k];

        leaf->cover = file->weights.count ? weights[k] : 0;
        set_leaf(file, leaf, values + k * file->leaf_width);
    }
    for (size_t i = n_leaves - 1; i-- > 0 && hb_document_goes_on(file->d, 2);)
        nodes[i].cover = nodes[2 * i + 1].cover + nodes[2 * i + 2].cover;
}

enum { MAX_OBLIVIOUS_DEPTH = 24 }; /* CatBoost's own limit is 16 */

static void check_oblivious(hb_catboost_file *file)
{
    size_t depth = file->tests.count, n_leaves;

    if (!hb_document_ok(file->d))
        return;
    if (depth > MAX_OBLIVIOUS_DEPTH) {
        hb_document_fail(file->d, HBS_E_LIMIT, "%zu splits are more than the limit of %d", depth, MAX_OBLIVIOUS_DEPTH);
        return;
    }
    n_leaves = (size_t)1 << depth;
    if (file->numbers.count % n_leaves != 0)
        hb_document_fail(file->d, HBS_E_FORMAT, "%zu splits with %zu leaf_values", depth, file->numbers.count);
    else if (file->weights.count != 0 && file->weights.count != n_leaves)
        hb_document_fail(file->d, HBS_E_FORMAT, "%zu splits with %zu leaf_weights", depth, file->weights.count);
    else if (check_leaf_width(file, file->numbers.count / n_leaves))
        expand_tree(file, depth);
}

static void read_oblivious(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    file->numbers.count = file->weights.count = file->tests.count = 0;
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "leaf_values"))
            hb_read_doubles(d, &file->numbers, true);
        else if (hb_text_is(key, "leaf_weights"))
            hb_read_doubles(d, &file->weights, true);
        else if (hb_text_is(key, "splits"))
            read_tests(file);
        else
            hb_document_unknown(d);
    }
    check_oblivious(file);
}

/* ---- nested trees: {"split": .., "left": .., "right": ..} and {"value": .., "weight": ..} */

enum { HAS_SPLIT = 1, HAS_LEFT = 2, HAS_RIGHT = 4, HAS_VALUE = 8 };

/* The nodes that are open, from the root on; no deeper than documents are. */
typedef struct walk {
    hb_catboost_file *file;
    size_t start; /* of this tree in the forest's nodes */
    size_t n;
    struct {
        uint32_t node; /* of this tree */
        uint32_t has;
    } open[HB_MAX_DEPTH];
} walk;

static hb_tree_node *node_of(const walk *w, int32_t number)
{
    return (hb_tree_node *)w->file->forest->nodes.items + w->start + number;
}

static void open_node(walk *w)
{
    hb_tree_node node = {.left = HB_NO_CHILD, .right = HB_NO_CHILD};
    uint32_t number = (uint32_t)(w->file->forest->nodes.count - w->start);

    if (!hb_object_begin(w->file->d) || w->n == HB_MAX_DEPTH || !check_nodes(w->file, 1) ||
        !hb_catboost_append(w->file, &w->file->forest->nodes, &node))
        return;
    w->open[w->n].node = number;
    w->open[w->n].has = 0;
    w->n++;
}

static void open_child(walk *w, uint32_t side)
{
    hb_tree_node *parent = node_of(w, (int32_t)w->open[w->n - 1].node);
    int32_t child = (int32_t)(w->file->forest->nodes.count - w->start);

    w->open[w->n - 1].has |= side;
    *(side == HAS_LEFT ? &parent->left : &parent->right) = child;
    open_node(w);
}

static void read_value(walk *w)
{
    hb_catboost_file *file = w->file;
    double value;

    file->numbers.count = 0;
    if (hb_peek(file->d) == HB_KIND_ARRAY) {
        hb_read_doubles(file->d, &file->numbers, true);
    } else {
        value = hb_read_double(file->d);
        hb_catboost_append(file, &file->numbers, &value);
    }
    w->open[w->n - 1].has |= HAS_VALUE;
    if (check_leaf_width(file, file->numbers.count))
        set_leaf(file, node_of(w, (int32_t)w->open[w->n - 1].node), file->numbers.items);
}

/* The members alone say what a node is, so it is checked where it ends. */
static void close_node(walk *w)
{
    hb_tree_node *node;

    w->n--;
    if (!hb_document_ok(w->file->d))
        return;
    node = node_of(w, (int32_t)w->open[w->n].node);
    if (w->open[w->n].has == (HAS_SPLIT | HAS_LEFT | HAS_RIGHT))
        node->cover = node_of(w, node->left)->cover + node_of(w, node->right)->cover;
    else if (w->open[w->n].has != HAS_VALUE)
        hb_document_fail(w->file->d, HBS_E_FORMAT, "a node has split, left and right, or else a value");
}

static void read_member(walk *w, hbs_text key)
{
    hb_document *d = w->file->d;
    hb_tree_node *node = node_of(w, (int32_t)w->open[w->n - 1].node);

    if (hb_text_is(key, "left")) {
        open_child(w, HAS_LEFT);
    } else if (hb_text_is(key, "right")) {
        open_child(w, HAS_RIGHT);
    } else if (hb_text_is(key, "split")) {
        node->feature = read_split(d);
        w->open[w->n - 1].has |= HAS_SPLIT;
    } else if (hb_text_is(key, "value")) {
        read_value(w);
    } else if (hb_text_is(key, "weight")) {
        node->cover = hb_read_double(d);
    } else {
        hb_document_unknown(d);
    }
}

static void read_nested(hb_catboost_file *file)
{
    walk w = {.file = file, .start = file->forest->nodes.count};
    hbs_text key;

    if (begin_tree(file))
        open_node(&w);
    while (w.n > 0 && hb_document_ok(file->d)) {
        if (hb_object_next(file->d, &key))
            read_member(&w, key);
        else
            close_node(&w);
    }
}

/* ---- both */

static void read_list(hb_catboost_file *file, void (*read)(hb_catboost_file *file))
{
    if (file->has_trees) {
        hb_document_fail(file->d, HBS_E_FORMAT, "a model with trees and oblivious_trees");
        return;
    }
    file->has_trees = true;
    file->trees_at = hb_document_offset(file->d);
    if (hb_peek(file->d) == HB_KIND_NULL)
        hb_skip(file->d, true);
    else if (hb_array_begin(file->d))
        while (hb_array_next(file->d))
            read(file);
}

void hb_catboost_oblivious_read(hb_catboost_file *file)
{
    read_list(file, read_oblivious);
}

void hb_catboost_trees_read(hb_catboost_file *file)
{
    read_list(file, read_nested);
}
