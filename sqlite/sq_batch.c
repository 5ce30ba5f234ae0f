/* sq_batch.c - rows gathered into columns, and scored a block at a time.
 *
 * A batch takes values in the order carried cells, features, row after row. SQLite types each cell
 * by itself, hbscore each column: so a column is an array of doubles as long as its cells fit one
 * without loss (a NULL is a NaN there, which means the same), and an array of hbs_value from the
 * first cell on that does not, for the rest of the block. Texts are copied: SQLite's own are gone
 * with the row.
 *
 * A bad row ends the block: the rows before it are scored, and its error waits until the reader
 * comes to it, as it would be with one call for each row. */
#include "sq_hbscore.h"

#include <string.h>

enum {
    CHUNK = 64 * 1024,     /* of texts */
    ROW_PADDING = 8,       /* columns that lie whole pages apart would share few lines of the cache */
    MOST_BYTES = 16 << 20, /* of numbers and carried cells: very wide rows have shorter blocks */
    NEAR_BYTES = 1 << 20,  /* of numbers, if the model does not ask for more rows: these stay in the caches */
    FEWEST_ROWS = 16
};

/* ------------------------------------------------------------------ texts */

struct sq_chunk {
    sq_chunk *next;
    size_t size;
    size_t used;
    char bytes[];
};

/* A copy that lives until the block is cleared; NULL: no memory. */
static const char *keep_bytes(sq_batch *batch, const void *bytes, size_t size)
{
    sq_chunk *chunk = batch->texts;
    char *kept;

    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;

        chunk = sqlite3_malloc64(sizeof(*chunk) + room);
        if (!chunk)
            return NULL;
        *chunk = (sq_chunk){.next = batch->texts, .size = room};
        batch->texts = chunk;
    }
    kept = chunk->bytes + chunk->used;
    if (size > 0)
        memcpy(kept, bytes, size);
    chunk->used += size;
    batch->kept += size;
    return kept;
}

void sq_batch_free_texts(sq_chunk *texts)
{
    while (texts) {
        sq_chunk *next = texts->next;

        sqlite3_free(texts);
        texts = next;
    }
}

/* Keeps one chunk for the next block. */
static void clear_texts(sq_batch *batch)
{
    while (batch->texts && (batch->texts->next || batch->texts->size > CHUNK)) {
        sq_chunk *next = batch->texts->next;

        sqlite3_free(batch->texts);
        batch->texts = next;
    }
    if (batch->texts)
        batch->texts->used = 0;
    batch->kept = 0;
}

/* ------------------------------------------------------------------ making */

/* Rows of a block: `wanted`, fewer where they are wide. */
static size_t block_rows(const sq_batch *batch, bool scores, size_t wanted)
{
    const hbs_plan_info *info = scores ? &batch->model.plan->info : NULL;
    size_t numbers = info ? info->features * sizeof(double) : 0, cells = batch->n_carried * sizeof(sq_cell);
    size_t most = numbers + cells ? MOST_BYTES / (numbers + cells) : wanted;

    if (info) {
        size_t results = (info->probabilities_width + info->values_width) * sizeof(double);
        size_t near = NEAR_BYTES / (numbers + results);

        near = near > info->block_rows ? near : info->block_rows;
        most = near < most ? near : most;
    }
    return most > wanted ? wanted : most < FEWEST_ROWS ? FEWEST_ROWS : most;
}

static void *zeroed_array(size_t count, size_t size)
{
    void *block = sqlite3_malloc64((count ? count : 1) * size);

    if (block)
        memset(block, 0, (count ? count : 1) * size);
    return block;
}

