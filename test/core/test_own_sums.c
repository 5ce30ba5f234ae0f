/* test_own_sums.c - hbscore's own format: naive Bayes, the links of perceptrons, and what they stand in:
 * each one's arithmetic against plain C, bit by bit; rows that are refused, and every error of a file. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary64.h"
#include "base/tanh64.h"
#include "own_writer.h"
#include "scored_model.h"

enum { MOST_ROWS = 130, MOST_FEATURES = 6, MOST_WIDTH = 6 };

static scored_model m;

static void begin(const char *json)
{
    scored_model_begin(&m, json, NULL, MOST_ROWS);
}

static void end(void)
{
    scored_model_end(&m);
    own_reset();
}

static const double *numbers_of(const hbs_result *result, uint32_t output)
{
    return output == HBS_OUT_RAW             ? result->raw
           : output == HBS_OUT_PROBABILITIES ? result->probabilities
           : output == HBS_OUT_VALUES        ? result->values
                                             : result->value;
}

/* The numbers that row r should have. */
typedef void (*expected)(const double *row, double *numbers);

static void check(const hbs_result *result, uint32_t output, size_t at, size_t width, const double *want)
{
    for (size_t c = 0; c < width; c++) {
        double found = numbers_of(result, output)[at * width + c];

        if (!same_bits(found, want[c]))
            fail_msg("number %zu: %a, expected %a", c, found, want[c]);
    }
}

/* All rows in a block of their own size and in blocks of 1. */
static void gives(uint32_t output, size_t width, size_t features, size_t n, const double *rows, expected expect)
{
    static double cells[MOST_FEATURES][MOST_ROWS];
    hbs_column columns[MOST_FEATURES];
    hbs_result block, one;

    for (size_t f = 0; f < features; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < n; r++)
            cells[f][r] = rows[r * features + f];
    }
    assert_status(hbs_score(m.block, columns, features, n, output, &block, &m.error), HBS_OK, &m.error);
    for (size_t r = 0; r < n; r++) {
        double want[MOST_WIDTH];
        hbs_value row[MOST_FEATURES];

        for (size_t f = 0; f < features; f++)
            row[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = rows[r * features + f]};
        expect(rows + r * features, want);
        check(&block, output, r, width, want);
        assert_status(hbs_score_row(m.one, row, features, output, &one, &m.error), HBS_OK, &m.error);
        check(&one, output, 0, width, want);
    }
}

/* Of all sizes, zeros of both signs and denormals among them; finite. */
static void random_rows(double *rows, size_t n, uint64_t seed)
{
    static const double special[] = {0.0, -0.0, 0x1p-1074, -0x1p-1074, 1e-300, 1e150, -1e200, 20, -7};

    for (size_t i = 0; i < n; i++) {
        uint64_t draw = test_random(&seed);

        rows[i] = draw % 8 == 0 ? special[draw / 8 % 9] : (double)(int64_t)draw / 1e18;
    }
}

/* ------------------------------------------------------------------ gaussian_nb */

static const double means[3][4] = {{0.5, -1, 3e10, 0}, {-0.25, 1e-3, -7, 2}, {0, 0, 0, 0}};
static const double variances[3][4] = {{1, 1e-9, 1e20, 0.3}, {2, 0.7, 1e-300, 1e300}, {0x1p-1074, 1, 2, 3}};
static const double constants[3] = {-3.5, 700.25, -INFINITY};

static const char *gaussian_nb(const char *in, const char *mean, const char *variance, const char *constant)
{
    return own_text("{\"op\":\"gaussian_nb\",\"in\":[%s],\"mean\":%s,\"variance\":%s,"
                    "\"constant\":%s}",
                    in, mean, variance, constant);
}

static const char *three_classes(const char *in)
{
    return gaussian_nb(in, own_matrix(3, 4, means[0]), own_matrix(3, 4, variances[0]),
                       own_array("f8", 8, 3, constants));
}

static void log_likelihoods(const double *row, double *numbers)
{
    for (size_t o = 0; o < 3; o++) {
        volatile double sum = 0, square;

        for (size_t f = 0; f < 4; f++) {
            volatile double apart = row[f] - means[o][f];

            square = apart * apart;
            sum += square / variances[o][f];
        }
        numbers[o] = constants[o] - 0.5 * sum;
    }
}

