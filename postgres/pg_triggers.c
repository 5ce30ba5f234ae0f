/*
 * pg_triggers.c - the triggers of hbscore.models and hbscore.aliases, and the column that a table computes.
 *
 * A row gets in by whatever INSERT or COPY, so the triggers are where a model is checked. A row without a version is a
 * registration: it is parsed, validated, compiled and its golden rows are scored, or it is refused. A row that brings
 * its version is a restore: where it cannot be scored here it is kept with a warning, since an error would lose all
 * rows of the COPY that it is one of; scoring it raises the error.
 *
 * A version number is never given twice: a drop keeps the row, without the model. Writers of one name wait for each
 * other (hbpg_lock_name), and look at what is committed by then.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/detoast.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* The columns of hbscore.models, as the installation script has them. */
enum
{
	NAME = 1, VERSION, MODEL, FORMAT, SHA256, DESCRIPTION, OPTIONS, CREATED_AT, CREATED_BY, GOLDEN, COLUMNS = GOLDEN
};

/* ---- a row that is inserted */

typedef struct row
{
	Relation	table;
	TupleDesc	columns;
	Datum		values[COLUMNS + 1];
	bool		nulls[COLUMNS + 1];
	hbs_text	name;
	int			version;		/* 0: none given */
	char		shown[HOST_MAX_NAME + 24];	/* the name, and the version where it is given */
} row;

/* The code below reads columns by these types, so a table whose columns an ALTER TABLE has changed is refused. */
static const Oid column_types[] = {
	[NAME] = TEXTOID,[VERSION] = INT4OID,[MODEL] = BYTEAOID,[FORMAT] = TEXTOID,[SHA256] = BYTEAOID,
	[DESCRIPTION] = TEXTOID,[OPTIONS] = JSONBOID,[CREATED_AT] = TIMESTAMPTZOID,[CREATED_BY] = TEXTOID,
	[GOLDEN] = JSONBOID
};

/* The columns of hbscore.aliases that are read. */
enum
{
	ALIAS_NAME = 1, ALIAS, ALIAS_VERSION
};

static const Oid alias_types[] = {
	[ALIAS_NAME] = TEXTOID,[ALIAS] = TEXTOID,[ALIAS_VERSION] = INT4OID
};

static void
check_columns(TupleDesc columns, const Oid *types, int n)
{
	for (int i = 1; i <= n; i++)
		if (columns->natts < i || TupleDescAttr(columns, i - 1)->atttypid != types[i])
			hbpg_refuse_trigger();
}

/* hbpg_own_trigger of a trigger that fires before each row of one of these events. */
static TriggerData *
own_row_trigger(FunctionCallInfo fcinfo, const char *table, bool insert, bool update)
{
	TriggerData *trigger = hbpg_own_trigger(fcinfo, table);

	if (!TRIGGER_FIRED_BEFORE(trigger->tg_event) || !TRIGGER_FIRED_FOR_ROW(trigger->tg_event) ||
		!((insert && TRIGGER_FIRED_BY_INSERT(trigger->tg_event)) ||
		  (update && TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))))
		hbpg_refuse_trigger();
	return trigger;
}

static void
read_row(Relation relation, HeapTuple tuple, row *r)
{
	hbs_error	error;

	r->table = relation;
	r->columns = RelationGetDescr(relation);
	check_columns(r->columns, column_types, COLUMNS);
	for (int i = 1; i <= COLUMNS; i++)
		r->values[i] = heap_getattr(tuple, i, r->columns, &r->nulls[i]);
	if (r->nulls[NAME])
		ereport(ERROR, (errcode(ERRCODE_NOT_NULL_VIOLATION), errmsg("a model's name is NULL")));
	r->name = hbpg_text_to_core(DatumGetTextPP(r->values[NAME]));
	hbpg_check(host_name_check(r->name, &error), &error);
	r->version = r->nulls[VERSION] ? 0 : DatumGetInt32(r->values[VERSION]);
	snprintf(r->shown, sizeof(r->shown), r->version ? "%.*s@%d" : "%.*s", (int) r->name.size, r->name.bytes,
			 r->version);
}

static Jsonb *
empty_object(void)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")));
}

