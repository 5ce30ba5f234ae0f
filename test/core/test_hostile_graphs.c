/* test_hostile_graphs.c - graphs that lie or are as large as they may be, and hosts that have no memory or want to stop
 * while passes run. Widths of 0 and beyond the limit: test_own_errors.c, test_own_encoders.c, test_own_features.c. */
#include "graph_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "own_writer.h"
#include "plan/plan.h"

/* ---- cycles */

static void is_refused(const char *ops, const char *text)
{
    const char *json = own_regressor(1, ops);
    const hbs_source source = {.bytes = json, .size = strlen(json)};
    hbs_model *model = NULL;
    hbs_error error;
    test_host host;

    test_host_init(&host);
    assert_status(hbs_model_load(&host.host, NULL, &source, &model, &error), HBS_E_FORMAT, &error);
    if (!strstr(error.text, text))
        fail_msg("found    %s\nexpected %s", error.text, text);
    test_host_end(&host);
    own_reset();
}

/* An operator reads values of earlier ones only, so no file can say a cycle. */
static void a_cycle_cannot_be_said_in_a_file(void **state)
{
    is_refused(CAST("1"), "ops[0].in[0]: expected an integer of 0 to 0, found 1");
    is_refused(CAST("2") "," CAST("1"), "ops[0].in[0]: expected an integer of 0 to 0, found 2");
    is_refused(CAST("0") "," CAST("3") "," CAST("2"), "ops[1].in[0]: expected an integer of 0 to 1, found 3");
    is_refused(CAST("0") ",{\"op\":\"concat\",\"in\":[1,3]}," CAST("2"),
               "ops[1].in[1]: expected an integer of 0 to 1, found 3");
}

/* Nor in a pipeline that a reader would make. */
static void sealing_refuses_inputs_that_come_later(void **state)
{
    static const uint32_t inputs[][2] = {{4, 1}, {1, 4}, {5, 1}, {1, 5}, {6, 1}, {1, UINT32_MAX}};

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        graph_fixture f;
        test_pipeline *p = graph_begin(&f, 2);
        size_t node;

        p->pipeline.wide = true;
        test_add_plain(p, ROUND, 1);
        test_add_plain(p, ROUND, 2);
        node = hb_pipeline_add_of(&p->pipeline, HB_OPERATOR_CONCAT, inputs[i], 2, NULL);
        assert_int_equal(node, 4);
        p->pipeline.values = test_add_plain(p, ROUND, node);
        assert_status(hb_pipeline_seal(&p->pipeline, &f.error), HBS_E_INTERNAL, &f.error);
        graph_end(&f);
    }
}

/* ---- a pipeline that each pass rewrites */

enum { FEATURES = 10 };

static const double numbers[] = {0.5, 2, 4, 8, 16, 32, 64, 128, 256, 512};

/* x0 < 0.5 ? 1 : 2 of `input`; NULL: no memory. */
static hb_forest_model *make_forest(hb_pipeline *p, bool wide, size_t n_features)
{
    const hb_tree_node nodes[] = {test_split(0, 0.5f, 1, 2), test_leaf(1), test_leaf(2)};
    const uint32_t start = 0;
    const int32_t group = 0;
    hb_forest_model *forest = hb_arena_array(&p->arena, 1, sizeof(*forest));

    if (!forest)
        return NULL;
    hb_forest_model_init(forest, p->arena.memory);
    forest->wide = wide;
    forest->n_features = n_features;
    forest->n_outputs = 1;
    if (hb_vector_append(&forest->starts, &start, 1) && hb_vector_append(&forest->groups, &group, 1) &&
        hb_vector_append(&forest->nodes, nodes, 3))
        return forest;
    hb_forest_model_release(forest);
    return NULL;
}

enum { CATEGORIES = 20 };

