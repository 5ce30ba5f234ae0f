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

/* One column among products: column `column` of the input times the product `of`, an earlier one. */
typedef struct hb_product {
    uint32_t of; /* or HB_PRODUCT_COLUMN: the column itself, HB_PRODUCT_ONE: 1 in every row */
    uint32_t column;
} hb_product;

#define HB_PRODUCT_COLUMN UINT32_MAX
#define HB_PRODUCT_ONE    (UINT32_MAX - 1)

#endif
