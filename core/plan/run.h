/* run.h - scoring: one caller's scratch for one plan. */
#ifndef HB_PLAN_RUN_H
#define HB_PLAN_RUN_H

#include "base/memory.h"
#include "kernel/kernels.h"
#include "op/product.h"
#include "op/trees.h"
#include "plan/plan.h"

/* Numbers of a tile: [width][stride], or [width] for all rows. */
typedef struct hb_columns {
    const char *at;
    size_t row; /* bytes from one row to the next; 0: they are for all rows */
} hb_columns;

/* A forest, and how its trees are evaluated now. */
typedef struct hb_prepared_forest {
    hb_forest_view view;
    hb_trees trees;
} hb_prepared_forest;

/* When a step changes nothing and is left out: never, always, where the caller's columns were float32. */
typedef enum hb_idle { HB_IDLE_NEVER, HB_IDLE_ALWAYS, HB_IDLE_IF_FLOAT32 } hb_idle;

/* A step of the plan with all of its call that no tile changes. */
typedef struct hb_prepared {
    uint32_t outputs; /* HBS_OUT_... that need it */
    hb_idle idle;
    hb_float32 float32;
    size_t n_inputs;
    const hb_columns *inputs; /* [n_inputs] of a tile.. */
    const void **addresses;   /* ..and of the call: call.inputs */
    char *output;
    size_t output_row;          /* as hb_columns.row */
    hb_prepared_forest *forest; /* NULL: it is none */
    hb_call call;
} hb_prepared;

/* The work of a step since the run is measured. */
typedef struct hb_step_count {
    uint64_t calls, rows, nanoseconds;
    uint64_t bytes;   /* of binding and storing; those of steps follow from calls and rows */
    uint32_t kernels; /* 1u << HB_RAN_...: which ran */
} hb_step_count;

/* The words of a kernel's name behind its instruction set. */
enum { HB_RAN_PLAIN, HB_RAN_TT, HB_RAN_BITS, HB_RAN_GEMM, HB_RAN_PTT, HB_RAN_ROW, HB_RAN_EXACT, HB_RAN_BLAS, HB_N_RAN };

/* Features [first, end) stand beside each other, and each can matter to the outputs that are asked for. */
typedef struct hb_feature_span {
    uint32_t first, end;
} hb_feature_span;

struct hb_run_device; /* plan/device.h */

struct hbs_run {
    const hb_plan_header *plan;
    const hb_kernels *kernels;    /* those that the plan is for */
    hbs_blas blas;                /* the host's, for large products */
    hb_product_room *room;        /* scratch for the BLAS; NULL: it is not used */
    struct hb_run_device *device; /* that walks the trees of blocks; NULL: the CPU does */
    hb_memory memory;
    char *name; /* the model's, for messages; "" if none */
    size_t max_rows;
    size_t stride;               /* of a tile: 1 for a run of single rows, else HB_TILE or several of them */
    char *scratch;               /* [row_bytes][stride], at a multiple of 64 of.. */
    char *scratch_block;         /* ..this */
    void *work;                  /* for forests, at a multiple of 64 of.. */
    char *work_block;            /* ..this; NULL: none */
    hb_refusal *refusals;        /* [stride / HB_TILE], or 1 */
    bool is_float32;             /* the tile being scored: float32 holds every number of its input */
    hb_prepared *prepared;       /* [n_steps] of the plan */
    hb_prepared_forest *forests; /* [n_forests] in them */
    size_t n_forests;
    hb_columns *inputs;     /* [n_inputs] of all steps.. */
    const void **addresses; /* ..likewise */
    size_t n_inputs;
    char *fits; /* [fit_bytes]: their parameters, whose arrays lie in the plan */
    size_t fit_bytes;
    size_t prepared_for; /* this stride; 0: they are not */
    uint32_t outputs;    /* that were asked for last: these are theirs */
    hbs_result result;
    hb_asker asker;
    const hb_feature_span *live; /* [n_live], rising: all features that can matter; no other is looked at */
    size_t n_live;
    hb_feature_span all;    /* where that is each feature.. */
    hb_feature_span *spans; /* ..else [n_spans] of the run; NULL: none were needed yet */
    size_t n_spans;
    bool takes_numbers;            /* none of them is looked up, a category by its hash, or an integer with a limit */
    bool takes_all;                /* a row of doubles is taken as a whole */
    bool clears;                   /* the others' columns become 0 */
    const uint8_t *demands;        /* [n_features]: HB_DEMAND_...; NULL: none */
    uint32_t refused;              /* HB_SAW_...: what one of them refuses */
    uint64_t *valid;               /* [max_rows / 64]: bits of the rows' results */
    double *results[HB_N_OUTPUTS]; /* [max_rows][width], made when first asked for; not of labels */
    int32_t *labels;               /* [max_rows] */
    hb_step_count *counts;         /* [n_steps + 2]: of binding, each step, storing; NULL: it is not measured */
    hb_texts texts;                /* of the tile: those of text number t from t * stride on.. */
    hb_lists lists;                /* of the tile: those that steps have made so far.. */
    hb_memory of_lists;            /* ..and their memory */
    size_t changed_size;           /* ..and of their room */
    size_t search_size;
    hbs_value *values; /* [n_features]: a row read from JSON; made when first needed */
    hb_vector text;    /* its texts */
};

