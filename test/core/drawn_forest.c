/* drawn_forest.c - see drawn_forest.h. */
#include "drawn_forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

static float number(uint64_t *random)
{
    return (float)(test_random(random) % 4096) / 4096;
}

void drawn_begin(drawn_forest *d, bool wide, bool missing)
{
    const hbs_limits limits = {.max_nodes = 1 << 24, .max_depth = 5000, .max_model_bytes = 1 << 30};
    hb_fit_forest fit = {.forest = NULL};
    size_t rows;

    memset(d, 0, sizeof *d);
    d->random = 11;
    test_host_init(&d->host);
    hb_memory_init(&d->memory, &d->host.host, 0);
    hb_pipeline_init(&d->pipeline, &d->memory, &limits);
    d->pipeline.format = "drawn";
    d->pipeline.wide = wide;
    d->pipeline.n_features = DRAWN_FEATURES;
    rows = hb_pipeline_add(&d->pipeline, HB_OPERATOR_ORDINAL, 0, NULL);
    fit.forest = d->forest = hb_arena_array(&d->pipeline.arena, 1, sizeof *fit.forest);
    assert_non_null(fit.forest);
    hb_forest_model_init(fit.forest, &d->memory);
    fit.forest->wide = wide;
    fit.forest->n_features = DRAWN_FEATURES;
    fit.forest->n_outputs = 1;
    d->pipeline.raw = hb_pipeline_add(&d->pipeline, HB_OPERATOR_FOREST, rows, &fit);
    for (size_t f = 0; f < DRAWN_FEATURES; f++)
        for (size_t r = 0; r < DRAWN_ROWS; r++)
            d->cells[f][r] = missing && test_random(&d->random) % 16 == 0 ? NAN : number(&d->random);
}

/* ---- trees */

static void append_tree(drawn_forest *d, const hb_tree_node *nodes, size_t n)
{
    const int32_t group = 0;
    uint32_t start = (uint32_t)d->forest->nodes.count;

    assert_non_null(hb_vector_append(&d->forest->starts, &start, 1));
    assert_non_null(hb_vector_append(&d->forest->groups, &group, 1));
    assert_non_null(hb_vector_append(&d->forest->nodes, nodes, n));
}

static hb_tree_node leaf(drawn_forest *d)
{
    return (hb_tree_node){.left = HB_NO_CHILD, .right = HB_NO_CHILD, .as.leaf = number(&d->random) - 0.5f};
}

static hb_tree_node test(drawn_forest *d, uint32_t left)
{
    return (hb_tree_node){.left = (int32_t)left,
                          .right = (int32_t)left + 1,
                          .feature = (int32_t)(test_random(&d->random) % DRAWN_FEATURES),
                          .as.threshold = number(&d->random),
                          .flags = HB_NODE_NAN_MISSING | (test_random(&d->random) % 2 ? HB_NODE_DEFAULT_LEFT : 0)};
}

void drawn_add_perfect(drawn_forest *d, uint32_t levels, bool oblivious)
{
    uint32_t inner = (1u << levels) - 1, n = 2 * inner + 1;
    hb_tree_node *nodes = calloc(n, sizeof *nodes);

    assert_non_null(nodes);
    for (uint32_t i = 0; i < n; i++) {
        bool first = (i & (i + 1)) == 0; /* of its level */

        nodes[i] = i < inner ? test(d, 2 * i + 1) : leaf(d);
        if (oblivious && i < inner && !first) {
            nodes[i] = nodes[i - 1];
            nodes[i].left = (int32_t)(2 * i + 1);
            nodes[i].right = nodes[i].left + 1;
        }
    }
    append_tree(d, nodes, n);
    free(nodes);
}

void drawn_add_irregular(drawn_forest *d, uint32_t leaves, uint32_t near)
{
    hb_tree_node *nodes = calloc(2 * leaves - 1, sizeof *nodes);
    uint32_t n = 1;

    assert_non_null(nodes);
    nodes[0] = leaf(d);
    while (n < 2 * leaves - 1) {
        uint32_t at = n - 1 - (uint32_t)(test_random(&d->random) % (near < n ? near : n));

        if (nodes[at].left != HB_NO_CHILD)
            continue;
        nodes[at] = test(d, n);
        nodes[n++] = leaf(d);
        nodes[n++] = leaf(d);
    }
    append_tree(d, nodes, n);
    free(nodes);
}

/* ---- the oracle */

static double leaf_of(const drawn_forest *d, size_t tree, size_t row)
{
    const hb_tree_node *root = hb_forest_nodes(d->forest) + ((const uint32_t *)d->forest->starts.items)[tree];
    const hb_tree_node *node = root;

    while (node->left != HB_NO_CHILD) {
        float x = d->cells[node->feature][row];
        double threshold = node->as.threshold;
        bool left = d->forest->wide ? (double)x <= threshold : x < (float)threshold;

        if (isnan(x))
            left = node->flags & HB_NODE_DEFAULT_LEFT;
        node = root + (left ? node->left : node->right);
    }
    return node->as.leaf;
}

static double walk(const drawn_forest *d, size_t row)
{
    double wide = 0;
    float narrow = 0;

    for (size_t t = 0; t < d->forest->n_trees; t++) {
        wide += leaf_of(d, t, row);
        narrow += (float)leaf_of(d, t, row);
    }
    return d->forest->wide ? wide : (double)narrow;
}

void drawn_seal(drawn_forest *d)
{
    hbs_error error;

    assert_status(hb_pipeline_seal(&d->pipeline, &error), HBS_OK, &error);
    for (size_t r = 0; r < DRAWN_ROWS; r++)
        d->walked[r] = walk(d, r);
}

void drawn_end(drawn_forest *d)
{
    hb_pipeline_release(&d->pipeline);
    test_host_end(&d->host);
}

hb_forest_choice drawn_choose(drawn_forest *d, hbs_strategy strategy, hb_arena *arena)
{
    hb_forest_choice choice;
    hbs_error error;

    hb_arena_init(arena, &d->memory);
    assert_status(hb_forest_choose(d->forest, strategy, hb_kernels_here(), arena, &choice, &error), HBS_OK, &error);
    return choice;
}

void drawn_assert_walks(drawn_forest *d, hbs_strategy strategy, size_t first, size_t n)
{
    static const uint8_t key[32];
    const hbs_compile_options options = {.strategy = strategy};
    hbs_column columns[DRAWN_FEATURES];
    hbs_result result;
    hbs_plan *plan;
    hbs_run *run;
    hbs_error error;

    assert_status(hb_plan_compile(&d->pipeline, &d->host.host, &options, key, &plan, &error), HBS_OK, &error);
    assert_status(hbs_run_create(plan, &d->host.host, NULL, n, &run, &error), HBS_OK, &error);
    for (size_t f = 0; f < DRAWN_FEATURES; f++)
        columns[f] = (hbs_column){.type = HBS_FLOAT32, .values = d->cells[f] + first};
    assert_status(hbs_score(run, columns, DRAWN_FEATURES, n, HBS_OUT_RAW, &result, &error), HBS_OK, &error);
    assert_memory_equal(result.raw, d->walked + first, n * sizeof *d->walked);
    hbs_run_free(run);
    hbs_plan_free(plan);
}
