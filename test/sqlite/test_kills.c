/* test_kills.c - R3: processes that are killed while they register and drop models.
 *
 * By the parent, after a delay that grows from nothing (HBSCORE_KILLS times in each journal mode,
 * 40 by default); and by themselves, at each operation of the disk in turn. What they leave is read
 * by a fresh connection, which rolls their journal back. */
#define _GNU_SOURCE
#include "changes.h"
#include "faulty_disk.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ killed by the parent */

enum { LONGEST_DELAY = 60000 }; /* microseconds: some registrations and drops */

static int kills(void)
{
    const char *given = getenv("HBSCORE_KILLS");
    int n = given ? atoi(given) : 40;

    return n > 0 ? n : 1;
}

/* Version 1 stays, and of the others the newest. Ends only where something fails. */
__attribute__((noreturn)) static void register_for_ever(const char *path)
{
    sqlite3 *db = t_open(path);
    sqlite3_stmt *drop = t_prepare(db, "SELECT hbscore_drop('titanic', version) FROM hbscore_models"
                                       " WHERE model NOT NULL AND version NOT IN"
                                       " (1, (SELECT max(version) FROM hbscore_models))");
    int code = SQLITE_OK;

    while (code == SQLITE_OK) {
        code = t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS);
        while (code == SQLITE_OK && sqlite3_step(drop) == SQLITE_ROW)
            ;
        if (code == SQLITE_OK)
            code = sqlite3_reset(drop);
    }
    _exit(1);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* No plan is kept, so that every version's bytes are read and compiled. */
static void check_file(const char *path, const char *mode, int kill)
{
    sqlite3 *db = t_open(path);
    char *bad;

    t_do(db, "SELECT hbscore_set('plan_cache_size', 0)");
    t_is("R3", db, "PRAGMA integrity_check", "ok");
    t_is("R3", db, T_SCORED("titanic@1"), "1");
    t_is("R3", db, "SELECT count(*) = max(version) FROM hbscore_models", "1");
    bad = t_ask(db, "SELECT count(*) FROM hbscore_models, (SELECT model AS good, sha256 AS digest"
                    " FROM hbscore_models WHERE version = 1)"
                    " WHERE model NOT NULL AND (model <> good OR sha256 <> digest OR"
                    " predict_probability('titanic@' || version, 'survived', " T_PASSENGER ") <> 0.91241276264190674)");
    t_check("R3", strcmp(bad, "0") == 0, "%s, kill %d: %s versions are wrong", mode, kill, bad);
    free(bad);
    t_close(db);
}

static void killed_after(const char *path, const char *mode, int kill_number, useconds_t delay, int *left)
{
    const char *behind = strcmp(mode, "WAL") == 0 ? "-wal" : "-journal";
    char other[256];
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        register_for_ever(path);
    usleep(delay);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    t_check("R3", WIFSIGNALED(status), "%s, kill %d: the child gave up", mode, kill_number);
    snprintf(other, sizeof(other), "%s%s", path, behind);
    *left += exists(other);
    check_file(path, mode, kill_number);
}

static void killed_by_the_parent(const char *mode)
{
    const char *path = t_path(mode);
    sqlite3 *db = t_open_models(path, 1);
    char sql[64];
    char *versions;
    int left = 0;

    snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", mode);
    t_do(db, sql);
    t_close(db);
    for (int i = 0; i < kills(); i++)
        killed_after(path, mode, i, (useconds_t)(LONGEST_DELAY / kills() * i), &left);
    db = t_open(path);
    versions = t_ask(db, "SELECT count(*) FROM hbscore_models");
    printf("%-7s %d kills, %d left a journal; %s versions\n", mode, kills(), left, versions);
    free(versions);
    t_close(db);
}

/* ------------------------------------------------------------------ killed at an operation */

static void kill_oneself(void *nothing)
{
    (void)nothing;
    raise(SIGKILL);
}

/* The end of the child: 0 where it gave the right answer. */
static int change_in_child(const trial *trial, const char *path, long n)
{
    sqlite3 *db = trial_open(trial, disk_uri(path));
    char *got;

    disk_arm((disk_fault){.kind = DISK_CALL, .n = n, .call = kill_oneself});
    got = t_ask(db, trial->change->sql);
    sqlite3_close(db);
    return strcmp(got, trial->change->answer) != 0;
}

static bool killed_at(const trial *trial, long n)
{
    const char *path = trial_copy(trial);
    int status = 0;
    pid_t pid = fork();
    bool ended;

    if (pid == 0)
        _exit(change_in_child(trial, path, n));
    waitpid(pid, &status, 0);
    ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    t_check("R3", ended || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL),
            "%s, %s, n = %ld: the child ends with %x", trial->change->name, trial->mode, n, status);
    trial_check("R3", trial, ended ? trial->change->answer : "", "killed", n);
    return !ended;
}

static void killed_by_itself(const change *change, const char *mode)
{
    trial trial;
    long points = 0;

    trial_start(&trial, change, mode);
    for (long n = 1; killed_at(&trial, n); n += t_step())
        points++;
    trial_end(&trial);
    printf("%-20s %-7s %5ld points\n", change->name, mode, points);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    disk_install();
    for (int mode = 0; mode < 2; mode++) {
        killed_by_the_parent(journal_modes[mode]);
        for (int i = 0; i < SCORE; i++)
            killed_by_itself(&changes[i], journal_modes[mode]);
    }
    return t_finish();
}
