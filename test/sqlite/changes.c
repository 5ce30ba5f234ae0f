/* changes.c - the files before and after, and what is between them and nothing. */
#define _GNU_SOURCE
#include "changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A model of six pages, one of its golden rows and XGBoost's own answer. Version 2 has all rounds
 * and answers otherwise. */
#define MODEL   "test/golden/xgboost/rounds_multi_34.json"
#define OPTIONS "{\"rounds\": 2}"
#define ROW     "-0.828125, -1136.0, -0.01104736328125, -4.0"
#define SCORED  "SELECT predict_proba('m@1', " ROW ") = '[0.6105225682258606,0.2263338565826416,0.1631435602903366]'"

#define REGISTERS "SELECT hbscore_register('m', model_file())"

/* Where the cache holds five pages, a model's are written before its commit; and the log of WAL
 * goes back into the file with every commit. */
#define BY_PIECES "PRAGMA cache_size = 5; PRAGMA wal_autocheckpoint = 5"

const char *const journal_modes[2] = {"DELETE", "WAL"};

const change changes[CHANGES] = {
    [REGISTER] = {.name = "register", .sql = REGISTERS, .answer = "2", .versions = 1, .still = SCORED},
    [REGISTER_BY_PIECES] = {.name = "register by pieces",
                            .sql = REGISTERS,
                            .answer = "2",
                            .versions = 1,
                            .still = SCORED,
                            .setup = BY_PIECES},
    [REGISTER_FIRST] = {.name = "register the first",
                        .sql = REGISTERS,
                        .answer = "1",
                        .still = "SELECT a FROM other",
                        .half = "NULL, NULL"}, /* the tables without a row */
    [DEPLOY] =
        {.name = "deploy", .sql = "SELECT hbscore_deploy('m', 2)", .answer = "2", .versions = 2, .still = SCORED},
    [DEPLOY_FIRST] = {.name = "deploy an alias",
                      .sql = "SELECT hbscore_deploy('m', 2, 'next')",
                      .answer = "2",
                      .versions = 2,
                      .still = SCORED},
    [DROP] = {.name = "drop", .sql = "SELECT hbscore_drop('m', 2)", .answer = "1", .versions = 2, .still = SCORED},
    [DROP_ALL] = {.name = "drop the whole model",
                  .sql = "SELECT hbscore_drop('m')",
                  .answer = "2",
                  .versions = 2,
                  .still = "SELECT a FROM other"},
    [SCORE] = {.name = "score", .sql = SCORED, .answer = "1", .versions = 2, .still = SCORED},
};

static void model_file(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    t_blob model = t_file(MODEL);

    (void)argc;
    (void)argv;
    sqlite3_result_blob64(context, model.bytes, model.size, SQLITE_STATIC);
}

/* All that versions and aliases are, but the times. A table that is not there yet is an empty one. */
static char *state(sqlite3 *db)
{
    char *models = t_ask(db, "SELECT group_concat(row, char(10)) FROM ("
                             " SELECT json_array(name, version, format, sha256, description, options, created_by,"
                             "  length(model)) || CASE WHEN model IS NULL THEN ' dropped' ELSE"
                             "  predict_json(name || '@' || version, " ROW ") END AS row"
                             " FROM hbscore_models ORDER BY name, version)");
    char *aliases = t_ask(db, "SELECT group_concat(row) FROM (SELECT name || '@' || alias || ' is '"
                              " || version AS row FROM hbscore_aliases ORDER BY name, alias)");
    char *text = sqlite3_mprintf("%s, %s", models, strstr(aliases, "no such table") ? "NULL" : aliases);
    char *kept = strdup(text);

    free(models);
    free(aliases);
    sqlite3_free(text);
    return kept;
}

static char *state_of(const char *path)
{
    sqlite3 *db = t_open(path);
    char *text = state(db);

    t_close(db);
    return text;
}

/* ------------------------------------------------------------------ files */

static void copy_file(const char *from, const char *to)
{
    static char buffer[65536];
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    size_t n;

    while (in && out && (n = fread(buffer, 1, sizeof(buffer), in)) > 0)
        fwrite(buffer, 1, n, out);
    if (!in || !out || fclose(in) != 0 || fclose(out) != 0)
        t_check("", false, "%s cannot be copied", from);
}

const char *trial_copy(const trial *trial)
{
    const char *path = t_path("copy.db");

    unlink(t_path("copy.db-journal"));
    unlink(t_path("copy.db-wal"));
    unlink(t_path("copy.db-shm"));
    copy_file(trial->pristine, path);
    return path;
}

static void make_pristine(const trial *trial)
{
    sqlite3 *db = t_open(trial->pristine);
    char sql[64];

    snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", trial->mode);
    t_do(db, sql);
    t_do(db, "CREATE TABLE other(a); INSERT INTO other VALUES (1)");
    for (int i = 0; i < trial->change->versions; i++)
        t_check("", t_register(db, "m", t_file(MODEL), i ? NULL : OPTIONS) == SQLITE_OK, "register: %s",
                sqlite3_errmsg(db));
    if (trial->change->versions > 1) {
        t_is("", db, "SELECT hbscore_deploy('m', 1)", "1");
        t_is("", db, "SELECT hbscore_deploy('m', 1, 'champion')", "1");
    }
    t_is("", db, trial->change->still, "1");
    t_close(db);
}

void trial_start(trial *trial, const change *change, const char *mode)
{
    const char *path;
    sqlite3 *db;

    trial->change = change;
    trial->mode = mode;
    snprintf(trial->pristine, sizeof(trial->pristine), "%s", t_path("pristine.db"));
    unlink(trial->pristine);
    make_pristine(trial);
    path = trial_copy(trial);
    trial->before = state_of(path);
    db = trial_open(trial, path);
    t_is("", db, change->sql, change->answer);
    t_close(db);
    trial->after = state_of(path);
}

void trial_end(trial *trial)
{
    free(trial->before);
    free(trial->after);
}

sqlite3 *trial_open(const trial *trial, const char *path)
{
    sqlite3 *db = t_open(path);

    sqlite3_create_function(db, "model_file", 0, SQLITE_UTF8, NULL, model_file, NULL, NULL);
    sqlite3_extended_result_codes(db, 1);
    if (trial->change->setup)
        t_do(db, trial->change->setup);
    return db;
}

/* ------------------------------------------------------------------ afterwards */

static bool is_allowed(const trial *trial, const char *got, bool done)
{
    if (strcmp(got, trial->after) == 0)
        return true;
    if (done)
        return false;
    return strcmp(got, trial->before) == 0 || (trial->change->half && strcmp(got, trial->change->half) == 0);
}

void trial_check(const char *class, const trial *trial, const char *answer, const char *where, long n)
{
    bool done = strcmp(answer, trial->change->answer) == 0;
    sqlite3 *db = t_open(t_path("copy.db"));
    char *sound = t_ask(db, "PRAGMA integrity_check");
    char *got = state(db);

    t_check(class, strcmp(sound, "ok") == 0, "%s, %s, %s, n = %ld: integrity_check: %s", trial->change->name,
            trial->mode, where, n, sound);
    t_check(class, is_allowed(trial, got, done), "%s, %s, %s, n = %ld (%s): the file is\n%s", trial->change->name,
            trial->mode, where, n, answer, got);
    t_is(class, db, trial->change->still, "1");
    free(sound);
    free(got);
    t_close(db);
}

int code_of_answer(const char *answer)
{
    char *end;
    long code = strtol(answer, &end, 10);

    return end > answer && strncmp(end, ": ", 2) == 0 ? (int)code : SQLITE_OK;
}
