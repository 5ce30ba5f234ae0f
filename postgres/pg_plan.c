/*
 * pg_plan.c - puts nodes that score in blocks into finished plans; executes nothing.
 *
 * Nodes that compute their output from rows (scans, joins, Result) hand that work up to a node above them, which gets the
 * plain columns instead. Nodes that compute something else from expressions (aggregates, window functions, functions
 * that return sets) get a node between them and their input, which adds the scores as columns.
 *
 * Conditions keep their order, which is that of their security levels: the first with a call moves up, and all behind it.
 */
#include "pg_batch.h"

#include "access/parallel.h"
#include "access/table.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"

static planner_hook_type next_planner;
static ExecutorStart_hook_type next_executor_start;

/* Whether a plan may come that was made before the planner's hook was there; whether it, or a function, has run. */
static bool older_plan;
static bool entered;

typedef struct rewriting
{
	PlannedStmt *statement;
	int			last_id;
} rewriting;

/* ---- the node */

static List *
columns_of(List *atoms)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, atoms)
	{
		Expr	   *atom = copyObject(lfirst(cell));

		columns = lappend(columns, makeTargetEntry(atom, foreach_current_index(cell) + 1, NULL, false));
	}
	return columns;
}

/* The columns of a plan, as a node above sees them. */
static List *
columns_below(List *targets, Index varno)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, targets)
	{
		columns = lappend(columns, makeVarFromTargetEntry(varno, lfirst(cell)));
	}
	return columns;
}

/* What the node reads: the columns from below, and the calls on them. */
static List *
scan_targets(List *atoms, List *calls)
{
	List	   *targets = columns_of(atoms);
	List	   *below = columns_below(targets, OUTER_VAR);
	ListCell   *cell;

	targets = columns_of(below);
	foreach(cell, calls)
	{
		Expr	   *call = (Expr *) hbpg_replace(lfirst(cell), atoms, NIL, OUTER_VAR);

		targets = lappend(targets, makeTargetEntry(call, list_length(targets) + 1, NULL, false));
	}
	return targets;
}

/* Between `child`, whose output is the atoms, and what asked it. */
static CustomScan *
make_node(rewriting *r, Plan *child, List *atoms, List *calls)
{
	CustomScan *node = makeNode(CustomScan);
	Plan	   *plan = &node->scan.plan;

	node->methods = &hbpg_scan_methods;
	node->custom_scan_tlist = scan_targets(atoms, calls);
	plan->lefttree = child;
	plan->plan_node_id = ++r->last_id;
	plan->startup_cost = child->startup_cost;
	plan->total_cost = child->total_cost;
	plan->plan_rows = child->plan_rows;
	plan->plan_width = child->plan_width;
	plan->parallel_safe = child->parallel_safe;
	plan->extParam = bms_copy(child->extParam);
	plan->allParam = bms_copy(child->allParam);
	return node;
}

/* An asynchronous scan tells only an Append above it that it has no row yet; to others it seems to be at its end. */
static Plan *
put(CustomScan *node)
{
	node->scan.plan.lefttree->async_capable = false;
	return &node->scan.plan;
}

/* A plan whose rows can be gone back to. */
static Plan *
materialize(rewriting *r, Plan *p)
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

/* ---- whether it pays */

/* Notes which columns are `used` by more than the calls; whether to score this many rows with the node pays. */
static bool
pays(CustomScan *node, double rows, List *atoms, List *calls, List *used)
{
	double		saved = 0;
	int			carried = 0;
	int			wide = 0;
	ListCell   *cell;

	node->custom_private = list_make4(makeInteger(list_length(atoms)), makeInteger(list_length(calls)), used, NIL);
	foreach(cell, used)
	{
		if (lfirst_int(cell) > list_length(atoms))
			continue;
		carried++;
		wide += !get_typbyval(exprType(list_nth(atoms, lfirst_int(cell) - 1)));
	}
	if (hbpg_batch != HBPG_BATCH_AUTO)
		return true;
	foreach(cell, calls)
		saved += hbpg_saved_by_block(lfirst(cell));
	return hbpg_block_pays(rows, saved, carried, wide);
}

/* Whether to read a row more from it than its parent asks for could be noticed. */
static bool
has_effect(rewriting *r, Plan *p)
{
	return hbpg_is_volatile(p, r->statement->subplans) || hbpg_evaluates_calls(p, r->statement->subplans);
}

