/* test_every_operator.c - each operator with numbers of float32 and of float64: those that it has a kernel for become
 * what plain C makes of them, the others are refused. And a pipeline that is put behind the operators of another. */
#include "models.h"

#include <math.h>
#include <string.h>

#include "every_operator.h"

enum { WIDTH = 8, MOST_WIDTH = 2 * WIDTH + 1, ROWS = 130 };

static double cells[WIDTH][ROWS];
static hbs_column columns[WIDTH];

/* Numbers of which each operator does something else; none is missing. */
static int draw_cells(void **state)
{
    static const double numbers[] = {-1, 2, 0, 1, 3.25, -2.5, 0.1, 1e-36, 0.5, 4, -0.75, 1.5};
    uint64_t random = 5;

    (void)state;
    for (size_t f = 0; f < WIDTH; f++) {
        columns[f] = (hbs_column){HBS_FLOAT64, cells[f], NULL};
        for (size_t r = 0; r < ROWS; r++)
            cells[f][r] = numbers[test_random(&random) % (sizeof(numbers) / sizeof(numbers[0]))];
    }
    return 0;
}

typedef struct scored {
    test_host host;
    test_pipeline p;
    hbs_plan *plan;
    hbs_run *run;
    hbs_error error;
    hbs_result result;
    size_t width; /* of the values */
} scored;

static scored m;

static void begin(size_t width, bool wide)
{
    memset(&m, 0, sizeof(m));
    test_host_init(&m.host);
    test_pipeline_begin(&m.p, &m.host.host, width);
    m.p.pipeline.wide = wide;
}

static void score(size_t rows)
{
    m.width = hb_pipeline_width(&m.p.pipeline, m.p.pipeline.values);
    assert_status(hbs_score(m.run, columns, m.p.pipeline.n_features, rows, HBS_OUT_VALUES, &m.result, &m.error), HBS_OK,
                  &m.error);
    assert_int_equal(m.result.rows, rows);
}

static void compile(void)
{
    m.plan = test_pipeline_compile(&m.p, 0);
    m.run = test_run(&m.host.host, m.plan, ROWS);
}

static void end_pipeline(void)
{
    hbs_run_free(m.run);
    hbs_plan_free(m.plan);
    test_pipeline_end(&m.p);
}

static void end(void)
{
    end_pipeline();
    test_host_end(&m.host);
}

/* ---- operators and dtypes */

/* Exact operators have the bits, but where what is exact was rounded to float32 by another way. */
static bool is_same(const every_operator *op, bool wide, double found, double expected)
{
    double ulps = !wide ? 64 * 0x1p-24 : op->closeness == EVERY_CLOSE ? 64 * 0x1p-53 : 0;

    if (wide && strstr(op->name, "32")) /* computes in float32 */
        ulps = 16 * 0x1p-24;
    return found == expected || (isnan(found) && isnan(expected)) ||
           fabs(found - expected) <= ulps * fmax(1, fabs(expected));
}

static void check_row(const every_operator *op, size_t r, bool wide)
{
    double x[WIDTH], y[MOST_WIDTH];
    size_t n = m.p.pipeline.n_features;

    for (size_t f = 0; f < n; f++)
        y[f] = x[f] = wide ? cells[f][r] : (double)(float)cells[f][r];
    if (op->expect)
        op->expect(x, n, y);
    for (size_t c = 0; c < m.width; c++)
        if (!is_same(op, wide, m.result.values[r * m.width + c], y[c]))
            fail_msg("%s in float%d: row %zu, number %zu is %.17g, expected %.17g", op->name, wide ? 64 : 32, r, c,
                     m.result.values[r * m.width + c], y[c]);
}

static void each_operator_has_the_kernels_that_it_states(void **state)
{
    for (size_t i = 0; i < every_operator_count(); i++)
        for (int wide = 0; wide < 2; wide++) {
            const every_operator *op = every_operator_at(i);
            size_t width = op->takes ? op->takes : WIDTH;

            begin(width, wide);
            m.p.pipeline.values = every_operator_add(&m.p, i, 1, width, wide);
            if (op->dtypes & (wide ? EVERY_FLOAT64 : EVERY_FLOAT32)) {
                compile();
                score(ROWS);
                assert_int_equal(m.width, every_operator_width(i, width));
                for (size_t r = 0; r < ROWS; r++)
                    check_row(op, r, wide);
            } else if (hb_pipeline_seal(&m.p.pipeline, &m.error) != HBS_E_INTERNAL) {
                fail_msg("%s in float%d is not refused", op->name, wide ? 64 : 32);
            }
            end();
        }
}

/* The type of the numbers before is that of an operator, too: not of the table alone. */
static void what_narrows_decides_for_those_behind_it(void **state)
{
    for (size_t i = 0; i < every_operator_count(); i++) {
        const every_operator *op = every_operator_at(i);
        size_t width = op->takes ? op->takes : WIDTH, narrow;
        bool takes = op->dtypes & EVERY_FLOAT32;

        begin(width, true);
        narrow = test_add(&m.p, NARROW, narrow, 1, .needs_finite = false);
        m.p.pipeline.values = every_operator_add(&m.p, i, narrow, width, false);
        if (hb_pipeline_seal(&m.p.pipeline, &m.error) != (takes ? HBS_OK : HBS_E_INTERNAL))
            fail_msg("%s behind a narrowing", op->name);
        end();
    }
}

