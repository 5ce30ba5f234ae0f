/* ptt_program.h - a forest for the strategy "ptt" (kernel/ptt_kernel.h), before it is written. */
#ifndef HB_FOREST_PTT_PROGRAM_H
#define HB_FOREST_PTT_PROGRAM_H

#include "kernel/ptt_kernel.h"
#include "ir/forest_model.h"

enum { HB_PTT_DEPTH = 10 /* of a tree, at most */ };

typedef struct hb_ptt_program {
    size_t n_places;   /* of all trees: places of nodes, and as many leaves */
    uint32_t *node_at; /* the arena's: room for the places and leaves of the deepest tree */
} hb_ptt_program;

/* Whether the forest can be held, in not much more than its nodes take; *why is NULL, or says what it has that this
 * strategy cannot hold. HBS_E_NOMEM. */
hbs_status hb_ptt_compile(const hb_forest_model *forest, hb_arena *arena, hb_ptt_program *program, const char **why,
                          hbs_error *error);

#endif
