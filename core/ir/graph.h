/* graph.h - the extended computational graph (ECG, CMLCompiler section 4.2): nodes, each an operator with its fitted
 * parameters that makes one value of the values of earlier nodes.
 *
 * A model file becomes a graph of macro and primitive nodes (pipeline.h). Lowering makes a graph of primitive nodes of
 * it, which passes rewrite and a plan runs. Nodes are numbered and read smaller numbers only, so no graph has a cycle.
 */
#ifndef HB_IR_GRAPH_H
#define HB_IR_GRAPH_H

#include "base/memory.h"
#include "ir/operator.h"

typedef enum hb_dtype { HB_DTYPE_FLOAT32, HB_DTYPE_FLOAT64 } hb_dtype;

/* A fact: float32 holds each number that a value can have. Not for sure; if it holds those of the table; always. */
typedef enum hb_float32 { HB_FLOAT32_NO, HB_FLOAT32_IF_TABLE, HB_FLOAT32_ALWAYS } hb_float32;

/* The numbers that a node makes: [rows][width], or [width] where it is constant (the same for every row). The facts
 * hold whatever the rows are; they are computed once, from the facts of the inputs. */
typedef struct hb_value {
    hb_dtype dtype;
    bool constant; /* no input depends on the row */
    size_t width;
    const void *data;   /* of a constant node: [width] of dtype */
    hb_float32 float32; /* fact */
    bool finite;        /* fact: no number is NaN or infinite */
    bool library32;     /* fact: the training library has these numbers in float32 */
} hb_value;

typedef struct hb_node {
    hb_operator_kind kind;
    uint32_t n_inputs;
    uint32_t *inputs; /* nodes */
    void *fit;        /* hb_fit_NAME; NULL: the operator has no parameters */
    hb_value value;
    hbs_text step;    /* of the user's pipeline: "columns/num/scale"; without a NUL; size 0: its file names none */
    uint32_t source;  /* of a lowered node: the pipeline's node that it was made of; 0: the table */
    uint32_t refuses; /* HBS_OUT_...: for which it may refuse a row, so that it runs even if nobody reads its value */
    uint32_t outputs; /* HBS_OUT_...: which outputs need it; hb_graph_mark_needs sets it */
} hb_node;

/* The outputs that a model can have, in the order of their bits: HBS_OUT_LABEL is 1u << HB_OUT_LABEL. */
typedef enum hb_output {
    HB_OUT_VALUE,
    HB_OUT_LABEL,
    HB_OUT_PROBABILITIES,
    HB_OUT_VALUES,
    HB_OUT_RAW,
    HB_OUT_TRANSFORM,
    HB_N_OUTPUTS
} hb_output;

_Static_assert(HBS_OUT_VALUE == 1u << HB_OUT_VALUE && HBS_OUT_LABEL == 1u << HB_OUT_LABEL &&
                   HBS_OUT_PROBABILITIES == 1u << HB_OUT_PROBABILITIES && HBS_OUT_VALUES == 1u << HB_OUT_VALUES &&
                   HBS_OUT_RAW == 1u << HB_OUT_RAW && HBS_OUT_TRANSFORM == 1u << HB_OUT_TRANSFORM,
               "outputs are numbered as their bits are");

enum {
    HB_MAX_NODES = 1 << 16,
    HB_MAX_FEATURES = 1 << 18,
    HB_MAX_OUTPUTS = 1 << 16 /* columns of a value that an operator makes */
};
#define HB_NO_NODE SIZE_MAX

/* The change that a pass has made. The plan has a copy, so it is of fixed size. */
typedef struct hb_pass_report {
    uint32_t pass; /* its place in the order, as for hb_pass_name */
    uint32_t rewrites;
    uint32_t before, after; /* so many of hb_pass_unit */
} hb_pass_report;

enum { HB_MAX_PASSES = 32 }; /* a bit each */

struct hb_pipeline;

