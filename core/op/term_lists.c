/* term_lists.c - a row's text to the list of its terms' columns, and how often each term comes. */
#include <math.h>

#include "base/murmur_hash.h"
#include "op/execution.h"

enum {
    AT_ONCE = 1 << 12, /* items between two questions to the host */
    BYTES_A_UNIT = 16, /* of a term whose hash is taken */
    FEW_FOUND = 1 << 16
};

/* The terms of one row. */
typedef struct counting {
    const hb_fit_term_lists *fit;
    hb_lists *lists;
    hb_work *work;
    double *sums; /* of all columns, NaN where no term counts; NULL: each term that was found is noted */
    size_t n_waiting;
    hbs_text waiting[HB_WORDS_AT_ONCE]; /* terms that are looked up together */
} counting;

static void add_term(counting *c, uint32_t found)
{
    double *sum = &c->sums[found >> 1], one = found & 1 ? -1 : 1;

    *sum = isnan(*sum) ? one : *sum + one;
}

/* A text of some million characters has some hundred million sequences of them, in columns that are far fewer. */
static bool are_many(const counting *c)
{
    return !c->sums && c->lists->found.count >= FEW_FOUND && c->lists->found.count >= c->fit->n_columns;
}

static bool begin_sums(counting *c)
{
    hb_vector *found = &c->lists->found;
    double *sums;

    c->lists->amounts.count = 0;
    sums = hb_vector_append(&c->lists->amounts, NULL, c->fit->n_columns);
    c->lists->failed = !sums;
    for (size_t i = 0; sums && i < c->fit->n_columns; i++) {
        sums[i] = NAN;
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(c->work, AT_ONCE))
            return false;
    }
    c->sums = sums;
    for (size_t i = 0; sums && i < found->count; i++) {
        add_term(c, ((const uint32_t *)found->items)[i]);
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(c->work, 4 * AT_ONCE))
            return false;
    }
    found->count = 0;
    return sums;
}

/* Bit 0 of what is found: it counts -1. */
static bool found_term(counting *c, uint32_t column, bool negative)
{
    uint32_t found = column << 1 | negative;

    if (are_many(c) && !begin_sums(c))
        return false;
    if (c->sums)
        add_term(c, found);
    else
        c->lists->failed = !hb_vector_append(&c->lists->found, &found, 1);
    return !c->lists->failed && hb_goes_on(c->work, 4);
}

static bool look_up_waiting(counting *c)
{
    uint32_t columns[HB_WORDS_AT_ONCE];
    size_t n = c->n_waiting, bytes = 0;

    c->n_waiting = 0;
    for (size_t i = 0; i < n; i++)
        bytes += c->waiting[i].size;
    hb_words_find(&c->fit->words, c->fit->columns, c->waiting, n, columns);
    for (size_t i = 0; i < n; i++)
        if (columns[i] != HB_NO_WORD && !found_term(c, columns[i], false))
            return false;
    return hb_goes_on(c->work, 8 * n + bytes / BYTES_A_UNIT);
}

/* A small vocabulary lies in the cache. */
static bool take_term(void *context, hbs_text term)
{
    enum { MANY_WORDS = 1 << 12 };
    counting *c = context;

    if (c->fit->words.n < MANY_WORDS) {
        uint32_t word = hb_word_find(&c->fit->words, term);

        if (!hb_goes_on(c->work, 4 + term.size / BYTES_A_UNIT))
            return false;
        return word == HB_NO_WORD || found_term(c, c->fit->columns[word], false);
    }
    c->waiting[c->n_waiting++] = term;
    return c->n_waiting < HB_WORDS_AT_ONCE || look_up_waiting(c);
}

/* The magnitude of the hash as a signed number, which may be 2^31, modulo the columns. */
static bool take_hash(void *context, hbs_text term)
{
    counting *c = context;
    uint32_t hash, columns = (uint32_t)c->fit->n_columns;
    bool negative;

    if (!hb_murmur_hash(term, 0, &hash, c->work))
        return false;
    negative = hash >> 31;
    return found_term(c, (negative ? 0u - hash : hash) % columns, negative && c->fit->alternates);
}

/* ---- in order */

enum { DIGIT = 8, VALUES = 1 << DIGIT, FEW = 48 };

static void sort_few(uint32_t *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint32_t item = items[i];
        size_t k = i;

        for (; k > 0 && items[k - 1] > item; k--)
            items[k] = items[k - 1];
        items[k] = item;
    }
}

/* By one digit, from one array to the other. */
static bool sort_digit(const uint32_t *from, uint32_t *to, size_t n, unsigned shift, hb_work *work)
{
    uint32_t begins[VALUES] = {0}, sum = 0;

    for (size_t i = 0; i < n; i++) {
        begins[from[i] >> shift & (VALUES - 1)]++;
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(work, AT_ONCE))
            return false;
    }
    for (size_t v = 0; v < VALUES; v++) {
        uint32_t count = begins[v];

        begins[v] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        to[begins[from[i] >> shift & (VALUES - 1)]++] = from[i];
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(work, AT_ONCE))
            return false;
    }
    return hb_goes_on(work, 2 * VALUES);
}

