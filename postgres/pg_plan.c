/*
 * pg_plan.c - puts nodes that score in blocks into finished plans; executes nothing. Which nodes get one above them, and
 * which below, is here; how is in pg_above.c and pg_below.c.
 */
#include "pg_batch.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/memnodes.h"
#include "optimizer/planmain.h"
#include "optimizer/planner.h"
#include "tcop/pquery.h"
#include "utils/plancache.h"

static planner_hook_type next_planner;
static ExecutorStart_hook_type next_executor_start;
static ExecutorRun_hook_type next_executor_run;
static ExecutorFinish_hook_type next_executor_finish;

/* Whether a plan may come that was made before the planner's hook was set; whether such a plan, or a function, has run. */
static bool older_plan;
static bool entered;

/* ---- a plan */

/* A plan whose rows can be gone back to. */
static Plan *
materialize(hbpg_rewriting *r, Plan *p)
{
	Plan	   *material = materialize_finished_plan(p);
	ListCell   *cell;

	material->plan_node_id = ++r->last_id;
	material->targetlist = NIL;
	foreach(cell, p->targetlist)
	{
		TargetEntry *target = flatCopyTargetEntry(lfirst(cell));

		target->expr = (Expr *) makeVarFromTargetEntry(OUTER_VAR, lfirst(cell));
		material->targetlist = lappend(material->targetlist, target);
	}
	return material;
}

/* Data that another server changes while it is read: its rows come with the change. */
static bool
is_direct_change(Plan *p)
{
	return IsA(p, ForeignScan) && ((ForeignScan *) p)->operation != CMD_SELECT;
}

static bool
computes_output(Plan *p)
{
	if (IsA(p, ForeignScan))
		return !is_direct_change(p);
	switch (nodeTag(p))
	{
		case T_SubqueryScan:
		case T_FunctionScan:
		case T_TableFuncScan:
		case T_ValuesScan:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_WorkTableScan:
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
		case T_Gather:
		case T_GatherMerge:
			return true;
		default:
			return hbpg_scans_table(p);
	}
}

static bool
has_call_here(Plan *p)
{
	return hbpg_has_call((Node *) p->targetlist) || hbpg_has_call((Node *) p->qual) ||
		(hbpg_is_join(p) && hbpg_has_call((Node *) ((Join *) p)->joinqual));
}

/* Whether the node may stand above p, a LIMIT. Not above an OFFSET: PostgreSQL computes rows that it skips. */
static bool
lets_node_above(const Plan *p)
{
	const Limit *limit = (const Limit *) p;

	return IsA(p, Limit) && !limit->limitOffset && limit->limitOption == LIMIT_OPTION_COUNT;
}

/* Above a LIMIT the node scores no row that the LIMIT leaves out, and a sort below learns how many rows are wanted. */
static Plan *
put_above_limit(Plan *p, hbpg_demand demand)
{
	CustomScan *node = (CustomScan *) p->lefttree;
	Plan	   *child;

	if (!hbpg_is_batch_node(p->lefttree) || node->scan.plan.qual != NIL || !lets_node_above(p))
		return p;
	child = node->scan.plan.lefttree;
	lfirst(list_nth_cell(node->custom_private, HBPG_READING)) = makeInteger(demand.output);
	node->scan.plan.lefttree = p;
	node->scan.plan.startup_cost = p->startup_cost;
	node->scan.plan.total_cost = p->total_cost;
	node->scan.plan.plan_rows = p->plan_rows;
	node->scan.plan.extParam = bms_add_members(node->scan.plan.extParam, p->extParam);
	node->scan.plan.allParam = bms_add_members(node->scan.plan.allParam, p->allParam);
	p->lefttree = child;
	p->targetlist = hbpg_columns_of(hbpg_columns_below(child->targetlist, OUTER_VAR));
	p->plan_width = child->plan_width;
	return &node->scan.plan;
}

static Plan *
put_node(hbpg_rewriting *r, Plan *p, hbpg_demand demand)
{
	if (IsA(p, Limit))
		return put_above_limit(p, demand);
	if (!has_call_here(p))
		return p;
	if (computes_output(p))
		return hbpg_put_above(r, p, demand);
	if (!p->lefttree || (IsA(p, Result) && p->qual) || (IsA(p, WindowAgg) && hbpg_stops_early((WindowAgg *) p)))
		return p;
	if (IsA(p, Result) && !((Result *) p)->resconstantqual && !hbpg_is_batch_node(p->lefttree))
		return hbpg_put_in_place(r, p, demand);
	if (IsA(p, Agg) || IsA(p, WindowAgg) || hbpg_computes_each(p))
		hbpg_put_for_input(r, p, hbpg_reading_of_input(p, true, demand.rows));
	return IsA(p, WindowAgg) ? hbpg_put_above(r, p, demand) : p;
}

