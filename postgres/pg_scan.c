/*
 * pg_scan.c - the node HbPredict: gathers rows of the node below it, and emits them with their scores.
 *
 * It gathers few rows at first and then twice as many each time, so that a LIMIT does not score the table. A row's Datums
 * stand side by side, results too; to emit a row the scan slot is made to show it where it is.
 *
 * Where a GPU scores blocks, the node gathers one block more before it emits the one at hand: both are on their way to the GPU
 * while rows are fetched and read.
 */
#include "pg_batch.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"

/* Rows of the first block; of later ones, where nobody knows better; of large ones however wide they are. */
enum { FIRST_ROWS = 32, USUAL_ROWS = 512, LEAST_ROWS = 64 };

/* Bytes of wide rows that are gathered at once, if no model asks for more rows: the caches hold them. */
enum { NEAR_BYTES = 1 << 20 };

/* Conditions that need no more calls than those before them, and the calls that are new to them. */
typedef struct stage
{
	List	   *calls;			/* hbpg_block_call */
	ExprState  *qual;
} stage;

/* Columns by value that stand side by side. */
typedef struct kept
{
	int			column;
	int			n;
} kept;

typedef struct copied
{
	int			column;
	int			length;			/* pg_type.typlen */
} copied;

typedef struct scan_state
{
	CustomScanState css;
	int			n_atoms;
	Bitmapset  *beside;			/* columns that more than the calls look at */
	MemoryContext chosen;		/* of the columns that are gathered */
	uint64	   *numbers;		/* hbpg_columns_number of each call for which they were chosen; NULL: not yet */
	int			last_column;	/* of the child's, that is looked at */
	int			n_kept;			/* columns by value.. */
	kept	   *kept;
	int			n_copied;		/* ..and by reference */
	copied	   *copied;
	List	   *calls;			/* hbpg_block_call */
	int			n_stages;
	stage	   *stages;			/* the last is that of the target list, without a condition */
	List	   *later;			/* hbpg_block_call: of output columns that the node above looks at later */
	hbpg_rows	rows;
	hbpg_rows	ahead;			/* the block behind these, gathered and sent; n = 0: there is none */
	uint64		gathered;		/* blocks */
	int			capacity;		/* of the calls */
	MemoryContext features;		/* as in both */
	MemoryContext single;
	int			next;			/* row to emit */
	bool		leaky;			/* a call or a column from below is leaky (pg_ahead.c) */
	bool		computed_leaky;	/* a column from below is leaky */
	hbpg_reading reading;
	int			ramp;			/* rows of the next block */
	bool		ended;			/* the child; it must not be asked again */
	Datum	   *slot_values;	/* the scan slot's own */
	bool	   *slot_nulls;
	hbpg_sharing sharing;
} scan_state;

/* ---- which columns are gathered */

static void
keep_column(scan_state *s, TupleDesc columns, int column)
{
	Form_pg_attribute attribute = TupleDescAttr(columns, column);

	s->last_column = Max(s->last_column, column + 1);
	if (attribute->attbyval && s->n_kept > 0 && s->kept[s->n_kept - 1].column + s->kept[s->n_kept - 1].n == column)
		s->kept[s->n_kept - 1].n++;
	else if (attribute->attbyval)
		s->kept[s->n_kept++] = (kept) {column, 1};
	else
		s->copied[s->n_copied++] = (copied) {column, attribute->attlen};
}

/* Those that the node's output and conditions look at. */
static void
find_columns(scan_state *s, CustomScan *plan)
{
	ListCell   *cell;

	foreach(cell, (List *) list_nth(plan->custom_private, HBPG_USED))
	{
		if (lfirst_int(cell) <= s->n_atoms)
			s->beside = bms_add_member(s->beside, lfirst_int(cell) - 1);
	}
	s->kept = palloc(sizeof(kept) * (s->n_atoms + 1));
	s->copied = palloc(sizeof(copied) * (s->n_atoms + 1));
	s->chosen = AllocSetContextCreate(CurrentMemoryContext, "hbscore chosen columns", ALLOCSET_SMALL_SIZES);
}

