/*
 * pg_room.c - how many rows a block has that goes to a GPU.
 *
 * Two such blocks are there at once. With all that their rows refer to, their scores, the columns of the calls and what the GPU
 * shares with the host, they have room within work_mem. How large values by reference are is taken from the table's statistics
 * at first; pg_scan.c ends a block whose values turn out to be larger.
 */
#include "pg_batch.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

/* The header of a chunk of memory; that of an array or a row; a text. */
enum { CHUNK_HEADER = 16, VALUE_HEADER = 24, SHORT_TEXT = 16 };

/* A chunk of memory for so many bytes. */
static Size
chunk(Size bytes)
{
	Size		size = 8;

	while (size < bytes)
		size *= 2;
	return size + CHUNK_HEADER;
}

/* The average of a table's column, if it was analyzed; else that of the type. */
static Size
average_width(Node *expression, List *range_table)
{
	const Var  *column = (Var *) expression;
	int32		width = 0;

	if (IsA(expression, Var) && column->varattno > 0 && column->varno > 0 && column->varno <= list_length(range_table) &&
		rt_fetch(column->varno, range_table)->rtekind == RTE_RELATION)
		width = get_attavgwidth(rt_fetch(column->varno, range_table)->relid, column->varattno);
	return width > 0 ? (Size) width : (Size) get_typavgwidth(exprType(expression), exprTypmod(expression));
}

/* Bytes of a row that its columns by reference refer to. */
static Size
referred_bytes(const Plan *child, const Bitmapset *columns, List *range_table)
{
	Size		bytes = 0;
	ListCell   *cell;

	foreach(cell, child->targetlist)
	{
		Node	   *expression = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (bms_is_member(foreach_current_index(cell), columns) && !get_typbyval(exprType(expression)))
			bytes += chunk(average_width(expression, range_table));
	}
	return bytes;
}

void
hbpg_note_room(List *calls, int width, const Bitmapset *beside, const Plan *child, List *range_table)
{
	Bitmapset  *columns = bms_copy(beside);
	int			n = 0;
	Size		referred;
	ListCell   *cell;

	foreach(cell, calls)
	{
		columns = hbpg_columns_needed(lfirst(cell), columns);
		n += ((hbpg_block_call *) lfirst(cell))->leader == NULL;
	}
	referred = referred_bytes(child, columns, range_table);
	foreach(cell, calls)
	{
		hbpg_block_call *call = lfirst(cell);

		call->row_bytes = (sizeof(Datum) + sizeof(bool)) * width;
		call->referred_bytes = referred;
		call->n_beside = n;
		call->expected_rows = (uint64) Max(Min(child->plan_rows, 1e15), 1);
	}
	bms_free(columns);
}

static Size
bytes_of_single(const hbs_plan_info *info)
{
	return chunk(VALUE_HEADER + sizeof(Datum) * info->features);
}

static bool
is_single(const hbpg_block_call *call)
{
	return call->form == HBPG_ARRAYS || call->form == HBPG_RECORDS;
}

/* A row of numbers becomes doubles, any other row values. */
static Size
bytes_in_columns(const hbpg_block_call *call, const hbs_plan_info *info)
{
	Size		bytes = 0;

	if (is_single(call))
		return info->features * (!call->scorer || hbpg_is_turned(call) ? sizeof(double) : sizeof(hbs_value));
	for (int i = 0; i < call->n_sources; i++)
		bytes += call->sources[i].used ? hbpg_cell_size(call->call.types[i].kind) : 0;
	return bytes;
}

/* An array or a row in a column that was not analyzed has at least the bytes of its numbers. */
static Size
bytes_of_values(const hbpg_block_call *call, const hbs_plan_info *info)
{
	if (is_single(call) && !call->sources[0].state)
		return Max(bytes_of_single(info), call->referred_bytes);
	return call->referred_bytes;
}

/* Copies of values that are evaluated are there for one block at a time. */
static Size
bytes_of_copies(const hbpg_block_call *call, const hbs_plan_info *info)
{
	Size		bytes = 0;

	for (int i = 0; i < call->n_sources; i++)
	{
		const hbpg_source *source = &call->sources[i];

		if (source->state && !source->by_value && source->used)
			bytes += is_single(call) ? bytes_of_single(info) : chunk(SHORT_TEXT);
	}
	return bytes;
}

static Size
bytes_of_result(const hbpg_block_call *call, const hbs_plan_info *info)
{
	Size		width = Max(Max(info->probabilities_width, info->values_width), Max(info->raw_width, info->transform_width));

	return get_typbyval(exprType((Node *) call->by_row->expr)) ? 0 : chunk(VALUE_HEADER + sizeof(double) * width);
}

/* Its scores in the run and in the GPU's shared room, for one of two blocks; the first score of a row counts as nothing. */
static Size
bytes_of_scores(const hbs_plan_info *info)
{
	Size		bytes = host_device_scores(info);

	return (bytes - Min(bytes, host_device_scores(&(hbs_plan_info) {.raw_width = 1}))) / HBS_DEVICE_BLOCKS;
}

/* The GPU's shared room for both blocks takes about as much as one more set of columns, which are there once. */
static Size
bytes_but_values(const hbpg_block_call *call, const hbs_plan_info *info)
{
	return call->row_bytes + bytes_in_columns(call, info) + bytes_of_result(call, info) + bytes_of_scores(info);
}

Size
hbpg_rows_with_room(const hbpg_block_call *call, const hbs_plan_info *info)
{
	Size		row = HBS_DEVICE_BLOCKS * (bytes_but_values(call, info) + bytes_of_values(call, info)) + bytes_of_copies(call, info);
	Size		room = (Size) work_mem * 1024 / Max(call->n_beside, 1);
	Size		rows = Min((Size) HOST_DEVICE_ROWS, room / row);

	return hbpg_batch_rows ? Min(rows, (Size) hbpg_batch_rows) : rows;
}

Size
hbpg_rows_planned(int width, int n_calls, bool single, const hbs_plan_info *info)
{
	Size		row = (sizeof(Datum) + sizeof(bool)) * width + sizeof(double) * info->features + (single ? bytes_of_single(info) : 0) +
		bytes_of_scores(info);
	Size		rows = (Size) work_mem * 1024 / HBS_DEVICE_BLOCKS / Max(n_calls, 1) / row;

	rows = Min(rows, (Size) HOST_DEVICE_ROWS);
	return hbpg_batch_rows ? Min(rows, (Size) hbpg_batch_rows) : rows;
}

Size
hbpg_bytes_but_values(const List *calls)
{
	Size		bytes = 0;
	ListCell   *cell;

	foreach(cell, calls)
	{
		const hbpg_block_call *call = lfirst(cell);

		if (call->scorer && !call->leader)
			bytes += bytes_but_values(call, &call->scorer->plan->info);
	}
	return bytes;
}