static Plan *rewrite_node(hbpg_rewriting *r, Plan *p, hbpg_demand demand);

static Plan *
rewrite_read(hbpg_rewriting *r, Plan *p, hbpg_reading reading)
{
	return rewrite_node(r, p, (hbpg_demand) {reading, reading});
}

static void
rewrite_list(hbpg_rewriting *r, List *plans, hbpg_reading reading)
{
	ListCell   *cell;

	foreach(cell, plans)
		lfirst(cell) = rewrite_read(r, lfirst(cell), reading);
}

/* Marks a place in its input and comes back to it, which no node of ours can. */
static bool
is_marked(Plan *parent)
{
	return IsA(parent, MergeJoin) && !((MergeJoin *) parent)->skip_mark_restore;
}

/* A Result, as of a condition that is evaluated once, hands marks on to what is below it. */
static bool
hands_marks_to_node(Plan *p)
{
	while (IsA(p, Result) && p->lefttree)
		p = p->lefttree;
	return hbpg_is_batch_node(p);
}

static Plan *
rewrite_outer(hbpg_rewriting *r, Plan *parent, hbpg_demand demand)
{
	hbpg_reading reading = hbpg_reading_of_input(parent, true, demand.rows);

	return rewrite_node(r, parent->lefttree, (hbpg_demand) {reading, lets_node_above(parent) ? demand.output : reading});
}

static Plan *
rewrite_inner(hbpg_rewriting *r, Plan *parent, hbpg_demand demand)
{
	Plan	   *inner = rewrite_read(r, parent->righttree, hbpg_reading_of_input(parent, false, demand.rows));

	return inner && is_marked(parent) && hands_marks_to_node(inner) ? materialize(r, inner) : inner;
}

/* Rewrites the inputs first, to know what they compute. Nodes below another extension's node stay as they are. */
static Plan *
rewrite_node(hbpg_rewriting *r, Plan *p, hbpg_demand demand)
{
	if (!p || hbpg_is_batch_node(p))
		return p;
	check_stack_depth();
	hbpg_note_subplans(r, p, demand.rows);
	if (!IsA(p, CustomScan))
	{
		p->lefttree = rewrite_outer(r, p, demand);
		p->righttree = rewrite_inner(r, p, demand);
	}
	if (IsA(p, Append))
		rewrite_list(r, ((Append *) p)->appendplans, demand.rows);
	else if (IsA(p, MergeAppend))
		rewrite_list(r, ((MergeAppend *) p)->mergeplans, demand.rows);
	else if (IsA(p, SubqueryScan))
		((SubqueryScan *) p)->subplan = rewrite_read(r, ((SubqueryScan *) p)->subplan, demand.rows);
	return put_node(r, p, demand);
}

static void
check_required(PlannedStmt *statement)
{
	if (hbpg_require_batch == HBPG_REQUIRE_ANY)
		return;
	if (hbpg_require_batch == HBPG_REQUIRE_BATCH && hbpg_has_row_call(statement))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a call of this statement is not scored in blocks")));
	if (hbpg_require_batch == HBPG_FORBID_BATCH && hbpg_has_batch_node(statement))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a call of this statement is scored in blocks")));
}

/* `cursor`: WHERE CURRENT OF may ask the main plan for a row. Sub-plans come behind those who read them. */
static void
rewrite_statement(PlannedStmt *statement, bool cursor)
{
	int			n = list_length(statement->subplans);
	hbpg_rewriting r = {statement, hbpg_last_plan_id(statement), palloc0(sizeof(hbpg_reading) * (n + 1))};

	if (cursor && hbpg_batch != HBPG_BATCH_ON && hbpg_is_for_current_of(statement->planTree))
		hbpg_note_subplans(&r, statement->planTree, HBPG_READ_WITH_STATEMENT);
	else
		statement->planTree = rewrite_read(&r, statement->planTree, HBPG_READ_WITH_STATEMENT);
	for (int id = n; id > 0; id--)
	{
		ListCell   *subplan = list_nth_cell(statement->subplans, id - 1);

		lfirst(subplan) = rewrite_read(&r, lfirst(subplan), hbpg_reading_of_subplan(&r, id));
	}
}

/* A node at the top of the plan reads at least one row for each row of the result. */
static void
note_result(Plan *p)
{
	CustomScan *node = (CustomScan *) p;

	if (hbpg_is_batch_node(p))
		lfirst(list_nth_cell(node->custom_private, HBPG_READING)) = makeInteger(HBPG_READ_AS_RESULT);
}

