/* test_demand.c - what each operator cannot take of the columns that it reads, from the outputs back to the
 * features. */
#include "models.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 3, K = HB_DEMAND_KNOWN, I = HB_DEMAND_FINITE, N = HB_DEMAND_FLOAT32 };

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hbs_error error;
} fixture;

static fixture f;

static void begin(void)
{
    memset(&f, 0, sizeof f);
    test_host_init(&f.host);
    test_pipeline_begin(&f.p, &f.host.host, FEATURES);
    f.p.pipeline.wide = true;
}

static void demands_are(hb_asker asker, uint8_t a, uint8_t b, uint8_t c)
{
    const uint8_t expected[FEATURES] = {a, b, c};

    assert_non_null(f.p.pipeline.demands[asker]);
    assert_memory_equal(f.p.pipeline.demands[asker], expected, FEATURES);
}

/* Seals with that value as the output; the demands of the features must be these. */
static void asks(size_t output, uint8_t a, uint8_t b, uint8_t c)
{
    f.p.pipeline.values = output;
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
    demands_are(HB_FOR_PREDICTIONS, a, b, c);
    assert_null(f.p.pipeline.demands[HB_FOR_TRANSFORM]);
    test_pipeline_end(&f.p);
    test_host_end(&f.host);
}

/* The same with two outputs, each of which asks the same of all features. */
static void asks_both(size_t output, uint8_t all, size_t transform, uint8_t all_of_transform)
{
    f.p.pipeline.values = output;
    f.p.pipeline.transform = transform;
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
    demands_are(HB_FOR_PREDICTIONS, all, all, all);
    demands_are(HB_FOR_TRANSFORM, all_of_transform, all_of_transform, all_of_transform);
    test_pipeline_end(&f.p);
    test_host_end(&f.host);
}

static const double ones[] = {1, 1, 1}, minus_one = -1;

static size_t shift(size_t input)
{
    return test_add(&f.p, SCALE, scale, input, .shift = ones);
}

static size_t check(size_t input, bool takes_missing)
{
    return test_add(&f.p, CHECK, check, input, .takes_missing = takes_missing);
}

static size_t impute(size_t input, double missing)
{
    return test_add(&f.p, IMPUTE, impute, input, .missing = missing, .fill = ones);
}

static size_t sum(size_t input, size_t n)
{
    return test_add(&f.p, DENSE, dense, input, .n_outputs = 1, .n_features = n, .weights = ones, .bias = ones);
}

static size_t pick(size_t input, const uint32_t *columns, size_t n)
{
    return test_add(&f.p, SELECT, select, input, .n_columns = n, .columns = columns);
}

static size_t round32(size_t input)
{
    return test_add_plain(&f.p, ROUND, input);
}

static size_t narrow(size_t input, bool needs_finite)
{
    return test_add(&f.p, NARROW, narrow, input, .needs_finite = needs_finite);
}

static size_t side_by_side(size_t left, size_t right)
{
    return hb_pipeline_add_of(&f.p.pipeline, HB_OPERATOR_CONCAT, (const uint32_t[]){(uint32_t)left, (uint32_t)right}, 2,
                              NULL);
}

/* ------------------------------------------------------------------ one operator */

static void nothing_is_looked_at_where_nothing_asks(void **state)
{
    begin();
    f.p.pipeline.values = round32(test_pipeline_mark(&f.p, 1, 1));
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
    assert_null(f.p.pipeline.demands[HB_FOR_PREDICTIONS]);
    assert_null(f.p.pipeline.demands[HB_FOR_TRANSFORM]);
    test_pipeline_end(&f.p);
    test_host_end(&f.host);
}

static void each_operator_asks_for_its_own(void **state)
{
    begin();
    asks(shift(1), I, I, I);
    begin();
    asks(test_add(&f.p, CLIP, clip, 1, .limits = {0, 0}), I, I, I);
    begin();
    asks(check(1, true), I, I, I);
    begin();
    asks(check(1, false), K | I, K | I, K | I);
    begin();
    asks(impute(1, NAN), I, I, I);
    begin();
    asks(impute(1, minus_one), K | I, K | I, K | I);
    begin();
    asks(sum(1, FEATURES), K | I, K | I, K | I);
}

