/* names.c - features and classes of a plan by name and by number. */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "plan/plan.h"

hbs_text hb_plan_feature_name(const hb_plan_header *header, size_t i)
{
    const uint32_t *ends = hb_plan_at(header, header->name_ends);
    const char *bytes = hb_plan_at(header, header->name_bytes);
    uint32_t begin;

    if (!header->named)
        return (hbs_text){"", 0};
    begin = i ? ends[i - 1] : 0;
    return (hbs_text){bytes + begin, ends[i] - begin};
}

const char *hb_plan_show_feature(const hb_plan_header *header, size_t i, char buffer[HB_FEATURE_BUFFER])
{
    char name[HB_EXCERPT_BUFFER];

    if (header->named)
        snprintf(buffer, HB_FEATURE_BUFFER, "feature \"%s\"", HB_SHOW(hb_plan_feature_name(header, i), name));
    else
        snprintf(buffer, HB_FEATURE_BUFFER, "feature %zu", i + 1);
    return buffer;
}

static uint8_t lower_letter(char c)
{
    uint8_t u = (uint8_t)c;

    return u >= 'A' && u <= 'Z' ? (uint8_t)(u + 32) : u;
}

/* Eight letters. */
static uint64_t lower_eight(const char *bytes)
{
    const uint64_t each = 0x0101010101010101, high = each << 7;
    uint64_t eight, low, upper;

    memcpy(&eight, bytes, sizeof(eight));
    low = eight & ~high;
    upper = (low + (128 - 'A') * each) & ~(low + (127 - 'Z') * each) & ~eight & high;
    return eight | upper >> 2;
}

/* How many bytes at the begin are surely equal but for case. */
static size_t equal_nocase(const char *a, const char *b, size_t size)
{
    size_t at = 0;

    for (uint64_t differ = 0; size - at >= 32; at += 32) {
        for (size_t i = 0; i < 32; i += 8)
            differ |= lower_eight(a + at + i) ^ lower_eight(b + at + i);
        if (differ)
            break;
    }
    return at;
}

/* By the letters in lower case; equal ones differ in case only. */
static int compare_nocase(hbs_text a, hbs_text b)
{
    size_t size = a.size < b.size ? a.size : b.size;

    for (size_t i = equal_nocase(a.bytes, b.bytes, size); i < size; i++)
        if (lower_letter(a.bytes[i]) != lower_letter(b.bytes[i]))
            return lower_letter(a.bytes[i]) < lower_letter(b.bytes[i]) ? -1 : 1;
    return (a.size > b.size) - (a.size < b.size);
}

/* The order of name_order: by the letters in lower case, then by the bytes. */
static int compare_all(hbs_text a, hbs_text b)
{
    int order = compare_nocase(a, b);

    return order ? order : memcmp(a.bytes, b.bytes, a.size);
}

/* The names that a comparison of the sort looks at. */
typedef struct sorted_names {
    const hb_plan_header *header;
    hb_work *work;
} sorted_names;

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    enum { UNITS = 32, BYTES_A_UNIT = 16 };
    const sorted_names *s = context;
    hbs_text x = hb_plan_feature_name(s->header, a), y = hb_plan_feature_name(s->header, b);

    (void)hb_goes_on(s->work,
                     UNITS + (x.size < y.size ? x.size : y.size) / BYTES_A_UNIT); /* sorting looks at its answer */
    return compare_all(x, y);
}

hbs_status hb_plan_sort_names(const hb_plan_header *header, uint32_t *order, hb_work *work, hbs_error *error)
{
    const sorted_names names = {header, work};

    for (uint32_t i = 0; i < header->n_features; i++)
        order[i] = i;
    HB_TRY(hb_worked(work, header->n_features, error));
    if (!hb_sort(order, header->n_features, compare_names, &names, work))
        return hb_work_status(work, error);
    return HBS_OK;
}

