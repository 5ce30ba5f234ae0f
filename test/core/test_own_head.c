/* test_own_head.c - hbscore's own format: what a classifier's answers are made of (argmax, proportions, a head of three
 * inputs), and heads of several outputs: of zeros and ones, and with labels of their own. */
#include "own_scores.h"

#include <string.h>

static const char *plain(const char *op, const char *in)
{
    return own_text("{\"op\":\"%s\",\"in\":[%s]}", op, in);
}

/* ------------------------------------------------------------------ places and parts */

static void argmax_is_a_place(void **state)
{
    static const double rows[][3] = {{1, 2, 2}, {0, -0.0, 0}, {-INFINITY, -3, -4}, {1e308, 0, 1e308}};
    static const double places[] = {1, 0, 1, 0};

    begin(own_regressor(3, plain("argmax", "0")), NULL);
    assert_int_equal(m.info.value_width, 1);
    score(HBS_OUT_VALUE, 4, rows[0]);
    for (size_t i = 0; i < 4; i++)
        is(i, 0, places[i]);
    end();
}

static void proportions_are_parts_of_the_sum(void **state)
{
    static const double rows[][3] = {{1, 2, 5}, {0, 0, 0}, {-1, 1, 0}, {0.1, 0.2, 0.3}};

    begin(own_regressor(3, plain("proportions", "0")), NULL);
    score(HBS_OUT_VALUES, 4, rows[0]);
    is(0, 0, 0.125), is(0, 1, 0.25), is(0, 2, 0.625);
    for (size_t c = 0; c < 3; c++) {
        is(1, c, 1.0 / 3);
        is(2, c, 1.0 / 3); /* of a sum of 0 too */
        is(3, c, rows[3][c] / (0.1 + 0.2 + 0.3));
    }
    end();
}

/* ------------------------------------------------------------------ heads of three inputs */

/* The features are a raw score, a probability and what decides. */
static void begin_three(const char *rule, const char *in)
{
    begin(own_classifier(
              3, I8(7, 9),
              own_text("%s,%s,%s,%s", SELECT("0", "0"), SELECT("0", "1"), SELECT("0", "2"), own_head(rule, in))),
          NULL);
}

static void a_third_input_decides(void **state)
{
    static const double rows[][3] = {{-1, 0.1, 1}, {1, 0.9, 0}, {0, 0.5, 0.75}, {3, 1, -0.0}};
    static const struct {
        const char *rule;
        double labels[4];
    } cases[] = {{"gt0", {1, 0, 1, 0}}, {"ge0", {1, 1, 1, 1}}, {"half", {1, 0, 1, 0}}, {"argmax_proba", {1, 0, 1, 0}}};

    for (size_t k = 0; k < 4; k++) {
        begin_three(cases[k].rule, "1,2,3");
        score(HBS_OUT_LABEL, 4, rows[0]);
        for (size_t i = 0; i < 4; i++)
            is(i, 0, cases[k].labels[i]);
        score(HBS_OUT_RAW, 1, rows[0]);
        is(0, 0, -1);
        score(HBS_OUT_PROBABILITIES, 1, rows[0]);
        is(0, 0, 0.9), is(0, 1, 0.1);
        end();
    }
}

/* One value twice is of raw scores or of probabilities, as the rule says. */
static void the_first_two_may_be_one(void **state)
{
    begin_three("gt0", "1,1,3");
    assert_int_equal(m.info.raw_width, 1);
    assert_int_equal(m.info.probabilities_width, 0);
    end();
    begin_three("half", "2,2,3");
    assert_int_equal(m.info.raw_width, 0);
    assert_int_equal(m.info.probabilities_width, 2);
    end();
}

static void a_label_alone_has_no_scores(void **state)
{
    static const double rows[][3] = {{1, 2, 2}, {3, 3, 1}, {0, 0, 1}};

    begin(own_classifier(3, I8(1, 2, 3), own_head("label", "0")), NULL);
    assert_int_equal(m.info.raw_width + m.info.probabilities_width, 0);
    score(HBS_OUT_LABEL, 3, rows[0]);
    is(0, 0, 1), is(1, 0, 0), is(2, 0, 2);
    end();
}

static void one_class_has_every_row(void **state)
{
    static const double row[1] = {-3};

    begin(own_classifier(1, I8(7), own_head("argmax_proba", "0")), NULL);
    score(HBS_OUT_LABEL, 1, row);
    is(0, 0, 0);
    score(HBS_OUT_PROBABILITIES, 1, row);
    is(0, 0, -3);
    end();
    begin(own_classifier(1, I8(7), own_head("argmax", "0,0")), NULL);
    score(HBS_OUT_LABEL, 1, row);
    is(0, 0, 0);
    end();
    begin(own_classifier(1, I8(7), own_head("label", "0")), NULL);
    score(HBS_OUT_LABEL, 1, row);
    is(0, 0, 0);
    end();
}

/* ------------------------------------------------------------------ several outputs */

