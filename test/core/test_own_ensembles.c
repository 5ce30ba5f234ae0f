/* test_own_ensembles.c - hbscore's own format: trees that test sets of categories, codes, and the operators that
 * make one answer of many trees', each against plain C, in a block and row by row. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary64.h"
#include "kernel/weighted_median64.h"
#include "own_writer.h"

enum { MOST_FEATURES = 12, MOST_ROWS = 200 };

static double answers[MOST_ROWS];
static bool valid[MOST_ROWS];

/* The one number that each of n rows gives, the same bits in a block and by itself. */
static void score(const char *json, size_t features, size_t n, const double *rows)
{
    static double cells[MOST_FEATURES][MOST_ROWS];
    hbs_column columns[MOST_FEATURES];
    hbs_result block, one;
    hbs_error error;
    test_host host;
    hbs_plan *plan;
    hbs_run *run, *single;

    test_host_init(&host);
    plan = test_compile(&host.host, json, NULL);
    run = test_run(&host.host, plan, MOST_ROWS);
    single = test_run(&host.host, plan, 1);
    for (size_t f = 0; f < features; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < n; r++)
            cells[f][r] = rows[r * features + f];
    }
    assert_status(hbs_score(run, columns, features, n, HBS_OUT_VALUE, &block, &error), HBS_OK, &error);
    for (size_t r = 0; r < n; r++) {
        hbs_value row[MOST_FEATURES];

        for (size_t f = 0; f < features; f++)
            row[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = rows[r * features + f]};
        assert_status(hbs_score_row(single, row, features, HBS_OUT_VALUE, &one, &error), HBS_OK, &error);
        answers[r] = block.value[r];
        valid[r] = block.valid[r / 64] >> (r % 64) & 1;
        assert_int_equal(one.valid[0] & 1, valid[r]);
        if (valid[r])
            assert_memory_equal(one.value, &answers[r], sizeof(double));
    }
    hbs_run_free(run);
    hbs_run_free(single);
    hbs_plan_free(plan);
    test_host_end(&host);
}

static int fresh(void **state)
{
    own_reset();
    return 0;
}

/* ------------------------------------------------------------------ sets */

/* Root: a set of feature 0, {1, 33, 64}; on its left a number test of feature 1, on its right a set of feature
 * 0 again, {2}, that sends what is missing to the left. */
static const char *tree_of_sets(uint8_t root_missing)
{
    return own_forest_of("0", (own_forest){.start = I4(0, 7),
                                           .left = I4(1, 3, 5, -1, -1, -1, -1),
                                           .right = I4(2, 4, 6, -1, -1, -1, -1),
                                           .feature = I4(0, 1, 0, -1, -1, -1, -1),
                                           .threshold = F8(0, 0.5, 0, 0, 0, 0, 0),
                                           .sets = own_sets(I4(0, 2), I4(0, 3, 4), I4(2, 2, 1, 4)),
                                           .missing_left = U1(root_missing, 0, 1, 0, 0, 0, 0),
                                           .cover = F8(7, 4, 3, 1, 3, 2, 1),
                                           .value = ROWS(4, 1, 10, 20, 30, 40),
                                           .missing = "2"});
}

static double expected_of_sets(bool root_missing, double code, double x)
{
    bool member = code == 1 || code == 33 || code == 64, left = member != root_missing;

    if (left)
        return x <= 0.5 ? 10 : 20;
    return code == 2 ? 40 : 30;
}

static void members_go_away_from_what_is_missing(void **state)
{
    static const double codes[] = {0,  1,  2,   3,   31,  32, 33, 63,  64,       65,
                                   95, 96, 255, 1e9, 3e9, -1, -7, NAN, INFINITY, -INFINITY};
    enum { N = sizeof codes / sizeof *codes };
    double rows[2 * N][2];

    for (uint8_t missing = 0; missing < 2; missing++) {
        for (size_t i = 0; i < 2 * N; i++) {
            rows[i][0] = codes[i / 2];
            rows[i][1] = i % 2 ? 1 : 0.5;
        }
        score(own_regressor(2, tree_of_sets(missing)), 2, 2 * N, rows[0]);
        for (size_t i = 0; i < 2 * N; i++) {
            assert_true(valid[i]);
            assert_true(answers[i] == expected_of_sets(missing, rows[i][0], rows[i][1]));
        }
    }
}

