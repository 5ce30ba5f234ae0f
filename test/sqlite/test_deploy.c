/* test_deploy.c - which version a deployment makes others see, and when: transactions, snapshots,
 * running statements, locks, and processes that deploy and drop at once. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Versions that can be scored and aliases; none of these may name another version. */
#define STATE                                                                        \
    "SELECT (SELECT count(*) FROM hbscore_models WHERE model IS NOT NULL) || ' ' ||" \
    " (SELECT count(*) FROM hbscore_aliases)"
#define LOST                                                                                     \
    "SELECT count(*) FROM hbscore_aliases AS a LEFT JOIN hbscore_models AS m ON m.name = a.name" \
    " AND m.version = a.version WHERE m.model IS NULL"

static int deploy_first(const char *path)
{
    sqlite3 *db = t_open(path);
    char *got;
    bool one;

    sqlite3_busy_timeout(db, 5000);
    got = t_ask(db, "SELECT hbscore_deploy('titanic', 1)");
    one = strcmp(got, "1") == 0;
    free(got);
    return sqlite3_close(db) == SQLITE_OK && one ? 0 : 99;
}

/* ------------------------------------------------------------------ L1, L2: who sees what, when */

/* Version 1 gives 1, version 2 gives 0. */
static void seen_after_commit(void)
{
    const char *path = t_path("commit.db");
    sqlite3 *writer = t_open_models(path, 2);
    sqlite3 *reader;
    sqlite3_stmt *score;

    t_do(writer, "PRAGMA journal_mode = WAL");
    reader = t_open(path);
    score = t_prepare(reader, T_SCORED("titanic"));
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 0, "newest");
    sqlite3_reset(score);
    t_do(writer, "BEGIN");
    t_is("L2", writer, "SELECT hbscore_deploy('titanic', 1)", "1");
    t_is("L2", writer, T_SCORED("titanic"), "1");
    t_is("L2", reader, T_SCORED("titanic"), "0");
    t_fails("L2", reader, T_SCORED("titanic@default"), SQLITE_ERROR, "no alias \"default\"");
    t_do(writer, "ROLLBACK");
    t_is("L2", writer, T_SCORED("titanic"), "0");
    t_do(writer, "BEGIN");
    t_is("L2", writer, "SELECT hbscore_deploy('titanic', 1)", "1");
    t_do(reader, "BEGIN");
    t_is("L1", reader, T_SCORED("titanic"), "0");
    t_do(writer, "COMMIT");
    t_is("L1", reader, T_SCORED("titanic"), "0"); /* its snapshot */
    t_do(reader, "COMMIT");
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 1,
            "the next execution scores the deployed version");
    sqlite3_finalize(score);
    t_is("L1", reader, T_SCORED("titanic@default"), "1");
    t_is("L1", writer, T_SCORED("titanic@2"), "0");
    t_close(reader);
    t_close(writer);
}

/* A statement keeps the version that it began with, whatever is deployed and dropped meanwhile. */
static void deployed_during_a_statement(void)
{
    const char *path = t_path("during.db");
    sqlite3 *db = t_open_models(path, 2);
    sqlite3 *writer;
    sqlite3_stmt *rows;
    int right = 0;

    t_do(db, "PRAGMA journal_mode = WAL; SELECT hbscore_deploy('titanic', 1)");
    writer = t_open(path);
    rows = t_prepare(db, T_SCORES);
    sqlite3_step(rows);
    right += sqlite3_column_int(rows, 0);
    t_is("L1", writer, "SELECT hbscore_deploy('titanic', 2)", "2");
    sqlite3_step(rows);
    right += sqlite3_column_int(rows, 0);
    t_is("L1", db, "SELECT hbscore_deploy('titanic', 2, 'champion')", "2");
    t_is("L1", db, "SELECT hbscore_drop('titanic', 1)", "1");
    t_is("L1", db, "SELECT hbscore_set('plan_cache_size', 0)", "0");
    t_is("L1", db, "SELECT hbscore_drop('titanic')", "1");
    while (sqlite3_step(rows) == SQLITE_ROW)
        right += sqlite3_column_int(rows, 0);
    t_check("L1", right == 100, "%d of 100 rows are of version 1", right);
    sqlite3_finalize(rows);
    t_fails("L1", db, T_SCORED("titanic"), SQLITE_ERROR, "was dropped");
    t_is("L1", db, STATE, "0 0");
    t_close(writer);
    t_close(db);
}

