/*
 * pg_models.c - what hbscore.models and hbscore.aliases hold: which version a reference means, and its plan.
 *
 * Whoever may write the tables can have written anything, and so can a damaged disk: nothing that is read is trusted.
 * The stored digest only says which plan to look for. When a plan is made, the digest is computed again from the bytes,
 * and the bytes are parsed and validated again.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "access/table.h"
#include "access/tableam.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

/* A row that no registration wrote. */
static hbs_status
refuse_damaged_row(const char *shown, const char *what, hbs_error *error)
{
	return host_fail(error, HBS_E_FORMAT, "model \"%s\": its row in hbscore.models is damaged: %s", shown, what);
}

static hbs_status
read_digest(Datum datum, bool isnull, const char *shown, uint8 digest[32], hbs_error *error)
{
	bytea	   *value = isnull ? NULL : DatumGetByteaPP(datum);

	if (!value || VARSIZE_ANY_EXHDR(value) != 32)
		return refuse_damaged_row(shown, "sha256 has not 32 bytes", error);
	memcpy(digest, VARDATA_ANY(value), 32);
	return HBS_OK;
}

static hbs_text
read_json(Datum datum, bool isnull)
{
	return isnull ? (hbs_text) {NULL, 0} : hbpg_json_to_core(datum);
}

void
hbpg_check_size(const char *shown, int64 size)
{
	hbs_error	error;

	if (size <= (int64) hbpg_max_model_size * 1024)
		return;
	host_fail(&error, HBS_E_LIMIT, "model \"%s\" has %lld bytes, more than hbscore.max_model_size (%d kB)", shown,
			  (long long) size, hbpg_max_model_size);
	hbpg_raise_hint(&error, "A superuser can raise the setting.");
}

/* A stored model may have as many bytes as the greatest max_model_size, whatever this session's setting is. */
static void
check_stored_size(const char *shown, int64 size)
{
	hbs_error	error;

	if (size <= (int64) HBS_HARD_MAX_MODEL_BYTES)
		return;
	host_fail(&error, HBS_E_LIMIT, "model \"%s\" has %lld bytes, more than any model may have (%lld)", shown,
			  (long long) size, (long long) HBS_HARD_MAX_MODEL_BYTES);
	hbpg_raise(&error);
}

/* ---- which version */

/* The version that the alias names; 0: there is no such alias. */
static int
read_alias(const host_reference *reference, hbs_text alias)
{
	Datum		values[2] = {hbpg_name_datum(reference->name), hbpg_name_datum(alias)};
	bool		isnull;

	hbpg_run(HBPG_ALIAS, values, NULL, false);
	return SPI_processed == 0 ? 0 : DatumGetInt32(hbpg_column(0, 1, &isnull));
}

/*
 * Runs the query whose row the reference means; false: there is none. `wanted` is given what an alias names, also for
 * messages. (One query for both is slower: its plan takes longer to set up than these two.)
 */
static bool
find_row(host_reference *wanted)
{
	const hbs_text standard = {HOST_DEFAULT_ALIAS, strlen(HOST_DEFAULT_ALIAS)};
	Datum		values[2] = {hbpg_name_datum(wanted->name), 0};

	if (!wanted->version)
	{
		int			named = read_alias(wanted, wanted->alias.bytes ? wanted->alias : standard);

		if (!named && wanted->alias.bytes)
			return false;
		if (named && !wanted->alias.bytes)
			wanted->alias = standard;
		wanted->version = named;
	}
	values[1] = Int32GetDatum((int32) wanted->version);
	hbpg_run(wanted->version ? HBPG_VERSION : HBPG_NEWEST, values, NULL, false);
	return SPI_processed > 0;
}

