/* onnx.h - ONNX files: IR versions 3 to 13, the operators of ai.onnx, ai.onnx.ml and com.microsoft that
 * docs/onnx.md lists.
 *
 *  - onnx_model.c    the messages of the file, as arrays of views of it
 *  - onnx_tensor.c   constants: tensors and lists of numbers in attributes
 *  - onnx.c          the graph: names, node after node, what each becomes
 *  - onnx_facts.c    what hbscore_inspect tells of the graph
 *  - onnx_inputs.c   the inputs, which are the features
 *  - onnx_outputs.c  the outputs: labels, probabilities, numbers
 *  - onnx_shape.c    tensors of any shape
 *  - onnx_reshape.c, onnx_movement.c, onnx_gather.c, onnx_scatter.c, onnx_concat.c  operators of ai.onnx that move
 *    items
 *  - onnx_math.c, onnx_reductions.c, onnx_softmax.c, onnx_cum_sum.c, onnx_products.c, onnx_matmul.c, onnx_constants.c
 *    those that compute
 *  - onnx_windows.c, onnx_convolution.c, onnx_pools.c  a window that goes over images
 *  - onnx_activations.c, onnx_norms.c  what networks have between their products
 *  - onnx_encoders.c, onnx_label_encoder.c  OneHotEncoder, LabelEncoder and CategoryMapper
 *  - onnx_text_values.c, onnx_text_codes.c, onnx_text_casts.c  texts that the graph chooses, compares or looks up, and
 *    numbers as texts
 *  - onnx_columns.c  operators of ai.onnx.ml that make columns of columns
 *  - onnx_classes.c  classifiers: labels, probabilities, ZipMap
 *  - onnx_transforms.c  post_transform of classifiers and regressors
 *  - onnx_svm.c      SVMClassifier and SVMRegressor
 *  - onnx_text.c, onnx_tf_idf.c  texts, and the words in them
 *  - onnx_linear.c   LinearClassifier and LinearRegressor
 *
 * What hbscore cannot score is refused with the operator's name, its node and the way out. A file means itself: scores
 * are those of the operators as ONNX defines them. */
#ifndef HB_FORMAT_ONNX_H
#define HB_FORMAT_ONNX_H

#include "format/dictionaries.h"
#include "format/options.h"
#include "format/protobuf.h"
#include "ir/pipeline.h"

/* True of bytes that begin as an ONNX file does: its version of the IR, and a field that a model can have next. */
bool hb_is_onnx(const uint8_t *bytes, size_t size);

hbs_status hb_onnx_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                        hbs_error *error);

/* ---- private to onnx*.c from here */

enum { HB_ONNX_MAX_RANK = 8, HB_ONNX_MANY_ROWS = 9973 };

/* TensorProto.DataType, as far as files of hbscore's may have them. */
typedef enum hb_onnx_type {
    HB_ONNX_FLOAT = 1,
    HB_ONNX_UINT8 = 2, /* of this type and the next two graphs have few tensors: they are moved and cast */
    HB_ONNX_INT16 = 5,
    HB_ONNX_INT32 = 6,
    HB_ONNX_INT64 = 7,
    HB_ONNX_STRING = 8,
    HB_ONNX_BOOL = 9,
    HB_ONNX_DOUBLE = 11,
    HB_ONNX_UINT32 = 12
} hb_onnx_type;

typedef struct hb_onnx_tensor {
    hbs_text name;
    int64_t type;
    int64_t dims[HB_ONNX_MAX_RANK];
    size_t n_dims, count; /* rank 0: one item */
    size_t at;            /* in the file */
    hb_message body;      /* not read */
    hbs_text raw;         /* its items' bytes; NULL: they are fields of the body */
} hb_onnx_tensor;

/* AttributeProto.AttributeType. */
typedef enum hb_onnx_kind {
    HB_ONNX_KIND_FLOAT = 1,
    HB_ONNX_KIND_INT,
    HB_ONNX_KIND_TEXT,
    HB_ONNX_KIND_TENSOR,
    HB_ONNX_KIND_GRAPH,
    HB_ONNX_KIND_FLOATS,
    HB_ONNX_KIND_INTS,
    HB_ONNX_KIND_TEXTS
} hb_onnx_kind;

