/* test_golden.c - golden rows in files: on read-only ones, very many of them, and what they cost those who do
 * not ask for them. */
#include "sqlite_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW "[1,\"female\",29,0,0,211.3375,\"S\"]"

/* Options with `rows` golden rows and `space` bytes of white space among them. Must be freed. */
static char *make_options(int rows, size_t space)
{
    char *text = malloc((size_t)rows * 60 + space + 200), *at = text;

    if (!text)
        exit(2);
    at += sprintf(at, "{\"classes\":[\"died\",\"survived\"],\"golden\":{\"rows\":[");
    for (int i = 0; i < rows; i++)
        at += sprintf(at, "%s" ROW, i ? "," : "");
    at += sprintf(at, "],");
    memset(at, ' ', space);
    at += sprintf(at + space, "\"prediction\":[") + (int)space;
    for (int i = 0; i < rows; i++)
        at += sprintf(at, "%s\"survived\"", i ? "," : "");
    sprintf(at, "]}}");
    return text;
}

static void make_file(const char *path, int rows, size_t space)
{
    char *options = make_options(rows, space);
    sqlite3 *db = t_open(path);

    t_check("", t_register(db, "titanic", t_titanic(), options) == SQLITE_OK, "register: %s", sqlite3_errmsg(db));
    t_close(db);
    free(options);
}

static void answers(sqlite3 *db)
{
    t_is("R3", db, "SELECT version || ' ' || rows || ' ' || ok FROM hbscore_verify('titanic')", "1 2 1");
    t_is("R3", db, "SELECT count(*) > 10 FROM hbscore_plan('titanic')", "1");
}

static void read_only(void)
{
    const char *path = t_path("golden.db");
    char uri[1024];
    sqlite3 *db;

    make_file(path, 2, 0);
    db = t_open_flags(path, SQLITE_OPEN_READONLY);
    answers(db);
    t_close(db);
    snprintf(uri, sizeof(uri), "file:%s?immutable=1", path);
    db = t_open_flags(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    answers(db);
    t_close(db);
}

static int misses(sqlite3 *db)
{
    int now = 0, high;

    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &now, &high, 1);
    return now;
}

/* To find a version, and to score with a plan that is there, reads a few pages, however many golden rows
 * and however large the model. */
static void others_do_not_read_them(void)
{
    const char *path = t_path("large.db");
    sqlite3 *db;
    int few, all;

    make_file(path, 1, 8 << 20);
    db = t_open(path);
    t_do(db, "PRAGMA cache_size = 20");
    t_is("", db, T_SCORED("titanic"), "1");
    misses(db);
    t_is("", db, T_SCORED("titanic"), "1");
    t_is("", db, "SELECT version || ' ' || options FROM hbscore_models", "1 {\"classes\":[\"died\",\"survived\"]}");
    few = misses(db);
    t_is("", db, "SELECT ok FROM hbscore_verify('titanic')", "1");
    all = misses(db);
    t_check("", few < 20, "scoring reads %d pages", few);
    t_check("", all > 1000, "verifying reads %d pages", all); /* else this test counts nothing */
    t_close(db);
}

static void ten_thousand_rows(void)
{
    const char *path = t_path("many.db");
    char *options = make_options(10001, 0);
    sqlite3 *db;

    make_file(path, 10000, 0);
    db = t_open(path);
    t_is("", db, "SELECT rows || ' ' || ok FROM hbscore_verify('titanic')", "10000 1");
    t_check("", t_register(db, "titanic", t_titanic(), options) == SQLITE_TOOBIG, "10001 rows: %s", sqlite3_errmsg(db));
    t_is("", db, "SELECT count(*) FROM hbscore_models", "1");
    t_close(db);
    free(options);
}

/* Versions that another connection adds and drops while a query is at it: it keeps its snapshot. */
static void versions_come_and_go(void)
{
    const char *path = t_path("moving.db");
    sqlite3 *db, *other;
    sqlite3_stmt *verify;

    make_file(path, 1, 0);
    db = t_open(path);
    other = t_open(path);
    t_do(other, "PRAGMA journal_mode = WAL");
    t_check("L1", t_register(other, "titanic", t_titanic(), T_TITANIC_OPTIONS) == SQLITE_OK, "%s",
            sqlite3_errmsg(other));
    verify = t_prepare(db, "SELECT version, ok FROM hbscore_verify('titanic')");
    t_check("L1", sqlite3_step(verify) == SQLITE_ROW && sqlite3_column_int(verify, 1) == 1, "%s", sqlite3_errmsg(db));
    t_do(other, "SELECT hbscore_drop('titanic', 2)");
    t_check("L1", t_register(other, "titanic", t_titanic(), T_TITANIC_OPTIONS) == SQLITE_OK, "%s",
            sqlite3_errmsg(other));
    t_check("L1", sqlite3_step(verify) == SQLITE_ROW && sqlite3_column_int(verify, 0) == 2, "version %d: %s",
            sqlite3_column_int(verify, 0), sqlite3_errmsg(db));
    t_check("L1", sqlite3_step(verify) == SQLITE_DONE, "%s", sqlite3_errmsg(db));
    sqlite3_finalize(verify);
    t_is("L1", db, "SELECT group_concat(version) FROM hbscore_verify('titanic')", "1,3");
    t_close(other);
    t_close(db);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    read_only();
    others_do_not_read_them();
    ten_thousand_rows();
    versions_come_and_go();
    return t_finish();
}
