/* own.c - the root of hbscore's own format: versions, features, classes, operators. */
#include "format/own.h"

#include <string.h>

#include "format/apply_options.h"
#include "ir/labels.h"

/* ---- what all parts share */

bool hb_own_member(hb_own_file *file, const char *name)
{
    bool found;

    return hb_own_either(file, name, name, &found);
}

bool hb_own_either(hb_own_file *file, const char *optional, const char *name, bool *found)
{
    hbs_text key;

    *found = false;
    if (!hb_object_next(file->d, &key)) {
        if (hb_document_ok(file->d))
            hb_document_fail(file->d, HBS_E_FORMAT, "no member \"%s\"", name);
        return false;
    }
    *found = hb_text_is(key, optional);
    if (!*found && !hb_text_is(key, name))
        hb_document_fail(file->d, HBS_E_FORMAT, "expected the member \"%s\" here", name);
    return hb_document_ok(file->d);
}

size_t hb_own_word_value(hb_own_file *file, const char *name, const char *const *words, size_t n)
{
    char shown[HB_EXCERPT_BUFFER];
    hbs_text word = hb_read_string(file->d);

    for (size_t i = 0; hb_document_ok(file->d) && i < n; i++)
        if (words[i][0] && hb_text_is(word, words[i]))
            return i;
    if (hb_document_ok(file->d))
        hb_document_fail(file->d, HBS_E_UNSUPPORTED, "%s \"%s\" is unknown to this version of hbscore", name,
                         HB_SHOW(word, shown));
    return SIZE_MAX;
}

size_t hb_own_word(hb_own_file *file, const char *name, const char *const *words, size_t n)
{
    return hb_own_member(file, name) ? hb_own_word_value(file, name, words, n) : SIZE_MAX;
}

bool hb_is_own(const uint8_t *bytes, size_t size)
{
    static const char mark[] = "{\"hbscore\":";

    return size >= sizeof(mark) - 1 && memcmp(bytes, mark, sizeof(mark) - 1) == 0;
}

/* ---- the head of the document */

enum { VERSION = 1, MAX_CLASSES = 4096 };

static bool read_version(hb_own_file *file)
{
    int64_t version;

    if (!hb_own_member(file, "hbscore"))
        return false;
    version = hb_read_integer(file->d, 1, INT32_MAX);
    if (hb_document_ok(file->d) && version > VERSION)
        hb_document_fail(file->d, HBS_E_UNSUPPORTED,
                         "format version %lld: this version of hbscore reads up to %d, a newer one "
                         "is needed",
                         (long long)version, VERSION);
    return hb_document_ok(file->d);
}

/* Which versions wrote it: for people only. */
static bool read_writer(hb_own_file *file)
{
    char name[HB_EXCERPT_BUFFER], value[HB_EXCERPT_BUFFER];
    hbs_text key, text;

    if (!hb_own_member(file, "writer") || !hb_object_begin(file->d))
        return false;
    while (hb_object_next(file->d, &key)) {
        char *kept;

        hb_escape(key, HB_EXCERPT, name, sizeof(name));
        text = hb_read_string(file->d);
        if (!hb_document_ok(file->d))
            return false;
        kept = hb_arena_text(&file->pipeline->arena, name, strlen(name));
        if (!kept || hb_pipeline_fact(file->pipeline, kept, "%s", HB_SHOW(text, value)) != HBS_OK)
            return hb_document_no_memory(file->d);
    }
    return hb_document_ok(file->d);
}

static bool read_task(hb_own_file *file)
{
    static const char *const tasks[] = {[HBS_REGRESSOR] = "regressor",
                                        [HBS_CLASSIFIER] = "classifier",
                                        [HBS_RANKER] = "ranker",
                                        [HBS_TRANSFORMER] = "transformer"};
    size_t task = hb_own_word(file, "task", tasks, sizeof(tasks) / sizeof(tasks[0]));

    if (task == SIZE_MAX)
        return false;
    file->pipeline->task = (hbs_task)task;
    return true;
}

/* The name of the member that comes. */
static bool next_member(hb_own_file *file, hbs_text *key)
{
    if (!hb_object_next(file->d, key) && hb_document_ok(file->d))
        hb_document_fail(file->d, HBS_E_FORMAT, "no member \"%s\"",
                         file->pipeline->task == HBS_TRANSFORMER ? "transform" : "ops");
    return hb_document_ok(file->d);
}

/* ---- features */

typedef struct names {
    hb_vector bytes;   /* char */
    hb_vector ends;    /* uint32_t */
    hb_vector is_text; /* uint8_t */
} names;