static Datum
with_format(Datum options, text *format)
{
	JsonbParseState *state = NULL;
	JsonbValue	key = {.type = jbvString};
	JsonbValue	value = {.type = jbvString};

	if (strcmp(text_to_cstring(format), "auto") == 0)
		return options;
	key.val.string.val = "format";
	key.val.string.len = strlen("format");
	value.val.string.val = VARDATA_ANY(format);
	value.val.string.len = VARSIZE_ANY_EXHDR(format);
	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	pushJsonbValue(&state, WJB_KEY, &key);
	pushJsonbValue(&state, WJB_VALUE, &value);
	return DirectFunctionCall2(jsonb_concat, options,
							   JsonbPGetDatum(JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL))));
}

/* Raises unless the options are valid. Golden rows among them move to their own column. */
static void
split_options(row *r)
{
	hbs_text	text;
	hbs_options_info info;
	hbs_error	error;
	hbs_status	status;
	JsonbValue	golden;
	Jsonb	   *options;

	if (r->nulls[OPTIONS])
		r->values[OPTIONS] = JsonbPGetDatum(empty_object());
	r->nulls[OPTIONS] = false;
	text = hbpg_json_to_core(r->values[OPTIONS]);
	do
		status = hbs_options_read(&hbpg_host, text.bytes, text.size, &info, &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	hbs_options_free(&hbpg_host, &info);
	options = DatumGetJsonbP(r->values[OPTIONS]);
	if (!getKeyJsonValueFromContainer(&options->root, "golden", strlen("golden"), &golden))
		return;
	r->values[GOLDEN] = JsonbPGetDatum(JsonbValueToJsonb(&golden));
	r->nulls[GOLDEN] = false;
	r->values[OPTIONS] = DirectFunctionCall2(jsonb_delete, r->values[OPTIONS], CStringGetTextDatum("golden"));
}

static void
take_format(row *r)
{
	if (!r->nulls[FORMAT])
		r->values[OPTIONS] = with_format(r->values[OPTIONS], DatumGetTextPP(r->values[FORMAT]));
}

/* The function gives the description as an option; an INSERT may have it in the column. */
static void
take_description(row *r)
{
	Jsonb	   *options = DatumGetJsonbP(r->values[OPTIONS]);
	JsonbValue	value;

	if (!r->nulls[DESCRIPTION] ||
		!getKeyJsonValueFromContainer(&options->root, "description", strlen("description"), &value) ||
		value.type != jbvString)
		return;
	r->values[DESCRIPTION] = PointerGetDatum(cstring_to_text_with_len(value.val.string.val, value.val.string.len));
	r->nulls[DESCRIPTION] = false;
}

/* ---- what it says */

typedef struct understood
{
	hbs_plan   *plan;			/* of the core's memory */
	uint8		digest[32];
	char		format[32];
	hbs_text	options;
} understood;

/* Digest, model and plan; nothing of the core is held where it fails. `name` is for messages; NULL: they have none. */
static hbs_status
understand_model(const row *r, const char *name, understood *u, hbs_error *error)
{
	bytea	   *bytes = DatumGetByteaPP(r->values[MODEL]);
	hbs_source	source = {
		.name = name,.bytes = VARDATA_ANY(bytes),.size = VARSIZE_ANY_EXHDR(bytes),.sha256 = u->digest
	};
	hbs_status	status;

	u->options = hbpg_json_to_core(r->values[OPTIONS]);
	source.options = u->options.bytes;
	source.options_size = u->options.size;
	do
	{
		status = hbs_sha256(&hbpg_host, source.bytes, source.size, u->digest, error);
		if (status == HBS_OK)
			status = hbpg_compile(&source, &u->plan, u->format, error);
	} while (hbpg_again(status));
	return status;
}

/* The plan goes to the cache, where the first score finds it; from there it is pinned. */
static host_plan *
keep_plan(const understood *u)
{
	const hbs_compile_options how = hbpg_compile_options();
	uint8		key[32];
	host_plan  *kept;

	hbs_plan_key(u->digest, u->options.bytes, u->options.size, &how, key);
	kept = host_cache_add(&hbpg_plans, key, u->plan);
	if (!kept)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return kept;
}

/* Golden rows are stored with a model that gives what they say. */
static void
check_golden(const row *r, host_plan *plan)
{
	hbs_text	golden;
	hbs_verification found;
	hbs_error	error;
	hbs_status	status;

	if (r->nulls[GOLDEN])
		return;
	golden = hbpg_json_to_core(r->values[GOLDEN]);
	do
		status = hbs_verify(plan->compiled, &hbpg_host, r->shown, golden.bytes, golden.size, &found, &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	if (found.ok)
		return;
	host_fail(&error, HBS_E_ARGS, "model \"%s\" does not give its golden rows: %s", r->shown, found.text);
	hbpg_raise(&error);
}

/* Verified with the plan pinned, which an error would leave pinned for good. */
static void
check_model(const row *r, understood *u)
{
	host_plan  *plan = keep_plan(u);

	PG_TRY();
	{
		check_golden(r, plan);
	}
	PG_FINALLY();
	{
		host_cache_unpin(&hbpg_plans, plan);
	}
	PG_END_TRY();
}

static void
set_format(row *r, const char *format)
{
	r->values[FORMAT] = CStringGetTextDatum(format);
	r->nulls[FORMAT] = false;
}

/* ---- registration */

/*
 * The last version among all rows, those too that row security hides from this user: their numbers are taken. That they
 * are is all that it tells, as the key does when it refuses one.
 */
static int
last_hidden(const row *r)
{
	ScanKeyData key;
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	SysScanDesc scan;
	HeapTuple	tuple;
	int			last = 0;

	ScanKeyInit(&key, NAME, BTEqualStrategyNumber, F_TEXTEQ, r->values[NAME]);
	scan = systable_beginscan(r->table, InvalidOid, false, snapshot, 1, &key);
	while ((tuple = systable_getnext(scan)) != NULL)
	{
		bool		isnull;
		int			version = DatumGetInt32(heap_getattr(tuple, VERSION, r->columns, &isnull));

		last = Max(last, version);
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	return last;
}

/* By what is committed and by what this transaction has done. */
static int
next_version(const row *r)
{
	Datum		name = r->values[NAME];
	bool		isnull;
	int			last;

	hbpg_lock_name(r->name);
	SPI_connect();
	hbpg_run(HBPG_NEXT_VERSION, &name, NULL, true);
	last = DatumGetInt32(hbpg_column(0, 1, &isnull));	/* NULL, and so 0: none */
	SPI_finish();
	if (check_enable_rls(RelationGetRelid(r->table), InvalidOid, true) == RLS_ENABLED)
		last = Max(last, last_hidden(r));
	if (last == HOST_MAX_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("model \"%s\" has used up its version numbers",
						hbpg_to_server(r->name.bytes, r->name.size))));
	return last + 1;
}

static void
register_row(row *r)
{
	understood	u = {0};
	hbs_error	error;

	if (r->nulls[MODEL])
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("model \"%s\" is NULL, not a model's bytes", hbpg_to_server(r->shown, strlen(r->shown)))));
	split_options(r);
	take_format(r);
	take_description(r);
	hbpg_check_size(r->shown, (int64) toast_raw_datum_size(r->values[MODEL]) - VARHDRSZ);
	hbpg_check(understand_model(r, r->shown, &u, &error), &error);
	check_model(r, &u);
	set_format(r, u.format);
	r->values[VERSION] = Int32GetDatum(next_version(r));
	r->nulls[VERSION] = false;
}

