/* sqlite.c - prepared statements of SQLite. It loads the extension itself: some builds of Python cannot. */
#include "native.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_STATEMENTS = 64 };

typedef struct connection {
    sqlite3 *db;
    sqlite3_stmt *statements[MOST_STATEMENTS]; /* NULL: the place is free */
    char error[ERROR_SIZE];
} connection;

const char *sqlite_error(void *handle)
{
    return ((connection *)handle)->error;
}

void sqlite_close(void *handle)
{
    connection *c = handle;

    if (!c)
        return;
    for (int i = 0; i < MOST_STATEMENTS; i++)
        sqlite3_finalize(c->statements[i]);
    sqlite3_close(c->db);
    free(c);
}

static int load(connection *c, const char *extension, char *error)
{
    char *why = NULL;
    int status;

    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    status = sqlite3_load_extension(c->db, extension, NULL, &why);
    if (status != SQLITE_OK)
        native_fail(error, "cannot load the extension", why);
    sqlite3_free(why);
    return status;
}

void *sqlite_open(const char *path, const char *extension, char *error)
{
    connection *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    if (sqlite3_open_v2(path, &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        native_fail(error, path, sqlite3_errmsg(c->db));
    } else {
        sqlite3_busy_timeout(c->db, 10000);
        if (!*extension || load(c, extension, error) == SQLITE_OK)
            return c;
    }
    sqlite_close(c);
    return NULL;
}

int32_t sqlite_add(void *handle, const char *sql)
{
    connection *c = handle;
    int32_t place = 0;

    while (place < MOST_STATEMENTS && c->statements[place])
        place++;
    if (place == MOST_STATEMENTS)
        return native_fail(c->error, "too many statements", NULL);
    if (sqlite3_prepare_v3(c->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &c->statements[place], NULL) != SQLITE_OK)
        return native_fail(c->error, sqlite3_errmsg(c->db), sql);
    return place;
}

int32_t sqlite_drop(void *handle, int32_t number)
{
    connection *c = handle;

    sqlite3_finalize(c->statements[number]);
    c->statements[number] = NULL;
    return 0;
}

static void store(sqlite3_stmt *statement, int columns, double *out)
{
    for (int i = 0; i < columns; i++)
        out[i] = sqlite3_column_type(statement, i) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, i);
}

static void bind_keys(sqlite3_stmt *statement, const int64_t *keys, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sqlite3_bind_int64(statement, (int)i + 1, keys[i]);
}

static void bind_values(sqlite3_stmt *statement, const double *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++) /* SQLite binds NaN as NULL */
        sqlite3_bind_double(statement, (int)i + 1, values[i]);
}

/* Executes a statement whose parameters are bound. */
static int64_t execute(connection *c, sqlite3_stmt *statement, double *out, int64_t most, int64_t width)
{
    int64_t rows = 0;
    int step, status;

    while ((step = sqlite3_step(statement)) == SQLITE_ROW && rows < most && sqlite3_column_count(statement) == width)
        store(statement, (int)width, out + rows++ * width);
    status = sqlite3_reset(statement);
    if (step == SQLITE_ROW)
        return native_fail(c->error, "a statement gave more rows, or other columns, than were asked for", NULL);
    return status == SQLITE_OK ? rows : native_fail(c->error, sqlite3_errmsg(c->db), NULL);
}

int64_t sqlite_run(void *handle, int32_t number, const int64_t *keys, int64_t n, double *out, int64_t most,
                   int64_t width, int64_t *inner)
{
    connection *c = handle;
    int64_t begin = native_now();
    int64_t rows;

    bind_keys(c->statements[number], keys, n);
    rows = execute(c, c->statements[number], out, most, width);
    *inner = native_now() - begin;
    return rows;
}

int64_t sqlite_values(void *handle, int32_t number, const double *values, int64_t n, double *out, int64_t most,
                      int64_t width, int64_t *inner)
{
    connection *c = handle;
    int64_t begin = native_now();
    int64_t rows;

    bind_values(c->statements[number], values, n);
    rows = execute(c, c->statements[number], out, most, width);
    *inner = native_now() - begin;
    return rows;
}

static int64_t row_bytes(sqlite3_stmt *statement)
{
    int64_t bytes = 0;

    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        int type = sqlite3_column_type(statement, i);

        bytes += type == SQLITE_NULL                              ? 0
                 : type == SQLITE_INTEGER || type == SQLITE_FLOAT ? 8
                                                                  : sqlite3_column_bytes(statement, i);
    }
    return bytes;
}

/* Executes a statement, whose rows nobody keeps; `bytes` is NULL, or gets those of the values. */
static int step_through(sqlite3_stmt *statement, const int64_t *keys, const double *values, int64_t n, int64_t *bytes)
{
    if (keys)
        bind_keys(statement, keys, n);
    else
        bind_values(statement, values, n);
    while (sqlite3_step(statement) == SQLITE_ROW)
        if (bytes)
            *bytes += row_bytes(statement);
    return sqlite3_reset(statement);
}

int64_t sqlite_times(void *handle, int32_t number, const int64_t *keys, const double *values, int64_t n, int64_t *times)
{
    connection *c = handle;
    sqlite3_stmt *statement;
    int64_t begin = native_now();
    int status =
        sqlite3_prepare_v3(c->db, sqlite3_sql(c->statements[number]), -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);

    times[0] = native_now() - begin;
    begin = native_now();
    if (status == SQLITE_OK)
        status = step_through(statement, keys, values, n, NULL);
    times[1] = native_now() - begin;
    if (status != SQLITE_OK)
        native_fail(c->error, sqlite3_errmsg(c->db), NULL);
    sqlite3_finalize(statement);
    return status == SQLITE_OK ? 0 : -1;
}

int64_t sqlite_counts(void *handle, int32_t number, const int64_t *keys, const double *values, int64_t n,
                      int64_t *counts)
{
    static const int of_cache[] = {SQLITE_DBSTATUS_CACHE_HIT, SQLITE_DBSTATUS_CACHE_MISS};
    static const int of_statement[] = {SQLITE_STMTSTATUS_FULLSCAN_STEP, SQLITE_STMTSTATUS_SORT,
                                       SQLITE_STMTSTATUS_VM_STEP};
    connection *c = handle;
    sqlite3_stmt *statement = c->statements[number];
    int status = SQLITE_OK, count, highest;

    for (int i = 0; i < 2; i++)
        sqlite3_db_status(c->db, of_cache[i], &count, &highest, 1);
    for (int i = 0; i < 3; i++)
        sqlite3_stmt_status(statement, of_statement[i], 1);
    status = step_through(statement, keys, values, n, NULL);
    for (int i = 0; i < 2; i++) {
        sqlite3_db_status(c->db, of_cache[i], &count, &highest, 0);
        counts[i] = count;
    }
    for (int i = 0; i < 3; i++)
        counts[2 + i] = sqlite3_stmt_status(statement, of_statement[i], 0);
    return status == SQLITE_OK ? 0 : native_fail(c->error, sqlite3_errmsg(c->db), NULL);
}

int64_t sqlite_received(void *handle, int32_t number, const int64_t *keys, const double *values, int64_t n)
{
    connection *c = handle;
    int64_t bytes = 0;

    if (step_through(c->statements[number], keys, values, n, &bytes) == SQLITE_OK)
        return bytes;
    return native_fail(c->error, sqlite3_errmsg(c->db), NULL);
}
