/* forest_cost.h - about how long each strategy takes, in nanoseconds of one core. */
#ifndef HB_FOREST_FOREST_COST_H
#define HB_FOREST_FOREST_COST_H

#include "forest/bits_program.h"
#include "forest/gemm_program.h"

typedef struct hb_forest_cost {
    double walk;       /* TreeTraversal: a row of many */
    double single;     /* a row by itself */
    double bits_row;   /* bits: a row.. */
    double bits_block; /* ..and a block, of however many rows.. */
    double bits_few;   /* ..or of up to 64 */
} hb_forest_cost;

/* Of this CPU's instruction set. `program` may be NULL: bits are then infinite. Of shapes alone: no more than they will
 * be when the program is compiled. */
hb_forest_cost hb_forest_estimate(const hb_forest_model *forest, const hb_bits_program *program);

/* Steps of a row through all trees: walks of deep trees end before. */
double hb_forest_steps(const hb_forest_model *forest);

/* A row by products of matrices, our own. */
double hb_forest_gemm_estimate(const hb_forest_model *forest, const hb_gemm_program *program);
/* A row by perfect trees. */
double hb_forest_ptt_estimate(const hb_forest_model *forest);

#endif
