/*
 * pg_turned.c - rows that come as arrays or records of numbers, turned into columns of doubles.
 *
 * Some rows at a time: their numbers lie one behind the other, and a line of the cache holds those of several columns. A
 * value that hbs_score_numbers would not take by row (a bigint that no double holds) leaves its row out.
 */
#include "pg_batch.h"

#include "access/htup_details.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/typcache.h"

/* So many rows are turned at once. */
enum { TURNED_ROWS = 8 };

/* Doubles between two columns: if columns lay whole pages apart, they would share few lines of the cache. */
enum { PADDING = 8 };

static bool
is_number(hbpg_kind kind)
{
	return kind >= HBPG_FLOAT8 && kind <= HBPG_INT8;
}

bool
hbpg_is_turned(const hbpg_block_call *call)
{
	const hbpg_scorer *scorer = call->scorer;

	if (!scorer->numbers)
		return false;
	if (call->form == HBPG_ARRAYS)
		return is_number(call->call.element.kind);
	for (Size f = 0; f < scorer->plan->info.features && scorer->map.attributes; f++)
	{
		if (call->used[f] && !is_number(scorer->map.types[f].kind))
			return false;
	}
	return call->form == HBPG_RECORDS && scorer->map.attributes && !scorer->map.refused;
}

static Size
stride_of(const hbpg_block_call *call)
{
	return call->scorer->run_rows + PADDING;
}

/* Behind the columns: the rows that are turned at once, and a row of one that is left out. */
static double *
turned_rows(const hbpg_block_call *call)
{
	return call->turned + stride_of(call) * call->scorer->plan->info.features;
}

static double *
row_left_out(const hbpg_block_call *call)
{
	return turned_rows(call) + call->scorer->plan->info.features * TURNED_ROWS;
}

/* Once for all pieces: so much memory would else come from the system, and be cleared, for each. */
static void
make_room(hbpg_block_call *call)
{
	Size		n = call->scorer->plan->info.features;

	if (call->turned)
		return;
	call->turned = MemoryContextAllocHuge(call->room, sizeof(double) * n * (stride_of(call) + TURNED_ROWS + 1));
	for (Size f = 0; f < n; f++)
		row_left_out(call)[f] = get_float8_nan();
}

static void
make_columns(hbpg_block_call *call)
{
	make_room(call);
	for (Size f = 0; f < call->scorer->plan->info.features; f++)
	{
		call->columns[f].type = call->used[f] ? HBS_FLOAT64 : HBS_NULL;
		call->columns[f].values = call->turned + f * stride_of(call);
		call->columns[f].valid = NULL;
	}
}

/* ---- a row's numbers */

typedef struct turning
{
	hbpg_piece *piece;
	Size		features;
	Datum	   *datums;			/* [n_columns]: of a record */
	bool	   *nulls;
	int			n_columns;
} turning;

/* Elements of a type in C, with or without NULLs among them. */
#define READ(type, get) \
	do \
	{ \
		const type *from = (const type *) ARR_DATA_PTR(array); \
\
		for (int i = 0; i < n; i++) \
		{ \
			if (nulls && !(nulls[i / 8] >> (i % 8) & 1)) \
				to[i] = none; \
			else if (!get(*from++, &to[i])) \
				return false; \
		} \
		return true; \
	} while (0)

#define GET(value, to) (*(to) = (double) (value), true)
#define GET_WHOLE(value, to) hbpg_number(HBPG_INT8, Int64GetDatum(value), false, to)

static bool
read_numbers(ArrayType *array, hbpg_kind kind, int n, double *to)
{
	const bits8 *nulls = ARR_NULLBITMAP(array);
	const double none = get_float8_nan();

	switch (kind)
	{
		case HBPG_FLOAT8:
			READ(float8, GET);
		case HBPG_FLOAT4:
			READ(float4, GET);
		case HBPG_INT2:
			READ(int16, GET);
		case HBPG_INT4:
			READ(int32, GET);
		default:
			READ(int64, GET_WHOLE);
	}
}

/* The numbers, in the array or in `room`; NULL: it is not for the block. *made is what has to be freed. */
static const double *
take_array(const hbpg_block_call *call, Datum datum, double *room, void **made)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	*made = (Pointer) array != DatumGetPointer(datum) ? array : NULL;
	if (ARR_NDIM(array) > 1 || (Size) n != call->scorer->plan->info.features || ARR_ELEMTYPE(array) != call->call.element.type)
		return NULL;
	if (call->call.element.kind == HBPG_FLOAT8 && !ARR_HASNULL(array))
		return (const double *) ARR_DATA_PTR(array);
	return read_numbers(array, call->call.element.kind, n, room) ? room : NULL;
}

static void
make_record_room(turning *t, int n_columns)
{
	if (n_columns <= t->n_columns)
		return;
	t->datums = palloc(sizeof(Datum) * n_columns);
	t->nulls = palloc(sizeof(bool) * n_columns);
	t->n_columns = n_columns;
}

