/* sq_feed.c - an inner statement whose rows fill a batch: what hbscore_scan and the virtual table
 * have in common.
 *
 * To read cells by sqlite3_column_* costs more than the scan itself: each call takes the
 * connection's mutex. A function of ours that the inner statement calls gets its arguments
 * directly:
 *
 *     WITH hbscore_rows(c0, c1, ..) AS (<select>) SELECT hbscore_fill(?1, c0, c1, ..) FROM hbscore_rows
 *
 * SQLite does not compute columns of the select that are not named there. ?1 is the batch, as a pointer that SQL cannot
 * make. One step is one row, which is checked. More
 * columns than a function takes arguments go in several calls.
 *
 * If a running statement writes a table that the select reads, the select is materialized first: else it would
 * find its own results for ever (sq_conflicts.c). */
#include "sq_hbscore.h"

#include <string.h>

static const char batch_pointer[] = "hbscore_batch";

enum {
    FIRST_BLOCK = 32, /* rows; each block is twice the one before: a LIMIT stays cheap */
    MOST_DEPTH = 16   /* feeds that read from each other */
};

/* ------------------------------------------------------------------ depth */

int sq_depth_enter(sq_connection *connection, sq_error *error)
{
    if (connection->depth == MOST_DEPTH)
        return sq_fail(error, SQLITE_ERROR,
                       "more than %d scans or virtual tables of hbscore read "
                       "from each other",
                       MOST_DEPTH);
    connection->depth++;
    return SQLITE_OK;
}

void sq_depth_leave(sq_connection *connection)
{
    connection->depth--;
}

int sq_depth_check(const sq_connection *connection, const char *function, sq_error *error)
{
    if (connection->depth == 0)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR, "%s writes, and the query of a scan or virtual table of hbscore may only read",
                   function);
}

/* ------------------------------------------------------------------ the function that fills */

void sq_fill(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_batch *batch = argc > 0 ? sqlite3_value_pointer(argv[0], batch_pointer) : NULL;

    if (!batch) {
        sqlite3_result_error(context, SQ_FILL " is hbscore's own and cannot be called", -1);
        return;
    }
    sq_batch_take(batch, argc - 1, argv + 1);
}

/* ------------------------------------------------------------------ the inner statement's text */

/* "c0, c3, .." */
static void append_columns(sqlite3_str *text, const sq_select *select)
{
    for (size_t i = 0; i < select->n_wanted; i++)
        sqlite3_str_appendf(text, "%sc%d", i ? ", " : "", select->wanted[i]);
    if (select->n_wanted == 0)
        sqlite3_str_appendall(text, "NULL");
}

/* "hbscore_fill(?1, c0, c3, ..), hbscore_fill(?1, ..)": at most `most` columns in each call. */
static void append_calls(sqlite3_str *text, const sq_select *select, size_t most)
{
    for (size_t i = 0; i == 0 || i < select->n_wanted; i++) {
        if (i % most == 0)
            sqlite3_str_appendf(text, "%s" SQ_FILL "(?1", i ? "), " : "");
        if (i < select->n_wanted)
            sqlite3_str_appendf(text, ", c%d", select->wanted[i]);
    }
    sqlite3_str_appendall(text, ")");
}

bool sq_mentions(hbs_text text, const char *word)
{
    size_t size = strlen(word);

    for (size_t i = 0; i + size <= text.size; i++)
        if (sqlite3_strnicmp(text.bytes + i, word, (int)size) == 0)
            return true;
    return false;
}

/* " FROM hbscore_rows". A select with an ORDER BY is not merged into a statement that calls a function, so its columns
 * would all be computed. It is merged into one that takes some of its columns, and a LIMIT keeps that one apart where a
 * WHERE stands behind it. The batch is NULL to SQL. */
static void append_rows(sqlite3_str *text, const sq_select *select, bool fill)
{
    if (!fill || (int)select->n_wanted >= select->n_columns || !sq_mentions(select->text, "order")) {
        sqlite3_str_appendall(text, " FROM " SQ_ROWS);
        return;
    }
    sqlite3_str_appendall(text, " FROM (SELECT ");
    append_columns(text, select);
    sqlite3_str_appendall(text, " FROM " SQ_ROWS " LIMIT -1) WHERE ?1 IS NULL");
}

/* The line ends: the select may end in a comment. */
static char *inner_text(sq_connection *connection, const sq_select *select, bool fill)
{
    sqlite3 *db = connection->db;
    bool store = sq_conflicts(db, select->text);
    int most = sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, -1) - 1;
    sqlite3_str *text = sqlite3_str_new(db);

#ifdef SQ_COUNTERS
    connection->stored += store;
#endif
    sqlite3_str_appendall(text, "WITH " SQ_ROWS "(");
    for (int i = 0; i < select->n_columns; i++)
        sqlite3_str_appendf(text, "%sc%d", i ? "," : "", i);
    sqlite3_str_appendf(text, ") AS %s(\n", store ? "MATERIALIZED " : "");
    sqlite3_str_append(text, select->text.bytes, (int)select->text.size);
    sqlite3_str_appendall(text, "\n) SELECT ");
    if (fill)
        append_calls(text, select, most > 0 ? (size_t)most : 1);
    else
        append_columns(text, select);
    append_rows(text, select, fill);
    return sqlite3_str_finish(text);
}

/* ------------------------------------------------------------------ opening */

void sq_feed_close(sq_feed *feed)
{
    sqlite3_finalize(feed->inner);
    sq_batch_free(feed->batch);
    feed->inner = NULL;
    feed->batch = NULL;
    feed->end = true;
}

