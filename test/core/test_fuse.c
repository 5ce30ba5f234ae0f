/* test_fuse.c - the pass fuse: weighted sums of one-hot columns that pick weights instead, where it leaves them as they
 * are, and that rows have the same answer, or are refused, with and without it. */
#include "models.h"

#include <math.h>
#include <string.h>

#include "graph/passes.h"
#include "plan/plan.h"

enum { MOST_NODES = 32, CATEGORIES = 8, ROWS = 150, MOST_WIDTH = 2 + CATEGORIES };

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hb_arena arena;
    hb_graph graph;
    size_t widths[MOST_NODES]; /* of the pipeline's values */
    hbs_error error;
} fixture;

static fixture f;

static void begin(size_t features)
{
    memset(&f, 0, sizeof(f));
    test_host_init(&f.host);
    test_pipeline_begin(&f.p, &f.host.host, features);
    f.p.pipeline.wide = true;
    hb_arena_init(&f.arena, &f.p.memory);
    hb_graph_init(&f.graph, &f.arena);
}

static void end(void)
{
    hb_graph_release(&f.graph);
    hb_arena_release(&f.arena);
    test_pipeline_end(&f.p);
    test_host_end(&f.host);
}

static void *take(size_t n, size_t size)
{
    void *items = hb_arena_array(&f.p.pipeline.arena, n, size);

    assert_non_null(items);
    return items;
}

static double *take_numbers(size_t n, double first, double step)
{
    double *numbers = take(n, sizeof(*numbers));

    for (size_t i = 0; i < n; i++)
        numbers[i] = first + (double)i * step;
    return numbers;
}

/* ---- operators of the pipeline */

static size_t made(size_t value, size_t width)
{
    assert_true(value < MOST_NODES);
    f.widths[value] = width;
    return value;
}

static size_t select_columns(uint32_t first, uint32_t n)
{
    uint32_t *columns = take(n, sizeof(*columns));

    for (uint32_t i = 0; i < n; i++)
        columns[i] = first + i;
    return made(test_add(&f.p, SELECT, select, 1, .n_columns = n, .columns = columns), n);
}

/* Features 0 and 1. A large number becomes infinite in the first, and NaN in the second. */
static size_t add_numbers(void)
{
    static const double tiny[] = {1e-300, 1e-300}, huge[] = {1, INFINITY};
    size_t scaled = test_add(&f.p, SCALE, scale, select_columns(0, 2), .scaling = HB_SCALE_DIVIDE, .factor = tiny);

    return made(test_add(&f.p, SCALE, scale, scaled, .scaling = HB_SCALE_DIVIDE, .factor = huge), 2);
}

/* The categories 0, 1, .. of features from `first` on, each of which becomes a column. */
static size_t add_onehot(uint32_t first, uint32_t features, uint32_t categories, int32_t unknown)
{
    hb_encoder_column *columns = take(features, sizeof(*columns));
    double *values = take(features * categories, sizeof(*values));
    int32_t *outputs = take(features * categories, sizeof(*outputs));
    hb_encoder encoder = {.n_columns = features,
                          .n_values = features * categories,
                          .width = features * categories,
                          .columns = columns,
                          .values = values,
                          .outputs = outputs};

    for (uint32_t c = 0; c < features; c++)
        columns[c] = (hb_encoder_column){.first = c * categories,
                                         .count = categories,
                                         .feature = first + c,
                                         .base = c * categories,
                                         .missing = HB_OUTPUT_NONE,
                                         .unknown = unknown};
    for (uint32_t v = 0; v < features * categories; v++) {
        values[v] = v % categories;
        outputs[v] = (int32_t)(categories - 1 - v % categories);
    }
    return made(test_add(&f.p, ONEHOT, onehot, select_columns(first, features), .model = encoder), encoder.width);
}

static size_t add_concat(size_t a, size_t b)
{
    const uint32_t inputs[] = {(uint32_t)a, (uint32_t)b};

    return made(hb_pipeline_add_of(&f.p.pipeline, HB_OPERATOR_CONCAT, inputs, 2, NULL), f.widths[a] + f.widths[b]);
}

/* Features 0 and 1, and the categories of feature 2. */
static size_t add_both(uint32_t categories, int32_t unknown)
{
    size_t numbers = add_numbers();

    return add_concat(numbers, add_onehot(2, 1, categories, unknown));
}

static size_t add_guard(size_t input)
{
    return made(test_add(&f.p, GUARD, guard, input, .takes_missing = false), f.widths[input]);
}

