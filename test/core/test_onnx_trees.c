/* test_onnx_trees.c - tree ensembles of ONNX: each mode at its threshold, against the rules in plain C, and what is
 * refused. */
#include "onnx_ensemble.h"

#include <math.h>
#include <stdio.h>

/* ------------------------------------------------------------------ modes */

static bool holds(const char *mode, float x, float value)
{
    return strcmp(mode, "BRANCH_LEQ") == 0   ? x <= value
           : strcmp(mode, "BRANCH_LT") == 0  ? x < value
           : strcmp(mode, "BRANCH_GTE") == 0 ? x >= value
           : strcmp(mode, "BRANCH_EQ") == 0  ? x == value
           : strcmp(mode, "BRANCH_NEQ") == 0 ? x != value
                                             : x > value;
}

/* A missing number goes where the test holds if it tracks true, or if it is unlike the value: no other comparison with
 * it holds. */
static void each_mode_compares_float32_at_each_threshold(void **state)
{
    static const char *const modes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                        "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
    static const float values[] = {0.0f,     -0.0f,     0.1f,   -2.5f,   3.40282347e+38f,
                                   INFINITY, -INFINITY, 1e-45f, -1e-45f, -3.40282347e+38f};

    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
            for (int tracks = 0; tracks < 2; tracks++) {
                ensemble e = stump(modes[m], values[v], tracks);
                const float rows[] = {values[v],
                                      nextafterf(values[v], INFINITY),
                                      nextafterf(values[v], -INFINITY),
                                      NAN,
                                      INFINITY,
                                      -INFINITY,
                                      0.0f,
                                      -0.0f};
                fixture f;

                open_ensemble(&f, &e);
                for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
                    bool is_true = holds(modes[m], rows[r], values[v]) || (isnan(rows[r]) && tracks);

                    score_row(&f, (double)rows[r], 0, HBS_OUT_VALUE);
                    if (f.result.value[0] != (is_true ? 1 : 2))
                        fail_msg("%s %a, tracks %d: %a gives %g", modes[m], (double)values[v], tracks, (double)rows[r],
                                 f.result.value[0]);
                }
                close_file(&f);
            }
}

/* ------------------------------------------------------------------ chains of equality */

/* x is 2, 70 or -1.5, as three nodes with one true child, the first of which stands last: 1, else 2. */
static ensemble chain(void)
{
    ensemble e = {.n_outputs = 1};

    add_node(&e, 0, 0, "BRANCH_LEQ", 1, 100, 3, 5);
    add_node(&e, 0, 1, "BRANCH_EQ", 0, -1.5f, 4, 6);
    add_node(&e, 0, 2, "BRANCH_EQ", 0, 70, 4, 1);
    add_node(&e, 0, 3, "BRANCH_EQ", 0, 2, 4, 2);
    add_leaf(&e, 0, 4, 0, 1);
    add_leaf(&e, 0, 5, 0, 3);
    add_leaf(&e, 0, 6, 0, 2);
    return e;
}

/* As float64 numbers 0.1 is not the file's float32 number; integers are rounded to float32. */
static void equality_of_float64_and_of_integers(void **state)
{
    static const char *const modes[] = {"BRANCH_EQ", "BRANCH_NEQ"};
    static const double rows[] = {0.1, (double)0.1f, 0, 7, (double)INFINITY, (double)NAN};
    const double whole[][2] = {{16777216, 1}, {16777217, 1}, {16777218, 2}, {-1, 2}};
    ensemble e = stump("BRANCH_EQ", 16777216, 0);
    test_message file = write_typed(&e, INT64, NULL);
    fixture f;

    open_file(&f, NULL, &file);
    check_rows(&f, 4, whole);
    close_file(&f);
    for (size_t i = 0; i < 4; i++) {
        bool equal = i < 2, tracks = i & 1;

        e = stump(modes[!equal], 0.1f, tracks);
        file = write_typed(&e, FLOAT64, NULL);
        open_file(&f, NULL, &file);
        for (size_t r = 0; r < 6; r++) {
            bool yes = isnan(rows[r]) ? tracks || !equal : (rows[r] == (double)0.1f) == equal;

            score_row(&f, rows[r], 0, HBS_OUT_VALUE);
            if (f.result.value[0] != (yes ? 1 : 2))
                fail_msg("case %zu: %g gives %g", i, rows[r], f.result.value[0]);
        }
        close_file(&f);
    }
}

