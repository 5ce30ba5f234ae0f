/* large_own.h - models of hbscore's own format that are large in one direction each. The caller frees the bytes. */
#ifndef LARGE_OWN_H
#define LARGE_OWN_H

#include "hostile/model_builder.h"

mb_bytes own_linear_wide(void);
mb_bytes own_sparse(void);
mb_bytes own_classes(void);
mb_bytes own_stumps(void);
mb_bytes own_small_trees(void);
mb_bytes own_tree(void);
mb_bytes own_distinct(void);
mb_bytes own_distinct_features(void);
mb_bytes own_shared(void);
mb_bytes own_features(void);
mb_bytes own_alternating(void);
mb_bytes own_limit(void);
mb_bytes own_numbers(void);
mb_bytes own_texts(void);
mb_bytes own_picked(void);
mb_bytes own_dropped_categories(void);
mb_bytes own_dropped_sums(void);
mb_bytes own_wide(void);
mb_bytes own_affine_chain(void);
mb_bytes own_view_chain(void);
mb_bytes own_linear_chain(void);
mb_bytes own_side_by_side(void);
mb_bytes own_concats(void);
mb_bytes own_median(void);
mb_bytes own_path(void);
mb_bytes own_bessel(void);

#endif
