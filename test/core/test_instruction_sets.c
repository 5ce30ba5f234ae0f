/* test_instruction_sets.c - every kernel of every instruction set that this CPU has gives the bits of the
 * portable one, for every number of rows, for full and partly filled tiles, over its input too. */
#include "models.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernels.h"
#include "plan/plan.h"

enum { WIDTH = 7, OUTPUTS = 11, STRIDE = 64 };

static double numbers[WIDTH], weights[OUTPUTS * WIDTH], bias[OUTPUTS];
static const double limits[2] = {-0.5, 0.75};

static double edges[200];                                        /* rising */
static const uint32_t ends[WIDTH] = {0, 3, 3, 60, 61, 150, 200}; /* few and many of a column */
static const hb_bins bins = {WIDTH, ends, edges};
static const hb_product products[OUTPUTS] = {{HB_PRODUCT_ONE, 0},
                                             {HB_PRODUCT_COLUMN, 6},
                                             {HB_PRODUCT_COLUMN, 0},
                                             {2, 1},
                                             {3, 2},
                                             {4, 3},
                                             {1, 6},
                                             {6, 6},
                                             {5, 4},
                                             {0, 5},
                                             {9, 0}};
static const uint32_t some_columns[OUTPUTS] = {6, 0, 1, 2, 3, 4, 5, 5, 4, 0, 0};

static const uint32_t sparse_columns[] = {0, 1, 2, 3, 4, 5, 6, 2, 5, 0, 6, 3}; /* of the last: none */
static const uint32_t sparse_ends[OUTPUTS] = {7, 7, 8, 9, 9, 9, 9, 11, 11, 12, 12};
static const hb_csr csr = {12, sparse_ends, sparse_columns, weights};

/* ---- the kernels, each as a function of its tile */

#define CALL(name, ...)                                                 \
    static void name##_call(const hb_kernels *k, const hb_tile64 *tile) \
    {                                                                   \
        k->name(__VA_ARGS__);                                           \
    }

CALL(hb_flush_tiny64, tile)
CALL(hb_mark_missing64, tile, 0.5)
CALL(hb_affine64, tile, 1.0 / 3, numbers)
CALL(hb_subtract64, tile, numbers)
CALL(hb_quotient64, tile, numbers)
CALL(hb_multiply64, tile, numbers)
CALL(hb_add64, tile, numbers)
CALL(hb_subtract32_64, tile, numbers)
CALL(hb_quotient32_64, tile, numbers)
CALL(hb_multiply32_64, tile, numbers)
CALL(hb_add32_64, tile, numbers)
CALL(hb_round64, tile)
CALL(hb_code64, tile)
CALL(hb_difference64, tile)
CALL(hb_isolation64, tile, limits)
CALL(hb_clip64, tile, limits)
CALL(hb_impute64, tile, numbers, 0.5)
CALL(hb_normalize64, tile)
CALL(hb_variance64, tile)
CALL(hb_divide64, tile, 3)
CALL(hb_sigmoid64, tile, 0.75)
CALL(hb_softmax64, tile)
CALL(hb_logsumexp64, tile)
CALL(hb_exp_tile64, tile)
CALL(hb_tanh_tile64, tile)
CALL(hb_square64, tile)
CALL(hb_softplus64, tile)
CALL(hb_greater64, tile, 0.5)
CALL(hb_argmax64, tile)
CALL(hb_plus_minus64, tile)
CALL(hb_norm_l1_64, tile, weights[0] > 0)
CALL(hb_norm_l2_64, tile, weights[0] > 0)
CALL(hb_norm_max64, tile, weights[0] > 0)
CALL(hb_bins64, tile, &bins)
CALL(hb_products64, tile, products, 0, OUTPUTS, weights[0] > 0)
CALL(hb_indicator64, tile, some_columns, OUTPUTS, 0.5)
CALL(hb_complement64, tile)
CALL(hb_dense64, tile, weights, bias, OUTPUTS - (weights[0] > 0))
CALL(hb_sparse64, tile, &csr, bias, weights[0] > 0, OUTPUTS)
CALL(hb_sparse_all64, tile, &csr, bias, weights[0] > 0, OUTPUTS)