/* Thresholds, weights and bases of version 3 may be float64, for float64 inputs. */
static void numbers_may_be_tensors_of_float64(void **state)
{
    ensemble e = stump("BRANCH_LEQ", 1, 0);
    test_message file, narrow;
    fixture f;

    e.are_tensors = true;
    e.at_threshold = 1e-9;
    e.n_base = 1;
    e.base[0] = 0.25f;
    file = write_typed(&e, FLOAT64, NULL);
    narrow = write_typed(&e, FLOAT32, NULL);
    open_file(&f, NULL, &file);
    score_row(&f, 1 + 0.9e-9, 0, HBS_OUT_VALUE);
    assert_true(f.result.value[0] == (double)(float)(1 + 1e-9 + (0.25 + 1e-9)));
    score_row(&f, 1 + 1.1e-9, 0, HBS_OUT_VALUE);
    assert_true(f.result.value[0] == (double)(float)(2 + 1e-9 + (0.25 + 1e-9)));
    close_file(&f);
    check_refused(0, &narrow, HBS_E_FORMAT, "is not float64, as its input");
}

static void a_chain_with_one_true_child_is_a_set(void **state)
{
    const double rows[][2] = {{2, 1},     {70, 1},   {-1.5, 1},     {0, 2},         {1, 2},
                              {2.5, 2},   {-2, 2},   {INFINITY, 2}, {-INFINITY, 2}, {NAN, 2},
                              {1e300, 2}, {-0.0, 2}, {1.9, 2},      {2.00000001, 1} /* rounded to float32 */};
    ensemble e = chain();
    fixture f;

    open_ensemble(&f, &e);
    check_rows(&f, sizeof(rows) / sizeof(rows[0]), rows);
    score_row(&f, 2, 101, HBS_OUT_VALUE);
    assert_true(f.result.value[0] == 3);
    close_file(&f);
}

static void a_missing_number_is_a_member_if_the_nodes_of_the_chain_say_so(void **state)
{
    const double rows[][2] = {{NAN, 1}, {3, 2}, {70, 1}};
    ensemble e = chain();
    fixture f;

    e.tracks[1] = e.tracks[2] = e.tracks[3] = 1;
    open_ensemble(&f, &e);
    check_rows(&f, 3, rows);
    close_file(&f);
}

/* A test of feature 1 with its two leaves, as nodes number to number + 2. */
static void add_copy(ensemble *e, int64_t number, float weight)
{
    add_node(e, 0, number, "BRANCH_LT", 1, 0, number + 1, number + 2);
    add_leaf(e, 0, number + 1, 0, 4);
    add_leaf(e, 0, number + 2, 0, weight);
}

/* Each of two nodes has a copy of its own of what follows where it holds. */
static ensemble copies(float weight)
{
    ensemble e = {.n_outputs = 1};

    add_node(&e, 0, 0, "BRANCH_EQ", 0, 2, 2, 1);
    add_node(&e, 0, 1, "BRANCH_EQ", 0, 5, 5, 8);
    add_copy(&e, 2, 1);
    add_copy(&e, 5, weight);
    add_leaf(&e, 0, 8, 0, 2);
    return e;
}

static void a_chain_with_copies_of_a_child_is_a_set(void **state)
{
    const double rows[][2] = {{2, 1}, {5, 1}, {3, 2}, {NAN, 2}};
    const hbs_limits limits = {.max_depth = 2}; /* the set, the test, the leaf */
    ensemble e = copies(1);
    fixture f;

    open_within(&f, &limits, &e);
    check_rows(&f, 4, rows);
    close_file(&f);
}

