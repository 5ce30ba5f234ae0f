/* tokens.c - see tokens.h. */
#include "base/tokens.h"

#include "base/text.h"

static const hb_regex *expression_of(const hb_tokenizer *t)
{
    return (const hb_regex *)(const void *)t->expression;
}

size_t hb_tokenizer_scratch(const hb_tokenizer *t)
{
    return t->expression ? hb_regex_scratch_size(expression_of(t)) : 0;
}

bool hb_tokens_begin(hb_token_walk *walk, const hb_tokenizer *tokenizer, hb_token_room room, hbs_text text,
                     hb_work *work)
{
    *walk = (hb_token_walk){.tokenizer = tokenizer,
                            .room = room,
                            .work = work,
                            .text = text,
                            .stage = tokenizer->marks ? HB_TOKENS_FIRST : HB_TOKENS_WORDS};
    if (tokenizer->expression)
        walk->room.search = hb_regex_scratch_begin(expression_of(tokenizer), room.search);
    if (tokenizer->casing == HB_CASING_KEEP)
        return true;
    walk->text.bytes = room.changed;
    return hb_case_change(text, (hb_casing)tokenizer->casing, room.changed, &walk->text.size, work);
}

static size_t character_at(const hb_token_walk *w, size_t at)
{
    size_t length = hb_utf8_character(w->text.bytes + at, w->text.size - at);

    return length ? length : 1;
}

static bool next_character(hb_token_walk *w, hbs_text *word)
{
    if (w->from >= w->text.size)
        return false;
    *word = (hbs_text){w->text.bytes + w->from, character_at(w, w->from)};
    w->from += word->size;
    return hb_goes_on(w->work, 1);
}

/* A match that is empty is no word: the search goes on behind the next character. */
static bool next_match(hb_token_walk *w, hbs_text *word)
{
    hb_match match;

    while (w->from <= w->text.size &&
           hb_regex_search(expression_of(w->tokenizer), w->room.search, w->text, w->from, &match, w->work)) {
        *word = (hbs_text){w->text.bytes + match.whole.begin, match.whole.end - match.whole.begin};
        w->from = match.whole.end;
        if (word->size > 0)
            return true;
        w->from += w->from < w->text.size ? character_at(w, w->from) : 1;
    }
    return false;
}

/* The expression matches a character at least. */
static bool next_between(hb_token_walk *w, hbs_text *word)
{
    hb_match match;
    size_t begin = w->from;

    if (begin > w->text.size)
        return false;
    if (!hb_regex_search(expression_of(w->tokenizer), w->room.search, w->text, begin, &match, w->work)) {
        if (w->work->stopped)
            return false;
        match.whole = (hb_span){w->text.size, w->text.size + 1};
    }
    *word = (hbs_text){w->text.bytes + begin, match.whole.begin - begin};
    w->from = match.whole.end;
    return true;
}

static bool next_whole(hb_token_walk *w, hbs_text *word)
{
    *word = w->text;
    return w->from++ == 0;
}

/* True if the word has so many characters. */
static bool is_long(hbs_text word, size_t least)
{
    size_t n = 0;

    for (size_t i = 0; i < word.size && n < least; i++)
        n += ((uint8_t)word.bytes[i] & 0xC0) != 0x80;
    return n >= least;
}

static bool next_word(hb_token_walk *w, hbs_text *word)
{
    static bool (*const next[HB_N_SPLITTINGS])(hb_token_walk *, hbs_text *) = {
        [HB_SPLIT_NOT] = next_whole,
        [HB_SPLIT_MATCHES] = next_match,
        [HB_SPLIT_BETWEEN] = next_between,
        [HB_SPLIT_CHARACTERS] = next_character,
    };
    const hb_tokenizer *t = w->tokenizer;

    while (next[t->splitting](w, word)) {
        if (!hb_goes_on(w->work, 4 + word->size / 8))
            return false;
        if (is_long(*word, t->least) && (t->stops.n == 0 || hb_word_find(&t->stops, *word) == HB_NO_WORD))
            return true;
    }
    return false;
}

bool hb_tokens_next(hb_token_walk *w, hbs_text *word)
{
    switch (w->stage) {
    case HB_TOKENS_FIRST: /* a text without words has no marks */
        w->stage = next_word(w, &w->held) ? HB_TOKENS_HELD : HB_TOKENS_END;
        *word = (hbs_text){"\x02", 1};
        return w->stage == HB_TOKENS_HELD;
    case HB_TOKENS_HELD:
        w->stage = HB_TOKENS_WORDS;
        *word = w->held;
        return true;
    case HB_TOKENS_WORDS:
        if (next_word(w, word))
            return true;
        w->stage = w->tokenizer->marks ? HB_TOKENS_LAST : HB_TOKENS_END;
        return !w->work->stopped && hb_tokens_next(w, word);
    case HB_TOKENS_LAST:
        w->stage = HB_TOKENS_END;
        *word = (hbs_text){"\x03", 1};
        return true;
    case HB_TOKENS_END:
        break;
    }
    return false;
}
