/* dictionary.c - categories to codes. Texts are first looked for in a few slots by a hash; binary search finds
 * the rest, so texts that a hostile model makes collide cost no more than that. */
#include <string.h>

#include "base/inline.h"
#include "base/sort.h"
#include "base/words.h"
#include "plan/plan.h"

static int compare_sized(hbs_text a, hbs_text b)
{
    if (a.size != b.size)
        return a.size < b.size ? -1 : 1;
    return memcmp(a.bytes, b.bytes, a.size);
}

enum { BYTES_A_UNIT = 32 };

static hbs_status write_texts(hb_flat *flat, const hb_categories *c, hb_dictionary *d, hb_work *work, hbs_error *error)
{
    size_t total = 0;
    uint32_t *ends = hb_flat_room(flat, c->count + 1, sizeof(*ends), &d->ends);
    char *bytes;

    for (size_t i = 0; i < c->count; i++)
        total += c->texts[i].size;
    bytes = hb_flat_room(flat, total, 1, &d->bytes);
    HB_TRY(hb_worked(work, c->count, error));
    if (!ends)
        return HBS_OK;
    total = ends[0] = 0;
    for (size_t i = 0; i < c->count; i++) {
        HB_TRY(hb_worked(work, 2 + c->texts[i].size / BYTES_A_UNIT, error));
        memcpy(bytes + total, c->texts[i].bytes, c->texts[i].size);
        total += c->texts[i].size;
        ends[i + 1] = (uint32_t)total;
    }
    return HBS_OK;
}

/* ---- slots by hash */

enum {
    WINDOW = 4,          /* slots that a text may be in */
    MOST_SLOTS = 1 << 13 /* more would leave the cache, and cost more than the texts */
};

/* The first and the last eight bytes of a text, or what it has; up to sixteen bytes that is all of it. */
typedef struct ends {
    uint64_t first, last;
} ends;

