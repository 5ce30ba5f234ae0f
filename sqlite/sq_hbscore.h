/* sq_hbscore.h - the one private header of the SQLite extension.
 *
 * The extension is a wrapper: it finds the model that a reference names, keeps its compiled plan,
 * turns SQLite's values into hbs_values and results back. All machine learning is behind hbscore.h.
 *
 * How a call goes, first row of a statement (later rows start at the last line, from auxdata):
 *
 *     'churn' --reference--> name, version or alias --sq_models--> key --cache--> plan
 *     plan --sq_scorer--> run
 *     values --sq_values--> hbs_score_row --sq_scalar--> result
 *
 * Rules of this folder:
 *  - memory by sqlite3_malloc64 only, every result checked; nothing is allocated for a row
 *  - no global state: everything belongs to one sq_connection, whose mutex SQLite holds in our
 *    callbacks; but for the library that host/blas.c opens
 *  - an SQLite code is returned and an sq_error filled; only the functions that SQLite calls report
 *    it */
#ifndef SQ_HBSCORE_H
#define SQ_HBSCORE_H

#include "hbscore.h"
#include "host/host.h"

#ifdef SQLITE_CORE
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
#endif

/* The extension's own names are hidden, and so is its pointer to SQLite's functions: it is read for
 * each value of a row, and a hidden one needs no look-up in the global offset table. */
#pragma GCC visibility push(hidden)

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT3
#endif

typedef struct sq_connection sq_connection;
typedef struct sq_scorer sq_scorer;

/* ---- sq_error.c: core status to result code and text */

typedef struct sq_error {
    int code; /* SQLite's */
    char text[HBS_ERROR_TEXT];
} sq_error;

/* Each fills `error` and returns its code. */
int sq_fail(sq_error *error, int code, const char *format, ...);
int sq_fail_core(sq_error *error, const hbs_error *core);
/* The status of a call of the core or of host/ as SQLite's: SQLITE_OK, or its error. */
static inline int sq_core(hbs_status status, const hbs_error *core, sq_error *error)
{
    return status == HBS_OK ? SQLITE_OK : sq_fail_core(error, core);
}
int sq_fail_database(sq_error *error, sqlite3 *db, int code); /* what an inner statement said */
int sq_fail_memory(sq_error *error);

void sq_report(sqlite3_context *context, const sq_error *error);
void sq_report_core(sqlite3_context *context, const hbs_error *core);
int sq_report_table(sqlite3_vtab *table, const sq_error *error); /* returns the code */
int sq_reference_read(hbs_text text, host_reference *reference, sq_error *error);
int sq_name_check(hbs_text name, sq_error *error);
int sq_alias_check(hbs_text alias, sq_error *error);

/* ---- sq_settings.c: hbscore_set and hbscore_get */

typedef struct sq_settings {
    sqlite3_int64 plan_cache_size; /* bytes */
    sqlite3_int64 max_model_size;  /* bytes */
    sqlite3_int64 dense;           /* sq_dense */
    sqlite3_int64 strategy;        /* hbs_strategy */
    sqlite3_int64 passes_off;      /* HBS_PASS_... */
    sqlite3_int64 device;          /* host_device_choice */
    sqlite3_int64 device_memory;   /* bytes of the GPU */
    sqlite3_int64 require_device;  /* bool: blocks that the GPU does not score are errors, for tests */
    sqlite3_int64 device_rows;     /* the same: rows before `cuda` begins, and no least block; 0: the usual */
} sq_settings;

/* Whose kernel takes large products of matrices. */
typedef enum sq_dense { SQ_DENSE_EXACT, SQ_DENSE_BLAS } sq_dense;