static void children_that_differ_stay_apart(void **state)
{
    const double rows[][2] = {{2, 1}, {5, 7}, {3, 2}, {NAN, 2}};
    ensemble e = copies(7);
    fixture f;

    open_ensemble(&f, &e);
    check_rows(&f, 4, rows);
    close_file(&f);
}

/* Weights for two outputs: leaves are rows of numbers. */
static void copies_may_have_several_weights(void **state)
{
    ensemble e = copies(1);
    const hbs_limits limits = {.max_depth = 2};
    fixture f;

    e.n_outputs = 2;
    add_weight(&e, 0, 3, 1, 8);
    add_weight(&e, 0, 6, 1, 8);
    open_within(&f, &limits, &e);
    score_row(&f, 5, -1, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 4 && f.result.values[1] == 8);
    score_row(&f, 5, 1, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 1 && f.result.values[1] == 0);
    close_file(&f);
}

/* ------------------------------------------------------------------ numbers of trees and nodes */

/* Trees 7 and -3, whose nodes have numbers that neither begin at 0 nor rise, and weights in any order. */
static ensemble odd_numbers(void)
{
    ensemble e = {.n_outputs = 1, .n_base = 1, .base = {0.125f}};

    add_node(&e, 7, 100, "BRANCH_LEQ", 0, 0, 300, 200);
    add_node(&e, 7, 200, "LEAF", -2, 0, 0, 0);
    add_node(&e, 7, 300, "LEAF", -2, 0, 0, 0);
    add_node(&e, -3, 9, "BRANCH_GT", 1, 1, 5, 8);
    add_node(&e, -3, 5, "LEAF", 0, 0, -1, -1);
    add_node(&e, -3, 8, "LEAF", 0, 0, -1, -1);
    add_weight(&e, -3, 5, 0, 0.1f);
    add_weight(&e, 7, 300, 0, 16777216);
    add_weight(&e, 7, 100, 0, 1000); /* of an inner node: counts nowhere */
    add_weight(&e, -3, 8, 0, 1);
    add_weight(&e, 7, 200, 0, 3);
    return e;
}

static void numbers_need_not_rise_and_the_base_comes_last(void **state)
{
    ensemble e = odd_numbers();
    fixture f;

    open_ensemble(&f, &e);
    score_row(&f, -1, 0, HBS_OUT_VALUE);
    assert_true(f.result.value[0] == 16777216); /* + 1 is lost in float32, and so is the base */
    score_row(&f, 1, 2, HBS_OUT_VALUE);
    assert_true(f.result.value[0] == (double)(3 + 0.1f + 0.125f));
    close_file(&f);
}

static void leaves_may_add_to_several_outputs(void **state)
{
    ensemble e = stump("BRANCH_LT", 0.5f, 0);
    fixture f;

    e.n_outputs = 3;
    add_weight(&e, 0, 1, 2, 8); /* 1, 0, 8 or 2, 0, 0 */
    open_ensemble(&f, &e);
    score_row(&f, 0, 0, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 1 && f.result.values[1] == 0 && f.result.values[2] == 8);
    score_row(&f, 1, 0, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 2 && f.result.values[1] == 0 && f.result.values[2] == 0);
    close_file(&f);
}

/* As ONNX Runtime: of the third target, which no leaf has a weight for, the base is left out. */
static void the_base_of_a_target_without_weights_does_not_count(void **state)
{
    ensemble e = stump("BRANCH_LT", 0.5f, 0);
    fixture f;

    e.n_outputs = e.n_base = 3;
    memcpy(e.base, (float[]){0.5f, 0, 4}, 3 * sizeof(float));
    add_weight(&e, 0, 1, 1, 8);
    open_ensemble(&f, &e);
    score_row(&f, 0, 0, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 1.5 && f.result.values[1] == 8 && f.result.values[2] == 0);
    score_row(&f, 1, 0, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == 2.5 && f.result.values[1] == 0 && f.result.values[2] == 0);
    close_file(&f);
}

static void average_word(test_message *node)
{
    test_put_word(node, "aggregate_function", "AVERAGE");
}

