/* test_codes.c - categories to numbers, of every instruction set that this CPU has: what a plain search finds, in
 * columns of any number of values, with gaps and without. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernels.h"
#include "support.h"

enum { MOST_VALUES = 40, ROWS = 64 };

static uint64_t state = 20253;

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

/* A column of `count` values that rise, with a gap here and there, or without; from any number on. */
static void draw_values(double *values, double *recoded, size_t count, bool gaps)
{
    double x = below(2) ? 0 : (double)below(9) - 4.5;

    for (size_t v = 0; v < count; v++) {
        values[v] = x;
        recoded[v] = any_number();
        x += gaps && below(3) == 0 ? 0.5 + (double)below(4) : 1;
    }
}

/* A value, or its neighbour; none; a missing one. */
static double draw_cell(const double *values, size_t count)
{
    double x = count ? values[below(count)] : 0;

    switch (below(8)) {
    case 0:
        return below(2) ? x + 1 : x - 1;
    case 1:
        return below(2) ? x + 0.25 : nextafter(x, 1e9);
    case 2:
        return any_number();
    case 3:
        return x == 0 ? -0.0 : NAN;
    default:
        return x;
    }
}

typedef struct codes {
    hb_encoder_column column;
    const double *values, *recoded;
    size_t rows, stride;
    double *in;
} codes;

/* Its number, and whether it is refused. */
static double recode_plainly(const codes *c, double x, bool *refused)
{
    int32_t rule = isnan(x) ? c->column.missing : c->column.unknown;

    *refused = false;
    for (size_t v = 0; v < c->column.count; v++)
        if (c->values[v] == x)
            return c->recoded[v];
    *refused = rule == HB_OUTPUT_REFUSE;
    return *refused ? 0 : isnan(x) ? c->column.missing_number : c->column.unknown_number;
}

static void check_codes(const codes *c, double *out)
{
    hb_encoder encoder = {1, c->column.count, 1, &c->column, c->values, NULL, c->recoded};

    for (size_t k = 0; hb_kernels_at(k); k++) {
        uint64_t refused;

        for (size_t r = 0; r < c->stride; r++)
            out[r] = 12345;
        refused = hb_kernels_at(k)->hb_recode64(&encoder, 0, c->in, c->stride, c->rows, out);
        for (size_t r = 0; r < c->stride; r++) {
            bool is_refused = false;
            double expected = r < c->rows ? recode_plainly(c, c->in[r], &is_refused) : 12345;

            if (!is_same(out[r], expected) || (refused >> r & 1) != is_refused)
                fail_msg("%s: %zu values, row %zu of %zu: %a becomes %a, expected %a%s", hb_kernels_at(k)->name,
                         (size_t)c->column.count, r, c->rows, c->in[r], out[r], expected,
                         is_refused ? ", refused" : "");
        }
    }
}

static void codes_are_found_with_and_without_gaps(void **unused)
{
    static const size_t strides[] = {1, 7, 33, ROWS};

    (void)unused;
    for (uint32_t count = 0; count <= MOST_VALUES; count++)
        for (int kind = 0; kind < 8; kind++)
            for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++)
                for (size_t rows = 1; rows <= strides[i]; rows += 1 + rows / 5) {
                    codes c = {.rows = rows, .stride = strides[i], .in = numbers(strides[i])};
                    double *values = numbers(count), *recoded = numbers(count), *out = numbers(strides[i]);

                    draw_values(values, recoded, count, kind & 1);
                    c.values = values;
                    c.recoded = recoded;
                    c.column = (hb_encoder_column){.count = count,
                                                   .missing = kind & 2 ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE,
                                                   .unknown = kind & 4 ? HB_OUTPUT_REFUSE : HB_OUTPUT_NONE,
                                                   .missing_number = -7,
                                                   .unknown_number = NAN};
                    for (size_t r = 0; r < strides[i]; r++)
                        c.in[r] = draw_cell(values, count);
                    check_codes(&c, out);
                    free(c.in);
                    free(values);
                    free(recoded);
                    free(out);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_found_with_and_without_gaps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
