/* golden_sets.c - the rows of a golden as a table, scored in one scan: by columns as scalars, by the whole row, by an
 * array; row by row, in blocks by the node, in a parallel worker, and by compiled expressions; and by predict_agg.
 *
 * The table has a column for each feature, in reverse order: names say which is which. Where a model has no names, or
 * such that no column can have, the row is ROW(..), which goes by position. A column has the type of its cells where
 * they have one, else float8 or text; a row that such a column cannot hold exactly is left out, and so is one that is
 * an error: it would be the whole scan's. */
#include "golden_postgres.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum way { BY_SCALARS, BY_ROW, BY_ARRAY, WAYS } way;

typedef struct set {
    gp_model *m;
    PGconn *conn;
    Oid *types;   /* [features] */
    Oid element;  /* of the array */
    bool names;   /* columns have the features' names */
    bool *inside; /* [rows] */
    bool *array;  /* [rows]: it has one */
    size_t n_inside;
    gp_buffer text;
    double *numbers;
} set;

const char *const gp_mode_names[GP_MODES] = {"scan", "scan in blocks", "parallel scan", "scan with JIT"};

/* ------------------------------------------------------------------ settings */

static const char *parallel_setting(PGconn *conn)
{
    return PQserverVersion(conn) >= 160000 ? "debug_parallel_query" : "force_parallel_mode";
}

/* Compiled without optimization, which takes long and is LLVM's matter. `parallel`: regress, or on. */
static void set_mode(PGconn *conn, gp_mode mode, const char *parallel)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "SET LOCAL hbscore.batch = %s; SET LOCAL %s = %s; SET LOCAL jit = %s; SET LOCAL jit_above_cost = 0;"
             " SET LOCAL jit_inline_above_cost = -1; SET LOCAL jit_optimize_above_cost = -1",
             mode == GP_BLOCKS ? "on" : "off", parallel_setting(conn), mode == GP_PARALLEL ? parallel : "off", mode == GP_JIT ? "on" : "off");
    PQclear(PQexec(conn, sql));
}

const char *gp_mode_missing(PGconn *conn, gp_mode mode)
{
    PGresult *result;
    bool can;

    if (mode != GP_JIT)
        return NULL;
    result = PQexec(conn, "SET jit = on; SELECT pg_jit_available()");
    can = PQntuples(result) == 1 && strcmp(PQgetvalue(result, 0, 0), "t") == 0;
    PQclear(result);
    PQclear(PQexec(conn, "RESET jit"));
    return can ? NULL : "the server has no LLVM";
}

/* ------------------------------------------------------------------ the table */

static bool is_name(hbs_text name)
{
    static const char *const taken[] = {"tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"};

    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        if (strlen(taken[i]) == name.size && memcmp(taken[i], name.bytes, name.size) == 0)
            return false;
    return name.size > 0 && name.size < 64;
}

static bool can_be_columns(const rg_golden *g)
{
    for (size_t c = 0; c < g->features; c++) {
        if (!is_name(g->names[c]))
            return false;
        for (size_t other = 0; other < c; other++)
            if (g->names[c].size == g->names[other].size &&
                memcmp(g->names[c].bytes, g->names[other].bytes, g->names[c].size) == 0)
                return false;
    }
    return true;
}

/* In all rows that are no error. */
static Oid one_type(const gp_model *m, size_t c)
{
    const rg_golden *g = &m->golden;
    hbs_type type = HBS_NULL;

    for (size_t row = 0; row < g->rows; row++) {
        hbs_type other = g->cells[row * g->features + c].type;

        if (m->error[row].status != HBS_OK || other == HBS_NULL)
            continue;
        if (type != HBS_NULL && type != other)
            return 0;
        type = other;
    }
    return gp_type_of(type);
}

/* The cell as its column has it, a missing one as NULL or NaN by turns. False: it cannot. */
static bool column_cell(const set *s, size_t row, size_t c, char *buffer, hbs_value *value)
{
    const hbs_value *cell = &s->m->golden.cells[row * s->m->golden.features + c];

    if (gp_type_of(cell->type) == s->types[c]) {
        *value = *cell;
        return true;
    }
    return rg_cell(cell, s->types[c] == GP_TEXT ? RG_TEXT : RG_FLOAT64, row % 2 && s->types[c] == GP_FLOAT8, buffer,
                   value);
}

