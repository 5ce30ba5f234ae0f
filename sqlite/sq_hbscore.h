/* sq_hbscore.h - the one private header of the SQLite extension.
 *
 * The extension is a wrapper: it finds the model that a reference names, keeps its compiled plan,
 * turns SQLite's values into hbs_values and results back. All machine learning is behind hbscore.h.
 *
 * How a call goes, first row of a statement (later rows start at the last line, from auxdata):
 *
 *     'churn@3' --sq_reference--> name, version --sq_models--> key --sq_cache--> plan
 *     plan --sq_scorer--> run
 *     values --sq_values--> hbs_score_row --sq_scalar--> result
 *
 * Rules of this folder:
 *  - memory by sqlite3_malloc64 only, every result checked; nothing is allocated for a row
 *  - no global state: everything belongs to one sq_connection, whose mutex SQLite holds in our
 *    callbacks
 *  - an SQLite code is returned and an sq_error filled; only the functions that SQLite calls report
 *    it */
#ifndef SQ_HBSCORE_H
#define SQ_HBSCORE_H

#include "hbscore.h"

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
typedef struct sq_plan sq_plan;
typedef struct sq_scorer sq_scorer;

/* ---- sq_error.c: core status to result code and text */

typedef struct sq_error {
    int code; /* SQLite's */
    char text[HBS_ERROR_TEXT];
} sq_error;

/* Each fills `error` and returns its code. */
int sq_fail(sq_error *error, int code, const char *format, ...);
int sq_fail_core(sq_error *error, const hbs_error *core);
int sq_fail_database(sq_error *error, sqlite3 *db, int code); /* what an inner statement said */
int sq_fail_memory(sq_error *error);

void sq_report(sqlite3_context *context, const sq_error *error);
void sq_report_core(sqlite3_context *context, const hbs_error *core);
int sq_report_table(sqlite3_vtab *table, const sq_error *error); /* returns the code */

/* A name or a value of the caller as messages show it, without quotes: bytes that are no UTF-8,
 * control characters and '"' as \xNN, cut to 64 bytes of source, with ".." behind. */
enum { SQ_SHOWN = 64 };
typedef struct sq_shown {
    char text[4 * SQ_SHOWN + 3];
} sq_shown;
const char *sq_show(sq_shown *shown, const char *bytes, size_t size);

/* ---- sq_reference.c: model names and references */

/* 'churn', 'churn@3', 'churn@champion', 'churn@3#3f524cdc07a11d7c', as written. Points into that
 * text. */
typedef struct sq_reference {
    hbs_text name;
    hbs_text alias;        /* bytes NULL: none */
    sqlite3_int64 version; /* 0: none, so the newest */
    hbs_text digest;       /* 16 hex digits; bytes NULL: none */
} sq_reference;

enum { SQ_MAX_NAME = 255, SQ_MAX_VERSION = 2147483647 /* PostgreSQL's int: the same there */ };

int sq_reference_read(hbs_text text, sq_reference *reference, sq_error *error);
/* SQLITE_OK if `name` may name a model. */
int sq_name_check(hbs_text name, sq_error *error);
/* The length (1 to 4) of the UTF-8 character at the start of `size` (> 0) bytes; 0: it is none. */
size_t sq_utf8_character(const char *bytes, size_t size);

/* ---- sq_settings.c: hbscore_set and hbscore_get */

typedef struct sq_settings {
    sqlite3_int64 plan_cache_size; /* bytes */
    sqlite3_int64 max_model_size;  /* bytes */
} sq_settings;