/* A set without a member: all goes where a missing value goes. */
static void a_set_may_be_empty(void **state)
{
    const double rows[] = {0, 5, NAN};

    for (uint8_t missing = 0; missing < 2; missing++) {
        score(own_regressor(1, own_forest_of("0", (own_forest){.sets = own_sets(I4(0), I4(0, 1), I4(0)),
                                                               .missing_left = U1(missing, 0, 0),
                                                               .missing = "1"})),
              1, 3, rows);
        for (size_t r = 0; r < 3; r++)
            assert_true(answers[r] == (missing ? 1 : 2));
    }
}

/* What a forest takes: nothing that is missing, NaN, infinities too. */
static void a_forest_says_what_it_takes(void **state)
{
    static const char *const missing[] = {"0", "1", "2"};
    const double rows[] = {NAN, INFINITY, -INFINITY, 1e300, 0};

    for (int takes = 0; takes < 3; takes++)
        for (int narrow = 0; narrow < 2; narrow++) {
            score(own_regressor(1, own_forest_of("0", (own_forest){.input = narrow ? "\"f4\"" : "\"f8\"",
                                                                   .missing = missing[takes]})),
                  1, 5, rows);
            assert_int_equal(valid[0], takes > 0);
            assert_int_equal(valid[1], takes == 2);
            assert_int_equal(valid[2], takes == 2);
            assert_int_equal(valid[3], takes == 2 || !narrow);
            assert_true(valid[4] && answers[4] == 1);
            if (takes == 2)
                assert_true(answers[0] == 2 && answers[1] == 2 && answers[2] == 1 && answers[3] == 2);
        }
}

/* The other columns of the table are where the sums begin; what becomes of them is asked of them alone. */
static void sums_start_from_a_second_input(void **state)
{
    const char *ops =
        own_text("%s,%s", SELECT("0", "1"), own_forest_of("0,1", (own_forest){.divide = F8(4), .missing = "0"}));
    const double rows[][2] = {{0, 0.1}, {1, 0.1}, {1, NAN}, {1, INFINITY}, {NAN, 0}};

    score(own_regressor(2, ops), 2, 5, rows[0]);
    assert_true(valid[0] && answers[0] == (0.1 + 1) / 4);
    assert_true(valid[1] && answers[1] == (0.1 + 2) / 4);
    assert_true(valid[2] && isnan(answers[2]));
    assert_true(valid[3] && answers[3] == INFINITY);
    assert_false(valid[4]);
}

/* ------------------------------------------------------------------ codes */

static void a_code_is_what_c_cuts_a_number_to(void **state)
{
    static const double in[] = {0,       -0.0, 0.999, 1,          1.5,          255,          255.9,        256,
                                257.5,   511,  65535, 2147483647, 2147483647.5, 2147483648.0, 4294967297.0, 1e300,
                                INFINITY},
                        out[] = {0, 0, 0, 1, 1, 255, 255, 0, 1, 255, 255, 255, 255, 0, 0, 0, 0},
                        none[] = {-0.1, -1, -1e300, -INFINITY, NAN, -0x1p-1074};
    const char *cast = "{\"op\":\"cast\",\"in\":[0],\"to\":\"u1\"}";

    score(own_regressor(1, cast), 1, sizeof in / sizeof *in, in);
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_true(valid[i] && answers[i] == out[i] && !signbit(answers[i]));
    score(own_regressor(1, cast), 1, sizeof none / sizeof *none, none);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_true(isnan(answers[i]));
}

/* ------------------------------------------------------------------ isolation */

