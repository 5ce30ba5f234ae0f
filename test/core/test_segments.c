/* test_segments.c - sums of the weights that categories pick, of every instruction set that this CPU has: the bits of
 * plain C, and of a sum of explicit one-hot columns. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernels.h"
#include "support.h"

enum { INPUTS = 3, MOST_SEGMENTS = 6, MOST_PICKED = 40, MOST_COLUMNS = 5, MOST_OUTPUTS = 6, ROWS = 64 };

static uint64_t state = 20252;

static size_t below(size_t n)
{
    return (size_t)(test_random(&state) % n);
}

static double any_number(void)
{
    static const double special[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, DBL_MAX, 5e-324, 1e300, -3.7e9, 4.3e9};

    if (below(8) == 0)
        return special[below(sizeof(special) / sizeof(special[0]))];
    return (double)(int64_t)test_random(&state) * 0x1p-61;
}

static double any_weight(void)
{
    double x = any_number();

    return isfinite(x) ? x : -0.0;
}

/* NaN is NaN: nothing shows which. */
static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

/* Blocks of just their size, so that the sanitizer sees what is read behind them. */
static double *numbers(size_t n)
{
    double *made = malloc(n * sizeof(*made));

    assert_non_null(made);
    return made;
}

/* ---- sums */

typedef struct sums {
    size_t stride, rows, outputs, n_weights;
    hb_segment segments[MOST_SEGMENTS];
    size_t n_segments;
    double *inputs[INPUTS]; /* [widths][stride] */
    double *weights, *bias; /* [outputs][n_weights] */
    double *columns;        /* the same, explicitly: [n_weights][stride] */
} sums;

static double *column_at(const sums *s, const hb_segment *segment, size_t c)
{
    return s->inputs[segment->input] + (segment->first + c) * s->stride;
}

/* Segments of all kinds, in inputs whose columns they name one behind the other. */
static void draw_segments(sums *s)
{
    size_t widths[INPUTS] = {0};

    s->n_segments = 1 + below(MOST_SEGMENTS);
    for (size_t i = 0; i < s->n_segments; i++) {
        hb_segment *segment = &s->segments[i];
        uint32_t input = (uint32_t)below(INPUTS), picks = below(3) > 0;
        uint32_t n = 1 + (uint32_t)below(picks ? MOST_PICKED : MOST_COLUMNS);

        *segment = (hb_segment){input, (uint32_t)widths[input], picks ? 1 : n, n, picks};
        widths[input] += segment->n_columns;
        s->n_weights += n;
    }
    for (size_t k = 0; k < INPUTS; k++)
        s->inputs[k] = numbers(widths[k] * s->stride);
}

/* Numbers that pick in the rows; anything behind them. */
static void draw_numbers(sums *s)
{
    for (size_t i = 0; i < s->n_segments; i++)
        for (size_t c = 0; c < s->segments[i].n_columns; c++)
            for (size_t r = 0; r < s->stride; r++)
                column_at(s, &s->segments[i], c)[r] =
                    s->segments[i].picks && r < s->rows ? (double)below(s->segments[i].n_weights) : any_number();
    s->weights = numbers(s->outputs * s->n_weights);
    s->bias = numbers(s->outputs);
    for (size_t i = 0; i < s->outputs * s->n_weights; i++)
        s->weights[i] = any_weight();
    for (size_t o = 0; o < s->outputs; o++)
        s->bias[o] = any_number();
}

/* A column for each weight: 1 where a number picks it, else 0. */
static void make_columns(sums *s)
{
    double *to = s->columns = numbers(s->n_weights * s->stride);

    for (size_t i = 0; i < s->n_segments; i++)
        for (size_t w = 0; w < s->segments[i].n_weights; w++)
            for (size_t r = 0; r < s->stride; r++)
                *to++ = s->segments[i].picks ? column_at(s, &s->segments[i], 0)[r] == (double)w
                                             : column_at(s, &s->segments[i], w)[r];
}

static void draw(sums *s, size_t rows, size_t stride, size_t outputs)
{
    *s = (sums){.stride = stride, .rows = rows, .outputs = outputs};
    draw_segments(s);
    draw_numbers(s);
    make_columns(s);
}

static void end(sums *s)
{
    for (size_t k = 0; k < INPUTS; k++)
        free(s->inputs[k]);
    free(s->weights);
    free(s->bias);
    free(s->columns);
}

static double sum_plainly(const sums *s, size_t r, size_t o)
{
    const double *weights = s->weights + o * s->n_weights;
    double sum = 0;

    for (size_t i = 0; i < s->n_segments; i++) {
        const hb_segment *segment = &s->segments[i];

        if (segment->picks)
            sum += weights[(size_t)column_at(s, segment, 0)[r]];
        for (size_t c = 0; !segment->picks && c < segment->n_columns; c++) {
            double product = column_at(s, segment, c)[r] * weights[c];

            sum += product;
        }
        weights += segment->n_weights;
    }
    return sum + s->bias[o];
}

/* In float32, by fused products. */
static double sum_fused(const sums *s, size_t r, size_t o)
{
    const double *weights = s->weights + o * s->n_weights;
    float sum = 0;

    for (size_t i = 0; i < s->n_segments; i++) {
        const hb_segment *segment = &s->segments[i];

        if (segment->picks)
            sum += (float)weights[(size_t)column_at(s, segment, 0)[r]];
        for (size_t c = 0; !segment->picks && c < segment->n_columns; c++)
            sum = fmaf((float)column_at(s, segment, c)[r], (float)weights[c], sum);
        weights += segment->n_weights;
    }
    return sum + (float)s->bias[o];
}

