/* test_own_arithmetic.c - hbscore's own format: functions of numbers one by one, distances from stored rows, the
 * nearest, numbers at places and pairs of classes: what they give, what is refused and with which words. */
#include "own_scores.h"

#include <stdio.h>
#include <string.h>

#include "base/arithmetic64.h"

enum { FEATURES = 3 };

/* The results of one row as a text. */
static void gives(const char *ops, double a, double b, double c, const char *expected)
{
    const double row[FEATURES] = {a, b, c};
    char shown[400] = "";
    uint32_t output;

    begin(own_regressor(FEATURES, ops), NULL);
    output = m.info.values_width > 1 ? HBS_OUT_VALUES : HBS_OUT_VALUE;
    score(output, 1, row);
    assert_true(got.valid[0]);
    for (size_t i = 0; i < width_of(output); i++)
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%.12g", i ? " " : "", got.numbers[0][i]);
    assert_string_equal(shown, expected);
    end();
    own_reset();
}

/* ------------------------------------------------------------------ one number */

static const char *map(const char *function, const char *dtype)
{
    return own_text("{\"op\":\"map\",\"in\":[0],\"function\":\"%s\",\"dtype\":\"%s\"}", function, dtype);
}

static void functions_of_one_number(void **state)
{
    gives(map("abs", "f8"), -1.5, 0, 2, "1.5 0 2");
    gives(map("negative", "f8"), -1.5, 0, 2, "1.5 -0 -2");
    gives(map("sqrt", "f8"), 4, 0, 2, "2 0 1.41421356237");
    gives(map("exp", "f8"), 0, 1, -1, "1 2.71828182846 0.367879441171");
    gives(map("log", "f8"), 1, 10, 0, "0 2.30258509299 -inf");
    gives(map("reciprocal", "f8"), 4, -0.5, 1e300, "0.25 -2 1e-300");
    gives(map("floor", "f8"), -1.5, 0, 2.5, "-2 0 2");
    gives(map("ceil", "f8"), -1.5, 0, 2.5, "-1 0 3");
    gives(map("rint", "f8"), -1.5, 0.5, 2.5, "-2 0 2");
    gives(map("trunc", "f8"), -1.5, 0.5, 2.5, "-1 0 2");
    gives(map("sign", "f8"), -1.5, 0, 2.5, "-1 0 1");
    gives(map("sigmoid", "f8"), 0, 1, -1, "0.5 0.73105857863 0.26894142137");
    gives(map("tanh", "f8"), 0, 1, -30, "0 0.761594155956 -1");
    gives(map("softplus", "f8"), 0, 1, 800, "0.69314718056 1.31326168752 800");
    gives(map("erf", "f8"), 0, 1, -7, "0 0.84270079295 -1");
    gives(map("not", "f8"), 0, 1, -7, "1 0 0");
    gives(map("truth", "f8"), 0, 1, -7, "0 1 1");
    gives(map("isnan", "f8"), 0, 1, -7, "0 0 0");
    gives(map("isfinite", "f8"), 0, 1, -7, "1 1 1");
    gives(map("log1p", "f8"), 0, 1e-20, -0.5, "0 1e-20 -0.69314718056");
    gives(map("expm1", "f8"), -0.0, 1e-20, 1, "-0 1e-20 1.71828182846");
    gives(map("log2", "f8"), 8, 0.25, 10, "3 -2 3.32192809489");
    gives(map("log10", "f8"), 1000, 0.01, 2, "3 -2 0.301029995664");
    gives(map("exp2", "f8"), 3, -1, 0.5, "8 0.5 1.41421356237");
    gives(map("square", "f8"), 3, -1, 0.5, "9 1 0.25");
    gives(map("cbrt", "f8"), 27, -1, 1e-300, "3 -1 1e-100");
    gives(map("ndtri", "f8"), 0.5, 0.975, 1e-300, "0 1.95996398454 -37.0470962994");
    gives(map("square", "i8"), 4294967296, 4294967297, 3037000500, "0 8589934593 -9.22337203671e+18");
    gives(map("square", "i8"), 9007199254740992, -9007199254740993, -0.5, "0 0 0.25");
    gives(map("square", "i8"), 9007199254740994, INFINITY, 0x1p63, "inf inf inf");
    gives(map("square", "u8"), 4294967295, -1, 3037000500, "1.84467440651e+19 inf 9.223372037e+18");
    gives(map("square", "i1"), 16, -128, 128, "0 0 inf");
    gives(map("square", "u1"), 17, 255, 256, "33 1 inf");
    gives(map("square", "i2"), 300, -32768, 40000, "24464 0 inf");
    gives(map("square", "u2"), 300, 65535, 2.5, "24464 1 6.25");
    gives(map("square", "i4"), 46341, 2147483647, -2147483649.0, "-2147479015 1 inf");
    gives(map("square", "u4"), 65536, 4294967295, 4294967296, "0 1 inf");
    gives(map("negative", "i1"), -128, 5, 1.5, "-128 -5 -1.5");
    gives(map("negative", "u1"), 1, 0, 200, "255 0 56");
    gives(map("abs", "i2"), -32768, -7, -0.5, "-32768 7 0.5");
    gives(map("reciprocal", "i4"), 0, -1, 2, "inf -1 0");
    gives(map("half", "f8"), 2049, 2051, 65519.999, "2048 2052 65504");
    gives(map("half", "f8"), -65520, 0x1.8p-24, -0x1p-25, "-inf 1.19209289551e-07 -0");
    gives(map("half", "f8"), 1.00048828125, 1.000488281250001, NAN, "1 1.0009765625 nan");
    gives(map("square", "f4"), 0.1, 16777217, 1e30, "0.00999999977648 2.81475010265e+14 inf");
}

static void missing_and_infinite_numbers_go_through(void **state)
{
    gives(map("isnan", "f8"), NAN, 1, INFINITY, "1 0 0");
    gives(map("isfinite", "f8"), NAN, 1, -INFINITY, "0 1 0");
    gives(map("exp", "f8"), NAN, INFINITY, -INFINITY, "nan inf 0");
    gives(map("log", "f8"), NAN, INFINITY, -1, "nan inf nan");
}

/* ------------------------------------------------------------------ two numbers */

static const char *combine(const char *function, const char *in, const char *rest)
{
    return own_text("{\"op\":\"combine\",\"in\":[%s],\"function\":\"%s\",\"dtype\":\"f8\"%s}", in, function, rest);
}

