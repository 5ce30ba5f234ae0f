/*
 * pg_columns.c - the features of a block's rows as columns of the core's types.
 */
#include "pg_batch.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* ---- columns of the core's types */

static hbs_type
column_type(hbpg_kind kind)
{
	switch (kind)
	{
		case HBPG_FLOAT8:
		case HBPG_NUMERIC:
			return HBS_FLOAT64;
		case HBPG_FLOAT4:
			return HBS_FLOAT32;
		case HBPG_INT2:
		case HBPG_INT4:
		case HBPG_INT8:
			return HBS_INT64;
		case HBPG_BOOL:
			return HBS_BOOL;
		case HBPG_ARRAY:
		case HBPG_RECORD:
			return HBS_MIXED;
		default:
			return HBS_TEXT;
	}
}

static Size
column_size(hbs_type type)
{
	switch (type)
	{
		case HBS_FLOAT32:
			return sizeof(float);
		case HBS_FLOAT64:
			return sizeof(double);
		case HBS_INT64:
			return sizeof(int64);
		case HBS_BOOL:
			return sizeof(uint8);
		case HBS_TEXT:
			return sizeof(hbs_text);
		default:
			return sizeof(hbs_value);
	}
}

Size
hbpg_cell_size(hbpg_kind kind)
{
	return column_size(column_type(kind));
}

/* Which source is feature f, and its type. A table can have got columns after the row's expression was made. */
static int
source_of(const hbpg_block_call *call, size_t f)
{
	return call->form == HBPG_NAMED_COLUMNS ? call->scorer->map.attributes[f] : call->form == HBPG_COLUMNS ? (int) f : 0;
}

static const hbpg_type *
type_of(const hbpg_block_call *call, size_t f)
{
	return call->form == HBPG_NAMED_COLUMNS ? &call->scorer->map.types[f] : &call->call.types[source_of(call, f)];
}

static bool
is_by_value(hbpg_kind kind)
{
	return kind >= HBPG_FLOAT8 && kind <= HBPG_BOOL;
}

/* Which features, and so which sources, the outputs need. A row in one value is always looked at. */
static void
note_used(hbpg_block_call *call)
{
	bool		single = call->form == HBPG_ARRAYS || call->form == HBPG_RECORDS;

	for (int i = 0; i < call->n_sources; i++)
		call->sources[i].used = single;
	for (Size f = 0; f < call->scorer->plan->info.features; f++)
	{
		call->used[f] = hbs_plan_uses(call->scorer->plan->compiled, f, call->outputs);
		if (call->used[f] && !single && source_of(call, f) < call->n_sources)
			call->sources[source_of(call, f)].used = true;
	}
}

/* The element type that a column of arrays declares; an array with other elements is looked at by itself. */
static void
find_element(hbpg_block_call *call)
{
	if (call->form == HBPG_ARRAYS)
		hbpg_type_init(&call->call.element, get_base_element_type(call->call.types[0].type), call->call.memory);
}

void
hbpg_make_cells(hbpg_block_call *call, uint32 outputs)
{
	Size		n = call->scorer->plan->info.features;
	Size		rows = call->scorer->run_rows;
	static uint64 made;

	MemoryContextReset(call->room);
	call->outputs = outputs;
	call->made = ++made;
	call->used = MemoryContextAllocHuge(call->room, sizeof(bool) * n);
	call->cells = MemoryContextAllocZero(call->room, sizeof(hbpg_cells) * n);
	call->columns = MemoryContextAllocZero(call->room, sizeof(hbs_column) * n);
	call->selected = MemoryContextAlloc(call->room, sizeof(int) * rows);
	call->turned = NULL;
	note_used(call);
	find_element(call);
	call->one_by_one = hbpg_pays_one_by_one(call);
	if (hbpg_is_turned(call))
		return;
	for (Size f = 0; f < n; f++)
	{
		hbpg_cells *cells = &call->cells[f];

		if (!call->used[f])
			continue;			/* HBS_NULL */
		cells->type = column_type(type_of(call, f)->kind);
		if (type_of(call, f)->kind == HBPG_NUMERIC && hbs_plan_looks_up(call->scorer->plan->compiled, f))
			cells->type = HBS_MIXED;
		cells->size = column_size(cells->type);
		cells->values = MemoryContextAllocHuge(call->room, cells->size * rows);
		cells->valid = MemoryContextAllocHuge(call->room, sizeof(uint64) * ((rows + 63) / 64));
		call->columns[f].type = cells->type;
		call->columns[f].values = cells->values;
	}
}

