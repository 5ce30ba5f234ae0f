/* test_hosts.c - the extension in a host's hands: closing, loading twice, overriding, other
 * connections and processes, transactions, files that cannot be written, disks that fail. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static t_blob titanic;

/* A database with the demo's model, once as version 1 and once, different, as version 2. */
static sqlite3 *open_models(const char *path, int versions)
{
    sqlite3 *db = t_open(path);

    sqlite3_busy_timeout(db, 5000);
    if (t_register(db, "titanic", titanic, T_TITANIC_OPTIONS) != SQLITE_OK)
        t_check("", false, "register: %s", sqlite3_errmsg(db));
    if (versions > 1 && t_register(db, "titanic", titanic, T_OTHER_OPTIONS) != SQLITE_OK)
        t_check("", false, "register: %s", sqlite3_errmsg(db));
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        t_check("", false, "%s: %s", sql, sqlite3_errmsg(db));
    return statement;
}

/* ------------------------------------------------------------------ L8: closing */

#define ROWS "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
#define SCORES                                                            \
    ROWS "SELECT predict_probability('titanic', 'survived', " T_PASSENGER \
         ") = 0.91241276264190674 FROM n"

static void close_after_scoring(void)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = open_models(NULL, 1);

    t_is("L8", db, T_SCORED("titanic"), "1");
    t_check("L8", sqlite3_next_stmt(db, NULL) != NULL, "statements are kept between calls");
    t_check("L8", sqlite3_close(db) == SQLITE_OK, "close finds no statement of ours");
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost",
            sqlite3_memory_used() - before);
}

static void close_in_the_middle(void)
{
    sqlite3 *db = open_models(NULL, 1);
    sqlite3_stmt *rows = prepare(db, SCORES);
    int scored = 0;

    t_check("L8", sqlite3_step(rows) == SQLITE_ROW, "a first row");
    t_check("L8", sqlite3_close(db) == SQLITE_BUSY,
            "close is busy with the application's statement");
    /* The private table was disconnected by that attempt: all goes on. */
    for (scored = 1; sqlite3_step(rows) == SQLITE_ROW; scored++)
        if (sqlite3_column_int(rows, 0) != 1)
            break;
    t_check("L8", scored == 100, "%d of 100 rows are right after a close that failed", scored);
    t_is("L8", db, T_SCORED("titanic@1"), "1");
    sqlite3_finalize(rows);
    t_check("L8", sqlite3_close(db) == SQLITE_OK, "close at the end");
}

static void close_of_a_zombie(void)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = open_models(NULL, 1);
    sqlite3_stmt *rows = prepare(db, SCORES);
    sqlite3_stmt *other = prepare(db, T_SCORED("titanic"));
    int scored;

    sqlite3_step(rows);
    t_check("L8", sqlite3_close_v2(db) == SQLITE_OK, "close_v2 waits for the statement");
    for (scored = 1; sqlite3_step(rows) == SQLITE_ROW; scored++)
        ;
    t_check("L8", scored == 100, "%d of 100 rows come behind close_v2", scored);
    t_check("L8", sqlite3_step(other) != SQLITE_ROW || sqlite3_column_int(other, 0) == 1,
            "a statement that starts behind close_v2 scores or fails");
    sqlite3_finalize(rows);
    sqlite3_finalize(other);
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost",
            sqlite3_memory_used() - before);
}

/* ------------------------------------------------------------------ L8: loading, overriding */

static void load_twice(void)
{
    sqlite3 *db = open_models(NULL, 1);
    char sql[5000];
    char *message = NULL;

    t_is("L8", db, "SELECT hbscore_set('plan_cache_size', 12345678)", "12345678");
    t_check("L8", t_load(db, &message) == SQLITE_OK, "loading again: %s", message);
    t_is("L8", db, "SELECT hbscore_get('plan_cache_size')", "12345678");
    sqlite3_enable_load_extension(db, 1);
    snprintf(sql, sizeof(sql), "SELECT load_extension('%s')", t_extension());
    t_is("L8", db, sql, "NULL");
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_close(db);
}

static void answer_42(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_int(context, 42);
}