static bool read_name(hb_own_file *file, names *n)
{
    hbs_text name = hb_read_string(file->d);
    uint32_t end = (uint32_t)(n->bytes.count + name.size);

    if (hb_document_ok(file->d) && name.size == 0)
        hb_document_fail(file->d, HBS_E_FORMAT, "an empty name");
    if (!hb_document_ok(file->d))
        return false;
    if (!hb_vector_append(&n->bytes, name.bytes, name.size) || !hb_vector_append(&n->ends, &end, 1))
        return hb_document_no_memory(file->d);
    return true;
}

/* {"name":"tenure","type":"f8"}; either all have a name or none. What type numbers had in training does
 * not matter here: operators say where they round. */
static bool read_feature(hb_own_file *file, names *n, size_t i)
{
    static const char *const types[] = {"f4", "f8", "i8", "bool", "str"};
    enum { TEXT = 4 };
    hb_document *d = file->d;
    hbs_text key;
    size_t type;
    bool named;

    if (!hb_object_begin(d))
        return false;
    named = hb_object_next(d, &key) && hb_text_is(key, "name");
    if (hb_document_ok(d) && i > 0 && named != (n->ends.count > 0))
        hb_document_fail(d, HBS_E_FORMAT, "either all features have a name or none");
    if (named && !(read_name(file, n) && hb_own_member(file, "type")))
        return false;
    if (hb_document_ok(d) && !named && !hb_text_is(key, "type"))
        hb_document_fail(d, HBS_E_FORMAT, "expected the member \"type\" here");
    if (!hb_document_ok(d))
        return false;
    type = hb_own_word_value(file, "type", types, sizeof(types) / sizeof(types[0]));
    if (type == SIZE_MAX)
        return false;
    if (!hb_vector_append(&n->is_text, &(uint8_t){type == TEXT}, 1))
        return hb_document_no_memory(d);
    if (hb_object_next(d, &key))
        hb_document_unknown(d);
    return hb_document_ok(d);
}

static bool keep_names(hb_own_file *file, const names *n)
{
    hb_pipeline *pipeline = file->pipeline;
    uint32_t *ends = hb_arena_array(&pipeline->arena, n->ends.count, sizeof(*ends));
    char *bytes = hb_arena_array(&pipeline->arena, n->bytes.count, 1);

    if (!ends || !bytes)
        return hb_document_no_memory(file->d);
    if (memchr(n->is_text.items, 1, n->is_text.count)) {
        file->is_text = hb_arena_array(&pipeline->arena, n->is_text.count, 1);
        if (!file->is_text)
            return hb_document_no_memory(file->d);
        memcpy(file->is_text, n->is_text.items, n->is_text.count);
    }
    if (n->ends.count == 0)
        return true;
    memcpy(ends, n->ends.items, n->ends.count * sizeof(*ends));
    memcpy(bytes, n->bytes.items, n->bytes.count);
    pipeline->name_ends = ends;
    pipeline->name_bytes = bytes;
    return true;
}

static bool read_features(hb_own_file *file)
{
    hb_memory *memory = file->pipeline->arena.memory;
    names n;
    size_t count = 0;
    bool ok;

    if (!hb_own_member(file, "features") || !hb_array_begin(file->d))
        return false;
    hb_vector_init(&n.bytes, memory, 1);
    hb_vector_init(&n.ends, memory, sizeof(uint32_t));
    hb_vector_init(&n.is_text, memory, 1);
    for (ok = true; ok && hb_array_next(file->d); count++)
        ok = count < HB_MAX_FEATURES
                 ? read_feature(file, &n, count)
                 : (hb_document_fail(file->d, HBS_E_LIMIT, "more than %d features", HB_MAX_FEATURES), false);
    if (ok && hb_document_ok(file->d) && count == 0)
        hb_document_fail(file->d, HBS_E_FORMAT, "no features");
    file->pipeline->n_features = count;
    ok = ok && hb_document_ok(file->d) && keep_names(file, &n);
    hb_vector_release(&n.bytes);
    hb_vector_release(&n.ends);
    hb_vector_release(&n.is_text);
    return ok;
}

/* ---- classes */

static hbs_value label_of(hb_own_dtype dtype, const hb_own_array *array, size_t i)
{
    switch (dtype) {
    case HB_OWN_STR:
        return (hbs_value){.type = HBS_TEXT, .as.text = ((const hbs_text *)array->items)[i]};
    case HB_OWN_F8:
        return (hbs_value){.type = HBS_FLOAT64, .as.f64 = ((const double *)array->items)[i]};
    case HB_OWN_B1:
        return (hbs_value){.type = HBS_BOOL, .as.boolean = ((const uint8_t *)array->items)[i] != 0};
    default:
        return (hbs_value){.type = HBS_INT64, .as.i64 = ((const int64_t *)array->items)[i]};
    }
}

