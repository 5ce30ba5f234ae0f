/* hbscore.h - the public interface of libhbscore, and its manual.
 *
 * libhbscore turns the bytes of a trained model into an immutable plan and scores rows with it, with
 * the training library's own answer. It knows no database, no file and no network. It starts no
 * thread, keeps no global state but constant tables, never aborts and never throws: every function
 * that can fail returns an hbs_status and fills the caller's hbs_error.
 *
 *     bytes --hbs_model_load--> hbs_model --hbs_plan_compile--> hbs_plan --hbs_run_create--> hbs_run
 *
 *  - hbs_model   what the file says, parsed and validated. Needed for inspection and compiling only.
 *  - hbs_plan    the compiled model: one flat block of bytes, immutable, so that any number of runs
 *                (also in several threads) may use it at the same time. Outlives its model.
 *  - hbs_run     one caller's scratch memory for one plan. Not to be used by two threads at a time.
 *
 * Ownership: what an hbs_*_create, _load or _compile makes is freed by the function of the same family
 * named _free, which takes NULL too. Pointers inside answers (names, texts, results) belong to the
 * object they were asked of; results are valid until the next call on the same run.
 *
 * Missing values: SQL NULL (HBS_NULL, or a clear validity bit) and a float NaN are the same thing and
 * are given to the model as it was trained. Where a model cannot take one, the row's result is NULL
 * or an error (option on_missing).
 *
 * The result of a row never depends on the rows beside it, on how many there are, on the instruction
 * set or on whether it was scored by hbs_score, hbs_score_row or hbs_score_numbers: always the same bits, unless the
 * caller gives up on that for large products of matrices (hbs_run_use_blas).
 */
#ifndef HBSCORE_H
#define HBSCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HBS_VERSION "0.1.0"

/* ------------------------------------------------------------------ status and errors */

typedef enum hbs_status {
    HBS_OK = 0,
    HBS_E_FORMAT,      /* the bytes are not a valid model of their format */
    HBS_E_LIMIT,       /* over a limit: bytes, nodes, depth, memory */
    HBS_E_UNSUPPORTED, /* valid, but an operator, version or feature that hbscore refuses */
    HBS_E_NOMEM,       /* the host's allocator said no */
    HBS_E_CANCEL,      /* the host's cancelled() said stop */
    HBS_E_TYPE,        /* a value has a type that its feature does not take */
    HBS_E_ARGS,        /* wrong count, value or option */
    HBS_E_NOENT,       /* no such model, version, class or feature */
    HBS_E_INTERNAL     /* an invariant of hbscore broke: a bug, please report it */
} hbs_status;

#define HBS_ERROR_TEXT 512
#define HBS_NO_OFFSET  SIZE_MAX

/* The caller's own error buffer. `text` is UTF-8, in lower case, without a final dot; it names the
 * model, the field and the fix. `offset` is the byte of the model file it is about, or HBS_NO_OFFSET.
 * Untouched by a call that succeeds. */
typedef struct hbs_error {
    hbs_status status;
    size_t offset;
    char text[HBS_ERROR_TEXT];
} hbs_error;

/* "format", "limit", ...: for logs and tests. */
const char *hbs_status_name(hbs_status status);

/* ------------------------------------------------------------------ the host */

/* The services that hbscore needs from its process; each call that takes them copies them. The allocators
 * behave as malloc, realloc and free: memory for any type; NULL is a normal answer, which becomes
 * HBS_E_NOMEM. They must not throw or longjmp. `cancelled` may be NULL. It is asked at least every
 * millisecond of work, from the calling thread. */
typedef struct hbs_host {
    void *context;
    void *(*allocate)(void *context, size_t bytes);
    void *(*resize)(void *context, void *block, size_t bytes);
    void (*release)(void *context, void *block);
    bool (*cancelled)(void *context);
    uint64_t (*nanoseconds)(void *context); /* a clock that does not go back; NULL: there is none */
} hbs_host;

