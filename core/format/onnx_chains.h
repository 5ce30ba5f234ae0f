/* onnx_chains.h - chains of tests of equality that are one test of a set. Private to onnx_*.c. */
#ifndef HB_FORMAT_ONNX_CHAINS_H
#define HB_FORMAT_ONNX_CHAINS_H

#include "format/onnx_trees.h"

/* Folds the chains of all trees, whose leaves are known; nodes that are not needed any more are deleted ones then.
 * Nothing is known of the trees: sealing finds what is wrong with them. */
hbs_status hb_onnx_chains_fold(hb_onnx_trees *t);

#endif
