/* meaning.h - what an operator means, as far as no number is computed: which parameters are valid, what its value is,
 * what it asks of its input, which primitive nodes it becomes.
 *
 * Each row of operators.def has its hb_meaning_NAME in a file of ir/; members that are NULL have the usual meaning. A
 * file holds one operator, or a few that share code. */
#ifndef HB_IR_MEANING_H
#define HB_IR_MEANING_H

#include "ir/asking.h"

/* A node of a sealed pipeline that is being lowered. */
typedef struct hb_lowering {
    hb_graph *graph; /* that is being made */
    const hb_pipeline *pipeline;
    const hb_node *node;    /* of the pipeline */
    const uint32_t *inputs; /* [node->n_inputs]: what the node's inputs have become */
} hb_lowering;

/* Columns of a value, as bytes: 1 is live, which means that its number can change an output; 0 is dead. */
typedef struct hb_needing {
    const hb_graph *graph;
    const hb_node *node;
    uint8_t *live; /* [width] of the node's value; at least one is. It may add columns that its others are made of */
    uint8_t *const *of; /* [n_inputs][width of that input]: to be set where a column is live */
    hb_work *work;      /* of long loops */
} hb_needing;

/* A node that gets only some columns of its first input, and has to make only some of its own. */
typedef struct hb_narrowing {
    hb_graph *graph; /* that is being made */
    const hb_graph *old;
    const hb_node *node;       /* of the old graph */
    const uint32_t *inputs;    /* [node->n_inputs]: its inputs in the new one */
    const uint32_t *const *in; /* [node->n_inputs]: which of the old columns each has, rising.. */
    const size_t *n_in;        /* ..so many */
    const uint8_t *live;       /* [width] of the old value */
    uint32_t *out;             /* the old columns of what it makes, rising, all live ones among them: [width].. */
    size_t n_out;              /* ..so many */
} hb_narrowing;

typedef struct hb_meaning {
    /* Checks the parameters against the inputs, whose values are known, of a node of a pipeline that is being sealed.
     * Later stages rely on it. NULL: all parameters are valid. */
    hbs_status (*validate)(hb_pipeline *pipeline, hb_node *node, hbs_error *error);
    /* Sets width and dtype of the node's value, which are those of its first input before. NULL: they stay. */
    void (*shape)(const hb_graph *graph, hb_node *node);
    /* Sets facts beyond those that operators.def states. NULL: there are none. */
    void (*facts)(const hb_graph *graph, hb_node *node);
    /* Says which columns of the inputs are live and what they must not be, given that of its own (asking.h). NULL: all
     * columns are live if one of its own is, and may be any number. */
    void (*demands)(const hb_asking *a);
    /* Adds the primitive nodes that the operator becomes; gives the last one's number. NULL: it becomes itself. */
    uint32_t (*lower)(hb_lowering *l);
    /* Sets which columns of the inputs are live, given those of the value. NULL: all of all inputs. */
    void (*needs)(const hb_needing *n);
    /* Of a node that may refuse rows for the asker (hb_node.refuses): sets columns, beside those that are live, that it
     * must go on to make so that it refuses the same rows. NULL: it refuses none. */
    void (*keeps)(const hb_node *node, hb_asker asker, uint8_t *live);
    /* Adds the node for fewer columns; gives its number. What `needs` has set is there of the first input. NULL: a node
     * without columns in its parameters, which makes a column of each of its first input. */
    uint32_t (*narrow)(hb_narrowing *n);
} hb_meaning;

#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) \
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

/* `needs` of an operator that makes each column of the same one of its inputs. */
void hb_needs_columns(const hb_needing *n);

/* ---- for `narrow` */

/* The columns of `from` (items of `size` bytes) that the first input has, in the new graph's arena; NULL after an
 * error. */
void *hb_narrow_items(hb_narrowing *n, const void *from, size_t size);
/* The error of these columns where the operator refuses a row. */
hb_failure hb_narrow_failure(hb_narrowing *n, const hb_failure *of_all);
/* The place of an old column among those that the first input has, which it does. */
uint32_t hb_narrow_place(const hb_narrowing *n, uint32_t column);
/* Adds the same operator with other parameters (NULL: none), which makes a column of each of its first input. */
uint32_t hb_narrow_columns(hb_narrowing *n, const void *fit);

#endif
