/* models.c - see models.h. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

/* ------------------------------------------------------------------ forests */

hb_tree_node test_leaf(float value)
{
    return (hb_tree_node){.as.leaf = (double)value, .left = HB_NO_CHILD, .right = HB_NO_CHILD};
}

hb_tree_node test_row_leaf(int row)
{
    return (hb_tree_node){.left = HB_NO_CHILD, .right = row};
}

hb_tree_node test_split(int feature, float threshold, int left, int right)
{
    return (hb_tree_node){.as.threshold = (double)threshold, .left = left, .right = right, .feature = feature};
}

hb_tree_node test_set(hb_forest_model *forest, int feature, int left, int right, size_t n, const int32_t *categories)
{
    hb_tree_node node = {.left = left, .right = right, .feature = feature, .flags = HB_NODE_CATEGORIES};

    node.as.set.first = (uint32_t)forest->categories.count;
    node.as.set.count = (uint32_t)n;
    assert_non_null(hb_vector_append(&forest->categories, categories, n));
    return node;
}

hb_tree_node test_missing_left(hb_tree_node node)
{
    node.flags |= HB_NODE_DEFAULT_LEFT;
    return node;
}

void test_add_tree(hb_forest_model *forest, const hb_tree_node *nodes, size_t n, int group)
{
    uint32_t start = (uint32_t)forest->nodes.count;
    int32_t output = group;

    assert_non_null(hb_vector_append(&forest->starts, &start, 1));
    assert_non_null(hb_vector_append(&forest->groups, &output, 1));
    assert_non_null(hb_vector_append(&forest->nodes, nodes, n));
}

/* ---- at random */

static size_t below(uint64_t *random, size_t n)
{
    return (size_t)(test_random(random) % n);
}

float test_random_number(uint64_t *random, bool finite)
{
    static const float special[] = {0.0f,     -0.0f,   0x1p-149f, -0x1p-149f, FLT_MIN,
                                    -FLT_MIN, FLT_MAX, -FLT_MAX,  INFINITY,   -INFINITY};
    size_t n = finite ? 8 : 10;

    if (below(random, 6) == 0)
        return special[below(random, n)];
    return (float)((int)below(random, 41) - 20) / 4.0f;
}

float test_random_cell(uint64_t *random)
{
    switch (below(random, 8)) {
    case 0:
        return NAN;
    case 1:
        return (float)below(random, 40) + 0.5f; /* a code with a fraction counts as cut */
    case 2:
        return (float)(below(random, 20) * 37);
    case 3:
        return (float)(16777210 + below(random, 12) * 2);
    default:
        return test_random_number(random, false);
    }
}

enum { MAX_NODES = 4096 };

/* The state while one random tree is made. */
typedef struct growing {
    hb_forest_model *forest;
    const test_shape *shape;
    uint64_t *random;
    hb_tree_node nodes[MAX_NODES];
    int n;
} growing;

static hb_tree_node random_leaf(growing *g)
{
    float values[64], more = g->shape->tame ? 0.125f : 0;

    if (g->shape->leaf_width == 1)
        return test_leaf((test_random_number(g->random, true) + more) / 1024.0f);
    for (size_t i = 0; i < g->shape->leaf_width; i++)
        values[i] = (test_random_number(g->random, true) + more) / 1024.0f;
    assert_non_null(hb_vector_append(&g->forest->leaf_vectors, values, g->shape->leaf_width));
    return test_row_leaf((int)(g->forest->leaf_vectors.count / g->shape->leaf_width - 1));
}

/* Categories below 32 (kept in the node), close ones (bits), far apart (a list). */
static hb_tree_node random_set(growing *g, int feature, int left, int right)
{
    static const int32_t gaps[] = {3, 30, 300};
    int32_t categories[20], category = (int32_t)below(g->random, 3);
    size_t kind = g->shape->small ? 0 : below(g->random, 3), n = 1 + below(g->random, kind ? 20 : 9);

    for (size_t i = 0; i < n; i++) {
        categories[i] = category;
        category += 1 + (int32_t)below(g->random, (size_t)gaps[kind]);
    }
    if (below(g->random, 10) == 0)
        categories[n - 1] = kind ? 16777215 : 31;
    return test_set(g->forest, feature, left, right, n, categories);
}