/* ---- the hooks */

static PlannedStmt *
plan_query(Query *query, const char *text, int options, ParamListInfo parameters)
{
	PlannedStmt *statement = next_planner ? next_planner(query, text, options, parameters) :
		standard_planner(query, text, options, parameters);
	hbpg_rewriting	r = {statement, 0};

	entered = true;
	if (hbpg_batch != HBPG_BATCH_OFF)
	{
		rewrite_statement(statement, options & CURSOR_OPT_FAST_PLAN);
		/* The planner has asked whether the plan it knew could go backward. */
		if ((options & CURSOR_OPT_SCROLL) && !ExecSupportsBackwardScan(statement->planTree))
		{
			r.last_id = hbpg_last_plan_id(statement);
			statement->planTree = materialize(&r, statement->planTree);
		}
		note_result(statement->planTree);
	}
	return statement;
}

/* The planner changes the query that it is given. */
static PlannedStmt *
plan_hook(Query *query, const char *text, int options, ParamListInfo parameters)
{
	Query	   *again = hbpg_may_plan_alone(options) ? copyObject(query) : NULL;
	PlannedStmt *statement = plan_query(query, text, options, parameters);

	if (again && hbpg_workers_score(statement))
	{
		PlannedStmt *alone = plan_query(again, text, options & ~CURSOR_OPT_PARALLEL_OK, parameters);

		if (hbpg_is_better_alone(alone, statement))
			statement = alone;
	}
	check_required(statement);
	return statement;
}

/* Its portal begins it. */
static bool
is_of_cursor(PlannedStmt *statement)
{
	return ActivePortal && (ActivePortal->cursorOptions & CURSOR_OPT_FAST_PLAN) &&
		list_member_ptr(ActivePortal->stmts, statement);
}

/* The plan may belong to the plan cache: a copy is changed, which lives as long as the run of it. There is one such. */
static void
rewrite_copy(QueryDesc *run)
{
	MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(run));
	bool		cursor = is_of_cursor(run->plannedstmt);

	run->plannedstmt = copyObject(run->plannedstmt);
	rewrite_statement(run->plannedstmt, cursor);
	note_result(run->plannedstmt->planTree);
	older_plan = false;
	MemoryContextSwitchTo(caller);
}

#if PG_VERSION_NUM >= 180000
static void
run_hook(QueryDesc *run, ScanDirection direction, uint64 count)
{
	hbpg_note_run(run, direction, count);
	if (next_executor_run)
		next_executor_run(run, direction, count);
	else
		standard_ExecutorRun(run, direction, count);
}
#else
static void
run_hook(QueryDesc *run, ScanDirection direction, uint64 count, bool once)
{
	hbpg_note_run(run, direction, count);
	if (next_executor_run)
		next_executor_run(run, direction, count, once);
	else
		standard_ExecutorRun(run, direction, count, once);
}
#endif

/* A cursor that may go backward was promised to by who made the plan. */
static void
start_hook(QueryDesc *run, int flags)
{
	if (older_plan && hbpg_batch != HBPG_BATCH_OFF && !IsParallelWorker() &&
		!(flags & (EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD)) && hbpg_has_row_call(run->plannedstmt))
		rewrite_copy(run);
	if (next_executor_start)
		next_executor_start(run, flags);
	else
		standard_ExecutorStart(run, flags);
	hbpg_mark_statement(run->estate->es_query_cxt);
}

/* Before EXPLAIN ANALYZE shows the nodes. */
static void
finish_hook(QueryDesc *run)
{
	if (run->instrument_options && run->planstate)
		hbpg_end_sharing_below(run->planstate, NULL);
	if (next_executor_finish)
		next_executor_finish(run);
	else
		standard_ExecutorFinish(run);
}

/*
 * A plan with a call of ours is made before the hook is there only where its making, or the call itself, is what loads
 * the library; a reference that is read while a query is parsed loads it in time. That plan may be kept: it is made again
 * when it is used again.
 */
void
hbpg_entered(bool by_reference)
{
	if (!entered && !by_reference)
	{
		older_plan = true;
		ResetPlanCache();
	}
	entered = true;
}

void
hbpg_plan_init(void)
{
	RegisterCustomScanMethods(&hbpg_scan_methods);
	next_planner = planner_hook;
	planner_hook = plan_hook;
	next_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = start_hook;
	next_executor_run = ExecutorRun_hook;
	ExecutorRun_hook = run_hook;
	next_executor_finish = ExecutorFinish_hook;
	ExecutorFinish_hook = finish_hook;
}
