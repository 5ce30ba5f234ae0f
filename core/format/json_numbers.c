/* json_numbers.c - JSON's numbers: one at a time, and arrays of them.
 *
 * Arrays of numbers are nearly all of a big model: they are read by one loop over the raw bytes
 * that looks at each byte once or twice and makes room for many items at a time. */
#include "format/document_private.h"

#include "base/digits.h"
#include "base/number.h"

#include <math.h>

/* The bytes that can be part of a number token; more than HB_MAX_NUMBER_SIZE are not counted. */
static size_t number_run(const uint8_t *p, const uint8_t *end, bool *real)
{
    size_t n = 0;

    *real = false;
    for (; p + n < end && n <= HB_MAX_NUMBER_SIZE; n++) {
        uint8_t c = p[n];

        if (c == '.' || c == 'e' || c == 'E')
            *real = true;
        else if (!hb_is_digit((char)c) && c != '-' && c != '+')
            break;
    }
    return n;
}

hb_kind hb_json_number_kind(const uint8_t *p, const uint8_t *end)
{
    bool real;

    (void)number_run(p, end, &real);
    return real || *p == 'N' || *p == 'I' || hb_json_word(p, end, "-I") ? HB_KIND_REAL : HB_KIND_INTEGER;
}

/* NaN, Infinity, -Infinity: their length, or 0. */
static size_t read_special(const uint8_t *p, const uint8_t *end, float *number)
{
    size_t size;

    if ((size = hb_json_word(p, end, "NaN")) != 0)
        *number = NAN;
    else if ((size = hb_json_word(p, end, "Infinity")) != 0)
        *number = INFINITY;
    else if ((size = hb_json_word(p, end, "-Infinity")) != 0)
        *number = -INFINITY;
    return size;
}

/* Says why the value at the reading position is not the number that was expected. */
static bool refuse_number(hb_document *d, bool integer, const char *range)
{
    hb_kind kind = d->encoding->peek(d);
    const uint8_t *p = d->in.p, *end = d->in.end;
    size_t at = hb_reader_offset(&d->in);
    float special;
    double value;
    bool real;

    if (kind != HB_KIND_INTEGER && (integer || kind != HB_KIND_REAL))
        return hb_document_expected(d, integer ? "an integer" : "a number");
    if (read_special(p, end, &special))
        return hb_document_stop(d, HBS_E_FORMAT, at, "expected a finite number");
    if (number_run(p, end, &real) > HB_MAX_NUMBER_SIZE)
        return hb_document_stop(d, HBS_E_LIMIT, at, "a number of more than %d bytes", HB_MAX_NUMBER_SIZE);
    if (!hb_read_float64((const char *)p, (const char *)end, &value, NULL))
        return *p == 'N' || *p == 'I' ? hb_document_expected(d, "a number") /* None, Inf: words */
                                      : hb_document_stop(d, HBS_E_FORMAT, at, "is not a number");
    return hb_document_stop(d, HBS_E_FORMAT, at, "does not fit %s", range);
}

bool hb_json_read_integer(hb_document *d, int64_t *number)
{
    return hb_json_took(d, hb_read_int64((const char *)d->in.p, (const char *)d->in.end, number)) ||
           refuse_number(d, true, "a 64-bit integer");
}

bool hb_json_read_float(hb_document *d, float *number)
{
    bool overflow = false;
    size_t size = hb_read_float32((const char *)d->in.p, (const char *)d->in.end, number, &overflow);

    return (!overflow && hb_json_took(d, size)) || refuse_number(d, false, "a 32-bit float");
}

/* Inf and 9e999: their length, or 0. */
static size_t read_infinity(const uint8_t *p, const uint8_t *end, double *number)
{
    bool negative = p < end && *p == '-';
    size_t size = hb_json_word(p, end, negative ? "-Inf" : "Inf");

    if (size && p + size < end && p[size] == 'i')
        return 0; /* Infinity is not SQLite's */
    if (!size)
        size = hb_infinity_size((const char *)p, (const char *)end);
    *number = negative ? -(double)INFINITY : (double)INFINITY;
    return size;
}

bool hb_json_read_double(hb_document *d, double *number)
{
    bool overflow = false;
    size_t size = hb_read_float64((const char *)d->in.p, (const char *)d->in.end, number, &overflow);

    if ((!size || overflow) && d->takes_infinities && hb_json_took(d, read_infinity(d->in.p, d->in.end, number)))
        return true;
    return (!overflow && hb_json_took(d, size)) || refuse_number(d, false, "a 64-bit float");
}