/* In float32, before the base is added. */
static void an_average_is_the_sum_divided_by_the_trees(void **state)
{
    ensemble e = stump("BRANCH_LT", 0.5f, 0);
    fixture f;

    for (int64_t tree = 1; tree < 3; tree++)
        add_leaf(&e, tree, 0, 0, 0.1f);
    e.n_base = 1;
    e.base[0] = 0.3f;
    open_edited(&f, &e, average_word);
    score_row(&f, 0, 0, HBS_OUT_VALUE);
    assert_true(f.result.value[0] == (double)(((1 + 0.1f) + 0.1f) / 3 + 0.3f));
    close_file(&f);
}

static void least(test_message *node)
{
    test_put_word(node, "aggregate_function", "MIN");
}

static void largest(test_message *node)
{
    test_put_word(node, "aggregate_function", "MAX");
}

/* Each target has the extreme of the trees whose leaf gives it a weight, then its base; 0 if none does. */
static void extremes_of_several_targets(void **state)
{
    static const double rows[3] = {-1, 0.5, 2},
                        expected[2][3][3] = {{{4, -1, 0}, {5, 7, 0}, {3, 0, 0}}, {{5, 7, 0}, {6, 7, 0}, {6, 0, 0}}};
    ensemble e = {.n_outputs = 3, .n_base = 3, .base = {1, 0, 9}};

    add_node(&e, 0, 0, "BRANCH_LEQ", 0, 0, 1, 2);
    add_leaf(&e, 0, 1, 0, 3);
    add_weight(&e, 0, 1, 1, -1);
    add_leaf(&e, 0, 2, 0, 5);
    add_node(&e, 7, 0, "BRANCH_LEQ", 0, 1, 1, 2);
    add_leaf(&e, 7, 1, 0, 4);
    add_weight(&e, 7, 1, 1, 7);
    add_leaf(&e, 7, 2, 0, 2);
    for (int k = 0; k < 4; k++) {
        test_message file;
        fixture f;

        e.are_tensors = k > 1;
        file = write_typed(&e, k > 1 ? FLOAT64 : FLOAT32, k % 2 ? largest : least);
        open_file(&f, NULL, &file);
        for (size_t r = 0; r < 3; r++) {
            score_row(&f, rows[r], 0, HBS_OUT_VALUES);
            for (size_t o = 0; o < 3; o++)
                if (f.result.values[o] != expected[k % 2][r][o])
                    fail_msg("case %d, x %g, target %zu: %g", k, rows[r], o, f.result.values[o]);
        }
        close_file(&f);
    }
}

/* One target stays as it is. */
static void several_targets_may_be_transformed(void **state)
{
    static const char *const posts[] = {"LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"};
    ensemble e = stump("BRANCH_LT", 0.5f, 0);
    fixture f;

    for (size_t i = 0; i < 3; i++) {
        e.post = posts[i];
        open_ensemble(&f, &e);
        score_row(&f, 0, 0, HBS_OUT_VALUE);
        assert_true(f.result.value[0] == 1);
        close_file(&f);
    }
    e.n_outputs = 2;
    e.post = "LOGISTIC";
    open_ensemble(&f, &e);
    score_row(&f, 0, 0, HBS_OUT_VALUES);
    assert_true(f.result.values[0] == (double)(1 / (1 + expf(-1))) && f.result.values[1] == 0.5);
    close_file(&f);
}

/* The numbers are ONNX Runtime's. */
static void probit_transforms_one_target_too(void **state)
{
    static const double rows[][2] = {{0, -0.67457431554794312}, {1, 1.1505354642868042}};
    ensemble e = stump("BRANCH_LT", 0.5f, 0);
    fixture f;

    e.weights[0] = 0.25f;
    e.weights[1] = 0.875f;
    e.post = "PROBIT";
    open_ensemble(&f, &e);
    check_rows(&f, 2, rows);
    close_file(&f);
}

static double probability_of(fixture *f, double x, size_t o)
{
    score_row(f, x, 0, HBS_OUT_PROBABILITIES);
    return f->result.probabilities[o];
}

static bool is_near(double a, double b)
{
    return (a != a && b != b) || a == b || fabs(a - b) <= 1.2e-7 * fabs(b);
}

