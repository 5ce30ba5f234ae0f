/* names.c - features and classes of a plan by name and by number. */
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

static uint8_t lower(char c)
{
    uint8_t u = (uint8_t)c;

    return u >= 'A' && u <= 'Z' ? (uint8_t)(u + 32) : u;
}

/* By the letters in lower case; equal ones differ in case only. */
static int compare_nocase(hbs_text a, hbs_text b)
{
    size_t size = a.size < b.size ? a.size : b.size;

    for (size_t i = 0; i < size; i++)
        if (lower(a.bytes[i]) != lower(b.bytes[i]))
            return lower(a.bytes[i]) < lower(b.bytes[i]) ? -1 : 1;
    return (a.size > b.size) - (a.size < b.size);
}

static int compare_names(const void *context, uint32_t a, uint32_t b)
{
    hbs_text left = hb_plan_feature_name(context, a), right = hb_plan_feature_name(context, b);
    int order = compare_nocase(left, right);

    return order ? order : memcmp(left.bytes, right.bytes, left.size);
}

void hb_plan_sort_names(const hb_plan_header *header, uint32_t *order)
{
    for (uint32_t i = 0; i < header->n_features; i++)
        order[i] = i;
    hb_sort(order, header->n_features, compare_names, header);
}

size_t hb_plan_find_feature(const hb_plan_header *header, hbs_text name, bool *ambiguous)
{
    const uint32_t *order = hb_plan_at(header, header->name_order);
    size_t low = 0, high = header->named ? header->n_features : 0, first;

    *ambiguous = false;
    while (low < high) { /* the first one that is not below */
        size_t middle = low + (high - low) / 2;

        if (compare_nocase(hb_plan_feature_name(header, order[middle]), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (first = low; low < header->n_features && header->named; low++) {
        hbs_text found = hb_plan_feature_name(header, order[low]);

        if (compare_nocase(found, name) != 0)
            break;
        if (hb_text_equal(found, name))
            return order[low];
    }
    *ambiguous = low > first + 1;
    return low == first + 1 ? order[first] : header->n_features;
}

hbs_value hb_plan_class_label(const hb_plan_header *header, size_t i)
{
    const hb_class *c = (const hb_class *)hb_plan_at(header, header->classes) + i;
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

const hb_dictionary *hb_plan_dictionary(const hb_plan_header *header, size_t feature)
{
    const uint64_t *offsets = hb_plan_at(header, header->dictionaries);

    if (!header->dictionaries || !offsets[feature])
        return NULL;
    return hb_plan_at(header, offsets[feature]);
}
