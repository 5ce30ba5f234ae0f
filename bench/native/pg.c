/* pg.c - prepared statements of PostgreSQL through libpq, with binary parameters and results. */
#include "native.h"

#include <libpq-fe.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATEMENTS = 64, MOST_PARAMETERS = 4, MOST_VALUES = 1600, NAME_SIZE = 24, INT8_OID = 20, FLOAT8_OID = 701 };
/* An array of int8 in binary: its dimensions, whether it has NULLs, the type, the length and the first index; then a
 * length and a value for each element. */
enum { MOST_KEYS = 4096, HEAD_WORDS = 5, ELEMENT_SIZE = 12 };

typedef struct connection {
    PGconn *connection;
    bool taken[MOST_STATEMENTS];
    char error[ERROR_SIZE];
    /* Parameters, in binary; a value of NULL is a missing one. */
    int lengths[MOST_VALUES], formats[MOST_VALUES];
    const char *values[MOST_VALUES];
    uint64_t bits[MOST_VALUES];
    unsigned char array[4 * HEAD_WORDS + ELEMENT_SIZE * MOST_KEYS];
} connection;

static uint64_t swapped(uint64_t value)
{
    const unsigned char *b = (const unsigned char *)&value;
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number = number << 8 | b[i];
    return number;
}

const char *pg_error(void *handle)
{
    return ((connection *)handle)->error;
}

void pg_close(void *handle)
{
    connection *c = handle;

    if (c) {
        PQfinish(c->connection);
        free(c);
    }
}

void *pg_open(const char *conninfo, char *error)
{
    connection *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    for (int i = 0; i < MOST_VALUES; i++)
        c->formats[i] = 1;
    c->connection = PQconnectdb(conninfo);
    if (PQstatus(c->connection) == CONNECTION_OK)
        return c;
    native_fail(error, "cannot connect", PQerrorMessage(c->connection));
    pg_close(c);
    return NULL;
}

/* True of the result of a statement that was executed. */
static int done(const PGresult *result)
{
    return PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK;
}

/* Keeps the message of a result that is an error; the result is freed. */
static int64_t fail(connection *c, PGresult *result, const char *sql)
{
    char text[ERROR_SIZE / 2];

    snprintf(text, sizeof(text), "%s", PQresultErrorMessage(result));
    text[strcspn(text, "\n")] = '\0';
    PQclear(result);
    return native_fail(c->error, text, sql);
}

int32_t pg_add(void *handle, const char *sql, int64_t n_parameters)
{
    static const Oid types[MOST_PARAMETERS] = {INT8_OID, INT8_OID, INT8_OID, INT8_OID};
    connection *c = handle;
    char name[NAME_SIZE];
    PGresult *result;
    int32_t place = 0;

    while (place < MOST_STATEMENTS && c->taken[place])
        place++;
    if (place == MOST_STATEMENTS || n_parameters > MOST_PARAMETERS)
        return native_fail(c->error, "too many statements or parameters", NULL);
    snprintf(name, sizeof(name), "s%d", place);
    result = PQprepare(c->connection, name, sql, (int)n_parameters, types);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        return (int32_t)fail(c, result, sql);
    PQclear(result);
    c->taken[place] = true;
    return place;
}

int32_t pg_drop(void *handle, int32_t number)
{
    connection *c = handle;
    char sql[NAME_SIZE + sizeof("DEALLOCATE ")];
    PGresult *result;

    snprintf(sql, sizeof(sql), "DEALLOCATE s%d", number);
    result = PQexec(c->connection, sql);
    if (!done(result))
        return (int32_t)fail(c, result, sql);
    PQclear(result);
    c->taken[number] = false;
    return 0;
}

static int64_t store(connection *c, PGresult *result, double *out, int64_t most, int64_t width)
{
    int64_t rows = PQntuples(result);

    if (rows > most || PQnfields(result) != width)
        return native_fail(c->error, "a statement gave more rows, or other columns, than were asked for", NULL);
    for (int i = 0; i < (int)width; i++)
        if (PQftype(result, i) != FLOAT8_OID)
            return native_fail(c->error, "a statement gave a column that is no float8", PQfname(result, i));
    for (int64_t r = 0; r < rows; r++)
        for (int i = 0; i < (int)width; i++) {
            uint64_t bits;
            double number = NAN;

            if (!PQgetisnull(result, (int)r, i)) {
                memcpy(&bits, PQgetvalue(result, (int)r, i), sizeof(bits));
                bits = swapped(bits);
                memcpy(&number, &bits, sizeof(number));
            }
            *out++ = number;
        }
    return rows;
}

/* The result of a statement with the first parameters. */
static PGresult *result_of(connection *c, int32_t number, int64_t n)
{
    char name[NAME_SIZE];

    snprintf(name, sizeof(name), "s%d", number);
    return PQexecPrepared(c->connection, name, (int)n, c->values, c->lengths, c->formats, 1);
}

