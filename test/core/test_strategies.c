/* test_strategies.c - a strategy that is asked for: what it cannot hold it says, and gives way; the distinct tests of
 * bits; and the BLAS that gemm is given. */
#include "models.h"

#include <math.h>
#include <string.h>

#include "forest/forest_plan.h"

/* ---- which forests */

typedef struct chosen {
    test_host host;
    hb_memory memory;
    hb_arena arena;
    hb_forest_model forest;
    char note[200];
} chosen;

static void begin(chosen *c)
{
    test_host_init(&c->host);
    hb_memory_init(&c->memory, &c->host.host, 0);
    hb_arena_init(&c->arena, &c->memory);
    hb_forest_model_init(&c->forest, &c->memory);
    c->forest.n_features = c->forest.n_outputs = c->forest.leaf_width = 1;
}

/* What the plan says of the forest when it is asked for by one strategy. */
static void is_said(chosen *c, hbs_strategy asked, const char *said)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 1 << 20};
    hb_forest_choice choice;
    hbs_error error;

    assert_status(hb_forest_model_seal(&c->forest, &limits, &error), HBS_OK, &error);
    assert_status(hb_forest_choose(&c->forest, asked, hb_kernels_here(), &c->arena, &choice, &error), HBS_OK, &error);
    hb_forest_note(&choice, c->note, sizeof c->note);
    assert_string_equal(c->note, said);
    assert_int_equal(choice.strategy, choice.why ? HBS_STRATEGY_TT : asked);
    hb_forest_model_release(&c->forest);
    hb_arena_release(&c->arena);
    test_host_end(&c->host);
}

/* A tree of one test. */
static void add_stump(chosen *c, hb_tree_node left, hb_tree_node right)
{
    test_add_tree(&c->forest, (hb_tree_node[]){test_split(0, 1, 1, 2), left, right}, 3, 0);
}

/* A tree that is n tests deep. */
static void add_chain(chosen *c, int n)
{
    hb_tree_node nodes[2 * 300 + 1];

    for (int i = 0; i < n; i++) {
        nodes[2 * i] = test_split(0, (float)i, 2 * i + 1, 2 * i + 2);
        nodes[2 * i + 1] = test_leaf(1);
    }
    nodes[2 * n] = test_leaf(2);
    test_add_tree(&c->forest, nodes, (size_t)(2 * n + 1), 0);
}

static void gemm_says_its_tensors(void **state)
{
    chosen c;

    begin(&c);
    add_stump(&c, test_leaf(1), test_leaf(0));
    add_chain(&c, 255);
    is_said(&c, HBS_STRATEGY_GEMM, "tensors of up to 255 tests by 256 leaves, blocks of 64 rows");
}

static void gemm_needs_trees_that_are_small(void **state)
{
    chosen c;

    begin(&c);
    add_chain(&c, 256);
    is_said(&c, HBS_STRATEGY_GEMM, "not in gemm: trees of many leaves");
    begin(&c);
    c.forest.n_features = 200;
    add_chain(&c, 255);
    is_said(&c, HBS_STRATEGY_GEMM, "not in gemm: large trees of many features");
    begin(&c);
    c.forest.n_features = 5000;
    add_stump(&c, test_leaf(1), test_leaf(2));
    is_said(&c, HBS_STRATEGY_GEMM, "not in gemm: many features");
}

static void gemm_needs_leaves_that_a_sum_of_zeros_leaves_alone(void **state)
{
    static const float odd[] = {-0.0f, INFINITY, -INFINITY};
    chosen c;

    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        begin(&c);
        add_stump(&c, test_leaf(1), test_leaf(odd[i]));
        is_said(&c, HBS_STRATEGY_GEMM, "not in gemm: an infinity or -0.0 among the leaves");
    }
    for (size_t i = 0; i < 2; i++) { /* a leaf that its tree's weight makes so */
        const float weights[] = {1, i ? 1e-45f : 4};

        begin(&c);
        add_stump(&c, test_leaf(1), test_leaf(2));
        add_stump(&c, test_leaf(3), test_leaf(i ? -1e-3f : 2e38f));
        assert_non_null(hb_vector_append(&c.forest.weights, weights, 2));
        is_said(&c, HBS_STRATEGY_GEMM, "not in gemm: an infinity or -0.0 among the leaves");
    }
}

static void gemm_and_ptt_have_no_sets(void **state)
{
    chosen c;

    for (int i = 0; i < 2; i++) {
        begin(&c);
        test_add_tree(
            &c.forest,
            (hb_tree_node[]){test_set(&c.forest, 0, 1, 2, 2, (const int32_t[]){1, 3}), test_leaf(1), test_leaf(2)}, 3,
            0);
        is_said(&c, i ? HBS_STRATEGY_PTT : HBS_STRATEGY_GEMM,
                i ? "not in ptt: sets of categories" : "not in gemm: sets of categories");
    }
}