bool hb_json_skip_number(hb_document *d, bool finite)
{
    double number;
    float special;

    return (!finite && hb_json_took(d, read_special(d->in.p, d->in.end, &special))) || hb_json_read_double(d, &number);
}

/* ------------------------------------------------------------------ arrays of numbers */

/* An integer of up to 18 digits, which cannot overflow; 0 where it is longer or none. */
static inline size_t read_short_integer(const char *p, const char *end, int64_t *number)
{
    bool negative = p < end && *p == '-';
    const char *digits = p + negative;
    uint64_t value = 0;
    const char *at = hb_read_digits(digits, end, &value);

    if (at == digits || (*digits == '0' && at - digits > 1) || at - digits > 18)
        return 0;
    if (at < end && (*at == '.' || *at == 'e' || *at == 'E'))
        return 0;
    *number = negative ? -(int64_t)value : (int64_t)value;
    return (size_t)(at - p);
}

static inline size_t read_any_integer(const char *p, const char *end, int64_t *number)
{
    size_t size = read_short_integer(p, end, number);

    return size ? size : hb_read_int64(p, end, number);
}

/* read_item for the plain numbers of digits.h, which are nearly all; 0: read_item must look. */
HB_INLINE size_t read_plain_item(const uint8_t *p, hb_item item, char *to)
{
    const char *text = (const char *)p;
    int32_t integer = 0;
    double number = 0;
    float single;
    size_t size;

    switch (item) {
    case HB_ITEM_NONE:
        return hb_plain_size(text);
    case HB_ITEM_FLOAT32:
        size = hb_read_plain_double(text, &number);
        single = (float)number;
        memcpy(to, &single, sizeof single);
        return hb_rounds_to_float(number) ? size : 0;
    case HB_ITEM_FLOAT64:
        size = hb_read_plain_double(text, &number);
        memcpy(to, &number, sizeof number);
        return size;
    case HB_ITEM_INT32:
        size = hb_read_plain_integer(text, &integer);
        memcpy(to, &integer, sizeof integer);
        return size;
    case HB_ITEM_INT64:
        size = hb_read_plain_integer(text, &integer);
        memcpy(to, &(int64_t){integer}, sizeof(int64_t));
        return size;
    case HB_ITEM_UINT8:
        if (p[1] == ',') { /* nearly always */
            *(uint8_t *)to = (uint8_t)(*p - '0');
            return hb_is_digit(*text);
        }
        size = hb_read_plain_integer(text, &integer);
        *(uint8_t *)to = (uint8_t)integer;
        return integer >= 0 && integer <= UINT8_MAX ? size : 0;
    }
    return 0;
}

/* One item at p into *to: the bytes read, or 0 where it is none of its kind (see refuse_item). */
HB_INLINE size_t read_item(const uint8_t *p, const uint8_t *end, hb_item item, bool finite, char *to)
{
    const char *text = (const char *)p, *text_end = (const char *)end;
    bool overflow = false;
    size_t size = 0;
    int64_t integer = 0;
    float single = 0;
    double number = 0;

    switch (item) {
    case HB_ITEM_NONE:
        size = hb_number_size(text, text_end, &overflow);
        if (size == 0 && !finite)
            size = read_special(p, end, &single);
        return overflow ? 0 : size;
    case HB_ITEM_FLOAT32:
        size = hb_read_float32(text, text_end, &single, &overflow);
        if (size == 0 && !finite)
            size = read_special(p, end, &single);
        memcpy(to, &single, sizeof single);
        return overflow ? 0 : size;
    case HB_ITEM_FLOAT64:
        size = hb_read_float64(text, text_end, &number, &overflow);
        if (size == 0 && !finite && (size = read_special(p, end, &single)) != 0)
            number = (double)single;
        memcpy(to, &number, sizeof number);
        return overflow ? 0 : size;
    case HB_ITEM_INT32:
        size = read_any_integer(text, text_end, &integer);
        memcpy(to, &(int32_t){(int32_t)integer}, sizeof(int32_t));
        return integer >= INT32_MIN && integer <= INT32_MAX ? size : 0;
    case HB_ITEM_INT64:
        size = read_any_integer(text, text_end, &integer);
        memcpy(to, &integer, sizeof integer);
        return size;
    case HB_ITEM_UINT8:
        size = read_any_integer(text, text_end, &integer);
        if (size == 0 && (size = hb_json_word(p, end, "true")) != 0)
            integer = 1;
        else if (size == 0)
            size = hb_json_word(p, end, "false");
        *(uint8_t *)to = (uint8_t)integer;
        return integer >= 0 && integer <= UINT8_MAX ? size : 0;
    }
    return 0;
}

