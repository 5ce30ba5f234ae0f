/* sq_values.c - SQLite's values to hbscore's, and labels back.
 *
 * The type of a value is looked at first: sqlite3_value_double alone would turn 'abc' into 0.0.
 * The core decides by the feature's type what a text means (a number, a category), so that it
 * means the same in PostgreSQL. */
#include "sq_hbscore.h"

#include <math.h>
#include <string.h>

const char *sq_type_name(sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return "an integer";
    case SQLITE_FLOAT:
        return "a real number";
    case SQLITE_TEXT:
        return "text";
    case SQLITE_BLOB:
        return "a blob";
    default:
        return "NULL";
    }
}

/* ------------------------------------------------------------------ arguments */

int sq_value_text(sqlite3_value *value, const char *what, hbs_text *text, sq_error *error)
{
    if (sqlite3_value_type(value) != SQLITE_TEXT)
        return sq_fail(error, SQLITE_ERROR, "%s is text, not %s", what, sq_type_name(value));
    text->bytes = (const char *)sqlite3_value_text(value);
    text->size = (size_t)sqlite3_value_bytes(value);
    return text->bytes ? SQLITE_OK : sq_fail_memory(error);
}

int sq_value_model(sqlite3_value *value, const char *what, hbs_text *bytes, sq_error *error)
{
    int type = sqlite3_value_type(value);

    if (type == SQLITE_NULL)
        return sq_fail(error, SQLITE_ERROR,
                       "%s is NULL, not a model's bytes (readfile gives NULL for a file that is not there)", what);
    if (type != SQLITE_BLOB)
        return sq_fail(error, SQLITE_ERROR,
                       "%s is %s, not a blob: readfile('model.json') gives one, "
                       "and CAST(... AS BLOB) makes one of text",
                       what, sq_type_name(value));
    bytes->bytes = sqlite3_value_blob(value);
    bytes->size = (size_t)sqlite3_value_bytes(value);
    if (bytes->bytes)
        return SQLITE_OK;
    bytes->bytes = ""; /* SQLite gives NULL for an empty blob */
    return bytes->size == 0 ? SQLITE_OK : sq_fail_memory(error);
}

