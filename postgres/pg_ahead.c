/*
 * pg_ahead.c - the rule for what a block may evaluate before its row asks for it. Every place of a node takes its calls from
 * hbpg_choose_calls; nothing else says which calls a node scores.
 *
 * A function that is not LEAKPROOF may raise an error that depends on its arguments, or tell of them otherwise. So a call's
 * arguments with such a function in them ("leaky") are evaluated for no other rows than those for which the plan without our
 * node evaluates them: rows that row security or the condition of a security_barrier view has hidden are never seen, and
 * `predict('m', 1 / x)` behind a condition that rejects x = 0 does not fail. A finished plan has no security levels any more,
 * but its conditions stand in their order. A call with leaky arguments is therefore scored in blocks only
 *   - where all rows of the input are read anyway (pg_reading.c), not below LIMIT or EXISTS; and of a cursor's rows only for
 *     those that are being fetched, which the node sees when it runs;
 *   - for rows that have passed the conditions before it. To know them ahead these conditions are evaluated ahead too, which
 *     must not be noticed either: they are neither leaky nor volatile, our own calls aside, whose errors wait for their row.
 * Other calls, as those of plain columns, are scored for whole blocks.
 */
#include "pg_batch.h"

#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* ---- what is leaky */

static bool
is_leaky_function(Oid function, void *context)
{
	return !get_func_leakproof(function);
}

/* GREATEST and LEAST compare by their type's function. */
static bool
compares_leaky(const MinMaxExpr *node)
{
	TypeCacheEntry *entry = lookup_type_cache(node->minmaxtype, TYPECACHE_CMP_PROC);

	return !OidIsValid(entry->cmp_proc) || is_leaky_function(entry->cmp_proc, NULL);
}

static bool
subscripts_leaky(const SubscriptingRef *node)
{
	const SubscriptRoutines *routines = getSubscriptingRoutines(node->refcontainertype, NULL);

	return node->refassgnexpr || !routines || !routines->fetch_leakproof;
}

/* The result of a sub-query that is run when it is first asked for. */
static bool
may_run_subplan(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC;
	return expression_tree_walker(node, may_run_subplan, context);
}

/* By itself; of what it is made is another matter. An aggregate has read its rows before it is asked for. */
static bool
is_leaky_node(Node *node)
{
	switch (nodeTag(node))
	{
		case T_List:
		case T_TargetEntry:
		case T_Var:
		case T_Const:
		case T_Param:
		case T_Aggref:
		case T_WindowFunc:
		case T_GroupingFunc:
		case T_RelabelType:
		case T_CollateExpr:
		case T_RowExpr:
		case T_FieldSelect:
		case T_ConvertRowtypeExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_SQLValueFunction:
			return false;
		case T_BoolExpr:
		case T_CaseExpr:
		case T_CoalesceExpr:
			return may_run_subplan(node, NULL);
		case T_ArrayExpr:
			return ((ArrayExpr *) node)->multidims;
		case T_MinMaxExpr:
			return compares_leaky((MinMaxExpr *) node);
		case T_SubscriptingRef:
			return subscripts_leaky((SubscriptingRef *) node);
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_CoerceViaIO:
		case T_RowCompareExpr:
			return check_functions_in_node(node, is_leaky_function, NULL);
		case T_ArrayCoerceExpr:
			return false;
		default:
			return true;
	}
}

static bool
is_leaky(Node *node, void *context)
{
	if (!node)
		return false;
	return is_leaky_node(node) || expression_tree_walker(node, is_leaky, context);
}

bool
hbpg_is_leaky(Node *expression)
{
	return is_leaky(expression, NULL);
}

/* ---- columns that the plan below computes */

/* Conditions are left out: PostgreSQL's own parallel workers evaluate them for rows that nobody asks for. */
static bool
computes_leaky(Plan *p, void *subplans)
{
	check_stack_depth();
	if (!p)
		return true;			/* a parallel worker was not given it */
	if (hbpg_is_leaky((Node *) p->targetlist) || (IsA(p, ValuesScan) && hbpg_is_leaky((Node *) ((ValuesScan *) p)->values_lists)))
		return true;
	if (hbpg_reads_all(p) || IsA(p, Hash))
		return false;
	if (IsA(p, CteScan))
		return computes_leaky(list_nth(subplans, ((CteScan *) p)->ctePlanId - 1), subplans);
	return hbpg_visit_children(p, computes_leaky, subplans);
}

bool
hbpg_computes_leaky(Plan *p, List *subplans)
{
	return computes_leaky(p, subplans);
}

/* ---- which calls */

/* Those of the expression that have their place behind `chosen`. `ahead`: the conditions before it can be evaluated ahead. */
static List *
choose_in(List *chosen, Node *expression, bool ahead)
{
	ListCell   *cell;

	foreach(cell, hbpg_collect_calls(list_copy(chosen), expression))
	{
		FuncExpr   *call = lfirst(cell);
		Node	   *features = hbpg_replace((Node *) hbpg_features_of(call), NIL, chosen, OUTER_VAR);

		if (!list_member(chosen, call) && !hbpg_has_call(features) && (ahead || !hbpg_is_leaky(features)))
			chosen = lappend(chosen, call);
	}
	return chosen;
}

List *
hbpg_choose_calls(List *conditions, Node *output, hbpg_reading reading)
{
	bool		ahead = reading != HBPG_READ_IN_PART;
	List	   *chosen = NIL;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Node	   *rest;

		chosen = choose_in(chosen, lfirst(cell), ahead);
		rest = hbpg_replace(lfirst(cell), NIL, chosen, OUTER_VAR);
		ahead = ahead && !hbpg_is_leaky(rest) && !contain_volatile_functions(rest);
	}
	return choose_in(chosen, output, ahead);
}
