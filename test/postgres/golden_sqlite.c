/* golden_sqlite.c - SQLite's answers to a golden's rows: the extension loaded as a user would load it.
 *
 * SQLite has neither bool nor float4: their values are given as an integer and as a double. A NaN that predict gives
 * is a NULL there. Arrays come as JSON. */
#include "golden_postgres.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

sqlite3 *gp_sqlite_open(void)
{
    const char *extension = getenv("HBSCORE_SO");
    char *message = NULL;
    sqlite3 *db;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK || !extension ||
        sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL) != SQLITE_OK ||
        sqlite3_load_extension(db, extension, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "HBSCORE_SO names no extension of SQLite: %s\n", message ? message : sqlite3_errmsg(db));
        exit(2);
    }
    return db;
}

static bool register_model(gp_model *m, sqlite3 *db)
{
    sqlite3_stmt *statement;
    bool stored;

    sqlite3_prepare_v2(db, "SELECT hbscore_register(?1, ?2, ?3)", -1, &statement, NULL);
    sqlite3_bind_text(statement, 1, m->name, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(statement, 2, m->bytes, m->size, SQLITE_STATIC);
    if (m->golden.options)
        sqlite3_bind_text(statement, 3, m->golden.options, -1, SQLITE_STATIC);
    else
        sqlite3_bind_text(statement, 3, "{}", -1, SQLITE_STATIC);
    stored = sqlite3_step(statement) == SQLITE_ROW;
    if (stored != (m->refusal.status == HBS_OK))
        gp_differ(m, "SQLite %s: %s", stored ? "takes a model to be refused" : "refuses the model",
                  sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    return stored;
}

/* SELECT decision_function(?1, ?2, ?3), predict(?1, ?2, ?3) */
static sqlite3_stmt *prepare(gp_model *m, sqlite3 *db)
{
    size_t params = m->golden.features <= GP_MAX_SCALARS ? 1 + m->golden.features : 2;
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_stmt *statement = NULL;
    char *text;

    for (size_t i = 0; i < m->n_calls; i++) {
        const gp_call *call = &m->calls[i];

        sqlite3_str_appendf(sql, "%s %s(?1", i ? "," : "SELECT", call->name);
        if (call->class[0])
            sqlite3_str_appendf(sql, ", %.*s", (int)strlen(call->class) - 2, call->class);
        for (size_t p = 1; p < params; p++)
            sqlite3_str_appendf(sql, ", ?%d", (int)p + 1);
        sqlite3_str_appendf(sql, ")");
    }
    text = sqlite3_str_finish(sql);
    if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK)
        gp_differ(m, "SQLite, %s: %s", text, sqlite3_errmsg(db));
    sqlite3_free(text);
    return statement;
}

static void bind_cell(sqlite3_stmt *statement, int at, const hbs_value *cell)
{
    switch (cell->type) {
    case HBS_FLOAT32:
        sqlite3_bind_double(statement, at, (double)cell->as.f32);
        break;
    case HBS_FLOAT64:
        sqlite3_bind_double(statement, at, cell->as.f64);
        break;
    case HBS_INT64:
        sqlite3_bind_int64(statement, at, cell->as.i64);
        break;
    case HBS_BOOL:
        sqlite3_bind_int(statement, at, cell->as.boolean);
        break;
    case HBS_TEXT:
        sqlite3_bind_text(statement, at, cell->as.text.bytes, (int)cell->as.text.size, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_null(statement, at);
    }
}

static void bind_row(const gp_model *m, sqlite3_stmt *statement, size_t row)
{
    const rg_golden *g = &m->golden;
    size_t size;
    char *json;

    sqlite3_bind_text(statement, 1, m->name, -1, SQLITE_STATIC);
    if (gp_form_of(m, row) != GP_SCALARS) {
        json = rg_row_json(g, row, false, &size);
        sqlite3_bind_text(statement, 2, json, (int)size, free);
        return;
    }
    for (size_t c = 0; c < g->features; c++)
        bind_cell(statement, 2 + (int)c, &g->cells[row * g->features + c]);
}

/* ------------------------------------------------------------------ answers */

static double json_number(const char **at)
{
    static const struct {
        const char *text;
        double number;
    } words[] = {{"null", (double)NAN}, {"\"NaN\"", (double)NAN}, {"\"Infinity\"", (double)INFINITY},
                 {"\"-Infinity\"", -(double)INFINITY}};
    char *end;
    double number;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(*at, words[i].text, strlen(words[i].text)) == 0) {
            *at += strlen(words[i].text);
            return words[i].number;
        }
    number = strtod(*at, &end);
    *at = end;
    return number;
}

static size_t json_array(const char *at, double *numbers, size_t most)
{
    size_t n = 0;

    if (*at++ != '[')
        return 0;
    while (*at != ']' && n < most) {
        const char *before = at;

        numbers[n++] = json_number(&at);
        if (at == before)
            return 0;
        at += strspn(at, ", ");
    }
    return *at == ']' ? n : 0;
}

/* SQLite gives a label in its own type. */
static gp_answer read_label(const gp_model *m, sqlite3_stmt *statement, int column, double *numbers)
{
    gp_answer answer = {.numbers = numbers};

    for (size_t i = 0; i < m->info.classes; i++) {
        char text[256];
        hbs_value label;
        bool is;

        hbs_plan_class(m->plan, i, &label);
        gp_label_text(&label, text, sizeof(text));
        if (label.type == HBS_TEXT || sqlite3_column_type(statement, column) == SQLITE_TEXT)
            is = strcmp((const char *)sqlite3_column_text(statement, column), text) == 0;
        else if (label.type == HBS_BOOL)
            is = sqlite3_column_int(statement, column) == label.as.boolean;
        else
            is = sqlite3_column_double(statement, column) == strtod(text, NULL);
        if (is) {
            numbers[0] = (double)i;
            answer.width = 1;
        }
    }
    return answer;
}

static gp_answer read_answer(const gp_model *m, sqlite3_stmt *statement, int column, const gp_call *call,
                             size_t row, double *numbers)
{
    gp_answer answer = {.numbers = numbers};
    double core;

    if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
        memcpy(&core, &m->bits[row * m->stride + call->at], sizeof(core));
        answer.null = !isnan(core) || m->null[row * m->n_calls + (size_t)column];
        answer.width = call->width == 1;
        numbers[0] = core;
        return answer;
    }
    if (call->function == HBS_PREDICT_LABEL)
        return read_label(m, statement, column, numbers);
    if (call->function == HBS_PREDICT_JSON) {
        answer.width = gp_targets(m, (const char *)sqlite3_column_text(statement, column), numbers);
        return answer;
    }
    if (call->function == HBS_PREDICT || call->function == HBS_PREDICT_PROBABILITY) {
        numbers[0] = sqlite3_column_double(statement, column);
        answer.width = 1;
        return answer;
    }
    answer.width = json_array((const char *)sqlite3_column_text(statement, column), numbers, call->width);
    return answer;
}

