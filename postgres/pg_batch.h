/*
 * pg_batch.h - calls of whole scans, scored in blocks: what the files of the batch node share.
 *
 *     finished plan --pg_plan--> plan with nodes HbPredict        (pg_calls: which calls; pg_tree: walks over plans)
 *     node --pg_scan--> rows gathered --pg_block--> scored        (pg_explain: what EXPLAIN says; pg_workers: of workers too)
 *
 * A node stands between another node and its input. Its scan tuple has the columns that it gets from below ("atoms":
 * what is not computed above: Vars, and above a WindowAgg its window functions) and behind them one column for each
 * distinct call. Everything that the node below computed for its output is computed by the node itself, once for each
 * row that it emits; so what is gathered ahead is rows of a scan, and never a user's expression.
 *
 * A call is scored for a block when a row of it first needs the call. A row whose features the block cannot take, or
 * for which the core has an error, is evaluated again by the call itself, the row path, when that row needs it: so an
 * error is raised exactly where it is without the node. Arguments that could raise an error, or reveal a row, have a rule of
 * their own: pg_ahead.c.
 */
#ifndef PG_BATCH_H
#define PG_BATCH_H

#include "pg_hbscore.h"

#include "executor/execdesc.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/plannodes.h"
#include "nodes/primnodes.h"
#include "utils/memutils.h"

#pragma GCC visibility push(hidden)

/* ---- pg_calls.c: calls in expressions */

/*
 * Finds the calls that every evaluation of the expression evaluates and that a block can score, without repeats.
 * hbpg_choose_calls says which of them a node scores.
 */
extern List *hbpg_collect_calls(List *calls, Node *expression);

/* A call's arguments but the model and the class. */
extern List *hbpg_features_of(const FuncExpr *call);

/* Whether any of our calls is in it, one that a block can score or not. */
extern bool hbpg_has_call(Node *expression);

/* All Vars and what else stands for a column, without repeats. `window_functions`: those too, and not what is in them. */
extern List *hbpg_collect_atoms(List *atoms, Node *expression, bool window_functions);

/*
 * A copy in which the calls and atoms are Vars of `varno`: atoms from 1 on, calls behind all of them. Calls may be NIL, and
 * their atoms are then replaced where they stand.
 */
extern Node *hbpg_replace(Node *expression, List *atoms, List *calls, Index varno);

/* A copy in which each call is the Var in the same place of `columns`, which are not NIL. */
extern Node *hbpg_replace_calls(Node *expression, List *calls, List *columns);

/* A copy whose calls take the columns of a row of this relation where they took the row, as t.* or t does. */
extern List *hbpg_spread_rows(List *expressions, Index relation, Oid table);

/* ---- pg_tree.c: walks over finished plans */

/* Calls back with every expression (a list too) that the node evaluates; true stops. */
typedef bool (*hbpg_visit) (Node *expression, void *context);
extern bool hbpg_visit_expressions(Plan *plan, hbpg_visit visit, void *context);

/* Every node below this one but those of sub-queries that are in expressions; true stops. */
typedef bool (*hbpg_visit_plan) (Plan *plan, void *context);
extern bool hbpg_visit_children(Plan *plan, hbpg_visit_plan visit, void *context);

/* Whether to read a row more from it than its parent asks for could call a volatile function once more. */
extern bool hbpg_is_volatile(Plan *plan, List *subplans);

/* Whether to read a row more from it could evaluate a call once more, of which any row can be an error. */
extern bool hbpg_evaluates_calls(Plan *plan, List *subplans);

/* Whether it reads the whole of its input before its first row. */
extern bool hbpg_reads_all(Plan *plan);

/* Whether it is a scan of one table, of whatever kind. */
extern bool hbpg_scans_table(Plan *plan);

