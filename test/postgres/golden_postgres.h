/* golden_postgres.h - a golden model in the core, in PostgreSQL and in SQLite, side by side.
 *
 * What the core's hbs_score_row answers is what both databases must answer, by bits; what PostgreSQL answers is
 * compared with the training library by the golden's own rules. golden_answers.c asks the core and compares,
 * golden_rows.c asks PostgreSQL row by row, golden_sets.c a table at once, golden_sqlite.c asks SQLite; test_golden.c
 * shares the goldens out and counts. */
#ifndef GOLDEN_POSTGRES_H
#define GOLDEN_POSTGRES_H

#include "golden/golden_cells.h"

#include <libpq-fe.h>
#include <sqlite3.h>

/* PostgreSQL passes 100 arguments, one of them the model. */
enum { GP_MAX_SCALARS = 99, GP_MAX_CALLS = 8 };

typedef enum gp_form { GP_SCALARS, GP_ARRAY, GP_JSON } gp_form;

/* A function that is asked for every row. Numbers of all calls stand behind each other in a row's bits; a label is
 * the index of its class. */
typedef struct gp_call {
    hbs_function function;
    const char *name;
    char class[512]; /* the second argument of predict_probability, as SQL that both databases know; else "" */
    size_t class_index;
    rg_kind kind; /* the golden's output; RG_KINDS: the library has none */
    uint32_t outputs;
    size_t width;
    size_t at;
} gp_call;

typedef struct gp_model {
    rg_golden golden;
    char name[192]; /* "xgboost/dart_binary_17" */
    char *bytes;
    size_t size;
    hbs_plan *plan;
    hbs_run *run;
    hbs_plan_info info;
    hbs_error refusal; /* status HBS_OK: none */
    size_t n_calls;
    gp_call calls[GP_MAX_CALLS];
    size_t stride;
    uint64_t *bits;   /* [rows][stride] */
    bool *null;       /* [rows][n_calls] */
    hbs_error *error; /* [rows]; status HBS_OK: none */
    size_t differences;
    size_t scans, wrong_scans; /* in blocks, in a parallel worker, or by compiled expressions */
} gp_model;

/* One answer of a database. */
typedef struct gp_answer {
    bool null;
    size_t width; /* 0: no number, which is never right */
    double *numbers;
} gp_answer;

/* ---- golden_answers.c */

/* Reads FOLDER/FILE and asks the core. False: the files are not there, which is counted. */
bool gp_open(gp_model *m, const char *folder, const char *file);
void gp_close(gp_model *m);
__attribute__((format(printf, 2, 3))) void gp_differ(gp_model *m, const char *format, ...);
/* In which form a row is given where scalars do not reach. */
gp_form gp_form_of(const gp_model *m, size_t row);
/* A row of numbers as doubles; what is missing is NULL or NaN. The caller frees it. */
hbs_value *gp_doubles(const gp_model *m, size_t row, bool nan);
/* The answer has the core's bits. */
void gp_compare(gp_model *m, size_t row, const gp_call *call, const gp_answer *answer, const char *way);
/* The answer is the library's. */
void gp_compare_library(gp_model *m, size_t row, const gp_call *call, const gp_answer *answer);
/* The text of a label as predict_label has it; the class with that text, or -1. */
void gp_label_text(const hbs_value *label, char *text, size_t size);
int gp_class_of(const gp_model *m, const char *text, size_t size);

/* ---- golden_targets.c */

/* The labels that predict_json gives for several outputs, of which some are texts, as their places; 0: it is not JSON
 * with known labels. */
size_t gp_targets(const gp_model *m, const char *json, double *numbers);

/* ---- golden_wire.c: values as PostgreSQL has them in binary */

enum {
    GP_BOOL = 16,
    GP_BYTEA = 17,
    GP_INT8 = 20,
    GP_INT4 = 23,
    GP_TEXT = 25,
    GP_FLOAT4 = 700,
    GP_FLOAT8 = 701,
    GP_TEXTS = 1009,
    GP_FLOAT8S = 1022,
    GP_JSONB = 3802
};

typedef struct gp_buffer {
    char *bytes;
    size_t size, room;
} gp_buffer;

Oid gp_type_of(hbs_type type); /* of HBS_NULL: 0 */
const char *gp_type_name(Oid type);
void gp_put(gp_buffer *to, const void *bytes, size_t size);
void gp_put_int(gp_buffer *to, int64_t number, size_t bytes);
/* The value without its length; not of a NULL. */
void gp_put_value(gp_buffer *to, const hbs_value *value);
/* Of float8 or text. */
void gp_put_array(gp_buffer *to, const hbs_value *values, size_t n, Oid element);
/* With the length before it. */
void gp_put_field(gp_buffer *to, const gp_buffer *value);
/* Column `column` of a row; `numbers` has room for the call's width. */
gp_answer gp_read(const gp_model *m, const PGresult *result, int row, int column, const gp_call *call,
                  double *numbers);

/* ---- golden_rows.c */

/* Registers the model, as version 1; false: it is refused, as it must be, or is not stored. */
bool gp_register(gp_model *m, PGconn *conn);
/* The same, and asks for each row by parameters. */
void gp_rows(gp_model *m, PGconn *conn);

/* ---- golden_sets.c */

typedef enum gp_mode { GP_SERIAL, GP_BLOCKS, GP_PARALLEL, GP_JIT, GP_MODES } gp_mode;

/* NULL: the server can; else why it cannot. */
const char *gp_mode_missing(PGconn *conn, gp_mode mode);
/* EXPLAIN shows the effect of the settings. */
void gp_sets_begin(PGconn *conn);
/* The rows as a table, scored in one scan. */
void gp_sets(gp_model *m, PGconn *conn, const bool modes[GP_MODES]);
extern const char *const gp_mode_names[GP_MODES];

/* ---- golden_sqlite.c */

sqlite3 *gp_sqlite_open(void);
/* Registers the model in SQLite and asks for each row. */
void gp_sqlite(gp_model *m, sqlite3 *db);

#endif