/* Weights -3, -2.75, .. output by output. */
static size_t add_dense(size_t input, size_t outputs)
{
    size_t n = f.widths[input];

    return made(test_add(&f.p, DENSE, dense, input, .n_outputs = outputs, .n_features = n,
                         .weights = take_numbers(outputs * n, -3, 0.25), .bias = take_numbers(outputs, 0.5, 1)),
                outputs);
}

/* The same in float32, whose weights are the same: product32(narrow(input)). */
static size_t add_product32(size_t input, size_t outputs, float bias)
{
    size_t n = f.widths[input], narrow = test_add(&f.p, NARROW, narrow, input, .needs_finite = false);
    float *weights = take(outputs * n, sizeof(*weights)), *biases = take(outputs, sizeof(*biases));

    for (size_t i = 0; i < outputs * n; i++)
        weights[i] = -3 + (float)i * 0.25F;
    for (size_t o = 0; o < outputs; o++)
        biases[o] = bias;
    return made(test_add(&f.p, PRODUCT32, product32, narrow, .n_outputs = outputs, .n_features = n, .weights = weights,
                         .bias = biases),
                outputs);
}

static void set_weight(size_t dense, size_t i, double weight)
{
    ((double *)(uintptr_t)test_fit(&f.p, dense, dense)->weights)[i] = weight;
}

/* dense(guard(concat(numbers, onehot))) */
static void begin_mixed(uint32_t categories, size_t outputs)
{
    begin(3);
    f.p.pipeline.values = add_dense(add_guard(add_both(categories, HB_OUTPUT_NONE)), outputs);
}

/* ---- the graph */

static void lower(void)
{
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
    assert_status(hb_graph_lower(&f.graph, &f.p.pipeline, &f.arena, &f.error), HBS_OK, &f.error);
}

static void optimize(void)
{
    lower();
    assert_status(hb_graph_optimize(&f.graph, 0, &f.error), HBS_OK, &f.error);
}

static const hb_node *node(size_t i)
{
    assert_true(i < f.graph.nodes.count);
    return hb_node_at(&f.graph, i);
}

/* The node of an output, by its bit. */
static const hb_node *output(uint32_t bit)
{
    return node(f.graph.outputs[__builtin_ctz(bit)]);
}

static const hb_node *is_input(const hb_node *of, size_t k, hb_operator_kind kind, size_t width)
{
    const hb_node *found = node(of->inputs[k]);

    if (found->kind != kind || found->value.width != width)
        fail_msg("input %zu of %s is %s of width %zu", k, hb_operator_name(of->kind), hb_operator_name(found->kind),
                 found->value.width);
    return found;
}

/* Nodes of a kind that some output needs. */
static size_t count(hb_operator_kind kind)
{
    size_t n = 0;

    for (size_t i = 0; i < f.graph.nodes.count; i++)
        n += node(i)->kind == kind && node(i)->outputs;
    return n;
}

/* Where the pass must leave a graph as it is. */
static void is_left(void)
{
    uint32_t bit;

    optimize();
    assert_int_equal(count(HB_OPERATOR_DENSE_SEGMENTS), 0);
    assert_true(count(HB_OPERATOR_DENSE) > 0 && count(HB_OPERATOR_ONEHOT) > 0);
    for (size_t i = 0; i < f.graph.n_reports; i++)
        assert_string_not_equal(hb_pass_name(f.graph.reports[i].pass, &bit), "fuse");
    end();
}

static size_t place_of_fuse(void)
{
    uint32_t bit;

    for (size_t i = 0; hb_pass_name(i, &bit); i++)
        if (strcmp(hb_pass_name(i, &bit), "fuse") == 0) {
            assert_int_equal(bit, HBS_PASS_FUSE);
            return i;
        }
    fail();
    return 0;
}

/* The pass alone. */
static hbs_status fuse(void)
{
    return hb_pass_run(&f.graph, place_of_fuse(), &f.error);
}

static void is_segment(const hb_fit_dense_segments *fit, size_t i, hb_segment expected)
{
    assert_true(i < fit->n_segments);
    assert_memory_equal(&fit->segments[i], &expected, sizeof(expected));
}

/* ---- where it works */

