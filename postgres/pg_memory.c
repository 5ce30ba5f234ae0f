/*
 * pg_memory.c - the core's host: memory from a context of its own, and whether it should stop.
 *
 * None of the functions here throws, so the core can call them in the middle of anything. Memory that the core
 * holds is freed by the core's own functions; the context is never reset.
 */
#include "pg_hbscore.h"

#include "utils/memutils.h"

static MemoryContext memory;

static void *
allocate(void *context, size_t bytes)
{
	(void) context;
	if (bytes > MaxAllocHugeSize)
		return NULL;
	return MemoryContextAllocExtended(memory, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}

static void
release(void *context, void *block)
{
	(void) context;
	if (block)
		pfree(block);
}

/* In place where it can be: a large block that grows is not copied, which would touch all of its pages anew. */
#if PG_VERSION_NUM >= 160000
static void *
reallocate(void *block, size_t bytes)
{
	return repalloc_extended(block, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}
#else
/* Here only a function that throws can do it; what it throws ends here. */
static void *
reallocate(void *block, size_t bytes)
{
	MemoryContext caller = CurrentMemoryContext;
	void	   *volatile moved = NULL;

	PG_TRY();
	{
		moved = repalloc_huge(block, bytes);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		FlushErrorState();
	}
	PG_END_TRY();
	return moved;
}
#endif

static void *
resize(void *context, void *block, size_t bytes)
{
	if (bytes > MaxAllocHugeSize)
		return NULL;
	return block ? reallocate(block, bytes) : allocate(context, bytes);
}

/* While interrupts are held off none is seen to, so none stops the core. */
static bool
cancelled(void *context)
{
	(void) context;
	return InterruptPending && INTERRUPTS_CAN_BE_PROCESSED();
}

hbs_host	hbpg_host = {
	.allocate = allocate,.resize = resize,.release = release,.cancelled = cancelled
};

void
hbpg_memory_init(void)
{
	memory = AllocSetContextCreate(TopMemoryContext, "hbscore", ALLOCSET_DEFAULT_SIZES);
}

bool
hbpg_again(hbs_status status)
{
	if (status != HBS_E_CANCEL)
		return false;
	CHECK_FOR_INTERRUPTS();
	return true;
}
