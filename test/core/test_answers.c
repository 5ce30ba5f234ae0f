/* test_answers.c - which function a model answers, classes by label, rows as JSON, results as text. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hbs_plan *plan;
    hbs_run *run;
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
    f->run = test_run(&f->host.host, f->plan, 4);
}

static void end(fixture *f)
{
    hbs_run_free(f->run);
    hbs_plan_free(f->plan);
    test_host_end(&f->host);
}

/* ---- one model of each kind */

static void begin_regressor(fixture *f)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.value = p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    compile(f);
}

static void begin_targets(fixture *f, hbs_task task)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = task;
    p->pipeline.values = p->pipeline.raw = test_pipeline_linear(p, 1, 2, NULL, NULL);
    compile(f);
}

static hbs_value text_value(const char *text)
{
    return (hbs_value){.type = HBS_TEXT, .as.text = {text, strlen(text)}};
}

static hbs_value integer_value(int64_t number)
{
    return (hbs_value){.type = HBS_INT64, .as.i64 = number};
}

static hbs_value number_value(double number)
{
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = number};
}

static hbs_value bool_value(bool boolean)
{
    return (hbs_value){.type = HBS_BOOL, .as.boolean = boolean};
}

static void begin_binary(fixture *f, hbs_value no, hbs_value yes)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    p->pipeline.probabilities = test_pipeline_link(p, 2, HB_LINK_SIGMOID);
    test_pipeline_classes(p, 2);
    p->pipeline.classes[0] = no;
    p->pipeline.classes[1] = yes;
    p->pipeline.label = test_pipeline_head(p, 3, HB_HEAD_GREATER, 0.5f);
    compile(f);
}

/* A label without probabilities, as binary:hinge. */
static void begin_hinge(fixture *f)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.raw = test_pipeline_linear(p, 1, 1, NULL, NULL);
    test_pipeline_classes(p, 2);
    p->pipeline.label = test_pipeline_head(p, 2, HB_HEAD_GREATER, 0.5f);
    compile(f);
}

/* Several yes-or-no labels: probabilities without classes. */
static void begin_flags(fixture *f)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.raw = test_pipeline_linear(p, 1, 2, NULL, NULL);
    p->pipeline.probabilities = test_pipeline_link(p, 2, HB_LINK_SIGMOID);
    p->pipeline.values = test_pipeline_head(p, 3, HB_HEAD_FLAGS, 0.5f);
    compile(f);
}

static void begin_labels(fixture *f, size_t n, const hbs_value *labels)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.raw = test_pipeline_linear(p, 1, n, NULL, NULL);
    test_pipeline_classes(p, n);
    memcpy(p->pipeline.classes, labels, n * sizeof *labels);
    p->pipeline.label = test_pipeline_head(p, 2, HB_HEAD_ARGMAX, 0);
    compile(f);
}

/* ------------------------------------------------------------------ functions */

static void answers(fixture *f, hbs_function function, uint32_t expected)
{
    uint32_t outputs = 0;

    assert_status(hbs_run_outputs(f->run, function, &outputs, &f->error), HBS_OK, &f->error);
    assert_int_equal(outputs, expected);
}

static void cannot(fixture *f, hbs_function function, const char *text)
{
    uint32_t outputs;

    assert_status(hbs_run_outputs(f->run, function, &outputs, &f->error), HBS_E_TYPE, &f->error);
    assert_string_equal(f->error.text, text);
}

static void a_regressor_answers_with_numbers(void **state)
{
    fixture f;

    begin_regressor(&f);
    answers(&f, HBS_PREDICT, HBS_OUT_VALUE);
    answers(&f, HBS_DECISION_FUNCTION, HBS_OUT_RAW);
    answers(&f, HBS_PREDICT_JSON, HBS_OUT_VALUE | HBS_OUT_RAW);
    cannot(&f, HBS_PREDICT_LABEL, "model \"m\": a regression model without one class label: use predict");
    cannot(&f, HBS_PREDICT_PROBA, "model \"m\": a regression model without probabilities: use predict");
    cannot(&f, HBS_PREDICT_PROBABILITY, "model \"m\": a regression model without classes: use predict");
    cannot(&f, HBS_PREDICT_PROBABILITIES, "model \"m\": a regression model without classes: use predict");
    cannot(&f, HBS_PREDICT_TOP, "model \"m\": a regression model without classes: use predict");
    cannot(&f, HBS_PREDICT_VALUES, "model \"m\": a regression model without several outputs: use predict");
    end(&f);
}