static bool
is_chosen(const scan_state *s)
{
	ListCell   *cell;

	if (!s->numbers)
		return false;
	foreach(cell, s->calls)
	{
		if (s->numbers[foreach_current_index(cell)] != hbpg_columns_number(lfirst(cell)))
			return false;
	}
	return true;
}

static void
forget_columns_of(hbpg_rows *rows)
{
	memset(rows->may_be_null, true, sizeof(bool) * rows->width);
	if (rows->capacity > 0)
		memset(rows->nulls, true, sizeof(bool) * rows->capacity * rows->width);
}

/* Rows that are gathered from here on have NULL in the other columns. */
static void
forget_columns(scan_state *s)
{
	forget_columns_of(&s->rows);
	forget_columns_of(&s->ahead);
	s->n_kept = s->n_copied = s->last_column = 0;
}

/* Those, and what the calls need as far as their models are known. */
static void
choose_columns(scan_state *s)
{
	TupleDesc	columns = s->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	MemoryContext caller;
	Bitmapset  *set;
	int			column = -1;
	ListCell   *cell;

	if (is_chosen(s))
		return;
	MemoryContextReset(s->chosen);
	caller = MemoryContextSwitchTo(s->chosen);
	s->numbers = palloc0(sizeof(uint64) * (list_length(s->calls) + 1));
	set = bms_copy(s->beside);
	foreach(cell, s->calls)
	{
		s->numbers[foreach_current_index(cell)] = hbpg_columns_number(lfirst(cell));
		set = hbpg_columns_needed(lfirst(cell), set);
	}
	MemoryContextSwitchTo(caller);
	forget_columns(s);
	while ((column = bms_next_member(set, column)) >= 0 && column < s->n_atoms)
		keep_column(s, columns, column);
	s->rows.gathered = s->ahead.gathered = set;
}

/* ---- begin */

/* The call in terms of the scan tuple, calls within it too. */
static FuncExpr *
own_terms(FuncExpr *call, List *atoms, List *before)
{
	FuncExpr   *own = (FuncExpr *) copyObject(call);

	own->args = (List *) hbpg_replace((Node *) call->args, atoms, before, INDEX_VAR);
	return own;
}

static void
make_calls(scan_state *s, CustomScan *plan)
{
	List	   *atoms = NIL;
	List	   *before = NIL;
	ListCell   *cell;

	foreach(cell, plan->custom_scan_tlist)
	{
		TargetEntry *target = lfirst(cell);
		hbpg_block_call *call;

		if (foreach_current_index(cell) < s->n_atoms)
		{
			atoms = lappend(atoms, target->expr);
			continue;
		}
		call = hbpg_block_call_make(own_terms((FuncExpr *) target->expr, atoms, before), foreach_current_index(cell), s->calls,
									s->n_atoms, &s->css.ss.ps);
		s->calls = lappend(s->calls, call);
		before = lappend(before, target->expr);
	}
}

/* Calls that the expression looks at and `seen` has not. */
static List *
new_calls(scan_state *s, Node *expression, List *seen)
{
	List	   *fresh = NIL;
	List	   *columns = hbpg_collect_atoms(NIL, expression, false);
	ListCell   *cell;

	foreach(cell, s->calls)
	{
		hbpg_block_call *call = lfirst(cell);
		ListCell   *other;

		foreach(other, columns)
		{
			if (((Var *) lfirst(other))->varattno == call->column + 1 && !list_member_ptr(seen, call))
				fresh = list_append_unique_ptr(fresh, call);
		}
	}
	return fresh;
}

/* Leaky calls behind a condition, and leaky calls within these, are scored for rows that pass it. */
static void
note_passed(List *calls)
{
	ListCell   *cell;

	foreach(cell, calls)
	{
		hbpg_block_call *call = lfirst(cell);

		call->of_passed = call->leaky;
		note_passed(call->inner);
	}
}

/* The output columns that are no scores for later. */
static List *
computed_now(CustomScan *plan)
{
	List	   *now = NIL;
	ListCell   *cell;

	foreach(cell, plan->scan.plan.targetlist)
	{
		if (!list_member_int(list_nth(plan->custom_private, HBPG_LATER), foreach_current_index(cell) + 1))
			now = lappend(now, lfirst(cell));
	}
	return now;
}

