/* sq_verify.c - hbscore_verify(model): do stored models still give what their trainer gave?
 *
 *     'churn'      every version that was not dropped
 *     'churn@3'    that one
 *
 * Each version is read, digested, parsed and compiled again: a plan in the cache would hide a row
 * that somebody changed. A fault of one version is the note of its row and hides no other version;
 * only a failure that says nothing about the model (no memory, an interrupt, a busy file) is an error. */
#include "sq_hbscore.h"

#include <string.h>

enum { VERSION, ROWS, MAX_ABS_ERROR, OK, NOTE, COLUMNS };

typedef struct verify_cursor {
    sq_cursor base;
    char name[HOST_MAX_NAME];
    host_reference version; /* the one being verified; its name is `name` */
    bool all;               /* versions of the name */
    hbs_verification found;
    bool damaged;
    sq_error why;
} verify_cursor;

static int verify_version(verify_cursor *cursor, sq_error *error)
{
    const host_reference *version = &cursor->version;
    char shown[HOST_MAX_NAME + 24];
    int code;

    sqlite3_snprintf((int)sizeof(shown), shown, "%.*s@%lld", (int)version->name.size, version->name.bytes,
                     version->version);
    code = sq_models_verify(cursor->base.connection, version, shown, &cursor->found, &cursor->why);
    cursor->damaged = code != SQLITE_OK;
    if (code == SQLITE_OK || code == SQLITE_ERROR || code == SQLITE_TOOBIG)
        return SQLITE_OK;
    *error = cursor->why;
    return code;
}

/* The next version of the name, and what becomes of it. */
static int next_version(sq_cursor *base, sq_error *error)
{
    verify_cursor *cursor = (verify_cursor *)base;
    sqlite3_stmt *row;
    int code = SQLITE_DONE;

    if (cursor->all)
        code = sq_query_start(base->connection, "main", SQ_NEXT, &cursor->version, &row, error);
    base->end = code == SQLITE_DONE;
    if (code != SQLITE_ROW)
        return base->end ? SQLITE_OK : code;
    cursor->version.version = sqlite3_column_int64(row, 0);
    sq_query_end(base->connection, SQ_NEXT, row);
    return verify_version(cursor, error);
}

static int begin_verification(sq_cursor *base, int argc, sqlite3_value **argv, sq_error *error)
{
    verify_cursor *cursor = (verify_cursor *)base;
    host_reference reference;
    hbs_text text;
    int code = sq_value_text(argv[0], "a model reference", &text, error);

    (void)argc;
    if (code == SQLITE_OK)
        code = sq_reference_read(text, &reference, error);
    if (code != SQLITE_OK)
        return code;
    memcpy(cursor->name, reference.name.bytes, reference.name.size);
    cursor->version = (host_reference){.name = {cursor->name, reference.name.size}};
    cursor->all = !reference.version && !reference.alias.bytes;
    if (cursor->all) {
        code = next_version(base, error);
        return code == SQLITE_OK && base->end ? sq_missing(base->connection, "main", &reference, error) : code;
    }
    code = sq_models_version(base->connection, &reference, &cursor->version.version, NULL, error);
    return code == SQLITE_OK ? verify_version(cursor, error) : code;
}

static void end_verification(sq_cursor *base)
{
    (void)base;
}

/* Without golden rows there is no answer, unless the version itself is damaged. */
static void verify_column(const sq_cursor *base, sqlite3_context *context, int index)
{
    const verify_cursor *cursor = (const verify_cursor *)base;
    const hbs_verification *found = &cursor->found;
    bool known = cursor->damaged || found->rows > 0;
    const char *note = cursor->damaged ? cursor->why.text : found->text;

    if (index == VERSION)
        sqlite3_result_int64(context, cursor->version.version);
    else if (index == ROWS)
        sqlite3_result_int64(context, (sqlite3_int64)found->rows);
    else if (index == MAX_ABS_ERROR && found->rows > 0 && !cursor->damaged)
        sqlite3_result_double(context, found->max_abs_error);
    else if (index == OK && known)
        sqlite3_result_int(context, !cursor->damaged && found->ok);
    else if (index == NOTE && *note)
        sqlite3_result_text(context, note, -1, SQLITE_TRANSIENT);
}

const sq_table_function sq_verify = {
    .name = "hbscore_verify",
    .declaration = "CREATE TABLE x(version INTEGER, rows INTEGER, max_abs_error REAL, ok INTEGER,"
                   " note TEXT, model HIDDEN)",
    .columns = COLUMNS,
    .arguments = 1,
    .usage = "hbscore_verify takes a model reference: hbscore_verify('churn')",
    .cursor_size = sizeof(verify_cursor),
    .begin = begin_verification,
    .next = next_version,
    .column = verify_column,
    .end = end_verification,
};
