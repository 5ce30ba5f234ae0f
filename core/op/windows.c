/* windows.c - convolutions and pools: some places of the window and some outputs at a time. */
#include "op/execution.h"

/* The count of places and outputs (or channels) in one unit of work, of `steps` for one number of all rows. */
typedef struct parts {
    size_t places, outputs;
} parts;

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Kernels of few rows take some places side by side. */
static parts parts_of(size_t steps, size_t block, size_t places, size_t outputs)
{
    enum { MOST = 16 * HB_STEPS_AT_ONCE /* of eight outputs, which are faster together */ };
    parts p = {.outputs = least_of(HB_STEPS_AT_ONCE / (steps * block) / 8 * 8 + 8, outputs)};
    size_t blocks;

    if (steps * block * p.outputs > MOST)
        p.outputs = MOST / (steps * block) ? MOST / (steps * block) : 1;
    blocks = HB_STEPS_AT_ONCE / (steps * block * p.outputs);
    p.places = least_of((blocks ? blocks : 1) * block, places);
    return p;
}

/* One group of channels of one image. */
static bool convolve(const hb_call *call, const hb_convolution *c, const hb_tile *tile)
{
    size_t steps = c->channels * hb_windows_count(c->windows.kernel) * call->rows;
    size_t places = hb_windows_count(c->windows.out);
    parts at_once = parts_of(steps, call->rows <= HB_CONVOLUTION_FEW ? HB_CONVOLUTION_PLACES : 1, places, c->outputs);

    for (size_t o = 0; o < c->outputs; o += at_once.outputs)
        for (size_t p = 0; p < places; p += at_once.places) {
            size_t n = least_of(at_once.outputs, c->outputs - o), m = least_of(at_once.places, places - p);

            call->kernels->hb_convolution32(tile, c, p, p + m, o, o + n);
            if (!hb_call_goes_on(call, n * m * steps / HB_STEPS_A_UNIT))
                return false;
        }
    return true;
}

bool hb_evaluate_convolution(const hb_call *call)
{
    const hb_fit_convolution *fit = call->fit;
    size_t in = fit->n_channels * hb_windows_count(fit->windows.in) * call->stride;
    size_t out = fit->n_outputs * hb_windows_count(fit->windows.out) * call->stride;
    size_t weights = fit->n_channels * hb_windows_count(fit->windows.kernel) * fit->n_outputs;
    hb_tile tile = {call->input, call->output, call->input_width, call->stride, call->rows};
    hb_convolution c = {fit->windows, fit->n_channels, fit->n_outputs, NULL, NULL, {fit->limits[0], fit->limits[1]}};

    for (size_t image = 0; image < fit->n_images; image++)
        for (size_t g = 0; g < fit->n_groups; g++) {
            c.weights = fit->weights + g * weights;
            c.bias = fit->bias + g * fit->n_outputs;
            if (!convolve(call, &c, &tile))
                return false;
            tile.in += in;
            tile.out += out;
        }
    return true;
}

static void pool(const hb_call *call, const hb_pool *pool, size_t first, size_t end, size_t from, size_t to)
{
    if (call->dtype == HB_DTYPE_FLOAT32)
        call->kernels->hb_pool32(&(hb_tile){call->input, call->output, call->input_width, call->stride, call->rows},
                                 pool, first, end, from, to);
    else
        call->kernels->hb_pool64(&(hb_tile64){call->input, call->output, call->input_width, call->stride, call->rows},
                                 pool, first, end, from, to);
}

bool hb_evaluate_pool(const hb_call *call)
{
    enum { STEPS_A_WINDOW = 16 /* beside its items */ };
    const hb_fit_pool *fit = call->fit;
    const hb_pool p = {fit->windows, fit->largest, fit->divisors};
    size_t steps = hb_windows_most(&fit->windows) * call->rows + STEPS_A_WINDOW;
    parts at_once = parts_of(steps, 1, fit->n_places, fit->n_channels);

    for (size_t c = 0; c < fit->n_channels; c += at_once.outputs)
        for (size_t first = 0; first < fit->n_places; first += at_once.places) {
            size_t n = least_of(at_once.outputs, fit->n_channels - c);
            size_t m = least_of(at_once.places, fit->n_places - first);

            pool(call, &p, first, first + m, c, c + n);
            if (!hb_call_goes_on(call, n * m * steps / HB_STEPS_A_UNIT))
                return false;
        }
    return true;
}
