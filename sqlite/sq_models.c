/* sq_models.c - what main.hbscore_models holds: which version a reference means, and its plan.
 *
 * The table is an ordinary one, so any program can write it: nothing read from it is trusted. A
 * stored digest only says which plan to look for. When a plan is made, the digest is computed again
 * from the bytes, and the bytes are parsed and validated again. */
#include "sq_hbscore.h"

#include <string.h>

/* ------------------------------------------------------------------ the table */

/* One value of a query on the schema; SQLITE_DONE: no row. */
static int ask(sqlite3 *db, const char *sql, int *answer, sq_error *error)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            *answer = sqlite3_column_int(statement, 0);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        sq_fail_database(error, db, code);
    sqlite3_finalize(statement);
    return code;
}

/* The table must have our columns as stored ones: a generated column is an expression, which would
 * run whenever it is read. */
static int check_columns(sqlite3 *db, sq_error *error)
{
    static const char *const ours[] = {"name",       "version",     "format",
                                       "sha256",     "description", "options",
                                       "created_at", "created_by",  "model"};
    enum { WANTED = sizeof(ours) / sizeof(ours[0]) };
    int found = 0;
    sqlite3_stmt *statement;
    int code =
        sqlite3_prepare_v2(db, "PRAGMA main.table_xinfo(hbscore_models)", -1, &statement, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        bool stored = sqlite3_column_int(statement, 6) == 0;

        for (int i = 0; name && i < WANTED; i++)
            found += stored && sqlite3_stricmp(name, ours[i]) == 0;
    }
    if (code != SQLITE_DONE)
        sq_fail_database(error, db, code);
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE)
        return code;
    if (found != WANTED)
        return sq_fail(
            error, SQLITE_ERROR,
            "main.hbscore_models is not hbscore's: it lacks one of the columns name, version, "
            "format, sha256, description, options, created_at, created_by, model");
    return SQLITE_OK;
}

int sq_table_check(sqlite3 *db, sq_error *error)
{
    int stored = 0;
    /* A view and a virtual table have no root page. */
    int code = ask(db,
                   "SELECT type = 'table' AND rootpage > 0 FROM main.sqlite_master"
                   " WHERE name = 'hbscore_models' COLLATE NOCASE AND type IN ('table', 'view')",
                   &stored, error);

    if (code != SQLITE_ROW)
        return code;
    if (!stored)
        return sq_fail(error, SQLITE_ERROR,
                       "main.hbscore_models is not hbscore's: it is no ordinary table");
    return check_columns(db, error);
}

/* ------------------------------------------------------------------ a row */

