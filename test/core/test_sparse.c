/* test_sparse.c - weighted sums most of whose weights are 0: which ones the pass replaces, and that its sums have the
 * bits of the dense ones for every number of rows, infinities, NaN and zeros of both signs among their numbers. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/passes.h"
#include "op/execution.h"
#include "plain_blas.h"
#include "plan/run.h"
#include "scored_model.h"

enum { COLUMNS = 40, OUTPUTS = 11, STRIDE = 128, MOST_ROWS = 130 };

/* NaN is NaN; what is behind the rows may be anything. */
static void is_same(const char *what, const double *found, const double *expected, size_t stride, size_t rows)
{
    for (size_t o = 0; o < OUTPUTS; o++)
        for (size_t r = 0; r < rows; r++)
            if (!same_bits(found[o * stride + r], expected[o * stride + r]))
                fail_msg("%s, %zu rows of stride %zu: output %zu of row %zu is %a, expected %a", what, rows, stride, o,
                         r, found[o * stride + r], expected[o * stride + r]);
}

/* ---- a model with about one weight in four, in both forms */

static double weights[OUTPUTS * COLUMNS], bias[OUTPUTS], stored[OUTPUTS * COLUMNS];
static uint32_t ends[OUTPUTS], columns[OUTPUTS * COLUMNS];
static const hb_fit_dense dense = {.n_outputs = OUTPUTS, .n_features = COLUMNS, .weights = weights, .bias = bias};
static hb_fit_sparse sparse = {.n_outputs = OUTPUTS, .csr = {0, ends, columns, stored}, .bias = bias};

/* Of both signs and many sizes; never 0. */
static double any_weight(uint64_t *random)
{
    uint64_t r = test_random(random);

    return r % 16 == 0 ? 1e-310 : r % 16 == 1 ? -1e200 : (double)(r >> 11) / 9007199254740992.0 - 0.5;
}

/* Output 3 has no weights, outputs 4 and 5 all. */
static int draw_weights(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        bias[o] = o % 2 ? -0.0 : any_weight(&random);
        for (uint32_t c = 0; c < COLUMNS; c++) {
            bool is_there = o == 4 || o == 5 || (o != 3 && test_random(&random) % 8 == 0);
            double weight = is_there ? any_weight(&random) : c % 3 ? 0.0 : -0.0;

            weights[o * COLUMNS + c] = weight;
            if (!is_there)
                continue;
            columns[sparse.csr.n_weights] = c;
            stored[sparse.csr.n_weights++] = weight;
        }
        ends[o] = (uint32_t)sparse.csr.n_weights;
    }
    return 0;
}

/* Zeros of both signs, sums that cancel, numbers that underflow, and if they may be infinities and NaN. */
static double any_number(uint64_t *random, bool finite)
{
    static const double special[] = {0.0, -0.0, 5e-324, -1e-300, 1e108, -1e108, 1, -1, INFINITY, -INFINITY, NAN};
    uint64_t r = test_random(random);

    if (r % 3 == 0)
        return special[(r >> 8) % (finite ? 8 : 11)];
    return ((double)(r >> 11) / 9007199254740992.0 - 0.5) * 8;
}

/* ---- sums of a tile */

static void sum_tile(const hb_kernels *k, const hb_call *call)
{
    static double found[OUTPUTS * STRIDE], expected[OUTPUTS * STRIDE];
    hb_call dense_call = *call, sparse_call = *call;

    memset(found, 0x77, sizeof(found));
    dense_call.kernels = sparse_call.kernels = k;
    dense_call.fit = &dense;
    dense_call.output = expected;
    sparse_call.fit = &sparse;
    sparse_call.output = found;
    assert_true(hb_evaluate_dense(&dense_call));
    assert_true(hb_evaluate_sparse(&sparse_call));
    is_same(k->name, found, expected, call->stride, call->rows);
}

/* With all instruction sets, all numbers of rows, and with the clip of a perceptron's layer behind them. */
static void sum_tiles(const double *x, size_t stride)
{
    static const double limits[2] = {0, INFINITY};

    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t rows = 1; rows <= stride && rows <= 64; rows++) {
            hb_call call = {.stride = stride, .rows = rows, .input_width = COLUMNS, .width = OUTPUTS, .input = x};

            sum_tile(hb_kernels_at(s), &call);
            call.limits = limits;
            sum_tile(hb_kernels_at(s), &call);
        }
}