static void gaussian_nb_sums_in_the_order_of_the_features(void **state)
{
    static double rows[MOST_ROWS * 4];

    random_rows(rows, MOST_ROWS * 4, 1);
    begin(own_regressor(4, three_classes("0")));
    assert_true(m.info.values_tolerance == 1e-9);
    gives(HBS_OUT_VALUES, 3, 4, MOST_ROWS, rows, log_likelihoods);
    end();
}

/* Squares that overflow leave no likelihood, of no class: no product of smaller factors may save them. */
static void likelihoods_may_be_zero(void **state)
{
    static const double row[] = {1e170, 0, 0, 0};
    double found[3];

    log_likelihoods(row, found);
    assert_true(found[0] == -INFINITY && found[1] == -INFINITY && found[2] == -INFINITY);
    begin(own_regressor(4, three_classes("0")));
    gives(HBS_OUT_VALUES, 3, 4, 1, row, log_likelihoods);
    end();
}

static void gaussian_nb_of_float32_is_compared_loosely(void **state)
{
    begin(own_regressor(4, own_text(CAST("0") ",%s", three_classes("1"))));
    assert_true(m.info.values_tolerance == 1e-4);
    end();
}

static void probabilities_of(const double *row, double *numbers)
{
    double raw[3], most, sum = 0, log;

    log_likelihoods(row, raw);
    most = fmax(fmax(raw[0], raw[1]), raw[2]);
    for (size_t o = 0; o < 3; o++)
        sum += hb_exp64(raw[o] - most);
    log = hb_log64(sum) + most;
    for (size_t o = 0; o < 3; o++)
        numbers[o] = hb_exp64(raw[o] - log);
}

/* The raw scores are the log likelihoods, one for each class. */
static void a_classifier_by_normal_distributions(void **state)
{
    static const double rows[] = {0.5, -1, 3e10, 0, 0.1, 0.001, -7, 2, 0, 0, 0, 0};
    hbs_value row[4];
    hbs_result result;

    begin(own_classifier(
        4, I8(7, 8, 9),
        own_text("%s,%s,%s", three_classes("0"), own_link("logsumexp", "1"), own_head("argmax", "1,2"))));
    assert_int_equal(m.info.raw_width, 3);
    gives(HBS_OUT_RAW, 3, 4, 3, rows, log_likelihoods);
    gives(HBS_OUT_PROBABILITIES, 3, 4, 3, rows, probabilities_of);
    for (size_t f = 0; f < 4; f++)
        row[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = rows[4 + f]};
    assert_status(hbs_score_row(m.one, row, 4, HBS_OUT_LABEL, &result, &m.error), HBS_OK, &m.error);
    assert_int_equal(result.label[0], 1);
    end();
}

/* Each of its features, missing or infinite, leaves the row without a result. */
static void gaussian_nb_takes_finite_numbers_only(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    hbs_value row[4];
    hbs_result result;

    begin(own_regressor(4, three_classes("0")));
    for (size_t k = 0; k < 12; k++) {
        for (size_t f = 0; f < 4; f++)
            row[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = f == k % 4 ? bad[k / 4] : 1e300};
        assert_status(hbs_score_row(m.one, row, 4, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
        assert_int_equal(result.valid[0] & 1, 0);
    }
    end();
}

/* ------------------------------------------------------------------ linear and links */

static void of_a_class_that_cannot_be(const double *row, double *numbers)
{
    numbers[0] = -INFINITY;
    numbers[1] = 0 + row[0] * 2 + -1;
}

static void an_intercept_may_be_infinite(void **state)
{
    static double rows[MOST_ROWS];

    random_rows(rows, MOST_ROWS, 2);
    begin(own_regressor(1, own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}", ROWS(2, 1, 1, 2),
                                    F8(-INFINITY, -1))));
    gives(HBS_OUT_VALUES, 2, 1, MOST_ROWS, rows, of_a_class_that_cannot_be);
    end();
}

static void relu(const double *row, double *numbers)
{
    for (size_t c = 0; c < 3; c++)
        numbers[c] = row[c] < 0 ? 0 : row[c];
}

static void hyperbolic_tangent(const double *row, double *numbers)
{
    for (size_t c = 0; c < 3; c++)
        numbers[c] = hb_tanh64(row[c]);
}

static void links_between_layers(void **state)
{
    static double rows[MOST_ROWS * 3];

    random_rows(rows, MOST_ROWS * 3, 3);
    rows[4] = INFINITY, rows[7] = -INFINITY;
    begin(own_regressor(3, own_link("relu", "0")));
    gives(HBS_OUT_VALUES, 3, 3, MOST_ROWS, rows, relu);
    end();
    begin(own_regressor(3, own_link("tanh", "0")));
    gives(HBS_OUT_VALUES, 3, 3, MOST_ROWS, rows, hyperbolic_tangent);
    end();
}

