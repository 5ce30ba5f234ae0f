/* test_kernels.c - forests against a plain walk of the trees, the small operators against their formulas,
 * for every number of rows round the lanes and tiles, bit by bit. */
#include "in_strategy.h"
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forest/forest_plan.h"
#include "kernel/elementary.h"
#include "kernel/elementwise.h"

/* ------------------------------------------------------------------ forests */

/* A forest as the model that says what it means, and as a kernel sees it. */
typedef struct compiled {
    test_host host;
    hb_memory memory;
    hb_forest_model before, sealed;
    void *block;
    hb_flat_forest flat;
} compiled;

static void compile(compiled *c)
{
    hb_flat flat = {NULL, 1}; /* offset 0 is never a forest's */
    uint64_t offset;
    const hb_forest_choice plainly = {.strategy = HBS_STRATEGY_TT};
    hbs_error error;

    assert_status(hb_forest_compile(&c->sealed, &plainly, &flat, &c->host.host, &offset, &error), HBS_OK,
                  &error);
    c->block = malloc((size_t)flat.size);
    assert_non_null(c->block);
    memset(c->block, 0xA5, (size_t)flat.size);
    uint64_t counted = flat.size;

    flat = (hb_flat){c->block, 1};
    assert_status(hb_forest_compile(&c->sealed, &plainly, &flat, &c->host.host, &offset, &error), HBS_OK,
                  &error);
    assert_int_equal(flat.size, counted);
    c->flat = hb_forest_view(c->block, offset);
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
static void check_walks(const hb_kernels *set, const compiled *c, rows *r, size_t first, size_t n,
                        size_t stride, size_t groups)
{
    size_t n_trees = c->flat.n_trees, n_outputs = c->flat.n_outputs;
    size_t n_cells = c->sealed.n_features * stride;
    float *x =
        malloc(n_cells * sizeof *x); /* no more: a sanitizer sees a read behind the last row */

    assert_non_null(x);
    for (size_t i = 0; i < n_cells; i++)
        x[i] = i % stride < n ? r->row[first + i % stride][i / stride] : NAN;
    for (size_t i = 0; i < MAX_OUTPUTS * stride; i++)
        r->sums[i] = untouched;
    hb_forest_begin(&c->flat, base, stride, n, r->sums);
    for (size_t g = 0; g < groups; g++)
        set->hb_forest_add(&c->flat, n_trees * g / groups, n_trees * (g + 1) / groups, x, stride, n,
                      r->sums);
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
            if (!b->has_row[way])
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
            if (way && (!b->has_row[way - 1] || n % ROWS_AGAIN))
                continue;
            row_ways[way] += n;
            if (way)
                in_strategy_score_rows(b, way - 1, s, base, x, stride, n, sums);
            else
                in_strategy_score(b, s, base, x, false, stride, n, sums);
            for (size_t o = 0; o < c->flat.n_outputs; o++)
                for (size_t k = 0; k < n; k++)
                    if (!test_same_bits(sums[o * stride + k], r->expected[first + k][o]))
                        fail_msg("%s, %s: output %zu of row %zu of %zu: %a for %a",
                                 hb_strategy_name(b->choice.strategy), hb_kernels_at(s)->name, o, k, n,
                                 (double)sums[o * stride + k],
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
                if (by[s].choice.strategy != HBS_STRATEGY_GEMM || n % 43 == (size_t)i || n % 65 == 0) /* slow */
                    check_strategy(&c, &by[s], r, MAX_ROWS - n, n);
            if (n % 2 || n % 64 == 0)
                check_tile(&c, r, MAX_ROWS - n, n, n > 64 ? n > 128 ? 256 : 128 : 64, 1 + n / 2 % 2);
        }
        for (size_t s = 0; s < n_by; s++) {
            held[by[s].choice.strategy]++;
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
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 37, .depth = 9},
        12);
}

