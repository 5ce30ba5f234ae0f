/* test_scans.c - scans and virtual tables in a host's hands: closed, changed or overridden in the
 * middle, very wide, under lowered limits, under an authorizer. */
#define _GNU_SOURCE
#include "sqlite_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 200 };

/* The model twice (version 2 scores otherwise), a table of 200 passengers, a virtual table. */
static sqlite3 *open_rows(const char *path)
{
    sqlite3 *db = t_open_models(path, 2);

    t_do(db, "SELECT hbscore_deploy('titanic', 1);"
             "CREATE TABLE people(id INTEGER PRIMARY KEY, pclass INTEGER, sex TEXT, age, sibsp INTEGER,"
             " parch INTEGER, fare REAL, embarked TEXT);"
             "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
             " INSERT INTO people SELECT i, " T_PASSENGER " FROM n;"
             "CREATE VIRTUAL TABLE scored USING hbscore(model='titanic', source='people')");
    return db;
}

#define IS_RIGHT    "probability = 0.91241276264190674"
#define SCAN(query) "hbscore_scan('titanic', '" query "')"

static const char *const reads[] = {
    "SELECT " IS_RIGHT " FROM " SCAN("SELECT * FROM people"),
    "SELECT " IS_RIGHT " FROM scored",
    "SELECT " IS_RIGHT " FROM scored WHERE fare > 0 AND pclass IN (1, 2) ORDER BY id DESC",
    "SELECT s." IS_RIGHT " FROM people AS p CROSS JOIN scored AS s ON s.id = p.id",
};
enum { READS = sizeof(reads) / sizeof(reads[0]) };

/* The rows that give 1, until one does not or they end; *code is what ended them. */
static int count_rows(sqlite3_stmt *rows, int most, int *code)
{
    int count = 0;

    while (count < most && (*code = sqlite3_step(rows)) == SQLITE_ROW && sqlite3_column_int(rows, 0) == 1)
        count++;
    return count;
}

static sqlite3_stmt *begin(const char *class, sqlite3 *db, const char *sql)
{
    sqlite3_stmt *rows = t_prepare(db, sql);
    int code;

    t_check(class, count_rows(rows, 3, &code) == 3, "%s: its first rows: %s", sql, sqlite3_errmsg(db));
    return rows;
}

static void finish(const char *class, sqlite3_stmt *rows, const char *what)
{
    int code = SQLITE_OK, count = count_rows(rows, 2 * ROWS, &code);

    t_check(class, count == ROWS - 3 && code == SQLITE_DONE, "%s: %d rows, then %d: %s", what, count, code,
            sqlite3_errmsg(sqlite3_db_handle(rows)));
    sqlite3_finalize(rows);
}

/* ------------------------------------------------------------------ L8: close, load, override */

static void close_in_the_middle(const char *sql)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = open_rows(NULL);
    sqlite3_stmt *rows = begin("L8", db, sql);

    t_check("L8", sqlite3_close(db) == SQLITE_BUSY, "%s: close is busy", sql);
    finish("L8", rows, sql);
    rows = begin("L8", db, sql);
    sqlite3_reset(rows);
    sqlite3_finalize(rows);
    t_check("L8", sqlite3_close(db) == SQLITE_OK, "%s: close at the end", sql);
    t_check("L8", sqlite3_memory_used() == before, "%s: %lld bytes are lost", sql, sqlite3_memory_used() - before);
}

static void close_of_a_zombie(const char *sql, bool to_the_end)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = open_rows(NULL);
    sqlite3_stmt *rows = begin("L8", db, sql);

    t_check("L8", sqlite3_close_v2(db) == SQLITE_OK, "%s: close_v2 waits", sql);
    if (to_the_end)
        finish("L8", rows, sql);
    else
        sqlite3_finalize(rows);
    t_check("L8", sqlite3_memory_used() == before, "%s: %lld bytes are lost", sql, sqlite3_memory_used() - before);
}

static void nothing(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)context;
    (void)argc;
    (void)argv;
}

static void load_and_override(const char *sql)
{
    sqlite3 *db = open_rows(NULL);
    sqlite3_stmt *rows = begin("L8", db, sql);
    char *message = NULL;

    t_check("L8", t_load(db, &message) == SQLITE_OK, "%s: loaded again", sql);
    t_check("L8",
            sqlite3_create_function(db, "hbscore_fill", -1, SQLITE_UTF8, NULL, nothing, NULL, NULL) == SQLITE_BUSY,
            "%s: nothing is overridden in the middle", sql);
    finish("L8", rows, sql);
    t_check("L8", sqlite3_create_function(db, "hbscore_fill", -1, SQLITE_UTF8, NULL, nothing, NULL, NULL) == SQLITE_OK,
            "%s: overridden", sql);
    t_fails("L8", db, sql, SQLITE_INTERNAL, "is there another function hbscore_fill");
    t_is("L8", db, "SELECT count(*) FROM scored", "200");
    t_close(db);
}