/* In float32, of the same numbers. */
static void hb_product32_call(const hb_kernels *k, const hb_tile64 *tile)
{
    static float in[WIDTH * STRIDE], out[OUTPUTS * STRIDE], weights32[WIDTH * OUTPUTS], bias32[OUTPUTS];

    for (size_t i = 0; i < tile->width * tile->stride; i++)
        in[i] = (float)tile->in[i];
    for (size_t i = 0; i < WIDTH * OUTPUTS; i++)
        weights32[i] = (float)weights[i];
    for (size_t i = 0; i < OUTPUTS; i++)
        bias32[i] = (float)bias[i];
    k->hb_product32(&(hb_tile){in, out, tile->width, tile->stride, tile->rows}, weights32, bias32, OUTPUTS);
    for (size_t o = 0; o < OUTPUTS; o++)
        for (size_t r = 0; r < tile->rows; r++)
            tile->out[o * tile->stride + r] = (double)out[o * tile->stride + r];
}

CALL(hb_rows64, tile->in, tile->width, tile->stride, tile->rows, tile->out)
CALL(hb_gaussian64, tile, weights, bias, OUTPUTS / 2)

static const struct {
    const char *name;
    size_t width, made; /* columns in and out */
    bool in_place;
    void (*call)(const hb_kernels *k, const hb_tile64 *tile);
} kernels[] = {
#define LINE(name, width, made, in_place)         \
    {                                             \
#name, width, made, in_place, name##_call \
    }
    LINE(hb_flush_tiny64, WIDTH, WIDTH, true),
    LINE(hb_mark_missing64, WIDTH, WIDTH, true),
    LINE(hb_affine64, WIDTH, WIDTH, true),
    LINE(hb_subtract64, WIDTH, WIDTH, true),
    LINE(hb_quotient64, WIDTH, WIDTH, true),
    LINE(hb_multiply64, WIDTH, WIDTH, true),
    LINE(hb_add64, WIDTH, WIDTH, true),
    LINE(hb_round64, WIDTH, WIDTH, true),
    LINE(hb_clip64, WIDTH, WIDTH, true),
    LINE(hb_impute64, WIDTH, WIDTH, true),
    LINE(hb_normalize64, WIDTH, WIDTH, true),
    LINE(hb_variance64, 2, 2, true),
    LINE(hb_divide64, WIDTH, WIDTH, true),
    LINE(hb_sigmoid64, WIDTH, WIDTH, true),
    LINE(hb_softmax64, WIDTH, WIDTH, true),
    LINE(hb_logsumexp64, WIDTH, WIDTH, true),
    LINE(hb_exp_tile64, WIDTH, WIDTH, true),
    LINE(hb_square64, WIDTH, WIDTH, true),
    LINE(hb_softplus64, WIDTH, WIDTH, true),
    LINE(hb_greater64, WIDTH, WIDTH, true),
    LINE(hb_subtract32_64, WIDTH, WIDTH, true),
    LINE(hb_quotient32_64, WIDTH, WIDTH, true),
    LINE(hb_multiply32_64, WIDTH, WIDTH, true),
    LINE(hb_add32_64, WIDTH, WIDTH, true),
    LINE(hb_norm_l1_64, WIDTH, WIDTH, true),
    LINE(hb_norm_l2_64, WIDTH, WIDTH, true),
    LINE(hb_norm_max64, WIDTH, WIDTH, true),
    LINE(hb_bins64, WIDTH, WIDTH, true),
    LINE(hb_products64, WIDTH, OUTPUTS, false),
    LINE(hb_indicator64, WIDTH, OUTPUTS, false),
    LINE(hb_rows64, WIDTH, WIDTH, false),
    LINE(hb_rows64, 4, 4, false),
    LINE(hb_argmax64, WIDTH, 1, false),
    LINE(hb_plus_minus64, 1, 2, false),
    LINE(hb_code64, WIDTH, WIDTH, true),
    LINE(hb_isolation64, WIDTH, WIDTH, true),
    LINE(hb_difference64, 2, 1, false),
    LINE(hb_complement64, 1, 2, false),
    LINE(hb_dense64, WIDTH, OUTPUTS, false),
    LINE(hb_sparse64, WIDTH, OUTPUTS, false),
    LINE(hb_sparse_all64, WIDTH, OUTPUTS, false),
    LINE(hb_tanh_tile64, WIDTH, WIDTH, true),
    LINE(hb_gaussian64, WIDTH, OUTPUTS / 2, false),
    LINE(hb_product32, WIDTH, OUTPUTS, false),
};

