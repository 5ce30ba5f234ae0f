/* test_kernels.c - forests against a plain walk of the trees, for every number of rows round the lanes and tiles, bit
 * by bit. */
#include "in_strategy.h"
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forest/forest_plan.h"

/* ------------------------------------------------------------------ forests */

/* A forest as the model that says what it means, and as a kernel sees it. */
typedef struct compiled {
    test_host host;
    hb_memory memory;
    hb_forest_model before, sealed;
    void *block;
    hb_forest32 flat;
} compiled;

static void compile(compiled *c)
{
    hb_flat flat = {NULL, 1}; /* offset 0 is never a forest's */
    uint64_t offset;
    const hb_forest_choice plainly = {.strategy = HBS_STRATEGY_TT};
    hbs_error error;

    assert_status(hb_forest_compile(&c->sealed, &plainly, &flat, &c->memory.work, &offset, &error), HBS_OK, &error);
    c->block = malloc((size_t)flat.size);
    assert_non_null(c->block);
    memset(c->block, 0xA5, (size_t)flat.size);
    uint64_t counted = flat.size;

    flat = (hb_flat){c->block, 1};
    assert_status(hb_forest_compile(&c->sealed, &plainly, &flat, &c->memory.work, &offset, &error), HBS_OK, &error);
    assert_int_equal(flat.size, counted);
    c->flat = hb_forest_view32(c->block, offset);
}

static void begin(compiled *c)
{
    test_host_init(&c->host);
    hb_memory_init(&c->memory, &c->host.host, 0);
    hb_forest_model_init(&c->before, &c->memory);
    hb_forest_model_init(&c->sealed, &c->memory);
}

static void seal(compiled *c)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 1024};
    hbs_error error;

    assert_status(hb_forest_model_seal(&c->sealed, &limits, &error), HBS_OK, &error);
    compile(c);
}

static void begin_random(compiled *c, const test_shape *shape, uint64_t *random)
{
    uint64_t same = *random;

    begin(c);
    test_random_forest(&c->before, shape, random);
    test_random_forest(&c->sealed, shape, &same);
    seal(c);
}

static void end(compiled *c)
{
    free(c->block);
    hb_forest_model_release(&c->before);
    hb_forest_model_release(&c->sealed);
    test_host_end(&c->host);
}

enum { MAX_ROWS = 130, MAX_FEATURES = 120, MAX_OUTPUTS = 7, MAX_STRIDE = 256 };

static const float base[MAX_OUTPUTS] = {0.5f, -1.25f, 0.1f, 0, 3, -0.0f, 1e-3f};
static const float untouched = 12345.0f;

/* Rows, what they must give, and the arrays of a tile. */
typedef struct rows {
    float row[MAX_ROWS][MAX_FEATURES], expected[MAX_ROWS][MAX_OUTPUTS];
    float sums[MAX_OUTPUTS * MAX_STRIDE];
} rows;

static rows *random_rows(const compiled *c, bool tame, uint64_t *random)
{
    rows *r = malloc(sizeof *r);

    assert_non_null(r);
    for (size_t i = 0; i < MAX_ROWS; i++) {
        for (size_t f = 0; f < MAX_FEATURES; f++) {
            r->row[i][f] = test_random_cell(random);
            if (tame && isinf(r->row[i][f]))
                r->row[i][f] = FLT_MAX;
        }
        test_reference(&c->before, base, r->row[i], r->expected[i]);
    }
    return r;
}

/* Rows [first, first + n) of a tile with this stride, in the lanes' way and with all trees in `groups`. */
static void check_walks(const hb_kernels *set, const compiled *c, rows *r, size_t first, size_t n, size_t stride,
                        size_t groups)
{
    size_t n_trees = c->flat.n_trees, n_outputs = c->flat.n_outputs;
    size_t n_cells = c->sealed.n_features * stride;
    float *x = malloc(n_cells * sizeof *x); /* no more: a sanitizer sees a read behind the last row */

    assert_non_null(x);
    for (size_t i = 0; i < n_cells; i++)
        x[i] = i % stride < n ? r->row[first + i % stride][i / stride] : NAN;
    for (size_t i = 0; i < MAX_OUTPUTS * stride; i++)
        r->sums[i] = untouched;
    hb_forest_begin32(&c->flat, base, stride, n, r->sums);
    for (size_t g = 0; g < groups; g++)
        set->hb_forest_add32(&c->flat, n_trees * g / groups, n_trees * (g + 1) / groups, x, stride, n, r->sums);
    free(x);
    for (size_t o = 0; o < MAX_OUTPUTS; o++)
        for (size_t k = 0; k < stride; k++)
            if (!test_same_bits(r->sums[o * stride + k],
                                o < n_outputs && k < n ? r->expected[first + k][o] : untouched))
                fail_msg("output %zu of row %zu of %zu, stride %zu", o, k, n, stride);
}

