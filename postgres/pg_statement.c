/*
 * pg_statement.c - a mark in the memory context of a running statement: that there is a statement, and how many rows its
 * current run asks for.
 */
#include "pg_batch.h"

#include "nodes/memnodes.h"

typedef struct statement_mark
{
	MemoryContextCallback callback;
	uint64		rows;			/* that the current run asks for, or HBPG_ALL_ROWS; 0: not known */
} statement_mark;

/* Does nothing: its address identifies the mark among the callbacks of a memory context. */
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

/* The executor counts what it has handed out. */
uint64
hbpg_rows_left(EState *estate)
{
	const statement_mark *mark = find_mark(estate->es_query_cxt);
	uint64		given = estate->es_processed;

	if (!mark || mark->rows == HBPG_ALL_ROWS)
		return mark ? HBPG_ALL_ROWS : 0;
	return mark->rows > given ? mark->rows - given : 0;
}

/* A run for a number of rows, as a cursor's FETCH, may be the last. */
void
hbpg_note_run(QueryDesc *run, ScanDirection direction, uint64 count)
{
	statement_mark *mark = find_mark(run->estate->es_query_cxt);

	if (!mark)
		return;
	mark->rows = count == 0 ? HBPG_ALL_ROWS : count;
	if (!ScanDirectionIsForward(direction))
		mark->rows = 0;
}
