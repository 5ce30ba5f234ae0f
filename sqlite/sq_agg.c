/* sq_agg.c - predict_agg(model, f1, ..) and predict_label_agg: the scores of a group's rows as one JSON array.
 *
 * Rows are gathered into a batch and scored a block at a time. SQLite calls the final function on
 * every path, also behind an error, and there everything is freed. */
#include "sq_hbscore.h"

#include <string.h>

/* One of the aggregates. */
typedef struct gathered {
    const char *name;
    hbs_function function;
} gathered;

static const gathered predictions = {"predict_agg", HBS_PREDICT};
static const gathered labels = {"predict_label_agg", HBS_PREDICT_LABEL};

/* Zeroed by SQLite before the first row. */
typedef struct state {
    const gathered *what;
    sq_batch *batch;
    sqlite3_str *text;
    char *reference; /* as given: the same for all rows */
    size_t reference_size;
    bool one_text; /* the model takes exactly one text: '[..' is a category, not JSON */
    bool failed;   /* reported */
    bool null;     /* the model reference is NULL */
} state;

static void fail_group(sqlite3_context *context, state *s, const sq_error *error)
{
    s->failed = true;
    sq_report(context, error);
}

/* ------------------------------------------------------------------ the first row */

static int open_batch(state *s, sq_connection *connection, hbs_text reference, sq_error *error)
{
    sq_found model;
    int code = sq_models_find(connection, "main", reference, &model, error);

    if (code != SQLITE_OK)
        return code;
    s->one_text = sq_takes_one_text(model.plan);
    /* The usual number of rows, even if the model prefers more: there may be many groups of few rows. */
    code = sq_batch_new(connection, &model, 0, true, SQ_BLOCK, &s->batch, error);
    if (code == SQLITE_OK)
        code = sq_batch_ask(s->batch, s->what->function, false, error);
    if (code == SQLITE_OK)
        code = sq_batch_take_all(s->batch, error);
    s->text = sqlite3_str_new(connection->db);
    sqlite3_str_appendchar(s->text, 1, '[');
    return code;
}

static int begin_group(state *s, sq_connection *connection, sqlite3_value *value, sq_error *error)
{
    hbs_text reference;
    int code;

    s->null = sqlite3_value_type(value) == SQLITE_NULL;
    if (s->null)
        return SQLITE_OK;
    code = sq_value_text(value, "a model reference", &reference, error);
    if (code != SQLITE_OK)
        return code;
    s->reference = sqlite3_mprintf("%.*s", (int)reference.size, reference.bytes);
    s->reference_size = reference.size;
    return s->reference ? open_batch(s, connection, reference, error) : sq_fail_memory(error);
}

/* A reference that changes from row to row has no one meaning. */
static int check_reference(const state *s, sqlite3_value *value, sq_error *error)
{
    const void *text = s->null ? NULL : sqlite3_value_text(value);

    if (s->null ? sqlite3_value_type(value) == SQLITE_NULL
                : text && (size_t)sqlite3_value_bytes(value) == s->reference_size &&
                      memcmp(text, s->reference, s->reference_size) == 0)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR, "%s takes one model for all rows of a group", s->what->name);
}

/* ------------------------------------------------------------------ scores */

static void append_double(sqlite3_str *text, double number)
{
    char buffer[32];
    size_t size = hbs_format_double(number, buffer);

    sqlite3_str_append(text, buffer, (int)size);
}

static int append_label(sqlite3_str *text, const hbs_value *label, sq_error *error)
{
    size_t size = hbs_format_label(label, NULL, 0);
    char *buffer = sqlite3_malloc64(size + 1);

    if (!buffer)
        return sq_fail_memory(error);
    hbs_format_label(label, buffer, size + 1);
    sqlite3_str_append(text, buffer, (int)size);
    sqlite3_free(buffer);
    return SQLITE_OK;
}

static int append_row(state *s, const hbs_result *result, size_t row, sq_error *error)
{
    hbs_value label;

    if (sqlite3_str_length(s->text) > 1)
        sqlite3_str_appendchar(s->text, 1, ',');
    if (!(result->valid[row / 64] >> (row % 64) & 1)) {
        sqlite3_str_appendall(s->text, "null");
    } else if (result->label) {
        hbs_plan_class(s->batch->model.plan->compiled, (size_t)result->label[row], &label);
        return append_label(s->text, &label, error);
    } else {
        append_double(s->text, result->value[row]);
    }
    return SQLITE_OK;
}

