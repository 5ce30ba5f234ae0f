/*
 * pg_stats.c - the frame of functions that return tables, and those that tell what this session keeps.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/tuplestore.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* ---- the frame */

hbpg_table
hbpg_table_begin(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext caller;
	hbpg_table	t;

	hbpg_check_interface();		/* libraries of one interface give as many values as the function has columns */
	if (!info || !IsA(info, ReturnSetInfo) || !(info->allowedModes & SFRM_Materialize))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a function that returns a table stands in FROM")));
	caller = MemoryContextSwitchTo(info->econtext->ecxt_per_query_memory);
	if (get_call_result_type(fcinfo, NULL, &t.columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "the return type is no row");
	t.rows = tuplestore_begin_heap((info->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
	info->returnMode = SFRM_Materialize;
	info->setResult = t.rows;
	info->setDesc = t.columns;
	MemoryContextSwitchTo(caller);
	return t;
}

void
hbpg_put_row(hbpg_table *table, Datum *values, bool *nulls)
{
	tuplestore_putvalues(table->rows, table->columns, values, nulls);
}

void
hbpg_put_text(const char *utf8, Datum *value, bool *isnull)
{
	*isnull = !utf8 || !*utf8;
	*value = *isnull ? (Datum) 0 : CStringGetTextDatum(hbpg_to_server(utf8, strlen(utf8)));
}

/* ---- what this session keeps */

/*
 * As in PostgreSQL's own statistics, a role sees its own rows, and those of roles whose rights it has. So a SECURITY DEFINER
 * function shows its caller no models that only its owner uses.
 */
static bool
may_see(Oid role)
{
	return has_privs_of_role(GetUserId(), role) || has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);
}

static void
put_stats(hbpg_table *t, const hbpg_stats *entry)
{
	Datum		values[8] = {0, Int64GetDatum(entry->calls), Int64GetDatum(entry->rows), Int64GetDatum(entry->batches),
		Float8GetDatum(entry->score_time), Int64GetDatum(entry->loads), Float8GetDatum(entry->load_time), 0
	};
	bool		nulls[8] = {false};
	char	   *role = GetUserNameFromId(entry->key.role, true);	/* NULL: dropped since */

	hbpg_put_text(entry->key.shown, &values[0], &nulls[0]);
	nulls[7] = !role;
	if (role)
		values[7] = DirectFunctionCall1(namein, CStringGetDatum(role));
	hbpg_put_row(t, values, nulls);
}

ENTRY(session_stats);
Datum
hbscore_session_stats(PG_FUNCTION_ARGS)
{
	hbpg_table	t = hbpg_table_begin(fcinfo);
	HASH_SEQ_STATUS scan;
	hbpg_stats *entry;

	hash_seq_init(&scan, hbpg_all_stats());
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		if (may_see(entry->key.role))
			put_stats(&t, entry);
	}
	return (Datum) 0;
}

ENTRY(session_cache);
Datum
hbscore_session_cache(PG_FUNCTION_ARGS)
{
	hbpg_table	t = hbpg_table_begin(fcinfo);

	for (const host_plan *plan = hbpg_plans.newest; plan; plan = plan->older)
	{
		char		key[2 * sizeof(plan->key) + 1];
		Datum		values[4] = {0, Int64GetDatum((int64) plan->bytes), Int64GetDatum((int64) plan->hits),
			BoolGetDatum(plan->pins > 0)
		};
		bool		nulls[4] = {false};

		for (size_t i = 0; i < sizeof(plan->key); i++)
			snprintf(key + 2 * i, 3, "%02x", plan->key[i]);
		hbpg_put_text(key, &values[0], &nulls[0]);
		hbpg_put_row(&t, values, nulls);
	}
	return (Datum) 0;
}