static void override_modules(void)
{
    sqlite3_int64 before = sqlite3_memory_used();
    sqlite3 *db = open_rows(NULL);

    for (int i = 0; i < READS; i++)
        finish("L8", begin("L8", db, reads[i]), reads[i]);
    t_check("L8", sqlite3_create_module_v2(db, "hbscore", NULL, NULL, NULL) == SQLITE_OK, "no module");
    t_check("L8", sqlite3_create_module_v2(db, "hbscore_scan", NULL, NULL, NULL) == SQLITE_OK, "no module");
    t_do(db, "PRAGMA writable_schema = RESET");
    t_fails("L8", db, reads[0], SQLITE_ERROR, "no such table: hbscore_scan");
    t_fails("L8", db, reads[1], SQLITE_ERROR, "no such module: hbscore");
    t_is("L8", db, T_SCORED("titanic"), "1");
    t_close(db);
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

/* ------------------------------------------------------------------ B9, L1: changes meanwhile */

static void change_schema(const char *path, const char *sql, bool elsewhere)
{
    static const char *const changes[] = {
        "ALTER TABLE people ADD COLUMN more",
        "CREATE TABLE other(a)",
        "CREATE INDEX by_fare ON people(fare)",
        "ALTER TABLE people RENAME COLUMN more TO still_more",
        "ALTER TABLE people RENAME TO persons",
        "DROP TABLE people",
        "DROP TABLE scored",
    };

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        sqlite3 *db = open_rows(path);
        sqlite3 *other = db;
        sqlite3_stmt *rows;
        int code, count;
        char *said;

        if (i == 3)
            t_do(db, changes[0]);
        if (path)
            free(t_ask(db, "PRAGMA journal_mode = WAL"));
        if (elsewhere)
            other = t_open(path);
        rows = begin("B9", db, sql);
        said = t_ask(other, changes[i]); /* done, or refused: SQLITE_LOCKED */
        t_check("B9", strcmp(said, "no row") == 0 || strncmp(said, "6: ", 3) == 0, "%s: %s", changes[i], said);
        free(said);
        /* An inner scan that begins again meets the new schema. */
        count = count_rows(rows, 2 * ROWS, &code);
        t_check("B9",
                (count == ROWS - 3 && code == SQLITE_DONE) ||
                    (i == 4 && code == SQLITE_ERROR && strstr(sqlite3_errmsg(db), "no such")),
                "%s, in the middle of %s: %d rows, then %d: %s", changes[i], sql, count, code, sqlite3_errmsg(db));
        sqlite3_finalize(rows);
        said = t_ask(db, sql); /* right, or why not */
        t_check("B9", strcmp(said, "1") == 0 || strncmp(said, "1: ", 3) == 0, "%s, then %s: %s", changes[i], sql, said);
        free(said);
        if (other != db)
            t_close(other);
        t_is("B9", db, "PRAGMA integrity_check", "ok");
        t_close(db);
        if (path) {
            char name[4000];

            remove(path);
            snprintf(name, sizeof(name), "%s-wal", path);
            remove(name);
            snprintf(name, sizeof(name), "%s-shm", path);
            remove(name);
        }
    }
}

static void change_model(const char *sql)
{
    sqlite3 *db = open_rows(NULL);
    sqlite3_stmt *rows = begin("L1", db, sql);

    t_do(db, "SELECT hbscore_deploy('titanic', 2)");
    finish("L1", rows, sql);
    t_is("L1", db, sql, "0");
    t_do(db, "SELECT hbscore_deploy('titanic', 1)");
    rows = begin("L1", db, sql);
    t_do(db, "SELECT hbscore_set('plan_cache_size', 0); SELECT hbscore_drop('titanic')");
    finish("L1", rows, sql);
    t_fails("L1", db, sql, SQLITE_ERROR, "was dropped, with all its versions");
    t_close(db);
}

