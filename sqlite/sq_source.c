/* sq_source.c - the table or view that a virtual table of hbscore reads: its columns, with what
 * decides how SQLite compares and sorts them.
 *
 * The declaration of a virtual table is stored in the file, and a file may come from a stranger. So
 * a source is a name, never SQL text, and must stand in the schema of its own file: not a
 * table-valued function, which our inner statement would reach as text that the user typed. */
#include "sq_hbscore.h"

#include <string.h>

static int no_memory_or(sqlite3 *db, int code, sq_error *error)
{
    return code == SQLITE_NOMEM ? sq_fail_memory(error) : sq_fail_database(error, db, code);
}

/* ------------------------------------------------------------------ affinity */

static bool contains_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (; *text; text++)
        if (sqlite3_strnicmp(text, word, (int)n) == 0)
            return true;
    return false;
}

static bool is_any(const char *type)
{
    return type && sqlite3_stricmp(type, "ANY") == 0;
}

/* As SQLite decides it, in this order; a view's expression has no type. In a STRICT table ANY
 * converts nothing. */
static sq_affinity affinity_of(const char *type, bool strict)
{
    if (!type || !*type || (strict && is_any(type)))
        return SQ_AFFINITY_NONE;
    if (contains_word(type, "INT"))
        return SQ_AFFINITY_INTEGER;
    if (contains_word(type, "CHAR") || contains_word(type, "CLOB") || contains_word(type, "TEXT"))
        return SQ_AFFINITY_TEXT;
    if (contains_word(type, "BLOB"))
        return SQ_AFFINITY_NONE;
    if (contains_word(type, "REAL") || contains_word(type, "FLOA") || contains_word(type, "DOUB"))
        return SQ_AFFINITY_REAL;
    return SQ_AFFINITY_NUMERIC;
}

/* ------------------------------------------------------------------ asking the schema */

/* Runs `sql` with ?1 the source's name and ?2 its schema, as far as it has them; each row's value
 * in `column`, as text, is given to `row`. */
static int ask_schema(sqlite3 *db, sq_source *source, const char *sql, int column,
                      void (*row)(sq_source *source, const char *text), sq_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK && sqlite3_bind_parameter_count(statement) > 0)
        code = sqlite3_bind_text(statement, 1, source->name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK && sqlite3_bind_parameter_count(statement) > 1)
        code = sqlite3_bind_text(statement, 2, source->schema, -1, SQLITE_STATIC);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        const char *text;

        code = sqlite3_step(statement);
        if (code != SQLITE_ROW)
            break;
        text = (const char *)sqlite3_column_text(statement, column);
        if (text)
            row(source, text);
    }
    if (code != SQLITE_DONE)
        no_memory_or(db, code, error);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static void keep_kind(sq_source *source, const char *type)
{
    source->exists = true;
    source->is_view = strcmp(type, "view") == 0;
    source->stored = strcmp(type, "stored") == 0;
}

static int find_source(sqlite3 *db, sq_source *source, sq_error *error)
{
    char *sql = sqlite3_mprintf("SELECT CASE WHEN rootpage > 0 THEN 'stored' ELSE type END"
                                " FROM \"%w\".sqlite_master WHERE name = ?1"
                                " COLLATE NOCASE AND type IN ('table', 'view')",
                                source->schema);
    int code = sql ? ask_schema(db, source, sql, 0, keep_kind, error) : sq_fail_memory(error);

    sqlite3_free(sql);
    return code;
}

static void keep_strict(sq_source *source, const char *text)
{
    source->strict = strcmp(text, "1") == 0;
}

static void keep_indexed(sq_source *source, const char *name)
{
    for (int i = 0; i < source->n_columns; i++)
        if (sqlite3_stricmp(source->columns[i].name, name) == 0)
            source->columns[i].indexed = true;
}

/* Strictness decides only what the type ANY means, and is asked only there: this PRAGMA, which came
 * with STRICT tables in 3.37, connects every virtual table of the schema. */
static int read_strict(sqlite3 *db, sqlite3_stmt *all, sq_source *source, sq_error *error)
{
    bool matters = false;
    char *sql;
    int code;

    for (int i = 0; source->stored && i < source->n_columns; i++)
        matters = matters || is_any(sqlite3_column_decltype(all, i));
    if (!matters || sqlite3_libversion_number() < 3037000)
        return SQLITE_OK;
    sql = sqlite3_mprintf("PRAGMA \"%w\".table_list(\"%w\")", source->schema, source->name);
    code = sql ? ask_schema(db, source, sql, 5, keep_strict, error) : sq_fail_memory(error);
    sqlite3_free(sql);
    return code;
}

/* The columns that an index begins with: they guide the planner, no more, so nothing is lost where
 * a table of the file has the name of a PRAGMA. */
