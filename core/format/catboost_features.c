/* catboost_features.c - features_info: the float and categorical features and what splits ask of them. */
#include "format/catboost.h"

#include <string.h>

static void keep_name(hb_catboost_file *file, hb_catboost_feature *feature, hbs_text name)
{
    if (!hb_document_ok(file->d) || name.size == 0)
        return;
    feature->name_at = (uint32_t)file->name_bytes.count;
    feature->name_size = (uint32_t)name.size;
    if (!hb_vector_append(&file->name_bytes, name.bytes, name.size))
        hb_document_no_memory(file->d);
}

static void read_nan_treatment(hb_catboost_file *file, hb_catboost_feature *feature)
{
    static const char *const names[] = {"AsIs", "AsFalse", "AsTrue"};
    hbs_text text = hb_read_string(file->d);
    char shown[HB_EXCERPT_BUFFER];

    for (uint8_t i = 0; i < 3; i++)
        if (hb_text_is(text, names[i])) {
            feature->nan_treatment = i;
            return;
        }
    hb_document_fail(file->d, HBS_E_UNSUPPORTED, "unknown nan_value_treatment \"%s\"", HB_SHOW(text, shown));
}

/* The borders of a float feature, or the values of a categorical one; null is none. */
static void read_splits(hb_catboost_file *file, uint32_t feature, bool categorical)
{
    const double *numbers;

    if (hb_peek(file->d) == HB_KIND_NULL) {
        hb_skip(file->d, true);
        return;
    }
    file->numbers.count = 0;
    if (!hb_read_doubles(file->d, &file->numbers, true))
        return;
    numbers = file->numbers.items;
    for (size_t i = 0; i < file->numbers.count && hb_document_goes_on(file->d, 4); i++) {
        hb_catboost_split split = {.feature = feature, .border = categorical ? numbers[i] : (double)(float)numbers[i]};

        if (categorical &&
            !(numbers[i] >= -2147483648.0 && numbers[i] <= 2147483647.0 && numbers[i] == (double)(int32_t)numbers[i]))
            hb_document_fail(file->d, HBS_E_FORMAT, "value %zu is no hash of 32 bits", i);
        hb_catboost_append(file, &file->splits[categorical ? HB_SPLIT_EQUAL : HB_SPLIT_FLOAT], &split);
    }
}

static void read_feature(hb_catboost_file *file, bool categorical)
{
    hb_catboost_feature feature = {.flat_index = -1, .index = -1, .categorical = categorical};
    uint32_t number = (uint32_t)file->features[categorical].count;
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, categorical ? "values" : "borders"))
            read_splits(file, number, categorical);
        else if (hb_text_is(key, "feature_index"))
            feature.index = hb_read_integer(d, 0, HB_MAX_FEATURES);
        else if (hb_text_is(key, "flat_feature_index"))
            feature.flat_index = hb_read_integer(d, 0, HB_MAX_FEATURES);
        else if (hb_text_is(key, "feature_name") || hb_text_is(key, "feature_id"))
            keep_name(file, &feature, hb_read_string(d));
        else if (hb_text_is(key, "has_nans"))
            feature.has_nans = hb_read_bool(d);
        else if (hb_text_is(key, "nan_value_treatment"))
            read_nan_treatment(file, &feature);
        else
            hb_document_unknown(d);
    }
    if (hb_document_ok(d) && feature.flat_index < 0)
        hb_document_fail(d, HBS_E_FORMAT, "needs flat_feature_index");
    if (hb_document_ok(d) && feature.index != (int64_t)number)
        hb_document_fail(d, HBS_E_FORMAT, "feature_index is not %lu", (unsigned long)number);
    hb_catboost_append(file, &file->features[categorical], &feature);
}

static void read_features(hb_catboost_file *file, bool categorical)
{
    if (hb_array_begin(file->d))
        while (hb_array_next(file->d))
            read_feature(file, categorical);
}

/* Features of a kind that needs what the file does not hold. */
static void refuse_features(hb_catboost_file *file, const char *kind)
{
    if (hb_array_begin(file->d))
        while (hb_array_next(file->d)) {
            hb_document_fail(file->d, HBS_E_UNSUPPORTED, "%s features: hbscore scores float and categorical ones",
                             kind);
            return;
        }
}

void hb_catboost_features_read(hb_catboost_file *file)
{
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "float_features"))
            read_features(file, false);
        else if (hb_text_is(key, "categorical_features"))
            read_features(file, true);
        else if (hb_text_is(key, "ctrs"))
            hb_catboost_ctrs_read(file);
        else if (hb_text_is(key, "cat_features_hash"))
            hb_skip(d, true); /* the texts that training saw, for people */
        else if (hb_text_is(key, "text_features"))
            refuse_features(file, "text");
        else if (hb_text_is(key, "embedding_features"))
            refuse_features(file, "embedding");
        else
            hb_document_unknown(d);
    }
}
