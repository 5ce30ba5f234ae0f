/* sq_vtab.c - CREATE VIRTUAL TABLE t USING hbscore(model='churn', source='customers').
 *
 * A table that has the source's columns and behind them `prediction` and `probability`, scored in
 * blocks. Nothing is stored: each query reads the source. Nothing is scored if no score column is
 * read. sq_pushdown.c decides which parts of a query go to the source. Read-only. */
#include "sq_hbscore.h"

#include <string.h>

typedef struct scored_table {
    sqlite3_vtab base;
    sq_connection *connection; /* with a reference: the module may be destroyed first */
    char *model;               /* reference */
    char *schema;              /* whose models */
    sq_source source;
    sq_choices choices;
} scored_table;

typedef struct scored_cursor {
    sqlite3_vtab_cursor base;
    sq_feed feed;
    const sq_choice *choice; /* of the feed */
    char *text;              /* its SELECT */
    sq_found model;          /* from the first scan on: a statement keeps its version */
    int *features;           /* the source's column for each feature of the model */
    int most_in;             /* values of an IN that go inside */
    int *places;             /* a column's place in the inner SELECT; -1: it is not there */
} scored_cursor;

/* ------------------------------------------------------------------ arguments */

/* model='churn', model="churn" or model=churn; false: no such argument. *value must be freed. */
static bool read_argument(const char *argument, const char *name, char **value)
{
    size_t n = strlen(name);
    char quote;
    char *to;

    argument += strspn(argument, " \t\r\n");
    if (sqlite3_strnicmp(argument, name, (int)n) != 0)
        return false;
    argument += n + strspn(argument + n, " \t\r\n");
    if (*argument != '=')
        return false;
    argument += 1 + strspn(argument + 1, " \t\r\n");
    quote = *argument == '\'' || *argument == '"' ? *argument++ : 0;
    *value = to = sqlite3_malloc64(strlen(argument) + 1);
    if (!to)
        return true;
    while (*argument && !(quote && *argument == quote && argument[1] != quote)) {
        if (quote && *argument == quote)
            argument++; /* two are one */
        *to++ = *argument++;
    }
    while (!quote && to > *value && strchr(" \t\r\n", to[-1]))
        to--;
    *to = 0;
    return true;
}

