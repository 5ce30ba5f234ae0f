/* sq_scorer.c - a plan made ready for the rows of one call in one statement.
 *
 * SQLite keeps a scorer as auxiliary data of the call's first argument, for as long as the
 * statement runs: the model is resolved once a statement, and the statement keeps the version that
 * it began with. If the model's name is computed for each row, a scorer lives for one row. The plan keeps
 * it and the next row takes it from there, so that such a row allocates nothing either. */
#include "sq_hbscore.h"

#include <string.h>

/* More arguments than any build of SQLite passes to a function. */
enum { MOST_ARGUMENTS = 32767 };

static size_t row_capacity(const hbs_plan_info *info)
{
    size_t features = info->features;

    return (features < MOST_ARGUMENTS ? features : MOST_ARGUMENTS) + 1;
}

bool sq_takes_one_text(const host_plan *plan)
{
    hbs_text name;
    hbs_type type;

    if (plan->info.features != 1)
        return false;
    hbs_plan_feature(plan->compiled, 0, &name, &type);
    return type == HBS_TEXT;
}

static bool takes_texts(const host_plan *plan)
{
    for (size_t f = 0; f < plan->info.features; f++) {
        hbs_text name;
        hbs_type type;

        hbs_plan_feature(plan->compiled, f, &name, &type);
        if (type == HBS_TEXT)
            return true;
    }
    return false;
}

/* The numbers, the used features and "churn@3" behind the values; the run copies the name alone for its messages. */
static int make_scorer(sq_connection *connection, const sq_found *found, sq_scorer **made, sq_error *error)
{
    host_plan *plan = found->plan;
    size_t capacity = row_capacity(&plan->info);
    size_t shown_size = strlen(found->shown) + 1;
    size_t values_size = capacity * sizeof(hbs_value);
    size_t numbers_size = capacity * sizeof(double);
    size_t used_size = capacity * sizeof(int);
    sq_scorer *scorer = sqlite3_malloc64(sizeof(*scorer) + values_size + numbers_size + used_size + shown_size);
    hbs_error core;
    char *plain;

    if (!scorer)
        return sq_fail_memory(error);
    memset(scorer, 0, sizeof(*scorer));
    scorer->plan = plan;
    scorer->capacity = capacity;
    scorer->name_size = found->name_size;
    scorer->one_text = sq_takes_one_text(plan);
    scorer->used_room = (int *)(void *)((char *)scorer->values + values_size + numbers_size);
    scorer->reference = (char *)scorer->used_room + used_size;
    if (!takes_texts(plan))
        scorer->numbers = (double *)(void *)(scorer->values + capacity);
    memcpy(scorer->reference, found->shown, shown_size);
    plain = scorer->reference + found->name_size; /* "churn", for a moment */
    *plain = 0;
    if (hbs_run_create(plan->compiled, &connection->host, scorer->reference, 1, &scorer->run, &core) != HBS_OK) {
        sqlite3_free(scorer);
        return sq_fail_core(error, &core);
    }
    *plain = '@';
    *made = scorer;
    return SQLITE_OK;
}

void sq_scorer_free(sq_scorer *scorer)
{
    hbs_run_free(scorer->run);
    sqlite3_free(scorer->text);
    sqlite3_free(scorer->best);
    sqlite3_free(scorer);
}

/* From a pinned plan, which it takes over, also where it fails. */
static int take_scorer(sq_connection *connection, const sq_found *found, sq_scorer **scorer, sq_error *error)
{
    sq_scorer *idle = found->plan->idle;
    int code = SQLITE_OK;

    if (idle && strcmp(idle->reference, found->shown) == 0) {
        found->plan->idle = NULL;
        *scorer = idle;
    } else {
        code = make_scorer(connection, found, scorer, error);
    }
    if (code != SQLITE_OK) {
        host_cache_unpin(&connection->plans, found->plan);
        return code;
    }
    (*scorer)->connection = connection;
    connection->references++;
    return SQLITE_OK;
}

void sq_scorer_close(void *used)
{
    sq_scorer *scorer = used;
    sq_connection *connection = scorer->connection;
    host_plan *plan = scorer->plan;

    if (plan->idle)
        sq_scorer_free(scorer);
    else
        plan->idle = scorer;
    host_cache_unpin(&connection->plans, plan); /* may free the plan and its idle scorer */
    sq_connection_release(connection);
}

/* Notes the features that the outputs need. The values of others stay these: the core does not look at them. */
static void note_used(sq_scorer *scorer)
{
    size_t n = scorer->plan->info.features;

    if (scorer->used_by == scorer->outputs)
        return;
    scorer->used_by = scorer->outputs;
    scorer->n_used = host_used_features(scorer->plan, scorer->outputs, scorer->used_room);
    scorer->used = scorer->n_used < n ? scorer->used_room : NULL;
    for (size_t f = 0; scorer->used && f < n; f++) {
        scorer->values[f] = (hbs_value){.type = HBS_NULL};
        if (scorer->numbers)
            scorer->numbers[f] = 0;
    }
}

/* Checks that the model has the function's outputs, and the count of features. One argument may be a row in JSON. */
static int check_outputs(sq_scorer *scorer, hbs_function function, size_t count, sq_error *error)
{
    hbs_error core;

    if (hbs_run_outputs(scorer->run, function, &scorer->outputs, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    if (count != 1 && hbs_run_check_count(scorer->run, count, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    if (count == scorer->plan->info.features)
        note_used(scorer);
    return SQLITE_OK;
}

int sq_scorer_open(sq_connection *connection, hbs_text text, hbs_function function, size_t count, sq_scorer **scorer,
                   sq_error *error)
{
    sq_found found;
    int code = sq_models_find(connection, "main", text, &found, error);

    if (code == SQLITE_OK)
        code = take_scorer(connection, &found, scorer, error);
    if (code != SQLITE_OK)
        return code;
    code = check_outputs(*scorer, function, count, error);
    if (code != SQLITE_OK)
        sq_scorer_close(*scorer);
    return code;
}

bool sq_scorer_reserve(sq_scorer *scorer, size_t size)
{
    char *grown;

    if (size <= scorer->text_size)
        return true;
    grown = sqlite3_realloc64(scorer->text, size);
    if (!grown)
        return false;
    scorer->text = grown;
    scorer->text_size = size;
    return true;
}