static void ptt_says_its_places(void **state)
{
    chosen c;

    begin(&c);
    add_stump(&c, test_leaf(1), test_leaf(-0.0f));
    add_chain(&c, 10);
    test_add_tree(&c.forest, (hb_tree_node[]){test_leaf(1)}, 1, 0);
    is_said(&c, HBS_STRATEGY_PTT, "perfect trees of 1027 places");
}

static void ptt_needs_trees_that_are_shallow_and_even(void **state)
{
    chosen c;

    begin(&c);
    add_chain(&c, 11);
    is_said(&c, HBS_STRATEGY_PTT, "not in ptt: trees of many levels");
    begin(&c);
    for (int i = 0; i < 90; i++) /* 12 KiB each, above 1 MiB and their nodes */
        add_chain(&c, 10);
    is_said(&c, HBS_STRATEGY_PTT, "not in ptt: trees that would be mostly padding");
}

/* ---- walks */

static void end_chosen(chosen *c)
{
    hb_forest_model_release(&c->forest);
    hb_arena_release(&c->arena);
    test_host_end(&c->host);
}

static void choose_walks(chosen *c, hb_forest_choice *choice)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 1 << 20};
    hbs_error error;

    assert_status(hb_forest_model_seal(&c->forest, &limits, &error), HBS_OK, &error);
    assert_status(hb_forest_choose(&c->forest, HBS_STRATEGY_TT, hb_kernels_here(), &c->arena, choice, &error), HBS_OK,
                  &error);
}

static void leaves_of_the_same_bits_are_one(void **state)
{
    const float vectors[] = {0, 1, 0, 1, -0.0f, 1, 0, 1};
    hb_forest_choice choice;
    chosen c;

    begin(&c);
    c.forest.n_outputs = c.forest.leaf_width = 2;
    assert_non_null(hb_vector_append(&c.forest.leaf_vectors, vectors, 8));
    add_stump(&c, test_row_leaf(0), test_row_leaf(1));
    add_stump(&c, test_row_leaf(2), test_row_leaf(3));
    choose_walks(&c, &choice);
    assert_int_equal(choice.rows.n, 2);
    assert_int_equal(choice.rows.row_of[0], choice.rows.row_of[1]);
    assert_int_equal(choice.rows.row_of[0], choice.rows.row_of[3]);
    assert_int_not_equal(choice.rows.row_of[0], choice.rows.row_of[2]);
    end_chosen(&c);
}

/* A node's children stand side by side, no two nodes in one slot, and a tree begins a line of a cache. */
static void compact_nodes_have_slots_of_their_own(void **state)
{
    enum { SLOTS = 4096 };
    bool taken[SLOTS] = {false};
    hb_forest_choice choice;
    chosen c;

    begin(&c);
    add_chain(&c, 299);
    add_chain(&c, 7);
    test_add_tree(&c.forest, (hb_tree_node[]){test_leaf(1)}, 1, 0);
    choose_walks(&c, &choice);
    assert_true(choice.compact.fits);
    for (size_t t = 0; t < 3; t++) {
        const uint32_t *starts = c.forest.starts.items;

        assert_int_equal(choice.compact.roots[t] % HB_COMPACT_LINE, 0);
        for (uint32_t i = starts[t]; i < starts[t + 1]; i++) {
            const hb_tree_node *node = hb_forest_nodes(&c.forest) + i;
            uint32_t at = choice.compact.roots[t] + choice.compact.slots[i];

            assert_true(at < choice.compact.roots[t + 1] && at < SLOTS && !taken[at]);
            taken[at] = true;
            if (node->left != HB_NO_CHILD)
                assert_int_equal(choice.compact.slots[starts[t] + (uint32_t)node->left] + 1,
                                 choice.compact.slots[starts[t] + (uint32_t)node->left + 1]);
        }
    }
    end_chosen(&c);
}

/* ---- the tests of a forest in bits */

/* A stump that tests feature 0; `how` has the node's flags. */
static void add_test(chosen *c, double threshold, uint32_t how)
{
    hb_tree_node split = test_split(0, 0, 1, 2);

    split.as.threshold = threshold;
    split.flags = how;
    test_add_tree(&c->forest, (hb_tree_node[]){split, test_leaf(1), test_leaf(2)}, 3, 0);
}

