/* sq_device.c - blocks that a GPU scores.
 *
 * A batch has room for two blocks then. While the reader has one, the other is on its way. At its end the room of the
 * first gets a third, which is sent too, before the second is waited for: so the GPU works while rows are fetched, and
 * while they are read.
 *
 * A block that the GPU cannot have any more is held: its columns stay where they were gathered, until the one before it
 * has been read. Then the CPU scores it, and all that follow. */
#include "sq_hbscore.h"

#include <string.h>

enum {
    MOST_ROOM = 16 << 20,   /* bytes of the cells of one block.. */
    MOST_SCORES = 64 << 20, /* ..and of its scores, here and in the memory that the GPU shares */
    TEXT = 32,              /* bytes that a text of a block takes, mostly at most.. */
    SPARE = 1 << 20,        /* ..and what else may take memory */
    STATUS = 2 * HBS_ERROR_TEXT
};

typedef enum flight {
    NONE,
    SENT,
    HELD,  /* for the CPU */
    FAILED /* it has an error and no rows */
} flight;

/* The rest of a block that a batch keeps, once its columns are sent. */
typedef struct side {
    flight state;
    sq_cell *cells;
    sq_chunk *texts;
    size_t kept, rows;
    sq_error error;
} side;

struct sq_offload {
    host_program *program;
    host_gate gate;
    side behind; /* the block that is read after the batch's own */
    flight own;  /* the batch's block */
    bool ready;  /* the run has room on the GPU.. */
    bool on;     /* ..which has the next blocks */
    bool moved;
    hbs_device_use use; /* that was noted */
};

/* ---- the device of a connection */

int sq_device_open(sq_connection *connection, hbs_error *why)
{
    hbs_device_info info;

    if (!connection->uses_device) {
        if (host_device_join((size_t)connection->settings.device_memory, why) != HBS_OK)
            return SQLITE_ERROR;
        connection->uses_device = true;
    }
    return host_device_info(&info, why) == HBS_OK ? SQLITE_OK : SQLITE_ERROR;
}

/* A text in JSON; characters that need an escape do not occur in names and reasons but for a strange driver's. */
static void append_text(sqlite3_str *json, const char *name, const char *text)
{
    sqlite3_str_appendf(json, "\"%s\":\"", name);
    for (; *text; text++)
        sqlite3_str_appendchar(json, 1, *text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? '?' : *text);
    sqlite3_str_appendall(json, "\"");
}

static void append_device(sqlite3_str *json, sq_connection *connection)
{
    hbs_device_info info;
    hbs_error why;

    if (connection->settings.device == HOST_DEVICE_CPU) {
        sqlite3_str_appendall(json, "\"device\":\"cpu\",\"reason\":\"the setting device is cpu\"");
    } else if (sq_device_open(connection, &why) != SQLITE_OK || host_device_info(&info, &why) != HBS_OK) {
        sqlite3_str_appendall(json, "\"device\":\"cpu\",");
        append_text(json, "reason", why.text);
    } else {
        sqlite3_str_appendall(json, "\"device\":\"cuda\",");
        append_text(json, "name", info.name);
        sqlite3_str_appendf(json, ",\"memory\":%llu,\"used\":%llu", (sqlite3_uint64)info.memory,
                            (sqlite3_uint64)info.used);
    }
}

