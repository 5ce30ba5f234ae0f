/* catboost.c - the root of a model file. */
#include "format/catboost.h"

#include <string.h>

#include "base/sort.h"

void *hb_catboost_append(hb_catboost_file *file, hb_vector *vector, const void *item)
{
    void *added = hb_document_ok(file->d) ? hb_vector_append(vector, item, 1) : NULL;

    if (!added)
        hb_document_no_memory(file->d);
    return added;
}

hbs_status hb_catboost_sorted(const hb_catboost_file *file, size_t n, const void *items,
                              int (*compare)(const void *items, uint32_t a, uint32_t b), uint32_t **order)
{
    hb_memory *memory = file->pipeline->arena.memory;

    *order = hb_arena_array(&file->pipeline->arena, n, sizeof(**order));
    if (!*order)
        return hb_no_memory(memory, file->error);
    for (uint32_t i = 0; i < n; i++)
        (*order)[i] = i;
    return hb_sort(*order, n, compare, items, &memory->work) ? HBS_OK : hb_work_status(&memory->work, file->error);
}

bool hb_is_catboost(const uint8_t *bytes, size_t size)
{
    static const char *const members[] = {"ctr_data",        "features_info",  "model_info",
                                          "oblivious_trees", "scale_and_bias", "trees"};
    const uint8_t *end = bytes + size, *p = bytes;

    if (p == end || *p++ != '"')
        return false;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        size_t n = strlen(members[i]);

        if ((size_t)(end - p) > n && memcmp(p, members[i], n) == 0 && p[n] == '"')
            return true;
    }
    return false;
}

/* [scale, [bias, ..]]; before 1.0 [scale, bias]. */
static void read_scale_and_bias(hb_catboost_file *file)
{
    hb_document *d = file->d;
    size_t n = 0;
    double bias;

    if (!hb_array_begin(d))
        return;
    for (; hb_array_next(d); n++) {
        if (n == 0) {
            file->scale = hb_read_double(d);
        } else if (n > 1) {
            hb_document_fail(d, HBS_E_FORMAT, "expected a scale and biases");
        } else if (hb_peek(d) == HB_KIND_ARRAY) {
            hb_read_doubles(d, &file->bias, true);
        } else {
            bias = hb_read_double(d);
            hb_catboost_append(file, &file->bias, &bias);
        }
    }
    if (hb_document_ok(d) && n != 2)
        hb_document_fail(d, HBS_E_FORMAT, "expected a scale and biases");
    file->has_scale = true;
}

static void read_root(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "features_info"))
            hb_catboost_features_read(file);
        else if (hb_text_is(key, "ctr_data"))
            hb_catboost_ctr_data_read(file);
        else if (hb_text_is(key, "model_info"))
            hb_catboost_model_info_read(file);
        else if (hb_text_is(key, "oblivious_trees"))
            hb_catboost_oblivious_read(file);
        else if (hb_text_is(key, "trees"))
            hb_catboost_trees_read(file);
        else if (hb_text_is(key, "scale_and_bias"))
            read_scale_and_bias(file);
        else
            hb_document_unknown(d);
    }
    if (hb_document_ok(d) && !file->has_trees)
        hb_document_fail(d, HBS_E_FORMAT, "no member \"oblivious_trees\" or \"trees\"");
    if (hb_document_ok(d) && !file->has_scale)
        hb_document_fail(d, HBS_E_FORMAT, "no member \"scale_and_bias\"");
}

/* The vectors and the sizes of their items. */
static void each_vector(hb_catboost_file *file, hb_memory *memory)
{
    const struct {
        hb_vector *vector;
        size_t item_size;
    } all[] = {
        {&file->features[0], sizeof(hb_catboost_feature)},
        {&file->features[1], sizeof(hb_catboost_feature)},
        {&file->name_bytes, 1},
        {&file->splits[HB_SPLIT_FLOAT], sizeof(hb_catboost_split)},
        {&file->splits[HB_SPLIT_EQUAL], sizeof(hb_catboost_split)},
        {&file->splits[HB_SPLIT_CTR], sizeof(hb_catboost_split)},
        {&file->ctrs, sizeof(hb_catboost_ctr)},
        {&file->elements, sizeof(hb_element)},
        {&file->tables, sizeof(hb_catboost_table)},
        {&file->keys, sizeof(uint64_t)},
        {&file->counts, sizeof(double)},
        {&file->numbers, sizeof(double)},
        {&file->weights, sizeof(double)},
        {&file->tests, sizeof(int32_t)},
        {&file->bias, sizeof(double)},
        {&file->class_names, sizeof(hbs_value)},
        {&file->class_numbers, sizeof(double)},
        {&file->feature_cuts, sizeof(hb_catboost_cuts)},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (memory)
            hb_vector_init(all[i].vector, memory, all[i].item_size);
        else
            hb_vector_release(all[i].vector);
    }
}

static hbs_status open_file(hb_catboost_file *file, hb_memory *memory)
{
    each_vector(file, memory);
    file->forest = hb_arena_array(&file->pipeline->arena, 1, sizeof(*file->forest));
    if (!file->forest)
        return hb_no_memory(memory, file->error);
    hb_forest_model_init(file->forest, memory);
    hb_vector_init(&file->forest->leaf_vectors, memory, sizeof(double));
    file->forest->wide = true;
    return HBS_OK;
}

static void close_file(hb_catboost_file *file)
{
    each_vector(file, NULL);
    if (file->forest) /* not given to the pipeline */
        hb_forest_model_release(file->forest);
}

hbs_status hb_catboost_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                            hbs_error *error)
{
    hb_memory *memory = pipeline->arena.memory;
    hb_catboost_file file = {.pipeline = pipeline, .options = options, .error = error, .size = size, .threshold = 0.5};
    hbs_status status = open_file(&file, memory);

    if (status == HBS_OK)
        status = hb_document_open(memory, bytes, size, HB_JSON, error, &file.d);
    if (status == HBS_OK) {
        read_root(&file);
        status = hb_document_end(file.d);
    }
    hb_document_close(file.d);
    if (status == HBS_OK)
        status = hb_catboost_build(&file);
    close_file(&file);
    return status;
}
