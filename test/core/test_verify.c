/* test_verify.c - golden rows: the option's text, the comparison, and the tolerance that a plan states. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "format/golden.h"

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hbs_plan *plan;
    hbs_verification found;
    hbs_error error;
} fixture;

static test_pipeline *begin(fixture *f, size_t n_features)
{
    memset(f, 0, sizeof *f);
    test_host_init(&f->host);
    test_pipeline_begin(&f->p, &f->host.host, n_features);
    return &f->p;
}

static void compile(fixture *f)
{
    f->plan = test_pipeline_compile(&f->p, 0);
    test_pipeline_end(&f->p);
}

static void end(fixture *f)
{
    hbs_plan_free(f->plan);
    test_host_end(&f->host);
}

/* Verifies a text in a block of just its size. */
static hbs_status verify(fixture *f, const char *text)
{
    char *copy = test_exact_copy(text, strlen(text));
    hbs_status status = hbs_verify(f->plan, &f->host.host, "churn", copy, strlen(text), &f->found, &f->error);

    free(copy);
    return status;
}

static void is_ok(fixture *f, const char *text, size_t rows)
{
    assert_status(verify(f, text), HBS_OK, &f->error);
    assert_string_equal(f->found.text, "");
    assert_true(f->found.ok);
    assert_int_equal(f->found.rows, rows);
}

static void differs(fixture *f, const char *text, const char *words)
{
    assert_status(verify(f, text), HBS_OK, &f->error);
    assert_string_equal(f->found.text, words);
    assert_false(f->found.ok);
}

static void refused(fixture *f, const char *text, hbs_status status, const char *words)
{
    char expected[HBS_ERROR_TEXT];

    snprintf(expected, sizeof expected, "model \"churn\": option golden: %s", words);
    assert_status(verify(f, text), status, &f->error);
    assert_int_equal(f->error.status, status);
    assert_string_equal(f->error.text, expected);
    assert_false(f->found.ok);
}

/* ---- models: sums of their features plus one half, in float32 */

static void begin_sum(fixture *f)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.value = p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    compile(f);
}

static void begin_two(fixture *f)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.values = p->pipeline.raw = test_pipeline_linear(p, 1, 2, NULL, NULL);
    compile(f);
}

/* A sigmoid of the sum; labels no and yes, or 0 and 1. */
static void begin_classes(fixture *f, bool texts, double tolerance)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.tolerance = tolerance;
    p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    p->pipeline.probabilities = test_pipeline_link(p, 2, HB_LINK_SIGMOID);
    test_pipeline_classes(p, 2);
    if (texts) {
        p->pipeline.classes[0] = (hbs_value){.type = HBS_TEXT, .as.text = {"no", 2}};
        p->pipeline.classes[1] = (hbs_value){.type = HBS_TEXT, .as.text = {"yes", 3}};
    }
    p->pipeline.label = test_pipeline_head(p, 3, HB_HEAD_GREATER, 0.5f);
    compile(f);
}

/* A text category, a number and a category that is a number; what is unseen makes the row NULL. */
static void begin_types(fixture *f, hb_unseen unseen)
{
    static const hbs_text plans[] = {{"basic", 5}, {"gold", 4}};
    static const int64_t zones[] = {10, 20};
    static const hb_categories categories[3] = {
        {.type = HBS_TEXT, .count = 2, .texts = plans},
        {.count = 0},
        {.type = HBS_INT64, .count = 2, .numbers = zones},
    };
    test_pipeline *p = begin(f, 3);

    p->pipeline.categories = categories;
    p->pipeline.on_unseen = unseen;
    p->pipeline.value = p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    compile(f);
}

/* ------------------------------------------------------------------ what is equal */

static void equal_rows_are_ok(void **state)
{
    fixture f;

    begin_sum(&f);
    is_ok(&f, "{\"rows\":[[1,2],[0.25,-1]],\"prediction\":[3.5,-0.25]}", 2);
    assert_true(f.found.max_abs_error == 0);
    is_ok(&f, " { \"decision\" : [ [ 3.5 ] ] , \"rows\" : [ [ 1 , 2 ] ] } ", 1);
    is_ok(&f, "{\"rows\":[[1,2]],\"prediction\":[3.5],\"decision\":[[3.5]]}", 1);
    end(&f);
    begin_two(&f);
    is_ok(&f, "{\"rows\":[[1,2]],\"values\":[[3.5,3.5]],\"decision\":[[3.5,3.5]]}", 1);
    end(&f);
}

