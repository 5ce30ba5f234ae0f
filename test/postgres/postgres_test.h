/* postgres_test.h - what the C tests of the PostgreSQL extension share.
 *
 * They run beside a server (tools/postgres_server.sh), in one session. A case belongs to a class of test/classes.txt,
 * or to "" where it fits none; t_finish prints the sum for each class and the line that ends every test program. */
#ifndef POSTGRES_TEST_H
#define POSTGRES_TEST_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>

/* A session with the extension created; ends the program where that fails. */
PGconn *t_start(void);
int t_finish(PGconn *conn);

/* Counts one case; prints what failed. */
__attribute__((format(printf, 3, 4))) bool t_check(const char *class, bool ok, const char *format, ...);

/* A file's bytes; ends the program where it cannot be read. Kept until the end. */
typedef struct t_blob {
    const char *bytes;
    size_t size;
} t_blob;
t_blob t_file(const char *path);

/* All columns of all rows as one text, "none" where there are none, or "SQLSTATE: message" for an error. `blob` is
 * the parameter $1, a bytea, where it has bytes. Must be freed. */
char *t_ask(PGconn *conn, const char *sql, t_blob blob);
/* The same in two steps, in pipeline mode: each statement is a transaction of its own. Answers come in order. */
void t_send(PGconn *conn, const char *sql, t_blob blob);
char *t_receive(PGconn *conn);
/* The same as a number; ends the program where it is none. */
long t_number(PGconn *conn, const char *sql);
/* Runs statements that cannot fail; ends the program where they do. */
__attribute__((format(printf, 2, 3))) void t_do(PGconn *conn, const char *format, ...);

#endif