/* A row that no hbscore_register wrote. */
static int broken(sq_error *error, const char *shown, const char *what)
{
    return sq_fail(error, SQLITE_ERROR, "model \"%s\": its row in hbscore_models is damaged: %s",
                   shown, what);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The digest as stored: 64 hex digits in lower case. */
static bool read_digest(sqlite3_stmt *statement, int column, uint8_t digest[32])
{
    const char *text;

    if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
        return false;
    text = (const char *)sqlite3_column_text(statement, column);
    if (!text || sqlite3_column_bytes(statement, column) != 64)
        return false;
    for (int i = 0; i < 32; i++) {
        int high = hex_digit(text[2 * i]);
        int low = hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        digest[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* The options as stored; NULL in the column is none. */
static bool read_options(sqlite3_stmt *statement, int column, hbs_text *options)
{
    int type = sqlite3_column_type(statement, column);

    *options = (hbs_text){NULL, 0};
    if (type == SQLITE_NULL)
        return true;
    options->bytes = (const char *)sqlite3_column_text(statement, column);
    options->size = (size_t)sqlite3_column_bytes(statement, column);
    return type == SQLITE_TEXT && options->bytes;
}

/* ------------------------------------------------------------------ which version */

int sq_size_check(const sq_connection *connection, const char *shown, sqlite3_int64 size,
                  sq_error *error)
{
    if (size <= connection->settings.max_model_size)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_TOOBIG,
                   "model \"%s\" has %lld bytes, more than max_model_size (%lld): "
                   "hbscore_set('max_model_size', ...) raises it",
                   shown, size, connection->settings.max_model_size);
}

/* 'churn@3#3f524cdc07a11d7c': these bytes and no others. */
static int check_prefix(const sq_reference *reference, const uint8_t digest[32], const char *shown,
                        sq_error *error)
{
    if (!reference->digest.bytes)
        return SQLITE_OK;
    for (size_t i = 0; i < reference->digest.size; i++) {
        char c = reference->digest.bytes[i];
        int wanted = hex_digit(c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c);

        if (wanted != (i % 2 ? digest[i / 2] & 15 : digest[i / 2] >> 4))
            return sq_fail(
                error, SQLITE_ERROR,
                "model \"%s\" has other bytes than the reference says: its SHA-256 begins "
                "%02x%02x%02x%02x%02x%02x%02x%02x, not %.16s",
                shown, digest[0], digest[1], digest[2], digest[3], digest[4], digest[5], digest[6],
                digest[7], reference->digest.bytes);
    }
    return SQLITE_OK;
}

/* The row of SQ_NEWEST or SQ_VERSION; SQLITE_DONE: the version was dropped. */
static int read_resolved(sq_connection *connection, const sq_reference *reference,
                         sqlite3_stmt *row, sq_resolved *resolved, sq_error *error)
{
    uint8_t digest[32];
    hbs_text options;
    sq_shown shown;
    const char *type = (const char *)sqlite3_column_text(row, 3);
    int code;

    sq_show(&shown, reference->name.bytes, reference->name.size);
    resolved->version = sqlite3_column_int64(row, 0);
    if (!type)
        return sq_fail_memory(error);
    if (strcmp(type, "null") == 0)
        return SQLITE_DONE;
    if (sqlite3_column_type(row, 0) != SQLITE_INTEGER || resolved->version < 1)
        return broken(error, shown.text, "the version is no positive integer");
    if (strcmp(type, "blob") != 0)
        return broken(error, shown.text, "the model is no blob");
    if (!read_digest(row, 1, digest))
        return broken(error, shown.text, "sha256 is not 64 hex digits");
    if (!read_options(row, 2, &options))
        return broken(error, shown.text, "the options are no text");
    code = sq_size_check(connection, shown.text, sqlite3_column_int64(row, 4), error);
    if (code == SQLITE_OK)
        code = check_prefix(reference, digest, shown.text, error);
    if (code == SQLITE_OK)
        hbs_plan_key(digest, options.bytes, options.size, NULL, resolved->key);
    return code;
}

int sq_models_resolve(sq_connection *connection, const sq_reference *reference,
                      sq_resolved *resolved, sq_error *error)
{
    sq_query query = reference->version ? SQ_VERSION : SQ_NEWEST;
    sqlite3_stmt *row;
    int code;

    if (reference->alias.bytes)
        return sq_missing(connection, reference, error);
    code = sq_query_start(connection, query, reference->name, reference->version, &row, error);
    if (code == SQLITE_ROW) {
        code = read_resolved(connection, reference, row, resolved, error);
        sq_query_end(connection, query, row);
    }
    return code == SQLITE_DONE ? sq_missing(connection, reference, error) : code;
}

/* ------------------------------------------------------------------ its plan */

/* Bytes and options to a plan; the digest that the row claims must be that of its bytes. */
static int compile(sq_connection *connection, const hbs_source *source, hbs_plan **plan,
                   sq_error *error)
{
    hbs_limits limits = {.max_model_bytes = (size_t)connection->settings.max_model_size};
    hbs_model *model = NULL;
    hbs_error core;
    uint8_t digest[32];

    if (hbs_sha256(&connection->host, source->bytes, source->size, digest, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    if (memcmp(digest, source->sha256, sizeof(digest)) != 0)
        return broken(error, source->name, "its bytes do not have the stored SHA-256");
    if (hbs_model_load(&connection->host, &limits, source, &model, &core) != HBS_OK ||
        hbs_plan_compile(model, NULL, plan, &core) != HBS_OK)
        sq_fail_core(error, &core);
    else
        error->code = SQLITE_OK;
    hbs_model_free(model);
    return error->code;
}

/* The row of SQ_MODEL. Its version may have changed since it was resolved, where no transaction
 * holds the snapshot: so everything is taken from this row. */
static int load_row(sq_connection *connection, sqlite3_stmt *row, const char *shown, sq_plan **plan,
                    sq_error *error)
{
    uint8_t digest[32];
    hbs_source source = {.name = shown, .sha256 = digest};
    hbs_plan *compiled = NULL;
    hbs_text options;
    uint8_t key[32];
    int code;

    if (sqlite3_column_type(row, 2) == SQLITE_NULL)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" was dropped", shown);
    if (sqlite3_column_type(row, 2) != SQLITE_BLOB)
        return broken(error, shown, "the model is no blob");
    if (!read_digest(row, 0, digest))
        return broken(error, shown, "sha256 is not 64 hex digits");
    if (!read_options(row, 1, &options))
        return broken(error, shown, "the options are no text");
    source.bytes = sqlite3_column_blob(row, 2);
    source.size = (size_t)sqlite3_column_bytes(row, 2);
    if (!source.bytes) {
        if (source.size > 0)
            return sq_fail_memory(error);
        source.bytes = ""; /* SQLite gives NULL for an empty blob */
    }
    source.options = options.bytes;
    source.options_size = options.size;
    code = compile(connection, &source, &compiled, error);
    if (code != SQLITE_OK)
        return code;
    hbs_plan_key(digest, options.bytes, options.size, NULL, key);
    *plan = sq_cache_add(connection, key, compiled);
    return *plan ? SQLITE_OK : sq_fail_memory(error);
}

int sq_models_load(sq_connection *connection, hbs_text name, sqlite3_int64 version,
                   const char *shown, sq_plan **plan, sq_error *error)
{
    sqlite3_stmt *row;
    int code = sq_query_start(connection, SQ_MODEL, name, version, &row, error);

    if (code == SQLITE_DONE)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" was deleted", shown);
    if (code != SQLITE_ROW)
        return code;
    code = load_row(connection, row, shown, plan, error);
    sq_query_end(connection, SQ_MODEL, row);
    return code;
}

int sq_models_find(sq_connection *connection, const char *schema, hbs_text text, sq_found *found,
                   sq_error *error)
{
    sq_reference reference;
    sq_resolved resolved;
    int code = sq_reference_read(text, &reference, error);

    (void)schema;
    if (code == SQLITE_OK)
        code = sq_models_resolve(connection, &reference, &resolved, error);
    if (code != SQLITE_OK)
        return code;
    sqlite3_snprintf((int)sizeof(found->shown), found->shown, "%.*s@%lld", (int)reference.name.size,
                     reference.name.bytes, resolved.version);
    found->version = resolved.version;
    found->name_size = reference.name.size;
    found->plan = sq_cache_find(connection, resolved.key);
    if (found->plan)
        return SQLITE_OK;
    return sq_models_load(connection, reference.name, resolved.version, found->shown, &found->plan,
                          error);
}