static void a_classifier_answers_with_labels_and_probabilities(void **state)
{
    fixture f;

    begin_binary(&f, integer_value(0), integer_value(1));
    answers(&f, HBS_PREDICT, HBS_OUT_LABEL);
    answers(&f, HBS_PREDICT_LABEL, HBS_OUT_LABEL);
    answers(&f, HBS_PREDICT_PROBABILITY, HBS_OUT_PROBABILITIES);
    answers(&f, HBS_PREDICT_PROBA, HBS_OUT_PROBABILITIES);
    answers(&f, HBS_PREDICT_PROBABILITIES, HBS_OUT_PROBABILITIES);
    answers(&f, HBS_PREDICT_TOP, HBS_OUT_PROBABILITIES);
    answers(&f, HBS_DECISION_FUNCTION, HBS_OUT_RAW);
    answers(&f, HBS_PREDICT_JSON, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES | HBS_OUT_RAW);
    cannot(&f, HBS_PREDICT_VALUES, "model \"m\": a classifier without several outputs: use predict");
    end(&f);
    begin_hinge(&f);
    cannot(&f, HBS_PREDICT_PROBA,
           "model \"m\": a classifier without probabilities: use "
           "predict_label or decision_function");
    cannot(&f, HBS_PREDICT_PROBABILITY,
           "model \"m\": a classifier without probabilities: use "
           "predict_label or decision_function");
    cannot(&f, HBS_PREDICT_TOP,
           "model \"m\": a classifier without probabilities: use "
           "predict_label or decision_function");
    end(&f);
}

static void several_outputs_are_a_list(void **state)
{
    fixture f;

    begin_targets(&f, HBS_RANKER);
    answers(&f, HBS_PREDICT_VALUES, HBS_OUT_VALUES);
    answers(&f, HBS_PREDICT_JSON, HBS_OUT_VALUES | HBS_OUT_RAW);
    cannot(&f, HBS_PREDICT, "model \"m\": it has several outputs: use predict_values (a list)");
    cannot(&f, HBS_PREDICT_LABEL, "model \"m\": a ranking model without one class label: use predict_values");
    end(&f);
    begin_flags(&f);
    answers(&f, HBS_PREDICT_PROBA, HBS_OUT_PROBABILITIES);
    cannot(&f, HBS_PREDICT_PROBABILITY, "model \"m\": a classifier without classes: use predict_proba");
    cannot(&f, HBS_PREDICT_TOP, "model \"m\": a classifier without classes: use predict_proba");
    end(&f);
}

/* Its transform are its features. */
static void begin_transformer(fixture *f)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = HBS_TRANSFORMER;
    p->pipeline.transform = 1;
    compile(f);
}

static void a_transformer_only_transforms(void **state)
{
    fixture f;

    begin_transformer(&f);
    answers(&f, HBS_TRANSFORM, HBS_OUT_TRANSFORM);
    cannot(&f, HBS_PREDICT, "model \"m\": a transformer without a prediction: use transform");
    cannot(&f, HBS_PREDICT_JSON, "model \"m\": a transformer without a prediction: use transform");
    cannot(&f, HBS_PREDICT_LABEL, "model \"m\": a transformer without one class label: use transform");
    cannot(&f, HBS_PREDICT_PROBABILITY, "model \"m\": a transformer without classes: use transform");
    cannot(&f, HBS_PREDICT_PROBA, "model \"m\": a transformer without probabilities: use transform");
    cannot(&f, HBS_PREDICT_VALUES, "model \"m\": a transformer without several outputs: use transform");
    cannot(&f, HBS_DECISION_FUNCTION, "model \"m\": a transformer without raw scores: use transform");
    end(&f);
}

