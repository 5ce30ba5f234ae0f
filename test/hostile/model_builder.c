/* model_builder.c - small valid XGBoost models. The edits on them are in model_edit.c. */
#include "model_builder_private.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 256, MAX_CATEGORIES = 64, MAX_OUTPUTS = 8 };

void mb_mistake(const char *what, const char *where)
{
    fprintf(stderr, "model_builder: %s: %.120s\n", what, where);
    exit(2);
}

/* ------------------------------------------------------------------ trees from their notation */

typedef struct tree {
    int nodes, outputs, n_categories, n_segments;
    double left[MAX_NODES], right[MAX_NODES], parent[MAX_NODES];
    double feature[MAX_NODES], condition[MAX_NODES], default_left[MAX_NODES], type[MAX_NODES];
    double hessian[MAX_NODES], loss[MAX_NODES];
    double leaf[MAX_NODES * MAX_OUTPUTS];
    double categories[MAX_CATEGORIES];
    double category_nodes[MAX_NODES], segments[MAX_NODES], sizes[MAX_NODES];
} tree;

static double read_number(const char **p)
{
    char *end;
    double number = strtod(*p, &end);

    if (end == *p)
        mb_mistake("a number is wanted in a tree", *p);
    *p = end;
    return number;
}

static void expect(const char **p, char c)
{
    if (**p != c)
        mb_mistake("a tree is wrong", *p);
    (*p)++;
}

static void read_leaf(tree *t, int node, const char **p)
{
    int outputs = 0;

    t->left[node] = t->right[node] = -1;
    if (**p != '[') {
        t->leaf[node * MAX_OUTPUTS] = t->condition[node] = read_number(p);
        return;
    }
    do {
        (*p)++;
        t->leaf[node * MAX_OUTPUTS + outputs++] = read_number(p);
    } while (**p == ',' && outputs < MAX_OUTPUTS);
    expect(p, ']');
    t->outputs = outputs;
    t->condition[node] = 1e-45;
}

static void read_categories(tree *t, int node, const char **p)
{
    t->type[node] = 1;
    t->condition[node] = 1e-45;
    t->category_nodes[t->n_segments] = node;
    t->segments[t->n_segments] = t->n_categories;
    do {
        (*p)++;
        if (**p != '}')
            t->categories[t->n_categories++] = read_number(p);
    } while (**p == ',');
    expect(p, '}');
    t->sizes[t->n_segments] = t->n_categories - t->segments[t->n_segments];
    t->n_segments++;
}

/* Nodes in XGBoost's order: both children of a split stand side by side. */
static void read_node(tree *t, int node, int parent, const char **p)
{
    int left;

    t->parent[node] = parent < 0 ? 2147483647 : parent;
    t->hessian[node] = 10;
    if (**p != 'f') {
        read_leaf(t, node, p);
        return;
    }
    (*p)++;
    t->feature[node] = read_number(p);
    t->loss[node] = 1;
    if (**p == '{') {
        read_categories(t, node, p);
    } else {
        expect(p, '<');
        t->condition[node] = read_number(p);
    }
    if (**p == '!') {
        t->default_left[node] = 1;
        (*p)++;
    }
    left = t->nodes;
    t->nodes += 2;
    if (t->nodes > MAX_NODES)
        mb_mistake("a tree has too many nodes", *p);
    t->left[node] = left;
    t->right[node] = left + 1;
    expect(p, '(');
    read_node(t, left, node, p);
    expect(p, ',');
    read_node(t, left + 1, node, p);
    expect(p, ')');
}

/* ------------------------------------------------------------------ trees as documents */

static md_value *put_numbers(mb_model *m, md_value *object, const char *key, char marker, const double *numbers,
                             size_t count)
{
    return md_put(&m->pool, object, key, md_numbers(&m->pool, marker, numbers, count));
}

static void put_text(mb_model *m, md_value *object, const char *key, const char *text)
{
    md_put(&m->pool, object, key, md_string(&m->pool, text));
}

