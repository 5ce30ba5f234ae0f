/* catboost_sums.c - finds the ctrs of a sum of models that certainly read one table.
 *
 * sum_models puts the trees of one model behind those of another, and merges tables of one name, or keeps them
 * apart (KeepAllTables). The file does not say which. If it keeps tables apart, each ctr is in the trees of one model
 * only. So if a ctr is in trees 2 and 7, these belong to one model, or the tables are merged. A seam is a place between
 * trees that no ctr spans. Ctrs with a seam between them may read two tables; others read one. */
#include "format/catboost.h"

/* The first and the last tree that a ctr is in. */
typedef struct span {
    uint32_t first, last;
} span;

static const span NOWHERE = {UINT32_MAX, 0};

/* Nodes test columns by now: those of ctrs are the last ones. */
static hbs_status find_spans(const hb_catboost_file *file, span *spans)
{
    const hb_forest_model *forest = file->forest;
    const hb_tree_node *nodes = forest->nodes.items;
    const uint32_t *starts = forest->starts.items;
    hb_work *work = &file->pipeline->arena.memory->work;
    size_t n_trees = forest->starts.count, before = forest->n_features - file->ctrs.count;

    for (size_t i = 0; i < file->ctrs.count; i++)
        spans[i] = NOWHERE;
    for (uint32_t i = 0, tree = 0; i < forest->nodes.count; i++) {
        span *s;

        HB_TRY(hb_worked(work, 4, file->error));
        while (tree + 1 < n_trees && starts[tree + 1] <= i)
            tree++;
        if (nodes[i].left == HB_NO_CHILD || (size_t)nodes[i].feature < before)
            continue;
        s = &spans[(size_t)nodes[i].feature - before];
        s->first = s->first < tree ? s->first : tree;
        s->last = tree;
    }
    return HBS_OK;
}

static int compare_spans(const void *context, uint32_t a, uint32_t b)
{
    const span *spans = context;

    return (spans[a].first > spans[b].first) - (spans[a].first < spans[b].first);
}

hbs_status hb_catboost_sum_parts(const hb_catboost_file *file, uint32_t **parts)
{
    hb_arena *arena = &file->pipeline->arena;
    size_t n = file->ctrs.count;
    span *spans = hb_arena_array(arena, n, sizeof(*spans));
    uint32_t *order = NULL, part = 0, last = 0;

    *parts = hb_arena_array(arena, n, sizeof(**parts));
    if (!spans || !*parts)
        return hb_catboost_no_memory(file);
    HB_TRY(find_spans(file, spans));
    HB_TRY(hb_catboost_sorted(file, n, spans, compare_spans, &order));
    for (size_t i = 0; i < n; i++) {
        const span *s = &spans[order[i]];

        HB_TRY(hb_worked(&arena->memory->work, 4, file->error));
        part += i > 0 && s->first > last; /* a seam, or in no tree: alone */
        last = s->first == NOWHERE.first ? 0 : s->last > last ? s->last : last;
        (*parts)[order[i]] = part;
    }
    return HBS_OK;
}