/* Whether WHERE CURRENT OF can ask a cursor of this plan for a row of a table, without FOR UPDATE. */
extern bool hbpg_is_for_current_of(Plan *plan);
extern int	hbpg_last_plan_id(PlannedStmt *statement);
/* Whether a call is left that no node scores; whether there is a node of ours. */
extern bool hbpg_has_row_call(PlannedStmt *statement);
extern bool hbpg_has_batch_node(PlannedStmt *statement);

/* ---- pg_reading.c: how many of a node's rows its parent reads, if nothing fails */

typedef enum hbpg_reading
{
	HBPG_READ_IN_PART,			/* the parent may stop at any row */
	HBPG_READ_WITH_STATEMENT,	/* all, if the statement runs to its end, which a cursor may not */
	HBPG_READ_AS_RESULT,		/* the top of the plan: the same, and for a cursor at least the rows that it fetches */
	HBPG_READ_TO_END			/* all, once the first was asked for */
} hbpg_reading;

/* A plan that is changed. */
typedef struct hbpg_rewriting
{
	PlannedStmt *statement;
	int			last_id;		/* of its nodes */
	hbpg_reading *readings;		/* of its sub-plans by their number, from 1: as far as readers have been seen */
} hbpg_rewriting;

/* How p reads its outer (left) or inner input, if p itself is read as `parent` says. Plans in a list of p are read as p is. */
extern hbpg_reading hbpg_reading_of_input(Plan *p, bool outer, hbpg_reading parent);

/* Notes the sub-plans that p reads. A sub-plan's readers have higher numbers, or are in the main plan. */
extern void hbpg_note_subplans(hbpg_rewriting *r, Plan *p, hbpg_reading reading);
extern hbpg_reading hbpg_reading_of_subplan(const hbpg_rewriting *r, int plan_id);

/* ---- pg_ahead.c: calls that may be evaluated before their row asks for them */

/* Whether the expression, or a column that p or a node below it computes ahead, has a function that is not LEAKPROOF. */
extern bool hbpg_is_leaky(Node *expression);

/* Whether nobody can notice that the expression is not evaluated, if its value is not needed. */
extern bool hbpg_can_be_skipped(Node *expression);
extern bool hbpg_computes_leaky(Plan *p, List *subplans);

/*
 * The calls that a node with these conditions, in their order, and this output may score in blocks; a call stands behind
 * those within it, and those of a condition before those of the next. `reading`: of the rows that the node gets.
 */
extern List *hbpg_choose_calls(List *conditions, Node *output, hbpg_reading reading);

/* ---- pg_node.c: the node of a plan */

/* A target list of the expressions; Vars of a plan's columns, as a node above sees them. */
extern List *hbpg_columns_of(List *atoms);
extern List *hbpg_columns_below(List *targets, Index varno);

/* A node between `child`, whose output is the atoms, and what asked it; its own output and conditions are still to come. */
extern CustomScan *hbpg_make_node(hbpg_rewriting *r, Plan *child, List *atoms, List *calls, hbpg_reading reading);

/* Notes which columns are `used` by more than the calls; whether to score this many rows with the node pays. */
extern bool hbpg_node_pays(CustomScan *node, double rows, List *atoms, List *calls, List *used);

/* The node becomes part of the plan. */
extern Plan *hbpg_put(CustomScan *node);

/* Whether somebody could notice that one row more is read from p than its parent, which reads as `reading` says, asks for. */
extern bool hbpg_has_effect(hbpg_rewriting *r, Plan *p, hbpg_reading reading);

/* ---- pg_above.c, pg_below.c: where it stands */

static inline bool
hbpg_is_join(Plan *p)
{
	return IsA(p, NestLoop) || IsA(p, MergeJoin) || IsA(p, HashJoin);
}

/* How a plan's rows are read by its parent; and by a node without conditions, which may move above a LIMIT. */
typedef struct hbpg_demand
{
	hbpg_reading rows;
	hbpg_reading output;
} hbpg_demand;

