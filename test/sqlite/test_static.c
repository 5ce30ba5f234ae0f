/* test_static.c - L8: the extension linked to a program, from libhbscore_sqlite.a, and no file is
 * loaded. sqlite3_auto_extension gives its functions to every new connection. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sqlite3_hbscore_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);

#define ENTRY ((void (*)(void))sqlite3_hbscore_init)

static int is_ours(struct dl_phdr_info *object, size_t size, void *found)
{
    (void)size;
    if (object->dlpi_name && strstr(object->dlpi_name, "hbscore.so"))
        *(bool *)found = true;
    return 0;
}

static void nothing_is_loaded(void)
{
    bool found = false;

    dl_iterate_phdr(is_ours, &found);
    t_check("L8", !found, "no hbscore.so is in the process");
}

static void without_the_entry(void)
{
    sqlite3 *db = t_open(NULL);

    t_fails("L8", db, "SELECT predict('titanic', 1)", SQLITE_ERROR, "no such function");
    t_close(db);
}

static void every_connection(void)
{
    const char *path = t_path("static.db");
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *all[5];

    all[0] = t_open_models(path, 2);
    for (int i = 1; i < 5; i++)
        all[i] = t_open(i < 4 ? path : NULL);
    for (int i = 0; i < 4; i++) {
        t_is("L8", all[i], T_SCORED("titanic@1"), "1");
        t_is("L8", all[i], T_SCORED("titanic"), "0");
    }
    t_fails("L8", all[4], T_SCORED("titanic"), SQLITE_ERROR, "unknown model");
    t_is("L8", all[4], "SELECT hbscore_set('max_model_size', 1000)", "1000");
    t_is("L8", all[0], "SELECT hbscore_get('max_model_size')", "67108864");
    for (int i = 0; i < 5; i++)
        t_close(all[i]);
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

static void errors_and_tables(void)
{
    sqlite3 *db = t_open_models(NULL, 1);

    t_is("L8", db,
         "SELECT count(*) FROM hbscore_models AS m, hbscore_inspect(m.model)"
         " WHERE role = 'feature'",
         "7");
    t_do(db, "CREATE TABLE people(id, pclass, sex, age, sibsp, parch, fare, embarked);"
             "INSERT INTO people VALUES (1, " T_PASSENGER ");"
             "CREATE VIRTUAL TABLE scored USING hbscore(model='titanic', source='people')");
    t_is("L8", db,
         "SELECT s.probability = v.probability AND s.prediction = v.prediction AND v.probability ="
         " 0.91241276264190674 FROM hbscore_scan('titanic', 'SELECT * FROM people') AS s, scored AS v",
         "1");
    t_fails("L8", db, "SELECT hbscore_register('bad', x'00')", SQLITE_ERROR, "model \"bad\"");
    t_do(db, "SELECT hbscore_set('max_model_size', 1000)");
    t_fails("L8", db, "SELECT hbscore_register('again', model) FROM hbscore_models", SQLITE_TOOBIG,
            "max_model_size (1000)");
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_close(db);
}

/* Called by hand on a connection that has everything already. */
static void entered_twice(void)
{
    sqlite3 *db = t_open_models(NULL, 1);

    t_is("L8", db, "SELECT hbscore_set('plan_cache_size', 12345678)", "12345678");
    t_check("L8", sqlite3_hbscore_init(db, NULL, NULL) == SQLITE_OK, "a second time");
    t_check("L8", sqlite3_auto_extension(ENTRY) == SQLITE_OK, "registered twice");
    t_is("L8", db, "SELECT hbscore_get('plan_cache_size')", "12345678");
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_close(db);
}

static void *score(void *failures)
{
    for (int i = 0; i < 10; i++) {
        sqlite3 *db = t_open(t_path("static.db"));
        char *got = t_ask(db, T_SCORED("titanic@1"));

        *(int *)failures += strcmp(got, "1") != 0;
        free(got);
        sqlite3_close(db);
    }
    return NULL;
}

static void in_threads(void)
{
    pthread_t ids[4];
    int failures[4] = {0};

    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, score, &failures[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(ids[i], NULL);
        t_check("L8", failures[i] == 0, "thread %d: %d failures", i, failures[i]);
    }
}

int main(void)
{
    t_start_linked();
    without_the_entry();
    t_check("L8", sqlite3_auto_extension(ENTRY) == SQLITE_OK, "sqlite3_auto_extension");
    every_connection();
    errors_and_tables();
    entered_twice();
    in_threads();
    nothing_is_loaded();
    t_check("L8", sqlite3_cancel_auto_extension(ENTRY) == 1, "it was registered once");
    without_the_entry();
    return t_finish();
}
