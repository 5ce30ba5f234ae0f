/* test_argmax_softmax.c - the argmax of a softmax, told from the raw scores, is that of the softmax itself: over
 * millions of rows that nearly tie, over all rows of special numbers, in both dtypes, on each isa, and through a plan.
 */
#include "models.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "op/execution.h"

enum { WIDTH = 6, STRIDE = 70, ROWS = 64 };

/* A tile of numbers of either dtype. */
typedef struct tile {
    hb_dtype dtype;
    size_t width, stride, rows;
    union {
        float narrow[WIDTH * STRIDE];
        double wide[WIDTH * STRIDE];
    } in;
} tile;

static void put(tile *t, size_t r, size_t c, double x)
{
    if (t->dtype == HB_DTYPE_FLOAT64)
        t->in.wide[c * t->stride + r] = x;
    else
        t->in.narrow[c * t->stride + r] = (float)x;
}

static double number_at(const tile *t, const void *numbers, size_t i)
{
    return t->dtype == HB_DTYPE_FLOAT64 ? ((const double *)numbers)[i] : (double)((const float *)numbers)[i];
}

static double get(const tile *t, size_t r, size_t c)
{
    return number_at(t, &t->in, c * t->stride + r);
}

static void evaluate(hb_operator_kind kind, const hb_kernels *kernels, const tile *t, const void *in, void *out)
{
    assert_true(hb_evaluate(&(hb_call){.evaluate = hb_evaluators[kind],
                                       .kernels = kernels,
                                       .dtype = t->dtype,
                                       .stride = t->stride,
                                       .rows = t->rows,
                                       .input_width = t->width,
                                       .width = kind == HB_OPERATOR_SOFTMAX ? t->width : 1,
                                       .input = in,
                                       .output = out}));
}

/* ---- what a tile's rows must give */

typedef struct count {
    size_t rows, rounded; /* rounded: the softmax has another first maximum than the scores */
} count;

static const double untouched = 12345;

static void check_rows(const tile *t, const double *expected, const double *found, const char *isa)
{
    for (size_t r = 0; r < t->stride; r++) {
        double got = number_at(t, found, r), want = r < t->rows ? number_at(t, expected, r) : untouched;

        if (got != want)
            fail_msg("%s, float%d, row %zu of %zu, width %zu: class %g, not %g; %a %a %a %a", isa,
                     t->dtype == HB_DTYPE_FLOAT64 ? 64 : 32, r, t->rows, t->width, got, want, get(t, r, 0),
                     t->width > 1 ? get(t, r, 1) : 0, t->width > 2 ? get(t, r, 2) : 0, t->width > 3 ? get(t, r, 3) : 0);
    }
}

/* By every isa. */
static void check(const tile *t, count *n)
{
    double softmax[WIDTH * STRIDE], plain[STRIDE], expected[STRIDE], found[STRIDE];
    const hb_kernels *kernels;

    evaluate(HB_OPERATOR_SOFTMAX, hb_kernels_at(0), t, &t->in, softmax);
    evaluate(HB_OPERATOR_ARGMAX, hb_kernels_at(0), t, softmax, expected);
    evaluate(HB_OPERATOR_ARGMAX, hb_kernels_at(0), t, &t->in, plain);
    for (size_t s = 0; (kernels = hb_kernels_at(s)) != NULL; s++) {
        for (size_t r = 0; r < STRIDE; r++)
            if (t->dtype == HB_DTYPE_FLOAT64)
                found[r] = untouched;
            else
                ((float *)found)[r] = (float)untouched;
        evaluate(HB_OPERATOR_ARGMAX_SOFTMAX, kernels, t, &t->in, found);
        check_rows(t, expected, found, kernels->name);
    }
    n->rows += t->rows;
    for (size_t r = 0; r < t->rows; r++)
        n->rounded += number_at(t, plain, r) != number_at(t, expected, r);
}

/* ---- rows that nearly tie */

static uint64_t random_bits = 1;