/* A file of a former version: its statements are prepared without hbscore_aliases, until another
 * process makes that. */
static void table_made_elsewhere(void)
{
    const char *path = t_path("older.db");
    sqlite3 *db = t_open_models(path, 2);
    sqlite3_stmt *score;

    t_do(db, "DROP TABLE hbscore_aliases");
    score = t_prepare(db, T_SCORED("titanic"));
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 0, "newest");
    sqlite3_reset(score);
    t_check("L4", t_in_child(deploy_first, path) == 0, "another process deploys");
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 1,
            "deployed elsewhere, with a table made elsewhere");
    sqlite3_finalize(score);
    t_fails("L4", db, "SELECT hbscore_drop('titanic', 1)", SQLITE_ERROR, "alias \"default\"");
    t_do(db, "DROP TABLE hbscore_aliases");
    t_is("L1", db, T_SCORED("titanic"), "0");
    t_close(db);
}

/* With both tables there, nothing but the kept statements is run for a name that each row computes:
 * a check would have to prepare statements, which the authorizer sees. */
static int count_prepared(void *count, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    *(int *)count += action == SQLITE_SELECT || action == SQLITE_PRAGMA;
    return SQLITE_OK;
}

static void no_checks_for_a_row(void)
{
    static const char *names[] = {"'titanic'", "'titanic@default'", "'titanic@1'"};
    sqlite3 *db = t_open_models(NULL, 2);

    t_is("", db, "SELECT hbscore_deploy('titanic', 1)", "1");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char sql[400];
        sqlite3_stmt *rows;
        int prepared = 0;
        int right = 0;

        snprintf(sql, sizeof(sql),
                 T_ROWS "SELECT predict_probability(%s || iif(i > 0, '', ''), 'survived', " T_PASSENGER
                        ") = 0.91241276264190674 FROM n",
                 names[i]);
        sqlite3_set_authorizer(db, count_prepared, &prepared); /* expires what is prepared */
        rows = t_prepare(db, sql);
        sqlite3_step(rows);
        right += sqlite3_column_int(rows, 0);
        t_check("", prepared > 1, "%s: the first row prepares", names[i]);
        prepared = 0;
        while (sqlite3_step(rows) == SQLITE_ROW)
            right += sqlite3_column_int(rows, 0);
        sqlite3_set_authorizer(db, NULL, NULL);
        t_check("", right == 100, "%s: %d of 100 rows are right", names[i], right);
        t_check("", prepared == 0, "%s: %d statements are prepared", names[i], prepared);
        sqlite3_finalize(rows);
    }
    t_close(db);
}

static int deny_aliases(void *unused, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)unused;
    (void)b;
    (void)c;
    (void)d;
    return action == SQLITE_READ && a && strcmp(a, "hbscore_aliases") == 0 ? SQLITE_DENY : SQLITE_OK;
}

static void authorizer(void)
{
    sqlite3 *db = t_open_models(NULL, 2);

    t_is("L7", db, "SELECT hbscore_deploy('titanic', 1)", "1");
    sqlite3_set_authorizer(db, deny_aliases, NULL);
    t_fails("L7", db, T_SCORED("titanic"), SQLITE_AUTH, "prohibited");
    t_fails("L7", db, "SELECT hbscore_drop('titanic')", SQLITE_AUTH, "prohibited");
    t_fails("L7", db, "SELECT hbscore_drop('titanic', 2)", SQLITE_AUTH, "prohibited");
    t_is("L7", db, T_SCORED("titanic@2"), "0");
    sqlite3_set_authorizer(db, NULL, NULL);
    t_is("L7", db, STATE, "2 1");
    t_is("L7", db, T_SCORED("titanic"), "1");
    t_close(db);
}