static void grow(growing *g, int at, int depth)
{
    int feature = (int)below(g->random, g->shape->n_features), left, right;
    hb_tree_node node;

    if (depth == 0 || g->n + 2 > MAX_NODES || (at > 0 && below(g->random, 4) == 0)) {
        g->nodes[at] = random_leaf(g);
        return;
    }
    left = g->n + (int)below(g->random, 2); /* so the right child may have the smaller number */
    right = 2 * g->n + 1 - left;
    g->n += 2;
    node = g->shape->sets && below(g->random, 2)
               ? random_set(g, feature, left, right)
               : test_split(feature, test_random_number(g->random, g->shape->finite), left, right);
    g->nodes[at] = below(g->random, 2) ? test_missing_left(node) : node;
    grow(g, left, depth - 1);
    grow(g, right, depth - 1);
}

void test_random_forest(hb_forest_model *forest, const test_shape *shape, uint64_t *random)
{
    growing *g = malloc(sizeof *g);

    assert_non_null(g);
    *g = (growing){.forest = forest, .shape = shape, .random = random};
    forest->n_features = shape->n_features;
    forest->n_outputs = shape->n_outputs;
    forest->leaf_width = shape->leaf_width;
    for (size_t t = 0; t < shape->n_trees; t++) {
        float weight = (float)(1 + below(random, 8)) / 8.0f;

        g->n = 1;
        grow(g, 0, (int)below(random, (size_t)shape->depth + 1));
        test_add_tree(forest, g->nodes, (size_t)g->n, shape->leaf_width > 1 ? 0 : (int)below(random, shape->n_outputs));
        if (shape->weights)
            assert_non_null(hb_vector_append(&forest->weights, &weight, 1));
    }
    free(g);
}

/* ---- what a forest means */

static bool in_set(const hb_forest_model *forest, const hb_tree_node *node, float x)
{
    const int32_t *categories = (const int32_t *)forest->categories.items + node->as.set.first;

    if (x < 0 || x >= 16777216.0f)
        return false;
    for (uint32_t i = 0; i < node->as.set.count; i++)
        if (categories[i] == (int32_t)x)
            return true;
    return false;
}

static const hb_tree_node *find_leaf(const hb_forest_model *forest, const hb_tree_node *tree, int at, const float *row)
{
    const hb_tree_node *node = &tree[at];
    float x;
    bool left;

    if (node->left == HB_NO_CHILD)
        return node;
    x = row[node->feature];
    if (isnan(x))
        left = (node->flags & HB_NODE_DEFAULT_LEFT) != 0;
    else if (node->flags & HB_NODE_CATEGORIES)
        left = !in_set(forest, node, x);
    else
        left = x < (float)node->as.threshold;
    return find_leaf(forest, tree, left ? node->left : node->right, row);
}

void test_reference(const hb_forest_model *forest, const float *base, const float *row, float *sums)
{
    const hb_tree_node *nodes = forest->nodes.items;

    for (size_t o = 0; o < forest->n_outputs; o++)
        sums[o] = base[o];
    for (size_t t = 0; t < forest->groups.count; t++) {
        uint32_t start = ((const uint32_t *)forest->starts.items)[t];
        const hb_tree_node *leaf = find_leaf(forest, nodes + start, 0, row);
        float weight = forest->weights.count ? ((const float *)forest->weights.items)[t] : 1.0f;
        const float *vector = (const float *)forest->leaf_vectors.items +
                              (forest->leaf_width > 1 ? (size_t)leaf->right * forest->leaf_width : 0);

        for (size_t o = 0; o < forest->n_outputs && forest->leaf_width > 1; o++)
            sums[o] += vector[o] * weight;
        if (forest->leaf_width == 1)
            sums[((const int32_t *)forest->groups.items)[t]] += (float)leaf->as.leaf * weight;
    }
}