/* ---- scans, joins: a node above */

typedef struct work
{
	List	   *targets;
	List	   *keep;			/* conditions that stay.. */
	List	   *keep_join;
	List	   *moved;			/* ..and that move up */
	List	   *calls;
	List	   *atoms;
} work;

static bool
is_current_of(Node *node, void *context)
{
	if (!node)
		return false;
	return IsA(node, CurrentOfExpr) || expression_tree_walker(node, is_current_of, context);
}

/* An equality may be the proof that a row has one partner at most, by which a join stops at the first. */
static bool
may_prove_unique(Node *clause)
{
	return IsA(clause, OpExpr) && list_length(((OpExpr *) clause)->args) == 2 &&
		op_mergejoinable(((OpExpr *) clause)->opno, exprType(linitial(((OpExpr *) clause)->args)));
}

static void
cut_join(Join *join, work *w)
{
	ListCell   *cell;

	foreach(cell, join->joinqual)
	{
		Node	   *clause = lfirst(cell);
		bool		moves = w->moved != NIL || hbpg_has_call(clause);

		if (moves && !(join->inner_unique && may_prove_unique(clause)))
			w->moved = lappend(w->moved, clause);
		else
			w->keep_join = lappend(w->keep_join, clause);
	}
}

static void
cut(List *quals, work *w)
{
	ListCell   *cell;

	foreach(cell, quals)
	{
		Node	   *clause = lfirst(cell);

		if (w->moved != NIL || hbpg_has_call(clause))
			w->moved = lappend(w->moved, clause);
		else
			w->keep = lappend(w->keep, clause);
	}
}

static bool
is_join(Plan *p)
{
	return IsA(p, NestLoop) || IsA(p, MergeJoin) || IsA(p, HashJoin);
}

static RangeTblEntry *
table_of(rewriting *r, Plan *p)
{
	RangeTblEntry *entry;

	switch (nodeTag(p))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			entry = rt_fetch(((Scan *) p)->scanrelid, r->statement->rtable);
			return entry->rtekind == RTE_RELATION ? entry : NULL;
		default:
			return NULL;
	}
}

/* Where the planner has split an ANDed condition, all parts are in lists; the calls take columns instead of rows. */
static void
take_apart(rewriting *r, Plan *p, work *w)
{
	RangeTblEntry *entry = table_of(r, p);
	List	   *quals = p->qual;

	w->targets = p->targetlist;
	if (entry)
	{
		w->targets = hbpg_spread_rows(p->targetlist, ((Scan *) p)->scanrelid, entry->relid);
		quals = hbpg_spread_rows(p->qual, ((Scan *) p)->scanrelid, entry->relid);
	}
	if (is_join(p) && ((Join *) p)->jointype == JOIN_INNER)
		cut_join((Join *) p, w);
	if (IsA(p, WindowAgg))
		w->keep = quals;
	else
		cut(quals, w);
	w->calls = hbpg_collect_calls(hbpg_collect_calls(NIL, (Node *) w->moved), (Node *) w->targets);
	w->atoms = hbpg_collect_atoms(hbpg_collect_atoms(NIL, (Node *) w->targets, IsA(p, WindowAgg)), (Node *) w->moved,
								  IsA(p, WindowAgg));
}

/* What the node below will evaluate ahead, which is all but what moves up, can be noticed, or be an error of a row. */
static bool
reads_ahead_with_effect(rewriting *r, Plan *p, const work *w)
{
	Join	   *join = is_join(p) && ((Join *) p)->jointype == JOIN_INNER ? (Join *) p : NULL;
	List	   *targets = p->targetlist;
	List	   *quals = p->qual;
	List	   *joinquals = join ? join->joinqual : NIL;
	bool		found;

	p->targetlist = columns_of(w->atoms);
	p->qual = w->keep;
	if (join)
		join->joinqual = w->keep_join;
	found = has_effect(r, p);
	p->targetlist = targets;
	p->qual = quals;
	if (join)
		join->joinqual = joinquals;
	return found;
}

/*
 * Behind a condition that moved up a block evaluates arguments of rows that do not pass it. Where it can be one of row
 * security, what they call must not tell of them.
 */
