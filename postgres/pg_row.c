/*
 * pg_row.c - the features of one call, in the four forms that they come in, scored.
 *
 * Scalars by position; one array by position; one row by the names of its columns; one JSON object by name or JSON
 * array by position. The form is the argument's type, so it is the same for all rows of a statement.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* For messages. */
static char *
model_name(const hbpg_scorer *scorer)
{
	return pnstrdup(scorer->shown, scorer->name_size);
}

void
hbpg_check_count(const hbpg_scorer *scorer, int n)
{
	hbs_error	error;

	if ((size_t) n != scorer->plan->info.features)
		hbpg_check(hbs_run_check_count(scorer->run, (size_t) n, &error), &error);
}

/* ---- types that no feature can have */

bool
hbpg_has_refused(const hbpg_type *types, int n)
{
	for (int f = 0; f < n; f++)
	{
		if (!hbpg_is_value(types[f].kind))
			return true;
	}
	return false;
}

/* Raises what the first of them is. */
static void
refuse_types(const hbpg_scorer *scorer, const hbpg_type *types, int n)
{
	hbs_value	value;

	for (int f = 0; f < n; f++)
	{
		if (!hbpg_is_value(types[f].kind))
			hbpg_value(&types[f], (Datum) 0, true, &value, scorer->plan->compiled, scorer->shown, (size_t) f);
	}
}

/* ---- scalars */

/* A JSON row in quotes without ::jsonb counts as one text; the hint says so. */
void
hbpg_check_scalars(const hbpg_scorer *scorer, const hbpg_call *call)
{
	hbs_error	error;
	hbs_status	status;
	bool		text;

	if ((size_t) call->n_types == scorer->plan->info.features)
		return;
	text = call->n_types == 1 && (call->types[0].kind == HBPG_CSTRING || call->types[0].kind == HBPG_TEXT);
	status = hbs_run_check_count(scorer->run, (size_t) call->n_types, &error);
	if (status != HBS_OK)
		hbpg_raise_hint(&error, text ? "A row in JSON has the type jsonb: '{\"plan\": 1}'::jsonb." : NULL);
}

static bool
read_numbers(FunctionCallInfo fcinfo, const hbpg_call *call, hbpg_scorer *scorer)
{
	const NullableDatum *at = fcinfo->args + call->leading;

	if (!scorer->numbers)
		return false;
	for (int i = 0; i < scorer->n_used; i++)
	{
		int			f = scorer->used[i];

		if (!hbpg_number(call->types[f].kind, at[f].value, at[f].isnull, &scorer->numbers[f]))
			return false;
	}
	return true;
}

static hbpg_row
read_scalars(FunctionCallInfo fcinfo, const hbpg_call *call, hbpg_scorer *scorer, bool as_numbers)
{
	const NullableDatum *at = fcinfo->args + call->leading;
	int			n = call->n_types;

	if (n == 1 && call->types[0].kind == HBPG_CSTRING && at[0].isnull && scorer->plan->info.features != 1)
		return (hbpg_row) {.form = HBPG_ROW_NULL};	/* a whole row is NULL */
	hbpg_check_scalars(scorer, call);
	if (call->refused)
		refuse_types(scorer, call->types, n);
	if (as_numbers && read_numbers(fcinfo, call, scorer))
		return (hbpg_row) {.form = HBPG_ROW_NUMBERS,.n = n,.numbers = scorer->numbers};
	for (int i = 0; i < scorer->n_used; i++)
	{
		int			f = scorer->used[i];

		hbpg_value(&call->types[f], at[f].value, at[f].isnull, &scorer->values[f], scorer->plan->compiled,
				   scorer->shown, (size_t) f);
	}
	return (hbpg_row) {.form = HBPG_ROW_VALUES,.n = n};
}

/* ---- an array */

static void
read_elements(hbpg_call *call, hbpg_scorer *scorer, ArrayType *array)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n = (int) scorer->plan->info.features;
	int16		length;
	bool		by_value;
	char		align;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	if (n > 0)
		refuse_types(scorer, &call->element, 1);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align, &elements, &nulls, &n);
	for (int i = 0; i < scorer->n_used; i++)
	{
		int			f = scorer->used[i];

		hbpg_value(&call->element, elements[f], nulls[f], &scorer->values[f], scorer->plan->compiled, scorer->shown,
				   (size_t) f);
	}
}

static hbpg_row
read_array(hbpg_call *call, hbpg_scorer *scorer, Datum datum, bool as_numbers)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" takes an array of one dimension, got one of %d",
						hbpg_to_server(scorer->shown, scorer->name_size), ARR_NDIM(array))));
	hbpg_check_count(scorer, n);
	if (as_numbers && scorer->numbers && ARR_ELEMTYPE(array) == FLOAT8OID && !ARR_HASNULL(array))
		return (hbpg_row) {.form = HBPG_ROW_NUMBERS,.n = n,.numbers = (const double *) ARR_DATA_PTR(array)};
	if (call->element.type != ARR_ELEMTYPE(array))
		hbpg_type_init(&call->element, ARR_ELEMTYPE(array), call->memory);
	read_elements(call, scorer, array);
	return (hbpg_row) {.form = HBPG_ROW_VALUES,.n = n};
}

