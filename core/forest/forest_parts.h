/* forest_parts.h - what the compilers of float32 and float64 forests share; private to this folder. */
#ifndef HB_FOREST_FOREST_PARTS_H
#define HB_FOREST_FOREST_PARTS_H

#include "forest/bits_program.h"
#include "forest/forest_plan.h"

/* Fills the table of trees, and calls `write` for each; polls. */
hbs_status hb_forest_write_trees(const hb_forest_model *forest, hb_flat_tree *trees,
                                 const hbs_host *host, void (*write)(void *context, size_t tree),
                                 void *context, hbs_error *error);

/* Each writes its arrays and sets their offsets in `plan`. */
hbs_status hb_forest_compile_narrow(const hb_forest_model *forest, hb_flat *flat,
                                    const hbs_host *host, hb_forest_plan *plan, hbs_error *error);
hbs_status hb_forest_compile_wide(const hb_forest_model *forest, hb_flat *flat,
                                  const hbs_host *host, hb_forest_plan *plan, hbs_error *error);

/* compact.c: whether the forest can have compact nodes; writes them and gives their offset. */
bool hb_compact_fits(const hb_forest_model *forest);
uint64_t hb_compact_write(const hb_forest_model *forest, hb_flat *flat);

/* Output `o` of a leaf, as TreeTraversal has it (of a forest in float32: a float32). */
double hb_forest_leaf(const hb_forest_model *forest, size_t tree, const hb_tree_node *leaf, size_t o);

/* bits_plan.c, gemm_plan.c, ptt_plan.c: each writes the program; gives the offset that its view takes. */
uint64_t hb_bits_write(const hb_forest_model *forest, const hb_bits_program *program, hb_flat *flat);
hbs_status hb_gemm_write(const hb_forest_model *forest, const hb_gemm_program *program, hb_flat *flat,
                         const hbs_host *host, uint64_t *offset, hbs_error *error);
hbs_status hb_ptt_write(const hb_forest_model *forest, const hb_ptt_program *program, hb_flat *flat,
                        const hbs_host *host, uint64_t *offset, hbs_error *error);

#endif