/* SOFTMAX_ZERO: 0 stays 0 and does not count in the sum; 1e-8 is multiplied by the exponential of the largest. The
 * numbers are ONNX Runtime's, as those of PROBIT: of 0 -infinity, of -0.5 NaN. */
static void softmax_zero_and_probit_of_three_classes(void **state)
{
    static const float weights[4][3] = {{0.25f, 0, 0.75f}, {0.875f, 1e-8f, 0.9f}, {0.25f, -0.5f, 0.75f}, {0, 0, 0}};
    static const double softmaxes[4][3] = {{0.3775406777858734, 0, 0.622459352016449},
                                           {0.49375033378601074, 2.0582577864303175e-09, 0.5062496662139893},
                                           {0.320401132106781, 0.15134677290916443, 0.528252124786377},
                                           {(double)NAN, (double)NAN, (double)NAN}};
    static const double probits[3] = {-0.6745743155479431, (double)NAN, 0.6745743155479431};

    for (size_t i = 0; i < 4; i++) {
        ensemble e = {.n_labels = 3, .n_base = 3, .base = {0, 0, 0}, .post = "SOFTMAX_ZERO"};
        fixture f;

        add_node(&e, 0, 0, "LEAF", 0, 0, -1, -1);
        for (int64_t o = 0; o < 3; o++)
            add_weight(&e, 0, 0, o, weights[i][o]);
        open_ensemble(&f, &e);
        for (size_t o = 0; o < 3; o++)
            if (!is_near(probability_of(&f, 0, o), softmaxes[i][o]))
                fail_msg("case %zu: number %zu is %.17g", i, o, f.result.probabilities[o]);
        close_file(&f);
        e.post = "PROBIT";
        open_ensemble(&f, &e);
        for (size_t o = 0; i == 2 && o < 3; o++)
            assert_true(is_near(probability_of(&f, 0, o), probits[o]));
        assert_true(i != 0 || probability_of(&f, 0, 1) == -(double)INFINITY);
        close_file(&f);
    }
}

/* ------------------------------------------------------------------ classes */

static ensemble two_classes(float first, float second, const char *post)
{
    ensemble e = {.n_labels = 2, .post = post};

    add_node(&e, 0, 0, "BRANCH_LEQ", 0, 0, 1, 2);
    add_leaf(&e, 0, 1, 0, first);
    add_leaf(&e, 0, 2, 0, second);
    return e;
}

static void one_score_of_weights_above_zero_is_a_probability(void **state)
{
    ensemble e = two_classes(0.5f, 0.7f, NULL);
    fixture f;

    open_ensemble(&f, &e);
    score_row(&f, 0, 0, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES);
    assert_int_equal(f.result.label[0], 0); /* not above 0.5 */
    score_row(&f, 1, 0, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES);
    assert_int_equal(f.result.label[0], 1);
    assert_true(f.result.probabilities[0] == (double)(1 - 0.7f) && f.result.probabilities[1] == (double)0.7f);
    close_file(&f);
}

static void one_score_of_mixed_weights_is_compared_with_zero(void **state)
{
    ensemble e = two_classes(-0.25f, 0.25f, "LOGISTIC");
    double y = (double)(1 / (1 + expf(-0.25f)));
    fixture f;

    open_ensemble(&f, &e);
    score_row(&f, 0, 0, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES | HBS_OUT_RAW);
    assert_int_equal(f.result.label[0], 0);
    assert_true(f.result.raw[0] == -0.25 && f.result.probabilities[0] == y);
    score_row(&f, 1, 0, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES);
    assert_int_equal(f.result.label[0], 1);
    assert_true(f.result.probabilities[1] == y);
    close_file(&f);
}

