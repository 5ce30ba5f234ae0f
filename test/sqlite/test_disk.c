/* test_disk.c - R3: files that cannot be written, full disks, disks that fail at the n-th
 * operation, processes that are killed. Always the old version or the new one, never half. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Aliases of versions that are dropped or not there. */
#define LOST_ALIASES                                                                             \
    "SELECT count(*) FROM hbscore_aliases AS a LEFT JOIN hbscore_models AS m ON m.name = a.name" \
    " AND m.version = a.version WHERE m.model IS NULL"

/* ------------------------------------------------------------------ R3: files */

static void read_only(void)
{
    const char *path = t_path("readonly.db");
    char uri[256];
    sqlite3 *db = t_open_models(path, 1);

    t_is("R3", db, "SELECT hbscore_deploy('titanic', 1, 'champion')", "1");
    t_close(db);
    db = t_open_flags(path, SQLITE_OPEN_READONLY);
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_check("R3", t_register(db, "titanic", t_titanic(), NULL) == SQLITE_READONLY, "register: %s",
            sqlite3_errmsg(db));
    t_fails("R3", db, "SELECT hbscore_drop('titanic')", SQLITE_READONLY, "readonly");
    t_fails("R3", db, "SELECT hbscore_deploy('titanic', 1)", SQLITE_READONLY, "readonly");
    t_is("R3", db, T_SCORED("titanic@champion"), "1");
    t_is("R3", db, T_SCORED("titanic@1"), "1");
    t_close(db);
    snprintf(uri, sizeof(uri), "file:%s?immutable=1", path);
    chmod(path, 0444);
    db = t_open_flags(uri, SQLITE_OPEN_READONLY);
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_close(db);
    db = t_open(path);
    t_do(db, "PRAGMA query_only = 1");
    t_check("R3", t_register(db, "titanic", t_titanic(), NULL) == SQLITE_READONLY, "query_only: %s",
            sqlite3_errmsg(db));
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_close(db);
}

static void disk_full(void)
{
    sqlite3 *db = t_open_models(t_path("full.db"), 1);

    t_do(db, "PRAGMA max_page_count = 1");
    t_check("R3", t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_FULL, "%s",
            sqlite3_errmsg(db));
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_is("R3", db, "SELECT count(*) FROM hbscore_models", "1");
    t_is("R3", db, "PRAGMA integrity_check", "ok");
    t_do(db, "PRAGMA max_page_count = 100000");
    t_check("R3", t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS) == SQLITE_OK, "%s",
            sqlite3_errmsg(db));
    t_is("R3", db, T_SCORED("titanic"), "0");
    t_close(db);
}

/* Registers, deploys and drops for ever, until the parent kills it. */
static int register_for_ever(const char *path)
{
    sqlite3 *db = t_open(path);

    sqlite3_busy_timeout(db, 30000);
    for (;;) {
        t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS);
        free(t_ask(db,
                   "SELECT hbscore_deploy('titanic', (SELECT max(version) FROM hbscore_models))"));
        if (rand() % 4 == 0)
            free(t_ask(db, "SELECT hbscore_drop('titanic')"));
    }
    return 0;
}

static void killed_while_registering(void)
{
    const char *path = t_path("killed.db");
    sqlite3 *db = t_open_models(path, 1);

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
        bad = t_ask(db, "SELECT count(*) FROM hbscore_models WHERE CASE WHEN model NOT NULL"
                        " THEN predict_probability('titanic@' ||"
                        " version, 'survived', " T_PASSENGER ") <> 0.91241276264190674 END");
        t_check("R3", strcmp(bad, "0") == 0, "killed %d times: %s versions are wrong", i + 1, bad);
        free(bad);
        t_is("R3", db, LOST_ALIASES, "0");
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

/* One fault while `job` runs on a fresh file; afterwards the file is the old or the new one. False
 * where the job ended before the fault came. */
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
    t_is(
        "R3", db,
        "SELECT count(*) - total(predict_probability('titanic@' || version, 'survived', " T_PASSENGER
        ") = 0.91241276264190674) FROM hbscore_models WHERE model NOT NULL",
        "0.0");
    t_is("R3", db, LOST_ALIASES, "0");
    t_is("R3", db,
         "SELECT (SELECT count(*) FROM hbscore_models WHERE model NOT NULL) >= 1"
         " = (SELECT count(*) FROM hbscore_aliases) >= 1",
         "1");
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
                {"SELECT hbscore_drop('titanic')", "2"},
                {"SELECT hbscore_deploy('titanic', 2)", "2"},
                {"SELECT hbscore_deploy('titanic', 2, 'champion')", "2"},
                {T_SCORED("titanic"), "1"}};
    const char *pristine = t_path("pristine.db");
    sqlite3 *db = t_open_models(pristine, 1);
    long points = 0;

    t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS);
    t_is("R3", db, "SELECT hbscore_deploy('titanic', 1, 'champion')", "1");
    t_close(db);
    install_disk();
    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
        for (int on = 0; on < 2; on++)
            for (long n = 1; disk_once(jobs[i].sql, pristine, n, on, jobs[i].right); n++)
                points++;
    printf("%ld faults of the disk\n", points);
    sqlite3_vfs_unregister(&disk.base);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    read_only();
    disk_full();
    killed_while_registering();
    disk_faults();
    return t_finish();
}
