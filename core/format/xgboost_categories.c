/* xgboost_categories.c - the object `cats` (from 3.1 on): the categories that training has seen.
 *
 * `enc` has one entry for each feature: {offsets, values} where they are texts (values: their bytes,
 * one after another, as signed numbers), {type, values} where they are integers. A feature without
 * categories has an empty entry. The position of a category is the code that trees test.
 *
 * XGBoost 3.1 to 3.3 take the offsets and the number of bytes of a DataFrame's texts from their numbers of
 * characters (npstr_to_arrow_strarr in _data_utils.py): names that are not ASCII, and all behind them, are
 * shifted and cut. The first byte of such a name is always there, so that ASCII alone shows a sound file. */
#include <string.h>

#include "format/xgboost.h"

/* CatIndexType in XGBoost's src/data/cat_container.cc; 3.1 to 3.5-dev. */
enum { TYPE_FLOAT32 = 7, TYPE_FLOAT64 = 8, TYPE_INT8 = 9, TYPE_UINT16 = 12, TYPE_UINT32 = 14, TYPE_UINT64 = 16 };

#define WAY_OUT                                                                                   \
    "train with XGBoost 3.4 or newer, or on codes instead of names, or register the fitted "      \
    "estimator with Python's hbscore.register(connection, name, estimator, sample=frame), which " \
    "knows the names"

typedef struct entry {
    hb_vector offsets; /* int32_t */
    hb_vector values;  /* int64_t */
    hb_vector bytes;   /* uint8_t: the values of texts, where the offsets came before them */
    bool has_offsets, has_values;
    int64_t type; /* 0: none */
} entry;

static void *array_in_arena(hb_xgboost_file *file, size_t count, size_t size)
{
    void *items = hb_arena_array(&file->pipeline->arena, count, size);

    if (!items)
        hb_document_no_memory(file->d);
    return items;
}

/* The values of texts, one byte each: they are most of a file with many categories. XGBoost writes
 * `offsets` before them, members being sorted. */
static bool read_bytes(hb_document *d, hb_vector *bytes)
{
    if (!hb_array_begin(d))
        return false;
    while (hb_array_next(d)) {
        uint8_t byte = (uint8_t)(hb_read_integer(d, -128, 255) & 0xff);

        if (!hb_vector_append(bytes, &byte, 1))
            hb_document_no_memory(d);
    }
    return hb_document_ok(d);
}

/* The same of values that came before the offsets. */
static void values_to_bytes(hb_xgboost_file *file, entry *e)
{
    const int64_t *values = e->values.items;

    for (size_t i = 0; i < e->values.count && hb_document_goes_on(file->d, 4); i++) {
        uint8_t byte = (uint8_t)(values[i] & 0xff);

        if (values[i] < -128 || values[i] > 255)
            hb_document_fail(file->d, HBS_E_FORMAT, "value %zu is %lld, no byte", i, (long long)values[i]);
        else if (!hb_vector_append(&e->bytes, &byte, 1))
            hb_document_no_memory(file->d);
    }
    e->values.count = 0;
}

static char *keep_bytes(hb_xgboost_file *file, const entry *e)
{
    char *bytes = array_in_arena(file, e->bytes.count, 1);

    if (bytes && e->bytes.count)
        memcpy(bytes, e->bytes.items, e->bytes.count);
    return bytes;
}

static bool is_ascii(hb_document *d, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size && hb_document_goes_on(d, 1); i++)
        if ((uint8_t)bytes[i] >= 0x80)
            return false;
    return true;
}

/* Notes the feature being read, if it is the first with names beyond ASCII, or the first with names that are no UTF-8.
 */
static void note_odd_names(hb_xgboost_file *file, const hbs_text *texts, size_t n)
{
    if (!file->odd_names)
        file->odd_names = file->categories.count;
    for (size_t i = 0; i < n && !file->broken_names && hb_document_goes_on(file->d, 1 + texts[i].size); i++)
        if (!hb_utf8_valid(texts[i].bytes, texts[i].size))
            file->broken_names = file->categories.count;
}

static void texts_of(hb_xgboost_file *file, entry *e, hb_categories *categories)
{
    const int32_t *offsets = e->offsets.items;
    size_t n = e->offsets.count ? e->offsets.count - 1 : 0;
    hbs_text *texts;
    char *bytes;

    values_to_bytes(file, e);
    if (n == 0 || !hb_document_ok(file->d))
        return;
    if (offsets[0] != 0 || offsets[n] < 0 || (size_t)offsets[n] != e->bytes.count) {
        hb_document_fail(file->d, HBS_E_FORMAT,
                         "offsets go from %d to %d, there are %zu values: the names of the "
                         "categories are damaged: " WAY_OUT,
                         (int)offsets[0], (int)offsets[n], e->bytes.count);
        return;
    }
    for (size_t i = 0; i < n && hb_document_goes_on(file->d, 1); i++)
        if (offsets[i + 1] < offsets[i]) {
            hb_document_fail(file->d, HBS_E_FORMAT, "offset %zu is %d, below the one before it", i + 1,
                             (int)offsets[i + 1]);
            return;
        }
    texts = array_in_arena(file, n, sizeof(*texts));
    bytes = keep_bytes(file, e);
    if (!texts || !bytes)
        return;
    for (size_t i = 0; i < n && hb_document_goes_on(file->d, 1); i++)
        texts[i] = (hbs_text){bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i])};
    if (!is_ascii(file->d, bytes, e->bytes.count))
        note_odd_names(file, texts, n);
    *categories = (hb_categories){.type = HBS_TEXT, .count = n, .texts = texts};
}