/* ---- a row */

/* ROW(a, b) has columns f1, f2: they are no names that anybody gave. */
static bool
is_anonymous(TupleDesc columns)
{
	char		name[NAMEDATALEN];

	if (columns->tdtypeid != RECORDOID)
		return false;
	for (int i = 0; i < columns->natts; i++)
	{
		snprintf(name, sizeof(name), "f%d", i + 1);
		if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) != 0)
			return false;
	}
	return true;
}

static int
count_columns(TupleDesc columns)
{
	int			n = 0;

	for (int i = 0; i < columns->natts; i++)
		n += !TupleDescAttr(columns, i)->attisdropped;
	return n;
}

static void
map_by_position(hbpg_scorer *scorer, TupleDesc columns, int *attributes)
{
	hbs_error	error;
	int			n = count_columns(columns);
	int			at = 0;

	if (!scorer->plan->info.named && (size_t) n != scorer->plan->info.features)
	{
		host_fail(&error, HBS_E_ARGS, "model \"%s\" has no feature names and takes %zu columns by position, got %d",
				  model_name(scorer), scorer->plan->info.features, n);
		hbpg_raise_hint(&error, "The option features of hbscore.register gives it names.");
	}
	hbpg_check_count(scorer, n);
	for (int i = 0; i < columns->natts; i++)
		if (!TupleDescAttr(columns, i)->attisdropped)
			attributes[at++] = i;
}

static void
no_column(const hbpg_scorer *scorer, size_t feature, int column)
{
	hbs_text	wanted;
	hbs_type	type;
	host_shown	shown;
	hbs_error	error;

	hbs_plan_feature(scorer->plan->compiled, feature, &wanted, &type);
	host_fail(&error, HBS_E_ARGS, "model \"%s\": feature \"%s\" is %s", model_name(scorer),
			  host_show(&shown, wanted.bytes, wanted.size),
			  column == HBS_SEVERAL_COLUMNS ? "the name of several columns of the row" :
			  column == HBS_AMBIGUOUS_COLUMN ?
			  "not among the row's columns; one that differs only in case could be another feature too" :
			  "not among the row's columns");
	hbpg_raise(&error);
}

/* A dropped column has no name. */
static void
map_by_name(const hbpg_scorer *scorer, TupleDesc columns, int *attributes)
{
	hbs_text   *names = palloc0(sizeof(hbs_text) * Max(columns->natts, 1));

	for (int i = 0; i < columns->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(columns, i)->attname);

		if (!TupleDescAttr(columns, i)->attisdropped)
			names[i] = hbpg_to_core(name, strlen(name));
	}
	hbs_plan_match_columns(scorer->plan->compiled, names, columns->natts, attributes);
	for (size_t f = 0; f < scorer->plan->info.features; f++)
		if (attributes[f] < 0)
			no_column(scorer, f, attributes[f]);
}

/* Only a whole map is put in place: errors leave none. */
void
hbpg_map_row(hbpg_scorer *scorer, TupleDesc columns, uint64 number)
{
	size_t		features = scorer->plan->info.features;
	int		   *attributes = MemoryContextAlloc(scorer->memory, sizeof(int) * features);
	hbpg_type  *types = MemoryContextAllocZero(scorer->memory, sizeof(hbpg_type) * features);

	if (scorer->plan->info.named && !is_anonymous(columns))
		map_by_name(scorer, columns, attributes);
	else
		map_by_position(scorer, columns, attributes);
	for (size_t f = 0; f < features; f++)
		hbpg_type_init(&types[f], TupleDescAttr(columns, attributes[f])->atttypid, scorer->memory);
	if (scorer->map.attributes)
	{
		pfree(scorer->map.attributes);
		pfree(scorer->map.types);
	}
	scorer->map = (hbpg_row_map)
	{
		number, attributes, types, hbpg_has_refused(types, (int) features)
	};
}

static hbpg_row
read_columns(hbpg_scorer *scorer, const Datum *datums, const bool *nulls, bool as_numbers)
{
	const hbpg_row_map *map = &scorer->map;
	int			n = (int) scorer->plan->info.features;

	if (map->refused)
		refuse_types(scorer, map->types, n);
	as_numbers = as_numbers && scorer->numbers;
	for (int i = 0; i < scorer->n_used && as_numbers; i++)
	{
		int			f = scorer->used[i];
		int			at = map->attributes[f];

		as_numbers = hbpg_number(map->types[f].kind, datums[at], nulls[at], &scorer->numbers[f]);
	}
	if (as_numbers)
		return (hbpg_row) {.form = HBPG_ROW_NUMBERS,.n = n,.numbers = scorer->numbers};
	for (int i = 0; i < scorer->n_used; i++)
	{
		int			f = scorer->used[i];
		int			at = map->attributes[f];

		hbpg_value(&map->types[f], datums[at], nulls[at], &scorer->values[f], scorer->plan->compiled, scorer->shown,
				   (size_t) f);
	}
	return (hbpg_row) {.form = HBPG_ROW_VALUES,.n = n};
}