/* Bounds on what a model may cost. Zero in a field means its default. */
typedef struct hbs_limits {
    size_t max_model_bytes; /* 64 MiB; never above HBS_HARD_MAX_MODEL_BYTES */
    size_t max_nodes;       /* 10,000,000 over all trees; never above HBS_HARD_MAX_NODES */
    size_t max_depth;       /* 1,024: of one tree */
} hbs_limits;

#define HBS_DEFAULT_MAX_MODEL_BYTES ((size_t)64 << 20)
#define HBS_HARD_MAX_MODEL_BYTES    ((size_t)499 << 20)
#define HBS_HARD_MAX_NODES          ((size_t)1 << 30)

/* ------------------------------------------------------------------ values */

typedef enum hbs_type {
    HBS_NULL = 0, /* a missing value; as a column: all missing */
    HBS_FLOAT32,
    HBS_FLOAT64,
    HBS_INT64,
    HBS_BOOL,
    HBS_TEXT,
    HBS_MIXED,  /* of a column only: each row has a type of its own */
    HBS_DECIMAL /* of a value only: the digits (as.text) of a number of 2^52 or more, which float64 may round */
} hbs_type;

/* Bytes with a length; not NUL-terminated. */
typedef struct hbs_text {
    const char *bytes;
    size_t size;
} hbs_text;

typedef struct hbs_value {
    hbs_type type;
    union {
        float f32;
        double f64;
        int64_t i64;
        bool boolean;
        hbs_text text;
    } as;
} hbs_value;

/* One feature of a block of rows. `values` is an array of float, double, int64_t, uint8_t (0 or 1, for
 * HBS_BOOL), hbs_text or hbs_value (for HBS_MIXED); unused for HBS_NULL. Bit r % 64 of valid[r / 64] is set where row r
 * has a value; NULL means that every row has one. */
typedef struct hbs_column {
    hbs_type type;
    const void *values;
    const uint64_t *valid;
} hbs_column;

/* ------------------------------------------------------------------ models */

typedef struct hbs_model hbs_model;

/* A stored model. `name` (NUL-terminated, or NULL) is used in messages only. `options` is the
 * registration options' JSON object (sql-api: features, classes, rounds, missing, on_missing,
 * on_unseen, golden, format, description) or NULL; at most 256 KiB, and 16 MiB of golden, which is JSON
 * that loading does not look at (hbs_verify does). */
typedef struct hbs_source {
    const char *name;
    const void *bytes;
    size_t size;
    const char *options;
    size_t options_size;
    const uint8_t *sha256; /* of the bytes (32 bytes), where the caller has it already; else NULL */
} hbs_source;

/* Parses and validates. Reads nothing outside the given bytes, polls `cancelled`, takes at most 4 x size + 1 MiB of
 * memory (for hbscore's own format 16 x size + 1 MiB; for an ONNX file 2 KiB more for each node). `limits` may be NULL.
 * The bytes and options are not needed afterwards. Returns every status but HBS_E_TYPE and HBS_E_NOENT. */
hbs_status hbs_model_load(const hbs_host *host, const hbs_limits *limits, const hbs_source *source, hbs_model **model,
                          hbs_error *error);
void hbs_model_free(hbs_model *model);

/* One line of what a model takes, gives and is: the rows of hbscore_inspect, and by role those of hbscore_features and
 * hbscore_classes. `position` counts from 1 within a role. Roles: "model", "feature", "class", "output", "operator".
 * Texts are NUL-terminated UTF-8 (bytes that are not are shown escaped); `note` may be "". */
typedef struct hbs_inspection {
    const char *role;
    int position;
    const char *name; /* a part of a long one, with characters escaped that a line cannot show */
    const char *type;
    const char *note;
    const char *on_missing; /* feature: a NULL is "scored", or the row's result is "null" or an "error"; others: "" */
    size_t categories; /* feature: how many the model knows; 0: it is none with categories, or they are not known */
    hbs_text feature;  /* feature: its name as it is, or as shown if that is no UTF-8 or has a NUL; others: empty */
    hbs_value label;   /* class: in its own type, as hbs_plan_class; others: HBS_NULL */
} hbs_inspection;

/* Line `index` from 0; HBS_E_NOENT after the last one, without touching `error`. */
hbs_status hbs_model_inspect(hbs_model *model, size_t index, hbs_inspection *line, hbs_error *error);

