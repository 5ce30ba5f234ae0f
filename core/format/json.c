/* json.c - the tokens of JSON (RFC 8259), strictly: no comments, no trailing commas, no leading
 * zeros, no lone surrogates, no NaN but where the caller allows it. */
#include "format/document_private.h"

#include "base/digits.h"

#include <string.h>

static size_t offset_of(const hb_document *d, const uint8_t *p)
{
    return (size_t)(p - d->in.begin);
}

const uint8_t *hb_json_long_space(hb_document *d, const uint8_t *p)
{
    for (;;) {
        const uint8_t *end = hb_document_part(d, p);

        while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
            p++;
        d->in.p = p;
        if (p < end || p == d->in.end || !hb_document_poll(d))
            return p;
    }
}

static hb_kind peek_json(hb_document *d)
{
    d->in.p = hb_json_space(d, d->in.p);
    if (d->in.p == d->in.end)
        return HB_KIND_NONE;
    switch (*d->in.p) {
    case '{':
        return HB_KIND_OBJECT;
    case '[':
        return HB_KIND_ARRAY;
    case '"':
        return HB_KIND_STRING;
    case 't':
    case 'f':
        return HB_KIND_BOOL;
    case 'n':
        return HB_KIND_NULL;
    case '-':
    case 'N':
    case 'I':
        return hb_json_number_kind(d->in.p, d->in.end);
    default:
        return hb_is_digit((char)*d->in.p) ? hb_json_number_kind(d->in.p, d->in.end) : HB_KIND_NONE;
    }
}

/* ------------------------------------------------------------------ strings */

static bool read_hex4(const uint8_t *p, const uint8_t *end, uint32_t *code)
{
    if (end - p < 4)
        return false;
    *code = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t c = p[i], letter = c | 0x20;

        if (hb_is_digit((char)p[i]))
            *code = *code << 4 | (c - '0');
        else if (letter >= 'a' && letter <= 'f')
            *code = *code << 4 | (letter - 'a' + 10);
        else
            return false;
    }
    return true;
}

/* \uXXXX at p, or a pair of them for a character above U+FFFF: the bytes read, 0 for a bad one. */
static size_t read_unicode(const uint8_t *p, const uint8_t *end, uint32_t *code)
{
    uint32_t low;

    if (!read_hex4(p + 2, end, code))
        return 0;
    if (*code < 0xD800 || *code > 0xDFFF)
        return 6;
    if (*code > 0xDBFF || end - p < 12 || p[6] != '\\' || p[7] != 'u' || !read_hex4(p + 8, end, &low) || low < 0xDC00 ||
        low > 0xDFFF)
        return 0;
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return 12;
}

static size_t write_utf8(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint32_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};

    for (size_t i = size - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(leads[size] | code);
    return size;
}

/* The escape at p (a backslash): the bytes read, 0 where it is bad, and the character in UTF-8. */
static size_t read_escape(const uint8_t *p, const uint8_t *end, char bytes[4], size_t *size)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    uint32_t code;

    if (end - p < 2)
        return 0;
    if (p[1] == 'u') {
        size_t read = read_unicode(p, end, &code);

        *size = read ? write_utf8(code, bytes) : 0;
        return read;
    }
    const char *name = p[1] ? strchr(names, p[1]) : NULL;
    if (!name)
        return 0;
    bytes[0] = meanings[name - names];
    *size = 1;
    return 2;
}

