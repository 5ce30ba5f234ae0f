/* code_set.c - see code_set.h. */
#include "base/code_set.h"

#include <string.h>

#include "base/unicode_tables.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef struct table {
    const hb_code_range *ranges;
    size_t count;
} table;

static const hb_code_range ascii_word[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
static const hb_code_range re2_case_word[] = {{'0', '9'}, {'A', 'Z'},     {'_', '_'},
                                              {'a', 'z'}, {0x17F, 0x17F}, {0x212A, 0x212A}};
static const hb_code_range ascii_digit[] = {{'0', '9'}};
static const hb_code_range ascii_space[] = {{'\t', '\r'}, {' ', ' '}};
static const hb_code_range re2_space[] = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};

#define TABLE(array)          \
    {                         \
        (array), COUNT(array) \
    }
static const table classes[][4] = {
    [HB_CLASS_WORD] = {[HB_CLASS_ASCII] = TABLE(ascii_word),
                       [HB_CLASS_RE2] = TABLE(ascii_word),
                       [HB_CLASS_RE2_CASE] = TABLE(re2_case_word)},
    [HB_CLASS_DIGIT] = {[HB_CLASS_ASCII] = TABLE(ascii_digit),
                        [HB_CLASS_RE2] = TABLE(ascii_digit),
                        [HB_CLASS_RE2_CASE] = TABLE(ascii_digit)},
    [HB_CLASS_SPACE] = {[HB_CLASS_ASCII] = TABLE(ascii_space),
                        [HB_CLASS_RE2] = TABLE(re2_space),
                        [HB_CLASS_RE2_CASE] = TABLE(re2_space)},
};

/* ---- case */

static uint32_t next_in_row(const hb_case_row *row, uint32_t code)
{
    if (code > row->last)
        return code;
    if (row->step == 0)
        return ((code - row->first) ^ 1) + row->first;
    return (uint32_t)((int32_t)code + row->step);
}

static uint32_t next_in_table(uint32_t code)
{
    size_t low = 0, high = COUNT(unicode_14_0_case);

    while (low < high) { /* the first row that begins behind the code */
        size_t middle = (low + high) / 2;

        if (unicode_14_0_case[middle].first <= code)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? next_in_row(&unicode_14_0_case[low - 1], code) : code;
}

static bool is_foreign_i(uint32_t code)
{
    return code == 0x130 || code == 0x131;
}

uint32_t hb_case_next(uint32_t code, hb_case rule)
{
    if (rule == HB_CASE_EXACT || (rule == HB_CASE_RE2 && is_foreign_i(code)))
        return code;
    if (rule == HB_CASE_ASCII) {
        uint32_t lower = code | 0x20;

        return code < 0x80 && lower >= 'a' && lower <= 'z' ? code ^ 0x20 : code;
    }
    do {
        code = next_in_table(code);
    } while (rule == HB_CASE_RE2 && is_foreign_i(code));
    return code;
}

/* ---- building */

/* How many ranges end before `code`, and do not touch it: where it belongs. */
static size_t place_of(const hb_vector *ranges, uint32_t code)
{
    const hb_code_range *items = ranges->items;
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (items[middle].last + 1 < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool hb_code_set_add(hb_vector *ranges, uint32_t first, uint32_t last)
{
    if (!hb_vector_reserve(ranges, 1))
        return false;

    hb_code_range *items = ranges->items;
    size_t from = place_of(ranges, first), to = from;

    while (to < ranges->count && items[to].first <= last + 1) { /* all that the new one touches */
        if (items[to].first < first)
            first = items[to].first;
        if (items[to].last > last)
            last = items[to].last;
        to++;
    }
    memmove(items + from + 1, items + to, (ranges->count - to) * sizeof *items);
    items[from] = (hb_code_range){first, last};
    ranges->count = ranges->count + 1 - (to - from);
    return true;
}

static bool add_ring(hb_vector *ranges, uint32_t code, hb_case rule)
{
    for (uint32_t other = hb_case_next(code, rule); other != code; other = hb_case_next(other, rule))
        if (!hb_code_set_add(ranges, other, other))
            return false;
    return true;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool hb_code_set_add_case(hb_vector *ranges, uint32_t first, uint32_t last, hb_case rule)
{
    if (!hb_code_set_add(ranges, first, last))
        return false;
    if (rule == HB_CASE_EXACT)
        return true;
    for (size_t i = 0; i < COUNT(unicode_14_0_case); i++) {
        const hb_case_row *row = &unicode_14_0_case[i];

        for (uint32_t code = larger(first, row->first); code <= smaller(last, row->last); code++)
            if (!add_ring(ranges, code, rule))
                return false;
    }
    return true;
}

/* The next range of the class; *i begins with 0. */
static bool next_range(hb_code_class class, hb_class_rule rule, hb_unicode unicode, size_t *i, hb_code_range *range)
{
    const table *of = &classes[class][rule];

    if (rule == HB_CLASS_UNICODE)
        return hb_python_next_range(class, unicode, i, &range->first, &range->last);
    if (*i == of->count)
        return false;
    *range = of->ranges[(*i)++];
    return true;
}

bool hb_code_set_add_class(hb_vector *ranges, hb_code_class class, hb_class_rule rule, hb_unicode unicode, bool negated)
{
    uint32_t begin = 0; /* of the gap before a range */
    hb_code_range range;
    size_t i = 0;

    while (next_range(class, rule, unicode, &i, &range)) {
        bool added = true;

        if (!negated)
            added = hb_code_set_add(ranges, range.first, range.last);
        else if (range.first > begin)
            added = hb_code_set_add(ranges, begin, range.first - 1);
        if (!added)
            return false;
        begin = range.last + 1;
    }
    return !negated || hb_code_set_add(ranges, begin, HB_LAST_CODE); /* no class has the last code */
}

bool hb_code_set_negate(hb_vector *ranges)
{
    if (!hb_vector_reserve(ranges, 1))
        return false;

    hb_code_range *items = ranges->items;
    uint32_t begin = 0;
    size_t kept = 0;

    for (size_t i = 0; i < ranges->count; i++) { /* the gap before range i takes at most its place */
        hb_code_range range = items[i];

        if (range.first > begin)
            items[kept++] = (hb_code_range){begin, range.first - 1};
        begin = range.last + 1;
    }
    if (begin <= HB_LAST_CODE)
        items[kept++] = (hb_code_range){begin, HB_LAST_CODE};
    ranges->count = kept;
    return true;
}
