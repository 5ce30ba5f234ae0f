/* operators.c - the rows of operators.def as a table. */
#include "ir/operator.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* The lengths of arrays: functions, since a length may come from the parameters. */
#define HB_LENGTH_AT(line, name, items)                                 \
    static size_t length_at_##line(const void *fit, size_t n, size_t m) \
    {                                                                   \
        const hb_fit_##name *f = fit;                                   \
                                                                        \
        (void)f, (void)n, (void)m;                                      \
        return items;                                                   \
    }
#define HB_LENGTH(line, name, items)            HB_LENGTH_AT(line, name, items)
#define HB_ARRAY(name, type, member, length)    HB_LENGTH(__LINE__, name, length)
#define HB_ARRAY_OF(name, type, member, length) HB_LENGTH(__LINE__, name, length)
#include "ir/operators.def"

#define IS_FLOAT64(x) _Generic((x), double : true, default : false)

/* members_NAME; behind the last one stands an empty one, as C has no empty arrays. */
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) \
    static const hb_member members_##name[] = {
#define HB_VALUE(name, member)                 \
    {HB_MEMBER_VALUE,                          \
     #member,                                  \
     offsetof(hb_fit_##name, member),          \
     sizeof(((hb_fit_##name *)0)->member),     \
     IS_FLOAT64(((hb_fit_##name *)0)->member), \
     -DBL_MAX,                                 \
     DBL_MAX,                                  \
     NULL},
#define HB_SCALAR(name, type, member)       HB_VALUE(name, member)
#define HB_FIXED(name, type, member, count) HB_VALUE(name, member)
#define HB_NESTED(name, type, member)       HB_VALUE(name, member)
#define HB_ITEMS_AT(line, name, type, member, least, most)                                                        \
    {HB_MEMBER_ARRAY, #member, offsetof(hb_fit_##name, member), sizeof(type), IS_FLOAT64((type){0}), least, most, \
     length_at_##line},
#define HB_ITEMS(line, name, type, member, least, most)      HB_ITEMS_AT(line, name, type, member, least, most)
#define HB_ARRAY(name, type, member, length)                 HB_ITEMS(__LINE__, name, type, member, -DBL_MAX, DBL_MAX)
#define HB_ARRAY_IN(name, type, member, length, least, most) HB_ITEMS(__LINE__, name, type, member, least, most)
#define HB_ARRAY_OF(name, type, member, length)              HB_ITEMS(__LINE__, name, type, member, -DBL_MAX, DBL_MAX)
#define HB_END(name)                                   \
    {                                                  \
        HB_MEMBER_VALUE, NULL, 0, 0, false, 0, 0, NULL \
    }                                                  \
    }                                                  \
    ;
#include "ir/operators.def"

#define MACRO      HB_STAGE_MACRO
#define PRIMITIVE  HB_STAGE_PRIMITIVE
#define NONE       0, 0
#define ONE        1, 1
#define TWO        2, 2
#define ONE_OR_TWO 1, 2
#define SOME       1, UINT32_MAX
#define FLOAT32    HB_READS_FLOAT32
#define FLOAT64    HB_READS_FLOAT64
#define EITHER     HB_READS_EITHER
#define TAKES_ALL  false
#define ASKS       true
#define APART      false
#define IN_PLACE   true

const hb_operator_row hb_operator_rows[HB_N_OPERATORS] = {
#define HB_OPERATOR(kind, op, stage_, inputs_, reads_, demand, accuracy_, place, makes_, summary_) \
    {.name = #op,                                                                                  \
     .summary = summary_,                                                                          \
     .stage = stage_,                                                                              \
     .inputs = {inputs_},                                                                          \
     .reads = reads_,                                                                              \
     .asks = demand,                                                                               \
     .in_place = place,                                                                            \
     .accuracy = HB_ACCURACY_##accuracy_,                                                          \
     .makes = HB_MAKES_##makes_,                                                                   \
     .fit_size = sizeof(hb_fit_##op),                                                              \
     .members = members_##op,                                                                      \
     .n_members = sizeof(members_##op) / sizeof(members_##op[0]) - 1},
#include "ir/operators.def"
};
