/* test_own_packed.c - hbscore's own format: forests in preorder. The same trees in columns are the oracle, since
 * test_own.c holds those against plain C; the words of every error; and what memory may be taken. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_writer.h"
#include "scored_model.h"

enum { MOST_ROWS = 200, FEATURES = 4, MOST_NODES = 600, MOST_WIDTH = 3, TREES = 12 };

#define F HBS_E_FORMAT
#define U HBS_E_UNSUPPORTED
#define L HBS_E_LIMIT

static int fresh(void **state)
{
    own_reset();
    return 0;
}

/* ------------------------------------------------------------------ the same trees in both layouts */

/* Trees as they are grown: in preorder, and their columns. */
typedef struct grown {
    int32_t start[TREES + 1], left[MOST_NODES], right[MOST_NODES], feature[MOST_NODES], group[TREES];
    double threshold[MOST_NODES], cover[MOST_NODES];
    uint8_t missing_left[MOST_NODES];
    double rows[MOST_NODES][MOST_WIDTH]; /* the rows of `value`.. */
    int32_t leaf[MOST_NODES];            /* ..and which of them each leaf has */
    size_t n_nodes, n_leaves, n_rows, width, outputs;
} grown;

static double number(uint64_t *random)
{
    return (double)(int64_t)test_random(random) / 1e17;
}

static double grow(grown *g, int32_t tree, int depth, uint64_t *random)
{
    size_t i = g->n_nodes++;
    int32_t at = (int32_t)i - g->start[tree];

    g->left[i] = g->right[i] = g->feature[i] = -1;
    if (depth == 0 || test_random(random) % 5 == 0) {
        g->leaf[g->n_leaves++] = (int32_t)(test_random(random) % g->n_rows);
        return g->cover[i] = (double)(test_random(random) % 300);
    }
    g->feature[i] = (int32_t)(test_random(random) % FEATURES);
    g->threshold[i] = (float)number(random);
    g->missing_left[i] = test_random(random) % 2;
    g->left[i] = at + 1;
    g->cover[i] = grow(g, tree, depth - 1, random);
    g->right[i] = (int32_t)g->n_nodes - g->start[tree];
    return g->cover[i] += grow(g, tree, depth - 1, random);
}

static void grow_all(grown *g, size_t n_rows, uint64_t *random)
{
    g->n_rows = n_rows;
    for (size_t k = 0; k < n_rows; k++)
        for (size_t o = 0; o < g->width; o++)
            g->rows[k][o] = number(random);
    for (int32_t t = 0; t < TREES; t++) {
        grow(g, t, 1 + t % 5, random);
        g->start[t + 1] = (int32_t)g->n_nodes;
        g->group[t] = g->width > 1 || g->outputs == 1 ? -1 : (int32_t)(test_random(random) % g->outputs);
    }
}

static const char *matrix(const grown *g, const int32_t *rows, size_t n)
{
    static double value[MOST_NODES * MOST_WIDTH];

    for (size_t k = 0; k < n; k++)
        for (size_t o = 0; o < g->width; o++)
            value[k * g->width + o] = g->rows[rows ? (size_t)rows[k] : k][o];
    return own_matrix(n, g->width, value);
}

static const double inits[] = {0.1, -7, 1e10};

static const char *in_columns(const grown *g, const char *input, const char *missing)
{
    size_t n = g->n_nodes;

    return own_forest_of("0", (own_forest){.input = input,
                                           .start = own_array("i4", 4, TREES + 1, g->start),
                                           .left = own_array("i4", 4, n, g->left),
                                           .right = own_array("i4", 4, n, g->right),
                                           .feature = own_array("i4", 4, n, g->feature),
                                           .threshold = own_array("f8", 8, n, g->threshold),
                                           .missing_left = own_array("u1", 1, n, g->missing_left),
                                           .cover = own_array("f8", 8, n, g->cover),
                                           .value = matrix(g, g->leaf, g->n_leaves),
                                           .group = own_array("i4", 4, TREES, g->group),
                                           .init = own_array("f8", 8, g->outputs, inits),
                                           .divide = F8(3),
                                           .missing = missing});
}

/* Integers as the k-th of the dtypes that hold them. */
static const char *integers(const int32_t *items, size_t n, size_t k)
{
    static uint16_t two[MOST_NODES];
    static uint8_t one[MOST_NODES];
    bool fits = true;

    for (size_t i = 0; i < n; i++) {
        one[i] = (uint8_t)items[i];
        two[i] = (uint16_t)items[i];
        fits = fits && items[i] < 256;
    }
    if (k % 3 == 0 && fits)
        return own_array("u1", 1, n, one);
    return k % 3 < 2 ? own_array("u2", 2, n, two) : own_array("i4", 4, n, items);
}

