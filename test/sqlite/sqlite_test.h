/* sqlite_test.h - what the C tests of the SQLite extension share.
 *
 * The extension is loaded as a user would load it, from HBSCORE_SO (or the program's first
 * argument). A case belongs to a class of test/classes.txt, or to "" where it fits none; t_finish
 * prints the sum for each class and the line that ends every test program. */
#ifndef SQLITE_TEST_H
#define SQLITE_TEST_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/* Takes the arguments of main; ends the program where there is no extension. */
void t_start(int argc, char **argv);
/* For a program that has the extension linked to it: nothing is loaded. */
void t_start_linked(void);
const char *t_extension(void);
/* A path in a fresh folder that t_finish removes. */
const char *t_path(const char *name);
int t_finish(void);

/* Counts one case; prints what failed. */
__attribute__((format(printf, 3, 4))) bool t_check(const char *class, bool ok, const char *format, ...);

/* Opens (NULL: in memory) and loads the extension; ends the program where that fails. */
sqlite3 *t_open(const char *path);
sqlite3 *t_open_flags(const char *path, int flags);
int t_load(sqlite3 *db, char **message);
void t_close(sqlite3 *db); /* a case by itself: SQLITE_OK */

/* The first value of a statement's first row as text, "NULL", "no row", or "CODE: message" for an
 * error. Must be freed. */
char *t_ask(sqlite3 *db, const char *sql);
/* One case each: the answer equals `wanted`; the error has this code and its text holds `words`. */
bool t_is(const char *class, sqlite3 *db, const char *sql, const char *wanted);
bool t_fails(const char *class, sqlite3 *db, const char *sql, int code, const char *words);
/* Runs statements that cannot fail. */
void t_do(sqlite3 *db, const char *sql);

/* A file's bytes; ends the program where it cannot be read. Kept until the end. */
typedef struct t_blob {
    const unsigned char *bytes;
    size_t size;
} t_blob;
t_blob t_file(const char *path);
/* hbscore_register(name, blob, options) on the way that `readfile` has in the shell; the code. */
int t_register(sqlite3 *db, const char *name, t_blob model, const char *options);

/* The demo's model of the Titanic, its first passenger and what XGBoost says of her (the first line
 * of demo/expected/titanic.csv), as a statement that gives 1 where the score is that. */
#define T_TITANIC         "demo/models/titanic.json"
#define T_TITANIC_OPTIONS "{\"classes\": [\"died\", \"survived\"]}"
#define T_PASSENGER       "1, 'female', 29.0, 0, 0, 211.3375, 'S'"
#define T_SCORED(reference) \
    "SELECT predict_probability('" reference "', 'survived', " T_PASSENGER ") = 0.91241276264190674"
/* Another model with the same features that scores her differently: one round instead of 80. */
#define T_OTHER_OPTIONS "{\"classes\": [\"died\", \"survived\"], \"rounds\": 1}"
t_blob t_titanic(void);
/* A database that holds the model as version 1 and, if `versions` is 2, the other one as version
 * 2. */
sqlite3 *t_open_models(const char *path, int versions);

/* A statement that runs long enough to do something meanwhile; each of its 100 rows gives 1. */
#define T_ROWS "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) "
#define T_SCORES \
    T_ROWS "SELECT predict_probability('titanic', 'survived', " T_PASSENGER ") = 0.91241276264190674 FROM n"

sqlite3_stmt *t_prepare(sqlite3 *db, const char *sql); /* ends the program where that fails */
/* HBSCORE_FAULT_STEP: how far apart the points of a sweep are, 1 by default. */
long t_step(void);
/* Runs `job` in a child process and gives its exit status. */
int t_in_child(int (*job)(const char *path), const char *path);

#endif
