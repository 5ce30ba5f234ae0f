/* expansion64.c - see expansion64.h. */
#include "kernel/expansion64.h"

#include <float.h>
#include <math.h>

#include "kernel/kernels.h"

/* ---- norms: rows are the lanes, a few at a time, so that all sums of a row stay near */

enum {
    ROWS = 64,
    ROWS_L1 = 16,   /* whose sums are many */
    LEAF = 128,     /* columns that numpy adds in eight sums */
    MOST_DEPTH = 16 /* of halves of 2^18 columns down to a leaf */
};

typedef struct rows64 {
    const double *in; /* the first of `n` rows */
    size_t stride, n;
} rows64;

static inline double rounded(double x, bool in_float32)
{
    return in_float32 ? (double)(float)x : x;
}

#define FOR_FIRST_ROWS(n, statement)   \
    for (size_t r = 0; r < (n); r++) { \
        statement;                     \
    }

/* += the magnitudes of column c. */
static inline void add_column(const rows64 *rows, size_t c, bool in_float32, double sum[ROWS_L1])
{
    const double *x = rows->in + c * rows->stride;

    FOR_FIRST_ROWS(rows->n, sum[r] = rounded(sum[r] + fabs(x[r]), in_float32))
}

/* The magnitudes of up to LEAF columns: eight sums from eight columns on, then theirs. */
static void sum_leaf(const rows64 *rows, size_t first, size_t n, bool in_float32, double sum[ROWS_L1])
{
    double part[8][ROWS_L1] = {{0}};
    size_t eights = n < 8 ? 0 : n - n % 8;

    for (size_t i = 0; i < eights; i++)
        add_column(rows, first + i, in_float32, part[i % 8]);
    for (size_t width = 1; width < 8; width *= 2) /* neighbours, then neighbours of those */
        for (size_t k = 0; k < 8; k += 2 * width)
            FOR_FIRST_ROWS(rows->n, part[k][r] = rounded(part[k][r] + part[k + width][r], in_float32))
    FOR_FIRST_ROWS(rows->n, sum[r] = part[0][r])
    for (size_t i = eights; i < n; i++)
        add_column(rows, first + i, in_float32, sum);
}

/* Columns whose sum is wanted; with `has_left` that of its first half is there. */
typedef struct half {
    size_t first, n;
    bool has_left;
    double left[ROWS_L1];
} half;

static inline size_t left_of(size_t n)
{
    return n / 2 - n / 2 % 8;
}

/* The magnitudes of all columns, by halves down to leaves. */
static void sum_halves(const rows64 *rows, size_t width, bool in_float32, double sum[ROWS_L1])
{
    half stack[MOST_DEPTH];
    size_t depth = 1;

    stack[0] = (half){.first = 0, .n = width};
    while (depth > 0) {
        half *top = &stack[depth - 1];

        if (top->n > LEAF) {
            stack[depth++] = (half){.first = top->first, .n = left_of(top->n)};
            continue;
        }
        sum_leaf(rows, top->first, top->n, in_float32, sum);
        while (--depth > 0 && stack[depth - 1].has_left)
            FOR_FIRST_ROWS(rows->n, sum[r] = rounded(stack[depth - 1].left[r] + sum[r], in_float32))
        if (depth > 0) {
            top = &stack[depth - 1];
            top->has_left = true;
            FOR_FIRST_ROWS(rows->n, top->left[r] = sum[r])
            stack[depth++] = (half){.first = top->first + left_of(top->n), .n = top->n - left_of(top->n)};
        }
    }
}

static void sum_l1(const rows64 *rows, size_t width, bool in_float32, double sum[ROWS])
{
    for (size_t first = 0; first < rows->n; first += ROWS_L1) {
        size_t left = rows->n - first;
        rows64 part = {rows->in + first, rows->stride, left < ROWS_L1 ? left : ROWS_L1};

        sum_halves(&part, width, in_float32, sum + first);
    }
}

/* Which column comes as the i-th one, where a vector of 128 bits has `lanes`: of each four vectors the last one
 * first. */