static bool
tells_of_hidden_rows(rewriting *r, const work *w)
{
	List	   *of_all;
	ListCell   *cell;

	if (w->moved == NIL || !hbpg_has_row_security(r->statement))
		return false;
	of_all = hbpg_collect_calls(NIL, linitial(w->moved));
	foreach(cell, w->calls)
	{
		if (!list_member(of_all, lfirst(cell)) && contain_leaked_vars((Node *) ((FuncExpr *) lfirst(cell))->args))
			return true;
	}
	return false;
}

/*
 * All columns of the table where most are asked for: a scan then hands up its tuple as it is. NIL: it cannot, or few are.
 */
static List *
whole_table(rewriting *r, Plan *p, List *atoms)
{
	RangeTblEntry *entry = table_of(r, p);
	List	   *all = NIL;
	Relation	table;
	TupleDesc	columns;
	ListCell   *cell;

	if (!entry)
		return NIL;
	foreach(cell, atoms)
	{
		if (((Var *) lfirst(cell))->varattno <= 0)
			return NIL;
	}
	table = table_open(entry->relid, NoLock);
	columns = RelationGetDescr(table);
	for (int i = 0; i < columns->natts && columns->natts <= 2 * list_length(atoms); i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (column->attisdropped)
		{
			all = NIL;
			break;
		}
		all = lappend(all, makeVar(((Scan *) p)->scanrelid, column->attnum, column->atttypid, column->atttypmod,
								   column->attcollation, 0));
	}
	table_close(table, NoLock);
	return all;
}

/* A condition takes calls that it, or one before it, evaluates anyway; the target list all. */
static List *
conditions(const work *w)
{
	List	   *calls = NIL;
	List	   *quals = NIL;
	ListCell   *cell;

	foreach(cell, w->moved)
	{
		calls = hbpg_collect_calls(calls, lfirst(cell));
		quals = lappend(quals, hbpg_replace(lfirst(cell), w->atoms, calls, INDEX_VAR));
	}
	return quals;
}

/* The columns that the node hands up, or looks at in its conditions; those of the calls are known anyway. */
static List *
columns_used(const CustomScan *node, int n_atoms)
{
	List	   *vars = hbpg_collect_atoms(hbpg_collect_atoms(NIL, (Node *) node->scan.plan.targetlist, false),
										  (Node *) node->scan.plan.qual, false);
	List	   *used = NIL;
	ListCell   *cell;

	foreach(cell, vars)
	{
		if (((Var *) lfirst(cell))->varattno <= n_atoms)
			used = lappend_int(used, ((Var *) lfirst(cell))->varattno);
	}
	return used;
}

/*
 * Of conditions that move up only the rows are known that pass them. But the plan's cost counts their calls for each row
 * that they see, and mostly consists of that.
 */
static double
rows_to_score(const Plan *p, const work *w)
{
	double		row = cpu_tuple_cost;
	double		all = p->total_cost - p->startup_cost;
	ListCell   *cell;

	if (w->moved == NIL)
		return p->plan_rows;
	foreach(cell, hbpg_collect_calls(NIL, (Node *) w->moved))
		row += hbpg_call_cost(lfirst(cell));
	all -= p->lefttree ? p->lefttree->total_cost : 0;
	all -= p->righttree ? p->righttree->total_cost : 0;
	return Max(p->plan_rows, all / row);
}

static Plan *
put_above(rewriting *r, Plan *p)
{
	work		w = {0};
	List	   *all;
	CustomScan *node;

	take_apart(r, p, &w);
	if (w.calls == NIL || is_current_of((Node *) w.moved, NULL) || reads_ahead_with_effect(r, p, &w) ||
		tells_of_hidden_rows(r, &w))
		return p;
	all = whole_table(r, p, w.atoms);
	if (all)
		w.atoms = all;
	node = make_node(r, p, w.atoms, w.calls);
	node->scan.plan.targetlist = (List *) hbpg_replace((Node *) w.targets, w.atoms, w.calls, INDEX_VAR);
	node->scan.plan.qual = conditions(&w);
	if (!pays(node, rows_to_score(p, &w), w.atoms, w.calls, columns_used(node, list_length(w.atoms))))
		return p;
	p->targetlist = columns_of(w.atoms);
	p->qual = w.keep;
	if (is_join(p) && ((Join *) p)->jointype == JOIN_INNER)
		((Join *) p)->joinqual = w.keep_join;
	return put(node);
}

