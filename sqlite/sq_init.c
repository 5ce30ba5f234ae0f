/* sq_init.c - the entry point: which functions and tables there are, and what they may be used in.
 *
 *  - Scoring is not DETERMINISTIC, since its result depends on a table: an index on it would rot.
 *    It is not INNOCUOUS, since a stranger's file can carry a stranger's model: with
 *    trusted_schema=OFF a view of such a file cannot call it. It is not DIRECTONLY, since views
 *    over predict are a feature.
 *  - What writes or changes settings is DIRECTONLY: never from a view or a trigger of the file.
 *
 * Built as a loadable extension, or with SQLITE_CORE for sqlite3_auto_extension. */
#include "sq_hbscore.h"

#include <string.h>

#ifndef SQLITE_CORE
SQLITE_EXTENSION_INIT1
#endif

/* 3.45 wants a function that sets subtypes to say so; the header of 3.40 lacks the name. */
#ifndef SQLITE_RESULT_SUBTYPE
#define SQLITE_RESULT_SUBTYPE 0x001000000
#endif
#define RESULT_SUBTYPE_SINCE 3045000

/* RETURNING, which registration uses. Nothing here calls a function that came later without
 * asking. */
#define OLDEST_SQLITE 3035000

/* SQLITE_SUBTYPE: they read whether an argument is JSON. */
#define SCORES (SQLITE_UTF8 | SQLITE_SUBTYPE)
#define JSON   (SCORES | SQLITE_RESULT_SUBTYPE)
#define DIRECT (SQLITE_UTF8 | SQLITE_DIRECTONLY)

#ifdef SQ_COUNTERS
/* hbscore_counts(): what happened since the last time it was asked. */
static void counts(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_connection *connection = sqlite3_user_data(context);
    sq_counts *c = &connection->counts;
    char text[160];

    (void)argc;
    (void)argv;
    sqlite3_snprintf((int)sizeof(text), text, "%lld resolves, %lld loads, %lld calls, %lld blocks of %lld rows",
                     c->resolves, c->loads, c->calls, c->blocks, c->rows);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
    memset(c, 0, sizeof(*c));
}

/* hbscore_stored(): how many inner queries stored their rows first, since the last time it was asked. */
static void give_stored(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_connection *connection = sqlite3_user_data(context);

    (void)argc;
    (void)argv;
    sqlite3_result_int64(context, connection->stored);
    connection->stored = 0;
}
#endif

static void give_version(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_text(context, HBS_VERSION, -1, SQLITE_STATIC);
}

typedef struct scalar {
    const char *name;
    int arguments; /* -1: any number */
    int flags;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
} scalar;

static const scalar scalars[] = {
    {"predict", -1, SCORES, sq_predict},
    {"predict_label", -1, SCORES, sq_predict_label},
    {"predict_probability", -1, SCORES, sq_predict_probability},
    {"predict_proba", -1, JSON, sq_predict_proba},
    {"predict_values", -1, JSON, sq_predict_values},
    {"decision_function", -1, JSON, sq_decision_function},
    {"predict_json", -1, JSON, sq_predict_json},
    {"predict_probabilities", -1, JSON, sq_predict_probabilities},
    {"predict_top", -1, JSON, sq_predict_top},
    {"transform", -1, JSON, sq_transform},
    {"hbscore_register", 2, DIRECT, sq_register},
    {"hbscore_register", 3, DIRECT, sq_register},
    {"hbscore_deploy", 2, DIRECT, sq_deploy},
    {"hbscore_deploy", 3, DIRECT, sq_deploy},
    {"hbscore_drop", 1, DIRECT, sq_drop},
    {"hbscore_drop", 2, DIRECT, sq_drop},
    {"hbscore_drop_aliases", 1, DIRECT, sq_drop_aliases},
    {"hbscore_pin", 1, SQLITE_UTF8, sq_pin},
    {"hbscore_plan", 2, SQLITE_UTF8, sq_draw_plan},
    {"hbscore_version", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, give_version},
    {"hbscore_set", 2, DIRECT, sq_set},
    {"hbscore_get", 1, SQLITE_UTF8, sq_get},
    {"hbscore_device", 0, DIRECT, sq_device},
    {SQ_FILL, -1, DIRECT, sq_fill},
    {SQ_WAITS, 1, SQLITE_UTF8, sq_waits},
#ifdef SQ_COUNTERS
    {"hbscore_counts", 0, DIRECT, counts},
    {"hbscore_stored", 0, DIRECT, give_stored},
#endif
};

typedef struct aggregate {
    const char *name;
    int arguments;
    int flags;
    void (*step)(sqlite3_context *, int, sqlite3_value **);
    void (*final)(sqlite3_context *);
} aggregate;