static void a_mixed_sum_picks_the_weights_of_categories(void **state)
{
    static const double weights[2][2 + 1 + CATEGORIES] = {
        {-3, -2.75, 0, -2.5, -2.25, -2, -1.75, -1.5, -1.25, -1, -0.75},
        {-0.5, -0.25, 0, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75}};
    const hb_node *sum, *guard, *recode;
    const hb_fit_dense_segments *fit;
    const hb_encoder *encoder;

    (void)state;
    begin_mixed(CATEGORIES, 2);
    optimize();
    sum = output(HBS_OUT_VALUES);
    fit = sum->fit;
    assert_int_equal(sum->kind, HB_OPERATOR_DENSE_SEGMENTS);
    assert_int_equal(sum->value.width, 2);
    assert_int_equal(sum->value.dtype, HB_DTYPE_FLOAT64);
    assert_int_equal(sum->n_inputs, 2);
    guard = is_input(sum, 0, HB_OPERATOR_GUARD, 2);
    is_input(guard, 0, HB_OPERATOR_QUOTIENT, 2);
    recode = is_input(sum, 1, HB_OPERATOR_RECODE, 1);
    assert_int_equal(fit->n_outputs, 2);
    assert_int_equal(fit->n_weights, 2 + 1 + CATEGORIES);
    assert_int_equal(fit->n_segments, 2);
    is_segment(fit, 0, (hb_segment){.input = 0, .n_columns = 2, .n_weights = 2});
    is_segment(fit, 1, (hb_segment){.input = 1, .n_columns = 1, .n_weights = 1 + CATEGORIES, .picks = 1});
    assert_memory_equal(fit->weights, weights, sizeof(weights));
    assert_true(fit->bias[0] == 0.5 && fit->bias[1] == 1.5);
    encoder = &((const hb_fit_recode *)recode->fit)->model;
    for (size_t v = 0; v < CATEGORIES; v++) /* the columns of the categories fall */
        assert_true(encoder->numbers[v] == CATEGORIES - (double)v);
    assert_true(encoder->columns[0].missing_number == 0 && encoder->columns[0].unknown_number == 0);
    for (int kind = 0; kind < HB_N_OPERATORS; kind++)
        if (kind == HB_OPERATOR_ONEHOT || kind == HB_OPERATOR_CONCAT || kind == HB_OPERATOR_DENSE)
            assert_int_equal(count((hb_operator_kind)kind), 0);
    end();
}

static void a_sum_in_float32_picks_too(void **state)
{
    const hb_node *sum;
    const hb_fit_dense_segments *fit;

    (void)state;
    begin(3);
    f.p.pipeline.values = add_product32(add_both(CATEGORIES, HB_OUTPUT_NONE), 2, 1.5F);
    optimize();
    sum = output(HBS_OUT_VALUES);
    while (sum->kind != HB_OPERATOR_DENSE_SEGMENTS) /* the values are float64 */
        sum = node(sum->inputs[0]);
    fit = sum->fit;
    assert_true(fit->in_float32);
    is_input(sum, 0, HB_OPERATOR_QUOTIENT, 2);
    is_input(sum, 1, HB_OPERATOR_RECODE, 1);
    is_segment(fit, 1, (hb_segment){.input = 1, .n_columns = 1, .n_weights = 1 + CATEGORIES, .picks = 1});
    assert_true(fit->weights[0] == -3 && fit->weights[2] == 0 && fit->weights[3] == -2.5);
    assert_true(fit->bias[0] == 1.5 && fit->bias[1] == 1.5);
    assert_int_equal(sum->source, f.p.pipeline.values);
    assert_int_equal(count(HB_OPERATOR_PRODUCT32), 0);
    end();
}

/* Products left out would be what makes a sum that has become -0 a +0. */
static void a_bias_of_minus_zero_needs_the_columns(void **state)
{
    (void)state;
    begin(3);
    f.p.pipeline.values = add_product32(add_both(CATEGORIES, HB_OUTPUT_NONE), 2, -0.0F);
    optimize();
    assert_int_equal(count(HB_OPERATOR_DENSE_SEGMENTS), 0);
    assert_int_equal(count(HB_OPERATOR_PRODUCT32), 1);
    end();
}

/* A guard asks a one-hot for nothing, so there is none. */
static void a_sum_of_one_hot_columns_alone_picks_too(void **state)
{
    const hb_node *sum;

    (void)state;
    begin(4);
    f.p.pipeline.values = add_dense(add_guard(add_onehot(2, 2, 5, HB_OUTPUT_REFUSE)), 3);
    optimize();
    sum = output(HBS_OUT_VALUES);
    assert_int_equal(sum->kind, HB_OPERATOR_DENSE_SEGMENTS);
    assert_int_equal(sum->n_inputs, 1);
    assert_int_equal(is_input(sum, 0, HB_OPERATOR_RECODE, 2)->refuses, ~(uint32_t)HBS_OUT_TRANSFORM);
    is_segment(sum->fit, 0, (hb_segment){.first = 0, .n_columns = 1, .n_weights = 6, .picks = 1});
    is_segment(sum->fit, 1, (hb_segment){.first = 1, .n_columns = 1, .n_weights = 6, .picks = 1});
    end();
}

