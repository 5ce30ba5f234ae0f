/* sq_inspect.c - hbscore_inspect(model [, options]): what a model takes, gives and is.
 *
 * The model is bytes, which need not be registered: it parses and validates them as a registration does, and asks no
 * table. Or it is a reference as text: 'churn', 'churn@3'. */
#include "sq_hbscore.h"

enum { ROLE, POSITION, NAME, TYPE, NOTE, COLUMNS };

typedef struct inspect_cursor {
    sq_cursor base;
    hbs_model *model;
    hbs_inspection line;
} inspect_cursor;

static int next_line(sq_cursor *base, sq_error *error)
{
    inspect_cursor *cursor = (inspect_cursor *)base;
    hbs_error core;
    hbs_status status = hbs_model_inspect(cursor->model, (size_t)base->row - 1, &cursor->line, &core);

    base->end = status != HBS_OK;
    if (status == HBS_OK || status == HBS_E_NOENT)
        return SQLITE_OK;
    return sq_fail_core(error, &core);
}

static int read_stored(inspect_cursor *cursor, int argc, sqlite3_value **argv, sq_error *error)
{
    sq_connection *connection = cursor->base.connection;
    char shown[SQ_SHOWN];
    host_reference version;
    int code;

    if (argc > 1 && sqlite3_value_type(argv[1]) != SQLITE_NULL)
        return sq_fail(error, SQLITE_ERROR,
                       "a stored model has options of its own: hbscore_inspect takes them with bytes only");
    code = sq_models_named(connection, argv[0], &version, shown, error);
    return code == SQLITE_OK ? sq_models_parse(connection, &version, shown, &cursor->model, error) : code;
}

static int read_bytes(inspect_cursor *cursor, int argc, sqlite3_value **argv, sq_error *error)
{
    sq_connection *connection = cursor->base.connection;
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
    return SQLITE_OK;
}

/* A text is a reference, but the text of a file is bytes without their cast. */
static bool is_reference(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_TEXT && !sq_is_json(value, false);
}

static int begin_inspection(sq_cursor *base, int argc, sqlite3_value **argv, sq_error *error)
{
    inspect_cursor *cursor = (inspect_cursor *)base;
    int code = is_reference(argv[0]) ? read_stored(cursor, argc, argv, error) : read_bytes(cursor, argc, argv, error);

    return code == SQLITE_OK ? next_line(base, error) : code;
}

static void end_inspection(sq_cursor *base)
{
    inspect_cursor *cursor = (inspect_cursor *)base;

    hbs_model_free(cursor->model);
    cursor->model = NULL;
}

/* What is not said is NULL. */
static void inspect_column(const sq_cursor *base, sqlite3_context *context, int index)
{
    const hbs_inspection *line = &((const inspect_cursor *)base)->line;
    const char *texts[] = {[ROLE] = line->role, [NAME] = line->name, [TYPE] = line->type, [NOTE] = line->note};

    if (index == POSITION)
        sqlite3_result_int(context, line->position);
    else if (*texts[index])
        sqlite3_result_text(context, texts[index], -1, SQLITE_TRANSIENT);
}

const sq_table_function sq_inspect = {
    .name = "hbscore_inspect",
    .declaration = "CREATE TABLE x(role TEXT, position INTEGER, name TEXT, type TEXT, note TEXT,"
                   " model HIDDEN, options HIDDEN)",
    .columns = COLUMNS,
    .arguments = 2,
    .usage = "hbscore_inspect takes a model's bytes, or a reference: hbscore_inspect(readfile('model.json')), "
             "hbscore_inspect('churn')",
    .cursor_size = sizeof(inspect_cursor),
    .begin = begin_inspection,
    .next = next_line,
    .column = inspect_column,
    .end = end_inspection,
};
