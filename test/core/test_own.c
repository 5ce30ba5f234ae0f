/* test_own.c - hbscore's own format: each operator's arithmetic against plain C, bit by bit; the rules of heads;
 * classes and names. */
#include "own_scores.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/elementary64.h"

/* ------------------------------------------------------------------ numbers */

/* Numbers of all sizes, zeros of both signs and denormals among them; never NaN or infinite. */
static double finite_number(uint64_t *random)
{
    static const double special[] = {0.0,    -0.0, 0x1p-1074, -0x1p-1074, DBL_MIN, 1e-40,    16777217, 1e300,
                                     -1e300, 0.1,  FLT_MAX,   1.0 / 3,    1e-300,  -FLT_MAX, 1e39,     -0.7};
    uint64_t draw = test_random(random);

    if (draw % 4 == 0)
        return special[draw / 4 % (sizeof special / sizeof *special)];
    return (double)(int64_t)test_random(random) / 9e17;
}

static void random_rows(double *rows, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        rows[i] = finite_number(&seed);
}

static double narrow(double x)
{
    return (double)(float)x;
}

/* ------------------------------------------------------------------ columns */

static void select_takes_columns_in_any_order(void **state)
{
    static double rows[MOST_ROWS][3];

    random_rows(rows[0], MOST_ROWS * 3, 1);
    rows[5][1] = NAN;
    rows[6][1] = INFINITY;
    begin(own_regressor(3, "{\"op\":\"select\",\"in\":[0],\"cols\":[2,0,0,1]}"), NULL);
    assert_int_equal(m.info.values_width, 4);
    score(HBS_OUT_VALUES, MOST_ROWS, rows[0]);
    for (size_t r = 0; r < MOST_ROWS; r++) {
        is(r, 0, rows[r][2]);
        is(r, 1, rows[r][0]);
        is(r, 2, rows[r][0]);
        is(r, 3, rows[r][1]);
    }
    end();
}

static void concat_puts_values_side_by_side(void **state)
{
    static double rows[MOST_ROWS][2];

    random_rows(rows[0], MOST_ROWS * 2, 2);
    rows[9][0] = NAN;
    begin(own_regressor(2, "{\"op\":\"select\",\"in\":[0],\"cols\":[1]},"
                           "{\"op\":\"concat\",\"in\":[1]},"
                           "{\"op\":\"concat\",\"in\":[1,0,2,0,1]}"),
          NULL);
    assert_int_equal(m.info.values_width, 7);
    score(HBS_OUT_VALUES, MOST_ROWS, rows[0]);
    for (size_t r = 0; r < MOST_ROWS; r++) {
        static const int from[] = {1, 0, 1, 1, 0, 1, 1};

        for (size_t c = 0; c < 7; c++)
            is(r, c, rows[r][from[c]]);
    }
    end();
}

static void cast_rounds_once_to_float32(void **state)
{
    static double rows[MOST_ROWS][1];

    random_rows(rows[0], MOST_ROWS, 3);
    rows[0][0] = 0x1.000001p0;       /* half way: to even */
    rows[1][0] = 0x1.000001000001p0; /* just above */
    rows[2][0] = NAN;
    rows[3][0] = 0x1.ffffffp127;        /* half way to what float32 does not have: infinite */
    rows[4][0] = 0x1.fffffefffffffp127; /* below it: the largest */
    begin(own_regressor(1, "{\"op\":\"cast\",\"in\":[0],\"to\":\"f4\"}"), NULL);
    score(HBS_OUT_VALUE, MOST_ROWS, rows[0]);
    for (size_t r = 0; r < MOST_ROWS; r++)
        is(r, 0, narrow(rows[r][0]));
    is(0, 0, 1);
    is(1, 0, 0x1.000002p0);
    is(3, 0, INFINITY);
    is(4, 0, FLT_MAX);
    end();
}

