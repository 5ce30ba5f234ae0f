/*
 * pg_security.c - row security that a restored database needs.
 *
 * pg_dump takes neither ENABLE ROW LEVEL SECURITY nor policies of an extension's tables, so that after a restore every
 * role that may score would see every model. hbscore.row_security travels with the rows: it names a table once as it is
 * made, and once more if the dumped table had row security. A table that is named twice and has no row security is
 * unsecured: users whom policies could concern find no model until somebody runs the source's hbscore.security_script().
 *
 * A restore itself goes on. It builds indexes with the rights of their table's owner, before anybody could run that script:
 * so the rights of the superuser whose session restores count. The indexes were there in the source, and see no more here.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* The tables that row security can be on. */
enum { TABLES = 2 };
static const char *const table_names[TABLES] = {"models", "aliases"};

/* ---- which tables need it */

/*
 * The contents of hbscore.row_security, as committed and as this transaction has changed them. A session reads them once,
 * and again after a write: reading them at each look-up would make that slower by a sixth.
 */
static struct
{
	Oid			source;			/* hbscore.row_security; InvalidOid: to be read */
	bool		any;
	bool		needed[TABLES];
} needs;

static void
forget_needs(Datum argument, Oid relation)
{
	(void) argument;
	if (!OidIsValid(relation) || relation == needs.source)
		needs.source = InvalidOid;
}

void
hbpg_security_init(void)
{
	CacheRegisterRelcacheCallback(forget_needs, (Datum) 0);
}

/* The trigger behind statements that write the table: all sessions read it again when this transaction has committed. */
ENTRY(row_security_write);
Datum
hbscore_row_security_write(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = hbpg_own_trigger(fcinfo, "row_security");

	CacheInvalidateRelcache(trigger->tg_relation);
	return PointerGetDatum(NULL);
}

static void
read_needs(Relation source)
{
	TupleDesc	columns = RelationGetDescr(source);
	SysScanDesc scan = systable_beginscan(source, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	row;
	int			times[TABLES] = {0};

	while ((row = systable_getnext(scan)) != NULL)
	{
		bool		isnull;
		Datum		name = heap_getattr(row, 1, columns, &isnull);

		for (int i = 0; i < TABLES && !isnull; i++)
			times[i] += strcmp(TextDatumGetCString(name), table_names[i]) == 0;
	}
	systable_endscan(scan);
	needs.any = false;
	for (int i = 0; i < TABLES; i++)
		needs.any |= needs.needed[i] = times[i] > 1;
	needs.source = RelationGetRelid(source);
}

/* Whether any table needs row security; if so, `needs` has been read. Without the extension no table does. */
static bool
any_needs_it(void)
{
	Relation	source;

	if (OidIsValid(needs.source))
		return needs.any;
	source = hbpg_open_own("row_security");
	if (!source)
		return false;
	if (TupleDescAttr(RelationGetDescr(source), 0)->atttypid != TEXTOID)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("hbscore.row_security is not as the extension has made it")));
	read_needs(source);
	table_close(source, AccessShareLock);
	return needs.any;
}

/* ---- which tables lack it */

static bool
has_row_security(Oid table)
{
	HeapTuple	class = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	bool		has = HeapTupleIsValid(class) && ((Form_pg_class) GETSTRUCT(class))->relrowsecurity;

	if (HeapTupleIsValid(class))
		ReleaseSysCache(class);
	return has;
}

/* Whether policies do not concern this user, or the user for whom the statement runs. */
static bool
is_above_policies(void)
{
	return has_bypassrls_privilege(GetUserId()) ||
		(InSecurityRestrictedOperation() && MyBackendType != B_AUTOVAC_WORKER && has_bypassrls_privilege(GetOuterUserId()));
}

const char *
hbpg_unsecured_table(void)
{
	Oid			schema;

	if (OidIsValid(needs.source) && !needs.any)
		return NULL;
	if (!any_needs_it() || is_above_policies())
		return NULL;
	schema = get_namespace_oid("hbscore", true);
	for (int i = 0; i < TABLES; i++)
	{
		Oid			table = needs.needed[i] && OidIsValid(schema) ? get_relname_relid(table_names[i], schema) : InvalidOid;

		if (OidIsValid(table) && !has_row_security(table) && !hbpg_table_ownercheck(table, GetUserId()))
			return table_names[i];
	}
	return NULL;
}

void
hbpg_check_row_security(void)
{
	const char *table = hbpg_unsecured_table();

	if (!table)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("hbscore.%s has no row security, which it had when this database was dumped", table),
			 errhint("A superuser runs what hbscore.security_script() gives in the database that was dumped; "
					 "or, if every role may see every model, SELECT hbscore.require_row_security(false).")));
}

/* ---- functions for the administrator */

ENTRY(require_row_security);
Datum
hbscore_require_row_security(PG_FUNCTION_ARGS)
{
	SPI_connect();
	hbpg_run(PG_GETARG_BOOL(0) ? HBPG_REQUIRE_SECURITY : HBPG_REQUIRE_NO_SECURITY, NULL, NULL, false);
	SPI_finish();
	PG_RETURN_VOID();
}

/* As pg_dump does it: names outside of these schemas are then written with their schema. */
static int
only_system_schemas(void)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
	return level;
}

ENTRY(security_script);
Datum
hbscore_security_script(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	int			level = only_system_schemas();
	StringInfoData script;
	bool		isnull;

	SPI_connect();
	hbpg_run(HBPG_SECURITY_SCRIPT, NULL, NULL, false);
	MemoryContextSwitchTo(caller);
	initStringInfo(&script);
	if (SPI_processed > 0)
		appendStringInfoString(&script, "SELECT pg_catalog.set_config('search_path', '', false);");
	for (uint64 row = 0; row < SPI_processed; row++)
		appendStringInfo(&script, "\n%s", TextDatumGetCString(hbpg_column(row, 1, &isnull)));
	SPI_finish();
	AtEOXact_GUC(true, level);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(script.data, script.len));
}
