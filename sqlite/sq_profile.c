/* sq_profile.c - hbscore_profile(model, query [, function]): how long each operator of a model takes for a query's
 * rows.
 *
 *     SELECT operator, source, kernel, rows, ns FROM hbscore_profile('churn', 'SELECT id, tenure, plan FROM customers')
 *
 * The query is one for hbscore_scan: its first column is a key, the others are features. It runs once and is scored in
 * the same blocks, before the first line is given. Line 0 is the query itself; the positions between are those of
 * hbscore_plan. */
#include "sq_hbscore.h"

enum { POSITION, OPERATOR, SOURCE, KERNEL, CALLS, ROWS, NS, SHARE, BYTES, COLUMNS };

typedef struct profile_cursor {
    sq_cursor base;
    sq_feed feed;
    uint64_t rows, blocks, whole; /* nanoseconds of all of it */
    size_t next;                  /* of the run's operators */
    bool all;                     /* the line is the last one, that of everything */
    hbs_operator_time line;
} profile_cursor;

static uint64_t clock_of(const sq_connection *connection)
{
    return connection->host.nanoseconds(connection->host.context);
}

/* ------------------------------------------------------------------ running */

/* The function's name, which is predict if there is none. */
static int read_function(int argc, sqlite3_value **argv, hbs_function *function, sq_error *error)
{
    hbs_text name = {"predict", 7};
    hbs_error core;
    int code = argc > 2 ? sq_value_text(argv[2], "hbscore_profile's function", &name, error) : SQLITE_OK;

    if (code == SQLITE_OK && hbs_function_read(name, function, &core) != HBS_OK)
        code = sq_fail_core(error, &core);
    return code;
}

static int open_feed(sq_keyed *k, hbs_function function, sq_feed *feed, sq_error *error)
{
    sq_batch *batch;
    hbs_error core;
    int code = sq_keyed_batch(k, &batch, error);

    if (code != SQLITE_OK)
        return code;
    code = sq_batch_ask(batch, function, false, error);
    if (code == SQLITE_OK && hbs_run_measure(batch->run, &core) != HBS_OK)
        code = sq_fail_core(error, &core);
    if (code == SQLITE_OK)
        return sq_keyed_feed(k, batch, feed, error);
    sq_batch_free(batch);
    return code;
}

/* Scores all rows. */
static int run_query(profile_cursor *cursor, sq_error *error)
{
    sq_feed *feed = &cursor->feed;
    uint64_t start = clock_of(feed->connection);
    int code = sq_feed_next(feed, error);

    for (; code == SQLITE_OK && !feed->end; code = sq_feed_next(feed, error)) {
        cursor->blocks += feed->index == 0;
        cursor->rows++;
    }
    cursor->whole = clock_of(feed->connection) - start;
    return code;
}

/* ------------------------------------------------------------------ lines */

static void fetch_line(profile_cursor *cursor)
{
    cursor->line = (hbs_operator_time){.name = "fetch",
                                       .source = "",
                                       .calls = cursor->blocks,
                                       .rows = cursor->rows,
                                       .nanoseconds = cursor->feed.fetching};
}

/* Behind the one that is in `line`. */
static void all_line(profile_cursor *cursor)
{
    cursor->line = (hbs_operator_time){.position = cursor->line.position + 1,
                                       .name = "all",
                                       .source = "",
                                       .calls = cursor->blocks,
                                       .rows = cursor->rows,
                                       .nanoseconds = cursor->whole};
}

static int next_line(sq_cursor *base, sq_error *error)
{
    profile_cursor *cursor = (profile_cursor *)base;

    (void)error;
    base->end = cursor->all;
    if (base->end || hbs_run_time(cursor->feed.batch->run, cursor->next++, &cursor->line))
        return SQLITE_OK;
    all_line(cursor);
    cursor->all = true;
    return SQLITE_OK;
}

static int begin_profile(sq_cursor *base, int argc, sqlite3_value **argv, sq_error *error)
{
    profile_cursor *cursor = (profile_cursor *)base;
    sq_keyed k = {.connection = base->connection, .function = "hbscore_profile", .scores = true, .limit = -1};
    hbs_function function;
    int code;

    if (argc < 2)
        return sq_fail(error, SQLITE_ERROR, "%s", sq_profile.usage);
    code = read_function(argc, argv, &function, error);
    if (code == SQLITE_OK)
        code = sq_keyed_read(&k, argv[0], argv[1], error);
    if (code == SQLITE_OK)
        code = open_feed(&k, function, &cursor->feed, error);
    sq_keyed_end(&k);
    if (code == SQLITE_OK)
        code = run_query(cursor, error);
    if (code == SQLITE_OK)
        fetch_line(cursor);
    return code;
}

static void end_profile(sq_cursor *base)
{
    profile_cursor *cursor = (profile_cursor *)base;

    sq_feed_close(&cursor->feed);
    cursor->feed.measured = true;
    cursor->feed.fetching = cursor->rows = cursor->blocks = 0;
    cursor->next = 0;
    cursor->all = false;
}

/* In per cent, with two decimals. */
static double share_of(uint64_t part, uint64_t whole)
{
    return (double)(sqlite3_int64)(1e4 * (double)part / (double)whole + 0.5) / 100;
}

static const char *text_of(const hbs_operator_time *line, int index)
{
    return index == OPERATOR ? line->name : index == SOURCE ? line->source : line->kernel;
}

/* An empty text is NULL; so are the bytes of lines that are no operators of the model. */
static void profile_column(const sq_cursor *base, sqlite3_context *context, int index)
{
    const profile_cursor *cursor = (const profile_cursor *)base;
    const hbs_operator_time *line = &cursor->line;
    bool own = line->position > 0 && !cursor->all;

    if (index == POSITION)
        sqlite3_result_int(context, line->position);
    else if (index == CALLS)
        sqlite3_result_int64(context, (sqlite3_int64)line->calls);
    else if (index == ROWS)
        sqlite3_result_int64(context, (sqlite3_int64)line->rows);
    else if (index == NS)
        sqlite3_result_int64(context, (sqlite3_int64)line->nanoseconds);
    else if (index == SHARE && cursor->whole)
        sqlite3_result_double(context, share_of(line->nanoseconds, cursor->whole));
    else if (index == BYTES && own)
        sqlite3_result_int64(context, (sqlite3_int64)line->bytes);
    else if (index <= KERNEL && *text_of(line, index))
        sqlite3_result_text(context, text_of(line, index), -1, SQLITE_TRANSIENT);
}

const sq_table_function sq_profile = {
    .name = "hbscore_profile",
    .declaration = "CREATE TABLE x(position INTEGER, operator TEXT, source TEXT, kernel TEXT, calls INTEGER,"
                   " rows INTEGER, ns INTEGER, share REAL, bytes INTEGER, model HIDDEN, query HIDDEN,"
                   " function HIDDEN)",
    .columns = COLUMNS,
    .arguments = 3,
    .direct_only = true,
    .usage = "hbscore_profile takes a model and a query: hbscore_profile('churn', 'SELECT id, tenure, plan FROM "
             "customers')",
    .cursor_size = sizeof(profile_cursor),
    .begin = begin_profile,
    .next = next_line,
    .column = profile_column,
    .end = end_profile,
};
