/* forest_columns.h - trees that a file has as columns, one item a node: checked and made nodes in one go. */
#ifndef HB_IR_FOREST_COLUMNS_H
#define HB_IR_FOREST_COLUMNS_H

#include "ir/forest_model.h"

/* A tree of which all nodes test a number or are leaves of one value: [n] of each. */
typedef struct hb_tree_columns {
    uint32_t n;                  /* at least 1 */
    const int32_t *left, *right; /* HB_NO_CHILD: a leaf */
    const int32_t *parents;      /* of the root's nothing is said */
    const int64_t *features;     /* of a leaf too: from 0 to INT32_MAX - 1 */
    const float *thresholds;     /* or the leaf's value */
    const float *covers;
    const uint8_t *default_left; /* 0 or 1 */
} hb_tree_columns;

/* Makes nodes[n] of the columns, the last tree's that was appended, and notes whether sealing need not look at them
 * again: they are in its order, and nothing is wrong. *made becomes false where anything is wrong or children and
 * parents disagree: then nothing is noted, and the nodes are to be made one by one, which tells. Polls. HBS_E_NOMEM,
 * HBS_E_CANCEL. */
hbs_status hb_forest_make_nodes(hb_forest_model *forest, const hb_tree_columns *columns, hb_tree_node *nodes,
                                bool *made, hbs_error *error);

#endif
