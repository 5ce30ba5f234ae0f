/* test_visibility.c - which version a statement sees: transactions, savepoints, snapshots, writers
 * in other connections and processes. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <stdlib.h>
#include <string.h>

static int register_other(const char *path)
{
    sqlite3 *db = t_open(path);
    int code = t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS);

    return sqlite3_close(db) == SQLITE_OK ? code : 99;
}

static int drop_newest(const char *path)
{
    sqlite3 *db = t_open(path);
    char *got = t_ask(db, "SELECT hbscore_drop('titanic', (SELECT max(version) FROM hbscore_models"
                          " WHERE model IS NOT NULL))");

    bool one = strcmp(got, "1") == 0;

    free(got);
    return sqlite3_close(db) == SQLITE_OK && one ? 0 : 99;
}

/* ------------------------------------------------------------------ L1 to L4: who sees what */

static void other_process_registers(void)
{
    const char *path = t_path("other.db");
    sqlite3 *db = t_open_models(path, 1);
    sqlite3_stmt *score = t_prepare(db, T_SCORED("titanic"));

    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 1, "version 1");
    sqlite3_reset(score);
    t_check("L4", t_in_child(register_other, path) == 0, "another process registers");
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 0,
            "version 2 scores at the next execution");
    sqlite3_reset(score);
    t_is("L1", db, T_SCORED("titanic@1"), "1");
    t_check("L1", t_in_child(drop_newest, path) == 0, "another process drops");
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 1,
            "version 1 is the newest again");
    sqlite3_finalize(score);
    t_fails("L1", db, T_SCORED("titanic@2"), SQLITE_ERROR, "version 2 of model \"titanic\" was dropped");
    t_close(db);
}

/* A statement keeps the version that it began with, whatever happens meanwhile. */
static void replaced_during_a_statement(void)
{
    const char *path = t_path("during.db");
    sqlite3 *db = t_open_models(path, 1);
    sqlite3 *writer;
    sqlite3_stmt *rows;
    int right = 0;

    t_do(db, "PRAGMA journal_mode = WAL");
    writer = t_open(path);
    rows = t_prepare(db, T_SCORES);
    sqlite3_step(rows);
    right += sqlite3_column_int(rows, 0);
    t_check("L1", t_register(writer, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_OK, "elsewhere: %s",
            sqlite3_errmsg(writer));
    t_check("L1", t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_OK, "here: %s", sqlite3_errmsg(db));
    t_is("L1", db, "SELECT hbscore_drop('titanic', 1)", "1");
    t_is("L1", db, "SELECT hbscore_set('plan_cache_size', 0)", "0");
    while (sqlite3_step(rows) == SQLITE_ROW)
        right += sqlite3_column_int(rows, 0);
    t_check("L1", right == 100, "%d of 100 rows are of version 1", right);
    sqlite3_finalize(rows);
    t_is("L1", db, T_SCORED("titanic"), "0");
    t_close(writer);
    t_close(db);
}

static void wal_reader_keeps_its_snapshot(void)
{
    const char *path = t_path("wal.db");
    sqlite3 *writer = t_open_models(path, 1);
    sqlite3 *reader;

    t_do(writer, "PRAGMA journal_mode = WAL");
    reader = t_open(path);
    t_do(reader, "BEGIN");
    t_is("L3", reader, T_SCORED("titanic"), "1");
    t_check("L3", t_register(writer, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_OK, "version 2");
    t_is("L3", writer, T_SCORED("titanic"), "0");
    t_is("L3", reader, T_SCORED("titanic"), "1");
    t_fails("L3", reader, T_SCORED("titanic@2"), SQLITE_ERROR, "no version 2");
    t_do(reader, "COMMIT");
    t_is("L3", reader, T_SCORED("titanic"), "0");
    t_close(reader);
    t_close(writer);
}

/* Rows of a table, so that an open cursor holds a snapshot: by the scalar call and by a scan. */
#define CALLED "SELECT predict_probability('titanic', 'survived', " T_PASSENGER ") = 0.91241276264190674 FROM n"
#define SCANNED                                                            \
    "SELECT prediction = 'survived' AND probability = 0.91241276264190674" \
    " FROM hbscore_scan('titanic', 'SELECT i, 1, ''female'', 29.0, 0, 0, 211.3375, ''S'' FROM n')"

/* Whether the statement's next row is scored by the model, not by the other one. */
static bool is_first(sqlite3_stmt *statement)
{
    return sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1;
}

/* One prepared statement, executed again and again while versions come and go elsewhere: each
 * execution sees what is committed, unless a transaction holds the snapshot; a cursor that was left
 * open goes on with what it began with. The same for a scan. */
static void loop_across_replacements(const char *file, const char *sql)
{
    const char *path = t_path(file);
    sqlite3 *writer = t_open_models(path, 1);
    sqlite3 *reader;
    sqlite3_stmt *held, *again;

    t_do(writer, "PRAGMA journal_mode = WAL; CREATE TABLE n AS " T_ROWS "SELECT i FROM n");
    reader = t_open(path);
    held = t_prepare(reader, sql);
    again = t_prepare(reader, sql);
    t_check("L3", is_first(held), "%s: opened on version 1", sql);
    for (int version = 2; version <= 5; version++) {
        bool first = version % 2; /* versions 1, 3, 5 are the model, 2, 4 the other one */

        t_check("L3",
                t_register(writer, "titanic", t_titanic(), first ? T_TITANIC_OPTIONS : T_OTHER_OPTIONS) == SQLITE_OK,
                "%s", sqlite3_errmsg(writer));
        /* The open cursor holds the read transaction of this connection. */
        t_check("L3", is_first(again), "%s: version %d is behind the snapshot", sql, version);
        sqlite3_reset(again);
        t_check("L3", is_first(held), "%s: the open cursor, version %d", sql, version);
    }
    t_check("L3", t_register(writer, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_OK, "%s",
            sqlite3_errmsg(writer));
    sqlite3_reset(held);
    t_check("L3", !is_first(again), "%s: the snapshot has gone with the cursor", sql);
    sqlite3_reset(again);
    t_do(reader, "BEGIN");
    t_check("L3", !is_first(again), "%s: the transaction begins on version 6", sql);
    sqlite3_reset(again);
    t_is("L3", writer, "SELECT hbscore_deploy('titanic', 1)", "1");
    t_check("L3", !is_first(again), "%s: the transaction stays there", sql);
    sqlite3_reset(again);
    t_do(reader, "COMMIT");
    t_check("L3", is_first(again), "%s: and sees the deploy behind its end", sql);
    sqlite3_finalize(again);
    sqlite3_finalize(held);
    t_close(reader);
    t_close(writer);
}

static void rolled_back(void)
{
    sqlite3 *db = t_open_models(NULL, 1);

    t_do(db, "BEGIN");
    t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS);
    t_is("L2", db, T_SCORED("titanic"), "0");
    t_do(db, "ROLLBACK");
    t_is("L2", db, T_SCORED("titanic"), "1");
    t_fails("L2", db, T_SCORED("titanic@2"), SQLITE_ERROR, "no version 2");
    t_do(db, "SAVEPOINT s");
    t_is("L2", db, "SELECT hbscore_drop('titanic')", "1");
    t_fails("L2", db, T_SCORED("titanic"), SQLITE_ERROR, "was dropped");
    t_do(db, "ROLLBACK TO s; RELEASE s");
    t_is("L2", db, T_SCORED("titanic"), "1");
    /* The same number for other bytes: the plan that was compiled for the first must not serve. */
    t_do(db, "BEGIN");
    t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS);
    t_is("L2", db, T_SCORED("titanic@2"), "0");
    t_do(db, "ROLLBACK");
    t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS);
    t_is("L2", db, T_SCORED("titanic@2"), "1");
    t_close(db);
}