/* A column for each feature that the outputs need; what the core gets of the others is HBS_NULL. */
static bool make_columns(sq_batch *batch)
{
    const host_plan *plan = batch->model.plan;

    batch->used = zeroed_array(plan->info.features, sizeof(*batch->used));
    batch->given = zeroed_array(plan->info.features, sizeof(*batch->given));
    if (!batch->used || !batch->given)
        return false;
    batch->n_used = host_used_features(plan, batch->outputs, batch->used);
    batch->stride = batch->capacity + ROW_PADDING;
    batch->numbers = zeroed_array(batch->n_used, batch->stride * sizeof(*batch->numbers));
    batch->columns = zeroed_array(batch->n_used, sizeof(*batch->columns));
    if (!batch->numbers || !batch->columns)
        return false;
    for (size_t c = 0; c < batch->n_used; c++) {
        hbs_text name;
        hbs_type type;

        hbs_plan_feature(plan->compiled, (size_t)batch->used[c], &name, &type);
        batch->columns[c].takes_text = type == HBS_TEXT;
    }
    return true;
}

static int make_run(const sq_batch *batch, size_t rows, hbs_run **run, sq_error *error)
{
    sq_found found = batch->model;
    hbs_error core;
    hbs_status status;

    found.shown[found.name_size] = 0; /* messages name the model without its version */
    status = hbs_run_create(found.plan->compiled, &batch->connection->host, found.shown, rows, run, &core);
    if (status == HBS_OK && batch->connection->settings.dense == SQ_DENSE_BLAS)
        status = hbs_run_use_blas(*run, &host_blas, &core);
    return status == HBS_OK ? SQLITE_OK : sq_fail_core(error, &core);
}

int sq_batch_new(sq_connection *connection, const sq_found *model, size_t carried, bool scores, size_t rows,
                 sq_batch **made, sq_error *error)
{
    sq_batch *batch = zeroed_array(1, sizeof(*batch));
    int code = SQLITE_OK;

    *made = NULL;
    if (!batch) {
        if (model)
            host_cache_unpin(&connection->plans, model->plan);
        return sq_fail_memory(error);
    }
    connection->references++;
    batch->connection = connection;
    batch->n_carried = carried;
    if (model)
        batch->model = *model;
    batch->width = carried;
    batch->capacity = block_rows(batch, scores, rows);
    batch->cells = zeroed_array(carried, batch->capacity * sizeof(*batch->cells));
    if (!batch->cells)
        code = sq_fail_memory(error);
    else if (scores)
        code = make_run(batch, batch->capacity, &batch->run, error);
    if (code != SQLITE_OK) {
        sq_batch_free(batch);
        return code;
    }
    sq_batch_clear(batch);
    *made = batch;
    return SQLITE_OK;
}

void sq_batch_free(sq_batch *batch)
{
    sq_connection *connection;

    if (!batch)
        return;
    connection = batch->connection;
    for (size_t c = 0; batch->columns && c < batch->n_used; c++)
        sqlite3_free(batch->columns[c].values);
    sqlite3_free(batch->columns);
    sqlite3_free(batch->places);
    sqlite3_free(batch->used);
    sqlite3_free(batch->numbers);
    sqlite3_free(batch->given);
    sqlite3_free(batch->cells);
    sq_batch_free_texts(batch->texts);
    sq_device_free(batch);
    hbs_run_free(batch->run);
    if (batch->model.plan)
        host_cache_unpin(&connection->plans, batch->model.plan);
    sqlite3_free(batch);
    sq_connection_release(connection);
}

int sq_batch_ask(sq_batch *batch, hbs_function function, bool probability, sq_error *error)
{
    const hbs_plan_info *info = &batch->model.plan->info;
    hbs_error core;

    if (hbs_run_outputs(batch->run, function, &batch->outputs, &core) != HBS_OK)
        return sq_fail_core(error, &core);
    if (probability && batch->outputs & HBS_OUT_LABEL && info->probabilities_width == info->classes)
        batch->outputs |= HBS_OUT_PROBABILITIES;
    if (!make_columns(batch))
        return sq_fail_memory(error);
    batch->width = batch->n_carried + batch->n_used;
    sq_batch_clear(batch);
    return SQLITE_OK;
}

/* Memory whose size depends on the capacity. */
typedef struct roomy {
    hbs_run *run;
    sq_cell *cells;
    double *numbers;
    size_t rows;
} roomy;

