/* category_sets.h - the category sets that nodes test, in the form that kernels read. */
#ifndef HB_FOREST_CATEGORY_SETS_H
#define HB_FOREST_CATEGORY_SETS_H

#include "base/flat.h"
#include "kernel/forest_kernel.h"
#include "ir/forest_model.h"

typedef struct hb_category_set_writer {
    hb_category_set *sets;
    uint32_t *words;
    uint32_t n_sets, n_words; /* that are written.. */
    size_t all_sets;          /* ..of so many */
} hb_category_set_writer;

/* Room for all sets of the forest that do not fit into their node; gives their offsets. The writer's
 * pointers are NULL while `flat` only counts. HBS_E_CANCEL. */
hbs_status hb_category_sets_reserve(const hb_forest_model *forest, hb_flat *flat, hb_work *work,
                                    hb_category_set_writer *writer, uint64_t *sets, uint64_t *words, hbs_error *error);

/* Writes the set of `node`: gives HB_TEST_SMALL_SET and its members' bits, or HB_TEST_SET and its index. What it writes
 * is not complete where the work was stopped. */
uint32_t hb_category_set_write(const hb_forest_model *forest, const hb_tree_node *node, hb_category_set_writer *writer,
                               hb_work *work, uint32_t *members_or_index);

#endif
