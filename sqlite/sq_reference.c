/* sq_reference.c - model names and references, as text only: nothing here asks the database.
 *
 *     reference = name [ "@" version [ "#" 16 hex digits ] ] | name "@" alias
 *
 * A name is 1 to 255 bytes of UTF-8 without '@', '#' and control characters. An alias is one too,
 * and not all digits, so that it is never taken for a version. */
#include "sq_hbscore.h"

#include <string.h>

size_t sq_utf8_character(const char *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t n = p[0] < 0x80   ? 1
               : p[0] < 0xc2 ? 0
               : p[0] < 0xe0 ? 2
               : p[0] < 0xf0 ? 3
               : p[0] < 0xf5 ? 4
                             : 0;
    unsigned low = 0x80;
    unsigned high = 0xbf;

    if (n == 0 || n > size)
        return 0;
    /* Overlong forms, surrogates and what lies above U+10FFFF show in the second byte. */
    if (p[0] == 0xe0)
        low = 0xa0;
    if (p[0] == 0xed)
        high = 0x9f;
    if (p[0] == 0xf0)
        low = 0x90;
    if (p[0] == 0xf4)
        high = 0x8f;
    for (size_t i = 1; i < n; i++) {
        if (p[i] < low || p[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return n;
}

/* Why `text` cannot be a name, in words that follow "it"; NULL: it can. */
static const char *fault(hbs_text text)
{
    size_t at = 0;

    if (text.size == 0)
        return "is empty";
    if (text.size > SQ_MAX_NAME)
        return "has more than 255 bytes";
    while (at < text.size) {
        unsigned char byte = (unsigned char)text.bytes[at];
        size_t n = sq_utf8_character(text.bytes + at, text.size - at);

        if (n == 0)
            return "is not UTF-8";
        if (byte < 0x20 || byte == 0x7f)
            return "has a control character";
        if (byte == '@' || byte == '#')
            return "has '@' or '#', behind which a reference has the version (name@3)";
        at += n;
    }
    return NULL;
}

static bool all_digits(hbs_text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
    return text.size > 0;
}

static int check(hbs_text text, const char *what, const char *why, sq_error *error)
{
    sq_shown shown;

    if (!why)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR, "\"%s\" cannot be %s: it %s",
                   sq_show(&shown, text.bytes, text.size), what, why);
}

int sq_name_check(hbs_text name, sq_error *error)
{
    return check(name, "a model's name", fault(name), error);
}

int sq_alias_check(hbs_text alias, sq_error *error)
{
    const char *why =
        all_digits(alias) ? "is all digits, which a reference takes for a version" : fault(alias);

    return check(alias, "an alias", why, error);
}

/* Digits without leading zeros; -1: not a version number. */
static sqlite3_int64 version_number(hbs_text text)
{
    sqlite3_int64 number = 0;

    if (text.size > 10 || text.bytes[0] == '0')
        return -1;
    for (size_t i = 0; i < text.size; i++)
        number = number * 10 + (text.bytes[i] - '0');
    return number <= SQ_MAX_VERSION ? number : -1;
}

static bool is_digest(hbs_text text)
{
    if (text.size != 16)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];

        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return true;
}

/* Splits `text` at the first `mark`; false where there is none. */
static bool split(hbs_text *text, char mark, hbs_text *rest)
{
    const char *at = text->size ? memchr(text->bytes, mark, text->size) : NULL;

    if (!at)
        return false;
    rest->bytes = at + 1;
    rest->size = text->size - (size_t)(at - text->bytes) - 1;
    text->size = (size_t)(at - text->bytes);
    return true;
}

int sq_reference_read(hbs_text text, sq_reference *reference, sq_error *error)
{
    hbs_text tail;
    const char *why = NULL;
    sq_shown shown;

    *reference = (sq_reference){.name = text};
    if (split(&reference->name, '@', &tail)) {
        bool digest = split(&tail, '#', &reference->digest);

        if (all_digits(tail)) {
            reference->version = version_number(tail);
            if (reference->version < 0)
                why = "a version is a number from 1 to 2147483647 without leading zeros";
        } else if (digest) {
            why = "only a version can have a '#' behind it";
        } else if (fault(tail)) {
            why = "behind '@' stands a version or an alias";
        } else {
            reference->alias = tail;
        }
        if (!why && digest && !is_digest(reference->digest))
            why = "behind '#' stand the first 16 hex digits of the model's SHA-256";
    }
    if (!why && fault(reference->name))
        why = "a name is 1 to 255 bytes of UTF-8 without '@', '#' and control characters";
    if (!why)
        return SQLITE_OK;
    return sq_fail(error, SQLITE_ERROR, "\"%s\" is not a model reference: %s",
                   sq_show(&shown, text.bytes, text.size), why);
}
