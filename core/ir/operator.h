/* operator.h - the kinds of operators, their parameters and the columns of operators.def. */
#ifndef HB_IR_OPERATOR_H
#define HB_IR_OPERATOR_H

#include "ir/parameters.h"

typedef enum hb_operator_kind {
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) HB_OPERATOR_##kind,
#include "ir/operators.def"
    HB_N_OPERATORS
} hb_operator_kind;

/* hb_fit_NAME: the fitted parameters of an operator. Arrays belong to whoever made them, mostly an arena. */
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) \
    typedef struct hb_fit_##name {
#define HB_SCALAR(name, type, member)        type member;
#define HB_FIXED(name, type, member, count)  type member[count];
#define HB_ARRAY(name, type, member, length) const type *member;
#define HB_NESTED(name, type, member)        type member;
#define HB_KEPT(name, type, member)          type member;
#define HB_END(name) \
    }                \
    hb_fit_##name;
#include "ir/operators.def"

typedef enum hb_stage { HB_STAGE_MACRO, HB_STAGE_PRIMITIVE } hb_stage;
/* How many inputs an operator takes. */
typedef struct hb_input_count {
    uint32_t least, most;
} hb_input_count;
/* dtypes of a first input, as bits */
enum { HB_READS_FLOAT32 = 1, HB_READS_FLOAT64 = 2, HB_READS_EITHER = HB_READS_FLOAT32 | HB_READS_FLOAT64 };
typedef enum hb_accuracy { HB_ACCURACY_EXACT, HB_ACCURACY_CLOSE, HB_ACCURACY_DECISION } hb_accuracy;
typedef enum hb_makes { HB_MAKES_ANY, HB_MAKES_INPUTS, HB_MAKES_FINITE } hb_makes;

/* How a member of the parameters is stored. */
typedef enum hb_member_kind { HB_MEMBER_VALUE, HB_MEMBER_ARRAY } hb_member_kind;

/* A member that a plan needs: a value of `size` bytes inside the struct, or a pointer to items of `size` bytes. */
typedef struct hb_member {
    hb_member_kind kind;
    const char *name; /* also in hbscore's own format */
    size_t offset, size;
    bool is_float64;    /* it is, or each of its items */
    double least, most; /* of each item; infinities: those too */
    size_t (*length)(const void *fit, size_t n,
                     size_t m); /* array: its items, for an input of n columns, an output of m */
} hb_member;

/* A row of operators.def. */
typedef struct hb_operator_row {
    const char *name, *summary;
    hb_stage stage;
    hb_input_count inputs;
    uint8_t reads;
    bool asks;     /* demand */
    bool in_place; /* place */
    hb_accuracy accuracy;
    hb_makes makes;
    size_t fit_size; /* 0: no parameters */
    const hb_member *members;
    size_t n_members;
} hb_operator_row;

extern const hb_operator_row hb_operator_rows[HB_N_OPERATORS];

static inline const char *hb_operator_name(hb_operator_kind kind)
{
    return hb_operator_rows[kind].name;
}

#endif
