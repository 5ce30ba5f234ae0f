/* test_device.c - runs that give their trees to a device: blocks on their way, rows that are errors, devices that fail,
 * and which plans and outputs go there. The device is test/gpu/host_backend.c. */
#include "models.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/host_backend.h"
#include "own_writer.h"

enum { FEATURES = 4, ROWS = 300 };

typedef struct fixture {
    test_host host;
    hbs_plan *plan;
    hbs_run *cpu, *run;
    host_device device;
    hbs_device_program *program;
    hbs_error error;
} fixture;

static fixture f;
static double cells[FEATURES][3 * ROWS];
static hbs_column columns[FEATURES];

static char *forest_file(size_t n_classes)
{
    const test_shape shape = {.n_features = FEATURES,
                              .n_outputs = n_classes ? n_classes : 1,
                              .leaf_width = 1,
                              .n_trees = 30,
                              .depth = 6,
                              .finite = true};
    hb_forest_model forest;
    hb_memory memory;
    uint64_t random = 7;
    char *json;

    hb_memory_init(&memory, &f.host.host, 0);
    hb_forest_model_init(&forest, &memory);
    test_random_forest(&forest, &shape, &random);
    json = test_write_file(&(test_file){
        .objective = n_classes ? "multi:softprob" : "binary:logistic", .n_classes = n_classes, .forest = &forest});
    hb_forest_model_release(&forest);
    return json;
}

static hbs_plan *compile(const char *json, bool keep_nodes)
{
    hbs_model *model = test_load(&f.host.host, json, NULL);
    hbs_plan *plan;

    assert_status(
        hbs_plan_compile(model, &(hbs_compile_options){.passes_off = keep_nodes ? HBS_KEEP_NODES : 0}, &plan, &f.error),
        HBS_OK, &f.error);
    hbs_model_free(model);
    return plan;
}

static void fill_cells(void)
{
    uint64_t random = 99;

    for (size_t i = 0; i < FEATURES; i++) {
        columns[i] = (hbs_column){HBS_FLOAT64, cells[i], NULL};
        for (size_t r = 0; r < 3 * ROWS; r++)
            cells[i][r] = (double)test_random_number(&random, true);
    }
}

static void begin(size_t n_classes)
{
    hbs_forest_view view;
    char *json;

    memset(&f, 0, sizeof f);
    test_host_init(&f.host);
    fill_cells();
    json = forest_file(n_classes);
    f.plan = compile(json, true);
    free(json);
    f.cpu = test_run(&f.host.host, f.plan, ROWS);
    f.run = test_run(&f.host.host, f.plan, ROWS);
    assert_status(hbs_plan_forest(f.plan, &view, &f.error), HBS_OK, &f.error);
    assert_status(host_backend.upload(host_device_of(&f.device), &f.host.host, &view, &f.program, &f.error), HBS_OK,
                  &f.error);
    assert_status(hbs_run_use_device(f.run, &host_backend, host_device_of(&f.device), f.program, &f.error), HBS_OK,
                  &f.error);
}

static void end(void)
{
    hbs_run_free(f.run);
    hbs_run_free(f.cpu);
    host_backend.forget(host_device_of(&f.device), f.program);
    hbs_plan_free(f.plan);
    assert_int_equal(f.device.queues, 0);
    test_host_end(&f.host);
}

static void look_at(size_t first)
{
    for (size_t i = 0; i < FEATURES; i++)
        columns[i].values = cells[i] + first;
}

/* The result has the bits of the CPU's for the same rows. */
static void same_as_cpu(const hbs_result *got, size_t first, uint32_t outputs)
{
    hbs_result wanted;

    look_at(first);
    assert_status(hbs_score(f.cpu, columns, FEATURES, ROWS, outputs, &wanted, &f.error), HBS_OK, &f.error);
    assert_int_equal(got->rows, ROWS);
    if (outputs & HBS_OUT_RAW)
        assert_memory_equal(got->raw, wanted.raw, ROWS * sizeof(double));
    if (outputs & HBS_OUT_LABEL)
        assert_memory_equal(got->label, wanted.label, ROWS * sizeof(int32_t));
}

static void submit(size_t first, uint32_t outputs)
{
    look_at(first);
    assert_status(hbs_score_submit(f.run, columns, FEATURES, ROWS, outputs, &f.error), HBS_OK, &f.error);
}

static void collect(size_t first, uint32_t outputs)
{
    hbs_result result;

    assert_status(hbs_score_collect(f.run, &result, &f.error), HBS_OK, &f.error);
    same_as_cpu(&result, first, outputs);
}

static hbs_device_use use_of(void)
{
    hbs_device_use use;

    hbs_run_device_use(f.run, &use);
    return use;
}

/* ------------------------------------------------------------------ blocks */

