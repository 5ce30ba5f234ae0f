/*
 * pg_block.c - one call of a plan node, scored for many rows at once.
 *
 * The features of the rows at hand become columns of the core's types, a piece of as many rows at a time as suit the
 * model. Rows that cannot be given so (a number that no double holds, an array of another length) and rows for which the
 * core has an error are left out: when such a row needs its result, the call is evaluated for it as it would be without
 * the node, and raises what it then raises.
 */
#include "pg_batch.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

/* ---- what the call is given */

static Bitmapset *
columns_in(Node *expression)
{
	Bitmapset  *columns = NULL;
	ListCell   *cell;

	foreach(cell, hbpg_collect_atoms(NIL, expression, false))
		columns = bms_add_member(columns, ((Var *) lfirst(cell))->varattno - 1);
	return columns;
}

static hbpg_source
make_source(Expr *expression, PlanState *parent)
{
	hbpg_source source = {.column = -1,.type = exprType((Node *) expression),.used = true};

	source.columns = columns_in((Node *) expression);
	source.always = !hbpg_can_be_skipped((Node *) expression);
	if (IsA(expression, Var) && ((Var *) expression)->varattno > 0)
		source.column = ((Var *) expression)->varattno - 1;
	else
		source.state = ExecInitExpr(expression, parent);
	get_typlenbyval(source.type, &source.length, &source.by_value);
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
	features = hbpg_features_of(expression);
	call->column = column;
	call->call.memory = CurrentMemoryContext;
	call->call.function = entry->function;
	call->call.pinned = entry->pinned;
	call->call.leading = entry->leading;
	call->call.of_statement = true;
	call->call.blocks = true;
	call->call.most_rows = hbpg_batch_rows;
	call->model = ExecInitExpr(linitial(expression->args), parent);
	if (entry->leading == 2)
	{
		call->behind_model = ExecInitExpr(lsecond(expression->args), parent);
		hbpg_type_init(&call->call.choice, exprType(lsecond(expression->args)), CurrentMemoryContext);
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
	call->leaky = hbpg_is_leaky((Node *) features);
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

/* Forgets calls that share this one's scores. The call itself finds the meaning of the argument behind the model again. */
void
hbpg_block_call_restart(hbpg_block_call *call)
{
	list_free(call->followers);
	call->followers = NIL;
	call->settled = call->settled && IsA(call->model->expr, Const);
	call->n_flights = 0;
	if (call->scorer && hbpg_offload_restart(call->scorer))
		hbpg_make_cells(call, call->outputs);
}

/* ---- which columns it looks at */

/*
 * A row that is gathered without some columns must be scored by the model for which it was gathered, in the block and by
 * itself. Under one snapshot a reference finds one version, but for policies, which may ask for anything.
 */
static bool
is_settled(const hbpg_block_call *call)
{
	return call->settled && call->scorer && !call->scorer->by_policy && hbpg_is_current(call->scorer);
}

uint64
hbpg_columns_number(const hbpg_block_call *call)
{
	return is_settled(call) ? call->made : 0;
}

Bitmapset *
hbpg_columns_needed(const hbpg_block_call *call, Bitmapset *others)
{
	bool		settled = is_settled(call);

	for (int i = 0; i < call->n_sources; i++)
	{
		const hbpg_source *source = &call->sources[i];

		if (source->used || source->always || !settled)
			others = bms_add_members(others, source->columns);
	}
	return others;
}

/* That rows lack a column is a slip of ours, and must not be a wrong score. */
static void
check_gathered(const hbpg_block_call *call, const hbpg_rows *rows)
{
	for (int i = 0; i < call->n_sources; i++)
	{
		const hbpg_source *source = &call->sources[i];
		int			column = -1;

		while (source->used && (column = bms_next_member(source->columns, column)) >= 0 && column < rows->n_atoms)
		{
			if (!bms_is_member(column, rows->gathered))
				elog(ERROR, "the model \"%s\" of a call changed while its rows were read", call->scorer->shown);
		}
	}
}

/* ---- scoring */

/* Raises what every row would raise: the row that asks is the first of them. */
static void
use_scorer(hbpg_block_call *call, hbpg_scorer *scorer)
{
	hbs_error	error;

	if (call->scorer == scorer && call->serial == scorer->serial)
		return;
	call->scorer = NULL;
	if (call->form == HBPG_COLUMNS)
		hbpg_check_scalars(scorer, &call->call);
	else if (call->form == HBPG_NAMED_COLUMNS)
		hbpg_map_row(scorer, call->row, 0);
	call->scorer = scorer;
	call->serial = scorer->serial;
	hbpg_make_cells(call, scorer->outputs);
	if (call->measured)
		hbpg_check(hbs_run_measure(scorer->run, &error), &error);
}

/* Row i of the piece has the scores of row `at` of the result. */
static void
store_score(const hbpg_piece *p, int i, hbpg_block_call *call, const hbs_result *result, size_t at)
{
	int			row = p->call->selected[i];
	Size		to = (Size) row * p->rows->width + call->column;

	call->scored[row] = true;
	p->rows->nulls[to] = !(result->valid[at / 64] >> (at % 64) & 1);
	p->rows->values[to] = p->rows->nulls[to] ? (Datum) 0 :
		hbpg_answer(call->call.function, call->scorer, result, at, call->choice);
	call->scorer->stats->rows++;
	call->n_rows++;
}

static void
store_scores(const hbpg_piece *p, hbpg_block_call *call, const hbs_result *result)
{
	for (int i = 0; i < (int) result->rows; i++)
	{
		if (!p->left_out[i])
			store_score(p, i, call, result, i);
	}
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

static uint32
outputs_of(const List *together)
{
	uint32		outputs = 0;
	ListCell   *cell;

	foreach(cell, together)
		outputs |= ((hbpg_block_call *) lfirst(cell))->scorer->outputs;
	return outputs;
}

/* The call's features are numbers of one row; what an error says, its row will say. Only runs of blocks are measured. */
bool
hbpg_score_single(hbpg_piece *p, int i, const double *numbers)
{
	hbpg_scorer *scorer = p->call->scorer;
	hbs_run    *run = p->call->measured ? scorer->run : hbpg_single_run(scorer);
	hbs_result	result;
	hbs_error	error;
	hbs_status	status;
	instr_time	start;
	MemoryContext caller;
	ListCell   *cell;

	hbpg_begin_single(scorer, &start);
	do
		status = hbs_score_numbers(run, numbers, scorer->plan->info.features, p->outputs, &result, &error);
	while (hbpg_again(status));
	if (status != HBS_OK)
		return false;
	hbpg_count_single(scorer, &start);
	caller = MemoryContextSwitchTo(p->rows->memory);
	foreach(cell, p->together)
		store_score(p, i, lfirst(cell), &result, 0);
	MemoryContextSwitchTo(caller);
	return true;
}

/* How many of the piece's rows come before the first that is an error; what it says, its row will say. */
static int
score_columns(hbpg_piece *p)
{
	hbpg_scorer *scorer = p->call->scorer;
	hbs_result	result;
	hbs_error	error;
	hbs_status	status;
	instr_time	start;
	ListCell   *cell;

	INSTR_TIME_SET_CURRENT(start);
	status = hbpg_offload_score(scorer, p->call->columns, (size_t) p->n, p->outputs, &result, &error);
	hbpg_count_time(scorer->stats, &start, 1);
	foreach(cell, p->together)
		store_scores(p, lfirst(cell), &result);
	return status == HBS_OK ? p->n : (int) result.rows;
}

/* The same. */
static int
score_piece(hbpg_piece *p)
{
	int			n = p->done ? p->n_done : score_columns(p);
	ListCell   *cell;

	p->call->scorer->stats->batches += p->n > 1;
	foreach(cell, p->together)
		((hbpg_block_call *) lfirst(cell))->n_blocks++;
	return n;
}

/* Rows from `first` on whose inner calls have results; how many, and where to look next. */
static int
select_rows(hbpg_block_call *call, const hbpg_rows *rows, int *first)
{
	int			n = 0;

	for (; *first < rows->n && n < (int) call->scorer->run_rows; (*first)++)
	{
		ListCell   *cell;
		bool		complete = !call->of_passed || rows->passed[*first];

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
take_features(hbpg_piece *p)
{
	MemoryContext caller;

	MemoryContextReset(p->rows->features);
	caller = MemoryContextSwitchTo(p->rows->features);
	hbpg_take_features(p);
	MemoryContextSwitchTo(caller);
}

static void
score_rows(hbpg_block_call *call, hbpg_rows *rows, int first, ExprContext *context)
{
	hbpg_piece	p = {.call = call,.rows = rows,.context = context,.asks = first,.together = scored_together(call)};
	size_t		most = call->scorer->run_rows;
	ListCell   *cell;

	p.outputs = outputs_of(p.together);
	for_each_from(cell, p.together, 1)
		begin_block(lfirst(cell), rows);
	if (p.outputs & ~call->outputs)
		hbpg_make_cells(call, p.outputs | call->outputs);
	check_gathered(call, rows);

	p.left_out = palloc(sizeof(bool) * most);
	p.datums = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * most);
	p.nulls = palloc(sizeof(bool) * most);
	while ((p.n = select_rows(call, rows, &first)) > 0)
	{
		memset(p.left_out, 0, sizeof(bool) * p.n);
		p.n_done = 0;
		take_features(&p);
		if (score_piece(&p) < p.n)
			return;
	}
}

/* ---- blocks that a GPU has before their rows ask */

bool
hbpg_block_sends(const hbpg_block_call *call)
{
	return !call->leaky && call->inner == NIL && !call->one_by_one && call->n_flights < HBS_DEVICE_BLOCKS &&
		IsA(call->model->expr, Const) && is_settled(call) && hbpg_offload_takes(call->scorer);
}

const hbpg_block_call *
hbpg_block_sender(const hbpg_block_call *call)
{
	return call->leader && list_member_ptr(call->leader->followers, call) ? call->leader : call;
}

static void
select_all(hbpg_block_call *call, int n)
{
	for (int i = 0; i < n; i++)
		call->selected[i] = i;
}

static uint32
outputs_to_send(const hbpg_block_call *call)
{
	uint32		outputs = call->scorer->outputs;
	ListCell   *cell;

	foreach(cell, call->followers)
	{
		const hbpg_block_call *follower = lfirst(cell);

		if (follower->scorer && follower->scorer->plan == call->scorer->plan)
			outputs |= follower->scorer->outputs;
	}
	return outputs;
}

/* None of its rows asks: what only such a row may decide, as the columns of a record, leaves rows out. */
static void
send_rows(hbpg_block_call *call, hbpg_rows *rows, ExprContext *context)
{
	hbpg_piece	p = {.call = call,.rows = rows,.context = context,.asks = -1,.n = rows->n,.together = list_make1(call)};

	p.outputs = outputs_to_send(call);
	if (p.outputs & ~call->outputs || (Size) p.n > call->scorer->run_rows)
		return;
	check_gathered(call, rows);
	p.left_out = palloc0(sizeof(bool) * p.n);
	p.datums = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(Datum) * p.n);
	p.nulls = palloc(sizeof(bool) * p.n);
	select_all(call, p.n);
	take_features(&p);
	if (hbpg_offload_submit(call->scorer, call->columns, (Size) p.n, p.outputs))
		call->flights[call->n_flights++] = (hbpg_flight) {rows->number, call->serial, p.n, p.outputs, p.left_out};
}

static void
add_time(hbpg_block_call *call, const instr_time *start)
{
	instr_time	end;

	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, *start);
	call->nanoseconds += INSTR_TIME_GET_DOUBLE(end) * 1e9;
}

void
hbpg_block_send(hbpg_block_call *call, hbpg_rows *rows, ExprContext *context)
{
	MemoryContext caller = MemoryContextSwitchTo(rows->memory);
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	send_rows(call, rows, context);
	add_time(call, &start);
	MemoryContextSwitchTo(caller);
}

static hbpg_flight
oldest_flight(hbpg_block_call *call)
{
	hbpg_flight oldest = call->flights[0];

	call->n_flights--;
	memmove(call->flights, call->flights + 1, sizeof(call->flights[0]) * call->n_flights);
	return oldest;
}

/* The calls that the flight's scores are for, this one first. */
static List *
served_by(hbpg_block_call *call, const hbpg_flight *flight)
{
	List	   *together = list_make1(call);
	ListCell   *cell;

	foreach(cell, call->followers)
	{
		hbpg_block_call *follower = lfirst(cell);

		if (scores_for(call, follower) && !(follower->scorer->outputs & ~flight->outputs))
			together = lappend(together, follower);
	}
	return together;
}

/* Rows behind one that is an error, or all of a block that was lost, are evaluated by themselves. */
static void
collect_flight(hbpg_block_call *call, hbpg_rows *rows)
{
	hbpg_flight flight = oldest_flight(call);
	hbpg_piece	p = {.call = call,.rows = rows,.n = flight.n,.left_out = flight.left_out,.outputs = flight.outputs};
	hbs_result	result;
	hbs_error	error;
	instr_time	start;
	ListCell   *cell;

	p.together = served_by(call, &flight);
	for_each_from(cell, p.together, 1)
		begin_block(lfirst(cell), rows);
	INSTR_TIME_SET_CURRENT(start);
	(void) hbpg_offload_collect(call->scorer, &result, &error);
	hbpg_count_time(call->scorer->stats, &start, 1);
	call->scorer->stats->batches++;
	select_all(call, flight.n);
	foreach(cell, p.together)
	{
		store_scores(&p, lfirst(cell), &result);
		((hbpg_block_call *) lfirst(cell))->n_blocks++;
	}
}

/* True where these rows were sent. Flights of a scorer that is no longer used ended with it. */
static bool
is_sent(hbpg_block_call *call, const hbpg_rows *rows)
{
	while (call->n_flights > 0 && call->flights[0].serial != call->serial)
		(void) oldest_flight(call);
	return call->n_flights > 0 && call->flights[0].number == rows->number;
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
choice_of(hbpg_block_call *call, const hbpg_scorer *scorer, ExprContext *context)
{
	bool		isnull;
	Datum		datum;

	if (!call->behind_model)
		return 0;
	datum = ExecEvalExpr(call->behind_model, context, &isnull);
	return hbpg_find_choice(&call->call, scorer, datum, isnull);
}

static void
add_to_leader(hbpg_block_call *call)
{
	hbpg_block_call *leader = call->leader;
	MemoryContext caller;

	if (!leader || list_member_ptr(leader->followers, call))
		return;
	caller = MemoryContextSwitchTo(leader->call.memory);
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
	if (call->leaky && !rows->all_asked_for)
		return;
	if (isnull)
	{
		score_null(call, rows, first);
		return;
	}
	scorer = hbpg_scorer_of(&call->call, DatumGetTextPP(model));
	call->choice = choice_of(call, scorer, context);
	use_scorer(call, scorer);
	call->settled = true;
	if (hbpg_is_refused(call))
		return;
	if (is_sent(call, rows))
	{
		add_to_leader(call);
		collect_flight(call, rows);
		return;
	}
	if (call->n_flights == 0 && hbpg_offload_settle(scorer, call->outputs, hbpg_rows_with_room(call, &scorer->plan->info),
													call->expected_rows, call->measured))
		hbpg_make_cells(call, call->outputs);
	add_to_leader(call);
	score_rows(call, rows, first, context);
}

static void
need_block(hbpg_block_call *call, hbpg_rows *rows, int row, ExprContext *context)
{
	MemoryContext caller;
	instr_time	start;

	if (call->ready)
		return;
	INSTR_TIME_SET_CURRENT(start);
	caller = MemoryContextSwitchTo(rows->memory);
	score_block(call, rows, row, context);
	MemoryContextSwitchTo(caller);
	add_time(call, &start);
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
