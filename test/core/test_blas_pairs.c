/* test_blas_pairs.c - products by a BLAS beside each other operator, in tiles of each size: a forest makes tiles larger
 * than the 64 rows that a product takes at once. The numbers must be those that hbscore's own kernel sums. */
#include "models.h"

#include <math.h>
#include <string.h>

#include "every_operator.h"
#include "plain_blas.h"
#include "op/product.h"
#include "plan/run.h"

enum { SIDE = 32, MOST_ROWS = 4096 + 70, MOST_WIDTH = 4 * SIDE };

typedef enum product_kind {
    IN_FLOAT64,
    IN_FLOAT32, /* the library sums in it: behind a rounding */
    FED,        /* two of these: what the first makes stays in float32 for the second */
    N_PRODUCTS
} product_kind;

static double cells[SIDE][MOST_ROWS];
static hbs_column columns[SIDE];

/* Whole numbers, as the weights are, so that sums have the same bits in any order and in float32. */
static void draw_cells(void)
{
    uint64_t random = 22;

    for (size_t f = 0; f < SIDE; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < MOST_ROWS; r++)
            cells[f][r] = (double)(test_random(&random) % 9) - 4;
    }
}

/* ---- pipelines */

typedef struct pair {
    test_host host;
    test_pipeline p;
    hbs_plan *plan;
    hbs_run *run;
    plain_blas plain;
    hbs_error error;
} pair;

static pair m;

static size_t add_dense(size_t input, size_t inputs)
{
    double *weights = hb_arena_array(&m.p.pipeline.arena, SIDE * inputs, sizeof(*weights));
    double *bias = hb_arena_array(&m.p.pipeline.arena, SIDE, sizeof(*bias));

    for (size_t i = 0; i < SIDE * inputs; i++)
        weights[i] = i * 11 % 7 == 3 ? 4 : (double)(i * 11 % 7) - 3; /* no column without weight */
    for (size_t o = 0; o < SIDE; o++)
        bias[o] = (double)o - 5;
    return test_add(&m.p, DENSE, dense, input, .n_outputs = SIDE, .n_features = inputs, .weights = weights,
                    .bias = bias);
}

static size_t add_product(product_kind kind, size_t input, size_t inputs)
{
    if (kind == IN_FLOAT64)
        return add_dense(input, inputs);
    input = add_dense(test_add_plain(&m.p, ROUND, input), inputs);
    if (kind == IN_FLOAT32)
        return input;
    return add_dense(test_add(&m.p, CLIP, clip, input, .limits = {0, INFINITY}), SIDE);
}

/* Operator i behind `input`, of which it takes the first columns, if it does not take all. */
static size_t add_other(size_t i, size_t input)
{
    const every_operator *other = every_operator_at(i);
    uint32_t *first = hb_arena_array(&m.p.pipeline.arena, SIDE, sizeof(*first));
    size_t width = other->takes ? other->takes : SIDE;
    bool wide = other->dtypes & EVERY_FLOAT64;

    for (uint32_t c = 0; c < SIDE; c++)
        first[c] = c;
    if (width < SIDE)
        input = test_add(&m.p, SELECT, select, input, .n_columns = width, .columns = first);
    if (!wide)
        input = test_add(&m.p, NARROW, narrow, input, .needs_finite = false);
    return every_operator_add(&m.p, i, input, width, wide);
}

/* Trees of a test each; they decide how many rows a tile has. */
static void add_forest(size_t trees)
{
    hb_forest_model *forest = hb_arena_array(&m.p.pipeline.arena, 1, sizeof(*forest));

    hb_forest_model_init(forest, &m.p.memory);
    forest->wide = true;
    forest->n_features = SIDE;
    forest->n_outputs = 1;
    for (size_t t = 0; t < trees; t++)
        test_add_tree(forest,
                      (const hb_tree_node[]){test_split((int)(t % SIDE), (float)(t % 7) - 3.5f, 1, 2),
                                             test_leaf((float)t), test_leaf(1)},
                      3, 0);
    m.p.pipeline.raw = test_add(&m.p, FOREST, forest, 1, .forest = forest);
}

