/*
 * pg_interface.c - checks that the library and the SQL objects of this database fit each other.
 *
 * Administrators install the files and run ALTER EXTENSION at different times, for a standby even on different machines; and a
 * session keeps the library that it began with. So versions may differ; both have the number of their interface, and these
 * must be equal. CONTRIBUTING.md says what keeps the number and what raises it.
 *
 * The script has its number as hbscore.interface(). Each statement of ours asks for it first, so an UPDATE is seen at once,
 * and no query fails for an object that the other interface does not have. The body of the function is read as text: a call
 * would have to be planned. It is read again only when functions have changed: reading it each time would make a look-up
 * slower by a tenth.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/syscache.h"

/* The test of upgrades makes other libraries with these two (tools/postgres.mk). */
#ifndef HBPG_INTERFACE
#define HBPG_INTERFACE 1
#endif
#ifndef HBPG_LIBRARY_VERSION
#define HBPG_LIBRARY_VERSION HBS_VERSION
#endif

const int	hbpg_interface = HBPG_INTERFACE;

extern PGDLLEXPORT Datum hbscore_version(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(hbscore_version);

/* The library's version; pg_extension has that of the SQL objects. */
Datum
hbscore_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(HBPG_LIBRARY_VERSION));
}

/* The number in the body of hbscore.interface(), 'SELECT 1' (tools/check_sql.sh checks its form); 0: the body is another. */
static int
number_of(HeapTuple function)
{
	bool		isnull;
	Datum		body = SysCacheGetAttr(PROCNAMEARGSNSP, function, Anum_pg_proc_prosrc, &isnull);
	int			number;

	return !isnull && sscanf(TextDatumGetCString(body), "SELECT %d", &number) == 1 ? number : 0;
}

static int
installed_interface(Oid schema)
{
	oidvector  *no_arguments = buildoidvector(NULL, 0);
	HeapTuple	function = SearchSysCache3(PROCNAMEARGSNSP, CStringGetDatum("interface"), PointerGetDatum(no_arguments),
										   ObjectIdGetDatum(schema));
	int			number = 0;

	pfree(no_arguments);
	if (HeapTupleIsValid(function))
	{
		number = number_of(function);
		ReleaseSysCache(function);
	}
	return number;
}

static bool known_to_fit;

static void
forget_interface(Datum argument, int cache, uint32 hash)
{
	(void) argument;
	(void) cache;
	(void) hash;
	known_to_fit = false;
}

void
hbpg_interface_init(void)
{
	CacheRegisterSyscacheCallback(PROCNAMEARGSNSP, forget_interface, (Datum) 0);
}

/* Without an extension the library fits too. */
static bool
interface_fits(int *installed)
{
	Oid			schema;

	if (known_to_fit)
		return true;
	schema = get_namespace_oid("hbscore", true);
	*installed = OidIsValid(schema) ? installed_interface(schema) : hbpg_interface;
	known_to_fit = OidIsValid(schema) && *installed == hbpg_interface;
	return *installed == hbpg_interface;
}

bool
hbpg_fits(void)
{
	int			installed;

	return interface_fits(&installed);
}

void
hbpg_check_interface(void)
{
	int			installed;

	if (interface_fits(&installed))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the library of hbscore (version %s) has interface %d, the extension in this database has interface %d",
					HBPG_LIBRARY_VERSION, hbpg_interface, installed),
			 installed < hbpg_interface ?
			 errhint("Run ALTER EXTENSION hbscore UPDATE, or install a library whose interface is %d.", installed) :
			 errhint("Install a library whose interface is %d, and start a new session.", installed)));
}

void
hbpg_check_plan_interface(int made_by)
{
	if (made_by != hbpg_interface)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the library of hbscore was replaced while this session was open: its parallel workers have interface %d, the session has interface %d",
						hbpg_interface, made_by),
				 errhint("Start a new session.")));
}
