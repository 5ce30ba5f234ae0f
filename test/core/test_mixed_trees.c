/* test_mixed_trees.c - forests in bits whose trees are of all forms at once: near-perfect, oblivious, irregular with few
 * leaves and with many. Blocks of all sizes around 64 and 128 rows, where the bits of predicates are laid out in other
 * ways, give the bits of walks, on every instruction set. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forest/bits_program.h"
#include "forest/forest_plan.h"
#include "kernel/kernels.h"
#include "plan/plan.h"

enum { FEATURES = 9, ROWS = 600, MOST_NODES = 2048 };

typedef struct drawn {
    test_host host;
    hb_memory memory;
    hb_pipeline pipeline;
    hb_forest_model *forest;
    uint64_t random;
    float cells[FEATURES][ROWS];
} drawn;

static float number(uint64_t *random)
{
    return (float)(test_random(random) % 512) / 512;
}

static void append_tree(drawn *d, const hb_tree_node *nodes, size_t n)
{
    const int32_t group = 0;
    uint32_t start = (uint32_t)d->forest->nodes.count;

    assert_non_null(hb_vector_append(&d->forest->starts, &start, 1));
    assert_non_null(hb_vector_append(&d->forest->groups, &group, 1));
    assert_non_null(hb_vector_append(&d->forest->nodes, nodes, n));
}

static hb_tree_node leaf(drawn *d)
{
    return (hb_tree_node){.left = HB_NO_CHILD, .right = HB_NO_CHILD, .as.leaf = number(&d->random) - 0.5};
}

static hb_tree_node test(drawn *d, size_t left)
{
    return (hb_tree_node){.left = (int32_t)left,
                          .right = (int32_t)left + 1,
                          .feature = (int32_t)(test_random(&d->random) % FEATURES),
                          .as.threshold = number(&d->random),
                          .flags = test_random(&d->random) % 2 ? HB_NODE_DEFAULT_LEFT | HB_NODE_NAN_MISSING : HB_NODE_NAN_MISSING};
}

/* 2^levels leaves; oblivious: all nodes of a level test the same. */
static void add_perfect(drawn *d, size_t levels, bool oblivious)
{
    hb_tree_node nodes[MOST_NODES];
    size_t inner = ((size_t)1 << levels) - 1, n = 2 * inner + 1;

    for (size_t i = 0; i < n; i++) {
        nodes[i] = i < inner ? test(d, 2 * i + 1) : leaf(d);
        if (oblivious && i < inner && (i & (i + 1)) != 0) { /* not the first of its level */
            nodes[i] = nodes[i - 1];
            nodes[i].left = (int32_t)(2 * i + 1);
            nodes[i].right = nodes[i].left + 1;
        }
    }
    append_tree(d, nodes, n);
}

/* Leaves become tests, mostly late ones, so that some are deep. */
static void add_irregular(drawn *d, size_t leaves)
{
    hb_tree_node nodes[MOST_NODES];
    size_t n = 1;

    nodes[0] = leaf(d);
    while (n < 2 * leaves - 1) {
        size_t back = test_random(&d->random) % 8, at = n - 1 - (back < n ? back : 0);

        if (nodes[at].left != HB_NO_CHILD)
            continue;
        nodes[at] = test(d, n);
        nodes[n++] = leaf(d);
        nodes[n++] = leaf(d);
    }
    append_tree(d, nodes, n);
}

static void begin(drawn *d, bool wide)
{
    const hbs_limits limits = {.max_nodes = 1 << 24, .max_depth = 1000, .max_model_bytes = 1 << 30};
    const hb_operator ordinal = {.kind = HB_OPERATOR_ORDINAL};
    hb_operator op = {.kind = HB_OPERATOR_FOREST};

    memset(d, 0, sizeof *d);
    d->random = 5;
    test_host_init(&d->host);
    hb_memory_init(&d->memory, &d->host.host, 0);
    hb_pipeline_init(&d->pipeline, &d->memory, &limits);
    d->pipeline.format = "drawn";
    d->pipeline.wide = wide;
    d->pipeline.n_features = FEATURES;
    op.input = hb_pipeline_add(&d->pipeline, &ordinal);
    op.forest = d->forest = hb_arena_array(&d->pipeline.arena, 1, sizeof(*op.forest));
    assert_non_null(op.forest);
    hb_forest_model_init(op.forest, &d->memory);
    op.forest->wide = wide;
    op.forest->n_features = FEATURES;
    op.forest->n_outputs = 1;
    d->pipeline.raw = hb_pipeline_add(&d->pipeline, &op);
    for (size_t f = 0; f < FEATURES; f++)
        for (size_t r = 0; r < ROWS; r++)
            d->cells[f][r] = test_random(&d->random) % 16 ? number(&d->random) : NAN;
}