/* As ONNX Runtime, which transforms one score by LOGISTIC alone. */
static void softmax_leaves_a_pair_as_it_is(void **state)
{
    ensemble e = two_classes(0.25f, 0.75f, "SOFTMAX");
    fixture f;

    open_ensemble(&f, &e);
    score_row(&f, 1, 0, HBS_OUT_PROBABILITIES);
    assert_true(f.result.probabilities[0] == 0.25 && f.result.probabilities[1] == 0.75);
    close_file(&f);
    e = two_classes(-0.25f, 0.75f, "SOFTMAX_ZERO");
    open_ensemble(&f, &e);
    score_row(&f, 1, 0, HBS_OUT_RAW | HBS_OUT_LABEL);
    assert_true(f.result.raw[0] == 0.75 && f.result.label[0] == 1);
    close_file(&f);
}

static void the_first_largest_of_several_scores_is_the_label(void **state)
{
    ensemble e = {.n_labels = 3, .n_base = 3, .base = {0, 0, 0.5f}};
    fixture f;

    add_node(&e, 0, 0, "BRANCH_LEQ", 0, 0, 1, 2);
    add_leaf(&e, 0, 1, 0, 0.5f);
    add_leaf(&e, 0, 2, 1, 0.75f);
    open_ensemble(&f, &e);
    score_row(&f, 0, 0, HBS_OUT_LABEL);
    assert_int_equal(f.result.label[0], 0);
    score_row(&f, 1, 0, HBS_OUT_LABEL);
    assert_int_equal(f.result.label[0], 1);
    close_file(&f);
}

/* ------------------------------------------------------------------ what is refused */

static ensemble base_stump(void)
{
    return stump("BRANCH_LEQ", 0, 0);
}

static ensemble unknown_mode(void)
{
    return stump("BRANCH_MEMBER", 0, 0);
}

static ensemble equal_to_nan(void)
{
    return stump("BRANCH_EQ", NAN, 0);
}

static ensemble chain_of_two_features(void)
{
    ensemble e = chain();

    e.features[2] = 1;
    return e;
}

static ensemble chain_with_a_comparison(void)
{
    ensemble e = chain();

    e.modes[2] = "BRANCH_LEQ";
    return e;
}

static ensemble chain_in_a_circle(void)
{
    ensemble e = chain();

    e.no[1] = 3;
    return e;
}

static ensemble chain_into_itself(void)
{
    ensemble e = chain();

    e.no[3] = 3;
    return e;
}

static ensemble chain_of_its_own_child(void)
{
    ensemble e = chain();

    e.yes[2] = 3;
    return e;
}

static ensemble chain_of_two_minds(void)
{
    ensemble e = chain();

    e.tracks[2] = 1;
    return e;
}

/* Another node leads into the middle of the chain. */
static ensemble chain_with_a_side_door(void)
{
    ensemble e = chain();

    e.no[0] = 2;
    return e;
}

/* Its true child is a child of a node outside it, too. */
static ensemble chain_with_a_stranger(void)
{
    ensemble e = chain();

    e.no[0] = 4;
    return e;
}

static ensemble copies_that_overlap(void)
{
    ensemble e = copies(1);

    e.no[5] = 3;
    return e;
}

static ensemble nan_threshold(void)
{
    return stump("BRANCH_LEQ", NAN, 0);
}

static ensemble far_feature(void)
{
    ensemble e = base_stump();

    e.features[0] = 2;
    return e;
}

static ensemble negative_feature(void)
{
    ensemble e = base_stump();

    e.features[0] = -1;
    return e;
}

static ensemble no_child(void)
{
    ensemble e = base_stump();

    e.no[0] = 3;
    return e;
}

static ensemble cycle(void)
{
    ensemble e = base_stump();

    e.no[0] = 0;
    return e;
}

static ensemble shared_child(void)
{
    ensemble e = base_stump();

    e.no[0] = 1;
    return e;
}

static ensemble same_number(void)
{
    ensemble e = base_stump();

    e.numbers[2] = 1;
    return e;
}

static ensemble torn_tree(void)
{
    ensemble e = base_stump();

    e.trees[1] = 4;
    return e;
}

static ensemble strange_weight(void)
{
    ensemble e = base_stump();

    e.weight_trees[1] = 5;
    return e;
}

static ensemble strange_leaf(void)
{
    ensemble e = base_stump();

    e.weight_nodes[1] = 5;
    return e;
}

