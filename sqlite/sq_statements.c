/* sq_statements.c - the prepared statements of scoring, and the private table that owns them.
 *
 * A statement of ours that is alive makes sqlite3_close answer SQLITE_BUSY, before any destructor
 * of a function has run. A virtual table's xDisconnect runs before that check: so an eponymous one,
 * empty and of no other use, owns the statements. It is connected when first needed. If it cannot be
 * connected (another table has its name, the authorizer refuses it), statements live for
 * one use.
 *
 * Statements are prepared by sqlite3_prepare, not _v2, on purpose: it does not prepare again by
 * itself when the schema has changed but says SQLITE_SCHEMA. Then the table is checked again before
 * anything runs, so that a view which took the table's name is never executed. Every statement is
 * reset as soon as its row has been read: else it would hold a read transaction open. */
#include "sq_hbscore.h"

#include <stdarg.h>
#include <string.h>

/* `golden` and `model` stand last in the table and only SQ_MODEL and SQ_GOLDEN read them: what
 * resolves a name never walks the pages of either. typeof and length of a blob look at the row's
 * header only. */
#define STORED  "m.version, m.sha256, m.options, typeof(m.model), length(m.model)"
#define MODELS  "\"%w\".hbscore_models AS m"
#define ALIASES "\"%w\".hbscore_aliases AS a"
#define NEWEST \
    "m.name = ?1 AND typeof(m.model) <> 'null' AND NOT " SQ_WAITS "(m.options) ORDER BY m.version DESC LIMIT 1"

/* One statement resolves a reference, so that all it reads is of one snapshot. Behind a version's columns it
 * says whether an alias names the version, and which one: its model may be dropped or not there.
 * `aliased` is for databases with both tables, `plain` for those without hbscore_aliases. */
typedef struct query_text {
    const char *aliased; /* NULL: the query reads no aliases */
    const char *plain;   /* NULL: it has no row */
} query_text;

static const query_text text_of[SQ_QUERIES] = {
    [SQ_DEFAULT] = {.aliased =
                        "SELECT " STORED ", a.name IS NOT NULL, a.version"
                        " FROM (SELECT 1) LEFT JOIN " ALIASES " ON a.name = ?1 AND a.alias = '" HOST_DEFAULT_ALIAS "'"
                        " LEFT JOIN " MODELS " ON m.name = ?1 AND m.version ="
                        " CASE WHEN a.name IS NOT NULL THEN a.version"
                        " ELSE (SELECT m.version FROM " MODELS " WHERE " NEWEST ") END",
                    .plain = "SELECT " STORED ", 0, NULL FROM " MODELS " WHERE " NEWEST},
    [SQ_ALIAS] = {.aliased = "SELECT " STORED ", 1, a.version FROM " ALIASES " LEFT JOIN " MODELS
                             " ON m.name = ?1 AND m.version = a.version"
                             " WHERE a.name = ?1 AND a.alias = ?2"},
    [SQ_VERSION] = {.plain = "SELECT " STORED ", 0, NULL FROM " MODELS " WHERE m.name = ?1 AND m.version = ?2"},
    [SQ_MODEL] = {.plain = "SELECT m.sha256, m.options, m.model FROM " MODELS " WHERE m.name = ?1 AND m.version = ?2"},
    [SQ_GOLDEN] = {.plain = "SELECT m.sha256, m.options, m.model, m.golden FROM " MODELS
                            " WHERE m.name = ?1 AND m.version = ?2"},
    [SQ_NEXT] = {.plain = "SELECT m.version FROM " MODELS " WHERE m.name = ?1 AND m.version > ?2"
                          " AND typeof(m.version) = 'integer' AND typeof(m.model) <> 'null'"
                          " ORDER BY m.version LIMIT 1"},
};

/* ------------------------------------------------------------------ the private table */

/* Holds a reference: SQLite destroys a module before the last table of it is disconnected. */
typedef struct owner {
    sqlite3_vtab base;
    sq_connection *connection;
} owner;

static int connect_owner(sqlite3 *db, void *state, int argc, const char *const *argv, sqlite3_vtab **table,
                         char **message)
{
    sq_connection *connection = state;
    owner *made;
    int code;

    (void)argc;
    (void)argv;
    (void)message;
    code = sqlite3_declare_vtab(db, "CREATE TABLE x(unused)");
    if (code != SQLITE_OK)
        return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    made = sqlite3_malloc64(sizeof(*made));
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    made->connection = connection;
    connection->references++;
    connection->owner = &made->base;
    *table = &made->base;
    return SQLITE_OK;
}

static void drop_statement(sq_connection *connection, sq_query query)
{
    sqlite3_finalize(connection->statements[query]);
    connection->statements[query] = NULL;
}

static int disconnect_owner(sqlite3_vtab *table)
{
    sq_connection *connection = ((owner *)table)->connection;

    if (connection->owner == table) {
        for (int i = 0; i < SQ_QUERIES; i++)
            drop_statement(connection, (sq_query)i);
        connection->owner = NULL;
    }
    sq_connection_release(connection);
    sqlite3_free(table);
    return SQLITE_OK;
}

static int best_owner_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    info->estimatedRows = 0;
    return SQLITE_OK;
}

static int open_nothing(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    (void)table;
    *cursor = sqlite3_malloc64(sizeof(**cursor));
    if (!*cursor)
        return SQLITE_NOMEM;
    memset(*cursor, 0, sizeof(**cursor));
    return SQLITE_OK;
}

