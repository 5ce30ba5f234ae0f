/*
 * pg_memory.c - the core's host: memory from a context of its own, and whether it should stop.
 *
 * None of the functions here throws, so the core can call them in the middle of anything. Memory that the core
 * holds is freed by the core's own functions; the context is never reset.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "utils/memutils.h"

static MemoryContext memory;

/* PostgreSQL 14 and 15 cannot resize without throwing: so each block knows its size. */
typedef union header
{
	Size		size;
	char		room[MAXIMUM_ALIGNOF * 2];	/* what follows is aligned for any type */
} header;

static void *
allocate(void *context, size_t bytes)
{
	header	   *block;

	(void) context;
	if (bytes > MaxAllocHugeSize - sizeof(header))
		return NULL;
	block = MemoryContextAllocExtended(memory, bytes + sizeof(header), MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (!block)
		return NULL;
	block->size = bytes;
	return block + 1;
}

static void
release(void *context, void *block)
{
	(void) context;
	if (block)
		pfree((header *) block - 1);
}

static void *
resize(void *context, void *block, size_t bytes)
{
	Size		had;
	void	   *moved = allocate(context, bytes);

	if (!moved || !block)
		return moved;
	had = ((header *) block - 1)->size;
	memcpy(moved, block, Min(had, bytes));
	release(context, block);
	return moved;
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