/* Rows that come while the table is written: SQLite materializes nothing, so each is old or new. */
static void write_in_the_middle(void)
{
    sqlite3 *db = open_rows(NULL);
    sqlite3_stmt *rows = begin("B5", db, reads[1]);
    int code, count;

    t_do(db, "DELETE FROM people WHERE id > 100");
    count = count_rows(rows, ROWS, &code) + 3;
    t_check("B5", count >= 100 && count <= ROWS && code == SQLITE_DONE, "%d rows, then %d", count, code);
    sqlite3_finalize(rows);
    /* What reads what it writes ends. */
    t_do(db, "CREATE INDEX by_fare ON people(fare);"
             "INSERT INTO people SELECT id + 1000, pclass, sex, age, sibsp, parch, fare + probability,"
             " embarked FROM scored WHERE fare > 0;"
             "UPDATE people SET fare = fare + 1 WHERE id IN (SELECT id FROM scored WHERE fare > 0);"
             "DELETE FROM people WHERE id IN (SELECT key FROM " SCAN("SELECT * FROM people") " WHERE key > 1000)");
    t_is("B5", db, "SELECT count(*) || ' ' || max(fare) FROM people", "100 212.3375");
    t_close(db);
}

/* ------------------------------------------------------------------ B1: rows read ahead */

static void bad_row(const char *change, const char *words)
{
    static const char *const sql[] = {
        "SELECT 1, prediction FROM " SCAN("SELECT * FROM people"),
        "SELECT 1, prediction FROM scored",
        "SELECT 1, prediction FROM scored WHERE pclass = 1 ORDER BY id",
    };
    sqlite3 *db = open_rows(NULL);

    t_do(db, change);
    for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]); i++) {
        char limited[300];
        int code, count;
        sqlite3_stmt *rows = t_prepare(db, sql[i]);

        count = count_rows(rows, ROWS, &code);
        t_check("B1", count == 77 && code == SQLITE_ERROR && strstr(sqlite3_errmsg(db), words),
                "%s: %d rows, then %d: %s", sql[i], count, code, sqlite3_errmsg(db));
        sqlite3_finalize(rows);
        for (int limit = 76; limit < 79; limit++) {
            snprintf(limited, sizeof(limited), "%s LIMIT %d", sql[i], limit);
            rows = t_prepare(db, limited);
            count = count_rows(rows, ROWS, &code);
            t_check("B1", count == (limit < 78 ? limit : 77) && code == (limit < 78 ? SQLITE_DONE : SQLITE_ERROR),
                    "%s: %d rows, then %d", limited, count, code);
            sqlite3_finalize(rows);
        }
    }
    t_fails("B1", db, "SELECT predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM people",
            SQLITE_ERROR, words);
    t_close(db);
}

/* ------------------------------------------------------------------ very wide, lowered limits */

/* The small model with `count` features, of which its trees read four: "wide". */
static void register_wide(sqlite3 *db, int count)
{
    t_blob model = t_file("test/golden/xgboost/regressor_34.json");
    char new[40];
    sqlite3_stmt *statement = t_prepare(db, "SELECT hbscore_register('wide', CAST(replace(CAST(?1 AS TEXT),"
                                            " '\"num_feature\":\"4\"', ?2) AS BLOB))");

    snprintf(new, sizeof(new), "\"num_feature\":\"%d\"", count);
    sqlite3_bind_blob64(statement, 1, model.bytes, model.size, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, new, -1, SQLITE_STATIC);
    t_check("", sqlite3_step(statement) == SQLITE_ROW, "%d features: %s", count, sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    if (t_register(db, "small", model, NULL) != SQLITE_OK)
        t_check("", false, "the small model: %s", sqlite3_errmsg(db));
}

static void make_wide(sqlite3 *db, int columns)
{
    char *text = malloc((size_t)columns * 20 + 100), *to = text;

    to += sprintf(to, "CREATE TABLE wide(");
    for (int i = 0; i < columns; i++)
        to += sprintf(to, "%sf%d", i ? ", " : "", i);
    strcpy(to, ")");
    t_do(db, text);
    t_do(db, "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
             " INSERT INTO wide(f0, f1, f2, f3) SELECT i % 9 - 4.5, i % 7, nullif(i % 5, 3), i FROM n");
    free(text);
}

#define EQUAL "SELECT count(*), sum(prediction = predict('small', f0, f1, f2, f3)) FROM "

static void wide_tables(int columns)
{
    sqlite3 *db = t_open(NULL);
    char sql[300];

    register_wide(db, columns);
    make_wide(db, columns);
    t_do(db, "CREATE VIRTUAL TABLE scored USING hbscore(model='wide', source='wide')");
    t_is("S1", db, "SELECT sum(prediction = predict('small', f0, f1, f2, f3)) FROM scored", "100");
    t_is("S1", db, "SELECT count(*) FROM (SELECT * FROM scored WHERE prediction IS NOT NULL)", "100");
    t_is("S1", db, "SELECT count(prediction) FROM (SELECT * FROM scored WHERE f3 > 50 ORDER BY f0)", "50");
    snprintf(sql, sizeof(sql), "SELECT count(f%d) || count(*) FROM scored", columns - 1);
    t_is("S1", db, sql, "0100");
    t_is("S1", db,
         "SELECT sum(prediction = predict('small', f0, f1, f2, f3)) FROM hbscore_scan('wide', 'SELECT "
         "1, * FROM wide') AS s JOIN wide ON wide.rowid = s.rowid",
         columns < 2000 ? "100" : "1: too many columns in result set");
    /* As few as two arguments: the pointer and one column. */
    for (int most = 5; most >= 0; most--) {
        sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, most);
        if (most >= 2)
            t_is("S1", db, "SELECT count(prediction) FROM scored", "100");
        else
            t_fails("S1", db, "SELECT prediction FROM scored", SQLITE_ERROR,
                    "too many arguments on function hbscore_fill");
    }
    t_close(db);
}

