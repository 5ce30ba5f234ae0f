/* onnx_trees.h - tree ensembles of ai.onnx.ml. In versions 1 and 3 their nodes and their leaves' weights are two
 * tables, a list in the file for each column; rows name their node by a pair (tree, node) of numbers. In version 5
 * tests and leaves are two tables, whose rows are named by their places. Private to onnx_*.c. */
#ifndef HB_FORMAT_ONNX_TREES_H
#define HB_FORMAT_ONNX_TREES_H

#include "format/onnx.h"

/* A tree's rows in the table of nodes. */
typedef struct hb_onnx_tree {
    int64_t number;
    uint32_t first, count;
    bool in_order; /* its nodes have the numbers from that of the first one on */
} hb_onnx_tree;

/* How a node compares; the numbers are those of version 5. */
typedef enum hb_onnx_mode {
    HB_ONNX_LEQ,
    HB_ONNX_LT,
    HB_ONNX_GTE,
    HB_ONNX_GT,
    HB_ONNX_EQ,
    HB_ONNX_NEQ,
    HB_ONNX_MEMBER, /* of a set of numbers */
    HB_ONNX_N_MODES
} hb_onnx_mode;

/* x[feature] compared with the number, which is not NaN. */
typedef struct hb_onnx_test {
    hb_onnx_mode mode;
    int64_t feature; /* one of the input */
    double number;
    bool tracks; /* a missing number goes where the test holds */
} hb_onnx_test;

/* The number that a leaf adds to an output. */
typedef struct hb_onnx_weight {
    uint32_t leaf, tree; /* places in the forest */
    uint32_t output;
    double number;
} hb_onnx_weight;

/* `x == number`, of a node. A node that tests equality has a list of them while the file is read: as.set is the first
 * and the last one. */
typedef struct hb_onnx_equal_test {
    double number; /* float32, unless the trees are wide */
    int32_t feature;
    uint32_t next; /* of the node's list, rising or not; HB_ONNX_LAST: none */
    int32_t code;  /* the number's place among those that nodes compare this feature with */
} hb_onnx_equal_test;
#define HB_ONNX_LAST UINT32_MAX

typedef struct hb_onnx_trees {
    hb_onnx_file *file;
    const hb_onnx_node *node;
    const hb_onnx_value *in; /* the numbers that are tested */
    hb_forest_model *forest; /* in the pipeline's arena; wide: the input is of float64, and so are tests and sums */
    size_t n_nodes;
    hb_vector equals;    /* hb_onnx_equal_test */
    hb_vector weights;   /* hb_onnx_weight */
    int64_t *numbers;    /* [n_nodes] of the nodes within their trees */
    uint32_t *order;     /* [n_nodes]: of trees that are not in order, the places of their nodes by number */
    hb_vector trees;     /* hb_onnx_tree.. */
    uint32_t *by_number; /* ..their places, by their numbers */
    size_t last;         /* the tree that was looked up last */
    /* of the leaves */
    size_t n_outputs;
    size_t n_targets, only; /* not 0: the weights of target `only` of so many are read, as those of output 0 */
    double without;         /* what a leaf adds that has no weight for the output of its tree */
    bool has_negative;      /* weight */
    bool all_positive;      /* every leaf of some tree has a weight above 0 */
    uint8_t *always;        /* [n_outputs] 1: every row gets a weight for it */
    uint8_t *ever;          /* [n_outputs] 1: some leaf has a weight for it */
} hb_onnx_trees;

/* onnx_trees.c: a new forest. Whatever becomes of it, hb_onnx_trees_release is called. */
hbs_status hb_onnx_trees_begin(hb_onnx_trees *t);
/* Reads the nodes of versions 1 and 3. */
hbs_status hb_onnx_trees_read(hb_onnx_trees *t);
void hb_onnx_trees_release(hb_onnx_trees *t);
/* The place in the forest of this node. */
hbs_status hb_onnx_trees_find(hb_onnx_trees *t, int64_t tree, int64_t number, size_t *place, size_t *tree_place);
/* The floats in attribute `name`, or of float64 inputs the tensor in `name`_as_tensor; *n is 0: there are none. */
hbs_status hb_onnx_tree_numbers(const hb_onnx_trees *t, const char *name, hb_onnx_items *items, size_t *n);
/* A list of `n` items that the node must have. */
hbs_status hb_onnx_list(hb_onnx_file *file, const hb_onnx_node *node, const char *name, hb_onnx_kind kind, size_t n,
                        const hb_onnx_attribute **list);

/* onnx_rooted_trees.c: reads nodes and weights of version 5. */
hbs_status hb_onnx_rooted_trees_read(hb_onnx_trees *t);

/* onnx_tests.c: makes a node of a test, without its children, and of HB_ONNX_MEMBER without its members. */
hbs_status hb_onnx_test_build(hb_onnx_trees *t, const hb_onnx_test *test, hb_tree_node *node);
/* True if rows for which the test holds go left. */
bool hb_onnx_holds_left(const hb_onnx_trees *t, const hb_onnx_test *test);
bool hb_onnx_mode_is_equality(hb_onnx_mode mode);

/* onnx_equality.c: makes sets of the tests of equality, once leaves are known. *input: the pipeline's value that the
 * forest reads, with n_features columns. */
hbs_status hb_onnx_equality_build(hb_onnx_trees *t, size_t *input, size_t *n_features);
/* One more number of the node's set, which is new without HB_NODE_CATEGORIES. */
hbs_status hb_onnx_equality_add(hb_onnx_trees *t, hb_tree_node *node, double number);

/* onnx_leaves.c: reads the weights of leaves of versions 1 and 3; `prefix` is "class" or "target". n_outputs is set. */
hbs_status hb_onnx_weights_read(hb_onnx_trees *t, const char *prefix);
/* One weight, if its output is read. */
hbs_status hb_onnx_weight_add(hb_onnx_trees *t, hb_onnx_weight weight);
/* Outputs that weights may be for. */
static inline size_t hb_onnx_targets(const hb_onnx_trees *t)
{
    return t->n_targets ? t->n_targets : t->n_outputs;
}
/* Gives leaves their numbers. */
hbs_status hb_onnx_leaves_build(hb_onnx_trees *t);
/* True if all weights are for output 0. */
hbs_status hb_onnx_leaves_are_of_one(hb_onnx_file *file, const hb_onnx_node *node, bool *one);

#endif
