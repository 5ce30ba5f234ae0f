/* own.h - hbscore's own format, version 1: fitted scikit-learn pipelines, as the Python package writes
 * them (docs/own-format.md has every member).
 *
 * One JSON document whose members stand in a fixed order, so that the same model is the same bytes. Real
 * numbers are in arrays only, as base64 of their little-endian bytes: no decimals touch a score. The
 * operators are a DAG by construction: value 0 is the table of features, operator k makes value k.
 *
 *  - own.c            the root: versions, features, classes
 *  - own_array.c      arrays
 *  - own_operators.c  the list of operators (own_operators.def), and what their readers share
 *  - own_fit.c        operators whose members are those of ir/operators.def
 *  - own_columns.c    operators that make columns of columns
 *  - own_features.c   operators that make new columns of numbers
 *  - own_models.c     operators that predict
 *  - own_head.c       what the answers of a classifier are
 *  - own_naive_bayes.c  Gaussian naive Bayes
 *  - own_ensembles.c  one answer of those of many trees
 *  - own_arithmetic.c  functions of numbers, one by one
 *  - own_neighbours.c  distances from stored rows, the nearest, numbers at places, pairs of classes
 *  - own_solvers.c    problems of its own that each row has
 *  - own_embedded.c   a boosting library's own file as an operator
 *  - own_encoders.c   encoders of categories
 *  - own_terms.c      texts to counts of their terms, and the weights of these
 *  - own_texts.c      what texts become: codes of their feature's dictionary, places, or both
 *  - own_forest.c     a forest: what both of its layouts share
 *  - own_forest_columns.c  trees as columns of children, an item a node
 *  - own_forest_packed.c   trees in preorder, whose children need no column
 *  - own_sets.c       the sets of categories that its nodes test */
#ifndef HB_FORMAT_OWN_H
#define HB_FORMAT_OWN_H

#include "format/dictionaries.h"
#include "format/document.h"
#include "format/options.h"
#include "ir/pipeline.h"

typedef enum hb_own_dtype {
    HB_OWN_F8,
    HB_OWN_I4,
    HB_OWN_I8,
    HB_OWN_U1,
    HB_OWN_B1, /* booleans, a byte each */
    HB_OWN_STR,
    HB_OWN_F4,
    HB_OWN_U2,
    HB_OWN_BIT /* booleans, eight to a byte, the lowest bit first */
} hb_own_dtype;

enum { HB_OWN_MAX_RANK = 2, HB_OWN_MAX_OPERATORS = 1 << 12 };

/* An array as read, in the pipeline's arena. */
typedef struct hb_own_array {
    size_t rank, shape[HB_OWN_MAX_RANK]; /* rank 0: one number */
    size_t count;
    const void *items; /* double, float, int32_t, int64_t, uint16_t, uint8_t or hbs_text; of bits their bytes */
} hb_own_array;

typedef struct hb_own_value {
    size_t value;                   /* of the pipeline */
    size_t width;                   /* numbers a row */
    bool is_list;                   /* sparse: the pipeline's value is one column of lists (op/lists.h) */
    const struct hb_own_join *join; /* of lists that concat has made: of what; NULL: it has not */
    bool is_label;                  /* or all that an embedded file gives: nothing reads it */
    /* [width]: the feature whose own values, perhaps imputed, the column has; HB_OWN_DERIVED: none;
     * NULL: of no column. That of a text feature are codes. */
    const uint32_t *sources;
    const hbs_text *fills; /* [width]: what a missing text of the column became; bytes NULL: nothing; NULL: of none */
} hb_own_value;

