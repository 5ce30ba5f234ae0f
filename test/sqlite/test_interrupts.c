/* test_interrupts.c - R2: an interrupt at every step of every statement.
 *
 * It comes from the application's progress handler at the n-th instruction of SQLite's machine (the
 * statements of the extension count too), by sqlite3_interrupt or by the handler's own refusal, or
 * from the disk at its n-th operation. n rises until the statement ends before it. The answer is
 * SQLITE_INTERRUPT or the right one. HBSCORE_FAULT_STEP=7 takes every seventh n only. */
#include "changes.h"
#include "faulty_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum way { BY_INTERRUPT, BY_REFUSAL, BY_DISK, WAYS } way;

static const char *const way_names[WAYS] = {"interrupt", "refusal", "disk"};

typedef struct interrupter {
    sqlite3 *db;
    way way;
    long n, seen;
} interrupter;

static int at_instruction(void *state)
{
    interrupter *i = state;

    if (++i->seen != i->n)
        return 0;
    if (i->way == BY_REFUSAL)
        return 1;
    sqlite3_interrupt(i->db);
    return 0;
}

static void at_operation(void *state)
{
    interrupter *i = state;

    sqlite3_interrupt(i->db);
}

static void begin(interrupter *i)
{
    i->seen = 0;
    if (i->way == BY_DISK)
        disk_arm((disk_fault){.kind = DISK_CALL, .n = i->n, .call = at_operation, .argument = i});
    else
        sqlite3_progress_handler(i->db, 1, at_instruction, i);
}

/* Whether the interrupt has come. */
static bool end(interrupter *i)
{
    if (i->way == BY_DISK)
        return disk_disarm() > 0;
    sqlite3_progress_handler(i->db, 0, NULL, NULL);
    return i->seen >= i->n;
}

/* ------------------------------------------------------------------ changes of a file */

static bool is_interrupted(const char *answer)
{
    return strcmp(answer, "9: interrupted") == 0;
}

static bool change_once(const trial *trial, way way, long n)
{
    sqlite3_int64 before = sqlite3_memory_used();
    interrupter i = {.way = way, .n = n};
    bool came;
    char *got;

    i.db = trial_open(trial, disk_uri(trial_copy(trial)));
    begin(&i);
    got = t_ask(i.db, trial->change->sql);
    came = end(&i);
    t_check("R2", strcmp(got, trial->change->answer) == 0 || (came && is_interrupted(got)), "%s, %s, %s, n = %ld: %s",
            trial->change->name, trial->mode, way_names[way], n, got);
    t_is("R2", i.db, trial->change->still, "1");
    t_close(i.db);
    t_check("R2", sqlite3_memory_used() == before, "%s, %s, n = %ld: %lld bytes are lost", trial->change->name,
            way_names[way], n, sqlite3_memory_used() - before);
    trial_check("R2", trial, got, way_names[way], n);
    free(got);
    return came;
}

static void sweep_change(const change *change, const char *mode)
{
    trial trial;
    long points = 0;

    trial_start(&trial, change, mode);
    for (way way = 0; way < WAYS; way++)
        for (long n = 1; change_once(&trial, way, n); n += t_step())
            points++;
    trial_end(&trial);
    printf("%-20s %-7s %5ld points\n", change->name, mode, points);
}

/* ------------------------------------------------------------------ scores of many rows */

#define PROBABILITY(reference) "predict_probability(" reference ", 'survived', " T_PASSENGER ") = 0.91241276264190674"

static const struct {
    const char *name, *sql;
    int rows;
} scores[] = {
    {"100 rows", T_SCORES, 100},
    /* Each row finds its model again, by statements of the extension. */
    {"a scan", "SELECT probability = 0.91241276264190674 FROM hbscore_scan('titanic', 'SELECT * FROM people')", 100},
    {"a profile",
     "SELECT max(rows) = 100 FROM hbscore_profile('titanic', 'SELECT * FROM people', 'predict_proba') WHERE bytes > 0",
     1},
    {"a virtual table", "SELECT probability = 0.91241276264190674 FROM scored WHERE pclass IN (1, 2) ORDER BY fare",
     100},
    {"a virtual table, joined",
     "SELECT s.probability = 0.91241276264190674 FROM people AS p CROSS JOIN scored AS s ON s.id = p.id"
     " WHERE p.id <= 10",
     10},
    {"predict_agg",
     "SELECT json_array_length(predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked))"
     " = 100 FROM people",
     1},
    {"10 references", T_ROWS "SELECT " PROBABILITY("'titanic@' || (i > 0)") " FROM n LIMIT 10", 10},
};

/* The code, where every row gave 1; -1 where one did not. */
static int step_all(sqlite3_stmt *rows, int *count)
{
    int code;

    *count = 0;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW && sqlite3_column_int(rows, 0) == 1)
        ++*count;
    return code == SQLITE_ROW ? -1 : code;
}

static bool score_once(sqlite3 *db, int which, way way, long n)
{
    interrupter i = {.db = db, .way = way, .n = n};
    sqlite3_stmt *rows = t_prepare(db, scores[which].sql);
    int code, count;
    bool came;

    begin(&i);
    code = step_all(rows, &count);
    came = end(&i);
    t_check("R2",
            (code == SQLITE_DONE && count == scores[which].rows) ||
                (came && code == SQLITE_INTERRUPT && count <= scores[which].rows),
            "%s, %s, n = %ld: code %d behind %d rows", scores[which].name, way_names[way], n, code, count);
    sqlite3_finalize(rows);
    t_is("R2", db, T_SCORED("titanic@1"), "1");
    return came;
}

static void sweep_scores(sqlite3 *db, int which)
{
    long points = 0;

    for (way way = 0; way < BY_DISK; way++)
        for (long n = 1; score_once(db, which, way, n); n += t_step())
            points++;
    t_is("R2", db, "PRAGMA integrity_check", "ok");
    printf("%-28s %5ld points\n", scores[which].name, points);
}

/* The first score of a connection is among the changes; here the plan is kept. */
static void many_rows(void)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = t_open_models(NULL, 1);

    t_do(db, "CREATE TABLE people(id INTEGER PRIMARY KEY, pclass, sex, age, sibsp, parch, fare, embarked);" T_ROWS
             "INSERT INTO people SELECT i, " T_PASSENGER " FROM n;"
             "CREATE VIRTUAL TABLE scored USING hbscore(model='titanic', source='people')");
    for (size_t i = 0; i < sizeof(scores) / sizeof(scores[0]); i++)
        sweep_scores(db, (int)i);
    t_close(db);
    t_check("R2", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    disk_install();
    for (int mode = 0; mode < 2; mode++)
        for (int i = 0; i < CHANGES; i++)
            if (i != REGISTER_BY_PIECES) /* other operations, but the same instructions */
                sweep_change(&changes[i], journal_modes[mode]);
    many_rows();
    return t_finish();
}
