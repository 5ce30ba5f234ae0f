/* test_kernels64.c - forests in float64 against a plain walk by LightGBM's rules, the small operators in
 * float64 against their formulas, for every number of rows round the lanes and tiles, bit by bit. */
#include "in_strategy.h"
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forest/forest_plan.h"
#include "base/elementary64.h"
#include "kernel/elementwise64.h"

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static size_t below(uint64_t *random, size_t n)
{
    return (size_t)(test_random(random) % n);
}

/* ------------------------------------------------------------------ random forests */

typedef struct shape {
    size_t n_features, n_outputs, n_trees;
    int depth;
    bool sets, bits; /* sets; as words of bits, else as lists.. */
    bool small;      /* ..all of them of categories below 64 */
    bool linear;
    bool oblivious; /* whole levels of depth, each with one test */
} shape;

enum { MAX_NODES = 4096, MAX_LEVELS = 9 };

typedef struct growing {
    hb_forest_model *forest;
    const shape *shape;
    uint64_t *random;
    hb_tree_node nodes[MAX_NODES];
    int n;
    hb_tree_node level[MAX_LEVELS]; /* of oblivious trees the test with so many levels below */
} growing;

static double random_number(uint64_t *random, bool finite)
{
    static const double special[] = {0.0,     -0.0,     0x1p-1074, -0x1p-1074, DBL_MIN,  1e-35,
                                     DBL_MAX, -DBL_MAX, 1e-300,    -1e-35,     INFINITY, -INFINITY};

    if (below(random, 5) == 0)
        return special[below(random, finite ? 10 : 12)];
    return (double)((int)below(random, 41) - 20) / 4.0;
}

/* A number, NaN, or the code of a category, also one that is cut, negative or out of range. */
static double random_cell(uint64_t *random)
{
    static const double codes[] = {-0.5, -1.0, -0.999, 2147483647.0, 2147483648.0, 1e300, 31, 32, 0.25};

    switch (below(random, 8)) {
    case 0:
        return NAN;
    case 1:
        return codes[below(random, sizeof codes / sizeof *codes)];
    case 2:
        return (double)below(random, 40) + 0.5;
    case 3:
        return (double)(below(random, 20) * 37);
    default:
        return random_number(random, false);
    }
}

static hb_tree_node random_leaf(growing *g)
{
    hb_forest_model *forest = g->forest;
    hb_linear_leaf leaf = {.first = (uint32_t)forest->linear_features.count};
    hb_tree_node node = test_leaf(0);

    node.as.leaf = random_number(g->random, true) / 1024 + 0x1p-40;
    if (!g->shape->linear || below(g->random, 3) == 0)
        return node;
    leaf.constant = random_number(g->random, true) / 64;
    leaf.count = (uint32_t)below(g->random, 4);
    for (uint32_t i = 0; i < leaf.count; i++) {
        int32_t feature = (int32_t)below(g->random, g->shape->n_features);
        double coefficient = random_number(g->random, true) / 16;

        assert_non_null(hb_vector_append(&forest->linear_features, &feature, 1));
        assert_non_null(hb_vector_append(&forest->linear_coefficients, &coefficient, 1));
    }
    node.right = (int32_t)forest->linear_leaves.count;
    assert_non_null(hb_vector_append(&forest->linear_leaves, &leaf, 1));
    return node;
}

/* Lists: below 32 (kept in the node), close ones (bits), far apart (a list). Bits: one word or several. */
static hb_tree_node random_set(growing *g, int feature, int left, int right)
{
    static const int32_t gaps[] = {3, 30, 300};
    int32_t categories[20], category = (int32_t)below(g->random, 3);
    size_t kind = g->shape->small ? 0 : below(g->random, 3), n = 1 + below(g->random, kind ? 20 : 9);
    hb_tree_node node;

    for (size_t i = 0; i < n; i++) {
        categories[i] = g->shape->bits ? (int32_t)(uint32_t)test_random(g->random) : category;
        category += 1 + (int32_t)below(g->random, (size_t)gaps[kind]);
    }
    if (g->shape->bits && kind == 0)
        n = 1;
    else if (!g->shape->bits && below(g->random, 10) == 0)
        categories[n - 1] = kind ? INT32_MAX : 31;
    node = test_set(g->forest, feature, left, right, n, categories);
    return below(g->random, 2) ? test_missing_left(node) : node;
}

static hb_tree_node random_test(growing *g, int feature, int left, int right)
{
    hb_tree_node node;
    static const uint32_t missing[] = {0, HB_NODE_NAN_MISSING, HB_NODE_ZERO_MISSING};

    if (g->shape->sets && below(g->random, 2))
        return random_set(g, feature, left, right);
    node = test_split(feature, 0, left, right);
    node.as.threshold = random_number(g->random, false);
    node.flags |= missing[below(g->random, 3)];
    return below(g->random, 2) ? test_missing_left(node) : node;
}

