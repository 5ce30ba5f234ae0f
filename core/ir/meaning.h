/* meaning.h - what an operator means, as far as no number is computed: which parameters are valid, what its value is, what
 * it asks of its input, which primitive nodes it becomes.
 *
 * Each row of operators.def has its hb_meaning_NAME in a file of ir/; members that are NULL have the usual meaning. A file
 * holds one operator, or a few that share code. */
#ifndef HB_IR_MEANING_H
#define HB_IR_MEANING_H

#include "ir/pipeline.h"

/* A node of a sealed pipeline that is being lowered. */
typedef struct hb_lowering {
    hb_graph *graph; /* that is being made */
    const hb_pipeline *pipeline;
    const hb_node *node;    /* of the pipeline */
    const uint32_t *inputs; /* [node->n_inputs]: what the node's inputs have become */
} hb_lowering;

typedef struct hb_meaning {
    /* Checks the parameters against the inputs, whose values are known, of a node of a pipeline that is being sealed. Later
     * stages rely on it. NULL: all parameters are valid. */
    hbs_status (*validate)(hb_pipeline *pipeline, hb_node *node, hbs_error *error);
    /* Sets width and dtype of the node's value, which are those of its first input before. NULL: they stay. */
    void (*shape)(const hb_graph *graph, hb_node *node);
    /* Sets facts beyond those that operators.def states. NULL: there are none. */
    void (*facts)(const hb_graph *graph, hb_node *node);
    /* Adds the primitive nodes that the operator becomes; gives the last one's number. NULL: it becomes itself. */
    uint32_t (*lower)(hb_lowering *l);
} hb_meaning;

#define HB_OPERATOR(kind, name, stage, reads, demand, accuracy, place, makes, summary) \
    extern const hb_meaning hb_meaning_##name;
#include "ir/operators.def"

extern const hb_meaning *const hb_meanings[HB_N_OPERATORS];

/* Adds a node that reads `input` alone. */
static inline uint32_t hb_lower_one(hb_lowering *l, hb_operator_kind kind, uint32_t input, const void *fit)
{
    return hb_graph_add(l->graph, kind, &input, 1, fit);
}

/* Adds a node that reads `input` and one number of float64 for each of its columns. */
static inline uint32_t hb_lower_with(hb_lowering *l, hb_operator_kind kind, uint32_t input, const double *numbers)
{
    size_t width = l->graph->status == HBS_OK ? hb_node_at(l->graph, input)->value.width : 0;
    const uint32_t inputs[2] = {input, hb_graph_add_constant(l->graph, HB_DTYPE_FLOAT64, width, numbers)};

    return hb_graph_add(l->graph, kind, inputs, 2, NULL);
}

#endif
