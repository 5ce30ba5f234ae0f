/* sq_missing.c - why a reference finds nothing, or a version is not dropped, in words that help: the
 * versions that there are, the aliases, or the names that come nearest. Only errors come here, so
 * that time does not matter, within bounds. */
#include "sq_hbscore.h"

#include <string.h>

enum {
    LISTED = HOST_NEAREST, /* names, versions or aliases that a message names */
    SEARCHED = 10000,      /* names that are compared, versions that are looked at */
    MOST_LIST = LISTED * (int)sizeof(host_shown) + 64
};

/* Appends to a message's list; what does not fit is left out. */
static void append_name(char *list, const char *format, const char *separator, const char *text)
{
    size_t n = strlen(list);

    sqlite3_snprintf(MOST_LIST - (int)n, list + n, format, n ? separator : "", text);
}

/* ------------------------------------------------------------------ names */

static void find_nearest(sq_connection *connection, const char *schema, hbs_text wanted, host_nearest *best)
{
    sqlite3_stmt *rows;

    sq_prepare(connection->db, &rows,
               "SELECT DISTINCT name FROM \"%w\".hbscore_models"
               " WHERE typeof(model) <> 'null' AND length(name) <= 255",
               schema);
    best->count = best->offered = 0;
    for (int i = 0; rows && i < SEARCHED && sqlite3_step(rows) == SQLITE_ROW; i++) {
        hbs_text name = {(const char *)sqlite3_column_text(rows, 0), (size_t)sqlite3_column_bytes(rows, 0)};

        if (name.bytes && name.size <= HOST_MAX_NAME)
            host_nearest_offer(best, wanted, name);
    }
    sqlite3_finalize(rows);
}

static int unknown_name(sq_connection *connection, const char *schema, hbs_text name, const char *shown,
                        sq_error *error)
{
    char list[MOST_LIST] = "";
    host_nearest best;

    find_nearest(connection, schema, name, &best);
    if (best.offered == 0)
        return sq_fail(error, SQLITE_ERROR,
                       "unknown model \"%s\": this database has no models (hbscore_register makes one)", shown);
    if (best.count == 0)
        return sq_fail(error, SQLITE_ERROR, "unknown model \"%s\" (hbscore_models lists the models)", shown);
    for (int i = 0; i < best.count; i++)
        append_name(list, "%s\"%s\"", ", ", best.name[i].text);
    return sq_fail(error, SQLITE_ERROR, "unknown model \"%s\"; the nearest name%s: %s", shown,
                   best.count == 1 ? " is" : "s are", list);
}

/* ------------------------------------------------------------------ versions */

typedef struct versions {
    int rows; /* also dropped ones */
    int alive;
    int waiting;  /* of those that are alive */
    bool dropped; /* the one that was asked for */
    bool present; /* it, or any where none was asked for, is there after all */
    char list[MOST_LIST];
} versions;

static void find_versions(sq_connection *connection, const char *schema, const host_reference *reference,
                          versions *found)
{
    sqlite3_stmt *rows;

    sq_prepare(connection->db, &rows,
               "SELECT version, typeof(model), " SQ_WAITS "(options) FROM \"%w\".hbscore_models"
               " WHERE name = ?1 ORDER BY version DESC",
               schema);
    memset(found, 0, sizeof(*found));
    if (rows &&
        sqlite3_bind_text(rows, 1, reference->name.bytes, (int)reference->name.size, SQLITE_STATIC) != SQLITE_OK) {
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
        if (!dropped && (!reference->version || sqlite3_column_int64(rows, 0) == reference->version))
            found->present = true;
        found->waiting += !dropped && sqlite3_column_int(rows, 2);
        if (!dropped && found->alive++ < LISTED)
            append_name(found->list, "%s%.20s", ", ", version ? version : "?");
    }
    sqlite3_finalize(rows);
}

/* An alias that hbscore_deploy did not leave so: it names a version that cannot be scored. */
static int lost_alias(const host_reference *reference, const versions *found, sq_error *error)
{
    host_shown name;
    host_shown alias;
    const char *of = found->alive == 0   ? "the model has no versions"
                     : found->alive == 1 ? "its version is "
                                         : "its versions are ";

    return sq_fail(error, SQLITE_ERROR,
                   "alias \"%s\" of model \"%s\" names version %lld, which %s (hbscore_deploy makes "
                   "it name another); %s%s%s",
                   host_show(&alias, reference->alias.bytes, reference->alias.size),
                   host_show(&name, reference->name.bytes, reference->name.size), reference->version,
                   found->dropped ? "was dropped" : "is not there", of, found->list,
                   found->alive > LISTED ? ", .." : "");
}

