/* test_blas.c - products by a BLAS of the host: which ones it is given, with what, and what comes of a BLAS
 * that takes none or is interrupted. test_blas_pairs.c has the products beside every other operator. */
#include "models.h"

#include <math.h>
#include <string.h>

#include "own_writer.h"
#include "plain_blas.h"

enum { MOST_ROWS = 200, MOST_SIDE = 1030, LAYERS = (int)PLAIN_BLAS_TURNS };

/* ---- a model of one product, whose sums are whole numbers and so the same in any order */

typedef struct model {
    test_host host;
    hbs_plan *plan;
    hbs_run *run;
    plain_blas plain;
    size_t inputs, outputs;
    bool narrow; /* the numbers are cast to float32 before */
    hbs_error error;
} model;

static model m;
static bool with_relu; /* behind the product */
static double weights[MOST_SIDE * 33], bias[MOST_SIDE], cells[MOST_SIDE][MOST_ROWS];
static hbs_column columns[MOST_SIDE];

static void use(bool blas)
{
    hbs_blas with = plain_blas_of(&m.plain);

    assert_status(hbs_run_use_blas(m.run, blas ? &with : NULL, &m.error), HBS_OK, &m.error);
}

static const char *document(void)
{
    return own_transformer(m.inputs, (m.narrow ? 2 : 1) + with_relu,
                           own_text("%s{\"op\":\"linear\",\"in\":[%d],\"coef\":%s,\"intercept\":%s}%s%s",
                                    m.narrow ? CAST("0") "," : "", m.narrow, own_matrix(m.outputs, m.inputs, weights),
                                    own_array("f8", 8, m.outputs, bias), with_relu ? "," : "",
                                    !with_relu ? "" : own_link("relu", m.narrow ? "2" : "1")));
}

static void begin_with(size_t inputs, size_t outputs, bool narrow, double unit)
{
    uint64_t random = inputs * 1000 + outputs;

    memset(&m, 0, sizeof m);
    m.narrow = narrow;
    m.inputs = inputs;
    m.outputs = outputs;
    for (size_t i = 0; i < inputs * outputs; i++)
        weights[i] = (double)(test_random(&random) % 17) * unit - 8;
    for (size_t o = 0; o < outputs; o++)
        bias[o] = (double)(test_random(&random) % 9) - 4;
    for (size_t i = 0; i < inputs; i++) {
        columns[i] = (hbs_column){HBS_FLOAT64, cells[i], NULL};
        for (size_t r = 0; r < MOST_ROWS; r++)
            cells[i][r] = (double)(test_random(&random) % 33) - 16;
    }
    test_host_init(&m.host);
    m.plan = test_compile(&m.host.host, document(), NULL);
    m.run = test_run(&m.host.host, m.plan, MOST_ROWS);
    use(true);
}

static void begin(size_t inputs, size_t outputs)
{
    begin_with(inputs, outputs, false, 1);
}

static void end(void)
{
    assert_false(m.plain.entered);
    hbs_run_free(m.run);
    hbs_plan_free(m.plan);
    test_host_end(&m.host);
    own_reset();
}

static void check_sums(const hbs_result *result, size_t rows)
{
    assert_int_equal(result->rows, rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t o = 0; o < m.outputs; o++) {
            double sum = bias[o];

            for (size_t i = 0; i < m.inputs; i++)
                sum += cells[i][r] * weights[o * m.inputs + i];
            sum = with_relu && sum < 0 ? 0 : sum;
            if (result->transform[r * m.outputs + o] != sum)
                fail_msg("row %zu, output %zu", r, o);
        }
}