static hb_tree_node next_test(growing *g, int depth, int left, int right)
{
    hb_tree_node node;

    if (!g->shape->oblivious)
        return random_test(g, (int)below(g->random, g->shape->n_features), left, right);
    node = g->level[depth];
    node.left = left;
    node.right = right;
    return node;
}

static void grow(growing *g, int at, int depth)
{
    int left, right;

    if (depth == 0 || g->n + 2 > MAX_NODES || (at > 0 && !g->shape->oblivious && below(g->random, 4) == 0)) {
        g->nodes[at] = random_leaf(g);
        return;
    }
    left = g->n + (int)below(g->random, 2);
    right = 2 * g->n + 1 - left;
    g->n += 2;
    g->nodes[at] = next_test(g, depth, left, right);
    grow(g, left, depth - 1);
    grow(g, right, depth - 1);
}

static void grow_forest(hb_forest_model *forest, const shape *shape, uint64_t *random)
{
    growing *g = malloc(sizeof *g);

    assert_non_null(g);
    *g = (growing){.forest = forest, .shape = shape, .random = random};
    forest->wide = true;
    forest->sets_are_bits = shape->bits;
    forest->n_features = shape->n_features;
    forest->n_outputs = shape->n_outputs;
    for (size_t t = 0; t < shape->n_trees; t++) {
        g->n = 1;
        for (int d = 0; shape->oblivious && d <= shape->depth; d++)
            g->level[d] = random_test(g, (int)below(random, shape->n_features), 1, 2);
        grow(g, 0, shape->oblivious ? shape->depth : (int)below(random, (size_t)shape->depth + 1));
        test_add_tree(forest, g->nodes, (size_t)g->n, (int)below(random, shape->n_outputs));
    }
    free(g);
}

/* ------------------------------------------------------------------ what a forest means */

/* Tree::CategoricalDecision: cut to an integer; NaN, negative ones and what no set can have are in none. */
static bool in_set(const hb_forest_model *forest, const hb_tree_node *node, double x)
{
    const int32_t *set = (const int32_t *)forest->categories.items + node->as.set.first;
    uint32_t n = node->as.set.count;
    int64_t code;

    if (isnan(x) || x <= -1 || x >= 2147483648.0)
        return false;
    code = (int64_t)x;
    if (forest->sets_are_bits)
        return code / 32 < n && ((uint32_t)set[code / 32] >> (code % 32) & 1);
    for (uint32_t i = 0; i < n; i++)
        if (set[i] == code)
            return true;
    return false;
}

/* Tree::NumericalDecision; |x| <= 1e-35 has been made 0 before. */
static bool goes_left(const hb_tree_node *node, double x)
{
    bool nan_missing = (node->flags & HB_NODE_NAN_MISSING) != 0;
    bool zero_missing = (node->flags & HB_NODE_ZERO_MISSING) != 0;

    if (isnan(x) && !nan_missing)
        x = 0;
    if ((nan_missing && isnan(x)) || (zero_missing && x == 0))
        return (node->flags & HB_NODE_DEFAULT_LEFT) != 0;
    return x <= node->as.threshold;
}

static const hb_tree_node *find_leaf(const hb_forest_model *forest, const hb_tree_node *tree, int at, const double *row)
{
    const hb_tree_node *node = &tree[at];
    bool left;

    if (node->left == HB_NO_CHILD)
        return node;
    left = node->flags & HB_NODE_CATEGORIES
               ? in_set(forest, node, row[node->feature]) != ((node->flags & HB_NODE_DEFAULT_LEFT) != 0)
               : goes_left(node, row[node->feature]);
    return find_leaf(forest, tree, left ? node->left : node->right, row);
}

static double leaf_value(const hb_forest_model *forest, const hb_tree_node *node, const double *row)
{
    const hb_linear_leaf *leaf = forest->linear_leaves.items;
    const int32_t *features = forest->linear_features.items;
    const double *coefficients = forest->linear_coefficients.items;
    double sum;

    if (node->right == HB_NO_CHILD)
        return node->as.leaf;
    leaf += node->right;
    for (uint32_t i = 0; i < leaf->count; i++)
        if (isnan(row[features[leaf->first + i]]))
            return node->as.leaf;
    sum = leaf->constant;
    for (uint32_t i = 0; i < leaf->count; i++)
        sum += coefficients[leaf->first + i] * row[features[leaf->first + i]];
    return sum;
}

