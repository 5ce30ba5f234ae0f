/* own_features.c - the operators of hbscore's own format that make new columns of numbers. */
#include <math.h>

#include "format/own.h"

/* 1 where a column of `cols` is missing. Those of `known` must not be: training saw no missing one there, and the
 * estimator refuses the first. */
bool hb_own_read_indicator(hb_own_reading *r)
{
    hb_fit_indicator indicator;
    size_t n_known = 0;
    const uint32_t *columns;
    uint8_t *known;

    if (!hb_own_missing_read(r, &indicator.missing))
        return false;
    if (!isnan(indicator.missing) && !hb_own_takes_numbers(r))
        return false;
    indicator.columns = hb_own_columns_read(r, "cols", 1, &indicator.n_columns);
    columns = indicator.columns ? hb_own_columns_read(r, "known", 0, &n_known) : NULL;
    if (!columns)
        return false;
    known = hb_arena_array(&r->file->pipeline->arena, r->in[0]->width, 1);
    if (!known)
        return hb_document_no_memory(r->file->d);
    for (size_t i = 0; i < n_known; i++)
        known[columns[i]] = 1;
    indicator.known = known;
    return hb_own_add(r, HB_OPERATOR_INDICATOR, &indicator, indicator.n_columns);
}

#define FOUR_ULP 5e-7 /* of float32 */

/* Libraries add in the order of their vectors, so the last bits of a sum depend on the machine. */
bool hb_own_read_normalize(hb_own_reading *r)
{
    static const char *const norms[] = {[HB_NORM_L1] = "l1", [HB_NORM_L2] = "l2", [HB_NORM_MAX] = "max"};
    hb_fit_norm fit;
    hb_pipeline *pipeline = r->file->pipeline;
    size_t norm = hb_own_word(r->file, "norm", norms, 3);

    if (norm == SIZE_MAX || !hb_own_dtype_read(r, &fit.in_float32))
        return false;
    fit.norm = (hb_norm_kind)norm;
    if (fit.in_float32 && fit.norm != HB_NORM_MAX && pipeline->tolerance < FOUR_ULP)
        pipeline->tolerance = FOUR_ULP;
    return hb_own_add(r, HB_OPERATOR_NORM, &fit, r->in[0]->width);
}

/* Member `ends`: where the items of each column end, of which it has `least` or more. *n: all items. NULL after an
 * error. */
static const uint32_t *read_ends(hb_own_reading *r, int32_t least, size_t *n)
{
    hb_own_array ends;
    int32_t at = 0;

    if (!hb_own_array_read(r->file, "ends", HB_OWN_I4, 1, &ends))
        return NULL;
    if (ends.count != r->in[0]->width) {
        hb_own_fail(r, "ends has not one number for each column");
        return NULL;
    }
    for (size_t c = 0; c < ends.count; c++) {
        int32_t end = ((const int32_t *)ends.items)[c];

        if (end < at || end - at < least) {
            hb_own_fail(r, "ends does not rise");
            return NULL;
        }
        at = end;
    }
    *n = (size_t)at;
    return ends.items;
}

bool hb_own_read_bins(hb_own_reading *r)
{
    size_t width = r->in[0]->width, n;
    const uint32_t *ends = read_ends(r, 0, &n);
    const double *edges = ends ? hb_own_numbers(r->file, "edges", n) : NULL;

    return edges && hb_own_add(r, HB_OPERATOR_BINS, &(hb_fit_bins){{width, ends, edges}}, width);
}

bool hb_own_read_interpolate(hb_own_reading *r)
{
    static const char *const words[] = {"ends", "nan"};
    static const char *const kinds[] = {
        [HB_LINE_SLOPE] = "slope", [HB_LINE_SLOPE32] = "slope32", [HB_LINE_WEIGHTS32] = "weights32"};
    hb_fit_interpolate fit = {.model = {.n_columns = r->in[0]->width}};
    size_t outside = hb_own_word(r->file, "outside", words, 2), n;
    size_t kind = outside == SIZE_MAX ? SIZE_MAX : hb_own_word(r->file, "kind", kinds, 3);

    if (kind == SIZE_MAX)
        return false;
    fit.misses_outside = outside == 1;
    fit.kind = (hb_line_kind)kind;
    r->file->has_float32 |= kind != HB_LINE_SLOPE;
    fit.model.ends = read_ends(r, 1, &n);
    fit.model.x = fit.model.ends ? hb_own_numbers(r->file, "x", n) : NULL;
    fit.model.y = fit.model.x ? hb_own_numbers(r->file, "y", n) : NULL;
    return fit.model.y && hb_own_add(r, HB_OPERATOR_INTERPOLATE, &fit, fit.model.n_columns);
}

/* ---- poly */

enum { THE_COLUMN = -1, ONE = -2 }; /* in `of`: no product yet */

static bool read_product(const hb_own_reading *r, size_t i, int32_t of, int32_t column, hb_product *product)
{
    if (of < ONE || of >= (int64_t)i)
        return hb_own_fail(r, "poly: a product of one that does not come before it");
    if (column < 0 || (size_t)column >= r->in[0]->width)
        return hb_own_fail(r, "poly: a column that is not there");
    product->of = of == ONE ? HB_PRODUCT_ONE : of == THE_COLUMN ? HB_PRODUCT_COLUMN : (uint32_t)of;
    product->column = (uint32_t)column;
    return true;
}

bool hb_own_read_poly(hb_own_reading *r)
{
    hb_fit_products fit;
    hb_own_array of, column;
    hb_product *products;

    if (!hb_own_dtype_read(r, &fit.in_float32) || !hb_own_array_read(r->file, "of", HB_OWN_I4, 1, &of) ||
        !hb_own_array_read(r->file, "column", HB_OWN_I4, 1, &column))
        return false;
    if (of.count == 0 || of.count != column.count)
        return hb_own_fail(r, "poly: no products, or not one column for each");
    if (!hb_own_check_columns(r, of.count))
        return false;
    products = hb_arena_array(&r->file->pipeline->arena, of.count, sizeof(*products));
    if (!products)
        return hb_document_no_memory(r->file->d);
    for (size_t i = 0; i < of.count; i++)
        if (!read_product(r, i, ((const int32_t *)of.items)[i], ((const int32_t *)column.items)[i], &products[i]))
            return false;
    fit.products = products;
    fit.n_products = of.count;
    return hb_own_add(r, HB_OPERATOR_PRODUCTS, &fit, of.count);
}
