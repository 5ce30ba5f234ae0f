/* catboost_ctr.c - ctrs (features_info.ctrs) and their tables (ctr_data). */
#include "format/catboost.h"

#include <string.h>

#include "base/number.h"
#include "base/sort.h"

/* ---- ctrs */

enum { HAS_CATEGORY = 1, HAS_FLOAT = 2, HAS_BORDER = 4, HAS_VALUE = 8 };

static void read_element(hb_catboost_file *file)
{
    static const unsigned needed[] = {[HB_ELEMENT_HASH] = HAS_CATEGORY,
                                      [HB_ELEMENT_ABOVE] = HAS_FLOAT | HAS_BORDER,
                                      [HB_ELEMENT_EQUAL] = HAS_CATEGORY | HAS_VALUE};
    hb_element element = {.kind = UINT32_MAX};
    unsigned has = 0;
    hb_document *d = file->d;
    hbs_text key;
    char shown[HB_EXCERPT_BUFFER];

    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "combination_element")) {
            hbs_text kind = hb_read_string(d);

            if (hb_text_is(kind, "cat_feature_value"))
                element.kind = HB_ELEMENT_HASH;
            else if (hb_text_is(kind, "float_feature"))
                element.kind = HB_ELEMENT_ABOVE;
            else if (hb_text_is(kind, "cat_feature_exact_value"))
                element.kind = HB_ELEMENT_EQUAL;
            else
                hb_document_fail(d, HBS_E_UNSUPPORTED, "unknown combination_element \"%s\"", HB_SHOW(kind, shown));
        } else if (hb_text_is(key, "cat_feature_index") || hb_text_is(key, "float_feature_index")) {
            has |= hb_text_is(key, "cat_feature_index") ? HAS_CATEGORY : HAS_FLOAT;
            element.column = (uint32_t)hb_read_integer(d, 0, HB_MAX_FEATURES);
        } else if (hb_text_is(key, "border")) {
            has |= HAS_BORDER;
            element.border = (double)hb_read_float(d);
        } else if (hb_text_is(key, "value")) {
            has |= HAS_VALUE;
            element.border = (double)hb_read_integer(d, INT32_MIN, INT32_MAX);
        } else {
            hb_document_unknown(d);
        }
    }
    if (hb_document_ok(d) && (element.kind == UINT32_MAX || has != needed[element.kind]))
        hb_document_fail(d, HBS_E_FORMAT,
                         "needs combination_element, and the index and the number "
                         "that it says");
    hb_catboost_append(file, &file->elements, &element);
}

/* Values of categories are hashed first, then comparisons of numbers, then those of categories. */
static void order_elements(hb_catboost_file *file, size_t first)
{
    hb_element *e = (hb_element *)file->elements.items + first;
    size_t n = file->elements.count - first;

    for (size_t i = 1; i < n; i++) /* stable insertion: combinations are short */
        for (size_t k = i; k > 0 && e[k].kind < e[k - 1].kind; k--) {
            hb_element moved = e[k];

            e[k] = e[k - 1];
            e[k - 1] = moved;
        }
}

enum { MAX_ELEMENTS = 64 }; /* of one combination */

static void read_elements(hb_catboost_file *file, hb_statistic *statistic)
{
    statistic->first_element = (uint32_t)file->elements.count;
    if (hb_array_begin(file->d))
        while (hb_array_next(file->d))
            read_element(file);
    statistic->n_elements = (uint32_t)file->elements.count - statistic->first_element;
    if (statistic->n_elements > MAX_ELEMENTS)
        hb_document_fail(file->d, HBS_E_LIMIT, "more than %d elements", MAX_ELEMENTS);
    else if (hb_document_ok(file->d))
        order_elements(file, statistic->first_element);
}