/* Memory that loading took: the most held at once, and what is held now (bytes, model bytes of the
 * caller not counted). For tests and benchmarks. */
void hbs_model_memory(const hbs_model *model, size_t *peak, size_t *held);

/* Checks `size` bytes of options text (the JSON object described at hbs_source) by itself, and gives
 * what wrappers store beside the model. The texts point into memory of the host that `hbs_options_free`
 * releases. */
typedef struct hbs_options_info {
    hbs_text format;      /* "auto" if not given */
    hbs_text description; /* bytes NULL: not given */
    hbs_text golden;      /* the value's JSON text, for hbs_verify; bytes NULL: not given */
    bool waits;           /* deploy is false: the name alone does not mean this version until it is deployed */
    hbs_text plain;       /* the options text without golden: what is stored, part of hbs_plan_key and
                           * given to hbs_model_load */
    void *memory;
} hbs_options_info;

hbs_status hbs_options_read(const hbs_host *host, const char *options, size_t size, hbs_options_info *info,
                            hbs_error *error);
void hbs_options_free(const hbs_host *host, hbs_options_info *info);

/* The format that the bytes were read as: "xgboost-json", "xgboost-ubjson". */
const char *hbs_model_format(const hbs_model *model);

/* ------------------------------------------------------------------ digests */

/* SHA-256 of bytes; polls `cancelled`. Returns HBS_OK or HBS_E_CANCEL. */
hbs_status hbs_sha256(const hbs_host *host, const void *bytes, size_t size, uint8_t digest[32], hbs_error *error);

/* ------------------------------------------------------------------ plans */

typedef struct hbs_plan hbs_plan;

/* Optimizer passes that can be switched off, to measure what they bring; never a change of a bit. */
enum {
    HBS_PASS_FOLD_CONSTANTS = 1u << 0,
    HBS_PASS_ELIMINATE_REDUNDANT = 1u << 1,
    HBS_PASS_REWRITE_DTYPES = 1u << 2,
    HBS_PASS_PUSH_SELECTION = 1u << 3,
    HBS_PASS_INJECT_SELECTION = 1u << 4,
    HBS_PASS_COMMON_SUBEXPRESSIONS = 1u << 5,
    HBS_PASS_REPLACE_SPARSE = 1u << 6,
    HBS_PASS_FUSE = 1u << 7
};

/* Pass `index` from 0, in the order in which they run: its name, as hbs_plan_line has it, and its bit. NULL: there are
 * no more. */
const char *hbs_pass_name(size_t index, uint32_t *bit);

/* How a tree ensemble is evaluated; all give the same bits. One that is asked for and cannot hold a model gives
 * way to TreeTraversal, which holds all, and the plan's description says why. */
typedef enum hbs_strategy {
    HBS_STRATEGY_AUTO, /* the one that should be fastest */
    HBS_STRATEGY_TT,   /* TreeTraversal: from node to node, many rows side by side */
    HBS_STRATEGY_BITS, /* GEMM in bits: each distinct test once for all rows, trees as logic on their bits */
    HBS_STRATEGY_GEMM, /* products of matrices, by the BLAS that the run may have: slow, the method's origin */
    HBS_STRATEGY_PTT,  /* PerfectTreeTraversal: padded trees, whose next node is computed */
    HBS_N_STRATEGIES
} hbs_strategy;

typedef struct hbs_compile_options {
    uint32_t passes_off; /* HBS_PASS_... */
    hbs_strategy strategy;
} hbs_compile_options;

/* Compiles a model; `options` may be NULL. The plan is one block of the model's host. That of a real model
 * is smaller than twice its file; none is larger than 8 x (file + options) + 4 MiB. In hbscore's own format
 * forests take few bytes, so its bounds are 24 times the file and 48 x (file + options) + 32 MiB. HBS_E_NOMEM,
 * HBS_E_CANCEL, HBS_E_INTERNAL; HBS_E_ARGS where the environment variable HBSCORE_INSTRUCTION_SET names no isa. */
hbs_status hbs_plan_compile(const hbs_model *model, const hbs_compile_options *options, hbs_plan **plan,
                            hbs_error *error);