/* By each instruction set. */
static void check_tile(const compiled *c, rows *r, size_t first, size_t n, size_t stride, size_t groups)
{
    for (size_t s = 0; hb_kernels_at(s); s++)
        check_walks(hb_kernels_at(s), c, r, first, n, stride, groups);
}

static size_t row_ways[IN_ROW_FORMS + 1]; /* rows scored in each way */

/* A row by itself, its numbers side by side, in each way and by each instruction set. */
static void check_row(const compiled *c, const in_strategy *b, const rows *r, size_t row)
{
    float *x = malloc((c->sealed.n_features + 1) * sizeof *x), sums[64];

    assert_non_null(x);
    for (size_t f = 0; f < c->sealed.n_features; f++)
        x[f] = r->row[row][f];
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t way = 0; way < IN_ROW_FORMS; way++) {
            if (!b->isas[s].has_row[way])
                continue;
            in_strategy_score_rows(b, way, s, base, x, 1, 1, sums);
            for (size_t o = 0; o < c->flat.n_outputs; o++)
                if (!test_same_bits(sums[o], r->expected[row][o]))
                    fail_msg("way %zu, %s: output %zu of a row by itself: %a for %a", way, hb_kernels_at(s)->name, o,
                             (double)sums[o], (double)r->expected[row][o]);
        }
    free(x);
}

/* Rows by themselves give the same in a block of any size: every so many sizes, all strides and all rows among them. */
enum { ROWS_AGAIN = 13 };

/* Rows [first, first + n) by a strategy, by each instruction set. */
static void check_strategy(const compiled *c, const in_strategy *b, const rows *r, size_t first, size_t n)
{
    size_t stride = (n + 63) / 64 * 64 + n % 2 * 64, n_cells = c->sealed.n_features * stride;
    float *x = malloc(n_cells * sizeof *x), *sums = malloc((c->flat.n_outputs + 1) * stride * sizeof *sums);

    assert_non_null(x);
    assert_non_null(sums);
    for (size_t i = 0; i < n_cells; i++)
        x[i] = i % stride < n ? r->row[first + i % stride][i / stride] : NAN;
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t way = 0; way <= IN_ROW_FORMS; way++) { /* a block, and rows in each way */
            if (way && (!b->isas[s].has_row[way - 1] || n % ROWS_AGAIN))
                continue;
            row_ways[way] += n;
            if (way)
                in_strategy_score_rows(b, way - 1, s, base, x, stride, n, sums);
            else
                in_strategy_score(b, s, base, x, false, stride, n, sums);
            for (size_t o = 0; o < c->flat.n_outputs; o++)
                for (size_t k = 0; k < n; k++)
                    if (!test_same_bits(sums[o * stride + k], r->expected[first + k][o]))
                        fail_msg("%s, %s: output %zu of row %zu of %zu: %a for %a", hb_strategy_name(b->strategy),
                                 hb_kernels_at(s)->name, o, k, n, (double)sums[o * stride + k],
                                 (double)r->expected[first + k][o]);
        }
    check_row(c, b, r, first + n / 2);
    free(x);
    free(sums);
}

static size_t held[HBS_N_STRATEGIES]; /* forests by each strategy */

