/* test_large_graphs.c - graphs of thousands of operators: what they compute, the limits, and out of memory at every
 * point of building, lowering and compiling one, with forests among its nodes. */
#include "models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/passes.h"
#include "own_writer.h"
#include "plan/plan.h"
#include "scored_model.h"

enum { MOST = 4096, TREES_EVERY = 500, ROWS = 70 };

/* ---- a pipeline of float64 that is one long chain */

static const double minus_one = -1;

/* x < 0.5 ? 1 : 2, or without memory NULL. */
static hb_forest_model *make_trees(hb_pipeline *pipeline)
{
    const hb_tree_node nodes[] = {test_split(0, 0.5f, 1, 2), test_leaf(1), test_leaf(2)};
    const uint32_t start = 0;
    const int32_t group = 0;
    hb_forest_model *forest = hb_arena_array(&pipeline->arena, 1, sizeof(*forest));

    if (!forest)
        return NULL;
    hb_forest_model_init(forest, pipeline->arena.memory);
    forest->wide = true;
    forest->n_features = forest->n_outputs = 1;
    if (hb_vector_append(&forest->starts, &start, 1) && hb_vector_append(&forest->groups, &group, 1) &&
        hb_vector_append(&forest->nodes, nodes, 3))
        return forest;
    hb_forest_model_release(forest);
    return NULL;
}

/* Trees of the feature whose sums start from `value`; 0: no memory. */
static size_t add_trees(hb_pipeline *pipeline, size_t value)
{
    const uint32_t inputs[] = {1, (uint32_t)value};
    hb_fit_forest fit = {.forest = make_trees(pipeline)};

    return fit.forest ? hb_pipeline_add_of(pipeline, HB_OPERATOR_FOREST, inputs, 2, &fit) : 0;
}

static size_t add_step(hb_pipeline *pipeline, size_t value)
{
    return hb_pipeline_add(pipeline, HB_OPERATOR_SCALE, value,
                           &(hb_fit_scale){.scaling = HB_SCALE_SHIFT, .shift = &minus_one});
}

/* Adds operators until there are n nodes: trees, and steps that add 1. False without memory. */
static bool grow(hb_pipeline *pipeline, size_t n)
{
    size_t value = 1;

    while (pipeline->graph.nodes.count < n) {
        bool trees = pipeline->graph.nodes.count % TREES_EVERY == 0;

        value = trees ? add_trees(pipeline, value) : add_step(pipeline, value);
        if (value == 0)
            return false;
    }
    pipeline->value = value;
    return true;
}

static void begin_pipeline(hb_pipeline *pipeline, hb_memory *memory)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 100, .max_model_bytes = 1 << 20};

    hb_pipeline_init(pipeline, memory, &limits);
    pipeline->format = "test";
    pipeline->n_features = 1;
    pipeline->wide = true;
    hb_pipeline_add(pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
}

/* Node 0 is the table, 1 the numbers; each multiple of TREES_EVERY is a forest's. */
static double expected(size_t nodes, double x)
{
    size_t trees = (nodes - 1) / TREES_EVERY, steps = nodes - 2 - trees;

    return x + (double)steps + (x <= 0.5 ? 1 : 2) * (double)trees;
}

typedef struct fixture {
    test_host host;
    hb_memory memory;
    hb_pipeline pipeline;
    hbs_error error;
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof(*f));
    test_host_init(&f->host);
    hb_memory_init(&f->memory, &f->host.host, 0);
    begin_pipeline(&f->pipeline, &f->memory);
}

static void end(fixture *f)
{
    hb_pipeline_release(&f->pipeline);
    test_host_end(&f->host);
}

/* ---- what is computed */

static void check_rows(const hbs_plan *plan, const hbs_host *host, double (*expect)(double x))
{
    static double x[ROWS];
    const hbs_column column = {HBS_FLOAT64, x, NULL};
    hbs_run *run = test_run(host, plan, ROWS);
    hbs_result result;
    hbs_error error;

    for (size_t r = 0; r < ROWS; r++)
        x[r] = (double)r / 8 - 3;
    assert_status(hbs_score(run, &column, 1, ROWS, HBS_OUT_VALUE, &result, &error), HBS_OK, &error);
    for (size_t r = 0; r < ROWS; r++)
        if (result.value[r] != expect(x[r]))
            fail_msg("row %zu: %.17g, expected %.17g", r, result.value[r], expect(x[r]));
    hbs_run_free(run);
}

static double expect_most(double x)
{
    return expected(MOST, x);
}

static void thousands_of_operators_are_computed(void **state)
{
    static const uint32_t passes_off[] = {0, UINT32_MAX};
    static const uint8_t key[32];
    fixture f;

    begin(&f);
    assert_true(grow(&f.pipeline, MOST));
    assert_status(hb_pipeline_seal(&f.pipeline, &f.error), HBS_OK, &f.error);
    for (size_t i = 0; i < 2; i++) {
        hbs_compile_options options = {.passes_off = passes_off[i]};
        hbs_plan *plan;

        assert_status(hb_plan_compile(&f.pipeline, &f.host.host, &options, key, &plan, &f.error), HBS_OK, &f.error);
        check_rows(plan, &f.host.host, expect_most);
        hbs_plan_free(plan);
    }
    end(&f);
}