bool
hbpg_is_refused(const hbpg_block_call *call)
{
	if (call->form == HBPG_ARRAYS || call->form == HBPG_RECORDS)
		return false;
	for (Size f = 0; f < call->scorer->plan->info.features; f++)
	{
		if (!hbpg_is_value(type_of(call, f)->kind))
			return true;
	}
	return false;
}

/* ---- a piece: some of the rows, in columns */

/* A source's values, one behind the other or as columns of the rows: value i is at `offset_of_value(i)`. */
typedef struct values
{
	const Datum *datums;
	const bool *nulls;
	const int  *places;			/* NULL: 0, 1, .. */
	int			stride;
	bool		may_be_null;
} values;

/* So many rows, all their columns, lie in the fastest cache: numbers are taken from them column by column. */
enum { TILE_ROWS = 64 };

static Datum
copy_value(const hbpg_piece *p, const hbpg_source *source, Datum value)
{
	MemoryContext caller = MemoryContextSwitchTo(p->rows->features);
	Datum		kept = datumCopy(value, false, source->length);

	MemoryContextSwitchTo(caller);
	return kept;
}

/* Evaluates the source for each row and keeps a copy of its value; all other memory of an evaluation is freed. A row whose
 * value does not fit is left out. */
static void
evaluate_source(hbpg_piece *p, const hbpg_source *source)
{
	MemoryContext single = p->rows->single;
	MemoryContext caller = MemoryContextSwitchTo(single);

	for (int i = 0; i < p->n; i++)
	{
		if (!source->by_value && !hbpg_has_room(p->rows->features))
			p->left_out[i] = true;
		p->nulls[i] = true;
		if (p->left_out[i])
			continue;
		hbpg_show_row(p->rows, p->call->selected[i], p->context->ecxt_scantuple);
		p->datums[i] = ExecEvalExpr(source->state, p->context, &p->nulls[i]);
		if (!source->by_value && !p->nulls[i])
			p->datums[i] = copy_value(p, source, p->datums[i]);
		if (!single->isReset)
			MemoryContextReset(single);
	}
	MemoryContextSwitchTo(caller);
}

/* Evaluates a source that no used feature has, for what it may raise. */
static void
evaluate_and_drop(hbpg_piece *p, const hbpg_source *source)
{
	MemoryContext single = p->rows->single;
	MemoryContext caller = MemoryContextSwitchTo(single);

	for (int i = 0; i < p->n; i++)
	{
		bool		isnull;

		if (p->left_out[i])
			continue;
		hbpg_show_row(p->rows, p->call->selected[i], p->context->ecxt_scantuple);
		(void) ExecEvalExpr(source->state, p->context, &isnull);
		if (!single->isReset)
			MemoryContextReset(single);
	}
	MemoryContextSwitchTo(caller);
}

static values
column_of(const hbpg_piece *p, int column)
{
	const int  *selected = p->call->selected;
	Size		first = (Size) selected[0] * p->rows->width + column;
	bool		may_be_null = p->rows->may_be_null[column];

	if (selected[p->n - 1] - selected[0] == p->n - 1)	/* the rule: all of them */
		return (values) {p->rows->values + first, p->rows->nulls + first, NULL, p->rows->width, may_be_null};
	return (values) {p->rows->values + column, p->rows->nulls + column, selected, p->rows->width, may_be_null};
}

static values
values_of(hbpg_piece *p, const hbpg_source *source)
{
	if (source->column >= 0)
		return column_of(p, source->column);
	evaluate_source(p, source);
	return (values) {p->datums, p->nulls, NULL, 1, true};
}

static inline Size
offset_of_value(const values *v, int i)
{
	return (Size) (v->places ? v->places[i] : i) * v->stride;
}

