/*
 * pg_below.c - nodes that compute something else from their input's rows, as aggregates, window functions and functions
 * that return sets do: the node that scores stands between them and their input, and adds the scores as columns.
 */
#include "pg_batch.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

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
	List	   *found;			/* what is evaluated for every row of the input: arguments, and the conditions of FILTER */
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

		if (!aggregate->aggfilter)
			search->found = lappend(search->found, aggregate->args);
		search->found = lappend(search->found, aggregate->aggfilter);
		return false;
	}
	if (IsA(node, WindowFunc))
	{
		WindowFunc *function = (WindowFunc *) node;

		if (search->window && !function->aggfilter && reads_whole_partition(search->window, function))
			search->found = lappend(search->found, function->args);
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
bool
hbpg_stops_early(const WindowAgg *w)
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
bool
hbpg_computes_each(const Plan *p)
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

	if (hbpg_computes_each(p))
		p->targetlist = (List *) hbpg_replace_calls((Node *) p->targetlist, calls, columns);
	else
	{
		p->targetlist = (List *) replace_inputs((Node *) p->targetlist, &with);
		p->qual = (List *) replace_inputs((Node *) p->qual, &with);
	}
}

/* The expressions that p evaluates for each row of its input. */
static Node *
inputs_of(Plan *p)
{
	input_search search = {NIL, IsA(p, WindowAgg) ? (WindowAgg *) p : NULL};

	if (hbpg_computes_each(p))
		return (Node *) p->targetlist;
	find_inputs((Node *) p->targetlist, &search);
	find_inputs((Node *) p->qual, &search);
	return (Node *) search.found;
}

static List *
consecutive_places(int first, int n)
{
	List	   *list = NIL;

	for (int i = 0; i < n; i++)
		list = lappend_int(list, first + i);
	return list;
}

static void
put_below(hbpg_rewriting *r, Plan *p, List *calls, hbpg_reading reading)
{
	Plan	   *child = p->lefttree;
	List	   *targets = p->targetlist;
	List	   *quals = p->qual;
	List	   *atoms = hbpg_columns_below(child->targetlist, OUTER_VAR);
	CustomScan *node = hbpg_make_node(r, child, atoms, calls, reading);
	List	   *passed = hbpg_columns_below(node->custom_scan_tlist, OUTER_VAR);

	if (hbpg_reads_all(p) ? hbpg_is_volatile(child, r->statement->subplans) : hbpg_has_effect(r, child, reading))
		return;
	node->scan.plan.targetlist = hbpg_columns_of(hbpg_columns_below(node->custom_scan_tlist, INDEX_VAR));
	take_columns(p, calls, list_copy_tail(passed, list_length(atoms)));
	if (hbpg_node_pays(node, child->plan_rows, atoms, calls, columns_read(p)))
	{
		if (looks_later(p))
			lfourth(node->custom_private) = consecutive_places(list_length(atoms) + 1, list_length(calls));
		p->lefttree = hbpg_put(node);
		return;
	}
	p->targetlist = targets;
	p->qual = quals;
}

/* ---- a node that is there already scores for the one above it too, and what it scores anyway once */

/* Replaces the columns of this node, as a node above sees them, by the expressions that this node computes them from. */
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

/* Whether the node may score all of these calls of the node above it, behind its own conditions. */
static bool
takes_calls(CustomScan *node, List *calls)
{
	Node	   *own = in_terms_of((Node *) calls, node);
	hbpg_reading reading = intVal(list_nth(node->custom_private, HBPG_READING));
	List	   *chosen = hbpg_choose_calls(node->scan.plan.qual, own, reading);

	return list_difference((List *) own, chosen) == NIL;
}

/*
 * False: what the node computes for its output, for each row that it is asked for, is not the same when it is computed again,
 * or is not to be computed ahead for the calls' arguments.
 */
static bool
score_below(Plan *p, CustomScan *node, List *calls)
{
	Node	   *output = (Node *) node->scan.plan.targetlist;
	List	   *columns = NIL;
	ListCell   *cell;

	if (contain_volatile_functions(output) || contain_subplans(output) || hbpg_has_call(output) || !takes_calls(node, calls))
		return false;
	foreach(cell, calls)
		columns = lappend(columns, score_here(node, lfirst(cell), looks_later(p)));
	take_columns(p, calls, columns);
	lsecond(node->custom_private) = makeInteger(list_length(node->custom_scan_tlist) -
												intVal(linitial(node->custom_private)));
	return true;
}

void
hbpg_put_for_input(hbpg_rewriting *r, Plan *p, hbpg_reading reading)
{
	List	   *calls = hbpg_choose_calls(NIL, inputs_of(p), reading);
	bool		scored;

	if (calls == NIL)
		return;
	scored = hbpg_is_batch_node(p->lefttree) && score_below(p, (CustomScan *) p->lefttree, calls);
	if (!scored)
		put_below(r, p, calls, reading);
}
