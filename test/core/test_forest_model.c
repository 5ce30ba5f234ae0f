/* test_forest_model.c - sealing: what is no tree is refused with the node's own number, and what is one is
 * renumbered so that it can be walked without a check. */
#include "forest_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ what is no tree */

static void a_child_with_two_parents_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, 2), test_split(0, 0, 3, 4), test_split(0, 2, 4, 5), test_leaf(1), test_leaf(2),
        test_leaf(3));
    refused(&f, HBS_E_FORMAT, "tree 0, node 2: child 4 is the root or has another parent already");
}

static void a_child_given_twice_by_one_parent_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, 1), test_leaf(1));
    refused(&f, HBS_E_FORMAT, "tree 0, node 0: child 1 is the root or has another parent already");
}

static void a_cycle_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, 2), test_split(0, 0, 0, 3), test_leaf(1), test_leaf(2));
    refused(&f, HBS_E_FORMAT, "tree 0, node 1: child 0 is the root or has another parent already");
}

static void a_cycle_beside_the_root_is_refused(void **state)
{
    fixture f;

    begin(&f); /* nodes 1 and 2 lead to each other only */
    ADD(&f, test_leaf(1), test_split(0, 1, 2, 3), test_split(0, 1, 1, 4), test_leaf(2), test_leaf(3));
    refused(&f, HBS_E_FORMAT, "tree 0, node 1: no path leads to it from the root");
}

static void a_node_that_is_its_own_child_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, 2), test_split(0, 1, 1, 2), test_leaf(0));
    refused(&f, HBS_E_FORMAT, "tree 0, node 1: child 1 is the root or has another parent already");
}

static void an_orphan_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, 2), test_leaf(1), test_leaf(2), test_leaf(3));
    refused(&f, HBS_E_FORMAT, "tree 0, node 3: no path leads to it from the root");
}

static void a_child_out_of_range_is_refused(void **state)
{
    static const int32_t bad[] = {3, -2, INT32_MAX, INT32_MIN};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int right = 0; right < 2; right++) {
            fixture f;

            begin(&f);
            ADD(&f, test_split(0, 1, right ? 1 : bad[i], right ? bad[i] : 1), test_leaf(1), test_leaf(2));
            assert_status(hb_forest_model_seal(&f.forest, &f.limits, &f.error), HBS_E_FORMAT, &f.error);
            assert_non_null(strstr(f.error.text, "is out of range (0 to 2)"));
            end(&f);
        }
}

static void a_split_with_one_child_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, HB_NO_CHILD), test_leaf(1));
    refused(&f, HBS_E_FORMAT, "tree 0, node 0: child -1 is out of range (0 to 1)");
}

static void a_child_in_the_next_tree_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, 2), test_leaf(1));
    ADD(&f, test_leaf(2));
    refused(&f, HBS_E_FORMAT, "tree 0, node 0: child 2 is out of range (0 to 1)");
}

static void a_tree_without_nodes_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_leaf(1));
    test_add_tree(&f.forest, NULL, 0, 0);
    refused(&f, HBS_E_FORMAT, "tree 1 has no nodes");
}

/* ------------------------------------------------------------------ what a node may say */

static void a_feature_out_of_range_is_refused(void **state)
{
    static const struct {
        int feature;
        const char *text;
    } cases[] = {
        {3, "tree 0, node 0 tests feature 3, the model has 3 (0 to 2)"},
        {-1, "tree 0, node 0 tests feature -1, the model has 3 (0 to 2)"},
        {INT32_MAX, "tree 0, node 0 tests feature 2147483647, the model has 3 (0 to 2)"},
    };

    for (size_t i = 0; i < 3; i++) {
        fixture f;

        begin(&f);
        ADD(&f, test_split(cases[i].feature, 1, 1, 2), test_leaf(1), test_leaf(2));
        refused(&f, HBS_E_FORMAT, cases[i].text);
    }
}

static void a_nan_threshold_is_refused_an_infinite_one_is_not(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, INFINITY, 1, 2), test_split(1, -INFINITY, 3, 4), test_leaf(1), test_leaf(2),
        test_leaf(-0.0f));
    seals(&f);
    end(&f);
    begin(&f);
    ADD(&f, test_split(0, 1, 1, 2), test_split(0, NAN, 3, 4), test_leaf(1), test_leaf(2), test_leaf(3));
    refused(&f, HBS_E_FORMAT, "tree 0, node 1: its threshold is NaN");
}