/* ---- restore */

/* Whoever gives a version could use up the numbers of a name by the greatest one. */
static void
check_may_restore(const row *r)
{
	if (hbpg_table_ownercheck(RelationGetRelid(r->table), GetUserId()))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("only the owner of hbscore.models or a superuser gives a model's version"),
			 errhint("Without a version the row becomes the next version of its name.")));
}

static void
restore_row(row *r)
{
	understood	u = {0};
	hbs_error	error;
	hbs_status	status;

	check_may_restore(r);
	hbpg_check_version_number(r->version);
	if (r->nulls[OPTIONS])
		r->values[OPTIONS] = JsonbPGetDatum(empty_object());
	r->nulls[OPTIONS] = false;
	if (r->nulls[MODEL])		/* dropped: only its number is taken */
		return;
	status = understand_model(r, NULL, &u, &error);
	if (status == HBS_OK)
	{
		host_cache_unpin(&hbpg_plans, keep_plan(&u));
		if (r->nulls[FORMAT])
			set_format(r, u.format);
		return;
	}
	if (status == HBS_E_NOMEM || status == HBS_E_CANCEL || status == HBS_E_INTERNAL)
	{
		hbs_error	named;

		host_fail(&named, status, "model \"%s\": %s", r->shown, error.text);
		hbpg_raise(&named);
	}
	if (r->nulls[FORMAT])
		set_format(r, "unknown");
	ereport(WARNING,
			(errcode(hbpg_sqlstate(status)),
			 errmsg("model \"%s\" is stored, but cannot be scored here: %s",
					hbpg_to_server(r->shown, strlen(r->shown)), hbpg_to_server(error.text, strlen(error.text)))));
}

