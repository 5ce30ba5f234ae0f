/* models.h - small models for the tests of the layers above format/: forests built node by node or at
 * random, the walk that says what they mean, and XGBoost files written from a description.
 *
 * Forests are hb_forest_model before sealing: nodes have the numbers of a file, in any order. */
#ifndef HB_TEST_MODELS_H
#define HB_TEST_MODELS_H

#include "support.h"

#include "ir/pipeline.h"

/* ---- forests */

hb_tree_node test_leaf(float value);
hb_tree_node test_row_leaf(int row); /* of leaf_vectors */
/* x < threshold goes left, a missing value right. */
hb_tree_node test_split(int feature, float threshold, int left, int right);
/* A member of the set goes right; the categories are appended to the forest's. */
hb_tree_node test_set(hb_forest_model *forest, int feature, int left, int right, size_t n, const int32_t *categories);
hb_tree_node test_missing_left(hb_tree_node node);
void test_add_tree(hb_forest_model *forest, const hb_tree_node *nodes, size_t n, int group);

typedef struct test_shape {
    size_t n_features, n_outputs, leaf_width, n_trees;
    int depth;    /* at most */
    bool sets;    /* sets of categories of all kinds: small, bits, list.. */
    bool small;   /* ..but only small ones */
    bool weights; /* of trees */
    bool finite;  /* thresholds and leaves that JSON can say */
    bool tame;    /* no leaf is -0.0 */
} test_shape;

void test_random_forest(hb_forest_model *forest, const test_shape *shape, uint64_t *random);
/* A number that trees and rows both use: often equal to a threshold, sometimes an infinity, a denormal,
 * -0.0; never NaN. */
float test_random_number(uint64_t *random, bool finite);
/* The same or NaN; codes of categories too. */
float test_random_cell(uint64_t *random);

/* The sums of a forest before sealing, for one row: sums[o] = base[o], then the leaves in the order of the
 * trees. By recursion, from XGBoost's rules (formats.md). */
void test_reference(const hb_forest_model *forest, const float *base, const float *row, float *sums);

bool test_same_bits(float a, float b);

/* ---- pipelines */

typedef struct test_pipeline {
    hb_memory memory;
    hb_pipeline pipeline;
    hbs_error error;
} test_pipeline;

/* Appends an operator of one input with the parameters hb_fit_NAME, or without any: CLIP, clip, 1, .limits = {0, 1}. */
#define test_add(p, KIND, name, input, ...) \
    hb_pipeline_add(&(p)->pipeline, HB_OPERATOR_##KIND, input, &(const hb_fit_##name){__VA_ARGS__})
#define test_add_plain(p, KIND, input) hb_pipeline_add(&(p)->pipeline, HB_OPERATOR_##KIND, input, NULL)

/* Value 1 is the ordinal operator's; each function below appends one and gives its value. */
void test_pipeline_begin(test_pipeline *p, const hbs_host *host, size_t n_features);
void test_pipeline_end(test_pipeline *p);
/* The forest of a node; the last node. */
hb_forest_model *test_pipeline_trees(const test_pipeline *p, size_t value);
hb_node *test_pipeline_last(const test_pipeline *p);
/* The pipeline's own copy of a node's parameters, which a test may change. */
#define test_fit(p, name, value) ((hb_fit_##name *)hb_node_at(&(p)->pipeline.graph, value)->fit)
/* One tree of one leaf of 1 for each output. */
size_t test_pipeline_forest(test_pipeline *p, size_t input, size_t n_outputs, hb_base_link link, float base);
size_t test_pipeline_linear(test_pipeline *p, size_t input, size_t n_outputs, const float *weights, const float *bias);
size_t test_pipeline_link(test_pipeline *p, size_t input, hb_link_kind link);
size_t test_pipeline_head(test_pipeline *p, size_t input, hb_head_rule rule, float number);
size_t test_pipeline_mark(test_pipeline *p, size_t input, float number);
/* `names` with commas between them. */
void test_pipeline_names(test_pipeline *p, const char *names);
/* Labels 0, 1, .. */
void test_pipeline_classes(test_pipeline *p, size_t n);
/* Seals it and compiles it for the host of its memory; the second form by one strategy. */
hbs_plan *test_pipeline_compile(test_pipeline *p, uint32_t passes_off);
hbs_plan *test_pipeline_compile_as(test_pipeline *p, const hbs_compile_options *options);

/* ---- XGBoost files */

typedef struct test_file {
    const char *objective;
    size_t n_classes, n_targets; /* 0 where the objective has none; targets: 1 */
    const char *base_score;      /* NULL: "5E-1" */
    const char *names;           /* as in JSON: "\"age\",\"plan\""; NULL: none */
    const char *types;
    const char *categories;   /* the items of cats.enc; NULL: none */
    const char *scikit_learn; /* escaped for JSON; NULL: none */
    const hb_forest_model *forest;
    const char *weights; /* of gblinear, instead of a forest */
    size_t n_features;   /* of gblinear */
} test_file;

/* The file's text in JSON; freed by free(). */
char *test_write_file(const test_file *file);

/* Each fails the test where it does not succeed. `options` may be NULL. */
hbs_model *test_load(const hbs_host *host, const char *json, const char *options);
hbs_plan *test_compile(const hbs_host *host, const char *json, const char *options);
hbs_run *test_run(const hbs_host *host, const hbs_plan *plan, size_t max_rows);

#endif
