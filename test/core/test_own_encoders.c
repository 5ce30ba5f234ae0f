/* test_own_encoders.c - hbscore's own format: text features, encoders, imputed texts, and what becomes of
 * values that training has not seen. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary64.h"
#include "op/execution.h"
#include "own_writer.h"
#include "plan/plan.h"

enum { FEATURES = 2, MOST_ROWS = 100, MOST_WIDTH = 8 };

typedef struct model {
    test_host host;
    hbs_plan *plan;
    hbs_run *one, *block;
    size_t width; /* of predict_values */
    hbs_error error;
} model;

static model m;

/* A regressor of the features "plan" (text) and "zone" (number) whose values are the last operator's. */
static void begin(const char *ops, const char *options)
{
    hbs_plan_info info;

    memset(&m, 0, sizeof m);
    test_host_init(&m.host);
    m.plan =
        test_compile(&m.host.host,
                     own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"name\":\"plan\","
                              "\"type\":\"str\"},{\"name\":\"zone\",\"type\":\"f8\"}],\"ops\":[%s]}",
                              ops),
                     options);
    m.one = test_run(&m.host.host, m.plan, 1);
    m.block = test_run(&m.host.host, m.plan, MOST_ROWS);
    hbs_plan_get_info(m.plan, &info);
    m.width = info.values_width;
}

static void end(void)
{
    hbs_run_free(m.one);
    hbs_run_free(m.block);
    hbs_plan_free(m.plan);
    test_host_end(&m.host);
    own_reset();
}

static hbs_value text(const char *bytes)
{
    return (hbs_value){.type = HBS_TEXT, .as.text = {bytes, strlen(bytes)}};
}

static hbs_value number(double x)
{
    return (hbs_value){.type = HBS_FLOAT64, .as.f64 = x};
}

static const hbs_value null = {.type = HBS_NULL};

/* One row, by itself and as row 70 of a block of others like it; NULL where it has no result. */
static hbs_status ask(hbs_value plan, hbs_value zone, double *values, bool *valid)
{
    hbs_value row[FEATURES] = {plan, zone}, cells[FEATURES][71];
    hbs_column columns[FEATURES];
    hbs_result one, block;
    hbs_error error;
    hbs_status status = hbs_score_row(m.one, row, FEATURES, HBS_OUT_VALUES, &one, &m.error);

    for (size_t f = 0; f < FEATURES; f++) {
        for (size_t r = 0; r < 71; r++)
            cells[f][r] = row[f];
        columns[f] = (hbs_column){HBS_MIXED, cells[f], NULL};
    }
    assert_int_equal(hbs_score(m.block, columns, FEATURES, 71, HBS_OUT_VALUES, &block, &error), status);
    if (status != HBS_OK) {
        assert_string_equal(error.text, m.error.text);
        assert_int_equal(block.rows, 0);
        return status;
    }
    *valid = one.valid[0] & 1;
    assert_int_equal(block.valid[1] >> 6 & 1, *valid);
    assert_true(m.width <= MOST_WIDTH);
    for (size_t i = 0; *valid && i < m.width; i++) {
        values[i] = one.values[i];
        assert_memory_equal(&block.values[70 * m.width + i], &values[i], sizeof(double));
    }
    return status;
}