/* The node above p, or p where there is none; the node in the place of a Result. */
extern Plan *hbpg_put_above(hbpg_rewriting *r, Plan *p, hbpg_demand demand);
extern Plan *hbpg_put_in_place(hbpg_rewriting *r, Plan *p, hbpg_demand demand);

/* The node below p, or scores of one that is there. `reading`: of p's input. */
extern void hbpg_put_for_input(hbpg_rewriting *r, Plan *p, hbpg_reading reading);

/* Whether its whole target list is evaluated for each row of its input; aggregates look only at what is in them. */
extern bool hbpg_computes_each(const Plan *p);

/* Whether a condition ends the window of a partition early, or keeps it from being computed. */
extern bool hbpg_stops_early(const WindowAgg *w);

/* ---- pg_alone.c: plans without parallel workers, where a GPU does more than these */

/* True if the planner, with these options, may plan workers that could have to give way to the GPU. */
extern bool hbpg_may_plan_alone(int options);
extern bool hbpg_workers_score(PlannedStmt *statement);
/* True if the plan without workers takes less time by the GPU than the parallel one. */
extern bool hbpg_is_better_alone(PlannedStmt *alone, PlannedStmt *parallel);

/* ---- pg_plan.c */

extern void hbpg_plan_init(void);

/* ---- pg_statement.c: a statement that runs */

/* A statement begins, in this memory; its next run asks for `count` rows, or 0: all. */
extern void hbpg_mark_statement(MemoryContext memory);
extern void hbpg_note_run(QueryDesc *run, ScanDirection direction, uint64 count);

/* How many rows this run of the statement still asks for, or HBPG_ALL_ROWS; 0: not known. */
#define HBPG_ALL_ROWS PG_UINT64_MAX
extern uint64 hbpg_rows_left(EState *estate);

/* ---- pg_block.c: a call for a block of rows */

/* The rows that a node has gathered: [row][column], atoms first, then calls. */
typedef struct hbpg_rows
{
	int			width;
	int			n_atoms;		/* columns before those of calls */
	int			n;
	int			capacity;
	Datum	   *values;
	bool	   *nulls;
	bool	   *may_be_null;	/* [column]: of columns by value, whether any row has a NULL there; of others true */
	Bitmapset  *gathered;		/* columns that the rows have; others are NULL */
	bool		all_asked_for;	/* each row that passes the conditions will be asked for */
	bool	   *passed;			/* [capacity]: whether a row passed; for calls with of_passed */
	uint64		number;			/* of the block, of all that the node gathers */
	MemoryContext memory;		/* what the values point to; reset for each block */
	MemoryContext features;		/* what the columns of a piece point to; reset for each piece */
	MemoryContext single;		/* for one evaluation of an argument */
} hbpg_rows;

/* Whether the context may take more: a block of wide rows holds few of them. */
static inline bool
hbpg_has_room(MemoryContext context)
{
	return context->mem_allocated <= (Size) work_mem * 1024;
}

/* The source of a call's feature, or of an element of a row. */
typedef struct hbpg_source
{
	int			column;			/* of the rows; -1: */
	struct ExprState *state;	/* evaluated for each row.. */
	bool		always;			/* ..also if no used feature has it */
	bool		used;			/* by a feature that is; by all if there is no scorer */
	Bitmapset  *columns;		/* of the rows, that it looks at */
	Oid			type;
	int16		length;			/* of the type */
	bool		by_value;
} hbpg_source;

typedef enum hbpg_form
{
	HBPG_COLUMNS,				/* a source for each feature: scalars, or the elements of ARRAY[..] */
	HBPG_NAMED_COLUMNS,			/* ROW(..), a table's row: the model says which are its features */
	HBPG_ARRAYS,				/* one source, whose values are arrays.. */
	HBPG_RECORDS				/* ..or rows */
} hbpg_form;

typedef struct hbpg_cells
{
	hbs_type	type;
	void	   *values;			/* [run_rows] */
	Size		size;			/* of a value */
	uint64	   *valid;			/* [run_rows / 64] */
} hbpg_cells;