static void choose_rows(set *s)
{
    const rg_golden *g = &s->m->golden;
    char buffer[RG_CELL_TEXT];
    hbs_value value;

    for (size_t row = 0; row < g->rows; row++) {
        s->inside[row] = s->m->error[row].status == HBS_OK;
        for (size_t c = 0; c < g->features && s->inside[row]; c++)
            s->inside[row] = column_cell(s, row, c, buffer, &value);
        s->array[row] = s->element == GP_TEXT || rg_row_fits(g, row, RG_FLOAT64);
        s->n_inside += s->inside[row];
    }
}

static void choose_types(set *s)
{
    const rg_golden *g = &s->m->golden;

    s->element = GP_FLOAT8;
    for (size_t c = 0; c < g->features; c++) {
        s->types[c] = one_type(s->m, c);
        if (!s->types[c])
            s->types[c] = g->is_text[c] ? GP_TEXT : GP_FLOAT8;
        if (g->is_text[c] || s->types[c] == GP_TEXT)
            s->element = GP_TEXT;
    }
}

/* ------------------------------------------------------------------ its SQL */

__attribute__((format(printf, 2, 3))) static void add(set *s, const char *format, ...)
{
    char piece[1024];
    va_list args;

    va_start(args, format);
    gp_put(&s->text, piece, (size_t)vsnprintf(piece, sizeof(piece), format, args));
    va_end(args);
}

static void add_column(set *s, size_t c)
{
    const hbs_text *name = &s->m->golden.names[c];
    char *quoted;

    if (!s->names) {
        add(s, "c%zu", c);
        return;
    }
    quoted = PQescapeIdentifier(s->conn, name->bytes, name->size);
    add(s, "%s", quoted ? quoted : "NULL");
    PQfreemem(quoted);
}

static void create_table(set *s)
{
    add(s, "BEGIN; CREATE TABLE golden_%d (\"golden row\" int4", (int)getpid());
    for (size_t c = s->m->golden.features; c-- > 0;) {
        add(s, ", ");
        add_column(s, c);
        add(s, " %s", gp_type_name(s->types[c]));
    }
    add(s, ", \"golden array\" %s[])", gp_type_name(s->element));
}

static void add_row(set *s, way how)
{
    if (how == BY_ARRAY) {
        add(s, "t.\"golden array\"");
        return;
    }
    if (how == BY_ROW && s->names) {
        add(s, "t.*");
        return;
    }
    add(s, how == BY_ROW ? "ROW(" : "");
    for (size_t c = 0; c < s->m->golden.features; c++) {
        add(s, c ? ", t." : "t.");
        add_column(s, c);
    }
    add(s, how == BY_ROW ? ")" : "");
}

static bool has_way(const set *s, way how)
{
    return how != BY_SCALARS || s->m->golden.features <= GP_MAX_SCALARS;
}

static void add_call(set *s, const char *function, const char *class, way how)
{
    char *name = PQescapeLiteral(s->conn, s->m->name, strlen(s->m->name));

    add(s, "%s(%s, %s", function, name, class);
    add_row(s, how);
    PQfreemem(name);
}

static void make_query(set *s)
{
    s->text.size = 0;
    add(s, "SELECT t.\"golden row\"");
    for (way how = 0; how < WAYS; how++)
        for (size_t i = 0; i < s->m->n_calls && has_way(s, how); i++) {
            add(s, ", ");
            add_call(s, s->m->calls[i].name, s->m->calls[i].class, how);
            add(s, ")");
        }
    add(s, " FROM golden_%d AS t", (int)getpid());
    gp_put(&s->text, "", 1);
}

/* predict_agg in each way, its arrays side by side as rows again. */
static void make_aggregate(set *s)
{
    const char *between = "";

    s->text.size = 0;
    add(s, "SELECT u.* FROM (SELECT ");
    for (way how = 0; how < WAYS; how++)
        if (has_way(s, how)) {
            add(s, "%s", between);
            add_call(s, "predict_agg", "", how);
            add(s, " ORDER BY t.\"golden row\") AS a%d", (int)how);
            between = ", ";
        }
    add(s, " FROM golden_%d AS t) AS p, unnest(%sp.a1, p.a2) AS u", (int)getpid(),
        has_way(s, BY_SCALARS) ? "p.a0, " : "");
    gp_put(&s->text, "", 1);
}