/* What the file's a and b do to x, rounded after each step where dtype is f4. */
static double affine_of(const char *kind, bool rounds, double x, double a, double b)
{
    double (*step)(double) = rounds ? narrow : fabs;

    if (!rounds) {
        if (strcmp(kind, "mul_add") == 0) {
            volatile double product = x * a;

            return product + b;
        }
        return strcmp(kind, "sub") == 0 ? x - a : strcmp(kind, "div") == 0 ? x / b : (x - a) / b;
    }
    if (strcmp(kind, "sub") == 0)
        return step(x - a);
    if (strcmp(kind, "div") == 0)
        return step(x / b);
    if (strcmp(kind, "sub_div") == 0)
        return step(step(x - a) / b);
    return step(step(x * a) + b);
}

/* Columns of float32 need no rounding; the answers are those of the same numbers as float64. */
static void cast_of_float32_columns_is_the_same(void **state)
{
    static const float narrow[] = {0.1f, -0.0f, 1e-40f, 3e38f, 16777217.0f};
    const char *ops = CAST("0") ",{\"op\":\"affine\",\"in\":[1],\"kind\":\"div\",\"dtype\":\"f4\","
                                "\"b\":%s}";
    double wide[5];
    hbs_column column = {HBS_FLOAT32, narrow, NULL};
    hbs_result result;

    for (size_t r = 0; r < 5; r++)
        wide[r] = (double)narrow[r];
    begin(own_regressor(1, own_text(ops, F8(3))), NULL);
    score(HBS_OUT_VALUE, 5, wide);
    assert_status(hbs_score(m.block, &column, 1, 5, HBS_OUT_VALUE, &result, &m.error), HBS_OK, &m.error);
    for (size_t r = 0; r < 5; r++)
        assert_true(same_bits(result.value[r], got.numbers[r][0]));
    wide[0] = 0.1; /* behind a block of float32 one of float64 is rounded again */
    score(HBS_OUT_VALUE, 5, wide);
    is(0, 0, (double)(0.1f / 3.0f));
    end();
}

static void affine_does_its_steps_in_order(void **state)
{
    static const char *const kinds[] = {"sub", "div", "sub_div", "mul_add"};
    static const double a[] = {0.1, -3.7}, b[] = {0.3, 1e-3};
    static double rows[MOST_ROWS][2];

    random_rows(rows[0], MOST_ROWS * 2, 4);
    rows[7][1] = NAN;
    for (size_t k = 0; k < 8; k++) {
        const char *kind = kinds[k / 2], *dtype = k % 2 ? "f4" : "f8";
        bool has_a = strcmp(kind, "div") != 0, has_b = strcmp(kind, "sub") != 0;

        begin(own_regressor(2, own_text("{\"op\":\"affine\",\"in\":[0],\"kind\":\"%s\","
                                        "\"dtype\":\"%s\"%s%s%s%s}",
                                        kind, dtype, has_a ? ",\"a\":" : "", has_a ? F8(a[0], a[1]) : "",
                                        has_b ? ",\"b\":" : "", has_b ? F8(b[0], b[1]) : "")),
              NULL);
        score(HBS_OUT_VALUES, MOST_ROWS, rows[0]);
        for (size_t r = 0; r < MOST_ROWS; r++)
            for (size_t c = 0; c < 2; c++)
                is(r, c, affine_of(kind, k % 2 == 1, rows[r][c], a[c], b[c]));
        end();
    }
}

static void affine_may_divide_by_zero(void **state)
{
    begin(own_regressor(1, own_text("{\"op\":\"affine\",\"in\":[0],\"kind\":\"div\","
                                    "\"dtype\":\"f8\",\"b\":%s}",
                                    F8(0))),
          NULL);
    score(HBS_OUT_VALUE, 3, (const double[]){1, -1, 0});
    is(0, 0, INFINITY);
    is(1, 0, -INFINITY);
    is(2, 0, NAN);
    end();
}