static void a_nan_leaf_is_refused(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_leaf(0));
    ADD(&f, test_split(0, 1, 1, 2), test_leaf(1), test_leaf(NAN));
    refused(&f, HBS_E_FORMAT, "tree 1, node 2: its leaf value is NaN");
}

static void a_cover_that_is_no_weight_is_refused(void **state)
{
    static const double bad[] = {-1, NAN, INFINITY, -INFINITY};

    for (size_t i = 0; i < 4; i++) {
        fixture f;
        hb_tree_node leaf = test_leaf(1);

        begin(&f);
        leaf.cover = bad[i];
        ADD(&f, leaf);
        refused(&f, HBS_E_FORMAT,
                "tree 0, node 0: its cover (the weight of its training rows) is not a finite number from 0 on");
    }
}

static void a_leaf_marked_as_a_set_test_is_refused(void **state)
{
    fixture f;
    hb_tree_node leaf = test_leaf(1);

    begin(&f);
    leaf.flags = HB_NODE_CATEGORIES;
    ADD(&f, leaf);
    refused(&f, HBS_E_FORMAT, "tree 0, node 0: a leaf is marked as a test of categories");
}

/* ------------------------------------------------------------------ sets of categories */

static void refuse_set(size_t n, const int32_t *categories, const char *text)
{
    fixture f;

    begin(&f);
    ADD(&f, test_set(&f.forest, 0, 1, 2, n, categories), test_leaf(1), test_leaf(2));
    refused(&f, HBS_E_FORMAT, text);
}

static void a_set_must_rise_from_0_and_not_be_empty(void **state)
{
    refuse_set(0, NULL, "tree 0, node 0: its set of categories is empty");
    refuse_set(2, (const int32_t[]){-1, 3}, "tree 0, node 0: a category is negative");
    refuse_set(2, (const int32_t[]){3, 3}, "tree 0, node 0: its categories do not rise");
    refuse_set(3, (const int32_t[]){3, 5, 4}, "tree 0, node 0: its categories do not rise");
}

static void a_forest_with_a_set_says_so(void **state)
{
    fixture f;

    begin(&f);
    ADD(&f, test_split(0, 1, 1, 2), test_leaf(1), test_leaf(2));
    seals(&f);
    assert_false(f.forest.has_categories);
    end(&f);
    begin(&f);
    ADD(&f, test_set(&f.forest, 0, 1, 2, 2, (const int32_t[]){0, INT32_MAX}), test_leaf(1), test_leaf(2));
    seals(&f);
    assert_true(f.forest.has_categories);
    end(&f);
}

/* Many nodes that name the same categories would make a small file cost nodes times categories. */
static void sets_that_share_categories_are_refused(void **state)
{
    fixture f;
    hb_tree_node root, copy;

    begin(&f);
    root = test_set(&f.forest, 0, 1, 2, 3, (const int32_t[]){1, 2, 3});
    copy = root;
    copy.left = 3;
    copy.right = 4;
    ADD(&f, root, copy, test_leaf(1), test_leaf(2), test_leaf(3));
    refused(&f, HBS_E_FORMAT, "tree 0, node 1: it shares its categories with another node");
}

/* ------------------------------------------------------------------ leaves of several outputs */

static void add_rows(fixture *f, size_t width, size_t n)
{
    static const float zeros[16];

    f->forest.leaf_width = f->forest.n_outputs = width;
    for (size_t i = 0; i < n; i++)
        assert_non_null(hb_vector_append(&f->forest.leaf_vectors, zeros, width));
}

static void a_leaf_vector_out_of_range_is_refused(void **state)
{
    static const int32_t bad[] = {2, -1, INT32_MAX};

    for (size_t i = 0; i < 3; i++) {
        fixture f;

        begin(&f);
        add_rows(&f, 3, 2);
        ADD(&f, test_split(0, 1, 1, 2), test_row_leaf(0), test_row_leaf(bad[i]));
        refused(&f, HBS_E_FORMAT, "tree 0, node 2: its leaf vector is out of range");
    }
}