static bool run(set *s)
{
    PGresult *result;
    bool ok;

    gp_put(&s->text, "", 1);
    result = PQexec(s->conn, s->text.bytes);
    ok = PQresultStatus(result) == PGRES_COMMAND_OK;
    if (!ok)
        gp_differ(s->m, "%.200s: %s", s->text.bytes, PQresultErrorMessage(result));
    PQclear(result);
    return ok;
}

/* ------------------------------------------------------------------ its rows */

static void put_field(set *s, const hbs_value *value)
{
    gp_buffer field = {0};

    if (value->type == HBS_NULL) {
        gp_put_int(&s->text, -1, 4);
        return;
    }
    gp_put_value(&field, value);
    gp_put_field(&s->text, &field);
    free(field.bytes);
}

/* Numbers as float8[], or all as text[]; what is missing is NULL or NaN by turns. */
static void put_array(set *s, size_t row)
{
    const rg_golden *g = &s->m->golden;
    char *buffers = rg_need(g->features, RG_CELL_TEXT);
    hbs_value *values = rg_need(g->features, sizeof(*values));
    gp_buffer field = {0};

    for (size_t c = 0; c < g->features; c++)
        rg_cell(&g->cells[row * g->features + c], s->element == GP_TEXT ? RG_TEXT : RG_FLOAT64,
                row % 2 && !g->is_text[c], buffers + c * RG_CELL_TEXT, &values[c]);
    gp_put_array(&field, values, g->features, s->element);
    gp_put_field(&s->text, &field);
    free(field.bytes);
    free(values);
    free(buffers);
}

static void put_row(set *s, size_t row)
{
    const rg_golden *g = &s->m->golden;
    char buffer[RG_CELL_TEXT];
    hbs_value value = {.type = HBS_NULL};

    gp_put_int(&s->text, (int64_t)g->features + 2, 2);
    gp_put_int(&s->text, 4, 4);
    gp_put_int(&s->text, (int64_t)row, 4);
    for (size_t c = g->features; c-- > 0;) {
        column_cell(s, row, c, buffer, &value);
        put_field(s, &value);
    }
    if (s->array[row])
        put_array(s, row);
    else
        gp_put_int(&s->text, -1, 4);
}

