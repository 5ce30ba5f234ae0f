/*
 * pg_profile.c - profile(model, query, function): how long each operator of a model takes for the rows of a query.
 *
 * The query's first column is a key, the others are features, as for hbscore_scan and hbscore_profile in SQLite. It runs once,
 * as the user who called, and only reads. Its rows are turned into columns and scored in blocks of as many rows as the
 * model likes; the node of pg_scan.c turns them in another way, so fetching and encoding can take longer or shorter there.
 */
#include "pg_hbscore.h"

#include <math.h>
#include <string.h>

#include "access/htup_details.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/portal.h"

#define ENTRY(name) \
	extern PGDLLEXPORT Datum hbscore_##name(PG_FUNCTION_ARGS); \
	PG_FUNCTION_INFO_V1(hbscore_##name)

/* A feature of a block: numbers up to the first cell that is none, then values. */
typedef struct cells
{
	bool		used;			/* the asked outputs need the feature; the cells of others are not looked at */
	bool		is_text;		/* the feature: never numbers */
	bool		as_numbers;
	double	   *numbers;		/* [rows] */
	hbs_value  *values;			/* [rows]; made when they are needed */
} cells;

typedef struct profile
{
	MemoryContext memory;
	MemoryContext texts;		/* of a block */
	hbpg_scorer *scorer;
	Portal		portal;
	cells	   *cells;			/* [features] */
	hbs_column *columns;
	Datum	   *datums;			/* of a row of the query */
	bool	   *nulls;
	uint64		fetching;		/* nanoseconds */
	uint64		whole;
	uint64		rows;
	uint64		blocks;
} profile;

static uint64
clock_now(void)
{
	return hbpg_host.nanoseconds(hbpg_host.context);
}

/* ---- the query */

static void
refuse_query(const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg_internal("%s", why)));
}

static void
check_reads(const CachedPlanSource *source)
{
	ListCell   *cell;

	if (!source->resultDesc || !source->raw_parse_tree || !IsA(source->raw_parse_tree->stmt, SelectStmt))
		refuse_query("hbscore.profile: the query is no SELECT, VALUES or WITH that gives rows");
	foreach(cell, source->query_list)
	{
		const Query *query = lfirst_node(Query, cell);

		if (query->commandType != CMD_SELECT || query->hasModifyingCTE || query->rowMarks)
			refuse_query("hbscore.profile: the query writes or locks, and it may only read");
	}
	if (source->resultDesc->natts < 2)
		refuse_query("hbscore.profile: the query has one column: it takes a key and then the features");
}