static void a_nan_in_a_leaf_vector_is_refused(void **state)
{
    fixture f;

    begin(&f);
    add_rows(&f, 3, 2);
    ((float *)f.forest.leaf_vectors.items)[5] = NAN;
    ADD(&f, test_split(0, 1, 1, 2), test_row_leaf(0), test_row_leaf(1));
    refused(&f, HBS_E_FORMAT, "tree 0, node 2: its leaf value is NaN");
}

static void more_leaves_than_vectors_are_refused(void **state)
{
    fixture f;

    begin(&f);
    add_rows(&f, 3, 2);
    ADD(&f, test_split(0, 1, 1, 2), test_row_leaf(0), test_row_leaf(0));
    ADD(&f, test_row_leaf(1));
    refused(&f, HBS_E_FORMAT, "tree 1, node 0: it shares its leaf vector with another leaf");
}

/* ------------------------------------------------------------------ forests in float64 */

static fixture *begin_wide(fixture *f)
{
    begin(f);
    f->forest.wide = f->forest.sets_are_bits = true;
    return f;
}

/* A leaf with a linear model of features `from` to `from` + n - 1. */
static hb_tree_node linear(fixture *f, double constant, int from, uint32_t n, double coefficient)
{
    hb_linear_leaf leaf = {constant, (uint32_t)f->forest.linear_features.count, n};
    hb_tree_node node = test_leaf(1);

    for (uint32_t i = 0; i < n; i++) {
        int32_t feature = from + (int32_t)i;

        assert_non_null(hb_vector_append(&f->forest.linear_features, &feature, 1));
        assert_non_null(hb_vector_append(&f->forest.linear_coefficients, &coefficient, 1));
    }
    node.right = (int32_t)f->forest.linear_leaves.count;
    assert_non_null(hb_vector_append(&f->forest.linear_leaves, &leaf, 1));
    return node;
}

static void words_of_bits_may_be_anything(void **state)
{
    static const int32_t words[] = {INT32_MIN, 0, -1, 7};
    fixture f;

    begin_wide(&f);
    ADD(&f, test_set(&f.forest, 2, 1, 2, 4, words), test_leaf(1), test_leaf(2));
    seals(&f);
    assert_true(f.forest.has_categories);
    end(&f);
    begin_wide(&f);
    ADD(&f, test_set(&f.forest, 2, 1, 2, 0, words), test_leaf(1), test_leaf(2));
    refused(&f, HBS_E_FORMAT, "tree 0, node 0: its set of categories is empty");
}

static void linear_leaves_are_checked(void **state)
{
    static const struct {
        double constant, coefficient;
        int from;
        const char *text;
    } bad[] = {{NAN, 1, 0, "tree 0, node 1: the constant of its linear model is NaN"},
               {1, 1, -1, "tree 0, node 1: a feature of its linear model is out of range"},
               {1, 1, 2, "tree 0, node 1: a feature of its linear model is out of range"}};
    fixture f;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        begin_wide(&f);
        ADD(&f, test_split(0, 1, 1, 2), linear(&f, bad[i].constant, bad[i].from, 2, bad[i].coefficient), test_leaf(1));
        refused(&f, HBS_E_FORMAT, bad[i].text);
    }
    begin_wide(&f);
    ADD(&f, linear(&f, 1, 0, 3, NAN));
    assert_status(hb_forest_model_seal(&f.forest, &f.limits, &f.error), HBS_E_FORMAT, &f.error);
    assert_non_null(strstr(f.error.text, "tree 0, node 0: "));
    assert_non_null(strstr(f.error.text, "NaN"));
    end(&f);
}

static void linear_leaves_keep_their_number_in_the_new_order(void **state)
{
    fixture f;

    begin_wide(&f);
    ADD(&f, test_split(0, 1, 3, 1), test_split(1, 1, 2, 4), linear(&f, 10, 0, 3, INFINITY), linear(&f, 20, 1, 0, 1),
        test_leaf(30));
    ADD(&f, linear(&f, -INFINITY, 2, 1, -0.0));
    seals(&f);
    assert_int_equal(node(&f, 1)->right, 1); /* the constant 20 */
    assert_int_equal(node(&f, 3)->right, 0); /* 10 */
    assert_int_equal(node(&f, 4)->right, HB_NO_CHILD);
    assert_int_equal(node(&f, 5)->right, 2);
    end(&f);
}

