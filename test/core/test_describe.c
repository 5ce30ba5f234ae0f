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
    is_described(0,
                 BEFORE "fold_constants 0 table()  2 [label, probabilities, raw]  \n"
                        "fold_constants 1 encode(0) float32 2 [label, probabilities, raw]  \n"
                        "fold_constants 3 constant() float32 1 [label, probabilities, raw]  \n"
                        "fold_constants 4 tree_ensemble(1, 3) float32 1 [label, probabilities, raw]  1 "
                        "trees, 3 nodes\n"
                        "fold_constants 5 sigmoid(4) float32 1 [label, probabilities]  \n"
                        "fold_constants 6 greater(5) float32 1 [label]  \n"
                        "fold_constants 7 complement(5) float32 2 [probabilities]  \n"
                        "fold_constants 8 pass()  0 []  1 rewrite: 8 -> 7 nodes\n" STEPS
                        "plan 8 all()  0 [label, probabilities, raw] + 1 of 2 features, 32 bytes of scratch a row\n");
}

static void a_pass_that_is_off_has_no_stage(void **state)
{
    is_described(UINT32_MAX,
                 BEFORE "plan 3 logit(2) float32 1 [label, probabilities, raw]  the same for every "
                        "row\n" STEPS
                        "plan 8 all()  0 [label, probabilities, raw] + 1 of 2 features, 32 bytes of scratch a row\n");
}

/* Each has a bit of its own. */
static void passes_have_names_and_bits(void **state)
{
    uint32_t all = 0, bit;
    const char *name;
    size_t n = 0;

    for (; (name = hbs_pass_name(n, &bit)) != NULL; n++) {
        assert_true(*name && bit && !(bit & (bit - 1)) && !(all & bit));
        all |= bit;
    }
    assert_true(n >= 3);
    assert_true(all & HBS_PASS_FOLD_CONSTANTS && all & HBS_PASS_REWRITE_DTYPES);
    assert_null(hbs_pass_name(SIZE_MAX, &bit));
}

static void a_plan_keeps_what_its_passes_have_done(void **state)
{
    const hbs_compile_options options[] = {{.passes_off = 0}, {.passes_off = HBS_PASS_FOLD_CONSTANTS}};
    hbs_pass_report report;
    hbs_plan *plan;
    test_host host;
    hbs_error error;

    test_host_init(&host);
    hbs_model *model = test_load(&host.host, model_text, NULL);

    assert_status(hbs_plan_compile(model, &options[0], &plan, &error), HBS_OK, &error);
    assert_true(hbs_plan_pass(plan, 0, &report));
    assert_string_equal(report.name, "fold_constants");
    assert_int_equal(report.rewrites, 1);
    assert_int_equal(report.before, 8);
    assert_int_equal(report.after, 7);
    assert_string_equal(report.unit, "nodes");
    assert_false(hbs_plan_pass(plan, 1, &report));
    assert_false(hbs_plan_pass(plan, SIZE_MAX, &report));
    hbs_plan_free(plan);
    assert_status(hbs_plan_compile(model, &options[1], &plan, &error), HBS_OK, &error);
    assert_false(hbs_plan_pass(plan, 0, &report));
    hbs_plan_free(plan);
    hbs_model_free(model);
    test_host_end(&host);
}

/* ------------------------------------------------------------------ drawings */

/* Fails unless all between quotes is one quoted text of Graphviz, and nothing outside is a name's. */
static void is_graphviz(hbs_text drawing)
{
    bool quoted = false;
    int depth = 0;

    assert_int_equal(drawing.bytes[drawing.size], 0);
    assert_int_equal(strlen(drawing.bytes), drawing.size);
    for (size_t i = 0; i < drawing.size; i++) {
        char c = drawing.bytes[i];

        if (quoted && c == '\\') {
            i++;
            assert_true(drawing.bytes[i] == '\\' || drawing.bytes[i] == '"' || drawing.bytes[i] == 'n');
        } else if (c == '"') {
            quoted = !quoted;
        } else if (quoted) {
            assert_true((unsigned char)c >= ' ' && c != 127);
            assert_true(c != '&' || memcmp(drawing.bytes + i, "&amp;", 5) == 0);
        } else {
            depth += (c == '{') - (c == '}');
            assert_non_null(strchr("abcdefghijklmnopqrstuvwxyz_0123456789 \n{}[]=,;->", c));
        }
    }
    assert_false(quoted);
    assert_int_equal(depth, 0);
}

