/* trees.h - how the trees of a tree_ensemble are evaluated: by the strategy that the plan has a program for, or by
 * walks. */
#ifndef HB_OP_TREES_H
#define HB_OP_TREES_H

#include "forest/forest_plan.h"
#include "op/execution.h"

/* All programs of one forest in a plan, made ready for a run. */
typedef struct hb_forest_view {
    bool is_wide; /* float64 */
    hb_forest32 narrow;
    hb_forest64 wide;
    hb_compact_forest compact; /* for walks, where the tile's numbers are float32 */
    bool has_compact;
    hbs_strategy strategy; /* as hb_forest_plan */
    size_t min_rows;
    hb_bits_forest bits;
    hb_row_forest row; /* beside bits */
    bool has_row;
    hb_gemm_forest gemm;
    hb_ptt_forest ptt;
} hb_forest_view;

/* The forest at `offset` of the plan that begins at `base`. */
void hb_forest_view_make(const void *base, uint64_t offset, bool is_wide, hb_forest_view *view);

/* How the trees of a call are evaluated now. NULL all of bits, gemm, ptt, row and compact: by walks on plain nodes. */
typedef struct hb_trees {
    const hb_forest32 *narrow;        /* in float32.. */
    const hb_forest64 *wide;          /* ..or in float64 */
    const hb_bits_forest *bits;       /* in bits, for these rows.. */
    const hb_gemm_forest *gemm;       /* ..or as products of matrices.. */
    const hb_ptt_forest *ptt;         /* ..or as perfect trees.. */
    const hb_row_forest *row;         /* ..or for one row after the other, which then is done.. */
    const hb_compact_forest *compact; /* ..or by walks on compact nodes */
    const hbs_blas *blas;             /* gemm: takes products; NULL: none */
    void *work;                       /* bits, gemm, compact: hb_forest_work bytes, at a multiple of 64 */
    bool has_missing;                 /* gemm: of the rows in `work` */
    bool is_float32;                  /* with bits: float32 holds every number of the input */
    bool base_is_rows;                /* the second input is [width][stride] */
} hb_trees;

/* The means for a call of so many rows: scratch for the strategy (NULL: none; then it walks), the host's BLAS
 * (NULL: none), whether tiles are single rows, for which no strategy has memory. */
typedef struct hb_tree_means {
    void *work;
    const hbs_blas *blas;
    bool single_rows;
} hb_tree_means;

void hb_trees_choose(const hb_forest_view *view, const hb_tree_means *means, size_t rows, hb_trees *trees);

/* Rows that suit it at once, of a tile of `rows`. */
size_t hb_trees_at_once(const hb_forest_view *view, size_t rows);

/* The strategy that is used for so many rows, for people; HBS_STRATEGY_AUTO: single rows or walks. */
hbs_strategy hb_trees_strategy(const hb_forest_view *view, const hb_tree_means *means, size_t rows);

#endif