static void a_linear_leaf_that_is_not_there_is_our_fault(void **state)
{
    fixture f;
    hb_tree_node leaf;

    begin_wide(&f);
    leaf = linear(&f, 1, 0, 1, 1);
    leaf.right = 1;
    ADD(&f, leaf);
    assert_status(hb_forest_model_seal(&f.forest, &f.limits, &f.error), HBS_E_INTERNAL, &f.error);
    end(&f);
}

/* ------------------------------------------------------------------ the forest */

static void a_tree_of_no_output_is_refused(void **state)
{
    static const int bad[] = {2, -1};

    for (size_t i = 0; i < 2; i++) {
        fixture f;
        char text[80];

        begin(&f);
        f.forest.n_outputs = 2;
        ADD(&f, test_leaf(1));
        test_add_tree(&f.forest, (const hb_tree_node[]){test_leaf(1)}, 1, bad[i]);
        snprintf(text, sizeof text, "tree 1 adds to output %d, the model has 2", bad[i]);
        refused(&f, HBS_E_FORMAT, text);
    }
}

static void a_nan_weight_of_a_tree_is_refused(void **state)
{
    fixture f;
    const float weights[] = {1, NAN};

    begin(&f);
    ADD(&f, test_leaf(1));
    ADD(&f, test_leaf(1));
    assert_non_null(hb_vector_append(&f.forest.weights, weights, 2));
    refused(&f, HBS_E_FORMAT, "the weight of tree 1 is NaN");
}

static void a_forest_of_no_trees_is_sealed(void **state)
{
    fixture f;

    begin(&f);
    seals(&f);
    assert_int_equal(f.forest.n_trees, 0);
    assert_int_equal(start(&f, 0), 0);
    end(&f);
}

/* A chain of `n` splits, each the left child of the one above. */
/* With `in_order` the nodes stand as sealing would put them. All trees beside it must be seen too. */
static void add_chain(fixture *f, int n, bool in_order)
{
    hb_tree_node nodes[512];

    for (int i = 0; i < n; i++) {
        nodes[2 * i] =
            in_order ? test_split(0, (float)i, 2 * i + 1, 2 * i + 2) : test_split(0, (float)-i, 2 * i + 2, 2 * i + 1);
        nodes[2 * i + 1] = test_leaf((float)i);
    }
    nodes[2 * n] = test_leaf(-1);
    add_seen(f, nodes, 2 * (size_t)n + 1);
}

static void the_depth_is_counted_and_limited(void **state)
{
    for (int in_order = 0; in_order < 2; in_order++) {
        const hb_tree_node leaf = test_leaf(1);
        fixture f;

        begin(&f);
        add_chain(&f, 100, in_order);
        add_seen(&f, &leaf, 1);
        seals(&f);
        assert_int_equal(depth(&f, 0), 100);
        assert_int_equal(depth(&f, 1), 0);
        assert_int_equal(f.forest.n_leaves, 102);
        end(&f);
        begin(&f);
        add_seen(&f, &leaf, 1);
        add_chain(&f, 101, in_order);
        refused(&f, HBS_E_LIMIT, "tree 1 is deeper than the limit of 100");
    }
}

/* ------------------------------------------------------------------ the new order */

static void children_stand_side_by_side_above_their_parent(void **state)
{
    fixture f;

    begin(&f); /*          0 <5
                *     4 <2       1 <7
                *   3     6    2     5  */
    ADD(&f, test_split(0, 5, 4, 1), test_split(1, 7, 2, 5), test_leaf(20), test_leaf(30),
        test_missing_left(test_split(2, 2, 3, 6)), test_leaf(50), test_leaf(60));
    seals(&f);
    const struct {
        int left, feature;
        double number;
    } expected[] = {{1, 0, 5}, {3, 2, 2}, {5, 1, 7}, {-1, 0, 30}, {-1, 0, 60}, {-1, 0, 20}, {-1, 0, 50}};

    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(node(&f, i)->left, expected[i].left);
        assert_int_equal(node(&f, i)->right, expected[i].left < 0 ? -1 : expected[i].left + 1);
        assert_int_equal(node(&f, i)->feature, expected[i].feature);
        assert_true(node(&f, i)->as.threshold == expected[i].number);
    }
    assert_int_equal(node(&f, 1)->flags, HB_NODE_DEFAULT_LEFT);
    assert_int_equal(depth(&f, 0), 2);
    assert_int_equal(f.forest.n_leaves, 4);
    end(&f);
}