/* In UBJSON, unsigned integers of more than 8 bits stand as signed ones of the same bits. */
static int64_t as_unsigned(int64_t value, int64_t type)
{
    if (value >= 0)
        return value;
    if (type == TYPE_UINT16)
        return value + 65536;
    return type == TYPE_UINT32 ? value + 4294967296 : value;
}

static void numbers_of(hb_xgboost_file *file, const entry *e, hb_categories *categories)
{
    size_t n = e->values.count;
    int64_t *numbers;

    if (e->type == TYPE_FLOAT32 || e->type == TYPE_FLOAT64 || e->type < TYPE_FLOAT32 || e->type > TYPE_UINT64) {
        hb_document_fail(file->d, HBS_E_UNSUPPORTED, "categories of type %lld (integers: 9 to 16)", (long long)e->type);
        return;
    }
    numbers = n ? array_in_arena(file, n, sizeof(*numbers)) : NULL;
    if (!numbers)
        return;
    for (size_t i = 0; i < n && hb_document_goes_on(file->d, 2); i++) {
        numbers[i] = as_unsigned(((const int64_t *)e->values.items)[i], e->type);
        if (e->type == TYPE_UINT64 && numbers[i] < 0) {
            hb_document_fail(file->d, HBS_E_UNSUPPORTED, "category %zu is above 9223372036854775807", i);
            return;
        }
    }
    *categories = (hb_categories){.type = HBS_INT64, .count = n, .numbers = numbers};
}

static void read_entry(hb_xgboost_file *file, entry *e, hb_categories *categories)
{
    hb_document *d = file->d;
    hbs_text key;

    e->offsets.count = e->values.count = e->bytes.count = 0;
    e->has_offsets = e->has_values = false;
    e->type = 0;
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "offsets"))
            e->has_offsets = hb_read_int32s(d, &e->offsets);
        else if (hb_text_is(key, "values"))
            e->has_values = e->has_offsets ? read_bytes(d, &e->bytes) : hb_read_int64s(d, &e->values);
        else if (hb_text_is(key, "type"))
            e->type = hb_read_integer(d, 1, INT32_MAX);
        else
            hb_document_unknown(d);
    }
    if (!hb_document_ok(d))
        return;
    if (!e->has_values || e->has_offsets == (e->type != 0))
        hb_document_fail(d, HBS_E_FORMAT, "categories need values, and either offsets or a type");
    else if (e->has_offsets)
        texts_of(file, e, categories);
    else
        numbers_of(file, e, categories);
}

static void read_entries(hb_xgboost_file *file, entry *e)
{
    if (!hb_array_begin(file->d))
        return;
    while (hb_array_next(file->d)) {
        hb_categories none = {.type = HBS_NULL}, *categories;

        categories = hb_vector_append(&file->categories, &none, 1);
        if (!categories)
            hb_document_no_memory(file->d);
        else
            read_entry(file, e, categories);
    }
}

void hb_xgboost_categories_read(hb_xgboost_file *file)
{
    hb_document *d = file->d;
    entry e;
    hbs_text key;

    hb_vector_init(&e.offsets, file->pipeline->arena.memory, sizeof(int32_t));
    hb_vector_init(&e.values, file->pipeline->arena.memory, sizeof(int64_t));
    hb_vector_init(&e.bytes, file->pipeline->arena.memory, 1);
    if (hb_object_begin(d))
        while (hb_object_next(d, &key)) {
            if (hb_text_is(key, "enc"))
                read_entries(file, &e);
            else if (hb_text_is(key, "feature_segments") || hb_text_is(key, "sorted_idx"))
                hb_skip(d, true); /* both follow from enc */
            else
                hb_document_unknown(d);
        }
    hb_vector_release(&e.offsets);
    hb_vector_release(&e.values);
    hb_vector_release(&e.bytes);
}

hbs_status hb_xgboost_check_category_names(const hb_xgboost_file *file)
{
    bool damaged_by_writer =
        file->odd_names && hb_xgboost_since(file, 3, 1) && !hb_xgboost_since(file, 3, 4) && !file->names_repaired;
    size_t feature = damaged_by_writer ? file->odd_names : file->broken_names;
    char shown[HB_EXCERPT_BUFFER];

    if (!feature)
        return HBS_OK;
    return hb_fail(file->error, HBS_E_UNSUPPORTED,
                   "feature %zu (\"%s\"): its categories are not ASCII, and XGBoost 3.1 to 3.3 damage "
                   "the names of such categories (%s %lld.%lld.%lld): " WAY_OUT,
                   feature - 1, HB_SHOW(hb_pipeline_feature_name(file->pipeline, feature - 1), shown),
                   damaged_by_writer ? "the file is of" : "they are no UTF-8, the file is of",
                   (long long)file->version[0], (long long)file->version[1], (long long)file->version[2]);
}
