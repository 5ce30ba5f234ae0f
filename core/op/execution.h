/* execution.h - what each primitive operator computes: one function each, for constant folding and for plans.
 *
 * TABLE and ENCODE read the caller's columns and can fail for a row; plan/bind.c does both in one. */
#ifndef HB_OP_EXECUTION_H
#define HB_OP_EXECUTION_H

#include "base/flat.h"
#include "ir/graph.h"
#include "kernel/kernels.h"
#include "op/lists.h"
#include "op/texts.h"

/* The first reason why a row is refused, other than a value that an encoder does not know. */
typedef struct hb_reason {
    const char *words; /* hb_failure.words */
    uint32_t feature;  /* that the number comes from, or UINT32_MAX */
    double text;       /* the place of the text that is no number (op/texts.h); NaN: there is none */
} hb_reason;

/* Rows of a tile that a step refuses: those with a value that an encoder does not know, and the first such
 * value of each; and those with a number that a guard does not let by, or a text that is no number. */
typedef struct hb_refusal {
    uint64_t rows;         /* bit r: row r; only of these the arrays are set */
    uint32_t features[64]; /* the feature that the value comes from, or UINT32_MAX */
    double values[64];
    uint64_t beyond;       /* rows as well, and only of these.. */
    hb_reason reasons[64]; /* ..this is set */
} hb_refusal;

/* Row r by a number of column c of an operator's first input. */
static inline void hb_refuse_number(hb_refusal *refusal, size_t r, const hb_failure *failure, size_t c, double text)
{
    if (!(refusal->beyond >> r & 1))
        refusal->reasons[r] = (hb_reason){failure->words, failure->features ? failure->features[c] : UINT32_MAX, text};
    refusal->beyond |= (uint64_t)1 << r;
}

struct hb_trees;        /* op/trees.h */
struct hb_product_room; /* op/product.h */

/* One node over a tile: `rows` <= `stride` rows, column-major ([width][stride]). */
typedef struct hb_call {
    bool (*evaluate)(const struct hb_call *call); /* hb_evaluate_NAME */
    const hb_kernels *kernels;
    const void *fit; /* hb_fit_NAME, without what operators.def keeps from plans */
    hb_asker asker;  /* whose output it is for */
    hb_dtype dtype;  /* of input and output; narrow: of the output */
    size_t stride, rows;
    size_t input_width, width;
    const void *input; /* the first input: [input_width][stride] */
    const void *const
        *inputs;         /* all of them, as they are for the whole call: [width] of a constant, else [width][stride] */
    void *output;        /* [width][stride] */
    hb_refusal *refusal; /* rows that have no result are added to it */
    const struct hb_trees *trees; /* tree_ensemble: how its trees are evaluated now */
    struct hb_product_room *room; /* dense: with a BLAS; NULL: without */
    const hb_texts *texts;        /* of the rows; NULL: there are none */
    hb_lists *lists;              /* of the tile; NULL: none can be made */
    const double *limits;         /* dense, sparse: that its output is clipped to; NULL: none */
    bool feeds_product;           /* dense: its last reader is the product that is evaluated next */
    hb_work *polls;               /* counts what is done; NULL: the host is never asked whether to stop */
} hb_call;

/* False where the host wants to stop; the output is then not complete. */
static inline bool hb_evaluate(const hb_call *call)
{
    return call->evaluate(call);
}

/* The functions of all primitive operators; NULL for macros. */
typedef bool (*hb_evaluator)(const hb_call *call);
extern const hb_evaluator hb_evaluators[HB_N_OPERATORS];

/* clang-format off */
#define MACRO(name)
#define PRIMITIVE(name) bool hb_evaluate_##name(const hb_call *call);
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) stage(name)
#include "ir/operators.def"
#undef MACRO
#undef PRIMITIVE
/* clang-format on */

/* ---- for these functions */

enum {
    HB_STEPS_AT_ONCE = 1 << 18, /* products of numbers: well below a millisecond */
    HB_CELLS_AT_ONCE = 1 << 14, /* of one operator that sorts, looks up or takes exponentials */
    HB_FEW_CELLS = 64, /* of a single row: not counted, which would cost a small model's row one per cent of its time */
    HB_STEPS_A_UNIT = 4,
    HB_UNITS_A_CELL = 4
};

/* False where the host wants to stop, which it is asked after many units of work. */
static inline bool hb_call_goes_on(const hb_call *call, size_t units)
{
    return !call->polls || hb_goes_on(call->polls, units);
}

static inline hb_tile64 hb_call_tile64(const hb_call *call)
{
    return (hb_tile64){call->input, call->output, call->input_width, call->stride, call->rows};
}

/* ---- parameters in a plan (op/fit_plan.c) */

/* Writes the parameters of a node whose first input has n columns and whose value m; gives their offset, 0 where there
 * are none. Pointers become offsets. */
uint64_t hb_fit_write(hb_flat *flat, hb_operator_kind kind, const void *fit, size_t n, size_t m);
/* The parameters at `offset` of the plan that begins at `base`, into `fit` (hb_operator_rows[kind].fit_size bytes). */
void hb_fit_view(const void *base, uint64_t offset, hb_operator_kind kind, void *fit);

#endif