static void
make_stages(scan_state *s, CustomScan *plan)
{
	List	   *quals = plan->scan.plan.qual;
	List	   *together = NIL;
	List	   *calls = NIL;
	List	   *seen = NIL;
	ListCell   *cell;

	s->stages = palloc0(sizeof(stage) * (list_length(quals) + 2));
	foreach(cell, quals)
	{
		List	   *fresh = new_calls(s, lfirst(cell), seen);

		if (fresh != NIL && together != NIL)
		{
			s->stages[s->n_stages++] = (stage) {calls, ExecInitQual(together, &s->css.ss.ps)};
			together = NIL;
			calls = NIL;
		}
		if (s->n_stages > 0)
			note_passed(fresh);
		calls = list_concat(calls, fresh);
		seen = list_concat(seen, fresh);
		together = lappend(together, lfirst(cell));
	}
	if (together != NIL)
		s->stages[s->n_stages++] = (stage) {calls, ExecInitQual(together, &s->css.ss.ps)};
	calls = new_calls(s, (Node *) computed_now(plan), seen);
	s->stages[s->n_stages++].calls = calls;
	s->later = new_calls(s, (Node *) plan->scan.plan.targetlist, list_concat(seen, calls));
	if (s->n_stages > 1)
	{
		note_passed(calls);
		note_passed(s->later);
	}
}

/*
 * With a leaky call the first block is one row: a hash join asks its outer input for one row, and for no more if the other
 * input turns out to be empty.
 */
static void
restart_blocks(scan_state *s)
{
	s->rows.n = s->ahead.n = s->next = 0;
	s->ended = false;
	s->ramp = s->leaky ? 1 : FIRST_ROWS;
}

static void
note_leaky(scan_state *s, CustomScan *plan, EState *estate)
{
	ListCell   *cell;

	s->reading = intVal(list_nth(plan->custom_private, HBPG_READING));
	s->computed_leaky = hbpg_computes_leaky(outerPlan(plan), estate->es_plannedstmt->subplans);
	s->leaky = s->computed_leaky;
	foreach(cell, s->calls)
		s->leaky = s->leaky || ((hbpg_block_call *) lfirst(cell))->leaky;
}

/* Blocks of memory are so small that a context has not much more than what is in it. */
static Size
largest_piece(void)
{
	Size		most = ALLOCSET_DEFAULT_INITSIZE;

	while (most < ALLOCSET_DEFAULT_MAXSIZE && most * 2 <= (Size) work_mem * 1024 / 16)
		most *= 2;
	return most;
}

/* Memory for one evaluation or one piece is for both. */
static void
make_rows(scan_state *s, hbpg_rows *rows, int width)
{
	rows->n_atoms = s->n_atoms;
	rows->width = width;
	rows->may_be_null = palloc(sizeof(bool) * width);
	memset(rows->may_be_null, true, sizeof(bool) * width);
	rows->memory = AllocSetContextCreate(CurrentMemoryContext, "hbscore block", ALLOCSET_DEFAULT_MINSIZE,
										 ALLOCSET_DEFAULT_INITSIZE, largest_piece());
	rows->features = s->features;
	rows->single = s->single;
}

