/* sq_cache.c - the state of one connection, and the compiled plans that it keeps.
 *
 * Plans are found by content (digest of the model's bytes and options), never by name, so that no
 * ROLLBACK, no other process and no restored file can make the cache wrong: at worst a plan is here
 * that nobody asks for any more. What is asked for goes to the front; plans that no scorer uses
 * leave from the back, as soon as all together are over plan_cache_size. */
#include "sq_hbscore.h"

#include <string.h>

/* ------------------------------------------------------------------ the host */

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return sqlite3_malloc64(bytes ? bytes : 1); /* SQLite gives NULL for 0 bytes */
}

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    return sqlite3_realloc64(block, bytes ? bytes : 1); /* and would free for 0 */
}

static void release(void *context, void *block)
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
static bool cancelled(void *context)
{
    return is_interrupted(((sq_connection *)context)->db);
}
#endif

/* ------------------------------------------------------------------ the connection */

sq_connection *sq_connection_new(sqlite3 *db)
{
    sq_connection *connection = sqlite3_malloc64(sizeof(*connection));

    if (!connection)
        return NULL;
    memset(connection, 0, sizeof(*connection));
    connection->db = db;
    connection->references = 1;
    connection->host.context = connection;
    connection->host.allocate = allocate;
    connection->host.resize = resize;
    connection->host.release = release;
#ifdef HAVE_IS_INTERRUPTED
    if (sqlite3_libversion_number() >= 3041000)
        connection->host.cancelled = cancelled;
#endif
    sq_settings_init(&connection->settings);
    return connection;
}

static void forget(sq_connection *connection, sq_plan *plan);

void sq_connection_release(void *state)
{
    sq_connection *connection = state;

    if (--connection->references > 0)
        return;
    /* Scorers hold references, so that no plan is pinned here. */
    while (connection->oldest)
        forget(connection, connection->oldest);
    sqlite3_free(connection);
}

/* ------------------------------------------------------------------ plans */

/* What a plan costs, with about what a scorer of it holds: the values of a row, twice, and
 * scratch. */
static size_t cost(const hbs_plan_info *info)
{
    return info->bytes + info->features * (2 * sizeof(hbs_value) + 16) + sizeof(sq_plan) + 1024;
}

static sq_plan **bucket(sq_connection *connection, const uint8_t key[32])
{
    return &connection->buckets[key[0]]; /* a key is a SHA-256: any byte of it is a hash */
}

static void unlink_use(sq_connection *connection, sq_plan *plan)
{
    *(plan->newer ? &plan->newer->older : &connection->newest) = plan->older;
    *(plan->older ? &plan->older->newer : &connection->oldest) = plan->newer;
}

static void link_newest(sq_connection *connection, sq_plan *plan)
{
    plan->newer = NULL;
    plan->older = connection->newest;
    *(plan->older ? &plan->older->newer : &connection->oldest) = plan;
    connection->newest = plan;
}

static void forget(sq_connection *connection, sq_plan *plan)
{
    sq_plan **at = bucket(connection, plan->key);

    while (*at != plan)
        at = &(*at)->next;
    *at = plan->next;
    unlink_use(connection, plan);
    connection->bytes -= plan->bytes;
    if (plan->idle)
        sq_scorer_free(plan->idle);
    hbs_plan_free(plan->compiled);
    sqlite3_free(plan);
}

void sq_cache_trim(sq_connection *connection)
{
    size_t most = (size_t)connection->settings.plan_cache_size;
    sq_plan *plan = connection->oldest;

    while (plan && connection->bytes > most) {
        sq_plan *newer = plan->newer;

        if (plan->pins == 0)
            forget(connection, plan);
        plan = newer;
    }
}

sq_plan *sq_cache_find(sq_connection *connection, const uint8_t key[32])
{
    sq_plan *plan = *bucket(connection, key);

    while (plan && memcmp(plan->key, key, sizeof(plan->key)) != 0)
        plan = plan->next;
    if (!plan)
        return NULL;
    plan->pins++;
    unlink_use(connection, plan);
    link_newest(connection, plan);
    return plan;
}

sq_plan *sq_cache_add(sq_connection *connection, const uint8_t key[32], hbs_plan *compiled)
{
    sq_plan *plan = sq_cache_find(connection, key);
    sq_plan **first = bucket(connection, key);

    if (plan) {
        hbs_plan_free(compiled);
        return plan;
    }
    plan = sqlite3_malloc64(sizeof(*plan));
    if (!plan) {
        hbs_plan_free(compiled);
        return NULL;
    }
    memset(plan, 0, sizeof(*plan));
    memcpy(plan->key, key, sizeof(plan->key));
    plan->compiled = compiled;
    hbs_plan_get_info(compiled, &plan->info);
    plan->bytes = cost(&plan->info);
    plan->pins = 1;
    plan->next = *first;
    *first = plan;
    link_newest(connection, plan);
    connection->bytes += plan->bytes;
    sq_cache_trim(connection);
    return plan;
}

void sq_cache_unpin(sq_connection *connection, sq_plan *plan)
{
    plan->pins--;
    sq_cache_trim(connection);
}