static int prepare_select(sq_feed *feed, const sq_select *select, sq_error *error)
{
    sqlite3 *db = feed->connection->db;
    char *text = inner_text(feed->connection, select, feed->batch != NULL);
    int code;

    if (!text)
        return sq_fail_memory(error);
    code = sqlite3_prepare_v2(db, text, -1, &feed->inner, NULL);
    sqlite3_free(text);
    if (code == SQLITE_OK && feed->batch)
        code = sqlite3_bind_pointer(feed->inner, 1, feed->batch, batch_pointer, NULL);
    return code == SQLITE_OK ? SQLITE_OK : sq_fail_database(error, db, code);
}

sqlite3_int64 sq_expected_rows(sqlite3_int64 limit, sqlite3_int64 offset)
{
    if (limit < 0 || limit > SQ_BLOCK || offset > SQ_BLOCK)
        return -1;
    return offset > 0 ? limit + offset : limit;
}

static size_t first_block(const sq_batch *batch, sqlite3_int64 limit)
{
    size_t rows = limit > 0 ? (size_t)limit : FIRST_BLOCK;

    return rows < batch->capacity ? rows : batch->capacity;
}

void sq_feed_rewind(sq_feed *feed, sqlite3_int64 limit)
{
    sqlite3_reset(feed->inner);
    feed->failure.code = SQLITE_OK;
    feed->end = false;
    feed->finished = false;
    feed->row = 0;
    feed->index = SIZE_MAX; /* before the first row */
    if (feed->batch) {
        sq_device_reset(feed->batch);
        sq_batch_clear(feed->batch);
        feed->block = first_block(feed->batch, limit);
    }
}

int sq_feed_open(sq_feed *feed, const sq_select *select, sq_batch *batch, sq_error *error)
{
    int code;

    feed->batch = batch;
    code = sq_depth_enter(feed->connection, error); /* preparing may connect other tables */
    if (code == SQLITE_OK) {
        code = prepare_select(feed, select, error);
        sq_depth_leave(feed->connection);
    }
    if (code != SQLITE_OK)
        sq_feed_close(feed);
    else
        sq_feed_rewind(feed, select->limit);
    return code;
}

/* ------------------------------------------------------------------ reading */

/* One row of the inner statement; SQLITE_ROW, SQLITE_DONE, or a code and `error`. */
static int step_select(sq_feed *feed, sq_error *error)
{
    sq_connection *connection = feed->connection;
    int code = sq_depth_enter(connection, error);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(feed->inner);
    sq_depth_leave(connection);
    return code == SQLITE_ROW || code == SQLITE_DONE ? code : sq_fail_database(error, connection->db, code);
}

/* Gathers a block. An error here waits until the rows before it have been read. */
static void gather_block(sq_feed *feed)
{
    sq_batch *batch = feed->batch;

    while (!sq_batch_full(batch, feed->block) && batch->error.code == SQLITE_OK) {
        size_t before = batch->rows;
        int code = step_select(feed, &feed->failure);

        if (code != SQLITE_ROW) {
            feed->finished = true;
            return;
        }
        if (batch->rows != before + 1 && batch->error.code == SQLITE_OK)
            sq_fail(&batch->error, SQLITE_INTERNAL,
                    "internal error: a row of the inner statement did not arrive; is there "
                    "another function " SQ_FILL "?");
    }
}

static void measure_block(sq_feed *feed)
{
    const hbs_host *host = &feed->connection->host;
    uint64_t start = feed->measured ? host->nanoseconds(host->context) : 0;

    gather_block(feed);
    if (feed->measured)
        feed->fetching += host->nanoseconds(host->context) - start;
}

/* The next block, by the CPU. */
static void score_block(sq_feed *feed)
{
    sq_batch *batch = feed->batch;
    size_t most = sq_block_rows(batch->model.plan ? &batch->model : NULL);

    most = most < batch->capacity ? most : batch->capacity;
    feed->block = feed->block < most ? feed->block : most; /* blocks of the GPU were larger */
    measure_block(feed);
    sq_device_score(batch);
    feed->block = 2 * feed->block < most ? 2 * feed->block : most;
}

/* The oldest block on its way to the GPU; before it is waited for, the next one is sent. */
static void take_block(sq_feed *feed)
{
    sq_batch *batch = feed->batch;

    do {
        if (!feed->finished && sq_device_has_room(batch)) {
            measure_block(feed);
            sq_device_send(batch);
        }
    } while (!sq_device_take(batch, !feed->finished));
}

/* Behind the last row of a block: what went wrong there, the end, or the next block. */
static int next_block(sq_feed *feed, sq_error *error)
{
    sq_batch *batch = feed->batch;

    do {
        bool busy = sq_device_is_busy(batch);

        *error = batch->error.code != SQLITE_OK || busy ? batch->error : feed->failure;
        feed->end = (feed->finished && !busy) || error->code != SQLITE_OK;
        if (feed->end)
            return error->code;
        sq_batch_clear(batch);
        if (!feed->measured && sq_device_begins(batch))
            feed->block = batch->capacity;
        if (sq_device_takes(batch))
            take_block(feed);
        else
            score_block(feed);
        feed->index = 0;
    } while (batch->ready == 0);
    return SQLITE_OK;
}

int sq_feed_next(sq_feed *feed, sq_error *error)
{
    int code;

    feed->row++;
    if (feed->batch) {
        feed->index++;
        return feed->index < feed->batch->ready ? SQLITE_OK : next_block(feed, error);
    }
    code = step_select(feed, error);
    feed->end = code != SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}
