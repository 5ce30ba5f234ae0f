/* terms.c - see terms.h. */
#include "base/terms.h"

#include <string.h>

#include "base/ascii.h"

enum {
    AT_ONCE = 1 << 12, /* characters between two questions to the host */
    MOST_JOINED = 3    /* bytes that one of a text may take in what is joined, which must not move */
};

/* One text that is split. */
typedef struct splitting {
    const hb_term_rule *rule;
    hb_term_room *room;
    hb_work *work;
    hb_term_taker take;
    void *context;
    hbs_text text;               /* as it is split */
    uint32_t near;               /* of hb_python_is_word */
    size_t n;                    /* words or characters so far, of which.. */
    size_t begins[HB_MOST_TERM]; /* ..those of the last ones are kept, each at its number modulo HB_MOST_TERM */
} splitting;

bool hb_term_rule_valid(const hb_term_rule *rule, hb_work *work)
{
    return rule->unicode < HB_N_UNICODES && rule->accents < HB_N_ACCENTS && rule->analyzer < HB_N_ANALYZERS &&
           rule->lowers <= 1 && rule->least >= 1 && rule->least <= rule->most && rule->most <= HB_MOST_TERM &&
           (!rule->expression || rule->analyzer == HB_ANALYZE_WORDS) && hb_words_valid(&rule->stops, work);
}

/* ---- before the text is split */

static bool make_plain(splitting *s, hbs_text text)
{
    const hb_term_rule *rule = s->rule;
    hb_vector *lowered = &s->room->lowered, *plain = &s->room->plain;

    s->text = text;
    if (rule->lowers) {
        lowered->count = 0;
        if (!hb_python_lower(s->text, (hb_unicode)rule->unicode, lowered, s->work))
            return false;
        s->text = (hbs_text){lowered->items, lowered->count};
    }
    if (rule->accents != HB_ACCENTS_KEEP) {
        plain->count = 0;
        if (!hb_python_strip(s->text, (hb_accents)rule->accents, (hb_unicode)rule->unicode, plain, s->work))
            return false;
        s->text = (hbs_text){plain->items, plain->count};
    }
    return true;
}

/* ---- sequences */

/* The word or character [begin, end) of `bytes` is the next one: takes all sequences that end with it. */
static bool take_ending(splitting *s, const char *bytes, size_t begin, size_t end)
{
    size_t most;

    s->begins[s->n++ % HB_MOST_TERM] = begin;
    most = s->n < s->rule->most ? s->n : s->rule->most;
    for (size_t length = s->rule->least; length <= most; length++) {
        size_t first = s->begins[(s->n - length) % HB_MOST_TERM];

        if (!s->take(s->context, (hbs_text){bytes + first, end - first}) || !hb_goes_on(s->work, 4))
            return false;
    }
    return true;
}

/* ---- words */

/* Words that follow each other are written with a space between, so that each sequence is a text. */
static bool take_word(splitting *s, hbs_text word)
{
    hb_vector *joined = &s->room->joined;
    size_t begin;

    if (s->rule->stops.n && hb_word_find(&s->rule->stops, word) != HB_NO_WORD)
        return true;
    if (s->rule->most == 1)
        return s->take(s->context, word);
    if (s->n > 0 && !hb_vector_append(joined, " ", 1))
        return false;
    begin = joined->count;
    if (word.size && !hb_vector_append(joined, word.bytes, word.size))
        return false;
    return take_ending(s, joined->items ? joined->items : "", begin, joined->count);
}

/* False where the host wants to stop after many characters of one word. */
static bool counted(splitting *s, size_t n)
{
    return n % AT_ONCE != AT_ONCE - 1 || hb_goes_on(s->work, 4 * AT_ONCE);
}

/* Goes over characters of \w in ASCII from *at on, eight at once. How many. */
static size_t pass_ascii(const splitting *s, size_t *at)
{
    size_t begin = *at, run = 8;

    while (run == 8 && s->text.size - *at >= 8 && hb_goes_on(s->work, 8)) {
        run = hb_eight_words(hb_eight_at(s->text.bytes + *at));
        *at += run;
    }
    return *at - begin;
}

/* Goes over characters from *at on, as long as they are of \w (or are none). How many. */
static size_t pass_word(splitting *s, bool is_word, size_t *at)
{
    hb_unicode unicode = (hb_unicode)s->rule->unicode;
    size_t n = is_word ? pass_ascii(s, at) : 0, size;

    for (; *at < s->text.size; n++, *at += size) {
        uint32_t code = hb_python_code(s->text.bytes + *at, s->text.size - *at, &size);

        if (hb_python_is_word(code, unicode, &s->near) != is_word || !counted(s, n))
            break;
    }
    return n;
}