static bool check_labels(hb_own_file *file, const hbs_value *labels, size_t n)
{
    if (n < 1 || n > MAX_CLASSES)
        return hb_document_fail(file->d, HBS_E_FORMAT, "%zu classes (1 to %d)", n, MAX_CLASSES), false;
    for (size_t i = 0; i < n; i++) {
        if (labels[i].type == HBS_FLOAT64 && labels[i].as.f64 != labels[i].as.f64)
            return hb_document_fail(file->d, HBS_E_FORMAT, "class %zu is NaN", i), false;
        if (!hb_document_goes_on(file->d, 4 * i + 4))
            return false;
        for (size_t k = 0; k < i; k++)
            if (hb_label_equal(&labels[k], &labels[i]))
                return hb_document_fail(file->d, HBS_E_FORMAT, "classes %zu and %zu are equal", k, i), false;
    }
    return true;
}

/* The array of labels that is due; they are of one type. NULL after an error. */
static hbs_value *read_labels(hb_own_file *file, size_t *n)
{
    const uint32_t allowed = 1u << HB_OWN_STR | 1u << HB_OWN_I8 | 1u << HB_OWN_F8 | 1u << HB_OWN_B1;
    hb_own_dtype dtype;
    hb_own_array array;
    hbs_value *labels;

    if (!hb_own_array_value(file, allowed, 1, &dtype, &array))
        return NULL;
    labels = hb_arena_array(&file->pipeline->arena, array.count, sizeof(*labels));
    if (!labels) {
        hb_document_no_memory(file->d);
        return NULL;
    }
    for (size_t i = 0; i < array.count; i++)
        labels[i] = label_of(dtype, &array, i);
    *n = array.count;
    return check_labels(file, labels, array.count) ? labels : NULL;
}

static bool read_classes(hb_own_file *file)
{
    size_t n;
    const hbs_value *labels = read_labels(file, &n);

    return labels && hb_apply_classes(file->pipeline, file->options, labels, n, file->error) == HBS_OK;
}

/* ---- several outputs */

static bool keep_targets(hb_own_file *file, const hb_vector *labels, const hb_vector *ends)
{
    hb_pipeline *pipeline = file->pipeline;
    hbs_value *kept = hb_arena_array(&pipeline->arena, labels->count, sizeof(*kept));
    uint32_t *kept_ends = hb_arena_array(&pipeline->arena, ends->count, sizeof(*kept_ends));

    if (!kept || !kept_ends)
        return hb_document_no_memory(file->d);
    memcpy(kept, labels->items, labels->count * sizeof(*kept));
    memcpy(kept_ends, ends->items, ends->count * sizeof(*kept_ends));
    for (size_t i = 0; i < labels->count; i++)
        pipeline->targets_are_places |= kept[i].type == HBS_TEXT;
    pipeline->target_labels = kept;
    pipeline->target_ends = kept_ends;
    pipeline->n_targets = ends->count;
    return true;
}

static bool read_target(hb_own_file *file, hb_vector *labels, hb_vector *ends)
{
    size_t n;
    const hbs_value *found = read_labels(file, &n);

    if (!found)
        return false;
    if (labels->count + n > MAX_CLASSES) {
        hb_document_fail(file->d, HBS_E_LIMIT, "more than %d classes of all outputs", MAX_CLASSES);
        return false;
    }
    if (!hb_vector_append(labels, found, n) || !hb_vector_append(ends, &(uint32_t){(uint32_t)labels->count}, 1))
        return hb_document_no_memory(file->d);
    return true;
}

/* A list of arrays: the labels of each output. */
static bool read_targets(hb_own_file *file)
{
    hb_memory *memory = file->pipeline->arena.memory;
    hb_vector labels, ends;
    bool ok = true;

    if (!hb_array_begin(file->d))
        return false;
    hb_vector_init(&labels, memory, sizeof(hbs_value));
    hb_vector_init(&ends, memory, sizeof(uint32_t));
    while (ok && hb_array_next(file->d))
        ok = read_target(file, &labels, &ends);
    ok = ok && hb_document_ok(file->d);
    if (ok && ends.count == 0) {
        hb_document_fail(file->d, HBS_E_FORMAT, "no outputs");
        ok = false;
    }
    ok = ok && keep_targets(file, &labels, &ends);
    hb_vector_release(&labels);
    hb_vector_release(&ends);
    return ok;
}