static void a_model_may_have_nothing_to_transform(void **state)
{
    fixture f;

    begin_regressor(&f);
    cannot(&f, HBS_TRANSFORM, "model \"m\": a regression model without steps that transform: use predict");
    end(&f);
    begin_targets(&f, HBS_REGRESSOR);
    cannot(&f, HBS_TRANSFORM, "model \"m\": a regression model without steps that transform: use predict_values");
    end(&f);
}

static void an_unknown_function_is_refused(void **state)
{
    uint32_t outputs;
    fixture f;

    begin_regressor(&f);
    assert_status(hbs_run_outputs(f.run, (hbs_function)99, &outputs, &f.error), HBS_E_ARGS, &f.error);
    end(&f);
}

/* ------------------------------------------------------------------ classes */

static void is_class(fixture *f, hbs_value label, size_t expected)
{
    size_t index = 99;

    assert_status(hbs_run_class(f->run, &label, &index, &f->error), HBS_OK, &f->error);
    assert_int_equal(index, expected);
}

static void is_none(fixture *f, hbs_value label, hbs_status status, const char *text)
{
    size_t index;

    assert_status(hbs_run_class(f->run, &label, &index, &f->error), status, &f->error);
    assert_string_equal(f->error.text, text);
}

static void a_class_is_found_by_number_or_text(void **state)
{
    fixture f;

    begin_binary(&f, integer_value(0), integer_value(1));
    is_class(&f, integer_value(1), 1);
    is_class(&f, number_value(1), 1);
    is_class(&f, (hbs_value){.type = HBS_FLOAT32, .as.f32 = 0}, 0);
    is_class(&f, number_value(-0.0), 0);
    is_class(&f, bool_value(true), 1);
    is_class(&f, text_value("1"), 1);
    is_class(&f, text_value("1.0"), 1); /* a number given as text is that number */
    is_none(&f, text_value("one"), HBS_E_NOENT, "model \"m\": no class \"one\"; its classes are 0, 1");
    is_none(&f, text_value(""), HBS_E_NOENT, "model \"m\": no class \"\"; its classes are 0, 1");
    is_none(&f, number_value(0.5), HBS_E_NOENT, "model \"m\": no class \"0.5\"; its classes are 0, 1");
    is_none(&f, number_value(NAN), HBS_E_NOENT, "model \"m\": no class \"NaN\"; its classes are 0, 1");
    is_none(&f, (hbs_value){.type = HBS_NULL}, HBS_E_ARGS, "model \"m\": the class is NULL; its classes are 0, 1");
    end(&f);
}

static void texts_booleans_and_reals_are_classes_too(void **state)
{
    const hbs_value labels[] = {text_value("yes"), bool_value(false), number_value(2.5),
                                integer_value(9007199254740993), text_value("\xff\n")};
    fixture f;

    begin_labels(&f, 5, labels);
    is_class(&f, text_value("yes"), 0);
    is_class(&f, bool_value(false), 1);
    is_class(&f, integer_value(0), 1);
    is_class(&f, text_value("false"), 1);
    is_class(&f, number_value(2.5), 2);
    is_class(&f, text_value("2.5"), 2);
    is_class(&f, integer_value(9007199254740993), 3);
    is_class(&f, text_value("9007199254740993"), 3);
    is_none(&f, integer_value(9007199254740992), HBS_E_NOENT,
            "model \"m\": no class \"9007199254740992\"; its classes are yes, false, 2.5, "
            "9007199254740993, \\xff\\x0a");
    is_none(&f, text_value("YES"), HBS_E_NOENT,
            "model \"m\": no class \"YES\"; its classes are yes, false, 2.5, 9007199254740993, "
            "\\xff\\x0a");
    end(&f);
}

