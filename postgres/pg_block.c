/*
 * pg_block.c - one call of a plan node, scored for many rows at once.
 *
 * The features of the rows at hand become columns of the core's types, a piece of as many rows at a time as suit the
 * model. Rows that cannot be given so (a number that no double holds, an array of another length) and rows for which the
 * core has an error are left out: when such a row needs its result, the call is evaluated for it as it would be without
 * the node, and raises what it then raises.
 */
#include "pg_batch.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* ---- what the call is given */

static hbpg_source
make_source(Expr *expression, PlanState *parent)
{
	hbpg_source source = {.column = -1,.type = exprType((Node *) expression)};

	if (IsA(expression, Var) && ((Var *) expression)->varattno > 0)
		source.column = ((Var *) expression)->varattno - 1;
	else
		source.state = ExecInitExpr(expression, parent);
	return source;
}

static void
make_sources(hbpg_block_call *call, List *expressions, PlanState *parent)
{
	ListCell   *cell;

	call->sources = palloc0(sizeof(hbpg_source) * Max(list_length(expressions), 1));
	foreach(cell, expressions)
		call->sources[call->n_sources++] = make_source(lfirst(cell), parent);
}

/* As the executor names the columns of ROW(..). */
static TupleDesc
columns_of(const RowExpr *row)
{
	TupleDesc	columns;

	if (row->row_typeid != RECORDOID)
		return lookup_rowtype_tupdesc_copy(row->row_typeid, -1);
	columns = ExecTypeFromExprList(row->args);
	ExecTypeSetColNames(columns, row->colnames);
	return columns;
}

/* Columns that a table was given after the row was written down are NULL in it. */
static void
read_single(hbpg_block_call *call, Expr *row, PlanState *parent)
{
	hbpg_type	type = {0};

	hbpg_type_init(&type, exprType((Node *) row), CurrentMemoryContext);
	if (IsA(row, RowExpr))
	{
		call->form = HBPG_NAMED_COLUMNS;
		call->row = columns_of((RowExpr *) row);
		make_sources(call, ((RowExpr *) row)->args, parent);
	}
	else if (IsA(row, ArrayExpr) && !((ArrayExpr *) row)->multidims)
		make_sources(call, ((ArrayExpr *) row)->elements, parent);
	else
	{
		call->form = type.kind == HBPG_ARRAY ? HBPG_ARRAYS : type.kind == HBPG_RECORD ? HBPG_RECORDS : HBPG_COLUMNS;
		make_sources(call, list_make1(row), parent);
	}
}

static void
init_types(hbpg_block_call *call)
{
	call->call.n_types = call->n_sources;
	call->call.types = palloc0(sizeof(hbpg_type) * Max(call->n_sources, 1));
	for (int i = 0; i < call->n_sources; i++)
		hbpg_type_init(&call->call.types[i], call->sources[i].type, CurrentMemoryContext);
}

typedef struct inner_search
{
	List	   *before;
	int			n_atoms;
	List	   *found;
} inner_search;

/* The call before it that is given the same rows of the same model: what that one scores can serve both. */
static hbpg_block_call *
find_leader(const hbpg_block_call *call, List *before)
{
	ListCell   *cell;

	foreach(cell, before)
	{
		hbpg_block_call *other = lfirst(cell);

		if (!other->leader && call->call.function != HBS_TRANSFORM && other->call.function != HBS_TRANSFORM &&
			equal(call->given, other->given))
			return other;
	}
	return NULL;
}

static bool
find_inner(Node *node, void *context)
{
	inner_search *search = context;

	if (!node)
		return false;
	if (!IsA(node, Var))
		return expression_tree_walker(node, find_inner, context);
	if (((Var *) node)->varattno > search->n_atoms)
		search->found = list_append_unique_ptr(search->found,
											   list_nth(search->before, ((Var *) node)->varattno - search->n_atoms - 1));
	return false;
}

