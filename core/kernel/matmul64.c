/* matmul64.c - see matmul64.h. The lanes of a sum are rows of the tile, or of a single row the columns of the right
 * matrix: so the order of each sum stays. */
#include "kernel/matmul64.h"

#include <math.h>

#include "kernel/kernels.h"

enum { LANES = 64 };

/* `n` sums side by side: left numbers are `left_step` apart from lane to lane (0: one for all), right ones likewise. */
typedef struct lanes {
    const double *left, *right;
    size_t left_next, right_next; /* to the next term */
    size_t terms, n;
} lanes;

#define SUM(name, type, step)                                                                              \
    HB_INLINE void name(const lanes *l, size_t left_step, size_t right_step, double *out, size_t out_step) \
    {                                                                                                      \
        type sums[LANES] = {0};                                                                            \
                                                                                                           \
        for (size_t t = 0; t < l->terms; t++) {                                                            \
            const double *x = l->left + t * l->left_next, *y = l->right + t * l->right_next;               \
                                                                                                           \
            HB_INDEPENDENT                                                                                 \
            for (size_t i = 0; i < l->n; i++)                                                              \
                sums[i] = step((type)x[i * left_step], (type)y[i * right_step], sums[i]);                  \
        }                                                                                                  \
        for (size_t i = 0; i < l->n; i++)                                                                  \
            out[i * out_step] = sums[i] == sums[i] ? (double)sums[i] : NAN;                                \
    }

#define TWICE_ROUNDED(x, y, sum) ((x) * (y) + (sum))

/* clang-format off */
SUM(sum64, double, TWICE_ROUNDED)
SUM(sum32, float, __builtin_fmaf)
/* clang-format on */

HB_INLINE void sum(const lanes *l, bool in_float32, size_t left_step, size_t right_step, double *out, size_t out_step)
{
    if (in_float32)
        sum32(l, left_step, right_step, out, out_step);
    else
        sum64(l, left_step, right_step, out, out_step);
}

/* Row by row: the lanes are columns of the right matrix. */
static void over_columns(const hb_tile64 *tile, const hb_right_matrix *right, bool in_float32, size_t r)
{
    size_t row = right->is_constant ? 0 : r;

    for (size_t first = 0; first < right->columns; first += LANES) {
        size_t n = right->columns - first < LANES ? right->columns - first : LANES;
        const lanes l = {tile->in + r, right->items + first * right->step + row,
                         tile->stride, right->pitch * right->step,
                         tile->width,  n};
        double *out = tile->out + first * tile->stride + r;

        if (tile->stride == 1 && right->step == 1)
            sum(&l, in_float32, 0, 1, out, 1);
        else
            sum(&l, in_float32, 0, right->step, out, tile->stride);
    }
}

/* Column by column: the lanes are rows of the tile. */
static void over_rows(const hb_tile64 *tile, const hb_right_matrix *right, bool in_float32)
{
    for (size_t j = 0; j < right->columns; j++)
        for (size_t first = 0; first < tile->rows; first += LANES) {
            size_t n = tile->rows - first < LANES ? tile->rows - first : LANES;
            const lanes l = {tile->in + first, right->items + j * right->step + (right->is_constant ? 0 : first),
                             tile->stride,     right->pitch * right->step,
                             tile->width,      n};

            sum(&l, in_float32, 1, right->is_constant ? 0 : 1, tile->out + j * tile->stride + first, 1);
        }
}

void HB_KERNEL(hb_matmul64)(const hb_tile64 *tile, const hb_right_matrix *right, bool in_float32)
{
    enum { FEW = 4 };

    if (tile->rows > FEW)
        over_rows(tile, right, in_float32);
    for (size_t r = 0; tile->rows <= FEW && r < tile->rows; r++)
        over_columns(tile, right, in_float32, r);
}
