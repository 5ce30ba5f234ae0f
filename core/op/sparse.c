/* sparse.c - weighted sums without the weights of 0, as long as the rows' numbers are finite. */
#include "op/product.h"

/* The last of some outputs whose weights are summed before the host is asked, + 1. */
static size_t end_of_part(const hb_csr *csr, size_t first, size_t outputs, size_t rows)
{
    size_t most = hb_csr_begin(csr, first) + HB_STEPS_AT_ONCE / rows, end = first + 1;

    if (csr->n_weights <= most)
        return outputs;
    while (end < outputs && csr->ends[end] <= most)
        end++;
    return end;
}

static bool is_finite(const hb_call *call, size_t first, size_t n)
{
    const double *made = (const double *)call->output + first * call->stride;

    if (call->rows == call->stride)
        return !(call->kernels->hb_look_at64(made, n * call->stride) & (HB_SAW_NAN | HB_SAW_INFINITE));
    for (size_t o = 0; o < n; o++)
        if (call->kernels->hb_look_at64(made + o * call->stride, call->rows) & (HB_SAW_NAN | HB_SAW_INFINITE))
            return false;
    return true;
}

/* All products, those of 0 too: for a tile that has an infinity or NaN. */
static bool sum_all(const hb_call *call)
{
    const hb_fit_sparse *sparse = call->fit;
    hb_tile64 tile = hb_call_tile64(call);

    for (size_t o = 0; o < call->width; o++) {
        tile.out = (double *)call->output + o * call->stride;
        call->kernels->hb_sparse_all64(&tile, &sparse->csr, sparse->bias, o, o + 1);
        hb_clip_made(call, o, 1);
        if (!hb_call_goes_on(call, call->input_width * call->rows / HB_STEPS_A_UNIT + 1))
            return false;
    }
    return true;
}

/* Some outputs at a time. If all sums are finite, so were the numbers. */
bool hb_evaluate_sparse(const hb_call *call)
{
    const hb_fit_sparse *sparse = call->fit;
    hb_tile64 tile = hb_call_tile64(call);

    for (size_t o = 0, end; o < call->width; o = end) {
        size_t steps;

        end = end_of_part(&sparse->csr, o, call->width, call->rows);
        steps = (sparse->csr.ends[end - 1] - hb_csr_begin(&sparse->csr, o)) * call->rows;
        tile.out = (double *)call->output + o * call->stride;
        call->kernels->hb_sparse64(&tile, &sparse->csr, sparse->bias, o, end);
        if (!is_finite(call, o, end - o))
            return sum_all(call);
        hb_clip_made(call, o, end - o);
        if (!hb_call_goes_on(call, steps / HB_STEPS_A_UNIT))
            return false;
    }
    return true;
}
