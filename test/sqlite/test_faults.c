/* test_faults.c - R1: memory that is not there, at every allocation of every function.
 *
 * SQLite's allocator, which is also the extension's, fails at allocation n: once, then from n on. n
 * rises until the statement needs no n-th allocation. After each fault: the answer is out of memory
 * or the right one, sqlite3_close succeeds, and not a byte is lost; behind every fourth the connection still scores the
 * old version and the file is whole. HBSCORE_FAULT_STEP=7 takes every seventh n only, from another first one in each
 * sweep (valgrind, sanitizers). */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the failing allocator */

static sqlite3_mem_methods real;
static struct {
    bool armed;
    bool from_then_on;
    long fail_at;
    long seen;
    long hits;
} fault;

static bool fails(void)
{
    if (!fault.armed)
        return false;
    fault.seen++;
    if (fault.seen != fault.fail_at && !(fault.from_then_on && fault.seen > fault.fail_at))
        return false;
    fault.hits++;
    return true;
}

static void *failing_malloc(int size)
{
    return fails() ? NULL : real.xMalloc(size);
}

static void *failing_realloc(void *block, int size)
{
    return fails() ? NULL : real.xRealloc(block, size);
}

static void install(void)
{
    sqlite3_mem_methods mine;

    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
    mine = real;
    mine.xMalloc = failing_malloc;
    mine.xRealloc = failing_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &mine);
    /* Small allocations would come from the connection's own store, which cannot fail. */
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
    sqlite3_initialize();
}

/* ------------------------------------------------------------------ a database with models */

/* A model of each kind; rows are the first ones of the golden files, so any answer will do. */
#define FOUR "-1.25, 7.5, NULL, 3"
static const struct {
    const char *name, *file, *options;
} models[] = {
    {"two", "test/golden/xgboost/classes_option_34.json", "{\"classes\": [\"no\", \"yes\"]}"},
    {"three", "test/golden/xgboost/classes_option_multi_34.ubj",
     "{\"classes\": [1, 2, 3], \"description\": \"of three\"}"},
    {"targets", "test/golden/xgboost/targets_in_leaf_34.json", NULL},
    {"number", "test/golden/xgboost/regressor_34.json", NULL},
    {"texts", "test/golden/xgboost/cats_text_34.json", NULL},
    {"golden", "test/golden/xgboost/regressor_34.json",
     "{\"golden\": {\"rows\": [[-1.25, 7.5, null, 3], [0, 0, 0, 0]],"
     " \"prediction\": [10019.189453125, 9998.845703125]}}"},
    {"steps", "test/golden/sklearn/trans_pipeline_imputed_19.json", NULL},
};

typedef struct image {
    unsigned char *bytes;
    sqlite3_int64 size;
} image;

static image make_image(const char *setup)
{
    sqlite3 *db = t_open(NULL);
    image made;

    if (setup)
        t_do(db, setup);
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        if (t_register(db, models[i].name, t_file(models[i].file), models[i].options) != SQLITE_OK)
            t_check("R1", false, "%s: %s", models[i].file, sqlite3_errmsg(db));
    t_do(db, "SELECT hbscore_deploy('number', 1); SELECT hbscore_deploy('number', 1, 'champion');"
             "CREATE TABLE cells(a REAL, b INTEGER, c, d TEXT COLLATE NOCASE);"
             "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
             " INSERT INTO cells SELECT i / 3.0, i % 7, CASE i % 5 WHEN 3 THEN NULL WHEN 2 THEN '7.5'"
             " ELSE 9007199254740992 + i END, i % 3 FROM n;"
             "CREATE INDEX by_a ON cells(a); CREATE INDEX by_b ON cells(b);"
             "CREATE VIEW seen AS SELECT * FROM cells;"
             "CREATE TABLE tight(a ANY, b INTEGER, c REAL, d TEXT) STRICT;"
             "INSERT INTO tight VALUES (1, 2, 3, '4');"
             "CREATE VIRTUAL TABLE scored USING hbscore(model='two', source='cells');"
             "CREATE VIRTUAL TABLE scored_seen USING hbscore(model='number', source='seen');"
             "CREATE VIRTUAL TABLE scored_tight USING hbscore(model='number', source='tight')");
    /* The copy must not come from an allocator that counts. */
    unsigned char *serialized = sqlite3_serialize(db, "main", &made.size, 0);
    made.bytes = malloc((size_t)made.size);
    memcpy(made.bytes, serialized, (size_t)made.size);
    sqlite3_free(serialized);
    t_close(db);
    return made;
}