static void commit_that_fails(void)
{
    sqlite3 *db = t_open_models(NULL, 1);

    t_do(db, "PRAGMA foreign_keys = ON;"
             "CREATE TABLE p(id INTEGER PRIMARY KEY);"
             "CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED);"
             "BEGIN; INSERT INTO c VALUES (7)");
    t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS);
    t_is("L2", db, T_SCORED("titanic"), "0");
    t_fails("L2", db, "COMMIT", SQLITE_CONSTRAINT, "FOREIGN KEY");
    t_do(db, "ROLLBACK");
    t_is("L2", db, T_SCORED("titanic"), "1");
    t_close(db);
}

/* The first registration makes the table: a rollback takes that back too. */
static void first_registration_rolled_back(void)
{
    sqlite3 *db = t_open(NULL);

    t_do(db, "BEGIN");
    t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS);
    t_is("L2", db, T_SCORED("titanic"), "1");
    t_do(db, "ROLLBACK");
    t_is("L2", db, "SELECT count(*) FROM sqlite_schema", "0");
    t_fails("L2", db, T_SCORED("titanic"), SQLITE_ERROR, "this database has no models");
    t_do(db, "CREATE VIEW hbscore_models AS SELECT 1");
    t_fails("L7", db, T_SCORED("titanic"), SQLITE_ERROR, "is no ordinary table");
    t_close(db);
}

/* Registering while a statement of the same connection reads the table. */
static void write_below_a_reader(void)
{
    sqlite3 *db = t_open_models(NULL, 1);
    sqlite3_stmt *rows = t_prepare(db, "SELECT version FROM hbscore_models");

    sqlite3_step(rows);
    t_check("L1", t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_finalize(rows);
    t_is("L1", db, "SELECT count(*) FROM hbscore_models", "2");
    t_close(db);
}

static void locked(void)
{
    const char *path = t_path("locked.db");
    sqlite3 *db = t_open_models(path, 1);
    sqlite3 *writer = t_open(path);

    sqlite3_busy_timeout(db, 0);
    t_do(writer, "BEGIN IMMEDIATE");
    t_check("R3", t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_BUSY,
            "a locked database is busy: %s", sqlite3_errmsg(db));
    t_fails("R3", db, "SELECT hbscore_drop('titanic')", SQLITE_BUSY, "locked");
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_do(writer, "ROLLBACK; BEGIN EXCLUSIVE");
    t_fails("R3", db, T_SCORED("titanic"), SQLITE_BUSY, "locked");
    t_do(writer, "ROLLBACK");
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_is("R3", db, "SELECT count(*) FROM hbscore_models", "1");
    t_close(writer);
    t_close(db);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    other_process_registers();
    replaced_during_a_statement();
    wal_reader_keeps_its_snapshot();
    loop_across_replacements("called.db", CALLED);
    loop_across_replacements("scanned.db", SCANNED);
    rolled_back();
    commit_that_fails();
    first_registration_rolled_back();
    write_below_a_reader();
    locked();
    return t_finish();
}
