/* test_common_subexpressions.c - nodes of the same operator, parameters and inputs become one, and those that differ in
 * a bit do not. */
#include "graph_fixture.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 3 };

/* A lowered graph: the table, its numbers (node 1), their rounding (node 2), which is the output. */
static void begin(graph_fixture *f)
{
    test_pipeline *p = graph_begin(f, FEATURES);

    p->pipeline.wide = true;
    p->pipeline.values = test_add_plain(p, ROUND, 1);
    graph_lower(f);
    assert_int_equal(f->graph.nodes.count, 3);
}

/* Adds a node behind the numbers. */
static uint32_t add(graph_fixture *f, hb_operator_kind kind, const void *fit)
{
    return graph_add(f, kind, 1, 0, fit);
}

#define ADD(f, KIND, name, ...) add(f, HB_OPERATOR_##KIND, &(const hb_fit_##name){__VA_ARGS__})

/* The two nodes side by side are the output then; whether they have become one. */
static bool are_joined(graph_fixture *f, uint32_t a, uint32_t b)
{
    const hb_node *both;

    f->graph.outputs[3] = hb_graph_add(&f->graph, HB_OPERATOR_CONCAT, (const uint32_t[]){a, b}, 2, NULL);
    graph_run(f, HBS_PASS_COMMON_SUBEXPRESSIONS);
    both = graph_node(f, f->graph.outputs[3]);
    return both->inputs[0] == both->inputs[1];
}

/* Ends the test of one pair. */
#define JOINED(f, a, b)                   \
    do {                                  \
        assert_true(are_joined(f, a, b)); \
        graph_end(f);                     \
    } while (0)
#define APART(f, a, b)                     \
    do {                                   \
        assert_false(are_joined(f, a, b)); \
        graph_end(f);                      \
    } while (0)