/* ------------------------------------------------------------------ R3: locks */

/* Nothing was changed, no transaction was left behind. */
static void unchanged(sqlite3 *db, const char *when)
{
    t_check("R3", sqlite3_get_autocommit(db), "%s: a transaction is left open", when);
    t_is("R3", db, STATE, "2 2");
    t_is("R3", db, T_SCORED("titanic"), "1");
}

static void locked(void)
{
    static const char *const writes[] = {"SELECT hbscore_deploy('titanic', 2)",
                                         "SELECT hbscore_deploy('titanic', 2, 'new')",
                                         "SELECT hbscore_drop('titanic', 2)", "SELECT hbscore_drop('titanic')"};
    enum { WRITES = sizeof(writes) / sizeof(writes[0]) };
    const char *path = t_path("locked.db");
    sqlite3 *db = t_open_models(path, 2);
    sqlite3 *other = t_open(path);

    t_do(db, "SELECT hbscore_deploy('titanic', 1); SELECT hbscore_deploy('titanic', 1, 'champion')");
    sqlite3_busy_timeout(db, 0);
    /* A writer is in the way of the first change, a reader of the commit behind the last. */
    t_do(other, "BEGIN IMMEDIATE");
    for (int i = 0; i < WRITES; i++) {
        t_fails("R3", db, writes[i], SQLITE_BUSY, "locked");
        unchanged(db, "a writer");
    }
    t_do(other, "ROLLBACK; BEGIN; SELECT * FROM hbscore_aliases");
    for (int i = 0; i < WRITES; i++) {
        t_fails("R3", db, writes[i], SQLITE_BUSY, "locked");
        unchanged(db, "a reader");
    }
    /* In a transaction of the application it is that one's COMMIT that finds the reader. */
    t_do(db, "BEGIN");
    t_is("R3", db, "SELECT hbscore_drop('titanic')", "2");
    t_is("R3", db, STATE, "0 0");
    t_fails("R3", db, "COMMIT", SQLITE_BUSY, "locked");
    t_do(db, "ROLLBACK");
    unchanged(db, "rolled back");
    t_do(other, "COMMIT");
    t_is("R3", db, "SELECT hbscore_drop('titanic')", "2");
    t_is("R3", other, STATE, "0 0");
    t_close(other);
    t_close(db);
}

static int refuse_commit(void *refused)
{
    ++*(int *)refused;
    return 1;
}

/* The application's own hook takes the commit back. */
static void commit_refused(void)
{
    sqlite3 *db = t_open_models(NULL, 2);
    int refused = 0;

    t_do(db, "SELECT hbscore_deploy('titanic', 1); SELECT hbscore_deploy('titanic', 1, 'champion')");
    sqlite3_commit_hook(db, refuse_commit, &refused);
    t_fails("L2", db, "SELECT hbscore_deploy('titanic', 2)", SQLITE_CONSTRAINT, "constraint");
    unchanged(db, "deploy");
    t_fails("L2", db, "SELECT hbscore_drop('titanic')", SQLITE_CONSTRAINT, "constraint");
    unchanged(db, "drop");
    t_check("L2", refused == 2, "one commit each, not %d in all", refused);
    sqlite3_commit_hook(db, NULL, NULL);
    t_is("L2", db, "SELECT hbscore_drop('titanic')", "2");
    t_close(db);
}

/* ------------------------------------------------------------------ L4: two processes */

enum { ROUNDS = 400, VERSIONS = 12 };
#define SMALL "test/golden/xgboost/gblinear_multi_34.json"