/* The table, two numbers, the category; what was made of them: 8 columns, 10 of the concat and of the guard. */
static void its_report_counts_the_columns(void **state)
{
    const hb_pass_report *report;
    uint32_t bit;

    (void)state;
    begin_mixed(CATEGORIES, 1);
    optimize();
    report = &f.graph.reports[f.graph.n_reports - 1];
    assert_string_equal(hb_pass_name(report->pass, &bit), "fuse");
    assert_string_equal(hb_pass_unit(report->pass), "columns");
    assert_int_equal(report->rewrites, 1);
    assert_int_equal(report->before - report->after, CATEGORIES - 1 + 2 * (2 + CATEGORIES) - 2);
    end();
}

/* What sums and one-hots stand for is known by the steps of the user's pipeline. */
static void the_new_nodes_name_their_sources(void **state)
{
    const hb_node *sum;

    (void)state;
    begin_mixed(CATEGORIES, 1);
    optimize();
    sum = output(HBS_OUT_VALUES);
    assert_int_equal(sum->source, f.p.pipeline.values);
    assert_int_equal(is_input(sum, 0, HB_OPERATOR_GUARD, 2)->source, f.p.pipeline.values - 1);
    assert_int_equal(is_input(sum, 1, HB_OPERATOR_RECODE, 1)->source, f.p.pipeline.values - 3);
    end();
}

static void it_can_be_switched_off(void **state)
{
    (void)state;
    begin_mixed(CATEGORIES, 1);
    lower();
    assert_status(hb_graph_optimize(&f.graph, HBS_PASS_FUSE, &f.error), HBS_OK, &f.error);
    assert_int_equal(output(HBS_OUT_VALUES)->kind, HB_OPERATOR_DENSE);
    end();
}

/* Categories that share a column, have none, or are missing, and a category column without any column. */
static void categories_without_a_column_pick_a_zero(void **state)
{
    static const double numbers[] = {1, 0, 3, 3, 2, 4};
    static const int32_t outputs[] = {0, HB_OUTPUT_NONE, 2, 2, 1, 3};
    hb_encoder_column columns[] = {
        {.count = 6, .feature = 0, .missing = 4, .unknown = 2},
        {.first = 6, .feature = 1, .base = 5, .missing = HB_OUTPUT_REFUSE, .unknown = HB_OUTPUT_NONE}};
    hb_encoder encoder = {.n_columns = 2, .n_values = 6, .width = 10, .values = numbers};
    const hb_node *sum, *recode;
    const hb_encoder *places;
    size_t onehot;

    (void)state;
    begin(2);
    encoder.columns = memcpy(take(2, sizeof(*columns)), columns, sizeof(columns));
    encoder.outputs = memcpy(take(6, sizeof(*outputs)), outputs, sizeof(outputs));
    encoder.values = take_numbers(6, 0, 1);
    onehot = made(test_add(&f.p, ONEHOT, onehot, 1, .model = encoder), encoder.width);
    f.p.pipeline.values = add_dense(onehot, 1);
    lower();
    assert_status(fuse(), HBS_OK, &f.error);
    sum = output(HBS_OUT_VALUES);
    assert_int_equal(sum->kind, HB_OPERATOR_DENSE_SEGMENTS);
    recode = is_input(sum, 0, HB_OPERATOR_RECODE, 2);
    places = &((const hb_fit_recode *)recode->fit)->model;
    assert_memory_equal(places->numbers, numbers, sizeof(numbers));
    assert_true(places->columns[0].missing_number == 5 && places->columns[0].unknown_number == 3);
    assert_int_equal(places->columns[0].missing, HB_OUTPUT_NONE);
    assert_int_equal(places->columns[0].unknown, HB_OUTPUT_NONE);
    assert_int_equal(places->columns[1].missing, HB_OUTPUT_REFUSE);
    assert_true(places->columns[1].unknown_number == 0);
    end();
}

/* ---- where it does not */

static void few_columns_are_made(void **state)
{
    (void)state;
    begin_mixed(4, 1);
    is_left();
    begin_mixed(5, 1);
    optimize();
    assert_int_equal(count(HB_OPERATOR_DENSE_SEGMENTS), 1);
    end();
}

