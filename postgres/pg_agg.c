/*
 * pg_agg.c - predict_agg(model, features..) and predict_label_agg: the predictions, or labels, of a group's rows, in the order
 * in which they come.
 *
 * Rows are gathered by column and scored a block at a time: the way to batches that needs no planner. The scorer is the
 * call's, in fn_extra, and shared by all groups; a group has the rows that wait and the predictions that are there.
 */
#include "pg_hbscore.h"

#include <string.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/memutils.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* Rows that a group has room for at first; a block's at most. */
enum { FIRST_ROWS = 16 };

typedef union prediction
{
	double		number;
	text	   *label;			/* of predict_label_agg */
} prediction;

typedef struct group
{
	MemoryContext memory;
	hbpg_call  *call;			/* of the transition function: for the rest at the end */
	char	   *reference;		/* NULL: the model is NULL, and so is the result */
	Size		reference_size;
	/* what waits: numbers, or values of any type; [feature][capacity] */
	bool		as_numbers;
	int			features;
	uint64		serial;			/* of the scorer; rows that wait have the values of its used features alone.. */
	int			n_used;
	int		   *used;			/* ..which are these */
	int			capacity;
	int			waiting;
	double	   *numbers;
	hbs_value  *values;
	MemoryContext texts;		/* of the values; NULL: there were none */
	/* what is there */
	int64		n;
	int64		room;
	prediction *predictions;
	bool	   *nulls;
} group;

/* ---- predictions */

static void
add_prediction(group *g, prediction added, bool isnull)
{
	if (g->n == g->room)
	{
		int64		room = Max(g->room * 2, FIRST_ROWS);

		g->predictions = g->room ? repalloc_huge(g->predictions, room * sizeof(prediction)) :
			MemoryContextAllocHuge(g->memory, room * sizeof(prediction));
		g->nulls = g->room ? repalloc_huge(g->nulls, room * sizeof(bool)) :
			MemoryContextAllocHuge(g->memory, room * sizeof(bool));
		g->room = room;
	}
	g->predictions[g->n] = added;
	g->nulls[g->n++] = isnull;
}

/* Rows of a block share the texts of their classes: `texts` has room for each class, NULL at first. */
static text *
text_of_class(group *g, const hbpg_scorer *scorer, size_t class, text **texts)
{
	MemoryContext caller;
	hbs_value	label;

	if (texts[class])
		return texts[class];
	hbs_plan_class(scorer->plan->compiled, class, &label);
	caller = MemoryContextSwitchTo(g->memory);
	texts[class] = hbpg_label_text(&label);
	MemoryContextSwitchTo(caller);
	return texts[class];
}

static void
add_row_result(group *g, const hbpg_scorer *scorer, const hbs_result *result, size_t row, text **texts)
{
	prediction	added = {.number = 0};
	bool		isnull = !(result->valid[row / 64] >> (row % 64) & 1);
	hbs_value	label;

	if (isnull)
		add_prediction(g, added, true);
	else if (g->call->function == HBS_PREDICT_LABEL)
	{
		added.label = text_of_class(g, scorer, (size_t) result->label[row], texts);
		add_prediction(g, added, false);
	}
	else if (scorer->outputs & HBS_OUT_LABEL)
	{
		hbs_plan_class(scorer->plan->compiled, (size_t) result->label[row], &label);
		added.number = hbpg_label_float8(&label, scorer->shown);
		add_prediction(g, added, false);
	}
	else
	{
		added.number = result->value[row];
		add_prediction(g, added, false);
	}
}

static void
add_results(group *g, const hbpg_scorer *scorer, const hbs_result *result, size_t rows)
{
	text	  **texts = palloc0(sizeof(*texts) * Max(scorer->plan->info.classes, 1));

	for (size_t row = 0; row < rows; row++)
		add_row_result(g, scorer, result, row, texts);
	pfree(texts);
}

/* ---- what waits */