/* An answer that is a version or count, or one of two refusals; counts the former. */
static bool expected(char *got, const char *refusal, const char *other, int *done)
{
    bool number = got[strspn(got, "0123456789")] == 0;
    bool ok = number || strstr(got, refusal) || strstr(got, other) || strstr(got, "was dropped");

    if (!ok)
        printf("unexpected: %s\n", got);
    *done += number;
    free(got);
    return ok;
}

/* Exit statuses: 0 is well, 1 an unexpected answer, 2 nothing was ever done. */
static int deploy_and_drop(const char *path, int seed)
{
    sqlite3 *db = t_open(path);
    int deployed = 0, dropped = 0;
    bool ok = true;

    sqlite3_busy_timeout(db, 30000);
    srand((unsigned)seed);
    for (int i = 0; i < ROUNDS && ok; i++) {
        int newest;
        char sql[100];
        char *got = t_ask(db, "SELECT max(version) FROM hbscore_models");

        newest = atoi(got);
        free(got);
        snprintf(sql, sizeof(sql), "SELECT hbscore_deploy('m', %d, '%s')", newest - rand() % VERSIONS,
                 rand() % 2 ? "default" : "other");
        ok = expected(t_ask(db, sql), "has no version", "was not deployed", &deployed);
        snprintf(sql, sizeof(sql), "SELECT hbscore_drop('m', %d)", newest - rand() % VERSIONS);
        ok = ok && expected(t_ask(db, sql), "is deployed", "a moment ago", &dropped);
        if (rand() % 2)
            ok = ok && t_register(db, "m", t_file(SMALL), NULL) == SQLITE_OK;
    }
    sqlite3_close(db);
    return !ok ? 1 : deployed && dropped ? 0 : 2;
}

static bool says(sqlite3 *db, const char *sql, const char *wanted)
{
    char *got = t_ask(db, sql);
    bool same = strcmp(got, wanted) == 0;

    if (!same)
        printf("%s gives %s\n", sql, got);
    free(got);
    return same;
}

static void two_processes(void)
{
    const char *path = t_path("two.db");
    sqlite3 *db = t_open(path);
    pid_t ids[2];
    int left = 2;
    int looks = 0, lost = 0, unscored = 0;

    t_do(db, "PRAGMA journal_mode = WAL");
    for (int i = 0; i < VERSIONS; i++)
        t_register(db, "m", t_file(SMALL), NULL);
    t_is("L4", db, "SELECT hbscore_deploy('m', 12), hbscore_deploy('m', 11, 'other')", "12");
    t_close(db);
    for (int i = 0; i < 2; i++) {
        ids[i] = fork();
        if (ids[i] == 0)
            _exit(deploy_and_drop(path, i + 1));
    }
    db = t_open(path);
    sqlite3_busy_timeout(db, 30000);
    while (left > 0) {
        int status;
        pid_t done = waitpid(-1, &status, WNOHANG);

        if (done == ids[0] || done == ids[1]) {
            left--;
            t_check("L4", WIFEXITED(status) && WEXITSTATUS(status) == 0, "process %d ends with %d", done == ids[1],
                    status);
        }
        looks++;
        lost += !says(db, LOST, "0");
        unscored += !says(db, "SELECT typeof(predict_proba('m', 1, 2, 3, 4))", "text");
        unscored += !says(db, "SELECT typeof(predict_proba('m@other', 1, 2, 3, 4))", "text");
    }
    t_check("L4", lost == 0, "%d of %d times an alias names no version", lost, looks);
    t_check("L4", unscored == 0, "%d of %d scores fail", unscored, 2 * looks);
    t_is("L4", db, "PRAGMA integrity_check", "ok");
    t_close(db);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    seen_after_commit();
    deployed_during_a_statement();
    table_made_elsewhere();
    no_checks_for_a_row();
    authorizer();
    locked();
    commit_refused();
    two_processes();
    return t_finish();
}
