/* test_closeness.c - how far a plan says that its numbers may be from the library's: operator by operator, with numbers
 * before it that are the library's bits, and with such that are not. */
#include "models.h"

#include <stdlib.h>
#include <string.h>

#include "every_operator.h"
#include "graph/passes.h"
#include "own_writer.h"

enum { WIDTH = 8 };
static const double TOLERANCE = 1e-3;

/* Of operator i behind the table, or behind an exp of it. */
static double tolerance_of(size_t i, bool close)
{
    const every_operator *op = every_operator_at(i);
    bool wide = op->dtypes & EVERY_FLOAT64;
    size_t width = op->takes ? op->takes : WIDTH, input = 1;
    hbs_plan_info info;
    test_pipeline p;
    test_host host;
    hbs_plan *plan;

    test_host_init(&host);
    test_pipeline_begin(&p, &host.host, width);
    p.pipeline.wide = wide;
    p.pipeline.tolerance = TOLERANCE;
    if (close)
        input = test_pipeline_link(&p, 1, HB_LINK_EXP);
    p.pipeline.values = every_operator_add(&p, i, input, width, wide);
    plan = test_pipeline_compile(&p, 0);
    hbs_plan_get_info(plan, &info);
    hbs_plan_free(plan);
    test_pipeline_end(&p);
    test_host_end(&host);
    return info.values_tolerance;
}

static void mark_kinds(const hb_graph *graph, bool *found)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        found[hb_node_at(graph, i)->kind] = true;
}

/* A class of the probabilities that operator i makes: a pass knows some such pairs. */
static void add_class(test_pipeline *p, size_t i, size_t width)
{
    if (every_operator_at(i)->kind != HB_OPERATOR_LINK || every_operator_width(i, width) < 2)
        return;
    test_pipeline_classes(p, every_operator_width(i, width));
    p->pipeline.label = test_pipeline_head(p, p->pipeline.values, HB_HEAD_ARGMAX, 0);
}

/* What operator i is in a pipeline, when it is lowered, and behind the passes. */
static void mark_all_kinds(size_t i, bool *found)
{
    const every_operator *op = every_operator_at(i);
    bool wide = op->dtypes & EVERY_FLOAT64;
    size_t width = op->takes ? op->takes : WIDTH;
    hb_graph graph;
    test_pipeline p;
    test_host host;
    hb_arena arena;

    test_host_init(&host);
    test_pipeline_begin(&p, &host.host, width);
    hb_arena_init(&arena, &p.memory);
    p.pipeline.wide = p.pipeline.rounded = wide;
    p.pipeline.values = every_operator_add(&p, i, 1, width, wide);
    add_class(&p, i, width);
    mark_kinds(&p.pipeline.graph, found);
    assert_status(hb_pipeline_seal(&p.pipeline, &p.error), HBS_OK, &p.error);
    assert_status(hb_graph_lower(&graph, &p.pipeline, &arena, &p.error), HBS_OK, &p.error);
    mark_kinds(&graph, found);
    assert_status(hb_graph_optimize(&graph, 0, &p.error), HBS_OK, &p.error);
    mark_kinds(&graph, found);
    hb_graph_release(&graph);
    hb_arena_release(&arena);
    test_pipeline_end(&p);
    test_host_end(&host);
}

/* Or is what one of them becomes. */
static void every_operator_has_a_form_in_the_list(void **state)
{
    bool found[HB_N_OPERATORS] = {false};

    for (size_t i = 0; i < every_operator_count(); i++)
        mark_all_kinds(i, found);
    for (size_t kind = 0; kind < HB_N_OPERATORS; kind++)
        if (!found[kind])
            fail_msg("%s is not in every_operator.c", hb_operator_name((hb_operator_kind)kind));
}

/* Only a decision makes an exact number of one that is close; what marks or moves numbers does not. */
static void each_operator_states_how_close_it_is(void **state)
{
    for (size_t i = 0; i < every_operator_count(); i++) {
        every_closeness closeness = every_operator_at(i)->closeness;
        double exact = tolerance_of(i, false), close = tolerance_of(i, true);

        if (exact != (closeness == EVERY_CLOSE ? TOLERANCE : 0))
            fail_msg("%s: %g behind exact numbers", every_operator_at(i)->name, exact);
        if (close != (closeness == EVERY_DECISION ? 0 : TOLERANCE))
            fail_msg("%s: %g behind close numbers", every_operator_at(i)->name, close);
    }
}

static double tolerance_of_document(const char *json)
{
    hbs_plan_info info;
    test_host host;
    hbs_plan *plan;

    test_host_init(&host);
    plan = test_compile(&host.host, json, NULL);
    hbs_plan_get_info(plan, &info);
    hbs_plan_free(plan);
    test_host_end(&host);
    own_reset();
    return info.value_tolerance;
}

/* A last bit of float64 can be one of float32 behind a rounding. */
static void a_close_number_may_round_to_the_next_float32(void **state)
{
    const char *norm = "{\"op\":\"normalize\",\"in\":[0],\"norm\":\"l2\",\"dtype\":\"f8\"}";

    assert_true(tolerance_of_document(own_regressor(1, norm)) == 1e-14);
    assert_true(tolerance_of_document(own_regressor(1, own_text("%s," CAST("1"), norm))) == 5e-7);
    assert_true(tolerance_of_document(own_regressor(
                    1, own_text(CAST("0") ",%s,%s," CAST("3"), own_affine("1", 1), own_affine("2", 1)))) == 0);
}

/* Of XGBoost's gblinear behind an operator. */
static double tolerance_of_gblinear(const char *before, own_model model)
{
    test_file file = {.objective = "reg:squarederror", .weights = "2,3,1", .n_features = 2};
    char *text = test_write_file(&file);
    double tolerance;

    model.file = text;
    tolerance = tolerance_of_document(own_regressor(2, own_text("%s,%s", before, own_model_of("1", model))));
    free(text);
    return tolerance;
}

/* With and without a number that means missing. */
static void a_gblinear_is_as_close_as_what_it_reads(void **state)
{
    for (size_t i = 0; i < 4; i++) {
        const char *sums =
            own_text("{\"op\":\"linear\",\"in\":[0],\"coef\":%s,\"intercept\":%s}", ROWS(2, 2, 1, 1, 1, -1), F8(0, 0));
        own_model model = {.missing = i & 1 ? F8(-1) : NULL, .zero_is_missing = i & 2 ? "1" : "0"};

        assert_true(tolerance_of_gblinear(sums, model) == 1e-4);
        model.missing = i & 1 ? F8(-1) : NULL;
        assert_true(tolerance_of_gblinear(own_affine("0", 2), model) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_has_a_form_in_the_list),
        cmocka_unit_test(each_operator_states_how_close_it_is),
        cmocka_unit_test(a_close_number_may_round_to_the_next_float32),
        cmocka_unit_test(a_gblinear_is_as_close_as_what_it_reads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