static void put_count(mb_model *m, md_value *object, const char *key, size_t count)
{
    char text[32];

    snprintf(text, sizeof(text), "%zu", count);
    put_text(m, object, key, text);
}

static void put_tree_param(mb_model *m, md_value *object, size_t nodes)
{
    md_value *param = md_put(&m->pool, object, "tree_param", md_object(&m->pool));

    put_text(m, param, "num_deleted", "0");
    put_count(m, param, "num_feature", (size_t)m->features);
    put_count(m, param, "num_nodes", nodes);
    put_count(m, param, "size_leaf_vector", (size_t)m->outputs);
}

/* Vector leaves as 3.2 writes them: leaf_weights, and the row in them as the right child. */
static void put_vector_leaves(mb_model *m, md_value *object, tree *t)
{
    double weights[MAX_NODES * MAX_OUTPUTS];
    size_t n = 0, leaves = 0;

    for (int i = 0; i < t->nodes; i++) {
        if (t->left[i] >= 0)
            continue;
        t->right[i] = (double)leaves++;
        for (int k = 0; k < m->outputs; k++)
            weights[n++] = t->leaf[i * MAX_OUTPUTS + k];
    }
    put_numbers(m, object, "leaf_weights", 'd', weights, n);
}

static md_value *tree_document(mb_model *m, tree *t, size_t id)
{
    md_value *o = md_object(&m->pool);
    size_t n = (size_t)t->nodes, segments = (size_t)t->n_segments;
    double base[MAX_NODES * MAX_OUTPUTS] = {0};

    put_numbers(m, o, "base_weights", 'd', base, n * (size_t)m->outputs);
    put_numbers(m, o, "categories", 'l', t->categories, (size_t)t->n_categories);
    put_numbers(m, o, "categories_nodes", 'l', t->category_nodes, segments);
    put_numbers(m, o, "categories_segments", 'L', t->segments, segments);
    put_numbers(m, o, "categories_sizes", 'L', t->sizes, segments);
    put_numbers(m, o, "default_left", 'U', t->default_left, n);
    md_put(&m->pool, o, "id", md_integer(&m->pool, (int64_t)id));
    if (m->outputs > 1)
        put_vector_leaves(m, o, t);
    put_numbers(m, o, "left_children", 'l', t->left, n);
    put_numbers(m, o, "loss_changes", 'd', t->loss, n);
    put_numbers(m, o, "parents", 'l', t->parent, n);
    put_numbers(m, o, "right_children", 'l', t->right, n);
    put_numbers(m, o, "split_conditions", 'd', t->condition, n);
    put_numbers(m, o, "split_indices", 'l', t->feature, n);
    put_numbers(m, o, "split_type", 'U', t->type, n);
    put_numbers(m, o, "sum_hessian", 'd', t->hessian, n);
    put_tree_param(m, o, n);
    return o;
}

/* ------------------------------------------------------------------ the model round the trees */

md_value *mb_at_path(mb_model *m, const char *a, const char *b, const char *c)
{
    const char *const keys[] = {a, b, c};
    md_value *v = m->root;

    for (int i = 0; i < 3 && v && keys[i]; i++)
        v = md_member(v, keys[i]);
    return v;
}

md_value *mb_inner_model(mb_model *m)
{
    md_value *booster = mb_at_path(m, "learner", "gradient_booster", NULL);
    md_value *gbtree = booster ? md_member(booster, "gbtree") : NULL;

    return booster ? md_member(gbtree ? gbtree : booster, "model") : NULL;
}

static void replace(mb_model *m, md_value *object, const char *key, md_value *value)
{
    md_value *old = md_member(object, key);

    if (old)
        md_unlink(object, old);
    md_put(&m->pool, object, key, value);
}