static void many_outputs_share_what_is_made(void **state)
{
    (void)state;
    begin_mixed(CATEGORIES, 17);
    is_left();
    begin_mixed(CATEGORIES, 16);
    optimize();
    assert_int_equal(count(HB_OPERATOR_DENSE_SEGMENTS), 1);
    end();
}

/* 0 times infinity is no number: every row has it, unless its weight is that of a number. */
static void an_infinite_weight_needs_its_column(void **state)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        begin_mixed(CATEGORIES, 2);
        set_weight(f.p.pipeline.values, 2 * (2 + CATEGORIES) - 1, odd[i]);
        is_left();
    }
    begin_mixed(CATEGORIES, 2);
    set_weight(f.p.pipeline.values, 2 + CATEGORIES, INFINITY);
    optimize();
    assert_int_equal(count(HB_OPERATOR_DENSE_SEGMENTS), 1);
    end();
}

static void columns_that_two_sums_read_are_made(void **state)
{
    size_t both;

    (void)state;
    begin(3);
    both = add_both(CATEGORIES, HB_OUTPUT_NONE);
    f.p.pipeline.values = add_concat(add_dense(both, 1), add_dense(both, 2));
    is_left();
    begin(3);
    both = add_onehot(2, 1, CATEGORIES, HB_OUTPUT_NONE);
    f.p.pipeline.values = add_concat(add_dense(add_guard(both), 1), add_dense(add_concat(add_numbers(), both), 2));
    is_left();
}

static void columns_that_trees_read_are_made(void **state)
{
    hb_forest_model *forest;
    size_t both;

    (void)state;
    begin(3);
    both = add_both(CATEGORIES, HB_OUTPUT_NONE);
    forest = take(1, sizeof(*forest));
    hb_forest_model_init(forest, &f.p.memory);
    forest->wide = true;
    forest->n_features = f.widths[both];
    forest->n_outputs = 1;
    test_add_tree(forest, (const hb_tree_node[]){test_split(9, 0.5f, 1, 2), test_leaf(1), test_leaf(2)}, 3, 0);
    f.p.pipeline.raw = test_add(&f.p, FOREST, forest, both, .forest = forest);
    f.p.pipeline.values = add_dense(both, 1);
    lower();
    assert_status(fuse(), HBS_OK, &f.error);
    assert_int_equal(count(HB_OPERATOR_DENSE_SEGMENTS), 0);
    end();
}

static void a_category_that_is_refused_by_itself_stays_one_hot(void **state)
{
    size_t onehot;

    (void)state;
    begin(3);
    onehot = add_onehot(2, 1, CATEGORIES, HB_OUTPUT_NONE);
    ((int32_t *)(uintptr_t)test_fit(&f.p, onehot, onehot)->model.outputs)[3] = HB_OUTPUT_REFUSE;
    f.p.pipeline.values = add_dense(onehot, 1);
    is_left();
}

/* Its value is one row of numbers for all. */
static void a_part_that_is_the_same_for_every_row_is_not_fused(void **state)
{
    static const double numbers[] = {7, 8};
    uint32_t onehot, constant, concat;

    (void)state;
    begin(3);
    f.p.pipeline.values = add_dense(add_concat(add_onehot(2, 1, CATEGORIES, HB_OUTPUT_NONE), add_numbers()), 1);
    lower();
    for (onehot = 0; node(onehot)->kind != HB_OPERATOR_ONEHOT; onehot++)
        ;
    constant = hb_graph_add_constant(&f.graph, HB_DTYPE_FLOAT64, 2, numbers);
    concat = hb_graph_add(&f.graph, HB_OPERATOR_CONCAT, (const uint32_t[]){onehot, constant}, 2, NULL);
    f.graph.outputs[__builtin_ctz(HBS_OUT_VALUES)] =
        hb_graph_add(&f.graph, HB_OPERATOR_DENSE, &concat, 1, test_fit(&f.p, dense, f.p.pipeline.values));
    assert_status(fuse(), HBS_OK, &f.error);
    assert_int_equal(output(HBS_OUT_VALUES)->kind, HB_OPERATOR_DENSE);
    end();
}