enum {
    TILE_KERNELS = sizeof(kernels) / sizeof(kernels[0]),
    OTHER_KERNELS = 10,     /* test_segments.c has hb_dense_segments64 and hb_dense_segments32 */
    FOREST_KERNELS = 22,    /* test_kernels.c and test_kernels64.c have them */
    SOFTMAX_KERNELS = 3,    /* test_argmax_softmax.c has them */
    ARITHMETIC_KERNELS = 4, /* test_arithmetic.c has them */
    MATRIX_KERNELS = 6,     /* test_matmul.c and test_neighbours.c have them */
    WINDOW_KERNELS = 3      /* test_windows.c has them */
};

/* ---- numbers of all kinds */

static double any_number(uint64_t *random)
{
    static const double special[] = {0.0,    -0.0,   INFINITY, -INFINITY, NAN,     DBL_MAX, -DBL_MAX,
                                     5e-324, 1e-310, 1e-36,    0.5,       FLT_MAX, 3.5e38,  -3.4028235677973366e38,
                                     710,    -746};
    uint64_t r = test_random(random);

    if (r % 8 == 0)
        return special[(r >> 8) % (sizeof(special) / sizeof(special[0]))];
    return ((double)(r >> 11) / 9007199254740992.0 - 0.5) * (r % 8 == 1 ? 1e30 : 6);
}

static void fill(uint64_t *random, double *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = any_number(random);
}

/* NaN is NaN: which of its bits an operation keeps depends on the order of operands that a compiler picks,
 * and nothing shows them. */
static bool same(double a, double b)
{
    return (a != a && b != b) || memcmp(&a, &b, sizeof(a)) == 0;
}

static const double untouched = 12345;

/* Row and column of the first number that differs, as text. */
static void compare(const char *set, const char *kernel, const double *expected, const double *got, size_t stride,
                    size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!same(expected[i], got[i])) {
            fprintf(stderr, "%s, %s, stride %zu: column %zu of row %zu is %a, portable %a\n", kernel, set, stride,
                    i / stride, i % stride, got[i], expected[i]);
            fail();
        }
}

/* Kernels that may leave anything behind the rows, within its columns. */
static void forget_behind(size_t k, double *out, size_t stride, size_t rows)
{
    if (kernels[k].call == hb_dense64_call || kernels[k].call == hb_sparse64_call)
        for (size_t i = 0; i < kernels[k].made * stride; i++)
            if (i % stride >= rows)
                out[i] = untouched;
}

static void check_kernel(const hb_kernels *set, size_t k, size_t stride, size_t rows, uint64_t *random)
{
    double in[WIDTH * STRIDE], expected[OUTPUTS * STRIDE], got[OUTPUTS * STRIDE];
    size_t width = kernels[k].width, n = kernels[k].made * stride;
    hb_tile64 tile = {in, expected, width, stride, rows};

    fill(random, in, width * stride);
    for (size_t i = 0; i < OUTPUTS * STRIDE; i++)
        expected[i] = got[i] = untouched;
    kernels[k].call(hb_kernels_at(0), &tile);
    tile.out = got;
    kernels[k].call(set, &tile);
    forget_behind(k, expected, stride, rows);
    forget_behind(k, got, stride, rows);
    compare(set->name, kernels[k].name, expected, got, stride, OUTPUTS * STRIDE);
    if (!kernels[k].in_place)
        return;
    memcpy(got, in, width * stride * sizeof(double));
    tile.in = got;
    kernels[k].call(set, &tile);
    for (size_t c = 0; c < width; c++) /* what is behind the rows keeps what was there */
        for (size_t r = rows; r < stride; r++)
            expected[c * stride + r] = in[c * stride + r];
    compare(set->name, kernels[k].name, expected, got, stride, n);
}