static void override_functions(void)
{
    static const struct {
        const char *name;
        int arguments;
    } all[] = {{"predict", -1},       {"predict_label", -1},   {"predict_probability", -1},
               {"predict_proba", -1}, {"predict_values", -1},  {"decision_function", -1},
               {"predict_json", -1},  {"hbscore_register", 2}, {"hbscore_register", 3},
               {"hbscore_drop", 1},   {"hbscore_drop", 2},     {"hbscore_set", 2},
               {"hbscore_get", 1}};
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = open_models(NULL, 1);

    t_is("L8", db, T_SCORED("titanic"), "1");
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        int code = sqlite3_create_function_v2(db, all[i].name, all[i].arguments, SQLITE_UTF8, NULL,
                                              answer_42, NULL, NULL, NULL);

        t_check("L8", code == SQLITE_OK, "%s is overridden", all[i].name);
        if (i == 0) {
            t_is("L8", db, "SELECT predict('titanic')", "42");
            t_is("L8", db, T_SCORED("titanic"), "1");
        }
    }
    t_is("L8", db, "SELECT predict_json('titanic')", "42");
    t_is("L8", db, "SELECT count(*) FROM hbscore_inspect(NULL)", "0");
    t_check("L8", sqlite3_drop_modules(db, NULL) == SQLITE_OK, "all modules are dropped");
    t_check("L8", sqlite3_close(db) == SQLITE_OK, "close with nothing of ours left");
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost",
            sqlite3_memory_used() - before);
}

/* Without the private table no statement can be kept: scoring is slower and right. */
static void drop_the_private_table(void)
{
    static const char *keep[] = {"hbscore_inspect", NULL};
    sqlite3 *db = open_models(NULL, 1);

    t_is("L8", db, T_SCORED("titanic"), "1");
    sqlite3_drop_modules(db, keep);
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_is("L8", db, T_SCORED("titanic@1"), "1");
    t_check("L8", sqlite3_next_stmt(db, NULL) == NULL, "no statement is kept");
    t_close(db);
}

static void table_with_the_private_name(void)
{
    sqlite3 *db = t_open(NULL);

    t_do(db, "CREATE TABLE hbscore_private(x); INSERT INTO hbscore_private VALUES (1)");
    t_register(db, "titanic", titanic, T_TITANIC_OPTIONS);
    t_is("L7", db, T_SCORED("titanic"), "1");
    t_is("L7", db, T_SCORED("titanic"), "1");
    t_is("L7", db, "SELECT x FROM hbscore_private", "1");
    t_close(db);
}

/* ------------------------------------------------------------------ L8: threads, processes */

typedef struct worker {
    const char *path; /* NULL: a database of its own */
    int rounds;
    int versions[64];
    int failures;
} worker;

static void *work(void *state)
{
    worker *w = state;
    sqlite3 *db = t_open(w->path);

    sqlite3_busy_timeout(db, 30000);
    for (int i = 0; i < w->rounds; i++) {
        char *version;
        char *scored;

        if (t_register(db, "titanic", titanic, T_TITANIC_OPTIONS) != SQLITE_OK)
            w->failures++;
        version = t_ask(db, "SELECT max(version) FROM hbscore_models");
        w->versions[i] = atoi(version);
        scored = t_ask(db, T_SCORED("titanic"));
        w->failures += strcmp(scored, "1") != 0;
        free(version);
        free(scored);
    }
    sqlite3_close(db);
    return NULL;
}