static sqlite3 *open_image(const image *from)
{
    sqlite3 *db = t_open(NULL);

    if (from) {
        unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)from->size);

        memcpy(copy, from->bytes, (size_t)from->size);
        sqlite3_deserialize(db, "main", copy, from->size, from->size,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    }
    return db;
}

/* ------------------------------------------------------------------ the sweep */

/* Where all behind the n-th fail too, most of what follows is not reached: every third n. */
enum { LASTING_STEP = 3, CHECKED_STEP = 4 };

typedef struct sweep {
    const char *name;
    const char *sql;
    const char *before; /* run before the faults begin; NULL: nothing */
    const char *model;  /* the file bound to ?1; NULL: none */
    const char *holds;  /* gives 1 behind every fault; NULL: nothing more */
    bool begun;         /* `before` has begun a transaction */
    bool empty;         /* begins without models */
    bool may_fail;      /* its right answer is an error */
    bool utf16;         /* the database holds UTF-16: texts are converted */
} sweep;

/* The answer in one text: all columns of all rows, or "CODE: message". */
static char *answer(sqlite3 *db, sqlite3_stmt *statement, int code)
{
    char *text = calloc(1, 65536);
    size_t n = 0;

    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        code = SQLITE_OK;
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *value = (const char *)sqlite3_column_text(statement, i);

            if (!value && sqlite3_column_type(statement, i) != SQLITE_NULL)
                code = SQLITE_NOMEM; /* the reader's own conversion */
            n += (size_t)snprintf(text + n, 65536 - n, "%s|", value ? value : "NULL");
        }
    }
    if (code != SQLITE_DONE)
        snprintf(text, 65536, "%d: %s", code, sqlite3_errmsg(db));
    return text;
}

static char *run(sqlite3 *db, const sweep *s)
{
    sqlite3_stmt *statement = NULL;
    char *text;
    t_blob blob = s->model ? t_file(s->model) : (t_blob){NULL, 0};
    int code;

    fault.seen = fault.hits = 0;
    fault.armed = fault.fail_at > 0;
    code = sqlite3_prepare_v2(db, s->sql, -1, &statement, NULL);
    if (code == SQLITE_OK && s->model)
        code = sqlite3_bind_blob64(statement, 1, blob.bytes, blob.size, SQLITE_STATIC);
    text = answer(db, statement, code);
    sqlite3_finalize(statement);
    fault.armed = false;
    return text;
}

/* What must hold behind a fault. It costs more than the fault, so only behind every fourth. */
static void check_after(sqlite3 *db, const sweep *s)
{
    const char *still = "SELECT predict_label('two@1', " FOUR ") IN ('no', 'yes')"
                        " AND json_array_length(predict_values('targets@1', " FOUR ")) = 3";
    char *got = s->empty ? strdup("1") : t_ask(db, still);

    t_check("R1", strcmp(got, "1") == 0, "%s, n = %ld: afterwards the old versions give %s", s->name, fault.fail_at,
            got);
    free(got);
    got = t_ask(db, "PRAGMA integrity_check");
    t_check("R1", strcmp(got, "ok") == 0, "%s, n = %ld: integrity_check: %s", s->name, fault.fail_at, got);
    free(got);
    got = s->holds ? t_ask(db, s->holds) : strdup("1");
    t_check("R1", strcmp(got, "1") == 0, "%s, n = %ld: afterwards %s gives %s", s->name, fault.fail_at, s->holds, got);
    free(got);
}

static bool is_allowed(const sweep *s, const char *got, const char *right)
{
    if (strcmp(got, right) == 0 || strncmp(got, "7: ", 3) == 0)
        return true;
    /* Where the right answer is an error, its text can be lost, and its code cannot. */
    return s->may_fail && strncmp(got, right, 3) == 0;
}

/* One fault; false where the statement ended before it came. */
static bool one(const sweep *s, const image *from, const char *right, long n, bool from_then_on)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = open_image(s->empty ? NULL : from);
    bool hit;
    char *got;

    if (s->before)
        free(t_ask(db, s->before));
    fault.fail_at = n;
    fault.from_then_on = from_then_on;
    got = run(db, s);
    hit = fault.hits > 0;
    t_check("R1", is_allowed(s, got, right), "%s, n = %ld%s:\n  wanted %.200s\n  got    %.200s", s->name, n,
            from_then_on ? " and on" : "", right, got);
    free(got);
    t_check("R1", s->begun || sqlite3_get_autocommit(db), "%s, n = %ld: a transaction is left open", s->name, n);
    if (hit && (n / t_step()) % CHECKED_STEP == 0)
        check_after(db, s);
    t_close(db);
    t_check("R1", sqlite3_memory_used() == before, "%s, n = %ld: %lld bytes are lost", s->name, n,
            sqlite3_memory_used() - before);
    return hit;
}

