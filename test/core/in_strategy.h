/* in_strategy.h - a sealed forest compiled for one strategy, as each instruction set of this CPU takes it. */
#ifndef HB_TEST_IN_STRATEGY_H
#define HB_TEST_IN_STRATEGY_H

#include "support.h"

#include "forest/bits_program.h"
#include "forest/forest_plan.h"
#include "op/trees.h"

enum { IN_ROW_FORMS = 3, IN_ISAS = 4 };

/* The forest compiled for one isa. */
typedef struct in_isa {
    hb_forest_choice choice;
    void *block[IN_ROW_FORMS]; /* NULL: it has not this form */
    uint64_t program[IN_ROW_FORMS], plan[IN_ROW_FORMS];
    hb_row_forest row[IN_ROW_FORMS]; /* bits: of single rows: walks, all tests, perfect trees.. */
    bool has_row[IN_ROW_FORMS];      /* ..if the isa and the forest can have them */
    hb_forest32 narrow;
    hb_forest64 wide;
} in_isa;

typedef struct in_strategy {
    hb_memory memory;
    hb_arena arena;
    hbs_strategy strategy;
    in_isa isas[IN_ISAS]; /* as hb_kernels_at numbers them */
    bool is_wide;
    void *work;           /* no larger than it must be: a sanitizer sees what is beyond */
    const hbs_blas *blas; /* that gemm is given; NULL: none */
} in_strategy;

/* False, with nothing to end, where the strategy cannot hold the forest. */
bool in_strategy_begin(in_strategy *s, hbs_strategy strategy, const hb_forest_model *sealed, const hbs_host *host);
void in_strategy_end(in_strategy *s);

/* The sums of rows <= HB_BITS_ROWS by the i-th isa; stride and room for sums as
 * bits_kernel.h says. */
void in_strategy_score(const in_strategy *s, size_t i, const void *base, const void *x, bool is_float32, size_t stride,
                       size_t rows, void *sums);
/* The same row by row in way k of s->isas[i].row, with any stride. */
void in_strategy_score_rows(const in_strategy *s, size_t k, size_t i, const void *base, const void *x, size_t stride,
                            size_t rows, void *sums);

/* By each strategy that can hold the forest (walks: on compact nodes), gemm also with a BLAS of plain C; gives how
 * many. */
size_t in_strategies_begin(in_strategy made[HBS_N_STRATEGIES + 1], const hb_forest_model *sealed, const hbs_host *host);

#endif