/* Two and more characters of \w. */
static bool split_words(splitting *s)
{
    size_t at = 0;

    while (at < s->text.size) {
        size_t begin, n;

        pass_word(s, false, &at);
        begin = at;
        n = pass_word(s, true, &at);
        if (n >= 2 && !take_word(s, (hbs_text){s->text.bytes + begin, at - begin}))
            return false;
        if (!hb_goes_on(s->work, 8))
            return false;
    }
    return true;
}

/* As findall(): a group that captures is what counts, and nothing where it took no part. */
static bool find_words(splitting *s)
{
    const hb_regex *regex = (const hb_regex *)(const void *)s->rule->expression;
    bool by_group = hb_regex_has_group(regex);
    hb_regex_walk walk = {.from = 0};
    hb_match match;

    while (walk.from <= s->text.size && hb_regex_next(regex, s->room->search, s->text, &walk, &match, s->work)) {
        hb_span span = by_group ? match.group : match.whole;

        if (span.begin == HB_NO_PLACE || span.end == HB_NO_PLACE)
            span = (hb_span){0, 0};
        if (!take_word(s, (hbs_text){s->text.bytes + span.begin, span.end - span.begin}) || !hb_goes_on(s->work, 8))
            return false;
    }
    return !s->work->stopped;
}

/* ---- characters */

/* As pass_word, of white space. */
static size_t pass_space(splitting *s, bool is_space, size_t *at)
{
    size_t n = 0, size;

    for (; *at < s->text.size; n++, *at += size) {
        uint32_t code = hb_python_code(s->text.bytes + *at, s->text.size - *at, &size);

        if (hb_python_is_space(code, (hb_unicode)s->rule->unicode) != is_space || !counted(s, n))
            break;
    }
    return n;
}

/* All sequences of the characters of [from, to) of `bytes`. */
static bool take_characters(splitting *s, const char *bytes, size_t from, size_t to)
{
    size_t size;

    s->n = 0;
    for (; from < to; from += size) {
        hb_python_code(bytes + from, to - from, &size);
        if (!take_ending(s, bytes, from, from + size))
            return false;
    }
    return true;
}

/* Two and more characters of white space become one space; one stays as it is. */
static bool split_characters(splitting *s)
{
    hb_vector *joined = &s->room->joined;
    size_t at = 0;

    while (at < s->text.size) {
        size_t begin = at, n = pass_space(s, true, &at);

        if (n == 0)
            pass_space(s, false, &at);
        if (!hb_vector_append(joined, n > 1 ? " " : s->text.bytes + begin, n > 1 ? 1 : at - begin) ||
            !hb_goes_on(s->work, 8))
            return false;
    }
    return take_characters(s, joined->items ? joined->items : "", 0, joined->count);
}

/* A word that is shorter than all sequences counts as one. */
static bool take_padded(splitting *s, hbs_text word)
{
    hb_vector *joined = &s->room->joined;

    size_t begin = joined->count;

    if (!hb_vector_append(joined, " ", 1) || !hb_vector_append(joined, word.bytes, word.size) ||
        !hb_vector_append(joined, " ", 1) || !take_characters(s, joined->items, begin, joined->count))
        return false;
    return s->n >= s->rule->least ||
           s->take(s->context, (hbs_text){(const char *)joined->items + begin, joined->count - begin});
}

static bool split_inside_words(splitting *s)
{
    size_t at = 0;

    while (at < s->text.size) {
        size_t begin;

        pass_space(s, true, &at);
        begin = at;
        if (pass_space(s, false, &at) > 0 && !take_padded(s, (hbs_text){s->text.bytes + begin, at - begin}))
            return false;
        if (!hb_goes_on(s->work, 8))
            return false;
    }
    return true;
}

bool hb_terms_each(const hb_term_rule *rule, hb_term_room *room, hbs_text text, hb_work *work, hb_term_taker take,
                   void *context)
{
    splitting s = {.rule = rule, .room = room, .work = work, .take = take, .context = context};

    if (!make_plain(&s, text))
        return false;
    room->joined.count = 0;
    if (!hb_vector_reserve(&room->joined, MOST_JOINED * s.text.size + MOST_JOINED))
        return false;
    switch ((hb_analyzer)rule->analyzer) {
    case HB_ANALYZE_CHARACTERS:
        return split_characters(&s);
    case HB_ANALYZE_INSIDE_WORDS:
        return split_inside_words(&s);
    default:
        return rule->expression ? find_words(&s) : split_words(&s);
    }
}