/* The result of a row as a text: "1 0 0", "NULL" or the error's. */
static void gives(hbs_value plan, hbs_value zone, const char *expected)
{
    double values[MOST_WIDTH] = {0};
    char got[sizeof m.error.text] = "";
    bool valid = false;

    if (ask(plan, zone, values, &valid) != HBS_OK)
        snprintf(got, sizeof got, "%s", m.error.text);
    else if (!valid)
        snprintf(got, sizeof got, "NULL");
    for (size_t i = 0; !got[0] || (valid && i > 0 && i < m.width); i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%g", i ? " " : "", values[i]);
    assert_string_equal(got, expected);
}

#define TEXTS(n, list) "{\"dtype\":\"str\",\"shape\":[" #n "],\"data\":[" list "]}"
#define COLUMN(values, missing, map, rest) \
    own_text("{\"values\":%s,\"missing\":" missing ",\"map\":%s," rest "}", values, map)

static const char *onehot(const char *in, const char *columns)
{
    return own_text("{\"op\":\"onehot\",\"in\":[%s],\"columns\":[%s]}", in, columns);
}

static const char *ordinal(const char *in, const char *columns)
{
    return own_text("{\"op\":\"ordinal\",\"in\":[%s],\"columns\":[%s]}", in, columns);
}

/* ------------------------------------------------------------------ one-hot */

/* The categories are in any order in the file; what each becomes goes with it. */
static void texts_become_columns(void **state)
{
    begin(own_text("%s,%s", SELECT("0", "0"),
                   onehot("1", COLUMN(TEXTS(3, "\"silver\",\"gold\",\"\""), "0", I4(2, 0, 1),
                                      "\"width\":3,\"unknown\":\"zeros\""))),
          NULL);
    gives(text("gold"), null, "1 0 0");
    gives(text("silver"), null, "0 0 1");
    gives(text(""), null, "0 1 0");
    gives(text("Gold"), null, "0 0 0");
    gives(text("golden"), null, "0 0 0");
    gives(null, null, "0 0 0");
    gives((hbs_value){.type = HBS_INT64, .as.i64 = 7}, null, "0 0 0");
    gives(number(1.5), null, "model \"m\": feature \"plan\" takes a text, got the number 1.5");
    end();
}

static void a_missing_value_may_be_a_category(void **state)
{
    begin(own_text("%s,%s", SELECT("0", "0"),
                   onehot("1", COLUMN(TEXTS(1, "\"gold\""), "1", I4(0, 1), "\"width\":2,\"unknown\":\"error\""))),
          NULL);
    gives(text("gold"), null, "1 0");
    gives(null, null, "0 1");
    gives(text("tin"), null,
          "model \"m\": feature \"plan\" has the value \"tin\", which training has not seen (option "
          "on_unseen can make it missing or the result NULL)");
    end();
}

/* Not by what becomes of unknown ones: a target that is missing has no code. */
static void a_missing_value_may_be_refused(void **state)
{
    begin(own_text("%s,%s,%s,%s,%s", SELECT("0", "0"),
                   onehot("1", COLUMN(TEXTS(1, "\"gold\""), "2", I4(0), "\"width\":1,\"unknown\":\"zeros\"")),
                   SELECT("0", "1"),
                   ordinal("3", COLUMN(F8(3, 4), "2", F8(0, 1),
                                       "\"unknown\":{\"dtype\":\"f8\",\"shape\":[],\"data\":"
                                       "\"AAAAAAAA8L8=\"}")),
                   "{\"op\":\"concat\",\"in\":[2,4]}"),
          NULL);
    gives(text("gold"), number(4), "1 1");
    gives(text("tin"), number(5), "0 -1");
    gives(null, number(4), "NULL");
    gives(text("gold"), null, "NULL");
    end();
}

/* drop: a category without a column; infrequent: several with one, which unknown ones get too. */
static void categories_may_share_a_column_or_have_none(void **state)
{
    begin(own_text("%s,%s", SELECT("0", "0"),
                   onehot("1", COLUMN(TEXTS(4, "\"a\",\"b\",\"c\",\"d\""), "0", I4(-1, 1, 0, 1),
                                      "\"width\":2,\"unknown\":1"))),
          NULL);
    gives(text("a"), null, "0 0");
    gives(text("b"), null, "0 1");
    gives(text("c"), null, "1 0");
    gives(text("d"), null, "0 1");
    gives(text("e"), null, "0 1");
    gives(null, null, "0 1");
    end();
}

/* A column of texts with validity bits: missing ones, unknown ones and those of the dictionary in all orders. */
static void a_column_of_texts_is_looked_up_in_runs(void **state)
{
    static const char *const words[] = {"gold", "silver", "", "a longer name than sixteen bytes", "tin"};
    hbs_text texts[MOST_ROWS];
    double zones[MOST_ROWS] = {0};
    uint64_t valid[MOST_ROWS / 64 + 1], random = 3;
    hbs_column columns[FEATURES] = {{HBS_TEXT, texts, valid}, {HBS_FLOAT64, zones, NULL}};
    hbs_result result;

    begin(own_text("%s,%s", SELECT("0", "0"),
                   onehot("1", COLUMN(TEXTS(4, "\"silver\",\"gold\",\"\",\"a longer name than sixteen bytes\""), "1",
                                      I4(1, 0, 2, 3, 4), "\"width\":5,\"unknown\":\"zeros\""))),
          NULL);
    for (uint64_t turn = 0; turn < 200; turn++) {
        memset(valid, 0, sizeof valid);
        for (size_t r = 0; r < MOST_ROWS; r++) {
            const char *word = words[test_random(&random) % (turn % 2 ? 4 : 5)];

            texts[r] = (hbs_text){word, strlen(word)};
            valid[r / 64] |= (uint64_t)(turn % 8 < 4 || test_random(&random) % turn != 0) << r % 64;
        }
        assert_status(hbs_score(m.block, columns, FEATURES, MOST_ROWS, HBS_OUT_VALUES, &result, &m.error), HBS_OK,
                      &m.error);
        for (size_t r = 0; r < MOST_ROWS; r++)
            for (size_t o = 0; o < 5; o++) {
                bool there = valid[r / 64] >> r % 64 & 1;

                assert_true(result.values[r * 5 + o] ==
                            (there ? o < 4 && strcmp(texts[r].bytes, words[o]) == 0 : o == 4));
            }
    }
    end();
}

/* HB_DEMAND_... that the plan's guard asks of each column; NULL: it has none. */
static const uint8_t *asked_by_guard(void)
{
    const hb_plan_header *header = m.plan->header;
    const hb_step *steps = hb_plan_at(header, header->steps);

    for (size_t i = 0; i < header->n_steps; i++)
        if (steps[i].kind == HB_OPERATOR_GUARD) {
            hb_fit_guard fit;

            hb_fit_view(header, steps[i].fit, HB_OPERATOR_GUARD, &fit);
            return fit.asked;
        }
    return NULL;
}

/* The marks of an encoder are no number that could be refused: a guard looks at the others only. */
static void a_guard_passes_over_marks(void **state)
{
#define GUARD(in) "{\"op\":\"guard\",\"in\":[" in "],\"missing\":0}"
    static const uint8_t expected[] = {0, 0, HB_DEMAND_KNOWN | HB_DEMAND_FINITE, 0, 0};
    const char *marks =
        own_text("%s,%s,%s,{\"op\":\"affine\",\"in\":[3],\"kind\":\"mul_add\",\"dtype\":\"f8\",\"a\":%s,\"b\":%s}",
                 SELECT("0", "0"),
                 onehot("1", COLUMN(TEXTS(2, "\"a\",\"b\""), "0", I4(0, 1), "\"width\":2,\"unknown\":\"zeros\"")),
                 SELECT("0", "1"), F8(1e200), F8(0));

    begin(own_text("%s,{\"op\":\"concat\",\"in\":[2,4,2]}," GUARD(
                       "5") ",{\"op\":\"linear\",\"in\":[6],\"coef\":%s,\"intercept\":%s}",
                   marks, ROWS(2, 5, 1, 10, 3, 1000, 10000, 0, 0, 1, 0, 0), F8(0, 0)),
          NULL);
    assert_memory_equal(asked_by_guard(), expected, 5);
    gives(text("b"), number(2e-200), "10016 2");
    gives(text("c"), number(2e-200), "6 2");
    gives(text("b"), number(1e200), "NULL");
    end();
    begin(own_text("%s,{\"op\":\"concat\",\"in\":[2,2]}," GUARD(
                       "5") ",{\"op\":\"linear\",\"in\":[6],\"coef\":%s,\"intercept\":%s}",
                   marks, ROWS(2, 4, 1, 10, 100, 1000, 0, 0, 0, 1), F8(0, 0)),
          NULL);
    assert_null(asked_by_guard());
    gives(text("b"), number(1e200), "1010 1");
    end();
}

static void numbers_are_categories_too(void **state)
{
    const char *columns = COLUMN(F8(3, -1.5, 1e300), "0", I4(0, 1, 2), "\"width\":3,\"unknown\":\"error\"");
    static const char unseen[] =
        "model \"m\": feature \"zone\" has the value \"2.0\", which training has not seen (option "
        "on_unseen can make it missing or the result NULL)";

    begin(own_text("%s,%s", SELECT("0", "1"), onehot("1", columns)), NULL);
    gives(null, number(3), "1 0 0");
    gives(null, number(-1.5), "0 1 0");
    gives(null, text("3"), "1 0 0");
    gives(null, number(1e300), "0 0 1");
    gives(null, number(2), unseen);
    gives(null, null, "NULL");
    gives(null, number(INFINITY), "NULL");
    end();
    begin(own_text("%s,%s", SELECT("0", "1"),
                   onehot("1", COLUMN(F8(3, 4), "0", I4(0, 1), "\"width\":2,\"unknown\":\"error\""))),
          "{\"on_unseen\": \"null\", \"on_missing\": \"error\"}");
    gives(null, number(3), "1 0");
    gives(null, number(2), "NULL");
    gives(null, null, "model \"m\": feature \"zone\" is missing, and the model cannot take that (option on_missing)");
    end();
}

/* The rows before the one that is refused have their scores, and the error names its value, though a row
 * before it, without a result, has one too that the encoder refuses. */
static void rows_before_an_unseen_number_are_scored(void **state)
{
    hbs_value plans[80], zones[80];
    hbs_column columns[FEATURES] = {{HBS_MIXED, plans, NULL}, {HBS_MIXED, zones, NULL}};
    hbs_result result;

    begin(own_text("%s,%s", SELECT("0", "1"),
                   onehot("1", COLUMN(F8(1, 2), "0", I4(0, 1), "\"width\":2,\"unknown\":\"error\""))),
          NULL);
    for (size_t r = 0; r < 80; r++) {
        plans[r] = null;
        zones[r] = number(r == 69 ? 3 : 1 + (double)(r % 2));
    }
    zones[66] = null;
    zones[72] = number(4);
    assert_int_equal(hbs_score(m.block, columns, FEATURES, 80, HBS_OUT_VALUES, &result, &m.error), HBS_E_ARGS);
    assert_int_equal(result.rows, 69);
    assert_non_null(strstr(m.error.text, "the value \"3.0\""));
    for (size_t r = 0; r < 69; r++)
        assert_true(r == 66 || (result.values[2 * r + r % 2] == 1 && result.values[2 * r + 1 - r % 2] == 0));
    end();
}

/* ------------------------------------------------------------------ numbers, imputed texts, several encoders */

static void categories_become_numbers(void **state)
{
    begin(own_text("%s,%s", SELECT("0", "0,1"),
                   ordinal("1", own_text("%s,%s",
                                         COLUMN(TEXTS(2, "\"low\",\"high\""), "0", F8(0.5, -2),
                                                "\"unknown\":{\"dtype\":\"f8\",\"shape\":[],\"data\":"
                                                "\"AAAAAAAA8L8=\"}"),
                                         COLUMN(F8(10, 20), "1", F8(0, 1, 7), "\"unknown\":\"error\"")))),
          NULL);
    gives(text("low"), number(20), "0.5 1");
    gives(text("high"), number(10), "-2 0");
    gives(text("none"), null, "-1 7");
    gives(null, number(10), "-1 0");
    gives(text("low"), number(15),
          "model \"m\": feature \"zone\" has the value \"15.0\", which training has not seen (option "
          "on_unseen can make it missing or the result NULL)");
    end();
}

/* Two encoders of one feature, each with texts of its own, behind an imputer with another one. */
static void all_texts_of_a_feature_share_its_dictionary(void **state)
{
    begin(own_text("%s,{\"op\":\"impute\",\"in\":[1],\"missing\":\"nan\",\"fill\":%s},%s,%s,"
                   "{\"op\":\"concat\",\"in\":[3,4]}",
                   SELECT("0", "0"), TEXTS(1, "\"none\""),
                   onehot("2", COLUMN(TEXTS(2, "\"b\",\"none\""), "0", I4(0, 1), "\"width\":2,\"unknown\":\"zeros\"")),
                   onehot("1", COLUMN(TEXTS(2, "\"a\",\"b\""), "0", I4(0, 1), "\"width\":2,\"unknown\":\"zeros\""))),
          NULL);
    gives(text("a"), null, "0 0 1 0");
    gives(text("b"), null, "1 0 0 1");
    gives(text("none"), null, "0 1 0 0");
    gives(null, null, "0 1 0 0");
    gives(text("c"), null, "0 0 0 0");
    end();
}

/* Nobody asks for a text that no output depends on. */
static void an_unused_text_takes_anything(void **state)
{
    begin(own_text("%s,%s", SELECT("0", "1"), "{\"op\":\"select\",\"in\":[1],\"cols\":[0,0]}"), NULL);
    gives(text("anything"), number(4), "4 4");
    gives(null, number(4), "4 4");
    end();
}

/* ------------------------------------------------------------------ links */

static void links_of_scikit_learn(void **state)
{
    double x[2] = {0.25, -3}, sum, log;
    hbs_value row[FEATURES];
    double values[MOST_WIDTH];
    bool valid;

    begin(own_text("%s,%s", SELECT("0", "1,1"), "{\"op\":\"link\",\"in\":[1],\"kind\":\"modified_huber\"}"), NULL);
    gives(null, number(0.5), "0.5 0.5");
    gives(null, number(-2), "0.5 0.5");
    end();
    begin(own_text("%s,{\"op\":\"affine\",\"in\":[1],\"kind\":\"mul_add\",\"dtype\":\"f8\",\"a\":%s,\"b\":%s},"
                   "{\"op\":\"link\",\"in\":[2],\"kind\":\"logsumexp\"}",
                   SELECT("0", "1,1"), F8(1, 0), F8(0, -3)),
          NULL);
    row[0] = null;
    row[1] = number(x[0]);
    assert_status(ask(row[0], row[1], values, &valid), HBS_OK, &m.error);
    sum = hb_exp64(x[0] - x[0]) + hb_exp64(x[1] - x[0]);
    log = hb_log64(sum) + x[0];
    for (int i = 0; i < 2; i++) {
        double expected = hb_exp64(x[i] - log);

        assert_memory_equal(&values[i], &expected, sizeof expected);
    }
    end();
}

/* ------------------------------------------------------------------ errors */

static void refused(const char *ops, hbs_status status, const char *words)
{
    test_host host;
    hbs_source source = {.name = "m"};
    hbs_model *model;
    hbs_error error = {.status = HBS_OK};

    test_host_init(&host);
    source.bytes = own_text("{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"name\":\"plan\","
                            "\"type\":\"str\"},{\"name\":\"zone\",\"type\":\"f8\"}],\"ops\":[%s]}",
                            ops);
    source.size = strlen(source.bytes);
    assert_int_equal(hbs_model_load(&host.host, NULL, &source, &model, &error), status);
    if (!strstr(error.text, words))
        fail_msg("%s\n  expected %s", error.text, words);
    test_host_end(&host);
    own_reset();
}

#define ENCODER(columns) own_text("%s,%s", SELECT("0", "0"), onehot("1", columns))
#define REST             "\"width\":2,\"unknown\":\"zeros\""

static void encoders_are_strict(void **state)
{
    refused(own_text("%s,%s", SELECT("0", "0"), own_affine("1", 1)), HBS_E_FORMAT,
            "a text where the operator takes numbers");
    refused(ENCODER(COLUMN(F8(1), "0", I4(0), REST)), HBS_E_UNSUPPORTED, "dtype \"f8\" is unknown");
    refused(ENCODER(COLUMN(TEXTS(2, "\"a\",\"a\""), "0", I4(0, 1), REST)), HBS_E_FORMAT,
            "an encoder has a category twice");
    refused(ENCODER(COLUMN(TEXTS(2, "\"a\",\"b\""), "0", I4(0, 2), REST)), HBS_E_FORMAT,
            "map names a column that is not there");
    refused(ENCODER(COLUMN(TEXTS(1, "\"a\""), "0", I4(-2), REST)), HBS_E_FORMAT,
            "map names a column that is not there");
    refused(ENCODER(COLUMN(TEXTS(1, "\"a\""), "3", I4(0), REST)), HBS_E_FORMAT,
            "expected an integer of 0 to 2, found 3");
    refused(ENCODER(COLUMN(TEXTS(1, "\"a\""), "1", I4(0), REST)), HBS_E_FORMAT,
            "map has not one number for each category");
    refused(ENCODER(COLUMN(TEXTS(1, "\"a\""), "0", I4(0), "\"width\":1,\"unknown\":1")), HBS_E_FORMAT, "unknown");
    refused(ENCODER(COLUMN(TEXTS(1, "\"a\""), "0", I4(0), "\"width\":1,\"unknown\":\"one\"")), HBS_E_UNSUPPORTED,
            "unknown \"one\" is unknown to this version");
    refused(ENCODER(COLUMN(TEXTS(1, "\"a\""), "0", I4(-1), "\"width\":0,\"unknown\":\"zeros\"")), HBS_E_FORMAT,
            "nothing comes out");
    refused(ENCODER(COLUMN(TEXTS(1, "\"a\""), "0", I4(0), "\"width\":65537,\"unknown\":\"zeros\"")), HBS_E_FORMAT,
            "width");
    refused(ENCODER(""), HBS_E_FORMAT, "not one column for each of the input");
    refused(ENCODER(own_text("%s,%s", COLUMN(TEXTS(1, "\"a\""), "0", I4(0), REST),
                             COLUMN(TEXTS(1, "\"a\""), "0", I4(0), REST))),
            HBS_E_FORMAT, "more columns than the input has");
    refused(own_text("%s,{\"op\":\"impute\",\"in\":[1],\"missing\":\"nan\",\"fill\":%s}", SELECT("0", "0"), F8(1)),
            HBS_E_UNSUPPORTED, "dtype \"f8\" is unknown");
    refused(own_text("%s,{\"op\":\"impute\",\"in\":[1],\"missing\":\"nan\",\"fill\":%s}", SELECT("0", "0,1"),
                     TEXTS(2, "\"a\",\"b\"")),
            HBS_E_FORMAT, "impute: texts for numbers");
    refused(own_text("%s,{\"op\":\"impute\",\"in\":[1],\"missing\":\"nan\",\"fill\":%s}", SELECT("0", "0"),
                     TEXTS(2, "\"a\",\"b\"")),
            HBS_E_FORMAT, "impute: not one text for each column");
}

static hbs_status load(const hbs_host *host, void *context, hbs_error *error)
{
    const char *json = context;
    hbs_source source = {.name = "m", .bytes = json, .size = strlen(json)};
    hbs_model *model;
    hbs_plan *plan = NULL;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    if (status == HBS_OK)
        status = hbs_plan_compile(model, NULL, &plan, error);
    hbs_plan_free(plan);
    hbs_model_free(model);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    const char *json = own_text(
        "{\"hbscore\":1,\"writer\":{},\"task\":\"regressor\",\"features\":[{\"name\":\"plan\",\"type\":\"str\"},"
        "{\"name\":\"zone\",\"type\":\"f8\"}],\"ops\":[%s,{\"op\":\"impute\",\"in\":[1],\"missing\":\"nan\","
        "\"fill\":%s},%s]}",
        SELECT("0", "0"), TEXTS(1, "\"none\""),
        onehot("2", COLUMN(TEXTS(3, "\"b\",\"none\",\"a\""), "0", I4(0, 1, -1), REST)));

    assert_true(test_each_allocation_fails(load, (void *)json) > 20);
    own_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_columns),
        cmocka_unit_test(a_missing_value_may_be_a_category),
        cmocka_unit_test(a_missing_value_may_be_refused),
        cmocka_unit_test(categories_may_share_a_column_or_have_none),
        cmocka_unit_test(a_column_of_texts_is_looked_up_in_runs),
        cmocka_unit_test(a_guard_passes_over_marks),
        cmocka_unit_test(numbers_are_categories_too),
        cmocka_unit_test(rows_before_an_unseen_number_are_scored),
        cmocka_unit_test(categories_become_numbers),
        cmocka_unit_test(all_texts_of_a_feature_share_its_dictionary),
        cmocka_unit_test(an_unused_text_takes_anything),
        cmocka_unit_test(links_of_scikit_learn),
        cmocka_unit_test(encoders_are_strict),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