static void
score_waiting(group *g, hbpg_scorer *scorer)
{
	hbs_column *columns;
	hbs_result	result;
	hbs_error	error;
	hbs_status	status;
	instr_time	start;

	if (g->waiting == 0)
		return;
	columns = palloc0(sizeof(hbs_column) * Max(g->features, 1));
	for (int i = 0; i < g->n_used; i++)
	{
		int			f = g->used[i];

		columns[f].type = g->as_numbers ? HBS_FLOAT64 : HBS_MIXED;
		columns[f].values = g->as_numbers ? (const void *) (g->numbers + (Size) f * g->capacity) :
			(const void *) (g->values + (Size) f * g->capacity);
	}
	INSTR_TIME_SET_CURRENT(start);
	do
		status = hbs_score(scorer->run, columns, (size_t) g->features, (size_t) g->waiting, scorer->outputs, &result,
						   &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	hbpg_count_time(scorer->stats, &start, 1);
	add_results(g, scorer, &result, result.rows);
	scorer->stats->rows += g->waiting;
	scorer->stats->batches += g->waiting > 1;
	g->waiting = 0;
	if (g->texts)
		MemoryContextReset(g->texts);
	pfree(columns);
}

/* The columns move apart. */
static void *
widen_cells(group *g, void *cells, Size size, int capacity)
{
	char	   *wide = MemoryContextAllocHuge(g->memory, Max(size * capacity * g->features, 1));

	for (int f = 0; f < g->features && cells; f++)
		memcpy(wide + size * capacity * f, (char *) cells + size * g->capacity * f, size * g->waiting);
	if (cells)
		pfree(cells);
	return wide;
}

static void
make_room(group *g, hbpg_scorer *scorer)
{
	int			capacity = g->capacity ? g->capacity * 2 : FIRST_ROWS;

	if (g->waiting < g->capacity)
		return;
	if (capacity > (int) scorer->run_rows)
		capacity = (int) scorer->run_rows;
	if (capacity <= g->capacity)
	{
		score_waiting(g, scorer);
		return;
	}
	if (g->numbers || g->as_numbers)
		g->numbers = widen_cells(g, g->numbers, sizeof(double), capacity);
	if (g->values || !g->as_numbers)
		g->values = widen_cells(g, g->values, sizeof(hbs_value), capacity);
	g->capacity = capacity;
}

/* Between rows of numbers and rows with other values, what waits is scored. */
static void
set_form(group *g, hbpg_scorer *scorer, bool as_numbers)
{
	if (g->as_numbers == as_numbers)
		return;
	score_waiting(g, scorer);
	g->as_numbers = as_numbers;
	if (as_numbers && !g->numbers && g->capacity)
		g->numbers = MemoryContextAllocHuge(g->memory, sizeof(double) * g->capacity * g->features);
	if (!as_numbers && !g->values && g->capacity)
		g->values = MemoryContextAllocHuge(g->memory, sizeof(hbs_value) * g->capacity * g->features);
}

static void
keep_text(group *g, hbs_value *value)
{
	char	   *bytes;

	if (value->type != HBS_TEXT && value->type != HBS_DECIMAL)
		return;
	if (!g->texts)
		g->texts = AllocSetContextCreate(g->memory, "hbscore texts", ALLOCSET_SMALL_SIZES);
	bytes = MemoryContextAlloc(g->texts, value->as.text.size + 1);
	memcpy(bytes, value->as.text.bytes, value->as.text.size);
	value->as.text.bytes = bytes;
}

static void
add_row(group *g, hbpg_scorer *scorer, const hbpg_row *row)
{
	set_form(g, scorer, row->form == HBPG_ROW_NUMBERS);
	make_room(g, scorer);
	for (int i = 0; i < g->n_used; i++)
	{
		int			f = g->used[i];
		Size		at = (Size) f * g->capacity + g->waiting;

		if (g->as_numbers)
		{
			g->numbers[at] = row->numbers[f];
			continue;
		}
		g->values[at] = scorer->values[f];
		keep_text(g, &g->values[at]);
	}
	g->waiting++;
}

/* A row that stands for itself, as JSON does; those before it come first. */
static void
add_single(group *g, FunctionCallInfo fcinfo, hbpg_scorer *scorer)
{
	hbs_result	result;

	score_waiting(g, scorer);
	if (hbpg_score(fcinfo, g->call, scorer, &result))
		add_results(g, scorer, &result, 1);
	else
		add_prediction(g, (prediction) {.number = 0}, true);
}

/* ---- the functions */

/* `reference` is NULL for a model that is NULL. */
static group *
new_group(MemoryContext memory, hbpg_call *call, text *reference)
{
	group	   *g = MemoryContextAllocZero(memory, sizeof(*g));

	g->memory = memory;
	g->call = call;
	g->as_numbers = true;
	if (!reference)
		return g;
	g->reference_size = VARSIZE_ANY_EXHDR(reference);
	g->reference = MemoryContextAlloc(memory, g->reference_size + 1);
	memcpy(g->reference, VARDATA_ANY(reference), g->reference_size);
	return g;
}

static const char *
name_of(hbs_function function)
{
	return function == HBS_PREDICT_LABEL ? "predict_label_agg" : "predict_agg";
}

static void
check_reference(const group *g, text *reference, hbs_function function)
{
	if (reference && g->reference ? g->reference_size == VARSIZE_ANY_EXHDR(reference) &&
		memcmp(g->reference, VARDATA_ANY(reference), g->reference_size) == 0 : !reference && !g->reference)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s takes one model for all rows of a group", name_of(function)),
			 errhint("Add the model's name to GROUP BY.")));
}