static void sums_have_the_bits_of_dense_ones(void **state)
{
    static const size_t strides[] = {1, 3, 33, 64, STRIDE};
    static double x[COLUMNS * STRIDE];
    uint64_t random = 1;

    for (size_t turn = 0; turn < 24; turn++)
        for (size_t i = turn % EVERY; i < sizeof(strides) / sizeof(strides[0]); i += EVERY) {
            for (size_t n = 0; n < COLUMNS * strides[i]; n++)
                x[n] = any_number(&random, turn % 4);
            sum_tiles(x, strides[i]);
        }
}

/* Each cell in turn: outputs without a weight for its column have a NaN too. */
static void one_cell_that_is_not_finite_is_seen(void **state)
{
    static const double beyond[] = {INFINITY, -INFINITY, NAN};
    static double x[COLUMNS * 64];
    uint64_t random = 2;

    for (size_t n = 0; n < COLUMNS * 64; n++)
        x[n] = any_number(&random, true);
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t r = 0; r < 64; r += 1 + EVERY) {
            hb_call call = {.stride = 64, .rows = r + 1, .input_width = COLUMNS, .width = OUTPUTS, .input = x};
            double before = x[c * 64 + r];

            x[c * 64 + r] = beyond[(c + r) % 3];
            for (size_t s = 0; hb_kernels_at(s); s++)
                sum_tile(hb_kernels_at(s), &call);
            x[c * 64 + r] = before;
        }
}

static bool stop_after_two(void *context)
{
    return ++*(size_t *)context > 2;
}

/* A wide product is some parts of work: the host is asked in between, and may stop it. Also in the sums of all columns.
 */
static void the_host_is_asked_in_between(void **state)
{
    enum { WIDE = 1 << 12, N = 64, ROWS = 64 };
    static uint32_t all[N * WIDE / 8], wide_ends[N];
    static double w[N * WIDE / 8], b[N], x[WIDE * ROWS], y[N * ROWS];
    const hb_fit_sparse fit = {.n_outputs = N, .csr = {N * WIDE / 8, wide_ends, all, w}, .bias = b};

    for (uint32_t o = 0; o < N; o++) {
        wide_ends[o] = (o + 1) * (WIDE / 8);
        for (uint32_t i = 0; i < WIDE / 8; i++)
            all[o * (WIDE / 8) + i] = 8 * i + o % 8;
    }
    for (int finite = 0; finite < 2; finite++) {
        size_t asked = 0;
        test_host host;
        hb_memory memory;

        test_host_init(&host);
        host.host.context = &asked;
        host.host.cancelled = stop_after_two;
        hb_memory_init(&memory, &host.host, 0);
        x[0] = finite ? 1 : INFINITY;
        for (size_t i = 0; i < N * WIDE / 8; i++)
            w[i] = finite ? 0.5 : 1;
        assert_false(hb_evaluate_sparse(&(hb_call){.kernels = hb_kernels_at(0),
                                                   .fit = &fit,
                                                   .stride = ROWS,
                                                   .rows = ROWS,
                                                   .input_width = WIDE,
                                                   .width = N,
                                                   .input = x,
                                                   .output = y,
                                                   .polls = &memory.work}));
        assert_int_equal(asked, 3);
        host.host.context = &host;
        test_host_end(&host);
    }
}

/* ---- the pass */

typedef struct fixture {
    test_host host;
    test_pipeline p;
    hb_arena arena;
    hb_graph graph;
    hbs_error error;
} fixture;

static void begin(fixture *f)
{
    memset(f, 0, sizeof(*f));
    test_host_init(&f->host);
    test_pipeline_begin(&f->p, &f->host.host, 2);
    hb_arena_init(&f->arena, &f->p.memory);
    hb_graph_init(&f->graph, &f->arena);
}

static void end(fixture *f)
{
    hb_graph_release(&f->graph);
    hb_arena_release(&f->arena);
    test_pipeline_end(&f->p);
    test_host_end(&f->host);
}

/* The sums of a constant, which no pass before has looked at: node 1. */
static void add_sums(fixture *f, const double *w, size_t n_outputs, size_t n_features)
{
    static const double zeros[OUTPUTS * COLUMNS];
    const hb_fit_dense fit = {.n_outputs = n_outputs, .n_features = n_features, .weights = w, .bias = zeros};
    uint32_t x = hb_graph_add_constant(&f->graph, HB_DTYPE_FLOAT64, n_features, zeros);

    f->graph.outputs[3] = hb_graph_add(&f->graph, HB_OPERATOR_DENSE, &x, 1, &fit);
}

static size_t pass_number(void)
{
    const char *name;
    uint32_t bit;

    for (size_t i = 0; (name = hb_pass_name(i, &bit)); i++)
        if (bit == HBS_PASS_REPLACE_SPARSE)
            return i;
    return 0;
}