/* It looks for what is refused behind it, in the columns that are used there, and asks no feature. */
static void a_guard_asks_no_feature(void **state)
{
    static const uint32_t last_first[] = {2, 0};

    for (uint8_t takes_missing = 0; takes_missing < 2; takes_missing++) {
        const uint8_t expected[] = {takes_missing ? I : K | I, 0, takes_missing ? I : K | I};
        size_t guard;

        begin();
        guard = test_add(&f.p, GUARD, guard, 1, .takes_missing = takes_missing);
        f.p.pipeline.values = sum(pick(guard, last_first, 2), 2);
        assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
        demands_are(HB_FOR_PREDICTIONS, K | I, 0, K | I);
        assert_memory_equal(test_fit(&f.p, guard, guard)->demands, expected, 3);
        test_pipeline_end(&f.p);
        test_host_end(&f.host);
    }
}

static void a_forest_asks_for_the_features_that_it_tests(void **state)
{
    static const hb_tree_node nodes[] = {{.as.threshold = 1, .feature = 2, .left = 1, .right = 2},
                                         {.left = HB_NO_CHILD, .right = -1},
                                         {.left = HB_NO_CHILD, .right = -1, .feature = 1}};
    size_t output;

    for (uint8_t demand = 0; demand < 4; demand++) {
        begin();
        output = test_pipeline_forest(&f.p, 1, 1, HB_BASE_IDENTITY, 0);
        hb_fit_forest *fit = test_fit(&f.p, forest, output);

        fit->base_score = NULL;
        fit->forest->wide = true;
        fit->forest->demand = demand;
        test_add_tree(fit->forest, nodes, 3, 0);
        if (demand)
            asks(output, 0, 0, demand);
        else
            asks(shift(output), 0, 0, 0); /* its sums are finite: what follows needs nothing of the rows */
    }
}

/* ------------------------------------------------------------------ which features are live */

/* Column c of a value; the features that it needs. */
static void needs(size_t value, uint32_t c, bool x, bool y, bool z)
{
    const uint8_t expected = (uint8_t)(x | y << 1 | z << 2);
    const uint8_t *const *live = f.p.pipeline.live;

    f.p.pipeline.values = pick(value, &c, 1);
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
    assert_int_equal(live[HB_FOR_PREDICTIONS] ? live[HB_FOR_PREDICTIONS][0] : 7, expected);
    assert_null(f.p.pipeline.demands[HB_FOR_PREDICTIONS]);
    test_pipeline_end(&f.p);
    test_host_end(&f.host);
}

static void a_forest_needs_what_its_leaves_compute_with(void **state)
{
    static const hb_tree_node nodes[] = {{.as.threshold = 1, .feature = 2, .left = 1, .right = 2},
                                         {.left = HB_NO_CHILD, .right = 0},
                                         {.left = HB_NO_CHILD, .right = -1}};
    const hb_linear_leaf leaf = {.constant = 1, .count = 1};
    const int32_t feature = 1, far = FEATURES;
    const double coefficient = 2;

    for (int linear = 0; linear < 2; linear++) {
        size_t output;
        hb_forest_model *forest;

        begin();
        output = test_pipeline_forest(&f.p, 1, 1, HB_BASE_IDENTITY, 0);
        ((hb_fit_forest *)hb_node_at(&f.p.pipeline.graph, output)->fit)->base_score = NULL;
        forest = hb_node_forest(hb_node_at(&f.p.pipeline.graph, output));
        forest->wide = true;
        if (linear) {
            assert_non_null(hb_vector_append(&forest->linear_leaves, &leaf, 1));
            assert_non_null(hb_vector_append(&forest->linear_features, &feature, 1));
            assert_non_null(hb_vector_append(&forest->linear_features, &far, 1)); /* of no leaf */
            assert_non_null(hb_vector_append(&forest->linear_coefficients, &coefficient, 1));
        }
        test_add_tree(forest, linear ? nodes : (const hb_tree_node[]){nodes[0], nodes[2], nodes[2]}, 3, 0);
        needs(output, 0, false, linear, true);
    }
}