static void test_tiles(void **state)
{
    static const size_t strides[] = {1, 3, 33, STRIDE};
    uint64_t random = 1;

    for (size_t i = 0; i < 200; i++)
        edges[i] = (double)i / 20 - 5;
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t turn = 0; turn < 20; turn++) {
            fill(&random, numbers, WIDTH);
            fill(&random, weights, OUTPUTS * WIDTH);
            fill(&random, bias, OUTPUTS);
            for (size_t k = 0; k < TILE_KERNELS; k++)
                for (size_t i = 0; i < 4; i++)
                    for (size_t rows = 1; rows <= strides[i]; rows += 1 + rows / 9)
                        check_kernel(hb_kernels_at(s), k, strides[i], rows, &random);
        }
}

/* ---- the input, and what goes from one type to the other */

static double plainly_limited(double x, const double limits[2])
{
    return x < limits[0] ? limits[0] : x > limits[1] ? limits[1] : x;
}

static uint32_t plainly_seen(const double *x, size_t n)
{
    uint32_t seen = 0;

    for (size_t i = 0; i < n; i++)
        seen |= (isnan(x[i]) ? HB_SAW_NAN : 0u) | (isinf(x[i]) ? HB_SAW_INFINITE : 0u) |
                (fabs(x[i]) > FLT_MAX ? HB_SAW_LARGE : 0u);
    return seen;
}

static void test_input(void **state)
{
    uint64_t random = 2;
    double x[STRIDE], wide[STRIDE], to[STRIDE];
    float narrow[STRIDE], rounded[STRIDE];
    const double limits[2][2] = {{-INFINITY, INFINITY}, {0, 250}};

    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t turn = 0; turn < 3000; turn++) {
            const hb_kernels *set = hb_kernels_at(s);
            size_t n = turn % (STRIDE + 1);

            for (size_t i = 0; i < n; i++) {
                x[i] = turn % 3 ? (double)(i + turn) / 7 : any_number(&random);
                narrow[i] = (float)x[i];
                wide[i] = (double)narrow[i];
            }
            set->hb_narrow64(x, n, rounded);
            for (size_t i = 0; i < n; i++)
                to[i] = (double)rounded[i];
            compare(set->name, "hb_narrow64", wide, to, STRIDE, n);
            set->hb_widen64(rounded, n, n, bias, 1, limits[turn % 2], to, STRIDE);
            for (size_t i = 0; i < n; i++)
                wide[i] = plainly_limited((double)rounded[i] + bias[0], limits[turn % 2]);
            compare(set->name, "hb_widen64", wide, to, STRIDE, n);
            set->hb_finish32(rounded, n, n, bias, 1, limits[turn % 2]);
            for (size_t i = 0; i < n; i++) {
                to[i] = (double)rounded[i];
                rounded[i] = (float)x[i];
                wide[i] = plainly_limited((double)(rounded[i] + (float)bias[0]), limits[turn % 2]);
            }
            compare(set->name, "hb_finish32", wide, to, STRIDE, n);
            for (size_t i = 0; i < n; i++)
                wide[i] = (double)rounded[i];
            if (n && turn % 3 == 1) /* one alone */
                x[turn % n] = turn % 2 ? NAN : turn % 4 ? -INFINITY : 1e39;
            assert_int_equal(set->hb_look_at64(x, n), plainly_seen(x, n));
            assert_int_equal(set->hb_take_float64(x, n, to), plainly_seen(x, n));
            compare(set->name, "hb_take_float64", x, to, STRIDE, n);
            assert_int_equal(set->hb_take_float32(narrow, n, to), plainly_seen(wide, n));
            compare(set->name, "hb_take_float32", wide, to, STRIDE, n);
        }
}

/* ---- encoders */

enum { VALUES = 60, ENCODED = 5 };

/* Columns of the input: few values; few, of which one has no output and NaN has one; two with the same; many; values
 * that are no codes. What is no value has an output, none, or is refused. */