/* Round-robin over the groups; one round has one tree of each group. */
static void put_rounds(mb_model *m, md_value *model, md_value *trees, size_t groups)
{
    size_t count = md_children(trees), rounds = (count + groups - 1) / groups;
    md_value *info = md_numbers(&m->pool, 'l', NULL, count);
    md_value *indptr = md_numbers(&m->pool, 'l', NULL, rounds + 1);
    md_value *param = md_object(&m->pool);

    for (size_t i = 0; i < count; i++)
        info->numbers[i] = (double)(i % groups);
    for (size_t i = 0; i <= rounds; i++)
        indptr->numbers[i] = (double)(i * groups < count ? i * groups : count);
    md_untype(&m->pool, info); /* as XGBoost writes these two */
    md_untype(&m->pool, indptr);
    put_text(m, param, "num_parallel_tree", "1");
    put_count(m, param, "num_trees", count);
    replace(m, model, "gbtree_model_param", param);
    replace(m, model, "iteration_indptr", indptr);
    replace(m, model, "tree_info", info);
    replace(m, model, "trees", trees);
}

static size_t groups_of(mb_model *m)
{
    md_value *classes = md_member(mb_at_path(m, "learner", "learner_model_param", NULL), "num_class");
    size_t n = classes ? strtoul(classes->bytes, NULL, 10) : 0;

    return n ? n : 1;
}

static void put_trees(mb_model *m, md_value *trees)
{
    size_t count = md_children(trees);
    md_value *booster = mb_at_path(m, "learner", "gradient_booster", NULL);

    put_rounds(m, mb_inner_model(m), trees, groups_of(m));
    if (m->dart) {
        md_value *drop = md_numbers(&m->pool, 'd', NULL, count);

        for (size_t i = 0; i < count; i++)
            drop->numbers[i] = 1.0 - 0.25 * (double)(i % 3);
        md_untype(&m->pool, drop);
        replace(m, booster, "weight_drop", drop);
    }
}

void mb_set_trees(mb_model *m, const char *const *texts, size_t count)
{
    md_value *trees = md_new(&m->pool, MD_ARRAY);
    tree *t = malloc(sizeof(*t));

    if (!t)
        mb_mistake("no memory", "");
    for (size_t i = 0; i < count; i++) {
        const char *p = texts[i];

        memset(t, 0, sizeof(*t));
        t->nodes = t->outputs = 1;
        read_node(t, 0, -1, &p);
        if (*p)
            mb_mistake("something behind a tree", p);
        md_append(trees, tree_document(m, t, i));
    }
    put_trees(m, trees);
    free(t);
}

void mb_set_stumps(mb_model *m, size_t count)
{
    md_value *trees = md_new(&m->pool, MD_ARRAY);
    tree *t = calloc(1, sizeof(*t));

    if (!t)
        mb_mistake("no memory", "");
    t->nodes = t->outputs = 1;
    t->left[0] = t->right[0] = -1;
    t->parent[0] = 2147483647;
    t->condition[0] = 0.25;
    for (size_t i = 0; i < count; i++)
        md_append(trees, tree_document(m, t, i));
    put_trees(m, trees);
    free(t);
}

/* Node 2k is the k-th split of the chain, or its last leaf; node 2k + 1 is the leaf beside it. */
static void set_chain_node(md_value *tree_value, size_t i, size_t depth, bool to_left)
{
    static const char *const KEYS[] = {"left_children", "right_children", "parents", "split_conditions", "sum_hessian"};
    bool split = i % 2 == 0 && i < 2 * depth;
    double child = split ? (double)(i + 2) : -1, leaf = split ? (double)(i + 1) : -1;
    double parent = i < 2 ? (i == 0 ? 2147483647 : 0) : (double)((i - 1) / 2 * 2);
    const double values[] = {to_left ? child : leaf, to_left ? leaf : child, i % 2 == 0 && i ? (double)(i - 2) : parent,
                             split ? (to_left ? -(double)i : (double)i) : 0.001 * (double)i, 10};

    for (int k = 0; k < 5; k++)
        md_member(tree_value, KEYS[k])->numbers[i] = values[k];
}

