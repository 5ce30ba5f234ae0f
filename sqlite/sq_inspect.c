/* sq_inspect.c - hbscore_inspect(model [, options]): what a model's bytes take, give and are.
 *
 * A table-valued function: the arguments are hidden columns, which xBestIndex turns into the
 * arguments of xFilter. It parses and validates as a registration does, and asks no table: the
 * bytes need not be registered. */
#include "sq_hbscore.h"

#include <string.h>

enum { ROLE, POSITION, NAME, TYPE, NOTE, MODEL, OPTIONS };

typedef struct inspect_table {
    sqlite3_vtab base;
    sq_connection *connection; /* with a reference: the module may be destroyed first */
} inspect_table;

typedef struct inspect_cursor {
    sqlite3_vtab_cursor base;
    hbs_model *model;
    size_t index;
    bool end;
    hbs_inspection line;
} inspect_cursor;

static int connect_table(sqlite3 *db, void *state, int argc, const char *const *argv,
                         sqlite3_vtab **table, char **message)
{
    inspect_table *made;
    int code =
        sqlite3_declare_vtab(db, "CREATE TABLE x(role TEXT, position INTEGER, name TEXT, type TEXT,"
                                 " note TEXT, model HIDDEN, options HIDDEN)");

    (void)argc;
    (void)argv;
    (void)message;
    if (code != SQLITE_OK)
        return code;
    made = sqlite3_malloc64(sizeof(*made));
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    made->connection = state;
    made->connection->references++;
    *table = &made->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
    sq_connection_release(((inspect_table *)table)->connection);
    sqlite3_free(table);
    return SQLITE_OK;
}

/* idxNum 1: the model is argument 0; 2: and the options argument 1. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int arguments[2] = {-1, -1};

    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        int column = info->aConstraint[i].iColumn - MODEL;

        if (column < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT; /* an argument that comes from a table not read yet */
        arguments[column] = i;
    }
    for (int i = 0; i < 2 && arguments[i] >= 0; i++) {
        info->aConstraintUsage[arguments[i]].argvIndex = i + 1;
        info->aConstraintUsage[arguments[i]].omit = 1;
        info->idxNum = i + 1;
    }
    info->estimatedCost = 1000;
    info->estimatedRows = 50;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    inspect_cursor *made = sqlite3_malloc64(sizeof(*made));

    (void)table;
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    inspect_cursor *cursor = (inspect_cursor *)base;

    hbs_model_free(cursor->model);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int read_line(inspect_cursor *cursor, sq_error *error)
{
    hbs_error core;
    hbs_status status = hbs_model_inspect(cursor->model, cursor->index, &cursor->line, &core);

    cursor->end = status != HBS_OK;
    if (status == HBS_OK || status == HBS_E_NOENT)
        return SQLITE_OK;
    return sq_fail_core(error, &core);
}

static int load(inspect_cursor *cursor, sq_connection *connection, int argc, sqlite3_value **argv,
                sq_error *error)
{
    hbs_limits limits = {.max_model_bytes = (size_t)connection->settings.max_model_size};
    hbs_source source = {.name = NULL};
    hbs_text bytes;
    hbs_text options = {NULL, 0};
    hbs_error core;
    int code = sq_value_model(argv[0], "the model", &bytes, error);

    if (code == SQLITE_OK && argc > 1 && sqlite3_value_type(argv[1]) != SQLITE_NULL)
        code = sq_value_text(argv[1], "the options argument", &options, error);
    if (code != SQLITE_OK)
        return code;
    source.bytes = bytes.bytes;
    source.size = bytes.size;
    source.options = options.bytes;
    source.options_size = options.size;
    if (hbs_model_load(&connection->host, &limits, &source, &cursor->model, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    return read_line(cursor, error);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                  sqlite3_value **argv)
{
    inspect_cursor *cursor = (inspect_cursor *)base;
    sq_connection *connection = ((inspect_table *)base->pVtab)->connection;
    sq_error error;

    (void)text;
    hbs_model_free(cursor->model);
    cursor->model = NULL;
    cursor->index = 0;
    cursor->end = true;
    if (number == 0) {
        sq_fail(&error, SQLITE_ERROR,
                "hbscore_inspect takes a model's bytes: hbscore_inspect(readfile('model.json'))");
        return sq_report_table(base->pVtab, &error);
    }
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return SQLITE_OK; /* nothing to say of NULL */
    if (load(cursor, connection, argc, argv, &error) != SQLITE_OK)
        return sq_report_table(base->pVtab, &error);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    inspect_cursor *cursor = (inspect_cursor *)base;
    sq_error error;

    cursor->index++;
    if (read_line(cursor, &error) != SQLITE_OK)
        return sq_report_table(base->pVtab, &error);
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return ((inspect_cursor *)base)->end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    const hbs_inspection *line = &((inspect_cursor *)base)->line;
    const char *texts[] = {
        [ROLE] = line->role, [NAME] = line->name, [TYPE] = line->type, [NOTE] = line->note};

    if (index == POSITION)
        sqlite3_result_int(context, line->position);
    else if (index <= NOTE) /* the hidden arguments read as NULL */
        sqlite3_result_text(context, texts[index], -1, SQLITE_TRANSIENT);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = (sqlite3_int64)((inspect_cursor *)base)->index + 1;
    return SQLITE_OK;
}

const sqlite3_module sq_inspect_module = {
    .xConnect = connect_table, /* no xCreate: eponymous only */
    .xDisconnect = disconnect_table,
    .xBestIndex = best_index,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = rowid,
};
