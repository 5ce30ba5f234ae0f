/* test_hosts.c - the extension in a host's hands: closing, loading twice, overriding, threads,
 * forks, interrupts, an authorizer. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <dlfcn.h>
#include <pthread.h>
#define SQLITE_CORE 1 /* sqlite3ext.h for its struct only */
#include <sqlite3ext.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ L8: closing */

static void close_after_scoring(void)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = t_open_models(NULL, 1);

    t_is("L8", db, T_SCORED("titanic"), "1");
    t_check("L8", sqlite3_next_stmt(db, NULL) != NULL, "statements are kept between calls");
    t_check("L8", sqlite3_close(db) == SQLITE_OK, "close finds no statement of ours");
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

static void close_in_the_middle(void)
{
    sqlite3 *db = t_open_models(NULL, 1);
    sqlite3_stmt *rows = t_prepare(db, T_SCORES);
    int scored = 0;

    t_check("L8", sqlite3_step(rows) == SQLITE_ROW, "a first row");
    t_check("L8", sqlite3_close(db) == SQLITE_BUSY, "close is busy with the application's statement");
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
    sqlite3 *db = t_open_models(NULL, 1);
    sqlite3_stmt *rows = t_prepare(db, T_SCORES);
    sqlite3_stmt *other = t_prepare(db, T_SCORED("titanic"));
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
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

/* ------------------------------------------------------------------ L8: loading, overriding */

static void load_twice(void)
{
    sqlite3 *db = t_open_models(NULL, 1);
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

/* A process can have several SQLite libraries, and the file has one pointer to their functions. */
static void another_library(void)
{
    sqlite3 *db = t_open_models(NULL, 1);
    sqlite3_api_routines other = {.mprintf = sqlite3_mprintf};
    int (*init)(sqlite3 *, char **, const sqlite3_api_routines *);
    char *message = NULL;
    void *library = dlopen(t_extension(), RTLD_NOW | RTLD_NOLOAD);

    *(void **)&init = library ? dlsym(library, "sqlite3_hbscore_init") : NULL;
    t_check("L8", init != NULL, "the extension that is loaded is at %s", t_extension());
    if (!init)
        return;
    t_check("L8", init(db, &message, &other) == SQLITE_ERROR, "a second library is refused");
    t_check("L8", message && strstr(message, "another SQLite library"), "in words: %s", message);
    t_check("L8", init(db, NULL, &other) == SQLITE_ERROR, "also without a place for them");
    sqlite3_free(message);
    t_is("L8", db, T_SCORED("titanic"), "1");
    dlclose(library);
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
    } all[] = {{"predict", -1},         {"predict_label", -1},       {"predict_probability", -1},
               {"predict_proba", -1},   {"predict_values", -1},      {"decision_function", -1},
               {"predict_json", -1},    {"transform", -1},           {"hbscore_register", 2},
               {"hbscore_register", 3}, {"hbscore_drop", 1},         {"hbscore_drop", 2},
               {"hbscore_set", 2},      {"hbscore_get", 1},          {"hbscore_deploy", 2},
               {"hbscore_deploy", 3},   {"hbscore_drop_aliases", 1}, {"predict_probabilities", -1},
               {"predict_top", -1}};
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = t_open_models(NULL, 1);

    t_is("L8", db, T_SCORED("titanic"), "1");
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        int code = sqlite3_create_function_v2(db, all[i].name, all[i].arguments, SQLITE_UTF8, NULL, answer_42, NULL,
                                              NULL, NULL);

        t_check("L8", code == SQLITE_OK, "%s is overridden", all[i].name);
        if (i == 0) {
            t_is("L8", db, "SELECT predict('titanic')", "42");
            t_is("L8", db, T_SCORED("titanic"), "1");
        }
    }
    t_is("L8", db, "SELECT predict_json('titanic')", "42");
    t_is("L8", db, "SELECT count(*) > 0 FROM hbscore_inspect('titanic')", "1");
    t_check("L8", sqlite3_drop_modules(db, NULL) == SQLITE_OK, "all modules are dropped");
    t_check("L8", sqlite3_close(db) == SQLITE_OK, "close with nothing of ours left");
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

/* Without the private table no statement can be kept: scoring is slower and right. */
static void drop_the_private_table(void)
{
    static const char *keep[] = {"hbscore_inspect", NULL};
    sqlite3 *db = t_open_models(NULL, 1);

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
    t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS);
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

        if (t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS) != SQLITE_OK)
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

