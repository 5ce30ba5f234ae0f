/* golden_rows.c - PostgreSQL's answers row by row: parameters in binary, each cell in its own SQL type.
 *
 * Rows whose cells have the same types share a prepared statement, so that some run with a generic plan; types that
 * few rows have come without one. Statements go in a pipeline. One that must fail stands between two syncs by
 * itself, since it takes along what stands behind it. */
#include "golden_postgres.h"

#include <stdlib.h>
#include <string.h>

enum { SEGMENT = 32, FEW = 3 };

typedef struct statement {
    const Oid *types; /* of its first row */
    size_t uses;
    char name[16];
} statement;

typedef struct asking {
    gp_model *m;
    PGconn *conn;
    size_t n_params; /* of scalars; else two */
    Oid *types;      /* [rows][n_params] */
    statement *statements;
    size_t n_statements;
    size_t *statement_of; /* [rows] */
    char *sql;
    const char **values;
    int *lengths, *formats;
    size_t *starts;
    gp_buffer buffer;
    double *numbers;
} asking;

/* ------------------------------------------------------------------ registration */

static PGresult *send_model(gp_model *m, PGconn *conn)
{
    static const Oid types[] = {GP_TEXT, GP_BYTEA, GP_JSONB};
    static const int formats[] = {1, 1, 1};
    const char *options = m->golden.options ? m->golden.options : "{}";
    char *jsonb = rg_need(strlen(options) + 2, 1);
    const char *values[] = {m->name, m->bytes, jsonb};
    int lengths[] = {(int)strlen(m->name), (int)m->size, (int)strlen(options) + 1};
    PGresult *result;

    jsonb[0] = 1; /* the version of jsonb's binary form */
    strcpy(jsonb + 1, options);
    result = PQexecParams(conn, "SELECT hbscore.register($1, $2, options => $3)", 3, types, values, lengths,
                          formats, 1);
    free(jsonb);
    return result;
}

static const char *sqlstate_of(hbs_status status)
{
    switch (status) {
    case HBS_E_FORMAT:
        return "22P03";
    case HBS_E_LIMIT:
        return "54000";
    case HBS_E_UNSUPPORTED:
        return "0A000";
    case HBS_E_TYPE:
        return "42804";
    case HBS_E_ARGS:
        return "22023";
    case HBS_E_NOENT:
        return "42704";
    default:
        return "none";
    }
}

/* The result must be this error of the core. */
static void compare_error(gp_model *m, const PGresult *result, const hbs_error *error, const char *what)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (!state || strcmp(state, sqlstate_of(error->status)) != 0 || !text || strcmp(text, error->text) != 0)
        gp_differ(m, "%s: %s: %s, the core says %s: %s", what, state ? state : "no error", text ? text : "",
                  sqlstate_of(error->status), error->text);
}

bool gp_register(gp_model *m, PGconn *conn)
{
    PGresult *result = send_model(m, conn);
    bool stored = PQresultStatus(result) == PGRES_TUPLES_OK;

    if (m->refusal.status != HBS_OK)
        compare_error(m, result, &m->refusal, "register");
    else if (!stored || PQgetlength(result, 0, 0) != 4 || memcmp(PQgetvalue(result, 0, 0), "\0\0\0\1", 4) != 0)
        gp_differ(m, "register: %s", stored ? "another version than 1" : PQresultErrorMessage(result));
    PQclear(result);
    return stored && m->refusal.status == HBS_OK;
}

/* ------------------------------------------------------------------ statements */

/* Where a cell is NULL: the type that the column has elsewhere. */
static Oid column_type(const rg_golden *g, size_t c)
{
    for (size_t row = 0; row < g->rows; row++)
        if (g->cells[row * g->features + c].type != HBS_NULL)
            return gp_type_of(g->cells[row * g->features + c].type);
    return g->is_text[c] ? GP_TEXT : GP_FLOAT8;
}

static void set_types(const asking *a, size_t row)
{
    const rg_golden *g = &a->m->golden;
    gp_form form = gp_form_of(a->m, row);
    Oid *types = a->types + row * a->n_params;

    types[0] = 0; /* the model: found to be of type model_ref */
    if (form != GP_SCALARS)
        types[1] = form == GP_ARRAY ? GP_FLOAT8S : GP_JSONB;
    for (size_t c = 0; c < g->features && form == GP_SCALARS; c++) {
        types[1 + c] = gp_type_of(g->cells[row * g->features + c].type);
        if (!types[1 + c])
            types[1 + c] = column_type(g, c);
    }
}

