/* test_graph.c - operators lowered to primitive ones, constants folded, what each output needs. */
#include "graph_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/elementwise.h"

/* A binary classifier of trees with base_score 0.25. */
static void begin_binary(graph_fixture *f)
{
    test_pipeline *p = graph_begin(f, 2);

    p->pipeline.raw = test_pipeline_forest(p, 1, 1, HB_BASE_LOGIT, 0.25f);
    p->pipeline.probabilities = test_pipeline_link(p, p->pipeline.raw, HB_LINK_SIGMOID);
    test_pipeline_classes(p, 2);
    p->pipeline.label = test_pipeline_head(p, p->pipeline.probabilities, HB_HEAD_GREATER, 0.5f);
    graph_lower(f);
}

/* ------------------------------------------------------------------ lowering */

static void each_operator_has_its_name(void **state)
{
    assert_string_equal(hb_operator_name(HB_OPERATOR_TABLE), "table");
    assert_string_equal(hb_operator_name(HB_OPERATOR_TREE_ENSEMBLE), "tree_ensemble");
    assert_string_equal(hb_operator_name(HB_OPERATOR_ARGMAX), "argmax");
    assert_int_equal(hb_dtype_size(HB_DTYPE_FLOAT32), 4);
}

static void a_binary_classifier_becomes_primitive_operators(void **state)
{
    graph_fixture f;

    begin_binary(&f);
    graph_is(&f, 0, HB_OPERATOR_TABLE, 2, false);
    graph_is(&f, 1, HB_OPERATOR_ENCODE, 2, false);
    graph_is(&f, 2, HB_OPERATOR_CONSTANT, 1, true);
    graph_is(&f, 3, HB_OPERATOR_LOGIT, 1, true);
    graph_is(&f, 4, HB_OPERATOR_TREE_ENSEMBLE, 1, false);
    graph_is(&f, 5, HB_OPERATOR_SIGMOID, 1, false);
    graph_is(&f, 6, HB_OPERATOR_GREATER, 1, false);
    graph_is(&f, 7, HB_OPERATOR_COMPLEMENT, 2, false);
    assert_int_equal(f.graph.nodes.count, 8);
    assert_true(((const float *)graph_node(&f, 2)->value.data)[0] == 0.25f);
    assert_int_equal(graph_node(&f, 4)->n_inputs, 2);
    assert_int_equal(graph_node(&f, 4)->inputs[0], 1);
    assert_int_equal(graph_node(&f, 4)->inputs[1], 3);
    assert_int_equal(graph_node(&f, 6)->inputs[0], 5);
    assert_true(GRAPH_FIT(&f, 6, greater)->threshold == 0.5f);
    assert_int_equal(graph_output(&f, HBS_OUT_VALUE), HB_NO_NODE);
    assert_int_equal(graph_output(&f, HBS_OUT_LABEL), 6);
    assert_int_equal(graph_output(&f, HBS_OUT_PROBABILITIES), 7); /* of both classes */
    assert_int_equal(graph_output(&f, HBS_OUT_VALUES), HB_NO_NODE);
    assert_int_equal(graph_output(&f, HBS_OUT_RAW), 4);
    graph_end(&f);
}

static void an_input_is_a_smaller_number(void **state)
{
    graph_fixture f;

    begin_binary(&f);
    for (size_t i = 0; i < f.graph.nodes.count; i++)
        for (size_t k = 0; k < graph_node(&f, i)->n_inputs; k++)
            assert_true(graph_node(&f, i)->inputs[k] < i);
    graph_end(&f);
}