static void check(const sums *s, const char *isa, const char *what, double (*sum)(const sums *, size_t, size_t),
                  const double *found)
{
    for (size_t o = 0; o < s->outputs; o++)
        for (size_t r = 0; r < s->rows; r++)
            if (!is_same(found[o * s->stride + r], sum(s, r, o)))
                fail_msg("%s, %s: output %zu of %zu, row %zu of %zu, stride %zu: %a, expected %a", isa, what, o,
                         s->outputs, r, s->rows, s->stride, found[o * s->stride + r], sum(s, r, o));
}

static hb_segments_tile tile_of(const sums *s)
{
    return (hb_segments_tile){.inputs = (const void *const *)s->inputs,
                              .segments = s->segments,
                              .n_segments = s->n_segments,
                              .n_weights = s->n_weights,
                              .stride = s->stride,
                              .rows = s->rows};
}

static void check_all(const sums *s)
{
    hb_segments_tile tile = tile_of(s);
    double *out = numbers(s->outputs * s->stride);

    for (size_t k = 0; hb_kernels_at(k); k++) {
        const hb_kernels *kernels = hb_kernels_at(k);

        memset(out, 0xA5, s->outputs * s->stride * sizeof(*out));
        kernels->hb_dense_segments64(&tile, s->weights, s->bias, s->outputs, out);
        check(s, kernels->name, "segments", sum_plainly, out);
        memset(out, 0xA5, s->outputs * s->stride * sizeof(*out));
        kernels->hb_dense64(&(hb_tile64){s->columns, out, s->n_weights, s->stride, s->rows}, s->weights, s->bias,
                            s->outputs);
        check(s, kernels->name, "columns", sum_plainly, out);
    }
    free(out);
}

/* Weights that float32 has too, and no bias of -0 (see graph/fuse.c). */
static void make_float32(sums *s)
{
    for (size_t i = 0; i < s->outputs * s->n_weights; i++)
        s->weights[i] = isfinite((float)s->weights[i]) ? (double)(float)s->weights[i] : 0.5;
    for (size_t o = 0; o < s->outputs; o++)
        s->bias[o] = s->bias[o] == 0 ? 0 : (double)(float)s->bias[o];
}

static float *narrowed(const double *from, size_t n)
{
    float *to = malloc(n * sizeof(*to));

    assert_non_null(to);
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
    return to;
}

static void check_float32(const sums *s)
{
    hb_segments_tile tile = tile_of(s);
    size_t n = s->outputs * s->stride;
    double *out = numbers(n);
    float *columns = narrowed(s->columns, s->n_weights * s->stride);
    float *weights = narrowed(s->weights, s->outputs * s->n_weights), *bias = narrowed(s->bias, s->outputs);
    float *sums32 = malloc(n * sizeof(*sums32));

    assert_non_null(sums32);
    for (size_t k = 0; hb_kernels_at(k); k++) {
        const hb_kernels *kernels = hb_kernels_at(k);

        memset(out, 0xA5, n * sizeof(*out));
        kernels->hb_dense_segments32(&tile, s->weights, s->bias, s->outputs, out);
        check(s, kernels->name, "segments in float32", sum_fused, out);
        memset(sums32, 0xA5, n * sizeof(*sums32));
        kernels->hb_product32(&(hb_tile){columns, sums32, s->n_weights, s->stride, s->rows}, weights, bias, s->outputs);
        for (size_t i = 0; i < n; i++)
            out[i] = (double)sums32[i];
        check(s, kernels->name, "columns in float32", sum_fused, out);
    }
    free(out);
    free(columns);
    free(weights);
    free(bias);
    free(sums32);
}

static void picked_weights_are_what_one_hot_columns_add(void **unused)
{
    static const size_t strides[] = {1, 5, 33, ROWS};

    (void)unused;
    for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++)
        for (size_t rows = 1; rows <= strides[i]; rows++)
            for (size_t outputs = 1; outputs <= MOST_OUTPUTS; outputs++)
                for (size_t turn = 0; turn < 6; turn++) {
                    sums s;

                    draw(&s, rows, strides[i], outputs);
                    check_all(&s);
                    make_float32(&s);
                    check_float32(&s);
                    end(&s);
                }
}

/* Each length of a table alone: they lie in registers, or are gathered. */
static void each_place_of_a_table_can_be_picked(void **unused)
{
    (void)unused;
    for (uint32_t n = 1; n <= MOST_PICKED; n++) {
        double *places = numbers(ROWS), *weights = numbers(n), bias = 0, out[ROWS];
        hb_segment segment = {.n_columns = 1, .n_weights = n, .picks = 1};
        const void *input = places;

        for (uint32_t w = 0; w < n; w++)
            weights[w] = 100 + w;
        for (size_t r = 0; r < ROWS; r++)
            places[r] = (double)(r % n);
        for (size_t k = 0; hb_kernels_at(k); k++) {
            hb_kernels_at(k)->hb_dense_segments64(&(hb_segments_tile){&input, &segment, 1, n, ROWS, ROWS}, weights,
                                                  &bias, 1, out);
            for (size_t r = 0; r < ROWS; r++)
                assert_true(out[r] == 100 + (double)(r % n));
        }
        free(places);
        free(weights);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picked_weights_are_what_one_hot_columns_add),
        cmocka_unit_test(each_place_of_a_table_can_be_picked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