/* NaN that an overflow made (infinity - infinity), for a row may not bring one. */
static void links_keep_nan(void **state)
{
    static const char *const kinds[] = {"relu", "tanh"};
    hbs_value huge = {.type = HBS_FLOAT64, .as.f64 = 1e308};
    hbs_result result;

    for (size_t k = 0; k < 2; k++) {
        begin(own_regressor(1, own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,"
                                        "\"intercept\":%s},%s",
                                        ROWS(1, 1, 1e10), F8(-INFINITY), own_link(kinds[k], "1"))));
        assert_status(hbs_score_row(m.one, &huge, 1, HBS_OUT_VALUE, &result, &m.error), HBS_OK, &m.error);
        assert_true(isnan(result.value[0]));
        end();
    }
}

#define LAYER(in, coef, intercept) "{\"op\":\"linear\",\"in\":[" in "],\"coef\":%s,\"intercept\":%s}", coef, intercept

static double neuron(const double *x, double a, double b, double c)
{
    volatile double first = x[0] * a, second = x[1] * b;

    return 0 + first + second + c;
}

static void network_of(const double *row, double *numbers)
{
    double hidden[2] = {hb_tanh64(neuron(row, 0.5, -1, 0.25)), hb_tanh64(neuron(row, 2, 0.1, -3))};
    double last = neuron(hidden, 1.5, -0.7, 0.125), p = 1.0 / (1.0 + hb_exp64(-last));

    numbers[0] = 1.0 - p;
    numbers[1] = p;
}

/* One probability, above a half: the second class. */
static void a_perceptron_of_two_classes(void **state)
{
    static double rows[MOST_ROWS * 2];
    const char *first = own_text(LAYER("0", ROWS(2, 2, 0.5, -1, 2, 0.1), F8(0.25, -3)));
    const char *last = own_text(LAYER("2", ROWS(1, 2, 1.5, -0.7), F8(0.125)));

    random_rows(rows, MOST_ROWS * 2, 4);
    begin(own_classifier(2, B1(0, 1),
                         own_text("%s,%s,%s,%s,%s", first, own_link("tanh", "1"), last, own_link("sigmoid", "3"),
                                  own_head("half", "4"))));
    assert_int_equal(m.info.raw_width, 0);
    gives(HBS_OUT_PROBABILITIES, 2, 2, MOST_ROWS, rows, network_of);
    end();
}

/* ------------------------------------------------------------------ errors of files */

static void refused(const char *json, hbs_status status, const char *text)
{
    size_t size = strlen(json);
    char *copy = test_exact_copy(json, size);
    hbs_source source = {.bytes = copy, .size = size};
    hbs_error error = {.status = HBS_OK};
    hbs_model *model = NULL;
    test_host host;

    test_host_init(&host);
    assert_status(hbs_model_load(&host.host, NULL, &source, &model, &error), status, &error);
    hbs_model_free(model);
    test_host_end(&host);
    free(copy);
    if (strncmp(error.text, text, strlen(text)) != 0)
        fail_msg("found    %s\n  expected %s", error.text, text);
}

