/*
 * pg_above.c - nodes that compute an output from rows, as scans and joins do: the node that scores stands above them.
 *
 * It takes over the output, since what is evaluated for that is evaluated for each row that is asked for and no other; and
 * the conditions from the first with a call on, in their order, which is that of their security levels.
 */
#include "pg_batch.h"

#include "access/table.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

typedef struct work
{
	List	   *targets;
	List	   *keep;			/* conditions that stay.. */
	List	   *keep_join;
	List	   *moved;			/* ..and that move up */
	bool		other_order;	/* a leaky condition that stays would now come before one that moves */
	hbpg_reading reading;
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
		bool		stays = !moves || (join->inner_unique && may_prove_unique(clause));

		if (stays)
			w->keep_join = lappend(w->keep_join, clause);
		else
			w->moved = lappend(w->moved, clause);
		w->other_order = w->other_order || (stays && w->moved != NIL && hbpg_is_leaky(clause));
	}
}

static void
cut_conditions(List *quals, work *w)
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

static RangeTblEntry *
table_of(hbpg_rewriting *r, Plan *p)
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

/* Separates the conditions that move up to the node from those that stay. Calls take columns instead of whole rows. */
static void
separate_conditions(hbpg_rewriting *r, Plan *p, hbpg_demand demand, work *w)
{
	RangeTblEntry *entry = table_of(r, p);
	List	   *quals = p->qual;

	w->targets = p->targetlist;
	if (entry)
	{
		w->targets = hbpg_spread_rows(p->targetlist, ((Scan *) p)->scanrelid, entry->relid);
		quals = hbpg_spread_rows(p->qual, ((Scan *) p)->scanrelid, entry->relid);
	}
	if (hbpg_is_join(p) && ((Join *) p)->jointype == JOIN_INNER)
		cut_join((Join *) p, w);
	if (IsA(p, WindowAgg))
		w->keep = quals;
	else
		cut_conditions(quals, w);
	w->reading = w->moved == NIL ? demand.output : demand.rows;
	w->calls = hbpg_choose_calls(w->moved, (Node *) w->targets, w->reading);
	w->atoms = hbpg_collect_atoms(hbpg_collect_atoms(NIL, (Node *) w->targets, IsA(p, WindowAgg)), (Node *) w->moved,
								  IsA(p, WindowAgg));
}

/* Whether reading ahead has an effect: the node below, without the conditions that move up, can show or raise something. */
static bool
reads_ahead_with_effect(hbpg_rewriting *r, Plan *p, const work *w)
{
	Join	   *join = hbpg_is_join(p) && ((Join *) p)->jointype == JOIN_INNER ? (Join *) p : NULL;
	List	   *targets = p->targetlist;
	List	   *quals = p->qual;
	List	   *joinquals = join ? join->joinqual : NIL;
	bool		found;

	p->targetlist = hbpg_columns_of(w->atoms);
	p->qual = w->keep;
	if (join)
		join->joinqual = w->keep_join;
	found = hbpg_has_effect(r, p, w->reading);
	p->targetlist = targets;
	p->qual = quals;
	if (join)
		join->joinqual = joinquals;
	return found;
}

/*
 * All columns of the table where most are asked for: a scan then hands up its tuple as it is. NIL: it cannot, or few are.
 */
static List *
whole_table(hbpg_rewriting *r, Plan *p, List *atoms)
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
calls_of_conditions(const work *w)
{
	List	   *calls = NIL;
	List	   *quals = NIL;
	ListCell   *cell;

	foreach(cell, w->moved)
	{
		calls = hbpg_collect_calls(calls, lfirst(cell));
		quals = lappend(quals, hbpg_replace(lfirst(cell), w->atoms, list_intersection(w->calls, calls), INDEX_VAR));
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
 * How many rows the node will score. The plan has the number of rows behind its conditions only. If conditions move up,
 * the number before them follows from the plan's cost, which mostly consists of their calls for each row.
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

Plan *
hbpg_put_above(hbpg_rewriting *r, Plan *p, hbpg_demand demand)
{
	work		w = {0};
	List	   *all;
	CustomScan *node;

	separate_conditions(r, p, demand, &w);
	if (w.calls == NIL || w.other_order || is_current_of((Node *) w.moved, NULL) || reads_ahead_with_effect(r, p, &w))
		return p;
	all = whole_table(r, p, w.atoms);
	if (all)
		w.atoms = all;
	node = hbpg_make_node(r, p, w.atoms, w.calls, w.reading);
	node->scan.plan.targetlist = (List *) hbpg_replace((Node *) w.targets, w.atoms, w.calls, INDEX_VAR);
	node->scan.plan.qual = calls_of_conditions(&w);
	if (!hbpg_node_pays(node, rows_to_score(p, &w), w.atoms, w.calls, columns_used(node, list_length(w.atoms))))
		return p;
	p->targetlist = hbpg_columns_of(w.atoms);
	p->qual = w.keep;
	if (hbpg_is_join(p) && ((Join *) p)->jointype == JOIN_INNER)
		((Join *) p)->joinqual = w.keep_join;
	return hbpg_put(node);
}

/* A node that only computes an output is not needed above one that does. */
Plan *
hbpg_put_in_place(hbpg_rewriting *r, Plan *p, hbpg_demand demand)
{
	work		w = {.targets = p->targetlist};
	CustomScan *node;

	w.calls = hbpg_choose_calls(NIL, (Node *) w.targets, demand.output);
	if (w.calls == NIL || hbpg_has_effect(r, p->lefttree, demand.output))
		return p;
	w.atoms = hbpg_columns_below(p->lefttree->targetlist, OUTER_VAR);
	node = hbpg_make_node(r, p->lefttree, w.atoms, w.calls, demand.output);
	node->scan.plan.targetlist = (List *) hbpg_replace((Node *) w.targets, w.atoms, w.calls, INDEX_VAR);
	if (!hbpg_node_pays(node, p->plan_rows, w.atoms, w.calls, columns_used(node, list_length(w.atoms))))
		return p;
	node->scan.plan.initPlan = p->initPlan;
	node->scan.plan.extParam = p->extParam;
	node->scan.plan.allParam = p->allParam;
	node->scan.plan.plan_width = p->plan_width;
	return hbpg_put(node);
}