static void too_wide(void)
{
    sqlite3 *db = t_open(NULL);

    register_wide(db, 2000);
    make_wide(db, 2000);
    t_fails("S1", db, "CREATE VIRTUAL TABLE scored USING hbscore(model='wide', source='wide')", SQLITE_ERROR,
            "too many columns on x");
    t_do(db, "CREATE VIEW most AS SELECT f0, f1, f2, f3 FROM wide;"
             "CREATE VIRTUAL TABLE scored USING hbscore(model='small', source='most')");
    t_is("S1", db, "SELECT count(prediction) FROM scored", "100");
    t_close(db);
}

/* Sixty-three columns and more share one bit of what SQLite says is read. */
static void columns_at_the_edge(void)
{
    for (int columns = 60; columns <= 66; columns++) {
        sqlite3 *db = t_open(NULL);
        char sql[200];

        register_wide(db, columns);
        make_wide(db, columns);
        t_do(db, "CREATE VIRTUAL TABLE scored USING hbscore(model='wide', source='wide')");
        t_is("S1", db, "SELECT sum(prediction = predict('small', f0, f1, f2, f3)) FROM scored", "100");
        snprintf(sql, sizeof(sql), "SELECT count(*) || count(f%d) || count(prediction) FROM scored WHERE f%d IS NULL",
                 columns - 1, columns - 2);
        t_is("S1", db, sql, "1000100");
        t_close(db);
    }
}

static void lowered_limits(void)
{
    static const int limits[] = {SQLITE_LIMIT_LENGTH,          SQLITE_LIMIT_SQL_LENGTH, SQLITE_LIMIT_COLUMN,
                                 SQLITE_LIMIT_EXPR_DEPTH,      SQLITE_LIMIT_VDBE_OP,    SQLITE_LIMIT_FUNCTION_ARG,
                                 SQLITE_LIMIT_VARIABLE_NUMBER, SQLITE_LIMIT_ATTACHED};
    sqlite3 *db = open_rows(NULL);

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
        for (int limit = 0; limit < 400; limit = limit < 30 ? limit + 1 : limit + 37) {
            int old = sqlite3_limit(db, limits[i], limit);

            for (int r = 0; r < READS; r++) {
                char *said = t_ask(db, reads[r]);

                t_check("S8", strcmp(said, "1") == 0 || strchr("17", said[0]), "limit %d = %d: %s", limits[i], limit,
                        said);
                free(said);
            }
            sqlite3_limit(db, limits[i], old);
        }
    /* An IN that has more values than there may be parameters stays outside. */
    for (int most = 250000; most > 1; most = most > 12 ? most / 3 : most - 1) {
        sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, most);
        t_is("S8", db,
             "SELECT count(prediction) FROM scored WHERE id IN (1, 2, 3, 5, 7, 11, 13, 199, 9999)"
             " AND fare IN (211.3375, 1, 2, 3) AND parch IN (SELECT id - 1 FROM people)",
             "8");
    }
    t_close(db);
}

/* ------------------------------------------------------------------ an authorizer */

typedef struct rule {
    int action, answer;
    const char *first, *second;
    int asked;
} rule;

