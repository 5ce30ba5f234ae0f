/* test_faults.c - R1: memory that is not there, at every allocation of the core, in every function.
 *
 * The server has the extension whose n-th allocation can be made to fail (build/counted, postgres/pg_memory.c): once,
 * then from n on. n rises until the statement needs no n-th allocation. After each fault: the answer is SQLSTATE
 * 53200 or the right one, the session scores the old versions, and the core holds not a byte once the cached plans
 * are dropped. HBSCORE_FAULT_STEP=7 takes every seventh n only, from another first one in each sweep. */
#define _GNU_SOURCE
#include "postgres_test.h"

#include "../hostile/model_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model of each kind; rows are the first ones of the golden files, so any answer will do. */
#define FOUR "-1.25, 7.5, NULL::float8, 3"
static const struct {
    const char *name, *file, *options;
} models[] = {
    {"two", "test/golden/xgboost/classes_option_34.json", "{\"classes\": [\"no\", \"yes\"]}"},
    {"three", "test/golden/xgboost/classes_option_multi_34.ubj", "{\"classes\": [1, 2, 3]}"},
    {"targets", "test/golden/xgboost/targets_in_leaf_34.json", "{}"},
    {"number", "test/golden/xgboost/regressor_34.json", "{}"},
    {"texts", "test/golden/xgboost/cats_text_34.json", "{}"},
    {"golden", "test/golden/xgboost/regressor_34.json",
     "{\"golden\": {\"rows\": [[-1.25, 7.5, null, 3], [0, 0, 0, 0]],"
     " \"prediction\": [10019.189453125, 9998.845703125]}}"},
    {"steps", "test/golden/sklearn/trans_pipeline_imputed_19.json", "{}"},
};

typedef struct sweep {
    const char *name;
    const char *sql;
    const char *before; /* run before the faults begin; NULL: nothing */
    const char *model;  /* the file given as $1; NULL: none */
    size_t cut;         /* how many of its bytes; 0: all */
    bool may_fail;      /* its right answer is an error */
} sweep;