static void clip_keeps_what_is_within(void **state)
{
    static double rows[MOST_ROWS][1];

    random_rows(rows[0], MOST_ROWS, 5);
    rows[0][0] = NAN;
    rows[1][0] = -0.25;
    rows[2][0] = 0.75;
    rows[3][0] = nextafter(0.75, 1);
    begin(own_regressor(1, own_text("{\"op\":\"clip\",\"in\":[0],\"lo\":%s,\"hi\":%s}", F8(-0.25), F8(0.75))), NULL);
    score(HBS_OUT_VALUE, MOST_ROWS, rows[0]);
    is(0, 0, NAN);
    for (size_t r = 1; r < MOST_ROWS; r++)
        is(r, 0, rows[r][0] < -0.25 ? -0.25 : rows[r][0] > 0.75 ? 0.75 : rows[r][0]);
    end();
}

static void impute_fills_what_is_missing(void **state)
{
    static const double rows[][2] = {{1, NAN}, {NAN, NAN}, {NAN, 2}, {-0.0, 0x1p-1074}};
    const char *fill = own_text(",\"fill\":%s}", F8(7, -8.5));

    begin(own_regressor(2, own_text("{\"op\":\"impute\",\"in\":[0],\"missing\":\"nan\"%s", fill)), NULL);
    score(HBS_OUT_VALUES, 4, rows[0]);
    is(0, 0, 1), is(0, 1, -8.5);
    is(1, 0, 7), is(1, 1, -8.5);
    is(2, 0, 7), is(2, 1, 2);
    is(3, 0, -0.0), is(3, 1, 0x1p-1074);
    end();
}

static void impute_may_replace_a_number(void **state)
{
    const double rows[][2] = {{-1, 5}, {5, -1}, {-0.0, NAN}, {-1, nextafter(-1, 0)}};

    begin(own_regressor(2, own_text("{\"op\":\"impute\",\"in\":[0],\"missing\":%s,\"fill\":%s}", F8(-1), F8(7, -8.5))),
          NULL);
    score(HBS_OUT_VALUES, 4, rows[0]);
    is(0, 0, 7), is(0, 1, 5);
    is(1, 0, 5), is(1, 1, -8.5);
    assert_false(got.valid[2]); /* NaN is none of the numbers that such an imputer takes */
    is(3, 0, 7), is(3, 1, nextafter(-1, 0));
    end();
}

/* Columns that are only moved are work too: the host is asked in between. Passes would leave all but the last out. */
static void wide_columns_are_moved_in_parts(void **state)
{
    static double ones[64];
    hbs_column column = {HBS_FLOAT64, ones, NULL};
    hbs_result result;
    size_t before;

    scored_model_begin_without(
        &m,
        own_regressor(1, own_text("{\"op\":\"concat\",\"in\":[%s]},{\"op\":\"concat\",\"in\":[%s]},"
                                  "{\"op\":\"concat\",\"in\":[%s]}," SELECT("3", "65535"),
                                  own_repeated("0", ",", 64), own_repeated("1", ",", 64), own_repeated("2", ",", 16))),
        HBS_PASS_PUSH_SELECTION | HBS_PASS_INJECT_SELECTION, MOST_ROWS);
    before = m.host.polls;
    assert_status(hbs_score(m.block, &column, 1, 64, HBS_OUT_VALUE, &result, &m.error), HBS_OK, &m.error);
    assert_true(m.host.polls - before > 15); /* of 65,536 columns, each copied once */
    m.host.cancel_at = m.host.polls + 8;
    assert_status(hbs_score(m.block, &column, 1, 64, HBS_OUT_VALUE, &result, &m.error), HBS_E_CANCEL, &m.error);
    end();
}

/* ------------------------------------------------------------------ linear */

/* scikit-learn's product of float32 columns is a sum of float32. */
static void linear_of_float32_is_compared_loosely(void **state)
{
    const char *const wholes[] = {
        own_linear("0"), own_text("{\"op\":\"cast\",\"in\":[0],\"to\":\"f4\"},%s", own_linear("1")),
        own_text("{\"op\":\"affine\",\"in\":[0],\"kind\":\"sub\",\"dtype\":\"f4\",\"a\":%s},%s",
                 own_array("f8", 8, 2, (const double[]){1, 2}), own_linear("1"))};
    static const double tolerances[] = {1e-9, 1e-4, 1e-4};

    for (size_t i = 0; i < 3; i++) {
        begin(own_regressor(2, wholes[i]), NULL);
        assert_true(m.info.value_tolerance == tolerances[i]);
        end();
    }
    (void)state;
}