void sq_device(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sq_connection *connection = sqlite3_user_data(context);
    sqlite3_str *json = sqlite3_str_new(connection->db);
    char *text;

    (void)argc;
    (void)argv;
    sqlite3_str_appendall(json, "{");
    append_device(json, connection);
    sqlite3_str_appendf(json, ",\"rows\":%llu,\"redone\":%llu}", (sqlite3_uint64)connection->device_rows,
                        (sqlite3_uint64)connection->device_redone);
    text = sqlite3_str_finish(json);
    if (text)
        sqlite3_result_text(context, text, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

/* ---- the CPU's blocks */

static uint64_t clock_of(const sq_batch *batch)
{
    return batch->connection->host.nanoseconds(batch->connection->host.context);
}

void sq_device_score(sq_batch *batch)
{
    sq_offload *o = batch->offload;
    uint64_t start = o ? clock_of(batch) : 0;

    sq_batch_score(batch);
    if (!o)
        return;
    o->gate.nanoseconds += clock_of(batch) - start;
    o->gate.rows += batch->ready;
}

/* ---- beginning */

static bool make_offload(sq_batch *batch)
{
    sq_offload *o = sqlite3_malloc64(sizeof(*o));

    if (!o)
        return false;
    memset(o, 0, sizeof(*o));
    o->gate.closed = batch->connection->settings.device == HOST_DEVICE_AUTO && !host_device_installed();
    batch->offload = o;
    return true;
}

static bool wants(const sq_batch *batch)
{
    const sq_settings *settings = &batch->connection->settings;
    const sq_offload *o = batch->offload;

    if (o->on || o->gate.closed)
        return false;
    if (settings->device == HOST_DEVICE_CUDA)
        return o->gate.rows >= (settings->device_rows ? (uint64_t)settings->device_rows : HOST_DEVICE_FROM);
    return host_gate_opens(&o->gate, batch->model.plan->bytes, host_device_works());
}

static size_t rows_of_block(const sq_batch *batch)
{
    size_t row = batch->n_used * sizeof(double) + batch->n_carried * sizeof(sq_cell) + 1, rows = MOST_ROOM / row;
    size_t scored = MOST_SCORES / host_device_scores(&batch->model.plan->info);

    rows = rows < scored ? rows : scored;
    return rows < HOST_DEVICE_ROWS ? rows : HOST_DEVICE_ROWS;
}

static hbs_status make_room(sq_batch *batch, size_t rows, hbs_error *why)
{
    side *behind = &batch->offload->behind;

    if (!sq_batch_grow(batch, rows))
        return host_fail(why, HBS_E_NOMEM, "out of memory");
    if (!behind->cells)
        behind->cells = sqlite3_malloc64((batch->n_carried * batch->capacity + 1) * sizeof(*behind->cells));
    return behind->cells ? HBS_OK : host_fail(why, HBS_E_NOMEM, "out of memory");
}

/* Bytes that blocks of so many rows may take later: for columns that will not be plain numbers, and texts of two
 * blocks. */
static size_t later_bytes(const sq_batch *batch, size_t rows)
{
    size_t row = batch->n_carried * 2 * TEXT;

    for (size_t c = 0; c < batch->n_used; c++)
        row += (batch->columns[c].values ? 0 : sizeof(hbs_value)) + (batch->columns[c].takes_text ? 2 * TEXT : 0);
    return rows * row + SPARE;
}

static hbs_status use_device(sq_batch *batch, size_t rows, hbs_error *why)
{
    sq_offload *o = batch->offload;
    hbs_status status = HBS_OK;

    if (!o->program)
        status = host_device_program(&batch->connection->host, batch->model.plan, &o->program, why);
    if (status == HBS_OK)
        status = make_room(batch, rows, why);
    if (status == HBS_OK)
        status = host_device_use(batch->run, o->program, why);
    o->ready = status == HBS_OK;
    if (o->ready)
        o->use = (hbs_device_use){.ready = true};
    return status;
}

/* Near a limit of the heap the CPU scores. Memory for later is held meanwhile, so that it is there then: else the large
 * blocks would leave so little that a statement fails which the CPU's small ones end. */
static hbs_status take_room(sq_batch *batch, hbs_error *why)
{
    size_t rows = rows_of_block(batch), least = batch->connection->settings.device_rows ? 1 : HOST_DEVICE_LEAST_ROWS;
    hbs_status status;
    void *later;

    if (rows < least)
        return host_fail(why, HBS_E_UNSUPPORTED, "rows or their scores are too wide: there is room for %zu rows", rows);
    later = sqlite3_malloc64(later_bytes(batch, rows));
    if (!later)
        return host_fail(why, HBS_E_NOMEM, "out of memory");
    status = use_device(batch, rows, why);
    sqlite3_free(later);
    return status;
}

/* Room that was there before the rows began again is still there, unless blocks that were lost showed that the GPU
 * failed. */
static hbs_status take_again(sq_batch *batch, hbs_error *why)
{
    hbs_device_use use;

    hbs_run_rest_device(batch->run, false);
    hbs_run_device_use(batch->run, &use);
    if (!use.ready)
        *why = use.error;
    return use.ready ? HBS_OK : HBS_E_INTERNAL;
}

static hbs_status begin(sq_batch *batch, hbs_error *why)
{
    hbs_status status = hbs_plan_device(batch->model.plan->compiled, batch->outputs, why);

    if (status != HBS_OK)
        return status;
    if (sq_device_open(batch->connection, why) != SQLITE_OK)
        return why->status;
    return batch->offload->ready ? take_again(batch, why) : take_room(batch, why);
}

/* For tests: why the GPU did not score what it should. */
static void require(sq_batch *batch, const char *why)
{
    if (batch->connection->settings.require_device && batch->error.code == SQLITE_OK)
        sq_fail(&batch->error, SQLITE_ERROR, "debug_require_device is on: %s", why);
}

bool sq_device_begins(sq_batch *batch)
{
    hbs_error why;
    hbs_status status;

    if (!batch->outputs || batch->connection->settings.device == HOST_DEVICE_CPU ||
        (!batch->offload && !make_offload(batch)) || !wants(batch))
        return false;
    status = begin(batch, &why);
    batch->offload->on = status == HBS_OK;
    batch->offload->gate.closed = status != HBS_OK;
    if (status == HBS_E_CANCEL)
        sq_fail_core(&batch->error, &why);
    else if (status != HBS_OK)
        require(batch, why.text);
    return batch->offload->on;
}

/* ---- ending */

/* Blocks on their way are lost. */
static void turn_off(sq_batch *batch)
{
    sq_offload *o = batch->offload;
    hbs_error ignored;

    if (batch->run && o->ready)
        hbs_run_use_device(batch->run, NULL, NULL, NULL, &ignored);
    o->on = o->ready = false;
}

/* The rows begin again: the CPU has the first ones. The room on the GPU stays. */
void sq_device_reset(sq_batch *batch)
{
    sq_offload *o = batch->offload;

    if (!o)
        return;
    if (batch->run && o->ready)
        hbs_run_rest_device(batch->run, true);
    o->on = false;
    sq_batch_free_texts(o->behind.texts);
    o->behind = (side){.cells = o->behind.cells};
    o->own = NONE;
    o->moved = false;
    o->gate.rows = o->gate.nanoseconds = 0;
}

void sq_device_free(sq_batch *batch)
{
    sq_offload *o = batch->offload;

    if (!o)
        return;
    sq_device_reset(batch);
    turn_off(batch);
    host_device_unpin(o->program);
    sqlite3_free(o->behind.cells);
    sqlite3_free(o);
    batch->offload = NULL;
}

/* ---- blocks */

bool sq_device_takes(const sq_batch *batch)
{
    return batch->offload && batch->offload->on;
}

bool sq_device_is_busy(const sq_batch *batch)
{
    return batch->offload && batch->offload->behind.state != NONE;
}

bool sq_device_has_room(const sq_batch *batch)
{
    const side *behind = &batch->offload->behind;

    return behind->state == NONE || (behind->state == SENT && behind->error.code == SQLITE_OK);
}

/* The batch's block becomes the one behind, and that the batch's. */
static void swap_sides(sq_batch *batch, flight state)
{
    sq_offload *o = batch->offload;
    side own = {.state = state,
                .cells = batch->cells,
                .texts = batch->texts,
                .kept = batch->kept,
                .rows = batch->rows,
                .error = batch->error};

    batch->cells = o->behind.cells;
    batch->texts = o->behind.texts;
    batch->kept = o->behind.kept;
    batch->rows = o->behind.rows;
    batch->error = o->behind.error;
    o->own = o->behind.state;
    o->behind = own;
}

/* Counts what the device did, and says it where it failed. */
static void note_use(sq_batch *batch)
{
    sq_offload *o = batch->offload;
    hbs_device_use now;

    hbs_run_device_use(batch->run, &now);
    batch->connection->device_rows += now.rows - o->use.rows;
    batch->connection->device_redone += now.redone - o->use.redone;
    if (now.redone > o->use.redone) {
        require(batch, now.error.text);
        if (!host_device_works() && host_device_warns())
            sqlite3_log(SQLITE_WARNING, "hbscore scores on the CPU from now on: %s", now.error.text);
    }
    o->use = now;
    if (batch->connection->settings.device == HOST_DEVICE_AUTO && host_gate_regrets(&o->gate, &now))
        o->gate.closed = true;
}

static flight submit(sq_batch *batch)
{
    hbs_error core;
    hbs_status status;

    if (batch->rows == 0)
        return batch->error.code == SQLITE_OK ? NONE : FAILED;
    sq_batch_give(batch);
    if (batch->offload->gate.closed)
        return HELD;
    status = hbs_score_submit(batch->run, batch->given, batch->model.plan->info.features, batch->rows, batch->outputs,
                              &core);
    if (status == HBS_OK)
        return SENT;
    if (status == HBS_E_UNSUPPORTED) {
        batch->offload->gate.closed = true;
        require(batch, core.text);
        return HELD;
    }
    sq_fail_core(&batch->error, &core);
    return FAILED;
}

/* The columns get the next block. */
static void clear_columns(sq_batch *batch)
{
    batch->at = 0;
    for (size_t c = 0; c < batch->n_used; c++)
        batch->columns[c].mixed = batch->columns[c].takes_text;
}

void sq_device_send(sq_batch *batch)
{
    swap_sides(batch, submit(batch));
    clear_columns(batch);
    batch->offload->moved = true;
}

static void collect(sq_batch *batch)
{
    hbs_error core;

    if (hbs_score_collect(batch->run, &batch->result, &core) != HBS_OK)
        sq_fail_core(&batch->error, &core);
    batch->ready = batch->result.rows;
    note_use(batch);
}

/* The last block of the device is done: the CPU goes on. */
static void score_held(sq_batch *batch)
{
    hbs_error core;

    turn_off(batch);
    if (hbs_score(batch->run, batch->given, batch->model.plan->info.features, batch->rows, batch->outputs,
                  &batch->result, &core) != HBS_OK)
        sq_fail_core(&batch->error, &core);
    batch->ready = batch->result.rows;
}

bool sq_device_take(sq_batch *batch, bool more)
{
    sq_offload *o = batch->offload;

    if (!o->moved)
        swap_sides(batch, NONE);
    o->moved = false;
    if (o->own == NONE && o->behind.state != NONE) {
        if (more)
            return false;
        swap_sides(batch, NONE);
    }
    batch->ready = 0;
    if (o->own == SENT)
        collect(batch);
    else if (o->own == HELD)
        score_held(batch);
    return true;
}
