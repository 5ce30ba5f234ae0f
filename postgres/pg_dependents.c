/*
 * pg_dependents.c - finds the objects of the database that name a version: indexes, generated columns, constraints, views, and
 * others.
 *
 * pg_depend says which objects use one of the scoring functions, and catalogs keep their expressions as trees; the version is
 * the constant that is the call's first argument. So each object that depends on one of the functions is searched for a call
 * with this constant. Nothing is evaluated: the user who drops a version does not own the expression. Calls in function bodies
 * that are strings stay unseen, and so do names that an expression computes.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_index.h"
#include "catalog/pg_partitioned_table.h"
#include "catalog/pg_policy.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_statistic_ext.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"
#include "rewrite/rewriteSupport.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* An error lists at most this many objects. */
enum { MOST_LISTED = 100 };

typedef struct search
{
	const host_reference *version;
	List	   *functions;		/* the scoring functions, by their numbers */
	ObjectAddresses *seen;
	StringInfoData lines;
	int			found;
} search;

/* ---- an expression */

/* The text of a constant reference, of whatever text type; NULL if it is no constant. */
static char *
constant_reference(Node *argument)
{
	bool		varlena;
	Oid			output;
	char	   *text;

	for (;;)
	{
		if (IsA(argument, RelabelType))
			argument = (Node *) ((RelabelType *) argument)->arg;
		else if (IsA(argument, CoerceViaIO))
			argument = (Node *) ((CoerceViaIO *) argument)->arg;
		else if (IsA(argument, CollateExpr))
			argument = (Node *) ((CollateExpr *) argument)->arg;
		else if (IsA(argument, FuncExpr) && ((FuncExpr *) argument)->funcformat != COERCE_EXPLICIT_CALL &&
				 ((FuncExpr *) argument)->args != NIL)
			argument = linitial(((FuncExpr *) argument)->args);
		else
			break;
	}
	if (!IsA(argument, Const) || ((Const *) argument)->constisnull)
		return NULL;
	getTypeOutputInfo(((Const *) argument)->consttype, &output, &varlena);
	text = OidOutputFunctionCall(output, ((Const *) argument)->constvalue);
	if (((Const *) argument)->consttype == BPCHAROID)
		text[bpchartruelen(text, (int) strlen(text))] = '\0';
	return text;
}

static bool
names_version(Node *argument, const host_reference *version)
{
	char	   *text = constant_reference(argument);
	host_reference named;
	hbs_text	written;
	hbs_error	error;

	return text && hbpg_try_to_core(text, strlen(text), &written) &&
		host_reference_read(written, &named, &error) == HBS_OK && named.version == version->version &&
		named.name.size == version->name.size && memcmp(named.name.bytes, version->name.bytes, named.name.size) == 0;
}

/* The first argument of a call of one of the functions, be it an aggregate; else NULL. */
static Node *
model_argument(Node *node, const List *functions)
{
	if (IsA(node, FuncExpr) && list_member_oid(functions, ((FuncExpr *) node)->funcid))
		return linitial(((FuncExpr *) node)->args);
	if (IsA(node, Aggref) && list_member_oid(functions, ((Aggref *) node)->aggfnoid))
		return (Node *) linitial_node(TargetEntry, ((Aggref *) node)->args)->expr;
	if (IsA(node, WindowFunc) && list_member_oid(functions, ((WindowFunc *) node)->winfnoid))
		return linitial(((WindowFunc *) node)->args);
	return NULL;
}

static bool
uses_version(Node *node, void *context)
{
	const search *s = context;
	Node	   *argument;

	if (!node)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, uses_version, context, 0);
	argument = model_argument(node, s->functions);
	return (argument && names_version(argument, s->version)) || expression_tree_walker(node, uses_version, context);
}

/* ---- an object */

/* A catalog that keeps the expressions of a class of objects. `index` finds the row by the object's oid. */
typedef struct place
{
	Oid			class;
	Oid			catalog;
	Oid			index;
	AttrNumber	trees[2];		/* 0: no second one */
} place;

static const place places[] = {
	{RelationRelationId, IndexRelationId, IndexRelidIndexId, {Anum_pg_index_indexprs, Anum_pg_index_indpred}},
	{RelationRelationId, PartitionedRelationId, PartitionedRelidIndexId, {Anum_pg_partitioned_table_partexprs}},
	{AttrDefaultRelationId, AttrDefaultRelationId, AttrDefaultOidIndexId, {Anum_pg_attrdef_adbin}},
	{ConstraintRelationId, ConstraintRelationId, ConstraintOidIndexId, {Anum_pg_constraint_conbin}},
	{RewriteRelationId, RewriteRelationId, RewriteOidIndexId, {Anum_pg_rewrite_ev_qual, Anum_pg_rewrite_ev_action}},
	{StatisticExtRelationId, StatisticExtRelationId, StatisticExtOidIndexId, {Anum_pg_statistic_ext_stxexprs}},
	{PolicyRelationId, PolicyRelationId, PolicyOidIndexId, {Anum_pg_policy_polqual, Anum_pg_policy_polwithcheck}},
	{TriggerRelationId, TriggerRelationId, TriggerOidIndexId, {Anum_pg_trigger_tgqual}},
	{TypeRelationId, TypeRelationId, TypeOidIndexId, {Anum_pg_type_typdefaultbin}},
	{ProcedureRelationId, ProcedureRelationId, ProcedureOidIndexId, {Anum_pg_proc_proargdefaults, Anum_pg_proc_prosqlbody}},
};