/* Printable ASCII but quote and backslash. */
static const uint8_t *skip_plain(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

static bool keep_text(hb_document *d, const void *bytes, size_t size)
{
    return hb_vector_append(&d->text, bytes, size) || hb_document_no_memory(d);
}

/* One step of a string at the reading position: an escape (decoded into d->text) or a character
 * that is not plain. */
static bool step_text(hb_document *d)
{
    const uint8_t *p = d->in.p, *end = d->in.end;
    char bytes[4];
    size_t size, read;

    if (*p == '\\') {
        read = read_escape(p, end, bytes, &size);
        if (read == 0)
            return hb_document_stop(d, HBS_E_FORMAT, offset_of(d, p), "bad escape in a string");
        d->in.p += read;
        return keep_text(d, bytes, size);
    }
    if (*p < 0x20)
        return hb_document_stop(d, HBS_E_FORMAT, offset_of(d, p), "control character in a string");
    read = hb_utf8_character((const char *)p, (size_t)(end - p));
    if (read == 0)
        return hb_document_stop(d, HBS_E_FORMAT, offset_of(d, p), "bad UTF-8 in a string");
    d->in.p += read;
    return true;
}

/* At the opening quote. The text is the input itself unless it has escapes; what begins at
 * `run` was not yet copied. */
static bool read_text(hb_document *d, hbs_text *text)
{
    const uint8_t *begin = ++d->in.p, *run = begin;
    bool copied = false;

    d->text.count = 0;
    for (;;) {
        const uint8_t *end = d->in.end;

        d->in.p = skip_plain(d->in.p, hb_document_part(d, d->in.p));
        if (!hb_document_poll(d))
            return false;
        if (d->in.p == end)
            return hb_document_stop(d, HBS_E_FORMAT, offset_of(d, end), "ends inside a string");
        if (*d->in.p == '"')
            break;
        bool escape = *d->in.p == '\\';
        if (escape) {
            if (!keep_text(d, run, (size_t)(d->in.p - run)))
                return false;
            copied = true;
        }
        if ((escape || *d->in.p < 0x20 || *d->in.p >= 0x80) && !step_text(d))
            return false;
        if (escape)
            run = d->in.p;
    }
    if (copied && !keep_text(d, run, (size_t)(d->in.p - run)))
        return false;
    *text =
        copied ? (hbs_text){d->text.items, d->text.count} : (hbs_text){(const char *)begin, (size_t)(d->in.p - begin)};
    d->in.p++;
    return true;
}

static bool read_string(hb_document *d, hbs_text *text)
{
    return peek_json(d) == HB_KIND_STRING ? read_text(d, text) : hb_document_expected(d, "a string");
}

/* ------------------------------------------------------------------ words and containers */

static bool read_bool(hb_document *d, bool *value)
{
    if (peek_json(d) != HB_KIND_BOOL)
        return hb_document_expected(d, "a boolean");
    *value = *d->in.p == 't';
    return hb_json_took(d, hb_json_word(d->in.p, d->in.end, *value ? "true" : "false")) ||
           hb_document_expected(d, "true or false");
}

static bool skip_scalar(hb_document *d, bool finite)
{
    hbs_text text;
    bool value;

    switch (peek_json(d)) {
    case HB_KIND_STRING:
        return read_text(d, &text);
    case HB_KIND_BOOL:
        return read_bool(d, &value);
    case HB_KIND_NULL:
        return hb_json_took(d, hb_json_word(d->in.p, d->in.end, "null")) || hb_document_expected(d, "null");
    case HB_KIND_INTEGER:
    case HB_KIND_REAL:
        return hb_json_skip_number(d, finite);
    default:
        return hb_document_expected(d, "a value");
    }
}

static bool begin_json(hb_document *d, hb_frame *frame)
{
    (void)frame;
    d->in.p++;
    return true;
}

static bool read_key(hb_document *d, hb_frame *frame, hbs_text *key)
{
    d->in.p = hb_json_space(d, d->in.p);
    d->token_at = hb_reader_offset(&d->in);
    if (peek_json(d) != HB_KIND_STRING)
        return hb_document_expected(d, "a key");
    if (!read_text(d, key))
        return false;
    frame->key_at = d->token_at + 1;
    frame->key_size = hb_reader_offset(&d->in) - frame->key_at - 1;
    d->in.p = hb_json_space(d, d->in.p);
    return (d->in.p < d->in.end && *d->in.p == ':' && hb_json_took(d, 1)) ||
           hb_document_expected(d, "':' behind a key");
}

static bool next_json(hb_document *d, hb_frame *frame, hbs_text *key)
{
    const uint8_t *p = d->in.p = hb_json_space(d, d->in.p);
    bool more = p < d->in.end;

    if (more && *p == (frame->object ? '}' : ']')) {
        d->in.p++;
        return false;
    }
    if (frame->index > 0) {
        if (!more || *p != ',')
            return hb_document_expected(d, frame->object ? "',' or '}'" : "',' or ']'");
        d->in.p++;
    }
    return !frame->object || read_key(d, frame, key);
}

static bool end_json(hb_document *d)
{
    d->in.p = hb_json_space(d, d->in.p);
    return d->in.p == d->in.end ||
           hb_document_stop(d, HBS_E_FORMAT, hb_reader_offset(&d->in), "something follows the document");
}

const hb_encoding_table hb_json_table = {
    .peek = peek_json,
    .begin = begin_json,
    .next = next_json,
    .read_integer = hb_json_read_integer,
    .read_float = hb_json_read_float,
    .read_double = hb_json_read_double,
    .read_bool = read_bool,
    .read_string = read_string,
    .skip_scalar = skip_scalar,
    .read_numbers = hb_json_read_numbers,
    .end = end_json,
};