/* `bound`: the number of parameters, or -1 where they could not be bound. Returns the number of rows. */
static int64_t execute(connection *c, int32_t number, int64_t bound, double *out, int64_t most, int64_t width)
{
    PGresult *result;
    int64_t rows = 0;

    if (bound < 0)
        return -1;
    result = result_of(c, number, bound);

    if (!done(result))
        return fail(c, result, NULL);
    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        rows = store(c, result, out, most, width);
    PQclear(result);
    return rows;
}

/* Parameters are bound, from the first one on: how many they are, or -1. */
static int64_t bind_keys(connection *c, const int64_t *keys, int64_t n)
{
    if (n > MOST_PARAMETERS)
        return native_fail(c->error, "too many parameters", NULL);
    for (int64_t i = 0; i < n; i++) {
        c->bits[i] = swapped((uint64_t)keys[i]);
        c->values[i] = (const char *)&c->bits[i];
        c->lengths[i] = 8;
    }
    return n;
}

static int64_t bind_values(connection *c, const double *numbers, int64_t n)
{
    if (n > MOST_VALUES)
        return native_fail(c->error, "too many parameters", NULL);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;

        memcpy(&bits, &numbers[i], sizeof(bits));
        c->bits[i] = swapped(bits);
        c->values[i] = isnan(numbers[i]) ? NULL : (const char *)&c->bits[i];
        c->lengths[i] = 8;
    }
    return n;
}

static unsigned char *put_word(unsigned char *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        *to++ = (unsigned char)(word >> (24 - 8 * i));
    return to;
}

/* The keys as one parameter, an array. */
static int64_t bind_array(connection *c, const int64_t *keys, int64_t n)
{
    unsigned char *to = c->array;

    if (n > MOST_KEYS)
        return native_fail(c->error, "too many keys", NULL);
    for (size_t i = 0; i < HEAD_WORDS; i++)
        to = put_word(to, (const uint32_t[]){1, 0, INT8_OID, (uint32_t)n, 1}[i]);
    for (int64_t i = 0; i < n; i++) {
        to = put_word(to, 8);
        to = put_word(to, (uint32_t)((uint64_t)keys[i] >> 32));
        to = put_word(to, (uint32_t)keys[i]);
    }
    c->values[0] = (const char *)c->array;
    c->lengths[0] = (int)(to - c->array);
    return 1;
}

int64_t pg_run(void *handle, int32_t number, const int64_t *keys, int64_t n, double *out, int64_t most, int64_t width,
               int64_t *inner)
{
    int64_t begin = native_now();
    int64_t rows = execute(handle, number, bind_keys(handle, keys, n), out, most, width);

    *inner = native_now() - begin;
    return rows;
}

int64_t pg_values(void *handle, int32_t number, const double *numbers, int64_t n, double *out, int64_t most,
                  int64_t width, int64_t *inner)
{
    int64_t begin = native_now();
    int64_t rows = execute(handle, number, bind_values(handle, numbers, n), out, most, width);

    *inner = native_now() - begin;
    return rows;
}

int64_t pg_array(void *handle, int32_t number, const int64_t *keys, int64_t n, double *out, int64_t most, int64_t width,
                 int64_t *inner)
{
    int64_t begin = native_now();
    int64_t rows = execute(handle, number, bind_array(handle, keys, n), out, most, width);

    *inner = native_now() - begin;
    return rows;
}

/* The server answers an execution with BindComplete, RowDescription or NoData, a DataRow for each row, CommandComplete
 * and ReadyForQuery. Each message has a byte for its type and four for its length. */
static int64_t message_bytes(PGresult *result)
{
    enum { HEAD = 5, STATE = 1, COUNT = 2, COLUMN = 18, LENGTH = 4 };
    int columns = PQnfields(result), rows = PQntuples(result);
    int64_t bytes = 4 * HEAD + STATE + (int64_t)strlen(PQcmdStatus(result)) + 1;

    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        bytes += COUNT;
    for (int i = 0; i < columns; i++)
        bytes += (int64_t)strlen(PQfname(result, i)) + 1 + COLUMN;
    for (int r = 0; r < rows; r++) {
        bytes += HEAD + COUNT;
        for (int i = 0; i < columns; i++)
            bytes += LENGTH + PQgetlength(result, r, i);
    }
    return bytes;
}

int64_t pg_received(void *handle, int32_t number, const int64_t *keys, const double *values, int64_t n)
{
    connection *c = handle;
    PGresult *result;
    int64_t bytes;

    if ((keys ? bind_keys(c, keys, n) : bind_values(c, values, n)) < 0)
        return -1;
    result = result_of(c, number, n);
    if (!done(result))
        return fail(c, result, NULL);
    bytes = message_bytes(result);
    PQclear(result);
    return bytes;
}

int64_t pg_text(void *handle, const char *sql, char *out, int64_t size)
{
    connection *c = handle;
    PGresult *result = PQexec(c->connection, sql);
    int written;

    if (!done(result))
        return fail(c, result, sql);
    written = snprintf(out, (size_t)size, "%s", PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return written < size ? 0 : native_fail(c->error, "the answer is too long", sql);
}
