/*
 * pg_own.c - tells the extension's own tables, and their triggers, from others.
 *
 * A name proves nothing: whoever has TEMP makes tables with the names and columns of ours, partitioned ones too, and
 * puts triggers on them. So code that opens a table by itself, and not by a statement that PostgreSQL checks, asks here
 * first. Only a superuser makes a table a member of the extension.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/relation.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "commands/trigger.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static bool
is_member(Oid table)
{
	Oid			extension = get_extension_oid("hbscore", true);

	return OidIsValid(extension) && getExtensionOfObject(RelationRelationId, table) == extension;
}

bool
hbpg_is_own(Relation table, const char *name)
{
	return strcmp(RelationGetRelationName(table), name) == 0 && table->rd_rel->relkind == RELKIND_RELATION &&
		table->rd_rel->relam == HEAP_TABLE_AM_OID && is_member(RelationGetRelid(table));
}

Relation
hbpg_open_own(const char *name)
{
	Oid			schema = get_namespace_oid("hbscore", true);
	Oid			oid = OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
	Relation	table = OidIsValid(oid) ? try_relation_open(oid, AccessShareLock) : NULL;

	if (table && !hbpg_is_own(table, name))
	{
		relation_close(table, AccessShareLock);
		table = NULL;
	}
	return table;
}

void
hbpg_refuse_trigger(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
			 errmsg("this function is for the triggers of hbscore's tables only")));
}

TriggerData *
hbpg_own_trigger(FunctionCallInfo fcinfo, const char *table)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !hbpg_is_own(trigger->tg_relation, table))
		hbpg_refuse_trigger();
	return trigger;
}
