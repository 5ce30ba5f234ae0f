/* test_push_selection.c - a selection of columns moves towards the table, through each operator that makes a column of
 * some of its input's; what reads whole rows stops it, and so does what may refuse a row. */
#include "graph_fixture.h"

#include <string.h>

#include "every_operator.h"
#include "ir/meaning.h"

enum { FEATURES = 5, PICKED = 2, VALUES = HBS_OUT_VALUES, TRANSFORM = HBS_OUT_TRANSFORM };

static const double numbers[2 * FEATURES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

/* A pipeline of five features in float64. */
static test_pipeline *begin(graph_fixture *f)
{
    test_pipeline *p = graph_begin(f, FEATURES);

    p->pipeline.wide = true;
    return p;
}

static size_t pick(test_pipeline *p, size_t input, const uint32_t *columns, size_t n)
{
    return test_add(p, SELECT, select, input, .n_columns = n, .columns = columns);
}

#define PICK(p, input, ...) \
    pick(p, input, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static size_t concat(test_pipeline *p, size_t a, size_t b)
{
    return hb_pipeline_add_of(&p->pipeline, HB_OPERATOR_CONCAT, (const uint32_t[]){(uint32_t)a, (uint32_t)b}, 2, NULL);
}

static size_t shift(test_pipeline *p, size_t input)
{
    return test_add(p, SCALE, scale, input, .scaling = HB_SCALE_SHIFT, .shift = numbers);
}

static void push(graph_fixture *f)
{
    graph_lower(f);
    graph_run(f, HBS_PASS_PUSH_SELECTION);
}

static const hb_node *output_node(const graph_fixture *f, uint32_t bit)
{
    return graph_node(f, graph_output(f, bit));
}

/* ---- operators of single columns */

static void a_selection_moves_before_a_scaler(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, shift(p, 1), 1, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "subtract:2 select:2 encode:5 table:5");
    assert_int_equal(f.graph.n_reports, 1);
    graph_report_is(&f, 0, "push_selection", 3, 22, 16); /* table, encode, numbers, shift, select: then two of each */
    assert_string_equal(hb_pass_unit(f.graph.reports[0].pass), "columns");
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_SELECT), select)->columns, ((uint32_t[]){1, 3}),
                        2 * sizeof(uint32_t));
    assert_memory_equal(graph_node(&f, output_node(&f, VALUES)->inputs[1])->value.data, ((double[]){2, 4}),
                        2 * sizeof(double));
    graph_end(&f);
}

static void it_does_not_if_it_is_switched_off(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, shift(p, 1), 1, 3);
    graph_lower(&f);
    graph_optimize(&f, HBS_PASS_PUSH_SELECTION | HBS_PASS_INJECT_SELECTION);
    graph_chain_is(&f, VALUES, "select:2 subtract:5 encode:5 table:5");
    assert_int_equal(f.graph.n_reports, 0);
    graph_end(&f);
}

/* Columns of the table are not made, so a copy of most of them would cost more than it saves. */
static void few_dead_columns_of_the_table_stay(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, shift(p, 1), 0, 1, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "select:3 subtract:5 encode:5 table:5");
    assert_int_equal(f.graph.n_reports, 0);
    graph_end(&f);
}

/* The order of its columns, and one that it takes twice, are the selection's own. */
static void an_order_stays_behind(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, shift(p, 1), 3, 1, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "select:3 subtract:2 select:2 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, graph_output(&f, VALUES), select)->columns, ((uint32_t[]){1, 0, 1}),
                        3 * sizeof(uint32_t));
    graph_end(&f);
}

static void selections_become_one(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, shift(p, PICK(p, shift(p, 1), 4, 2, 1, 0)), 2, 1);
    push(&f);
    graph_chain_is(&f, VALUES, "select:2 subtract:2 select:2 subtract:2 select:2 encode:5 table:5");
    graph_end(&f);
}

