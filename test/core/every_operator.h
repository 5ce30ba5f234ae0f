/* every_operator.h - each operator of the pipeline in each of its forms, with valid parameters, the dtypes that it has
 * kernels for, and what it makes of a row in plain C. Tests that must hold for all operators go through this list. It
 * leaves out the ordinal operator, which stands before all others and can stand nowhere else. */
#ifndef HB_TEST_EVERY_OPERATOR_H
#define HB_TEST_EVERY_OPERATOR_H

#include "models.h"

enum { EVERY_FLOAT32 = 1, EVERY_FLOAT64 = 2, EVERY_BOTH = 3 };

/* How far an operator's numbers are from the library's, if its input's are the same bits. */
typedef enum every_closeness {
    EVERY_EXACT,   /* no more than the input's */
    EVERY_CLOSE,   /* within the pipeline's tolerance */
    EVERY_DECISION /* not at all: a flag, or the number of a class or bin */
} every_closeness;

/* What an operator is given; all of it is zero before. */
typedef struct every_setting {
    union {
#define HB_OPERATOR(kind, name, stage, inputs, reads, demand, accuracy, place, makes, summary) hb_fit_##name name;
#include "ir/operators.def"
    } fit;
    uint32_t inputs[2];
    size_t n_inputs; /* 1 */
    bool wide;       /* the first input's numbers are float64 */
} every_setting;

typedef struct every_operator {
    const char *name;
    hb_operator_kind kind;
    size_t takes; /* columns; 0: any number from 2 on */
    unsigned dtypes;
    every_closeness closeness;
    /* The parameters for an input of `width` columns, with arrays in the pipeline's arena; NULL: zeros. */
    void (*set)(test_pipeline *p, every_setting *op, size_t width);
    /* Numbers in float64; those of float32 are within its rounding. NULL: as they are. */
    void (*expect)(const double *x, size_t width, double *y);
} every_operator;

size_t every_operator_count(void);
const every_operator *every_operator_at(size_t i);

/* Appends operator i behind `input`; the numbers there are float64 if `wide`. Gives its value. */
size_t every_operator_add(test_pipeline *p, size_t i, size_t input, size_t width, bool wide);

/* How many columns operator i makes of `width`. */
size_t every_operator_width(size_t i, size_t width);

#endif
