/* expansion.h - the fitted parameters of operators that make new columns of numbers. */
#ifndef HB_BASE_EXPANSION_H
#define HB_BASE_EXPANSION_H

#include <stddef.h>
#include <stdint.h>

/* Bins of columns: a number's is how many of its column's edges are not above it. Column c's edges, none of
 * them NaN and none below the one before it, are edges[c ? ends[c - 1] : 0 .. ends[c]). */
typedef struct hb_bins {
    size_t n_columns;
    const uint32_t *ends;
    const double *edges;
} hb_bins;

/* How a number x between the points (x0, y0) and (x1, y1) gets its y. */
typedef enum hb_line_kind {
    HB_LINE_SLOPE,    /* (y1 - y0) / (x1 - x0) * (x - x0) + y0, from the last point not above x; at x0: y0 */
    HB_LINE_SLOPE32,  /* the same, each step rounded to float32, up to the first point that is not below x */
    HB_LINE_WEIGHTS32 /* so too: (x - x0) / (x1 - x0) * y1 + (x1 - x) / (x1 - x0) * y0 */
} hb_line_kind;

/* Points of columns, between which lie straight lines. Column c's points, one or more, of which x does not fall, are
 * x[c ? ends[c - 1] : 0 .. ends[c]) and y likewise. */
typedef struct hb_lines {
    size_t n_columns;
    const uint32_t *ends;
    const double *x, *y;
} hb_lines;

/* One column among products: column `column` of the input times the product `of`, an earlier one. */
typedef struct hb_product {
    uint32_t of; /* or HB_PRODUCT_COLUMN: the column itself, HB_PRODUCT_ONE: 1 in every row */
    uint32_t column;
} hb_product;

#define HB_PRODUCT_COLUMN UINT32_MAX
#define HB_PRODUCT_ONE    (UINT32_MAX - 1)

#endif