/* New nodes would be too many for a graph. */
static void a_graph_without_room_is_left(void **state)
{
    (void)state;
    for (size_t left = 1; left <= 2; left++) {
        begin_mixed(CATEGORIES, 1);
        lower();
        while (f.graph.nodes.count + left < HB_MAX_NODES)
            hb_graph_append(&f.graph, HB_OPERATOR_ROUND, (const uint32_t[]){1}, 1, NULL);
        assert_status(fuse(), HBS_OK, &f.error);
        assert_int_equal(output(HBS_OUT_VALUES)->kind, left == 1 ? HB_OPERATOR_DENSE : HB_OPERATOR_DENSE_SEGMENTS);
        end();
    }
}

/* ---- the transform */

/* The values are sums of the columns that are the transform. */
static void begin_transform(int32_t unknown)
{
    begin(3);
    f.p.pipeline.transform = add_both(CATEGORIES, unknown);
    f.p.pipeline.values = add_dense(add_guard(f.p.pipeline.transform), 2);
}

static void the_transform_keeps_its_columns(void **state)
{
    const hb_node *sum, *concat, *onehot, *recode;

    (void)state;
    begin_transform(HB_OUTPUT_REFUSE);
    optimize();
    sum = output(HBS_OUT_VALUES);
    concat = output(HBS_OUT_TRANSFORM);
    assert_int_equal(sum->kind, HB_OPERATOR_DENSE_SEGMENTS);
    assert_int_equal(concat->kind, HB_OPERATOR_CONCAT);
    assert_int_equal(concat->outputs, HBS_OUT_TRANSFORM);
    onehot = is_input(concat, 1, HB_OPERATOR_ONEHOT, CATEGORIES);
    assert_int_equal(onehot->outputs, HBS_OUT_TRANSFORM);
    assert_int_equal(onehot->refuses, HBS_OUT_TRANSFORM);
    recode = is_input(sum, 1, HB_OPERATOR_RECODE, 1);
    assert_int_equal(recode->outputs, HBS_OUT_VALUES);
    assert_int_equal(recode->refuses, ~(uint32_t)HBS_OUT_TRANSFORM);
    end();
}

/* Both ask for sums of the same one-hot: they share what it becomes. */
static void sums_of_both_askers_share_a_recode(void **state)
{
    const hb_node *sum, *other;
    size_t onehot;

    (void)state;
    begin(3);
    onehot = add_onehot(2, 1, CATEGORIES, HB_OUTPUT_REFUSE);
    f.p.pipeline.transform = add_dense(onehot, 2);
    f.p.pipeline.values = add_dense(onehot, 3);
    optimize();
    sum = output(HBS_OUT_VALUES);
    other = output(HBS_OUT_TRANSFORM);
    assert_int_equal(sum->kind, HB_OPERATOR_DENSE_SEGMENTS);
    assert_int_equal(other->kind, HB_OPERATOR_DENSE_SEGMENTS);
    assert_int_equal(sum->inputs[0], other->inputs[0]);
    assert_int_equal(is_input(sum, 0, HB_OPERATOR_RECODE, 1)->refuses, UINT32_MAX);
    assert_int_equal(count(HB_OPERATOR_ONEHOT), 0);
    assert_int_equal(count(HB_OPERATOR_RECODE), 1);
    end();
}

/* ---- rows */

static double cells[4][ROWS];

/* Categories that training has seen and others, missing ones; numbers of which some become infinite or NaN. */
static void draw_cells(void)
{
    static const double odd[] = {NAN, -1, CATEGORIES, 2.5, INFINITY};
    uint64_t random = 3;

    for (size_t r = 0; r < ROWS; r++) {
        for (size_t c = 0; c < 2; c++)
            cells[c][r] = test_random(&random) % 16 ? (double)(test_random(&random) % 1000) * 1e-300 : 1e10;
        for (size_t c = 2; c < 4; c++)
            cells[c][r] = test_random(&random) % 4 ? (double)(test_random(&random) % CATEGORIES)
                                                   : odd[test_random(&random) % (sizeof(odd) / sizeof(odd[0]))];
    }
}

typedef struct answers {
    hbs_status status;
    size_t rows, valid;
    bool is_valid[ROWS];
    double numbers[ROWS][MOST_WIDTH];
    char text[sizeof(((hbs_error *)0)->text)];
} answers;

static const double *numbers_of(const hbs_result *result, uint32_t bit)
{
    return bit == HBS_OUT_TRANSFORM ? result->transform : result->values;
}