static int read_arguments(scored_table *table, int argc, const char *const *argv, char **source, sq_error *error)
{
    for (int i = 3; i < argc; i++) {
        char **to = NULL;

        if (!table->model && read_argument(argv[i], "model", &table->model))
            to = &table->model;
        else if (!*source && read_argument(argv[i], "source", source))
            to = source;
        if (!to)
            return sq_fail(error, SQLITE_ERROR, "hbscore takes model= and source=, each once, not %.100s", argv[i]);
        if (!*to)
            return sq_fail_memory(error);
    }
    if (!table->model || !*source)
        return sq_fail(error, SQLITE_ERROR,
                       "hbscore takes a model and a table or view: USING "
                       "hbscore(model='churn', source='customers')");
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ connecting */

static int declare_scored(sqlite3 *db, const sq_source *source, sq_error *error)
{
    static const char *const types[] = {[SQ_AFFINITY_NONE] = "",
                                        [SQ_AFFINITY_TEXT] = "TEXT",
                                        [SQ_AFFINITY_INTEGER] = "INTEGER",
                                        [SQ_AFFINITY_REAL] = "REAL",
                                        [SQ_AFFINITY_NUMERIC] = "NUMERIC"};
    sqlite3_str *text = sqlite3_str_new(db);
    char *sql;
    int code;

    sqlite3_str_appendall(text, "CREATE TABLE x(");
    for (int i = 0; i < source->n_columns; i++) {
        const sq_source_column *column = &source->columns[i];

        sqlite3_str_appendf(text, "\"%w\" %s COLLATE \"%w\", ", column->name, types[column->affinity],
                            column->collation);
    }
    sqlite3_str_appendall(text, "prediction, probability REAL)");
    sql = sqlite3_str_finish(text);
    if (!sql)
        return sq_fail_memory(error);
    code = sqlite3_declare_vtab(db, sql);
    sqlite3_free(sql);
    return code == SQLITE_OK ? code : sq_fail_database(error, db, code);
}

static int check_names(const sq_source *source, sq_error *error)
{
    for (int i = 0; i < source->n_columns; i++) {
        const char *name = source->columns[i].name;

        if (sqlite3_stricmp(name, "prediction") == 0 || sqlite3_stricmp(name, "probability") == 0)
            return sq_fail(error, SQLITE_ERROR,
                           "%s has a column \"%s\", as the scores have: a view can name it otherwise", source->name,
                           name);
    }
    return SQLITE_OK;
}

/* A model and a source that are not there are errors when the table is made; later only when it is
 * read, so that it can be dropped. */
static int check_new(scored_table *table, sq_error *error)
{
    hbs_text reference = {table->model, strlen(table->model)};
    sq_found model;
    int code;

    if (!table->source.exists)
        return sq_fail(error, SQLITE_ERROR, "no table or view \"%s\" in %s", table->source.name, table->schema);
    code = sq_models_find(table->connection, table->schema, reference, &model, error);
    if (code == SQLITE_OK)
        host_cache_unpin(&table->connection->plans, model.plan);
    return code;
}

/* Tables can stand in each other's sources, by way of views. */
static int read_source(scored_table *table, const char *schema, const char *name, sq_error *error)
{
    sq_connection *connection = table->connection;
    int code = sq_depth_enter(connection, error);

    if (code != SQLITE_OK)
        return code;
    code = sq_source_read(connection->db, schema, name, &table->source, error);
    sq_depth_leave(connection);
    return code;
}

static int fill_table(scored_table *table, bool is_new, int argc, const char *const *argv, sq_error *error)
{
    bool temp = sqlite3_stricmp(argv[1], "temp") == 0;
    char *source = NULL;
    int code = read_arguments(table, argc, argv, &source, error);

    if (code == SQLITE_OK) {
        table->schema = sqlite3_mprintf("%s", temp ? "main" : argv[1]);
        code = table->schema ? read_source(table, argv[1], source, error) : sq_fail_memory(error);
    }
    sqlite3_free(source);
    if (code == SQLITE_OK)
        code = check_names(&table->source, error);
    if (code == SQLITE_OK && is_new)
        code = check_new(table, error);
    return code;
}

static int disconnect_scored(sqlite3_vtab *base)
{
    scored_table *table = (scored_table *)base;

    for (int i = 0; i < table->choices.count; i++)
        sq_choice_free(table->choices.list[i]);
    sqlite3_free(table->choices.list);
    sq_source_free(&table->source);
    sqlite3_free(table->model);
    sqlite3_free(table->schema);
    sq_connection_release(table->connection);
    sqlite3_free(table);
    return SQLITE_OK;
}

static int make_table(sqlite3 *db, void *state, bool is_new, int argc, const char *const *argv, sqlite3_vtab **made,
                      char **message)
{
    scored_table *table = sqlite3_malloc64(sizeof(*table));
    sq_error error;
    int code;

    if (!table)
        return SQLITE_NOMEM;
    memset(table, 0, sizeof(*table));
    table->connection = state;
    table->connection->references++;
    code = fill_table(table, is_new, argc, argv, &error);
    if (code == SQLITE_OK)
        code = declare_scored(db, &table->source, &error);
    if (code != SQLITE_OK) {
        *message = sqlite3_mprintf("%s", error.text);
        disconnect_scored(&table->base);
        return code;
    }
    *made = &table->base;
    return SQLITE_OK;
}

static int create_table(sqlite3 *db, void *state, int argc, const char *const *argv, sqlite3_vtab **table,
                        char **message)
{
    return make_table(db, state, true, argc, argv, table, message);
}

static int connect_scored(sqlite3 *db, void *state, int argc, const char *const *argv, sqlite3_vtab **table,
                          char **message)
{
    return make_table(db, state, false, argc, argv, table, message);
}

static int best_scored_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    scored_table *table = (scored_table *)base;

    return sq_choose(&table->source, &table->choices, info);
}

/* ------------------------------------------------------------------ the model of a cursor */

static int match_features(scored_cursor *cursor, const sq_source *source, sq_error *error)
{
    size_t n = (size_t)source->n_columns;
    hbs_text *names = sqlite3_malloc64((n + 1) * sizeof(*names));
    int *features = sqlite3_malloc64(cursor->model.plan->info.features * sizeof(*features));
    int code = SQLITE_OK;

    if (!names || !features)
        code = sq_fail_memory(error);
    for (size_t i = 0; code == SQLITE_OK && i < n; i++)
        names[i] = (hbs_text){source->columns[i].name, strlen(source->columns[i].name)};
    if (code == SQLITE_OK)
        code = sq_features_match(&cursor->model, names, (int)n, features, error);
    sqlite3_free(names);
    if (code == SQLITE_OK)
        cursor->features = features;
    else
        sqlite3_free(features);
    return code;
}