static void two_blocks_are_on_their_way(void **state)
{
    hbs_result result;

    begin(0);
    submit(0, HBS_OUT_RAW);
    submit(ROWS, HBS_OUT_LABEL);
    assert_status(hbs_score_submit(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &f.error), HBS_E_ARGS, &f.error);
    collect(0, HBS_OUT_RAW);
    submit(2 * ROWS, HBS_OUT_RAW | HBS_OUT_LABEL);
    collect(ROWS, HBS_OUT_LABEL);
    collect(2 * ROWS, HBS_OUT_RAW | HBS_OUT_LABEL);
    assert_status(hbs_score_collect(f.run, &result, &f.error), HBS_E_ARGS, &f.error);
    assert_int_equal(use_of().blocks, 3);
    assert_int_equal(use_of().rows, 3 * ROWS);
    assert_int_equal(use_of().redone, 0);
    end();
}

static void hbs_score_does_both(void **state)
{
    hbs_result result;

    begin(3);
    look_at(0);
    assert_status(hbs_score(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW | HBS_OUT_LABEL, &result, &f.error), HBS_OK,
                  &f.error);
    same_as_cpu(&result, 0, HBS_OUT_LABEL);
    assert_int_equal(f.device.rows, ROWS);
    end();
}

/* A row that is an error: the rows before it come with the block's results. */
static void a_bad_row_ends_its_block(void **state)
{
    hbs_result result;
    hbs_value bad[ROWS];
    hbs_error wanted;

    begin(0);
    for (size_t r = 0; r < ROWS; r++)
        bad[r] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = cells[0][r]};
    bad[201] = (hbs_value){.type = HBS_TEXT, .as.text = {"no number", 9}};
    look_at(0);
    columns[0] = (hbs_column){HBS_MIXED, bad, NULL};
    assert_status(hbs_score(f.cpu, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &wanted), HBS_E_TYPE, &wanted);
    assert_status(hbs_score_submit(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &f.error), HBS_OK, &f.error);
    assert_status(hbs_score_collect(f.run, &result, &f.error), HBS_E_TYPE, &f.error);
    assert_int_equal(result.rows, 201);
    assert_string_equal(f.error.text, wanted.text);
    bad[0] = bad[201];
    assert_status(hbs_score_submit(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &f.error), HBS_OK, &f.error);
    assert_status(hbs_score_collect(f.run, &result, &f.error), HBS_E_TYPE, &f.error);
    assert_int_equal(result.rows, 0);
    assert_true(use_of().ready);
    columns[0] = (hbs_column){HBS_FLOAT64, cells[0], NULL};
    end();
}

