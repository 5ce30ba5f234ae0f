/*
 * pg_tree.c - walks over finished plans. PostgreSQL has such walkers for trees of expressions and of running nodes, and
 * none for plans.
 */
#include "pg_batch.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

/* ---- what a node evaluates */

/* Visits the expressions of a scan besides its target list and conditions, which many scans do not have. */
static bool
visit_scan(Plan *plan, hbpg_visit visit, void *context)
{
	switch (nodeTag(plan))
	{
		case T_SampleScan:
			return visit((Node *) ((SampleScan *) plan)->tablesample, context);
		case T_IndexScan:
			return visit((Node *) ((IndexScan *) plan)->indexqual, context) ||
				visit((Node *) ((IndexScan *) plan)->indexorderby, context);
		case T_IndexOnlyScan:
			return visit((Node *) ((IndexOnlyScan *) plan)->indexqual, context) ||
				visit((Node *) ((IndexOnlyScan *) plan)->indexorderby, context);
		case T_BitmapIndexScan:
			return visit((Node *) ((BitmapIndexScan *) plan)->indexqual, context);
		case T_BitmapHeapScan:
			return visit((Node *) ((BitmapHeapScan *) plan)->bitmapqualorig, context);
		case T_TidScan:
			return visit((Node *) ((TidScan *) plan)->tidquals, context);
		case T_TidRangeScan:
			return visit((Node *) ((TidRangeScan *) plan)->tidrangequals, context);
		case T_FunctionScan:
			return visit((Node *) ((FunctionScan *) plan)->functions, context);
		case T_TableFuncScan:
			return visit((Node *) ((TableFuncScan *) plan)->tablefunc, context);
		case T_ValuesScan:
			return visit((Node *) ((ValuesScan *) plan)->values_lists, context);
		case T_ForeignScan:
			return visit((Node *) ((ForeignScan *) plan)->fdw_exprs, context);
		case T_CustomScan:
			return visit((Node *) ((CustomScan *) plan)->custom_exprs, context);
		default:
			return false;
	}
}

static bool
visit_join(Plan *plan, hbpg_visit visit, void *context)
{
	ListCell   *cell;

	switch (nodeTag(plan))
	{
		case T_NestLoop:
			foreach(cell, ((NestLoop *) plan)->nestParams)
			{
				if (visit((Node *) ((NestLoopParam *) lfirst(cell))->paramval, context))
					return true;
			}
			break;
		case T_MergeJoin:
			if (visit((Node *) ((MergeJoin *) plan)->mergeclauses, context))
				return true;
			break;
		case T_HashJoin:
			if (visit((Node *) ((HashJoin *) plan)->hashclauses, context) ||
				visit((Node *) ((HashJoin *) plan)->hashkeys, context))
				return true;
			break;
		default:
			return false;
	}
	return visit((Node *) ((Join *) plan)->joinqual, context);
}

/* MERGE's actions are expressions too. */
static bool
visit_modify(ModifyTable *plan, hbpg_visit visit, void *context)
{
	return visit((Node *) plan->withCheckOptionLists, context) || visit((Node *) plan->returningLists, context) ||
		visit((Node *) plan->onConflictSet, context) || visit(plan->onConflictWhere, context)
#if PG_VERSION_NUM >= 150000
		|| visit((Node *) plan->mergeActionLists, context)
#endif
#if PG_VERSION_NUM >= 170000
		|| visit((Node *) plan->mergeJoinConditions, context)
#endif
		;
}

static bool
visit_other(Plan *plan, hbpg_visit visit, void *context)
{
	switch (nodeTag(plan))
	{
		case T_Result:
			return visit(((Result *) plan)->resconstantqual, context);
		case T_Limit:
			return visit(((Limit *) plan)->limitOffset, context) || visit(((Limit *) plan)->limitCount, context);
		case T_Hash:
			return visit((Node *) ((Hash *) plan)->hashkeys, context);
		case T_Memoize:
			return visit((Node *) ((Memoize *) plan)->param_exprs, context);
		case T_WindowAgg:
			return visit(((WindowAgg *) plan)->startOffset, context) || visit(((WindowAgg *) plan)->endOffset, context);
		case T_ModifyTable:
			return visit_modify((ModifyTable *) plan, visit, context);
		default:
			return visit_scan(plan, visit, context) || visit_join(plan, visit, context);
	}
}