static void run_pass(fixture *f)
{
    assert_status(hb_pass_run(&f->graph, pass_number(), &f->error), HBS_OK, &f->error);
}

static hb_operator_kind kind_of_sums(const fixture *f)
{
    return hb_node_at(&f->graph, f->graph.outputs[3])->kind;
}

static void weights_of_0_are_dropped(void **state)
{
    static double w[3 * 20];
    const hb_fit_sparse *fit;
    fixture f;

    for (size_t c = 0; c < 20; c++)
        w[c % 3 * 20 + c] = 1 + (double)c;
    begin(&f);
    add_sums(&f, w, 3, 20);
    run_pass(&f);
    assert_string_equal(hb_operator_name(kind_of_sums(&f)), "sparse");
    fit = hb_node_at(&f.graph, 1)->fit;
    assert_int_equal(fit->n_outputs, 3);
    assert_int_equal(fit->csr.n_weights, 20);
    assert_memory_equal(fit->csr.ends, ((const uint32_t[]){7, 14, 20}), 3 * sizeof(uint32_t));
    assert_memory_equal(fit->csr.columns, ((const uint32_t[]){0, 3, 6, 9, 12, 15, 18, 1}), 8 * sizeof(uint32_t));
    assert_true(fit->csr.weights[6] == 19 && fit->csr.weights[7] == 2 && fit->csr.weights[19] == 18);
    assert_int_equal(hb_node_at(&f.graph, 1)->value.width, 3);
    assert_int_equal(f.graph.n_reports, 1);
    assert_string_equal(hb_pass_unit(f.graph.reports[0].pass), "weights");
    assert_int_equal(f.graph.reports[0].rewrites, 1);
    assert_int_equal(f.graph.reports[0].before, 60);
    assert_int_equal(f.graph.reports[0].after, 20);
    end(&f);
}

/* 10 outputs of 30 columns: 2 units for each stored weight and 5 for each output are 300 for 125 of them. */
static void only_sums_that_are_sparse_enough_are_replaced(void **state)
{
    for (size_t n = 124; n <= 126; n++) {
        double w[10 * 30] = {0};
        fixture f;

        for (size_t i = 0; i < n; i++)
            w[i * 7 % 300] = -1;
        begin(&f);
        add_sums(&f, w, 10, 30);
        run_pass(&f);
        assert_int_equal(kind_of_sums(&f), n <= 125 ? HB_OPERATOR_SPARSE : HB_OPERATOR_DENSE);
        assert_int_equal(f.graph.n_reports, n <= 125);
        end(&f);
    }
}

/* Few columns take longer so, however few weights they have. */
static void sums_of_few_columns_stay(void **state)
{
    double w[5 * 5] = {1, [6] = 1, [12] = 1, [18] = 1, [24] = 1};
    fixture f;

    begin(&f);
    add_sums(&f, w, 5, 5);
    run_pass(&f);
    assert_int_equal(kind_of_sums(&f), HB_OPERATOR_DENSE);
    end(&f);
}

/* None of their sums would be finite. */
static void infinite_weights_stay(void **state)
{
    double w[3 * 20] = {[20] = -INFINITY}, b[3] = {0, 0, INFINITY};
    fixture f;

    begin(&f);
    add_sums(&f, w, 3, 20);
    run_pass(&f);
    assert_int_equal(kind_of_sums(&f), HB_OPERATOR_DENSE);
    w[20] = 1;
    ((hb_fit_dense *)hb_node_at(&f.graph, 1)->fit)->bias = b;
    run_pass(&f);
    assert_int_equal(kind_of_sums(&f), HB_OPERATOR_DENSE);
    b[2] = 0;
    run_pass(&f);
    assert_int_equal(kind_of_sums(&f), HB_OPERATOR_SPARSE);
    end(&f);
}

static void sums_that_no_output_needs_stay(void **state)
{
    fixture f;

    begin(&f);
    add_sums(&f, weights, OUTPUTS, COLUMNS);
    f.graph.outputs[3] = 0;
    run_pass(&f);
    assert_int_equal(hb_node_at(&f.graph, 1)->kind, HB_OPERATOR_DENSE);
    assert_int_equal(f.graph.n_reports, 0);
    end(&f);
}