/* Its row: all of `found` but the plan, whose key comes beside. HBS_E_FORMAT: damaged; HBS_E_ARGS: other bytes. */
static hbs_status
read_found(const host_reference *reference, hbpg_found *found, uint8 key[32], hbs_error *error)
{
	const hbs_compile_options how = hbpg_compile_options();
	hbs_text	options;
	bool		isnull;
	Datum		datum;

	found->plan = NULL;
	found->version = DatumGetInt32(hbpg_column(0, 1, &isnull));
	found->name_size = reference->name.size;
	snprintf(found->shown, sizeof(found->shown), "%.*s@%d", (int) reference->name.size, reference->name.bytes,
			 found->version);
	found->size = DatumGetInt32(hbpg_column(0, 4, &isnull));
	datum = hbpg_column(0, 2, &isnull);
	if (read_digest(datum, isnull, found->shown, found->digest, error) != HBS_OK)
		return error->status;
	datum = hbpg_column(0, 3, &isnull);
	options = read_json(datum, isnull);
	hbs_plan_key(found->digest, options.bytes, options.size, &how, key);
	return host_digest_check(reference, found->digest, found->shown, error);
}

/* ---- its plan */

static hbs_status
load_model(const hbs_source *source, hbs_model **model, hbs_error *error)
{
	const hbs_limits limits = {.max_model_bytes = HBS_HARD_MAX_MODEL_BYTES};

	return hbs_model_load(&hbpg_host, &limits, source, model, error);
}

hbs_status
hbpg_compile(const hbs_source *source, hbs_plan **plan, char format[32], hbs_error *error)
{
	const hbs_compile_options how = hbpg_compile_options();
	hbs_model  *model = NULL;
	hbs_status	status = load_model(source, &model, error);

	if (status == HBS_OK)
	{
		strlcpy(format, hbs_model_format(model), 32);
		status = hbs_plan_compile(model, &how, plan, error);
	}
	hbs_model_free(model);
	return status;
}

/* The core's memory that a first use of a model holds until it is done, or until SPI ends with an error. */
typedef struct first_use
{
	MemoryContextCallback gone;
	hbs_model  *model;
	hbs_room	room;			/* where the model's bytes are, if they are many */
} first_use;

static void
end_first_use(void *argument)
{
	first_use  *use = argument;

	hbs_model_free(use->model);
	hbpg_host.release(hbpg_host.context, use->room.block);
	use->model = NULL;
	use->room = (hbs_room) {.block = NULL};
}

/* In the current memory context, with which it ends. */
static first_use *
begin_first_use(void)
{
	first_use  *use = palloc0(sizeof(*use));

	use->gone.func = end_first_use;
	use->gone.arg = use;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &use->gone);
	return use;
}

/*
 * Room for a model's bytes, all of which are touched for the first time: in small pages, at 2 microseconds each, that
 * would take longer than to copy them. Large pages are only where a block has all of one, so that it begins with one.
 */
static bytea *
make_room(first_use *use, Size size)
{
	Size		whole;
	char	   *begin;

	if (size < HOST_LARGE_PAGE)
		return palloc(size);
	whole = TYPEALIGN(HOST_LARGE_PAGE, size) + HOST_LARGE_PAGE;
	use->room.block = hbpg_host.allocate(hbpg_host.context, whole);
	if (!use->room.block)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	begin = (char *) TYPEALIGN(HOST_LARGE_PAGE, use->room.block);
	use->room.begin = begin;
	use->room.bytes = size;
	return (bytea *) begin;
}

/* The bytes of a large model come from a disk: some MB at a time, so that the wait for them can be cancelled. */
static void
fetch_pieces(Oid table, Oid value, int32 size, bytea *bytes)
{
	const int32 some = 1024 * TOAST_MAX_CHUNK_SIZE;
	Relation	pieces = table_open(table, AccessShareLock);

	for (int32 at = 0; at < size; at += Min(some, size - at))
	{
		CHECK_FOR_INTERRUPTS();
		table_relation_fetch_toast_slice(pieces, value, size, at, Min(some, size - at), (bytea *) ((char *) bytes + at));
	}
	table_close(pieces, AccessShareLock);
}