/* Every second forest, and its rows, are such that products of matrices hold them. */
static void check_shape(const test_shape *shape, int forests)
{
    uint64_t random = 42;

    for (int i = 0; i < forests; i++) {
        test_shape tame = *shape;
        compiled c;

        tame.tame = i % 2;
        begin_random(&c, &tame, &random);
        rows *r = random_rows(&c, tame.tame, &random);
        in_strategy by[HBS_N_STRATEGIES + 1];
        size_t n_by = in_strategies_begin(by, &c.sealed, &c.host.host);

        for (size_t n = 1 + (size_t)i % EVERY; n <= MAX_ROWS; n += EVERY) {
            check_tile(&c, r, MAX_ROWS - n, n, n + (n + (size_t)i) % 3 * 17, 1 + n % 3);
            for (size_t s = 0; s < n_by; s++)
                if (by[s].strategy != HBS_STRATEGY_GEMM || n % 43 == (size_t)i || n % 65 == 0) /* slow */
                    check_strategy(&c, &by[s], r, MAX_ROWS - n, n);
            if (n % 2 || n % 64 == 0)
                check_tile(&c, r, MAX_ROWS - n, n, n > 64 ? n > 128 ? 256 : 128 : 64, 1 + n / 2 % 2);
        }
        for (size_t s = 0; s < n_by; s++) {
            held[by[s].strategy]++;
            in_strategy_end(&by[s]);
        }
        for (size_t k = 0; k < MAX_ROWS; k++)
            check_tile(&c, r, k, 1, k % 2 ? 1 : 64, 1);
        free(r);
        end(&c);
    }
}

static void numbers_go_where_the_trees_say(void **state)
{
    check_shape(&(test_shape){.n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 37, .depth = 9}, 12);
}

static void deep_trees_end_early_without_a_difference(void **state)
{
    check_shape(&(test_shape){.n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 9, .depth = 40}, 6);
}

static void single_leaves_and_stumps_are_trees(void **state)
{
    check_shape(&(test_shape){.n_features = 1, .n_outputs = 1, .leaf_width = 1, .n_trees = 20, .depth = 1}, 6);
}

static void sets_small_as_bits_and_as_lists_are_one_test(void **state)
{
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 37, .depth = 7, .sets = true}, 12);
}

static void small_sets_are_tests_of_single_rows(void **state)
{
    check_shape(
        &(test_shape){
            .n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 70, .depth = 7, .sets = true, .small = true},
        1);
    check_shape(
        &(test_shape){
            .n_features = 50, .n_outputs = 7, .leaf_width = 7, .n_trees = 70, .depth = 5, .sets = true, .small = true},
        1);
    check_shape(
        &(test_shape){
            .n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 70, .depth = 6, .sets = true, .small = true},
        1);
}

/* More of them than one register, or two, have bytes. */
static void ranks_of_many_features(void **state)
{
    check_shape(&(test_shape){.n_features = 40, .n_outputs = 1, .leaf_width = 1, .n_trees = 70, .depth = 5}, 1);
    check_shape(&(test_shape){.n_features = 120, .n_outputs = 1, .leaf_width = 1, .n_trees = 70, .depth = 6}, 1);
    check_shape(&(test_shape){.n_features = 60, .n_outputs = 3, .leaf_width = 3, .n_trees = 70, .depth = 5}, 1);
    check_shape(&(test_shape){.n_features = 60, .n_outputs = 1, .leaf_width = 1, .n_trees = 35, .depth = 3}, 2);
}

/* The leaves of one group of 64 are added while the next is looked at. */
static void single_rows_go_through_many_groups_of_trees(void **state)
{
    check_shape(&(test_shape){.n_features = 30, .n_outputs = 1, .leaf_width = 1, .n_trees = 270, .depth = 4}, 1);
    check_shape(&(test_shape){.n_features = 12, .n_outputs = 3, .leaf_width = 1, .n_trees = 150, .depth = 5}, 1);
}

static void trees_add_to_their_own_output(void **state)
{
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 7, .leaf_width = 1, .n_trees = 50, .depth = 5, .sets = true}, 6);
}

static void leaves_of_several_outputs_are_added_to_all(void **state)
{
    check_shape(&(test_shape){.n_features = 12, .n_outputs = 7, .leaf_width = 7, .n_trees = 21, .depth = 6}, 6);
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 2, .leaf_width = 2, .n_trees = 21, .depth = 6, .sets = true}, 3);
}

static void weights_multiply_leaves_before_the_sum(void **state)
{
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 3, .leaf_width = 1, .n_trees = 30, .depth = 6, .weights = true},
        6);
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 3, .leaf_width = 3, .n_trees = 30, .depth = 6, .weights = true},
        3);
}

static void a_forest_of_no_trees_gives_the_base(void **state)
{
    check_shape(&(test_shape){.n_features = 2, .n_outputs = 3, .leaf_width = 1, .n_trees = 0}, 1);
}

