/* test_disk.c - R3: a disk that fails at its n-th operation, once or from then on.
 *
 * n rises until the statement ends without a fault. Where the disk fails once, the connection goes
 * on; where it fails from then on, it is closed on the broken disk, as if the process had ended.
 * HBSCORE_FAULT_STEP=7 takes every seventh n only. */
#include "changes.h"
#include "faulty_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The extended code is that of the operation that failed first. */
static bool is_disk_error(const char *answer)
{
    return disk_error() != SQLITE_OK && code_of_answer(answer) == disk_error();
}

/* False where the statement ended before the fault came. */
static bool one(const trial *trial, long n, bool from_then_on)
{
    const char *where = from_then_on ? "from then on" : "once";
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = trial_open(trial, disk_uri(trial_copy(trial)));
    long hits;
    char *got;

    disk_arm((disk_fault){.kind = DISK_ERROR, .n = n, .from_then_on = from_then_on});
    got = t_ask(db, trial->change->sql);
    if (from_then_on)
        t_close(db);
    hits = disk_disarm();
    t_check("R3", strcmp(got, trial->change->answer) == 0 || is_disk_error(got), "%s, %s, %s, n = %ld: %s",
            trial->change->name, trial->mode, where, n, got);
    if (!from_then_on) {
        t_is("R3", db, trial->change->still, "1");
        t_close(db);
    }
    t_check("R3", sqlite3_memory_used() == before, "%s, %s, %s, n = %ld: %lld bytes are lost", trial->change->name,
            trial->mode, where, n, sqlite3_memory_used() - before);
    trial_check("R3", trial, got, where, n);
    free(got);
    return hits > 0;
}

static void sweep(const change *change, const char *mode)
{
    trial trial;
    long points = 0;

    trial_start(&trial, change, mode);
    for (int on = 0; on < 2; on++)
        for (long n = 1; one(&trial, n, on); n += t_step())
            points++;
    trial_end(&trial);
    printf("%-20s %-7s %5ld points\n", change->name, mode, points);
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