/* Trees on `input` whose sums start from it too. */
static size_t add_started_forest(test_pipeline *p, size_t input, size_t width)
{
    for (size_t i = 0; i < every_operator_count(); i++)
        if (strstr(every_operator_at(i)->name, "set_forest_start"))
            return every_operator_add(p, i, input, width, true);
    return 0;
}

/* Makes `other` the second input of the last operator. */
static void set_second_input(size_t other)
{
    test_pipeline_last(&m.p)->inputs[1] = (uint32_t)other;
}

static void break_start(void)
{
    size_t start = test_add(&m.p, NARROW, narrow, 1, .needs_finite = false);

    m.p.pipeline.values = add_started_forest(&m.p, 1, WIDTH);
    set_second_input(start);
}

static void break_start_of_table(void)
{
    m.p.pipeline.values = add_started_forest(&m.p, 1, WIDTH);
    set_second_input(0);
}

/* Which may be the same node, but none behind. */
static void break_start_of_itself(void)
{
    m.p.pipeline.values = add_started_forest(&m.p, 1, WIDTH);
    set_second_input(m.p.pipeline.values);
}

static void break_variance(void)
{
    m.p.pipeline.values = test_pipeline_link(&m.p, 1, HB_LINK_VARIANCE); /* not of two numbers */
}

static void break_link(void)
{
    m.p.pipeline.values = test_pipeline_link(&m.p, 1, (hb_link_kind)(HB_LINK_DIFFERENCE + 1));
}

static void break_concat(void)
{
    size_t narrow = test_add(&m.p, NARROW, narrow, 1, .needs_finite = false);

    m.p.pipeline.values =
        hb_pipeline_add_of(&m.p.pipeline, HB_OPERATOR_CONCAT, (const uint32_t[]){1, (uint32_t)narrow}, 2, NULL);
}

static void break_concat_of_nothing(void)
{
    m.p.pipeline.values = hb_pipeline_add_of(&m.p.pipeline, HB_OPERATOR_CONCAT, NULL, 0, NULL);
}

static void other_inputs_have_the_type_too(void **state)
{
    void (*const breaks[])(void) = {break_start, break_start_of_table, break_start_of_itself,  break_variance,
                                    break_link,  break_concat,         break_concat_of_nothing};

    for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
        begin(WIDTH, true);
        breaks[i]();
        if (hb_pipeline_seal(&m.p.pipeline, &m.error) != HBS_E_INTERNAL)
            fail_msg("break %zu", i);
        end();
    }
}

/* ---- a pipeline behind another's operators */

/* x and its rounding side by side, then trees whose sums start from both. */
static size_t add_some(test_pipeline *p, size_t input)
{
    const uint32_t inputs[2] = {(uint32_t)input, (uint32_t)test_add_plain(p, ROUND, input)};

    return add_started_forest(p, hb_pipeline_add_of(&p->pipeline, HB_OPERATOR_CONCAT, inputs, 2, NULL), 4);
}

static size_t add_shift(test_pipeline *p)
{
    static const double shift[] = {3, 4};

    return test_add(p, SCALE, scale, 1, .scaling = HB_SCALE_SHIFT, .shift = shift);
}

static void score_grafted(double *values)
{
    test_pipeline inner;
    size_t before, input, value;

    begin(2, true);
    test_pipeline_begin(&inner, &m.host.host, 2);
    value = add_some(&inner, 1);
    input = add_shift(&m.p);
    input = test_add(&m.p, CLIP, clip, input, .limits = {-9, 9});
    before = hb_pipeline_graft(&m.p.pipeline, &inner.pipeline, input);
    assert_int_equal(before, 4); /* with the table */
    assert_int_equal(hb_pipeline_grafted(0, input, before), 0);
    assert_int_equal(hb_pipeline_grafted(1, input, before), input);
    m.p.pipeline.values = hb_pipeline_grafted(value, input, before);
    compile();
    score(ROWS);
    memcpy(values, m.result.values, ROWS * m.width * sizeof(*values));
    end_pipeline();
    inner.pipeline.graph.nodes.count = 0; /* its forest was the other's */
    test_pipeline_end(&inner);
    test_host_end(&m.host);
}

static void all_inputs_of_a_grafted_operator_are_moved(void **state)
{
    static double values[ROWS * 4];

    score_grafted(values);
    begin(2, true);
    m.p.pipeline.values = add_some(&m.p, add_shift(&m.p));
    compile();
    score(ROWS);
    assert_int_equal(m.width, 4);
    assert_memory_equal(m.result.values, values, sizeof(values));
    assert_true(values[0] == cells[0][0] - 3 + (cells[0][0] - 3 > 0.75 ? 2 : 1));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operator_has_the_kernels_that_it_states),
        cmocka_unit_test(what_narrows_decides_for_those_behind_it),
        cmocka_unit_test(other_inputs_have_the_type_too),
        cmocka_unit_test(all_inputs_of_a_grafted_operator_are_moved),
    };

    return cmocka_run_group_tests(tests, draw_cells, NULL);
}