static void run_threads(const char *class, const char *path, int threads, int rounds)
{
    pthread_t ids[16];
    worker workers[16];

    memset(workers, 0, sizeof(workers));
    for (int i = 0; i < threads; i++) {
        workers[i].path = path;
        workers[i].rounds = rounds;
        pthread_create(&ids[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        t_check(class, workers[i].failures == 0, "thread %d: %d failures", i, workers[i].failures);
    }
}

static void threads_of_their_own(void)
{
    run_threads("L8", NULL, 8, 10);
}

/* L4: two loads of one name at once: every one gets a number of its own. */
static void threads_of_one_file(void)
{
    const char *path = t_path("threads.db");
    sqlite3 *db = t_open(path);

    t_do(db, "PRAGMA journal_mode = WAL");
    run_threads("L4", path, 4, 10);
    t_is("L4", db,
         "SELECT count(*) || ' ' || max(version) || ' ' || count(DISTINCT version)"
         " FROM hbscore_models",
         "40 40 40");
    t_close(db);
}

/* A child process of its own connection; its exit status is what `job` returns. */
static int in_child(int (*job)(const char *path), const char *path)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(job(path));
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int register_other(const char *path)
{
    sqlite3 *db = t_open(path);
    int code = t_register(db, "titanic", titanic, T_OTHER_OPTIONS);

    return sqlite3_close(db) == SQLITE_OK ? code : 99;
}

static int drop_newest(const char *path)
{
    sqlite3 *db = t_open(path);
    char *got = t_ask(db, "SELECT hbscore_drop('titanic', (SELECT max(version) FROM hbscore_models"
                          " WHERE model IS NOT NULL))");

    return sqlite3_close(db) == SQLITE_OK && strcmp(got, "1") == 0 ? 0 : 99;
}

static int score_in_fork(const char *path)
{
    sqlite3 *db = t_open(path);
    char *got = t_ask(db, T_SCORED("titanic"));

    return sqlite3_close(db) == SQLITE_OK && strcmp(got, "1") == 0 ? 0 : 1;
}

static void fork_with_an_open_connection(void)
{
    const char *path = t_path("fork.db");
    sqlite3 *db = open_models(path, 1);

    t_is("L8", db, T_SCORED("titanic"), "1");
    t_check("L8", in_child(score_in_fork, path) == 0, "a child scores on a connection of its own");
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_close(db);
}

/* ------------------------------------------------------------------ L1, L2, L4: who sees what */

static void other_process_registers(void)
{
    const char *path = t_path("other.db");
    sqlite3 *db = open_models(path, 1);
    sqlite3_stmt *score = prepare(db, T_SCORED("titanic"));

    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 1,
            "version 1");
    sqlite3_reset(score);
    t_check("L4", in_child(register_other, path) == 0, "another process registers");
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 0,
            "version 2 scores at the next execution");
    sqlite3_reset(score);
    t_is("L1", db, T_SCORED("titanic@1"), "1");
    t_check("L1", in_child(drop_newest, path) == 0, "another process drops");
    t_check("L1", sqlite3_step(score) == SQLITE_ROW && sqlite3_column_int(score, 0) == 1,
            "version 1 is the newest again");
    sqlite3_finalize(score);
    t_fails("L1", db, T_SCORED("titanic@2"), SQLITE_ERROR,
            "version 2 of model \"titanic\" was dropped");
    t_close(db);
}

/* A statement keeps the version that it began with, whatever happens meanwhile. */
static void replaced_during_a_statement(void)
{
    const char *path = t_path("during.db");
    sqlite3 *db = open_models(path, 1);
    sqlite3 *writer;
    sqlite3_stmt *rows;
    int right = 0;

    t_do(db, "PRAGMA journal_mode = WAL");
    writer = t_open(path);
    rows = prepare(db, SCORES);
    sqlite3_step(rows);
    right += sqlite3_column_int(rows, 0);
    t_check("L1", t_register(writer, "titanic", titanic, T_OTHER_OPTIONS) == SQLITE_OK,
            "elsewhere: %s", sqlite3_errmsg(writer));
    t_check("L1", t_register(db, "titanic", titanic, T_OTHER_OPTIONS) == SQLITE_OK, "here: %s",
            sqlite3_errmsg(db));
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
    sqlite3 *writer = open_models(path, 1);
    sqlite3 *reader;

    t_do(writer, "PRAGMA journal_mode = WAL");
    reader = t_open(path);
    t_do(reader, "BEGIN");
    t_is("L1", reader, T_SCORED("titanic"), "1");
    t_check("L1", t_register(writer, "titanic", titanic, T_OTHER_OPTIONS) == SQLITE_OK,
            "version 2");
    t_is("L1", writer, T_SCORED("titanic"), "0");
    t_is("L1", reader, T_SCORED("titanic"), "1");
    t_fails("L1", reader, T_SCORED("titanic@2"), SQLITE_ERROR, "no version 2");
    t_do(reader, "COMMIT");
    t_is("L1", reader, T_SCORED("titanic"), "0");
    t_close(reader);
    t_close(writer);
}

