/* sparse_portable.c - see sparse_kernel.h: rows are the lanes, and two outputs at a time keep the adders busy, as each
 * has a list of columns of its own. */
#include "kernel/sparse_kernel.h"

#include "kernel/lanes.h"

/* As many doubles as the isa takes at once, anywhere in memory. */
typedef double lanes __attribute__((vector_size(8 * HB_LANES), aligned(8), may_alias));

enum {
    VECTORS = 4,
    ROWS = VECTORS * HB_LANES,
    FEW = ROWS / 8 /* rows that are faster as one vector than as a block */
};

/* One output's stored weights. */
typedef struct terms {
    const uint32_t *columns;
    const double *weights;
    size_t n;
} terms;

static terms terms_of(const hb_csr *csr, size_t output)
{
    size_t begin = hb_csr_begin(csr, output);

    return (terms){csr->columns + begin, csr->weights + begin, csr->ends[output] - begin};
}

/* `vectors` is a constant of the caller; so below. */
HB_INLINE void add_term(lanes *sum, const double *x, size_t stride, const terms *t, size_t i, size_t vectors)
{
    const double *in = x + t->columns[i] * stride;

    for (size_t v = 0; v < vectors; v++)
        sum[v] += *(const lanes *)(in + v * HB_LANES) * t->weights[i];
}

HB_INLINE void store(const lanes *sum, double bias, double *out, size_t vectors)
{
    for (size_t v = 0; v < vectors; v++)
        *(lanes *)(out + v * HB_LANES) = sum[v] + bias;
}

/* Output o of `vectors` * HB_LANES rows. */
HB_INLINE void sum_one(const double *x, size_t stride, const hb_csr *csr, size_t o, const double *bias, size_t vectors,
                       double *out)
{
    lanes sum[VECTORS] = {{0}};
    terms t = terms_of(csr, o);

    for (size_t i = 0; i < t.n; i++)
        add_term(sum, x, stride, &t, i, vectors);
    store(sum, bias[o], out, vectors);
}

/* Outputs o and o + 1. */
HB_INLINE void sum_two(const double *x, size_t stride, const hb_csr *csr, size_t o, const double *bias, size_t vectors,
                       double *out)
{
    lanes sum[VECTORS] = {{0}}, other_sum[VECTORS] = {{0}};
    terms t = terms_of(csr, o), other = terms_of(csr, o + 1);
    size_t i = 0, j;

    for (; i < t.n && i < other.n; i++) {
        add_term(sum, x, stride, &t, i, vectors);
        add_term(other_sum, x, stride, &other, i, vectors);
    }
    j = i;
    for (; i < t.n; i++)
        add_term(sum, x, stride, &t, i, vectors);
    for (; j < other.n; j++)
        add_term(other_sum, x, stride, &other, j, vectors);
    store(sum, bias[o], out, vectors);
    store(other_sum, bias[o + 1], out + stride, vectors);
}

HB_INLINE void sum_block(const hb_tile64 *tile, size_t r, const hb_csr *csr, const double *bias, size_t first,
                         size_t end, size_t vectors)
{
    const double *x = tile->in + r;
    double *out = tile->out + r;
    size_t o = first;

    for (; o + 2 <= end; o += 2)
        sum_two(x, tile->stride, csr, o, bias, vectors, out + (o - first) * tile->stride);
    if (o < end)
        sum_one(x, tile->stride, csr, o, bias, vectors, out + (o - first) * tile->stride);
}

/* One output after the other: their lists are mostly short, so that the CPU works on several at once anyway. */
static void sum_row(const hb_tile64 *tile, size_t r, const hb_csr *csr, const double *bias, size_t first, size_t end)
{
    const double *x = tile->in + r;
    size_t stride = tile->stride, i = hb_csr_begin(csr, first);

    for (size_t o = first; o < end; o++) {
        size_t after = csr->ends[o];
        double sum = 0;

#pragma GCC unroll 4
        for (; i < after; i++)
            sum += x[csr->columns[i] * stride] * csr->weights[i];
        tile->out[(o - first) * stride + r] = sum + bias[o];
    }
}

void HB_KERNEL(hb_sparse64)(const hb_tile64 *tile, const hb_csr *csr, const double *bias, size_t first, size_t end)
{
    size_t r = 0;

    /* The last block may have rows that nobody asked for, where the columns have room for them. */
    for (; r + FEW < tile->rows && r + ROWS <= tile->stride; r += ROWS)
        sum_block(tile, r, csr, bias, first, end, VECTORS);
    for (; r < tile->rows && r + HB_LANES <= tile->stride; r += HB_LANES)
        sum_block(tile, r, csr, bias, first, end, 1);
    for (; r < tile->rows; r++)
        sum_row(tile, r, csr, bias, first, end);
}

/* ---- all columns */

void HB_KERNEL(hb_sparse_all64)(const hb_tile64 *tile, const hb_csr *csr, const double *bias, size_t first, size_t end)
{
    for (size_t o = first; o < end; o++) {
        double *out = tile->out + (o - first) * tile->stride;
        terms t = terms_of(csr, o);
        size_t i = 0;

        for (size_t r = 0; r < tile->rows; r++)
            out[r] = 0;
        for (size_t c = 0; c < tile->width; c++) {
            const double *in = tile->in + c * tile->stride;
            double weight = i < t.n && t.columns[i] == c ? t.weights[i++] : 0;

            HB_INDEPENDENT
            for (size_t r = 0; r < tile->rows; r++)
                out[r] += in[r] * weight;
        }
        HB_INDEPENDENT
        for (size_t r = 0; r < tile->rows; r++)
            out[r] += bias[o];
    }
}
