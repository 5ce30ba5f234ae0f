/* sq_missing.c - why a reference finds nothing, in words that help: the versions that there are, or
 * the names that come nearest. Only errors come here, so that time does not matter, within
 * bounds. */
#include "sq_hbscore.h"

#include <string.h>

enum {
    LISTED = 3,       /* names or versions that a message names */
    SEARCHED = 10000, /* names that are compared, versions that are looked at */
    MOST_LIST = LISTED * (int)sizeof(sq_shown) + 64
};

/* Appends to a message's list; what does not fit is left out. */
static void append(char *list, const char *format, const char *separator, const char *text)
{
    size_t n = strlen(list);

    sqlite3_snprintf(MOST_LIST - (int)n, list + n, format, n ? separator : "", text);
}

static sqlite3_stmt *ask(sq_connection *connection, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    sqlite3_prepare_v2(connection->db, sql, -1, &statement, NULL);
    return statement;
}

/* ------------------------------------------------------------------ names */

/* Bytes to insert, remove or replace, letters compared without case. */
static int distance(hbs_text a, hbs_text b)
{
    int row[SQ_MAX_NAME + 1];

    for (size_t j = 0; j <= b.size; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a.size; i++) {
        int diagonal = row[0];

        row[0] = (int)i;
        for (size_t j = 1; j <= b.size; j++) {
            bool same = sqlite3_strnicmp(a.bytes + i - 1, b.bytes + j - 1, 1) == 0;
            int best = diagonal + !same;

            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b.size];
}

typedef struct nearest {
    int count;
    int distance[LISTED];
    sq_shown name[LISTED];
} nearest;

static void offer(nearest *best, hbs_text wanted, hbs_text name)
{
    int far = distance(wanted, name);
    int at = best->count < LISTED ? best->count : LISTED;

    while (at > 0 && best->distance[at - 1] > far)
        at--;
    if (at == LISTED)
        return;
    if (best->count < LISTED)
        best->count++;
    for (int i = best->count - 1; i > at; i--) {
        best->distance[i] = best->distance[i - 1];
        best->name[i] = best->name[i - 1];
    }
    best->distance[at] = far;
    sq_show(&best->name[at], name.bytes, name.size);
}

static void find_nearest(sq_connection *connection, hbs_text wanted, nearest *best)
{
    sqlite3_stmt *rows = ask(connection, "SELECT DISTINCT name FROM main.hbscore_models"
                                         " WHERE typeof(model) <> 'null' AND length(name) <= 255");

    best->count = 0;
    for (int i = 0; rows && i < SEARCHED && sqlite3_step(rows) == SQLITE_ROW; i++) {
        hbs_text name = {(const char *)sqlite3_column_text(rows, 0),
                         (size_t)sqlite3_column_bytes(rows, 0)};

        if (name.bytes && name.size <= SQ_MAX_NAME)
            offer(best, wanted, name);
    }
    sqlite3_finalize(rows);
}

static int unknown_name(sq_connection *connection, hbs_text name, const char *shown,
                        sq_error *error)
{
    char list[MOST_LIST] = "";
    nearest best;

    find_nearest(connection, name, &best);
    if (best.count == 0)
        return sq_fail(
            error, SQLITE_ERROR,
            "unknown model \"%s\": this database has no models (hbscore_register makes one)",
            shown);
    for (int i = 0; i < best.count; i++)
        append(list, "%s\"%s\"", ", ", best.name[i].text);
    return sq_fail(error, SQLITE_ERROR, "unknown model \"%s\"; the nearest name%s: %s", shown,
                   best.count == 1 ? " is" : "s are", list);
}

/* ------------------------------------------------------------------ versions */

typedef struct versions {
    int rows; /* also dropped ones */
    int alive;
    bool dropped; /* the one that was asked for */
    char list[MOST_LIST];
} versions;

static void find_versions(sq_connection *connection, const sq_reference *reference, versions *found)
{
    sqlite3_stmt *rows = ask(connection, "SELECT version, typeof(model) FROM main.hbscore_models"
                                         " WHERE name = ?1 ORDER BY version DESC");

    memset(found, 0, sizeof(*found));
    if (rows && sqlite3_bind_text(rows, 1, reference->name.bytes, (int)reference->name.size,
                                  SQLITE_STATIC) != SQLITE_OK) {
        sqlite3_finalize(rows);
        return;
    }
    while (rows && found->rows < SEARCHED && sqlite3_step(rows) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(rows, 1);
        bool dropped = type && strcmp(type, "null") == 0;
        const char *version = (const char *)sqlite3_column_text(rows, 0);

        found->rows++;
        if (dropped && sqlite3_column_int64(rows, 0) == reference->version)
            found->dropped = true;
        if (!dropped && found->alive++ < LISTED)
            append(found->list, "%s%.20s", ", ", version ? version : "?");
    }
    sqlite3_finalize(rows);
}

/* SQL errors on the way (no memory, an interrupt) only make the message shorter: the next call of
 * the application meets them itself. */
int sq_missing(sq_connection *connection, const sq_reference *reference, sq_error *error)
{
    versions found;
    sq_shown name;
    sq_shown alias;
    const char *more;
    const char *of;
    int code = sq_table_check(connection->db, error);

    if (code != SQLITE_OK && code != SQLITE_DONE)
        return code;
    sq_show(&name, reference->name.bytes, reference->name.size);
    find_versions(connection, reference, &found);
    if (found.rows == 0)
        return unknown_name(connection, reference->name, name.text, error);
    if (found.alive == 0)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" was dropped, with all its versions",
                       name.text);
    more = found.alive > LISTED ? ", .." : "";
    of = found.alive == 1 ? "its version is" : "its versions are";
    if (reference->alias.bytes)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" has no alias \"%s\"; %s %s%s", name.text,
                       sq_show(&alias, reference->alias.bytes, reference->alias.size), of,
                       found.list, more);
    if (found.dropped)
        return sq_fail(error, SQLITE_ERROR, "version %lld of model \"%s\" was dropped; %s %s%s",
                       reference->version, name.text, of, found.list, more);
    return sq_fail(error, SQLITE_ERROR, "model \"%s\" has no version %lld; %s %s%s", name.text,
                   reference->version, of, found.list, more);
}
