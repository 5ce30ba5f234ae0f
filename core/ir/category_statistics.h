/* category_statistics.h - CatBoost's one-hot tests and ctrs ("categorical target statistics"): columns that
 * are computed from categories before the trees see them.
 *
 * A categorical feature is the hash of its text (32 bits, signed, as a number). The operator gives its
 * input's columns, then one 0/1 column for each equality, then one column for each statistic: a look-up of
 * the combination's hash in a table of counts that training has seen, and an affine map in float32. */
#ifndef HB_PIPELINE_CATEGORY_STATISTICS_H
#define HB_PIPELINE_CATEGORY_STATISTICS_H

#include "base/statistics.h"
#include "base/status.h"

/* Checks every index against the operator's input of `width` columns, and the order of the keys. */
hbs_status hb_category_statistics_check(const hb_category_statistics *statistics, size_t width, hbs_error *error);

#endif