static void reference(const hb_forest_model *forest, const double *base, const double *row, double *sums)
{
    const hb_tree_node *nodes = forest->nodes.items;
    const uint32_t *starts = forest->starts.items;

    for (size_t o = 0; o < forest->n_outputs; o++)
        sums[o] = base[o];
    for (size_t t = 0; t < forest->groups.count; t++)
        sums[((const int32_t *)forest->groups.items)[t]] +=
            leaf_value(forest, find_leaf(forest, nodes + starts[t], 0, row), row);
}

/* ------------------------------------------------------------------ the kernel */

typedef struct compiled {
    test_host host;
    hb_memory memory;
    hb_forest_model before, sealed;
    void *block;
    hb_forest64 flat;
} compiled;

static void begin(compiled *c)
{
    test_host_init(&c->host);
    hb_memory_init(&c->memory, &c->host.host, 0);
    hb_forest_model_init(&c->before, &c->memory);
    hb_forest_model_init(&c->sealed, &c->memory);
}

static void compile(compiled *c)
{
    const hbs_limits limits = {.max_nodes = 1 << 20, .max_depth = 1024};
    hb_flat flat = {NULL, 1};
    uint64_t offset, counted;
    const hb_forest_choice plainly = {.strategy = HBS_STRATEGY_TT};
    hbs_error error;

    assert_status(hb_forest_model_seal(&c->sealed, &limits, &error), HBS_OK, &error);
    assert_status(hb_forest_compile(&c->sealed, &plainly, &flat, &c->memory.work, &offset, &error), HBS_OK, &error);
    counted = flat.size;
    c->block = malloc((size_t)counted);
    assert_non_null(c->block);
    memset(c->block, 0xA5, (size_t)counted);
    flat = (hb_flat){c->block, 1};
    assert_status(hb_forest_compile(&c->sealed, &plainly, &flat, &c->memory.work, &offset, &error), HBS_OK, &error);
    assert_int_equal(flat.size, counted);
    c->flat = hb_forest_view64(c->block, offset);
    assert_int_equal((uintptr_t)c->flat.nodes % 8, 0);
    assert_int_equal((uintptr_t)c->flat.linear % 8, 0);
    assert_int_equal((uintptr_t)c->flat.linear_coefficients % 8, 0);
}

static void end(compiled *c)
{
    free(c->block);
    hb_forest_model_release(&c->before);
    hb_forest_model_release(&c->sealed);
    test_host_end(&c->host);
}

enum { MAX_ROWS = 130, MAX_FEATURES = 75, MAX_OUTPUTS = 4, MAX_STRIDE = 256 };

static const double base[MAX_OUTPUTS] = {0.5, -1.25, 0.1, -0.0};
static const double untouched = 12345.0;

typedef struct rows {
    bool is_float32; /* holds all of them */
    double row[MAX_ROWS][MAX_FEATURES], expected[MAX_ROWS][MAX_OUTPUTS];
    double sums[MAX_OUTPUTS * MAX_STRIDE];
} rows;

static void check_walks(const hb_kernels *set, const compiled *c, rows *r, size_t first, size_t n, size_t stride,
                        size_t groups)
{
    size_t n_trees = c->flat.n_trees, n_cells = c->sealed.n_features * stride;
    double *x = malloc(n_cells * sizeof *x); /* no more: a sanitizer sees a read behind the last row */

    assert_non_null(x);
    for (size_t i = 0; i < n_cells; i++)
        x[i] = i % stride < n ? r->row[first + i % stride][i / stride] : NAN;
    for (size_t i = 0; i < MAX_OUTPUTS * stride; i++)
        r->sums[i] = untouched;
    hb_forest_begin64(&c->flat, base, stride, n, r->sums);
    for (size_t g = 0; g < groups; g++)
        set->hb_forest_add64(&c->flat, n_trees * g / groups, n_trees * (g + 1) / groups, x, stride, n, r->sums);
    free(x);
    for (size_t o = 0; o < MAX_OUTPUTS; o++)
        for (size_t k = 0; k < stride; k++) {
            double want = o < c->flat.n_outputs && k < n ? r->expected[first + k][o] : untouched;
            double found = r->sums[o * stride + k];

            if (!same_bits(found, want) && !(isnan(found) && isnan(want)))
                fail_msg("output %zu of row %zu of %zu, stride %zu: %a for %a", o, k, n, stride, found, want);
        }
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
    double *x = malloc((c->sealed.n_features + 1) * sizeof *x), sums[64];

    assert_non_null(x);
    for (size_t f = 0; f < c->sealed.n_features; f++)
        x[f] = r->row[row][f];
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t way = 0; way < IN_ROW_FORMS; way++) {
            if (!b->isas[s].has_row[way])
                continue;
            in_strategy_score_rows(b, way, s, base, x, 1, 1, sums);
            for (size_t o = 0; o < c->flat.n_outputs; o++)
                if (!same_bits(sums[o], r->expected[row][o]))
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
    double *x = malloc(n_cells * sizeof *x), *sums = malloc((c->flat.n_outputs + 1) * stride * sizeof *sums);

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
                in_strategy_score(b, s, base, x, r->is_float32, stride, n, sums);
            for (size_t o = 0; o < c->flat.n_outputs; o++)
                for (size_t k = 0; k < n; k++)
                    if (!same_bits(sums[o * stride + k], r->expected[first + k][o]))
                        fail_msg("%s, %s: output %zu of row %zu of %zu: %a for %a", hb_strategy_name(b->strategy),
                                 hb_kernels_at(s)->name, o, k, n, (double)sums[o * stride + k],
                                 (double)r->expected[first + k][o]);
        }
    check_row(c, b, r, first + n / 2);
    free(x);
    free(sums);
}