static void score(size_t rows)
{
    hbs_result result;

    assert_status(hbs_score(m.run, columns, m.inputs, rows, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
    check_sums(&result, rows);
}

/* Where sums are not whole. */
static void score_close(size_t rows)
{
    hbs_result result;

    assert_status(hbs_score(m.run, columns, m.inputs, rows, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
    assert_int_equal(result.rows, rows);
}

/* ---- tests */

/* Tiles of 64 rows; a rest of 3 rows, a row by itself, and a run without a BLAS are not its matter. */
static void large_products(void **state)
{
    hbs_value row[40];
    hbs_result result;

    begin(40, 33);
    score(MOST_ROWS);
    assert_int_equal(m.plain.entries, 4);
    assert_int_equal(m.plain.rows, MOST_ROWS);
    assert_int_equal(m.plain.sums, MOST_ROWS * 40 * 33);
    score(64 + 3);
    score(3);
    assert_int_equal(m.plain.rows, MOST_ROWS + 64);
    score(4);
    assert_int_equal(m.plain.rows, MOST_ROWS + 64 + 4);
    for (size_t i = 0; i < 40; i++)
        row[i] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = cells[i][0]};
    assert_status(hbs_score_row(m.run, row, 40, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
    check_sums(&result, 1);
    use(false);
    score(MOST_ROWS);
    assert_int_equal(m.plain.entries, 6);
    end();
}

static void small_products(void **state)
{
    static const size_t sides[][2] = {{31, 33}, {33, 31}, {5, 3}, {300, 1}};

    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        begin(sides[i][0], sides[i][1]);
        score(MOST_ROWS);
        assert_int_equal(m.plain.entries, 0);
        end();
    }
}

/* In float32 where the library sums in it: behind a cast, by weights that are float32. In pieces too. */
static void narrow_products(void **state)
{
    static const size_t sides[][3] = {{20, 100, 4}, {100, 3, 1}, {300, 40, 4}, {15, 17, 0}, {300, 2, 0}};

    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        begin_with(sides[i][0], sides[i][1], true, 1);
        score(64 + 3);
        assert_int_equal(m.plain.narrow, sides[i][2]);
        score(30);
        assert_int_equal(m.plain.narrow, 2 * sides[i][2]);
        assert_int_equal(m.plain.products, 0);
        end();
    }
    begin_with(40, 40, true, 1 + 0x1p-40); /* these are not */
    assert_true((double)(float)weights[1] != weights[1] || (double)(float)weights[2] != weights[2]);
    score_close(64);
    assert_int_equal(m.plain.narrow, 0);
    assert_int_equal(m.plain.entries, 1);
    end();
}

static hbs_status use_it(const hbs_host *host, void *context, hbs_error *error)
{
    hbs_blas with = plain_blas_of(&m.plain);
    hbs_run *run;
    hbs_status status = hbs_run_create(m.plan, host, "m", 64, &run, error);

    if (status != HBS_OK)
        return status;
    status = hbs_run_use_blas(run, &with, error);
    hbs_run_free(run);
    return status;
}

static void each_allocation_fails(void **state)
{
    begin(32, 32);
    test_each_allocation_fails(use_it, NULL);
    end();
}

/* Any call may be refused: our kernel does the same. */
static void a_blas_in_use(void **state)
{
    begin(32, 32);
    m.plain.refuses = true;
    score(MOST_ROWS);
    assert_int_equal(m.plain.entries, 0);
    m.plain.refuses = false;
    score(MOST_ROWS);
    assert_int_equal(m.plain.entries, 4);
    end();
}

/* In pieces of less than a millisecond, between which the host is asked; a cancelled product is left. */
static void products_in_pieces(void **state)
{
    hbs_result result;
    size_t polls;

    begin(1030, 32);
    score(64);
    assert_int_equal(m.plain.entries, 1);
    assert_true(m.plain.products == 2 && m.plain.most <= 1 << 22);
    polls = m.host.polls;
    score(64);
    polls = m.host.polls - polls;
    assert_true(polls >= 2);
    for (size_t at = 1; at <= polls; at++) {
        m.host.cancel_at = m.host.polls + at;
        assert_status(hbs_score(m.run, columns, m.inputs, 64, HBS_OUT_TRANSFORM, &result, &m.error), HBS_E_CANCEL,
                      &m.error);
        assert_false(m.plain.entered);
    }
    m.host.cancel_at = 0;
    score(64);
    end();
}

/* A row that is refused changes none beside it. */
static void numbers_that_are_none(void **state)
{
    hbs_result result;

    begin(33, 32);
    cells[7][2] = NAN;
    cells[5][60] = INFINITY;
    assert_status(hbs_score(m.run, columns, 33, 64, HBS_OUT_TRANSFORM, &result, &m.error), HBS_OK, &m.error);
    assert_int_equal(m.plain.entries, 1);
    for (size_t r = 0; r < 64; r++)
        assert_true((r == 2 || r == 60) || ((result.valid[0] >> r & 1) && isfinite(result.transform[r * 32 + 3])));
    end();
}

/* hbscore_plan's lines say which products a BLAS may get. */
static void described(void **state)
{
    static const size_t sides[][2] = {{32, 32}, {31, 32}};

    for (size_t i = 0; i < 2; i++) {
        const hbs_plan_line *line;
        hbs_description *description;
        hbs_model *loaded;
        size_t said = 0;

        begin(sides[i][0], sides[i][1]);
        loaded = test_load(&m.host.host, document(), NULL);
        assert_status(hbs_plan_describe(loaded, NULL, &description, &m.error), HBS_OK, &m.error);
        hbs_model_free(loaded);
        for (size_t k = 0; (line = hbs_description_line(description, k)) != NULL; k++) {
            bool step = strcmp(line->stage, "plan") == 0 && strcmp(line->name, "dense") == 0;

            assert_string_equal(step ? line->strategy : "", line->strategy);
            assert_true(line->blas == (step && i == 0));
            said += step && strcmp(line->strategy, "exact") == 0;
        }
        assert_int_equal(said, 1);
        hbs_description_free(description);
        end();
    }
}

/* What a perceptron does with its sums is done as they are made: by the BLAS, in float32 by it, and without it. */
static void clipped_products(void **state)
{
    static const size_t sides[][2] = {{40, 33}, {3, 100}, {300, 70}};

    with_relu = true;
    for (size_t i = 0; i < 6; i++) {
        begin_with(sides[i / 2][0], sides[i / 2][1], i % 2, 1);
        score(MOST_ROWS);
        score(3);
        score(1);
        use(false);
        score(MOST_ROWS);
        score(1);
        assert_int_equal(m.plain.narrow > 0, i % 2);
        end();
    }
    with_relu = false;
}

/* ---- products of products: one layer of a perceptron feeds the next in float32 */

enum { SIDE = 16 }; /* of each layer: the places of their numbers come again */

typedef enum readers { NEXT_LAYER, RESULT_TOO, TRANSFORM_TOO } readers;

/* Behind value `in`: LAYERS products with a relu behind each, or none; the number of the last value. */
static size_t add_layers(const char **ops, bool relu, size_t in)
{
    for (size_t k = 0; k < LAYERS; k++) {
        *ops = own_text("%s,{\"op\":\"linear\",\"in\":[%zu],\"coef\":%s,\"intercept\":%s}", *ops, in,
                        own_matrix(SIDE, SIDE, weights + 3 * k), own_array("f8", 8, SIDE, bias + k));
        in++;
        if (relu)
            *ops = own_text("%s,%s", *ops, own_link("relu", own_text("%zu", in++)));
    }
    return in;
}

static const char *layers(bool relu, readers r)
{
    const char *ops = CAST("0");
    size_t last = add_layers(&ops, relu, 1), hidden = last - (relu ? 2 : 1);

    if (r == NEXT_LAYER)
        return own_transformer(m.inputs, last, ops);
    if (r == RESULT_TOO)
        return own_transformer(m.inputs, last + 1,
                               own_text("%s,{\"op\":\"concat\",\"in\":[%zu,%zu]}", ops, hidden, last));
    ops = own_text("%s,{\"op\":\"linear\",\"in\":[%zu],\"coef\":%s,\"intercept\":%s}", ops, last,
                   own_matrix(1, SIDE, weights), own_array("f8", 8, 1, bias));
    return own_with_transform(own_regressor(m.inputs, ops), hidden);
}

static void begin_layers(bool relu, readers r)
{
    begin_with(SIDE, SIDE, false, 1);
    hbs_run_free(m.run);
    hbs_plan_free(m.plan);
    m.plan = test_compile(&m.host.host, layers(relu, r), NULL);
    m.run = test_run(&m.host.host, m.plan, MOST_ROWS);
}

/* The results of our own kernel, as all sums are whole numbers. */
static void score_layers(size_t rows, uint32_t output, size_t width)
{
    static double expected[MOST_ROWS * 2 * SIDE];
    hbs_result result;

    for (size_t turn = 0; turn < 2; turn++) {
        const double *made;

        use(turn == 1);
        assert_status(hbs_score(m.run, columns, m.inputs, rows, output, &result, &m.error), HBS_OK, &m.error);
        assert_int_equal(result.rows, rows);
        made = output == HBS_OUT_TRANSFORM ? result.transform : result.value;
        if (turn == 0)
            memcpy(expected, made, rows * width * sizeof(double));
        assert_memory_equal(expected, made, rows * width * sizeof(double));
    }
}

/* A hidden layer is read by the next one alone, is a part of the result, or a result itself. */
static void products_of_products(void **state)
{
    static const size_t widths[] = {[NEXT_LAYER] = SIDE, [RESULT_TOO] = 2 * SIDE, [TRANSFORM_TOO] = SIDE};

    for (size_t i = 0; i < 6; i++) {
        readers r = (readers)(i / 2);

        begin_layers(i % 2, r);
        for (size_t rows = 1; rows <= MOST_ROWS; rows += rows < 70 ? 1 : 59) {
            score_layers(rows, HBS_OUT_TRANSFORM, widths[r]);
            if (r == TRANSFORM_TOO)
                score_layers(rows, HBS_OUT_VALUE, 1);
        }
        assert_true(m.plain.narrow > 0);
        end();
    }
}

/* A BLAS that takes some products and others not. */
static void products_that_are_refused(void **state)
{
    for (size_t relu = 0; relu < 2; relu++) {
        begin_layers(relu, NEXT_LAYER);
        for (size_t refused = 0; refused < 1 << LAYERS; refused++) {
            m.plain.refused = refused;
            m.plain.asked = 0;
            score_layers(64, HBS_OUT_TRANSFORM, SIDE);
            score_layers(5, HBS_OUT_TRANSFORM, SIDE);
        }
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_products),
        cmocka_unit_test(products_that_are_refused),
        cmocka_unit_test(large_products),
        cmocka_unit_test(clipped_products),
        cmocka_unit_test(small_products),
        cmocka_unit_test(a_blas_in_use),
        cmocka_unit_test(products_in_pieces),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(described),
        cmocka_unit_test(narrow_products),
        cmocka_unit_test(each_allocation_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
