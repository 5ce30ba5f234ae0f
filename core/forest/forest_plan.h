/* forest_plan.h - a sealed forest compiled for its kernels, as a part of the flat plan.
 *
 * The nodes of TreeTraversal (Hummingbird, section 4.1), eight walks in flight, in float32 (forest_nodes32.c) or
 * float64 (forest_nodes64.c), hold all models, and score few rows; only a forest in bits of which no row walks is
 * without them. Many rows may go by another strategy, which is a program of its own beside the nodes (bits_program.c,
 * gemm_program.c, ptt_program.c). A new one is a file that compiles it, one that writes it, and a choice in
 * forest_choice.c. */
#ifndef HB_FOREST_FOREST_PLAN_H
#define HB_FOREST_FOREST_PLAN_H

#include "base/flat.h"
#include "forest/gemm_program.h"
#include "forest/ptt_program.h"
#include "kernel/kernels.h"
#include "ir/forest_model.h"

/* What is stored in the plan; offsets count from the beginning of the plan. */
typedef struct hb_forest_plan {
    uint64_t trees;
    uint64_t nodes, leaf_vectors, sets, words;             /* of walks.. */
    uint64_t linear, linear_features, linear_coefficients; /* ..in float64 */
    uint64_t n_nodes, n_features, n_trees, n_outputs, leaf_width;
    uint64_t n_vectors, n_sets;      /* of walks */
    uint64_t units;                  /* of work for a row in all trees, at most.. */
    uint64_t leaf_units, most_units; /* ..at a leaf, and for a row in one tree */
    uint64_t compact;                /* of what hb_compact_view takes; 0: none */
    uint64_t program;                /* of what the strategy's hb_.._view takes; 0: none */
    uint64_t min_rows;               /* from which on the strategy is used */
    uint32_t strategy;               /* hbs_strategy */
    uint32_t has_category_sets;
    uint32_t has_nodes, unused; /* no gap: equal models make equal plans */
} hb_forest_plan;

/* Leaves that are vectors, the equal ones once. */
typedef struct hb_leaf_rows {
    uint32_t *row_of; /* of a row of the model's leaf_vectors; NULL: each leaf has its own */
    uint32_t *first;  /* [n]: the model's row of each.. */
    size_t n;         /* ..of so many */
} hb_leaf_rows;

/* Compact nodes for walks, before they are written; both arrays are the arena's. */
typedef struct hb_compact_program {
    bool fits;       /* else there is nothing */
    uint32_t *slots; /* [nodes]: where in its tree each stands */
    uint32_t *roots; /* [trees + 1]: the first slot of each tree, and how many there are */
} hb_compact_program;

/* How a forest is going to be evaluated, before it is written. */
typedef struct hb_forest_choice {
    hbs_strategy asked, strategy;       /* strategy: not AUTO */
    const char *why;                    /* the one that was asked for cannot hold the forest: what it has;
                                         * else NULL */
    const struct hb_bits_program *bits; /* BITS: the arena's.. */
    size_t n_predicates, n_tests;       /* ..its predicates, and the tests of all nodes */
    hb_gemm_program gemm;               /* GEMM */
    hb_ptt_program ptt;                 /* PTT */
    hb_compact_program compact;         /* TT: for walks where they can */
    hb_leaf_rows rows;
    size_t min_rows;
    bool keep_nodes; /* whoever reads them */
} hb_forest_choice;

/* Picks a strategy, or takes the one asked for, for the kernels of an isa. The work is that of the arena's memory.
 * HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hb_forest_choose(const hb_forest_model *forest, hbs_strategy asked, const hb_kernels *kernels,
                            hb_arena *arena, hb_forest_choice *choice, hbs_error *error);

/* Writes the forest and everything that belongs to it; gives the offset of its hb_forest_plan. HBS_E_CANCEL. */
hbs_status hb_forest_compile(const hb_forest_model *forest, const hb_forest_choice *choice, hb_flat *flat,
                             hb_work *work, uint64_t *offset, hbs_error *error);

/* The choice in words, for people: the strategy's name; its figures or why it is not the one asked for. */
const char *hb_strategy_name(hbs_strategy strategy);
void hb_forest_note(const hb_forest_choice *choice, char *note, size_t size);

/* About how long a row by itself takes, for planners: of the forest's shape, and the same in every isa. */
double hb_forest_row_nanoseconds(const hb_forest_model *forest, const hb_forest_choice *choice);

/* The same for a row of a full block, which shares tests and the caches with the others: a third to a seventh of that.
 */
double hb_forest_block_nanoseconds(const hb_forest_model *forest, const hb_forest_choice *choice);

/* The rows that it should get at once; 0: as many as tiles have. */
size_t hb_forest_block(const hb_forest_model *forest, const hb_forest_choice *choice);

/* Bytes of work that its kernel needs: in tiles, in any run, and for each row that a tile has room for. */
typedef struct hb_forest_room {
    size_t tile, run, row;
} hb_forest_room;

hb_forest_room hb_forest_work(const hb_forest_model *forest, const hb_forest_choice *choice);

/* The kernel's view of the forest at `offset` of the plan that begins at `base`: of one in float32, and
 * of one in float64. */
hb_forest32 hb_forest_view32(const void *base, uint64_t offset);
hb_forest64 hb_forest_view64(const void *base, uint64_t offset);
/* Those of a strategy; `offset` is hb_forest_plan.program. */
hb_bits_forest hb_bits_view(const void *base, uint64_t offset);
hb_gemm_forest hb_gemm_view(const void *base, uint64_t offset);
hb_ptt_forest hb_ptt_view(const void *base, uint64_t offset);
/* That of compact nodes; `offset` is the forest's, and it has some. */
hb_compact_forest hb_compact_view(const void *base, uint64_t offset);
/* That of single rows beside bits, with the forest's own trees; false: it has none. */
bool hb_row_view(const void *base, uint64_t offset, const hb_tree *trees, hb_row_forest *row);

#endif