hbpg_block_call *
hbpg_block_call_make(FuncExpr *expression, int column, List *before, int n_atoms, PlanState *parent)
{
	hbpg_block_call *call = palloc0(sizeof(*call));
	const hbpg_entry *entry = hbpg_entry_of(expression->funcid);
	inner_search search = {before, n_atoms, NIL};
	List	   *features;

	if (!entry)
		elog(ERROR, "function %u is no scoring function of this library", expression->funcid);
	features = list_copy_tail(expression->args, entry->leading);
	call->column = column;
	call->call.memory = CurrentMemoryContext;
	call->call.function = entry->function;
	call->call.pinned = entry->pinned;
	call->call.leading = entry->leading;
	call->call.blocks = true;
	call->call.most_rows = hbpg_batch_rows;
	call->model = ExecInitExpr(linitial(expression->args), parent);
	if (entry->leading == 2)
	{
		call->class = ExecInitExpr(lsecond(expression->args), parent);
		hbpg_type_init(&call->call.label, exprType(lsecond(expression->args)), CurrentMemoryContext);
	}
	if (list_length(features) == 1)
		read_single(call, linitial(features), parent);
	else
		make_sources(call, features, parent);
	init_types(call);
	find_inner((Node *) expression->args, &search);
	call->inner = search.found;
	call->given = lcons(linitial(expression->args), features);
	call->leader = find_leader(call, before);
	call->by_row = ExecInitExpr((Expr *) expression, parent);
	call->room = AllocSetContextCreate(CurrentMemoryContext, "hbscore columns", ALLOCSET_DEFAULT_SIZES);
	return call;
}

void
hbpg_block_call_room(hbpg_block_call *call, int capacity)
{
	if (call->scored)
		pfree(call->scored);
	call->scored = MemoryContextAlloc(call->call.memory, sizeof(bool) * capacity);
}

/* A class is found again by the call itself. */
void
hbpg_block_call_restart(hbpg_block_call *call)
{
	call->followers = NIL;
}

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

/* A number that the model does not look at can be anything. */
static bool
is_looked_at(const hbpg_block_call *call, Size f)
{
	return !is_by_value(type_of(call, f)->kind) || hbs_plan_uses(call->scorer->plan->compiled, f);
}

static void
make_cells(hbpg_block_call *call)
{
	Size		n = call->scorer->plan->info.features;
	Size		rows = call->scorer->run_rows;

	MemoryContextReset(call->room);
	call->cells = MemoryContextAllocZero(call->room, sizeof(hbpg_cells) * n);
	call->columns = MemoryContextAllocZero(call->room, sizeof(hbs_column) * n);
	call->selected = MemoryContextAlloc(call->room, sizeof(int) * rows);
	for (Size f = 0; f < n; f++)
	{
		hbpg_cells *cells = &call->cells[f];

		if (!is_looked_at(call, f))
			continue;			/* HBS_NULL */
		cells->type = column_type(type_of(call, f)->kind);
		cells->size = column_size(cells->type);
		cells->values = MemoryContextAllocHuge(call->room, cells->size * rows);
		cells->valid = MemoryContextAllocHuge(call->room, sizeof(uint64) * ((rows + 63) / 64));
		call->columns[f].type = cells->type;
		call->columns[f].values = cells->values;
	}
}

/* Raises what every row would raise: the row that asks is the first of them. */
static void
use_scorer(hbpg_block_call *call, hbpg_scorer *scorer)
{
	hbs_error	error;

	if (call->scorer == scorer && call->serial == scorer->serial)
		return;
	call->scorer = NULL;
	if (call->form == HBPG_COLUMNS)
		hbpg_check_count(scorer, call->n_sources);
	else if (call->form == HBPG_NAMED_COLUMNS)
		hbpg_map_row(scorer, call->row);
	call->scorer = scorer;
	call->serial = scorer->serial;
	make_cells(call);
	if (call->measured)
		hbpg_check(hbs_run_measure(scorer->run, &error), &error);
}

/* Whether some feature has a type that none can have: then each row says so by itself. */
static bool
is_refused(const hbpg_block_call *call)
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

typedef struct piece
{
	hbpg_block_call *call;
	const hbpg_rows *rows;
	ExprContext *context;
	int			asks;			/* the row for which the block is scored */
	int			n;
	bool	   *left_out;		/* [n]: a row that is not for the block */
	Datum	   *datums;			/* [n]: of a source that is evaluated */
	bool	   *nulls;
} piece;

/* A source's values, one behind the other or as columns of the rows: value i is at `at(i)`. */
typedef struct values
{
	const Datum *datums;
	const bool *nulls;
	const int  *places;			/* NULL: 0, 1, .. */
	int			stride;
} values;