/* The turn-th. */
static void do_sweep(const sweep *s, long turn, const image *utf8, const image *utf16)
{
    const image *from = s->utf16 ? utf16 : utf8;
    sqlite3 *db = open_image(s->empty ? NULL : from);
    long points = 0;
    char *right;

    if (s->before)
        free(t_ask(db, s->before));
    fault.fail_at = 0;
    right = run(db, s);
    t_check("R1", (right[0] >= '1' && right[0] <= '9' && strstr(right, ": ") == right + 1) == s->may_fail,
            "%s: without a fault it gives %.300s", s->name, right);
    t_close(db);
    for (int on = 0; on < 2; on++) {
        long step = t_step() * (on ? LASTING_STEP : 1);

        for (long n = 1 + turn % step; one(s, from, right, n, on); n += step)
            points++;
    }
    printf("%-22s %5ld points\n", s->name, points);
    free(right);
}

/* A model is dropped with both its aliases, or with none of them. */
#define BOTH_OR_NEITHER                                                                          \
    "SELECT count(*) = 2 * (SELECT count(*) FROM hbscore_models WHERE name = 'number' AND model" \
    " IS NOT NULL) FROM hbscore_aliases WHERE name = 'number'"

static const sweep sweeps[] = {
    {.name = "register, first",
     .sql = "SELECT hbscore_register('new', ?1, '{\"classes\": [\"a\", \"b\"]}')",
     .model = "test/golden/xgboost/classes_option_34.json",
     .empty = true},
    {.name = "register, next",
     .sql = "SELECT hbscore_register('two', ?1)",
     .model = "test/golden/xgboost/gblinear_multi_34.json"},
    {.name = "register, in a write",
     .sql = "INSERT INTO log SELECT hbscore_register('two', ?1)",
     .before = "CREATE TABLE log(version)",
     .model = "test/golden/xgboost/gblinear_multi_34.json"},
    {.name = "register, UBJSON",
     .sql = "SELECT hbscore_register('ubj', ?1, '{\"description\": \"d\"}')",
     .model = "test/golden/xgboost/classes_option_multi_34.ubj"},
    {.name = "register, golden",
     .sql = "SELECT hbscore_register('new', ?1, '{\"golden\": {\"rows\": [[-1.25, 7.5, null, 3]],"
            " \"decision\": [[10019.189453125]]}, \"description\": \"d\"}')",
     .model = "test/golden/xgboost/regressor_34.json"},
    {.name = "register, other golden",
     .sql = "SELECT hbscore_register('new', ?1, '{\"rounds\": 1, \"golden\": {\"rows\":"
            " [[1, 2, 3, 4], [\"1\", 2.5, null, true]], \"prediction\": [1, 0]}}')",
     .model = "test/golden/xgboost/classes_option_34.json",
     .may_fail = true}, /* whatever it predicts: 1 is no answer for both */
    {.name = "register, refused",
     .sql = "SELECT hbscore_register('two', substr(?1, 1, 900))",
     .model = "test/golden/xgboost/classes_option_34.json",
     .may_fail = true},
    {.name = "drop", .sql = "SELECT hbscore_drop('three', 1)"},
    {.name = "drop, older file", .sql = "SELECT hbscore_drop('three', 1)", .before = "DROP TABLE hbscore_aliases"},
    {.name = "drop, deployed", .sql = "SELECT hbscore_drop('number', 1)", .may_fail = true},
    {.name = "drop all", .sql = "SELECT hbscore_drop('number')", .holds = BOTH_OR_NEITHER},
    {.name = "drop all, begun",
     .sql = "SELECT hbscore_drop('number')",
     .before = "BEGIN",
     .begun = true,
     .holds = BOTH_OR_NEITHER},
    {.name = "drop all, in a write",
     .sql = "INSERT INTO log VALUES (hbscore_drop('number'))",
     .before = "CREATE TABLE log(version)",
     .holds = BOTH_OR_NEITHER},
    {.name = "drop all, older file", .sql = "SELECT hbscore_drop('number')", .before = "DROP TABLE hbscore_aliases"},
    {.name = "deploy", .sql = "SELECT hbscore_deploy('three', 1)", .holds = BOTH_OR_NEITHER},
    {.name = "deploy again",
     .sql = "SELECT hbscore_deploy('number', 1, 'champion')",
     .before = "SELECT predict('number', " FOUR ")",
     .holds = BOTH_OR_NEITHER},
    {.name = "deploy, in a write",
     .sql = "INSERT INTO log SELECT hbscore_deploy('three', 1, 'new')",
     .before = "CREATE TABLE log(version)"},
    {.name = "deploy, older file", .sql = "SELECT hbscore_deploy('three', 1)", .before = "DROP TABLE hbscore_aliases"},
    {.name = "deploy, refused", .sql = "SELECT hbscore_deploy('three', 2)", .may_fail = true},
    {.name = "predict, alias", .sql = "SELECT predict('number@champion', " FOUR ")"},
    {.name = "predict, older file",
     .sql = "SELECT predict('number', " FOUR ")",
     .before = "DROP TABLE hbscore_aliases"},
    {.name = "predict, no alias", .sql = "SELECT predict('number@challenger', " FOUR ")", .may_fail = true},
    {.name = "predict, lost alias",
     .sql = "SELECT predict('number', " FOUR ")",
     .before = "UPDATE hbscore_aliases SET version = 2",
     .may_fail = true},
    {.name = "predict", .sql = "SELECT predict('number', " FOUR ")"},
    {.name = "predict, kept plan",
     .sql = "SELECT predict('number', " FOUR ")",
     .before = "SELECT predict('number', " FOUR ")"},
    {.name = "predict, label", .sql = "SELECT predict('two', " FOUR "), predict('three@1', " FOUR ")"},
    {.name = "predict, texts", .sql = "SELECT predict('texts', 1.25, 'two words', .5, 'gold-2')"},
    {.name = "predict, UTF-16", .sql = "SELECT predict('texts', 1.25, 'two words', .5, 'gold-2')", .utf16 = true},
    {.name = "predict, JSON",
     .sql = "SELECT predict('texts', '{\"age\": 1, \"plan\": \"two words\", \"monthly fee\": 2,"
            " \"color\": null}'), predict('number', '[1, 2, null, 4]')"},
    {.name = "predict, made JSON", .sql = "SELECT predict('number', json_array(a, b, c, d)) FROM cells"},
    {.name = "predict, computed",
     .sql = "WITH m(name) AS (VALUES ('number'), ('number@1'), ('two'), ('number'))"
            " SELECT predict(name, " FOUR ") FROM m"},
    {.name = "predict, no cache",
     .sql = "WITH m(name) AS (VALUES ('number'), ('two'), ('number'))"
            " SELECT predict(name, " FOUR ") FROM m",
     .before = "SELECT hbscore_set('plan_cache_size', 0)"},
    {.name = "predict, unknown", .sql = "SELECT predict('numbre', " FOUR ")", .may_fail = true},
    {.name = "predict, dropped",
     .sql = "SELECT predict('three@1', " FOUR ")",
     .before = "SELECT hbscore_drop('three', 1)",
     .may_fail = true},
    {.name = "predict, count", .sql = "SELECT predict('number', 1)", .may_fail = true},
    {.name = "predict_label", .sql = "SELECT predict_label('two', " FOUR ")"},
    {.name = "predict_probability",
     .sql = "WITH v(x) AS (VALUES (1), (2), (3))"
            " SELECT predict_probability('three', 2, x, 7.5, 0, 3) FROM v"},
    {.name = "predict_proba", .sql = "SELECT predict_proba('three', " FOUR "), predict_proba('two', " FOUR ")"},
    {.name = "transform", .sql = "SELECT transform('steps', " FOUR "), transform('steps', '[1,2,3,4]')"},
    {.name = "predict_values", .sql = "SELECT predict_values('targets', " FOUR ")"},
    {.name = "decision_function", .sql = "SELECT decision_function('three', " FOUR ")"},
    {.name = "predict_json", .sql = "SELECT predict_json('three', " FOUR "), predict_json('targets', " FOUR ")"},
    {.name = "predict_probabilities", .sql = "SELECT predict_probabilities('three', " FOUR ")"},
    {.name = "predict_top",
     .sql = "WITH v(k) AS (VALUES (1), (2), (3)) SELECT predict_top('three', k, " FOUR ") FROM v"},
    {.name = "features", .sql = "SELECT * FROM hbscore_features('texts')"},
    {.name = "classes", .sql = "SELECT * FROM hbscore_classes('three')"},
    {.name = "classes, unknown", .sql = "SELECT * FROM hbscore_classes('x')", .may_fail = true},
    {.name = "inspect", .sql = "SELECT * FROM hbscore_inspect(?1)", .model = "test/golden/xgboost/cats_text_34.json"},
    {.name = "inspect, options",
     .sql = "SELECT * FROM hbscore_inspect(?1, '{\"classes\": [\"a\", \"b\"]}')",
     .model = "test/golden/xgboost/classes_option_34.json"},
    {.name = "inspect, refused",
     .sql = "SELECT * FROM hbscore_inspect(substr(?1, 1, 99))",
     .model = "test/golden/xgboost/cats_text_34.json",
     .may_fail = true},
    {.name = "verify", .sql = "SELECT * FROM hbscore_verify('golden')"},
    {.name = "verify, a version", .sql = "SELECT * FROM hbscore_verify('golden@1')"},
    {.name = "verify, UTF-16", .sql = "SELECT * FROM hbscore_verify('golden')", .utf16 = true},
    {.name = "verify, many",
     .sql = "SELECT v.* FROM (SELECT DISTINCT name FROM hbscore_models) AS n,"
            " hbscore_verify(n.name) AS v"},
    {.name = "verify, damaged",
     .sql = "SELECT * FROM hbscore_verify('golden')",
     .before = "UPDATE hbscore_models SET golden = substr(golden, 1, 40)"},
    {.name = "verify, unknown", .sql = "SELECT * FROM hbscore_verify('x')", .may_fail = true},
    {.name = "plan", .sql = "SELECT * FROM hbscore_plan('three')"},
    {.name = "plan, drawn", .sql = "SELECT hbscore_plan('three', 'dot')"},
    {.name = "plan, unknown", .sql = "SELECT * FROM hbscore_plan('x')", .may_fail = true},
    {.name = "set and get",
     .sql = "SELECT hbscore_set('plan_cache_size', 1000), hbscore_get('max_model_size')",
     .before = "SELECT predict('number', " FOUR ")"},
    {.name = "set, unknown", .sql = "SELECT hbscore_set('no such', 1)", .may_fail = true},
    {.name = "scan", .sql = "SELECT * FROM hbscore_scan('two', 'SELECT rowid, * FROM cells ORDER BY a; -- all')"},
    {.name = "scan, texts",
     .sql = "SELECT * FROM hbscore_scan('texts', 'SELECT ''k'', 1.25 AS age, ''two words'' AS plan,"
            " .5 AS \"monthly fee\", ''gold-2'' AS COLOR')"},
    {.name = "scan, keys", .sql = "SELECT key FROM hbscore_scan('two', 'SELECT d, * FROM cells')"},
    {.name = "scan, refused", .sql = "SELECT * FROM hbscore_scan('two', 'SELECT 1, 2, 3')", .may_fail = true},
    {.name = "scan, bad cell",
     .sql = "SELECT * FROM hbscore_scan('two', 'SELECT a, b, x''00'', c, d FROM cells')",
     .may_fail = true},
    {.name = "scan in a scan",
     .sql = "SELECT * FROM hbscore_scan('two', 'SELECT key, key, key, key, key FROM"
            " hbscore_scan(''number'', ''SELECT * FROM cells, (SELECT 1 AS e)'')')"},
    {.name = "profile",
     .sql = "SELECT operator, source, kernel, calls, rows, bytes FROM hbscore_profile('two',"
            " 'SELECT rowid, * FROM cells')"},
    {.name = "profile, texts",
     .sql =
         "SELECT operator, source, kernel, calls, rows, bytes FROM hbscore_profile('texts', 'SELECT ''k'', 1.25 AS age,"
         " ''two words'' AS plan, .5 AS \"monthly fee\", ''gold-2'' AS COLOR', 'predict_json')"},
    {.name = "profile, refused", .sql = "SELECT * FROM hbscore_profile('two', 'SELECT 1, 2, 3')", .may_fail = true},
    {.name = "profile, bad cell",
     .sql = "SELECT * FROM hbscore_profile('two', 'SELECT a, b, x''00'', c, d FROM cells')",
     .may_fail = true},
    {.name = "table, made",
     .sql = "CREATE VIRTUAL TABLE made USING hbscore(model='two', source='cells')",
     .holds = "SELECT count(*) IN (0, 1) FROM sqlite_master WHERE name = 'made'"},
    {.name = "table, refused",
     .sql = "CREATE VIRTUAL TABLE made USING hbscore(model='two', source='no such table')",
     .holds = "SELECT count(*) = 0 FROM sqlite_master WHERE name = 'made'",
     .may_fail = true},
    {.name = "table, dropped",
     .sql = "DROP TABLE scored",
     .holds = "SELECT count(*) IN (0, 1) FROM sqlite_master WHERE name = 'scored'"},
    {.name = "table", .sql = "SELECT * FROM scored"},
    {.name = "table, UTF-16", .sql = "SELECT * FROM scored WHERE d = 'x' OR d > '0'", .utf16 = true},
    {.name = "table, kept",
     .sql = "SELECT a, prediction FROM scored WHERE b >= 2",
     .before = "SELECT prediction FROM scored"},
    {.name = "table, not scored", .sql = "SELECT a FROM scored WHERE d = '1' AND b < 4"},
    {.name = "table, pushed down",
     .sql = "SELECT a, d, prediction, probability FROM scored WHERE a > 1.5 AND b IN (1, 2, 6, 'x') AND"
            " d IN (SELECT '1') AND d < 'x' AND c IS NULL ORDER BY c, a DESC LIMIT 9 OFFSET 1"},
    {.name = "table, joined",
     .sql = "SELECT s.prediction FROM (VALUES (1), (2), (3)) AS v CROSS JOIN scored AS s"
            " ON s.b = v.column1 AND s.a < 5"},
    {.name = "table, OR", .sql = "SELECT count(*), max(prediction) FROM scored WHERE a = 1.0 OR b = 3"},
    {.name = "table, view", .sql = "SELECT sum(prediction), count(probability) FROM scored_seen WHERE b > 2"},
    {.name = "table, STRICT", .sql = "SELECT * FROM scored_tight WHERE a = 1"},
    {.name = "table, no rowid", .sql = "SELECT rowid FROM scored_seen", .may_fail = true},
    {.name = "table, into itself",
     .sql = "INSERT INTO cells SELECT a, b, c, prediction FROM scored WHERE a > 0",
     .holds = "SELECT count(*) IN (40, 80) FROM cells"},
    {.name = "predict_agg", .sql = "SELECT b, predict_agg('two', a, b, c, d) FROM cells GROUP BY b"},
    {.name = "predict_label_agg", .sql = "SELECT b, predict_label_agg('two', a, b, c, d) FROM cells GROUP BY b"},
    {.name = "predict_agg, JSON", .sql = "SELECT predict_agg('number', json_array(a, b, c, d)) FROM cells"},
    {.name = "predict_agg, refused",
     .sql = "SELECT predict_agg('number', a, b, c, x'00') FROM cells",
     .may_fail = true},
    {.name = "the private table", .sql = "SELECT * FROM hbscore_private"},
};

