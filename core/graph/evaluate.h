/* evaluate.h - what each tensor operator computes: one function each, for constant folding and for plans.
 *
 * TABLE and ENCODE read the caller's columns and can fail for a row; plan/bind.c does both in one. */
#ifndef HB_GRAPH_EVALUATE_H
#define HB_GRAPH_EVALUATE_H

#include "graph/graph.h"
#include "kernel/forest_kernel.h"

/* One tensor over a tile: `rows` <= `stride` rows, column-major ([width][stride]). */
typedef struct hb_call {
    hb_tensor_kind kind;
    float number;
    size_t stride, rows;
    size_t input_width, width;
    const float *input;            /* [input_width][stride] */
    const float *base;             /* tree_ensemble, linear: [width] */
    const hb_flat_forest *forest;  /* tree_ensemble */
    const float *weights, *bias;   /* linear */
    float *output;                 /* [width][stride] */
    const hbs_host *host;          /* asked between groups of trees whether to stop; NULL: never */
} hb_call;

/* False where the host wants to stop; the output is then not complete. */
bool hb_evaluate(const hb_call *call);

#endif