typedef struct hb_onnx_attribute {
    hbs_text name;
    hb_onnx_kind kind;
    size_t at;
    int64_t integer;
    float number;
    hbs_text text;
    size_t count;                 /* of a list */
    hb_message body;              /* not read: of a list */
    const hb_onnx_tensor *tensor; /* NULL: it is none */
    const hb_message *graph;      /* not read; NULL: it is none */
} hb_onnx_attribute;

typedef struct hb_onnx_node {
    hbs_text name, op, domain;
    const hbs_text *inputs, *outputs; /* an empty name: left out */
    const hb_onnx_attribute *attributes;
    size_t n_inputs, n_outputs, n_attributes;
    size_t place; /* in the file's list */
    size_t at;
} hb_onnx_node;

/* An input or an output. */
typedef struct hb_onnx_port {
    hbs_text name;
    size_t at;
    bool is_tensor;
    int64_t type;                   /* of a tensor's items */
    bool has_shape;                 /* else nothing is said.. */
    size_t n_dims;                  /* ..of its dimensions */
    int64_t dims[HB_ONNX_MAX_RANK]; /* -1: any */
} hb_onnx_port;

/* A name stands for one of these. */
typedef enum hb_onnx_form {
    HB_ONNX_NOTHING,
    HB_ONNX_CONSTANT,
    HB_ONNX_NUMBERS, /* float32 numbers of each row */
    HB_ONNX_LABEL,   /* a class of each row */
    HB_ONNX_WORDS    /* texts of the row, in another case or split into words */
} hb_onnx_form;

/* A classifier's numbers are one of these. */
typedef enum hb_onnx_meaning { HB_ONNX_PLAIN, HB_ONNX_SCORES, HB_ONNX_PROBABILITIES } hb_onnx_meaning;

/* A value of the graph for one row: a tensor whose items are columns of a value of the pipeline, or of a constant. */
typedef struct hb_onnx_value {
    hb_onnx_form form;
    int64_t type; /* hb_onnx_type of the items */
    size_t n_dims;
    int64_t dims[HB_ONNX_MAX_RANK];
    int row;                              /* the axis that counts the rows, which is 1 here; -1: none, or not known */
    size_t blocks;                        /* not 0: the axis has the rows so many times, one block behind the other.. */
    size_t lanes;                         /* ..not 0: and so many items of each row, side by side */
    const hb_onnx_tensor *constant;       /* NULL: numbers that the reader has computed */
    const double *numbers;                /* of a constant that is no text, once hb_onnx_operand has seen it; of columns
                                           * whose numbers are known before any row is (conformance tests); or NULL */
    const double *of_many;                /* in their order: what they were of HB_ONNX_MANY_ROWS; NULL: the same, or
                                           * not known */
    size_t value;                         /* of the pipeline; of a label: the scores that decide */
    const struct hb_onnx_value *place_of; /* of the place of the largest of some numbers: these; NULL: it is none */
    size_t width;                         /* items, which are columns */
    bool is_pair;            /* one column stands for two: of scores d for -d, d; of probabilities p for 1 - p, p.. */
    bool is_complement;      /* scores d are for 1 - d, d.. */
    size_t written;          /* ..which are these columns of the pipeline, once a node has read them; or 0 */
    const uint32_t *columns; /* [width] of the pipeline's value, or of a constant's numbers; NULL: all of them */
    bool is_float32;         /* the pipeline's value is; else it has float32 numbers as float64 */
    hb_onnx_meaning meaning;
    const hbs_text *texts;        /* of a constant of texts, once hb_onnx_text_operand has seen it */
    const uint32_t *dictionaries; /* of texts that the graph computes: whose each column of the pipeline's value is..
                                   * ..(format/dictionaries.h); NULL: that of the feature, which the column is */
    const hb_tokenizer *words;    /* of words: how they are made of the columns, which are texts of the table */
    const hb_onnx_node *model;    /* the classifier that made it; NULL: none.. */
    const hbs_value *classes;     /* ..[n_classes], its labels */
    size_t n_classes;
    hb_fit_head head; /* of a label */
} hb_onnx_value;

/* Item i of a value with numbers. */
static inline double hb_onnx_item(const hb_onnx_value *value, size_t i)
{
    return value->numbers[value->columns ? value->columns[i] : i];
}

/* A note of the file's maker (metadata_props). */
typedef struct hb_onnx_note {
    hbs_text key, value;
} hb_onnx_note;
enum { HB_ONNX_MAX_NOTES = 6 }; /* that are told */