static int read_indexes(sqlite3 *db, sq_source *source, sq_error *error)
{
    int code;

    if (!source->stored)
        return SQLITE_OK;
    code = ask_schema(db, source,
                      "SELECT c.name FROM pragma_index_list(?1, ?2) i, pragma_index_info(i.name, ?2) c"
                      " WHERE c.seqno = 0 AND NOT i.partial AND c.name IS NOT NULL"
                      " UNION ALL SELECT name FROM pragma_table_info(?1, ?2) WHERE pk = 1",
                      0, keep_indexed, error);
    return code == SQLITE_ERROR ? SQLITE_OK : code;
}

/* ------------------------------------------------------------------ columns */

static int keep_column(sqlite3 *db, sqlite3_stmt *all, int i, sq_source *source, sq_error *error)
{
    sq_source_column *column = &source->columns[i];
    const char *name = sqlite3_column_name(all, i);
    const char *collation = NULL;

    column->name = name ? sqlite3_mprintf("%s", name) : NULL;
    if (!column->name)
        return sq_fail_memory(error);
    column->affinity = affinity_of(sqlite3_column_decltype(all, i), source->strict);
    if (!source->is_view)
        sqlite3_table_column_metadata(db, source->schema, source->name, name, NULL, &collation, NULL, NULL, NULL);
    column->collation = sqlite3_mprintf("%s", collation ? collation : "BINARY");
    return column->collation ? SQLITE_OK : sq_fail_memory(error);
}

static int keep_columns(sqlite3 *db, sqlite3_stmt *all, sq_source *source, sq_error *error)
{
    int n = sqlite3_column_count(all);
    int code = SQLITE_OK;

    source->columns = sqlite3_malloc64((sqlite3_uint64)n * sizeof(*source->columns));
    if (!source->columns)
        return sq_fail_memory(error);
    memset(source->columns, 0, (size_t)n * sizeof(*source->columns));
    source->n_columns = n;
    code = read_strict(db, all, source, error);
    for (int i = 0; code == SQLITE_OK && i < n; i++)
        code = keep_column(db, all, i, source, error);
    return code;
}

/* The name of a row's own number that is not a column's too; a WITHOUT ROWID table knows none. */
static int read_rowid(sqlite3 *db, sq_source *source, sq_error *error)
{
    static const char *const names[] = {"rowid", "_rowid_", "oid"};
    const char *name = NULL;
    sqlite3_stmt *probe = NULL;
    char *sql;
    int code;

    for (size_t i = 0; source->stored && !name && i < sizeof(names) / sizeof(names[0]); i++) {
        name = names[i];
        for (int c = 0; name && c < source->n_columns; c++)
            if (sqlite3_stricmp(source->columns[c].name, name) == 0)
                name = NULL;
    }
    if (!name)
        return SQLITE_OK;
    sql = sqlite3_mprintf("SELECT s.%s FROM \"%w\".\"%w\" AS s", name, source->schema, source->name);
    code = sql ? sqlite3_prepare_v2(db, sql, -1, &probe, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    sqlite3_finalize(probe);
    if (code == SQLITE_OK)
        source->rowid = name;
    return code == SQLITE_OK || code == SQLITE_ERROR || code == SQLITE_AUTH ? SQLITE_OK : no_memory_or(db, code, error);
}

static int read_columns(sqlite3 *db, sq_source *source, sq_error *error)
{
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\".\"%w\"", source->schema, source->name);
    sqlite3_stmt *all = NULL;
    int code = sql ? sqlite3_prepare_v2(db, sql, -1, &all, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    code = code == SQLITE_OK ? keep_columns(db, all, source, error) : no_memory_or(db, code, error);
    sqlite3_finalize(all);
    return code;
}

int sq_source_read(sqlite3 *db, const char *schema, const char *name, sq_source *source, sq_error *error)
{
    int code;

    *source = (sq_source){.schema = sqlite3_mprintf("%s", schema), .name = sqlite3_mprintf("%s", name)};
    if (!source->schema || !source->name)
        return sq_fail_memory(error);
    code = find_source(db, source, error);
    if (code == SQLITE_OK && !source->exists && sqlite3_stricmp(schema, "temp") == 0) {
        sqlite3_free(source->schema);
        source->schema = sqlite3_mprintf("main");
        code = source->schema ? find_source(db, source, error) : sq_fail_memory(error);
    }
    if (code != SQLITE_OK || !source->exists)
        return code;
    code = read_columns(db, source, error);
    if (code == SQLITE_OK)
        code = read_rowid(db, source, error);
    if (code == SQLITE_OK)
        code = read_indexes(db, source, error);
    return code;
}

void sq_source_free(sq_source *source)
{
    for (int i = 0; i < source->n_columns; i++) {
        sqlite3_free(source->columns[i].name);
        sqlite3_free(source->columns[i].collation);
    }
    sqlite3_free(source->columns);
    sqlite3_free(source->schema);
    sqlite3_free(source->name);
}