/* All rows in one block, or each by itself. */
static void score(hbs_plan *plan, uint32_t bit, size_t width, bool one_by_one, answers *a)
{
    hbs_run *run = test_run(&f.host.host, plan, one_by_one ? 1 : ROWS);
    size_t at_once = one_by_one ? 1 : ROWS, n = f.p.pipeline.n_features;

    memset(a, 0, sizeof(*a));
    for (size_t r = 0; r < ROWS && a->status == HBS_OK; r += at_once) {
        hbs_column columns[4];
        hbs_result result;

        for (size_t c = 0; c < 4; c++)
            columns[c] = (hbs_column){HBS_FLOAT64, cells[c] + r, NULL};
        a->status = hbs_score(run, columns, n, at_once, bit, &result, &f.error);
        if (a->status != HBS_OK)
            memcpy(a->text, f.error.text, sizeof(a->text));
        for (size_t k = 0; k < result.rows; k++, a->rows++)
            if ((a->is_valid[a->rows] = result.valid[k / 64] >> k % 64 & 1)) {
                memcpy(a->numbers[a->rows], numbers_of(&result, bit) + k * width, width * sizeof(double));
                a->valid++;
            }
    }
    hbs_run_free(run);
}

static hbs_plan *compile(uint32_t passes_off)
{
    static const uint8_t key[32];
    const hbs_compile_options options = {.passes_off = passes_off};
    hbs_plan *plan;

    assert_status(hb_plan_compile(&f.p.pipeline, &f.host.host, &options, key, &plan, &f.error), HBS_OK, &f.error);
    return plan;
}

static void seal(void)
{
    assert_status(hb_pipeline_seal(&f.p.pipeline, &f.error), HBS_OK, &f.error);
}

/* The answers are the same with and without the pass; more rows than so many have one, and are refused. */
static void check_rows(uint32_t bit, hbs_status status, size_t valid, size_t refused)
{
    static answers with, without;
    hbs_plan *plans[2] = {compile(0), compile(HBS_PASS_FUSE)};
    size_t width = f.widths[bit == HBS_OUT_TRANSFORM ? f.p.pipeline.transform : f.p.pipeline.values];

    for (int one = 0; one < 2; one++) {
        score(plans[0], bit, width, one, &with);
        score(plans[1], bit, width, one, &without);
        assert_int_equal(with.status, status);
        assert_int_equal(without.status, status);
        assert_string_equal(with.text, without.text);
        assert_int_equal(with.rows, without.rows);
        assert_memory_equal(with.is_valid, without.is_valid, sizeof(with.is_valid));
        assert_memory_equal(with.numbers, without.numbers, sizeof(with.numbers));
        if (with.status == HBS_OK)
            assert_true(with.valid > valid && with.rows - with.valid > refused);
    }
    hbs_plan_free(plans[0]);
    hbs_plan_free(plans[1]);
}

static void rows_are_refused_as_without_it(void **state)
{
    static const int32_t unknown[] = {HB_OUTPUT_NONE, HB_OUTPUT_REFUSE};

    (void)state;
    draw_cells();
    for (size_t i = 0; i < 2; i++) {
        begin_transform(unknown[i]);
        f.p.pipeline.on_unseen = HB_UNSEEN_NULL;
        seal();
        check_rows(HBS_OUT_VALUES, HBS_OK, 80, 10);
        check_rows(HBS_OUT_TRANSFORM, HBS_OK, 80, i == 0 ? 0 : 2);
        end();
    }
}

static void rows_have_the_same_float32_sums(void **state)
{
    (void)state;
    draw_cells();
    begin(3);
    f.p.pipeline.values = add_product32(add_both(CATEGORIES, HB_OUTPUT_REFUSE), 2, 0);
    f.p.pipeline.on_unseen = HB_UNSEEN_NULL;
    seal();
    check_rows(HBS_OUT_VALUES, HBS_OK, 80, 2);
    end();
}

/* The message names the same of two unknown categories, though the sum reads them in another order. */
static void errors_are_those_without_it(void **state)
{
    (void)state;
    draw_cells();
    for (int missing_is_error = 0; missing_is_error < 2; missing_is_error++) {
        size_t first, second;

        begin(4);
        first = add_onehot(2, 1, CATEGORIES, HB_OUTPUT_REFUSE);
        second = add_onehot(3, 1, CATEGORIES, HB_OUTPUT_REFUSE);
        f.p.pipeline.values = add_dense(add_guard(add_concat(add_concat(second, add_numbers()), first)), 2);
        f.p.pipeline.missing_is_error = missing_is_error;
        for (size_t r = 0; r < ROWS; r++) { /* a number that the guard refuses comes before them, or behind */
            cells[2][r] = r == 70 ? 90 : (double)(r % CATEGORIES);
            cells[3][r] = r == 70 ? 91 : (double)(r % CATEGORIES);
            cells[0][r] = cells[1][r] = r == (missing_is_error ? 60 : 80) ? 1e10 : 1e-300;
        }
        seal();
        check_rows(HBS_OUT_VALUES, HBS_E_ARGS, 0, 0);
        end();
    }
}

