/*
 * pg_register.c - the functions that write: register, deploy, drop. The triggers check the model
 * (pg_triggers.c), since rows also come by INSERT and COPY.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "common/hashfn.h"
#include "executor/spi.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* Its fourth number keeps it apart from the advisory locks of users (1 and 2). */
void
hbpg_lock_name(hbs_text name)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, 0, hash_bytes((const unsigned char *) name.bytes, (int) name.size), 0x4862);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

void
hbpg_check_version_number(long long version)
{
	if (version < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a version is a number from 1 to %d, not %lld", HOST_MAX_VERSION, version)));
}

static void
refuse_null(FunctionCallInfo fcinfo, int argument, const char *what)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s is NULL", what)));
}

ENTRY(register);
Datum
hbscore_register(PG_FUNCTION_ARGS)
{
	Datum		values[3];
	char		nulls[4] = "   ";
	bool		isnull;
	int			version;

	refuse_null(fcinfo, 0, "a model's name");
	for (int i = 0; i < 3; i++)
	{
		values[i] = PG_GETARG_DATUM(i);
		nulls[i] = PG_ARGISNULL(i) ? 'n' : ' ';
	}
	SPI_connect();
	hbpg_run(HBPG_REGISTER, values, nulls, false);
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("the model was not stored: a rule or another trigger on hbscore.models ignores new rows")));
	version = DatumGetInt32(hbpg_column(0, 1, &isnull));
	SPI_finish();
	PG_RETURN_INT32(version);
}

/* The version must be there when the alias is written, whatever this transaction's snapshot shows. */
static void
check_version_exists(host_reference *reference)
{
	Datum		values[2] = {hbpg_name_datum(reference->name), Int32GetDatum((int32) reference->version)};

	hbpg_run(HBPG_VERSION, values, NULL, true);
	if (SPI_processed == 0)
		hbpg_missing(reference, true);
}

/* Reads, checks and compiles a version, unless its plan is cached: a name must not mean a version that cannot be scored. */
static void
check_scores(const host_reference *reference)
{
	hbpg_found	found;

	PushActiveSnapshot(GetLatestSnapshot());
	hbpg_find(reference, &found);
	PopActiveSnapshot();
	host_cache_unpin(&hbpg_plans, found.plan);
}

ENTRY(deploy);
Datum
hbscore_deploy(PG_FUNCTION_ARGS)
{
	Datum		values[3];
	host_reference reference = {0};
	hbs_error	error;

	refuse_null(fcinfo, 0, "a model's name");
	refuse_null(fcinfo, 1, "a version");
	refuse_null(fcinfo, 2, "an alias");
	reference.name = hbpg_text_to_core(PG_GETARG_TEXT_PP(0));
	reference.version = PG_GETARG_INT32(1);
	hbpg_check(host_name_check(reference.name, &error), &error);
	hbpg_check(host_alias_check(hbpg_text_to_core(PG_GETARG_TEXT_PP(2)), &error), &error);
	hbpg_check_version_number(reference.version);
	values[0] = PG_GETARG_DATUM(0);
	values[1] = PG_GETARG_DATUM(2);
	values[2] = PG_GETARG_DATUM(1);
	hbpg_check_right("aliases", ACL_INSERT);
	hbpg_lock_name(reference.name);
	SPI_connect();
	check_version_exists(&reference);
	check_scores(&reference);
	hbpg_run(HBPG_DEPLOY, values, NULL, false);
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
				 errmsg("the version was not deployed: a rule or another trigger on hbscore.aliases ignores it")));
	SPI_finish();
	PG_RETURN_INT32((int32) reference.version);
}

/* Raises the reason why a drop found no row: none exists, or this transaction's snapshot does not see it. */
static void
not_dropped(const host_reference *reference, hbpg_query version, Datum *values)
{
	hbpg_run(version, values, NULL, true);
	if (SPI_processed == 0)
		hbpg_missing(reference, true);
	hbpg_run(version, values, NULL, false);
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access: what is to be dropped was registered after this transaction began")));
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("nothing was dropped: a rule, another trigger or row security on hbscore.models keeps it")));
}

/* The name whose drop is forced, while its UPDATE runs; the trigger on the table has no other way to know. */
static const hbs_text *forced_name;

bool
hbpg_is_forced(hbs_text name)
{
	return forced_name && forced_name->size == name.size && memcmp(forced_name->bytes, name.bytes, name.size) == 0;
}

static void
run_drop(const hbs_text *name, Datum *values, const char *nulls, bool force)
{
	const hbs_text *before = forced_name;

	forced_name = force ? name : NULL;
	PG_TRY();
	{
		hbpg_run(HBPG_DROP, values, nulls, false);
	}
	PG_FINALLY();
	{
		forced_name = before;
	}
	PG_END_TRY();
}

/* Returns how many versions were dropped, which is one at least. `version` is 0 for all; `force` is the argument's number. */
static int
drop_versions(FunctionCallInfo fcinfo, int version, int force)
{
	Datum		values[2] = {PG_GETARG_DATUM(0), Int32GetDatum(version)};
	host_reference reference = {.version = version};
	const char *nulls = version ? "  " : " n";
	hbs_error	error;
	uint64		dropped;

	reference.name = hbpg_text_to_core(PG_GETARG_TEXT_PP(0));
	hbpg_check(host_name_check(reference.name, &error), &error);
	hbpg_check_right("models", ACL_UPDATE);
	hbpg_lock_name(reference.name);
	SPI_connect();
	if (!version)
		hbpg_run(HBPG_DROP_ALIASES, values, NULL, false);
	run_drop(&reference.name, values, nulls, !PG_ARGISNULL(force) && PG_GETARG_BOOL(force));
	dropped = SPI_processed;
	if (dropped == 0)
		not_dropped(&reference, version ? HBPG_VERSION : HBPG_NEWEST, values);
	SPI_finish();
	return (int) dropped;
}

ENTRY(drop);
Datum
hbscore_drop(PG_FUNCTION_ARGS)
{
	refuse_null(fcinfo, 0, "a model's name");
	PG_RETURN_INT32(drop_versions(fcinfo, 0, 1));
}

ENTRY(drop_version);
Datum
hbscore_drop_version(PG_FUNCTION_ARGS)
{
	refuse_null(fcinfo, 0, "a model's name");
	refuse_null(fcinfo, 1, "a version");
	hbpg_check_version_number(PG_GETARG_INT32(1));
	PG_RETURN_INT32(drop_versions(fcinfo, PG_GETARG_INT32(1), 2));
}
