/* every_arithmetic.c - functions of one and two columns, products of tensors. */
#include "every_parts.h"

static void set_map(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.map = (hb_fit_map){HB_MAP_LINEAR, HB_ROUND_NONE, {2, 1}};
}

EXPECT(mapped, x * 2 + 1)

static void set_combine(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.combine = (hb_fit_combine){.function = HB_COMBINE_SUBTRACT,
                                       .n_outputs = width,
                                       .numbers = take_numbers(p, width, 3, 0),
                                       .numbers_first = true};
}

EXPECT(combined, 3 - x)

static void set_combine_both(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    read_twice(op);
    op->fit.combine = (hb_fit_combine){.function = HB_COMBINE_ADD, .n_outputs = width};
}

EXPECT(doubled, x + x)

static void set_choose(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    read_twice(op);
    op->fit.choose = (hb_fit_choose){.n_outputs = width, .no = take_numbers(p, width, 7, 0)};
}

EXPECT(chosen, x != 0 ? x : 7)

static void set_reduce(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    op->fit.reduce = (hb_fit_reduce){HB_REDUCE_SUM, HB_ROUND_NONE, width};
}

static void expect_reduced(const double *x, size_t width, double *y)
{
    *y = 0;
    FOR_COLUMNS *y += x[c];
}

/* A column times the other, which is the same. */
static void set_matmul(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p;
    read_twice(op);
    op->fit.matmul = (hb_fit_matmul){.n_matrices = width, .n_rows = 1, .n_terms = 1, .n_columns = 1};
}

EXPECT(squared, x *x)

static void set_weights(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.matmul = (hb_fit_matmul){
        .n_matrices = 1, .n_rows = width, .n_terms = 1, .n_columns = 1, .weights = take_numbers(p, 1, 3, 0)};
}

EXPECT(tripled, 3 * x)

/* ---- the list */

/* clang-format off */
const every_operator every_arithmetic_rows[] = {
    ROW(MAP, set_map, expect_mapped, 0, FLOAT64, CLOSE)
    ROW(COMBINE, set_combine, expect_combined, 0, FLOAT64, CLOSE)
    ROW(COMBINE, set_combine_both, expect_doubled, 0, FLOAT64, CLOSE)
    ROW(CHOOSE, set_choose, expect_chosen, 0, FLOAT64, EXACT)
    ROW(REDUCE, set_reduce, expect_reduced, 0, FLOAT64, CLOSE)
    ROW(MATMUL, set_matmul, expect_squared, 0, FLOAT64, CLOSE)
    ROW(MATMUL, set_weights, expect_tripled, 0, FLOAT64, CLOSE)
};
/* clang-format on */

const size_t n_every_arithmetic = sizeof(every_arithmetic_rows) / sizeof(every_arithmetic_rows[0]);