/* ---- limits */

static void the_most_nodes_are_sealed_and_no_more(void **state)
{
    for (size_t more = 0; more < 2; more++) {
        fixture f;

        begin(&f);
        assert_int_equal(grow(&f.pipeline, HB_MAX_NODES + more), more == 0);
        assert_int_equal(f.pipeline.graph.nodes.count, HB_MAX_NODES);
        assert_status(hb_pipeline_seal(&f.pipeline, &f.error), more ? HBS_E_LIMIT : HBS_OK, &f.error);
        if (more)
            assert_string_equal(f.error.text, "the pipeline has more than 65536 operators");
        end(&f);
    }
}

/* Nothing is left of a forest that has no place. */
static void a_forest_beyond_the_limit_is_released(void **state)
{
    fixture f;

    begin(&f);
    assert_true(grow(&f.pipeline, HB_MAX_NODES));
    assert_int_equal(add_trees(&f.pipeline, 1), 0);
    assert_int_equal(add_step(&f.pipeline, 1), 0);
    assert_status(hb_pipeline_seal(&f.pipeline, &f.error), HBS_E_LIMIT, &f.error);
    end(&f);
}

/* Each step becomes two nodes. */
static void a_graph_that_grows_beyond_the_limit_is_not_lowered(void **state)
{
    hb_arena arena;
    hb_graph graph;
    fixture f;

    for (size_t more = 0; more < 2; more++) {
        begin(&f);
        hb_arena_init(&arena, &f.memory);
        while (f.pipeline.graph.nodes.count < HB_MAX_NODES / 2 + 1 + more)
            f.pipeline.value = add_step(&f.pipeline, f.pipeline.graph.nodes.count - 1);
        assert_status(hb_pipeline_seal(&f.pipeline, &f.error), HBS_OK, &f.error);
        assert_status(hb_graph_lower(&graph, &f.pipeline, &arena, &f.error), more ? HBS_E_LIMIT : HBS_OK, &f.error);
        assert_int_equal(graph.nodes.count, HB_MAX_NODES);
        hb_graph_release(&graph);
        hb_arena_release(&arena);
        end(&f);
    }
}

static void a_graft_that_has_no_place_is_refused(void **state)
{
    fixture f, inner;

    begin(&f);
    begin(&inner);
    assert_true(grow(&f.pipeline, HB_MAX_NODES - TREES_EVERY));
    assert_true(grow(&inner.pipeline, 3 * TREES_EVERY));
    hb_pipeline_graft(&f.pipeline, &inner.pipeline, f.pipeline.value);
    assert_int_equal(f.pipeline.graph.nodes.count, HB_MAX_NODES);
    assert_status(hb_pipeline_seal(&f.pipeline, &f.error), HBS_E_LIMIT, &f.error);
    end(&f);
    inner.pipeline.graph.nodes.count = 0; /* its forests were the other's */
    end(&inner);
}

/* What is missing of the one that is grafted is missing behind it. */
static void what_could_not_be_appended_is_told_by_a_graft(void **state)
{
    fixture f, inner;

    begin(&f);
    begin(&inner);
    assert_true(grow(&inner.pipeline, 8));
    test_host_fail_at(&inner.host, 1, true);
    while (add_step(&inner.pipeline, 1))
        ;
    f.pipeline.value = hb_pipeline_graft(&f.pipeline, &inner.pipeline, 1);
    assert_status(hb_pipeline_seal(&f.pipeline, &f.error), HBS_E_NOMEM, &f.error);
    end(&f);
    end(&inner);
}

/* ---- how the work grows */

/* How often the host is asked while a pipeline is compiled that limits the feature to n ranges, side by side. */
static size_t polls_of_ranges(size_t n)
{
    enum { MOST_RANGES = HB_MAX_NODES / 4 };
    static uint32_t ranges[MOST_RANGES];
    static const uint8_t key[32];
    hbs_plan *plan;
    size_t polls;
    fixture f;

    assert_true(n <= MOST_RANGES);
    begin(&f);
    for (size_t i = 0; i < n; i++)
        ranges[i] = (uint32_t)hb_pipeline_add(&f.pipeline, HB_OPERATOR_CLIP, 1, &(hb_fit_clip){{0, (double)i}});
    f.pipeline.transform = hb_pipeline_add_of(&f.pipeline, HB_OPERATOR_CONCAT, ranges, n, NULL);
    assert_status(hb_pipeline_seal(&f.pipeline, &f.error), HBS_OK, &f.error);
    f.host.polls = 0;
    assert_status(hb_plan_compile(&f.pipeline, &f.host.host, NULL, key, &plan, &f.error), HBS_OK, &f.error);
    polls = f.host.polls;
    hbs_plan_free(plan);
    end(&f);
    return polls;
}