static inline size_t in_order(size_t i, size_t width, size_t lanes)
{
    size_t vector = i / lanes % 4;

    return i < width - width % (4 * lanes) ? i - vector * lanes + (3 - vector) * lanes : i;
}

/* The squares of all columns, in as many sums as such a vector has lanes. In float32 all is done in it. */
#define SUM_L2(name, type, lanes, root)                                                                 \
    HB_INLINE void name##_of(const rows64 *rows, size_t n, size_t width, double sum[ROWS])              \
    {                                                                                                   \
        type lane[4][ROWS];                                                                             \
                                                                                                        \
        for (size_t k = 0; k < 4; k++)                                                                  \
            FOR_FIRST_ROWS(n, lane[k][r] = 0)                                                           \
        for (size_t i = 0; i < width; i++) {                                                            \
            size_t c = in_order(i, width, lanes);                                                       \
            const double *x = rows->in + c * rows->stride;                                              \
            type *to = lane[c % lanes];                                                                 \
                                                                                                        \
            FOR_FIRST_ROWS(n, to[r] += (type)x[r] * (type)x[r])                                         \
        }                                                                                               \
        FOR_FIRST_ROWS(n, sum[r] = (double)root((lane[0][r] + lane[1][r]) + (lane[2][r] + lane[3][r]))) \
    }                                                                                                   \
                                                                                                        \
    static void name(const rows64 *rows, size_t width, double sum[ROWS])                                \
    {                                                                                                   \
        if (rows->n == ROWS)                                                                            \
            name##_of(rows, ROWS, width, sum);                                                          \
        else                                                                                            \
            name##_of(rows, rows->n, width, sum);                                                       \
    }

SUM_L2(sum_l2_float32, float, 4, sqrtf)
SUM_L2(sum_l2_float64, double, 2, sqrt)

static void sum_l2(const rows64 *rows, size_t width, bool in_float32, double sum[ROWS])
{
    (in_float32 ? sum_l2_float32 : sum_l2_float64)(rows, width, sum);
}

static void largest(const rows64 *rows, size_t width, bool in_float32, double most[ROWS])
{
    (void)in_float32; /* nothing is computed */
    FOR_FIRST_ROWS(rows->n, most[r] = 0)
    for (size_t c = 0; c < width; c++) {
        const double *x = rows->in + c * rows->stride;

        FOR_FIRST_ROWS(rows->n, most[r] = fabs(x[r]) > most[r] ? fabs(x[r]) : most[r])
    }
}

typedef void (*norm_function)(const rows64 *rows, size_t width, bool in_float32, double norm[ROWS]);

/* The columns of some rows by their norms, in `type`. */
#define DIVIDE(name, type)                                                                                \
    HB_INLINE void name(const rows64 *rows, size_t n, size_t width, const double norm[ROWS], double *out) \
    {                                                                                                     \
        type by[ROWS];                                                                                    \
                                                                                                          \
        FOR_FIRST_ROWS(n, by[r] = (type)norm[r])                                                          \
        for (size_t c = 0; c < width; c++) {                                                              \
            const double *x = rows->in + c * rows->stride;                                                \
            double *to = out + c * rows->stride;                                                          \
                                                                                                          \
            HB_INDEPENDENT                                                                                \
            FOR_FIRST_ROWS(n, to[r] = (double)((type)x[r] / by[r]))                                       \
        }                                                                                                 \
    }

DIVIDE(divide_float32, float)
DIVIDE(divide_float64, double)

HB_INLINE void divide_by(const hb_tile64 *tile, norm_function norm_of, bool in_float32)
{
    double least = 10 * (in_float32 ? (double)FLT_EPSILON : DBL_EPSILON);

    for (size_t first = 0; first < tile->rows; first += ROWS) {
        size_t left = tile->rows - first;
        rows64 rows = {tile->in + first, tile->stride, left < ROWS ? left : ROWS};
        double norm[ROWS];

        norm_of(&rows, tile->width, in_float32, norm);
        FOR_FIRST_ROWS(rows.n, norm[r] = norm[r] < least ? 1 : norm[r])
        if (in_float32)
            divide_float32(&rows, rows.n, tile->width, norm, tile->out + first);
        else
            divide_float64(&rows, rows.n, tile->width, norm, tile->out + first);
    }
}