static void a_number_is_compared_as_the_float32_that_it_is(void **state)
{
    fixture f;

    begin_sum(&f);
    /* 0.1f + 0.5f is 0.6000000238418579 */
    is_ok(&f, "{\"rows\":[[0.1,0]],\"prediction\":[0.6000000238418579]}", 1);
    is_ok(&f, "{\"rows\":[[0.1,0]],\"prediction\":[0.6]}", 1);
    assert_true(f.found.max_abs_error == 0);
    differs(&f, "{\"rows\":[[0.1,0]],\"prediction\":[0.6000001]}",
            "row 1: prediction is 0.6000000238418579, golden has 0.6000001");
    assert_true(f.found.max_abs_error > 0 && f.found.max_abs_error < 1e-7);
    end(&f);
}

/* The decimal lies above the middle of two floats by less than a double can say. */
static void a_float32_is_rounded_once(void **state)
{
    fixture f;

    begin_sum(&f);
    is_ok(&f,
          "{\"rows\":[[0.50000011920928955,0]],"
          "\"prediction\":[1.00000005960464477539062500000000000000000001]}",
          1);
    end(&f);
}

static void a_zero_has_no_sign_here(void **state)
{
    fixture f;

    begin_sum(&f);
    is_ok(&f, "{\"rows\":[[-0.5,0]],\"prediction\":[-0.0]}", 1);
    is_ok(&f, "{\"rows\":[[-0.5,0]],\"prediction\":[0]}", 1);
    end(&f);
}

static void nan_and_infinities_are_texts(void **state)
{
    fixture f;

    begin_sum(&f);
    is_ok(&f,
          "{\"rows\":[[\"inf\",\"-inf\"],[3e38,3e38],[-3e38,-3e38]],"
          "\"prediction\":[\"NaN\",\"Infinity\",\"-Infinity\"]}",
          3);
    assert_true(f.found.max_abs_error == 0);
    differs(&f, "{\"rows\":[[1,0],[null,0]],\"prediction\":[\"NaN\",0.5]}",
            "row 1: prediction is 1.5, golden has \"NaN\"");
    assert_true(isinf(f.found.max_abs_error));
    differs(&f, "{\"rows\":[[3e38,3e38]],\"prediction\":[\"-Infinity\"]}",
            "row 1: prediction is \"Infinity\", golden has \"-Infinity\"");
    refused(&f, "{\"rows\":[[1,0]],\"prediction\":[\"nan\"]}", HBS_E_ARGS,
            "prediction[0]: expected a number, \"NaN\", \"Infinity\" or \"-Infinity\" (byte 30)");
    refused(&f, "{\"rows\":[[1,0]],\"prediction\":[NaN]}", HBS_E_ARGS,
            "prediction[0]: expected a finite number (byte 30)");
    end(&f);
}

static void labels_are_equal_as_classes_are(void **state)
{
    fixture f;

    begin_classes(&f, false, 0);
    is_ok(&f, "{\"rows\":[[9,0],[9,0],[9,0],[-9,0]],\"prediction\":[1,\"1\",1.0,0]}", 4);
    is_ok(&f, "{\"rows\":[[9,0]],\"prediction\":[true]}", 1);
    differs(&f, "{\"rows\":[[9,0],[9,0],[9,0]],\"prediction\":[1,0,2]}",
            "row 2: prediction is \"1\", golden has \"0\"");
    assert_true(f.found.max_abs_error == 0); /* of numbers */
    end(&f);
    begin_classes(&f, true, 0);
    is_ok(&f, "{\"rows\":[[9,0],[-9,0]],\"prediction\":[\"yes\",\"n\\u006f\"]}", 2);
    differs(&f, "{\"rows\":[[9,0]],\"prediction\":[\"no\\u0007\"]}",
            "row 1: prediction is \"yes\", golden has \"no\\x07\"");
    differs(&f, "{\"rows\":[[9,0]],\"prediction\":[1]}", "row 1: prediction is \"yes\", golden has \"1\"");
    refused(&f, "{\"rows\":[[9,0]],\"prediction\":[[1]]}", HBS_E_ARGS,
            "prediction[0]: expected the label of a class (byte 30)");
    end(&f);
}

