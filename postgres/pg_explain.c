/*
 * pg_explain.c - what EXPLAIN says of a node: which models, how they are evaluated; with VERBOSE, what the optimizer has
 * changed; with ANALYZE, how many rows and blocks there were and how long they took, in this process and in parallel
 * workers.
 */
#include "pg_batch.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* The facts about a call's model; `shown` is the reference if the model is not found. */
typedef struct model_facts
{
	char	   *shown;			/* "churn@3" */
	char	   *problem;		/* NULL: none */
	hbs_plan_info info;			/* features 0: not known */
	const char *device_reason;	/* NULL: none to tell */
	bool		on_device;
	size_t		used;			/* features that the call's outputs need */
	hbs_pass_report passes[32];	/* a bit each: there are no more */
	int			n_passes;
} model_facts;

/* ---- the model */

/* Rows that are scored one by one never go there. */
static void
look_at_device(model_facts *facts, const hbpg_block_call *call, const host_plan *plan, uint32 outputs)
{
	const hbpg_block_call *sender = hbpg_block_sender(call);
	hbpg_offer	offer = {plan, outputs, hbpg_rows_with_room(call, &plan->info), call->expected_rows};

	facts->device_reason = hbpg_offload_reason(sender->scorer, &offer, &facts->on_device);
	if (!facts->device_reason || !call->one_by_one)
		return;
	facts->on_device = false;
	facts->device_reason = "rows are scored one by one";
}

static void
copy_facts(model_facts *facts, const hbpg_block_call *call, const char *shown, const host_plan *plan, uint32 outputs, size_t used)
{
	facts->used = used;
	facts->shown = hbpg_to_server(shown, strlen(shown));
	facts->info = plan->info;
	look_at_device(facts, call, plan, outputs);
	while (facts->n_passes < (int) lengthof(facts->passes) &&
		   hbs_plan_pass(plan->compiled, facts->n_passes, &facts->passes[facts->n_passes]))
		facts->n_passes++;
}

/* Why the model cannot be shown; NULL: it can. */
static char *
look_for_model(const host_reference *reference, hbpg_found *found)
{
	if (!hbpg_may_look())
		return "not known before it runs";
	return hbpg_look(reference, found) ? NULL : "not found";
}

/* An extension that logs plans asks when the statement is over, whose snapshot is no longer in use. */
static char *
look_in_statement(const EState *estate, const host_reference *reference, hbpg_found *found)
{
	bool		pushed = !ActiveSnapshotSet() && estate->es_snapshot;
	char	   *problem;

	if (pushed)
		PushActiveSnapshot(estate->es_snapshot);
	problem = look_for_model(reference, found);
	if (pushed)
		PopActiveSnapshot();
	return problem;
}

/* The model that a node has used, if it has run here; else the model that it would use now. */
static model_facts
find_facts(const hbpg_block_call *call, const PlanState *state)
{
	model_facts facts = {0};
	host_reference reference;
	hbpg_found	found;
	hbs_error	error;
	hbs_status	status;
	uint32		outputs;
	size_t		used;
	bool		isnull = true;
	Datum		model = (Datum) 0;

	if (call->scorer)
	{
		copy_facts(&facts, call, call->scorer->shown, call->scorer->plan, call->outputs, (size_t) call->scorer->n_used);
		return facts;
	}
	if (IsA(call->model->expr, Const))
		model = ExecEvalExpr(call->model, state->ps_ExprContext, &isnull);
	if (isnull)
	{
		facts.problem = "not known before it runs";
		return facts;
	}
	facts.shown = text_to_cstring(DatumGetTextPP(model));
	if (host_reference_read(hbpg_text_to_core(DatumGetTextPP(model)), &reference, &error) != HBS_OK)
		facts.problem = "not found";
	else
		facts.problem = look_in_statement(state->state, &reference, &found);
	if (facts.problem)
		return facts;
	status = hbpg_count_used(found.plan, call->call.function, &outputs, &used, &error);
	if (status == HBS_OK)
		copy_facts(&facts, call, found.shown, found.plan, outputs, used);
	host_cache_unpin(&hbpg_plans, found.plan);
	hbpg_check(status, &error);
	return facts;
}

/* ---- what is said */

static const char *
function_name(const hbpg_block_call *call)
{
	return get_func_name(((FuncExpr *) call->by_row->expr)->funcid);
}