static double random_number(void)
{
    return (double)(test_random(&random_bits) >> 11) * 0x1p-53;
}

static double step(const tile *t, double x, int steps)
{
    for (; steps != 0; steps += steps < 0 ? 1 : -1) {
        double to = steps < 0 ? -INFINITY : INFINITY;

        x = t->dtype == HB_DTYPE_FLOAT64 ? nextafter(x, to) : (double)nextafterf((float)x, (float)to);
    }
    return x;
}

/* A number next to `base`: the same, some last bits beside it, about the guard's distance below, or far below. */
static double near_tie(const tile *t, double base)
{
    uint64_t draw = test_random(&random_bits);
    int first = t->dtype == HB_DTYPE_FLOAT64 ? -56 : -27;

    switch (draw % 8) {
    case 0:
        return base;
    case 1:
        return base - random_number() * 8;
    case 2:
    case 3:
        return step(t, base, (int)(draw >> 8) % 4);
    default:
        return base - ldexp(1 + random_number(), first + (int)(draw >> 8 & 15));
    }
}

static void draw_tile(tile *t)
{
    t->width = 2 + test_random(&random_bits) % (WIDTH - 1);
    t->stride = test_random(&random_bits) % 2 ? ROWS : STRIDE;
    t->rows = test_random(&random_bits) % 4 ? ROWS : 1 + test_random(&random_bits) % ROWS;
    for (size_t r = 0; r < t->rows; r++) {
        double base = ldexp(random_number() - 0.5, (int)(test_random(&random_bits) % 12) - 6);

        for (size_t c = 0; c < t->width; c++)
            put(t, r, c, near_tie(t, base));
    }
}

static void rows_that_nearly_tie_have_the_softmaxs_class(void **state)
{
    enum { TILES = 20000 / EVERY };

    for (int wide = 0; wide < 2; wide++) {
        count n = {0, 0};

        for (size_t i = 0; i < TILES; i++) {
            tile t = {.dtype = wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32};

            draw_tile(&t);
            check(&t, &n);
        }
        assert_true(n.rows > 1000000 / EVERY);
        assert_true(n.rounded > n.rows / 50); /* else nothing here needs the guard */
    }
}

/* ---- special numbers, in every combination */

static void all_rows_of_special_numbers(void **state)
{
    static const double wide[] = {
        NAN,          INFINITY, -INFINITY,       0.0,         -0.0, DBL_MAX, -DBL_MAX, DBL_MIN,
        DBL_TRUE_MIN, 1,        1 - DBL_EPSILON, 1 - 0x1p-48, 709};
    static const double narrow[] = {
        NAN,          INFINITY, -INFINITY,       0.0,         -0.0, FLT_MAX, -FLT_MAX, FLT_MIN,
        FLT_TRUE_MIN, 1,        1 - FLT_EPSILON, 1 - 0x1p-20, 88};
    enum { N = sizeof wide / sizeof *wide };
    size_t combinations = 1;

    for (size_t width = 1; width <= 4; width++) {
        combinations *= N;
        for (size_t first = 0; first < 2 * combinations; first += ROWS) {
            count n = {0, 0};
            tile t = {.dtype = first < combinations ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32,
                      .width = width,
                      .stride = STRIDE,
                      .rows = ROWS};

            for (size_t r = 0; r < ROWS; r++)
                for (size_t c = 0, rest = first + r; c < width; c++, rest /= N)
                    put(&t, r, c, t.dtype == HB_DTYPE_FLOAT64 ? wide[rest % N] : narrow[rest % N]);
            check(&t, &n);
            for (size_t r = 0; r < ROWS; r += width) {
                tile one = {.dtype = t.dtype, .width = width, .stride = 1, .rows = 1};

                for (size_t c = 0; c < width; c++)
                    put(&one, 0, c, get(&t, r, c));
                check(&one, &n);
            }
        }
    }
}

