/* sq_register.c - hbscore_register, and what it shares with the other functions that write.
 *
 * A model is parsed, validated and compiled before anything is written; then one INSERT stores it.
 * So a refusal changes nothing, without a savepoint, which SQLite does not grant inside a statement
 * that writes. (What can be left, where the disk is full right between the two, is the empty
 * tables.) A version number is never given twice: a drop keeps its row and only sets the model and
 * its golden rows to NULL. */
#include "sq_hbscore.h"

#include <string.h>

/* `golden` and `model` stand last: what reads the other columns never walks their pages (before
 * them, a model of 60 MB makes each look-up of a name take 33 ms; behind them, 0.1 ms). */
static const char table_text[] =
    "CREATE TABLE IF NOT EXISTS main.hbscore_models(\n"
    "  name TEXT NOT NULL,\n"
    "  version INTEGER NOT NULL,  -- 1, 2, ...: never used again\n"
    "  format TEXT NOT NULL,      -- that the bytes were read as\n"
    "  sha256 TEXT NOT NULL,      -- of the model\n"
    "  description TEXT,\n"
    "  options TEXT NOT NULL,     -- JSON, as registered but for golden\n"
    "  created_at TEXT NOT NULL,  -- UTC\n"
    "  created_by TEXT,           -- SQLite has no users: free for the application\n"
    "  golden TEXT,               -- JSON: rows and the trainer's own answers; NULL: none\n"
    "  model BLOB,                -- NULL: dropped\n"
    "  PRIMARY KEY (name, version))";

/* Which version a name means, alone ('default') and with an alias behind it. */
static const char aliases_text[] = "CREATE TABLE IF NOT EXISTS main.hbscore_aliases(\n"
                                   "  name TEXT NOT NULL,\n"
                                   "  alias TEXT NOT NULL,       -- 'default': what the name alone means\n"
                                   "  version INTEGER NOT NULL,  -- of hbscore_models, not dropped\n"
                                   "  deployed_at TEXT,          -- UTC\n"
                                   "  PRIMARY KEY (name, alias))";

static const char *const table_texts[] = {[SQ_MODELS] = table_text, [SQ_ALIASES] = aliases_text};

/* No row comes back where the numbers are used up, or a stranger's row has none that can be
 * counted. */
static const char insert_text[] =
    "INSERT INTO main.hbscore_models"
    " (name, version, format, sha256, description, options, created_at, golden, model)"
    " SELECT ?1, last + 1, ?2, ?3, ?4, ?5, datetime('now'), ?6, ?7"
    " FROM (SELECT coalesce(max(version), 0) AS last FROM main.hbscore_models WHERE name = ?1)"
    " WHERE typeof(last) = 'integer' AND last BETWEEN 0 AND 2147483646"
    " RETURNING version";

typedef struct registration {
    sq_connection *connection;
    hbs_text name;
    hbs_text bytes;
    hbs_text options;      /* "{}" where none were given */
    hbs_options_info info; /* of the options: `plain` is what is stored and `golden` what is checked */
    char format[32];
    uint8_t digest[32];
    char sha256[65];
    hbs_plan *plan;
} registration;

/* ------------------------------------------------------------------ before the database is
 * touched */

static int read_arguments(registration *r, int argc, sqlite3_value **argv, sq_error *error)
{
    int code = sq_value_text(argv[0], "a model's name", &r->name, error);

    if (code == SQLITE_OK)
        code = sq_name_check(r->name, error);
    if (code == SQLITE_OK)
        code = sq_value_model(argv[1], "the model", &r->bytes, error);
    r->options = (hbs_text){"{}", 2};
    if (code == SQLITE_OK && argc > 2 && sqlite3_value_type(argv[2]) != SQLITE_NULL)
        code = sq_value_text(argv[2], "the options argument", &r->options, error);
    return code;
}

static void write_hex(const uint8_t digest[32], char hex[65])
{
    for (int i = 0; i < 32; i++)
        sqlite3_snprintf(3, hex + 2 * i, "%02x", digest[i]);
}

/* Golden rows are kept with the model if it gives what they say, else it is not registered. */
static int check_golden(const registration *r, const char *name, sq_error *error)
{
    hbs_verification found;
    hbs_error core;
    host_shown shown;

    if (!r->info.golden.bytes)
        return SQLITE_OK;
    if (hbs_verify(r->plan, &r->connection->host, name, r->info.golden.bytes, r->info.golden.size, &found, &core) !=
        HBS_OK)
        return sq_fail_core(error, &core);
    if (found.ok)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR, "model \"%s\" does not give its golden rows: %s",
                   host_show(&shown, r->name.bytes, r->name.size), found.text);
}

/* Parsed, validated, compiled. */
static hbs_status understand_model(registration *r, const char *name, hbs_error *core)
{
    sq_connection *c = r->connection;
    hbs_limits limits = {.max_model_bytes = (size_t)c->settings.max_model_size};
    const hbs_compile_options how = sq_compile_options(c);
    hbs_source source = {.name = name, .bytes = r->bytes.bytes, .size = r->bytes.size, .sha256 = r->digest};
    hbs_model *model = NULL;
    hbs_status status = hbs_options_read(&c->host, r->options.bytes, r->options.size, &r->info, core);

    source.options = r->info.plain.bytes;
    source.options_size = r->info.plain.size;
    if (status == HBS_OK)
        status = hbs_sha256(&c->host, r->bytes.bytes, r->bytes.size, r->digest, core);
    if (status == HBS_OK)
        status = hbs_model_load(&c->host, &limits, &source, &model, core);
    if (status == HBS_OK) {
        sqlite3_snprintf((int)sizeof(r->format), r->format, "%s", hbs_model_format(model));
        status = hbs_plan_compile(model, &how, &r->plan, core);
    }
    hbs_model_free(model);
    if (status == HBS_OK)
        write_hex(r->digest, r->sha256);
    return status;
}