static void the_first_difference_is_told_and_the_largest_counts(void **state)
{
    fixture f;

    begin_two(&f);
    differs(&f,
            "{\"rows\":[[0,0],[1,0],[2,0],[3,0]],"
            "\"values\":[[0.5,0.5],[1.5,1.25],[2.5,4.5],[3.5,3.5]]}",
            "row 2: number 2 of values is 1.5, golden has 1.25");
    assert_int_equal(f.found.rows, 4);
    assert_true(f.found.max_abs_error == 2);
    end(&f);
}

static void empty_texts_alone_make_a_block(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_MISSING);
    is_ok(&f, "{\"rows\":[[\"\",1,10],[\"\",2,10],[0,2,10]],\"prediction\":[1.5,2.5,2.5]}", 3);
    end(&f);
}

static void a_row_without_a_result_is_null(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_NULL);
    is_ok(&f,
          "{\"rows\":[[\"gold\",1,10],[\"iron\",1,10]],\"prediction\":[2.5,null],"
          "\"decision\":[[2.5],null]}",
          2);
    differs(&f, "{\"rows\":[[\"iron\",1,10]],\"prediction\":[1]}", "row 1: prediction is NULL, golden has an answer");
    differs(&f, "{\"rows\":[[\"gold\",1,10]],\"prediction\":[2.5],\"decision\":[null]}",
            "row 1: decision is not NULL, golden has null");
    end(&f);
}

/* The second of three features; the transform is the last. */
static void begin_selected(fixture *f)
{
    static const uint32_t second[] = {1}, last[] = {2};
    test_pipeline *p = begin(f, 3);

    p->pipeline.wide = true;
    p->pipeline.value = hb_pipeline_add(&p->pipeline, HB_OPERATOR_SELECT, 1, &(hb_fit_select){1, second});
    p->pipeline.transform = hb_pipeline_add(&p->pipeline, HB_OPERATOR_SELECT, 1, &(hb_fit_select){1, last});
    compile(f);
}

/* The library refuses a row for a feature that hbscore does not look at. */
static void a_difference_in_null_names_a_feature_that_does_not_matter(void **state)
{
    fixture f;

    begin_selected(&f);
    is_ok(&f, "{\"rows\":[[null,2,3]],\"prediction\":[2],\"transform\":[[3]]}", 1);
    differs(&f, "{\"rows\":[[1,2,3],[1,2,\"inf\"]],\"prediction\":[2,null]}",
            "row 2: prediction is not NULL, golden has null; it does not depend on feature 3");
    differs(&f, "{\"rows\":[[1,null,3]],\"transform\":[null]}",
            "row 1: transform is not NULL, golden has null; it does not depend on feature 2");
    differs(&f, "{\"rows\":[[1,2,3]],\"prediction\":[null]}", "row 1: prediction is not NULL, golden has null");
    end(&f);
}

/* A row's number and two labels, escaped, can be longer than the text. */
static void a_long_difference_is_cut_between_characters(void **state)
{
    static char label[65], golden[1024];
    fixture f;
    test_pipeline *p = begin(&f, 2);

    memset(label, 1, 64);
    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    test_pipeline_classes(p, 2);
    p->pipeline.classes[1] = (hbs_value){.type = HBS_TEXT, .as.text = {label, 64}};
    p->pipeline.label = test_pipeline_head(p, 2, HB_HEAD_GREATER, 0.5f);
    compile(&f);
    for (size_t plain = 0; plain < 4; plain++) {
        size_t used = (size_t)sprintf(golden, "{\"rows\":[[9,0]],\"prediction\":[\"%.*s", (int)plain, "aaaa");

        for (int i = 0; i < 54; i++)
            used += (size_t)sprintf(golden + used, "\\u0001");
        for (int i = 0; i < 10; i++)
            used += (size_t)sprintf(golden + used, "\xC3\xA4");
        sprintf(golden + used, "\"]}");
        assert_status(verify(&f, golden), HBS_OK, &f.error);
        assert_false(f.found.ok);
        assert_true(strlen(f.found.text) < HBS_ERROR_TEXT);
        assert_true(strlen(f.found.text) > HBS_ERROR_TEXT - 8);
        assert_true(hb_utf8_valid(f.found.text, strlen(f.found.text)));
    }
    end(&f);
}

/* ------------------------------------------------------------------ tolerances */