static const char *with(const char *function, const char *numbers, int first)
{
    return combine(function, "0", own_text(",\"numbers\":%s,\"first\":%d", numbers, first));
}

static void functions_of_two_numbers(void **state)
{
    gives(with("add", F8(1, 2, 3), 0), 1, 2, 3, "2 4 6");
    gives(with("subtract", F8(1), 0), 1, 2, 3, "0 1 2");
    gives(with("subtract", F8(1), 1), 1, 2, 3, "0 -1 -2");
    gives(with("multiply", F8(2, 0, -1), 1), 1, 2, 3, "2 0 -3");
    gives(with("divide", F8(2, 0, -1), 0), 1, 2, 3, "0.5 inf -3");
    gives(with("power", F8(2, 0.5, -1), 0), 3, 2, 4, "9 1.41421356237 0.25");
    gives(with("power", F8(2), 1), 3, 0, -1, "8 1 0.5");
    gives(with("mod", F8(3), 0), 7, -7, 2.5, "1 2 2.5");
    gives(with("fmod", F8(3), 0), 7, -7, 2.5, "1 -1 2.5");
    gives(with("maximum", F8(0), 0), 7, -7, 2.5, "7 0 2.5");
    gives(with("minimum", F8(0), 0), 7, -7, 2.5, "0 -7 0");
    gives(with("eq", F8(2), 0), 1, 2, 3, "0 1 0");
    gives(with("lt", F8(2), 0), 1, 2, 3, "1 0 0");
    gives(with("le", F8(2), 0), 1, 2, 3, "1 1 0");
    gives(with("gt", F8(2), 0), 1, 2, 3, "0 0 1");
    gives(with("ge", F8(2), 0), 1, 2, 3, "0 1 1");
    gives(with("and", F8(1, 0, 1), 0), 1, 2, 0, "1 0 0");
    gives(with("or", F8(1, 0, 0), 0), 0, 2, 0, "1 1 0");
    gives(with("xor", F8(1, 0, 1), 0), 0, 2, 3, "1 1 0");
    gives(combine("divide", "0,0", ""), 1, 2, 0, "1 1 nan");
}

/* A column beside three. */
static void one_column_stands_for_several(void **state)
{
    const char *ops = SELECT("0", "1");

    gives(own_text("%s,%s", ops, combine("subtract", "0,1", "")), 1, 2, 3, "-1 0 1");
    ops = SELECT("0", "1");
    gives(own_text("%s,%s", ops, combine("subtract", "1,0", "")), 1, 2, 3, "1 0 -1");
    gives(with("bessel_k", F8(0.7), 0), 0.5, 2, 30, "1.23845792707 0.126013271307 2.14968073179e-14");
    gives(with("bessel_k", F8(0.7), 0), 0, -1, 800, "inf nan 0");
    ops = SELECT("0", "1");
    gives(own_text("%s,%s", ops, combine("add", "1", own_text(",\"numbers\":%s,\"first\":0", F8(1, 2)))), 1, 2, 3,
          "3 4");
}

static void one_of_two_numbers(void **state)
{
    const char *condition = with("gt", F8(0), 0);

    gives(own_text("%s,{\"op\":\"choose\",\"in\":[1],\"yes\":%s,\"no\":%s}", condition, F8(1), F8(NAN, -1, -2)), 1, -1,
          0, "1 -1 -2");
    condition = with("gt", F8(0), 0);
    gives(own_text("%s,{\"op\":\"choose\",\"in\":[1,0],\"yes\":%s}", condition, F8(7)), 1, -1, 0, "7 -1 0");
    condition = with("gt", F8(0), 0);
    gives(own_text("%s,{\"op\":\"choose\",\"in\":[1,0],\"no\":%s}", condition, F8(7)), 1, -1, 0, "1 7 7");
    condition = own_text(SELECT("0", "0") "," SELECT("0", "2"));
    gives(own_text("%s,{\"op\":\"choose\",\"in\":[1,0,2]}", condition), 1, -1, 5, "1 -1 5");
    condition = own_text(SELECT("0", "0") "," SELECT("0", "2"));
    gives(own_text("%s,{\"op\":\"choose\",\"in\":[1,0,2]}", condition), 0, -1, 5, "5 5 5");
}

/* ------------------------------------------------------------------ a row's numbers */

static const char *reduce(const char *function, const char *in, int terms)
{
    return own_text("{\"op\":\"reduce\",\"in\":[%s],\"function\":\"%s\",\"dtype\":\"f8\",\"terms\":%d}", in, function,
                    terms);
}

static void functions_of_a_row(void **state)
{
    gives(reduce("sum", "0", 3), 1, -2, 3, "2");
    gives(reduce("mean", "0", 3), 1, -2, 4, "1");
    gives(reduce("product", "0", 3), 1, -2, 3, "-6");
    gives(reduce("max", "0", 3), 1, -2, 3, "3");
    gives(reduce("min", "0", 3), 1, -2, 3, "-2");
    gives(reduce("sum_abs", "0", 3), 1, -2, 3, "6");
    gives(reduce("sum_squares", "0", 3), 1, -2, 3, "14");
    gives(reduce("length", "0", 3), 2, -2, 1, "3");
    gives(reduce("logsumexp", "0", 3), 0, 0, 1000, "1000");
    gives(reduce("argmax", "0", 3), 1, 3, 3, "1");
    gives(reduce("argmin", "0", 3), 1, -2, 3, "1");
    gives(reduce("argmax_last", "0", 3), 3, 1, 3, "2");
    gives(reduce("sum", "0", 1), 1, -2, 3, "1 -2 3");
    gives(own_text(SELECT("0", "0,1,2,0") ",%s", reduce("sum", "1", 2)), 1, -2, 3, "-1 4");
}

/* ------------------------------------------------------------------ stored rows */

static const char *pairwise(const char *metric, const char *rows)
{
    return own_text("{\"op\":\"pairwise\",\"in\":[0],\"metric\":\"%s\",\"rows\":%s}", metric, rows);
}

#define TWO ROWS(2, 3, 0, 0, 0, 1, 2, 5)

