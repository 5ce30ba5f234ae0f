/* sq_settings.c - hbscore_set and hbscore_get: numbers that belong to one connection. */
#include "sq_hbscore.h"

#include <stddef.h>
#include <string.h>

typedef struct setting {
    const char *name;
    size_t offset; /* in sq_settings */
    sqlite3_int64 initial;
    sqlite3_int64 least;
    sqlite3_int64 most; /* the hard maximum */
} setting;

#define MIB ((sqlite3_int64)1 << 20)

static const setting settings_known[] = {
    {"plan_cache_size", offsetof(sq_settings, plan_cache_size), 64 * MIB, 0, 65536 * MIB},
    {"max_model_size", offsetof(sq_settings, max_model_size),
     (sqlite3_int64)HBS_DEFAULT_MAX_MODEL_BYTES, 1, (sqlite3_int64)HBS_HARD_MAX_MODEL_BYTES},
};

enum { KNOWN = sizeof(settings_known) / sizeof(settings_known[0]) };

static sqlite3_int64 *place(sq_settings *settings, const setting *which)
{
    return (sqlite3_int64 *)((char *)settings + which->offset);
}

void sq_settings_init(sq_settings *settings)
{
    for (size_t i = 0; i < KNOWN; i++)
        *place(settings, &settings_known[i]) = settings_known[i].initial;
}

static int unknown(hbs_text name, sq_error *error)
{
    char known[128];
    sq_shown shown;

    known[0] = 0;
    for (size_t i = 0; i < KNOWN; i++) {
        size_t n = strlen(known);

        sqlite3_snprintf((int)(sizeof(known) - n), known + n, "%s%s", i ? ", " : "",
                         settings_known[i].name);
    }
    return sq_fail(error, SQLITE_ERROR, "unknown setting \"%s\"; there are: %s",
                   sq_show(&shown, name.bytes, name.size), known);
}

static int find(sqlite3_value *value, const setting **found, sq_error *error)
{
    hbs_text name;
    int code = sq_value_text(value, "a setting's name", &name, error);

    if (code != SQLITE_OK)
        return code;
    for (size_t i = 0; i < KNOWN; i++) {
        *found = &settings_known[i];
        if (strlen((*found)->name) == name.size && !memcmp((*found)->name, name.bytes, name.size))
            return SQLITE_OK;
    }
    return unknown(name, error);
}

static int change(sq_connection *connection, sqlite3_value **argv, sqlite3_int64 *now,
                  sq_error *error)
{
    const setting *which;
    int code = find(argv[0], &which, error);

    if (code != SQLITE_OK)
        return code;
    if (!sq_value_whole(argv[1], now))
        return sq_fail(error, SQLITE_ERROR, "%s is an integer (bytes), not %s", which->name,
                       sq_type_name(argv[1]));
    if (*now < which->least || *now > which->most)
        return sq_fail(error, SQLITE_ERROR, "%s is from %lld to %lld bytes, not %lld", which->name,
                       which->least, which->most, *now);
    *place(&connection->settings, which) = *now;
    sq_cache_trim(connection);
    return SQLITE_OK;
}

void sq_set(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sqlite3_int64 now = 0;
    sq_error error;

    (void)argc;
    if (change(sqlite3_user_data(context), argv, &now, &error) != SQLITE_OK)
        sq_report(context, &error);
    else
        sqlite3_result_int64(context, now);
}

void sq_get(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_connection *connection = sqlite3_user_data(context);
    const setting *which;
    sq_error error;

    (void)argc;
    if (find(argv[0], &which, &error) != SQLITE_OK)
        sq_report(context, &error);
    else
        sqlite3_result_int64(context, *place(&connection->settings, which));
}