void hbs_plan_free(hbs_plan *plan);

/* Memory that is free to be written over: `bytes` from `begin` on, which are within `block`, of the model's host. */
typedef struct hbs_room {
    void *block;
    void *begin;
    size_t bytes;
} hbs_room;

/* The same; what compiling needs is taken from `room`, as far as it fits: memory that was in use, such as that of the
 * model's bytes, costs less than new memory, which the system has to clear. If the plan is there in the end, it owns
 * the block, which was resized to end with it, and the room is empty. Else the room stays the caller's: also after an
 * error. */
hbs_status hbs_plan_compile_in(const hbs_model *model, const hbs_compile_options *options, hbs_room *room,
                               hbs_plan **plan, hbs_error *error);

/* The key under which a plan may be cached: SHA-256 over the digest of the model's bytes, the options
 * text as stored, the compile options and the isa that this process uses. Equal keys: equal plans. */
void hbs_plan_key(const uint8_t model_sha256[32], const char *options, size_t options_size,
                  const hbs_compile_options *compile, uint8_t key[32]);

/* One line of a plan's description: the rows of hbscore_plan. A stage is the graph at one
 * point: "pipeline" (the operators as the file has them), "lowered" (primitive operators), one for each
 * optimizer pass that changes something, by its name ("fold_constants"), whose last line is "pass" with the pass's
 * report, and "plan": the steps that run, in their order, and last a line "all". A node has the same `position` in
 * all stages from "lowered" on, but push_selection, inject_selection and fuse number anew. Position 0 is the table of
 * features. Texts are NUL-terminated; "" where there is nothing to say. */
typedef struct hbs_plan_line {
    const char *stage;
    int position;
    const char *name;     /* of the operator */
    const char *inputs;   /* positions in the same stage: "2, 3" */
    const char *dtype;    /* "float32" or "float64" */
    size_t width;         /* numbers a row; 0 in the lines "pass" and "all" */
    const char *outputs;  /* pipeline: that it is; else that need it: "label, raw" */
    const char *output;   /* those that it is */
    int source;           /* from "lowered" on: the position in the pipeline of the operator that it was made for */
    const char *strategy; /* plan: the kernel's, where there could be several */
    size_t bytes;         /* plan: of its parameters; in the line "all" of the whole plan */
    bool blas;            /* plan: a product that a run gives to the host's BLAS, if it has one */
    const char *note;
} hbs_plan_line;

typedef struct hbs_description hbs_description;

/* Describes the plan that hbs_plan_compile makes with the same arguments. HBS_E_NOMEM, HBS_E_CANCEL,
 * HBS_E_INTERNAL. */
hbs_status hbs_plan_describe(const hbs_model *model, const hbs_compile_options *options, hbs_description **description,
                             hbs_error *error);
/* Line `index` from 0; NULL after the last one. It belongs to the description, which outlives its model. */
const hbs_plan_line *hbs_description_line(const hbs_description *description, size_t index);
/* The pipeline and the final graph in Graphviz's language, side by side, as one text with NUL behind it. It belongs to
 * the description. `title` is the model's name, in any bytes. HBS_E_NOMEM, HBS_E_CANCEL. */
hbs_status hbs_description_draw(hbs_description *description, hbs_text title, hbs_text *drawing, hbs_error *error);
void hbs_description_free(hbs_description *description);

/* A transformer predicts nothing: it has a transform only. */
typedef enum hbs_task { HBS_REGRESSOR, HBS_CLASSIFIER, HBS_RANKER, HBS_TRANSFORMER } hbs_task;