/* Every operator whose needs are column by column, whatever it is made of. */
static void it_moves_before_each_operator_of_single_columns(void **state)
{
    size_t tried = 0;

    for (size_t i = 0; i < every_operator_count(); i++) {
        const every_operator *op = every_operator_at(i);
        graph_fixture f;
        test_pipeline *p = begin(&f);
        size_t made = every_operator_add(p, i, 1, op->takes ? op->takes : FEATURES, true), whole = 0;

        if (!(op->dtypes & EVERY_FLOAT64) || op->takes || op->kind == HB_OPERATOR_NARROW ||
            every_operator_width(i, FEATURES) == 1) {
            graph_end(&f);
            continue;
        }
        p->pipeline.values = PICK(p, made, 1);
        graph_lower(&f);
        for (size_t k = 2; k < f.graph.nodes.count - 1; k++)
            whole += hb_meanings[graph_node(&f, k)->kind]->needs != hb_needs_columns &&
                     graph_node(&f, k)->kind != HB_OPERATOR_CONSTANT;
        graph_run(&f, HBS_PASS_PUSH_SELECTION);
        for (size_t k = 2; whole == 0 && k < f.graph.nodes.count; k++)
            if (graph_node(&f, k)->value.width != 1 && graph_node(&f, k)->outputs)
                fail_msg("%s: %s is of width %zu", op->name, hb_operator_name(graph_node(&f, k)->kind),
                         graph_node(&f, k)->value.width);
        tried += whole == 0;
        graph_end(&f);
    }
    assert_true(tried >= 26);
}

/* ---- operators that make columns */

static size_t add_named(test_pipeline *p, const char *name, size_t input, size_t width)
{
    for (size_t i = 0; i < every_operator_count(); i++)
        if (strcmp(every_operator_at(i)->name, name) == 0)
            return every_operator_add(p, i, input, width, true);
    fail_msg("no operator %s", name);
    return 0;
}

/* Each of the categories -1 and 2 has a column: 0 and 1 of feature 0, 2 and 3 of feature 1.. The features share these
 * values, and of each another category is left. */
static void an_encoder_makes_the_selected_categories_only(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);
    const hb_encoder *encoder;

    p->pipeline.values = PICK(p, add_named(p, "ONEHOT set_onehot", 1, FEATURES), 6, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "select:2 onehot:2 select:2 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_SELECT), select)->columns, ((uint32_t[]){1, 3}),
                        2 * sizeof(uint32_t));
    encoder = &GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_ONEHOT), onehot)->model;
    assert_int_equal(encoder->n_columns, 2);
    assert_int_equal(encoder->width, 2);
    assert_int_equal(encoder->columns[0].base, 0);
    assert_int_equal(encoder->columns[0].feature, 1);
    assert_int_equal(encoder->columns[1].base, 1);
    assert_int_equal(encoder->columns[1].feature, 3);
    assert_int_equal(encoder->n_values, 4);
    assert_memory_equal(encoder->values, ((double[]){-1, 2, -1, 2}), 4 * sizeof(double));
    assert_memory_equal(encoder->outputs, ((int32_t[]){HB_OUTPUT_NONE, 0, 0, HB_OUTPUT_NONE}), 4 * sizeof(int32_t));
    graph_end(&f);
}

static void bins_take_the_edges_of_their_columns(void **state)
{
    static const uint32_t ends[FEATURES] = {1, 1, 4, 6, 6};
    graph_fixture f;
    test_pipeline *p = begin(&f);
    const hb_bins *bins;

    p->pipeline.values = PICK(p, test_add(p, BINS, bins, 1, .model = {FEATURES, ends, numbers}), 1, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "bins:2 select:2 encode:5 table:5");
    bins = &GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_BINS), bins)->model;
    assert_int_equal(bins->n_columns, 2);
    assert_memory_equal(bins->ends, ((uint32_t[]){0, 2}), 2 * sizeof(uint32_t));
    assert_memory_equal(bins->edges, numbers + 4, 2 * sizeof(double));
    graph_end(&f);
}

