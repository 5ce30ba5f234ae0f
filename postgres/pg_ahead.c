/*
 * pg_ahead.c - the rule for what a block may evaluate before its row asks for it. Every place that puts a node takes the
 * node's calls from hbpg_choose_calls; nothing else chooses them.
 *
 * A function that is not LEAKPROOF may raise an error that depends on its arguments, or reveal them otherwise. An argument
 * with such a function in it is called leaky. It is evaluated only for rows for which the plan without our node evaluates it.
 * So rows that row security or a security_barrier view hides are never seen, and `predict('m', 1 / x)` behind a condition
 * that rejects x = 0 does not fail. A finished plan has no security levels any more, but its conditions stand in their order.
 * A call with leaky arguments is therefore scored in blocks only
 *   - if all rows of the input are read anyway (pg_reading.c), not below LIMIT or EXISTS; if a cursor fetches some rows, only
 *     for these, which the node learns when it runs;
 *   - for rows that have passed the conditions before the call. To find these rows, the conditions are evaluated ahead too,
 *     which nobody must notice either: they are neither leaky nor volatile. Our own calls in them may be, as their errors wait
 *     for their row.
 * Other calls, such as those of plain columns, are scored for whole blocks.
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

/* Whether an expression holds the result of a sub-query that runs when the result is first asked for. */
static bool
may_run_subplan(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC;
	return expression_tree_walker(node, may_run_subplan, context);
}

/* The node alone, without its arguments. An aggregate has read its rows before its value is asked for. */
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

bool
hbpg_can_be_skipped(Node *expression)
{
	return !hbpg_is_leaky(expression) && !may_run_subplan(expression, NULL);
}

/* ---- columns that the plan below computes */

/* Ignores conditions: PostgreSQL's own parallel workers evaluate them for rows that nobody asks for. */
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

/* Appends the expression's calls that can be scored after `chosen`. `ahead`: all conditions before can be evaluated ahead. */
static List *
choose_in_expression(List *chosen, Node *expression, bool ahead)
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

		chosen = choose_in_expression(chosen, lfirst(cell), ahead);
		rest = hbpg_replace(lfirst(cell), NIL, chosen, OUTER_VAR);
		ahead = ahead && !hbpg_is_leaky(rest) && !contain_volatile_functions(rest);
	}
	return choose_in_expression(chosen, output, ahead);
}