static double values[VALUES];
static int32_t outputs[VALUES];
static const hb_encoder_column columns[ENCODED] = {
    {.first = 0, .count = 7, .base = 0, .missing = HB_OUTPUT_REFUSE, .unknown = HB_OUTPUT_NONE},
    {.first = 7, .count = 8, .base = 7, .missing = 7, .unknown = HB_OUTPUT_REFUSE},
    {.first = 15, .count = 4, .base = 15, .missing = HB_OUTPUT_NONE, .unknown = 1},
    {.first = 19, .count = 37, .base = 18, .missing = HB_OUTPUT_REFUSE, .unknown = HB_OUTPUT_REFUSE},
    {.first = 56, .count = 4, .base = 55, .missing = HB_OUTPUT_NONE, .unknown = HB_OUTPUT_NONE}};
static double recoded[VALUES];
static const hb_encoder encoder = {ENCODED, VALUES, 60, columns, values, outputs, recoded};

static void make_encoder(void)
{
    for (size_t c = 0; c < ENCODED; c++)
        for (uint32_t i = 0; i < columns[c].count; i++) {
            values[columns[c].first + i] = c < 4 ? i : 1.5 * i - 2;
            outputs[columns[c].first + i] = (int32_t)(columns[c].count - 1 - i);
            recoded[columns[c].first + i] = c + i / 7.0;
        }
    outputs[7] = HB_OUTPUT_NONE;   /* of the second column, the last output is that of NaN */
    outputs[15] = outputs[16] = 2; /* of the third */
    outputs[17] = 0;
    outputs[18] = 1;
}

static double any_value(const hb_encoder_column *column, uint64_t *random)
{
    uint64_t r = test_random(random);

    if (r % 16 == 0)
        return r % 32 ? NAN : r % 64 ? INFINITY : -1;
    return r % 16 == 1 ? 0.25 : values[column->first + (r >> 8) % column->count];
}

/* Where x is among all values, by looking at each of the column; VALUES: it is none. */
static size_t place_of(const hb_encoder_column *column, double x)
{
    for (size_t i = column->first; i < column->first + column->count; i++)
        if (values[i] == x)
            return i;
    return VALUES;
}

static int32_t output_of(const hb_encoder_column *column, double x)
{
    size_t at = place_of(column, x);

    return at < VALUES ? outputs[at] : x != x ? column->missing : column->unknown;
}

static void check_encoder(const hb_kernels *set, size_t stride, size_t rows, uint64_t *random)
{
    double in[ENCODED * STRIDE], expected[60 * STRIDE], got[60 * STRIDE];

    for (size_t i = 0; i < 60 * STRIDE; i++)
        expected[i] = got[i] = untouched;
    for (size_t c = 0; c < ENCODED; c++) {
        size_t end = c + 1 < ENCODED ? columns[c + 1].base : 60;
        uint64_t refused = 0;

        for (size_t r = 0; r < rows; r++) {
            double x = in[c * stride + r] = any_value(&columns[c], random);
            int32_t output = output_of(&columns[c], x);

            for (size_t o = columns[c].base; o < end; o++)
                expected[o * stride + r] = output == (int32_t)(o - columns[c].base) ? 1 : 0;
            refused |= (uint64_t)(output == HB_OUTPUT_REFUSE) << r;
        }
        assert_true(set->hb_onehot64(&encoder, c, in, stride, rows, got) == refused);
    }
    compare(set->name, "hb_onehot64", expected, got, stride, 60 * stride);
}

/* A number that is none of the column's becomes 0. */
static void check_recoding(const hb_kernels *set, size_t stride, size_t rows, uint64_t *random)
{
    double in[ENCODED * STRIDE], expected[ENCODED * STRIDE], got[ENCODED * STRIDE];

    for (size_t i = 0; i < ENCODED * STRIDE; i++)
        expected[i] = got[i] = untouched;
    for (size_t c = 0; c < ENCODED; c++) {
        uint64_t refused = 0;

        for (size_t r = 0; r < rows; r++) {
            double x = in[c * stride + r] = any_value(&columns[c], random);
            size_t at = place_of(&columns[c], x);
            int32_t other = x != x ? columns[c].missing : columns[c].unknown;

            expected[c * stride + r] = at < VALUES ? recoded[at] : 0;
            refused |= (uint64_t)(at == VALUES && other == HB_OUTPUT_REFUSE) << r;
        }
        assert_true(set->hb_recode64(&encoder, c, in, stride, rows, got) == refused);
    }
    compare(set->name, "hb_recode64", expected, got, stride, ENCODED * stride);
}