static void the_plan_states_the_tolerance_of_each_output(void **state)
{
    hbs_plan_info info;
    fixture f;

    begin_classes(&f, false, 1e-3);
    hbs_plan_get_info(f.plan, &info);
    assert_true(info.raw_tolerance == 0);
    assert_true(info.probabilities_tolerance == 1e-3);
    end(&f);
    begin_classes(&f, false, 0);
    hbs_plan_get_info(f.plan, &info);
    assert_true(info.probabilities_tolerance == 0);
    end(&f);
}

static void decisions_are_exact_behind_an_exp(void **state)
{
    hbs_plan_info info;
    fixture f;
    test_pipeline *p = begin(&f, 2);

    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.tolerance = 1e-3;
    p->pipeline.raw = test_pipeline_linear(p, 1, 2, NULL, NULL);
    p->pipeline.probabilities = test_pipeline_link(p, 2, HB_LINK_SIGMOID);
    p->pipeline.values = test_pipeline_head(p, 3, HB_HEAD_FLAGS, 0.5f);
    compile(&f);
    hbs_plan_get_info(f.plan, &info);
    assert_true(info.probabilities_tolerance == 1e-3);
    assert_true(info.values_tolerance == 0);
    end(&f);
}

static void a_number_within_the_tolerance_is_ok(void **state)
{
    fixture f;

    begin_classes(&f, false, 1e-3);
    is_ok(&f, "{\"rows\":[[-0.5,0]],\"probabilities\":[[0.5,0.5]],\"decision\":[[0]]}", 1);
    is_ok(&f, "{\"rows\":[[-0.5,0]],\"probabilities\":[[0.5004,0.4996]]}", 1);
    assert_true(f.found.max_abs_error > 3.9e-4 && f.found.max_abs_error < 4.1e-4);
    differs(&f, "{\"rows\":[[-0.5,0]],\"probabilities\":[[0.502,0.498]]}",
            "row 1: number 1 of probabilities is 0.5, golden has 0.502");
    differs(&f, "{\"rows\":[[-0.5,0]],\"decision\":[[0.0001]]}",
            "row 1: number 1 of decision is 0.0, golden has 0.0001");
    differs(&f, "{\"rows\":[[-0.5,0]],\"probabilities\":[[\"Infinity\",0.5]]}",
            "row 1: number 1 of probabilities is 0.5, golden has \"Infinity\"");
    end(&f);
}

/* 1 - p of a p next to 1 is all rounding: it may be off by as much as p may. */
static void the_smaller_of_two_probabilities_is_as_close_as_the_larger(void **state)
{
    fixture f;

    begin_classes(&f, false, 1e-6);
    is_ok(&f, "{\"rows\":[[13.5,0]],\"probabilities\":[[8e-7,0.9999992]]}", 1);
    end(&f);
}

/* ------------------------------------------------------------------ what is refused */