static void linear_sums_in_the_order_of_the_features(void **state)
{
    static const double coefficients[3][5] = {
        {1e16, 1, -1e16, 0.1, 3}, {0.1, 0.2, 0.3, 0.4, 0.5}, {0, -0.0, 1e-300, 1e300, -1}};
    static const double intercept[3] = {0.7, -1e-17, 1e5};
    static double rows[MOST_ROWS][5];
    uint64_t random = 6;

    for (size_t r = 0; r < MOST_ROWS; r++)
        for (size_t f = 0; f < 5; f++)
            rows[r][f] = (double)(int64_t)test_random(&random) / 9e17;
    begin(own_regressor(5, own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}",
                                    own_matrix(3, 5, coefficients[0]), own_array("f8", 8, 3, intercept))),
          NULL);
    assert_int_equal(m.info.values_width, 3);
    assert_int_equal(m.info.value_width, 0);
    assert_true(m.info.values_tolerance == 1e-9);
    score(HBS_OUT_VALUES, MOST_ROWS, rows[0]);
    for (size_t r = 0; r < MOST_ROWS; r++)
        for (size_t o = 0; o < 3; o++) {
            double sum = 0;

            for (size_t f = 0; f < 5; f++) {
                volatile double product = rows[r][f] * coefficients[o][f];

                sum += product;
            }
            is(r, o, sum + intercept[o]);
        }
    end();
}

/* ------------------------------------------------------------------ forests */

enum { MOST_NODES = 600, TREES = 12, FEATURES = 4 };

/* A forest as the file has it. */
typedef struct arrays {
    int32_t start[TREES + 1], left[MOST_NODES], right[MOST_NODES], feature[MOST_NODES];
    double threshold[MOST_NODES], cover[MOST_NODES], value[MOST_NODES][3];
    uint8_t missing_left[MOST_NODES];
    int32_t group[TREES], n_nodes, n_leaves;
    size_t outputs;
    bool vectors, is_narrow;
    double init[3], divide;
} arrays;

/* A node and all below it, children in any order behind it; gives its number in its tree. */
static int32_t grow(arrays *a, int32_t tree, int depth, uint64_t *random)
{
    int32_t i = a->n_nodes++, number = i - a->start[tree];

    a->left[i] = a->right[i] = a->feature[i] = -1;
    a->cover[i] = (double)(test_random(random) % 100);
    if (depth == 0 || test_random(random) % 5 == 0)
        return number;
    a->feature[i] = (int32_t)(test_random(random) % FEATURES);
    a->threshold[i] = finite_number(random);
    a->missing_left[i] = test_random(random) % 2;
    if (test_random(random) % 2) {
        a->left[i] = grow(a, tree, depth - 1, random);
        a->right[i] = grow(a, tree, depth - 1, random);
    } else {
        a->right[i] = grow(a, tree, depth - 1, random);
        a->left[i] = grow(a, tree, depth - 1, random);
    }
    return number;
}

static void grow_all(arrays *a, uint64_t *random)
{
    for (int32_t t = 0; t < TREES; t++) {
        grow(a, t, 4, random);
        a->start[t + 1] = a->n_nodes;
        a->group[t] = a->vectors || a->outputs == 1 ? -1 : (int32_t)(test_random(random) % 3);
    }
    for (int32_t i = 0; i < a->n_nodes; i++)
        if (a->left[i] == -1) {
            for (size_t o = 0; o < 3; o++)
                a->value[a->n_leaves][o] = (double)(int64_t)test_random(random) / 9e17;
            a->n_leaves++;
        }
}