typedef struct hb_own_file {
    hb_document *d;
    hb_pipeline *pipeline;
    const hb_options *options;
    hbs_error *error;
    uint8_t *is_text;     /* [n_features] */
    uint8_t *whole_texts; /* [n_features] 1: an operator reads the text itself; NULL: none does */
    uint8_t *looked_up;   /* [n_features] 1: an encoder looks the text up; NULL: none does */
    uint8_t *json;        /* [n_features] hb_json_form + 1 of a text that is JSON; NULL: none is */
    size_t table, codes;  /* values of the pipeline: the features, and where they are texts with codes in their place */
    hb_dictionaries texts;
    hb_vector encoders; /* hb_own_encoder */
    size_t n_columns;   /* of all of them but the table */
    size_t n_nodes;     /* of all forests */
    size_t transform;   /* the value that transform() gives; SIZE_MAX: none */
    bool has_float32;   /* a step so far rounds to it, and the library may go on in it */
    bool answered;      /* the model's outputs are there: nothing may follow */
    hb_vector values;   /* hb_own_value: those of the file so far, the table's first */
    hb_vector inputs;   /* const hb_own_value *: of the operator that is read */
} hb_own_file;

#define HB_OWN_DERIVED UINT32_MAX

/* An operator being read: its inputs as the file numbers them, and what its value becomes. */
typedef struct hb_own_reading {
    hb_own_file *file;
    const hb_own_value *const *in;
    size_t n_in;
    hb_own_value made;
} hb_own_reading;

/* The reader of each operator: its members behind `in`, up to the end of the object. */
#define HB_OWN_OPERATOR(name, least, most, takes) bool hb_own_read_##name(hb_own_reading *r);
#include "format/own_operators.def"
/* The same for operators whose members are the parameters of `kind`: `width` as own_operators.def has it. */
bool hb_own_read_fit(hb_own_reading *r, hb_operator_kind kind, size_t width);

/* An error of the document; false. */
bool hb_own_fail(const hb_own_reading *r, const char *what);
/* True if all numbers of the array are finite; else `what` is the error. */
bool hb_own_check_finite(const hb_own_reading *r, const hb_own_array *array, const char *what);
/* Says that sums are in an order of hbscore's own, so that golden rows may differ. */
void hb_own_adds(hb_own_file *file);
/* Adds the same operator, whose value is lists that stand for `width` columns; true. */
bool hb_own_add_list(hb_own_reading *r, hb_operator_kind kind, const void *fit, size_t width);
/* *value: the first input, which is numbers, as a list of those that are not 0. */
bool hb_own_list_numbers(hb_own_reading *r, uint32_t *value);
/* The value with its zeros written out, if it is lists; false after an error: it has more than `most` columns. */
bool hb_own_write_out(hb_own_file *file, hb_own_value *value, size_t most);
/* The same of all inputs. */
bool hb_own_write_out_inputs(hb_own_reading *r, size_t most);
/* Adds an operator to the pipeline that reads the first input, and whose value the reading makes; true. */
bool hb_own_add(hb_own_reading *r, hb_operator_kind kind, const void *fit, size_t width);
/* select, concat, affine and check of lists (own_terms.c): some columns; lists and numbers side by side; times a factor
 * each, or divided by it; as they are, but for numbers that were joined, of which the operator is added.
 */
bool hb_own_select_list(hb_own_reading *r);
bool hb_own_join_lists(hb_own_reading *r);
bool hb_own_scale_list(hb_own_reading *r, const double *factors, bool divides, bool in_float32);
bool hb_own_check_list(hb_own_reading *r, hb_operator_kind kind, const void *fit);
/* binarize of lists: 1 of what is above 0. */
bool hb_own_above_0_list(hb_own_reading *r);
/* Weighted sums of lists: `weights` are [outputs][columns]. */
bool hb_own_sum_list(hb_own_reading *r, const hb_own_array *weights, const hb_own_array *bias, bool in_float32);
/* The key of member `name`, before which the member `dtype` may say that steps are rounded to float32. */
bool hb_own_list_dtype(hb_own_reading *r, const char *name, bool *is_float32);

