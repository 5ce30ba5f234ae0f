/* protobuf.c - see protobuf.h. */
#include "format/protobuf.h"

#include <string.h>

enum { UNITS_A_FIELD = 4, GROUP = 3, END_GROUP = 4, MOST_ONCE = 64 };

/* ---- errors */

hbs_status hb_protobuf_fail(hb_protobuf *file, hbs_status status, size_t at, const char *format, ...)
{
    va_list arguments;

    if (file->status != HBS_OK)
        return file->status;
    file->status = status;
    va_start(arguments, format);
    hb_fail_list(file->error, status, at, format, arguments);
    va_end(arguments);
    return status;
}

static size_t offset_of(const hb_message *m, const uint8_t *p)
{
    return (size_t)(p - m->file->begin);
}

static bool fail(hb_message *m, const uint8_t *p, const char *what)
{
    hb_protobuf_fail(m->file, HBS_E_FORMAT, offset_of(m, p), "%s: %s", m->name, what);
    return false;
}

/* Counts work; false where the host wants to stop, which is then the file's failure. */
static bool goes_on(hb_protobuf *file, size_t units)
{
    if (file->status == HBS_OK && !hb_goes_on(file->work, units))
        file->status = hb_work_status(file->work, file->error);
    return file->status == HBS_OK;
}

/* ---- fields */

void hb_protobuf_open(hb_protobuf *file, const void *bytes, size_t size, hb_work *work, hbs_error *error,
                      const char *name, uint64_t once, hb_message *message)
{
    const uint8_t *begin = size ? bytes : (const uint8_t *)""; /* never NULL, so that differences are defined */

    *file = (hb_protobuf){begin, work, error, HBS_OK};
    *message = (hb_message){.file = file, .name = name, .p = begin, .end = begin + size, .once = once};
}

/* 7 bits a byte, the lowest first; negative numbers have 10 bytes, of which the last has one bit. */
static bool read_varint(hb_message *m, const uint8_t **p, const uint8_t *end, uint64_t *bits)
{
    const uint8_t *at = *p;

    *bits = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at == end)
            return fail(m, at, "ends in the middle of a number");
        if (shift == 63 && *at > 1)
            break;
        *bits |= (uint64_t)(*at & 0x7f) << shift;
        if (*at++ < 0x80) {
            *p = at;
            return true;
        }
    }
    return fail(m, *p, "a number has more than 64 bits");
}

static bool read_fixed(hb_message *m, const uint8_t **p, const uint8_t *end, size_t size, uint64_t *bits)
{
    if ((size_t)(end - *p) < size)
        return fail(m, *p, "ends in the middle of a number");
    *bits = 0;
    for (size_t i = size; i-- > 0;)
        *bits = *bits << 8 | (*p)[i];
    *p += size;
    return true;
}

static bool read_number(hb_message *m, const uint8_t **p, const uint8_t *end, hb_wire wire, uint64_t *bits)
{
    if (wire == HB_WIRE_VARINT)
        return read_varint(m, p, end, bits);
    return read_fixed(m, p, end, wire == HB_WIRE_64 ? 8 : 4, bits);
}

static bool read_bytes(hb_message *m, hbs_text *bytes)
{
    const uint8_t *at = m->p;
    uint64_t size;

    if (!read_varint(m, &m->p, m->end, &size))
        return false;
    if (size > (uint64_t)(m->end - m->p))
        return fail(m, at, "a length goes beyond the end");
    *bytes = (hbs_text){(const char *)m->p, (size_t)size};
    m->p += size;
    return true;
}

static bool read_tag(hb_message *m, hb_field *field)
{
    const uint8_t *at = m->p;
    uint64_t tag;

    if (!read_varint(m, &m->p, m->end, &tag))
        return false;
    if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
        return fail(m, at, "the number of a field is out of range");
    if ((tag & 7) == GROUP || (tag & 7) == END_GROUP)
        return fail(m, at, "a field is a group, which no ONNX file has");
    if ((tag & 7) > HB_WIRE_32)
        return fail(m, at, "a field is of no known kind");
    *field = (hb_field){.number = (uint32_t)(tag >> 3), .wire = (hb_wire)(tag & 7), .at = offset_of(m, at)};
    return true;
}

static bool check_once(hb_message *m, const hb_field *field)
{
    uint64_t bit = field->number < MOST_ONCE ? HB_FIELD(field->number) : 0;

    if (m->seen & m->once & bit) {
        hb_protobuf_fail(m->file, HBS_E_FORMAT, field->at, "%s: field %u stands twice", m->name,
                         (unsigned)field->number);
        return false;
    }
    m->seen |= bit;
    return true;
}

