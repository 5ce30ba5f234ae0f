/* test_onnx_rooted_trees.c - TreeEnsemble, version 5: its tests against the rules in plain C, leaves that several nodes
 * lead to, sets, and what is refused. */
#include "onnx_fixture.h"

#include <math.h>

/* ------------------------------------------------------------------ ensembles */

enum { MOST = 8, FLOAT32 = 1, UINT8 = 2, FLOAT64 = 11 };

enum { LEQ, LT, GTE, GT, EQ, NEQ, MEMBER };

/* The tables; a child is a leaf if its flag is 1. */
typedef struct ensemble {
    size_t n_nodes, n_leaves, n_roots, n_members;
    int64_t roots[MOST], features[MOST], yes[MOST], no[MOST], yes_is_leaf[MOST], no_is_leaf[MOST], tracks[MOST];
    uint8_t modes[MOST];
    float splits[MOST], weights[MOST], members[MOST];
    int64_t outputs[MOST], n_outputs;
    int64_t aggregate, post;
} ensemble;

/* Node 0 leads to the leaves 0 and 1, of the weights 1 and 2. */
static ensemble stump_of(uint8_t mode, float split, int64_t tracks)
{
    return (ensemble){.n_nodes = 1,
                      .n_leaves = 2,
                      .n_roots = 1,
                      .no = {1},
                      .yes_is_leaf = {1},
                      .no_is_leaf = {1},
                      .tracks = {tracks},
                      .modes = {mode},
                      .splits = {split},
                      .weights = {1, 2},
                      .n_outputs = 1,
                      .aggregate = 1};
}

static test_message write_node(const ensemble *e, void (*edit)(test_message *node))
{
    test_message node = test_node("ai.onnx.ml", "TreeEnsemble", "X", "scores");
    size_t n = e->n_nodes;

    test_put_integers(&node, "tree_roots", e->n_roots, e->roots);
    test_put_integers(&node, "nodes_featureids", n, e->features);
    test_put_tensor(&node, "nodes_modes", UINT8, n, e->modes, n);
    test_put_tensor(&node, "nodes_splits", FLOAT32, n, e->splits, n * sizeof(float));
    test_put_integers(&node, "nodes_truenodeids", n, e->yes);
    test_put_integers(&node, "nodes_falsenodeids", n, e->no);
    test_put_integers(&node, "nodes_trueleafs", n, e->yes_is_leaf);
    test_put_integers(&node, "nodes_falseleafs", n, e->no_is_leaf);
    test_put_integers(&node, "nodes_missing_value_tracks_true", n, e->tracks);
    test_put_integers(&node, "leaf_targetids", e->n_leaves, e->outputs);
    test_put_tensor(&node, "leaf_weights", FLOAT32, e->n_leaves, e->weights, e->n_leaves * sizeof(float));
    if (e->n_members)
        test_put_tensor(&node, "membership_values", FLOAT32, e->n_members, e->members, e->n_members * sizeof(float));
    test_put_integer_attribute(&node, "n_targets", e->n_outputs);
    test_put_integer_attribute(&node, "aggregate_function", e->aggregate);
    test_put_integer_attribute(&node, "post_transform", e->post);
    if (edit)
        edit(&node);
    return node;
}

static test_message write_file(const ensemble *e, void (*edit)(test_message *node))
{
    test_message node = write_node(e, edit);

    return test_write_node(&node, 1, 2, "scores");
}

static void open_ensemble(fixture *f, const ensemble *e)
{
    test_message file = write_file(e, NULL);

    open_file(f, NULL, &file);
}

/* ------------------------------------------------------------------ what is scored */

static bool holds(uint8_t mode, float x, float split)
{
    const bool is[] = {x <= split, x<split, x >= split, x> split, x == split, x != split};

    return is[mode];
}

static void each_mode_compares_float32(void **state)
{
    static const float splits[] = {0.0f, -0.0f, 2.5f, -1e-45f, INFINITY, -INFINITY};

    for (uint8_t mode = LEQ; mode < MEMBER; mode++)
        for (size_t s = 0; s < sizeof(splits) / sizeof(splits[0]); s++)
            for (int tracks = 0; tracks < 2; tracks++) {
                const float split = splits[s];
                const float xs[] = {split, nextafterf(split, 9), nextafterf(split, -9), NAN, INFINITY, -INFINITY, 0.0f};
                double rows[sizeof(xs) / sizeof(xs[0])][2];
                ensemble e = stump_of(mode, split, tracks);
                fixture f;

                for (size_t r = 0; r < sizeof(xs) / sizeof(xs[0]); r++) {
                    rows[r][0] = (double)xs[r];
                    rows[r][1] = holds(mode, xs[r], split) || (isnan(xs[r]) && tracks) ? 1 : 2;
                }
                open_ensemble(&f, &e);
                check_rows(&f, sizeof(xs) / sizeof(xs[0]), (const double(*)[2])rows);
                close_file(&f);
            }
}