/* An operator text_code (its value) of the texts of a dictionary, which are known at the end only. */
typedef struct hb_onnx_codes {
    size_t value;
    uint32_t dictionary;
    const struct hb_onnx_codes *next;
} hb_onnx_codes;

typedef struct hb_onnx_file {
    hb_arena arena; /* of what is needed while the file is read */
    hb_pipeline *pipeline;
    const hb_options *options;
    hbs_error *error;
    void *context; /* of hb_onnx_ends */
    hb_protobuf bytes;
    int64_t ir_version, opset, ml_opset; /* 0: the file imports none */
    hbs_text producer, producer_version;
    hb_onnx_note notes[HB_ONNX_MAX_NOTES];
    size_t n_notes;
    hb_onnx_node *nodes;
    hb_onnx_tensor *initializers;
    hb_onnx_port *inputs, *outputs;
    size_t n_nodes, n_initializers, n_inputs, n_outputs;

    hbs_text *names; /* of values, each once */
    uint32_t *order; /* places in `names`, sorted */
    hb_onnx_value *values;
    size_t n_names;
    const struct hb_onnx_file *outer; /* of a graph inside a node: the graph whose values it may read too; NULL: none */
    hb_dictionaries dictionaries;
    uint8_t *is_text;           /* [features]; NULL: none is */
    uint8_t *whole_texts;       /* [features]: 1: an operator reads the text itself; NULL: none does */
    bool all_whole;             /* an operator reads each text itself: codes are looked up by operators */
    const hb_onnx_codes *codes; /* the last one; NULL: there is none */
    bool is_wide; /* numbers are kept as float64 up to the model, since some operator before it needs that */
} hb_onnx_file;

/* onnx_model.c: reads all messages; those of a graph inside a node, in place of the file's. */
hbs_status hb_onnx_model_read(hb_onnx_file *file, const void *bytes, size_t size);
hbs_status hb_onnx_inner_read(hb_onnx_file *file, const hb_message *graph);

/* onnx.c: a graph inside a node (its attribute `body`), which takes the place of the file's until hb_onnx_inner_end:
 * names, nodes, inputs, outputs. Only what is in no other such graph can have one. */
hbs_status hb_onnx_inner_begin(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_file *outer);
/* Forgets what its nodes have made, and its inputs. */
void hb_onnx_inner_again(hb_onnx_file *file);
/* Reads its nodes, whose inputs have values. */
hbs_status hb_onnx_inner_run(hb_onnx_file *file);
void hb_onnx_inner_end(hb_onnx_file *file, const hb_onnx_file *outer);

/* onnx_tensor.c */
bool hb_onnx_tensor_read(hb_message *body, size_t at, hb_onnx_tensor *tensor);
/* "float32"; "number 10" of an unknown one goes into the buffer. */
const char *hb_onnx_type_name(int64_t type, char buffer[32]);

/* Goes over the items of a tensor, or of a list in an attribute. */
typedef struct hb_onnx_items {
    int64_t type;
    hb_repeated fields;
    const uint8_t *raw; /* NULL: the fields */
} hb_onnx_items;
hb_onnx_items hb_onnx_items_of_tensor(const hb_onnx_tensor *tensor);
hb_onnx_items hb_onnx_items_of(const hb_onnx_attribute *list);
int64_t hb_onnx_next_integer(hb_onnx_items *items); /* of int64, int32, bool */
float hb_onnx_next_float(hb_onnx_items *items);     /* of float32 */
double hb_onnx_next_double(hb_onnx_items *items);   /* of float64 */
double hb_onnx_next_number(hb_onnx_items *items);   /* of any of these */

/* onnx.c: an error at a node, in words that begin with where it is. */
__attribute__((format(printf, 4, 5))) hbs_status hb_onnx_refuse(hb_onnx_file *file, const hb_onnx_node *node,
                                                                hbs_status status, const char *format, ...);
/* The node's attribute of this name and kind; *attribute NULL: it has none. */
hbs_status hb_onnx_attribute_find(hb_onnx_file *file, const hb_onnx_node *node, const char *name, hb_onnx_kind kind,
                                  const hb_onnx_attribute **attribute);
/* The text of an attribute, or `usual`. */
hbs_status hb_onnx_word(hb_onnx_file *file, const hb_onnx_node *node, const char *name, const char *usual,
                        hbs_text *word);
