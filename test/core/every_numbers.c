/* every_numbers.c - numbers of one column: scaled, filled, cut, binned; norms and products of columns. */
#include "every_parts.h"

#include <math.h>

static void set_scale(test_pipeline *p, every_setting *op, size_t width, hb_scaling how)
{
    op->fit.scale =
        (hb_fit_scale){.scaling = how, .shift = take_numbers(p, width, 1, 1), .factor = take_numbers(p, width, 2, 0)};
}

/* The same parameters, for computing in float32. */
#define IN_FLOAT32(name, of)                                                        \
    static void set_##name##32(test_pipeline * p, every_setting * op, size_t width) \
    {                                                                               \
        set_##name(p, op, width);                                                   \
        op->fit.of.in_float32 = true;                                               \
    }

#define SCALE(name, how, expression, in32)                                    \
    static void set_##name(test_pipeline *p, every_setting *op, size_t width) \
    {                                                                         \
        set_scale(p, op, width, how);                                         \
    }                                                                         \
    IN_FLOAT32(name, scale)                                                   \
    EXPECT(name, expression)                                                  \
    EXPECT(name##32, in32)

#define SHIFT ((double)c + 1)
SCALE(shift, HB_SCALE_SHIFT, x - SHIFT, (float)(x - SHIFT))
SCALE(divide, HB_SCALE_DIVIDE, x / 2, (float)(x / 2))
SCALE(shift_divide, HB_SCALE_SHIFT_DIVIDE, (x - SHIFT) / 2, (float)((float)(x - SHIFT) / 2))
SCALE(shift_multiply, HB_SCALE_SHIFT_MULTIPLY, (x - SHIFT) * 2, (float)((float)(x - SHIFT) * 2))
SCALE(multiply_add, HB_SCALE_MULTIPLY_ADD, x * 2 + SHIFT, (float)((float)(x * 2) + SHIFT))

static void set_limits(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.clip = (hb_fit_clip){{-1, 2}};
}

EXPECT(clipped, x<-1 ? -1 : x> 2 ? 2 : x)

static void set_fill(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.impute = (hb_fit_impute){.missing = -1, .fill = take_numbers(p, width, 5, 1)};
}

EXPECT(filled, x == -1 ? 5 + (double)c : x)

static void set_threshold(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.binarize.threshold = 0.5;
}

EXPECT(above, x > 0.5)

static double norm_of(const double *x, size_t width, hb_norm_kind kind)
{
    double norm = 0;

    FOR_COLUMNS
    {
        double size = fabs(x[c]);

        norm = kind == HB_NORM_L1 ? norm + size : kind == HB_NORM_L2 ? norm + x[c] * x[c] : fmax(norm, size);
    }
    norm = kind == HB_NORM_L2 ? sqrt(norm) : norm;
    return norm < 1e-14 ? 1 : norm;
}

#define NORM(name, how)                                                       \
    static void set_##name(test_pipeline *p, every_setting *op, size_t width) \
    {                                                                         \
        (void)p, (void)width;                                                 \
        op->fit.norm.norm = how;                                              \
    }                                                                         \
    IN_FLOAT32(name, norm)                                                    \
    EXPECT(name, x / norm_of(row, width, how))                                \
    EXPECT(name##32, (float)x / (float)norm_of(row, width, how))

NORM(norm_l1, HB_NORM_L1)
NORM(norm_l2, HB_NORM_L2)
NORM(norm_max, HB_NORM_MAX)

static void set_bins(test_pipeline *p, every_setting *op, size_t width)
{
    uint32_t *ends = take(p, width, sizeof(*ends));
    double *edges = take_numbers(p, 2 * width, 0.5, 0);

    FOR_COLUMNS ends[c] = 2 * (uint32_t)(c + 1);
    FOR_COLUMNS edges[2 * c + 1] = 1.5;
    op->fit.bins.model = (hb_bins){width, ends, edges};
}

EXPECT(bin, (x >= 0.5) + (x >= 1.5))

/* Two points a column. */
static void set_interpolate(test_pipeline *p, every_setting *op, size_t width)
{
    uint32_t *ends = take(p, width, sizeof(*ends));
    double *x = take_numbers(p, 2 * width, 1, 0), *y = take_numbers(p, 2 * width, 4, 0);

    FOR_COLUMNS ends[c] = 2 * (uint32_t)(c + 1);
    FOR_COLUMNS x[2 * c] = -1, y[2 * c] = 3;
    op->fit.interpolate = (hb_fit_interpolate){.model = {width, ends, x, y}};
}

static void set_slopes32(test_pipeline *p, every_setting *op, size_t width)
{
    set_interpolate(p, op, width);
    op->fit.interpolate.kind = HB_LINE_SLOPE32;
}

static void set_weights32(test_pipeline *p, every_setting *op, size_t width)
{
    set_interpolate(p, op, width);
    op->fit.interpolate.kind = HB_LINE_WEIGHTS32;
}

EXPECT(interpolated, isnan(x) ? NAN : x <= -1 ? 3 : x >= 1 ? 4 : (x + 1) / 2 + 3)

static void set_interpolate_inside(test_pipeline *p, every_setting *op, size_t width)
{
    set_interpolate(p, op, width);
    op->fit.interpolate.misses_outside = true;
}

EXPECT(interpolated_inside, fabs(x) <= 1 ? (x + 1) / 2 + 3 : NAN)

static void set_products(test_pipeline *p, every_setting *op, size_t width)
{
    hb_product *products = take(p, 3, sizeof(*products));

    products[0] = (hb_product){HB_PRODUCT_ONE, 0};
    products[1] = (hb_product){HB_PRODUCT_COLUMN, 0};
    products[2] = (hb_product){1, (uint32_t)width - 1};
    op->fit.products = (hb_fit_products){.n_products = 3, .products = products};
}

IN_FLOAT32(products, products)

static void expect_products(const double *x, size_t width, double *y)
{
    y[0] = 1;
    y[1] = x[0];
    y[2] = x[0] * x[width - 1];
}

/* ---- the list */

/* clang-format off */
const every_operator every_numbers_rows[] = {
    ROW(SCALE, set_shift, expect_shift, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift32, expect_shift32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_divide, expect_divide, 0, FLOAT64, EXACT)
    ROW(SCALE, set_divide32, expect_divide32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_divide, expect_shift_divide, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_divide32, expect_shift_divide32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_multiply_add, expect_multiply_add, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_multiply, expect_shift_multiply, 0, FLOAT64, EXACT)
    ROW(SCALE, set_shift_multiply32, expect_shift_multiply32, 0, FLOAT64, EXACT)
    ROW(SCALE, set_multiply_add32, expect_multiply_add32, 0, FLOAT64, EXACT)
    ROW(CLIP, set_limits, expect_clipped, 0, FLOAT64, EXACT)
    ROW(CHECK, NULL, NULL, 0, FLOAT64, EXACT)
    ROW(GUARD, NULL, NULL, 0, FLOAT64, EXACT)
    ROW(IMPUTE, set_fill, expect_filled, 0, FLOAT64, EXACT)
    ROW(BINARIZE, set_threshold, expect_above, 0, FLOAT64, DECISION)
    ROW(NORM, set_norm_l1, expect_norm_l1, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_l132, expect_norm_l132, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_l2, expect_norm_l2, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_l232, expect_norm_l232, 0, FLOAT64, CLOSE)
    ROW(NORM, set_norm_max, expect_norm_max, 0, FLOAT64, EXACT)
    ROW(NORM, set_norm_max32, expect_norm_max32, 0, FLOAT64, EXACT)
    ROW(BINS, set_bins, expect_bin, 0, FLOAT64, DECISION)
    ROW(INTERPOLATE, set_interpolate, expect_interpolated, 0, FLOAT64, EXACT)
    ROW(INTERPOLATE, set_slopes32, expect_interpolated, 0, FLOAT64, EXACT)
    ROW(INTERPOLATE, set_weights32, expect_interpolated, 0, FLOAT64, EXACT)
    ROW(INTERPOLATE, set_interpolate_inside, expect_interpolated_inside, 0, FLOAT64, EXACT)
    ROW(PRODUCTS, set_products, expect_products, 0, FLOAT64, EXACT)
    ROW(PRODUCTS, set_products32, expect_products, 0, FLOAT64, EXACT)
    ROW(NORM_L1, NULL, expect_norm_l1, 0, BOTH, CLOSE)
};
/* clang-format on */

const size_t n_every_numbers = sizeof(every_numbers_rows) / sizeof(every_numbers_rows[0]);