static ensemble far_output(void)
{
    ensemble e = base_stump();

    e.weight_outputs[0] = 1;
    return e;
}

static ensemble nan_weight(void)
{
    ensemble e = base_stump();

    e.weights[0] = NAN;
    return e;
}

static ensemble two_weights(void)
{
    ensemble e = base_stump();

    add_weight(&e, 0, 1, 0, 3);
    return e;
}

static ensemble no_nodes(void)
{
    ensemble e = {.n_outputs = 1};

    return e;
}

static ensemble no_targets(void)
{
    ensemble e = base_stump();

    e.n_outputs = 0;
    return e;
}

static ensemble bases(void)
{
    ensemble e = base_stump();

    e.n_base = 2;
    return e;
}

/* The base of the second target counts for some rows. */
static ensemble base_of_some_rows(void)
{
    ensemble e = base_stump();

    e.n_outputs = e.n_base = 2;
    e.base[1] = 0.5f;
    add_weight(&e, 0, 1, 1, 3);
    return e;
}

static ensemble one_label(void)
{
    ensemble e = two_classes(0.5f, 0.5f, NULL);

    e.n_labels = 1;
    return e;
}

static ensemble second_class(void)
{
    ensemble e = two_classes(0.5f, 0.5f, NULL);

    e.weight_outputs[1] = 1;
    return e;
}

static ensemble unscored_class(void)
{
    ensemble e = two_classes(-0.5f, 0.5f, NULL);

    e.n_labels = 3;
    return e;
}

static ensemble probit_of_one(void)
{
    return two_classes(-0.5f, 0.5f, "PROBIT");
}

static ensemble strange_transform(void)
{
    ensemble e = base_stump();

    e.post = "EXP";
    return e;
}

static ensemble infinite_stump(void)
{
    ensemble e = base_stump();

    e.n_outputs = 2;
    add_weight(&e, 0, 1, 1, -INFINITY);
    return e;
}

static void lists_and_tensors(test_message *node)
{
    static const double number = 1;

    test_put_tensor(node, "nodes_values_as_tensor", FLOAT64, 1, &number, sizeof(number));
}

static ensemble classifier(void)
{
    return two_classes(-0.5f, 0.5f, NULL);
}