static void end(drawn *d)
{
    hb_pipeline_release(&d->pipeline);
    test_host_end(&d->host);
}

static bool has_form(const hb_bits_program *program, size_t n_trees, hb_bits_form form, bool large)
{
    for (size_t t = 0; t < n_trees; t++)
        if (program->trees[t].form == (uint32_t)form &&
            (form != HB_BITS_REACH || hb_bits_exits_are_bytes(&program->trees[t]) != large))
            return true;
    return false;
}

/* That the drawn forest is what it is drawn for. */
static void assert_all_forms(drawn *d)
{
    hb_forest_choice choice;
    hb_memory memory;
    hb_arena arena;
    hbs_error error;

    hb_memory_init(&memory, &d->host.host, 0);
    hb_arena_init(&arena, &memory);
    assert_status(hb_forest_choose(d->forest, HBS_STRATEGY_BITS, &arena, &d->host.host, &choice, &error), HBS_OK, &error);
    assert_non_null(choice.bits);
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_MUX, false));
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_OBLIVIOUS, false));
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_REACH, false));
    assert_true(has_form(choice.bits, d->forest->n_trees, HB_BITS_REACH, true));
    hb_arena_release(&arena);
}

static void score(drawn *d, hbs_strategy strategy, size_t n, double *raw)
{
    static const uint8_t key[32];
    const hbs_compile_options options = {.strategy = strategy};
    hbs_column columns[FEATURES];
    hbs_result result;
    hbs_plan *plan;
    hbs_run *run;
    hbs_error error;

    assert_status(hb_plan_compile(&d->pipeline, &d->host.host, &options, key, &plan, &error), HBS_OK, &error);
    assert_status(hbs_run_create(plan, &d->host.host, NULL, n, &run, &error), HBS_OK, &error);
    for (size_t f = 0; f < FEATURES; f++)
        columns[f] = (hbs_column){.type = HBS_FLOAT32, .values = d->cells[f] + ROWS - n};
    assert_status(hbs_score(run, columns, FEATURES, n, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    memcpy(raw, result.raw, n * sizeof(*raw));
    hbs_run_free(run);
    hbs_plan_free(plan);
}

static void assert_bits_are_walks(drawn *d)
{
    static const size_t counts[] = {2, 3, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 300, 511, 512, 513, ROWS};
    static double walked[ROWS], raw[ROWS];

    assert_status(hb_pipeline_seal(&d->pipeline, &(hbs_error){0}), HBS_OK, NULL);
    for (size_t s = 0; hb_kernels_at(s); s++) {
        setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
        assert_all_forms(d);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            score(d, HBS_STRATEGY_TT, counts[i], walked);
            score(d, HBS_STRATEGY_BITS, counts[i], raw);
            assert_memory_equal(raw, walked, counts[i] * sizeof *raw);
        }
    }
    unsetenv("HBSCORE_INSTRUCTION_SET");
}

/* Few rows are words side by side where multiplexers are most of the work, else bytes where the CPU has them. */
static void draw_and_compare(size_t perfect, size_t irregular)
{
    static drawn d;

    for (int wide = 0; wide < 2; wide++) {
        begin(&d, wide);
        for (size_t t = 0; t < perfect; t++)
            add_perfect(&d, 2 + t % 7, false);
        for (size_t levels = 3; levels < 9; levels++)
            add_perfect(&d, levels, true);
        for (size_t t = 0; t < irregular; t++)
            add_irregular(&d, 20 + 5 * t);
        add_irregular(&d, 400);
        add_perfect(&d, 8, false);
        assert_bits_are_walks(&d);
        end(&d);
    }
}

static void mostly_near_perfect(void **state)
{
    draw_and_compare(60, 5);
}

static void mostly_irregular(void **state)
{
    draw_and_compare(5, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mostly_near_perfect),
        cmocka_unit_test(mostly_irregular),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