static int find_model(scored_cursor *cursor, const scored_table *table, sq_error *error)
{
    hbs_text reference = {table->model, strlen(table->model)};
    int code;

    if (cursor->features)
        return SQLITE_OK;
    code = cursor->model.plan ? SQLITE_OK
                              : sq_models_find(table->connection, table->schema, reference, &cursor->model, error);
    return code == SQLITE_OK ? match_features(cursor, &table->source, error) : code;
}

/* ------------------------------------------------------------------ the inner SELECT */

/* A value that xFilter got goes with its term only where that loses no row (sq_pushdown.c). */
static bool term_fits(const sq_term *term, sqlite3_value *value)
{
    int type = sqlite3_value_type(value);

    return !term->text_only || type == SQLITE_TEXT || type == SQLITE_NULL;
}

enum { MOST_IN = 1000 }; /* values of one IN: SQLite sorts out more by itself */

/* As many as the statement may have parameters for. */
static int most_in(sqlite3 *db, const sq_choice *choice)
{
    int left = sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, -1) - 1 - (int)choice->n_terms;
    int lists = 0;

    for (size_t i = 0; i < choice->n_terms; i++)
        lists += choice->terms[i].in;
    if (lists)
        left /= lists;
    return left < MOST_IN ? left : MOST_IN;
}

/* The count of an IN's values, -1 where they do not go inside. */
static int count_in(const sq_term *term, sqlite3_value *list, int most)
{
    sqlite3_value *value = NULL;
    int count = 0;

    for (int code = sqlite3_vtab_in_first(list, &value); code == SQLITE_OK && value;
         code = sqlite3_vtab_in_next(list, &value))
        if (!term_fits(term, value) || ++count > most)
            return -1;
    return count;
}

/* Appends the term; *parameters is the number of the last one used. */
static void append_term(sqlite3_str *text, const sq_source *source, const sq_term *term, sqlite3_value *value, int most,
                        int *parameters, int *terms)
{
    const char *name = source->columns[term->column].name;
    int count = term->in ? count_in(term, value, most) : term_fits(term, value) ? 1 : -1;

    if (count < 0 && !term->tests_null)
        return;
    sqlite3_str_appendf(text, "%s s.\"%w\"", (*terms)++ ? " AND" : " WHERE", name);
    if (term->tests_null) {
        sqlite3_str_appendf(text, " %s", term->sql);
    } else if (term->in) {
        sqlite3_str_appendf(text, " COLLATE \"%w\" IN (", term->collation);
        for (int i = 0; i < count; i++)
            sqlite3_str_appendf(text, "%s?%d", i ? "," : "", ++*parameters);
        sqlite3_str_appendall(text, ")");
    } else {
        sqlite3_str_appendf(text, " %s ?%d", term->sql, ++*parameters);
        if (term->collation)
            sqlite3_str_appendf(text, " COLLATE \"%w\"", term->collation);
    }
}

/* Columns are named with their table: a bare name that is none would be taken for a text. */
static void append_column(sqlite3_str *text, const sq_source *source, int column, size_t place)
{
    sqlite3_str_appendf(text, "%ss.\"%w\"", place ? ", " : "", source->columns[column].name);
}

/* The source's column for each feature that is used, in the order of the batch's columns. */
static int used_column(const scored_cursor *cursor, size_t i)
{
    return cursor->features[cursor->feed.batch->used[i]];
}

static size_t count_used(const scored_cursor *cursor)
{
    return cursor->feed.batch ? cursor->feed.batch->n_used : 0;
}

/* The columns that are carried, the row's own number, then the used features that are not there yet: no
 * column twice, so that they are never more than a table may have. Returns their count. */
static size_t set_places(scored_cursor *cursor, const sq_source *source, const sq_choice *choice)
{
    size_t n = 0;

    for (int i = 0; i < source->n_columns; i++)
        cursor->places[i] = -1;
    for (size_t i = 0; i < choice->n_carried; i++)
        cursor->places[choice->carried[i]] = (int)n++;
    n += source->rowid != NULL;
    for (size_t i = 0; i < count_used(cursor); i++) {
        int *place = &cursor->places[used_column(cursor, i)];

        if (*place < 0)
            *place = (int)n++;
    }
    return n;
}