/* A block that was sent to a GPU, before its rows ask for scores. */
typedef struct hbpg_flight
{
	uint64		number;			/* of the block of rows */
	uint64		serial;			/* of the scorer */
	int			n;
	uint32		outputs;
	bool	   *left_out;		/* [n], in the memory of the rows */
} hbpg_flight;

typedef struct hbpg_block_call
{
	hbpg_call	call;
	int			column;			/* of the rows: its result */
	List	   *inner;			/* hbpg_block_call: calls in its arguments */
	List	   *given;			/* its arguments but the one behind the model */
	struct hbpg_block_call *leader;	/* the first call that is given the same; NULL: this one is */
	List	   *followers;		/* of the leader: calls that it scores for, once they have found their model */
	struct ExprState *model;
	struct ExprState *behind_model; /* the argument between model and features; NULL: there is none */
	hbpg_form	form;
	int			n_sources;
	hbpg_source *sources;
	struct TupleDescData *row;	/* of HBPG_NAMED_COLUMNS */
	struct ExprState *by_row;	/* the call itself, for rows that the block does not take */
	Size		row_bytes;		/* of a gathered row, for a block that goes to a GPU.. */
	Size		referred_bytes; /* ..and of what it refers to.. */
	int			n_beside;		/* ..with columns for so many calls */
	uint64		expected_rows;	/* as the planner says */
	bool		leaky;			/* its features are: evaluated only for rows that are asked for */
	bool		of_passed;		/* evaluated only for rows that have passed the conditions before the call */
	/* for a scorer */
	hbpg_scorer *scorer;
	uint64		serial;			/* of the scorer */
	bool		settled;		/* the next rows will be scored by it too */
	uint32		outputs;		/* that the columns serve */
	uint64		made;			/* number of the columns, of all that this session has made */
	bool	   *used;			/* [features]: whether the outputs need it; columns of others are HBS_NULL */
	hbpg_cells *cells;			/* [features] */
	hbs_column *columns;		/* [features] */
	double	   *turned;			/* columns of pg_turned.c; NULL: not needed so far */
	bool		one_by_one;		/* hbpg_pays_one_by_one */
	int		   *selected;		/* [run_rows]: rows of the piece that is scored */
	MemoryContext room;			/* of these */
	/* on their way to a GPU, the oldest first */
	int			n_flights;
	hbpg_flight flights[HBS_DEVICE_BLOCKS];
	/* for the rows at hand */
	bool		ready;
	size_t		choice;			/* hbpg_find_choice */
	bool	   *scored;			/* [capacity] */
	/* since the node began */
	bool		measured;		/* its operators too */
	int64		n_rows;
	int64		n_blocks;
	double		nanoseconds;
} hbpg_block_call;

/*
 * `call` is in terms of the rows' columns. `inner` are calls that stand before it, by whose results it may be given
 * (Vars behind the `n_atoms` first). In the current memory context, in which all of it stays.
 */
extern hbpg_block_call *hbpg_block_call_make(struct FuncExpr *call, int column, List *before, int n_atoms,
											 struct PlanState *parent);

/* There is room for so many rows. */
extern void hbpg_block_call_room(hbpg_block_call *call, int capacity);

/* Parameters that the call is given may be others now. */
extern void hbpg_block_call_restart(hbpg_block_call *call);

/*
 * Which columns rows must have for the call: at first all that it is given, and those of used features once the model is
 * known. A number that changes with them; 0: all.
 */
extern uint64 hbpg_columns_number(const hbpg_block_call *call);
extern Bitmapset *hbpg_columns_needed(const hbpg_block_call *call, Bitmapset *others);

/*
 * Sees to it that the row's result is among the columns: scores this row and those behind it in a block, or evaluates the
 * call for it. `context` has the slot in which expressions look at a row; afterwards it shows this one.
 */
extern void hbpg_block_need(hbpg_block_call *call, hbpg_rows *rows, int row, struct ExprContext *context);

