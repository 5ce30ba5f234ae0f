/* test_golden.c - every golden model and row in PostgreSQL, beside the training library's answers and SQLite's.
 *
 *     tools/postgres_server.sh build build/release/test/postgres/test_golden [--quick] [--jobs N] [--only PART]
 *
 * HBSCORE_SO names SQLite's extension. Each model is registered in both databases and all its rows are asked for: in
 * PostgreSQL row by row with binary parameters, and as a table in one scan, also in a parallel worker and by compiled
 * expressions. Models are shared out among processes with a session each. --quick takes every eighth model, and
 * compiles expressions for few.
 *
 * With DEVICE in the environment models are scanned in blocks alone, and a GPU must have scored rows of the scans; PGOPTIONS
 * then has the settings for it. A GPU has no part in anything else that is asked for here.
 *
 * Prints each difference, a line for each library, scans in workers and by compiled expressions as cases of class B7,
 * and `N passed, N failed`: models. */
#define _GNU_SOURCE
#include "golden_postgres.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUICK_STEP = 8, JIT_STEP = 4, MOST_JOBS = 64 };

/* Memory that the processes share. */
typedef struct outcome {
    bool done;
    size_t models, rows, differences, scans, wrong_scans;
} outcome;

typedef struct shared {
    size_t next, device_rows;
    outcome outcomes[];
} shared;

typedef struct run {
    const char *only;
    size_t jobs, step;
    glob_t files;
    shared *shared;
    bool device;
    bool modes[GP_MODES];
    const char *missing[GP_MODES];
} run;

/* ------------------------------------------------------------------ one process */

static void exit_with(PGconn *conn, const char *what)
{
    fprintf(stderr, "%s: %s", what, PQerrorMessage(conn));
    exit(2);
}

static PGconn *open_session(void)
{
    PGconn *conn = PQconnectdb("client_encoding=UTF8");

    if (PQstatus(conn) != CONNECTION_OK)
        exit_with(conn, "no server");
    return conn;
}

/* "test/golden/xgboost/x.golden": the folder and the file. */
static void split(const char *path, char *folder, size_t size, const char **file)
{
    *file = strrchr(path, '/') + 1;
    snprintf(folder, size, "%.*s", (int)(*file - path - 1), path);
}

/* A model's transform stands in a golden of its own beside that of its predictions. */
static bool is_first_of_its_model(const rg_golden *golden)
{
    size_t n = strlen(golden->name);

    return strncmp(golden->model, golden->name, n) == 0 && golden->model[n] == '.';
}

/* Compiling expressions takes long: models take turns. */
static void take_modes(const run *r, size_t turn, bool modes[GP_MODES])
{
    memcpy(modes, r->modes, sizeof(r->modes));
    modes[GP_JIT] &= turn / r->step % JIT_STEP == 0;
}

static void test_model(const run *r, size_t turn, PGconn *conn, sqlite3 *db)
{
    outcome *out = &r->shared->outcomes[turn];
    bool modes[GP_MODES];
    char folder[512];
    const char *file;
    gp_model m;

    split(r->files.gl_pathv[turn], folder, sizeof(folder), &file);
    if (gp_open(&m, folder, file)) {
        take_modes(r, turn, modes);
        if (r->device)
            (void)gp_register(&m, conn);
        else
            gp_rows(&m, conn);
        if (m.n_calls > 0 && !r->device)
            gp_sqlite(&m, db);
        if (m.n_calls > 0)
            gp_sets(&m, conn, modes);
    }
    if (PQstatus(conn) != CONNECTION_OK)
        exit_with(conn, m.name);
    if (m.golden.model)
        out->models = is_first_of_its_model(&m.golden);
    out->rows = m.golden.rows;
    out->differences = m.differences;
    out->scans = m.scans;
    out->wrong_scans = m.wrong_scans;
    out->done = true;
    gp_close(&m);
}

/* That the GPU has scored in this session. */
static size_t device_rows(PGconn *conn)
{
    PGresult *result = PQexec(conn, "SELECT hbscore.device() ->> 'rows'");
    size_t rows = PQntuples(result) == 1 ? (size_t)atol(PQgetvalue(result, 0, 0)) : 0;

    PQclear(result);
    return rows;
}