/* The features and outputs of a plan. A width is 0 if the model has no such output. */
typedef struct hbs_plan_info {
    hbs_task task;
    bool named;                 /* the features have names: rows may be given by name */
    size_t features;            /* values of a row */
    size_t classes;             /* of a classifier */
    size_t value_width;         /* predict of a model that gives one number: 1 */
    size_t values_width;        /* predict_values: all outputs of a model with several */
    size_t probabilities_width; /* predict_proba */
    size_t raw_width;           /* decision_function */
    size_t transform_width;     /* transform: the numbers that the pipeline's last step gets */
    /* How far each may be from the training library's number, relative to that; 0: the same bits. (Class
     * labels are always the library's.) */
    double value_tolerance, values_tolerance, probabilities_tolerance, raw_tolerance, transform_tolerance;
    size_t bytes;                 /* of the plan */
    size_t features_used;         /* those whose value can matter to some output */
    const char *strategy;         /* that its first tree ensemble is compiled to: "bits"; "": it has none */
    double row_nanoseconds;       /* about how long a row by itself takes, for planners: the same on every CPU */
    double block_row_nanoseconds; /* about how long one of a full block takes, on a fast CPU */
    size_t block_rows;            /* how many rows at once suit it best: fewer where rows are wide, for the caches */
    uint8_t key[32];              /* as hbs_plan_key */
} hbs_plan_info;

void hbs_plan_get_info(const hbs_plan *plan, hbs_plan_info *info);

/* An optimizer pass and the change that it made to the plan's graph. */
typedef struct hbs_pass_report {
    const char *name; /* as hbs_pass_name */
    size_t rewrites;
    size_t before, after; /* so many `unit`: "nodes" that some output needs, "columns" that these make */
    const char *unit;
} hbs_pass_report;

/* Pass `index` from 0 of those that have changed something. False: there are no more. */
bool hbs_plan_pass(const hbs_plan *plan, size_t index, hbs_pass_report *report);

/* Feature `index` (< features): its name ("" where the model has none) and what it takes: HBS_FLOAT32
 * for a number, HBS_TEXT for a category given as text. */
void hbs_plan_feature(const hbs_plan *plan, size_t index, hbs_text *name, hbs_type *type);

/* Which column is which feature, by their names: columns[f] (f < features) becomes a place in `names`, or one of these
 * reasons why feature f has none. A column is a feature's if its name is the same; else without regard to ASCII case,
 * if just one column and just one feature have its letters. So no column serves two features. A name whose `bytes` are
 * NULL is no feature's. A JSON row finds its features by the same rule. */
enum {
    HBS_NO_COLUMN = -1,
    HBS_SEVERAL_COLUMNS = -2,
    HBS_AMBIGUOUS_COLUMN = -3 /* a column has its letters in another case; another feature has them too */
};
void hbs_plan_match_columns(const hbs_plan *plan, const hbs_text *names, int n_names, int *columns);

/* True if the plan looks up numbers of feature `index` (< features) among categories. Then give a number that no double
 * holds as HBS_INT64 or HBS_DECIMAL: 2^53 + 1 is another category than 2^53. */
bool hbs_plan_looks_up(const hbs_plan *plan, size_t index);

/* True if the value of feature `index` (< features) can matter to one of `outputs` (HBS_OUT_..., below; 0: to any):
 * change a result or be an error. Outputs that the model does not have need nothing. The predictions (all outputs but
 * the transform) have one answer: a row without one of them has none. */
bool hbs_plan_uses(const hbs_plan *plan, size_t index, uint32_t outputs);

/* The label of class `index` (< classes) in its own type: HBS_INT64, HBS_FLOAT64, HBS_BOOL, HBS_TEXT. */
void hbs_plan_class(const hbs_plan *plan, size_t index, hbs_value *label);

/* ------------------------------------------------------------------ scoring */

/* The scoring functions of SQL. */
typedef enum hbs_function {
    HBS_PREDICT,
    HBS_PREDICT_LABEL,
    HBS_PREDICT_PROBABILITY,
    HBS_PREDICT_PROBA,
    HBS_PREDICT_VALUES,
    HBS_DECISION_FUNCTION,
    HBS_PREDICT_JSON,
    HBS_TRANSFORM,
    HBS_PREDICT_PROBABILITIES,
    HBS_PREDICT_TOP
} hbs_function;

/* The function of that name: "predict_proba". HBS_E_ARGS names those that there are. */
hbs_status hbs_function_read(hbs_text name, hbs_function *function, hbs_error *error);

/* The outputs that hbs_score computes: a set of these bits. The transform is asked for alone: a row that the
 * estimator behind it refuses has one, and a row that only a step on its way refuses has none. */
