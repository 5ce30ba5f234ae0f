/* blas.c - large products by the host's BLAS (hbs_run_use_blas), which sums in an order of its own.
 *
 * A tile of columns is a matrix as BLAS wants it, and so are the weights: nothing is copied. Only where both
 * sides of the weights are long and there are several rows is a call faster than our kernel (measured with
 * OpenBLAS 0.3.21: 1.1 to 1.5 times from 32 x 32 on with 64 rows; 0.4 to 1 times below). A row by itself is
 * always summed by our kernel.
 *
 * Where the library sums in float32, so does the BLAS, which is twice as fast again: then the numbers are converted, a
 * block at a time. */
#include "graph/evaluate.h"

#include <string.h>

enum {
    LEAST_SIDE = 32,
    LEAST_NARROW_SIDE = 3,
    LEAST_NARROW = 256, /* weights */
    LEAST_ROWS = 4,
    INPUTS_AT_ONCE = 1024,
    PRODUCTS_A_POLL = 1 << 22 /* well below a millisecond, as a BLAS is as fast as that */
};

bool hb_blas_takes(size_t inputs, size_t outputs, double number)
{
    if (number == HB_FLOAT32_BITS)
        return inputs >= LEAST_NARROW_SIDE && outputs >= LEAST_NARROW_SIDE &&
               inputs * outputs >= LEAST_NARROW;
    return inputs >= LEAST_SIDE && outputs >= LEAST_SIDE;
}

bool hb_blas_begin(const hb_call *call)
{
    return call->blas && call->rows >= LEAST_ROWS &&
           hb_blas_takes(call->input_width, call->width, call->number) &&
           call->blas->enter(call->blas->context);
}

static bool go_on(const hb_call *call)
{
    return !call->host || hb_poll(call->host, NULL) == HBS_OK;
}

static void add_bias(const hb_call *call, size_t first, size_t n)
{
    double *out = (double *)call->output + first * call->stride;
    hb_tile64 tile = {out, out, n, call->stride, call->rows};

    call->kernels->hb_add64(&tile, call->dense->bias + first);
}

/* To the outputs [first, first + n) the products of some inputs. */
static void add_products(const hb_call *call, size_t first, size_t n, size_t from, size_t inputs)
{
    size_t all = call->input_width, stride = call->stride;

    call->blas->add_product(call->blas->context, call->rows, n, inputs,
                            (const double *)call->input + from * stride, stride,
                            call->dense->weights + first * all + from, all,
                            (double *)call->output + first * stride, stride);
}

/* A block of the weights at a time, so that the host is asked often enough. */
static bool sum_all(const hb_call *call)
{
    size_t width = call->input_width < INPUTS_AT_ONCE ? call->input_width : INPUTS_AT_ONCE;
    size_t at_once = PRODUCTS_A_POLL / (width * call->rows) / 8 * 8;

    memset(call->output, 0, call->width * call->stride * sizeof(double));
    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        for (size_t f = 0; f < call->input_width; f += width) {
            if (o + f > 0 && !go_on(call))
                return false;
            add_products(call, o, n, f, call->input_width - f < width ? call->input_width - f : width);
        }
        add_bias(call, o, n);
        hb_clip_made(call, o, n);
    }
    return true;
}

/* ---- in float32 */

/* The same, to room->out. */
static void add_narrow(const hb_call *call, size_t first, size_t n, size_t from, size_t inputs)
{
    hb_blas_room *room = call->room;
    size_t all = call->input_width, stride = call->stride;
    const double *weights = call->dense->weights + first * all + from;

    if (first == 0 || inputs < all) /* else they are there already */
        call->kernels->hb_narrow64((const double *)call->input + from * stride, inputs * stride, room->in);
    for (size_t o = 0; inputs < all && o < n; o++)
        call->kernels->hb_narrow64(weights + o * all, inputs, room->weights + o * inputs);
    if (inputs == all)
        call->kernels->hb_narrow64(weights, n * all, room->weights);
    call->blas->add_product32(call->blas->context, call->rows, n, inputs, room->in, stride,
                              room->weights, inputs, room->out, stride);
}

static bool sum_narrow(const hb_call *call)
{
    size_t all = call->input_width, stride = call->stride;

    for (size_t o = 0; o < call->width; o += HB_NARROW_OUTPUTS) {
        size_t n = call->width - o < HB_NARROW_OUTPUTS ? call->width - o : HB_NARROW_OUTPUTS;

        memset(call->room->out, 0, n * stride * sizeof(float));
        for (size_t f = 0; f < all; f += HB_NARROW_INPUTS) {
            if (o + f > 0 && !go_on(call))
                return false;
            add_narrow(call, o, n, f, all - f < HB_NARROW_INPUTS ? all - f : HB_NARROW_INPUTS);
        }
        call->kernels->hb_widen64(call->room->out, stride, call->rows, call->dense->bias + o, n,
                                  (double *)call->output + o * stride);
        hb_clip_made(call, o, n);
    }
    return true;
}

bool hb_blas_dense(const hb_call *call)
{
    bool done = call->number == HB_FLOAT32_BITS ? sum_narrow(call) : sum_all(call);

    call->blas->leave(call->blas->context);
    return done;
}
