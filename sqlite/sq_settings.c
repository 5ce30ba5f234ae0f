/* sq_settings.c - hbscore_set and hbscore_get: what belongs to one connection. */
#include "sq_hbscore.h"

#include <stddef.h>
#include <string.h>

typedef enum setting_kind { BYTES, WORD, PASSES } setting_kind; /* BYTES: any number that has no words */

typedef struct setting {
    const char *name;
    setting_kind kind;
    size_t offset; /* in sq_settings */
    sqlite3_int64 initial;
    sqlite3_int64 least;
    sqlite3_int64 most;       /* the hard maximum */
    const char *const *words; /* WORD: a text of these, kept as its position */
} setting;

#define MIB ((sqlite3_int64)1 << 20)

static const char *const dense_words[] = {[SQ_DENSE_EXACT] = "exact", [SQ_DENSE_BLAS] = "blas"};
static const char *const strategy_words[HBS_N_STRATEGIES] = {[HBS_STRATEGY_AUTO] = "auto",
                                                             [HBS_STRATEGY_TT] = "tt",
                                                             [HBS_STRATEGY_BITS] = "bits",
                                                             [HBS_STRATEGY_GEMM] = "gemm",
                                                             [HBS_STRATEGY_PTT] = "ptt"};

static const char *const device_words[] = HOST_DEVICE_WORDS;
static const char *const switch_words[] = {"off", "on"};

static const setting settings_known[] = {
    {"plan_cache_size", BYTES, offsetof(sq_settings, plan_cache_size), 64 * MIB, 0, 65536 * MIB, NULL},
    {"max_model_size", BYTES, offsetof(sq_settings, max_model_size), (sqlite3_int64)HBS_DEFAULT_MAX_MODEL_BYTES, 1,
     (sqlite3_int64)HBS_HARD_MAX_MODEL_BYTES, NULL},
    {"dense", WORD, offsetof(sq_settings, dense), SQ_DENSE_EXACT, 0, SQ_DENSE_BLAS, dense_words},
    {"strategy", WORD, offsetof(sq_settings, strategy), HBS_STRATEGY_AUTO, 0, HBS_N_STRATEGIES - 1, strategy_words},
    {"passes_off", PASSES, offsetof(sq_settings, passes_off), 0, 0, UINT32_MAX, NULL},
    {"device", WORD, offsetof(sq_settings, device), HOST_DEVICE_AUTO, 0, HOST_DEVICE_CUDA, device_words},
    {"device_memory", BYTES, offsetof(sq_settings, device_memory), 1024 * MIB, MIB, 1048576 * MIB, NULL},
    /* Hidden, for tests: */
    {"debug_require_device", WORD, offsetof(sq_settings, require_device), 0, 0, 1, switch_words},
    {"debug_device_rows", BYTES, offsetof(sq_settings, device_rows), 0, 0, MIB, NULL},
};

enum { KNOWN = sizeof(settings_known) / sizeof(settings_known[0]), SHOWN = KNOWN - 2 };

static sqlite3_int64 *place_of_setting(sq_settings *settings, const setting *which)
{
    return (sqlite3_int64 *)((char *)settings + which->offset);
}

void sq_settings_init(sq_settings *settings)
{
    for (size_t i = 0; i < KNOWN; i++)
        *place_of_setting(settings, &settings_known[i]) = settings_known[i].initial;
}

hbs_compile_options sq_compile_options(const sq_connection *connection)
{
    sqlite3_int64 device = connection->settings.device;
    bool keep = device == HOST_DEVICE_CUDA || (device == HOST_DEVICE_AUTO && host_device_installed());

    return (hbs_compile_options){.passes_off = (uint32_t)connection->settings.passes_off | (keep ? HBS_KEEP_NODES : 0),
                                 .strategy = (hbs_strategy)connection->settings.strategy};
}

static int fail_unknown(hbs_text name, sq_error *error)
{
    char known[128];
    host_shown shown;

    known[0] = 0;
    for (size_t i = 0; i < SHOWN; i++) {
        size_t n = strlen(known);

        sqlite3_snprintf((int)(sizeof(known) - n), known + n, "%s%s", i ? ", " : "", settings_known[i].name);
    }
    return sq_fail(error, SQLITE_ERROR, "unknown setting \"%s\"; there are: %s",
                   host_show(&shown, name.bytes, name.size), known);
}

static int find_setting(sqlite3_value *value, const setting **found, sq_error *error)
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
    return fail_unknown(name, error);
}

/* "64MB": whole numbers of the units that PostgreSQL's settings take, so that one text suits both databases. */
static bool read_units(sqlite3_value *value, sqlite3_int64 *bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    const char *text = (const char *)sqlite3_value_text(value);
    const char *end = text ? text + sqlite3_value_bytes(value) : NULL;
    sqlite3_int64 number = 0;
    int digits = 0;

    for (; text < end && *text >= '0' && *text <= '9' && digits < 18; digits++)
        number = number * 10 + (*text++ - '0');
    while (text < end && *text == ' ')
        text++;
    for (int i = 0; digits > 0 && i < 5; i++) {
        if ((size_t)(end - text) == strlen(units[i]) && memcmp(text, units[i], strlen(units[i])) == 0) {
            *bytes = number > INT64_MAX >> (10 * i) ? INT64_MAX : number << (10 * i);
            return true;
        }
    }
    return false;
}