static bool refuse_item(hb_document *d, hb_item item)
{
    switch (item) {
    case HB_ITEM_FLOAT32:
        return refuse_number(d, false, "a 32-bit float");
    case HB_ITEM_INT32:
        return refuse_number(d, true, "a 32-bit integer");
    case HB_ITEM_INT64:
        return refuse_number(d, true, "a 64-bit integer");
    case HB_ITEM_UINT8:
        return refuse_number(d, true, "0 to 255");
    default:
        return refuse_number(d, false, "a 64-bit float");
    }
}

typedef enum outcome { MORE, ENDED, NO_ITEM, NO_COMMA } outcome;

/* Reads 1 to `room` items, and about as far as to the next poll; `n` is how many. */
HB_INLINE outcome read_some(hb_document *d, hb_item item, size_t item_size, bool finite, char *to, size_t room,
                            size_t *n)
{
    const uint8_t *p = d->in.p, *end = d->in.end, *stop = d->poll_at;
    outcome outcome = MORE;

    *n = 0;
    do {
        size_t size = end - p > HB_PLAIN_SIZE ? read_plain_item(p, item, to) : 0;

        if (size > 0 && p[size] == ',') {
            p += size + 1;
            to += item_size;
            ++*n;
            continue;
        }
        p = hb_json_space(d, p);
        size = read_item(p, d->in.end, item, finite, to);
        if (size == 0) {
            outcome = NO_ITEM;
            break;
        }
        to += item_size;
        ++*n;
        p = hb_json_space(d, p + size);
        if (p == d->in.end || *p != ',') {
            outcome = p < d->in.end && *p == ']' ? ENDED : NO_COMMA;
            break;
        }
        p++;
    } while (*n < room && p < stop);
    d->in.p = p;
    return outcome;
}

/* Returns where the next items go, and sets how many fit. The vector grows by half as items come, since the bytes left
 * do not tell how many follow. NULL: no memory. */
static char *make_room(hb_vector *out, size_t *room)
{
    enum { MANY = 64 };

    if (out->count == out->capacity && !hb_vector_reserve(out, MANY))
        return NULL;
    *room = out->capacity - out->count;
    return (char *)out->items + out->count * out->item_size;
}

HB_INLINE bool read_items(hb_document *d, hb_frame *frame, hb_item item, size_t item_size, hb_vector *out, bool finite)
{
    outcome outcome = MORE;
    char nowhere[8], *to = nowhere;
    size_t n, room = SIZE_MAX;

    d->in.p = hb_json_space(d, d->in.p);
    if (d->in.p < d->in.end && *d->in.p == ']')
        return hb_json_took(d, 1);
    while (outcome == MORE) {
        if (!hb_document_poll(d))
            return false;
        if (out && !(to = make_room(out, &room)))
            return hb_document_no_memory(d);
        outcome = read_some(d, item, item_size, finite, to, room, &n);
        frame->index += n;
        if (out)
            out->count += n;
    }
    if (outcome == ENDED)
        return hb_json_took(d, 1);
    if (outcome == NO_COMMA)
        return hb_document_expected(d, "',' or ']'");
    if (item == HB_ITEM_NONE)
        return false; /* no number: left to be read next */
    frame->index++;
    return refuse_item(d, item);
}

bool hb_json_read_numbers(hb_document *d, hb_frame *frame, hb_item item, hb_vector *out, bool finite)
{
    switch (item) {
    case HB_ITEM_NONE:
        return read_items(d, frame, HB_ITEM_NONE, 0, NULL, finite);
    case HB_ITEM_FLOAT32:
        return read_items(d, frame, HB_ITEM_FLOAT32, 4, out, finite);
    case HB_ITEM_FLOAT64:
        return read_items(d, frame, HB_ITEM_FLOAT64, 8, out, finite);
    case HB_ITEM_INT32:
        return read_items(d, frame, HB_ITEM_INT32, 4, out, finite);
    case HB_ITEM_INT64:
        return read_items(d, frame, HB_ITEM_INT64, 8, out, finite);
    case HB_ITEM_UINT8:
        return read_items(d, frame, HB_ITEM_UINT8, 1, out, finite);
    }
    return false;
}
