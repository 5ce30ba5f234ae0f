/* asking.h - for hb_meaning.demands: which columns of an operator's inputs are live, and which numbers these must not
 * be, given what is asked of its own columns (demand.c says why).
 *
 * What is asked of a column is a byte: HB_DEMAND_... and HB_LIVE. Loops over columns have no branch: a table has up to
 * HB_MAX_FEATURES, and one operator is one part of the work. */
#ifndef HB_IR_ASKING_H
#define HB_IR_ASKING_H

#include "ir/pipeline.h"

/* Beside the demands: the column's number can change an output. */
enum { HB_LIVE_BIT = 7, HB_LIVE = 1u << HB_LIVE_BIT };

/* One operator: what is asked of its own columns, and where what it asks goes. */
typedef struct hb_asking {
    const hb_pipeline *pipeline;
    const hb_node *node;
    hb_asker asker;
    uint8_t *own; /* [width] */
    uint8_t **of; /* of every value: [width]; those of its inputs are there */
    hb_work *work;
} hb_asking;

/* The bytes of the first input's columns: [its width]. */
static inline uint8_t *hb_asking_input(const hb_asking *a)
{
    return a->of[a->node->inputs[0]];
}

/* All that is asked of its own columns [first, end), together. */
static inline uint8_t hb_asked_any(const hb_asking *a, size_t first, size_t end)
{
    uint8_t any = 0;

    for (size_t c = first; c < end; c++)
        any |= a->own[c];
    return any;
}

/* The demand on the inputs of a computation: a computed number is no category, so its inputs may be rounded. */
static inline uint8_t hb_asked_of_computed(uint8_t demand)
{
    return (uint8_t)(demand & ~HB_DEMAND_EXACT);
}

/* ---- of the first input, column by column */

/* For an operator that leaves numbers as they are. */
void hb_ask_same(const hb_asking *a);
/* The same with `more` for each, for an operator that computes with the numbers. */
void hb_ask_computed(const hb_asking *a, uint8_t more);
/* Whatever their numbers are. */
void hb_ask_live(const hb_asking *a);
/* The library looks at all columns that it gets, whatever is asked of those that come out. */
void hb_ask_each(const hb_asking *a, uint8_t demand);
/* Any output column depends on all of the input: weights of 0 too, since 0 times infinity is no number. */
void hb_ask_all(const hb_asking *a, uint8_t more);

/* ---- of all inputs: what an operator asks that says nothing else */

/* Any output column depends on all columns of all inputs. */
void hb_ask_all_inputs(const hb_asking *a);

#endif