bool sq_value_whole(sqlite3_value *value, sqlite3_int64 *number)
{
    double real;

    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        *number = sqlite3_value_int64(value);
        return true;
    case SQLITE_FLOAT:
        real = sqlite3_value_double(value);
        if (!(real >= -9007199254740992.0 && real <= 9007199254740992.0))
            return false;
        *number = (sqlite3_int64)real;
        return (double)*number == real;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ rows */

bool sq_is_json(sqlite3_value *value, bool one_text)
{
    const char *text;

    if (sqlite3_value_type(value) != SQLITE_TEXT)
        return false;
    if (sqlite3_value_subtype(value) == SQ_JSON_SUBTYPE)
        return true;
    text = (const char *)sqlite3_value_text(value);
    if (!text || one_text)
        return false;
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '[';
}

/* No feature takes a blob, and the core does not know them; the words are those of its type
 * errors. */
int sq_fail_blob(sq_error *error, const host_plan *plan, hbs_text model, size_t index)
{
    hbs_text name = {NULL, 0};
    hbs_type type = HBS_FLOAT32;
    char feature[sizeof(host_shown) + 2];
    host_shown shown_model;
    host_shown shown;

    if (index < plan->info.features)
        hbs_plan_feature(plan->compiled, index, &name, &type);
    if (name.size > 0)
        sqlite3_snprintf((int)sizeof(feature), feature, "\"%s\"", host_show(&shown, name.bytes, name.size));
    else
        sqlite3_snprintf((int)sizeof(feature), feature, "%d", (int)index + 1);
    return sq_fail(error, SQLITE_ERROR, "model \"%s\": feature %s takes %s, got a blob",
                   host_show(&shown_model, model.bytes, model.size), feature, type == HBS_TEXT ? "a text" : "a number");
}

static void report_blob(sqlite3_context *context, const sq_scorer *scorer, int index)
{
    sq_error error;

    sq_fail_blob(&error, scorer->plan, (hbs_text){scorer->reference, scorer->name_size}, (size_t)index);
    sq_report(context, &error);
}

/* Whole numbers up to here are doubles without loss. */
#define MOST_EXACT ((sqlite3_int64)1 << 53)

bool sq_other_number(sqlite3_value *value, int type, double *number)
{
    sqlite3_int64 whole;

    if (type == SQLITE_NULL) {
        *number = NAN;
        return true;
    }
    if (type != SQLITE_INTEGER)
        return false;
    whole = sqlite3_value_int64(value);
    *number = (double)whole;
    return whole >= -MOST_EXACT && whole <= MOST_EXACT;
}

static bool read_used_numbers(sq_scorer *scorer, sqlite3_value **values)
{
    for (size_t i = 0; i < scorer->n_used; i++)
        if (!sq_value_number(values[scorer->used[i]], &scorer->numbers[scorer->used[i]]))
            return false;
    return true;
}

bool sq_numbers_read(sq_scorer *scorer, int count, sqlite3_value **values)
{
    if (scorer->used)
        return read_used_numbers(scorer, values);
    for (int i = 0; i < count; i++)
        if (!sq_value_number(values[i], &scorer->numbers[i]))
            return false;
    return true;
}

bool sq_values_read(sqlite3_context *context, sq_scorer *scorer, int count, sqlite3_value **values)
{
    hbs_value *row = scorer->values;
    int n = scorer->used ? (int)scorer->n_used : count;

    for (int at = 0; at < n; at++) {
        int i = scorer->used ? scorer->used[at] : at;

        switch (sqlite3_value_type(values[i])) {
        case SQLITE_FLOAT:
            row[i].type = HBS_FLOAT64;
            row[i].as.f64 = sqlite3_value_double(values[i]);
            break;
        case SQLITE_INTEGER:
            row[i].type = HBS_INT64;
            row[i].as.i64 = sqlite3_value_int64(values[i]);
            break;
        case SQLITE_NULL:
            row[i].type = HBS_NULL;
            break;
        case SQLITE_TEXT:
            row[i].type = HBS_TEXT;
            row[i].as.text.bytes = (const char *)sqlite3_value_text(values[i]);
            row[i].as.text.size = (size_t)sqlite3_value_bytes(values[i]);
            if (!row[i].as.text.bytes) {
                sqlite3_result_error_nomem(context);
                return false;
            }
            break;
        default:
            report_blob(context, scorer, i);
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ labels */

bool sq_value_label(sqlite3_context *context, sqlite3_value *value, hbs_value *label)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_FLOAT:
        label->type = HBS_FLOAT64;
        label->as.f64 = sqlite3_value_double(value);
        return true;
    case SQLITE_INTEGER:
        label->type = HBS_INT64;
        label->as.i64 = sqlite3_value_int64(value);
        return true;
    case SQLITE_NULL:
        label->type = HBS_NULL;
        return true;
    case SQLITE_TEXT:
        label->type = HBS_TEXT;
        label->as.text.bytes = (const char *)sqlite3_value_text(value);
        label->as.text.size = (size_t)sqlite3_value_bytes(value);
        if (label->as.text.bytes)
            return true;
        sqlite3_result_error_nomem(context);
        return false;
    default:
        sqlite3_result_error(context, "a class is given by its label, text or a number, not a blob", -1);
        return false;
    }
}

void sq_result_label(sqlite3_context *context, const hbs_value *label)
{
    switch (label->type) {
    case HBS_INT64:
        sqlite3_result_int64(context, label->as.i64);
        break;
    case HBS_BOOL:
        sqlite3_result_int(context, label->as.boolean);
        break;
    case HBS_FLOAT64:
        sqlite3_result_double(context, label->as.f64);
        break;
    case HBS_FLOAT32:
        sqlite3_result_double(context, (double)label->as.f32);
        break;
    case HBS_TEXT:
        /* A copy: a result may outlive the plan, where the model's name is computed for each
         * row. */
        sqlite3_result_text64(context, label->as.text.bytes, label->as.text.size, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case HBS_NULL:
    case HBS_MIXED: /* no label has these */
    case HBS_DECIMAL:
        sqlite3_result_null(context);
        break;
    }
}
