/* sq_models.c - what hbscore_models and hbscore_aliases hold: which version a reference means, and
 * its plan.
 *
 * The tables are ordinary ones, so any program can write them: nothing read from them is trusted. A
 * stored digest only says which plan to look for. When a plan is made, the digest is computed again
 * from the bytes, and the bytes are parsed and validated again. */
#include "sq_hbscore.h"

#include <string.h>

/* ------------------------------------------------------------------ the tables */

static const char *const models_columns[] = {"name",       "version",    "format", "sha256", "description", "options",
                                             "created_at", "created_by", "golden", "model",  NULL};
static const char *const aliases_columns[] = {"name", "alias", "version", "deployed_at", NULL};

static const struct {
    const char *name;
    const char *const *columns;
} tables[] = {
    [SQ_MODELS] = {"hbscore_models", models_columns},
    [SQ_ALIASES] = {"hbscore_aliases", aliases_columns},
};

/* A table that has our name and is not ours, in words. */
static int refuse_table(const char *schema, sq_table table, const char *why, sq_error *error)
{
    host_shown shown;

    return sq_fail(error, SQLITE_ERROR, "%s.%s is not hbscore's: it %s", host_show(&shown, schema, strlen(schema)),
                   tables[table].name, why);
}

/* SQLITE_ROW: there is a table or view of that name, `*stored` if an ordinary table. */
static int look_up(sqlite3 *db, const char *schema, sq_table table, bool *stored, sq_error *error)
{
    sqlite3_stmt *statement;
    /* A view and a virtual table have no root page. */
    int code = sq_prepare(db, &statement,
                          "SELECT type = 'table' AND rootpage > 0 FROM \"%w\".sqlite_master"
                          " WHERE name = '%s' COLLATE NOCASE AND type IN ('table', 'view')",
                          schema, tables[table].name);

    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            *stored = sqlite3_column_int(statement, 0);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        sq_fail_database(error, db, code);
    sqlite3_finalize(statement);
    return code;
}

static bool is_one_of(const char *name, const char *const *columns)
{
    while (*columns && sqlite3_stricmp(name, *columns) != 0)
        columns++;
    return *columns;
}

/* The table must have our columns as stored ones: a generated column is an expression, which would
 * run whenever it is read. */
static int count_columns(sqlite3 *db, const char *schema, sq_table table, int *count, sq_error *error)
{
    sqlite3_stmt *statement;
    int code = sq_prepare(db, &statement, "PRAGMA \"%w\".table_xinfo(%s)", schema, tables[table].name);

    *count = 0;
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        bool stored = sqlite3_column_int(statement, 6) == 0;

        *count += stored && name && is_one_of(name, tables[table].columns);
    }
    if (code != SQLITE_DONE)
        sq_fail_database(error, db, code);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int check_columns(sqlite3 *db, const char *schema, sq_table table, sq_error *error)
{
    const char *const *columns = tables[table].columns;
    char why[192] = "lacks one of the columns ";
    int found;
    int wanted = 0;
    int code = count_columns(db, schema, table, &found, error);

    if (code != SQLITE_OK)
        return code;
    for (; columns[wanted]; wanted++) {
        size_t n = strlen(why);

        sqlite3_snprintf((int)(sizeof(why) - n), why + n, "%s%s", wanted ? ", " : "", columns[wanted]);
    }
    return found == wanted ? SQLITE_OK : refuse_table(schema, table, why, error);
}

int sq_table_check(sqlite3 *db, const char *schema, sq_table table, sq_error *error)
{
    bool stored = false;
    int code = look_up(db, schema, table, &stored, error);

    if (code != SQLITE_ROW)
        return code;
    if (!stored)
        return refuse_table(schema, table, "is no ordinary table", error);
    return check_columns(db, schema, table, error);
}

/* ------------------------------------------------------------------ a row */

/* A row that no hbscore_register wrote. */
static int refuse_row(sq_error *error, const char *schema, const char *shown, const char *what)
{
    bool elsewhere = strcmp(schema, "main") != 0;
    host_shown where;

    return sq_fail(error, SQLITE_ERROR, "model \"%s\": its row in %s%shbscore_models is damaged: %s", shown,
                   elsewhere ? host_show(&where, schema, strlen(schema)) : "", elsewhere ? "." : "", what);
}