static bool has(hbs_text drawing, const char *words)
{
    return strstr(drawing.bytes, words) != NULL;
}

static void draw(const char *options, hbs_text title, void (*check)(hbs_text drawing))
{
    hbs_description *d;
    hbs_text drawing;
    test_host host;
    hbs_error error;

    test_host_init(&host);
    hbs_model *model = test_load(&host.host, model_text, options);

    assert_status(hbs_plan_describe(model, NULL, &d, &error), HBS_OK, &error);
    hbs_model_free(model);
    assert_status(hbs_description_draw(d, title, &drawing, &error), HBS_OK, &error);
    is_graphviz(drawing);
    check(drawing);
    hbs_description_free(d);
    test_host_end(&host);
}

static void shows_both_graphs(hbs_text drawing)
{
    assert_true(has(drawing, "digraph hbscore {\n  label=\"churn@3\";"));
    assert_true(has(drawing, "p0 [style=rounded, label=\"table\\n2 features: a, b\"];"));
    assert_true(has(drawing, "p2 [label=\"forest\\n1 float32\"];\n    p1 -> p2;\n"));
    assert_true(has(drawing, "g3 [style=rounded, label=\"constant\\n1 float32\\nof forest\"];"));
    assert_true(has(drawing, "    g1 -> g4;\n    g3 -> g4;\n"));
    assert_true(has(drawing, "g6_out [shape=plain, fontname=\"Helvetica-Bold\", label=\"label\"];\n    g6 -> g6_out;"));
    assert_false(has(drawing, "pass"));
}

static void a_drawing_has_the_pipeline_and_the_graph(void **state)
{
    draw(NULL, (hbs_text){"churn@3", 7}, shows_both_graphs);
}

static void shows_no_name_as_it_is(hbs_text drawing)
{
    assert_true(has(drawing, "2 features: \\\\x22]; x -> y [\\\\x22, \\\\\\\\N&amp;lt;\\\\x0a"));
    assert_true(has(drawing, "label=\"\\\\x00\\\\xff\\\\x22\\\\\""));
}

static void names_cannot_leave_their_quotes(void **state)
{
    draw("{\"features\":[\"\\\"]; x -> y [\\\"\",\"\\\\\\\\N&lt;\\n\"]}", (hbs_text){"\0\xff\"\\", 4},
         shows_no_name_as_it_is);
}

static hbs_status load_and_draw(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_source source = {.bytes = model_text, .size = sizeof model_text - 1};
    hbs_description *d = NULL;
    hbs_text drawing;
    hbs_model *model;
    hbs_status status = hbs_model_load(host, NULL, &source, &model, error);

    if (status != HBS_OK)
        return status;
    status = hbs_plan_describe(model, NULL, &d, error);
    if (status == HBS_OK)
        status = hbs_description_draw(d, (hbs_text){"m", 1}, &drawing, error);
    hbs_description_free(d);
    hbs_model_free(model);
    return status;
}

static void each_allocation_of_a_drawing_may_fail(void **state)
{
    assert_true(test_each_allocation_fails(load_and_draw, NULL) > 10);
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
        cmocka_unit_test(passes_have_names_and_bits),
        cmocka_unit_test(a_plan_keeps_what_its_passes_have_done),
        cmocka_unit_test(a_drawing_has_the_pipeline_and_the_graph),
        cmocka_unit_test(names_cannot_leave_their_quotes),
        cmocka_unit_test(each_allocation_of_a_drawing_may_fail),
        cmocka_unit_test(the_last_line_has_the_size_of_the_plan),
        cmocka_unit_test(each_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
