/* test_full.c - R3: no room: PRAGMA max_page_count at every count, and a disk that is full at the
 * n-th write that makes a file longer.
 *
 * The answer is SQLITE_FULL and nothing has changed; while there is no room the old version scores;
 * once there is, the same connection makes the change. HBSCORE_FAULT_STEP=7 takes every seventh
 * point only. */
#include "changes.h"
#include "faulty_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* There is room again. */
static void check_again(sqlite3 *db, const trial *trial, const char *first)
{
    char *got = t_ask(db, trial->change->sql);

    t_check("R3", strcmp(got, trial->change->answer) == 0, "%s, %s: first %s, then %s", trial->change->name,
            trial->mode, first, got);
    free(got);
}

/* ------------------------------------------------------------------ PRAGMA max_page_count */

static int page_count(sqlite3 *db)
{
    char *text = t_ask(db, "PRAGMA page_count");
    int pages = atoi(text);

    free(text);
    return pages;
}

/* False where `room` more pages are enough. */
static bool pages_are_enough_for(const trial *trial, int room)
{
    sqlite3 *db = trial_open(trial, trial_copy(trial));
    char sql[64];
    char *got;
    bool full;

    snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %d", page_count(db) + room);
    t_do(db, sql);
    got = t_ask(db, trial->change->sql);
    full = code_of_answer(got) == SQLITE_FULL;
    t_check("R3", full || strcmp(got, trial->change->answer) == 0, "%s, %s, %d pages: %s", trial->change->name,
            trial->mode, room, got);
    t_is("R3", db, trial->change->still, "1");
    trial_check("R3", trial, got, "max_page_count", room);
    t_do(db, "PRAGMA max_page_count = 100000");
    if (full) {
        check_again(db, trial, got);
        trial_check("R3", trial, trial->change->answer, "max_page_count, then room", room);
    }
    t_close(db);
    free(got);
    return full;
}

static int sweep_pages(const trial *trial)
{
    int room = 0;

    while (pages_are_enough_for(trial, room))
        room++;
    return room;
}

/* ------------------------------------------------------------------ a full disk */

/* False where the change ended before the disk was full. */
static bool full_at(const trial *trial, long n, bool from_then_on)
{
    const char *where = from_then_on ? "full from then on" : "full once";
    sqlite3 *db = trial_open(trial, disk_uri(trial_copy(trial)));
    bool full;
    char *got;

    disk_arm((disk_fault){.kind = DISK_FULL, .n = n, .from_then_on = from_then_on});
    got = t_ask(db, trial->change->sql);
    full = code_of_answer(got) == SQLITE_FULL;
    t_check("R3", (full && disk_error()) || strcmp(got, trial->change->answer) == 0, "%s, %s, %s, n = %ld: %s",
            trial->change->name, trial->mode, where, n, got);
    t_is("R3", db, trial->change->still, "1");
    trial_check("R3", trial, got, where, n);
    full = disk_disarm() > 0 && full;
    if (full) {
        check_again(db, trial, got);
        trial_check("R3", trial, trial->change->answer, "room again", n);
    }
    t_close(db);
    free(got);
    return full;
}

static long sweep_disk(const trial *trial)
{
    long points = 0;

    for (int on = 0; on < 2; on++)
        for (long n = 1; full_at(trial, n, on); n += t_step())
            points++;
    return points;
}

static void sweep(const change *change, const char *mode)
{
    trial trial;
    int pages;
    long points;

    trial_start(&trial, change, mode);
    pages = sweep_pages(&trial);
    points = sweep_disk(&trial);
    trial_end(&trial);
    printf("%-20s %-7s %3d pages, %4ld points\n", change->name, mode, pages, points);
    if (change == &changes[SCORE])
        t_check("R3", pages == 0 && points == 0, "a score needs no room, in mode %s", mode);
    else
        t_check("R3", points > 0, "%s needs no room, in mode %s", change->name, mode);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    disk_install();
    for (int mode = 0; mode < 2; mode++)
        for (int i = 0; i < CHANGES; i++)
            sweep(&changes[i], journal_modes[mode]);
    return t_finish();
}