/* The rule: columns without a NULL, of rows that stand side by side. */
#define TAKE_ALL(type, get) \
	do \
	{ \
		type	   *to = (type *) cells->values + first; \
		const Datum *datum = v.datums + (Size) first * v.stride; \
\
		for (int n = end - first; n > 0; n--, datum += v.stride) \
			*to++ = (type) get(*datum); \
		return true; \
	} while (0)

/* A NaN is a number that is missing. */
#define TAKE_REAL(type, get, missing) \
	do \
	{ \
		type	   *to = cells->values; \
		const type	none = (missing); \
\
		if (!v.may_be_null && !v.places) \
			TAKE_ALL(type, get); \
		for (int i = first; i < end; i++) \
		{ \
			Size		from = offset_of_value(&v, i); \
			to[i] = v.nulls[from] ? none : get(v.datums[from]); \
		} \
		return true; \
	} while (0)

#define TAKE_WHOLE(type, get) \
	do \
	{ \
		type	   *to = cells->values; \
		bool		all = true; \
\
		if (!v.may_be_null && !v.places) \
			TAKE_ALL(type, get); \
		for (int i = first; i < end; i++) \
		{ \
			Size		from = offset_of_value(&v, i); \
			to[i] = v.nulls[from] ? 0 : (type) get(v.datums[from]); \
			if (v.nulls[from]) \
				cells->valid[i / 64] &= ~(UINT64CONST(1) << (i % 64)); \
			all = all && !v.nulls[from]; \
		} \
		return all; \
	} while (0)

/* By kinds that are Datums by value. False: some are missing, and the bits in `valid` say which. */
static bool
take_numbers(hbpg_cells *cells, hbpg_kind kind, values v, int first, int end)
{
	switch (kind)
	{
		case HBPG_FLOAT8:
			TAKE_REAL(double, DatumGetFloat8, get_float8_nan());
		case HBPG_FLOAT4:
			TAKE_REAL(float, DatumGetFloat4, get_float4_nan());
		case HBPG_INT2:
			TAKE_WHOLE(int64, DatumGetInt16);
		case HBPG_INT4:
			TAKE_WHOLE(int64, DatumGetInt32);
		case HBPG_INT8:
			TAKE_WHOLE(int64, DatumGetInt64);
		default:
			TAKE_WHOLE(uint8, DatumGetBool);
	}
}

/* A numeric becomes the double that a model computes with; a category keeps all its digits. */
static bool
try_value(const hbpg_cells *cells, const hbpg_type *type, Datum datum, bool isnull, hbs_value *value)
{
	if (type->kind != HBPG_NUMERIC || cells->type == HBS_MIXED || isnull)
		return hbpg_try_value(type, datum, isnull, value);
	value->type = HBS_FLOAT64;
	return hbpg_numeric(datum, &value->as.f64);
}

/* Texts, and numerics. */
static bool
take_values(hbpg_piece *p, hbpg_cells *cells, const hbpg_type *type, values v)
{
	bool		all = true;

	for (int i = 0; i < p->n; i++)
	{
		Size		from = offset_of_value(&v, i);
		hbs_value	value;

		p->left_out[i] = p->left_out[i] || !hbpg_has_room(p->rows->features) ||
			!try_value(cells, type, v.datums[from], v.nulls[from], &value);
		if (p->left_out[i])
			value.type = HBS_NULL;
		if (cells->type == HBS_MIXED)
			((hbs_value *) cells->values)[i] = value;
		else if (value.type == HBS_NULL)
		{
			cells->valid[i / 64] &= ~(UINT64CONST(1) << (i % 64));
			all = false;
		}
		else if (cells->type == HBS_TEXT)
			((hbs_text *) cells->values)[i] = value.as.text;
		else
			((double *) cells->values)[i] = value.as.f64;
	}
	return all;
}

/* Numbers in a column of the rows: they are taken tile by tile. */
static bool
is_tiled(const hbpg_block_call *call, size_t f)
{
	int			source = source_of(call, f);

	return call->cells[f].type != HBS_NULL && source < call->n_sources && call->sources[source].column >= 0 &&
		is_by_value(type_of(call, f)->kind);
}

