/* chunks.c - a node of another extension above scans that it keeps for itself, as an append that leaves out chunks of a
 * hypertable does: the rows of a table whose name begins with "chunked", and of its heirs. The scans are its
 * custom_plans. (The planner makes the paths of a partitioned table anew when it knows what is asked for, and drops those
 * of extensions.) */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/extensible.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "chunks.h"

typedef struct chunks_state {
    CustomScanState css;
    int current; /* of custom_ps */
} chunks_state;

/* ------------------------------------------------------------------ the rows */

static void begin(CustomScanState *node, EState *estate, int flags)
{
    ListCell *cell;

    foreach (cell, ((CustomScan *)node->ss.ps.plan)->custom_plans)
        node->custom_ps = lappend(node->custom_ps, ExecInitNode(lfirst(cell), estate, flags));
}

/* The scan slot is one of values, whatever a chunk's scan hands out. */
static TupleTableSlot *next(ScanState *node)
{
    chunks_state *s = (chunks_state *)node;
    TupleTableSlot *slot = node->ss_ScanTupleSlot;

    ExecClearTuple(slot);
    for (; s->current < list_length(s->css.custom_ps); s->current++) {
        TupleTableSlot *row = ExecProcNode(list_nth(s->css.custom_ps, s->current));

        if (TupIsNull(row))
            continue;
        slot_getallattrs(row);
        memcpy(slot->tts_values, row->tts_values, sizeof(Datum) * row->tts_nvalid);
        memcpy(slot->tts_isnull, row->tts_isnull, sizeof(bool) * row->tts_nvalid);
        return ExecStoreVirtualTuple(slot);
    }
    return slot;
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
    ListCell *cell;

    foreach (cell, node->custom_ps)
        ExecEndNode(lfirst(cell));
}

static void rescan(CustomScanState *node)
{
    ListCell *cell;

    foreach (cell, node->custom_ps) {
        if (node->ss.ps.chgParam)
            UpdateChangedParamSet(lfirst(cell), node->ss.ps.chgParam);
        if (!((PlanState *)lfirst(cell))->chgParam)
            ExecReScan(lfirst(cell));
    }
    ((chunks_state *)node)->current = 0;
    ExecScanReScan(&node->ss);
}

static const CustomExecMethods exec_methods = {
    .CustomName = "Chunks",
    .BeginCustomScan = begin,
    .ExecCustomScan = execute,
    .EndCustomScan = end,
    .ReScanCustomScan = rescan,
};

static Node *create(CustomScan *plan)
{
    chunks_state *s = (chunks_state *)newNode(sizeof(chunks_state), T_CustomScanState);

    s->css.methods = &exec_methods;
    return (Node *)s;
}

static const CustomScanMethods scan_methods = {.CustomName = "Chunks",
                                               .CreateCustomScanState = create};

/* ------------------------------------------------------------------ the plan */

/* Conditions have gone down to the chunks; the columns are those of the time when their paths were made. */
static Plan *make_plan(PlannerInfo *root, RelOptInfo *relation, CustomPath *path, List *targets,
                       List *clauses, List *plans)
{
    CustomScan *plan = makeNode(CustomScan);

    plan->methods = &scan_methods;
    plan->flags = path->flags;
    plan->custom_plans = plans;
    plan->custom_scan_tlist = add_to_flat_tlist(NIL, copyObject(path->custom_private));
    plan->scan.plan.targetlist = targets;
    return &plan->scan.plan;
}

static const CustomPathMethods path_methods = {.CustomName = "Chunks", .PlanCustomPath = make_plan};

static set_rel_pathlist_hook_type next_pathlist;

static void add_path_of_chunks(PlannerInfo *root, RelOptInfo *relation, Index index,
                               RangeTblEntry *entry)
{
    Path *append = relation->pathlist ? linitial(relation->pathlist) : NULL;
    CustomPath *path;

    if (next_pathlist)
        next_pathlist(root, relation, index, entry);
    if (!append || !IsA(append, AppendPath) || (int)index == root->parse->resultRelation ||
        entry->rtekind != RTE_RELATION ||
        strncmp(get_rel_name(entry->relid), "chunked", strlen("chunked")) != 0)
        return;
    path = makeNode(CustomPath);
    path->path = *append;
    path->path.type = T_CustomPath;
    path->path.pathtype = T_CustomScan;
    path->path.pathkeys = NIL;
    path->path.parallel_safe = false;
#if PG_VERSION_NUM >= 150000
    path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
#endif
    path->custom_paths = ((AppendPath *)append)->subpaths;
    path->custom_private = list_copy(relation->reltarget->exprs);
    path->methods = &path_methods;
    relation->pathlist = list_make1(path);
    relation->partial_pathlist = NIL;
}

void chunks_init(void)
{
    RegisterCustomScanMethods(&scan_methods);
    next_pathlist = set_rel_pathlist_hook;
    set_rel_pathlist_hook = add_path_of_chunks;
}
