/* catboost_tables.c - the table of ctr_data that each ctr reads.
 *
 * Training counts the categories once for each target, and once for each way to cut a target into classes
 * (TargetBorderCount). A table of ctr_data is named by its combination of features and its type of ctr alone, so
 * of several such tables the file keeps one, and nothing in the file says whose. Ctrs that share a name are
 * therefore read only where training made one table of that name. A name with a single ctr is always good: the
 * file has a table for each ctr that trees use, and no other. */
#include <string.h>

#include "format/catboost.h"

/* ---- ctrs find their tables */

static int compare_identifiers(const void *context, uint32_t a, uint32_t b)
{
    const hb_catboost_table *tables = context;

    return (tables[a].identifier > tables[b].identifier) - (tables[a].identifier < tables[b].identifier);
}

/* Binary search for the table of an identifier. */
static bool find_table(const hb_catboost_table *tables, const uint32_t *order, size_t n, uint64_t identifier,
                       uint32_t *table)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (tables[order[middle]].identifier < identifier)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n || tables[order[low]].identifier != identifier)
        return false;
    *table = order[low];
    return true;
}

static hbs_status find_tables(const hb_catboost_file *file)
{
    const hb_catboost_table *tables = file->tables.items;
    hb_catboost_ctr *ctrs = file->ctrs.items;
    size_t n = file->tables.count;
    uint32_t *order = NULL;

    HB_TRY(hb_catboost_sorted(file, n, tables, compare_identifiers, &order));
    for (size_t i = 0; i < file->ctrs.count; i++) {
        HB_TRY(hb_worked(&file->pipeline->arena.memory->work, 32, file->error));
        if (!find_table(tables, order, n, ctrs[i].identifier, &ctrs[i].statistic.table))
            return hb_fail(file->error, HBS_E_FORMAT, "ctr %zu has no table in ctr_data: the model was not saved whole",
                           i);
    }
    return HBS_OK;
}

/* ---- ctrs that share a table */

typedef enum reason { ONE_TABLE, SEVERAL_TARGETS, SEVERAL_CUTS, UNKNOWN_TRAINING } reason;

/* By identifier, so that ctrs of one table stand together. */
static int compare_ctrs(const void *context, uint32_t a, uint32_t b)
{
    const hb_catboost_ctr *x = (const hb_catboost_ctr *)context + a;
    const hb_catboost_ctr *y = (const hb_catboost_ctr *)context + b;
    const float of_x[] = {x->statistic.prior, x->statistic.prior_total, x->statistic.shift, x->statistic.scale};
    const float of_y[] = {y->statistic.prior, y->statistic.prior_total, y->statistic.shift, y->statistic.scale};

    if (x->identifier != y->identifier)
        return x->identifier < y->identifier ? -1 : 1;
    if (x->statistic.target != y->statistic.target)
        return x->statistic.target < y->statistic.target ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (of_x[i] < of_y[i] || of_x[i] > of_y[i])
            return of_x[i] < of_y[i] ? -1 : 1;
    return 0;
}

/* The feature whose own ctr settings decide; NULL for combinations. */
static const hb_element *single_category(const hb_catboost_file *file, const hb_catboost_ctr *ctr)
{
    const hb_element *first = (const hb_element *)file->elements.items + ctr->statistic.first_element;

    return ctr->statistic.n_elements == 1 && first->kind == HB_ELEMENT_HASH ? first : NULL;
}

/* (*cuts)[feature] becomes hb_catboost_cuts.kinds: the types of ctr whose target was cut in several ways. */
static hbs_status place_cuts(const hb_catboost_file *file, uint8_t **cuts)
{
    const hb_catboost_cuts *own = file->feature_cuts.items;
    size_t n = file->pipeline->n_features;

    *cuts = hb_arena_array(&file->pipeline->arena, n, 1);
    if (!*cuts)
        return hb_catboost_no_memory(file);
    memset(*cuts, file->simple_cuts, n);
    for (size_t i = 0; i < file->feature_cuts.count; i++) {
        if (own[i].feature >= n)
            return hb_fail(file->error, HBS_E_FORMAT, "per_feature_ctrs: feature %u of %zu", (unsigned)own[i].feature,
                           n);
        (*cuts)[own[i].feature] = own[i].kinds;
    }
    return HBS_OK;
}