static void bits_have_a_predicate_for_each_threshold_and_side(void **state)
{
    static const double thresholds[] = {0.0,      -0.0,      0x1p-149, -0x1p-149, 0x1p-1074, 1,          1 + 0x1p-52,
                                        INFINITY, -INFINITY, 3e38,     1e300,     0.1,       (float)0.1, 1};
    enum { N = sizeof thresholds / sizeof *thresholds };
    chosen c;

    for (int wide = 0; wide < 2; wide++) {
        begin(&c);
        c.forest.wide = wide;
        for (int i = 0; i < N; i++)
            add_test(&c, thresholds[i], HB_NODE_DEFAULT_LEFT | HB_NODE_NAN_MISSING);
        add_test(&c, 1, HB_NODE_NAN_MISSING);
        /* twice: 0 and 1; in float32 also 0x1p-1074, 1 + 0x1p-52, 1e300 (infinity) and 0.1 */
        is_said(&c, HBS_STRATEGY_BITS,
                wide ? "13 predicates of 15 tests, blocks of 512 rows, from 2 on"
                     : "9 predicates of 15 tests, blocks of 512 rows, from 2 on");
    }
}

static void bits_hold_so_many_predicates(void **state)
{
    chosen c;

    for (int more = 0; more < 2; more++) {
        begin(&c);
        for (int i = 0; i < (1 << 15) + more; i++)
            add_test(&c, (double)i / 4, 0);
        for (int i = 0; i < 100; i++)
            add_test(&c, (double)i / 4, 0);
        is_said(&c, HBS_STRATEGY_BITS,
                more ? "not in bits: too many distinct tests"
                     : "32768 predicates of 32868 tests, blocks of 512 rows, from 2 on");
    }
}

