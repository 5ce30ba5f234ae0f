/* test_inject_selection.c - a model that ignores columns begins a selection, which moves towards the table: features
 * that no node of a forest tests, and columns without weight where they cannot be infinite. */
#include "graph_fixture.h"

#include <string.h>

enum { FEATURES = 5, VALUES = HBS_OUT_VALUES, TRANSFORM = HBS_OUT_TRANSFORM };

static const double numbers[FEATURES] = {1, 2, 3, 4, 5};

static test_pipeline *begin(graph_fixture *f)
{
    test_pipeline *p = graph_begin(f, FEATURES);

    p->pipeline.wide = true;
    return p;
}

static size_t shift(test_pipeline *p, size_t input)
{
    return test_add(p, SCALE, scale, input, .scaling = HB_SCALE_SHIFT, .shift = numbers);
}

static size_t pick(test_pipeline *p, size_t input, const uint32_t *columns, size_t n)
{
    return test_add(p, SELECT, select, input, .n_columns = n, .columns = columns);
}

static void inject(graph_fixture *f)
{
    graph_lower(f);
    graph_run(f, HBS_PASS_INJECT_SELECTION);
}

/* ---- forests */

/* One tree that tests features 3, then 1. */
static size_t add_forest(test_pipeline *p, size_t input)
{
    static const hb_tree_node nodes[] = {{.as.threshold = 0.5, .left = 1, .right = 2, .feature = 3},
                                         {.as.threshold = 1.5, .left = 3, .right = 4, .feature = 1},
                                         {.as.leaf = 1, .left = HB_NO_CHILD, .right = HB_NO_CHILD},
                                         {.as.leaf = 2, .left = HB_NO_CHILD, .right = HB_NO_CHILD},
                                         {.as.leaf = 3, .left = HB_NO_CHILD, .right = HB_NO_CHILD}};
    hb_forest_model *forest = hb_arena_array(&p->pipeline.arena, 1, sizeof(*forest));

    assert_non_null(forest);
    hb_forest_model_init(forest, &p->memory);
    forest->wide = true;
    forest->n_features = FEATURES;
    forest->n_outputs = 1;
    test_add_tree(forest, nodes, sizeof(nodes) / sizeof(nodes[0]), 0);
    return test_add(p, FOREST, forest, input, .forest = forest);
}

static const hb_forest_model *forest_of(const graph_fixture *f)
{
    return GRAPH_FIT(f, graph_find(f, HB_OPERATOR_TREE_ENSEMBLE), tree_ensemble)->forest;
}

static void features_that_no_node_tests_are_not_made(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);
    const hb_tree_node *nodes;

    p->pipeline.values = add_forest(p, shift(p, 1));
    inject(&f);
    graph_chain_is(&f, VALUES, "tree_ensemble:1 subtract:2 select:2 encode:5 table:5");
    assert_int_equal(f.graph.n_reports, 1);
    graph_report_is(&f, 0, "inject_selection", 3, 22, 18); /* columns of nodes; the forest has its start and its sum */
    nodes = hb_forest_nodes(forest_of(&f));
    assert_int_equal(forest_of(&f)->n_features, 2);
    assert_int_equal(nodes[0].feature, 1);
    assert_int_equal(nodes[1].feature, 0);
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_SELECT), select)->columns, ((uint32_t[]){1, 3}),
                        2 * sizeof(uint32_t));
    graph_end(&f);
}

static void push_selection_alone_leaves_them(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = add_forest(p, shift(p, 1));
    graph_lower(&f);
    graph_optimize(&f, HBS_PASS_INJECT_SELECTION);
    graph_chain_is(&f, VALUES, "tree_ensemble:1 subtract:5 encode:5 table:5");
    assert_int_equal(forest_of(&f)->n_features, FEATURES);
    graph_end(&f);
}