static const sweep sweeps[] = {
    {.name = "register",
     .sql = "SELECT hbscore.register('new', $1, options => '{\"classes\": [\"a\", \"b\"]}')",
     .model = "test/golden/xgboost/classes_option_34.json"},
    {.name = "register, next",
     .sql = "SELECT hbscore.register('two', $1, '{\"description\": \"of words\"}')",
     .model = "test/golden/xgboost/gblinear_multi_34.json"},
    {.name = "register, UBJSON",
     .sql = "SELECT hbscore.register('ubj', $1, '{\"format\": \"xgboost-ubjson\"}')",
     .model = "test/golden/xgboost/classes_option_multi_34.ubj"},
    {.name = "register, LightGBM",
     .sql = "SELECT hbscore.register('lgb', $1)",
     .model = "test/golden/lightgbm/pandas_text_23.txt"},
    {.name = "register, CatBoost",
     .sql = "SELECT hbscore.register('cat', $1)",
     .model = "test/golden/catboost/ctr_integers_12.json"},
    {.name = "register, pipeline",
     .sql = "SELECT hbscore.register('steps', $1)",
     .model = "test/golden/sklearn/trans_pipeline_imputed_19.json"},
    {.name = "register, golden",
     .sql = "SELECT hbscore.register('new', $1, options => '{\"golden\": {\"rows\":"
            " [[-1.25, 7.5, null, 3]], \"decision\": [[10019.189453125]]}, \"description\": \"d\"}')",
     .model = "test/golden/xgboost/regressor_34.json"},
    {.name = "register, other golden",
     .sql = "SELECT hbscore.register('new', $1, options => '{\"rounds\": 1, \"golden\": {\"rows\":"
            " [[1, 2, 3, 4], [\"1\", 2.5, null, true]], \"prediction\": [1, 0]}}')",
     .model = "test/golden/xgboost/classes_option_34.json",
     .may_fail = true}, /* whatever it predicts: 1 is no answer for both */
    {.name = "register, refused",
     .sql = "SELECT hbscore.register('two', $1)",
     .model = "test/golden/xgboost/classes_option_34.json",
     .cut = 900,
     .may_fail = true},
    {.name = "register, options",
     .sql = "SELECT hbscore.register('two', '', options => '{\"classes\": [1, [2]]}')",
     .may_fail = true},
    {.name = "insert",
     .sql = "INSERT INTO hbscore.models (name, model) VALUES ('new', $1) RETURNING version, format",
     .model = "test/golden/xgboost/regressor_34.json"},
    {.name = "restore",
     .sql = "INSERT INTO hbscore.models (name, version, model) VALUES ('new', 7, $1) RETURNING version, format",
     .model = "test/golden/xgboost/regressor_34.json"},
    {.name = "restore, unreadable",
     .sql = "INSERT INTO hbscore.models (name, version, model) VALUES ('new', 7, $1) RETURNING version, format",
     .model = "test/golden/xgboost/regressor_34.json",
     .cut = 900},
    {.name = "deploy", .sql = "SELECT hbscore.deploy('three', 1)"},
    {.name = "drop", .sql = "SELECT hbscore.drop('three', 1)"},
    {.name = "pin", .sql = "SELECT hbscore.pin('three')"},
    {.name = "predict", .sql = "SELECT predict('number', " FOUR ")"},
    {.name = "predict, kept plan",
     .sql = "SELECT predict('number', " FOUR ")",
     .before = "SELECT predict('number', " FOUR ")"},
    {.name = "predict, texts", .sql = "SELECT predict('texts', 1.25, 'two words', .5, 'gold-2')"},
    {.name = "predict, bad text", .sql = "SELECT predict('number', 'x', 1, 2, 3)", .may_fail = true},
    {.name = "predict, count", .sql = "SELECT predict('number', 1)", .may_fail = true},
    {.name = "predict, array", .sql = "SELECT predict('number', ARRAY[1, 2, NULL, 4])"},
    {.name = "predict, jsonb",
     .sql = "SELECT predict('texts', '{\"age\": 1, \"plan\": \"two words\", \"monthly fee\": 2,"
            " \"color\": null}'::jsonb), predict('number', '[1, 2, null, 4]'::json)"},
    {.name = "predict, bad JSON",
     .sql = "SELECT predict('texts', '{\"age\": 1, \"plan\": [1]}'::jsonb)",
     .may_fail = true},
    {.name = "predict, row",
     .sql = "SELECT predict('texts', t.*) FROM (SELECT 1.25 AS age, 'two words' AS plan, .5 AS \"monthly fee\","
            " 'gold-2' AS \"COLOR\") AS t"},
    {.name = "predict, version", .sql = "SELECT predict_version('number@1', " FOUR ")"},
    {.name = "predict, index",
     .sql = "INSERT INTO pinned VALUES (1, 7.5) RETURNING score",
     .before = "CREATE TABLE IF NOT EXISTS pinned (a float8, b float8,"
               " score float8 GENERATED ALWAYS AS (predict_version('number@1', a, b, NULL::float8, 3)) STORED);"
               "CREATE INDEX IF NOT EXISTS by_score ON pinned (predict_version('three@1', a, b, 0, 3))"},
    {.name = "predict, computed",
     .sql = "SELECT predict(name, " FOUR ") FROM (VALUES ('number'), ('number@1'), ('three'), ('number')) AS m(name)"},
    {.name = "predict, no cache",
     .sql = "SELECT predict(name, " FOUR ") FROM (VALUES ('number'), ('three'), ('number')) AS m(name)",
     .before = "SET hbscore.plan_cache_size = 0"},
    {.name = "predict, gemm",
     .sql = "SELECT predict('number', " FOUR ")",
     .before = "SET hbscore.strategy = gemm"},
    {.name = "predict, many trees", .sql = "SELECT predict('many trees', 1, 2, 3)"},
    {.name = "predict, many trees, kept plan",
     .sql = "SELECT predict('many trees', 1, 2, 3)",
     .before = "SELECT predict('many trees', 1, 2, 3)"},
    {.name = "predict, unknown", .sql = "SELECT predict('numbre', " FOUR ")", .may_fail = true},
    {.name = "predict in PL/pgSQL",
     .sql = "DO $$ DECLARE x float8; BEGIN FOR i IN 1 .. 3 LOOP x := predict('number', i, 7.5, NULL::float8, 3);"
            " END LOOP; END $$"},
    {.name = "predict, handled",
     .sql = "DO $$ DECLARE x float8; BEGIN FOR i IN 1 .. 3 LOOP BEGIN x := predict('number', i, 7.5, NULL::float8, 3);"
            " EXCEPTION WHEN out_of_memory THEN x := 0; END; END LOOP; END $$"},
    {.name = "predict_label", .sql = "SELECT predict_label('two', " FOUR ")"},
    {.name = "predict_probability",
     .sql = "SELECT predict_probability('three', 2, x, 7.5, 0, 3) FROM generate_series(1, 3) AS x"},
    {.name = "predict_proba", .sql = "SELECT predict_proba('three', " FOUR "), predict_proba('two', " FOUR ")"},
    {.name = "predict_values", .sql = "SELECT predict_values('targets', " FOUR ")"},
    {.name = "decision_function", .sql = "SELECT decision_function('three', " FOUR ")"},
    {.name = "transform", .sql = "SELECT transform('steps', " FOUR "), transform('steps', ARRAY[1, 2, 3, 4])"},
    {.name = "predict_json", .sql = "SELECT predict_json('three', " FOUR "), predict_json('targets', " FOUR ")"},
    {.name = "predict_probabilities", .sql = "SELECT predict_probabilities('three', " FOUR ")"},
    {.name = "predict_top", .sql = "SELECT predict_top('three', i, " FOUR ") FROM generate_series(1, 3) AS i"},
    {.name = "features", .sql = "SELECT * FROM hbscore.features('texts')"},
    {.name = "classes", .sql = "SELECT * FROM hbscore.classes('three')"},
    {.name = "predict_agg",
     .sql = "SELECT i % 2, predict_agg('number', i, 7.5, NULL::float8, 3) FROM generate_series(1, 600) AS i GROUP BY 1"
            " ORDER BY 1"},
    {.name = "predict_label_agg",
     .sql = "SELECT i % 2, predict_label_agg('two', i, 7.5, NULL::float8, 3) FROM generate_series(1, 600) AS i GROUP BY 1"
            " ORDER BY 1"},
    {.name = "blocks",
     .sql = "SELECT sum(predict('number', i, 7.5, NULL::float8, 3)), count(predict_label('two', i, 1, 2, 3))"
            " FROM generate_series(1, 100) AS i WHERE predict('number', i, 7.5, NULL::float8, 3) > 0",
     .before = "SET hbscore.batch = on"},
    {.name = "blocks of rows",
     .sql = "SELECT predict_label('two', ROW(i, 1, i, 3)), predict_proba('three', ARRAY[i, 1, 2, 3]),"
            " predict('texts', t.*) FROM generate_series(1, 40) AS i,"
            " (SELECT 1.25 AS age, 'two words' AS plan, .5 AS \"monthly fee\", 'gold-2' AS \"COLOR\") AS t",
     .before = "SET hbscore.batch = on"},
    {.name = "blocks, explained",
     .sql = "EXPLAIN (COSTS OFF) SELECT predict('number', i, 1, 2, 3) FROM generate_series(1, 40) AS i",
     .before = "SET hbscore.batch = on"},
    {.name = "inspect",
     .sql = "SELECT * FROM hbscore.inspect($1)",
     .model = "test/golden/xgboost/cats_text_34.json"},
    {.name = "inspect, refused",
     .sql = "SELECT * FROM hbscore.inspect($1)",
     .model = "test/golden/xgboost/cats_text_34.json",
     .cut = 99,
     .may_fail = true},
    {.name = "describe", .sql = "SELECT * FROM hbscore.plan('three')"},
    {.name = "draw", .sql = "SELECT hbscore.plan('three', 'dot')"},
    {.name = "describe, unknown", .sql = "SELECT * FROM hbscore.plan('x')", .may_fail = true},
    {.name = "verify", .sql = "SELECT * FROM hbscore.verify('golden')"},
    {.name = "profile", .sql = "SELECT position, operator, source, rows FROM hbscore.profile('three', 'SELECT 0, 1, 2, 3, 4')"},
    {.name = "profile, refused", .sql = "SELECT * FROM hbscore.profile('three', 'SELECT 0, 1')", .may_fail = true},
    {.name = "profile, unknown", .sql = "SELECT * FROM hbscore.profile('x', 'SELECT 0, 1')", .may_fail = true},
    {.name = "verify, a version", .sql = "SELECT * FROM hbscore.verify('golden@1')"},
    {.name = "wrapper",
     .sql = "SELECT hbscore.create_predict_function('texts', 'predict_texts')"},
};