static void deleted_nodes_go_and_trees_move_together(void **state)
{
    fixture f;
    hb_tree_node deleted = test_leaf(NAN);

    begin(&f);
    deleted.flags = HB_NODE_DELETED;
    deleted.left = 77; /* what it says is of no effect */
    ADD(&f, test_split(0, 1, 3, 4), deleted, deleted, test_leaf(1), test_leaf(2));
    ADD(&f, test_leaf(3), deleted);
    ADD(&f, test_split(2, 9, 1, 2), test_leaf(4), test_leaf(5));
    seals(&f);
    assert_int_equal(f.forest.n_trees, 3);
    assert_int_equal(f.forest.nodes.count, 7);
    assert_int_equal(start(&f, 0), 0);
    assert_int_equal(start(&f, 1), 3);
    assert_int_equal(start(&f, 2), 4);
    assert_int_equal(start(&f, 3), 7);
    assert_true(node(&f, 2)->as.leaf == 2);
    assert_true(node(&f, 3)->as.leaf == 3);
    assert_int_equal(node(&f, 4)->left, 1); /* counted from its tree */
    assert_true(node(&f, 6)->as.leaf == 5);
    end(&f);
}

static void a_deleted_node_that_is_reached_is_refused(void **state)
{
    fixture f;
    hb_tree_node deleted = test_leaf(1);

    begin(&f);
    deleted.flags = HB_NODE_DELETED;
    ADD(&f, test_split(0, 1, 1, 2), test_leaf(1), deleted);
    refused(&f, HBS_E_FORMAT, "tree 0, node 2: a deleted node is still reached");
}

static void a_deleted_root_is_refused(void **state)
{
    fixture f;
    hb_tree_node deleted = test_leaf(1);

    begin(&f);
    deleted.flags = HB_NODE_DELETED;
    ADD(&f, deleted);
    refused(&f, HBS_E_FORMAT, "tree 0, node 0: a deleted node is still reached");
}

/* The same leaf for any row before and after: the sealed tree walked by the same reference. */
static void sealing_does_not_change_what_a_forest_gives(void **state)
{
    static const test_shape shapes[] = {
        {.n_features = 5, .n_outputs = 1, .leaf_width = 1, .n_trees = 20, .depth = 8},
        {.n_features = 9, .n_outputs = 3, .leaf_width = 1, .n_trees = 20, .depth = 6, .sets = true},
        {.n_features = 4, .n_outputs = 4, .leaf_width = 4, .n_trees = 9, .depth = 5, .sets = true},
    };
    uint64_t random = 1;

    for (size_t s = 0; s < 3; s++) {
        fixture before, after;
        uint64_t same = random;

        test_random_forest(&begin(&before)->forest, &shapes[s], &random);
        test_random_forest(&begin(&after)->forest, &shapes[s], &same);
        seals(&after);
        for (int i = 0; i < 300; i++) {
            float row[9], a[4], b[4];

            for (size_t k = 0; k < 9; k++)
                row[k] = test_random_cell(&random);
            test_reference(&before.forest, (const float[4]){0, 1, 2, 3}, row, a);
            test_reference(&after.forest, (const float[4]){0, 1, 2, 3}, row, b);
            for (size_t o = 0; o < shapes[s].n_outputs; o++)
                assert_true(test_same_bits(a[o], b[o]));
        }
        end(&before);
        end(&after);
    }
}

/* ------------------------------------------------------------------ the host */