/* A list of floats, in the pipeline's arena: *numbers NULL if the node has none. */
hbs_status hb_onnx_floats(hb_onnx_file *file, const hb_onnx_node *node, const char *name, float **numbers, size_t *n);
/* Input k, which must be numbers of each row; also two that a model has one score for, if `of_model`. */
hbs_status hb_onnx_numbers(hb_onnx_file *file, const hb_onnx_node *node, size_t k, bool of_model,
                           const hb_onnx_value **numbers);
/* Input 0 of a model, a matrix whose numbers it takes in float32. */
hbs_status hb_onnx_features(hb_onnx_file *file, const hb_onnx_node *node, bool takes_float64,
                            const hb_onnx_value **numbers);
/* Input k, which must be a constant. */
hbs_status hb_onnx_constant(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const hb_onnx_tensor **tensor);
/* Makes output k of a node this value; a name that is left out takes nothing. */
hbs_status hb_onnx_give(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const hb_onnx_value *made);
/* The value of this name; NULL: there is none. */
hb_onnx_value *hb_onnx_named(const hb_onnx_file *file, hbs_text name);
/* The pipeline's value that has just these numbers: in float32; in float32 or float64. */
size_t hb_onnx_narrowed(hb_onnx_file *file, const hb_onnx_value *numbers);
size_t hb_onnx_selected(hb_onnx_file *file, const hb_onnx_value *numbers);

/* onnx_shape.c: tensors of any shape. */
/* Input k, a constant or numbers of each row, with its shape; an optional one that is left out has the form
 * HB_ONNX_NOTHING. */
hbs_status hb_onnx_operand(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand);
/* hb_onnx_operand for an operator that moves items: they may be texts of the row. */
hbs_status hb_onnx_moved(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand);
/* hb_onnx_moved for an operator that takes each item by itself, or that leaves the axis of the rows whole: the rows may
 * stand there in blocks, or with items side by side (hb_onnx_value.blocks, lanes), which is an error elsewhere. */
hbs_status hb_onnx_in_blocks(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand);
/* The same, but for blocks. */
hbs_status hb_onnx_in_lanes(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand);
/* hb_onnx_in_blocks for an operator that computes with the items. */
hbs_status hb_onnx_each(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand);
/* Input k, or where it is left out, a list in the attribute `name` (NULL: none), of integers that the file states;
 * *list NULL: neither is there. */
hbs_status hb_onnx_integers(hb_onnx_file *file, const hb_onnx_node *node, size_t k, const char *name,
                            const int64_t **list, size_t *n);
/* An integer attribute, or `usual`. */
hbs_status hb_onnx_integer(hb_onnx_file *file, const hb_onnx_node *node, const char *name, int64_t usual,
                           int64_t *integer);
/* An axis from 0 to rank - 1; negative ones count from the end. */
hbs_status hb_onnx_axis(hb_onnx_file *file, const hb_onnx_node *node, int64_t axis, size_t rank, size_t *place);
/* Sets a bit of *marks for each axis that the list names; none may stand twice. */
hbs_status hb_onnx_axes(hb_onnx_file *file, const hb_onnx_node *node, const int64_t *axes, size_t n, size_t rank,
                        unsigned *marks);
/* A place as numpy's slices take it: negative ones count from the end `size`; then from `least` to `most`. */
int64_t hb_onnx_limited(int64_t place, int64_t size, int64_t least, int64_t most);
/* Sets the shape; width becomes the product of the dimensions. Refuses more than HB_MAX_OUTPUTS. */
hbs_status hb_onnx_reshape_value(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *value,
                                 const int64_t *dims, size_t n_dims);
/* A list of the pipeline's arena for the `n` columns of a value; NULL without memory, which *status says. */
uint32_t *hb_onnx_columns(hb_onnx_file *file, size_t n, hbs_status *status);
/* Makes `value` the items `map` of what it was, in its new shape, which has been set. The map is the value's from then
 * on. */
void hb_onnx_take(hb_onnx_value *value, uint32_t *map);
/* The item of a value that lies at this place of `dims`, to which its own are broadcast. */
size_t hb_onnx_broadcast_place(const hb_onnx_value *value, const int64_t *dims, size_t n_dims, size_t place);
/* The pipeline's value of just these items in float64; a constant cannot be one. */
size_t hb_onnx_wide(hb_onnx_file *file, const hb_onnx_value *numbers);
/* The pipeline's value that the columns are of, in float64. */
size_t hb_onnx_wide_source(hb_onnx_file *file, const hb_onnx_value *numbers);
/* Says that numbers of this type are near the library's only: sums are in an order of hbscore's own, functions not the
 * C library's. About 1e-7 for each number of float32. */