static int close_nothing(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int filter_nothing(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc, sqlite3_value **argv)
{
    (void)cursor;
    (void)number;
    (void)text;
    (void)argc;
    (void)argv;
    return SQLITE_OK;
}

static int next_nothing(sqlite3_vtab_cursor *cursor)
{
    (void)cursor;
    return SQLITE_OK;
}

static int owner_at_end(sqlite3_vtab_cursor *cursor)
{
    (void)cursor;
    return 1;
}

static int no_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    (void)cursor;
    (void)context;
    (void)column;
    return SQLITE_OK;
}

static int no_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
    (void)cursor;
    *rowid = 0;
    return SQLITE_OK;
}

const sqlite3_module sq_private_module = {
    .xConnect = connect_owner, /* no xCreate: eponymous only */
    .xDisconnect = disconnect_owner,
    .xBestIndex = best_owner_index,
    .xOpen = open_nothing,
    .xClose = close_nothing,
    .xFilter = filter_nothing,
    .xNext = next_nothing,
    .xEof = owner_at_end,
    .xColumn = no_column,
    .xRowid = no_rowid,
};

/* Preparing a statement that names the table connects it. */
static int connect_private(sq_connection *connection, sq_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code;

    if (connection->owner)
        return SQLITE_OK;
    code = sqlite3_prepare_v2(connection->db, "SELECT 1 FROM main." SQ_PRIVATE_MODULE, -1, &statement, NULL);
    sqlite3_finalize(statement);
    return code == SQLITE_NOMEM ? sq_fail_memory(error) : SQLITE_OK;
}

/* ------------------------------------------------------------------ statements */

int sq_prepare(sqlite3 *db, sqlite3_stmt **statement, const char *format, ...)
{
    va_list arguments;
    char *text;
    int code;

    *statement = NULL;
    va_start(arguments, format);
    text = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    if (!text)
        return SQLITE_NOMEM;
    code = sqlite3_prepare_v2(db, text, -1, statement, NULL);
    sqlite3_free(text);
    return code;
}

/* By the tables that are there and ours; SQLITE_DONE where the query can have no row. */
static int choose_text(sqlite3 *db, const char *schema, sq_query query, const char **text, sq_error *error)
{
    int code = sq_table_check(db, schema, SQ_MODELS, error);

    *text = text_of[query].plain;
    if (code == SQLITE_OK && text_of[query].aliased) {
        code = sq_table_check(db, schema, SQ_ALIASES, error);
        if (code == SQLITE_OK)
            *text = text_of[query].aliased;
        if (code == SQLITE_DONE && *text)
            code = SQLITE_OK;
    }
    return code;
}

static int prepare_statement(sq_connection *connection, const char *schema, sq_query query, sqlite3_stmt **statement,
                             sq_error *error)
{
    bool kept = strcmp(schema, "main") == 0;
    const char *text;
    char *filled;
    int code;

    *statement = kept ? connection->statements[query] : NULL;
    if (*statement)
        return SQLITE_OK;
    code = choose_text(connection->db, schema, query, &text, error);
    if (code == SQLITE_OK && kept)
        code = connect_private(connection, error);
    if (code != SQLITE_OK)
        return code;
    filled = sqlite3_mprintf(text, schema, schema, schema); /* as many as the text names, at most */
    if (!filled)
        return sq_fail_memory(error);
    code = sqlite3_prepare(connection->db, filled, -1, statement, NULL);
    sqlite3_free(filled);
    if (code != SQLITE_OK)
        return sq_fail_database(error, connection->db, code);
    if (kept && connection->owner)
        connection->statements[query] = *statement;
    return SQLITE_OK;
}

static int bind_values(sqlite3_stmt *statement, const host_reference *reference)
{
    hbs_text name = reference->name;
    hbs_text alias = reference->alias;
    int code = sqlite3_bind_text(statement, 1, name.bytes, (int)name.size, SQLITE_STATIC);

    if (code != SQLITE_OK || sqlite3_bind_parameter_count(statement) < 2)
        return code;
    if (alias.bytes)
        return sqlite3_bind_text(statement, 2, alias.bytes, (int)alias.size, SQLITE_STATIC);
    return sqlite3_bind_int64(statement, 2, reference->version);
}

static void discard_statement(sq_connection *connection, sq_query query, sqlite3_stmt *statement)
{
    if (connection->statements[query] == statement)
        drop_statement(connection, query);
    else
        sqlite3_finalize(statement);
}

static int run_statement(sq_connection *connection, const char *schema, sq_query query, const host_reference *reference,
                         sqlite3_stmt **statement, sq_error *error)
{
    int code = prepare_statement(connection, schema, query, statement, error);
    int reason;

    if (code != SQLITE_OK)
        return code;
    code = bind_values(*statement, reference);
    if (code == SQLITE_OK)
        code = sqlite3_step(*statement);
    if (code == SQLITE_ROW)
        return code;
    reason = sqlite3_reset(*statement); /* the true code, which a step of this kind does not tell */
    if (code != SQLITE_DONE) {
        code = sq_fail_database(error, connection->db, reason == SQLITE_OK ? code : reason);
        discard_statement(connection, query, *statement);
        return code;
    }
    sq_query_end(connection, query, *statement);
    return SQLITE_DONE;
}

int sq_query_start(sq_connection *connection, const char *schema, sq_query query, const host_reference *reference,
                   sqlite3_stmt **statement, sq_error *error)
{
    /* Other processes may change the schema again and again; SQLite itself gives up after 50
     * times. */
    for (int tries = 0;; tries++) {
        int code = run_statement(connection, schema, query, reference, statement, error);

        if ((code & 0xff) != SQLITE_SCHEMA || tries == 50)
            return code;
    }
}

void sq_query_end(sq_connection *connection, sq_query query, sqlite3_stmt *statement)
{
    if (connection->statements[query] != statement) {
        sqlite3_finalize(statement);
        return;
    }
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement); /* name and alias are the caller's memory */
}
