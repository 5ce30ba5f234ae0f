/* sq_error.c - what goes wrong, as an SQLite code and a text.
 *
 * Texts are the core's, the same as in PostgreSQL; errors of inner statements pass through with
 * their code and words, so that BUSY, READONLY or AUTH reach the application as they are. */
#include "sq_hbscore.h"

#include <stdarg.h>
#include <string.h>

int sq_fail(sq_error *error, int code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    sqlite3_vsnprintf((int)sizeof(error->text), error->text, format, arguments);
    va_end(arguments);
    host_trim_character(error->text, sizeof(error->text));
    error->code = code;
    return code;
}

static int code_of(hbs_status status)
{
    switch (status) {
    case HBS_OK:
        return SQLITE_OK;
    case HBS_E_LIMIT:
        return SQLITE_TOOBIG;
    case HBS_E_NOMEM:
        return SQLITE_NOMEM;
    case HBS_E_CANCEL:
        return SQLITE_INTERRUPT;
    case HBS_E_INTERNAL:
        return SQLITE_INTERNAL;
    case HBS_E_FORMAT:
    case HBS_E_UNSUPPORTED:
    case HBS_E_TYPE:
    case HBS_E_ARGS:
    case HBS_E_NOENT:
        break;
    }
    return SQLITE_ERROR;
}

int sq_fail_core(sq_error *error, const hbs_error *core)
{
    memcpy(error->text, core->text, sizeof(error->text));
    error->code = code_of(core->status);
    return error->code;
}

int sq_reference_read(hbs_text text, host_reference *reference, sq_error *error)
{
    hbs_error core;

    return sq_core(host_reference_read(text, reference, &core), &core, error);
}

int sq_name_check(hbs_text name, sq_error *error)
{
    hbs_error core;

    return sq_core(host_name_check(name, &core), &core, error);
}

int sq_alias_check(hbs_text alias, sq_error *error)
{
    hbs_error core;

    return sq_core(host_alias_check(alias, &core), &core, error);
}

int sq_fail_database(sq_error *error, sqlite3 *db, int code)
{
    return sq_fail(error, code, "%s", sqlite3_errmsg(db));
}

int sq_fail_memory(sq_error *error)
{
    return sq_fail(error, SQLITE_NOMEM, "out of memory");
}

static void report_error(sqlite3_context *context, int code, const char *text)
{
    if (code == SQLITE_NOMEM) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_error(context, text, -1);
    sqlite3_result_error_code(context, code); /* keeps the text */
}

void sq_report(sqlite3_context *context, const sq_error *error)
{
    report_error(context, error->code, error->text);
}

void sq_report_core(sqlite3_context *context, const hbs_error *core)
{
    report_error(context, code_of(core->status), core->text);
}

int sq_report_table(sqlite3_vtab *table, const sq_error *error)
{
    if (error->code != SQLITE_NOMEM) {
        sqlite3_free(table->zErrMsg);
        table->zErrMsg = sqlite3_mprintf("%s", error->text);
    }
    return error->code;
}
