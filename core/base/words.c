/* words.c - see words.h. */
#include "base/words.h"

#include <string.h>

#include "base/sort.h"
#include "base/text.h"

/* ---- texts */

int hb_compare_words(hbs_text a, hbs_text b)
{
    if (a.size != b.size)
        return a.size < b.size ? -1 : 1;
    return a.size ? memcmp(a.bytes, b.bytes, a.size) : 0;
}

/* ---- order */

enum { PARTS = 64 }; /* of the order: texts of each size below the last one's have a part, longer ones share that */

typedef struct sorting {
    const hbs_text *texts;
    hb_work *work;
} sorting;

static int compare_texts(const void *context, uint32_t a, uint32_t b)
{
    const sorting *s = context;

    s->work->done += s->texts[a].size == s->texts[b].size ? s->texts[a].size / 16 : 0;
    return hb_compare_words(s->texts[a], s->texts[b]);
}

static size_t part_of(hbs_text text)
{
    return text.size < PARTS - 1 ? text.size : PARTS - 1;
}

/* Shares out the places to the parts, in which they stand as they come; ends: of the parts. */
static bool share_out(const sorting *s, size_t n, size_t ends[PARTS], uint32_t *order)
{
    size_t begins = 0;

    for (size_t i = 0; i < n; i++) {
        ends[part_of(s->texts[i])]++;
        if (!hb_goes_on(s->work, 1))
            return false;
    }
    for (size_t part = 0; part < PARTS; part++) {
        size_t count = ends[part];

        ends[part] = begins;
        begins += count;
    }
    for (size_t i = 0; i < n; i++) {
        order[ends[part_of(s->texts[i])]++] = (uint32_t)i;
        if (!hb_goes_on(s->work, 2))
            return false;
    }
    return true;
}

bool hb_words_sort(const hbs_text *texts, size_t n, uint32_t *order, hb_work *work)
{
    const sorting s = {texts, work};
    size_t ends[PARTS] = {0}, begin = 0;

    if (!share_out(&s, n, ends, order))
        return false;
    for (size_t part = 0; part < PARTS; part++) {
        if (!hb_sort(order + begin, ends[part] - begin, compare_texts, &s, work))
            return false;
        begin = ends[part];
    }
    return true;
}

/* ---- finding */

enum { WINDOW = 4 /* slots that a text may be in: texts that collide are found by searching */ };

static uint32_t search(const hb_words *words, hbs_text text)
{
    size_t low = 0, high = words->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = hb_compare_words(hb_word_at(words, middle), text);

        if (order == 0)
            return (uint32_t)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return HB_NO_WORD;
}

/* Bits of a slot that the number of a text takes. */
static unsigned number_bits(const hb_words *words)
{
    return words->n ? 32 - (unsigned)__builtin_clz((uint32_t)words->n) : 1;
}

/* The part of the hash above such bits that a slot holds. */
static uint32_t tag_of(uint64_t hash, unsigned bits)
{
    return bits < 32 ? (uint32_t)(hash >> 32) >> bits << bits : 0;
}

static bool is_too_long(const hb_words *words, hbs_text text)
{
    return words->n == 0 || text.size > hb_word_at(words, words->n - 1).size; /* the last one is the longest */
}

/* From slot k of the window on the first that may be the text's: its number + 1; 0: there is an empty one before. */
static uint32_t candidate(const hb_words *words, uint64_t hash, unsigned bits, size_t *k)
{
    uint32_t mask = bits < 32 ? (1u << bits) - 1 : UINT32_MAX, tag = tag_of(hash, bits);

    for (; *k < WINDOW; ++*k) {
        uint32_t slot = words->slots[((size_t)hash + *k) & (words->n_slots - 1)];

        if (slot == 0 || (slot & ~mask) == tag)
            return slot & mask;
    }
    return 0;
}

static uint32_t find_hashed(const hb_words *words, hbs_text text, uint64_t hash, unsigned bits)
{
    for (size_t k = 0; words->n_slots; k++) {
        uint32_t number = candidate(words, hash, bits, &k);

        if (k == WINDOW)
            break;
        if (number == 0)
            return HB_NO_WORD;
        if (hb_compare_words(hb_word_at(words, number - 1), text) == 0)
            return number - 1;
    }
    return search(words, text);
}

uint32_t hb_word_find(const hb_words *words, hbs_text text)
{
    if (is_too_long(words, text))
        return HB_NO_WORD;
    return find_hashed(words, text, words->n_slots ? hb_hash(text.bytes, text.size) : 0, number_bits(words));
}

/* Asks for the memory that a look-up of each text reads, one step of all look-ups after the other. */
static void fetch_words(const hb_words *words, const uint32_t *to, const hbs_text *texts, size_t n,
                        const uint64_t *hashes)
{
    unsigned bits = number_bits(words);
    uint32_t likely[HB_WORDS_AT_ONCE];

    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&words->slots[(size_t)hashes[i] & (words->n_slots - 1)]);
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        likely[i] = candidate(words, hashes[i], bits, &k);
        if (likely[i]) {
            __builtin_prefetch(&words->ends[likely[i] - 1]);
            __builtin_prefetch(&to[likely[i] - 1]);
        }
    }
    for (size_t i = 0; i < n; i++)
        if (likely[i])
            __builtin_prefetch(words->bytes + words->ends[likely[i] - 1] - texts[i].size);
}

