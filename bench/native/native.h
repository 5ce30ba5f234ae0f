/* native.h - the harness's way to what it measures, as one shared library that Python calls through ctypes:
 * core.c scores rows in memory, sqlite.c and pg.c run prepared statements.
 *
 * ctypes releases the interpreter's lock during a call, so that threads of the harness overlap; each has a handle of
 * its own. `inner` of a call is its time by the shim's own clock, two reads of CLOCK_MONOTONIC: without Python.
 *
 * A function that fails returns NULL or -1 and leaves a text in `error` (ERROR_SIZE bytes) or in the handle. */
#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

#include <stdint.h>

enum { ERROR_SIZE = 1024 };

#define EXPORT __attribute__((visibility("default")))

int64_t native_now(void);

/* Writes what happened to `error`, and returns -1. */
int native_fail(char *error, const char *what, const char *why);

/* Does nothing: what a call through ctypes costs. */
EXPORT int64_t native_nothing(const int64_t *keys, int64_t n, double *out, int64_t *inner);

/* ------------------------------------------------------------------ rows in memory */

/* Outputs of a model: what a scoring function gives, as numbers. `item`: the class of a probability, the column of what
 * a transformer gives. */
enum { CORE_PREDICT, CORE_PROBABILITY, CORE_TRANSFORM };

/* Loads and compiles the model of a file for `n_rows` rows of `n_features` numbers, column by column; both arrays stay
 * the caller's. times: nanoseconds of loading and of compiling; sizes: bytes of the plan. */
EXPORT void *core_open(const char *path, const char *options, const double *columns, int64_t n_rows, int64_t n_features,
                       const int32_t *kinds, const int32_t *items, int64_t n_outputs, int64_t *facts,
                       double *tolerances, char *error);
/* Scores the rows of the keys, which are row numbers: [n][outputs]. */
EXPORT int64_t core_run(void *handle, const int64_t *keys, int64_t n, double *out, int64_t *inner);
EXPORT const char *core_error(void *handle);
EXPORT void core_close(void *handle);

/* ------------------------------------------------------------------ prepared statements */

/* A database file, with the extension of that path loaded unless it is "". */
EXPORT void *sqlite_open(const char *path, const char *extension, char *error);
/* The number of the statement, from 0. */
EXPORT int32_t sqlite_add(void *handle, const char *sql);
/* Forgets a statement, whose number is then free. Returns 0. */
EXPORT int32_t sqlite_drop(void *handle, int32_t statement);
/* Runs a statement with whole numbers as its parameters. Its rows, of numbers (NULL: NaN), go to `out`, which has room
 * for `most` rows of `width`. Returns the number of rows. */
EXPORT int64_t sqlite_run(void *handle, int32_t statement, const int64_t *keys, int64_t n, double *out, int64_t most,
                          int64_t width, int64_t *inner);
/* The same with numbers as the parameters (NaN: NULL). */
EXPORT int64_t sqlite_values(void *handle, int32_t statement, const double *values, int64_t n, double *out,
                             int64_t most, int64_t width, int64_t *inner);
/* Prepares the text of a statement anew and executes it with keys or with values, the other NULL. times: nanoseconds of
 * preparing, and of all steps. Returns 0. */
EXPORT int64_t sqlite_times(void *handle, int32_t statement, const int64_t *keys, const double *values, int64_t n,
                            int64_t *times);
/* Executes a statement; counts: pages that it finds in the connection's cache, and reads into it; steps of whole scans,
 * sorts, and steps of the virtual machine. Returns 0. */
EXPORT int64_t sqlite_counts(void *handle, int32_t statement, const int64_t *keys, const double *values, int64_t n,
                             int64_t *counts);
/* Executes a statement; returns the bytes of the values that come out of its steps: 8 of a number, none of NULL. */
EXPORT int64_t sqlite_received(void *handle, int32_t statement, const int64_t *keys, const double *values, int64_t n);
EXPORT const char *sqlite_error(void *handle);
EXPORT void sqlite_close(void *handle);

/* The same on a server, in libpq's words; parameters ($1, ...) are int8, columns float8, both binary. A statement whose
 * parameters are values says so itself ($1::float8), and is added with none. */
EXPORT void *pg_open(const char *conninfo, char *error);
EXPORT int32_t pg_add(void *handle, const char *sql, int64_t n_parameters);
EXPORT int32_t pg_drop(void *handle, int32_t statement);
EXPORT int64_t pg_run(void *handle, int32_t statement, const int64_t *keys, int64_t n, double *out, int64_t most,
                      int64_t width, int64_t *inner);
EXPORT int64_t pg_values(void *handle, int32_t statement, const double *values, int64_t n, double *out, int64_t most,
                         int64_t width, int64_t *inner);
/* The same with all keys in one parameter, an array ($1::int8[]); the statement is added with none. */
EXPORT int64_t pg_array(void *handle, int32_t statement, const int64_t *keys, int64_t n, double *out, int64_t most,
                        int64_t width, int64_t *inner);
/* Executes a statement; returns the bytes of the server's messages for it. */
EXPORT int64_t pg_received(void *handle, int32_t statement, const int64_t *keys, const double *values, int64_t n);
/* Executes SQL without parameters; `out` gets the first value of its answer as a text, "" without one, within `size`
 * bytes. Returns 0. */
EXPORT int64_t pg_text(void *handle, const char *sql, char *out, int64_t size);
EXPORT const char *pg_error(void *handle);
EXPORT void pg_close(void *handle);

#endif
