/* faulty_disk.c - the VFS: every operation asks first whether it may go on to the real one. */
#include "faulty_disk.h"

#include <stdio.h>
#include <string.h>

static struct {
    sqlite3_vfs base;
    sqlite3_vfs *real;
    sqlite3_io_methods methods;
    bool armed;
    disk_fault fault;
    long seen, hits;
    int error; /* the first one given */
} disk;

typedef struct disk_file {
    sqlite3_file base;
    sqlite3_file *real;
} disk_file;

#define REAL(file) (((disk_file *)(file))->real)

/* ------------------------------------------------------------------ what is armed */

void disk_arm(disk_fault fault)
{
    disk.fault = fault;
    disk.seen = disk.hits = 0;
    disk.error = SQLITE_OK;
    disk.armed = true;
}

long disk_disarm(void)
{
    disk.armed = false;
    return disk.hits;
}

int disk_error(void)
{
    return disk.error;
}

static int give(int error)
{
    if (disk.error == SQLITE_OK)
        disk.error = error;
    return error;
}

static bool strikes(void)
{
    disk.seen++;
    if (disk.seen != disk.fault.n && !(disk.fault.from_then_on && disk.seen > disk.fault.n))
        return false;
    disk.hits++;
    return true;
}

/* `error`, or SQLITE_OK where the operation goes on. */
static int ask(int error)
{
    if (!disk.armed || disk.fault.kind == DISK_FULL || !strikes())
        return SQLITE_OK;
    if (disk.fault.kind == DISK_ERROR)
        return give(error);
    disk.fault.call(disk.fault.argument);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ operations on a file */

static int f_close(sqlite3_file *f)
{
    return REAL(f)->pMethods->xClose(REAL(f));
}

static int f_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    int code = ask(SQLITE_IOERR_READ);

    return code == SQLITE_OK ? REAL(f)->pMethods->xRead(REAL(f), to, n, at) : code;
}

/* A full disk takes what overwrites. */
static bool has_room(sqlite3_file *f, sqlite3_int64 end)
{
    sqlite3_int64 size = 0;

    if (!disk.armed || disk.fault.kind != DISK_FULL)
        return true;
    return (REAL(f)->pMethods->xFileSize(REAL(f), &size) == SQLITE_OK && end <= size) || !strikes();
}

static int f_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    int code = has_room(f, at + n) ? ask(SQLITE_IOERR_WRITE) : give(SQLITE_FULL);

    return code == SQLITE_OK ? REAL(f)->pMethods->xWrite(REAL(f), from, n, at) : code;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    int code = ask(SQLITE_IOERR_TRUNCATE);

    return code == SQLITE_OK ? REAL(f)->pMethods->xTruncate(REAL(f), size) : code;
}

/* No test cuts the power, so the real disk need not be waited for. */
static int f_sync(sqlite3_file *f, int flags)
{
    (void)f;
    (void)flags;
    return ask(SQLITE_IOERR_FSYNC);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *size)
{
    int code = ask(SQLITE_IOERR_FSTAT);

    return code == SQLITE_OK ? REAL(f)->pMethods->xFileSize(REAL(f), size) : code;
}

static int f_lock(sqlite3_file *f, int level)
{
    int code = ask(SQLITE_IOERR_LOCK);

    return code == SQLITE_OK ? REAL(f)->pMethods->xLock(REAL(f), level) : code;
}

static int f_unlock(sqlite3_file *f, int level)
{
    return REAL(f)->pMethods->xUnlock(REAL(f), level);
}

static int f_reserved(sqlite3_file *f, int *out)
{
    int code = ask(SQLITE_IOERR_CHECKRESERVEDLOCK);

    return code == SQLITE_OK ? REAL(f)->pMethods->xCheckReservedLock(REAL(f), out) : code;
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

static int f_map(sqlite3_file *f, int page, int size, int extend, void volatile **memory)
{
    int code = ask(SQLITE_IOERR_SHMMAP);

    if (code == SQLITE_OK)
        return REAL(f)->pMethods->xShmMap(REAL(f), page, size, extend, memory);
    *memory = NULL;
    return code;
}

static int f_map_lock(sqlite3_file *f, int offset, int n, int flags)
{
    int code = flags & SQLITE_SHM_LOCK ? ask(SQLITE_IOERR_SHMLOCK) : SQLITE_OK;

    return code == SQLITE_OK ? REAL(f)->pMethods->xShmLock(REAL(f), offset, n, flags) : code;
}

static void f_map_barrier(sqlite3_file *f)
{
    REAL(f)->pMethods->xShmBarrier(REAL(f));
}

static int f_unmap(sqlite3_file *f, int delete)
{
    return REAL(f)->pMethods->xShmUnmap(REAL(f), delete);
}

/* ------------------------------------------------------------------ operations on the disk */

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    disk_file *f = (disk_file *)file;
    int code = ask(SQLITE_CANTOPEN);

    (void)vfs;
    f->base.pMethods = NULL;
    if (code != SQLITE_OK)
        return code;
    f->real = (sqlite3_file *)(f + 1);
    code = disk.real->xOpen(disk.real, name, f->real, flags, out);
    if (f->real->pMethods)
        f->base.pMethods = &disk.methods;
    return code;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    int code = ask(SQLITE_IOERR_DELETE);

    (void)vfs;
    (void)sync;
    return code == SQLITE_OK ? disk.real->xDelete(disk.real, name, 0) : code;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    int code = ask(SQLITE_IOERR_ACCESS);

    (void)vfs;
    return code == SQLITE_OK ? disk.real->xAccess(disk.real, name, flags, out) : code;
}

void disk_install(void)
{
    disk.real = sqlite3_vfs_find(NULL);
    disk.base = *disk.real;
    disk.base.zName = "faulty";
    disk.base.pNext = NULL;
    disk.base.szOsFile += (int)sizeof(disk_file);
    disk.base.xOpen = disk_open;
    disk.base.xDelete = disk_delete;
    disk.base.xAccess = disk_access;
    disk.methods = (sqlite3_io_methods){.iVersion = 2, /* 3 would read by mmap */
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
                                        .xDeviceCharacteristics = f_device,
                                        .xShmMap = f_map,
                                        .xShmLock = f_map_lock,
                                        .xShmBarrier = f_map_barrier,
                                        .xShmUnmap = f_unmap};
    sqlite3_vfs_register(&disk.base, 0);
}

const char *disk_uri(const char *path)
{
    static char uri[256];

    snprintf(uri, sizeof(uri), "file:%s?vfs=faulty", path);
    return uri;
}