static void choose_statements(asking *a)
{
    size_t rows = a->m->golden.rows, i;

    for (size_t row = 0; row < rows; row++) {
        const Oid *types = a->types + row * a->n_params;

        set_types(a, row);
        for (i = 0; i < a->n_statements; i++)
            if (memcmp(a->statements[i].types, types, a->n_params * sizeof(*types)) == 0)
                break;
        if (i == a->n_statements) {
            a->statements[i].types = types;
            snprintf(a->statements[i].name, sizeof(a->statements[i].name), "s%zu", i);
            a->n_statements++;
        }
        a->statements[i].uses++;
        a->statement_of[row] = i;
    }
}

/* SELECT decision_function($1, $2, $3), predict($1, $2, $3) */
static char *make_sql(const asking *a)
{
    gp_buffer sql = {0};
    char piece[32];

    gp_put(&sql, "SELECT", 6);
    for (size_t i = 0; i < a->m->n_calls; i++) {
        const gp_call *call = &a->m->calls[i];

        gp_put(&sql, i ? ", " : " ", i ? 2 : 1);
        gp_put(&sql, call->name, strlen(call->name));
        gp_put(&sql, "($1", 3);
        if (call->class[0]) {
            gp_put(&sql, ", ", 2);
            gp_put(&sql, call->class, strlen(call->class) - 2);
        }
        for (size_t p = 1; p < a->n_params; p++)
            gp_put(&sql, piece, (size_t)snprintf(piece, sizeof(piece), ", $%zu", p + 1));
        gp_put(&sql, ")", 1);
    }
    gp_put(&sql, "", 1);
    return sql.bytes;
}

static void prepare(asking *a)
{
    for (size_t i = 0; i < a->n_statements; i++) {
        PGresult *result;

        if (a->statements[i].uses <= FEW)
            continue;
        result = PQprepare(a->conn, a->statements[i].name, a->sql, (int)a->n_params, a->statements[i].types);
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            gp_differ(a->m, "PREPARE %s: %s", a->sql, PQresultErrorMessage(result));
        PQclear(result);
    }
}

/* ------------------------------------------------------------------ one row */

static void begin_param(asking *a, size_t p)
{
    a->starts[p] = a->buffer.size;
    a->formats[p] = 1;
}

static void end_param(asking *a, size_t p)
{
    a->lengths[p] = (int)(a->buffer.size - a->starts[p]);
}

static void put_row(asking *a, size_t row)
{
    const rg_golden *g = &a->m->golden;
    gp_form form = gp_form_of(a->m, row);
    hbs_value *values;
    char *json;
    size_t size;

    begin_param(a, 1);
    if (form == GP_JSON) {
        json = rg_row_json(g, row, false, &size);
        gp_put_int(&a->buffer, 1, 1);
        gp_put(&a->buffer, json, size);
        free(json);
    } else if (form == GP_ARRAY) {
        values = gp_doubles(a->m, row, row % 4 == 1);
        gp_put_array(&a->buffer, values, g->features, GP_FLOAT8);
        free(values);
    }
    end_param(a, 1);
    for (size_t c = 0; c < g->features && form == GP_SCALARS; c++) {
        begin_param(a, 1 + c);
        if (g->cells[row * g->features + c].type != HBS_NULL)
            gp_put_value(&a->buffer, &g->cells[row * g->features + c]);
        end_param(a, 1 + c);
    }
}

static void set_params(asking *a, size_t row)
{
    const rg_golden *g = &a->m->golden;

    a->buffer.size = 0;
    begin_param(a, 0);
    gp_put(&a->buffer, a->m->name, strlen(a->m->name));
    end_param(a, 0);
    put_row(a, row);
    for (size_t p = 0; p < a->n_params; p++) {
        a->values[p] = a->buffer.bytes + a->starts[p];
        if (p && gp_form_of(a->m, row) == GP_SCALARS && g->cells[row * g->features + p - 1].type == HBS_NULL)
            a->values[p] = NULL;
    }
}

static void send_row(asking *a, size_t row)
{
    const statement *s = &a->statements[a->statement_of[row]];
    int n = (int)a->n_params, sent;

    set_params(a, row);
    if (s->uses > FEW)
        sent = PQsendQueryPrepared(a->conn, s->name, n, a->values, a->lengths, a->formats, 1);
    else
        sent = PQsendQueryParams(a->conn, a->sql, n, s->types, a->values, a->lengths, a->formats, 1);
    if (!sent)
        gp_differ(a->m, "row %zu: %s", row, PQerrorMessage(a->conn));
}