enum {
    HBS_OUT_VALUE = 1u << 0,
    HBS_OUT_LABEL = 1u << 1,
    HBS_OUT_PROBABILITIES = 1u << 2,
    HBS_OUT_VALUES = 1u << 3,
    HBS_OUT_RAW = 1u << 4,
    HBS_OUT_TRANSFORM = 1u << 5
};

typedef struct hbs_run hbs_run;

/* Scratch for blocks of up to `max_rows` rows (1 to 1,048,576). `model_name` (copied; NULL: none) is used in
 * messages. The plan must outlive the run. HBS_OK, HBS_E_LIMIT, HBS_E_NOMEM, HBS_E_ARGS (as of hbs_plan_compile;
 * and for a plan that was compiled for another isa than this process uses). */
hbs_status hbs_run_create(const hbs_plan *plan, const hbs_host *host, const char *model_name, size_t max_rows,
                          hbs_run **run, hbs_error *error);
void hbs_run_free(hbs_run *run);

/* A product of matrices by a BLAS of the host; copied by hbs_run_use_blas. It must not throw, longjmp, or change
 * the floating-point mode. `enter` says whether it takes a product now: false, and hbscore's own kernel does
 * it. After true come some products and one call of leave, all in the calling thread; between them
 * `cancelled` may be asked. */
typedef struct hbs_blas {
    void *context;
    bool (*enter)(void *context);
    /* out += in * weights, all column-major as BLAS has it: `in` is [inputs][in_stride] with a row's numbers
     * in_stride apart, `weights` [outputs][weights_stride], `out` [outputs][out_stride]. All sizes fit in an
     * int. */
    void (*add_product)(void *context, size_t rows, size_t outputs, size_t inputs, const double *in, size_t in_stride,
                        const double *weights, size_t weights_stride, double *out, size_t out_stride);
    void (*add_product32)(void *context, size_t rows, size_t outputs, size_t inputs, const float *in, size_t in_stride,
                          const float *weights, size_t weights_stride, float *out, size_t out_stride);
    void (*leave)(void *context);
} hbs_blas;

/* From now on the run gives large products (32 or more numbers in and out; 256 or more weights where the training
 * library sums in float32, and then in float32) of several rows to `blas` (NULL: to none, as at first). Their sums
 * may then differ from those of hbscore's kernel, and with the rows beside a row, within the plan's tolerances. The
 * products of HBS_STRATEGY_GEMM go to it too, of any size, and have the same bits. hbs_score_row never asks it. HBS_OK,
 * HBS_E_NOMEM. */
hbs_status hbs_run_use_blas(hbs_run *run, const hbs_blas *blas, hbs_error *error);

/* From now on the run measures how long it takes for blocks of rows, if the host has a clock. HBS_OK, HBS_E_NOMEM. */
hbs_status hbs_run_measure(hbs_run *run, hbs_error *error);

/* The work of one operator over all blocks since hbs_run_measure.
 *
 * A call is one run of the operator's kernel over some rows of a block. `rows` are those that the operator was computed
 * for: an operator that no output asked for has none, as one that is done within another (a clip behind a product).
 *
 * `bytes` is what the calls read and wrote. It is worked out from sizes, and each number counts once a row:
 *  - a step: its parameters in the plan, once a call; for each row the numbers of its inputs and of its output, of 4
 *    (float32) or 8 bytes (float64). An input that is the same for all rows counts once a call.
 *  - encode: for each row the caller's columns (4 bytes in HBS_FLOAT32, 8 in HBS_FLOAT64 and HBS_INT64, 1 in HBS_BOOL,
 *    sizeof(hbs_text) in HBS_TEXT, sizeof(hbs_value) in HBS_MIXED, 0 in HBS_NULL; the texts themselves do not count),
 *    and the numbers that are made of them.
 *  - store: for each row the numbers of the outputs that were asked for, and the doubles or class indices made of them.
 * Caches decide what of it goes to memory. */