static void distances_from_stored_rows(void **state)
{
    gives(pairwise("dot", TWO), 1, 2, 3, "0 20");
    gives(pairwise("sqeuclidean", TWO), 1, 2, 3, "14 4");
    gives(pairwise("cityblock", TWO), 1, 2, 3, "6 2");
    gives(pairwise("chebyshev", TWO), 1, 2, 3, "3 2");
    gives(own_text("{\"op\":\"pairwise\",\"in\":[0],\"metric\":\"minkowski\",\"power\":%s,\"rows\":%s}", F8(3), TWO), 1,
          2, 3, "36 8");
    gives(pairwise("canberra", TWO), 1, 2, 3, "3 0.25");
    gives(pairwise("hamming", TWO), 1, 2, 3, "3 1");
    gives(pairwise("braycurtis", ROWS(2, 3, 0, 0, 0, 1, -2, 5)), 1, 2, 3, "1 0.428571428571");
    gives(pairwise("braycurtis", ROWS(1, 3, 0, 0, 0)), 0, 0, 0, "0");
    gives(pairwise("cosine", ROWS(2, 3, 1, 0, 0, 0, 0.6, 0.8)), 0, 1, 0, "1 0.4");
    gives(pairwise("jaccard", ROWS(3, 3, 1, 0, 0, 0, 0, 1, 0, 0, 0)), 0, 1, 5, "1 0.5 1");
    gives(pairwise("chi2", TWO), 1, 2, 3, "6 0.5");
    gives(pairwise("chi2", ROWS(1, 3, 0, 2, 1)), 0, 2, 3, "1");
    gives(pairwise("nan_euclidean", ROWS(3, 3, 0, NAN, 0, 1, 2, 5, NAN, 7, NAN)), 1, NAN, 3, "15 6 nan");
    gives(pairwise("dot", "{\"dtype\":\"f4\",\"shape\":[1,3],\"data\":\"AACAPwAAgD8AAABA\"}"), 1, 2, 3, "9");
}

static const char *neighbours(const char *metric, int k, const char *rows)
{
    return own_text("{\"op\":\"neighbours\",\"in\":[0],\"metric\":\"%s\",\"k\":%d,\"rows\":%s}", metric, k, rows);
}

#define NINE ROWS(9, 3, 0, 0, 0, 1, 2, 5, 1, 2, 4, 9, 9, 9, 1, 2, 3, -1, 0, 1, 1, 2, 4, 5, 5, 5, 7, 0, 7)

static void nearest_stored_rows(void **state)
{
    gives(neighbours("sqeuclidean", 3, NINE), 1, 2, 3, "0 1 1 4 2 6");
    gives(neighbours("cityblock", 1, TWO), 1, 2, 3, "2 1");
    gives(neighbours("chebyshev", 2, TWO), 1, 2, 3, "2 3 1 0");
    gives(own_text("{\"op\":\"neighbours\",\"in\":[0],\"metric\":\"minkowski\",\"power\":%s,\"k\":1,\"rows\":%s}",
                   F8(3), TWO),
          1, 2, 3, "8 1");
    gives(neighbours("canberra", 1, TWO), 1, 2, 3, "0.25 1");
    gives(neighbours("hamming", 2, TWO), 1, 2, 3, "1 3 1 0");
    gives(neighbours("braycurtis", 2, ROWS(2, 3, 0, 0, 0, 1, -2, 5)), 1, 2, 3, "0.428571428571 1 1 0");
    gives(neighbours("cosine", 2, ROWS(2, 3, 1, 0, 0, 0, 0.6, 0.8)), 0, 1, 0, "0.4 1 1 0");
    gives(neighbours("jaccard", 2, ROWS(2, 3, 1, 0, 0, 0, 0, 1)), 0, 1, 5, "0.5 1 1 0");
    gives(neighbours("jaccard", 1, ROWS(1, 3, 0, 0, 0)), 0, 0, 0, "0 0");
    gives(neighbours("chi2", 2, TWO), 1, 2, 3, "0.5 6 1 0");
    gives(neighbours("nan_euclidean", 3, ROWS(3, 3, NAN, 7, NAN, 0, NAN, 0, 1, 2, 5)), 1, NAN, 3, "6 15 inf 2 1 0");
}

static const char *imputer(const char *weights, int k, const char *rows, const char *fill)
{
    return own_text("{\"op\":\"impute_nearest\",\"in\":[0],\"k\":%d,\"weights\":\"%s\",\"rows\":%s,\"fill\":%s}", k,
                    weights, rows, fill);
}

static void missing_numbers_become_those_of_the_nearest_rows(void **state)
{
    const char *rows = ROWS(4, 3, 0, 0, 10, 1, 2, 20, 4, NAN, 40, NAN, NAN, 50);

    gives(imputer("uniform", 1, rows, F8(7, 8, 9)), 1, 2, NAN, "1 2 20");
    rows = ROWS(4, 3, 0, 0, 10, 1, 2, 20, 4, NAN, 40, NAN, NAN, 50);
    gives(imputer("uniform", 2, rows, F8(7, 8, 9)), 1, 1, NAN, "1 1 15");
    rows = ROWS(4, 3, 0, 0, 10, 1, 2, 20, 4, NAN, 40, NAN, NAN, 50);
    gives(imputer("distance", 3, rows, F8(7, 8, 9)), 1, 2, NAN, "1 2 20");
    rows = ROWS(2, 3, 0, 0, 10, 3, 0, 40);
    gives(imputer("distance", 2, rows, F8(7, 8, 9)), 1, 0, NAN, "1 0 20");
    rows = ROWS(1, 3, NAN, 0, NAN);
    gives(imputer("uniform", 2, rows, F8(7, 8, 9)), NAN, 1, NAN, "7 1 9");
    rows = ROWS(1, 3, 1, 2, 3);
    gives(imputer("uniform", 2, rows, F8(7, 8, 9)), NAN, NAN, NAN, "7 8 9");
}

static void rows_of_missing_numbers_have_no_neighbours(void **state)
{
    const double row[FEATURES] = {1, NAN, 2};

    begin(own_regressor(FEATURES, neighbours("cityblock", 1, TWO)), NULL);
    score(HBS_OUT_VALUES, 1, row);
    assert_false(got.valid[0]);
    end();
    own_reset();
}

static const char *top_k(int terms, int k, int largest)
{
    return own_text("{\"op\":\"top_k\",\"in\":[0],\"terms\":%d,\"k\":%d,\"largest\":%d}", terms, k, largest);
}

static void the_nearest_and_their_places(void **state)
{
    gives(top_k(3, 2, 0), 3, 1, 2, "1 2 1 2");
    gives(top_k(3, 2, 1), 3, 1, 3, "3 3 0 2");
    gives(top_k(1, 1, 1), 3, 1, 2, "3 1 2 0 0 0");
}