static const struct {
    ensemble (*make)(void);
    void (*edit)(test_message *node);
    hbs_status status;
    const char *words;
} refused[] = {
    {unknown_mode, NULL, HBS_E_UNSUPPORTED, "tree 0, node 0: hbscore reads modes"},
    {equal_to_nan, NULL, HBS_E_FORMAT, "its threshold is NaN"},
    {chain_of_two_features, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {chain_with_a_comparison, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {chain_in_a_circle, NULL, HBS_E_FORMAT, "a deleted node is still reached"},
    {chain_into_itself, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {chain_of_its_own_child, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {chain_of_two_minds, NULL, HBS_E_UNSUPPORTED, "tree 0: nodes of one set send a missing value to different"},
    {chain_with_a_side_door, NULL, HBS_E_FORMAT, "a deleted node is still reached"},
    {chain_with_a_stranger, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {copies_that_overlap, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {nan_threshold, NULL, HBS_E_FORMAT, "its threshold is NaN"},
    {far_feature, NULL, HBS_E_FORMAT, "it tests feature 2 of 2"},
    {negative_feature, NULL, HBS_E_FORMAT, "it tests feature -1"},
    {no_child, NULL, HBS_E_FORMAT, "its child 3 is not there"},
    {cycle, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {shared_child, NULL, HBS_E_FORMAT, "is the root or has another parent"},
    {same_number, NULL, HBS_E_FORMAT, "tree 0 has two nodes 1"},
    {torn_tree, NULL, HBS_E_UNSUPPORTED, "the nodes of tree 0 do not stand together"},
    {strange_weight, NULL, HBS_E_FORMAT, "a weight is of tree 5, which has no nodes"},
    {strange_leaf, NULL, HBS_E_FORMAT, "a weight is of tree 0, node 5, which is not there"},
    {far_output, NULL, HBS_E_FORMAT, "a weight is for output 1 of 1"},
    {nan_weight, NULL, HBS_E_FORMAT, "a weight of tree 0 is NaN"},
    {two_weights, NULL, HBS_E_UNSUPPORTED, "a leaf has two weights for output 0"},
    {no_nodes, NULL, HBS_E_FORMAT, "it has no nodes"},
    {no_targets, NULL, HBS_E_FORMAT, "it has 0 targets"},
    {bases, NULL, HBS_E_UNSUPPORTED, "it has 2 base_values for 1 outputs"},
    {base_of_some_rows, NULL, HBS_E_UNSUPPORTED, "some leaves give target 1 no weight"},
    {one_label, NULL, HBS_E_UNSUPPORTED, "it has 1 labels"},
    {second_class, NULL, HBS_E_UNSUPPORTED, "two labels and weights for the second"},
    {unscored_class, NULL, HBS_E_UNSUPPORTED, "some leaves give a class no weight"},
    {probit_of_one, NULL, HBS_E_UNSUPPORTED, "one score for two classes and post_transform PROBIT"},
    {strange_transform, NULL, HBS_E_FORMAT, "post_transform is \"EXP\""},
    {infinite_stump, least, HBS_E_UNSUPPORTED,
     "some leaves give target 1 no weight, and one of the others is infinite"},
    {base_stump, lists_and_tensors, HBS_E_FORMAT, "it has both nodes_values and nodes_values_as_tensor"},
    {classifier, average_word, HBS_E_UNSUPPORTED, "SUM of a classifier, not AVERAGE"},
};

static void what_is_no_ensemble_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ensemble e = refused[i].make();
        test_message file = write_ensemble(&e, refused[i].edit);

        check_refused(i, &file, refused[i].status, refused[i].words);
    }
}

/* ------------------------------------------------------------------ the host */

static hbs_status load_and_free(const hbs_host *host, void *context, hbs_error *error)
{
    ensemble e = odd_numbers();
    test_message file;
    hbs_model *model = NULL;
    hbs_status status;

    (void)context;
    e.n_outputs = 2;
    e.n_base = 0;
    add_weight(&e, -3, 5, 1, 4);
    e.modes[0] = "BRANCH_EQ";
    e.modes[3] = "BRANCH_NEQ";
    file = write_ensemble(&e, NULL);
    status = load_within(host, NULL, &file, &model, error);
    hbs_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(load_and_free, NULL) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_compares_float32_at_each_threshold),
        cmocka_unit_test(equality_of_float64_and_of_integers),
        cmocka_unit_test(numbers_may_be_tensors_of_float64),
        cmocka_unit_test(a_chain_with_one_true_child_is_a_set),
        cmocka_unit_test(a_missing_number_is_a_member_if_the_nodes_of_the_chain_say_so),
        cmocka_unit_test(a_chain_with_copies_of_a_child_is_a_set),
        cmocka_unit_test(children_that_differ_stay_apart),
        cmocka_unit_test(copies_may_have_several_weights),
        cmocka_unit_test(numbers_need_not_rise_and_the_base_comes_last),
        cmocka_unit_test(leaves_may_add_to_several_outputs),
        cmocka_unit_test(the_base_of_a_target_without_weights_does_not_count),
        cmocka_unit_test(an_average_is_the_sum_divided_by_the_trees),
        cmocka_unit_test(extremes_of_several_targets),
        cmocka_unit_test(several_targets_may_be_transformed),
        cmocka_unit_test(softmax_leaves_a_pair_as_it_is),
        cmocka_unit_test(probit_transforms_one_target_too),
        cmocka_unit_test(softmax_zero_and_probit_of_three_classes),
        cmocka_unit_test(one_score_of_weights_above_zero_is_a_probability),
        cmocka_unit_test(one_score_of_mixed_weights_is_compared_with_zero),
        cmocka_unit_test(the_first_largest_of_several_scores_is_the_label),
        cmocka_unit_test(what_is_no_ensemble_is_refused),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("onnx_trees", tests, NULL, NULL);
}
