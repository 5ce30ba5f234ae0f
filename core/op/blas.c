/* blas.c - large products by the host's BLAS (hbs_run_use_blas), which sums in an order of its own.
 *
 * A tile of columns is a matrix as BLAS wants it, and so are the weights: nothing is copied. Only where both
 * sides of the weights are long and there are several rows is a call faster than our kernel (measured with
 * OpenBLAS 0.3.21: 1.1 to 1.5 times from 32 x 32 on with 64 rows; 0.4 to 1 times below). A row by itself is
 * always summed by our kernel.
 *
 * If the training library sums in float32, so does the BLAS, which is twice as fast again. The numbers are then
 * converted to float32, a block at a time. */
#include "op/product.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_SIDE = 32,
    LEAST_NARROW_SIDE = 3,
    LEAST_NARROW = 256, /* weights */
    LEAST_ROWS = 4,
    INPUTS_AT_ONCE = 1024,
    LEAST_AT_ONCE = 8,        /* outputs of one product, however many rows and inputs it has */
    PRODUCTS_A_POLL = 1 << 22 /* well below a millisecond, as a BLAS is as fast as that */
};

bool hb_blas_takes(size_t inputs, size_t outputs, bool in_float32)
{
    if (in_float32)
        return inputs >= LEAST_NARROW_SIDE && outputs >= LEAST_NARROW_SIDE && inputs * outputs >= LEAST_NARROW;
    return inputs >= LEAST_SIDE && outputs >= LEAST_SIDE;
}

/* The last node that some output needs and that reads node i; HB_NO_NODE if there is none. */
static size_t last_reader(const hb_graph *graph, size_t i)
{
    for (size_t t = graph->nodes.count; t-- > i + 1;) {
        const hb_node *node = hb_node_at(graph, t);

        for (size_t k = 0; node->outputs && k < node->n_inputs; k++)
            if (node->inputs[k] == i)
                return t;
    }
    return HB_NO_NODE;
}

static bool is_narrow_product(const hb_graph *graph, size_t i)
{
    const hb_node *node = hb_node_at(graph, i);

    return node->kind == HB_OPERATOR_DENSE && ((const hb_fit_dense *)node->fit)->in_float32 &&
           hb_blas_takes(hb_input_width(graph, node), node->value.width, true);
}

bool hb_blas_feeds(const hb_graph *graph, size_t node)
{
    size_t clip = HB_NO_NODE, next;

    if (!is_narrow_product(graph, node))
        return false;
    next = last_reader(graph, node);
    if (next != HB_NO_NODE && hb_node_at(graph, next)->kind == HB_OPERATOR_CLIP) {
        clip = next;
        next = last_reader(graph, clip);
    }
    /* The outputs of a node that is one itself are more than those of its reader. */
    if (next == HB_NO_NODE || !is_narrow_product(graph, next) ||
        hb_node_at(graph, next)->outputs != hb_node_at(graph, node)->outputs)
        return false;
    for (size_t t = node + 1; t < next; t++)
        if (t != clip && hb_is_step(hb_node_at(graph, t)))
            return false;
    return true;
}

static const hb_fit_dense *fit_of(const hb_call *call)
{
    return call->fit;
}

/* Converts the input back to float64 if the previous product left it as float32 and the library does not take this
 * product now. The last column comes first, since the float64 columns overwrite the float32 ones behind them. */
static void widen_fed(const hb_call *call)
{
    const double none = 0, unlimited[2] = {-INFINITY, INFINITY};
    double *wide = (double *)(uintptr_t)call->input;
    const float *narrow = call->input;

    for (size_t f = call->input_width; f-- > 0;) {
        memcpy(call->room->out, narrow + f * call->stride, call->rows * sizeof(float));
        call->kernels->hb_widen64(call->room->out, HB_NARROW_ROWS, call->rows, &none, 1, unlimited,
                                  wide + f * call->stride, call->stride);
    }
}

bool hb_blas_begin(const hb_call *call)
{
    bool has_room = !fit_of(call)->in_float32 || call->rows <= HB_NARROW_ROWS;
    bool takes = call->room && call->rows >= LEAST_ROWS && has_room &&
                 hb_blas_takes(call->input_width, call->width, fit_of(call)->in_float32) &&
                 call->room->blas->enter(call->room->blas->context);

    if (!call->room)
        return takes;
    *(takes ? &call->room->gave : &call->room->kept_back) = true;
    call->room->is_fed = call->room->fed == call->input;
    call->room->fed = NULL;
    if (call->room->is_fed && !takes)
        widen_fed(call);
    return takes;
}

static bool go_on(const hb_call *call)
{
    return !call->polls || hb_work_ask(call->polls);
}

static void add_bias(const hb_call *call, size_t first, size_t n)
{
    double *out = (double *)call->output + first * call->stride;
    hb_tile64 tile = {out, out, n, call->stride, call->rows};

    call->kernels->hb_add64(&tile, fit_of(call)->bias + first);
}

/* To the outputs [first, first + n) the products of some inputs. */
static void add_products(const hb_call *call, size_t first, size_t n, size_t from, size_t inputs)
{
    size_t all = call->input_width, stride = call->stride;

    call->room->blas->add_product(
        call->room->blas->context, call->rows, n, inputs, (const double *)call->input + from * stride, stride,
        fit_of(call)->weights + first * all + from, all, (double *)call->output + first * stride, stride);
}

