/* every_columns.c - columns chosen, marked and put side by side. */
#include "every_parts.h"

#include <math.h>
#include <string.h>

static void set_number(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    op->fit.mark_missing.number = -1;
}

EXPECT(marked, x == -1 ? NAN : x)
EXPECT(flushed, fabs(x) <= 1e-35 ? 0 : x)

static void set_statistics(test_pipeline *p, every_setting *op, size_t width)
{
    hb_category_equal *equal = take(p, 1, sizeof(*equal));

    *equal = (hb_category_equal){.column = (uint32_t)width - 1, .hash = 2};
    op->fit.category_statistics.model = (hb_category_statistics){.n_equals = 1, .equals = equal};
}

static void expect_statistics(const double *x, size_t width, double *y)
{
    memcpy(y, x, width * sizeof(*y));
    y[width] = x[width - 1] == 2;
}

static const uint32_t *take_reversed(test_pipeline *p, size_t width)
{
    uint32_t *columns = take(p, width, sizeof(*columns));

    FOR_COLUMNS columns[c] = (uint32_t)(width - 1 - c);
    return columns;
}

static void set_columns(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.select = (hb_fit_select){width, take_reversed(p, width)};
}

static void expect_reversed(const double *x, size_t width, double *y)
{
    FOR_COLUMNS y[c] = x[width - 1 - c];
}

static void set_inputs(test_pipeline *p, every_setting *op, size_t width)
{
    (void)p, (void)width;
    read_twice(op);
}

static void expect_twice(const double *x, size_t width, double *y)
{
    memcpy(y, x, width * sizeof(*y));
    memcpy(y + width, x, width * sizeof(*y));
}

EXPECT(rounded, (double)(float)x)
EXPECT(code, x < 0 ? NAN : floor(x))

static void set_indicator(test_pipeline *p, every_setting *op, size_t width)
{
    op->fit.indicator = (hb_fit_indicator){
        .n_columns = width, .columns = take_reversed(p, width), .missing = -1, .known = take(p, width, 1)};
}

static void expect_indicator(const double *x, size_t width, double *y)
{
    FOR_COLUMNS y[c] = x[width - 1 - c] == -1;
}

/* ---- the list */

/* clang-format off */
const every_operator every_columns_rows[] = {
    ROW(MARK_MISSING, set_number, expect_marked, 0, BOTH, EXACT)
    ROW(FLUSH_TINY, NULL, expect_flushed, 0, FLOAT64, EXACT)
    ROW(CATEGORY_STATISTICS, set_statistics, expect_statistics, 0, FLOAT64, EXACT)
    ROW(SELECT, set_columns, expect_reversed, 0, FLOAT64, EXACT)
    ROW(INDICATOR, set_indicator, expect_indicator, 0, FLOAT64, DECISION)
    ROW(CONCAT, set_inputs, expect_twice, 0, FLOAT64, EXACT)
    ROW(ROUND, NULL, expect_rounded, 0, FLOAT64, EXACT)
    ROW(CODE, NULL, expect_code, 0, FLOAT64, EXACT)
    ROW(NARROW, NULL, expect_rounded, 0, FLOAT64, EXACT)
    ROW(WIDEN, NULL, NULL, 0, FLOAT32, EXACT)
};
/* clang-format on */

const size_t n_every_columns = sizeof(every_columns_rows) / sizeof(every_columns_rows[0]);