/* A tree of `nodes` nodes with all its members, of which the caller fills some. */
static md_value *empty_tree(mb_model *m, size_t nodes)
{
    static const struct {
        const char *key;
        char marker;
        bool of_nodes;
    } ARRAYS[] = {
        {"base_weights", 'd', true},         {"categories", 'l', false},       {"categories_nodes", 'l', false},
        {"categories_segments", 'L', false}, {"categories_sizes", 'L', false}, {"default_left", 'U', true},
        {"left_children", 'l', true},        {"loss_changes", 'd', true},      {"parents", 'l', true},
        {"right_children", 'l', true},       {"split_conditions", 'd', true},  {"split_indices", 'l', true},
        {"split_type", 'U', true},           {"sum_hessian", 'd', true}};
    md_value *o = md_object(&m->pool);

    for (size_t k = 0; k < sizeof(ARRAYS) / sizeof(ARRAYS[0]); k++)
        put_numbers(m, o, ARRAYS[k].key, ARRAYS[k].marker, NULL, ARRAYS[k].of_nodes ? nodes : 0);
    md_put(&m->pool, o, "id", md_integer(&m->pool, 0));
    put_tree_param(m, o, nodes);
    return o;
}

static void put_one_tree(mb_model *m, md_value *tree_value)
{
    md_value *trees = md_new(&m->pool, MD_ARRAY);

    md_append(trees, tree_value);
    put_trees(m, trees);
}

void mb_set_chain(mb_model *m, size_t depth, bool to_left)
{
    size_t nodes = 2 * depth + 1;
    md_value *o = empty_tree(m, nodes);

    for (size_t i = 0; i < nodes; i++)
        set_chain_node(o, i, depth, to_left);
    put_one_tree(m, o);
}

/* In heap order: the children of node i are 2i + 1 and 2i + 2. */
void mb_set_complete(mb_model *m, size_t depth)
{
    size_t nodes = ((size_t)2 << depth) - 1, splits = nodes / 2;
    md_value *o = empty_tree(m, nodes);
    double *left = md_member(o, "left_children")->numbers;
    double *right = md_member(o, "right_children")->numbers;
    double *parents = md_member(o, "parents")->numbers;

    for (size_t i = 0; i < nodes; i++) {
        left[i] = i < splits ? (double)(2 * i + 1) : -1;
        right[i] = i < splits ? (double)(2 * i + 2) : -1;
        parents[i] = i ? (double)((i - 1) / 2) : 2147483647;
        md_member(o, "split_conditions")->numbers[i] = (double)(i % 7);
        md_member(o, "split_indices")->numbers[i] = (double)(i % 3);
    }
    put_one_tree(m, o);
}

static double *resized(mb_model *m, md_value *tree_value, const char *key, size_t count)
{
    md_value *v = md_member(tree_value, key);

    v->numbers = md_allocate(&m->pool, count, sizeof(double));
    v->count = count;
    return v->numbers;
}

static void share_sets(mb_model *m, md_value *t, size_t wide)
{
    size_t n = md_member(t, "left_children")->count, splits = n / 2;
    double *categories = resized(m, t, "categories", wide);
    double *nodes = resized(m, t, "categories_nodes", splits);
    double *sizes = resized(m, t, "categories_sizes", splits);
    double *types = resized(m, t, "split_type", n);

    resized(m, t, "categories_segments", splits);
    for (size_t i = 0; i < wide; i++)
        categories[i] = (double)i;
    for (size_t i = 0; i < splits; i++) {
        nodes[i] = (double)(2 * i);
        sizes[i] = (double)wide;
        types[2 * i] = 1;
    }
}

static void share_leaves(mb_model *m, md_value *t, size_t wide)
{
    md_value *left = md_member(t, "left_children"), *right = md_member(t, "right_children");
    md_value *param = mb_at_path(m, "learner", "learner_model_param", NULL);
    char text[32];

    snprintf(text, sizeof(text), "%zu", wide);
    for (size_t i = 0; i < left->count; i++)
        if (left->numbers[i] < 0)
            right->numbers[i] = 0;
    put_numbers(m, t, "leaf_weights", 'd', NULL, wide);
    replace(m, md_member(t, "tree_param"), "size_leaf_vector", md_string(&m->pool, text));
    replace(m, param, "num_target", md_string(&m->pool, text));
    replace(m, param, "base_score", md_string(&m->pool, "[5E-1]"));
}

