/* text.c - UTF-8, names and their excerpts in messages. */
#include "base/text.h"

#include <string.h>

static bool in_range(unsigned char byte, unsigned char low, unsigned char high)
{
    return byte >= low && byte <= high;
}

size_t hb_utf8_character(const char *bytes, size_t size)
{
    const unsigned char *b = (const unsigned char *)bytes;
    unsigned char lead = b[0], low = 0x80, high = 0xBF;
    size_t length;

    if (lead < 0x80)
        return 1;
    if (in_range(lead, 0xC2, 0xDF))
        length = 2;
    else if (in_range(lead, 0xE0, 0xEF))
        length = 3;
    else if (in_range(lead, 0xF0, 0xF4))
        length = 4;
    else
        return 0;
    if (lead == 0xE0) /* overlong below */
        low = 0xA0;
    else if (lead == 0xED) /* surrogates above */
        high = 0x9F;
    else if (lead == 0xF0) /* overlong below */
        low = 0x90;
    else if (lead == 0xF4) /* over U+10FFFF above */
        high = 0x8F;
    if (length > size || !in_range(b[1], low, high))
        return 0;
    for (size_t i = 2; i < length; i++)
        if (!in_range(b[i], 0x80, 0xBF))
            return 0;
    return length;
}

size_t hb_utf8_part(const char *bytes, size_t size, size_t most)
{
    size_t part = most;

    if (size <= most)
        return size;
    while (part > most - 4 && ((uint8_t)bytes[part] & 0xC0) == 0x80)
        part--;
    return part;
}

bool hb_utf8_valid(const char *bytes, size_t size)
{
    size_t at = 0;

    while (at < size) {
        uint64_t eight;

        if (size - at >= sizeof eight) { /* names are ASCII nearly always */
            memcpy(&eight, bytes + at, sizeof eight);
            if (!(eight & 0x8080808080808080u)) {
                at += sizeof eight;
                continue;
            }
        }
        size_t length = hb_utf8_character(bytes + at, size - at);
        if (length == 0)
            return false;
        at += length;
    }
    return true;
}

/* Control characters of ASCII and Latin-1 (U+0080 to U+009F: terminals obey them), quotes and
 * bad bytes. */
static bool must_escape(const char *bytes, size_t length)
{
    unsigned char b = (unsigned char)bytes[0];

    if (length == 2)
        return b == 0xC2 && (unsigned char)bytes[1] < 0xA0;
    return length == 0 || (length == 1 && (b < 0x20 || b == 0x7F || b == '"'));
}

const char *hb_escape(hbs_text text, size_t max, char *buffer, size_t size)
{
    static const char hex[] = "0123456789abcdef";
    size_t from = 0, to = 0;

    while (from < text.size) {
        size_t length = hb_utf8_character(text.bytes + from, text.size - from);
        bool escape = must_escape(text.bytes + from, length);
        size_t source = length ? length : 1, needs = escape ? 4 * source : source;
        bool last = from + source == text.size;

        if (from + source > max || needs + (last ? 1 : 3) > size - to)
            break;
        for (size_t i = 0; i < source; i++, from++) {
            unsigned char b = (unsigned char)text.bytes[from];

            if (escape) {
                buffer[to++] = '\\';
                buffer[to++] = 'x';
                buffer[to++] = hex[b >> 4];
                buffer[to++] = hex[b & 15];
            } else {
                buffer[to++] = (char)b;
            }
        }
    }
    if (from < text.size)
        for (int dots = 0; dots < 2 && to + 1 < size; dots++)
            buffer[to++] = '.';
    buffer[to] = '\0';
    return buffer;
}

bool hb_text_equal(hbs_text a, hbs_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static char lower_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool hb_text_equal_nocase(hbs_text a, hbs_text b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (lower_letter(a.bytes[i]) != lower_letter(b.bytes[i]))
            return false;
    return true;
}

bool hb_text_is(hbs_text a, const char *literal)
{
    size_t size = strlen(literal);

    return a.size == size && (size == 0 || memcmp(a.bytes, literal, size) == 0);
}

/* Up to eight bytes as a little-endian number, whatever the machine. */
static uint64_t load_le(const unsigned char *bytes, size_t n)
{
    uint64_t number = 0;

    if (n == 8) {
        memcpy(&number, bytes, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        number = __builtin_bswap64(number);
#endif
        return number;
    }
    for (size_t i = 0; i < n; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static uint64_t mix_hash(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xFF51AFD7ED558CCDu;
    h ^= h >> 33;
    h *= 0xC4CEB9FE1A85EC53u;
    return h ^ h >> 33;
}

uint64_t hb_hash(const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    uint64_t h = mix_hash((uint64_t)size + 0x9E3779B97F4A7C15u);

    for (; size >= 8; b += 8, size -= 8)
        h = mix_hash(h ^ load_le(b, 8)) + 0x9E3779B97F4A7C15u;
    return size ? mix_hash(h ^ load_le(b, size)) : h;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Only a band of `limit` cells on each side of the diagonal of the classic table can matter.
 * row[j - i + limit] is the distance of the first i bytes of a to the first j bytes of b; `far`
 * stands for all that is out of the band or over the limit. */
size_t hb_text_distance(hbs_text a, hbs_text b, size_t limit)
{
    enum { BAND = 2 * HB_MAX_DISTANCE + 1 };
    size_t row[BAND + 1];

    limit = least_of(limit, HB_MAX_DISTANCE);
    if (a.size > b.size + limit || b.size > a.size + limit)
        return limit;

    const size_t far = limit + 1, width = 2 * limit + 1;
    for (size_t k = 0; k <= width; k++)
        row[k] = k >= limit && k < width ? k - limit : far;
    for (size_t i = 1; i <= a.size; i++) {
        for (size_t k = 0; k < width; k++) {
            if (i + k < limit || i + k - limit > b.size) {
                row[k] = far;
                continue;
            }
            size_t j = i + k - limit, best = row[k + 1] + 1; /* row[width] stays far */

            if (j > 0)
                best = least_of(best, row[k] + (a.bytes[i - 1] != b.bytes[j - 1]));
            if (k > 0)
                best = least_of(best, row[k - 1] + 1);
            row[k] = least_of(best, far);
        }
    }
    return least_of(row[b.size + limit - a.size], limit);
}