static void long_lists_of_classes_are_cut(void **state)
{
    static char texts[300][40];
    static hbs_value labels[300];
    size_t index;
    fixture f;

    for (int i = 0; i < 300; i++) { /* shown as \xNN: four times as long */
        memset(texts[i], 1, 30);
        snprintf(texts[i], sizeof texts[i], "%d", i);
        labels[i] = (hbs_value){.type = HBS_TEXT, .as.text = {texts[i], 30}};
    }
    begin_labels(&f, 300, labels);
    assert_status(hbs_run_class(f.run, &(hbs_value){.type = HBS_INT64, .as.i64 = 7}, &index, &f.error), HBS_E_NOENT,
                  &f.error);
    assert_memory_equal(f.error.text, "model \"m\": no class \"7\"; its classes are 0\\x00\\x01", 49);
    assert_string_equal(f.error.text + strlen(f.error.text) - 4, ", ..");
    assert_true(strlen(f.error.text) < 420);
    end(&f);
}

/* ------------------------------------------------------------------ rows as JSON */

static void begin_named(fixture *f)
{
    test_pipeline *p = begin(f, 2);

    test_pipeline_names(p, "age,Fee");
    p->pipeline.value = p->pipeline.raw = test_pipeline_linear(p, 1, 1, (const float[]){1, 100}, NULL);
    compile(f);
}

static void json_gives(fixture *f, const char *json, double expected)
{
    hbs_result result;
    char *copy = test_exact_copy(json, strlen(json));

    assert_status(hbs_score_json(f->run, copy, strlen(json), HBS_OUT_VALUE, &result, &f->error), HBS_OK, &f->error);
    free(copy);
    assert_int_equal(result.rows, 1);
    assert_true(result.value[0] == expected);
}

static void json_fails(fixture *f, const char *json, hbs_status status, const char *begins)
{
    hbs_result result = {.rows = 9};

    assert_status(hbs_score_json(f->run, json, strlen(json), HBS_OUT_VALUE, &result, &f->error), status, &f->error);
    assert_int_equal(result.rows, 0);
    if (strncmp(f->error.text, begins, strlen(begins)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", f->error.text, begins);
}

static void a_json_row_is_by_name_or_by_place(void **state)
{
    fixture f;

    begin_named(&f);
    json_gives(&f, "{\"age\":2,\"Fee\":3}", 302.5);
    json_gives(&f, "{\"fee\":\"3\",\"note\":{\"age\":9},\"AGE\":true}", 301.5);
    json_gives(&f, " [2, 3] ", 302.5);
    json_gives(&f, "[null,3]", 300.5);
    json_gives(&f, "[\"nan\",1e0]", 100.5);
    json_fails(&f, "[1]", HBS_E_ARGS, "model \"m\" takes 2 features (age, Fee), got 1");
    json_fails(&f, "[1,2,3]", HBS_E_ARGS, "model \"m\" takes 2 features (age, Fee), got 3");
    json_fails(&f, "{\"age\":1}", HBS_E_ARGS, "model \"m\": the row has no feature \"Fee\"");
    json_fails(&f, "{\"age\":1,\"Fee\":1,\"fee\":1}", HBS_E_ARGS, "model \"m\": ");
    json_fails(&f, "{\"age\":1,\"Fee\":\"x\"}", HBS_E_TYPE,
               "model \"m\": feature \"Fee\" takes a number, got the text \"x\"");
    json_fails(&f, "{\"age\":1,\"Fee\":[1]}", HBS_E_TYPE, "model \"m\": ");
    json_fails(&f, "[1,2", HBS_E_ARGS, "model \"m\": ");
    json_fails(&f, "7", HBS_E_ARGS, "model \"m\": ");
    end(&f);
    begin_regressor(&f);
    json_gives(&f, "[1,2]", 3.5);
    json_fails(&f, "{\"a\":1,\"b\":2}", HBS_E_ARGS, "model \"m\": its features have no names");
    end(&f);
}

/* ------------------------------------------------------------------ numbers as text */

static void numbers_are_as_short_as_json_allows(void **state)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0.1, "0.1"}, {2, "2.0"}, {NAN, "\"NaN\""}, {INFINITY, "\"Infinity\""}, {-INFINITY, "\"-Infinity\""},
    };
    char buffer[32];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = hbs_format_double(cases[i].number, buffer);

        assert_int_equal(size, strlen(buffer));
        assert_string_equal(buffer, cases[i].text);
    }
}