bool hb_catboost_ctr_kind(hbs_text type, uint32_t *kind)
{
    static const struct {
        const char *name;
        hb_statistic_kind kind;
    } types[] = {
        {"Borders", HB_STATISTIC_ABOVE},
        {"Buckets", HB_STATISTIC_BUCKET},
        {"BinarizedTargetMeanValue", HB_STATISTIC_MEAN},
        {"FloatTargetMeanValue", HB_STATISTIC_MEAN},
        {"Counter", HB_STATISTIC_COUNTER},
        {"FeatureFreq", HB_STATISTIC_COUNTER},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (hb_text_is(type, types[i].name)) {
            *kind = types[i].kind;
            return true;
        }
    return false;
}

static uint32_t read_type(hb_document *d)
{
    hbs_text text = hb_read_string(d);
    char shown[HB_EXCERPT_BUFFER];
    uint32_t kind = 0;

    if (!hb_catboost_ctr_kind(text, &kind))
        hb_document_fail(d, HBS_E_UNSUPPORTED, "unknown ctr_type \"%s\"", HB_SHOW(text, shown));
    return kind;
}

static void read_borders(hb_catboost_file *file, uint32_t number)
{
    file->numbers.count = 0;
    if (!hb_read_doubles(file->d, &file->numbers, true))
        return;
    for (size_t i = 0; i < file->numbers.count && hb_document_goes_on(file->d, 4); i++) {
        hb_catboost_split split = {.feature = number,
                                   .border = (double)(float)((const double *)file->numbers.items)[i]};

        hb_catboost_append(file, &file->splits[HB_SPLIT_CTR], &split);
    }
}

enum { CTR_MEMBERS = 9 }; /* all versions write them all */

static void read_ctr(hb_catboost_file *file)
{
    hb_catboost_ctr ctr = {.identifier = 0};
    size_t n_members = 0;
    uint32_t number = (uint32_t)file->ctrs.count;
    hb_document *d = file->d;
    hbs_text key;

    if (!hb_object_begin(d))
        return;
    for (; hb_object_next(d, &key); n_members++) {
        hb_statistic *s = &ctr.statistic;

        if (hb_text_is(key, "borders")) {
            read_borders(file, number);
        } else if (hb_text_is(key, "ctr_type")) {
            s->kind = read_type(d);
        } else if (hb_text_is(key, "elements")) {
            read_elements(file, s);
        } else if (hb_text_is(key, "identifier")) {
            hbs_text text = hb_read_string(d);

            ctr.identifier = hb_hash(text.bytes, text.size);
        } else if (hb_text_is(key, "prior_numerator")) {
            s->prior = hb_read_float(d);
        } else if (hb_text_is(key, "prior_denomerator")) {
            s->prior_total = hb_read_float(d);
        } else if (hb_text_is(key, "scale")) {
            s->scale = hb_read_float(d);
        } else if (hb_text_is(key, "shift")) {
            s->shift = hb_read_float(d);
        } else if (hb_text_is(key, "target_border_idx")) {
            s->target = (uint32_t)hb_read_integer(d, 0, INT32_MAX);
        } else {
            hb_document_unknown(d);
        }
    }
    if (hb_document_ok(d) && n_members != CTR_MEMBERS)
        hb_document_fail(d, HBS_E_FORMAT, "has %zu of the %d members of a ctr", n_members, CTR_MEMBERS);
    hb_catboost_append(file, &file->ctrs, &ctr);
}

void hb_catboost_ctrs_read(hb_catboost_file *file)
{
    if (hb_array_begin(file->d))
        while (hb_array_next(file->d))
            read_ctr(file);
}

/* ---- tables */

enum { MAX_TABLES = 1 << 16 };

/* The decimal text of a 64-bit hash. */
static uint64_t read_key(hb_document *d)
{
    hbs_text text = hb_read_string(d);
    uint64_t key = 0;
    bool good = text.size > 0 && text.size <= 20;

    for (size_t i = 0; good && i < text.size; i++) {
        unsigned digit = (unsigned)(uint8_t)text.bytes[i] - '0';

        good = digit <= 9 && !__builtin_mul_overflow(key, 10, &key) && !__builtin_add_overflow(key, digit, &key);
    }
    if (hb_document_ok(d) && !good)
        hb_document_fail(d, HBS_E_FORMAT, "expected a hash of 64 bits as a text");
    return key;
}

/* A bucket of `size` items ends, a key and its counts: the first one says how many all have. */
static void end_bucket(hb_document *d, hb_count_table *table, size_t size)
{
    if (!hb_document_ok(d) || size == 0)
        return;
    if (table->width == 0)
        table->width = size - 1;
    if (table->width == 0)
        hb_document_fail(d, HBS_E_FORMAT, "a bucket without counts");
    else if (table->width + 1 != size)
        hb_document_fail(d, HBS_E_FORMAT, "buckets of different sizes");
}

/* Buckets, one after another. An empty one has the key 2^64 - 1, and numbers without meaning. */
static void read_buckets(hb_catboost_file *file, hb_count_table *table)
{
    const uint64_t empty = UINT64_MAX;
    uint64_t key = empty;
    hb_document *d = file->d;
    size_t place = 0;

    if (!hb_array_begin(d))
        return;
    while (hb_array_next(d)) {
        bool is_key = hb_peek(d) == HB_KIND_STRING;

        if (is_key) {
            end_bucket(d, table, place);
            key = read_key(d);
            place = 1;
            if (key != empty) {
                table->n++;
                hb_catboost_append(file, &file->keys, &key);
            }
        } else {
            double count = hb_read_double(d);

            if (place == 0)
                hb_document_fail(d, HBS_E_FORMAT, "expected a hash first");
            place++;
            if (key != empty)
                hb_catboost_append(file, &file->counts, &count);
        }
    }
    end_bucket(d, table, place);
}

static int compare_keys(const void *context, uint32_t a, uint32_t b)
{
    const uint64_t *keys = context;

    return (keys[a] > keys[b]) - (keys[a] < keys[b]);
}

static bool sort_into(hb_catboost_file *file, const hb_count_table *table, uint32_t *order, uint64_t *keys,
                      double *counts)
{
    uint64_t *old_keys = (uint64_t *)file->keys.items + table->first_key;
    double *old_counts = (double *)file->counts.items + table->first_count;
    size_t n = table->n, width = table->width;

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (!hb_sort(order, n, compare_keys, old_keys, &file->keys.memory->work))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!hb_goes_on(&file->keys.memory->work, 2 + width / 16))
            return false;
        keys[i] = old_keys[order[i]];
        memcpy(counts + i * width, old_counts + order[i] * width, width * sizeof(*counts));
    }
    memcpy(old_keys, keys, n * sizeof(*keys));
    memcpy(old_counts, counts, n * width * sizeof(*counts));
    return true;
}

