/* test_forest_columns.c - trees that a file has as columns: made nodes where nothing is wrong, and what is wrong is
 * found. */
#include "forest_fixture.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A tree of N nodes in level order, or the same one with its pairs of children in another order. */
enum { N_NODES = 63, N_INNER = 31 };

static columns *a_tree(bool in_order)
{
    hb_tree_node nodes[N_NODES];

    for (int i = 0; i < N_NODES; i++) {
        nodes[i] = i < N_INNER ? test_split(i % 3, (float)i, 2 * i + 1, 2 * i + 2) : test_leaf((float)i);
        nodes[i].flags = i % 2 ? HB_NODE_DEFAULT_LEFT : 0;
        nodes[i].cover = i + 0.5;
    }
    for (int i = 1; i <= 2 && !in_order; i++) { /* the root's children have each other's */
        nodes[i].left = i == 1 ? 5 : 3;
        nodes[i].right = nodes[i].left + 1;
    }
    return columns_of(nodes, N_NODES);
}

static void columns_are_made_nodes(void **state)
{
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++) {
        const columns *c = a_tree(in_order);
        fixture f;

        begin(&f);
        assert_true(add_columns(&f, c));
        for (size_t i = 0; i < N_NODES; i++) {
            assert_int_equal(node(&f, i)->left, c->left[i]);
            assert_int_equal(node(&f, i)->right, c->right[i]);
            assert_int_equal(node(&f, i)->feature, c->features[i]);
            assert_int_equal(node(&f, i)->flags, i % 2 ? HB_NODE_DEFAULT_LEFT : 0);
            assert_true(node(&f, i)->as.threshold == (double)i);
            assert_true(node(&f, i)->cover == (double)i + 0.5);
        }
        assert_int_equal(((const int32_t *)f.forest.seen.items)[0], in_order ? 5 : HB_NOT_SEEN);
        seals(&f);
        assert_int_equal(depth(&f, 0), 5);
        end(&f);
    }
}

/* One item of one column is changed: whether that is found. What is no tree though children and parents agree (one
 * child given twice) is for sealing to tell, which then has to look. */
static bool found_with(bool in_order, void (*change)(columns *c, int i, int which), int i, int which)
{
    fixture f;
    columns *c = a_tree(in_order);
    bool found;

    change(c, i, which);
    begin(&f);
    found = !add_columns(&f, c) || hb_forest_model_seal(&f.forest, &f.limits, &f.error) == HBS_E_FORMAT;
    end(&f);
    return found;
}

static void change_number(columns *c, int i, int which)
{
    static const float no_covers[] = {-1, -FLT_MIN, INFINITY, -INFINITY, NAN, -NAN};

    if (which < 6)
        c->covers[i] = no_covers[which];
    else if (which < 8)
        c->thresholds[i] = which == 6 ? NAN : -NAN;
    else if (which < 11)
        c->default_left[i] = (uint8_t[]){2, 128, 255}[which - 8];
    else
        c->features[i] = (int64_t[]){INT32_MAX, -1, (int64_t)1 << 32, INT64_MIN, INT64_MAX}[which - 11];
}

static void change_link(columns *c, int i, int which)
{
    int32_t *links = which < 6 ? c->left : c->right;

    if (which == 12)
        c->parents[i] ^= 1;
    else
        links[i] = (int32_t[]){links[i] < 0 ? 61 : -1, links[i] + 1, N_NODES, INT32_MAX, INT32_MIN, -2}[which % 6];
    c->parents[0] = i; /* nobody asks for it, so that it is no excuse for a child that is not there */
}

static void what_is_wrong_in_any_column_at_any_node_is_found(void **state)
{
    (void)state;
    for (int in_order = 0; in_order < 2; in_order++)
        for (int i = 0; i < N_NODES; i++) {
            for (int which = 0; which < 16; which++)
                assert_true(found_with(in_order, change_number, i, which));
            for (int which = 0; which < 13; which++)
                if (which != 12 || i > 0) /* nothing is said of the root's parent */
                    assert_true(found_with(in_order, change_link, i, which));
        }
}

static void good_columns_may_have_extreme_numbers(void **state)
{
    columns *c = a_tree(true);
    fixture f;

    (void)state;
    begin(&f);
    f.forest.n_features = INT32_MAX;
    c->thresholds[0] = INFINITY;
    c->thresholds[1] = -INFINITY;
    c->thresholds[2] = -0.0f;
    c->thresholds[62] = -FLT_MAX;
    c->covers[0] = FLT_MAX;
    c->covers[62] = 0;
    c->features[3] = INT32_MAX - 1;
    assert_true(add_columns(&f, c));
    seals(&f);
    assert_true(node(&f, 1)->as.threshold == -INFINITY);
    assert_int_equal(node(&f, 3)->feature, INT32_MAX - 1);
    end(&f);
}

/* A root alone, and what looks like one. */
static void a_single_node_of_columns(void **state)
{
    const hb_tree_node nodes[] = {test_leaf(7), test_split(0, 1, 1, 2), test_split(0, 1, 0, 0)};

    (void)state;
    for (int i = 0; i < 4; i++) {
        columns *c = columns_of(&nodes[i % 3], 1);
        fixture f;

        if (i == 3)
            c->right[0] = 0;
        begin(&f);
        assert_int_equal(add_columns(&f, c), i == 0);
        if (i == 0) {
            seals(&f);
            assert_true(node(&f, 0)->as.leaf == 7);
        }
        end(&f);
    }
}

/* Two nodes are no tree: the root has one child, which names it, or none. What stands behind them does not count. */
static void two_nodes_of_columns_are_no_tree(void **state)
{
    const hb_tree_node nodes[][2] = {{test_split(0, 1, 1, 2), test_leaf(1)},
                                     {test_split(0, 1, 1, 1), test_leaf(1)},
                                     {test_split(0, 1, 1, 0), test_leaf(1)},
                                     {test_split(0, 1, 0, 1), test_leaf(1)},
                                     {test_leaf(1), test_leaf(2)}};

    (void)state;
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        columns *c = columns_of(nodes[i], 2);
        fixture f;

        c->parents[0] = c->parents[1] = c->parents[2] = 0;
        begin(&f);
        if (add_columns(&f, c))
            assert_int_equal(hb_forest_model_seal(&f.forest, &f.limits, &f.error), HBS_E_FORMAT);
        end(&f);
    }
}

static void making_nodes_stops_within_a_large_tree(void **state)
{
    static hb_tree_node nodes[MOST_NODES];
    fixture f;
    bool made;

    (void)state;
    for (int i = 0; i < MOST_NODES; i++)
        nodes[i] = 2 * i + 2 < MOST_NODES ? test_split(0, 1, 2 * i + 1, 2 * i + 2) : test_leaf(1);
    begin(&f);
    f.host.cancel_at = 4;
    assert_status(hb_forest_make_nodes(&f.forest, &columns_of(nodes, MOST_NODES)->of, nodes, &made, &f.error),
                  HBS_E_CANCEL, &f.error);
    assert_int_equal(f.host.polls, 4);
    assert_false(made);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_made_nodes),
        cmocka_unit_test(what_is_wrong_in_any_column_at_any_node_is_found),
        cmocka_unit_test(good_columns_may_have_extreme_numbers),
        cmocka_unit_test(a_single_node_of_columns),
        cmocka_unit_test(two_nodes_of_columns_are_no_tree),
        cmocka_unit_test(making_nodes_stops_within_a_large_tree),
    };

    return cmocka_run_group_tests_name("forest_columns", tests, NULL, NULL);
}
