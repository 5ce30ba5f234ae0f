/*
 * pg_calls.c - calls of scoring functions in expressions: which of them a block can score, and columns in their place.
 */
#include "pg_batch.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

/* ---- what a call is */

/* Whether it works for one row at a time only, or must not be evaluated ahead. Calls within calls do not count. */
static bool
is_for_single_rows(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || IsA(node, Aggref) || IsA(node, WindowFunc) ||
		IsA(node, GroupingFunc) || IsA(node, CurrentOfExpr) || IsA(node, NextValueExpr))
		return true;
	return expression_tree_walker(node, is_for_single_rows, context);
}

List *
hbpg_features_of(const FuncExpr *call)
{
	return list_copy_tail(call->args, hbpg_entry_of(call->funcid)->leading);
}

/* A JSON document is parsed row by row, and an untyped NULL alone is a row that is NULL. */
static bool
is_read_by_block(List *features)
{
	hbpg_type	type = {0};

	if (list_length(features) != 1)
		return features != NIL;
	hbpg_type_init(&type, exprType(linitial(features)), CurrentMemoryContext);
	return type.kind != HBPG_JSON && type.kind != HBPG_JSONB && type.kind != HBPG_CSTRING;
}

/* A label may be none of the server's encoding, which is an error of its row alone. */
static bool
gives_any_text(hbs_function function)
{
	return hbpg_gives_labels(function) && GetDatabaseEncoding() != PG_UTF8;
}

/* The model, and the argument behind it, are the same for all rows of a block. */
static bool
can_be_scored_by_block(FuncExpr *call)
{
	const hbpg_entry *entry = hbpg_entry_of(call->funcid);
	List	   *leading;

	if (!entry || list_length(call->args) <= entry->leading || gives_any_text(entry->function))
		return false;
	leading = list_truncate(list_copy(call->args), entry->leading);
	return !contain_var_clause((Node *) leading) && !is_for_single_rows((Node *) call->args, NULL) &&
		!contain_volatile_functions((Node *) call->args) && !expression_returns_set((Node *) call->args) &&
		is_read_by_block(hbpg_features_of(call));
}

static bool
has_call(Node *node, void *context)
{
	if (!node)
		return false;
	if (IsA(node, FuncExpr) && hbpg_entry_of(((FuncExpr *) node)->funcid))
		return true;
	return expression_tree_walker(node, has_call, context);
}

bool
hbpg_has_call(Node *expression)
{
	return has_call(expression, NULL);
}

/* ---- collecting */

static bool collect_calls(Node *node, void *calls);

/* AND, OR, COALESCE, CASE and the like stop when their value is known: only their first part is always evaluated. */
static bool
collect_from_lazy(Node *node, List **calls)
{
	switch (nodeTag(node))
	{
		case T_BoolExpr:
			return collect_calls(linitial(((BoolExpr *) node)->args), calls);
		case T_CoalesceExpr:
			return collect_calls(linitial(((CoalesceExpr *) node)->args), calls);
		case T_CaseExpr:
			collect_calls((Node *) ((CaseExpr *) node)->arg, calls);
			return collect_calls((Node *) linitial_node(CaseWhen, ((CaseExpr *) node)->args)->expr, calls);
		case T_RowCompareExpr:
			collect_calls(linitial(((RowCompareExpr *) node)->largs), calls);
			return collect_calls(linitial(((RowCompareExpr *) node)->rargs), calls);
		case T_SubscriptingRef:
			if (((SubscriptingRef *) node)->refassgnexpr)
				return false;
			return collect_calls((Node *) ((SubscriptingRef *) node)->refexpr, calls);
		case T_ArrayCoerceExpr:
			return collect_calls((Node *) ((ArrayCoerceExpr *) node)->arg, calls);
		default:
			return false;
	}
}

/* Whether an evaluation of the node evaluates all of its arguments. */
static bool
evaluates_all(Node *node)
{
	switch (nodeTag(node))
	{
		case T_List:
		case T_TargetEntry:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ConvertRowtypeExpr:
		case T_CollateExpr:
		case T_FieldSelect:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_MinMaxExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CoerceToDomain:
			return true;
		default:
			return false;
	}
}

/* A call within that no block scores would be evaluated for rows that nobody has asked for yet, and could be an error of one. */
static bool
has_other_call(Node *node, void *calls)
{
	if (!node)
		return false;
	if (IsA(node, FuncExpr) && hbpg_entry_of(((FuncExpr *) node)->funcid))
		return !list_member(calls, node);
	return expression_tree_walker(node, has_other_call, calls);
}

/* A call stands behind those within it. Never stops. */
static bool
collect_calls(Node *node, void *context)
{
	List	  **calls = context;

	if (!node)
		return false;
	if (!evaluates_all(node))
		return collect_from_lazy(node, calls);
	expression_tree_walker(node, collect_calls, calls);
	if (IsA(node, FuncExpr) && can_be_scored_by_block((FuncExpr *) node) &&
		!has_other_call((Node *) ((FuncExpr *) node)->args, *calls))
		*calls = list_append_unique(*calls, node);
	return false;
}

List *
hbpg_collect_calls(List *calls, Node *expression)
{
	collect_calls(expression, &calls);
	return calls;
}

typedef struct atoms
{
	List	   *found;
	bool		window_functions;
} atoms;

static bool
is_atom(Node *node, bool window_functions)
{
	return IsA(node, Var) || (window_functions && IsA(node, WindowFunc));
}