static void gaussian_nb_is_strict(void **state)
{
    const char *two = ROWS(1, 2, 1, 2), *one = F8(0);
    const char *const shapes = "ops[0].constant: gaussian_nb: mean and variance are not [outputs, "
                               "features], or constant not [outputs]";
    const struct {
        const char *mean, *variance, *constant;
        hbs_status status;
        const char *text;
    } cases[] = {
        {"1", two, one, HBS_E_FORMAT, "ops[0].mean: expected an object, found an integer"},
        {F8(1, 2), two, one, HBS_E_FORMAT, "ops[0].mean.shape: an array of 1 dimensions, expected 2"},
        {two, two, "{}", HBS_E_FORMAT, "ops[0].constant: no member \"dtype\""},
        {two, two, I8(1), HBS_E_UNSUPPORTED, "ops[0].constant.dtype: dtype \"i8\" is unknown"},
        {ROWS(1, 3, 1, 2, 3), two, one, HBS_E_FORMAT, shapes},
        {two, ROWS(2, 1, 1, 2), one, HBS_E_FORMAT, shapes},
        {ROWS(2, 2, 1, 2, 3, 4), two, one, HBS_E_FORMAT, shapes},
        {two, two, F8(0, 0), HBS_E_FORMAT, shapes},
        {own_matrix(0, 2, NULL), own_matrix(0, 2, NULL), own_array("f8", 8, 0, ""), HBS_E_FORMAT, shapes},
        {ROWS(1, 2, 1, NAN), two, one, HBS_E_FORMAT, "ops[0].constant: gaussian_nb: a mean is not finite"},
        {two, ROWS(1, 2, 1, INFINITY), one, HBS_E_FORMAT, "ops[0].constant: gaussian_nb: a variance is not finite"},
        {two, ROWS(1, 2, 1, 0), one, HBS_E_FORMAT, "ops[0].constant: gaussian_nb: a variance is not above 0"},
        {two, ROWS(1, 2, -1, 1), one, HBS_E_FORMAT, "ops[0].constant: gaussian_nb: a variance is not above 0"},
        {two, two, F8(NAN), HBS_E_FORMAT, "ops[0].constant: gaussian_nb: a constant is NaN or infinite"},
        {two, two, F8(INFINITY), HBS_E_FORMAT, "ops[0].constant: gaussian_nb: a constant is NaN or infinite"},
        {two, two, F8(-INFINITY), HBS_OK, ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(own_regressor(2, gaussian_nb("0", cases[i].mean, cases[i].variance, cases[i].constant)),
                cases[i].status, cases[i].text);
    refused(own_regressor(2, gaussian_nb("0,0", two, two, one)), HBS_E_FORMAT,
            "ops[0].in: the operator does not take so many inputs");
    refused(own_regressor(2, own_text("{\"op\":\"gaussian_nb\",\"in\":[0],\"variance\":%s}", two)), HBS_E_FORMAT,
            "ops[0].variance: expected the member \"mean\" here");
}

static hbs_status load_and_compile(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_source source = {.bytes = context, .size = strlen(context)};
    hbs_model *model = NULL;
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
    const char *json =
        own_classifier(4, I8(1, 2, 3),
                       own_text("%s,%s,%s,%s,%s", own_link("relu", "0"), own_link("tanh", "1"), three_classes("2"),
                                own_link("logsumexp", "3"), own_head("argmax", "3,4")));
    char *copy = test_exact_copy(json, strlen(json) + 1);

    assert_true(test_each_allocation_fails(load_and_compile, copy) > 8);
    free(copy);
}

/* Many classes of many columns are work: the host is asked in between. */
static void wide_ones_are_computed_in_parts(void **state)
{
    enum { CLASSES = 60, COLUMNS = 1000 };
    static double ones[CLASSES * COLUMNS], zeros[CLASSES], column[64];
    hbs_column columns = {HBS_FLOAT64, column, NULL};
    hbs_result result;
    size_t before;

    for (size_t i = 0; i < CLASSES * COLUMNS; i++)
        ones[i] = 1;
    begin(own_regressor(1,
                        own_text("{\"op\":\"select\",\"in\":[0],\"cols\":[%s]},%s", own_repeated("0", ",", COLUMNS),
                                 gaussian_nb("1", own_matrix(CLASSES, COLUMNS, ones),
                                             own_matrix(CLASSES, COLUMNS, ones), own_array("f8", 8, CLASSES, zeros)))));
    before = m.host.polls;
    assert_status(hbs_score(m.block, &columns, 1, 64, HBS_OUT_VALUES, &result, &m.error), HBS_OK, &m.error);
    assert_true(m.host.polls - before > 12);
    m.host.cancel_at = m.host.polls + 8;
    assert_status(hbs_score(m.block, &columns, 1, 64, HBS_OUT_VALUES, &result, &m.error), HBS_E_CANCEL, &m.error);
    end();
}

static int fresh(void **state)
{
    own_reset();
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(gaussian_nb_sums_in_the_order_of_the_features),
        TEST(likelihoods_may_be_zero),
        TEST(gaussian_nb_of_float32_is_compared_loosely),
        TEST(a_classifier_by_normal_distributions),
        TEST(gaussian_nb_takes_finite_numbers_only),
        TEST(an_intercept_may_be_infinite),
        TEST(links_between_layers),
        TEST(links_keep_nan),
        TEST(a_perceptron_of_two_classes),
        TEST(gaussian_nb_is_strict),
        TEST(every_allocation_may_fail),
        TEST(wide_ones_are_computed_in_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
