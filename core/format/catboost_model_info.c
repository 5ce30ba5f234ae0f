/* catboost_model_info.c - model_info: the loss, the classes and the threshold; the rest is about training. */
#include <string.h>

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
    status = hb_document_open(file->pipeline->arena.memory, text.bytes, text.size, HB_JSON, &error, &inner);
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
 * A list of ctrs is that of single features, of one feature, or of combinations. From each list the reader keeps the
 * types of ctr for which the list cuts the target into classes in several ways (catboost_tables.c). */

enum { N_KINDS = HB_STATISTIC_ABOVE + 1 };

typedef struct ctr_cuts {
    uint64_t first[N_KINDS]; /* how the first ctr of the type cuts the target */
    uint8_t seen, several;   /* 1 << hb_statistic_kind */
} ctr_cuts;

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

/* Sums of models need one cut in all lists. */
static void note_cut(hb_catboost_file *file, uint32_t kind, uint64_t cut)
{
    if (kind == HB_STATISTIC_COUNTER)
        return;
    if (!file->has_cut)
        file->cut = cut;
    file->cuts_differ |= file->cut != cut;
    file->has_cut = true;
}

static void read_ctr_setting(hb_catboost_file *file, ctr_cuts *cuts)
{
    uint64_t cut = 0;
    uint32_t kind = 0;
    hb_document *d = file->d;
    bool known = false;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "ctr_type"))
            known = hb_catboost_ctr_kind(hb_read_string(d), &kind);
        else if (hb_text_is(key, "target_binarization"))
            cut = read_cut(d);
        else
            hb_skip(d, false);
    }
    if (!known) /* no tree has it: trees of unknown types are refused */
        return;
    note_cut(file, kind, cut);
    if (cuts->seen >> kind & 1 && cuts->first[kind] != cut)
        cuts->several |= (uint8_t)(1 << kind);
    if (!(cuts->seen >> kind & 1))
        cuts->first[kind] = cut;
    cuts->seen |= (uint8_t)(1 << kind);
}

static uint8_t read_ctr_settings(hb_catboost_file *file)
{
    ctr_cuts cuts = {.seen = 0};

    if (hb_array_begin(file->d))
        while (hb_array_next(file->d))
            read_ctr_setting(file, &cuts);
    return cuts.several;
}

static bool read_place(hbs_text key, uint32_t *place)
{
    int64_t number = -1;

    if (hb_read_int64(key.bytes, key.bytes + key.size, &number) != key.size || number < 0 || number > HB_MAX_FEATURES)
        return false;
    *place = (uint32_t)number;
    return true;
}

/* {"3": [..], ..}: the feature's place, in decimal digits. */
static void read_feature_ctrs(hb_catboost_file *file)
{
    hb_catboost_cuts cuts = {.feature = 0};
    char shown[HB_EXCERPT_BUFFER];
    hbs_text key;

    if (!hb_object_begin(file->d))
        return;
    while (hb_object_next(file->d, &key)) {
        if (read_place(key, &cuts.feature))
            cuts.kinds = read_ctr_settings(file);
        else
            hb_document_fail(file->d, HBS_E_FORMAT, "\"%s\" is no place of a feature", HB_SHOW(key, shown));
        hb_catboost_append(file, &file->feature_cuts, &cuts);
    }
}

static void read_category_params(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "simple_ctrs"))
            file->simple_cuts = read_ctr_settings(file);
        else if (hb_text_is(key, "combinations_ctrs"))
            file->combination_cuts = read_ctr_settings(file);
        else if (hb_text_is(key, "per_feature_ctrs"))
            read_feature_ctrs(file);
        else
            hb_skip(d, false);
    }
}

/* The parameters of the whole model, or of one model of a sum. */
static void read_params(hb_catboost_file *file, bool whole)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "loss_function") && whole)
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
    if (text.size == 0 || hb_read_float64(text.bytes, text.bytes + text.size, &file->threshold, NULL) != text.size ||
        !(file->threshold >= 0 && file->threshold <= 1))
        hb_document_fail(file->d, HBS_E_FORMAT, "expected a probability in quotes, found \"%s\"", HB_SHOW(text, shown));
}

/* "model0:params", and "model0:model1:params" where sums were added. */
static bool is_params_of_part(hbs_text key)
{
    static const char end[] = ":params";
    size_t n = sizeof(end) - 1;

    return key.size > n && memcmp(key.bytes + key.size - n, end, n) == 0;
}

void hb_catboost_model_info_read(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "params")) {
            file->has_params = true;
            read_params(file, true);
        } else if (is_params_of_part(key)) {
            read_params(file, false);
        } else if (hb_text_is(key, "loss_function"))
            read_loss_text(file);
        else if (hb_text_is(key, "class_params") || hb_text_is(key, "multiclass_params"))
            read_class_params(file);
        else if (hb_text_is(key, "binclass_probability_threshold"))
            read_threshold(file);
        else
            hb_skip(d, false);
    }
}