static void rolled_back(void)
{
    sqlite3 *db = open_models(NULL, 1);

    t_do(db, "BEGIN");
    t_register(db, "titanic", titanic, T_OTHER_OPTIONS);
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
    t_register(db, "titanic", titanic, T_OTHER_OPTIONS);
    t_is("L2", db, T_SCORED("titanic@2"), "0");
    t_do(db, "ROLLBACK");
    t_register(db, "titanic", titanic, T_TITANIC_OPTIONS);
    t_is("L2", db, T_SCORED("titanic@2"), "1");
    t_close(db);
}

static void commit_that_fails(void)
{
    sqlite3 *db = open_models(NULL, 1);

    t_do(db, "PRAGMA foreign_keys = ON;"
             "CREATE TABLE p(id INTEGER PRIMARY KEY);"
             "CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED);"
             "BEGIN; INSERT INTO c VALUES (7)");
    t_register(db, "titanic", titanic, T_OTHER_OPTIONS);
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
    t_register(db, "titanic", titanic, T_TITANIC_OPTIONS);
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
    sqlite3 *db = open_models(NULL, 1);
    sqlite3_stmt *rows = prepare(db, "SELECT version FROM hbscore_models");

    sqlite3_step(rows);
    t_check("L1", t_register(db, "titanic", titanic, T_OTHER_OPTIONS) == SQLITE_OK, "%s",
            sqlite3_errmsg(db));
    sqlite3_finalize(rows);
    t_is("L1", db, "SELECT count(*) FROM hbscore_models", "2");
    t_close(db);
}