typedef struct hb_graph {
    hb_arena *arena;                       /* of inputs and parameters; the caller's */
    const struct hb_pipeline *pipeline;    /* of a lowered graph: what it was made of, which outlives it */
    hb_vector nodes;                       /* hb_node */
    hbs_status status;                     /* the first reason why a node could not be added; HBS_OK */
    size_t n_rewrites;                     /* that passes have done */
    hb_pass_report reports[HB_MAX_PASSES]; /* of passes that have changed something.. */
    size_t n_reports;                      /* ..so many */
    size_t outputs[HB_N_OUTPUTS];          /* nodes, by hb_output; HB_NO_NODE: the model has no such output */
    double tolerances[HB_N_OUTPUTS];       /* of each from the library's, relative; 0: the same bits */
} hb_graph;

/* An empty graph; hb_graph_release frees its nodes, the arena's owner all else. */
void hb_graph_init(hb_graph *graph, hb_arena *arena);
void hb_graph_release(hb_graph *graph);

static inline hb_node *hb_node_at(const hb_graph *graph, size_t i)
{
    return (hb_node *)graph->nodes.items + i;
}

/* The node that makes input k of a node. */
static inline const hb_node *hb_input(const hb_graph *graph, const hb_node *node, size_t k)
{
    return hb_node_at(graph, node->inputs[k]);
}

static inline size_t hb_input_width(const hb_graph *graph, const hb_node *node)
{
    return hb_input(graph, node, 0)->value.width;
}

/* An array for parameters, zeroed, which lasts as long as the graph; NULL where there is no memory: graph->status then
 * says so. */
void *hb_graph_array(hb_graph *graph, size_t count, size_t size);

/* Appends a node whose value is not known yet; inputs and parameters are copied, arrays that those point to are not.
 * Gives its number, or 0 where there is no memory, or too many nodes: graph->status then says so, and hb_graph_check.
 */
uint32_t hb_graph_append(hb_graph *graph, hb_operator_kind kind, const uint32_t *inputs, size_t n_inputs,
                         const void *fit);
/* The same, and its value follows from the inputs' and the parameters, which must be valid. */
uint32_t hb_graph_add(hb_graph *graph, hb_operator_kind kind, const uint32_t *inputs, size_t n_inputs, const void *fit);
/* A constant of `width` numbers at `data`, which must outlive the graph. */
uint32_t hb_graph_add_constant(hb_graph *graph, hb_dtype dtype, size_t width, const void *data);

/* HBS_E_NOMEM or HBS_E_LIMIT if some node could not be added. */
hbs_status hb_graph_check(const hb_graph *graph, hbs_error *error);

/* Counts that so many nodes were looked at. HBS_E_CANCEL. */
static inline hbs_status hb_graph_worked(const hb_graph *graph, size_t nodes, hbs_error *error)
{
    enum { UNITS_A_NODE = 8 };

    return hb_worked(&graph->arena->memory->work, UNITS_A_NODE * nodes, error);
}

/* Sets the node's value: its dtype, width and facts. */
void hb_node_complete(const hb_graph *graph, hb_node *node);

/* Sets which nodes each output needs, from each output, and from what may refuse a row, back. HBS_E_CANCEL. */
hbs_status hb_graph_mark_needs(hb_graph *graph, hbs_error *error);

/* True if float32 holds each number; it holds infinities and NaN. */
bool hb_all_float32(const double *numbers, size_t n);

/* True for a node that a plan runs: some output needs it (hb_graph_mark_needs), and its value is not given, as the
 * table's, its numbers' and a constant's are. */
static inline bool hb_is_step(const hb_node *node)
{
    return node->outputs && node->kind != HB_OPERATOR_CONSTANT && node->kind != HB_OPERATOR_TABLE &&
           node->kind != HB_OPERATOR_ENCODE;
}

/* Bytes of a number. */
static inline size_t hb_dtype_size(hb_dtype dtype)
{
    return dtype == HB_DTYPE_FLOAT64 ? sizeof(double) : sizeof(float);
}

#endif