static const char *write_arrays(const arrays *a, bool missing)
{
    size_t n = (size_t)a->n_nodes, leaves = (size_t)a->n_leaves, width = a->vectors ? 3 : 1;
    static double value[MOST_NODES * 3];

    for (size_t i = 0; i < leaves; i++)
        for (size_t o = 0; o < width; o++)
            value[i * width + o] = a->value[i][o];
    return own_forest_of("0", (own_forest){.input = a->is_narrow ? "\"f4\"" : "\"f8\"",
                                           .start = own_array("i4", 4, TREES + 1, a->start),
                                           .left = own_array("i4", 4, n, a->left),
                                           .right = own_array("i4", 4, n, a->right),
                                           .feature = own_array("i4", 4, n, a->feature),
                                           .threshold = own_array("f8", 8, n, a->threshold),
                                           .missing_left = own_array("u1", 1, n, a->missing_left),
                                           .cover = own_array("f8", 8, n, a->cover),
                                           .value = own_matrix(leaves, width, value),
                                           .group = own_array("i4", 4, TREES, a->group),
                                           .init = own_array("f8", 8, a->outputs, a->init),
                                           .divide = F8(a->divide),
                                           .missing = missing ? "1" : "0"});
}

/* The leaf's place in `value`: leaves count over all trees, in the order of their nodes. */
static int32_t walk(const arrays *a, int32_t tree, const double *row)
{
    int32_t i = a->start[tree], leaf = 0;

    while (a->left[i] != -1) {
        double x = row[a->feature[i]];
        bool left = isnan(x) ? a->missing_left[i] : (a->is_narrow ? narrow(x) : x) <= a->threshold[i];

        i = a->start[tree] + (left ? a->left[i] : a->right[i]);
    }
    for (int32_t k = 0; k < i; k++)
        leaf += a->left[k] == -1;
    return leaf;
}

static void check_forest(const arrays *a, size_t r, const double *row)
{
    double sums[3];

    memcpy(sums, a->init, sizeof sums);
    for (int32_t t = 0; t < TREES; t++) {
        const double *value = a->value[walk(a, t, row)];

        for (size_t o = 0; a->vectors && o < 3; o++)
            sums[o] += value[o];
        if (!a->vectors)
            sums[a->group[t] < 0 ? 0 : a->group[t]] += value[0];
    }
    for (size_t o = 0; o < a->outputs; o++)
        is(r, o, sums[o] / a->divide);
}

/* Rows that meet thresholds, some cells missing where the forest takes that; finite in float32. */
static void forest_rows(const arrays *a, bool missing, double rows[MOST_ROWS][FEATURES], uint64_t *random)
{
    for (size_t r = 0; r < MOST_ROWS; r++)
        for (size_t f = 0; f < FEATURES; f++) {
            uint64_t draw = test_random(random);

            rows[r][f] = draw % 3 ? a->threshold[draw / 3 % (uint64_t)a->n_nodes] : finite_number(random);
            if (draw % 3 == 1)
                rows[r][f] = nextafter(rows[r][f], INFINITY);
            if (a->is_narrow && fabs(rows[r][f]) > FLT_MAX)
                rows[r][f] = 1;
            if (missing && draw % 7 == 0)
                rows[r][f] = NAN;
        }
}

static void forests_walk_and_sum_as_the_file_says(void **state)
{
    static double rows[MOST_ROWS][FEATURES];
    uint64_t random = 7;

    for (int k = 0; k < 48; k++) {
        bool missing = k & 1, several = k & 2;
        static arrays a;

        a = (arrays){.is_narrow = k & 4,
                     .vectors = several && k & 8,
                     .outputs = several ? 3 : 1,
                     .init = {0.1, -7, 1e10},
                     .divide = k & 8 ? 3 : 1};
        own_reset();
        grow_all(&a, &random);
        forest_rows(&a, missing, rows, &random);
        begin(own_regressor(FEATURES, write_arrays(&a, missing)), NULL);
        score(several ? HBS_OUT_VALUES : HBS_OUT_VALUE, MOST_ROWS, rows[0]);
        for (size_t r = 0; r < MOST_ROWS; r++)
            check_forest(&a, r, rows[r]);
        end();
    }
}