/* Sorts what was found. */
static bool sort_found(counting *c)
{
    hb_vector *found = &c->lists->found, *sorted = &c->lists->sorted;
    size_t n = found->count;

    if (n <= FEW) {
        if (n)
            sort_few(found->items, n);
        return hb_goes_on(c->work, n * (n / 8 + 1));
    }
    sorted->count = 0;
    c->lists->failed = !hb_vector_reserve(sorted, n);
    for (unsigned shift = 0; !c->lists->failed && (2 * c->fit->n_columns) >> shift > 0; shift += DIGIT) {
        hb_vector other = *found;

        if (!sort_digit(found->items, sorted->items, n, shift, c->work))
            return false;
        *found = *sorted;
        *sorted = other;
    }
    found->count = n;
    return !c->lists->failed;
}

/* ---- rows */

/* The list of what was found, equal columns together. */
static bool put_counts(counting *c)
{
    const uint32_t *found = c->lists->found.items;
    size_t n = c->lists->found.count;

    if (!hb_lists_reserve(c->lists, n))
        return false;
    for (size_t i = 0, k; i < n; i = k) {
        double count = 0;

        for (k = i; k < n && found[k] >> 1 == found[i] >> 1; k++) {
            count += found[k] & 1 ? -1 : 1;
            if (k % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(c->work, 4 * AT_ONCE))
                return false;
        }
        hb_lists_put(c->lists, found[i] >> 1, c->fit->binary ? 1 : count);
    }
    return hb_goes_on(c->work, AT_ONCE);
}

/* The same of the sums of all columns. */
static bool put_sums(counting *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->fit->n_columns; i++) {
        n += isnan(c->sums[i]) ? 0 : 1;
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(c->work, AT_ONCE))
            return false;
    }
    if (!hb_lists_reserve(c->lists, n))
        return false;
    for (size_t i = 0; i < c->fit->n_columns; i++) {
        if (!isnan(c->sums[i]))
            hb_lists_put(c->lists, (uint32_t)i, c->fit->binary ? 1 : c->sums[i]);
        if (i % AT_ONCE == AT_ONCE - 1 && !hb_goes_on(c->work, AT_ONCE))
            return false;
    }
    return true;
}

static bool put_row(counting *c)
{
    return c->sums ? put_sums(c) : sort_found(c) && put_counts(c);
}

/* The text that is read in the place of this one. */
static hbs_text filled(const hb_fit_term_lists *fit, hbs_text text)
{
    uint32_t mark = fit->marks.n ? hb_word_find(&fit->marks, text) : HB_NO_WORD, begin;

    if (mark == HB_NO_WORD)
        return text;
    begin = mark ? fit->fill_ends[mark - 1] : 0;
    return (hbs_text){fit->fill_bytes + begin, fit->fill_ends[mark] - begin};
}

/* The row's text, or where that is missing the one that it is read as. */
static hbs_text text_at(const hb_call *call, double place)
{
    const hb_fit_term_lists *fit = call->fit;
    const hb_texts *texts = call->texts;
    hbs_text text = {"", 0};

    if (place != place && fit->missing)
        text = (hbs_text){fit->missing, fit->missing_size};
    else if (texts && place >= 0 && place < (double)texts->n && texts->at[(size_t)place].bytes)
        text = texts->at[(size_t)place];
    return filled(fit, text);
}

bool hb_evaluate_term_lists(const hb_call *call)
{
    const hb_fit_term_lists *fit = call->fit;
    hb_work nobody = {.cancelled = NULL};
    counting c = {.fit = fit, .lists = call->lists, .work = call->polls ? call->polls : &nobody};
    double *out = call->output;

    if (call->lists && fit->rule.expression)
        call->lists->room.search =
            hb_regex_scratch_begin((const hb_regex *)(const void *)fit->rule.expression, call->texts->room.search);
    for (size_t r = 0; r < call->rows; r++) {
        hbs_text text = text_at(call, ((const double *)call->input)[r]);

        out[r] = NAN;
        if (!call->lists)
            continue;
        c.lists->found.count = c.n_waiting = 0;
        c.sums = NULL;
        if (!hb_terms_each(&fit->rule, &c.lists->room, text, c.work, fit->hashes ? take_hash : take_term, &c) ||
            !look_up_waiting(&c)) {
            c.lists->failed |= !c.work->stopped;
            return false;
        }
        if (!put_row(&c) || !hb_lists_end(c.lists, &out[r]))
            return false;
    }
    return true;
}