static void
take_feature(hbpg_piece *p, size_t f)
{
	hbpg_block_call *call = p->call;
	hbpg_cells *cells = &call->cells[f];
	const hbpg_type *type = type_of(call, f);
	int			source = source_of(call, f);
	bool		all;
	values		v;

	call->columns[f].valid = NULL;
	if (cells->type == HBS_NULL)
		return;
	memset(cells->valid, 0xff, sizeof(uint64) * ((p->n + 63) / 64));
	if (source >= call->n_sources)
		call->columns[f].type = HBS_NULL;
	if (source >= call->n_sources || is_tiled(call, f))
		return;
	v = values_of(p, &call->sources[source]);
	all = is_by_value(type->kind) ? take_numbers(cells, type->kind, v, 0, p->n) : take_values(p, cells, type, v);
	call->columns[f].valid = all ? NULL : cells->valid;
}

static void
take_tile(hbpg_piece *p, int first)
{
	hbpg_block_call *call = p->call;
	int			end = Min(first + TILE_ROWS, p->n);

	for (Size f = 0; f < call->scorer->plan->info.features; f++)
	{
		if (is_tiled(call, f) && !take_numbers(&call->cells[f], type_of(call, f)->kind,
											   column_of(p, call->sources[source_of(call, f)].column), first, end))
			call->columns[f].valid = call->cells[f].valid;
	}
}

/* ---- whole rows in one value */

static void
put_value(hbpg_block_call *call, Size f, int i, const hbs_value *value)
{
	((hbs_value *) call->cells[f].values)[i] = *value;
}

static void
leave_out(hbpg_piece *p, int i)
{
	const hbs_value missing = {.type = HBS_NULL};

	p->left_out[i] = true;
	for (Size f = 0; f < p->call->scorer->plan->info.features; f++)
	{
		if (p->call->used[f])
			put_value(p->call, f, i, &missing);
	}
}

static bool
put_elements(hbpg_block_call *call, int i, const Datum *elements, const bool *nulls, int n)
{
	if (!hbpg_is_value(call->call.element.kind))
		return false;
	for (int f = 0; f < n; f++)
	{
		hbs_value	value;

		if (!call->used[f])
			continue;
		if (!hbpg_try_value(&call->call.element, elements[f], nulls[f], &value))
			return false;
		put_value(call, f, i, &value);
	}
	return true;
}

/* Its texts stay where they are; of numbers nothing is needed any more. */
static bool
put_array(hbpg_piece *p, int i, Datum datum)
{
	hbpg_block_call *call = p->call;
	ArrayType  *array = DatumGetArrayTypeP(datum);
	Oid			type = ARR_ELEMTYPE(array);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	bool		taken = ARR_NDIM(array) <= 1 && (Size) n == call->scorer->plan->info.features;
	Datum	   *elements;
	bool	   *nulls;
	int16		length;
	bool		by_value;
	char		align;

	if (call->call.element.type != type)
		hbpg_type_init(&call->call.element, type, call->call.memory);
	get_typlenbyvalalign(type, &length, &by_value, &align);
	if (taken)
	{
		deconstruct_array(array, type, length, by_value, align, &elements, &nulls, &n);
		taken = put_elements(call, i, elements, nulls, n);
		pfree(elements);
		pfree(nulls);
	}
	if ((Pointer) array != DatumGetPointer(datum) && (by_value || !taken))
		pfree(array);
	return taken;
}

static bool
put_columns(hbpg_piece *p, int i, const Datum *datums, const bool *nulls)
{
	const hbpg_row_map *map = &p->call->scorer->map;

	for (Size f = 0; f < p->call->scorer->plan->info.features; f++)
	{
		hbs_value	value;

		if (!p->call->used[f])
			continue;
		if (!hbpg_try_value(&map->types[f], datums[map->attributes[f]], nulls[map->attributes[f]], &value))
			return false;
		put_value(p->call, f, i, &value);
	}
	return true;
}

/*
 * The first row's columns count for the whole block; a row with other columns is scored by itself. Columns that the model
 * does not know are an error of the row that asks, so only that row's own evaluation raises it.
 */