/* x0 x0 x3 is made of x0 x0, which nobody reads. */
static void a_product_keeps_what_it_is_made_of(void **state)
{
    static const hb_product products[] = {
        {HB_PRODUCT_ONE, 0}, {HB_PRODUCT_COLUMN, 0}, {1, 0}, {HB_PRODUCT_COLUMN, 4}, {2, 3}};
    static const hb_product kept[] = {{HB_PRODUCT_COLUMN, 0}, {0, 0}, {1, 1}};
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, test_add(p, PRODUCTS, products, 1, .n_products = 5, .products = products), 4);
    push(&f);
    graph_chain_is(&f, VALUES, "select:1 products:3 select:2 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_PRODUCTS), products)->products, kept, sizeof(kept));
    graph_end(&f);
}

static void a_mark_is_of_the_selected_columns(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, add_named(p, "INDICATOR set_indicator", 1, FEATURES), 1, 2); /* of columns 3 and 2 */
    push(&f);
    graph_chain_is(&f, VALUES, "indicator:2 select:2 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_INDICATOR), indicator)->columns, ((uint32_t[]){1, 0}),
                        2 * sizeof(uint32_t));
    graph_end(&f);
}

static void a_concat_loses_columns_of_both_sides(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);
    size_t left = shift(p, 1), right = test_add_plain(p, ROUND, left);

    p->pipeline.values = PICK(p, concat(p, left, right), 2, 6);
    push(&f);
    graph_chain_is(&f, VALUES, "select:2 concat:4 subtract:2 select:2 encode:5 table:5"); /* each side has both */
    graph_end(&f);
}

/* The whole of the other side goes too. */
static void a_concat_of_one_side_is_none(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, concat(p, shift(p, 1), test_add_plain(p, ROUND, 1)), 6, 9);
    push(&f);
    graph_chain_is(&f, VALUES, "round:2 select:2 encode:5 table:5");
    assert_int_equal(graph_count(&f), 4);
    graph_end(&f);
}

/* ---- where it stops */

static void stops_at(const char *name, const char *chain)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, add_named(p, name, shift(p, 1), FEATURES), 0);
    push(&f);
    graph_chain_is(&f, VALUES, chain);
    assert_int_equal(f.graph.n_reports, 0);
    graph_end(&f);
}

static void operators_of_whole_rows_stop_it(void **state)
{
    stops_at("NORM set_norm_l1", "select:1 norm_l1:5 subtract:5 encode:5 table:5");
    stops_at("NORM set_norm_l2", "select:1 norm_l2:5 subtract:5 encode:5 table:5");
    stops_at("NORM set_norm_max", "select:1 norm_max:5 subtract:5 encode:5 table:5");
    stops_at("DENSE set_dense", "select:1 dense:5 subtract:5 encode:5 table:5"); /* a projection: inject_selection's */
    stops_at("LINK set_softmax", "select:1 softmax:5 subtract:5 encode:5 table:5");
    stops_at("FOREST set_forest", "select:1 tree_ensemble:5 subtract:5 encode:5 table:5");
    stops_at("CATEGORY_STATISTICS set_statistics", "select:1 category_statistics:6 subtract:5 encode:5 table:5");
}

/* ---- several readers */

/* The shift is read by two operators of single columns, each of which needs another column: it makes both. */
static void a_value_has_the_columns_of_all_its_readers(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);
    size_t both = shift(p, 1);

    p->pipeline.values = PICK(p, test_add_plain(p, ROUND, both), 1);
    p->pipeline.raw = PICK(p, test_add_plain(p, FLUSH_TINY, both), 3);
    push(&f);
    graph_chain_is(&f, VALUES, "select:1 round:2 subtract:2 select:2 encode:5 table:5");
    graph_chain_is(&f, HBS_OUT_RAW, "select:1 flush_tiny:2 subtract:2 select:2 encode:5 table:5");
    assert_int_equal(graph_count_kind(&f, HB_OPERATOR_SUBTRACT), 1);
    graph_end(&f);
}

static void the_transform_and_the_predictions_have_nodes_of_their_own(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.transform = shift(p, 1);
    p->pipeline.values = PICK(p, p->pipeline.transform, 1, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "subtract:2 select:2 encode:5 table:5");
    graph_chain_is(&f, TRANSFORM, "subtract:5 encode:5 table:5");
    assert_int_equal(output_node(&f, VALUES)->outputs, VALUES);
    assert_int_equal(output_node(&f, TRANSFORM)->outputs, TRANSFORM);
    graph_end(&f);
}