/* ------------------------------------------------------------------ one fault */

static t_blob model_of(const sweep *s)
{
    t_blob blob = {0};

    if (!s->model)
        return blob;
    blob = t_file(s->model);
    if (s->cut)
        blob.size = s->cut;
    return blob;
}

/* The answer with the n-th allocation failing (0: none), in a transaction that is rolled back. */
static char *answer(PGconn *conn, const sweep *s, long n, bool lasts)
{
    char *text;

    if (s->before)
        t_do(conn, "%s", s->before);
    t_do(conn, "SET hbscore.fault_hits = 0");
    t_do(conn, "BEGIN");
    t_do(conn, "SET LOCAL hbscore.fault_lasts = %d", lasts);
    t_do(conn, "SET hbscore.fault = %ld", n);
    text = t_ask(conn, s->sql, model_of(s));
    PQclear(PQexec(conn, "ROLLBACK"));
    t_do(conn, "SET hbscore.fault = 0");
    return text;
}

static bool is_allowed(const sweep *s, const char *got, const char *right)
{
    if (strcmp(got, right) == 0 || strncmp(got, "53200: ", 7) == 0)
        return true;
    /* Where the right answer is an error, its text can be lost, and its state cannot. */
    return s->may_fail && strncmp(got, right, 7) == 0;
}