static char *write_select(const scored_cursor *cursor, const sq_source *source, const sq_choice *choice,
                          sqlite3_value **argv)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    int parameters = 1; /* ?1 is the batch */
    int terms = 0;
    size_t n = 0;

    sqlite3_str_appendall(text, "SELECT ");
    for (size_t i = 0; i < choice->n_carried; i++)
        append_column(text, source, choice->carried[i], n++);
    if (source->rowid)
        sqlite3_str_appendf(text, "%ss.%s", n++ ? ", " : "", source->rowid);
    for (size_t i = 0; i < count_used(cursor); i++)
        if (cursor->places[used_column(cursor, i)] == (int)n)
            append_column(text, source, used_column(cursor, i), n++);
    if (n == 0)
        sqlite3_str_appendall(text, "NULL");
    sqlite3_str_appendf(text, " FROM \"%w\".\"%w\" AS s", source->schema, source->name);
    for (size_t i = 0; i < choice->n_terms; i++)
        append_term(text, source, &choice->terms[i], argv[choice->terms[i].argument], cursor->most_in, &parameters,
                    &terms);
    sq_append_order(text, source, choice);
    return sqlite3_str_finish(text);
}

static int bind_term(sqlite3_stmt *inner, const sq_term *term, sqlite3_value *value, int most, int *parameters)
{
    sqlite3_value *one = NULL;
    int code = SQLITE_OK;

    if (term->tests_null)
        return code;
    if (!term->in)
        return term_fits(term, value) ? sqlite3_bind_value(inner, ++*parameters, value) : code;
    if (count_in(term, value, most) < 0)
        return code;
    for (code = sqlite3_vtab_in_first(value, &one); code == SQLITE_OK && one;
         code = sqlite3_vtab_in_next(value, &one)) {
        int bound = sqlite3_bind_value(inner, ++*parameters, one);

        if (bound != SQLITE_OK)
            return bound;
    }
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int bind_terms(const scored_cursor *cursor, const sq_choice *choice, sqlite3_value **argv, sq_error *error)
{
    const sq_feed *feed = &cursor->feed;
    int parameters = 1;
    int code = SQLITE_OK;

    for (size_t i = 0; code == SQLITE_OK && i < choice->n_terms; i++)
        code = bind_term(feed->inner, &choice->terms[i], argv[choice->terms[i].argument], cursor->most_in, &parameters);
    return code == SQLITE_OK ? code : sq_fail_database(error, feed->connection->db, code);
}

/* ------------------------------------------------------------------ opening */

static sqlite3_int64 expected_rows(const sq_choice *choice, sqlite3_value **argv)
{
    sqlite3_int64 limit = choice->limit >= 0 ? sqlite3_value_int64(argv[choice->limit]) : -1;
    sqlite3_int64 offset = choice->offset >= 0 ? sqlite3_value_int64(argv[choice->offset]) : 0;

    return sq_expected_rows(limit, offset);
}

/* How many cells of a row are only carried from the source, not scored. */
static size_t count_carried(const sq_source *source, const sq_choice *choice)
{
    return choice->n_carried + (source->rowid != NULL);
}

/* The feed's batch for the choice, with its own pin of the cursor's model. */
static int make_batch(scored_cursor *cursor, const sq_source *source, const sq_choice *choice, sq_error *error)
{
    sq_feed *feed = &cursor->feed;
    int code;

    cursor->model.plan->pins++;
    code = sq_batch_new(feed->connection, &cursor->model, count_carried(source, choice), true,
                        sq_block_rows(&cursor->model), &feed->batch, error);
    if (code == SQLITE_OK)
        code = sq_batch_ask(feed->batch, HBS_PREDICT, choice->probability, error);
    if (code != SQLITE_OK)
        sq_feed_close(feed);
    return code;
}

#define READ_AGAIN "open the database again, or run PRAGMA writable_schema=RESET"

/* The source's columns are known from when this connection first met the table. */
static int explain_change(const scored_table *table, sq_error *error)
{
    sq_error inner = *error;

    if (inner.code != SQLITE_ERROR ||
        (strncmp(inner.text, "no such column", 14) != 0 && strncmp(inner.text, "no such table", 13) != 0))
        return inner.code;
    return sq_fail(error, SQLITE_ERROR, "%s is not as it was when the virtual table was opened (%s): " READ_AGAIN,
                   table->source.name, inner.text);
}

/* There was no source then; is there one now? */
static int explain_absence(const scored_table *table, sq_error *error)
{
    sq_source now;
    int code = sq_source_read(table->connection->db, table->source.schema, table->source.name, &now, error);

    if (code == SQLITE_OK)
        code = sq_fail(error, SQLITE_ERROR, "no table or view \"%s\"%s, which this table scores%s", table->source.name,
                       now.exists ? " when this table was opened" : "", now.exists ? ": " READ_AGAIN : "");
    sq_source_free(&now);
    return code;
}

/* wanted[i] is the place of a row's cell i in the inner SELECT, places[i] the batch's column that it goes to:
 * a column that is both carried and a feature is one cell. Returns the count of cells. */
static size_t arrange_columns(const scored_cursor *cursor, size_t n_carried, int *wanted, int *places)
{
    size_t n = 0;

    for (; n < n_carried; n++) {
        wanted[n] = (int)n;
        places[n] = -1;
    }
    for (size_t i = 0; i < count_used(cursor); i++) {
        int place = cursor->places[used_column(cursor, i)];

        if ((size_t)place < n_carried && places[place] < 0) {
            places[place] = (int)i;
        } else {
            wanted[n] = place;
            places[n++] = (int)i;
        }
    }
    return n;
}

/* The feed has its batch already, if the choice scores. */
static int open_feed(scored_cursor *cursor, const scored_table *table, const sq_choice *choice, size_t n_columns,
                     sqlite3_int64 limit, sq_error *error)
{
    sq_feed *feed = &cursor->feed;
    size_t n_carried = count_carried(&table->source, choice);
    size_t most = n_carried + count_used(cursor) + 1;
    int *wanted = sqlite3_malloc64(most * sizeof(*wanted));
    int *places = sqlite3_malloc64(most * sizeof(*places));
    sq_select select = {.text = {cursor->text, strlen(cursor->text)},
                        .n_columns = n_columns ? (int)n_columns : 1,
                        .wanted = wanted,
                        .limit = limit};
    int code = wanted && places ? SQLITE_OK : sq_fail_memory(error);

    sqlite3_finalize(feed->inner);
    feed->inner = NULL;
    if (code == SQLITE_OK)
        select.n_wanted = arrange_columns(cursor, n_carried, wanted, places);
    if (code == SQLITE_OK && feed->batch) {
        sq_batch_arrange(feed->batch, places, select.n_wanted);
        places = NULL;
    }
    if (code == SQLITE_OK) {
        code = sq_feed_open(feed, &select, feed->batch, error);
        if (code != SQLITE_OK)
            code = explain_change(table, error);
    }
    sqlite3_free(places);
    sqlite3_free(wanted);
    return code;
}

/* Sees to it that the feed is none of another choice, and has its batch if this one scores. */
static int choose(scored_cursor *cursor, const scored_table *table, const sq_choice *choice, sq_error *error)
{
    bool scores = choice->prediction || choice->probability;
    int code = scores ? find_model(cursor, table, error) : SQLITE_OK;

    if (code == SQLITE_OK && cursor->choice != choice) {
        sq_feed_close(&cursor->feed);
        cursor->choice = choice;
    }
    return code == SQLITE_OK && scores && !cursor->feed.batch ? make_batch(cursor, &table->source, choice, error)
                                                              : code;
}

/* As often as an outer row asks for its inner ones: then the same statement runs again. */
static int start_scan(scored_cursor *cursor, const scored_table *table, const sq_choice *choice, sqlite3_value **argv,
                      sq_error *error)
{
    size_t n_columns;
    char *text;
    int code = choose(cursor, table, choice, error);

    if (code != SQLITE_OK)
        return code;
    cursor->most_in = most_in(table->connection->db, choice);
    n_columns = set_places(cursor, &table->source, choice);
    text = write_select(cursor, &table->source, choice, argv);
    if (!text)
        return sq_fail_memory(error);
    if (cursor->feed.inner && strcmp(cursor->text, text) == 0) {
        sqlite3_free(text);
        sq_feed_rewind(&cursor->feed, expected_rows(choice, argv));
    } else {
        sqlite3_free(cursor->text);
        cursor->text = text;
        code = open_feed(cursor, table, choice, n_columns, expected_rows(choice, argv), error);
    }
    if (code == SQLITE_OK)
        code = bind_terms(cursor, choice, argv, error);
    return code == SQLITE_OK ? sq_feed_next(&cursor->feed, error) : code;
}

/* ------------------------------------------------------------------ the cursor */

static int open_scored_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **cursor)
{
    const scored_table *table = (const scored_table *)base;
    scored_cursor *made = sqlite3_malloc64(sizeof(*made));

    if (!made)
        return SQLITE_NOMEM;
    memset(made, 0, sizeof(*made));
    made->places = sqlite3_malloc64(((sqlite3_uint64)table->source.n_columns + 1) * sizeof(int));
    if (!made->places) {
        sqlite3_free(made);
        return SQLITE_NOMEM;
    }
    made->feed.connection = table->connection;
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_scored_cursor(sqlite3_vtab_cursor *base)
{
    scored_cursor *cursor = (scored_cursor *)base;
    sq_connection *connection = ((scored_table *)base->pVtab)->connection;

    sq_feed_close(&cursor->feed);
    if (cursor->model.plan)
        host_cache_unpin(&connection->plans, cursor->model.plan);
    sqlite3_free(cursor->features);
    sqlite3_free(cursor->places);
    sqlite3_free(cursor->text);
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int filter_scored(sqlite3_vtab_cursor *base, int number, const char *text, int argc, sqlite3_value **argv)
{
    const scored_table *table = (const scored_table *)base->pVtab;
    sq_error error;
    int code;

    (void)text;
    (void)argc;
    if (!table->source.exists)
        code = explain_absence(table, &error);
    else
        code = start_scan((scored_cursor *)base, table, table->choices.list[number], argv, &error);
    return code == SQLITE_OK ? code : sq_report_table(base->pVtab, &error);
}

static int next_scored_row(sqlite3_vtab_cursor *base)
{
    sq_error error;

    if (sq_feed_next(&((scored_cursor *)base)->feed, &error) != SQLITE_OK)
        return sq_report_table(base->pVtab, &error);
    return SQLITE_OK;
}

static int scored_at_end(sqlite3_vtab_cursor *base)
{
    return ((scored_cursor *)base)->feed.end;
}

static int scored_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
    const scored_cursor *cursor = (const scored_cursor *)base;
    const sq_feed *feed = &cursor->feed;
    const sq_batch *batch = feed->batch;
    int n = ((const scored_table *)base->pVtab)->source.n_columns;
    int place = index < n ? cursor->places[index] : -1;

    if (place >= (int)cursor->choice->n_carried)
        place = -1; /* a feature that nobody reads */
    if (place >= 0 && batch)
        sq_result_cell(context, &batch->cells[(size_t)place * batch->capacity + feed->index]);
    else if (place >= 0)
        sqlite3_result_value(context, sqlite3_column_value(feed->inner, place));
    else if (index == n && batch)
        sq_result_prediction(context, batch, feed->index);
    else if (index == n + 1 && batch)
        sq_result_probability(context, batch, feed->index);
    return SQLITE_OK; /* a column that nobody reads: NULL */
}

/* The source's own: by it SQLite knows a row again that several scans meet, for OR and for RIGHT
 * JOIN. The number of a row in its scan would be another row's in the next scan. */
static int scored_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    const scored_cursor *cursor = (const scored_cursor *)base;
    const sq_source *source = &((const scored_table *)base->pVtab)->source;
    const sq_feed *feed = &cursor->feed;
    const sq_batch *batch = feed->batch;
    size_t place = cursor->choice->n_carried;
    const sq_cell *cell = source->rowid && batch ? &batch->cells[place * batch->capacity + feed->index] : NULL;
    sq_error error;

    if (cell && cell->type == SQLITE_INTEGER) {
        *id = cell->as.integer;
        return SQLITE_OK;
    }
    if (source->rowid && !cell && sqlite3_column_type(feed->inner, (int)place) == SQLITE_INTEGER) {
        *id = sqlite3_column_int64(feed->inner, (int)place);
        return SQLITE_OK;
    }
    sq_fail(&error, SQLITE_ERROR,
            "rows of %s have no rowid, by which SQLite knows them again where this table stands on "
            "the right of a RIGHT or FULL JOIN",
            source->name);
    return sq_report_table(base->pVtab, &error);
}

const sqlite3_module sq_scored_module = {
    .xCreate = create_table,
    .xConnect = connect_scored,
    .xBestIndex = best_scored_index,
    .xDisconnect = disconnect_scored,
    .xDestroy = disconnect_scored,
    .xOpen = open_scored_cursor,
    .xClose = close_scored_cursor,
    .xFilter = filter_scored,
    .xNext = next_scored_row,
    .xEof = scored_at_end,
    .xColumn = scored_column,
    .xRowid = scored_rowid,
};
