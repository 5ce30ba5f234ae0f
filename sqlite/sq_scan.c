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

/* ------------------------------------------------------------------ the query */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Behind spaces and comments. */
static const char *skip_blanks(const char *text, const char *end)
{
    while (text < end) {
        if (is_space(*text)) {
            text++;
        } else if (end - text > 1 && text[0] == '-' && text[1] == '-') {
            while (text < end && *text != '\n')
                text++;
        } else if (end - text > 1 && text[0] == '/' && text[1] == '*') {
            for (text += 2; text < end && !(end - text > 1 && text[0] == '*' && text[1] == '/');)
                text++;
            text = end - text > 1 ? text + 2 : end;
        } else {
            break;
        }
    }
    return text;
}

/* Asked before anything is prepared: SQLite runs many a PRAGMA while it prepares it. */
static int check_beginning(const hbs_text *query, sq_error *error)
{
    static const char *const beginnings[] = {"SELECT", "VALUES", "WITH"};
    const char *end = query->bytes + query->size;
    const char *word = skip_blanks(query->bytes, end);
    size_t size = 0;
    host_shown shown;

    while (word + size < end && (word[size] | 0x20) >= 'a' && (word[size] | 0x20) <= 'z')
        size++;
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
        if (strlen(beginnings[i]) == size && sqlite3_strnicmp(word, beginnings[i], (int)size) == 0)
            return SQLITE_OK;
    if (word == end)
        return sq_fail(error, SQLITE_ERROR, "hbscore_scan: the query is empty");
    return sq_fail(error, SQLITE_ERROR, "hbscore_scan: the query begins with \"%s\": it takes a SELECT, VALUES or WITH",
                   host_show(&shown, word, size ? size : 1));
}

/* Leaves the first statement of `query`, without a ';' at its end; behind it there may be comments
 * only. */
static int check_tail(hbs_text *query, const char *tail, sq_error *error)
{
    const char *end = query->bytes + query->size;
    const char *more = tail;

    while ((more = skip_blanks(more, end)) < end && *more == ';')
        more++;
    if (more < end)
        return sq_fail(error, SQLITE_ERROR, "hbscore_scan takes one statement, and there is more behind it");
    while (tail > query->bytes && (is_space(tail[-1]) || tail[-1] == ';'))
        tail--;
    query->size = (size_t)(tail - query->bytes);
    return SQLITE_OK;
}

static int check_statement(sqlite3_stmt *statement, sq_error *error)
{
    const char *why = NULL;

    if (!sqlite3_stmt_readonly(statement))
        why = "the query writes, and a scan only reads";
    else if (sqlite3_column_count(statement) < 2)
        why = "the query has one column: it takes a key and then the features";
    else if (sqlite3_bind_parameter_count(statement) > 0)
        why = "the query has parameters, which cannot be bound: write values into it, as "
              "printf('... > %d', ?)";
    return why ? sq_fail(error, SQLITE_ERROR, "hbscore_scan: %s", why) : SQLITE_OK;
}

/* The places of the features in the query: behind that of the key, which is 0. */
static int match_columns(sqlite3_stmt *statement, const sq_found *model, int *wanted, sq_error *error)
{
    int n = sqlite3_column_count(statement) - 1;
    hbs_text *names = sqlite3_malloc64((sqlite3_uint64)n * sizeof(*names));
    int code = names ? SQLITE_OK : sq_fail_memory(error);

    for (int i = 0; code == SQLITE_OK && i < n; i++) {
        names[i].bytes = sqlite3_column_name(statement, i + 1);
        if (names[i].bytes)
            names[i].size = strlen(names[i].bytes);
        else
            code = sq_fail_memory(error);
    }
    if (code == SQLITE_OK)
        code = sq_features_match(model, names, n, wanted + 1, error);
    sqlite3_free(names);
    for (size_t f = 1; code == SQLITE_OK && f <= model->plan->info.features; f++)
        wanted[f]++;
    return code;
}

/* ------------------------------------------------------------------ opening */

typedef struct opening {
    sq_connection *connection;
    int number; /* idxNum */
    sq_found model;
    hbs_text query;
    sqlite3_stmt *statement; /* the query by itself: for checks and names, never run */
    int *wanted;             /* the key's place and the features' */
    sqlite3_int64 limit;
} opening;