/* Two sets, in the order of their nodes; the second one needs no NaN behind it. */
static ensemble two_sets(void)
{
    ensemble e = stump_of(MEMBER, NAN, 0);

    e.n_nodes = 2;
    e.no[0] = 1;
    e.no_is_leaf[0] = 0;
    e.modes[1] = MEMBER;
    e.yes_is_leaf[1] = e.no_is_leaf[1] = 1;
    e.no[1] = 1;
    e.yes[1] = 2;
    e.n_leaves = 3;
    e.weights[2] = 4;
    e.n_members = 5;
    memcpy(e.members, (float[]){3, -1.5f, NAN, 70, 3}, 5 * sizeof(float));
    return e;
}

static void members_of_sets_take_the_true_branch(void **state)
{
    static const double rows[][2] = {{3, 1}, {-1.5, 1}, {70, 4}, {0, 2}, {3.5, 2}, {-1, 2}, {NAN, 2}, {INFINITY, 2}};
    ensemble e = two_sets();
    fixture f;

    open_ensemble(&f, &e);
    check_rows(&f, sizeof(rows) / sizeof(rows[0]), rows);
    close_file(&f);
    e.tracks[1] = 1;
    open_ensemble(&f, &e);
    check_rows(&f, 1, (const double[][2]){{NAN, 4}});
    close_file(&f);
}

/* The first root is the last node; both trees lead to leaf 1. */
static void trees_may_share_leaves(void **state)
{
    static const double rows[][2] = {{0, 3}, {2, 4}, {7, 3}};
    ensemble e = stump_of(LT, 1, 0);
    fixture f;

    e.n_nodes = e.n_roots = 2;
    e.roots[0] = 1;
    e.modes[1] = GT;
    e.splits[1] = 5;
    e.no[1] = 1;
    e.yes_is_leaf[1] = e.no_is_leaf[1] = 1;
    open_ensemble(&f, &e);
    check_rows(&f, 3, rows);
    close_file(&f);
}

/* Each target has the least (2) or the largest (3) of the trees that give it a weight, 0 if none does. Answers of ONNX
 * Runtime 1.31.1. */
static void extremes_of_several_targets(void **state)
{
    static const double rows[3] = {-1, 0.5, 2},
                        expected[2][3][2] = {{{3, 0}, {4, 5}, {0, 2}}, {{4, 0}, {4, 5}, {0, 5}}};
    ensemble e = stump_of(LEQ, 0, 0);

    e.n_nodes = e.n_roots = e.n_outputs = 2;
    e.n_leaves = 4;
    e.roots[1] = 1;
    e.splits[1] = 1;
    e.yes[1] = 2;
    e.no[1] = 3;
    e.yes_is_leaf[1] = e.no_is_leaf[1] = 1;
    memcpy(e.weights, (float[]){3, 5, 4, 2}, 4 * sizeof(float));
    e.outputs[1] = e.outputs[3] = 1;
    for (int k = 0; k < 2; k++) {
        fixture f;

        e.aggregate = 2 + k;
        open_ensemble(&f, &e);
        for (size_t r = 0; r < 3; r++) {
            score_row(&f, rows[r], 0, HBS_OUT_VALUES);
            for (size_t o = 0; o < 2; o++)
                assert_true(f.result.values[o] == expected[k][r][o]);
        }
        close_file(&f);
    }
}

/* Its test is none. */
static void a_root_with_one_leaf_is_a_tree_of_it(void **state)
{
    static const double rows[][2] = {{0, 2}, {NAN, 2}};
    ensemble e = stump_of(LEQ, NAN, 0);
    fixture f;

    e.yes[0] = 1;
    e.features[0] = 99;
    open_ensemble(&f, &e);
    check_rows(&f, 2, rows);
    close_file(&f);
}