static const double *
take_record(turning *t, Datum datum, double *room, void **made)
{
	const hbpg_row_map *map = &t->piece->call->scorer->map;
	HeapTupleHeader header = DatumGetHeapTupleHeader(datum);
	Oid			type = HeapTupleHeaderGetTypeId(header);
	int32		typmod = HeapTupleHeaderGetTypMod(header);
	TupleDesc	columns = lookup_rowtype_tupdesc(type, typmod);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header),.t_data = header};
	bool		taken = map->columns == assign_record_type_identifier(type, typmod);

	if (taken)
	{
		make_record_room(t, columns->natts);
		heap_deform_tuple(&tuple, columns, t->datums, t->nulls);
	}
	ReleaseTupleDesc(columns);
	for (Size f = 0; f < t->features && taken; f++)
	{
		int			at = map->attributes[f];

		if (!t->piece->call->used[f])
			continue;
		if (map->types[f].kind == HBPG_FLOAT8 && !t->nulls[at])
			room[f] = DatumGetFloat8(t->datums[at]);
		else
			taken = hbpg_number(map->types[f].kind, t->datums[at], t->nulls[at], &room[f]);
	}
	*made = (Pointer) header != DatumGetPointer(datum) ? header : NULL;
	return taken ? room : NULL;
}

/* A row's numbers, in place or in `room`; NULL: it is not for the block. */
static const double *
take_row(turning *t, hbpg_row_at at, const void *from, int i, double *room, void **made)
{
	hbpg_piece *p = t->piece;
	Datum		datum;

	*made = NULL;
	if (p->left_out[i] || !at(from, i, &datum) || !hbpg_has_room(p->rows->features))
		return NULL;
	return p->call->form == HBPG_ARRAYS ? take_array(p->call, datum, room, made) : take_record(t, datum, room, made);
}

/* ---- columns */

static void
turn(hbpg_block_call *call, const double *const *rows, int first, int n)
{
	Size		features = call->scorer->plan->info.features;
	Size		stride = stride_of(call);

	for (Size f = 0; f < features; f++)
	{
		double	   *to = call->turned + f * stride + first;

		if (call->columns[f].type == HBS_NULL)
			continue;
		for (int r = 0; r < n; r++)
			to[r] = rows[r][f];
	}
}

static void
turn_rows(turning *t, hbpg_row_at at, const void *from, int first, int end)
{
	hbpg_piece *p = t->piece;
	const double *rows[TURNED_ROWS];
	void	   *made[TURNED_ROWS];

	for (int i = first; i < end; i++)
	{
		int			r = i - first;

		rows[r] = take_row(t, at, from, i, turned_rows(p->call) + t->features * r, &made[r]);
		p->left_out[i] = !rows[r];
		if (!rows[r])
			rows[r] = row_left_out(p->call);
	}
	turn(p->call, rows, first, end - first);
	for (int r = 0; r < end - first; r++)
	{
		if (made[r])
			pfree(made[r]);
	}
}

void
hbpg_take_turned(hbpg_piece *p, hbpg_row_at at, const void *from)
{
	turning		t = {.piece = p,.features = p->call->scorer->plan->info.features};

	make_columns(p->call);
	for (int first = 0; first < p->n; first += TURNED_ROWS)
		turn_rows(&t, at, from, first, Min(first + TURNED_ROWS, p->n));
}

/* ---- rows that are not turned */

/*
 * What a number that the model looks at costs in a block, beside a row by itself, in the nanoseconds of a planner: it is
 * turned, and taken from a column that lies far from the next. Measured: 20 trees of depth 6 gain by blocks over 300
 * features, and lose over 1,000; 100 trees lose as much as they gain over 1,000.
 */
#define NANOSECONDS_TO_TURN 0.5

bool
hbpg_pays_one_by_one(const hbpg_block_call *call)
{
	const hbs_plan_info *info = &call->scorer->plan->info;
	Size		used = 0;

	for (Size f = 0; f < info->features; f++)
		used += call->used[f];
	return info->row_nanoseconds < NANOSECONDS_TO_TURN * (double) used && hbpg_is_turned(call);
}

void
hbpg_take_one_by_one(hbpg_piece *p, hbpg_row_at at, const void *from)
{
	turning		t = {.piece = p,.features = p->call->scorer->plan->info.features};
	bool		goes_on = true;

	make_room(p->call);
	memset(turned_rows(p->call), 0, sizeof(double) * t.features);	/* numbers of a record that are not used stay 0 */
	p->done = true;
	for (int i = 0; i < p->n && goes_on; i++)
	{
		void	   *made;
		const double *numbers = take_row(&t, at, from, i, turned_rows(p->call), &made);

		p->left_out[i] = !numbers;
		goes_on = !numbers || hbpg_score_single(p, i, numbers);
		p->n_done += goes_on;
		if (made)
			pfree(made);
	}
}