static const char *look_up(const char *in, int places, int step, const char *first, const char *rest)
{
    return own_text("{\"op\":\"look_up\",\"in\":[%s],\"places\":%d,\"stride\":%d,\"first\":%s%s}", in, places, step,
                    first, rest);
}

static void numbers_at_places(void **state)
{
    gives(look_up("0", 2, 2, I4(0, 1, 1), own_text(",\"numbers\":%s", F8(10, 20, 30, INFINITY))), 1, 0, -1,
          "30 20 inf");
    gives(look_up("0", 2, 2, I4(0, 1, 1), own_text(",\"numbers\":%s", F8(10, 20, 30, 40))), 2, -3, NAN, "nan nan nan");
    gives(own_text(SELECT("0", "2") ",%s", look_up("0,1", 2, 1, I4(0), "")), 5, 6, 1, "6");
}

static const char *sparse(const char *ends, const char *columns, const char *coef, const char *intercept)
{
    return own_text("{\"op\":\"sparse_linear\",\"in\":[0],\"ends\":%s,\"columns\":%s,\"coef\":%s,\"intercept\":%s}",
                    ends, columns, coef, intercept);
}

static void sums_of_some_columns(void **state)
{
    gives(sparse(I4(2, 2, 4), I4(0, 2, 0, 1), F8(1, -1, 2, 0), F8(0.5, 1, 0)), 1, 2, 4, "-2.5 1 2");
    gives(sparse(I4(3), I4(0, 1, 2), F8(1, 2, 1), F8(0)), 1, INFINITY, 4, "inf");
}

static void pairs_of_classes(void **state)
{
    gives("{\"op\":\"coupling\",\"in\":[0],\"classes\":3}", 0.5, 0.5, 0.5,
          "0.333333333333 0.333333333333 0.333333333333");
    gives("{\"op\":\"coupling\",\"in\":[0],\"classes\":3}", 0.75, 0.75, 0.5,
          "0.598402042776 0.201477755959 0.200120201265");
}

static const char *topics(const char *dtype, double tolerance, int rounds, const char *weights)
{
    return own_text("{\"op\":\"topics\",\"in\":[0],\"dtype\":\"%s\",\"prior\":%s,\"tolerance\":%s,\"rounds\":%d,"
                    "\"weights\":%s}",
                    dtype, F8(0.5), F8(tolerance), rounds, weights);
}

#define WEIGHTS ROWS(2, 3, 0.5, 0.25, 0.125, 0.0625, 0.25, 0.5)

/* scikit-learn's own answers. */
static void topics_of_counts(void **state)
{
    gives(topics("f8", 0, 0, WEIGHTS), 1, 2, 3, "0.5 0.5");
    gives(topics("f8", 0, 5, WEIGHTS), 0, 0, 0, "0.5 0.5");
    gives(topics("f8", 1e-3, 100, WEIGHTS), 4, 0, 0, "0.896155352554 0.103844647446");
    gives(topics("f8", 0, 1, WEIGHTS), 1, 2, 3, "0.426984126984 0.573015873016");
    gives(topics("f8", 1e-9, 1000, WEIGHTS), 1, 2, 3, "0.271991833158 0.728008166842");
    gives(topics("f4", 1e-3, 100, WEIGHTS), 1, 2, 3, "0.272254437208 0.72774553299");
    gives(topics("f8", 1e-3, 100, WEIGHTS), 1, -1e-300, 3, "nan nan");
    gives(topics("f4", 1e-3, 100, WEIGHTS), 1, 1e39, 3, "nan nan");
}

static const char *factors(const char *rule, double beta, double penalty, double tolerance, const char *weights)
{
    return own_text("{\"op\":\"factors\",\"in\":[0],\"rule\":\"%s\",\"dtype\":\"f8\",\"beta\":%s,\"penalty\":%s,"
                    "\"least\":%s,\"tolerance\":%s,\"rounds\":40,\"weights\":%s}",
                    rule, F8(beta), F8(penalty, penalty / 2), F8(1.1920929e-07), F8(tolerance), weights);
}

/* scikit-learn's own answers. */
static void factors_of_numbers(void **state)
{
    gives(factors("error", 2, 0, 0.001, WEIGHTS), 1, 2, 3, "1.42087478224 5.81677778597");
    gives(factors("error", 1, 0.03, 0.001, WEIGHTS), 1, 2, 3, "0.881632043063 3.20728879276");
    gives(factors("error", 0, 0, 0.001, WEIGHTS), 1, 2, 3, "1.27617699524 6.1009079699");
    gives(factors("error", -0.5, 0, 0, WEIGHTS), 1, 2, 3, "1.26103309161 6.16544748777");
    gives(factors("error", 3, 0.03, 0.0001, WEIGHTS), 1, 2, 3, "1.51451907618 5.58982025309");
    gives(factors("change", 1, 0.03, 0.001, WEIGHTS), 1, 2, 3, "1.44636267166 5.07276779945");
    gives(factors("change", 2.5, 0, 0.01, WEIGHTS), 1, 2, 3, "1.70466887166 5.62520666388");
    gives(factors("error", 1, 0, 0, WEIGHTS), 0, 0, 0, "0 0");
    gives(factors("error", 2, 0, 1e-3, WEIGHTS), 1, -5, 3, "nan nan");
}

static const char *pursuit(int k, double least, const char *gram)
{
    return own_text("{\"op\":\"pursuit\",\"in\":[0],\"k\":%d,\"least\":%s,\"gram\":%s}", k, F8(least), gram);
}

/* The products of (1, 0), (0.6, 0.8) and (2, 0) with each other. */
#define ANGLES ROWS(3, 3, 1, 0.6, 2, 0.6, 1, 1.2, 2, 1.2, 4)
#define ALL(x) ROWS(3, 3, x, x, x, x, x, x, x, x, x)

