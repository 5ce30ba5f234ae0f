/* expansion64.h - new columns of numbers, over a tile of rows: norms, bins, products, marks of missing ones.
 *
 * `in_float32`: the library computes in float32, so each result is rounded to it; the numbers are float32's. */
#ifndef HB_KERNEL_EXPANSION64_H
#define HB_KERNEL_EXPANSION64_H

#include <stdbool.h>

#include "base/expansion.h"
#include "kernel/elementwise64.h"

/* Each row divided by its norm, or by 1 where that is less than 10 times the type's epsilon
 * (_handle_zeros_in_scale of scikit-learn's preprocessing/_data.py, 1.2 to 1.9). The sums have the order of
 * numpy 1.24 to 2.5 on x86-64 for one row: of magnitudes that of np.sum (pairwise, leaves of 128 in eight
 * sums), of squares that of np.einsum("ij,ij->i") (vectors of 128 bits, four at a time from the last to the
 * first). May write over its input, of up to 2^18 columns. */
void hb_norm_l1_64(const hb_tile64 *tile, bool in_float32);
void hb_norm_l2_64(const hb_tile64 *tile, bool in_float32);
void hb_norm_max64(const hb_tile64 *tile, bool in_float32);

/* Each number becomes that of its bin; may write over its input. */
void hb_bins64(const hb_tile64 *tile, const hb_bins *bins);

/* Products first .. end - 1 to their columns of the output; those before them are there. */
void hb_products64(const hb_tile64 *tile, const hb_product *products, size_t first, size_t end, bool in_float32);

/* Column c of the `n` of the output: 1 where column columns[c] is NaN or `missing`, else 0. */
void hb_indicator64(const hb_tile64 *tile, const uint32_t *columns, size_t n, double missing);

#endif