/* NaN with another payload. */
static double other_nan(void)
{
    const uint64_t bits = 0x7ff8000000000001;
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* ---- constants */

static void equal_constants_become_one(void **state)
{
    static const double a[] = {1, 2}, b[] = {1, 2}, longer[] = {1, 2, 3};
    graph_fixture f;

    begin(&f);
    JOINED(&f, graph_constant(&f, a, 2), graph_constant(&f, b, 2));
    begin(&f);
    APART(&f, graph_constant(&f, a, 2), graph_constant(&f, longer, 3));
}

/* By their bits. */
static void constants_with_other_bits_stay(void **state)
{
    const double zeros[] = {0, -0.0, 1}, nans[] = {(double)NAN, other_nan()};
    graph_fixture f;

    begin(&f);
    APART(&f, graph_constant(&f, zeros, 1), graph_constant(&f, zeros + 1, 1));
    begin(&f);
    APART(&f, graph_constant(&f, nans, 1), graph_constant(&f, nans + 1, 1));
    begin(&f);
    JOINED(&f, graph_constant(&f, nans + 1, 1), graph_constant(&f, (const double[]){other_nan()}, 1));
}

/* The same bytes are other numbers in the other dtype. */
static void constants_of_other_dtypes_stay(void **state)
{
    static const double zeros[2];
    graph_fixture f;
    uint32_t a, b;

    begin(&f);
    a = hb_graph_add_constant(&f.graph, HB_DTYPE_FLOAT64, 2, zeros);
    b = hb_graph_add_constant(&f.graph, HB_DTYPE_FLOAT32, 2, zeros);
    f.graph.outputs[3] = a;
    f.graph.outputs[4] = b;
    graph_run(&f, HBS_PASS_COMMON_SUBEXPRESSIONS);
    assert_int_equal(f.graph.outputs[3], a);
    assert_int_equal(f.graph.outputs[4], b);
    graph_end(&f);
}

/* The hash is of their first bytes. */
static void long_constants_are_compared_to_their_end(void **state)
{
    enum { N = 1000 };
    static double a[N], b[N];
    graph_fixture f;

    begin(&f);
    JOINED(&f, graph_constant(&f, a, N), graph_constant(&f, b, N));
    b[N - 1] = 1;
    begin(&f);
    APART(&f, graph_constant(&f, a, N), graph_constant(&f, b, N));
}

/* ---- operators */

static void an_operator_without_parameters_is_joined_by_its_input(void **state)
{
    graph_fixture f;
    uint32_t a, b;

    begin(&f);
    JOINED(&f, add(&f, HB_OPERATOR_FLUSH_TINY, NULL), add(&f, HB_OPERATOR_FLUSH_TINY, NULL));
    begin(&f);
    APART(&f, add(&f, HB_OPERATOR_FLUSH_TINY, NULL), add(&f, HB_OPERATOR_CODE, NULL));
    begin(&f);
    a = graph_add(&f, HB_OPERATOR_CODE, 1, 0, NULL);
    b = graph_add(&f, HB_OPERATOR_CODE, 2, 0, NULL);
    APART(&f, a, b);
}

/* a b is not b a. */
static void inputs_have_an_order(void **state)
{
    graph_fixture f;
    uint32_t a, b;

    begin(&f);
    a = graph_add(&f, HB_OPERATOR_CONCAT, 1, 2, NULL);
    b = graph_add(&f, HB_OPERATOR_CONCAT, 2, 1, NULL);
    APART(&f, a, b);
}

static void parameters_are_compared_by_their_bits(void **state)
{
    const double nan = other_nan();
    static const double fill[] = {1, 2, 3};
    graph_fixture f;

    begin(&f);
    JOINED(&f, ADD(&f, CLIP, clip, {0, 1}), ADD(&f, CLIP, clip, {0, 1}));
    begin(&f);
    APART(&f, ADD(&f, CLIP, clip, {0, 1}), ADD(&f, CLIP, clip, {-0.0, 1}));
    begin(&f);
    JOINED(&f, ADD(&f, IMPUTE, impute, .missing = nan, .fill = fill),
           ADD(&f, IMPUTE, impute, .missing = nan, .fill = fill));
    begin(&f);
    APART(&f, ADD(&f, IMPUTE, impute, .missing = nan, .fill = fill),
          ADD(&f, IMPUTE, impute, .missing = (double)NAN, .fill = fill));
    begin(&f);
    APART(&f, ADD(&f, NORM_L1, norm_l1, true), ADD(&f, NORM_L1, norm_l1, false));
}

static void arrays_are_compared_by_their_items(void **state)
{
    static const double a[] = {1, 0, 3}, same[] = {1, 0, 3}, other[] = {1, -0.0, 3};
    static const uint32_t columns[] = {2, 0}, others[] = {2, 1};
    graph_fixture f;

    begin(&f);
    JOINED(&f, ADD(&f, AFFINE, affine, 2, a), ADD(&f, AFFINE, affine, 2, same));
    begin(&f);
    APART(&f, ADD(&f, AFFINE, affine, 2, a), ADD(&f, AFFINE, affine, 2, other));
    begin(&f);
    APART(&f, ADD(&f, SELECT, select, 2, columns), ADD(&f, SELECT, select, 2, others));
    begin(&f);
    APART(&f, ADD(&f, SELECT, select, 2, columns), ADD(&f, SELECT, select, 1, columns));
}

/* ---- parameters with structs in them */

static void nested_arrays_are_compared_by_their_items(void **state)
{
    static const uint32_t ends[] = {1, 1, 3}, same_ends[] = {1, 1, 3}, other_ends[] = {1, 2, 3};
    static const double edges[] = {0, 1, 2}, same_edges[] = {0, 1, 2}, other_edges[] = {-0.0, 1, 2};
    graph_fixture f;

    begin(&f);
    JOINED(&f, ADD(&f, BINS, bins, {3, ends, edges}), ADD(&f, BINS, bins, {3, same_ends, same_edges}));
    begin(&f);
    APART(&f, ADD(&f, BINS, bins, {3, ends, edges}), ADD(&f, BINS, bins, {3, other_ends, edges}));
    begin(&f);
    APART(&f, ADD(&f, BINS, bins, {3, ends, edges}), ADD(&f, BINS, bins, {3, ends, other_edges}));
}

/* An encoder of three columns of one category; what is asked of a column, and what becomes of others, counts too. */
static hb_fit_recode recode(double unknown, hb_encoder_column columns[FEATURES], const uint8_t *asked)
{
    static const double values[] = {1}, outputs[] = {5};

    for (size_t c = 0; c < FEATURES; c++)
        columns[c] = (hb_encoder_column){.count = 1, .missing = HB_OUTPUT_NONE, .unknown = HB_OUTPUT_NONE};
    columns[2].unknown_number = unknown;
    return (hb_fit_recode){.model = {FEATURES, 1, FEATURES, columns, values, NULL, outputs}, .asked = asked};
}

static bool recodes_are_joined(double unknown, const uint8_t *asked, const uint8_t *other_asked)
{
    hb_encoder_column columns[2][FEATURES];
    const hb_fit_recode a = recode(0, columns[0], asked), b = recode(unknown, columns[1], other_asked);
    graph_fixture f;
    bool joined;

    begin(&f);
    joined = are_joined(&f, add(&f, HB_OPERATOR_RECODE, &a), add(&f, HB_OPERATOR_RECODE, &b));
    graph_end(&f);
    return joined;
}

static void encoders_are_compared_by_all_that_they_hold(void **state)
{
    static const uint8_t all[] = {1, 1, 1}, same[] = {1, 1, 1}, some[] = {1, 0, 1};

    assert_true(recodes_are_joined(0, NULL, NULL));
    assert_false(recodes_are_joined(-0.0, NULL, NULL));
    assert_true(recodes_are_joined(0, all, same));
    assert_false(recodes_are_joined(0, all, some));
    assert_false(recodes_are_joined(0, NULL, all));
}

static void category_statistics_are_compared_by_all_that_they_hold(void **state)
{
    static const hb_category_equal equals[] = {{0, 7}, {1, 7}}, others[] = {{0, 7}, {1, 8}};
    static const hb_category_statistics a = {.n_equals = 2, .equals = equals}, b = {.n_equals = 2, .equals = others},
                                        shorter = {.n_equals = 1, .equals = equals};
    graph_fixture f;

    begin(&f);
    JOINED(&f, ADD(&f, CATEGORY_STATISTICS, category_statistics, a),
           ADD(&f, CATEGORY_STATISTICS, category_statistics, a));
    begin(&f);
    APART(&f, ADD(&f, CATEGORY_STATISTICS, category_statistics, a),
          ADD(&f, CATEGORY_STATISTICS, category_statistics, b));
    begin(&f);
    APART(&f, ADD(&f, CATEGORY_STATISTICS, category_statistics, a),
          ADD(&f, CATEGORY_STATISTICS, category_statistics, shorter));
}

/* A forest is its own: comparing trees would take too long. */
static void trees_are_joined_where_they_are_the_same_forest(void **state)
{
    static const double start[] = {0};
    hb_forest_model forest = {.wide = true, .n_features = FEATURES, .n_outputs = 1}, copy = forest;
    graph_fixture f;
    uint32_t base, a, b;

    for (int same = 0; same < 2; same++) {
        begin(&f);
        base = graph_constant(&f, start, 1);
        a = graph_add(&f, HB_OPERATOR_TREE_ENSEMBLE, 1, base, &(hb_fit_tree_ensemble){&forest});
        b = graph_add(&f, HB_OPERATOR_TREE_ENSEMBLE, 1, base, &(hb_fit_tree_ensemble){same ? &forest : &copy});
        assert_int_equal(are_joined(&f, a, b), same);
        graph_end(&f);
    }
}

/* ---- what follows */

/* Two scalers of equal numbers: the numbers, the shifts, the quotients. */
static void chains_become_one(void **state)
{
    static const double numbers[] = {1, 2, 3};
    graph_fixture f;
    uint32_t ends[2];

    begin(&f);
    for (size_t i = 0; i < 2; i++) {
        uint32_t shift = graph_add(&f, HB_OPERATOR_SUBTRACT, 1, graph_constant(&f, numbers, FEATURES), NULL);

        ends[i] = graph_add(&f, HB_OPERATOR_QUOTIENT, shift, graph_constant(&f, numbers, FEATURES), NULL);
    }
    assert_true(are_joined(&f, ends[0], ends[1]));
    assert_int_equal(f.graph.n_reports, 1);
    graph_report_is(&f, 0, "common_subexpressions", 5, 11, 6);
    assert_string_equal(hb_pass_unit(f.graph.reports[0].pass), "nodes");
    assert_int_equal(graph_count(&f), 6); /* table, numbers, constant, shift, quotient, side by side */
    assert_int_equal(graph_count_kind(&f, HB_OPERATOR_CONSTANT), 1);
    graph_end(&f);
}

static void it_can_be_switched_off(void **state)
{
    static const double numbers[] = {1, 2, 3};
    graph_fixture f;

    begin(&f);
    f.graph.outputs[3] = graph_add(&f, HB_OPERATOR_CONCAT, graph_constant(&f, numbers, FEATURES),
                                   graph_constant(&f, numbers, FEATURES), NULL);
    graph_optimize(&f, HBS_PASS_COMMON_SUBEXPRESSIONS | HBS_PASS_FOLD_CONSTANTS);
    assert_int_equal(graph_count_kind(&f, HB_OPERATOR_CONSTANT), 2);
    assert_int_equal(f.graph.n_reports, 0);
    graph_end(&f);
}

/* Outputs that are equal are one node, for both. */
static void outputs_move_to_the_first(void **state)
{
    graph_fixture f;

    begin(&f);
    f.graph.outputs[3] = add(&f, HB_OPERATOR_CODE, NULL);
    f.graph.outputs[4] = add(&f, HB_OPERATOR_CODE, NULL);
    f.graph.outputs[5] = graph_add(&f, HB_OPERATOR_FLUSH_TINY, (uint32_t)f.graph.outputs[4], 0, NULL);
    graph_run(&f, HBS_PASS_COMMON_SUBEXPRESSIONS);
    assert_int_equal(f.graph.outputs[3], f.graph.outputs[4]);
    graph_is(&f, f.graph.outputs[3], HB_OPERATOR_CODE, FEATURES, false);
    assert_int_equal(graph_node(&f, f.graph.outputs[3])->outputs, HBS_OUT_VALUES | HBS_OUT_RAW | HBS_OUT_TRANSFORM);
    graph_end(&f);
}

/* The one that stays refuses the rows of both, for all outputs. */
static void what_refuses_rows_goes_on_to_do_so(void **state)
{
    static const uint8_t asked[] = {2, 2, 2};
    graph_fixture f;
    uint32_t a, b;

    begin(&f);
    a = ADD(&f, GUARD, guard, .takes_missing = true, .asked = asked);
    b = ADD(&f, GUARD, guard, .takes_missing = true, .asked = asked);
    hb_node_at(&f.graph, a)->refuses = HBS_OUT_RAW;
    hb_node_at(&f.graph, b)->refuses = HBS_OUT_VALUES;
    graph_run(&f, HBS_PASS_COMMON_SUBEXPRESSIONS);
    assert_int_equal(graph_node(&f, a)->refuses, HBS_OUT_RAW | HBS_OUT_VALUES);
    assert_int_equal(graph_node(&f, a)->outputs, HBS_OUT_VALUES); /* there is no other */
    assert_int_equal(graph_node(&f, b)->outputs, 0);
    graph_end(&f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_constants_become_one),
        cmocka_unit_test(constants_with_other_bits_stay),
        cmocka_unit_test(constants_of_other_dtypes_stay),
        cmocka_unit_test(long_constants_are_compared_to_their_end),
        cmocka_unit_test(an_operator_without_parameters_is_joined_by_its_input),
        cmocka_unit_test(inputs_have_an_order),
        cmocka_unit_test(parameters_are_compared_by_their_bits),
        cmocka_unit_test(arrays_are_compared_by_their_items),
        cmocka_unit_test(nested_arrays_are_compared_by_their_items),
        cmocka_unit_test(encoders_are_compared_by_all_that_they_hold),
        cmocka_unit_test(category_statistics_are_compared_by_all_that_they_hold),
        cmocka_unit_test(trees_are_joined_where_they_are_the_same_forest),
        cmocka_unit_test(chains_become_one),
        cmocka_unit_test(it_can_be_switched_off),
        cmocka_unit_test(outputs_move_to_the_first),
        cmocka_unit_test(what_refuses_rows_goes_on_to_do_so),
    };

    return cmocka_run_group_tests_name("common_subexpressions", tests, NULL, NULL);
}