static void weights_of_vectors(void **state)
{
    gives(pursuit(1, 1e-16, ANGLES), 1, 1, 2, "0 0 0.5");
    gives(pursuit(2, 1e-16, ANGLES), 1, 1, 2, "0 0.625 0.3125");
    gives(pursuit(3, 1e-16, ANGLES), 1, 1, 2, "0 0.625 0.3125");
    gives(pursuit(2, 0.5, ANGLES), 1, 1, 2, "0 0 0.5"); /* what is left of the second product counts as nothing */
    gives(pursuit(2, 100, ANGLES), 1, 1, 2, "0 0 0");
    gives(pursuit(3, 1e-16, ANGLES), 0, 0, 0, "0 0 0");
    gives(pursuit(1, 1e-16, ANGLES), NAN, 0, INFINITY, "nan 0 0");
    gives(pursuit(2, 1e-16, ROWS(3, 3, 1, 1, 0, 1, 1, 0, 0, 0, 1)), -3, -3, 1, "-3 0 1");
    gives(pursuit(1, 0, ALL(0)), 1, 0, 0, "inf 0 0");
}

static const char *least_angle(const char *path, int positive, double penalty, int rounds, const char *gram)
{
    return own_text(
        "{\"op\":\"least_angle\",\"in\":[0],\"path\":\"%s\",\"dtype\":\"f8\",\"positive\":%d,\"penalty\":%s,"
        "\"terms\":1,\"rounds\":%d,\"gram\":%s}",
        path, positive, F8(penalty), rounds, gram);
}

#define GRAM ROWS(3, 3, 1, 0.6, 0.2, 0.6, 1, 1.2, 0.2, 1.2, 4)

/* The figures are those of scikit-learn 1.9.1's lars_path_gram. */
static void weights_grow_together(void **state)
{
    gives(least_angle("angle", 0, 0, 1, GRAM), 1, 0.6, 2, "0 0 0.263157894737");
    gives(least_angle("angle", 0, 0, 2, GRAM), 1, 0.6, 2, "0.65 0 0.4");
    gives(least_angle("angle", 0, 0, 3, GRAM), 1, -1.6, 2, "5.15789473684 -7.78947368421 2.57894736842");
    gives(least_angle("lasso", 0, 0.25, 30, GRAM), 1, -1.6, 2, "4.20029239766 -6.47368421053 2.16959064327");
    gives(least_angle("lasso", 1, 0.25, 30, GRAM), -1, 1.6, 1, "0 0.857142857143 0");
    gives(least_angle("lasso", 0, 0, 30, GRAM), 0.5, 0.7, -3, "-1.30994152047 3.60526315789 -1.76608187135");
    gives(least_angle("lasso", 1, 0, 30, GRAM), 1, 2.4, 0.5, "0 2.02816901408 0");
    gives(least_angle("angle", 0, 0, 30, GRAM), 0, 0, 0, "0 0 0");
    gives(least_angle("angle", 0, 0, 30, GRAM), 1, NAN, 0, "nan nan nan");
    gives(least_angle("angle", 0, 0, 30, ALL(1)), 1, 1, 1, "1 0 0"); /* the others depend on the first */
    gives(least_angle("angle", 0, 0, 30, ALL(0)), 1, 1, 1, "0 0 0");
}

static const char *descent(const char *in, const char *rule, double penalty, int rounds, const char *gram)
{
    return own_text("{\"op\":\"descent\",\"in\":[%s],\"rule\":\"%s\",\"positive\":1,\"penalty\":%s,\"tolerance\":%s,"
                    "\"rounds\":%d,\"gram\":%s}",
                    in, rule, F8(penalty), F8(1e-12), rounds, gram);
}

static const char *barycentre(const char *in, double part, const char *rows)
{
    return own_text("{\"op\":\"barycentre\",\"in\":[%s],\"part\":%s,\"rows\":%s}", in, F8(part), rows);
}

static void weights_of_some_rows(void **state)
{
    gives(own_text("%s,%s,%s", SELECT("0", "0,1"), SELECT("0", "2"), barycentre("1,2", 1e-3, ROWS(2, 2, 0, 0, 4, 0))),
          1, 0, 1, "1");
    gives(own_text("%s,%s,%s", SELECT("0", "0,1"), SELECT("0", "2"), barycentre("1,2", 1e-3, ROWS(2, 2, 0, 0, 4, 0))),
          1, 0, 2, "nan");
    gives(own_text("%s,%s,%s", SELECT("0", "0"), SELECT("0", "1,2"), barycentre("1,2", 0, ROWS(3, 1, 0, 4, 1))), 1, 0,
          1, "nan nan");
    gives(own_text("%s,%s,%s", SELECT("0", "0"), SELECT("0", "1,2"), barycentre("1,2", 0.1, ROWS(3, 1, 0, 4, 1))), 1, 0,
          1, "0.722222222222 0.277777777778");
    gives(own_text("%s,%s,%s", SELECT("0", "0"), SELECT("0", "1,2"), barycentre("1,2", 0.1, ROWS(3, 1, 0, 4, 1))), 1, 2,
          2, "0.5 0.5");
}

/* Behind the square of the row, which is that of the features here. */
static const char *lasso(const char *rule, double penalty)
{
    return own_text("%s,%s", reduce("sum_squares", "0", 3), descent("0,1", rule, penalty, 1000, ANGLES));
}

static void weights_that_are_improved(void **state)
{
    gives(descent("0", "slope", 0, 1, ANGLES), 1, 0.6, 2, "1 0 0");
    gives(descent("0", "slope", 0, 1000, ROWS(3, 3, 1, 0.5, 0, 0.5, 1, 0, 0, 0, 0)), 2, 2.5, 1, "1 2 0");
    gives(descent("0", "slope", 0.5, 1000, ROWS(3, 3, 1, 0.5, 0, 0.5, 1, 0, 0, 0, 0)), 2, 2.5, 1,
          "0.666666666667 1.66666666667 0");
    gives(descent("0", "slope", 1, 10, ANGLES), -1, 0, 1, "0 0 0");
    gives(descent("0", "still", 1, 1000, ANGLES), 0.5, 3, 1, "0 2 0");
    gives(descent("0", "still", 1, 1000, ANGLES), 0.5, NAN, 1, "nan nan nan");
    for (int screened = 0; screened < 2; screened++) {
        const char *rule = screened ? "screened" : "gap";

        gives(lasso(rule, 1), 0.5, 3, 1, "0 2 0");
        gives(lasso(rule, 4), 0.5, 3, 1, "0 0 0");
        gives(lasso(rule, 1), 0, 0, 0, "0 0 0");
        gives(lasso(rule, 1), 2, 0, 4, "0 0 0.75");
    }
}

/* ------------------------------------------------------------------ what is refused */