/* A classifier has `classes`, or `outputs`, or answers 0 and 1 by the rule of its head. `key` is the member that is
 * due, and then the one behind. */
static bool read_answers(hb_own_file *file, hbs_text *key)
{
    bool has_classes = hb_text_is(*key, "classes"), has_outputs = hb_text_is(*key, "outputs");

    if (file->options->classes && (file->pipeline->task != HBS_CLASSIFIER || !has_classes)) {
        hb_fail(file->error, HBS_E_ARGS, "option classes: only a classifier%s has them",
                file->pipeline->task == HBS_CLASSIFIER ? " of one output" : "");
        return false;
    }
    if (file->pipeline->task != HBS_CLASSIFIER)
        return true;
    if (!has_classes && !has_outputs)
        return hb_text_is(*key, "transform") || hb_text_is(*key, "ops") ||
               (hb_document_fail(file->d, HBS_E_FORMAT, "expected the member \"classes\" here"), false);
    if (!(has_classes ? read_classes(file) : read_targets(file)))
        return false;
    return next_member(file, key);
}

/* ---- the document */

static hbs_status check_options(const hb_options *options, hbs_error *error)
{
    if (options->rounds)
        return hb_fail(error, HBS_E_ARGS, "option rounds: a scikit-learn model has no rounds");
    if (options->missing_given)
        return hb_fail(error, HBS_E_ARGS, "option missing: an imputer of the pipeline says what is missing");
    return HBS_OK;
}

/* `transform` may stand before `ops`, and of a transformer must. Whether there is such a value is known
 * behind them. Stands behind the key `ops` then; `key` is the member that is due. */
static bool read_transform(hb_own_file *file, hbs_text key)
{
    bool needed = file->pipeline->task == HBS_TRANSFORMER;

    file->transform = SIZE_MAX;
    if (hb_text_is(key, "transform")) {
        file->transform = (size_t)hb_read_integer(file->d, 0, HB_OWN_MAX_OPERATORS);
        return hb_own_member(file, "ops");
    }
    if (needed || !hb_text_is(key, "ops"))
        hb_document_fail(file->d, HBS_E_FORMAT, "expected the member \"%s\" here", needed ? "transform" : "ops");
    return hb_document_ok(file->d);
}

static bool read_document(hb_own_file *file)
{
    hbs_text key;

    if (!hb_object_begin(file->d) || !read_version(file) || !read_writer(file) || !read_task(file) ||
        !read_features(file) || !next_member(file, &key) || !read_answers(file, &key) || !read_transform(file, key))
        return false;
    if (!hb_own_operators_read(file))
        return false;
    if (hb_object_next(file->d, &key))
        hb_document_unknown(file->d);
    return hb_document_ok(file->d);
}

hbs_status hb_own_read(const void *bytes, size_t size, const hb_options *options, hb_pipeline *pipeline,
                       hbs_error *error)
{
    hb_own_file file = {.pipeline = pipeline, .options = options, .error = error};
    hbs_status status = check_options(options, error);
    bool ok = false;

    if (status == HBS_OK)
        status = hb_document_open(pipeline->arena.memory, bytes, size, HB_JSON, error, &file.d);
    if (status != HBS_OK)
        return status;
    hb_dictionaries_init(&file.texts, pipeline);
    hb_vector_init(&file.encoders, pipeline->arena.memory, sizeof(hb_own_encoder));
    hb_vector_init(&file.values, pipeline->arena.memory, sizeof(hb_own_value));
    hb_vector_init(&file.inputs, pipeline->arena.memory, sizeof(const hb_own_value *));
    pipeline->wide = true;
    pipeline->unseen_is_code = true;
    pipeline->tolerance = 1e-14; /* links; dense sums: own_operators.c */
    pipeline->on_unseen = options->on_unseen;
    pipeline->missing_is_error = options->missing_is_error;
    ok = read_document(&file);
    status = hb_document_ok(file.d) && ok ? hb_document_end(file.d) : hb_document_status(file.d);
    hb_document_close(file.d);
    if (status == HBS_OK && !ok) /* an error of the options */
        status = error ? error->status : HBS_E_ARGS;
    if (status == HBS_OK)
        status = hb_own_texts_end(&file);
    if (status == HBS_OK)
        status = hb_own_encoders_end(&file);
    if (status == HBS_OK)
        status = hb_apply_names(pipeline, options, error);
    hb_dictionaries_release(&file.texts);
    hb_vector_release(&file.encoders);
    hb_vector_release(&file.values);
    hb_vector_release(&file.inputs);
    return status;
}