bool test_same_bits(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* ------------------------------------------------------------------ pipelines */

static void *take(test_pipeline *p, size_t count, size_t size)
{
    void *items = hb_arena_array(&p->pipeline.arena, count, size);

    assert_non_null(items);
    return items;
}

static const float *take_floats(test_pipeline *p, size_t n, const float *from, float all)
{
    float *numbers = take(p, n, sizeof *numbers);

    for (size_t i = 0; i < n; i++)
        numbers[i] = from ? from[i] : all;
    return numbers;
}

void test_pipeline_begin(test_pipeline *p, const hbs_host *host, size_t n_features)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 100, .max_model_bytes = 1 << 20};

    hb_memory_init(&p->memory, host, 0);
    hb_pipeline_init(&p->pipeline, &p->memory, &limits);
    p->pipeline.n_features = n_features;
    p->pipeline.format = "test";
    assert_int_equal(test_add_plain(p, ORDINAL, 0), 1);
}

void test_pipeline_end(test_pipeline *p)
{
    hb_pipeline_release(&p->pipeline);
    assert_int_equal(p->memory.used, 0);
}

hb_node *test_pipeline_last(const test_pipeline *p)
{
    return hb_node_at(&p->pipeline.graph, p->pipeline.graph.nodes.count - 1);
}

hb_forest_model *test_pipeline_trees(const test_pipeline *p, size_t value)
{
    hb_forest_model *forest = hb_node_forest(hb_node_at(&p->pipeline.graph, value));

    assert_non_null(forest);
    return forest;
}

size_t test_pipeline_forest(test_pipeline *p, size_t input, size_t n_outputs, hb_base_link link, float base)
{
    hb_forest_model *forest = take(p, 1, sizeof *forest);

    hb_forest_model_init(forest, &p->memory);
    forest->n_features = p->pipeline.n_features;
    forest->n_outputs = n_outputs;
    for (size_t o = 0; o < n_outputs; o++)
        test_add_tree(forest, (const hb_tree_node[]){test_leaf(1)}, 1, (int)o);
    return test_add(p, FOREST, forest, input, .forest = forest, .base_link = link,
                    .base_score = take_floats(p, n_outputs, NULL, base));
}

size_t test_pipeline_linear(test_pipeline *p, size_t input, size_t n_outputs, const float *weights, const float *bias)
{
    size_t n = p->pipeline.n_features;

    return test_add(p, LINEAR, linear, input, .n_outputs = n_outputs, .n_features = n,
                    .weights = take_floats(p, n * n_outputs, weights, 1), .bias = take_floats(p, n_outputs, bias, 0),
                    .base_score = take_floats(p, n_outputs, NULL, 0.5f));
}

size_t test_pipeline_link(test_pipeline *p, size_t input, hb_link_kind link)
{
    return test_add(p, LINK, link, input, .link = link);
}

size_t test_pipeline_head(test_pipeline *p, size_t input, hb_head_rule rule, float number)
{
    return test_add(p, HEAD, head, input, .rule = rule, .threshold = number);
}

size_t test_pipeline_mark(test_pipeline *p, size_t input, float number)
{
    return test_add(p, MARK_MISSING, mark_missing, input, .number = number);
}

void test_pipeline_names(test_pipeline *p, const char *names)
{
    size_t size = strlen(names), at = 0, n = 0;
    char *bytes = take(p, size + 1, 1);
    uint32_t *ends = take(p, size + 1, sizeof *ends);

    for (size_t i = 0; i <= size; i++)
        if (names[i] == ',' || names[i] == '\0')
            ends[n++] = (uint32_t)at;
        else
            bytes[at++] = names[i];
    assert_int_equal(n, p->pipeline.n_features);
    p->pipeline.name_bytes = bytes;
    p->pipeline.name_ends = ends;
}

void test_pipeline_classes(test_pipeline *p, size_t n)
{
    p->pipeline.classes = take(p, n, sizeof *p->pipeline.classes);
    p->pipeline.n_classes = n;
    for (size_t i = 0; i < n; i++)
        p->pipeline.classes[i] = (hbs_value){.type = HBS_INT64, .as.i64 = (int64_t)i};
}

hbs_plan *test_pipeline_compile(test_pipeline *p, uint32_t passes_off)
{
    return test_pipeline_compile_as(p, &(hbs_compile_options){.passes_off = passes_off});
}

hbs_plan *test_pipeline_compile_as(test_pipeline *p, const hbs_compile_options *options)
{
    static const uint8_t key[32];
    hbs_plan *plan;

    assert_status(hb_pipeline_seal(&p->pipeline, &p->error), HBS_OK, &p->error);
    assert_status(hb_plan_compile(&p->pipeline, &p->memory.host, options, key, &plan, &p->error), HBS_OK, &p->error);
    return plan;
}

