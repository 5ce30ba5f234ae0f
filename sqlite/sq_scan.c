/* sq_scan.c - hbscore_scan(model, query): scores a query's rows in blocks.
 *
 *     SELECT key, prediction, probability FROM hbscore_scan('churn', 'SELECT id, tenure, plan FROM customers')
 *
 * The query's first column is the key, the others are features. It runs SQL text, so it is never
 * part of a view or a trigger, and the text must be one statement that only reads. */
#include "sq_hbscore.h"

#include <string.h>

enum { KEY, PREDICTION, PROBABILITY, MODEL, QUERY };

/* Bits of idxNum. */
enum { HAS_ARGUMENTS = 1, HAS_LIMIT = 2, HAS_OFFSET = 4, WANTS = 8 /* << column */ };

typedef struct scan_table {
    sqlite3_vtab base;
    sq_connection *connection; /* with a reference: the module may be destroyed first */
} scan_table;

typedef struct scan_cursor {
    sqlite3_vtab_cursor base;
    sq_feed feed;
} scan_cursor;

static int connect_scan(sqlite3 *db, void *state, int argc, const char *const *argv, sqlite3_vtab **table,
                        char **message)
{
    scan_table *made;
    int code =
        sqlite3_declare_vtab(db, "CREATE TABLE x(key, prediction, probability REAL, model HIDDEN, query HIDDEN)");

    (void)argc;
    (void)argv;
    (void)message;
    if (code != SQLITE_OK)
        return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    made = sqlite3_malloc64(sizeof(*made));
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    made->connection = state;
    made->connection->references++;
    *table = &made->base;
    return SQLITE_OK;
}

static int disconnect_scan(sqlite3_vtab *table)
{
    sq_connection_release(((scan_table *)table)->connection);
    sqlite3_free(table);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ planning */

/* Arguments of xFilter: model, query, and if they are known the LIMIT and the OFFSET. */
static int best_scan_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    enum { ARGUMENTS = 4 };
    int at[ARGUMENTS] = {-1, -1, -1, -1};
    int given = 0;

    (void)table;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];

        if (c->op == SQLITE_INDEX_CONSTRAINT_LIMIT && c->usable && info->nOrderBy == 0)
            at[2] = i;
        else if (c->op == SQLITE_INDEX_CONSTRAINT_OFFSET && c->usable && info->nOrderBy == 0)
            at[3] = i;
        else if (c->op == SQLITE_INDEX_CONSTRAINT_EQ && c->iColumn >= MODEL) {
            if (!c->usable)
                return SQLITE_CONSTRAINT; /* it comes from a table not read yet */
            at[c->iColumn - MODEL] = i;
        }
    }
    for (int i = 0; i < ARGUMENTS; i++) {
        if (at[i] < 0)
            continue;
        info->aConstraintUsage[at[i]].argvIndex = ++given;
        info->aConstraintUsage[at[i]].omit = i < 2; /* a limit is a hint only */
    }
    info->idxNum = (at[0] >= 0 && at[1] >= 0 ? HAS_ARGUMENTS : 0) | (at[2] >= 0 ? HAS_LIMIT : 0) |
                   (at[3] >= 0 ? HAS_OFFSET : 0) | (int)(info->colUsed & 7) * WANTS;
    /* SQLite asks also about parts of an OR, which have no arguments: never a plan. */
    info->estimatedCost = info->idxNum & HAS_ARGUMENTS ? 1e6 : 1e30;
    info->estimatedRows = 1000000;
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ opening */

static sqlite3_int64 expected_rows(int number, int argc, sqlite3_value **argv)
{
    if (!(number & HAS_ARGUMENTS))
        return -1;
    return sq_expected_rows(number & HAS_LIMIT ? sqlite3_value_int64(argv[2]) : -1,
                            number & HAS_OFFSET ? sqlite3_value_int64(argv[argc - 1]) : 0);
}

static int open_feed(sq_keyed *k, bool probability, sq_feed *feed, sq_error *error)
{
    sq_batch *batch;
    int code = sq_keyed_batch(k, &batch, error);

    if (code != SQLITE_OK)
        return code;
    if (k->scores)
        code = sq_batch_ask(batch, HBS_PREDICT, probability, error);
    if (code != SQLITE_OK) {
        sq_batch_free(batch);
        return code;
    }
    return sq_keyed_feed(k, batch, feed, error);
}

static int open_scan(sq_keyed *k, int number, sq_feed *feed, sqlite3_value **argv, sq_error *error)
{
    int code;

    if (!(number & HAS_ARGUMENTS))
        return sq_fail(error, SQLITE_ERROR,
                       "hbscore_scan takes a model and a query: hbscore_scan('churn', 'SELECT id, "
                       "tenure, plan FROM customers')");
    code = sq_keyed_read(k, argv[0], argv[1], error);
    if (code == SQLITE_OK)
        code = open_feed(k, number & WANTS << PROBABILITY, feed, error);
    if (code == SQLITE_OK)
        code = sq_feed_next(feed, error);
    return code;
}

/* ------------------------------------------------------------------ the cursor */

static int open_scan_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    scan_cursor *made = sqlite3_malloc64(sizeof(*made));

    (void)table;
    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_scan_cursor(sqlite3_vtab_cursor *base)
{
    scan_cursor *cursor = (scan_cursor *)base;

    sq_feed_close(&cursor->feed);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int filter_scan(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
    scan_cursor *cursor = (scan_cursor *)base;
    sq_connection *connection = ((scan_table *)base->pVtab)->connection;
    sq_keyed k = {.connection = connection,
                  .function = "hbscore_scan",
                  .key = number & WANTS << KEY,
                  .scores = number & (WANTS << PREDICTION | WANTS << PROBABILITY),
                  .limit = expected_rows(number, argc, argv)};
    sq_error error;
    int code;

    (void)text;
    sq_feed_close(&cursor->feed);
    code = open_scan(&k, number, &cursor->feed, argv, &error);
    sq_keyed_end(&k);
    return code == SQLITE_OK ? code : sq_report_table(base->pVtab, &error);
}

static int next_scan_row(sqlite3_vtab_cursor *base)
{
    sq_error error;

    if (sq_feed_next(&((scan_cursor *)base)->feed, &error) != SQLITE_OK)
        return sq_report_table(base->pVtab, &error);
    return SQLITE_OK;
}

static int scan_at_end(sqlite3_vtab_cursor *base)
{
    return ((scan_cursor *)base)->feed.end;
}

static int scan_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    const sq_feed *feed = &((scan_cursor *)base)->feed;

    if (index == KEY)
        sq_result_cell(context, &feed->batch->cells[feed->index]);
    else if (index == PREDICTION)
        sq_result_prediction(context, feed->batch, feed->index);
    else if (index == PROBABILITY)
        sq_result_probability(context, feed->batch, feed->index);
    return SQLITE_OK; /* the hidden arguments read as NULL */
}

static int scan_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = ((scan_cursor *)base)->feed.row;
    return SQLITE_OK;
}

const sqlite3_module sq_scan_module = {
    .xConnect = connect_scan, /* no xCreate: eponymous only */
    .xDisconnect = disconnect_scan,
    .xBestIndex = best_scan_index,
    .xOpen = open_scan_cursor,
    .xClose = close_scan_cursor,
    .xFilter = filter_scan,
    .xNext = next_scan_row,
    .xEof = scan_at_end,
    .xColumn = scan_column,
    .xRowid = scan_rowid,
};
