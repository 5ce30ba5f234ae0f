/* statistics_portable.c - see statistics_kernel.h. */
#include "kernel/statistics_kernel.h"

#include <string.h>

/* Mixes one more number into a combination's hash (CalcHash, CatBoost libs/model/hash.h). */
static uint64_t mix(uint64_t hash, uint64_t number)
{
    const uint64_t magic = 0x4906ba494954cb65;

    return magic * (hash + magic * number);
}

/* Row `in`'s combination. A category's hash is a signed number, and so extended. */
static uint64_t combine(const hb_category_statistics *s, const hb_statistic *c, const double *in, size_t stride)
{
    uint64_t hash = 0;

    for (uint32_t i = c->first_element; i < c->first_element + c->n_elements; i++) {
        const hb_element *e = &s->elements[i];
        double x = in[(size_t)e->column * stride];

        if (e->kind == HB_ELEMENT_HASH)
            hash = mix(hash, (uint64_t)(int64_t)x);
        else if (e->kind == HB_ELEMENT_ABOVE)
            hash = mix(hash, x > e->border);
        else if (e->kind == HB_ELEMENT_ABOVE_OR_NAN)
            hash = mix(hash, (uint64_t) !(x <= e->border));
        else
            hash = mix(hash, x == e->border);
    }
    return hash;
}

/* The counts of a combination; NULL where training has not seen it. */
static const double *find(const hb_category_statistics *s, const hb_count_table *table, uint64_t key)
{
    const uint64_t *keys = s->keys + table->first_key;
    uint64_t low = 0, high = table->n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == table->n || keys[low] != key)
        return NULL;
    return s->counts + table->first_count + low * table->width;
}

static double sum(const double *counts, uint64_t from, uint64_t to)
{
    double total = 0;

    for (uint64_t i = from; i < to; i++)
        total += counts[i]; /* whole numbers below 2^53: exact in any order */
    return total;
}

static float statistic(const hb_statistic *c, const hb_count_table *table, const double *counts)
{
    float good = 0, total = 0;

    if (c->kind == HB_STATISTIC_COUNTER) {
        good = counts ? (float)counts[0] : 0;
        total = (float)table->denominator;
    } else if (counts && c->kind == HB_STATISTIC_MEAN) {
        good = (float)counts[0];
        total = (float)counts[1];
    } else if (counts) {
        good = c->kind == HB_STATISTIC_BUCKET ? (float)counts[c->target]
                                              : (float)sum(counts, (uint64_t)c->target + 1, table->width);
        total = (float)sum(counts, 0, table->width);
    }
    return ((good + c->prior) / (total + c->prior_total) + c->shift) * c->scale;
}

bool hb_category_columns(const hb_category_statistics *s, const double *in, size_t width, size_t stride, size_t rows,
                         hb_work *polls, double *out)
{
    enum { AT_ONCE = 256, UNITS = 16 };

    for (size_t c = 0; c < width; c++)
        memcpy(out + c * stride, in + c * stride, rows * sizeof(*out));
    out += width * stride;
    for (size_t i = 0; i < s->n_equals; i++, out += stride)
        for (size_t r = 0; r < rows; r++)
            out[r] = in[(size_t)s->equals[i].column * stride + r] == (double)s->equals[i].hash;
    for (size_t i = 0; i < s->n_statistics; i++, out += stride) {
        const hb_statistic *c = &s->statistics[i];
        const hb_count_table *table = &s->tables[c->table];

        for (size_t r = 0; r < rows; r++)
            out[r] = (double)statistic(c, table, find(s, table, combine(s, c, in + r, stride)));
        if (i % AT_ONCE == AT_ONCE - 1 && polls && !hb_goes_on(polls, AT_ONCE * UNITS * rows))
            return false;
    }
    return true;
}