static void deep_trees_end_early_without_a_difference(void **state)
{
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 9, .depth = 40},
        6);
}

static void single_leaves_and_stumps_are_trees(void **state)
{
    check_shape(
        &(test_shape){.n_features = 1, .n_outputs = 1, .leaf_width = 1, .n_trees = 20, .depth = 1},
        6);
}

static void sets_small_as_bits_and_as_lists_are_one_test(void **state)
{
    check_shape(&(test_shape){.n_features = 12,
                              .n_outputs = 1,
                              .leaf_width = 1,
                              .n_trees = 37,
                              .depth = 7,
                              .sets = true},
                12);
}

static void small_sets_are_tests_of_single_rows(void **state)
{
    check_shape(&(test_shape){.n_features = 12, .n_outputs = 1, .leaf_width = 1, .n_trees = 70, .depth = 7,
                              .sets = true, .small = true}, 1);
    check_shape(&(test_shape){.n_features = 50, .n_outputs = 7, .leaf_width = 7, .n_trees = 70, .depth = 5,
                              .sets = true, .small = true}, 1);
}

/* More of them than one register, or two, have bytes. */
static void ranks_of_many_features(void **state)
{
    check_shape(&(test_shape){.n_features = 40, .n_outputs = 1, .leaf_width = 1, .n_trees = 70, .depth = 5}, 1);
    check_shape(&(test_shape){.n_features = 120, .n_outputs = 1, .leaf_width = 1, .n_trees = 70, .depth = 6}, 1);
}

/* The leaves of one group of 64 are added while the next is looked at. */
static void single_rows_go_through_many_groups_of_trees(void **state)
{
    check_shape(&(test_shape){.n_features = 30, .n_outputs = 1, .leaf_width = 1, .n_trees = 270, .depth = 4}, 1);
    check_shape(&(test_shape){.n_features = 12, .n_outputs = 3, .leaf_width = 1, .n_trees = 150, .depth = 5}, 1);
}

static void trees_add_to_their_own_output(void **state)
{
    check_shape(&(test_shape){.n_features = 12,
                              .n_outputs = 7,
                              .leaf_width = 1,
                              .n_trees = 50,
                              .depth = 5,
                              .sets = true},
                6);
}

static void leaves_of_several_outputs_are_added_to_all(void **state)
{
    check_shape(
        &(test_shape){.n_features = 12, .n_outputs = 7, .leaf_width = 7, .n_trees = 21, .depth = 6},
        6);
    check_shape(&(test_shape){.n_features = 12,
                              .n_outputs = 2,
                              .leaf_width = 2,
                              .n_trees = 21,
                              .depth = 6,
                              .sets = true},
                3);
}