/* Columns that are neighbours have loops of their own. */
static void a_row_alone_is_a_row_of_a_tile(void **state)
{
    for (size_t i = 0; i < 60000 / EVERY; i++) {
        count n = {0, 0};
        tile t = {.dtype = i % 2 ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32, .stride = 1, .rows = 1};
        double base = random_number();

        t.width = 1 + test_random(&random_bits) % (WIDTH * STRIDE);
        if (i % 8)
            t.width = t.width % 40 + 1;
        for (size_t c = 0; c < t.width; c++)
            put(&t, 0, c, i % 64 == 5 && c == i / 64 % t.width ? NAN : near_tie(&t, base) - (double)(c % 3 > 0));
        check(&t, &n);
    }
}

/* ---- the guard itself */

static uint64_t near_rows(const hb_kernels *k, const tile *t)
{
    double out[STRIDE];

    if (t->dtype == HB_DTYPE_FLOAT64)
        return k->hb_argmax_apart64(&(hb_tile64){t->in.wide, out, t->width, t->stride, t->rows});
    return k->hb_argmax_apart32(&(hb_tile){t->in.narrow, (float *)out, t->width, t->stride, t->rows});
}

/* Which rows take the softmax: those with another number no further than the guard from the largest one. */
static void only_rows_in_doubt_take_the_softmax(void **state)
{
    for (int wide = 0; wide < 2; wide++) {
        const double guard = wide ? 0x1p-48 : 0x1p-20, epsilon = wide ? DBL_EPSILON : FLT_EPSILON;
        const struct {
            double x[3];
            bool near;
        } rows[] = {{{1, 1 - guard, 0}, true},
                    {{0, 1 - guard - epsilon, 1}, false},
                    {{1, 1, 1}, false},
                    {{0.0, -0.0, -1}, false},
                    {{1 - 3 * guard, 1 - guard, 1}, true},
                    {{2, 3, 3 - guard}, true},
                    {{2, 3, 3}, false},
                    {{NAN, 1, 2}, true},
                    {{1, 2, NAN}, true},
                    {{1, INFINITY, 2}, true},
                    {{-INFINITY, 1, -INFINITY}, false},
                    {{-INFINITY, -INFINITY, -INFINITY}, true},
                    {{1e30, -1e30, 0}, false}};
        enum { N = sizeof rows / sizeof *rows };
        tile t = {.dtype = wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32, .width = 3, .stride = STRIDE, .rows = N};

        for (size_t r = 0; r < N; r++)
            for (size_t c = 0; c < 3; c++)
                put(&t, r, c, rows[r].x[c]);
        for (size_t s = 0; hb_kernels_at(s); s++)
            for (size_t r = 0; r < N; r++) {
                tile one = {.dtype = t.dtype, .width = 3, .stride = 1, .rows = 1};

                for (size_t c = 0; c < 3; c++)
                    put(&one, 0, c, rows[r].x[c]);
                assert_int_equal(near_rows(hb_kernels_at(s), &t) >> r & 1, rows[r].near);
                assert_int_equal(near_rows(hb_kernels_at(s), &one), rows[r].near);
            }
    }
}

static bool stop(void *context)
{
    (*(size_t *)context)++;
    return true;
}

/* Else the scores' own class would be taken for an answer. */
static void a_softmax_that_the_host_stops_is_no_answer(void **state)
{
    for (int wide = 0; wide < 2; wide++)
        for (int near = 0; near < 2; near++) {
            size_t asked = 0;
            hb_work work = {.cancelled = stop, .context = &asked, .done = HB_WORK_A_POLL - 1};
            tile t = {.dtype = wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32, .width = 3, .stride = 1, .rows = 1};
            hb_call call = {.evaluate = hb_evaluators[HB_OPERATOR_ARGMAX_SOFTMAX],
                            .kernels = hb_kernels_at(0),
                            .dtype = t.dtype,
                            .stride = 1,
                            .rows = 1,
                            .input_width = 3,
                            .width = 1,
                            .input = &t.in,
                            .polls = &work};
            double out;

            call.output = &out;
            put(&t, 0, 1, 1);
            put(&t, 0, 2, near ? step(&t, 1, 1) : 2);
            assert_true(hb_evaluate(&call) == !near);
            assert_int_equal(asked, near);
        }
}