void hb_onnx_sums(hb_onnx_file *file, int64_t type);
/* How results of this type are rounded. */
hb_rounding hb_onnx_rounding(int64_t type);
/* The same of a function whose integers are exact up to 2^53: it adds and multiplies none. */
hb_rounding hb_onnx_exact_rounding(int64_t type);
/* A constant's number that the reader has computed: integers beyond 2^53, and what is divided by 0, are refused. */
hbs_status hb_onnx_check_integer(hb_onnx_file *file, const hb_onnx_node *node, int64_t type, double number);
/* The error of a row for which the node cannot make a number; `words` follow the node's name. Each column of the
 * pipeline's value has the feature that it is made of, which the error names. */
hbs_status hb_onnx_failure(hb_onnx_file *file, const hb_onnx_node *node, const char *words, size_t value, size_t width,
                           hb_failure *failure);
/* Gives the value of the same integers, which leaves rows without a result where one is missing or infinite. */
size_t hb_onnx_guard(hb_onnx_file *file, size_t value, const hb_failure *failure);
/* The same of integers of the node's, which become infinite where float64 does not hold them (base/arithmetic.h). */
hbs_status hb_onnx_guarded(hb_onnx_file *file, const hb_onnx_node *node, const char *words, size_t width,
                           size_t *value);
#define HB_ONNX_TOO_LARGE    "makes an integer of 2^53 or beyond"
#define HB_ONNX_MISSING_TEXT "gets a missing text, which ONNX does not have: the option missing_text names one for it"
/* Makes numbers of *made, whose type and shape have been set: those of this value of the pipeline, in float64. */
void hb_onnx_become(hb_onnx_value *made, size_t value);
/* The same of numbers that have been computed: floats are near the library's only (hb_onnx_sums). */
void hb_onnx_make_numbers(hb_onnx_file *file, hb_onnx_value *made, size_t value);
/* The same, and gives them as output 0. */
hbs_status hb_onnx_give_numbers(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *made, size_t value);
/* It would mix rows: says so. */
hbs_status hb_onnx_mixes_rows(hb_onnx_file *file, const hb_onnx_node *node);

/* onnx_text_values.c: texts as codes of dictionaries. */
/* True if input k is texts: constant, or of the row. */
bool hb_onnx_is_text(const hb_onnx_file *file, const hb_onnx_node *node, size_t k);
/* Input k, which must be texts: a constant (hb_onnx_value.texts), or codes of each row. */
hbs_status hb_onnx_text_operand(hb_onnx_file *file, const hb_onnx_node *node, size_t k, hb_onnx_value *operand);
/* The dictionary of item i of texts of the row. */
uint32_t hb_onnx_dictionary(const hb_onnx_value *texts, size_t i);
/* Notes a text of a dictionary: *code is set when the file has been read. Its bytes are copied. */
hbs_status hb_onnx_note_text(hb_onnx_file *file, uint32_t dictionary, hbs_text text, double *code);
/* Where of texts, and Equal of them. */
hbs_status hb_onnx_choose_texts(hb_onnx_file *file, const hb_onnx_node *node);
hbs_status hb_onnx_equal_texts(hb_onnx_file *file, const hb_onnx_node *node);

/* A value of the row whose texts are those of a constant, as codes; `rows` is any value of the row. */
hbs_status hb_onnx_lift_texts(hb_onnx_file *file, hb_onnx_value *constant, const hb_onnx_value *rows);

/* onnx_text_codes.c */
/* Before the nodes are read: whether some texts are both read as a whole and looked up (hb_onnx_file.all_whole). */
hbs_status hb_onnx_choose_texts_form(hb_onnx_file *file);
/* Texts of the row become codes, if they are places of whole texts. */
hbs_status hb_onnx_to_codes(hb_onnx_file *file, hb_onnx_value *texts);
/* Adds an operator text_code, of the texts of a dictionary. */
size_t hb_onnx_add_codes(hb_onnx_file *file, size_t value, hb_text_source source, uint32_t dictionary);
/* All of its texts are of this dictionary. */
hbs_status hb_onnx_give_dictionary(hb_onnx_file *file, hb_onnx_value *texts, uint32_t dictionary);
/* Behind hb_dictionaries_end. */
hbs_status hb_onnx_codes_end(hb_onnx_file *file);

