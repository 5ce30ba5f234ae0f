/* ubjson.c - the tokens of UBJSON (draft 12), as XGBoost writes it and a little more: any integer
 * marker as a length, containers with and without a type and a count, no-ops between the values of
 * containers without a count. Numbers are big-endian.
 *
 * A declared count is held against the bytes left before anything is made for it. Types without any
 * bytes ($T, $F, $Z, $N) are refused: twelve bytes would stand for 2^63 values. */
#include "format/document_private.h"

#include <math.h>
#include <string.h>

/* The bytes of a number behind its marker; 0: no number. */
static size_t number_size(uint8_t marker)
{
    switch (marker) {
    case 'i':
    case 'U':
        return 1;
    case 'I':
        return 2;
    case 'l':
    case 'd':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

static bool is_real(uint8_t marker)
{
    return marker == 'd' || marker == 'D';
}

static uint32_t load_u32(const uint8_t *p)
{
    uint32_t bits;

    memcpy(&bits, p, sizeof bits);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    bits = __builtin_bswap32(bits);
#endif
    return bits;
}

static uint64_t load_u64(const uint8_t *p)
{
    return (uint64_t)load_u32(p) << 32 | load_u32(p + 4);
}

static float load_float(const uint8_t *p)
{
    uint32_t bits = load_u32(p);
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static double load_double(const uint8_t *p)
{
    uint64_t bits = load_u64(p);
    double number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

static int64_t load_integer(uint8_t marker, const uint8_t *p)
{
    switch (marker) {
    case 'i':
        return (int8_t)*p;
    case 'U':
        return *p;
    case 'I':
        return (int16_t)(uint16_t)(p[0] << 8 | p[1]);
    case 'l':
        return (int32_t)load_u32(p);
    default:
        return (int64_t)load_u64(p);
    }
}

static double load_real(uint8_t marker, const uint8_t *p)
{
    return marker == 'd' ? (double)load_float(p) : load_double(p);
}

/* ------------------------------------------------------------------ tokens */

static size_t offset(const hb_document *d)
{
    return hb_reader_offset(&d->in);
}

static bool at_end(const hb_document *d)
{
    return d->in.p == d->in.end;
}

static bool need_bytes(hb_document *d, size_t n)
{
    return hb_reader_left(&d->in) >= n || hb_document_stop(d, HBS_E_FORMAT, offset(d), "ends too early");
}

/* In a container with a type the values have no markers of their own. */
static uint8_t implied_marker(const hb_document *d)
{
    return d->depth ? d->frames[d->depth - 1].type : 0;
}

/* The marker of the value that is due, 0 where nothing is left. */
static uint8_t marker_due(const hb_document *d)
{
    uint8_t implied = implied_marker(d);

    return implied || at_end(d) ? implied : *d->in.p;
}

static void take_marker(hb_document *d)
{
    if (!implied_marker(d))
        d->in.p++;
}

static hb_kind kind_of(uint8_t marker)
{
    switch (marker) {
    case '{':
        return HB_KIND_OBJECT;
    case '[':
        return HB_KIND_ARRAY;
    case 'S':
    case 'C':
        return HB_KIND_STRING;
    case 'T':
    case 'F':
        return HB_KIND_BOOL;
    case 'Z':
        return HB_KIND_NULL;
    default:
        return !number_size(marker) ? HB_KIND_NONE : is_real(marker) ? HB_KIND_REAL : HB_KIND_INTEGER;
    }
}

static hb_kind peek_ubjson(hb_document *d)
{
    return kind_of(marker_due(d));
}

/* A length or count: an integer of any size, not negative. */
static bool read_length(hb_document *d, uint64_t *length)
{
    size_t at = offset(d), size;

    if (!need_bytes(d, 1))
        return false;
    uint8_t marker = *d->in.p;
    size = is_real(marker) ? 0 : number_size(marker);
    if (size == 0)
        return hb_document_stop(d, HBS_E_FORMAT, at, "expected a length");
    if (!need_bytes(d, 1 + size))
        return false;
    int64_t number = load_integer(marker, d->in.p + 1);

    if (number < 0)
        return hb_document_stop(d, HBS_E_FORMAT, at, "expected a length, found %lld", (long long)number);
    d->in.p += 1 + size;
    *length = (uint64_t)number;
    return true;
}

/* Takes `size` bytes, which must be UTF-8; in parts, between which the host may cancel. */
static bool take_text(hb_document *d, uint64_t size, hbs_text *text)
{
    if (size > hb_reader_left(&d->in))
        return hb_document_stop(d, HBS_E_FORMAT, offset(d), "a string of more bytes than are left");
    *text = (hbs_text){(const char *)d->in.p, (size_t)size};
    for (const uint8_t *end = d->in.p + size; d->in.p < end;) {
        size_t n = (size_t)(end - d->in.p);

        if (n > HB_POLL_BYTES) { /* at most 3 back, to where a character begins */
            n = HB_POLL_BYTES;
            for (int back = 0; back < 3 && (d->in.p[n] & 0xC0) == 0x80; back++)
                n--;
        }
        if (!hb_utf8_valid((const char *)d->in.p, n))
            return hb_document_stop(d, HBS_E_FORMAT, (size_t)((const uint8_t *)text->bytes - d->in.begin),
                                    "bad UTF-8 in a string");
        d->in.p += n;
        if (!hb_document_poll(d))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ numbers */

/* The number at p as an item; false where it does not fit, or is not finite though it must be. */
static inline bool store_item(hb_item item, uint8_t marker, const uint8_t *p, bool finite, void *to)
{
    bool real = is_real(marker);
    int64_t integer = real ? 0 : load_integer(marker, p);
    double number = real ? load_real(marker, p) : 0;
    float single;

    switch (item) {
    case HB_ITEM_FLOAT32:
        single = real ? (float)number : (float)integer;
        memcpy(to, &single, sizeof single);
        return isfinite(single) || (!finite && !isfinite(number));
    case HB_ITEM_FLOAT64:
        number = real ? number : (double)integer;
        memcpy(to, &number, sizeof number);
        return !finite || isfinite(number);
    case HB_ITEM_INT32:
        memcpy(to, &(int32_t){(int32_t)integer}, sizeof(int32_t));
        return !real && integer >= INT32_MIN && integer <= INT32_MAX;
    case HB_ITEM_INT64:
        memcpy(to, &integer, sizeof integer);
        return !real;
    case HB_ITEM_UINT8:
        *(uint8_t *)to = (uint8_t)integer;
        return !real && integer >= 0 && integer <= UINT8_MAX;
    default:
        return !finite || isfinite(number);
    }
}

/* Why `store` refused the number whose bytes are at p. */
static bool refuse_marker(hb_document *d, hb_item item, uint8_t marker, const uint8_t *p)
{
    static const char *const ranges[] = {
        [HB_ITEM_NONE] = "",
        [HB_ITEM_FLOAT32] = "a 32-bit float",
        [HB_ITEM_FLOAT64] = "a 64-bit float",
        [HB_ITEM_INT32] = "a 32-bit integer",
        [HB_ITEM_INT64] = "a 64-bit integer",
        [HB_ITEM_UINT8] = "0 to 255",
    };
    bool integer = item == HB_ITEM_INT32 || item == HB_ITEM_INT64 || item == HB_ITEM_UINT8;

    if (integer && is_real(marker))
        return hb_document_expected(d, "an integer");
    if (is_real(marker) && !isfinite(load_real(marker, p)))
        return hb_document_stop(d, HBS_E_FORMAT, offset(d), "expected a finite number");
    return hb_document_stop(d, HBS_E_FORMAT, offset(d), "does not fit %s", ranges[item]);
}

/* Reads the one number that is due. */
static bool read_number(hb_document *d, hb_item item, bool finite, void *to)
{
    uint8_t marker = marker_due(d);
    size_t size = number_size(marker), before = implied_marker(d) ? 0 : 1;
    const uint8_t *p = d->in.p + before;

    if (size == 0)
        return hb_document_expected(
            d, item == HB_ITEM_INT32 || item == HB_ITEM_INT64 || item == HB_ITEM_UINT8 ? "an integer" : "a number");
    if (!need_bytes(d, before + size))
        return false;
    if (!store_item(item, marker, p, finite, to))
        return refuse_marker(d, item, marker, p);
    d->in.p = p + size;
    return true;
}

static bool read_integer(hb_document *d, int64_t *number)
{
    return read_number(d, HB_ITEM_INT64, true, number);
}

static bool read_float(hb_document *d, float *number)
{
    return read_number(d, HB_ITEM_FLOAT32, true, number);
}

static bool read_double(hb_document *d, double *number)
{
    return read_number(d, HB_ITEM_FLOAT64, true, number);
}

/* ------------------------------------------------------------------ other values */

static bool read_bool(hb_document *d, bool *value)
{
    if (peek_ubjson(d) != HB_KIND_BOOL)
        return hb_document_expected(d, "a boolean");
    *value = *d->in.p++ == 'T'; /* no type of a container: the marker is there */
    return true;
}

static bool read_string(hb_document *d, hbs_text *text)
{
    uint8_t marker = marker_due(d);
    uint64_t size = 1;

    if (kind_of(marker) != HB_KIND_STRING)
        return hb_document_expected(d, "a string");
    take_marker(d);
    return (marker == 'C' || read_length(d, &size)) && take_text(d, size, text);
}

static bool skip_scalar(hb_document *d, bool finite)
{
    hbs_text text;

    switch (peek_ubjson(d)) {
    case HB_KIND_STRING:
        return read_string(d, &text);
    case HB_KIND_INTEGER:
    case HB_KIND_REAL:
        return read_number(d, HB_ITEM_NONE, finite, NULL);
    case HB_KIND_BOOL:
    case HB_KIND_NULL:
        d->in.p++;
        return true;
    default:
        return hb_document_expected(d, "a value");
    }
}

static bool end_ubjson(hb_document *d)
{
    return at_end(d) || hb_document_stop(d, HBS_E_FORMAT, offset(d), "something follows the document");
}

/* ------------------------------------------------------------------ containers */

/* The fewest bytes of a value in a container with this type (0: none, each has a marker); 0 where
 * the marker is no type: values without bytes, no-ops, unknown ones. */
static size_t least_size(uint8_t type)
{
    switch (type) {
    case 0:
    case 'C':
    case '[':
    case '{':
        return 1;
    case 'S':
        return 2; /* a length of 0 */
    default:
        return number_size(type);
    }
}

static bool read_type(hb_document *d, uint8_t *type)
{
    if (at_end(d) || *d->in.p != '$')
        return true;
    if (!need_bytes(d, 3))
        return false;
    *type = d->in.p[1];
    if (*type == 0 || least_size(*type) == 0)
        return hb_document_stop(d, HBS_E_FORMAT, offset(d), "a container of a type that is none");
    if (d->in.p[2] != '#')
        return hb_document_stop(d, HBS_E_FORMAT, offset(d), "a container with a type and no count");
    d->in.p += 2;
    return true;
}

static bool begin_ubjson(hb_document *d, hb_frame *frame)
{
    take_marker(d);
    if (!read_type(d, &frame->type))
        return false;
    if (at_end(d) || *d->in.p != '#')
        return true;
    size_t at = offset(d), least = least_size(frame->type) + (frame->object ? 2 : 0);

    d->in.p++;
    frame->counted = true;
    return read_length(d, &frame->left) &&
           (frame->left <= hb_reader_left(&d->in) / least ||
            hb_document_stop(d, HBS_E_FORMAT, at, "counts more values than it has bytes for"));
}

/* No-ops stand for nothing, where a value or key with a marker of its own could stand. */
static bool skip_noops(hb_document *d)
{
    while (!at_end(d) && *d->in.p == 'N') {
        d->in.p++;
        if (!hb_document_poll(d))
            return false;
    }
    return true;
}

/* Whether the container has one more value; else its end was read, or the document has failed. */
static bool more_items(hb_document *d, hb_frame *frame)
{
    if (frame->counted)
        return frame->left > 0;
    if (!skip_noops(d) || !need_bytes(d, 1))
        return false;
    if (*d->in.p != (frame->object ? '}' : ']'))
        return true;
    d->in.p++;
    return false;
}

static bool read_key(hb_document *d, hb_frame *frame, hbs_text *key)
{
    uint64_t size;

    d->token_at = offset(d);
    if (!read_length(d, &size) || !take_text(d, size, key))
        return false;
    frame->key_at = (size_t)((const uint8_t *)key->bytes - d->in.begin);
    frame->key_size = key->size;
    return true;
}

static bool next_ubjson(hb_document *d, hb_frame *frame, hbs_text *key)
{
    if (!more_items(d, frame))
        return false;
    frame->left -= frame->counted;
    return !frame->object || read_key(d, frame, key);
}

/* ------------------------------------------------------------------ arrays of numbers */

/* The loops of the types that big models are made of. Each converts `n` numbers and returns how
 * many are good: less than n where one is not finite though it must be. */

static bool are_finite(const uint8_t *p, size_t n)
{
    const uint32_t exponent = 0x7F800000;
    uint32_t found = 0;

    for (size_t i = 0; i < n; i++)
        found |= (load_u32(p + 4 * i) & exponent) == exponent;
    return !found;
}

/* Two words of 32 bits at a time. */
static void load_words(const uint8_t *p, size_t n, char *to)
{
    size_t i = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; n - i >= 2; i += 2) {
        uint64_t two;

        memcpy(&two, p + 4 * i, sizeof two);
        two = __builtin_bswap64(two);
        two = two << 32 | two >> 32;
        memcpy(to + 4 * i, &two, sizeof two);
    }
#endif
    for (; i < n; i++)
        memcpy(to + 4 * i, &(uint32_t){load_u32(p + 4 * i)}, sizeof(uint32_t));
}

static size_t load_floats(const uint8_t *p, size_t n, bool finite, char *to)
{
    size_t good = n;

    if (finite && !are_finite(p, n))
        for (good = 0; are_finite(p + 4 * good, 1);)
            good++;
    load_words(p, good, to);
    return good;
}

static size_t load_int32s(const uint8_t *p, size_t n, char *to)
{
    load_words(p, n, to);
    return n;
}

static size_t load_int64s(uint8_t type, const uint8_t *p, size_t n, char *to)
{
    for (size_t i = 0; type == 'l' && i < n; i++)
        memcpy(to + 8 * i, &(int64_t){(int32_t)load_u32(p + 4 * i)}, sizeof(int64_t));
    for (size_t i = 0; type == 'L' && i < n; i++)
        memcpy(to + 8 * i, &(uint64_t){load_u64(p + 8 * i)}, sizeof(uint64_t));
    return n;
}

/* `n` numbers of one type into items; how many are good. */
static size_t load_items(hb_item item, uint8_t type, const uint8_t *p, size_t n, bool finite, char *to)
{
    const size_t size = number_size(type);
    static const size_t item_sizes[] = {0, 4, 8, 4, 8, 1};
    size_t i = 0;

    if (item == HB_ITEM_FLOAT32 && type == 'd')
        return load_floats(p, n, finite, to);
    if (item == HB_ITEM_INT32 && type == 'l')
        return load_int32s(p, n, to);
    if (item == HB_ITEM_INT64 && (type == 'L' || type == 'l'))
        return load_int64s(type, p, n, to);
    if (item == HB_ITEM_UINT8 && type == 'U') {
        memcpy(to, p, n);
        return n;
    }
    if (item == HB_ITEM_NONE && (!is_real(type) || !finite))
        return n;
    while (i < n && store_item(item, type, p + i * size, finite, to + i * item_sizes[item]))
        i++;
    return i;
}

/* The rest of an array with a type, whose count was held against the bytes left. */
static bool read_typed(hb_document *d, hb_frame *frame, hb_item item, hb_vector *out, bool finite)
{
    const size_t size = number_size(frame->type);
    double nowhere;

    if (out && !hb_vector_reserve(out, (size_t)frame->left))
        return hb_document_no_memory(d);
    while (frame->left > 0) {
        size_t n = frame->left < HB_POLL_BYTES / 8 ? (size_t)frame->left : HB_POLL_BYTES / 8;
        char *to = out ? (char *)out->items + out->count * out->item_size : (char *)&nowhere;
        size_t good = load_items(item, frame->type, d->in.p, n, finite, to);

        frame->index += good;
        frame->left -= good;
        d->in.p += good * size;
        if (out)
            out->count += good;
        if (good < n) {
            frame->index++;
            return refuse_marker(d, item, frame->type, d->in.p);
        }
        if (!hb_document_poll(d))
            return false;
    }
    return true;
}

/* The number that is due, or a boolean as one of 0 and 1. */
static bool read_element(hb_document *d, hb_item item, bool finite, void *to)
{
    uint8_t marker = marker_due(d);

    if (item != HB_ITEM_UINT8 || (marker != 'T' && marker != 'F'))
        return read_number(d, item, finite, to);
    *(uint8_t *)to = marker == 'T';
    d->in.p++;
    return true;
}

/* An array whose values have markers, or are of a type that is no number. */
static bool read_untyped(hb_document *d, hb_frame *frame, hb_item item, hb_vector *out, bool finite)
{
    enum { MANY = 64 };

    while (more_items(d, frame)) {
        if (!hb_document_poll(d))
            return false;
        frame->left -= frame->counted;
        if (!out && number_size(marker_due(d)) == 0)
            return false; /* no number: left to be read next */
        if (out && out->count == out->capacity && !hb_vector_reserve(out, MANY))
            return hb_document_no_memory(d);
        char *to = out ? (char *)out->items + out->count * out->item_size : NULL;

        frame->index++;
        if (!read_element(d, item, finite, to))
            return false;
        if (out)
            out->count++;
    }
    return hb_document_ok(d);
}

static bool read_numbers(hb_document *d, hb_frame *frame, hb_item item, hb_vector *out, bool finite)
{
    return frame->type && number_size(frame->type) > 0 ? read_typed(d, frame, item, out, finite)
                                                       : read_untyped(d, frame, item, out, finite);
}

const hb_encoding_table hb_ubjson_table = {
    .peek = peek_ubjson,
    .begin = begin_ubjson,
    .next = next_ubjson,
    .read_integer = read_integer,
    .read_float = read_float,
    .read_double = read_double,
    .read_bool = read_bool,
    .read_string = read_string,
    .skip_scalar = skip_scalar,
    .read_numbers = read_numbers,
    .end = end_ubjson,
};