/* So many rows, all their columns, lie in the fastest cache: numbers are taken from them column by column. */
enum { TILE_ROWS = 64 };

static void
evaluate(piece *p, const hbpg_source *source)
{
	for (int i = 0; i < p->n; i++)
	{
		hbpg_show_row(p->rows, p->call->selected[i], p->context->ecxt_scantuple);
		p->datums[i] = ExecEvalExpr(source->state, p->context, &p->nulls[i]);
	}
}

static values
column_of(const piece *p, int column)
{
	const int  *selected = p->call->selected;
	Size		first = (Size) selected[0] * p->rows->width + column;

	if (selected[p->n - 1] - selected[0] == p->n - 1)	/* the rule: all of them */
		return (values) {p->rows->values + first, p->rows->nulls + first, NULL, p->rows->width};
	return (values) {p->rows->values + column, p->rows->nulls + column, selected, p->rows->width};
}

static values
values_of(piece *p, const hbpg_source *source)
{
	if (source->column >= 0)
		return column_of(p, source->column);
	evaluate(p, source);
	return (values) {p->datums, p->nulls, NULL, 1};
}

static inline Size
at(const values *v, int i)
{
	return (Size) (v->places ? v->places[i] : i) * v->stride;
}

/* A NaN is a number that is missing. */
#define TAKE_REAL(type, get, missing) \
	do \
	{ \
		type	   *to = cells->values; \
		const type	none = (missing); \
\
		for (int i = first; i < end; i++) \
		{ \
			Size		from = at(&v, i); \
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
		for (int i = first; i < end; i++) \
		{ \
			Size		from = at(&v, i); \
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

/* Texts, and numerics. */
static bool
take_values(piece *p, hbpg_cells *cells, const hbpg_type *type, values v)
{
	bool		all = true;

	for (int i = 0; i < p->n; i++)
	{
		Size		from = at(&v, i);
		hbs_value	value;

		if (!hbpg_try_value(type, v.datums[from], v.nulls[from], &value))
		{
			p->left_out[i] = true;
			value.type = HBS_NULL;
		}
		if (value.type == HBS_NULL)
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
take_feature(piece *p, size_t f)
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
take_tile(piece *p, int first)
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
leave_out(piece *p, int i)
{
	const hbs_value missing = {.type = HBS_NULL};

	p->left_out[i] = true;
	for (Size f = 0; f < p->call->scorer->plan->info.features; f++)
		put_value(p->call, f, i, &missing);
}

static bool
put_array(piece *p, int i, ArrayType *array)
{
	hbpg_block_call *call = p->call;
	Oid			type = ARR_ELEMTYPE(array);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	Datum	   *elements;
	bool	   *nulls;
	int16		length;
	bool		by_value;
	char		align;

	if (ARR_NDIM(array) > 1 || (Size) n != call->scorer->plan->info.features)
		return false;
	if (call->call.element.type != type)
		hbpg_type_init(&call->call.element, type, call->call.memory);
	get_typlenbyvalalign(type, &length, &by_value, &align);
	deconstruct_array(array, type, length, by_value, align, &elements, &nulls, &n);
	for (int f = 0; f < n; f++)
	{
		hbs_value	value;

		if (!hbpg_try_value(&call->call.element, elements[f], nulls[f], &value))
			return false;
		put_value(call, f, i, &value);
	}
	return true;
}

/*
 * The columns of the first row that comes are those of all; a row with others is one for itself. Where the model does not
 * know them that is an error of the row that asks, so only that one looks.
 */
static bool
put_record(piece *p, int i, HeapTupleHeader header)
{
	hbpg_scorer *scorer = p->call->scorer;
	const hbpg_row_map *map = &scorer->map;
	Oid			type = HeapTupleHeaderGetTypeId(header);
	int32		typmod = HeapTupleHeaderGetTypMod(header);
	TupleDesc	columns;
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header),.t_data = header};
	Datum	   *datums;
	bool	   *nulls;

	if (map->attributes ? map->type != type || map->typmod != typmod : p->call->selected[i] != p->asks)
		return false;
	columns = lookup_rowtype_tupdesc(type, typmod);
	if (!map->attributes)
		hbpg_map_row(scorer, columns);
	datums = palloc(sizeof(Datum) * Max(columns->natts, 1));
	nulls = palloc(sizeof(bool) * Max(columns->natts, 1));
	heap_deform_tuple(&tuple, columns, datums, nulls);
	ReleaseTupleDesc(columns);
	for (Size f = 0; f < scorer->plan->info.features; f++)
	{
		hbs_value	value;

		if (!hbpg_try_value(&map->types[f], datums[map->attributes[f]], nulls[map->attributes[f]], &value))
			return false;
		put_value(p->call, f, i, &value);
	}
	return true;
}

/* A row that is NULL has a result that is NULL: the call says so. */
static void
take_rows(piece *p)
{
	hbpg_block_call *call = p->call;
	values		v = values_of(p, &call->sources[0]);

	for (int i = 0; i < p->n; i++)
	{
		Size		from = at(&v, i);
		bool		taken = !v.nulls[from];

		if (taken && call->form == HBPG_ARRAYS)
			taken = put_array(p, i, DatumGetArrayTypeP(v.datums[from]));
		else if (taken)
			taken = put_record(p, i, DatumGetHeapTupleHeader(v.datums[from]));
		if (!taken)
			leave_out(p, i);
	}
}

static void
take_features(piece *p)
{
	if (p->call->form == HBPG_ARRAYS || p->call->form == HBPG_RECORDS)
	{
		take_rows(p);
		return;
	}
	for (Size f = 0; f < p->call->scorer->plan->info.features; f++)
		take_feature(p, f);
	for (int first = 0; first < p->n; first += TILE_ROWS)
		take_tile(p, first);
}

/* ---- scoring */

static void
store(const piece *p, hbpg_block_call *call, const hbs_result *result)
{
	int64		n = 0;

	for (size_t i = 0; i < result->rows; i++)
	{
		int			row = p->call->selected[i];
		Size		to = (Size) row * p->rows->width + call->column;

		if (p->left_out[i])
			continue;
		n++;
		call->scored[row] = true;
		p->rows->nulls[to] = !(result->valid[i / 64] >> (i % 64) & 1);
		p->rows->values[to] = p->rows->nulls[to] ? (Datum) 0 :
			hbpg_answer(call->call.function, call->scorer, result, i, call->class_index);
	}
	call->scorer->stats->rows += n;
	call->n_rows += n;
	call->n_blocks++;
}

static bool
scores_for(const hbpg_block_call *call, const hbpg_block_call *follower)
{
	return !follower->ready && follower->scorer && follower->scorer->plan == call->scorer->plan &&
		hbpg_is_current(follower->scorer);
}

/* The calls, this one first, that a block of this one is scored for. */
static List *
scored_together(hbpg_block_call *call)
{
	List	   *together = list_make1(call);
	ListCell   *cell;

	foreach(cell, call->followers)
	{
		if (scores_for(call, lfirst(cell)))
			together = lappend(together, lfirst(cell));
	}
	return together;
}

/* How many of the piece's rows come before the first that is an error; what it says, its row will say. */
static size_t
score_piece(piece *p, List *together)
{
	hbpg_scorer *scorer = p->call->scorer;
	uint32_t	outputs = 0;
	hbs_result	result;
	hbs_error	error;
	hbs_status	status;
	ListCell   *cell;

	foreach(cell, together)
		outputs |= ((hbpg_block_call *) lfirst(cell))->scorer->outputs;
	do
	{
		result.rows = 0;
		status = hbs_score(scorer->run, p->call->columns, scorer->plan->info.features, (size_t) p->n, outputs, &result,
						   &error);
	} while (hbpg_again(status));
	foreach(cell, together)
		store(p, lfirst(cell), &result);
	scorer->stats->batches += p->n > 1;
	return status == HBS_OK ? (size_t) p->n : result.rows;
}

/* Rows from `first` on whose inner calls have results; how many, and where to look next. */
static int
select_rows(hbpg_block_call *call, const hbpg_rows *rows, int *first)
{
	int			n = 0;

	for (; *first < rows->n && n < (int) call->scorer->run_rows; (*first)++)
	{
		ListCell   *cell;
		bool		complete = true;

		foreach(cell, call->inner)
			complete = complete && ((hbpg_block_call *) lfirst(cell))->scored[*first];
		if (complete)
			call->selected[n++] = *first;
	}
	return n;
}

/* Marks the calls' results of the rows at hand as what they are from here on: those that are not scored are not there. */
static void
begin_block(hbpg_block_call *call, const hbpg_rows *rows)
{
	memset(call->scored, 0, sizeof(bool) * rows->n);
	call->ready = true;
}

static void
score_rows(hbpg_block_call *call, hbpg_rows *rows, int first, ExprContext *context)
{
	piece		p = {.call = call,.rows = rows,.context = context,.asks = first};
	size_t		most = call->scorer->run_rows;
	List	   *together = scored_together(call);
	ListCell   *cell;

	for_each_from(cell, together, 1)
		begin_block(lfirst(cell), rows);

	p.left_out = palloc(sizeof(bool) * most);
	p.datums = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * most);
	p.nulls = palloc(sizeof(bool) * most);
	while ((p.n = select_rows(call, rows, &first)) > 0)
	{
		memset(p.left_out, 0, sizeof(bool) * p.n);
		take_features(&p);
		if (score_piece(&p, together) < (size_t) p.n)
			return;
	}
}

static void
score_null(hbpg_block_call *call, hbpg_rows *rows, int first)
{
	for (int row = first; row < rows->n; row++)
	{
		call->scored[row] = true;
		rows->nulls[(Size) row * rows->width + call->column] = true;
	}
}

static size_t
class_of(hbpg_block_call *call, const hbpg_scorer *scorer, ExprContext *context)
{
	bool		isnull;
	Datum		class;

	if (!call->class)
		return 0;
	class = ExecEvalExpr(call->class, context, &isnull);
	return hbpg_find_class(&call->call, scorer, class, isnull);
}

static void
add_follower(hbpg_block_call *leader, hbpg_block_call *call)
{
	MemoryContext caller = MemoryContextSwitchTo(leader->call.memory);

	leader->followers = lappend(leader->followers, call);
	MemoryContextSwitchTo(caller);
}

/* This row, which asks, and those behind it. */
static void
score_block(hbpg_block_call *call, hbpg_rows *rows, int first, ExprContext *context)
{
	hbpg_scorer *scorer;
	bool		isnull;
	Datum		model = ExecEvalExpr(call->model, context, &isnull);

	begin_block(call, rows);
	if (isnull)
	{
		score_null(call, rows, first);
		return;
	}
	scorer = hbpg_scorer_of(&call->call, DatumGetTextPP(model));
	call->class_index = class_of(call, scorer, context);
	use_scorer(call, scorer);
	if (is_refused(call))
		return;
	if (call->leader && !list_member_ptr(call->leader->followers, call))
		add_follower(call->leader, call);
	score_rows(call, rows, first, context);
}

static void
need_block(hbpg_block_call *call, hbpg_rows *rows, int row, ExprContext *context)
{
	MemoryContext caller;
	instr_time	start;
	instr_time	end;

	if (call->ready)
		return;
	INSTR_TIME_SET_CURRENT(start);
	caller = MemoryContextSwitchTo(rows->memory);
	score_block(call, rows, row, context);
	MemoryContextSwitchTo(caller);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	call->nanoseconds += INSTR_TIME_GET_DOUBLE(end) * 1e9;
	hbpg_show_row(rows, row, context->ecxt_scantuple);
}

void
hbpg_block_need(hbpg_block_call *call, hbpg_rows *rows, int row, ExprContext *context)
{
	Size		to = (Size) row * rows->width + call->column;
	ListCell   *cell;

	foreach(cell, call->inner)
		hbpg_block_need(lfirst(cell), rows, row, context);
	need_block(call, rows, row, context);
	if (call->scored[row])
		return;
	rows->values[to] = ExecEvalExprSwitchContext(call->by_row, context, &rows->nulls[to]);
	call->n_rows++;
}

void
hbpg_block_try(hbpg_block_call *call, hbpg_rows *rows, int row, ExprContext *context)
{
	ListCell   *cell;

	foreach(cell, call->inner)
		hbpg_block_try(lfirst(cell), rows, row, context);
	need_block(call, rows, row, context);
	if (!call->scored[row])
		rows->nulls[(Size) row * rows->width + call->column] = true;
}