/* A scorer that is made again within the group is one of the same version. */
static void
use_scorer(group *g, const hbpg_scorer *scorer)
{
	if (g->serial == scorer->serial)
		return;
	if (g->serial && ((size_t) g->features != scorer->plan->info.features || g->n_used != scorer->n_used ||
					  memcmp(g->used, scorer->used, sizeof(int) * g->n_used) != 0))
		elog(ERROR, "the model changed within an aggregate");
	if (!g->serial)
	{
		g->features = (int) scorer->plan->info.features;
		g->n_used = scorer->n_used;
		g->used = MemoryContextAllocHuge(g->memory, sizeof(int) * Max(g->n_used, 1));
		memcpy(g->used, scorer->used, sizeof(int) * g->n_used);
	}
	g->serial = scorer->serial;
}

/* (state, model, features..): a model that is NULL gives NULL. */
static Datum
aggregate_step(FunctionCallInfo fcinfo, hbs_function function)
{
	MemoryContext memory;
	hbpg_call  *call;
	hbpg_scorer *scorer;
	hbpg_row	row;
	group	   *g = PG_ARGISNULL(0) ? NULL : (group *) PG_GETARG_POINTER(0);
	text	   *reference;

	if (!AggCheckCallContext(fcinfo, &memory))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("this is %s's own function", name_of(function))));
	if (PG_ARGISNULL(1))
	{
		if (!g)
			g = new_group(memory, NULL, NULL);
		check_reference(g, NULL, function);
		PG_RETURN_POINTER(g);
	}
	call = hbpg_call_of(fcinfo, function, false, 2);
	call->blocks = true;
	reference = PG_GETARG_TEXT_PP(1);
	if (!g)
		g = new_group(memory, call, reference);
	check_reference(g, reference, function);
	scorer = hbpg_scorer_of(call, reference);
	use_scorer(g, scorer);
	row = hbpg_read_row(fcinfo, call, scorer, true);
	if (row.form == HBPG_ROW_NUMBERS || row.form == HBPG_ROW_VALUES)
		add_row(g, scorer, &row);
	else
		add_single(g, fcinfo, scorer);
	PG_RETURN_POINTER(g);
}

ENTRY(predict_agg_step);
Datum
hbscore_predict_agg_step(PG_FUNCTION_ARGS)
{
	return aggregate_step(fcinfo, HBS_PREDICT);
}

ENTRY(predict_label_agg_step);
Datum
hbscore_predict_label_agg_step(PG_FUNCTION_ARGS)
{
	return aggregate_step(fcinfo, HBS_PREDICT_LABEL);
}

static text *
reference_text(const group *g)
{
	text	   *reference = palloc(VARHDRSZ + g->reference_size);

	SET_VARSIZE(reference, VARHDRSZ + g->reference_size);
	memcpy(VARDATA(reference), g->reference, g->reference_size);
	return reference;
}

static Datum
array_of(const group *g, hbs_function function)
{
	int			dims[1] = {(int) g->n};
	int			lower[1] = {1};
	Datum	   *datums;

	if (g->n > (int64) (MaxAllocSize / sizeof(Datum)))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s has %lld predictions, more than an array can hold", name_of(function), (long long) g->n)));
	datums = palloc(sizeof(Datum) * Max(g->n, 1));
	for (int64 i = 0; i < g->n; i++)
		datums[i] = g->nulls[i] ? (Datum) 0 : function == HBS_PREDICT_LABEL ? PointerGetDatum(g->predictions[i].label) :
			Float8GetDatum(g->predictions[i].number);
	if (function == HBS_PREDICT_LABEL)
		return PointerGetDatum(construct_md_array(datums, g->nulls, 1, dims, lower, TEXTOID, -1, false, TYPALIGN_INT));
	return PointerGetDatum(construct_md_array(datums, g->nulls, 1, dims, lower, FLOAT8OID, sizeof(float8),
											  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static Datum
aggregate_result(FunctionCallInfo fcinfo, hbs_function function)
{
	group	   *g = PG_ARGISNULL(0) ? NULL : (group *) PG_GETARG_POINTER(0);

	if (!g)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(function == HBS_PREDICT_LABEL ? TEXTOID : FLOAT8OID));
	if (!g->reference)
		PG_RETURN_NULL();
	if (g->waiting > 0)
	{
		hbpg_scorer *scorer = hbpg_scorer_of(g->call, reference_text(g));

		use_scorer(g, scorer);
		score_waiting(g, scorer);
	}
	return array_of(g, function);
}

ENTRY(predict_agg_final);
Datum
hbscore_predict_agg_final(PG_FUNCTION_ARGS)
{
	return aggregate_result(fcinfo, HBS_PREDICT);
}

ENTRY(predict_label_agg_final);
Datum
hbscore_predict_label_agg_final(PG_FUNCTION_ARGS)
{
	return aggregate_result(fcinfo, HBS_PREDICT_LABEL);
}
