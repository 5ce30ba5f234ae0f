/* sqlite_test.c - counting, loading, asking. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_CLASSES = 64, PATHS = 64, FILES = 16 };

static struct {
    char extension[4096];
    char folder[64];
    long passed, failed;
    int n_classes;
    struct {
        char name[8];
        long cases, failures;
    } classes[MAX_CLASSES];
    int n_files;
    struct {
        char path[128];
        unsigned char *bytes;
        t_blob blob;
    } files[FILES];
    pthread_mutex_t lock;
} t = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((noreturn)) static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

void t_start(int argc, char **argv)
{
    const char *given = argc > 1 ? argv[1] : getenv("HBSCORE_SO");

    if (!given)
        give_up("HBSCORE_SO", "names no extension, and no argument does");
    if (!realpath(given, t.extension))
        give_up(given, "is not there");
    t_start_linked();
}

void t_start_linked(void)
{
    snprintf(t.folder, sizeof(t.folder), "/tmp/hbscore-test-XXXXXX");
    if (!mkdtemp(t.folder))
        give_up(t.folder, "cannot be made");
    setvbuf(stdout, NULL, _IOLBF, 0);
}

const char *t_extension(void)
{
    return t.extension;
}

const char *t_path(const char *name)
{
    static char paths[PATHS][128];
    char wanted[128];
    int i = 0;

    snprintf(wanted, sizeof(wanted), "%s/%s", t.folder, name);
    while (i < PATHS && paths[i][0] && strcmp(paths[i], wanted) != 0)
        i++;
    if (i == PATHS)
        give_up(name, "is one path too many");
    memcpy(paths[i], wanted, sizeof(wanted));
    return paths[i];
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", t.folder);
    if (system(command) != 0)
        printf("%s is left behind\n", t.folder);
}

static void count(const char *class, bool ok)
{
    int i = 0;

    if (ok)
        t.passed++;
    else
        t.failed++;
    if (!*class)
        return;
    while (i < t.n_classes && strcmp(t.classes[i].name, class) != 0)
        i++;
    if (i == MAX_CLASSES)
        give_up(class, "is one class too many");
    if (i == t.n_classes)
        snprintf(t.classes[t.n_classes++].name, sizeof(t.classes[0].name), "%s", class);
    t.classes[i].cases++;
    t.classes[i].failures += !ok;
}

bool t_check(const char *class, bool ok, const char *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&t.lock);
    count(class, ok);
    if (!ok && t.failed <= 50) {
        printf("FAILED  %s%s", class, *class ? ": " : "");
        va_start(arguments, format);
        vprintf(format, arguments);
        va_end(arguments);
        printf("\n");
    }
    pthread_mutex_unlock(&t.lock);
    return ok;
}

int t_finish(void)
{
    remove_folder();
    for (int i = 0; i < t.n_files; i++)
        free(t.files[i].bytes);
    for (int i = 0; i < t.n_classes; i++)
        printf("class %s: %ld cases, %ld failures\n", t.classes[i].name, t.classes[i].cases, t.classes[i].failures);
    printf("%ld passed, %ld failed\n", t.passed, t.failed);
    return t.failed > 0;
}

int t_load(sqlite3 *db, char **message)
{
    int code = sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);

    return code == SQLITE_OK ? sqlite3_load_extension(db, t.extension, NULL, message) : code;
}

sqlite3 *t_open_flags(const char *path, int flags)
{
    sqlite3 *db;
    char *message = NULL;

    if (sqlite3_open_v2(path ? path : ":memory:", &db, flags | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        give_up(path, sqlite3_errmsg(db));
    if (t.extension[0] && t_load(db, &message) != SQLITE_OK)
        give_up(t.extension, message ? message : sqlite3_errmsg(db));
    return db;
}

sqlite3 *t_open(const char *path)
{
    return t_open_flags(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

void t_close(sqlite3 *db)
{
    int code = sqlite3_close(db);

    t_check("", code == SQLITE_OK, "sqlite3_close gives %d", code);
}

/* The answer of a prepared statement: its first value, or the error. */
static char *answer(sqlite3 *db, sqlite3_stmt *statement, int code)
{
    const char *value = "no row";
    char *text;

    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        value = (const char *)sqlite3_column_text(statement, 0);
        text = strdup(value ? value : "NULL");
        while (code == SQLITE_ROW)
            code = sqlite3_step(statement);
        if (code == SQLITE_DONE)
            return text;
        free(text);
    }
    if (code == SQLITE_DONE)
        return strdup(value);
    text = malloc(strlen(sqlite3_errmsg(db)) + 16);
    sprintf(text, "%d: %s", code, sqlite3_errmsg(db));
    return text;
}

