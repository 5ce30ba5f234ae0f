/* test_describe.c - a plan in lines: the operators, the graph before and after each pass, the steps. */
#include "models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model_text[] = /* binary:logistic, one stump: features a and b */
    "{\"learner\":{\"attributes\":{},\"feature_names\":[\"a\",\"b\"],"
    "\"feature_types\":[\"float\",\"float\"],\"gradient_booster\":{\"model\":{"
    "\"gbtree_model_param\":{\"num_parallel_tree\":\"1\",\"num_trees\":\"1\"},"
    "\"iteration_indptr\":[0,1],\"tree_info\":[0],\"trees\":[{\"base_weights\":[0,0,0],"
    "\"categories\":[],\"categories_nodes\":[],\"categories_segments\":[],"
    "\"categories_sizes\":[],\"default_left\":[0,0,0],\"id\":0,"
    "\"left_children\":[1,-1,-1],\"loss_changes\":[1,0,0],"
    "\"parents\":[2147483647,0,0],\"right_children\":[2,-1,-1],"
    "\"split_conditions\":[0.5,-1,1],\"split_indices\":[0,0,0],"
    "\"split_type\":[0,0,0],\"sum_hessian\":[2,1,1],"
    "\"tree_param\":{\"num_deleted\":\"0\",\"num_feature\":\"2\",\"num_nodes\":\"3\","
    "\"size_leaf_vector\":\"1\"}}]},\"name\":\"gbtree\"},\"learner_model_param\":{"
    "\"base_score\":\"[5E-1]\",\"boost_from_average\":\"1\",\"num_class\":\"0\","
    "\"num_feature\":\"2\",\"num_target\":\"1\"},\"objective\":{\"name\":\"binary:logistic\","
    "\"reg_loss_param\":{\"scale_pos_weight\":\"1\"}}},\"version\":[3,2,0]}";

/* All lines as text. `bytes` only where a line has some, as "+": they are a matter of the kernels. */
static void write_lines(const hbs_description *d, char *text, size_t size)
{
    const hbs_plan_line *line;
    size_t used = 0;

    for (size_t i = 0; (line = hbs_description_line(d, i)) != NULL; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s %d %s(%s) %s %zu [%s] %s%s %s\n", line->stage,
                                 line->position, line->name, line->inputs, line->dtype, line->width, line->outputs,
                                 line->strategy, line->bytes ? "+" : "", line->note);
    }
    assert_true(used < size);
    assert_null(hbs_description_line(d, SIZE_MAX));
}

static void is_described(uint32_t passes_off, const char *expected)
{
    hbs_compile_options options = {.passes_off = passes_off, .strategy = HBS_STRATEGY_TT};
    hbs_description *d;
    test_host host;
    hbs_error error;
    char text[4096];

    test_host_init(&host);
    hbs_model *model = test_load(&host.host, model_text, NULL);

    assert_status(hbs_plan_describe(model, &options, &d, &error), HBS_OK, &error);
    hbs_model_free(model); /* the lines outlive it */
    write_lines(d, text, sizeof text);
    assert_string_equal(text, expected);
    hbs_description_free(d);
    hbs_description_free(NULL);
    test_host_end(&host);
}

#define BEFORE                                                                                   \
    "pipeline 1 ordinal(0) float32 2 []  columns to numbers; categories become their position\n" \
    "pipeline 2 forest(1) float32 1 [raw]  sum of decision trees\n"                              \
    "pipeline 3 link(2) float32 1 [probabilities]  raw scores to the output's scale\n"           \
    "pipeline 4 head(3) float32 1 [label]  class by the library's own rule\n"                    \
    "lowered 0 table()  2 [label, probabilities, raw]  \n"                                       \
    "lowered 1 encode(0) float32 2 [label, probabilities, raw]  \n"                              \
    "lowered 2 constant() float32 1 [label, probabilities, raw]  \n"                             \
    "lowered 3 logit(2) float32 1 [label, probabilities, raw]  the same for every row\n"         \
    "lowered 4 tree_ensemble(1, 3) float32 1 [label, probabilities, raw]  1 trees, 3 nodes\n"    \
    "lowered 5 sigmoid(4) float32 1 [label, probabilities]  \n"                                  \
    "lowered 6 greater(5) float32 1 [label]  \n"                                                 \
    "lowered 7 complement(5) float32 2 [probabilities]  \n"

#define STEPS                                                                                 \
    "plan 4 tree_ensemble(1, 3) float32 1 [label, probabilities, raw] tt+ 1 trees, 3 nodes\n" \
                                                                                              \
    "plan 5 sigmoid(4) float32 1 [label, probabilities] + \n"                                 \
    "plan 6 greater(5) float32 1 [label] + \n"                                                \
    "plan 7 complement(5) float32 2 [probabilities]  \n"

static void each_stage_has_its_lines(void **state)
{
    is_described(0, BEFORE "fold_constants 0 table()  2 [label, probabilities, raw]  \n"
                           "fold_constants 1 encode(0) float32 2 [label, probabilities, raw]  \n"
                           "fold_constants 3 constant() float32 1 [label, probabilities, raw]  \n"
                           "fold_constants 4 tree_ensemble(1, 3) float32 1 [label, probabilities, raw]  1 "
                           "trees, 3 nodes\n"
                           "fold_constants 5 sigmoid(4) float32 1 [label, probabilities]  \n"
                           "fold_constants 6 greater(5) float32 1 [label]  \n"
                           "fold_constants 7 complement(5) float32 2 [probabilities]  \n" STEPS
                           "plan 8 all()  0 [label, probabilities, raw] + 32 bytes of scratch a row\n");
}

static void a_pass_that_is_off_has_no_stage(void **state)
{
    is_described(UINT32_MAX,
                 BEFORE "plan 3 logit(2) float32 1 [label, probabilities, raw]  the same for every "
                        "row\n" STEPS "plan 8 all()  0 [label, probabilities, raw] + 32 bytes of scratch a row\n");
}

static void the_last_line_has_the_size_of_the_plan(void **state)
{
    const hbs_plan_line *line, *last = NULL;
    size_t parameters = 0;
    hbs_description *d;
    hbs_plan_info info;
    test_host host;
    hbs_error error;

    test_host_init(&host);
    hbs_model *model = test_load(&host.host, model_text, NULL);
    hbs_plan *plan = test_compile(&host.host, model_text, NULL);

    hbs_plan_get_info(plan, &info);
    assert_status(hbs_plan_describe(model, NULL, &d, &error), HBS_OK, &error);
    for (size_t i = 0; (line = hbs_description_line(d, i)) != NULL; i++) {
        parameters += last ? last->bytes : 0;
        last = line;
    }
    assert_int_equal(last->bytes, info.bytes);
    assert_true(parameters > 0 && parameters < info.bytes);
    hbs_description_free(d);
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

static hbs_status load_and_describe(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_source source = {.bytes = model_text, .size = sizeof model_text - 1};
    hbs_description *d = NULL;
    hbs_model *model;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    if (status != HBS_OK)
        return status;
    status = hbs_plan_describe(model, NULL, &d, error);
    assert_true((status == HBS_OK) == (d != NULL));
    hbs_description_free(d);
    hbs_model_free(model);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(load_and_describe, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stage_has_its_lines),
        cmocka_unit_test(a_pass_that_is_off_has_no_stage),
        cmocka_unit_test(the_last_line_has_the_size_of_the_plan),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