static uint64_t inverse_of(uint64_t odd)
{
    uint64_t x = odd;

    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

/* The threshold whose hash (bits_tests.c: of feature 0 and rule 0) this is. */
static double threshold_of_hash(uint64_t hash)
{
    uint64_t mixed = hash * inverse_of(0x94d049bb133111eb), key, bits;
    double threshold;

    mixed ^= mixed >> 32;
    key = mixed * inverse_of(0x9e3779b97f4a7c15);
    bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    memcpy(&threshold, &bits, sizeof threshold);
    return threshold;
}

/* 3,000 tests of one place in any table: each would be compared with all before it. */
static void tests_that_are_made_to_collide_are_left_to_walks(void **state)
{
    chosen c;

    for (int scattered = 0; scattered < 2; scattered++) {
        begin(&c);
        c.forest.wide = true;
        for (uint64_t i = 0, added = 0; added < 3000; i++) {
            double threshold = threshold_of_hash(scattered ? i * 0x9e3779b97f4a7c15 : i << 8);

            if (isnan(threshold) || threshold < 0) /* below 0 the rule is another */
                continue;
            add_test(&c, threshold, 0);
            added++;
        }
        is_said(&c, HBS_STRATEGY_BITS,
                scattered ? "3000 predicates of 3000 tests, blocks of 512 rows, from 2 on"
                          : "not in bits: too many distinct tests");
    }
}

/* ---- products by a BLAS */

typedef struct counting {
    bool refuses, entered;
    size_t entries, products;
} counting;

static bool enter(void *context)
{
    counting *blas = context;

    assert_false(blas->entered);
    blas->entered = !blas->refuses;
    blas->entries += blas->entered;
    return blas->entered;
}

static void leave(void *context)
{
    assert_true(((counting *)context)->entered);
    ((counting *)context)->entered = false;
}

static void add_product(void *context, size_t rows, size_t outputs, size_t inputs, const double *in, size_t in_stride,
                        const double *weights, size_t weights_stride, double *out, size_t out_stride)
{
    fail_msg("a product in float64");
}

static void add_product32(void *context, size_t rows, size_t outputs, size_t inputs, const float *in, size_t in_stride,
                          const float *weights, size_t weights_stride, float *out, size_t out_stride)
{
    counting *blas = context;

    assert_true(blas->entered && rows >= 4 && outputs && inputs);
    blas->products++;
    for (size_t o = 0; o < outputs; o++)
        for (size_t i = 0; i < inputs; i++)
            for (size_t r = 0; r < rows; r++)
                out[o * out_stride + r] += in[i * in_stride + r] * weights[o * weights_stride + i];
}

enum { TREES = 40, TESTS = 100, ROWS = 130 };

typedef struct scored {
    test_host host;
    hbs_plan *plan;
    hbs_run *run;
    counting blas;
    double numbers[ROWS];
    hbs_error error;
} scored;

/* Row r goes by r of each tree's tests. */
static void begin_scored(scored *s)
{
    const hbs_compile_options options = {.strategy = HBS_STRATEGY_GEMM};
    hb_tree_node nodes[2 * TESTS + 1];
    test_pipeline p;

    memset(s, 0, sizeof *s);
    test_host_init(&s->host);
    test_pipeline_begin(&p, &s->host.host, 1);
    p.pipeline.value = p.pipeline.raw = test_pipeline_forest(&p, 1, 1, HB_BASE_IDENTITY, 0);
    for (int i = 0; i < TESTS; i++) {
        nodes[2 * i] = test_split(0, (float)i, 2 * i + 1, 2 * i + 2);
        nodes[2 * i + 1] = test_leaf((float)i);
    }
    nodes[2 * TESTS] = test_leaf(TESTS);
    for (size_t t = 1; t < TREES; t++)
        test_add_tree(test_pipeline_trees(&p, 2), nodes, 2 * TESTS + 1, 0);
    s->plan = test_pipeline_compile_as(&p, &options);
    test_pipeline_end(&p);
    s->run = test_run(&s->host.host, s->plan, ROWS);
    for (size_t r = 0; r < ROWS; r++)
        s->numbers[r] = (double)r - 0.5;
    assert_status(hbs_run_use_blas(s->run, &(hbs_blas){&s->blas, enter, add_product, add_product32, leave}, &s->error),
                  HBS_OK, &s->error);
}

static void end_scored(scored *s)
{
    assert_false(s->blas.entered);
    hbs_run_free(s->run);
    hbs_plan_free(s->plan);
    test_host_end(&s->host);
}

static hbs_status score(scored *s, size_t rows)
{
    const hbs_column column = {HBS_FLOAT64, s->numbers, NULL};
    hbs_result result;
    hbs_status status = hbs_score(s->run, &column, 1, rows, HBS_OUT_RAW, &result, &s->error);

    for (size_t r = 0; status == HBS_OK && r < rows; r++) {
        double leaf = isnan(s->numbers[r]) ? TESTS : fmin(fmax(ceil(s->numbers[r]), 0), TESTS);

        if (result.raw[r] != 1 + (TREES - 1) * leaf)
            fail_msg("row %zu: %g", r, result.raw[r]);
    }
    return status;
}

static void a_tree_is_three_products_and_one_more_with_missing_values(void **state)
{
    scored s;

    begin_scored(&s);
    assert_status(score(&s, ROWS), HBS_OK, &s.error); /* the two rows of the last block do not go to it */
    assert_int_equal(s.blas.entries, 2);
    assert_int_equal(s.blas.products, 2 * (3 * (TREES - 1) + 1));
    s.numbers[70] = NAN;
    assert_status(score(&s, ROWS), HBS_OK, &s.error);
    assert_int_equal(s.blas.products, 4 * (3 * (TREES - 1) + 1) + TREES - 1);
    s.blas.refuses = true;
    assert_status(score(&s, ROWS), HBS_OK, &s.error);
    assert_int_equal(s.blas.entries, 4);
    end_scored(&s);
}

static void a_block_with_an_infinity_walks(void **state)
{
    scored s;

    begin_scored(&s);
    s.numbers[3] = INFINITY;
    s.numbers[5] = -INFINITY;
    assert_status(score(&s, ROWS), HBS_OK, &s.error);
    assert_int_equal(s.blas.entries, 1);
    end_scored(&s);
}

static void products_stop_between_trees_and_leave_the_blas(void **state)
{
    size_t polls;
    scored s;

    begin_scored(&s);
    assert_status(score(&s, ROWS), HBS_OK, &s.error);
    polls = s.host.polls;
    assert_true(polls > 6);
    for (size_t i = 1; i <= polls; i += EVERY * EVERY) {
        s.host.polls = 0;
        s.host.cancel_at = i;
        if (score(&s, ROWS) == HBS_OK)
            break; /* what was asked before the rows */
        assert_false(s.blas.entered);
    }
    s.host.cancel_at = 0;
    assert_status(score(&s, ROWS), HBS_OK, &s.error);
    end_scored(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_says_its_tensors),
        cmocka_unit_test(gemm_needs_trees_that_are_small),
        cmocka_unit_test(gemm_needs_leaves_that_a_sum_of_zeros_leaves_alone),
        cmocka_unit_test(gemm_and_ptt_have_no_sets),
        cmocka_unit_test(ptt_says_its_places),
        cmocka_unit_test(ptt_needs_trees_that_are_shallow_and_even),
        cmocka_unit_test(leaves_of_the_same_bits_are_one),
        cmocka_unit_test(compact_nodes_have_slots_of_their_own),
        cmocka_unit_test(bits_have_a_predicate_for_each_threshold_and_side),
        cmocka_unit_test(bits_hold_so_many_predicates),
        cmocka_unit_test(tests_that_are_made_to_collide_are_left_to_walks),
        cmocka_unit_test(a_tree_is_three_products_and_one_more_with_missing_values),
        cmocka_unit_test(a_block_with_an_infinity_walks),
        cmocka_unit_test(products_stop_between_trees_and_leave_the_blas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