static const char *in_preorder(const grown *g, size_t k, const char *input, const char *missing)
{
    static int32_t node[MOST_NODES], count[MOST_NODES];
    static float narrow[MOST_NODES], weight[MOST_NODES];
    static double wide[MOST_NODES];
    static uint8_t flags[MOST_NODES];
    size_t tests = 0, leaves = 0;
    bool shared = g->n_rows < g->n_leaves;

    for (size_t i = 0; i < g->n_nodes; i++) {
        node[i] = g->feature[i] + 1;
        if (node[i]) {
            wide[tests] = g->threshold[i];
            narrow[tests] = (float)g->threshold[i];
            flags[tests++] = g->missing_left[i];
        } else {
            count[leaves] = (int32_t)g->cover[i];
            weight[leaves++] = (float)g->cover[i];
        }
    }
    return own_packed_of(
        "0", (own_packed){.input = input,
                          .node = integers(node, g->n_nodes, k),
                          .threshold = k % 2 ? own_array("f8", 8, tests, wide) : own_array("f4", 4, tests, narrow),
                          .missing_left = own_bits(tests, flags),
                          .cover = k % 5 ? integers(count, leaves, k + 1) : own_array("f4", 4, leaves, weight),
                          .leaf = shared ? integers(g->leaf, leaves, k + 2) : "",
                          .value = shared ? matrix(g, NULL, g->n_rows) : matrix(g, g->leaf, leaves),
                          .group = own_array("i4", 4, TREES, g->group),
                          .init = own_array("f8", 8, g->outputs, inits),
                          .divide = F8(3),
                          .missing = missing});
}

/* Rows that meet thresholds. */
static void draw_rows(const grown *g, bool missing, double (*rows)[FEATURES], uint64_t *random)
{
    for (size_t r = 0; r < MOST_ROWS; r++)
        for (size_t f = 0; f < FEATURES; f++) {
            uint64_t draw = test_random(random);

            rows[r][f] = draw % 3 ? g->threshold[draw / 3 % g->n_nodes] : number(random);
            if (draw % 3 == 1)
                rows[r][f] = nextafterf((float)rows[r][f], INFINITY);
            if (missing && draw % 7 == 0)
                rows[r][f] = NAN;
        }
}

typedef struct scores {
    double numbers[MOST_ROWS][MOST_WIDTH];
    bool valid[MOST_ROWS];
    hbs_plan_info info;
} scores;

/* In a block; each row by itself has the same bits. */
static void score(const char *json, size_t width, double (*rows)[FEATURES], scores *got)
{
    static double cells[FEATURES][MOST_ROWS];
    uint32_t output = width > 1 ? HBS_OUT_VALUES : HBS_OUT_VALUE;
    hbs_column columns[FEATURES];
    hbs_result block, one;
    scored_model m;

    scored_model_begin(&m, json, NULL, MOST_ROWS);
    got->info = m.info;
    for (size_t f = 0; f < FEATURES; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < MOST_ROWS; r++)
            cells[f][r] = rows[r][f];
    }
    assert_status(hbs_score(m.block, columns, FEATURES, MOST_ROWS, output, &block, &m.error), HBS_OK, &m.error);
    for (size_t r = 0; r < MOST_ROWS; r++) {
        hbs_value row[FEATURES];

        for (size_t f = 0; f < FEATURES; f++)
            row[f] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = rows[r][f]};
        assert_status(hbs_score_row(m.one, row, FEATURES, output, &one, &m.error), HBS_OK, &m.error);
        got->valid[r] = block.valid[r / 64] >> (r % 64) & 1;
        assert_int_equal(one.valid[0] & 1, got->valid[r]);
        for (size_t o = 0; got->valid[r] && o < width; o++) {
            got->numbers[r][o] = width > 1 ? block.values[r * width + o] : block.value[r];
            assert_true(same_bits(width > 1 ? one.values[o] : one.value[0], got->numbers[r][o]));
        }
    }
    scored_model_end(&m);
}