/* Where both need all columns nothing is made twice. */
static void without_dead_columns_nothing_changes(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.transform = shift(p, 1);
    p->pipeline.values = PICK(p, p->pipeline.transform, 4, 3, 2, 1, 0);
    graph_lower(&f);
    assert_int_equal(f.graph.nodes.count, 5);
    graph_run(&f, HBS_PASS_PUSH_SELECTION);
    assert_int_equal(f.graph.nodes.count, 5);
    assert_int_equal(f.graph.n_reports, 0);
    graph_end(&f);
}

/* ---- what may refuse a row */

/* A one-hot encoder of all features, which `input` has, of which `categories` have a column each; feature `refuses`
 * refuses others. */
static size_t encode(test_pipeline *p, size_t input, const uint32_t *categories, size_t refuses)
{
    hb_encoder_column *columns = hb_arena_array(&p->pipeline.arena, FEATURES, sizeof(*columns));
    int32_t *outputs = hb_arena_array(&p->pipeline.arena, FEATURES, sizeof(*outputs));
    uint32_t made = 0;

    assert_true(columns && outputs);
    for (uint32_t c = 0; c < FEATURES; c++) {
        columns[c] = (hb_encoder_column){.first = c,
                                         .count = 1,
                                         .feature = c,
                                         .base = made,
                                         .missing = HB_OUTPUT_NONE,
                                         .unknown = c == refuses ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE};
        outputs[c] = categories[c] ? 0 : HB_OUTPUT_NONE;
        made += categories[c];
    }
    return test_add(p, ONEHOT, onehot, input, .model = {FEATURES, FEATURES, made, columns, numbers, outputs, NULL});
}

/* The encoder of feature 2, which matters by its other reader, looks for what training has not seen; nobody reads its
 * columns. It stays, with that column alone. */
static void an_encoder_that_may_refuse_a_row_stays(void **state)
{
    static const uint32_t all[FEATURES] = {1, 1, 1, 1, 1};
    graph_fixture f;
    test_pipeline *p = begin(&f);
    const hb_node *encoder;

    p->pipeline.values = PICK(p, concat(p, encode(p, 1, all, 2), PICK(p, 1, 2)), 5);
    push(&f);
    graph_chain_is(&f, VALUES, "select:1 concat:2 onehot:1 select:1 encode:5 table:5");
    encoder = graph_node(&f, graph_find(&f, HB_OPERATOR_ONEHOT));
    assert_int_equal(encoder->outputs, VALUES);
    assert_int_equal(encoder->value.width, 1);
    assert_int_equal(((const hb_fit_onehot *)encoder->fit)->model.columns[0].feature, 2);
    graph_end(&f);
}

/* Training has seen one category of feature 2, which the encoder drops: it refuses others, and makes no column of it.
 */
static void so_does_a_category_without_a_column(void **state)
{
    static const uint32_t some[FEATURES] = {1, 1, 0, 1, 1};
    graph_fixture f;
    test_pipeline *p = begin(&f);
    const hb_encoder *encoder = NULL;

    p->pipeline.values = PICK(p, concat(p, encode(p, PICK(p, 1, 0, 1, 2, 3, 4), some, 2), PICK(p, 1, 2)), 3, 4);
    push(&f);
    encoder = &GRAPH_FIT(&f, graph_find(&f, HB_OPERATOR_ONEHOT), onehot)->model;
    assert_int_equal(encoder->width, 1); /* of feature 4 */
    assert_int_equal(encoder->n_columns, 2);
    assert_int_equal(encoder->columns[0].feature, 2);
    assert_int_equal(encoder->columns[0].unknown, HB_OUTPUT_REFUSE);
    assert_int_equal(encoder->columns[1].feature, 4);
    graph_end(&f);
}

