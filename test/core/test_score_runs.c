/* test_score_runs.c - what a run asks of its caller, the counts of values and rows, and of its host: memory, and
 * whether to stop. */
#include "score_fixture.h"

#include <stdio.h>

/* ------------------------------------------------------------------ counts */

static void the_wrong_number_of_values_lists_the_names(void **state)
{
    hbs_value row[4] = {null_value, null_value, null_value, null_value};
    hbs_result result = {.rows = 9};
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    hbs_run *run = test_run(&f.host.host, f.plan, 1);

    assert_status(hbs_score_row(run, row, 4, HBS_OUT_RAW, &result, &f.error), HBS_E_ARGS, &f.error);
    assert_string_equal(f.error.text, "model \"m\" takes 3 features (num, plan, zone), got 4");
    assert_int_equal(result.rows, 0);
    assert_status(hbs_score_numbers(run, &(double){0}, 1, HBS_OUT_RAW, &result, &f.error), HBS_E_ARGS, &f.error);
    assert_string_equal(f.error.text, "model \"m\" takes 3 features (num, plan, zone), got 1");
    assert_status(hbs_score(run, NULL, 0, 1, HBS_OUT_RAW, &result, &f.error), HBS_E_ARGS, &f.error);
    assert_string_equal(f.error.text, "model \"m\" takes 3 features (num, plan, zone), got 0");
    assert_status(hbs_run_check_count(run, 3, &f.error), HBS_OK, &f.error);
    hbs_run_free(run);
    assert_status(hbs_run_create(f.plan, &f.host.host, NULL, 1, &run, &f.error), HBS_OK, &f.error);
    assert_status(hbs_run_check_count(run, 1, &f.error), HBS_E_ARGS, &f.error);
    assert_string_equal(f.error.text, "model takes 3 features (num, plan, zone), got 1");
    hbs_run_free(run);
    end(&f);
    begin_sum(&f, 1);
    run = test_run(&f.host.host, f.plan, 1);
    assert_status(hbs_run_check_count(run, 2, &f.error), HBS_E_ARGS, &f.error);
    assert_string_equal(f.error.text, "model \"m\" takes 1 feature, got 2");
    hbs_run_free(run);
    end(&f);
}

/* Names that are shown as \xNN take four times their size; any mixture must fit. */
static void names_of_any_bytes_fit_into_the_message(void **state)
{
    static const char *const tails[] = {"", "bbbbbbbb", "cccccccccccccccccccccccc"};
    uint64_t random = 17;

    for (int round = 0; round < 300; round++) {
        char names[2000] = "";
        fixture f;
        test_pipeline *p = begin(&f, 12);

        for (size_t i = 0; i < 12; i++) {
            char name[64] = "";

            memset(name, test_random(&random) % 2 ? '\001' : 'a', test_random(&random) % 26);
            snprintf(name + strlen(name), 32, "%zu%s", i, tails[test_random(&random) % 3]);
            strcat(strcat(names, i ? "," : ""), name);
        }
        test_pipeline_names(p, names);
        p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
        compile(&f);
        hbs_run *run = test_run(&f.host.host, f.plan, 1);

        assert_status(hbs_run_check_count(run, 13, &f.error), HBS_E_ARGS, &f.error);
        assert_memory_equal(f.error.text, "model \"m\" takes 12 features (", 29);
        assert_non_null(strstr(f.error.text, "), got 13"));
        hbs_run_free(run);
        end(&f);
    }
}