static void trees_in_preorder_score_as_in_columns(void **state)
{
    static double rows[MOST_ROWS][FEATURES];
    static scores columns, packed;
    static grown g;
    uint64_t random = 5;

    for (size_t k = 0; k < 60; k++) {
        const char *input = k & 4 ? "\"f4\"" : "\"f8\"", *missing = k & 1 ? "1" : "0";
        size_t outputs = k & 2 ? 3 : 1;

        g = (grown){.outputs = outputs, .width = outputs > 1 && k & 8 ? 3 : 1};
        own_reset();
        grow_all(&g, k % 4 == 0 ? MOST_NODES : 1 + k / 4, &random);
        draw_rows(&g, k & 1, rows, &random);
        score(own_regressor(FEATURES, in_columns(&g, input, missing)), outputs, rows, &columns);
        score(own_regressor(FEATURES, in_preorder(&g, k, input, missing)), outputs, rows, &packed);
        assert_memory_equal(columns.valid, packed.valid, sizeof columns.valid);
        for (size_t r = 0; r < MOST_ROWS; r++)
            for (size_t o = 0; columns.valid[r] && o < outputs; o++)
                assert_true(same_bits(columns.numbers[r][o], packed.numbers[r][o]));
        assert_int_equal(columns.info.bytes,
                         packed.info.bytes); /* covers are alike too: they settle where nodes stand */
    }
}

static double one_score(const char *json, double x)
{
    hbs_value row = {.type = HBS_FLOAT64, .as.f64 = x};
    hbs_result result;
    scored_model m;
    double value;

    scored_model_begin(&m, json, NULL, 1);
    assert_status(hbs_score_row(m.one, &row, 1, HBS_OUT_VALUE, &result, &m.error), HBS_OK, &m.error);
    value = result.valid[0] & 1 ? result.value[0] : NAN;
    scored_model_end(&m);
    return value;
}

static const char *one_tree(own_packed forest)
{
    return own_regressor(1, own_packed_of("0", forest));
}

static void thresholds_and_leaves_may_be_infinite(void **state)
{
    const char *upper = one_tree((own_packed){.threshold = F4(INFINITY), .missing = "2"});
    const char *lower = one_tree((own_packed){.threshold = F4(-INFINITY), .missing = "2"});

    assert_true(one_score(upper, INFINITY) == 1);
    assert_true(one_score(lower, -DBL_MAX) == 2);
    assert_true(one_score(lower, -INFINITY) == 1);
    assert_true(one_score(one_tree((own_packed){.value = ROWS(2, 1, INFINITY, 2)}), 0) == INFINITY);
}

static void a_tree_may_be_one_leaf_and_a_forest_none(void **state)
{
    const char *none = own_bits(0, NULL), *no_tests = own_array("f8", 8, 0, ""), *empty = own_array("u1", 1, 0, "");

    assert_true(
        one_score(
            one_tree((own_packed){
                .node = U1(0, 0), .threshold = no_tests, .missing_left = none, .leaf = U1(1, 1), .group = I4(-1, -1)}),
            0) == 4);
    assert_true(one_score(one_tree((own_packed){.node = empty,
                                                .threshold = no_tests,
                                                .missing_left = none,
                                                .cover = empty,
                                                .leaf = "",
                                                .value = own_matrix(0, 1, NULL),
                                                .group = own_array("i4", 4, 0, ""),
                                                .init = F8(7)}),
                          NAN) == 7);
}

static void nodes_may_test_sets(void **state)
{
    const char *json = one_tree((own_packed){.sets = own_sets(I4(0), I4(0, 1), I4(2)), .missing = "1"});

    assert_true(one_score(json, 1) == 1); /* a member goes to the other side than what is missing */
    assert_true(one_score(json, 0) == 2);
    assert_true(one_score(json, NAN) == 2);
}

/* ------------------------------------------------------------------ errors */

static hbs_status load(const hbs_host *host, void *json, hbs_error *error)
{
    hbs_source source = {.bytes = json, .size = strlen(json)};
    const hbs_limits limits = {.max_nodes = 1000};
    hbs_model *model = NULL;
    hbs_status status = hbs_model_load(host, &limits, &source, &model, error);

    hbs_model_free(model);
    return status;
}

static size_t n_wrong;

static void refused(const char *json, hbs_status status, const char *text)
{
    test_host host;
    hbs_error error = {.status = HBS_OK};
    char *copy = test_exact_copy(json, strlen(json) + 1);
    hbs_status found;
    size_t n = strlen(text);

    test_host_init(&host);
    found = load(&host.host, copy, &error);
    free(copy);
    test_host_end(&host);
    if (found == status && strncmp(error.text, text, n) == 0 &&
        (error.text[n] == '\0' || strncmp(error.text + n, " (byte ", 7) == 0))
        return;
    n_wrong++;
    print_error("%s\n  found    %s\n  expected %s\n", hbs_status_name(found), error.text, text);
}

#define END "ops[0].missing: forest: "