/* A node that only computes an output is not needed above one that does. */
static Plan *
put_in_place(rewriting *r, Plan *p)
{
	work		w = {.targets = p->targetlist};
	CustomScan *node;

	w.calls = hbpg_collect_calls(NIL, (Node *) w.targets);
	if (w.calls == NIL || has_effect(r, p->lefttree))
		return p;
	w.atoms = columns_below(p->lefttree->targetlist, OUTER_VAR);
	node = make_node(r, p->lefttree, w.atoms, w.calls);
	node->scan.plan.targetlist = (List *) hbpg_replace((Node *) w.targets, w.atoms, w.calls, INDEX_VAR);
	if (!pays(node, p->plan_rows, w.atoms, w.calls, columns_used(node, list_length(w.atoms))))
		return p;
	node->scan.plan.initPlan = p->initPlan;
	node->scan.plan.extParam = p->extParam;
	node->scan.plan.allParam = p->allParam;
	node->scan.plan.plan_width = p->plan_width;
	return put(node);
}

/* ---- aggregates, window functions, functions that return sets: a node below */

/* The arguments that are evaluated for every row of the input, and the conditions of FILTER. */
typedef struct inputs
{
	List	   *always;
	List	   *lazy;			/* arguments behind a FILTER */
} inputs;

static bool
reads_whole_partition(const WindowAgg *w, const WindowFunc *function)
{
	int			from = FRAMEOPTION_START_UNBOUNDED_PRECEDING;
	int			to = FRAMEOPTION_END_UNBOUNDED_FOLLOWING | FRAMEOPTION_END_CURRENT_ROW;

	return function->winagg && (w->frameOptions & from) && (w->frameOptions & to) &&
		!(w->frameOptions & FRAMEOPTION_EXCLUSION);
}

typedef struct input_search
{
	inputs	   *found;
	const WindowAgg *window;	/* NULL: an Agg */
} input_search;

static bool
find_inputs(Node *node, void *context)
{
	input_search *search = context;

	if (!node)
		return false;
	if (IsA(node, Aggref))
	{
		Aggref	   *aggregate = (Aggref *) node;
		List	  **list = aggregate->aggfilter ? &search->found->lazy : &search->found->always;

		*list = lappend(*list, aggregate->args);
		search->found->always = lappend(search->found->always, aggregate->aggfilter);
		return false;
	}
	if (IsA(node, WindowFunc))
	{
		WindowFunc *function = (WindowFunc *) node;

		if (search->window && !function->aggfilter && reads_whole_partition(search->window, function))
			search->found->always = lappend(search->found->always, function->args);
		return false;
	}
	return expression_tree_walker(node, find_inputs, context);
}

typedef struct input_replacing
{
	const WindowAgg *window;
	List	   *calls;
	List	   *columns;
} input_replacing;

/* Within what is computed from the input's rows; what is computed from a group is not touched. */
static Node *
replace_inputs(Node *node, void *context)
{
	input_replacing *with = context;

	if (!node)
		return NULL;
	if (IsA(node, Aggref))
	{
		Aggref	   *aggregate = copyObject((Aggref *) node);

		aggregate->args = (List *) hbpg_replace_calls((Node *) aggregate->args, with->calls, with->columns);
		aggregate->aggfilter = (Expr *) hbpg_replace_calls((Node *) aggregate->aggfilter, with->calls, with->columns);
		return (Node *) aggregate;
	}
	if (IsA(node, WindowFunc))
	{
		WindowFunc *function = copyObject((WindowFunc *) node);

		if (!function->aggfilter && reads_whole_partition(with->window, function))
			function->args = (List *) hbpg_replace_calls((Node *) function->args, with->calls, with->columns);
		return (Node *) function;
	}
	return expression_tree_mutator(node, replace_inputs, context);
}

/* A condition that ends the window of a partition early, or keeps it from being computed. */
static bool
stops_early(const WindowAgg *w)
{
#if PG_VERSION_NUM >= 150000
	return w->runCondition != NIL || w->plan.qual != NIL;
#else
	return false;
#endif
}