static void leaves_of_a_tree_may_add_to_different_outputs(void **state)
{
    ensemble e = stump_of(LEQ, 0, 0);
    fixture f;

    e.n_outputs = 2;
    e.outputs[1] = 1;
    open_ensemble(&f, &e);
    score_row(&f, 0, 0, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 1 && f.result.values[1] == 0);
    score_row(&f, 1, 0, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 0 && f.result.values[1] == 2);
    close_file(&f);
}

/* ------------------------------------------------------------------ what is refused */

static ensemble stump(void)
{
    return stump_of(LEQ, 0, 0);
}

/* Node 0 leads to node 1, which leads to two leaves. */
static ensemble two_nodes(void)
{
    ensemble e = two_sets();

    e.modes[0] = e.modes[1] = LEQ;
    e.splits[0] = 0;
    e.n_members = 0;
    return e;
}

static void far_mode(ensemble *e)
{
    e->modes[0] = 7;
}

static void far_child(ensemble *e)
{
    e->no[0] = 2;
}

static void negative_leaf(ensemble *e)
{
    e->yes[0] = -1;
}

static void far_root(ensemble *e)
{
    e->roots[0] = 2;
}

static void same_root(ensemble *e)
{
    e->n_roots = 2;
}

static void circle(ensemble *e)
{
    e->no[1] = 0;
    e->no_is_leaf[1] = 0;
}

static void two_parents(ensemble *e)
{
    e->yes[0] = 1;
    e->yes_is_leaf[0] = 0;
}

static void orphan(ensemble *e)
{
    e->no_is_leaf[0] = 1;
}

static void far_feature(ensemble *e)
{
    e->features[0] = 2;
}

static void nan_split(ensemble *e)
{
    e->splits[0] = NAN;
}

static void nan_weight(ensemble *e)
{
    e->weights[1] = NAN;
}

static void far_output(ensemble *e)
{
    e->outputs[0] = 1;
}

static void no_roots(ensemble *e)
{
    e->n_roots = 0;
}

static void no_leaves(ensemble *e)
{
    e->n_leaves = 0;
}

static void members_of_no_node(ensemble *e)
{
    e->n_members = 1;
}

static void no_members(ensemble *e)
{
    e->modes[0] = MEMBER;
}

static void far_aggregate(ensemble *e)
{
    e->aggregate = 4;
}

static void strange_transform(ensemble *e)
{
    e->post = 5;
}

static void short_list(test_message *node)
{
    *node = test_node("ai.onnx.ml", "TreeEnsemble", "X", "scores");
    test_put_integers(node, "leaf_targetids", 1, (int64_t[]){0});
    test_put_tensor(node, "leaf_weights", FLOAT32, 2, (float[]){1, 2}, 8);
}

static void wide_weights(test_message *node)
{
    *node = test_node("ai.onnx.ml", "TreeEnsemble", "X", "scores");
    test_put_integers(node, "leaf_targetids", 1, (int64_t[]){0});
    test_put_tensor(node, "leaf_weights", FLOAT64, 1, (double[]){1}, 8);
}

/* A dimension that is no varint. */
static void strange_dimension(test_message *node)
{
    test_message a = {.size = 0}, tensor = {.size = 0};

    test_put_float(&tensor, 1, 1);
    test_put_integer(&tensor, 2, FLOAT32);
    test_put_text(&a, 1, "leaf_weights");
    test_put_integer(&a, 20, 4);
    test_put_message(&a, 5, &tensor);
    *node = test_node("ai.onnx.ml", "TreeEnsemble", "X", "scores");
    test_put_integers(node, "leaf_targetids", 1, (int64_t[]){0});
    test_put_message(node, 5, &a);
}

/* It says to be a tensor, and there is none. */
static void no_tensor(test_message *node)
{
    test_message a = {.size = 0};

    test_put_text(&a, 1, "nodes_modes");
    test_put_integer(&a, 20, 4);
    *node = test_node("ai.onnx.ml", "TreeEnsemble", "X", "scores");
    test_put_message(node, 5, &a);
}

static void no_weights(test_message *node)
{
    *node = test_node("ai.onnx.ml", "TreeEnsemble", "X", "scores");
    test_put_integers(node, "leaf_targetids", 1, (int64_t[]){0});
}