/* The feature that column c still is; HB_OWN_DERIVED: none. */
uint32_t hb_own_source(const hb_own_value *value, size_t c);
/* True if that of column c of input i is a text. */
bool hb_own_is_text(const hb_own_reading *r, size_t i, size_t c);
/* Fails the document if a column of the operator's input is a text. */
bool hb_own_takes_numbers(const hb_own_reading *r);
/* Room for the sources of `n` columns. */
uint32_t *hb_own_new_sources(const hb_own_reading *r, size_t n);
bool hb_own_check_columns(const hb_own_reading *r, size_t n);
/* Member `name`, a list of at least `least` columns of the first input; NULL after an error. */
const uint32_t *hb_own_columns_read(hb_own_reading *r, const char *name, size_t least, size_t *n);
/* Member "missing": NaN of "nan", or the one number of an array. */
bool hb_own_missing_read(hb_own_reading *r, double *missing);
/* Member "dtype", what the library computes in. False after an error. */
bool hb_own_dtype_read(hb_own_reading *r, bool *is_float32);

/* An encoder whose columns' values are put in order when all codes are known. */
typedef struct hb_own_encoder {
    hb_encoder encoder;
    double *values;
    int32_t *outputs;
    double *numbers;
} hb_own_encoder;

bool hb_is_own(const uint8_t *bytes, size_t size);
hbs_status hb_own_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                       hbs_error *error);

/* The next member must be `name`; its value is then due. */
bool hb_own_member(hb_own_file *file, const char *name);
/* The same, or the member `optional` stands before it: then that one's value is due, and *found. */
bool hb_own_either(hb_own_file *file, const char *optional, const char *name, bool *found);
/* The value that is due is one of the words ("" stands for none), by its place; SIZE_MAX after an error.
 * hb_own_word: as the value of member `name`. */
size_t hb_own_word_value(hb_own_file *file, const char *name, const char *const *words, size_t n);
size_t hb_own_word(hb_own_file *file, const char *name, const char *const *words, size_t n);

/* Member `name`, an array of this dtype and rank. */
bool hb_own_array_read(hb_own_file *file, const char *name, hb_own_dtype dtype, size_t rank, hb_own_array *array);
/* The same as the value that is due, of any of the dtypes of `allowed` (1u << dtype). */
bool hb_own_array_value(hb_own_file *file, uint32_t allowed, size_t rank, hb_own_dtype *dtype, hb_own_array *array);
/* The `n` bytes of a base64 text; false where it is not that: canonical, so padded, and with zeros as the
 * bits behind the last byte, so that the same bytes are one text. */
bool hb_own_decode(hb_own_file *file, const uint8_t *text, size_t size, uint8_t *to, size_t n);
/* An array of `count` finite numbers; the second: of numbers that may be infinite, but are not NaN. */
const double *hb_own_numbers(hb_own_file *file, const char *name, size_t count);
const double *hb_own_all_numbers(hb_own_file *file, const char *name, size_t count);

/* Notes texts[0 .. n) of the feature; codes[i] is set by hb_own_texts_end. */
bool hb_own_texts_note(hb_own_file *file, uint32_t feature, const hbs_text *texts, size_t n, double *codes);
/* The one column of the input is a text, which an operator reads itself: the input becomes the column of the table that
 * has its place. *fill: what it reads where the text is missing; bytes NULL: that is refused. */
bool hb_own_whole_text(hb_own_reading *r, hbs_text *fill);
/* The same of a text that is JSON of this form; none stands for a missing one. */
bool hb_own_json_text(hb_own_reading *r, hb_json_form form);
/* An encoder looks texts of the feature up. */
bool hb_own_texts_look_up(hb_own_file *file, uint32_t feature);
/* Gives each feature its dictionary and every text its code. */
hbs_status hb_own_texts_end(hb_own_file *file);

/* The members of an encoder that reads `in`; one-hot or to numbers. */
bool hb_own_encoder_read(hb_own_file *file, const hb_own_value *in, bool onehot, hb_encoder *encoder);
/* Puts the values of all encoders in order. */
hbs_status hb_own_encoders_end(hb_own_file *file);

/* The list of operators, which is due; names the outputs. */
bool hb_own_operators_read(hb_own_file *file);
/* The members of a forest that reads `width` numbers. *fit is what it becomes; *is_rounded: of its input rounded to
 * float32; *divisor what its sums are divided by. */
bool hb_own_forest_read(hb_own_file *file, size_t width, hb_fit_forest *fit, bool *is_rounded, double *divisor);

#endif