static void locked(void)
{
    const char *path = t_path("locked.db");
    sqlite3 *db = open_models(path, 1);
    sqlite3 *writer = t_open(path);

    sqlite3_busy_timeout(db, 0);
    t_do(writer, "BEGIN IMMEDIATE");
    t_check("R3", t_register(db, "titanic", titanic, T_OTHER_OPTIONS) == SQLITE_BUSY,
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

static void two_connections(void)
{
    const char *path = t_path("two.db");
    sqlite3 *a = open_models(path, 1);
    sqlite3 *b = t_open(path);

    t_is("L8", a, "SELECT hbscore_set('max_model_size', 1000)", "1000");
    t_is("L8", b, "SELECT hbscore_get('max_model_size')", "67108864");
    t_fails("L8", a, T_SCORED("titanic"), SQLITE_TOOBIG, "more than max_model_size (1000)");
    t_is("L8", b, T_SCORED("titanic"), "1");
    t_close(a);
    t_is("L8", b, T_SCORED("titanic"), "1");
    t_close(b);
}

/* ------------------------------------------------------------------ R3: files */

static void read_only(void)
{
    const char *path = t_path("readonly.db");
    char uri[256];
    sqlite3 *db = open_models(path, 1);

    t_close(db);
    db = t_open_flags(path, SQLITE_OPEN_READONLY);
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_check("R3", t_register(db, "titanic", titanic, NULL) == SQLITE_READONLY, "register: %s",
            sqlite3_errmsg(db));
    t_fails("R3", db, "SELECT hbscore_drop('titanic')", SQLITE_READONLY, "readonly");
    t_is("R3", db, T_SCORED("titanic@1"), "1");
    t_close(db);
    snprintf(uri, sizeof(uri), "file:%s?immutable=1", path);
    chmod(path, 0444);
    db = t_open_flags(uri, SQLITE_OPEN_READONLY);
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_close(db);
    db = t_open(path);
    t_do(db, "PRAGMA query_only = 1");
    t_check("R3", t_register(db, "titanic", titanic, NULL) == SQLITE_READONLY, "query_only: %s",
            sqlite3_errmsg(db));
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_close(db);
}

static void disk_full(void)
{
    sqlite3 *db = open_models(t_path("full.db"), 1);

    t_do(db, "PRAGMA max_page_count = 1");
    t_check("R3", t_register(db, "titanic", titanic, T_OTHER_OPTIONS) == SQLITE_FULL, "%s",
            sqlite3_errmsg(db));
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_is("R3", db, "SELECT count(*) FROM hbscore_models", "1");
    t_is("R3", db, "PRAGMA integrity_check", "ok");
    t_do(db, "PRAGMA max_page_count = 100000");
    t_check("R3", t_register(db, "titanic", titanic, T_OTHER_OPTIONS) == SQLITE_OK, "%s",
            sqlite3_errmsg(db));
    t_is("R3", db, T_SCORED("titanic"), "0");
    t_close(db);
}

/* Registers for ever, until the parent kills it. */
static int register_for_ever(const char *path)
{
    sqlite3 *db = t_open(path);

    sqlite3_busy_timeout(db, 30000);
    for (;;)
        t_register(db, "titanic", titanic, T_TITANIC_OPTIONS);
    return 0;
}

static void killed_while_registering(void)
{
    const char *path = t_path("killed.db");
    sqlite3 *db = open_models(path, 1);

    t_close(db);
    srand(7);
    for (int i = 0; i < 20; i++) {
        char *bad;
        pid_t pid = fork();

        if (pid == 0)
            _exit(register_for_ever(path));
        usleep((useconds_t)(1000 + rand() % 60000));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        db = t_open(path);
        sqlite3_busy_timeout(db, 5000);
        t_is("R3", db, "PRAGMA integrity_check", "ok");
        bad =
            t_ask(db, "SELECT count(*) FROM hbscore_models WHERE predict_probability('titanic@' ||"
                      " version, 'survived', " T_PASSENGER ") <> 0.91241276264190674");
        t_check("R3", strcmp(bad, "0") == 0, "killed %d times: %s versions are wrong", i + 1, bad);
        free(bad);
        t_close(db);
    }
}

/* ------------------------------------------------------------------ R3: a disk with faults */

/* A VFS in front of the real one, whose n-th reading or writing fails, once or from then on. */
static struct {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    sqlite3_io_methods methods;
    bool armed, from_then_on;
    long seen, fail_at, hits;
} disk;

typedef struct disk_file {
    sqlite3_file base;
    sqlite3_file *real;
} disk_file;

static bool disk_fails(void)
{
    if (!disk.armed)
        return false;
    disk.seen++;
    if (disk.seen != disk.fail_at && !(disk.from_then_on && disk.seen > disk.fail_at))
        return false;
    disk.hits++;
    return true;
}

#define REAL(file) (((disk_file *)(file))->real)

static int f_close(sqlite3_file *f)
{
    return REAL(f)->pMethods->xClose(REAL(f));
}

static int f_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    return disk_fails() ? SQLITE_IOERR_READ : REAL(f)->pMethods->xRead(REAL(f), to, n, at);
}

static int f_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    return disk_fails() ? SQLITE_FULL : REAL(f)->pMethods->xWrite(REAL(f), from, n, at);
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return disk_fails() ? SQLITE_IOERR_TRUNCATE : REAL(f)->pMethods->xTruncate(REAL(f), size);
}

static int f_sync(sqlite3_file *f, int flags)
{
    return disk_fails() ? SQLITE_IOERR_FSYNC : REAL(f)->pMethods->xSync(REAL(f), flags);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return disk_fails() ? SQLITE_IOERR_FSTAT : REAL(f)->pMethods->xFileSize(REAL(f), size);
}

static int f_lock(sqlite3_file *f, int level)
{
    return disk_fails() ? SQLITE_IOERR_LOCK : REAL(f)->pMethods->xLock(REAL(f), level);
}

static int f_unlock(sqlite3_file *f, int level)
{
    return REAL(f)->pMethods->xUnlock(REAL(f), level);
}

static int f_reserved(sqlite3_file *f, int *out)
{
    return REAL(f)->pMethods->xCheckReservedLock(REAL(f), out);
}

static int f_control(sqlite3_file *f, int op, void *argument)
{
    return REAL(f)->pMethods->xFileControl(REAL(f), op, argument);
}

static int f_sector(sqlite3_file *f)
{
    return REAL(f)->pMethods->xSectorSize(REAL(f));
}