bool
hbpg_visit_expressions(Plan *plan, hbpg_visit visit, void *context)
{
	return visit((Node *) plan->targetlist, context) || visit((Node *) plan->qual, context) ||
		visit_other(plan, visit, context);
}

/* ---- the nodes below */

static bool
visit_list(List *plans, hbpg_visit_plan visit, void *context)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (visit(lfirst(cell), context))
			return true;
	}
	return false;
}

bool
hbpg_visit_children(Plan *plan, hbpg_visit_plan visit, void *context)
{
	if ((plan->lefttree && visit(plan->lefttree, context)) || (plan->righttree && visit(plan->righttree, context)))
		return true;
	switch (nodeTag(plan))
	{
		case T_Append:
			return visit_list(((Append *) plan)->appendplans, visit, context);
		case T_MergeAppend:
			return visit_list(((MergeAppend *) plan)->mergeplans, visit, context);
		case T_BitmapAnd:
			return visit_list(((BitmapAnd *) plan)->bitmapplans, visit, context);
		case T_BitmapOr:
			return visit_list(((BitmapOr *) plan)->bitmapplans, visit, context);
		case T_SubqueryScan:
			return visit(((SubqueryScan *) plan)->subplan, context);
		case T_CustomScan:
			return visit_list(((CustomScan *) plan)->custom_plans, visit, context);
		default:
			return false;
	}
}

/* ---- volatile functions below */

typedef struct volatility
{
	List	   *subplans;
	Bitmapset  *seen;			/* of them */
} volatility;

static bool is_volatile(Plan *plan, void *context);

static bool
is_volatile_subplan(int id, volatility *in)
{
	if (bms_is_member(id, in->seen))
		return false;
	in->seen = bms_add_member(in->seen, id);
	return is_volatile(list_nth(in->subplans, id - 1), in);
}

/* Sub-queries in expressions run as often as those. */
static bool
calls_volatile_subplan(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, SubPlan) && is_volatile_subplan(((SubPlan *) node)->plan_id, context))
		return true;
	return expression_tree_walker(node, calls_volatile_subplan, context);
}

static bool
evaluates_volatile(Node *expression, void *context)
{
	return contain_volatile_functions(expression) || calls_volatile_subplan(expression, context);
}

/*
 * A function in FROM is read to its end before its first row comes, and data are modified to the end whoever reads. A lock on a
 * row that nobody asks for others notice.
 */
static bool
is_volatile(Plan *plan, void *context)
{
	check_stack_depth();
	if (IsA(plan, FunctionScan) || IsA(plan, TableFuncScan))
		return evaluates_volatile((Node *) plan->targetlist, context) || evaluates_volatile((Node *) plan->qual, context);
	if (IsA(plan, CteScan) && is_volatile_subplan(((CteScan *) plan)->ctePlanId, context))
		return true;
	return IsA(plan, LockRows) || hbpg_visit_expressions(plan, evaluates_volatile, context) ||
		hbpg_visit_children(plan, is_volatile, context);
}

bool
hbpg_is_volatile(Plan *plan, List *subplans)
{
	volatility	in = {subplans, NULL};

	return is_volatile(plan, &in);
}

/* ---- calls below */

static bool evaluates_calls(Plan *plan, void *context);

static bool
subplan_evaluates_calls(int id, volatility *in)
{
	if (bms_is_member(id, in->seen))
		return false;
	in->seen = bms_add_member(in->seen, id);
	return evaluates_calls(list_nth(in->subplans, id - 1), in);
}

static bool
evaluates_call(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, FuncExpr) && hbpg_entry_of(((FuncExpr *) node)->funcid))
		return true;
	if (IsA(node, SubPlan) && subplan_evaluates_calls(((SubPlan *) node)->plan_id, context))
		return true;
	return expression_tree_walker(node, evaluates_call, context);
}

static bool
evaluates_calls_here(Plan *plan, volatility *in)
{
	return hbpg_is_batch_node(plan) || hbpg_visit_expressions(plan, evaluates_call, in);
}

static bool
evaluates_calls(Plan *plan, void *context)
{
	check_stack_depth();
	if (IsA(plan, CteScan) && subplan_evaluates_calls(((CteScan *) plan)->ctePlanId, context))
		return true;
	return evaluates_calls_here(plan, context) || hbpg_visit_children(plan, evaluates_calls, context);
}