#define HBS_KERNEL_TEXT 64
typedef struct hbs_operator_time {
    int position;       /* as hbs_plan_line has it; "store" comes behind the last one */
    const char *name;   /* as hbs_plan_line has it; or "encode", "store" */
    const char *source; /* the step of the user's pipeline that it was first made for, "columns/num/scale", if the file
                         * names them; else the operator of the pipeline, "forest"; "" of encode and store */
    char kernel[HBS_KERNEL_TEXT]; /* the instruction set and, of forests, the strategies that ran; of products "exact";
                                   * "blas" for those of the host's BLAS: "avx2 bits + tt"; "": it was never called */
    uint64_t calls, rows, nanoseconds, bytes;
} hbs_operator_time;

/* Operator `index` from 0, in the order in which they run: "encode", which takes the columns in, then the steps of the
 * plan, then "store", which gives the results. False: there is none, or nothing is measured. `source` belongs to the
 * plan. */
bool hbs_run_time(const hbs_run *run, size_t index, hbs_operator_time *time);

/* The outputs that a function needs of this model, or HBS_E_TYPE / HBS_E_ARGS in words where the model
 * cannot answer it (predict_proba of a regressor, predict of a model with several outputs). */
hbs_status hbs_run_outputs(const hbs_run *run, hbs_function function, uint32_t *outputs, hbs_error *error);

/* Says HBS_E_ARGS in words unless `count` is the number of features. */
hbs_status hbs_run_check_count(const hbs_run *run, size_t count, hbs_error *error);

/* The position of a class by its label: the number 1 as well as the text 'yes' or '1'. HBS_E_NOENT
 * names the classes that there are; a missing value is HBS_E_ARGS. */
hbs_status hbs_run_class(const hbs_run *run, const hbs_value *label, size_t *index, hbs_error *error);

/* How many classes predict_top gives for its argument k: k, or all classes where there are fewer. HBS_E_ARGS where k is
 * no whole number from 1 on. */
hbs_status hbs_run_top(const hbs_run *run, const hbs_value *k, size_t *n, hbs_error *error);

/* Results of a block; arrays that were not asked for are NULL. Numbers that the library computes in
 * float32 are widened. Outputs of several numbers are row-major: [row][width]. */
typedef struct hbs_result {
    size_t rows;                 /* rows scored: all, or those before the first one that failed */
    const uint64_t *valid;       /* bit clear: the row's result is SQL NULL; its numbers are not set */
    const double *value;         /* [rows] */
    const int32_t *label;        /* [rows] class index */
    const double *probabilities; /* [rows][probabilities_width] */
    const double *values;        /* [rows][values_width] */
    const double *raw;           /* [rows][raw_width] */
    const double *transform;     /* [rows][transform_width]; NaN: a missing number */
} hbs_result;

/* Scores `rows` (<= max_rows) rows given as one column per feature, in the model's order. If a row
 * is bad (a text that is no number, an unseen category), the rows before it are scored, result->rows
 * says how many, and the error is returned. The column of a feature that does not matter to the outputs
 * (hbs_plan_uses) is not looked at: its members may be anything, its data need not be there, and nothing in it is
 * an error. HBS_E_TYPE, HBS_E_ARGS, HBS_E_CANCEL, HBS_E_NOMEM. */
hbs_status hbs_score(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                     hbs_result *result, hbs_error *error);

/* Scores one row; the same bits; allocates nothing, but by its first call for these outputs. result->rows is 1 or 0.
 * Values of features that do not matter are not looked at. */
hbs_status hbs_score_row(hbs_run *run, const hbs_value *values, size_t n_values, uint32_t outputs, hbs_result *result,
                         hbs_error *error);

/* The same for a row of numbers, as if each were a value of HBS_FLOAT64: with less work where all are. Those of
 * features that do not matter are not looked at. */
hbs_status hbs_score_numbers(hbs_run *run, const double *numbers, size_t n_numbers, uint32_t outputs,
                             hbs_result *result, hbs_error *error);

/* Scores one row given as a JSON object (by name: other keys are ignored, a missing feature is an
 * error that names it) or a JSON array (by position). At most 1 MiB of text, strictly RFC 8259. A name
 * matches exactly, else without regard to ASCII case if just one feature does. */
hbs_status hbs_score_json(hbs_run *run, const char *json, size_t size, uint32_t outputs, hbs_result *result,
                          hbs_error *error);