/* ------------------------------------------------------------------ XGBoost files */

/* Text that grows. */
typedef struct writer {
    char *text;
    size_t size, capacity;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list arguments;
    int n;

    if (w->capacity - w->size < 4096) {
        w->capacity = 2 * w->capacity + 8192;
        w->text = realloc(w->text, w->capacity);
        assert_non_null(w->text);
    }
    va_start(arguments, format);
    n = vsnprintf(w->text + w->size, w->capacity - w->size, format, arguments);
    va_end(arguments);
    assert_true(n >= 0 && (size_t)n < w->capacity - w->size);
    w->size += (size_t)n;
}

static void put_text(writer *w, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        size_t n = left < 2000 ? left : 2000;

        put(w, "%.2000s", text);
        text += n;
        left -= n;
    }
}

/* One tree to write. */
typedef struct writing {
    writer *w;
    const hb_forest_model *forest;
    const hb_tree_node *nodes;
    int n;
} writing;

static bool is_leaf(const hb_tree_node *node)
{
    return node->left == HB_NO_CHILD;
}

static bool is_set(const hb_tree_node *node)
{
    return !is_leaf(node) && (node->flags & HB_NODE_CATEGORIES);
}

static int parent_of(const writing *t, int child)
{
    for (int i = 0; i < t->n; i++)
        if (!is_leaf(&t->nodes[i]) && (t->nodes[i].left == child || t->nodes[i].right == child))
            return i;
    return 2147483647;
}

/* "name":[value of each node], */
#define PUT_ARRAY(t, name, format, value)                  \
    do {                                                   \
        put((t)->w, "\"%s\":[", name);                     \
        for (int i = 0; i < (t)->n; i++) {                 \
            const hb_tree_node *node = &(t)->nodes[i];     \
            (void)node;                                    \
            put((t)->w, "%s" format, i ? "," : "", value); \
        }                                                  \
        put((t)->w, "],");                                 \
    } while (0)

static double condition_of(const hb_tree_node *node)
{
    return is_set(node) ? 0.0 : is_leaf(node) ? node->as.leaf : node->as.threshold;
}

static void put_sets(const writing *t)
{
    const char *const names[] = {"categories_nodes", "categories_segments", "categories_sizes"};
    const int32_t *categories = t->forest->categories.items;
    const char *comma = "";

    for (int k = 0; k < 3; k++) {
        uint32_t segment = 0;

        put(t->w, "\"%s\":[", names[k]);
        comma = "";
        for (int i = 0; i < t->n; i++) {
            if (!is_set(&t->nodes[i]))
                continue;
            put(t->w, "%s%u", comma, k == 0 ? (unsigned)i : k == 1 ? segment : t->nodes[i].as.set.count);
            segment += t->nodes[i].as.set.count;
            comma = ",";
        }
        put(t->w, "],");
    }
    put(t->w, "\"categories\":[");
    comma = "";
    for (int i = 0; i < t->n; i++)
        for (uint32_t k = 0; is_set(&t->nodes[i]) && k < t->nodes[i].as.set.count; k++) {
            put(t->w, "%s%d", comma, (int)categories[t->nodes[i].as.set.first + k]);
            comma = ",";
        }
    put(t->w, "],");
}

/* The vectors of this tree's leaves, in the order of its nodes. */
static void put_vectors(const writing *t)
{
    size_t width = t->forest->leaf_width;
    const float *vectors = t->forest->leaf_vectors.items;
    const char *comma = "";

    put(t->w, "\"leaf_weights\":[");
    for (int i = 0; i < t->n; i++)
        for (size_t o = 0; is_leaf(&t->nodes[i]) && o < width; o++) {
            put(t->w, "%s%.9g", comma, (double)vectors[(size_t)t->nodes[i].right * width + o]);
            comma = ",";
        }
    put(t->w, "],");
}