static bool has_score_columns(const opening *o)
{
    return o->number & (WANTS << PREDICTION | WANTS << PROBABILITY);
}

static sqlite3_int64 expected_rows(int number, int argc, sqlite3_value **argv)
{
    if (!(number & HAS_ARGUMENTS))
        return -1;
    return sq_expected_rows(number & HAS_LIMIT ? sqlite3_value_int64(argv[2]) : -1,
                            number & HAS_OFFSET ? sqlite3_value_int64(argv[argc - 1]) : 0);
}

static int read_query(opening *o, sq_error *error)
{
    sqlite3 *db = o->connection->db;
    const char *tail = NULL;
    int code = check_beginning(&o->query, error);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_prepare_v2(db, o->query.bytes, (int)o->query.size, &o->statement, &tail);
    if (code != SQLITE_OK)
        return sq_fail_database(error, db, code);
    code = check_statement(o->statement, error);
    if (code == SQLITE_OK)
        code = check_tail(&o->query, tail, error);
    if (code == SQLITE_OK && sq_mentions(o->query, SQ_ROWS))
        code = sq_fail(error, SQLITE_ERROR, "hbscore_scan: the query has the word " SQ_ROWS ", which is hbscore's own");
    if (code != SQLITE_OK)
        return code;
    o->wanted = sqlite3_malloc64((o->model.plan->info.features + 1) * sizeof(*o->wanted));
    if (!o->wanted)
        return sq_fail_memory(error);
    o->wanted[0] = 0;
    return match_columns(o->statement, &o->model, o->wanted, error);
}

/* Leaves the wanted columns that the batch has a use for: the key if it is carried, then the features that are used. */
static void want_used(opening *o, const sq_batch *batch, sq_select *select)
{
    int *features = o->wanted + 1;

    for (size_t i = 0; i < batch->n_used; i++)
        features[i] = features[batch->used[i]];
    select->wanted = features - batch->n_carried;
    select->n_wanted = batch->n_carried + batch->n_used;
}

/* Takes over the pin of o->model. */
static int open_feed(opening *o, sq_feed *feed, sq_error *error)
{
    bool key = o->number & WANTS << KEY;
    sq_select select = {.text = o->query, .n_columns = sqlite3_column_count(o->statement), .limit = o->limit};
    sq_batch *batch;
    int code =
        sq_batch_new(o->connection, &o->model, key, has_score_columns(o), sq_block_rows(&o->model), &batch, error);

    o->model.plan = NULL;
    if (code != SQLITE_OK)
        return code;
    feed->connection = o->connection;
    if (has_score_columns(o))
        code = sq_batch_ask(batch, HBS_PREDICT, o->number & WANTS << PROBABILITY, error);
    if (code != SQLITE_OK) {
        sq_batch_free(batch);
        return code;
    }
    want_used(o, batch, &select);
    return sq_feed_open(feed, &select, batch, error);
}

static int open_scan(opening *o, sq_feed *feed, sqlite3_value **argv, sq_error *error)
{
    hbs_text reference;
    int code;

    if (!(o->number & HAS_ARGUMENTS))
        return sq_fail(error, SQLITE_ERROR,
                       "hbscore_scan takes a model and a query: hbscore_scan('churn', 'SELECT id, "
                       "tenure, plan FROM customers')");
    code = sq_value_text(argv[0], "a model reference", &reference, error);
    if (code == SQLITE_OK)
        code = sq_value_text(argv[1], "hbscore_scan's query", &o->query, error);
    if (code == SQLITE_OK)
        code = sq_models_find(o->connection, "main", reference, &o->model, error);
    if (code == SQLITE_OK)
        code = read_query(o, error);
    if (code == SQLITE_OK)
        code = open_feed(o, feed, error);
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
    opening o = {.connection = connection, .number = number, .limit = expected_rows(number, argc, argv)};
    sq_error error;
    int code;

    (void)text;
    sq_feed_close(&cursor->feed);
    code = open_scan(&o, &cursor->feed, argv, &error);
    sqlite3_finalize(o.statement);
    sqlite3_free(o.wanted);
    if (o.model.plan)
        host_cache_unpin(&connection->plans, o.model.plan);
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