static int worker(const run *r)
{
    PGconn *conn = open_session();
    sqlite3 *db = gp_sqlite_open();
    size_t turn;

    while ((turn = r->step * __atomic_fetch_add(&r->shared->next, 1, __ATOMIC_RELAXED)) < r->files.gl_pathc)
        test_model(r, turn, conn, db);
    if (r->device)
        __atomic_fetch_add(&r->shared->device_rows, device_rows(conn), __ATOMIC_RELAXED);
    sqlite3_close(db);
    PQfinish(conn);
    return 0;
}

/* ------------------------------------------------------------------ all */

static void begin(run *r)
{
    PGconn *conn = open_session();
    PGresult *result = PQexec(conn, "CREATE EXTENSION IF NOT EXISTS hbscore");

    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        exit_with(conn, "CREATE EXTENSION hbscore");
    PQclear(result);
    for (gp_mode mode = 0; mode < GP_MODES; mode++) {
        r->missing[mode] = gp_mode_missing(conn, mode);
        r->modes[mode] = r->device ? mode == GP_BLOCKS : !r->missing[mode];
        if (r->missing[mode])
            printf("golden, %s: not run, %s\n", gp_mode_names[mode], r->missing[mode]);
    }
    PQfinish(conn);
}

static void run_workers(const run *r)
{
    pid_t children[MOST_JOBS];

    fflush(stdout);
    for (size_t i = 0; i < r->jobs; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(worker(r));
    }
    for (size_t i = 0; i < r->jobs; i++) {
        int status;

        if (children[i] < 0 || waitpid(children[i], &status, 0) < 0 || status != 0)
            printf("FAILED a process of this test ended badly\n");
    }
}

static bool same_library(const char *a, const char *b)
{
    return strrchr(a, '/') - a == strrchr(b, '/') - b && strncmp(a, b, (size_t)(strrchr(a, '/') - a)) == 0;
}

static void print_library(const char *path, const outcome *sum)
{
    char folder[512];
    const char *file;

    split(path, folder, sizeof(folder), &file);
    printf("%s: %zu models, %zu rows, %zu differences\n", strrchr(folder, '/') + 1, sum->models, sum->rows,
           sum->differences);
}

/* A golden that no process came to the end of has failed. */
static size_t report(const run *r)
{
    size_t passed = 0, failed = 0, scans = 0, wrong_scans = 0;
    outcome sum = {0};

    for (size_t i = 0; i < r->files.gl_pathc; i += r->step) {
        const outcome *out = &r->shared->outcomes[i];

        if (!out->done || out->differences)
            printf("FAILED %s: %s\n", r->files.gl_pathv[i], out->done ? "differences" : "not tested");
        passed += out->done && !out->differences;
        failed += !out->done || out->differences;
        scans += out->scans;
        wrong_scans += out->wrong_scans;
        sum.models += out->models;
        sum.rows += out->rows;
        sum.differences += out->differences;
        if (i + r->step >= r->files.gl_pathc || !same_library(r->files.gl_pathv[i], r->files.gl_pathv[i + r->step])) {
            print_library(r->files.gl_pathv[i], &sum);
            sum = (outcome){0};
        }
    }
    printf("class B7: %zu cases, %zu failures\n", scans, wrong_scans);
    if (r->device) {
        printf("%zu rows by a GPU\n", r->shared->device_rows);
        failed += r->shared->device_rows == 0;
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed;
}

static bool read_arguments(run *r, int argc, char **argv)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    r->only = "";
    r->step = 1;
    r->device = getenv("DEVICE") != NULL;
    r->jobs = processors > 1 ? (size_t)processors : 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            r->step = QUICK_STEP;
        else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc)
            r->jobs = (size_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            r->only = argv[++i];
        else
            return false;
    }
    if (r->jobs > MOST_JOBS)
        r->jobs = MOST_JOBS;
    return r->jobs > 0;
}

int main(int argc, char **argv)
{
    run r = {0};
    char pattern[256];
    size_t size, failed;

    if (!read_arguments(&r, argc, argv)) {
        fprintf(stderr, "usage: test_golden [--quick] [--jobs N] [--only PART]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    snprintf(pattern, sizeof(pattern), "test/golden/*/*%s*.golden", r.only);
    if (glob(pattern, 0, NULL, &r.files) != 0) {
        fprintf(stderr, "no golden is there: %s\n", pattern);
        return 2;
    }
    size = sizeof(*r.shared) + r.files.gl_pathc * sizeof(r.shared->outcomes[0]);
    r.shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r.shared == MAP_FAILED)
        return 2;
    begin(&r);
    run_workers(&r);
    failed = report(&r);
    globfree(&r.files);
    return failed > 0;
}