/* `in_float32` is a constant in each branch, so that no loop asks for it. */
#define NORM(name, norm_of)                                      \
    void HB_KERNEL(name)(const hb_tile64 *tile, bool in_float32) \
    {                                                            \
        if (in_float32)                                          \
            divide_by(tile, norm_of, true);                      \
        else                                                     \
            divide_by(tile, norm_of, false);                     \
    }

NORM(hb_norm_l1_64, sum_l1)
NORM(hb_norm_l2_64, sum_l2)
NORM(hb_norm_max64, largest)

/* ---- bins */

enum {
    FEW_ROWS = 8,
    MOST_LOOKED_AT = 32, /* edges, one by one; more of them, or of few rows, are searched */
    AT_ONCE = 64         /* rows with their counts */
};

/* Each edge for all rows: few edges need no search. */
static void count_edges(const double *x, size_t rows, const double *edges, size_t n, double *out)
{
    double count[AT_ONCE];

    for (size_t first = 0; first < rows; first += AT_ONCE) {
        size_t left = rows - first < AT_ONCE ? rows - first : AT_ONCE;

        FOR_FIRST_ROWS(left, count[r] = 0)
        for (size_t e = 0; e < n; e++)
            FOR_FIRST_ROWS(left, count[r] += edges[e] <= x[first + r] ? 1 : 0)
        FOR_FIRST_ROWS(left, out[first + r] = count[r])
    }
}

static size_t find_edge(const double *edges, size_t n, double x)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (edges[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void HB_KERNEL(hb_bins64)(const hb_tile64 *tile, const hb_bins *bins)
{
    for (size_t c = 0; c < tile->width; c++) {
        size_t begin = c ? bins->ends[c - 1] : 0, n = bins->ends[c] - begin;
        const double *x = tile->in + c * tile->stride, *edges = bins->edges + begin;
        double *out = tile->out + c * tile->stride;

        if (n <= MOST_LOOKED_AT && tile->rows >= FEW_ROWS)
            count_edges(x, tile->rows, edges, n, out);
        else
            FOR_FIRST_ROWS(tile->rows, out[r] = (double)find_edge(edges, n, x[r]))
    }
}

/* ---- products */

static inline void multiply(const hb_tile64 *tile, const hb_product *product, size_t to, bool in_float32)
{
    const double *x = tile->in + product->column * tile->stride;
    const double *of = tile->out + product->of * tile->stride;
    double *out = tile->out + to * tile->stride;

    HB_INDEPENDENT
    FOR_FIRST_ROWS(tile->rows, out[r] = rounded(of[r] * x[r], in_float32))
}

void HB_KERNEL(hb_products64)(const hb_tile64 *tile, const hb_product *products, size_t first, size_t end,
                              bool in_float32)
{
    for (size_t i = first; i < end; i++) {
        double *out = tile->out + i * tile->stride;
        const double *x = tile->in + products[i].column * tile->stride;

        if (products[i].of == HB_PRODUCT_ONE)
            FOR_FIRST_ROWS(tile->rows, out[r] = 1)
        else if (products[i].of == HB_PRODUCT_COLUMN)
            FOR_FIRST_ROWS(tile->rows, out[r] = x[r])
        else if (in_float32)
            multiply(tile, &products[i], i, true);
        else
            multiply(tile, &products[i], i, false);
    }
}

/* ---- marks */

void HB_KERNEL(hb_indicator64)(const hb_tile64 *tile, const uint32_t *columns, size_t n, double missing)
{
    for (size_t c = 0; c < n; c++) {
        const double *x = tile->in + columns[c] * tile->stride;
        double *out = tile->out + c * tile->stride;

        HB_INDEPENDENT
        FOR_FIRST_ROWS(tile->rows, out[r] = (x[r] != x[r]) | (x[r] == missing))
    }
}