/* So that an infinity there becomes the NaN that it is in each sum. */
static void a_column_without_weight_keeps_its_0(void **state)
{
    static double w[3 * 20];
    const hb_fit_sparse *fit;
    fixture f;

    memset(w, 0, sizeof(w));
    for (size_t c = 0; c < 20; c++)
        w[c % 3 * 20 + c] = c == 4 || c == 9 ? 0 : 1;
    w[9] = -0.0;
    begin(&f);
    add_sums(&f, w, 3, 20);
    run_pass(&f);
    fit = hb_node_at(&f.graph, 1)->fit;
    assert_int_equal(fit->csr.n_weights, 20);
    assert_memory_equal(fit->csr.columns, ((const uint32_t[]){0, 3, 4, 6, 9, 12, 15, 18}), 8 * sizeof(uint32_t));
    assert_true(fit->csr.weights[2] == 0 && !signbit(fit->csr.weights[2]));
    assert_true(fit->csr.weights[4] == 0 && signbit(fit->csr.weights[4]));
    end(&f);
}

static hbs_status replace(const hbs_host *host, void *context, hbs_error *error)
{
    hb_memory memory;
    hb_arena arena;
    hb_graph graph;
    hbs_status status;
    fixture *f = context;

    hb_memory_init(&memory, host, 0);
    hb_arena_init(&arena, &memory);
    graph = f->graph;
    graph.arena = &arena;
    for (size_t i = 0; i < 2; i++)
        hb_node_at(&graph, i)->kind = i ? HB_OPERATOR_DENSE : HB_OPERATOR_CONSTANT;
    hb_node_at(&graph, 1)->fit = (void *)(uintptr_t)&dense;
    status = hb_pass_run(&graph, pass_number(), error);
    hb_arena_release(&arena);
    return status;
}

static void without_memory_the_pass_is_an_error(void **state)
{
    fixture f;

    begin(&f);
    add_sums(&f, weights, OUTPUTS, COLUMNS);
    assert_true(test_each_allocation_fails(replace, &f) > 0);
    end(&f);
}

/* ---- plans */

enum { FEATURES = 30, CLASSES = 6 };
static double plan_weights[CLASSES * FEATURES], plan_bias[CLASSES];
static double cells[FEATURES][MOST_ROWS];

typedef struct scored {
    test_host host;
    hbs_plan *plans[2]; /* with all passes; without this one */
    hbs_run *blocks[2], *ones[2];
    hbs_column table[FEATURES];
    size_t width;
    hbs_error error;
} scored;

/* Sums of the features' squares, if `squares`; a layer of a perceptron if `clips`. */
static hbs_plan *compile_plan(const hbs_host *host, bool squares, bool clips, uint32_t passes_off)
{
    test_pipeline p;
    hbs_plan *plan;
    size_t value;

    test_pipeline_begin(&p, host, FEATURES);
    p.pipeline.wide = true;
    value = squares ? test_pipeline_link(&p, 1, HB_LINK_SQUARE) : 1;
    value = test_add(&p, DENSE, dense, value, .n_outputs = CLASSES, .n_features = FEATURES, .weights = plan_weights,
                     .bias = plan_bias);
    p.pipeline.values = clips ? test_pipeline_link(&p, value, HB_LINK_RELU) : value;
    plan = test_pipeline_compile(&p, passes_off);
    test_pipeline_end(&p);
    return plan;
}

static void begin_plans(scored *m, bool squares, bool clips)
{
    memset(m, 0, sizeof(*m));
    test_host_init(&m->host);
    for (size_t c = 0; c < FEATURES; c++) {
        plan_weights[c % CLASSES * FEATURES + c] = (double)c - 12.5;
        m->table[c] = (hbs_column){HBS_FLOAT64, cells[c], NULL};
    }
    for (size_t i = 0; i < 2; i++) {
        m->plans[i] = compile_plan(&m->host.host, squares, clips, i ? HBS_PASS_REPLACE_SPARSE : 0);
        m->blocks[i] = test_run(&m->host.host, m->plans[i], MOST_ROWS);
        m->ones[i] = test_run(&m->host.host, m->plans[i], 1);
    }
}

static void end_plans(scored *m)
{
    for (size_t i = 0; i < 2; i++) {
        hbs_run_free(m->blocks[i]);
        hbs_run_free(m->ones[i]);
        hbs_plan_free(m->plans[i]);
    }
    test_host_end(&m->host);
}

static bool is_valid(const hbs_result *result, size_t row)
{
    return !result->valid || (result->valid[row / 64] >> (row % 64) & 1);
}