static void a_run_has_room_for_its_rows_only(void **state)
{
    static const double numbers[4];
    const hbs_column column = {HBS_FLOAT64, numbers, NULL};
    hbs_result result;
    hbs_run *run;
    fixture f;

    begin_sum(&f, 1);
    assert_status(hbs_run_create(f.plan, &f.host.host, "m", 0, &run, &f.error), HBS_E_ARGS, &f.error);
    assert_null(run);
    assert_status(hbs_run_create(f.plan, &f.host.host, "m", (1 << 20) + 1, &run, &f.error), HBS_E_ARGS, &f.error);
    assert_status(hbs_run_create(f.plan, &f.host.host, "m", 1 << 20, &run, &f.error), HBS_OK, &f.error);
    hbs_run_free(run);
    run = test_run(&f.host.host, f.plan, 3);
    assert_status(hbs_score(run, &column, 1, 3, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_status(hbs_score(run, &column, 1, 0, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_int_equal(result.rows, 0);
    assert_status(hbs_score(run, &column, 1, 4, HBS_OUT_RAW, &result, &f.error), HBS_E_ARGS, &f.error);
    assert_string_equal(f.error.text, "model \"m\": 4 rows in a run of at most 3");
    assert_status(hbs_score(run, &(hbs_column){HBS_TEXT, NULL, NULL}, 1, 1, HBS_OUT_RAW, &result, &f.error), HBS_E_ARGS,
                  &f.error);
    assert_string_equal(f.error.text, "model \"m\": column 1 has no values");
    assert_status(
        hbs_score(run, &(hbs_column){(hbs_type)(HBS_MIXED + 1), numbers, NULL}, 1, 1, HBS_OUT_RAW, &result, &f.error),
        HBS_E_ARGS, &f.error);
    hbs_run_free(run);
    end(&f);
}

static void the_models_name_is_escaped_and_cut(void **state)
{
    char name[200], expected[200];
    hbs_run *run;
    fixture f;

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memcpy(name, "a\"\n", 3);
    begin_sum(&f, 1);
    assert_status(hbs_run_create(f.plan, &f.host.host, name, 1, &run, &f.error), HBS_OK, &f.error);
    assert_status(hbs_run_check_count(run, 2, &f.error), HBS_E_ARGS, &f.error);
    snprintf(expected, sizeof expected, "model \"a\\x22\\x0a%.61s..\" takes 1 feature, got 2", name + 3);
    assert_string_equal(f.error.text, expected);
    hbs_run_free(run);
    end(&f);
}

/* ------------------------------------------------------------------ the host */

static void a_second_row_allocates_nothing(void **state)
{
    const hbs_value row[3] = {number_value(1), text_value("gold"), text_value("-7")};
    static const double numbers[64];
    const hbs_column columns[3] = {{HBS_FLOAT64, numbers, NULL}, {HBS_NULL, NULL, NULL}, {HBS_NULL, NULL, NULL}};
    hbs_result result;
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    hbs_run *run = test_run(&f.host.host, f.plan, 64);

    assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    size_t asked = f.host.asked;

    test_host_fail_at(&f.host, 1, true);
    assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_status(hbs_score(run, columns, 3, 64, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_int_equal(f.host.asked, 0);
    assert_true(asked > 0);
    /* another output is made when it is first asked for, or NOMEM, and the run still works */
    assert_status(hbs_score_row(run, row, 3, HBS_OUT_VALUE, &result, &f.error), HBS_E_NOMEM, &f.error);
    assert_status(hbs_score_row(run, row, 3, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    hbs_run_free(run);
    end(&f);
}

/* A forest of `n` chains that are 1,000 deep; the last leaf is reached by great numbers. */
static void begin_huge(fixture *f, size_t n, hbs_strategy strategy)
{
    enum { DEPTH = 1000 };
    static hb_tree_node nodes[2 * DEPTH + 1];
    test_pipeline *p = begin(f, 1);

    p->pipeline.limits.max_depth = DEPTH;
    p->pipeline.value = p->pipeline.raw = test_pipeline_forest(p, 1, 1, HB_BASE_IDENTITY, 0);
    for (int i = 0; i < DEPTH; i++) {
        nodes[2 * i] = test_split(0, (float)i, 2 * i + 1, 2 * i + 2);
        nodes[2 * i + 1] = test_leaf(1);
    }
    nodes[2 * DEPTH] = test_leaf(2);
    for (size_t t = 0; t < n; t++)
        test_add_tree(test_pipeline_trees(p, 2), nodes, 2 * DEPTH + 1, 0);
    f->plan = test_pipeline_compile_as(p, &(hbs_compile_options){.strategy = strategy});
    test_pipeline_end(p);
}

static void a_row_of_a_huge_forest_is_polled_and_stops(void **state)
{
    const hbs_value row = number_value(1e9);
    hbs_result result;
    fixture f;

    begin_huge(&f, 2000, HBS_STRATEGY_AUTO); /* two million steps */
    hbs_run *run = test_run(&f.host.host, f.plan, 1);

    f.host.polls = 0;
    assert_status(hbs_score_row(run, &row, 1, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_true(result.raw[0] == 4001);
    size_t polls = f.host.polls;

    assert_true(polls >= 5);
    for (size_t i = 1; i <= polls; i++) {
        f.host.polls = 0;
        f.host.cancel_at = i;
        assert_status(hbs_score_row(run, &row, 1, HBS_OUT_RAW, &result, &f.error), HBS_E_CANCEL, &f.error);
        assert_int_equal(result.rows, 0);
        assert_int_equal(f.host.polls, i);
    }
    f.host.cancel_at = 0; /* a stopped run goes on as if nothing had been */
    assert_status(hbs_score_row(run, &row, 1, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    assert_true(result.raw[0] == 4001);
    hbs_run_free(run);
    end(&f);
}

static void a_block_stops_between_groups_of_trees(size_t n_trees, hbs_strategy strategy, size_t least)
{
    static double numbers[130];
    const hbs_column column = {HBS_FLOAT64, numbers, NULL};
    hbs_result result;
    fixture f;

    begin_huge(&f, n_trees, strategy);
    hbs_run *run = test_run(&f.host.host, f.plan, 130);

    for (size_t r = 0; r < 130; r++)
        numbers[r] = r % 2 ? 1e9 : -1e9;
    f.host.polls = 0;
    assert_status(hbs_score(run, &column, 1, 130, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
    for (size_t r = 0; r < 130; r++)
        assert_true(result.raw[r] == (double)(r % 2 ? 2 * n_trees + 1 : n_trees + 1));
    size_t polls = f.host.polls;

    assert_true(polls >= least);
    for (size_t i = 1; i <= polls; i += 3) {
        f.host.polls = 0;
        f.host.cancel_at = i;
        assert_status(hbs_score(run, &column, 1, 130, HBS_OUT_RAW, &result, &f.error), HBS_E_CANCEL, &f.error);
        assert_true(result.rows < 130);
        assert_int_equal(f.host.polls, i);
    }
    hbs_run_free(run);
    end(&f);
}

static void a_block_of_a_huge_forest_stops_between_groups_of_trees(void **state)
{
    /* the tile, and each three trees, of 130,130 steps */
    a_block_stops_between_groups_of_trees(50, HBS_STRATEGY_TT, 1 + 50 / 3);
    /* 8 x 4 steps an operation */
    a_block_stops_between_groups_of_trees(100, HBS_STRATEGY_BITS, 1 + 100 * 1000 * 32 / (1 << 18) - 1);
}

static void a_wide_linear_model_is_polled(void **state)
{
    static double numbers[64];
    hbs_column columns[100];
    hbs_result result;
    fixture f;
    test_pipeline *p = begin(&f, 100);

    p->pipeline.raw = test_pipeline_linear(p, 1, 1000, NULL, NULL);
    compile(&f);
    hbs_run *run = test_run(&f.host.host, f.plan, 64);

    for (size_t c = 0; c < 100; c++)
        columns[c] = (hbs_column){HBS_FLOAT64, numbers, NULL};
    f.host.polls = 0;
    f.host.cancel_at = 5; /* 6.4 million products */
    assert_status(hbs_score(run, columns, 100, 64, HBS_OUT_RAW, &result, &f.error), HBS_E_CANCEL, &f.error);
    hbs_run_free(run);
    end(&f);
}

/* 8,192 outputs of 64 rows: the link works two rows at a time, with polls and without a difference. */
static void a_wide_link_is_polled(void **state)
{
    enum { WIDTH = 8192 };
    static const hb_link_kind links[] = {HB_LINK_SIGMOID,   HB_LINK_SOFTMAX, HB_LINK_SORT,
                                         HB_LINK_EXPECTILE, HB_LINK_EXP,     HB_LINK_HINGE};
    static double numbers[64], last_row[WIDTH];
    static float weights[WIDTH];
    const hbs_column column = {HBS_FLOAT64, numbers, NULL};

    for (size_t i = 0; i < WIDTH; i++)
        weights[i] = (float)((i * 7919) % WIDTH) / WIDTH;
    for (size_t i = 0; i < 64; i++)
        numbers[i] = (double)i / 100;
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        hbs_result result;
        fixture f;
        test_pipeline *p = begin(&f, 1);

        p->pipeline.raw = test_pipeline_linear(p, 1, WIDTH, weights, NULL);
        p->pipeline.values = test_pipeline_link(p, 2, links[i]);
        compile(&f);
        hbs_run *run = test_run(&f.host.host, f.plan, 64);
        const hbs_value row = number_value(numbers[63]);

        f.host.polls = 0;
        assert_status(hbs_score(run, &column, 1, 64, HBS_OUT_VALUES, &result, &f.error), HBS_OK, &f.error);
        memcpy(last_row, result.values + 63 * WIDTH, sizeof last_row);
        size_t polls = f.host.polls;

        assert_true(polls >= 31);
        assert_status(hbs_score(run, &column, 1, 64, HBS_OUT_RAW, &result, &f.error), HBS_OK, &f.error);
        assert_true(f.host.polls - polls < 31); /* the link is not needed for it */
        f.host.polls = polls;
        f.host.cancel_at = 2 * polls;
        assert_status(hbs_score(run, &column, 1, 64, HBS_OUT_VALUES, &result, &f.error), HBS_E_CANCEL, &f.error);
        f.host.cancel_at = 0;
        assert_status(hbs_score_row(run, &row, 1, HBS_OUT_VALUES, &result, &f.error), HBS_OK, &f.error);
        assert_memory_equal(result.values, last_row, sizeof last_row);
        hbs_run_free(run);
        end(&f);
    }
}

static hbs_status score_with(const hbs_host *host, void *context, hbs_error *error)
{
    const hbs_value row = number_value(1);
    hbs_result result;
    hbs_run *run;
    hbs_status status = hbs_run_create(context, host, "m", 70, &run, error);

    if (status == HBS_OK)
        status = hbs_score_row(run, &row, 1, HBS_OUT_VALUE | HBS_OUT_RAW, &result, error);
    if (status == HBS_OK)
        status = hbs_score_json(run, "[1]", 3, HBS_OUT_VALUE, &result, error);
    hbs_run_free(run);
    return status;
}

static void each_allocation_of_scoring_may_fail(void **state)
{
    fixture f;

    begin_sum(&f, 1);
    assert_true(test_each_allocation_fails(score_with, f.plan) >= 7);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wrong_number_of_values_lists_the_names),
        cmocka_unit_test(names_of_any_bytes_fit_into_the_message),
        cmocka_unit_test(a_run_has_room_for_its_rows_only),
        cmocka_unit_test(the_models_name_is_escaped_and_cut),
        cmocka_unit_test(a_second_row_allocates_nothing),
        cmocka_unit_test(a_row_of_a_huge_forest_is_polled_and_stops),
        cmocka_unit_test(a_block_of_a_huge_forest_stops_between_groups_of_trees),
        cmocka_unit_test(a_wide_linear_model_is_polled),
        cmocka_unit_test(a_wide_link_is_polled),
        cmocka_unit_test(each_allocation_of_scoring_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