void hb_words_find(const hb_words *words, const uint32_t *to, const hbs_text *texts, size_t n, uint32_t *found)
{
    uint64_t hashes[HB_WORDS_AT_ONCE] = {0};
    unsigned bits = number_bits(words);

    for (size_t i = 0; words->n_slots && i < n; i++)
        hashes[i] = hb_hash(texts[i].bytes, texts[i].size);
    if (words->n_slots)
        fetch_words(words, to, texts, n, hashes);
    for (size_t i = 0; i < n; i++) {
        found[i] = is_too_long(words, texts[i]) ? HB_NO_WORD : find_hashed(words, texts[i], hashes[i], bits);
        found[i] = found[i] == HB_NO_WORD ? HB_NO_WORD : to[found[i]];
    }
}

size_t hb_words_slots(size_t n)
{
    size_t slots = WINDOW;

    while (slots < 2 * n)
        slots *= 2;
    return slots;
}

bool hb_words_fill(const hb_words *words, uint32_t *slots, hb_work *work)
{
    unsigned bits = number_bits(words);

    for (size_t i = 0; i < words->n; i++) {
        hbs_text text = hb_word_at(words, i);
        uint64_t hash = hb_hash(text.bytes, text.size);

        for (size_t k = 0; k < WINDOW; k++)
            if (slots[((size_t)hash + k) & (words->n_slots - 1)] == 0) {
                slots[((size_t)hash + k) & (words->n_slots - 1)] = tag_of(hash, bits) | ((uint32_t)i + 1);
                break;
            }
        if (!hb_goes_on(work, 4 + text.size / 4))
            return false;
    }
    return true;
}

bool hb_words_valid(const hb_words *words, hb_work *work)
{
    if (words->n >= HB_NO_WORD || (words->n_slots & (words->n_slots - 1)))
        return false;
    for (size_t i = 0; i < words->n; i++) {
        if (words->ends[i] > words->n_bytes || (i && words->ends[i - 1] > words->ends[i]))
            return false;
        if (i && hb_compare_words(hb_word_at(words, i - 1), hb_word_at(words, i)) >= 0)
            return false;
        if (!hb_goes_on(work, 4 + hb_word_at(words, i).size / 16))
            return false;
    }
    return words->n == 0 || words->ends[words->n - 1] == words->n_bytes;
}

/* ---- sequences */

uint32_t hb_gram_below(const hb_grams *grams, uint32_t node, uint32_t word)
{
    uint32_t low = grams->first[node], high = grams->first[node + 1];

    if (high - low > word && grams->words[low + word] == word)
        return low + word + 1; /* all words begin a sequence, as they mostly do */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (grams->words[middle] == word)
            return middle + 1;
        if (grams->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* The nodes below node k. */
static bool are_below(const hb_grams *grams, size_t k, size_t n_words, size_t n_columns)
{
    if (grams->first[k] < k || grams->first[k + 1] < grams->first[k] || grams->first[k + 1] > grams->n)
        return false;
    for (size_t i = grams->first[k]; i < grams->first[k + 1]; i++)
        if (grams->words[i] >= n_words || (i > grams->first[k] && grams->words[i] <= grams->words[i - 1]) ||
            (grams->outputs[i] != HB_NO_COLUMN && grams->outputs[i] >= n_columns))
            return false;
    return true;
}

bool hb_grams_valid(const hb_grams *grams, size_t n_words, size_t n_columns, hb_work *work)
{
    if (grams->n >= HB_NO_COLUMN || grams->first[0] != 0 || grams->first[grams->n + 1] != grams->n)
        return false;
    for (size_t k = 0; k <= grams->n; k++)
        if (!are_below(grams, k, n_words, n_columns) ||
            !hb_goes_on(work, 4 + 2 * (grams->first[k + 1] - grams->first[k])))
            return false;
    return true;
}

/* ---- counting */

void hb_gram_begin(hb_gram_walk *walk, const hb_grams *grams, size_t most_skipped)
{
    walk->grams = grams;
    walk->most_skipped = most_skipped;
    walk->n = 0;
    memset(walk->n_open, 0, (most_skipped + 1) * (most_skipped + 2) / 2 * sizeof(walk->n_open[0]));
}

/* Adds 1 for the sequence; true if others begin with it. */
static bool count(const hb_grams *grams, uint32_t node, double *counts, size_t stride)
{
    if (grams->outputs[node - 1] != HB_NO_COLUMN)
        counts[grams->outputs[node - 1] * stride] += 1;
    return grams->first[node] != grams->first[node + 1];
}

/* `open` become the sequences that end at this word, of those that ended `distance` words before it. */
static uint32_t go_on(const hb_grams *grams, uint32_t word, size_t distance, uint32_t *open, uint32_t n_open,
                      double *counts, size_t stride)
{
    uint32_t made[HB_MOST_GRAM], n = 0, node;

    if (word == HB_NO_WORD)
        return 0;
    node = hb_gram_below(grams, 0, word);
    if (node && (distance == 1 ? count(grams, node, counts, stride) : grams->first[node] != grams->first[node + 1]))
        made[n++] = node;
    for (uint32_t k = 0; k < n_open; k++) {
        node = hb_gram_below(grams, open[k], word);
        if (node && count(grams, node, counts, stride) && n < HB_MOST_GRAM)
            made[n++] = node;
    }
    memcpy(open, made, n * sizeof(*made));
    return n;
}

void hb_gram_next(hb_gram_walk *walk, uint32_t word, double *counts, size_t stride)
{
    for (size_t d = 0; d <= walk->most_skipped; d++) {
        size_t list = d * (d + 1) / 2 + walk->n % (d + 1);

        walk->n_open[list] = go_on(walk->grams, word, d + 1, walk->open[list], walk->n_open[list], counts, stride);
    }
    walk->n++;
}