static List *
add_columns(List *used, const AttrNumber *columns, int n)
{
	for (int i = 0; i < n; i++)
		used = list_append_unique_int(used, columns[i]);
	return used;
}

/* The columns of its input, by number, that the node looks at. */
static List *
columns_read(Plan *p)
{
	List	   *atoms = hbpg_collect_atoms(hbpg_collect_atoms(NIL, (Node *) p->targetlist, false), (Node *) p->qual, false);
	List	   *used = NIL;
	ListCell   *cell;

	foreach(cell, atoms)
	{
		if (((Var *) lfirst(cell))->varno == OUTER_VAR)
			used = list_append_unique_int(used, ((Var *) lfirst(cell))->varattno);
	}
	if (IsA(p, Agg))
	{
		used = add_columns(used, ((Agg *) p)->grpColIdx, ((Agg *) p)->numCols);
		foreach(cell, ((Agg *) p)->chain)
			used = add_columns(used, ((Agg *) lfirst(cell))->grpColIdx, ((Agg *) lfirst(cell))->numCols);
	}
	if (IsA(p, WindowAgg))
	{
		used = add_columns(used, ((WindowAgg *) p)->partColIdx, ((WindowAgg *) p)->partNumCols);
		used = add_columns(used, ((WindowAgg *) p)->ordColIdx, ((WindowAgg *) p)->ordNumCols);
	}
	return used;
}

/* Whether its whole target list is evaluated for each row of its input; aggregates look only at what is in them. */
static bool
computes_each(const Plan *p)
{
	return IsA(p, ProjectSet) || IsA(p, Result);
}

/*
 * Whether it looks at a row only some time after it has read it, or never: a sorted group ends where the next one's first
 * row comes. A row that is an error is then not raised when it is read: its score is NULL, and asks the call again.
 */
static bool
looks_later(const Plan *p)
{
	return IsA(p, WindowAgg) || (IsA(p, Agg) && !hbpg_reads_all((Plan *) p));
}

static List *
or_else_calls(List *columns, List *calls)
{
	List	   *guarded = NIL;
	ListCell   *column;
	ListCell   *call;

	forboth(column, columns, call, calls)
	{
		CoalesceExpr *score = makeNode(CoalesceExpr);

		score->coalescetype = exprType(lfirst(call));
		score->coalescecollid = exprCollation(lfirst(call));
		score->args = list_make2(lfirst(column), copyObject(lfirst(call)));
		score->location = -1;
		guarded = lappend(guarded, score);
	}
	return guarded;
}

/* The calls in the node's expressions become these columns of its input. */
static void
take_columns(Plan *p, List *calls, List *columns)
{
	input_replacing with = {IsA(p, WindowAgg) ? (WindowAgg *) p : NULL, calls,
		looks_later(p) ? or_else_calls(columns, calls) : columns};

	if (computes_each(p))
		p->targetlist = (List *) hbpg_replace_calls((Node *) p->targetlist, calls, columns);
	else
	{
		p->targetlist = (List *) replace_inputs((Node *) p->targetlist, &with);
		p->qual = (List *) replace_inputs((Node *) p->qual, &with);
	}
}

static List *
input_calls(Plan *p)
{
	inputs		found = {0};
	input_search search = {&found, IsA(p, WindowAgg) ? (WindowAgg *) p : NULL};

	if (computes_each(p))
		return hbpg_collect_calls(NIL, (Node *) p->targetlist);
	find_inputs((Node *) p->targetlist, &search);
	find_inputs((Node *) p->qual, &search);
	return hbpg_collect_calls(NIL, (Node *) found.always);
}

static List *
places(int first, int n)
{
	List	   *list = NIL;

	for (int i = 0; i < n; i++)
		list = lappend_int(list, first + i);
	return list;
}