static void begin(void)
{
    memset(&m, 0, sizeof(m));
    test_host_init(&m.host);
    test_pipeline_begin(&m.p, &m.host.host, SIDE);
    m.p.pipeline.wide = true;
}

static void compile(hbs_strategy strategy, size_t most_rows)
{
    /* Products keep the shapes that they have here. */
    const hbs_compile_options options = {.passes_off = HBS_PASS_PUSH_SELECTION | HBS_PASS_INJECT_SELECTION,
                                         .strategy = strategy};

    m.plan = test_pipeline_compile_as(&m.p, &options);
    m.run = test_run(&m.host.host, m.plan, most_rows);
}

static void end(void)
{
    assert_false(m.plain.entered);
    hbs_run_free(m.run);
    hbs_plan_free(m.plan);
    test_pipeline_end(&m.p);
    test_host_end(&m.host);
}

/* ---- scoring */

static const double *score(bool blas, size_t rows, size_t *width)
{
    hbs_blas with = plain_blas_of(&m.plain);
    hbs_result result;

    assert_status(hbs_run_use_blas(m.run, blas ? &with : NULL, &m.error), HBS_OK, &m.error);
    assert_status(hbs_score(m.run, columns, SIDE, rows, HBS_OUT_VALUES | HBS_OUT_RAW, &result, &m.error), HBS_OK,
                  &m.error);
    assert_int_equal(result.rows, rows);
    *width = hb_pipeline_width(&m.p.pipeline, m.p.pipeline.values);
    return result.values;
}

/* Sums in float32 of numbers that are not whole differ, and more so where large terms cancel. */
static bool is_near(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-3 * fmax(1, fabs(a));
}

static void score_by_both(const char *name, size_t rows)
{
    static double own[MOST_ROWS * MOST_WIDTH];
    size_t width;
    const double *numbers = score(false, rows, &width);

    assert_true(width <= MOST_WIDTH);
    memcpy(own, numbers, rows * width * sizeof(*own));
    numbers = score(true, rows, &width);
    for (size_t i = 0; i < rows * width; i++)
        if (!is_near(own[i], numbers[i]))
            fail_msg("%s, %zu rows: row %zu, number %zu is %g, by a BLAS %g", name, rows, i / width, i % width, own[i],
                     numbers[i]);
}

static void score_all(const char *name, size_t most_rows)
{
    static const size_t rows[] = {1, 3, 4, 65, 512 + 3};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        score_by_both(name, rows[i]);
    score_by_both(name, most_rows);
}

static bool has_asked(void)
{
    return m.plain.products + m.plain.narrow > 0;
}

/* ---- tests */

/* One operator is tried by one strategy with each product, or with one product (EVERY). */
enum { STEP = 3 * EVERY };

static const hbs_strategy strategies[] = {HBS_STRATEGY_TT, HBS_STRATEGY_BITS, HBS_STRATEGY_GEMM};
enum { N_STRATEGIES = sizeof(strategies) / sizeof(strategies[0]) };

static void a_product_before_each_operator(void **state)
{
    for (size_t k = 0; k < N_PRODUCTS; k++)
        for (size_t s = 0; s < N_STRATEGIES; s++)
            for (size_t i = (k * N_STRATEGIES + s) % STEP; i < every_operator_count(); i += STEP) {
                begin();
                m.p.pipeline.values = add_other(i, add_product((product_kind)k, 1, SIDE));
                add_forest(40);
                compile(strategies[s], 700);
                score_all(every_operator_at(i)->name, 700);
                assert_true(has_asked());
                end();
            }
}

