/*
 * pg_node.c - the plan node that scores in blocks: its parts, and whether it pays.
 */
#include "pg_batch.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

List *
hbpg_columns_of(List *atoms)
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
List *
hbpg_columns_below(List *targets, Index varno)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, targets)
	{
		columns = lappend(columns, makeVarFromTargetEntry(varno, lfirst(cell)));
	}
	return columns;
}

/* The node's own target list: the columns from below, and the calls on them. */
static List *
scan_targets(List *atoms, List *calls)
{
	List	   *targets = hbpg_columns_of(atoms);
	List	   *below = hbpg_columns_below(targets, OUTER_VAR);
	ListCell   *cell;

	targets = hbpg_columns_of(below);
	foreach(cell, calls)
	{
		Expr	   *call = (Expr *) hbpg_replace(lfirst(cell), atoms, NIL, OUTER_VAR);

		targets = lappend(targets, makeTargetEntry(call, list_length(targets) + 1, NULL, false));
	}
	return targets;
}

/* Between `child`, whose output is the atoms, and what asked it. */
CustomScan *
hbpg_make_node(hbpg_rewriting *r, Plan *child, List *atoms, List *calls, hbpg_reading reading)
{
	CustomScan *node = makeNode(CustomScan);
	Plan	   *plan = &node->scan.plan;

	node->methods = &hbpg_scan_methods;
	node->custom_scan_tlist = scan_targets(atoms, calls);
	node->custom_private = list_make5(makeInteger(list_length(atoms)), makeInteger(list_length(calls)), NIL, NIL,
									  makeInteger(reading));
	node->custom_private = lappend(node->custom_private, makeInteger(hbpg_interface));
	plan->lefttree = child;
	plan->plan_node_id = ++r->last_id;
	plan->startup_cost = child->startup_cost;
	plan->total_cost = child->total_cost;
	plan->plan_rows = child->plan_rows;
	plan->plan_width = child->plan_width;
	plan->parallel_safe = child->parallel_safe;
#if PG_VERSION_NUM >= 180000
	plan->disabled_nodes = child->disabled_nodes;	/* EXPLAIN takes a parent with more than its child for disabled itself */
#endif
	plan->extParam = bms_copy(child->extParam);
	plan->allParam = bms_copy(child->allParam);
	return node;
}

/* An asynchronous scan tells only an Append above it that it has no row yet; to others it seems to be at its end. */
Plan *
hbpg_put(CustomScan *node)
{
	node->scan.plan.lefttree->async_capable = false;
	return &node->scan.plan;
}

/* ---- whether it pays */

/* Notes which columns are `used` by more than the calls; whether to score this many rows with the node pays. */
bool
hbpg_node_pays(CustomScan *node, double rows, List *atoms, List *calls, List *used)
{
	double		saved = 0;
	int			carried = 0;
	int			wide = 0;
	ListCell   *cell;

	lthird(node->custom_private) = used;
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

bool
hbpg_has_effect(hbpg_rewriting *r, Plan *p, hbpg_reading reading)
{
	List	   *subplans = r->statement->subplans;

	return hbpg_is_volatile(p, subplans) || hbpg_evaluates_calls(p, subplans) ||
		(reading == HBPG_READ_IN_PART && hbpg_computes_leaky(p, subplans));
}