static void every_number_reads_back_and_fits_into_32_bytes(void **state)
{
    const double extremes[] = {
        DBL_MAX, -DBL_MAX, DBL_MIN, -0x1p-1074, -2.2250738585072014e-308, -1.2345678901234567e-300, 9007199254740993.0,
        -0.0};
    uint64_t random = 1;

    for (size_t i = 0; i < 5000; i++) {
        uint64_t bits = test_random(&random);
        char buffer[40];
        double number;

        memcpy(&number, &bits, sizeof number);
        if (i < 8)
            number = extremes[i];
        if (!isfinite(number))
            continue;
        memset(buffer, 'x', sizeof buffer);
        size_t size = hbs_format_double(number, buffer);

        assert_true(size < 32 && buffer[size] == '\0' && buffer[32] == 'x');
        assert_true(strtod(buffer, NULL) == number);
    }
}

/* A text of any writer: as snprintf for every capacity from 0 on. */
static void check_capacities(size_t (*write)(void *context, char *buffer, size_t capacity), void *context,
                             const char *expected)
{
    size_t size = strlen(expected);

    assert_int_equal(write(context, NULL, 0), size);
    for (size_t capacity = 1; capacity <= size + 3; capacity++) {
        char *buffer = malloc(capacity); /* exact: a sanitizer sees a byte too many */

        assert_non_null(buffer);
        assert_int_equal(write(context, buffer, capacity), size);
        assert_int_equal(strlen(buffer), capacity > size ? size : capacity - 1);
        assert_memory_equal(buffer, expected, strlen(buffer));
        free(buffer);
    }
}

typedef struct numbers {
    const double *items;
    size_t n;
} numbers;

static size_t write_numbers(void *context, char *buffer, size_t capacity)
{
    const numbers *n = context;

    return hbs_format_doubles(n->items, n->n, buffer, capacity);
}

static void lists_are_written_as_snprintf_does(void **state)
{
    static const double items[] = {1.5, NAN, -0.25, INFINITY};

    check_capacities(write_numbers, &(numbers){items, 4}, "[1.5,\"NaN\",-0.25,\"Infinity\"]");
    check_capacities(write_numbers, &(numbers){items, 1}, "[1.5]");
    check_capacities(write_numbers, &(numbers){NULL, 0}, "[]");
}

/* The last ones fit in place only if there is room for the longest number. */
static void long_lists_are_written_as_snprintf_does(void **state)
{
    static const double items[] = {0.30000000000000004,
                                   -1.7976931348623157e+308,
                                   5e-324,
                                   123456789.12345679,
                                   -0.0012345678901234567,
                                   1e-05,
                                   NAN,
                                   0.0009765625,
                                   1234567890123456.0,
                                   2.2250738585072014e-308};

    check_capacities(
        write_numbers, &(numbers){items, sizeof(items) / sizeof(*items)},
        "[0.30000000000000004,-1.7976931348623157e+308,5e-324,123456789.12345679,-0.0012345678901234567,1e-05,\"NaN\",0.0009765625,1234567890123456.0,2.2250738585072014e-308]");
}

static size_t write_row(void *context, char *buffer, size_t capacity)
{
    const numbers *n = context;

    return hbs_format_row(n->items, n->n, buffer, capacity);
}

/* So that it can be given back as a row of features. */
static void a_missing_number_of_a_transform_is_null(void **state)
{
    static const double items[] = {1.5, NAN, -0.25, INFINITY, -INFINITY, NAN};

    check_capacities(write_row, &(numbers){items, 6}, "[1.5,null,-0.25,\"Infinity\",\"-Infinity\",null]");
    check_capacities(write_row, &(numbers){NULL, 0}, "[]");
}

typedef struct shown_row {
    const hbs_run *run;
    const hbs_result *result;
    size_t row;
    const char *model;
} shown_row;

