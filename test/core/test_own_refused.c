/* test_own_refused.c - hbscore's own format: which rows have no result, or are an error by the option on_missing, since
 * the library refuses their features or what its steps make of them. */
#include "own_scores.h"

/* The operators of a regressor of two features, of which the first may be refused; what the rows
 * {x, 1}, for x missing, infinite, minus infinite, beyond float32, give: 'v' a value, else NULL. */
typedef struct demand {
    const char *name, *ops, *answers;
} demand;

static const double bad_numbers[] = {NAN, INFINITY, -INFINITY, 1e300};

static void check_demand(const demand *d)
{
    double rows[70][2];
    uint32_t output;

    begin(own_regressor(2, d->ops), NULL);
    output = m.info.values_width ? HBS_OUT_VALUES : HBS_OUT_VALUE;
    for (size_t r = 0; r < 70; r++) {
        rows[r][0] = r >= 64 && r < 68 ? bad_numbers[r - 64] : 0.25;
        rows[r][1] = 1;
    }
    score(output, 70, rows[0]);
    for (size_t r = 0; r < 70; r++) {
        bool valid = r < 64 || r >= 68 || d->answers[r - 64] == 'v';

        if (got.valid[r] != valid)
            fail_msg("%s: %g %s", d->name, rows[r][0], valid ? "has no result" : "has a result");
    }
    end();
}

/* The same with on_missing: an error that names the feature and why. */
static void check_demand_error(const demand *d)
{
    static const char *const why[] = {"is missing", "is infinite", "is infinite", "is beyond float32"};
    uint32_t output;

    begin(own_regressor(2, d->ops), "{\"on_missing\":\"error\"}");
    output = m.info.values_width ? HBS_OUT_VALUES : HBS_OUT_VALUE;
    for (size_t i = 0; i < 4; i++) {
        hbs_value row[] = {{.type = HBS_FLOAT64, .as.f64 = bad_numbers[i]}, {.type = HBS_FLOAT64, .as.f64 = 1}};
        double cells[3] = {0.25, bad_numbers[i], 0.25}, ones[3] = {1, 1, 1};
        hbs_column columns[] = {{HBS_FLOAT64, cells, NULL}, {HBS_FLOAT64, ones, NULL}};
        bool valid = d->answers[i] == 'v';
        hbs_status expected = valid ? HBS_OK : HBS_E_ARGS;
        const char *text = own_text("model \"m\": feature 1 %s, and the model cannot take that (option "
                                    "on_missing)",
                                    why[i]);
        hbs_result result;

        assert_status(hbs_score_row(m.one, row, 2, output, &result, &m.error), expected, &m.error);
        if (!valid)
            assert_string_equal(m.error.text, text);
        assert_status(hbs_score(m.block, columns, 2, 3, output, &result, &m.error), expected, &m.error);
        assert_int_equal(result.rows, valid ? 3 : 1);
        if (!valid)
            assert_string_equal(m.error.text, text);
    }
    end();
}

static void rows_that_the_library_refuses_have_no_result(void **state)
{
    for (int error = 0; error < 2; error++) {
        const char *clip = own_text("{\"op\":\"clip\",\"in\":[0],\"lo\":%s,\"hi\":%s}", F8(0), F8(1));
        const own_forest narrow_forest = {.input = "\"f4\""}, takes = {.missing = "1"},
                         other = {.feature = I4(1, -1, -1)}, narrow_takes = {.input = "\"f4\"", .missing = "1"};
        const demand demands[] = {
            {"select", SELECT("0", "0,1"), "vvvv"},
            {"cast", CAST("0"), "vvvv"},
            {"concat", "{\"op\":\"concat\",\"in\":[0,0]}", "vvvv"},
            {"link", own_link("exp", "0"), "vvvv"},
            {"affine", own_affine("0", 2), "v--v"},
            {"clip", clip, "v--v"},
            {"impute", own_impute("0", false), "v--v"},
            {"impute of a number", own_impute("0", true), "---v"},
            {"linear", own_linear("0"), "---v"},
            {"forest", own_forest_of("0", (own_forest){.missing = "0"}), "---v"},
            {"forest that takes missing ones", own_forest_of("0", takes), "v--v"},
            {"forest in float32", own_forest_of("0", narrow_forest), "----"},
            {"forest in float32 that takes missing ones", own_forest_of("0", narrow_takes), "v---"},
            {"forest of the other feature", own_forest_of("0", other), "vvvv"},
            {"affine of a cast", own_text(CAST("0") ",%s", own_affine("1", 2)), "v---"},
            {"cast of an affine", own_text("%s," CAST("1"), own_affine("0", 2)), "v--v"},
            {"linear of an affine", own_text("%s,%s", own_affine("0", 2), own_linear("1")), "---v"},
            {"linear of an imputer", own_text("%s,%s", own_impute("0", false), own_linear("1")), "v--v"},
            {"linear of an imputer of a number", own_text("%s,%s", own_impute("0", true), own_linear("1")), "---v"},
            {"linear of a clip of an imputer",
             own_text("%s,%s,%s", own_impute("0", false),
                      own_text("{\"op\":\"clip\",\"in\":[1],\"lo\":%s,\"hi\":%s}", F8(0), F8(1)), own_linear("2")),
             "v--v"},
            {"linear of a select of the other", own_text(SELECT("0", "1,1") ",%s", own_linear("1")), "vvvv"},
            {"linear of a concat of both",
             own_text(SELECT("0", "1") "," SELECT("0", "0") ",{\"op\":\"concat\",\"in\":[1,2]},%s", own_linear("3")),
             "---v"},
            {"an affine that nobody needs", own_text("%s," SELECT("0", "1"), own_affine("0", 2)), "vvvv"},
            {"columns of an affine that are dropped", own_text("%s," SELECT("1", "1"), own_affine("0", 2)), "vvvv"},
            {"columns of a linear one's own",
             own_text(SELECT("0", "1") "," SELECT("0", "0") "," SELECT("0", "1") ",%s,%s",
                      "{\"op\":\"concat\",\"in\":[1,3]}", own_linear("4")),
             "vvvv"},
        };

        for (size_t i = 0; i < sizeof demands / sizeof *demands; i++) {
            if (error)
                check_demand_error(&demands[i]);
            else
                check_demand(&demands[i]);
        }
    }
}

