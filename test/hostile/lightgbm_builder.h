/* lightgbm_builder.h - small valid LightGBM text models, of which any line can be changed. For tests of
 * broken models.
 *
 *     mb_bytes b = lb_edited(LB_SETS, "T0.threshold = 0 0.5 9\n"  sets the value of a line: T<i> a tree,
 *                                     "-H.num_class\n"            H the header; removes a line
 *                                     "+T1 = num_cat=0\n"         adds a line behind the section's first
 *                                     "*T1 = 2\n"                 the whole tree stands there twice
 *                                     "tail = |x|");              all behind "end of trees"; | ends a line
 *
 * tree_sizes is right whatever the edits, unless one sets it. A mistake in an edit ends the program: it is
 * the test that is wrong. */
#ifndef LIGHTGBM_BUILDER_H
#define LIGHTGBM_BUILDER_H

#include "model_builder.h"

typedef enum lb_sample {
    LB_BINARY,   /* binary sigmoid:2, 3 features, 2 trees with tests of numbers of all kinds */
    LB_SETS,     /* category codes: sets of one word and of three */
    LB_LINEAR,   /* linear leaves */
    LB_CLASSES,  /* multiclass, 3 classes, two rounds, the first of leaves alone */
    LB_AVERAGE,  /* average_output (boosting=rf) */
    LB_TEXTS,    /* pandas categories: texts */
    LB_INTEGERS, /* whole numbers */
    LB_REALS,    /* real numbers, truth values */
    LB_SAMPLES
} lb_sample;

const char *lb_name(lb_sample sample);
mb_bytes lb_edited(lb_sample sample, const char *edits);

/* One tree of `n` leaves (`long_numbers`: written as LightGBM does, else as short as can be): a chain on
 * feature 0, or a balanced tree over the three features. */
mb_bytes lb_chain(size_t n, bool to_left);
mb_bytes lb_balanced(size_t n, bool long_numbers);
/* `n` trees of one leaf. */
mb_bytes lb_stumps(size_t n);
/* One node with a set of `n` words, the last one not 0. */
mb_bytes lb_large_set(size_t n);
/* One leaf with a linear model of `n` terms, all of feature 0. */
mb_bytes lb_long_leaf(size_t n);

#endif