static void each_statistic_needs_the_columns_of_its_elements(void **state)
{
    static const hb_element elements[] = {{.kind = HB_ELEMENT_HASH, .column = 2}, {.kind = HB_ELEMENT_ABOVE}};
    static const hb_category_equal equals[] = {{.column = 1}};
    static const hb_statistic two[] = {{.kind = HB_STATISTIC_COUNTER, .n_elements = 2},
                                       {.kind = HB_STATISTIC_COUNTER, .n_elements = 1}};
    static const hb_count_table table = {.width = 1};
    static const hb_fit_category_statistics statistics = {.model = {.n_equals = 1,
                                                                    .n_elements = 2,
                                                                    .n_statistics = 2,
                                                                    .n_tables = 1,
                                                                    .equals = equals,
                                                                    .elements = elements,
                                                                    .statistics = two,
                                                                    .tables = &table}};
    static const bool expected[][FEATURES] = {{true, false, false}, {false, true, false}, {false, false, true},
                                              {false, true, false}, {true, false, true},  {false, false, true}};

    for (uint32_t c = 0; c < 6; c++) {
        begin();
        needs(hb_pipeline_add(&f.p.pipeline, HB_OPERATOR_CATEGORY_STATISTICS, 1, &statistics), c, expected[c][0],
              expected[c][1], expected[c][2]);
    }
}

/* Marks say too that a known column is not missing, and no column of a norm is made without the others. */
static void some_operators_need_more_than_they_show(void **state)
{
    static const uint32_t shown[] = {0, 2}, c = 0;
    static const uint8_t known[] = {0, 1, 0};
    size_t marks;

    begin();
    marks = hb_pipeline_add(&f.p.pipeline, HB_OPERATOR_INDICATOR, 1,
                            &(hb_fit_indicator){.columns = shown, .n_columns = 2, .known = known, .missing = NAN});
    asks(pick(marks, &c, 1), I, I | K, 0);
    begin();
    asks(pick(hb_pipeline_add(&f.p.pipeline, HB_OPERATOR_NORM, 1, &(hb_fit_norm){.norm = HB_NORM_L1}), &c, 1), K | I,
         K | I, K | I);
}

/* A selector behind them drops their columns, and with these the features; one that stays has the demands of each
 * operator that reads it. */
static void a_dropped_feature_is_asked_for_nothing(void **state)
{
    static const uint32_t first[] = {0}, of_both[] = {0, 4};
    uint32_t inputs[2];

    begin();
    asks(pick(sum(1, FEATURES), first, 1), K | I, K | I, K | I);
    begin();
    asks(pick(check(shift(impute(1, NAN)), false), first, 1), I, 0, 0);
    begin();
    inputs[0] = (uint32_t)shift(1);
    inputs[1] = (uint32_t)hb_pipeline_add(&f.p.pipeline, HB_OPERATOR_ROUND, 1, NULL);
    asks(pick(hb_pipeline_add_of(&f.p.pipeline, HB_OPERATOR_CONCAT, inputs, 2, NULL), of_both, 2), I, I, 0);
}

/* ------------------------------------------------------------------ several */

static void columns_are_followed_through_select_and_concat(void **state)
{
    static const uint32_t last_first[] = {2, 0, 2}, second[] = {1};
    size_t left, both;

    begin();
    asks(shift(pick(1, last_first, 3)), I, 0, I);
    begin();
    left = shift(pick(1, last_first, 1));
    asks(side_by_side(left, pick(1, second, 1)), 0, 0, I);
    begin();
    left = pick(1, second, 1);
    both = side_by_side(left, pick(1, last_first, 2));
    asks(sum(pick(both, (const uint32_t[]){0, 1}, 2), 2), 0, K | I, K | I);
}