static const char *isolation(double offset, double border)
{
    return own_text("{\"op\":\"isolation\",\"in\":[0],\"offset\":%s,\"border\":%s}", F8(offset), F8(border));
}

static void isolation_is_a_power_less_the_offset(void **state)
{
    double rows[MOST_ROWS];

    for (size_t r = 0; r < MOST_ROWS; r++)
        rows[r] = (double)r / 37;
    score(own_regressor(1, isolation(-0.5, 1)), 1, MOST_ROWS, rows);
    for (size_t r = 0; r < MOST_ROWS; r++) {
        assert_true(answers[r] == 0.5 - hb_exp2_64(-rows[r]));
        assert_true((answers[r] >= 0) == (rows[r] >= 1));
    }
}

/* Where the power rounds to another side than the library's, the border decides. */
static void the_border_decides_the_side(void **state)
{
    const double rows[] = {0, 0.5, nextafter(1, 0), 1, nextafter(1, 2), 1.5, 2, INFINITY};

    score(own_regressor(1, isolation(-0.5, 1.5)), 1, 8, rows);
    for (size_t r = 0; r < 8; r++)
        assert_int_equal(answers[r] >= 0, rows[r] >= 1.5);
    assert_true(answers[3] == -DBL_TRUE_MIN && answers[4] == -DBL_TRUE_MIN && answers[0] == -0.5);
    score(own_regressor(1, isolation(-0.5, 0.5)), 1, 8, rows);
    for (size_t r = 0; r < 8; r++)
        assert_int_equal(answers[r] >= 0, rows[r] >= 0.5);
    assert_true(answers[1] == 0 && answers[2] == 0 && answers[7] == 0.5);
    score(own_regressor(1, isolation(0.25, INFINITY)), 1, 7, rows);
    for (size_t r = 0; r < 7; r++)
        assert_true(answers[r] < 0);
}

/* ------------------------------------------------------------------ weighted median */

/* Of each number the weights of all that are not behind it: the least number with half of all. */
static double plain_median(const double *x, const double *weights, size_t n)
{
    double order[MOST_FEATURES], by[MOST_FEATURES], total = 0, sum = 0;

    for (size_t i = 0; i < n; i++) { /* insertion, which keeps the order of equal ones */
        size_t at = i;

        for (; at > 0 && x[i] < order[at - 1]; at--) {
            order[at] = order[at - 1];
            by[at] = by[at - 1];
        }
        order[at] = x[i];
        by[at] = weights[i];
    }
    for (size_t i = 0; i < n; i++)
        total += by[i];
    for (size_t i = 0; i < n; i++) {
        sum += by[i];
        if (sum >= 0.5 * total)
            return order[i];
    }
    return order[n - 1];
}

static void the_median_is_in_the_middle_of_the_weights(void **state)
{
    uint64_t random = 11;
    double rows[MOST_ROWS][MOST_FEATURES], weights[MOST_FEATURES];

    for (size_t n = 1; n <= MOST_FEATURES; n++)
        for (int turn = 0; turn < 6; turn++) {
            own_reset();
            for (size_t i = 0; i < n; i++) {
                double w = (double)(test_random(&random) % 1000) / 7;

                weights[i] = turn == 0            ? 0
                             : turn == 1          ? 1
                             : turn == 2          ? (double)(i % 3)
                             : turn == 3 && i % 3 ? INFINITY
                                                  : w;
            }
            for (size_t r = 0; r < MOST_ROWS * n; r++) /* many of them equal */
                (&rows[0][0])[r] = (double)(int64_t)(test_random(&random) % 9) - 4;
            score(own_regressor(n, own_text("{\"op\":\"weighted_median\",\"in\":[0],\"weights\":%s}",
                                            own_array("f8", 8, n, weights))),
                  n, MOST_ROWS, rows[0]);
            for (size_t r = 0; r < MOST_ROWS; r++)
                assert_true(answers[r] == plain_median(&rows[0][0] + r * n, weights, n));
        }
}