void sq_settings_init(sq_settings *settings);
/* How models are compiled now. */
hbs_compile_options sq_compile_options(const sq_connection *connection);
void sq_set(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_get(sqlite3_context *context, int argc, sqlite3_value **argv);

/* ---- sq_connection.c: the state of a connection */

/* The queries that scoring runs: prepared once, kept by the private table (sq_statements.c). The
 * first three resolve a name alone, with an alias, with a version. */
typedef enum sq_query {
    SQ_DEFAULT,
    SQ_ALIAS,
    SQ_VERSION,
    SQ_MODEL,  /* a model */
    SQ_GOLDEN, /* and its golden rows */
    SQ_NEXT,   /* the next version above one, of those that were not dropped */
    SQ_QUERIES
} sq_query;

/* Counters of a build for tests (make BUILD/counted/hbscore.so); hbscore_counts() returns them. */
#ifdef SQ_COUNTERS
typedef struct sq_counts {
    sqlite3_int64 resolves; /* references looked up in the table */
    sqlite3_int64 loads;    /* plans made from stored bytes */
    sqlite3_int64 calls;    /* of scoring functions, one row each */
    sqlite3_int64 blocks;   /* scored by scans, virtual tables and aggregates */
    sqlite3_int64 rows;     /* in them */
} sq_counts;
#define SQ_COUNT(connection, what, n) ((connection)->counts.what += (sqlite3_int64)(n))
#else
#define SQ_COUNT(connection, what, n) ((void)0)
#endif

struct sq_connection {
    sqlite3 *db;
    /* One for each function and module registered (SQLite destroys each by itself, when the
     * application overrides it or closes), for each connected table of the modules and for each
     * scorer in use. */
    size_t references;
    hbs_host host;
    sq_settings settings;
    int depth;    /* of scans and virtual tables that read from each other */
    bool writing; /* inside a function that writes: a temp trigger may call it again */

    sqlite3_vtab *owner; /* the private table while it is connected */
    sqlite3_stmt *statements[SQ_QUERIES];

    host_cache plans;                    /* idle: an sq_scorer that was given back */
    bool uses_device;                    /* it is a user of the GPU: host_device_leave */
    uint64_t device_rows, device_redone; /* scored there; blocks that the CPU scored in its place */
#ifdef SQ_COUNTERS
    sq_counts counts;
    sqlite3_int64 stored; /* inner queries whose rows were stored first */
#endif
};

sq_connection *sq_connection_new(sqlite3 *db); /* with one reference; NULL: no memory */
void sq_connection_release(void *connection);  /* a destructor for SQLite */

/* ---- sq_statements.c: the prepared statements and the private table that owns them */

extern const sqlite3_module sq_private_module;
#define SQ_PRIVATE_MODULE "hbscore_private"

/* Runs a query on the tables of a schema (for "main" the statement is kept): SQLITE_ROW
 * (*statement is on the row, until sq_query_end), SQLITE_DONE (no row, or no such table: nothing to
 * end), or a code and `error`. */
int sq_query_start(sq_connection *connection, const char *schema, sq_query query, const host_reference *reference,
                   sqlite3_stmt **statement, sq_error *error);
void sq_query_end(sq_connection *connection, sq_query query, sqlite3_stmt *statement);

/* Prepares what sqlite3_mprintf makes of `format`: "FROM \"%w\".hbscore_models" with the schema. */
int sq_prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...);

/* ---- sq_models.c: what hbscore_models and hbscore_aliases hold */

typedef enum sq_table { SQ_MODELS, SQ_ALIASES } sq_table;

/* SQLITE_OK: it is our table; SQLITE_DONE: there is none; else a code and `error`. */
int sq_table_check(sqlite3 *db, const char *schema, sq_table table, sq_error *error);

/* An error if `size` is above `most`: max_model_size when a model is registered, HBS_HARD_MAX_MODEL_BYTES when it is
 * stored. */
int sq_size_check(const char *shown, sqlite3_int64 size, sqlite3_int64 most, sq_error *error);

enum { SQ_SHOWN = HOST_MAX_NAME + 24 };

/* The version that a reference means in the snapshot of the running statement: its pinned plan,
 * and how messages show it. */
typedef struct sq_found {
    host_plan *plan; /* pinned: host_cache_unpin */
    sqlite3_int64 version;
    size_t name_size;     /* of the name in `shown` */
    char shown[SQ_SHOWN]; /* "churn@3" */
} sq_found;

/* Resolves a reference by the tables of `schema` ("main" for every function; a virtual table of
 * another file passes its own); reads, verifies and compiles the version where its plan is not
 * cached. */
int sq_models_find(sq_connection *connection, const char *schema, hbs_text reference, sq_found *found, sq_error *error);

/* The version alone, and the digest that is stored with it. `digest` may be NULL. */
int sq_models_version(sq_connection *connection, const host_reference *reference, sqlite3_int64 *version,
                      uint8_t digest[32], sq_error *error);

/* The version that a value names, as 'churn' or 'churn@3'. *version has a name, which points into the value, and a
 * version; `shown` is what messages call it. */