/* With room for its results, which a block of no rows takes. */
static bool make_roomy_run(const sq_batch *batch, roomy *r)
{
    hbs_result result;
    hbs_error core;
    sq_error ignored;

    return make_run(batch, r->rows, &r->run, &ignored) == SQLITE_OK &&
           hbs_score(r->run, batch->given, batch->model.plan->info.features, 0, batch->outputs, &result, &core) ==
               HBS_OK;
}

static bool make_roomy(const sq_batch *batch, roomy *r)
{
    r->cells = zeroed_array(batch->n_carried, r->rows * sizeof(*r->cells));
    r->numbers = zeroed_array(batch->n_used, (r->rows + ROW_PADDING) * sizeof(*r->numbers));
    if (r->cells && r->numbers && make_roomy_run(batch, r))
        return true;
    hbs_run_free(r->run);
    sqlite3_free(r->cells);
    sqlite3_free(r->numbers);
    return false;
}

/* Columns of values that are there; nothing is lost if that fails. */
static bool grow_values(sq_batch *batch, size_t rows)
{
    for (size_t c = 0; c < batch->n_used; c++) {
        hbs_value *values = batch->columns[c].values;

        if (values)
            values = sqlite3_realloc64(values, rows * sizeof(*values));
        if (batch->columns[c].values && !values)
            return false;
        batch->columns[c].values = values;
    }
    return true;
}

bool sq_batch_grow(sq_batch *batch, size_t rows)
{
    roomy r = {.rows = rows};

    if (rows <= batch->capacity)
        return true;
    if (!grow_values(batch, rows) || !make_roomy(batch, &r))
        return false;
    hbs_run_free(batch->run);
    sqlite3_free(batch->cells);
    sqlite3_free(batch->numbers);
    batch->run = r.run;
    batch->cells = r.cells;
    batch->numbers = r.numbers;
    batch->capacity = rows;
    batch->stride = rows + ROW_PADDING;
    return true;
}

void sq_batch_arrange(sq_batch *batch, int *places, size_t width)
{
    sqlite3_free(batch->places);
    batch->places = places;
    batch->width = width;
}

int sq_batch_take_all(sq_batch *batch, sq_error *error)
{
    size_t n = batch->model.plan->info.features;
    int *places;

    if (batch->n_used == n)
        return SQLITE_OK;
    places = sqlite3_malloc64(n * sizeof(*places));
    if (!places)
        return sq_fail_memory(error);
    for (size_t f = 0, c = 0; f < n; f++)
        places[f] = c < batch->n_used && (size_t)batch->used[c] == f ? (int)c++ : -1;
    sq_batch_arrange(batch, places, n);
    return SQLITE_OK;
}

/* ------------------------------------------------------------------ gathering */

void sq_batch_clear(sq_batch *batch)
{
    clear_texts(batch);
    batch->at = 0;
    batch->rows = 0;
    batch->ready = 0;
    batch->error.code = SQLITE_OK;
    for (size_t c = 0; c < batch->n_used; c++)
        batch->columns[c].mixed = batch->columns[c].takes_text;
}

static inline double *numbers_of(const sq_batch *batch, size_t column)
{
    return batch->numbers + column * batch->stride;
}

/* From here on each row of the column has a type of its own. */
static bool mix_column(const sq_batch *batch, size_t index)
{
    sq_column *column = &batch->columns[index];
    const double *numbers = numbers_of(batch, index);

    if (!column->values)
        column->values = sqlite3_malloc64(batch->capacity * sizeof(*column->values));
    if (!column->values)
        return false; /* the rows before this one can still be scored */
    for (size_t r = 0; r < batch->rows; r++)
        column->values[r] = (hbs_value){.type = HBS_FLOAT64, .as.f64 = numbers[r]};
    column->mixed = true;
    return true;
}