/* x * 1e200 + y: beyond float64 from about 1.8e108 on. */
#define LARGE(in)          "{\"op\":\"affine\",\"in\":[" in "],\"kind\":\"mul_add\",\"dtype\":\"f8\",\"a\":%s,\"b\":%s}"
#define GUARD(in, missing) "{\"op\":\"guard\",\"in\":[" in "],\"missing\":" missing "}"

static const char *guarded(const char *guard)
{
    return own_text(LARGE("0") ",%s,%s", F8(1e200, 1), F8(0, 0), guard, own_linear("2"));
}

/* Rows of a tile by themselves; a number that the features cannot take is refused as ever. */
static void a_guard_refuses_what_overflows(void **state)
{
    static const double rows[70][2] = {{1e150, 1}, {2, 3}, {-1e109, 0}, {0, 1e308}, {NAN, 1}};

    begin(own_regressor(2, guarded(GUARD("1", "0"))), NULL);
    score(HBS_OUT_VALUE, 70, rows[0]);
    for (size_t r = 0; r < 70; r++)
        assert_int_equal(got.valid[r], r != 0 && r != 2 && r != 4);
    is(1, 0, 2e200 + 3);
    is(3, 0, 1e308);
    is(69, 0, 0);
    end();
    begin(own_regressor(2, own_text(LARGE("0") ",%s", F8(1e200, 1), F8(0, 0), own_linear("1"))), NULL);
    score(HBS_OUT_VALUE, 5, rows[0]); /* without one they go on */
    is(0, 0, INFINITY);
    end();
}

/* The same with on_missing; rows before the first one have their results. */
static void a_guard_may_be_an_error(void **state)
{
    double first[] = {1, 2, 1e200, 1}, second[] = {1, 1, 1, 1};
    hbs_column columns[] = {{HBS_FLOAT64, first, NULL}, {HBS_FLOAT64, second, NULL}};
    hbs_value row[] = {{.type = HBS_FLOAT64, .as.f64 = 1e200}, {.type = HBS_INT64, .as.i64 = 1}};
    static const char text[] = "model \"m\": a step of the pipeline makes a number that is missing or infinite, "
                               "and the next cannot take that (option on_missing)";
    hbs_result result;

    begin(own_regressor(2, guarded(GUARD("1", "0"))), "{\"on_missing\":\"error\"}");
    assert_status(hbs_score(m.block, columns, 2, 4, HBS_OUT_VALUE, &result, &m.error), HBS_E_ARGS, &m.error);
    assert_string_equal(m.error.text, text);
    assert_int_equal(result.rows, 2);
    assert_true(result.value[1] == 2e200 + 1);
    assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_VALUE, &result, &m.error), HBS_E_ARGS, &m.error);
    assert_string_equal(m.error.text, text);
    end();
}

/* A category that becomes NaN, in front of a sum that takes none and a forest that does. */
static void a_guard_looks_for_nan_where_it_is_refused(void **state)
{
    static const double rows[3] = {1, 2, 3};
    const char *ordinal = own_text("{\"op\":\"ordinal\",\"in\":[0],\"columns\":[{\"values\":%s,\"missing\":0,"
                                   "\"map\":%s,\"unknown\":\"error\"}]}",
                                   F8(1, 2, 3), F8(0, NAN, 2));
    const char *sum = own_text("{\"op\":\"linear\",\"in\":[2],\"coef\":%s,\"intercept\":%s}", ROWS(1, 1, 1), F8(0));
    const char *forest = own_forest_of("2", (own_forest){.missing = "1"});

    for (size_t turn = 0; turn < 3; turn++) {
        begin(own_regressor(1, own_text("%s,%s,%s", ordinal, turn == 1 ? GUARD("1", "1") : GUARD("1", "0"),
                                        turn < 2 ? sum : forest)),
              NULL);
        score(HBS_OUT_VALUE, 3, rows);
        assert_true(got.valid[0] && got.valid[2]);
        assert_int_equal(got.valid[1], turn > 0); /* said to take it, or nothing behind asks */
        end();
    }
}

static void a_refused_row_names_its_feature(void **state)
{
    hbs_value row[] = {{.type = HBS_FLOAT64, .as.f64 = 1}, {.type = HBS_NULL}};
    hbs_result result;

    begin(own_regressor(2, own_linear("0")), "{\"features\":[\"a\",\"b\"],\"on_missing\":\"error\"}");
    assert_status(hbs_score_row(m.one, row, 2, HBS_OUT_VALUE, &result, &m.error), HBS_E_ARGS, &m.error);
    assert_string_equal(m.error.text, "model \"m\": feature \"b\" is missing, and the model cannot take "
                                      "that (option on_missing)");
    end();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(rows_that_the_library_refuses_have_no_result),
        TEST(a_guard_refuses_what_overflows),
        TEST(a_guard_may_be_an_error),
        TEST(a_guard_looks_for_nan_where_it_is_refused),
        TEST(a_refused_row_names_its_feature),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