static int prepare_model(registration *r, sq_error *error)
{
    char name[HOST_MAX_NAME + 1];
    hbs_error core;
    int code;

    memcpy(name, r->name.bytes, r->name.size);
    name[r->name.size] = 0;
    code = sq_size_check(name, (sqlite3_int64)r->bytes.size, r->connection->settings.max_model_size, error);
    if (code != SQLITE_OK)
        return code;
    if (understand_model(r, name, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    return check_golden(r, name, error);
}

/* ------------------------------------------------------------------ writing */

int sq_table_make(sqlite3 *db, sq_table table, sq_error *error)
{
    int code = sq_table_check(db, "main", table, error);

    if (code != SQLITE_DONE)
        return code;
    code = sqlite3_exec(db, table_texts[table], NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return sq_fail_database(error, db, code);
    /* Another process may have been quicker, with anything. */
    code = sq_table_check(db, "main", table, error);
    return code == SQLITE_DONE ? sq_fail(error, SQLITE_ERROR, "a table of hbscore has gone away") : code;
}

/* A file with models and without hbscore_aliases is one of a former version of hbscore: it stays so
 * until something is deployed. */
static int make_tables(sqlite3 *db, sq_error *error)
{
    int code = sq_table_check(db, "main", SQ_MODELS, error);

    if (code != SQLITE_DONE)
        return code;
    code = sq_table_make(db, SQ_ALIASES, error);
    return code == SQLITE_OK ? sq_table_make(db, SQ_MODELS, error) : code;
}

int sq_write_run(sqlite3 *db, sqlite3_stmt *statement, int *rows, sqlite3_int64 *version, sq_error *error)
{
    int code;

    *rows = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        ++*rows;
        *version = sqlite3_column_int64(statement, 0);
    }
    return code == SQLITE_DONE ? SQLITE_OK : sq_fail_database(error, db, code);
}

static int bind_registration(const registration *r, sqlite3_stmt *insert)
{
    const hbs_text texts[] = {
        r->name, {r->format, strlen(r->format)}, {r->sha256, 64}, r->info.description, r->info.plain, r->info.golden};
    int code = SQLITE_OK;

    for (int i = 0; i < 6 && code == SQLITE_OK; i++)
        code = sqlite3_bind_text64(insert, i + 1, texts[i].bytes, texts[i].size, SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK)
        code = sqlite3_bind_blob64(insert, 7, r->bytes.bytes, r->bytes.size, SQLITE_STATIC);
    return code;
}

static int insert_model(const registration *r, sqlite3_int64 *version, sq_error *error)
{
    sqlite3 *db = r->connection->db;
    sqlite3_stmt *insert = NULL;
    host_shown shown;
    int rows = 0;
    int code = make_tables(db, error);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_prepare_v2(db, insert_text, -1, &insert, NULL);
    if (code == SQLITE_OK)
        code = bind_registration(r, insert);
    if (code != SQLITE_OK)
        sq_fail_database(error, db, code);
    else
        code = sq_write_run(db, insert, &rows, version, error);
    sqlite3_finalize(insert);
    if (code == SQLITE_OK && rows == 0)
        return sq_fail(error, SQLITE_ERROR,
                       "model \"%s\" was not stored: its version numbers are used up or damaged, or "
                       "a trigger on hbscore_models ignores new rows",
                       host_show(&shown, r->name.bytes, r->name.size));
    return code;
}

/* Puts the plan into the cache, so that the first score need not compile again. If that fails, the first score compiles
 * it. */
static void keep_plan(registration *r)
{
    const hbs_compile_options how = sq_compile_options(r->connection);
    uint8_t key[32];
    host_plan *kept;

    hbs_plan_key(r->digest, r->info.plain.bytes, r->info.plain.size, &how, key);
    kept = host_cache_add(&r->connection->plans, key, r->plan);
    r->plan = NULL;
    if (kept)
        host_cache_unpin(&r->connection->plans, kept);
}

/* ------------------------------------------------------------------ functions */

int sq_write_begin(sq_connection *connection, sq_error *error)
{
    if (connection->writing)
        return sq_fail(error, SQLITE_ERROR,
                       "a trigger on hbscore_models or hbscore_aliases cannot register, deploy or "
                       "drop models");
    connection->writing = true;
    return SQLITE_OK;
}

void sq_write_end(sq_connection *connection)
{
    connection->writing = false;
}

void sq_register(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    registration r = {.connection = sqlite3_user_data(context)};
    sqlite3_int64 version = 0;
    sq_error error;
    int code = sq_depth_check(r.connection, "hbscore_register", &error);

    if (code == SQLITE_OK)
        code = read_arguments(&r, argc, argv, &error);
    if (code == SQLITE_OK)
        code = prepare_model(&r, &error);
    if (code == SQLITE_OK)
        code = sq_write_begin(r.connection, &error);
    if (code == SQLITE_OK) {
        code = insert_model(&r, &version, &error);
        sq_write_end(r.connection);
    }
    if (code == SQLITE_OK) {
        keep_plan(&r);
        sqlite3_result_int64(context, version);
    } else {
        sq_report(context, &error);
    }
    hbs_plan_free(r.plan);
    hbs_options_free(&r.connection->host, &r.info);
}
