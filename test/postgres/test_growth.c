/* test_growth.c - what ten thousand replacements, errors and cancels leave in one session: nothing.
 *
 *     test_growth [ROUNDS]     10,000 by default
 *
 * A round registers a version, drops the one before it, and meets an error; every tenth scores the version, and every
 * fourth is stopped somewhere in parsing, compiling, verifying or scoring. After the first rounds the session's memory
 * stays what it is: by its memory contexts, by what the operating system gives it, and to the byte by the core's own
 * count (build/counted, postgres/pg_memory.c). */
#define _GNU_SOURCE
#include "postgres_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 10000, WARM_UP = 5, NAMES = 100, SCORED = 10, STOPPED = 4 };

/* How much more may be there at the end than after the first fifth. The session keeps a line of hbscore.stats for
 * each version that it has scored; a leak of 64 bytes a round would be 512,000. */
enum { GROWTH_CORE = 256 << 10, GROWTH_ALL = 512 << 10, GROWTH_RESIDENT_KB = 4096 };

static const char *const files[] = {
    "test/golden/xgboost/regressor_34.json",      "test/golden/xgboost/classes_option_multi_34.ubj",
    "test/golden/xgboost/cats_text_34.json",      "test/golden/lightgbm/pandas_text_23.txt",
    "test/golden/catboost/ctr_integers_12.json",  "test/golden/sklearn/trans_pipeline_imputed_19.json",
    "test/golden/xgboost/gblinear_multi_34.json",
};
enum { FILES = sizeof(files) / sizeof(files[0]) };
#define LARGE "test/golden/sklearn/random_forest_larger_19.json"

typedef struct memory {
    long core, all, resident_kb;
} memory;

enum { MOST_SENT = 4 };

typedef struct session {
    PGconn *conn;
    int pid;
    long stopped;
    int n_sent; /* statements whose answers are still to come */
    struct {
        const char *class;
        char sql[256], wanted[16];
    } sent[MOST_SENT];
} session;

/* ------------------------------------------------------------------ what a round does */

/* Sends a statement whose answer begins with `wanted`. */
static void expect(session *s, const char *class, const char *sql, t_blob blob, const char *wanted)
{
    t_send(s->conn, sql, blob);
    s->sent[s->n_sent].class = class;
    snprintf(s->sent[s->n_sent].sql, sizeof(s->sent[0].sql), "%s", sql);
    snprintf(s->sent[s->n_sent].wanted, sizeof(s->sent[0].wanted), "%s", wanted);
    s->n_sent++;
}

static void compare_answers(session *s)
{
    for (int i = 0; i < s->n_sent; i++) {
        char *got = t_receive(s->conn);

        t_check(s->sent[i].class, strncmp(got, s->sent[i].wanted, strlen(s->sent[i].wanted)) == 0,
                "%s\n  wanted %s\n  got    %.300s", s->sent[i].sql, s->sent[i].wanted, got);
        free(got);
    }
    s->n_sent = 0;
}

/* Versions of a name begin anew with each hundredth round. */
static void replace(session *s, long round)
{
    long version = round % NAMES + 1, name = round / NAMES;
    char sql[256], wanted[16];

    snprintf(sql, sizeof(sql), "SELECT hbscore.register('grow%ld', $1, options => '{\"description\": \"%ld\"}')",
             name, round);
    snprintf(wanted, sizeof(wanted), "%ld", version);
    expect(s, "L1", sql, t_file(files[round % FILES]), wanted);
    if (version > 1) {
        snprintf(sql, sizeof(sql), "SELECT hbscore.drop('grow%ld', %ld)", name, version - 1);
        expect(s, "L1", sql, (t_blob){0}, "1");
    } else if (name > 0) {
        snprintf(sql, sizeof(sql), "SELECT hbscore.drop('grow%ld')", name - 1);
        expect(s, "L1", sql, (t_blob){0}, "1");
    }
}

