/* python_text.c - see python_text.h. */
#include "base/python_text.h"

#include <string.h>

#include "base/ascii.h"
#include "base/python_accents.h"
#include "base/python_tables.h"
#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { AT_ONCE = 1 << 12 /* bytes of a text between two questions to the host */ };

/* ---- tables */

static bool has(uint8_t versions, hb_unicode unicode)
{
    return versions >> unicode & 1;
}

/* The range that has the code, or `n`. */
static size_t range_of(const python_range *ranges, size_t n, uint32_t code)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (code > ranges[middle].last)
            low = middle + 1;
        else if (code < ranges[middle].first)
            high = middle;
        else
            return middle;
    }
    return n;
}

static bool in_ranges(const python_range *ranges, size_t n, uint32_t code, hb_unicode unicode)
{
    size_t i = range_of(ranges, n, code);

    return i < n && has(ranges[i].versions, unicode);
}

/* The code that the rows give for this one: itself where it is in none. */
static uint32_t changed(const python_row *rows, size_t n, uint32_t code, hb_unicode unicode)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const python_row *row = &rows[middle];

        if (code > row->last)
            low = middle + 1;
        else if (code < row->first)
            high = middle;
        else
            return has(row->versions, unicode) && (code - row->first) % row->every == 0
                       ? (uint32_t)((int32_t)code + row->step)
                       : code;
    }
    return code;
}

bool hb_python_next_range(hb_code_class class, hb_unicode unicode, size_t *i, uint32_t *first, uint32_t *last)
{
    static const struct {
        const python_range *ranges;
        size_t n;
    } classes[] = {[HB_CLASS_WORD] = {word_ranges, COUNT(word_ranges)},
                   [HB_CLASS_DIGIT] = {digit_ranges, COUNT(digit_ranges)},
                   [HB_CLASS_SPACE] = {space_ranges, COUNT(space_ranges)}};

    while (*i < classes[class].n) {
        const python_range *range = &classes[class].ranges[(*i)++];

        if (!has(range->versions, unicode))
            continue;
        *first = range->first;
        *last = range->last;
        return true;
    }
    return false;
}

bool hb_python_is_word(uint32_t code, hb_unicode unicode, uint32_t *near)
{
    const python_range *range = &word_ranges[*near];
    size_t i;

    if (code < 0x80)
        return (code | 0x20) - 'a' < 26 || code - '0' < 10 || code == '_';
    if (code < range->first || code > range->last) {
        i = range_of(word_ranges, COUNT(word_ranges), code);
        if (i == COUNT(word_ranges))
            return false;
        *near = (uint32_t)i;
        range = &word_ranges[i];
    }
    return has(range->versions, unicode);
}

bool hb_python_is_space(uint32_t code, hb_unicode unicode)
{
    if (code < 0x80)
        return code == ' ' || code - '\t' < 5 || code - 0x1C < 4;
    return in_ranges(space_ranges, COUNT(space_ranges), code, unicode);
}

uint32_t hb_python_code(const char *bytes, size_t left, size_t *size)
{
    uint32_t code = (uint8_t)bytes[0];

    *size = 1;
    if (code < 0x80)
        return code;
    *size = hb_utf8_character(bytes, left);
    *size = *size ? *size : 1;
    code &= 0x7Fu >> *size;
    for (size_t i = 1; i < *size; i++)
        code = code << 6 | ((uint8_t)bytes[i] & 0x3F);
    return code;
}

/* ---- writing */

/* Room for `more` bytes, which hb_vector then has behind its items. */
static char *room_for(hb_vector *to, size_t more)
{
    return hb_vector_reserve(to, more) ? (char *)to->items + to->count : NULL;
}

static size_t write_code(uint32_t code, char *to)
{
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    if (size == 1) {
        to[0] = (char)code;
        return 1;
    }
    for (size_t i = size; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00u >> size & 0xF0) | code);
    return size;
}

/* ---- lower() */

enum { SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2, SMALL_SIGMA = 0x3C3, DOTTED_I = 0x130 };

/* LETTER_UNTOLD: the host has stopped the search. */
typedef enum letter { LETTER_OTHER, LETTER_CASED, LETTER_IGNORED, LETTER_UNTOLD } letter;

static letter letter_of(uint32_t code, hb_unicode unicode)
{
    if (in_ranges(cased_ranges, COUNT(cased_ranges), code, unicode))
        return LETTER_CASED;
    return in_ranges(ignorable_ranges, COUNT(ignorable_ranges), code, unicode) ? LETTER_IGNORED : LETTER_OTHER;
}

/* The first character before `at` that is not ignored. */
static letter letter_before(hbs_text text, size_t at, hb_unicode unicode, hb_work *work)
{
    letter found = LETTER_IGNORED;
    size_t size;

    while (found == LETTER_IGNORED && at > 0) {
        if (!hb_goes_on(work, 8))
            return LETTER_UNTOLD;
        do
            at--;
        while (at > 0 && ((uint8_t)text.bytes[at] & 0xC0) == 0x80);
        found = letter_of(hb_python_code(text.bytes + at, text.size - at, &size), unicode);
    }
    return found;
}

