/*
 * pg_reading.c - how many rows of a plan node its parent reads, if nothing fails.
 *
 * PostgreSQL's executor reads rows on demand. A node below LIMIT, EXISTS or a join that needs one partner may be asked for a
 * row and never for the next; below a sort, the first row that is asked for means all of them.
 */
#include "pg_batch.h"

#include "nodes/nodeFuncs.h"

/* A join that goes on to its next outer row when it has found one partner. */
static bool
needs_one_partner(const Join *join)
{
	return join->inner_unique || join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI;
}

/* A merge ends with the shorter of its inputs, unless it has to show the other's rows without a partner. */
static bool
merge_reads_all(const Join *join, bool outer)
{
	return join->jointype == JOIN_FULL ||
		(outer ? join->jointype == JOIN_LEFT || join->jointype == JOIN_ANTI : join->jointype == JOIN_RIGHT);
}

/*
 * The outer input of a hash join counts as read, although an empty hash table ends it: by then one row at most has been asked
 * for, and a node begins with one row.
 */
static hbpg_reading
of_join(const Plan *p, bool outer, hbpg_reading parent)
{
	if (IsA(p, MergeJoin) && !merge_reads_all((Join *) p, outer))
		return HBPG_READ_IN_PART;
	if (IsA(p, NestLoop) && !outer && needs_one_partner((Join *) p))
		return HBPG_READ_IN_PART;
	return parent;
}

static hbpg_reading
of_modified(const ModifyTable *p, hbpg_reading parent)
{
	return p->returningLists == NIL ? HBPG_READ_TO_END : parent;
}

hbpg_reading
hbpg_reading_of_input(Plan *p, bool outer, hbpg_reading parent)
{
	if (hbpg_reads_all(p) || IsA(p, Hash))
		return HBPG_READ_TO_END;
	switch (nodeTag(p))
	{
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			return of_join(p, outer, parent);
		case T_ModifyTable:
			return of_modified((ModifyTable *) p, parent);
		case T_WindowAgg:
			return hbpg_stops_early((WindowAgg *) p) ? HBPG_READ_IN_PART : parent;
		case T_Memoize:
			return ((Memoize *) p)->singlerow ? HBPG_READ_IN_PART : parent;
		case T_SetOp:
			return outer ? parent : HBPG_READ_IN_PART;
		case T_Limit:
		case T_CustomScan:
		case T_ForeignScan:
			return HBPG_READ_IN_PART;
		default:
			return parent;
	}
}

/* ---- sub-queries in expressions and in WITH */

/* A sub-query that gives one value is read to its end, to see that there is no second. */
static hbpg_reading
of_subplan(const SubPlan *subplan)
{
	switch (subplan->subLinkType)
	{
		case EXPR_SUBLINK:
		case ARRAY_SUBLINK:
		case ROWCOMPARE_SUBLINK:
		case MULTIEXPR_SUBLINK:
			return HBPG_READ_TO_END;
		case ALL_SUBLINK:
		case ANY_SUBLINK:
			return subplan->useHashTable ? HBPG_READ_TO_END : HBPG_READ_IN_PART;
		default:
			return HBPG_READ_IN_PART;
	}
}

/* The reader that reads furthest counts. */
static void
note_reading(hbpg_rewriting *r, int plan_id, hbpg_reading reading)
{
	r->readings[plan_id] = Max(r->readings[plan_id], reading);
}

static bool
note_subplans(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, SubPlan))
		note_reading(context, ((SubPlan *) node)->plan_id, of_subplan((SubPlan *) node));
	return expression_tree_walker(node, note_subplans, context);
}

void
hbpg_note_subplans(hbpg_rewriting *r, Plan *p, hbpg_reading reading)
{
	if (IsA(p, CteScan))
		note_reading(r, ((CteScan *) p)->ctePlanId, reading);
	note_subplans((Node *) p->initPlan, r);
	hbpg_visit_expressions(p, note_subplans, r);
}

/* A statement in WITH that changes data runs to its end, whoever reads its rows. */
hbpg_reading
hbpg_reading_of_subplan(const hbpg_rewriting *r, int plan_id)
{
	Plan	   *p = list_nth(r->statement->subplans, plan_id - 1);

	return p && IsA(p, ModifyTable) ? HBPG_READ_TO_END : r->readings[plan_id];
}