static size_t held[HBS_N_STRATEGIES]; /* forests by each strategy */

/* Every second forest has rows such that products of matrices hold them. */
static void check_shape(const shape *shape, int forests)
{
    uint64_t random = 43;
    rows *r = malloc(sizeof *r);

    assert_non_null(r);
    for (int i = 0; i < forests; i++) {
        uint64_t same = random;
        compiled c;
        in_strategy by[HBS_N_STRATEGIES + 1];
        size_t n_by;

        begin(&c);
        grow_forest(&c.before, shape, &random);
        grow_forest(&c.sealed, shape, &same);
        compile(&c);
        r->is_float32 = i % 2;
        for (size_t k = 0; k < MAX_ROWS; k++) {
            for (size_t f = 0; f < MAX_FEATURES; f++) {
                r->row[k][f] = i % 2 ? (double)(float)random_cell(&random) : random_cell(&random);
                if (i % 2 && isinf(r->row[k][f]))
                    r->row[k][f] = FLT_MAX;
            }
            reference(&c.before, base, r->row[k], r->expected[k]);
        }
        n_by = in_strategies_begin(by, &c.sealed, &c.host.host);
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
        end(&c);
    }
    free(r);
}

static void numbers_go_where_the_trees_say(void **state)
{
    check_shape(&(shape){.n_features = 9, .n_outputs = 1, .n_trees = 37, .depth = 9}, 12);
}

static void deep_trees_end_early_without_a_difference(void **state)
{
    check_shape(&(shape){.n_features = 9, .n_outputs = 1, .n_trees = 9, .depth = 40}, 6);
}

/* Their leaves are looked up by 32 bits or, 64 of them, by 16. Of 256 leaves single rows take all tests still. */
static void levels_of_one_test_are_bits_of_the_leaf(void **state)
{
    for (int depth = 3; depth < MAX_LEVELS; depth++)
        check_shape(
            &(shape){
                .n_features = 9, .n_outputs = 1 + (size_t)depth % 2, .n_trees = 21, .depth = depth, .oblivious = true},
            2);
}

static void single_leaves_and_stumps_are_trees(void **state)
{
    check_shape(&(shape){.n_features = 1, .n_outputs = 1, .n_trees = 20, .depth = 1}, 6);
    check_shape(&(shape){.n_features = 1, .n_outputs = 2, .n_trees = 9, .depth = 0}, 3);
}

static void small_sets_are_tests_of_single_rows(void **state)
{
    check_shape(&(shape){.n_features = 9, .n_outputs = 1, .n_trees = 70, .depth = 7, .sets = true, .small = true}, 1);
    check_shape(
        &(shape){
            .n_features = 40, .n_outputs = 4, .n_trees = 70, .depth = 5, .sets = true, .bits = true, .small = true},
        1);
    check_shape(&(shape){.n_features = 6, .n_outputs = 1, .n_trees = 70, .depth = 6, .sets = true, .small = true}, 1);
    check_shape(&(shape){.n_features = 14, .n_outputs = 1, .n_trees = 70, .depth = 6, .sets = true, .small = true}, 1);
}

/* More of them than one register, or two, have bytes. */
static void ranks_of_many_features(void **state)
{
    check_shape(&(shape){.n_features = 20, .n_outputs = 1, .n_trees = 140, .depth = 4}, 1);
    check_shape(&(shape){.n_features = 30, .n_outputs = 1, .n_trees = 70, .depth = 5}, 1);
    check_shape(&(shape){.n_features = 45, .n_outputs = 3, .n_trees = 140, .depth = 5}, 1);
    check_shape(&(shape){.n_features = 75, .n_outputs = 1, .n_trees = 70, .depth = 6}, 1);
    check_shape(&(shape){.n_features = 60, .n_outputs = 1, .n_trees = 30, .depth = 3}, 2);
}

static void sets_of_bits_are_sets(void **state)
{
    check_shape(&(shape){.n_features = 9, .n_outputs = 1, .n_trees = 37, .depth = 7, .sets = true, .bits = true}, 12);
}