/* Keeps a cell that is not exactly a number. Never inline, so that the loop over numbers has all registers. */
static __attribute__((noinline)) int keep_value(sq_batch *batch, size_t index, sqlite3_value *from)
{
    sq_column *column = &batch->columns[index];
    hbs_value *value;
    const void *text;

    if ((!column->mixed || !column->values) && !mix_column(batch, index))
        return sq_fail_memory(&batch->error);
    value = &column->values[batch->rows];
    switch (sqlite3_value_type(from)) {
    case SQLITE_FLOAT:
        *value = (hbs_value){.type = HBS_FLOAT64, .as.f64 = sqlite3_value_double(from)};
        break;
    case SQLITE_INTEGER:
        *value = (hbs_value){.type = HBS_INT64, .as.i64 = sqlite3_value_int64(from)};
        break;
    case SQLITE_NULL:
        *value = (hbs_value){.type = HBS_NULL};
        break;
    case SQLITE_TEXT:
        text = sqlite3_value_text(from);
        value->type = HBS_TEXT;
        value->as.text.size = (size_t)sqlite3_value_bytes(from);
        value->as.text.bytes = text ? keep_bytes(batch, text, value->as.text.size) : NULL;
        if (!value->as.text.bytes)
            return sq_fail_memory(&batch->error);
        break;
    default:
        return sq_fail_blob(&batch->error, batch->model.plan, (hbs_text){batch->model.shown, batch->model.name_size},
                            (size_t)batch->used[index]);
    }
    return SQLITE_OK;
}

/* The row's values in `n` columns from column `first` on. */
static int gather_cells(sq_batch *batch, size_t first, size_t n, sqlite3_value **values)
{
    const sq_column *columns = batch->columns + first;
    size_t stride = batch->stride;
    double *to = numbers_of(batch, first) + batch->rows;

    for (size_t i = 0; i < n; i++, to += stride) {
        if (!columns[i].mixed && sq_value_number(values[i], to))
            continue;
        if (keep_value(batch, first + i, values[i]) != SQLITE_OK)
            return batch->error.code;
    }
    return SQLITE_OK;
}

static int carry_cell(sq_batch *batch, sq_cell *cell, sqlite3_value *from)
{
    const void *bytes;

    cell->type = sqlite3_value_type(from);
    switch (cell->type) {
    case SQLITE_INTEGER:
        cell->as.integer = sqlite3_value_int64(from);
        return SQLITE_OK;
    case SQLITE_FLOAT:
        cell->as.real = sqlite3_value_double(from);
        return SQLITE_OK;
    case SQLITE_NULL:
        return SQLITE_OK;
    }
    bytes = cell->type == SQLITE_TEXT ? (const void *)sqlite3_value_text(from) : sqlite3_value_blob(from);
    cell->size = (size_t)sqlite3_value_bytes(from);
    cell->as.bytes = bytes || cell->size == 0 ? keep_bytes(batch, bytes, cell->size) : NULL;
    return cell->as.bytes ? SQLITE_OK : sq_fail_memory(&batch->error);
}

static sq_cell *cell_at(const sq_batch *batch, size_t at)
{
    return &batch->cells[at * batch->capacity + batch->rows];
}

/* Cells from `at` on; they are kept for the row's other columns. */
static int carry_cells(sq_batch *batch, size_t at, size_t n, sqlite3_value **values)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < n && code == SQLITE_OK; i++)
        code = carry_cell(batch, cell_at(batch, at + i), values[i]);
    return code;
}

/* How many of `n` cells go to columns that follow each other, or to none as the first one; at least 1. */
static size_t run_of(const int *places, size_t n)
{
    int step = places[0] >= 0;
    size_t run = 1;

    while (run < n && places[run] == places[0] + step * (int)run)
        run++;
    return run;
}

/* Cells from `at` on, where carried ones may be features too. */
static int take_arranged(sq_batch *batch, size_t at, size_t n, sqlite3_value **values)
{
    const int *places = batch->places + at;
    int code = SQLITE_OK;

    for (size_t i = 0, done; code == SQLITE_OK && i < n; i += done) {
        size_t carried = at + i < batch->n_carried ? batch->n_carried - at - i : 0;

        done = run_of(places + i, carried && carried < n - i ? carried : n - i);
        if (carried)
            code = carry_cells(batch, at + i, done, values + i);
        if (code == SQLITE_OK && places[i] >= 0)
            code = gather_cells(batch, (size_t)places[i], done, values + i);
    }
    return code;
}

