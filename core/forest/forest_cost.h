/* forest_cost.h - about how long each strategy takes, in nanoseconds of one core.
 *
 * What is done is counted, by the forest's shape and its programs; how long each of it takes was measured, for each
 * instruction set (forest_constants.def). */
#ifndef HB_FOREST_FOREST_COST_H
#define HB_FOREST_FOREST_COST_H

#include "forest/bits_program.h"
#include "forest/gemm_program.h"

/* Of each term (forest_terms.def) how often it is done, or how long it takes once. */
typedef struct hb_forest_terms {
#define HB_TERM(name, what) double name;
#include "forest/forest_terms.def"
#undef HB_TERM
} hb_forest_terms;

typedef struct hb_forest_counts {
    hb_forest_terms walk;       /* TreeTraversal: a row of many.. */
    hb_forest_terms walk_one;   /* ..or by itself */
    hb_forest_terms single;     /* a row by itself by ranks, or else by a walk */
    hb_forest_terms bits_row;   /* bits: a row.. */
    hb_forest_terms bits_block; /* ..and a block, of however many rows.. */
    hb_forest_terms bits_few;   /* ..or of up to 64 */
} hb_forest_counts;

typedef struct hb_forest_cost {
    double walk, walk_one, single, bits_row, bits_block, bits_few;
} hb_forest_cost;

/* `program` may be NULL: what is of bits is then 0. Of shapes alone: no more than it will be when the program is
 * compiled. */
hb_forest_counts hb_forest_count(const hb_forest_model *forest, const hb_bits_program *program);
/* A row by products of matrices, our own; a row by perfect trees. */
hb_forest_terms hb_forest_gemm_count(const hb_gemm_program *program);
hb_forest_terms hb_forest_ptt_count(const hb_forest_model *forest);

/* Of this CPU's instruction set. Without a program bits take for ever. */
hb_forest_cost hb_forest_estimate(const hb_forest_model *forest, const hb_bits_program *program);
double hb_forest_gemm_estimate(const hb_forest_model *forest, const hb_gemm_program *program);
double hb_forest_ptt_estimate(const hb_forest_model *forest);

#endif