/* ---- through a plan */

typedef struct model {
    test_host host;
    test_pipeline p;
    hbs_plan *plan;
    hbs_run *block, *one;
} model;

/* Its features are the scores. */
static void model_begin(model *m, bool wide, uint32_t passes_off)
{
    test_host_init(&m->host);
    test_pipeline_begin(&m->p, &m->host.host, WIDTH);
    m->p.pipeline.wide = wide;
    m->p.pipeline.raw = 1;
    m->p.pipeline.probabilities = test_pipeline_link(&m->p, 1, HB_LINK_SOFTMAX);
    test_pipeline_classes(&m->p, WIDTH);
    m->p.pipeline.label = test_pipeline_head(&m->p, m->p.pipeline.probabilities, HB_HEAD_ARGMAX, 0);
    m->plan = test_pipeline_compile(&m->p, passes_off);
    m->block = test_run(&m->host.host, m->plan, 1000);
    m->one = test_run(&m->host.host, m->plan, 1);
}

static void model_end(model *m)
{
    hbs_run_free(m->block);
    hbs_run_free(m->one);
    hbs_plan_free(m->plan);
    test_pipeline_end(&m->p);
    test_host_end(&m->host);
}

static double cells[WIDTH][1000];

static void labels_of(const model *m, uint32_t outputs, int32_t *labels)
{
    hbs_column columns[WIDTH];
    hbs_result result;
    hbs_error error;

    for (size_t c = 0; c < WIDTH; c++)
        columns[c] = (hbs_column){HBS_FLOAT64, cells[c], NULL};
    assert_status(hbs_score(m->block, columns, WIDTH, 1000, outputs, &result, &error), HBS_OK, &error);
    memcpy(labels, result.label, 1000 * sizeof(*labels));
    for (size_t r = 0; r < 1000; r++) {
        double row[WIDTH];

        for (size_t c = 0; c < WIDTH; c++)
            row[c] = cells[c][r];
        assert_status(hbs_score_numbers(m->one, row, WIDTH, outputs, &result, &error), HBS_OK, &error);
        assert_int_equal(result.label[0], labels[r]);
    }
}

static void a_label_is_the_same_alone_and_without_passes(void **state)
{
    for (int wide = 0; wide < 2; wide++) {
        const tile like = {.dtype = wide ? HB_DTYPE_FLOAT64 : HB_DTYPE_FLOAT32};
        int32_t expected[1000], found[1000];
        model on, off;

        for (size_t r = 0; r < 1000; r++)
            for (size_t c = 0, base = r % 7; c < WIDTH; c++)
                cells[c][r] = r % 97 == 13 && c == r % WIDTH ? NAN : near_tie(&like, (double)base / 3);
        model_begin(&on, wide, 0);
        model_begin(&off, wide, HBS_PASS_ELIMINATE_REDUNDANT);
        labels_of(&off, HBS_OUT_LABEL, expected);
        labels_of(&on, HBS_OUT_LABEL, found);
        assert_memory_equal(found, expected, sizeof(expected));
        labels_of(&on, HBS_OUT_LABEL | HBS_OUT_PROBABILITIES, found);
        assert_memory_equal(found, expected, sizeof(expected));
        model_end(&on);
        model_end(&off);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_nearly_tie_have_the_softmaxs_class),
        cmocka_unit_test(all_rows_of_special_numbers),
        cmocka_unit_test(a_row_alone_is_a_row_of_a_tile),
        cmocka_unit_test(only_rows_in_doubt_take_the_softmax),
        cmocka_unit_test(a_softmax_that_the_host_stops_is_no_answer),
        cmocka_unit_test(a_label_is_the_same_alone_and_without_passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