/* Sums of the one-hot columns of a feature's first `n` whole numbers: output o adds `weight` for the o-th, others 0. */
static size_t add_one_hot_sums(hb_pipeline *p, const uint32_t *feature, size_t n, size_t n_outputs, double weight)
{
    static const hb_encoder_column column = {
        .feature = UINT32_MAX, .missing = HB_OUTPUT_NONE, .unknown = HB_OUTPUT_NONE};
    hb_encoder_column *columns = hb_arena_array(&p->arena, 1, sizeof(*columns));
    double *values = hb_arena_array(&p->arena, n, sizeof(*values));
    int32_t *outputs = hb_arena_array(&p->arena, n, sizeof(*outputs));
    double *weights = hb_arena_array(&p->arena, n * n_outputs, sizeof(*weights));
    double *bias = hb_arena_array(&p->arena, n_outputs, sizeof(*bias));
    const hb_fit_onehot onehot = {.model = {1, n, n, columns, values, outputs, NULL}};
    size_t made;

    if (!columns || !values || !outputs || !weights || !bias)
        return 0;
    columns[0] = column;
    columns[0].count = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        values[i] = (double)i;
        outputs[i] = (int32_t)i;
        weights[i % n_outputs * n + i] = weight;
    }
    made = hb_pipeline_add(p, HB_OPERATOR_SELECT, 1, &(hb_fit_select){1, feature});
    made = hb_pipeline_add(p, HB_OPERATOR_ONEHOT, made, &onehot);
    return hb_pipeline_add(p, HB_OPERATOR_DENSE, made,
                           &(hb_fit_dense){.n_outputs = n_outputs, .n_features = n, .weights = weights, .bias = bias});
}

/* Trees in float32 whose base score goes through a logit, behind scalers in float32 of equal numbers of which trees and
 * a selection leave most out; the transform has all. Sums of one-hot columns, of few outputs and of many. A value of 0
 * is behind all others: no memory. */
static bool make_rich(hb_pipeline *p)
{
    static const float base = 0.25f;
    static const uint32_t last[] = {1, 0}, categories[] = {2, 3};
    static const hb_fit_scale scale = {
        .scaling = HB_SCALE_SHIFT_DIVIDE, .in_float32 = true, .shift = numbers, .factor = numbers};
    hb_fit_forest trees = {.base_score = &base, .base_link = HB_BASE_LOGIT};
    size_t scaled, narrow;

    p->format = "test";
    p->wide = true;
    p->n_features = FEATURES;
    hb_pipeline_add(p, HB_OPERATOR_ORDINAL, 0, NULL);
    scaled = hb_pipeline_add(p, HB_OPERATOR_ROUND, 1, NULL);
    scaled = hb_pipeline_add(p, HB_OPERATOR_SCALE, scaled, &scale);
    p->transform = scaled = hb_pipeline_add(p, HB_OPERATOR_ROUND, scaled, NULL);
    scaled = hb_pipeline_add(p, HB_OPERATOR_SELECT, scaled, &(hb_fit_select){2, last});
    narrow = hb_pipeline_add(p, HB_OPERATOR_NARROW, scaled, &(hb_fit_narrow){.needs_finite = false});
    trees.forest = narrow ? make_forest(p, false, 2) : NULL;
    p->value = trees.forest ? hb_pipeline_add(p, HB_OPERATOR_FOREST, narrow, &trees) : 0;
    p->values = add_one_hot_sums(p, &categories[0], CATEGORIES, 2, 0.5);
    p->raw = add_one_hot_sums(p, &categories[1], CATEGORIES, CATEGORIES, 0.25);
    return p->value > 0 && p->values > 0 && p->raw > 0;
}

static void begin_rich(hb_pipeline *p, hb_memory *memory)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 100, .max_model_bytes = 1 << 20};

    hb_pipeline_init(p, memory, &limits);
}

/* So that what follows goes through the memory and the polls of each. */
static void each_pass_rewrites_it(void **state)
{
    hbs_pass_report report;
    hb_pipeline pipeline;
    hb_memory memory;
    test_host host;
    hbs_error error;
    hbs_plan *plan;
    const char *name;
    uint32_t bit;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    begin_rich(&pipeline, &memory);
    assert_true(make_rich(&pipeline));
    assert_status(hb_pipeline_seal(&pipeline, &error), HBS_OK, &error);
    assert_status(hb_plan_compile(&pipeline, &host.host, NULL, (const uint8_t[32]){0}, &plan, &error), HBS_OK, &error);
    for (size_t i = 0; (name = hbs_pass_name(i, &bit)) != NULL; i++)
        if (!hbs_plan_pass(plan, i, &report) || strcmp(report.name, name) != 0)
            fail_msg("%s rewrites nothing in make_rich: add what it does", name);
    hbs_plan_free(plan);
    hb_pipeline_release(&pipeline);
    test_host_end(&host);
}

static hbs_status seal_and_compile(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_plan *plan = NULL;
    hb_pipeline pipeline;
    hb_memory memory;
    hbs_status status;

    (void)context;
    hb_memory_init(&memory, host, 0);
    begin_rich(&pipeline, &memory);
    status = make_rich(&pipeline) ? HBS_OK : hb_no_memory(&memory, error);
    if (status == HBS_OK)
        status = hb_pipeline_seal(&pipeline, error);
    if (status == HBS_OK)
        status = hb_plan_compile(&pipeline, host, NULL, (const uint8_t[32]){0}, &plan, error);
    hbs_plan_free(plan);
    hb_pipeline_release(&pipeline);
    assert_int_equal(memory.used, 0);
    return status;
}

