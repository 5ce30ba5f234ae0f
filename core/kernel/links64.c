/* links64.c - see elementwise64.h: the operators that take exponentials. The order of every operation is the
 * library's own; each row's sums are in the order of its columns. */
#include <float.h>
#include <math.h>

#include "base/elementary64.h"
#include "kernel/exp64.h"
#include "kernel/loops.h"
#include "base/tanh64.h"

/* ---- number by number */

static inline void sigmoid_run(const double *in, double *out, size_t n, double factor)
{
    HB_INDEPENDENT
    for (size_t r = 0; r < n; r++)
        out[r] = -factor * in[r];
    hb_exp_run(out, out, n);
    HB_INDEPENDENT
    for (size_t r = 0; r < n; r++)
        out[r] = 1.0 / (1.0 + out[r]);
}

void HB_KERNEL(hb_sigmoid64)(const hb_tile64 *tile, double factor)
{
    for (size_t c = 0, n = hb_run_of(tile); c < hb_columns_of(tile); c++)
        for (size_t r = 0; r < n; r += HB_ROWS)
            sigmoid_run(tile->in + c * tile->stride + r, tile->out + c * tile->stride + r,
                        n - r < HB_ROWS ? n - r : HB_ROWS, factor);
}

void HB_KERNEL(hb_exp_tile64)(const hb_tile64 *tile)
{
    for (size_t c = 0, n = hb_run_of(tile); c < hb_columns_of(tile); c++)
        hb_exp_run(tile->in + c * tile->stride, tile->out + c * tile->stride, n);
}

void HB_KERNEL(hb_tanh_tile64)(const hb_tile64 *tile)
{
    FOR_EACH(tile, x, y, *y = hb_tanh64(x))
}

void HB_KERNEL(hb_softplus64)(const hb_tile64 *tile)
{
    HB_KERNEL(hb_exp_tile64)(tile);
    for (size_t c = 0, n = hb_run_of(tile); c < hb_columns_of(tile); c++)
        for (size_t r = 0; r < n; r++)
            tile->out[c * tile->stride + r] = hb_log1p64(tile->out[c * tile->stride + r]);
}

void HB_KERNEL(hb_variance64)(const hb_tile64 *tile)
{
    const double *x = tile->in;
    double *y = tile->out;

    HB_INDEPENDENT
    for (size_t r = 0; r < tile->rows; r++) {
        y[r] = x[r];
        y[tile->stride + r] = 2 * x[tile->stride + r];
    }
    hb_exp_run(y + tile->stride, y + tile->stride, tile->rows);
}

static double isolation(double x, double offset, double border)
{
    double score = -hb_exp2_64(-x) - offset;

    if (x >= border)
        return score >= 0 ? score : 0;
    return score < 0 ? score : -DBL_TRUE_MIN;
}

void HB_KERNEL(hb_isolation64)(const hb_tile64 *tile, const double numbers[2])
{
    FOR_EACH(tile, x, y, *y = isolation(x, numbers[0], numbers[1]))
}

/* ---- over the columns of a row */

static inline hb_lanes larger(hb_lanes a, hb_lanes b)
{
    return hb_select(a > b, a, b);
}

static inline void find_most(const hb_tile64 *tile, double most[HB_ROWS])
{
    memcpy(most, tile->in, tile->rows * sizeof(*most));
    for (size_t c = 1; c < tile->width; c++) {
        const double *in = tile->in + c * tile->stride;

        FOR_LANES(tile->rows, r, n, hb_put(most + r, n, larger(hb_get(in + r, n), hb_get(most + r, n))))
    }
}

/* Column c becomes exp(x - less). */
static inline void exp_less(const hb_tile64 *tile, size_t c, const double less[HB_ROWS])
{
    double *y = tile->out + c * tile->stride;

    FOR_ROWS(tile, c, x, to, *to = x - less[r])
    hb_exp_run(y, y, tile->rows);
}

static inline void softmax_rows(const hb_tile64 *tile)
{
    double most[HB_ROWS], sum[HB_ROWS] = {0};

    find_most(tile, most);
    for (size_t c = 0; c < tile->width; c++) {
        exp_less(tile, c, most);
        FOR_ROWS(tile, c, x, y, sum[r] += *y)
    }
    for (size_t c = 0; c < tile->width; c++)
        FOR_ROWS(tile, c, x, y, *y /= sum[r])
}

void HB_KERNEL(hb_softmax64)(const hb_tile64 *tile)
{
    BY_ROWS(tile, softmax_rows)
}

/* exp(x - less) of columns [first, first + n) of one row. */
static inline void exp_less_of_row(const hb_tile64 *row, size_t first, size_t n, double less, double *terms)
{
    for (size_t i = 0; i < n; i++)
        terms[i] = row->in[(first + i) * row->stride] - less;
    hb_exp_run(terms, terms, n);
}

/* The softmax's own numbers, each made twice: for the sum, and for its quotient. No quotient is less than 0, and all
 * are NaN or none. */
bool HB_KERNEL(hb_argmax_of_softmax64)(const hb_tile64 *row, hb_work *polls)
{
    enum { AT_ONCE = HB_ROWS, UNITS = 8 };
    double most[HB_ROWS], terms[AT_ONCE], sum = 0, largest = -1;
    size_t best = 0, width = row->width;

    find_most(row, most);
    for (size_t first = 0, n; first < width; first += n) {
        n = width - first < AT_ONCE ? width - first : AT_ONCE;
        exp_less_of_row(row, first, n, most[0], terms);
        for (size_t i = 0; i < n; i++)
            sum += terms[i];
        if (polls && !hb_goes_on(polls, UNITS * n))
            return false;
    }
    for (size_t first = 0, n; first < width; first += n) {
        n = width - first < AT_ONCE ? width - first : AT_ONCE;
        exp_less_of_row(row, first, n, most[0], terms);
        for (size_t i = 0; i < n; i++)
            if (terms[i] / sum > largest) {
                largest = terms[i] / sum;
                best = first + i;
            }
        if (polls && !hb_goes_on(polls, UNITS * n))
            return false;
    }
    row->out[0] = (double)best;
    return true;
}

static inline void logsumexp_rows(const hb_tile64 *tile)
{
    double most[HB_ROWS], sum[HB_ROWS] = {0}, terms[HB_ROWS];

    find_most(tile, most);
    for (size_t c = 0; c < tile->width; c++) {
        FOR_ROWS(tile, c, x, y, terms[r] = x - most[r])
        hb_exp_run(terms, terms, tile->rows);
        for (size_t r = 0; r < tile->rows; r++)
            sum[r] += terms[r];
    }
    for (size_t r = 0; r < tile->rows; r++)
        sum[r] = hb_log64(sum[r]) + most[r];
    for (size_t c = 0; c < tile->width; c++)
        exp_less(tile, c, sum);
}

void HB_KERNEL(hb_logsumexp64)(const hb_tile64 *tile)
{
    BY_ROWS(tile, logsumexp_rows)
}
