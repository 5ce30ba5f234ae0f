/* test_plan_facts.c - what a plan tells of itself: which features can matter, its strategy; how long its steps took. */
#include "models.h"

#include <stdlib.h>
#include <string.h>

/* A tree that tests a feature of four, or of twenty. */
static char *a_split(test_host *host, int feature, size_t n_features, const char *names, const char *types)
{
    hb_tree_node nodes[] = {test_split(feature, 1.5f, 1, 2), test_leaf(-1), test_leaf(1)};
    hb_memory memory;
    hb_forest_model forest;
    test_file file = {
        .objective = "reg:squarederror", .n_targets = 1, .names = names, .types = types, .forest = &forest};
    char *json;

    hb_memory_init(&memory, &host->host, 0);
    hb_forest_model_init(&forest, &memory);
    forest.n_features = n_features;
    forest.n_outputs = forest.leaf_width = 1;
    test_add_tree(&forest, nodes, 3, 0);
    json = test_write_file(&file);
    hb_forest_model_release(&forest);
    return json;
}

#define FIVE(text) text "," text "," text "," text "," text

static char *one_split(test_host *host)
{
    return a_split(host, 2, 4, "\"a\",\"b\",\"c\",\"d\"", "\"float\",\"float\",\"float\",\"float\"");
}

static void features_beyond_the_first_eight_are_told_apart(void **state)
{
    static const char names[] = "\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\",\"j\","
                                "\"k\",\"l\",\"m\",\"n\",\"o\",\"p\",\"q\",\"r\",\"s\",\"t\"";
    static const char types[] = FIVE("\"float\"") "," FIVE("\"float\"") "," FIVE("\"float\"") "," FIVE("\"float\"");

    (void)state;
    for (int feature = 0; feature < 20; feature++) {
        test_host host;
        hbs_plan *plan;
        char *json;

        test_host_init(&host);
        json = a_split(&host, feature, 20, names, types);
        plan = test_compile(&host.host, json, NULL);
        for (int f = 0; f < 20; f++)
            assert_int_equal(hbs_plan_uses(plan, (size_t)f, 0), f == feature);
        hbs_plan_free(plan);
        free(json);
        test_host_end(&host);
    }
}

static void a_forest_uses_the_features_that_it_tests(void **state)
{
    test_host host;
    hbs_plan_info info;
    hbs_plan *plan;
    char *json;

    (void)state;
    test_host_init(&host);
    json = one_split(&host);
    plan = test_compile(&host.host, json, NULL);
    hbs_plan_get_info(plan, &info);
    assert_int_equal(info.features, 4);
    assert_int_equal(info.features_used, 1);
    for (size_t f = 0; f < 4; f++)
        assert_int_equal(hbs_plan_uses(plan, f, 0), f == 2);
    assert_true(strlen(info.strategy) > 0);
    assert_true(info.row_nanoseconds > 0);
    hbs_plan_free(plan);
    free(json);
    test_host_end(&host);
}

static void other_models_use_all(void **state)
{
    test_host host;
    test_pipeline p;
    hbs_plan_info info;
    hbs_plan *plan;

    (void)state;
    test_host_init(&host);
    test_pipeline_begin(&p, &host.host, 3);
    p.pipeline.value = p.pipeline.raw = test_pipeline_linear(&p, 1, 1, NULL, NULL);
    plan = test_pipeline_compile(&p, 0);
    test_pipeline_end(&p);
    hbs_plan_get_info(plan, &info);
    assert_int_equal(info.features_used, 3);
    assert_string_equal(info.strategy, "");
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* ---- times */

/* Each look at the clock is a nanosecond later. */
static uint64_t tick(void *context)
{
    static uint64_t now;

    (void)context;
    return ++now;
}

static void score_blocks(hbs_run *run, size_t rows)
{
    static const double numbers[64];
    hbs_column columns[4];
    hbs_result result;
    hbs_error error;

    for (size_t f = 0; f < 4; f++)
        columns[f] = (hbs_column){.type = HBS_FLOAT64, .values = numbers};
    assert_status(hbs_score(run, columns, 4, rows, HBS_OUT_VALUE, &result, &error), HBS_OK, &error);
}

static void steps_are_measured_where_that_is_asked_for(void **state)
{
    test_host host;
    hbs_operator_time time;
    hbs_error error;
    hbs_plan *plan;
    hbs_run *run;
    char *json;
    size_t n = 0;

    (void)state;
    test_host_init(&host);
    host.host.nanoseconds = tick;
    json = one_split(&host);
    plan = test_compile(&host.host, json, NULL);
    run = test_run(&host.host, plan, 64);
    score_blocks(run, 64);
    assert_false(hbs_run_time(run, 0, &time));
    assert_status(hbs_run_measure(run, &error), HBS_OK, &error);
    assert_status(hbs_run_measure(run, &error), HBS_OK, &error);
    score_blocks(run, 64);
    score_blocks(run, 3);
    for (; hbs_run_time(run, n, &time); n++) {
        assert_string_equal(time.name, n == 0 ? "encode" : "tree_ensemble");
        assert_int_equal(time.nanoseconds, 2); /* two blocks, between two looks at the clock each */
    }
    assert_int_equal(n, 2);
    hbs_run_free(run);
    hbs_plan_free(plan);
    free(json);
    test_host_end(&host);
}

static void without_a_clock_nothing_is_measured(void **state)
{
    test_host host;
    hbs_operator_time time;
    hbs_error error;
    hbs_plan *plan;
    hbs_run *run;
    char *json;

    (void)state;
    test_host_init(&host);
    json = one_split(&host);
    plan = test_compile(&host.host, json, NULL);
    run = test_run(&host.host, plan, 64);
    assert_status(hbs_run_measure(run, &error), HBS_OK, &error);
    score_blocks(run, 10);
    assert_false(hbs_run_time(run, 0, &time));
    hbs_run_free(run);
    hbs_plan_free(plan);
    free(json);
    test_host_end(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forest_uses_the_features_that_it_tests),
        cmocka_unit_test(features_beyond_the_first_eight_are_told_apart),
        cmocka_unit_test(other_models_use_all),
        cmocka_unit_test(steps_are_measured_where_that_is_asked_for),
        cmocka_unit_test(without_a_clock_nothing_is_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