/* Its kernels read no column that no node tests, so a copy of the others would save nothing. */
static void a_forest_on_the_table_stays(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = add_forest(p, 1);
    inject(&f);
    graph_chain_is(&f, VALUES, "tree_ensemble:1 encode:5 table:5");
    assert_int_equal(f.graph.n_reports, 0);
    assert_ptr_equal(forest_of(&f), test_pipeline_trees(p, 2));
    graph_end(&f);
}

/* Feature 4 is in a leaf only. */
static void features_of_linear_leaves_are_made(void **state)
{
    static const hb_linear_leaf leaf = {.constant = 1, .first = 0, .count = 2};
    static const int32_t features[] = {4, 1};
    static const double coefficients[] = {2, 3};
    graph_fixture f;
    test_pipeline *p = begin(&f);
    size_t trees = add_forest(p, shift(p, 1));
    hb_forest_model *forest = test_pipeline_trees(p, trees);

    ((hb_tree_node *)forest->nodes.items)[4].right = 0;
    assert_non_null(hb_vector_append(&forest->linear_leaves, &leaf, 1));
    assert_non_null(hb_vector_append(&forest->linear_features, features, 2));
    assert_non_null(hb_vector_append(&forest->linear_coefficients, coefficients, 2));
    p->pipeline.values = trees;
    inject(&f);
    graph_chain_is(&f, VALUES, "tree_ensemble:1 subtract:5 encode:5 table:5"); /* two of five are no reason to copy */
    graph_end(&f);
}

static void forests_of_one_value_have_the_features_of_all(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);
    size_t shifted = shift(p, 1);

    p->pipeline.values = add_forest(p, shifted);
    p->pipeline.raw = add_forest(p, shifted);
    ((hb_tree_node *)test_pipeline_trees(p, p->pipeline.raw)->nodes.items)[0].feature = 1;
    inject(&f);
    graph_chain_is(&f, VALUES, "tree_ensemble:1 subtract:2 select:2 encode:5 table:5");
    graph_chain_is(&f, HBS_OUT_RAW, "tree_ensemble:1 subtract:2 select:2 encode:5 table:5");
    assert_int_equal(graph_count_kind(&f, HB_OPERATOR_SUBTRACT), 1);
    graph_end(&f);
}

/* The transform has all shifted features. */
static void the_transform_keeps_them(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.transform = shift(p, 1);
    p->pipeline.values = add_forest(p, p->pipeline.transform);
    inject(&f);
    graph_chain_is(&f, VALUES, "tree_ensemble:1 subtract:2 select:2 encode:5 table:5");
    graph_chain_is(&f, TRANSFORM, "subtract:5 encode:5 table:5");
    graph_end(&f);
}

/* ---- weighted sums */

/* Two sums of five columns: the first has no weight for columns 1 to 3, the second for column 4. */
static size_t add_sums(test_pipeline *p, size_t input)
{
    static const double weights[2 * FEATURES] = {1, 0, 0, -0.0, 3, 4, 5, 6, 7, 0}, bias[2] = {8, 9};

    return test_add(p, DENSE, dense, input, .n_outputs = 2, .n_features = FEATURES, .weights = weights, .bias = bias);
}

static void sums_that_are_dropped_are_not_made(void **state)
{
    static const uint32_t second[] = {1};
    graph_fixture f;
    test_pipeline *p = begin(&f);
    const hb_fit_dense *fit;

    p->pipeline.values = pick(p, add_sums(p, shift(p, 1)), second, 1);
    inject(&f);
    graph_chain_is(&f, VALUES, "dense:1 subtract:5 encode:5 table:5");
    fit = GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_DENSE), dense);
    assert_int_equal(fit->n_outputs, 1);
    assert_memory_equal(fit->weights, ((double[]){4, 5, 6, 7, 0}), FEATURES * sizeof(double));
    assert_true(fit->bias[0] == 9);
    graph_end(&f);
}

