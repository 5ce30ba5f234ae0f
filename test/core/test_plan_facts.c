/* test_plan_facts.c - what a plan tells of itself: which features can matter, its strategy; how long its steps took. */
#include "models.h"
#include "own_writer.h"

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
    assert_true(info.block_row_nanoseconds > 0 && info.block_row_nanoseconds < info.row_nanoseconds);
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
        static const char *const names[] = {"encode", "tree_ensemble", "store"};

        assert_true(n < 3);
        assert_string_equal(time.name, names[n]);
        assert_int_equal(time.nanoseconds, 2); /* two blocks, between two looks at the clock each */
        assert_int_equal(time.calls, 2);
        assert_int_equal(time.rows, 67);
    }
    assert_int_equal(n, 3);
    hbs_run_free(run);
    hbs_plan_free(plan);
    free(json);
    test_host_end(&host);
}

/* A classifier of three columns: a product for two classes, its softmax, the class. */
static hbs_plan *a_classifier(test_host *host)
{
    test_pipeline p;
    size_t raw, probabilities;
    hbs_plan *plan;

    test_pipeline_begin(&p, &host->host, 3);
    test_pipeline_classes(&p, 2);
    raw = test_pipeline_linear(&p, 1, 2, NULL, NULL);
    hb_node_at(&p.pipeline.graph, raw)->step = (hbs_text){"columns/num/é", 14};
    probabilities = test_pipeline_link(&p, raw, HB_LINK_SOFTMAX);
    p.pipeline.raw = raw;
    p.pipeline.probabilities = probabilities;
    p.pipeline.label = test_pipeline_head(&p, probabilities, HB_HEAD_ARGMAX, 0);
    plan = test_pipeline_compile(&p, 0);
    test_pipeline_end(&p);
    return plan;
}

/* What each operator must have done. */
typedef struct expected_time {
    const char *name, *source;
    int position;
    size_t calls, rows, bytes;
} expected_time;

static void check_times(const hbs_run *run, const expected_time *expected, size_t n)
{
    hbs_operator_time time;

    for (size_t i = 0; i < n; i++) {
        const expected_time *e = &expected[i];

        assert_true(hbs_run_time(run, i, &time));
        assert_string_equal(time.name, e->name);
        assert_string_equal(time.source, e->source);
        assert_int_equal(time.position, e->position);
        assert_int_equal(time.calls, e->calls);
        assert_int_equal(time.rows, e->rows);
        assert_int_equal(time.bytes, e->bytes);
        assert_int_equal(time.nanoseconds, e->calls > 0);
        assert_int_equal(strlen(time.kernel) > 0, e->calls > 0);
    }
    assert_false(hbs_run_time(run, n, &time));
}

/* 10 rows of a text, of doubles and of integers; one is missing everywhere. */
static void score_classifier(hbs_run *run, size_t rows, uint32_t outputs)
{
    static const double doubles[64];
    static const int64_t integers[64];
    const hbs_column columns[3] = {
        {.type = HBS_FLOAT64, .values = doubles}, {.type = HBS_INT64, .values = integers}, {.type = HBS_NULL}};
    hbs_result result;
    hbs_error error;

    assert_status(hbs_score(run, columns, 3, rows, outputs, &result, &error), HBS_OK, &error);
}