static int authorize(void *state, int action, const char *first, const char *second, const char *schema,
                     const char *trigger)
{
    rule *r = state;

    (void)schema;
    (void)trigger;
    if (action != r->action || (r->first && (!first || strcmp(first, r->first) != 0)) ||
        (r->second && (!second || strcmp(second, r->second) != 0)))
        return SQLITE_OK;
    r->asked++;
    return r->answer;
}

/* The source is read with the application's permission only. */
static void authorizers(void)
{
    rule deny = {SQLITE_READ, SQLITE_DENY, "people", "fare", 0};
    rule ignore_rowid = {SQLITE_READ, SQLITE_IGNORE, "people", "id", 0};
    rule no_models = {SQLITE_READ, SQLITE_DENY, "hbscore_models", NULL, 0};
    rule no_fill = {SQLITE_FUNCTION, SQLITE_DENY, NULL, "hbscore_fill", 0};
    rule *all[] = {&deny, &no_models, &no_fill};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        sqlite3 *db = open_rows(NULL);

        sqlite3_set_authorizer(db, authorize, all[i]);
        for (int r = 0; r < READS; r++) {
            char *said = t_ask(db, reads[r]);

            t_check("A3", strcmp(said, "0") != 0 && strcmp(said, "1") != 0 && strstr(said, ": "),
                    "%s, denied rule %zu: %s", reads[r], i, said);
            free(said);
        }
        t_check("A3", all[i]->asked > 0, "rule %zu was asked", i);
        sqlite3_set_authorizer(db, NULL, NULL);
        t_is("A3", db, reads[1], "1");
        t_close(db);
    }
    /* Where rowids may not be read, no rows are taken for one and the same. */
    sqlite3 *db = open_rows(NULL);

    t_do(db, "CREATE INDEX by_fare ON people(fare); CREATE INDEX by_class ON people(pclass);"
             "CREATE VIRTUAL TABLE fast USING hbscore(model='titanic', source='people')");
    t_is("A3", db, "SELECT count(*) FROM fast WHERE fare = 211.3375 OR pclass = 1", "200");
    sqlite3_set_authorizer(db, authorize, &ignore_rowid);
    t_fails("A3", db, "SELECT count(*) FROM fast WHERE fare = 211.3375 OR pclass = 1", SQLITE_ERROR, "have no rowid");
    t_close(db);
}

/* ------------------------------------------------------------------ memory */

static void leaks(void)
{
    sqlite3_int64 before = sqlite3_memory_used(), first = 0;
    sqlite3 *db = open_rows(NULL);

    for (int i = 0; i < 50; i++) {
        for (int r = 0; r < READS; r++)
            finish("L8", begin("L8", db, reads[r]), reads[r]);
        t_do(db, "SELECT predict_agg('titanic', pclass, sex, age, sibsp, parch, fare, embarked) FROM people;"
                 "CREATE VIRTUAL TABLE temp.more USING hbscore(model='titanic', source='people');"
                 "SELECT * FROM more WHERE id = 3; DROP TABLE more; PRAGMA writable_schema = RESET");
        if (i == 5)
            first = sqlite3_memory_used();
    }
    t_check("L8", sqlite3_memory_used() < first + 20000, "%lld bytes more after 45 rounds",
            sqlite3_memory_used() - first);
    t_close(db);
    t_check("L8", sqlite3_memory_used() == before, "%lld bytes are lost", sqlite3_memory_used() - before);
}

int main(int argc, char **argv)
{
    char *path;

    t_start(argc, argv);
    path = strdup(t_path("changed.db"));
    for (int i = 0; i < READS; i++) {
        close_in_the_middle(reads[i]);
        close_of_a_zombie(reads[i], true);
        close_of_a_zombie(reads[i], false);
        load_and_override(reads[i]);
        change_schema(NULL, reads[i], false);
        change_schema(path, reads[i], true);
        change_model(reads[i]);
    }
    override_modules();
    write_in_the_middle();
    bad_row("UPDATE people SET age = x'00' WHERE id = 78", "takes a number, got a blob");
    bad_row("UPDATE people SET sex = x'00' WHERE id = 78", "got a blob");
    bad_row("UPDATE people SET sex = 'neither' WHERE id = 78", "has the value \"neither\"");
    bad_row("UPDATE people SET fare = 'much' WHERE id = 78", "got the text \"much\"");
    wide_tables(130);
    wide_tables(400);
    wide_tables(1998);
    too_wide();
    columns_at_the_edge();
    lowered_limits();
    authorizers();
    leaks();
    free(path);
    return t_finish();
}