void sq_settings_init(sq_settings *settings);
void sq_set(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_get(sqlite3_context *context, int argc, sqlite3_value **argv);

/* ---- sq_cache.c: the state of a connection, and its compiled plans */

/* A compiled model. It stays in the cache while it is pinned, whatever its size. */
struct sq_plan {
    uint8_t key[32]; /* hbs_plan_key: equal keys are equal plans */
    hbs_plan *compiled;
    hbs_plan_info info;
    size_t bytes;
    size_t pins;
    sq_scorer *idle; /* one that was given back, for the next call; NULL: none */
    sq_plan *next;   /* in its bucket */
    sq_plan *newer;  /* in order of use */
    sq_plan *older;
};

/* The queries that scoring runs: prepared once, kept by the private table (sq_statements.c). */
typedef enum sq_query { SQ_NEWEST, SQ_VERSION, SQ_MODEL, SQ_QUERIES } sq_query;

enum { SQ_BUCKETS = 256 };

struct sq_connection {
    sqlite3 *db;
    /* One for each function and module registered (SQLite destroys each by itself, when the
     * application overrides it or closes), for each connected table of the modules and for each
     * scorer in use. */
    size_t references;
    hbs_host host;
    sq_settings settings;
    bool writing; /* inside hbscore_register or _drop: a temp trigger may call them again */

    sqlite3_vtab *owner; /* the private table while it is connected */
    sqlite3_stmt *statements[SQ_QUERIES];

    sq_plan *buckets[SQ_BUCKETS];
    sq_plan *newest;
    sq_plan *oldest;
    size_t bytes; /* of all plans */
};

sq_connection *sq_connection_new(sqlite3 *db); /* with one reference; NULL: no memory */
void sq_connection_release(void *connection);  /* a destructor for SQLite */

/* The plan of this key, pinned; NULL: not cached. */
sq_plan *sq_cache_find(sq_connection *connection, const uint8_t key[32]);
/* Takes over `compiled`, also where it fails (NULL: no memory). Pinned. */
sq_plan *sq_cache_add(sq_connection *connection, const uint8_t key[32], hbs_plan *compiled);
void sq_cache_unpin(sq_connection *connection, sq_plan *plan);
/* Drops the plans that nobody uses, oldest first, down to plan_cache_size. */
void sq_cache_trim(sq_connection *connection);

/* ---- sq_statements.c: the prepared statements and the private table that owns them */

extern const sqlite3_module sq_private_module;
#define SQ_PRIVATE_MODULE "hbscore_private"

/* Runs a query on main.hbscore_models: SQLITE_ROW (*statement is on the row, until sq_query_end),
 * SQLITE_DONE (no row, or no such table: nothing to end), or a code and `error`. */
int sq_query_start(sq_connection *connection, sq_query query, hbs_text name, sqlite3_int64 version,
                   sqlite3_stmt **statement, sq_error *error);
void sq_query_end(sq_connection *connection, sq_query query, sqlite3_stmt *statement);

/* ---- sq_models.c: what main.hbscore_models holds */

/* SQLITE_OK: it is our table; SQLITE_DONE: there is none; else a code and `error`. */
int sq_table_check(sqlite3 *db, sq_error *error);

/* Whether a model of `size` bytes is within max_model_size. */
int sq_size_check(const sq_connection *connection, const char *shown, sqlite3_int64 size,
                  sq_error *error);

/* The version that a reference means, in the snapshot of the running statement. */
typedef struct sq_resolved {
    sqlite3_int64 version;
    uint8_t key[32]; /* hbs_plan_key of the stored digest and options */
} sq_resolved;

int sq_models_resolve(sq_connection *connection, const sq_reference *reference,
                      sq_resolved *resolved, sq_error *error);
/* Reads, verifies and compiles a stored version; the plan is pinned. `shown` is the reference that
 * messages name. */
int sq_models_load(sq_connection *connection, hbs_text name, sqlite3_int64 version,
                   const char *shown, sq_plan **plan, sq_error *error);

/* ---- sq_missing.c: why a reference finds nothing, in words; always returns a code */

int sq_missing(sq_connection *connection, const sq_reference *reference, sq_error *error);

/* ---- sq_register.c: hbscore_register and hbscore_drop */

void sq_register(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_drop(sqlite3_context *context, int argc, sqlite3_value **argv);

/* ---- sq_scorer.c: a plan made ready for the rows of one call in one statement */

struct sq_scorer {
    sq_connection *connection;
    sq_plan *plan;
    hbs_run *run;
    uint32_t outputs; /* that the calling function needs */
    bool one_text;    /* the model takes exactly one text: '[..' is a category, not JSON */
    size_t capacity;  /* of `values` */
    char *text;       /* results as JSON are written here */
    size_t text_size;
    char *reference;  /* "churn@3" */
    size_t name_size; /* of the name in it */
    hbs_value values[];
};

/* Finds the model, pins its plan, checks that it can answer `function` and takes `count` features
 * (not checked for 1, which may be JSON). */
int sq_scorer_open(sq_connection *connection, hbs_text reference, hbs_function function,
                   size_t count, sq_scorer **scorer, sq_error *error);
void sq_scorer_close(void *scorer);     /* a destructor for SQLite */
void sq_scorer_free(sq_scorer *scorer); /* of an idle one: sq_cache.c */
/* Room for `size` bytes in scorer->text; false: no memory. */
bool sq_scorer_reserve(sq_scorer *scorer, size_t size);

/* ---- sq_values.c: SQLite's values and hbscore's */

enum { SQ_JSON_SUBTYPE = 'J' };

/* One text that stands for a whole row. */
bool sq_is_json(const sq_scorer *scorer, sqlite3_value *value);
/* Fills scorer->values; where a value is none that a feature can take, false and the error
 * reported. */
bool sq_values_read(sqlite3_context *context, sq_scorer *scorer, int count, sqlite3_value **values);
/* A class given as argument; false: reported. */
bool sq_value_label(sqlite3_context *context, sqlite3_value *value, hbs_value *label);
void sq_result_label(sqlite3_context *context, const hbs_value *label);
/* An argument that must be text: bytes NULL and `error` where it is not. */
int sq_value_text(sqlite3_value *value, const char *what, hbs_text *text, sq_error *error);
/* The same for a model's bytes, with the way to make a blob in the error. */
int sq_value_model(sqlite3_value *value, const char *what, hbs_text *bytes, sq_error *error);
const char *sq_type_name(sqlite3_value *value);

/* ---- sq_scalar.c: the scoring functions */

void sq_predict(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_label(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_probability(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_proba(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_values(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_decision_function(sqlite3_context *context, int argc, sqlite3_value **argv);
void sq_predict_json(sqlite3_context *context, int argc, sqlite3_value **argv);

/* ---- sq_inspect.c: hbscore_inspect(model [, options]) */

extern const sqlite3_module sq_inspect_module;

#pragma GCC visibility pop
#endif