static void only_steps_that_an_output_needs_are_called(void **state)
{
    enum { PARAMETERS = 2 * 64 + 2 * 4 }; /* counts, weights and biases each begin at a multiple of 64 */
    test_host host;
    hbs_error error;
    hbs_plan *plan;
    hbs_run *run;

    (void)state;
    test_host_init(&host);
    host.host.nanoseconds = tick;
    plan = a_classifier(&host);
    run = test_run(&host.host, plan, 64);
    assert_status(hbs_run_measure(run, &error), HBS_OK, &error);
    score_classifier(run, 10, HBS_OUT_RAW);
    /* The caller's cells are 8, 8 and no bytes, the numbers made of them and all others 4. */
    check_times(run,
                (const expected_time[]){
                    {"encode", "", 1, 1, 10, 10 * (8 + 8 + 3 * 4)},
                    {"linear", "columns/num/é", 3, 1, 10, PARAMETERS + 2 * 4 + 10 * (3 + 2) * 4},
                    {"argmax_softmax", "head", 4, 0, 0, 0},
                    {"softmax", "link", 5, 0, 0, 0},
                    {"store", "", 6, 1, 10, 10 * 2 * (4 + 8)},
                },
                5);
    hbs_run_free(run);
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* Four columns of float64 that become float32, then a product of one output. */
static hbs_plan *a_narrowed_sum(test_host *host)
{
    test_pipeline p;
    size_t narrowed;
    hbs_plan *plan;

    test_pipeline_begin(&p, &host->host, 4);
    p.pipeline.wide = true;
    narrowed = hb_pipeline_add(&p.pipeline, HB_OPERATOR_NARROW, 1, &(hb_fit_narrow){.needs_finite = false});
    p.pipeline.value = p.pipeline.raw = test_pipeline_linear(&p, narrowed, 1, NULL, NULL);
    plan = test_pipeline_compile(&p, 0);
    test_pipeline_end(&p);
    return plan;
}

static void inputs_and_outputs_count_in_their_own_dtypes(void **state)
{
    enum { NARROW = 1, LINEAR = 2 * 64 + 4 }; /* parameters */
    test_host host;
    hbs_error error;
    hbs_plan *plan;
    hbs_run *run;

    (void)state;
    test_host_init(&host);
    host.host.nanoseconds = tick;
    plan = a_narrowed_sum(&host);
    run = test_run(&host.host, plan, 64);
    assert_status(hbs_run_measure(run, &error), HBS_OK, &error);
    score_blocks(run, 10);
    check_times(run,
                (const expected_time[]){
                    {"encode", "", 1, 1, 10, 10 * 4 * (8 + 8)},
                    {"narrow", "narrow", 2, 1, 10, NARROW + 10 * 4 * (8 + 4)},
                    {"linear", "linear", 4, 1, 10, LINEAR + 4 + 10 * (4 + 1) * 4},
                    {"store", "", 5, 1, 10, 10 * (4 + 8)},
                },
                4);
    hbs_run_free(run);
    hbs_plan_free(plan);
    test_host_end(&host);
}

/* Operators of hbscore's own format may name the step that they are from. */
#define NAMED(step, rest) "{\"op\":\"cast\",\"step\":\"" step "\",\"in\":[0],\"to\":\"f4\"}," rest

static void check_sources(const char *ops, const char *const *sources, size_t n)
{
    test_host host;
    hbs_operator_time time;
    hbs_error error;
    hbs_plan *plan;
    hbs_run *run;

    test_host_init(&host);
    host.host.nanoseconds = tick;
    plan = test_compile(&host.host, own_regressor(2, ops), NULL);
    run = test_run(&host.host, plan, 64);
    assert_status(hbs_run_measure(run, &error), HBS_OK, &error);
    for (size_t i = 0; i < n; i++) {
        assert_true(hbs_run_time(run, i + 1, &time));
        assert_string_equal(time.source, sources[i]);
    }
    assert_true(hbs_run_time(run, n + 1, &time));
    assert_string_equal(time.name, "store");
    hbs_run_free(run);
    hbs_plan_free(plan);
    test_host_end(&host);
}

static void an_operator_is_of_the_step_that_its_file_names(void **state)
{
    static char longest[256];
    const char *linear = own_text("{\"op\":\"linear\",\"step\":\"clf\",\"in\":[1],\"coef\":%s,\"intercept\":%s}",
                                  ROWS(1, 2, 1, 1), F8(0));
    const char *plain =
        own_text("{\"op\":\"linear\",\"in\":[1],\"coef\":%s,\"intercept\":%s}", ROWS(1, 2, 1, 1), F8(0));

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    check_sources(own_text(NAMED("a/b", "%s"), linear), (const char *[]){"a/b", "clf"}, 2);
    check_sources(own_text(NAMED("\\u00e9 \\\"\\n", "%s"), plain), (const char *[]){"é \"\n", "dense"}, 2);
    check_sources(own_text(NAMED("%s", "%s"), longest, plain), (const char *[]){longest, "dense"}, 2);
    own_reset();
}

/* The affine step of a cast input and the cast behind it become one step in float32: that of the first. */
static void a_step_of_two_operators_is_of_the_first(void **state)
{
    const char *scale =
        own_text("{\"op\":\"affine\",\"step\":\"scale\",\"in\":[1],\"kind\":\"sub\",\"dtype\":\"f8\",\"a\":%s},"
                 "{\"op\":\"cast\",\"step\":\"later\",\"in\":[2],\"to\":\"f4\"},"
                 "{\"op\":\"linear\",\"in\":[3],\"coef\":%s,\"intercept\":%s}",
                 F8(1, 2), ROWS(1, 2, 1, 1), F8(0));

    (void)state;
    check_sources(own_text(NAMED("first", "%s"), scale), (const char *[]){"first", "scale", "dense"}, 3);
    own_reset();
}

static void a_function_is_found_by_its_name(void **state)
{
    static const char *const names[] = {
        [HBS_PREDICT] = "predict",
        [HBS_PREDICT_LABEL] = "predict_label",
        [HBS_PREDICT_PROBABILITY] = "predict_probability",
        [HBS_PREDICT_PROBA] = "predict_proba",
        [HBS_PREDICT_VALUES] = "predict_values",
        [HBS_DECISION_FUNCTION] = "decision_function",
        [HBS_PREDICT_JSON] = "predict_json",
        [HBS_TRANSFORM] = "transform",
        [HBS_PREDICT_PROBABILITIES] = "predict_probabilities",
        [HBS_PREDICT_TOP] = "predict_top",
    };
    hbs_function function;
    hbs_error error;

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_status(hbs_function_read((hbs_text){names[i], strlen(names[i])}, &function, &error), HBS_OK, &error);
        assert_int_equal(function, i);
    }
    assert_status(hbs_function_read((hbs_text){"Predict", 7}, &function, &error), HBS_E_ARGS, &error);
    assert_string_equal(error.text,
                        "no scoring function \"Predict\": it is one of predict, predict_label, predict_probability, "
                        "predict_proba, predict_values, decision_function, predict_json, transform, "
                        "predict_probabilities, predict_top");
    assert_status(hbs_function_read((hbs_text){NULL, 0}, &function, &error), HBS_E_ARGS, &error);
}