/* 0 times infinity is no number, and a shift can make one. */
static void columns_without_weight_stay_where_they_may_be_infinite(void **state)
{
    static const uint32_t first[] = {0};
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = pick(p, add_sums(p, shift(p, 1)), first, 1);
    inject(&f);
    graph_chain_is(&f, VALUES, "dense:1 subtract:5 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_DENSE), dense)->weights,
                        ((double[]){1, 0, 0, -0.0, 3}), FEATURES * sizeof(double));
    graph_end(&f);
}

static void finite_columns_without_weight_go(void **state)
{
    static const uint32_t first[] = {0};
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = pick(p, add_sums(p, test_add(p, BINARIZE, binarize, shift(p, 1), .threshold = 0.5)), first, 1);
    inject(&f);
    graph_chain_is(&f, VALUES, "dense:1 greater:2 subtract:2 select:2 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_DENSE), dense)->weights, ((double[]){1, 3}),
                        2 * sizeof(double));
    graph_end(&f);
}

static void an_encoder_does_not_make_columns_without_weight(void **state)
{
    static const uint32_t first[] = {0};
    static const int32_t outputs[] = {0, 1, 2, 3, 4};
    const hb_encoder_column column = {.count = 5, .feature = 0, .missing = HB_OUTPUT_NONE, .unknown = HB_OUTPUT_NONE};
    const hb_encoder encoder = {1, 5, 5, &column, numbers, outputs, NULL};
    static const uint32_t feature[] = {0};
    graph_fixture f;
    test_pipeline *p = begin(&f);
    const hb_encoder *made;

    p->pipeline.values =
        pick(p, add_sums(p, test_add(p, ONEHOT, onehot, pick(p, 1, feature, 1), .model = encoder)), first, 1);
    inject(&f);
    graph_chain_is(&f, VALUES, "dense:1 onehot:2 select:1 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_DENSE), dense)->weights, ((double[]){1, 3}),
                        2 * sizeof(double));
    made = &GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_ONEHOT), onehot)->model;
    assert_memory_equal(made->outputs, ((int32_t[]){0, HB_OUTPUT_NONE, HB_OUTPUT_NONE, HB_OUTPUT_NONE, 1}),
                        sizeof(outputs));
    graph_end(&f);
}

/* A column without weight in any sum is no matter of passes: lowering leaves it out. */
static void lowering_leaves_columns_without_any_weight_out(void **state)
{
    static const double weights[2 * FEATURES] = {0, 1, 0, 2, 0, 0, 3, -0.0, 4, 0};
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = test_add(p, DENSE, dense, shift(p, 1), .n_outputs = 2, .n_features = FEATURES,
                                  .weights = weights, .bias = numbers);
    graph_lower(&f);
    graph_chain_is(&f, VALUES, "dense:2 select:2 subtract:5 encode:5 table:5");
    graph_run(&f, HBS_PASS_PUSH_SELECTION);
    graph_chain_is(&f, VALUES, "dense:2 subtract:2 select:2 encode:5 table:5");
    graph_end(&f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_that_no_node_tests_are_not_made),
        cmocka_unit_test(push_selection_alone_leaves_them),
        cmocka_unit_test(a_forest_on_the_table_stays),
        cmocka_unit_test(features_of_linear_leaves_are_made),
        cmocka_unit_test(forests_of_one_value_have_the_features_of_all),
        cmocka_unit_test(the_transform_keeps_them),
        cmocka_unit_test(sums_that_are_dropped_are_not_made),
        cmocka_unit_test(columns_without_weight_stay_where_they_may_be_infinite),
        cmocka_unit_test(finite_columns_without_weight_go),
        cmocka_unit_test(an_encoder_does_not_make_columns_without_weight),
        cmocka_unit_test(lowering_leaves_columns_without_any_weight_out),
    };

    return cmocka_run_group_tests_name("inject_selection", tests, NULL, NULL);
}