/* The operator that took longest of those that are not yet `shown`; -1: none is left that took any time. */
static int
dearest_operator(const hbpg_counts *counts, const bool *shown)
{
	int			dearest = -1;

	for (int i = 0; i < counts->n_operators; i++)
		if (!shown[i] && counts->operators[i].nanoseconds > 0 &&
			(dearest < 0 || counts->operators[i].nanoseconds > counts->operators[dearest].nanoseconds))
			dearest = i;
	return dearest;
}

static char *
shown_source(const char *source)
{
	return hbpg_to_server(source, strlen(source));
}

/* "tree_ensemble (clf)=1.250 onehot (columns/cat)=0.730 encode=0.100" */
static void
explain_dearest(const hbpg_counts *counts, ExplainState *es)
{
	enum
	{
		MOST = 3
	};
	bool		shown[HBPG_MOST_OPERATORS] = {false};
	StringInfoData line;
	int			at;

	initStringInfo(&line);
	for (int n = 0; n < MOST && (at = dearest_operator(counts, shown)) >= 0; n++)
	{
		const char *source = counts->operators[at].source;

		shown[at] = true;
		appendStringInfo(&line, "%s%s", n ? " " : "", counts->operators[at].name);
		if (source[0])
			appendStringInfo(&line, " (%s)", shown_source(source));
		appendStringInfo(&line, "=%.3f", (double) counts->operators[at].nanoseconds / 1e6);
	}
	if (line.len > 0)
		ExplainPropertyText("Dearest Operators", line.data, es);
}

/* Operators of a model of which it was measured. */
static void
explain_times(const hbpg_counts *counts, ExplainState *es)
{
	StringInfoData line;
	bool		text = es->format == EXPLAIN_FORMAT_TEXT;

	if (!es->analyze || !es->timing || counts->n_operators == 0)
		return;
	initStringInfo(&line);
	if (!text)
		ExplainOpenGroup("Operators", "Operators", false, es);
	for (int i = 0; i < counts->n_operators; i++)
	{
		double		milliseconds = (double) counts->operators[i].nanoseconds / 1e6;

		if (text)
		{
			appendStringInfo(&line, "%s%s=%.3f", i ? " " : "", counts->operators[i].name, milliseconds);
			continue;
		}
		ExplainOpenGroup("Operator", NULL, true, es);
		ExplainPropertyText("Name", counts->operators[i].name, es);
		if (es->verbose && counts->operators[i].source[0])
			ExplainPropertyText("Source", shown_source(counts->operators[i].source), es);
		ExplainPropertyFloat("Time", "ms", milliseconds, 3, es);
		ExplainCloseGroup("Operator", NULL, true, es);
	}
	if (text)
		ExplainPropertyText("Operator Times", line.data, es);
	else
		ExplainCloseGroup("Operators", "Operators", false, es);
	if (text && es->verbose)
		explain_dearest(counts, es);
}

/* What the optimizer's passes have changed, for VERBOSE. */
static void
explain_passes(const model_facts *facts, ExplainState *es)
{
	StringInfoData line;
	bool		text = es->format == EXPLAIN_FORMAT_TEXT;

	if (!es->verbose || facts->n_passes == 0)
		return;
	initStringInfo(&line);
	if (!text)
		ExplainOpenGroup("Passes", "Passes", false, es);
	for (int i = 0; i < facts->n_passes; i++)
	{
		const hbs_pass_report *pass = &facts->passes[i];

		if (text)
		{
			appendStringInfo(&line, "%s%s (%zu -> %zu %s)", i ? ", " : "", pass->name, pass->before, pass->after,
							 pass->unit);
			continue;
		}
		ExplainOpenGroup("Pass", NULL, true, es);
		ExplainPropertyText("Name", pass->name, es);
		ExplainPropertyInteger("Rewrites", NULL, (int64) pass->rewrites, es);
		ExplainPropertyInteger("Before", NULL, (int64) pass->before, es);
		ExplainPropertyInteger("After", NULL, (int64) pass->after, es);
		ExplainPropertyText("Unit", pass->unit, es);
		ExplainCloseGroup("Pass", NULL, true, es);
	}
	if (text)
		ExplainPropertyText("Passes", line.data, es);
	else
		ExplainCloseGroup("Passes", "Passes", false, es);
}

/* Blocks of a GPU have their own size, whatever suits the CPU. */
static int
block_rows(const hbpg_block_call *call, const model_facts *facts, int most_rows)
{
	return (int) (facts->on_device ? hbpg_rows_with_room(call, &facts->info) : Min(facts->info.block_rows, (Size) most_rows));
}

static const char *
device_name(const model_facts *facts)
{
	return facts->on_device ? "cuda" : "cpu";
}