int sq_models_named(sq_connection *connection, sqlite3_value *value, host_reference *version, char shown[SQ_SHOWN],
                    sq_error *error);

/* A stored version, read with its options; hbs_model_free. `version` has a name and a version. */
int sq_models_parse(sq_connection *connection, const host_reference *version, const char *shown, hbs_model **model,
                    sq_error *error);

/* Describes a stored version's plan, in lines. `version` has a name and a version. */
int sq_models_describe(sq_connection *connection, const host_reference *version, const char *shown,
                       hbs_description **description, sq_error *error);

/* Compiles a stored version anew, from its bytes, and verifies its golden rows; found->rows is 0
 * where it has none. Keeps nothing. */
int sq_models_verify(sq_connection *connection, const host_reference *version, const char *shown,
                     hbs_verification *found, sq_error *error);

/* ---- sq_missing.c: why there is nothing to score or to drop, in words */

/* Why a reference finds nothing; with an alias and a version: why that alias, which names that
 * version, does. Always returns a code. */
int sq_missing(sq_connection *connection, const char *schema, const host_reference *reference, sq_error *error);
/* SQLITE_OK, or the aliases that name this version of main, which is not dropped. */
int sq_deployed(sq_connection *connection, const host_reference *version, sq_error *error);

/* ---- sq_register.c: hbscore_register, and what all functions that write share */

void sq_register(sqlite3_context *context, int argc, sqlite3_value **argv);
/* Makes the table of main where there is none. */
int sq_table_make(sqlite3 *db, sq_table table, sq_error *error);
/* Between these two a function that writes is refused: a temp trigger on the tables can call them
 * inside themselves, without end. */
int sq_write_begin(sq_connection *connection, sq_error *error);
void sq_write_end(sq_connection *connection);
/* Runs a writing statement to its end, which is also its commit. Counts the rows that come back;
 * `*version` is that of the last one. */
int sq_write_run(sqlite3 *db, sqlite3_stmt *statement, int *rows, sqlite3_int64 *version, sq_error *error);

/* ---- sq_deploy.c: hbscore_deploy, hbscore_drop and hbscore_pin */