static void sets_small_as_bits_and_as_lists_are_one_test(void **state)
{
    check_shape(&(shape){.n_features = 9, .n_outputs = 1, .n_trees = 37, .depth = 7, .sets = true}, 12);
}

static void leaves_are_linear_models(void **state)
{
    check_shape(&(shape){.n_features = 9, .n_outputs = 1, .n_trees = 23, .depth = 5, .linear = true}, 12);
    check_shape(
        &(shape){
            .n_features = 2, .n_outputs = 4, .n_trees = 23, .depth = 5, .linear = true, .sets = true, .bits = true},
        6);
}

static void trees_add_to_their_own_output(void **state)
{
    check_shape(&(shape){.n_features = 9, .n_outputs = 4, .n_trees = 50, .depth = 5, .sets = true}, 6);
}

static void a_forest_of_no_trees_gives_the_base(void **state)
{
    check_shape(&(shape){.n_features = 2, .n_outputs = 3, .n_trees = 0}, 1);
}

static void sums_are_made_in_the_order_of_the_trees(void **state)
{
    static const double leaves[] = {0x1p53, 1, -0x1p53};
    const double zero = 0, x = 0;
    double sum;
    compiled c;

    begin(&c);
    c.sealed.wide = true;
    c.sealed.n_features = c.sealed.n_outputs = 1;
    for (int i = 0; i < 3; i++) {
        hb_tree_node leaf = test_leaf(0);

        leaf.as.leaf = leaves[i];
        test_add_tree(&c.sealed, &leaf, 1, 0);
    }
    compile(&c);
    hb_forest_begin64(&c.flat, &zero, 1, 1, &sum);
    hb_forest_add64(&c.flat, 0, 3, &x, 1, 1, &sum);
    assert_true(sum == 0);
    end(&c);
}

/* One test of one feature, 1 on the left and 2 on the right: 1, 8 and 9 rows. */
static void goes(hb_tree_node test, const hb_vector *categories, bool bits, double x, bool left)
{
    double in[9], out[9], zero = 0;
    compiled c;

    begin(&c);
    c.sealed.wide = true;
    c.sealed.sets_are_bits = bits;
    c.sealed.n_features = c.sealed.n_outputs = 1;
    if (categories)
        assert_non_null(hb_vector_append(&c.sealed.categories, categories->items, categories->count));
    test_add_tree(&c.sealed, (const hb_tree_node[]){test, test_leaf(1), test_leaf(2)}, 3, 0);
    compile(&c);
    for (size_t n = 1; n <= 9; n += n == 1 ? 7 : 1) {
        for (size_t i = 0; i < n; i++)
            in[i] = x;
        hb_forest_begin64(&c.flat, &zero, n, n, out);
        hb_forest_add64(&c.flat, 0, 1, in, n, n, out);
        for (size_t i = 0; i < n; i++)
            if (out[i] != (left ? 1 : 2))
                fail_msg("%g goes %s", x, left ? "right" : "left");
    }
    end(&c);
}

static hb_tree_node test_at(double threshold, uint32_t flags)
{
    hb_tree_node node = test_split(0, 0, 1, 2);

    node.as.threshold = threshold;
    node.flags = flags;
    return node;
}

static void missing_is_what_the_node_says(void **state)
{
    const uint32_t left = HB_NODE_DEFAULT_LEFT, nan = HB_NODE_NAN_MISSING, zero = HB_NODE_ZERO_MISSING;

    for (int above = 0; above < 2; above++) { /* the threshold below 0 and above it */
        double t = above ? 0.5 : -0.5;

        for (int l = 0; l < 2; l++) {
            uint32_t d = l ? left : 0;

            goes(test_at(t, d), NULL, false, NAN, above); /* counts as 0 */
            goes(test_at(t, d), NULL, false, 0.0, above);
            goes(test_at(t, d | zero), NULL, false, NAN, l); /* counts as 0, which is missing */
            goes(test_at(t, d | zero), NULL, false, 0.0, l);
            goes(test_at(t, d | zero), NULL, false, -0.0, l);
            goes(test_at(t, d | nan), NULL, false, NAN, l);
            goes(test_at(t, d | nan), NULL, false, 0.0, above);
            goes(test_at(t, d | nan), NULL, false, -0.0, above);
            goes(test_at(t, d | zero), NULL, false, 0x1p-1074, above); /* flushed before, if at all */
            goes(test_at(t, d | zero), NULL, false, INFINITY, false);
            goes(test_at(t, d | nan), NULL, false, -INFINITY, true);
        }
    }
}

