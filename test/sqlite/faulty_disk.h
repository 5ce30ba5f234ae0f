/* faulty_disk.h - a disk on which something happens at the n-th operation.
 *
 * A VFS in front of SQLite's own. It counts what can fail: open, read, write, truncate, sync, file
 * size, lock, delete, access, and the shared memory of WAL. There is one disk for the program. */
#ifndef FAULTY_DISK_H
#define FAULTY_DISK_H

#include <sqlite3.h>
#include <stdbool.h>

typedef enum disk_kind {
    DISK_ERROR, /* the operation gives the SQLITE_IOERR of its kind; an open SQLITE_CANTOPEN */
    DISK_FULL,  /* only writes that make a file longer count, and give SQLITE_FULL */
    DISK_CALL   /* `call` is called first, and the operation goes on */
} disk_kind;

typedef struct disk_fault {
    disk_kind kind;
    long n;            /* the operation, from 1 */
    bool from_then_on; /* that one and all behind it */
    void (*call)(void *argument);
    void *argument;
} disk_fault;

void disk_install(void);
/* The file on this disk, as a URI; holds until the next call. */
const char *disk_uri(const char *path);
/* Counts from 1 again. */
void disk_arm(disk_fault fault);
/* How often the fault has come since it was armed; the disk is sound again. */
long disk_disarm(void);
/* The first error that it has given since it was armed. */
int disk_error(void);

#endif