/* The file has a hash table; ours is sorted, for binary search. */
static void sort_table(hb_catboost_file *file, const hb_count_table *table)
{
    hb_memory *memory = file->keys.memory;
    size_t n = table->n, n_counts = n * table->width;
    uint32_t *order = hb_allocate(memory, n * sizeof(*order));
    uint64_t *keys = hb_allocate(memory, n * sizeof(*keys));
    double *counts = hb_allocate(memory, n_counts * sizeof(*counts));

    if (!order || !keys || !counts)
        hb_document_no_memory(file->d);
    else if (!sort_into(file, table, order, keys, counts))
        hb_document_fail(file->d, HBS_E_CANCEL, "cancelled");
    hb_release(memory, order, n * sizeof(*order));
    hb_release(memory, keys, n * sizeof(*keys));
    hb_release(memory, counts, n_counts * sizeof(*counts));
}

static void read_table(hb_catboost_file *file, uint64_t identifier)
{
    hb_catboost_table t = {.identifier = identifier};
    int64_t stride = -1;
    hb_document *d = file->d;
    hbs_text key;

    t.table.first_key = file->keys.count;
    t.table.first_count = file->counts.count;
    if (!hb_object_begin(d))
        return;
    while (hb_object_next(d, &key)) {
        if (hb_text_is(key, "counter_denominator"))
            t.table.denominator = (double)hb_read_integer(d, 0, INT64_MAX);
        else if (hb_text_is(key, "hash_map"))
            read_buckets(file, &t.table);
        else if (hb_text_is(key, "hash_stride"))
            stride = hb_read_integer(d, 0, INT32_MAX);
        else
            hb_document_unknown(d);
    }
    if (hb_document_ok(d) && t.table.width > 0 && stride != (int64_t)t.table.width + 1)
        hb_document_fail(d, HBS_E_FORMAT, "hash_stride is %lld, buckets have %llu items", (long long)stride,
                         (unsigned long long)t.table.width + 1);
    if (t.table.width == 0 && stride > 0)
        t.table.width = (uint64_t)stride - 1;
    if (hb_document_ok(d) && t.table.n > 1)
        sort_table(file, &t.table);
    hb_catboost_append(file, &file->tables, &t);
}

void hb_catboost_ctr_data_read(hb_catboost_file *file)
{
    hbs_text key;

    hb_document_allow_members(file->d, MAX_TABLES);
    if (hb_object_begin(file->d))
        while (hb_object_next(file->d, &key))
            read_table(file, hb_hash(key.bytes, key.size));
}
