/* forest_model.h - a trained tree ensemble, as the formats give it and as sealing leaves it.
 *
 * Formats append trees with the file's own node numbers. Sealing (forest_model.c) checks that each
 * tree is a tree, drops the nodes that the library marked as deleted, and renumbers breadth first: a
 * child is above its parent and the right child stands beside the left one, so that every walk over a
 * sealed tree ends by construction. */
#ifndef HB_IR_FOREST_MODEL_H
#define HB_IR_FOREST_MODEL_H

#include "base/memory.h"

enum {
    HB_NODE_DEFAULT_LEFT = 1u << 0, /* a missing value goes left, else right */
    HB_NODE_CATEGORIES = 1u << 1,   /* tests a set: a member goes right; in float64 to the other side than a
                                     * missing value, and all that is no member goes with that */
    HB_NODE_DELETED = 1u << 2,      /* pruned away in training: no node may lead to it */
    /* of forests in float64 only */
    HB_NODE_NAN_MISSING = 1u << 3, /* NaN is missing, else it counts as 0 */
    HB_NODE_ZERO_MISSING = 1u << 4 /* so is 0 */
};

enum { HB_NO_CHILD = -1, HB_NOT_SEEN = -1 };

typedef struct hb_tree_node {
    union {
        double threshold; /* number test: float32: x < threshold goes left; float64: x <= threshold */
        double leaf;      /* leaf of one value */
        struct {
            uint32_t first, count; /* set test: categories[first .. first + count) */
        } set;
    } as;
    double cover;    /* how much training data came by (XGBoost: sum_hessian); >= 0 */
    int32_t left;    /* HB_NO_CHILD: a leaf */
    int32_t right;   /* leaf of a vector: its row in leaf_vectors; linear leaf: its number, else -1 */
    int32_t feature; /* formats compare as int64 before they narrow */
    uint32_t flags;
} hb_tree_node;

/* A leaf that is a linear model: constant + the sum of coefficient * x, in order; where one of its features
 * is missing, the leaf's own value. */
typedef struct hb_linear_leaf {
    double constant;
    uint32_t first, count; /* into linear_features and linear_coefficients */
} hb_linear_leaf;

/* Arrays are vectors while a format fills them; read-only once sealed. Node numbers in `left` and
 * `right` count from the start of their tree. */
typedef struct hb_forest_model {
    bool wide;      /* tests and sums in float64, as LightGBM; else in float32, as XGBoost */
    uint8_t demand; /* HB_DEMAND_...: of the features that it tests */
    size_t n_features;
    size_t n_outputs;
    size_t leaf_width;      /* 1: a tree adds to one output; n_outputs: its leaves are vectors */
    hb_vector nodes;        /* hb_tree_node, tree after tree */
    hb_vector starts;       /* uint32_t: first node of each tree; sealing adds the end */
    hb_vector groups;       /* int32_t: the output each tree adds to (leaf_width 1) */
    hb_vector depths;       /* uint32_t: of each tree; made by sealing */
    hb_vector seen;         /* int32_t: of each tree what hb_forest_model_saw was told; or empty */
    size_t most_feature;    /* that a seen tree tests */
    hb_vector leaf_vectors; /* float (wide: double) [rows][leaf_width] */
    bool shares_vectors;    /* leaves may share a row of them; the format has seen that no row has a NaN */
    hb_vector categories;   /* int32_t: the sets of categories: rising lists, or words of bits */
    bool sets_are_bits;
    hb_vector weights;             /* float: of each tree (dart); empty: 1 */
    hb_vector linear_leaves;       /* hb_linear_leaf */
    hb_vector linear_features;     /* int32_t */
    hb_vector linear_coefficients; /* double */
    /* made by sealing */
    size_t n_trees, n_leaves;
    bool has_categories;
    uint32_t largest_tree;  /* its nodes */
    uint32_t most_terms;    /* of a linear leaf */
    uint32_t deepest;       /* tree's depth.. */
    uint64_t levels;        /* ..and the sum of all depths */
    double expected_levels; /* the same where rows leave deep trees before their last level */
    double perfect_leaves;  /* of all trees, were they perfect */
} hb_forest_model;

void hb_forest_model_init(hb_forest_model *forest, hb_memory *memory);
void hb_forest_model_release(hb_forest_model *forest);

/* True if n more nodes are within the limit. Every format asks before it makes room for them, and refuses with
 * HB_TOO_MANY_NODES and limits->max_nodes. */
#define HB_TOO_MANY_NODES "more nodes than the limit of %zu"
static inline bool hb_forest_model_may_grow(const hb_forest_model *forest, const hbs_limits *limits, size_t n)
{
    return forest->nodes.count <= limits->max_nodes && n <= limits->max_nodes - forest->nodes.count;
}

/* Forgets all trees behind the first n, before sealing. */
void hb_forest_model_truncate(hb_forest_model *forest, size_t n);

/* A format that has checked trees while their nodes were near may say so, for each tree right after it has appended it.
 * `depth` HB_NOT_SEEN: nothing is known. Else the tree has this depth and is in the order of sealing, its nodes all
 * test a number or are leaves of one value, none is deleted, no threshold or leaf is NaN, covers are finite and not
 * below 0, and features from 0 to most_feature: sealing will not look at it again. HBS_E_NOMEM. */
hbs_status hb_forest_model_saw(hb_forest_model *forest, int32_t depth, size_t most_feature, hbs_error *error);

/* Checks and renumbers all trees. Errors name the tree and the node by the file's numbers. */
hbs_status hb_forest_model_seal(hb_forest_model *forest, const hbs_limits *limits, hbs_error *error);

static inline const hb_tree_node *hb_forest_nodes(const hb_forest_model *forest)
{
    return forest->nodes.items;
}

#endif