static void the_members_are_checked(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "expected an object, but the document ends (byte 0)"},
        {"5", "expected an object, found an integer (byte 0)"},
        {"null", "expected an object, found null (byte 0)"},
        {"[]", "expected an object, found an array (byte 0)"},
        {"{}", "rows: there are none"},
        {"{\"prediction\":[1]}", "rows: there are none"},
        {"{\"rows\":[],\"prediction\":[]}", "rows: there is none in the list"},
        {"{\"rows\":[[1,2]]}", "there are rows, but no output of the model for them"},
        {"{\"rows\":5}", "rows: expected an array, found an integer (byte 8)"},
        {"{\"rows\":[[1,2]],\"prediction\":3.5}", "prediction: expected an array, found a real number (byte 29)"},
        {"{\"rows\":[[1,2]],\"prediction\":[3.5,1]}", "prediction has 2 items, rows has 1"},
        {"{\"rows\":[[1,2]],\"prediction\":[]}", "prediction has 0 items, rows has 1"},
        {"{\"rows\":[[1,2]],\"predictions\":[3.5]}",
         "predictions: unknown member; there are rows, prediction, probabilities, decision, values, "
         "transform (byte 16)"},
        {"{\"rows\":[[1,2]],\"probabilities\":[[0.5,0.5]]}",
         "probabilities: the model has no such output; it has prediction, decision (byte 16)"},
        {"{\"rows\":[[1,2]],\"rows\":[[1,2]],\"prediction\":[3.5]}", "rows: duplicate key (byte 16)"},
        {"{\"rows\":[[1,2]],\"prediction\":[3.5]}x", "something follows the document (byte 35)"},
        {"{\"rows\":[[1]],\"prediction\":[3.5]}", "rows[0]: the model takes 2 features, got 1 (byte 10)"},
        {"{\"rows\":[[1,2],[1,2,3]],\"prediction\":[3.5,3.5]}", "rows[1]: the model takes 2 features, got 3 (byte 20)"},
        {"{\"rows\":[{\"a\":1}],\"prediction\":[3.5]}", "rows[0]: expected an array, found an object (byte 9)"},
        {"{\"rows\":[null],\"prediction\":[3.5]}", "rows[0]: expected an array, found null (byte 9)"},
        {"{\"rows\":[[1,2]],\"prediction\":[[3.5]]}", "prediction[0]: expected a number (byte 30)"},
        {"{\"rows\":[[1,2]],\"prediction\":[true]}", "prediction[0]: expected a number (byte 30)"},
        {"{\"rows\":[[1,2]],\"decision\":[3.5]}", "decision[0]: expected an array, found a real number (byte 28)"},
        {"{\"rows\":[[1,2]],\"decision\":[[]]}", "decision[0]: the model gives 1 number, got 0 (byte 28)"},
        {"{\"rows\":[[1,2]],\"decision\":[[3.5,1]]}", "decision[0]: the model gives 1 number, got 2 (byte 33)"},
        {"{\"rows\":[[1,2]],\"decision\":[[null]]}", "decision[0][0]: expected a number (byte 29)"},
    };
    fixture f;

    begin_sum(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(&f, cases[i].text, HBS_E_ARGS, cases[i].words);
    refused(&f, "{\"rows\":[[[1],2]],\"prediction\":[3.5]}", HBS_E_TYPE,
            "rows[0][0]: a feature is a number, a text, a boolean or null (byte 9)");
    refused(&f, "{\"rows\":[[1,2],[\"x\",2]],\"prediction\":[3.5,1]}", HBS_E_TYPE,
            "row 2: feature 1 takes a number, got the text \"x\"");
    end(&f);
    begin_two(&f);
    refused(&f, "{\"rows\":[[1,2]],\"prediction\":[3.5]}", HBS_E_ARGS,
            "prediction: the model has no such output; it has decision, values (byte 16)");
    end(&f);
}

static void a_row_that_the_model_refuses_is_an_error(void **state)
{
    fixture f;

    begin_types(&f, HB_UNSEEN_ERROR);
    refused(&f, "{\"rows\":[[\"gold\",1,10],[\"iron\",1,10]],\"prediction\":[2.5,0]}", HBS_E_ARGS,
            "row 2: feature 1 has the value \"iron\", which training has not seen (option on_unseen "
            "can make it missing or the result NULL)");
    end(&f);
}

/* `n` rows [0,0] with a prediction of 0.5. */
static char *many_rows(size_t n)
{
    char *text = malloc(n * 12 + 64), *at = text;

    assert_non_null(text);
    at += sprintf(at, "{\"rows\":[");
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s[0,0]", i ? "," : "");
    at += sprintf(at, "],\"prediction\":[");
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s0.5", i ? "," : "");
    sprintf(at, "]}");
    return text;
}

static void there_are_at_most_10000_rows(void **state)
{
    char *text = many_rows(10000);
    fixture f;

    begin_sum(&f);
    is_ok(&f, text, 10000);
    free(text);
    text = many_rows(10001);
    assert_status(verify(&f, text), HBS_E_LIMIT, &f.error);
    assert_non_null(strstr(f.error.text, "option golden: rows[10000]: more than 10000 rows"));
    free(text);
    end(&f);
}

static void the_text_is_at_most_16_mib(void **state)
{
    const size_t most = HB_MAX_GOLDEN;
    const char *const golden = "{\"rows\":[[1,2]],\"prediction\":[3.5]}";
    char *text = malloc(most + 1);
    fixture f;

    assert_non_null(text);
    memset(text, ' ', most + 1);
    memcpy(text, golden, strlen(golden));
    begin_sum(&f);
    assert_status(hbs_verify(f.plan, &f.host.host, NULL, text, most, &f.found, &f.error), HBS_OK, &f.error);
    assert_status(hbs_verify(f.plan, &f.host.host, NULL, text, most + 1, &f.found, &f.error), HBS_E_LIMIT, &f.error);
    assert_string_equal(f.error.text, "option golden: 16777217 bytes are more than the limit of 16777216");
    end(&f);
    free(text);
}