static size_t write_result(void *context, char *buffer, size_t capacity)
{
    const shown_row *s = context;

    return hbs_format_result(s->run, s->result, s->row, s->model, buffer, capacity);
}

/* Scores two rows with all outputs of predict_json; row `row` is shown as expected. */
static void shows(fixture *f, size_t row, const char *model, const char *expected)
{
    static const double a[] = {0.25, -1}, b[] = {0.25, -1.5};
    const hbs_column columns[] = {{HBS_FLOAT64, a, NULL}, {HBS_FLOAT64, b, NULL}};
    hbs_result result;
    uint32_t outputs;

    assert_status(hbs_run_outputs(f->run, HBS_PREDICT_JSON, &outputs, &f->error), HBS_OK, &f->error);
    assert_status(hbs_score(f->run, columns, 2, 2, outputs, &result, &f->error), HBS_OK, &f->error);
    check_capacities(write_result, &(shown_row){f->run, &result, row, model}, expected);
}

static void a_regressors_result_is_an_object(void **state)
{
    fixture f;

    begin_regressor(&f);
    shows(&f, 0, "churn@3", "{\"model\":\"churn@3\",\"prediction\":1.0,\"decision\":[1.0]}");
    shows(&f, 1, "a\"b\\c\n\x1f", "{\"model\":\"a\\\"b\\\\c\\u000a\\u001f\",\"prediction\":-2.0,\"decision\":[-2.0]}");
    end(&f);
    begin_targets(&f, HBS_REGRESSOR);
    shows(&f, 1, "m", "{\"model\":\"m\",\"decision\":[-2.0,-2.0],\"values\":[-2.0,-2.0]}");
    end(&f);
}

/* 1 / (1 + e^-1) and its complement in float32, as doubles. */
static void a_classifiers_result_names_its_classes(void **state)
{
    const float p = 1.0f / (expf(-1.0f) + 1.0f + 1e-16f);
    char expected[400], yes[32], no[32];
    fixture f;

    hbs_format_double((double)p, yes);
    hbs_format_double((double)(1.0f - p), no);
    begin_binary(&f, text_value("n\"o"), text_value("yes"));
    snprintf(expected, sizeof expected,
             "{\"model\":\"m\",\"prediction\":\"yes\",\"probabilities\":{\"n\\\"o\":%s,\"yes\":%s},"
             "\"decision\":[1.0]}",
             no, yes);
    shows(&f, 0, "m", expected);
    end(&f);
    begin_binary(&f, integer_value(INT64_MIN), integer_value(0));
    snprintf(expected, sizeof expected,
             "{\"model\":\"m\",\"prediction\":0,\"probabilities\":{\"-9223372036854775808\":%s,"
             "\"0\":%s},\"decision\":[1.0]}",
             no, yes);
    shows(&f, 0, "m", expected);
    end(&f);
    begin_binary(&f, bool_value(false), number_value(2.5));
    snprintf(expected, sizeof expected,
             "{\"model\":\"m\",\"prediction\":2.5,\"probabilities\":{\"false\":%s,\"2.5\":%s},"
             "\"decision\":[1.0]}",
             no, yes);
    shows(&f, 0, "m", expected);
    end(&f);
    begin_flags(&f);
    snprintf(expected, sizeof expected,
             "{\"model\":\"m\",\"probabilities\":[%s,%s],\"decision\":[1.0,1.0],"
             "\"values\":[1.0,1.0]}",
             yes, yes);
    shows(&f, 0, "m", expected);
    end(&f);
}

/* ---- the best classes */

/* As many classes as probabilities: one score each. */
static void begin_softmax(fixture *f, size_t n, const hbs_value *labels)
{
    test_pipeline *p = begin(f, 2);

    p->pipeline.task = HBS_CLASSIFIER;
    p->pipeline.raw = test_pipeline_linear(p, 1, n, NULL, NULL);
    p->pipeline.probabilities = test_pipeline_link(p, 2, HB_LINK_SOFTMAX);
    test_pipeline_classes(p, n);
    memcpy(p->pipeline.classes, labels, n * sizeof *labels);
    p->pipeline.label = test_pipeline_head(p, 3, HB_HEAD_ARGMAX, 0);
    compile(f);
}

