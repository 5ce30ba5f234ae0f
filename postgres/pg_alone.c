/*
 * pg_alone.c - statements that are planned without parallel workers, where a GPU does more than these.
 *
 * A worker lives for one query and gets no GPU. So where the planner lets workers score what the session's GPU would take, the
 * statement is planned once more without them, and the plan that should take less time is kept. The times are what the planner
 * says of reading the rows, and for a row what the CPU takes in a block, or what it costs to hand it over. With device = cuda
 * nothing is weighed.
 */
#include "pg_batch.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

typedef struct weighing
{
	bool		in_workers;		/* below a Gather */
	bool		workers_score;
	bool		on_gpu;			/* it scores some call */
	bool		unknown;		/* a model is not known before the statement runs */
	double		nanoseconds;
} weighing;

/* Nanoseconds of the offered blocks. */
static double
weigh_offer(weighing *w, const hbpg_offer *offer)
{
	double		rows = (double) offer->expected;

	if (w->in_workers || !hbpg_offload_expects(offer))
		return rows * offer->plan->info.block_row_nanoseconds;
	w->on_gpu = true;
	return rows * HOST_HANDING_OVER + host_gate_cost(offer->plan->bytes, host_device_works());
}

static Size
rows_of_block(const CustomScan *node, const FuncExpr *call, const hbs_plan_info *info)
{
	return hbpg_rows_planned(list_length(node->custom_scan_tlist), intVal(list_nth(node->custom_private, HBPG_CALLS)),
							 list_length(hbpg_features_of(call)) == 1 && info->features > 1, info);
}

static double
weigh_call(weighing *w, const CustomScan *node, FuncExpr *call)
{
	double		rows = Min(node->scan.plan.lefttree->plan_rows, 1e15);
	Const	   *model = linitial(call->args);
	host_reference reference;
	hbpg_found	found;
	hbs_error	error;
	uint32		outputs;
	size_t		used;
	double		nanoseconds = 0;

	w->unknown |= !IsA(model, Const) || model->constisnull ||
		host_reference_read(hbpg_text_to_core(DatumGetTextPP(model->constvalue)), &reference, &error) != HBS_OK ||
		!hbpg_look(&reference, &found);
	if (w->unknown)
		return 0;
	if (hbpg_count_used(found.plan, hbpg_entry_of(call->funcid)->function, &outputs, &used, &error) == HBS_OK)
		nanoseconds = weigh_offer(w, &(hbpg_offer) {found.plan, outputs, rows_of_block(node, call, &found.plan->info), (uint64) rows});
	host_cache_unpin(&hbpg_plans, found.plan);
	return nanoseconds;
}

/* The planner's cost of the child has the calls in it, as they take row by row. */
static void
weigh_node(weighing *w, CustomScan *node)
{
	const Plan *child = node->scan.plan.lefttree;
	double		reading = hbpg_nanoseconds_of_cost(child->total_cost);
	ListCell   *cell;

	for_each_from(cell, node->custom_scan_tlist, intVal(list_nth(node->custom_private, HBPG_ATOMS)))
	{
		FuncExpr   *call = (FuncExpr *) lfirst_node(TargetEntry, cell)->expr;

		reading -= child->plan_rows * hbpg_nanoseconds_of_cost(hbpg_call_cost((Node *) call));
		if (!w->unknown)
			w->nanoseconds += weigh_call(w, node, call);
	}
	w->nanoseconds += Max(reading, 0);
}

static bool
is_gather(const Plan *p)
{
	return IsA(p, Gather) || IsA(p, GatherMerge);
}

static bool
weigh(Plan *p, void *context)
{
	weighing   *w = context;
	bool		in_workers = w->in_workers;

	check_stack_depth();
	w->in_workers |= is_gather(p);
	if (hbpg_is_batch_node(p))
		weigh_node(w, (CustomScan *) p);
	hbpg_visit_children(p, weigh, w);
	w->in_workers = in_workers;
	return w->unknown;
}

static bool
find_scoring_workers(Plan *p, void *context)
{
	weighing   *w = context;
	bool		in_workers = w->in_workers;

	check_stack_depth();
	w->in_workers |= is_gather(p);
	w->workers_score |= w->in_workers && hbpg_is_batch_node(p);
	hbpg_visit_children(p, find_scoring_workers, w);
	w->in_workers = in_workers;
	return false;
}

/* Tests that force blocks on a GPU compare plans with those of the CPU. */
bool
hbpg_may_plan_alone(int options)
{
	return hbpg_device_rows == 0 && (options & CURSOR_OPT_PARALLEL_OK) && max_parallel_workers_per_gather > 0 && hbpg_offload_wanted();
}

bool
hbpg_workers_score(PlannedStmt *statement)
{
	weighing	w = {false};

	find_scoring_workers(statement->planTree, &w);
	return w.workers_score;
}

bool
hbpg_is_better_alone(PlannedStmt *alone, PlannedStmt *parallel)
{
	weighing	one = {false};
	weighing	many = {.nanoseconds = hbpg_nanoseconds_of_cost(parallel_setup_cost)};

	if (weigh(alone->planTree, &one) || !one.on_gpu || !hbpg_device_is_free())
		return false;
	return hbpg_device_setting == HOST_DEVICE_CUDA || (!weigh(parallel->planTree, &many) && one.nanoseconds < many.nanoseconds);
}