static bool
collect_atoms(Node *node, void *context)
{
	atoms	   *wanted = context;

	if (!node)
		return false;
	if (!is_atom(node, wanted->window_functions))
		return expression_tree_walker(node, collect_atoms, context);
	wanted->found = list_append_unique(wanted->found, node);
	return false;
}

List *
hbpg_collect_atoms(List *found, Node *expression, bool window_functions)
{
	atoms		wanted = {found, window_functions};

	collect_atoms(expression, &wanted);
	return wanted.found;
}

/* ---- columns in their place */

typedef struct replacing
{
	List	   *atoms;
	List	   *calls;
	List	   *columns;		/* for each call; NIL: those behind the atoms */
	Index		varno;
} replacing;

/*
 * From version 16 on a Var also tells which outer joins can have made it NULL; it is the same column whatever they are. A whole
 * row comes in several types: as its table's, and, in a change of a foreign table, as any record.
 */
static bool
is_same(Node *one, Node *other)
{
	Var		   *column = (Var *) one;
	Var		   *with = (Var *) other;

	if (!IsA(one, Var) || !IsA(other, Var))
		return equal(one, other);
	return column->varno == with->varno && column->varattno == with->varattno && column->vartype == with->vartype;
}

static int
place_of(List *list, Node *node)
{
	ListCell   *cell;

	foreach(cell, list)
	{
		if (is_same(lfirst(cell), node))
			return foreach_current_index(cell) + 1;
	}
	return 0;
}

static Node *
column_in_place(const replacing *with, int place, Node *node)
{
	return (Node *) makeVar(with->varno, place, exprType(node), exprTypmod(node), exprCollation(node), 0);
}

static Node *
replace_calls_mutator(Node *node, void *context)
{
	replacing  *with = context;
	int			place;

	if (!node)
		return NULL;
	if (IsA(node, FuncExpr) && (place = place_of(with->calls, node)) > 0)
		return with->columns ? (Node *) copyObject(list_nth(with->columns, place - 1)) :
			column_in_place(with, list_length(with->atoms) + place, node);
	if (is_atom(node, true) && (place = place_of(with->atoms, node)) > 0)
		return column_in_place(with, place, node);
	return expression_tree_mutator(node, replace_calls_mutator, context);
}

Node *
hbpg_replace(Node *expression, List *atoms, List *calls, Index varno)
{
	replacing	with = {atoms, calls, NIL, varno};

	return replace_calls_mutator(expression, &with);
}

Node *
hbpg_replace_calls(Node *expression, List *calls, List *columns)
{
	replacing	with = {NIL, calls, columns, 0};

	return replace_calls_mutator(expression, &with);
}

/* ---- whole rows */

typedef struct spreading
{
	Index		relation;
	Relation	table;
} spreading;

static Expr *
column_of_whole_row(const spreading *with, Form_pg_attribute column)
{
	return (Expr *) makeVar(with->relation, column->attnum, column->atttypid, column->atttypmod, column->attcollation, 0);
}

/* The column of the table with this one's name; a partition's columns may stand in another order than its parent's. */
static Expr *
attribute_like(const spreading *with, Form_pg_attribute wanted)
{
	TupleDesc	columns = RelationGetDescr(with->table);

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (!column->attisdropped && strcmp(NameStr(column->attname), NameStr(wanted->attname)) == 0)
			return column_of_whole_row(with, column);
	}
	return NULL;
}

/* A row of the type `wanted` from the relation's columns; NULL: it lacks one of them. */
static Node *
row_of_columns(const spreading *with, Oid wanted)
{
	TupleDesc	columns = lookup_rowtype_tupdesc_copy(wanted, -1);
	RowExpr    *row = makeNode(RowExpr);

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);
		Expr	   *value = column->attisdropped ? (Expr *) makeNullConst(INT4OID, -1, InvalidOid) :
			attribute_like(with, column);

		if (!value)
			return NULL;
		row->args = lappend(row->args, value);
	}
	row->row_typeid = wanted;
	row->row_format = COERCE_IMPLICIT_CAST;
	row->location = -1;
	return (Node *) row;
}

static bool
is_row_of(Node *node, Index relation)
{
	return IsA(node, Var) && ((Var *) node)->varno == relation && ((Var *) node)->varattno == InvalidAttrNumber &&
		((Var *) node)->vartype != RECORDOID;
}

/* The row itself, or converted to its parent's type. */
static Node *
spread_row(const spreading *with, Node *row)
{
	Node	   *inner = row;

	while (IsA(inner, ConvertRowtypeExpr))
		inner = (Node *) ((ConvertRowtypeExpr *) inner)->arg;
	return is_row_of(inner, with->relation) ? row_of_columns(with, exprType(row)) : NULL;
}

static Node *
spread_rows(Node *node, void *context)
{
	FuncExpr   *call = (FuncExpr *) node;
	const hbpg_entry *entry;
	Node	   *row;

	if (!node)
		return NULL;
	entry = IsA(node, FuncExpr) ? hbpg_entry_of(call->funcid) : NULL;
	if (!entry || list_length(call->args) != entry->leading + 1 ||
		(row = spread_row(context, llast(call->args))) == NULL)
		return expression_tree_mutator(node, spread_rows, context);
	call = (FuncExpr *) copyObject(node);
	call->args = lappend(list_truncate(call->args, entry->leading), row);
	return (Node *) call;
}

List *
hbpg_spread_rows(List *expressions, Index relation, Oid table)
{
	spreading	with = {relation, table_open(table, NoLock)};
	List	   *spread = (List *) spread_rows((Node *) expressions, &with);

	table_close(with.table, NoLock);
	return spread;
}
