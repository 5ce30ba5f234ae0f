/* sq_table.c - what all table-valued functions have in common.
 *
 * An eponymous module without xCreate, so that nobody makes a table of it: the arguments are hidden
 * columns behind the visible ones, which xBestIndex turns into the arguments of xFilter. A function
 * itself is an sq_table_function, its declaration and four small functions, and has its line in `functions`. */
#include "sq_hbscore.h"

#include <string.h>

/* The references hold a connection alive: the module may be destroyed before its tables. */
typedef struct table {
    sqlite3_vtab base;
    sq_connection *connection;
    const sq_table_function *function;
} table;

static const sq_table_function *const functions[] = {&sq_inspect, &sq_features, &sq_classes,
                                                     &sq_plan,    &sq_verify,   &sq_profile};

static const sq_table_function *find_function(const char *name)
{
    size_t i = 0;

    while (strcmp(functions[i]->name, name) != 0)
        i++;
    return functions[i];
}

static const sq_table_function *function_of(const sqlite3_vtab_cursor *cursor)
{
    return ((const table *)cursor->pVtab)->function;
}

const sq_table_function *sq_function_of(const sq_cursor *cursor)
{
    return function_of(&cursor->base);
}

/* The module's name, argv[0], is the function's. */
static int connect_table(sqlite3 *db, void *state, int argc, const char *const *argv, sqlite3_vtab **made,
                         char **message)
{
    const sq_table_function *function = find_function(argv[0]);
    int code = sqlite3_declare_vtab(db, function->declaration);
    table *t;

    (void)argc;
    (void)message;
    if (code != SQLITE_OK)
        return code;
    if (function->direct_only)
        sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    t = sqlite3_malloc64(sizeof(*t));
    if (!t)
        return SQLITE_NOMEM;
    memset(t, 0, sizeof(*t));
    t->connection = state;
    t->connection->references++;
    t->function = function;
    *made = &t->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *base)
{
    sq_connection_release(((table *)base)->connection);
    sqlite3_free(base);
    return SQLITE_OK;
}

/* idxNum is the count of arguments given: the first ones, without a gap. */
static int best_table_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const sq_table_function *function = ((table *)base)->function;
    int arguments[SQ_TABLE_ARGUMENTS];

    for (int i = 0; i < function->arguments; i++)
        arguments[i] = -1;
    for (int i = 0; i < info->nConstraint; i++) {
        int argument = info->aConstraint[i].iColumn - function->columns;

        if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT; /* an argument that comes from a table not read yet */
        arguments[argument] = i;
    }
    for (int i = 0; i < function->arguments && arguments[i] >= 0; i++) {
        info->aConstraintUsage[arguments[i]].argvIndex = i + 1;
        info->aConstraintUsage[arguments[i]].omit = 1;
        info->idxNum = i + 1;
    }
    info->estimatedCost = 1000;
    info->estimatedRows = 50;
    return SQLITE_OK;
}

static int open_table_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
    const table *t = (const table *)base;
    sq_cursor *made = sqlite3_malloc64(t->function->cursor_size);

    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, t->function->cursor_size);
    made->connection = t->connection;
    made->end = true;
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_table_cursor(sqlite3_vtab_cursor *base)
{
    function_of(base)->end((sq_cursor *)base);
    sqlite3_free(base);
    return SQLITE_OK;
}

static int filter_table(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
    const sq_table_function *function = function_of(base);
    sq_cursor *cursor = (sq_cursor *)base;
    sq_error error;

    (void)text;
    function->end(cursor); /* of what it was used for before */
    cursor->end = true;
    cursor->row = 1;
    if (number == 0) {
        sq_fail(&error, SQLITE_ERROR, "%s", function->usage);
        return sq_report_table(base->pVtab, &error);
    }
    cursor->end = false;
    if (function->begin(cursor, argc, argv, &error) != SQLITE_OK)
        return sq_report_table(base->pVtab, &error);
    return SQLITE_OK;
}

static int next_table_row(sqlite3_vtab_cursor *base)
{
    sq_cursor *cursor = (sq_cursor *)base;
    sq_error error;

    cursor->row++;
    if (function_of(base)->next(cursor, &error) != SQLITE_OK)
        return sq_report_table(base->pVtab, &error);
    return SQLITE_OK;
}

static int table_at_end(sqlite3_vtab_cursor *base)
{
    return ((sq_cursor *)base)->end;
}

/* The hidden arguments read as NULL. */
static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    if (index < function_of(base)->columns)
        function_of(base)->column((const sq_cursor *)base, context, index);
    return SQLITE_OK;
}

static int table_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = ((sq_cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = connect_table, /* no xCreate: eponymous only */
    .xDisconnect = disconnect_table,
    .xBestIndex = best_table_index,
    .xOpen = open_table_cursor,
    .xClose = close_table_cursor,
    .xFilter = filter_table,
    .xNext = next_table_row,
    .xEof = table_at_end,
    .xColumn = table_column,
    .xRowid = table_rowid,
};

int sq_table_register(sqlite3 *db, sq_connection *connection)
{
    int code = SQLITE_OK;

    for (size_t i = 0; code == SQLITE_OK && i < sizeof(functions) / sizeof(functions[0]); i++) {
        connection->references++;
        code = sqlite3_create_module_v2(db, functions[i]->name, &module, connection, sq_connection_release);
    }
    return code;
}