static void what_equals_the_threshold_goes_left(void **state)
{
    static const double numbers[] = {0.0, -0.0, 1, -1, DBL_MAX, 0x1p-1074, INFINITY, -INFINITY, 1e-35};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        goes(test_at(numbers[i], 0), NULL, false, numbers[i], true);
        goes(test_at(numbers[i], 0), NULL, false, -INFINITY, true);
        if (numbers[i] < INFINITY)
            goes(test_at(numbers[i], 0), NULL, false, nextafter(numbers[i], INFINITY), false);
    }
    goes(test_at(0.0, 0), NULL, false, -0.0, true);
    goes(test_at(-0.0, 0), NULL, false, 0.0, true);
}

/* Codes 0, 31, 32 and 95, as bits and as a list of the same (which becomes bits), and a wide list. */
static void a_code_is_cut_and_must_be_in_the_set(void **state)
{
    static const int32_t words[] = {(int32_t)0x80000001u, 1, INT32_MIN}, list[] = {0, 31, 32, 95},
                         far[] = {0, 31, 100000, 2147483647}, one[] = {(int32_t)0x80000001u};
    static const struct {
        double x;
        bool in, in_far, in_one;
    } codes[] = {{0, true, true, true},
                 {-0.0, true, true, true},
                 {-0.5, true, true, true},
                 {-0.9999999999999999, true, true, true},
                 {-1, false, false, false},
                 {0.99, true, true, true},
                 {1, false, false, false},
                 {31, true, true, true},
                 {31.9, true, true, true},
                 {32, true, false, false},
                 {33, false, false, false},
                 {95.5, true, false, false},
                 {96, false, false, false},
                 {127, false, false, false},
                 {100000, false, true, false},
                 {2147483647, false, true, false},
                 {2147483647.5, false, true, false},
                 {2147483648.0, false, false, false},
                 {4294967296.0, false, false, false},
                 {-4294967296.0, false, false, false},
                 {1e300, false, false, false},
                 {-1e300, false, false, false},
                 {INFINITY, false, false, false},
                 {-INFINITY, false, false, false},
                 {NAN, false, false, false}};
    hb_forest_model sets;
    hb_memory memory;
    test_host host;

    test_host_init(&host);
    hb_memory_init(&memory, &host.host, 0);
    for (int kind = 0; kind < 4; kind++) {
        const int32_t *items = kind == 0 ? words : kind == 1 ? list : kind == 2 ? far : one;
        hb_tree_node node;

        hb_forest_model_init(&sets, &memory);
        node = test_set(&sets, 0, 1, 2, kind == 0 ? 3 : kind == 3 ? 1 : 4, items);
        for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
            for (int flags = 0; flags < 2; flags++) { /* members go away from what is missing */
                bool in = kind == 3 ? codes[i].in_one : kind == 2 ? codes[i].in_far : codes[i].in;

                goes(flags ? test_missing_left(node) : node, &sets.categories, kind % 3 == 0, codes[i].x, in != flags);
            }
        hb_forest_model_release(&sets);
    }
    test_host_end(&host);
}

/* ------------------------------------------------------------------ small operators */

enum { WIDTH = 5, STRIDE = 67 };

typedef struct tile {
    double in[WIDTH * STRIDE], out[WIDTH * STRIDE];
} tile;

/* Fills `in` with numbers of all kinds; `out` is untouched. */
static void fill(tile *t, uint64_t *random)
{
    for (size_t i = 0; i < WIDTH * STRIDE; i++) {
        t->in[i] = random_cell(random);
        t->out[i] = untouched;
    }
}

static double flush(double x)
{
    return fabs(x) <= (double)1e-35f ? 0 : x;
}

static double mark(double x)
{
    return x == -1.0 ? NAN : x;
}

static double divide(double x)
{
    return x / 3.0;
}

static double square(double x)
{
    return (x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0) * x * x;
}

static double greater(double x)
{
    return x > 0.5 ? 1 : 0;
}

static double sigmoid(double x)
{
    return 1.0 / (1.0 + hb_exp64(-0.75 * x));
}

static double softplus(double x)
{
    return hb_log1p64(hb_exp64(x));
}

static void do_mark(const hb_tile64 *t)
{
    hb_mark_missing64(t, -1.0);
}

static void do_divide(const hb_tile64 *t)
{
    hb_divide64(t, 3.0);
}

static void do_greater(const hb_tile64 *t)
{
    hb_greater64(t, 0.5);
}

static void do_sigmoid(const hb_tile64 *t)
{
    hb_sigmoid64(t, 0.75);
}