static void forests_in_preorder_are_strict(void **state)
{
    const char *of_leaves = own_array("u1", 1, 0, "");
    const struct {
        own_packed forest;
        hbs_status status;
        const char *text;
    } cases[] = {
        {{.node = F8(1, 0, 0)}, U, "ops[0].node.dtype: dtype \"f8\" is unknown to this version of hbscore"},
        {{.node = B1(1, 0, 0)}, U, "ops[0].node.dtype: dtype \"b1\" is unknown to this version of hbscore"},
        {{.threshold = U1(1)}, U, "ops[0].threshold.dtype: dtype \"u1\" is unknown to this version of hbscore"},
        {{.missing_left = U1(0)}, U, "ops[0].missing_left.dtype: dtype \"u1\" is unknown to this version of hbscore"},
        {{.cover = F8(2, 3)}, U, "ops[0].cover.dtype: dtype \"f8\" is unknown to this version of hbscore"},
        {{.leaf = I8(0, 1)}, U, "ops[0].leaf.dtype: dtype \"i8\" is unknown to this version of hbscore"},
        {{.value = own_array("f4", 4, 0, "")},
         U,
         "ops[0].value.dtype: dtype \"f4\" is unknown to this version of hbscore"},
        {{.node = "{\"dtype\":\"u2\",\"shape\":[3],\"data\":\"AQAAAAA=\"}"},
         F,
         "ops[0].node.data: the data is not the base64 of 3 numbers of 2 bytes"},
        {{.threshold = "{\"dtype\":\"f4\",\"shape\":[1],\"data\":\"AAAA\"}"},
         F,
         "ops[0].threshold.data: the data is not the base64 of 1 numbers of 4 bytes"},
        {{.missing_left = "{\"dtype\":\"bit\",\"shape\":[1],\"data\":\"AAA=\"}"},
         F,
         "ops[0].missing_left.data: the data is not the base64 of 1 bits"},
        {{.missing_left = "{\"dtype\":\"bit\",\"shape\":[1],\"data\":\"Ag==\"}"},
         F,
         "ops[0].missing_left.data: a bit behind the last one is not 0"},
        {{.missing_left = "{\"dtype\":\"bit\",\"shape\":[268435456],\"data\":\"AA==\"}"},
         F,
         "ops[0].missing_left.data: the data is too short for the shape"},
        {{.node = I4(-1, 0, 0)}, F, END "node has a negative number"},
        {{.node = U1(1, 0)}, F, END "node ends within a tree"},
        {{.node = U1(1, 1, 0, 0)}, F, END "node ends within a tree"},
        {{.node = U1(1, 0, 0, 1)}, F, END "node ends within a tree"},
        {{.node = U1(2, 0, 0)}, F, "tree 0, node 0 tests feature 1, the model has 1 (0 to 0)"},
        {{.node = I4(2147483647, 0, 0)}, F, "tree 0, node 0 tests feature 2147483646, the model has 1 (0 to 0)"},
        {{.node = U1(0, 0)}, F, END "threshold or missing_left is not one number for each node that tests"},
        {{.threshold = F4(0.5, 1)}, F, END "threshold or missing_left is not one number for each node that tests"},
        {{.missing_left = BITS(0, 0)}, F, END "threshold or missing_left is not one number for each node that tests"},
        {{.threshold = F4(NAN)}, F, "tree 0, node 0: its threshold is NaN"},
        {{.cover = U1(1)}, F, END "cover is not one number for each leaf"},
        {{.cover = U1(1, 1, 1)}, F, END "cover is not one number for each leaf"},
        {{.cover = I4(1, -1)}, F, END "a cover is negative or not finite"},
        {{.cover = F4(1, -0.5f)}, F, END "a cover is negative or not finite"},
        {{.cover = F4(1, NAN)}, F, END "a cover is negative or not finite"},
        {{.cover = F4(1, INFINITY)}, F, END "a cover is negative or not finite"},
        {{.leaf = U1(0)}, F, END "leaf is not one number for each leaf"},
        {{.leaf = of_leaves}, F, END "leaf is not one number for each leaf"},
        {{.leaf = U1(0, 1, 1)}, F, END "leaf is not one number for each leaf"},
        {{.leaf = U1(0, 2)}, F, END "leaf names no row of value"},
        {{.leaf = I4(0, -1)}, F, END "leaf names no row of value"},
        {{.leaf = "", .value = ROWS(1, 1, 1)}, F, END "value has not one row for each leaf"},
        {{.leaf = "", .value = ROWS(3, 1, 1, 2, 3)}, F, END "value has not one row for each leaf"},
        {{.value = ROWS(2, 1, 1, NAN)}, F, END "value has a NaN"},
        {{.value = ROWS(3, 1, 1, 2, NAN)}, F, END "value has a NaN"}, /* also where no leaf has the row */
        {{.value = ROWS(2, 2, 1, 2, 3, 4)}, F, END "value is not as wide as the leaves"},
        {{.group = I4(-1, -1)}, F, END "group is not one number for each tree"},
        {{.group = own_array("i4", 4, 0, "")}, F, END "group is not one number for each tree"},
        {{.sets = own_sets(I4(3), I4(0, 1), I4(2))}, F, END "set_node does not rise from node to node"},
        {{.sets = own_sets(I4(2), I4(0, 1), I4(2))}, F, "tree 0, node 2: a leaf is marked as a test of categories"},
        {{.sets = ",\"start\":1"}, F, "ops[0].start: expected the member \"missing_left\" here"},
    };

    n_wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(one_tree(cases[i].forest), cases[i].status, cases[i].text);
    assert_int_equal(n_wrong, 0);
}

