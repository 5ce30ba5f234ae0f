/* catboost_columns.c - the features, and the columns that splits test.
 *
 * Columns: the features in the order in which callers give them; one for each value that a one-hot split
 * compares a category with (0 or 1); one for each ctr. */
#include <stdio.h>
#include <string.h>

#include "format/apply_options.h"
#include "format/catboost.h"

static hb_work *work_of(const hb_catboost_file *file)
{
    return &file->pipeline->arena.memory->work;
}

static const hb_catboost_feature *features_of(const hb_catboost_file *file, bool categorical)
{
    return file->features[categorical].items;
}

/* ---- features */

/* The feature that stands at each place of a row. */
static hbs_status place_features(hb_catboost_file *file, const hb_catboost_feature **places, size_t n)
{
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < file->features[kind].count; i++) {
            const hb_catboost_feature *feature = features_of(file, kind) + i;

            HB_TRY(hb_worked(work_of(file), 2, file->error));
            if (feature->flat_index >= (int64_t)n || places[feature->flat_index])
                return hb_fail(file->error, HBS_E_FORMAT, "features_info: flat_feature_index %lld of %zu features",
                               (long long)feature->flat_index, n);
            places[feature->flat_index] = feature;
        }
    return HBS_OK;
}

static hbs_status hash_features(hb_catboost_file *file, const hb_catboost_feature *const *places, size_t n)
{
    uint8_t *hashed;

    if (file->features[1].count == 0)
        return HBS_OK;
    hashed = hb_arena_array(&file->pipeline->arena, n, 1);
    if (!hashed)
        return hb_catboost_no_memory(file);
    for (size_t i = 0; i < n; i++)
        hashed[i] = places[i]->categorical;
    file->pipeline->hashed = hashed;
    return HBS_OK;
}

/* A feature without a name is called by its place, as CatBoost does (feature_names_). */
static size_t name_of(const hb_catboost_file *file, const hb_catboost_feature *feature, char digits[24],
                      const char **bytes)
{
    if (feature->name_size) {
        *bytes = (const char *)file->name_bytes.items + feature->name_at;
        return feature->name_size;
    }
    *bytes = digits;
    return (size_t)snprintf(digits, 24, "%lld", (long long)feature->flat_index);
}

static hbs_status name_features(hb_catboost_file *file, const hb_catboost_feature *const *places, size_t n)
{
    uint32_t *ends = hb_arena_array(&file->pipeline->arena, n, sizeof(*ends));
    size_t used = 0;
    const char *name;
    char digits[24], *bytes;

    for (size_t i = 0; i < n; i++) {
        HB_TRY(hb_worked(work_of(file), 16, file->error));
        used += name_of(file, places[i], digits, &name);
    }
    bytes = hb_arena_array(&file->pipeline->arena, used, 1);
    if (!ends || !bytes)
        return hb_catboost_no_memory(file);
    used = 0;
    for (size_t i = 0; i < n; i++) {
        size_t size = name_of(file, places[i], digits, &name);

        HB_TRY(hb_worked(work_of(file), 16, file->error));
        memcpy(bytes + used, name, size);
        used += size;
        ends[i] = (uint32_t)used;
    }
    file->pipeline->name_ends = ends;
    file->pipeline->name_bytes = bytes;
    return HBS_OK;
}

hbs_status hb_catboost_features_build(hb_catboost_file *file)
{
    hb_pipeline *pipeline = file->pipeline;
    size_t n = file->features[0].count + file->features[1].count;
    const hb_catboost_feature **places = hb_arena_array(&pipeline->arena, n, sizeof(*places));

    if (n == 0)
        return hb_fail(file->error, HBS_E_FORMAT, "the model has no features (features_info)");
    if (n > HB_MAX_FEATURES)
        return hb_fail(file->error, HBS_E_LIMIT, "%zu features are more than the limit of %d", n, HB_MAX_FEATURES);
    if (!places)
        return hb_catboost_no_memory(file);
    HB_TRY(place_features(file, places, n));
    pipeline->wide = pipeline->rounded = true;
    pipeline->tolerance = 1e-12; /* its exp is an approximation of its own */
    pipeline->n_features = n;
    pipeline->on_unseen = HB_UNSEEN_MISSING;
    pipeline->missing_is_error = file->options->missing_is_error;
    HB_TRY(hash_features(file, places, n));
    if (!file->options->name_bytes)
        return name_features(file, places, n);
    return hb_apply_names(pipeline, file->options, file->error);
}

/* ---- splits */

static bool nan_is_above(const hb_catboost_feature *feature)
{
    return feature->has_nans && feature->nan_treatment == 2;
}

/* A split tests `x > border`: x <= border goes left, and so does NaN where it is not told otherwise. */
static hbs_status resolve_column(const hb_catboost_file *file, hb_tree_node *node)
{
    size_t n_features = file->pipeline->n_features, index = (size_t)node->feature;
    const hb_vector *splits = file->splits;
    const hb_catboost_split *split;
    int kind = HB_SPLIT_FLOAT;

    while (kind < HB_N_SPLITS && index >= splits[kind].count)
        index -= splits[kind++].count;
    if (kind == HB_N_SPLITS)
        return hb_fail(file->error, HBS_E_FORMAT, "a tree has split_index %d, features_info has %zu splits",
                       (int)node->feature,
                       splits[HB_SPLIT_FLOAT].count + splits[HB_SPLIT_EQUAL].count + splits[HB_SPLIT_CTR].count);
    split = (const hb_catboost_split *)splits[kind].items + index;
    node->flags = HB_NODE_NAN_MISSING | HB_NODE_DEFAULT_LEFT;
    node->as.threshold = split->border;
    if (kind == HB_SPLIT_FLOAT) {
        const hb_catboost_feature *feature = features_of(file, false) + split->feature;

        node->feature = (int32_t)feature->flat_index;
        if (nan_is_above(feature))
            node->flags = HB_NODE_NAN_MISSING;
    } else if (kind == HB_SPLIT_EQUAL) {
        node->feature = (int32_t)(n_features + index);
        node->as.threshold = 0.5;
    } else {
        node->feature = (int32_t)(n_features + splits[HB_SPLIT_EQUAL].count + split->feature);
    }
    return HBS_OK;
}