static SPIPlanPtr
prepare_query(text *query)
{
	SPIPlanPtr	plan;
	List	   *sources;

	if (VARSIZE_ANY_EXHDR(query) == 0)
		refuse_query("hbscore.profile: the query is empty");
	plan = SPI_prepare_cursor(text_to_cstring(query), 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (!plan)
		elog(ERROR, "hbscore could not prepare a statement: %s", SPI_result_code_string(SPI_result));
	sources = SPI_plan_get_plan_sources(plan);
	if (sources == NIL)
		refuse_query("hbscore.profile: the query is empty");
	if (list_length(sources) > 1)
		refuse_query("hbscore.profile: the query is more than one statement");
	check_reads(linitial(sources));
	return plan;
}

/* Finds the features among the columns behind the key. */
static void
map_columns(profile *p)
{
	TupleDesc	all = p->portal->tupDesc;
	TupleDesc	features = CreateTemplateTupleDesc(all->natts - 1);

	for (int i = 1; i < all->natts; i++)
		TupleDescCopyEntry(features, (AttrNumber) i, all, (AttrNumber) (i + 1));
#if PG_VERSION_NUM >= 190000
	TupleDescFinalize(features);
#endif
	hbpg_map_row(p->scorer, features, 0);
}

static void
make_room(profile *p)
{
	Size		n = p->scorer->plan->info.features;
	int			natts = p->portal->tupDesc->natts;

	p->cells = MemoryContextAllocZero(p->memory, sizeof(cells) * n);
	p->columns = MemoryContextAllocZero(p->memory, sizeof(hbs_column) * n);
	p->datums = MemoryContextAlloc(p->memory, sizeof(Datum) * natts);
	p->nulls = MemoryContextAlloc(p->memory, sizeof(bool) * natts);
	p->texts = AllocSetContextCreate(p->memory, "hbscore texts", ALLOCSET_DEFAULT_SIZES);
	for (Size f = 0; f < n; f++)
	{
		hbs_text	name;
		hbs_type	type;

		p->cells[f].used = hbs_plan_uses(p->scorer->plan->compiled, f, p->scorer->outputs);
		if (!p->cells[f].used)
			continue;
		hbs_plan_feature(p->scorer->plan->compiled, f, &name, &type);
		p->cells[f].is_text = type == HBS_TEXT;
		p->cells[f].numbers = MemoryContextAllocHuge(p->memory, sizeof(double) * p->scorer->run_rows);
	}
}

/* ---- a block */

/* From this row on the feature's cells are values. */
static void
turn_to_values(const profile *p, cells *c, uint64 row)
{
	if (!c->values)
		c->values = MemoryContextAllocHuge(p->memory, sizeof(hbs_value) * p->scorer->run_rows);
	for (uint64 r = 0; r < row; r++)
	{
		c->values[r].type = HBS_FLOAT64;
		c->values[r].as.f64 = c->numbers[r];
	}
	c->as_numbers = false;
}

static void
take_row(profile *p, HeapTuple tuple, TupleDesc columns, uint64 row)
{
	const hbpg_row_map *map = &p->scorer->map;

	heap_deform_tuple(tuple, columns, p->datums, p->nulls);
	for (Size f = 0; f < p->scorer->plan->info.features; f++)
	{
		cells	   *c = &p->cells[f];
		int			at = map->attributes[f] + 1;

		if (!c->used && hbpg_is_value(map->types[f].kind))
			continue;
		if (c->as_numbers && hbpg_number(map->types[f].kind, p->datums[at], p->nulls[at], &c->numbers[row]))
			continue;
		if (c->as_numbers || !c->values)
			turn_to_values(p, c, row);
		hbpg_value(&map->types[f], p->datums[at], p->nulls[at], &c->values[row], p->scorer->plan->compiled,
				   p->scorer->shown, f);
	}
}

/* Texts point into the rows or into the block's memory. */
static void
take_rows(profile *p, const SPITupleTable *table, uint64 rows)
{
	MemoryContext caller = MemoryContextSwitchTo(p->texts);

	for (Size f = 0; f < p->scorer->plan->info.features; f++)
		p->cells[f].as_numbers = !p->cells[f].is_text;
	for (uint64 row = 0; row < rows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		take_row(p, table->vals[row], table->tupdesc, row);
	}
	MemoryContextSwitchTo(caller);
}

static void
score_rows(profile *p, uint64 rows)
{
	hbs_result	result;
	hbs_error	error;
	hbs_status	status;
	instr_time	start;

	for (Size f = 0; f < p->scorer->plan->info.features; f++)
	{
		const cells *c = &p->cells[f];

		if (!c->used)
			continue;			/* HBS_NULL */
		p->columns[f].type = c->as_numbers ? HBS_FLOAT64 : HBS_MIXED;
		p->columns[f].values = c->as_numbers ? (const void *) c->numbers : (const void *) c->values;
	}
	INSTR_TIME_SET_CURRENT(start);
	do
		status = hbs_score(p->scorer->run, p->columns, p->scorer->plan->info.features, rows, p->scorer->outputs, &result,
						   &error);
	while (hbpg_again(status));
	hbpg_check(status, &error);
	hbpg_count_time(p->scorer->stats, &start, 1);
	p->scorer->stats->rows += rows;
	p->scorer->stats->batches += rows > 1;
}

static bool
run_block(profile *p)
{
	uint64		start = clock_now();
	uint64		rows;

	SPI_cursor_fetch(p->portal, true, (long) p->scorer->run_rows);
	rows = SPI_processed;
	take_rows(p, SPI_tuptable, rows);
	p->fetching += clock_now() - start;
	if (rows > 0)
	{
		score_rows(p, rows);
		p->blocks++;
		p->rows += rows;
	}
	SPI_freetuptable(SPI_tuptable);
	MemoryContextReset(p->texts);
	return rows > 0;
}

static void
run_query(profile *p, text *query)
{
	uint64		start;

	SPI_connect();
	p->portal = SPI_cursor_open(NULL, prepare_query(query), NULL, NULL, true);
	map_columns(p);
	make_room(p);
	start = clock_now();
	while (run_block(p))
		;
	p->whole = clock_now() - start;
	SPI_cursor_close(p->portal);
	SPI_finish();
}

/* ---- lines */

static void
put_line(hbpg_table *t, const profile *p, const hbs_operator_time *line, bool has_bytes)
{
	Datum		values[9] = {Int32GetDatum(line->position), 0, 0, 0, Int64GetDatum((int64) line->calls),
		Int64GetDatum((int64) line->rows), Int64GetDatum((int64) line->nanoseconds), 0,
		Int64GetDatum((int64) line->bytes)
	};
	bool		nulls[9] = {false};

	hbpg_put_text(line->name, &values[1], &nulls[1]);
	hbpg_put_text(line->source, &values[2], &nulls[2]);
	hbpg_put_text(line->kernel, &values[3], &nulls[3]);
	nulls[7] = p->whole == 0;
	values[7] = Float8GetDatum(p->whole ? rint(1e4 * (double) line->nanoseconds / (double) p->whole) / 100 : 0);
	nulls[8] = !has_bytes;
	hbpg_put_row(t, values, nulls);
}

static void
put_lines(hbpg_table *t, const profile *p)
{
	hbs_operator_time fetch = {.name = "fetch",.calls = p->blocks,.rows = p->rows,.nanoseconds = p->fetching};
	hbs_operator_time all = {.name = "all",.calls = p->blocks,.rows = p->rows,.nanoseconds = p->whole};
	hbs_operator_time line;

	put_line(t, p, &fetch, false);
	for (size_t i = 0; hbs_run_time(p->scorer->run, i, &line); i++)
	{
		put_line(t, p, &line, true);
		all.position = line.position + 1;
	}
	put_line(t, p, &all, false);
}

static void
refuse_null(FunctionCallInfo fcinfo, int argument, const char *what)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s is NULL", what)));
}

/* What is made here is in a memory of its own, whose end gives back the run and the plan's pin, also after an error. */
ENTRY(profile);
Datum
hbscore_profile(PG_FUNCTION_ARGS)
{
	hbpg_table	t = hbpg_table_begin(fcinfo);
	hbpg_call	call = {.blocks = true,.most_rows = hbpg_batch_rows};
	profile		p = {0};
	hbs_error	error;

	refuse_null(fcinfo, 0, "a model reference");
	refuse_null(fcinfo, 1, "hbscore.profile's query");
	refuse_null(fcinfo, 2, "hbscore.profile's function");
	hbpg_check(hbs_function_read(hbpg_text_to_core(PG_GETARG_TEXT_PP(2)), &call.function, &error), &error);
	p.memory = AllocSetContextCreate(CurrentMemoryContext, "hbscore profile", ALLOCSET_DEFAULT_SIZES);
	call.memory = p.memory;
	p.scorer = hbpg_scorer_of(&call, PG_GETARG_TEXT_PP(0));
	hbpg_check(hbs_run_measure(p.scorer->run, &error), &error);
	run_query(&p, PG_GETARG_TEXT_PP(1));
	put_lines(&t, &p);
	MemoryContextDelete(p.memory);
	return (Datum) 0;
}