static void
put_below(rewriting *r, Plan *p, List *calls)
{
	Plan	   *child = p->lefttree;
	List	   *targets = p->targetlist;
	List	   *quals = p->qual;
	List	   *atoms = columns_below(child->targetlist, OUTER_VAR);
	CustomScan *node = make_node(r, child, atoms, calls);
	List	   *passed = columns_below(node->custom_scan_tlist, OUTER_VAR);

	if (hbpg_reads_all(p) ? hbpg_is_volatile(child, r->statement->subplans) : has_effect(r, child))
		return;
	node->scan.plan.targetlist = columns_of(columns_below(node->custom_scan_tlist, INDEX_VAR));
	take_columns(p, calls, list_copy_tail(passed, list_length(atoms)));
	if (pays(node, child->plan_rows, atoms, calls, columns_read(p)))
	{
		if (looks_later(p))
			lfourth(node->custom_private) = places(list_length(atoms) + 1, list_length(calls));
		p->lefttree = put(node);
		return;
	}
	p->targetlist = targets;
	p->qual = quals;
}

/* ---- a node that is there already scores for the one above it too, and what it scores anyway once */

/* What a node above sees as the columns of this one, in terms of what this one reads. */
static Node *
in_terms_of(Node *node, void *context)
{
	CustomScan *below = context;
	Var		   *column = (Var *) node;
	List	   *from;

	if (!node)
		return NULL;
	if (!IsA(node, Var) || (column->varno != OUTER_VAR && column->varno != INDEX_VAR))
		return expression_tree_mutator(node, in_terms_of, context);
	from = column->varno == OUTER_VAR ? below->scan.plan.targetlist : below->custom_scan_tlist;
	node = (Node *) copyObject(list_nth_node(TargetEntry, from, column->varattno - 1)->expr);
	return column->varno == OUTER_VAR ? in_terms_of(node, context) : node;
}

/* The place of an equal expression in the list of targets, from 1; it is added where there is none. */
static int
place_in(List **targets, Node *expression)
{
	ListCell   *cell;

	foreach(cell, *targets)
	{
		if (equal(lfirst_node(TargetEntry, cell)->expr, expression))
			return foreach_current_index(cell) + 1;
	}
	*targets = lappend(*targets, makeTargetEntry((Expr *) expression, list_length(*targets) + 1, NULL, false));
	return list_length(*targets);
}

/* The node's output column with the call's score; `later`: it is looked at later. */
static Node *
score_here(CustomScan *node, Node *call, bool later)
{
	int			n = list_length(node->scan.plan.targetlist);
	int			place = place_in(&node->custom_scan_tlist, in_terms_of(call, node));
	Var		   *score = makeVar(INDEX_VAR, place, exprType(call), exprTypmod(call), exprCollation(call), 0);
	int			column = place_in(&node->scan.plan.targetlist, (Node *) score);

	if (later && column > n)
		lfourth(node->custom_private) = lappend_int(lfourth(node->custom_private), column);
	return (Node *) makeVar(OUTER_VAR, column, exprType(call), exprTypmod(call), exprCollation(call), 0);
}

/* False: what the node computes for its output is not the same when it is computed again. */
static bool
score_below(Plan *p, CustomScan *node, List *calls)
{
	List	   *columns = NIL;
	ListCell   *cell;

	if (contain_volatile_functions((Node *) node->scan.plan.targetlist) ||
		contain_subplans((Node *) node->scan.plan.targetlist))
		return false;
	foreach(cell, calls)
		columns = lappend(columns, score_here(node, lfirst(cell), looks_later(p)));
	take_columns(p, calls, columns);
	lsecond(node->custom_private) = makeInteger(list_length(node->custom_scan_tlist) -
												intVal(linitial(node->custom_private)));
	return true;
}

static void
put_for_input(rewriting *r, Plan *p)
{
	List	   *calls = input_calls(p);
	bool		scored;

	if (calls == NIL)
		return;
	scored = hbpg_is_batch_node(p->lefttree) && score_below(p, (CustomScan *) p->lefttree, calls);
	if (!scored)
		put_below(r, p, calls);
}

/* ---- a plan */

/* Data that another server changes while it is read: its rows come with the change. */
static bool
is_direct_change(Plan *p)
{
	return IsA(p, ForeignScan) && ((ForeignScan *) p)->operation != CMD_SELECT;
}

static bool
computes_output(Plan *p)
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
		case T_ForeignScan:
			return !is_direct_change(p);
		case T_CustomScan:
			return ((CustomScan *) p)->scan.scanrelid > 0;
		default:
			return false;
	}
}

static bool
has_call_here(Plan *p)
{
	return hbpg_has_call((Node *) p->targetlist) || hbpg_has_call((Node *) p->qual) ||
		(is_join(p) && hbpg_has_call((Node *) ((Join *) p)->joinqual));
}