/* Loading allocates too, and can fail in the middle of its functions. */
static bool load_once(long n, bool from_then_on)
{
    sqlite3_int64 before = sqlite3_memory_used();
    char *message = NULL;
    sqlite3 *db;
    int code;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        return false;
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    fault.fail_at = n;
    fault.from_then_on = from_then_on;
    fault.seen = fault.hits = 0;
    fault.armed = true;
    code = sqlite3_load_extension(db, t_extension(), NULL, &message);
    fault.armed = false;
    t_check("R1", code == SQLITE_OK || fault.hits > 0, "load, n = %ld: %d %s", n, code, message);
    sqlite3_free(message);
    message = NULL;
    code = t_load(db, &message); /* again, with memory */
    t_check("R1", code == SQLITE_OK, "load again, n = %ld: %d %s", n, code, message);
    sqlite3_free(message);
    t_is("R1", db, "SELECT hbscore_get('max_model_size')", "67108864");
    t_close(db);
    t_check("R1", sqlite3_memory_used() == before, "load, n = %ld: %lld bytes are lost", n,
            sqlite3_memory_used() - before);
    return fault.hits > 0;
}

static void sweep_load(void)
{
    long points = 0;

    for (int on = 0; on < 2; on++)
        for (long n = 1; load_once(n, on); n += t_step())
            points++;
    printf("%-22s %5ld points\n", "load", points);
}

int main(int argc, char **argv)
{
    image utf8, utf16;

    t_start(argc, argv);
    install();
    sweep_load();
    utf8 = make_image(NULL);
    utf16 = make_image("PRAGMA encoding = 'UTF-16'");
    for (size_t i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++)
        do_sweep(&sweeps[i], (long)i, &utf8, &utf16);
    free(utf8.bytes);
    free(utf16.bytes);
    return t_finish();
}