/* onnx_text_casts.c: Cast to `to`, of texts or to texts. */
hbs_status hb_onnx_cast_text(hb_onnx_file *file, const hb_onnx_node *node, int64_t to);

/* onnx_text.c */
/* True if input 0 is words. */
bool hb_onnx_is_words(const hb_onnx_file *file, const hb_onnx_node *node);
/* Input 0, which must be texts of the row, split or not, and how its words are made. */
hbs_status hb_onnx_texts(hb_onnx_file *file, const hb_onnx_node *node, hb_onnx_value *texts, hb_tokenizer *tokenizer);
/* From now on operators read the texts, which are columns of the table, as they are. */
hbs_status hb_onnx_claim_texts(hb_onnx_file *file, const hb_onnx_value *texts);
/* The same of all features that are texts. */
hbs_status hb_onnx_claim_features(hb_onnx_file *file);
/* The text that NULL counts as, which lasts as long as the pipeline; it stays NULL where there is none. */
hbs_status hb_onnx_missing(hb_onnx_file *file, const char **missing, size_t *size);
/* The texts of an attribute, views of the file in the file's arena; *n 0: there are none. */
hbs_status hb_onnx_text_list(hb_onnx_file *file, const hb_onnx_node *node, const char *name, hbs_text **texts,
                             size_t *n);

/* onnx_inputs.c, onnx_outputs.c */
hbs_status hb_onnx_inputs_read(hb_onnx_file *file);
hbs_status hb_onnx_outputs_build(hb_onnx_file *file);

/* The functions that give a graph's inputs their values, and make outputs of the pipeline of the graph's. */
typedef struct hb_onnx_ends {
    hbs_status (*read_inputs)(hb_onnx_file *file);
    hbs_status (*build_outputs)(hb_onnx_file *file);
    void *context; /* hb_onnx_file.context */
} hb_onnx_ends;

/* hb_onnx_read with other ends than those of a table whose rows are scored: the conformance tests (test/onnx) read
 * whole tensors. */
hbs_status hb_onnx_read_between(const void *bytes, size_t size, const hb_onnx_ends *ends, const hb_options *options,
                                hb_pipeline *pipeline, hbs_error *error);

/* onnx_classes.c: a classifier's scores, and how they decide. */
typedef struct hb_onnx_classifier {
    size_t scores;      /* of the pipeline, in float32 */
    size_t decision;    /* the same in float64, where the label is told from that; 0: it is not */
    size_t width;       /* columns, as ONNX counts them */
    bool is_pair;       /* as of hb_onnx_value.. */
    bool is_complement; /* likewise */
    hb_fit_head head;
    bool are_probabilities; /* the scores themselves */
    const hbs_value *classes;
    size_t n_classes;
} hb_onnx_classifier;
/* Gives the node's outputs, label and numbers, which are the scores after its post_transform. */
hbs_status hb_onnx_classify(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_classifier *classifier);
/* The labels that the node lists as integers or as texts, under these names; none: *n is 0. */
hbs_status hb_onnx_labels(hb_onnx_file *file, const hb_onnx_node *node, const char *integers, const char *texts,
                          const hbs_value **classes, size_t *n);
/* The label of a row: the item of a constant at the place of the largest of some numbers. */
hbs_status hb_onnx_label_of_place(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_tensor *table,
                                  const hb_onnx_value *place);

/* onnx_facts.c: inputs, outputs and notes, for hbscore_inspect. */
hbs_status hb_onnx_facts_add(hb_onnx_file *file);

/* onnx_distances.c: *is: the graph inside the Scan `node`, which is the file's now, is a distance of its state, `row`,
 * from a slice of `rows`; then *made has the distances from all of them. */
hbs_status hb_onnx_scan_distances(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *row,
                                  const hb_onnx_value *rows, bool *is, hb_onnx_value *made);

/* onnx_columns.c: rounds numbers of any type to float32. */
hbs_status hb_onnx_to_float32(hb_onnx_file *file, hb_onnx_value *value);

