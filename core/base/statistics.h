/* statistics.h - CatBoost's one-hot tests and ctrs ("categorical target statistics") as plain data, which
 * formats fill, the pipeline checks and the kernel computes with.
 *
 * A categorical feature is the hash of its text (32 bits, signed, as a number). */
#ifndef HB_BASE_STATISTICS_H
#define HB_BASE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

typedef struct hb_category_equal {
    uint32_t column;
    int32_t hash;
} hb_category_equal;

/* The parts of a combination, in the order in which they are hashed. */
typedef enum hb_element_kind {
    HB_ELEMENT_HASH,  /* the category's hash */
    HB_ELEMENT_ABOVE, /* 1 where the number is above `border`, else 0 */
    HB_ELEMENT_ABOVE_OR_NAN,
    HB_ELEMENT_EQUAL /* 1 where the category's hash is `border`, else 0 */
} hb_element_kind;

typedef struct hb_element {
    uint32_t kind; /* hb_element_kind */
    uint32_t column;
    double border;
} hb_element;

/* How the counts of a combination become `good` and `total`. */
typedef enum hb_statistic_kind {
    HB_STATISTIC_MEAN,    /* counts[0], counts[1] */
    HB_STATISTIC_COUNTER, /* counts[0], the table's denominator */
    HB_STATISTIC_BUCKET,  /* counts[target], their sum */
    HB_STATISTIC_ABOVE    /* the sum of counts[target + 1 ..], their sum */
} hb_statistic_kind;

/* ((good + prior) / (total + prior_total) + shift) * scale, each step in float32. */
typedef struct hb_statistic {
    uint32_t kind; /* hb_statistic_kind */
    uint32_t table, first_element, n_elements, target;
    float prior, prior_total, shift, scale;
} hb_statistic;

/* n combinations with `width` counts each: keys[first_key ..], rising, and counts[first_count ..]. */
typedef struct hb_count_table {
    uint64_t n, width, first_key, first_count;
    double denominator;
} hb_count_table;

typedef struct hb_category_statistics {
    size_t n_equals, n_elements, n_statistics, n_tables, n_keys, n_counts;
    const hb_category_equal *equals;
    const hb_element *elements;
    const hb_statistic *statistics;
    const hb_count_table *tables;
    const uint64_t *keys;
    const double *counts;
} hb_category_statistics;

#endif
