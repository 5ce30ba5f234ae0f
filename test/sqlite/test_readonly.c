/* test_readonly.c - R3: files of an older run that nobody may write: opened read-only, without the
 * permission, in a folder without the permission, immutable, with a WAL left behind. They score,
 * registering is SQLITE_READONLY, and not a byte changes. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* root may write everything; without this capability it is a user like others. */
static void give_up_privilege(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &header, data) != 0)
        return;
    data[0].effective &= ~(1u << CAP_DAC_OVERRIDE);
    syscall(SYS_capset, &header, data);
}

/* ------------------------------------------------------------------ the bytes of a file */

#define NOTHING 0xcbf29ce484222325u /* FNV-1a's first state */

static uint64_t add_file(uint64_t sum, FILE *file)
{
    int byte;

    while (file && (byte = getc_unlocked(file)) != EOF)
        sum = (sum ^ (unsigned)byte) * 0x100000001b3u;
    if (file)
        fclose(file);
    return sum;
}

/* Of the database and its log. (A reader of WAL makes a log without a byte, and -shm is memory.) */
static uint64_t digest_of(const char *path)
{
    char log[600];

    snprintf(log, sizeof(log), "%s-wal", path);
    return add_file(add_file(NOTHING, fopen(path, "rb")), fopen(log, "rb"));
}

/* ------------------------------------------------------------------ a file of an older run */

typedef struct old_file {
    const char *name;
    const char *mode;       /* of the journal */
    bool wal_left;          /* the last connection leaves the log where it is */
    mode_t file, folder;    /* permissions */
    const char *parameters; /* of the URI */
    int flags;
    int fails; /* with this code, by SQLite's own rules; SQLITE_OK: scores */
} old_file;

enum { READ_ONLY = SQLITE_OPEN_READONLY, READ_WRITE = SQLITE_OPEN_READWRITE };

static const old_file old_files[] = {
    {"opened read-only", "DELETE", false, 0644, 0755, "", READ_ONLY, 0},
    {"mode=ro", "DELETE", false, 0644, 0755, "?mode=ro", READ_WRITE, 0},
    {"no permission", "DELETE", false, 0444, 0755, "", READ_WRITE, 0},
    {"no permission for the folder", "DELETE", false, 0444, 0555, "", READ_WRITE, 0},
    {"immutable", "DELETE", false, 0444, 0555, "?immutable=1", READ_ONLY, 0},
    {"WAL, opened read-only", "WAL", false, 0644, 0755, "", READ_ONLY, 0},
    {"WAL, immutable", "WAL", false, 0444, 0555, "?immutable=1", READ_ONLY, 0},
    {"WAL left behind", "WAL", true, 0444, 0755, "", READ_ONLY, 0},
    {"WAL left behind, no permission for the folder", "WAL", true, 0444, 0555, "", READ_WRITE, 0},
    /* SQLite cannot make the -shm that a WAL needs. */
    {"WAL, no permission for the folder", "WAL", false, 0444, 0555, "", READ_WRITE, SQLITE_READONLY},
};

static void set_permissions(const char *folder, mode_t file, mode_t of_folder)
{
    static const char *const names[] = {"old.db", "old.db-wal", "old.db-shm"};
    char path[512];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        chmod(path, file);
    }
    chmod(folder, of_folder);
}

/* Version 1 is in the file, and version 2 too, or in the log. */
static void make_old(const old_file *old, const char *path)
{
    sqlite3 *db = t_open(path);
    char sql[64], log[600];

    snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", old->mode);
    t_do(db, sql);
    for (int i = 0; i < 2; i++) {
        t_check("", t_register(db, "titanic", t_titanic(), i ? T_OTHER_OPTIONS : T_TITANIC_OPTIONS) == SQLITE_OK,
                "register: %s", sqlite3_errmsg(db));
        if (i == 0 && old->wal_left)
            t_do(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    }
    if (old->wal_left)
        sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    t_close(db);
    snprintf(log, sizeof(log), "%s-wal", path);
    t_check("", (access(log, F_OK) == 0) == old->wal_left, "%s: the log", old->name);
}

static void scores_and_refuses(const old_file *old, sqlite3 *db)
{
    if (old->fails) {
        t_fails("R3", db, T_SCORED("titanic@1"), old->fails, "readonly");
        return;
    }
    t_is("R3", db, T_SCORED("titanic@1"), "1");
    t_is("R3", db, T_SCORED("titanic@2"), "0");
    t_check("R3", t_register(db, "titanic", t_titanic(), NULL) == SQLITE_READONLY, "%s: %s", old->name,
            sqlite3_errmsg(db));
    t_fails("R3", db, "SELECT hbscore_drop('titanic', 2)", SQLITE_READONLY, "readonly");
    t_is("R3", db, "SELECT count(*) FROM hbscore_models WHERE model NOT NULL", "2");
}

static void try_old(const old_file *old, int number)
{
    char name[32], folder[256], path[512], uri[600];
    uint64_t before;
    sqlite3 *db;

    snprintf(name, sizeof(name), "old%d", number);
    snprintf(folder, sizeof(folder), "%s", t_path(name));
    mkdir(folder, 0755);
    snprintf(path, sizeof(path), "%s/old.db", folder);
    make_old(old, path);
    set_permissions(folder, old->file, old->folder);
    before = digest_of(path);
    t_check("", before != NOTHING, "%s: nothing to read", old->name);
    snprintf(uri, sizeof(uri), "file:%s%s", path, old->parameters);
    db = t_open_flags(uri, old->flags);
    scores_and_refuses(old, db);
    t_close(db);
    t_check("R3", digest_of(path) == before, "%s: the file has changed", old->name);
    set_permissions(folder, 0644, 0755);
}

/* The connection is made read-only, not the file. */
static void query_only(void)
{
    sqlite3 *db = t_open_models(t_path("query.db"), 1);

    t_do(db, "PRAGMA query_only = 1");
    t_check("R3", t_register(db, "titanic", t_titanic(), NULL) == SQLITE_READONLY, "query_only: %s",
            sqlite3_errmsg(db));
    t_is("R3", db, T_SCORED("titanic"), "1");
    t_do(db, "PRAGMA query_only = 0");
    t_check("R3", t_register(db, "titanic", t_titanic(), NULL) == SQLITE_OK, "then: %s", sqlite3_errmsg(db));
    t_close(db);
}

int main(int argc, char **argv)
{
    t_start(argc, argv);
    give_up_privilege();
    for (size_t i = 0; i < sizeof(old_files) / sizeof(old_files[0]); i++)
        try_old(&old_files[i], (int)i);
    query_only();
    return t_finish();
}
