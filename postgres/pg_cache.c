/*
 * pg_cache.c - the compiled plans of this backend.
 *
 * Keyed by content (host/cache.c), so that rollback, savepoints, other sessions, standbys and DROP EXTENSION need no
 * invalidation. A parallel worker is a backend of its own and compiles for itself.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "utils/hsearch.h"

host_cache	hbpg_plans;

/* Sessions that score very many versions count those beyond together. */
enum { MOST_STATS = 10000 };

static HTAB *stats;

static HTAB *
make_stats(void)
{
	HASHCTL		how = {.keysize = sizeof(hbpg_stats_key),.entrysize = sizeof(hbpg_stats)};

	return hash_create("hbscore statistics", 64, &how, HASH_ELEM | HASH_BLOBS);
}

hbpg_stats *
hbpg_stats_of(const char *shown)
{
	hbpg_stats_key key;
	hbpg_stats *entry;
	bool		found;

	if (!stats)
		stats = make_stats();
	memset(&key, 0, sizeof(key));
	key.role = GetUserId();
	strlcpy(key.shown, shown, sizeof(key.shown));
	entry = hash_search(stats, &key, HASH_FIND, NULL);
	if (entry)
		return entry;
	if (hash_get_num_entries(stats) >= MOST_STATS)
		memset(key.shown, 0, sizeof(key.shown));
	entry = hash_search(stats, &key, HASH_ENTER, &found);
	if (!found)
		memset((char *) entry + offsetof(hbpg_stats, calls), 0, sizeof(*entry) - offsetof(hbpg_stats, calls));
	return entry;
}

void
hbpg_count_time(hbpg_stats *stats, const instr_time *start, int times)
{
	instr_time	time;

	INSTR_TIME_SET_CURRENT(time);
	INSTR_TIME_SUBTRACT(time, *start);
	stats->score_time += times * INSTR_TIME_GET_MILLISEC(time);
}

HTAB *
hbpg_all_stats(void)
{
	if (!stats)
		stats = make_stats();
	return stats;
}

void
hbpg_cache_init(void)
{
	hbpg_plans.host = &hbpg_host;
}