/* The digest as stored: 64 hex digits in lower case. */
static bool read_digest(sqlite3_stmt *statement, int column, uint8_t digest[32])
{
    const char *text;

    if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
        return false;
    text = (const char *)sqlite3_column_text(statement, column);
    if (!text || sqlite3_column_bytes(statement, column) != 64)
        return false;
    for (int i = 0; i < 32; i++) {
        int high = host_hex_digit(text[2 * i]);
        int low = host_hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        digest[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* The options as stored; NULL in the column is none. */
static bool read_options(sqlite3_stmt *statement, int column, hbs_text *options)
{
    int type = sqlite3_column_type(statement, column);

    *options = (hbs_text){NULL, 0};
    if (type == SQLITE_NULL)
        return true;
    options->bytes = (const char *)sqlite3_column_text(statement, column);
    options->size = (size_t)sqlite3_column_bytes(statement, column);
    return type == SQLITE_TEXT && options->bytes;
}

/* ------------------------------------------------------------------ which version */

int sq_size_check(const char *shown, sqlite3_int64 size, sqlite3_int64 most, sq_error *error)
{
    if (size <= most)
        return SQLITE_OK;
    if (most == (sqlite3_int64)HBS_HARD_MAX_MODEL_BYTES)
        return sq_fail(error, SQLITE_TOOBIG, "model \"%s\" has %lld bytes, more than any model may have (%lld)", shown,
                       size, most);
    return sq_fail(error, SQLITE_TOOBIG,
                   "model \"%s\" has %lld bytes, more than max_model_size (%lld): "
                   "hbscore_set('max_model_size', ...) raises it",
                   shown, size, most);
}

/* The version that a reference means. */
typedef struct resolved {
    sqlite3_int64 version;
    uint8_t digest[32]; /* as it is stored */
    uint8_t key[32];    /* hbs_plan_key of the stored digest and options */
} resolved;

/* If an alias names the version, `wanted` gets both, for messages. */
static int read_alias(sqlite3_stmt *row, host_reference *wanted, sq_error *error)
{
    host_shown name;
    host_shown alias;

    if (!sqlite3_column_int(row, 5))
        return SQLITE_OK;
    if (!wanted->alias.bytes)
        wanted->alias = (hbs_text){HOST_DEFAULT_ALIAS, strlen(HOST_DEFAULT_ALIAS)};
    wanted->version = sqlite3_column_int64(row, 6);
    if (sqlite3_column_type(row, 6) == SQLITE_INTEGER && wanted->version >= 1)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR,
                   "alias \"%s\" of model \"%s\" is damaged: its version in hbscore_aliases is no "
                   "positive integer (hbscore_deploy sets it)",
                   host_show(&alias, wanted->alias.bytes, wanted->alias.size),
                   host_show(&name, wanted->name.bytes, wanted->name.size));
}

/* The row of a query that resolves; SQLITE_DONE: the version was dropped, or is not there. */
static int read_resolved(sq_connection *connection, const char *schema, sqlite3_stmt *row, host_reference *wanted,
                         resolved *found, sq_error *error)
{
    const hbs_compile_options how = sq_compile_options(connection);
    hbs_text options;
    hbs_error core;
    host_shown shown;
    const char *type = (const char *)sqlite3_column_text(row, 3);
    int code = read_alias(row, wanted, error);

    if (code != SQLITE_OK)
        return code;
    host_show(&shown, wanted->name.bytes, wanted->name.size);
    found->version = sqlite3_column_int64(row, 0);
    if (!type)
        return sq_fail_memory(error);
    if (strcmp(type, "null") == 0)
        return SQLITE_DONE;
    if (sqlite3_column_type(row, 0) != SQLITE_INTEGER || found->version < 1)
        return refuse_row(error, schema, shown.text, "the version is no positive integer");
    if (strcmp(type, "blob") != 0)
        return refuse_row(error, schema, shown.text, "the model is no blob");
    if (!read_digest(row, 1, found->digest))
        return refuse_row(error, schema, shown.text, "sha256 is not 64 hex digits");
    if (!read_options(row, 2, &options))
        return refuse_row(error, schema, shown.text, "the options are no text");
    code = sq_size_check(shown.text, sqlite3_column_int64(row, 4), (sqlite3_int64)HBS_HARD_MAX_MODEL_BYTES, error);
    if (code == SQLITE_OK)
        code = sq_core(host_digest_check(wanted, found->digest, shown.text, &core), &core, error);
    if (code == SQLITE_OK)
        hbs_plan_key(found->digest, options.bytes, options.size, &how, found->key);
    return code;
}

static int resolve_reference(sq_connection *connection, const char *schema, const host_reference *reference,
                             resolved *found, sq_error *error)
{
    sq_query query = reference->version ? SQ_VERSION : reference->alias.bytes ? SQ_ALIAS : SQ_DEFAULT;
    host_reference wanted = *reference;
    sqlite3_stmt *row;
    int code = sq_query_start(connection, schema, query, reference, &row, error);

    if (code == SQLITE_ROW) {
        code = read_resolved(connection, schema, row, &wanted, found, error);
        sq_query_end(connection, query, row);
    }
    return code == SQLITE_DONE ? sq_missing(connection, schema, &wanted, error) : code;
}

/* ------------------------------------------------------------------ its bytes */

/* A version as it is stored. */
typedef struct stored {
    hbs_source source;
    uint8_t digest[32];
} stored;

/* Reads a row of SQ_MODEL or SQ_GOLDEN, which owns the bytes. *version points into itself, so do not move it. */
static int read_stored(const char *schema, sqlite3_stmt *row, const char *shown, stored *version, sq_error *error)
{
    hbs_source *source = &version->source;
    hbs_text options;

    if (sqlite3_column_type(row, 2) == SQLITE_NULL)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" was dropped", shown);
    if (sqlite3_column_type(row, 2) != SQLITE_BLOB)
        return refuse_row(error, schema, shown, "the model is no blob");
    if (!read_digest(row, 0, version->digest))
        return refuse_row(error, schema, shown, "sha256 is not 64 hex digits");
    if (!read_options(row, 1, &options))
        return refuse_row(error, schema, shown, "the options are no text");
    *source = (hbs_source){.name = shown, .sha256 = version->digest};
    source->bytes = sqlite3_column_blob(row, 2);
    source->size = (size_t)sqlite3_column_bytes(row, 2);
    if (!source->bytes) {
        if (source->size > 0)
            return sq_fail_memory(error);
        source->bytes = ""; /* SQLite gives NULL for an empty blob */
    }
    source->options = options.bytes;
    source->options_size = options.size;
    return SQLITE_OK;
}

/* Bytes and options to a model; the digest that the row claims must be that of its bytes. */
static int parse_model(sq_connection *connection, const char *schema, const stored *version, hbs_model **model,
                       sq_error *error)
{
    const hbs_source *source = &version->source;
    /* max_model_size applied when the model was registered, perhaps on another connection */
    hbs_limits limits = {.max_model_bytes = HBS_HARD_MAX_MODEL_BYTES};
    hbs_error core;
    uint8_t digest[32];

    if (hbs_sha256(&connection->host, source->bytes, source->size, digest, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    if (memcmp(digest, source->sha256, sizeof(digest)) != 0)
        return refuse_row(error, schema, source->name, "its bytes do not have the stored SHA-256");
    if (hbs_model_load(&connection->host, &limits, source, model, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    return SQLITE_OK;
}

static int compile_plan(sq_connection *connection, const char *schema, const stored *version, hbs_plan **plan,
                        sq_error *error)
{
    const hbs_compile_options how = sq_compile_options(connection);
    hbs_model *model = NULL;
    hbs_error core;
    int code = parse_model(connection, schema, version, &model, error);

    if (code == SQLITE_OK && hbs_plan_compile(model, &how, plan, &core) != HBS_OK)
        code = sq_fail_core(error, &core);
    hbs_model_free(model);
    return code;
}

/* The row of a query that reads one version's bytes. */
static int start_reading(sq_connection *connection, const char *schema, sq_query query, const host_reference *version,
                         const char *shown, sqlite3_stmt **row, sq_error *error)
{
    int code = sq_query_start(connection, schema, query, version, row, error);

    if (code == SQLITE_DONE)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" was deleted", shown);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* ------------------------------------------------------------------ its plan */

/* The row of SQ_MODEL. Its version may have changed since it was resolved, where no transaction
 * holds the snapshot: so everything is taken from this row. */
static int load_row(sq_connection *connection, const char *schema, sqlite3_stmt *row, const char *shown,
                    host_plan **plan, sq_error *error)
{
    const hbs_compile_options how = sq_compile_options(connection);
    hbs_plan *compiled = NULL;
    stored version;
    uint8_t key[32];
    int code = read_stored(schema, row, shown, &version, error);

    if (code == SQLITE_OK)
        code = compile_plan(connection, schema, &version, &compiled, error);
    if (code != SQLITE_OK)
        return code;
    hbs_plan_key(version.digest, version.source.options, version.source.options_size, &how, key);
    *plan = host_cache_add(&connection->plans, key, compiled);
    return *plan ? SQLITE_OK : sq_fail_memory(error);
}

/* `shown` is the reference that messages name. */
static int load_plan(sq_connection *connection, const char *schema, const host_reference *version, const char *shown,
                     host_plan **plan, sq_error *error)
{
    sqlite3_stmt *row;
    int code = start_reading(connection, schema, SQ_MODEL, version, shown, &row, error);

    if (code != SQLITE_OK)
        return code;
    SQ_COUNT(connection, loads, 1);
    code = load_row(connection, schema, row, shown, plan, error);
    sq_query_end(connection, SQ_MODEL, row);
    return code;
}

int sq_models_find(sq_connection *connection, const char *schema, hbs_text text, sq_found *found, sq_error *error)
{
    host_reference reference;
    host_reference version = {.version = 0};
    resolved what;
    int code = sq_reference_read(text, &reference, error);

    SQ_COUNT(connection, resolves, 1);
    if (code == SQLITE_OK)
        code = resolve_reference(connection, schema, &reference, &what, error);
    if (code != SQLITE_OK)
        return code;
    version.name = reference.name;
    version.version = what.version;
    found->version = what.version;
    found->name_size = reference.name.size;
    sqlite3_snprintf((int)sizeof(found->shown), found->shown, "%.*s@%lld", (int)reference.name.size,
                     reference.name.bytes, what.version);
    found->plan = host_cache_find(&connection->plans, what.key);
    if (!found->plan)
        code = load_plan(connection, schema, &version, found->shown, &found->plan, error);
    return code;
}

int sq_models_version(sq_connection *connection, const host_reference *reference, sqlite3_int64 *version,
                      uint8_t digest[32], sq_error *error)
{
    resolved what;
    int code = resolve_reference(connection, "main", reference, &what, error);

    if (code != SQLITE_OK)
        return code;
    *version = what.version;
    if (digest)
        memcpy(digest, what.digest, sizeof(what.digest));
    return SQLITE_OK;
}

int sq_models_named(sq_connection *connection, sqlite3_value *value, host_reference *version, char shown[SQ_SHOWN],
                    sq_error *error)
{
    host_reference reference;
    hbs_text text;
    int code = sq_value_text(value, "a model reference", &text, error);

    *version = (host_reference){.version = 0};
    if (code == SQLITE_OK)
        code = sq_reference_read(text, &reference, error);
    if (code == SQLITE_OK)
        code = sq_models_version(connection, &reference, &version->version, NULL, error);
    if (code != SQLITE_OK)
        return code;
    version->name = reference.name;
    sqlite3_snprintf(SQ_SHOWN, shown, "%.*s@%lld", (int)version->name.size, version->name.bytes, version->version);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ what it is */

int sq_models_parse(sq_connection *connection, const host_reference *version, const char *shown, hbs_model **model,
                    sq_error *error)
{
    stored read;
    sqlite3_stmt *row;
    int code = start_reading(connection, "main", SQ_MODEL, version, shown, &row, error);

    if (code != SQLITE_OK)
        return code;
    code = read_stored("main", row, shown, &read, error);
    if (code == SQLITE_OK)
        code = parse_model(connection, "main", &read, model, error);
    sq_query_end(connection, SQ_MODEL, row);
    return code;
}

int sq_models_describe(sq_connection *connection, const host_reference *version, const char *shown,
                       hbs_description **description, sq_error *error)
{
    const hbs_compile_options how = sq_compile_options(connection);
    hbs_model *model = NULL;
    hbs_error core;
    int code = sq_models_parse(connection, version, shown, &model, error);

    if (code == SQLITE_OK && hbs_plan_describe(model, &how, description, &core) != HBS_OK)
        code = sq_fail_core(error, &core);
    hbs_model_free(model);
    return code;
}

/* ------------------------------------------------------------------ its golden rows */

static int verify_plan(sq_connection *connection, sqlite3_stmt *row, const char *shown, const hbs_plan *plan,
                       hbs_verification *found, sq_error *error)
{
    int type = sqlite3_column_type(row, 3);
    const char *text;
    size_t size;
    hbs_error core;

    if (type == SQLITE_NULL)
        return SQLITE_OK;
    if (type != SQLITE_TEXT)
        return refuse_row(error, "main", shown, "the golden rows are no text");
    text = (const char *)sqlite3_column_text(row, 3);
    size = (size_t)sqlite3_column_bytes(row, 3);
    if (!text)
        return sq_fail_memory(error);
    if (hbs_verify(plan, &connection->host, shown, text, size, found, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    return SQLITE_OK;
}

static int verify_row(sq_connection *connection, sqlite3_stmt *row, const char *shown, hbs_verification *found,
                      sq_error *error)
{
    hbs_plan *plan = NULL;
    stored version;
    int code = read_stored("main", row, shown, &version, error);

    if (code == SQLITE_OK)
        code = compile_plan(connection, "main", &version, &plan, error);
    if (code == SQLITE_OK)
        code = verify_plan(connection, row, shown, plan, found, error);
    hbs_plan_free(plan);
    return code;
}

int sq_models_verify(sq_connection *connection, const host_reference *version, const char *shown,
                     hbs_verification *found, sq_error *error)
{
    sqlite3_stmt *row;
    int code = start_reading(connection, "main", SQ_GOLDEN, version, shown, &row, error);

    memset(found, 0, sizeof(*found));
    if (code != SQLITE_OK)
        return code;
    code = verify_row(connection, row, shown, found, error);
    sq_query_end(connection, SQ_GOLDEN, row);
    return code;
}
