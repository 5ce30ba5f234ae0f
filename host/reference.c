/* reference.c - model names and references, as text only: nothing here asks the database.
 *
 *     reference = name [ "@" version [ "#" 16 hex digits ] ] | name "@" alias
 *
 * A name is 1 to 255 bytes of UTF-8 without '@', '#' and control characters. An alias is one too,
 * and not all digits, so that it is never taken for a version. */
#include "host/host.h"

#include <string.h>

/* Why `text` cannot be a name, in words that follow "it"; NULL: it can. */
static const char *fault_at(hbs_text text)
{
    size_t at = 0;

    if (text.size == 0)
        return "is empty";
    if (text.size > HOST_MAX_NAME)
        return "has more than 255 bytes";
    while (at < text.size) {
        unsigned char byte = (unsigned char)text.bytes[at];
        size_t n = host_utf8_character(text.bytes + at, text.size - at);

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

static hbs_status check_part(hbs_text text, const char *what, const char *why, hbs_error *error)
{
    host_shown shown;

    if (!why)
        return HBS_OK;
    return host_fail(error, HBS_E_ARGS, "\"%s\" cannot be %s: it %s", host_show(&shown, text.bytes, text.size), what,
                     why);
}

hbs_status host_name_check(hbs_text name, hbs_error *error)
{
    return check_part(name, "a model's name", fault_at(name), error);
}

hbs_status host_alias_check(hbs_text alias, hbs_error *error)
{
    const char *why = all_digits(alias) ? "is all digits, which a reference takes for a version" : fault_at(alias);

    return check_part(alias, "an alias", why, error);
}

/* Digits without leading zeros; -1: not a version number. */
static long long version_number(hbs_text text)
{
    long long number = 0;

    if (text.size > 10 || text.bytes[0] == '0')
        return -1;
    for (size_t i = 0; i < text.size; i++)
        number = number * 10 + (text.bytes[i] - '0');
    return number <= HOST_MAX_VERSION ? number : -1;
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
static bool split_reference(hbs_text *text, char mark, hbs_text *rest)
{
    const char *at = text->size ? memchr(text->bytes, mark, text->size) : NULL;

    if (!at)
        return false;
    rest->bytes = at + 1;
    rest->size = text->size - (size_t)(at - text->bytes) - 1;
    text->size = (size_t)(at - text->bytes);
    return true;
}

hbs_status host_reference_read(hbs_text text, host_reference *reference, hbs_error *error)
{
    hbs_text tail;
    const char *why = NULL;
    host_shown shown;

    *reference = (host_reference){.name = text};
    if (split_reference(&reference->name, '@', &tail)) {
        bool digest = split_reference(&tail, '#', &reference->digest);

        if (all_digits(tail)) {
            reference->version = version_number(tail);
            if (reference->version < 0)
                why = "a version is a number from 1 to 2147483647 without leading zeros";
        } else if (digest) {
            why = "only a version can have a '#' behind it";
        } else if (fault_at(tail)) {
            why = "behind '@' stands a version or an alias";
        } else {
            reference->alias = tail;
        }
        if (!why && digest && !is_digest(reference->digest))
            why = "behind '#' stand the first 16 hex digits of the model's SHA-256";
    }
    if (!why && fault_at(reference->name))
        why = "a name is 1 to 255 bytes of UTF-8 without '@', '#' and control characters";
    if (!why)
        return HBS_OK;
    return host_fail(error, HBS_E_ARGS, "\"%s\" is not a model reference: %s", host_show(&shown, text.bytes, text.size),
                     why);
}

int host_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

hbs_status host_digest_check(const host_reference *reference, const uint8_t digest[32], const char *shown,
                             hbs_error *error)
{
    for (size_t i = 0; i < reference->digest.size; i++) {
        char c = reference->digest.bytes[i];
        int wanted = host_hex_digit(c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c);

        if (wanted != (i % 2 ? digest[i / 2] & 15 : digest[i / 2] >> 4))
            return host_fail(error, HBS_E_ARGS,
                             "model \"%s\" has other bytes than the reference says: its SHA-256 begins "
                             "%02x%02x%02x%02x%02x%02x%02x%02x, not %.16s",
                             shown, digest[0], digest[1], digest[2], digest[3], digest[4], digest[5], digest[6],
                             digest[7], reference->digest.bytes);
    }
    return HBS_OK;
}