static inline uint64_t four(const char *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline uint64_t eight(const char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

static inline ends ends_of(const char *bytes, size_t n)
{
    const uint8_t *b = (const uint8_t *)bytes;

    if (n >= 8)
        return (ends){eight(bytes), eight(bytes + n - 8)};
    if (n >= 4)
        return (ends){four(bytes), four(bytes + n - 4)};
    return n == 0 ? (ends){0, 0} : (ends){b[0], (uint64_t)b[n / 2] << 8 | b[n - 1]};
}

/* Which slot comes first; every bit has its say. */
static inline uint32_t slot_of(ends e, size_t n, uint32_t mask)
{
    uint64_t mixed = (e.first ^ n) * 0x9e3779b97f4a7c15u;

    mixed = ((mixed ^ mixed >> 32) + e.last) * 0xd6e8feb86659fd93u;
    return (uint32_t)(mixed >> 40 ^ mixed >> 32) & mask;
}

/* A code + 1, or 0. Mostly four slots a text or more; texts without one are found by searching. */
static hbs_status write_slots(hb_flat *flat, const hb_categories *c, hb_dictionary *d, hb_work *work, hbs_error *error)
{
    uint32_t n = WINDOW, *slots;

    while (n < 4 * c->count && n < MOST_SLOTS)
        n *= 2;
    d->slot_mask = n - 1;
    slots = hb_flat_reserve(flat, n, sizeof(*slots), &d->slots);
    if (!slots)
        return HBS_OK;
    for (uint32_t code = 0; code < d->count; code++) {
        hbs_text text = c->texts[code];
        uint32_t first = slot_of(ends_of(text.bytes, text.size), text.size, d->slot_mask);

        HB_TRY(hb_worked(work, 4, error));
        for (uint32_t k = 0; k < WINDOW; k++)
            if (slots[(first + k) & d->slot_mask] == 0) {
                slots[(first + k) & d->slot_mask] = code + 1;
                break;
            }
    }
    return HBS_OK;
}

/* Texts by size, then by bytes; numbers by value. */
static bool sort_categories(const hb_categories *c, uint32_t *sorted, hb_work *work)
{
    if (c->type == HBS_TEXT)
        return hb_words_sort(c->texts, c->count, sorted, work);
    for (uint32_t i = 0; i < c->count; i++)
        sorted[i] = i;
    return c->type == HBS_INT64 ? hb_sort(sorted, c->count, hb_compare_integers, c->numbers, work)
                                : hb_sort(sorted, c->count, hb_compare_reals, c->reals, work);
}

hbs_status hb_dictionary_write(hb_flat *flat, const hb_categories *categories, uint64_t *offset, hb_work *work,
                               hbs_error *error)
{
    hb_dictionary *at = hb_flat_reserve(flat, 1, sizeof(*at), offset);
    hb_dictionary d = {.type = (uint32_t)categories->type, .count = (uint32_t)categories->count};
    uint32_t *sorted = hb_flat_room(flat, categories->count, sizeof(*sorted), &d.sorted);

    if (d.type == HBS_TEXT) {
        HB_TRY(write_texts(flat, categories, &d, work, error));
        HB_TRY(write_slots(flat, categories, &d, work, error));
    } else if (d.type == HBS_FLOAT64) {
        d.numbers = hb_flat_put(flat, categories->reals, categories->count * sizeof(double));
    } else {
        d.numbers = hb_flat_put(flat, categories->numbers, categories->count * sizeof(int64_t));
    }
    if (!at)
        return HBS_OK; /* counting */
    if (!sort_categories(categories, sorted, work))
        return hb_work_status(work, error);
    *at = d;
    return HBS_OK;
}

/* A dictionary of texts, as far as looking one up needs it. */
typedef struct texts {
    const uint32_t *slots, *sorted, *ends;
    const char *bytes;
    uint32_t slot_mask, count;
} texts;

static inline texts texts_of(const hb_plan_header *header, const hb_dictionary *d)
{
    return (texts){.slots = hb_plan_at(header, d->slots),
                   .sorted = hb_plan_at(header, d->sorted),
                   .ends = hb_plan_at(header, d->ends),
                   .bytes = hb_plan_at(header, d->bytes),
                   .slot_mask = d->slot_mask,
                   .count = d->count};
}

static inline hbs_text text_of(const texts *t, uint32_t code)
{
    return (hbs_text){t->bytes + t->ends[code], t->ends[code + 1] - t->ends[code]};
}

HB_NOINLINE int64_t search_text(const texts *t, hbs_text text)
{
    uint32_t low = 0, high = t->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = compare_sized(text_of(t, t->sorted[middle]), text);

        if (order == 0)
            return t->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static inline bool is_same(hbs_text found, hbs_text text, ends e)
{
    ends f;

    if (found.size != text.size)
        return false;
    f = ends_of(found.bytes, found.size);
    return f.first == e.first && f.last == e.last &&
           (text.size <= 16 || memcmp(found.bytes, text.bytes, text.size) == 0);
}

static inline int64_t find_text(const texts *t, hbs_text text)
{
    ends e = ends_of(text.bytes, text.size);
    uint32_t first = slot_of(e, text.size, t->slot_mask);

    for (uint32_t k = 0; k < WINDOW; k++) {
        uint32_t code = t->slots[(first + k) & t->slot_mask];

        if (code == 0)
            return -1;
        if (is_same(text_of(t, code - 1), text, e))
            return (int64_t)code - 1;
    }
    return search_text(t, text);
}

int64_t hb_dictionary_find_text(const hb_plan_header *header, const hb_dictionary *d, hbs_text text)
{
    texts t = texts_of(header, d);

    return find_text(&t, text);
}

size_t hb_dictionary_find_texts(const hb_plan_header *header, const hb_dictionary *d, const hbs_text *from, size_t n,
                                double *codes)
{
    texts t = texts_of(header, d);

    for (size_t i = 0; i < n; i++) {
        int64_t code = find_text(&t, from[i]);

        if (code < 0)
            return i;
        codes[i] = (double)code;
    }
    return n;
}

int64_t hb_dictionary_find_number(const hb_plan_header *header, const hb_dictionary *d, int64_t number)
{
    const uint32_t *sorted = hb_plan_at(header, d->sorted);
    const int64_t *numbers = hb_plan_at(header, d->numbers);
    uint32_t low = 0, high = d->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t found = numbers[sorted[middle]];

        if (found == number)
            return sorted[middle];
        if (found < number)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

int64_t hb_dictionary_find_real(const hb_plan_header *header, const hb_dictionary *d, double number)
{
    const uint32_t *sorted = hb_plan_at(header, d->sorted);
    const double *reals = hb_plan_at(header, d->numbers);
    uint32_t low = 0, high = d->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (reals[sorted[middle]] == number)
            return sorted[middle];
        if (reals[sorted[middle]] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}
