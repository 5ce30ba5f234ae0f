/* sq_inspect.c - hbscore_inspect(model [, options]): what a model takes, gives and is; hbscore_features(model) and
 * hbscore_classes(model): its lines about features, and those about classes, with columns of their own.
 *
 * hbscore_inspect takes a model's bytes, which need not be registered: it parses and validates them as a registration
 * does, and asks no table. All three take a reference as text: 'churn', 'churn@3'. */
#include "sq_hbscore.h"

#include <string.h>

typedef struct inspect_cursor {
    sq_cursor base;
    hbs_model *model;
    size_t n_lines; /* that were read */
    hbs_inspection line;
} inspect_cursor;

/* ---- lines */

/* The next line of this role (NULL: of any). */
static int next_of(sq_cursor *base, const char *role, sq_error *error)
{
    inspect_cursor *cursor = (inspect_cursor *)base;
    hbs_error core;
    hbs_status status;

    do
        status = hbs_model_inspect(cursor->model, cursor->n_lines++, &cursor->line, &core);
    while (status == HBS_OK && role && strcmp(cursor->line.role, role) != 0);
    base->end = status != HBS_OK;
    if (status == HBS_OK || status == HBS_E_NOENT)
        return SQLITE_OK;
    return sq_fail_core(error, &core);
}

static int read_stored(inspect_cursor *cursor, sqlite3_value *reference, sq_error *error)
{
    sq_connection *connection = cursor->base.connection;
    char shown[SQ_SHOWN];
    host_reference version;
    int code = sq_models_named(connection, reference, &version, shown, error);

    return code == SQLITE_OK ? sq_models_parse(connection, &version, shown, &cursor->model, error) : code;
}

static int begin_stored(sq_cursor *base, int argc, sqlite3_value **argv, sq_error *error)
{
    const sq_table_function *function = sq_function_of(base);
    int code = read_stored((inspect_cursor *)base, argv[0], error);

    (void)argc;
    return code == SQLITE_OK ? function->next(base, error) : code;
}

static void end_inspection(sq_cursor *base)
{
    inspect_cursor *cursor = (inspect_cursor *)base;

    hbs_model_free(cursor->model);
    cursor->model = NULL;
    cursor->n_lines = 0;
}

/* An empty text or an absent value becomes NULL. */
static void give_text(sqlite3_context *context, const char *text)
{
    if (*text)
        sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* ---- hbscore_inspect */

enum { ROLE, POSITION, NAME, TYPE, NOTE, COLUMNS };

static int next_line(sq_cursor *base, sq_error *error)
{
    return next_of(base, NULL, error);
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
    int code;

    if (is_reference(argv[0])) {
        if (argc > 1 && sqlite3_value_type(argv[1]) != SQLITE_NULL)
            return sq_fail(error, SQLITE_ERROR,
                           "a stored model has options of its own: hbscore_inspect takes them with bytes only");
        return begin_stored(base, argc, argv, error);
    }
    code = read_bytes((inspect_cursor *)base, argc, argv, error);
    return code == SQLITE_OK ? next_line(base, error) : code;
}

static void inspect_column(const sq_cursor *base, sqlite3_context *context, int index)
{
    const hbs_inspection *line = &((const inspect_cursor *)base)->line;
    const char *texts[] = {[ROLE] = line->role, [NAME] = line->name, [TYPE] = line->type, [NOTE] = line->note};

    if (index == POSITION)
        sqlite3_result_int(context, line->position);
    else
        give_text(context, texts[index]);
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

/* ---- hbscore_features */

enum {
    FEATURE_POSITION,
    FEATURE_NAME,
    FEATURE_TYPE,
    FEATURE_ON_MISSING,
    FEATURE_CATEGORIES,
    FEATURE_NOTE,
    FEATURE_COLUMNS
};

/* A model without names has NULL. */
static void give_name(sqlite3_context *context, hbs_text name)
{
    if (name.size)
        sqlite3_result_text(context, name.bytes, (int)name.size, SQLITE_TRANSIENT);
}

static int next_feature(sq_cursor *base, sq_error *error)
{
    return next_of(base, "feature", error);
}

static void feature_column(const sq_cursor *base, sqlite3_context *context, int index)
{
    const hbs_inspection *line = &((const inspect_cursor *)base)->line;
    const char *texts[FEATURE_COLUMNS] = {
        [FEATURE_TYPE] = line->type, [FEATURE_ON_MISSING] = line->on_missing, [FEATURE_NOTE] = line->note};

    if (index == FEATURE_POSITION)
        sqlite3_result_int(context, line->position);
    else if (index == FEATURE_NAME)
        give_name(context, line->feature);
    else if (index != FEATURE_CATEGORIES)
        give_text(context, texts[index]);
    else if (line->categories > 0)
        sqlite3_result_int64(context, (sqlite3_int64)line->categories);
}

const sq_table_function sq_features = {
    .name = "hbscore_features",
    .declaration = "CREATE TABLE x(position INTEGER, name TEXT, type TEXT, on_missing TEXT,"
                   " categories INTEGER, note TEXT, model HIDDEN)",
    .columns = FEATURE_COLUMNS,
    .arguments = 1,
    .usage = "hbscore_features takes a model reference: hbscore_features('churn')",
    .cursor_size = sizeof(inspect_cursor),
    .begin = begin_stored,
    .next = next_feature,
    .column = feature_column,
    .end = end_inspection,
};

/* ---- hbscore_classes */

enum { CLASS_POSITION, CLASS_LABEL, CLASS_TYPE, CLASS_COLUMNS };

static int next_class(sq_cursor *base, sq_error *error)
{
    return next_of(base, "class", error);
}

static void class_column(const sq_cursor *base, sqlite3_context *context, int index)
{
    const hbs_inspection *line = &((const inspect_cursor *)base)->line;

    if (index == CLASS_POSITION)
        sqlite3_result_int(context, line->position);
    else if (index == CLASS_LABEL)
        sq_result_label(context, &line->label);
    else
        give_text(context, line->type);
}

const sq_table_function sq_classes = {
    .name = "hbscore_classes",
    .declaration = "CREATE TABLE x(position INTEGER, label, type TEXT, model HIDDEN)",
    .columns = CLASS_COLUMNS,
    .arguments = 1,
    .usage = "hbscore_classes takes a model reference: hbscore_classes('churn')",
    .cursor_size = sizeof(inspect_cursor),
    .begin = begin_stored,
    .next = next_class,
    .column = class_column,
    .end = end_inspection,
};
