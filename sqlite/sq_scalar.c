/* sq_scalar.c - predict and its family: the main path of hbscore in SQLite.
 *
 * SQLite has no hook in its planner and calls a function for each row, in 5 to 12 ns for three
 * features. So a row costs what it must: one look-up of the statement's scorer, one read of each
 * value, one hbs_score_row, one result. The first row of a statement finds the model. */
#include "sq_hbscore.h"

/* A result that was scored, and how it is to be shown. */
typedef struct scored {
    sqlite3_context *context;
    sq_scorer *scorer;
    hbs_result result;
    size_t n_best; /* of predict_top: how many of scorer->best count */
} scored;

/* ------------------------------------------------------------------ results */

static void give_label(const scored *s)
{
    hbs_value label;

    hbs_plan_class(s->scorer->plan->compiled, (size_t)s->result.label[0], &label);
    sq_result_label(s->context, &label);
}

static void give_value(const scored *s)
{
    if (s->scorer->outputs & HBS_OUT_LABEL)
        give_label(s);
    else
        sqlite3_result_double(s->context, s->result.value[0]);
}

/* As snprintf: gives the size of the whole text. */
typedef size_t (*writer)(const scored *s, char *buffer, size_t capacity);

/* The text grows at the first rows only: the scorer keeps its buffer. */
static void give_json(const scored *s, writer write)
{
    sq_scorer *scorer = s->scorer;
    size_t size = write(s, scorer->text, scorer->text_size);

    if (size >= scorer->text_size) {
        if (!sq_scorer_reserve(scorer, size + 1)) {
            sqlite3_result_error_nomem(s->context);
            return;
        }
        write(s, scorer->text, scorer->text_size);
    }
    sqlite3_result_text64(s->context, scorer->text, size, SQLITE_TRANSIENT, SQLITE_UTF8);
    sqlite3_result_subtype(s->context, SQ_JSON_SUBTYPE);
}

/* ------------------------------------------------------------------ a row */

/* False: the result is set already, NULL or an error. */
static bool score_row(scored *s, int count, sqlite3_value **features)
{
    sq_scorer *scorer = s->scorer;
    hbs_error error;
    hbs_status status;

    SQ_COUNT(scorer->connection, calls, 1);
    if (count == 1 && sq_is_json(features[0], scorer->one_text)) {
        const char *text = (const char *)sqlite3_value_text(features[0]);

        if (!text) {
            sqlite3_result_error_nomem(s->context);
            return false;
        }
        status = hbs_score_json(scorer->run, text, (size_t)sqlite3_value_bytes(features[0]), scorer->outputs,
                                &s->result, &error);
    } else if (count == 1 && scorer->plan->info.features != 1) {
        if (sqlite3_value_type(features[0]) == SQLITE_NULL) { /* a whole row is NULL */
            sqlite3_result_null(s->context);
            return false;
        }
        status = hbs_run_check_count(scorer->run, 1, &error);
    } else if (scorer->numbers && sq_numbers_read(scorer, count, features) &&
               hbs_score_numbers(scorer->run, scorer->numbers, (size_t)count, scorer->outputs, &s->result, &error) ==
                   HBS_OK) {
        status = HBS_OK;
    } else { /* a refusal too is said of the values as they came */
        if (!sq_values_read(s->context, scorer, count, features))
            return false;
        status = hbs_score_row(scorer->run, scorer->values, (size_t)count, scorer->outputs, &s->result, &error);
    }
    if (status != HBS_OK) {
        sq_report_core(s->context, &error);
        return false;
    }
    if (!(s->result.valid[0] & 1)) {
        sqlite3_result_null(s->context);
        return false;
    }
    return true;
}

/* The scorer of a statement's first row; NULL: the result is set already. */
static sq_scorer *open_scorer(sqlite3_context *context, sqlite3_value *reference, hbs_function function, size_t count)
{
    sq_scorer *scorer = NULL;
    hbs_text text;
    sq_error error;
    int code;

    if (sqlite3_value_type(reference) == SQLITE_NULL)
        return NULL; /* and so is the result */
    code = sq_value_text(reference, "a model reference", &text, &error);
    if (code == SQLITE_OK)
        code = sq_scorer_open(sqlite3_user_data(context), text, function, count, &scorer, &error);
    if (code != SQLITE_OK)
        sq_report(context, &error);
    return code == SQLITE_OK ? scorer : NULL;
}

/* Begins a call with `leading` arguments before the features: the model, then perhaps a class or a count of classes. */
static sq_scorer *begin_call(sqlite3_context *context, int argc, sqlite3_value **argv, hbs_function function,
                             int leading, bool *fresh)
{
    sq_scorer *scorer = argc > 0 ? sqlite3_get_auxdata(context, 0) : NULL;

    *fresh = !scorer;
    if (scorer)
        return scorer;
    if (argc < leading) {
        sqlite3_result_error(context,
                             leading == 1 ? "the first argument is a model reference such as 'churn'"
                             : function == HBS_PREDICT_TOP
                                 ? "the first two arguments are a model reference and a number of classes"
                                 : "the first two arguments are a model reference and a class",
                             -1);
        return NULL;
    }
    return open_scorer(context, argv[0], function, (size_t)(argc - leading));
}

/* SQLite may destroy the scorer inside sqlite3_set_auxdata (a reference that is no constant): so
 * this comes last, and nothing may be touched behind it. */
static void end_call(sqlite3_context *context, sq_scorer *scorer, bool fresh)
{
    if (fresh)
        sqlite3_set_auxdata(context, 0, scorer, sq_scorer_close);
}