static hbs_status load(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_source source = {.bytes = context, .size = strlen(context)};
    hbs_model *model = NULL;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    hbs_model_free(model);
    return status;
}

/* Operators that are refused, and what the message says. */
typedef struct refusal {
    const char *ops, *text;
} refusal;

static void are_refused(const refusal *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        test_host host;
        hbs_error error = {.status = HBS_OK};

        test_host_init(&host);
        load(&host.host, (void *)own_regressor(FEATURES, cases[i].ops), &error);
        if (error.status == HBS_OK || !strstr(error.text, cases[i].text))
            fail_msg("%s\n  expected %s", error.status ? error.text : "loaded", cases[i].text);
        test_host_end(&host);
    }
    own_reset();
}

static void functions_are_strict(void **state)
{
    const refusal cases[] = {
        {map("probit", "f8"), "ops[0].function: function \"probit\" is unknown to this version of hbscore"},
        {map("exp", "f2"), "ops[0].dtype: dtype \"f2\" is unknown to this version of hbscore"},
        {map("exp", "i8"), "ops[0].dtype: map: the function is none of whole numbers"},
        {"{\"op\":\"map\",\"in\":[0,0]}", "ops[0].in: the operator does not take so many inputs"},
        {combine("cross", "0,0", ""), "ops[0].function: function \"cross\" is unknown to this version of hbscore"},
        {combine("", "0,0", ""), "ops[0].function: function \"\" is unknown to this version of hbscore"},
        {combine("add", "0", ""), "ops[0]: no member \"numbers\""},
        {combine("add", "0,0", own_text(",\"numbers\":%s,\"first\":0", F8(1, 2, 3))), "ops[0].numbers: unknown member"},
        {with("add", F8(1, 2), 0), "combine: not one number for each column"},
        {with("add", own_array("f8", 8, 0, ""), 0), "combine: not one number for each column"},
        {with("add", F8(1, 2, 3, 4), 0), "combine: the inputs have not as many columns as each other, nor one"},
        {with("add", F8(1, 2, NAN), 0), "combine: a number is not finite"},
        {with("add", F8(1, 2, 3), 2), "ops[0].first: expected an integer of 0 to 1, found 2"},
        {own_text(SELECT("0", "0,1") ",%s", combine("add", "0,1", "")),
         "combine: the inputs have not as many columns as each other, nor one"},
        {"{\"op\":\"choose\",\"in\":[0]}", "ops[0]: no member \"yes\""},
        {"{\"op\":\"choose\",\"in\":[0,0]}", "ops[0]: no member \"no\""},
        {own_text("{\"op\":\"choose\",\"in\":[0],\"yes\":%s}", F8(1)), "ops[0]: no member \"no\""},
        {own_text("{\"op\":\"choose\",\"in\":[0],\"no\":%s}", F8(1)), "expected the member \"yes\" here"},
        {own_text("{\"op\":\"choose\",\"in\":[0,0,0],\"no\":%s}", F8(1)), "ops[0].no: unknown member"},
        {own_text("{\"op\":\"choose\",\"in\":[0,0],\"no\":%s}", F8(1, 2)), "choose: not one number for each column"},
        {own_text("{\"op\":\"choose\",\"in\":[0],\"yes\":%s,\"no\":%s}", F8(1), own_array("f8", 8, 0, "")),
         "choose: not one number for each column"},
        {own_text(SELECT("0", "0,1") ",{\"op\":\"choose\",\"in\":[0,1,0]}"),
         "choose: the inputs have not as many columns as each other, nor one"},
        {reduce("median", "0", 3), "ops[0].function: function \"median\" is unknown to this version of hbscore"},
        {reduce("sum", "0", 0), "ops[0].terms: expected an integer of 1 to 65536, found 0"},
        {reduce("sum", "0", 2), "reduce: the columns are not groups of so many terms"},
        {reduce("sum", "0", 6), "reduce: the columns are not groups of so many terms"},
    };

    are_refused(cases, sizeof cases / sizeof *cases);
}

static void distances_are_strict(void **state)
{
    const refusal cases[] = {
        {pairwise("haversine", TWO), "ops[0].metric: metric \"haversine\" is unknown to this version of hbscore"},
        {pairwise("chi2", ROWS(1, 3, 0, 0, NAN)), "a number of the rows is not finite"},
        {pairwise("nan_euclidean", ROWS(1, 3, 0, NAN, INFINITY)), "a number of the rows is infinite"},
        {pairwise("minkowski", TWO), "ops[0].rows: expected the member \"power\" here"},
        {own_text("{\"op\":\"pairwise\",\"in\":[0],\"metric\":\"minkowski\",\"power\":%s,\"rows\":%s}", F8(0), TWO),
         "the power is not above 0"},
        {own_text("{\"op\":\"pairwise\",\"in\":[0],\"metric\":\"minkowski\",\"power\":%s,\"rows\":%s}", F8(INFINITY),
                  TWO),
         "power: number 0 is not finite"},
        {pairwise("dot", ROWS(1, 2, 0, 0)), "pairwise: rows is not [1 to 65536, columns of the input]"},
        {pairwise("dot", own_matrix(0, 3, NULL)), "pairwise: rows is not [1 to 65536, columns of the input]"},
        {pairwise("dot", ROWS(1, 3, 0, 0, INFINITY)), "a number of the rows is not finite"},
        {pairwise("dot", F8(1, 2, 3)), "an array of 1 dimensions, expected 2"},
        {pairwise("dot", "{\"dtype\":\"f4\",\"shape\":[1,3],\"data\":\"AACAfwAAgD8AAABA\"}"),
         "a number of the rows is not finite"},
        {neighbours("dot", 1, TWO), "neighbours: dot is no distance"},
        {neighbours("haversine", 1, TWO), "ops[0].metric: metric \"haversine\" is unknown to this version of hbscore"},
        {neighbours("minkowski", 1, TWO), "ops[0].k: expected the member \"power\" here"},
        {neighbours("cityblock", 0, TWO), "ops[0].k: expected an integer of 1 to 4096, found 0"},
        {neighbours("cityblock", 4097, TWO), "ops[0].k: expected an integer of 1 to 4096, found 4097"},
        {neighbours("cityblock", 3, TWO), "neighbours: rows is not [k or more, columns of the input]"},
        {neighbours("cityblock", 1, ROWS(1, 2, 0, 0)), "neighbours: rows is not [k or more, columns of the input]"},
        {neighbours("cityblock", 1, ROWS(1, 3, 0, 0, NAN)), "a number of the rows is not finite"},
        {neighbours("nan_euclidean", 1, ROWS(1, 3, 0, NAN, -INFINITY)), "a number of the rows is infinite"},
        {imputer("uniform", 0, TWO, F8(1, 2, 3)), "ops[0].k: expected an integer of 1 to 200, found 0"},
        {imputer("uniform", 201, TWO, F8(1, 2, 3)), "ops[0].k: expected an integer of 1 to 200, found 201"},
        {imputer("rank", 1, TWO, F8(1, 2, 3)),
         "ops[0].weights: weights \"rank\" is unknown to this version of hbscore"},
        {imputer("uniform", 1, ROWS(1, 2, 0, 0), F8(1, 2, 3)), "rows is not [1 or more, columns of the input]"},
        {imputer("uniform", 1, ROWS(1, 3, 0, 0, -INFINITY), F8(1, 2, 3)), "a number of the rows is infinite"},
        {imputer("uniform", 1, TWO, F8(1, 2)), "fill has 2 numbers, expected 3"},
        {imputer("uniform", 1, TWO, F8(1, NAN, 2)), "fill: number 1 is not finite"},
    };

    are_refused(cases, sizeof cases / sizeof *cases);
}

