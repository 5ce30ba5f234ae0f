/* sq_deploy.c - hbscore_deploy, hbscore_drop and hbscore_pin: which version an alias names, and which are gone.
 *
 * An alias never names a version that is dropped, whatever other processes do meanwhile: a
 * deployment looks for the version, and a drop for aliases, in the very statement that writes.
 *
 * A whole model goes together with its aliases. SQLite has no statement that writes two tables, and
 * a savepoint around two is no way: inside a statement that writes there is none, and where memory
 * runs out in a function SQLite runs nothing more until the calling statement has ended, no
 * ROLLBACK either: the savepoint would stay open. So the UPDATE that drops the versions calls a
 * private function, which deletes the aliases, and all is done or undone as this one statement. */
#include "sq_hbscore.h"

#include <string.h>

static const char deploy_text[] = "INSERT INTO main.hbscore_aliases (name, alias, version, deployed_at)"
                                  " SELECT ?1, ?3, ?2, datetime('now') WHERE EXISTS"
                                  " (SELECT 1 FROM main.hbscore_models"
                                  "  WHERE name = ?1 AND version = ?2 AND typeof(model) <> 'null')"
                                  " ON CONFLICT (name, alias) DO UPDATE SET version = excluded.version,"
                                  " deployed_at = excluded.deployed_at"
                                  " RETURNING version";

#define DROP "UPDATE main.hbscore_models SET model = NULL, golden = NULL WHERE name = ?1 AND typeof(model) <> 'null'"

static const char drop_version_text[] = DROP " AND version = ?2 AND NOT EXISTS"
                                             " (SELECT 1 FROM main.hbscore_aliases WHERE name = ?1 AND version = ?2)"
                                             " RETURNING version";

/* For a file without hbscore_aliases; it drops nothing where another process has made one. */
static const char drop_unaliased_text[] =
    DROP " AND version = ?2 AND NOT EXISTS"
         " (SELECT 1 FROM main.sqlite_master WHERE name = 'hbscore_aliases' COLLATE NOCASE)"
         " RETURNING version";

static const char drop_model_text[] = DROP " RETURNING version, hbscore_drop_aliases(?2)";

static const char drop_aliases_text[] = "DELETE FROM main.hbscore_aliases WHERE name = ?1";

/* ------------------------------------------------------------------ arguments */

static int read_name(sqlite3_value *value, host_reference *which, sq_error *error)
{
    int code = sq_value_text(value, "a model's name", &which->name, error);

    return code == SQLITE_OK ? sq_name_check(which->name, error) : code;
}

static int read_version(sqlite3_value *value, host_reference *which, sq_error *error)
{
    if (!sq_value_whole(value, &which->version))
        return sq_fail(error, SQLITE_ERROR, "a version is an integer, not %s", sq_type_name(value));
    if (which->version < 1 || which->version > HOST_MAX_VERSION)
        return sq_fail(error, SQLITE_ERROR, "a version is a number from 1 to 2147483647, not %lld", which->version);
    return SQLITE_OK;
}

static int read_alias(sqlite3_value *value, host_reference *which, sq_error *error)
{
    int code = sq_value_text(value, "an alias", &which->alias, error);

    return code == SQLITE_OK ? sq_alias_check(which->alias, error) : code;
}

/* ------------------------------------------------------------------ writing */

/* ?1 is the name, ?2 the version, ?3 the alias, as far as `which` has them. */
static int prepare_statement(sqlite3 *db, const char *text, const host_reference *which, sqlite3_stmt **statement,
                             sq_error *error)
{
    hbs_text name = which->name;
    hbs_text alias = which->alias;
    int code = sqlite3_prepare_v2(db, text, -1, statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(*statement, 1, name.bytes, (int)name.size, SQLITE_STATIC);
    if (code == SQLITE_OK && which->version)
        code = sqlite3_bind_int64(*statement, 2, which->version);
    if (code == SQLITE_OK && alias.bytes)
        code = sqlite3_bind_text(*statement, 3, alias.bytes, (int)alias.size, SQLITE_STATIC);
    return code == SQLITE_OK ? SQLITE_OK : sq_fail_database(error, db, code);
}

/* Runs one of the texts above; `*rows` is how many rows it has written. */
static int run_statement(sqlite3 *db, const char *text, const host_reference *which, int *rows, sq_error *error)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_int64 version;
    int code = prepare_statement(db, text, which, &statement, error);

    if (code == SQLITE_OK)
        code = sq_write_run(db, statement, rows, &version, error);
    sqlite3_finalize(statement);
    return code;
}