static void top_is(fixture *f, hbs_value k, size_t expected)
{
    size_t n = 99;

    assert_status(hbs_run_top(f->run, &k, &n, &f->error), HBS_OK, &f->error);
    assert_int_equal(n, expected);
}

static void no_top(fixture *f, hbs_value k, const char *shown)
{
    char text[200];
    size_t n;

    snprintf(
        text, sizeof text,
        "model \"m\": k, the number of best classes that predict_top gives, is %s: it must be a whole number from 1 on",
        shown);
    assert_status(hbs_run_top(f->run, &k, &n, &f->error), HBS_E_ARGS, &f->error);
    assert_string_equal(f->error.text, text);
}

static void k_is_a_whole_number_from_1_on(void **state)
{
    const hbs_value labels[] = {text_value("a"), text_value("b"), text_value("c")};
    fixture f;

    begin_softmax(&f, 3, labels);
    top_is(&f, integer_value(1), 1);
    top_is(&f, integer_value(3), 3);
    top_is(&f, integer_value(4), 3);
    top_is(&f, integer_value(INT64_MAX), 3);
    top_is(&f, number_value(2), 2);
    no_top(&f, integer_value(0), "0");
    no_top(&f, integer_value(INT64_MIN), "-9223372036854775808");
    no_top(&f, number_value(1.5), "1.5");
    no_top(&f, number_value(-1), "-1.0");
    no_top(&f, number_value(NAN), "NaN");
    no_top(&f, number_value(1e300), "1e+300");
    no_top(&f, bool_value(true), "no number");
    no_top(&f, text_value("2"), "no number");
    no_top(&f, (hbs_value){.type = HBS_NULL}, "NULL");
    end(&f);
}

enum { N_RANKED = 6 };

static void best_are(fixture *f, const hbs_result *result, size_t row, const uint32_t *expected)
{
    for (size_t n = 0; n <= N_RANKED; n++) {
        uint32_t classes[N_RANKED + 1] = {[0] = 77};

        classes[n] = 77;
        assert_status(hbs_best_classes(f->run, result, row, n, classes, &f->error), HBS_OK, &f->error);
        assert_memory_equal(classes, expected, n * sizeof *classes);
        assert_int_equal(classes[n], 77);
    }
}

/* Of rows behind the first too. */
static void the_best_classes_come_first(void **state)
{
    static const double probabilities[4][N_RANKED] = {
        {0.1, 0.3, 0.05, 0.3, 0.2, 0.05},
        {0, -0.0, 0, -0.0, 0, 0},
        {NAN, 0.5, NAN, -INFINITY, INFINITY, 0.5},
        {0.1, 0.2, 0.3, 0.4, 0.5, 0.6},
    };
    const uint32_t expected[4][N_RANKED] = {
        {1, 3, 4, 0, 2, 5}, {0, 1, 2, 3, 4, 5}, {4, 1, 5, 3, 0, 2}, {5, 4, 3, 2, 1, 0}};
    hbs_result result = {.rows = 4, .probabilities = &probabilities[0][0]};
    hbs_value labels[N_RANKED];
    fixture f;

    for (int i = 0; i < N_RANKED; i++)
        labels[i] = integer_value(i);
    begin_softmax(&f, N_RANKED, labels);
    for (size_t row = 0; row < 4; row++)
        best_are(&f, &result, row, expected[row]);
    end(&f);
}

typedef struct shown_classes {
    const hbs_run *run;
    const hbs_result *result;
    size_t row;
    const uint32_t *classes;
    size_t n;
} shown_classes;

static size_t write_classes(void *context, char *buffer, size_t capacity)
{
    const shown_classes *s = context;

    return hbs_format_classes(s->run, s->result, s->row, s->classes, s->n, buffer, capacity);
}