/* onnx_gather.c: gives the items of input 0 on its last axis at the places of input 1 (ArrayFeatureExtractor). */
hbs_status hb_onnx_extract(hb_onnx_file *file, const hb_onnx_node *node);

/* Places that the row has. */
typedef struct hb_onnx_places {
    const hb_onnx_value *from;   /* the items, a constant or the row's */
    const hb_onnx_value *places; /* integers */
    uint32_t *map;               /* [outputs] the item of `places` that each takes; the value's from then on */
    const uint32_t *first;       /* [outputs] the item of `from` at place 0.. */
    size_t n_places, step;       /* ..and the next ones, `step` apart */
} hb_onnx_places;
/* onnx_look_up.c: gives the items; `made` has its type and shape. */
hbs_status hb_onnx_look_up(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_places *places,
                           hb_onnx_value *made);

/* onnx_merge.c: of *n values side by side, makes one of those that are the same small operator of one value. */
hbs_status hb_onnx_merge(hb_onnx_file *file, uint32_t *values, size_t *n);

/* onnx_matmul.c: gives the product of two tensors, as numpy.matmul. */
hbs_status hb_onnx_multiply(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *a,
                            const hb_onnx_value *b);

/* onnx_concat.c: the pipeline's value of a constant's items, the same for every row; `rows` is any value of the row. */
size_t hb_onnx_lifted(hb_onnx_file *file, const hb_onnx_value *constant, const hb_onnx_value *rows);
/* onnx_concat.c: makes of several tensors one, whose type and shape are set: its item i is item map[i] of all parts,
 * which stand one behind the other. The map is the value's from then on. */
hbs_status hb_onnx_pick(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *parts, size_t n,
                        uint32_t *map, hb_onnx_value *made);

/* onnx_math.c */
/* True if the items of the value, of which `size` lie on the axis where `made` has its rows, belong to the same rows as
 * those of `made` there. */
bool hb_onnx_has_its_rows(const hb_onnx_value *value, bool has_rows, int64_t size, const hb_onnx_value *made);
/* Sets the shape that both are broadcast to, and its rows. */
hbs_status hb_onnx_broadcast(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value *a,
                             const hb_onnx_value *b, hb_onnx_value *made);
/* For each item of `made` the column of the value, which is broadcast to it; NULL: they are the same. */
hbs_status hb_onnx_broadcast_columns(hb_onnx_file *file, const hb_onnx_value *value, const hb_onnx_value *made,
                                     const uint32_t **columns);
/* Gives a function of two tensors, of their type. */
hbs_status hb_onnx_combine(hb_onnx_file *file, const hb_onnx_node *node, hb_combine_function function,
                           const hb_onnx_value *a, const hb_onnx_value *b);
/* Gives the items of a Where whose condition (of[0]) is a constant: each is one of of[1] or of[2]. */
hbs_status hb_onnx_choose_known(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_value of[3],
                                hb_onnx_value *made);
hbs_status hb_onnx_cast_numbers(hb_onnx_file *file, const hb_onnx_node *node, int64_t to);

/* onnx_reductions.c: some axes of a tensor, of which each result is made. */
typedef struct hb_onnx_reduction {
    hb_onnx_value value;
    unsigned axes; /* a bit each */
    int64_t keep;  /* the axes stay, of size 1 */
} hb_onnx_reduction;
/* Refuses axes of which one counts the rows. */
hbs_status hb_onnx_check_reduction(hb_onnx_file *file, const hb_onnx_node *node, const hb_onnx_reduction *r);
/* Puts the items in an order in which those of one result follow each other, *n_terms each: axes that stay come first.
 * Item i is then the one that was at (*order)[i]; NULL: none has moved. */
hbs_status hb_onnx_group_items(hb_onnx_file *file, hb_onnx_reduction *r, size_t *n_terms, uint32_t **order);
/* True of all columns of a matrix: the classes, perhaps. */
bool hb_onnx_is_of_all(const hb_onnx_reduction *r);

/* onnx_trees.c: whether the node is an ensemble of trees that test equality, by codes of float64 numbers. */
bool hb_onnx_tests_equality(const hb_onnx_file *file, const hb_onnx_node *node);

/* The operators, each of which gives its outputs. */
#define HB_ONNX_OPERATOR(domain, op, name, least, most, outputs, wide) \
    hbs_status hb_onnx_##name(hb_onnx_file *file, const hb_onnx_node *node);
#include "format/onnx_operators.def"

#endif