/* ------------------------------------------------------------------ hbscore_deploy */

/* The version must be one that can be scored: it is read, verified and compiled, unless its plan is
 * cached. */
static int try_version(sq_connection *connection, const host_reference *which, sq_error *error)
{
    char text[HOST_MAX_NAME + 24];
    hbs_text reference = {text, 0};
    sq_found found;
    int code;

    sqlite3_snprintf((int)sizeof(text), text, "%.*s@%lld", (int)which->name.size, which->name.bytes, which->version);
    reference.size = strlen(text);
    code = sq_models_find(connection, "main", reference, &found, error);
    if (code == SQLITE_OK)
        host_cache_unpin(&connection->plans, found.plan);
    return code;
}

static int write_alias(sq_connection *connection, const host_reference *which, sq_error *error)
{
    host_shown name;
    int rows = 0;
    int code = sq_table_make(connection->db, SQ_ALIASES, error);

    if (code == SQLITE_OK)
        code = run_statement(connection->db, deploy_text, which, &rows, error);
    if (code == SQLITE_OK && rows == 0)
        return sq_fail(error, SQLITE_ERROR,
                       "version %lld of model \"%s\" was not deployed: it was dropped meanwhile, or "
                       "a trigger on hbscore_aliases ignores new rows",
                       which->version, host_show(&name, which->name.bytes, which->name.size));
    return code;
}

static int deploy_version(sq_connection *connection, const host_reference *which, sq_error *error)
{
    int code = try_version(connection, which, error);

    if (code == SQLITE_OK)
        code = sq_write_begin(connection, error);
    if (code != SQLITE_OK)
        return code;
    code = write_alias(connection, which, error);
    sq_write_end(connection);
    return code;
}

void sq_deploy(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    host_reference which = {.alias = {HOST_DEFAULT_ALIAS, strlen(HOST_DEFAULT_ALIAS)}};
    sq_error error;
    int code = sq_depth_check(sqlite3_user_data(context), "hbscore_deploy", &error);

    if (code == SQLITE_OK)
        code = read_name(argv[0], &which, &error);
    if (code == SQLITE_OK)
        code = read_version(argv[1], &which, &error);
    if (code == SQLITE_OK && argc > 2)
        code = read_alias(argv[2], &which, &error);
    if (code == SQLITE_OK)
        code = deploy_version(sqlite3_user_data(context), &which, &error);
    if (code == SQLITE_OK)
        sqlite3_result_int64(context, which.version);
    else
        sq_report(context, &error);
}

/* ------------------------------------------------------------------ versions that wait */

/* Options without the letters of "deploy", which may be written with escapes, need no reading: each look-up of a name
 * asks. */
static bool may_wait(const char *options, size_t size)
{
    static const char letters[] = "deploy";

    for (size_t i = 0; i < size; i++)
        if (options[i] == '\\' || (size - i >= strlen(letters) && memcmp(options + i, letters, strlen(letters)) == 0))
            return true;
    return false;
}

/* Options that cannot be read do not wait: the version is found, and the error is told. */
void sq_waits(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_connection *connection = sqlite3_user_data(context);
    const char *options = (const char *)sqlite3_value_text(argv[0]);
    size_t size = (size_t)sqlite3_value_bytes(argv[0]);
    hbs_options_info info = {.waits = false};
    hbs_error core;
    hbs_status status = HBS_OK;
    bool waits;

    (void)argc;
    if (options && may_wait(options, size))
        status = hbs_options_read(&connection->host, options, size, &info, &core);
    waits = status == HBS_OK && info.waits;
    if (status == HBS_OK)
        hbs_options_free(&connection->host, &info);
    if (status == HBS_E_NOMEM || status == HBS_E_CANCEL)
        sq_report_core(context, &core);
    else
        sqlite3_result_int(context, waits);
}

/* ------------------------------------------------------------------ hbscore_pin */

static int pin_reference(sq_connection *connection, sqlite3_value *value, char *pinned, int size, sq_error *error)
{
    host_reference reference;
    sqlite3_int64 version = 0;
    uint8_t digest[32];
    hbs_text text;
    int code = sq_value_text(value, "a model reference", &text, error);

    if (code == SQLITE_OK)
        code = sq_reference_read(text, &reference, error);
    if (code == SQLITE_OK)
        code = sq_models_version(connection, &reference, &version, digest, error);
    if (code != SQLITE_OK)
        return code;
    sqlite3_snprintf(size, pinned, "%.*s@%lld#", (int)reference.name.size, reference.name.bytes, version);
    for (int i = 0; i < 8; i++) {
        size_t n = strlen(pinned);

        sqlite3_snprintf(size - (int)n, pinned + n, "%02x", digest[i]);
    }
    return SQLITE_OK;
}