static void sums_are_made_in_the_order_of_the_trees(void **state)
{
    /* 2^24 + 1 - 2^24 in float32 is 0 in this order, 1 in every other one that keeps 1 for last. */
    static const float leaves[] = {0x1p24f, 1, -0x1p24f};
    const float zero = 0, x = 0;
    float sum;
    compiled c;

    begin(&c);
    c.sealed.n_features = c.sealed.n_outputs = 1;
    for (int i = 0; i < 3; i++)
        test_add_tree(&c.sealed, (hb_tree_node[]){test_leaf(leaves[i])}, 1, 0);
    seal(&c);
    hb_forest_begin32(&c.flat, &zero, 1, 1, &sum);
    hb_forest_add32(&c.flat, 0, 3, &x, 1, 1, &sum);
    assert_true(sum == 0);
    end(&c);
}

/* One test of one feature: 1 on the left, 2 on the right. */
static void goes_right(hb_tree_node test, hb_forest_model *before, float x, bool right)
{
    float in[9], out[9];
    compiled c;

    begin(&c);
    c.sealed.n_features = c.sealed.n_outputs = 1;
    if (before) {
        assert_non_null(hb_vector_append(&c.sealed.categories, before->categories.items, before->categories.count));
    }
    test_add_tree(&c.sealed, (hb_tree_node[]){test, test_leaf(1), test_leaf(2)}, 3, 0);
    seal(&c);
    for (size_t n = 1; n <= 9; n += 8) {
        for (size_t i = 0; i < n; i++)
            in[i] = x;
        hb_forest_begin32(&c.flat, (const float[]){0}, n, n, out);
        hb_forest_add32(&c.flat, 0, 1, in, n, n, out);
        if (out[n - 1] != (right ? 2.0f : 1.0f))
            fail_msg("%a went %s", (double)x, right ? "left" : "right");
    }
    end(&c);
}