static void sealing_stops_within_a_large_tree(void **state)
{
    fixture f;
    enum { N = 60001 };
    static hb_tree_node nodes[N]; /* a heap: the children of i are 2 i + 1 and 2 i + 2 */

    for (int i = 0; i < N; i++)
        nodes[i] = 2 * i + 2 < N ? test_split(0, 1, 2 * i + 1, 2 * i + 2) : test_leaf(1);
    begin(&f);
    test_add_tree(&f.forest, nodes, N, 0);
    f.host.cancel_at = 4;
    assert_status(hb_forest_model_seal(&f.forest, &f.limits, &f.error), HBS_E_CANCEL, &f.error);
    assert_int_equal(f.host.polls, 4);
    end(&f);
}

/* Beside its place only the tree's depth and the end of the last one are kept. */
static void a_tree_in_order_is_sealed_where_it_stands(void **state)
{
    enum { N = 1023 };
    fixture f;
    hb_tree_node nodes[N];
    size_t asked;

    for (int i = 0; i < N; i++)
        nodes[i] = 2 * i + 2 < N ? test_split(i % 3, (float)i, 2 * i + 1, 2 * i + 2) : test_leaf((float)i);
    begin(&f);
    add_seen(&f, nodes, N);
    asked = f.host.asked;
    seals(&f);
    assert_in_range(f.host.asked - asked, 0, 2);
    assert_int_equal(depth(&f, 0), 9);
    assert_int_equal(f.forest.n_leaves, 512);
    for (int i = 0; i < N; i++)
        assert_memory_equal(node(&f, (size_t)i), &nodes[i], sizeof(*nodes));
    end(&f);
}

/* One node of a tree in order is bad: the same words as of any tree. */
static void a_bad_node_of_a_tree_in_order_is_named(void **state)
{
    enum { N = 63, INNER = 30, LEAF = 62 };
    const struct {
        int at;
        hb_tree_node node;
        const char *text;
    } bad[] = {
        {INNER, test_split(0, NAN, 61, 62), "tree 0, node 30: its threshold is NaN"},
        {INNER, test_split(3, 0, 61, 62), "tree 0, node 30 tests feature 3, the model has 3 (0 to 2)"},
        {INNER, test_split(-1, 0, 61, 62), "tree 0, node 30 tests feature -1, the model has 3 (0 to 2)"},
        {INNER, test_split(0, 0, 61, 60), "tree 0, node 30: child 60 is the root or has another parent already"},
        {INNER, test_leaf(1), "tree 0, node 61: no path leads to it from the root"},
        {LEAF, test_leaf(NAN), "tree 0, node 62: its leaf value is NaN"},
        {LEAF,
         {.left = -1, .right = -1, .cover = -1},
         "tree 0, node 62: its cover (the weight of its training rows) is not a finite number from 0 on"},
        {LEAF,
         {.left = -1, .right = -1, .cover = INFINITY},
         "tree 0, node 62: its cover (the weight of its training rows) is not a finite number from 0 on"},
        {LEAF, {.left = -1, .right = -1, .flags = HB_NODE_DELETED}, "tree 0, node 62: a deleted node is still reached"},
        {LEAF,
         {.left = -1, .right = -1, .flags = HB_NODE_CATEGORIES},
         "tree 0, node 62: a leaf is marked as a test of categories"},
        {LEAF, test_split(0, 0, 63, 64), "tree 0, node 62: child 63 is out of range (0 to 62)"},
    };

    for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
        fixture f;
        hb_tree_node nodes[N];

        for (int i = 0; i < N; i++)
            nodes[i] = 2 * i + 2 < N ? test_split(0, 1, 2 * i + 1, 2 * i + 2) : test_leaf(1);
        nodes[bad[b].at] = bad[b].node;
        begin(&f);
        add_seen(&f, nodes, N);
        refused(&f, HBS_E_FORMAT, bad[b].text);
    }
}

/* Seen are only trees of which nobody has changed a node since, nor left one out. */
static void trees_that_are_left_out_are_forgotten(void **state)
{
    const hb_tree_node stump[] = {test_split(2, 1, 1, 2), test_leaf(1), test_leaf(2)};
    const hb_tree_node beyond[] = {test_split(3, 1, 1, 2), test_leaf(1), test_leaf(2)};
    fixture f;

    begin(&f);
    add_seen(&f, stump, 3);
    add_seen(&f, beyond, 3);
    hb_forest_model_truncate(&f.forest, 1);
    seals(&f);
    assert_int_equal(f.forest.nodes.count, 3);
    end(&f);
    begin(&f);
    add_seen(&f, stump, 3);
    test_add_tree(&f.forest, beyond, 3, 0);
    refused(&f, HBS_E_FORMAT, "tree 1, node 0 tests feature 3, the model has 3 (0 to 2)");
}

