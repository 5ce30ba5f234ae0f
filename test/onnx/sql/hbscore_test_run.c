/* hbscore_test_run.c - an ONNX graph over whole tensors in SQL, for tests alone: a table-valued function
 *
 *     SELECT position, type, dims, numbers FROM hbscore_test_run(model, in_0, in_1, ..)
 *
 * The inputs are TensorProto messages; a row is an output: its hbscore type, and its dimensions and numbers as JSON. */
#include <math.h>
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>

#include "onnx/whole_tensors.h"

SQLITE_EXTENSION_INIT1

enum { MOST_INPUTS = 8, POSITION = 0, TYPE, DIMS, NUMBERS, MODEL, INPUT };

typedef struct cursor {
    sqlite3_vtab_cursor base;
    whole_tensors outputs;
    size_t row;
} cursor;

static int connect_table(sqlite3 *db, void *context, int n, const char *const *arguments, sqlite3_vtab **table,
                         char **error)
{
    int rc = sqlite3_declare_vtab(
        db, "CREATE TABLE x(position, type, dims, numbers, model HIDDEN, in_0 HIDDEN, in_1 HIDDEN, "
            "in_2 HIDDEN, in_3 HIDDEN, in_4 HIDDEN, in_5 HIDDEN, in_6 HIDDEN, in_7 HIDDEN)");

    (void)context;
    (void)n;
    (void)arguments;
    (void)error;
    if (rc != SQLITE_OK)
        return rc;
    *table = sqlite3_malloc(sizeof(**table));
    if (!*table)
        return SQLITE_NOMEM;
    memset(*table, 0, sizeof(**table));
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

/* The arguments come in their order. */
static int best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    int places[1 + MOST_INPUTS], n = 0;

    (void)table;
    for (int i = 0; i <= MOST_INPUTS; i++)
        places[i] = -1;
    for (int i = 0; i < info->nConstraint; i++)
        if (info->aConstraint[i].usable && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ &&
            info->aConstraint[i].iColumn >= MODEL)
            places[info->aConstraint[i].iColumn - MODEL] = i;
    for (; n <= MOST_INPUTS && places[n] >= 0; n++) {
        info->aConstraintUsage[places[n]].argvIndex = n + 1;
        info->aConstraintUsage[places[n]].omit = 1;
    }
    return n > 0 ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
    cursor *c = sqlite3_malloc(sizeof(*c));

    (void)table;
    if (!c)
        return SQLITE_NOMEM;
    memset(c, 0, sizeof(*c));
    *made = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    cursor *c = (cursor *)base;

    whole_tensors_free(&c->outputs);
    sqlite3_free(c);
    return SQLITE_OK;
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void *resize(void *context, void *block, size_t size)
{
    (void)context;
    return realloc(block, size);
}

static void release(void *context, void *block)
{
    (void)context;
    free(block);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int n, sqlite3_value **values)
{
    const hbs_host host = {.allocate = allocate, .resize = resize, .release = release};
    cursor *c = (cursor *)base;
    whole_tensors inputs = {.n = 0};
    hbs_error error = {.text = ""};
    hbs_status status = HBS_OK;

    (void)number;
    (void)text;
    whole_tensors_free(&c->outputs);
    c->row = 0;
    for (int i = 1; i < n && status == HBS_OK; i++)
        status = whole_tensor_parse(sqlite3_value_blob(values[i]), (size_t)sqlite3_value_bytes(values[i]),
                                    &inputs.items[inputs.n++], &error);
    if (status == HBS_OK)
        status = whole_tensors_compute(&host, sqlite3_value_blob(values[0]), (size_t)sqlite3_value_bytes(values[0]),
                                       &inputs, 0, &c->outputs, &error);
    whole_tensors_free(&inputs);
    if (status == HBS_OK)
        return SQLITE_OK;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", error.text);
    return SQLITE_ERROR;
}

static int next(sqlite3_vtab_cursor *base)
{
    ((cursor *)base)->row++;
    return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
    return ((cursor *)base)->row >= ((cursor *)base)->outputs.n;
}

/* JSON has no NaN and no infinity: these are texts. */
static void append_number(sqlite3_str *to, double x)
{
    if (isfinite(x))
        sqlite3_str_appendf(to, "%!.17g", x);
    else
        sqlite3_str_appendf(to, "\"%s\"", x != x ? "nan" : x > 0 ? "inf" : "-inf");
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int i)
{
    const cursor *c = (cursor *)base;
    const whole_tensor *t = &c->outputs.items[c->row];
    sqlite3_str *list = sqlite3_str_new(NULL);
    char buffer[32];

    sqlite3_str_appendall(list, "[");
    for (size_t k = 0; i == DIMS && k < t->n_dims; k++)
        sqlite3_str_appendf(list, "%s%lld", k ? "," : "", (long long)t->dims[k]);
    for (size_t k = 0; i == NUMBERS && k < t->count; k++) {
        sqlite3_str_appendall(list, k ? "," : "");
        append_number(list, t->numbers[k]);
    }
    sqlite3_str_appendall(list, "]");
    if (i == DIMS || i == NUMBERS)
        sqlite3_result_text(context, sqlite3_str_value(list), -1, SQLITE_TRANSIENT);
    else if (i == POSITION)
        sqlite3_result_int64(context, (sqlite3_int64)c->row);
    else if (i == TYPE)
        sqlite3_result_text(context, hb_onnx_type_name(t->type, buffer), -1, SQLITE_TRANSIENT);
    sqlite3_free(sqlite3_str_finish(list));
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
    *id = (sqlite3_int64)((cursor *)base)->row;
    return SQLITE_OK;
}

__attribute__((visibility("default"))) int sqlite3_hbscoretestrun_init(sqlite3 *db, char **error,
                                                                       const sqlite3_api_routines *api);

int sqlite3_hbscoretestrun_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
    static const sqlite3_module module = {.xConnect = connect_table,
                                          .xBestIndex = best_index,
                                          .xDisconnect = disconnect_table,
                                          .xOpen = open_cursor,
                                          .xClose = close_cursor,
                                          .xFilter = filter,
                                          .xNext = next,
                                          .xEof = is_at_end,
                                          .xColumn = column,
                                          .xRowid = rowid};

    SQLITE_EXTENSION_INIT2(api)
    (void)error;
    return sqlite3_create_module(db, "hbscore_test_run", &module, NULL);
}
