/*
 * pg_device.c - the GPU of this session: who may have one, when it is opened and given back, what SQL is told of it.
 *
 * A context of CUDA takes hundreds of megabytes of a GPU, so a server has hbscore.device_contexts of them at most. A session
 * that wants one takes a slot, a lock of its own kind which it holds to its end, and never waits for one. pg_locks shows
 * slots as locks of type userlock. pg_advisory_unlock_all and DISCARD ALL release these too: the session takes its slot again
 * before the transaction commits, or gives the GPU back.
 *
 * A GPU that has failed is given back too, with its slot: other sessions may have a context while this one can have none.
 *
 * Nothing here runs in the postmaster, so no process inherits a context; nor in parallel workers, which live for one query.
 */
#include "pg_hbscore.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "lib/stringinfo.h"
#include "storage/ipc.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"

extern PGDLLEXPORT Datum hbscore_device(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(hbscore_device);

/* Distinguishes slots from user locks of others: "hbsd". */
#define SLOTS 0x68627364

static int	slot = -1;			/* that was taken last */
static bool joined;				/* a user of the GPU: host_device_leave */
static bool leaves;				/* it is given back once no run uses it */
static int	in_use;				/* runs that use it */
static uint64 rows_scored;
static uint64 blocks_redone;

/* ---- slots */

static LOCKTAG
tag_of(int number)
{
	return (LOCKTAG)
	{
		.locktag_field2 = SLOTS,.locktag_field3 = (uint32) number,.locktag_type = LOCKTAG_USERLOCK,
			.locktag_lockmethodid = USER_LOCKMETHOD
	};
}

static bool
holds(int number)
{
	LOCKTAG		tag = tag_of(number);

#if PG_VERSION_NUM >= 170000
	return LockHeldByMe(&tag, ExclusiveLock, false);
#else
	return LockHeldByMe(&tag, ExclusiveLock);
#endif
}

static bool
has_slot(void)
{
	return slot >= 0 && slot < hbpg_device_contexts && holds(slot);
}

/* Neither waits nor raises. */
static bool
try_lock(int number)
{
	LOCKTAG		tag = tag_of(number);

#if PG_VERSION_NUM >= 180000
	return LockAcquireExtended(&tag, ExclusiveLock, true, true, false, NULL, false) == LOCKACQUIRE_OK;
#else
	return LockAcquireExtended(&tag, ExclusiveLock, true, true, false, NULL) == LOCKACQUIRE_OK;
#endif
}

static void
give_slot(void)
{
	LOCKTAG		tag = tag_of(slot);

	if (slot >= 0 && holds(slot))
		LockRelease(&tag, ExclusiveLock, true);
	slot = -1;
}

static bool
take_slot(void)
{
	if (has_slot())
		return true;
	give_slot();
	for (int number = 0; number < hbpg_device_contexts; number++)
	{
		if (try_lock(number))
		{
			slot = number;
			return true;
		}
	}
	return false;
}

/* ---- opening and leaving */

static void
leave(void)
{
	leaves = in_use > 0;
	if (!joined || leaves)
		return;
	joined = false;
	host_device_leave();
	give_slot();
}

/* A run that outlives its transaction's end is of a statement that failed; its memory goes soon. */
static void
transaction_ends(XactEvent event, void *nothing)
{
	if (!joined || has_slot())
		return;
	if (event == XACT_EVENT_PRE_COMMIT && take_slot())
		return;
	leave();
}

/*
 * Before PostgreSQL gives up the locks of the session, and the slot with them: so there are never more contexts than slots. What
 * the transaction has on its way ends first, as PostgreSQL ends it.
 */
static void
session_ends(int code, Datum nothing)
{
	if (joined)
		AbortOutOfAnyTransaction();
	if (joined && in_use == 0)
		host_device_leave();
	joined = false;
}

static void
notice_ends(void)
{
	static bool noticed;

	if (noticed)
		return;
	noticed = true;
	RegisterXactCallback(transaction_ends, NULL);
	before_shmem_exit(session_ends, (Datum) 0);
}

static hbs_status
join(hbs_error *why)
{
	hbs_status	status;

	if (hbpg_device_contexts == 0)
		return host_fail(why, HBS_E_UNSUPPORTED, "the setting hbscore.device_contexts is 0");
	if (!take_slot())
	{
		leave();
		return host_fail(why, HBS_E_NOMEM, "other sessions have all of the GPU's contexts, %d by hbscore.device_contexts",
						 hbpg_device_contexts);
	}
	leaves = false;
	if (joined)
		return HBS_OK;
	notice_ends();
	status = host_device_join((size_t) hbpg_device_memory * 1024 * 1024, why);
	joined = status == HBS_OK;
	if (!joined)
		give_slot();
	return status;
}

bool
hbpg_device_allowed(void)
{
	return IsUnderPostmaster && !IsParallelWorker();
}

hbs_status
hbpg_device_open(hbs_error *why)
{
	hbs_device_info info;
	hbs_status	status;

	if (!hbpg_device_allowed())
		return host_fail(why, HBS_E_UNSUPPORTED, "parallel workers and single-user mode use no GPU");
	status = join(why);
	if (status == HBS_OK)
		status = host_device_info(&info, why);
	if (status != HBS_OK)
		leave();				/* it has failed */
	return status;
}

bool
hbpg_device_is_free(void)
{
	bool		is_free = take_slot();

	if (is_free && !joined)
		give_slot();
	return is_free;
}

void
hbpg_device_leave(void)
{
	leave();
}

/* ---- runs */

hbs_status
hbpg_device_use(hbs_run *run, host_program *program, hbs_error *why)
{
	hbs_status	status = host_device_use(run, program, why);

	in_use += status == HBS_OK;
	return status;
}

/* Waits for blocks on their way, which are lost. Whoever leaves the GPU does it behind the last pinned program. */
void
hbpg_device_unuse(hbs_run *run, host_program *program)
{
	hbs_error	ignored;

	hbs_run_use_device(run, NULL, NULL, NULL, &ignored);
	host_device_unpin(program);
	in_use--;
	if (leaves)
		leave();
}

void
hbpg_device_count(uint64 rows, uint64 redone)
{
	rows_scored += rows;
	blocks_redone += redone;
}

/* ---- what SQL is told */

static void
append_member(StringInfo json, const char *name, const char *value)
{
	escape_json(json, name);
	appendStringInfoString(json, ": ");
	escape_json(json, hbpg_to_server(value, strlen(value)));
	appendStringInfoString(json, ", ");
}

/* A context that was opened to look at the GPU goes back: others need the few that there are, and everybody may look. */
static void
append_device(StringInfo json)
{
	bool		had_one = joined;
	hbs_device_info info;
	hbs_error	why;

	if (hbpg_device_setting == HOST_DEVICE_CPU)
		host_fail(&why, HBS_E_UNSUPPORTED, "hbscore.device is cpu");
	else if (hbpg_device_open(&why) == HBS_OK && host_device_info(&info, &why) == HBS_OK)
	{
		append_member(json, "device", "cuda");
		append_member(json, "name", info.name);
		appendStringInfo(json, "\"memory\": " UINT64_FORMAT ", \"used\": " UINT64_FORMAT ", ", (uint64) info.memory,
						 (uint64) info.used);
		if (!had_one)
			leave();
		return;
	}
	append_member(json, "device", "cpu");
	append_member(json, "reason", why.text);
}

/* Opens the GPU for as long as it takes, unless hbscore.device is cpu. */
Datum
hbscore_device(PG_FUNCTION_ARGS)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	append_device(&json);
	appendStringInfo(&json, "\"rows\": " UINT64_FORMAT ", \"redone\": " UINT64_FORMAT "}", rows_scored, blocks_redone);
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}