static void score(session *s, long round)
{
    char sql[256];
    char *got;

    snprintf(sql, sizeof(sql), "SELECT predict_json('grow%ld', features.*) IS NOT NULL FROM features", round / NAMES);
    got = t_ask(s->conn, sql, (t_blob){0});
    t_check("L1", strncmp(got, "t", 1) == 0 || strncmp(got, "22023: ", 7) == 0, "%s: %.300s", sql, got);
    free(got);
}

static void fail(session *s, long round)
{
    static const struct {
        const char *sql, *wanted;
        size_t cut;
    } errors[] = {
        {"SELECT hbscore.register('bad', $1)", "22P03", 700},
        {"SELECT hbscore.register('bad', $1, options => '{\"classes\": [1, [2]]}')", "22023", 0},
        {"SELECT hbscore.register('bad', $1, options => '{\"golden\": {\"rows\": [[1, 2, 3, 4]],"
         " \"prediction\": [1]}}')",
         "22023", 0},
        {"SELECT predict('kept', 1, 2, 3)", "22023", 0},
        {"SELECT predict('kept', 'x', 1, 2, 3)", "42804", 0},
        {"SELECT predict('kept', ARRAY[1, 2])", "22023", 0},
        {"SELECT predict('kept', '{\"a\": [1]}'::jsonb)", "22023", 0},
        {"SELECT predict_proba('kept', 1, 2, 3, 4)", "42804", 0},
        {"SELECT predict('kepd', 1, 2, 3, 4)", "42704", 0},
        {"SELECT predict('kept@7', 1, 2, 3, 4)", "42704", 0},
        {"SELECT predict('kept', 1, date '2026-01-01', 3, 4)", "42804", 0},
        {"SELECT 1 / (predict('kept', i, 2, 3, 4) * 0)::int FROM generate_series(1, 9) AS i", "22012", 0},
        {"SELECT * FROM hbscore.inspect($1)", "22P03", 700},
        {"SELECT * FROM hbscore.plan('kepd')", "42704", 0},
        {"SELECT hbscore.deploy('kept', 9)", "42704", 0},
    };
    size_t at = (size_t)round % (sizeof(errors) / sizeof(errors[0]));
    t_blob blob = {0};

    if (strstr(errors[at].sql, "$1")) {
        blob = t_file(files[0]);
        blob.size = errors[at].cut ? errors[at].cut : blob.size;
    }
    expect(s, "", errors[at].sql, blob, errors[at].wanted);
}

/* Under the limit of time as well, so again until it comes to its end. A limit that passes at the very end of it
 * meets the next statement, whatever that is (PostgreSQL 15, ProcessInterrupts while a command is read). */
static void roll_back(session *s)
{
    PGresult *result;
    bool done = false;

    while (!done) {
        result = PQexec(s->conn, "ROLLBACK");
        done = PQresultStatus(result) == PGRES_COMMAND_OK || PQstatus(s->conn) != CONNECTION_OK;
        PQclear(result);
    }
    PQclear(PQexec(s->conn, "SELECT 1"));
}

/* Stopped wherever it is after a millisecond. What takes less says its answer. */
static void stop(session *s, long round)
{
    static const char *const statements[] = {
        "SELECT hbscore.register('large', $1)",
        "SELECT count(predict('large@1', ARRAY[i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))"
        " FROM generate_series(1, 1000000000) AS i",
        "SELECT count(*) FROM hbscore.plan('large@1')",
        "SELECT cardinality(predict_agg('large@1', i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))"
        " FROM generate_series(1, 1000000000) AS i",
        "SELECT count(*) FROM hbscore.inspect($1)",
        "SELECT count(*) FROM hbscore.verify('large@1')",
    };
    const char *sql = statements[(size_t)(round / STOPPED) % (sizeof(statements) / sizeof(statements[0]))];
    char *got;

    /* Without a cache the plan is made again. */
    t_do(s->conn, "BEGIN; SET LOCAL hbscore.plan_cache_size = 0; SET LOCAL statement_timeout = %ld",
         1 + round / STOPPED % 3);
    got = t_ask(s->conn, sql, strstr(sql, "$1") ? t_file(LARGE) : (t_blob){0});
    roll_back(s);
    s->stopped += strncmp(got, "57014: ", 7) == 0;
    t_check("R2", strncmp(got, "57014: ", 7) == 0 || !strchr(got, ':'), "%.100s: %.300s", sql, got);
    free(got);
}