static void below_the_threshold_goes_left(void **state)
{
    static const struct {
        float threshold, x;
        bool right;
    } cases[] = {
        {1, 1, true},
        {1, 0x1.fffffep-1f, false},
        {0, -0.0f, true},
        {-0.0f, 0, true},
        {0x1p-149f, 0, false},
        {0, -0x1p-149f, false},
        {INFINITY, INFINITY, true},
        {INFINITY, FLT_MAX, false},
        {-INFINITY, -INFINITY, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        goes_right(test_split(0, cases[i].threshold, 1, 2), NULL, cases[i].x, cases[i].right);
}

static void a_missing_value_goes_where_the_node_says(void **state)
{
    const float nans[] = {NAN, -NAN};

    for (size_t i = 0; i < 2; i++) {
        goes_right(test_split(0, 1, 1, 2), NULL, nans[i], true);
        goes_right(test_missing_left(test_split(0, 1, 1, 2)), NULL, nans[i], false);
    }
}

/* `members` of the last category's size class: in the node, as bits, as a list. */
static void a_member_of_the_set_goes_right_all_else_left(void **state)
{
    static const int32_t last[] = {31, 70, 16777215};

    for (size_t kind = 0; kind < 3; kind++) {
        const int32_t categories[] = {0, 5, last[kind]};
        compiled c;

        begin(&c);
        hb_tree_node test = test_set(&c.before, 0, 1, 2, 3, categories);
        const struct {
            float x;
            bool right;
        } cases[] = {
            {0, true},
            {-0.0f, true},
            {0.99f, true},
            {1, false},
            {5, true},
            {5.5f, true},
            {6, false},
            {(float)last[kind], true},
            {30, false},
            {32, false},
            {37, false},
            {63, false},
            {64, false},
            {69, false},
            {16777214, false},
            {16777216, false},
            {-1, false},
            {-0.5f, false},
            {INFINITY, false},
            {-INFINITY, false},
            {4294967296.0f, false},
            {4294967301.0f, false},
            {FLT_MAX, false},
            {NAN, true},
        };

        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            goes_right(test, &c.before, cases[i].x, cases[i].right);
        goes_right(test_missing_left(test), &c.before, NAN, false);
        goes_right(test_missing_left(test), &c.before, 5, true);
        hb_forest_model_release(&c.before);
        hb_forest_model_release(&c.sealed);
        test_host_end(&c.host);
    }
}

static void a_category_of_16777216_is_in_no_set(void **state)
{
    compiled c;

    begin(&c);
    goes_right(test_set(&c.before, 0, 1, 2, 2, (const int32_t[]){16777215, 16777216}), &c.before, 16777216, false);
    hb_forest_model_release(&c.before);
    test_host_end(&c.host);
}

static void a_set_takes_the_smaller_of_its_forms(void **state)
{
    static const struct {
        int32_t categories[4];
        uint32_t words;
        bool in_node, is_list;
    } cases[] = {
        {{0, 1, 2, 31}, 0, true, false},
        {{0, 1, 2, 32}, 2, false, false},
        {{0, 1, 2, 191}, 6, false, false}, /* bits may take two words more than the list */
        {{0, 1, 2, 192}, 4, false, true},
    };

    for (size_t i = 0; i < 4; i++) {
        compiled c;

        begin(&c);
        c.sealed.n_features = c.sealed.n_outputs = 1;
        hb_tree_node test = test_set(&c.sealed, 0, 1, 2, 4, cases[i].categories);

        test_add_tree(&c.sealed, (hb_tree_node[]){test, test_leaf(1), test_leaf(2)}, 3, 0);
        seal(&c);
        assert_int_equal(!!(c.flat.nodes[0].test & HB_TEST_SMALL_SET), cases[i].in_node);
        assert_int_equal(!!(c.flat.nodes[0].test & HB_TEST_SET), !cases[i].in_node);
        if (!cases[i].in_node) {
            assert_int_equal(c.flat.sets[0].count, cases[i].words);
            assert_int_equal(c.flat.sets[0].is_list, cases[i].is_list);
        }
        end(&c);
    }
}

static void the_steps_of_a_forest_are_its_depths_and_leaves(void **state)
{
    compiled c;

    begin(&c);
    c.sealed.n_features = c.sealed.n_outputs = 1;
    test_add_tree(&c.sealed, (hb_tree_node[]){test_leaf(1)}, 1, 0);
    test_add_tree(&c.sealed, (hb_tree_node[]){test_split(0, 1, 1, 2), test_leaf(1), test_leaf(2)}, 3, 0);
    seal(&c);
    assert_int_equal(c.flat.units, 1 + 2);
    assert_int_equal(c.flat.trees[0].depth, 0);
    assert_int_equal(c.flat.trees[1].depth, 1);
    assert_int_equal(c.flat.trees[1].root, 1);
    end(&c);
}

static void each_strategy_held_some_of_these_forests(void **state)
{
    for (hbs_strategy s = HBS_STRATEGY_TT + 1; s < HBS_N_STRATEGIES; s++)
        if (held[s] < 20)
            fail_msg("%s: %zu", hb_strategy_name(s), held[s]);
    for (size_t way = 0; way <= IN_ROW_FORMS; way++)
        assert_true(row_ways[way] > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_go_where_the_trees_say),
        cmocka_unit_test(deep_trees_end_early_without_a_difference),
        cmocka_unit_test(single_leaves_and_stumps_are_trees),
        cmocka_unit_test(sets_small_as_bits_and_as_lists_are_one_test),
        cmocka_unit_test(small_sets_are_tests_of_single_rows),
        cmocka_unit_test(ranks_of_many_features),
        cmocka_unit_test(single_rows_go_through_many_groups_of_trees),
        cmocka_unit_test(trees_add_to_their_own_output),
        cmocka_unit_test(leaves_of_several_outputs_are_added_to_all),
        cmocka_unit_test(weights_multiply_leaves_before_the_sum),
        cmocka_unit_test(a_forest_of_no_trees_gives_the_base),
        cmocka_unit_test(each_strategy_held_some_of_these_forests),
        cmocka_unit_test(sums_are_made_in_the_order_of_the_trees),
        cmocka_unit_test(below_the_threshold_goes_left),
        cmocka_unit_test(a_missing_value_goes_where_the_node_says),
        cmocka_unit_test(a_member_of_the_set_goes_right_all_else_left),
        cmocka_unit_test(a_category_of_16777216_is_in_no_set),
        cmocka_unit_test(a_set_takes_the_smaller_of_its_forms),
        cmocka_unit_test(the_steps_of_a_forest_are_its_depths_and_leaves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