/* The CPU has the blocks of a run whose device rests; what was on its way is lost. */
static void a_device_may_rest(void **state)
{
    hbs_result result;

    begin(0);
    submit(0, HBS_OUT_RAW);
    submit(ROWS, HBS_OUT_RAW);
    hbs_run_rest_device(f.run, true);
    assert_status(hbs_score_collect(f.run, &result, &f.error), HBS_E_ARGS, &f.error);
    assert_status(hbs_score_submit(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &f.error), HBS_E_UNSUPPORTED, &f.error);
    look_at(2 * ROWS);
    assert_status(hbs_score(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    same_as_cpu(&result, 2 * ROWS, HBS_OUT_RAW);
    assert_int_equal(use_of().blocks, 0);
    assert_int_equal(f.device.queues, 1);
    hbs_run_rest_device(f.run, false);
    submit(ROWS, HBS_OUT_RAW);
    collect(ROWS, HBS_OUT_RAW);
    assert_int_equal(use_of().blocks, 1);
    end();
}

static void a_device_that_fails_meanwhile_is_known(void **state)
{
    begin(0);
    f.device.fail_collect = 1;
    submit(0, HBS_OUT_RAW);
    hbs_run_rest_device(f.run, true);
    hbs_run_rest_device(f.run, false);
    assert_false(use_of().ready);
    assert_string_equal(use_of().error.text, "the device failed");
    hbs_run_rest_device(f.cpu, true); /* it has none: nothing */
    end();
}

/* ------------------------------------------------------------------ a device that fails */

static void no_score_is_lost(void **state)
{
    for (int fails = 1; fails <= 3; fails++) {
        begin(3);
        f.device.fail_collect = fails;
        submit(0, HBS_OUT_RAW);
        submit(ROWS, HBS_OUT_RAW);
        collect(0, HBS_OUT_RAW);
        if (use_of().ready)
            submit(2 * ROWS, HBS_OUT_RAW);
        collect(ROWS, HBS_OUT_RAW);
        if (fails > 1)
            collect(2 * ROWS, HBS_OUT_RAW);
        assert_false(use_of().ready);
        assert_true(use_of().redone >= 1);
        assert_string_equal(use_of().error.text, "the device failed");
        assert_status(hbs_score_submit(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &f.error), HBS_E_UNSUPPORTED,
                      &f.error);
        end();
    }
}

static void a_block_that_is_not_taken_is_scored(void **state)
{
    hbs_result result;

    begin(0);
    f.device.fail_submit = 2;
    submit(0, HBS_OUT_RAW);
    submit(ROWS, HBS_OUT_RAW);
    assert_false(use_of().ready);
    collect(0, HBS_OUT_RAW);
    collect(ROWS, HBS_OUT_RAW);
    look_at(2 * ROWS);
    assert_status(hbs_score(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    same_as_cpu(&result, 2 * ROWS, HBS_OUT_RAW);
    assert_int_equal(use_of().redone, 1);
    end();
}

static void a_host_that_stops_is_heard(void **state)
{
    hbs_result result;

    begin(0);
    look_at(0);
    f.host.cancel_at = f.host.polls + 1;
    assert_status(hbs_score_submit(f.run, columns, FEATURES, ROWS, HBS_OUT_RAW, &f.error), HBS_E_CANCEL, &f.error);
    f.host.cancel_at = 0;
    submit(0, HBS_OUT_RAW);
    f.host.cancel_at = f.host.polls + 1;
    assert_status(hbs_score_collect(f.run, &result, &f.error), HBS_E_CANCEL, &f.error);
    f.host.cancel_at = 0;
    submit(ROWS, HBS_OUT_RAW);
    collect(ROWS, HBS_OUT_RAW);
    end();
}

/* ------------------------------------------------------------------ which plans */

static void nodes_are_kept_on_demand(void **state)
{
    hbs_plan_info with, without;
    hbs_forest_view view;
    char *json;
    hbs_plan *plan;

    begin(0);
    json = forest_file(0);
    plan = compile(json, false);
    free(json);
    hbs_plan_get_info(f.plan, &with);
    hbs_plan_get_info(plan, &without);
    assert_true(with.bytes > without.bytes);
    assert_memory_not_equal(with.key, without.key, sizeof(with.key));
    assert_status(hbs_plan_forest(plan, &view, &f.error), HBS_E_UNSUPPORTED, &f.error);
    assert_string_equal(f.error.text, "the plan was compiled without the nodes of its trees");
    hbs_plan_free(plan);
    end();
}

/* As submit says, without a run. */
static void outputs_that_need_more_are_refused(void **state)
{
    begin(3);
    assert_status(hbs_plan_device(f.plan, HBS_OUT_RAW | HBS_OUT_LABEL, &f.error), HBS_OK, &f.error);
    assert_status(hbs_plan_device(f.plan, 0, &f.error), HBS_E_UNSUPPORTED, &f.error);
    assert_string_equal(f.error.text, "what is asked for needs more than the sums of the trees");
    end();
}

static void a_plan_without_trees_is_refused(void **state)
{
    hbs_forest_view view;
    hbs_plan *plan;
    hbs_run *run;

    begin(0);
    plan = test_compile(&f.host.host, own_transformer(2, 1, own_link("relu", "0")), NULL);
    assert_status(hbs_plan_forest(plan, &view, &f.error), HBS_E_UNSUPPORTED, &f.error);
    assert_status(hbs_plan_device(plan, HBS_OUT_TRANSFORM, &f.error), HBS_E_UNSUPPORTED, &f.error);
    run = test_run(&f.host.host, plan, ROWS);
    assert_status(hbs_run_use_device(run, &host_backend, host_device_of(&f.device), f.program, &f.error),
                  HBS_E_UNSUPPORTED, &f.error);
    hbs_run_free(run);
    hbs_plan_free(plan);
    own_reset();
    end();
}

/* ------------------------------------------------------------------ no memory */

static hbs_status use_and_score(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_device_program *program = NULL;
    hbs_forest_view view;
    hbs_run *run = NULL;
    hbs_result result;
    hbs_status status = hbs_plan_forest(f.plan, &view, error);

    if (status == HBS_OK)
        status = host_backend.upload(host_device_of(&f.device), host, &view, &program, error);
    if (status == HBS_OK)
        status = hbs_run_create(f.plan, host, NULL, ROWS, &run, error);
    if (status == HBS_OK)
        status = hbs_run_use_device(run, &host_backend, host_device_of(&f.device), program, error);
    if (status == HBS_OK)
        status = hbs_score(run, columns, FEATURES, ROWS, HBS_OUT_RAW, &result, error);
    hbs_run_free(run);
    if (program)
        host_backend.forget(host_device_of(&f.device), program);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    begin(0);
    look_at(0);
    assert_true(test_each_allocation_fails(use_and_score, NULL) > 10);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_blocks_are_on_their_way),
        cmocka_unit_test(hbs_score_does_both),
        cmocka_unit_test(a_bad_row_ends_its_block),
        cmocka_unit_test(a_device_may_rest),
        cmocka_unit_test(a_device_that_fails_meanwhile_is_known),
        cmocka_unit_test(no_score_is_lost),
        cmocka_unit_test(a_block_that_is_not_taken_is_scored),
        cmocka_unit_test(a_host_that_stops_is_heard),
        cmocka_unit_test(nodes_are_kept_on_demand),
        cmocka_unit_test(outputs_that_need_more_are_refused),
        cmocka_unit_test(a_plan_without_trees_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