/* The same, but the result is NULL where the call would have to be evaluated. */
extern void hbpg_block_try(hbpg_block_call *call, hbpg_rows *rows, int row, struct ExprContext *context);

/*
 * Sends the rows to the GPU that scores the call's blocks, so that it works while others are gathered and read. They are sent in
 * the order in which they are read, and each block's first row needs the call.
 */
extern bool hbpg_block_sends(const hbpg_block_call *call);
/* The call whose blocks on the GPU have the scores: this one, or its leader. */
extern const hbpg_block_call *hbpg_block_sender(const hbpg_block_call *call);
extern void hbpg_block_send(hbpg_block_call *call, hbpg_rows *rows, struct ExprContext *context);

/* ---- pg_room.c: how many rows a block has that goes to a GPU */

/* Notes what is known of a node's rows before a model is. */
extern void hbpg_note_room(List *calls, int width, const Bitmapset *beside, const Plan *child, List *range_table);

/* Within work_mem; 0: none. */
extern Size hbpg_rows_with_room(const hbpg_block_call *call, const hbs_plan_info *info);

/* About the same before there is a call, for a plan's node with so many columns and calls; `single`: features are in one value. */
extern Size hbpg_rows_planned(int width, int n_calls, bool single, const hbs_plan_info *info);

/* Bytes that a row takes in one of two blocks, but for values by reference; of calls whose models are known. */
extern Size hbpg_bytes_but_values(const List *calls);

/* ---- pg_columns.c: its features */

/* Some of the rows, which the core gets at once. */
typedef struct hbpg_piece
{
	hbpg_block_call *call;
	const hbpg_rows *rows;
	ExprContext *context;
	int			asks;			/* the row for which the block is scored */
	int			n;
	bool	   *left_out;		/* [n]: a row that is not for the block */
	Datum	   *datums;			/* [n]: of a source that is evaluated */
	bool	   *nulls;
	List	   *together;		/* hbpg_block_call: the calls that are scored */
	uint32		outputs;		/* that they need */
	bool		done;			/* the rows are scored already, one by one.. */
	int			n_done;			/* ..those before the first that is an error */
} hbpg_piece;

/* Room for the columns of the call's scorer, of the features that these outputs need. */
extern void hbpg_make_cells(hbpg_block_call *call, uint32 outputs);

/* Bytes of a value of this kind in a column. */
extern Size hbpg_cell_size(hbpg_kind kind);

/* Whether some feature has a type that no feature can have: then each row raises its own error. */
extern bool hbpg_is_refused(const hbpg_block_call *call);

/*
 * Fills the columns with the features of the rows that the call has selected, and marks those that it cannot take. Or
 * scores these rows one by one.
 */
extern void hbpg_take_features(hbpg_piece *p);

/* In pg_block.c: scores row i of the piece by itself and keeps its scores; false: it is an error. */
extern bool hbpg_score_single(hbpg_piece *p, int i, const double *numbers);

/* ---- pg_turned.c: rows that are arrays or records of numbers */

/* Whether all rows are of numbers alone, by the element's type or the map of the columns, and the model takes numbers only. */
extern bool hbpg_is_turned(const hbpg_block_call *call);

/* The array or record of a row of the piece; false: it is NULL. */
typedef bool (*hbpg_row_at) (const void *from, int i, Datum *row);

/* Fills the columns with them, and marks the rows that it cannot take. */
extern void hbpg_take_turned(hbpg_piece *p, hbpg_row_at at, const void *from);

/*
 * Whether such rows are scored sooner one by one: they are wide and the model is light, so that to turn them would take
 * longer than what a block saves.
 */
extern bool hbpg_pays_one_by_one(const hbpg_block_call *call);

/* Scores them so, until one is an error. */
extern void hbpg_take_one_by_one(hbpg_piece *p, hbpg_row_at at, const void *from);