static hbpg_row
read_record(hbpg_scorer *scorer, Datum datum, bool as_numbers)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(datum);
	Oid			type = HeapTupleHeaderGetTypeId(header);
	int32		typmod = HeapTupleHeaderGetTypMod(header);
	TupleDesc	columns = lookup_rowtype_tupdesc(type, typmod);
	uint64		number = assign_record_type_identifier(type, typmod);	/* in a worker only what was looked up has one */
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header),.t_data = header};
	Datum	   *datums = palloc(sizeof(Datum) * Max(columns->natts, 1));
	bool	   *nulls = palloc(sizeof(bool) * Max(columns->natts, 1));

	if (scorer->map.columns != number)
		hbpg_map_row(scorer, columns, number);
	heap_deform_tuple(&tuple, columns, datums, nulls);
	ReleaseTupleDesc(columns);
	return read_columns(scorer, datums, nulls, as_numbers);
}

/* ---- JSON */

static hbpg_row
read_json(Datum datum, hbpg_kind kind)
{
	return (hbpg_row) {
		.form = HBPG_ROW_JSON,
		.json = kind == HBPG_JSON ? hbpg_text_to_core(DatumGetTextPP(datum)) : hbpg_json_to_core(datum)
	};
}

/* ---- */

hbpg_row
hbpg_read_row(FunctionCallInfo fcinfo, hbpg_call *call, hbpg_scorer *scorer, bool as_numbers)
{
	hbpg_kind	kind = call->n_types == 1 ? call->types[0].kind : HBPG_REFUSED;
	Datum		row;

	if (!hbpg_is_row(kind))
		return read_scalars(fcinfo, call, scorer, as_numbers);
	if (PG_ARGISNULL(call->leading))
		return (hbpg_row) {.form = HBPG_ROW_NULL};
	row = PG_GETARG_DATUM(call->leading);
	if (kind == HBPG_ARRAY)
		return read_array(call, scorer, row, as_numbers);
	if (kind == HBPG_RECORD)
		return read_record(scorer, row, as_numbers);
	return read_json(row, kind);
}

static hbs_status
score_row(hbpg_scorer *scorer, const hbpg_row *row, hbs_result *result, hbs_error *error)
{
	if (row->form == HBPG_ROW_NUMBERS)
		return hbs_score_numbers(scorer->run, row->numbers, (size_t) row->n, scorer->outputs, result, error);
	if (row->form == HBPG_ROW_JSON)
		return hbs_score_json(scorer->run, row->json.bytes, row->json.size, scorer->outputs, result, error);
	return hbs_score_row(scorer->run, scorer->values, (size_t) row->n, scorer->outputs, result, error);
}

/*
 * To read the clock twice takes up to a tenth of what a small model takes for a row. So the time is taken of each of the first
 * rows, which are all of most statements, and then of one in many, which counts for those before it too.
 */
enum { TIMED_ROWS = 32, TIMED_OF = 61 };

void
hbpg_begin_single(hbpg_scorer *scorer, instr_time *start)
{
	if (--scorer->until_timed <= 0)
		INSTR_TIME_SET_CURRENT(*start);
}

void
hbpg_count_single(hbpg_scorer *scorer, const instr_time *start)
{
	if (scorer->until_timed > 0)
		return;
	hbpg_count_time(scorer->stats, start, scorer->stands_for);
	if (++scorer->n_timed == TIMED_ROWS)
		scorer->stands_for = TIMED_OF;
	scorer->until_timed = scorer->stands_for;
}

bool
hbpg_score(FunctionCallInfo fcinfo, hbpg_call *call, hbpg_scorer *scorer, hbs_result *result)
{
	hbpg_row	row = hbpg_read_row(fcinfo, call, scorer, true);
	hbs_error	error;
	hbs_status	status;
	instr_time	start;

	if (row.form == HBPG_ROW_NULL)
		return false;
	hbpg_begin_single(scorer, &start);
	do
	{
		status = score_row(scorer, &row, result, &error);
		/* The message of a bad row shows its values as they came, so it is read again. */
		if (status != HBS_OK && row.form == HBPG_ROW_NUMBERS)
		{
			row = hbpg_read_row(fcinfo, call, scorer, false);
			status = score_row(scorer, &row, result, &error);
		}
	} while (hbpg_again(status));
	hbpg_check(status, &error);
	hbpg_count_single(scorer, &start);
	scorer->stats->rows++;
	return result->valid[0] & 1;
}
