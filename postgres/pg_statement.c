/*
 * pg_statement.c - what is known of a statement that runs: a mark in its memory context, which others can look for.
 */
#include "pg_batch.h"

#include "nodes/memnodes.h"

typedef struct statement_mark
{
	MemoryContextCallback callback;
	bool		to_end;			/* it is being run to its end */
} statement_mark;

/* That it stands in a memory context is what it is for. */
static void
statement_ends(void *nothing)
{
	(void) nothing;
}

void
hbpg_mark_statement(MemoryContext memory)
{
	statement_mark *mark = MemoryContextAllocZero(memory, sizeof(*mark));

	mark->callback.func = statement_ends;
	mark->callback.arg = mark;
	MemoryContextRegisterResetCallback(memory, &mark->callback);
}

static statement_mark *
find_mark(MemoryContext memory)
{
	MemoryContextCallback *callback = memory->reset_cbs;

	while (callback && callback->func != statement_ends)
		callback = callback->next;
	return callback ? callback->arg : NULL;
}

bool
hbpg_is_of_statement(MemoryContext memory)
{
	return find_mark(memory) != NULL;
}

bool
hbpg_runs_to_end(EState *estate)
{
	const statement_mark *mark = find_mark(estate->es_query_cxt);

	return mark && mark->to_end;
}

/* Parts of a run that are asked for a number of rows may be the last. */
void
hbpg_note_run(QueryDesc *run, ScanDirection direction, uint64 count)
{
	statement_mark *mark = find_mark(run->estate->es_query_cxt);

	if (mark)
		mark->to_end = count == 0 && ScanDirectionIsForward(direction);
}
