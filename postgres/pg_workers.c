/*
 * pg_workers.c - what parallel workers count, for EXPLAIN ANALYZE.
 *
 * A worker writes what it counted to its place in the segment of memory that its leader made for the Gather. The leader
 * adds all of that up when it lets the segment go: by then the workers have ended, also where a LIMIT cut them short.
 *
 * PostgreSQL asks only nodes that share work among workers ("parallel aware") whether they want room in that segment, and
 * shows them as such. This one does not: each worker scores the rows that it reads. So while a plan is measured, its state
 * (never the plan) refers to a copy of the node that says so, until the run is over and before anything is shown.
 */
#include "pg_batch.h"

#include "access/parallel.h"
#include "utils/memutils.h"

struct hbpg_shared
{
	int			n_calls;
	int			n_workers;
	hbpg_counts counts[FLEXIBLE_ARRAY_MEMBER];	/* [worker][call] */
};

/* ---- counts */

/* A part of the source that is whole characters. */
static void
copy_source(const char *source, char *to, Size size)
{
	Size		n = Min(strlen(source), size - 1);

	while (n > 0 && ((unsigned char) source[n] & 0xc0) == 0x80)
		n--;
	memcpy(to, source, n);
	to[n] = '\0';
}

/* What gives the results is no operator. */
static bool
is_operator(const hbs_operator_time *time)
{
	return time->source[0] || strcmp(time->name, "store") != 0;
}

/* The times of one run. Runs of a plan have the same operators. */
static void
add_times(hbs_run *run, hbpg_counts *counts)
{
	hbs_operator_time time;

	for (int i = 0; run && hbs_run_time(run, (size_t) i, &time) && is_operator(&time); i++)
	{
		int			at = Min(i, HBPG_MOST_OPERATORS - 1);

		strlcpy(counts->operators[at].name, at == i ? time.name : "others", sizeof(counts->operators[at].name));
		copy_source(at == i ? time.source : "", counts->operators[at].source, sizeof(counts->operators[at].source));
		counts->operators[at].nanoseconds += time.nanoseconds;
		counts->n_operators = Max(counts->n_operators, at + 1);
	}
}

void
hbpg_count_call(const hbpg_block_call *call, hbpg_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	counts->rows = call->n_rows;
	counts->blocks = call->n_blocks;
	counts->nanoseconds = call->nanoseconds;
	counts->one_by_one = call->one_by_one;
	if (!call->scorer)
		return;
	counts->device = hbpg_offload_counts(hbpg_block_sender(call)->scorer);
	add_times(call->scorer->run, counts);
	add_times(hbpg_offload_run(call->scorer), counts);
}

void
hbpg_add_counts(hbpg_counts *to, const hbpg_counts *from)
{
	to->rows += from->rows;
	to->blocks += from->blocks;
	to->nanoseconds += from->nanoseconds;
	to->one_by_one |= from->one_by_one;
	to->device.rows += from->device.rows;
	to->device.redone += from->device.redone;
	to->device.nanoseconds += from->device.nanoseconds;
	for (int i = 0; i < from->n_operators; i++)
	{
		memcpy(to->operators[i].name, from->operators[i].name, sizeof(to->operators[i].name));
		memcpy(to->operators[i].source, from->operators[i].source, sizeof(to->operators[i].source));
		to->operators[i].nanoseconds += from->operators[i].nanoseconds;
	}
	to->n_operators = Max(to->n_operators, from->n_operators);
}

static hbpg_counts *
place_of(hbpg_shared *shared, int worker)
{
	return shared->counts + (Size) worker * shared->n_calls;
}

/* ---- the node's copy */

void
hbpg_begin_sharing(hbpg_sharing *sharing, PlanState *state)
{
	CustomScan *copy;

	if (!state->state->es_instrument || !state->plan->parallel_safe)
		return;
	copy = palloc(sizeof(*copy));
	memcpy(copy, state->plan, sizeof(*copy));
	copy->scan.plan.parallel_aware = true;
	sharing->plan = state->plan;
	state->plan = &copy->scan.plan;
}

void
hbpg_end_sharing(hbpg_sharing *sharing, PlanState *state)
{
	if (sharing->plan)
		state->plan = sharing->plan;
}

/* ---- the leader */

Size
hbpg_shared_size(int n_calls, int n_workers)
{
	return add_size(offsetof(hbpg_shared, counts), mul_size(sizeof(hbpg_counts), mul_size(n_calls, n_workers)));
}

/* Adds the workers' counts before the segment goes. If the query fails, this runs before its memory is freed. */
static void
collect_counts(dsm_segment *segment, Datum argument)
{
	hbpg_sharing *sharing = (hbpg_sharing *) DatumGetPointer(argument);
	hbpg_shared *shared = sharing->shared;

	for (int worker = 0; worker < shared->n_workers; worker++)
	{
		for (int call = 0; call < shared->n_calls; call++)
			hbpg_add_counts(&sharing->others[call], &place_of(shared, worker)[call]);
	}
	sharing->shared = NULL;
	sharing->segment = NULL;
}

/* Runs if the query's memory is freed before the segment goes. */
static void
forget_sharing(void *argument)
{
	hbpg_sharing *sharing = argument;

	if (sharing->segment)
		cancel_on_dsm_detach(sharing->segment, collect_counts, PointerGetDatum(sharing));
}

static void
make_counts(hbpg_sharing *sharing, MemoryContext memory, int n_calls)
{
	if (sharing->others)
		return;
	sharing->others = MemoryContextAllocZero(memory, sizeof(hbpg_counts) * Max(n_calls, 1));
	sharing->callback.func = forget_sharing;
	sharing->callback.arg = sharing;
	MemoryContextRegisterResetCallback(memory, &sharing->callback);
}

/* Without a segment there are no workers. A Gather that was ended and runs again has another one. */
void
hbpg_share(hbpg_sharing *sharing, hbpg_shared *shared, ParallelContext *parallel, MemoryContext memory, int n_calls)
{
	memset(shared, 0, hbpg_shared_size(n_calls, parallel->nworkers));
	shared->n_calls = n_calls;
	shared->n_workers = parallel->nworkers;
	if (!parallel->seg)
		return;
	make_counts(sharing, memory, n_calls);
	on_dsm_detach(parallel->seg, collect_counts, PointerGetDatum(sharing));
	sharing->shared = shared;
	sharing->segment = parallel->seg;
}

/* ---- a worker */

/* If the Gather runs again, the worker's place holds the counts of the worker that ran there before: it adds to them. */
void
hbpg_join_sharing(hbpg_sharing *sharing, hbpg_shared *shared, MemoryContext memory)
{
	Size		size = sizeof(hbpg_counts) * shared->n_calls;

	sharing->others = MemoryContextAlloc(memory, size);
	memcpy(sharing->others, place_of(shared, ParallelWorkerNumber), size);
	sharing->shared = shared;
}

void
hbpg_tell_counts(const hbpg_sharing *sharing, List *calls)
{
	hbpg_counts *place;
	ListCell   *cell;

	if (!IsParallelWorker() || !sharing->shared)
		return;
	place = place_of(sharing->shared, ParallelWorkerNumber);
	foreach(cell, calls)
	{
		int			i = foreach_current_index(cell);

		hbpg_count_call(lfirst(cell), &place[i]);
		hbpg_add_counts(&place[i], &sharing->others[i]);
	}
}