/* Of feature 0 the encoder makes two columns, of which one is selected: the row is refused by it. */
static void a_category_with_a_live_column_needs_no_other(void **state)
{
    static const int32_t outputs[] = {0, 1};
    const hb_encoder_column column = {.count = 2, .missing = HB_OUTPUT_NONE, .unknown = HB_OUTPUT_REFUSE};
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values =
        PICK(p, test_add(p, ONEHOT, onehot, PICK(p, 1, 0), .model = {1, 2, 2, &column, numbers, outputs, NULL}), 1);
    push(&f);
    graph_chain_is(&f, VALUES, "onehot:1 select:1 encode:5 table:5");
    graph_end(&f);
}

/* An exponential says that all of its input matters, so the guard looks at all columns, and goes on to do so. */
static void a_guard_goes_on_to_look_at_its_columns(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);
    size_t guard = test_add(p, GUARD, guard, shift(p, 1), .takes_missing = true);
    size_t exp = test_pipeline_link(p, test_add(p, CLIP, clip, guard, .limits = {-1, 1}), HB_LINK_EXP);

    p->pipeline.values = PICK(p, exp, 1, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "select:2 exp:5 clip:5 guard:5 subtract:5 encode:5 table:5");
    graph_end(&f);
}

/* Where it looks at the selected columns only, the others go. */
static void a_guard_loses_columns_that_it_does_not_look_at(void **state)
{
    graph_fixture f;
    test_pipeline *p = begin(&f);
    size_t guard = test_add(p, GUARD, guard, shift(p, 1), .takes_missing = true);

    p->pipeline.values = PICK(p, test_add(p, CLIP, clip, guard, .limits = {-1, 1}), 1, 3);
    push(&f);
    graph_chain_is(&f, VALUES, "clip:2 guard:2 subtract:2 select:2 encode:5 table:5");
    assert_memory_equal(GRAPH_FIT(&f, output_node(&f, VALUES)->inputs[0], guard)->asked,
                        ((uint8_t[]){HB_DEMAND_FINITE, HB_DEMAND_FINITE}), 2);
    graph_end(&f);
}

/* The encoder may refuse rows for whoever asks; the model has no transform, and no nodes for one. */
static void nothing_is_made_for_outputs_that_are_not_there(void **state)
{
    static const uint32_t all[FEATURES] = {1, 1, 1, 1, 1};
    graph_fixture f;
    test_pipeline *p = begin(&f);

    p->pipeline.values = PICK(p, concat(p, encode(p, 1, all, 1), shift(p, 1)), 0, 1, 2, 3, 4);
    push(&f);
    graph_chain_is(&f, VALUES, "onehot:5 encode:5 table:5");
    assert_int_equal(f.graph.nodes.count, 3);
    graph_end(&f);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selection_moves_before_a_scaler),
        cmocka_unit_test(it_does_not_if_it_is_switched_off),
        cmocka_unit_test(few_dead_columns_of_the_table_stay),
        cmocka_unit_test(an_order_stays_behind),
        cmocka_unit_test(selections_become_one),
        cmocka_unit_test(it_moves_before_each_operator_of_single_columns),
        cmocka_unit_test(an_encoder_makes_the_selected_categories_only),
        cmocka_unit_test(bins_take_the_edges_of_their_columns),
        cmocka_unit_test(a_product_keeps_what_it_is_made_of),
        cmocka_unit_test(a_mark_is_of_the_selected_columns),
        cmocka_unit_test(a_concat_loses_columns_of_both_sides),
        cmocka_unit_test(a_concat_of_one_side_is_none),
        cmocka_unit_test(operators_of_whole_rows_stop_it),
        cmocka_unit_test(a_value_has_the_columns_of_all_its_readers),
        cmocka_unit_test(the_transform_and_the_predictions_have_nodes_of_their_own),
        cmocka_unit_test(without_dead_columns_nothing_changes),
        cmocka_unit_test(an_encoder_that_may_refuse_a_row_stays),
        cmocka_unit_test(so_does_a_category_without_a_column),
        cmocka_unit_test(a_category_with_a_live_column_needs_no_other),
        cmocka_unit_test(a_guard_goes_on_to_look_at_its_columns),
        cmocka_unit_test(a_guard_loses_columns_that_it_does_not_look_at),
        cmocka_unit_test(nothing_is_made_for_outputs_that_are_not_there),
    };

    return cmocka_run_group_tests_name("push_selection", tests, NULL, NULL);
}
