/*
 * pg_memory.c - the core's host: memory from a context of its own, and whether it should stop.
 *
 * None of the functions here throws, so the core can call them in the middle of anything. Memory that the core
 * holds is freed by the core's own functions; the context is never reset.
 */
#include "pg_hbscore.h"

#include <limits.h>

#include "utils/guc.h"
#include "utils/memutils.h"

static MemoryContext memory;

#ifdef HBPG_FAULTS

/*
 * A build for tests only (build/counted of tools/postgres.mk). hbscore.fault = n: the n-th allocation from now fails,
 * and with hbscore.fault_lasts all behind it too. hbscore.fault_hits counts those that failed, hbscore.fault_held is
 * how many bytes the core holds.
 */
static int	fault;
static bool fault_lasts;
static int	fault_hits;
static int	held;

static bool
fault_is_due(void)
{
	if (fault == 0)
		return false;
	if (fault > 1)
	{
		fault--;
		return false;
	}
	if (!fault_lasts)
		fault = 0;
	fault_hits++;
	return true;
}

static void
define_faults(void)
{
	DefineCustomIntVariable("hbscore.fault", "The allocation of the core that fails.", NULL, &fault, 0, 0, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("hbscore.fault_lasts", "Whether all behind it fail too.", NULL, &fault_lasts, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("hbscore.fault_hits", "How many have failed.", NULL, &fault_hits, 0, 0, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("hbscore.fault_held", "Bytes that the core holds.", NULL, &held, 0, INT_MIN, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
}

/* One that fails asks for what no machine has, so that it fails as it does without this. */
#define WANTED(bytes) (fault_is_due() ? MaxAllocHugeSize - 1024 : (bytes))
#define COUNT_TAKEN(block) (held += (block) ? (int) GetMemoryChunkSpace(block) : 0)
#define COUNT_GIVEN(block) (held -= (int) GetMemoryChunkSpace(block))
#else
#define define_faults() ((void) 0)
#define WANTED(bytes) (bytes)
#define COUNT_TAKEN(block) ((void) 0)
#define COUNT_GIVEN(block) ((void) 0)
#endif

static void *
allocate_block(void *context, size_t bytes)
{
	void	   *block;

	(void) context;
	if (bytes > MaxAllocHugeSize)
		return NULL;
	block = MemoryContextAllocExtended(memory, WANTED(bytes), MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	COUNT_TAKEN(block);
	host_use_large_pages(block, bytes);
	return block;
}

static void
release_block(void *context, void *block)
{
	(void) context;
	if (!block)
		return;
	COUNT_GIVEN(block);
	pfree(block);
}

/* In place where it can be: a large block that grows is not copied, which would touch all of its pages anew. */
#if PG_VERSION_NUM >= 160000
static void *
reallocate_block(void *block, size_t bytes)
{
	return repalloc_extended(block, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
}
#else
/* Here only a function that throws can do it; what it throws ends here. */
static void *
reallocate_block(void *block, size_t bytes)
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
resize_block(void *context, void *block, size_t bytes)
{
	void	   *moved;

	if (!block)
		return allocate_block(context, bytes);
	if (bytes > MaxAllocHugeSize)
		return NULL;
	COUNT_GIVEN(block);
	moved = reallocate_block(block, WANTED(bytes));
	COUNT_TAKEN(moved ? moved : block);
	host_use_large_pages(moved, bytes);
	return moved;
}

/*
 * Whether the call is made again, since the interrupt that stopped it does not end the statement. Such an interrupt may
 * come again before the call ends (client_connection_check_interval), so it stops a call only once.
 */
static bool again;

/* Whether an interrupt is pending. None stops the core while interrupts are held off, since none is handled then. */
static bool
cancel_is_pending(void *context)
{
	(void) context;
	return InterruptPending && INTERRUPTS_CAN_BE_PROCESSED() && (!again || QueryCancelPending || ProcDiePending);
}

/* For EXPLAIN ANALYZE. */
static uint64_t
nanoseconds(void *context)
{
	instr_time	now;

	(void) context;
	INSTR_TIME_SET_CURRENT(now);
	return (uint64_t) (INSTR_TIME_GET_DOUBLE(now) * 1e9);
}

hbs_host	hbpg_host = {
	.allocate = allocate_block,.resize = resize_block,.release = release_block,.cancelled = cancel_is_pending,.nanoseconds = nanoseconds
};

void
hbpg_memory_init(void)
{
	memory = AllocSetContextCreate(TopMemoryContext, "hbscore", ALLOCSET_DEFAULT_SIZES);
	define_faults();
}

void
hbpg_press_on(void)
{
	again = true;
}

bool
hbpg_again(hbs_status status)
{
	again = false;
	if (status != HBS_E_CANCEL)
		return false;
	CHECK_FOR_INTERRUPTS();
	again = true;
	return true;
}
