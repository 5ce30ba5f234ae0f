/* golden.h - what the parts of run_golden share.
 *
 * A golden is one model of the training library, rows, and the library's own answers to them (the
 * format is in README.md). golden_file.c reads it, golden_rule.c compares, golden_score.c asks hbscore in
 * every way that the interface has (golden_scorer.h), run_golden.c counts and prints. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include "hbs_backend.h"

#include <stdio.h>

enum { RG_MAX_BLOCK = 1025, RG_MAX_PASSES = 32 /* a bit each */ };

/* The transform stands in goldens of its own: it is never asked for together with the others. */
typedef enum rg_kind { RG_RAW, RG_PROBABILITIES, RG_VALUES, RG_VALUE, RG_LABEL, RG_TRANSFORM, RG_KINDS } rg_kind;
typedef enum rg_rule { RG_EXACT, RG_ULP1, RG_RELATIVE, RG_ABSOLUTE } rg_rule;
/* UNLIKE: the library refuses the row for a feature that no answer of the model depends on, and hbscore does not. */
typedef enum rg_fate { RG_SCORED, RG_ERROR, RG_NULL, RG_UNLIKE } rg_fate;

typedef struct rg_output {
    bool given;
    size_t width;
    rg_rule rule;
    double tolerance; /* of RG_RELATIVE, RG_ABSOLUTE */
    double *want;     /* [rows][width] */
} rg_output;

/* Texts point into `text` or are NUL-terminated inside it. */
typedef struct rg_golden {
    char *text;
    char name[128]; /* the file's name without .golden */
    const char *library, *trained, *model, *options, *covers;
    size_t features;
    hbs_text *names;
    bool *is_text;
    bool other_functions; /* the C library has others than that of the record: answers are near it only */
    bool refused;         /* rows 0: a model that no answer can be trusted of */
    size_t rows;
    hbs_value *cells; /* [rows][features], in the types that the file says */
    rg_fate *fate;    /* [rows] */
    rg_output outputs[RG_KINDS];
} rg_golden;

/* False after a line on stderr that says what is wrong with the file. */
bool rg_read(const char *folder, const char *file, rg_golden *golden);
void rg_free(rg_golden *golden);
char *rg_file(const char *folder, const char *file, size_t *size);
const char *rg_kind_name(rg_kind kind);

/* Whether a number is the library's, by the output's rule. */
bool rg_agrees(const rg_output *output, double got, double want);

/* How much of the sweep is done: of rows only hbs_score_row on each; of devices that, and blocks in all ways that a
 * device could walk the trees; brief most ways, and a block size for each plan, quick some sizes, full all 1,025 of
 * each. */
typedef enum rg_effort { RG_ROWS, RG_DEVICES, RG_BRIEF, RG_QUICK, RG_NORMAL, RG_FULL } rg_effort;

typedef struct rg_tally {
    size_t differences;
    size_t rows_scored;             /* by all ways together */
    size_t unlike;                  /* rows that only the library refuses */
    uint8_t digest[32];             /* of the bits of all answers of hbs_score_row */
    size_t rewrites[RG_MAX_PASSES]; /* by each pass of the optimizer, in the order of hbs_pass_name */
    size_t left_out;                /* the pass that one of the plans is compiled without */
    size_t forms[3];                /* 1: the model's trees went to a device in this form of gpu/image.h */
    size_t device_rows;             /* that a device has scored */
} rg_tally;

/* How many passes the optimizer has. */
size_t rg_count_passes(void);

/* A device that walks the trees of blocks. */
typedef struct rg_gpu {
    const hbs_backend *backend;
    hbs_device *device;
} rg_gpu;

/* Scores the golden in every way; each difference is counted, the first ones are printed. `turn` picks which block
 * sizes beyond the fixed ones this model takes. `gpu` NULL: the kernels of devices run on the host. */
void rg_score(const rg_golden *golden, const char *folder, rg_effort effort, size_t turn, const rg_gpu *gpu,
              rg_tally *tally);

/* The golden as a registration's option `golden`, without the rows that are errors; with `spoil` one
 * number of it is wrong (*spoiled: there was one). The caller frees it. */
char *rg_golden_option(const rg_golden *golden, const hbs_plan *plan, bool spoil, size_t *size, bool *spoiled);

/* Memory that never fails, but is counted. */
typedef struct rg_host {
    hbs_host host;
    size_t held, peak;
} rg_host;

void rg_host_init(rg_host *host);
void *rg_need(size_t count, size_t size); /* zeroed; ends the program where there is none */

#endif