static void a_forest_may_have_no_trees(void **state)
{
    const own_forest none = {.start = I4(0),
                             .left = own_array("i4", 4, 0, ""),
                             .right = own_array("i4", 4, 0, ""),
                             .feature = own_array("i4", 4, 0, ""),
                             .threshold = own_array("f8", 8, 0, ""),
                             .missing_left = own_array("u1", 1, 0, ""),
                             .cover = own_array("f8", 8, 0, ""),
                             .value = own_matrix(0, 1, NULL),
                             .group = own_array("i4", 4, 0, ""),
                             .init = F8(3, -4.5),
                             .divide = F8(2)};

    begin(own_regressor(1, own_forest_of("0", none)), NULL);
    score(HBS_OUT_VALUES, 2, (const double[]){1, INFINITY}); /* nobody looks at the feature */
    is(0, 0, 1.5), is(0, 1, -2.25);
    is(1, 0, 1.5), is(1, 1, -2.25);
    end();
}

static void thresholds_and_leaves_may_be_infinite(void **state)
{
    begin(own_regressor(
              1, own_forest_of("0", (own_forest){.threshold = F8(-INFINITY, 0, 0), .value = ROWS(2, 1, 1, INFINITY)})),
          NULL);
    score(HBS_OUT_VALUE, 2, (const double[]){-DBL_MAX, 0});
    is(0, 0, INFINITY);
    is(1, 0, INFINITY);
    end();
}

/* ------------------------------------------------------------------ links and heads */

static double sigmoid(double x)
{
    return 1.0 / (1.0 + hb_exp64(-x));
}

static void links_of_one_score(void **state)
{
    static const char *const kinds[] = {"sigmoid", "sigmoid2", "exp", "softmax_pm"};
    static double rows[MOST_ROWS][1];
    uint64_t random = 8;

    for (size_t r = 0; r < MOST_ROWS; r++)
        rows[r][0] = (double)(int64_t)test_random(&random) / 1e17;
    rows[0][0] = -0.0, rows[1][0] = 1e308, rows[2][0] = -1e308;
    for (size_t k = 0; k < 4; k++) {
        begin(own_regressor(1, own_link(kinds[k], "0")), NULL);
        score(k == 3 ? HBS_OUT_VALUES : HBS_OUT_VALUE, MOST_ROWS, rows[0]);
        for (size_t r = 0; r < MOST_ROWS; r++) {
            double x = rows[r][0], most = fabs(x);
            double pair[] = {hb_exp64(-x - most), hb_exp64(x - most)};

            if (k == 3)
                is(r, 0, pair[0] / (pair[0] + pair[1])), is(r, 1, pair[1] / (pair[0] + pair[1]));
            else
                is(r, 0, k == 2 ? hb_exp64(x) : sigmoid(k == 1 ? 2 * x : x));
        }
        end();
    }
}

static void links_of_several_scores(void **state)
{
    static double rows[MOST_ROWS][3];
    uint64_t random = 9;

    for (size_t r = 0; r < MOST_ROWS; r++)
        for (size_t c = 0; c < 3; c++)
            rows[r][c] = (double)(int64_t)test_random(&random) / 1e18;
    for (size_t c = 0; c < 3; c++)
        rows[0][c] = -1e9; /* all sigmoids are 0: each class is as likely */
    begin(own_regressor(3, own_link("softmax", "0")), NULL);
    score(HBS_OUT_VALUES, MOST_ROWS, rows[0]);
    for (size_t r = 0; r < MOST_ROWS; r++) {
        const double *x = rows[r];
        double most = fmax(fmax(x[0], x[1]), x[2]), terms[3], sum = 0;

        for (size_t c = 0; c < 3; c++)
            sum += terms[c] = hb_exp64(x[c] - most);
        for (size_t c = 0; c < 3; c++)
            is(r, c, terms[c] / sum);
    }
    end();
    begin(own_regressor(3, own_link("ovr", "0")), NULL);
    score(HBS_OUT_VALUES, MOST_ROWS, rows[0]);
    for (size_t r = 0; r < MOST_ROWS; r++) {
        double sum = 0;

        for (size_t c = 0; c < 3; c++)
            sum += sigmoid(rows[r][c]);
        for (size_t c = 0; c < 3; c++)
            is(r, c, sum == 0 ? 1.0 / 3 : sigmoid(rows[r][c]) / sum);
    }
    is(0, 2, 1.0 / 3);
    end();
}

