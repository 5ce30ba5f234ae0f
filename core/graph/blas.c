/* blas.c - large products by the host's BLAS (hbs_run_use_blas), which sums in an order of its own.
 *
 * A tile of columns is a matrix as BLAS wants it, and so are the weights: nothing is copied. Only where both
 * sides of the weights are long and there are several rows is a call faster than our kernel (measured with
 * OpenBLAS 0.3.21: 1.1 to 1.5 times from 32 x 32 on with 64 rows; 0.4 to 1 times below). A row by itself is
 * always summed by our kernel. */
#include "graph/evaluate.h"

enum {
    LEAST_SIDE = 32,
    LEAST_ROWS = 4,
    INPUTS_AT_ONCE = 1024,
    PRODUCTS_A_POLL = 1 << 22 /* well below a millisecond, as a BLAS is as fast as that */
};

bool hb_blas_takes(size_t inputs, size_t outputs)
{
    return inputs >= LEAST_SIDE && outputs >= LEAST_SIDE;
}

bool hb_blas_begin(const hb_call *call)
{
    return call->blas && call->rows >= LEAST_ROWS && hb_blas_takes(call->input_width, call->width) &&
           call->blas->enter(call->blas->context);
}

static bool go_on(const hb_call *call)
{
    return !call->host || hb_poll(call->host, NULL) == HBS_OK;
}

static void begin_sums(const hb_call *call)
{
    double *out = call->output;

    for (size_t o = 0; o < call->width; o++)
        for (size_t r = 0; r < call->rows; r++)
            out[o * call->stride + r] = call->dense->bias[o];
}

/* To the sums of the outputs [first, first + n) the products of some inputs. */
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

    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        for (size_t f = 0; f < call->input_width; f += width) {
            if (o + f > 0 && !go_on(call))
                return false;
            add_products(call, o, n, f, call->input_width - f < width ? call->input_width - f : width);
        }
    }
    return true;
}

bool hb_blas_dense(const hb_call *call)
{
    bool done;

    begin_sums(call);
    done = sum_all(call);
    call->blas->leave(call->blas->context);
    return done;
}
