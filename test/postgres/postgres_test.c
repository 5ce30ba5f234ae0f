/* postgres_test.c - a session, counting, asking. */
#define _GNU_SOURCE
#include "postgres_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLASSES = 16, FILES = 64, MAX_PRINTED = 50 };

static struct {
    long passed, failed;
    int n_classes;
    struct {
        const char *name;
        long cases, failures;
    } classes[MAX_CLASSES];
    int n_files;
    struct {
        const char *path;
        t_blob blob;
    } files[FILES];
} t;

__attribute__((noreturn)) static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

PGconn *t_start(void)
{
    PGconn *conn = PQconnectdb("client_encoding=UTF8");

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (PQstatus(conn) != CONNECTION_OK)
        give_up("no server", PQerrorMessage(conn));
    t_do(conn, "SET client_min_messages = error");
    t_do(conn, "SELECT pg_advisory_lock(1)"); /* programs may run side by side */
    t_do(conn, "CREATE EXTENSION IF NOT EXISTS hbscore");
    t_do(conn, "SELECT pg_advisory_unlock(1)");
    return conn;
}

static void count(const char *class, bool ok)
{
    int i = 0;

    t.passed += ok;
    t.failed += !ok;
    if (!*class)
        return;
    while (i < t.n_classes && strcmp(t.classes[i].name, class) != 0)
        i++;
    if (i == MAX_CLASSES)
        give_up(class, "is one class too many");
    if (i == t.n_classes)
        t.classes[t.n_classes++].name = class;
    t.classes[i].cases++;
    t.classes[i].failures += !ok;
}

bool t_check(const char *class, bool ok, const char *format, ...)
{
    va_list arguments;

    count(class, ok);
    if (ok || t.failed > MAX_PRINTED)
        return ok;
    printf("FAILED  %s%s", class, *class ? ": " : "");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    return ok;
}

int t_finish(PGconn *conn)
{
    PQfinish(conn);
    for (int i = 0; i < t.n_files; i++)
        free((char *)t.files[i].blob.bytes);
    for (int i = 0; i < t.n_classes; i++)
        printf("class %s: %ld cases, %ld failures\n", t.classes[i].name, t.classes[i].cases, t.classes[i].failures);
    printf("%ld passed, %ld failed\n", t.passed, t.failed);
    return t.failed > 0;
}

/* ------------------------------------------------------------------ files */

static t_blob read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size = -1;

    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0)
        bytes = malloc((size_t)size + 1);
    if (!bytes)
        give_up(path, "cannot be read");
    rewind(file);
    size = (long)fread(bytes, 1, (size_t)size, file);
    fclose(file);
    return (t_blob){bytes, (size_t)size};
}

t_blob t_file(const char *path)
{
    for (int i = 0; i < t.n_files; i++)
        if (strcmp(t.files[i].path, path) == 0)
            return t.files[i].blob;
    if (t.n_files == FILES)
        give_up(path, "is one file too many");
    t.files[t.n_files].path = path;
    t.files[t.n_files].blob = read_file(path);
    return t.files[t.n_files++].blob;
}

/* ------------------------------------------------------------------ asking */

static char *text_of(const PGresult *result)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (PQresultStatus(result) == PGRES_FATAL_ERROR)
        fprintf(out, "%s: %s", PQresultErrorField(result, PG_DIAG_SQLSTATE),
                PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    else if (PQntuples(result) == 0)
        fprintf(out, "none");
    for (int row = 0; row < PQntuples(result); row++)
        for (int column = 0; column < PQnfields(result); column++)
            fprintf(out, "%s%s", row + column ? "|" : "",
                    PQgetisnull(result, row, column) ? "NULL" : PQgetvalue(result, row, column));
    fclose(out);
    return text;
}

char *t_ask(PGconn *conn, const char *sql, t_blob blob)
{
    static const Oid bytea = 17;
    static const int binary = 1;
    int size = (int)blob.size;
    PGresult *result;
    char *text;

    if (blob.bytes)
        result = PQexecParams(conn, sql, 1, &bytea, &blob.bytes, &size, &binary, 0);
    else
        result = PQexec(conn, sql);
    if (PQstatus(conn) != CONNECTION_OK)
        give_up(sql, PQerrorMessage(conn));
    text = text_of(result);
    PQclear(result);
    return text;
}

void t_send(PGconn *conn, const char *sql, t_blob blob)
{
    static const Oid bytea = 17;
    static const int binary = 1;
    int size = (int)blob.size;

    if (!PQsendQueryParams(conn, sql, blob.bytes ? 1 : 0, &bytea, &blob.bytes, &size, &binary, 0) ||
        !PQpipelineSync(conn))
        give_up(sql, PQerrorMessage(conn));
}

char *t_receive(PGconn *conn)
{
    PGresult *result = PQgetResult(conn);
    char *text;

    if (PQstatus(conn) != CONNECTION_OK)
        give_up("the session ended", PQerrorMessage(conn));
    text = text_of(result);
    PQclear(result);
    PQclear(PQgetResult(conn)); /* the NULL behind it */
    PQclear(PQgetResult(conn)); /* the sync */
    return text;
}

long t_number(PGconn *conn, const char *sql)
{
    char *text = t_ask(conn, sql, (t_blob){0});
    char *end;
    long number = strtol(text, &end, 10);

    if (end == text || *end)
        give_up(sql, text);
    free(text);
    return number;
}

void t_do(PGconn *conn, const char *format, ...)
{
    char sql[1024];
    PGresult *result;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sql, sizeof(sql), format, arguments);
    va_end(arguments);
    result = PQexec(conn, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
        give_up(sql, PQresultErrorMessage(result));
    PQclear(result);
}