#define STILL \
    "SELECT predict_label('two@1', " FOUR ") IN ('no', 'yes') AND cardinality(predict_values('targets', " FOUR ")) = 3"

/* What must hold behind every fault; the answers without any come from plans that are made anew. */
static void check_after(PGconn *conn, const sweep *s, long n)
{
    char *still;
    long held;

    t_do(conn, "RESET hbscore.strategy");
    t_do(conn, "SET hbscore.plan_cache_size = '64MB'");
    still = t_ask(conn, STILL, (t_blob){0});
    t_check("R1", strcmp(still, "t") == 0, "%s, n = %ld: afterwards the old versions give %s", s->name, n, still);
    free(still);
    t_do(conn, "SET hbscore.plan_cache_size = 0");
    held = t_number(conn, "SHOW hbscore.fault_held");
    t_check("R1", held == 0, "%s, n = %ld: the core holds %ld bytes", s->name, n, held);
    t_do(conn, "SET hbscore.plan_cache_size = '64MB'");
}

/* False where the statement ended before the fault came. */
static bool one(PGconn *conn, const sweep *s, const char *right, long n, bool lasts)
{
    char *got = answer(conn, s, n, lasts);
    bool hit = t_number(conn, "SHOW hbscore.fault_hits") > 0;

    t_check("R1", is_allowed(s, got, right), "%s, n = %ld%s:\n  wanted %.200s\n  got    %.200s", s->name, n,
            lasts ? " and on" : "", right, got);
    free(got);
    check_after(conn, s, n);
    return hit;
}

static long step(void)
{
    const char *given = getenv("HBSCORE_FAULT_STEP");
    long number = given ? atol(given) : 1;

    return number > 0 ? number : 1;
}

static bool is_error(const char *answer)
{
    return strlen(answer) > 7 && strspn(answer, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5 && answer[5] == ':';
}

static void do_sweep(PGconn *conn, const sweep *s)
{
    char *right = answer(conn, s, 0, false);
    long points = 0, left;

    t_check("R1", is_error(right) == s->may_fail, "%s: without a fault it gives %.300s", s->name, right);
    check_after(conn, s, 0);
    for (int lasts = 0; lasts < 2; lasts++)
        for (long n = 1 + (s - sweeps + lasts) % step(); one(conn, s, right, n, lasts); n += step())
            points++;
    left = t_number(conn, "SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'hbscore scorer'");
    t_check("R1", left == 0, "%s: %ld scorers are left behind", s->name, left);
    printf("%-22s %5ld points\n", s->name, points);
    free(right);
}

enum { TREES = 600, DEPTH = 6 };

/* A complete tree, as the builder of models reads it. */
static char *put_tree(char *to, int depth, int *number)
{
    if (depth == 0)
        return to + sprintf(to, "%d", ++*number);
    to += sprintf(to, "f%d<%d.5(", *number % 3, *number % 99);
    to = put_tree(to, depth - 1, number);
    *to++ = ',';
    to = put_tree(to, depth - 1, number);
    *to++ = ')';
    *to = '\0';
    return to;
}

static t_blob many_trees(void)
{
    static char texts[TREES][32 << DEPTH];
    const char *trees[TREES];
    int number = 0;
    mb_model *model = mb_make(MB_REGRESSION);
    mb_bytes bytes;

    for (int i = 0; i < TREES; i++) {
        put_tree(texts[i], DEPTH, &number);
        trees[i] = texts[i];
    }
    mb_set_trees(model, trees, TREES);
    bytes = mb_write(model, MB_UBJSON);
    mb_free(model);
    return (t_blob){bytes.data, bytes.size};
}

/* One large enough for its plan to be made where its bytes were. */
static void add_many_trees(PGconn *conn)
{
    char *version = t_ask(conn, "SELECT hbscore.register('many trees', $1)", many_trees());

    t_check("R1", strcmp(version, "1") == 0, "many trees: %s", version);
    free(version);
}

int main(void)
{
    PGconn *conn = t_start();

    t_do(conn, "SET search_path = public, pg_catalog");
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        char sql[1024];
        char *version;

        snprintf(sql, sizeof(sql), "SELECT hbscore.register('%s', $1, options => '%s')", models[i].name,
                 models[i].options);
        version = t_ask(conn, sql, t_file(models[i].file));
        t_check("R1", strcmp(version, "1") == 0, "%s: %s", models[i].file, version);
        free(version);
    }
    add_many_trees(conn);
    for (size_t i = 0; i < sizeof(sweeps) / sizeof(sweeps[0]); i++)
        do_sweep(conn, &sweeps[i]);
    return t_finish(conn);
}