static void an_imputer_takes_what_follows_it_cannot(void **state)
{
    begin();
    asks(sum(impute(1, NAN), FEATURES), I, I, I);
    begin();
    asks(sum(impute(1, minus_one), FEATURES), K | I, K | I, K | I);
    begin();
    asks(sum(shift(impute(shift(1), NAN)), FEATURES), I, I, I);
    begin();
    asks(impute(sum(1, FEATURES), NAN), K | I, K | I, K | I);
}

static void rounding_makes_large_numbers_infinite(void **state)
{
    begin();
    asks(shift(round32(1)), I | N, I | N, I | N);
    begin();
    asks(round32(shift(1)), I, I, I);
    begin();
    asks(shift(round32(round32(1))), I | N, I | N, I | N);
    begin();
    asks(sum(impute(round32(1), NAN), FEATURES), I | N, I | N, I | N);
}

static void what_reads_float32_may_need_finite_numbers(void **state)
{
    begin();
    asks(narrow(1, false), 0, 0, 0);
    begin();
    asks(narrow(1, true), I | N, I | N, I | N);
    begin();
    asks(narrow(shift(1), true), I | N, I | N, I | N);
}

static void what_no_output_depends_on_is_not_asked_for(void **state)
{
    static const uint32_t first[] = {0};

    begin();
    sum(1, FEATURES);
    shift(1);
    asks(impute(pick(1, first, 1), NAN), I, 0, 0);
}

static void other_operators_pass_on(void **state)
{
    begin();
    asks(test_add_plain(&f.p, FLUSH_TINY, test_pipeline_mark(&f.p, shift(1), 1)), I, I, I);
    begin();
    asks(shift(test_add(&f.p, AVERAGE, average, 1, .divisor = 1)), I, I, I);
    begin();
    asks(shift(test_add(&f.p, AFFINE, affine, 1, .factor = 1, .bias = ones)), I, I, I);
    begin(); /* any of its numbers depends on all */
    size_t link = test_pipeline_link(&f.p, 1, HB_LINK_SOFTMAX);

    asks(shift(pick(link, (const uint32_t[]){1}, 1)), I, I, I);
}

static void the_transform_asks_by_itself(void **state)
{
    size_t shifted;

    begin(); /* only the sum refuses missing numbers */
    shifted = shift(1);
    asks_both(sum(shifted, FEATURES), K | I, shifted, I);
    begin(); /* only the transform is checked */
    shifted = check(1, false);
    asks_both(impute(1, NAN), I, shifted, K | I);
    begin(); /* the features themselves */
    asks_both(sum(1, FEATURES), K | I, 1, 0);
    begin(); /* nothing else */
    asks_both(0, 0, shift(1), I);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_looked_at_where_nothing_asks),
        cmocka_unit_test(each_operator_asks_for_its_own),
        cmocka_unit_test(a_guard_asks_no_feature),
        cmocka_unit_test(a_forest_asks_for_the_features_that_it_tests),
        cmocka_unit_test(a_forest_needs_what_its_leaves_compute_with),
        cmocka_unit_test(each_statistic_needs_the_columns_of_its_elements),
        cmocka_unit_test(some_operators_need_more_than_they_show),
        cmocka_unit_test(a_dropped_feature_is_asked_for_nothing),
        cmocka_unit_test(columns_are_followed_through_select_and_concat),
        cmocka_unit_test(an_imputer_takes_what_follows_it_cannot),
        cmocka_unit_test(rounding_makes_large_numbers_infinite),
        cmocka_unit_test(what_reads_float32_may_need_finite_numbers),
        cmocka_unit_test(what_no_output_depends_on_is_not_asked_for),
        cmocka_unit_test(other_operators_pass_on),
        cmocka_unit_test(the_transform_asks_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