/* Also where the text has become too long for SQLite. */
static int text_status(const state *s, sq_error *error)
{
    switch (sqlite3_str_errcode(s->text)) {
    case SQLITE_OK:
        return SQLITE_OK;
    case SQLITE_TOOBIG:
        return sq_fail(error, SQLITE_TOOBIG, "%s: the array is longer than a text may be", s->what->name);
    default:
        return sq_fail_memory(error);
    }
}

static int score_block(state *s, sq_error *error)
{
    sq_batch *batch = s->batch;
    int code = SQLITE_OK;

    sq_batch_score(batch);
    if (batch->error.code != SQLITE_OK) {
        *error = batch->error;
        return error->code;
    }
    for (size_t row = 0; code == SQLITE_OK && row < batch->ready; row++)
        code = append_row(s, &batch->result, row, error);
    sq_batch_clear(batch);
    return code == SQLITE_OK ? text_status(s, error) : code;
}

/* ------------------------------------------------------------------ rows */

static bool is_json(const state *s, int count, sqlite3_value **values)
{
    return count == 1 && sq_is_json(values[0], s->one_text);
}

static int add_json(state *s, sqlite3_value *value, sq_error *error)
{
    hbs_result result;
    hbs_error core;
    int code = score_block(s, error); /* the rows before it */
    const char *text;

    if (code != SQLITE_OK)
        return code;
    text = (const char *)sqlite3_value_text(value);
    if (!text)
        return sq_fail_memory(error);
    if (hbs_score_json(s->batch->run, text, (size_t)sqlite3_value_bytes(value), s->batch->outputs, &result, &core) !=
        HBS_OK)
        return sq_fail_core(error, &core);
    return append_row(s, &result, 0, error);
}

static int add_row(state *s, int count, sqlite3_value **values, sq_error *error)
{
    sq_batch *batch = s->batch;
    hbs_error core;

    if (is_json(s, count, values))
        return add_json(s, values[0], error);
    if (hbs_run_check_count(batch->run, (size_t)count, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    sq_batch_take(batch, count, values);
    if (batch->error.code != SQLITE_OK || sq_batch_full(batch, batch->capacity))
        return score_block(s, error);
    return SQLITE_OK;
}

static void aggregate_step(sqlite3_context *context, int argc, sqlite3_value **argv, const gathered *what)
{
    state *s = sqlite3_aggregate_context(context, sizeof(*s));
    sq_error error;
    int code;

    if (!s) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (s->failed)
        return;
    s->what = what;
    if (argc < 1)
        code = sq_fail(&error, SQLITE_ERROR, "the first argument is a model reference such as 'churn'");
    else if (!s->batch && !s->null)
        code = begin_group(s, sqlite3_user_data(context), argv[0], &error);
    else
        code = check_reference(s, argv[0], &error);
    if (code == SQLITE_OK && !s->null)
        code = add_row(s, argc - 1, argv + 1, &error);
    if (code != SQLITE_OK)
        fail_group(context, s, &error);
}

void sq_predict_agg_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    aggregate_step(context, argc, argv, &predictions);
}

void sq_predict_label_agg_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    aggregate_step(context, argc, argv, &labels);
}

/* The result of predict_agg and predict_label_agg. */
void sq_predict_agg_final(sqlite3_context *context)
{
    state *s = sqlite3_aggregate_context(context, 0); /* NULL: no rows */
    sq_error error = {.code = SQLITE_OK};
    char *text = NULL;

    if (s && s->batch && !s->failed && score_block(s, &error) != SQLITE_OK)
        fail_group(context, s, &error);
    if (s && s->text) {
        sqlite3_str_appendchar(s->text, 1, ']');
        if (!s->failed && text_status(s, &error) != SQLITE_OK)
            fail_group(context, s, &error);
        text = sqlite3_str_finish(s->text);
    }
    if (!s) {
        sqlite3_result_text(context, "[]", -1, SQLITE_STATIC);
        sqlite3_result_subtype(context, SQ_JSON_SUBTYPE);
        return;
    }
    if (text && !s->failed) {
        sqlite3_result_text(context, text, -1, sqlite3_free);
        sqlite3_result_subtype(context, SQ_JSON_SUBTYPE);
    } else {
        sqlite3_free(text);
    }
    sq_batch_free(s->batch);
    sqlite3_free(s->reference);
}