void mb_share(mb_model *m, const char *what, size_t wide)
{
    md_value *t = md_member(mb_inner_model(m), "trees")->first;

    if (strcmp(what, "sets") == 0)
        share_sets(m, t, wide);
    else
        share_leaves(m, t, wide);
}

/* ------------------------------------------------------------------ the samples */

typedef struct sample {
    const char *name, *objective, *num_class, *num_target, *base_score;
    int features, outputs;
    const char *names[3], *types[3];
    const char *trees[4];
} sample;

static const sample SAMPLES[MB_SAMPLES] = {
    {"regression",
     "reg:squarederror",
     "0",
     "1",
     "[5E-1]",
     3,
     1,
     {0},
     {0},
     {"f0<0.5!(f1<-1.25(1.5,-0.75),f2<3!(0.25,f0<2(-2,4)))", "f1<0.125(0.5,-0.25)", "0.0625"}},
    {"binary",
     "binary:logistic",
     "0",
     "1",
     "[5E-1]",
     3,
     1,
     {"a", "b", "c"},
     {"float", "int", "float"},
     {"f0<0.5(f1<-1.25!(1.5,-0.75),0.25)", "f2<0.125(0.5,f0<-7(-0.25,0.75))"}},
    {"multi",
     "multi:softprob",
     "3",
     "1",
     "[5E-1]",
     3,
     1,
     {0},
     {0},
     {"f0<0.5(1.5,-0.75)", "f1<0.25!(0.5,-0.25)", "f2<0.125(f0<2(1,2),-0.5)"}},
    {"codes",
     "reg:squarederror",
     "0",
     "1",
     "[5E-1]",
     3,
     1,
     {0},
     {"c", "q", "q"},
     {"f0{0,2,33}!(f1<0.5(1,2),-3)", "f1<1(f0{4}(0.5,0.25),8)"}},
    {"categories",
     "binary:logistic",
     "0",
     "1",
     "[5E-1]",
     3,
     1,
     {"plan", "fee", "zone"},
     {"c", "float", "c"},
     {"f0{1}!(f1<0.5(1,2),-3)", "f2{0,2}(0.5,f1<4!(0.25,-0.125))"}},
    {"vector",
     "reg:squarederror",
     "0",
     "2",
     "[5E-1,-2.5E-1]",
     3,
     2,
     {0},
     {0},
     {"f0<0.5!([1,-1],f1<2([0.5,0.25],[3,4]))", "f2<0([0.125,1],[-2,2])"}},
    {"dart",
     "reg:squarederror",
     "0",
     "1",
     "[5E-1]",
     3,
     1,
     {0},
     {0},
     {"f0<0.5(1.5,-0.75)", "f1<0.25!(0.5,-0.25)", "f2<0.125(1,-0.5)"}},
    {"linear", "reg:squarederror", "0", "1", "[5E-1]", 3, 1, {0}, {0}, {0}},
};

const char *mb_sample_name(mb_sample s)
{
    return SAMPLES[s].name;
}

static size_t texts_of(const char *const *texts, size_t most)
{
    size_t n = 0;

    while (n < most && texts[n])
        n++;
    return n;
}

static void put_cats(mb_model *m, md_value *model, bool stored)
{
    static const double OFFSETS[] = {0, 5, 9, 13}, ZONES[] = {10, 20, 30};
    static const double SEGMENTS[] = {0, 3, 3, 6}, SORTED[] = {0, 1, 2, 0, 1, 2};
    static const char WORDS[] = "basicgoldplus";
    md_value *cats = md_put(&m->pool, model, "cats", md_object(&m->pool));
    md_value *enc = md_put(&m->pool, cats, "enc", md_new(&m->pool, MD_ARRAY));
    double words[sizeof(WORDS) - 1];

    for (size_t i = 0; i + 1 < sizeof(WORDS); i++)
        words[i] = WORDS[i];
    for (int i = 0; i < 3 && stored; i++) {
        md_value *one = md_object(&m->pool);

        if (i == 2)
            md_put(&m->pool, one, "type", md_integer(&m->pool, 15));
        else
            put_numbers(m, one, "offsets", 'l', OFFSETS, i == 0 ? 4 : 0);
        if (i == 2)
            put_numbers(m, one, "values", 'L', ZONES, 3);
        else
            put_numbers(m, one, "values", 'i', words, i == 0 ? 13 : 0);
        md_append(enc, one);
    }
    put_numbers(m, cats, "feature_segments", 'l', SEGMENTS, stored ? 4 : 0);
    put_numbers(m, cats, "sorted_idx", 'l', SORTED, stored ? 6 : 0);
}