static int f_device(sqlite3_file *f)
{
    return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f));
}

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    disk_file *f = (disk_file *)file;
    int code;

    (void)vfs;
    f->base.pMethods = NULL;
    if (disk_fails())
        return SQLITE_CANTOPEN;
    f->real = (sqlite3_file *)(f + 1);
    code = disk.real->xOpen(disk.real, name, f->real, flags, out);
    if (f->real->pMethods)
        f->base.pMethods = &disk.methods;
    return code;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    return disk_fails() ? SQLITE_IOERR_DELETE : disk.real->xDelete(disk.real, name, sync);
}

static void install_disk(void)
{
    disk.real = sqlite3_vfs_find(NULL);
    disk.base = *disk.real;
    disk.base.zName = "faulty";
    disk.base.pNext = NULL;
    disk.base.szOsFile += (int)sizeof(disk_file);
    disk.base.xOpen = disk_open;
    disk.base.xDelete = disk_delete;
    disk.methods = (sqlite3_io_methods){.iVersion = 1,
                                        .xClose = f_close,
                                        .xRead = f_read,
                                        .xWrite = f_write,
                                        .xTruncate = f_truncate,
                                        .xSync = f_sync,
                                        .xFileSize = f_size,
                                        .xLock = f_lock,
                                        .xUnlock = f_unlock,
                                        .xCheckReservedLock = f_reserved,
                                        .xFileControl = f_control,
                                        .xSectorSize = f_sector,
                                        .xDeviceCharacteristics = f_device};
    sqlite3_vfs_register(&disk.base, 0);
}

/* One fault while `job` runs on a fresh file; afterwards the file is the old or the new one. False where
 * the job ended before the fault came. */
static bool disk_once(const char *job, const char *pristine, long n, bool from_then_on,
                      const char *right)
{
    const char *path = t_path("faulty.db");
    char command[512], uri[256];
    sqlite3 *db;
    char *got;

    unlink(t_path("faulty.db-journal"));
    snprintf(command, sizeof(command), "cp %s %s", pristine, path);
    if (system(command) != 0)
        t_check("", false, "%s", command);
    snprintf(uri, sizeof(uri), "file:%s?vfs=faulty", path);
    db = t_open(uri);
    disk.seen = disk.hits = 0;
    disk.fail_at = n;
    disk.from_then_on = from_then_on;
    disk.armed = true;
    got = t_ask(db, job);
    disk.armed = false;
    if (disk.hits == 0)
        t_check("R3", strcmp(got, right) == 0, "%s without a fault: %s", job, got);
    else
        t_check("R3",
                strcmp(got, right) == 0 || (got[0] >= '1' && got[0] <= '9' && strstr(got, ": ")),
                "%s, n = %ld: %s", job, n, got);
    free(got);
    sqlite3_close(db);
    db = t_open(path);
    t_is("R3", db, "PRAGMA integrity_check", "ok");
    t_is("R3", db,
         "SELECT count(*) - sum(predict_probability('titanic@' || version, 'survived', " T_PASSENGER
         ") = 0.91241276264190674) FROM hbscore_models WHERE model NOT NULL",
         "0");
    t_close(db);
    return disk.hits > 0;
}

static void disk_faults(void)
{
    static const struct {
        const char *sql, *right;
    } jobs[] = {{"SELECT hbscore_register('titanic', model, options) FROM hbscore_models"
                 " WHERE version = 1",
                 "3"},
                {"SELECT hbscore_drop('titanic', 2)", "1"},
                {T_SCORED("titanic"), "1"}};
    const char *pristine = t_path("pristine.db");
    sqlite3 *db = open_models(pristine, 1);
    long points = 0;

    t_register(db, "titanic", titanic, T_TITANIC_OPTIONS);
    t_close(db);
    install_disk();
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
        for (int on = 0; on < 2; on++)
            for (long n = 1; disk_once(jobs[i].sql, pristine, n, on, jobs[i].right); n++)
                points++;
    printf("%ld faults of the disk\n", points);
    sqlite3_vfs_unregister(&disk.base);
}

/* ------------------------------------------------------------------ R2: interrupt */

/* An interrupt that comes before its statement does nothing, by SQLite's definition: so the statement
 * says when it runs. */
