/*
 * pg_scorer.c - a plan made ready for the rows of one call.
 *
 * The state of a call (fn_extra) lives as long as the expression it stands in: mostly a statement, in PL/pgSQL a
 * transaction with many snapshots. So a scorer remembers under which snapshot, user and settings its model was found,
 * and is used only while these are still the same. If the model's name is computed for each row, a few scorers are
 * kept side by side.
 *
 * A scorer has a memory context of its own, whose reset callback gives back its runs and the plan's pin. So nothing leaks,
 * however a statement ends.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/builtins.h"

enum { MOST_SCORERS = 8 };

/* ---- when a model is found again */

static void
identify_lookup(hbpg_identity *now)
{
	Snapshot	snapshot = ActiveSnapshotSet() ? GetActiveSnapshot() : NULL;

	memset(now, 0, sizeof(*now));
	now->settings = hbpg_settings_changed;
	now->subtransaction = GetCurrentSubTransactionId();
	now->user = GetUserId();
	if (!snapshot)
		return;
	now->xmin = snapshot->xmin;
	now->xmax = snapshot->xmax;
	now->xcnt = snapshot->xcnt;
	now->curcid = snapshot->curcid;
	now->completed = snapshot->snapXactCompletionCount;
}

/* ---- making one */

static void
give_back_scorer(void *state)
{
	hbpg_scorer *scorer = state;
	host_plan  *plan = scorer->plan;

	if (!plan)
		return;
	hbpg_offload_free(scorer);
	hbs_run_free(scorer->run);
	hbs_run_free(scorer->single);
	host_cache_unpin(&hbpg_plans, plan);
}

static bool
takes_texts(const host_plan *plan)
{
	for (size_t f = 0; f < plan->info.features; f++)
	{
		hbs_text	name;
		hbs_type	type;

		hbs_plan_feature(plan->compiled, f, &name, &type);
		if (type == HBS_TEXT)
			return true;
	}
	return false;
}

static hbpg_scorer *
new_scorer(hbpg_call *call, text *reference)
{
	MemoryContext memory = AllocSetContextCreate(call->memory, "hbscore scorer", ALLOCSET_SMALL_SIZES);
	hbpg_scorer *scorer = MemoryContextAllocZero(memory, sizeof(*scorer));
	static uint64 made;

	scorer->serial = ++made;
	scorer->memory = memory;
	scorer->choice = -1;
	scorer->until_timed = scorer->stands_for = 1;
	scorer->reference_size = VARSIZE_ANY_EXHDR(reference);
	scorer->reference = MemoryContextAlloc(memory, scorer->reference_size + 1);
	memcpy(scorer->reference, VARDATA_ANY(reference), scorer->reference_size);
	scorer->callback.func = give_back_scorer;
	scorer->callback.arg = scorer;
	MemoryContextRegisterResetCallback(memory, &scorer->callback);
	return scorer;
}

/* IMMUTABLE functions are that only because a version never changes. */
static void
check_pinned(const host_reference *reference, const char *shown)
{
	if (reference->version)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" names no version, and this function is IMMUTABLE by that", shown),
			 errhint("Write the version behind the name, as in 'churn@3'; hbscore.pin('churn') tells the one in use.")));
}

static host_reference
reference_of(const hbpg_scorer *scorer)
{
	hbs_text	text = hbpg_to_core(scorer->reference, scorer->reference_size);
	host_reference reference;
	hbs_error	error;

	hbpg_check(host_reference_read(text, &reference, &error), &error);
	return reference;
}

static void
find_model(hbpg_call *call, hbpg_scorer *scorer)
{
	host_reference reference = reference_of(scorer);
	hbpg_found	found;

	if (call->pinned)
		check_pinned(&reference, pnstrdup(scorer->reference, scorer->reference_size));
	scorer->by_policy = hbpg_has_policies();
	hbpg_find(&reference, &found);
	scorer->plan = found.plan;	/* from here on the callback unpins it */
	scorer->shown = MemoryContextStrdup(scorer->memory, found.shown);
	scorer->stats = hbpg_stats_of(found.shown);
	scorer->stats->calls++;
	scorer->name_size = found.name_size;
}