/* SQL errors on the way (no memory, an interrupt) only make the message shorter: the next call of
 * the application meets them itself. */
int sq_missing(sq_connection *connection, const char *schema, const host_reference *reference, sq_error *error)
{
    versions found;
    host_shown name;
    host_shown alias;
    const char *more;
    const char *of;
    int code = sq_table_check(connection->db, schema, SQ_MODELS, error);

    if (code != SQLITE_OK && code != SQLITE_DONE)
        return code;
    host_show(&name, reference->name.bytes, reference->name.size);
    find_versions(connection, schema, reference, &found);
    if (reference->alias.bytes && reference->version)
        return lost_alias(reference, &found, error);
    if (found.rows == 0)
        return unknown_name(connection, schema, reference->name, name.text, error);
    if (found.alive == 0)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" was dropped, with all its versions", name.text);
    more = found.alive > LISTED ? ", .." : "";
    of = found.alive == 1 ? "its version is" : "its versions are";
    if (reference->alias.bytes)
        return sq_fail(error, SQLITE_ERROR, "model \"%s\" has no alias \"%s\" (hbscore_deploy makes one); %s %s%s",
                       name.text, host_show(&alias, reference->alias.bytes, reference->alias.size), of, found.list,
                       more);
    if (!reference->version && found.waiting == found.alive)
        return sq_fail(error, SQLITE_ERROR,
                       "every version of model \"%s\" waits to be deployed (hbscore_deploy makes one current); %s %s%s",
                       name.text, of, found.list, more);
    if (found.present)
        return sq_fail(error, SQLITE_ERROR,
                       "model \"%s\" is not as it was a moment ago: another process has changed it, "
                       "or a trigger on hbscore_models ignores changes; %s %s%s",
                       name.text, of, found.list, more);
    if (found.dropped)
        return sq_fail(error, SQLITE_ERROR, "version %lld of model \"%s\" was dropped; %s %s%s", reference->version,
                       name.text, of, found.list, more);
    return sq_fail(error, SQLITE_ERROR, "model \"%s\" has no version %lld; %s %s%s", name.text, reference->version, of,
                   found.list, more);
}

/* ------------------------------------------------------------------ aliases */

static const char aliases_text[] =
    "SELECT a.alias FROM main.hbscore_aliases AS a WHERE a.name = ?1 AND a.version = ?2 AND EXISTS"
    " (SELECT 1 FROM main.hbscore_models AS m"
    "  WHERE m.name = ?1 AND m.version = ?2 AND typeof(m.model) <> 'null')"
    " ORDER BY a.alias";

/* Their number; -1: SQLite says why not. */
static int find_aliases(sqlite3 *db, const host_reference *version, char *list)
{
    sqlite3_stmt *rows = NULL;
    host_shown shown;
    int count = 0;
    int code = sqlite3_prepare_v2(db, aliases_text, -1, &rows, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_bind_text(rows, 1, version->name.bytes, (int)version->name.size, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(rows, 2, version->version);
    if (code == SQLITE_OK)
        code = sqlite3_step(rows);
    for (; code == SQLITE_ROW && count <= LISTED; code = sqlite3_step(rows)) {
        const char *alias = (const char *)sqlite3_column_text(rows, 0);

        if (count++ < LISTED)
            append_name(list, "%s\"%s\"", ", ",
                        host_show(&shown, alias ? alias : "", (size_t)sqlite3_column_bytes(rows, 0)));
    }
    sqlite3_finalize(rows);
    return code == SQLITE_ROW || code == SQLITE_DONE ? count : -1;
}

int sq_deployed(sq_connection *connection, const host_reference *version, sq_error *error)
{
    char list[MOST_LIST] = "";
    host_shown name;
    int count;
    int code = sq_table_check(connection->db, "main", SQ_ALIASES, error);

    if (code != SQLITE_OK)
        return code == SQLITE_DONE ? SQLITE_OK : code;
    count = find_aliases(connection->db, version, list);
    if (count < 0)
        return sq_fail_database(error, connection->db, sqlite3_errcode(connection->db));
    if (count == 0)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR,
                   "version %lld of model \"%s\" is deployed, alias%s %s%s: hbscore_deploy another "
                   "version first, or drop the whole model",
                   version->version, host_show(&name, version->name.bytes, version->name.size), count == 1 ? "" : "es",
                   list, count > LISTED ? ", .." : "");
}
