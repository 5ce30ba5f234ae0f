/*
 * pg_missing.c - why a reference finds nothing, in words that help: the versions that there are, or the names that come
 * nearest. Only errors come here, so that time does not matter, within the bounds of the queries.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

enum { LISTED = HOST_NEAREST };

static void
unknown_name(hbs_text name, const char *shown, bool newest)
{
	host_nearest best = {0};
	StringInfoData list;

	hbpg_run(HBPG_NAMES, NULL, NULL, newest);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		bool		isnull;
		Datum		datum = hbpg_column(row, 1, &isnull);

		if (!isnull)
			host_nearest_offer(&best, name, hbpg_text_to_core(DatumGetTextPP(datum)));
	}
	if (best.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("unknown model \"%s\"", hbpg_to_server(shown, strlen(shown))),
				 best.offered ? errhint("hbscore.models lists the models that you may see.") :
				 errhint("This database has no models that you may see; hbscore.register stores one.")));
	initStringInfo(&list);
	for (int i = 0; i < best.count; i++)
		appendStringInfo(&list, "%s\"%s\"", i ? ", " : "", hbpg_to_server(best.name[i].text, strlen(best.name[i].text)));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("unknown model \"%s\"", hbpg_to_server(shown, strlen(shown))),
			 errhint(best.count == 1 ? "The nearest name is %s." : "The nearest names are %s.", list.data)));
}

typedef struct versions
{
	uint64		rows;			/* also dropped ones */
	int			alive;
	int			waiting;		/* of those that are alive */
	bool		dropped;		/* the one that was asked for */
	StringInfoData list;
} versions;

static void
find_versions(const host_reference *reference, versions *found, bool newest)
{
	Datum		name = hbpg_name_datum(reference->name);

	memset(found, 0, sizeof(*found));
	initStringInfo(&found->list);
	hbpg_run(HBPG_VERSIONS, &name, NULL, newest);
	found->rows = SPI_processed;
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		bool		isnull;
		int			version = DatumGetInt32(hbpg_column(row, 1, &isnull));

		if (DatumGetBool(hbpg_column(row, 2, &isnull)))
		{
			found->dropped |= version == reference->version;
			continue;
		}
		found->waiting += DatumGetBool(hbpg_column(row, 3, &isnull));
		if (found->alive++ < LISTED)
			appendStringInfo(&found->list, "%s%d", found->list.len ? ", " : "", version);
	}
	if (found->alive > LISTED)
		appendStringInfoString(&found->list, ", ..");
}

/* An alias that names a version which cannot be scored; else a version, a name that was dropped, an alias. */
static char *
reason_for_missing(const host_reference *reference, const versions *found, const char *name)
{
	host_shown	alias;
	const char *shown = host_show(&alias, reference->alias.bytes, reference->alias.size);

	if (reference->alias.bytes && reference->version)
		return psprintf("alias \"%s\" of model \"%s\" names version %lld, which %s", shown, name, reference->version,
						found->dropped ? "was dropped" : "is not there");
	if (found->alive == 0)
		return psprintf("model \"%s\" was dropped, with all its versions", name);
	if (reference->alias.bytes)
		return psprintf("model \"%s\" has no alias \"%s\"", name, shown);
	if (!reference->version && found->waiting == found->alive)
		return psprintf("every version of model \"%s\" waits to be deployed", name);
	if (found->dropped)
		return psprintf("version %lld of model \"%s\" was dropped", reference->version, name);
	return psprintf("model \"%s\" has no version %lld", name, reference->version);
}

void
hbpg_missing(const host_reference *reference, bool newest)
{
	host_shown	name;
	versions	found;
	char	   *why;

	host_show(&name, reference->name.bytes, reference->name.size);
	find_versions(reference, &found, newest);
	if (found.rows == 0 && !reference->alias.bytes)
		unknown_name(reference->name, name.text, newest);
	if (found.rows == 0 && !reference->version)
		unknown_name(reference->name, name.text, newest);
	why = reason_for_missing(reference, &found, name.text);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg_internal("%s", hbpg_to_server(why, strlen(why))),
			 found.alive == 0 ? 0 :
			 errhint("%s %s%s.", found.alive == 1 ? "Its version is" : "Its versions are", found.list.data,
					 reference->alias.bytes ? "; hbscore.deploy names one" : reference->version ? "" : "; hbscore.deploy makes one current")));
	pg_unreachable();
}