/* ---- memory and the host's wish to stop */

/* A graph before the pass, in whose arena `room` bytes are left. */
static void begin_with_room(hb_arena *small, size_t room)
{
    enum { BLOCK = 4096, HEAD = 64 };

    begin_transform(HB_OUTPUT_REFUSE);
    lower();
    assert_status(hb_graph_mark_needs(&f.graph, &f.error), HBS_OK, &f.error);
    hb_arena_init(small, &f.p.memory);
    assert_non_null(hb_arena_room(small, 1, BLOCK - HEAD - room));
    f.graph.arena = small;
}

/* Each piece of memory that it takes fails: the first block that its arena lacks, after any number of pieces, and what
 * the new nodes are kept in. */
static void it_ends_without_memory(void **state)
{
    size_t failed = 0, fused = 0;
    hb_arena small;

    (void)state;
    for (size_t room = 0; room < 3000; room += 16)
        for (size_t n = 1, done = 0; !done; n++) {
            hbs_status status;

            begin_with_room(&small, room);
            test_host_fail_at(&f.host, n, false);
            status = fuse();
            done = f.host.failed == 0;
            assert_status(status, done ? HBS_OK : HBS_E_NOMEM, &f.error);
            assert_int_equal(output(HBS_OUT_VALUES)->kind, done ? HB_OPERATOR_DENSE_SEGMENTS : HB_OPERATOR_DENSE);
            *(done ? &fused : &failed) += 1;
            test_host_fail_at(&f.host, 0, false);
            hb_graph_release(&f.graph);
            hb_arena_release(&small);
            end();
        }
    assert_true(failed > 300 && fused > 100);
}

/* One-hot columns of very many categories. */
static void it_asks_the_host_whether_to_stop(void **state)
{
    enum { MANY = 60000 };
    size_t polls = 0;
    hbs_status status;

    (void)state;
    do {
        begin(3);
        f.p.pipeline.values = add_dense(add_onehot(2, 1, MANY, HB_OUTPUT_NONE), 4);
        lower();
        f.host.polls = 0;
        f.host.cancel_at = ++polls;
        f.p.memory.work.cancelled = f.host.host.cancelled;
        status = fuse();
        assert_int_equal(output(HBS_OUT_VALUES)->kind,
                         status == HBS_OK ? HB_OPERATOR_DENSE_SEGMENTS : HB_OPERATOR_DENSE);
        if (status != HBS_OK)
            assert_status(status, HBS_E_CANCEL, &f.error);
        end();
    } while (status != HBS_OK);
    assert_true(polls > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mixed_sum_picks_the_weights_of_categories),
        cmocka_unit_test(a_sum_of_one_hot_columns_alone_picks_too),
        cmocka_unit_test(a_sum_in_float32_picks_too),
        cmocka_unit_test(a_bias_of_minus_zero_needs_the_columns),
        cmocka_unit_test(its_report_counts_the_columns),
        cmocka_unit_test(the_new_nodes_name_their_sources),
        cmocka_unit_test(it_can_be_switched_off),
        cmocka_unit_test(categories_without_a_column_pick_a_zero),
        cmocka_unit_test(few_columns_are_made),
        cmocka_unit_test(many_outputs_share_what_is_made),
        cmocka_unit_test(an_infinite_weight_needs_its_column),
        cmocka_unit_test(columns_that_two_sums_read_are_made),
        cmocka_unit_test(columns_that_trees_read_are_made),
        cmocka_unit_test(a_category_that_is_refused_by_itself_stays_one_hot),
        cmocka_unit_test(a_part_that_is_the_same_for_every_row_is_not_fused),
        cmocka_unit_test(a_graph_without_room_is_left),
        cmocka_unit_test(the_transform_keeps_its_columns),
        cmocka_unit_test(sums_of_both_askers_share_a_recode),
        cmocka_unit_test(rows_are_refused_as_without_it),
        cmocka_unit_test(rows_have_the_same_float32_sums),
        cmocka_unit_test(errors_are_those_without_it),
        cmocka_unit_test(it_ends_without_memory),
        cmocka_unit_test(it_asks_the_host_whether_to_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
