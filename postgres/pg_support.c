/*
 * pg_support.c - what the planner learns of a call: how long it takes.
 *
 * A model of one tree costs less than a comparison of texts, one of a thousand trees as much as fetching a hundred rows;
 * so the cost is the model's. It decides which condition of a WHERE comes last, how many workers a scan is worth, and
 * whether JIT pays. It is looked up quietly: where the model is not known yet, given by a parameter, or not to be seen
 * by this user, a usual one counts, and nothing is ever raised because of it.
 */
#include "pg_hbscore.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "nodes/primnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(hbscore_support);

/* The time of one row in a boosted model of a hundred trees, if the model is not known. */
#define USUAL_NANOSECONDS 500.0

/* The planner's units count a simple operator as 0.0025; one takes about this long. */
#define NANOSECONDS_OF_OPERATOR 25.0

/* Whether reading the table cannot fail for a lack of rights, and shows all rows. */
static bool
may_read(Oid namespace, const char *name)
{
	Oid			table = get_relname_relid(name, namespace);

	return OidIsValid(table) && pg_class_aclcheck(table, GetUserId(), ACL_SELECT) == ACLCHECK_OK &&
		check_enable_rls(table, InvalidOid, true) == RLS_NONE;
}

bool
hbpg_may_look(void)
{
	Oid			namespace = get_namespace_oid("hbscore", true);

	if (!OidIsValid(namespace) || !ActiveSnapshotSet() || IsInParallelMode() ||
		hbpg_schema_aclcheck(namespace, GetUserId(), ACL_USAGE) != ACLCHECK_OK)
		return false;
	return may_read(namespace, "models") && may_read(namespace, "aliases") && hbpg_fits() && !hbpg_unsecured_table();
}

static bool
has_policies(Oid namespace, const char *name)
{
	Oid			table = get_relname_relid(name, namespace);

	return OidIsValid(table) && check_enable_rls(table, InvalidOid, true) == RLS_ENABLED;
}

bool
hbpg_has_policies(void)
{
	Oid			namespace = get_namespace_oid("hbscore", true);

	return OidIsValid(namespace) && (has_policies(namespace, "models") || has_policies(namespace, "aliases"));
}

/* To look a model up is a query, whose own planning must not ask again. */
static double
nanoseconds_of(const Const *model)
{
	static bool looking;
	host_reference reference;
	hbs_error	error;
	double		found = USUAL_NANOSECONDS;
	hbs_text	written;

	if (looking || !model || model->constisnull || !hbpg_may_look())
		return found;
	written = hbpg_text_to_core(DatumGetTextPP(model->constvalue));
	if (host_reference_read(written, &reference, &error) != HBS_OK)
		return found;
	looking = true;
	PG_TRY();
	{
		found = hbpg_estimate(&reference, USUAL_NANOSECONDS);
	}
	PG_FINALLY();
	{
		looking = false;
	}
	PG_END_TRY();
	return found;
}

/* The first argument of the call, where it is a constant that the planner shows; else NULL. */
static const Const *
model_of(Node *call)
{
	Node	   *model = NULL;

	if (call && IsA(call, FuncExpr) && ((FuncExpr *) call)->args != NIL)
		model = linitial(((FuncExpr *) call)->args);
	return model && IsA(model, Const) ? (Const *) model : NULL;
}

double
hbpg_call_cost(Node *call)
{
	return nanoseconds_of(model_of(call)) / NANOSECONDS_OF_OPERATOR * cpu_operator_cost;
}

double
hbpg_nanoseconds_of_cost(double cost)
{
	return cost / (cpu_operator_cost > 0 ? cpu_operator_cost : DEFAULT_CPU_OPERATOR_COST) * NANOSECONDS_OF_OPERATOR;
}

Datum
hbscore_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestCost *cost;

	hbpg_entered(false);
	if (!IsA(request, SupportRequestCost))
		PG_RETURN_POINTER(NULL);
	cost = (SupportRequestCost *) request;
	cost->startup = 0;
	cost->per_tuple = hbpg_call_cost(cost->node);
	PG_RETURN_POINTER(cost);
}

/* ---- blocks */

/* Around the core, of a call for one row: the call itself, and for each argument its conversion. */
#define NANOSECONDS_OF_CALL 250.0
#define NANOSECONDS_OF_ARGUMENT 8.0

/* A row's time in a block, as a part of its time by itself. */
#define SHARE_IN_BLOCK 0.3

/* A node: to find its model again, to make room, to gather a row; a column more that it hands up, in place or copied. */
#define NANOSECONDS_OF_NODE 60000.0
#define NANOSECONDS_OF_ROW 60.0
#define NANOSECONDS_OF_COLUMN 4.0
#define NANOSECONDS_OF_COPY 45.0

double
hbpg_saved_by_block(Node *call)
{
	return NANOSECONDS_OF_CALL + NANOSECONDS_OF_ARGUMENT * list_length(((FuncExpr *) call)->args) / 2 +
		(1 - SHARE_IN_BLOCK) * nanoseconds_of(model_of(call));
}

bool
hbpg_block_pays(double rows, double saved, int carried, int wide)
{
	return rows * (saved - NANOSECONDS_OF_ROW - NANOSECONDS_OF_COLUMN * carried - NANOSECONDS_OF_COPY * wide) >
		NANOSECONDS_OF_NODE;
}