/* As DatumGetByteaPP, but into memory of the core: most models are in pieces, in the TOAST table. */
static bytea *
fetch_model_bytes(first_use *use, Datum datum)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(datum);
	struct varatt_external pointer;
	bytea	   *bytes;
	int32		size;

	if (!VARATT_IS_EXTERNAL_ONDISK(stored))
		return DatumGetByteaPP(datum);
	VARATT_EXTERNAL_GET_POINTER(pointer, stored);
	if (VARATT_EXTERNAL_IS_COMPRESSED(pointer))
		return DatumGetByteaPP(datum);
	size = VARATT_EXTERNAL_GET_EXTSIZE(pointer);
	bytes = make_room(use, (Size) size + VARHDRSZ);
	SET_VARSIZE(bytes, size + VARHDRSZ);
	fetch_pieces(pointer.va_toastrelid, pointer.va_valueid, size, bytes);
	return bytes;
}

/* Within SPI: the bytes are in its memory until SPI_finish. HBS_E_FORMAT: the row is damaged. */
static hbs_status
read_stored(const hbpg_found *found, first_use *use, hbpg_stored *stored, hbs_error *error)
{
	hbs_text	name = {found->shown, found->name_size};
	Datum		values[2] = {hbpg_name_datum(name), Int32GetDatum(found->version)};
	hbs_text	options;
	bytea	   *bytes;
	bool		isnull;
	Datum		datum;

	hbpg_run(HBPG_MODEL, values, NULL, false);
	datum = SPI_processed ? hbpg_column(0, 1, &isnull) : (Datum) 0;
	if (SPI_processed == 0 || isnull)
		return refuse_damaged_row(found->shown, "it is not what it was a moment ago", error);
	bytes = fetch_model_bytes(use, datum);
	datum = hbpg_column(0, 2, &isnull);
	if (read_digest(datum, isnull, found->shown, stored->digest, error) != HBS_OK)
		return error->status;
	datum = hbpg_column(0, 3, &isnull);
	options = read_json(datum, isnull);
	stored->source = (hbs_source)
	{
		.name = found->shown,.bytes = VARDATA_ANY(bytes),.size = VARSIZE_ANY_EXHDR(bytes),
			.options = options.bytes,.options_size = options.size,.sha256 = stored->digest
	};
	datum = hbpg_column(0, 4, &isnull);
	stored->golden = read_json(datum, isnull);
	return HBS_OK;
}

static hbs_status
check_digest(const hbpg_stored *stored, hbs_error *error)
{
	const hbs_source *source = &stored->source;
	hbs_status	status;
	uint8		digest[32];

	do
		status = hbs_sha256(&hbpg_host, source->bytes, source->size, digest, error);
	while (hbpg_again(status));
	if (status == HBS_OK && memcmp(digest, source->sha256, sizeof(digest)) != 0)
		status = refuse_damaged_row(source->name, "its bytes do not have the stored SHA-256", error);
	return status;
}

static void
count_load(const char *shown, const instr_time *start)
{
	hbpg_stats *stats = hbpg_stats_of(shown);
	instr_time	time;

	INSTR_TIME_SET_CURRENT(time);
	INSTR_TIME_SUBTRACT(time, *start);
	stats->loads++;
	stats->load_time += INSTR_TIME_GET_MILLISEC(time);
}