static void compare_row(asking *a, size_t row, const PGresult *result)
{
    gp_model *m = a->m;
    char what[32];

    snprintf(what, sizeof(what), "row %zu", row);
    if (m->error[row].status != HBS_OK || PQresultStatus(result) != PGRES_TUPLES_OK) {
        compare_error(m, result, &m->error[row], what);
        if (m->golden.fate[row] != RG_ERROR)
            gp_differ(m, "row %zu: an error, but not of the library", row);
        return;
    }
    for (size_t c = 0; c < m->n_calls; c++) {
        gp_answer answer = gp_read(m, result, 0, (int)c, &m->calls[c], a->numbers);

        gp_compare(m, row, &m->calls[c], &answer, "row by row");
        gp_compare_library(m, row, &m->calls[c], &answer);
    }
}

static void send_segment(asking *a, size_t first, size_t last)
{
    for (size_t row = first; row < last; row++)
        send_row(a, row);
    if (!PQpipelineSync(a->conn))
        gp_differ(a->m, "%s", PQerrorMessage(a->conn));
    for (size_t row = first; row < last; row++) {
        PGresult *result = PQgetResult(a->conn);

        compare_row(a, row, result);
        PQclear(result);
        PQclear(PQgetResult(a->conn)); /* the NULL behind it */
    }
    PQclear(PQgetResult(a->conn)); /* the sync */
}

static void ask_rows(asking *a)
{
    size_t rows = a->m->golden.rows, last;

    PQenterPipelineMode(a->conn);
    for (size_t first = 0; first < rows; first = last) {
        last = first + 1;
        while (a->m->error[first].status == HBS_OK && last < rows && last < first + SEGMENT &&
               a->m->error[last].status == HBS_OK)
            last++;
        send_segment(a, first, last);
    }
    if (!PQexitPipelineMode(a->conn))
        gp_differ(a->m, "%s", PQerrorMessage(a->conn));
}

/* ------------------------------------------------------------------ functions that the model has not */

static void check_refusals(asking *a)
{
    static const struct {
        hbs_function function;
        const char *name;
    } all[] = {{HBS_PREDICT_PROBA, "predict_proba"},         {HBS_PREDICT_VALUES, "predict_values"},
               {HBS_DECISION_FUNCTION, "decision_function"}, {HBS_TRANSFORM, "transform"},
               {HBS_PREDICT_LABEL, "predict_label"},         {HBS_PREDICT, "predict"}};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const char *values[] = {a->m->name};
        char sql[64];
        hbs_error error;
        uint32_t outputs;
        PGresult *result;

        if (hbs_run_outputs(a->m->run, all[i].function, &outputs, &error) == HBS_OK)
            continue;
        snprintf(sql, sizeof(sql), "SELECT %s($1, 1.5::float4)", all[i].name);
        result = PQexecParams(a->conn, sql, 1, NULL, values, NULL, NULL, 1);
        compare_error(a->m, result, &error, sql);
        PQclear(result);
    }
}

/* ------------------------------------------------------------------ */

static void make_room(asking *a)
{
    size_t rows = a->m->golden.rows;

    a->n_params = a->m->golden.features <= GP_MAX_SCALARS ? 1 + a->m->golden.features : 2;
    a->types = rg_need(rows * a->n_params, sizeof(*a->types));
    a->statements = rg_need(rows, sizeof(*a->statements));
    a->statement_of = rg_need(rows, sizeof(*a->statement_of));
    a->values = rg_need(a->n_params, sizeof(*a->values));
    a->lengths = rg_need(a->n_params, sizeof(*a->lengths));
    a->formats = rg_need(a->n_params, sizeof(*a->formats));
    a->starts = rg_need(a->n_params, sizeof(*a->starts));
    a->numbers = rg_need(a->m->stride, sizeof(*a->numbers));
}

static void free_room(asking *a)
{
    free(a->types);
    free(a->statements);
    free(a->statement_of);
    free(a->values);
    free(a->lengths);
    free(a->formats);
    free(a->starts);
    free(a->numbers);
    free(a->buffer.bytes);
    free(a->sql);
}

void gp_rows(gp_model *m, PGconn *conn)
{
    asking a = {.m = m, .conn = conn};

    if (!gp_register(m, conn))
        return;
    if (m->n_calls == 0) {
        check_refusals(&a);
        return;
    }
    make_room(&a);
    choose_statements(&a);
    a.sql = make_sql(&a);
    prepare(&a);
    ask_rows(&a);
    check_refusals(&a);
    PQclear(PQexec(conn, "DEALLOCATE ALL"));
    free_room(&a);
}