static reason why_in_model(const hb_catboost_file *file, const uint8_t *cuts, const hb_catboost_ctr *ctr)
{
    const hb_element *single = single_category(file, ctr);
    uint8_t several = single ? cuts[single->column] : file->combination_cuts;

    return several >> ctr->statistic.kind & 1 ? SEVERAL_CUTS : ONE_TABLE;
}

/* The lists of ctrs of summed models may differ: all must cut the target in the same way. */
static reason why_in_sum(const hb_catboost_file *file)
{
    return file->loss.size > 0 && file->has_cut && !file->cuts_differ ? ONE_TABLE : UNKNOWN_TRAINING;
}

/* Why two ctrs of one name may read different tables. `parts` is NULL unless the file is a sum of models. */
static reason why_several(const hb_catboost_file *file, const uint8_t *cuts, const uint32_t *parts, uint32_t a,
                          uint32_t b)
{
    const hb_catboost_ctr *ctr = (const hb_catboost_ctr *)file->ctrs.items + b;

    if (parts && parts[a] != parts[b])
        return UNKNOWN_TRAINING;
    if (ctr->statistic.kind == HB_STATISTIC_COUNTER)
        return ONE_TABLE;
    if (file->several_targets)
        return SEVERAL_TARGETS;
    return parts ? why_in_sum(file) : why_in_model(file, cuts, ctr);
}

#define WAY_OUT                                                                                          \
    "train with one_hot_max_size above the number of categories, or with \"Counter\" as simple_ctr and " \
    "combinations_ctr"

static hbs_status refuse_ctr(const hb_catboost_file *file, const hb_catboost_ctr *ctr, reason why)
{
    static const char *const texts[] = {
        [SEVERAL_TARGETS] = "were counted for each target, and CatBoost's JSON file keeps the counts of one "
                            "target: " WAY_OUT ", or one model for each target",
        [SEVERAL_CUTS] = "were counted with several TargetBorderCounts, and CatBoost's JSON file keeps the "
                         "counts of one: give all ctrs of one type the same TargetBorderCount",
        [UNKNOWN_TRAINING] = "may have been counted by several models (model_info has no params, as after "
                             "sum_models), and CatBoost's JSON file keeps the counts of one: register each "
                             "model by itself, or " WAY_OUT,
    };
    const hb_element *first = (const hb_element *)file->elements.items + ctr->statistic.first_element;
    hbs_text name = {"", 0};
    char shown[HB_EXCERPT_BUFFER];

    if (ctr->statistic.n_elements > 0)
        name = hb_pipeline_feature_name(file->pipeline, first->column);
    return hb_fail(file->error, HBS_E_UNSUPPORTED, "ctrs of feature \"%s\" %s", HB_SHOW(name, shown), texts[why]);
}

/* Two ctrs that are the same in all else also show that a name stands for two tables. This finds files whose training
 * parameters were cut out. */
static hbs_status check_shared(const hb_catboost_file *file)
{
    const hb_catboost_ctr *ctrs = file->ctrs.items;
    size_t n = file->ctrs.count;
    uint32_t *order = NULL, *parts = NULL;
    uint8_t *cuts = NULL;

    HB_TRY(place_cuts(file, &cuts));
    if (!file->has_params)
        HB_TRY(hb_catboost_sum_parts(file, &parts));
    HB_TRY(hb_catboost_sorted(file, n, ctrs, compare_ctrs, &order));
    for (size_t i = 1; i < n; i++) {
        const hb_catboost_ctr *ctr = &ctrs[order[i]];
        reason why = ONE_TABLE;

        HB_TRY(hb_worked(&file->pipeline->arena.memory->work, 8, file->error));
        if (ctrs[order[i - 1]].identifier == ctr->identifier)
            why = why_several(file, cuts, parts, order[i - 1], order[i]);
        if (why == ONE_TABLE && compare_ctrs(ctrs, order[i - 1], order[i]) == 0)
            why = SEVERAL_CUTS;
        if (why != ONE_TABLE)
            return refuse_ctr(file, ctr, why);
    }
    return HBS_OK;
}

hbs_status hb_catboost_tables_join(hb_catboost_file *file)
{
    HB_TRY(find_tables(file));
    return check_shared(file);
}