static const aggregate aggregates[] = {
    {"predict_agg", -1, JSON, sq_predict_agg_step, sq_predict_agg_final},
    {"predict_label_agg", -1, JSON, sq_predict_label_agg_step, sq_predict_agg_final},
};

typedef struct module {
    const char *name;
    const sqlite3_module *module;
} module;

/* The private one comes last: where it is known, all is. */
static const module modules[] = {
    {"hbscore_scan", &sq_scan_module},
    {"hbscore", &sq_scored_module},
    {SQ_PRIVATE_MODULE, &sq_private_module},
};

/* To load twice must be harmless, also from load_extension() in a running statement, where SQLite
 * does not let functions be replaced. A PRAGMA is asked, since a table of the file could have any
 * name. */
static bool is_loaded(sqlite3 *db)
{
    sqlite3_stmt *names = NULL;
    bool found = false;

    if (sqlite3_prepare_v2(db, "PRAGMA module_list", -1, &names, NULL) == SQLITE_OK) {
        while (!found && sqlite3_step(names) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(names, 0);

            found = name && strcmp(name, SQ_PRIVATE_MODULE) == 0;
        }
    }
    sqlite3_finalize(names);
    return found;
}

/* Each registration holds a reference, and SQLite calls its destructor also where it fails. */
static int register_all(sqlite3 *db, sq_connection *connection)
{
    int refused = sqlite3_libversion_number() < RESULT_SUBTYPE_SINCE ? SQLITE_RESULT_SUBTYPE : 0;
    int code = SQLITE_OK;

    for (size_t i = 0; code == SQLITE_OK && i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        const scalar *s = &scalars[i];

        connection->references++;
        code = sqlite3_create_function_v2(db, s->name, s->arguments, s->flags & ~refused, connection, s->function, NULL,
                                          NULL, sq_connection_release);
    }
    for (size_t i = 0; code == SQLITE_OK && i < sizeof(aggregates) / sizeof(aggregates[0]); i++) {
        const aggregate *a = &aggregates[i];

        connection->references++;
        code = sqlite3_create_function_v2(db, a->name, a->arguments, a->flags & ~refused, connection, NULL, a->step,
                                          a->final, sq_connection_release);
    }
    if (code == SQLITE_OK)
        code = sq_table_register(db, connection);
    for (size_t i = 0; code == SQLITE_OK && i < sizeof(modules) / sizeof(modules[0]); i++) {
        connection->references++;
        code = sqlite3_create_module_v2(db, modules[i].name, modules[i].module, connection, sq_connection_release);
    }
    return code;
}

static int too_old(char **message)
{
    if (message)
        *message = sqlite3_mprintf("hbscore needs SQLite 3.35 or newer, this is %s", sqlite3_libversion());
    return SQLITE_ERROR;
}

#ifndef SQLITE_CORE
/* SQLite's functions are reached through one pointer of this file, and a process can have several SQLite
 * libraries (Python's sqlite3 and apsw each with its own). The first to load this file keeps it: calls
 * that go to another library than the connection's would corrupt memory. */
static bool take_routines(const sqlite3_api_routines *api)
{
    const sqlite3_api_routines *taken = NULL;

    return __atomic_compare_exchange_n(&sqlite3_api, &taken, api, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
           taken == api;
}

static int of_another_library(char **message, const sqlite3_api_routines *api)
{
    if (message)
        *message = api->mprintf("this file of hbscore is in use by another SQLite library of this "
                                "process: load a copy of it, as hbscore2.so");
    return SQLITE_ERROR;
}
#endif

__attribute__((visibility("default"))) int sqlite3_hbscore_init(sqlite3 *db, char **message,
                                                                const sqlite3_api_routines *api);

int sqlite3_hbscore_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    sq_connection *connection;
    int code = SQLITE_OK;

#ifdef SQLITE_CORE
    (void)api;
#else
    if (!take_routines(api))
        return of_another_library(message, api);
#endif
    if (sqlite3_libversion_number() < OLDEST_SQLITE)
        return too_old(message);
    host_device_place();
    if (!is_loaded(db)) {
        connection = sq_connection_new(db);
        if (!connection)
            return SQLITE_NOMEM;
        code = register_all(db, connection);
        sq_connection_release(connection);
    }
#ifndef SQLITE_CORE
    /* Closing a connection unloads its extensions, and only here that can be prevented: later
     * versions open libraries (OpenBLAS, a GPU's) that cannot be unloaded. */
    if (code == SQLITE_OK)
        code = SQLITE_OK_LOAD_PERMANENTLY;
#endif
    return code;
}