/* Cells from `at` on: those carried, then those of the columns in their order. */
static int take_cells(sq_batch *batch, size_t at, size_t n, sqlite3_value **values)
{
    size_t carried = at < batch->n_carried ? batch->n_carried - at : 0;
    int code;

    carried = carried < n ? carried : n;
    code = carry_cells(batch, at, carried, values);
    if (code != SQLITE_OK || carried == n)
        return code;
    return gather_cells(batch, at + carried - batch->n_carried, n - carried, values + carried);
}

void sq_batch_take(sq_batch *batch, int count, sqlite3_value **values)
{
    size_t at = batch->at;

    if (batch->error.code != SQLITE_OK)
        return; /* the rest of a row that has its error already */
    if (batch->rows == batch->capacity || at + (size_t)count > batch->width) {
        sq_fail(&batch->error, SQLITE_INTERNAL, "internal error: a row came where none was expected, please report it");
        return;
    }
    if ((batch->places ? take_arranged(batch, at, (size_t)count, values)
                       : take_cells(batch, at, (size_t)count, values)) != SQLITE_OK)
        return;
    batch->at = at += (size_t)count;
    if (at == batch->width) {
        batch->at = 0;
        batch->rows++;
    }
}

/* ------------------------------------------------------------------ scoring */

void sq_batch_give(sq_batch *batch)
{
    for (size_t c = 0; c < batch->n_used; c++) {
        const sq_column *column = &batch->columns[c];

        batch->given[batch->used[c]] = column->mixed
                                           ? (hbs_column){.type = HBS_MIXED, .values = column->values}
                                           : (hbs_column){.type = HBS_FLOAT64, .values = numbers_of(batch, c)};
    }
    SQ_COUNT(batch->connection, blocks, 1);
    SQ_COUNT(batch->connection, rows, batch->rows);
}

void sq_batch_score(sq_batch *batch)
{
    hbs_error core;

    batch->ready = batch->rows;
    if (!batch->outputs || batch->rows == 0)
        return;
    sq_batch_give(batch);
    if (hbs_score(batch->run, batch->given, batch->model.plan->info.features, batch->rows, batch->outputs,
                  &batch->result, &core) != HBS_OK)
        sq_fail_core(&batch->error, &core);
    batch->ready = batch->result.rows;
}

void sq_result_cell(sqlite3_context *context, const sq_cell *cell)
{
    switch (cell->type) {
    case SQLITE_INTEGER:
        sqlite3_result_int64(context, cell->as.integer);
        break;
    case SQLITE_FLOAT:
        sqlite3_result_double(context, cell->as.real);
        break;
    case SQLITE_TEXT:
        sqlite3_result_text64(context, cell->as.bytes, cell->size, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case SQLITE_BLOB:
        sqlite3_result_blob64(context, cell->as.bytes, cell->size, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_result_null(context);
    }
}

/* Whether row `row` has a result; else it is SQL NULL. */
static bool has_result(const sq_batch *batch, size_t row)
{
    return batch->result.valid[row / 64] >> (row % 64) & 1;
}

void sq_result_prediction(sqlite3_context *context, const sq_batch *batch, size_t row)
{
    hbs_value label;

    if (!has_result(batch, row)) {
        sqlite3_result_null(context);
    } else if (batch->result.label) {
        hbs_plan_class(batch->model.plan->compiled, (size_t)batch->result.label[row], &label);
        sq_result_label(context, &label);
    } else {
        sqlite3_result_double(context, batch->result.value[row]);
    }
}

void sq_result_probability(sqlite3_context *context, const sq_batch *batch, size_t row)
{
    size_t width = batch->model.plan->info.probabilities_width;

    if (!has_result(batch, row) || !batch->result.probabilities || !batch->result.label)
        sqlite3_result_null(context);
    else
        sqlite3_result_double(context, batch->result.probabilities[row * width + (size_t)batch->result.label[row]]);
}