static void put_tree(const writing *t, size_t number)
{
    bool vector = t->forest->leaf_width > 1;
    int row = 0;

    put(t->w, "{\"id\":%zu,", number);
    PUT_ARRAY(t, "left_children", "%d", (int)node->left);
    PUT_ARRAY(t, "right_children", "%d", is_leaf(node) && vector ? row++ : (int)node->right);
    PUT_ARRAY(t, "parents", "%d", parent_of(t, i));
    PUT_ARRAY(t, "split_indices", "%d", (int)node->feature);
    PUT_ARRAY(t, "split_conditions", "%.9g", condition_of(node));
    PUT_ARRAY(t, "split_type", "%d", is_set(node) ? 1 : 0);
    PUT_ARRAY(t, "default_left", "%d", node->flags & HB_NODE_DEFAULT_LEFT ? 1 : 0);
    PUT_ARRAY(t, "sum_hessian", "%.9g", node->cover);
    put_sets(t);
    if (vector)
        put_vectors(t);
    put(t->w, "\"tree_param\":{\"num_nodes\":\"%d\",\"size_leaf_vector\":\"%zu\"}}", t->n,
        vector ? t->forest->leaf_width : 0);
}

static void put_trees(writer *w, const hb_forest_model *forest)
{
    const uint32_t *starts = forest->starts.items;
    size_t n = forest->groups.count;

    put(w, "\"gbtree_model_param\":{\"num_trees\":\"%zu\",\"num_parallel_tree\":\"1\"},", n);
    put(w, "\"tree_info\":[");
    for (size_t i = 0; i < n; i++)
        put(w, "%s%d", i ? "," : "", (int)((const int32_t *)forest->groups.items)[i]);
    put(w, "],\"trees\":[");
    for (size_t i = 0; i < n; i++) {
        uint32_t end = i + 1 < n ? starts[i + 1] : (uint32_t)forest->nodes.count;
        writing t = {w, forest, (const hb_tree_node *)forest->nodes.items + starts[i], (int)(end - starts[i])};

        put(w, "%s", i ? "," : "");
        put_tree(&t, i);
    }
    put(w, "]");
}

static void put_booster(writer *w, const test_file *file)
{
    put(w, "\"gradient_booster\":{\"name\":\"%s\",\"model\":{", file->weights ? "gblinear" : "gbtree");
    if (file->weights)
        put(w, "\"weights\":[%s]", file->weights);
    else
        put_trees(w, file->forest);
    if (file->categories) {
        put(w, ",\"cats\":{\"enc\":[");
        put_text(w, file->categories);
        put(w, "]}");
    }
    put(w, "}}");
}

char *test_write_file(const test_file *file)
{
    size_t n_features = file->forest ? file->forest->n_features : file->n_features;
    writer w = {NULL, 0, 0};

    put(&w, "{\"learner\":{");
    if (file->scikit_learn)
        put(&w, "\"attributes\":{\"scikit_learn\":\"%s\"},", file->scikit_learn);
    if (file->names) {
        put(&w, "\"feature_names\":[");
        put_text(&w, file->names);
        put(&w, "],");
    }
    if (file->types)
        put(&w, "\"feature_types\":[%s],", file->types);
    put_booster(&w, file);
    put(&w, ",\"learner_model_param\":{\"base_score\":\"%s\",\"num_class\":\"%zu\",",
        file->base_score ? file->base_score : "5E-1", file->n_classes);
    put(&w, "\"num_feature\":\"%zu\",\"num_target\":\"%zu\"},", n_features, file->n_targets ? file->n_targets : 1);
    put(&w, "\"objective\":{\"name\":\"%s\"}},\"version\":[3,1,0]}", file->objective);
    return w.text;
}

hbs_model *test_load(const hbs_host *host, const char *json, const char *options)
{
    hbs_source source = {.name = "m",
                         .bytes = json,
                         .size = strlen(json),
                         .options = options,
                         .options_size = options ? strlen(options) : 0};
    hbs_model *model;
    hbs_error error;

    assert_status(hbs_model_load(host, NULL, &source, &model, &error), HBS_OK, &error);
    return model;
}

hbs_plan *test_compile(const hbs_host *host, const char *json, const char *options)
{
    hbs_model *model = test_load(host, json, options);
    hbs_plan *plan;
    hbs_error error;

    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    hbs_model_free(model);
    return plan;
}

hbs_run *test_run(const hbs_host *host, const hbs_plan *plan, size_t max_rows)
{
    hbs_run *run;
    hbs_error error;

    assert_status(hbs_run_create(plan, host, "m", max_rows, &run, &error), HBS_OK, &error);
    return run;
}