/* Where a value lies for tiles of that stride. */
static inline const void *hb_run_at(const hbs_run *run, hb_place place, size_t stride)
{
    return place.in_plan ? hb_plan_at(run->plan, place.at) : run->scratch + place.at * stride;
}

/* plan/bind.c: the caller's columns as columns of numbers of a tile: features that do not matter, whose columns, values
 * and numbers are not looked at, are 0 or what was there. Rows [first, first + rows) go to the input's columns; *good
 * is how many come before the first bad row, whose error is set. */
hbs_status hb_bind_columns(hbs_run *run, const hbs_column *columns, size_t first, size_t rows, size_t stride,
                           size_t *good, hbs_error *error);
/* One row; clears the row's bit of run->valid where its result is NULL. The second takes it as doubles. */
hbs_status hb_bind_row(hbs_run *run, const hbs_value *values, hbs_error *error);
hbs_status hb_bind_numbers(hbs_run *run, const double *numbers, hbs_error *error);

/* plan/bind_errors.c: the error of a value that is not of the type that the feature takes; */
hbs_status hb_wrong_type(const hbs_run *run, size_t f, const char *takes, const hbs_value *value, hbs_error *error);
/* of one that training has not seen, as a cell has it, and as a number (feature UINT32_MAX: another step has made it);
 */
hbs_status hb_unseen_value(const hbs_run *run, size_t f, const hbs_value *value, hbs_error *error);
hbs_status hb_unseen_fail(const hbs_run *run, uint32_t feature, double value, hbs_error *error);
/* of a category that double precision would round to another one. */
hbs_status hb_rounded_value(const hbs_run *run, size_t f, const hbs_value *value, hbs_error *error);

/* plan/bind_text.c: row `row` of a tile: the place of the text among those of the tile. HBS_E_TYPE, HBS_E_ARGS: it is
 * no UTF-8; HBS_E_LIMIT: it is too long; HBS_E_NOMEM, HBS_E_CANCEL. The text must last while the tile is scored. */
hbs_status hb_bind_text(hbs_run *run, size_t f, size_t row, const hbs_value *value, double *to, hbs_error *error);
/* Forgets the texts of the tile before. */
void hb_bind_no_texts(hbs_run *run);
/* Makes the list of texts, and what searches need; false: no memory. */
bool hb_bind_texts_create(hbs_run *run);
/* So many of the rows that their texts are about a megabyte together, one at least: until a tile is scored it holds
 * all that was made of its texts. */
size_t hb_rows_of_texts(const hbs_run *run, const hbs_column *columns, size_t first, size_t rows);
void hb_bind_texts_free(hbs_run *run);

/* Makes the run ready to bind for its asker: finds the features that can matter, and what they refuse. HBS_E_NOMEM,
 * HBS_E_CANCEL. */
hbs_status hb_bind_prepare(hbs_run *run, hbs_error *error);
/* Gives back what that has allocated. */
void hb_bind_free(hbs_run *run);

/* plan/execute.c: rows that a step takes at once, of a tile of `rows`: forests many, all else those of HB_TILE. */
size_t hb_rows_at_once(const hb_prepared *step, size_t rows);
/* The means that the run has for its forests. */
hb_tree_means hb_run_tree_means(const hbs_run *run);

/* plan/prepare.c: allocates the run's prepared steps, false: no memory; prepares them for tiles of this stride. */
bool hb_prepared_create(hbs_run *run);
void hb_prepared_free(hbs_run *run);
bool hb_prepare(hbs_run *run, size_t stride);

/* plan/execute.c: the steps that the outputs need, over a tile whose input is bound. Results go to the
 * arrays from row `first` on. *rows becomes how many have one: all, or those before the first that is an
 * error. HBS_E_CANCEL, HBS_E_ARGS. */
hbs_status hb_execute(hbs_run *run, uint32_t outputs, size_t first, size_t *rows, size_t stride, hbs_error *error);

/* Parts of it, for tiles whose forest a device walks. Before steps run: false where the host wants to stop. Steps
 * [first, end) that the outputs need: false where one ended early, hb_fail_step says why. Rows that they have refused:
 * as hb_execute. And the results. */
