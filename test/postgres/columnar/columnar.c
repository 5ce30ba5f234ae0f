/* columnar.c - an extension with a scan of its own, as column stores have: of a table whose name begins with "columnar" it
 * hands out the columns that its node of the plan refers to, and the others are NULL. shapes.sql loads it. */
#include "postgres.h"

#include "access/relscan.h"
#include "access/sysattr.h"
#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/extensible.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "chunks.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

typedef struct columnar_state {
    CustomScanState css;
    TableScanDesc scan;
    TupleTableSlot *row;
    Bitmapset *columns; /* those that are referred to, as pull_varattnos has them */
} columnar_state;

/* ------------------------------------------------------------------ the scan */

static void begin(CustomScanState *node, EState *estate, int flags)
{
    columnar_state *s = (columnar_state *)node;
    Scan *plan = &((CustomScan *)node->ss.ps.plan)->scan;

    pull_varattnos((Node *)plan->plan.targetlist, plan->scanrelid, &s->columns);
    pull_varattnos((Node *)plan->plan.qual, plan->scanrelid, &s->columns);
    s->row = table_slot_create(node->ss.ss_currentRelation, NULL);
    s->scan = table_beginscan(node->ss.ss_currentRelation, estate->es_snapshot, 0, NULL);
}

static bool is_asked_for(const columnar_state *s, int column)
{
    return bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, s->columns) ||
           bms_is_member(column + 1 - FirstLowInvalidHeapAttributeNumber, s->columns);
}

static TupleTableSlot *next(ScanState *node)
{
    columnar_state *s = (columnar_state *)node;
    TupleTableSlot *slot = node->ss_ScanTupleSlot;

    ExecClearTuple(slot);
    if (!table_scan_getnextslot(s->scan, ForwardScanDirection, s->row))
        return slot;
    slot_getallattrs(s->row);
    for (int i = 0; i < s->row->tts_nvalid; i++) {
        slot->tts_isnull[i] = !is_asked_for(s, i) || s->row->tts_isnull[i];
        slot->tts_values[i] = slot->tts_isnull[i] ? (Datum)0 : s->row->tts_values[i];
    }
    slot->tts_tid = s->row->tts_tid;
    return ExecStoreVirtualTuple(slot);
}

static bool recheck(ScanState *node, TupleTableSlot *slot)
{
    return true;
}

static TupleTableSlot *execute(CustomScanState *node)
{
    return ExecScan(&node->ss, next, recheck);
}

static void end(CustomScanState *node)
{
    columnar_state *s = (columnar_state *)node;

    ExecDropSingleTupleTableSlot(s->row);
    table_endscan(s->scan);
}

static void rescan(CustomScanState *node)
{
    table_rescan(((columnar_state *)node)->scan, NULL);
    ExecScanReScan(&node->ss);
}

static const CustomExecMethods exec_methods = {
    .CustomName = "Columnar",
    .BeginCustomScan = begin,
    .ExecCustomScan = execute,
    .EndCustomScan = end,
    .ReScanCustomScan = rescan,
};

static Node *create(CustomScan *plan)
{
    columnar_state *s = (columnar_state *)newNode(sizeof(columnar_state), T_CustomScanState);

    s->css.methods = &exec_methods;
    return (Node *)s;
}

static const CustomScanMethods scan_methods = {.CustomName = "Columnar", .CreateCustomScanState = create};

/* ------------------------------------------------------------------ the plan */

static Plan *make_plan(PlannerInfo *root, RelOptInfo *relation, CustomPath *path, List *targets, List *clauses, List *plans)
{
    CustomScan *plan = makeNode(CustomScan);

    plan->methods = &scan_methods;
    plan->flags = path->flags;
    plan->scan.scanrelid = relation->relid;
    plan->scan.plan.targetlist = targets;
    plan->scan.plan.qual = extract_actual_clauses(clauses, false);
    return &plan->scan.plan;
}

static const CustomPathMethods path_methods = {.CustomName = "Columnar", .PlanCustomPath = make_plan};

static set_rel_pathlist_hook_type next_pathlist;

static void add_path_of_columns(PlannerInfo *root, RelOptInfo *relation, Index index, RangeTblEntry *entry)
{
    CustomPath *path;

    if (next_pathlist)
        next_pathlist(root, relation, index, entry);
    if (entry->rtekind != RTE_RELATION || strncmp(get_rel_name(entry->relid), "columnar", strlen("columnar")) != 0)
        return;
    path = makeNode(CustomPath);
    path->path.pathtype = T_CustomScan;
    path->path.parent = relation;
    path->path.pathtarget = relation->reltarget;
    path->path.rows = relation->rows;
    path->path.total_cost = relation->rows;
#if PG_VERSION_NUM >= 150000
    path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
#endif
    path->methods = &path_methods;
    relation->pathlist = list_make1(path);
    relation->partial_pathlist = NIL;
}

void _PG_init(void)
{
    RegisterCustomScanMethods(&scan_methods);
    next_pathlist = set_rel_pathlist_hook;
    set_rel_pathlist_hook = add_path_of_columns;
    chunks_init();
}