/* The tree is not in order: that takes memory. */
static hbs_status seal_with(const hbs_host *host, void *context, hbs_error *error)
{
    const hbs_limits limits = {.max_nodes = 1000, .max_depth = 100};
    const hb_tree_node nodes[] = {test_split(0, 1, 2, 1), test_leaf(1), test_leaf(2)};
    const uint32_t starts[] = {0};
    const int32_t groups[] = {0};
    hb_forest_model forest;
    hb_memory memory;
    hbs_status status;

    hb_memory_init(&memory, host, 0);
    hb_forest_model_init(&forest, &memory);
    forest.n_features = forest.n_outputs = 1;
    if (hb_vector_append(&forest.nodes, nodes, 3) && hb_vector_append(&forest.starts, starts, 1) &&
        hb_vector_append(&forest.groups, groups, 1))
        status = hb_forest_model_seal(&forest, &limits, error);
    else
        status = hb_no_memory(&memory, error);
    hb_forest_model_release(&forest);
    return status;
}

static void each_allocation_of_sealing_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(seal_with, NULL) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_with_two_parents_is_refused),
        cmocka_unit_test(a_child_given_twice_by_one_parent_is_refused),
        cmocka_unit_test(a_cycle_is_refused),
        cmocka_unit_test(a_cycle_beside_the_root_is_refused),
        cmocka_unit_test(a_node_that_is_its_own_child_is_refused),
        cmocka_unit_test(an_orphan_is_refused),
        cmocka_unit_test(a_child_out_of_range_is_refused),
        cmocka_unit_test(a_split_with_one_child_is_refused),
        cmocka_unit_test(a_child_in_the_next_tree_is_refused),
        cmocka_unit_test(a_tree_without_nodes_is_refused),
        cmocka_unit_test(a_feature_out_of_range_is_refused),
        cmocka_unit_test(a_nan_threshold_is_refused_an_infinite_one_is_not),
        cmocka_unit_test(a_nan_leaf_is_refused),
        cmocka_unit_test(a_cover_that_is_no_weight_is_refused),
        cmocka_unit_test(a_leaf_marked_as_a_set_test_is_refused),
        cmocka_unit_test(a_set_must_rise_from_0_and_not_be_empty),
        cmocka_unit_test(a_forest_with_a_set_says_so),
        cmocka_unit_test(sets_that_share_categories_are_refused),
        cmocka_unit_test(a_leaf_vector_out_of_range_is_refused),
        cmocka_unit_test(a_nan_in_a_leaf_vector_is_refused),
        cmocka_unit_test(more_leaves_than_vectors_are_refused),
        cmocka_unit_test(words_of_bits_may_be_anything),
        cmocka_unit_test(linear_leaves_are_checked),
        cmocka_unit_test(linear_leaves_keep_their_number_in_the_new_order),
        cmocka_unit_test(a_linear_leaf_that_is_not_there_is_our_fault),
        cmocka_unit_test(a_tree_of_no_output_is_refused),
        cmocka_unit_test(a_nan_weight_of_a_tree_is_refused),
        cmocka_unit_test(a_forest_of_no_trees_is_sealed),
        cmocka_unit_test(the_depth_is_counted_and_limited),
        cmocka_unit_test(children_stand_side_by_side_above_their_parent),
        cmocka_unit_test(deleted_nodes_go_and_trees_move_together),
        cmocka_unit_test(a_deleted_node_that_is_reached_is_refused),
        cmocka_unit_test(a_deleted_root_is_refused),
        cmocka_unit_test(sealing_does_not_change_what_a_forest_gives),
        cmocka_unit_test(sealing_stops_within_a_large_tree),
        cmocka_unit_test(a_tree_in_order_is_sealed_where_it_stands),
        cmocka_unit_test(a_bad_node_of_a_tree_in_order_is_named),
        cmocka_unit_test(trees_that_are_left_out_are_forgotten),
        cmocka_unit_test(each_allocation_of_sealing_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