static void limits_bind_packed_forests(void **state)
{
    uint8_t node[1001];

    for (size_t i = 0; i < sizeof node; i++)
        node[i] = i % 2 == 0;
    node[1000] = 0;
    n_wrong = 0;
    refused(one_tree((own_packed){.node = own_array("u1", 1, 1001, node)}), L,
            "ops[0].missing: more nodes than the limit of 1000");
    assert_int_equal(n_wrong, 0);
}

static void each_allocation_may_fail(void **state)
{
    static grown g;
    uint64_t random = 6;
    const char *json;
    char *copy;

    g = (grown){.outputs = 3, .width = 3};
    grow_all(&g, 5, &random);
    json = own_regressor(FEATURES, in_preorder(&g, 1, "\"f4\"", "0"));
    copy = test_exact_copy(json, strlen(json) + 1);
    assert_true(test_each_allocation_fails(load, copy) > 5);
    free(copy);
}

/* ------------------------------------------------------------------ sharing */

/* Leaves share one vector of 64 numbers. Strategies that write the vector of each leaf do not take them: the plan would
 * have 512 bytes a leaf. */
static void leaves_that_share_vectors_make_no_large_plan(void **state)
{
    enum { TREES_OF_3 = 20000, NODES = 3 * TREES_OF_3, LEAVES = 2 * TREES_OF_3, WIDE = 64 };
    static uint8_t node[NODES], leaf[LEAVES], missing[TREES_OF_3];
    static float threshold[TREES_OF_3];
    static double value[WIDE];
    static int32_t group[TREES_OF_3];
    hbs_model *model;
    hbs_error error;
    test_host host;
    const char *json;

    for (size_t t = 0; t < TREES_OF_3; t++) {
        node[3 * t] = 1;
        threshold[t] = (float)t;
        group[t] = -1;
    }
    for (size_t o = 0; o < WIDE; o++)
        value[o] = (double)o;
    json = own_regressor(1, own_packed_of("0", (own_packed){.node = own_array("u1", 1, NODES, node),
                                                            .threshold = own_array("f4", 4, TREES_OF_3, threshold),
                                                            .missing_left = own_bits(TREES_OF_3, missing),
                                                            .cover = own_array("u1", 1, LEAVES, leaf),
                                                            .leaf = own_array("u1", 1, LEAVES, leaf),
                                                            .value = own_matrix(1, WIDE, value),
                                                            .group = own_array("i4", 4, TREES_OF_3, group),
                                                            .init = own_array("f8", 8, WIDE, value)}));
    test_host_init(&host);
    model = test_load(&host.host, json, NULL);
    for (int s = 0; s < HBS_N_STRATEGIES; s++) {
        const hbs_compile_options how = {.strategy = (hbs_strategy)s};
        hbs_plan_info info;
        hbs_plan *plan;

        assert_status(hbs_plan_compile(model, &how, &plan, &error), HBS_OK, &error);
        hbs_plan_get_info(plan, &info);
        assert_true(info.bytes < 64 * NODES);
        hbs_plan_free(plan);
    }
    hbs_model_free(model);
    test_host_end(&host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(trees_in_preorder_score_as_in_columns, fresh),
        cmocka_unit_test_setup(thresholds_and_leaves_may_be_infinite, fresh),
        cmocka_unit_test_setup(a_tree_may_be_one_leaf_and_a_forest_none, fresh),
        cmocka_unit_test_setup(nodes_may_test_sets, fresh),
        cmocka_unit_test_setup(forests_in_preorder_are_strict, fresh),
        cmocka_unit_test_setup(limits_bind_packed_forests, fresh),
        cmocka_unit_test_setup(each_allocation_may_fail, fresh),
        cmocka_unit_test_setup(leaves_that_share_vectors_make_no_large_plan, fresh),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