static size_t write_probabilities(void *context, char *buffer, size_t capacity)
{
    const shown_classes *s = context;

    return hbs_format_probabilities(s->run, s->result, s->row, buffer, capacity);
}

static void classes_are_written_with_their_labels(void **state)
{
    static const double probabilities[] = {0, 0, 0, 0.5, NAN, 0.25};
    const hbs_value texts[] = {text_value("n\"o"), text_value("yes"), text_value("")};
    const hbs_value numbers[] = {integer_value(INT64_MAX), integer_value(-1), integer_value(0)};
    const hbs_result result = {.rows = 2, .probabilities = probabilities};
    const uint32_t classes[] = {2, 0};
    fixture f;

    begin_softmax(&f, 3, texts);
    shown_classes s = {f.run, &result, 1, classes, 2};
    check_capacities(write_probabilities, &s, "{\"n\\\"o\":0.5,\"yes\":\"NaN\",\"\":0.25}");
    check_capacities(write_classes, &s,
                     "[{\"class\":\"\",\"probability\":0.25},{\"class\":\"n\\\"o\",\"probability\":0.5}]");
    s.n = 0;
    check_capacities(write_classes, &s, "[]");
    end(&f);
    begin_softmax(&f, 3, numbers);
    s = (shown_classes){f.run, &result, 1, classes, 2};
    check_capacities(write_probabilities, &s, "{\"9223372036854775807\":0.5,\"-1\":\"NaN\",\"0\":0.25}");
    check_capacities(write_classes, &s,
                     "[{\"class\":0,\"probability\":0.25},{\"class\":9223372036854775807,\"probability\":0.5}]");
    end(&f);
}

/* Of a score, whose complement is the first class's probability. */
static void two_classes_have_a_best_one(void **state)
{
    static const double a[] = {0.25, -1}, b[] = {0.25, -1.5};
    const hbs_column columns[] = {{HBS_FLOAT64, a, NULL}, {HBS_FLOAT64, b, NULL}};
    uint32_t outputs, best[2];
    hbs_result result;
    fixture f;

    begin_binary(&f, text_value("no"), text_value("yes"));
    assert_status(hbs_run_outputs(f.run, HBS_PREDICT_TOP, &outputs, &f.error), HBS_OK, &f.error);
    assert_status(hbs_score(f.run, columns, 2, 2, outputs, &result, &f.error), HBS_OK, &f.error);
    for (uint32_t row = 0; row < 2; row++) {
        assert_status(hbs_best_classes(f.run, &result, row, 2, best, &f.error), HBS_OK, &f.error);
        assert_int_equal(best[0], 1 - row);
        assert_int_equal(best[1], row);
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_regressor_answers_with_numbers),
        cmocka_unit_test(a_classifier_answers_with_labels_and_probabilities),
        cmocka_unit_test(several_outputs_are_a_list),
        cmocka_unit_test(a_transformer_only_transforms),
        cmocka_unit_test(a_model_may_have_nothing_to_transform),
        cmocka_unit_test(an_unknown_function_is_refused),
        cmocka_unit_test(a_class_is_found_by_number_or_text),
        cmocka_unit_test(texts_booleans_and_reals_are_classes_too),
        cmocka_unit_test(long_lists_of_classes_are_cut),
        cmocka_unit_test(a_json_row_is_by_name_or_by_place),
        cmocka_unit_test(numbers_are_as_short_as_json_allows),
        cmocka_unit_test(every_number_reads_back_and_fits_into_32_bytes),
        cmocka_unit_test(lists_are_written_as_snprintf_does),
        cmocka_unit_test(long_lists_are_written_as_snprintf_does),
        cmocka_unit_test(a_missing_number_of_a_transform_is_null),
        cmocka_unit_test(a_regressors_result_is_an_object),
        cmocka_unit_test(a_classifiers_result_names_its_classes),
        cmocka_unit_test(k_is_a_whole_number_from_1_on),
        cmocka_unit_test(the_best_classes_come_first),
        cmocka_unit_test(classes_are_written_with_their_labels),
        cmocka_unit_test(two_classes_have_a_best_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
