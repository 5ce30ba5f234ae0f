/* run.h - scoring: one caller's scratch for one plan. */
#ifndef HB_PLAN_RUN_H
#define HB_PLAN_RUN_H

#include "base/memory.h"
#include "graph/evaluate.h"
#include "kernel/kernels.h"
#include "plan/plan.h"

struct hbs_run {
    const hb_plan_header *plan;
    const hb_kernels *kernels; /* of this CPU */
    hbs_blas blas;         /* the host's, for large products */
    hb_blas_room *room;    /* for it; NULL: it is not asked */
    hb_memory memory;
    char *name;            /* the model's, for messages; "" if none */
    size_t max_rows;
    size_t stride;         /* of a tile: 1 for a run of single rows, else HB_TILE or several of them */
    char *scratch;         /* [row_bytes][stride] */
    void *work;            /* [work_bytes] for forests, at a multiple of 64 of.. */
    char *work_block;      /* ..this; NULL: none */
    hb_refusal *refusals;  /* [stride / HB_TILE], or 1 */
    bool is_float32;       /* the tile being scored: float32 holds every number of its input */
    const uint8_t *demands; /* [n_features]: HB_DEMAND_... of the outputs being scored; NULL: none */
    uint64_t *valid;       /* [max_rows / 64]: bits of the rows' results */
    double *results[HB_N_OUTPUTS]; /* [max_rows][width], made when first asked for; not of labels */
    int32_t *labels;       /* [max_rows] */
    hbs_value *values;     /* [n_features]: a row read from JSON; made when first needed */
    hb_vector text;        /* its texts */
};

/* plan/bind.c: the caller's columns as columns of numbers of a tile. Rows [first, first + rows) go to the
 * input's columns; *good is how many come before the first bad row, whose error is set. */
hbs_status hb_bind_columns(hbs_run *run, const hbs_column *columns, size_t first, size_t rows,
                           size_t stride, size_t *good, hbs_error *error);
/* One row; clears the row's bit of run->valid where its result is NULL. */
hbs_status hb_bind_row(hbs_run *run, const hbs_value *values, hbs_error *error);

/* The error of a value that training has not seen; feature UINT32_MAX: another step has made it. */
hbs_status hb_unseen_fail(const hbs_run *run, uint32_t feature, double value, hbs_error *error);

/* plan/execute.c: the steps that the outputs need, over a tile whose input is bound. Results go to the
 * arrays from row `first` on. *rows becomes how many have one: all, or those before the first that is an
 * error. HBS_E_CANCEL, HBS_E_ARGS. */
hbs_status hb_execute(hbs_run *run, uint32_t outputs, size_t first, size_t *rows, size_t stride,
                      hbs_error *error);

/* plan/run.c: behind the public functions of hbscore.h. */
hbs_status hb_run_create(const hbs_plan *plan, const hbs_host *host, const char *model_name,
                         size_t max_rows, hbs_run **run, hbs_error *error);
void hb_run_free(hbs_run *run);
hbs_status hb_run_use_blas(hbs_run *run, const hbs_blas *blas, hbs_error *error);
hbs_status hb_run_score(hbs_run *run, const hbs_column *columns, size_t n_columns, size_t rows,
                        uint32_t outputs, hbs_result *result, hbs_error *error);
hbs_status hb_run_score_row(hbs_run *run, const hbs_value *values, size_t n_values,
                            uint32_t outputs, hbs_result *result, hbs_error *error);
/* Room for a row of values given by name; NULL where there is no memory. */
hbs_value *hb_run_row(hbs_run *run);
hbs_status hb_run_check_count(const hbs_run *run, size_t count, hbs_error *error);

/* plan/answers.c: which function the model answers, its classes, and the text of results. */
hbs_status hb_run_outputs(const hbs_run *run, hbs_function function, uint32_t *outputs,
                          hbs_error *error);
hbs_status hb_run_class(const hbs_run *run, const hbs_value *label, size_t *index,
                        hbs_error *error);

/* plan/result_text.c */
size_t hb_format_number(double number, char buffer[32]);
size_t hb_format_numbers(const double *numbers, size_t n, char *buffer, size_t capacity);
size_t hb_format_row(const double *numbers, size_t n, char *buffer, size_t capacity);
size_t hb_format_label(const hbs_value *label, char *buffer, size_t capacity);
size_t hb_format_result_json(const hbs_run *run, const hbs_result *result, size_t row,
                             const char *model, char *buffer, size_t capacity);

/* An error of this model: the text begins with `model "name": `. */
__attribute__((format(printf, 4, 5))) hbs_status hb_run_fail(const hbs_run *run, hbs_error *error,
                                                             hbs_status status, const char *format,
                                                             ...);
#endif
