/* test_auto.c - what auto picks: for trees of ten levels, which take perfect trees where there are few rows, it is said,
 * and the bits are those of walks; and what it knows of instruction sets and makers of CPUs leaves no gap. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "forest/forest_cost.h"
#include "forest/forest_plan.h"
#include "kernel/kernels.h"
#include "plan/plan.h"

enum { TREES = 30, LEVELS = 10, FEATURES = 12, ROWS = 1100, NODES = (2 << LEVELS) - 1 };

typedef struct drawn {
    test_host host;
    hb_memory memory;
    hb_pipeline pipeline;
    hb_forest_model *forest;
    float cells[FEATURES][ROWS];
} drawn;

static float number(uint64_t *random)
{
    return (float)(test_random(random) % 4096) / 4096;
}

static void add_tree(hb_forest_model *forest, uint64_t *random)
{
    static hb_tree_node nodes[NODES];
    const int32_t group = 0;
    uint32_t start = (uint32_t)forest->nodes.count;

    for (int32_t i = 0; i < NODES; i++) {
        bool leaf = 2 * i + 1 >= NODES;

        nodes[i] = (hb_tree_node){.left = leaf ? HB_NO_CHILD : 2 * i + 1,
                                  .right = leaf ? HB_NO_CHILD : 2 * i + 2,
                                  .feature = leaf ? 0 : (int32_t)(test_random(random) % FEATURES),
                                  .as.threshold = number(random)};
    }
    assert_non_null(hb_vector_append(&forest->starts, &start, 1));
    assert_non_null(hb_vector_append(&forest->groups, &group, 1));
    assert_non_null(hb_vector_append(&forest->nodes, nodes, NODES));
}

static void draw(drawn *d, bool wide)
{
    const hbs_limits limits = {.max_nodes = 1 << 24, .max_depth = 64, .max_model_bytes = 1 << 30};
    const hb_operator ordinal = {.kind = HB_OPERATOR_ORDINAL};
    hb_operator op = {.kind = HB_OPERATOR_FOREST};
    uint64_t random = 11;
    hbs_error error;

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
    for (int t = 0; t < TREES; t++)
        add_tree(d->forest, &random);
    assert_status(hb_pipeline_seal(&d->pipeline, &error), HBS_OK, &error);
    for (size_t f = 0; f < FEATURES; f++)
        for (size_t r = 0; r < ROWS; r++)
            d->cells[f][r] = number(&random);
}

static void end(drawn *d)
{
    hb_pipeline_release(&d->pipeline);
    test_host_end(&d->host);
}

/* Rows from `first` on, `n` at once, by a strategy. */
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

/* Whether perfect trees are said to be taken, by some rows or by all. */
static bool says_perfect_trees(drawn *d)
{
    hb_forest_choice choice;
    hb_memory memory;
    hb_arena arena;
    hbs_error error;
    char note[200];
    bool taken;

    hb_memory_init(&memory, &d->host.host, 0);
    hb_arena_init(&arena, &memory);
    assert_status(hb_forest_choose(d->forest, HBS_STRATEGY_AUTO, &arena, &d->host.host, &choice, &error), HBS_OK,
                  &error);
    hb_forest_note(&choice, note, sizeof note);
    taken = choice.strategy == HBS_STRATEGY_PTT || choice.few == HBS_STRATEGY_PTT;
    assert_int_equal(strstr(note, "perfect trees") != NULL, taken);
    assert_true(choice.few == HBS_STRATEGY_AUTO || choice.few_rows <= choice.min_rows);
    hb_arena_release(&arena);
    return taken;
}

static void few_rows_of_deep_trees_take_perfect_ones(void **state)
{
    static const size_t counts[] = {1, 2, 8, 9, 15, 16, 17, 33, 64, 65, 200, 511, 512, 513, 1000, ROWS};
    static drawn d;
    static double walked[ROWS], raw[ROWS];
    size_t taken = 0;

    for (int wide = 0; wide < 2; wide++) {
        draw(&d, wide);
        for (size_t s = 0; hb_kernels_at(s); s++) {
            setenv("HBSCORE_INSTRUCTION_SET", hb_kernels_at(s)->name, 1);
            taken += says_perfect_trees(&d);
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
                score(&d, HBS_STRATEGY_TT, counts[i], walked);
                score(&d, HBS_STRATEGY_AUTO, counts[i], raw);
                assert_memory_equal(raw, walked, counts[i] * sizeof *raw);
            }
        }
        end(&d);
    }
    unsetenv("HBSCORE_INSTRUCTION_SET");
    assert_true(taken > 0);
}

typedef struct constants {
    const char *set, *maker;
    bool wide;
    hb_forest_terms nanoseconds;
} constants;

static const constants known[] = {
#include "forest/forest_constants.def"
};

enum { N_KNOWN = sizeof known / sizeof *known };

static const constants *of_any_maker(const char *set, bool wide)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (strcmp(known[i].set, set) == 0 && strcmp(known[i].maker, "any") == 0 && known[i].wide == wide)
            return &known[i];
    return NULL;
}

/* A constant that is not there would be 0: what takes no time is always picked. */
static void constants_of_a_maker_are_those_of_any(void **state)
{
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (int wide = 0; wide < 2; wide++)
            assert_non_null(of_any_maker(hb_kernels_at(s)->name, wide));
    for (size_t i = 0; i < N_KNOWN; i++) {
        const constants *any = of_any_maker(known[i].set, known[i].wide);

        assert_non_null(any);
#define HB_TERM(name, what) assert_int_equal(known[i].nanoseconds.name > 0, any->nanoseconds.name > 0);
#include "forest/forest_terms.def"
#undef HB_TERM
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_of_a_maker_are_those_of_any),
        cmocka_unit_test(few_rows_of_deep_trees_take_perfect_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