bool hb_message_next(hb_message *m, hb_field *field)
{
    if (!goes_on(m->file, UNITS_A_FIELD) || m->p == m->end)
        return false;
    if (!read_tag(m, field) || !check_once(m, field))
        return false;
    return field->wire == HB_WIRE_BYTES ? read_bytes(m, &field->bytes)
                                        : read_number(m, &m->p, m->end, field->wire, &field->bits);
}

/* ---- what a field holds */

static bool is_written_as(hb_message *m, const hb_field *field, hb_wire wire)
{
    if (hb_protobuf_ok(m->file) && field->wire != wire)
        hb_protobuf_fail(m->file, HBS_E_FORMAT, field->at, "%s: field %u is of another type", m->name,
                         (unsigned)field->number);
    return hb_protobuf_ok(m->file);
}

int64_t hb_field_integer(hb_message *m, const hb_field *field)
{
    return is_written_as(m, field, HB_WIRE_VARINT) ? (int64_t)field->bits : 0;
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float number;

    memcpy(&number, &low, sizeof(number));
    return number;
}

float hb_field_float(hb_message *m, const hb_field *field)
{
    return is_written_as(m, field, HB_WIRE_32) ? float_of(field->bits) : 0;
}

hbs_text hb_field_text(hb_message *m, const hb_field *field)
{
    return is_written_as(m, field, HB_WIRE_BYTES) ? field->bytes : (hbs_text){"", 0};
}

bool hb_message_open(hb_message *m, const hb_field *field, const char *name, uint64_t once, hb_message *message)
{
    const uint8_t *begin = (const uint8_t *)field->bytes.bytes;

    *message = (hb_message){.file = m->file, .name = name, .p = m->end, .end = m->end};
    if (!is_written_as(m, field, HB_WIRE_BYTES))
        return false;
    if (m->depth + 1 == HB_PROTOBUF_DEPTH) {
        hb_protobuf_fail(m->file, HBS_E_LIMIT, field->at, "%s: messages are nested deeper than %d", name,
                         HB_PROTOBUF_DEPTH);
        return false;
    }
    *message = (hb_message){.file = m->file,
                            .name = name,
                            .p = begin,
                            .end = begin + field->bytes.size,
                            .once = once,
                            .depth = m->depth + 1};
    return true;
}

/* ---- repeated numbers */

/* Numbers of fixed size need no look. */
static size_t count_packed(hb_message *m, const hb_field *field, hb_wire wire)
{
    const uint8_t *p = (const uint8_t *)field->bytes.bytes, *end = p + field->bytes.size;
    size_t size = wire == HB_WIRE_64 ? 8 : 4, n = 0;
    uint64_t bits;

    if (wire != HB_WIRE_VARINT) {
        if (field->bytes.size % size != 0)
            fail(m, end, "ends in the middle of a number");
        return field->bytes.size / size;
    }
    while (p < end && goes_on(m->file, 1) && read_varint(m, &p, end, &bits))
        n++;
    return n;
}

size_t hb_field_count(hb_message *m, const hb_field *field, hb_wire wire)
{
    if (field->wire == HB_WIRE_BYTES && wire != HB_WIRE_BYTES)
        return count_packed(m, field, wire);
    return is_written_as(m, field, wire);
}

hb_repeated hb_repeated_begin(const hb_message *message, uint32_t number, hb_wire wire)
{
    return (hb_repeated){.message = *message, .number = number, .wire = wire};
}

bool hb_repeated_next(hb_repeated *r, uint64_t *bits)
{
    hb_field field;

    *bits = 0;
    if (r->p != r->end)
        return goes_on(r->message.file, 1) && read_number(&r->message, &r->p, r->end, r->wire, bits);
    while (hb_message_next(&r->message, &field)) {
        if (field.number != r->number)
            continue;
        if (field.wire == HB_WIRE_BYTES && field.bytes.size > 0) {
            r->p = (const uint8_t *)field.bytes.bytes;
            r->end = r->p + field.bytes.size;
            return read_number(&r->message, &r->p, r->end, r->wire, bits);
        }
        if (field.wire == HB_WIRE_BYTES)
            continue;
        *bits = field.bits;
        return is_written_as(&r->message, &field, r->wire);
    }
    return false;
}

bool hb_repeated_text(hb_repeated *r, hbs_text *text)
{
    hb_field field;

    while (hb_message_next(&r->message, &field))
        if (field.number == r->number) {
            *text = hb_field_text(&r->message, &field);
            return hb_protobuf_ok(r->message.file);
        }
    *text = (hbs_text){"", 0};
    return false;
}

int64_t hb_repeated_integer(hb_repeated *r)
{
    uint64_t bits;

    hb_repeated_next(r, &bits);
    return (int64_t)bits;
}

float hb_repeated_float(hb_repeated *r)
{
    uint64_t bits;

    hb_repeated_next(r, &bits);
    return float_of(bits);
}