bool hb_execute_begin(hbs_run *run, size_t rows, size_t stride);
hbs_status hb_fail_step(const hbs_run *run, hbs_error *error);
bool hb_execute_steps(hbs_run *run, uint32_t outputs, size_t first, size_t end, size_t rows);
hbs_status hb_refuse_rows(hbs_run *run, size_t first, size_t *rows, hbs_error *error);
hbs_status hb_store_rows(hbs_run *run, uint32_t outputs, size_t first, size_t rows, size_t stride, hbs_error *error);

/* The same for the one row that hb_bind_row or hb_bind_numbers has bound. */
hbs_status hb_execute_row(hbs_run *run, uint32_t outputs, hbs_error *error);

/* plan/times.c: behind the public functions of hbscore.h. */
hbs_status hb_run_measure(hbs_run *run, hbs_error *error);
bool hb_run_time(const hbs_run *run, size_t index, hbs_operator_time *time);

/* The host's clock; 0 where the run is not measured. */
static inline uint64_t hb_run_clock(const hbs_run *run)
{
    return run->counts ? run->memory.host.nanoseconds(run->memory.host.context) : 0;
}

/* For a run that is measured: adds what has passed since `start`, to binding (`rows` of these columns), to a step, to
 * storing outputs. That of a step gives the clock, since the next one begins then. */
void hb_count_binding(hbs_run *run, const hbs_column *columns, size_t rows, uint64_t start);
uint64_t hb_count_step(hbs_run *run, const hb_prepared *step, size_t rows, uint64_t start);
void hb_count_storing(hbs_run *run, uint32_t outputs, size_t rows, uint64_t start);

/* plan/run.c: behind the public functions of hbscore.h. */
hbs_status hb_run_create(const hbs_plan *plan, const hbs_host *host, const char *model_name, size_t max_rows,
                         hbs_run **run, hbs_error *error);
void hb_run_free(hbs_run *run);
hbs_status hb_run_use_blas(hbs_run *run, const hbs_blas *blas, hbs_error *error);
hbs_status hb_run_score(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                        hbs_result *result, hbs_error *error);
hbs_status hb_run_score_row(hbs_run *run, const hbs_value *values, size_t n_values, uint32_t outputs,
                            hbs_result *result, hbs_error *error);
hbs_status hb_run_score_numbers(hbs_run *run, const double *numbers, size_t n_numbers, uint32_t outputs,
                                hbs_result *result, hbs_error *error);
/* Checks the arguments, and makes the run ready for these outputs; all rows are valid then. */
hbs_status hb_run_begin(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows, uint32_t outputs,
                        hbs_error *error);
hbs_status hb_run_prepare_outputs(hbs_run *run, uint32_t outputs, hbs_error *error);
void hb_run_give(const hbs_run *run, size_t rows, hbs_result *result);
/* Room for a row of values given by name; NULL where there is no memory. */
hbs_value *hb_run_row(hbs_run *run);
hbs_status hb_run_check_count(const hbs_run *run, size_t count, hbs_error *error);

/* plan/answers.c: the function of that name. */
hbs_status hb_function_read(hbs_text name, hbs_function *function, hbs_error *error);
/* Which function the model answers, and its classes. */
hbs_status hb_run_outputs(const hbs_run *run, hbs_function function, uint32_t *outputs, hbs_error *error);
hbs_status hb_run_class(const hbs_run *run, const hbs_value *label, size_t *index, hbs_error *error);
hbs_status hb_run_top(const hbs_run *run, const hbs_value *k, size_t *n, hbs_error *error);
hbs_status hb_best_classes(hbs_run *run, const hbs_result *result, size_t row, size_t n, uint32_t *classes,
                           hbs_error *error);

/* plan/result_text.c */
size_t hb_format_number(double number, char buffer[32]);
size_t hb_format_numbers(const double *numbers, size_t n, char *buffer, size_t capacity);
size_t hb_format_row(const double *numbers, size_t n, char *buffer, size_t capacity);
size_t hb_format_label(const hbs_value *label, char *buffer, size_t capacity);
size_t hb_format_probabilities(const hbs_run *run, const hbs_result *result, size_t row, char *buffer, size_t capacity);
size_t hb_format_classes(const hbs_run *run, const hbs_result *result, size_t row, const uint32_t *classes, size_t n,
                         char *buffer, size_t capacity);
size_t hb_format_result_json(const hbs_run *run, const hbs_result *result, size_t row, const char *model, char *buffer,
                             size_t capacity);

/* An error of this model: the text begins with `model "name": `. */
__attribute__((format(printf, 4, 5))) hbs_status hb_run_fail(const hbs_run *run, hbs_error *error, hbs_status status,
                                                             const char *format, ...);
#endif
