/* graph.h - the extended computational graph (ECG, CMLCompiler section 4.2): tensor operators with their
 * dtype and shape, made from the operators of a sealed pipeline.
 *
 * Tensors are numbered; inputs are smaller numbers. A tensor is [rows][width], or [width] where it is
 * constant (the same for every row). The graph refers to parameters of the pipeline, which outlives it. */
#ifndef HB_GRAPH_GRAPH_H
#define HB_GRAPH_GRAPH_H

#include "base/memory.h"
#include "pipeline/pipeline.h"

typedef enum hb_tensor_kind {
#define HB_TENSOR(kind, name, accuracy, place) HB_TENSOR_##kind,
#include "graph/tensors.def"
#undef HB_TENSOR
    HB_N_TENSOR_KINDS
} hb_tensor_kind;

/* How far an operator's numbers are from the library's: tensors.def. */
typedef enum hb_accuracy { HB_ACCURACY_EXACT, HB_ACCURACY_CLOSE, HB_ACCURACY_DECISION } hb_accuracy;

typedef enum hb_dtype { HB_DTYPE_FLOAT32, HB_DTYPE_FLOAT64 } hb_dtype;

enum { HB_MAX_INPUTS = 2, HB_MAX_TENSORS = 8 * HB_MAX_OPERATORS };

typedef struct hb_tensor {
    hb_tensor_kind kind;
    hb_dtype dtype;
    bool constant; /* no input depends on the row */
    size_t width;
    size_t inputs[HB_MAX_INPUTS];
    size_t n_inputs;
    double number;                            /* mark_missing, greater, sigmoid, divide, indicator, norms, products;
                                               * dense: HB_FLOAT32_BITS where the library sums in float32 */
    const hb_forest_model *forest;            /* tree_ensemble */
    const hb_linear_model *linear;            /* linear */
    const hb_category_statistics *statistics; /* category_columns */
    const hb_dense_model *dense;              /* dense */
    const hb_gaussian_model *gaussian;        /* gaussian_nb */
    const hb_encoder *encoder;                /* onehot, recode */
    const uint8_t *asked;                     /* guard, onehot, recode: as of hb_operator; encoders: NULL: all are */
    const uint32_t *columns;                  /* select, indicator: [width] */
    const hb_bins *bins;                      /* bins */
    const hb_product *products;               /* products: [width] */
    const void *data;                         /* constant: [width] of dtype */
    uint32_t outputs;                         /* HBS_OUT_...: which outputs need it */
} hb_tensor;

/* Which tensor is which output; an output that the model does not have is HB_NO_TENSOR. */
enum { HB_N_OUTPUTS = 6 };
#define HB_NO_TENSOR SIZE_MAX

typedef struct hb_graph {
    hb_arena *arena; /* of constants that passes make; the caller's */
    const hb_pipeline *pipeline;
    hb_tensor tensors[HB_MAX_TENSORS];
    size_t n_tensors;
    size_t n_rewrites;               /* that passes have done */
    size_t outputs[HB_N_OUTPUTS];    /* in the order of the bits HBS_OUT_VALUE, _LABEL, .. */
    double tolerances[HB_N_OUTPUTS]; /* of each from the library's, relative; 0: the same bits */
} hb_graph;

/* Appends a tensor and gives its number. */
size_t hb_graph_add(hb_graph *graph, const hb_tensor *tensor);

/* Lowers every operator of a sealed pipeline and names the outputs. */
hbs_status hb_graph_lower(hb_graph *graph, const hb_pipeline *pipeline, hb_arena *arena, hbs_error *error);

/* Runs the passes that are not in `passes_off` (HBS_PASS_...), then marks which tensor each output
 * needs. */
hbs_status hb_graph_optimize(hb_graph *graph, uint32_t passes_off, hbs_error *error);

/* The same one by one: the name of pass i (NULL: there are no more), whether it is switched off, the pass. */
const char *hb_pass_name(size_t i);
bool hb_pass_is_off(size_t i, uint32_t passes_off);
hbs_status hb_pass_run(hb_graph *graph, size_t i, hbs_error *error);
/* Sets which tensor each output needs, anew. */
void hb_graph_mark_needs(hb_graph *graph);

/* Whether float32 holds each number that the tensor can have. */
typedef enum hb_float32 { HB_FLOAT32_NO, HB_FLOAT32_IF_TABLE, HB_FLOAT32_ALWAYS } hb_float32;
hb_float32 hb_graph_float32(const hb_graph *graph, size_t tensor);
/* Whether float32 holds each number, infinities and NaN among them. */
bool hb_all_float32(const double *numbers, size_t n);

const char *hb_tensor_name(hb_tensor_kind kind);
hb_accuracy hb_tensor_accuracy(hb_tensor_kind kind);
/* Whether its output may lie over its first input. */
bool hb_tensor_in_place(hb_tensor_kind kind);

/* Bytes of a number. */
static inline size_t hb_dtype_size(hb_dtype dtype)
{
    return dtype == HB_DTYPE_FLOAT64 ? sizeof(double) : sizeof(float);
}

#endif