/* Beside the columns that the operator makes are those that it reads, so that there are enough for a BLAS. */
static void a_product_behind_each_operator(void **state)
{
    for (size_t k = 0; k < N_PRODUCTS; k++)
        for (size_t s = 0; s < N_STRATEGIES; s++)
            for (size_t i = (k * N_STRATEGIES + s) % STEP; i < every_operator_count(); i += STEP) {
                const every_operator *other = every_operator_at(i);
                uint32_t inputs[2] = {1, 1};
                size_t taken = other->takes ? other->takes : SIDE, both;

                if (!(other->dtypes & EVERY_FLOAT64) || other->kind == HB_OPERATOR_NARROW)
                    continue; /* products take float64 */
                begin();
                add_forest(40);
                inputs[1] = (uint32_t)add_other(i, 1);
                both = hb_pipeline_add_of(&m.p.pipeline, HB_OPERATOR_CONCAT, inputs, 2, NULL);
                m.p.pipeline.values = add_product((product_kind)k, both, SIDE + every_operator_width(i, taken));
                compile(strategies[s], 700);
                score_all(other->name, 700);
                assert_true(has_asked());
                end();
            }
}

/* Large forests make tiles of 4,096 rows. */
static void a_product_in_tiles_of_each_size(void **state)
{
    for (size_t k = 0; k < N_PRODUCTS; k++)
        for (size_t i = k % EVERY, rows = 64 << 2 * i; i < 4; i += EVERY, rows = 64 << 2 * i) {
            begin();
            m.p.pipeline.values = add_product((product_kind)k, 1, SIDE);
            add_forest(50000);
            compile(HBS_STRATEGY_TT, rows == 4096 ? MOST_ROWS : rows);
            assert_int_equal(m.run->stride, rows);
            score_by_both("dense", m.run->max_rows);
            score_by_both("dense", rows / 2 + 5);
            assert_true(has_asked());
            end();
        }
}

/* However many rows a caller gives: in blocks of outputs that are not empty. */
static void a_product_of_very_many_rows(void **state)
{
    enum { ROWS = 1024, INPUTS = 1024, OUTPUTS = 9 };
    static double in[INPUTS * ROWS], out[OUTPUTS * ROWS], weights[OUTPUTS * INPUTS], bias[OUTPUTS];
    static hb_product_room room;
    const hb_fit_dense dense = {.n_outputs = OUTPUTS, .n_features = INPUTS, .weights = weights, .bias = bias};
    plain_blas plain = {.refuses = false};
    hbs_blas blas = plain_blas_of(&plain);
    hb_call call = {.kernels = hb_kernels_here(),
                    .fit = &dense,
                    .dtype = HB_DTYPE_FLOAT64,
                    .stride = ROWS,
                    .rows = ROWS,
                    .input_width = INPUTS,
                    .width = OUTPUTS,
                    .input = in,
                    .output = out,
                    .room = &room};

    for (size_t i = 0; i < OUTPUTS * INPUTS; i++)
        weights[i] = (double)(i % 5);
    for (size_t i = 0; i < INPUTS * ROWS; i++)
        in[i] = (double)(i / ROWS + i % ROWS % 3);
    room.blas = &blas;
    assert_false(hb_blas_takes(INPUTS, OUTPUTS, dense.in_float32));
    assert_true(blas.enter(&plain) && hb_blas_dense(&call)); /* as if it did */
    for (size_t o = 0; o < OUTPUTS; o++)
        for (size_t r = 0; r < ROWS; r += 113) {
            double sum = 0;

            for (size_t f = 0; f < INPUTS; f++)
                sum += in[f * ROWS + r] * weights[o * INPUTS + f];
            assert_true(out[o * ROWS + r] == sum);
        }
}

static int draw(void **state)
{
    (void)state;
    draw_cells();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_before_each_operator),
        cmocka_unit_test(a_product_behind_each_operator),
        cmocka_unit_test(a_product_in_tiles_of_each_size),
        cmocka_unit_test(a_product_of_very_many_rows),
    };

    return cmocka_run_group_tests(tests, draw, NULL);
}