static double median_of(const double *x, size_t width, const double *weights)
{
    static uint16_t order[1 << 16];
    hb_median m = {x, width, 1, weights, order};

    hb_median_begin(&m);
    for (size_t i = 0; i < hb_median_steps(&m); i++)
        hb_median_step(&m, i);
    return hb_median_end(&m);
}

/* NaN stands last, and weights may overflow. */
static void the_median_of_strange_numbers(void **state)
{
    static const double ones[] = {1, 1, 1}, huge[] = {DBL_MAX, DBL_MAX, DBL_MAX}, infinite[] = {1, INFINITY, INFINITY};
    static const double a[] = {NAN, 2, 1}, b[] = {NAN, NAN, 1}, c[] = {INFINITY, -INFINITY, 5};

    assert_true(median_of(a, 3, ones) == 2);
    assert_true(isnan(median_of(b, 3, ones)));
    assert_true(median_of(c, 3, ones) == 5);
    assert_true(median_of(c, 3, huge) == 5); /* 2 DBL_MAX is infinite, and so is half of all */
    assert_true(median_of(a, 3, infinite) == 1);
    assert_true(median_of(c, 3, infinite) == -INFINITY);
    assert_true(isnan(median_of(a, 1, ones)));
}

static void a_median_of_the_most_numbers(void **state)
{
    enum { MOST = 1 << 16 };
    static double x[MOST], weights[MOST];

    for (size_t i = 0; i < MOST; i++) {
        x[i] = (double)(i * 7919 % MOST);
        weights[i] = 1;
    }
    assert_true(median_of(x, MOST, weights) == MOST / 2 - 1);
    weights[0] = MOST; /* of the number 0 */
    assert_true(median_of(x, MOST, weights) == 0);
}

/* Their order has no place on the stack: 3,001 columns of two features, in one row and in several. */
static void a_median_of_many_numbers(void **state)
{
    enum { MANY = 3001, FIRST = 1400 };
    static double weights[MANY];
    double rows[3][2] = {{1, 2}, {2, 1}, {-5, -5}};
    const char *ops;

    for (size_t i = 0; i < MANY; i++)
        weights[i] = 1;
    own_reset();
    ops = own_text("{\"op\":\"select\",\"in\":[0],\"cols\":[%s,%s]},"
                   "{\"op\":\"weighted_median\",\"in\":[1],\"weights\":%s}",
                   own_repeated("0", ",", FIRST), own_repeated("1", ",", MANY - FIRST),
                   own_array("f8", 8, MANY, weights));
    for (size_t n = 1; n <= 3; n++) {
        score(own_regressor(2, ops), 2, n, rows[0]);
        for (size_t r = 0; r < n; r++)
            assert_true(answers[r] == rows[r][1]);
    }
}

/* ------------------------------------------------------------------ difference */

static void the_difference_of_two_scores(void **state)
{
    const double rows[][2] = {{1, 3}, {0.1, 0.3}, {-0.0, 0.0}, {1e308, -1e308}, {5, 5}};

    score(own_regressor(2, own_link("difference", "0")), 2, 5, rows[0]);
    for (size_t r = 0; r < 5; r++)
        assert_true(answers[r] == rows[r][1] - rows[r][0]);
}

#define TEST(name) cmocka_unit_test_setup(name, fresh)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(members_go_away_from_what_is_missing),
        TEST(a_set_may_be_empty),
        TEST(a_forest_says_what_it_takes),
        TEST(sums_start_from_a_second_input),
        TEST(a_code_is_what_c_cuts_a_number_to),
        TEST(isolation_is_a_power_less_the_offset),
        TEST(the_border_decides_the_side),
        TEST(the_median_is_in_the_middle_of_the_weights),
        TEST(the_median_of_strange_numbers),
        TEST(a_median_of_the_most_numbers),
        TEST(a_median_of_many_numbers),
        TEST(the_difference_of_two_scores),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