/* 'churn@3#3f524cdc07a11d7c': the version that a reference means now, with the beginning of its digest. */
void sq_pin(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    char pinned[SQ_SHOWN + 17];
    sq_error error;

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (pin_reference(sqlite3_user_data(context), argv[0], pinned, (int)sizeof(pinned), &error) == SQLITE_OK)
        sqlite3_result_text(context, pinned, -1, SQLITE_TRANSIENT);
    else
        sq_report(context, &error);
}

/* ------------------------------------------------------------------ hbscore_drop */

/* A model whose versions are just being dropped: what drop_model_text passes to the private
 * function. */
typedef struct dropping {
    sq_connection *connection;
    const host_reference *which;
    bool done; /* it is called for each version */
} dropping;

static const char dropping_type[] = "hbscore_drop";

void sq_drop_aliases(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    dropping *d = sqlite3_value_pointer(argv[0], dropping_type);
    sq_error error;
    int rows;
    int code;

    (void)argc;
    if (!d) {
        sqlite3_result_error(context, "hbscore_drop_aliases is a part of hbscore_drop", -1);
        return;
    }
    if (d->done)
        return;
    d->done = true;
    /* Asked inside the UPDATE, which no other process can disturb. */
    code = sq_table_check(d->connection->db, "main", SQ_ALIASES, &error);
    if (code == SQLITE_OK)
        code = run_statement(d->connection->db, drop_aliases_text, d->which, &rows, &error);
    if (code != SQLITE_OK && code != SQLITE_DONE)
        sq_report(context, &error);
}

static int drop_model(sq_connection *connection, const host_reference *which, int *count, sq_error *error)
{
    dropping d = {.connection = connection, .which = which};
    sqlite3_stmt *statement = NULL;
    sqlite3_int64 last;
    int code = prepare_statement(connection->db, drop_model_text, which, &statement, error);

    if (code == SQLITE_OK) {
        code = sqlite3_bind_pointer(statement, 2, &d, dropping_type, NULL);
        if (code != SQLITE_OK)
            sq_fail_database(error, connection->db, code);
    }
    if (code == SQLITE_OK)
        code = sq_write_run(connection->db, statement, count, &last, error);
    sqlite3_finalize(statement);
    return code;
}

static int drop_version(sq_connection *connection, const host_reference *which, int *count, sq_error *error)
{
    sqlite3 *db = connection->db;
    int code = sq_table_check(db, "main", SQ_ALIASES, error);

    if (code == SQLITE_DONE) {
        code = run_statement(db, drop_unaliased_text, which, count, error);
        if (code != SQLITE_OK || *count > 0)
            return code;
        code = sq_table_check(db, "main", SQ_ALIASES, error); /* has it come meanwhile? */
    }
    if (code == SQLITE_OK)
        code = run_statement(db, drop_version_text, which, count, error);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int drop_versions(sq_connection *connection, const host_reference *which, int *count, sq_error *error)
{
    int code = sq_write_begin(connection, error);

    if (code != SQLITE_OK)
        return code;
    code = sq_table_check(connection->db, "main", SQ_MODELS, error);
    if (code == SQLITE_OK)
        code = which->version ? drop_version(connection, which, count, error)
                              : drop_model(connection, which, count, error);
    sq_write_end(connection);
    if (code == SQLITE_OK && *count == 0 && which->version)
        code = sq_deployed(connection, which, error);
    if (code == SQLITE_DONE || (code == SQLITE_OK && *count == 0))
        return sq_missing(connection, "main", which, error);
    return code;
}

void sq_drop(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    host_reference which = {.version = 0};
    int count = 0;
    sq_error error;
    int code = sq_depth_check(sqlite3_user_data(context), "hbscore_drop", &error);

    if (code == SQLITE_OK)
        code = read_name(argv[0], &which, &error);
    if (code == SQLITE_OK && argc > 1)
        code = read_version(argv[1], &which, &error);
    if (code == SQLITE_OK)
        code = drop_versions(sqlite3_user_data(context), &which, &count, &error);
    if (code == SQLITE_OK)
        sqlite3_result_int(context, count);
    else
        sq_report(context, &error);
}