static bool copy_rows(set *s)
{
    char sql[64];
    PGresult *result;
    bool ok;

    snprintf(sql, sizeof(sql), "COPY golden_%d FROM STDIN (FORMAT binary)", (int)getpid());
    PQclear(PQexec(s->conn, sql));
    s->text.size = 0;
    gp_put(&s->text, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
    for (size_t row = 0; row < s->m->golden.rows; row++)
        if (s->inside[row])
            put_row(s, row);
    gp_put_int(&s->text, -1, 2);
    PQputCopyData(s->conn, s->text.bytes, (int)s->text.size);
    PQputCopyEnd(s->conn, NULL);
    result = PQgetResult(s->conn);
    ok = PQresultStatus(result) == PGRES_COMMAND_OK;
    if (!ok)
        gp_differ(s->m, "COPY: %s", PQresultErrorMessage(result));
    PQclear(result);
    PQclear(PQgetResult(s->conn));
    return ok;
}

/* ------------------------------------------------------------------ answers */

static size_t row_of(const PGresult *result, int at)
{
    const unsigned char *bytes = (const unsigned char *)PQgetvalue(result, at, 0);

    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

static void compare_set_row(set *s, const PGresult *result, int at, gp_mode mode)
{
    static const char *const ways[] = {"scalars", "row", "array"};
    size_t row = row_of(result, at);
    int column = 1;
    char what[64];

    for (way how = 0; how < WAYS; how++)
        for (size_t i = 0; i < s->m->n_calls && has_way(s, how); i++, column++) {
            gp_answer answer = gp_read(s->m, result, at, column, &s->m->calls[i], s->numbers);

            if (how == BY_ARRAY && !s->array[row])
                continue;
            snprintf(what, sizeof(what), "%s, %s", gp_mode_names[mode], ways[how]);
            gp_compare(s->m, row, &s->m->calls[i], &answer, what);
        }
}

static void scan(set *s, gp_mode mode)
{
    size_t before = s->m->differences;
    PGresult *result;

    set_mode(s->conn, mode, "regress");
    result = PQexecParams(s->conn, s->text.bytes, 0, NULL, NULL, NULL, NULL, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK)
        gp_differ(s->m, "%s: %s", gp_mode_names[mode], PQresultErrorMessage(result));
    else if ((size_t)PQntuples(result) != s->n_inside)
        gp_differ(s->m, "%s: %d rows of %zu", gp_mode_names[mode], PQntuples(result), s->n_inside);
    else
        for (int at = 0; at < PQntuples(result); at++)
            compare_set_row(s, result, at, mode);
    PQclear(result);
    s->m->scans += mode != GP_SERIAL;
    s->m->wrong_scans += mode != GP_SERIAL && s->m->differences > before;
}

/* The elements are the rows of the table in their order. */
static void compare_aggregate(set *s, const PGresult *result, const gp_call *call)
{
    static const char *const ways[] = {"predict_agg, scalars", "predict_agg, row", "predict_agg, array"};
    int at = 0;

    for (size_t row = 0; row < s->m->golden.rows; row++) {
        int column = 0;

        for (way how = 0; how < WAYS && s->inside[row]; how++) {
            gp_answer answer;

            if (!has_way(s, how))
                continue;
            answer = gp_read(s->m, result, at, column++, call, s->numbers);
            if (how != BY_ARRAY || s->array[row])
                gp_compare(s->m, row, call, &answer, ways[how]);
        }
        at += s->inside[row];
    }
}

/* Rows that are scored in blocks. */
static void aggregate(set *s)
{
    PGresult *result;

    for (size_t i = 0; i < s->m->n_calls; i++) {
        if (s->m->calls[i].function != HBS_PREDICT)
            continue;
        make_aggregate(s);
        set_mode(s->conn, GP_SERIAL, "off");
        result = PQexecParams(s->conn, s->text.bytes, 0, NULL, NULL, NULL, NULL, 1);
        if (PQresultStatus(result) != PGRES_TUPLES_OK)
            gp_differ(s->m, "predict_agg: %s", PQresultErrorMessage(result));
        else if ((size_t)PQntuples(result) != s->n_inside)
            gp_differ(s->m, "predict_agg: %d rows of %zu", PQntuples(result), s->n_inside);
        else
            compare_aggregate(s, result, &s->m->calls[i]);
        PQclear(result);
    }
}

/* ------------------------------------------------------------------ */

/* That the settings do what they are for: a Gather, compiled expressions. */
static void check_mode(set *s, gp_mode mode, const char *wanted)
{
    gp_buffer sql = {0};
    bool found = false;
    PGresult *result;

    gp_put(&sql, "EXPLAIN (ANALYZE) ", 18);
    gp_put(&sql, s->text.bytes, s->text.size);
    set_mode(s->conn, mode, "on");
    result = PQexec(s->conn, sql.bytes);
    for (int i = 0; i < PQntuples(result); i++)
        found |= strstr(PQgetvalue(result, i, 0), wanted) != NULL;
    if (!found)
        gp_differ(s->m, "EXPLAIN of a %s shows no \"%s\"", gp_mode_names[mode], wanted);
    PQclear(result);
    free(sql.bytes);
}

static void scan_all(set *s, const bool modes[GP_MODES])
{
    static bool checked;

    for (gp_mode mode = 0; mode < GP_MODES; mode++)
        if (modes[mode])
            scan(s, mode);
    if (checked || !modes[GP_PARALLEL])
        return;
    checked = true;
    check_mode(s, GP_BLOCKS, "HbPredict");
    check_mode(s, GP_PARALLEL, "Gather");
    if (modes[GP_JIT])
        check_mode(s, GP_JIT, "JIT:");
}

void gp_sets(gp_model *m, PGconn *conn, const bool modes[GP_MODES])
{
    set s = {.m = m, .conn = conn};

    if (m->refusal.status != HBS_OK || m->n_calls == 0)
        return;
    s.types = rg_need(m->golden.features, sizeof(*s.types));
    s.inside = rg_need(m->golden.rows, sizeof(*s.inside));
    s.array = rg_need(m->golden.rows, sizeof(*s.array));
    s.numbers = rg_need(m->stride, sizeof(*s.numbers));
    s.names = m->info.named && can_be_columns(&m->golden);
    choose_types(&s);
    choose_rows(&s);
    create_table(&s);
    if (run(&s) && copy_rows(&s)) {
        make_query(&s);
        scan_all(&s, modes);
        if (modes[GP_SERIAL])
            aggregate(&s);
    }
    PQclear(PQexec(conn, "ROLLBACK"));
    free(s.types);
    free(s.inside);
    free(s.array);
    free(s.numbers);
    free(s.text.bytes);
}