static void is_same_result(const hbs_result *a, const hbs_result *b, size_t at, size_t row)
{
    assert_int_equal(is_valid(a, at), is_valid(b, row));
    for (size_t o = 0; is_valid(a, at) && o < CLASSES; o++)
        if (!same_bits(a->values[at * CLASSES + o], b->values[row * CLASSES + o]))
            fail_msg("row %zu, output %zu: %a, expected %a", row, o, a->values[at * CLASSES + o],
                     b->values[row * CLASSES + o]);
}

/* Blocks of that many rows, and the rows one by one. */
static void score_both(scored *m, size_t rows)
{
    hbs_result with, without, one;

    for (size_t i = 0; i < 2; i++)
        assert_status(
            hbs_score(m->blocks[i], m->table, FEATURES, rows, HBS_OUT_VALUES, i ? &without : &with, &m->error), HBS_OK,
            &m->error);
    for (size_t r = 0; r < rows; r++) {
        double numbers[FEATURES];

        is_same_result(&with, &without, r, r);
        for (size_t c = 0; c < FEATURES; c++)
            numbers[c] = cells[c][r];
        assert_status(hbs_score_numbers(m->ones[0], numbers, FEATURES, HBS_OUT_VALUES, &one, &m->error), HBS_OK,
                      &m->error);
        is_same_result(&one, &without, 0, r);
    }
}

/* Squares overflow, and a link takes NaN. */
static void plans_give_the_same_bits(void **state)
{
    uint64_t random = 3;

    for (int clips = 0; clips < 2; clips++)
        for (int finite = 0; finite < 2; finite++) {
            scored m;

            begin_plans(&m, true, clips);
            for (size_t c = 0; c < FEATURES; c++)
                for (size_t r = 0; r < MOST_ROWS; r++)
                    cells[c][r] = test_random(&random) % 100 ? any_number(&random, true) * 1e-54
                                                             : any_number(&random, finite) * (finite ? 1 : 1e200);
            for (size_t rows = 1; rows <= MOST_ROWS; rows += EVERY)
                score_both(&m, rows);
            end_plans(&m);
        }
}

/* The run computes with 0 instead, so that the rows beside them are summed as fast as without them. */
static void refused_numbers_are_0(const hbs_run *run, size_t first, size_t rows)
{
    const double *x = (const double *)(const void *)(run->scratch + run->plan->input.at * run->stride);

    for (size_t c = 0; c < FEATURES; c++)
        for (size_t r = 0; r < rows; r++)
            assert_true(x[c * run->stride + r] == (isfinite(cells[c][first + r]) ? cells[c][first + r] : 0));
}

static void refused_rows_have_no_result(void **state)
{
    uint64_t random = 4;
    scored m;

    begin_plans(&m, false, false);
    for (size_t c = 0; c < FEATURES; c++)
        for (size_t r = 0; r < MOST_ROWS; r++)
            cells[c][r] = test_random(&random) % 64 ? any_number(&random, true) : c % 2 ? NAN : -INFINITY;
    score_both(&m, MOST_ROWS);
    score_both(&m, 50);
    refused_numbers_are_0(m.blocks[0], 0, 50);
    refused_numbers_are_0(m.ones[0], 49, 1);
    end_plans(&m);
}

static void a_blas_is_not_given_sparse_sums(void **state)
{
    plain_blas plain = {0};
    hbs_blas blas = plain_blas_of(&plain);
    scored m;

    begin_plans(&m, false, false);
    for (size_t c = 0; c < FEATURES; c++)
        for (size_t r = 0; r < MOST_ROWS; r++)
            cells[c][r] = (double)(c * r % 17);
    assert_status(hbs_run_use_blas(m.blocks[0], &blas, &m.error), HBS_OK, &m.error);
    score_both(&m, MOST_ROWS);
    assert_int_equal(plain.entries, 0);
    end_plans(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_bits_of_dense_ones),
        cmocka_unit_test(one_cell_that_is_not_finite_is_seen),
        cmocka_unit_test(the_host_is_asked_in_between),
        cmocka_unit_test(weights_of_0_are_dropped),
        cmocka_unit_test(only_sums_that_are_sparse_enough_are_replaced),
        cmocka_unit_test(sums_of_few_columns_stay),
        cmocka_unit_test(infinite_weights_stay),
        cmocka_unit_test(sums_that_no_output_needs_stay),
        cmocka_unit_test(a_column_without_weight_keeps_its_0),
        cmocka_unit_test(without_memory_the_pass_is_an_error),
        cmocka_unit_test(plans_give_the_same_bits),
        cmocka_unit_test(refused_rows_have_no_result),
        cmocka_unit_test(a_blas_is_not_given_sparse_sums),
    };

    return cmocka_run_group_tests(tests, draw_weights, NULL);
}
