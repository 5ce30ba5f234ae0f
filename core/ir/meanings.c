/* meanings.c - the meaning of each kind of operator, by its number. */
#include "ir/meaning.h"

const hb_meaning *const hb_meanings[HB_N_OPERATORS] = {
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) &hb_meaning_##name,
#include "ir/operators.def"
};