char *t_ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    char *text = answer(db, statement, code);

    sqlite3_finalize(statement);
    return text;
}

bool t_is(const char *class, sqlite3 *db, const char *sql, const char *wanted)
{
    char *got = t_ask(db, sql);
    bool ok = t_check(class, strcmp(got, wanted) == 0, "%.200s\n  wanted %.300s\n  got    %.300s", sql, wanted, got);

    free(got);
    return ok;
}

bool t_fails(const char *class, sqlite3 *db, const char *sql, int code, const char *words)
{
    char *got = t_ask(db, sql);
    char prefix[16];
    bool ok;

    snprintf(prefix, sizeof(prefix), "%d: ", code);
    ok = strncmp(got, prefix, strlen(prefix)) == 0 && strstr(got, words) != NULL;
    t_check(class, ok, "%.200s\n  wanted %d: .. %.300s ..\n  got    %.300s", sql, code, words, got);
    free(got);
    return ok;
}

void t_do(sqlite3 *db, const char *sql)
{
    char *message = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        give_up(sql, message);
}

/* Each file is read once and kept until the end. */
t_blob t_file(const char *path)
{
    int i = 0;
    FILE *file;
    long size = -1;

    while (i < t.n_files && strcmp(t.files[i].path, path) != 0)
        i++;
    if (i < t.n_files)
        return t.files[i].blob;
    file = fopen(path, "rb");
    if (i == FILES || !file || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
        give_up(path, "cannot be read (tests run in the repository's root)");
    rewind(file);
    t.files[i].bytes = malloc((size_t)size + 1);
    if (!t.files[i].bytes || fread(t.files[i].bytes, 1, (size_t)size, file) != (size_t)size)
        give_up(path, "cannot be read");
    fclose(file);
    snprintf(t.files[i].path, sizeof(t.files[i].path), "%s", path);
    t.files[i].blob = (t_blob){t.files[i].bytes, (size_t)size};
    t.n_files++;
    return t.files[i].blob;
}

int t_register(sqlite3 *db, const char *name, t_blob model, const char *options)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, "SELECT hbscore_register(?1, ?2, ?3)", -1, &statement, NULL);

    if (code == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
        sqlite3_bind_blob64(statement, 2, model.bytes, model.size, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, options, -1, SQLITE_STATIC);
        code = sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

t_blob t_titanic(void)
{
    return t_file(T_TITANIC);
}

sqlite3 *t_open_models(const char *path, int versions)
{
    sqlite3 *db = t_open(path);

    sqlite3_busy_timeout(db, 5000);
    if (t_register(db, "titanic", t_titanic(), T_TITANIC_OPTIONS) != SQLITE_OK)
        give_up("register", sqlite3_errmsg(db));
    if (versions > 1 && t_register(db, "titanic", t_titanic(), T_OTHER_OPTIONS) != SQLITE_OK)
        give_up("register", sqlite3_errmsg(db));
    return db;
}

sqlite3_stmt *t_prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        give_up(sql, sqlite3_errmsg(db));
    return statement;
}

long t_step(void)
{
    const char *given = getenv("HBSCORE_FAULT_STEP");
    long n = given ? atol(given) : 1;

    return n > 0 ? n : 1;
}

int t_in_child(int (*job)(const char *path), const char *path)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(job(path));
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