/* The same forest, in blocks of many rows and of few. */
static void check_kernels(hbs_strategy strategy, const char *many, const char *then_few)
{
    test_host host;
    test_pipeline p;
    hbs_operator_time time;
    hbs_error error;
    hbs_plan *plan;
    hbs_run *run;

    test_host_init(&host);
    host.host.nanoseconds = tick;
    test_pipeline_begin(&p, &host.host, 4);
    p.pipeline.value = p.pipeline.raw = test_pipeline_forest(&p, 1, 1, HB_BASE_IDENTITY, 0);
    plan = test_pipeline_compile_as(&p, &(hbs_compile_options){.strategy = strategy});
    test_pipeline_end(&p);
    run = test_run(&host.host, plan, 64);
    assert_status(hbs_run_measure(run, &error), HBS_OK, &error);
    assert_true(hbs_run_time(run, 1, &time));
    assert_string_equal(time.kernel, "");
    score_blocks(run, 64);
    assert_true(hbs_run_time(run, 1, &time));
    assert_string_equal(strchr(time.kernel, ' '), many);
    score_blocks(run, 1);
    assert_true(hbs_run_time(run, 1, &time));
    assert_string_equal(strchr(time.kernel, ' '), then_few);
    assert_string_equal(time.source, "forest");
    assert_true(hbs_run_time(run, 0, &time));
    assert_null(strchr(time.kernel, ' '));
    hbs_run_free(run);
    hbs_plan_free(plan);
    test_host_end(&host);
}

static void the_kernel_is_the_one_that_ran(void **state)
{
    (void)state;
    check_kernels(HBS_STRATEGY_TT, " tt", " tt");
    check_kernels(HBS_STRATEGY_PTT, " ptt", " tt + ptt");
    check_kernels(HBS_STRATEGY_GEMM, " gemm", " tt + gemm");
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
        cmocka_unit_test(only_steps_that_an_output_needs_are_called),
        cmocka_unit_test(inputs_and_outputs_count_in_their_own_dtypes),
        cmocka_unit_test(the_kernel_is_the_one_that_ran),
        cmocka_unit_test(an_operator_is_of_the_step_that_its_file_names),
        cmocka_unit_test(a_step_of_two_operators_is_of_the_first),
        cmocka_unit_test(a_function_is_found_by_its_name),
        cmocka_unit_test(without_a_clock_nothing_is_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