static bool
row_uses_version(search *s, HeapTuple row, TupleDesc columns, const place *at)
{
	for (int i = 0; i < (int) lengthof(at->trees) && at->trees[i]; i++)
	{
		bool		isnull;
		Datum		tree = heap_getattr(row, at->trees[i], columns, &isnull);

		if (!isnull && uses_version(stringToNode(TextDatumGetCString(tree)), s))
			return true;
	}
	return false;
}

/* The object that a user knows: a view for its rule, a column for its default, a domain for its constraint. */
static ObjectAddress
shown_object(const ObjectAddress *object, HeapTuple row)
{
	ObjectAddress shown = *object;

	if (object->classId == AttrDefaultRelationId)
		ObjectAddressSubSet(shown, RelationRelationId, ((Form_pg_attrdef) GETSTRUCT(row))->adrelid,
							((Form_pg_attrdef) GETSTRUCT(row))->adnum);
	else if (object->classId == RewriteRelationId &&
			 strcmp(NameStr(((Form_pg_rewrite) GETSTRUCT(row))->rulename), ViewSelectRuleName) == 0)
		ObjectAddressSet(shown, RelationRelationId, ((Form_pg_rewrite) GETSTRUCT(row))->ev_class);
	else if (object->classId == ConstraintRelationId && OidIsValid(((Form_pg_constraint) GETSTRUCT(row))->contypid))
		ObjectAddressSet(shown, TypeRelationId, ((Form_pg_constraint) GETSTRUCT(row))->contypid);
	return shown;
}

static void
search_catalog(search *s, const ObjectAddress *object, const place *at)
{
	Relation	catalog = table_open(at->catalog, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData key;
	HeapTuple	row;

	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object->objectId));
	scan = systable_beginscan(catalog, at->index, true, NULL, 1, &key);
	row = systable_getnext(scan);
	if (HeapTupleIsValid(row) && row_uses_version(s, row, RelationGetDescr(catalog), at))
	{
		ObjectAddress shown = shown_object(object, row);
		char	   *description = getObjectDescription(&shown, true);

		if (description && s->found++ < MOST_LISTED)
			appendStringInfo(&s->lines, "%s%s uses it", s->lines.len ? "\n" : "", description);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
}

/* ---- all of them */

/* Calls `see` with each object that depends on this one. */
static void
each_dependent(search *s, Oid class, Oid object, void (*see) (search *s, const ObjectAddress *dependent))
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	SysScanDesc scan;
	ScanKeyData keys[2];
	HeapTuple	row;

	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(class));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(object));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, lengthof(keys), keys);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		Form_pg_depend found = (Form_pg_depend) GETSTRUCT(row);
		ObjectAddress dependent;

		CHECK_FOR_INTERRUPTS();
		ObjectAddressSet(dependent, found->classid, found->objid);
		see(s, &dependent);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
}

static void
see_user(search *s, const ObjectAddress *user)
{
	if (object_address_present(user, s->seen))
		return;
	add_exact_object_address(user, s->seen);
	for (int i = 0; i < (int) lengthof(places); i++)
		if (places[i].class == user->classId)
			search_catalog(s, user, &places[i]);
}

/* The extension's scoring functions are those with VARIADIC "any": features of any type behind a reference. */
static void
see_member(search *s, const ObjectAddress *member)
{
	HeapTuple	row;

	if (member->classId != ProcedureRelationId)
		return;
	row = SearchSysCache1(PROCOID, ObjectIdGetDatum(member->objectId));
	if (!HeapTupleIsValid(row))
		return;
	if (((Form_pg_proc) GETSTRUCT(row))->provariadic == ANYOID)
		s->functions = lappend_oid(s->functions, member->objectId);
	ReleaseSysCache(row);
}

void
hbpg_check_unused(hbs_text name, int version)
{
	const host_reference wanted = {.name = name,.version = version};
	search		s = {.version = &wanted,.seen = new_object_addresses()};
	char	   *shown = hbpg_to_server(name.bytes, name.size);
	ListCell   *cell;

	initStringInfo(&s.lines);
	each_dependent(&s, ExtensionRelationId, get_extension_oid("hbscore", false), see_member);
	foreach(cell, s.functions)
		each_dependent(&s, ProcedureRelationId, lfirst_oid(cell), see_user);
	free_object_addresses(s.seen);
	if (s.found == 0)
		return;
	if (s.found > MOST_LISTED)
		appendStringInfo(&s.lines, "\nand %d other objects", s.found - MOST_LISTED);
	ereport(ERROR,
			(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
			 errmsg("version %d of model \"%s\" is used by other objects of this database", version, shown),
			 errdetail("%s", s.lines.data),
			 errhint("Change or drop them first, or break them: hbscore.drop has the argument force => true.")));
}