static int read_bytes(const setting *which, sqlite3_value *value, sqlite3_int64 *now, sq_error *error)
{
    host_shown shown;

    if (sqlite3_value_type(value) == SQLITE_TEXT) {
        if (!read_units(value, now))
            return sq_fail(
                error, SQLITE_ERROR,
                "%s is an integer (bytes), or a text with B, kB, MB, GB or TB as '64MB', not \"%s\"", which->name,
                host_show(&shown, (const char *)sqlite3_value_text(value), (size_t)sqlite3_value_bytes(value)));
    } else if (!sq_value_whole(value, now)) {
        return sq_fail(error, SQLITE_ERROR, "%s is an integer (bytes) or a text as '64MB', not %s", which->name,
                       sq_type_name(value));
    }
    if (*now < which->least || *now > which->most)
        return sq_fail(error, SQLITE_ERROR, "%s is from %lld to %lld bytes, not %lld", which->name, which->least,
                       which->most, *now);
    return SQLITE_OK;
}

enum { WORDS = 96 };

/* "'exact' or 'blas'". */
static const char *list_words(const setting *which, char list[WORDS])
{
    list[0] = 0;
    for (sqlite3_int64 i = which->least; i <= which->most; i++) {
        size_t n = strlen(list);

        sqlite3_snprintf((int)(WORDS - n), list + n, "%s'%s'",
                         i == which->least  ? ""
                         : i == which->most ? " or "
                                            : ", ",
                         which->words[i]);
    }
    return list;
}

static int read_word(const setting *which, sqlite3_value *value, sqlite3_int64 *now, sq_error *error)
{
    char words[WORDS];
    hbs_text text;
    host_shown shown;
    int code = sq_value_text(value, which->name, &text, error);

    if (code != SQLITE_OK)
        return code;
    for (*now = which->least; *now <= which->most; ++*now) {
        const char *word = which->words[*now];

        if (strlen(word) == text.size && !memcmp(word, text.bytes, text.size))
            return SQLITE_OK;
    }
    return sq_fail(error, SQLITE_ERROR, "%s is %s, not \"%s\"", which->name, list_words(which, words),
                   host_show(&shown, text.bytes, text.size));
}

/* Names of passes, kept as their bits. */
static int read_passes(const setting *which, sqlite3_value *value, sqlite3_int64 *now, sq_error *error)
{
    hbs_error wrong;
    hbs_text text;
    uint32_t off;
    int code = sq_value_text(value, which->name, &text, error);

    if (code != SQLITE_OK)
        return code;
    if (host_passes_read(text, &off, &wrong) != HBS_OK)
        return sq_fail(error, SQLITE_ERROR, "%s", wrong.text);
    *now = off;
    return SQLITE_OK;
}

static int read_setting(const setting *which, sqlite3_value *value, sqlite3_int64 *now, sq_error *error)
{
    switch (which->kind) {
    case WORD:
        return read_word(which, value, now, error);
    case PASSES:
        return read_passes(which, value, now, error);
    case BYTES:
        break;
    }
    return read_bytes(which, value, now, error);
}

/* Where there is no GPU, device = cuda is refused with the reason. */
static int require_device(sq_connection *connection, sq_error *error)
{
    hbs_error why;

    if (sq_device_open(connection, &why) == SQLITE_OK)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR, "device cannot be cuda: %s", why.text);
}

static int change_setting(sq_connection *connection, sqlite3_value **argv, const setting **which, sq_error *error)
{
    sqlite3_int64 now = 0;
    int code = find_setting(argv[0], which, error);

    if (code != SQLITE_OK)
        return code;
    code = read_setting(*which, argv[1], &now, error);
    if (code == SQLITE_OK && (*which)->offset == offsetof(sq_settings, device) && now == HOST_DEVICE_CUDA)
        code = require_device(connection, error);
    if (code != SQLITE_OK)
        return code;
    *place_of_setting(&connection->settings, *which) = now;
    connection->plans.most = (size_t)connection->settings.plan_cache_size;
    host_cache_trim(&connection->plans);
    if (connection->settings.dense == SQ_DENSE_BLAS)
        host_blas_open(); /* where that fails, products are hbscore's as before */
    return SQLITE_OK;
}

static void result_of_setting(sqlite3_context *context, sq_connection *connection, const setting *which)
{
    sqlite3_int64 now = *place_of_setting(&connection->settings, which);
    char passes[HOST_PASSES];

    if (which->kind == WORD)
        sqlite3_result_text(context, which->words[now], -1, SQLITE_STATIC);
    else if (which->kind == PASSES)
        sqlite3_result_text(context, host_passes_write((uint32_t)now, passes), -1, SQLITE_TRANSIENT);
    else
        sqlite3_result_int64(context, now);
}

void sq_set(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_connection *connection = sqlite3_user_data(context);
    const setting *which;
    sq_error error;

    (void)argc;
    if (sq_depth_check(connection, "hbscore_set", &error) != SQLITE_OK ||
        change_setting(connection, argv, &which, &error) != SQLITE_OK)
        sq_report(context, &error);
    else
        result_of_setting(context, connection, which);
}

void sq_get(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const setting *which;
    sq_error error;

    (void)argc;
    if (find_setting(argv[0], &which, &error) != SQLITE_OK)
        sq_report(context, &error);
    else
        result_of_setting(context, sqlite3_user_data(context), which);
}
