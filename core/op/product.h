/* product.h - dense products by the host's BLAS. */
#ifndef HB_OP_PRODUCT_H
#define HB_OP_PRODUCT_H

#include "op/execution.h"

/* A product in float32 is converted into this, a block of the weights at a time, for up to HB_NARROW_ROWS rows. Columns
 * lie HB_NARROW_ROWS apart here, whatever the stride of their tile. The first blocks that a run meets are kept for its
 * next tiles, since the weights of a plan do not change. Outputs that a product feeds to the next product stay in
 * float32 where they lie, as [width][stride]. */
enum { HB_NARROW_ROWS = 64, HB_NARROW_INPUTS = 256, HB_NARROW_OUTPUTS = 32, HB_NARROW_KEPT = 32 };
typedef struct hb_product_room {
    const hbs_blas *blas; /* the host's */
    float in[HB_NARROW_INPUTS * HB_NARROW_ROWS];
    float weights[HB_NARROW_OUTPUTS * HB_NARROW_INPUTS];
    float out[HB_NARROW_OUTPUTS * HB_NARROW_ROWS];
    const void *fed;      /* the place of numbers in float32 that wait for the next product; NULL: none */
    bool is_fed;          /* the product at work takes them */
    bool gave, kept_back; /* since somebody cleared them: products to the BLAS; products that it did not take */
    struct {
        const double *of; /* its first weight, in the plan */
        size_t at;        /* in `kept` */
    } blocks[HB_NARROW_KEPT];
    size_t n_blocks, used;
    float kept[2 * HB_NARROW_OUTPUTS * HB_NARROW_INPUTS];
} hb_product_room;

/* Columns [first, first + n) that a dense call has just made, while they are near. */
static inline void hb_clip_made(const hb_call *call, size_t first, size_t n)
{
    double *made = (double *)call->output + first * call->stride;
    hb_tile64 tile = {made, made, n, call->stride, call->rows};

    if (call->limits)
        call->kernels->hb_clip64(&tile, call->limits);
}

/* True if a BLAS is asked for products of this shape. */
bool hb_blas_takes(size_t inputs, size_t outputs, bool in_float32);
/* True if the BLAS takes the call's product now: hb_blas_dense must follow. */
bool hb_blas_begin(const hb_call *call);

/* The same as hb_evaluate_dense, with another order of sums; false where the host wants to stop. */
bool hb_blas_dense(const hb_call *call);

/* True if only the product that is evaluated next reads what the product `node` makes, clipped or not, and both sum in
 * float32. */
bool hb_blas_feeds(const hb_graph *graph, size_t node);

#endif