/* The frame of every function: `give` turns a scored row into the result. */
static inline void answer_call(sqlite3_context *context, int argc, sqlite3_value **argv, hbs_function function,
                               void (*give)(const scored *s))
{
    bool fresh;
    scored s = {.context = context};

    s.scorer = begin_call(context, argc, argv, function, 1, &fresh);
    if (!s.scorer)
        return;
    if (score_row(&s, argc - 1, argv + 1))
        give(&s);
    end_call(context, s.scorer, fresh);
}

/* ------------------------------------------------------------------ functions */

void sq_predict(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_PREDICT, give_value);
}

void sq_predict_label(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_PREDICT_LABEL, give_label);
}

static size_t write_proba(const scored *s, char *buffer, size_t capacity)
{
    return hbs_format_doubles(s->result.probabilities, s->scorer->plan->info.probabilities_width, buffer, capacity);
}

static void give_proba(const scored *s)
{
    give_json(s, write_proba);
}

void sq_predict_proba(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_PREDICT_PROBA, give_proba);
}

static size_t write_values(const scored *s, char *buffer, size_t capacity)
{
    return hbs_format_doubles(s->result.values, s->scorer->plan->info.values_width, buffer, capacity);
}

static void give_values(const scored *s)
{
    give_json(s, write_values);
}

void sq_predict_values(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_PREDICT_VALUES, give_values);
}

static size_t write_decision(const scored *s, char *buffer, size_t capacity)
{
    return hbs_format_doubles(s->result.raw, s->scorer->plan->info.raw_width, buffer, capacity);
}

static void give_decision(const scored *s)
{
    give_json(s, write_decision);
}

void sq_decision_function(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_DECISION_FUNCTION, give_decision);
}

static size_t write_object(const scored *s, char *buffer, size_t capacity)
{
    return hbs_format_result(s->scorer->run, &s->result, 0, s->scorer->reference, buffer, capacity);
}

static void give_object(const scored *s)
{
    give_json(s, write_object);
}

void sq_predict_json(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_PREDICT_JSON, give_object);
}

static size_t write_probabilities(const scored *s, char *buffer, size_t capacity)
{
    return hbs_format_probabilities(s->scorer->run, &s->result, 0, buffer, capacity);
}

static void give_probabilities(const scored *s)
{
    give_json(s, write_probabilities);
}

void sq_predict_probabilities(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_PREDICT_PROBABILITIES, give_probabilities);
}

static size_t write_transform(const scored *s, char *buffer, size_t capacity)
{
    return hbs_format_row(s->result.transform, s->scorer->plan->info.transform_width, buffer, capacity);
}

static void give_transform(const scored *s)
{
    give_json(s, write_transform);
}

void sq_transform(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    answer_call(context, argc, argv, HBS_TRANSFORM, give_transform);
}

/* The position of a class. One that is the same for all rows is looked up once more and then kept,
 * as its position plus one, in auxdata of argument 1. That is read only where the scorer came from
 * auxdata too: then the model is the same one as when the position was kept. */
static bool find_class(sqlite3_context *context, sq_scorer *scorer, sqlite3_value *value, bool fresh, size_t *index)
{
    void *kept = fresh ? NULL : sqlite3_get_auxdata(context, 1);
    hbs_value label;
    hbs_error error;

    if (kept) {
        *index = (size_t)((uintptr_t)kept - 1);
        return true;
    }
    if (!sq_value_label(context, value, &label))
        return false;
    if (hbs_run_class(scorer->run, &label, index, &error) != HBS_OK) {
        sq_report_core(context, &error);
        return false;
    }
    if (!fresh) /* no destructor, so that this need not come last */
        sqlite3_set_auxdata(context, 1, (void *)((uintptr_t)*index + 1), NULL);
    return true;
}

void sq_predict_probability(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    bool fresh;
    size_t class;
    scored s = {.context = context};

    s.scorer = begin_call(context, argc, argv, HBS_PREDICT_PROBABILITY, 2, &fresh);
    if (!s.scorer)
        return;
    if (find_class(context, s.scorer, argv[1], fresh, &class) && score_row(&s, argc - 2, argv + 2))
        sqlite3_result_double(context, s.result.probabilities[class]);
    end_call(context, s.scorer, fresh);
}

static size_t write_best(const scored *s, char *buffer, size_t capacity)
{
    return hbs_format_classes(s->scorer->run, &s->result, 0, s->scorer->best, s->n_best, buffer, capacity);
}

/* How many classes; false: reported. */
static bool find_count(scored *s, sqlite3_value *k)
{
    sq_scorer *scorer = s->scorer;
    hbs_value value;
    hbs_error error;

    if (sqlite3_value_type(k) == SQLITE_BLOB)
        value.type = HBS_MIXED; /* no number, as the error says */
    else if (!sq_value_label(s->context, k, &value))
        return false;
    if (hbs_run_top(scorer->run, &value, &s->n_best, &error) != HBS_OK) {
        sq_report_core(s->context, &error);
        return false;
    }
    if (!scorer->best)
        scorer->best = sqlite3_malloc64(scorer->plan->info.classes * sizeof(*scorer->best));
    if (!scorer->best)
        sqlite3_result_error_nomem(s->context);
    return scorer->best != NULL;
}

static void give_best(const scored *s)
{
    hbs_error error;

    if (hbs_best_classes(s->scorer->run, &s->result, 0, s->n_best, s->scorer->best, &error) == HBS_OK)
        give_json(s, write_best);
    else
        sq_report_core(s->context, &error);
}

void sq_predict_top(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    bool fresh;
    scored s = {.context = context};

    s.scorer = begin_call(context, argc, argv, HBS_PREDICT_TOP, 2, &fresh);
    if (!s.scorer)
        return;
    if (find_count(&s, argv[1]) && score_row(&s, argc - 2, argv + 2))
        give_best(&s);
    end_call(context, s.scorer, fresh);
}