/* Thousands of nodes that differ in one parameter, and whose values live at the same time, are not compared pair by
 * pair: of twice as many the work is about twice as much, not four times. */
static void work_grows_with_the_nodes(void **state)
{
    size_t half = polls_of_ranges(HB_MAX_NODES / 8), all = polls_of_ranges(HB_MAX_NODES / 4);

    if (half < 10 || all > 3 * half)
        fail_msg("%zu polls, of twice as many nodes %zu", half, all);
}

/* ---- hbscore's own format */

static double add_most(double x)
{
    return x + MOST;
}

/* Operators that read one another, each of which adds 1; each so many there are trees of the feature, or none. They end
 * before operator n. */
static void write_chain(char *ops, size_t size, size_t n, size_t trees_every)
{
    const char *number = F8(-1);
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        bool trees = trees_every > 0 && i % trees_every == trees_every - 1;
        const char *in = own_text("%zu", i);
        const char *op =
            trees ? own_forest_of("0", (own_forest){0})
                  : own_text("{\"op\":\"affine\",\"in\":[%s],\"kind\":\"sub\",\"dtype\":\"f8\",\"a\":%s}", in, number);

        used += (size_t)snprintf(ops + used, size - used, "%s%s", i ? "," : "", op);
        assert_true(used < size);
    }
}

/* No stage may recurse. */
static void a_file_of_the_most_operators_is_scored(void **state)
{
    static char ops[MOST * 128];
    scored_model m;

    write_chain(ops, sizeof(ops), MOST, 0);
    scored_model_begin(&m, own_regressor(1, ops), NULL, ROWS);
    check_rows(m.plan, &m.host.host, add_most);
    scored_model_end(&m);
    own_reset();
}

/* ---- out of memory */

static hbs_status build_and_compile(const hbs_host *host, void *context, hbs_error *error)
{
    static const uint8_t key[32];
    hbs_plan *plan = NULL;
    hb_pipeline pipeline;
    hb_memory memory;
    hbs_status status = HBS_OK;

    (void)context;
    hb_memory_init(&memory, host, 0);
    begin_pipeline(&pipeline, &memory);
    if (!grow(&pipeline, MOST / EVERY))
        status = hb_no_memory(&memory, error);
    if (status == HBS_OK)
        status = hb_pipeline_seal(&pipeline, error);
    if (status == HBS_OK)
        status = hb_plan_compile(&pipeline, host, NULL, key, &plan, error);
    hbs_plan_free(plan);
    hb_pipeline_release(&pipeline);
    assert_int_equal(memory.used, 0);
    return status;
}

static void each_allocation_of_a_large_graph_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(build_and_compile, NULL) > 50);
}

static hbs_status load_and_compile(const hbs_host *host, void *context, hbs_error *error)
{
    const hbs_source source = {.bytes = context, .size = strlen(context)};
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_plan_free(plan);
    hbs_model_free(model);
    return status;
}

/* With trees among them, and a file of XGBoost with more behind them. */
static void each_allocation_of_a_large_file_may_fail(void **state)
{
    enum { OPERATORS = 600 };
    static char ops[OPERATORS * 1024];
    test_file file = {.objective = "reg:squarederror"};
    hb_forest_model forest;
    hb_memory memory;
    test_host host;
    const char *json;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    hb_forest_model_init(&forest, &memory);
    forest.n_features = forest.n_outputs = 1;
    test_add_tree(&forest, (const hb_tree_node[]){test_split(0, 1, 1, 2), test_leaf(1), test_leaf(2)}, 3, 0);
    file.forest = &forest;
    char *text = test_write_file(&file);

    write_chain(ops, sizeof(ops), OPERATORS, 50);
    json = own_regressor(1, own_text("%s,%s", ops, own_model_of(own_text("%d", OPERATORS), (own_model){.file = text})));
    assert_true(test_each_allocation_fails(load_and_compile, (void *)(uintptr_t)json) > 100);
    free(text);
    hb_forest_model_release(&forest);
    test_host_end(&host);
    own_reset();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_operators_are_computed),
        cmocka_unit_test(the_most_nodes_are_sealed_and_no_more),
        cmocka_unit_test(a_forest_beyond_the_limit_is_released),
        cmocka_unit_test(a_graph_that_grows_beyond_the_limit_is_not_lowered),
        cmocka_unit_test(a_graft_that_has_no_place_is_refused),
        cmocka_unit_test(what_could_not_be_appended_is_told_by_a_graft),
        cmocka_unit_test(work_grows_with_the_nodes),
        cmocka_unit_test(a_file_of_the_most_operators_is_scored),
        cmocka_unit_test(each_allocation_of_a_large_graph_may_fail),
        cmocka_unit_test(each_allocation_of_a_large_file_may_fail),
    };

    return cmocka_run_group_tests_name("large_graphs", tests, NULL, NULL);
}