/* ------------------------------------------------------------------ blocks */

/* Cells of all types, so that blocks begin anew at many places, and more rows than one block has. */
static void rows_of_changing_types_are_ok(void **state)
{
    static const char *const plans[] = {"\"gold\"", "\"basic\"", "null"};
    static const char *const fees[] = {"1", "2.5", "null", "\"3\"", "true", "9007199254740993", "-4", "0.1"};
    static const char *const zones[] = {"10", "20.0", "\"10\"", "null"};
    char *text = malloc(100000), *at = text, number[32];
    uint64_t random = 7;
    hbs_result result;
    hbs_run *run;
    fixture f;
    char row[80], *results = calloc(300, 40);
    size_t given = 0;

    assert_true(text && results);
    begin_types(&f, HB_UNSEEN_NULL);
    run = test_run(&f.host.host, f.plan, 1);
    at += sprintf(at, "{\"rows\":[");
    for (size_t i = 0; i < 300; i++) {
        bool steady = i > 80 && i < 220; /* one type for longer than a block is */

        snprintf(row, sizeof row, "[%s,%s,%s]", plans[test_random(&random) % 3],
                 fees[steady ? i % 3 : test_random(&random) % 8], zones[steady ? 1 : test_random(&random) % 4]);
        assert_status(hbs_score_json(run, row, strlen(row), HBS_OUT_VALUE, &result, &f.error), HBS_OK, &f.error);
        hbs_format_double(result.value[0], number);
        at += sprintf(at, "%s%s", i ? "," : "", row);
        given += (size_t)sprintf(results + given, "%s%s", i ? "," : "", number);
    }
    sprintf(at, "],\"prediction\":[%s]}", results);
    is_ok(&f, text, 300);
    hbs_run_free(run);
    end(&f);
    free(results);
    free(text);
}

/* ------------------------------------------------------------------ memory and cancel */

static const char both[] = "{\"rows\":[[1,2],[\"inf\",\"-inf\"],[0.5,2]],\"prediction\":[3.5,\"NaN\",3],"
                           "\"decision\":[[3.5],[\"NaN\"],[3]]}";

static hbs_status verify_once(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_verification found;
    hbs_status status = hbs_verify(context, host, "churn", both, strlen(both), &found, error);

    if (status == HBS_OK)
        assert_true(found.ok);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    fixture f;

    begin_sum(&f);
    assert_true(test_each_allocation_fails(verify_once, f.plan) > 10);
    end(&f);
}

static void each_poll_may_cancel(void **state)
{
    size_t n = 0;
    fixture f;

    begin_sum(&f);
    for (;; n++) {
        f.host.polls = 0;
        f.host.cancel_at = n + 1;
        if (verify(&f, both) == HBS_OK)
            break;
        assert_int_equal(f.error.status, HBS_E_CANCEL);
        assert_string_equal(f.error.text, "model \"churn\": option golden: cancelled");
    }
    assert_true(n > 3);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_are_ok),
        cmocka_unit_test(a_number_is_compared_as_the_float32_that_it_is),
        cmocka_unit_test(a_float32_is_rounded_once),
        cmocka_unit_test(a_zero_has_no_sign_here),
        cmocka_unit_test(nan_and_infinities_are_texts),
        cmocka_unit_test(labels_are_equal_as_classes_are),
        cmocka_unit_test(the_first_difference_is_told_and_the_largest_counts),
        cmocka_unit_test(empty_texts_alone_make_a_block),
        cmocka_unit_test(a_row_without_a_result_is_null),
        cmocka_unit_test(a_difference_in_null_names_a_feature_that_does_not_matter),
        cmocka_unit_test(a_long_difference_is_cut_between_characters),
        cmocka_unit_test(the_plan_states_the_tolerance_of_each_output),
        cmocka_unit_test(decisions_are_exact_behind_an_exp),
        cmocka_unit_test(a_number_within_the_tolerance_is_ok),
        cmocka_unit_test(the_smaller_of_two_probabilities_is_as_close_as_the_larger),
        cmocka_unit_test(the_members_are_checked),
        cmocka_unit_test(a_row_that_the_model_refuses_is_an_error),
        cmocka_unit_test(there_are_at_most_10000_rows),
        cmocka_unit_test(the_text_is_at_most_16_mib),
        cmocka_unit_test(rows_of_changing_types_are_ok),
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(each_poll_may_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