ENTRY(models_insert);
Datum
hbscore_models_insert(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = own_row_trigger(fcinfo, "models", true, false);
	int			changed[] = {VERSION, FORMAT, DESCRIPTION, OPTIONS, GOLDEN};
	Datum		values[lengthof(changed)];
	bool		nulls[lengthof(changed)];
	row			r;

	read_row(trigger->tg_relation, trigger->tg_trigtuple, &r);
	if (r.version == 0 && r.nulls[VERSION])
		register_row(&r);
	else
		restore_row(&r);
	for (int i = 0; i < (int) lengthof(changed); i++)
	{
		values[i] = r.values[changed[i]];
		nulls[i] = r.nulls[changed[i]];
	}
	return PointerGetDatum(heap_modify_tuple_by_cols(trigger->tg_trigtuple, r.columns, lengthof(changed), changed,
													 values, nulls));
}

/* ---- a row that is changed */

static bool
names_version(Relation aliases, const row *r)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	SysScanDesc scan;
	ScanKeyData keys[2];
	bool		found;

	check_columns(RelationGetDescr(aliases), alias_types, ALIAS_VERSION);
	ScanKeyInit(&keys[0], ALIAS_NAME, BTEqualStrategyNumber, F_TEXTEQ, r->values[NAME]);
	ScanKeyInit(&keys[1], ALIAS_VERSION, BTEqualStrategyNumber, F_INT4EQ, r->values[VERSION]);
	scan = systable_beginscan(aliases, InvalidOid, false, snapshot, lengthof(keys), keys);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	return found;
}

/* Whether an alias that row security hides from this user names the version: such a version is deployed too. */
static bool
has_hidden_alias(const row *r)
{
	Relation	aliases = hbpg_open_own("aliases");
	bool		found = aliases && check_enable_rls(RelationGetRelid(aliases), InvalidOid, true) == RLS_ENABLED &&
		names_version(aliases, r);

	if (aliases)
		table_close(aliases, NoLock);
	return found;
}

/* Raises where aliases name the version. */
static void
check_deployed(const row *r)
{
	Datum		values[2] = {r->values[NAME], r->values[VERSION]};
	host_shown	shown;
	StringInfoData list;
	bool		isnull;

	hbpg_lock_name(r->name);
	SPI_connect();
	hbpg_run(HBPG_ALIASES_OF, values, NULL, true);
	initStringInfo(&list);
	for (uint64 i = 0; i < SPI_processed && i < HOST_NEAREST; i++)
	{
		hbs_text	alias = hbpg_text_to_core(DatumGetTextPP(hbpg_column(i, 1, &isnull)));

		appendStringInfo(&list, "%s\"%s\"", i ? ", " : "", host_show(&shown, alias.bytes, alias.size));
	}
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("version %d of model \"%s\" is deployed, alias%s %s%s", r->version,
						hbpg_to_server(r->name.bytes, r->name.size), SPI_processed == 1 ? "" : "es",
						hbpg_to_server(list.data, list.len), SPI_processed > HOST_NEAREST ? ", .." : ""),
				 errhint("Deploy another version first (hbscore.deploy), or drop the whole model.")));
	SPI_finish();
	if (has_hidden_alias(r))
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("version %d of model \"%s\" is deployed, by an alias that row security hides", r->version,
						hbpg_to_server(r->name.bytes, r->name.size)),
				 errhint("A role that sees the alias can deploy another version first (hbscore.deploy).")));
}