/* Class by rule of one score, for each of the numbers. */
static void check_rule(const char *rule, const double *numbers, const int *classes, size_t n)
{
    begin(own_classifier(1, I8(10, 20), own_head(rule, "0")), NULL);
    score(HBS_OUT_LABEL, n, numbers);
    for (size_t i = 0; i < n; i++)
        is(i, 0, classes[i]);
    end();
}

static void ties_go_where_the_rule_says(void **state)
{
    static const double near_zero[] = {0.0, -0.0, 0x1p-1074, -0x1p-1074, 1, -1};
    static const double near_half[] = {0.5, 0x1.0000000000001p-1, 0x1.fffffffffffffp-2, 0, 1};

    check_rule("gt0", near_zero, (const int[]){0, 0, 1, 0, 1, 0}, 6);
    check_rule("ge0", near_zero, (const int[]){1, 1, 1, 0, 1, 0}, 6);
    check_rule("half", near_half, (const int[]){0, 1, 0, 0, 1}, 5);
    check_rule("argmax_proba", near_half, (const int[]){0, 1, 0, 0, 1}, 5); /* of 1 - p, p */
}

static void argmax_is_the_first_maximum(void **state)
{
    static const double rows[][3] = {{1, 1, 1}, {0, -0.0, 0}, {-0.0, 0, -1},
                                     {1, 2, 2}, {-3, -2, -1}, {0, 0x1p-1074, 0}};
    static const int classes[] = {0, 0, 0, 1, 2, 1};

    for (int k = 0; k < 2; k++) {
        begin(own_classifier(3, I8(1, 2, 3), own_head(k ? "argmax_proba" : "argmax", "0")), NULL);
        assert_int_equal(m.info.probabilities_width, k ? 3 : 0);
        assert_int_equal(m.info.raw_width, k ? 0 : 3);
        score(HBS_OUT_LABEL, 6, rows[0]);
        for (size_t i = 0; i < 6; i++)
            is(i, 0, classes[i]);
        end();
    }
}

