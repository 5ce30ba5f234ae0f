/* forest_parts.h - what the compilers of float32 and float64 forests share; private to this folder. */
#ifndef HB_FOREST_FOREST_PARTS_H
#define HB_FOREST_FOREST_PARTS_H

#include "forest/bits_program.h"
#include "forest/category_sets.h"
#include "forest/forest_plan.h"

/* Tables that are written tree after tree; several take turns, while the nodes of the tree are near. */
typedef struct hb_tree_writer {
    bool (*write)(void *context, size_t tree, hb_work *work); /* false where the host wants to stop */
    void *context;
} hb_tree_writer;

/* HBS_E_CANCEL. */
hbs_status hb_forest_write_trees(const hb_forest_model *forest, const hb_tree_writer *writers, size_t n, hb_work *work,
                                 hbs_error *error);

/* forest_nodes32.c, forest_nodes64.c: where the nodes of TreeTraversal are written. */
typedef struct hb_node_writer32 {
    const hb_forest_model *forest;
    hb_node32 *nodes;
    float *vectors; /* a row for each leaf in the order of the nodes, or for each different one */
    const hb_leaf_rows *rows;
    hb_category_set_writer sets;
    uint32_t n_leaves;
} hb_node_writer32;

typedef struct hb_node_writer64 {
    const hb_forest_model *forest;
    hb_node64 *nodes;
    hb_linear64 *linear;
    double *vectors; /* a row for each leaf in the order of the nodes, or for each different one */
    const hb_leaf_rows *rows;
    hb_category_set_writer sets;
    uint32_t n_linear, n_leaves;
} hb_node_writer64;

/* Makes room for its arrays and sets their offsets in `plan`; then trees are written in their order (the context is the
 * writer), unless the flat block is only counted. HBS_E_CANCEL. */
hbs_status hb_nodes_reserve32(const hb_forest_model *forest, const hb_leaf_rows *rows, hb_flat *flat, hb_work *work,
                              hb_forest_plan *plan, hb_node_writer32 *out, hbs_error *error);
bool hb_nodes_write32(void *writer, size_t tree, hb_work *work);
hbs_status hb_nodes_reserve64(const hb_forest_model *forest, const hb_leaf_rows *rows, hb_flat *flat, hb_work *work,
                              hb_forest_plan *plan, hb_node_writer64 *out, hbs_error *error);
bool hb_nodes_write64(void *writer, size_t tree, hb_work *work);

/* leaf_rows.c: which of the leaves are equal. HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_leaf_rows_find(const hb_forest_model *forest, hb_arena *arena, hb_leaf_rows *rows, hbs_error *error);

/* Whether a strategy may write the vector of each leaf for itself: leaves that share vectors would else let a small
 * file become a large plan. And how many numbers these are. */
bool hb_leaf_rows_may_repeat(const hb_forest_model *forest);
size_t hb_leaf_rows_repeated(const hb_forest_model *forest);

/* compact_slots.c: where compact nodes stand, if the forest can have them. HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_compact_compile(const hb_forest_model *forest, hb_arena *arena, hb_compact_program *program,
                              hbs_error *error);

/* compact.c: whether compact nodes can hold the forest, as far as it tells without its nodes, and whether they pay; and
 * these, in the same way. */
typedef struct hb_compact_writer {
    const hb_forest_model *forest;
    const hb_compact_program *program;
    const hb_leaf_rows *rows;
    hb_compact_node *nodes;
    void *leaves; /* numbers; NULL: vectors, which are written already */
    uint32_t n_leaves;
} hb_compact_writer;

bool hb_compact_fits(const hb_forest_model *forest);
bool hb_compact_pays(const hb_forest_model *forest);
/* `vectors`: where those of the leaves are. */
hb_compact_writer hb_compact_reserve(const hb_forest_model *forest, const hb_forest_choice *choice, uint64_t vectors,
                                     hb_flat *flat, uint64_t *offset);
bool hb_compact_write(void *writer, size_t tree, hb_work *work);

/* Output `o` of a leaf, as TreeTraversal has it (of a forest in float32: a float32). */
double hb_forest_leaf(const hb_forest_model *forest, size_t tree, const hb_tree_node *leaf, size_t o);

/* bits_plan.c: all but the trees, for which it makes room (bits_writer.c writes them); gives the offset that its view
 * takes. */
hb_bits_writer hb_bits_reserve(const hb_forest_model *forest, const hb_bits_program *program, hb_flat *flat,
                               uint64_t *offset);

/* gemm_plan.c, ptt_plan.c: each writes the program; gives the offset that its view takes. */
hbs_status hb_gemm_write(const hb_forest_model *forest, const hb_gemm_program *program, hb_flat *flat, hb_work *work,
                         uint64_t *offset, hbs_error *error);
hbs_status hb_ptt_write(const hb_forest_model *forest, const hb_ptt_program *program, hb_flat *flat, hb_work *work,
                        uint64_t *offset, hbs_error *error);

#endif