void sq_deploy(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_drop(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_pin(sqlite3_context *context, int argc, sqlite3_value **argv);

/* Private: whether the options of a version say that its name does not mean it until it is deployed. */
#define SQ_WAITS "hbscore_waits"
void sq_waits(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_drop_aliases(sqlite3_context *context, int argc, sqlite3_value **argv); /* private */

/* ---- sq_scorer.c: a plan made ready for the rows of one call in one statement */

struct sq_scorer {
    sq_connection *connection;
    host_plan *plan;
    hbs_run *run;
    uint32_t outputs; /* that the calling function needs */
    bool one_text;    /* the model takes exactly one text: '[..' is a category, not JSON */
    size_t capacity;  /* of `values` */
    char *text;       /* results as JSON are written here */
    size_t text_size;
    char *reference;  /* "churn@3" */
    size_t name_size; /* of the name in it */
    double *numbers;  /* [capacity]; NULL: some feature is a text */
    int *used;        /* [n_used] the features that `outputs` need; NULL: all */
    size_t n_used;
    uint32_t used_by; /* the outputs that `used` was made for; 0: none so far */
    int *used_room;   /* [capacity] */
    uint32_t *best;   /* [classes] of predict_top; NULL: not made yet */
    hbs_value values[];
};

/* Finds the model, pins its plan, checks that it can answer `function` and takes `count` features
 * (not checked for 1, which may be JSON). */
int sq_scorer_open(sq_connection *connection, hbs_text reference, hbs_function function, size_t count,
                   sq_scorer **scorer, sq_error *error);
/* The model takes exactly one feature, a text. */
bool sq_takes_one_text(const host_plan *plan);
void sq_scorer_close(void *scorer);     /* a destructor for SQLite */
void sq_scorer_free(sq_scorer *scorer); /* of an idle one */
/* Room for `size` bytes in scorer->text; false: no memory. */
bool sq_scorer_reserve(sq_scorer *scorer, size_t size);

/* ---- sq_values.c: SQLite's values and hbscore's */

enum { SQ_JSON_SUBTYPE = 'J' };

/* One text that stands for a whole row; `one_text`: the model takes exactly one text, and '[..' is
 * that. */
bool sq_is_json(sqlite3_value *value, bool one_text);
/* The cell as a double, NULL as NaN; false: it is no number, or would lose digits. Inline for the usual types. */
bool sq_other_number(sqlite3_value *value, int type, double *number);
static inline bool sq_value_number(sqlite3_value *value, double *number)
{
    int type = sqlite3_value_type(value);

    if (type != SQLITE_FLOAT)
        return sq_other_number(value, type, number);
    *number = sqlite3_value_double(value);
    return true;
}
/* Fills scorer->numbers from values that are as many as the model has features, and leaves out those that are not used;
 * false: some value is no such number. */
bool sq_numbers_read(sq_scorer *scorer, int count, sqlite3_value **values);
/* The same for scorer->values; where a value is none that a feature can take, false and the error
 * reported. */
bool sq_values_read(sqlite3_context *context, sq_scorer *scorer, int count, sqlite3_value **values);
/* Says that feature `index` got a blob; returns the code. */
int sq_fail_blob(sq_error *error, const host_plan *plan, hbs_text model, size_t index);
/* A class given as argument; false: reported. */
bool sq_value_label(sqlite3_context *context, sqlite3_value *value, hbs_value *label);
void sq_result_label(sqlite3_context *context, const hbs_value *label);
/* An argument that must be text: bytes NULL and `error` where it is not. */
int sq_value_text(sqlite3_value *value, const char *what, hbs_text *text, sq_error *error);
/* The same for a model's bytes, with the way to make a blob in the error. */
int sq_value_model(sqlite3_value *value, const char *what, hbs_text *bytes, sq_error *error);
/* An argument that must be a whole number. JavaScript's numbers come as real ones: 3.0 is 3. */
bool sq_value_whole(sqlite3_value *value, sqlite3_int64 *number);
const char *sq_type_name(sqlite3_value *value);

/* ---- sq_scalar.c: the scoring functions */

void sq_predict(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_label(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_probability(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_proba(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_values(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_decision_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_json(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_probabilities(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_top(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_transform(sqlite3_context *context, int argc, sqlite3_value **argv);

/* ---- sq_batch.c: rows gathered into columns, and scored a block at a time */

/* Rows of a block where the model does not like more, and bytes of texts and blobs from which on it ends earlier. */
enum { SQ_BLOCK = 512, SQ_BLOCK_BYTES = 4 << 20 };

/* A value that a row carries along unscored; text and blob live until the block is cleared. */
typedef struct sq_cell {
    int type; /* SQLITE_INTEGER, .. */
    size_t size;
    union {
        sqlite3_int64 integer;
        double real;
        const char *bytes;
    } as;
} sq_cell;

/* The values of one feature in the block. */
typedef struct sq_column {
    hbs_value *values; /* [capacity], made when first needed; in use where `mixed` */
    bool mixed;
    bool takes_text; /* is always mixed */
} sq_column;

typedef struct sq_chunk sq_chunk;
typedef struct sq_offload sq_offload; /* sq_device.c */

typedef struct sq_batch {
    sq_connection *connection;
    sq_found model; /* plan NULL: none */
    hbs_run *run;
    size_t n_carried;
    uint32_t outputs; /* HBS_OUT_...; 0: rows are not scored */
    size_t n_used;    /* features that the outputs need; each has a column */
    int *used;        /* [n_used] ascending */
    size_t width;     /* cells of a row: first those carried, then those of the columns */
    int *places;      /* [width] the column that a cell goes to, also a carried one; -1: none. NULL: cells behind those
                         carried come in the order of the columns */
    size_t capacity;  /* rows */
    double *numbers;  /* [n_used][stride] */
    size_t stride;
    sq_column *columns; /* [n_used] */
    hbs_column *given;  /* to hbs_score: [features], of which those that are not used have no values */
    sq_cell *cells;     /* [n_carried][capacity] */
    sq_chunk *texts;
    size_t kept;  /* bytes in them */
    size_t at;    /* cells that the next row has so far */
    size_t rows;  /* gathered */
    size_t ready; /* scored: may be read */
    hbs_result result;
    sq_error error;      /* of the row behind those; code SQLITE_OK: none */
    sq_offload *offload; /* to a GPU; NULL: not made yet */
} sq_batch;

/* Takes over the pin of `model` (NULL: nothing is scored), also where it fails. If `scores`, sq_batch_ask comes next.
 * A block is of `rows` at most: sq_block_rows. */
int sq_batch_new(sq_connection *connection, const sq_found *model, size_t carried, bool scores, size_t rows,
                 sq_batch **batch, sq_error *error);
/* How many rows at once suit a model (NULL: none), where there are many. */
static inline size_t sq_block_rows(const sq_found *model)
{
    return model && model->plan->info.block_rows > SQ_BLOCK ? model->plan->info.block_rows : SQ_BLOCK;
}
void sq_batch_free(sq_batch *batch);
/* Asks for the outputs that `function` needs and, if `probability`, the probability of the predicted class. From here
 * on a row brings the features that they need. */
int sq_batch_ask(sq_batch *batch, hbs_function function, bool probability, sq_error *error);
/* Sets batch->places, which the batch then owns: the carried cells that are features too. A volatile expression
 * in a view then has one value, which is both shown and scored. */
void sq_batch_arrange(sq_batch *batch, int *places, size_t width);
/* Rows bring every feature of the model, also those that are not used. */
int sq_batch_take_all(sq_batch *batch, sq_error *error);
void sq_batch_clear(sq_batch *batch);
/* The next cells of the row being gathered: first those carried, then the features. A wrong cell
 * sets batch->error. */
void sq_batch_take(sq_batch *batch, int count, sqlite3_value **values);
/* Whether a block of `rows` has no room for one more. */
static inline bool sq_batch_full(const sq_batch *batch, size_t rows)
{
    return batch->rows >= rows || batch->kept >= SQ_BLOCK_BYTES;
}
/* Scores what was gathered, if anything was asked for; then batch->ready rows can be read. */
void sq_batch_score(sq_batch *batch);
/* The columns that hbs_score gets: batch->given, filled with the gathered rows. */
void sq_batch_give(sq_batch *batch);
/* Makes room for blocks of `rows`; nothing is gathered. False: there is no memory for it, and all is as before. */
bool sq_batch_grow(sq_batch *batch, size_t rows);
void sq_batch_free_texts(sq_chunk *texts);
void sq_result_cell(sqlite3_context *context, const sq_cell *cell);
void sq_result_prediction(sqlite3_context *context, const sq_batch *batch, size_t row);
/* The probability of the predicted class; NULL if the model has none. */
void sq_result_probability(sqlite3_context *context, const sq_batch *batch, size_t row);

/* ---- sq_device.c: blocks that a GPU scores, two of them on their way while the next is gathered */

/* hbscore_device(): which GPU there is, or why there is none. */
void sq_device(sqlite3_context *context, int argc, sqlite3_value **argv);
/* Opens the GPU for the connection, where it is not. */
int sq_device_open(sq_connection *connection, hbs_error *why);
/* Scores the batch by the CPU, and notes how long that took. */
void sq_device_score(sq_batch *batch);
/* True if the next blocks go to the GPU; the batch is empty, and has grown then. */
bool sq_device_begins(sq_batch *batch);
/* True where blocks go to the GPU, or are still on their way. */
bool sq_device_takes(const sq_batch *batch);
/* Before a block is gathered; false: first those on their way must be taken. */
bool sq_device_has_room(const sq_batch *batch);
/* Sends what was gathered. Then sq_device_take. */
void sq_device_send(sq_batch *batch);
/* The oldest block on its way, waited for, becomes the batch's own; true: the batch may be read. False: it was the
 * only one, and one more should be gathered (`more`: there may be rows) before it is taken. */
bool sq_device_take(sq_batch *batch, bool more);
/* True where rows are left behind those that can be read. */
bool sq_device_is_busy(const sq_batch *batch);
/* Forgets what is on its way, and begins as at first. */
void sq_device_reset(sq_batch *batch);
void sq_device_free(sq_batch *batch);

/* ---- sq_feed.c: an inner statement whose rows fill batches */

#define SQ_FILL "hbscore_fill"
#define SQ_ROWS "hbscore_rows" /* what the inner statement calls them */
void sq_fill(sqlite3_context *context, int argc, sqlite3_value **argv);
/* Whether the word is in the text, without regard to ASCII case. A query becomes a part of a statement in which its
 * rows are SQ_ROWS, so it must not have that word. */
bool sq_mentions(hbs_text text, const char *word);

/* A SELECT of `n_columns` columns, and which of them are wanted, in their order. The caller binds the parameters
 * from ?2 on. */
typedef struct sq_select {
    hbs_text text;
    int n_columns;
    const int *wanted;
    size_t n_wanted;
    sqlite3_int64 limit; /* rows that will be asked for, as far as known; else -1 */
} sq_select;

typedef struct sq_feed {
    sq_connection *connection;
    sqlite3_stmt *inner;
    sq_batch *batch;   /* NULL: rows are not gathered but read from `inner` */
    size_t block;      /* rows of the next block */
    size_t index;      /* of the current row in the batch */
    bool finished;     /* `inner` has no more rows */
    bool end;          /* no current row */
    sqlite3_int64 row; /* number of the current row, from 1 */
    bool measured;     /* set by the caller: `fetching` is */
    uint64_t fetching; /* nanoseconds in `inner`, with what the fill function does */
    sq_error failure;  /* of `inner` */
} sq_feed;

/* `connection` is set by the caller. Takes over the batch (NULL: none), also where
 * it fails. The first row comes by sq_feed_next. */
int sq_feed_open(sq_feed *feed, const sq_select *select, sq_batch *batch, sq_error *error);
int sq_feed_next(sq_feed *feed, sq_error *error);
/* The same statement from its beginning, for other values. */
void sq_feed_rewind(sq_feed *feed, sqlite3_int64 limit);
void sq_feed_close(sq_feed *feed);
/* LIMIT and OFFSET (-1 and 0: none) as sq_select.limit. */
sqlite3_int64 sq_expected_rows(sqlite3_int64 limit, sqlite3_int64 offset);
/* Scans and virtual tables that read from each other nest on the C stack: an error from the 17th
 * on. */
int sq_depth_enter(sq_connection *connection, sq_error *error);
void sq_depth_leave(sq_connection *connection);
/* For functions that write: an error while a scan or virtual table runs its query. */
int sq_depth_check(const sq_connection *connection, const char *function, sq_error *error);

/* ---- sq_conflicts.c */

/* Whether a statement that is running on this connection may write what the query reads. */
bool sq_conflicts(sqlite3 *db, hbs_text query);

/* ---- sq_features.c: which column is which feature */

/* columns[f] is the column of feature f: by name where every feature has one, else by position
 * where the counts agree. */
int sq_features_match(const sq_found *model, const hbs_text *names, int n_names, int *columns, sq_error *error);

/* ---- sq_keyed.c: a query that the user gives as a text: a key, then features */

/* `function`, for messages, and what is read are the caller's; the rest is made by sq_keyed_read. */
typedef struct sq_keyed {
    sq_connection *connection;
    const char *function;
    bool key;            /* is read */
    bool scores;         /* the features are */
    sqlite3_int64 limit; /* as sq_select.limit */
    sq_found model;      /* pinned */
    hbs_text query;
    sqlite3_stmt *statement; /* the query by itself: for checks and names, never run */
    int *wanted;             /* the key's place and the features' */
} sq_keyed;

/* Finds the model and checks the query. sq_keyed_end frees all that is left, also after a failure. */
int sq_keyed_read(sq_keyed *k, sqlite3_value *model, sqlite3_value *query, sq_error *error);
/* Takes over the pin of k->model. */
int sq_keyed_batch(sq_keyed *k, sq_batch **batch, sq_error *error);
/* Takes over the batch, which was asked for its outputs. The first row comes by sq_feed_next. */
int sq_keyed_feed(sq_keyed *k, sq_batch *batch, sq_feed *feed, sq_error *error);
void sq_keyed_end(sq_keyed *k);

/* ---- sq_scan.c: hbscore_scan(model, query) */

extern const sqlite3_module sq_scan_module;

/* ---- sq_source.c: the table or view that a virtual table reads */

typedef enum sq_affinity {
    SQ_AFFINITY_NONE,
    SQ_AFFINITY_TEXT,
    SQ_AFFINITY_INTEGER,
    SQ_AFFINITY_REAL,
    SQ_AFFINITY_NUMERIC
} sq_affinity;

static inline bool sq_is_numeric(sq_affinity affinity)
{
    return affinity >= SQ_AFFINITY_INTEGER;
}

typedef struct sq_source_column {
    char *name;
    char *collation; /* of the table's declaration; BINARY in a view */
    sq_affinity affinity;
    bool indexed; /* an index or the key begins with it */
} sq_source_column;

typedef struct sq_source {
    char *schema;
    char *name;
    bool exists; /* false: it has no columns */
    bool is_view;
    bool stored; /* rows have a place in the file: no view, no virtual table */
    bool strict;
    const char *rowid; /* what a row's own number is called; NULL: it has none */
    int n_columns;
    sq_source_column *columns;
} sq_source;

/* Reads the source. That of a temporary virtual table (`schema` "temp") may stand in main too. The caller frees it
 * after a failure too. */
int sq_source_read(sqlite3 *db, const char *schema, const char *name, sq_source *source, sq_error *error);
void sq_source_free(sq_source *source);

/* ---- sq_pushdown.c: what of a query the source can do itself */

typedef struct sq_term {
    int column;      /* of the source */
    const char *sql; /* operator */
    char *collation; /* NULL: the operator has none */
    int argument;    /* of xFilter */
    bool tests_null; /* has no right side */
    bool equals;
    bool in;        /* the argument is a list */
    bool text_only; /* for values of another type SQLite decides alone */
} sq_term;

typedef struct sq_order {
    int column;
    bool descending;
} sq_order;

typedef struct sq_choice {
    char *text;   /* for people; equal texts are equal choices */
    int *carried; /* columns of the source that are read */
    size_t n_carried;
    bool prediction; /* is read */
    bool probability;
    sq_term *terms; /* of WHERE */
    size_t n_terms;
    sq_order *order;
    size_t n_order;
    int limit, offset; /* arguments of xFilter; -1: none */
} sq_choice;

typedef struct sq_choices {
    sq_choice **list;
    int count;
} sq_choices;

/* xBestIndex: info->idxNum is the choice's place in `all`. SQLITE_OK or SQLITE_NOMEM. */
int sq_choose(const sq_source *source, sq_choices *all, sqlite3_index_info *info);
void sq_choice_free(sq_choice *choice);
void sq_append_order(sqlite3_str *text, const sq_source *source, const sq_choice *choice);

/* ---- sq_vtab.c: CREATE VIRTUAL TABLE .. USING hbscore(model=, source=) */

extern const sqlite3_module sq_scored_module;

/* ---- sq_agg.c: predict_agg */

void sq_predict_agg_step(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_label_agg_step(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_agg_final(sqlite3_context *context);
/* ---- sq_table.c: the frame of table-valued functions */

enum { SQ_TABLE_ARGUMENTS = 3 }; /* at most */

/* The beginning of each one's cursor. */
typedef struct sq_cursor {
    sqlite3_vtab_cursor base;
    sq_connection *connection;
    sqlite3_int64 row; /* from 1 */
    bool end;          /* no row is left: `begin` and `next` set it */
} sq_cursor;

/* A NULL as the first argument gives no rows, without a question to these. */
typedef struct sq_table_function {
    const char *name;
    const char *declaration; /* the visible columns, then the arguments as hidden ones */
    int columns;             /* visible */
    int arguments;           /* of which the first must be given */
    bool direct_only;        /* not for views and triggers */
    const char *usage;       /* the error where it is not */
    size_t cursor_size;      /* of a struct that begins with an sq_cursor; zeroed */
    int (*begin)(sq_cursor *cursor, int argc, sqlite3_value **argv, sq_error *error); /* row 1 */
    int (*next)(sq_cursor *cursor, sq_error *error);
    void (*column)(const sq_cursor *cursor, sqlite3_context *context, int column); /* visible */
    void (*end)(sq_cursor *cursor); /* frees what `begin` made, if it did; may be called again */
} sq_table_function;

/* Whose cursor it is. */
const sq_table_function *sq_function_of(const sq_cursor *cursor);

/* Makes all of them known to SQLite, each with a reference to the connection. SQLite's codes. */
int sq_table_register(sqlite3 *db, sq_connection *connection);

extern const sq_table_function sq_inspect;  /* sq_inspect.c: hbscore_inspect(model [, options]) */
extern const sq_table_function sq_features; /* sq_inspect.c: hbscore_features(model) */
extern const sq_table_function sq_classes;  /* sq_inspect.c: hbscore_classes(model) */
extern const sq_table_function sq_verify;   /* sq_verify.c: hbscore_verify(model) */
extern const sq_table_function sq_plan;     /* sq_plan.c: hbscore_plan(model) */
extern const sq_table_function sq_profile;  /* sq_profile.c: hbscore_profile(model, query [, function]) */
void sq_draw_plan(sqlite3_context *context, int argc, sqlite3_value **argv); /* hbscore_plan(model, format) */

#pragma GCC visibility pop
#endif