static void test_encoders(void **state)
{
    static const size_t strides[] = {1, 33, STRIDE};
    uint64_t random = 4;

    make_encoder();
    for (size_t s = 0; hb_kernels_at(s); s++)
        for (size_t turn = 0; turn < 20; turn++)
            for (size_t i = 0; i < 3; i++)
                for (size_t rows = 1; rows <= strides[i]; rows++) {
                    check_encoder(hb_kernels_at(s), strides[i], rows, &random);
                    check_recoding(hb_kernels_at(s), strides[i], rows, &random);
                }
}

/* ---- which set */

static void test_choice(void **state)
{
    static const char *const names[] = {"portable", "avx2", "avx512", "avx512vbmi"};
    const hb_kernels *best = hb_kernels_at(0);
    size_t n = 0;

    for (; hb_kernels_at(n); n++) {
        best = hb_kernels_at(n);
        assert_string_equal(best->name, names[n]);
        setenv("HBSCORE_INSTRUCTION_SET", best->name, 1);
        assert_ptr_equal(hb_kernels_here(), best);
    }
    for (; n < sizeof names / sizeof *names; n++)
        printf("kernels of %s: not run, this CPU or this build has them not\n", names[n]);
    setenv("HBSCORE_INSTRUCTION_SET", "", 1);
    assert_ptr_equal(hb_kernels_here(), best);
    unsetenv("HBSCORE_INSTRUCTION_SET");
    assert_ptr_equal(hb_kernels_here(), best);
    assert_string_equal(hb_kernels_at(0)->name, "portable");
}

/* Neither a plan nor a run is made by a guess; a name that this CPU lacks is none. */
static void test_unknown_name(void **state)
{
    static const char text[] =
        "the environment variable HBSCORE_INSTRUCTION_SET is \"AVX2\": it takes portable, avx2, avx512 or "
        "avx512vbmi, or is left out";
    static const char *const good[] = {"", "portable", "avx2", "avx512", "avx512vbmi"};
    static const uint8_t key[32];
    test_host host;
    test_pipeline p;
    hbs_error error;
    hbs_plan *plan;
    hbs_run *run;

    test_host_init(&host);
    test_pipeline_begin(&p, &host.host, 1);
    p.pipeline.raw = test_pipeline_forest(&p, 1, 1, HB_BASE_IDENTITY, 0.5f);
    plan = test_pipeline_compile(&p, 0);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        hbs_plan_free(plan);
        setenv("HBSCORE_INSTRUCTION_SET", good[i], 1);
        assert_status(hb_plan_compile(&p.pipeline, &host.host, NULL, key, &plan, &error), HBS_OK, &error);
        assert_status(hbs_run_create(plan, &host.host, "m", 1, &run, &error), HBS_OK, &error);
        hbs_run_free(run);
    }
    setenv("HBSCORE_INSTRUCTION_SET", "AVX2", 1);
    assert_status(hbs_run_create(plan, &host.host, "m", 1, &run, &error), HBS_E_ARGS, &error);
    assert_null(run);
    assert_string_equal(error.text, text);
    hbs_plan_free(plan);
    assert_status(hb_plan_compile(&p.pipeline, &host.host, NULL, key, &plan, &error), HBS_E_ARGS, &error);
    assert_null(plan);
    assert_string_equal(error.text, text);
    unsetenv("HBSCORE_INSTRUCTION_SET");
    test_pipeline_end(&p);
    test_host_end(&host);
}

/* A kernel that this file does not know would not be tested. */
static void test_all_are_here(void **state)
{
    enum {
        N = 0
#define HB_KERNEL_LINE(type, kernel, arguments) +1
#include "kernel/kernels.def"
#undef HB_KERNEL_LINE
    };

    assert_int_equal(TILE_KERNELS + OTHER_KERNELS + FOREST_KERNELS + SOFTMAX_KERNELS + ARITHMETIC_KERNELS +
                         MATRIX_KERNELS + WINDOW_KERNELS,
                     N + 1 /* hb_rows64 twice */);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),  cmocka_unit_test(test_input),        cmocka_unit_test(test_encoders),
        cmocka_unit_test(test_choice), cmocka_unit_test(test_unknown_name), cmocka_unit_test(test_all_are_here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