typedef struct interrupter {
    sqlite3 *db;
    useconds_t after; /* it has begun */
    atomic_bool begun;
    double at;
} interrupter;

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void begun(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    interrupter *i = sqlite3_user_data(context);

    (void)argc;
    (void)argv;
    i->begun = true;
    sqlite3_result_int(context, 1);
}

static void *interrupt(void *state)
{
    interrupter *i = state;

    while (!i->begun)
        usleep(100);
    usleep(i->after);
    i->at = seconds();
    sqlite3_interrupt(i->db);
    return NULL;
}

static void interrupted(void)
{
    static const char *statements[] = {
        "SELECT sum(begun() * predict_probability('titanic', 'survived', " T_PASSENGER "))",
        "SELECT count(begun() || predict_json('titanic', " T_PASSENGER "))",
        "SELECT count(predict('titanic@' || begun(), " T_PASSENGER "))",
        "SELECT count(begun() + hbscore_register('m' || a.i, (SELECT model FROM first)))",
    };
    sqlite3 *db = open_models(NULL, 2);
    interrupter how = {.db = db};
    char sql[1000];

    t_do(db, "CREATE VIEW first AS SELECT model FROM hbscore_models"
             " WHERE version = 1 AND name = 'titanic'");
    sqlite3_create_function(db, "begun", 0, SQLITE_UTF8, &how, begun, NULL, NULL);
    for (size_t s = 0; s < sizeof(statements) / sizeof(statements[0]); s++) {
        snprintf(sql, sizeof(sql), ROWS "%s FROM n a, n b, n c, n d", statements[s]);
        for (int i = 0; i < 10; i++) {
            pthread_t id;
            double late;

            how.after = (useconds_t)(1000 + 3700 * i);
            how.begun = false;
            pthread_create(&id, NULL, interrupt, &how);
            t_fails("R2", db, sql, SQLITE_INTERRUPT, "interrupt");
            late = seconds() - how.at;
            pthread_join(id, NULL);
            t_check("R2", late < 0.1, "the interrupt took %.0f ms", late * 1e3);
            t_is("R2", db, T_SCORED("titanic@1"), "1");
        }
    }
    t_close(db);
}

/* ------------------------------------------------------------------ authorizer */

static int deny_models(void *denied, int action, const char *a, const char *b, const char *c,
                       const char *d)
{
    (void)b;
    (void)c;
    (void)d;
    return *(int *)denied && action == SQLITE_READ && a && strcmp(a, "hbscore_models") == 0
               ? *(int *)denied
               : SQLITE_OK;
}

static void authorizer(void)
{
    sqlite3 *db = open_models(NULL, 1);
    int denied = SQLITE_DENY;

    t_is("L7", db, T_SCORED("titanic"), "1");
    sqlite3_set_authorizer(db, deny_models, &denied);
    t_fails("L7", db, T_SCORED("titanic"), SQLITE_AUTH, "prohibited");
    t_check("L7", t_register(db, "titanic", titanic, NULL) == SQLITE_AUTH, "register: %s",
            sqlite3_errmsg(db));
    denied = SQLITE_IGNORE; /* every column reads as NULL */
    sqlite3_set_authorizer(db, deny_models, &denied);
    t_fails("L7", db, T_SCORED("titanic"), SQLITE_ERROR, "titanic");
    denied = 0;
    sqlite3_set_authorizer(db, deny_models, &denied);
    t_is("L7", db, T_SCORED("titanic"), "1");
    t_close(db);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    titanic = t_file(T_TITANIC);
    close_after_scoring();
    close_in_the_middle();
    close_of_a_zombie();
    load_twice();
    override_functions();
    drop_the_private_table();
    table_with_the_private_name();
    threads_of_their_own();
    threads_of_one_file();
    fork_with_an_open_connection();
    other_process_registers();
    replaced_during_a_statement();
    wal_reader_keeps_its_snapshot();
    rolled_back();
    commit_that_fails();
    first_registration_rolled_back();
    write_below_a_reader();
    locked();
    two_connections();
    read_only();
    disk_full();
    killed_while_registering();
    disk_faults();
    interrupted();
    authorizer();
    return t_finish();
}