/* Both are the same value outside of the table: the bytes of a model need not be read to see that an UPDATE leaves them. */
static bool
is_same_pointer(Datum before, Datum after)
{
	const struct varlena *a = (const struct varlena *) DatumGetPointer(before);
	const struct varlena *b = (const struct varlena *) DatumGetPointer(after);

	return VARATT_IS_EXTERNAL_ONDISK(a) && VARATT_IS_EXTERNAL_ONDISK(b) &&
		memcmp(a, b, VARHDRSZ_EXTERNAL + sizeof(struct varatt_external)) == 0;
}

static bool
same_value(const row *before, const row *after, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(before->columns, column - 1);

	if (before->nulls[column] || after->nulls[column])
		return before->nulls[column] && after->nulls[column];
	if (attribute->attlen == -1 && is_same_pointer(before->values[column], after->values[column]))
		return true;
	return datum_image_eq(before->values[column], after->values[column], attribute->attbyval, attribute->attlen);
}

/* Whether the update is a drop: it removes the model's bytes, and its golden rows with them. */
static bool
drops_model(const row *before, const row *after)
{
	return after->nulls[MODEL] && !before->nulls[MODEL];
}

ENTRY(models_update);
Datum
hbscore_models_update(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = own_row_trigger(fcinfo, "models", false, true);
	row			before,
				after;
	bool		drop;

	read_row(trigger->tg_relation, trigger->tg_trigtuple, &before);
	read_row(trigger->tg_relation, trigger->tg_newtuple, &after);
	drop = drops_model(&before, &after);
	for (int i = 1; i <= COLUMNS; i++)
	{
		if (i == DESCRIPTION || i == SHA256 || (drop && i == MODEL) || (drop && i == GOLDEN && after.nulls[i]))
			continue;
		if (!same_value(&before, &after, i))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of a stored model does not change",
							NameStr(TupleDescAttr(before.columns, i - 1)->attname)),
					 errhint("Register the model anew: it becomes the next version.")));
	}
	if (drop)
	{
		check_deployed(&before);
		if (!hbpg_is_forced(before.name))
			hbpg_check_unused(before.name, before.version);
	}
	return PointerGetDatum(trigger->tg_newtuple);
}

ENTRY(models_delete);
Datum
hbscore_models_delete(PG_FUNCTION_ARGS)
{
	hbpg_own_trigger(fcinfo, "models");
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("rows of hbscore.models are not deleted: their version numbers would be free again"),
			 errhint("Use hbscore.drop, which keeps the number and deletes the model.")));
	PG_RETURN_NULL();
}

ENTRY(aliases_write);
Datum
hbscore_aliases_write(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = own_row_trigger(fcinfo, "aliases", true, true);
	HeapTuple	tuple;
	TupleDesc	columns;
	hbs_error	error;
	bool		isnull;
	Datum		datum;

	tuple = TRIGGER_FIRED_BY_UPDATE(trigger->tg_event) ? trigger->tg_newtuple : trigger->tg_trigtuple;
	columns = RelationGetDescr(trigger->tg_relation);
	check_columns(columns, alias_types, ALIAS_VERSION);
	datum = heap_getattr(tuple, ALIAS_NAME, columns, &isnull);
	if (!isnull)
		hbpg_check(host_name_check(hbpg_text_to_core(DatumGetTextPP(datum)), &error), &error);
	datum = heap_getattr(tuple, ALIAS, columns, &isnull);
	if (!isnull)
		hbpg_check(host_alias_check(hbpg_text_to_core(DatumGetTextPP(datum)), &error), &error);
	datum = heap_getattr(tuple, ALIAS_VERSION, columns, &isnull);
	if (!isnull)
		hbpg_check_version_number(DatumGetInt32(datum));
	return PointerGetDatum(tuple);
}

/* ---- hbscore.models.sha256 */

/*
 * A generated column, and not a value that a trigger fills in: so it agrees with the bytes however the row came in, also
 * by replication, which fires no trigger; and a dump need not hold it.
 */
ENTRY(digest);
Datum
hbscore_digest(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	bytea	   *digest = palloc(VARHDRSZ + 32);
	hbs_error	error;
	hbs_status	status;

	SET_VARSIZE(digest, VARHDRSZ + 32);
	do
		status = hbs_sha256(&hbpg_host, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), (uint8 *) VARDATA(digest), &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	PG_RETURN_BYTEA_P(digest);
}
