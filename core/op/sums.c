/* sums.c - models that add up all columns. */
#include "kernel/elementwise.h"
#include "op/product.h"

/* Some inputs of an output at a time; the sums go on where they were. */
bool hb_evaluate_linear(const hb_call *call)
{
    const hb_fit_linear *fit = call->fit;
    size_t n = call->input_width, at_once = HB_WORK_A_POLL / 4 / call->rows;
    hb_tile tile = {call->input, call->output, call->input_width, call->stride, call->rows};

    for (size_t o = 0; o < call->width; o++) {
        hb_linear_begin(&tile, o, fit->bias, call->inputs[1]);
        for (size_t first = 0, end; first < n; first = end) {
            end = n - first < at_once ? n : first + at_once;
            hb_linear_add(&tile, first, end, o, call->width, fit->weights);
            if (!hb_call_goes_on(call, (end - first) * call->rows))
                return false;
        }
    }
    return true;
}

/* Some outputs at a time; where they are clipped too, as many as stay in the nearest cache. */
bool hb_evaluate_dense(const hb_call *call)
{
    enum { CLIPPED = 16 };
    const hb_fit_dense *dense = call->fit;
    size_t steps = call->input_width * call->rows, at_once = HB_STEPS_AT_ONCE / (steps ? steps : 1) / 4 * 4 + 4;
    hb_tile64 tile = hb_call_tile64(call);

    if (hb_blas_begin(call))
        return hb_blas_dense(call);
    if (call->limits && call->rows > 1 && at_once > CLIPPED)
        at_once = CLIPPED;
    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        tile.out = (double *)call->output + o * call->stride;
        call->kernels->hb_dense64(&tile, dense->weights + o * call->input_width, dense->bias + o, n);
        hb_clip_made(call, o, n);
        if (!hb_call_goes_on(call, n * steps / HB_STEPS_A_UNIT))
            return false;
    }
    return true;
}

bool hb_evaluate_dense_segments(const hb_call *call)
{
    const hb_fit_dense_segments *fit = call->fit;
    size_t steps = fit->n_weights * call->rows, at_once = HB_STEPS_AT_ONCE / (steps ? steps : 1) / 4 * 4 + 4;
    hb_segments_tile tile = {call->inputs, fit->segments, fit->n_segments, fit->n_weights, call->stride, call->rows};

    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        (fit->in_float32 ? call->kernels->hb_dense_segments32 : call->kernels->hb_dense_segments64)(
            &tile, fit->weights + o * fit->n_weights, fit->bias + o, n, (double *)call->output + o * call->stride);
        if (!hb_call_goes_on(call, n * steps / HB_STEPS_A_UNIT))
            return false;
    }
    return true;
}

/* Some outputs at a time. */
bool hb_evaluate_product32(const hb_call *call)
{
    const hb_fit_product32 *fit = call->fit;
    size_t steps = call->input_width * call->rows, at_once = HB_STEPS_AT_ONCE / (steps ? steps : 1) / 4 * 4 + 4;
    hb_tile tile = {call->input, call->output, call->input_width, call->stride, call->rows};

    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        tile.out = (float *)call->output + o * call->stride;
        call->kernels->hb_product32(&tile, fit->weights + o * call->input_width, fit->bias + o, n);
        if (!hb_call_goes_on(call, n * steps / HB_STEPS_A_UNIT))
            return false;
    }
    return true;
}

/* Some outputs at a time; a division takes longer than a product. */
bool hb_evaluate_gaussian_nb(const hb_call *call)
{
    const hb_fit_gaussian_nb *gaussian = call->fit;
    size_t steps = 2 * call->input_width * call->rows;
    size_t at_once = HB_STEPS_AT_ONCE / (steps ? steps : 1) / 4 * 4 + 4;
    hb_tile64 tile = hb_call_tile64(call);

    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        tile.out = (double *)call->output + o * call->stride;
        call->kernels->hb_gaussian64(&tile, gaussian->parameters + o * call->input_width * 2, gaussian->constants + o,
                                     n);
        if (!hb_call_goes_on(call, n * steps / HB_STEPS_A_UNIT))
            return false;
    }
    return true;
}