static hbs_status resolve_nodes(const hb_catboost_file *file)
{
    hb_tree_node *nodes = file->forest->nodes.items;

    for (size_t i = 0; i < file->forest->nodes.count; i++) {
        HB_TRY(hb_worked(work_of(file), 4, file->error));
        if (nodes[i].left != HB_NO_CHILD)
            HB_TRY(resolve_column(file, &nodes[i]));
    }
    return HBS_OK;
}

/* ---- statistics */

static hbs_status place_elements(const hb_catboost_file *file)
{
    hb_element *elements = file->elements.items;

    for (size_t i = 0; i < file->elements.count; i++) {
        bool categorical = elements[i].kind != HB_ELEMENT_ABOVE;
        const hb_catboost_feature *feature;

        HB_TRY(hb_worked(work_of(file), 4, file->error));
        if (elements[i].column >= file->features[categorical].count)
            return hb_fail(file->error, HBS_E_FORMAT, "a ctr is of %s feature %u of %zu",
                           categorical ? "categorical" : "float", (unsigned)elements[i].column,
                           file->features[categorical].count);
        feature = features_of(file, categorical) + elements[i].column;
        elements[i].column = (uint32_t)feature->flat_index;
        if (!categorical && nan_is_above(feature))
            elements[i].kind = HB_ELEMENT_ABOVE_OR_NAN;
    }
    return HBS_OK;
}

/* A copy of the vector that lasts; the vector is emptied, since the peak of memory counts. */
static void *keep_vector(hb_catboost_file *file, hb_vector *vector)
{
    void *items = hb_arena_array(&file->pipeline->arena, vector->count, vector->item_size);

    if (items && vector->count)
        memcpy(items, vector->items, vector->count * vector->item_size);
    hb_vector_release(vector);
    return items;
}

static hbs_status fill_statistics(hb_catboost_file *file, hb_category_statistics *s)
{
    const hb_catboost_split *equal = file->splits[HB_SPLIT_EQUAL].items;
    hb_arena *arena = &file->pipeline->arena;
    hb_category_equal *equals = hb_arena_array(arena, s->n_equals, sizeof(*equals));
    hb_statistic *statistics = hb_arena_array(arena, s->n_statistics, sizeof(*statistics));
    hb_count_table *tables = hb_arena_array(arena, s->n_tables, sizeof(*tables));

    if (!equals || !statistics || !tables)
        return hb_catboost_no_memory(file);
    for (size_t i = 0; i < s->n_equals; i++)
        equals[i] = (hb_category_equal){.column = (uint32_t)features_of(file, true)[equal[i].feature].flat_index,
                                        .hash = (int32_t)equal[i].border};
    for (size_t i = 0; i < s->n_statistics; i++)
        statistics[i] = ((const hb_catboost_ctr *)file->ctrs.items)[i].statistic;
    for (size_t i = 0; i < s->n_tables; i++)
        tables[i] = ((const hb_catboost_table *)file->tables.items)[i].table;
    s->equals = equals;
    s->statistics = statistics;
    s->tables = tables;
    s->elements = keep_vector(file, &file->elements);
    s->keys = keep_vector(file, &file->keys);
    s->counts = keep_vector(file, &file->counts);
    return s->elements && s->keys && s->counts ? HBS_OK : hb_catboost_no_memory(file);
}

hbs_status hb_catboost_columns_build(hb_catboost_file *file, size_t input, size_t *columns)
{
    hb_pipeline *pipeline = file->pipeline;
    hb_fit_category_statistics fit;
    size_t n_equals = file->splits[HB_SPLIT_EQUAL].count;
    size_t n = pipeline->n_features + n_equals + file->ctrs.count;

    if (n > HB_MAX_FEATURES)
        return hb_fail(file->error, HBS_E_LIMIT, "features, one-hot values and ctrs: %zu are more than the limit of %d",
                       n, HB_MAX_FEATURES);
    *columns = input;
    file->forest->n_features = n;
    HB_TRY(resolve_nodes(file));
    if (n == pipeline->n_features)
        return HBS_OK;
    HB_TRY(place_elements(file));
    HB_TRY(hb_catboost_tables_join(file));
    fit.model = (hb_category_statistics){.n_equals = n_equals,
                                         .n_elements = file->elements.count,
                                         .n_statistics = file->ctrs.count,
                                         .n_tables = file->tables.count,
                                         .n_keys = file->keys.count,
                                         .n_counts = file->counts.count};
    HB_TRY(fill_statistics(file, &fit.model));
    *columns = hb_pipeline_add(pipeline, HB_OPERATOR_CATEGORY_STATISTICS, input, &fit);
    return HBS_OK;
}