static Plan *
put_node(rewriting *r, Plan *p)
{
	if (!has_call_here(p))
		return p;
	if (computes_output(p))
		return put_above(r, p);
	if (!p->lefttree || (IsA(p, Result) && p->qual) || (IsA(p, WindowAgg) && stops_early((WindowAgg *) p)))
		return p;
	if (IsA(p, Result) && !((Result *) p)->resconstantqual && !hbpg_is_batch_node(p->lefttree))
		return put_in_place(r, p);
	if (IsA(p, Agg) || IsA(p, WindowAgg) || computes_each(p))
		put_for_input(r, p);
	return IsA(p, WindowAgg) ? put_above(r, p) : p;
}

static Plan *rewrite(rewriting *r, Plan *p);

static void
rewrite_list(rewriting *r, List *plans)
{
	ListCell   *cell;

	foreach(cell, plans)
		lfirst(cell) = rewrite(r, lfirst(cell));
}

/* Marks a place in its input and comes back to it, which no node of ours can. */
static bool
is_marked(Plan *parent)
{
	return IsA(parent, MergeJoin) && !((MergeJoin *) parent)->skip_mark_restore;
}

static Plan *
rewrite_inner(rewriting *r, Plan *parent)
{
	Plan	   *inner = parent->righttree;
	Plan	   *rewritten = rewrite(r, inner);

	return rewritten != inner && is_marked(parent) ? materialize(r, rewritten) : rewritten;
}

/* From below, so that what a node's input computes is known. What another extension's node has below is its own matter. */
static Plan *
rewrite(rewriting *r, Plan *p)
{
	if (!p || hbpg_is_batch_node(p))
		return p;
	check_stack_depth();
	if (!IsA(p, CustomScan))
	{
		p->lefttree = rewrite(r, p->lefttree);
		p->righttree = rewrite_inner(r, p);
	}
	if (IsA(p, Append))
		rewrite_list(r, ((Append *) p)->appendplans);
	else if (IsA(p, MergeAppend))
		rewrite_list(r, ((MergeAppend *) p)->mergeplans);
	else if (IsA(p, SubqueryScan))
		((SubqueryScan *) p)->subplan = rewrite(r, ((SubqueryScan *) p)->subplan);
	return put_node(r, p);
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

static void
rewrite_statement(PlannedStmt *statement)
{
	rewriting	r = {statement, hbpg_last_plan_id(statement)};

	statement->planTree = rewrite(&r, statement->planTree);
	rewrite_list(&r, statement->subplans);
}

/* ---- the hooks */

static PlannedStmt *
plan(Query *query, const char *text, int options, ParamListInfo parameters)
{
	PlannedStmt *statement = next_planner ? next_planner(query, text, options, parameters) :
		standard_planner(query, text, options, parameters);
	rewriting	r = {statement, 0};

	entered = true;
	if (hbpg_batch != HBPG_BATCH_OFF)
	{
		rewrite_statement(statement);
		/* The planner has asked whether the plan it knew could go backward. */
		if ((options & CURSOR_OPT_SCROLL) && !ExecSupportsBackwardScan(statement->planTree))
		{
			r.last_id = hbpg_last_plan_id(statement);
			statement->planTree = materialize(&r, statement->planTree);
		}
	}
	check_required(statement);
	return statement;
}

/* The plan may belong to the plan cache: a copy is changed, which lives as long as the run of it. There is one such. */
static void
rewrite_copy(QueryDesc *run)
{
	MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(run));

	run->plannedstmt = copyObject(run->plannedstmt);
	rewrite_statement(run->plannedstmt);
	older_plan = false;
	MemoryContextSwitchTo(caller);
}

/* A cursor that may go backward was promised to by who made the plan. */
static void
start(QueryDesc *run, int flags)
{
	if (older_plan && hbpg_batch != HBPG_BATCH_OFF && !IsParallelWorker() &&
		!(flags & (EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD)) && hbpg_has_row_call(run->plannedstmt))
		rewrite_copy(run);
	if (next_executor_start)
		next_executor_start(run, flags);
	else
		standard_ExecutorStart(run, flags);
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
	planner_hook = plan;
	next_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = start;
}
