/* sq_plan.c - hbscore_plan(model): what a model is compiled to, step by step, before and after
 * each pass of the optimizer. A product of matrices that dense = blas hands to OpenBLAS has that strategy, or
 * the reason why it is not done so. hbscore_plan(model, 'dot') is the same as a drawing. */
#include "sq_hbscore.h"

#include <string.h>

enum { STAGE, POSITION, OPERATOR, INPUTS, DTYPE, WIDTH, OUTPUTS, STRATEGY, BYTES, NOTE, COLUMNS };

typedef struct plan_cursor {
    sq_cursor base;
    hbs_description *description;
    const hbs_plan_line *line;
} plan_cursor;

static int next_step(sq_cursor *base, sq_error *error)
{
    plan_cursor *cursor = (plan_cursor *)base;

    (void)error;
    cursor->line = hbs_description_line(cursor->description, (size_t)base->row - 1);
    base->end = !cursor->line;
    return SQLITE_OK;
}

static int begin_plan(sq_cursor *base, int argc, sqlite3_value **argv, sq_error *error)
{
    plan_cursor *cursor = (plan_cursor *)base;
    char shown[SQ_SHOWN];
    host_reference version;
    int code = sq_models_named(base->connection, argv[0], &version, shown, error);

    (void)argc;
    if (code != SQLITE_OK)
        return code;
    code = sq_models_describe(base->connection, &version, shown, &cursor->description, error);
    return code == SQLITE_OK ? next_step(base, error) : code;
}

static void end_plan(sq_cursor *base)
{
    plan_cursor *cursor = (plan_cursor *)base;

    hbs_description_free(cursor->description);
    cursor->description = NULL;
}

/* An empty text or an absent value becomes NULL. */
static void plan_column(const sq_cursor *base, sqlite3_context *context, int index)
{
    const hbs_plan_line *line = ((const plan_cursor *)base)->line;
    bool blas = line->blas && base->connection->settings.dense == SQ_DENSE_BLAS;
    const char *wrong = blas ? host_blas_open() : NULL;
    const char *texts[COLUMNS] = {
        [STAGE] = line->stage,     [OPERATOR] = line->name,     [INPUTS] = line->inputs, [DTYPE] = line->dtype,
        [OUTPUTS] = line->outputs, [STRATEGY] = line->strategy, [NOTE] = line->note,
    };

    if (blas)
        texts[wrong ? NOTE : STRATEGY] = wrong ? wrong : "blas";

    if (index == POSITION)
        sqlite3_result_int(context, line->position);
    else if (index == WIDTH && line->width > 0)
        sqlite3_result_int64(context, (sqlite3_int64)line->width);
    else if (index == BYTES && line->bytes > 0)
        sqlite3_result_int64(context, (sqlite3_int64)line->bytes);
    else if (texts[index] && *texts[index])
        sqlite3_result_text(context, texts[index], -1, SQLITE_TRANSIENT);
}

const sq_table_function sq_plan = {
    .name = "hbscore_plan",
    .declaration = "CREATE TABLE x(stage TEXT, position INTEGER, operator TEXT, inputs TEXT,"
                   " dtype TEXT, width INTEGER, outputs TEXT, strategy TEXT, bytes INTEGER,"
                   " note TEXT, model HIDDEN)",
    .columns = COLUMNS,
    .arguments = 1,
    .usage = "hbscore_plan takes a model reference: hbscore_plan('churn')",
    .cursor_size = sizeof(plan_cursor),
    .begin = begin_plan,
    .next = next_step,
    .column = plan_column,
    .end = end_plan,
};

/* ---- the drawing */

/* The one format that there is. */
static int check_format(sqlite3_value *value, sq_error *error)
{
    hbs_text format;
    host_shown shown;
    int code = sq_value_text(value, "the format of a drawing", &format, error);

    if (code != SQLITE_OK || (format.size == 3 && memcmp(format.bytes, "dot", 3) == 0))
        return code;
    return sq_fail(error, SQLITE_ERROR, "a plan is drawn as 'dot', not as \"%s\"",
                   host_show(&shown, format.bytes, format.size));
}

static int draw(sqlite3_context *context, sqlite3_value **argv, sq_error *error)
{
    sq_connection *connection = sqlite3_user_data(context);
    hbs_description *description = NULL;
    host_reference version;
    char shown[SQ_SHOWN];
    hbs_text drawing;
    hbs_error core;
    int code = check_format(argv[1], error);

    if (code == SQLITE_OK)
        code = sq_models_named(connection, argv[0], &version, shown, error);
    if (code == SQLITE_OK)
        code = sq_models_describe(connection, &version, shown, &description, error);
    if (code != SQLITE_OK)
        return code;
    if (hbs_description_draw(description, (hbs_text){shown, strlen(shown)}, &drawing, &core) != HBS_OK)
        code = sq_fail_core(error, &core);
    else
        sqlite3_result_text64(context, drawing.bytes, drawing.size, SQLITE_TRANSIENT, SQLITE_UTF8);
    hbs_description_free(description);
    return code;
}

void sq_draw_plan(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_error error;

    (void)argc;
    if (draw(context, argv, &error) != SQLITE_OK)
        sq_report(context, &error);
}