/* The `n` (<= classes) most probable classes of row `row` of a result scored with the outputs of HBS_PREDICT_TOP: best
 * first, equal ones in the order of the model's classes, NaN last. `classes` has room for n. HBS_OK, HBS_E_CANCEL. */
hbs_status hbs_best_classes(hbs_run *run, const hbs_result *result, size_t row, size_t n, uint32_t *classes,
                            hbs_error *error);

/* ------------------------------------------------------------------ golden rows */

/* The result of verifying a model's golden rows. */
typedef struct hbs_verification {
    size_t rows;          /* golden rows */
    double max_abs_error; /* of all numbers; infinite where one was NaN or infinite and the other not */
    bool ok;
    char text[HBS_ERROR_TEXT]; /* not ok: the first difference in words, beginning "row 3: "; else "" */
} hbs_verification;

/* Scores golden rows, which the training library's outputs stand beside, and compares: every number
 * within the tolerance of the plan (of an output in float32, the number is rounded to that first), every
 * label equal (the number 1 as well as the text '1'). Each row is scored by itself and in a block, which
 * must give the same bits. `golden` is the JSON text of the option:
 *
 *     {"rows": [[39, "gold", null], ..], "prediction": [..], "probabilities": [[..], ..],
 *      "decision": [[..], ..], "values": [[..], ..], "transform": [[..], ..]}
 *
 * with rows by position, every list as long as `rows` (1 to 10,000), at least one output; outputs are
 * null where the result is NULL, NaN and infinities the texts "NaN", "Infinity", "-Infinity". A row that the library
 * refuses only for features that do not matter (hbs_plan_uses) has a result, so null is a difference there. The sign of
 * a zero does not count, and of two probabilities the smaller may be off by as much as the larger.
 *
 * A difference is no error: the status is HBS_OK and `found->ok` false. Else HBS_E_ARGS (the text is no
 * such JSON or does not fit the model, or the model refuses a row), HBS_E_TYPE (a row with a value of
 * another type), HBS_E_LIMIT, HBS_E_NOMEM, HBS_E_CANCEL, HBS_E_INTERNAL. `model_name` may be NULL. */
hbs_status hbs_verify(const hbs_plan *plan, const hbs_host *host, const char *model_name, const char *golden,
                      size_t size, hbs_verification *found, hbs_error *error);

/* ------------------------------------------------------------------ text */

/* A number in the shortest decimal form that reads back as the same double, independent of the locale,
 * as JSON: NaN and infinities are "NaN", "Infinity", "-Infinity" in quotes. `buffer` has at least 32
 * bytes; returns the length; NUL-terminated. */
size_t hbs_format_double(double number, char *buffer);

/* A JSON array of `n` numbers, written as snprintf does: at most `capacity` bytes with the NUL; returns
 * the length that the whole text has. */
size_t hbs_format_doubles(const double *numbers, size_t n, char *buffer, size_t capacity);

/* The same for a transform: NaN, a missing number, is null. */
size_t hbs_format_row(const double *numbers, size_t n, char *buffer, size_t capacity);

/* A class label as JSON: a text in quotes, a number, true or false. As snprintf. */
size_t hbs_format_label(const hbs_value *label, char *buffer, size_t capacity);

/* The object of predict_json for row `row` of a result scored with the outputs of HBS_PREDICT_JSON;
 * `model` is the reference shown ("churn@3"). As snprintf. */
size_t hbs_format_result(const hbs_run *run, const hbs_result *result, size_t row, const char *model, char *buffer,
                         size_t capacity);

/* The object of predict_probabilities: a member for each class, {"died":0.13,"survived":0.87}. The array of predict_top
 * for these classes, [{"class":"survived","probability":0.87}]. Both of row `row` of a result scored with the outputs
 * of their functions. As snprintf. */
size_t hbs_format_probabilities(const hbs_run *run, const hbs_result *result, size_t row, char *buffer,
                                size_t capacity);
size_t hbs_format_classes(const hbs_run *run, const hbs_result *result, size_t row, const uint32_t *classes, size_t n,
                          char *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