/* A classifier of `features` columns; `answers` is the member behind them, with its comma. */
static const char *several(const char *answers, size_t features, const char *ops)
{
    return own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"classifier\",\"features\":[%s],%s\"ops\":[%s]}",
                    own_repeated("{\"type\":\"f8\"}", ",", features), answers, ops);
}

static void json_is(const double *row, size_t n, const char *expected)
{
    hbs_value values[MOST_FEATURES];
    hbs_result result;
    uint32_t outputs;
    char text[400];

    for (size_t f = 0; f < n; f++)
        values[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = row[f]};
    assert_status(hbs_run_outputs(m.one, HBS_PREDICT_JSON, &outputs, &m.error), HBS_OK, &m.error);
    assert_status(hbs_score_row(m.one, values, n, outputs, &result, &m.error), HBS_OK, &m.error);
    hbs_format_result(m.one, &result, 0, "m", text, sizeof text);
    assert_string_equal(text, expected);
}

static void asks_for(hbs_function function, const char *error)
{
    uint32_t outputs;
    hbs_error found = {.status = HBS_OK};
    hbs_status status = hbs_run_outputs(m.one, function, &outputs, &found);

    if (!error)
        assert_status(status, HBS_OK, &found);
    else if (status != HBS_E_TYPE || !strstr(found.text, error))
        fail_msg("%s, expected %s", status == HBS_OK ? "no error" : found.text, error);
}

static void flags_are_zeros_and_ones(void **state)
{
    static const double rows[][3] = {{-1, 0, 1}, {0.5, 0.25, 0.75}};

    begin(several("", 3, own_text("%s,%s", own_link("sigmoid", "0"), own_head("flags", "0,1"))), NULL);
    assert_int_equal(m.info.classes, 0);
    assert_int_equal(m.info.values_width, 3);
    assert_int_equal(m.info.raw_width, 3);
    assert_int_equal(m.info.probabilities_width, 3);
    score(HBS_OUT_VALUES, 2, rows[0]);
    is(0, 0, 0), is(0, 1, 0), is(0, 2, 1);
    is(1, 0, 1), is(1, 1, 1), is(1, 2, 1);
    asks_for(HBS_PREDICT, "several outputs: use predict_values");
    end();
    begin(several("", 3, own_head("flags_proba", "0")), NULL);
    assert_int_equal(m.info.raw_width, 0);
    score(HBS_OUT_VALUES, 2, rows[0]);
    is(1, 0, 0), is(1, 1, 0), is(1, 2, 1);
    json_is(rows[1], 3, "{\"model\":\"m\",\"probabilities\":[0.5,0.25,0.75],\"values\":[0.0,0.0,1.0]}");
    end();
}

#define TEXTS "{\"dtype\":\"str\",\"shape\":[2],\"data\":[\"a\",\"b\"]}"

static const char *outputs_of(const char *first, const char *second)
{
    return own_text("\"outputs\":[%s,%s],", first, second);
}

static void numbers_are_labels_of_their_outputs(void **state)
{
    static const double rows[][7] = {
        {1, 2, 0.25, 0.75, 0.5, 0.125, 0.375}, {0, 0, 1, 0, 0, 0, 1}, {-4, 9, 1, 0, 0, 0, 1}};

    begin(several(outputs_of(I8(10, 20), F8(0.5, 1.5, 2.5)), 7,
                  own_text("%s,%s,%s", SELECT("0", "0,1"), SELECT("0", "2,3,4,5,6"), own_head("outputs", "2,1"))),
          NULL);
    score(HBS_OUT_VALUES, 2, rows[0]);
    is(0, 0, 20), is(0, 1, 2.5), is(1, 0, 10), is(1, 1, 0.5);
    score(HBS_OUT_PROBABILITIES, 1, rows[0]);
    is(0, 4, 0.375);
    json_is(rows[0], 7,
            "{\"model\":\"m\",\"prediction\":[20,2.5],\"probabilities\":[{\"10\":0.25,\"20\":0.75},"
            "{\"0.5\":0.5,\"1.5\":0.125,\"2.5\":0.375}],\"values\":[20.0,2.5]}");
    json_is(rows[2], 7,
            "{\"model\":\"m\",\"prediction\":[null,null],\"probabilities\":[{\"10\":1.0,\"20\":0.0},"
            "{\"0.5\":0.0,\"1.5\":0.0,\"2.5\":1.0}],\"values\":[\"NaN\",\"NaN\"]}");
    asks_for(HBS_PREDICT_VALUES, NULL);
    asks_for(HBS_PREDICT_PROBABILITY, "a classifier without classes: use predict_proba");
    end();
}

