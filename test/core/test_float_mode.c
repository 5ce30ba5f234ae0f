/* test_float_mode.c - class R8 of the reliability page: whatever floating-point mode the host is in, the
 * model that is read and its scores have the same bits, and the mode is the host's again afterwards. */
#include "support.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* Two trees: thresholds and leaves that need right rounding, a denormal threshold, categories of NaN. */
static const char model_text[] =
    "{\"learner\":{\"attributes\":{},\"feature_names\":[],\"feature_types\":[],"
    "\"gradient_booster\":{\"model\":{\"gbtree_model_param\":{\"num_parallel_tree\":\"1\","
    "\"num_trees\":\"2\"},\"iteration_indptr\":[0,1,2],\"tree_info\":[0,0],\"trees\":["
    "{\"base_weights\":[0,0,0],\"default_left\":[1,0,0],\"id\":0,\"left_children\":[1,-1,-1],"
    "\"loss_changes\":[0,0,0],\"parents\":[2147483647,0,0],\"right_children\":[2,-1,-1],"
    "\"split_conditions\":[1.1754942E-38,1.0000001E-1,-3.3333334E-1],\"split_indices\":[0,0,0],"
    "\"split_type\":[0,0,0],\"sum_hessian\":[2,1,1],\"tree_param\":{\"num_deleted\":\"0\","
    "\"num_feature\":\"2\",\"num_nodes\":\"3\",\"size_leaf_vector\":\"1\"}},"
    "{\"base_weights\":[0,0,0],\"default_left\":[0,0,0],\"id\":1,\"left_children\":[1,-1,-1],"
    "\"loss_changes\":[0,0,0],\"parents\":[2147483647,0,0],\"right_children\":[2,-1,-1],"
    "\"split_conditions\":[7.0E-1,5.877472E-39,2.7182817E0],\"split_indices\":[1,0,0],"
    "\"split_type\":[0,0,0],\"sum_hessian\":[2,1,1],\"tree_param\":{\"num_deleted\":\"0\","
    "\"num_feature\":\"2\",\"num_nodes\":\"3\",\"size_leaf_vector\":\"1\"}}]},\"name\":\"gbtree\"},"
    "\"learner_model_param\":{\"base_score\":\"3.1E-1\",\"boost_from_average\":\"1\","
    "\"num_class\":\"0\",\"num_feature\":\"2\",\"num_target\":\"1\"},"
    "\"objective\":{\"name\":\"binary:logistic\",\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}}},"
    "\"version\":[3,2,0]}";

enum { N_ROWS = 6 };

typedef struct answers {
    double raw[N_ROWS];
    double probability[N_ROWS];
} answers;

/* Loads, compiles and scores rows that lie at the thresholds, one given as text. */
static void score_all(answers *out)
{
    const hbs_value rows[N_ROWS][2] = {
        {{.type = HBS_FLOAT32, .as.f32 = 1.1754942e-38f}, {.type = HBS_FLOAT64, .as.f64 = 0.7}},
        {{.type = HBS_FLOAT32, .as.f32 = 1.1754940e-38f}, {.type = HBS_FLOAT64, .as.f64 = 0.69999999}},
        {{.type = HBS_FLOAT64, .as.f64 = 1e-40}, {.type = HBS_TEXT, .as.text = {"0.7", 3}}},
        {{.type = HBS_NULL}, {.type = HBS_NULL}},
        {{.type = HBS_INT64, .as.i64 = 16777217}, {.type = HBS_FLOAT64, .as.f64 = 0.70000005}},
        {{.type = HBS_FLOAT64, .as.f64 = -1e-320}, {.type = HBS_BOOL, .as.boolean = true}},
    };
    test_host host;
    hbs_error error = {HBS_OK, 0, ""};
    hbs_source source = {.bytes = model_text, .size = sizeof(model_text) - 1};
    hbs_model *model;
    hbs_plan *plan;
    hbs_run *run;
    hbs_result result;

    test_host_init(&host);
    assert_status(hbs_model_load(&host.host, NULL, &source, &model, &error), HBS_OK, &error);
    assert_status(hbs_plan_compile(model, NULL, &plan, &error), HBS_OK, &error);
    assert_status(hbs_run_create(plan, &host.host, NULL, 1, &run, &error), HBS_OK, &error);
    for (size_t r = 0; r < N_ROWS; r++) {
        assert_status(hbs_score_row(run, rows[r], 2, HBS_OUT_RAW | HBS_OUT_PROBABILITIES, &result, &error), HBS_OK,
                      &error);
        out->raw[r] = result.raw[0];
        out->probability[r] = result.probabilities[1];
    }
    hbs_run_free(run);
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

static unsigned cases;

static void same_bits(const answers *found, const answers *wanted)
{
    cases++;
    assert_memory_equal(found, wanted, sizeof(*wanted));
}

static void another_rounding_changes_no_bit_and_is_kept(void **state)
{
    const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    answers wanted, found;

    score_all(&wanted);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        int after;

        assert_int_equal(fesetround(modes[i]), 0);
        score_all(&found);
        after = fegetround();
        fesetround(FE_TONEAREST);
        same_bits(&found, &wanted);
        assert_int_equal(after, modes[i]);
    }
}

#if defined(__x86_64__)

static void flushed_denormals_change_no_bit_and_stay_flushed(void **state)
{
    const unsigned flush = 0x8040; /* flush to zero, denormals are zero */
    unsigned before = _mm_getcsr(), after;
    answers wanted, found;

    score_all(&wanted);
    _mm_setcsr(before | flush);
    score_all(&found);
    after = _mm_getcsr();
    _mm_setcsr(before);
    same_bits(&found, &wanted);
    assert_int_equal(after & flush, flush);
}

static void trapped_exceptions_do_not_fire_and_stay_trapped(void **state)
{
    const unsigned all_masked = 0x1f80;
    unsigned before = _mm_getcsr(), after;
    answers wanted, found;

    score_all(&wanted);
    _mm_setcsr(before & ~all_masked & ~0x3fu); /* any inexact result would now be a SIGFPE */
    score_all(&found);
    after = _mm_getcsr();
    _mm_setcsr(before);
    same_bits(&found, &wanted);
    assert_int_equal(after & all_masked, 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_rounding_changes_no_bit_and_is_kept),
#if defined(__x86_64__)
        cmocka_unit_test(flushed_denormals_change_no_bit_and_stay_flushed),
        cmocka_unit_test(trapped_exceptions_do_not_fire_and_stay_trapped),
#endif
    };
    int failed = cmocka_run_group_tests_name("float mode", tests, NULL, NULL);

    printf("class R8: %u cases, %d failures\n", cases, failed);
    return failed != 0;
}