bool
hbpg_reads_all(Plan *plan)
{
	return IsA(plan, Sort) ||
		(IsA(plan, Agg) && (((Agg *) plan)->aggstrategy == AGG_PLAIN || ((Agg *) plan)->aggstrategy == AGG_HASHED));
}

/* The input that is read row by row. A hash join reads its other input to the end before the first row. */
static Plan *
read_row_by_row(Plan *plan)
{
	if (IsA(plan, HashJoin))
		return plan->lefttree;
	if (IsA(plan, SubqueryScan))
		return ((SubqueryScan *) plan)->subplan;
	return plan->righttree ? NULL : plan->lefttree;
}

bool
hbpg_evaluates_calls(Plan *plan, List *subplans)
{
	volatility	in = {subplans, NULL};

	while (!evaluates_calls_here(plan, &in))
	{
		if (hbpg_reads_all(plan))
			return false;
		if (read_row_by_row(plan) == NULL)
			return evaluates_calls(plan, &in);
		plan = read_row_by_row(plan);
	}
	return true;
}

/* ---- cursors */

/* Nodes in which PostgreSQL looks for the current row of a cursor that is not FOR UPDATE. */
static bool
is_searched_for_row(Plan *p)
{
	return IsA(p, Result) || IsA(p, Limit) || IsA(p, Append) || IsA(p, SubqueryScan);
}

bool
hbpg_scans_table(Plan *p)
{
	switch (nodeTag(p))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_ForeignScan:
		case T_CustomScan:
			return ((Scan *) p)->scanrelid > 0;
		default:
			return false;
	}
}

bool
hbpg_is_for_current_of(Plan *p)
{
	ListCell   *cell;

	if (!p || !is_searched_for_row(p))
		return p && hbpg_scans_table(p);
	if (IsA(p, SubqueryScan))
		return hbpg_is_for_current_of(((SubqueryScan *) p)->subplan);
	if (!IsA(p, Append))
		return hbpg_is_for_current_of(p->lefttree);
	foreach(cell, ((Append *) p)->appendplans)
	{
		if (hbpg_is_for_current_of(lfirst(cell)))
			return true;
	}
	return false;
}

/* ---- the whole statement */

static bool
raise_plan_id(Plan *plan, void *context)
{
	int		   *last = context;

	check_stack_depth();
	*last = Max(*last, plan->plan_node_id);
	return hbpg_visit_children(plan, raise_plan_id, context);
}

/* Sub-plans that turned out to need no node of their own are NULL. */
static bool
visit_statement(PlannedStmt *statement, hbpg_visit_plan visit, void *context)
{
	ListCell   *cell;

	if (visit(statement->planTree, context))
		return true;
	foreach(cell, statement->subplans)
	{
		if (lfirst(cell) && visit(lfirst(cell), context))
			return true;
	}
	return false;
}

int
hbpg_last_plan_id(PlannedStmt *statement)
{
	int			last = 0;

	visit_statement(statement, raise_plan_id, &last);
	return last;
}

/* A score from below, with the call beside it for a row that is an error. */
static bool
is_score_or_else_call(Node *node, Plan *plan)
{
	List	   *args = IsA(node, CoalesceExpr) ? ((CoalesceExpr *) node)->args : NIL;

	return list_length(args) == 2 && plan->lefttree && hbpg_is_batch_node(plan->lefttree) && IsA(linitial(args), Var) &&
		IsA(lsecond(args), FuncExpr) && hbpg_entry_of(((FuncExpr *) lsecond(args))->funcid);
}

static bool
expression_has_call(Node *node, void *plan)
{
	if (!node || is_score_or_else_call(node, plan))
		return false;
	if (IsA(node, FuncExpr) && hbpg_entry_of(((FuncExpr *) node)->funcid))
		return true;
	return expression_tree_walker(node, expression_has_call, plan);
}

static bool
has_row_call(Plan *plan, void *context)
{
	check_stack_depth();
	return hbpg_visit_expressions(plan, expression_has_call, plan) || hbpg_visit_children(plan, has_row_call, context);
}

bool
hbpg_has_row_call(PlannedStmt *statement)
{
	return visit_statement(statement, has_row_call, NULL);
}

static bool
has_batch_node(Plan *plan, void *context)
{
	check_stack_depth();
	return hbpg_is_batch_node(plan) || hbpg_visit_children(plan, has_batch_node, context);
}

bool
hbpg_has_batch_node(PlannedStmt *statement)
{
	return visit_statement(statement, has_batch_node, NULL);
}