static bool
put_record(hbpg_piece *p, int i, HeapTupleHeader header)
{
	hbpg_scorer *scorer = p->call->scorer;
	const hbpg_row_map *map = &scorer->map;
	Oid			type = HeapTupleHeaderGetTypeId(header);
	int32		typmod = HeapTupleHeaderGetTypMod(header);
	TupleDesc	columns = lookup_rowtype_tupdesc(type, typmod);
	uint64		number = assign_record_type_identifier(type, typmod);	/* in a worker only what was looked up has one */
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header),.t_data = header};
	Datum	   *datums;
	bool	   *nulls;
	bool		taken;

	if (map->attributes ? map->columns != number : p->call->selected[i] != p->asks)
	{
		ReleaseTupleDesc(columns);
		return false;
	}
	if (!map->attributes)
		hbpg_map_row(scorer, columns, number);
	if (map->refused)
	{
		ReleaseTupleDesc(columns);
		return false;
	}
	datums = palloc(sizeof(Datum) * Max(columns->natts, 1));
	nulls = palloc(sizeof(bool) * Max(columns->natts, 1));
	heap_deform_tuple(&tuple, columns, datums, nulls);
	ReleaseTupleDesc(columns);
	taken = put_columns(p, i, datums, nulls);
	pfree(datums);				/* texts point into the row */
	pfree(nulls);
	return taken;
}

/* A row that is NULL has a result that is NULL: the call says so. */
static void
take_rows(hbpg_piece *p, const values *v)
{
	hbpg_block_call *call = p->call;

	for (int i = 0; i < p->n; i++)
	{
		Size		from = offset_of_value(v, i);
		bool		taken = !v->nulls[from] && hbpg_has_room(p->rows->features);

		if (taken && call->form == HBPG_ARRAYS)
			taken = put_array(p, i, v->datums[from]);
		else if (taken)
			taken = put_record(p, i, DatumGetHeapTupleHeader(v->datums[from]));
		if (!taken)
			leave_out(p, i);
	}
}

static bool
row_at(const void *from, int i, Datum *row)
{
	const values *v = from;
	Size		place = offset_of_value(v, i);

	*row = v->datums[place];
	return !v->nulls[place];
}

/* As put_record: by the first row, if that asks. */
static void
map_records(hbpg_piece *p, const values *v)
{
	hbpg_scorer *scorer = p->call->scorer;
	HeapTupleHeader header;
	TupleDesc	columns;
	Oid			type;
	int32		typmod;
	Datum		row;

	if (p->call->form != HBPG_RECORDS || scorer->map.attributes || p->call->selected[0] != p->asks || p->left_out[0] ||
		!row_at(v, 0, &row))
		return;
	header = DatumGetHeapTupleHeader(row);
	type = HeapTupleHeaderGetTypeId(header);
	typmod = HeapTupleHeaderGetTypMod(header);
	columns = lookup_rowtype_tupdesc_copy(type, typmod);
	hbpg_map_row(scorer, columns, assign_record_type_identifier(type, typmod));
	p->call->one_by_one = hbpg_pays_one_by_one(p->call);
}

/* Columns of values in place of those of pg_turned.c, if rows of other types come behind rows of numbers. */
static void
use_cells(hbpg_block_call *call)
{
	for (Size f = 0; f < call->scorer->plan->info.features; f++)
		call->columns[f] = (hbs_column) {.type = call->cells[f].type,.values = call->cells[f].values};
}

static void
take_single(hbpg_piece *p)
{
	values		v = values_of(p, &p->call->sources[0]);

	map_records(p, &v);
	if (p->call->one_by_one)
	{
		hbpg_take_one_by_one(p, row_at, &v);
		return;
	}
	if (hbpg_is_turned(p->call))
	{
		hbpg_take_turned(p, row_at, &v);
		return;
	}
	use_cells(p->call);
	take_rows(p, &v);
}

void
hbpg_take_features(hbpg_piece *p)
{
	if (p->call->form == HBPG_ARRAYS || p->call->form == HBPG_RECORDS)
	{
		take_single(p);
		return;
	}
	for (Size f = 0; f < p->call->scorer->plan->info.features; f++)
		take_feature(p, f);
	for (int first = 0; first < p->n; first += TILE_ROWS)
		take_tile(p, first);
	for (int i = 0; i < p->call->n_sources; i++)
	{
		const hbpg_source *source = &p->call->sources[i];

		if (source->state && source->always && !source->used)
			evaluate_and_drop(p, source);
	}
}