static void weights_multiply_leaves_before_the_sum(void **state)
{
    check_shape(&(test_shape){.n_features = 12,
                              .n_outputs = 3,
                              .leaf_width = 1,
                              .n_trees = 30,
                              .depth = 6,
                              .weights = true},
                6);
    check_shape(&(test_shape){.n_features = 12,
                              .n_outputs = 3,
                              .leaf_width = 3,
                              .n_trees = 30,
                              .depth = 6,
                              .weights = true},
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
    hb_forest_begin(&c.flat, &zero, 1, 1, &sum);
    hb_forest_add(&c.flat, 0, 3, &x, 1, 1, &sum);
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
        assert_non_null(hb_vector_append(&c.sealed.categories, before->categories.items,
                                         before->categories.count));
    }
    test_add_tree(&c.sealed, (hb_tree_node[]){test, test_leaf(1), test_leaf(2)}, 3, 0);
    seal(&c);
    for (size_t n = 1; n <= 9; n += 8) {
        for (size_t i = 0; i < n; i++)
            in[i] = x;
        hb_forest_begin(&c.flat, (const float[]){0}, n, n, out);
        hb_forest_add(&c.flat, 0, 1, in, n, n, out);
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
    goes_right(test_set(&c.before, 0, 1, 2, 2, (const int32_t[]){16777215, 16777216}), &c.before,
               16777216, false);
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
    test_add_tree(&c.sealed, (hb_tree_node[]){test_split(0, 1, 1, 2), test_leaf(1), test_leaf(2)},
                  3, 0);
    seal(&c);
    assert_int_equal(c.flat.steps, 1 + 2);
    assert_int_equal(c.flat.trees[0].depth, 0);
    assert_int_equal(c.flat.trees[1].depth, 1);
    assert_int_equal(c.flat.trees[1].root, 1);
    end(&c);
}

/* ------------------------------------------------------------------ small operators */

typedef void operator(const hb_tile *tile);

enum { WIDE = 8, LONG = 70 };

/* x as columns of a tile, through the operator, into y[width][rows]; also in place where `same`. */
static void apply(operator* op, size_t width, size_t out_width, size_t rows, const float *x,
                  float *y, bool same)
{
    size_t stride = rows + rows % 5;
    float *in = malloc((width + 1) * stride * sizeof *in);
    float *out = malloc((out_width + 1) * stride * sizeof *out);

    assert_true(in && out);
    for (size_t i = 0; i < width * stride; i++)
        in[i] = i % stride < rows ? x[i / stride * rows + i % stride] : untouched;
    for (size_t i = 0; i < (out_width + 1) * stride; i++)
        out[i] = untouched;
    op(&(hb_tile){in, out, width, stride, rows});
    for (size_t i = 0; i < (out_width + 1) * stride; i++)
        if (i < out_width * stride && i % stride < rows)
            y[i / stride * rows + i % stride] = out[i];
        else
            assert_true(out[i] == untouched);
    if (same && width >= out_width) {
        op(&(hb_tile){in, in, width, stride, rows});
        for (size_t i = 0; i < out_width * stride; i++)
            assert_true(test_same_bits(in[i], out[i]) || i % stride >= rows ||
                        (isnan(in[i]) && isnan(out[i])));
    }
    free(in);
    free(out);
}

/* One number through an operator of one column. */
static float one(operator* op, float x)
{
    float y;

    apply(op, 1, 1, 1, &x, &y, true);
    return y;
}

static bool same(float a, float b)
{
    return test_same_bits(a, b) || (isnan(a) && isnan(b));
}

static bool near(float a, double b, double relative)
{
    return fabs((double)a - b) <= relative * fabs(b);
}

/* Each number alone gives what it gives in any place of a tile. */
static void check_places(operator* op)
{
    uint64_t random = 7;

    for (size_t rows = 1; rows <= LONG; rows += rows < 9 ? 1 : 13) {
        float x[WIDE * LONG], y[WIDE * LONG];

        for (size_t i = 0; i < WIDE * rows; i++)
            x[i] = test_random_cell(&random);
        apply(op, WIDE, WIDE, rows, x, y, true);
        for (size_t i = 0; i < WIDE * rows; i++)
            assert_true(same(y[i], one(op, x[i])));
    }
}

static void sigmoid_is_the_librarys_with_its_bound(void **state)
{
    for (int i = -900; i <= 900; i++) {
        float x = (float)i / 10;

        assert_true(
            same(one(hb_sigmoid, x), 1.0f / (hb_expf(-x < 88.7f ? -x : 88.7f) + 1.0f + 1e-16f)));
        if (i > -880)
            assert_true(near(one(hb_sigmoid, x), 1 / (1 + exp(-(double)x)), 3e-7));
    }
    assert_true(one(hb_sigmoid, 0) == 0.5f);
    assert_true(one(hb_sigmoid, INFINITY) == 1);
    assert_true(near(one(hb_sigmoid, -INFINITY), exp(-(double)88.7f), 1e-6)); /* not 0 */
    assert_true(one(hb_sigmoid, -1000) == one(hb_sigmoid, -INFINITY));
    assert_true(isnan(one(hb_sigmoid, NAN)));
    check_places(hb_sigmoid);
}

static void exp_and_log_have_their_limits(void **state)
{
    assert_true(one(hb_exp, 0) == 1);
    assert_true(one(hb_exp, -INFINITY) == 0);
    assert_true(one(hb_exp, INFINITY) == INFINITY);
    assert_true(one(hb_exp, 89) == INFINITY);
    assert_true(near(one(hb_exp, 1), exp(1), 1e-7));
    assert_true(isnan(one(hb_exp, NAN)));
    assert_true(one(hb_log, 1) == 0);
    assert_true(one(hb_log, 0) == -INFINITY);
    assert_true(one(hb_log, INFINITY) == INFINITY);
    assert_true(near(one(hb_log, 10), log(10), 1e-7));
    assert_true(isnan(one(hb_log, -1)));
    assert_true(isnan(one(hb_log, NAN)));
    check_places(hb_exp);
    check_places(hb_log);
}

static void logit_is_clamped(void **state)
{
    const float low = 1e-6f, high = 1.0f - 1e-6f;

    assert_true(one(hb_logit, 0.5f) == 0);
    assert_true(near(one(hb_logit, 0.25f), -log(3), 1e-6));
    assert_true(near(one(hb_logit, 0.75f), log(3), 1e-6));
    assert_true(same(one(hb_logit, 0), -logf(1.0f / low - 1.0f)));
    assert_true(same(one(hb_logit, 1), -logf(1.0f / high - 1.0f)));
    assert_true(same(one(hb_logit, -5), one(hb_logit, low)));
    assert_true(same(one(hb_logit, INFINITY), one(hb_logit, high)));
    assert_true(near(one(hb_logit, 0), log(1e-6), 1e-5));
    check_places(hb_logit);
}

static float marked;
static void mark(const hb_tile *tile)
{
    hb_mark_missing(tile, marked);
}

static void one_number_becomes_missing(void **state)
{
    marked = 5;
    assert_true(isnan(one(mark, 5)));
    assert_true(one(mark, 0x1.400002p+2f) == 0x1.400002p+2f);
    assert_true(one(mark, -5) == -5);
    assert_true(one(mark, INFINITY) == INFINITY);
    assert_true(isnan(one(mark, NAN)));
    check_places(mark);
    marked = 0;
    assert_true(isnan(one(mark, 0)));
    assert_true(isnan(one(mark, -0.0f))); /* equal, as XGBoost compares */
    assert_true(one(mark, 0x1p-149f) == 0x1p-149f);
    marked = -INFINITY;
    assert_true(isnan(one(mark, -INFINITY)));
    assert_true(one(mark, INFINITY) == INFINITY);
}

static float threshold;
static void greater(const hb_tile *tile)
{
    hb_greater(tile, threshold);
}

static void only_above_the_threshold_is_1(void **state)
{
    threshold = 0.5f;
    assert_true(same(one(greater, 0.5f), 0));
    assert_true(same(one(greater, 0x1.000002p-1f), 1));
    assert_true(same(one(greater, INFINITY), 1));
    assert_true(same(one(greater, -INFINITY), 0));
    assert_true(same(one(greater, NAN), 0));
    check_places(greater);
    threshold = 0;
    assert_true(same(one(greater, -0.0f), 0));
    assert_true(same(one(greater, 0x1p-149f), 1));
}

static void complement_gives_both_classes(void **state)
{
    const float p[] = {0, 0.25f, 1, 0x1p-30f, NAN};
    float y[10];

    apply(hb_complement, 1, 2, 5, p, y, false);
    for (size_t r = 0; r < 5; r++) {
        assert_true(same(y[r], 1.0f - p[r]));
        assert_true(same(y[5 + r], p[r]));
    }
    assert_true(y[0] == 1 && y[1] == 0.75f && y[2] == 0 && y[3] == 1);
}

/* ---- operators that see the whole row */

static void softmax_of(const float *x, size_t width, float *y)
{
    float most = x[0];
    double sum = 0;

    for (size_t c = 1; c < width; c++)
        most = fmaxf(x[c], most);
    for (size_t c = 0; c < width; c++)
        sum += (double)(y[c] = hb_expf(x[c] - most));
    for (size_t c = 0; c < width; c++)
        y[c] /= (float)sum;
}

static void softmax_sums_in_float64(void **state)
{
    enum { W = 3000 };
    static float x[W], y[W], expected[W];
    uint64_t random = 3;
    float sum32 = 0;
    double exact = 0;

    for (size_t c = 0; c < W; c++)
        x[c] = (float)(test_random(&random) % 1000) / 250;
    apply(hb_softmax, W, W, 1, x, y, true);
    softmax_of(x, W, expected);
    for (size_t c = 0; c < W; c++) {
        assert_true(same(y[c], expected[c]));
        exact += exp((double)x[c]);
        sum32 += expf(x[c] - 3.996f);
    }
    for (size_t c = 0; c < W; c++)
        assert_true(near(y[c], exp((double)x[c]) / exact, 3e-7));
    assert_false(same(expf(x[0] - 3.996f) / sum32, y[0])); /* float32 sums would show */
}

static void softmax_of_special_rows(void **state)
{
    /* rows: equal, one far above, an infinity, a minus infinity, a NaN */
    const float x[15] = {1, 500, INFINITY, -INFINITY, 0, 1, 0, 0, 0, NAN, 1, 0, 0, 0, 0};
    float y[15];

    apply(hb_softmax, 3, 3, 5, x, y, true);
    for (size_t c = 0; c < 3; c++) {
        assert_true(same(y[c * 5], 1.0f / 3.0f));
        assert_true(y[c * 5 + 1] == (c == 0 ? 1 : 0));
        assert_true(isnan(y[c * 5 + 2])); /* inf - inf */
        assert_true(y[c * 5 + 3] == (c == 0 ? 0 : 0.5f));
        assert_true(isnan(y[c * 5 + 4]));
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void sorting_is_qsorts_for_every_width(void **state)
{
    enum { MAX = 300, R = 3 };
    static float x[MAX * R], y[MAX * R];
    uint64_t random = 5;

    for (size_t width = 1; width <= MAX; width++) {
        for (size_t i = 0; i < width * R; i++) /* row 0: many equal; row 1: falling; row 2: any */
            x[i] = i % R == 0   ? (float)(test_random(&random) % 7)
                   : i % R == 1 ? -(float)i
                                : (float)(int32_t)test_random(&random);
        x[(width - 1) * R + 2] = -INFINITY;
        apply(hb_sort_columns, width, width, R, x, y, true);
        for (size_t r = 0; r < R; r++) {
            float row[MAX];

            for (size_t c = 0; c < width; c++)
                row[c] = x[c * R + r];
            qsort(row, width, sizeof *row, compare_floats);
            for (size_t c = 0; c < width; c++)
                assert_true(y[c * R + r] == row[c]);
        }
    }
}

static void sorting_with_nan_loses_nothing(void **state)
{
    const float x[] = {3, NAN, 1, NAN, 2};
    size_t nans = 0;
    float y[5], sum = 0;

    apply(hb_sort_columns, 5, 5, 1, x, y, true);
    for (size_t c = 0; c < 5; c++)
        if (isnan(y[c]))
            nans++;
        else
            sum += y[c];
    assert_int_equal(nans, 2);
    assert_true(sum == 6);
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static void expectiles_rise_by_softplus(void **state)
{
    const float x[] = {-3, 0, 5, -40, 200, -INFINITY, -1};
    double sum = -3;
    float y[7];

    apply(hb_expectile, 7, 7, 1, x, y, true);
    assert_true(y[0] == -3);
    for (size_t c = 1; c < 7; c++) {
        sum += 1e-6 + softplus((double)x[c]);
        assert_true(near(y[c], sum, 1e-6) && y[c] >= y[c - 1]);
    }
}

static void a_nan_expectile_spoils_those_above_it_only(void **state)
{
    const float x[] = {1, NAN, 1};
    float y[3];

    apply(hb_expectile, 3, 3, 1, x, y, true);
    assert_true(y[0] == 1 && isnan(y[1]) && isnan(y[2]));
}

static void the_expectile_base_is_the_inverse(void **state)
{
    const float x[] = {-2, -1.5f, 0, 0.125f, 30};
    float margins[5], y[5];

    apply(hb_expectile_base, 5, 5, 1, x, margins, true);
    assert_true(margins[0] == -2);
    for (size_t c = 1; c < 5; c++) /* log(e^d - 1) */
        assert_true(fabs((double)margins[c] - log(expm1((double)x[c] - (double)x[c - 1] - 1e-6))) <
                    1e-5);
    apply(hb_expectile, 5, 5, 1, margins, y, true);
    for (size_t c = 0; c < 5; c++)
        assert_true(fabsf(y[c] - x[c]) < 1e-5f);
}

static void base_expectiles_that_do_not_rise_are_kept_apart(void **state)
{
    const float x[] = {1, 1, 0};
    float margins[3];

    apply(hb_expectile_base, 3, 3, 1, x, margins, true);
    for (size_t c = 1; c < 3; c++)
        assert_true(fabs((double)margins[c] - log(expm1(1e-6))) < 1e-4);
}

static float argmax_of(size_t width, const float *x)
{
    float y;

    apply(hb_argmax, width, 1, 1, x, &y, true);
    return y;
}

static void the_first_of_equal_maxima_wins(void **state)
{
    assert_true(argmax_of(4, (const float[]){1, 3, 3, 2}) == 1);
    assert_true(argmax_of(4, (const float[]){0, 0, 0, 0}) == 0);
    assert_true(argmax_of(4, (const float[]){-0.0f, 0, -1, 0}) == 0);
    assert_true(argmax_of(4, (const float[]){1, 2, 3, 4}) == 3);
    assert_true(argmax_of(3, (const float[]){-INFINITY, -INFINITY, -INFINITY}) == 0);
    assert_true(argmax_of(3, (const float[]){1, INFINITY, INFINITY}) == 1);
    assert_true(argmax_of(1, (const float[]){-7}) == 0);
}

static void argmax_passes_over_nan(void **state)
{
    assert_true(argmax_of(3, (const float[]){1, NAN, 2}) == 2);
    assert_true(argmax_of(3, (const float[]){NAN, 1, 2}) == 0); /* nothing is above a NaN */
    assert_true(argmax_of(3, (const float[]){NAN, NAN, NAN}) == 0);
}

static void argmax_of_each_row_is_its_own(void **state)
{
    float x[4 * LONG], y[LONG];

    for (size_t rows = 1; rows <= LONG; rows++) {
        for (size_t c = 0; c < 4; c++)
            for (size_t r = 0; r < rows; r++)
                x[c * rows + r] = c == r % 4 ? 9 : (float)c;
        apply(hb_argmax, 4, 1, rows, x, y, true);
        for (size_t r = 0; r < rows; r++)
            assert_true(y[r] == (float)(r % 4));
    }
}

static void a_linear_sum_skips_what_is_missing(void **state)
{
    enum { F = 5, O = 2 };
    static const float weights[F * O] = {1, -1, 0.1f, 10, 3, 0, 0x1p24f, 1, -0.5f, 2};
    static const float bias[O] = {0.25f, -3}, start[O] = {0.5f, 1};
    uint64_t random = 9;

    for (size_t rows = 1; rows <= LONG; rows += rows < 9 ? 1 : 13) {
        float x[F * LONG], y[O * LONG];

        for (size_t i = 0; i < F * rows; i++)
            x[i] = test_random_cell(&random);
        for (size_t o = 0; o < O; o++)
            hb_linear(&(hb_tile){x, y, F, rows, rows}, o, O, weights, bias, start);
        for (size_t r = 0; r < rows; r++)
            for (size_t o = 0; o < O; o++) {
                float sum = bias[o] + start[o];

                for (size_t f = 0; f < F; f++)
                    if (!isnan(x[f * rows + r]))
                        sum += x[f * rows + r] * weights[f * O + o];
                assert_true(same(y[o * rows + r], sum));
            }
    }
}

static void a_row_of_missing_values_gives_bias_and_base(void **state)
{
    const float x[] = {NAN, NAN};
    float y = 0;

    hb_linear(&(hb_tile){x, &y, 2, 1, 1}, 0, 1, (const float[]){INFINITY, 1}, (const float[]){2},
              (const float[]){0.5f});
    assert_true(y == 2.5f);
}

/* ------------------------------------------------------------------ elementary functions */

/* The answers of CPUs with fused multiply-add, on all CPUs; each is next to the exact value. */
static void two_inputs_of_expf_have_one_answer(void **state)
{
    static const float in[] = {0x1.04845ep+5f, -0x1.f8cbb2p+5f};
    static const float out[] = {0x1.f93e38p+46f, 0x1.f45326p-92f};

    for (size_t i = 0; i < 2; i++) {
        double exact = exp((double)in[i]);

        assert_true(same(hb_expf(in[i]), out[i]));
        assert_true((double)nextafterf(out[i], 0) < exact);
        assert_true((double)nextafterf(out[i], INFINITY) > exact);
        assert_true(same(hb_expf(nextafterf(in[i], 0)), expf(nextafterf(in[i], 0))));
    }
}

static void elementary_functions_are_within_an_ulp(void **state)
{
    for (int i = 1; i < 2000; i++) {
        float x = (float)i / 37;

        assert_true(near(hb_expf(-x), exp(-(double)x), 1.2e-7));
        assert_true(i == 37 || near(hb_logf(x), log((double)x), 1.2e-7));
        assert_true(near(hb_log1pf(x), log1p((double)x), 1.2e-7));
        assert_true(near(hb_expm1f(-x), expm1(-(double)x), 1.2e-7));
    }
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
        cmocka_unit_test(sigmoid_is_the_librarys_with_its_bound),
        cmocka_unit_test(exp_and_log_have_their_limits),
        cmocka_unit_test(logit_is_clamped),
        cmocka_unit_test(one_number_becomes_missing),
        cmocka_unit_test(only_above_the_threshold_is_1),
        cmocka_unit_test(complement_gives_both_classes),
        cmocka_unit_test(softmax_sums_in_float64),
        cmocka_unit_test(softmax_of_special_rows),
        cmocka_unit_test(sorting_is_qsorts_for_every_width),
        cmocka_unit_test(sorting_with_nan_loses_nothing),
        cmocka_unit_test(expectiles_rise_by_softplus),
        cmocka_unit_test(a_nan_expectile_spoils_those_above_it_only),
        cmocka_unit_test(the_expectile_base_is_the_inverse),
        cmocka_unit_test(base_expectiles_that_do_not_rise_are_kept_apart),
        cmocka_unit_test(the_first_of_equal_maxima_wins),
        cmocka_unit_test(argmax_passes_over_nan),
        cmocka_unit_test(argmax_of_each_row_is_its_own),
        cmocka_unit_test(a_linear_sum_skips_what_is_missing),
        cmocka_unit_test(a_row_of_missing_values_gives_bias_and_base),
        cmocka_unit_test(two_inputs_of_expf_have_one_answer),
        cmocka_unit_test(elementary_functions_are_within_an_ulp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