/* Makes the slot show a row of a block: no values move. */
static inline void
hbpg_show_row(const hbpg_rows *rows, int row, TupleTableSlot *slot)
{
	slot->tts_values = rows->values + (Size) row * rows->width;
	slot->tts_isnull = rows->nulls + (Size) row * rows->width;
}

/* ---- pg_workers.c: what parallel workers count */

/* Those behind are counted as one, "others". */
enum { HBPG_MOST_OPERATORS = 128 };

/* One call's rows, blocks and time. */
typedef struct hbpg_counts
{
	int64		rows;
	int64		blocks;
	double		nanoseconds;
	bool		one_by_one;		/* whether this process, or a worker, scored rows one by one (hbpg_block_call) */
	hbpg_device_counts device;
	int			n_operators;
	struct
	{
		char		name[32];
		char		source[64]; /* as hbs_operator_time has it, cut to fit */
		uint64		nanoseconds;
	}			operators[HBPG_MOST_OPERATORS];
} hbpg_counts;

/* In the memory of a leader and its workers. */
typedef struct hbpg_shared hbpg_shared;

/* A node's counts while its plan is measured (EXPLAIN ANALYZE). */
typedef struct hbpg_sharing
{
	Plan	   *plan;			/* the node; NULL: it counts for itself alone */
	hbpg_shared *shared;		/* NULL: there are no workers */
	struct dsm_segment *segment;	/* of the leader: where that is */
	hbpg_counts *others;		/* [call]: of workers that have ended; NULL: there were none */
	MemoryContextCallback callback;
} hbpg_sharing;

/* Sets the counts of this process for the call. */
extern void hbpg_count_call(const hbpg_block_call *call, hbpg_counts *counts);
extern void hbpg_add_counts(hbpg_counts *to, const hbpg_counts *from);

/* From the node's beginning until the run is over it is asked for what it shares with workers. */
extern void hbpg_begin_sharing(hbpg_sharing *sharing, PlanState *state);
extern void hbpg_end_sharing(hbpg_sharing *sharing, PlanState *state);

/* In the leader: how large what is shared is; what workers have counted comes to `others`, which is in `memory`. */
extern Size hbpg_shared_size(int n_calls, int n_workers);
extern void hbpg_share(hbpg_sharing *sharing, hbpg_shared *shared, struct ParallelContext *parallel, MemoryContext memory,
					   int n_calls);

/* In a worker, as it begins and when it has counted; elsewhere there is nothing to tell. */
extern void hbpg_join_sharing(hbpg_sharing *sharing, hbpg_shared *shared, MemoryContext memory);
extern void hbpg_tell_counts(const hbpg_sharing *sharing, List *calls);

/* ---- pg_scan.c */

/* The run is over: nodes of the plan share nothing any more. A walker. */
extern bool hbpg_end_sharing_below(PlanState *state, void *context);

extern const CustomScanMethods hbpg_scan_methods;

static inline bool
hbpg_is_batch_node(Plan *plan)
{
	return IsA(plan, CustomScan) && ((CustomScan *) plan)->methods == &hbpg_scan_methods;
}

/*
 * In custom_private of the node: how many atoms and calls; a list of the columns that are used beside by the calls; one of
 * the output columns that the node above looks at later, and in which a row's error is a NULL; how far its rows are read
 * (hbpg_reading); hbpg_interface.
 */
enum { HBPG_ATOMS, HBPG_CALLS, HBPG_USED, HBPG_LATER, HBPG_READING, HBPG_MADE_BY };

/* ---- pg_explain.c */

/*
 * The lines of the node's calls (hbpg_block_call), whose blocks have so many rows at most. `others`: for each, what workers
 * counted; NULL: there were none. `parallel`: workers run the node.
 */
extern void hbpg_explain(List *calls, const hbpg_counts *others, int most_rows, bool parallel, CustomScanState *node,
						 struct ExplainState *es);

#pragma GCC visibility pop

#endif							/* PG_BATCH_H */