/* Its messages name the model. */
static void
make_run(const hbpg_scorer *scorer, size_t rows, hbs_run **run)
{
	char	   *name = pnstrdup(scorer->shown, scorer->name_size);
	hbs_error	error;
	hbs_status	status;

	do
		status = hbs_run_create(scorer->plan->compiled, &hbpg_host, name, rows, run, &error);
	while (hbpg_again(status));
	pfree(name);
	hbpg_check(status, &error);
}

static void
make_main_run(const hbpg_call *call, hbpg_scorer *scorer)
{
	hbs_error	error;

	scorer->run_rows = call->blocks ? scorer->plan->info.block_rows : 1;
	if (call->blocks && call->most_rows)
		scorer->run_rows = Min(scorer->run_rows, (size_t) call->most_rows);
	make_run(scorer, scorer->run_rows, &scorer->run);
	if (hbpg_dense_setting == HBPG_DENSE_BLAS && host_blas_open() == NULL)
		hbpg_check(hbs_run_use_blas(scorer->run, &host_blas, &error), &error);
}

hbs_run *
hbpg_single_run(hbpg_scorer *scorer)
{
	if (!scorer->single)
		make_run(scorer, 1, &scorer->single);
	return scorer->single;
}

static void *
zeroed_array(const hbpg_scorer *scorer, Size size)
{
	Size		n = scorer->plan->info.features + 1;

	return MemoryContextAllocExtended(scorer->memory, size * n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Values of features that are not used stay HBS_NULL and 0. */
static void
make_room(hbpg_scorer *scorer)
{
	scorer->values = zeroed_array(scorer, sizeof(hbs_value));
	if (!takes_texts(scorer->plan))
		scorer->numbers = zeroed_array(scorer, sizeof(double));
	scorer->used = zeroed_array(scorer, sizeof(int));
	scorer->n_used = (int) host_used_features(scorer->plan, scorer->outputs, scorer->used);
}

static void
check_labels(const hbpg_scorer *scorer)
{
	for (size_t i = 0; i < scorer->plan->info.classes; i++)
	{
		hbs_value	label;

		hbs_plan_class(scorer->plan->compiled, i, &label);
		hbpg_check_label(&label, scorer->shown);
	}
}

/* A text label cannot be what predict gives; the first class tells, since all are of one type. */
static void
check_function(hbpg_call *call, hbpg_scorer *scorer)
{
	hbs_error	error;
	hbs_value	label;

	hbpg_check(hbs_run_outputs(scorer->run, call->function, &scorer->outputs, &error), &error);
	if (hbpg_gives_labels(call->function))
		check_labels(scorer);
	if (call->function != HBS_PREDICT || !(scorer->outputs & HBS_OUT_LABEL))
		return;
	hbs_plan_class(scorer->plan->compiled, 0, &label);
	(void) hbpg_label_float8(&label, scorer->shown);
}

static hbpg_scorer *
make_scorer(hbpg_call *call, text *reference)
{
	hbpg_scorer *scorer = new_scorer(call, reference);

	/* Taken before the look-up: what changes meanwhile makes the scorer be made again, not be used. */
	identify_lookup(&scorer->made);
	find_model(call, scorer);
	make_main_run(call, scorer);
	check_function(call, scorer);
	make_room(scorer);
	return scorer;
}

hbs_status
hbpg_count_used(const host_plan *plan, hbs_function function, uint32_t *outputs, size_t *used, hbs_error *error)
{
	hbs_run    *run;
	hbs_error	unanswered;
	hbs_status	status = hbs_run_create(plan->compiled, &hbpg_host, NULL, 1, &run, error);

	if (status != HBS_OK)
		return status;
	if (hbs_run_outputs(run, function, outputs, &unanswered) != HBS_OK)
		*outputs = 0;
	*used = 0;
	for (size_t f = 0; f < plan->info.features; f++)
		*used += hbs_plan_uses(plan->compiled, f, *outputs);
	hbs_run_free(run);
	return HBS_OK;
}

/* ---- a call's scorers */

/*
 * A policy may ask for what no snapshot shows, as a setting that says who is served. The rows of one statement see what its
 * first one saw; an expression of PL/pgSQL is none, and can be evaluated before and behind such a change.
 */
static bool
is_still_found(const hbpg_call *call, const hbpg_scorer *scorer)
{
	host_reference reference;
	hbpg_found	found;

	if (!scorer->by_policy || call->of_statement)
		return true;
	reference = reference_of(scorer);
	hbpg_find(&reference, &found);
	host_cache_unpin(&hbpg_plans, found.plan);
	return found.plan == scorer->plan && strcmp(found.shown, scorer->shown) == 0;
}

static bool
scorer_fits(const hbpg_scorer *scorer, const hbpg_identity *now, text *reference)
{
	return scorer->reference_size == VARSIZE_ANY_EXHDR(reference) &&
		memcmp(scorer->reference, VARDATA_ANY(reference), scorer->reference_size) == 0 &&
		memcmp(&scorer->made, now, sizeof(*now)) == 0;
}

bool
hbpg_is_current(const hbpg_scorer *scorer)
{
	hbpg_identity now;

	identify_lookup(&now);
	return memcmp(&scorer->made, &now, sizeof(now)) == 0;
}

/* Those that can never be used again, or else the last one of a full list. */
static void
drop_old(hbpg_call *call, const hbpg_identity *now)
{
	hbpg_scorer **at = &call->scorers;
	int			kept = 0;

	while (*at)
	{
		hbpg_scorer *scorer = *at;

		if (memcmp(&scorer->made, now, sizeof(*now)) == 0 && ++kept < MOST_SCORERS)
		{
			at = &scorer->next;
			continue;
		}
		*at = scorer->next;
		MemoryContextDelete(scorer->memory);
	}
}

hbpg_scorer *
hbpg_scorer_of(hbpg_call *call, text *reference)
{
	hbpg_identity now;
	hbpg_scorer **at = &call->scorers;
	hbpg_scorer *scorer;

	identify_lookup(&now);
	while (*at && !scorer_fits(*at, &now, reference))
		at = &(*at)->next;
	scorer = *at;
	if (scorer && !is_still_found(call, scorer))
	{
		*at = scorer->next;
		MemoryContextDelete(scorer->memory);
		scorer = NULL;
	}
	else if (scorer && at == &call->scorers)
		return scorer;
	else if (scorer)
		*at = scorer->next;
	if (!scorer)
	{
		drop_old(call, &now);
		scorer = make_scorer(call, reference);
	}
	scorer->next = call->scorers;
	call->scorers = scorer;
	return scorer;
}

/* ---- the call */

static void
init_types(FunctionCallInfo fcinfo, hbpg_call *call)
{
	call->n_types = Max(PG_NARGS() - call->leading, 0);
	call->types = MemoryContextAllocZero(call->memory, sizeof(hbpg_type) * Max(call->n_types, 1));
	for (int i = 0; i < call->n_types; i++)
		hbpg_type_init(&call->types[i], get_fn_expr_argtype(fcinfo->flinfo, call->leading + i), call->memory);
	call->refused = hbpg_has_refused(call->types, call->n_types);
	if (call->leading == 2)
		hbpg_type_init(&call->choice, get_fn_expr_argtype(fcinfo->flinfo, 1), call->memory);
}

hbpg_call *
hbpg_call_of(FunctionCallInfo fcinfo, hbs_function function, bool pinned, int leading)
{
	hbpg_call  *call = fcinfo->flinfo->fn_extra;

	if (call)
		return call;
	hbpg_entered(false);
	call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(*call));
	call->memory = fcinfo->flinfo->fn_mcxt;
	call->function = function;
	call->pinned = pinned;
	call->leading = leading;
	call->of_statement = hbpg_is_of_statement(call->memory);
	init_types(fcinfo, call);
	fcinfo->flinfo->fn_extra = call;
	return call;
}
