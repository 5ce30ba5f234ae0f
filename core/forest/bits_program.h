/* bits_program.h - a forest compiled for the strategy "bits" (kernel/bits_kernel.h), before it is written. */
#ifndef HB_FOREST_BITS_PROGRAM_H
#define HB_FOREST_BITS_PROGRAM_H

#include "kernel/bits_kernel.h"
#include "kernel/row_kernel.h"
#include "pipeline/forest_model.h"

enum {
    HB_BITS_PREDICATES = 1 << 15, /* at most: their bits of a block are 2 MiB then */
    HB_BITS_LEAVES = 1 << HB_BITS_INDEX, /* of a tree, at most */
    HB_BITS_WIDTH = 64            /* of a leaf's vector, at most */
};

/* All arrays are the arena's. */
typedef struct hb_bits_program {
    hb_bits_chunk *chunks;
    float *heaps;
    double *thresholds; /* of forests in float64 */
    uint8_t *cuts, *rules;
    hb_bits_set *sets;
    uint32_t *predicate_of; /* by node; of inner ones */
    hb_bits_tree *trees;
    uint32_t *nodes;
    hb_bits_operation *operations;
    uint16_t *flips;
    void *leaves; /* float, or double */
    hb_row_entry *entries; /* of single rows; n_entries is 0 where these walk */
    hb_row_chunk *row_chunks; /* [n_chunks] */
    float *row_cuts;
    uint32_t *row_nodes;   /* [nodes of the forest] */
    size_t n_chunks, n_heaps, n_thresholds, n_predicates, n_sets, n_nodes, n_operations, n_flips,
        n_leaves, n_slots, n_entries, n_row_cuts;
    size_t n_tests; /* inner nodes of all trees */
} hb_bits_program;

/* Compiles; *why is NULL, or says what the forest has that this strategy cannot hold, and then there is no
 * program. Polls the host. HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_bits_compile(const hb_forest_model *forest, hb_arena *arena, const hbs_host *host,
                           hb_bits_program **program, const char **why, hbs_error *error);

/* bits_predicates.c: chunks, predicates, sets and predicate_of. */
hbs_status hb_bits_find_predicates(const hb_forest_model *forest, hb_arena *arena,
                                   const hbs_host *host, hb_bits_program *program, const char **why,
                                   hbs_error *error);

/* row_program.c: entries and row_nodes, after all else. */
hbs_status hb_row_compile(const hb_forest_model *forest, hb_arena *arena, hb_bits_program *program,
                          hbs_error *error);

#endif