static void
begin_scan(CustomScanState *node, EState *estate, int flags)
{
	scan_state *s = (scan_state *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	hbpg_check_plan_interface(intVal(list_nth(plan->custom_private, HBPG_MADE_BY)));
	/* First, since its expressions can refer to what initial plans compute. Rescans are the child's matter as they are ours. */
	outerPlanState(node) = ExecInitNode(outerPlan(plan), estate, flags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	s->n_atoms = intVal(list_nth(plan->custom_private, HBPG_ATOMS));
	s->features = AllocSetContextCreate(CurrentMemoryContext, "hbscore features", ALLOCSET_DEFAULT_MINSIZE,
										ALLOCSET_DEFAULT_INITSIZE, largest_piece());
	s->single = AllocSetContextCreate(CurrentMemoryContext, "hbscore argument", ALLOCSET_SMALL_SIZES);
	make_rows(s, &s->rows, slot->tts_tupleDescriptor->natts);
	make_rows(s, &s->ahead, slot->tts_tupleDescriptor->natts);
	s->slot_values = slot->tts_values;
	s->slot_nulls = slot->tts_isnull;
	find_columns(s, plan);
	make_calls(s, plan);
	hbpg_note_room(s->calls, s->rows.width, s->beside, outerPlan(plan), estate->es_range_table);
	make_stages(s, plan);
	note_leaky(s, plan, estate);
	restart_blocks(s);
	hbpg_begin_sharing(&s->sharing, &node->ss.ps);
}

/* ---- fill */

/* As many as suit the models, within work_mem. */
static int
most_rows(const scan_state *s)
{
	Size		row = (sizeof(Datum) + sizeof(bool)) * s->rows.width;
	Size		most = Min(USUAL_ROWS, Max(NEAR_BYTES / row, LEAST_ROWS));
	Size		room = (Size) work_mem * 1024 / row;
	ListCell   *cell;

	if (hbpg_batch_rows)
		most = hbpg_batch_rows;
	foreach(cell, s->calls)
	{
		hbpg_block_call *call = lfirst(cell);

		if (call->scorer && !hbpg_batch_rows)
			most = Max(most, call->scorer->run_rows);
	}
	return (int) Min(most, Max(room, LEAST_ROWS));
}

/* EXPLAIN ANALYZE asks the node for times only once it has begun. */
static void
measure_calls(scan_state *s)
{
	Instrumentation *instrument = s->css.ss.ps.instrument;
	ListCell   *cell;

	foreach(cell, s->calls)
		((hbpg_block_call *) lfirst(cell))->measured = instrument && instrument->need_timer;
}

/* In the calls. Nothing of the rows at hand is scored at this time. */
static void
make_room_in_calls(scan_state *s, int capacity)
{
	ListCell   *cell;

	if (capacity <= s->capacity)
		return;
	measure_calls(s);
	foreach(cell, s->calls)
		hbpg_block_call_room(lfirst(cell), capacity);
	s->capacity = capacity;
}

/* Makes memory for so many rows. Columns that are not gathered stay NULL. */
static void
make_room(scan_state *s, hbpg_rows *rows, int capacity)
{
	MemoryContext query = s->css.ss.ps.state->es_query_cxt;
	Size		cells = (Size) capacity * rows->width;

	make_room_in_calls(s, capacity);
	if (capacity <= rows->capacity)
		return;
	if (rows->values)
	{
		pfree(rows->values);
		pfree(rows->nulls);
		pfree(rows->passed);
	}
	rows->capacity = 0;
	rows->values = MemoryContextAllocExtended(query, sizeof(Datum) * cells, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	rows->nulls = MemoryContextAllocHuge(query, sizeof(bool) * cells);
	memset(rows->nulls, true, sizeof(bool) * cells);
	rows->passed = MemoryContextAlloc(query, sizeof(bool) * capacity);
	rows->capacity = capacity;
}

static void
forget_nulls(const scan_state *s, hbpg_rows *rows)
{
	for (int i = 0; i < s->n_kept; i++)
		memset(rows->may_be_null + s->kept[i].column, false, sizeof(bool) * s->kept[i].n);
}

/* Eight at once: this is done for each row. */
static inline void
note_nulls(bool *noted, const bool *nulls, int n)
{
	int			i = 0;
	uint64		before;
	uint64		more;

	for (; i + (int) sizeof(more) <= n; i += sizeof(more))
	{
		memcpy(&before, noted + i, sizeof(before));
		memcpy(&more, nulls + i, sizeof(more));
		before |= more;
		memcpy(noted + i, &before, sizeof(before));
	}
	for (; i < n; i++)
		noted[i] |= nulls[i];
}

static void
gather_row(const scan_state *s, hbpg_rows *rows, TupleTableSlot *slot)
{
	Size		at = (Size) rows->n++ * rows->width;
	Datum	   *values = rows->values + at;
	bool	   *nulls = rows->nulls + at;

	slot_getsomeattrs(slot, s->last_column);
	for (int i = 0; i < s->n_kept; i++)
	{
		int			column = s->kept[i].column;

		memcpy(values + column, slot->tts_values + column, sizeof(Datum) * s->kept[i].n);
		memcpy(nulls + column, slot->tts_isnull + column, sizeof(bool) * s->kept[i].n);
		note_nulls(rows->may_be_null + column, slot->tts_isnull + column, s->kept[i].n);
	}
	for (int i = 0; i < s->n_copied; i++)
	{
		int			column = s->copied[i].column;

		nulls[column] = slot->tts_isnull[column];
		values[column] = nulls[column] ? (Datum) 0 : datumCopy(slot->tts_values[column], false, s->copied[i].length);
	}
}

/* Blocks that go to a GPU are two at once, and larger: all of a row counts, so many bytes but for values; 0: those alone count. */
static bool
is_full(const scan_state *s, const hbpg_rows *rows, int most, Size row)
{
	Size		bytes = rows->memory->mem_allocated + row * rows->n;

	return rows->n >= most ||
		(s->n_copied > 0 && rows->n > 0 && bytes > (Size) work_mem * 1024 / (row > 0 ? HBS_DEVICE_BLOCKS : 1));
}

/* How many of the next rows the parent will ask for, or the node will read to find such rows. */
static uint64
rows_asked_for(scan_state *s)
{
	uint64		left;

	if (s->reading == HBPG_READ_TO_END)
		return HBPG_ALL_ROWS;
	if (s->reading == HBPG_READ_IN_PART)
		return 0;
	left = hbpg_rows_left(s->css.ss.ps.state);
	return left == HBPG_ALL_ROWS || s->reading == HBPG_READ_AS_RESULT ? left : 0;
}

/* Leaky calls are evaluated ahead only for rows that will be asked for. */
static int
bound_rows(scan_state *s, int rows)
{
	uint64		asked_for = s->leaky ? rows_asked_for(s) : 0;

	s->rows.all_asked_for = asked_for > 0;
	if (asked_for > 0)
		return (int) Min(asked_for, (uint64) rows);
	return s->computed_leaky ? 1 : rows;
}

/* True where a call can be sent ahead. Each row needs the calls of the first stage. */
static bool
sends(const scan_state *s)
{
	ListCell   *cell;

	foreach(cell, s->stages[0].calls)
	{
		if (!s->leaky && hbpg_block_sends(lfirst(cell)))
			return true;
	}
	return false;
}

static void
gather(scan_state *s, hbpg_rows *rows, int most)
{
	PlanState  *child = outerPlanState(s);
	Size		row = sends(s) ? hbpg_bytes_but_values(s->calls) : 0;

	MemoryContextReset(rows->memory);
	rows->n = 0;
	rows->number = ++s->gathered;
	make_room(s, rows, most);
	forget_nulls(s, rows);
	while (!s->ended && !is_full(s, rows, most, row))
	{
		TupleTableSlot *slot = ExecProcNode(child);
		MemoryContext caller;

		if (TupIsNull(slot))
		{
			s->ended = true;
			break;
		}
		caller = MemoryContextSwitchTo(rows->memory);
		gather_row(s, rows, slot);
		MemoryContextSwitchTo(caller);
	}
	s->ramp = s->ramp == 1 ? FIRST_ROWS : Min(s->ramp * 2, HBPG_MOST_BATCH_ROWS);
}

static void
show_stored(const hbpg_rows *rows, int row, TupleTableSlot *slot)
{
	ExecClearTuple(slot);
	hbpg_show_row(rows, row, slot);
	ExecStoreVirtualTuple(slot);
}

static void
send_block(scan_state *s, hbpg_rows *rows)
{
	ExprContext *context = s->css.ss.ps.ps_ExprContext;
	TupleTableSlot *slot = s->css.ss.ss_ScanTupleSlot;
	ListCell   *cell;

	show_stored(rows, 0, slot);
	context->ecxt_scantuple = slot;
	foreach(cell, s->stages[0].calls)
	{
		if (hbpg_block_sends(lfirst(cell)))
			hbpg_block_send(lfirst(cell), rows, context);
	}
}

/* Both blocks have room within what the GPU takes. */
static int
rows_to_send(const scan_state *s)
{
	Size		most = HBPG_MOST_BATCH_ROWS;
	ListCell   *cell;

	foreach(cell, s->stages[0].calls)
	{
		const hbpg_block_call *call = lfirst(cell);

		if (hbpg_block_sends(call))
			most = Min(most, call->scorer->run_rows);
	}
	return (int) most;
}

/* The block behind the one at hand, which goes to the GPU first. Its columns are those of the one at hand. */
static void
look_ahead(scan_state *s, bool sent)
{
	if (!sent)
		send_block(s, &s->rows);
	if (s->ended || !is_chosen(s) || !sends(s))
		return;
	gather(s, &s->ahead, Min(s->ramp, rows_to_send(s)));
	if (s->ahead.n > 0)
		send_block(s, &s->ahead);
}

static void
swap_rows(scan_state *s)
{
	hbpg_rows	rows = s->rows;

	s->rows = s->ahead;
	s->ahead = rows;
	s->ahead.n = 0;
}

/* False: there are no more. */
static bool
fill_block(scan_state *s)
{
	bool		was_ahead = s->ahead.n > 0;
	ListCell   *cell;

	CHECK_FOR_INTERRUPTS();
	s->next = 0;
	foreach(cell, s->calls)
		((hbpg_block_call *) lfirst(cell))->ready = false;
	if (was_ahead)
		swap_rows(s);
	else
	{
		s->rows.n = 0;
		choose_columns(s);
		gather(s, &s->rows, bound_rows(s, Min(s->ramp, Min(most_rows(s), sends(s) ? rows_to_send(s) : HBPG_MOST_BATCH_ROWS))));
	}
	if (s->rows.n > 0 && sends(s))
		look_ahead(s, was_ahead);
	return s->rows.n > 0;
}

/* ---- emit */

/* Whether the row passes the first stages. A call that fails counts as false: its error waits until the row is emitted. */
static bool
passes_ahead(scan_state *s, int row, int n_stages)
{
	ExprContext *context = s->css.ss.ps.ps_ExprContext;
	ListCell   *cell;

	hbpg_show_row(&s->rows, row, context->ecxt_scantuple);
	for (int i = 0; i < n_stages; i++)
	{
		foreach(cell, s->stages[i].calls)
		{
			hbpg_block_try(lfirst(cell), &s->rows, row, context);
			if (!((hbpg_block_call *) lfirst(cell))->scored[row])
				return false;
		}
		if (!ExecQual(s->stages[i].qual, context))
			return false;
	}
	return true;
}

static bool
asks_who_passed(const hbpg_block_call *call)
{
	ListCell   *cell;

	if (call->of_passed && !call->ready)
		return true;
	foreach(cell, call->inner)
	{
		if (asks_who_passed(lfirst(cell)))
			return true;
	}
	return false;
}

/* Finds the rows of the block for which a call behind these stages, which `row` needs, may be scored. */
static void
find_later_rows(scan_state *s, const hbpg_block_call *call, int row, int n_stages)
{
	if (!s->rows.all_asked_for || !asks_who_passed(call))
		return;
	s->rows.passed[row] = true;
	for (int i = row + 1; i < s->rows.n; i++)
		s->rows.passed[i] = passes_ahead(s, i, n_stages);
	hbpg_show_row(&s->rows, row, s->css.ss.ps.ps_ExprContext->ecxt_scantuple);
}

static bool
row_passes(scan_state *s, int row)
{
	ExprContext *context = s->css.ss.ps.ps_ExprContext;
	ListCell   *cell;

	for (int i = 0; i < s->n_stages; i++)
	{
		foreach(cell, s->stages[i].calls)
		{
			find_later_rows(s, lfirst(cell), row, i);
			hbpg_block_need(lfirst(cell), &s->rows, row, context);
		}
		if (!ExecQual(s->stages[i].qual, context))
			return false;
	}
	foreach(cell, s->later)
	{
		find_later_rows(s, lfirst(cell), row, s->n_stages - 1);
		hbpg_block_try(lfirst(cell), &s->rows, row, context);
	}
	return true;
}

static TupleTableSlot *
next_row(CustomScanState *node)
{
	scan_state *s = (scan_state *) node;
	ExprContext *context = node->ss.ps.ps_ExprContext;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	ProjectionInfo *projection = node->ss.ps.ps_ProjInfo;

	for (;;)
	{
		int			row;

		ResetExprContext(context);
		if (s->next >= s->rows.n && !fill_block(s))
			return ExecClearTuple(projection ? projection->pi_state.resultslot : slot);
		row = s->next++;
		show_stored(&s->rows, row, slot);
		context->ecxt_scantuple = slot;
		if (row_passes(s, row))
			return projection ? ExecProject(projection) : slot;
		InstrCountFiltered1(node, 1);
	}
}

static TupleTableSlot *
execute_scan(CustomScanState *node)
{
	if (ScanDirectionIsBackward(node->ss.ps.state->es_direction))
		elog(ERROR, "a scan that is scored in blocks cannot go backward");
	return next_row(node);
}

/* ---- end */

/* The slot is freed with its own arrays. */
static void
show_nothing(scan_state *s)
{
	TupleTableSlot *slot = s->css.ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	slot->tts_values = s->slot_values;
	slot->tts_isnull = s->slot_nulls;
}

static void
end_scan(CustomScanState *node)
{
	show_nothing((scan_state *) node);
	ExecEndNode(outerPlanState(node));
}

static void
rewind_scan(CustomScanState *node)
{
	scan_state *s = (scan_state *) node;
	ListCell   *cell;

	show_nothing(s);
	restart_blocks(s);
	foreach(cell, s->calls)
		hbpg_block_call_restart(lfirst(cell));
	MemoryContextReset(s->rows.memory);
	MemoryContextReset(s->ahead.memory);
	if (outerPlanState(node)->chgParam == NULL)
		ExecReScan(outerPlanState(node));
}

/* ---- counts of workers */

static Size
estimate_shared(CustomScanState *node, ParallelContext *parallel)
{
	return hbpg_shared_size(list_length(((scan_state *) node)->calls), parallel->nworkers);
}

static void
init_shared(CustomScanState *node, ParallelContext *parallel, void *shared)
{
	scan_state *s = (scan_state *) node;

	hbpg_share(&s->sharing, shared, parallel, node->ss.ps.state->es_query_cxt, list_length(s->calls));
}

static void
join_sharing(CustomScanState *node, shm_toc *toc, void *shared)
{
	hbpg_join_sharing(&((scan_state *) node)->sharing, shared, node->ss.ps.state->es_query_cxt);
}

/* No more rows are asked for: a worker tells what it has counted. */
static void
shut_down(CustomScanState *node)
{
	hbpg_tell_counts(&((scan_state *) node)->sharing, ((scan_state *) node)->calls);
}

/* ---- the node's methods */

/* Parallel workers run what is below a Gather, the leader mostly too. */
static bool
is_in_worker(const List *ancestors)
{
	ListCell   *cell;

	foreach(cell, ancestors)
	{
		if (IsA(lfirst(cell), Gather) || IsA(lfirst(cell), GatherMerge))
			return true;
	}
	return false;
}

static void
explain_scan(CustomScanState *node, List *ancestors, ExplainState *es)
{
	scan_state *s = (scan_state *) node;

	hbpg_explain(s->calls, s->sharing.others, most_rows(s), is_in_worker(ancestors), node, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "HbPredict",
	.BeginCustomScan = begin_scan,
	.ExecCustomScan = execute_scan,
	.EndCustomScan = end_scan,
	.ReScanCustomScan = rewind_scan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = init_shared,
	.InitializeWorkerCustomScan = join_sharing,
	.ShutdownCustomScan = shut_down,
	.ExplainCustomScan = explain_scan
};

bool
hbpg_end_sharing_below(PlanState *state, void *context)
{
	if (IsA(state, CustomScanState) && ((CustomScanState *) state)->methods == &exec_methods)
		hbpg_end_sharing(&((scan_state *) state)->sharing, state);
	return planstate_tree_walker(state, hbpg_end_sharing_below, context);
}

static Node *
create_scan_state(CustomScan *plan)
{
	scan_state *s = (scan_state *) newNode(sizeof(scan_state), T_CustomScanState);

	s->css.methods = &exec_methods;
	return (Node *) s;
}

const CustomScanMethods hbpg_scan_methods = {
	.CustomName = "HbPredict",
	.CreateCustomScanState = create_scan_state
};
