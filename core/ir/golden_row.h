/* golden_row.h - one golden row: a row of features, and what the training library gave for it. What
 * format/ reads and plan/ compares. */
#ifndef HB_IR_GOLDEN_ROW_H
#define HB_IR_GOLDEN_ROW_H

#include "base/status.h"

/* The outputs that golden rows can have, by the names of the option's members. */
typedef enum hb_golden_output {
    HB_GOLDEN_PREDICTION,
    HB_GOLDEN_PROBABILITIES,
    HB_GOLDEN_DECISION,
    HB_GOLDEN_VALUES,
    HB_GOLDEN_TRANSFORM,
    HB_N_GOLDEN
} hb_golden_output;

static inline const char *hb_golden_name(hb_golden_output output)
{
    static const char *const names[] = {"prediction", "probabilities", "decision", "values", "transform"};

    return names[output];
}

/* The features and outputs of a model. */
typedef struct hb_golden_shape {
    size_t n_features;
    size_t widths[HB_N_GOLDEN]; /* 0: the model has no such output */
    bool label;                 /* the prediction is the label of a class */
} hb_golden_shape;

/* A decimal, rounded once to each type. */
typedef struct hb_golden_number {
    double wide;
    float narrow;
} hb_golden_number;

typedef struct hb_golden_row {
    size_t number;                          /* from 1; 0: no row was read yet */
    hbs_value *features;                    /* [n_features] */
    uint32_t given;                         /* 1 << hb_golden_output: the outputs that all rows come with */
    uint32_t nulls;                         /* of these: NULL in this row */
    hbs_value label;                        /* the prediction, where it is one */
    hb_golden_number *numbers[HB_N_GOLDEN]; /* [width]; NULL where not given */
} hb_golden_row;

#endif