/* ------------------------------------------------------------------ what it leaves */

static long resident_kb(int pid)
{
    char path[64], line[256];
    long kb = -1;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "RssAnon: %ld", &kb) == 1)
            break;
    if (file)
        fclose(file);
    return kb;
}

static memory measure(session *s, long round)
{
    memory m;
    long held;

    t_do(s->conn, "SET hbscore.plan_cache_size = 0");
    held = t_number(s->conn, "SHOW hbscore.fault_held");
    t_check("R1", held == 0, "after %ld rounds the core holds %ld bytes and no plan is cached", round, held);
    m.core = t_number(s->conn, "SELECT total_bytes FROM pg_backend_memory_contexts WHERE name = 'hbscore'");
    m.all = t_number(s->conn, "SELECT sum(total_bytes)::int8 FROM pg_backend_memory_contexts");
    m.resident_kb = resident_kb(s->pid);
    t_do(s->conn, "SET hbscore.plan_cache_size = '256kB'");
    printf("%6ld rounds: core %ld kB, session %ld kB, resident %ld kB\n", round, m.core >> 10, m.all >> 10,
           m.resident_kb);
    return m;
}

static void check_growth(const memory *before, const memory *after)
{
    t_check("R1", after->core - before->core <= GROWTH_CORE, "the core's memory grew from %ld to %ld bytes",
            before->core, after->core);
    t_check("R1", after->all - before->all <= GROWTH_ALL, "the session's memory grew from %ld to %ld bytes",
            before->all, after->all);
    t_check("R1", before->resident_kb > 0 && after->resident_kb - before->resident_kb <= GROWTH_RESIDENT_KB,
            "the process grew from %ld to %ld kB", before->resident_kb, after->resident_kb);
}

static void run_round(session *s, long round)
{
    PQenterPipelineMode(s->conn);
    replace(s, round);
    fail(s, round);
    compare_answers(s);
    PQexitPipelineMode(s->conn);
    if (round % SCORED == 0)
        score(s, round);
    if (round % STOPPED == 0)
        stop(s, round);
}

static void prepare(session *s)
{
    t_do(s->conn, "CREATE TABLE features (a int4, b float8, c float8, d text)");
    t_do(s->conn, "INSERT INTO features VALUES (1, 2, 3, '4')");
    t_do(s->conn, "SET hbscore.plan_cache_size = '256kB'");
    PQenterPipelineMode(s->conn);
    expect(s, "", "SELECT hbscore.register('kept', $1)", t_file(files[0]), "1");
    expect(s, "", "SELECT hbscore.register('large', $1)", t_file(LARGE), "1");
    compare_answers(s);
    PQexitPipelineMode(s->conn);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? atol(argv[1]) : ROUNDS;
    session s = {.conn = t_start()};
    memory before = {0}, after = {0};

    s.pid = PQbackendPID(s.conn);
    prepare(&s);
    for (long round = 0; round < rounds; round++) {
        if (round == rounds / WARM_UP)
            before = measure(&s, round);
        else if (round > rounds / WARM_UP && round % (rounds / WARM_UP) == 0)
            measure(&s, round);
        run_round(&s, round);
    }
    after = measure(&s, rounds);
    check_growth(&before, &after);
    printf("%ld statements were stopped\n", s.stopped);
    t_check("R2", s.stopped >= rounds / STOPPED / 2, "only %ld of %ld statements were stopped", s.stopped,
            rounds / STOPPED);
    return t_finish(s.conn);
}