static void
parse_model(first_use *use, const hbs_source *source)
{
	hbs_error	error;
	hbs_status	status;

	do
		status = load_model(source, &use->model, &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
}

/* Over the model's bytes, which nobody needs any more: memory that is in use already takes no faults. */
static hbs_plan *
compile_over(first_use *use, const hbs_compile_options *how)
{
	hbs_plan   *plan = NULL;
	hbs_error	error;
	hbs_status	status;

	do
		status = hbs_plan_compile_in(use->model, how, use->room.block ? &use->room : NULL, &plan, &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	return plan;
}

static host_plan *
load_plan(const hbpg_found *found)
{
	const hbs_compile_options how = hbpg_compile_options();
	first_use  *use = begin_first_use();
	hbpg_stored stored;
	host_plan  *kept;
	uint8		key[32];
	hbs_error	error;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	hbpg_check(read_stored(found, use, &stored, &error), &error);
	hbpg_check(check_digest(&stored, &error), &error);
	hbs_plan_key(stored.digest, stored.source.options, stored.source.options_size, &how, key);
	parse_model(use, &stored.source);
	kept = host_cache_add(&hbpg_plans, key, compile_over(use, &how));
	end_first_use(use);
	if (!kept)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	count_load(found->shown, &start);
	return kept;
}

/* ---- */

/*
 * Expressions are also evaluated where no statement runs, as the arguments of EXECUTE are; then there may be no
 * snapshot.
 */
static bool
push_snapshot(void)
{
	if (ActiveSnapshotSet())
		return false;
	PushActiveSnapshot(GetTransactionSnapshot());
	return true;
}

static void
find_version(const host_reference *reference, hbpg_found *found, bool with_plan)
{
	bool		pushed = push_snapshot();
	host_reference wanted = *reference;
	hbs_error	error;
	uint8		key[32];

	SPI_connect();
	if (!find_row(&wanted))
		hbpg_missing(&wanted, false);
	hbpg_check(read_found(reference, found, key, &error), &error);
	check_stored_size(found->shown, found->size);
	if (with_plan)
	{
		found->plan = host_cache_find(&hbpg_plans, key);
		if (!found->plan)
			found->plan = load_plan(found);
	}
	SPI_finish();
	if (pushed)
		PopActiveSnapshot();
}

void
hbpg_find(const host_reference *reference, hbpg_found *found)
{
	find_version(reference, found, true);
}

void
hbpg_find_version(const host_reference *reference, hbpg_found *found)
{
	find_version(reference, found, false);
}

hbs_status
hbpg_read(const hbpg_found *found, hbpg_stored *stored, hbs_error *error)
{
	MemoryContext caller = CurrentMemoryContext;
	hbs_status	status;

	SPI_connect();
	status = read_stored(found, begin_first_use(), stored, error);
	if (status == HBS_OK)
	{
		stored->source.bytes = memcpy(MemoryContextAllocHuge(caller, Max(stored->source.size, 1)),
									  stored->source.bytes, stored->source.size);
		if (stored->source.options)
			stored->source.options = memcpy(MemoryContextAlloc(caller, stored->source.options_size + 1),
											stored->source.options, stored->source.options_size);
		if (stored->golden.bytes)
			stored->golden.bytes = memcpy(MemoryContextAllocHuge(caller, stored->golden.size + 1),
										  stored->golden.bytes, stored->golden.size);
	}
	SPI_finish();
	return status == HBS_OK ? check_digest(stored, error) : status;
}

bool
hbpg_look(const host_reference *reference, hbpg_found *found)
{
	bool		pushed;
	host_reference wanted = *reference;
	hbs_error	error;
	uint8		key[32];
	bool		there;

	if (!hbpg_may_look())
		return false;
	pushed = push_snapshot();
	SPI_connect();
	there = find_row(&wanted) && read_found(reference, found, key, &error) == HBS_OK;
	SPI_finish();
	if (pushed)
		PopActiveSnapshot();
	if (there)
		hbpg_find(reference, found);
	return there;
}

/* A byte of a model's file is about so much work for a row. */
#define NANOSECONDS_OF_BYTE 0.0015

double
hbpg_estimate(const host_reference *reference, double usual)
{
	host_reference wanted = *reference;
	hbpg_found	found;
	hbs_error	error;
	host_plan  *plan = NULL;
	uint8		key[32];
	double		nanoseconds = usual;

	SPI_connect();
	if (find_row(&wanted) && read_found(reference, &found, key, &error) == HBS_OK)
	{
		nanoseconds = usual / 4 + NANOSECONDS_OF_BYTE * (double) found.size;
		plan = host_cache_find(&hbpg_plans, key);
	}
	SPI_finish();
	if (!plan)
		return nanoseconds;
	nanoseconds = plan->info.row_nanoseconds;
	host_cache_unpin(&hbpg_plans, plan);
	return nanoseconds;
}
