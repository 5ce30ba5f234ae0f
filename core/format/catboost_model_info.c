/* catboost_model_info.c - model_info: the loss, the classes and the threshold; the rest is about training. */
#include "base/number.h"
#include "format/catboost.h"

static hbs_text keep_text(hb_catboost_file *file, hb_document *d, hbs_text text)
{
    hbs_text kept = {NULL, text.size};

    if (!hb_document_ok(d))
        return (hbs_text){NULL, 0};
    kept.bytes = hb_arena_text(&file->pipeline->arena, text.bytes, text.size);
    if (!kept.bytes)
        hb_document_no_memory(d);
    return kept;
}

/* ---- the loss: {"type": "Quantile", "params": {"alpha": "0.3"}} */

static void read_loss(hb_catboost_file *file, hb_document *d)
{
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "type"))
            file->loss = keep_text(file, d, hb_read_string(d));
        else
            hb_skip(d, false);
    }
}

/* Models that are sums of models have the loss as a JSON text in a string. */
static void read_loss_text(hb_catboost_file *file)
{
    hbs_error error = {.status = HBS_OK};
    hb_document *inner = NULL;
    hbs_text text = hb_read_string(file->d);
    hbs_status status;

    if (!hb_document_ok(file->d))
        return;
    status = hb_document_open(file->pipeline->arena.memory, text.bytes, text.size, HB_JSON, &error,
                              &inner);
    if (status == HBS_OK) {
        read_loss(file, inner);
        status = hb_document_end(inner);
    }
    hb_document_close(inner);
    if (status != HBS_OK)
        hb_document_fail(file->d, status, "no JSON: %s", error.text);
}

/* ---- ctrs that training was asked for
 *
 * Tables of one kind of ctr that differ in how the target was cut only (TargetBorderCount) have one name in the
 * file, which then holds one of them: no answer of such a model can be trusted. */

enum { MAX_KINDS = 16 };

/* The kinds of one list, by the hashes of their names, and how each cuts the target. */
typedef struct ctr_kinds {
    uint64_t type[MAX_KINDS], cut[MAX_KINDS];
    size_t n;
} ctr_kinds;

static uint64_t read_cut(hb_document *d)
{
    uint64_t cut = 0;
    hbs_text key, text;

    if (!hb_object_begin(d))
        return 0;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "border_count")) {
            cut += (uint64_t)hb_read_integer(d, 0, INT32_MAX);
        } else if (hb_text_is(key, "border_type")) {
            text = hb_read_string(d);
            cut += hb_hash(text.bytes, text.size);
        } else {
            hb_skip(d, false);
        }
    }
    return cut;
}

static void add_kind(hb_catboost_file *file, ctr_kinds *kinds, uint64_t type, uint64_t cut)
{
    for (size_t i = 0; i < kinds->n; i++)
        if (kinds->type[i] == type) {
            file->ctr_twice |= kinds->cut[i] != cut;
            return;
        }
    if (kinds->n == MAX_KINDS) {
        file->ctr_twice = true;
        return;
    }
    kinds->type[kinds->n] = type;
    kinds->cut[kinds->n++] = cut;
}

static void read_ctr_setting(hb_catboost_file *file, ctr_kinds *kinds)
{
    uint64_t type = 0, cut = 0;
    hb_document *d = file->d;
    hbs_text key, text;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "ctr_type")) {
            text = hb_read_string(d);
            type = hb_hash(text.bytes, text.size);
        } else if (hb_text_is(key, "target_binarization")) {
            cut = read_cut(d);
        } else {
            hb_skip(d, false);
        }
    }
    add_kind(file, kinds, type, cut);
}

static void read_ctr_settings(hb_catboost_file *file)
{
    ctr_kinds kinds = {.n = 0};

    if (hb_array_begin(file->d))
        while (hb_array_next(file->d))
            read_ctr_setting(file, &kinds);
}

static void read_category_params(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "simple_ctrs") || hb_text_is(key, "combinations_ctrs"))
            read_ctr_settings(file);
        else if (hb_text_is(key, "per_feature_ctrs") && hb_object_begin(d))
            while (hb_object_next(d, &key))
                read_ctr_settings(file);
        else
            hb_skip(d, false);
    }
}

static void read_params(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "loss_function"))
            read_loss(file, d);
        else if (hb_text_is(key, "cat_feature_params"))
            read_category_params(file);
        else
            hb_skip(d, false);
    }
}

/* ---- classes */

static hbs_value read_label(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_value label = {.type = HBS_NULL};

    switch (hb_peek(d)) {
    case HB_KIND_STRING:
        label.type = HBS_TEXT;
        label.as.text = keep_text(file, d, hb_read_string(d));
        break;
    case HB_KIND_BOOL:
        label.type = HBS_BOOL;
        label.as.boolean = hb_read_bool(d);
        break;
    case HB_KIND_INTEGER:
        label.type = HBS_INT64;
        label.as.i64 = hb_read_integer(d, INT64_MIN, INT64_MAX);
        break;
    default:
        label.type = HBS_FLOAT64;
        label.as.f64 = hb_read_double(d);
    }
    return label;
}

static void read_class_names(hb_catboost_file *file)
{
    if (hb_array_begin(file->d))
        while (hb_array_next(file->d)) {
            hbs_value label = read_label(file);

            hb_catboost_append(file, &file->class_names, &label);
        }
}

static void read_class_params(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    file->class_names.count = file->class_numbers.count = 0;
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "class_label_type"))
            file->real_classes = hb_text_is(hb_read_string(d), "Float");
        else if (hb_text_is(key, "class_names"))
            read_class_names(file);
        else if (hb_text_is(key, "class_to_label"))
            hb_read_doubles(d, &file->class_numbers, true);
        else if (hb_text_is(key, "classes_count"))
            file->n_classes = hb_read_integer(d, 0, HB_MAX_OUTPUTS);
        else
            hb_document_unknown(d);
    }
}

/* A number in quotes. */
static void read_threshold(hb_catboost_file *file)
{
    hbs_text text = hb_read_string(file->d);
    char shown[HB_EXCERPT_BUFFER];

    if (!hb_document_ok(file->d))
        return;
    if (text.size == 0 ||
        hb_read_float64(text.bytes, text.bytes + text.size, &file->threshold, NULL) != text.size ||
        !(file->threshold >= 0 && file->threshold <= 1))
        hb_document_fail(file->d, HBS_E_FORMAT, "expected a probability in quotes, found \"%s\"",
                         HB_SHOW(text, shown));
}

void hb_catboost_model_info_read(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "params"))
            read_params(file);
        else if (hb_text_is(key, "loss_function"))
            read_loss_text(file);
        else if (hb_text_is(key, "class_params") || hb_text_is(key, "multiclass_params"))
            read_class_params(file);
        else if (hb_text_is(key, "binclass_probability_threshold"))
            read_threshold(file);
        else
            hb_skip(d, false);
    }
}