static int score_in_fork(const char *path)
{
    sqlite3 *db = t_open(path);
    char *got = t_ask(db, T_SCORED("titanic"));

    bool one = strcmp(got, "1") == 0;

    free(got);
    return sqlite3_close(db) == SQLITE_OK && one ? 0 : 1;
}

static void fork_with_an_open_connection(void)
{
    const char *path = t_path("fork.db");
    static sqlite3 *db; /* static: the child must not seem to have lost it */

    db = t_open_models(path, 1);
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_check("L8", t_in_child(score_in_fork, path) == 0, "a child scores on a connection of its own");
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_close(db);
}

static void two_connections(void)
{
    const char *path = t_path("two.db");
    sqlite3 *a = t_open_models(path, 1);
    sqlite3 *b = t_open(path);

    t_is("L8", a, "SELECT hbscore_set('max_model_size', 1000)", "1000");
    t_is("L8", b, "SELECT hbscore_get('max_model_size')", "67108864");
    t_fails("L8", a, "SELECT hbscore_register('again', model) FROM hbscore_models", SQLITE_TOOBIG,
            "more than max_model_size (1000)");
    t_is("L8", a, T_SCORED("titanic"), "1");
    t_is("L8", b, T_SCORED("titanic"), "1");
    t_close(a);
    t_is("L8", b, T_SCORED("titanic"), "1");
    t_close(b);
}

/* ------------------------------------------------------------------ R2: interrupt */

/* An interrupt that comes before its statement does nothing, by SQLite's definition: so the
 * statement says when it runs. How late it stops is counted in rows, not in time. */
typedef struct interrupter {
    sqlite3 *db;
    useconds_t after; /* it has begun */
    atomic_bool begun, given;
    atomic_int late; /* rows that began behind the interrupt */
} interrupter;

static void begun(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    interrupter *i = sqlite3_user_data(context);

    (void)argc;
    (void)argv;
    i->begun = true;
    i->late += i->given;
    sqlite3_result_int(context, 1);
}

static void *interrupt(void *state)
{
    interrupter *i = state;

    while (!i->begun)
        usleep(100);
    usleep(i->after);
    sqlite3_interrupt(i->db);
    i->given = true;
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
    sqlite3 *db = t_open_models(NULL, 2);
    interrupter how = {.db = db};
    char sql[1000];

    t_do(db, "CREATE VIEW first AS SELECT model FROM hbscore_models"
             " WHERE version = 1 AND name = 'titanic'");
    sqlite3_create_function(db, "begun", 0, SQLITE_UTF8, &how, begun, NULL, NULL);
    for (size_t s = 0; s < sizeof(statements) / sizeof(statements[0]); s++) {
        snprintf(sql, sizeof(sql), T_ROWS "%s FROM n a, n b, n c, n d", statements[s]);
        for (int i = 0; i < 10; i++) {
            pthread_t id;

            how.after = (useconds_t)(1000 + 3700 * i);
            how.begun = how.given = false;
            how.late = 0;
            pthread_create(&id, NULL, interrupt, &how);
            t_fails("R2", db, sql, SQLITE_INTERRUPT, "interrupt");
            pthread_join(id, NULL);
            t_check("R2", how.late <= 1, "%d rows began behind the interrupt", how.late);
            t_is("R2", db, T_SCORED("titanic@1"), "1");
        }
    }
    t_close(db);
}

/* ------------------------------------------------------------------ authorizer */

static int deny_models(void *denied, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)b;
    (void)c;
    (void)d;
    return *(int *)denied && action == SQLITE_READ && a && strcmp(a, "hbscore_models") == 0 ? *(int *)denied
                                                                                            : SQLITE_OK;
}

static void authorizer(void)
{
    sqlite3 *db = t_open_models(NULL, 1);
    int denied = SQLITE_DENY;

    t_is("L7", db, T_SCORED("titanic"), "1");
    sqlite3_set_authorizer(db, deny_models, &denied);
    t_fails("L7", db, T_SCORED("titanic"), SQLITE_AUTH, "prohibited");
    t_check("L7", t_register(db, "titanic", t_titanic(), NULL) == SQLITE_AUTH, "register: %s", sqlite3_errmsg(db));
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
    close_after_scoring();
    close_in_the_middle();
    close_of_a_zombie();
    load_twice();
    another_library();
    override_functions();
    drop_the_private_table();
    table_with_the_private_name();
    threads_of_their_own();
    threads_of_one_file();
    fork_with_an_open_connection();
    two_connections();
    interrupted();
    authorizer();
    return t_finish();
}