static void texts_are_labels_of_their_outputs(void **state)
{
    static const double rows[][2] = {{1, 0}, {0, 1}, {2, 1e300}};

    begin(several(outputs_of(TEXTS, B1(0, 1)), 2, own_head("outputs", "0")), NULL);
    json_is(rows[0], 2, "{\"model\":\"m\",\"prediction\":[\"b\",false]}");
    json_is(rows[1], 2, "{\"model\":\"m\",\"prediction\":[\"a\",true]}");
    json_is(rows[2], 2, "{\"model\":\"m\",\"prediction\":[null,null]}");
    asks_for(HBS_PREDICT, "whose labels are texts: use predict_json");
    asks_for(HBS_PREDICT_VALUES, "whose labels are texts: use predict_json");
    asks_for(HBS_PREDICT_LABEL, "a classifier without one class label: use predict_json");
    end();
}

/* ------------------------------------------------------------------ errors */

static hbs_status load(const hbs_host *host, void *context, hbs_error *error)
{
    const char *json = context;
    hbs_source source = {.name = "m", .bytes = json, .size = strlen(json)};
    hbs_model *model = NULL;
    hbs_plan *plan = NULL;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_plan_free(plan);
    hbs_model_free(model);
    return status;
}

static void refused(const char *json, const char *text)
{
    test_host host;
    hbs_error error = {.status = HBS_OK};

    test_host_init(&host);
    if (load(&host.host, (void *)json, &error) == HBS_OK || !strstr(error.text, text))
        fail_msg("%s\n  expected %s", error.text, text);
    test_host_end(&host);
}

static void heads_are_strict(void **state)
{
    const char *two = outputs_of(TEXTS, B1(0, 1));

    refused(own_classifier(2, I8(1, 2), own_head("label", "0,0")),
            "head: the rule needs one input, a score for each class");
    refused(own_classifier(1, I8(1, 2), own_head("label", "0")),
            "head: the rule needs one input, a score for each class");
    refused(own_classifier(3, I8(1, 2), own_head("label", "0")), "head: the scores are not those of the classes");
    refused(own_classifier(2, I8(1, 2), own_head("flags", "0")), "head: flags of a model with classes");
    refused(own_classifier(2, I8(1, 2), own_head("outputs", "0")), "head: the rule needs the member outputs");
    refused(several("", 2, own_head("gt0", "0")), "head: the scores are not those of the classes");
    refused(several("", 2, own_text("%s,%s", SELECT("0", "0"), own_head("flags", "0,1"))),
            "head: the inputs have not one number for each output");
    refused(several("", 2, SELECT("0", "0")), "the last operator is not the model's answer");
    refused(several(two, 2, own_head("flags", "0")), "head: flags of a model with classes");
    refused(several(two, 2, own_head("argmax", "0")), "head: the scores are not those of the classes");
    refused(several(two, 3, own_head("outputs", "0")), "head: the places are not those of the outputs");
    refused(several(two, 2, own_head("outputs", "0,0")), "or the probabilities not of their labels");
    refused(several(two, 2, own_head("outputs", "0,0,0")), "and one or two inputs");
    refused(several("\"outputs\":[],", 2, own_head("outputs", "0")), "outputs: no outputs");
    refused(several("\"outputs\":{},", 2, own_head("outputs", "0")), "expected an array");
    refused(several(outputs_of(own_array("i8", 8, 0, ""), I8(1, 2)), 2, own_head("outputs", "0")),
            "0 classes (1 to 4096)");
    refused(several(outputs_of(I8(1, 1), I8(1, 2)), 2, own_head("outputs", "0")), "classes 0 and 1 are equal");
    refused(several(own_text("\"classes\":%s,%s", I8(1, 2), two), 2, own_head("outputs", "0")),
            "expected the member \"ops\" here");
    refused(several("\"more\":[],", 2, own_head("flags", "0")), "expected the member \"classes\" here");
}

static void outputs_are_limited(void **state)
{
    int64_t labels[4096];
    const char *many;

    for (int i = 0; i < 4096; i++)
        labels[i] = i;
    many = own_array("i8", 8, 4096, labels);
    refused(several(outputs_of(many, I8(0, 1)), 2, own_head("outputs", "0")), "more than 4096 classes of all outputs");
}

static void every_allocation_may_fail(void **state)
{
    const char *json =
        several(outputs_of(I8(10, 20), F8(0.5, 1.5, 2.5)), 7,
                own_text("%s,%s,%s", SELECT("0", "0,1"), SELECT("0", "2,3,4,5,6"), own_head("outputs", "2,1")));

    assert_true(test_each_allocation_fails(load, (void *)json) > 10);
    json = several(outputs_of(TEXTS, B1(0, 1)), 2, own_head("outputs", "0"));
    assert_true(test_each_allocation_fails(load, (void *)json) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(argmax_is_a_place),
        TEST(proportions_are_parts_of_the_sum),
        TEST(a_third_input_decides),
        TEST(the_first_two_may_be_one),
        TEST(a_label_alone_has_no_scores),
        TEST(one_class_has_every_row),
        TEST(flags_are_zeros_and_ones),
        TEST(numbers_are_labels_of_their_outputs),
        TEST(texts_are_labels_of_their_outputs),
        TEST(heads_are_strict),
        TEST(outputs_are_limited),
        TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
