/* xgboost.c - the root of a model file: {"learner": {..}, "version": [a, b, c]}. */
#include "format/xgboost.h"

#include <string.h>

#include "base/number.h"

int64_t hb_xgboost_integer(hb_document *d, int64_t low, int64_t high)
{
    hbs_text text = hb_read_string(d);
    char shown[HB_EXCERPT_BUFFER];
    int64_t number = low;

    if (!hb_document_ok(d))
        return low;
    if (text.size == 0 || hb_read_int64(text.bytes, text.bytes + text.size, &number) != text.size)
        hb_document_fail(d, HBS_E_FORMAT, "expected a whole number in quotes, found \"%s\"", HB_SHOW(text, shown));
    else if (number < low || number > high)
        hb_document_fail(d, HBS_E_FORMAT, "%lld is out of range (%lld to %lld)", (long long)number, (long long)low,
                         (long long)high);
    else
        return number;
    return low;
}

/* ---- attributes */

static hbs_text keep_text(hb_xgboost_file *file, hbs_text text)
{
    hbs_text kept = {NULL, text.size};

    if (!hb_document_ok(file->d))
        return kept;
    kept.bytes = hb_arena_text(&file->pipeline->arena, text.bytes, text.size);
    if (!kept.bytes)
        hb_document_no_memory(file->d);
    return kept;
}

static void read_attributes(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "best_iteration"))
            file->best_iteration = hb_xgboost_integer(d, -1, INT32_MAX); /* -1: no rounds */
        else if (hb_text_is(key, "scikit_learn"))
            file->scikit_learn = keep_text(file, hb_read_string(d));
        else if (hb_text_is(key, "hbscore_category_names"))
            file->names_repaired = hb_text_is(hb_read_string(d), "repaired");
        else
            hb_read_string(d); /* the user's own notes */
    }
}

/* ---- names */

static void read_names(hb_xgboost_file *file)
{
    if (!hb_array_begin(file->d))
        return;
    while (hb_array_next(file->d)) {
        hbs_text name = hb_read_string(file->d);
        uint32_t end = (uint32_t)(file->name_bytes.count + name.size);

        if (hb_document_ok(file->d) && (!hb_vector_append(&file->name_bytes, name.bytes, name.size) ||
                                        !hb_vector_append(&file->name_ends, &end, 1)))
            hb_document_no_memory(file->d);
    }
}

/* "c" is categorical; the others are numbers ("i": 0 or 1, "q": of any kind). */
static uint8_t read_type(hb_document *d)
{
    static const char *const numbers[] = {"float", "int", "i", "q"};
    hbs_text type = hb_read_string(d);
    char shown[HB_EXCERPT_BUFFER];

    if (hb_text_is(type, "c"))
        return 1;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (hb_text_is(type, numbers[i]))
            return 0;
    hb_document_fail(d, HBS_E_UNSUPPORTED, "unknown feature type \"%s\"", HB_SHOW(type, shown));
    return 0;
}

static void read_types(hb_xgboost_file *file)
{
    if (!hb_array_begin(file->d))
        return;
    while (hb_array_next(file->d)) {
        uint8_t categorical = read_type(file->d);

        if (hb_document_ok(file->d) && !hb_vector_append(&file->codes, &categorical, 1))
            hb_document_no_memory(file->d);
    }
}

/* ---- learner_model_param */

/* The numbers of base_score: "5E-1" up to 3.0, "[6.3E-1]" from 3.1 on (a JSON array in a string). */
static void parse_base_score(hb_xgboost_file *file, hbs_text text)
{
    const char *p = text.bytes, *end = text.bytes + text.size;
    bool list = p < end && *p == '[';
    char shown[HB_EXCERPT_BUFFER];

    p += list;
    while (p < end && *p != ']') {
        bool overflow = false;
        float number;
        size_t size = hb_read_float32(p, end, &number, &overflow);

        if (size == 0 || overflow)
            break;
        if (!hb_vector_append(&file->base_scores, &number, 1)) {
            hb_document_no_memory(file->d);
            return;
        }
        p += size;
        if (list && p < end && *p == ',' && p + 1 < end && p[1] != ']')
            p++;
        else
            break;
    }
    if (list && p < end && *p == ']' && file->base_scores.count)
        p++;
    else if (list)
        p = NULL;
    if (p != end || text.size == 0)
        hb_document_fail(file->d, HBS_E_FORMAT, "expected a number or a list of numbers, found \"%s\"",
                         HB_SHOW(text, shown));
}

static void read_learner_param(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    file->has_model_param = true;
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "base_score")) {
            hbs_text text = hb_read_string(d);

            if (hb_document_ok(d))
                parse_base_score(file, text);
        } else if (hb_text_is(key, "num_class")) {
            file->n_classes = hb_xgboost_integer(d, 0, INT32_MAX);
        } else if (hb_text_is(key, "num_target")) {
            file->n_targets = hb_xgboost_integer(d, 0, INT32_MAX);
        } else if (hb_text_is(key, "num_feature")) {
            file->n_features = hb_xgboost_integer(d, 0, UINT32_MAX);
        } else if (hb_text_is(key, "boost_from_average")) {
            file->boost_from_average = hb_xgboost_integer(d, 0, 1) == 1;
        } else {
            hb_document_unknown(d);
        }
    }
}

/* ---- objective */

