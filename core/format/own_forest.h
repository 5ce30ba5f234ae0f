/* own_forest.h - a forest as a file has it: what its two layouts share, and what each adds. */
#ifndef HB_FORMAT_OWN_FOREST_H
#define HB_FORMAT_OWN_FOREST_H

#include "format/own.h"

/* An array whose dtype the file chooses. */
typedef struct hb_own_column {
    hb_own_array array;
    hb_own_dtype dtype;
} hb_own_column;

/* The category sets of a forest: the set of node[k] is bits[start[k] .. start[k + 1]); `node` rises. */
typedef struct hb_own_sets {
    hb_own_array node, start, bits; /* none: node.count is 0 */
} hb_own_sets;

/* The arrays as they stand. Nodes count over all trees, leaves in the order of their nodes. */
typedef struct hb_own_trees {
    hb_own_file *file;
    hb_own_array start, left, right, feature;     /* columns: [trees + 1], then [nodes] each */
    hb_own_column node, leaf;                     /* packed: [nodes], [leaves]; no items: leaf k has row k of value */
    hb_own_column threshold, missing_left, cover; /* columns: [nodes]; packed: [tests], [tests], [leaves] */
    hb_own_sets sets;
    hb_own_array value, group, init;
    size_t n_nodes, n_leaves, n_trees;
    bool vectors;    /* leaves are rows of value, else one number each */
    bool is_rounded; /* features are rounded to float32 first */
} hb_own_trees;

/* An error of the forest; false. */
bool hb_own_forest_fail(hb_own_file *file, const char *what);
/* Adds a forest's `n` nodes to the file's count; false, with an error, above the limit. */
bool hb_own_forest_count(hb_own_file *file, size_t n);

/* Tree t of the forest begins with its node `first`; false, with an error: no memory. */
bool hb_own_forest_begin_tree(const hb_own_trees *trees, hb_forest_model *forest, size_t t, size_t first);

/* Each layout has three functions. _members reads its members up to `value`. _check runs when all members are read, and
 * sets the numbers of nodes, leaves and trees. _add appends the trees to a forest whose other fields are set. */
bool hb_own_columns_members(hb_own_trees *trees);
bool hb_own_columns_check(hb_own_trees *trees);
bool hb_own_columns_add(const hb_own_trees *trees, hb_forest_model *forest);

bool hb_own_packed_members(hb_own_trees *trees);
bool hb_own_packed_check(hb_own_trees *trees);
bool hb_own_packed_add(const hb_own_trees *trees, hb_forest_model *forest);

/* Member `name`, of any dtype of `allowed` (1u << dtype). */
bool hb_own_column_read(hb_own_file *file, const char *name, uint32_t allowed, size_t rank, hb_own_column *column);

/* The members of sets, if there are any, up to the key of the member `next`, whose value is then due. */
bool hb_own_sets_read(hb_own_file *file, const char *next, hb_own_sets *sets);
/* Their check, when the number of nodes is known. */
bool hb_own_sets_check(hb_own_file *file, const hb_own_sets *sets, size_t n_nodes);
/* Marks node i as a test of a set if it is node[*k], and then moves *k on. */
void hb_own_sets_mark(const hb_own_sets *sets, size_t *k, size_t i, hb_tree_node *node);

#endif
