/* drawn_forest.h - forests that tests draw, node by node, and what a walk down their nodes gives: the oracle of tests
 * that ask whether all strategies give its bits. */
#ifndef TEST_DRAWN_FOREST_H
#define TEST_DRAWN_FOREST_H

#include "support.h"

#include "forest/forest_plan.h"
#include "ir/pipeline.h"

enum { DRAWN_FEATURES = 12, DRAWN_ROWS = 4500 };

typedef struct drawn_forest {
    test_host host;
    hb_memory memory;
    hb_pipeline pipeline;
    hb_forest_model *forest;
    uint64_t random;
    float cells[DRAWN_FEATURES][DRAWN_ROWS];
    double walked[DRAWN_ROWS]; /* by drawn_seal: each row's sum */
} drawn_forest;

/* `missing`: of 16 numbers about one. */
void drawn_begin(drawn_forest *d, bool wide, bool missing);
/* Trees are added before it is sealed. 2^levels leaves; oblivious: all nodes of a level test the same. */
void drawn_add_perfect(drawn_forest *d, uint32_t levels, bool oblivious);
/* Leaves become tests, one of the last `near` ones, so that some are deep. */
void drawn_add_irregular(drawn_forest *d, uint32_t leaves, uint32_t near);
void drawn_seal(drawn_forest *d);
void drawn_end(drawn_forest *d);

/* The choice for the sealed forest. It points into the arena, which this begins and the caller releases. */
hb_forest_choice drawn_choose(drawn_forest *d, hbs_strategy strategy, hb_arena *arena);

/* Fails unless rows [first, first + n), `n` at once, by the strategy on this instruction set, have the walk's bits. */
void drawn_assert_walks(drawn_forest *d, hbs_strategy strategy, size_t first, size_t n);

#endif