/* {"name": .., "reg_loss_param": {..}}: parameters of training, without effect on scores. */
static void read_objective(hb_xgboost_file *file)
{
    static const char suffix[] = "_param";
    const size_t n = sizeof(suffix) - 1;
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "name"))
            file->objective = keep_text(file, hb_read_string(d));
        else if ((key.size > n && memcmp(key.bytes + key.size - n, suffix, n) == 0) || hb_text_is(key, "ti+") ||
                 hb_text_is(key, "tj-"))
            hb_skip(d, false);
        else
            hb_document_unknown(d);
    }
}

static void read_learner(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "attributes"))
            read_attributes(file);
        else if (hb_text_is(key, "feature_names"))
            read_names(file);
        else if (hb_text_is(key, "feature_types"))
            read_types(file);
        else if (hb_text_is(key, "gradient_booster"))
            hb_xgboost_booster_read(file);
        else if (hb_text_is(key, "learner_model_param"))
            read_learner_param(file);
        else if (hb_text_is(key, "objective"))
            read_objective(file);
        else
            hb_document_unknown(d);
    }
}

/* ---- the whole */

bool hb_xgboost_since(const hb_xgboost_file *file, int64_t major, int64_t minor)
{
    return file->version[0] > major || (file->version[0] == major && file->version[1] >= minor);
}

static void read_version(hb_xgboost_file *file)
{
    size_t n = 0;

    if (!hb_array_begin(file->d))
        return;
    while (hb_array_next(file->d)) {
        int64_t part = hb_read_integer(file->d, 0, INT32_MAX);

        if (n < 3)
            file->version[n] = part;
        n++;
    }
    if (hb_document_ok(file->d) && n != 3)
        hb_document_fail(file->d, HBS_E_FORMAT, "expected three numbers, found %zu", n);
    else if (hb_document_ok(file->d) && (file->version[0] < 1 || file->version[0] > 3))
        hb_document_fail(file->d, HBS_E_UNSUPPORTED,
                         "XGBoost %lld.%lld.%lld: hbscore reads files of XGBoost 1.x to 3.x",
                         (long long)file->version[0], (long long)file->version[1], (long long)file->version[2]);
}

static void read_root(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    bool has_learner = false;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "learner")) {
            read_learner(file);
            has_learner = true;
        } else if (hb_text_is(key, "version")) {
            read_version(file);
        } else {
            hb_document_unknown(d);
        }
    }
    if (hb_document_ok(d) && !has_learner)
        hb_document_fail(d, HBS_E_FORMAT, "no member \"learner\": not an XGBoost model");
    if (hb_document_ok(d) && file->version[0] == 0)
        hb_document_fail(d, HBS_E_FORMAT, "no member \"version\"");
}

static hbs_status open_file(hb_xgboost_file *file, hb_memory *memory)
{
    file->best_iteration = file->n_trees = -1;
    file->n_parallel = 1;
    file->n_targets = 1;
    hb_xgboost_tree_init(&file->tree, memory);
    hb_vector_init(&file->name_bytes, memory, 1);
    hb_vector_init(&file->name_ends, memory, sizeof(uint32_t));
    hb_vector_init(&file->codes, memory, 1);
    hb_vector_init(&file->base_scores, memory, sizeof(float));
    hb_vector_init(&file->rounds, memory, sizeof(int64_t));
    hb_vector_init(&file->tree_drop, memory, sizeof(float));
    hb_vector_init(&file->linear_weights, memory, sizeof(float));
    hb_vector_init(&file->categories, memory, sizeof(hb_categories));
    file->forest = hb_arena_array(&file->pipeline->arena, 1, sizeof(*file->forest));
    if (!file->forest)
        return hb_no_memory(memory, file->error);
    hb_forest_model_init(file->forest, memory);
    return HBS_OK;
}

static void close_file(hb_xgboost_file *file)
{
    hb_vector_release(&file->name_bytes);
    hb_vector_release(&file->name_ends);
    hb_vector_release(&file->codes);
    hb_vector_release(&file->base_scores);
    hb_vector_release(&file->rounds);
    hb_vector_release(&file->tree_drop);
    hb_vector_release(&file->linear_weights);
    hb_vector_release(&file->categories);
    if (file->forest) /* not given to the pipeline */
        hb_forest_model_release(file->forest);
}

static hbs_status read_file(const void *bytes, size_t size, hb_encoding encoding, const hb_options *options,
                            hb_pipeline *pipeline, hbs_error *error)
{
    hb_memory *memory = pipeline->arena.memory;
    hb_xgboost_file file = {.pipeline = pipeline, .options = options, .error = error};
    hbs_status status = open_file(&file, memory);

    if (status == HBS_OK)
        status = hb_document_open(memory, bytes, size, encoding, error, &file.d);
    if (status == HBS_OK) {
        read_root(&file);
        status = hb_document_end(file.d);
    }
    hb_document_close(file.d);
    hb_xgboost_tree_release(&file.tree); /* before building: the peak counts */
    if (status == HBS_OK)
        status = hb_xgboost_build(&file);
    close_file(&file);
    return status;
}

hbs_status hb_xgboost_read_json(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                                hbs_error *error)
{
    return read_file(bytes, size, HB_JSON, options, pipeline, error);
}

hbs_status hb_xgboost_read_ubjson(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                                  hbs_error *error)
{
    return read_file(bytes, size, HB_UBJSON, options, pipeline, error);
}