static void places_are_strict(void **state)
{
    const refusal cases[] = {
        {top_k(2, 1, 0), "top_k: the columns are not groups of so many terms, or k is more than these"},
        {top_k(3, 4, 0), "top_k: the columns are not groups of so many terms, or k is more than these"},
        {top_k(3, 0, 0), "ops[0].k: expected an integer of 1 to 32768, found 0"},
        {top_k(3, 1, 2), "ops[0].largest: expected an integer of 0 to 1, found 2"},
        {look_up("0", 0, 1, I4(0, 0, 0), ""), "ops[0].places: expected an integer of 1 to 2147483647, found 0"},
        {look_up("0", 1, -1, I4(0, 0, 0), ""), "ops[0].stride: expected an integer of 0 to 2147483647, found -1"},
        {look_up("0", 1, 1, I4(0, 0), ""), "look_up: first is not one place for each column"},
        {look_up("0", 1, 1, I4(0, 0, -1), ""), "look_up: first is negative"},
        {look_up("0", 1, 1, I4(0, 0, 0), ""), "ops[0]: no member \"numbers\""},
        {look_up("0", 3, 1, I4(0, 0, 0), own_text(",\"numbers\":%s", F8(1, 2))),
         "look_up: places that are not among the numbers"},
        {look_up("0", 2147483647, 2147483647, I4(0, 0, 0), own_text(",\"numbers\":%s", F8(1, 2))),
         "look_up: places that are not among the numbers"},
        {look_up("0", 2, 1, I4(0, 0, 1), own_text(",\"numbers\":%s", F8(1, 2))),
         "look_up: places that are not among the numbers"},
        {look_up("0,0", 2, 1, I4(0, 0, 2), ""), "look_up: places that are not among the numbers"},
    };

    are_refused(cases, sizeof cases / sizeof *cases);
}

static void sums_and_pairs_are_strict(void **state)
{
    const refusal cases[] = {
        {sparse(I4(3), I4(0, 1, 2), F8(1, 0, 1), F8(0, 0)), "sparse_linear: not one end and intercept for each output"},
        {sparse(I4(3), I4(0, 1, 2), F8(1, 0), F8(0)), "sparse_linear: not one end and intercept for each output"},
        {sparse(own_array("i4", 4, 0, ""), I4(0, 1, 2), F8(1, 0, 1), own_array("f8", 8, 0, "")),
         "sparse_linear: not one end and intercept for each output"},
        {sparse(I4(3), I4(0, 1, 2), F8(1, 0, INFINITY), F8(0)), "sparse_linear: a coefficient is not finite"},
        {sparse(I4(3), I4(0, 1, 2), F8(1, 0, 1), F8(NAN)), "sparse_linear: an intercept is not finite"},
        {sparse(I4(2), I4(0, 1, 2), F8(1, 0, 1), F8(0)), "sparse_linear: ends does not rise"},
        {sparse(I4(4), I4(0, 1, 2), F8(1, 0, 1), F8(0)), "sparse_linear: ends does not rise"},
        {sparse(I4(-1), I4(0, 1, 2), F8(1, 0, 1), F8(0)), "sparse_linear: ends does not rise"},
        {sparse(I4(2, 1, 3), I4(0, 1, 2), F8(1, 0, 1), F8(0, 0, 0)), "sparse_linear: ends does not rise"},
        {sparse(I4(3), I4(0, 1, 3), F8(1, 0, 1), F8(0)), "sparse_linear: the columns of an output do not rise"},
        {sparse(I4(3), I4(0, 1, -1), F8(1, 0, 1), F8(0)), "sparse_linear: the columns of an output do not rise"},
        {sparse(I4(3), I4(0, 1, 1), F8(1, 0, 1), F8(0)), "sparse_linear: the columns of an output do not rise"},
        {sparse(I4(2, 3), I4(0, 1, 1), F8(1, 0, 1), F8(0, 0)), "sparse_linear: a column without a coefficient"},
        {"{\"op\":\"coupling\",\"in\":[0],\"classes\":129}",
         "ops[0].classes: expected an integer of 2 to 128, found 129"},
        {"{\"op\":\"coupling\",\"in\":[0],\"classes\":2}", "coupling: not one number for each pair of classes"},
    };

    are_refused(cases, sizeof cases / sizeof *cases);
}