static void each_allocation_of_the_passes_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(seal_and_compile, NULL) > 5);
}

/* ---- large ones */

/* A chain of shifts that are all the same, of which the values take one column in three and the transform all. */
static void begin_chain(graph_fixture *f, size_t width, size_t steps)
{
    test_pipeline *p = graph_begin(f, width);
    double *shift = hb_arena_array(&p->pipeline.arena, width, sizeof(*shift));
    uint32_t *columns = hb_arena_array(&p->pipeline.arena, width / 3, sizeof(*columns));
    size_t value = 1;

    assert_true(shift && columns);
    p->pipeline.wide = true;
    for (size_t c = 0; c < width; c++)
        shift[c] = -1;
    for (uint32_t c = 0; c < width / 3; c++)
        columns[c] = 3 * c;
    for (size_t i = 0; i < steps; i++)
        value = test_add(p, SCALE, scale, value, .scaling = HB_SCALE_SHIFT, .shift = shift);
    p->pipeline.transform = value;
    p->pipeline.values = test_add(p, SELECT, select, value, .n_columns = width / 3, .columns = columns);
}

/* The values of a row of zeros, which are all the number of steps; likewise the transform. */
static void gives(const hbs_host *host, const hbs_plan *plan, size_t width, double steps)
{
    double *row = calloc(width, sizeof(*row));
    hbs_run *run = test_run(host, plan, 1);
    hbs_result result;
    hbs_error error;

    assert_non_null(row);
    assert_status(hbs_score_numbers(run, row, width, HBS_OUT_VALUES, &result, &error), HBS_OK, &error);
    for (size_t c = 0; c < width / 3; c++)
        assert_true(result.values[c] == steps);
    assert_status(hbs_score_numbers(run, row, width, HBS_OUT_TRANSFORM, &result, &error), HBS_OK, &error);
    for (size_t c = 0; c < width; c++)
        assert_true(result.transform[c] == steps);
    hbs_run_free(run);
    free(row);
}

/* Nodes for the values and nodes for the transform, 66,000 of them, would be too many: the graph stays as it is. */
static void a_graph_that_two_askers_would_make_too_large_stays(void **state)
{
    enum { WIDTH = 3, STEPS = 16500 };
    graph_fixture f;
    hbs_plan *plan;
    hbs_pass_report report;

    begin_chain(&f, WIDTH, STEPS);
    plan = test_pipeline_compile(&f.p, 0);
    for (size_t i = 0; hbs_plan_pass(plan, i, &report); i++)
        assert_string_equal(report.name, "common_subexpressions"); /* of the numbers */
    gives(&f.host.host, plan, WIDTH, STEPS);
    hbs_plan_free(plan);
    graph_end(&f);
}

static hbs_status compile(graph_fixture *f, hbs_plan **plan)
{
    return hb_plan_compile(&f->p.pipeline, &f->host.host, NULL, (const uint8_t[32]){0}, plan, &f->error);
}

/* Passes over many nodes of many columns ask often, and leave nothing where the answer is to stop. */
static void compiling_stops_at_each_poll_of_the_passes(void **state)
{
    enum { WIDTH = 300, STEPS = 200 };
    graph_fixture f;
    hbs_plan *plan;
    size_t polls;

    begin_chain(&f, WIDTH, STEPS);
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
    f.host.polls = 0;
    assert_status(compile(&f, &plan), HBS_OK, &f.error);
    polls = f.host.polls;
    gives(&f.host.host, plan, WIDTH, STEPS);
    hbs_plan_free(plan);
    assert_true(polls > 20);
    for (size_t i = 1; i <= polls; i += EVERY) {
        f.host.polls = 0;
        f.host.cancel_at = i;
        assert_status(compile(&f, &plan), HBS_E_CANCEL, &f.error);
        assert_null(plan);
    }
    f.host.cancel_at = 0;
    graph_end(&f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cycle_cannot_be_said_in_a_file),
        cmocka_unit_test(sealing_refuses_inputs_that_come_later),
        cmocka_unit_test(each_pass_rewrites_it),
        cmocka_unit_test(each_allocation_of_the_passes_may_fail),
        cmocka_unit_test(a_graph_that_two_askers_would_make_too_large_stays),
        cmocka_unit_test(compiling_stops_at_each_poll_of_the_passes),
    };

    return cmocka_run_group_tests_name("hostile_graphs", tests, NULL, NULL);
}