static void put_objective(mb_model *m, md_value *learner, const sample *s)
{
    md_value *o = md_put(&m->pool, learner, "objective", md_object(&m->pool));
    bool multi = strncmp(s->objective, "multi", 5) == 0;
    md_value *param;

    put_text(m, o, "name", s->objective);
    param = md_put(&m->pool, o, multi ? "softmax_multiclass_param" : "reg_loss_param", md_object(&m->pool));
    put_text(m, param, multi ? "num_class" : "scale_pos_weight", multi ? s->num_class : "1");
}

static void put_booster(mb_model *m, md_value *learner, mb_sample kind)
{
    static const double WEIGHTS[] = {1.5, -0.25, 0.125, 0.75};
    md_value *b = md_put(&m->pool, learner, "gradient_booster", md_object(&m->pool));
    md_value *inner = m->dart ? md_put(&m->pool, b, "gbtree", md_object(&m->pool)) : b;
    md_value *model = md_put(&m->pool, inner, "model", md_object(&m->pool));

    if (kind == MB_LINEAR) {
        md_put(&m->pool, model, "boosted_rounds", md_integer(&m->pool, 3));
        put_numbers(m, model, "weights", 'd', WEIGHTS, 4);
        put_text(m, b, "name", "gblinear");
        return;
    }
    put_cats(m, model, kind == MB_CATEGORIES);
    put_text(m, inner, "name", "gbtree");
    if (m->dart)
        put_text(m, b, "name", "dart");
}

static void put_param(mb_model *m, md_value *learner, const sample *s)
{
    md_value *p = md_put(&m->pool, learner, "learner_model_param", md_object(&m->pool));

    put_text(m, p, "base_score", s->base_score);
    put_text(m, p, "boost_from_average", "1");
    put_text(m, p, "num_class", s->num_class);
    put_count(m, p, "num_feature", (size_t)s->features);
    put_text(m, p, "num_target", s->num_target);
}

mb_model *mb_make(mb_sample kind)
{
    static const double VERSION[] = {3, 2, 0};
    const sample *s = &SAMPLES[kind];
    mb_model *m = calloc(1, sizeof(*m));
    md_value *learner, *version;

    if (!m)
        mb_mistake("no memory", "");
    m->features = s->features;
    m->outputs = s->outputs;
    m->dart = kind == MB_DART;
    m->root = md_object(&m->pool);
    learner = md_put(&m->pool, m->root, "learner", md_object(&m->pool));
    md_put(&m->pool, learner, "attributes", md_object(&m->pool));
    md_put(&m->pool, learner, "feature_names", md_strings(&m->pool, s->names, texts_of(s->names, 3)));
    md_put(&m->pool, learner, "feature_types", md_strings(&m->pool, s->types, texts_of(s->types, 3)));
    put_booster(m, learner, kind);
    put_param(m, learner, s);
    put_objective(m, learner, s);
    version = put_numbers(m, m->root, "version", 'l', VERSION, 3);
    md_untype(&m->pool, version);
    if (kind != MB_LINEAR)
        mb_set_trees(m, s->trees, texts_of(s->trees, 4));
    return m;
}

void mb_free(mb_model *m)
{
    if (m)
        md_release(&m->pool);
    free(m);
}

mb_bytes mb_write(const mb_model *m, mb_encoding encoding)
{
    return md_write(m->root, encoding);
}