static void problems_of_a_row_are_strict(void **state)
{
    const refusal cases[] = {
        {topics("f2", 1, 1, TWO), "ops[0].dtype: dtype \"f2\" is unknown to this version of hbscore"},
        {topics("f8", -1, 1, TWO), "a number is below 0"},
        {topics("f8", INFINITY, 1, TWO), "tolerance: number 0 is not finite"},
        {topics("f8", 1, -1, TWO), "ops[0].rounds: expected an integer of 0 to 2147483647, found -1"},
        {topics("f8", 1, 1, ROWS(1, 2, 1, 1)), "topics: weights is not [1 to 4096, columns of the input]"},
        {topics("f8", 1, 1, own_matrix(0, 3, NULL)), "topics: weights is not [1 to 4096, columns of the input]"},
        {topics("f8", 1, 1, ROWS(1, 3, 1, 1, -1)), "topics: a weight is below 0, or not finite"},
        {topics("f8", 1, 1, ROWS(1, 3, 1, 1, NAN)), "topics: a weight is below 0, or not finite"},
        {topics("f8", 1, 1, ROWS(1, 3, 1, 1, INFINITY)), "topics: a weight is below 0, or not finite"},
        {factors("none", 1, 0, 1, TWO), "ops[0].rule: rule \"none\" is unknown to this version of hbscore"},
        {factors("error", INFINITY, 0, 1, TWO), "beta: number 0 is not finite"},
        {factors("error", 1, -1, 1, TWO), "factors: a penalty is below 0"},
        {factors("error", 1, 0, -1, TWO), "a number is below 0"},
        {factors("error", 1, 0, 1, ROWS(1, 2, 1, 1)), "factors: weights is not [1 to 1024, columns of the input]"},
        {factors("error", 1, 0, 1, ROWS(1, 3, 1, 1, -1)), "factors: a weight is below 0, or not finite"},
        {pursuit(0, 1, TWO), "ops[0].k: expected an integer of 1 to 256, found 0"},
        {pursuit(257, 1, TWO), "ops[0].k: expected an integer of 1 to 256, found 257"},
        {pursuit(1, -1, TWO), "a number is below 0"},
        {pursuit(1, 1, TWO), "gram is not [n, n] of n input columns, 1 to 1024"},
        {pursuit(1, 1, ROWS(3, 2, 1, 1, 1, 1, 1, 1)), "gram is not [n, n] of n input columns, 1 to 1024"},
        {pursuit(4, 1, ALL(1)), "pursuit: k is more than the input's columns"},
        {pursuit(1, 1, ALL(NAN)), "a number of gram is not finite"},
        {pursuit(1, 1, ALL(-1)), "a square of gram is below 0"},
        {barycentre("0,0", -1, TWO), "a number is below 0"},
        {barycentre("0,0", 1, ROWS(1, 2, 0, 0)), "barycentre: rows is not [1 or more, columns of the first input]"},
        {barycentre("0,0", 1, own_matrix(0, 3, NULL)),
         "barycentre: rows is not [1 or more, columns of the first input]"},
        {barycentre("0,0", 1, ROWS(1, 3, 0, 0, NAN)), "barycentre: a number of the rows is not finite"},
        {least_angle("ridge", 0, 1, 1, ALL(1)), "ops[0].path: path \"ridge\" is unknown to this version of hbscore"},
        {least_angle("angle", 2, 1, 1, ALL(1)), "ops[0].positive: expected an integer of 0 to 1, found 2"},
        {least_angle("angle", 0, -1, 1, ALL(1)), "a number is below 0"},
        {least_angle("angle", 0, 1, 0, ALL(1)), "ops[0].rounds: expected an integer of 1 to 2147483647, found 0"},
        {least_angle("angle", 0, 1, 1, ALL(-1)), "a square of gram is below 0"},
        {descent("0", "slopes", 1, 1, ALL(1)), "ops[0].rule: rule \"slopes\" is unknown to this version of hbscore"},
        {descent("0", "slope", -1, 1, ALL(1)), "a number is below 0"},
        {descent("0", "slope", 1, 0, ALL(1)), "ops[0].rounds: expected an integer of 1 to 2147483647, found 0"},
        {descent("0", "slope", 1, 1, ALL(-1)), "a square of gram is below 0"},
        {descent("0,0", "slope", 1, 1, ALL(1)),
         "descent: under gap and screened a second input, the square of the row, and else none"},
        {descent("0", "gap", 1, 1, ALL(1)),
         "descent: under gap and screened a second input, the square of the row, and else none"},
        {descent("0,0", "screened", 1, 1, ALL(1)),
         "descent: under gap and screened a second input, the square of the row, and else none"},
    };

    are_refused(cases, sizeof cases / sizeof *cases);
}

static const char *everything(void)
{
    return own_regressor(
        FEATURES,
        own_text(
            "%s,%s,{\"op\":\"choose\",\"in\":[2],\"yes\":%s,\"no\":%s},%s,%s,%s,"
            "%s,%s,%s,%s,%s,%s,%s,%s,{\"op\":\"combine\",\"in\":[0],\"function\":\"add\",\"dtype\":\"f8\",\"numbers\":%s,\"first\":0}",
            map("exp", "f8"), combine("add", "0,1", ""), F8(1), F8(2), reduce("sum", "3", 3), pairwise("dot", TWO),
            top_k(3, 1, 0), neighbours("cityblock", 1, TWO), imputer("uniform", 1, TWO, F8(1, 2, 3)),
            topics("f8", 1, 1, TWO), factors("error", 1, 0, 1, TWO), pursuit(1, 1, ALL(1)),
            descent("0", "slope", 1, 1, ALL(1)), least_angle("angle", 0, 1, 1, ALL(1)), barycentre("0,0", 1, TWO),
            F8(1)));
}

static void every_allocation_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(load, (void *)everything()) > 10);
    own_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_number),
        cmocka_unit_test(missing_and_infinite_numbers_go_through),
        cmocka_unit_test(functions_of_two_numbers),
        cmocka_unit_test(one_column_stands_for_several),
        cmocka_unit_test(one_of_two_numbers),
        cmocka_unit_test(functions_of_a_row),
        cmocka_unit_test(missing_numbers_become_those_of_the_nearest_rows),
        cmocka_unit_test(nearest_stored_rows),
        cmocka_unit_test(rows_of_missing_numbers_have_no_neighbours),
        cmocka_unit_test(distances_from_stored_rows),
        cmocka_unit_test(the_nearest_and_their_places),
        cmocka_unit_test(numbers_at_places),
        cmocka_unit_test(sums_of_some_columns),
        cmocka_unit_test(pairs_of_classes),
        cmocka_unit_test(topics_of_counts),
        cmocka_unit_test(factors_of_numbers),
        cmocka_unit_test(weights_grow_together),
        cmocka_unit_test(weights_of_vectors),
        cmocka_unit_test(weights_that_are_improved),
        cmocka_unit_test(weights_of_some_rows),
        cmocka_unit_test(functions_are_strict),
        cmocka_unit_test(distances_are_strict),
        cmocka_unit_test(places_are_strict),
        cmocka_unit_test(sums_and_pairs_are_strict),
        cmocka_unit_test(problems_of_a_row_are_strict),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
