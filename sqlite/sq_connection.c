/* sq_connection.c - the state of one connection: its host, its settings, its compiled plans. */
#include "sq_hbscore.h"

#include <string.h>

/* ------------------------------------------------------------------ the host */

static void *allocate_block(void *context, size_t bytes)
{
    void *block = sqlite3_malloc64(bytes ? bytes : 1); /* SQLite gives NULL for 0 bytes */

    (void)context;
    host_use_large_pages(block, bytes);
    return block;
}

static void *resize_block(void *context, void *block, size_t bytes)
{
    void *moved = sqlite3_realloc64(block, bytes ? bytes : 1); /* and would free for 0 */

    (void)context;
    host_use_large_pages(moved, bytes);
    return moved;
}

static void release_block(void *context, void *block)
{
    (void)context;
    sqlite3_free(block);
}

/* sqlite3_is_interrupted came with 3.41, the header that this is built with may be older. In the
 * table of functions it stands right behind those of 3.40. The host's table has the entry if its
 * version says so, and is not read past its end otherwise. Without it a call is not cut short:
 * SQLite itself sees the interrupt when the call returns. */
#if SQLITE_VERSION_NUMBER >= 3041000
#define HAVE_IS_INTERRUPTED 1
#define is_interrupted(db)  sqlite3_is_interrupted(db)
#elif SQLITE_VERSION_NUMBER >= 3040000 && !defined(SQLITE_CORE)
#define HAVE_IS_INTERRUPTED 1
typedef struct routines_of_3_41 {
    sqlite3_api_routines known;
    int (*is_interrupted)(sqlite3 *db);
} routines_of_3_41;
#define routines            ((const routines_of_3_41 *)(const void *)sqlite3_api)
#define is_interrupted(db)  routines->is_interrupted(db)
#endif

#ifdef HAVE_IS_INTERRUPTED
static bool asks_to_stop(void *context)
{
    return is_interrupted(((sq_connection *)context)->db);
}
#endif

/* ------------------------------------------------------------------ the connection */

static void free_idle(void *scorer)
{
    sq_scorer_free(scorer);
}

sq_connection *sq_connection_new(sqlite3 *db)
{
    sq_connection *connection = sqlite3_malloc64(sizeof(*connection));

    if (!connection)
        return NULL;
    memset(connection, 0, sizeof(*connection));
    connection->db = db;
    connection->references = 1;
    connection->host.context = connection;
    connection->host.allocate = allocate_block;
    connection->host.resize = resize_block;
    connection->host.release = release_block;
    connection->host.nanoseconds = host_nanoseconds; /* for hbscore_profile */
#ifdef HAVE_IS_INTERRUPTED
    if (sqlite3_libversion_number() >= 3041000)
        connection->host.cancelled = asks_to_stop;
#endif
    sq_settings_init(&connection->settings);
    connection->plans.host = &connection->host;
    connection->plans.most = (size_t)connection->settings.plan_cache_size;
    connection->plans.free_idle = free_idle;
    return connection;
}

void sq_connection_release(void *state)
{
    sq_connection *connection = state;

    if (--connection->references > 0)
        return;
    if (connection->uses_device)
        host_device_leave();
    host_cache_clear(&connection->plans); /* scorers hold references, so that no plan is pinned here */
    sqlite3_free(connection);
}
