/*
 * pg_cache.c - the compiled plans of this backend.
 *
 * Keyed by content (host/cache.c), so that rollback, savepoints, other sessions, standbys and DROP EXTENSION need no
 * invalidation. A parallel worker is a backend of its own and compiles for itself.
 */
#include "pg_hbscore.h"

host_cache	hbpg_plans;

void
hbpg_cache_init(void)
{
	hbpg_plans.host = &hbpg_host;
}