static void
deny_device(model_facts *facts)
{
	facts->on_device = false;
	if (facts->device_reason)
		facts->device_reason = "parallel workers use no GPU";
}

/* Where a GPU could be used: why it is, or is not, and what it did. */
static void
explain_device(const hbpg_counts *counts, const model_facts *facts, ExplainState *es)
{
	if (!facts->device_reason)
		return;
	ExplainPropertyText("Device Reason", facts->device_reason, es);
	if (!es->analyze || !facts->on_device)
		return;
	ExplainPropertyUInteger("Device Rows", NULL, counts->device.rows, es);
	if (es->timing)
		ExplainPropertyFloat("Device Wait", "ms", (double) counts->device.nanoseconds / 1e6, 3, es);
	ExplainPropertyUInteger("Redone Blocks", NULL, counts->device.redone, es);
}

static void
explain_text(const hbpg_block_call *call, const hbpg_counts *counts, const model_facts *facts, int most_rows, ExplainState *es)
{
	StringInfoData line;

	initStringInfo(&line);
	appendStringInfo(&line, "%s(%s)", function_name(call), facts->shown ? facts->shown : "..");
	if (facts->problem)
		appendStringInfo(&line, ": %s", facts->problem);
	else
		appendStringInfo(&line, ": %zu of %zu features, %sblocks of %d rows%s, on %s", facts->used, facts->info.features,
						 facts->info.strategy[0] ? psprintf("%s, ", facts->info.strategy) : "",
						 block_rows(call, facts, most_rows), counts->one_by_one ? " one by one" : "", device_name(facts));
	if (es->analyze)
	{
		appendStringInfo(&line, " (rows=" INT64_FORMAT " blocks=" INT64_FORMAT, counts->rows, counts->blocks);
		if (es->timing)
			appendStringInfo(&line, " time=%.3f", counts->nanoseconds / 1e6);
		appendStringInfoChar(&line, ')');
	}
	ExplainPropertyText("Scores", line.data, es);
	explain_device(counts, facts, es);
	explain_passes(facts, es);
	explain_times(counts, es);
}

static void
explain_properties(const hbpg_block_call *call, const hbpg_counts *counts, const model_facts *facts, int most_rows,
				   ExplainState *es)
{
	ExplainOpenGroup("Call", NULL, true, es);
	ExplainPropertyText("Function", function_name(call), es);
	if (facts->shown)
		ExplainPropertyText("Model", facts->shown, es);
	if (facts->problem)
		ExplainPropertyText("Problem", facts->problem, es);
	else
	{
		ExplainPropertyInteger("Features Used", NULL, (int64) facts->used, es);
		ExplainPropertyInteger("Features", NULL, (int64) facts->info.features, es);
		ExplainPropertyText("Strategy", facts->info.strategy, es);
		ExplainPropertyInteger("Block Rows", NULL, block_rows(call, facts, most_rows), es);
		if (counts->one_by_one)
			ExplainPropertyBool("One By One", true, es);
		ExplainPropertyText("Device", device_name(facts), es);
		explain_device(counts, facts, es);
		explain_passes(facts, es);
	}
	if (es->analyze)
	{
		ExplainPropertyInteger("Rows Scored", NULL, counts->rows, es);
		ExplainPropertyInteger("Blocks", NULL, counts->blocks, es);
		if (es->timing)
			ExplainPropertyFloat("Scoring Time", "ms", counts->nanoseconds / 1e6, 3, es);
		explain_times(counts, es);
	}
	ExplainCloseGroup("Call", NULL, true, es);
}

void
hbpg_explain(List *calls, const hbpg_counts *others, int most_rows, bool parallel, CustomScanState *node, ExplainState *es)
{
	ListCell   *cell;

	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainOpenGroup("Calls", "Calls", false, es);
	foreach(cell, calls)
	{
		const hbpg_block_call *call = lfirst(cell);
		model_facts facts = find_facts(call, &node->ss.ps);
		hbpg_counts *counts = palloc(sizeof(*counts));

		hbpg_count_call(call, counts);
		if (parallel && counts->device.rows == 0)
			deny_device(&facts);
		if (others)
			hbpg_add_counts(counts, &others[foreach_current_index(cell)]);
		if (es->format == EXPLAIN_FORMAT_TEXT)
			explain_text(call, counts, &facts, most_rows, es);
		else
			explain_properties(call, counts, &facts, most_rows, es);
	}
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainCloseGroup("Calls", "Calls", false, es);
}