/* Products are added to zeros. Clears the call's rows only: in a larger tile other rows lie between them. */
static void clear_outputs(const hb_call *call, size_t first, size_t n)
{
    double *out = (double *)call->output + first * call->stride;

    if (call->rows == call->stride)
        memset(out, 0, n * call->stride * sizeof(*out));
    else
        for (size_t o = 0; o < n; o++)
            memset(out + o * call->stride, 0, call->rows * sizeof(*out));
}

/* A block of the weights at a time, so that the host is asked often enough. */
static bool sum_all(const hb_call *call)
{
    size_t width = call->input_width < INPUTS_AT_ONCE ? call->input_width : INPUTS_AT_ONCE;
    size_t at_once = PRODUCTS_A_POLL / (width * call->rows) / LEAST_AT_ONCE * LEAST_AT_ONCE;

    if (at_once < LEAST_AT_ONCE)
        at_once = LEAST_AT_ONCE;
    for (size_t o = 0; o < call->width; o += at_once) {
        size_t n = call->width - o < at_once ? call->width - o : at_once;

        clear_outputs(call, o, n);
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

/* Outputs [0, n) of a block of inputs in float32, from `weights` on. */
static const float *narrow_weights(const hb_call *call, const double *weights, size_t n, size_t inputs)
{
    hb_product_room *room = call->room;
    size_t all = call->input_width;
    float *made = room->weights;

    for (size_t i = 0; i < room->n_blocks; i++)
        if (room->blocks[i].of == weights)
            return room->kept + room->blocks[i].at;
    if (room->n_blocks < HB_NARROW_KEPT && n * inputs <= sizeof(room->kept) / sizeof(float) - room->used) {
        made = room->kept + room->used;
        room->blocks[room->n_blocks].of = weights;
        room->blocks[room->n_blocks++].at = room->used;
        room->used += n * inputs;
    }
    if (inputs == all)
        call->kernels->hb_narrow64(weights, n * all, made);
    for (size_t o = 0; inputs < all && o < n; o++)
        call->kernels->hb_narrow64(weights + o * all, inputs, made + o * inputs);
    return made;
}

/* Inputs [from, from + inputs) of the call's rows to room->in. With a stride of HB_NARROW_ROWS they are one run. */
static void narrow_inputs(const hb_call *call, size_t from, size_t inputs)
{
    const double *in = (const double *)call->input + from * call->stride;
    float *to = call->room->in;

    if (call->stride == HB_NARROW_ROWS)
        call->kernels->hb_narrow64(in, inputs * HB_NARROW_ROWS, to);
    else
        for (size_t f = 0; f < inputs; f++)
            call->kernels->hb_narrow64(in + f * call->stride, call->rows, to + f * HB_NARROW_ROWS);
}

/* Columns of float32. */
typedef struct narrow_columns {
    float *at;
    size_t stride;
} narrow_columns;

/* As add_products in float32, to `out`. */
static void add_narrow(const hb_call *call, size_t first, size_t n, size_t from, size_t inputs, narrow_columns out)
{
    hb_product_room *room = call->room;
    size_t all = call->input_width;
    const double *weights = fit_of(call)->weights + first * all + from;
    const float *fed = (const float *)call->input + from * call->stride;

    if (!room->is_fed && (first == 0 || inputs < all)) /* else they are there already */
        narrow_inputs(call, from, inputs);
    call->room->blas->add_product32(call->room->blas->context, call->rows, n, inputs, room->is_fed ? fed : room->in,
                                    room->is_fed ? call->stride : HB_NARROW_ROWS,
                                    narrow_weights(call, weights, n, inputs), inputs, out.at, out.stride);
}

static bool sum_narrow(const hb_call *call)
{
    const double unlimited[2] = {-INFINITY, INFINITY}, *limits = call->limits ? call->limits : unlimited;
    size_t all = call->input_width, stride = call->stride;

    for (size_t o = 0; o < call->width; o += HB_NARROW_OUTPUTS) {
        size_t n = call->width - o < HB_NARROW_OUTPUTS ? call->width - o : HB_NARROW_OUTPUTS;
        narrow_columns out = call->feeds_product ? (narrow_columns){(float *)call->output + o * stride, stride}
                                                 : (narrow_columns){call->room->out, HB_NARROW_ROWS};

        memset(out.at, 0, n * out.stride * sizeof(*out.at));
        for (size_t f = 0; f < all; f += HB_NARROW_INPUTS) {
            if (o + f > 0 && !go_on(call))
                return false;
            add_narrow(call, o, n, f, all - f < HB_NARROW_INPUTS ? all - f : HB_NARROW_INPUTS, out);
        }
        if (call->feeds_product)
            call->kernels->hb_finish32(out.at, stride, call->rows, fit_of(call)->bias + o, n, limits);
        else
            call->kernels->hb_widen64(out.at, out.stride, call->rows, fit_of(call)->bias + o, n, limits,
                                      (double *)call->output + o * stride, stride);
    }
    call->room->fed = call->feeds_product ? call->output : NULL;
    return true;
}

bool hb_blas_dense(const hb_call *call)
{
    bool done = fit_of(call)->in_float32 ? sum_narrow(call) : sum_all(call);

    call->room->blas->leave(call->room->blas->context);
    return done;
}