static void a_head_names_the_outputs(void **state)
{
    static const struct {
        const char *rule, *in;
        size_t raw, probabilities;
    } cases[] = {{"gt0", "0", 1, 0},      {"gt0", "0,1", 1, 2},        {"ge0", "0,2", 1, 2},  {"half", "0,1", 1, 2},
                 {"half", "1", 0, 2},     {"argmax_proba", "2", 0, 2}, {"half", "1,1", 0, 2}, {"argmax", "2", 2, 0},
                 {"argmax", "2,1", 2, 2}, {"argmax", "2,2", 0, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *ops = own_text("%s,%s,%s", own_link("sigmoid", "0"), own_link("softmax_pm", "0"),
                                   own_head(cases[i].rule, cases[i].in));

        begin(own_classifier(1, I8(0, 1), ops), NULL);
        assert_int_equal(m.info.task, HBS_CLASSIFIER);
        assert_int_equal(m.info.raw_width, cases[i].raw);
        assert_int_equal(m.info.probabilities_width, cases[i].probabilities);
        assert_int_equal(m.info.value_width + m.info.values_width, 0);
        end();
    }
    begin(own_classifier(1, I8(0, 1), own_text("%s,%s", own_link("sigmoid", "0"), own_head("gt0", "0,1"))), NULL);
    score(HBS_OUT_PROBABILITIES, 2, (const double[]){0.3, -2});
    is(0, 0, 1 - sigmoid(0.3)), is(0, 1, sigmoid(0.3));
    is(1, 0, 1 - sigmoid(-2)), is(1, 1, sigmoid(-2));
    score(HBS_OUT_RAW, 1, (const double[]){0.3});
    is(0, 0, 0.3);
    end();
}

/* ------------------------------------------------------------------ classes, names, options */

static void label_is(size_t i, const char *json)
{
    hbs_value label;
    char text[64];

    hbs_plan_class(m.plan, i, &label);
    hbs_format_label(&label, text, sizeof text);
    assert_string_equal(text, json);
}

static void classes_are_of_four_types(void **state)
{
    begin(own_classifier(1, I8(INT64_MIN, INT64_MAX), own_head("gt0", "0")), NULL);
    label_is(0, "-9223372036854775808");
    label_is(1, "9223372036854775807");
    end();
    begin(own_classifier(1, F8(-0.5, INFINITY), own_head("gt0", "0")), NULL);
    label_is(0, "-0.5");
    label_is(1, "\"Infinity\"");
    end();
    begin(own_classifier(1, B1(0, 1), own_head("gt0", "0")), NULL);
    label_is(0, "false");
    label_is(1, "true");
    end();
    begin(own_classifier(1, "{\"dtype\":\"str\",\"shape\":[2],\"data\":[\"\",\"j\\u00e4\"]}", own_head("gt0", "0")),
          NULL);
    label_is(0, "\"\"");
    label_is(1, "\"j\xc3\xa4\"");
    end();
}

static void options_give_classes_and_names(void **state)
{
    hbs_text name;
    hbs_type type;

    begin(own_classifier(2, I8(0, 1), own_text("{\"op\":\"select\",\"in\":[0],\"cols\":[1]},%s", own_head("gt0", "1"))),
          "{\"classes\":[\"no\",\"yes\"],\"features\":[\"a\",\"b\"]}");
    label_is(0, "\"no\"");
    label_is(1, "\"yes\"");
    assert_true(m.info.named);
    hbs_plan_feature(m.plan, 1, &name, &type);
    assert_int_equal(name.size, 1);
    assert_int_equal(name.bytes[0], 'b');
    end();
}

#define NAMED                                                                                 \
    "{\"hbscore\":1,\"writer\":{\"hbscore\":\"0.1.0\"},\"task\":\"regressor\",\"features\":[" \
    "{\"name\":\"tenure\",\"type\":\"f4\"},{\"name\":\"a \\\"b\\\"\",\"type\":\"i8\"},"       \
    "{\"name\":\"\\u00e9\",\"type\":\"bool\"}],\"transform\":1,\"ops\":["

static void features_may_have_names(void **state)
{
    static const char *const names[] = {"tenure", "a \"b\"", "\xc3\xa9"};
    hbs_text name;
    hbs_type type;

    begin(NAMED "{\"op\":\"select\",\"in\":[0],\"cols\":[2]}]}", NULL);
    assert_true(m.info.named);
    for (size_t i = 0; i < 3; i++) {
        hbs_plan_feature(m.plan, i, &name, &type);
        assert_int_equal(name.size, strlen(names[i]));
        assert_memory_equal(name.bytes, names[i], name.size);
    }
    end();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(select_takes_columns_in_any_order),
        TEST(concat_puts_values_side_by_side),
        TEST(cast_rounds_once_to_float32),
        TEST(cast_of_float32_columns_is_the_same),
        TEST(affine_does_its_steps_in_order),
        TEST(affine_may_divide_by_zero),
        TEST(clip_keeps_what_is_within),
        TEST(impute_fills_what_is_missing),
        TEST(impute_may_replace_a_number),
        TEST(linear_of_float32_is_compared_loosely),
        TEST(linear_sums_in_the_order_of_the_features),
        TEST(forests_walk_and_sum_as_the_file_says),
        TEST(a_forest_may_have_no_trees),
        TEST(thresholds_and_leaves_may_be_infinite),
        TEST(links_of_one_score),
        TEST(links_of_several_scores),
        TEST(ties_go_where_the_rule_says),
        TEST(argmax_is_the_first_maximum),
        TEST(a_head_names_the_outputs),
        TEST(classes_are_of_four_types),
        TEST(options_give_classes_and_names),
        TEST(features_may_have_names),
        TEST(wide_columns_are_moved_in_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