static void compare_row(gp_model *m, sqlite3_stmt *statement, size_t row, double *numbers)
{
    sqlite3 *db = sqlite3_db_handle(statement);
    int code = sqlite3_step(statement);

    if (code != SQLITE_ROW || m->error[row].status != HBS_OK) {
        if (code == SQLITE_ROW || m->error[row].status == HBS_OK ||
            strcmp(sqlite3_errmsg(db), m->error[row].text) != 0)
            gp_differ(m, "SQLite, row %zu: %s, the core says: %s", row,
                      code == SQLITE_ROW ? "no error" : sqlite3_errmsg(db), m->error[row].text);
        return;
    }
    for (size_t c = 0; c < m->n_calls; c++) {
        gp_answer answer = read_answer(m, statement, (int)c, &m->calls[c], row, numbers);

        gp_compare(m, row, &m->calls[c], &answer, "SQLite");
    }
}

static void drop_model(gp_model *m, sqlite3 *db)
{
    char *sql = sqlite3_mprintf("SELECT hbscore_drop(%Q)", m->name);
    char *message = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        gp_differ(m, "SQLite: %s", message);
    sqlite3_free(message);
    sqlite3_free(sql);
}

void gp_sqlite(gp_model *m, sqlite3 *db)
{
    double *numbers;
    sqlite3_stmt *statement;

    if (!register_model(m, db) || m->refusal.status != HBS_OK)
        return;
    statement = prepare(m, db);
    numbers = rg_need(m->stride, sizeof(*numbers));
    for (size_t row = 0; statement && row < m->golden.rows; row++) {
        bind_row(m, statement, row);
        compare_row(m, statement, row, numbers);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    free(numbers);
    drop_model(m, db);
}
