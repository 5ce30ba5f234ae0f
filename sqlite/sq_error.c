/* sq_error.c - what goes wrong, as an SQLite code and a text.
 *
 * Texts are the core's, the same as in PostgreSQL; errors of inner statements pass through with
 * their code and words, so that BUSY, READONLY or AUTH reach the application as they are. */
#include "sq_hbscore.h"

#include <stdarg.h>
#include <string.h>

/* Cuts a half character from the end of a text that filled its buffer. */
static void trim_character(char *text, size_t size)
{
    size_t n = strlen(text);
    size_t start = n;

    if (n + 1 < size)
        return;
    while (start > 0 && n - start < 4 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && sq_utf8_character(text + start - 1, n - start + 1) != n - start + 1)
        text[start - 1] = 0;
}

int sq_fail(sq_error *error, int code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    sqlite3_vsnprintf((int)sizeof(error->text), error->text, format, arguments);
    va_end(arguments);
    trim_character(error->text, sizeof(error->text));
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

int sq_fail_database(sq_error *error, sqlite3 *db, int code)
{
    return sq_fail(error, code, "%s", sqlite3_errmsg(db));
}

int sq_fail_memory(sq_error *error)
{
    return sq_fail(error, SQLITE_NOMEM, "out of memory");
}

static void report(sqlite3_context *context, int code, const char *text)
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
    report(context, error->code, error->text);
}

void sq_report_core(sqlite3_context *context, const hbs_error *core)
{
    report(context, code_of(core->status), core->text);
}

int sq_report_table(sqlite3_vtab *table, const sq_error *error)
{
    if (error->code != SQLITE_NOMEM) {
        sqlite3_free(table->zErrMsg);
        table->zErrMsg = sqlite3_mprintf("%s", error->text);
    }
    return error->code;
}

const char *sq_show(sq_shown *shown, const char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *out = shown->text;
    size_t at = 0;

    while (at < size) {
        unsigned char byte = (unsigned char)bytes[at];
        size_t n = sq_utf8_character(bytes + at, size - at);

        if (at + (n ? n : 1) > SQ_SHOWN) {
            memcpy(out, "..", 2);
            out += 2;
            break;
        }
        if (n == 0 || byte < 0x20 || byte == 0x7f || byte == '"') {
            *out++ = '\\';
            *out++ = 'x';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
            at++;
            continue;
        }
        memcpy(out, bytes + at, n);
        out += n;
        at += n;
    }
    *out = 0;
    return shown->text;
}