static void doubles_are_rounded_to_the_nearest_float32(void **state)
{
    static const double in[] = {0.1,   -0.0,     1.0 + 0x1p-24, 1.0 + 0x1.8p-23, 16777217,        1e39,
                                -1e39, 0x1p-150, 0x1.8p-150,    (double)NAN,     (double)INFINITY};
    static const float expected[] = {0.1f,      -0.0f, 1,         0x1.000004p0f, 16777216, INFINITY,
                                     -INFINITY, 0,     0x1p-149f, NAN,           INFINITY};
    enum { N = sizeof in / sizeof *in };
    float out[N + 1] = {[N] = 7};

    hb_narrow64(in, N, out);
    for (size_t i = 0; i < N; i++)
        assert_true(isnan(expected[i]) ? isnan(out[i]) : test_same_bits(out[i], expected[i]));
    assert_true(out[N] == 7);
}

static const struct {
    const char *name;
    void (*kernel)(const hb_tile64 *tile);
    double (*formula)(double x);
} each[] = {
    {"flush", hb_flush_tiny64, flush}, {"mark", do_mark, mark},
    {"divide", do_divide, divide},     {"square", hb_square64, square},
    {"greater", do_greater, greater},  {"sigmoid", do_sigmoid, sigmoid},
    {"exp", hb_exp_tile64, hb_exp64},  {"softplus", hb_softplus64, softplus},
};

/* Every number of rows, in place and beside: what is asked for is written and nothing else. */
static void operators_of_one_number_are_their_formulas(void **state)
{
    uint64_t random = 9;

    for (size_t k = 0; k < sizeof each / sizeof *each; k++)
        for (size_t rows = 1; rows <= STRIDE; rows++)
            for (int in_place = 0; in_place < 2; in_place++) {
                tile t, before;
                double *out = in_place ? t.in : t.out;

                fill(&t, &random);
                before = t;
                each[k].kernel(&(hb_tile64){t.in, out, WIDTH, STRIDE, rows});
                for (size_t i = 0; i < WIDTH * STRIDE; i++) {
                    bool asked = i % STRIDE < rows;
                    double want = asked ? each[k].formula(before.in[i]) : in_place ? before.in[i] : untouched;

                    if (!same_bits(out[i], want) && !(isnan(out[i]) && isnan(want)))
                        fail_msg("%s(%a) is %a, should be %a", each[k].name, before.in[i], out[i], want);
                }
            }
}

static double one(void (*kernel)(const hb_tile64 *), double x)
{
    double y;

    kernel(&(hb_tile64){&x, &y, 1, 1, 1});
    return y;
}

static void tiny_numbers_are_flushed_up_to_1e_35f(void **state)
{
    const double t = (double)1e-35f;

    for (int sign = 0; sign < 2; sign++) {
        double s = sign ? -1 : 1;

        assert_true(same_bits(one(hb_flush_tiny64, s * t), 0.0)); /* +0, also of -1e-35f */
        assert_true(same_bits(one(hb_flush_tiny64, s * nextafter(t, 0)), 0.0));
        assert_true(same_bits(one(hb_flush_tiny64, s * nextafter(t, 1)), s * nextafter(t, 1)));
        assert_true(same_bits(one(hb_flush_tiny64, s * 1e-35), 0.0));
        assert_true(same_bits(one(hb_flush_tiny64, s * 0x1p-1074), 0.0));
        assert_true(same_bits(one(hb_flush_tiny64, s * 0.0), 0.0));
        assert_true(one(hb_flush_tiny64, s * INFINITY) == s * INFINITY);
    }
    assert_true(isnan(one(hb_flush_tiny64, NAN)));
}

/* Within the errors of exp and of the few operations behind it, by long double. */
static void close_to(const char *name, double x, double found, long double right, double most)
{
    double error = (double)(fabsl((long double)found - right) / fabsl(right));

    if (!(error <= most * DBL_EPSILON))
        fail_msg("%s(%a) = %a, should be %La", name, x, found, right);
}

static void links_are_near_the_true_value(void **state)
{
    uint64_t random = 10;

    for (int i = 0; i < 200000; i++) {
        double x = ((double)(test_random(&random) >> 11) * 0x1p-53 - 0.5) * 80;

        close_to("sigmoid", x, one(do_sigmoid, x), 1 / (1 + expl(-0.75L * (long double)x)), 3 + fabs(x));
        close_to("exp", x, one(hb_exp_tile64, x), expl((long double)x), 1);
        close_to("softplus", x, one(hb_softplus64, x), log1pl(expl((long double)x)), 3);
    }
    assert_true(one(do_sigmoid, INFINITY) == 1 && one(do_sigmoid, -INFINITY) == 0);
    assert_true(one(do_sigmoid, 1e300) == 1 && one(do_sigmoid, -1e300) == 0);
    assert_true(one(hb_softplus64, -INFINITY) == 0 && one(hb_softplus64, 1000) == INFINITY);
    assert_true(isnan(one(do_sigmoid, NAN)) && isnan(one(hb_softplus64, NAN)));
}

