/* sq_keyed.c - a query that the user gives as a text: its first column is a key, the others are features.
 *
 * What hbscore_scan and hbscore_profile have in common. The text must be one statement that only reads. It is prepared
 * twice: by itself, to be checked, and as a part of the statement that fills the batch (sq_feed.c). */
#include "sq_hbscore.h"

#include <string.h>

/* ------------------------------------------------------------------ the text */

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
static int check_beginning(const sq_keyed *k, sq_error *error)
{
    static const char *const beginnings[] = {"SELECT", "VALUES", "WITH"};
    const char *end = k->query.bytes + k->query.size;
    const char *word = skip_blanks(k->query.bytes, end);
    size_t size = 0;
    host_shown shown;

    while (word + size < end && (word[size] | 0x20) >= 'a' && (word[size] | 0x20) <= 'z')
        size++;
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
        if (strlen(beginnings[i]) == size && sqlite3_strnicmp(word, beginnings[i], (int)size) == 0)
            return SQLITE_OK;
    if (word == end)
        return sq_fail(error, SQLITE_ERROR, "%s: the query is empty", k->function);
    return sq_fail(error, SQLITE_ERROR, "%s: the query begins with \"%s\": it takes a SELECT, VALUES or WITH",
                   k->function, host_show(&shown, word, size ? size : 1));
}

/* Leaves the first statement of `query`, without a ';' at its end; behind it there may be comments
 * only. */
static int check_tail(sq_keyed *k, const char *tail, sq_error *error)
{
    hbs_text *query = &k->query;
    const char *end = query->bytes + query->size;
    const char *more = tail;

    while ((more = skip_blanks(more, end)) < end && *more == ';')
        more++;
    if (more < end)
        return sq_fail(error, SQLITE_ERROR, "%s takes one statement, and there is more behind it", k->function);
    while (tail > query->bytes && (is_space(tail[-1]) || tail[-1] == ';'))
        tail--;
    query->size = (size_t)(tail - query->bytes);
    return SQLITE_OK;
}

static int check_statement(const sq_keyed *k, sq_error *error)
{
    const char *why = NULL;

    if (!sqlite3_stmt_readonly(k->statement))
        why = "the query writes, and it may only read";
    else if (sqlite3_column_count(k->statement) < 2)
        why = "the query has one column: it takes a key and then the features";
    else if (sqlite3_bind_parameter_count(k->statement) > 0)
        why = "the query has parameters, which cannot be bound: write values into it, as "
              "printf('... > %d', ?)";
    return why ? sq_fail(error, SQLITE_ERROR, "%s: %s", k->function, why) : SQLITE_OK;
}

/* The places of the features in the query: behind that of the key, which is 0. */
static int match_columns(const sq_keyed *k, sq_error *error)
{
    int n = sqlite3_column_count(k->statement) - 1;
    hbs_text *names = sqlite3_malloc64((sqlite3_uint64)n * sizeof(*names));
    int code = names ? SQLITE_OK : sq_fail_memory(error);

    for (int i = 0; code == SQLITE_OK && i < n; i++) {
        names[i].bytes = sqlite3_column_name(k->statement, i + 1);
        if (names[i].bytes)
            names[i].size = strlen(names[i].bytes);
        else
            code = sq_fail_memory(error);
    }
    if (code == SQLITE_OK)
        code = sq_features_match(&k->model, names, n, k->wanted + 1, error);
    sqlite3_free(names);
    for (size_t f = 1; code == SQLITE_OK && f <= k->model.plan->info.features; f++)
        k->wanted[f]++;
    return code;
}

/* ------------------------------------------------------------------ opening */

static int read_query(sq_keyed *k, sq_error *error)
{
    sqlite3 *db = k->connection->db;
    const char *tail = NULL;
    int code = check_beginning(k, error);

    if (code != SQLITE_OK)
        return code;
    code = sqlite3_prepare_v2(db, k->query.bytes, (int)k->query.size, &k->statement, &tail);
    if (code != SQLITE_OK)
        return sq_fail_database(error, db, code);
    code = check_statement(k, error);
    if (code == SQLITE_OK)
        code = check_tail(k, tail, error);
    if (code == SQLITE_OK && sq_mentions(k->query, SQ_ROWS))
        code =
            sq_fail(error, SQLITE_ERROR, "%s: the query has the word " SQ_ROWS ", which is hbscore's own", k->function);
    if (code != SQLITE_OK)
        return code;
    k->wanted = sqlite3_malloc64((k->model.plan->info.features + 1) * sizeof(*k->wanted));
    if (!k->wanted)
        return sq_fail_memory(error);
    k->wanted[0] = 0;
    return match_columns(k, error);
}

int sq_keyed_read(sq_keyed *k, sqlite3_value *model, sqlite3_value *query, sq_error *error)
{
    char what[48];
    hbs_text reference;
    int code = sq_value_text(model, "a model reference", &reference, error);

    sqlite3_snprintf((int)sizeof(what), what, "%s's query", k->function);
    if (code == SQLITE_OK)
        code = sq_value_text(query, what, &k->query, error);
    if (code == SQLITE_OK)
        code = sq_models_find(k->connection, "main", reference, &k->model, error);
    return code == SQLITE_OK ? read_query(k, error) : code;
}

int sq_keyed_batch(sq_keyed *k, sq_batch **batch, sq_error *error)
{
    sq_found model = k->model;

    k->model.plan = NULL;
    return sq_batch_new(k->connection, &model, k->key, k->scores, sq_block_rows(&model), batch, error);
}

/* Leaves the wanted columns that the batch has a use for: the key if it is carried, then the features that are used. */
static void want_used(sq_keyed *k, const sq_batch *batch, sq_select *select)
{
    int *features = k->wanted + 1;

    for (size_t i = 0; i < batch->n_used; i++)
        features[i] = features[batch->used[i]];
    select->wanted = features - batch->n_carried;
    select->n_wanted = batch->n_carried + batch->n_used;
}

int sq_keyed_feed(sq_keyed *k, sq_batch *batch, sq_feed *feed, sq_error *error)
{
    sq_select select = {.text = k->query, .n_columns = sqlite3_column_count(k->statement), .limit = k->limit};

    feed->connection = k->connection;
    want_used(k, batch, &select);
    return sq_feed_open(feed, &select, batch, error);
}

void sq_keyed_end(sq_keyed *k)
{
    sqlite3_finalize(k->statement);
    sqlite3_free(k->wanted);
    if (k->model.plan)
        host_cache_unpin(&k->connection->plans, k->model.plan);
}
