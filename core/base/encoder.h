/* encoder.h - categories to numbers, as scikit-learn's encoders do it: column by column, a value is looked
 * up among those that training has seen. Values are numbers: a text is its code in the feature's
 * dictionary, HB_UNSEEN_CODE if it is not there. NaN is a missing value. */
#ifndef HB_BASE_ENCODER_H
#define HB_BASE_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#define HB_UNSEEN_CODE (-1.0)

enum {
    HB_OUTPUT_NONE = -1,   /* one-hot: all columns are 0 */
    HB_OUTPUT_REFUSE = -2, /* the row has no result, or is an error (option on_unseen; of a missing value on_missing) */
    HB_OUTPUT_FAIL = -3    /* likewise (option on_missing): a value that the graph makes has no number. Of recode */
};

typedef struct hb_encoder_column {
    uint32_t first, count; /* values[first .. first + count), rising */
    uint32_t feature;      /* that its values come from, for messages; UINT32_MAX: none */
    uint32_t base;         /* onehot: its first column of the output */
    int32_t missing;       /* onehot: the output of NaN; recode: HB_OUTPUT_REFUSE, _FAIL or _NONE */
    int32_t unknown;       /* the same of a value that is none of these */
    double missing_number; /* recode */
    double unknown_number;
} hb_encoder_column;

typedef struct hb_encoder {
    size_t n_columns, n_values, width; /* of its input; of all columns; of its output */
    const hb_encoder_column *columns;
    const double *values;
    const int32_t *outputs; /* onehot: of each value, counted from `base`; NULL: recode */
    const double *numbers;  /* recode: of each value */
} hb_encoder;

#endif
