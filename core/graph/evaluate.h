/* evaluate.h - what each tensor operator computes: one function each, for constant folding and for plans.
 *
 * TABLE and ENCODE read the caller's columns and can fail for a row; plan/bind.c does both in one. */
#ifndef HB_GRAPH_EVALUATE_H
#define HB_GRAPH_EVALUATE_H

#include "graph/graph.h"
#include "kernel/forest_kernel.h"
#include "kernel/kernels.h"
#include "kernel/ptt_kernel.h"

/* Rows of a tile that a step refuses: those with a value that an encoder does not know, and the first such
 * value of each; and those with a number that a guard does not let by. */
typedef struct hb_refusal {
    uint64_t rows;         /* bit r: row r; only of these the arrays are set */
    uint32_t features[64]; /* the feature that the value comes from, or UINT32_MAX */
    double values[64];
    uint64_t beyond; /* of guards */
} hb_refusal;

/* A product in float32 is converted into this, a block of the weights at a time, for up to HB_NARROW_ROWS rows. Columns
 * lie HB_NARROW_ROWS apart here, whatever the stride of their tile. The first blocks that a run meets are kept for its
 * next tiles, since the weights of a plan do not change. Outputs that a product feeds to the next product stay in
 * float32 where they lie, as [width][stride]. */
enum { HB_NARROW_ROWS = 64, HB_NARROW_INPUTS = 256, HB_NARROW_OUTPUTS = 32, HB_NARROW_KEPT = 32 };
typedef struct hb_blas_room {
    float in[HB_NARROW_INPUTS * HB_NARROW_ROWS];
    float weights[HB_NARROW_OUTPUTS * HB_NARROW_INPUTS];
    float out[HB_NARROW_OUTPUTS * HB_NARROW_ROWS];
    const void *fed; /* the place of numbers in float32 that wait for the next product; NULL: none */
    bool is_fed;     /* the product at work takes them */
    struct {
        const double *of; /* its first weight, in the plan */
        size_t at;        /* in `kept` */
    } blocks[HB_NARROW_KEPT];
    size_t n_blocks, used;
    float kept[2 * HB_NARROW_OUTPUTS * HB_NARROW_INPUTS];
} hb_blas_room;

/* One tensor over a tile: `rows` <= `stride` rows, column-major ([width][stride]). */
typedef struct hb_call {
    const hb_kernels *kernels;
    hb_tensor_kind kind;
    hb_dtype dtype; /* of input and output; narrow: of the output */
    double number;
    size_t stride, rows;
    size_t input_width, width;
    const void *input;                        /* [input_width][stride] */
    const void *base;                         /* tree_ensemble, linear: [width] */
    bool base_is_rows;                        /* tree_ensemble: [width][stride] instead */
    const hb_forest32 *forest;                /* tree_ensemble in float32 */
    const hb_forest64 *wide;                  /* in float64 */
    const hb_bits_forest *bits;               /* the same in bits, for these rows.. */
    const hb_gemm_forest *gemm;               /* ..or as products of matrices.. */
    const hb_ptt_forest *ptt;                 /* ..or as perfect trees.. */
    const hb_row_forest *row;                 /* ..or for one row after the other, which then is done.. */
    const hb_compact_forest *compact;         /* ..or by walks on compact nodes; NULL all: by walks */
    void *work;                               /* bits, gemm, compact: hb_forest_work bytes, at a multiple of 64 */
    bool has_missing;                         /* gemm: of the rows in `work` */
    bool is_float32;                          /* with bits: float32 holds every number of the input */
    const float *weights, *bias;              /* linear */
    const hb_dense_model *dense;              /* dense */
    const double *limits;                     /* dense: that its output is clipped to; NULL: none */
    bool feeds_product;                       /* dense: its last reader is the product that is evaluated next */
    const hb_gaussian_model *gaussian;        /* gaussian_nb */
    const hb_encoder *encoder;                /* onehot, recode */
    struct hb_refusal *refusal;               /* onehot, recode: rows that have no result are added to it */
    const uint8_t *asked;                     /* guard, onehot, recode: as of hb_tensor */
    hb_asker asker;                           /* whose it is of these */
    const uint32_t *columns;                  /* select, indicator */
    const hb_bins *bins;                      /* bins */
    const hb_product *products;               /* products */
    const hb_category_statistics *statistics; /* category_columns */
    void *output;                             /* [width][stride] */
    const hbs_blas *blas;                     /* dense, gemm: takes products; NULL: none */
    hb_blas_room *room;                       /* dense: with a blas */
    hb_work *polls;                           /* counts what is done; NULL: the host is never asked whether to stop */
} hb_call;

/* Columns [first, first + n) that a dense call has just made, while they are near. */
static inline void hb_clip_made(const hb_call *call, size_t first, size_t n)
{
    double *made = (double *)call->output + first * call->stride;
    hb_tile64 tile = {made, made, n, call->stride, call->rows};

    if (call->limits)
        call->kernels->hb_clip64(&tile, call->limits);
}

/* False where the host wants to stop, which it is asked after many units of work. */
static inline bool hb_call_goes_on(const hb_call *call, size_t units)
{
    return !call->polls || hb_goes_on(call->polls, units);
}

/* False where the host wants to stop; the output is then not complete. */
bool hb_evaluate(const hb_call *call);

/* graph/trees.c: hb_evaluate of a tree ensemble. Rows may be more than those of a tile. */
bool hb_evaluate_trees(const hb_call *call);

/* graph/blas.c: whether a BLAS is asked for products of this shape (`number` is the tensor's); whether it takes that of
 * a call now, which hb_blas_dense must follow: hb_evaluate of a dense tensor, with another order of sums. */
bool hb_blas_takes(size_t inputs, size_t outputs, double number);
bool hb_blas_begin(const hb_call *call);

/* Whether what the product `tensor` makes, clipped or not, is for the next one that is evaluated alone, and both sum in
 * float32. */
bool hb_blas_feeds(const hb_graph *graph, size_t tensor);

/* `call`'s product by the library; false where the host wants to stop. */
bool hb_blas_dense(const hb_call *call);

#endif