/* The first place in name_order whose name is not below `name`. */
static size_t find_place(const hb_plan_header *header, hbs_text name, int (*compare)(hbs_text a, hbs_text b))
{
    const uint32_t *order = hb_plan_at(header, header->name_order);
    size_t low = 0, high = header->n_features;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(hb_plan_feature_name(header, order[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* True if the feature at `place` of name_order has that name. */
static bool is_at(const hb_plan_header *header, size_t place, hbs_text name, int (*compare)(hbs_text a, hbs_text b))
{
    const uint32_t *order = hb_plan_at(header, header->name_order);

    return place < header->n_features && compare(hb_plan_feature_name(header, order[place]), name) == 0;
}

/* Two searches, not one and a walk: a hostile model may have 262,144 names that differ in case only. */
size_t hb_plan_find_feature(const hb_plan_header *header, hbs_text name, bool *ambiguous)
{
    const uint32_t *order = hb_plan_at(header, header->name_order);
    size_t place;

    *ambiguous = false;
    if (!header->named)
        return header->n_features;
    place = find_place(header, name, compare_all);
    if (is_at(header, place, name, compare_all))
        return order[place];
    place = find_place(header, name, compare_nocase);
    if (!is_at(header, place, name, compare_nocase))
        return header->n_features;
    *ambiguous = is_at(header, place + 1, name, compare_nocase);
    return *ambiguous ? header->n_features : order[place];
}

static bool is_name_of(const hb_plan_header *header, size_t f, hbs_text name)
{
    return compare_all(hb_plan_feature_name(header, f), name) == 0;
}

/* Marks the features without a column that `name` could be. If one is marked already, an earlier column marked all. */
static void mark_ambiguous(const hb_plan_header *header, hbs_text name, int *columns)
{
    const uint32_t *order = hb_plan_at(header, header->name_order);
    size_t place = find_place(header, name, compare_nocase);

    for (; is_at(header, place, name, compare_nocase); place++) {
        int *column = &columns[order[place]];

        if (*column == HBS_AMBIGUOUS_COLUMN)
            return;
        if (*column == HBS_NO_COLUMN)
            *column = HBS_AMBIGUOUS_COLUMN;
    }
}

static void match_exactly(const hb_plan_header *header, const hbs_text *names, int i, int *columns)
{
    bool ambiguous;
    size_t f = hb_plan_find_feature(header, names[i], &ambiguous);

    if (f < header->n_features && is_name_of(header, f, names[i]))
        columns[f] = columns[f] == HBS_NO_COLUMN ? i : HBS_SEVERAL_COLUMNS;
}

static void match_without_case(const hb_plan_header *header, const hbs_text *names, int i, int *columns)
{
    bool ambiguous;
    size_t f = hb_plan_find_feature(header, names[i], &ambiguous);

    if (ambiguous)
        mark_ambiguous(header, names[i], columns);
    else if (f == header->n_features || is_name_of(header, f, names[i]))
        return;
    else if (columns[f] == HBS_NO_COLUMN)
        columns[f] = i;
    else if (columns[f] >= 0 && !is_name_of(header, f, names[columns[f]]))
        columns[f] = HBS_SEVERAL_COLUMNS;
}

/* A name whose bytes are NULL is no column, not even that of a feature called "". */
void hb_plan_match_columns(const hb_plan_header *header, const hbs_text *names, int n_names, int *columns)
{
    for (size_t f = 0; f < header->n_features; f++)
        columns[f] = HBS_NO_COLUMN;
    for (int i = 0; i < n_names; i++)
        if (names[i].bytes)
            match_exactly(header, names, i, columns);
    for (int i = 0; i < n_names; i++)
        if (names[i].bytes)
            match_without_case(header, names, i, columns);
}

static hbs_value label_at(const hb_plan_header *header, uint64_t offset, size_t i)
{
    const hb_class *c = (const hb_class *)hb_plan_at(header, offset) + i;
    hbs_value label = {.type = (hbs_type)c->type};

    if (label.type == HBS_TEXT)
        label.as.text = (hbs_text){hb_plan_at(header, c->text), c->size};
    else if (label.type == HBS_FLOAT64)
        label.as.f64 = c->f64;
    else if (label.type == HBS_BOOL)
        label.as.boolean = c->i64 != 0;
    else
        label.as.i64 = c->i64;
    return label;
}

hbs_value hb_plan_class_label(const hb_plan_header *header, size_t i)
{
    return label_at(header, header->classes, i);
}

hbs_value hb_plan_target_label(const hb_plan_header *header, size_t i)
{
    return label_at(header, header->target_labels, i);
}

const hb_dictionary *hb_plan_dictionary(const hb_plan_header *header, size_t feature)
{
    const uint64_t *offsets = hb_plan_at(header, header->dictionaries);

    if (!header->dictionaries || !offsets[feature])
        return NULL;
    return hb_plan_at(header, offsets[feature]);
}