/* Common::Softmax: the first maximum taken off, the sum in order, each divided. */
static void softmax_is_its_formula(void **state)
{
    uint64_t random = 11;

    for (size_t rows = 1; rows <= STRIDE; rows++)
        for (size_t width = 1; width <= WIDTH; width++) {
            tile t, before;

            fill(&t, &random);
            for (size_t i = 0; i < WIDTH * STRIDE; i++)
                t.in[i] = (double)((int)below(&random, 4001) - 2000) / 40;
            before = t;
            hb_softmax64(&(hb_tile64){t.in, rows % 2 ? t.in : t.out, width, STRIDE, rows});
            for (size_t r = 0; r < rows; r++) {
                const double *x = before.in + r, *y = (rows % 2 ? t.in : t.out) + r;
                double most = x[0], sum = 0;
                long double right = 0;

                for (size_t c = 0; c < width; c++)
                    most = fmax(most, x[c * STRIDE]);
                for (size_t c = 0; c < width; c++) {
                    sum += hb_exp64(x[c * STRIDE] - most);
                    right += expl((long double)x[c * STRIDE] - (long double)most);
                }
                for (size_t c = 0; c < width; c++) {
                    assert_true(same_bits(y[c * STRIDE], hb_exp64(x[c * STRIDE] - most) / sum));
                    close_to("softmax", x[c * STRIDE], y[c * STRIDE],
                             expl((long double)x[c * STRIDE] - (long double)most) / right, 100);
                }
            }
        }
}

static void a_complement_is_of_one_number(void **state)
{
    uint64_t random = 12;
    tile t;

    for (size_t rows = 1; rows <= STRIDE; rows++) {
        fill(&t, &random);
        hb_complement64(&(hb_tile64){t.in, t.out, 1, STRIDE, rows});
        for (size_t r = 0; r < STRIDE; r++) {
            double first = r < rows ? 1.0 - t.in[r] : untouched;

            assert_true(same_bits(t.out[r], first) || (isnan(first) && isnan(t.out[r])));
            assert_true(same_bits(t.out[STRIDE + r], r < rows ? t.in[r] : untouched));
        }
    }
}

static void argmax_is_the_first_of_the_largest(void **state)
{
    static const struct {
        double x[4];
        double best;
    } rows[] = {{{1, 2, 3, 4}, 3},
                {{4, 3, 2, 1}, 0},
                {{1, 1, 1, 1}, 0},
                {{0, 2, 2, 1}, 1},
                {{-0.0, 0.0, 0, 0}, 0},
                {{NAN, 1, 2, 3}, 0},
                {{1, NAN, 2, 3}, 3},
                {{-INFINITY, -INFINITY, -1e308, 0}, 3},
                {{INFINITY, 1, INFINITY, 2}, 0}};
    enum { N = sizeof rows / sizeof *rows };

    for (size_t width = 1; width <= 4; width++) {
        double in[4 * N], out[N];

        for (size_t i = 0; i < 4 * N; i++)
            in[i] = rows[i % N].x[i / N];
        hb_argmax64(&(hb_tile64){in, out, width, N, N});
        for (size_t r = 0; r < N && width == 4; r++)
            assert_true(out[r] == rows[r].best);
        for (size_t r = 0; r < N; r++)
            assert_true(out[r] >= 0 && out[r] < (double)width);
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
        cmocka_unit_test(levels_of_one_test_are_bits_of_the_leaf),
        cmocka_unit_test(single_leaves_and_stumps_are_trees),
        cmocka_unit_test(small_sets_are_tests_of_single_rows),
        cmocka_unit_test(ranks_of_many_features),
        cmocka_unit_test(sets_of_bits_are_sets),
        cmocka_unit_test(sets_small_as_bits_and_as_lists_are_one_test),
        cmocka_unit_test(leaves_are_linear_models),
        cmocka_unit_test(trees_add_to_their_own_output),
        cmocka_unit_test(a_forest_of_no_trees_gives_the_base),
        cmocka_unit_test(each_strategy_held_some_of_these_forests),
        cmocka_unit_test(sums_are_made_in_the_order_of_the_trees),
        cmocka_unit_test(missing_is_what_the_node_says),
        cmocka_unit_test(what_equals_the_threshold_goes_left),
        cmocka_unit_test(a_code_is_cut_and_must_be_in_the_set),
        cmocka_unit_test(doubles_are_rounded_to_the_nearest_float32),
        cmocka_unit_test(operators_of_one_number_are_their_formulas),
        cmocka_unit_test(tiny_numbers_are_flushed_up_to_1e_35f),
        cmocka_unit_test(links_are_near_the_true_value),
        cmocka_unit_test(softmax_is_its_formula),
        cmocka_unit_test(a_complement_is_of_one_number),
        cmocka_unit_test(argmax_is_the_first_of_the_largest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