static letter letter_behind(hbs_text text, size_t at, hb_unicode unicode, hb_work *work)
{
    letter found = LETTER_IGNORED;
    size_t size;

    for (; found == LETTER_IGNORED && at < text.size; at += size) {
        if (!hb_goes_on(work, 8))
            return LETTER_UNTOLD;
        found = letter_of(hb_python_code(text.bytes + at, text.size - at, &size), unicode);
    }
    return found;
}

/* At the end of a word a sigma has another form. 0: the host has stopped. */
static uint32_t sigma_at(hbs_text text, size_t at, hb_unicode unicode, hb_work *work)
{
    letter before = letter_before(text, at, unicode, work), behind;

    if (before != LETTER_CASED)
        return before == LETTER_UNTOLD ? 0 : SMALL_SIGMA;
    behind = letter_behind(text, at + 2, unicode, work);
    return behind == LETTER_UNTOLD ? 0 : behind == LETTER_CASED ? SMALL_SIGMA : FINAL_SIGMA;
}

/* The character at `at`, of two bytes or more, whose code is given: its bytes. 0: the host has stopped. */
static size_t write_lower(hbs_text text, size_t at, uint32_t code, hb_unicode unicode, char *to, hb_work *work)
{
    if (code == DOTTED_I) {
        memcpy(to, "i\xCC\x87", 3);
        return 3;
    }
    code = code == SIGMA ? sigma_at(text, at, unicode, work) : changed(lower_rows, COUNT(lower_rows), code, unicode);
    return code ? write_code(code, to) : 0;
}

/* A character of two bytes may become one of three. */
bool hb_python_lower(hbs_text text, hb_unicode unicode, hb_vector *to, hb_work *work)
{
    size_t at = 0;

    while (at < text.size) {
        size_t end = text.size - at < AT_ONCE ? text.size : at + AT_ONCE, n = 0;
        char *out = room_for(to, 2 * (end - at) + 8);

        if (!out)
            return false;
        while (at < end) {
            uint8_t byte = (uint8_t)text.bytes[at];
            size_t size, written;
            uint32_t code;

            if (end - at >= 8 && hb_eight_are_ascii(hb_eight_at(text.bytes + at))) {
                hb_put_eight(out + n, hb_eight_lower(hb_eight_at(text.bytes + at)));
                n += 8;
                at += 8;
                continue;
            }
            if (byte < 0x80) {
                out[n++] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
                at++;
                continue;
            }
            code = hb_python_code(text.bytes + at, text.size - at, &size);
            written = write_lower(text, at, code, unicode, out + n, work);
            if (!written)
                return false;
            n += written;
            at += size;
        }
        to->count += n;
        if (!hb_goes_on(work, 2 * n))
            return false;
    }
    return !work->stopped;
}

/* ---- accents */

enum {
    MOST_PLAIN = 40,
    HANGUL = 0xAC00,
    HANGULS = 11172,
    LEADS = 0x1100,
    VOWELS = 0x1161,
    TAILS = 0x11A7,
    N_VOWELS = 21,
    N_TAILS = 28
};

static size_t write_hangul(uint32_t index, char *to)
{
    size_t n = write_code(LEADS + index / (N_VOWELS * N_TAILS), to);

    n += write_code(VOWELS + index / N_TAILS % N_VOWELS, to + n);
    return index % N_TAILS ? n + write_code(TAILS + index % N_TAILS, to + n) : n;
}

/* The several characters that the code becomes; NULL: it does not. */
static const python_text *plain_text(uint32_t code, hb_unicode unicode)
{
    size_t low = 0, high = COUNT(plain_texts);

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (plain_texts[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < COUNT(plain_texts) && plain_texts[low].code == code; low++)
        if (has(plain_texts[low].versions, unicode))
            return &plain_texts[low];
    return NULL;
}

/* At most MOST_PLAIN bytes. */
static size_t write_plain(uint32_t code, hb_unicode unicode, char *to)
{
    const python_text *text;

    if (in_ranges(accent_ranges, COUNT(accent_ranges), code, unicode))
        return 0;
    if (code - HANGUL < (uint32_t)HANGULS)
        return write_hangul(code - HANGUL, to);
    text = plain_text(code, unicode);
    if (!text)
        return write_code(changed(plain_rows, COUNT(plain_rows), code, unicode), to);
    memcpy(to, plain_bytes + text->at, text->size);
    return text->size;
}

static size_t keep_ascii(char *bytes, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if ((uint8_t)bytes[i] < 0x80)
            bytes[kept++] = bytes[i];
    return kept;
}

bool hb_python_strip(hbs_text text, hb_accents accents, hb_unicode unicode, hb_vector *to, hb_work *work)
{
    size_t at = 0;

    while (at < text.size) {
        size_t end = text.size - at < AT_ONCE ? text.size : at + AT_ONCE, n = 0, size;
        char *out = room_for(to, MOST_PLAIN * (end - at));

        if (!out)
            return false;
        for (; at < end; at += size) {
            uint32_t code = hb_python_code(text.bytes + at, text.size - at, &size);
            size_t written;

            if (code < 0x80) {
                out[n++] = (char)code;
                continue;
            }
            written = write_plain(code, unicode, out + n);
            n += accents == HB_ACCENTS_ASCII ? keep_ascii(out + n, written) : written;
        }
        to->count += n;
        if (!hb_goes_on(work, 4 * AT_ONCE))
            return false;
    }
    return true;
}