static void each_link_has_its_operator(void **state)
{
    static const struct {
        hb_link_kind link;
        hb_operator_kind kind;
    } cases[] = {
        {HB_LINK_SIGMOID, HB_OPERATOR_SIGMOID},
        {HB_LINK_SOFTMAX, HB_OPERATOR_SOFTMAX},
        {HB_LINK_EXP, HB_OPERATOR_EXP},
        {HB_LINK_HINGE, HB_OPERATOR_GREATER},
        {HB_LINK_SORT, HB_OPERATOR_SORT},
        {HB_LINK_EXPECTILE, HB_OPERATOR_EXPECTILE},
        {HB_LINK_IDENTITY, HB_OPERATOR_TREE_ENSEMBLE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        graph_fixture f;
        test_pipeline *p = graph_begin(&f, 2);

        p->pipeline.raw = test_pipeline_forest(p, 1, 3, HB_BASE_IDENTITY, 0);
        p->pipeline.values = test_pipeline_link(p, p->pipeline.raw, cases[i].link);
        graph_lower(&f);
        graph_is(&f, graph_output(&f, HBS_OUT_VALUES), cases[i].kind, 3, false);
        if (cases[i].link == HB_LINK_HINGE)
            assert_true(GRAPH_FIT(&f, graph_output(&f, HBS_OUT_VALUES), greater)->threshold == 0);
        if (cases[i].link == HB_LINK_SIGMOID)
            assert_true(GRAPH_FIT(&f, graph_output(&f, HBS_OUT_VALUES), sigmoid)->factor == 0);
        assert_int_equal(graph_output(&f, HBS_OUT_VALUES) == graph_output(&f, HBS_OUT_RAW),
                         cases[i].link == HB_LINK_IDENTITY);
        graph_end(&f);
    }
}

static void each_base_link_has_its_operator(void **state)
{
    static const struct {
        hb_base_link link;
        hb_operator_kind kind;
    } cases[] = {
        {HB_BASE_IDENTITY, HB_OPERATOR_CONSTANT},
        {HB_BASE_LOGIT, HB_OPERATOR_LOGIT},
        {HB_BASE_LOG, HB_OPERATOR_LOG},
        {HB_BASE_EXPECTILE, HB_OPERATOR_EXPECTILE_BASE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int linear = 0; linear < 2; linear++) {
            graph_fixture f;
            test_pipeline *p = graph_begin(&f, 2);

            p->pipeline.raw = linear ? test_pipeline_linear(p, 1, 3, NULL, NULL)
                                     : test_pipeline_forest(p, 1, 3, HB_BASE_IDENTITY, 0.5f);
            if (linear)
                test_fit(p, linear, 2)->base_link = cases[i].link;
            else
                test_fit(p, forest, 2)->base_link = cases[i].link;
            graph_lower(&f);
            const hb_node *raw = graph_node(&f, graph_output(&f, HBS_OUT_RAW));

            assert_int_equal(raw->kind, linear ? HB_OPERATOR_LINEAR : HB_OPERATOR_TREE_ENSEMBLE);
            assert_true(linear ? ((const hb_fit_linear *)raw->fit)->weights != NULL
                               : ((const hb_fit_tree_ensemble *)raw->fit)->forest != NULL);
            graph_is(&f, raw->inputs[1], cases[i].kind, 3, true);
            graph_end(&f);
        }
}

static void heads_become_comparisons_or_the_argmax(void **state)
{
    graph_fixture f;
    test_pipeline *p = graph_begin(&f, 2);

    p->pipeline.raw = test_pipeline_forest(p, 1, 3, HB_BASE_IDENTITY, 0);
    test_pipeline_classes(p, 3);
    p->pipeline.label = test_pipeline_head(p, p->pipeline.raw, HB_HEAD_ARGMAX, 0);
    p->pipeline.values = test_pipeline_head(p, p->pipeline.raw, HB_HEAD_FLAGS, 0.75f);
    graph_lower(&f);
    graph_is(&f, graph_output(&f, HBS_OUT_LABEL), HB_OPERATOR_ARGMAX, 1, false);
    graph_is(&f, graph_output(&f, HBS_OUT_VALUES), HB_OPERATOR_GREATER, 3, false);
    assert_true(GRAPH_FIT(&f, graph_output(&f, HBS_OUT_VALUES), greater)->threshold == 0.75f);
    graph_end(&f);
}

static void a_missing_number_is_marked_behind_the_encoding(void **state)
{
    graph_fixture f;
    test_pipeline *p = graph_begin(&f, 2);

    p->pipeline.raw = test_pipeline_forest(p, test_pipeline_mark(p, 1, -999), 1, HB_BASE_IDENTITY, 0);
    graph_lower(&f);
    graph_is(&f, 2, HB_OPERATOR_MARK_MISSING, 2, false);
    assert_true(GRAPH_FIT(&f, 2, mark_missing)->number == -999);
    assert_int_equal(graph_node(&f, 2)->inputs[0], 1);
    assert_int_equal(graph_node(&f, graph_output(&f, HBS_OUT_RAW))->inputs[0], 2);
    graph_end(&f);
}

static void an_unsealed_pipeline_is_not_lowered(void **state)
{
    graph_fixture f;
    test_pipeline *p = graph_begin(&f, 2);

    p->pipeline.raw = test_pipeline_forest(p, 1, 1, HB_BASE_IDENTITY, 0);
    assert_status(hb_graph_lower(&f.graph, &p->pipeline, &f.arena, &f.error), HBS_E_INTERNAL, &f.error);
    graph_end(&f);
}

/* Each forest has a base score, which becomes two nodes. */
static void many_operators_fit_into_a_graph(void **state)
{
    enum { FORESTS = 4000 };
    graph_fixture f;
    test_pipeline *p = graph_begin(&f, 2);
    size_t value = 0;

    for (size_t i = 0; i < FORESTS; i++)
        value = test_pipeline_forest(p, 1, 1, HB_BASE_LOGIT, 0.5f);
    p->pipeline.raw = value;
    graph_lower(&f);
    assert_int_equal(f.graph.nodes.count, 2 + FORESTS * 3);
    graph_optimize(&f, 0);
    graph_end(&f);
}

/* ------------------------------------------------------------------ folding */

static void constants_are_folded_to_what_their_kernel_gives(void **state)
{
    static const struct {
        hb_base_link link;
        void (*kernel)(const hb_tile *tile);
    } cases[] = {{HB_BASE_LOGIT, hb_logit}, {HB_BASE_LOG, hb_log}, {HB_BASE_EXPECTILE, hb_expectile_base}};

    for (size_t i = 0; i < 3; i++) {
        float in[3] = {0.25f, 0.25f, 0.25f}, out[3];
        graph_fixture f;
        test_pipeline *p = graph_begin(&f, 2);

        p->pipeline.raw = test_pipeline_forest(p, 1, 3, cases[i].link, 0.25f);
        graph_lower(&f);
        graph_optimize(&f, 0);
        cases[i].kernel(&(hb_tile){in, out, 3, 1, 1});
        graph_is(&f, 3, HB_OPERATOR_CONSTANT, 3, true);
        assert_int_equal(graph_node(&f, 3)->n_inputs, 0);
        assert_memory_equal(graph_node(&f, 3)->value.data, out, sizeof out);
        graph_end(&f);
    }
}

static void the_folded_logit_is_minus_log_3(void **state)
{
    graph_fixture f;

    begin_binary(&f);
    graph_optimize(&f, 0);
    assert_true(fabs((double)((const float *)graph_node(&f, 3)->value.data)[0] + log(3)) < 1e-6);
    graph_end(&f);
}

static void folding_can_be_switched_off(void **state)
{
    graph_fixture f;

    begin_binary(&f);
    graph_optimize(&f, HBS_PASS_FOLD_CONSTANTS);
    graph_is(&f, 3, HB_OPERATOR_LOGIT, 1, true);
    assert_int_equal(graph_node(&f, 3)->inputs[0], 2);
    assert_null(graph_node(&f, 3)->value.data);
    graph_end(&f);
}

static void what_depends_on_the_row_is_not_folded(void **state)
{
    graph_fixture f;

    begin_binary(&f);
    graph_optimize(&f, 0);
    graph_is(&f, 1, HB_OPERATOR_ENCODE, 2, false);
    graph_is(&f, 4, HB_OPERATOR_TREE_ENSEMBLE, 1, false);
    graph_is(&f, 5, HB_OPERATOR_SIGMOID, 1, false);
    graph_end(&f);
}

static void folding_without_memory_is_an_error(void **state)
{
    enum { OUTPUTS = 1 << 15 }; /* no block of an arena has room for them beside others */
    graph_fixture f;
    test_pipeline *p = graph_begin(&f, 2);

    p->pipeline.raw = test_pipeline_forest(p, 1, OUTPUTS, HB_BASE_LOGIT, 0.25f);
    graph_lower(&f);
    test_host_fail_at(&f.host, 1, true);
    assert_status(hb_graph_optimize(&f.graph, 0, &f.error), HBS_E_NOMEM, &f.error);
    graph_end(&f);
}

/* The folding of two constants, and of their result; what may refuse a row stays. */
static void operators_of_constants_are_folded(void **state)
{
    static const double a[] = {1, 2, 3}, b[] = {10, 20, 0.5}, difference[] = {-9, -18, 2.5};
    static const double side_by_side[] = {0, 0, 1, 10, 20, 0.5}, some[] = {1, 0};
    static const uint32_t columns[] = {2, 0};
    static const uint8_t asked[] = {HB_DEMAND_KNOWN, 0};
    graph_fixture f;
    uint32_t other, subtract, clip, concat, select, guard;

    begin_binary(&f);
    other = graph_constant(&f, b, 3);
    subtract = graph_add(&f, HB_OPERATOR_SUBTRACT, graph_constant(&f, a, 3), other, NULL);
    clip = graph_add(&f, HB_OPERATOR_CLIP, subtract, 0, &(hb_fit_clip){{0, 1}});
    concat = graph_add(&f, HB_OPERATOR_CONCAT, clip, other, NULL);
    select = graph_add(&f, HB_OPERATOR_SELECT, concat, 0, &(hb_fit_select){2, columns});
    guard = graph_add(&f, HB_OPERATOR_GUARD, select, 0, &(hb_fit_guard){.asked = asked});
    graph_optimize(&f, 0);
    graph_is(&f, subtract, HB_OPERATOR_CONSTANT, 3, true);
    assert_memory_equal(graph_node(&f, subtract)->value.data, difference, sizeof(difference));
    graph_is(&f, concat, HB_OPERATOR_CONSTANT, 6, true);
    assert_memory_equal(graph_node(&f, concat)->value.data, side_by_side, sizeof(side_by_side));
    graph_is(&f, select, HB_OPERATOR_CONSTANT, 2, true);
    assert_memory_equal(graph_node(&f, select)->value.data, some, sizeof(some));
    graph_is(&f, guard, HB_OPERATOR_GUARD, 2, true);
    graph_end(&f);
}

/* ------------------------------------------------------------------ needs */

static void an_output_needs_all_that_leads_to_it(void **state)
{
    enum { ALL = HBS_OUT_LABEL | HBS_OUT_PROBABILITIES | HBS_OUT_RAW };
    graph_fixture f;

    begin_binary(&f);
    graph_optimize(&f, 0);
    assert_int_equal(graph_node(&f, 0)->outputs, ALL);
    assert_int_equal(graph_node(&f, 1)->outputs, ALL);
    assert_int_equal(graph_node(&f, 2)->outputs, 0); /* folded away */
    assert_int_equal(graph_node(&f, 3)->outputs, ALL);
    assert_int_equal(graph_node(&f, 4)->outputs, ALL);
    assert_int_equal(graph_node(&f, 5)->outputs, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES);
    assert_int_equal(graph_node(&f, 6)->outputs, HBS_OUT_LABEL);
    assert_int_equal(graph_node(&f, 7)->outputs, HBS_OUT_PROBABILITIES);
    graph_end(&f);
}

static void what_no_output_needs_is_not_marked(void **state)
{
    graph_fixture f;
    test_pipeline *p = graph_begin(&f, 2);

    p->pipeline.raw = test_pipeline_forest(p, 1, 1, HB_BASE_IDENTITY, 0);
    test_pipeline_link(p, p->pipeline.raw, HB_LINK_EXP);
    graph_lower(&f);
    graph_optimize(&f, 0);
    assert_int_equal(graph_node(&f, 3)->outputs, HBS_OUT_RAW);
    graph_is(&f, 4, HB_OPERATOR_EXP, 1, false);
    assert_int_equal(graph_node(&f, 4)->outputs, 0);
    graph_end(&f);
}

static void an_unfolded_base_is_needed_too(void **state)
{
    graph_fixture f;

    begin_binary(&f);
    graph_optimize(&f, HBS_PASS_FOLD_CONSTANTS);
    assert_true(graph_node(&f, 2)->outputs & HBS_OUT_RAW);
    graph_end(&f);
}

/* ------------------------------------------------------------------ float32 inside float64 */

/* A float32 scaler in front of a forest that rounds by itself: round, - shift, round, / factor, round, round. */
static void begin_scaler(graph_fixture *f, const double *shift, const double *factor)
{
    test_pipeline *p = graph_begin(f, 2);
    size_t value;

    p->pipeline.wide = true;
    value = test_add(p, SCALE, scale, test_add_plain(p, ROUND, 1), .scaling = HB_SCALE_SHIFT_DIVIDE, .in_float32 = true,
                     .shift = shift, .factor = factor);
    p->pipeline.values = test_add_plain(p, ROUND, value);
    graph_lower(f);
}

static void float32_steps_are_done_in_float32(void **state)
{
    static const double exact[2] = {0.25, INFINITY}, inexact[2] = {0.1, 1};
    graph_fixture f;

    begin_scaler(&f, exact, exact);
    graph_optimize(&f, 0);
    graph_chain_is(&f, HBS_OUT_VALUES, "quotient32:2 subtract32:2 round:2 encode:2 table:2");
    graph_end(&f);

    begin_scaler(&f, exact, exact);
    graph_optimize(&f, HBS_PASS_REWRITE_DTYPES);
    graph_chain_is(&f, HBS_OUT_VALUES, "round:2 quotient:2 round:2 subtract:2 round:2 encode:2 table:2");
    graph_end(&f);

    begin_scaler(&f, exact, exact);
    graph_optimize(&f, UINT32_MAX);
    graph_chain_is(&f, HBS_OUT_VALUES, "round:2 round:2 quotient:2 round:2 subtract:2 round:2 encode:2 table:2");
    graph_end(&f);

    begin_scaler(&f, exact, inexact); /* a number that float32 does not hold: only in float64 */
    graph_optimize(&f, 0);
    graph_chain_is(&f, HBS_OUT_VALUES, "round:2 quotient:2 subtract32:2 round:2 encode:2 table:2");
    graph_end(&f);
}

static void each_pass_that_changes_something_has_its_report(void **state)
{
    static const double exact[2] = {0.25, 2};
    graph_fixture f;

    begin_scaler(&f, exact, exact);
    graph_optimize(&f, 0);
    assert_int_equal(f.graph.n_reports, 3);
    graph_report_is(&f, 0, "common_subexpressions", 1, 10, 9); /* the shift and the factor */
    graph_report_is(&f, 1, "eliminate_redundant", 1, 9, 8);
    graph_report_is(&f, 2, "rewrite_dtypes", 2, 8, 6);
    graph_end(&f);

    begin_scaler(&f, exact, exact);
    graph_optimize(&f, UINT32_MAX);
    assert_int_equal(f.graph.n_reports, 0);
    graph_end(&f);
}

/* ------------------------------------------------------------------ the argmax of a softmax */

/* A classifier of three classes; its probabilities are an output if `asked`. */
static void begin_classes(graph_fixture *f, bool asked)
{
    test_pipeline *p = graph_begin(f, 2);
    size_t probabilities;

    p->pipeline.raw = test_pipeline_forest(p, 1, 3, HB_BASE_IDENTITY, 0.5f);
    probabilities = test_pipeline_link(p, p->pipeline.raw, HB_LINK_SOFTMAX);
    p->pipeline.probabilities = asked ? probabilities : 0;
    test_pipeline_classes(p, 3);
    p->pipeline.label = test_pipeline_head(p, probabilities, HB_HEAD_ARGMAX, 0);
    graph_lower(f);
}

/* The argmax reads the scores before the softmax does. */
static void a_label_is_told_from_the_scores_of_a_softmax(void **state)
{
    for (int asked = 0; asked < 2; asked++) {
        graph_fixture f;
        size_t label, softmax, raw;

        begin_classes(&f, asked);
        raw = graph_output(&f, HBS_OUT_RAW);
        graph_is(&f, raw + 1, HB_OPERATOR_SOFTMAX, 3, false);
        graph_is(&f, raw + 2, HB_OPERATOR_ARGMAX, 1, false);
        graph_optimize(&f, 0);
        label = graph_output(&f, HBS_OUT_LABEL);
        softmax = raw + 2;
        assert_int_equal(label, raw + 1);
        graph_is(&f, label, HB_OPERATOR_ARGMAX_SOFTMAX, 1, false);
        graph_is(&f, softmax, HB_OPERATOR_SOFTMAX, 3, false);
        assert_int_equal(graph_output(&f, HBS_OUT_PROBABILITIES), asked ? softmax : HB_NO_NODE);
        assert_int_equal(graph_node(&f, label)->n_inputs, 1);
        assert_int_equal(graph_node(&f, label)->inputs[0], raw);
        assert_int_equal(graph_node(&f, softmax)->inputs[0], raw);
        assert_int_equal(graph_node(&f, label)->outputs, HBS_OUT_LABEL);
        assert_int_equal(graph_node(&f, softmax)->outputs, asked ? HBS_OUT_PROBABILITIES : 0);
        assert_int_equal(graph_node(&f, label)->source, 4);
        assert_int_equal(graph_node(&f, softmax)->source, 3);
        assert_int_equal(f.graph.n_rewrites, 1);
        graph_report_is(&f, 0, "eliminate_redundant", 1, 6, asked ? 6 : 5);
        graph_end(&f);
    }
}

static void the_softmax_is_read_if_the_pass_is_off(void **state)
{
    graph_fixture f;
    size_t label;

    begin_classes(&f, true);
    label = graph_output(&f, HBS_OUT_LABEL);
    graph_optimize(&f, HBS_PASS_ELIMINATE_REDUNDANT);
    graph_is(&f, label, HB_OPERATOR_ARGMAX, 1, false);
    graph_is(&f, graph_node(&f, label)->inputs[0], HB_OPERATOR_SOFTMAX, 3, false);
    assert_int_equal(f.graph.n_reports, 0);
    graph_end(&f);
}

/* Here the output `bit` is the class and its probabilities side by side. */
static void add_both(graph_fixture *f, uint32_t bit)
{
    uint32_t label = (uint32_t)graph_output(f, HBS_OUT_LABEL), both[2] = {label, graph_node(f, label)->inputs[0]};

    for (size_t i = 0; i < HB_N_OUTPUTS; i++)
        if (1u << i == bit)
            f->graph.outputs[i] = hb_graph_add(&f->graph, HB_OPERATOR_CONCAT, both, 2, NULL);
}

static void an_argmax_beside_its_softmax_reads_it(void **state)
{
    graph_fixture f;
    size_t label;

    begin_classes(&f, false);
    label = graph_output(&f, HBS_OUT_LABEL);
    add_both(&f, HBS_OUT_LABEL);
    graph_optimize(&f, 0);
    graph_is(&f, label, HB_OPERATOR_ARGMAX, 1, false);
    assert_int_equal(f.graph.n_rewrites, 0);
    graph_end(&f);

    begin_classes(&f, false); /* the label alone needs no softmax, and the values no label alone */
    add_both(&f, HBS_OUT_VALUES);
    graph_optimize(&f, 0);
    graph_is(&f, graph_output(&f, HBS_OUT_LABEL), HB_OPERATOR_ARGMAX_SOFTMAX, 1, false);
    assert_int_equal(graph_node(&f, label - 1)->outputs, HBS_OUT_LABEL | HBS_OUT_VALUES);
    assert_int_equal(graph_node(&f, label)->outputs, HBS_OUT_VALUES);
    graph_is(&f, graph_node(&f, graph_output(&f, HBS_OUT_VALUES))->inputs[0], HB_OPERATOR_ARGMAX_SOFTMAX, 1, false);
    graph_is(&f, graph_node(&f, graph_output(&f, HBS_OUT_VALUES))->inputs[1], HB_OPERATOR_SOFTMAX, 3, false);
    graph_end(&f);
}

/* The first is next to the softmax, the second behind a node that is not; equal nodes have become one before. */
static void each_argmax_of_a_softmax_is_told_from_its_scores(void **state)
{
    graph_fixture f;
    uint32_t softmax, raw, second;

    begin_classes(&f, true);
    raw = (uint32_t)graph_output(&f, HBS_OUT_RAW);
    softmax = (uint32_t)graph_output(&f, HBS_OUT_PROBABILITIES);
    graph_add(&f, HB_OPERATOR_EXP, softmax, 0, NULL);
    second = graph_add(&f, HB_OPERATOR_ARGMAX, softmax, 0, NULL);
    f.graph.outputs[0] = second; /* the value */
    graph_optimize(&f, ~HBS_PASS_ELIMINATE_REDUNDANT);
    assert_int_equal(f.graph.n_rewrites, 2);
    graph_is(&f, graph_output(&f, HBS_OUT_LABEL), HB_OPERATOR_ARGMAX_SOFTMAX, 1, false);
    graph_is(&f, second, HB_OPERATOR_ARGMAX_SOFTMAX, 1, false);
    assert_int_equal(graph_node(&f, second)->inputs[0], raw);
    graph_is(&f, graph_output(&f, HBS_OUT_PROBABILITIES), HB_OPERATOR_SOFTMAX, 3, false);
    graph_is(&f, graph_node(&f, second - 1)->inputs[0], HB_OPERATOR_SOFTMAX, 3, false);
    for (size_t i = 0; i < f.graph.nodes.count; i++)
        for (size_t k = 0; k < graph_node(&f, i)->n_inputs; k++)
            assert_true(graph_node(&f, i)->inputs[k] < i);
    graph_end(&f);
}

static void eliminating_without_memory_is_an_error(void **state)
{
    enum { NODES = 1 << 15 }; /* no block of an arena has room for two numbers of each beside others */
    size_t failed = 0;
    hbs_status status = HBS_E_NOMEM;

    while (status == HBS_E_NOMEM) {
        graph_fixture f;

        begin_classes(&f, true);
        for (size_t i = 0; i < NODES; i++)
            graph_add(&f, HB_OPERATOR_ROUND, (uint32_t)graph_output(&f, HBS_OUT_RAW), 0, NULL);
        assert_status(hb_graph_check(&f.graph, &f.error), HBS_OK, &f.error);
        test_host_fail_at(&f.host, failed + 1, true);
        status = hb_graph_optimize(&f.graph, ~HBS_PASS_ELIMINATE_REDUNDANT, &f.error);
        failed += status == HBS_E_NOMEM;
        graph_end(&f);
    }
    assert_int_equal(status, HBS_OK);
    assert_int_equal(failed, 2);
}

/* ------------------------------------------------------------------ sources */

static void a_node_knows_its_operator(void **state)
{
    graph_fixture f;

    begin_binary(&f);
    graph_optimize(&f, 0);
    assert_int_equal(graph_node(&f, 0)->source, 0);
    assert_int_equal(graph_node(&f, 1)->source, 1);
    assert_int_equal(graph_node(&f, 3)->source, 2); /* folded, and still the forest's */
    assert_int_equal(graph_node(&f, 4)->source, 2);
    assert_int_equal(graph_node(&f, 5)->source, 3);
    assert_int_equal(graph_node(&f, 6)->source, 4);
    assert_int_equal(graph_node(&f, 7)->source, 3); /* made with the outputs: of the link's probability */
    graph_end(&f);
}

/* Weighted sums that differ in their last weight only: each is compared with few others. */
static void equal_nodes_are_found_in_time_however_alike_others_are(void **state)
{
    enum { NODES = 400, FEATURES = 1500 };
    double *weights = calloc((size_t)NODES * FEATURES, sizeof(*weights)), bias = 0;
    size_t polls;
    graph_fixture f;

    assert_non_null(weights);
    graph_begin(&f, 2);
    test_pipeline_end(&f.p);
    test_pipeline_begin(&f.p, &f.host.host, FEATURES);
    f.p.pipeline.wide = true;
    f.p.pipeline.values = test_add_plain(&f.p, ROUND, 1);
    graph_lower(&f);
    for (size_t i = 0; i < NODES; i++) {
        double *of = weights + i * FEATURES;

        of[FEATURES - 1] = (double)i;
        hb_graph_add(&f.graph, HB_OPERATOR_DENSE, (const uint32_t[]){1}, 1,
                     &(hb_fit_dense){.n_outputs = 1, .n_features = FEATURES, .weights = of, .bias = &bias});
    }
    polls = f.host.polls;
    graph_optimize(&f, ~(uint32_t)HBS_PASS_COMMON_SUBEXPRESSIONS);
    assert_in_range(f.host.polls - polls, 0, 2 * NODES * FEATURES / HB_WORK_A_POLL);
    graph_end(&f);
    free(weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operator_has_its_name),
        cmocka_unit_test(a_binary_classifier_becomes_primitive_operators),
        cmocka_unit_test(an_input_is_a_smaller_number),
        cmocka_unit_test(each_link_has_its_operator),
        cmocka_unit_test(each_base_link_has_its_operator),
        cmocka_unit_test(heads_become_comparisons_or_the_argmax),
        cmocka_unit_test(a_missing_number_is_marked_behind_the_encoding),
        cmocka_unit_test(an_unsealed_pipeline_is_not_lowered),
        cmocka_unit_test(many_operators_fit_into_a_graph),
        cmocka_unit_test(constants_are_folded_to_what_their_kernel_gives),
        cmocka_unit_test(operators_of_constants_are_folded),
        cmocka_unit_test(the_folded_logit_is_minus_log_3),
        cmocka_unit_test(folding_can_be_switched_off),
        cmocka_unit_test(what_depends_on_the_row_is_not_folded),
        cmocka_unit_test(folding_without_memory_is_an_error),
        cmocka_unit_test(an_output_needs_all_that_leads_to_it),
        cmocka_unit_test(what_no_output_needs_is_not_marked),
        cmocka_unit_test(an_unfolded_base_is_needed_too),
        cmocka_unit_test(float32_steps_are_done_in_float32),
        cmocka_unit_test(each_pass_that_changes_something_has_its_report),
        cmocka_unit_test(a_label_is_told_from_the_scores_of_a_softmax),
        cmocka_unit_test(the_softmax_is_read_if_the_pass_is_off),
        cmocka_unit_test(an_argmax_beside_its_softmax_reads_it),
        cmocka_unit_test(each_argmax_of_a_softmax_is_told_from_its_scores),
        cmocka_unit_test(eliminating_without_memory_is_an_error),
        cmocka_unit_test(a_node_knows_its_operator),
        cmocka_unit_test(equal_nodes_are_found_in_time_however_alike_others_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