static const struct {
    ensemble (*make)(void);
    void (*change)(ensemble *e);
    void (*edit)(test_message *node);
    hbs_status status;
    const char *words;
} refused[] = {
    {stump, far_mode, NULL, HBS_E_FORMAT, "node 0: its mode is 7"},
    {stump, far_child, NULL, HBS_E_FORMAT, "node 0: its child leaf 2 is not there"},
    {stump, negative_leaf, NULL, HBS_E_FORMAT, "node 0: its child leaf -1 is not there"},
    {stump, far_root, NULL, HBS_E_FORMAT, "the root of tree 0 is node 2 of 1"},
    {stump, same_root, NULL, HBS_E_FORMAT, "node 0 is a root or has another parent already"},
    {two_nodes, circle, NULL, HBS_E_FORMAT, "node 0 is a root or has another parent already"},
    {two_nodes, two_parents, NULL, HBS_E_FORMAT, "node 1 is a root or has another parent already"},
    {two_nodes, orphan, NULL, HBS_E_FORMAT, "node 1: no path leads to it from a root"},
    {stump, far_feature, NULL, HBS_E_FORMAT, "node 0: it tests feature 2 of 2"},
    {stump, nan_split, NULL, HBS_E_FORMAT, "node 0: its threshold is NaN"},
    {stump, nan_weight, NULL, HBS_E_FORMAT, "the weight of leaf 1 is NaN"},
    {stump, far_output, NULL, HBS_E_FORMAT, "leaf 0 is for output 1 of 1"},
    {stump, no_roots, NULL, HBS_E_FORMAT, "tree_roots has no items"},
    {stump, no_leaves, NULL, HBS_E_FORMAT, "leaf_targetids has no items"},
    {stump, members_of_no_node, NULL, HBS_E_FORMAT, "more membership_values than nodes test"},
    {stump, no_members, NULL, HBS_E_UNSUPPORTED, "node 0: its set has no members"},
    {stump, far_aggregate, NULL, HBS_E_FORMAT, "aggregate_function is 4 (0 to 3)"},
    {stump, strange_transform, NULL, HBS_E_FORMAT, "post_transform is 5 (0 to 4)"},
    {stump, NULL, short_list, HBS_E_FORMAT, "leaf_weights has 2 items, expected 1"},
    {stump, NULL, wide_weights, HBS_E_UNSUPPORTED, "leaf_weights is of float64, hbscore reads float32 so far"},
    {stump, NULL, strange_dimension, HBS_E_FORMAT, "field 1 is of another type"},
    {stump, NULL, no_tensor, HBS_E_FORMAT, "attribute \"nodes_modes\" has no tensor"},
    {stump, NULL, no_weights, HBS_E_UNSUPPORTED, "it has no attribute leaf_weights"},
};

static void what_is_no_ensemble_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ensemble e = refused[i].make();
        test_message file;

        if (refused[i].change)
            refused[i].change(&e);
        file = write_file(&e, refused[i].edit);
        check_refused(i, &file, refused[i].status, refused[i].words);
    }
}

/* Each lead to a leaf makes a node: three of two rows. */
static void nodes_are_limited(void **state)
{
    const hbs_limits limits = {.max_nodes = 2};
    ensemble e = stump();
    test_message file = write_file(&e, NULL);
    hbs_model *model = NULL;
    hbs_error error = {0};
    test_host host;

    test_host_init(&host);
    assert_int_equal(load_within(&host.host, &limits, &file, &model, &error), HBS_E_LIMIT);
    test_host_end(&host);
}

/* ------------------------------------------------------------------ the host */

static hbs_status load_and_free(const hbs_host *host, void *context, hbs_error *error)
{
    ensemble e = two_sets();
    test_message file;
    hbs_model *model = NULL;
    hbs_status status;

    (void)context;
    e.n_outputs = 2;
    e.outputs[1] = 1;
    file = write_file(&e, NULL);
    status = load_within(host, NULL, &file, &model, error);
    hbs_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(load_and_free, NULL) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_compares_float32),
        cmocka_unit_test(members_of_sets_take_the_true_branch),
        cmocka_unit_test(trees_may_share_leaves),
        cmocka_unit_test(extremes_of_several_targets),
        cmocka_unit_test(a_root_with_one_leaf_is_a_tree_of_it),
        cmocka_unit_test(leaves_of_a_tree_may_add_to_different_outputs),
        cmocka_unit_test(what_is_no_ensemble_is_refused),
        cmocka_unit_test(nodes_are_limited),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("onnx_rooted_trees", tests, NULL, NULL);
}
